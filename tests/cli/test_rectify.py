#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_rectify.py PROGRAM: what is known of the co-occurrence, and how it is
rectified."""
import json
import os
import re
import struct

from shell import Case, Corpus, main

FILES = ('topics.npy', 'topic_cooccurrence.npy')


class Rectify(Case):
    def setUp(self):
        super().setUp()
        Corpus().put(self)
        self.works('ingest', 'store', 'docword.txt', '--vocab', 'vocab.txt')

    def fit(self, *arguments):
        told, = self.works_json('fit', 'store', '-k3', '--model=m',
                                '--align=none', '--format=json',
                                *arguments)['models']
        return told

    def exported(self):
        self.works('export', 'store', '--model=m', '-o', 'out')
        self.options = json.loads(self.read('out/model.json'))['options']
        return [self.read(f'out/{name}') for name in FILES]

    def topics(self):
        """Rows of the topics, each with three probabilities."""
        raw = self.exported()[0]
        size = int.from_bytes(raw[8:10], 'little')
        rows = struct.iter_unpack('<3d', raw[10 + size:])
        return list(rows)

    def check_topics(self):
        """Each planted topic is one found: four words in five are its own."""
        rows = self.topics()
        words = self.read('out/vocab.txt').split(b'\n')
        known = Corpus().words
        found = set()
        for topic in range(3):
            mass = [0] * 3
            for word, row in zip(words, rows):
                mass[known.index(word) // 40] += row[topic]
            self.assertAlmostEqual(sum(mass), 1)
            self.assertGreater(max(mass), 0.8)
            found.add(mass.index(max(mass)))
        self.assertEqual(len(found), 3)

    def test_dense_is_told_and_exact(self):
        told = self.fit('--cooccurrence=dense')
        self.assertEqual(told['cooccurrence'], 'dense')
        self.assertLess(told['eigenspace_error'], 1e-6)
        self.assertFalse(told['power_iter_helps'])
        self.check_topics()
        self.assertEqual(self.options['cooccurrence'], 'dense')
        self.assertEqual(self.fit()['cooccurrence'], 'sketch')
        self.check_topics()
        self.assertNotIn('cooccurrence', self.options)
        result = self.kedge('fit', 'store', '-k3', '--cooccurrence', 'dense')
        self.assertIn(b'  co-occurrence              dense  exact eigen',
                      result.stderr)
        self.assertEqual(self.works_json('verify', 'store', '--format=json')
                         ['damaged'], [])

    def test_sparse_is_as_dense(self):
        dense = self.fit('--cooccurrence=dense')
        anchors = self.anchors()
        for more in ((), ('--term-weight=sqrt', '--ncut'),
                     ('--term-weight=none',), ('--rectify=palm',),
                     ('--rectify=ipalm', '--threads=1')):
            told = self.fit('--cooccurrence=sparse', *more)
            self.assertEqual(told['cooccurrence'], 'sparse')
            self.assertLess(told['eigenspace_error'], 1e-6)
            self.assertFalse(told['power_iter_helps'])
            self.check_topics()
            self.assertEqual(self.options['cooccurrence'], 'sparse')
            if more == ():
                self.assertEqual(self.anchors(), anchors)
                for name in ('unexplained', 'negative_share',
                             'cooccurrence_sum'):
                    self.assertAlmostEqual(told[name], dense[name], 8)
        result = self.kedge('fit', 'store', '-k3', '--cooccurrence', 'sparse')
        self.assertIn(b'  co-occurrence             sparse  exact eigen',
                      result.stderr)
        self.assertEqual(self.works_json('verify', 'store', '--format=json')
                         ['damaged'], [])

    def anchors(self):
        self.exported()
        return self.read('out/anchors.txt')

    def test_every_rectification_finds_the_topics(self):
        usual = {'enn': 5, 'none': 5, 'palm': 100, 'ipalm': 100, 'ap': 15,
                 'dr': 15}
        for name, rounds in usual.items():
            for more in ((), ('--term-weight=none',), ('--rectify-iter=3',),
                         ('--cooccurrence=dense', '--term-weight=sqrt')):
                told = self.fit(f'--rectify={name}', *more)
                dense = name in ('ap', 'dr') or len(more) == 2
                self.assertEqual(told['rectify'], name)
                self.assertEqual(told['cooccurrence'],
                                 'dense' if dense else 'sketch')
                self.check_topics()
                self.assertEqual(self.options['rectify'], name)
                self.assertEqual(self.options['rectify_iter'],
                                 3 if more == ('--rectify-iter=3',) else rounds)
                self.assertLessEqual(told['rectify_iter'],
                                     self.options['rectify_iter'])
        result = self.kedge('fit', 'store', '-k3', '--rectify', 'dr')
        self.assertRegex(result.stderr.decode(), r'(?m)^  rectified by +dr$')

    def test_topics_without_anchors(self):
        for options in ((), ('--rectify=palm',), ('--rectify=ap',),
                        ('--term-weight=none', '--em-iter=1')):
            told = self.fit('--recover=anchor-free', *options)
            self.assertEqual(told['recover'], 'anchor-free')
            self.check_topics()
            self.assertEqual(self.options['recover'], 'anchor-free')
            anchors = self.read('out/anchors.txt').split()
            self.assertEqual(len(set(anchors)), 3)
        result = self.kedge('fit', 'store', '-k3', '--recover=anchor-free')
        self.assertRegex(result.stderr.decode(),
                         r'(?m)^  topics by +anchor-free$')
        self.fit()
        self.exported()
        self.assertNotIn('recover', self.options)

    def test_threads_leave_no_trace(self):
        for options in (('--cooccurrence=dense',),
                        ('--cooccurrence=sparse', '--term-weight=sqrt'),
                        ('--rectify=palm', '--cooccurrence=sparse'),
                        ('--rectify=dr', '--term-weight=sqrt', '--ncut'),
                        ('--rectify=ap', '--term-weight=none'),
                        ('--rectify=palm', '--ncut'),
                        ('--recover=anchor-free',),
                        ('--rectify=ipalm', '--cooccurrence=dense')):
            models = []
            for threads in '12':
                self.fit(f'--threads={threads}', *options)
                models.append(self.exported())
            self.assertEqual(models[0], models[1])

    def test_the_cooccurrence_is_exported(self):
        self.works('fit', 'store', '-k3')
        for pairs, name in (('dense', 'npy'), ('sparse', 'mtx'),
                            ('none', None)):
            self.works('export', 'store', '-o', 'out',
                       f'--cooccurrence={pairs}')
            there = {f for f in os.listdir(self.path('out'))
                     if f.startswith('cooccurrence')}
            self.assertEqual(there, {f'cooccurrence.{name}'} if name
                             else set())
            arrays = json.loads(self.read('out/model.json'))['arrays']
            self.assertEqual({a for a in arrays if a.startswith('cooc')},
                             there)
            if pairs == 'dense':
                sums = self.sums()
        raw = self.read('out/word_probability.npy')
        self.assertEqual(len(sums), 120)
        for a, b in zip(sums, struct.unpack('<120d', raw[-960:])):
            self.assertAlmostEqual(a, b, 8)
        result = self.kedge('export', 'store', '-o', 'out',
                            '--cooccurrence=dense', '--memory=40M')
        self.assertEqual(result.returncode, 4)
        self.assertIn(b'the co-occurrence of all pairs of words takes',
                      result.stderr)

    def sums(self):
        """Of the rows of out/cooccurrence.npy."""
        raw = self.read('out/cooccurrence.npy')
        return [sum(row) for row in
                struct.iter_unpack('<120d', raw[-120 * 960:])]

    def test_what_goes_not_together(self):
        for kind in ('dense', 'sparse'):
            self.fails(2, 'kedge: the eigenpairs of the co-occurrence itself '
                       'are exact: there is nothing for --power-iter to sharpen\n', 'fit',
                       'store', '-k3', f'--cooccurrence={kind}',
                       '--power-iter=1')
        for kind in ('ap', 'dr'):
            self.fails(2, 'kedge: projections of all pairs of words leave '
                          'none at zero: --cooccurrence dense was expected '
                          'beside --rectify ap and '
                          'dr\n', 'fit', 'store', '-k3',
                       '--cooccurrence=sparse', f'--rectify={kind}')
            self.fails(2, 'kedge: projections of all pairs of words cannot be '
                          'had from a sketch: --cooccurrence dense was '
                          'expected beside --rectify ap and '
                          'dr\n', 'fit', 'store', '-k3',
                       '--cooccurrence=sketch', f'--rectify={kind}')
            self.works('fit', 'store', '-k3', '--cooccurrence=dense',
                       f'--rectify={kind}', '-q')
        self.fails(2, 'kedge: without anchors there is no topic co-occurrence '
                      'from them: expected --topic-cooccurrence '
                      'least-squares\n',
                   'fit', 'store', '-k3', '--recover=anchor-free',
                   '--topic-cooccurrence=diagonal')


    def test_more_topics_than_there_are(self):
        """Three are planted: eigenvalues of next to nothing become none that
        are found, however C is known."""
        for known in 'dense', 'sparse':
            result = self.kedge('fit', 'store', '-k12', '--term-weight=none',
                                f'--cooccurrence={known}')
            self.assertEqual(result.returncode, 5)
            self.assertRegex(result.stderr.decode(),
                             r'\nkedge: only [4-8] of 12 anchors can be told '
                             r'apart among \d+ candidates')


class Large(Case):
    """Twelve thousand words: all their pairs take 1.07 GiB."""

    def test_too_many_words_are_refused_with_the_figure(self):
        chance = range(12000)
        self.write('vocab.txt', ''.join(f'w{i}\n' for i in chance))
        self.write('docs.txt', '1200\n12000\n12000\n' + ''.join(
            f'{i // 10 + 1} {i + 1} 1\n' for i in chance))
        self.works('ingest', 'store', 'docs.txt', '--vocab=vocab.txt',
                   '--sketch-size=64')
        result = self.kedge('fit', 'store', '-k3', '--cooccurrence=dense',
                            '--memory=1G')
        self.assertEqual(result.returncode, 4)
        self.assertRegex(
            result.stderr.decode(),
            r'(?m)^kedge: fitting takes 1\.\d\d GiB, the budget '
            r'\(--memory\) is '
            r'1\.00 GiB; give more, take fewer words \(--vocab-size\), or '
            r'leave the co-occurrence to the sketch \(--cooccurrence '
            r'sketch\)\n$')
        told, = self.works_json('fit', 'store', '-k3', '--memory=1G',
                                '--cooccurrence=sparse', '--anchor-min-df=1',
                                '--format=json')['models']
        self.assertLess(told['peak_memory'], 1 << 28)

    def test_pairs_that_are_too_many_are_refused_once_they_are_counted(self):
        words = range(3000)
        self.write('vocab.txt', ''.join(f'w{i}\n' for i in words))
        self.write('docs.txt', '6\n3000\n18000\n' + ''.join(
            f'{d + 1} {i + 1} 1\n' for d in range(6) for i in words))
        self.works('ingest', 'store', 'docs.txt', '--vocab=vocab.txt',
                   '--sketch-size=64', '--bags-only')
        takes = []
        for memory in 60, None, None:
            result = self.kedge('fit', 'store', '-k2', '--index=0',
                                '--cooccurrence=sparse', '--threads=1',
                                f'--memory={memory or takes[-1]}M')
            found = re.search(r'kedge: fitting takes (\d+) MiB, the budget',
                              result.stderr.decode())
            if found:
                self.assertEqual(result.returncode, 4)
                takes.append(int(found[1]))
        self.assertEqual(len(takes), 2)
        self.assertEqual((takes[1] - takes[0]) // 4, 8 * 3000 ** 2 >> 22)


if __name__ == '__main__':
    main()
