#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long do whole jobs take, and how far is each stage from its limit?

ingest, fit and infer of generated corpora (corpus.c) that were compressed into
a file before: seconds by the clock and of processors, peak memory, bytes on
disk. The limit of a stage is measured in the same run, in seconds of one
processor: `zstd -dc` of the same file, the multiplications that the method
needs at the speed of dgemm (or sgemm, where it computes in floats), and what is
written at the speed of a copy in memory. Jobs:

- nytimes: 300,000 documents, 102,660 words, 70 million non-zeros; 100 topics.
- pubmed: 8,200,000 documents, 141,043 words, 483 million non-zeros; 100 topics,
  in 4 GB.
- documents: ingest of 500,000 to 8,200,000 documents like PubMed's.
- words: up to a million words that occur; 100 topics from a sketch of 320
  columns, the smallest one allowed, in 8 GB, two iterations of ENN, without
  infer.

Each is kept in --work as JSON, for the page and for scale.py.
"""
import json
import math
import os
import subprocess
import sys
import time
from collections import namedtuple

from common import (HERE, NO_ANSWER, Run, begin, built, compose, end, kept,
                    kedge, load, made, made_by, mib, parser, place, remove,
                    run, table, verdict)

Job = namedtuple('Job', 'shape documents vocabulary topics width memory')
JOBS = {
    'nytimes': Job('nytimes', 300000, 102660, 100, 1000, '4G'),
    'pubmed': Job('pubmed', 8200000, 141043, 100, 1000, '4G'),
}
WORDS = 'words'
SERIES = [Job('nytimes', documents, vocabulary, 100, 320, '8G')
          for documents, vocabulary in ((300000, 125000), (300000, 250000),
                                        (300000, 500000), (900000, 1050000))]
ITERATIONS = 2
LINEAR = (0.9, 1.1)
DOCUMENTS = 'documents'
SIZES = (500000, 1000000, 2000000, 4000000, 8200000)
LINEAR_DOCUMENTS = (0.95, 1.05)
FLAT = 1.05
Stage = namedtuple('Stage', 'name seconds processor memory limit of')

# Multiplications of the whole matrix of words and topics by a square one, of
# topics: rows and their products, anchors, two for topic co-occurrence, and a
# dozen steps of least squares.
SQUARES = 20
# Of infer: for a word, a topic and an iteration, two operations each for the
# word itself, the product, the sum over topics and that over words.
OF_WORD = 8
TICKS = os.sysconf('SC_CLK_TCK')


# ---- running ----------------------------------------------------------------

def worked(pid):
    """Seconds of processors so far, of a process that runs."""
    with open(f'/proc/{pid}/stat', encoding='ascii') as file:
        fields = file.read().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def follow(child, start):
    """[(stage, seconds, processor)] as each begins, by --progress json; and
    the rest of stderr."""
    begun, said, now = [('', 0, 0)], [], ''
    for line in child.stderr:
        if not line.startswith('{"kedge_progress"'):
            said.append(line)
            continue
        stage = json.loads(line)['stage']
        if stage != now:
            now = stage
            begun.append((now, time.perf_counter() - start,
                          worked(child.pid)))
    return begun, ''.join(said)


def watched(options, *arguments):
    """A kedge to its end: what it took, and {stage: (seconds, processor)}."""
    command = [options.program, *map(str, arguments), '--progress', 'json']
    start = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as child:
        begun, said = follow(child, start)
        out = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    result = Run(child.returncode, time.perf_counter() - start,
                 usage.ru_maxrss * 1024, out, said,
                 usage.ru_utime + usage.ru_stime)
    if result.code != 0:
        sys.exit(f'{said}exit code {result.code}')
    took = {}
    for (name, wall, cpu), (_, next_wall, next_cpu) in zip(
            begun, begun[1:] + [('', result.seconds, result.cpu)]):
        before = took.get(name, (0, 0))
        took[name] = (before[0] + next_wall - wall,
                      before[1] + next_cpu - cpu)
    return result, took


def corpus(options, job):
    """The files of a job, made before anything is timed."""
    name = f'{job.shape}-{job.documents}-{job.vocabulary}'
    file, words = (place(options, name + x) for x in ('.ldac.zst', '.words'))
    shape = ['--shape', job.shape, '-d', str(job.documents), '--vocabulary',
             str(job.vocabulary), '-k', '100']
    if not os.path.exists(file):
        made(options, words, *shape, '--words')
        run(['bash', '-o', 'pipefail', '-c',
             '"$@" | zstd -3 -q -f -o "$0.new" && mv "$0.new" "$0"', file,
             built(options, 'corpus'), *shape])
    return file, words


def disk(path):
    return sum(os.stat(os.path.join(path, name)).st_blocks * 512
               for name in os.listdir(path))


def rates():
    return json.loads(run([sys.executable, os.path.join(HERE,
                                                        'limits.py')]).out)


# ---- limits -----------------------------------------------------------------

def spectrum_operations(n, job):
    """Z'Z and Z'Ω are symmetric; the eigenpairs of both, about; vectors."""
    return (2 * n * job.width ** 2 + 20 * job.width ** 3 +
            2 * n * job.width * job.topics)


def rectify_operations(n, k, iterations):
    """Y_I Y', and what the negatives leave of Y (Y'x), some times K columns."""
    return iterations * (2 * min(n, 10 * k + 1000) * n * k + 8 * n * k ** 2)


def ingest_stage(job, took, told, unpacked, rate):
    dgemm = 4e-9 * told['nonzeros'] * job.width / rate['dgemm']
    copied = 1e-9 * told['store'] / rate['copy']
    return Stage('ingest', took.seconds, took.cpu, took.rss,
                 unpacked + dgemm + copied,
                 f'zstd {unpacked:.2f}, dgemm {dgemm:.2f}, copy {copied:.2f}')


# Stages of fit's progress for each part, in their order.
PARTS = {'spectrum': ('', 'spectrum', 'gram', 'eigenvectors'),
         'rectify': ('rectify',), 'topics': ('anchors', 'topics', 'saving')}


def part_of(name):
    for part, names in PARTS.items():
        if name in names:
            return part
    return 'spectrum'


def fit_stages(job, fitted, told, rate):
    result, took = fitted
    n, k = told['words'], job.topics
    operations = {'spectrum': spectrum_operations(n, job),
                  'rectify': rectify_operations(n, k, told['rectify_iter']),
                  'topics': SQUARES * 2 * n * k ** 2}
    for part, count in operations.items():
        mine = [t for name, t in took.items() if part_of(name) == part]
        limit = 1e-9 * count / rate['dgemm']
        yield Stage(part, sum(t[0] for t in mine), sum(t[1] for t in mine),
                    result.rss, limit, f'dgemm {limit:.2f}')


def infer_stage(job, took, told, rate):
    words = OF_WORD * told['nonzeros'] * job.topics
    priors = 4 * job.documents * job.topics ** 2
    limit = 1e-9 * told['mean_iterations'] * (words + priors) / rate['sgemm']
    copied = 1e-9 * told['shares'] / rate['copy']
    return Stage('infer', took.seconds, took.cpu, took.rss, limit + copied,
                 f'sgemm {limit:.2f}, copy {copied:.2f}')


# ---- a job ------------------------------------------------------------------

def do_all(options, job, file, words, store):
    """What the three programs took, and what they printed."""
    thetas = store + '.npy'
    remove(store)
    put, _ = watched(options, 'ingest', store, file, '--from', 'ldac',
                     '--vocab', words, '--sketch-size', job.width, '--memory',
                     job.memory, '--format', 'json')
    told = json.loads(put.out)
    told['store'] = disk(store)
    fitted = watched(options, 'fit', store, '-k', job.topics, '--memory',
                     job.memory, '--format', 'json')
    told.update(json.loads(fitted[0].out)['models'][0])
    composed, _ = watched(options, 'infer', store, '--format', 'npy', '-o',
                          thetas, '--memory', job.memory, '--summary', 'json')
    told.update(mean_iterations=json.loads(composed.err)['mean_iterations'],
                shares=os.path.getsize(thetas), disk=disk(store))
    remove(store)
    remove(thetas)
    return put, fitted, composed, told


def measure(options, name):
    job = JOBS[name]
    file, words = corpus(options, job)
    before, loads = rates(), [load()]
    unpacked = run(['sh', '-c', 'zstd -dcq "$1" > /dev/null', 'sh', file]).cpu
    put, fitted, composed, told = do_all(options, job, file, words,
                                         place(options, f'large.{name}'))
    rate = {what: max(value, before[what])
            for what, value in rates().items()}
    loads.append(load())
    stages = [ingest_stage(job, put, told, unpacked, rate),
              *fit_stages(job, fitted, told, rate),
              infer_stage(job, composed, told, rate)]
    return {'job': job._asdict(), 'rates': rate, 'loads': loads,
            'nonzeros': told['nonzeros'], 'words': told['words'],
            'mapped': told['mapped'], 'rounds': told['rectify_iter'],
            'iterations': told['mean_iterations'], 'store': told['disk'],
            'after_ingest': told['store'], 'shares': told['shares'],
            'packed': os.path.getsize(file),
            'stages': [s._asdict() for s in stages]}


# ---- words ------------------------------------------------------------------

def pipe_in(options, job, store):
    """Ingest of documents that are made meanwhile."""
    shape = ['-d', str(job.documents), '--vocabulary', str(job.vocabulary),
             '-k', str(job.topics)]
    words = made(options, store + '.words', *shape, '--words')
    with subprocess.Popen([built(options, 'corpus'), *shape],
                          stdout=subprocess.PIPE) as maker:
        put = kedge(options, 'ingest', store, '-', '--from', 'ldac', '--vocab',
                    words, '--sketch-size', job.width, '--memory', job.memory,
                    '--format', 'json', '-q', stdin=maker.stdout)
    remove(words)
    return put


def measure_words(options, job):
    """Seconds of processors of ENN and LAW, and memory."""
    store = place(options, 'large.words')
    remove(store)
    put = pipe_in(options, job, store)
    fitted = watched(options, 'fit', store, '-k', job.topics, '--rectify-iter',
                     ITERATIONS, '--rectify-tol', '1e-9', '--memory',
                     job.memory, '--format', 'json')
    told = json.loads(fitted[0].out)['models'][0]
    remove(store)
    stages = {s.name: s for s in fit_stages(job, fitted, told, rates())}
    return {'job': job._asdict(), 'words': told['words'],
            'nonzeros': json.loads(put.out)['nonzeros'],
            'rounds': told['rectify_iter'], 'negative': told['negative_share'],
            'seconds': {name: s.seconds for name, s in stages.items()},
            'processor': {name: s.processor for name, s in stages.items()},
            'ingest': put.cpu, 'memory': [put.rss, fitted[0].rss],
            'load': load()}


def measure_series(options):
    """Each is kept by itself: they take long."""
    found = []
    for job in SERIES:
        path = place(options, f'large-words-{job.vocabulary}.json')
        found.append(kept(path, lambda j=job: measure_words(options, j)))
        print(f'# {found[-1]["words"]:,} words: '
              f'{found[-1]["processor"]}', flush=True)
    return found


def slope(points):
    """The exponent of y ~ x^e, by least squares of logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mx, my = (sum(p) / len(logs) for p in zip(*logs))
    return (sum((x - mx) * (y - my) for x, y in logs) /
            sum((x - mx) ** 2 for x, _ in logs))


