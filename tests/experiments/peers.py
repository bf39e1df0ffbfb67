# SPDX-License-Identifier: MIT
"""What people would use instead: scikit-learn's and gensim's models.

A peer is fitted to documents by words, and then has `topics` (words by topics,
as it ranks words itself), `shares` of the topics, compose(h), its own transform
with rows that sum to one, and, if it can foretell words, mixture(h): rows and
p(word | topic) whose product is the words' distribution.

Fitted peers and their compositions are slow to make, so they are kept in the
work folder under a digest of the matrix and of the settings.
"""
import hashlib
import os
import pickle
from functools import cached_property

import bench

bench.need('gensim')

import numpy as np

SMALL, LARGE = 10000, 30000   # documents


def fitting(settings, h):
    """Three values are for small, middling and large corpora: the larger, the
    fewer passes are needed, for each has more steps in it."""
    size = int(h.shape[0] >= SMALL) + int(h.shape[0] >= LARGE)
    return {name: value[size] if isinstance(value, tuple) else value
            for name, value in settings.items()}


def unit(rows):
    """Rows that sum to one; a row of zeros becomes uniform."""
    sums = rows.sum(1, keepdims=True)
    return np.where(sums > 0, rows / np.maximum(sums, 1e-300),
                    1 / rows.shape[1])


class SklearnNmf:
    """NMF of tf-idf, rows of length one."""

    sublinear = False
    settings = dict(init='nndsvda', max_iter=400)
    foretells = True

    def __init__(self, h, k, seed, **more):
        from sklearn.decomposition import NMF
        from sklearn.feature_extraction.text import TfidfTransformer
        self.tfidf = TfidfTransformer(sublinear_tf=self.sublinear).fit(h)
        self.model = NMF(k, random_state=seed, **{**self.settings, **more})
        w = self.model.fit_transform(self.tfidf.transform(h))
        self.topics = self.model.components_.T
        self.shares = w.sum(0) * self.topics.sum(0)
        self.shares /= self.shares.sum()

    def raw(self, h):
        return self.model.transform(self.tfidf.transform(h))

    def compose(self, h):
        return unit(self.raw(h))

    def mixture(self, h):
        return unit(self.raw(h) * self.plain().sum(0)), self.emission()

    def plain(self):
        """Topics with the words' weights divided out again."""
        return self.topics / self.tfidf.idf_[:, None]

    def emission(self):
        plain = self.plain()
        return plain / np.maximum(plain.sum(0), 1e-300)


class SklearnNmfSublinear(SklearnNmf):
    sublinear = True


class SklearnLda:
    """Batch for small corpora, online for large ones."""

    settings = dict(learning_method=('batch', 'online', 'online'),
                    max_iter=(30, 5, 3), batch_size=512, learning_offset=50.0)
    foretells = True

    def __init__(self, h, k, seed):
        from sklearn.decomposition import LatentDirichletAllocation
        self.model = LatentDirichletAllocation(
            k, random_state=seed, **fitting(self.settings, h))
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


def bags_of(h):
    """As gensim reads them, a column per document."""
    from gensim.matutils import Sparse2Corpus
    return Sparse2Corpus(h.T.tocsc().astype(float), documents_columns=True)


class GensimLda:
    """Several passes in chunks; both priors are learnt."""

    settings = dict(passes=(10, 5, 3), chunksize=(256, 500, 2000),
                    iterations=100, alpha='auto', eta='auto',
                    eval_every=None, dtype=np.float64)
    foretells = True

    def __init__(self, h, k, seed):
        from gensim.models import LdaModel
        self.model = LdaModel(bags_of(h), num_topics=k, random_state=seed,
                              id2word={i: str(i) for i in range(h.shape[1])},
                              **fitting(self.settings, h))
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


def dense(vectors, k):
    """gensim's lists of pairs as rows."""
    rows = []
    for vector in vectors:
        row = np.zeros(k)
        for topic, value in vector:
            row[topic] = value
        rows.append(row)
    return np.array(rows)


class GensimNmf:
    """Its online NMF, of tf-idf."""

    settings = dict(passes=5, kappa=1.0, chunksize=2000)
    foretells = False

    def __init__(self, h, k, seed):
        from gensim.models import TfidfModel
        from gensim.models.nmf import Nmf
        self.k = k
        words = {i: str(i) for i in range(h.shape[1])}
        self.tfidf = TfidfModel(bags_of(h), id2word=words)
        self.model = Nmf(self.weighted(h), num_topics=k, id2word=words,
                         random_state=seed, minimum_probability=0,
                         eval_every=None, **self.settings)
        self.topics = self.model.get_topics().T
        part = np.random.default_rng(seed).permutation(h.shape[0])[:2000]
        self.shares = self.compose(h[part]).mean(0)

    def weighted(self, h):
        return [self.tfidf[bag] for bag in bags_of(h)]

    def compose(self, h):
        return unit(dense((self.model[bag] for bag in self.weighted(h)),
                          self.k))


class GensimLsi(GensimNmf):
    """Singular vectors of tf-idf; a word's rank in one is by its absolute
    value, as gensim shows them, and shares are by singular values."""

    settings = dict(chunksize=20000, power_iters=2, extra_samples=100)

    def __init__(self, h, k, seed):
        from gensim.models import LsiModel, TfidfModel
        self.k = k
        words = {i: str(i) for i in range(h.shape[1])}
        self.tfidf = TfidfModel(bags_of(h), id2word=words)
        self.model = LsiModel(self.weighted(h), num_topics=k, id2word=words,
                              random_seed=seed, **self.settings)
        self.topics = np.abs(self.model.projection.u)
        self.shares = self.model.projection.s / self.model.projection.s.sum()

    def compose(self, h):
        """As they are: these have signs and no sum."""
        return dense((self.model[bag] for bag in self.weighted(h)), self.k)


PEERS = {'scikit-learn NMF': SklearnNmf,
         'scikit-learn NMF (1 + ln tf)': SklearnNmfSublinear,
         'gensim NMF': GensimNmf,
         'scikit-learn LDA': SklearnLda,
         'gensim LDA': GensimLda,
         'gensim LSI': GensimLsi}


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
    """A peer that is fitted when first asked, if it was not kept."""

    def __init__(self, options, name, h, k, seed=0, **more):
        self.options = options
        self.kind = PEERS[name]
        self.foretells = self.kind.foretells
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

    @property
    def shares(self):
        return self.model.shares

    def compose(self, h):
        key = mark(h, self.key, 'compose')
        return kept(self.options, key, lambda: self.model.compose(h))

    def mixture(self, h):
        key = mark(h, self.key, 'mixture')
        return kept(self.options, key, lambda: self.model.mixture(h))
