#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Are term weights exact with a sketch that was made without them?

For --tf raw and each --term-weight: the eigenspace of D C D from the sketch of
C, over several seeds, and from a sketch of D C D itself, which the oracle makes
with as many columns; both against scipy's eigsh. Then --power-iter 3 against
eigsh: eigenvalues, and weights normalised by the sum of D C D; eigenvectors
after two more passes, because weighted spectra are flat. With the weights
divided out again, topics and topic co-occurrence should give C's row sums.
Last, NPMI of the first words for every --rank.
"""
import os

import numpy as np

from agreement import sine, word_weights
from common import (JOINT, ROUNDS, answer, begin, corpus, end, export, fit,
                    ingest, lines_of, oracle_module, parser, place, table,
                    verdict)

KINDS = ('idf', 'sqrt')
EXACT = 1e-6
WORSE = 1.25    # times what a sketch of D C D itself lacks
ARRAYS = ('eigenvectors', 'eigenvalues', 'topics', 'topic_cooccurrence',
          'word_probability')
WEIGHTED = ('weights', 'weighted_topics')


class Exact:
    """The corpus as scipy sees it, rows in byte order of the words."""

    def __init__(self, oracle, c, k):
        self.oracle, self.k = oracle, k
        words = lines_of(c.vocab)
        order = sorted(range(len(words)), key=lambda i: words[i].encode())
        self.words = [words[i] for i in order]
        self.h = oracle.read_uci(c.docword).tocsr()[order].tocsc()
        self.c, self.sums = oracle.moments(self.h)

    def pairs(self, kind):
        d = word_weights(kind, self.h, self.c, self.sums)
        c = self.oracle.weighted(self.c, d)
        values, vectors = self.oracle.top_eig(c, len(d), self.k + 1)
        return d, c, values, vectors

    def direct(self, c, width, seed):
        """From a sketch of D C D itself."""
        return self.oracle.one_pass(c, len(self.words), self.k, width, 0,
                                    seed)[1]


class Ours:
    def __init__(self, options, store, exact, kind, passes):
        folder = place(options, 'weights.out')
        told = answer(fit(options, store, exact.k, '--term-weight', kind,
                          '--rectify-iter', ROUNDS, '--power-iter', passes,
                          '--align', 'none', '--save-spectrum'))
        self.fit = told['models'][0]
        export(options, store, folder, '--spectrum')
        for name in ARRAYS + (WEIGHTED if kind != 'none' else ()):
            setattr(self, name, np.load(os.path.join(folder, name + '.npy')))
        if kind == 'none':
            self.weighted_topics = self.topics
        if lines_of(os.path.join(folder, 'vocab.txt')) != exact.words:
            raise SystemExit('the rows are not in byte order of the words')


def missed(vectors, ours):
    """How much of an eigenspace another one lacks: 0 all, 1 none of it."""
    return 1 - np.linalg.norm(vectors.T @ ours) ** 2 / vectors.shape[1]


def one_pass(options, c, exact, store, found):
    """Both over several seeds: the means, and that of the weights' error."""
    lacks = {kind: [] for kind in KINDS}
    for seed in range(1, options.seeds + 1):
        ingest(options, store, [c.docword], c.vocab, '--sketch-size',
               options.sketch_size, '--seed', seed, *JOINT)
        for kind in KINDS:
            d, weighted, _, vectors = found[kind]
            ours = Ours(options, store, exact, kind, 0)
            vectors = vectors[:, :exact.k]
            lacks[kind].append((
                missed(vectors, ours.eigenvectors),
                missed(vectors, exact.direct(weighted, options.sketch_size,
                                             seed)),
                np.abs(ours.weights / d - 1).max()))
    return {kind: np.mean(lacks[kind], 0) for kind in KINDS}


def sharpened(options, exact, store, kind, found):
    d, _, values, vectors = found
    k = exact.k
    sharp = Ours(options, store, exact, kind, options.sharp)
    ours = Ours(options, store, exact, kind, options.power_iter)
    back = ours.topics @ ours.topic_cooccurrence.sum(1)
    columns = ours.weights[:, None] * ours.topics
    return {
        'gap': values[k - 1] / values[k],
        'eigenvectors': sine(ours.eigenvectors, vectors[:, :k]),
        f'{options.sharp} passes: eigenvectors':
            sine(sharp.eigenvectors, vectors[:, :k]),
        'eigenvalues': np.abs(ours.eigenvalues / values[:k] - 1).max(),
        'weights': np.abs(ours.weights / d - 1).max(),
        'weighted columns': np.abs(
            columns / columns.sum(0) - ours.weighted_topics).max(),
        "B A e from C's row sums": np.abs(back - ours.word_probability).sum(),
        'sum of A': ours.topic_cooccurrence.sum(),
    }


def shown(options, oracle, exact, store, kind, passes):
    """NPMI and distinct words of the top tens, by each rank."""
    ours = Ours(options, store, exact, kind, passes)
    share = ours.topic_cooccurrence.sum(1)
    own = ours.topics * share
    own /= np.maximum(own.sum(1), 1e-300)[:, None]
    row = [f'{kind}, {passes} passes']
    for ranked in (ours.topics, ours.weighted_topics,
                   ours.weighted_topics * own):
        result = oracle.score(exact.h, exact.c, exact.sums,
                              ranked / ranked.sum(0))
        row += [result['npmi10'], result['unique10']]
    return row


def judge(options, means, results):
    for kind in KINDS:
        ours, direct, _ = means[kind]
        verdict(ours <= WORSE * direct, f'{kind}: one pass lacks {ours:.4f} '
                f'of the eigenspace, a sketch of D C D {direct:.4f}')
        for what in ('eigenvalues', 'weights', 'weighted columns',
                     f'{options.sharp} passes: eigenvectors'):
            verdict(results[kind][what] <= EXACT,
                    f'{kind}: {what} {results[kind][what]:.1e}')


def main():
    p = parser(__doc__)
    p.add_argument('--corpus', default='kos')
    p.add_argument('--power-iter', type=int, default=3)
    p.add_argument('--sharp', type=int, default=5)
    p.add_argument('--seeds', type=int, default=20)
    p.add_argument('--sketch-size', type=int, default=1000)
    p.add_argument('-k', type=int, default=20)
    options = begin(p)
    oracle = oracle_module(options)
    c = corpus(options, options.corpus)
    exact = Exact(oracle, c, options.k)
    store = place(options, 'weights.store')
    found = {kind: exact.pairs(kind) for kind in KINDS}
    means = one_pass(options, c, exact, store, found)
    table([f'one pass, {options.seeds} seeds', 'lacks', 'D C D itself',
           'weights off by'], [[kind, *means[kind]] for kind in KINDS])
    results = {kind: sharpened(options, exact, store, kind, found[kind])
               for kind in KINDS}
    table([f'{options.power_iter} passes', *KINDS],
          [[key, *(results[kind][key] for kind in KINDS)]
           for key in results['idf']])
    table(['NPMI, distinct by', 'probability', '', 'weighted', '',
           'relevance', ''],
          [shown(options, oracle, exact, store, kind, passes)
           for kind in ('none', *KINDS) for passes in (0, options.power_iter)])
    judge(options, means, results)
    end()


if __name__ == '__main__':
    main()
