#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does every way to anchors, topics and topic co-occurrence agree with numpy?

Each option of kedge fit is compared with numpy, scipy and the oracle, which
compute the printed algorithm from kedge's own rectified rows: the same anchors,
topics and topic co-occurrence. For a corpus of more than 2,000 words, whose
rows RecoverKL does not see whole, anchors only. Last, anchors of the
co-occurrence without rectification, which scipy finds in all of it.
"""
import json
import os

import numpy as np
from scipy import linalg, optimize

from common import (answer, begin, corpus, end, export, fit, ingest, lines_of,
                    oracle_module, parser, place, table, verdict)

ANCHORS = ('qr', 'fast', 'spa', 'snpa', 'xray')
TOPICS = (('--solver', 'admm'), ('--solver', 'active-set'),
          ('--solver', 'expgrad'), ('--recover', 'kl'),
          ('--recover', 'inverse'))
NEAR = 2e-3   # l1 of a topic: KL and expgrad stop early
NEAREST = 1e-5
WHOLE = 2000  # words
STEPS = 20000  # of expectation and maximisation


# ---- anchors, of rows x that are as far from each other as those of C ----

def outside(x, chosen):
    """What of each row is outside the span of the chosen ones."""
    if not chosen:
        return x
    q = np.linalg.qr(x[chosen].T)[0]
    return x - x @ q @ q.T


def by_span(x, k):
    chosen = []
    for _ in range(k):
        chosen.append(int(np.argmax(
            np.linalg.norm(outside(x, chosen), axis=1))))
    return chosen


def fast(x, k):
    chosen = by_span(x, k)
    for i in range(k):
        rest = outside(x, chosen[:i] + chosen[i + 1:])
        length = np.linalg.norm(rest, axis=1)
        best = int(np.argmax(length))
        if length[best] > (1 + 1e-9) * length[chosen[i]]:
            chosen[i] = best
    return chosen


def residual(x, chosen, below_one):
    """What is left of each row, by scipy's non-negative least squares; a sum of
    one at most by an entry for what is missing, that weighs a lot."""
    if not chosen:
        return x
    a, heavy = x[chosen].T, 1e4 * np.abs(x).max()
    rest = np.empty_like(x)
    for i, row in enumerate(x):
        if below_one:
            m = np.vstack([np.hstack([a, np.zeros((len(a), 1))]),
                           heavy * np.ones(len(chosen) + 1)])
            h = optimize.nnls(m, np.append(row, heavy))[0][:-1]
        else:
            h = optimize.nnls(a, row)[0]
        rest[i] = row - a @ h
    return rest


def snpa(x, k):
    chosen = []
    for _ in range(k):
        rest = residual(x, chosen, True)
        chosen.append(int(np.argmax(np.linalg.norm(rest, axis=1))))
    return chosen


def xray(x, k):
    chosen = []
    for _ in range(k):
        rest = residual(x, chosen, False)
        far = rest[np.argmax(np.linalg.norm(rest, axis=1))]
        chosen.append(int(np.argmax(x @ far)))
    return chosen


PLAIN = {'qr': by_span, 'spa': by_span, 'fast': fast, 'snpa': snpa,
         'xray': xray}


# ---- topics, of whole rows ----

def bayes(shares, anchors, sums):
    shares[anchors] = np.eye(len(anchors))
    b = shares * np.maximum(sums, 0)[:, None]
    return b / b.sum(0)


def squares(oracle, rows, anchors, sums):
    shares = oracle.scls(rows[anchors].T, rows.T, steps=20000, tol=1e-10).T
    return bayes(shares, anchors, sums)


def divergence(rows, anchors, sums):
    """Expectation and maximisation until nothing moves."""
    c = np.maximum(rows, 0)
    c /= c.sum(1)[:, None]
    m = c[anchors] + 1e-9 / c.shape[1]
    m /= m.sum(1)[:, None]
    y = np.full((len(c), len(anchors)), 1 / len(anchors))
    left = np.arange(len(c))
    for _ in range(STEPS):
        r = (c[left] / (y[left] @ m)) @ m.T
        y[left] *= r
        left = left[r.max(1) - 1 > 1e-7]
        if len(left) == 0:
            break
    return bayes(y, anchors, sums)


def inverse(oracle, c, anchors):
    q, ss = c[anchors], c[np.ix_(anchors, anchors)]
    z = np.linalg.solve(ss, q.sum(1))
    b = np.linalg.solve(ss @ np.diag(z), q).T
    return oracle.to_simplex(b), np.diag(z) @ ss @ np.diag(z)


class Ours:
    def __init__(self, options, store, *way):
        self.folder = folder = place(options, 'ways.out')
        self.told = answer(fit(options, store, options.k, '--align', 'none',
                               '--save-spectrum', *way))['models'][0]
        export(options, store, folder, '--spectrum')

        def load(name):
            return np.load(os.path.join(folder, name + '.npy'))

        self.b, self.a, self.y = map(load, ('topics', 'topic_cooccurrence',
                                            'rectified'))
        words = lines_of(os.path.join(folder, 'vocab.txt'))
        self.anchors = [words.index(w) for w in lines_of(
            os.path.join(folder, 'anchors.txt'))]
        self.p = load('word_probability')
        with open(os.path.join(folder, 'model.json'),
                  encoding='utf-8') as file:
            self.told['json'] = json.load(file)


def far(ours, b, a, anchors):
    """The l1 of the worst topic, and how far A is, of its largest entry."""
    to = [anchors.index(i) for i in ours.anchors]
    return (np.abs(ours.b - b[:, to]).sum(0).max(),
            np.abs(ours.a - a[np.ix_(to, to)]).max() / np.abs(a).max())


def compare_anchors(options, store, df, results):
    for kind in ANCHORS:
        ours = Ours(options, store, '--term-weight', 'none', '--anchors', kind,
                    '--anchor-min-df', options.floor)
        d = ours.y @ ours.y.sum(0)
        _, r = np.linalg.qr(ours.y)
        ids = np.flatnonzero((df >= options.floor) & (d > 0))
        x = (ours.y[ids] / d[ids, None]) @ r.T
        plain = [int(ids[i]) for i in PLAIN[kind](x, options.k)]
        same = set(plain) == set(ours.anchors)
        results.append((kind, f'{len(set(plain) & set(ours.anchors))} of '
                        f'{options.k} anchors', '', ''))
        verdict(same, f'{kind}: the same anchors')


def compare_counted(options, store, df, results):
    """Of all words too, where some are as long as others: what is outside the
    span of those before is as long at each step."""
    for floor in (1, options.floor):
        found = [Ours(options, store, '--term-weight', 'none', '--anchors',
                      'counted', '--cooccurrence', known, '--anchor-min-df',
                      floor) for known in ('dense', 'sparse')]
        export(options, store, found[0].folder, '--cooccurrence', 'dense')
        c = np.load(os.path.join(found[0].folder, 'cooccurrence.npy'))
        ids = np.flatnonzero((df >= floor) & (c.sum(1) > 0))
        x = c[ids] / c[ids].sum(1)[:, None]
        r, pivots = linalg.qr(x.T, mode='r', pivoting=True)
        plain = set(ids[pivots[:options.k]])
        length = np.abs(np.diag(r)[:options.k])
        for ours in found:
            shared = len(plain & set(ours.anchors))
            own = sorted((t['residual'] for t in ours.told['json']['topic']),
                         reverse=True)
            name = f'counted, {ours.told["cooccurrence"]}, df {floor}'
            results.append((name, f'{shared} of {options.k} anchors', '', ''))
            verdict(np.allclose(own, length, rtol=1e-9) and
                    (shared == options.k or floor == 1), f'{name}: the same '
                    'anchors' + (', or as good ones' if floor == 1 else ''))
        verdict(found[0].anchors == found[1].anchors,
                f'counted, df {floor}: dense and sparse have the same')


def compare_topics(oracle, options, store, results):
    for way in TOPICS:
        for second in ('least-squares', 'diagonal'):
            ours = Ours(options, store, '--term-weight', 'none', *way,
                        '--topic-cooccurrence', second)
            c = ours.y @ ours.y.T
            d = c.sum(1)
            rows = c / np.where(d > 0, d, np.inf)[:, None]
            anchors, sums = list(ours.anchors), ours.p
            if way[1] == 'inverse':
                b, a = inverse(oracle, c, anchors)
            elif way[1] == 'kl':
                b = divergence(rows, anchors, sums)
            else:
                b = squares(oracle, rows, anchors, sums)
            if second == 'least-squares':
                m = np.linalg.pinv(b) @ ours.y
                a = m @ m.T
            elif way[1] != 'inverse':
                own = b[anchors, np.arange(len(anchors))]
                a = c[np.ix_(anchors, anchors)] / np.outer(own, own)
            result = far(ours, b, a, anchors)
            bar = NEAR if way[1] in ('kl', 'expgrad') else NEAREST
            name = ' '.join((*way, second))
            results.append((name, '', *result))
            verdict(max(result) <= (bar if second == 'least-squares'
                                    else 10 * bar),
                    f'{name}: topics {result[0]:.1e}, topic co-occurrence '
                    f'{result[1]:.1e}')


def compare_legal(oracle, options, store):
    plain = Ours(options, store)
    legal = Ours(options, store, '--legal')
    a = oracle.to_simplex(plain.a.reshape(-1, 1)).reshape(plain.a.shape)
    order = [plain.anchors.index(i) for i in legal.anchors]
    verdict(np.abs(legal.a - a[np.ix_(order, order)]).max() < 1e-12,
            'legal: the nearest point of the simplex')
    alpha = np.array([t['alpha'] for t in legal.told['json']['topic']],
                     dtype=float)
    mu = alpha / alpha.sum()

    def away(total):
        rho = total / (total + 1)
        return np.linalg.norm(legal.a - rho * np.outer(mu, mu) -
                              (1 - rho) * np.diag(mu))

    best = optimize.minimize_scalar(lambda t: away(np.exp(t)),
                                    bounds=(-10, 10), method='bounded',
                                    options={'xatol': 1e-10})
    verdict(abs(np.exp(best.x) / alpha.sum() - 1) < 1e-5,
            f'Dirichlet: total {alpha.sum():.5f}')


def main():
    p = parser(__doc__)
    p.add_argument('--corpus', default='harbour')
    p.add_argument('-k', type=int, default=8)
    p.add_argument('--floor', type=int, default=30)
    options = begin(p)
    oracle = oracle_module(options)
    c = corpus(options, options.corpus)
    store = place(options, 'ways.store')
    ingest(options, store, [c.docword], c.vocab)
    words = lines_of(c.vocab)
    order = sorted(range(len(words)), key=lambda i: words[i].encode())
    h = oracle.read_uci(c.docword).tocsr()[order]
    df = np.asarray((h > 0).sum(1)).ravel()
    results = []
    compare_anchors(options, store, df, results)
    compare_counted(options, store, df, results)
    if len(words) <= WHOLE:
        compare_topics(oracle, options, store, results)
    compare_legal(oracle, options, store)
    table(['way', 'anchors', 'B, l1 a topic', 'A, of its largest'], results)
    end()


if __name__ == '__main__':
    main()
