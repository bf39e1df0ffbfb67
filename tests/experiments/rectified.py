# SPDX-License-Identifier: MIT
"""Figures 3 and 4 of On-the-Fly Rectification."""
import bench

import numpy as np

import sheets
from sheets import DENSE, Case, apart, chart, height, numbers, tell

WORDS = 5000
SEEDS = (1, 2, 3)
FIGURE = ('AP', 'ENN', 'PALM', 'LR-JSMF')   # the lines of the paper's
FASTER = 10     # times as fast as AP
LOSS = 0.05     # of a measure, on average over the numbers of topics
UNSEEN = 0.02   # of a panel's height: two lines that cannot be told apart
VARIANCE = 0.05     # standard deviation of one-pass models over their mean
SHORT = ('--rectify', 'enn', '--rectify-iter', 15)
WHOLE = {'AP': (*DENSE, '--rectify', 'ap'), 'ENN': (*DENSE, *SHORT),
         'PALM': (*DENSE, '--rectify', 'palm'),
         'none': (*DENSE, '--rectify', 'none')}
SKETCHED = {'LR-JSMF': SHORT, 'LR-JSMF + 1': (*SHORT, '--power-iter', 1)}
SHORTER = ('ENN', *SKETCHED)    # what is held against AP
BETTER = {'relative_recovery': -1, 'relative_error': -1,
          'relative_dominancy': -1, 'specificity': 1, 'dissimilarity': 1}
TIMES = ('seconds_spectrum', 'seconds_rectify', 'seconds')
OF_WORDS = {'relative_recovery': -1, 'log_relative_volume': 1,
            'mst_incoherence': -1}


def mean(rows):
    """Of several runs."""
    return {x: float(np.mean([row[x] for row in rows])) for x in rows[0]
            if rows[0][x] is not None}


def fitted(options, name):
    """Rows by way and number of topics, and all runs of what is sketched."""
    case = Case(options, name)
    found = {way: {k: case.measured(k, WORDS, *how) for k in options.topics}
             for way, how in WHOLE.items()}
    runs = {way: {k: [case.measured(k, WORDS, *how, '--seed', seed)
                      for seed in SEEDS] for k in options.topics}
            for way, how in SKETCHED.items()}
    case.close()
    for way, rows in runs.items():
        found[way] = {k: mean(row) for k, row in rows.items()}
    return found, runs


def distance(found, way, measure):
    """Of a line from AP's, on average, as a share of the panel's height."""
    return float(np.mean([abs(row[measure] - found['AP'][k][measure])
                          for k, row in found[way].items()])
                 ) / height(found, FIGURE, measure)


def loss(found, way, measure):
    """How much worse than AP, on average, relatively; below 0: better."""
    mine, its = (np.array([row[measure] for row in found[x].values()])
                 for x in (way, 'AP'))
    return float(np.mean(1 - mine / its)) * BETTER[measure]


def judge(name, found):
    for way in SHORTER:
        for x in BETTER:
            worse = loss(found, way, x)
            yield worse <= LOSS, (f'{name}: {x} by {way} worse than AP\'s by '
                                  f'{worse:.3f} of it, at most {LOSS}')
            far, palm = distance(found, way, x), distance(found, 'PALM', x)
            yield far <= max(palm, UNSEEN), (
                f'{name}: {x} by {way} {far:.3f} of the panel\'s height from '
                f'AP\'s ({apart(found, way, "AP", x):.3f} of AP\'s value), by '
                f'PALM {palm:.3f}')


def judge_runs(name, way, runs):
    for x in BETTER:
        spread = float(np.mean([np.std([r[x] for r in rows], ddof=1) /
                                np.mean([r[x] for r in rows])
                                for rows in runs.values()]))
        yield spread <= VARIANCE, (
            f'{name}: {x} by {way} varies by {spread:.3f} of it over '
            f'{len(SEEDS)} runs, at most {VARIANCE}')


def judge_times(name, found):
    for way in SHORTER:
        part, whole = ([found['AP'][k][x] / row[x]
                        for k, row in found[way].items()]
                       for x in ('seconds_rectify', 'seconds'))
        words = min(row['words'] for row in found['AP'].values())
        yield words < WORDS or min(part) >= FASTER, (
            f'{name}: {way} {min(part):.0f} to {max(part):.0f} times as fast '
            f'as AP, of {words} words, at least {FASTER} from {WORDS} on; the '
            f'whole fit {min(whole):.1f} to {max(whole):.1f} times')


def rectification(options, page):
    """Figure 3 of On-the-Fly Rectification.

    The papers' co-occurrence of the 5,000 words with the greatest tf-idf, made
    whole, rectified by alternating projection (AP), by ENN and by PALM, and
    not at all; and ENN of eigenpairs from a sketch, those of one pass (LR-JSMF)
    and those that one more pass has sharpened (LR-JSMF + 1), each the mean of
    three seeds. Anchors, topics and correlations are found in one way from all
    of them: pivoted QR, least squares, and the anchors' own diagonal. Measures
    are those of `kedge eval`, against the co-occurrence that was not rectified.
    seconds_rectify is the rectification, seconds the whole fit, with the pass
    over the documents that makes the co-occurrence or, once, the sketch;
    poliblog has 2,632 words.

    The paper says of its figure that ENN and LR-JSMF agree with AP without any
    visible loss, that LR-JSMF varies very little between runs, and that PALM
    is slightly inconsistent. So the bars are: no measure worse than AP's by
    more than 5 % on average; each line nearer to AP's than PALM's, or within
    2 % of the panel's height; runs that differ by 5 % at most.
    """
    for name in options.corpora.split(','):
        found, runs = fitted(options, name)
        measures = (*BETTER, *TIMES)
        tell(page, f'Rectification, {name}', found, measures, 'K')
        chart(page, f'papers-rectification-{name}', found, measures)
        page.verdicts([*judge(name, found), *judge_times(name, found),
                       *(bar for way, rows in runs.items()
                         for bar in judge_runs(name, way, rows))])


def vocabulary(options, page):
    """Figure 4 of On-the-Fly Rectification: LR-JSMF of more and more of the
    words, one pass each; rare ones too."""
    for name in options.large.split(','):
        case = Case(options, name)
        found = {f'K = {k}': {n: case.measured(k, n, *SHORT, '--min-df', 1)
                              for n in options.words} for k in options.topics}
        case.close()
        measures = (*OF_WORDS, 'relative_error', *TIMES)
        tell(page, f'Vocabulary, {name}', found, measures, 'words')
        chart(page, f'papers-vocabulary-{name}', found, measures)
        page.verdicts(judge_words(name, found, options.words))


def judge_words(name, found, words):
    few, many = words[0], words[-1]
    for k, rows in found.items():
        for x, way in OF_WORDS.items():
            if rows[few][x] is None or rows[many][x] is None:
                continue    # topics that are no basis have no volume
            yield rows[many][x] * way > rows[few][x] * way, (
                f'{name}, {k}: {x} {rows[few][x]:.3f} of {few} words, '
                f'{rows[many][x]:.3f} of {many}')


FIGURES = {'rectification': rectification, 'vocabulary': vocabulary}


def arguments(p):
    sheets.arguments(p, 'kos,ap,poliblog,newsgroups,acl', '5,10,25,50,75,100')
    p.add_argument('--large', default='acl',
                   help='the corpora of the vocabularies')
    p.add_argument('--words', type=numbers,
                   default='5000,10000,20000,40000,60000')
