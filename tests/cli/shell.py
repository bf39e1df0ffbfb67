# SPDX-License-Identifier: MIT
"""What the tests of the command line share: running kedge in a folder of its
own, and small corpora."""
import gzip
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import unittest

if len(sys.argv) < 2:
    sys.exit(f'usage: {sys.argv[0]} PROGRAM [TEST...]')
PROGRAM = os.path.abspath(sys.argv.pop(1))


def environment(**changes):
    """The caller's, without what would change the output."""
    kept = {k: v for k, v in os.environ.items()
            if k not in ('COLUMNS', 'TERM', 'NO_COLOR')
            and not k.startswith('LC_')}
    return dict(kept, LANG='C', **changes)


def hear_signals():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def zstd(data):
    """Compressed, with a checksum, as zstd does by default."""
    return subprocess.run(['zstd', '-qc'], input=data, check=True,
                          stdout=subprocess.PIPE).stdout


class Case(unittest.TestCase):
    """A test in an empty folder of its own."""
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data, encoding='utf-8'):
        if isinstance(data, str):
            data = data.encode(encoding)
        with open(self.path(name), 'wb') as file:
            file.write(data)

    def read(self, name):
        with open(self.path(name), 'rb') as file:
            return file.read()

    def kedge(self, *arguments, columns=None, **options):
        """Runs it; bytes go in and come out. Lines are of `columns`, or as
        long as they have to be."""
        options.setdefault('input', b'')
        told = {} if columns is None else {'COLUMNS': str(columns)}
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder,
                              env=environment(**told), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False,
                              timeout=120, **options)

    def start(self, *arguments, **options):
        """Starts it, with pipes, and with the signals that it would have in a
        terminal: who runs the tests may be deaf to some."""
        return subprocess.Popen([PROGRAM, *arguments], cwd=self.folder,
                                env=environment(), stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE,
                                preexec_fn=hear_signals, **options)

    def works(self, *arguments, **options):
        """Runs it, and gives what went to standard output as text."""
        result = self.kedge(*arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result.stdout.decode()

    def works_json(self, *arguments, **options):
        return json.loads(self.works(*arguments, **options))

    def fails(self, code, text, *arguments, **options):
        """Runs it; the text is all of standard error, and nothing is data."""
        result = self.kedge(*arguments, **options)
        self.assertEqual(result.stderr.decode(), text)
        self.assertEqual(result.stdout, b'')
        self.assertEqual(result.returncode, code)


# Words that would like to command a terminal, break a table, a line of
# values, a string of JSON or a web page. As vocabularies hold them: bytes.
EVIL = (b'\x1b[31mred', b'quo"te\\back', b'bad\xff\xfeutf', b'tab\there',
        b'<script>alert(1)</script>', 'c1\x9b31m'.encode(), b"it's & \x7f",
        'line\u2028end'.encode(), 'right\u202eleft'.encode(),
        '\u65e5\u672c\u8a9e'.encode(), 'caf\u00e9'.encode(),
        b'long' * 40)
TOPICS = 3
PER_TOPIC = 40


def vocabulary():
    """Each topic's words one after another, evil ones among the first."""
    words = []
    for topic in range(TOPICS):
        evil = EVIL[topic::TOPICS]
        words += evil
        words += [b'%c%d' % (ord('a') + topic, i)
                  for i in range(PER_TOPIC - len(evil))]
    return words


def document(chance):
    """A document of mostly one topic: counts by word, from 1."""
    counts = {}
    main = chance.randrange(TOPICS)
    for _ in range(60):
        topic = main if chance.random() < 0.9 else chance.randrange(TOPICS)
        place = int(PER_TOPIC * chance.random() ** 2)
        word = 1 + topic * PER_TOPIC + place
        counts[word] = counts.get(word, 0) + 1
    return counts


class Corpus:
    """A UCI corpus as bytes, the same each time."""

    def __init__(self, documents=400):
        chance = random.Random(7)
        made = [document(chance) for _ in range(documents)]
        lines = [b'%d %d %d\n' % (i, word, made[i - 1][word])
                 for i in range(1, documents + 1) for word in sorted(
                     made[i - 1])]
        self.documents = documents
        self.tokens = sum(sum(counts.values()) for counts in made)
        self.nonzeros = len(lines)
        self.words = vocabulary()
        self.vocabulary = b''.join(word + b'\n' for word in self.words)
        self.head = b'%d\n%d\n%d\n' % (documents, len(self.words), len(lines))
        self.lines = lines
        self.text = self.head + b''.join(lines)

    def put(self, case):
        """Writes docword.txt, .gz and .zst, and vocab.txt."""
        case.write('vocab.txt', self.vocabulary)
        case.write('docword.txt', self.text)
        case.write('docword.txt.gz', gzip.compress(self.text))
        case.write('docword.txt.zst', zstd(self.text))
        return self


class FittedCase(Case):
    """With a store that holds a corpus and models k3 and k2, k3 the later."""

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        maker = Case()
        maker.folder = cls.shared.name
        cls.corpus = Corpus().put(maker)
        maker.works('ingest', 'store', 'docword.txt', '--vocab', 'vocab.txt')
        maker.works('fit', 'store', '-k', '2')
        maker.works('fit', 'store', '-k3')

    def setUp(self):
        self.folder = self.shared.name


def main():
    unittest.main(verbosity=2)
