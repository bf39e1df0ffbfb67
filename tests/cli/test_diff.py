#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_diff.py PROGRAM: topics that keep their numbers and labels, and what
moved between two models, on the corpus of fixtures/."""
import os
import random
import json
import re
import shutil
import subprocess
import tempfile

from shell import Case, main

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..',
                        'fixtures')
VOCABULARY = os.path.join(FIXTURES, 'vocab.harbour.txt')
HEAD = ('before after distance prevalence_before prevalence_after '
        'anchor_before anchor_after label_before label_after gained '
        'lost').split()
SIDE = {'topic', 'label', 'prevalence', 'anchor'}


def corpus():
    """The lines of the fixture, by document."""
    text = subprocess.run(
        ['zstd', '-dc', os.path.join(FIXTURES, 'docword.harbour.txt.zst')],
        check=True, stdout=subprocess.PIPE).stdout.decode()
    lines = text.split('\n')
    documents = {}
    for line in lines[3:-1]:
        number, rest = line.split(' ', 1)
        documents.setdefault(number, []).append(rest)
    return int(lines[1]), list(documents.values())


def uci(words, documents):
    lines = [f'{i} {rest}' for i, d in enumerate(documents, 1) for rest in d]
    return '\n'.join([str(len(documents)), str(words), str(len(lines))]
                     + lines) + '\n'


class DiffCase(Case):
    """Each test has a copy of a store with half the corpus and k12."""

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        maker = Case()
        maker.folder = cls.shared.name
        words, documents = corpus()
        random.Random(3).shuffle(documents)
        maker.write('one.txt', uci(words, documents[:1500]))
        maker.write('two.txt', uci(words, documents[1500:]))
        maker.works('ingest', 'store', 'one.txt', '--from', 'uci', '--vocab',
                    VOCABULARY)
        maker.works('fit', 'store', '-k', '12')

    def setUp(self):
        super().setUp()
        shutil.copytree(os.path.join(self.shared.name, 'store'),
                        self.path('store'))

    def more(self):
        self.works('ingest', 'store', os.path.join(self.shared.name,
                                                   'two.txt'),
                   '--from', 'uci', '--vocab', VOCABULARY)

    def topics(self, *arguments):
        return self.works_json('topics', 'store', '--format', 'json',
                               *arguments)['topics']

    def fit(self, *arguments):
        return self.works_json('fit', 'store', '--format', 'json',
                               *arguments)['models'][0]

    def diff(self, *arguments):
        return self.works_json('diff', 'store', *arguments, '--format',
                               'json')


def share_of(words, others):
    return len(set(words) & set(others)) / len(words)


def top(topic):
    return [w['word'] for w in topic['words']]


class Numbers(DiffCase):
    def test_numbers_stay(self):
        """Documents come; every topic is about what it was about."""
        before = self.topics()
        self.more()
        result = self.fit('-k', '12')
        self.assertEqual((result['aligned_to'], result['matched'],
                          result['new_topics'], result['lost_topics']),
                         ('k12', 12, 0, 0))
        self.assertGreater(result['mean_distance'], 0.001)
        self.assertLess(result['mean_distance'], 0.4)
        for old, new in zip(before, self.topics()):
            self.assertGreaterEqual(share_of(top(old), top(new)), 0.5)

    def test_permutation_is_undone(self):
        """Numbers of another order than prevalence come from a model with
        fewer topics; they are followed, with a name of the caller's too."""
        self.works('fit', 'store', '-k', '6', '--model', 'few')
        self.works('fit', 'store', '-k', '12', '--model', 'mixed', '--align',
                   'few')
        mixed = self.topics('--model', 'mixed')
        shares = [t['prevalence'] for t in mixed]
        self.assertNotEqual(shares, sorted(shares, reverse=True))
        result = self.fit('-k', '12', '--model', 'again', '--align', 'mixed')
        self.assertEqual(result['matched'], 12)
        self.assertLess(result['mean_distance'], 1e-9)
        self.assertEqual(self.topics('--model', 'again'), mixed)
        self.assertEqual(
            self.fit('-k', '12', '--model', 'mixed')['aligned_to'], 'mixed')
        self.assertEqual(self.topics('--model', 'mixed'), mixed)

    def test_align_none(self):
        self.works('fit', 'store', '-k', '6', '--model', 'few')
        self.works('fit', 'store', '-k', '12', '--align', 'few')
        result = self.fit('-k', '12', '--align', 'none')
        self.assertEqual((result['aligned_to'], result['matched'],
                          result['new_topics'], result['lost_topics'],
                          result['mean_distance']),
                         ('', 0, 0, 0, None))
        shares = [t['prevalence'] for t in self.topics()]
        self.assertEqual(shares, sorted(shares, reverse=True))

    def test_summary(self):
        result = self.kedge('fit', 'store', '-k', '10', '--align', 'k12')
        self.assertEqual((result.returncode, result.stdout), (0, b''))
        text = result.stderr.decode()
        self.assertRegex(text, '\nkedge: topics keep the labels of model k12: '
                               r'10 matched \([12] renumbered\), 0 new, '
                               '2 lost\n')
        first = self.kedge('fit', 'store', '-k', '9', '--model', 'again')
        self.assertNotIn(b'topics keep', first.stderr)
        again = self.kedge('fit', 'store', '-k', '13', '--model', 'again')
        found, = re.findall(
            r'\nkedge: topics keep the numbers and labels of the replaced model '
            r'again: (\d+) matched, (\d+) new \(([\d, ]+)\), (\d+) lost; '
            r'--align none numbers them by prevalence\n', again.stderr.decode())
        result = self.fit('-k', '14', '--model', 'again')
        self.assertEqual(int(found[0]) + int(found[1]), 13)
        self.assertEqual(len(found[2].split(', ')), int(found[1]))
        self.assertEqual(len(result['new_topic_numbers']),
                         result['new_topics'])
        self.assertGreater(result['new_topics'], 0)
        self.assertLessEqual(max(result['new_topic_numbers']), 14)
        none = self.kedge('fit', 'store', '-k', '9', '--model', 'again',
                          '--align', 'none')
        self.assertNotIn(b'topics keep', none.stderr)

    def test_no_such_model(self):
        result = self.kedge('fit', 'store', '-k', '12', '--align', 'k99')
        self.assertEqual((result.returncode, result.stdout), (1, b''))
        self.assertRegex(result.stderr.decode(),
                         r'(?m)^kedge: the store has no model "k99"; its '
                         r'models: .*k12.*\n$')


