#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_sources.py PROGRAM: one corpus by many ways gives one result."""
import gzip
import json
import os
import random
import shutil

from shell import Case, Corpus, main, zstd

EXPORTED = {'vocab.txt', 'topics.npy', 'topic_cooccurrence.npy', 'anchors.txt',
            'word_probability.npy', 'weights.npy', 'weighted_topics.npy',
            'model.json'}


class Sources(Case):
    def setUp(self):
        super().setUp()
        self.corpus = Corpus().put(self)

    def totals(self, store):
        info = self.works_json('info', store, '--format', 'json')
        return {key: info[key] for key in ('documents', 'tokens', 'nonzeros',
                                           'words', 'digest')}

    def exported(self, store):
        self.works('fit', store, '-k', '3')
        self.works('export', store, '-o', store + '.out')
        names = os.listdir(self.path(store + '.out'))
        self.assertEqual(set(names), EXPORTED)
        return {name: self.read(f'{store}.out/{name}') for name in names}

    def ingest(self, store, *arguments, **options):
        self.works('ingest', store, *arguments, '--vocab', 'vocab.txt',
                   **options)
        return self.totals(store), self.exported(store)

    def test_compressions_and_pipes(self):
        totals, files = self.ingest('plain', 'docword.txt')
        self.assertEqual(totals['documents'], self.corpus.documents)
        self.assertEqual(totals['tokens'], self.corpus.tokens)
        self.assertEqual(totals['nonzeros'], self.corpus.nonzeros)
        self.assertEqual(totals['words'], len(self.corpus.words))
        for name, *rest in (('gz', 'docword.txt.gz'),
                            ('zst', 'docword.txt.zst'),
                            ('told', 'docword.txt', '--from', 'uci')):
            with self.subTest(name):
                self.assertEqual(self.ingest(name, *rest), (totals, files))
        for name in ('docword.txt', 'docword.txt.gz', 'docword.txt.zst'):
            with self.subTest('pipe of ' + name):
                self.assertEqual(
                    self.ingest('pipe' + name, '-', '--from=uci',
                                input=self.read(name)), (totals, files))

    def test_patterns(self):
        """Quoted ones are files all the same; a file of that name comes
        first."""
        self.write('part-1.txt', 'ships sail home\n')
        self.write('part-2.txt', 'pilots board ships\n')
        self.write('part-[ab].txt', 'harbours have lights\n')
        self.write('part-a.txt', 'waves have foam\n')

        def names(*patterns):
            self.works('ingest', 'store', *patterns, '--from', 'lines')
            info = self.works_json('info', 'store', '--format', 'json')
            return [source['name'] for source in info['sources']]

        self.assertEqual(names('part-[ab].txt'), ['part-[ab].txt'])
        self.assertEqual(names('part-?.txt'), [
            'part-[ab].txt', 'part-1.txt', 'part-2.txt', 'part-a.txt'])
        self.fails(1, 'kedge: no-*.txt: cannot open: No such file or '
                   'directory\n', 'ingest', 'other', 'no-*.txt', '-q')

    def test_a_pipe_among_files(self):
        """Its size is not known; nothing before it is passed over."""
        for name in ('a', 'b', 'c'):
            self.write(name, f'ships sail {name}{name}\n')
        told = self.works_json('ingest', 'store', 'a', 'b', '-', 'c', '--from',
                               'lines', '--format', 'json',
                               input=b'pilots board ships\n')
        self.assertEqual((told['documents'], told['sources']), (4, 4))

    def test_a_missing_file_is_told_first(self):
        read = ('docword.txt', 'gone.txt', '--vocab', 'vocab.txt')
        missing = ('kedge: gone.txt: cannot open: No such file or '
                   'directory\n')
        self.fails(1, missing, 'ingest', 'store', *read)
        self.assertFalse(os.path.exists(self.path('store')))
        self.works('ingest', 'store', 'docword.txt', '--vocab', 'vocab.txt')
        self.works('fit', 'store', '-k', '2')
        self.fails(1, missing, 'infer', 'store', *read)

    def test_threads_and_order(self):
        """Two halves in two orders, and any number of threads."""
        corpus = self.corpus
        half = len(corpus.lines) // 2
        while corpus.lines[half].split()[0] == corpus.lines[half - 1].split(
                )[0]:
            half += 1
        for name, lines in (('a', corpus.lines[:half]),
                            ('b', corpus.lines[half:])):
            self.write(name, b'%d\n%d\n%d\n' % (
                corpus.documents, len(corpus.words), len(lines))
                + b''.join(lines))
        _, files = self.ingest('one', 'docword.txt', '--threads', '1')
        _, ab = self.ingest('ab', 'a', 'b', '--threads', '2')
        _, ba = self.ingest('ba', 'b', 'a')
        for name in EXPORTED:
            self.assertEqual(ab[name], files[name], name)
            self.assertEqual(ba[name], files[name], name)

    def test_again_is_known(self):
        self.ingest('store', 'docword.txt')
        before = self.totals('store')
        result = self.works_json('ingest', 'store', 'docword.txt', '--vocab',
                                 'vocab.txt', '--format', 'json')
        self.assertEqual(result['documents'], 0)
        self.assertEqual(result['sources_known'], 1)
        self.assertEqual(self.totals('store'), before)

    def test_options_anywhere(self):
        self.write('-odd', self.corpus.text)
        self.works('ingest', '--vocab=vocab.txt', 'store', '--threads', '1',
                   '--quiet', '--', '-odd')
        self.assertEqual(self.totals('store')['documents'],
                         self.corpus.documents)

    def test_sketch_later(self):
        _, files = self.ingest('now', 'docword.txt')
        self.works('ingest', 'later', 'docword.txt', '--vocab', 'vocab.txt',
                   '--no-sketch')
        self.assertEqual(self.exported('later'), files)

    def test_summary(self):
        result = self.kedge('ingest', 'store', 'docword.txt.gz', '--vocab',
                            'vocab.txt')
        text = result.stderr.decode()
        self.assertEqual(result.returncode, 0, text)
        self.assertEqual(result.stdout, b'')
        for line in (r'documents added +400$',
                     r'words +120 ', r'tokens +24,000',
                     rf'non-zeros +{self.corpus.nonzeros:,} ',
                     r'read +[\d.]+ kB', r'decompressed +[\d.]+ kB',
                     r'sketch size +[\d,]+',
                     r'planned memory +[\d.]+ MiB', r'seconds +[\d.]+$',
                     r'memory +[\d.]+ MiB +peak'):
            self.assertRegex(text, rf'(?m)^ +{line}')
        self.assertNotIn('\r', text)

    def test_quiet(self):
        result = self.kedge('ingest', 'store', 'docword.txt', '--vocab',
                            'vocab.txt', '-q')
        self.assertEqual((result.returncode, result.stdout, result.stderr),
                         (0, b'', b''))

    def test_too_little_memory(self):
        """Refused with figures, before a document is read."""
        result = self.kedge('ingest', 'store', 'docword.txt', '--vocab',
                            'vocab.txt', '--memory', '1M', '--quiet')
        self.assertEqual((result.returncode, result.stdout), (4, b''))
        self.assertRegex(result.stderr.decode(), r'^kedge: .*\d.*\n$')


