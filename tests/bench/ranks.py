#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do several processes give the bytes of one, and what do they send?

Shards of arxiv300k and acl are read by one kedge, by 1 to 4 ranks of mpirun,
which get them in random order, and by one store for each shard, whose sketches
are exported and imported. All files of the exported models have to be the same,
and the topic proportions too. The bytes that ranks receive in each stage are
compared with the formulas of predict(); also for up to 20 ranks with 500
documents each. --quick takes the harbour corpus of this project.
"""
import json
import os
import random
import re
import shutil
import subprocess

from common import (NO_ANSWER, ROOT, answer, begin, compose, corpus, digests,
                    end, export, failures, kedge, lines_of, load, made, made_by,
                    mib, parser, place, remove, run, skip, table, verdict)

RANKS = (1, 2, 3, 4)
WEAK = (2, 4, 8, 16, 20)
MPI = {'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1',
       'OMPI_MCA_rmaps_base_oversubscribe': '1',
       'OMPI_MCA_mpi_yield_when_idle': '1'}
STAGES = ('words', 'rows', 'spectrum', 'rectify', 'topics', 'model')
RANK_HEAD = ['ranks', *STAGES]
PROGRAMS = ['ingest', 'fit', 'infer']
LITTLE = '350M'
LANE = 16     # columns that ENN's negatives are padded to
INDEX = 1024  # bytes that describe an index, at most
NUMBER = 8


def together(options, ranks, *arguments):
    """A job of so many ranks."""
    return run(['mpirun', '-n', str(ranks), options.program,
                *map(str, arguments)], env={**os.environ, **MPI})


# ---- what the methods predict -----------------------------------------------

def picked(n, k):
    return min(n, 10 * k + 1000)


def padded(k):
    return -(-k // LANE) * LANE


def predict(ranks, model, weighted=True):
    """{stage: (least, most)} bytes that all ranks together receive.

    A sum goes from rank to rank and then to all: twice its bytes for each rank
    but one, of the 16 that can have rows. With N rows, L columns, K topics, I
    rows of ENN, q iterations and p products of them, in numbers of 8 bytes:

      rows      N (1 + L)                         from each to the adder
      spectrum  2 L (L + 1) + N [+ 2 K + N]       Z'Z, Z'Omega, row sums;
                                                  weights
      rectify   2 (K + q (2 I + I K/2 + 3 + K) + p (K + 3/2 I K')
                + (4 p + 2 q) K^2), and up to q K^2 more
      model     N K - what rank 0 has of it       to rank 0

    times the other ranks, R - 1 for the rows of sketches. K' is K filled up to
    a multiple of 16.
    """
    n, k, l = model['words'], model['topics'], model['sketch_size']
    q, p, i = model['rectify_iter'], model['products'], picked(n, k)
    holders = min(ranks, 16)
    all_others, others = ranks - 1, holders - 1
    spectrum = 2 * l * (l + 1) + n + (2 * k + n if weighted else 0)
    rectify = 2 * (k + q * (2 * i + i * k / 2 + 3 + k) +
                   p * (k + 1.5 * i * padded(k)) + (4 * p + 2 * q) * k * k)
    first = n // 8 * (16 // holders) // 16 * 8
    rows = n * (1 + l)
    return {name: (NUMBER * least, NUMBER * most) for name, least, most in (
        ('rows', all_others * rows, all_others * (rows + INDEX / NUMBER)),
        ('spectrum', others * spectrum, others * spectrum),
        ('rectify', others * rectify, others * (rectify + 2 * q * k * k)),
        ('model', (n - first) * k if others else 0,
         (n - first) * k + all_others * INDEX if others else 0))}


def judge(name, ranks, told):
    """Checks each stage of the job, with one model, against the formulas;
    [bytes]."""
    expected = predict(ranks, told['models'][0])
    sums = {stage: sum(r[stage] for r in told['ranks']) for stage in STAGES}
    rows = [[stage, sums[stage], *expected.get(stage, ('', ''))]
            for stage in STAGES]
    table([f'{name}, {ranks} ranks: bytes', 'received', 'at least', 'at most'],
          rows)
    for stage, (least, most) in expected.items():
        verdict(least <= sums[stage] <= most,
                f'{name}, {ranks} ranks: {stage} as predicted')
    return list(sums.values())


# ---- the same bytes ---------------------------------------------------------

def shards_of(options, name, count=8):
    """(paths, arguments of ingest) of the corpus in so many shards."""
    if name == 'acl':
        source = os.path.join(options.data, 'acl.jsonl.zst')
        if not os.path.exists(source):
            skip(f'there is no {source}')
        prefix = place(options, 'ranks-acl.')
        subprocess.run(f'zstd -dcq "{source}" | split -n r/{count} - '
                       f'"{prefix}" --additional-suffix=.jsonl',
                       shell=True, check=True)
        return sorted(place(options, f) for f in os.listdir(options.work)
                      if f.startswith('ranks-acl.')), ()
    found = corpus(options, name)
    prefix = place(options, f'ranks-{name}')
    subprocess.run([os.path.join(ROOT, 'tests', 'bench', 'shards.py'),
                    found.docword, prefix, str(count)], check=True)
    return [f'{prefix}-{i + 1}.txt.zst' for i in range(count)], (
        '--vocab', found.vocab)


def exported(options, store):
    """Digests, without the line that says how the words were chosen."""
    folder = place(options, 'ranks-out')
    export(options, store, folder, '-q')
    path = os.path.join(folder, 'model.json')
    with open(path, encoding='utf-8') as file:
        told = file.read()
    with open(path, 'w', encoding='utf-8') as file:
        file.write(re.sub(r'"rule": ".*"', '"rule"', told))
    return digests(folder)


def proportions(paths):
    """Of all files together, in order."""
    return sorted(line for path in paths for line in lines_of(path)[1:])


def composed(options, store, out):
    with open(out, 'w', encoding='utf-8') as file:
        subprocess.run([options.program, 'infer', store, '-q'], stdout=file,
                       check=True)
    return proportions([out])


def alone(options, shards, how, k):
    """(digests, topic proportions, seconds) of one kedge."""
    store = place(options, 'ranks-alone')
    remove(store)
    read = kedge(options, 'ingest', store, *shards, *how, '-q')
    fitted = kedge(options, 'fit', store, '-k', k, '-q')
    return (exported(options, store),
            composed(options, store, place(options, 'ranks-alone.tsv')),
            [read.seconds, fitted.seconds])


def clear(options):
    for name in os.listdir(options.work):
        if name.startswith('ranks-store') or name.startswith('ranks-got'):
            path = place(options, name)
            (shutil.rmtree if os.path.isdir(path) else os.remove)(path)


def by_ranks(options, name, ranks, shards, how, k, expected):
    """One job each to read, to fit and to infer; [seconds], [bytes]."""
    store, got = place(options, 'ranks-store'), place(options, 'ranks-got')
    clear(options)
    random.Random(f'{name} {ranks}').shuffle(shards)
    jobs = [together(options, ranks, 'ingest', store, *shards, *how, '-q'),
            together(options, ranks, 'fit', store, '-k', k, '--format',
                     'json')]
    verdict(exported(options, store) == expected[0],
            f'{name}, {ranks} ranks: all files of the model')
    sent = judge(name, ranks, json.loads(jobs[1].out))
    jobs.append(together(options, ranks, 'infer', store, '-o', got, '-q'))
    verdict(proportions([f'{got}.{r}' for r in range(ranks)]) == expected[1],
            f'{name}, {ranks} ranks: all topic proportions')
    if ranks == 2 and name == 'arxiv300k':
        in_little(options, name, k, expected)
    return [job.seconds for job in jobs], sent


def in_little(options, name, k, expected):
    """Two ranks again, with so little memory that sketches are in a file."""
    store = place(options, 'ranks-store')
    remove(store)
    told = json.loads(together(options, 2, 'fit', store, '-k', k, '--memory',
                               LITTLE, '--format', 'json').out)
    peak = told['models'][0]['peak_memory']
    verdict(exported(options, store) == expected[0] and
            peak <= int(LITTLE[:-1]) << 20,
            f'{name}, 2 ranks of {LITTLE}: the same, in {mib(peak)}')


def by_parts(options, name, shards, how, k, expected):
    """A store for each shard, whose sketches are added up."""
    whole = place(options, 'ranks-store')
    clear(options)
    listed = []
    if not how:    # words are chosen by the counts of all
        words = place(options, 'ranks-words.txt')
        with open(words, 'w', encoding='utf-8') as file:
            vocab = os.path.join(place(options, 'ranks-chosen'), 'vocab.txt')
            export(options, place(options, 'ranks-alone'),
                   place(options, 'ranks-chosen'), '-q')
            file.write('\n'.join(lines_of(vocab)) + '\n')
        width = answer(kedge(options, 'info', place(options, 'ranks-alone'),
                             '--format', 'json'))['indexes'][0]['sketch_size']
        listed = ['--keep-words', words, '--sketch-size', width]
    files = []
    for i, shard in enumerate(shards):
        part = place(options, f'ranks-store.{i}')
        files.append(place(options, f'ranks-got.{i}'))
        kedge(options, 'ingest', part, shard, *how, '-q')
        kedge(options, 'sketch', 'export', part, '-o', files[-1], *listed,
              '-q')
    random.Random(name).shuffle(files)
    kedge(options, 'sketch', 'import', whole, *files, '-q')
    kedge(options, 'fit', whole, '-k', k, '-q')
    verdict(exported(options, whole) == expected[0],
            f'{name}, exported sketches: all files of the model')


def compare(options, name, k):
    shards, how = shards_of(options, name)
    expected = alone(options, shards, how, k)
    rows, sent = [['none', *expected[2], '']], []
    for ranks in RANKS:
        seconds, received = by_ranks(options, name, ranks, shards, how, k,
                                     expected)
        rows.append([ranks, *seconds])
        sent.append([ranks, *received])
    by_parts(options, name, shards, how, k, expected)
    table([f'{name}, K = {k}: seconds', *PROGRAMS], rows)
    clear(options)
    yield f'{name}, K = {k}: bytes received by all ranks', RANK_HEAD, sent
    yield f'{name}, K = {k}: seconds', ['ranks', *PROGRAMS], rows


def weak(options):
    """Ranks with 500 documents each."""
    folder, rows = place(options, 'ranks-weak'), []
    how = ('--topics', 10, '--vocabulary', 4000, '--shape', 'pubmed')
    remove(folder)
    os.makedirs(folder)
    words = made(options, os.path.join(folder, 'words'), '--words', *how)
    for ranks in WEAK:
        clear(options)
        shards = [os.path.join(folder, f'{r}.ldac') for r in range(ranks)]
        for r, shard in enumerate(shards):
            if not os.path.exists(shard):
                made(options, shard, *how, '-d', 500, '--first', 1 + 500 * r)
        store = place(options, 'ranks-store')
        together(options, ranks, 'ingest', store, *shards, '--from', 'ldac',
                 '--vocab', words, '--sketch-size', 500,
                 '--threads', 1, '-q')
        told = json.loads(together(options, ranks, 'fit', store, '-k', 10,
                                   '--threads', 1, '--format', 'json').out)
        received = judge('weak', ranks, told)
        rows.append([ranks, 500 * ranks, told['models'][0]['words'],
                     *(x // ranks for x in received)])
    head = ['ranks', 'documents', 'vocabulary', *STAGES]
    table(head, rows)
    clear(options)
    remove(folder)
    yield '500 documents for each rank: bytes received by a rank', head, rows


CAVEATS = """\
- All ranks were on one machine: bytes are what they would be anywhere, seconds
  are not."""
COLUMNS = """\
- words: counts of words and documents; rows: sketches; spectrum: sums of the
  eigenpairs; rectify: sums of ENN; topics: sums of the topics; model: what rank
  0 collects to save it.
- ranks none: kedge without mpirun."""


def cell(x):
    return f'{x:.2f}' if isinstance(x, float) else (
        f'{x:,}' if isinstance(x, int) else x)


def markdown(title, head, rows):
    lines = [f'## {title}', '', '| ' + ' | '.join(head) + ' |',
             '|' + '---|' * len(head)]
    return '\n'.join([*lines, *('| ' + ' | '.join(map(cell, row)) + ' |'
                                for row in rows)])


def page(found, before, text):
    question, method = __doc__.split('\n\n', 1)
    missed = '\n'.join(f'- {bar}' for bar in failures)
    return compose(
        question, text, CAVEATS, COLUMNS, [markdown(*one) for one in found],
        ['### Method\n\n' + method, missed and '### Missed bars\n\n' + missed,
         '### Run\n\n' +
         made_by('tests/bench/ranks.py --page results/ranks.md') +
         f' Load: {before} before, {load()} after.'])


def main():
    p = parser(__doc__)
    p.add_argument('--quick', action='store_true', help='harbour alone')
    p.add_argument('-k', type=int, help='topics; default: 12 of harbour, 50')
    p.add_argument('--page', help='write a page here')
    p.add_argument('--answer', default=NO_ANSWER,
                   help='the answer of the page, written by hand')
    options = begin(p)
    module = os.path.join(os.path.dirname(options.program), 'kedge-mpi.so')
    if not os.path.exists(module) or shutil.which('mpirun') is None:
        skip('kedge was built without MPI, or there is no mpirun')
    found, before = [], load()
    for name in ('harbour',) if options.quick else ('arxiv300k', 'acl'):
        found += compare(options, name,
                         options.k or (12 if options.quick else 50))
    found += weak(options)
    if options.page:
        with open(options.page, 'w', encoding='utf-8') as file:
            file.write(page(found, before, options.answer))
    end()


if __name__ == '__main__':
    main()
