# SPDX-License-Identifier: MIT
"""How good topics are: their first words, the clusters that the documents'
topic proportions make, and how well unseen words are predicted.

`h` is documents by words; `tops` has a list of columns for each topic, the
first word first. NPMI and UMass count co-occurrence over whole documents of the
corpus itself.
"""
import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

UNIGRAM = 1e-3   # how much of the unigram every tool's mixture gets
LAMBDA = 0.6     # of relevance, kedge's default
SEED = 0
CLUSTERINGS = 5


class Occurrence:
    """Which documents hold which words."""

    def __init__(self, h):
        self.held = (h > 0).astype(float).tocsc()
        self.df = np.asarray(self.held.sum(0)).ravel()

    def together(self, words):
        part = self.held[:, words]
        return (part.T @ part).toarray()

    def npmi(self, tops):
        """Mean over the pairs of a topic's words; -1 for a pair that never
        occurs together."""
        documents, values = self.held.shape[0], []
        for words in tops:
            i, j = np.triu_indices(len(words), 1)
            p = self.together(words)[i, j] / documents
            q = self.df[words] / documents
            with np.errstate(divide='ignore', invalid='ignore'):
                v = np.where(p > 0, np.log(p / (q[i] * q[j])) / -np.log(p),
                             -1.0)
            values.append(np.nanmean(np.where(p < 1, v, 0)))
        return float(np.mean(values))

    def coherence(self, tops):
        """UMass: sum of ln (D(i, j) + 0.01) / D(j) over ordered pairs."""
        values = []
        for words in tops:
            logs = np.log((self.together(words) + 0.01) /
                          np.maximum(self.df[words], 1))
            values.append(logs.sum() - np.trace(logs))
        return float(np.mean(values))

    def coverage(self, tops):
        """Share of documents that hold two words of some topic's list."""
        k = len(tops)
        column = np.repeat(np.arange(k), [len(words) for words in tops])
        chosen = sparse.csc_matrix(
            (np.ones(len(column)), (np.concatenate(tops), column)),
            (self.held.shape[1], k))
        met = (self.held @ chosen).tocsr().max(1).toarray().ravel()
        return float(np.mean(met >= 2))


def distinct(tops):
    return len(np.unique(np.concatenate(tops))) / sum(map(len, tops))


def matched(found, true):
    """Share of documents in the class that their cluster is matched with."""
    names, y = np.unique(true, return_inverse=True)
    met = np.zeros((found.max() + 1, len(names)))
    np.add.at(met, (found, y), 1)
    i, j = linear_sum_assignment(-met)
    return float(met[i, j].sum() / len(true))


def accuracy(rows, labels):
    """k-means on topic proportions, as many clusters as labels, the best of
    five starts; the mean of five such runs, because much of it is chance."""
    from sklearn.cluster import KMeans
    return float(np.mean([matched(
        KMeans(len(set(labels)), n_init=5, random_state=SEED + i)
        .fit_predict(rows), labels) for i in range(CLUSTERINGS)]))


def directions(rows):
    """Of length one, so that k-means goes by the angle between documents."""
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True),
                             1e-300)


def halves(h, seed=SEED):
    """Each token goes to one half or to the other by a coin."""
    h = h.tocsr()
    rng = np.random.default_rng(seed)
    first = rng.binomial(h.data.astype(int), 0.5).astype(float)
    parts = []
    for data in (first, h.data - first):
        part = sparse.csr_matrix((data, h.indices, h.indptr), h.shape)
        parts.append(part.copy())
        parts[-1].eliminate_zeros()
    return parts


def perplexity(h, rows, emission, unigram):
    """Of the words of h under rows x emission', mixed with a little of the
    unigram, so that no word has probability 0."""
    h = h.tocoo()
    total = 0
    for at in range(0, h.nnz, 100000):
        part = slice(at, at + 100000)
        p = np.einsum('ik,ik->i', rows[h.row[part]], emission[h.col[part]])
        p = (1 - UNIGRAM) * p + UNIGRAM * unigram[h.col[part]]
        total += h.data[part] @ np.log(p)
    return float(np.exp(-total / h.data.sum()))


def unigram(h):
    counts = np.asarray(h.sum(0)).ravel() + 1
    return counts / counts.sum()


def marginals(topics, shares):
    """p(word), 1e-300 at least."""
    return np.maximum(topics @ shares, 1e-300)[:, None]


def relevance(topics, shares, x=LAMBDA):
    """LDAvis's: X ln p(w | t) + (1 - X) ln(p(w | t) / p(w)), as a product."""
    return topics * marginals(topics, shares) ** (x - 1)


def averaged(h, topics, shares):
    """The mean of p(topic | word) over a document's words; documents without
    any get p(topic)."""
    rows = np.asarray(h @ (topics * shares / marginals(topics, shares)))
    rows = np.where(rows.sum(1, keepdims=True) > 0, rows, shares)
    return rows / rows.sum(1, keepdims=True)


def first(values, count):
    """The columns' largest rows, ties by row."""
    return list(np.argsort(-values, axis=0, kind='stable')[:count].T)
