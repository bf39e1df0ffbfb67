#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do eigenvectors, anchors and topics agree with scipy and the oracle?

With --power-iter 3, or 5 where words have weights, whose spectra are flat: the
largest principal angle between kedge's eigenvectors and those of scipy's eigsh,
before and after rectification; the eigenvalues; and whether the oracle finds
the same anchors, topics and topic co-occurrence in kedge's rectified rows.
K = 20, and the K with the largest eigengap, because an eigenspace is only as
sharp as its eigengap. --tf and --term-weight count for scipy as for kedge.
"""
import os

import numpy as np
import scipy.linalg as la
from scipy import sparse

from common import (ROUNDS, add_counting, answer, begin, corpus, counted,
                    counting, end, export, fit, ingest, lines_of,
                    oracle_module, parser, place, table, verdict, weighing)

BAR = {'raw': 1e-6, 'log': 1e-4, 'sqrt': 1e-4}  # weights of 20 bits, about
FLOOR = 30
TOPICS = 1e-4   # two ADMM solvers, each stopped at its own tolerance
LARGEST_K = 60
IDF_LEAST = 0.01
PASSES = {'none': 3, 'idf': 5, 'sqrt': 5}


def sine(a, b):
    """Of the largest principal angle between two spans; exact when small."""
    a, b = np.linalg.qr(a)[0], np.linalg.qr(b)[0]
    return np.linalg.svd(a - b @ (b.T @ a), compute_uv=False)[0]


def procrustes(y, z):
    """How far y y' is from z z', up to a rotation of the columns."""
    u, _, v = la.svd(z.T @ y)
    return np.linalg.norm(y - z @ (u @ v)) / np.linalg.norm(z)


def damped_moments(h, tf):
    """C of a damped --tf as an operator, and its row sums: counts are
    rounded to 1/32, documents of 5 tokens or more weigh 1/|g|^2."""
    g = h.tocsc()[:, np.asarray(h.sum(0)).ravel() >= 5].astype(float)
    g.data = 1 + np.log(g.data) if tf == 'log' else np.sqrt(g.data)
    g.data = np.rint(32 * g.data)
    squares = g.multiply(g)
    weight = 1 / np.asarray(squares.sum(0)).ravel()
    diagonal = squares @ weight
    left, right = (g @ sparse.diags(weight)).tocsr(), g.T.tocsr()

    def plain(x):
        return left @ (right @ x) - (diagonal * x.T).T

    sums = plain(np.ones(h.shape[0]))
    total = sums.sum()
    return lambda x: plain(x) / total, sums / total


def word_weights(kind, h, c, sums):
    """As kedge defines them, from counts and sums alone; D C D sums to one."""
    if kind == 'idf':
        df = np.asarray((h > 0).sum(1)).ravel()
        d = np.maximum(np.log(h.shape[1] / np.maximum(df, 1)), IDF_LEAST)
    else:
        d = np.where(sums > 0, sums, sums[sums > 0].min()) ** -0.5
    return d / np.sqrt(d @ c(d))


class Exact:
    """The corpus as scipy sees it, rows in byte order of the words."""

    def __init__(self, oracle, c, tf, weight):
        self.words = lines_of(c.vocab)
        order = sorted(range(len(self.words)),
                       key=lambda i: self.words[i].encode())
        self.words = [self.words[i] for i in order]
        h = oracle.read_uci(c.docword).tocsr()[order].tocsc()
        self.df = np.asarray((h > 0).sum(1)).ravel()
        self.apply, self.sums = (
            oracle.moments(h) if tf == 'raw'
            else damped_moments(h, tf))
        self.weight = np.ones(len(self.words))
        if weight != 'none':
            self.weight = word_weights(weight, h, self.apply, self.sums)
            self.apply = oracle.weighted(self.apply, self.weight)
        self.weighted_sums = self.apply(np.ones(len(self.words)))
        self.values, self.vectors = oracle.top_eig(
            self.apply, len(self.words), LARGEST_K + 1)

    def gap(self, k):
        return self.values[k - 1] / self.values[k]

    def sharpest(self):
        """The K of the largest gap, not counting the very first ones."""
        return max(range(10, LARGEST_K + 1), key=self.gap)


class Ours:
    """What kedge exports, checked to be over the same words."""

    def __init__(self, options, store, k, weight, words):
        folder = place(options, 'agreement.out')
        told = answer(fit(options, store, k, '--term-weight', weight,
                          '--power-iter', options.power_iter or PASSES[weight],
                          '--rectify-iter', ROUNDS, '--rectify-tol', 0,
                          '--anchor-min-df', FLOOR, '--save-spectrum',
                          '--align', 'none'))
        self.fit = told['models'][0]
        export(options, store, folder, '--spectrum')
        for name in ('eigenvectors', 'eigenvalues', 'rectified', 'topics',
                     'topic_cooccurrence', 'word_probability'):
            setattr(self, name, np.load(os.path.join(folder, name + '.npy')))
        if lines_of(os.path.join(folder, 'vocab.txt')) != words:
            raise SystemExit('the rows are not in byte order of the words')
        self.anchors = [words.index(w) for w in
                        lines_of(os.path.join(folder, 'anchors.txt'))]


def compare_spectrum(oracle, exact, ours, k):
    v, w = exact.vectors[:, :k], exact.values[:k]
    y = oracle.enn(v * np.sqrt(np.maximum(w, 0)), ROUNDS)
    own = oracle.enn(ours.eigenvectors *
                     np.sqrt(np.maximum(ours.eigenvalues, 0)), ROUNDS)
    return {
        'gap': exact.gap(k),
        'eigenvectors': sine(ours.eigenvectors, v),
        'eigenvalues': np.max(np.abs(ours.eigenvalues / w - 1)),
        'rectified span': sine(ours.rectified, y),
        "rectified YY'": procrustes(ours.rectified, y),
        'from our pairs': sine(ours.rectified, own),
        'row sums': np.max(np.abs(ours.word_probability / exact.sums - 1)),
    }


def compare_topics(oracle, exact, ours):
    """The oracle's anchor words on our rows, weights divided out of what it
    finds; A keeps the total that it had, as kedge's does."""
    s, b, _, a = oracle.law(ours.rectified, exact.weighted_sums,
                            exact.df >= FLOOR)
    s, b = list(s), b / exact.weight[:, None]
    total = a.sum()
    a, b = a * np.outer(b.sum(0), b.sum(0)), b / b.sum(0)
    a *= total / a.sum()
    same = sorted(s) == sorted(ours.anchors)
    result = {'anchors': same, 'in the same order': s == ours.anchors}
    if same:
        to = [s.index(i) for i in ours.anchors]
        result['B, max'] = np.abs(ours.topics - b[:, to]).max()
        result['B, l1 a topic'] = \
            np.abs(ours.topics - b[:, to]).sum(0).max()
        result['A, max'] = np.abs(ours.topic_cooccurrence -
                                  a[np.ix_(to, to)]).max()
        result['A, of its largest'] = result['A, max'] / np.abs(a).max()
    else:
        result['anchors in common'] = len(set(s) & set(ours.anchors))
    return result


