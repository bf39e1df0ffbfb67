#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What decides how good topics are: each choice of kedge's with each other.

Statistic of the view, weights of words, rounds of ENN, and in how many
documents an anchor is at least; NPMI, distinct words and coverage by each rank
of `kedge topics`, and, where there are labels, accuracy of k-means on the
compositions of a sample of documents and on their square roots. One pass at
the default width, one sketch for each statistic.
"""
import bench

import time
from itertools import product

import numpy as np

import measures
import pages
from common import begin, end, parser, remove
from corpora import ALL, Corpus
from ours import RANKS, Model

LABELLED = 2000    # documents to cluster at most
FIGURES = ('npmi', 'distinct', 'coverage')
HEAD = [f'{figure}, {rank}' for rank in RANKS for figure in FIGURES]
HEAD += ['accuracy', 'roots']

# Each choice is a list of (what the table says, options of kedge fit). A
# choice that kedge does not have yet is added here, and nowhere else.
CHOICES = {
    'statistic': [(x, ['--statistic', x]) for x in ('joint', 'sqrt', 'log')],
    'weight': [(x, ['--weight', x]) for x in ('none', 'sqrt', 'idf')],
    'rounds': [('0', ['--rectify', 'none']),
               *((x, ['--rounds', x, '--tolerance', '0'])
                 for x in ('5', '15'))],
    'floor': [(x, ['--anchor-min-df', x]) for x in ('10', '30')],
}


class Bench:
    """A corpus in a store, its sketches made when first needed."""

    def __init__(self, options, name):
        self.options = options
        self.corpus = Corpus(options, name)
        self.store = self.corpus.ingest(
            'ablation', np.arange(self.corpus.documents), *options.ingest)
        self.words = None

    def look(self, words):
        """Views differ in their statistics, not in their words."""
        if words == self.words:
            return
        self.words = words
        self.h = self.corpus.view(words)
        self.occurrence = measures.Occurrence(self.h)
        self.sample = np.sort(np.random.default_rng(
            self.options.seed).permutation(self.h.shape[0])[:LABELLED])

    def accuracy(self, model):
        if self.corpus.labels is None:
            return [None, None]
        rows = model.compose(self.h[self.sample])
        labels = self.corpus.labels[self.sample]
        return [measures.accuracy(x, labels) for x in (rows, np.sqrt(rows))]

    def figures(self, *choice):
        model = Model(self.options, self.store, self.options.k, *choice,
                      *self.options.kedge)
        self.look(model.words)
        found = []
        for rank in RANKS:
            ten = model.tops(10, '--rank', rank)[0]
            found += [self.occurrence.npmi(ten), measures.distinct(ten),
                      self.occurrence.coverage(ten)]
        return [*found, *self.accuracy(model)]


def table(bench_, page, name):
    """A row for every combination of choices."""
    start = time.perf_counter()
    rows = []
    for combination in product(*CHOICES.values()):
        given = [option for _, some in combination for option in some]
        rows.append([*(says for says, _ in combination),
                     *bench_.figures(*given)])
    page.add(f'## {name}, K = {bench_.options.k}')
    page.table([*CHOICES, *HEAD], rows)
    print(f'# {time.perf_counter() - start:.0f} s', flush=True)
    return rows


def means(page, tables):
    """What each choice is worth: means over corpora and all other choices."""
    page.add('## Means over all else')
    rows = []
    for at, (choice, some) in enumerate(CHOICES.items()):
        for says, _ in some:
            found = [row for rows_ in tables for row in rows_
                     if row[at] == says]
            figures = [[row[i] for row in found if row[i] is not None]
                       for i in range(len(CHOICES), len(found[0]))]
            rows.append([choice, says, *(float(np.mean(f)) if f else None
                                         for f in figures)])
    page.table(['choice', '', *HEAD], rows)


def main():
    p = pages.options(parser(__doc__))
    p.add_argument('--corpora', default=','.join(ALL))
    p.add_argument('-k', type=int, default=20)
    options = pages.finish(begin(p))
    page = pages.Page(options, 'ablation', __doc__)
    tables = []
    for name in options.corpora.split(','):
        bench_ = Bench(options, name)
        tables.append(table(bench_, page, name))
        remove(bench_.store)
    means(page, tables)
    end()


if __name__ == '__main__':
    main()
