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

Bars, for kedge's defaults: ahead of every LDA on each measure, each tool by its
own ranking; ahead of NMF on tf-idf on NPMI, as both stand and at the coverage
of each of NMF's rankings, and on accuracy. kedge's clusters are made of what
`infer --method mean` gives, which is there for that, the others' of their own
transform. Accuracy is of the square roots of compositions, whose distance is
Hellinger's (LSI, which has signs: by angle); that of the rows as they are and
of their angles is told beside it. NMF on 1 + ln tf is judged apart, as harder
than what was asked.
"""
import bench

import hashlib
import os
import time
from functools import cache, partial

import numpy as np

import bars
import measures
import pages
import peers
from common import begin, digest, kept, parser, place, remove
from corpora import ALL, Corpus
from ours import RANKS, Model

WORDS = ('npmi', 'distinct', 'coverage', 'coherence')
FIGURES = WORDS + ('accuracy', 'rows', 'angle', 'largest', 'folded',
                   'perplexity')
STEPS = 20      # of lambda, from 0 to 1


def shown(occurrence, twenty):
    """Figures of the first twenty words, and of ten among them."""
    ten = [words[:10] for words in twenty]
    return {'npmi': occurrence.npmi(ten), 'distinct': measures.distinct(ten),
            'coverage': occurrence.coverage(ten),
            'coherence': occurrence.coherence(twenty)}


def clusters(rows, labels):
    """Accuracy is by roots where these are; the others are told aside."""
    found = {'rows': measures.accuracy(rows, labels),
             'angle': measures.accuracy(measures.directions(rows), labels),
             'largest': measures.accuracy_of_largest(rows, labels)}
    found['accuracy'] = (found['angle'] if rows.min() < 0 else
                         measures.accuracy(np.sqrt(rows), labels))
    return found


class Held:
    """A tenth of the documents, and what a model of the rest makes of it.
    Words that the rest does not hold, as a given vocabulary can have, are
    nobody's to foretell."""

    def __init__(self, options, corpus, k):
        order = np.random.default_rng(options.seed).permutation(
            corpus.documents)
        tenth = corpus.documents // 10
        out, self.rest = np.sort(order[:tenth]), np.sort(order[tenth:])
        self.store = corpus.ingest('rest', self.rest, *options.ingest)
        self.ours = Model(options, self.store, k, *options.kedge)
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
    """One corpus and one number of topics: `rows` of figures by tool and rank,
    those of kedge's defaults first, and `grid`, those of kedge by lambda."""

    def __init__(self, options, corpus, k):
        self.options, self.corpus, self.k = options, corpus, k
        self.rows, self.absent = {}, {}
        store = corpus.ingest('full', np.arange(corpus.documents),
                              *options.ingest)
        self.model = Model(options, store, k, *options.kedge)
        self.h = corpus.view(self.model.words)
        self.occurrence = measures.Occurrence(self.h)
        self.held = Held(options, corpus, k)
        self.ours()
        self.grid = [{'lambda': step / STEPS, **self.ranked(
            '--rank', 'relevance', '--lambda', step / STEPS)}
            for step in range(STEPS + 1)]
        remove(store)
        remove(self.held.store)
        for name in options.peers:
            self.peer(name)

    def ranked(self, *rank):
        return shown(self.occurrence, self.model.tops(20, *rank)[0])

    def ours(self):
        more = {'perplexity': self.held.perplexity(self.held.ours)}
        if self.corpus.labels is not None:
            more |= clusters(self.model.compose(self.corpus),
                             self.corpus.labels)
            more['folded'] = more['accuracy']
        rank = self.model.tops(1)[1]
        self.rows[bars.OURS, f'default ({rank})'] = {**self.ranked(), **more}
        for rank in RANKS:
            self.rows[bars.OURS, rank] = {
                **self.ranked('--rank', rank), **more}

    def clusters(self, peer):
        """Slow enough to be kept."""
        labels = self.corpus.labels
        if labels is None:
            return {}
        key = peers.mark(self.h, peer.key, 'clusters', tuple(labels))
        found = dict(peers.kept(self.options, key, lambda: clusters(
            peer.compose(self.h), labels)))
        if peer.topics.min() >= 0:
            key = peers.mark(self.h, peer.key, 'folded', tuple(labels))
            rows = partial(measures.folded, self.h, peer.topics, peer.shares)
            found['folded'] = peers.kept(
                self.options, key,
                lambda: measures.accuracy(np.sqrt(rows()), labels))
        return found

    def lacks(self, peer, name):
        """Whether it is to be left out."""
        if peer.known() or not self.options.kept:
            return False
        self.absent[name] = peer.key
        return True

    def peer(self, name):
        start = time.perf_counter()
        peer, rest = (peers.Peer(self.options, name, h, self.k,
                                 self.options.seed)
                      for h in (self.h, self.held.h))
        if self.lacks(peer, name):
            return
        more = self.clusters(peer)
        if peer.foretells and not self.lacks(rest, name + ' for perplexity'):
            more['perplexity'] = self.held.perplexity(rest)
        by = {bars.OWN: peer.topics,
              bars.RELEVANCE: measures.relevance(peer.topics, peer.shares)}
        for rank, values in by.items():
            self.rows[name, rank] = {**shown(
                self.occurrence, measures.first(values, 20)), **more}
        print(f'# {self.corpus.name}, K = {self.k}: {name}, '
              f'{time.perf_counter() - start:.0f} s', flush=True)

    def found(self):
        """As JSON can have it."""
        return {'size': [*self.h.shape, int(self.h.nnz)],
                'rows': [[*key, row] for key, row in self.rows.items()],
                'grid': self.grid, 'absent': self.absent}


