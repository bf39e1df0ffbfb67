#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast is `kedge infer`, and in how much memory?

arxiv300k, K = 50. Bars: `kedge infer` of all documents, as a whole process, is
50 times as fast as gensim's LdaModel with the same topics, without gensim's
start and reading; the default method takes at most 8 times as long as least
squares; peak memory for 75,000 documents and for all is within 5 %; one thread
and two give the same bytes.
"""
import json
import os
import subprocess
import sys

from common import (HERE, add_counting, answer, begin, corpus, counting,
                    digest, end, export, fit, ingest, kedge, load, mib, parser,
                    place, remove, run, say_counting, table, verdict, weighing)
from shards import shards

FEW = 75000
TIMES = 3
FASTER = 50   # than gensim
DEARER = 8    # than least squares


def infer(options, store, *more):
    """The quickest of some runs; the digest of what it gave."""
    path = place(options, 'shares.npy')
    runs = [kedge(options, 'infer', store, '--format', 'npy', '-o', path,
                  '--summary', 'json', *more) for _ in range(options.times)]
    value = digest(path)
    remove(path)
    return min(runs, key=lambda r: r.seconds), value


def lda(options, c, store):
    """Seconds of gensim's inference."""
    plain = place(options, f'docword.{c.name}.txt')
    if not os.path.exists(plain):
        subprocess.run(['zstd', '-dqf', c.docword, '-o', plain], check=True)
    folder = place(options, 'inference.out')
    export(options, store, folder)
    result = run([sys.executable, os.path.join(HERE, 'peer_inference.py'),
                  plain, c.vocab, folder])
    remove(folder)
    return answer(result)


def made(options, c, name, files):
    """A store with a model."""
    store = place(options, name)
    ingest(options, store, files, c.vocab, *counting(options))
    fitted = fit(options, store, options.k, *weighing(options))
    say_counting(options, store, fitted)
    return store


def main():
    p = parser(__doc__)
    p.add_argument('-k', type=int, default=50)
    p.add_argument('--times', type=int, default=TIMES)
    p.add_argument('--corpus', default='arxiv300k')
    p.add_argument('--few', type=int, default=FEW)
    p.add_argument('--no-peers', action='store_true')
    add_counting(p)
    options = begin(p)
    c = corpus(options, options.corpus)
    store = made(options, c, 'inference.store', [c.docword])
    rows, found = [], {}
    for threads in (1, 2):
        for method in ('linear-bayes', 'least-squares', 'mean'):
            best, value = infer(options, store, '--method', method,
                                '--threads', threads)
            found[method, threads] = best, value
            told = json.loads(best.err)
            rows.append([method, threads, best.seconds, best.cpu,
                         told['mean_iterations'], told['unsettled'],
                         mib(best.rss)])
    table(['method', 'threads', 'seconds', 'processor', 'iterations',
           'unsettled', 'peak'], rows)
    for method in ('linear-bayes', 'least-squares', 'mean'):
        verdict(found[method, 1][1] == found[method, 2][1],
                f'{method}: the same bytes with 1 and 2 threads')
    ours, squares = (found[method, 1][0].cpu
                     for method in ('linear-bayes', 'least-squares'))
    verdict(ours <= DEARER * squares, f'linear-bayes takes '
            f'{ours / squares:.1f} times what least-squares takes, at most '
            f'{DEARER}')
    check_memory(options, c, found['linear-bayes', 2][0])
    if not options.no_peers:
        check_peer(options, c, store, found['linear-bayes', 2][0])
    remove(store)
    end()


def check_memory(options, c, best):
    files = shards(c.docword, place(options, f'{c.name}-{options.few}'), 1,
                   options.few)
    store = made(options, c, 'inference.few', files)
    few = infer(options, store, '--threads', 2)[0]
    remove(store)
    share = max(best.rss, few.rss) / min(best.rss, few.rss) - 1
    verdict(share <= 0.05, f'peaks of {mib(few.rss)} for {options.few} '
            f'documents and {mib(best.rss)} for all: {100 * share:.1f} %')


def check_peer(options, c, store, best):
    told = lda(options, c, store)
    ratio = told['seconds'] / best.seconds
    print(f'# gensim: {told["seconds"]:.1f} s of {told["documents"]} '
          f'documents; load {load()}')
    verdict(ratio >= FASTER, f'{ratio:.1f} times faster than gensim\'s '
            f'LdaModel, at least {FASTER}')


if __name__ == '__main__':
    main()
