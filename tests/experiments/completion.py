#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How well does half of a document predict its other half?

A tenth of the documents is held out: no model is fitted to them. Each of their
tokens goes to the seen or to the unseen half by a coin. Topic proportions come
from the seen half and predict the unseen half; for every method 0.001 of the
words' overall frequencies is mixed in. Every method has the same topics, those
of kedge, so the table compares inference alone. What else a method knows:

- kedge's methods: the topic co-occurrence A.
- Gibbs: the Dirichlet nearest to A; Gibbs, 1/K: the Dirichlet with parameters
  1 / K.
- gensim LDA and scikit-learn LDA (variational Bayes): 1 / K; "fitted prior":
  the Dirichlet nearest to A, of which scikit-learn can take the total only.

Bars: linear Bayes is at most 0.01 behind Gibbs sampling, and ahead of LDA.

Caveats:
- The other tools have kedge's topics here, not their own.
- One seed.

Columns:
- nats for each unseen token, one column for each corpus; lower is better.
"""
import bench

bench.need('gensim')

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


def gensim_proportions(topics, h, alpha):
    from gensim.models import LdaModel
    words, k = topics.shape
    model = LdaModel(num_topics=k, alpha=alpha, iterations=STEPS,
                     id2word={i: str(i) for i in range(words)},
                     dtype=np.float64, random_state=0)
    model.expElogbeta = topics.T.copy()
    return unit(model.inference(list(bags_of(h)))[0])


def sklearn_proportions(topics, h, alpha):
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

    def proportions(self):
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
        yield 'gensim LDA', gensim_proportions(self.topics, self.seen,
                                               np.full(k, 1 / k))
        yield 'gensim LDA, fitted prior', gensim_proportions(
            self.topics, self.seen, alpha)
        yield 'scikit-learn LDA', sklearn_proportions(self.topics, self.seen,
                                                      1 / k)
        yield 'scikit-learn LDA, fitted prior', sklearn_proportions(
            self.topics, self.seen, alpha.sum() / k)

    def nats(self):
        found = {name: float(np.log(measures.perplexity(
            self.held.unseen, rows, self.topics, self.held.unigram)))
            for name, rows in self.proportions()}
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
    page.add(f'## Nats for each unseen token, K = {options.k}')
    page.table(['method', *found],
               [[method, *(f'{found[name][method]:.4f}' for name in found)]
                for method in next(iter(found.values()))])
    for name in found:
        page.verdicts(judge(name, found[name]))
    page.end()


if __name__ == '__main__':
    main()
