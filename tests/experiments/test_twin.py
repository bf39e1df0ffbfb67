#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""AnchorFree and SPA in numpy, of topics that are known."""
import bench

import unittest

import numpy as np
from scipy import sparse

import anchorless
import twin


class Known(unittest.TestCase):
    """P = B A B' of topics without anchors, and with them in the first rows."""

    def setUp(self):
        rng = np.random.default_rng(3)
        self.k = 4
        self.b = anchorless.planted(self.k, rng)
        self.mixed = np.eye(self.k) + 0.2 * rng.random((self.k, self.k))
        self.turn = np.linalg.qr(rng.normal(size=(self.k, self.k)))[0]

    def found(self, b):
        return twin.anchor_free(b @ self.mixed @ self.turn, np.arange(len(b)))

    def test_no_anchors(self):
        c, size = self.found(self.b)
        self.assertLess(anchorless.apart(self.b, c), 1e-6)
        y = self.b @ self.mixed @ self.turn
        rows = np.arange(len(y))
        self.assertAlmostEqual(twin.volume(y, rows, self.b), size, places=6)
        worse = 0.9 * self.b + 0.1 * self.b[:, ::-1]
        self.assertLess(twin.volume(y, rows, worse), size - 0.01)

    def anchored(self):
        b = np.vstack([0.2 * np.eye(self.k), self.b])
        return b / b.sum(0)

    def test_anchors(self):
        b = self.anchored()
        self.assertLess(anchorless.apart(b, self.found(b)[0]), 1e-6)

    def test_spa(self):
        b = self.anchored()
        x = sparse.csr_matrix((b @ self.mixed).T)
        for least in (twin.BLOCK, 1):   # either way to squares
            twin.BLOCK, before = least, twin.BLOCK
            chosen = twin.spa(x, np.arange(len(b)), self.k)
            twin.BLOCK = before
            self.assertEqual(sorted(chosen), list(range(self.k)))
        self.assertLess(anchorless.apart(b, twin.recover(x, chosen)), 1e-3)
        others = twin.spa(x, np.arange(self.k, len(b)), self.k)
        self.assertGreaterEqual(min(others), self.k)


class Documents(unittest.TestCase):
    def test_weighed(self):
        """Of two words in half of four documents each, of tf-idf ln 2: all have
        length one; two and two have something in common."""
        h = sparse.csr_matrix([[2.0, 0], [1, 0], [0, 1], [0, 3]])
        np.testing.assert_allclose(twin.weighed(h).toarray(),
                                   np.array([[1, 0], [1, 0], [0, 1], [0, 1]]) /
                                   np.sqrt(2))

    def test_empty(self):
        x = twin.weighed(sparse.csr_matrix([[1.0, 0], [0, 1], [0, 0]]))
        np.testing.assert_allclose(x.toarray()[2], 0)

    def test_root(self):
        """Of a matrix of rank two, all of it."""
        rng = np.random.default_rng(0)
        x = sparse.csr_matrix(rng.random((9, 2)) @ rng.random((2, 7)))
        y = twin.root(x, 2)
        np.testing.assert_allclose(y @ y.T, (x.T @ x).toarray())

    def test_shares(self):
        c = np.array([[0.7, 0.1], [0.2, 0.3], [0.1, 0.6]])
        w = np.array([[0.4, 0.6], [1.0, 0.0]])
        np.testing.assert_allclose(
            twin.shares(sparse.csr_matrix(w @ c.T), c), w, atol=1e-6)

    def test_simplex(self):
        found = twin.onto_simplex(np.array([[0.5, 0.7], [3.0, 0.0],
                                            [0.2, 0.8]]))
        np.testing.assert_allclose(found, [[0.4, 0.6], [1, 0], [0.2, 0.8]])


class Postings(unittest.TestCase):
    def test_headers_go(self):
        for text, left in (('From: a\tLines: 2\t\tWords.\tMore.',
                            'Words.\tMore.'),
                           ('No header\n\tleft here\t\tat all.',
                            'No header\n\tleft here\t\tat all.')):
            line = anchorless.json.dumps({'text': text})
            self.assertEqual(anchorless.json.loads(anchorless.bare(line)),
                             {'text': left})


if __name__ == '__main__':
    unittest.main()
