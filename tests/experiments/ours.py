# SPDX-License-Identifier: MIT
"""Models of kedge, by its command line alone."""
import bench

import os

import numpy as np

from common import answer, export, fit, kedge, lines_of, remove
from compositions import linear_bayes

RANKS = ('probability', 'weighted', 'relevance')


class Model:
    """A model of a store, with its arrays; rows as in `words`."""

    def __init__(self, options, store, k, *more):
        self.options, self.store = options, store
        self.told = answer(fit(options, store, k, '-q', *more))['models'][0]
        self.name = self.told['model']
        folder = store + '.out'
        export(options, store, folder, '--model', self.name, '-q')
        self.words = lines_of(os.path.join(folder, 'vocab.txt'))
        self.row = {word: i for i, word in enumerate(self.words)}
        self.topics = np.load(os.path.join(folder, 'topics.npy'))
        self.correlations = np.load(os.path.join(folder, 'correlations.npy'))
        path = os.path.join(folder, 'weighted_topics.npy')
        self.weighted = np.load(path) if os.path.exists(path) else self.topics
        remove(folder)

    def narrow(self, rows):
        """Leaves out the other rows."""
        self.words = [self.words[i] for i in rows]
        self.row = {word: i for i, word in enumerate(self.words)}
        self.topics, self.weighted = self.topics[rows], self.weighted[rows]

    def tops(self, count, *rank):
        """What `kedge topics` shows, as rows; and the rank it went by."""
        shown = answer(kedge(self.options, 'topics', self.store, '--model',
                             self.name, '-n', count, '--format', 'json',
                             *rank))
        return [np.array([self.row[w['word']] for w in topic['words']])
                for topic in shown['topics']], shown['rank']

    def compose(self, h):
        return linear_bayes(h, self.topics, self.correlations)

    def mixture(self, h):
        return self.compose(h), self.topics
