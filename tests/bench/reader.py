#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast are documents read, compared with zstd alone?

`zstd -dc FILE | wc -l`, `kedge ingest --no-sketch --threads 1` (decompress,
parse, encode, commit) and bench_reader (decompress and parse), in turns, the
best of each. Bar: ingest has 0.3 of zstd's throughput.
"""
import os

from common import (begin, built, corpus, end, ingest, parser, place, remove,
                    run, table, verdict)

BAR = 0.3


def text_size(docword):
    return int(run(['sh', '-c', 'zstd -dcq "$1" | wc -c', 'sh',
                    docword]).out)


def alone(c):
    return run(['sh', '-c', 'zstd -dcq "$1" | wc -l', 'sh',
                c.docword]).seconds


def stored(options, c):
    store = place(options, 'reader.store')
    remove(store)
    seconds = ingest(options, store, [c.docword], c.vocab, '--no-sketch',
                     '--threads', 1).seconds
    remove(store)
    return seconds


def parsed(options, c):
    """As bench_reader measures it; None where it is not built."""
    if not os.path.exists(options.bench_reader):
        return None
    with open(c.vocab, 'rb') as file:
        words = file.read().count(b'\n')
    out = run([options.bench_reader, c.docword, str(words), '1']).out
    return float(out.split()[0])


def main():
    p = parser(__doc__)
    p.add_argument('--corpus', default='arxiv300k')
    p.add_argument('--repeat', type=int, default=5)
    p.add_argument('--bench-reader', help='default: beside --program')
    options = begin(p)
    options.bench_reader = (options.bench_reader or
                            built(options, 'bench_reader'))
    c = corpus(options, options.corpus)
    size = text_size(c.docword)
    seconds = {'zstd -dc | wc -l': [], 'ingest --no-sketch': [],
               'bench_reader': []}
    for _ in range(options.repeat):
        for times, value in zip(seconds.values(),
                                (alone(c), stored(options, c),
                                 parsed(options, c))):
            if value is not None:
                times.append(value)
    best = {name: min(times) for name, times in seconds.items() if times}
    base = best['zstd -dc | wc -l']
    table(['', 'seconds', 'worst', 'MB/s of text', 'of zstd'],
          [[name, f'{t:.3f}', f'{max(seconds[name]):.3f}',
            f'{1e-6 * size / t:.0f}', f'{base / t:.2f}']
           for name, t in best.items()])
    ratio = base / best['ingest --no-sketch']
    verdict(ratio >= BAR, f'{ratio:.2f} of zstd, at least {BAR}')
    end()


if __name__ == '__main__':
    main()
