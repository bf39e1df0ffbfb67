#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_sketch.py PROGRAM: counts and sketches that travel without documents,
against one store that read everything."""
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import tempfile

from shell import PROGRAM, Case, Corpus, environment, main

NEEDS = ('needs the documents, and those of {} are elsewhere: the store has '
         'their counts and sketches alone\n')
TEXTS = ('--from', 'lines')


def shards(corpus, cuts):
    """The corpus in pieces that end before these documents."""
    made = {}
    for line in corpus.lines:
        number, word, count = line.split()
        made.setdefault(int(number), []).append((word, count))
    pieces, numbers = [], sorted(made)
    for begin, end in zip([0, *cuts], [*cuts, len(numbers)]):
        lines = [b'%d %b %b\n' % (i, word, count)
                 for i, number in enumerate(numbers[begin:end], 1)
                 for word, count in made[number]]
        pieces.append(b'%d\n%d\n%d\n' % (end - begin, len(corpus.words),
                                         len(lines)) + b''.join(lines))
    return pieces


def texts(count, seed):
    """Lines of words of three kinds, some of which only this seed has."""
    chance = random.Random(seed)
    lines = []
    for i in range(count):
        kind = chance.choice('xyz')
        words = [kind * 2 + chr(97 + int(26 * chance.random() ** 2))
                 for _ in range(chance.randrange(8, 40))]
        words += ['the', 'own' + chr(97 + seed)]
        lines.append(' '.join(words))
    return '\n'.join(lines) + '\n'


class Travelling(Case):
    """A folder with three shards, their stores and files, and one store that
    read them all, made once; each test has a copy."""

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        maker = Case()
        maker.folder = cls.shared.name
        corpus = Corpus()
        maker.write('vocab.txt', corpus.vocabulary)
        for name, piece in zip('abc', shards(corpus, (100, 250))):
            maker.write(name + '.txt', piece)
            maker.works('ingest', name, name + '.txt', '--vocab', 'vocab.txt')
            maker.works('sketch', 'export', name, '-o', name + '.sketch')
        maker.works('ingest', 'one', 'a.txt', 'b.txt', 'c.txt', '--vocab',
                    'vocab.txt')
        cls.models = cls.fitted(maker, 'one')

    def setUp(self):
        super().setUp()
        shutil.rmtree(self.folder)
        shutil.copytree(self.shared.name, self.folder)

    @staticmethod
    def fitted(case, store, *options):
        """Digests of the files of its models, and what verify sums up."""
        found = {}
        case.works('fit', store, '-k', '2,3', *options)
        for model in ('k2', 'k3'):
            folder = f'{store}.{model}'
            case.works('export', store, '--model', model, '-o', folder,
                       '--also', 'graphml,csv')
            for name in sorted(os.listdir(case.path(folder))):
                data = case.read(os.path.join(folder, name))
                found[f'{model}/{name}'] = hashlib.sha256(data).hexdigest()
        verified = case.works_json('verify', store, '--format', 'json')
        for key in ('documents', 'tokens', 'documents_digest',
                    'vocabulary_digest', 'whole'):
            found[key] = verified[key]
        found['views'] = [v['digest'] for v in verified['views']]
        return found

    def take(self, store, *names):
        self.works('sketch', 'import', store, *(n + '.sketch' for n in names))


class SumTest(Travelling):
    def test_any_order_is_one_store(self):
        self.take('first', 'a', 'b', 'c')
        self.take('second', 'c')
        self.take('second', 'a', 'b')
        self.assertEqual(self.fitted(self, 'first'), self.models)
        self.assertEqual(self.fitted(self, 'second'), self.models)
        self.assertEqual(len(self.models), 2 * 10 + 6)

    def test_own_documents_beside_parts(self):
        self.take('late', 'b')
        self.works('ingest', 'late', 'c.txt', '--vocab', 'vocab.txt')
        self.take('late', 'a')
        self.assertEqual(self.fitted(self, 'late'), self.models)
        self.works('ingest', 'early', 'a.txt', '--vocab', 'vocab.txt',
                   '--no-sketch')
        self.take('early', 'c', 'b')
        self.assertEqual(self.fitted(self, 'early'), self.models)

    def test_pipes(self):
        for name in 'bac':
            sent = self.kedge('sketch', 'export', name, '-o', '-')
            self.assertEqual(sent.returncode, 0)
            self.works('sketch', 'import', 'piped', '-', input=sent.stdout)
            self.assertEqual(sent.stdout, self.read(name + '.sketch'))
        self.assertEqual(self.fitted(self, 'piped'), self.models)

    def test_sums_of_sums(self):
        self.take('half', 'a', 'c')
        self.works('sketch', 'export', 'half', '-o', 'half.sketch')
        self.take('whole', 'b', 'half')
        self.assertEqual(self.fitted(self, 'whole'), self.models)
        parts = self.works_json('info', 'whole', '--format', 'json')['parts']
        self.assertEqual([p['name'] for p in parts], ['b', 'a', 'c'])

    def test_what_left_does_not_travel(self):
        self.works('ingest', 'more', 'b.txt', '--vocab', 'vocab.txt',
                   '--batch', 'wrong')
        self.works('ingest', 'more', 'a.txt', '--vocab', 'vocab.txt')
        self.works('remove', 'more', '--batch', 'wrong')
        self.works('sketch', 'export', 'more', '-o', 'more.sketch', '--name',
                   'a')
        self.assertEqual(self.read('more.sketch'), self.read('a.sketch'))

    def test_own_documents_leave_and_room_is_given_back(self):
        self.works('ingest', 'all', 'b.txt', '--vocab', 'vocab.txt',
                   '--batch', 'wrong')
        self.take('all', 'a')
        self.works('ingest', 'all', 'c.txt', '--vocab', 'vocab.txt')
        self.works('remove', 'all', '--batch', 'wrong')
        self.works('compact', 'all')
        self.take('all', 'b')
        self.assertEqual(self.fitted(self, 'all'), self.models)

    def test_threads(self):
        for threads in '1', '3':
            store = 'all' + threads
            self.works('sketch', 'import', store, 'a.sketch', 'b.sketch',
                       '--threads', threads)
            self.works('ingest', store, 'c.txt', '--vocab', 'vocab.txt',
                       '--threads', threads)
            self.assertEqual(self.fitted(self, store), self.models)


class TextsTest(Case):
    def setUp(self):
        super().setUp()
        for i, name in enumerate('pqr'):
            self.write(name + '.txt', texts(90, i))
            self.works('ingest', name, name + '.txt', *TEXTS)
        self.works('ingest', 'one', 'p.txt', 'q.txt', 'r.txt', *TEXTS)
        # words that no text has do no harm
        self.write('words.txt', 'nowhere\n' + ''.join(
            f'{kind * 2}{chr(97 + i)}\n' for kind in 'xyz'
            for i in range(26)))

    def send(self, *options):
        for name in 'pqr':
            self.works('sketch', 'export', name, '-o', name + '.sketch',
                       *options)
        self.works('sketch', 'import', 'all', 'r.sketch', 'p.sketch',
                   'q.sketch')

    def test_words_of_a_list(self):
        options = ('--keep', 'words.txt', '--sketch', '200')
        self.send(*options)
        ours = Travelling.fitted(self, 'one', *options)
        self.assertEqual(Travelling.fitted(self, 'all'), ours)
        self.assertEqual(Travelling.fitted(self, 'all', *options), ours)

    def test_all_words_by_another_statistic(self):
        self.send('--all-words', '--statistic', 'joint')
        ours = Travelling.fitted(
            self, 'one', '--min-df', '1', '--max-df', '1', '--stopwords',
            'none', '--statistic', 'joint', '--sketch', '1000')
        self.assertEqual(Travelling.fitted(self, 'all'), ours)

    def test_words_chosen_by_counts_of_all(self):
        self.send('--counts')
        rule = ('--min-df', '3', '--max-df', '0.5', '--format', 'json')
        info = self.works_json('info', 'all', '--format', 'json')
        self.assertEqual(info['views'], [])
        self.assertEqual(self.works('vocab', 'all', '--format', 'tsv'),
                         self.works('vocab', 'one', '--format', 'tsv'))
        self.fails(2, 'kedge: a sketch of other words '
                   + NEEDS.format('3 parts'), 'fit', 'all', '-k', '2',
                   *rule[:4])

    def test_vocabulary_while_reading(self):
        for name in ('p', 'q', 'r'):
            self.works('ingest', name + '2', name + '.txt', *TEXTS, '--vocab',
                       'words.txt')
            self.works('sketch', 'export', name + '2', '-o', name + '.sketch')
        self.works('sketch', 'import', 'all', 'q.sketch', 'r.sketch',
                   'p.sketch')
        self.works('ingest', 'single', 'p.txt', 'q.txt', 'r.txt', *TEXTS,
                   '--vocab', 'words.txt')
        self.assertEqual(Travelling.fitted(self, 'all'),
                         Travelling.fitted(self, 'single'))
        cut = self.works_json('info', 'all', '--format', 'json')['cut']
        self.assertEqual(cut, self.works_json('info', 'single', '--format',
                                              'json')['cut'])

    def test_words_chosen_by_a_part_stay(self):
        self.works('fit', 'p', '-k', '2', '--min-df', '3')
        self.fails(2, 'kedge: the store has no sketch that could be added to '
                   'that of another part: words were chosen by its own '
                   'counts, or there are phrases; say of which words it is to '
                   'be: --keep FILE, the same list for all parts, or '
                   '--all-words. Or send the words with their counts alone '
                   '(--counts)\n', 'sketch', 'export', 'p', '-o', 'x')
        self.fails(2, 'kedge: view 1 stays: words in 3 documents or more, in '
                   '50% of documents at most, no stop words (english), which '
                   'are others in each part\n',
                   'sketch', 'export', 'p', '-o', 'x', '--view', '1')
        self.assertFalse(os.path.exists(self.path('x')))

    def test_lists_that_differ(self):
        self.works('sketch', 'export', 'p', '-o', 'p.sketch', '--keep',
                   'words.txt')
        self.write('words.txt', 'xxa\nyya\nzza\nzzb\n')
        self.works('sketch', 'export', 'q', '-o', 'q.sketch', '--keep',
                   'words.txt')
        self.works('sketch', 'import', 'all', 'p.sketch')
        before = self.works('info', 'all')
        result = self.kedge('sketch', 'import', 'all', 'q.sketch')
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr.decode(),
                         r'^kedge: q.sketch: the store has no sketch of the '
                         r'same words, by the same statistic, as view 1 of '
                         r'the part \(log, words of a list \([0-9a-f]{8}\)\)')
        self.assertEqual(self.works('info', 'all'), before)

    def test_texts_cut_otherwise(self):
        self.send('--all-words')
        self.works('ingest', 's', 'p.txt', *TEXTS, '--stem', 'english')
        self.works('sketch', 'export', 's', '-o', 's.sketch', '--all-words')
        self.fails(2, 'kedge: s.sketch: the texts of all were cut with --stem '
                   'none, those of s.sketch with --stem english: they cannot '
                   'be one store\n', 'sketch', 'import', 'all', 's.sketch')
