#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Are ENN and LAW as fast as in numpy, with the same model?

Both start from kedge's eigenpairs of one pass, and any word may be an anchor.
kedge stops by its own tolerance, before the fifteen iterations that it may
take; numpy takes as many as kedge did, which is the same work, and then all
fifteen, which is the algorithm as printed. numpy is the oracle's, with OpenBLAS
and ARPACK, as many threads as kedge and the same OpenBLAS kernels. They take
turns; the shortest of three runs counts. kedge's seconds are those that it
reports for rectification and topics.
"""
import os
import sys
import time

THREADS = 2
os.environ['OPENBLAS_NUM_THREADS'] = str(THREADS)   # before numpy is there

import numpy as np

from common import (JOINT, PAPERS, ROUNDS, answer, begin, end, export, fit,
                    kedge, lines_of, oracle_module, parser, place, remove,
                    skip, table, verdict)

FASTER = 50
SAME = 1e-3     # of YY', after as many iterations
AS_PRINTED = 1e-2   # of YY', after all that kedge left out
COMMON = 0.95   # of the anchors
PARTS = ('rectify', 'topics')


class Ours:
    """kedge's model, what it began with, and what its parts took."""

    def __init__(self, options):
        self.options, self.store = options, place(options, 'low_rank.store')
        source = os.path.join(options.data, options.corpus + '.jsonl.zst')
        if not os.path.exists(source):
            skip(f'there is no {source}')
        remove(self.store)
        kedge(options, 'ingest', self.store, source, '--from', 'jsonl',
              '--no-sketch', '-q')

    def run(self):
        told = answer(fit(self.options, self.store, self.options.k, '--model',
                          'r', '--align', 'none', '--vocab-size',
                          self.options.words, '--anchor-min-df', 1,
                          '--save-spectrum', '--threads', THREADS, *JOINT,
                          *PAPERS))['models'][0]
        self.iterations = told['rectify_iter']
        return {x: told['seconds_' + x] for x in PARTS}

    def read(self):
        folder = place(self.options, 'low_rank.out')
        export(self.options, self.store, folder, '--model', 'r', '--spectrum')
        for name in ('eigenvalues', 'eigenvectors', 'rectified',
                     'word_probability'):
            setattr(self, name, np.load(os.path.join(folder, name + '.npy')))
        words = lines_of(os.path.join(folder, 'vocab.txt'))
        self.anchors = [words.index(w) for w in
                        lines_of(os.path.join(folder, 'anchors.txt'))]


def theirs(oracle, ours, iterations):
    """The same by numpy: seconds of its parts, Y, and anchors."""
    start = ours.eigenvectors * np.sqrt(np.maximum(ours.eigenvalues, 0))
    begun = time.perf_counter()
    y = oracle.enn(start, iterations)
    between = time.perf_counter()
    anchors = oracle.law(y, ours.word_probability,
                         np.ones(len(y), dtype=bool))[0]
    return {'rectify': between - begun,
            'topics': time.perf_counter() - between}, y, anchors


def apart(y, other):
    """|YY' - ZZ'| / |ZZ'|, by the small products."""
    both, own, its = y.T @ other, y.T @ y, other.T @ other
    square = (own ** 2).sum() + (its ** 2).sum() - 2 * (both ** 2).sum()
    return float(np.sqrt(max(square, 0) / (its ** 2).sum()))


def same(ours, y, anchors, near):
    far = apart(ours.rectified, y)
    verdict(far <= near, f'YY\' is numpy\'s, within {far:.1e}')
    common = len(set(ours.anchors) & set(anchors)) / len(anchors)
    verdict(common >= COMMON, f'{common:.0%} of the anchors are numpy\'s')


def faster(mine, its, iterations, what):
    table(['seconds', 'kedge', 'numpy', 'times'],
          [[x, mine[x], its[x], its[x] / mine[x]] for x in mine])
    ratio = its['both'] / mine['both']
    verdict(ratio >= FASTER, f'{what}: {ratio:.0f} times as fast as numpy of '
            f'{iterations} iterations, at least {FASTER}')


def with_sum(parts):
    return {**parts, 'both': sum(parts.values())}


def shortest(runs):
    return min(map(with_sum, runs), key=lambda run: run['both'])


def compare(options, oracle):
    ours, mine, its = Ours(options), [], []
    what = f'{options.corpus}, {options.words} words, {options.k} topics'
    for _ in range(options.times):
        mine.append(ours.run())
        ours.read()
        took, y, anchors = theirs(oracle, ours, ours.iterations)
        its.append(took)
    same(ours, y, anchors, SAME)
    faster(shortest(mine), shortest(its), ours.iterations, what)
    took, y, anchors = theirs(oracle, ours, ROUNDS)
    same(ours, y, anchors, AS_PRINTED)
    faster(shortest(mine), with_sum(took), ROUNDS, what + ', as printed')
    remove(ours.store)


def same_kernels(options):
    """OpenBLAS chooses while it is loaded: so this begins again."""
    told = kedge(options, '--version').out
    kernels = told.rpartition('openblas')[2].partition('(')[2].partition(')')[0]
    if os.environ.get('OPENBLAS_CORETYPE') != kernels:
        os.environ['OPENBLAS_CORETYPE'] = kernels
        os.execv(sys.executable, [sys.executable, *sys.argv])
    print(f'# kernels of OpenBLAS: {kernels}')


def main():
    p = parser(__doc__)
    p.add_argument('--corpus', default='acl')
    p.add_argument('--words', type=int, default=15000)
    p.add_argument('-k', type=int, default=50)
    p.add_argument('--times', type=int, default=3)
    options = begin(p)
    same_kernels(options)
    compare(options, oracle_module(options))
    end()


if __name__ == '__main__':
    main()
