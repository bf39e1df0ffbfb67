#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do kedge's AP and ENN agree with the papers' AP, and are they faster?

The reference is AP as printed, in numpy, of every pair of words, and AW from
whole rows: anchors by pivoted QR, topics by least squares on the simplex, A
from the anchors. Compared with it, by the oracle's measures: kedge's own AP,
whose rows have K dimensions, ENN of the same dense co-occurrence, and ENN from
one pass. Then seconds of AP and ENN with default settings, the shortest of
three runs.
"""
import os

import numpy as np
import scipy.linalg as la

from common import (answer, begin, corpus, end, export, fit, ingest, lines_of,
                    oracle_module, parser, place, table, verdict)

FLOOR = 30
SAME = 1e-3      # of YY', two ways to the same iterations
SPREAD = 0.1     # of a measure, and of a word in twenty for dissimilarity
FASTER = 10      # from 5,000 words on
MEASURES = ('relative_approximation', 'specificity', 'relative_dominancy',
            'dissimilarity')


def psd(oracle, c, k):
    values, vectors = oracle.top_eig(lambda x: c @ x, len(c), k)
    return vectors * np.sqrt(np.maximum(values, 0))


def alternate(oracle, c, k, iterations):
    """C_NN after some iterations, and its own projection, adding up to one."""
    y = psd(oracle, c, k)
    for _ in range(iterations):
        total = (y.sum(0) ** 2).sum()
        nn = np.maximum(y @ y.T + (1 - total) / len(c) ** 2, 0)
        y = psd(oracle, nn, k)
    return nn / nn.sum(), y / np.sqrt((y.sum(0) ** 2).sum())


def anchor_words(oracle, c, sums, candidate, k):
    """AW from whole rows."""
    rows = c / np.maximum(c.sum(1), 1e-300)[:, None]
    ids = np.flatnonzero(candidate & (c.sum(1) > 0))
    s = ids[la.qr(rows[ids].T, mode='r', pivoting=True)[1][:k]]
    b = oracle.scls(rows[s].T, rows.T).T
    b[s] = np.eye(k)
    b *= np.maximum(sums, 0)[:, None]
    b /= b.sum(0)
    d = b[s, np.arange(k)]
    return s, b, c[np.ix_(s, s)] / np.outer(d, d)


class Ours:
    """What kedge fits and exports, in the order of the corpus's words."""

    def __init__(self, options, store, words, k, *how):
        folder = place(options, 'rectify.out')
        fit(options, store, k, '--term-weight', 'none', '--model', 'r',
            '--align', 'none', '--anchor-min-df', FLOOR, '--save-spectrum',
            '--topic-cooccurrence', 'diagonal', *how)
        export(options, store, folder, '--model', 'r', '--spectrum')
        own = {w: i for i, w in
               enumerate(lines_of(os.path.join(folder, 'vocab.txt')))}
        at = [own[w] for w in words]
        for name in ('eigenvectors', 'rectified', 'topics'):
            setattr(self, name, np.load(
                os.path.join(folder, name + '.npy'))[at])
        self.correlations = np.load(os.path.join(folder,
                                                 'topic_cooccurrence.npy'))
        self.anchors = {words.index(w) for w in
                        lines_of(os.path.join(folder, 'anchors.txt'))}


def compare(options, oracle, c, k):
    words = lines_of(c.vocab)
    h = oracle.read_uci(c.docword)
    words = words[:h.shape[0]]
    apply, sums = oracle.moments(h)
    dense = apply(np.eye(len(words)))
    store = place(options, 'rectify.store')
    ingest(options, store, [c.docword], c.vocab, '--tf', 'raw')
    iterations = ('--rectify-iter', options.rectify_iter, '--rectify-tol', 0)
    ours = {name: Ours(options, store, words, k, *how, *iterations)
            for name, how in {
                'ap': ('--rectify', 'ap'),
                'enn': ('--rectify', 'enn', '--cooccurrence', 'dense'),
                'one pass': ('--rectify', 'enn')}.items()}
    v = psd(oracle, dense, k)
    q = np.linalg.qr(v)[0]
    p = ours['ap'].eigenvectors
    verdict(np.linalg.norm(p - q @ (q.T @ p), 2) <= 1e-5,
            f'{c.name}: eigenvectors of the dense C')
    nn, y = alternate(oracle, dense, k, options.rectify_iter)
    own = ours['ap'].rectified
    apart = np.linalg.norm(own @ own.T - y @ y.T) / np.linalg.norm(y @ y.T)
    verdict(apart <= SAME, f'{c.name}: AP as numpy does it, {apart:.1e}')
    df = np.asarray((h > 0).sum(1)).ravel()
    s, b, a = anchor_words(oracle, nn, sums, df >= FLOOR, k)
    scores = {'AP + AW': oracle.score(h, apply, sums, b, a)}
    for name, o in ours.items():
        scores[name] = oracle.score(h, apply, sums, o.topics, o.correlations)
        scores[name]['anchors in common'] = len(o.anchors & set(s))
    return scores


def seconds(options, kind, k):
    """What a rectification takes, and of how many words."""
    told = [answer(fit(options, place(options, 'rectify.store'), k,
                       '--term-weight', 'none', '--model', 'r', '--align',
                       'none', '--rectify', kind))['models'][0]
            for _ in range(3)]
    return min(t['seconds_rectify'] for t in told), told[0]['words']


def judge(name, scores):
    for other in ('enn', 'one pass'):
        for what in MEASURES:
            wanted, got = scores['AP + AW'][what], scores[other][what]
            slack = SPREAD * 20 if what == 'dissimilarity' else \
                SPREAD * abs(wanted)
            verdict(abs(got - wanted) <= slack,
                    f'{name}: {what} of {other} {got:.3f}, of AP + AW '
                    f'{wanted:.3f}')


def judge_time(options, name, k):
    ap, words = seconds(options, 'ap', k)
    enn, _ = seconds(options, 'enn', k)
    verdict(words < 5000 or ap >= FASTER * enn,
            f'{name}: {words} words, ENN takes {enn:.2f} s, AP {ap:.2f} s, '
            f'{ap / enn:.0f} times as long')


def main():
    p = parser(__doc__)
    p.add_argument('--corpora', default='kos')
    p.add_argument('--rectify-iter', type=int, default=10)
    p.add_argument('-k', type=int, default=20)
    options = begin(p)
    oracle = oracle_module(options)
    for name in options.corpora.split(','):
        c = corpus(options, name)
        scores = compare(options, oracle, c, options.k)
        keys = list(dict.fromkeys(k for s in scores.values() for k in s))
        table(['', *scores],
              [[key, *(s.get(key, '') for s in scores.values())]
               for key in keys])
        judge(name, scores)
        judge_time(options, name, options.k)
    end()


if __name__ == '__main__':
    main()