class Labels(DiffCase):
    def label(self, *arguments):
        self.assertEqual(self.works('label', 'store', *arguments), '')

    def test_the_model_is_told(self):
        self.works('fit', 'store', '-k', '3', '--model', 'few')
        for arguments, said in (
                (('3', 'courts'), 'model few: topic 3 is now "courts"'),
                (('3', ''), 'model few: topic 3 has no label now'),
                (('--model', 'k12', '2', 'law'),
                 'model k12: topic 2 is now "law"')):
            result = self.kedge('label', 'store', *arguments)
            self.assertEqual((result.returncode, result.stdout,
                              result.stderr.decode()),
                             (0, b'', f'kedge: {said}\n'))
        self.assertEqual(self.kedge('label', 'store', '1', 'x', '-q').stderr,
                         b'')

    def test_shown(self):
        self.label('3', 'Caf\u00e9 "Zum Anker" \u65e5\u672c')
        self.label('--model', 'k12', '5', 'x' * 63)
        labels = [t['label'] for t in self.topics()]
        self.assertEqual(labels[2], 'Caf\u00e9 "Zum Anker" \u65e5\u672c')
        self.assertEqual(labels[4], 'x' * 63)
        self.assertEqual(set(labels) - {labels[2], labels[4]}, {''})
        rows = [line.split('\t') for line in self.works(
            'topics', 'store', '--format', 'tsv').split('\n')[:-1]]
        place = rows[0].index('label')
        for row in rows[1:]:
            self.assertEqual(row[place], labels[int(row[0]) - 1])
        table = self.works('topics', 'store')
        self.assertRegex(table, '(?m)^ +3 +[0-9.]+ %  '
                         r'\[Caf\u00e9 "Zum Anker" \u65e5\u672c\]')
        self.assertRegex(table, r'(?m)^ +5 +[0-9.]+ %  \[x{58}')
        self.assertEqual(table.count(' %  ['), 2)
        self.assertLessEqual(max(map(len, table.split('\n'))), 80)
        self.works('export', 'store', '-o', 'out')
        self.assertIn(b'"topic": 5, "label": "' + b'x' * 63 + b'"',
                      self.read('out/model.json'))

    def test_removed(self):
        before = self.works('topics', 'store', '--format', 'json')
        self.label('3', 'Three')
        self.assertNotEqual(self.works('topics', 'store', '--format', 'json'),
                            before)
        self.label('3', '')
        self.assertEqual(self.works('topics', 'store', '--format', 'json'),
                         before)

    def test_carried(self):
        """To the same topic, whatever became of its number."""
        self.label('2', 'Two')
        self.label('12', 'Twelve')
        before = self.topics()
        self.more()
        self.works('fit', 'store', '-k', '12')
        self.assertEqual([t['label'] for t in self.topics()],
                         [t['label'] for t in before])
        self.works('fit', 'store', '-k', '11', '--align', 'k12')
        pairs = self.diff('k12', 'k11')['topics']
        kept = {p['after']['label'] for p in pairs}
        self.assertEqual(kept, {p['before']['label'] for p in pairs})
        for pair in pairs:
            self.assertEqual(pair['before']['label'], pair['after']['label'])
        self.works('fit', 'store', '-k', '12', '--align', 'none')
        self.assertEqual({t['label'] for t in self.topics()}, {''})

    def test_lost(self):
        """Whoever gave a label hears that no topic has it any more."""
        few = ('fit', 'store', '-k', '4', '--model', 'k6', '-q')
        self.works('fit', 'store', '-k', '6')
        for k in range(1, 7):
            self.label('--model', 'k6', str(k), f'L{k}')
        result = self.kedge(*few, '--format', 'json')
        lost = json.loads(result.stdout)['models'][0]['lost_labels']
        left = [t['label'] for t in self.topics('--model', 'k6') if t['label']]
        self.assertGreaterEqual(len(lost), 2)
        self.assertEqual(sorted(left + [l['label'] for l in lost]),
                         [f'L{k}' for k in range(1, 7)])
        self.assertEqual([l['label'] for l in lost],
                         [f'L{l["topic"]}' for l in lost])
        topics = ', '.join(f'{l["topic"]} "{l["label"]}"' for l in lost)
        self.assertEqual(
            result.stderr.decode(), f'kedge: warning: {len(lost)} labels of '
            f'the replaced model k6 are lost: topics {topics}\n')
        self.assertEqual(self.kedge(*few).stderr, b'')
        none = self.kedge(*few, '--align', 'none').stderr.decode()
        self.assertEqual([none.count(label) for label in left],
                         [1] * len(left))

    def test_malformed(self):
        for name, said in ((b'tab\there', b'control characters: byte 4'),
                           (b'\x1b[2J', b'control characters: byte 1'),
                           (b'bad\xff', b'is UTF-8; byte 4'),
                           (b'y' * 64, b'at most 63 bytes, not 64')):
            result = self.kedge('label', 'store', '3', name)
            self.assertEqual((result.returncode, result.stdout), (2, b''))
            self.assertRegex(result.stderr, b'^kedge: [^\x1b]*\n$')
            self.assertIn(said, result.stderr)
        self.assertEqual({t['label'] for t in self.topics()}, {''})

    def test_wrong_topics(self):
        self.fails(2, 'kedge: there is no topic 13: model k12 has 12\n',
                   'label', 'store', '13', 'x')
        for topic, said in (('0', '0 is less than 1'),
                            ('one', "'one' is not a whole number"),
                            ('1 ', "'1 ' is not a whole number")):
            self.fails(2, f"kedge: TOPIC: {said}\n"
                       "Try 'kedge label --help'.\n", 'label', 'store', topic,
                       'x')
        self.fails(2, "kedge: label needs STORE TOPIC LABEL\n"
                   "Try 'kedge label --help'.\n", 'label', 'store', '1')
        self.fails(2, "kedge: an empty name is no name\n"
                   "Try 'kedge label --help'.\n", 'label', 'store', '', 'x')
        self.assertEqual(self.kedge('label', 'store', '1', 'x', '--model',
                                    'k9').returncode, 1)
        self.assertEqual(self.kedge('label', 'nowhere', '1', 'x').returncode, 1)


