#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_keep.py PROGRAM: topic proportions that are saved in the store, and
what is made of them: typical documents, an export, figures."""
import json
import os
import random
import re
import signal
import struct
import time

from shell import Case, Corpus, main

TEXTS = (('h1', 'sea', 'ships sail to the harbour, ships and tides'),
         ('h2', 'sea', 'the pilot boards a ship off the harbour'),
         ('b1', 'bread', 'flour and water and salt make bread'),
         ('b2', 'bread', 'bread of flour, water, salt; ovens bake bread'))


class Kept(Case):
    """A store of a corpus whose documents are known by their place."""

    def setUp(self):
        super().setUp()
        self.corpus = Corpus(300).put(self)
        self.works('ingest', 'store', 'docword.txt', '--vocab', 'vocab.txt')
        self.works('fit', 'store', '-k', '3')

    def keep(self, *arguments):
        self.assertEqual('', self.works('infer', 'store', '--save',
                                        *arguments))

    def info(self):
        return self.works_json('info', 'store', '--format', 'json')

    def kept(self, name='k3'):
        model, = (m for m in self.info()['models'] if m['name'] == name)
        return model.get('saved')

    def told(self):
        """What topics shows, and what it says beside."""
        result = self.kedge('topics', 'store', '--documents', '1000',
                            '--format', 'json')
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout), result.stderr.decode()

    def more(self, count=30, first=1000):
        """Documents that come later, with ids."""
        words = [w.decode('latin-1') for w in self.corpus.words[20:30]]
        self.write('more.jsonl', ''.join(
            json.dumps({'id': f'm{i}', 'words': dict.fromkeys(words, 2)})
            + '\n' for i in range(first, first + count)))
        self.works('ingest', 'store', 'more.jsonl', '--text-field', 'words')

    def rows(self, folder):
        """doc_topics.npy by lines of documents.txt."""
        data = self.read(f'{folder}/doc_topics.npy')
        names = self.read(f'{folder}/documents.txt').decode().splitlines()
        head = 10 + struct.unpack_from('<H', data, 8)[0]
        self.assertEqual(len(data), head + 12 * len(names))
        return {name: struct.unpack_from('<3f', data, head + 12 * i)
                for i, name in enumerate(names)}


class Keeping(Kept):
    def test_nothing_is_printed_unless_it_is_asked_for(self):
        self.keep()
        for arguments in (('--format', 'tsv'), ('--format', 'jsonl'),
                          ('--format', 'tsv', '--dense')):
            plain = self.works('infer', 'store', *arguments)
            self.assertIn('docword.txt:300', plain)
            self.assertEqual(plain, self.works('infer', 'store', '--save',
                                               *arguments))
        self.works('infer', 'store', '--save', '--format', 'npy', '-o',
                   'w.npy')
        self.assertTrue(os.path.exists(self.path('w.npy')))

    def test_the_summary_tells(self):
        result = self.kedge('infer', 'store', '--save')
        self.assertRegex(result.stderr.decode(),
                         r'(?m)^  saved +300  documents\n    in ')
        result = self.kedge('infer', 'store', '--save', '--summary', 'json')
        told = json.loads(result.stderr)
        self.assertEqual(told['saved'], 300)
        self.assertEqual(told['saved_bytes'], self.kept()['bytes'])
        self.assertLess(told['saved_error'], 0.01)
        self.assertNotIn('saved', json.loads(self.kedge(
            'infer', 'store', '--summary', 'json').stderr))

    def test_no_files(self):
        for files in ('docword.txt',), ('-', '--from', 'lines'):
            self.fails(2, 'kedge: --save keeps the proportions of stored '
                       'documents: name no FILE\n'
                       'Try \'kedge infer --help\'.\n',
                       'infer', 'store', '--save', *files)

    def test_what_is_kept_is_what_was_found(self):
        self.keep()
        self.works('export', 'store', '-o', 'out')
        rows = self.rows('out')
        lines = [json.loads(line) for line in self.works(
            'infer', 'store', '--dense', '--format',
            'jsonl').splitlines()]
        self.assertEqual(list(rows), [line['id'] for line in lines])
        for line in lines:
            row = rows[line['id']]
            self.assertEqual(sum(row), 1)
            for a, b in zip(row, line['proportions']):
                self.assertLess(abs(a - b), 0.001)

    def test_threads_and_methods(self):
        seen = set()
        for method in 'linear-bayes', 'least-squares', 'padd', 'pami', 'mean':
            found = []
            for threads in '1', '2':
                self.keep('--method', method, '--threads', threads)
                self.works('export', 'store', '-o', 'out')
                found.append(self.read('out/doc_topics.npy'))
                self.assertEqual(self.kept()['method'], method)
            self.assertEqual(*found)
            seen.add(found[0])
        self.assertEqual(len(seen), 5)

    def test_a_killed_run_leaves_the_set_before(self):
        """Whatever it had come to, unless it was done."""
        self.keep('--method', 'least-squares')
        self.works('export', 'store', '-o', 'before')
        before = self.read('before/doc_topics.npy')
        self.keep()
        self.works('export', 'store', '-o', 'after')
        after = self.read('after/doc_topics.npy')
        self.assertNotEqual(before, after)
        self.keep('--method', 'least-squares')
        for i in range(12):
            child = self.start('infer', 'store', '--save', '-q')
            time.sleep(0.003 * i)
            child.send_signal(signal.SIGKILL)
            child.communicate()
            self.works('verify', 'store')
            self.works('export', 'store', '-o', 'out')
            self.assertIn(self.read('out/doc_topics.npy'), (before, after))
        self.keep()
        self.works('export', 'store', '-o', 'out')
        self.assertEqual(self.read('out/doc_topics.npy'), after)


class Stale(Kept):
    def test_what_left_is_not_shown(self):
        self.keep()
        topics, said = self.told()
        self.assertEqual(said, '')
        first = topics['topics'][0]['documents'][0]['id']
        self.works('remove', 'store', first)
        topics, said = self.told()
        self.assertIn('1 of their documents was removed since', said)
        self.assertIn("'kedge infer STORE --save --model k3'", said)
        self.assertEqual((topics['saved']['removed'],
                          topics['saved']['later'],
                          topics['saved']['current']), (1, 0, False))
        for topic in topics['topics']:
            self.assertNotIn(first, [d['id'] for d in topic['documents']])
        self.assertIn('stale: 1 of their documents was removed since',
                      ' '.join(self.works('info', 'store').split()))
        self.works('verify', 'store')

    def test_what_came_is_counted(self):
        self.keep()
        self.more()
        topics, said = self.told()
        self.assertIn('30 later documents are not included', said)
        self.assertEqual(self.kept()['later'], 30)
        names = {d['id'] for t in topics['topics'] for d in t['documents']}
        self.assertFalse({name for name in names if name.startswith('m')})
        self.keep()
        topics, said = self.told()
        self.assertNotIn('came later', said)
        names = {d['id'] for t in topics['topics'] for d in t['documents']}
        self.assertIn('m1000', names)

    def test_what_was_replaced(self):
        self.more()
        self.keep()
        self.write('again.jsonl', '{"id": "m1003", "text": "again"}\n')
        self.works('ingest', 'store', 'again.jsonl', '--on-duplicate',
                   'replace')
        self.assertEqual((self.kept()['removed'], self.kept()['later']),
                         (1, 1))
        topics, _ = self.told()
        names = {d['id'] for t in topics['topics'] for d in t['documents']}
        self.assertNotIn('m1003', names)

    def test_export_leaves_them_out(self):
        self.keep()
        self.works('export', 'store', '-o', 'out')
        self.assertTrue({'doc_topics.npy', 'documents.txt'} <=
                        set(os.listdir(self.path('out'))))
        self.assertIn('doc_topics.npy',
                      json.loads(self.read('out/model.json'))['arrays'])
        self.works('remove', 'store', 'docword.txt:5')
        result = self.kedge('export', 'store', '-o', 'out')
        self.assertEqual(result.returncode, 0)
        self.assertIn(b'so they are not exported', result.stderr)
        self.assertFalse({'doc_topics.npy', 'documents.txt'} &
                         set(os.listdir(self.path('out'))))
        self.assertNotIn('doc_topics', self.read('out/model.json').decode())

    def test_compact_takes_out_what_left(self):
        self.keep()
        self.works('remove', 'store', *(f'docword.txt:{i}'
                                        for i in range(1, 200)))
        before = self.kept()
        self.works('compact', 'store')
        after = self.kept()
        self.assertEqual((before['removed'], before['documents']), (199, 300))
        self.assertEqual((after['removed'], after['documents']), (0, 101))
        self.assertLess(after['bytes'], before['bytes'])
        self.works('export', 'store', '-o', 'out')
        self.assertEqual(list(self.rows('out')),
                         [f'docword.txt:{i}' for i in range(200, 301)])
        self.works('verify', 'store')
        self.works('repair', 'store')
        self.assertEqual(self.kept(), after)

    def test_it_goes_with_the_model(self):
        self.keep()
        self.works('label', 'store', '--model', 'k3', '1', 'First')
        self.assertTrue(self.kept()['current'])
        result = self.kedge('fit', 'store', '-k', '3')
        self.assertIn(b'saved with the replaced model k3 are deleted',
                      result.stderr)
        self.assertIsNone(self.kept())
        self.keep()
        self.works('drop', 'store', '--model', 'k3')
        self.works('fit', 'store', '-k', '3')
        self.assertIsNone(self.kept())

    def test_merge_takes_documents_alone(self):
        self.keep()
        self.works('merge', 'other', 'store')
        info = self.works_json('info', 'other', '--format', 'json')
        self.assertEqual((info['documents'], info['models']), (300, []))
        self.works('verify', 'other')


class Typical(Kept):
    def test_who_has_none_is_told(self):
        self.fails(1, 'kedge: no topic proportions are saved with model "k3"; '
                   '\'kedge infer STORE --save --model k3\' saves them\n',
                   'topics', 'store', '--documents', '3')
        self.assertIsNone(self.kept())
        self.keep()
        self.works('fit', 'store', '-k', '2')
        self.fails(1, 'kedge: no topic proportions are saved with model "k2"; '
                   '\'kedge infer STORE --save --model k2\' saves them\n',
                   'topics', 'store', '--documents', '3')

    def test_wrong_lines(self):
        for text, *arguments in (
                ('--documents is for --format table and json', '--documents',
                 '3', '--format', 'tsv'),
                ('--documents: 1001 is not within 1 to 1000', '--documents',
                 '1001')):
            result = self.kedge('topics', 'store', *arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn(text, result.stderr.decode())

    def test_order(self):
        self.keep()
        topics, _ = self.told()
        self.assertEqual(topics['saved']['documents'], 300)
        for topic in topics['topics']:
            found = topic['documents']
            bounds = [d['at_least'] for d in found]
            self.assertEqual(bounds, sorted(bounds, reverse=True))
            self.assertGreater(found[0]['proportion'], 0.8)
            for document in found:
                self.assertLess(document['at_least'],
                                document['proportion'])
                self.assertEqual(document['tokens'], 60)
        few = self.works_json('topics', 'store', '--documents', '2',
                              '--format', 'json')
        for topic, less in zip(topics['topics'], few['topics']):
            self.assertEqual(topic['documents'][:2], less['documents'])
        self.assertNotIn('documents', self.works_json(
            'topics', 'store', '--format', 'json')['topics'][0])

    def test_table(self):
        self.keep()
        text = self.works('topics', 'store', '--documents', '2')
        # two below the words of each topic
        document = r'    [01]\.\d\d of +\d+  docword\.txt:\d+\n'
        self.assertEqual(len(re.findall(
            rf'(?m)^ +[123] +[\d.]+ %(?:.*\n)(?: {{16}}.*\n)*(?:{document}){{2}}'
            r'(?! {4}[01]\.)', text)), 3)


class Dull(Case):
    """Documents that the figures praise, and nobody wants to read."""

    def setUp(self):
        super().setUp()
        chance = random.Random(5)
        words = [[f'{letter}{i}' for i in range(12)] for letter in 'ab']
        made = [{'id': f'dull-{i}', 'words': {words[i % 2][i]: 1000}}
                for i in range(4)]
        for i in range(60):
            bag = {word: 1 for word in chance.sample(words[i % 2], 8)}
            made.append({'id': f'good-{i}', 'words': bag})
        self.write('docs.jsonl', ''.join(json.dumps(d) + '\n' for d in made))
        self.works('ingest', 'store', 'docs.jsonl', '--text-field', 'words')
        self.works('fit', 'store', '-k', '2', '--min-df', '1')
        self.works('infer', 'store', '--save')

    def told(self, count):
        return [[d['id'] for d in topic['documents']]
                for topic in self.works_json(
                    'topics', 'store', '--documents', str(count), '--format',
                    'json')['topics']]

    def test_a_word_a_thousand_times_over_comes_last(self):
        for found in self.told(3):
            self.assertEqual({name[:4] for name in found}, {'good'})
        for found in self.told(60):
            kinds = [name[:4] for name in found]
            self.assertEqual(kinds, sorted(kinds, reverse=True))
            self.assertIn('dull', kinds)

    def test_no_proportion_is_told_as_none(self):
        for topic in self.works_json('topics', 'store', '--documents', '1000',
                                     '--format', 'json')['topics']:
            for document in topic['documents']:
                self.assertGreaterEqual(document['proportion'], 0.005)


class Texts(Case):
    def test_labels_and_first_words(self):
        self.write('few.jsonl', ''.join(
            json.dumps({'id': f'{name}-{i}', 'label': label, 'text': text})
            + '\n' for i in range(20) for name, label, text in TEXTS))
        self.works('ingest', 'store', 'few.jsonl')
        self.works('fit', 'store', '-k', '2', '--max-df', '1',
                   '--min-tokens', '5')
        self.works('infer', 'store', '--save')
        topics = self.works_json('topics', 'store', '--documents', '4',
                                 '--format', 'json')['topics']
        seen = set()
        for topic in topics:
            labels = {d['label'] for d in topic['documents']}
            self.assertEqual(len(labels), 1, topic)
            seen |= labels
            for document in topic['documents']:
                self.assertRegex(document['text'], r'^\w+( \w+)+$')
        self.assertEqual(seen, {'sea', 'bread'})
        text = self.works('topics', 'store', '--documents', '1')
        self.assertRegex(text, r'(?m)^    [01]\.\d\d of +\d+  [hb]\d-\d+  '
                         r'(sea|bread)  \w+ \w+')


if __name__ == '__main__':
    main()
