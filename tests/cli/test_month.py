#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_month.py PROGRAM [TEST...]: documents come day by day, their words
change, and every day is fitted. The model of the last day is that of a store
that got all documents at once, to the last byte, with a day taken out again
and with fits that were stopped; and the words of a model stay where they are
to stay."""
import json
import os
import random
import shutil
import string
import tempfile
import unittest

from shell import Case

DAYS, A_DAY, LEFT = 30, 40, 7
NARROW = ('--sketch-size', '64')  # which is quick
LETTERS = [a + b + a for a in 'qvxz' for b in 'abcdefghij']
RULES = {'usual': NARROW, 'phrases': ('--phrases', '2', *NARROW),
         'bounds': ('--max-df', '0.3', '--tf', 'raw')}


def word(*parts):
    """Of letters alone, as long as it takes."""
    letters = string.ascii_lowercase
    return ''.join(letters[p // 26 % 26] + letters[p % 26] for p in parts)


def day(number):
    """Three subjects, whose words come and go, and the main word of a week.
    Two of the words always stand side by side."""
    chance = random.Random(number)
    texts = []
    for i in range(A_DAY):
        subject = i % 3
        said = []
        for _ in range(chance.randint(6, 14)):
            age = min(int(chance.expovariate(0.4)), number)
            said.append(word(subject, 30 + number - age, chance.randrange(6)))
        if i % 4 == 0:
            said += [word(9, 100 + number // 7), word(9, 99, subject)]
        if i % 5 == 0:
            said += ['neural', 'network']
        texts.append(' '.join(said))
    return ''.join(json.dumps({'id': f'{number}-{i}', 'text': text}) + '\n'
                   for i, text in enumerate(texts))


class Month(Case):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        maker = cls('month')
        maker.folder = cls.shared.name
        maker.month()
        cls.told = maker.told

    def run_fit(self, store, name, *more):
        return self.works_json('fit', store, '-k', '4', '--align', 'none',
                               '--model', name, '--format', 'json', '-q',
                               '--threads', '1', *more)['models'][0]

    def month(self):
        self.told = []
        for number in range(DAYS):
            self.write(f'{number}.jsonl', day(number))
            self.works('ingest', 'daily', f'{number}.jsonl', '--batch',
                       str(number), '-q')
            self.told.append(self.run_fit('daily', 'usual', *NARROW))
            if number in (9, DAYS - 1):
                for name, rule in RULES.items():
                    if name != 'usual':
                        self.run_fit('daily', name, *rule)
            if number == 10:
                self.works('remove', 'daily', '--batch', str(LEFT), '-q')
                self.run_fit('daily', 'usual', *NARROW)
                shutil.copytree(self.path('daily'), self.path('earlier'))
        left = [f'{n}.jsonl' for n in range(DAYS) if n != LEFT]
        self.works('ingest', 'fresh', *left, '-q')
        for name, rule in RULES.items():
            self.run_fit('fresh', name, *rule)

    def setUp(self):
        self.folder = self.shared.name

    def same_models(self, one, other, name):
        files = []
        for store in (one, other):
            shutil.rmtree(self.path(f'{store}.out'), ignore_errors=True)
            self.works('export', store, '--model', name, '-o', f'{store}.out',
                       '-q')
            folder = self.path(f'{store}.out')
            files.append({n: self.read(os.path.join(folder, n))
                          for n in sorted(os.listdir(folder))
                          if n != 'model.json'})
        self.assertEqual(list(files[0]), list(files[1]))
        for n, content in files[0].items():
            self.assertTrue(content == files[1][n], n)
        return files[0]['vocab.txt'].decode().split()

    def indexes(self, store):
        return self.works_json('info', store, '--format', 'json')['indexes']

    def test_the_last_day_is_as_all_at_once(self):
        for name in RULES:
            with self.subTest(name):
                words = self.same_models('daily', 'fresh', name)
                self.assertIn(word(9, 100 + (DAYS - 1) // 7), words)
                self.assertEqual('neural_network' in words, name == 'phrases')

    def test_there_is_one_index_a_rule(self):
        indexes = self.indexes('daily')
        self.assertEqual(len(indexes), len(RULES))
        self.assertEqual(sorted(v['rule'] for v in indexes),
                         sorted(v['rule'] for v in self.indexes('fresh')))

    def test_what_happens_is_told(self):
        self.assertEqual(self.told[0]['vocabulary'], 'rule')
        for before, now in zip(self.told, self.told[1:]):
            self.assertEqual(now['vocabulary'], 'changed')
            self.assertEqual(now['words_before'], before['words'])
            self.assertLess(now['tokens_left_out'], 0.5)
        self.assertLess(0, self.told[-1]['tokens_left_out'])
        again = self.run_fit('daily', 'again', *NARROW)
        self.assertEqual(again['vocabulary'], 'rule')
        self.assertEqual(again['words_before'], 0)

    def copy(self, name):
        shutil.rmtree(self.path(name), ignore_errors=True)
        shutil.copytree(self.path('earlier'), self.path(name))

    def rest(self, store):
        self.works('ingest', store, *(f'{n}.jsonl' for n in range(11, DAYS)),
                   '-q')

    def test_frozen_words_stay(self):
        self.copy('frozen')
        words = self.same_models('frozen', 'earlier', 'usual')
        self.rest('frozen')
        told = self.kedge('fit', 'frozen', '-k', '4', '--freeze', '--model',
                          'usual')
        self.assertEqual(told.returncode, 0, told.stderr)
        text = ' '.join(told.stderr.decode().split())
        self.assertIn(f'kedge: words: {len(words)}, in ', text)
        self.assertIn('(--freeze: model usual, index ', text)
        self.works('export', 'frozen', '--model', 'usual', '-o', 'kept', '-q')
        self.assertEqual(self.read('kept/vocab.txt').decode().split(), words)
        # the rule goes on beside it, under another name
        ruled = self.run_fit('frozen', 'ruled', *NARROW)
        self.assertEqual(ruled['vocabulary'], 'changed')
        self.assertEqual(sum(v['frozen'] for v in self.indexes('frozen')), 1)
        kept = self.run_fit('frozen', 'usual', '--freeze')
        self.assertEqual((kept['vocabulary'], kept['words']),
                         ('frozen', len(words)))
        # no model is made of the kept words any more
        self.run_fit('frozen', 'usual', *NARROW)
        self.assertEqual(sum(v['frozen'] for v in self.indexes('frozen')), 0)

    def test_words_that_no_document_has_any_more(self):
        self.write('words.jsonl', ''.join(
            json.dumps({'id': str(i), 'text': ' '.join(
                LETTERS[i * k % 40] for k in range(1, 20))
                + (' only' + LETTERS[i % 20] if i < 100 else '')})
            + '\n' for i in range(300)))
        self.works('ingest', 'left', 'words.jsonl', '-q')
        rule = ('--min-df', '1', '--max-df', '1', '--stopwords', 'none')
        first = self.run_fit('left', 'usual', *rule)
        self.write('ids.txt', ''.join(f'{i}\n' for i in range(100)))
        self.works('remove', 'left', '--ids', 'ids.txt', '-q')
        told = self.kedge('fit', 'left', '-k', '4', '--freeze', '--model',
                          'usual')
        self.assertEqual(told.returncode, 0, told.stderr)
        here = first['words'] - 20
        self.assertIn(f' words {first["words"]} absent 20 in no document any '
                      'more ', ' '.join(told.stderr.decode().split()))
        kept = self.run_fit('left', 'usual', '--freeze')
        self.assertEqual([kept[key] for key in ('words', 'stored_words',
                                                'absent_words', 'phrases')],
                         [here + 20, here, 20, 0])

    def test_words_of_a_model_whose_index_is_gone(self):
        self.copy('gone')
        words = self.same_models('gone', 'earlier', 'usual')
        self.rest('gone')
        self.run_fit('gone', 'new', *NARROW)
        kept = self.run_fit('gone', 'usual', '--freeze')
        self.assertEqual((kept['vocabulary'], kept['words']),
                         ('frozen', len(words)))
        self.works('export', 'gone', '--model', 'usual', '-o', 'again', '-q')
        self.assertEqual(self.read('again/vocab.txt').decode().split(), words)

    def test_phrases_of_a_model_stay(self):
        self.copy('joined')
        shutil.copy(self.path('0.jsonl'), self.path('asked.jsonl'))
        before = self.works('infer', 'joined', 'asked.jsonl', '--model',
                            'phrases', '-q')
        self.rest('joined')
        self.run_fit('joined', 'other', *RULES['phrases'])
        self.assertEqual(self.works('infer', 'joined', 'asked.jsonl',
                                    '--model', 'phrases', '-q'), before)
        joined = [v for v in self.indexes('joined') if 'phrases' in v['rule']]
        self.assertEqual([v['documents'] > 0 for v in joined], [False, True])
        self.works('fit', 'joined', '-k', '4', '--model', 'phrases', '-q',
                   *RULES['phrases'])
        joined = [v for v in self.indexes('joined') if 'phrases' in v['rule']]
        self.assertEqual(len(joined), 1)
        self.works('verify', 'joined', '-q')

    def test_refused(self):
        for words, *arguments in (
                ('the store has no model yet', 'none', '--freeze'),
                ('give one of the two', 'daily', '--freeze',
                 '--min-df', '3')):
            if arguments[0] == 'none':
                self.works('ingest', 'none', '0.jsonl', '-q')
            result = self.kedge('fit', arguments[0], '-k', '2',
                                *arguments[1:])
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(words, ' '.join(result.stderr.decode().split()))


if __name__ == '__main__':
    unittest.main(verbosity=2)