def judge(name, result, bar):
    for what in ('eigenvectors', 'eigenvalues', 'rectified span'):
        verdict(result[what] <= bar, f'{name}: {what} {result[what]:.1e}, '
                f'gap {result["gap"]:.4f}')
    verdict(result['anchors'], f'{name}: the same anchors')
    if result['anchors']:
        for what in ('B, l1 a topic', 'A, of its largest'):
            verdict(result[what] <= TOPICS,
                    f'{name}: {what} {result[what]:.1e}')


def main():
    p = parser(__doc__)
    p.add_argument('--corpora', default='kos,ap,poliblog')
    p.add_argument('--power-iter', type=int, default=0,
                   help='passes; default: 3, or 5 where words have weights')
    p.add_argument('--sketch-size', type=int, help='its columns')
    add_counting(p)
    p.add_argument('-k', type=int, default=20)
    options = begin(p)
    oracle = oracle_module(options)
    results = []
    for name in options.corpora.split(','):
        c = corpus(options, name)
        store = place(options, 'agreement.store')
        size = options.sketch_size
        more = ['--sketch-size', size] if size else []
        ingest(options, store, [c.docword], c.vocab, *more,
               *counting(options))
        tf, weight, _ = counted(options, store, fit(
            options, store, options.k, '--model', 'probe', *weighing(options)))
        exact = Exact(oracle, c, tf, weight)
        for k in dict.fromkeys((options.k, exact.sharpest())):
            ours = Ours(options, store, k, weight, exact.words)
            result = compare_spectrum(oracle, exact, ours, k)
            result.update(compare_topics(oracle, exact, ours))
            result['held-out residual'] = ours.fit['eigenspace_error']
            results.append((f'{name}, {tf}, {weight}, K = {k}', result,
                            BAR[tf]))
    keys = list(dict.fromkeys(key for _, r, _ in results for key in r))
    table(['', *(name for name, _, _ in results)],
          [[key, *(r.get(key, '-') for _, r, _ in results)] for key in keys])
    for result in results:
        judge(*result)
    end()


if __name__ == '__main__':
    main()
