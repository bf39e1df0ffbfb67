# SPDX-License-Identifier: MIT
"""Models of kedge, by its command line alone."""
import bench

import json
import os
from collections import namedtuple

import numpy as np

from common import answer, export, fit, kedge, lines_of, remove

RANKS = ('probability', 'weighted', 'relevance')


Files = namedtuple('Files', 'words topics weighted correlations')


def load(options, store, name):
    """A model as it is exported."""
    folder = store + '.out'
    export(options, store, folder, '--model', name, '-q')
    words = lines_of(os.path.join(folder, 'vocab.txt'))
    topics, correlations = (np.load(os.path.join(folder, file)) for file in
                            ('topics.npy', 'topic_cooccurrence.npy'))
    path = os.path.join(folder, 'weighted_topics.npy')
    weighted = np.load(path) if os.path.exists(path) else topics
    remove(folder)
    return Files(words, topics, weighted, correlations)


class Model:
    """A model of a store, with its topics; rows as in `words`. The store has
    to stay for whatever asks the model something."""

    def __init__(self, options, store, k, *more):
        self.options, self.store = options, store
        self.told = answer(fit(options, store, k, '-q', *more))['models'][0]
        self.name = self.told['model']
        files = load(options, store, self.name)
        self.words, self.topics = files.words, files.topics
        self.weighted, self.correlations = files.weighted, files.correlations
        self.row = {word: i for i, word in enumerate(self.words)}

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

    def infer(self, *source):
        path = self.store + '.npy'
        kedge(self.options, 'infer', self.store, *source, '--model', self.name,
              '--format', 'npy', '-o', path, '-q')
        rows = np.load(path).astype(float)
        remove(path)
        return rows

    def compose(self, corpus, method='mean'):
        """What documents of a corpus, of which this is a model, are to be
        clustered by; those that are not stored, as empty ones are, get the
        mean."""
        found = self.infer('--method', method)
        rows = np.tile(found.mean(0), (corpus.documents, 1))
        rows[corpus.places] = found
        return rows

    def mixture(self, h):
        """Compositions of bags over `words`, and p(word | topic)."""
        path = self.store + '.jsonl'
        write_bags(path, h.tocsr(), self.words)
        rows = self.infer(path, '--from', 'jsonl', '--text-field', 'words')
        remove(path)
        return rows, self.topics


def write_bags(path, h, words):
    """A document a line, those without words as well."""
    with open(path, 'w', encoding='utf-8') as file:
        for start, end in zip(h.indptr[:-1], h.indptr[1:]):
            bag = {words[i]: int(count) for i, count
                   in zip(h.indices[start:end], h.data[start:end])}
            file.write(json.dumps({'words': bag}) + '\n')