GERMAN = ('Der B\u00fcrgermeister kommt, stra\u00dfauf und \u00fcber '
          'Br\u00fccken\n'
          'plain words without anything\n'
          'Stra\u00dfe und \u00dcbermut, Jahr f\u00fcr Jahr\n')


def plain(said):
    """Without its columns."""
    return ' '.join(said.decode().split())


class Encodings(Case):
    def digest(self, *arguments, **options):
        self.works('ingest', 'store', *arguments, '-q', **options)
        found = self.works_json('verify', 'store', '--format', 'json')
        shutil.rmtree(self.path('store'))
        return found['documents_digest'], found['words']

    def test_what_is_not_utf8_is_told(self):
        self.write('l1', GERMAN.encode('latin1'))
        said = self.kedge('ingest', 'store', 'l1', '--from', 'lines')
        self.assertIn('undecoded 2 documents have bytes that are not UTF-8 or '
                      '--encoding, which split words: try --encoding '
                      'latin1 the first l1:1',
                      plain(said.stderr))
        self.works('ingest', 'new', 'l1', '--from', 'lines', '--encoding',
                   'latin1')
        self.assertEqual(self.works('vocab', 'new', 'b\u00fcrgermeister',
                                    '--format', 'tsv').count('\n'), 2)
        os.mkdir(self.path('tree'))
        self.write('tree/one', GERMAN.encode('latin1'))
        told = self.works_json('ingest', 'files', 'tree', '--format', 'json')
        self.assertEqual((told['not_utf8'], told['first_not_utf8']),
                         (1, 'tree/one'))
        for name, text in (('csv', b'id,text\n1,kahn\n2,f\xe4hre kahn\n'),
                           ('jsonl', b'{"text":"kahn"}\n\n'
                                     b'{"id":"a","text":"f\xe4hre"}\n')):
            with self.subTest(name=name):
                os.mkdir(self.path(name))
                self.write(f'{name}/t.{name}', text)
                told = self.works_json('ingest', 'in' + name, name,
                                       '--format', 'json')
                self.assertEqual((told['not_utf8'], told['first_not_utf8']),
                                 (1, f'{name}/t.{name}:3'))

    def test_encodings_of_every_format(self):
        lines = GERMAN.split('\n')[:-1]
        formats = {
            'lines': GERMAN,
            'csv': 'id,text\n' + ''.join(f'{i},"{t}"\n' for i, t in
                                         enumerate(lines)),
            'tsv': 'id\ttext\n' + ''.join(f'{i}\t{t}\n' for i, t in
                                          enumerate(lines)),
            'jsonl': ''.join(json.dumps({'text': t}, ensure_ascii=False) +
                             '\n' for t in lines),
            'mallet': ''.join(f'{i} l {t}\n' for i, t in enumerate(lines))}
        for kind, text in formats.items():
            self.write('file', text)
            wanted = self.digest('file', '--from', kind)
            self.assertEqual(wanted[1], 15)
            for name, encoding, said in (
                    ('latin1', 'latin1', True), ('cp1252', 'CP1252', True),
                    ('utf-16', '', False), ('utf-16-be', 'utf-16be', True),
                    ('utf-8-sig', '', False), ('utf-32', '', False)):
                with self.subTest(kind=kind, encoding=name):
                    asked = ['--encoding', encoding] if said else []
                    data = text.encode(name)
                    self.write('file', data)
                    self.assertEqual(self.digest('file', '--from', kind,
                                                 *asked), wanted)
                    if kind == 'csv':
                        self.assertEqual(self.digest('file', *asked), wanted)
                    self.write('file', gzip.compress(data))
                    self.assertEqual(self.digest('file', '--from', kind,
                                                 *asked), wanted)
                    self.assertEqual(self.digest('-', '--from', kind, *asked,
                                                 input=zstd(data)), wanted)
                    os.makedirs(self.path('tree'), exist_ok=True)
                    self.write('tree/file', GERMAN.encode(name))
                    self.assertEqual(self.digest('tree', *asked)[1], 15)

    def test_utf8_is_utf8(self):
        """Line by line, or of files where an encoding has no such lines."""
        lines = GERMAN.split('\n')
        self.write('u8', GERMAN)
        wanted = self.digest('u8', '--from', 'lines')
        self.write('mixed', b'\n'.join(line.encode(e) for line, e in zip(
            lines, ('latin1', 'utf-8', 'utf-8', 'latin1'))))
        for name in ('u8', 'mixed'):
            self.assertEqual(self.digest(name, '--from', 'lines', '--encoding',
                                         'latin1'), wanted)
        self.assertEqual(self.digest('u8', '--from', 'lines', '--encoding',
                                     'utf-16le'), wanted)
        long = 'stra\u00dfe ' * 9000
        for encoding in ('latin1', 'utf-8'):
            self.write('long', long.encode(encoding))
            self.assertEqual(self.digest('long', '--from', 'lines',
                                         '--encoding', 'latin1')[1], 1)

    def test_wrong_ones(self):
        self.write('u8', GERMAN)
        self.fails(2, 'kedge: u8: the encoding "nope" is not known: \'iconv '
                   '-l\' lists those that are\n', 'ingest', 'store', 'u8',
                   '--from', 'lines', '--encoding', 'nope', '-q')
        self.assertFalse(os.path.exists(self.path('store')))
        self.write('l1', GERMAN.encode('latin1'))
        told = self.works_json('ingest', 'store', 'l1', '--from', 'lines',
                               '--encoding', 'ascii', '--format', 'json')
        self.assertEqual((told['documents'], told['not_utf8']), (3, 2))

    def test_infer(self):
        words = ('m\u00fche br\u00fccke f\u00e4hre kahn hafen '
                 'kr\u00e4hne').split()
        self.write('t', ''.join(' '.join(words[i % 3:i % 3 + 4] * 2) + '\n'
                                for i in range(30)))
        self.works('ingest', 'store', 't', '--from', 'lines')
        self.works('fit', 'store', '-k', '2', '--min-df', '1', '--max-df', '1')
        wanted = self.works('infer', 'store', 't', '--from', 'lines')
        self.write('t', self.read('t').decode().encode('utf-16'))
        self.assertEqual(self.works('infer', 'store', 't', '--from', 'lines'),
                         wanted)
        self.write('t', self.read('t').decode('utf-16').encode('latin1'))
        self.assertEqual(self.works('infer', 'store', 't', '--from', 'lines',
                                    '--encoding', 'latin1'), wanted)
        said = self.kedge('infer', 'store', 't', '--from', 'lines')
        self.assertIn('documents have bytes that are not UTF-8',
                      plain(said.stderr))

    def test_words_that_no_text_has(self):
        self.write('v', 'Haus\nboot\nHAUS\nwell-known\n42\nkahn\n')
        self.write('t', 'Haus boot kahn boot well-known kahn\n')
        said = self.kedge('ingest', 'store', 't', '--from', 'lines', '--vocab',
                          'v').stderr.decode()
        self.assertIn('kedge: 2 of the 6 words of the vocabulary were folded '
                      'like words of texts, which leaves 5 words\n', said)
        self.assertIn('kedge: 2 of the 6 words of the vocabulary cannot occur '
                      'in texts as they are split: "well-known" becomes '
                      '"well"\n', said)
        self.assertEqual(self.words('store'), ['boot', 'haus', 'kahn'])

    def words(self, store):
        return sorted(line.split('\t')[0] for line in self.works(
            'vocab', store, '--format', 'tsv').splitlines()[1:])

    def test_a_vocabulary_is_folded_as_texts_are(self):
        self.write('v', 'Caf\u0065\u0301\nSHIPS\nboats\n')
        texts = ['caf\u00e9 ships boats\n', 'ship boat CAF\u00c9\n']
        self.write('t.jsonl', ''.join(json.dumps({'text': t}) + '\n'
                                      for t in texts))
        self.works('ingest', 'plain', 't.jsonl', '--vocab', 'v')
        self.assertEqual(self.words('plain'),
                         ['boats', 'caf\u00e9', 'ships'])
        self.works('ingest', 'piped', '-', '--from', 'lines', '--vocab', 'v',
                   '--stem', 'english', input=''.join(texts).encode())
        self.assertEqual(self.words('piped'), ['boat', 'caf\u00e9', 'ship'])
        # again, into a store that has them
        self.works('ingest', 'plain', 't.jsonl', '--vocab', 'v')
        # words and numbers of lines are what they are
        self.write('b.jsonl', '{"text": {"SHIPS": 2, "boats": 1}}\n')
        self.works('ingest', 'bags', 'b.jsonl', '--vocab', 'v')
        self.assertEqual(self.words('bags'), ['SHIPS', 'boats'])
        self.write('n', '2 0:1 1:3\n')
        self.works('ingest', 'numbers', 'n', '--from', 'ldac', '--vocab', 'v')
        self.assertEqual(self.words('numbers'),
                         ['Cafe\u0301', 'SHIPS'])
        self.write('n', '1\n3\n1\n1 1 2\n')
        self.fails(2, 'kedge: n: its words are line numbers of the vocabulary, '
                   'which was folded for the texts before: ingest this file '
                   'by itself\n', 'ingest', 'both', 't.jsonl', 'n',
                   '--vocab', 'v', '-q')

    def test_lists_are_folded_as_texts_are(self):
        words = 'harbour ship boat crane field corn plough'.split()
        self.write('t', ''.join(' '.join(words[i % 4:i % 4 + 4]) + 's\n'
                                for i in range(40)))
        self.works('ingest', 'texts', 't', '--from', 'lines', '--stem',
                   'english')
        self.write('bags.jsonl', ''.join(json.dumps(
            {'text': dict.fromkeys(words[i % 4:i % 4 + 4], 1)}) + '\n'
            for i in range(40)))
        self.works('ingest', 'bags', 'bags.jsonl')
        self.write('list', 'SHIPS\nCrane\nboat\nfield corn\n')
        for option, texts, bags in (('--keep-words', 3, 1),
                                    ('--drop-words', 4, 6),
                                    ('--stopwords', 2, 6)):
            for store, count in (('texts', texts), ('bags', bags)):
                with self.subTest(option=option, store=store):
                    said = self.kedge('fit', store, '-k', '2', '--min-df',
                                      '1', '--max-df', '1', option, 'list',
                                      *([] if option == '--stopwords' else
                                        ['--stopwords', 'none']))
                    self.assertRegex(said.stderr.decode(),
                                     rf'words: {count} of \d+, ')

    def test_short_ones_are_told(self):
        self.write('t', ('harbour ship boat\n' * 3 + 'field corn plough\n' * 2)
                   * 3 + 'harbour boat crane\n' * 3 + 'ship\n' * 2)
        said = plain(self.kedge('ingest', 'store', 't', '--from',
                                'lines').stderr)
        self.assertIn('too short 2 no topics are learnt from them', said)
        self.assertIn('share 10.0 % of the documents', said)
        warning = ('kedge: warning: 10 % of the documents (2 of 20) have fewer '
                   'than 2 words: no topics are learnt from them, as one word '
                   'occurs with no other')
        self.assertIn(warning, said)
        for name, *more in (('json', '--format', 'json'), ('quiet', '-q')):
            result = self.kedge('ingest', name, 't', '--from', 'lines', *more)
            self.assertEqual(warning in plain(result.stderr), name == 'json')
        told = self.works_json('ingest', 'more', 't', '--from', 'lines',
                               '--format', 'json')
        self.assertEqual((told['too_short'], told['too_short_share']),
                         (2, 0.1))
        told = self.works_json('fit', 'store', '-k', '2', '--min-df', '1',
                               '--max-df', '1', '--min-tokens', '3',
                               '--format', 'json')['models'][0]
        self.assertEqual((told['documents'], told['too_short'],
                          told['too_short_share'], told['min_tokens']),
                         (18, 2, 0.1, 3))

    def test_short_ones_of_the_model_are_told(self):
        """Baskets: the vocabulary leaves some with one item or none; each of
        them is in the model or in the count."""
        chance = random.Random(3)
        shelves = [[f'{shelf}{item}' for item in 'abcdefghij']
                   for shelf in ('milk', 'beer', 'soap')]
        baskets = [chance.sample(shelves[i % 3], chance.randint(2, 8))
                   for i in range(180)] + [['rare', 'milka']] * 20
        self.write('t', ''.join(' '.join(b) + '\n' for b in baskets))
        said = plain(self.kedge('ingest', 'store', 't', '--from',
                                'lines').stderr)
        self.assertNotIn('too short', said)
        for options, short in ((('--max-df', '1', '--min-df', '21'), 20),
                               (('--max-df', '1', '--min-df', '1'), 0)):
            fit = ('fit', 'store', '-k', '2,3', *options)
            said = plain(self.kedge(*fit).stderr)
            self.assertEqual(said.count(
                'kedge: warning: 10 % of the documents (20 of 200) have fewer than '
                '2 words in the model: no topics are learnt from them; --min-df '
                '1 keeps rare words, --max-df 1 frequent ones, --stopwords '
                'none the stop words'), 1 if short else 0, said)
            for told in self.works_json(*fit, '--format', 'json')['models']:
                self.assertEqual((told['documents'], told['too_short']),
                                 (200 - short, short))
        sweep = self.kedge('sweep', 'store', '-k', '2:3', '--min-df', '21',
                           '--max-df', '1')
        self.assertIn('warning: 10 % of the documents (20 of 200)', plain(sweep.stderr))


