#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How do time, memory and disk grow, and what would a larger corpus cost?

axis.py measures ingest, fit and infer along one axis at a time, and mpirun
ingest with one and with two processes. The terms of each cost are fitted to all
runs (least squares of relative errors, no term below zero), and predict the
cost of three corpora on 1, 16 and 1,024 machines. Whole jobs of large.py, in
the same --work, are compared with the prediction; the terms are not fitted to
them. Runs are kept in --work, as they take half an hour; the page and its
charts are written each time. --quick takes a minute, for a try.
"""
import json
import math
import os
import shutil
import sys
from collections import namedtuple

import numpy
from scipy.optimize import nnls

from common import (HERE, NO_ANSWER, ROOT, answer, begin, compose, end, kedge,
                    kept, load, made, made_by, parser, place, remove, run,
                    verdict)

sys.path.insert(0, os.path.join(ROOT, 'tests', 'experiments'))
import plots  # noqa: E402

# Documents of another length separate the cost of a document from that of its
# words. These are as many as fit into half an hour.
PUBMED = 'documents like PubMed'

# What is measured, and what is fixed meanwhile: on all axes, or on one.
Series = namedtuple('Series', 'axes fixed own')
LARGE = Series({'documents': [20000 << i for i in range(6)],
                PUBMED: [500000 << i for i in range(4)],
                'vocabulary': [6250 << i for i in range(6)],
                'topics': [10 << i for i in range(5)],
                'width': [250 << i for i in range(5)]},
               {'documents': 50000, 'vocabulary': 50000, 'topics': 25,
                'width': 1000},
               {PUBMED: {'vocabulary': 141043, 'topics': 100}})
QUICK = Series({'documents': [500 << i for i in range(4)],
                PUBMED: [2000 << i for i in range(3)],
                'vocabulary': [500 << i for i in range(4)],
                'topics': [4 << i for i in range(3)],
                'width': [100 << i for i in range(3)]},
               {'documents': 1000, 'vocabulary': 2000, 'topics': 5,
                'width': 200}, {})

Job = namedtuple('Job', 'documents nonzeros vocabulary topics width')
Cost = namedtuple('Cost', 'name unit terms')

# Machines like this one for 'mpirun kedge'; ROW_RANKS of them at most hold rows
# in fit.
MACHINES = (1, 16, 1024)
ROW_RANKS = 16
LINE = 1.25e9  # bytes a second that a machine receives: 10 Gbit/s

NYTIMES = Job(300e3, 69.7e6, 102660, 100, 1000)
WHOLE_PUBMED = Job(8.2e6, 483e6, 141043, 100, 1000)
TARGETS = (
    ('English Wikipedia', Job(6.9e6, 6.9e6 * 232, 200e3, 100, 1000),
     'articles like those of the New York Times, 3,000,000 words cut to '
     '200,000; without tokenizing'),
    ('PubMed', WHOLE_PUBMED, 'as made by `corpus --shape pubmed`'),
    ('a crawl', Job(1e10, 1e10 * 59, 500e3, 100, 1000),
     'ten billion pages like abstracts, 500,000 words. The sums of the sketch '
     'have 64 bits, enough for words in up to some 1,000,000,000 documents: '
     'leave more frequent words out, or ingest stops'),
)
# Jobs of large.py, by its names.
WHOLE = (('nytimes', NYTIMES), ('pubmed', WHOLE_PUBMED))


def rows(j):
    """Of Y, that ENN takes."""
    return min(j.vocabulary, 10 * j.topics + 1000)


# 1 is what does not grow.
COSTS = (
    Cost('ingest', 's', lambda j: (1, j.documents, j.nonzeros,
                                   j.nonzeros * j.width,
                                   j.vocabulary * j.width)),
    Cost('spectrum', 's', lambda j: (1, j.vocabulary * j.width ** 2,
                                     j.width ** 3,
                                     j.vocabulary * j.width * j.topics)),
    # of an iteration
    Cost('rectify', 's', lambda j: (1, rows(j) * j.vocabulary * j.topics,
                                    j.vocabulary * j.topics ** 2)),
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

def measure(options, axis, series):
    """What axis.py prints."""
    values = series.axes[axis]
    fixed = dict(series.fixed, threads=os.cpu_count(),
                 **series.own.get(axis, {}))
    if axis == 'topics':  # room for the most, in all runs
        fixed['width'] = max(fixed['width'], 10 * max(values))
    if axis == 'width':
        fixed['topics'] = min(fixed['topics'], min(values) // 10)
    print(f'# {axis}: {values}, load {load()}', flush=True)
    return answer(run([
        sys.executable, os.path.join(HERE, 'axis.py'), '--program',
        options.program, '--work', options.work, '--memory', options.memory,
        '--shape', 'pubmed' if axis == PUBMED else 'nytimes', '--axis',
        axis.partition(' ')[0], *(f'--{name}={value}'
                                  for name, value in fixed.items()),
        *map(str, values)]))


def measure_all(options):
    """{axis: answer}, kept or measured."""
    series = QUICK if options.quick else LARGE
    kind = 'quick' if options.quick else 'large'
    threads = [1 << i for i in range((os.cpu_count() or 1).bit_length())]
    series.axes['threads'] = threads
    axes = options.axes.split(',')
    unknown = set(axes) - set(series.axes)
    if unknown:
        sys.exit(f'no such axis: {", ".join(sorted(unknown))}')
    return {axis: kept(place(options, f'scale-{kind}-'
                                      f'{axis.replace(" ", "-")}.json'),
                       lambda a=axis: measure(options, a, series))
            for axis in axes}


def measure_fixed(options):
    """What ingest takes of next to no documents, with PubMed's vocabulary."""
    words, file, store = (place(options, f'scale-fixed.{x}')
                          for x in ('words', 'ldac', 'store'))
    made(options, words, '--shape', 'pubmed', '--words')
    made(options, file, '--shape', 'pubmed', '-d', 100)
    put = kedge(options, 'ingest', store, file, '--from', 'ldac', '--vocab',
                words, '--sketch-size', LARGE.fixed['width'], '--memory',
                options.memory, '-q')
    for path in (words, file, store):
        remove(path)
    return {'processor': put.cpu, 'memory': put.rss}


