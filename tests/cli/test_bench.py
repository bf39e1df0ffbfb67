#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_bench.py PROGRAM: corpora that are made up, what topics they have, and
how costs grow."""
import collections
import math
import os
import re
import signal
import time

from shell import PROGRAM, Case, main

SMALL = ('--vocabulary', '3000', '-k', '12', '-d', '2000')
STAGES = 'corpus ingest fit spectrum rectify topics infer'.split()
PARTS = {'spectrum', 'rectify', 'topics'}
RUN = {'documents', 'vocabulary', 'topics', 'width', 'threads', 'tokens',
       'nonzeros', 'words', 'rounds', 'store', 'stages'}


def homes(word):
    """The planted topics of a word."""
    return re.findall(r't(\d+)', word)


class Corpus(Case):
    def corpus(self, *arguments):
        return self.works('bench', 'corpus', *arguments)

    def test_same_again_and_parts_are_a_whole(self):
        whole = self.corpus(*SMALL)
        self.assertEqual(whole.count('\n'), 2000)
        self.assertEqual(self.corpus(*SMALL, '-o', 'file'), '')
        self.assertEqual(self.read('file').decode(), whole)
        parts = [self.corpus(*SMALL, '-d', str(count), '--first', str(first))
                 for first, count in ((1, 700), (701, 1), (702, 1299))]
        self.assertEqual(''.join(parts), whole)
        self.assertNotEqual(self.corpus(*SMALL, '--seed', '2'), whole)
        self.assertEqual(self.corpus(*SMALL, '-d', '10').splitlines(),
                         whole.splitlines()[:10])

    def test_words(self):
        words = self.corpus(*SMALL, '--words').splitlines()
        self.assertEqual(len(words), 3000)
        self.assertEqual({int(w.split('w')[1]) for w in words},
                         set(range(1, 3001)))
        topics = collections.Counter(t for w in words for t in homes(w))
        self.assertEqual(set(topics), {str(t) for t in range(1, 13)})
        self.assertGreater(min(topics.values()), 40)

    def test_shapes(self):
        """Tokens and different words of a document, as the help says."""
        for shape, tokens, words in (('nytimes', 332, 232), ('pubmed', 90, 59)):
            lines = self.corpus('--shape', shape, '-d', '4000').splitlines()
            count = sum(int(n) for line in lines
                        for n in re.findall(r':(\d+)', line))
            self.assertAlmostEqual(count / 4000 / tokens, 1, delta=0.03)
            entries = sum(int(line.split()[0]) for line in lines)
            self.assertAlmostEqual(entries / 4000 / words, 1, delta=0.03)
        lines = self.corpus(*SMALL, '--tokens', '20').splitlines()
        count = sum(int(n) for line in lines
                    for n in re.findall(r':(\d+)', line))
        self.assertAlmostEqual(count / 2000 / 20, 1, delta=0.05)

    def test_planted_topics_are_found(self):
        """Each topic's first words are of one that was planted, and no two of
        the same."""
        self.write('words', self.corpus(*SMALL, '--words'))
        self.works('ingest', 'store', '-', '--from', 'ldac', '--vocab',
                   'words', input=self.corpus(*SMALL, '-d', '4000').encode())
        self.works('fit', 'store', '-k', '12')
        found = set()
        for topic in self.works_json('topics', 'store', '-n', '10', '--format',
                                     'json')['topics']:
            count = collections.Counter(t for w in topic['words']
                                        for t in homes(w['word']))
            name, times = count.most_common(1)[0]
            self.assertGreaterEqual(times, 9, topic)
            found.add(name)
        self.assertEqual(len(found), 12)

    def test_a_reader_that_leaves_is_no_failure(self):
        with self.start('bench', 'corpus', '-d', '100000000') as process:
            self.assertEqual(len(process.stdout.read(100000)), 100000)
            process.stdout.close()
            self.assertEqual(process.stderr.read(), b'')
            self.assertEqual(process.wait(20), 0)

    def test_stopped(self):
        with self.start('bench', 'corpus', '-d', '100000000') as process:
            process.stdout.read(100000)
            process.send_signal(signal.SIGINT)
            process.stdout.read()
            self.assertEqual(process.stderr.read(), b'kedge: stopped\n')
            self.assertEqual(process.wait(20), 130)

    def test_a_full_disk(self):
        for more in ((), ('--words',), ('-d', '1')):
            self.fails(1, 'kedge: /dev/full: No space left on device\n',
                       'bench', 'corpus', *SMALL, '-o', '/dev/full', *more)


class Usage(Case):
    def refused(self, text, *arguments):
        self.fails(2, f"kedge: {text}\nTry 'kedge bench --help'.\n", 'bench',
                   *arguments)

    def test_usage(self):
        self.refused('bench needs corpus|scale')
        self.refused("bench takes corpus or scale: what is 'x'?", 'x')
        self.refused("--axis is for 'kedge bench scale'", 'corpus', '--axis',
                     'topics')
        self.refused("--words is for 'kedge bench corpus'", 'scale', '--words')
        self.refused("--axis: 'x' is not one of documents|vocabulary|topics|"
                     'width|threads', 'scale', '--axis', 'x')
        for wrong in (('--values', '5,3'), ('--most', '10')):
            self.refused('sizes must rise, as in --values 1000,2000,4000, and '
                         '--most be no less than the first', 'scale', *wrong)
        self.fails(2, 'kedge: 100 words: 32 for each of the 100 topics or '
                   'more are possible, up to 16777216\n', 'bench', 'corpus',
                   '--vocabulary', '100')


def exponent(x, y):
    x, y = [math.log(v) for v in x], [math.log(v) for v in y]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return (sum((a - mx) * (b - my) for a, b in zip(x, y)) /
            sum((a - mx) ** 2 for a in x))


class Scale(Case):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path('here'))

    def tearDown(self):
        self.assertEqual(os.listdir(self.path('here')), [])

    def scale(self, *arguments):
        return ('bench', 'scale', '--folder', 'here', '--vocabulary', '1000',
                '-k', '4', '--sketch', '128', *arguments)

    def check_run(self, run):
        self.assertEqual(set(run), RUN)
        self.assertEqual([s['stage'] for s in run['stages']], STAGES)
        for s in run['stages']:
            self.assertGreater(s['seconds'], 0)
            if s['stage'] in PARTS:
                self.assertEqual(set(s), {'stage', 'seconds'})
            else:
                self.assertGreater(s['processor'], 0)
                self.assertGreater(s['memory'], 1 << 20)
        self.assertGreater(run['tokens'], 200 * run['documents'])
        self.assertLess(run['nonzeros'], run['tokens'])
        self.assertLessEqual(run['words'], run['vocabulary'])
        self.assertIn(run['rounds'], range(1, 6))
        self.assertGreater(run['words'], 0.9 * run['vocabulary'])
        self.assertGreater(run['store'], run['nonzeros'] / 2)

    def check_growth(self, told, axis):
        """Exponents are those of what was measured."""
        for g in told['growth']:
            fitted = g['stage'] not in ('corpus', 'ingest', 'all')
            of = 'words' if axis == 'vocabulary' and fitted else axis
            x = [run[of] for run in told['runs']]
            if g['stage'] == 'all':
                y = [run['store'] for run in told['runs']]
            else:
                place = STAGES.index(g['stage'])
                y = [run['stages'][place][g['quantity']]
                     for run in told['runs']]
            self.assertAlmostEqual(g['exponent'], exponent(x, y), places=6)
            self.assertAlmostEqual(g['exponent_of_largest'],
                                   exponent(x[-2:], y[-2:]), places=6)
            self.assertLessEqual(g['foretold_least'], g['foretold_most'])

    def test_documents(self):
        told = self.works_json(*self.scale('--values', '500,1000,4000',
                                           '--format', 'json', '-q'))
        self.assertEqual((told['bench_scale'], told['axis']),
                         (1, 'documents'))
        self.assertEqual([r['documents'] for r in told['runs']],
                         [500, 1000, 4000])
        for run in told['runs']:
            self.check_run(run)
            self.assertEqual((run['vocabulary'], run['topics'], run['width']),
                             (1000, 4, 128))
        self.check_growth(told, 'documents')
        grown = {(g['stage'], g['quantity']): g for g in told['growth']}
        self.assertEqual(len(grown), 15)
        self.assertEqual(grown['ingest', 'seconds']['foretold_most'], 1)
        self.assertEqual(grown['ingest', 'memory']['foretold_most'], 0)
        self.assertLess(grown['fit', 'memory']['exponent'], 0.3)

    def test_other_axes(self):
        for axis, values in (('vocabulary', [600, 900]), ('topics', [3, 5]),
                             ('width', [64, 96]), ('threads', [1, 2])):
            told = self.works_json(*self.scale(
                '--axis', axis, '--values', ','.join(map(str, values)), '-d',
                '400', '--format', 'json', '-q'))
            self.assertEqual([r[axis] for r in told['runs']], values)
            self.check_growth(told, axis)

    def test_table(self):
        result = self.kedge(*self.scale('--values', '300,600', '--shape',
                                        'pubmed', '--tokens', '30'))
        self.assertEqual(result.returncode, 0, result.stderr)
        text = result.stdout.decode()
        self.assertRegex(text, r'^The largest: 600 documents with 1[78],\d{3} '
                         r'tokens and ')
        for title in ('seconds; ', 'their shares\n', 'seconds of all ',
                      'memory at its peak'):
            self.assertIn('\n' + title, text)
        self.assertRegex(text, r'(?m)^  ingest +seconds( +-?\d+\.\d\d){2} +1$')
        self.assertRegex(text, r'(?m)^  all +store .* 0 to 1$')
        self.assertRegex(result.stderr.decode(), r'^kedge: documents 300: '
                         r'ingest \d+\.\d s, fit .*\nkedge: documents 600: .*'
                         r'\n$')

    def test_one_size_has_no_exponent(self):
        told = self.works_json(*self.scale('--values', '300', '--format',
                                           'json', '-q'))
        self.assertEqual({g['exponent'] for g in told['growth']}, {None})

    def test_a_stage_that_fails(self):
        result = self.kedge(*self.scale('--values', '300', '-k', '20',
                                        '--sketch', '16'))
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout, b'')
        self.assertIn(b'kedge: fit ended with 2 at documents 300\n',
                      result.stderr)
        result = self.kedge(*self.scale('--values', '300', '--memory', '20M'))
        self.assertEqual(result.returncode, 4)
        self.assertIn(b'kedge: ingest ended with 4 at documents 300\n',
                      result.stderr)

    def test_no_folder(self):
        self.fails(1, 'kedge: nowhere: No such file or directory\n', 'bench',
                   'scale', '--folder', 'nowhere')

    def running(self):
        """Command lines of programs that work within the folder."""
        lines = []
        for process in filter(str.isdigit, os.listdir('/proc')):
            try:
                with open(f'/proc/{process}/cmdline', 'rb') as file:
                    lines.append(os.fsdecode(file.read()))
            except OSError:
                pass  # it has ended
        return [line for line in lines
                if self.folder in line and PROGRAM not in line]

    def test_stopped(self):
        """Nothing stays: no file, no process."""
        with self.start(*self.scale('--values', '1000000', '--folder',
                                    self.path('here'))) as process:
            deadline = time.monotonic() + 30
            while not self.running() and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertEqual(len(os.listdir(self.path('here'))), 1)
            time.sleep(0.3)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(20), 130)
            self.assertEqual(process.stderr.read(), b'kedge: stopped\n')
        self.assertEqual(self.running(), [])


if __name__ == '__main__':
    main()
