#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the experiments with real documents rest on, on cases small enough to
work out by hand."""
import bench

bench.need('gensim')

import unittest

import numpy as np
from scipy import sparse

import classes
import completion


class Others(unittest.TestCase):
    """Of words that tell their topic, variational Bayes adds the parameters:
    to three tokens and one, and to none and six."""

    h = sparse.csr_matrix([[3., 1], [0, 6]])

    def test_gensim(self):
        found = completion.gensim_proportions(np.eye(2), self.h,
                                              np.array([0.5, 1.5]))
        np.testing.assert_allclose(found, [[3.5 / 6, 2.5 / 6],
                                           [0.5 / 8, 7.5 / 8]], atol=1e-4)

    def test_sklearn(self):
        found = completion.sklearn_proportions(np.eye(2), self.h, 0.5)
        np.testing.assert_allclose(found, [[3.5 / 5, 1.5 / 5],
                                           [0.5 / 7, 6.5 / 7]], atol=1e-4)


class Classes(unittest.TestCase):
    def test_earlier(self):
        """Later ones come first in each group; then numbers start again."""
        found = classes.earlier(['a/5', 'a/9', 'a/2', 'a/7', 'b/8', 'b/1',
                                 'b/3', 'b/2'])
        np.testing.assert_array_equal(
            found, [False, False, True, True, False, True, True, True])

    def test_predicted(self):
        """Rows that say their label, and rows that say nothing."""
        labels = np.array(list('aabb') * 20)
        train = np.arange(80) < 60
        sure = np.eye(2)[(labels == 'b').astype(int)]
        self.assertEqual(classes.predicted(sure, labels, train), 1)
        self.assertEqual(
            classes.predicted(np.ones((80, 2)), labels, train), 0.5)


if __name__ == '__main__':
    unittest.main()
