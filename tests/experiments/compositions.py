#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shares of topics by each method of kedge, of documents whose shares are
known, beside sampling.

Topics B are those of kedge's models of real corpora, by the statistic of the
papers (--tf raw --term-weight none, fifteen rounds). SS: shares are drawn
from a Dirichlet whose parameters are 5 / K; topics do not go together. SR: from
a logistic normal whose mean is that of the model, with the covariance 4 (0.8 in
groups of five + 0.2 I); topics of a group go together. Each document has as
many tokens as is said. All methods know B and the second moments A of what
shares were drawn from; samplers know more. "Gibbs" draws topics of tokens, with
B and the Dirichlet that is nearest to A: in SS that is the one that shares were
drawn from. "normal" knows the logistic normal itself; no method that is told A
alone can be expected to reach it. TLI is tried with 50 topics at most: its
matrix takes minutes with 150.

Recovered: kedge learns B and A from the sampled documents themselves, and
infers the shares of the first of these. Topics are matched with the true ones
by the distance of their words. "Gibbs" has the learnt B and the Dirichlet
nearest to the learnt A; "Gibbs, true" the one that was drawn from, in SS.

Figures are means over documents and, unless a model is named, over models.
Prominent topics of a document are its largest until they have 0.8 of it;
precision, recall and F1 are of these beside the true ones, non-prominent is the
share of topics that are not prominent in truth. Hellinger is what is judged.
"""
import bench

import hashlib
import os

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

import composed
import pages
from common import (JOINT, PAPERS, begin, digest, fit, kedge, kept, parser,
                    place, remove)
from corpora import Corpus
from ours import Model, load

KS = (10, 25, 50)
CELLS = [(setting, tokens) for setting in ('SS', 'SR') for tokens in (150, 15)]
MEASURES = ('precision', 'recall', 'F1', 'non-prominent', 'l1', 'linf',
            'Hellinger', 'cosine')
WITHIN = {('SS', 150): ('Gibbs', 1.06), ('SS', 15): ('Gibbs', 1.02),
          ('SR', 150): ('normal', 1.12), ('SR', 15): ('normal', 1.05)}
RECOVERED = 1.08


def source_of(setting, second):
    return (composed.separate(len(second)) if setting == 'SS' else
            composed.together(second.sum(1)))


class Case:
    """A model and a setting: documents, and shares by each method."""

    def __init__(self, options, model, setting, tokens):
        self.options, self.model = options, model
        self.setting, self.tokens = setting, tokens
        self.source = source_of(
            setting, composed.legal(model.correlations))
        rng = np.random.default_rng(options.seed)
        self.truth = self.source.draw(options.learnt, rng)
        self.h = composed.write(self.truth, model.topics, tokens, rng)
        self.some = slice(0, options.documents)

    def distances(self, shares):
        return composed.distances(shares, self.truth[self.some])

    def known(self):
        """{method: distances}, of true B and A."""
        second = self.source.second()
        problem = composed.Problem(self.options, self.model.topics,
                                   self.h[self.some])
        found = {name: self.distances(problem.compose(name, second))
                 for name in composed.flags(self.options, len(second))}
        found['Gibbs'] = self.distances(problem.sample(
            composed.Dirichlet(composed.matched(second)),
            *composed.DIRICHLET))
        if self.setting == 'SR':
            found['normal'] = self.distances(problem.sample(
                self.source, *composed.NORMAL))
        return found

    def recovered(self):
        """Likewise, of B and A that kedge learns from the documents."""
        learnt = Learnt(self.options, self.model, self.h, self.some)
        found = {name: self.distances(learnt.true(learnt.infer(*how)))
                 for name, how
                 in composed.flags(self.options,
                                   self.truth.shape[1]).items()}
        problem = composed.Problem(self.options, learnt.topics,
                                   self.h[self.some])
        priors = {'Gibbs': composed.matched(
            composed.legal(learnt.correlations))}
        if self.setting == 'SS':
            priors['Gibbs, true'] = self.source.alpha
        for name, alpha in priors.items():
            found[name] = self.distances(learnt.true(problem.sample(
                composed.Dirichlet(alpha), *composed.DIRICHLET)))
        learnt.close()
        return found, learnt.strayed


class Learnt:
    """A model of sampled documents; `true` gives columns the order of the true
    topics."""

    def __init__(self, options, model, h, some):
        self.options = options
        path = place(options, f'learnt-{os.getpid()}')
        self.store, self.bags = path + '.store', path + '.txt'
        self.vocab = path + '.vocab'
        self.close()
        with open(self.vocab, 'w', encoding='utf-8') as file:
            file.writelines(word + '\n' for word in model.words)
        how = ['--from', 'uci', '--vocab', self.vocab]
        write_triples(self.bags, h)
        kedge(options, 'ingest', self.store, self.bags, *how, *JOINT, '-q')
        fit(options, self.store, model.topics.shape[1], '--index', 0, '--model',
            'learnt', '-q', *PAPERS)
        files = load(options, self.store, 'learnt')
        self.topics, self.correlations = files.topics, files.correlations
        write_triples(self.bags, h[some])
        self.source = [self.bags, *how]
        l1 = cdist(model.topics.T, self.topics.T, 'cityblock')
        _, self.column = linear_sum_assignment(l1)
        self.strayed = float(l1[np.arange(len(l1)), self.column].mean())

    def infer(self, method, *more):
        path = self.store + '.npy'
        kedge(self.options, 'infer', self.store, *self.source, '--model',
              'learnt', '--method', method, *more, '--format', 'npy', '-o',
              path, '-q')
        rows = np.load(path).astype(float)
        remove(path)
        return rows

    def true(self, shares):
        return shares[:, self.column]

    def close(self):
        for path in (self.store, self.bags, self.vocab):
            remove(path)


def write_triples(path, h):
    h = h.tocoo()
    order = np.lexsort((h.col, h.row))
    with open(path, 'w', encoding='utf-8') as file:
        file.write(f'{h.shape[0]}\n{h.shape[1]}\n{h.nnz}\n')
        columns = (x[order].astype(int).tolist()
                   for x in (h.row + 1, h.col + 1, h.data))
        file.writelines(f'{m} {i} {n}\n' for m, i, n in zip(*columns))


# ---- the page ----------------------------------------------------------------

def mean(rows):
    """Of distances, one for each model."""
    return {x: float(np.mean([row[x] for row in rows])) for x in MEASURES}


class Found:
    """Distances by setting, tokens, model and method."""

    def __init__(self, title):
        self.title, self.by = title, {cell: {} for cell in CELLS}

    def add(self, cell, model, found):
        self.by[cell][model] = found

    def methods(self, cell):
        return list(next(iter(self.by[cell].values())))

    def mean(self, cell, method, k=None):
        """None where it was not tried on all of them."""
        rows = [found.get(method) for model, found in self.by[cell].items()
                if k in (None, model[1])]
        return dict.fromkeys(MEASURES) if None in rows else mean(rows)

    def tell(self, page, cell):
        names = self.methods(cell)
        page.add(f'### {self.title}, {cell[0]}, {cell[1]} tokens')
        page.add('Hellinger:')
        page.table(['corpus', 'K', *names],
                   [[*model, *(found.get(name, {}).get('Hellinger')
                              for name in names)]
                    for model, found in self.by[cell].items()])
        page.add('All, over models of one size and over all:')
        ks = sorted({k for _, k in self.by[cell]})
        page.table(['measure', 'K', *names],
                   [[x, k or 'all', *(self.mean(cell, name, k)[x]
                                      for name in names)]
                    for x in MEASURES for k in [*ks, None]])


def within(found, cell, yardstick, most):
    lb, its = (found.mean(cell, name)['Hellinger']
               for name in ('linear-bayes', yardstick))
    return lb <= most * its, (
        f'{found.title}, {cell[0]}, {cell[1]} tokens: linear-bayes {lb:.4f}, '
        f'{yardstick} {its:.4f}: {lb / its:.3f} of it, at most {most}')


def judge(known):
    for cell, (yardstick, most) in WITHIN.items():
        yield within(known, cell, yardstick, most)
        if cell[0] == 'SR':
            yield within(known, cell, 'Gibbs', 1)


def judge_recovered(found):
    for cell in CELLS:
        names = found.methods(cell)
        for name in ('Gibbs', 'Gibbs, true'):
            if name in names:
                yield within(found, cell, name, RECOVERED)


def found(options, model, cell, what):
    """Distances of a case, kept for these very programs and this model."""
    programs = [digest(options.program),
                digest(os.path.join(options.programs, 'composing'))]
    key = hashlib.sha256(repr(
        (what, cell, programs, options.seed, options.documents,
         options.learnt)).encode() + model.topics.tobytes() +
        model.correlations.tobytes()).hexdigest()[:20]
    return kept(place(options, f'composed-{key}.json'),
                getattr(Case(options, model, *cell), what))


def run(options, page):
    known, recovered = Found('known'), Found('recovered')
    strayed, models = [], []
    for name in options.corpora.split(','):
        corpus = Corpus(options, name)
        store = corpus.ingest('models', np.arange(corpus.documents),
                              '--no-sketch')
        models += [(name, k, Model(options, store, k, *options.kedge))
                   for k in map(int, options.k.split(','))]
        remove(store)
    for name, k, model in models:
        for cell in CELLS:
            known.add(cell, (name, k), found(options, model, cell, 'known'))
        print(f'# {name}, K = {k}: known', flush=True)
    for cell in CELLS:
        known.tell(page, cell)
    page.verdicts(judge(known))
    for name, k, model in models:
        for cell in CELLS if k <= options.most else ():
            by, far = found(options, model, cell, 'recovered')
            recovered.add(cell, (name, k), by)
            strayed.append([name, k, *cell, far])
        print(f'# {name}, K = {k}: recovered', flush=True)
    for cell in CELLS:
        recovered.tell(page, cell)
    page.add('How far learnt topics are from the true ones, l1, on average:')
    page.table(['corpus', 'K', 'setting', 'tokens', 'l1'], strayed)
    page.verdicts(judge_recovered(recovered))


def main():
    p = pages.options(parser(__doc__))
    p.add_argument('--corpora', default='kos,poliblog,newsgroups')
    p.add_argument('-k', default=','.join(map(str, KS)))
    p.add_argument('--documents', type=int, default=2000,
                   help='that are judged')
    p.add_argument('--learnt', type=int, default=10000,
                   help='that models are recovered from')
    p.add_argument('--most', type=int, default=50,
                   help='topics of models that are recovered')
    options = composed.programs(pages.finish(begin(p)))
    options.kedge = [*JOINT, *map(str, PAPERS)]
    page = pages.Page(options, 'compositions', __doc__)
    run(options, page)
    page.end()


if __name__ == '__main__':
    main()
