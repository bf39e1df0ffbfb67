#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_choices.py PROGRAM: which words topics are made of, indexes and models
that are chosen and dropped, one way to cut texts, and what failures leave
behind."""
import json
import os
import random
import re
import socket
import time

from shell import Case, Corpus, main

STOP = 'the and of'.split()


def texts(documents=60):
    """A common word, a rare one, stop words, and some in between."""
    chance = random.Random(3)
    lines = []
    for i in range(documents):
        words = ['common', 'the', 'and', 'of']
        for topic in 'ab':
            if chance.random() < 0.45:
                words += [f'{topic}{chance.choice("klmnopqr")}'
                          f'{chance.choice("aeiou")}' for _ in range(12)]
        if i == 7:
            words.append('rare')
        lines.append(json.dumps({'id': f'd{i}', 'text': ' '.join(words)}))
    return '\n'.join(lines) + '\n'


class Identity(Case):
    """Which files are known, and where what they go on with belongs."""

    def documents(self):
        return self.works_json('info', 'store', '--format', 'json')[
            'documents']

    def put(self, name, *texts_and_labels):
        self.write(name, ''.join(
            json.dumps({'text': text, 'label': label}) + '\n'
            for text, label in texts_and_labels))

    def test_labels_and_order_are_content(self):
        for count, (text, label, *options) in enumerate((
                ('red fish swim', 'a'), ('red fish swim', 'b'),
                ('swim red fish', 'a'),
                ('red fish dive', 'a', '--bags-only')), 1):
            self.put('f.jsonl', (text, label))
            for _ in range(2):
                self.works('ingest', 'store', 'f.jsonl', *options)
                self.assertEqual(self.documents(), count)

    def test_texts_go_on_as_they_began(self):
        """With or without --bags-only no document comes a second time."""
        lines = [(f'red fish number {"abcdefghij"[i % 10] * (2 + i // 10)}',
                  'a') for i in range(40)]
        for store, first, later in (('store', [], ['--bags-only']),
                                    ('bags', ['--bags-only'], [])):
            self.put('f.jsonl', *lines[:20])
            self.works('ingest', store, 'f.jsonl', *first)
            for count, resumed in (20, 20), (40, 20):
                self.put('f.jsonl', *lines[:count])
                result = self.kedge('ingest', store, 'f.jsonl', *later,
                                    '--format', 'json')
                self.assertEqual(json.loads(result.stdout)['resumed'],
                                 resumed)
                self.assertIn(
                    'f.jsonl: its first documents were stored '
                    f'with{"out" if first else ""} word order (--bags-only), '
                    'and so are the rest',
                    result.stderr.decode())
                told = self.works_json('info', store, '--format', 'json')
                self.assertEqual(told['documents'], count)
                self.assertEqual(len(told['sources']), 1)
            self.works('verify', store)
            self.works('ingest', f'whole-{store}', 'f.jsonl', *first)
            self.assertEqual(self.works('cat', store, '--format', 'text'),
                             self.works('cat', f'whole-{store}', '--format',
                                        'text'))

    def test_merged_texts_are_known(self):
        self.put('f.jsonl', ('red fish. blue fish', 'a'), ('fish swim', ''))
        self.put('g.jsonl', ('swim in blue waters', 'b'))
        self.works('ingest', 'store', 'g.jsonl', 'f.jsonl')
        self.works('ingest', 'other', 'f.jsonl', 'g.jsonl')
        self.works('merge', 'store', 'other')
        self.works('ingest', 'store', 'f.jsonl', 'g.jsonl')
        self.assertEqual(self.documents(), 3)

    def test_another_batch(self):
        many = [(f'text number word{"abcdefghijklmnopqrstuvw"[i]}', 'l')
                for i in range(20)]
        self.put('f.jsonl', *many)
        self.works('ingest', 'store', 'f.jsonl', '--batch', 'one')
        self.put('g.jsonl', *many)
        self.works('ingest', 'store', 'g.jsonl', '--batch', 'two')
        self.put('g.jsonl', *many, ('one more', 'l'))
        self.fails(2, 'kedge: g.jsonl continues f.jsonl, which is in batch '
                   '"one": leave out --batch two, or put the new documents '
                   'into another file\n',
                   'ingest', 'store', 'g.jsonl', '--batch', 'two', '-q')
        self.assertEqual(self.documents(), 20)
        self.works('ingest', 'store', 'g.jsonl')
        self.assertEqual(self.documents(), 21)

    def test_printed_text_is_read_again(self):
        self.write('f.jsonl', ''.join(json.dumps(d) + '\n' for d in (
            {'id': 'a b', 'label': 'x y', 'text': 'red fish, blue fish'},
            {'id': 'c', 'text': 'Fish swim. Far away'},
            {'text': 'neither id nor label'})))
        self.works('ingest', 'store', 'f.jsonl')
        printed = self.works('cat', 'store', '--format', 'text')
        self.assertIn('red fish | blue fish', printed)
        self.write('f.tsv', printed)
        self.works('ingest', 'again', 'f.tsv', '--from', 'tsv', '--id-field',
                   '1', '--label-field', '2', '--text-field', '3')
        self.assertEqual(self.works('cat', 'again', '--format', 'text'),
                         printed)

    def test_fields_are_apart(self):
        self.write('f.jsonl', json.dumps(
            {'title': 'red fish', 'parts': ['swim far', 'away now']}) + '\n')
        self.write('f.csv', 'title,body\nred fish,swim far\n')
        self.works('ingest', 'store', 'f.jsonl', '--text-field', 'title,parts')
        self.works('ingest', 'store', 'f.csv', '--text-field', 'title,body')
        self.assertEqual(
            [line.split('\t')[2] for line in self.works(
                'cat', 'store', '--format', 'text').splitlines()],
            ['red fish | swim far | away now', 'red fish | swim far'])

    def test_cutting_without_texts_is_told(self):
        self.write('bags.jsonl', '{"text": {"red": 1, "fish": 2}}\n')
        result = self.kedge('ingest', 'store', 'bags.jsonl', '--stem',
                            'english', '--digits')
        self.assertEqual(result.returncode, 0)
        self.assertIn(b'no texts were read: --digits, --stem english is not '
                      b'stored',
                      result.stderr)


class TextCase(Case):
    def setUp(self):
        super().setUp()
        self.write('texts.jsonl', texts())
        self.works('ingest', 'store', 'texts.jsonl', '-q')

    def fit(self, *arguments):
        """The words of the model."""
        self.works('fit', 'store', '-k', '2', '--model', 'm', *arguments)
        last = max(v['number'] for v in self.indexes())
        return {w['word'] for w in self.works_json(
            'vocab', 'store', '--index', str(last), '-n', '0', '--format',
            'json')['words']}

    def indexes(self):
        return self.works_json('info', 'store', '--format', 'json')['indexes']


class Words(TextCase):
    def check(self, words, common, rare, stop):
        self.assertEqual(('common' in words, 'rare' in words,
                          set(STOP) <= words), (common, rare, stop))
        self.assertGreater(len(words), 40)

    def test_what_is_not_said_is_usual(self):
        self.check(self.fit(), False, False, False)
        self.check(self.fit('--min-df', '1'), False, True, False)
        self.check(self.fit('--max-df', '1'), True, False, False)
        self.check(self.fit('--max-df', '1', '--stopwords', 'none'), True,
                   False, True)
        self.check(self.fit('--min-df', '1', '--max-df', '1', '--stopwords',
                            'none'), True, True, True)

    def test_said_in_the_log(self):
        result = self.kedge('fit', 'store', '-k', '2', '--min-df', '3')
        self.assertRegex(
            result.stderr.decode(),
            r'(?m)^kedge: words: \d+ of \d+, in 3 documents or more, in 50% of '
            r'documents at most, no stop words \(english\) \(index 1, new\)$')
        result = self.kedge('fit', 'store', '-k', '2', '--min-df', '3')
        self.assertRegex(
            result.stderr.decode(),
            r'(?m)^kedge: words: \d+ of \d+, in 3 .* \(index 1\)$')
        default = self.kedge('fit', 'store', '-k', '2').stderr.decode()
        self.assertRegex(
            default, r'^kedge: words: \d+ of \d+, in \d documents or more, .* '
            r'\(the default; index 1\)\n')
        frozen = self.kedge('fit', 'store', '-k', '2', '--freeze')
        self.assertRegex(
            frozen.stderr.decode(), r'^kedge: words: \d+, in \d documents or '
            r'more, .* \(--freeze: model k2, index 1\)\n')

    def test_a_list_is_all_there_is(self):
        kept = ['common', 'rare', 'the', 'nobody', 'aka', 'bla', 'ake', 'bli']
        self.write('keep.txt', '\n'.join(kept) + '\n')
        keep = ['--keep-words', 'keep.txt', '--tf', 'raw', '--term-weight',
                'none']
        self.assertEqual(self.fit(*keep), set(kept) - {'nobody'})
        self.assertEqual(self.fit(*keep, '--stopwords', 'english'),
                         set(kept) - {'nobody', 'the'})

    def test_with_a_vocabulary_nothing_is_usual(self):
        Corpus().put(self)
        self.works('ingest', 'bags', 'docword.txt', '--vocab', 'vocab.txt')
        self.works('fit', 'bags', '-k', '2', '--min-df', '2')
        rules = [v['rule'] for v in self.works_json(
            'info', 'bags', '--format', 'json')['indexes']]
        self.assertEqual(rules, ['', 'in 2 documents or more'])

    def test_as_many_topics_as_words(self):
        self.write('keep.txt', ''.join(
            f'{t}{x}{y}\n' for t in 'ab' for x in 'klmno' for y in 'ai'))
        result = self.works_json('fit', 'store', '-k', '6,9', '--keep-words',
                                 'keep.txt', '--format', 'json')
        for model in result['models']:
            self.assertEqual((model['words'], model['sketch_size']), (20, 80))
        result = self.kedge('fit', 'store', '-k', '21', '--keep-words',
                            'keep.txt')
        self.assertEqual(result.returncode, 5)
        self.assertTrue(result.stderr.decode().endswith(
            'kedge: 21 topics are too many for 20 words: fit 20 topics at '
            'most\n'))

    def test_a_failed_fit_leaves_no_index(self):
        for arguments in (['-k', '2000'], ['-k', '2', '--align', 'nobody'],
                          ['-k', '2', '--min-tokens', '900']):
            result = self.kedge('fit', 'store', *arguments)
            self.assertNotEqual(result.returncode, 0)
            self.assertEqual(self.indexes(), [], arguments)


class Polish(Case):
    FILES = ('topics.npy', 'topic_cooccurrence.npy', 'model.json')

    def setUp(self):
        super().setUp()
        Corpus(2000).put(self)
        self.works('ingest', 'store', 'docword.txt', '--vocab', 'vocab.txt')

    def fit(self, *arguments):
        model, = self.works_json('fit', 'store', '-k', '3', '--model', 'm',
                                 *arguments, '--format', 'json')['models']
        return model

    def exported(self):
        self.works('export', 'store', '--model', 'm', '-o', 'out')
        return [self.read(f'out/{name}') for name in self.FILES]

    def polish_option(self):
        return json.loads(self.read('out/model.json'))['options']['em_iter']

    def test_documents_become_likelier(self):
        plain = self.fit()
        self.assertEqual((plain['em_iter'], plain['log_likelihood']), (0, []))
        before = self.exported()
        self.assertEqual(self.polish_option(), 0)
        model = self.fit('--em-iter', '2')
        self.assertEqual(model['em_iter'], 2)
        first, second, last = model['log_likelihood']
        self.assertTrue(first < second < last < 0, model['log_likelihood'])
        self.assertNotEqual(self.exported()[0], before[0])
        self.assertEqual(self.polish_option(), 2)
        # fewer passes are the first ones of more
        self.assertEqual(self.fit('--em-iter', '1')['log_likelihood'],
                         [first, second])

    def test_threads_leave_no_trace(self):
        self.fit('--em-iter', '2', '--threads', '1')
        one = self.exported()
        self.fit('--em-iter', '2', '--threads', '2', '--align', 'none')
        self.assertEqual(self.exported(), one)

    def test_killed_and_made_again(self):
        self.fit('--em-iter', '50')
        whole = self.exported()
        self.works('drop', 'store', '--model', 'm')
        for delay in (0.05, 0.2, 0.4):
            process = self.start('fit', 'store', '-k', '3', '--model', 'm',
                                 '--em-iter', '50', '--quiet')
            time.sleep(delay)
            process.kill()
            process.communicate()
        self.works('verify', 'store')
        self.fit('--em-iter', '50', '--align', 'none')
        self.assertEqual(self.exported(), whole)

    def test_told(self):
        result = self.kedge('fit', 'store', '-k', '3', '--em-iter', '1')
        self.assertRegex(result.stderr.decode(),
                         r'(?m)^ +log-likelihood +-\d\.\d+  of a token, in '
                         r'sample; -\d\.\d+ before the EM\n +iteration$')
        result = self.kedge('fit', 'store', '-k', '3')
        self.assertNotIn(b'likelihood', result.stderr)


class Statistics(TextCase):
    def statistics(self, store):
        return [v['tf'] for v in self.works_json(
            'info', store, '--format', 'json')['indexes']]

    def test_indexes_of_each(self):
        for statistic in ('log', 'raw', 'sqrt', 'log'):
            self.works('fit', 'store', '-k', '2', '--tf', statistic)
        self.assertEqual(self.statistics('store'), ['log', 'raw', 'sqrt'])
        self.works('fit', 'store', '-k', '2', '--max-df', '1')
        self.assertEqual(self.statistics('store')[3:], ['log'])

    def test_said_in_the_log(self):
        result = self.kedge('fit', 'store', '-k', '2', '--tf', 'log')
        self.assertRegex(result.stderr.decode(),
                         r'(?m)^kedge: words: \d+ of \d+, in .*index 1, new\)$')

    def test_while_reading(self):
        Corpus().put(self)
        ingest = ('ingest', 'bags', 'docword.txt', '--vocab', 'vocab.txt')
        self.works(*ingest, '--tf', 'log,sqrt')
        self.assertEqual(self.statistics('bags'), ['log', 'sqrt'])
        self.works(*ingest, '--tf', 'raw')
        self.assertEqual(self.statistics('bags'), ['log', 'sqrt', 'raw'])
        for index in self.works_json('info', 'bags', '--format',
                                    'json')['indexes']:
            self.assertTrue(index['current'], index)
        for statistic in ('sqrt', 'raw', 'log'):
            self.works('fit', 'bags', '-k', '2', '--tf', statistic)
        self.assertEqual(len(self.statistics('bags')), 3)
        self.works('verify', 'bags')

    def test_rebuilt_as_it_was(self):
        self.works('fit', 'store', '-k', '2', '--tf', 'log')
        before = self.works_json('verify', 'store', '--format', 'json')
        self.works('repair', 'store')
        after = self.works_json('verify', 'store', '--format', 'json')
        self.assertEqual(before['indexes'], after['indexes'])

    def digests(self, store):
        told = self.works_json('verify', store, '--format', 'json')
        self.assertEqual(told['damaged'], [])
        return [v['digest'] for v in told['indexes']]

    def halves(self):
        """A corpus as docword.txt, and its halves as north.txt and
        south.txt."""
        corpus = Corpus()
        corpus.put(self)
        half, found = corpus.documents // 2, {'north': [], 'south': []}
        for line in corpus.lines:
            document, rest = line.split(b' ', 1)
            north = int(document) <= half
            number = int(document) - (0 if north else half)
            found['north' if north else 'south'].append(
                b'%d %s' % (number, rest))
        for name, lines in found.items():
            self.write(name + '.txt', b'%d\n%d\n%d\n' % (
                half, len(corpus.words), len(lines)) + b''.join(lines))

    def read_bags(self, store, *sources, statistic):
        self.works('ingest', store, *sources, '--from', 'uci', '--vocab',
                   'vocab.txt', '--tf', statistic)

    def test_merged(self):
        """The index of all words comes along by its tf, where all
        stores have the same."""
        self.halves()
        for statistic in ('log', 'sqrt'):
            for store, source in (('whole', 'docword'), ('a', 'north'),
                                  ('b', 'south')):
                self.read_bags(store + statistic, source + '.txt',
                               statistic=statistic)
            out = 'merged' + statistic
            self.works('merge', out, 'a' + statistic, 'b' + statistic)
            self.assertEqual(self.statistics(out), [statistic])
            self.assertEqual(self.digests(out),
                             self.digests('whole' + statistic))
        self.works('merge', 'mixed', 'alog', 'bsqrt')
        self.assertEqual(self.statistics('mixed'), [])
        self.works('merge', 'alog', 'bsqrt')
        self.assertEqual(self.statistics('alog'), ['log'])
        self.assertEqual(self.digests('alog'), self.digests('wholelog'))

    def test_merged_with_those_beside(self):
        """Which all of the stores have."""
        self.halves()
        for store, source, statistics in (
                ('whole', 'docword', 'raw,log'),
                ('a', 'north', 'raw,log,sqrt'), ('b', 'south', 'raw,log')):
            self.read_bags(store, source + '.txt', statistic=statistics)
        self.works('merge', 'merged', 'a', 'b')
        self.assertEqual(self.statistics('merged'), ['raw', 'log'])
        self.assertEqual(self.digests('merged'), self.digests('whole'))

    def test_those_beside_follow(self):
        """Of what is merged into the store, leaves it and is written again."""
        self.halves()
        statistics = 'sqrt,raw,log'
        self.read_bags('whole', 'docword.txt', statistic=statistics)
        self.read_bags('bags', 'north.txt', statistic=statistics)
        self.read_bags('other', 'south.txt', '--batch', 'south',
                       statistic='raw')
        before = self.digests('bags')
        self.works('merge', 'bags', 'other')
        self.assertEqual(self.digests('bags'), self.digests('whole'))
        self.works('remove', 'bags', '--batch', 'south')
        self.assertEqual(self.digests('bags'), before)
        for command in ('compact', 'repair'):
            self.works(command, 'bags')
            self.assertEqual(self.digests('bags'), before)
        self.works('drop', 'bags', '--index', '0')
        self.works('drop', 'bags', '--index', '2')
        self.assertEqual(self.statistics('bags'), ['raw'])
        self.works('merge', 'bags', 'other')
        self.assertEqual(self.digests('bags'), self.digests('whole')[1:2])

    def test_asked_for_by_number(self):
        for statistic in ('log', 'sqrt'):
            self.works('fit', 'store', '-k', '2', '--tf', statistic)
        for number, statistic in enumerate(('log', 'sqrt'), 1):
            for said in ([], ['--tf', statistic]):
                self.works('fit', 'store', '-k', '2', '--index', str(number),
                           '--model', statistic, *said)
                self.works('export', 'store', '--model', statistic, '-o',
                           statistic)
                told = json.loads(self.read(f'{statistic}/model.json'))
                self.assertEqual(told['sketch']['tf'], statistic)
        self.fails(2, 'kedge: index 2 has --tf sqrt, not raw\n',
                   'fit', 'store', '-k', '2', '--index', '2', '--tf',
                   'raw', '-q')

    def test_refused(self):
        for arguments, words in (
                (['fit', 'store', '-k', '2', '--tf', 'tf'],
                 "--tf: 'tf' is not one of raw|log|sqrt\nTry "),
                (['ingest', 'store', 'texts.jsonl', '--tf', 'log,'],
                 "--tf: '' is not one of raw|log|sqrt\nTry "),
                (['ingest', 'store', 'texts.jsonl', '--tf', 'log'],
                 'there is no vocabulary: give --tf, --sketch-size, '
                 "--seed and --min-tokens to 'kedge fit'")):
            result = self.kedge(*arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn(words, result.stderr.decode())
        self.assertEqual(self.statistics('store'), [])


class Indexes(TextCase):
    def test_chosen(self):
        self.fit()
        self.fit('--min-df', '1')
        first, second = self.indexes()
        for index in (first, second):
            model, = self.works_json(
                'fit', 'store', '-k', '2', '--index', str(index['number']),
                '--format', 'json')['models']
            self.assertEqual(model['words'], index['words'])
        for code, said, *arguments in (
                (1, 'the store has no index 7; \'kedge info STORE\' lists '
                 'them', '--index', '7'),
                (2, 'index 1 has its words already: choose an index, or words, '
                 'not both', '--index', '1', '--drop-words', 'x')):
            self.fails(code, f'kedge: {said}\n', 'fit', 'store', '-k', '2',
                       *arguments)
        self.fails(2, 'kedge: --index: one index at a time, not 2\n'
                   "Try 'kedge fit --help'.\n",
                   'fit', 'store', '-k', '2', '--index', '1,2')

    def test_dropped(self):
        self.fit()
        before = self.works('topics', 'store', '--format', 'json')
        rule = self.indexes()[0]['rule']
        model, = self.works_json('info', 'store', '--format',
                                 'json')['models']
        self.assertEqual((model['index'], model['rule'],
                          model['index_stays']), (1, rule, True))
        self.fails(0, 'kedge: index 1 is deleted\n', 'drop', 'store',
                   '--index', '1')
        self.assertEqual(self.indexes(), [])
        text = ' '.join(self.works('info', 'store', '--model', 'm').split())
        self.assertIn(f' index 1: words {rule} (deleted since)', text)
        told = self.works_json('info', 'store', '--model', 'm', '--format',
                               'json')['vocabulary']
        self.assertEqual((told['index'], told['rule']), (1, f'words {rule}'))
        self.assertEqual(self.works('topics', 'store', '--format', 'json'),
                         before)
        self.works('export', 'store', '-o', 'out')
        self.works('verify', 'store')
        self.fails(1, "kedge: the store has no index 1; 'kedge info STORE' "
                   'lists them\n', 'drop', 'store', '--index', '1')
        self.works('drop', 'store', '--model', 'm', '-q')
        self.fails(1, 'kedge: the store has no model "m", and no other yet; '
                   "make one with 'kedge fit STORE -k TOPICS'\n", 'drop', 'store', '--model', 'm')

    def test_one_thing_at_a_time(self):
        for arguments in ([], ['--index', '1', '--model', 'm'],
                          ['--index', '1,2']):
            self.fails(2, 'kedge: drop takes one thing at a time: --model '
                       "NAME or --index N\nTry 'kedge drop --help'.\n",
                       'drop', 'store', *arguments)

    def test_all_words_do_not_come_again(self):
        Corpus().put(self)
        self.write('vocab2.txt', 'one\ntwo\n')
        self.write('more.txt', '1\n2\n2\n1 1 3\n1 2 4\n')
        self.works('ingest', 'bags', 'docword.txt', '--vocab', 'vocab.txt')
        self.works('drop', 'bags', '--index', '0')
        summary = self.works_json('ingest', 'bags', 'more.txt', '--vocab',
                                  'vocab2.txt', '--format', 'json')
        self.assertEqual((summary['documents'], summary['sketch_size']),
                         (1, 0))
        self.assertEqual(self.works_json('info', 'bags', '--format',
                                         'json')['indexes'], [])
        self.works('fit', 'bags', '-k', '2')
        index, = self.works_json('info', 'bags', '--format', 'json')['indexes']
        self.assertEqual(index['number'], 1)


class Lists(TextCase):
    def test_models_without_a_common_word(self):
        for name in 'ab':
            self.write(f'{name}.txt', ''.join(
                f'{name}{x}{y}\n' for x in 'klmnopqr' for y in 'aeiou'))
            self.works('fit', 'store', '-k', '2', '--model', name,
                       '--keep-words', f'{name}.txt')
        text = self.works('diff', 'store', 'a', 'b')
        self.assertIn('\n0 topics found again; 2 new, 2 lost\n', text)
        found = self.works_json('diff', 'store', 'a', 'b', '--format', 'json')
        self.assertIsNone(found['mean_distance'])
        result = self.kedge('fit', 'store', '-k', '2', '--align', 'b',
                            '--keep-words', 'a.txt')
        self.assertIn(b'\nkedge: topics keep the numbers and labels of model b: '
                      b'0 matched, 2 new (1, 2), 2 lost\n', result.stderr)

    def test_zero_is_all(self):
        words = self.fit()
        topics = self.works_json('topics', 'store', '-n', '0', '--format',
                                 'json')['topics']
        self.assertEqual({w['word'] for topic in topics
                          for w in topic['words']}, words)
        self.assertEqual(len(self.works('cat', 'store', '-n',
                                        '0').splitlines()), 60)


class Cutting(TextCase):
    def test_shown_and_kept(self):
        self.write('one.txt', 'Ships sailing\n')
        self.write('two.txt', 'ship sails\n')
        self.write('stop.txt', 'sail\n')
        line = ['--from', 'lines']
        self.works('ingest', 'other', 'one.txt', *line, '--stem', 'english',
                   '--min-chars', '3')
        cut = self.works_json('info', 'other', '--format', 'json')['tokenizer']
        self.assertEqual(cut, {'min_chars': 3, 'max_chars': 64,
                               'digits': False, 'stem': 'english',
                               'stopwords': '', 'stopword_count': 0})
        self.assertRegex(' '.join(self.works('info', 'other').split()),
                         'shortest word 3 .* longest word 64 with digits no '
                         'stemmed english')
        result = self.kedge('ingest', 'other', 'two.txt', *line, '--batch',
                            'x')
        self.assertIn('kedge: texts are split as before: --min-chars 3, '
                      '--stem english\n', result.stderr.decode())
        self.assertEqual(self.works('cat', 'other', '--format', 'text').count(
            'sail'), 1)  # the same words, so it is the same source
        for arguments, differs in (
                (['--digits'], ('no --digits', '--digits')),
                (['--stem', 'none'], ('--stem english', '--stem none')),
                (['--min-chars', '4'], ('--min-chars 3', '--min-chars 4')),
                (['--stopwords', 'stop.txt'],
                 ('--stopwords none (0 words)',
                  '--stopwords stop.txt (1 word)'))):
            self.fails(2, f'kedge: the texts of this store were split with '
                          f'{differs[0]}, which cannot change to '
                          f'{differs[1]}; leave these options out, or start a '
                          f'new store\n',
                       'ingest', 'other', 'two.txt', *line, *arguments)

    def test_merged(self):
        self.write('one.txt', 'Ships sailing\n')
        self.works('ingest', 'other', 'one.txt', '--from', 'lines', '--stem',
                   'english')
        self.fails(2, 'kedge: the texts of store were split with --stem none, '
                      'those of other with --stem english: these stores '
                      'cannot be merged\n', 'merge', 'all', 'store', 'other')
        self.assertFalse(os.path.exists(self.path('all')))
        self.works('merge', 'all', 'other')
        cut = self.works_json('info', 'all', '--format', 'json')['tokenizer']
        self.assertEqual(cut['stem'], 'english')

    def test_bags_settle_nothing(self):
        Corpus().put(self)
        self.works('ingest', 'bags', 'docword.txt', '--vocab', 'vocab.txt')
        self.assertNotIn('tokenizer', self.works_json(
            'info', 'bags', '--format', 'json'))
        self.assertNotIn('\n  texts ', self.works('info', 'bags'))


class Leftovers(Case):
    def check_gone(self, code, *arguments, **options):
        result = self.kedge(*arguments, **options)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertFalse(os.path.exists(self.path('new')), arguments)

    def test_a_first_ingest_that_fails(self):
        self.write('good.jsonl', texts(3))
        self.write('bad.jsonl', '{"text": 5\n')
        self.write('void', '')
        self.write('vocab.txt', 'a\na\n')
        for code, *arguments in (
                (1, 'nowhere.jsonl'), (1, 'bad.jsonl'),
                (2, 'void', '--from', 'uci'),
                (2, 'good.jsonl', '--stem', 'klingon'),
                (1, 'good.jsonl', '--vocab', 'nowhere'),
                (1, 'good.jsonl', '--vocab', 'vocab.txt'),
                (2, 'good.jsonl', '--stopwords', 'nowhere'),
                (2, 'good.jsonl', '--min-chars', '9', '--max-chars', '8'),
                (4, 'good.jsonl', '--memory', '1M')):
            self.check_gone(code, 'ingest', 'new', *arguments)
        self.check_gone(2, 'ingest', 'new', '-', input=b'x')
        os.mkdir(self.path('there'))
        self.kedge('ingest', 'there', 'nowhere.jsonl')
        self.assertEqual(os.listdir(self.path('there')), [])

    def test_what_got_a_document_stays(self):
        self.write('good.jsonl', texts(3))
        self.write('bad.jsonl', '{"text": 5\n')
        result = self.kedge('ingest', 'new', 'good.jsonl', 'bad.jsonl')
        self.assertEqual(result.returncode, 1)
        self.assertEqual(self.works_json('info', 'new', '--format',
                                         'json')['documents'], 3)
        self.kedge('ingest', 'new', 'nowhere.jsonl')
        self.works('info', 'new')

    def test_no_other_command_makes_one(self):
        self.write('ids', 'x\n')
        for command in ('fit new -k 3', 'topics new', 'label new 1 x',
                        'diff new a b', 'export new -o out', 'info new',
                        'cat new', 'vocab new', 'remove new --ids ids',
                        'drop new --index 1', 'merge new nowhere',
                        'verify new', 'compact new', 'repair new'):
            self.check_gone(1, *command.split())
            self.assertFalse(os.path.exists(self.path('out')))


class Duplicates(Case):
    def test_both_places_are_named(self):
        self.write('one.jsonl', '{"id": "x", "text": "aa bb"}\n'
                   '{"id": "y", "text": "cc dd"}\n')
        self.write('two.jsonl', '{"id": "z", "text": "ee ff"}\n\n'
                   '{"id": "y", "text": "gg hh"}\n')
        self.write('twice.jsonl', '{"id": "q", "text": "ee ff"}\n'
                   '{"id": "q", "text": "gg hh"}\n')
        self.works('ingest', 'store', 'one.jsonl', '-q')
        for name, place, known in (('two', 3, 'y" already, from one.jsonl:2'),
                                   ('twice', 2, 'q" already, from twice.jsonl:1')):
            self.fails(1, f'kedge: {name}.jsonl:{place}: the store has '
                       f'document "{known}; use --on-duplicate skip or '
                       'replace\n', 'ingest', 'store',
                       f'{name}.jsonl', '-q')


class Files(Case):
    def test_what_is_no_text_is_skipped(self):
        os.mkdir(self.path('mail'))
        self.write('mail/one', 'ships sail')
        self.write('mail/latin', 'ein sch\xf6nes Schiff'.encode('latin-1'))
        self.write('mail/picture', b'\x89PNG\r\n\x1a\n\0\0\0\rIHDR')
        self.write('mail/noise', bytes(range(128, 256)) * 40)
        result = self.kedge('ingest', 'store', 'mail')
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stderr.decode(),
                         r'(?m)^  not text +2  files skipped$')
        summary = self.works_json('ingest', 'again', 'mail', '--format',
                                  'json')
        self.assertEqual((summary['documents'], summary['not_text']), (2, 2))
        self.assertIsNone(re.search('not text', self.kedge(
            'ingest', 'quiet', 'mail', '-q').stderr.decode()))


    def test_what_is_no_file_is_skipped(self):
        """Links lead to files, and neither out to directories nor round."""
        os.makedirs(self.path('mail/in'))
        os.mkdir(self.path('mail/.git'))
        os.mkdir(self.path('out'))
        self.write('mail/in/one', 'ships sail')
        self.write('mail/.git/two', 'never seen')
        self.write('mail/.three', 'nor this')
        self.write('out/four', 'boats row')
        for name, to in (('round', '..'), ('in/up', '../..'), ('self', 'self'),
                         ('away', '../out'), ('nothing', '../none'),
                         ('file', '../out/four')):
            os.symlink(to, self.path(f'mail/{name}'))
        os.mkfifo(self.path('mail/pipe'))
        with socket.socket(socket.AF_UNIX) as listener:
            here = os.getcwd()
            os.chdir(self.folder)  # the path of a socket must be short
            self.addCleanup(os.chdir, here)
            listener.bind('mail/socket')
            told = self.works_json('ingest', 'store', 'mail', '--format',
                                   'json')
            self.assertEqual((told['documents'], told['not_text'],
                              told['hidden'], told['special']), (2, 0, 2, 7))
            words = self.works('vocab', 'store', '--sort', 'word', '--format',
                               'tsv').split('\n')[1:-1]
            self.assertEqual([w.split('\t')[0] for w in words],
                             ['boats', 'row', 'sail', 'ships'])
            told = self.kedge('ingest', 'again', 'mail').stderr.decode()
        self.assertRegex(told, r'(?m)^  hidden +2  names that begin with a '
                         r'dot: skipped')
        self.assertRegex(told, r'(?m)^  special +7  links to directories')


class Removed(Case):
    def setUp(self):
        super().setUp()
        self.write('bags.jsonl', '{"text": {"a": 1}}\n{"text": {"b": 2}}\n'
                   '{"id": "bags.jsonl:1", "text": {"c": 4}}\n'
                   '{"id": "z\\u0000z", "text": {"d\\u0000": 1}}\n')
        self.works('ingest', 'store', 'bags.jsonl', '-q', '--batch', 'b')

    def words(self):
        return sorted(word for line in self.works('cat', 'store').splitlines()
                      for word in json.loads(line)['words'])

    def test_none_of_them(self):
        cat = "; 'kedge cat STORE' shows all documents\n"
        self.fails(1, 'kedge: the store has no document "nobody"' + cat,
                   'remove', 'store', 'nobody')
        self.write('ids', 'no\none\nhere\n')
        self.fails(1, 'kedge: the store has no document of any of the 3 ids, '
                   'as "no" and "one"' + cat, 'remove', 'store', 'no', 'one',
                   'here')
        self.assertEqual(len(self.words()), 4)

    def test_again(self):
        """What a nightly script removes twice ends with 0 twice."""
        self.write('ids', 'bags.jsonl:2\n')
        once = ('remove', 'store', '--ids', 'ids', '--format', 'json')
        self.assertEqual(self.works_json(*once)['documents'], 1)
        again = self.works_json(*once)
        self.assertEqual((again['documents'], again['missing'],
                          again['missing_ids']), (0, 1, ['bags.jsonl:2']))
        result = self.kedge('remove', 'store', 'bags.jsonl:2', '--missing-ok')
        self.assertEqual(result.returncode, 0)
        self.assertIn(b'kedge: no document has the id bags.jsonl:2\n',
                      result.stderr)
        left = 'kedge: no document of batch "b" is left: nothing to remove\n'
        for first, compact in ((True, False), (False, True), (False, False)):
            if compact:
                self.works('compact', 'store')
            result = self.kedge('remove', 'store', '--batch', 'b')
            self.assertEqual(result.returncode, 0)
            self.assertEqual(left in result.stderr.decode(), not first)
        self.fails(1, 'kedge: the store has no batch "c"; \'kedge info STORE '
                   '--batches\' lists them\n', 'remove', 'store', '--batch',
                   'c', '--missing-ok')

    def test_some_of_them(self):
        result = self.kedge('remove', 'store', 'bags.jsonl:2', '1', '2', '3',
                            '4', '5')
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stderr.decode(),
                         r'(?s)unknown ids +5  no document has them\n.*'
                         r'kedge: no document has the id 1\n'
                         r'.*id 3\nkedge: nor any of 2 other ids\n$')
        self.assertEqual(self.words(), ['a', 'c', 'd\0'])
        summary = self.works_json('remove', 'store', 'x', '--batch', 'b',
                                  '--format', 'json')
        self.assertEqual((summary['documents'], summary['missing'],
                          summary['missing_ids']), (3, 1, ['x']))

    def test_an_id_of_its_own_wins(self):
        line = self.works('cat', 'store', 'bags.jsonl:1')
        self.assertEqual(json.loads(line)['words'], {'c': 4})
        self.works('remove', 'store', 'bags.jsonl:1')
        self.assertEqual(self.words(), ['a', 'b', 'd\0'])
        self.works('remove', 'store', 'bags.jsonl:1')
        self.assertEqual(self.words(), ['b', 'd\0'])

    def test_files_of_ids(self):
        self.write('void', '')
        self.write('gap', 'a\n\nb\n')
        self.fails(1, 'kedge: gap:2: the line is empty: expected an id\n',
                   'remove', 'store', '--ids', 'gap')
        told = self.works_json('remove', 'store', '--ids', 'void', '--format',
                               'json')  # nothing to take out tonight
        self.assertEqual((told['documents'], told['missing']), (0, 0))
        self.assertEqual(len(self.words()), 4)

    def test_zeros_in_text(self):
        lines = self.works('cat', 'store', '--format', 'text').splitlines()
        self.assertEqual(lines[3], 'z?z\t\td?')


if __name__ == '__main__':
    main()
