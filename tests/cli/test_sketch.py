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

NEEDS = ('needs the documents, but those of {} are elsewhere: the store has '
         'only their counts and sketches\n')
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
        found['indexes'] = [v['digest'] for v in verified['indexes']]
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

    def test_phrases_of_a_model_do_not_move_rows(self):
        lines = texts(200, 1)
        self.write('lines.txt', lines)
        self.write('words.txt', '\n'.join(sorted(set(lines.split()))) + '\n')
        self.works('ingest', 'p', 'lines.txt', *TEXTS, '--vocab', 'words.txt')
        self.works('sketch', 'export', 'p', '-o', 'before')
        self.works('fit', 'p', '-k', '3', '--phrases', '2', '--phrase-df',
                   '2', '--phrase-score', '0')
        self.works('sketch', 'export', 'p', '-o', 'after')
        self.assertEqual(self.read('after'), self.read('before'))

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

    def test_room_is_given_back_where_all_is_elsewhere(self):
        self.take('all', 'a', 'b', 'c')
        self.works('compact', 'all')
        self.assertEqual(self.fitted(self, 'all'), self.models)
        self.works('compact', 'all')
        self.works('sketch', 'export', 'all', '-o', 'all.sketch')
        self.take('again', 'all')
        self.assertEqual(self.fitted(self, 'again'), self.models)

    def test_what_was_merged_is_known(self):
        """By file and by store, however many documents a source has."""
        for name in 'bc':
            self.works('merge', 'twice', 'a', name)
            self.works('merge', 'twice', 'one')
            self.works('ingest', 'twice', 'b.txt', 'c.txt', 'a.txt', '--vocab',
                       'vocab.txt')
        self.assertEqual(self.fitted(self, 'twice'), self.models)

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
        options = ('--keep-words', 'words.txt', '--sketch-size', '200')
        self.send(*options)
        ours = Travelling.fitted(self, 'one', *options)
        self.assertEqual(Travelling.fitted(self, 'all'), ours)
        self.assertEqual(Travelling.fitted(self, 'all', *options), ours)

    def test_all_words_by_another_tf(self):
        self.send('--all-words', '--tf', 'raw')
        ours = Travelling.fitted(
            self, 'one', '--min-df', '1', '--max-df', '1', '--stopwords',
            'none', '--tf', 'raw', '--sketch-size', '1000')
        self.assertEqual(Travelling.fitted(self, 'all'), ours)

    def test_words_chosen_by_counts_of_all(self):
        self.send('--counts')
        rule = ('--min-df', '3', '--max-df', '0.5', '--format', 'json')
        info = self.works_json('info', 'all', '--format', 'json')
        self.assertEqual(info['indexes'], [])
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
        cut = self.works_json('info', 'all', '--format', 'json')['tokenizer']
        self.assertEqual(cut, self.works_json('info', 'single', '--format',
                                              'json')['tokenizer'])

    def test_words_chosen_by_a_part_stay(self):
        self.works('fit', 'p', '-k', '2', '--min-df', '3')
        self.fails(2, 'kedge: the store has no sketch that can be added to '
                      "another part's: words were chosen by its own counts, "
                      'or there are phrases; give --keep-words FILE, the same '
                      'for all parts, or --all-words, or export only counts '
                      '(--counts)\n', 'sketch', 'export', 'p', '-o', 'x')
        self.fails(2, 'kedge: index 1 is not exported: its words, in 3 '
                      'documents or more, in 50% of documents at most, no '
                      'stop words (english), differ between parts\n',
                   'sketch', 'export', 'p', '-o', 'x', '--index', '1')
        self.assertFalse(os.path.exists(self.path('x')))

    def test_lists_that_differ(self):
        self.works('sketch', 'export', 'p', '-o', 'p.sketch', '--keep-words',
                   'words.txt')
        self.write('words.txt', 'xxa\nyya\nzza\nzzb\n')
        self.works('sketch', 'export', 'q', '-o', 'q.sketch', '--keep-words',
                   'words.txt')
        self.works('sketch', 'import', 'all', 'p.sketch')
        before = self.works('info', 'all')
        result = self.kedge('sketch', 'import', 'all', 'q.sketch')
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr.decode(),
                         r'^kedge: q.sketch: the store has no index like '
                         r'index 1 of the part \(log, words of a list \([0-9a-f]{8}\)\)')
        self.assertEqual(self.works('info', 'all'), before)

    def test_texts_cut_otherwise(self):
        self.send('--all-words')
        self.works('ingest', 's', 'p.txt', *TEXTS, '--stem', 'english')
        self.works('sketch', 'export', 's', '-o', 's.sketch', '--all-words')
        self.fails(2, 'kedge: s.sketch: the texts of all were split with '
                      '--stem none, those of s.sketch with --stem english: '
                      'these stores cannot be merged\n', 'sketch', 'import', 'all', 's.sketch')


