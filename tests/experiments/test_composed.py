#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Samplers, methods and distances, on cases that can be worked out: two topics
by summing over a grid, words that tell topics without doubt.

    test_composed.py COMPOSING SAMPLING
"""
import bench

import os
import sys
import tempfile
import unittest
from types import SimpleNamespace

import numpy as np
from scipy import sparse

import composed

# Three words, two topics; three documents.
TOPICS = np.array([[0.6, 0.1], [0.3, 0.3], [0.1, 0.6]])
H = sparse.csr_matrix([[4, 1, 0], [0, 3, 9], [1, 0, 1]])
GRID = (np.arange(20000) + 0.5) / 20000


def summed(weight, share):
    """E of the first topic's share, of documents H, over a grid of them."""
    p = np.outer(share, TOPICS[:, 0]) + np.outer(1 - share, TOPICS[:, 1])
    weights = np.exp(H @ np.log(p).T) * weight
    return weights @ share / weights.sum(1)


class Yardsticks(unittest.TestCase):
    def setUp(self):
        folder = os.path.dirname(os.path.abspath(sys.argv[1]))
        self.work = tempfile.TemporaryDirectory()
        self.options = SimpleNamespace(programs=folder, work=self.work.name)
        self.problem = composed.Problem(self.options, TOPICS, H)

    def tearDown(self):
        self.work.cleanup()

    def test_dirichlet(self):
        source = composed.Dirichlet([0.5, 1.5])
        found = self.problem.sample(source, 100, 40000)
        expected = summed(GRID ** -0.5 * (1 - GRID) ** 0.5, GRID)
        np.testing.assert_allclose(found[:, 0], expected, atol=5e-3)
        np.testing.assert_allclose(found.sum(1), 1)

    def test_normal(self):
        """The difference of two normal numbers has the variance 1 + 4 - 2 1.2,
        for their covariance is 1.2."""
        source = composed.Normal([0.5, -0.5], [[1, 1.2], [1.2, 4]])
        found = self.problem.sample(source, 200, 20000)
        z = (GRID - 0.5) * 30
        share = 1 / (1 + np.exp(-z))
        expected = summed(np.exp(-0.5 * (z - 1) ** 2 / 2.6), share)
        np.testing.assert_allclose(found[:, 0], expected, atol=5e-3)

    def test_seed(self):
        source = composed.Dirichlet([1, 1])
        first, again, other = (self.problem.sample(source, 5, 5, seed)
                               for seed in (1, 1, 2))
        np.testing.assert_array_equal(first, again)
        self.assertGreater(np.abs(first - other).max(), 0)

    def test_no_words(self):
        """What is expected without a word: the mean."""
        none = composed.Problem(self.options, TOPICS,
                                sparse.csr_matrix((1, 3)))
        found = none.sample(composed.Dirichlet([1, 3]), 1, 1)
        np.testing.assert_allclose(found, [[0.25, 0.75]])

    def test_methods(self):
        """Words that tell their topic: least squares goes by these alone,
        linear Bayes, of a Dirichlet, adds its parameters."""
        h = sparse.csr_matrix([[3, 1], [0, 6]])
        problem = composed.Problem(self.options, np.eye(2), h)
        source = composed.Dirichlet([0.5, 1.5])
        second = source.second()
        np.testing.assert_allclose(problem.compose('least-squares', second),
                                   [[0.75, 0.25], [0, 1]], atol=1e-6)
        np.testing.assert_allclose(
            problem.compose('linear-bayes', second),
            [[3.5 / 6, 2.5 / 6], [0.5 / 8, 7.5 / 8]], atol=1e-4)
        np.testing.assert_allclose(
            problem.sample(source, 0, 1),
            problem.compose('linear-bayes', second), atol=1e-4)

    def test_too_little(self):
        with self.assertRaises(SystemExit):
            self.problem.solve('sampling', self.problem.bytes([1.0]),
                               'dirichlet', 1, 1, 0)


class Sources(unittest.TestCase):
    def test_matched(self):
        """A Dirichlet's own is itself."""
        alpha = np.array([0.2, 0.5, 3])
        np.testing.assert_allclose(
            composed.matched(composed.Dirichlet(alpha).second()), alpha)

    def test_second(self):
        """As that of many draws."""
        source = composed.Dirichlet([0.5, 1, 2])
        w = source.draw(200000, np.random.default_rng(0))
        np.testing.assert_allclose(w.T @ w / len(w), source.second(),
                                   atol=2e-3)

    def test_together(self):
        """Topics of a group rise and fall together, others do not."""
        w = composed.together(np.full(10, 0.1)).draw(
            50000, np.random.default_rng(0))
        r = np.corrcoef(np.log(w / w.mean(1, keepdims=True)).T)
        self.assertGreater(r[0, 1], 0.5)
        self.assertLess(r[0, 9], 0)

    def test_write(self):
        """All tokens are there, and words are as often as they should be."""
        w = composed.separate(2).draw(4000, np.random.default_rng(0))
        h = composed.write(w, TOPICS, 50, np.random.default_rng(1))
        self.assertTrue((np.asarray(h.sum(1)) == 50).all())
        np.testing.assert_allclose(np.asarray(h.mean(0)).ravel() / 50,
                                   w.mean(0) @ TOPICS.T, atol=5e-3)


class Distances(unittest.TestCase):
    def test_prominent(self):
        found = composed.prominent(np.array([[0.1, 0.5, 0.4], [0.8, 0.2, 0]]))
        np.testing.assert_array_equal(
            found, [[False, True, True], [True, False, False]])

    def test_by_hand(self):
        """The second topic is prominent in truth, the first two are found."""
        found = composed.distances(np.array([[0.5, 0.5, 0]]),
                                   np.array([[0, 1.0, 0]]))
        root = np.sqrt(0.5)
        expected = {'precision': 0.5, 'recall': 1, 'F1': 2 / 3,
                    'non-prominent': 0.5, 'l1': 1, 'linf': 0.5,
                    'Hellinger': np.sqrt(1 - root), 'cosine': 1 - root}
        for name, value in expected.items():
            self.assertAlmostEqual(found[name], value, msg=name)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
