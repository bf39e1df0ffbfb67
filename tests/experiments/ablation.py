#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which of kedge's defaults make topics better?

Each corpus is fitted with K = 20 by combinations of four options; `default` is
kedge without any of them. The first tables change one option, or two, and
leave the others at --tf log, --term-weight idf, 5 iterations and
--anchor-min-df 30. They are means over corpora. Every model starts from one
pass and a sketch of one size. Corpora of --few try --tf with --term-weight in
all combinations, and the other two options one at a time; the others try every
combination.

Caveats:
- One model for each combination: small differences may be chance.
- A mean of "NPMI at equal coverage" leaves out corpora where no ranking of
  that model covers enough documents; "comparable" says how many are in it.

Columns:
- --rectify-iter: iterations of ENN; 0 stands for --rectify none.
- NPMI: of the first ten words of each topic, as `kedge topics` ranks them.
- diversity: topic diversity, the share of distinct words in these lists.
- coverage: share of documents with two words of one of these lists.
- NPMI at equal coverage: words are ranked by relevance, with the lambda at
  which the model covers as many documents as the default does.
- accuracy: k-means on the square roots of topic proportions, against the
  labels of bbc and newsgroups, a sample of 2,000 documents.
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
HEAD = ['NPMI', 'diversity', 'coverage', 'NPMI at equal coverage', 'accuracy']
USUAL = {'--tf': 'log', '--term-weight': 'idf', '--rectify-iter': '5',
         '--anchor-min-df': '30'}
LEVEL = 3   # in HEAD

# Each choice is a list of (what the table says, options of kedge fit). A
# choice that kedge does not have yet is added here, and nowhere else.
CHOICES = {
    '--tf': [(x, ['--tf', x]) for x in ('raw', 'sqrt', 'log')],
    '--term-weight': [(x, ['--term-weight', x])
                      for x in ('none', 'sqrt', 'idf')],
    '--rectify-iter': [('0', ['--rectify', 'none']),
               *((x, ['--rectify-iter', x, '--rectify-tol', '0'])
                 for x in ('5', '15'))],
    '--anchor-min-df': [(x, ['--anchor-min-df', x]) for x in ('10', '30')],
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
        """Models of one corpus differ in their counts, not in their words."""
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
        """NPMI, diversity, coverage, the latter two by lambda, and accuracy."""
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
    """Whether only --tf and --term-weight, or one option, differ from USUAL."""
    other = [name for name, (says, _) in zip(CHOICES, combination)
             if says != USUAL[name]]
    return len(other) < 2 or other == ['--tf', '--term-weight']


def combinations(options, name):
    every = product(*CHOICES.values())
    return filter(near, every) if name in options.few.split(',') else every


def table(bench_, page, name):
    """A row for every combination; those without the first, the default."""
    start = time.perf_counter()
    default = [*['default'] * len(CHOICES), *bench_.figures()]
    found = []
    for combination in combinations(bench_.options, name):
        given = [option for _, some in combination for option in some]
        found.append([*(says for says, _ in combination),
                      *bench_.figures(*given)])
    page.add(f'### {name}, K = {bench_.options.k}', long=True)
    page.table([*CHOICES, *HEAD], [default, *found], long=True)
    print(f'# {time.perf_counter() - start:.0f} s', flush=True)
    return found


def row_of_means(says, found):
    columns = list(zip(*found))[len(CHOICES):]
    reached = sum(x is not None for x in columns[LEVEL])
    return [*says, *map(mean, columns), f'{reached} of {len(found)}']


def mean(figures):
    known = [x for x in figures if x is not None]
    return float(np.mean(known)) if known else None


def like(tables, chosen):
    """Rows with the chosen options, and all others as in USUAL."""
    wanted = list({**USUAL, **chosen}.values())
    return [row for rows in tables for row in rows
            if row[:len(wanted)] == wanted]


def means(tables):
    """Each option by itself, the others as in USUAL."""
    rows = [row_of_means([choice, says], like(tables, {choice: says}))
            for choice, some in CHOICES.items() for says, _ in some]
    return pages.lay(['option', '', *HEAD, 'comparable'], rows)


def pairs(tables):
    both = '--tf', '--term-weight'
    rows = [row_of_means([x, y], like(tables, dict(zip(both, (x, y)))))
            for (x, _), (y, _) in product(*(CHOICES[name] for name in both))]
    return pages.lay([*both, *HEAD, 'comparable'], rows)


def summary(tables):
    return '\n\n'.join(['## One option at a time', means(tables),
                        '## --tf with --term-weight', pairs(tables)])


def main():
    p = pages.options(parser(__doc__))
    p.add_argument('--corpora', default=','.join(ALL))
    p.add_argument('-k', type=int, default=20)
    p.add_argument('--few', default='',
                   help='corpora on which not every combination is tried')
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