class AgreementTest(Travelling):
    def refuses(self, text, *arguments):
        """Nothing is changed, either."""
        before = self.works('info', 'all', '--format', 'json')
        self.fails(2, text, 'sketch', 'import', 'all', *arguments)
        self.assertEqual(self.works('info', 'all', '--format', 'json'), before)

    def test_a_part_comes_once(self):
        self.take('all', 'a', 'b')
        result = self.kedge('sketch', 'import', 'all', 'b.sketch', 'c.sketch',
                            '--format', 'json')
        self.assertEqual(result.returncode, 0)
        told = json.loads(result.stdout)
        self.assertEqual((told['files'], told['parts'], told['known'],
                          told['documents']), (2, 1, 1, 150))
        self.assertEqual(result.stderr.decode(), 'kedge: b.sketch: added '
                         'before, skipped\n')
        self.refuses('kedge: half.sketch: it is the sum of several parts, of '
                     'which the store has "a" but not "d": they cannot be '
                     'separated\n',
                     self.half())

    def half(self):
        """Part a, known, and one that is not."""
        self.write('d.txt', shards(Corpus(500), (400,))[1])
        self.works('ingest', 'd', 'd.txt', '--vocab', 'vocab.txt')
        self.works('sketch', 'export', 'd', '-o', 'd.sketch')
        self.take('half', 'a', 'd')
        self.works('sketch', 'export', 'half', '-o', 'half.sketch')
        return 'half.sketch'

    def test_names(self):
        self.take('all', 'a')
        self.works('sketch', 'export', 'b', '-o', 'b.sketch', '--name', 'a')
        self.refuses('kedge: b.sketch: the store has a part "a" with 100 other '
                     'documents; if these are new documents, give the part '
                     'another name (--name)\n', 'b.sketch')

    def test_own_documents_do_not_come_again(self):
        shutil.copytree(self.path('a'), self.path('all'))
        self.refuses('kedge: a.sketch: part "a" has the same 100 documents '
                     'as the store itself\n', 'a.sketch')

    def test_sketches_that_cannot_be_added_up(self):
        self.take('all', 'a')
        said = ('kedge: x.sketch: its sketch has {}, that of index 0 of the '
                'store has {}: they cannot be added\n')
        for option, value, name, ours in (
                ('--sketch-size', '64', 'the width (--sketch-size)', '480'),
                ('--seed', '2', 'the seed', '1'),
                ('--min-tokens', '3', '--min-tokens', '2')):
            self.works('ingest', 'x' + value, 'b.txt', '--vocab', 'vocab.txt',
                       option, value)
            self.works('sketch', 'export', 'x' + value, '-o', 'x.sketch')
            self.refuses(said.format(f'{name} {value}', ours), 'x.sketch')
        self.works('ingest', 'y', 'b.txt', '--vocab', 'vocab.txt',
                   '--tf', 'sqrt')
        self.works('sketch', 'export', 'y', '-o', 'y.sketch')
        self.refuses("kedge: y.sketch: the store has no index like index 0 of "
                     "the part (sqrt, words all) to add it to; 'kedge info "
                     "STORE' lists the indexes\n", 'y.sketch')
        self.works('sketch', 'export', 'b', '-o', 'z.sketch', '--counts')
        self.refuses('kedge: z.sketch: it has only counts: the sketches of '
                     'the store would lack its documents\n', 'z.sketch')

    def test_sketches_beside_the_first(self):
        """What only some have stays out, or is of no use from then on."""
        self.works('fit', 'a', '-k', '2', '--min-df', '1', '--max-df', '1',
                   '--stopwords', 'none', '--sketch-size', '50')
        self.works('sketch', 'export', 'a', '-o', 'a.sketch')
        self.take('all', 'a')
        indexes = self.works_json('info', 'all', '--format',
                                  'json')['indexes']
        self.assertEqual([v['current'] for v in indexes], [True, True])
        result = self.kedge('sketch', 'import', 'all', 'b.sketch')
        self.assertEqual(result.returncode, 0)
        self.assertIn("kedge: 1 of the store's sketches can no longer be "
                      "fitted: the part has no sketch of their words\n",
                      result.stderr.decode())
        self.fails(2, 'kedge: index 1 has the sketches of only 1 of the 2 '
                      'parts whose documents are elsewhere\n', 'fit', 'all', '-k', '2', '--index', '1',
                   '--quiet')
        self.take('all', 'c')
        self.assertEqual(self.fitted(self, 'all')['k3/topics.npy'],
                         self.models['k3/topics.npy'])
        self.works('drop', 'all', '--index', '1')
        self.assertEqual(self.fitted(self, 'all'), self.models)

    def test_damage(self):
        self.take('all', 'a')
        whole = self.read('b.sketch')
        for size in 0, 5, 100, len(whole) // 2, len(whole) - 1:
            self.write('b.sketch', whole[:size])
            result = self.kedge('sketch', 'import', 'all', 'b.sketch')
            if size < 8:
                self.assertEqual(result.returncode, 1)
                self.assertEqual(result.stderr.decode(), "kedge: b.sketch: "
                                 "this is not a file of 'kedge sketch "
                                 "export'\n")
            else:
                self.assertEqual(result.returncode, 1)
                self.assertRegex(result.stderr.decode(), r'^kedge: b.sketch: '
                                 r'it ends early, in record \d+\n$')
        for at in 30, len(whole) // 2, len(whole) - 3:
            flipped = bytearray(whole)
            flipped[at] ^= 1
            self.write('b.sketch', bytes(flipped))
            result = self.kedge('sketch', 'import', 'all', 'b.sketch')
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr.decode(),
                             r'^kedge: b.sketch: .*(damaged|ends early)')
        self.write('b.sketch', whole)
        self.take('all', 'b', 'c')
        self.assertEqual(self.fitted(self, 'all'), self.models)

    def test_a_first_import_that_fails_leaves_no_store(self):
        self.write('b.sketch', self.read('b.sketch')[:-1])
        self.assertEqual(self.kedge('sketch', 'import', 'new',
                                    'b.sketch').returncode, 1)
        self.assertFalse(os.path.exists(self.path('new')))

    def test_memory(self):
        for arguments in (('export', 'a', '-o', 'x'),
                          ('import', 'all', 'a.sketch')):
            result = self.kedge('sketch', *arguments, '--memory', '50M')
            self.assertEqual(result.returncode, 4)
            self.assertRegex(result.stderr.decode(),
                             r'^kedge: .*(ex|im)porting a sketch takes \d+ '
                             r'MiB, the budget \(--memory\) is 50 MiB; give '
                             r'more\n$')
        self.assertFalse(os.path.exists(self.path('x')))

    def test_a_reader_that_leaves(self):
        """As with head: nothing is said, and it is no failure; but a full
        disk is one."""
        reader, writer = os.pipe()
        os.close(reader)
        for options in ((), ('-q',)):
            result = subprocess.run(
                [PROGRAM, 'sketch', 'export', 'a', '-o', '-', *options],
                cwd=self.folder, env=environment(), stdout=writer,
                stderr=subprocess.PIPE, check=False, timeout=120)
            self.assertEqual((result.returncode, result.stderr), (0, b''))
        os.close(writer)
        with open('/dev/full', 'wb') as full:
            result = subprocess.run(
                [PROGRAM, 'sketch', 'export', 'a', '-o', '-'],
                cwd=self.folder, env=environment(), stdout=full,
                stderr=subprocess.PIPE, check=False, timeout=120)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b'No space left on device\n', result.stderr)

    def test_a_store_without_documents(self):
        """Among those of a corpus that was dealt out: it breaks no loop, and
        what it sends has no effect."""
        self.write('none.txt', '0\n120\n0\n')
        self.works('ingest', 'none', 'none.txt', '--vocab', 'vocab.txt',
                   '--allow-empty')
        for options in (('--counts',), ('--keep-words', 'vocab.txt'), ()):
            self.works('sketch', 'export', 'none', '-o', 'none.sketch',
                       *options)
        whole = self.read('none.sketch')
        self.assertEqual(self.kedge('sketch', 'export', 'none', '-o',
                                    '-').stdout, whole)
        result = self.kedge('sketch', 'import', 'all', 'none.sketch')
        self.assertEqual(result.returncode, 0)
        self.assertIn('kedge: none.sketch: without documents, skipped\n',
                      result.stderr.decode())
        told = self.works_json('sketch', 'import', 'all', 'a.sketch',
                               'none.sketch', 'b.sketch', 'c.sketch',
                               '--format', 'json', '-q')
        self.assertEqual((told['files'], told['parts'], told['known'],
                          told['empty'], told['documents']),
                         (4, 3, 0, 1, 400))
        self.assertEqual(self.fitted(self, 'all'), self.models)
        self.write('none.sketch', whole[:-1])
        self.assertEqual(self.kedge('sketch', 'import', 'all',
                                    'none.sketch').returncode, 1)

    def test_usage(self):
        for text, arguments in (
                ('write sketch export STORE or sketch import STORE, not '
                 '"move"', ('move', 'a')),
                ('export needs a file, as in -o part.sketch, or -o - for '
                 'standard output', ('export', 'a')),
                ('export takes one store, and -o FILE for what it writes',
                 ('export', 'a', 'b', '-o', 'x')),
                ('import needs a file that export wrote, or - for standard '
                 'input', ('import', 'all'))):
            result = self.kedge('sketch', *arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn(text, result.stderr.decode())


class ElsewhereTest(Travelling):
    def setUp(self):
        super().setUp()
        self.take('all', 'a', 'b', 'c')
        self.works('fit', 'all', '-k', '2,3')

    def test_what_needs_documents_is_refused(self):
        needs = NEEDS.format('3 parts')
        for what, arguments in (
                ('--power-iter', ('fit', 'all', '-k2', '--power-iter', '1')),
                ('--em-iter', ('fit', 'all', '-k2', '--em-iter', '1')),
                ('--ncut', ('fit', 'all', '-k2', '--ncut')),
                ('--cooccurrence', ('fit', 'all', '-k2', '--cooccurrence',
                                    'dense')),
                ('--rectify', ('fit', 'all', '-k2', '--rectify', 'palm')),
                ('--phrases', ('fit', 'all', '-k2', '--phrases', '2')),
                ('a sketch of other words', ('fit', 'all', '-k2', '--min-df',
                                             '20')),
                ('infer without FILE', ('infer', 'all')),
                ('rebuilding', ('repair', 'all')),
                ('this export',
                 ('export', 'all', '-o', 'x', '--also', 'counts')),
                ('this export',
                 ('export', 'all', '-o', 'x', '--cooccurrence', 'sparse'))):
            self.fails(2, f'kedge: {what} {needs}', *arguments)
        self.assertFalse(os.path.exists(self.path('x')))

    def test_what_needs_none_is_as_ever(self):
        for arguments in (('topics', '--format', 'json'), ('word', 'a0'),
                          ('vocab', '--format', 'tsv'),
                          ('diff', 'k2', 'k3', '--format', 'json')):
            self.assertEqual(
                self.works(arguments[0], 'all', *arguments[1:]),
                self.works(arguments[0], 'one', *arguments[1:]))
        for store in 'all', 'one':
            self.works('infer', store, 'b.txt', '--vocab', 'vocab.txt',
                       '--format', 'npy', '-o', store + '.npy')
        self.assertEqual(self.read('all.npy'), self.read('one.npy'))

    def test_merged(self):
        """Sums are added up, with documents beside them, but not twice."""
        self.take('some', 'a', 'c')
        told = self.works_json('merge', 'm', 'some', 'b', '--format', 'json')
        self.assertEqual((told['documents'], told['elsewhere']), (150, 250))
        self.assertEqual(self.fitted(self, 'm'), self.models)
        self.fails(2, 'kedge: all: it is the sum of several parts, of which '
                      'the store has "c" but not "b": they cannot be '
                      'separated\n', 'merge',
                   'some', 'all', '--quiet')
        self.fails(2, 'kedge: all: it has the same 400 documents as the '
                   'store itself\n', 'merge', 'one', 'all', '--quiet')
        self.fails(2, "kedge: m: the documents of 2 parts are elsewhere and "
                      "150 are here, so it cannot be merged; 'kedge sketch "
                      "export' and 'import' add counts and sketches\n",
                   'merge', 'new', 'm')
        self.assertFalse(os.path.exists(self.path('new')))

    def test_measures_of_documents_are_left_out(self):
        result = self.kedge('eval', 'all', '--format', 'json')
        self.assertEqual(result.returncode, 0)
        self.assertIn('kedge: the documents of 3 parts are elsewhere: measures '
                      'of documents are left out\n',
                      result.stderr.decode())
        here = json.loads(result.stdout)['models'][0]
        there = self.works_json('eval', 'one', '--format', 'json')['models'][0]
        known = [key for key in here['measures']
                 if here['measures'][key] is not None]
        self.assertIn('topic_diversity', known)
        self.assertNotIn('npmi', known)
        for key in known:
            self.assertEqual(here['measures'][key], there['measures'][key])

    def test_sweep(self):
        here, there = (self.works_json(
            'sweep', store, '-k', '2,3,4', '--model', 's', '--format', 'json')
            for store in ('all', 'one'))
        self.assertEqual(here['eigenvalues'], there['eigenvalues'])
        self.assertEqual(here['candidates'][0], there['candidates'][0])
        self.assertIsNone(here['models'][0]['held_out_log_likelihood'])
        self.assertLess(there['models'][0]['held_out_log_likelihood'], 0)
        self.assertIn(b'no documents are held out: those of 3 parts are '
                      b'elsewhere', self.kedge('sweep', 'all', '-k',
                                               '2').stderr)

    def test_report(self):
        self.works('report', 'all', '-o', 'all.html')
        page = self.read('all.html').decode()
        self.assertIn('"topics"', page)

    def test_own_documents_alone_are_gone_through(self):
        self.works('ingest', 'all', 'a.txt', '--vocab', 'vocab.txt')
        said = ('kedge: the documents of 3 parts are elsewhere: only 100 '
                'documents are here\n')
        for command in 'cat', 'infer':
            result = self.kedge(command, 'all')
            self.assertEqual(result.returncode, 0)
            self.assertEqual(result.stderr.decode().count(said), 1)
        here, there = (list(map(json.loads, self.works(
            'cat', store).splitlines())) for store in ('all', 'a'))
        self.assertTrue(here == there and len(here) == 100)
        self.works('infer', 'all', '--save')
        told = self.works_json('topics', 'all', '--documents', '2',
                               '--format', 'json')
        self.assertEqual({d['id'].split(':')[0] for t in told['topics']
                          for d in t['documents']}, {'a.txt'})
        self.assertTrue(self.works_json('verify', 'all', '--format',
                                        'json')['whole'])

    def test_damage_is_not_mended_here(self):
        """Rebuilding is refused, so it is not advised: the parts come
        again."""
        said = re.escape("some of its documents are elsewhere, and 'kedge "
                         "repair' cannot mend it: import its parts into a new "
                         "store ('kedge sketch import') and ingest its own "
                         "documents\n")
        whole = self.read('all/data.mdb')
        for tag in b'KROW', b'KCNT', b'KTOT', b'KPRT':
            data = bytearray(whole)
            at = data.find(tag)
            while at >= 0:
                data[at + 40] ^= 1
                at = data.find(tag, at + 1)
            self.assertNotEqual(data, whole)
            self.write('all/data.mdb', bytes(data))
            result = self.kedge('verify', 'all')
            self.assertEqual(result.returncode, 3)
            self.assertRegex(result.stderr.decode(), '^kedge: the store is '
                             r'damaged: \d+ findings?; ' + said + '$')

    def test_info(self):
        told = self.works_json('info', 'all', '--format', 'json')
        self.assertEqual((told['documents'], told['elsewhere']), (400, 400))
        self.assertEqual([(p['name'], p['documents'])
                          for p in told['parts']],
                         [('a', 100), ('b', 150), ('c', 150)])
        for part in told['parts']:
            self.assertEqual(part['digest'], self.works_json(
                'info', part['name'], '--format', 'json')['digest'])
            self.assertGreater(part['when'], 1700000000)
        table = self.works('info', 'all')
        self.assertRegex(table, r'\n  elsewhere +400  of them, in '
                         r'imported parts\n')
        self.assertRegex(table, r'\n  parts elsewhere +documents +tokens +'
                         r'non-zeros\n  a +100 +6,000 +[\d,]+\n  b +150')
        self.assertEqual(self.works_json('info', 'one', '--format',
                                         'json')['parts'], [])
        self.assertRegex(self.works('verify', 'all'), r'\n  elsewhere +400  of '
                         r'them, in imported parts, not\s+recounted\n')
        self.assertNotIn('elsewhere', self.works('verify', 'one'))


if __name__ == '__main__':
    main()
