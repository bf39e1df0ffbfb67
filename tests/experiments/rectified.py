# SPDX-License-Identifier: MIT
"""Figures 3 and 4 of On-the-Fly Rectification."""
import bench

import numpy as np

import sheets
from pages import lay, show
from sheets import (DENSE, NAMES, Case, chart, height, legend, numbers, tell,
                    titles)

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
    """The means of several runs."""
    return {x: float(np.mean([row[x] for row in rows])) for x in rows[0]
            if rows[0][x] is not None}


def fitted(options, name):
    """Rows by way and number of topics, and all runs from sketches."""
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
    """Mean distance of a line from AP's, as a share of the panel's height."""
    return float(np.mean([abs(row[measure] - found['AP'][k][measure])
                          for k, row in found[way].items()])
                 ) / height(found, FIGURE, measure)


def loss(found, way, measure):
    """Mean share by which a line is worse than AP; below 0 it is better."""
    mine, its = (np.array([row[measure] for row in found[x].values()])
                 for x in (way, 'AP'))
    return float(np.mean(1 - mine / its)) * BETTER[measure]


def speedups(found, way):
    """How many times as fast as AP, by number of topics: the rectification, and
    the whole fit."""
    return [[found['AP'][k][x] / row[x] for k, row in found[way].items()]
            for x in ('seconds_rectify', 'seconds')]


def spread(runs, x):
    """Standard deviation over the mean of several runs, the mean over K."""
    return float(np.mean([np.std([r[x] for r in rows], ddof=1) /
                          np.mean([r[x] for r in rows])
                          for rows in runs.values()]))


def percent(x, sign=''):
    return f'{100 * x:{sign}.1f} %'


def summaries(name, found, runs):
    """Rows for the two tables that a page begins with."""
    for way in SHORTER:
        part, whole = speedups(found, way)
        yield 0, [name, way, *(percent(loss(found, way, x), '+')
                               for x in BETTER),
                  f'{min(part):.0f} to {max(part):.0f}',
                  f'{min(whole):.1f} to {max(whole):.1f}']
    for way, rows in runs.items():
        yield 1, [name, way, *(percent(spread(rows, x)) for x in BETTER)]


def judge(name, found):
    for way in SHORTER:
        for x in BETTER:
            worse = loss(found, way, x)
            yield worse <= LOSS, (f'{name}: {NAMES[x][0]} of {way} is '
                                  f'{percent(worse)} worse than AP\'s, at most '
                                  f'{percent(LOSS)}')
            far, palm = distance(found, way, x), distance(found, 'PALM', x)
            yield far <= max(palm, UNSEEN), (
                f'{name}: {NAMES[x][0]} of {way} is {percent(far)} of the '
                f'panel\'s height from AP\'s, PALM\'s {percent(palm)}')


def judge_runs(name, way, runs):
    for x in BETTER:
        own = spread(runs, x)
        yield own <= VARIANCE, (
            f'{name}: {NAMES[x][0]} of {way} varies by {percent(own)} over '
            f'{len(SEEDS)} seeds, at most {percent(VARIANCE)}')


def judge_times(name, found):
    for way in SHORTER:
        part, _ = speedups(found, way)
        words = min(row['words'] for row in found['AP'].values())
        yield words < WORDS or min(part) >= FASTER, (
            f'{name}: {way} is {min(part):.0f} to {max(part):.0f} times as '
            f'fast as AP, at least {FASTER} times from {WORDS} words on')