class Unchanged(Case):
    """A file that was read to its end is known by its first documents, its
    size and its modification time."""

    def setUp(self):
        super().setUp()
        self.lines = [json.dumps({'id': str(i), 'text': f'ship harbour {word} '
                                  'boat' * 20}) for i in range(4000)
                      for word in ('crane',)]
        self.put(self.lines)

    def put(self, lines):
        self.write('news.jsonl', '\n'.join(lines) + '\n')

    def change(self, name, old, new):
        """In place: nothing but the bytes is another."""
        about = os.stat(self.path(name))
        data = self.read(name)
        self.assertEqual(len(old), len(new))
        self.assertIn(old, data)
        self.write(name, new.join(data.rsplit(old, 1)))
        os.utime(self.path(name), ns=(about.st_atime_ns, about.st_mtime_ns))

    def ingest(self, *arguments):
        result = self.kedge('ingest', 'store', *arguments, '--format', 'json')
        self.said = result.stderr.decode()
        self.assertEqual(result.returncode, 0, self.said)
        told = json.loads(result.stdout)
        return tuple(told[key] for key in ('documents', 'resumed',
                                           'sources_known',
                                           'sources_unchanged')), told

    def test_is_not_read(self):
        name = 'news.jsonl'
        size = os.path.getsize(self.path(name))
        found, told = self.ingest(name)
        self.assertEqual((found, told['bytes_read']), ((4000, 0, 0, 0), size))
        self.change(name, b'"}\n', b'xxx')
        found, told = self.ingest(name)
        self.assertEqual(found, (0, 4000, 1, 1))
        self.assertLess(told['bytes_read'], size // 2)
        self.assertIn('kedge: news.jsonl: unchanged since it was ingested; '
                      'not read again\n', self.said)
        result = self.kedge('ingest', 'store', name, '--reread')
        self.assertEqual(result.returncode, 1)
        self.assertIn(b'news.jsonl:4000: ', result.stderr)
        self.change(name, b'xxx', b'"}\n')
        found, told = self.ingest(name, '--reread')
        self.assertEqual((found, told['bytes_read']), ((0, 4000, 1, 0), size))
        self.assertIn('news.jsonl: read to its end before; nothing new\n',
                      self.said)

    def test_what_differs_is_read(self):
        name = 'news.jsonl'
        self.ingest(name)
        os.utime(self.path(name), (1, 1))
        self.assertEqual(self.ingest(name)[0], (0, 4000, 1, 0))
        self.assertEqual(self.ingest(name)[0], (0, 4000, 1, 1))
        self.put(self.lines + ['{"id": "new", "text": "new ship"}'])
        self.assertEqual(self.ingest(name)[0], (1, 4000, 0, 0))
        self.assertEqual(self.ingest(name)[0], (0, 4001, 1, 1))
        self.change(name, b'"id": "0"', b'"id": "z"')
        found, told = self.ingest(name, '--on-duplicate', 'skip')
        self.assertEqual((found, told['duplicates']), ((1, 0, 0, 0), 4000))
        os.rename(self.path(name), self.path('other'))
        self.assertEqual(self.ingest('other')[0], (0, 4001, 1, 0))

    def test_what_comes_twice_is_told(self):
        self.write('l.txt', 'red sky\nblue sea\ngreen wood\n')
        how = ('l.txt', '--from', 'lines')
        self.ingest(*how)
        self.write('l.txt', 'new line\nred sky\nblue sea\ngreen wood\n')
        self.assertEqual(self.ingest(*how)[0], (4, 0, 0, 0))
        self.assertIn(
            'kedge: warning: l.txt: changed since it was ingested, read as a '
            'new source; the 3 documents of the old one stay. Remove them '
            'first, or use --dedupe, or ids with --on-duplicate replace\n',
            self.said)
        self.write('l.txt', 'newer line\nred sky\nblue sea\ngreen wood\n')
        self.assertEqual(self.ingest(*how, '--dedupe')[0], (1, 0, 0, 0))
        self.assertIn('l.txt: changed since it was ingested, read as a new '
                      'source\n', self.said)

    def test_names_and_stores_are_refused(self):
        self.ingest('news.jsonl')
        self.fails(2, 'kedge: store is a store: kedge merge adds it\n',
                   'ingest', 'two', 'store', '-q')
        for what, *line in (('batch', 'ingest', 'store', 'news.jsonl',
                             '--batch'),
                            ('model', 'fit', 'store', '-k', '2', '--model')):
            self.fails(2, f"kedge: a {what}'s name cannot have control "
                       'characters: byte 2 is U+000A\n', *line, 'a\nb', '-q')

    def test_options_count(self):
        """The first documents do not show a field that later ones have."""
        self.put(self.lines + ['{"id": "a", "text": "ship", "more": "hull"}'])
        field = ('--text-field', 'text,more', '--on-duplicate', 'skip')
        self.ingest('news.jsonl', '--text-field', 'text')
        self.assertEqual(self.ingest('news.jsonl')[0], (0, 4001, 1, 1))
        _, told = self.ingest('news.jsonl', *field)
        self.assertGreater(told['duplicates'], 0)

    def test_malformed_records_are_met_again(self):
        self.put(self.lines + ['{'])
        self.ingest('news.jsonl', '--skip-bad')
        self.assertEqual(self.ingest('news.jsonl', '--skip-bad')[0],
                         (0, 4000, 1, 1))
        result = self.kedge('ingest', 'store', 'news.jsonl')
        self.assertEqual(result.returncode, 1)
        self.assertIn(b'news.jsonl:4001: ', result.stderr)

    def test_a_removed_batch_is_read(self):
        self.ingest('news.jsonl', '--batch', 'monday')
        self.assertEqual(self.ingest('news.jsonl')[0], (0, 4000, 1, 1))
        self.works('remove', 'store', '--batch', 'monday')
        self.assertEqual(self.ingest('news.jsonl')[0], (4000, 0, 0, 0))

    def test_directories(self):
        """All of their files have to be as they were; and what left the store
        comes again."""
        rule = ('texts', '--on-duplicate', 'replace')
        os.makedirs(self.path('texts/more'))
        for i in range(40):
            self.write(f'texts/more/{i:02}', f'ship number{i} of the harbour')
        self.assertEqual(self.ingest(*rule)[0], (40, 0, 0, 0))
        self.change('texts/more/39', b'ship', b'boat')
        found, told = self.ingest(*rule)
        self.assertEqual((found, told['files']), ((0, 40, 1, 1), 0))
        found, told = self.ingest(*rule, '--reread')
        self.assertEqual((found, told['replaced']), ((1, 39, 0, 0), 1))
        self.assertEqual(self.ingest(*rule)[0][0], 0)
        self.assertEqual(self.ingest(*rule)[0], (0, 40, 1, 1))
        self.works('remove', 'store', 'more/07')
        self.assertEqual(self.ingest(*rule)[0][:2], (1, 39))
        self.assertEqual(self.ingest(*rule)[0], (0, 40, 1, 1))
        os.rename(self.path('texts/more/12'), self.path('texts/more/zz'))
        self.assertEqual(self.ingest(*rule)[0][0], 1)
        self.works('verify', 'store')


if __name__ == '__main__':
    main()
