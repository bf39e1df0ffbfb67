#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Are the measures of `kedge eval` right?

On kos, ap and poliblog, for a default model and one with --tf raw and no term
weights, both compared with the papers' co-occurrence. Measures of words and
topics are the oracle's to its five digits; |C - B A B'| / |C| is within four
standard errors of the exact sum over pairs of documents; C_V is gensim's with a
window longer than any document; clusters are about as good as scikit-learn's.
"""
import json
import sys
import warnings

import numpy as np

from common import (answer, begin, corpus, end, export, fit, ingest, kedge,
                    lines_of, oracle_module, oracle_path, parser, place, run,
                    skip, table, verdict)

ROUNDING = 1.1e-5
ERRORS = 4
CV = 2e-3       # gensim counts windows in its own way at documents' ends
ACCURACY = 0.05
KINDS = {'as usual': (), 'raw': ('--tf', 'raw', '--term-weight', 'none')}
# ours, and the oracle's name for it, by how many first words
SAME = {'umass': ('coherence20', 20), 'dissimilarity':
        ('dissimilarity', 20), 'npmi': ('npmi10', 20),
        'topic_diversity': ('unique10', 10), 'specificity': ('specificity', 20),
        'sparsity': ('sparsity', 20), 'topic_cooccurrence_sum': ('sum_A', 20),
        'relative_dominancy': ('relative_dominancy', 20)}


class Model:
    def __init__(self, options, store, folder, words):
        export(options, store, folder, '--model', 'm')
        row = {w: i for i, w in enumerate(lines_of(folder + '/vocab.txt'))}
        self.b = np.load(folder + '/topics.npy')
        self.a = np.load(folder + '/topic_cooccurrence.npy')
        self.at = np.array([words.index(w) for w in row])


def measures(options, store, *more):
    return answer(kedge(options, 'eval', store, '--model', 'm', '--rank',
                        'probability', '--format', 'json', '--tf', 'raw',
                        *more))['models'][0]


def exact_error(h, model):
    """|C - P|, |C| by Gram matrices of documents: |G G'| = |G'G|."""
    h = h.tocsr()[model.at].tocsc()
    n = np.asarray(h.sum(0)).ravel()
    h, n = h[:, n >= 5], n[n >= 5]
    g = h.multiply(1 / np.sqrt(n * (n - 1))).tocsc()
    d = np.asarray(h.multiply(1 / (n * (n - 1))).sum(1)).ravel()
    own = np.asarray(g.multiply(g).sum(1)).ravel()
    total = h.shape[1]
    norm = ((g.T @ g).multiply(g.T @ g).sum() - 2 * d @ own + d @ d) / total**2
    cb = (g @ (g.T @ model.b) - d[:, None] * model.b) / total
    gram = model.b.T @ model.b
    cross = np.trace(model.a @ (model.b.T @ cb))
    product = np.trace(model.a @ gram @ model.a @ gram)
    return np.sqrt(norm - 2 * cross + product), np.sqrt(norm)


def gensim_cv(h, model):
    warnings.simplefilter('ignore')
    try:
        from gensim.corpora import Dictionary
        from gensim.models.coherencemodel import CoherenceModel
    except ImportError as e:
        skip(str(e))
    columns = h.tocsr()[model.at].T.tocsr()
    texts = [[str(w) for w in columns[m].indices]
             for m in range(columns.shape[0])]
    topics = [[str(w) for w in np.argsort(-c, kind='stable')[:10]]
              for c in model.b.T]
    return CoherenceModel(topics=topics, texts=texts, coherence='c_v',
                          dictionary=Dictionary(texts), window_size=100000,
                          processes=1).get_coherence()


def sklearn_accuracy(options, store, labels):
    from scipy.optimize import linear_sum_assignment
    from sklearn.cluster import KMeans
    path = place(options, 'evaluated.npy')
    kedge(options, 'infer', store, '--model', 'm', '--method', 'mean',
          '--format', 'npy', '-o', path)
    names, y = np.unique(labels, return_inverse=True)
    found = KMeans(len(names), n_init=10, random_state=0).fit_predict(
        np.sqrt(np.load(path)))
    met = np.zeros((len(names), len(names)))
    np.add.at(met, (found, y), 1)
    i, j = linear_sum_assignment(-met)
    return met[i, j].sum() / len(y)


def compare_oracle(options, c, store, folder):
    text = run([sys.executable, oracle_path(options), 'score', c.docword,
                c.vocab, folder + '/topics.npy', '--topics-vocab',
                folder + '/vocab.txt', '--correlations',
                folder + '/topic_cooccurrence.npy']).out
    theirs = json.loads(text[text.index('{\n'):])
    ours = {top: measures(options, store, '--top', top)['measures']
            for top in (10, 20)}
    return {name: (ours[top][name], theirs[key])
            for name, (key, top) in SAME.items()}


def compare(options, c, kind, h, folder):
    store = place(options, 'evaluated.store')
    ingest(options, store, [c.docword], c.vocab,
           *(KINDS[kind][:2]))
    fit(options, store, options.k, '--model', 'm', *KINDS[kind])
    model = Model(options, store, folder, lines_of(c.vocab))
    found = measures(options, store)
    error, norm = exact_error(h, model)
    rows = compare_oracle(options, c, store, folder)
    rows['relative_error'] = (
        found['measures']['relative_error'], error / norm)
    rows['c_v'] = found['measures']['c_v'], gensim_cv(h, model)
    spread = found['measures']['relative_error_spread']
    return store, rows, spread


def judge(name, rows, spread):
    for what, (ours, theirs) in rows.items():
        bar = (ERRORS * spread if what == 'relative_error' else
               CV if what == 'c_v' else ROUNDING * max(1, abs(theirs)))
        verdict(abs(ours - theirs) <= bar,
                f'{name}: {what} {ours:.5g} vs {theirs:.5g}')


def main():
    p = parser(__doc__)
    p.add_argument('--corpora', default='kos,ap,poliblog')
    p.add_argument('-k', type=int, default=20)
    options = begin(p)
    oracle = oracle_module(options)
    for name in options.corpora.split(','):
        c = corpus(options, name)
        h = oracle.read_uci(c.docword)
        for kind in KINDS:
            store, rows, spread = compare(options, c, kind, h,
                                          place(options, 'evaluated.out'))
            if name == 'poliblog':
                labels = c.vocab.replace('vocab.', 'labels.')
                rows['accuracy'] = (
                    measures(options, store, '--labels', labels)
                    ['measures']['clustering_accuracy'],
                    sklearn_accuracy(options, store, lines_of(labels)))
            table([f'{name}, {kind}', 'kedge', 'reference'],
                  [[what, *pair] for what, pair in rows.items()])
            pair = rows.pop('accuracy', None)
            judge(f'{name}, {kind}', rows, spread)
            if pair:
                verdict(pair[0] >= pair[1] - ACCURACY,
                        f'{name}, {kind}: clusters')
    end()


if __name__ == '__main__':
    main()
