#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What decides how good topics are: kedge's choices, each with each other.

Statistic of the view, weights of words, rounds of ENN, and in how many
documents an anchor is at least; NPMI, distinct words and coverage by the
default ranking of `kedge topics`. For `npmi, level` words are ranked by
relevance so that coverage is the same throughout a corpus, that of the first
row: NPMI between the two nearest lambdas, each a tenth from the next; nothing
where no lambda covers as much. Where there are labels: accuracy of k-means on
the square roots of compositions of a sample of documents. One pass and one
width for all, a sketch for each statistic. The first row is what kedge does
when told nothing but the width. Corpora of `--few` have statistic and weight
each with each, and the other choices one at a time.

Rows are not weighted by c^0.2, which is not among kedge's choices: anchors are
found among the rows as they are.
"""
import bench

import hashlib
import time
from functools import cached_property
from itertools import product

import numpy as np

import measures
import pages
from common import begin, digest, kept, parser, place, remove
from corpora import ALL, Corpus
from ours import Model

LABELLED = 2000    # documents to cluster at most
LAMBDAS = [tenth / 10 for tenth in range(1, 11)]
HEAD = ['npmi', 'distinct', 'coverage', 'npmi, level', 'accuracy']
USUAL = {'statistic': 'log', 'weight': 'idf', 'rounds': '5', 'floor': '30'}
LEVEL = HEAD.index('npmi, level')

# Each choice is a list of (what the table says, options of kedge fit). A
# choice that kedge does not have yet is added here, and nowhere else.
CHOICES = {
    'statistic': [(x, ['--tf', x]) for x in ('raw', 'sqrt', 'log')],
    'weight': [(x, ['--term-weight', x]) for x in ('none', 'sqrt', 'idf')],
    'rounds': [('0', ['--rectify', 'none']),
               *((x, ['--rectify-iter', x, '--rectify-tol', '0'])
                 for x in ('5', '15'))],
    'floor': [(x, ['--anchor-min-df', x]) for x in ('10', '30')],
}


def level(grid, coverage):
    """NPMI at this coverage, from pairs of coverage and NPMI as lambda grows;
    None where none covers as much."""
    for (below, a), (above, b) in zip(grid, grid[1:]):
        if below <= coverage <= above:
            share = (coverage - below) / max(above - below, 1e-12)
            return a + share * (b - a)
    return None


class Bench:
    """A corpus in a store, its sketches made when first needed. What is found
    is kept, for this very program and these options."""

    def __init__(self, options, name):
        self.options, self.name = options, name
        self.program = digest(options.program)
        self.words = self.coverage = None

    @cached_property
    def corpus(self):
        return Corpus(self.options, self.name)

    @cached_property
    def store(self):
        return self.corpus.ingest(
            'ablation', np.arange(self.corpus.documents), *self.options.ingest)

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
            return None
        rows = model.compose(self.corpus)[self.sample]
        return measures.accuracy(np.sqrt(rows),
                                 self.corpus.labels[self.sample])

    def covered(self, model, *rank):
        ten = model.tops(10, *rank)[0]
        return self.occurrence.coverage(ten), self.occurrence.npmi(ten)

    def model(self, choice):
        """NPMI, distinct words, coverage, both by lambda, and accuracy."""
        model = Model(self.options, self.store, self.options.k, *choice,
                      *self.options.kedge)
        self.look(model.words)
        ten = model.tops(10)[0]
        grid = [self.covered(model, '--rank', 'relevance', '--lambda', x)
                for x in LAMBDAS]
        return [self.occurrence.npmi(ten), measures.distinct(ten),
                self.occurrence.coverage(ten), grid, self.accuracy(model)]

    def figures(self, *choice):
        o = self.options
        key = hashlib.sha256(repr(
            (self.program, self.name, o.k, o.seed, o.kedge, o.ingest,
             choice)).encode()).hexdigest()[:20]
        *shown, grid, accuracy = kept(place(o, f'ablation-{key}.json'),
                                      lambda: self.model(choice))
        if self.coverage is None:
            self.coverage = shown[-1]
        return [*shown, level(grid, self.coverage), accuracy]

    def close(self):
        if 'store' in vars(self):
            remove(self.store)


def near(combination):
    """What is usual, but for statistic and weight, or but for one choice."""
    other = [name for name, (says, _) in zip(CHOICES, combination)
             if says != USUAL[name]]
    return len(other) < 2 or other == ['statistic', 'weight']


def combinations(options, name):
    every = product(*CHOICES.values())
    return filter(near, every) if name in options.few.split(',') else every


def table(bench_, page, name):
    """A row for every combination of choices; those without the first."""
    start = time.perf_counter()
    default = [*['default'] * len(CHOICES), *bench_.figures()]
    found = []
    for combination in combinations(bench_.options, name):
        given = [option for _, some in combination for option in some]
        found.append([*(says for says, _ in combination),
                      *bench_.figures(*given)])
    page.add(f'## {name}, K = {bench_.options.k}')
    page.table([*CHOICES, *HEAD], [default, *found])
    print(f'# {time.perf_counter() - start:.0f} s', flush=True)
    return found


def row_of_means(says, found):
    columns = list(zip(*found))[len(CHOICES):]
    reached = sum(x is not None for x in columns[LEVEL])
    return [*says, *map(mean, columns), f'{reached} of {len(found)}']


def mean(figures):
    known = [x for x in figures if x is not None]
    return float(np.mean(known)) if known else None


def like(tables, **chosen):
    """Rows that are as chosen, and as usual in all else."""
    wanted = list({**USUAL, **chosen}.values())
    return [row for rows in tables for row in rows
            if row[:len(wanted)] == wanted]


def means(tables):
    """What each choice is worth, all others being as usual."""
    rows = [row_of_means([choice, says], like(tables, **{choice: says}))
            for choice, some in CHOICES.items() for says, _ in some]
    return pages.lay(['choice', '', *HEAD, 'level reached'], rows)


def pairs(tables):
    rows = [row_of_means([x, y], like(tables, statistic=x, weight=y))
            for (x, _), (y, _) in product(CHOICES['statistic'],
                                          CHOICES['weight'])]
    return pages.lay(['statistic', 'weight', *HEAD, 'level reached'], rows)


def summary(tables):
    usual = ', '.join(f'{name} {says}' for name, says in USUAL.items())
    return '\n\n'.join([
        '## What each choice is worth',
        f'Means over corpora, all else being as usual: {usual}.',
        means(tables), 'Statistic and weight, likewise:', pairs(tables)])


def main():
    p = pages.options(parser(__doc__))
    p.add_argument('--corpora', default=','.join(ALL))
    p.add_argument('-k', type=int, default=20)
    p.add_argument('--few', default='',
                   help='corpora for which not each is tried with each')
    options = pages.finish(begin(p))
    page = pages.Page(options, 'ablation', __doc__)
    tables = []
    for name in options.corpora.split(','):
        bench_ = Bench(options, name)
        tables.append(table(bench_, page, name))
        bench_.close()
        page.front(summary(tables))
    page.end()


if __name__ == '__main__':
    main()