WORDS_HEAD = ['words', 'vocabulary', 'documents', 'ingest s', 'spectrum s',
              'ENN s', 'LAW s', 'ENN a word', 'LAW a word', 'negative',
              'ingest peak', 'fit peak', 'load']


def lines_of_words(found):
    for r in found:
        took, peaks = r['processor'], r['memory']
        yield [f'{r["words"]:,}', f'{r["job"]["vocabulary"]:,}',
               f'{r["job"]["documents"]:,}', f'{r["ingest"]:.1f}',
               *(f'{took[part]:.1f}' for part in PARTS),
               *(f'{1e6 * took[part] / r["words"]:.0f} us'
                 for part in ('rectify', 'topics')),
               f'{100 * r["negative"]:.1f} %', *map(mib, peaks), r['load']]


def exponents(found):
    """{ENN or LAW: by which power of the words it grows}"""
    return {name: slope([(r['words'], r['processor'][part]) for r in found])
            for name, part in (('ENN', 'rectify'), ('LAW', 'topics'))}


# ---- documents --------------------------------------------------------------

def measure_documents(options, documents):
    """Ingest alone, of a compressed file."""
    job = JOBS['pubmed']._replace(documents=documents)
    file, words = corpus(options, job)
    store = place(options, 'large.documents')
    remove(store)
    put = kedge(options, 'ingest', store, file, '--from', 'ldac', '--vocab',
                words, '--sketch-size', job.width, '--memory', job.memory, '-q')
    size = disk(store)
    remove(store)
    return {'documents': documents, 'seconds': put.seconds,
            'processor': put.cpu, 'memory': put.rss, 'store': size,
            'load': load()}


