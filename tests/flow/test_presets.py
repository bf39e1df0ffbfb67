#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_presets.py ROOT BUILD: the presets of fit give the anchors and topics of
the papers' algorithms, which are written here in numpy as they are printed, of
the whole co-occurrence of the harbour corpus."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'tools'))
from program import kedge  # noqa: E402

try:
    import numpy as np
except ImportError:
    print('python3-numpy is not installed')
    sys.exit(77)

TOPICS = 12
STEPS = 2000    # of least squares


def counts(root):
    """Words by documents, rows in the order of an export."""
    fixtures = os.path.join(root, 'fixtures')
    text = subprocess.run(
        ['zstd', '-dc', os.path.join(fixtures, 'docword.harbour.txt.zst')],
        check=True, stdout=subprocess.PIPE).stdout
    numbers = np.array(text.split(), dtype=np.int64)
    document, word, count = numbers[3:].reshape(-1, 3).T
    h = np.zeros((numbers[1], numbers[0]))
    h[word - 1, document - 1] = count
    with open(os.path.join(fixtures, 'vocab.harbour.txt'), 'rb') as file:
        words = file.read().split()
    order = np.argsort(words)
    return h[order], [words[i].decode() for i in order]


def cooccurrence(h):
    """ICML 2021, equation 1."""
    n = h.sum(0)
    g = h / np.sqrt(n * (n - 1) * h.shape[1])
    return g @ g.T - np.diag((h / (n * (n - 1) * h.shape[1])).sum(1))


def leading(c):
    values, vectors = np.linalg.eigh(c)
    return np.maximum(values[-TOPICS:], 0), vectors[:, -TOPICS:]


def alternating(c, rounds=15):
    """EMNLP 2019, supplement, algorithm 1: C_NN, of full rank."""
    for _ in range(rounds):
        values, vectors = leading(c)
        psd = vectors * values @ vectors.T
        c = np.maximum(psd + (1 - psd.sum()) / len(c) ** 2, 0)
    return c / c.sum()


def pivots(rows):
    """Of column-pivoted QR of the transpose."""
    left, found = rows.copy(), []
    for _ in range(TOPICS):
        found.append(int(np.argmax((left ** 2).sum(1))))
        q = left[found[-1]] / np.linalg.norm(left[found[-1]])
        left -= np.outer(left @ q, q)
    return found


def to_simplex(rows):
    u = -np.sort(-rows, 1)
    css = np.cumsum(u, 1) - 1
    k = np.arange(1, rows.shape[1] + 1)
    rho = (u - css / k > 0).sum(1)
    return np.maximum(rows - (css[np.arange(len(rows)), rho - 1] / rho)[:, None],
                      0)


def mixtures(rows, anchors):
    """Least squares on the simplex, by accelerated projected gradients."""
    s = rows[anchors]
    gram, target = s @ s.T, rows @ s.T
    step = 1 / np.linalg.norm(gram, 2)
    x = y = np.full((len(rows), TOPICS), 1 / TOPICS)
    for t in range(STEPS):
        old, x = x, to_simplex(y - step * (y @ gram - target))
        y = x + t / (t + 3) * (x - old)
    return x


def anchor_words(c):
    """ICML 2021, algorithm 1: anchors, topics, topic co-occurrence."""
    sums = c.sum(1)
    rows = c / sums[:, None]
    anchors = pivots(rows)
    b = mixtures(rows, anchors) * sums[:, None]
    b /= b.sum(0)
    own = b[anchors, range(TOPICS)]
    return anchors, b, c[np.ix_(anchors, anchors)] / np.outer(own, own)


def read_lines(*path):
    with open(os.path.join(*path), encoding='utf-8') as file:
        return file.read().split('\n')[:-1]


def fitted(build, store, preset, words, *more):
    """The same of kedge."""
    kedge(build, 'fit', store, '-q', '-k', str(TOPICS), '--preset', preset,
          '--model', preset, '--align', 'none', *more)
    out = os.path.join(os.path.dirname(store), preset)
    kedge(build, 'export', store, '-q', '--model', preset, '-o', out)
    assert read_lines(out, 'vocab.txt') == words
    names = read_lines(out, 'anchors.txt')
    return ([words.index(name) for name in names],
            *(np.load(os.path.join(out, file)) for file in (
                'topics.npy', 'topic_cooccurrence.npy')))


def check(preset, found, printed, most, words):
    """Anchors that are the same, the mean l1 distance of topics from the
    nearest printed ones, and the relative distance of the topic
    co-occurrence."""
    error = np.abs(found[1][:, :, None] - printed[1][:, None, :]).sum(0)
    order = error.argmin(1)
    assert len(set(order)) == TOPICS, f'{preset}: two topics are one'
    a = printed[2][np.ix_(order, order)]
    same = len(set(found[0]) & set(printed[0]))
    is_ = (same, error.min(1).mean(), np.linalg.norm(found[2] - a)
           / np.linalg.norm(a))
    print(f'{preset}: {same} anchors as printed, topics {is_[1]:.4f} of 2 '
          f'apart, co-occurrence {is_[2]:.4f}')
    print(' ', *(words[i] for i in found[0]))
    assert same >= most[0] and is_[1] <= most[1] and is_[2] <= most[2], most


# Topics of aw are of the leading eigenpairs, and as printed of the whole
# co-occurrence; one pass finds some anchors beside the printed ones.
CASES = (
    ('aw', (), (TOPICS, 0.07, 0.25)),
    ('raw', (), (TOPICS, 0.005, 0.015)),
    ('lr-jsmf', (), (TOPICS - 3, 0.07, 0.12)),
    ('lr-jsmf', ('--power-iter', '1'), (TOPICS, 0.005, 0.015)),
)


def main(root, build):
    h, words = counts(root)
    c = cooccurrence(h)
    printed = {'aw': anchor_words(c)}
    printed['raw'] = printed['lr-jsmf'] = anchor_words(alternating(c))
    with tempfile.TemporaryDirectory() as directory:
        store = os.path.join(directory, 'store')
        fixtures = os.path.join(root, 'fixtures')
        kedge(build, 'ingest', store, '-q', '--tf', 'raw', '--min-tokens', '2',
              os.path.join(fixtures, 'docword.harbour.txt.zst'),
              '--vocab', os.path.join(fixtures, 'vocab.harbour.txt'))
        for preset, more, most in CASES:
            check(preset, fitted(build, store, preset, words, *more),
                  printed[preset], most, words)


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2])
