#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_counted.py PROGRAM: anchors by QR of the co-occurrence as it was
counted, beside scipy's; and all ways to a co-occurrence, its rectification and
its anchors that go together."""
import collections
import itertools
import json
import os

import numpy
import scipy.linalg

from shell import Case, Corpus, main

RECTIFIED = ('enn', 'none', 'palm', 'ipalm', 'ap', 'dr')
SQUARE = ('ap', 'dr')  # which make a dense co-occurrence
KNOWN = ('sketch', 'dense', 'sparse')
WEIGHTS = ('none', 'idf', 'sqrt')
EXPECTED = ('kedge: --anchors counted needs --cooccurrence dense or sparse: a '
            'sketch does not have the rows of the co-occurrence\n')


def ways():
    """All of these that go together."""
    for rectify, known, anchors, weight, ncut in itertools.product(
            RECTIFIED, KNOWN, ('qr', 'counted'), WEIGHTS, (False, True)):
        if rectify in SQUARE and known == 'sparse':
            continue
        if anchors == 'counted' and known == 'sketch' and (
                rectify not in SQUARE):
            continue
        yield rectify, known, anchors, weight, ncut


def typed(rectify, known, anchors, weight, ncut):
    usual = rectify in SQUARE and known == 'sketch'
    return (f'--rectify={rectify}',
            *([] if usual else [f'--cooccurrence={known}']),
            f'--anchors={anchors}', f'--term-weight={weight}',
            *(['--ncut'] if ncut else []))


class Counted(Case):
    def setUp(self):
        super().setUp()
        self.corpus = Corpus().put(self)
        self.works('ingest', 'store', 'docword.txt', '--vocab', 'vocab.txt')

    def fit(self, k, *arguments):
        told, = self.works_json('fit', 'store', f'-k{k}', '--model=m',
                                '--align=none', '--format=json',
                                *arguments)['models']
        return told

    def exported(self, *arguments):
        """What was made: bytes of topics and of anchors."""
        self.works('export', 'store', '--model=m', '-o', 'out', *arguments)
        return self.read('out/topics.npy'), self.read('out/anchors.txt')

    def load(self, name):
        return numpy.load(self.path(f'out/{name}.npy'))

    def check_anchors(self, k, candidates=slice(None)):
        """They are scipy's, of what is exported, one as long as the other."""
        c = self.load('cooccurrence')
        if os.path.exists(self.path('out/weights.npy')):
            d = self.load('weights')
            c = d[:, None] * c * d
        rows = (c / c.sum(1)[:, None])[candidates]
        r, order = scipy.linalg.qr(rows.T, mode='r', pivoting=True)
        words = numpy.array(self.read('out/vocab.txt').split(b'\n')[:-1])
        anchors = self.read('out/anchors.txt').split(b'\n')
        self.assertEqual(anchors.pop(), b'')
        self.assertEqual(set(anchors), set(words[candidates][order[:k]]))
        topics = json.loads(self.read('out/model.json'))['topic']
        length = sorted((t['residual'] for t in topics), reverse=True)
        numpy.testing.assert_allclose(length, abs(numpy.diag(r))[:k], 1e-9)

    def test_anchors_are_those_of_scipy(self):
        for known, weight, k in itertools.product(
                ('dense', 'sparse'), WEIGHTS, (2, 3, 17, 40)):
            told = self.fit(k, '--anchors=counted', '--anchor-min-df=1',
                            '--rectify=none', f'--cooccurrence={known}',
                            f'--term-weight={weight}')
            self.assertEqual(told['anchors'], 'counted')
            self.exported('--cooccurrence=dense')
            self.check_anchors(k)
            self.assertEqual(json.loads(self.read('out/model.json'))[
                'options']['anchors'], 'counted')

    def test_the_floor_and_the_ban_are_kept(self):
        self.fit(9, '--anchors=counted', '--cooccurrence=sparse',
                 '--rectify=none')
        first = self.exported()[1].split(b'\n')[:3]
        self.write('ban.txt', b'\n'.join(first) + b'\n')
        df = collections.Counter(line.split()[1] for line in self.corpus.lines)
        df = {word: df[b'%d' % (i + 1)]
              for i, word in enumerate(self.corpus.words)}
        floor = sorted(df.values())[60]
        told = self.fit(9, '--anchors=counted', '--cooccurrence=sparse',
                        '--rectify=none', f'--anchor-min-df={floor}',
                        '--anchor-ban=ban.txt')
        self.exported('--cooccurrence=dense')
        words = self.read('out/vocab.txt').split(b'\n')[:-1]
        candidates = [i for i, word in enumerate(words)
                      if word not in first and df[word] >= floor]
        self.assertEqual(told['candidates'], len(candidates))
        self.check_anchors(9, candidates)

    def test_all_that_go_together(self):
        count = 0
        for way in ways():
            with self.subTest(way=way):
                told = self.fit(3, '--rectify-iter=2', *typed(*way))
                rectify, known, anchors, weight, ncut = way
                self.assertEqual(told['rectify'], rectify)
                self.assertEqual(told['cooccurrence'],
                                 'dense' if rectify in SQUARE else known)
                self.assertEqual(told['anchors'], anchors)
                self.assertEqual(told['term_weight'], weight)
                self.assertEqual(told['ncut'], ncut)
                self.check_topics()
            count += 1
        self.assertEqual(count, (4 * 5 + 2 * 4) * 3 * 2)
        self.works('verify', 'store')

    def check_topics(self):
        """Each planted topic is one found: three words in four are its own."""
        self.exported()
        words = self.read('out/vocab.txt').split(b'\n')[:-1]
        home = numpy.array([self.corpus.words.index(w) // 40 for w in words])
        b = self.load('topics')
        mass = numpy.array([b[home == t].sum(0) for t in range(3)])
        self.assertGreater(mass.max(0).min(), 0.75)
        self.assertEqual(sorted(mass.argmax(0)), [0, 1, 2])

    def test_threads_leave_no_trace(self):
        for known, more in itertools.product(
                ('dense', 'sparse'),
                ((), ('--ncut',), ('--term-weight=none',))):
            found = []
            for threads in '12':
                self.fit(12, '--anchors=counted', '--rectify=none',
                         f'--cooccurrence={known}', f'--threads={threads}',
                         *more)
                found.append(self.exported())
            self.assertEqual(found[0], found[1])

    def test_it_is_told(self):
        result = self.kedge('fit', 'store', '-k3', '--anchors=counted',
                            '--cooccurrence=sparse')
        self.assertRegex(result.stderr.decode(),
                         r'(?m)^  anchors by +counted$')
        ways, = (m['ways'] for m in self.works_json(
            'info', 'store', '--format=json')['models'])
        self.assertEqual(ways, 'cooccurrence sparse, anchors counted')

    def test_what_makes_no_sense(self):
        counted = ('fit', 'store', '-k3', '--anchors=counted')
        for more in ((), ('--rectify=none',), ('--rectify=palm',)):
            self.fails(2, EXPECTED, *counted, *more)
        for more, says in (
                (('--projection=100',), '--projection needs --anchors fast'),
                (('--power-iter=1',), 'leave out --power-iter'),
                (('--recover=anchor-free',), 'leave out --anchors'),
                (('--rectify=ap',), 'need --cooccurrence dense')):
            result = self.kedge(*counted, '--cooccurrence=sparse', *more)
            self.assertEqual(result.returncode, 2)
            self.assertIn(says, result.stderr.decode())
        result = self.kedge(*counted[:2], '-k90', '--anchors=counted',
                            '--cooccurrence=dense', '--anchor-min-df=399')
        self.assertEqual(result.returncode, 5)
        self.assertIn(b'too few anchors for 90 topics', result.stderr)


if __name__ == '__main__':
    main()
