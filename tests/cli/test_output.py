#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_output.py PROGRAM: what fit, topics, export and info print."""
import json
import os
import re
import shutil
import struct
import unicodedata

from shell import TOPICS, Case, FittedCase, main

COLUMNS = ['topic', 'prevalence', 'label', 'anchor', 'rank', 'place', 'word',
           'probability', 'relevance', 'weighted']
RANKINGS = ('relevance', 'probability', 'weighted', 'anchor')


def columns(line):
    """Columns that a line takes on a terminal."""
    return sum(2 if unicodedata.east_asian_width(c) in 'WF' else 1
               for c in line)


def is_safe(text):
    """No character but the line's end commands anything."""
    return all(c == '\n' or unicodedata.category(c) not in (
        'Cc', 'Zl', 'Zp') and c not in '\u202a\u202b\u202c\u202d\u202e'
        for c in text)


def show(word):
    """A word of bytes as JSON holds it."""
    return word.decode('utf-8', 'replace')


class Topics(FittedCase):
    def test_json(self):
        document = self.works_json('topics', 'store', '--format', 'json')
        self.assertEqual(document['model'], 'k3')
        self.assertEqual(document['rank'], 'relevance')
        by_anchor = self.works_json('topics', 'store', '--format', 'json',
                                    '--rank', 'anchor')
        self.assertEqual(by_anchor['rank'], 'anchor')
        for topics in (document['topics'], by_anchor['topics']):
            self.check_topics(topics)

    def check_topics(self, topics):
        self.assertEqual([t['topic'] for t in topics], [1, 2, 3])
        self.assertAlmostEqual(sum(t['prevalence'] for t in topics), 1, 6)
        words = {show(word) for word in self.corpus.words}
        for t in topics:
            self.assertEqual(set(t), {'topic', 'label', 'prevalence',
                                      'exclusivity', 'background', 'alpha',
                                      'anchor', 'words'})
            self.assertTrue(0 < t['exclusivity'] <= 1)
            self.assertEqual(len(t['words']), 10)
            shown = [w['word'] for w in t['words']]
            self.assertLessEqual({t['anchor'], *shown}, words)

    def test_ranks(self):
        for rank in ('relevance', 'probability', 'weighted'):
            topics = self.works_json('topics', 'store', '--format=json',
                                     '--rank', rank, '-n', '20')['topics']
            for t in topics:
                values = [w[rank] for w in t['words']]
                self.assertEqual(len(values), 20)
                self.assertEqual(values, sorted(values, reverse=True))
                self.assertGreater(values[0], 0)

    def test_lambda(self):
        def order(*arguments):
            return [[w['word'] for w in t['words']] for t in self.works_json(
                'topics', 'store', '--format', 'json', '-n', '1000',
                *arguments)['topics']]

        self.assertEqual(order('--lambda', '0.6'), order())
        self.assertEqual(order('--lambda', '1'),
                         order('--rank', 'probability'))
        self.assertNotEqual(order('--lambda', '0'), order())
        self.fails(2, "kedge: --lambda: 1.5 is not within 0 to 1\n"
                   "Try 'kedge topics --help'.\n", 'topics', 'store',
                   '--lambda', '1.5')

    def test_weighted(self):
        self.works('fit', 'store', '-k', '3', '--model', 'w', '--term-weight',
                   'idf')
        topics = self.works_json('topics', 'store', '--model', 'w', '--format',
                                 'json', '--rank', 'weighted', '-n', '1000')
        self.assertEqual(topics['rank'], 'weighted')
        for t in topics['topics']:
            for key in ('probability', 'weighted'):
                self.assertAlmostEqual(sum(w[key] for w in t['words']), 1, 9)
            values = [w['weighted'] for w in t['words']]
            self.assertEqual(values, sorted(values, reverse=True))
            self.assertNotEqual(values, [w['probability']
                                         for w in t['words']])
        text = self.works('topics', 'store', '--model', 'w', '--rank', 'all')
        for label in ('probability', 'weighted', 'relevance'):
            self.assertEqual(text.count(f'\n  {label} '), TOPICS)
        for rank, ranks in (('weighted', {'weighted'}),
                            ('anchor', {'anchor'}), ('all', {*RANKINGS})):
            text = self.works('topics', 'store', '--model', 'w', '--format',
                              'tsv', '--rank', rank)
            self.assertEqual({line.split('\t')[4]
                              for line in text.split('\n')[1:-1]}, ranks)

    def test_without_weights_there_is_no_weighted_ranking(self):
        self.works('fit', 'store', '-k3', '--model', 'u', '--term-weight',
                   'none')
        how = 'topics', 'store', '--model', 'u', '--rank', 'all'
        self.assertNotIn('\n  weighted ', self.works(*how))
        self.assertNotIn('\tweighted\t1\t', self.works(*how, '--format', 'tsv'))
        topic = self.works_json(*how, '--format', 'json')['topics'][0]
        self.assertIn('anchor_words', topic)
        self.assertNotIn('weighted_words', topic)

    def test_evil_words_in_json(self):
        """All words come back as they are, but for bytes that are no text."""
        raw = self.works('topics', 'store', '--format', 'json', '-n', '120')
        self.assertTrue(is_safe(raw.replace('\u202e', '')), raw)
        shown = {w['word'] for t in json.loads(raw)['topics']
                 for w in t['words']}
        self.assertEqual(shown, {show(word) for word in self.corpus.words})

    def test_all_words_sum_to_one(self):
        topics = self.works_json('topics', 'store', '--format', 'json', '-n',
                                 '1000')['topics']
        for t in topics:
            self.assertGreater(min(w['probability'] for w in t['words']), 0)
            self.assertAlmostEqual(
                sum(w['probability'] for w in t['words']), 1, 9)

    def test_tsv(self):
        for arguments, ranks in (((), ('relevance',)),
                                 (('--rank', 'all'), RANKINGS)):
            text = self.works('topics', 'store', '--format', 'tsv', '-n',
                              '30', *arguments)
            self.assertTrue(is_safe(text.replace('\t', ' ')))
            rows = [line.split('\t') for line in text.split('\n')[:-1]]
            self.assertEqual(rows[0], COLUMNS)
            self.assertEqual({len(row) for row in rows}, {len(COLUMNS)})
            self.assertEqual({row[4] for row in rows[1:]}, {*ranks})
            for rank in ranks:
                ranked = [row for row in rows if row[4] == rank]
                self.assertEqual(len(ranked), 30 * TOPICS)
                self.assertEqual([int(row[5]) for row in ranked[:30]],
                                 list(range(1, 31)))

    def test_tsv_is_json(self):
        topics = self.works_json('topics', 'store', '--format', 'json',
                                 '--rank', 'probability')['topics']
        rows = [line.split('\t') for line in self.works(
            'topics', 'store', '--format', 'tsv', '--rank',
            'probability').split('\n')[1:-1]]
        self.assertEqual(
            [(int(r[0]), float(r[1]), float(r[7]), float(r[8]), float(r[9]))
             for r in rows if r[4] == 'probability'],
            [(t['topic'], t['prevalence'], w['probability'], w['relevance'],
              w['weighted'])
             for t in topics for w in t['words']])

    def test_table(self):
        for arguments, ranked, line in (
                ((), ', ranked by relevance', ''),
                (('--anchors',), ', ranked by relevance', 'anchor: '),
                (('--rank', 'all'), '', 'anchor: ')):
            text = self.works('topics', 'store', '-n', '40', *arguments)
            self.assertTrue(is_safe(text))
            lines = text.split('\n')
            self.assertEqual(lines[0],
                             f'model k3: 3 topics over 120 words{ranked}')
            self.assertLessEqual(max(map(columns, lines)), 80)
            for topic in range(1, TOPICS + 1):
                self.assertRegex(text,
                                 rf'(?m)^ +{topic} +[\d.]+ %  {line}\S')
            self.assertIn('\u65e5\u672c\u8a9e', text)
        for label in ('probability', 'relevance', 'anchor'):
            self.assertEqual(text.count(f'\n  {label} '), TOPICS)

    def test_model(self):
        text = self.works('topics', 'store', '--model', 'k2')
        self.assertTrue(text.startswith('model k2: 2 topics'))

    def test_no_such_thing(self):
        for arguments in (('store', '--model', 'k9'), ('nowhere',)):
            result = self.kedge('topics', *arguments)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stdout, b'')
            self.assertRegex(result.stderr.decode(), r'^kedge: .*\n$')
            name = arguments[-1].encode()
            self.assertIn(name, result.stderr)


