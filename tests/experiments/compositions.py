#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How close do inferred topic proportions come to the true ones?

Documents are drawn from known topic proportions and from the topics B of
kedge's models of real corpora (--tf raw, --term-weight none, 15 iterations of
ENN). Two priors:

- Dirichlet: parameters 5 / K; topics are not correlated.
- logistic normal: the mean of the model and the covariance 4 (0.8 in groups of
  five + 0.2 I); topics of a group are correlated.

True topics: each method knows B and the second moments A of the prior. Gibbs
sampling knows B and the Dirichlet nearest to A, which is the prior itself
where that is a Dirichlet. "normal" samples with the logistic normal itself; a
method that knows A alone cannot be expected to reach it. Learned topics: kedge
learns B and A from the sampled documents and infers the topic proportions of
the first of them. Topics are matched with the true ones by their words. Gibbs
has the learned B and the Dirichlet nearest to the learned A; "Gibbs, true
prior" the Dirichlet that was drawn from. Bars: the distance of linear Bayes is
at most 2 to 12 % above that of sampling.

Caveats:
- Documents are drawn from the model, so word order, burstiness and topics
  outside the model play no part.
- TLI is tried with at most 50 topics: its matrix takes minutes with 150.

Columns:
- Figures are Hellinger distances from the true topic proportions, means over
  documents and models; lower is better.
- prominent topics (appendix): the largest ones, until they have 0.8 of the
  document. Precision, recall and F1 compare them with the true prominent ones;
  non-prominent is the inferred share of topics that are not prominent in
  truth.
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
PRIOR = {'SS': 'Dirichlet', 'SR': 'logistic normal'}
WITHIN = {('SS', 150): ('Gibbs', 1.06), ('SS', 15): ('Gibbs', 1.02),
          ('SR', 150): ('normal', 1.12), ('SR', 15): ('normal', 1.05)}
RECOVERED = 1.08


def source_of(setting, second):
    return (composed.separate(len(second)) if setting == 'SS' else
            composed.together(second.sum(1)))


class Case:
    """A model and a prior: documents, and topic proportions by each method."""

    def __init__(self, options, model, setting, tokens):
        self.options, self.model = options, model
        self.setting, self.tokens = setting, tokens
        self.source = source_of(
            setting, composed.legal(model.correlations))
        rng = np.random.default_rng(options.seed)
        self.truth = self.source.draw(options.learnt, rng)
        self.h = composed.write(self.truth, model.topics, tokens, rng)
        self.some = slice(0, options.documents)

    def distances(self, theta):
        return composed.distances(theta, self.truth[self.some])

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
        """The same with the B and A that kedge learns from the documents."""
        learned = Learned(self.options, self.model, self.h, self.some)
        found = {name: self.distances(learned.true(learned.infer(*how)))
                 for name, how
                 in composed.flags(self.options,
                                   self.truth.shape[1]).items()}
        problem = composed.Problem(self.options, learned.topics,
                                   self.h[self.some])
        priors = {'Gibbs': composed.matched(
            composed.legal(learned.correlations))}
        if self.setting == 'SS':
            priors['Gibbs, true prior'] = self.source.alpha
        for name, alpha in priors.items():
            found[name] = self.distances(learned.true(problem.sample(
                composed.Dirichlet(alpha), *composed.DIRICHLET)))
        learned.close()
        return found, learned.strayed


class Learned:
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
        self.correlations = files.correlations
        row = {word: i for i, word in enumerate(model.words)}
        self.topics = np.zeros(model.topics.shape)  # some words did not occur
        self.topics[[row[word] for word in files.words]] = files.topics
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

    def true(self, theta):
        return theta[:, self.column]

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

    def mean(self, cell, method):
        """None where it was not tried on all of them."""
        rows = [found.get(method) for found in self.by[cell].values()]
        return dict.fromkeys(MEASURES) if None in rows else mean(rows)

    def heading(self, cell):
        return f'{self.title}, {PRIOR[cell[0]]}, {cell[1]} tokens'

    def tell(self, page, cell):
        names = self.methods(cell)
        page.add(f'### {self.heading(cell)}', long=True)
        page.table(['Hellinger', 'K', *names],
                   [[*model, *(found.get(name, {}).get('Hellinger')
                              for name in names)]
                    for model, found in self.by[cell].items()], long=True)
        page.table(['all models', *names],
                   [[x, *(self.mean(cell, name)[x] for name in names)]
                    for x in MEASURES], long=True)


def summary(some):
    """Hellinger by method, a column for each prior and length."""
    for found in some:
        cells = [cell for cell in CELLS if found.by[cell]]
        names = dict.fromkeys(name for cell in cells
                              for name in found.methods(cell))
        yield f'## {found.title.capitalize()}'
        yield pages.lay(
            ['method', *(f'{PRIOR[x]}, {tokens} tokens' for x, tokens
                         in cells)],
            [[name, *(found.mean(cell, name)['Hellinger'] for cell in cells)]
             for name in names])


def within(found, cell, yardstick, most):
    lb, its = (found.mean(cell, name)['Hellinger']
               for name in ('linear-bayes', yardstick))
    return lb <= most * its, (
        f'{found.heading(cell)}: linear-bayes {lb:.4f}, {yardstick} '
        f'{its:.4f}: ratio {lb / its:.3f}, at most {most}')


def judge(known):
    for cell, (yardstick, most) in WITHIN.items():
        yield within(known, cell, yardstick, most)
        if cell[0] == 'SR':
            yield within(known, cell, 'Gibbs', 1)


def judge_recovered(found):
    for cell in CELLS:
        names = found.methods(cell)
        for name in ('Gibbs', 'Gibbs, true prior'):
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
    known, learned = Found('true topics'), Found('learned topics')
    strayed, models = {}, []
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
        print(f'# {name}, K = {k}: true topics', flush=True)
    for cell in CELLS:
        known.tell(page, cell)
    page.verdicts(judge(known))
    for name, k, model in models:
        for cell in CELLS if k <= options.most else ():
            by, far = found(options, model, cell, 'recovered')
            learned.add(cell, (name, k), by)
            strayed.setdefault((name, k), []).append(far)
        print(f'# {name}, K = {k}: learned', flush=True)
    for cell in CELLS:
        learned.tell(page, cell)
    page.add('### Mean l1 distance of learned topics from the true ones',
             long=True)
    page.table(['corpus', 'K', *(f'{PRIOR[setting]}, {tokens} tokens'
                                 for setting, tokens in CELLS)],
               [[*model, *far] for model, far in strayed.items()], long=True)
    page.front('\n\n'.join(summary([known, learned])))
    page.verdicts(judge_recovered(learned))


def main():
    p = pages.options(parser(__doc__))
    p.add_argument('--corpora', default='kos,poliblog,newsgroups')
    p.add_argument('-k', default=','.join(map(str, KS)))
    p.add_argument('--documents', type=int, default=2000,
                   help='whose topic proportions are inferred')
    p.add_argument('--learnt', type=int, default=10000,
                   help='that models are learned from')
    p.add_argument('--most', type=int, default=50,
                   help='largest K whose model is learned again')
    options = composed.programs(pages.finish(begin(p)))
    options.kedge = [*JOINT, *map(str, PAPERS)]
    page = pages.Page(options, 'compositions', __doc__)
    run(options, page)
    page.end()


if __name__ == '__main__':
    main()
