#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Words that shares of topics foretell, in real documents.

A tenth of the documents is held out of a model. Each of their tokens is seen or
unseen by a coin; shares come from what is seen and foretell what is not, with
1e-3 of the unigram mixed in for every method. Figures are nats of an unseen
token, lower is better. All methods have the same topics, those of kedge; what
is known of shares before is

- of kedge's methods, the model's correlations A;
- of Gibbs, the Dirichlet that is nearest to A; and, beside it, the usual one
  with parameters of 1 / K;
- of the LDA of gensim and of scikit-learn, which find shares by variational
  Bayes, the usual one; and, "told", what they can take of the Dirichlet that
  is nearest to A: gensim all of it, scikit-learn its total.
"""
import bench

bench.need('gensim')

import os

import numpy as np

import composed
import measures
import pages
from common import begin, parser, remove
from corpora import Corpus
from ours import Held, write_bags
from peers import bags_of, unit

NEAR = 0.01   # nats
STEPS = 100   # of the others, for a document


def gensim_shares(topics, h, alpha):
    from gensim.models import LdaModel
    words, k = topics.shape
    model = LdaModel(num_topics=k, alpha=alpha, iterations=STEPS,
                     id2word={i: str(i) for i in range(words)},
                     dtype=np.float64, random_state=0)
    model.expElogbeta = topics.T.copy()
    return unit(model.inference(list(bags_of(h)))[0])


def sklearn_shares(topics, h, alpha):
    """`alpha` is one number. A transform needs the attributes of a fit."""
    from sklearn.decomposition import LatentDirichletAllocation
    words, k = topics.shape
    model = LatentDirichletAllocation(k, max_doc_update_iter=STEPS)
    model.components_ = model.exp_dirichlet_component_ = topics.T.copy()
    model.n_features_in_, model.doc_topic_prior_ = words, alpha
    model.random_state_ = np.random.RandomState(0)
    return model.transform(h)


class Case:
    def __init__(self, options, corpus, k):
        self.options = options
        self.held = Held(options, corpus, k)
        self.model = self.held.ours
        self.seen, self.topics = self.held.seen.tocsr(), self.model.topics

    def infer(self, *method):
        path = self.held.store + '.jsonl'
        write_bags(path, self.seen, self.model.words)
        rows = self.model.infer(path, '--from', 'jsonl', '--text-field',
                                'words', '--method', *method)
        remove(path)
        return rows

    def shares(self):
        k = self.topics.shape[1]
        flags = composed.flags(self.options, k)
        for name, method in flags.items():
            yield name, self.infer(*method)
        alpha = composed.matched(composed.legal(self.model.correlations))
        problem = composed.Problem(self.options, self.topics, self.seen)
        yield 'Gibbs', problem.sample(composed.Dirichlet(alpha),
                                      *composed.DIRICHLET)
        yield 'Gibbs, 1/K', problem.sample(
            composed.Dirichlet(np.full(k, 1 / k)), *composed.DIRICHLET)
        yield 'gensim LDA', gensim_shares(self.topics, self.seen,
                                          np.full(k, 1 / k))
        yield 'gensim LDA, told', gensim_shares(self.topics, self.seen, alpha)
        yield 'scikit-learn LDA', sklearn_shares(self.topics, self.seen, 1 / k)
        yield 'scikit-learn LDA, told', sklearn_shares(
            self.topics, self.seen, alpha.sum() / k)

    def nats(self):
        found = {name: float(np.log(measures.perplexity(
            self.held.unseen, rows, self.topics, self.held.unigram)))
            for name, rows in self.shares()}
        remove(self.held.store)
        return found


def judge(title, nats):
    lb = nats['linear-bayes']
    for name in ('Gibbs', 'Gibbs, 1/K'):
        its = nats[name]
        yield lb <= its + NEAR, (
            f'{title}: linear-bayes {lb:.4f}, {name} {its:.4f}: '
            f'{lb - its:+.4f}, at most {NEAR}')
    for name, its in nats.items():
        if 'LDA' in name:
            yield lb < its, (f'{title}: linear-bayes {lb:.4f}, '
                             f'{name} {its:.4f}')


def main():
    p = pages.options(parser(__doc__))
    p.add_argument('--corpora', default='kos,poliblog,newsgroups')
    p.add_argument('-k', type=int, default=50)
    options = composed.programs(pages.finish(begin(p)))
    page = pages.Page(options, 'completion', __doc__)
    found = {}
    for name in options.corpora.split(','):
        case = Case(options, Corpus(options, name), options.k)
        found[name] = case.nats()
        print(f'# {name}', flush=True)
    page.add(f'K = {options.k}:')
    page.table(['method', *found],
               [[method, *(f'{found[name][method]:.4f}' for name in found)]
                for method in next(iter(found.values()))])
    for name in found:
        page.verdicts(judge(name, found[name]))
    page.end()


if __name__ == '__main__':
    main()
