#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The measures themselves, on cases small enough to work out by hand."""
import bench

import math
import unittest

import numpy as np
from scipy import sparse

import measures

# Four documents, four words: a and b in two, c in all of them, d in one.
H = sparse.csr_matrix(np.array([[1., 2, 1, 0], [3, 1, 1, 0], [0, 0, 2, 1],
                                [0, 0, 1, 0]]))


class Words(unittest.TestCase):
    def setUp(self):
        self.occurrence = measures.Occurrence(H)

    def npmi(self, *words):
        return self.occurrence.npmi([np.array(words)])

    def test_npmi(self):
        self.assertAlmostEqual(self.npmi(0, 1), 1)
        self.assertAlmostEqual(self.npmi(0, 2), 0)
        self.assertAlmostEqual(self.npmi(0, 3), -1)
        self.assertAlmostEqual(self.npmi(0, 1, 3), -1 / 3)

    def test_coherence(self):
        expected = math.log(2.01 / 4) + math.log(2.01 / 2)
        self.assertAlmostEqual(self.occurrence.coherence([np.array([0, 2])]),
                               expected)

    def test_coverage(self):
        def coverage(*tops):
            return self.occurrence.coverage([np.array(t) for t in tops])
        self.assertEqual(coverage((0, 1), (2, 3)), 0.75)
        self.assertEqual(coverage((0, 3), (1, 3)), 0)

    def test_distinct(self):
        self.assertEqual(measures.distinct([[0, 1], [1, 2]]), 0.75)

    def test_first(self):
        values = np.array([[1, 3], [2, 3], [5, 1]])
        found = measures.first(values, 2)
        self.assertEqual([list(x) for x in found], [[2, 1], [0, 1]])

    def test_relevance(self):
        """LDAvis's formula; a word that no topic has is the last."""
        b = np.array([[.5, .5], [.5, .1], [0, .4], [0, 0]])
        p = b @ [.5, .5]
        found = measures.relevance(b, np.array([.5, .5]), .6)
        for i, k in ((0, 0), (1, 0), (1, 1), (2, 1)):
            self.assertAlmostEqual(
                math.log(found[i, k]),
                .6 * math.log(b[i, k]) + .4 * math.log(b[i, k] / p[i]))
        self.assertEqual(list(found[3]), [0, 0])
        self.assertGreater(found[1, 0], found[0, 0])


class Documents(unittest.TestCase):
    def test_averaged(self):
        """A word of one topic and a word of both; a document without."""
        b = np.array([[0.5, 0], [0.5, 0.5], [0, 0.5], [0, 0]])
        h = sparse.csr_matrix([[3, 1, 0, 0], [0, 0, 2, 2], [0, 0, 0, 1]])
        found = measures.averaged(h, b, np.array([0.6, 0.4]))
        self.assertTrue(np.allclose(found, [[0.9, 0.1], [0, 1], [0.6, 0.4]]))

    def test_accuracy(self):
        rows = np.repeat(np.eye(3), [4, 3, 3], axis=0)
        true = np.array(list('aaaabbbccb'))
        self.assertAlmostEqual(measures.accuracy(rows, true), 0.9)

    def test_perplexity(self):
        """Of a mixture that is uniform: as many as there are words."""
        uniform = np.full(4, 0.25)
        rows, emission = np.full((4, 2), 0.5), np.full((4, 2), 0.25)
        self.assertAlmostEqual(
            measures.perplexity(H, rows, emission, uniform), 4)

    def test_nothing_is_impossible(self):
        """Words that no topic has are left to the unigram."""
        found = measures.perplexity(H, np.ones((4, 1)), np.zeros((4, 1)),
                                    np.full(4, 0.25))
        self.assertAlmostEqual(found, 4 / measures.UNIGRAM)

    def test_halves(self):
        seen, unseen = measures.halves(H)
        self.assertEqual(abs(seen + unseen - H).sum(), 0)
        self.assertGreater(seen.nnz, 0)
        self.assertGreater(unseen.nnz, 0)


if __name__ == '__main__':
    unittest.main()
