#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do the same topics come back with another seed, or with other documents?

Five models of each tool with different seeds on all documents, and five on
samples of 80 % of the documents with one seed. For each two of the five,
topics are matched so that the sum of their l1 distances is least. kedge's seed
is that of the test matrix; NMF's is that of a random start, except that NMF of
samples starts from singular vectors. Bars: at least as many of kedge's topics
come back as of each other tool's.

Caveats:
- Stability is not quality: a model can be stable and bad.
- gensim's LDA has 10 passes in chunks of 256 documents here; with more passes
  in one chunk more of its topics come back.

Columns:
- varied: what differs between the five models.
- distances by: p(word | topic), over the words of both models; or p(word |
  topic) times the term weight (--term-weight; tf-idf for NMF, whose topics are
  in this form).
- found again: share of topics whose match is nearer than 0.5.
- mean l1: mean distance of matched topics; 0 is the same, 2 shares no word.
"""
import bench

from itertools import combinations

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

import pages
from common import begin, parser, remove
from corpora import TEXTS, Corpus
from ours import Model
from peers import Peer

NEAR = 0.5
SHARE = 0.8


class Columns:
    """Words and topics of one model, with and without term weights."""

    def __init__(self, words, probability, weighted=None):
        self.words = {word: i for i, word in enumerate(words)}
        self.by = {'probability': probability}
        if weighted is not None:
            self.by['weighted'] = weighted

    def over(self, way, words):
        part = self.by[way][[self.words[word] for word in words]]
        return part / np.maximum(part.sum(0), 1e-300)


def distances(x, y, way):
    """Of the topics of x from those they are matched with."""
    common = [word for word in x.words if word in y.words]
    l1 = cdist(x.over(way, common).T, y.over(way, common).T, 'cityblock')
    return l1[linear_sum_assignment(l1)]


def found_again(models):
    """{way: (share of topics found again, mean distance)} over all pairs."""
    found = {}
    for way in models[0].by:
        l1 = np.concatenate([distances(x, y, way)
                             for x, y in combinations(models, 2)])
        found[way] = float(np.mean(l1 < NEAR)), float(np.mean(l1))
    return found


class Sample:
    """A choice of documents, with the words that kedge's index of it has."""

    def __init__(self, options, corpus, chosen, seed, k):
        own = () if corpus.name in TEXTS else ('--seed', seed)
        store = corpus.ingest('part', chosen, *own, *options.ingest)
        model = Model(options, store, k, '--seed', seed, *options.kedge)
        remove(store)
        self.words = model.words
        self.ours = Columns(model.words, model.topics, model.weighted)
        self.h = corpus.view(model.words, chosen)

    def lda(self, options, k, seed):
        peer = Peer(options, 'gensim LDA', self.h, k, seed)
        return Columns(self.words, peer.topics)

    def nmf(self, options, k, seed, **more):
        peer = Peer(options, 'scikit-learn NMF', self.h, k, seed, **more)
        return Columns(self.words, peer.model.emission(), peer.topics)


def by_seed(options, corpus, k):
    chosen = np.arange(corpus.documents)
    seeds = range(1, options.times + 1)
    samples = [Sample(options, corpus, chosen, seed, k) for seed in seeds]
    some = samples[0]
    return {'kedge': [sample.ours for sample in samples],
            'gensim LDA': [some.lda(options, k, seed) for seed in seeds],
            'scikit-learn NMF': [some.nmf(options, k, seed, init='random')
                                 for seed in seeds]}


def by_sample(options, corpus, k):
    rng = np.random.default_rng(options.seed)
    size = int(SHARE * corpus.documents)
    samples = [Sample(options, corpus, np.sort(
        rng.permutation(corpus.documents)[:size]), 1, k)
        for _ in range(options.times)]
    return {'kedge': [sample.ours for sample in samples],
            'gensim LDA': [sample.lda(options, k, 1) for sample in samples],
            'scikit-learn NMF': [sample.nmf(options, k, 1)
                                 for sample in samples]}


def rows(models, what):
    for tool, some in models.items():
        for way, (share, l1) in found_again(some).items():
            yield [what, tool, way, share, l1]


def bars(title, table):
    """kedge finds no fewer topics again than a tool whose columns are of the
    same kind."""
    share = {(what, tool, way): found for what, tool, way, found, _ in table}
    for (what, tool, way), theirs in share.items():
        if tool != 'kedge':
            mine = share[what, 'kedge', way]
            yield mine >= theirs, (f'{title}, {what}, {way}: found again '
                                   f'{mine:.2f}, {tool} {theirs:.2f}')


def main():
    p = pages.options(parser(__doc__))
    p.add_argument('--corpora', default='kos,ap,bbc,newsgroups')
    p.add_argument('-k', type=int, default=20)
    p.add_argument('--times', type=int, default=5)
    options = pages.finish(begin(p))
    page = pages.Page(options, 'stability', __doc__)
    for name in options.corpora.split(','):
        corpus = Corpus(options, name)
        title = f'{name}, K = {options.k}'
        table = [*rows(by_seed(options, corpus, options.k), 'seeds'),
                 *rows(by_sample(options, corpus, options.k), 'samples')]
        page.add('## ' + title)
        page.table(['varied', 'tool', 'distances by', 'found again', 'mean l1'],
                   table)
        page.verdicts(bars(title, table))
    page.end()


if __name__ == '__main__':
    main()
