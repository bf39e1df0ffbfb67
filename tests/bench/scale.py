#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How cost grows, and what corpora would cost that are not at hand.

'kedge bench scale' measures ingest, fit and infer along each axis; exponents
stand beside those foretold. From all runs together the terms of the cost are
found, as growth.c has them (least squares of relative errors, no term below
nothing), and of these a table for English Wikipedia, PubMed and a crawl of ten
billion documents. Runs are kept in --work, as they take an hour; the page and
its charts are written anew each time. --quick takes a minute, for a try.
"""
import math
import os
import sys
from collections import namedtuple

import numpy
from scipy.optimize import nnls

from common import HERE, ROOT, answer, begin, kedge, kept, parser, place

sys.path.insert(0, os.path.join(ROOT, 'tests', 'experiments'))
import plots  # noqa: E402

# Documents of another length: what each of them costs, and what each of its
# words, is not told apart by one.
PUBMED = 'documents like PubMed'

# What is measured, and what stays as it is meanwhile.
LARGE = ({'documents': [20000 << i for i in range(6)],
          PUBMED: [80000 << i for i in range(5)],
          'vocabulary': [6250 << i for i in range(6)],
          'topics': [10 << i for i in range(5)],
          'width': [250 << i for i in range(5)]},
         {'documents': 50000, 'vocabulary': 50000, 'topics': 25,
          'sketch': 1000})
QUICK = ({'documents': [500 << i for i in range(4)],
          PUBMED: [2000 << i for i in range(3)],
          'vocabulary': [500 << i for i in range(4)],
          'topics': [4 << i for i in range(3)],
          'width': [100 << i for i in range(3)]},
         {'documents': 1000, 'vocabulary': 2000, 'topics': 5, 'sketch': 200})

Job = namedtuple('Job', 'documents nonzeros vocabulary topics width')
Cost = namedtuple('Cost', 'name unit terms')

TARGETS = (
    ('NYTimes', Job(300e3, 69.7e6, 102660, 100, 1000),
     'as made by `kedge bench corpus`'),
    ('PubMed', Job(8.2e6, 483e6, 141043, 100, 1000),
     'as made by `kedge bench corpus --shape pubmed`'),
    ('English Wikipedia', Job(6.9e6, 6.9e6 * 232, 200e3, 100, 1000),
     'articles like those of the New York Times, 3,000,000 words cut to '
     '200,000; to cut texts into words is not in it'),
    ('a crawl', Job(1e10, 1e10 * 59, 500e3, 100, 1000),
     'ten billion pages like abstracts, 500,000 words'),
)


def rows(j):
    """Of Y, that ENN takes."""
    return min(j.vocabulary, 10 * j.topics + 1000)


# The terms of growth.c; 1 is what does not grow.
COSTS = (
    Cost('ingest', 's', lambda j: (1, j.documents, j.nonzeros,
                                   j.nonzeros * j.width,
                                   j.vocabulary * j.width)),
    Cost('spectrum', 's', lambda j: (1, j.vocabulary * j.width ** 2,
                                     j.width ** 3,
                                     j.vocabulary * j.width * j.topics)),
    Cost('rectify', 's', lambda j: (1, rows(j) * j.vocabulary * j.topics,
                                    j.vocabulary * j.topics)),
    Cost('topics', 's', lambda j: (1, j.vocabulary * j.topics,
                                   j.vocabulary * j.topics ** 2)),
    Cost('infer', 's', lambda j: (1, j.documents, j.nonzeros,
                                  j.nonzeros * j.topics,
                                  j.vocabulary * j.topics)),
    # some thousand documents at a time
    Cost('ingest memory', 'B', lambda j: (1, j.vocabulary,
                                          j.vocabulary * j.width,
                                          min(j.nonzeros, 5e6))),
    Cost('fit memory', 'B', lambda j: (1, j.vocabulary,
                                       j.vocabulary * j.topics,
                                       j.width ** 2)),
    Cost('infer memory', 'B', lambda j: (1, j.vocabulary,
                                         j.vocabulary * j.topics)),
    Cost('store', 'B', lambda j: (j.documents, j.nonzeros,
                                  j.vocabulary * j.width,
                                  j.vocabulary * j.topics)),
)


# ---- measuring --------------------------------------------------------------

def measure(options, axis, values, fixed):
    """What 'kedge bench scale' tells of an axis."""
    fixed = {name: value for name, value in fixed.items()
             if name != {'width': 'sketch', PUBMED: 'documents'}.get(axis,
                                                                     axis)}
    if axis == 'topics':  # room for the most, in all runs
        fixed['sketch'] = max(fixed['sketch'], 10 * max(values))
    if axis == 'width':
        fixed['topics'] = min(fixed['topics'], min(values) // 10)
    told = [word for name, value in fixed.items()
            for word in (f'--{name}', value)]
    if axis == PUBMED:
        told += ['--shape', 'pubmed']
    print(f'# {axis}: {values}', flush=True)
    return answer(kedge(options, 'bench', 'scale', '--axis',
                        axis.partition(' ')[0], '--values',
                        ','.join(map(str, values)), '--memory', options.memory,
                        '--folder', options.work, '--format', 'json', '-q',
                        *told))


def measure_all(options):
    """{axis: answer}, as it was kept or anew."""
    series, fixed = QUICK if options.quick else LARGE
    kind = 'quick' if options.quick else 'large'
    threads = [1 << i for i in range((os.cpu_count() or 1).bit_length())]
    series = dict(series, threads=threads)
    axes = options.axes.split(',')
    unknown = set(axes) - set(series)
    if unknown:
        sys.exit(f'no such axis: {", ".join(sorted(unknown))}')
    return {axis: kept(place(options, f'scale-{kind}-'
                                      f'{axis.replace(" ", "-")}.json'),
                       lambda a=axis: measure(options, a, series[a], fixed))
            for axis in axes}


# ---- the cost ---------------------------------------------------------------

def job(run):
    """Words that do not occur cost next to nothing."""
    return Job(run['documents'], run['nonzeros'], run['words'], run['topics'],
               run['width'])


def measured(run, cost):
    """What a run took of a cost."""
    if cost.name == 'store':
        return run['store']
    stages = {s['stage']: s for s in run['stages']}
    name, _, memory = cost.name.partition(' ')
    return stages[name]['memory' if memory else 'seconds']


def usable(found):
    """Runs with as many threads as were usual."""
    for axis, told in found.items():
        for run in told['runs']:
            if axis != 'threads':
                yield run


def learn(runs, cost):
    """(coefficients of the terms, the largest relative errors of the runs)"""
    x = numpy.array([cost.terms(job(run)) for run in runs], float)
    y = numpy.array([measured(run, cost) for run in runs], float)
    x /= y[:, None]
    scale = numpy.linalg.norm(x, axis=0)
    found = nnls(x / scale, numpy.ones(len(y)))[0] / scale
    return found, numpy.abs(x @ found - 1)


def foretell(learned, j):
    """{name: cost} of a job."""
    return {cost.name: float(numpy.dot(learned[cost.name][0], cost.terms(j)))
            for cost in COSTS}


# ---- the page ---------------------------------------------------------------

def time_of(seconds):
    for size, unit in ((86400, 'days'), (3600, 'h'), (60, 'min')):
        if seconds >= 1.5 * size:
            return f'{seconds / size:.3g} {unit}'
    return f'{seconds:.2g} s'


def bytes_of(size):
    for power, unit in ((4, 'TB'), (3, 'GB'), (2, 'MB')):
        if size >= 1000 ** power:
            return f'{size / 1000 ** power:.3g} {unit}'
    return f'{size / 1000:.3g} kB'


def table(head, lines):
    yield '| ' + ' | '.join(head) + ' |'
    yield '|' + '---|' * len(head)
    for line in lines:
        yield '| ' + ' | '.join(map(str, line)) + ' |'
    yield ''


def exponent(x):
    return '-' if x is None else f'{x:.2f}'


def foretold(g):
    least, most = g['foretold_least'], g['foretold_most']
    return f'{most:g}' if least == most else f'{least:g} to {most:g}'


def stage_table(told):
    """A line for each size: seconds and their shares, memory, store."""
    for run in told['runs']:
        stages = {s['stage']: s for s in run['stages']}
        whole = sum(stages[s]['seconds'] for s in ('ingest', 'fit', 'infer'))
        yield [f'{run[told["axis"]]:,}', f'{run["nonzeros"]:,}',
               f'{run["words"]:,}',
               *(f'{stages[s]["seconds"]:.2f} '
                 f'({100 * stages[s]["seconds"] / whole:.0f} %)'
                 for s in ('ingest', 'spectrum', 'rectify', 'topics',
                           'infer')),
               *(bytes_of(stages[s]['memory'])
                 for s in ('ingest', 'fit', 'infer')),
               bytes_of(run['store'])]


def axis_part(heading, told):
    last, axis = told['runs'][-1], told['axis']
    yield f'## {heading}'
    yield ''
    yield ('Others in the last run: ' +
           ', '.join(f'{last[name]:,} {name}' for name in
                     ('documents', 'vocabulary', 'topics', 'width', 'threads')
                     if name != axis) + '.')
    yield ''
    yield from table([axis, 'non-zeros', 'words', 'ingest', 'spectrum',
                      'rectify', 'topics', 'infer', 'ingest', 'fit', 'infer',
                      'store'],
                     stage_table(told))
    yield from table(['stage', 'of', 'exponent', 'of the two largest',
                      'foretold'],
                     ([g['stage'], g['quantity'], exponent(g['exponent']),
                       exponent(g['exponent_of_largest']), foretold(g)]
                      for g in told['growth']))


COST_OF_MEMORY = ('ingest memory', 'fit memory', 'infer memory')


def target_table(learned):
    for name, j, _ in TARGETS:
        cost = foretell(learned, j)
        fit = sum(cost[s] for s in ('spectrum', 'rectify', 'topics'))
        yield [name, f'{j.documents:,.0f}', f'{j.nonzeros:,.0f}',
               f'{j.vocabulary:,.0f}', time_of(cost['ingest']), time_of(fit),
               time_of(cost['infer']),
               bytes_of(max(cost[s] for s in COST_OF_MEMORY)),
               bytes_of(cost['store'])]


def predictor_part(learned):
    yield '## What others would cost'
    yield ''
    yield ('100 topics, a sketch of 1,000 columns, on this machine with all '
           'its cores, by the terms below; a sketch that has no room in '
           '`--memory` lies in a file and is slower than that.')
    yield ''
    yield from table(['corpus', 'documents', 'non-zeros', 'words', 'ingest',
                      'fit', 'infer', 'memory', 'store'],
                     target_table(learned))
    for name, _, how in TARGETS:
        yield f'- {name}: {how}.'
    yield ''
    yield ('How far the terms are from the runs that they were found from; '
           'what is a hundred times larger than any of these may be farther '
           'off.')
    yield ''
    yield from table(['cost', 'coefficients', 'median', 'worst'],
                     ([cost.name,
                       ', '.join(f'{c:.3g}' for c in learned[cost.name][0]),
                       f'{100 * numpy.median(learned[cost.name][1]):.0f} %',
                       f'{100 * learned[cost.name][1].max():.0f} %']
                      for cost in COSTS))


def page(found, learned, charts):
    first = next(iter(found.values()))
    yield '# How cost grows'
    yield ''
    yield (f'By `tests/bench/scale.py`: kedge {first["kedge"]}, '
           f'{first["processors"]} processors, corpora of `kedge bench '
           'corpus`, like the New York Times where nothing is said. Seconds '
           'have the share of all in brackets; memory is at its peak.')
    yield ''
    if charts:
        yield f'![Each cost along each axis]({charts})'
        yield ''
    for axis, told in found.items():
        yield from axis_part(axis, told)
    if learned:
        yield from predictor_part(learned)


def panels(found):
    """Seconds along each axis, in doublings of the first."""
    stages = ('ingest', 'fit', 'infer')
    for heading, told in found.items():
        lines = {stage: [] for stage in stages}
        first = told['runs'][0][told['axis']]
        for run in told['runs']:
            x = math.log2(run[told['axis']] / first)
            for s in run['stages']:
                if s['stage'] in lines:
                    lines[s['stage']].append((x, s['seconds']))
        yield plots.Panel(f'{heading}, doublings of {first:,}', lines, stages,
                          log=True)


def write(path, text):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def main():
    p = parser(__doc__)
    p.add_argument('--quick', action='store_true', help='small sizes')
    p.add_argument('--axes', default=f'documents,{PUBMED},vocabulary,topics,'
                                     'width,threads')
    p.add_argument('--memory', default='4G', help='of each program')
    p.add_argument('--page', help='where it goes; default: results/scale.md, '
                                  'or standard output with --quick')
    options = begin(p)
    if options.page is None and not options.quick:
        options.page = os.path.join(HERE, 'results', 'scale.md')
    found = measure_all(options)
    runs = list(usable(found))
    learned = {cost.name: learn(runs, cost) for cost in COSTS} if runs else {}
    if options.page is None:
        print('\n'.join(page(found, learned, None)))
        return
    os.makedirs(os.path.dirname(os.path.abspath(options.page)), exist_ok=True)
    charts = os.path.splitext(options.page)[0] + '.svg'
    write(charts, plots.draw(list(panels(found)), ('ingest', 'fit', 'infer')))
    write(options.page, '\n'.join(page(found, learned,
                                       os.path.basename(charts))).rstrip() +
          '\n')


if __name__ == '__main__':
    main()
