#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How much faster is the whole job than gensim and the oracle?

arxiv300k, K = 50, default sketch: seconds and peak memory of ingest, fit and
export, of gensim's one-pass LsiModel (50 topics, chunks of 2,000) and of the
oracle with a sketch of 512, on this machine and in this run. Bars: 30 and 20
times as fast.
"""
import os
import subprocess
import sys

from common import (HERE, add_counting, answer, begin, corpus, counting, end,
                    export, fit, ingest, load, mib, oracle_path, parser, place,
                    remove, run, say_counting, table, verdict, weighing)

TOPICS = 50
BARS = {'gensim LsiModel': 30, 'oracle --sketch 512': 20}


def once(options, c):
    """{stage: (seconds, peak)} of a store made anew."""
    store, folder = (place(options, f'whole.{x}') for x in ('store', 'out'))
    extra = ['--threads', options.threads] if options.threads else []
    made = {'ingest': ingest(options, store, [c.docword], c.vocab, *extra,
                             *counting(options)),
            'fit': fit(options, store, options.k, *extra,
                       *weighing(options)),
            'export': export(options, store, folder)}
    say_counting(options, store, made['fit'])
    model = answer(made['fit'])['models'][0]
    print('# fit: ' + ', '.join(
        f'{stage} {model["seconds_" + stage]:.2f}' for stage in
        ('spectrum', 'rectify', 'topics', 'store')) +
        f'; iterations {model["rectify_iter"]}, load {load()}', flush=True)
    stages = {name: (r.seconds, r.rss) for name, r in made.items()}
    stages['all'] = (sum(s for s, _ in stages.values()),
                     max(m for _, m in stages.values()))
    remove(store)
    remove(folder)
    return stages


def lsi(options, c):
    """Reads plain text: decompression is a gift."""
    plain = place(options, f'docword.{c.name}.txt')
    if not os.path.exists(plain):
        subprocess.run(['zstd', '-dqf', c.docword, '-o', plain], check=True)
    result = run([sys.executable, os.path.join(HERE, 'peer_lsi.py'), plain,
                  c.vocab, str(options.k)])
    return answer(result)['seconds'], result.seconds, result.rss


def oracle(options, c):
    result = run([sys.executable, oracle_path(options), 'fit', c.docword,
                  c.vocab, '-k', str(options.k), '--sketch', '512'])
    return result.seconds, result.seconds, result.rss


def main():
    p = parser(__doc__)
    p.add_argument('-k', type=int, default=TOPICS)
    p.add_argument('--times', type=int, default=3, help='of our own job')
    p.add_argument('--threads', type=int)
    p.add_argument('--corpus', default='arxiv300k')
    p.add_argument('--no-peers', action='store_true')
    add_counting(p)
    options = begin(p)
    c = corpus(options, options.corpus)
    runs = [once(options, c) for _ in range(options.times)]
    best = min(runs, key=lambda stages: stages['all'][0])
    table(['stage', *(f'run {i + 1}' for i in range(len(runs))), 'best',
           'peak'],
          [[stage, *(f'{r[stage][0]:.2f}' for r in runs),
            f'{best[stage][0]:.2f}', mib(best[stage][1])] for stage in best])
    if not options.no_peers:
        peers = {'gensim LsiModel': lsi(options, c),
                 'oracle --sketch 512': oracle(options, c)}
        table(['peer', 'seconds', 'whole process', 'peak', 'ratio'],
              [[name, f'{seconds:.1f}', f'{whole:.1f}', mib(rss),
                f'{seconds / best["all"][0]:.1f}']
               for name, (seconds, whole, rss) in peers.items()])
        for name, (seconds, _, _) in peers.items():
            ratio = seconds / best['all'][0]
            verdict(ratio >= BARS[name], f'{ratio:.1f} times faster than '
                    f'{name}, at least {BARS[name]}')
    end()


if __name__ == '__main__':
    main()
