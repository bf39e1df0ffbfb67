# SPDX-License-Identifier: MIT
"""Models of kedge, by its command line alone, and held-out documents."""
import bench

import json
import os
from collections import namedtuple

import numpy as np

import measures
from common import answer, export, fit, kedge, lines_of, remove

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
    """A model of a store, with its topics; rows as in `words`. The methods need
    the store."""

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
        """What `kedge topics` shows, as rows; and its ranking."""
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
        """Topic proportions of the documents of the corpus that the store was
        made of. Empty documents are not stored and get the mean."""
        found = self.infer('--method', method)
        rows = np.tile(found.mean(0), (corpus.documents, 1))
        rows[corpus.places] = found
        return rows

    def mixture(self, h):
        """Topic proportions of bags over `words`, and p(word | topic)."""
        path = self.store + '.jsonl'
        write_bags(path, h.tocsr(), self.words)
        rows = self.infer(path, '--from', 'jsonl', '--text-field', 'words')
        remove(path)
        return rows, self.topics


def write_bags(path, h, words):
    """A line for each document, also for one without words."""
    with open(path, 'w', encoding='utf-8') as file:
        for start, end in zip(h.indptr[:-1], h.indptr[1:]):
            bag = {words[i]: int(count) for i, count
                   in zip(h.indices[start:end], h.data[start:end])}
            file.write(json.dumps({'words': bag}) + '\n')


class Held:
    """A corpus without a tenth of its documents: `ours`, kedge's model of the
    rest, `h`, the rest as bags of the model's words, and the tenth's tokens,
    `seen` or `unseen`. Words that occur in the tenth alone are left out."""

    def __init__(self, options, corpus, k):
        order = np.random.default_rng(options.seed).permutation(
            corpus.documents)
        tenth = corpus.documents // 10
        out, self.rest = np.sort(order[:tenth]), np.sort(order[tenth:])
        self.store = corpus.ingest('rest', self.rest, *options.ingest)
        self.ours = Model(options, self.store, k, *options.kedge)
        self.h = corpus.view(self.ours.words, self.rest)
        known = np.flatnonzero(np.asarray(self.h.sum(0)).ravel())
        self.ours.narrow(known)
        self.h = self.h[:, known]
        h = corpus.view(self.ours.words, out)
        self.seen, self.unseen = measures.halves(h)
        self.unigram = measures.unigram(self.h)
