#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_ways.py PROGRAM: every way to anchors, topics and topic
co-occurrence that makes sense with another, and what is said of those that
make none."""
import ast
import itertools
import json
import os
import struct

from shell import Case, main

FIXTURES = os.path.join(os.path.dirname(__file__), '..', '..', 'fixtures')
K = 6
GIVEN = 'lapwing\nambulance\n'
TANDEM = 'lapwing wren\ndrizzle\nambulance nurse\n'
ANCHORS = {
    'qr': (), 'fast': (), 'fast-projected': ('--projection', '100'),
    'spa': (), 'snpa': (), 'xray': (), 'given.txt': (), 'tandem.txt': (),
    'model': ('--align', 'first'),
    'counted-dense': ('--cooccurrence', 'dense'),
    'counted-sparse': ('--cooccurrence', 'sparse'),
}
TOPICS = (('--solver', 'admm'), ('--solver', 'active-set'),
          ('--solver', 'expgrad'), ('--recover', 'kl'),
          ('--recover', 'inverse'))
COOCCURRENCES = ('least-squares', 'diagonal')
WRONG = (
    (('--projection', '100'), 2, '--projection needs --anchors fast'),
    (('--anchors', 'fast', '--projection', '5'), 2, 'no room for 6'),
    (('--recover', 'kl', '--solver', 'active-set'), 2,
     '--solver needs --recover l2'),
    (('--recover', 'inverse', '--solver', 'expgrad'), 2,
     '--solver needs --recover l2'),
    (('--anchors', 'tandem.txt', '--topic-cooccurrence', 'diagonal'), 2,
     'use least-squares'),
    (('--anchors', 'tandem.txt', '--recover', 'inverse'), 2,
     'use --recover l2 or kl'),
    (('--anchors', 'model', '--align', 'none'), 2, "--align none names no model"),
    (('--anchors', 'model', '--model', 'new'), 1, 'name another with --align'),
    (('--anchors', 'nowhere.txt'), 1, 'nowhere.txt'),
    (('--anchors', 'unknown.txt'), 2,
     'unknown.txt:2: "zebra" is not in the vocabulary'),
    (('--anchors', 'given.txt', '--anchor-ban', 'ban.txt'), 2,
     'given.txt:1: "lapwing" is an anchor here, but --anchor-ban'),
    (('--anchors', 'many.txt'), 2, 'for 7 topics, more than the 6'),
    (('--anchor-min-df', '3000'), 5, '0 words are in 3000 documents or more'),
    (('--anchor-ban', 'nowhere.txt'), 1, 'nowhere.txt'),
    (('--solver', 'newton'), 2, '--solver'),
    (('--recover', 'l1'), 2, '--recover'),
)


def matrix(data):
    """A .npy of two dimensions, as rows."""
    size = struct.unpack_from('<H', data, 8)[0]
    shape = ast.literal_eval(data[10:10 + size].decode())['shape']
    values = struct.unpack_from(f'<{shape[0] * shape[1]}d', data, 10 + size)
    return [values[i * shape[1]:(i + 1) * shape[1]] for i in range(shape[0])]


def ways():
    """All that go together: what is typed."""
    for anchors, topics, cooccurrence, legal in itertools.product(
            ANCHORS, TOPICS, COOCCURRENCES, (False, True)):
        if anchors == 'tandem.txt' and (cooccurrence == 'diagonal'
                                        or 'inverse' in topics):
            continue
        yield ('--anchors', anchors.split('-')[0], *ANCHORS[anchors], *topics,
               '--topic-cooccurrence', cooccurrence,
               *(['--legal'] if legal else []))


class Ways(Case):
    def setUp(self):
        super().setUp()
        self.works('ingest', 'store',
                   os.path.join(FIXTURES, 'docword.harbour.txt.zst'),
                   '--vocab', os.path.join(FIXTURES, 'vocab.harbour.txt'),
                   '--sketch-size', '120', '-q')
        self.write('given.txt', GIVEN)
        self.write('tandem.txt', TANDEM)
        self.works('fit', 'store', '-k', str(K), '--model', 'first', '-q')

    def fit(self, *arguments, model='m'):
        align = () if '--align' in arguments else ('--align', 'none')
        told, = self.works_json('fit', 'store', '-k', str(K), '--model', model,
                                '--format', 'json', *align, *arguments)[
                                    'models']
        return told

    def model(self, *arguments):
        """All bytes of it."""
        self.fit(*arguments)
        return self.exported()

    def exported(self, name='m'):
        self.works('export', 'store', '--model', name, '-o', 'out')
        return [self.read(f'out/{file}') for file in (
            'topics.npy', 'topic_cooccurrence.npy', 'anchors.txt',
            'model.json')]

    def check(self, told, way):
        """What holds for every model."""
        topics, cooccurrence, anchors, described = self.exported()
        b, a = matrix(topics), matrix(cooccurrence)
        described = json.loads(described)
        legal = '--legal' in way
        for column in range(K):
            self.assertAlmostEqual(sum(row[column] for row in b), 1, 9)
        self.assertGreaterEqual(min(map(min, b)), 0)
        self.assertEqual(a, list(zip(*a)))
        if legal:
            self.assertAlmostEqual(sum(map(sum, a)), 1, 9)
            self.assertGreaterEqual(min(map(min, a)), 0)
        self.assertEqual(told['legal'], legal)
        self.assertEqual(described['options'].get('legal', False), legal)
        anchor = way[1] if '.' not in way[1] else 'file'
        self.assertEqual(told['anchors'], anchor)
        self.assertEqual(described['options'].get('anchors', 'qr'), anchor)
        for name, usual in (('solver', 'admm'), ('recover', 'l2')):
            asked = (way[way.index('--' + name) + 1] if '--' + name in way
                     else usual)
            self.assertEqual(told[name], asked)
            self.assertEqual(described['options'].get(name, usual), asked)
        self.assertEqual(len(set(anchors.split())), K)
        if anchor == 'file':
            self.assertLessEqual({b'lapwing', b'ambulance'},
                                 set(anchors.split()))

    def test_all_that_go_together(self):
        count = 0
        for way in ways():
            with self.subTest(way=way):
                self.check(self.fit(*way), way)
            count += 1
        self.assertEqual(count, 10 * 5 * 2 * 2 + 4 * 2)
        self.works('verify', 'store')

    def test_with_the_cooccurrence_itself(self):
        """Each way to anchors, and each to topics."""
        count = 0
        for known, (name, more) in itertools.product(
                ('dense', 'sparse'), ANCHORS.items()):
            topics = TOPICS[count % 4]  # without the inverse, as tandem is
            way = ('--anchors', name.split('-')[0], *more, *topics,
                   '--cooccurrence', known)
            count += 1
            if name in ('counted-dense', 'counted-sparse'):
                continue  # which have it always
            with self.subTest(way=way):
                told = self.fit(*way)
                self.check(told, way)
                self.assertEqual(told['cooccurrence'], known)

    def test_solvers_agree(self):
        found = []
        for solver in ('admm', 'active-set', 'expgrad'):
            topics, cooccurrence, anchors, _ = self.model('--solver', solver)
            found.append((matrix(topics), matrix(cooccurrence), anchors))
        for topics, cooccurrence, anchors in found[1:]:
            self.assertEqual(anchors, found[0][2])
            for rows, first, bar in ((topics, found[0][0], 1e-4),
                                     (cooccurrence, found[0][1], 1e-4)):
                far = max(abs(x - y) for row, other in zip(rows, first)
                          for x, y in zip(row, other))
                self.assertLess(far, bar * max(map(max, first)))

    def test_threads_leave_no_trace(self):
        for anchors, more in ANCHORS.items():
            way = ('--anchors', anchors.split('-')[0], *more)
            self.assertEqual(self.model(*way, '--threads', '1'),
                             self.model(*way, '--threads', '2'), way)
        for way in TOPICS:
            self.assertEqual(self.model(*way, '--legal', '--threads', '1'),
                             self.model(*way, '--legal', '--threads', '2'),
                             way)

    def test_banned_words_are_no_anchors(self):
        for name in ('qr', 'fast', 'spa', 'snpa', 'xray', 'model'):
            way = ('--anchors', name, *ANCHORS.get(name, ()))
            before = self.model(*way)[2]
            self.write('ban.txt', b'\n'.join(before.split()[:3]) + b'\n')
            after = self.model(*way, '--anchor-ban', 'ban.txt')
            self.assertFalse(set(before.split()[:3]) & set(after[2].split()))
            self.assertTrue(json.loads(after[3])['options']['banned_anchors'])

    def test_anchors_are_kept(self):
        first = self.exported('first')[2]
        told = self.fit('--anchors', 'model', '--align', 'first',
                        '--term-weight', 'none', '--rectify-iter', '1')
        self.assertEqual(told['anchors_given'], K)
        self.assertEqual(sorted(self.exported()[2].split()),
                         sorted(first.split()))

    def test_dirichlet(self):
        told = self.fit()
        topics = self.works_json('topics', 'store', '--model', 'm',
                                 '--format', 'json')['topics']
        self.assertAlmostEqual(sum(t['alpha'] for t in topics),
                               told['dirichlet'], 9)
        for t in topics:
            self.assertAlmostEqual(t['alpha'] / told['dirichlet'],
                                   t['prevalence'], 9)

    def test_info_tells(self):
        self.fit('--anchors', 'fast', '--projection', '100', '--recover', 'kl',
                 '--legal', '--rectify', 'ap')
        ways = ('cooccurrence dense, rectify ap, anchors fast, projected, '
                'recover kl, legal')
        told = {m['name']: m['ways'] for m in self.works_json(
            'info', 'store', '--format', 'json')['models']}
        self.assertEqual(told, {'first': '', 'm': ways})
        for option in (), ('--model', 'm'):
            text = self.works('info', 'store', *option)
            self.assertIn(f'm: {ways}', ' '.join(text.split()))
            self.assertNotIn('first:', text)

    def test_summary_tells(self):
        result = self.kedge('fit', 'store', '-k', str(K), '--anchors',
                            'given.txt', '--recover', 'kl', '--legal')
        text = result.stderr.decode()
        for line in (r'anchors by +file', r'anchors given +2',
                     r'topics by +kl', r'legal +yes '):
            self.assertRegex(text, rf'(?m)^ +{line}')
        self.assertLessEqual(max(map(len, text.split('\n'))), 80)

    def test_what_makes_no_sense(self):
        self.write('unknown.txt', 'lapwing\nwren zebra\n')
        self.write('ban.txt', 'lapwing\n')
        self.write('many.txt', 'lapwing\nambulance\nwren\ndrizzle\ndig\n'
                   'canvas\nvictory\n')
        for way, code, says in WRONG:
            result = self.kedge('fit', 'store', '-k', str(K), *way)
            self.assertIn(says, result.stderr.decode(), way)
            self.assertEqual(result.returncode, code, way)
            self.assertEqual(result.stdout, b'')


if __name__ == '__main__':
    main()