class Found:
    """What a case found; kept for this very program and these options, as
    long as no peer can be added to it."""

    def __init__(self, options, corpus, name, k):
        self.title = f'{name}, K = {k}'
        key = hashlib.sha256(repr(
            (digest(options.program), name, k, options.seed, options.kedge,
             options.ingest, options.peers)).encode()).hexdigest()[:20]
        path = place(options, f'case-{key}.json')
        if os.path.exists(path) and stale(options, kept(path, dict)):
            os.remove(path)
        found = kept(path, lambda: Case(options, corpus(), k).found())
        self.size, self.grid = found['size'], found['grid']
        self.absent = found['absent']
        self.rows = {(name, rank): row for name, rank, row in found['rows']}
        self.mine = next(iter(self.rows.values()))


class Summary:
    """Of all cases, at the top of the page: which bar is met where."""

    def __init__(self, page):
        self.page, self.titles = page, []
        self.asked, self.harder = [], []
        self.aside, self.lacking = [], []

    def add(self, case):
        figures = case.mine, case.rows, case.grid
        asked = list(bars.judge(*figures))
        harder = list(bars.judge_harder(*figures))
        title = case.title + ' *' * bool(case.absent)
        self.titles.append(title)
        self.asked += [(title, bar) for bar in asked]
        self.harder += [(title, bar) for bar in harder]
        if case.absent:
            self.lacking.append(f'- {title}: {", ".join(case.absent)}')
        self.aside += [f'- {case.title}: {text}'
                       for text in bars.otherwise(*figures[:2])]
        self.page.verdicts((bar.met, f'{case.title}: {bar.text}')
                           for bar in asked)
        self.page.front('\n\n'.join(self.parts()))

    def parts(self):
        yield '## Which bars are met'
        yield self.table(self.asked)
        if self.lacking:
            yield 'A star: judged without those that were not fitted in time.'
            yield '\n'.join(self.lacking)
        yield from self.missed(self.asked, 'Missed:')
        if self.harder:
            yield 'Harder than asked, NMF on 1 + ln tf:'
            yield self.table(self.harder)
            yield from self.missed(self.harder, 'Behind it:')
        if self.aside:
            yield ('Clusters of rows as they are, or of their angles, would '
                   'have told another winner here:')
            yield '\n'.join(self.aside)

    def table(self, found):
        names = dict.fromkeys(bar.name for _, bar in found)
        met = {(bar.name, title): 'met' if bar.met else 'missed'
               for title, bar in found}
        return pages.lay(['bar', *self.titles],
                         [[name, *(met.get((name, title))
                                   for title in self.titles)]
                          for name in names])

    @staticmethod
    def missed(found, text):
        lines = [f'- {title}: {bar.text}' for title, bar in found
                 if not bar.met]
        if lines:
            yield text
            yield '\n'.join(lines)


def stale(options, found):
    absent = found['absent'].values()
    return any(not options.kept or os.path.exists(peers.place_of(options, key))
               for key in absent)


def tell(page, case):
    page.add(f'## {case.title}')
    page.add('{} documents, {} words, {} pairs of the two.'.format(*case.size))
    if case.absent:
        page.add('Not fitted in the time there was: '
                 f'{", ".join(case.absent)}.')
    page.table(['tool', 'rank', *FIGURES],
               [[name, rank, *(row.get(f) for f in FIGURES)]
                for (name, rank), row in case.rows.items()])
    page.add('kedge by `--rank relevance --lambda X`:')
    page.table(case.grid[0], [row.values() for row in case.grid])
    page.add('Others beside kedge at the least coverage that is no less than '
             'theirs:')
    page.table(['tool', 'rank', 'npmi', 'coverage', 'kedge', 'coverage',
                'lambda'], list(beside(case)))


def beside(case):
    for (name, rank), row in case.rows.items():
        if name != bars.OURS:
            best = bars.level(row, case.grid) or {}
            yield [name, rank, row['npmi'], row['coverage'],
                   *(best.get(x) for x in ('npmi', 'coverage', 'lambda'))]


def choose(options):
    """Lists for what the command line says."""
    if options.quick:
        options.corpora, options.k = 'harbour', '12'
        options.peers = 'NMF'
    options.cases = []
    for corpus in options.corpora.split(','):
        name, _, own = corpus.partition(':')
        options.cases.append((name, [int(k) for k in own.split('+')] if own
                              else [int(k) for k in options.k.split(',')]))
    parts = options.peers.split(',')
    options.peers = [name for name in peers.PEERS
                     if any(part in name for part in parts)]


def main():
    p = pages.options(parser(__doc__))
    p.add_argument('--corpora', default=','.join(ALL),
                   help='NAME, or NAME:20+50 for numbers of topics of its own')
    p.add_argument('-k', default='20,50')
    p.add_argument('--peers', default='gensim,scikit-learn',
                   help='those with one of these in their names')
    p.add_argument('--kept', action='store_true',
                   help='leave out peers that are not kept in the work folder')
    p.add_argument('--quick', action='store_true',
                   help="this project's own small corpus, NMF alone")
    options = pages.finish(begin(p))
    choose(options)
    page = pages.Page(options, 'better', __doc__)
    summary = Summary(page)
    for name, ks in options.cases:
        corpus = cache(partial(Corpus, options, name))
        for k in ks:
            case = Found(options, corpus, name, k)
            tell(page, case)
            summary.add(case)
    page.end()


if __name__ == '__main__':
    main()