SHARDS = 8
RANKED = 800000  # documents


def make_shards(options, documents):
    """Files of abstracts, in a folder, and their words."""
    folder = place(options, 'scale-shards')
    remove(folder)
    os.makedirs(folder)
    words = made(options, os.path.join(folder, 'words'), '--shape', 'pubmed',
                 '--words')
    for i in range(SHARDS):
        made(options, os.path.join(folder, f'{i}.ldac'), '--shape', 'pubmed',
             '-d', documents // SHARDS, '--first',
             1 + i * (documents // SHARDS))
    return folder, words


def ingest_by_ranks(options, folder, words, ranks):
    stores = place(options, 'scale-ranks')
    remove(stores)
    os.makedirs(stores)
    told = run(['mpirun', '--allow-run-as-root', '--oversubscribe', '-n',
                str(ranks), options.program, 'ingest',
                os.path.join(stores, 'store'),
                *(os.path.join(folder, f'{i}.ldac') for i in range(SHARDS)),
                '--from', 'ldac', '--vocab', words, '--sketch-size', '1000',
                '--threads', '1', '--memory', options.memory, '-q'])
    remove(stores)
    return {'ranks': ranks, 'seconds': told.seconds, 'processor': told.cpu,
            'load': load()}


def measure_ranks(options):
    """Ingest by one process and by two, of one thread each."""
    documents = RANKED
    folder, words = make_shards(options, documents)
    told = {'documents': documents,
            'runs': [ingest_by_ranks(options, folder, words, n)
                     for n in (1, 2)]}
    remove(folder)
    return told


def ranked(options):
    if options.quick or shutil.which('mpirun') is None:
        return None
    return kept(place(options, 'scale-large-ranks.json'),
                lambda: measure_ranks(options))


# ---- the cost ---------------------------------------------------------------

PARTS = ('spectrum', 'rectify', 'topics')


def processor(stages, name):
    """Seconds of all processors; of a part of fit, its share of the time."""
    if name not in PARTS:
        return stages[name]['processor']
    whole = sum(stages[part]['seconds'] for part in PARTS)
    return stages['fit']['processor'] * stages[name]['seconds'] / whole


def job(run):
    """The size of a run; words that do not occur cost next to nothing."""
    return Job(run['documents'], run['nonzeros'], run['words'], run['topics'],
               run['width'])


def measured(run, cost):
    """What a run took of a cost."""
    if cost.name == 'store':
        return run['store']
    stages = {s['stage']: s for s in run['stages']}
    name, _, memory = cost.name.partition(' ')
    if memory:
        return stages[name]['memory']
    return processor(stages, name) / (run['rounds'] if name == 'rectify'
                                      else 1)


def usable(found):
    """Runs with the usual number of threads."""
    for axis, told in found.items():
        for run_ in told['runs']:
            if axis != 'threads':
                yield run_


def learn(runs, cost):
    """(coefficients of the terms, relative errors of the runs). Earlier
    programs did not report their iterations of rectification."""
    if cost.name == 'rectify':
        runs = [run_ for run_ in runs if 'rounds' in run_]
    x = numpy.array([cost.terms(job(run)) for run in runs], float)
    y = numpy.array([measured(run, cost) for run in runs], float)
    x /= y[:, None]
    scale = numpy.linalg.norm(x, axis=0)
    found = nnls(x / scale, numpy.ones(len(y)))[0] / scale
    return found, numpy.abs(x @ found - 1)


ITERATIONS = 5  # default iterations of rectification, at most


def predict(learned, j, iterations=ITERATIONS):
    """{name: cost} of a job."""
    told = {cost.name: float(numpy.dot(learned[cost.name][0], cost.terms(j)))
            for cost in COSTS}
    told['rectify'] *= iterations
    return told


# ---- several machines -------------------------------------------------------

PRODUCTS = 5  # of the rectified rows with K columns, in an iteration, about
LANE = 16      # columns of negatives are padded to a multiple of this


def travelling_sums(j):
    """Numbers of 8 bytes that each machine but one sends and receives, as sums
    go from one to the next: as ranks.py predicts them."""
    k, picked, width = j.topics, rows(j), j.width
    padded = -(-k // LANE) * LANE
    spectrum = width * (width + 1) + j.vocabulary + k
    steps = ITERATIONS * (2 * picked + picked * k / 2 + 3 + k + 2 * k * k)
    products = ITERATIONS * PRODUCTS * (k + 1.5 * picked * padded + 4 * k * k)
    return spectrum + k + steps + products


def network(j, machines):
    """Bytes that come over the network: in all, and to the machine that
    receives most. Of 'mpirun kedge fit' alone: ingest sends tickets, infer
    nothing. Rows of the sketches go to whoever has them, and are added up;
    sums go from one to the next, and to all; topics to the first machine."""
    if machines == 1:
        return 0, 0
    having, others = min(machines, ROW_RANKS), machines - 1
    sketches = others * j.vocabulary * (1 + j.width)
    sums = travelling_sums(j)
    topics = (1 - 1 / having) * j.vocabulary * j.topics
    return (8 * (sketches + 2 * others * sums + topics),
            8 * (sketches / having + 2 * sums + topics))


def dealt(learned, j, machines):
    """{name: cost} of one of so many machines: documents are dealt to all, rows
    of the words to ROW_RANKS at most."""
    having = min(machines, ROW_RANKS)
    part = predict(learned, j._replace(documents=j.documents / machines,
                                        nonzeros=j.nonzeros / machines))
    some = predict(learned, j._replace(vocabulary=j.vocabulary / having))
    part.update({name: some[name] for name in (*PARTS, 'fit memory')})
    return part


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


# By which power a cost grows, as the method predicts: a number, or a range
# where two terms are of one size for long. All else does not grow.
PREDICTED = {
    'documents': {'corpus': '1', 'ingest': '1', 'infer': '1',
                  'store': '0 to 1'},
    'vocabulary': {'ingest': '0 to 1', 'ingest memory': '0 to 1',
                   'fit': '0 to 1', 'fit memory': '0 to 1',
                   'spectrum': '0 to 1', 'rectify': '1', 'topics': '1',
                   'infer': '0 to 1', 'infer memory': '0 to 1',
                   'store': '0 to 1'},
    'topics': {'fit': '0 to 2', 'fit memory': '0 to 1', 'spectrum': '0 to 1',
               'rectify': '1 to 2', 'topics': '1 to 2', 'infer': '0 to 1',
               'infer memory': '0 to 1', 'store': '0 to 1'},
    'width': {'ingest': '0 to 1', 'ingest memory': '0 to 1', 'fit': '0 to 3',
              'fit memory': '0 to 2', 'spectrum': '2 to 3', 'store': '0 to 1'},
    # seconds are of processors
    'threads': {'ingest memory': '0 to 1', 'fit memory': '0 to 1',
                'infer memory': '0 to 1'},
}


STAGES = ('ingest', 'spectrum', 'rectify', 'topics', 'infer')


def stage_table(told):
    """A line for each size: seconds and their shares, memory, store."""
    for run_ in told['runs']:
        stages = {s['stage']: s for s in run_['stages']}
        took = [processor(stages, s) for s in STAGES]
        yield [f'{run_[told["axis"]]:,}', f'{run_["nonzeros"]:,}',
               f'{run_["words"]:,}',
               *(f'{t:.2f} ({100 * t / sum(took):.0f} %)' for t in took),
               *(bytes_of(stages[s]['memory'])
                 for s in ('ingest', 'fit', 'infer')),
               bytes_of(run_['store'])]


def slope(points):
    """The exponent of y ~ x^e."""
    x, y = numpy.log(numpy.array(points, float)).T
    return float(numpy.polyfit(x, y, 1)[0]) if len(x) > 1 else None


TITLES = {'width': 'sketch size'}


GROWN = ('corpus', 'corpus memory', 'ingest', 'ingest memory', 'store', 'fit',
         'fit memory', *PARTS, 'infer', 'infer memory')


def growth(told):
    """{cost: [exponent over all sizes, over the largest two, predicted]}. Words
    that do not occur have room in the sketch and are no part of a model."""
    axis, found = told['axis'], {}
    for cost in GROWN:
        name, _, memory = cost.partition(' ')
        fitted = name in ('fit', *PARTS, 'infer')
        of = 'words' if axis == 'vocabulary' and fitted else axis
        points = []
        for run_ in told['runs']:
            stages = {s['stage']: s for s in run_['stages']}
            points.append((run_[of], run_['store'] if name == 'store' else
                           stages[name]['memory'] if memory else
                           processor(stages, name)))
        found[cost] = [exponent(slope(points)), exponent(slope(points[-2:])),
                       PREDICTED[axis].get(cost, '0')]
    return found


def growth_part(found):
    """A line for each cost, a column for each axis."""
    grown = {TITLES.get(axis, axis): growth(told)
             for axis, told in found.items()}
    yield '## Exponents'
    yield ''
    yield from table(['cost', *grown],
                     ([cost, *(' / '.join(one[cost])
                               for one in grown.values())] for cost in GROWN))


def axis_part(heading, told):
    last, axis = told['runs'][-1], told['axis']
    yield f'### {TITLES.get(heading, heading)}'
    yield ''
    yield 'Fixed: ' + ', '.join(
        f'{last[name]:,} {unit}' for name, unit in (
            ('documents', 'documents'), ('vocabulary', 'words at most'),
            ('topics', 'topics'), ('width', 'columns'),
            ('threads', 'threads')) if name != axis) + '.'
    yield ''
    yield from table([TITLES.get(axis, axis), 'non-zeros', 'words',
                      *(f'{stage} s' for stage in STAGES), 'ingest memory',
                      'fit memory', 'infer memory', 'store'],
                     stage_table(told))


def ranks_part(told):
    yield '### Processes'
    yield ''
    yield (f'`mpirun kedge ingest` of {told["documents"]:,} documents like '
           f'PubMed in {SHARDS} files, 1,000 columns, one thread each, all on '
           'this machine.')
    yield ''
    yield from table(['processes', 'seconds', 'processor s', 'load'],
                     ([r['ranks'], f'{r["seconds"]:.1f}',
                       f'{r["processor"]:.1f}', r['load']]
                      for r in told['runs']))


def as_documents_grow(told, whole):
    """[(documents, words, {stage: (processor, memory)})], the whole job of
    PubMed's shape with them where it was measured."""
    for r in told['runs']:
        yield (r['documents'], r['words'],
               {s['stage']: (s['processor'], s['memory'])
                for s in r['stages'] if s['stage'] in ('ingest', 'infer')})
    if 'pubmed' in whole:
        found = whole['pubmed']
        yield (found['job']['documents'], found['words'],
               {s['name']: (s['processor'], s['memory'])
                for s in found['stages'] if s['name'] in ('ingest', 'infer')})


def linear_lines(points, fixed):
    for documents, words, took in points:
        (put, put_memory), (composed, infer_memory) = (took['ingest'],
                                                       took['infer'])
        yield [f'{documents:,}', f'{words:,}', f'{put:.1f}',
               f'{put - fixed:.1f}', f'{composed:.1f}', bytes_of(put_memory),
               bytes_of(infer_memory), f'{infer_memory / words:,.0f} B']


def linear_exponents(points, fixed):
    return {'ingest': slope([(d, t['ingest'][0]) for d, _, t in points]),
            'ingest without the constant':
            slope([(d, t['ingest'][0] - fixed) for d, _, t in points]),
            'infer': slope([(d, t['infer'][0]) for d, _, t in points])}


def linear_part(points, fixed):
    points, fixed = list(points), fixed['processor']
    yield '### Documents up to all of PubMed'
    yield ''
    yield (f'With next to no documents ingest takes {fixed:.1f} s, the '
           'constant cost of a sketch of 1,000 columns and 141,043 words. '
           'Infer needs memory for the words that occur. Exponents: ' +
           '; '.join(f'{name} {x:.3f}' for name, x in
                     linear_exponents(points, fixed).items()) + '.')
    yield ''
    yield from table(['documents', 'words', 'ingest s', 'without constant',
                      'infer s', 'ingest memory', 'infer memory', 'a word'],
                     linear_lines(points, fixed))


COST_OF_MEMORY = ('ingest memory', 'fit memory', 'infer memory')


def target_table(learned, processors, most):
    """`most`: non-zeros of the largest run."""
    for name, j, _ in TARGETS:
        for machines in MACHINES:
            cost = dealt(learned, j, machines)
            sent, received = network(j, machines)
            fit = sum(cost[s] for s in PARTS)
            yield [name, f'{machines:,}',
                   *(time_of(t / processors)
                     for t in (cost['ingest'], fit, cost['infer'])),
                   bytes_of(max(cost[s] for s in COST_OF_MEMORY)),
                   bytes_of(cost['store']),
                   bytes_of(sent) if sent else '-',
                   time_of(received / LINE) if sent else '-',
                   f'{j.nonzeros / most:.2g}']


def kept_whole(options):
    """{name: what large.py kept of the job}"""
    found = {}
    for name, _ in WHOLE:
        path = place(options, f'large-{name}.json')
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                found[name] = json.load(file)
    return found


def whole_table(learned, found):
    """Costs of whole jobs, predicted and measured."""
    for name, j in WHOLE:
        if name not in found:
            continue
        told = found[name]
        cost = predict(learned, j, told['rounds'])
        stages = {s['name']: s for s in told['stages']}
        took = [(s, 's', cost[s], stages[s]['processor']) for s in STAGES]
        took += [('memory', 'B', max(cost[s] for s in COST_OF_MEMORY),
                  max(s['memory'] for s in told['stages'])),
                 ('store', 'B', cost['store'], told['store'])]
        for what, unit, foreseen, real in took:
            shown = bytes_of if unit == 'B' else '{:.1f} s'.format
            yield [name, what, shown(foreseen), shown(real),
                   f'{foreseen / real:.2f}']


def whole_part(learned, found):
    if not found:
        return
    yield '## Predicted and measured'
    yield ''
    yield from table(['job', 'cost', 'predicted', 'measured',
                      'predicted / measured'], whole_table(learned, found))


def prediction_part(learned, processors, most):
    yield '## What larger corpora would cost'
    yield ''
    yield from table(['corpus', 'machines', 'ingest', 'fit', 'infer',
                      'memory', 'disk', 'network', 'receiving', 'larger'],
                     target_table(learned, processors, most))
    for name, j, how in TARGETS:
        yield (f'- {name}: {j.documents:,.0f} documents, {j.nonzeros:,.0f} '
               f'non-zeros, {j.vocabulary:,.0f} words; {how}.')


def terms_part(learned):
    yield '### Terms, and their relative errors on the runs'
    yield ''
    yield from table(['cost', 'coefficients', 'median', 'worst'],
                     ([cost.name,
                       ', '.join(f'{c:.3g}' for c in learned[cost.name][0]),
                       f'{100 * numpy.median(learned[cost.name][1]):.0f} %',
                       f'{100 * learned[cost.name][1].max():.0f} %']
                      for cost in COSTS))


CAVEATS = f"""\
- Corpora are generated by `corpus.c`: like the New York Times, or like PubMed
  where a table says so.
- Predictions for one machine are interpolated where "larger" is 1 or less; all
  others are extrapolated. Several machines were never measured. Predictions for
  corpora a hundred times larger than any run may be far off.
- A sketch that does not fit into `--memory` is kept in a file; that is slower
  than predicted.
- In fit, rows are divided between {ROW_RANKS} machines at most: more of them
  make it no faster.
- Seconds of processors are added up over threads. Those of the parts of fit are
  in proportion to their time by the clock."""
COLUMNS = f"""\
- Exponents: y grows as x to the power of this; over all sizes / over the two
  largest / predicted by the method.
- Costs are seconds of processors unless they say memory (at its peak) or store
  (bytes on disk). Parts of fit: spectrum, rectify, topics. corpus: the
  generator.
- ingest, fit, infer of the prediction: time of each machine; memory and disk of
  each machine, 100 topics, 1,000 columns.
- network: all that fit sends, nearly all of it sketches; ingest sends little
  and infer nothing. receiving: time of the machine that receives most, at 10
  Gbit/s, with {ITERATIONS} iterations of rectification.
- larger: non-zeros over those of the largest run.
- predicted: with the iterations of rectification that the job took.
- Appendix: percentages are shares of all seconds."""


def page(found, fixed, by_ranks, whole, charts, answer):
    first = next(iter(found.values()))
    runs = list(usable(found))
    question, method = __doc__.split('\n\n', 1)
    tables = [charts and f'![Each cost along each axis]({charts})']
    appendix = ['### Method\n\n' + method]
    if runs:
        learned = {cost.name: learn(runs, cost) for cost in COSTS}
        tables += map('\n'.join, (
            prediction_part(learned, first['processors'],
                            max(r['nonzeros'] for r in runs)),
            whole_part(learned, whole)))
    tables.append('\n'.join(growth_part(found)))
    appendix += ['\n'.join(axis_part(*one)) for one in found.items()]
    if fixed:
        appendix.append('\n'.join(linear_part(
            as_documents_grow(found[PUBMED], whole), fixed)))
    if by_ranks:
        appendix.append('\n'.join(ranks_part(by_ranks)))
    if runs:
        appendix.append('\n'.join(terms_part(learned)))
    appendix.append('### Run\n\n' + made_by('tests/bench/scale.py'))
    return compose(question, answer, CAVEATS, COLUMNS, tables, appendix)


def panels(found):
    """Seconds along each axis, in doublings of the first."""
    stages = ('ingest', 'fit', 'infer')
    for heading, told in found.items():
        lines = {stage: [] for stage in stages}
        first = told['runs'][0][told['axis']]
        for run_ in told['runs']:
            x = math.log2(run_[told['axis']] / first)
            for s in run_['stages']:
                if s['stage'] in lines:
                    lines[s['stage']].append((x, s['processor']))
        yield plots.Panel(f'{TITLES.get(heading, heading)}, doublings of '
                          f'{first:,}', lines, stages, log=True)


def write(path, text):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


FLAT = 1.05


def judge(points):
    """Memory does not follow the documents."""
    for stage in ('ingest', 'infer'):
        # for a word: more of them occur in more documents
        peaks = [took[stage][1] / (words if stage == 'infer' else 1)
                 for _, words, took in points]
        verdict(max(peaks) <= FLAT * peaks[0],
                f'{stage}: {max(peaks) / peaks[0]:.3f} times the memory of '
                f'the fewest documents, at most {FLAT}')


def main():
    p = parser(__doc__)
    p.add_argument('--quick', action='store_true', help='small sizes')
    p.add_argument('--axes', default=f'documents,{PUBMED},vocabulary,topics,'
                                     'width,threads')
    p.add_argument('--memory', default='4G', help='of each program')
    p.add_argument('--page', help='where it goes; default: results/scale.md, '
                                  'or standard output with --quick')
    p.add_argument('--answer', default=NO_ANSWER,
                   help='the answer of the page, written by hand')
    options = begin(p)
    if options.page is None and not options.quick:
        options.page = os.path.join(HERE, 'results', 'scale.md')
    found = measure_all(options)
    full = PUBMED in found and not options.quick
    fixed = kept(place(options, 'scale-large-fixed.json'),
                 lambda: measure_fixed(options)) if full else None
    whole = kept_whole(options)
    parts = found, fixed, ranked(options), whole
    if options.page is None:
        print(page(*parts, None, options.answer), end='')
        return
    os.makedirs(os.path.dirname(os.path.abspath(options.page)), exist_ok=True)
    charts = os.path.splitext(options.page)[0] + '.svg'
    write(charts, plots.draw(list(panels(found)), ('ingest', 'fit', 'infer')))
    write(options.page, page(*parts, os.path.basename(charts),
                             options.answer))
    if full:
        judge(list(as_documents_grow(found[PUBMED], whole)))
    end()


if __name__ == '__main__':
    main()
