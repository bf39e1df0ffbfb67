#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Topics that are known are found again: by Gibbs sampling, and of exact
moments; and what errors, lists and correlated shares are, on cases that can be
worked out.

    test_planting.py GIBBS RECOVERING
"""
import bench

import os
import sys
import tempfile
import unittest
from types import SimpleNamespace

import numpy as np

import composed
import planting

K = 4


def separable(rng):
    """An anchor for each topic, and words that are of all."""
    topics = rng.gamma(0.5, size=(40, K))
    topics[:K] = np.diag(np.full(K, 3.0))
    return topics / topics.sum(0)


class Learning(unittest.TestCase):
    def setUp(self):
        folder = os.path.dirname(os.path.abspath(sys.argv[1]))
        self.work = tempfile.TemporaryDirectory()
        self.options = SimpleNamespace(programs=folder, work=self.work.name,
                                       iterations=[300, 5, 4], seed=1)
        self.rng = np.random.default_rng(1)

    def tearDown(self):
        self.work.cleanup()

    def test_exact(self):
        """Every way finds them, whatever goes with what."""
        for shares in (composed.Dirichlet(np.full(K, 0.2)),
                       planting.correlated(K, 0.3, self.rng)):
            source = planting.Source('exact', separable(self.rng), shares)
            for way in planting.ways().values():
                found = planting.exact(self.options, source, *way)
                self.assertLess(planting.errors(source.topics, found).max(),
                                1e-3, way)

    def test_not_separable(self):
        """Without anchors they are not found."""
        topics = separable(self.rng)[K:] + 0.02
        source = planting.Source('none', topics / topics.sum(0),
                                 composed.Dirichlet(np.full(K, 0.2)))
        for way in planting.ways().values():
            found = planting.exact(self.options, source, *way)
            self.assertGreater(planting.errors(source.topics, found).max(),
                               0.05, way)

    def test_gibbs(self):
        topics = separable(self.rng)
        h = composed.write(composed.Dirichlet(np.full(K, planting.ALPHA)).draw(
            200, self.rng), topics, 60, self.rng)
        found, seconds = planting.sampled(self.options, h, K)
        np.testing.assert_allclose(found.sum(0), 1)
        self.assertGreater(seconds, 0)
        self.assertLess(planting.errors(topics, found).max(), 0.2)
        again = planting.sampled(self.options, h, K)
        np.testing.assert_array_equal(found, again[0])

    def test_gibbs_of_one_topic(self):
        """The share of each word, with beta added."""
        h = composed.write(np.ones((30, 1)), separable(self.rng)[:, :1], 20,
                           self.rng)
        found, _ = planting.sampled(self.options, h, 1)
        expected = np.asarray(h.sum(0)).ravel() + planting.BETA
        np.testing.assert_allclose(found[:, 0], expected / expected.sum())


class Measures(unittest.TestCase):
    def test_errors(self):
        """Whatever the order."""
        truth = np.array([[1, 0], [0, 0.5], [0, 0.5]])
        found = np.array([[0, 0.9], [1, 0.1], [0, 0]])
        np.testing.assert_allclose(planting.errors(truth, found), [0.2, 1])
        self.assertIsNone(planting.errors(truth, None))

    def test_unique(self):
        tops = [np.array([1, 2, 3]), np.array([3, 4, 5]), np.array([5, 3, 6])]
        self.assertAlmostEqual(planting.unique(tops), 4 / 3)

    def test_anchored(self):
        topics = planting.anchored(np.array([[0.8, 0.3], [0.2, 0.7]]))
        np.testing.assert_allclose(topics, [[0.8 / 1.8, 0.3 / 1.7],
                                            [0.2 / 1.8, 0.7 / 1.7],
                                            [0.8 / 1.8, 0], [0, 0.7 / 1.7]])

    def test_correlated(self):
        """Groups go together, and documents are of few topics."""
        k = 20
        source = planting.correlated(k, 0.4, np.random.default_rng(0))
        w = source.draw(20000, np.random.default_rng(1))
        r = np.corrcoef(np.log(w / w.mean(1, keepdims=True)).T)
        self.assertGreater(r[0, 1], r[0, k - 1] + 0.3)
        few = composed.Dirichlet(np.full(k, planting.ALPHA)).draw(
            20000, np.random.default_rng(2))
        self.assertAlmostEqual((w * w).sum(1).mean(), (few * few).sum(1).mean(),
                               delta=0.02)

    def test_verdicts(self):
        """Of what the paper found all are met, of its contrary none."""
        def sizes(rise, best, worst, gibbs):
            def one(l2, inverse, own, seconds):
                found = {way: (np.full(K, inverse if 'inverse' in way else l2),
                               1.0) for way in planting.ways()}
                found[planting.GIBBS] = np.full(K, own), seconds
                return found
            return {0: one(0.001, best, 0, 0), 10: one(1, 2, gibbs, 1),
                    100: one(rise, worst, 0.5, 10)}
        good = {'LDA': sizes(0.3, 0.1, 1, 0.9),
                'anchors': sizes(0.2, 0.001, 1, 0.9),
                'rho 0.1': sizes(0.4, 0.1, 1, 0.9)}
        self.assertTrue(all(met for met, _ in planting.judge(good)))
        bad = {'LDA': sizes(0.6, 0, 0.1, 2),
               'anchors': sizes(0.6, 1, 0.1, 2)}
        line = 'kedge'
        for title, found in bad.items():
            for met, text in (*planting.judge_sizes(title, found, line),
                              *planting.judge_exact(title, found[0], line)):
                self.assertFalse(met, text)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
