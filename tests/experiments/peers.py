# SPDX-License-Identifier: MIT
"""The other tools: models of scikit-learn and gensim, with their settings.

A peer is fitted to a matrix of documents by words. Then it has `topics` (words
by topics, as the tool itself ranks words), `shares` (p(topic)), compose(h) (the
topic proportions by its own transform; rows sum to one), and mixture(h): rows
and p(word | topic), whose product predicts the words of h.

Fitting is slow, so fitted peers and their topic proportions are kept in the
work folder under a digest of the matrix and of the settings.
"""
import hashlib
import os
import pickle
from functools import cached_property

import bench

bench.need('gensim')

import numpy as np


def unit(rows):
    """Rows that sum to one; a row of zeros becomes uniform."""
    sums = rows.sum(1, keepdims=True)
    return np.where(sums > 0, rows / np.maximum(sums, 1e-300),
                    1 / rows.shape[1])


class SklearnNmf:
    """NMF of tf-idf, rows of length one. `topics` has the weights of tf-idf in
    it, emission() has not."""

    sublinear = False
    settings = dict(init='nndsvda', max_iter=400)

    def __init__(self, h, k, seed, **more):
        from sklearn.decomposition import NMF
        from sklearn.feature_extraction.text import TfidfTransformer
        self.tfidf = TfidfTransformer(sublinear_tf=self.sublinear).fit(h)
        self.model = NMF(k, random_state=seed, **{**self.settings, **more})
        w = self.model.fit_transform(self.tfidf.transform(h))
        self.topics = self.model.components_.T
        self.shares = w.sum(0) * self.plain().sum(0)
        self.shares /= self.shares.sum()

    def raw(self, h):
        return self.model.transform(self.tfidf.transform(h))

    def compose(self, h):
        return unit(self.raw(h))

    def mixture(self, h):
        return unit(self.raw(h) * self.plain().sum(0)), self.emission()

    def plain(self):
        """Topics with the weights of the words divided out."""
        return self.topics / self.tfidf.idf_[:, None]

    def emission(self):
        plain = self.plain()
        return plain / np.maximum(plain.sum(0), 1e-300)


class SklearnNmfSublinear(SklearnNmf):
    sublinear = True


class SklearnLda:
    """Variational Bayes over all documents at once, until it has settled; both
    priors are the default, 1 / K."""

    settings = dict(learning_method='batch', max_iter=20)

    def __init__(self, h, k, seed):
        from sklearn.decomposition import LatentDirichletAllocation
        self.model = LatentDirichletAllocation(k, random_state=seed,
                                               **self.settings)
        self.model.fit(h)
        self.tell()

    def tell(self):
        counts = self.model.components_.T
        self.topics = counts / counts.sum(0)
        self.shares = counts.sum(0) / counts.sum()

    def compose(self, h):
        return self.model.transform(h)

    def mixture(self, h):
        return self.compose(h), self.topics


class SklearnOnce(SklearnLda):
    """One pass, without the extra pass that fit() ends with."""

    settings = dict(batch_size=4096)

    def __init__(self, h, k, seed):
        from sklearn.decomposition import LatentDirichletAllocation
        self.model = LatentDirichletAllocation(
            k, random_state=seed, total_samples=h.shape[0], **self.settings)
        self.model.partial_fit(h)
        self.tell()


def bags_of(h):
    """As gensim reads them, a column per document."""
    from gensim.matutils import Sparse2Corpus
    return Sparse2Corpus(h.T.tocsc().astype(float), documents_columns=True)


class GensimLda:
    """Online variational Bayes in chunks of 2,000 documents, the default, but
    with more passes, which small corpora need most: as many as read 60,000
    documents, 10 at least. Both priors are learnt (alpha and eta 'auto')."""

    settings = dict(passes=(10, 60000), alpha='auto', eta='auto', iterations=100,
                    eval_every=None, dtype=np.float64)

    def __init__(self, h, k, seed):
        from gensim.models import LdaModel
        least, read = self.settings['passes']
        self.model = LdaModel(bags_of(h), num_topics=k, random_state=seed,
                              id2word={i: str(i) for i in range(h.shape[1])},
                              **{**self.settings, 'passes': max(
                                  least, read // h.shape[0])})
        counts = self.model.state.get_lambda().T
        self.topics = counts / counts.sum(0)
        self.shares = counts.sum(0) / counts.sum()

    def compose(self, h):
        bags = list(bags_of(h))
        parts = [self.model.inference(bags[at:at + 2000])[0]
                 for at in range(0, len(bags), 2000)]
        return unit(np.concatenate(parts))

    def mixture(self, h):
        return self.compose(h), self.topics


class GensimOnce(GensimLda):
    """One pass with the default priors; perplexity is not computed on the
    way."""

    settings = dict(passes=(1, 1), eval_every=None)


PEERS = {'scikit-learn NMF': SklearnNmf,
         'scikit-learn NMF (1 + ln tf)': SklearnNmfSublinear,
         'scikit-learn LDA': SklearnLda,
         'gensim LDA': GensimLda,
         'scikit-learn LDA, one pass': SklearnOnce,
         'gensim LDA, one pass': GensimOnce}


def mark(h, *more):
    """A digest of a matrix and of whatever else a result depends on."""
    h = h.tocsr()
    h.sort_indices()
    value = hashlib.sha256(repr((h.shape, more)).encode())
    for array in (h.indptr, h.indices, h.data):
        value.update(np.ascontiguousarray(array).astype('<f8').tobytes())
    return value.hexdigest()[:20]


def place_of(options, key):
    return os.path.join(options.work, f'peer-{key}.pickle')


def kept(options, key, make):
    """From the work folder, or made and put there."""
    path = place_of(options, key)
    if os.path.exists(path):
        with open(path, 'rb') as file:
            return pickle.load(file)
    value = make()
    with open(path + '.new', 'wb') as file:
        pickle.dump(value, file)
    os.replace(path + '.new', path)
    return value


class Peer:
    """A peer that is fitted when it is first needed, if it was not kept."""

    def __init__(self, options, name, h, k, seed=0, **more):
        self.options = options
        self.kind = PEERS[name]
        self.key = mark(h, name, sorted(self.kind.settings.items(), key=str),
                        k, seed, sorted(more.items()))
        self.make = lambda: self.kind(h, k, seed, **more)

    def known(self):
        return os.path.exists(place_of(self.options, self.key))

    @cached_property
    def model(self):
        return kept(self.options, self.key, self.make)

    @property
    def topics(self):
        return self.model.topics

    def compose(self, h):
        key = mark(h, self.key, 'compose')
        return kept(self.options, key, lambda: self.model.compose(h))