class Fit(FittedCase):
    KEYS = set('''model preset settings topics words vocabulary index
    stored_words absent_words
    phrases words_before tokens_left_out documents too_short min_tokens
    too_short_share
    sketch_size power_iter em_iter term_weight
    ncut cooccurrence rectify sketch_error log_likelihood
    sketch_error_last unexplained power_iter_helps rectify_iter products
    rectify_change negative_share
    anchors anchors_given solver recover legal
    dirichlet dirichlet_error
    anchor_min_df candidates solver_iter
    topic_cooccurrence_sum topic_cooccurrence_negative
    aligned_to matched mean_distance new_topics lost_topics new_topic_numbers
    renumbered lost_labels
    background background_prevalence
    seconds seconds_spectrum seconds_rectify seconds_topics seconds_store
    peak_memory'''.split())

    def test_json(self):
        document = self.works_json('fit', 'store', '-k', '2,3', '--model', 'x',
                                   '--format', 'json')
        models = document['models']
        self.assertEqual([m['model'] for m in models], ['x-k2', 'x-k3'])
        self.assertEqual([m['topics'] for m in models], [2, 3])
        for m in models:
            self.assertEqual(set(m), self.KEYS)
            self.assertEqual(m['words'], 120)
            self.assertAlmostEqual(m['topic_cooccurrence_sum'], 1, 1)

    def test_summary(self):
        result = self.kedge('fit', 'store', '-k', '3', '--model', 'summary')
        self.assertEqual((result.returncode, result.stdout), (0, b''))
        text = result.stderr.decode()
        self.assertIn('\nmodel summary\n', text)
        for line in (r'topics +3$', r'words +120$',
                     r'sketch error +0\.0 %  of the eigenvalues, 0 % of the '
                     r'last: small\s+enough$',
                     r'seconds +[\d.]+$', r'memory +[\d.]+ MiB'):
            self.assertRegex(text, rf'(?m)^ +{line}')
        self.assertLessEqual(max(map(len, text.split('\n'))), 80)
        self.assertLessEqual(len(text.split('\n')), 12)

    def test_each_figure_is_explained(self):
        text = self.works('help', 'summary')
        for key in '''sketch_error sketch_error_last power_iter_helps
                unexplained rectify_iter rectify_change negative_share
                candidates anchor_min_df solver_iter topic_cooccurrence_sum
                topic_cooccurrence_negative dirichlet dirichlet_error
                log_likelihood aligned_to matched new_topics lost_topics
                mean_distance background background_prevalence'''.split():
            self.assertIn(key, self.KEYS)
            self.assertRegex(text, rf'\b{key}\b')

    def test_weight(self):
        for weight in ('none', 'idf', 'sqrt'):
            result = self.kedge('fit', 'store', '-k', '3', '--model', 'v',
                                '--term-weight', weight)
            self.assertEqual(result.returncode, 0)
            model, = self.works_json('fit', 'store', '-k', '3', '--model', 'v',
                                     '--term-weight', weight, '--power-iter',
                                     '1', '--format', 'json')['models']
            self.assertEqual(model['term_weight'], weight)
        result = self.kedge('fit', 'store', '-k', '3', '--term-weight', 'bm25')
        self.assertEqual((result.returncode, result.stdout), (2, b''))
        self.assertIn(b'--term-weight', result.stderr)

    def test_options(self):
        self.works('fit', 'store', '-k3', '--model=plain', '--rectify=none',
                   '--topic-cooccurrence', 'diagonal', '--anchor-min-df', '20')
        result = self.works_json('fit', 'store', '-k3', '--model', 'short',
                                 '--rectify-iter', '2', '--rectify-tol',
                                 '1e-300', '--power-iter', '1', '--format',
                                 'json')
        model = result['models'][0]
        self.assertEqual((model['rectify_iter'], model['power_iter']), (2, 1))

    def test_too_many_topics(self):
        result = self.kedge('fit', 'store', '-k', '5000')
        self.assertEqual((result.returncode, result.stdout), (2, b''))
        self.assertEqual(result.stderr.decode(),
                         'kedge: -k: 5000 is not within 2 to 2000\n'
                         "Try 'kedge fit --help'.\n")
        result = self.kedge('fit', 'store', '-k', '500')
        self.assertEqual((result.returncode, result.stdout), (5, b''))
        self.assertIn('kedge: 500 topics are too many for 120 words',
                      result.stderr.decode())


