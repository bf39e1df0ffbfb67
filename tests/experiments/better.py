#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Topics of kedge beside scikit-learn's and gensim's.

Every tool gets the same documents and the same words: those of kedge's view.
Words are shown by each tool's own ranking and by relevance, and measured on
the corpus itself: NPMI of the first ten, distinct words among them, the share
of documents that hold two of some topic's ten, coherence of the first twenty.
Where there are labels, compositions are clustered by k-means. A tenth of the
documents is held out of another model: compositions from one half of their
tokens foretell the other half, mixed with 1e-3 of the unigram for every tool.

Bars, for kedge's defaults: ahead of every LDA on each measure; ahead of every
NMF on NPMI at equal or higher coverage, and on cluster accuracy.
"""
import bench

import time

import numpy as np

import measures
import pages
from common import begin, end, parser, remove
from corpora import ALL, Corpus
from ours import RANKS, Model
from peers import PEERS, Peer

WORDS = ('npmi', 'distinct', 'coverage', 'coherence')
FIGURES = WORDS + ('accuracy', 'angle', 'roots', 'largest', 'perplexity')
COVERAGE = 3    # its column in the grid of lambdas
ASIDE = ('angle', 'roots', 'largest')    # told, not judged
DEFAULT = 'kedge'


def shown(occurrence, ten, twenty):
    return {'npmi': occurrence.npmi(ten), 'distinct': measures.distinct(ten),
            'coverage': occurrence.coverage(ten),
            'coherence': occurrence.coherence(twenty)}


def clusters(tool, h, labels):
    if labels is None:
        return {}
    rows = tool.compose(h)
    signs = rows.min() < 0
    return {'accuracy': measures.accuracy(rows, labels),
            'angle': measures.accuracy(measures.directions(rows), labels),
            'roots': None if signs else measures.accuracy(np.sqrt(rows),
                                                          labels),
            'largest': measures.accuracy_of_largest(rows, labels)}


class Held:
    """A tenth of the documents, and what a model of the rest makes of it.
    Words that the rest does not hold, as a given vocabulary can have, are
    nobody's to foretell."""

    def __init__(self, options, corpus, k):
        order = np.random.default_rng(options.seed).permutation(
            corpus.documents)
        tenth = corpus.documents // 10
        out, self.rest = np.sort(order[:tenth]), np.sort(order[tenth:])
        store = corpus.ingest('rest', self.rest, *options.ingest)
        self.ours = Model(options, store, k, *options.kedge)
        remove(store)
        self.h = corpus.view(self.ours.words, self.rest)
        known = np.flatnonzero(np.asarray(self.h.sum(0)).ravel())
        self.ours.narrow(known)
        self.h = self.h[:, known]
        h = corpus.view(self.ours.words, out)
        self.seen, self.unseen = measures.halves(h)
        self.unigram = measures.unigram(self.h)

    def perplexity(self, tool):
        rows, emission = tool.mixture(self.seen)
        return measures.perplexity(self.unseen, rows, emission, self.unigram)


class Case:
    """One corpus and one number of topics: rows of figures by tool and rank,
    the first of them kedge's defaults."""

    def __init__(self, options, corpus, k):
        self.options, self.corpus, self.k = options, corpus, k
        self.rows, self.ranks = {}, {}
        store = corpus.ingest('full', np.arange(corpus.documents),
                              *options.ingest)
        self.model = Model(options, store, k, *options.kedge)
        self.h = corpus.view(self.model.words)
        self.occurrence = measures.Occurrence(self.h)
        self.held = Held(options, corpus, k)
        self.ours()
        self.grid = self.lambdas()
        remove(store)
        for name in options.peers:
            self.peer(name)

    def figures(self, ranked):
        return shown(self.occurrence, *ranked)

    def ranked(self, *rank):
        return [self.model.tops(count, *rank)[0] for count in (10, 20)]

    def ours(self):
        more = clusters(self.model, self.h, self.corpus.labels)
        more['perplexity'] = self.held.perplexity(self.held.ours)
        rank = self.model.tops(1)[1]
        self.rows[DEFAULT, f'default ({rank})'] = {
            **self.figures(self.ranked()), **more}
        for rank in RANKS:
            self.rows[DEFAULT, rank] = {
                **self.figures(self.ranked('--rank', rank)), **more}

    def lambdas(self):
        rows = []
        for tenth in range(11):
            figures = self.figures(self.ranked(
                '--rank', 'relevance', '--lambda', tenth / 10))
            rows.append([tenth / 10, *(figures[f] for f in WORDS)])
        return rows

    def peer(self, name):
        start = time.perf_counter()
        peer = Peer(self.options, name, self.h, self.k, self.options.seed)
        more = clusters(peer, self.h, self.corpus.labels)
        if peer.foretells:
            rest = Peer(self.options, name, self.held.h, self.k,
                        self.options.seed)
            more['perplexity'] = self.held.perplexity(rest)
        by = {'own': peer.topics,
              'relevance': measures.relevance(peer.topics, peer.shares)}
        for rank, values in by.items():
            ranked = [measures.first(values, count) for count in (10, 20)]
            self.rows[name, rank] = {**self.figures(ranked), **more}
        print(f'# {self.corpus.name}, K = {self.k}: {name}, '
              f'{time.perf_counter() - start:.0f} s', flush=True)


