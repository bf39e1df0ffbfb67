#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_directories.py PROGRAM: folders of files, and files that cannot be
read."""
import gzip
import json
import os

from shell import Case, main

HARBOUR = ('ships anchor', 'harbour pilots board ships',
           'the anchor holds the ships', 'lighthouse and harbour')


class Folders(Case):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path('dump'))

    def table(self, name, rows, header='id,text'):
        self.write(f'dump/{name}', header + '\n' +
                   ''.join(row + '\n' for row in rows))

    def ingest(self, *arguments):
        return self.works_json('ingest', 'store', *arguments, '--format',
                               'json')

    def sources(self):
        found = self.works_json('info', 'store', '--format', 'json')
        return {s['name']: s['documents'] for s in found['sources']}


class Tables(Folders):
    def test_each_is_a_source(self):
        """One that comes first in the order does not make others new, with
        ids or without."""
        for header, row in (('id,text', 'x{0},{1}'), ('text', '{0} {1}')):
            with self.subTest(header):
                for name in ('bravo', 'charlie'):
                    self.table(name[0] + '.csv',
                               [row.format(name + 'x' * i, text)
                                for i, text in enumerate(HARBOUR)], header)
                os.makedirs(self.path('dump/more'), exist_ok=True)
                self.write('dump/more/d.jsonl', '{"text": "more harbours"}\n')
                told = self.ingest('dump')
                self.assertEqual((told['documents'], told['tables'],
                                  told['sources']), (9, 3, 3))
                self.assertEqual(self.sources(), {
                    'dump/b.csv': 4, 'dump/c.csv': 4, 'dump/more/d.jsonl': 1})
                self.table('a.csv', [row.format('new', HARBOUR[0])], header)
                told = self.ingest('dump/')
                self.assertEqual((told['documents'], told['resumed'],
                                  told['sources_known']), (1, 9, 3))
                self.works('ingest', 'store', 'dump/a.csv', 'dump/b.csv')
                self.assertEqual(sum(self.sources().values()), 10)
                os.remove(self.path('dump/a.csv'))
                self.works('verify', 'store')
                os.rename(self.path('store'), self.path(header))

    def test_names_of_documents(self):
        """By file and line, with infer as well."""
        self.table('b.csv', ['', *HARBOUR], 'text')
        self.write('dump/c.jsonl', '{"text": "ships"}\n\n{"text": "pilots"}\n')
        self.ingest('dump', '--batch', 'one')
        self.works('fit', 'store', '-k', '2', '--min-df', '1')
        names = ['dump/b.csv:3', 'dump/b.csv:4', 'dump/b.csv:5',
                 'dump/b.csv:6', 'dump/c.jsonl:1', 'dump/c.jsonl:3']
        for arguments in (['store'], ['store', 'dump']):
            found = self.works('infer', *arguments, '--format', 'tsv')
            self.assertEqual([line.split('\t')[0] for line in
                              found.split('\n')[1:-1]], names)


class Texts(Folders):
    def setUp(self):
        super().setUp()
        for i, text in enumerate(HARBOUR):
            self.write(f'dump/{i + 3}.txt', text)

    def test_files_that_come_between(self):
        for name in ('2.txt', '4a.txt', '9.txt'):
            self.ingest('dump')
            self.write('dump/' + name, 'one more ship ' + name)
            told = self.ingest('dump/')
            self.assertEqual(told['documents'], 1)
            self.assertEqual(told['documents'] + told['resumed'],
                             len(os.listdir(self.path('dump'))))
        self.assertEqual(self.sources(), {'dump': 7})
        self.works('verify', 'store')

    def test_files_that_change(self):
        self.ingest('dump')
        self.write('dump/4.txt', 'the harbour is closed')
        self.fails(1, 'kedge: dump/4.txt: the store has another document '
                   'with this id, from dump; use --on-duplicate skip or '
                   'replace\n',
                   'ingest', 'store', 'dump', '-q')
        told = self.ingest('dump', '--on-duplicate', 'skip')
        self.assertEqual((told['documents'], told['resumed'],
                          told['duplicates']), (0, 3, 1))
        told = self.ingest('dump', '--on-duplicate', 'replace')
        self.assertEqual((told['documents'], told['resumed'],
                          told['replaced']), (1, 3, 1))
        told = self.ingest('dump', '--on-duplicate', 'replace', '--dedupe')
        self.assertEqual((told['documents'], told['resumed']), (0, 4))
        self.works('verify', 'store')

    def test_another_batch(self):
        """What is new is of the batch that is asked for."""
        self.ingest('dump')
        self.write('dump/1.txt', 'a new ship')
        self.ingest('dump', '--batch', 'day2')
        self.works('remove', 'store', '--batch', 'day2')
        found = self.works_json('info', 'store', '--format', 'json')
        self.assertEqual(found['documents'], 4)

    def test_a_batch_that_is_not_theirs(self):
        """Files that are in already stay as they came, which is told."""
        self.table('a.csv', ['1,ships sail'])
        self.works('ingest', 'store', 'dump/a.csv')
        said = self.kedge('ingest', 'store', 'dump/a.csv', '--batch', 'day2')
        self.assertEqual(said.returncode, 0)
        self.assertIn(b'kedge: dump/a.csv: unchanged since it was ingested; '
                      b'not read again, and it stays in no batch\n',
                      said.stderr)
        self.assertIn(b'kedge: warning: 1 of the sources were read before, '
                      b'in another batch or none, and stay there: --batch day2 '
                      b'does not apply to them\n', said.stderr)

    def test_without_ids(self):
        """Which are new, nobody knows then."""
        self.ingest('dump', '--id-field', 'none')
        self.assertEqual(self.ingest('dump', '--id-field', 'none')['documents'],
                         0)
        self.write('dump/1.txt', 'a new ship')
        said = self.kedge('ingest', 'store', 'dump', '--id-field', 'none')
        self.assertEqual(said.returncode, 2)
        self.assertIn(b'without ids (--id-field none) kedge cannot tell '
                      b'which are new', said.stderr)

    def test_what_was_not_read_is_counted(self):
        """A table with an id that is there stops it; and the memory that it is
        said to take is that of small files."""
        os.mkdir(self.path('tables'))
        for name in 'abcd':
            self.write(f'tables/{name}.csv',
                       'id,text\n' + ('1' if name in 'bc' else name) +
                       f',goal match {name}team\n')
        result = self.kedge('ingest', 'store', 'tables', '--text-field',
                            'text')
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, b'still to read +2  sources')
        self.assertIn(b'tables/c.csv:2: the store has document "1" already',
                      result.stderr)
        result = self.kedge('ingest', 'store', 'tables', '--text-field',
                            'text', '--on-duplicate', 'skip', '--format',
                            'json')
        told = json.loads(result.stdout)
        self.assertEqual(told['to_come'], 0)
        self.assertLess(told['planned_memory'], 64 << 20)

    def test_tables_between(self):
        self.table('5.csv', ['a,harbour lights'])
        told = self.ingest('dump')
        self.assertEqual((told['documents'], told['files'], told['tables']),
                         (5, 4, 1))
        told = self.ingest('dump')
        self.assertEqual((told['documents'], told['resumed']), (0, 5))
        told = self.works_json('ingest', 'other', 'dump', '--from', 'files',
                               '--format', 'json')
        self.assertEqual((told['files'], told['tables']), (5, 0))


class Columns(Folders):
    def test_advice(self):
        """What there is, and what to say; no words are cut."""
        self.table('a.csv', ['1,x,y,z'], 'id,title,selftext,score')
        self.fails(1, 'kedge: dump/a.csv:1: no column is called text, '
                   'body, content or abstract: the columns are id, title, '
                   'selftext, score; name one with --text-field '
                   'title,selftext\n', 'ingest', 'store', 'dump', '-q')
        self.table('a.csv', ['1,x'], 'id,contents')
        self.fails(1, 'kedge: dump/a.csv:1: no column is called '
                   'title,words: the columns are id, contents; name one with '
                   '--text-field NAME,...\n', 'ingest', 'store',
                   'dump/a.csv', '-q', '--text-field', 'title,words')

    def test_those_that_are_there(self):
        self.table('a.csv', ['1,harbour,pilot'], 'id,title,selftext')
        self.table('b.csv', ['2,ships,anchor'], 'id,body,title')
        self.table('c.csv', ['3,4'], 'id,score')
        told = self.ingest('dump', '--text-field', 'title,selftext,body',
                           '--skip-bad')
        self.assertEqual((told['documents'], told['tokens'], told['unread']),
                         (2, 4, 1))

    def test_numbers(self):
        """A first row that may be a header is a document, which is told, with
        what to say; one that is called as columns are is none."""
        self.table('a.csv', ['1,ships sail', '2,pilots board'], 'nr,story')
        said = self.kedge('ingest', 'store', 'dump/a.csv', '--text-field', '2')
        self.assertIn(b'kedge: 1 table to check:\nkedge:   dump/a.csv: the '
                      b'first row is read as a document, since the columns '
                      b'are given by numbers; if it is a header, name them: '
                      b'--text-field story\n', said.stderr)
        self.assertEqual(sum(self.sources().values()), 3)
        self.table('b.csv', ['1,2,3'], 'id,5,6')
        self.table('c.csv', ['harbour lights', 'ships'], 'a pilot sails')
        for name, fields, count in (('b', '2,3', 1), ('c', '1', 3)):
            said = self.kedge('ingest', name, f'dump/{name}.csv', '--digits',
                              '--text-field', fields, '--min-chars', '1',
                              '--from', 'csv')
            self.assertNotIn(b'to check', said.stderr)
            found = self.works_json('info', name, '--format', 'json')
            self.assertEqual(found['documents'], count)

    def test_places(self):
        """File and line, of a row and of an id."""
        self.table('a.csv', ['1,"ships', 'sail"', '2,pilots'])
        self.table('b.csv', ['3,anchor', '', '2,harbour'])
        self.fails(1, 'kedge: dump/b.csv:4: the store has document "2" '
                   'already, from dump/a.csv:4; use --on-duplicate skip or '
                   'replace\n', 'ingest', 'store', 'dump', '-q')
        self.table('b.csv', ['3,anchor', '', '2,harbour', '4,ragged,row'])
        self.fails(1, 'kedge: dump/b.csv:5: the row has 3 columns: expected '
                      '2, as in the first row; --skip-bad counts such records '
                      'and goes on\n', 'ingest', 'store', 'dump', '-q',
                   '--on-duplicate', 'skip')
        said = self.kedge('ingest', 'store', 'dump', '--skip-bad',
                          '--on-duplicate', 'skip').stderr.decode()
        self.assertIn('kedge: 1 malformed record skipped:\n'
                      'kedge:   dump/b.csv:5: the row has 3 columns', said)


    def test_are_remembered(self):
        """By infer, and by later ingests that ask for nothing else."""
        self.write('dump/a.csv', 'key;head;body\n'
                   + ''.join(f'{i};br\u00fccke;{t}\n'
                             for i, t in enumerate(HARBOUR)), 'latin1')
        told = self.ingest('dump', '--text-field', 'head,body', '--id-field',
                           'key', '--encoding', 'latin1')
        self.assertEqual((told['documents'], told['not_utf8']), (4, 0))
        told = self.ingest('dump')
        self.assertEqual((told['documents'], told['resumed']), (0, 4))
        self.works('fit', 'store', '-k', '2', '--min-df', '1')
        stored, read = (self.works('infer', 'store', *files, '--format', 'tsv')
                        for files in ([], ['dump']))
        self.assertEqual([line.split('\t')[0] for line in
                          read.split('\n')[1:-1]], ['0', '1', '2', '3'])
        self.assertEqual(stored, read)
        self.table('b.csv', ['5,ships'], 'key,body')
        self.ingest('dump/b.csv', '--text-field', 'body')
        self.table('c.csv', ['6,ships'], 'key,head')
        self.fails(1, 'kedge: dump/c.csv:1: no column is called body: '
                   'the columns are key, head; name one with '
                   '--text-field NAME,...\n', 'ingest', 'store', 'dump/c.csv',
                   '-q')


class Kinds(Folders):
    """What was refused."""
    def texts(self, name, data, *arguments):
        self.write(name, data)
        told = self.works_json('ingest', name + '.s', name, '--format', 'json',
                               *arguments)
        return told['documents'], told['tokens']

    def test_quoted_line_ends_in_tsv(self):
        rows = ('id\ttext\tlabel\n1\t"ships sail\n\nhome "" again"\ta\n'
                '2\t"pilots" said\tb\n3\t"anchor\tb\n4\t"one"\t"c"\n')
        self.assertEqual(self.texts('a.tsv', rows), (4, 8))
        last = ('id\ttext\n1\t"ships\nsail"\n2\t"pilots\n3\t"anchor"\n'
                '4\t"open\n')
        self.assertEqual(self.texts('b.tsv', last), (4, 5))
        self.write('c.tsv', 'id\ttext\n1\n2\tships\n"3\n4\tships\n')
        self.fails(1, 'kedge: c.tsv:2: the row has 1 column: expected 2, as '
                      'in the first row; --skip-bad counts such records and '
                      'goes on\n', 'ingest', 'store', 'c.tsv', '-q')
        told = self.ingest('c.tsv', '--skip-bad')
        self.assertEqual((told['documents'], told['bad']), (2, 2))

    def test_line_ends_of_old(self):
        self.assertEqual(self.texts('a.csv', 'id,text\r1,ships\r2,"a\rpilot"'
                                    '\r'), (2, 2))
        self.assertEqual(self.texts('b', 'ships\rpilots\r', '--from',
                                    'lines'), (2, 2))
        self.assertEqual(self.texts('c', 'ships\rpilots\nhome\n', '--from',
                                    'lines'), (2, 3))

    def test_a_page(self):
        page = '<html><head><script>x</script></head><p>ships sail</html>\n'
        self.assertEqual(self.texts('a.html', page), (1, 2))
        self.assertEqual(json.loads(self.works('cat', 'a.html.s'))['id'],
                         'a.html')
        self.assertEqual(self.texts('b.txt', 'ships\nsail\n', '--from',
                                    'files'), (1, 2))

    def test_what_was_taken_back(self):
        self.table('a.csv', ['1,ships,[removed]', '2,[deleted],[removed]',
                             '3,,[deleted]', '4,ships,was [removed]',
                             '5,,not removed'], 'id,title,body')
        told = self.ingest('dump', '--text-field', 'title,body')
        self.assertEqual((told['documents'], told['tokens'], told['empty'],
                          told['taken_back']), (3, 6, 2, 2))


class Nothing(Folders):
    def test_is_an_error(self):
        """Documents that were all left out, for whatever reason."""
        self.write('blank', '\n1 2\n')
        self.table('a.csv', ['1,2'], 'no,columns')
        for source in ('blank', 'dump'):
            with self.subTest(source):
                asked = ['--from', 'lines'] if source != 'dump' else []
                told = self.kedge('ingest', 'store', source, '--skip-bad',
                                  *asked)
                self.assertEqual(told.returncode, 1)
                self.assertIn(b'kedge: no documents were read', told.stderr)
                self.assertFalse(os.path.exists(self.path('store')))


class Unread(Folders):
    def setUp(self):
        super().setUp()
        self.table('a.csv', [f'{i},{t}' for i, t in enumerate(HARBOUR)])
        self.write('dump/b.csv', 'no,such,columns\n1,2,3\n')
        data = gzip.compress(b'id,text\n' + b''.join(
            b'g%d,%s ships\n' % (i, os.urandom(9).hex().encode())
            for i in range(40000)))
        self.write('dump/c.csv.gz', data[:-9000])
        self.write('dump/d.txt.gz', gzip.compress(b'ships')[:-5])
        self.write('dump/e.txt', 'a harbour')

    def test_are_named(self):
        told = self.kedge('ingest', 'store', 'dump', '--skip-bad')
        said = told.stderr.decode()
        self.assertEqual(told.returncode, 0)
        self.assertIn('kedge: 3 files not read to the end:', said)
        for name in ('b.csv:1: ', 'c.csv.gz: the file is cut off: the gzip', 'd.txt.gz: the file'):
            self.assertIn('kedge:   dump/' + name, said)
        self.assertRegex(said, r'(?m)^ +not read +3 +files')
        self.assertNotIn('malformed', said)
        self.assertEqual(set(self.sources()),
                         {'dump', 'dump/a.csv', 'dump/c.csv.gz'})

    def test_what_is_mended_goes_on(self):
        self.ingest('dump', '--skip-bad')
        self.table('b.csv', ['b,harbour'])
        os.remove(self.path('dump/c.csv.gz'))
        self.write('dump/d.txt.gz', gzip.compress(b'ships'))
        told = self.ingest('dump')
        self.assertEqual((told['documents'], told['unread']), (2, 0))


if __name__ == '__main__':
    main()