class Export(FittedCase):
    def test_files(self):
        result = self.kedge('export', 'store', '-o', 'out')
        self.assertEqual((result.returncode, result.stdout), (0, b''))
        self.assertEqual(result.stderr,
                         b'kedge: model k3 written to out\n')
        words = self.read('out/vocab.txt').split(b'\n')
        self.assertEqual(words[:-1], sorted(self.corpus.words))
        anchors = self.read('out/anchors.txt').split(b'\n')
        self.assertEqual(len(anchors), TOPICS + 1)
        told = self.works_json('info', 'store', '--model', 'k3', '--format',
                               'json')
        self.assertEqual(told['vocabulary'].pop('index'), 0)
        self.assertEqual(told['vocabulary']['rule'], 'all words')
        self.assertEqual(json.loads(self.read('out/model.json')), told)

    def test_numpy(self):
        self.works('export', 'store', '-o', 'numpy', '--quiet')
        for name, shape in (('topics', (120, 3)),
                            ('topic_cooccurrence', (3, 3)),
                            ('word_probability', (120,))):
            data = self.read(f'numpy/{name}.npy')
            self.assertEqual(data[:8], b'\x93NUMPY\x01\x00')
            size = struct.unpack('<H', data[8:10])[0]
            self.assertIn(f"'shape': {shape}".encode(), data[10:10 + size])
            self.assertIn(b"'descr': '<f8'", data[10:10 + size])
            count = shape[0] * (shape + (1,))[1]
            self.assertEqual(len(data), 10 + size + 8 * count)

    def test_weights(self):
        self.works('fit', 'store', '-k3', '--term-weight', 'sqrt',
                   '--model', 'w')
        self.works('export', 'store', '-o', 'w', '--model', 'w')
        arrays = json.loads(self.read('w/model.json'))['arrays']
        for name in ('topics', 'weights', 'weighted_topics',
                     'topic_cooccurrence'):
            self.assertIn(f'{name}.npy', os.listdir(self.path('w')))
            self.assertIn('weight', arrays[f'{name}.npy'])

    def test_spectrum(self):
        result = self.kedge('export', 'store', '-o', 'none', '--spectrum')
        self.assertEqual(result.returncode, 2)
        self.assertIn(b'--save-spectrum', result.stderr)
        self.works('fit', 'store', '-k3', '--save-spectrum', '--model', 's')
        self.works('export', 'store', '-o', 's', '--spectrum', '--model=s')
        self.assertLessEqual({'eigenvectors.npy', 'eigenvalues.npy',
                              'rectified.npy'},
                             set(os.listdir(self.path('s'))))


