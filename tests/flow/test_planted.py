#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_planted.py ROOT BUILD: kedge finds the topics of the harbour corpus.

The whole way through the program: ingest, fit, topics, export. What it finds
is matched to the topics that the corpus was made from.
"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'tools'))
from program import kedge  # noqa: E402

try:
    import numpy
except ImportError:
    print('python3-numpy is not installed')
    sys.exit(77)

TOPICS = 12
MEAN_ERROR = 0.30   # l1, of 2 at most; sampling alone makes about 0.19
WORST_ERROR = 0.50
READ = 5            # words of a topic that are looked at
TELLING = 20        # they should be among so many of the planted one
MISSES = 3          # words of all topics together that may not
FRIENDS = (('law', 'banking'), ('gardening', 'cooking'),
           ('football', 'music'), ('sailing', 'railways'))


def read_lines(*path):
    with open(os.path.join(*path), encoding='utf-8') as file:
        return file.read().split('\n')[:-1]


def read_truth(root, words):
    """Names, and a column of probabilities for each."""
    rows = {word: i for i, word in enumerate(words)}
    columns = {}
    lines = read_lines(root, 'fixtures', 'topics.harbour.tsv')
    for line in lines[1:]:
        name, word, probability = line.split('\t')
        column = columns.setdefault(name, numpy.zeros(len(words)))
        column[rows[word]] = float(probability)
    return list(columns), numpy.array(list(columns.values())).T


def match(truth, found):
    """For each planted topic the found one: the nearest pairs first."""
    error = numpy.abs(truth[:, :, None] - found[:, None, :]).sum(0)
    nearest, free = [-1] * TOPICS, error.copy()
    for _ in range(TOPICS):
        i, j = numpy.unravel_index(numpy.argmin(free), free.shape)
        nearest[i] = int(j)
        free[i, :] = free[:, j] = numpy.inf
    return nearest, error[range(TOPICS), nearest]


def run(root, build, directory):
    """The export's folder and the topics as JSON."""
    store = os.path.join(directory, 'store')
    export = os.path.join(directory, 'export')
    fixtures = os.path.join(root, 'fixtures')
    kedge(build, 'ingest', store,
          os.path.join(fixtures, 'docword.harbour.txt.zst'),
          '--vocab', os.path.join(fixtures, 'vocab.harbour.txt'))
    kedge(build, 'fit', store, '-k', str(TOPICS))
    kedge(build, 'export', store, '-o', export)
    text = kedge(build, 'topics', store, '--format', 'json', '-n', str(READ))
    return export, json.loads(text)['topics']


def check_shapes(words, found, correlations):
    assert len(words) == len(set(words)), 'words are repeated'
    assert words == sorted(words), 'words are not in order'
    assert found.shape == (len(words), TOPICS), found.shape
    assert correlations.shape == (TOPICS, TOPICS), correlations.shape
    assert found.dtype == correlations.dtype == numpy.float64
    assert (found >= 0).all(), 'negative probabilities'
    assert numpy.allclose(found.sum(0), 1, atol=1e-9), found.sum(0)
    assert numpy.allclose(correlations, correlations.T, atol=1e-12)
    assert abs(correlations.sum() - 1) < 0.05, correlations.sum()


def check_errors(names, errors):
    for name, error in zip(names, errors):
        print(f'{name}: l1 error {error:.3f}')
    print(f'mean: {errors.mean():.3f}')
    assert errors.mean() < MEAN_ERROR, 'the topics are not the planted ones'
    assert errors.max() < WORST_ERROR, 'one topic is not a planted one'


def missing(shown, best):
    """How many of the shown words are not among the planted topic's best."""
    words = [entry['word'] for entry in shown['words'][:READ]]
    assert len(words) == READ, shown
    print(shown['anchor'] + ':', *words)
    return sum(word not in best for word in words)


def check_words(words, truth, nearest, topics):
    misses = 0
    for i, j in enumerate(nearest):
        order = numpy.argsort(-truth[:, i], kind='stable')[:TELLING]
        misses += missing(topics[j], {words[row] for row in order})
    assert misses <= MISSES, f'{misses} words of other topics'


def check_friends(names, nearest, correlations):
    """Topics planted together meet more often than topics by chance."""
    share = correlations.sum(0)
    lift = correlations / numpy.outer(share, share)
    for one, other in FRIENDS:
        i, j = (nearest[names.index(name)] for name in (one, other))
        print(f'{one} and {other}: {lift[i, j]:.2f} times by chance')
        others = numpy.delete(lift[i], [i, j])
        assert lift[i, j] > numpy.median(others), (one, other)


def main(root, build):
    with tempfile.TemporaryDirectory() as directory:
        export, topics = run(root, build, directory)
        words = read_lines(export, 'vocab.txt')
        found = numpy.load(os.path.join(export, 'topics.npy'))
        correlations = numpy.load(os.path.join(
            export, 'topic_cooccurrence.npy'))
    assert [topic['topic'] for topic in topics] == list(range(1, TOPICS + 1))
    check_shapes(words, found, correlations)
    names, truth = read_truth(root, words)
    nearest, errors = match(truth, found)
    check_errors(names, errors)
    check_words(words, truth, nearest, topics)
    check_friends(names, nearest, correlations)


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2])
