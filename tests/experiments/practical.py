# SPDX-License-Identifier: MIT
"""Figures 2 and 4 of Practical Correlated Topic Modeling."""
import bench

import sheets
from pages import lay
from sheets import (DENSE, NAMES, Case, apart, chart, height, legend, numbers,
                    tell, titles)

WORDS = 5000
AGREE = 0.1     # of a panel's height
SETTLED = 0.02  # of a measure after the most iterations
TWICE = (1.5, 2.5)
MEASURES = ('recovery', 'relative_error', 'dominancy', 'specificity',
            'dissimilarity', 'umass', 'sparsity')
SOLVERS = ('admm', 'active-set', 'expgrad')
SAME = 0.01     # of a measure, on average over the numbers of topics
EQUAL = 20      # iterations that should be as good as the most


def iterated(options, name):
    """Rows by way and number of iterations."""
    case = Case(options, name)
    found = {way: {n: case.measured(options.at, WORDS, *DENSE,
                                    '--rectify', way.lower(),
                                    '--rectify-iter', n, '--rectify-tol', 0)
                   for n in options.iterations} for way in ('AP', 'DR')}
    case.close()
    return found


def gap(found, x):
    """Between AP and DR after the most iterations, as a share of the panel's
    height."""
    last = max(found['AP'])
    return abs(found['AP'][last][x] - found['DR'][last][x]) / height(
        found, found, x)


def move(rows, x):
    """The largest change from EQUAL iterations on, as a share of the end."""
    last = max(rows)
    return max(abs(row[x] / rows[last][x] - 1)
               for n, row in rows.items() if n >= EQUAL)


def slower(found):
    """DR's seconds over AP's after the most iterations."""
    last = max(found['AP'])
    return (found['DR'][last]['seconds_rectify'] /
            found['AP'][last]['seconds_rectify'])


def judge_iterations(name, found):
    last = max(found['AP'])
    for x in MEASURES:
        far = gap(found, x)
        yield far <= AGREE, (f'{name}: {NAMES[x][0]} of AP and DR is '
                             f'{far:.3f} of the panel\'s height apart after '
                             f'{last} iterations, at most {AGREE}')
        for way, rows in found.items():
            moved = move(rows, x)
            yield moved <= SETTLED, (
                f'{name}: {NAMES[x][0]} of {way} is within {moved:.3f} of its '
                f'end from {EQUAL} iterations on, at most {SETTLED}')
    ratio = slower(found)
    yield TWICE[0] <= ratio <= TWICE[1], (
        f'{name}: DR takes {ratio:.2f} times as long as AP, {TWICE[0]} to '
        f'{TWICE[1]} for "almost twice"')


def percent(x):
    return f'{100 * x:.1f} %'


def reflections(options, page):
    """How many iterations of rectification are enough, and is AP or DR better?

    Figure 2 of Practical Correlated Topic Modeling: alternating projection
    (AP) and cyclic Douglas-Rachford iterations (DR) of the papers'
    co-occurrence of the 5,000 words with the highest tf-idf; topics by ADMM,
    topic co-occurrence from the anchors' diagonal. The paper says that the two
    mostly agree, that 5 iterations are often enough, that 15 to 20 are almost
    as good as 150, and that DR costs almost twice as much. Bars: after the
    most iterations the two are within 10 % of the panel's height; from 20
    iterations on each measure is within 2 % of its end; DR takes 1.5 to 2.5
    times as long.

    Caveats:
    - The machine was shared: read the times as ratios.
    - The bar of 2 % is ours; the paper does not say how near "almost" is.

    Columns:
    - First table: |AP - DR| after the most iterations, as a share of the
      panel's height; "DR / AP": seconds of DR over those of AP.
    - Second table: the largest change of a measure from 20 iterations on, as a
      share of its end.
    """
    measures = (*MEASURES, 'seconds_rectify')
    legend(page, measures)
    differences, moves = [], []
    for name in options.corpora.split(','):
        found = iterated(options, name)
        differences.append([name, *(percent(gap(found, x)) for x in MEASURES),
                            f'{slower(found):.2f}'])
        moves += [[name, way, *(percent(move(rows, x)) for x in MEASURES)]
                  for way, rows in found.items()]
        page.front('\n\n'.join([
            '## Difference of AP and DR',
            lay(['corpus', *titles(MEASURES), 'DR / AP'], differences),
            f'## Change from {EQUAL} iterations on',
            lay(['corpus', 'method', *titles(MEASURES)], moves)]))
        tell(page, f'{name}, K = {options.at}, all figures', found, measures,
             'iterations')
        chart(page, f'papers-reflections-{name}', found, measures)
        page.verdicts(judge_iterations(name, found))


def solved(options, name):
    """Rows by solver and number of topics."""
    case = Case(options, name)
    found = {way: {k: case.measured(k, WORDS, *DENSE, '--rectify', 'ap',
                                    '--solver', way)
                   for k in options.topics} for way in SOLVERS}
    case.close()
    return found


def slowness(found):
    """Seconds of each solver over those of ADMM, for all K together."""
    took = {way: sum(row['seconds_topics'] for row in rows.values())
            for way, rows in found.items()}
    return {way: took[way] / took['admm'] for way in SOLVERS[1:]}


def judge_solvers(name, found):
    for x in MEASURES:
        for way in SOLVERS[1:]:
            far = apart(found, way, 'admm', x)
            yield far <= SAME, (f'{name}: {NAMES[x][0]} of {way} within '
                                f'{far:.4f} of ADMM\'s, at most {SAME}')
    for way, ratio in slowness(found).items():
        yield ratio > 1, (f'{name}: {way} takes {ratio:.1f} times as long as '
                          f'ADMM for all K together')


def solvers(options, page):
    """Does it matter which solver finds the topics?

    Figure 4 of Practical Correlated Topic Modeling: after AP, the mixture of
    anchors of each word comes from ADMM, from an exact active set, or from
    exponentiated gradients (ExpGrad). The paper says that ADMM is notably
    faster than an active set and as good, and that ExpGrad, whose learning
    rate has to be tuned, ends at topics that are less specific and less
    sparse. kedge's ExpGrad has a line search instead and goes on until it is
    near the solution. Bars: all measures agree within 1 %; ADMM is the fastest
    for all K together.

    Caveats:
    - The machine was shared: read the times as ratios.
    - Seconds include anchors and topic co-occurrence, which are the same for
      all.

    Columns:
    - First table: mean difference from ADMM over K, as a share of ADMM's
      value; "time / ADMM": seconds over those of ADMM, for all K together.
    """
    measures = (*MEASURES, 'seconds_topics')
    legend(page, measures)
    rows = []
    for name in options.corpora.split(','):
        found = solved(options, name)
        rows += [[name, way, *(f'{100 * apart(found, way, "admm", x):.2f} %'
                               for x in MEASURES), f'{ratio:.1f}']
                 for way, ratio in slowness(found).items()]
        page.front('## Difference from ADMM\n\n' + lay(
            ['corpus', 'solver', *titles(MEASURES), 'time / ADMM'], rows))
        tell(page, f'{name}, all figures', found, measures, 'K')
        chart(page, f'papers-solvers-{name}', found, measures)
        page.verdicts(judge_solvers(name, found))


FIGURES = {'reflections': reflections, 'solvers': solvers}


def arguments(p):
    sheets.arguments(p, 'kos,ap,poliblog,newsgroups,acl', '5,10,25,50,100')
    p.add_argument('--iterations', type=numbers,
                   default='1,2,3,5,10,15,20,50,150', help='of AP and DR')
    p.add_argument('--at', type=int, default=25,
                   help='topics, for `reflections`')