class Info(FittedCase):
    def test_json(self):
        info = self.works_json('info', 'store', '--format', 'json')
        self.assertEqual(set(info), set('''kedge store format documents removed
            elsewhere parts tokens nonzeros words blocks bytes digest sources
            indexes models'''.split()))
        self.assertEqual(info['documents'], self.corpus.documents)
        self.assertEqual(info['nonzeros'], self.corpus.nonzeros)
        self.assertRegex(info['digest'], '^[0-9a-f]{32}$')
        source, = info['sources']
        self.assertEqual((source['name'], source['complete']),
                         ('docword.txt', True))
        index, = info['indexes']
        self.assertEqual((index['tf'], index['words'], index['seed'],
                          index['documents'], index['min_tokens'],
                          index['current']), ('log', 120, 1, 400, 2, True))
        names = [m['name'] for m in info['models']]
        self.assertEqual(names, sorted(names))
        self.assertLessEqual({'k2', 'k3'}, set(names))

    def test_table(self):
        text = self.works('info', 'store')
        self.assertLessEqual(max(map(columns, text.split('\n'))), 80)
        for line in (r'documents +400', r'tokens +24,000', r'words +120',
                     r'docword.txt .* complete',
                     r'0 +log .* current', r'index 0: all words',
                     r'k3 +3 +120 +400 .* current'):
            self.assertRegex(text, rf'(?m)^ +{line}$')

    def test_model(self):
        text = self.works('info', 'store', '--model', 'k2')
        self.assertRegex(text, r'^model k2\n +topics +2\n')
        self.assertRegex(text, r'\n  index 0: all words\n$')