def rectification(options, page):
    """Do ENN and LR-JSMF find the topics of alternating projection, and faster?

    Figure 3 of On-the-Fly Rectification. The papers' co-occurrence of the
    5,000 words with the highest tf-idf (poliblog has 2,632) is rectified as a
    whole by alternating projection (AP), by ENN, by PALM, and not at all
    ("none"). LR-JSMF rectifies eigenpairs from a sketch by ENN: from one pass,
    or with one power iteration more (LR-JSMF + 1), means of three seeds. From
    there on all are alike: pivoted QR, least squares, topic co-occurrence from
    the anchors' diagonal. `kedge eval` compares with the co-occurrence before
    rectification.

    The paper says that ENN and LR-JSMF agree with AP without visible loss,
    that LR-JSMF varies very little between runs, and that PALM is slightly
    inconsistent. Bars: no measure is more than 5 % worse than AP's on average
    over K; each line is nearer to AP's than PALM's is, or within 2 % of the
    panel's height; seeds differ by at most 5 %; rectification is at least 10
    times as fast as AP's for every K from 5,000 words on.

    Caveats:
    - The machine was shared: read the times as ratios.
    - AP starts each iteration from the last one and stops when it has settled,
      after 4 to 6 iterations. A plain AP of 150 iterations takes far longer.
    - ENN and AP have both become faster since this page was made: papers.md
      has the later ratios.

    Columns:
    - First table: by how many percent a measure is worse than AP's, the mean
      over K; negative is better. Speedup: AP's seconds over those of this
      method, smallest and largest over K.
    - Second table: standard deviation over the mean of three seeds.
    """
    legend(page, (*BETTER, *TIMES))
    tables = [], []
    for name in options.corpora.split(','):
        found, runs = fitted(options, name)
        measures = (*BETTER, *TIMES)
        for which, row in summaries(name, found, runs):
            tables[which].append(row)
        page.front(summary(*tables))
        tell(page, f'{name}, all figures', found, measures, 'K')
        chart(page, f'papers-rectification-{name}', found, measures)
        page.verdicts([*judge(name, found), *judge_times(name, found),
                       *(bar for way, rows in runs.items()
                         for bar in judge_runs(name, way, rows))])


def summary(worse, varied):
    return '\n\n'.join([
        '## Worse than AP, and faster',
        lay(['corpus', 'method', *titles(BETTER), 'rectify speedup',
             'fit speedup'], worse),
        '## Variation between seeds',
        lay(['corpus', 'method', *titles(BETTER)], varied)])


def vocabulary(options, page):
    """Does LR-JSMF get better with more words?

    Figure 4 of On-the-Fly Rectification: LR-JSMF with ENN from one pass, over
    a growing vocabulary, rare words included (--min-df 1). The paper says that
    recovery gets better, that the volume grows and that first words get more
    coherent. Bars: the largest vocabulary is better than the smallest.

    Caveats:
    - One seed, on a shared machine.
    - Where a topic has a few words only, topics are no basis and have no
      volume: these cells are empty.

    Columns:
    - First table: the smallest and the largest vocabulary.
    """
    measures = (*OF_WORDS, 'relative_error', *TIMES)
    legend(page, measures)
    for name in options.large.split(','):
        case = Case(options, name)
        found = {f'K = {k}': {n: case.measured(k, n, *SHORT, '--min-df', 1)
                              for n in options.words} for k in options.topics}
        case.close()
        few, many = options.words[0], options.words[-1]
        page.add(f'## {name}, {few:,} to {many:,} words')
        page.table(['topics', *titles(measures)],
                   [[way, *(f'{show(rows[few][x])} to {show(rows[many][x])}'
                            for x in measures)]
                    for way, rows in found.items()])
        tell(page, f'{name}, all figures', found, measures, 'words',
             'topics')
        chart(page, f'papers-vocabulary-{name}', found, measures)
        page.verdicts(judge_words(name, found, options.words))


def judge_words(name, found, words):
    few, many = words[0], words[-1]
    for k, rows in found.items():
        for x, way in OF_WORDS.items():
            if rows[few][x] is None or rows[many][x] is None:
                continue    # topics that are no basis have no volume
            yield rows[many][x] * way > rows[few][x] * way, (
                f'{name}, {k}: {NAMES[x][0]} {rows[few][x]:.3f} with {few} '
                f'words, {rows[many][x]:.3f} with {many}')


FIGURES = {'rectification': rectification, 'vocabulary': vocabulary}


def arguments(p):
    sheets.arguments(p, 'kos,ap,poliblog,newsgroups,acl', '5,10,25,50,75,100')
    p.add_argument('--large', default='acl',
                   help='corpora of `vocabulary`')
    p.add_argument('--words', type=numbers,
                   default='5000,10000,20000,40000,60000')