def measure_sizes(options):
    return [kept(place(options, f'large-documents-{n}.json'),
                 lambda m=n: measure_documents(options, m)) for n in SIZES]


DOCUMENTS_HEAD = ['documents', 'seconds', 'processor s', 'for a million',
                  'peak', 'store', 'load']


def lines_of_documents(found):
    for r in found:
        yield [f'{r["documents"]:,}', f'{r["seconds"]:.1f}',
               f'{r["processor"]:.1f}',
               f'{1e6 * r["processor"] / r["documents"]:.1f}',
               mib(r['memory']), mib(r['store']), r['load']]


def documents_exponents(found):
    """Of all sizes, and of the largest three, where the constant cost matters
    less."""
    points = [(r['documents'], r['processor']) for r in found]
    return slope(points), slope(points[-3:])


def documents_page(found):
    job = JOBS['pubmed']
    yield '## Ingest of more and more documents'
    yield ''
    yield (f'Documents like PubMed\'s, {job.vocabulary:,} words, {job.width:,} '
           f'columns, `--memory {job.memory}`. Exponents of the processor\'s '
           'seconds: {:.3f}, and for the three largest {:.3f}.'.format(
               *documents_exponents(found)))
    yield ''
    yield from markdown(DOCUMENTS_HEAD, lines_of_documents(found))