class Diff(DiffCase):
    def setUp(self):
        super().setUp()
        self.works('label', 'store', '1', 'First\u00e9')
        self.more()
        self.works('fit', 'store', '-k', '9', '--model', 'later', '--align',
                   'k12')

    def test_another_seed_changes_no_words(self):
        """But for a few, of the 192 that the lists have room for."""
        for seed in '12':
            self.works('fit', 'store', '-k', '12', '--model', f's{seed}',
                       '--seed', seed, '--min-df', '1')
        topics = self.diff('s1', 's2')['topics']
        self.assertEqual(len(topics), 12)
        self.assertLess(sum(len(t['gained']) + len(t['lost'])
                            for t in topics), 10)
        moved = self.diff('k12', 'later')['topics']
        self.assertGreater(sum(len(t['gained']) for t in moved), 10)

    def test_json(self):
        d = self.diff('k12', 'later')
        self.assertEqual(set(d), {'kedge', 'before', 'after', 'matched',
                                  'mean_distance', 'topics', 'lost', 'added'})
        self.assertEqual((d['before']['model'], d['before']['topics'],
                          d['after']['model'], d['after']['topics']),
                         ('k12', 12, 'later', 9))
        self.assertEqual(len(d['topics']), d['matched'])
        self.assertEqual(d['matched'] + len(d['lost']), 12)
        self.assertEqual(d['matched'] + len(d['added']), 9)
        self.assertAlmostEqual(
            sum(t['distance'] for t in d['topics']) / d['matched'],
            d['mean_distance'], 12)
        for t in d['topics']:
            self.assertEqual(set(t), {'before', 'after', 'distance', 'gained',
                                      'lost'})
            self.assertEqual((set(t['before']), set(t['after'])), (SIDE, SIDE))
            self.assertLessEqual(t['distance'], 0.7)
            self.check_words(t['gained'], 1)
            self.check_words(t['lost'], -1)
        for t in d['lost']:
            self.assertEqual(set(t), {'before', 'nearest', 'lost'})

    def check_words(self, words, sign):
        changes = [sign * (w['after'] - w['before']) for w in words]
        self.assertEqual(changes, sorted(changes, reverse=True))
        self.assertLessEqual(len(words), 8)
        self.assertTrue(all(change >= 1e-6 for change in changes))

    def test_figures_are_the_models(self):
        d = self.diff('k12', 'later')
        models = {'before': self.topics('--model', 'k12'),
                  'after': self.topics('--model', 'later')}
        for side, topics in models.items():
            for t in d['topics']:
                own = topics[t[side]['topic'] - 1]
                self.assertEqual({k: own[k] for k in SIDE}, t[side])

    def test_the_other_way_round(self):
        d, back = self.diff('k12', 'later'), self.diff('later', 'k12')
        pairs = {(t['before']['topic'], t['after']['topic'])
                 for t in d['topics']}
        self.assertEqual({(t['after']['topic'], t['before']['topic'])
                          for t in back['topics']}, pairs)
        self.assertAlmostEqual(d['mean_distance'], back['mean_distance'], 12)
        self.assertEqual(len(d['lost']), len(back['added']))

    def test_tsv(self):
        text = self.works('diff', 'store', 'k12', 'later', '--format', 'tsv',
                          '-n', '3')
        rows = [line.split('\t') for line in text.split('\n')[:-1]]
        self.assertEqual(rows[0], HEAD)
        self.assertEqual({len(row) for row in rows}, {len(HEAD)})
        d = self.diff('k12', 'later', '-n', '3')
        pairs = [row for row in rows[1:] if row[0] and row[1]]
        self.assertEqual(
            [(int(r[0]), int(r[1]), float(r[2]), r[5], r[10].split())
             for r in pairs],
            [(t['before']['topic'], t['after']['topic'], t['distance'],
              t['before']['anchor'], [w['word'] for w in t['lost']])
             for t in d['topics']])
        self.assertEqual(sum(row[1] == '' for row in rows), len(d['lost']))

    def test_table(self):
        text = self.works('diff', 'store', 'k12', 'later')
        lines = text.split('\n')
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertRegex(lines[0], r'^before +k12: 12 topics over \d+ words$')
        self.assertRegex(lines[1], r'^after +later: 9 topics over \d+ words$')
        self.assertRegex(lines[2], r'^\d topics found again, mean distance '
                         r'0\.\d{3}; \d new, \d lost$')
        self.assertRegex(text, r'(?m)^topic 1 +distance 0\.\d+, '
                         r'prevalence [\d.]+ % -> [\d.]+ %$')
        self.assertIn('\n  label:       First\u00e9\n', text)
        self.assertRegex(text, r'(?m)^topic \d+ lost +nearest 0\.\d+, ')
        for label in ('anchor:', 'gained:', 'lost:', 'probability:'):
            self.assertRegex(text, rf'(?m)^  {label} +\w')

    def test_with_itself(self):
        d = self.diff('later', 'later')
        self.assertEqual((d['matched'], d['lost'], d['added']), (9, [], []))
        self.assertLess(d['mean_distance'], 1e-12)
        for t in d['topics']:
            self.assertEqual(t['before'], t['after'])
            self.assertEqual((t['gained'], t['lost']), ([], []))

    def test_threads_do_not_matter(self):
        texts = {self.works('diff', 'store', 'k12', 'later', '--format',
                            'json', '--threads', n) for n in '123'}
        self.assertEqual(len(texts), 1)

    def test_no_such_model(self):
        for models in (('k12', 'k99'), ('k99', 'later')):
            result = self.kedge('diff', 'store', *models)
            self.assertEqual((result.returncode, result.stdout), (1, b''))
            self.assertTrue(re.search(b'no model "k99"', result.stderr))
        self.fails(2, 'kedge: diff needs STORE MODEL1 MODEL2\n'
                   "Try 'kedge diff --help'.\n", 'diff', 'store', 'k12')


if __name__ == '__main__':
    main()
