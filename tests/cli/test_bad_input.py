#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_bad_input.py PROGRAM: every kind of malformed input, by what is said
about it and the exit code."""
import gzip
import json
import os

from shell import Case, main, zstd

VOCABULARY = 'apple\nbanana\ncherry\n'
HEAD = '2\n3\n4\n'
GOOD = HEAD + '1 1 2\n1 2 1\n2 1 1\n2 3 5\n'
FIELDS = 'expected "document word count"'
SKIP = '; --skip-bad counts such records and goes on'
SKIP_FILE = '; --skip-bad counts such files and goes on'
FORMAT = ('expected UCI bag-of-words (three numbers on three lines), JSON '
          'lines or an array, Matrix Market or a table with named columns '
          '(--text-field names the one with the text); --from lines reads a '
          'document per line, --from files the whole file as one document')
WORD = 'expected a word from 1 to 3'
DOCUMENT = 'expected a document from 1 to 2'
COUNT = 'expected a count from 1 to 2147483647'

# name, text of the file, and what is said; all with --from uci
HEADERS = (
    ('first no number', 'two\n3\n4\n',
     '1: "two" is not a number: expected the number of documents'),
    ('second no number', '2\n3.0\n4\n',
     '2: "3.0" is not a number: expected the number of words'),
    ('third no number', '2\n3\n4x\n',
     '3: "4x" is not a number: expected the number of entries'),
    ('negative', '-2\n3\n4\n',
     '1: "-2" is negative: expected the number of documents'),
    ('too large', '2\n3\n99999999999999999999\n',
     '3: "99999999999999999999" is too large: expected the number of entries, '
     'at most 4611686018427387904'),
    ('empty line', '2\n\n3\n4\n',
     '2: the line is empty: expected the number of words'),
    ('two numbers', '2 3\n4\n',
     '1: the line has 2 fields: expected only the number of documents'),
    ('ends', '2\n3\n',
     '3: the file ends here: expected the number of entries'),
    ('empty file', '',
     '1: the file is empty: expected the number of documents'),
    ('other vocabulary', '2\n4\n4\n',
     '2: the header says 4 words, the vocabulary has 3: expected the '
     'vocabulary of this file'),
    ('long line', '2\n' + '1' * 5000 + '\n',
     '2: the line is longer than 4096 bytes: expected the number of words'),
)

# name, the lines after the header, and what is said
RECORDS = (
    ('word 0', '1 0 1\n', f'4: the word 0 is too small: {WORD}'),
    ('word beyond', '1 1 1\n1 4 1\n', f'5: the word 4 is too large: {WORD}'),
    ('word no number', '1 x 1\n', f'4: "x" is not a number: {WORD}'),
    ('document 0', '0 1 1\n',
     f'4: the document 0 is too small: {DOCUMENT}'),
    ('document beyond', '1 1 1\n3 1 1\n',
     f'5: the document 3 is too large: {DOCUMENT}'),
    ('document no number', 'one 1 1\n',
     f'4: "one" is not a number: {DOCUMENT}'),
    ('order', '2 1 1\n1 1 1\n',
     '5: document 1 comes after document 2: expected documents in rising '
     'order'),
    ('count 0', '1 1 0\n', f'4: the count 0 is too small: {COUNT}'),
    ('count negative', '1 1 -1\n', f'4: "-1" is not a number: {COUNT}'),
    ('count no number', '1 1 1.5\n', f'4: "1.5" is not a number: {COUNT}'),
    ('count too large', '1 1 2147483648\n',
     f'4: the count 2147483648 is too large: {COUNT}'),
    ('count far too large', '1 1 99999999999999999999\n',
     f'4: the count 99999999999999999999 is too large: {COUNT}'),
    ('one field', '1 1 1\n1\n', f'5: the line has 1 field: {FIELDS}'),
    ('two fields', '1 1\n', f'4: the line has 2 fields: {FIELDS}'),
    ('four fields', '1 1 1 1\n', f'4: the line has 4 fields: {FIELDS}'),
    ('empty line', '1 1 2\n\n1 2 1\n', f'5: the line is empty: {FIELDS}'),
    ('word twice', '1 1 2\n1 2 1\n1 1 1\n2 3 5\n',
     '6: word 1 of document 1 is there twice: expected each word once'),
    ('too few', '1 1 2\n1 2 1\n2 1 1\n',
     '7: the file ends after 3 of 4 entries: expected as many as the header '
     'says'),
    ('none', '',
     '4: the file ends after 0 of 4 entries: expected as many as the header '
     'says'),
    ('cut within a line', '1 1 2\n1 2 1\n2 1',
     '6: the file ends within a line, after 2 of 4 entries: expected as many '
     'as the header says'),
    ('too many', '1 1 2\n1 2 1\n2 1 1\n2 3 5\n2 2 1\n',
     '8: there are more than the 4 entries that the header says: expected the '
     'end of the file'),
    ('garbage at the end', '1 1 2\n1 2 1\n2 1 1\n2 3 5\nthe end\n',
     '8: there are more than the 4 entries that the header says: expected the '
     'end of the file'),
    ('commands a terminal', '1 \x1b[2J 1\n',
     f'4: "?[2J" is not a number: {WORD}'),
)


def flipped(data, place):
    """One bit of one byte changed."""
    damaged = bytearray(data)
    damaged[place] ^= 1
    return bytes(damaged)


class BadInput(Case):
    def setUp(self):
        super().setUp()
        self.write('vocab', VOCABULARY)

    def refuses(self, said, *arguments, code=1, **options):
        self.fails(code, f'kedge: {said}\n', 'ingest', 'store', *arguments,
                   '--quiet', **options)

    def refuses_file(self, data, said, *arguments):
        self.write('bad', data)
        self.refuses(f'bad:{said}', 'bad', '--vocab', 'vocab', *arguments)

    def test_the_good_one(self):
        self.write('good', GOOD)
        self.works('ingest', 'store', 'good', '--vocab', 'vocab')

    def test_headers(self):
        for name, text, said in HEADERS:
            with self.subTest(name):
                self.refuses_file(text, said, '--from', 'uci')

    def test_records(self):
        for name, lines, said in RECORDS:
            with self.subTest(name):
                self.refuses_file(HEAD + lines, said + SKIP)

    def test_records_in_a_pipe(self):
        for name, lines, said in RECORDS:
            with self.subTest(name):
                self.refuses(f'standard input:{said}{SKIP}', '-', '--from',
                             'uci', '--vocab', 'vocab',
                             input=(HEAD + lines).encode())

    def test_words_of_bags_that_are_no_line(self):
        """A vocabulary that is exported has a line for each word."""
        for escape in ('\\n', '\\r', '\\u000a'):
            self.write('bag', '{"text": {"good": 2, "n%sl": 2}}\n' % escape)
            self.refuses('bag:1: word 2 of the bag has a line end in it: '
                         'expected a word without one' + SKIP, 'bag')

    def test_unknown_format(self):
        self.refuses_file('two\n3\n4\n',
                          f'1: unknown format: {FORMAT}')
        self.refuses_file('\n\n', f'1: unknown format: {FORMAT}')

    def test_nothing(self):
        """An empty file has no documents, in every format but those whose
        first lines tell how many there are; that is told, and of each. A store
        is not made of them; of one that has documents, it is no error."""
        none = (b"kedge: no documents were read, and the store has none: name "
                b"files with documents ('kedge help formats') or give "
                b"--allow-empty\n")
        self.write('vocab', 'one\ntwo\n')
        for i, name in enumerate(('auto', 'jsonl', 'lines', 'mallet', 'tsv',
                                  'csv', 'vw', 'svmlight', 'ldac')):
            words = ('--vocab', 'vocab') if name in ('svmlight',
                                                     'ldac') else ()
            self.write('a', '')
            self.write('b.gz', gzip.compress(b''))
            result = self.kedge('ingest', f's{i}', 'a', 'b.gz', '--from',
                                name, *words, '--format', 'json')
            self.assertEqual((result.returncode, result.stdout), (1, b''))
            self.assertIn(b'kedge: a: has no documents\n'
                          b'kedge: b.gz: has no documents\n',
                          result.stderr)
            self.assertIn(none, result.stderr)
            self.assertFalse(os.path.exists(self.path(f's{i}')))
        os.mkdir(self.path('folder'))
        self.fails(1, none.decode(), 'ingest', 's', 'folder', '-q')
        self.fails(1, none.decode(), 'ingest', 's', '-', '--from', 'lines',
                   '-q')
        os.mkdir(self.path('s')) # what was there stays
        self.fails(1, none.decode(), 'ingest', 's', 'a', '-q')
        self.assertTrue(os.path.exists(self.path('s')))
        self.write('c', '{"text": "one two"}\n')
        result = self.kedge('ingest', 's0', 'a', 'c')
        self.assertEqual(result.returncode, 0)
        self.assertIn(b'kedge: a: has no documents\n',
                      result.stderr)
        self.assertNotIn(b'the store has none', result.stderr)
        names = [s['name'] for s in self.works_json(
            'info', 's0', '--format', 'json')['sources']]
        self.assertEqual(names, ['a', 'c'])
        for known in (1, 2): # a day without news
            told = self.works_json('ingest', 's0', 'a', 'b.gz', '--format',
                                   'json')
            self.assertEqual((told['documents'], told['sources_known']),
                             (0, known))

    def test_pipe_without_format(self):
        self.refuses('standard input: give the format of a pipe with --from', '-', '--vocab', 'vocab', code=2)

    def test_zstd(self):
        data = zstd(GOOD.encode())
        for name, bad, said in (
                ('cut', data[:-6], ' the file is cut off: the zstd data ends '
                                   'too early'),
                ('checksum', flipped(data, -1), " the zstd data is damaged "
                                                "(Restored data doesn't match "
                                                "checksum)"),
                ('garbage', data + b'garbage', ' data of another kind follows '
                                               'the zstd data')):
            with self.subTest(name):
                self.refuses_file(bad, said)

    def test_zstd_two_frames(self):
        cut = len(GOOD) // 2
        self.write('two', zstd(GOOD[:cut].encode())
                   + zstd(GOOD[cut:].encode()))
        self.works('ingest', 'store', 'two', '--vocab', 'vocab')

    def test_gzip(self):
        data = gzip.compress(GOOD.encode())
        for name, bad, said in (
                ('cut', data[:-3], ' the file is cut off: the gzip data ends '
                                   'too early'),
                ('checksum', flipped(data, -5), ' the gzip data is damaged '
                                                '(incorrect data check)'),
                ('garbage', data + b'garbage', ' data of another kind follows '
                                               'the gzip data')):
            with self.subTest(name):
                self.refuses_file(bad, said)

    def test_other_compression(self):
        self.refuses_file(b'\xfd7zXZ\0' + bytes(20), " this is xz data: "
                                                     "expected plain, gzip or "
                                                     "zstd ('xz -d' unpacks "
                                                     "it)" + SKIP_FILE)

    def test_no_file(self):
        self.refuses('nothing: cannot open: No such file or directory',
                     'nothing', '--vocab', 'vocab')
        self.refuses('nothing: cannot open: No such file or directory',
                     'nothing', '--vocab', 'nothing')

    def test_directory(self):
        os.mkdir(self.path('folder'))
        self.refuses('folder: is a directory: expected a file in the uci '
                     'format', 'folder', '--from', 'uci', '--vocab',
                     'vocab', code=2)

    def test_tables_in_a_directory(self):
        """Dumps are read as the tables they are; a table without the text is
        no text."""
        os.mkdir(self.path('dumps'))
        for i in range(9):
            self.write(f'dumps/{i}.csv', 'id;title;selftext\n'
                       f'{i};"one; two";three four\n{i}b;five;six\n')
        self.write('dumps/note.txt', 'one two three\n')
        self.refuses('dumps/0.csv:1: no column is called text, body, content '
                     'or abstract: the columns are id, title, selftext; name '
                     'one with --text-field title,selftext',
                     'dumps')
        told = self.works_json('ingest', 'new', 'dumps', '--text-field',
                               'title,selftext', '--format', 'json')
        self.assertEqual((told['documents'], told['tables'], told['files']),
                         (19, 9, 1))
        told = self.works_json('ingest', 'other', 'dumps', '--format', 'json',
                               '--from', 'files')
        self.assertEqual((told['documents'], told['tables'], told['files']),
                         (10, 0, 10))

    def test_scripts_without_blanks_are_told(self):
        self.write('thai', 'ภาษาไทย เขียน\nplain words\n')
        result = self.kedge('ingest', 'store', 'thai', '--from', 'lines')
        self.assertIn(b'1 of 2 texts (50.0 %) are in Thai, Lao, Khmer or '
                      b'Burmese', result.stderr)

    def test_vocabulary(self):
        self.write('good', GOOD)
        for name, text, said in (
                ('empty line', 'apple\n\ncherry\n',
                 '2: the line is empty: expected a word'),
                ('twice', 'apple\nbanana\napple\n',
                 '3: the word "apple" is on line 1 already: expected each '
                 'word once'),
                ('empty', '', '1: the file is empty: expected one word per line'),
                ('zero byte', 'a\0b\nc\nd\n', '1: the word holds a zero '
                 'byte: expected text'),
                ('long', 'a\n' + 'b' * 5000 + '\nc\n', '2: the word is '
                 'longer than 4096 bytes: expected one word per line')):
            with self.subTest(name):
                self.write('words', text)
                self.refuses(f'words:{said}', 'good', '--vocab', 'words')

    def test_no_vocabulary(self):
        self.write('good', GOOD)
        result = self.kedge('ingest', 'store', 'good', '--quiet')
        self.assertEqual(result.returncode, 2)
        self.assertIn(b'--vocab', result.stderr)

    def test_no_vocabulary_file(self):
        self.write('good', GOOD)
        self.refuses('nothing: cannot open: No such file or directory',
                     'good', '--vocab', 'nothing')

    def test_nothing_of_it_stays(self):
        """After a refusal the right file is read as if it came first."""
        self.refuses_file(HEAD + '1 1 2\n1 9 1\n', f'5: the word 9 is too '
                          f'large: {WORD}{SKIP}')
        self.write('good', GOOD)
        self.works('ingest', 'store', 'good', '--vocab', 'vocab')
        info = self.works_json('info', 'store', '--format', 'json')
        self.assertEqual((info['documents'], info['tokens']), (2, 9))


class SkipBad(Case):
    LINES = '1 1 2\n1 0 1\n1 2 x\n2 1 1\n2 3 5\n1 1 1\n2 2\n'

    def setUp(self):
        super().setUp()
        self.write('vocab', VOCABULARY)
        self.write('bad', '2\n3\n7\n' + self.LINES)

    def test_counts(self):
        result = self.works_json('ingest', 'store', 'bad', '--vocab', 'vocab',
                                 '--skip-bad', '--format', 'json')
        self.assertEqual((result['documents'], result['bad']), (2, 4))
        info = self.works_json('info', 'store', '--format', 'json')
        self.assertEqual(info['sources'][0]['bad'], 4)
        self.assertEqual(info['tokens'], 8)

    def test_tells(self):
        """How many in the summary, and where the first of them is."""
        text = self.kedge('ingest', 'store', 'bad', '--vocab', 'vocab',
                          '--skip-bad').stderr.decode()
        self.assertRegex(text, r'(?m)^ +bad +4 +malformed records, skipped$')
        self.assertIn(f'bad:5: the word 0 is too small: {WORD}', text)



class Tables(Case):
    def test_an_open_quote_says_what_it_takes(self):
        rows = ['id,text'] + [f'{i},goal match team' for i in range(50)]
        rows[10] = '9,"goal match team'
        self.write('q.csv', '\n'.join(rows) + '\n')
        told = self.kedge('ingest', 'store', 'q.csv', '--skip-bad')
        self.assertIn(b'never closed and swallows the rest of the file '
                      b'(lines: 40)',
                      told.stderr)

    def test_missing_columns_and_ids_are_told(self):
        self.write('day.csv', 'key,title,body\n1,goal match team,x\n')
        told = self.kedge('ingest', 'store', 'day.csv', '--text-field',
                          'title,selftext')
        self.assertEqual(told.returncode, 0)
        self.assertIn(b'day.csv: there is no column "selftext"; the columns '
                      b'are key, title, body', told.stderr)
        self.assertRegex(told.stderr, b'without id +1 ')


if __name__ == '__main__':
    main()
