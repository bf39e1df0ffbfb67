#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_mend.py PROGRAM: room that is given back, and a store that is made again
from its documents. The corpus of fixtures/, with ids, in a dozen files."""
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

from shell import Case, main

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..',
                        'fixtures')
VOCABULARY = os.path.join(FIXTURES, 'vocab.harbour.txt')
FILES = 12
EXPORTED = ('topics.npy', 'topic_cooccurrence.npy', 'word_probability.npy',
            'vocab.txt', 'anchors.txt', 'model.json')


def corpus():
    """Documents as counts by word."""
    with open(VOCABULARY, encoding='utf-8') as file:
        words = file.read().split('\n')
    text = subprocess.run(
        ['zstd', '-dc', os.path.join(FIXTURES, 'docword.harbour.txt.zst')],
        check=True, stdout=subprocess.PIPE).stdout.decode()
    documents = {}
    for line in text.split('\n')[3:-1]:
        number, word, count = map(int, line.split())
        documents.setdefault(number, {})[words[word - 1]] = count
    return list(documents.values())


def lines(documents):
    return ''.join(json.dumps({'id': f'd{i}', 'text': counts}) + '\n'
                   for i, counts in documents)


def limited(bytes_most):
    """Files of the process may be no larger."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_most, bytes_most))
    return limit


class MendCase(Case):
    """Each test has a copy of a store that a batch and every fifth of the
    others left, and knows what is exported from it."""

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        maker = Case()
        maker.folder = cls.shared.name
        documents = list(enumerate(corpus()))
        for i in range(FILES):
            maker.write(f'{i}.jsonl', lines(documents[i::FILES]))
            maker.works('ingest', 'store', f'{i}.jsonl', '--vocab',
                        VOCABULARY, '--batch', f'b{i % 6}', '--quiet')
        maker.write('leave.txt', ''.join(
            f'd{i}\n' for i, _ in documents if i % 5 == 2))
        maker.works('remove', 'store', '--batch', 'b4', '--no-sketch')
        maker.works('remove', 'store', '--ids', 'leave.txt', '--no-sketch')
        cls.before = MendCase.told(maker)
        shutil.copytree(maker.path('store'), maker.path('model'))
        cls.exported = MendCase.export(maker, 'model')

    def setUp(self):
        super().setUp()
        self.anew()

    def anew(self, store='store'):
        shutil.rmtree(self.path(store), ignore_errors=True)
        shutil.copytree(os.path.join(self.shared.name, 'store'),
                        self.path(store))

    def seconds(self, command):
        """That it takes on such a store."""
        self.anew('timed')
        start = time.monotonic()
        self.works(command, 'timed')
        return time.monotonic() - start

    def told(self, store='store'):
        info = self.works_json('info', store, '--format', 'json')
        return {key: info[key] for key in ('documents', 'tokens', 'nonzeros',
                                           'words', 'digest')}

    def export(self, store='store'):
        self.works('fit', store, '-k', '12', '--align', 'none')
        out = store + '.out'
        self.works('export', store, '--model', 'k12', '-o', out)
        files = {name: self.read(f'{out}/{name}') for name in EXPORTED}
        shutil.rmtree(self.path(out))
        return files

    def check(self):
        """The store is what it was."""
        self.assertEqual(self.told(), self.before)
        self.assertEqual(self.export(), self.exported)

    def size(self):
        return os.path.getsize(self.path('store/data.mdb'))

    def damage(self, tag):
        """Changes bytes of the first record with this tag that is still in
        use, as the last one in the file may be of an older state."""
        data = bytearray(self.read('store/data.mdb'))
        places = [m.start() for m in re.finditer(tag, data)]
        self.assertTrue(places)
        for at in places:
            data[at + 60] ^= 0x40
        self.write('store/data.mdb', bytes(data))


