#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does kedge find the topics that a corpus was generated from?

Separable corpora of 5,000 words with 20 correlated topics (logistic normal
proportions), 100 tokens a document, with 10,000 and 100,000 documents; --tf raw
and no term weights, as the oracle. Bars: the mean l1 error of a topic, after
matching, is within 5 % of that of the oracle with exact eigenpairs, and at most
half as large with the larger corpus.
"""
import subprocess
from statistics import mean

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

from common import (JOINT, PAPERS, ROUNDS, answer, begin, end, export, fit,
                    ingest, oracle_module, parser, place, remove, table,
                    verdict)

TOPICS, WORDS, TOKENS = 20, 5000, 100
SIZES = (10000, 100000)
ANCHOR = 0.01  # an anchor's probability in its topic
FLOOR = 30
WORSE = 0.05


def plant(chance):
    """Topics over words of a Zipf-like base; one anchor each, the first."""
    base = 1 / (np.arange(WORDS) + 20)
    chance.shuffle(base)
    b = base[:, None] * chance.gamma(0.3, size=(WORDS, TOPICS))
    b[:TOPICS] = 0
    b *= (1 - ANCHOR) / b.sum(0)
    b[np.arange(TOPICS), np.arange(TOPICS)] = ANCHOR
    return b


def proportions(chance, mixing, documents):
    """Logistic-normal, with correlations between topics."""
    x = chance.standard_normal((documents, 5)) @ mixing.T * 0.8 + \
        chance.standard_normal((documents, TOPICS))
    x = np.exp(1.5 * x)
    return x / x.sum(1, keepdims=True)


def draw(chance, b, documents):
    """Words x documents, sparse."""
    theta = proportions(chance, chance.standard_normal((TOPICS, 5)), documents)
    lengths = np.maximum(chance.poisson(TOKENS, documents), 5)
    counts = chance.multinomial(lengths, theta)
    keys = []
    for k in range(TOPICS):
        of = np.repeat(np.arange(documents), counts[:, k])
        words = np.searchsorted(np.cumsum(b[:, k]), chance.random(len(of)))
        keys.append(of * WORDS + np.minimum(words, WORDS - 1))
    keys, tally = np.unique(np.concatenate(keys), return_counts=True)
    return sp.csc_matrix((tally.astype(float),
                          (keys % WORDS, keys // WORDS)),
                         shape=(WORDS, documents))


def write(h, docword, vocab, digits=4):
    """As UCI, through zstd; words are their numbers."""
    with open(vocab, 'w', encoding='utf-8') as file:
        file.writelines(f'w{i:0{digits}d}\n' for i in range(h.shape[0]))
    entries = h.tocoo()
    rows = zip((entries.col + 1).tolist(), (entries.row + 1).tolist(),
               entries.data.astype(int).tolist())
    with open(docword, 'wb') as out:
        pack = subprocess.Popen(['zstd', '-qc'], stdin=subprocess.PIPE,
                                stdout=out, universal_newlines=True)
        pack.stdin.write(f'{h.shape[1]}\n{h.shape[0]}\n{h.nnz}\n')
        pack.stdin.writelines('%d %d %d\n' % row for row in rows)
        pack.stdin.close()
        if pack.wait() != 0:
            raise SystemExit('zstd failed')


def error(truth, found):
    """Mean l1 distance of a topic from its match."""
    cost = np.abs(truth[:, :, None] - found[:, None, :]).sum(0)
    return cost[linear_sum_assignment(cost)].mean()


def oracle_topics(oracle, h):
    c, sums = oracle.moments(h)
    w, v = oracle.top_eig(c, WORDS, TOPICS)
    y = oracle.enn(v * np.sqrt(np.maximum(w, 0)), ROUNDS)
    df = np.asarray((h > 0).sum(1)).ravel()
    return oracle.law(y, sums, df >= FLOOR)[1]


def our_topics(options, h):
    docword, vocab, store, folder = (
        place(options, 'planted.' + x)
        for x in ('txt.zst', 'vocab', 'store', 'out'))
    write(h, docword, vocab)
    ingest(options, store, [docword], vocab, *JOINT)
    model = answer(fit(options, store, TOPICS, *PAPERS))['models'][0]
    export(options, store, folder)
    found = np.load(folder + '/topics.npy')
    for path in (docword, store, folder):
        remove(path)
    return found, model['anchor_min_df']


def main():
    p = parser(__doc__)
    p.add_argument('--seeds', default='1,2,3')
    options = begin(p)
    oracle = oracle_module(options)
    rows, errors = [], {size: ([], []) for size in SIZES}
    for seed in map(int, options.seeds.split(',')):
        truth = plant(np.random.default_rng(seed))
        for size in SIZES:
            h = draw(np.random.default_rng([seed, size]), truth, size)
            found, floor = our_topics(options, h)
            pair = error(truth, found), error(truth, oracle_topics(oracle, h))
            for x, to in zip(pair, errors[size]):
                to.append(x)
            rows.append([seed, size, *pair, f'{pair[0] / pair[1]:.3f}', floor])
    table(['seed', 'documents', 'kedge', 'oracle', 'ratio', 'floor'], rows)
    for size, (ours, theirs) in errors.items():
        ratio = mean(ours) / mean(theirs)
        verdict(ratio <= 1 + WORSE, f'{size} documents: error {mean(ours):.4f}'
                f', {ratio:.3f} of the oracle\'s')
    small, large = (mean(errors[size][0]) for size in SIZES)
    verdict(large <= small / 2, f'ten times the documents: '
            f'{large / small:.3f} of the error')
    end()


if __name__ == '__main__':
    main()
