# SPDX-License-Identifier: MIT
"""Figures 2 and 4 of Practical Correlated Topic Modeling."""
import bench

import sheets
from sheets import DENSE, Case, apart, chart, height, numbers, tell

WORDS = 5000
AGREE = 0.1     # of a panel's height
SETTLED = 0.02  # of a measure after the most rounds
TWICE = (1.5, 2.5)
MEASURES = ('recovery', 'relative_error', 'dominancy', 'specificity',
            'dissimilarity', 'umass', 'sparsity')
SOLVERS = ('admm', 'active-set', 'expgrad')
SAME = 0.01     # of a measure, on average over the numbers of topics
EQUAL = 20      # rounds, from which on it is to be as after the most


def iterated(options, name):
    """Rows by way and number of rounds."""
    case = Case(options, name)
    found = {way: {n: case.measured(options.at, WORDS, *DENSE,
                                    '--rectify', way.lower(),
                                    '--rectify-iter', n, '--rectify-tol', 0)
                   for n in options.rounds} for way in ('AP', 'DR')}
    case.close()
    return found


def judge_rounds(name, found):
    last = max(found['AP'])
    for x in MEASURES:
        room = height(found, found, x)
        far = abs(found['AP'][last][x] - found['DR'][last][x]) / room
        yield far <= AGREE, (f'{name}: {x} by AP and DR {far:.3f} of the '
                             f'panel\'s height apart after {last} rounds, at '
                             f'most {AGREE}')
        for way, rows in found.items():
            move = max(abs(row[x] / rows[last][x] - 1)
                       for n, row in rows.items() if n >= EQUAL)
            yield move <= SETTLED, (
                f'{name}: {x} by {way} from {EQUAL} rounds on within '
                f'{move:.3f} of what it is after {last}, at most {SETTLED}')
    ratio = (found['DR'][last]['seconds_rectify'] /
             found['AP'][last]['seconds_rectify'])
    yield TWICE[0] <= ratio <= TWICE[1], (
        f'{name}: DR takes {ratio:.2f} times what AP takes, {TWICE[0]} to '
        f'{TWICE[1]} of "almost twice"')


def reflections(options, page):
    """Figure 2 of Practical Correlated Topic Modeling: alternating projection
    (AP) and cyclic Douglas-Rachford iterations (DR), by the number of rounds.

    Of the papers' co-occurrence of the 5,000 words with the greatest tf-idf;
    topics by ADMM, correlations by the anchors' diagonal, as there. The paper
    says that the two mostly agree, that 5 rounds are often enough, that 15 to
    20 are almost 150, and that DR costs almost twice as much. Bars: after the
    most rounds the two are within 10 % of the panel's height of each other,
    from 20 rounds on each is within 2 % of where it ends. Approximation is told
    as a share of |C|.
    """
    for name in options.corpora.split(','):
        found = iterated(options, name)
        measures = (*MEASURES, 'seconds_rectify')
        tell(page, f'Rounds, {name}, K = {options.at}', found, measures,
             'rounds')
        chart(page, f'papers-reflections-{name}', found, measures)
        page.verdicts(judge_rounds(name, found))


def solved(options, name):
    """Rows by solver and number of topics."""
    case = Case(options, name)
    found = {way: {k: case.measured(k, WORDS, *DENSE, '--rectify', 'ap',
                                    '--solver', way)
                   for k in options.topics} for way in SOLVERS}
    case.close()
    return found


def judge_solvers(name, found):
    for x in MEASURES:
        for way in SOLVERS[1:]:
            far = apart(found, way, 'admm', x)
            yield far <= SAME, (f'{name}: {x} by {way} within {far:.4f} of '
                                f'that by ADMM, at most {SAME}')
    took = {way: sum(row['seconds_topics'] for row in rows.values())
            for way, rows in found.items()}
    for way in SOLVERS[1:]:
        yield took[way] > took['admm'], (
            f'{name}: {way} takes {took[way] / took["admm"]:.1f} times what '
            f'ADMM takes for all numbers of topics together')


def solvers(options, page):
    """Figure 4 of Practical Correlated Topic Modeling: the shares that words
    have of the anchors by ADMM, by an active set, and by exponentiated
    gradients (ExpGrad), after AP.

    The paper found that ADMM is notably faster than an active set and as good,
    and that ExpGrad, whose learning rate has to be looked for, ends at topics
    that are less specific and less sparse. kedge's ExpGrad goes on until it is
    near and its rate is a line search's, so what is to be found here is that
    all three have the same topics, within 1 %, and what they take:
    seconds_topics is anchors, shares and correlations together. Approximation
    is told as a share of |C|.
    """
    for name in options.corpora.split(','):
        found = solved(options, name)
        measures = (*MEASURES, 'seconds_topics')
        tell(page, f'Solvers, {name}', found, measures, 'K')
        chart(page, f'papers-solvers-{name}', found, measures)
        page.verdicts(judge_solvers(name, found))


FIGURES = {'reflections': reflections, 'solvers': solvers}


def arguments(p):
    sheets.arguments(p, 'kos,ap,poliblog,newsgroups,acl', '5,10,25,50,100')
    p.add_argument('--rounds', type=numbers,
                   default='1,2,3,5,10,15,20,50,150', help='of AP and DR')
    p.add_argument('--at', type=int, default=25, help='topics, of these')
