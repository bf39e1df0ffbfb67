#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_life.py PROGRAM: documents and words of a store shown, its batches
told, and the whole of it verified."""
import json
import math
import os
import random
import shutil
import tempfile

from shell import EVIL, Case, Corpus, main

WORDS = 90
HEX = r'^[0-9a-f]{%d}$'


def make(count, seed, name):
    """Documents: those with an even number have an id, each third a label."""
    chance = random.Random(seed)
    made = []
    for i in range(count):
        words = {}
        topic = chance.randrange(3)
        for _ in range(chance.randrange(6, 40)):
            word = f'w{topic * 30 + int(chance.random() ** 2 * 30):02}'
            words[word] = words.get(word, 0) + 1
        document = {'words': words}
        if i % 2 == 0:
            document['id'] = f'{name}-{i}'
        if i % 3 == 0:
            document['label'] = f'label {i % 5}'
        made.append(document)
    return made


def jsonl(documents):
    return ''.join(json.dumps(d) + '\n' for d in documents)


BAGS = ('--from', 'jsonl', '--text-field', 'words')
FIRST, SECOND = make(120, 1, 'first'), make(80, 2, 'second')
# What takes the place of documents 0 and 2 of the first.
THIRD = [{'id': f'first-{i}', 'words': {'late': i + 5}} for i in (0, 2)]


def expected():
    """What is there, in the order of the store."""
    found = []
    for name, batch, documents in (('first.jsonl', 'one', FIRST),
                                   ('second.jsonl', '', SECOND),
                                   ('third.jsonl', 'two', THIRD)):
        for position, d in enumerate(documents, 1):
            if name != 'first.jsonl' or position not in (1, 3):
                found.append(dict(
                    {'id': f'{name}:{position}'}, **d, source=name,
                    batch=batch, position=position,
                    tokens=sum(d['words'].values())))
    return found


INDEX = ['--min-df', '20', '--max-df', '1', '--stopwords', 'none',
        '--sketch-size', '40']


class LifeCase(Case):
    """Each test has a copy of a store with three sources and a model."""

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        maker = Case()
        maker.folder = cls.shared.name
        maker.write('first.jsonl', jsonl(FIRST))
        maker.write('second.jsonl', jsonl(SECOND))
        maker.write('third.jsonl', jsonl(THIRD))
        maker.works('ingest', 'store', 'first.jsonl', *BAGS, '--batch', 'one')
        maker.works('ingest', 'store', 'second.jsonl', *BAGS)
        maker.works('fit', 'store', '-k', '3', *INDEX)
        maker.works('ingest', 'store', 'third.jsonl', *BAGS, '--batch', 'two',
                    '--on-duplicate', 'replace', '--no-sketch')

    def setUp(self):
        super().setUp()
        shutil.copytree(os.path.join(self.shared.name, 'store'),
                        self.path('store'))

    def lines(self, *arguments):
        return [json.loads(line) for line in
                self.works('cat', 'store', *arguments).split('\n')[:-1]]


class Cat(LifeCase):
    def test_all(self):
        self.assertEqual(self.lines(), expected())

    def test_limit(self):
        self.assertEqual(self.lines('--limit', '5'), expected()[:5])
        self.assertEqual(self.lines('-n', '100000'), expected())

    def test_by_id(self):
        wanted = expected()
        random.Random(5).shuffle(wanted)
        wanted = wanted[:40]
        self.assertEqual(self.lines(*[d['id'] for d in wanted]), wanted)
        self.assertEqual(self.lines('first-0', 'first-0'),
                         2 * [d for d in expected() if d['id'] == 'first-0'])

    def test_unknown_ids(self):
        """They are told at the end; the others are printed."""
        ids = ['first-4', 'nothing', 'first.jsonl:2', 'first.jsonl:1', 'x\ty']
        result = self.kedge('cat', 'store', *ids)
        self.assertEqual(result.returncode, 1)
        self.assertEqual([json.loads(line)['id'] for line in
                          result.stdout.decode().split('\n')[:-1]],
                         ['first-4', 'first.jsonl:2'])
        self.assertEqual(result.stderr, b'kedge: the store has no document '
                         b'"nothing"\nkedge: nor with 2 others of the ids\n')

    def test_read_again(self):
        """What is printed makes the same store, whatever the documents are
        called."""
        self.write('again.jsonl', self.works('cat', 'store'))
        self.works('ingest', 'again', 'again.jsonl', *BAGS)
        infos = [self.works_json('info', name, '--format', 'json')
                 for name in ('store', 'again')]
        self.assertEqual(infos[0]['digest'], infos[1]['digest'])
        self.assertEqual(infos[0]['documents'], 200)
        sums = [self.works_json('verify', name, '--format', 'json')
                for name in ('store', 'again')]
        self.assertEqual(sums[0]['vocabulary_digest'],
                         sums[1]['vocabulary_digest'])
        texts = [self.works('cat', name) for name in ('store', 'again')]
        self.assertEqual([json.loads(line)['id'] for line in
                          texts[0].splitlines()],
                         [json.loads(line)['id'] for line in
                          texts[1].splitlines()])

    def test_text(self):
        text = self.works('cat', 'store', 'first-6', 'first.jsonl:2',
                          '--format', 'text')
        rows = [line.split('\t') for line in text.split('\n')[:-1]]
        for row, document in zip(rows, (FIRST[6], FIRST[1])):
            self.assertEqual(row[1], document.get('label', ''))
            words = row[2].split(' ')
            self.assertEqual({w: words.count(w) for w in words},
                             document['words'])
        self.assertEqual([row[0] for row in rows],
                         ['first-6', 'first.jsonl:2'])

    def test_ids_of_any_bytes(self):
        """What came as an id goes out as it came."""
        ids = ['a\u0000b', 'tab\t"quoted"\\', '\u202e\u2028', 'x' * 255]
        self.write('odd.jsonl', jsonl([{'id': i, 'label': 'l' + i,
                                        'words': {'w': 1}} for i in ids]))
        self.works('ingest', 'odd', 'odd.jsonl', *BAGS)
        found = [json.loads(line) for line in
                 self.works('cat', 'odd').split('\n')[:-1]]
        self.assertEqual([d['id'] for d in found], ids)
        self.assertEqual([d['label'] for d in found], ['l' + i for i in ids])
        self.works('cat', 'odd', ids[1], ids[2], ids[3])

    def test_no_store(self):
        result = self.kedge('cat', 'nowhere')
        self.assertEqual((result.returncode, result.stdout), (1, b''))

    def test_budget(self):
        result = self.kedge('cat', 'store', '--memory', '1M')
        self.assertEqual((result.returncode, result.stdout), (4, b''))

    def test_reader_leaves_early(self):
        with self.start('cat', 'store') as process:
            process.stdout.readline()
            process.stdout.close()
            self.assertEqual(process.wait(60), 0)
            self.assertEqual(process.stderr.read(), b'')
            process.stdin.close()


class EvilWords(Case):
    def test_words_command_nobody(self):
        """Words of any bytes: JSON stays JSON, lines stay lines."""
        Corpus().put(self)
        self.works('ingest', 'store', 'docword.txt', '--vocab', 'vocab.txt')
        lines = self.works('cat', 'store').split('\n')[:-1]
        self.assertEqual(len(lines), 400)
        held = set()
        for line in lines:
            held |= set(json.loads(line)['words'])
        for word in EVIL:
            self.assertIn(word.decode(errors='replace'), held)
        for text in (self.works('cat', 'store', '--format', 'text'),
                     self.works('vocab', 'store', '-n', '0'),
                     self.works('vocab', 'store', '--format', 'tsv')):
            self.assertNotRegex(text, '[\x1b\x7f\x9b\u2028\u202e]')
        self.assertEqual(
            len(self.works('cat', 'store', '--format', 'text').split('\n')),
            401)
        words = self.works_json('vocab', 'store', '-n', '0', '--format',
                                'json')['words']
        self.assertEqual(len(words), 120)
        self.assertLessEqual(max(map(len, self.works(
            'vocab', 'store', columns=80).split('\n'))), 80)


class Vocab(LifeCase):
    def counts(self):
        tf, df = {}, {}
        for d in expected():
            for word, count in d['words'].items():
                tf[word] = tf.get(word, 0) + count
                df[word] = df.get(word, 0) + 1
        return tf, df

    def words(self, *arguments):
        return self.works_json('vocab', 'store', '--format', 'json',
                               *arguments)['words']

    def test_figures(self):
        tf, df = self.counts()
        words = self.words('-n', '0')
        self.assertEqual({w['word'] for w in words}, set(tf))
        for w in words:
            self.assertEqual((w['tf'], w['df']),
                             (tf[w['word']], df[w['word']]))
            self.assertAlmostEqual(w['tf_idf'], w['tf'] *
                                   math.log(200 / w['df']), 9)
            # as it was when the index was made: two documents are gone
            if w['word'] != 'late' and abs(w['df'] - 20) > 2:
                self.assertEqual(w['indexes'], [1] if w['df'] > 20 else [])

    def test_sorted(self):
        for key, sign in (('tf-idf', -1), ('tf', -1), ('df', -1)):
            words = self.words('--sort', key, '-n', '0')
            field = key.replace('-', '_')
            self.assertEqual(words, sorted(
                words, key=lambda w, f=field, s=sign: (s * w[f], w['word'])))
        words = self.words('--sort', 'word')
        self.assertEqual(len(words), 50)
        names = sorted(self.counts()[0])[:50]
        self.assertEqual([w['word'] for w in words], names)

    def test_chosen(self):
        _, df = self.counts()
        self.assertEqual({w['word'] for w in self.words(
            '--min-df', '30', '-n', '0')}, {w for w in df if df[w] >= 30})
        held = {w['word'] for w in self.words('-n', '0') if w['indexes']}
        self.assertEqual({w['word'] for w in self.words(
            '--index', '1', '-n', '0')}, held)
        self.assertLess(len(held), len(df))
        self.fails(1, 'kedge: the store has no index 0\n', 'vocab', 'store',
                   '--index', '0')

    def test_asked_for(self):
        words = self.words('w05', 'late', 'w01')
        self.assertEqual([w['word'] for w in words], ['w05', 'late', 'w01'])
        result = self.kedge('vocab', 'store', 'w05', 'never', '--format',
                            'tsv')
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout.decode().split('\n')[1].split('\t')[0],
                         'w05')
        self.assertEqual(result.stderr, b'kedge: there is no word "never" in '
                         b'the store\n')

    def test_table_and_tsv(self):
        table = self.works('vocab', 'store', '-n', '7')
        self.assertEqual(len(table.split('\n')), 9)
        self.assertRegex(table, r'^  word +tf +df +tf-idf +indexes\n')
        rows = [line.split('\t') for line in self.works(
            'vocab', 'store', '--format', 'tsv', '-n', '7').split('\n')[:-1]]
        self.assertEqual(rows[0], ['word', 'tf', 'df', 'tf_idf', 'indexes'])
        self.assertEqual([(r[0], int(r[1]), int(r[2]), float(r[3]))
                          for r in rows[1:]],
                         [(w['word'], w['tf'], w['df'], w['tf_idf'])
                          for w in self.words('-n', '7')])


class Info(LifeCase):
    def test_batches(self):
        batches = self.works_json('info', 'store', '--batches', '--format',
                                  'json')['batches']
        self.assertEqual([(b['name'], b['documents'], b['removed'],
                           [s['name'] for s in b['sources']])
                          for b in batches],
                         [('one', 118, False, ['first.jsonl']),
                          ('', 80, False, ['second.jsonl']),
                          ('two', 2, False, ['third.jsonl'])])
        for b in batches:
            self.assertEqual(b['tokens'],
                             sum(s['tokens'] for s in b['sources']))
            self.assertGreater(b['when'], 1.7e9)
            self.assertRegex(b['sources'][0]['head'], HEX % 16)
        text = self.works('info', 'store', '--batches')
        self.assertRegex(text, r'(?m)^  one +1 +118 .* [\d:]+ +complete$')
        self.assertRegex(text, r'(?m)^  no batch +1 +80 ')
        self.assertRegex(text, r'(?m)^  third.jsonl +two +2 .* complete$')
        self.assertLessEqual(max(map(len, text.split('\n'))), 80)

    def test_store(self):
        info = self.works_json('info', 'store', '--format', 'json')
        self.assertEqual((info['documents'], info['removed']), (200, 2))
        self.assertEqual([s['batch'] for s in info['sources']],
                         ['one', '', 'two'])
        index, = info['indexes']
        self.assertEqual((index['number'], index['listed'], index['rule'],
                          index['current']),
                         (1, True, 'in 20 documents or more', False))
        text = self.works('info', 'store')
        self.assertRegex(text, r'(?m)^  removed +2  documents')
        self.assertRegex(text, r'(?m)^  index 1: words in 20 documents or '
                         r'more \(a spectrum is kept for later fits, in$')
        self.assertRegex(text, r'(?m)^  1 +log .* behind$')
        self.assertLessEqual(max(map(len, text.split('\n'))), 80)

    def test_many_sources(self):
        """They are summed by batch below the models, and the newest named."""
        names = [f'{i:03}.jsonl' for i in range(40)]
        for i, name in enumerate(names):
            self.write(name, jsonl(make(2, i, name)))
        self.works('ingest', 'store', *names[:37], *BAGS, '--batch', 'many')
        for i in range(37, 40):
            self.works('ingest', 'store', names[i], *BAGS, '--batch', f'b{i}')
        text = self.works('info', 'store')
        self.assertRegex(text, r'(?m)^  batches +sources +documents ')
        self.assertRegex(text, r'(?m)^  many +37 +74 .* complete$')
        self.assertRegex(text, r'(?m)^  no batch +1 +80 .* complete$')
        self.assertRegex(text, r'(?m)^  039.jsonl +b39 +2 ')
        self.assertNotIn('034.jsonl', text)
        self.assertIn('\n  and 38 more before these: --sources lists all\n',
                      text)
        self.assertLess(text.index('  index 1'), text.index('  batches'))
        self.assertLess(len(text.split('\n')), 50)
        text = self.works('info', 'store', '--sources')
        for name in ('first.jsonl', *names):
            self.assertRegex(text, rf'(?m)^  {name} ')
        self.assertNotIn('more before', text)
        self.assertEqual(len(self.works_json('info', 'store', '--format',
                                             'json')['sources']), 43)

    def test_long_names(self):
        """Names as long as they may be do not break the table."""
        for batch in ('b' * 63, '\u65e5' * 21, 'exactlyten'):
            self.write(batch[:9] + '.jsonl',
                       jsonl(make(3, len(batch), batch)))
            self.works('ingest', 'store', batch[:9] + '.jsonl', *BAGS,
                       '--batch', batch)
        text = self.works('info', 'store', columns=80)
        self.assertIn(' bbbbbbb... ', text)
        self.assertIn(' ' + '\u65e5' * 3 + '... ', text)
        self.assertIn(' exactlyten ', text)
        text = text.replace('\u65e5', 'zz')
        self.assertLessEqual(max(map(len, text.split('\n'))), 80)
        self.assertIn(' ' + 'b' * 63 + ' ', self.works('info', 'store'))
        batches = self.works_json('info', 'store', '--batches', '--format',
                                  'json')['batches']
        self.assertEqual(batches[3]['name'], 'b' * 63)

    def test_log(self):
        """A text ingest makes no sketch, and says so."""
        self.write('t.jsonl', jsonl(SECOND[:3]))
        result = self.kedge('ingest', 'texts', 't.jsonl', *BAGS)
        self.assertIn(b'; documents only, without sketches\n',
                      result.stderr)
        self.assertNotIn(b'sketch size', result.stderr)


class Verify(LifeCase):
    def verify(self, name='store'):
        return self.works_json('verify', name, '--format', 'json')

    def test_whole(self):
        v = self.verify()
        info = self.works_json('info', 'store', '--format', 'json')
        self.assertEqual((v['damaged'], v['whole']), ([], True))
        self.assertEqual({k: v[k] for k in ('documents', 'tokens',
                                            'nonzeros')},
                         {k: info[k] for k in ('documents', 'tokens',
                                               'nonzeros')})
        self.assertEqual(v['documents_digest'], info['digest'])
        self.assertRegex(v['vocabulary_digest'], HEX % 16)
        self.assertEqual([(w['number'], w['current']) for w in v['indexes']],
                         [(1, False)])
        self.assertRegex(v['indexes'][0]['digest'], HEX % 16)
        self.assertEqual([m['name'] for m in v['models']], ['k3'])
        self.assertRegex(v['models'][0]['digest'], HEX % 16)

    def test_table(self):
        text = self.works('verify', 'store')
        self.assertRegex(text, r'(?m)^  whole +yes\n  records +[\d,]+$')
        self.assertRegex(text, r'(?m)^  1 +behind +[0-9a-f]+$')
        self.assertIn(self.verify()['documents_digest'], text)
        self.assertLessEqual(max(map(len, text.split('\n'))), 80)

    def test_the_same_by_another_way(self):
        """Backwards and at once, without what was replaced."""
        documents = [dict(d) for d in expected()]
        documents.reverse()
        self.write('all.jsonl', jsonl(documents))
        self.works('ingest', 'other', 'all.jsonl', *BAGS)
        for name in ('store', 'other'):
            self.works('fit', name, '-k', '3', *INDEX, '--align', 'none')
        a, b = self.verify(), self.verify('other')
        for key in ('documents_digest', 'vocabulary_digest', 'models'):
            self.assertEqual(a[key], b[key])
        self.assertEqual([w['digest'] for w in a['indexes'] if w['current']],
                         [w['digest'] for w in b['indexes']])

    def damage(self, tag):
        """Changes a byte of each record that begins with this, those on pages
        that are free by now among them."""
        data = bytearray(self.read('store/data.mdb'))
        at = data.find(tag)
        while at >= 0:
            data[at + 40] ^= 1
            at = data.find(tag, at + 1)
        self.write('store/data.mdb', bytes(data))

    def test_damage(self):
        self.damage(b'KBLK')
        result = self.kedge('verify', 'store')
        self.assertEqual(result.returncode, 3)
        self.assertRegex(result.stdout.decode(), r'(?m)^block \d+: .*damaged')
        self.assertNotRegex(result.stdout.decode(), r'(?m)^(.+): \1')
        self.assertRegex(result.stderr.decode(),
                         r'^kedge: the store is damaged: (1 finding|'
                         r"\d+ findings); 'kedge repair STORE' recomputes .*\n$")
        result = self.kedge('verify', 'store', '--format', 'json')
        self.assertEqual(result.returncode, 3)
        found = json.loads(result.stdout)
        self.assertFalse(found['whole'])
        self.assertTrue(any(d['record'].startswith('block')
                            for d in found['damaged']))
        self.assertNotIn('documents_digest', found)

    def test_refused(self):
        for more, code in ((('--memory', '1M'), 4), (('extra',), 2)):
            result = self.kedge('verify', 'store', '--format', 'json', *more)
            self.assertEqual((result.returncode, result.stdout), (code, b''))


if __name__ == '__main__':
    main()
