#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_heldout.py PROGRAM: what a sweep says of documents that it held out is
what comes of it by hand: which documents they are, a store that never had
them, the halves of each, and the likelihood of the second by the first."""
import ast
import math
import struct

from shell import Case, Corpus, main

MASK = (1 << 64) - 1
GOLDEN = 0x9e3779b97f4a7c15
DRAWN, HALVED = 0x3b94d1f2c86e507a, 0x5e1fd68a07b3c924
SHARE, SEED = 0.3, 5
UNIGRAM = 0.001


def mix(x):
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & MASK
    x = (x ^ x >> 27) * 0x94d049bb133111eb & MASK
    return x ^ x >> 31


def stream(key, counter):
    return mix(key + (counter + 1) * GOLDEN & MASK)


def hash_bytes(data):
    state, left = mix(GOLDEN), data
    for at in range(0, len(data) - 7, 8):
        state = mix(state ^ int.from_bytes(data[at:at + 8], 'little'))
        state, left = state + GOLDEN & MASK, data[at + 8:]
    n = len(left)
    if n >= 4:
        tail = (int.from_bytes(left[:4], 'little') |
                int.from_bytes(left[-4:], 'little') << 8 * (n - 4))
    else:
        tail = n and (left[0] | left[n // 2] << 8 * (n // 2) |
                      left[-1] << 8 * (n - 1))
    state = mix(state ^ tail) + GOLDEN & MASK
    return mix(state ^ len(data))


def is_held(document):
    """By its words, all of them, whatever the model has of them."""
    digest = mix(sum(document.values()) + sum(
        mix(hash_bytes(word) + count * GOLDEN & MASK)
        for word, count in document.items()) & MASK)
    drawn = mix(digest + mix(SEED ^ DRAWN) & MASK)
    return drawn >> 11 < SHARE * 2.0 ** 53


def halves(document, row):
    """Tokens go to either half by coins, word after word of the rows."""
    own = sorted((row[w], c) for w, c in document.items() if w in row)
    place = mix(sum(c for _, c in own) + sum(
        mix(mix(r + GOLDEN & MASK) + c & MASK) for r, c in own) & MASK)
    key = mix(stream(mix(SEED ^ HALVED), place) ^ GOLDEN)
    first, second, thrown = {}, {}, 0
    for r, count in own:
        heads = 0
        for start in range(0, count, 64):
            coins = min(64, count - start)
            heads += bin(stream(key, thrown) & (1 << coins) - 1).count('1')
            thrown += 1
        if heads:
            first[r] = heads
        if heads < count:
            second[r] = count - heads
    return first, second


def load(path):
    """A matrix of float64, as rows."""
    with open(path, 'rb') as file:
        data = file.read()
    size = struct.unpack('<H', data[8:10])[0]
    head = ast.literal_eval(data[10:10 + size].decode())
    rows, columns = head['shape']
    flat = struct.unpack(f'<{rows * columns}d', data[10 + size:])
    return [flat[i * columns:(i + 1) * columns] for i in range(rows)]


class HeldOut(Case):

    def setUp(self):
        super().setUp()
        self.corpus = Corpus().put(self)
        self.documents = [{} for _ in range(self.corpus.documents)]
        for line in self.corpus.lines:
            number, word, count = map(int, line.split())
            self.documents[number - 1][self.corpus.words[word - 1]] = count
        self.held = [d for d in self.documents if is_held(d)]
        self.rest = [d for d in self.documents if not is_held(d)]
        # some of the words, and each of them in documents that stay
        self.write('keep.txt', b''.join(
            w + b'\n' for w in self.corpus.words[::2] if w.isalnum()))

    def put(self, name, documents):
        number = {w: i + 1 for i, w in enumerate(self.corpus.words)}
        lines = [b'%d %d %d\n' % (m + 1, number[w], c)
                 for m, d in enumerate(documents) for w, c in
                 sorted(d.items(), key=lambda e: number[e[0]])]
        self.write(name, b'%d\n%d\n%d\n' % (
            len(documents), len(number), len(lines)) + b''.join(lines))

    def sweep(self, store, *more):
        return self.works_json(
            'sweep', store, '-k', '2:4', '--keep-words', 'keep.txt',
            '--held-out', str(SHARE), '--seed', str(SEED), '--format', 'json',
            *more)

    def by_hand(self, topics, *more):
        """Of a model of a store that never had the documents."""
        name = f'm{topics}'
        fitted = self.kedge('fit', 'rest', '-k', str(topics), '--keep-words',
                            'keep.txt', '--model', name, *more)
        if fitted.returncode == 5:  # as many do not stand out any more
            return None
        self.assertEqual(fitted.returncode, 0, fitted.stderr)
        self.works('export', 'rest', '--model', name, '-o', name)
        words = self.read(f'{name}/vocab.txt').split(b'\n')[:-1]
        b = load(self.path(f'{name}/topics.npy'))
        row = {w: i for i, w in enumerate(words)}
        pairs = [halves(d, row) for d in self.held]
        pairs = [(a, z) for a, z in pairs if a and z]
        self.put('first.txt', [{words[r]: c for r, c in a.items()}
                               for a, _ in pairs])
        self.works('infer', 'rest', 'first.txt', '--vocab', 'vocab.txt',
                   '--model', name, '--format', 'npy', '--wide',
                   '--tolerance', '0.001', '-o', 'theta.npy')
        tf = [1 + sum(d.get(w, 0) for d in self.rest) for w in words]
        total, tokens = 0.0, 0
        for theta, (_, second) in zip(load(self.path('theta.npy')), pairs):
            for r, count in second.items():
                p = sum(x * y for x, y in zip(theta, b[r]))
                total += count * math.log(
                    (1 - UNIGRAM) * p + UNIGRAM * tf[r] / sum(tf))
                tokens += count
        return total / tokens, len(pairs), tokens

    def check(self, *more):
        found = self.sweep('all', *more)
        self.assertEqual(found['models'][1]['topics'], 3)
        for model in found['models']:
            hand = self.by_hand(model['topics'], *more)
            if hand is None:
                self.assertIsNone(model['held_out_log_likelihood'])
                self.assertGreater(model['topics'], 3)
                continue
            value, documents, tokens = hand
            self.assertEqual(found['held_out_documents'], documents)
            self.assertEqual(found['held_out_tokens'], tokens)
            self.assertAlmostEqual(model['held_out_log_likelihood'], value, 7)
            self.assertAlmostEqual(model['held_out_perplexity'],
                                   math.exp(-value), 5)

    def test_figures_are_those_by_hand(self):
        self.assertTrue(80 < len(self.held) < 160)
        self.put('rest.txt', self.rest)
        self.works('ingest', 'all', 'docword.txt', '--vocab', 'vocab.txt')
        self.works('ingest', 'rest', 'rest.txt', '--vocab', 'vocab.txt')
        self.check()
        self.check('--ncut', '--term-weight', 'none')
        self.check('--cooccurrence', 'dense')
        self.check('--power-iter', '1', '--em-iter', '1')

    def test_neither_order_nor_batches_matter(self):
        self.works('ingest', 'all', 'docword.txt', '--vocab', 'vocab.txt')
        self.put('late.txt', self.documents[:150][::-1])
        self.put('early.txt', self.documents[150:])
        for name in 'early.txt', 'late.txt':
            self.works('ingest', 'turned', name, '--vocab', 'vocab.txt')
        one, other = (self.sweep(store, '--threads', threads)
                      for store, threads in (('all', '1'), ('turned', '3')))
        self.assertEqual(one['held_out_tokens'], other['held_out_tokens'])
        for a, b in zip(one['models'], other['models']):
            self.assertAlmostEqual(a['held_out_log_likelihood'],
                                   b['held_out_log_likelihood'], 12)

    def test_none_is_no_column(self):
        self.works('ingest', 'all', 'docword.txt', '--vocab', 'vocab.txt')
        found = self.sweep('all', '--held-out', '0')
        self.assertEqual(found['held_out_documents'], 0)
        self.assertNotIn('held-out', [c['by'] for c in found['candidates']])
        for model in found['models']:
            self.assertIsNone(model['held_out_log_likelihood'])
            self.assertIsNone(model['held_out_perplexity'])
        sweep = 'sweep', 'all', '-k', '2:4'
        self.assertIn('held-out', self.works(*sweep))
        text = self.works(*sweep, '--held-out', '0')
        self.assertNotIn('held', text)
        self.assertEqual(len(self.works_json(
            'info', 'all', '--format', 'json')['models']), 3)


if __name__ == '__main__':
    main()
