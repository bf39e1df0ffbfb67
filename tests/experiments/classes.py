#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How well do topic proportions predict the groups of 20 Newsgroups?

Clusters: k-means on the topic proportions of all documents, as many clusters
as groups, matched with the groups one to one. Classes: a logistic regression
learns the group from the topic proportions of the earlier three fifths of each
group's postings, the usual split by date, and predicts the group of the later
ones. Its C (0.01 to 10) is chosen for each tool by a fifth of the postings
that it learns from. Each tool fits topics of its own, without the groups.
Bars: kedge is as good as the best other tool in every column.

Caveats:
- The topics are fitted to the test postings too, without their groups, for
  every tool. This is not how a classifier would be deployed.
- Headers, which name the group, are removed; the earlier postings have tabs
  for ends of lines and keep theirs, for every tool. Quotes and signatures
  stay.
- One seed of each tool.

Columns:
- clusters: accuracy of k-means on the topic proportions.
- clusters of roots: accuracy of k-means on their square roots.
- classes: accuracy of logistic regression on the topic proportions.
- classes of roots: accuracy of logistic regression on their square roots.
- kedge: `kedge infer`; kedge, mean: `kedge infer --method mean`.
"""
import bench

import json

import numpy as np

import measures
import pages
import peers
from common import begin, parser, remove
from corpora import Corpus
from ours import Model

TOOLS = ('scikit-learn NMF', 'scikit-learn LDA', 'gensim LDA')
HELD_BACK = (0.01, 0.1, 1, 10)
OURS = {'kedge': 'linear-bayes', 'kedge, mean': 'mean'}
FIGURES = ('clusters', 'clusters of roots', 'classes', 'classes of roots')


def earlier(ids):
    """Of documents 'group/number': in the file later ones of a group come
    first, and numbers rise in either part."""
    found, last = np.zeros(len(ids), bool), {}
    for i, name in enumerate(ids):
        group, number = name.rsplit('/', 1)
        before, began = last.get(group, (-1, False))
        began = began or int(number) < before
        last[group], found[i] = (int(number), began), began
    return found


def classifier(c):
    from sklearn.linear_model import LogisticRegression
    return LogisticRegression(C=c, max_iter=1000)


def predicted(rows, labels, train):
    """Share of the others whose label is predicted."""
    known = np.flatnonzero(train)
    order = np.random.default_rng(0).permutation(known)
    some, rest = np.split(order, [len(order) // 5])
    c = max(HELD_BACK, key=lambda c: classifier(c).fit(
        rows[rest], labels[rest]).score(rows[some], labels[some]))
    return float(classifier(c).fit(rows[known], labels[known])
                 .score(rows[~train], labels[~train]))


def figures(rows, labels, train):
    """Columns are brought to one size for the classifier alone."""
    def scaled(x):
        return x / np.maximum(x.std(0), 1e-12)
    roots = np.sqrt(rows)
    return {'clusters': measures.accuracy(rows, labels),
            'clusters of roots': measures.accuracy(roots, labels),
            'classes': predicted(scaled(rows), labels, train),
            'classes of roots': predicted(scaled(roots), labels, train)}


class Case:
    def __init__(self, options, corpus, train, k):
        store = corpus.ingest('classes', np.arange(corpus.documents),
                              *options.ingest)
        model = Model(options, store, k, *options.kedge)
        self.labels, self.train = corpus.labels, train
        self.rows = {name: self.of(model.compose(corpus, method))
                     for name, method in OURS.items()}
        remove(store)
        self.absent, h = [], corpus.view(model.words)
        for name in TOOLS:
            peer = peers.Peer(options, name, h, k, options.seed)
            if options.kept and not peer.known():
                self.absent.append(name)
                continue
            key = peers.mark(h, peer.key, 'classes', HELD_BACK)
            self.rows[name] = peers.kept(
                options, key, lambda: self.of(peer.compose(h)))
            print(f'# K = {k}: {name}', flush=True)

    def of(self, rows):
        return figures(rows, self.labels, self.train)

    def judge(self, title):
        others = [name for name in self.rows if name not in OURS]
        for x in FIGURES if others else ():
            best = max(others, key=lambda name: self.rows[name][x])
            its = self.rows[best][x]
            for name in OURS:
                mine = self.rows[name][x]
                yield mine >= its, (f'{title}, {x}: {name} {mine:.4f}; {best} '
                                    f'{its:.4f}')


def main():
    p = pages.options(parser(__doc__))
    p.add_argument('-k', default='20,50')
    p.add_argument('--kept', action='store_true',
                   help='leave out tools whose result is not in --work yet')
    options = pages.finish(begin(p))
    page = pages.Page(options, 'classes', __doc__)
    corpus = Corpus(options, 'newsgroups')
    train = earlier([json.loads(line)['id'] for line in corpus.source.lines])
    page.add(f'{train.sum():,} postings to learn from, {(~train).sum():,} to '
             'test.', long=True)
    for k in map(int, options.k.split(',')):
        case = Case(options, corpus, train, k)
        page.add(f'## K = {k}')
        if case.absent:
            page.add(f'Not measured: {", ".join(case.absent)}.')
        page.table(['tool', *FIGURES], [[name, *(row[x] for x in FIGURES)]
                                        for name, row in case.rows.items()])
        page.verdicts(case.judge(f'K = {k}'))
    page.end()


if __name__ == '__main__':
    main()