class Compact(MendCase):
    def test_room_is_given_back(self):
        before = self.size()
        result = self.works_json('compact', 'store', '--format', 'json')
        self.assertEqual(set(result), {'kedge', 'bytes_before', 'bytes_after',
                                       'documents', 'seconds'})
        self.assertEqual(result['bytes_before'], before)
        self.assertEqual(result['bytes_after'], self.size())
        self.assertLess(self.size(), before)
        self.assertGreater(result['documents'], 500)
        self.check()
        again = self.works_json('compact', 'store', '--format', 'json')
        self.assertEqual(again['documents'], 0)
        self.check()

    def test_summary(self):
        result = self.kedge('compact', 'store')
        self.assertEqual((result.returncode, result.stdout), (0, b''))
        text = result.stderr.decode()
        for line in (r'before +[\d.]+ MB', r'after +[\d.]+ MB$',
                     r'documents +[\d,]+ +removed documents freed'):
            self.assertRegex(text, rf'(?m)^  {line}')
        self.assertLessEqual(max(map(len, text.split('\n'))), 80)
        result = self.kedge('compact', 'store', '--quiet')
        self.assertEqual((result.returncode, result.stdout, result.stderr),
                         (0, b'', b''))

    def test_a_batch_comes_again(self):
        """As if it had never left."""
        shutil.rmtree(self.path('store'))
        files = [os.path.join(self.shared.name, f'{i}.jsonl')
                 for i in range(FILES)]
        self.works('ingest', 'store', *files, '--vocab', VOCABULARY,
                   '--batch', 'all')
        whole = self.told(), self.export()
        self.works('ingest', 'life', *files[1:], '--vocab', VOCABULARY)
        self.works('ingest', 'life', files[0], '--vocab', VOCABULARY,
                   '--batch', 'first')
        self.works('remove', 'life', '--batch', 'first')
        self.works('compact', 'life')
        self.works('ingest', 'life', files[0], '--vocab', VOCABULARY)
        self.assertEqual((self.told('life'), self.export('life')), whole)

    def test_killed(self):
        """At random moments: the store is whole, and compacting goes on."""
        chance, kills = random.Random(5), 0
        for _ in range(10):
            self.anew()
            seconds = self.seconds('compact')
            child = self.start('compact', 'store', '--quiet')
            time.sleep(chance.uniform(0, seconds))
            kills += child.poll() is None
            child.kill()
            child.communicate()
            self.assertEqual(self.told(), self.before)
            self.works('compact', 'store')
            self.check()
        self.assertGreater(kills, 2)

    def test_full_disk(self):
        """An error each time, until there is room; never a loss."""
        failed, limit = 0, 1 << 15
        while True:
            result = self.kedge('compact', 'store',
                                preexec_fn=limited(limit))
            if result.returncode == 0:
                break
            failed += 1
            self.assertEqual((result.returncode, result.stdout), (1, b''),
                             result.stderr)
            self.assertRegex(result.stderr, rb'(?i)^kedge: .*(file|disk)')
            self.assertEqual(self.told(), self.before)
            self.assertNotIn('compact.mdb', os.listdir(self.path('store')))
            limit += limit // 3
        self.assertGreater(failed, 3)
        self.check()

    def test_damaged_documents(self):
        self.works('fit', 'store', '-k', '12')
        self.damage(b'KBLK')
        result = self.kedge('compact', 'store')
        self.assertEqual((result.returncode, result.stdout), (3, b''))
        self.assertRegex(result.stderr, rb'block \d+ is damaged')


