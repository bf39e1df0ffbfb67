# SPDX-License-Identifier: MIT
"""Documents with known topic proportions, inference by each method, and the
distance from the truth.

The prior of the topic proportions is a `Dirichlet` or a `Normal`; either has
draw(), its own second moment, and what the program `sampling` needs of it.
"""
import bench

import hashlib
import os
import subprocess

import numpy as np
from scipy import sparse

import common

DRAWN = 200000   # draws for the second moment of a logistic normal
EXACT = 10 ** 12  # documents that a true A counts as
GROUP = 5        # topics that go together
MASS = 0.8       # of a document, that its prominent topics have

# Numbers of compose_method, the step, whether it is as published, and weighted;
# and `kedge infer --method`.
METHODS = {'linear-bayes': ((0, 0, 0, 0), ['linear-bayes']),
           'PADD': ((2, 0.1, 0, 0), ['padd']),
           'PADD as published': ((2, 0.05, 1, 0), ['padd', '--as-published']),
           'PAMI': ((3, 1, 0, 0), ['pami']),
           'TLI': ((5, 0, 0, 0), ['tli']),
           'TLI as published': ((5, 0, 1, 0), ['tli', '--as-published']),
           'least-squares': ((1, 0, 0, 0), ['least-squares']),
           'least-squares weighted': ((1, 0, 0, 1), ['least-squares',
                                                     '--weighted'])}
MOST_TLI = 50   # topics: its matrix takes minutes with 150
DIRICHLET, NORMAL = (100, 300), (80, 200)   # iterations: burn, keep


def matched(second):
    """The Dirichlet with the mean of a second moment, whose own is nearest."""
    mean = second.sum(1)
    spread = np.diag(mean) - np.outer(mean, mean)
    with_it = (spread * (second - np.outer(mean, mean))).sum()
    return mean * max((spread * spread).sum() / max(with_it, 1e-300) - 1, 1e-2)


def legal(second):
    """A topic co-occurrence as it would be without noise."""
    second = np.maximum((second + second.T) / 2, 0)
    return second / second.sum()


class Dirichlet:
    sampler = 'dirichlet'

    def __init__(self, alpha):
        self.alpha = np.asarray(alpha, dtype=float)
        self.known = self.alpha

    def draw(self, count, rng):
        return rng.dirichlet(self.alpha, count)

    def second(self):
        total = self.alpha.sum()
        return ((np.outer(self.alpha, self.alpha) + np.diag(self.alpha)) /
                (total * (total + 1)))


class Normal:
    """Softmax of normal numbers."""

    sampler = 'normal'

    def __init__(self, mean, covariance):
        self.mean = np.asarray(mean, dtype=float)
        self.root = np.linalg.cholesky(covariance)
        self.known = np.concatenate([self.mean, self.root.T.ravel()])

    def draw(self, count, rng):
        z = self.mean + rng.standard_normal((count, len(self.mean))) @ (
            self.root.T)
        w = np.exp(z - z.max(1, keepdims=True))
        return w / w.sum(1, keepdims=True)

    def second(self):
        w = self.draw(DRAWN, np.random.default_rng(1))
        return w.T @ w / DRAWN


def separate(k):
    """SS: few topics a document, and none goes with another."""
    return Dirichlet(np.full(k, 5 / k))


def together(mean):
    """SR: topics of a group of five go together; their means are about those
    of a model."""
    group = np.arange(len(mean)) // GROUP
    covariance = 4 * (0.8 * (group[:, None] == group) +
                      0.2 * np.eye(len(mean)))
    return Normal(np.log(np.maximum(mean, 1e-4)), covariance)


def write(theta, topics, tokens, rng):
    """Bags of words of documents with these topic proportions: a topic for each
    token, and a word of the topic."""
    counts = rng.multinomial(tokens, theta)
    documents, words = [], []
    for topic, column in enumerate(np.cumsum(topics, axis=0).T):
        documents.append(np.repeat(np.arange(len(theta)), counts[:, topic]))
        u = rng.random(len(documents[-1])) * column[-1]
        words.append(np.searchsorted(column, u, side='right'))
    h = sparse.csr_matrix(
        (np.ones(len(theta) * tokens),
         (np.concatenate(documents), np.concatenate(words))),
        (len(theta), len(topics)))
    h.sum_duplicates()
    return h


