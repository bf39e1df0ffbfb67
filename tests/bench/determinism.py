#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do the same documents give the same bytes?

Ingests a corpus with one and with two threads, as one file and as seven shards
in two orders, and one of these twice; the sha256 of every exported file and of
the topic proportions of a file's documents must be equal. Default: arxiv300k,
K = 50, kedge's default --tf and --term-weight; --quick: kos, K = 20.
"""
import os
import random

from common import (add_counting, begin, corpus, counting, digest, digests, end,
                    export, fit, ingest, kedge, parser, place, remove,
                    say_counting, table, verdict, weighing)
from shards import shards

TOPICS = {'arxiv300k': 50, 'kos': 20, 'harbour': 12}
PARTS = 7


def variants(options, c, parts):
    """What is run: its name, the files, the threads."""
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


def composed(options, c, store, part, threads):
    """Of documents in the order of a file; in the store it differs."""
    path = place(options, f'determinism.{c.name}.npy')
    kedge(options, 'infer', store, part, '--from', 'uci', '--vocab', c.vocab,
          '--format', 'npy', '-o', path, '--threads', threads)
    found = digest(path)
    os.unlink(path)
    return found


def exported(options, c, files, threads, part):
    """Digests of what one variant exports, and of topic proportions."""
    store, folder = (place(options, f'determinism.{c.name}.{x}')
                     for x in ('store', 'out'))
    ingest(options, store, files, c.vocab, '--threads', threads,
           *counting(options))
    more = ['--ncut'] if options.ncut else []
    fitted = fit(options, store, TOPICS[c.name], '--threads', threads,
                 '--save-spectrum', '--power-iter', options.power_iter, *more,
                 *weighing(options))
    export(options, store, folder, '--spectrum')
    found = digests(folder)
    found['topic proportions'] = composed(options, c, store, part, threads)
    say_counting(options, store, fitted)
    remove(store)
    remove(folder)
    return found


def main():
    p = parser(__doc__)
    p.add_argument('--corpus', choices=TOPICS, default='arxiv300k')
    p.add_argument('--quick', action='store_true', help='--corpus kos')
    p.add_argument('--seed', type=int, default=1, help='of the order')
    p.add_argument('--power-iter', type=int, default=0)
    p.add_argument('--ncut', action='store_true', help='as of fit')
    add_counting(p)
    options = begin(p)
    c = corpus(options, 'kos' if options.quick else options.corpus)
    parts = shards(c.docword, place(options, f'{c.name}-of-{PARTS}'), PARTS)
    found = [(name, exported(options, c, files, threads, parts[0]))
             for name, files, threads in variants(options, c, parts)]
    names = sorted({file for _, each in found for file in each})
    table([c.name, *names], [[name, *(each.get(file, '-')[:8]
                                      for file in names)]
                             for name, each in found])
    first = found[0][1]
    verdict(len(first) >= 7, f'{len(first)} files compared')
    for name, each in found[1:]:
        other = [file for file in names if each.get(file) != first.get(file)]
        verdict(not other, f'{name}: ' + (
            'differs in ' + ', '.join(other) if other else 'the same bytes'))
    end()


if __name__ == '__main__':
    main()