class One(Case):
    """A single thing is not told as if there were more."""

    def setUp(self):
        super().setUp()
        self.write('few.jsonl', '{"id": "a", "text": "red green"}\nbad\n'
                   '{"id": "b", "text": "red red"}\n')
        self.write('stop.txt', 'the\n')
        self.told = self.kedge('ingest', 'store', 'few.jsonl', '--skip-bad',
                               '--stopwords', 'stop.txt').stderr.decode()

    def test_added(self):
        self.assertRegex(self.told,
                         r'(?m)^ +bad +1 +malformed record, skipped$')
        for how, note in (('skip', 'id was in the store: left out'),
                          ('replace', 'earlier document with the same id')):
            self.write('again.jsonl', f'{{"id": "a", "text": "{how}"}}\n')
            told = self.kedge('ingest', 'store', 'again.jsonl',
                              '--on-duplicate', how).stderr.decode()
            self.assertRegex(told, rf'(?m)^ +\w+ +1 +{note}$')
        self.assertIn(' 1  document, so far\n',
                      self.works('info', 'store'))

    def test_stop_words(self):
        self.write('more.jsonl', '{"text": "blue"}\n')
        self.assertIn('--stopwords stop.txt (1 word)\n', self.kedge(
            'ingest', 'store', 'more.jsonl').stderr.decode())
        self.assertIn(' stop words stop.txt number 1 ',
                      ' '.join(self.works('info', 'store').split()))

    def test_unknown(self):
        for arguments, more in ((('cat', 'store', 'x', 'y'),
                                 'nor with 1 other of the ids'),
                                (('vocab', 'store', 'x', 'y'),
                                 'nor 1 other')):
            told = self.kedge(*arguments).stderr.decode()
            self.assertEqual(told.split('\n')[1], f'kedge: {more}')
        told = self.kedge('remove', 'store', 'a', 'v', 'w', 'x',
                          'y').stderr.decode()
        self.assertTrue(told.endswith('\nkedge: nor any of 1 other id\n'))
        told = self.kedge('remove', 'store', 'b', 'x').stderr.decode()
        self.assertIn(' 1  no document has it\n', told)


class Damage(FittedCase):
    """One bit flipped in each compressed record of a copy of the store."""

    def test_exit_code(self):
        shutil.copytree(self.path('store'), self.path('damaged'))
        data = bytearray(self.read('damaged/data.mdb'))
        magic = re.escape(b'\x28\xb5\x2f\xfd')
        frames = [m.start() for m in re.finditer(magic, data)]
        self.assertGreater(len(frames), 3)
        for frame in frames:
            data[frame + 12] ^= 16
        self.write('damaged/data.mdb', data)
        for arguments in (('topics', 'damaged'),
                          ('fit', 'damaged', '-k', '2', '-q')):
            result = self.kedge(*arguments)
            self.assertEqual((result.returncode, result.stdout), (3, b''))
            self.assertRegex(result.stderr.decode(), r'^kedge: .*damaged.*; '
                             r"('kedge verify STORE' finds all|fit it again)")


if __name__ == '__main__':
    main()