def show_documents(found):
    table(DOCUMENTS_HEAD, lines_of_documents(found))
    everything, largest = documents_exponents(found)
    least, most = LINEAR_DOCUMENTS
    verdict(least <= largest <= most,
            f'ingest: exponent {largest:.3f} of documents, {least} to {most} '
            f'(of all sizes {everything:.3f})')
    grown = max(r['memory'] for r in found) / found[0]['memory']
    verdict(grown <= FLAT, f'ingest: {grown:.3f} times the memory of the '
            f'fewest documents, at most {FLAT}')


# ---- the page ---------------------------------------------------------------

HEAD = ['stage', 'seconds', 'share', 'processor s', 'limit s',
        'processor / limit', 'made of', 'peak', 'before s', 'before / limit']


def earlier(found, name):
    """A stage, or all, of the --before folder; or nothing."""
    told = [(s['processor'], s['limit']) for s in
            found.get('before', {}).get('stages', [])
            if name in (s['name'], 'all')]
    if not told:
        return ['', '']
    took, limit = map(sum, zip(*told))
    return [f'{took:.1f}', f'{took / limit:.1f}']


def lines_of(found):
    stages = [Stage(**s) for s in found['stages']]
    whole = sum(s.processor for s in stages)
    for s in stages:
        yield [s.name, f'{s.seconds:.1f}', f'{100 * s.processor / whole:.0f} %',
               f'{s.processor:.1f}', f'{s.limit:.1f}',
               f'{s.processor / s.limit:.1f}', s.of, mib(s.memory),
               *earlier(found, s.name)]
    limit = sum(s.limit for s in stages)
    yield ['all', f'{sum(s.seconds for s in stages):.1f}', '',
           f'{whole:.1f}', f'{limit:.1f}', f'{whole / limit:.1f}', '',
           mib(max(s.memory for s in stages)), *earlier(found, 'all')]


def about(name, found):
    job, rate = Job(**found['job']), found['rates']
    where = 'in a mapped file' if found['mapped'] else 'in memory'
    return (f'{name}: {job.documents:,} documents, {found["nonzeros"]:,} '
            f'non-zeros, {found["words"]:,} of {job.vocabulary:,} words occur; '
            f'{job.topics} topics, {job.width:,} columns, the sketch {where}, '
            f'`--memory {job.memory}`; {mib(found["packed"])} of compressed '
            f'documents; store {mib(found["after_ingest"])} after ingest, '
            f'{mib(found["store"])} at the end; topic proportions '
            f'{mib(found["shares"])}; dgemm {rate["dgemm"]:.0f} GFLOP/s, sgemm '
            f'{rate["sgemm"]:.0f}, copy {rate["copy"]:.1f} GB/s; load '
            f'{found["loads"][0]} before, {found["loads"][1]} after.')


def budget(memory):
    return int(memory[:-1]) << {'M': 20, 'G': 30}[memory[-1]]


