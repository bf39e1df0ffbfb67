# SPDX-License-Identifier: MIT
"""Compositions of documents by linear Bayes, from topics B and correlations A.

The prior is known by its mean mu = A e and covariance S = A - mu mu' alone.
Given a document's topic counts, the posterior mean that is linear in them is
mu + M_n (counts / n - mu), with M_n = S (S + N / n)^-1 and N = diag mu - A.
Counts are what each word is expected to belong to, under the posterior mean
without the word itself; both are brought to agree by repetition, all documents
of a piece at once.
"""
import numpy as np
import scipy.linalg as la
from scipy import sparse

PIECE = 100     # documents, so that what is worked on stays in the cache
STEPS = 100
ENOUGH = 1e-3   # change of a composition, l1
FLOOR = 1e-3    # of a topic's share


def tidy(a):
    """Least squares leave a few correlations below zero."""
    a = np.maximum(a, 0)
    return (a + a.T) / (2 * a.sum())


class Prior:
    """M_n for any n, from one generalised eigendecomposition of S and N."""

    def __init__(self, a):
        k = len(a)
        self.mu = a.sum(1)
        s, n = a - np.outer(self.mu, self.mu), np.diag(self.mu) - a
        n = n + np.trace(n) / k * (1 + 1e-6 * np.eye(k))
        values, self.v = la.eigh((s + s.T) / 2, (n + n.T) / 2)
        self.values, self.nv = np.maximum(values, 0), n @ self.v

    def gain(self, n):
        x = n[:, None] * self.values
        return x / (x + 1)

    def diagonal(self, gain):
        return gain @ (self.nv * self.v).T

    def posterior(self, gain, shares):
        mean = self.mu + ((shares - self.mu) @ self.v * gain) @ self.nv.T
        mean = np.maximum(mean, FLOOR * self.mu)
        return mean / mean.sum(1, keepdims=True)


def piece(h, b, prior):
    """Compositions of the documents of h, a row each; none of them empty."""
    n = np.asarray(h.sum(1)).ravel()
    w = np.tile(prior.mu, (len(n), 1))
    left, g = np.arange(len(n)), np.zeros((h.nnz, b.shape[1]))
    for _ in range(STEPS):
        part, count = h[left], n[left]
        row = np.repeat(np.arange(len(left)), np.diff(part.indptr))
        gain = prior.gain(count)
        own = prior.diagonal(gain) / count[:, None]
        g = b[part.indices] * np.maximum(w[left][row] - own[row] * g,
                                         FLOOR * prior.mu)
        g /= np.maximum(g.sum(1, keepdims=True), 1e-300)
        counts = sparse.csr_matrix(
            (part.data, np.arange(part.nnz), part.indptr),
            (len(left), part.nnz)) @ g
        new = prior.posterior(gain, counts / count[:, None])
        going = np.abs(new - w[left]).sum(1) >= ENOUGH
        w[left] = new
        left, g = left[going], g[going[row]]
        if len(left) == 0:
            break
    return w


def linear_bayes(h, b, a):
    """A row per document of h (documents by words); those without words get
    the mean."""
    prior = Prior(tidy(a))
    w = np.tile(prior.mu, (h.shape[0], 1))
    full = np.flatnonzero(np.asarray(h.sum(1)).ravel() > 0)
    for at in range(0, len(full), PIECE):
        rows = full[at:at + PIECE]
        w[rows] = piece(h[rows].tocsr(), b, prior)
    return w
