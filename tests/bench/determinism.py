#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same documents give the same bytes.

Ingests a corpus with one and with two threads, as one file and as seven
shards in two orders, and one of these twice; the sha256 of every exported file
must be equal. Default: arxiv300k, K = 50; --quick: kos, K = 20.
"""
import random

from common import (begin, corpus, digests, end, export, fit, ingest, parser,
                    place, remove, table, verdict)
from shards import shards

TOPICS = {'arxiv300k': 50, 'kos': 20, 'harbour': 12}
PARTS = 7


def variants(options, c):
    """What is run: its name, the files, the threads."""
    parts = shards(c.docword, place(options, f'{c.name}-of-{PARTS}'), PARTS)
    mixed = list(parts)
    random.Random(options.seed).shuffle(mixed)
    if mixed == parts:
        mixed.reverse()
    order = ' '.join(str(parts.index(path) + 1) for path in mixed)
    return [('one file, 1 thread', [c.docword], 1),
            ('one file, 2 threads', [c.docword], 2),
            ('once more', [c.docword], 2),
            ('7 shards, 2 threads', parts, 2),
            (f'{order}, 1 thread', mixed, 1)]


def exported(options, c, files, threads):
    """Digests of what one variant exports."""
    store, folder = (place(options, f'determinism.{c.name}.{x}')
                     for x in ('store', 'out'))
    ingest(options, store, files, c.vocab, '--threads', threads)
    fit(options, store, TOPICS[c.name], '--threads', threads,
        '--keep-spectrum', '--refine', options.refine)
    export(options, store, folder, '--spectrum')
    found = digests(folder)
    remove(store)
    remove(folder)
    return found


def main():
    p = parser(__doc__)
    p.add_argument('--corpus', choices=TOPICS, default='arxiv300k')
    p.add_argument('--quick', action='store_true', help='--corpus kos')
    p.add_argument('--seed', type=int, default=1, help='of the order')
    p.add_argument('--refine', type=int, default=0)
    options = begin(p)
    c = corpus(options, 'kos' if options.quick else options.corpus)
    found = [(name, exported(options, c, files, threads))
             for name, files, threads in variants(options, c)]
    names = sorted({file for _, each in found for file in each})
    table([c.name, *names], [[name, *(each.get(file, '-')[:8]
                                      for file in names)]
                             for name, each in found])
    first = found[0][1]
    verdict(len(first) >= 6, f'{len(first)} files exported')
    for name, each in found[1:]:
        other = [file for file in names if each.get(file) != first.get(file)]
        verdict(not other, f'{name}: ' + (
            'differs in ' + ', '.join(other) if other else 'the same bytes'))
    end()


if __name__ == '__main__':
    main()
