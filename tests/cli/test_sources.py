#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_sources.py PROGRAM: one corpus by many ways gives one result."""
import os

from shell import Case, Corpus, main

EXPORTED = {'vocab.txt', 'topics.npy', 'correlations.npy', 'anchors.txt',
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
        for line in (r'documents added +400 +in [\d.]+ s, [\d,]+ a second',
                     r'words +120 ', r'tokens +24,000',
                     rf'non-zeros +{self.corpus.nonzeros:,} ',
                     r'read +[\d.]+ kB +[\d.]+ kB when decompressed',
                     r'sketch width +[\d,]+',
                     r'memory +[\d.]+ MiB +peak; planned [\d.]+ MiB of 2\.0'):
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


if __name__ == '__main__':
    main()
