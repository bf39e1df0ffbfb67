#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast does text become documents in the store, and where does the time go?

A gigabyte of JSON lines, compressed: bench_text measures decompression, lines,
JSON, the tokenizer, counting and encoding on one thread; `kedge ingest` with
one thread and two is the whole. gensim's simple_preprocess and
Dictionary.doc2bow run over a sample of the same lines, already decompressed,
and their rate is taken for the whole. Stages are compared by processor seconds,
wholes by the clock. Bars: reading is five times as fast per core as gensim, and
so is ingest as a whole.
"""
import os
import subprocess
import sys

from common import (answer, begin, built, end, kedge, mib, parser, place,
                    remove, run, skip, table, verdict, HERE, SKIPPED)
from texts import lines, write

BAR = 5
PEER = 'peer_doc2bow.py'


def make(options, source):
    """The corpus, compressed as zstd does it usually, and its size as text."""
    path = place(options, f'text-{options.size}.jsonl.zst')
    if not os.path.exists(path):
        with open(path + '.new', 'wb') as file, subprocess.Popen(
                ['zstd', '-cq', '-T0'], stdin=subprocess.PIPE,
                stdout=file) as zstd:
            write(zstd.stdin, source, options.size, options.new_words)
            zstd.stdin.close()
            if zstd.wait() != 0:
                sys.exit('zstd failed')
        os.replace(path + '.new', path)
    return path


def make_sample(options, path):
    sample = place(options, 'text-sample.jsonl')
    with open(sample, 'wb') as file:
        subprocess.run(['sh', '-c', 'zstd -dcq "$1" | head -c "$2"', 'sh',
                        path, str(options.sample)], stdout=file, check=True)
        file.flush()
    with open(sample, 'rb+') as file:  # whole lines
        text = file.read()
        file.truncate(text.rfind(b'\n') + 1)
    return sample


def peer(options, sample):
    """Bytes a second, and a processor second."""
    with open(sample, 'rb') as file:
        result = run(['/usr/bin/python3', os.path.join(HERE, PEER)],
                     stdin=file, check=False)
    if result.code == SKIPPED:
        skip(result.err.strip())
    if result.code != 0:
        sys.exit(result.err)
    seconds, busy, documents, words, tokens = result.out.split()
    print(f'# gensim: {documents} documents, {words} words, {tokens} tokens '
          f'of a sample of {mib(os.path.getsize(sample))}')
    size = os.path.getsize(sample)
    return size / float(seconds), size / float(busy)


def staged(options, path):
    """{stage: seconds up to it}, and the counts."""
    out = run([options.bench_text, path, str(options.repeat)]).out
    *stages, counts = [line.split() for line in out.splitlines()]
    return ({name: float(seconds) for name, seconds in stages},
            [int(n) for n in counts])


def ingested(options, path, threads):
    """The best of some runs."""
    best = None
    for _ in range(options.repeat):
        store = place(options, 'text.store')
        remove(store)
        result = kedge(options, 'ingest', store, path, '--threads', threads,
                       '--format', 'json')
        remove(store)
        if best is None or result.seconds < best.seconds:
            best = result
    return best


def show_stages(stages, size, whole):
    rows, before = [], 0.0
    for name, until in [*stages.items(), ('commit and the rest', whole)]:
        rows.append([name, f'{until - before:.2f}',
                     f'{100 * (until - before) / whole:.0f}',
                     f'{1e-6 * size / until:.0f}'])
        before = until
    table(['stage', 'seconds', '% of ingest', 'MB/s up to it'], rows)


def compare(size, reading, runs, theirs):
    """With gensim's bytes a second, and a processor second."""
    clock, busy = theirs
    rows = [['gensim, from plain text', f'{1e-6 * clock:.1f}',
             f'{1e-6 * busy:.1f}', '', '1', '1'],
            ['kedge, reading', '', f'{1e-6 * size / reading:.1f}', '', '',
             f'{size / reading / busy:.1f}']]
    for n, r in runs.items():
        rows.append([f'kedge ingest, --threads {n}',
                     f'{1e-6 * size / r.seconds:.1f}',
                     f'{1e-6 * size / r.cpu:.1f}', mib(r.rss),
                     f'{size / r.seconds / clock:.1f}',
                     f'{size / r.cpu / busy:.1f}'])
    table(['', 'MB/s', 'a processor', 'peak', 'of gensim', 'a processor'],
          rows)
    verdict(size / reading >= BAR * busy, f'reading is '
            f'{size / reading / busy:.1f} times as fast per core, at least '
            f'{BAR}')
    for n, r in runs.items():
        rate = size / r.seconds / clock
        verdict(rate >= BAR, f'ingest, --threads {n}, is {rate:.1f} times as '
                f'fast, at least {BAR}')


def main():
    p = parser(__doc__)
    p.add_argument('--size', type=float, default=1e9, help='bytes of text')
    p.add_argument('--sample', type=float, default=50e6,
                   help='bytes of it for gensim')
    p.add_argument('--new-words', type=int, default=0)
    p.add_argument('--repeat', type=int, default=2)
    options = begin(p)
    options.size, options.sample = int(options.size), int(options.sample)
    options.bench_text = built(options, 'bench_text')
    path = make(options, lines(os.path.join(options.data, 'acl.jsonl.zst')))
    sample = make_sample(options, path)
    rates = [peer(options, sample)]
    stages, (size, documents, words, entries) = staged(options, path)
    runs = {n: ingested(options, path, n) for n in (1, 2)}
    rates.append(peer(options, sample))  # before and after: take its better
    os.unlink(sample)
    print(f'# {mib(size)} of text, {mib(os.path.getsize(path))} compressed, '
          f'{documents} documents, {words} words, {entries} entries')
    show_stages(stages, size, runs[1].cpu)
    verdict(answer(runs[1])['documents'] == documents,
            'ingest has the documents that were read')
    compare(size, stages['counting'], runs, [max(r) for r in zip(*rates)])
    end()


if __name__ == '__main__':
    main()