def markdown(head, lines):
    yield '| ' + ' | '.join(head) + ' |'
    yield '|' + '---|' * len(head)
    for line in lines:
        yield '| ' + ' | '.join(line) + ' |'


def words_page(found):
    job = SERIES[0]
    yield '## Fit of more and more words'
    yield ''
    yield (f'{job.topics} topics from a sketch of {job.width} columns, '
           f'`--memory {job.memory}`, {ITERATIONS} iterations of ENN. '
           'Exponents: ' +
           ', '.join(f'{name} {x:.2f}'
                     for name, x in exponents(found).items()) + '.')
    yield ''
    yield from markdown(WORDS_HEAD, lines_of_words(found))


def job_page(name, job):
    yield f'## {name}'
    yield ''
    yield from markdown(HEAD, lines_of(job))


CAVEATS = """\
- Corpora are generated, with planted topics, and shaped like the New York Times
  and PubMed.
- The machine was shared. Seconds of processors depend less on that than seconds
  by the clock.
- "before" is the version before its slowest stage was improved, where that was
  measured."""
COLUMNS = """\
- processor s: seconds of all processors; share: of those of the whole job.
- limit s: the least that the stage needs, in seconds of one processor; made of:
  its parts.
- peak: resident memory.
- negative: share of the co-occurrence that ENN stores as negatives and
  multiplies; beyond a quarter of the free memory, as in the last row, it is
  computed again for each product.
- ENN a word, LAW a word: seconds of processors over words that occur."""


def page(found, answer):
    question, method = __doc__.split('\n\n', 1)
    jobs = {name: job for name, job in found.items() if name not in SPECIAL}
    return compose(
        question, answer, CAVEATS, COLUMNS,
        ['\n'.join(SPECIAL[name].page(job) if name in SPECIAL
                   else job_page(name, job)) for name, job in found.items()],
        ['### Method\n\n' + method,
         '### Jobs\n\n' + '\n'.join(f'- {about(*one)}' for one in jobs.items()),
         '### Run\n\n' + made_by('tests/bench/large.py --jobs '
                                 f'{",".join(found)} --page results/large.md')
         ])


def before(options, name):
    path = os.path.join(options.before or '', f'large-{name}.json')
    if options.before is None or not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def show_job(name, found):
    print(f'# {about(name, found)}')
    table(HEAD, lines_of(found))
    most = max(s['memory'] for s in found['stages'])
    verdict(most <= budget(JOBS[name].memory),
            f'{name}: {mib(most)} at the peak, at most {JOBS[name].memory}')


def show_words(found):
    table(WORDS_HEAD, lines_of_words(found))
    most = max(max(r['memory']) for r in found)
    verdict(most <= budget(SERIES[0].memory),
            f'{found[-1]["words"]:,} words: {mib(most)} at the peak, at most '
            f'{SERIES[0].memory}')
    for name, x in exponents(found).items():
        verdict(LINEAR[0] <= x <= LINEAR[1],
                f'{name}: exponent {x:.2f} of words, {LINEAR[0]} to '
                f'{LINEAR[1]}')


Special = namedtuple('Special', 'measure show page')
SPECIAL = {DOCUMENTS: Special(measure_sizes, show_documents, documents_page),
           WORDS: Special(measure_series, show_words, words_page)}


def main():
    p = parser(__doc__)
    p.add_argument('--jobs', default='nytimes',
                   help=f'of {", ".join((*JOBS, *SPECIAL))}; default: nytimes')
    p.add_argument('--again', action='store_true',
                   help='measure again what is kept')
    p.add_argument('--before', metavar='FOLDER',
                   help='the --work of an earlier version, to compare with')
    p.add_argument('--page', help='write a page here')
    p.add_argument('--answer', default=NO_ANSWER,
                   help='the answer of the page, written by hand')
    options = begin(p)
    found = {}
    for name in options.jobs.split(','):
        if name in SPECIAL:
            found[name] = SPECIAL[name].measure(options)
            SPECIAL[name].show(found[name])
            continue
        path = place(options, f'large-{name}.json')
        if options.again:
            remove(path)
        found[name] = kept(path, lambda n=name: measure(options, n))
        found[name]['before'] = before(options, name)
        show_job(name, found[name])
    if options.page:
        with open(options.page, 'w', encoding='utf-8') as file:
            file.write(page(found, options.answer))
    end()


if __name__ == '__main__':
    main()