class Problem:
    """Topics and documents, for programs."""

    def __init__(self, options, topics, h):
        self.options, self.topics, self.h = options, topics, h.tocsr()
        self.h.sort_indices()

    def bytes(self, known):
        h, (rows, k) = self.h, self.topics.shape
        parts = [np.array([rows, k, h.shape[0], h.nnz, len(known)], 'u8'),
                 np.ascontiguousarray(self.topics, 'f8'),
                 np.ascontiguousarray(known, 'f8'), h.indptr.astype('u8'),
                 h.indices.astype('u4'), h.data.astype('u4')]
        return b''.join(part.tobytes() for part in parts)

    def solve(self, program, data, *arguments):
        done = subprocess.run(
            [os.path.join(self.options.programs, program),
             *map(str, arguments)], input=data, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd=self.options.work, check=False)
        if done.returncode != 0:
            raise SystemExit(f'{program}: {done.stderr.decode().strip()}')
        return np.frombuffer(done.stdout).reshape(-1, self.topics.shape[1])

    def compose(self, method, second, documents=EXACT):
        """By kedge, with this topic co-occurrence."""
        weight = 1 / np.maximum(self.topics @ second.sum(1), 1e-300)
        data = self.bytes(np.concatenate([second.ravel(), weight]))
        return self.solve('composing', data, *METHODS[method][0],
                          documents)

    def sample(self, source, burn, keep, seed=0):
        """Slow, and kept in the work folder."""
        data = self.bytes(source.known)
        how = [source.sampler, burn, keep, seed]
        key = hashlib.sha256(repr(how).encode() + data).hexdigest()[:20]
        path = os.path.join(self.options.work, f'sampled-{key}.npy')
        if not os.path.exists(path):
            np.save(path + '.new.npy', self.solve('sampling', data, *how))
            os.replace(path + '.new.npy', path)
        return np.load(path)


def flags(options, k):
    """{method: arguments of `kedge infer`}, of the methods that the program has
    and that do not take too long for so many topics."""
    text = common.kedge(options, 'help', 'methods').out
    return {name: how for name, (_, how) in METHODS.items() if how[0] in text
            and (how[0] != 'tli' or k <= MOST_TLI)}


def programs(options):
    """Where those of the experiments are: in the build of kedge's."""
    build = os.path.dirname(os.path.dirname(os.path.dirname(options.program)))
    options.programs = os.path.join(build, 'tests', 'experiments')
    if not os.path.exists(os.path.join(options.programs, 'sampling')):
        common.skip(f'there is no program {options.programs}/sampling')
    return options


# ---- distances ---------------------------------------------------------------

def prominent(theta):
    """The largest topics of each document, until they have MASS of it."""
    order = np.argsort(-theta, axis=1, kind='stable')
    mass = np.cumsum(np.take_along_axis(theta, order, 1), 1)
    taken = mass - np.take_along_axis(theta, order, 1) < MASS
    found = np.zeros(theta.shape, bool)
    np.put_along_axis(found, order, taken, 1)
    return found


def distances(theta, truth):
    """Means over documents."""
    mine, true = prominent(theta), prominent(truth)
    both = (mine & true).sum(1)
    product = (theta * truth).sum(1) / (
        np.linalg.norm(theta, axis=1) * np.linalg.norm(truth, axis=1))
    found = {'precision': both / mine.sum(1), 'recall': both / true.sum(1),
             'F1': 2 * both / (mine.sum(1) + true.sum(1)),
             'non-prominent': np.where(true, 0, theta).sum(1),
             'l1': np.abs(theta - truth).sum(1),
             'linf': np.abs(theta - truth).max(1),
             'Hellinger': np.sqrt(0.5 * ((np.sqrt(theta) -
                                          np.sqrt(truth)) ** 2).sum(1)),
             'cosine': 1 - product}
    return {name: float(np.mean(values)) for name, values in found.items()}