def behind(figure, x, y):
    """Shares reach 1, so a tie is not behind."""
    return x > y if figure == 'perplexity' else x < y


def judge_lda(case, mine):
    """For each figure: against every LDA by every ranking."""
    for figure in FIGURES:
        theirs = {f'{name} by {rank}': row[figure]
                  for (name, rank), row in case.rows.items()
                  if 'LDA' in name and row.get(figure) is not None}
        if not theirs or figure in ASIDE:
            continue
        ahead = [f'{name} {pages.show(value)}'
                 for name, value in theirs.items()
                 if behind(figure, mine[figure], value)]
        yield not ahead, (f'{title(case)}: {figure} '
                          f'{pages.show(mine[figure])} against every LDA' +
                          (', behind ' + ', '.join(ahead) if ahead else ''))


def judge_nmf(case, mine):
    for (name, rank), row in case.rows.items():
        if 'NMF' not in name:
            continue
        yield (mine['npmi'] > row['npmi'] and
               mine['coverage'] >= row['coverage'],
               f'{title(case)}: NPMI {mine["npmi"]:.3f} at coverage '
               f'{mine["coverage"]:.3f}, {name} by {rank} '
               f'{row["npmi"]:.3f} at {row["coverage"]:.3f}')
        if rank == 'own' and 'accuracy' in row:
            yield (mine['accuracy'] > row['accuracy'],
                   f'{title(case)}: accuracy {mine["accuracy"]:.3f}, {name} '
                   f'{row["accuracy"]:.3f}')


def title(case):
    return f'{case.corpus.name}, K = {case.k}'


def judge(case):
    mine = next(iter(case.rows.values()))
    yield from judge_lda(case, mine)
    yield from judge_nmf(case, mine)


def tell(page, case):
    documents, words = case.h.shape
    page.add(f'## {title(case)}')
    page.add(f'{documents} documents, {words} words, {int(case.h.nnz)} pairs '
             'of the two.')
    page.table(['tool', 'rank', *FIGURES],
               [[name, rank, *(row.get(f) for f in FIGURES)]
                for (name, rank), row in case.rows.items()])
    page.add('kedge by `--rank relevance --lambda X`:')
    page.table(['lambda', *WORDS], case.grid)
    page.add('kedge beside others at no less coverage than theirs:')
    page.table(['tool', 'rank', 'npmi', 'coverage', 'kedge', 'coverage',
                'lambda'], list(level(case)))
    page.verdicts(judge(case))


def level(case):
    """Beside each of the others, the lambda of kedge with the highest NPMI
    among those with no less coverage."""
    for (name, rank), row in case.rows.items():
        if name == DEFAULT:
            continue
        enough = [x for x in case.grid if x[COVERAGE] >= row['coverage']]
        best = max(enough, key=lambda x: x[1]) if enough else [None] * 4
        yield [name, rank, row['npmi'], row['coverage'], best[1],
               best[COVERAGE], best[0]]


def choose(options):
    """Lists for what the command line says."""
    if options.quick:
        options.corpora, options.k = 'harbour', '12'
        options.peers = 'NMF'
    options.corpora = options.corpora.split(',')
    options.k = [int(k) for k in options.k.split(',')]
    parts = options.peers.split(',')
    options.peers = [name for name in PEERS
                     if any(part in name for part in parts)]


def main():
    p = pages.options(parser(__doc__))
    p.add_argument('--corpora', default=','.join(ALL))
    p.add_argument('-k', default='20,50')
    p.add_argument('--peers', default='gensim,scikit-learn',
                   help='those with one of these in their names')
    p.add_argument('--quick', action='store_true',
                   help="this project's own small corpus, NMF alone")
    options = pages.finish(begin(p))
    choose(options)
    page = pages.Page(options, 'better', __doc__)
    for name in options.corpora:
        corpus = Corpus(options, name)
        for k in options.k:
            tell(page, Case(options, corpus, k))
    end()


if __name__ == '__main__':
    main()
