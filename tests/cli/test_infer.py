#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_infer.py PROGRAM: topic proportions of stored and of other
documents, as they are printed, written and piped."""
import json
import os
import random
import select
import struct
import subprocess

from shell import EVIL, PROGRAM, Case, FittedCase, environment, main


def rows(text):
    """The lines of a table by their header."""
    lines = [line.split('\t') for line in text.splitlines()]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def proportions(row):
    return {int(t): float(w) for t, w in
            (pair.split(':') for pair in row['topics'].split())}


class Stored(FittedCase):
    def test_only_files_are_replaced(self):
        for name, make in (('pipe', os.mkfifo), ('link', lambda path:
                                                 os.symlink('x', path))):
            path = os.path.join(self.folder, name)
            make(path)
            result = self.kedge('infer', 'store', '--format', 'npy', '-o',
                                name, '-q')
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(b'is not a regular file', result.stderr)
            self.assertFalse(os.path.isfile(path))

    def test_table(self):
        table = rows(self.works('infer', 'store'))
        self.assertEqual(len(table), self.corpus.documents)
        for m, row in enumerate(table, 1):
            found = proportions(row)
            self.assertEqual(row['id'], f'docword.txt:{m}')
            self.assertEqual(row['tokens'], '60')
            self.assertEqual(row['oov'], '0')
            self.assertEqual(row['flag'], 'ok')
            self.assertTrue(0 < float(row['misfit']) < 1)
            self.assertEqual(list(found.values()),
                             sorted(found.values(), reverse=True))
            self.assertGreaterEqual(min(found.values()), 0.01)
            self.assertLess(abs(sum(found.values()) - 1), 0.03)
            self.assertGreater(max(found.values()), 0.6)

    def test_rest(self):
        """What is left out by the threshold is there as a sum."""
        header = self.works('infer', 'store').split('\n')[0]
        self.assertEqual(header,
                         'id\ttokens\toov\tmisfit\tflag\ttopics\trest')
        for threshold in '0', '0.01', '0.3', '1':
            option = ('--threshold', threshold)
            table = rows(self.works('infer', 'store', *option))
            text = self.works('infer', 'store', '--format', 'jsonl', *option)
            rests = 0
            for row, line in zip(table, text.splitlines()):
                found = proportions(row)
                rest = float(row['rest'])
                self.assertLess(abs(sum(found.values()) + rest - 1), 3e-4)
                self.assertTrue(all(p >= float(threshold) - 5e-5
                                    for p in found.values()))
                one = json.loads(line)
                self.assertLess(abs(sum(one['topics'].values()) + one['rest']
                                    - 1), 1e-9)
                self.assertLess(abs(one['rest'] - rest), 1e-4)
                rests += rest
            self.assertEqual(rests > 0, threshold != '0')
        dense = self.works('infer', 'store', '--dense').split('\n')[0]
        self.assertNotIn('rest', dense)

    def test_input_that_nobody_reads_is_told(self):
        """Who pipes documents in and forgets the dash gets the store's."""
        note = (b"kedge: standard input is not read: these are the "
                b"documents in store; 'kedge infer store -' reads standard "
                b"input\n")
        self.assertIn(note, self.kedge('infer', 'store',
                                       input=b'some words\n').stderr)
        self.assertNotIn(note, self.kedge('infer', 'store').stderr)
        self.assertNotIn(note, self.kedge('infer', 'store', '--quiet',
                                          input=b'some words\n').stderr)
        self.write('texts', b'some words\n')
        with open(self.path('texts'), 'rb') as file:
            told = subprocess.run([PROGRAM, 'infer', 'store'], stdin=file,
                                  cwd=self.folder, env=environment(),
                                  stdout=subprocess.DEVNULL, check=True,
                                  stderr=subprocess.PIPE).stderr
        self.assertIn(note, told)

    def test_dense_is_the_same(self):
        table = rows(self.works('infer', 'store', '--threshold', '0'))
        dense = rows(self.works('infer', 'store', '--dense'))
        for row, other in zip(table, dense):
            for topic, share in proportions(row).items():
                self.assertLess(abs(float(other[str(topic)]) - share), 6e-5)
            self.assertEqual(len(proportions(row)), 3)

    def test_json_is_the_same(self):
        for option, name in ((), 'topics'), (('--dense',), 'proportions'):
            text = self.works('infer', 'store', '--format', 'jsonl', *option)
            table = rows(self.works('infer', 'store'))
            for line, row in zip(text.splitlines(), table):
                one = json.loads(line)
                found = one[name]
                if name == 'proportions':
                    self.assertLess(abs(sum(found) - 1), 1e-12)
                    found = {str(t + 1): w for t, w in enumerate(found)}
                self.assertEqual(one['id'], row['id'])
                self.assertEqual(str(one['tokens']), row['tokens'])
                for topic, share in proportions(row).items():
                    self.assertLess(abs(found[str(topic)] - share), 6e-5)

    def test_npy_is_the_same(self):
        dense = rows(self.works('infer', 'store', '--dense'))
        for option, kind, size in ((), 'f', 4), (('--wide',), 'd', 8):
            self.assertEqual('', self.works(
                'infer', 'store', '--format', 'npy', '-o', 'w.npy', *option))
            data = self.read('w.npy')
            self.assertIn(f"'<f{size}'".encode(), data[:128])
            self.assertIn(f"'shape': ({len(dense)}, 3)".encode(), data[:128])
            self.assertEqual(len(data), 128 + 3 * size * len(dense))
            for m, row in enumerate(dense):
                found = struct.unpack_from('<3' + kind, data,
                                           128 + 3 * size * m)
                for topic in range(3):
                    self.assertLess(abs(found[topic] -
                                        float(row[str(topic + 1)])), 1e-6)

    def test_methods_and_threads(self):
        """The same bytes for any number of threads; least squares
        are another thing."""
        seen = set()
        for method in ('--method', 'linear-bayes'), (
                '--method', 'least-squares'), (
                '--method', 'least-squares', '--weighted'), (
                '--method', 'padd'), ('--method', 'padd', '--as-published'), (
                '--method', 'pami', '--rho', '2'), (
                '--method', 'pami', '--as-published'), (
                '--method', 'tli'), ('--method', 'tli', '--as-published'):
            one = self.works('infer', 'store', *method, '--threads', '1')
            two = self.works('infer', 'store', *method, '--threads', '2',
                             '--memory', '250M')
            self.assertEqual(one, two)
            seen.add(one)
        self.assertEqual(len(seen), 9)

    def test_other_documents_are_the_same(self):
        """From a file, compressed, and through a pipe."""
        stored = self.works('infer', 'store').splitlines()
        for name in 'docword.txt', 'docword.txt.gz', 'docword.txt.zst':
            lines = self.works('infer', 'store', name, '--vocab',
                               'vocab.txt').splitlines()
            self.assertEqual([line.split('\t')[1:] for line in lines],
                             [line.split('\t')[1:] for line in stored])
        piped = self.works('infer', 'store', '-', '--from', 'uci', '--vocab',
                           'vocab.txt', input=self.corpus.text)
        self.assertEqual(piped, '\n'.join(stored).replace('docword.txt', '-')
                         + '\n')

    def test_all_documents_at_once(self):
        """padd and pami: from the store and a file, and what they tell."""
        for method in 'padd', 'pami':
            arguments = ('--method', method)
            stored = self.works('infer', 'store', *arguments)
            other = self.works('infer', 'store', 'docword.txt', '--vocab',
                               'vocab.txt', *arguments)
            self.assertEqual(stored, other)
            told = [json.loads(self.kedge(
                'infer', 'store', *arguments, '--tolerance', '1e-12',
                '--iterations', rounds, '--summary', 'json').stderr)
                for rounds in ('2', '40')]
            self.assertEqual([one['rounds'] for one in told], [2, 40])
            self.assertLess(told[1]['strayed'], told[0]['strayed'])
            self.assertLess(told[1]['moved'], told[0]['moved'])
            self.assertGreater(told[1]['loss'], 0)
            self.assertFalse(told[1]['settled'])
            text = self.kedge('infer', 'store', *arguments).stderr.decode()
            self.assertIn('to the model\'s topic co-occurrence', text)
            result = self.kedge('infer', 'store', '-', '--from', 'uci',
                                '--vocab', 'vocab.txt', *arguments,
                                input=self.corpus.text)
            self.assertEqual(result.returncode, 2)
            self.assertEqual(
                result.stderr.decode(),
                'kedge: standard input: padd and pami read all documents '
                'twice, which a pipe does not allow: give a file, or use '
                '--method linear-bayes\n')

    def test_an_inverse(self):
        """tli leaves topics out, and says how well they can be told."""
        found, biased = [], []
        for model in 'k2', 'k3':
            result = self.kedge('infer', 'store', '--method', 'tli', '--model',
                                model, '--dense', '--summary', 'json')
            told = json.loads(result.stderr)
            self.assertGreater(told['largest'], 0.9)
            self.assertLess(told['largest'], 10)
            self.assertLess(told['gap'], 1e-6)
            biased.append((told['biased'] > 0) == (told['bias'] > 1e-8))
            found += [row[topic] for row in rows(result.stdout.decode())
                      for topic in '12']
        self.assertEqual(biased, [True, True])
        self.assertIn('0.000000', found)
        text = self.kedge('infer', 'store', '--method', 'tli').stderr.decode()
        self.assertIn('entry of the inverse', text)

    def test_models(self):
        header = self.works('infer', 'store', '--model', 'k2',
                            '--dense').splitlines()[0]
        self.assertEqual(header.split('\t')[-2:], ['1', '2'])

    def test_nothing_is_written(self):
        before = self.read('store/data.mdb')
        self.works('infer', 'store')
        self.works('infer', 'store', 'docword.txt', '--vocab', 'vocab.txt')
        self.assertEqual(before, self.read('store/data.mdb'))

    def test_summary(self):
        result = self.kedge('infer', 'store', '--summary', 'json')
        told = json.loads(result.stderr)
        self.assertEqual(told['documents'], self.corpus.documents)
        self.assertEqual(told['tokens'], self.corpus.tokens)
        self.assertGreater(told['mean_iterations'], 1)
        self.assertEqual(told['unsettled'], 0)
        result = self.kedge('infer', 'store', '--iterations', '1')
        self.assertIn(b'unsettled', result.stderr)
        self.assertIn(b'\tunsettled\t', result.stdout)
        result = self.kedge('infer', 'store', '--quiet')
        self.assertEqual(result.stderr, b'')

    def test_a_reader_that_leaves_is_no_failure(self):
        run = subprocess.run(
            f'"{PROGRAM}" infer store --quiet | head -n 1; '
            'echo "${PIPESTATUS[0]}"', shell=True, executable='/bin/bash',
            cwd=self.folder, env=environment(), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, check=True)
        self.assertTrue(run.stdout.endswith(b'\n0\n'))
        self.assertEqual(run.stderr, b'')

    def test_wrong_lines(self):
        for text, *arguments in (
                ('npy needs a file: -o FILE', '--format', 'npy'),
                ('-o is for --format npy: other formats go to standard '
                 'output', '-o', 'x'),
                ('--threshold: 2 is not within 0 to 1', '--threshold', '2'),
                ('--method: \'gibbs\' is not one of '
                 'linear-bayes|least-squares|padd|pami|mean|tli', '--method',
                 'gibbs'),
                ('--wide needs --format npy', '--wide'),
                ('--iterations', '--iterations', '0')):
            result = self.kedge('infer', 'store', *arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn(text, result.stderr.decode())
            self.assertEqual(result.stdout, b'')

    def test_failures(self):
        iterated = 'linear-bayes, least-squares, padd, pami'
        for code, text, *arguments in (
                (1, 'kedge: the store has no model "k9"; its models: k2, '
                 'k3\n', '--model', 'k9'),
                *((2, f'kedge: {option} belongs to --method {methods}, not to '
                   f"{method}\nTry 'kedge infer --help'.\n", '--method',
                   method, option, *value)
                  for option, methods, method, *value in (
                      ('--weighted', 'least-squares', 'linear-bayes'),
                      ('--tau', 'padd', 'linear-bayes', '1'),
                      ('--rho', 'pami', 'padd', '1'),
                      ('--iterations', iterated, 'mean', '5'),
                      ('--iterations', iterated, 'tli', '5'),
                      ('--as-published', 'padd, pami, tli', 'least-squares'))),
                (2, 'kedge: docword.txt: words are given as numbers: name the '
                    'file of the words with --vocab\n', 'docword.txt'),
                (2, 'kedge: standard input: give the format of a pipe with '
                    '--from\n', '-')):
            result = self.kedge('infer', 'store', *arguments)
            self.assertEqual(result.stderr.decode(), text)
            self.assertEqual(result.returncode, code)
            self.assertEqual(result.stdout, b'')
        result = self.kedge('infer', 'store', '--memory', '10M')
        self.assertEqual(result.returncode, 4)
        self.assertIn(b'inferring takes', result.stderr)
        result = self.kedge('infer', 'store', '--format', 'npy', '-o',
                            'no/w.npy')
        self.assertEqual(result.returncode, 1)


class Texts(Case):
    def setUp(self):
        super().setUp()
        words = [f'{a}{b}{c}' for a in 'bdfg' for b in 'aeiou'
                 for c in 'lmnr']
        lines = [' '.join(words[(m % 4 * 20 + i * i + m) % 80]
                          if i % 5 == 0 else
                          words[m % 4 * 20 + (i * i + m) % 20]
                          for i in range(30)) for m in range(200)]
        self.write('texts.txt', '\n'.join(lines) + '\n')
        self.works('ingest', 'store', 'texts.txt', '--from', 'lines')
        self.works('fit', 'store', '-k', '4', '--max-df', '1')

    def odd(self):
        return [{'id': 'empty', 'text': ''},
                {'id': 'signs', 'text': '?! 12'},
                {'id': 'unknown', 'text': 'never heard of'},
                {'id': 'single', 'text': 'bal'},
                {'id': 'some', 'text': 'bal bam never ban heard'},
                {'id': 'tab\tand \x1b[31m', 'text': 'bal bam'}]

    def test_odd_documents(self):
        self.write('odd.jsonl', ''.join(json.dumps(d) + '\n'
                                        for d in self.odd()))
        for method in 'linear-bayes', 'least-squares', 'padd', 'pami', 'tli':
            table = rows(self.works('infer', 'store', 'odd.jsonl',
                                    '--method', method))
            self.assertEqual(
                [(row['id'], row['tokens'], row['oov'], row['flag'])
                 for row in table],
                [('empty', '0', '0', 'empty'), ('signs', '0', '0', 'empty'),
                 ('unknown', '0', '3', 'unknown'),
                 ('single', '1', '0', 'single'), ('some', '3', '2', 'ok'),
                 ('tab?and ?[31m', '2', '0', 'ok')])
            self.assertEqual(table[0]['topics'], table[2]['topics'])
            self.assertEqual(len(proportions(table[0])), 4)
            self.assertLess(max(proportions(table[3]).values()), 0.9)

    def test_words_that_the_model_leaves_out(self):
        """Texts of a store with word order, most of whose words its model
        has not: they were read past the end of what was left of them."""
        common = [f'{a}{b}t' for a in 'bcdfghjklmnp' for b in 'aeiou']
        self.write('plain.txt', ''.join(
            ' '.join(common + [words.split()[(m + i * i) % 5]
                               for i in range(12)]) + '\n'
            for m in range(30) for words in ('sail harbour anchor deck wave',
                                             'oven flour butter dough yeast')))
        self.works('ingest', 'plain', 'plain.txt', '--from', 'lines')
        self.works('fit', 'plain', '-k', '2')
        for text, tokens in ((common, 0), (common + ['sail', 'oven'], 2),
                             (['sail', 'never', *common, 'heard'], 1)):
            for method in 'linear-bayes', 'mean':
                table = rows(self.works(
                    'infer', 'plain', '-', '--from', 'lines', '--method',
                    method, input=' '.join(text).encode() + b'\nsail\n'))
                self.assertEqual([int(row['tokens']) for row in table],
                                 [tokens, 1])
                self.assertEqual([int(row['oov']) for row in table],
                                 [len(text) - tokens, 0])
        self.write('again.txt', ' '.join(common) + '\n')
        self.assertEqual(len(rows(self.works(
            'infer', 'plain', 'again.txt', '--from', 'lines', '--method',
            'padd'))), 1)

    def test_every_line_has_an_answer(self):
        data = b'bal bam\n\n \t \nban\n\n'
        for method in 'linear-bayes', 'tli':
            table = rows(self.works('infer', 'store', '-', '--from', 'lines',
                                    '--method', method, input=data))
            self.assertEqual([(row['id'], row['flag']) for row in table],
                             [('-:1', 'ok'), ('-:2', 'empty'),
                              ('-:3', 'empty'), ('-:4', 'single'),
                              ('-:5', 'empty')])
        self.write('blank.txt', data)
        self.works('ingest', 'store', 'blank.txt', '--from', 'lines')
        self.assertEqual(self.works_json('info', 'store', '--format',
                                         'json')['documents'], 202)

    def test_evil_words(self):
        data = b'\n'.join(b' '.join(EVIL) + b' bal bam' for _ in range(3))
        self.works('infer', 'store', '-', '--from', 'lines', input=data)

    def test_a_filter_answers_line_by_line(self):
        child = self.start('infer', 'store', '-', '--from', 'lines',
                           '--quiet')
        try:
            for line in range(1, 6):
                child.stdin.write(b'bal\n' if line == 1 else b'bal bam ban\n')
                child.stdin.flush()
                answer = b''
                while not answer.endswith(b'\n') or b'-:' not in answer:
                    ready, _, _ = select.select([child.stdout], [], [], 60)
                    self.assertTrue(ready, 'no answer')
                    answer += os.read(child.stdout.fileno(), 65536)
                self.assertTrue(answer.splitlines()[-1].startswith(
                    b'-:%d\t' % line))
            child.stdin.close()
            self.assertEqual(child.wait(60), 0)
        finally:
            child.kill()
            child.wait()
            child.stdout.close()
            child.stderr.close()
            child.stdin.close()

    def test_bad_records(self):
        self.write('bad.jsonl', '{"text": "bal bam"}\nno json\n'
                   '{"text": "ban"}\n')
        result = self.kedge('infer', 'store', 'bad.jsonl', '--from', 'jsonl')
        self.assertEqual(result.returncode, 1)
        self.assertIn(b'bad.jsonl:2:', result.stderr)
        table = rows(self.works('infer', 'store', 'bad.jsonl', '--from',
                                'jsonl', '--skip-bad'))
        self.assertEqual([row['id'] for row in table],
                         ['bad.jsonl:1', 'bad.jsonl:3'])

    def test_what_left_is_not_there(self):
        before = self.works('infer', 'store').splitlines()
        self.works('remove', 'store', 'texts.txt:7')
        after = self.works('infer', 'store').splitlines()
        self.assertEqual(after, before[:7] + before[8:])

    def test_phrases(self):
        """A model of phrases joins them in new texts as in the stored."""
        self.works('fit', 'store', '-k', '3', '--max-df', '1', '--phrases',
                   '2', '--phrase-df', '2', '--phrase-score', '-1',
                   '--model', 'two')
        stored = rows(self.works('infer', 'store', '--model', 'two'))
        other = rows(self.works('infer', 'store', 'texts.txt', '--from',
                                'lines', '--model', 'two'))
        self.assertEqual(stored, other)
        self.assertLess(sum(int(row['tokens']) for row in stored),
                        30 * len(stored))

    def test_no_model(self):
        self.works('ingest', 'bare', 'texts.txt', '--from', 'lines')
        self.fails(1, "kedge: the store has no model yet; make one with "
                   "'kedge fit STORE -k TOPICS'\n", 'infer', 'bare')


class Batches(Case):
    """Blocks of several batches: each is read while the one before it is
    inferred, unless topic proportions are saved."""

    EACH = 8

    def setUp(self):
        super().setUp()
        chance = random.Random(3)
        self.names = [f'part{i}.txt' for i in range(5)]
        for i, name in enumerate(self.names):
            self.write(name, ''.join(self.line(chance, i, m)
                                     for m in range(self.EACH)))
            self.works('ingest', 'store', name, '--from', 'lines', '--batch',
                       f'b{i}')
        self.works('fit', 'store', '-k', '2', '--max-df', '1')

    @staticmethod
    def line(chance, i, m):
        """Ends with m words that no other document has."""
        words = ('sail harbour anchor deck', 'oven flour butter dough')[m % 2]
        seen = [chance.choice(words.split()) for _ in range(9 + i)]
        own = [f'only{"abcde"[i]}{"abcdefgh"[m]}{"abcdefgh"[n]}'
               for n in range(m)]
        return ' '.join(seen + own) + '\n'

    def check(self, table, parts):
        self.assertEqual([row['id'] for row in table],
                         [f'part{i}.txt:{m + 1}' for i in parts
                          for m in range(self.EACH)])
        self.assertEqual([int(row['oov']) for row in table],
                         [m for _ in parts for m in range(self.EACH)])
        self.assertEqual([int(row['tokens']) for row in table],
                         [9 + i for i in parts for _ in range(self.EACH)])

    def test_they_come_in_their_order(self):
        given = rows(self.works('infer', 'store', *self.names, '--from',
                                'lines'))
        self.check(given, range(5))
        for how in (('--threads', '1'), ('--threads', '2'),
                    ('--save', '--format', 'tsv')):
            with self.subTest(how):
                self.assertEqual(rows(self.works('infer', 'store', *how)),
                                 given)

    def test_a_batch_that_left_is_passed_over(self):
        before = rows(self.works('infer', 'store'))
        for batch, left in (('b2', (0, 1, 3, 4)), ('b4', (0, 1, 3))):
            self.works('remove', 'store', '--batch', batch)
            table = rows(self.works('infer', 'store'))
            self.check(table, left)
            self.assertEqual(table, [row for row in before if
                                     int(row['id'][4]) in left])


if __name__ == '__main__':
    main()