class Rebuild(MendCase):
    def test_what_is_right_stays(self):
        result = self.works_json('repair', 'store', '--format', 'json')
        self.assertEqual(set(result), {'kedge', 'documents', 'indexes',
                                       'counts_changed', 'damaged',
                                       'seconds'})
        self.assertEqual((result['documents'], result['indexes'],
                          result['counts_changed'], result['damaged']),
                         (self.before['documents'], 1, False, 0))
        self.check()

    def test_summary(self):
        result = self.kedge('repair', 'store')
        self.assertEqual((result.returncode, result.stdout), (0, b''))
        text = result.stderr.decode()
        for line in (r'documents +[\d,]+ +read$', r'counts +right',
                     r'sketches +1 '):
            self.assertRegex(text, rf'(?m)^  {line}')
        result = self.kedge('repair', 'store', '--quiet')
        self.assertEqual((result.returncode, result.stdout, result.stderr),
                         (0, b'', b''))

    def test_a_damaged_sketch(self):
        self.works('fit', 'store', '-k', '12')
        self.damage(b'KROW')
        result = self.kedge('fit', 'store', '-k', '12')
        self.assertEqual((result.returncode, result.stdout), (3, b''))
        self.works('repair', 'store')
        self.check()

    def test_damaged_counts(self):
        self.damage(b'KCNT')
        result = self.kedge('fit', 'store', '-k', '12')
        self.assertEqual((result.returncode, result.stdout), (3, b''))
        result = self.kedge('repair', 'store')
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, rb'(?m)^  counts +wrong')
        self.check()

    def test_damaged_documents(self):
        """Cannot be mended; nothing is changed."""
        self.works('fit', 'store', '-k', '12')
        self.damage(b'KBLK')
        result = self.kedge('repair', 'store')
        self.assertEqual((result.returncode, result.stdout), (3, b''))
        self.assertRegex(result.stderr, rb'block \d+ is damaged')
        self.assertEqual(self.export(), self.exported)

    def test_a_damaged_model(self):
        """It does not follow from the documents: it is named."""
        self.works('fit', 'store', '-k', '12')
        self.damage(b'KMOD')
        result = self.kedge('repair', 'store')
        self.assertEqual((result.returncode, result.stdout), (3, b''))
        said = result.stderr.decode()
        self.assertIn('kedge: still damaged: model "k12" is damaged', said)
        self.assertRegex(said, '(?m)^  still damaged +1 +record, named above')
        self.assertTrue(said.endswith(
            "kedge: models are still damaged, and repair cannot mend them: "
            "'kedge verify store' names them; fit them again, or delete them "
            "with 'kedge drop store --model NAME'\n"), said)
        self.works('fit', 'store', '-k', '12')
        self.works('repair', 'store')
        self.check()

    def test_a_file_that_was_cut_off(self):
        """No command sends people to another one that says the same."""
        data = self.read('store/data.mdb')
        self.write('store/data.mdb', data[:len(data) // 8192 * 4096])
        for command in ('info', 'verify', 'repair', 'compact'):
            result = self.kedge(command, 'store')
            self.assertEqual((result.returncode, result.stdout), (3, b''))
            self.assertRegex(
                result.stderr.decode(),
                r"^kedge: store/data.mdb: is cut off \(page \d+ is not all "
                r"there\); 'kedge repair' cannot mend this: use a backup of "
                r"the store, or ingest its documents into a new one\n$")

    def test_killed_and_stopped(self):
        chance, ended = random.Random(6), 0
        seconds = self.seconds('repair')
        for i in range(12):
            child = self.start('repair', 'store', '--quiet')
            time.sleep(chance.uniform(0, seconds))
            child.send_signal(signal.SIGKILL if i % 2 else signal.SIGINT)
            child.communicate()
            ended += child.returncode != 0
            self.assertEqual(self.told(), self.before)
        self.assertGreater(ended, 0)
        self.check()
        self.works('repair', 'store')
        self.check()


class Refusals(MendCase):
    def test_memory(self):
        """With figures, before anything is changed."""
        before = self.read('store/data.mdb')
        for arguments, what in ((('compact', 'store'), b'compacting'),
                                (('repair', 'store'), b'rebuilding'),
                                (('remove', 'store', '--batch', 'b1'),
                                 b'removing')):
            result = self.kedge(*arguments, '--memory', '20M')
            self.assertEqual((result.returncode, result.stdout), (4, b''))
            self.assertRegex(result.stderr, b'(?s)^kedge: ' + what +
                             rb' takes \d+ MiB, the\s+budget \(--memory\) is '
                             rb'20\s+MiB')
        self.assertEqual(self.read('store/data.mdb'), before)

    def test_a_sketch_too_big(self):
        """The index that cannot follow is named."""
        for command in ('compact', 'repair'):
            result = self.kedge(command, 'store', '--memory', '120M',
                                '--threads', '1')
            self.assertEqual(result.returncode, 4, result.stderr)
            self.assertIn(b'the sketch of index 0', result.stderr)
        self.check()

    def test_usage(self):
        for command in ('compact', 'repair'):
            self.fails(2, f'kedge: {command} needs STORE\n'
                       f"Try 'kedge {command} --help'.\n", command)
            self.assertEqual(self.kedge(command, 'nowhere').returncode, 1)
            text = self.works(command, '--help')
            self.assertIn(f'usage: kedge {command} STORE', text)
            self.assertLess(max(map(len, text.split('\n'))), 80)
            self.assertIn(f'\n  {command} ', self.works('--help'))


if __name__ == '__main__':
    main()
