#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_terminal.py PROGRAM: tables on a terminal fit its lines and align, and
words of any script command nothing."""
import fcntl
import json
import os
import pty
import random
import re
import struct
import subprocess
import tempfile
import termios
import unicodedata

from shell import PROGRAM, Case, environment, main

# Words of one topic each; more of them follow in `words`.
JOINED = '\U0001f469\u200d\U0001f469\u200d\U0001f467'  # a family
COLOURED = '\U0001f44d\U0001f3fd'
HEART = '\u2764\ufe0f'
ODD = ('\u65e5\u672c\u8a9e\u306e\u5358\u8a9e', JOINED, 'cafe\u0301',
       '\U0001f600', COLOURED, '\uc11c\uc6b8', 'n\u0303ame', HEART,
       'esc\x1b[31m', 'rtl\u202etext', '\u0301mark')
TOPICS = 3
PER_TOPIC = 30
LONG = 'topic of ' + '\u8a9e' * 18


def columns(line):
    """Columns that a line takes on any terminal; there must be none of what
    terminals differ about."""
    width, before = 0, 0
    for c in line:
        if c in '\ufe0f\u200d' or '\U0001f3fb' <= c <= '\U0001f3ff':
            raise AssertionError(f'{line!r}: terminals differ about {c!r}')
        before = (0 if unicodedata.combining(c) else
                  2 if unicodedata.east_asian_width(c) in 'WF' else 1)
        width += before
    return width


def drained(leader):
    """What a terminal got, whose other end is closed by and by."""
    data = b''
    try:
        while piece := os.read(leader, 65536):
            data += piece
    except OSError:  # the other end is closed
        pass
    os.close(leader)
    return data.decode().replace('\r\n', '\n')


def words():
    """Of each topic."""
    return [[*ODD[topic::TOPICS],
             *(f'{"abc"[topic]}{i}' for i in range(PER_TOPIC))]
            for topic in range(TOPICS)]


def documents():
    chance = random.Random(3)
    vocabulary = words()
    for number in range(300):
        topic = number % TOPICS
        bag = {}
        for _ in range(50):
            which = topic if chance.random() < .9 else chance.randrange(TOPICS)
            word = vocabulary[which][int(PER_TOPIC * chance.random() ** 2)]
            bag[word] = bag.get(word, 0) + 1
        yield {'id': f'{ODD[number % len(ODD)]}/{number}', 'words': bag}


class Terminal(Case):
    """Every command that prints a table, in lines of several lengths."""

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        maker = Case()
        maker.folder = cls.shared.name
        name = 'a-source-of-quite-a-long-name-' + 'x' * 60 + '.jsonl'
        maker.write(name, ''.join(json.dumps(d) + '\n' for d in documents()))
        maker.works('ingest', 'store', name, '--text-field', 'words',
                    '--batch', '\u6708\u66dc\u65e5\u306e\u6587\u66f8')
        maker.works('fit', 'store', '-k', '3', '--min-df', '1')
        maker.works('fit', 'store', '-k', '2', '--min-df', '1', '--model',
                    'two-' + '\u8a9e' * 15)
        maker.works('label', 'store', '--model', 'k3', '1', LONG)
        maker.works('infer', 'store', '--model', 'k3', '--save')

    def setUp(self):
        self.folder = self.shared.name

    def shows(self, width, *arguments, **changes):
        """What a terminal of that many columns gets; 0: it does not say."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ,
                    struct.pack('HHHH', 24, width, 0, 0))
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder,
                                   env=environment(**changes),
                                   stdin=subprocess.DEVNULL, stdout=follower,
                                   stderr=subprocess.PIPE)
        os.close(follower)
        text = drained(leader)
        self.assertEqual(process.communicate()[1].decode(), '')
        self.assertEqual(process.returncode, 0)
        return text

    def complaint(self, width, *arguments):
        """What a terminal of that many columns gets on standard error."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ,
                    struct.pack('HHHH', 24, width, 0, 0))
        process = subprocess.run([PROGRAM, *arguments], cwd=self.folder,
                                 env=environment(), check=False,
                                 stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=follower)
        os.close(follower)
        self.assertGreater(process.returncode, 0)
        return drained(leader)

    def test_messages_break_at_blanks(self):
        """On a terminal; a long path stays in one piece."""
        path = 'no/' + 'folder-of-a-long-name/' * 6 + 'file  with two blanks'
        for arguments in (('remove', 'store', 'nobody', 'never',
                           '--progress', 'none'),
                          ('fit', 'store', '-k', '3', '--drop-words', path),
                          ('fit', 'store', '-k', '9999'),
                          ('infer', 'store', '--method', '\u8a9e' * 30)):
            line = self.kedge(*arguments).stderr.decode()
            self.assertEqual(line.count('\n'), line.count("\nTry '") + 1)
            for width in (45, 80, 132):
                text = self.complaint(width, *arguments)
                with self.subTest(arguments=arguments, width=width):
                    self.assertEqual(
                        ' '.join(text.split()), ' '.join(line.split()))
                    for part in text.split('\n'):
                        if max(map(columns, part.split(' '))) < width - 2:
                            self.assertLessEqual(columns(part), width, text)
        self.assertEqual(
            self.complaint(80, 'remove', 'store', 'nobody', 'never',
                           '--progress', 'none'),
            'kedge: the store has no document of any of the 2 ids, as "nobody" '
            'and "never";\n'
            "  'kedge cat STORE' shows all documents\n")
        self.assertIn(path[:130], self.complaint(80, 'fit', 'store', '-k', '3',
                                                 '--drop-words', path))

    TABLES = (
        ('topics', 'store', '--model', 'k3', '-n', '20', '--documents', '3'),
        ('info', 'store'), ('info', 'store', '--batches'),
        ('info', 'store', '--model', 'k3'),
        ('vocab', 'store', '-n', '200'),
        ('diff', 'store', 'k3', 'two-' + '\u8a9e' * 15),
        ('word', 'store', '--model', 'k3', *ODD[:5]),
        ('eval', 'store', '--model', 'k3,two-' + '\u8a9e' * 15, '-q'),
        ('sweep', 'store', '-k', '2,3,4', '-q', '--model', 'swept'),
        ('verify', 'store', '-q'))

    def test_lines_fit(self):
        for arguments in self.TABLES:
            for width in (45, 60, 80, 132):
                text = self.shows(width, *arguments)
                with self.subTest(arguments=arguments, width=width):
                    self.assertLessEqual(
                        max(map(columns, text.split('\n'))), width, text)
                    self.assertNotRegex(text, '[\x00-\x09\x0b-\x1f\x7f]')
                    self.assertNotIn('\u202e', text)

    def test_numbers_align(self):
        """However wide the words are in the column before."""
        for width in (45, 80):
            text = self.shows(width, 'vocab', 'store', '-n', '200')
            ends = [[columns(line[:m.end()])
                     for m in re.finditer(r'\S+', line)][-4:]
                    for line in text.split('\n')[:-1]]
            self.assertEqual(len(ends), 1 + TOPICS * PER_TOPIC)
            self.assertEqual({tuple(e) for e in ends}, {tuple(ends[0])})

    def test_columns_go_below(self):
        """Where the line is too short for all of them."""
        text = self.shows(45, 'info', 'store')
        upper, lower = re.findall(r'(?m)^  sources .*\n  (\S+).*\n', text)
        self.assertEqual(upper[:3], '...')
        self.assertEqual(upper[-6:], '.jsonl')
        self.assertEqual(lower[-6:], '.jsonl')
        self.assertRegex(text, r'(?m)^  sources .* state$')
        wide = self.shows(132, 'info', 'store')
        self.assertEqual(len(re.findall(r'(?m)^  sources ', wide)), 1)

    def test_pipes_have_all(self):
        """Unless COLUMNS is set; JSON is whole even then."""
        name = 'x' * 60 + '.jsonl'
        self.assertIn(name, self.works('info', 'store'))
        for line in (environment(COLUMNS='60'), environment(COLUMNS='61')):
            told = subprocess.run([PROGRAM, 'info', 'store'], cwd=self.folder,
                                  env=line, stdout=subprocess.PIPE,
                                  check=True).stdout.decode()
            self.assertNotIn(name, told)
            self.assertLessEqual(max(map(columns, told.split('\n'))),
                                 int(line['COLUMNS']))
        told = self.shows(45, 'info', 'store', '--format', 'json')
        self.assertIn(name, json.loads(told)['sources'][0]['name'])

    def test_who_says_how_wide(self):
        """The terminal; else COLUMNS; else 80."""
        for width, changes, expected in ((60, {'COLUMNS': '132'}, 60),
                                         (0, {'COLUMNS': '70'}, 70),
                                         (0, {}, 80),
                                         (0, {'COLUMNS': 'x'}, 80)):
            text = self.shows(width, 'info', 'store', **changes)
            self.assertEqual(max(map(columns, text.split('\n'))), expected)

    def test_values_keep_what_joins(self):
        """Only tables leave out what terminals differ about."""
        text = self.works('vocab', 'store', '--format', 'tsv')
        for word in (JOINED, COLOURED, HEART):
            self.assertIn(f'\n{word}\t', text)
        told = json.loads(self.shows(60, 'word', 'store', '--model', 'k3',
                                     JOINED, '--format', 'json'))
        self.assertEqual(told['words'][0]['word'], JOINED)


if __name__ == '__main__':
    main()
