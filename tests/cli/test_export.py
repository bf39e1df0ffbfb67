#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_export.py PROGRAM: what export writes for other programs, read as these
read it."""
import csv
import gzip
import json
import os
import resource
import shutil
import signal
import tempfile
import unittest
import xml.etree.ElementTree as tree

import numpy
import scipy.io

from shell import EVIL, TOPICS, Case, Corpus, main

NAMESPACE = '{http://graphml.graphdrawing.org/xmlns}'
ALL = 'graphml,csv,counts,pyldavis,mallet'
FILES = {
    'graphml': {'topic_cooccurrence.graphml'},
    'csv': {'topic_cooccurrence.csv'},
    'counts': {'counts.mtx', 'documents.txt'},
    'pyldavis': {'topic_term_dists.npy', 'doc_lengths.npy',
                 'term_frequency.npy'},
    'mallet': {'mallet-keys.txt', 'mallet-topics.txt', 'mallet-state.gz'},
}
KEPT = {'doc_topics.npy', 'documents.txt'}
NAME = 'Bread, "salt" & <water>'
ESCAPES = (('\\', '\\\\'), ('\n', '\\n'), ('\r', '\\r'), (' ', '\\s'),
           ('\t', '\\t'), ('\v', '\\v'), ('\f', '\\f'))


def escape(text):
    for sign, stands in ESCAPES:
        text = text.replace(sign, stands)
    return text


def xml_text(word):
    """A word of bytes as XML can hold it."""
    return ''.join(c if c >= ' ' or c in '\t\n\r' else '\ufffd'
                   for c in word.decode('utf-8', 'replace'))


def setUpModule():
    """A store of evil words, of which one document has none that the model
    knows, with an id that would like to divide lines. Its topic
    proportions are saved, and all there is of it is in the folder out."""
    shared = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(shared.cleanup)
    maker = Case()
    Exported.shared = maker.folder = shared.name
    Exported.corpus = Corpus(200).put(maker)
    maker.works('ingest', 'store', 'docword.txt', '--vocab', 'vocab.txt')
    maker.works('fit', 'store', '-k3')
    maker.works('label', 'store', '1', NAME)
    maker.write('odd.jsonl', json.dumps(
        {'id': 'a b\n\\c\td', 'words': {'unheard': 3}}) + '\n')
    maker.works('ingest', 'store', 'odd.jsonl', '--text-field', 'words')
    maker.works('infer', 'store', '--save')
    maker.works('export', 'store', '-o', 'out', '--also', ALL)


def small_files():
    """As on a disk that is full: files end at a thousand bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


class Exported(Case):
    shared = corpus = None

    def setUp(self):
        self.folder = self.shared

    def export(self, also, folder, *arguments):
        self.works('export', 'store', '-o', folder, '--also', also, '-q',
                   *arguments)

    def load(self, name):
        return numpy.load(self.path(f'out/{name}.npy'))

    def counts(self):
        return scipy.io.mmread(self.path('out/counts.mtx')).tocsr()

    def words(self):
        return self.read('out/vocab.txt').split(b'\n')[:-1]

    def shown(self):
        """Documents as cat has them, counts by words of the model."""
        place = {word.decode('utf-8', 'replace'): i
                 for i, word in enumerate(sorted(self.corpus.words))}
        found, ids = [], []
        for line in self.works('cat', 'store').splitlines():
            document = json.loads(line)
            ids.append(document['id'])
            row = numpy.zeros(len(place), dtype=int)
            for word, tally in document['words'].items():
                if word in place:
                    row[place[word]] = tally
            found.append(row)
        return ids, numpy.array(found)


class Files(Exported):
    def test_each_has_its_own(self):
        self.works('export', 'store', '-o', 'plain', '-q')
        plain = set(os.listdir(self.path('plain')))
        self.assertLessEqual(KEPT, plain)
        for name, files in FILES.items():
            self.export(name, 'one')
            self.assertEqual(set(os.listdir(self.path('one'))), plain | files)
        self.works('export', 'store', '-o', 'one', '-q')
        self.assertEqual(set(os.listdir(self.path('one'))), plain)

    def test_the_folder_of_somebody(self):
        os.makedirs(self.path('own'))
        self.write('own/.hidden', '')
        self.write('own/letters.txt', 'mine')
        self.fails(2, 'kedge: "own" contains "letters.txt", which no export '
                   'wrote; name another directory, or an empty one\n',
                   'export', 'store', '-o', 'own', '-q')
        self.assertEqual(len(os.listdir(self.path('own'))), 2)
        self.fails(2, 'kedge: own/letters.txt is a file; an export is a '
                   'directory: name another\n', 'export', 'store', '-o',
                   'own/letters.txt', '-q')
        self.fails(1, 'kedge: no/where: cannot make the directory: No such '
                   'file or directory\n', 'export', 'store', '-o', 'no/where', '-q')
        os.remove(self.path('own/letters.txt'))
        self.works('export', 'store', '-o', 'own', '-q')
        self.write('own/letters.txt', 'mine')
        self.works('export', 'store', '-o', 'own', '-q')
        self.assertEqual(self.read('own/letters.txt'), b'mine')

    def test_a_folder_that_has_not_all_of_it(self):
        said = self.kedge('export', 'store', '-o', 'part', '-q',
                          preexec_fn=small_files)
        self.assertEqual(said.returncode, 1)
        self.assertRegex(said.stderr.decode(), r'cannot write.*; the '
                         'directory lacks files: run it again\n$')

    def test_model_json_tells_what_is_there(self):
        model = json.loads(self.read('out/model.json'))
        there = set(os.listdir(self.path('out')))
        told = set(model['arrays']) | set(model['files'])
        self.assertLessEqual(told, there)
        self.assertEqual(there - told, {'model.json', 'vocab.txt',
                                        'anchors.txt', 'documents.txt'})
        self.export('counts', 'told')
        model = json.loads(self.read('told/model.json'))
        self.assertNotIn('files', model)
        self.assertEqual(told - set(model['arrays']),
                         set().union(*FILES.values()) - KEPT - {'counts.mtx'})

    def test_threads_change_nothing(self):
        self.export(ALL, 'twice', '--threads', '1')
        for name in os.listdir(self.path('out')):
            self.assertEqual(self.read(f'out/{name}'),
                             self.read(f'twice/{name}'), name)


class Alone(Case):
    """Where topic proportions are not kept, or no longer of all documents."""

    def test_what_needs_compositions(self):
        Corpus(200).put(self)
        self.works('ingest', 'store', 'docword.txt', '--vocab', 'vocab.txt')
        self.works('fit', 'store', '-k3')
        for name in 'pyldavis', 'mallet':
            self.fails(1, 'kedge: no topic proportions are saved with model "k3"; '
                       "'kedge infer STORE --save --model k3' saves them\n",
                       'export', 'store', '-o', 'out', '--also', name)
        self.works('export', 'store', '-o', 'counts', '--also', 'counts')
        self.assertIn('documents.txt', os.listdir(self.path('counts')))
        self.works('export', 'store', '-o', 'counts')
        self.assertFalse({'documents.txt', 'counts.mtx'} &
                         set(os.listdir(self.path('counts'))))
        result = self.kedge('export', 'store', '-o', 'small', '--also',
                            'counts', '--memory', '60M')
        self.assertEqual((result.returncode, result.stdout), (4, b''))
        self.assertRegex(result.stderr.decode(), r'exporting documents .*MiB')
        self.assertNotIn('counts.mtx', os.listdir(self.path('small')))
        self.works('infer', 'store', '--save')
        self.works('remove', 'store', 'docword.txt:7')
        self.fails(2, 'kedge: the topic proportions saved with model "k3" '
                   'do not cover all documents of the store: \'kedge infer '
                   "STORE --save --model k3' saves new ones\n", 'export',
                   'store', '-o', 'out', '--also', 'csv,mallet', '-q')
        self.assertFalse(os.path.exists(self.path('out')))

    def test_counts_of_phrases(self):
        self.write('few.jsonl', ''.join(json.dumps(
            {'id': f'd{i}', 'text': f'{side} of the old harbour light a {tide} '
             f'tide and {side} wind come {tide} and {side}'}) + '\n'
            for i in range(40) for side in ('east', 'west')[i % 2:][:1]
            for tide in ('high', 'low', 'slack')[i % 3:][:1]))
        self.works('ingest', 'few', 'few.jsonl')
        self.works('fit', 'few', '-k', '2', '--phrases', '2', '--phrase-df',
                   '5', '--max-df', '1', '--min-df', '1')
        self.works('export', 'few', '-o', 'out', '--also', 'counts')
        words = self.read('out/vocab.txt').decode().split('\n')[:-1]
        phrases = [i for i, word in enumerate(words) if '_' in word]
        self.assertTrue(phrases, words)
        counts = scipy.io.mmread(self.path('out/counts.mtx')).tocsc()
        self.assertEqual(counts.shape, (40, len(words)))
        for i in phrases:
            self.assertGreater(counts[:, i].sum(), 0, words[i])

    def test_evil_words_in_the_graph(self):
        """Each of them is an anchor, in its turn."""
        Corpus(200).put(self)
        self.works('ingest', 'store', 'docword.txt', '--vocab', 'vocab.txt')
        for i in range(0, len(EVIL), TOPICS):
            anchors = EVIL[i:i + TOPICS]
            self.write('anchors.txt', b''.join(w + b'\n' for w in anchors))
            self.works('fit', 'store', '-k', str(TOPICS), '--anchors',
                       'anchors.txt', '--model', 'evil')
            self.works('export', 'store', '-o', 'evil', '--also', 'graphml')
            graph = tree.fromstring(
                self.read('evil/topic_cooccurrence.graphml'))
            self.assertEqual({d.text for d in graph.iter(NAMESPACE + 'data')
                              if d.get('key') == 'anchor'},
                             {xml_text(word) for word in anchors})


class Cooccurrence(Exported):
    def setUp(self):
        super().setUp()
        self.a = self.load('topic_cooccurrence')

    def test_graph(self):
        graph = tree.fromstring(self.read('out/topic_cooccurrence.graphml'))
        kinds = {key.get('id'): (key.get('for'), key.get('attr.name'))
                 for key in graph.iter(NAMESPACE + 'key')}
        topics = self.works_json('topics', 'store', '--format', 'json')
        nodes = list(graph.iter(NAMESPACE + 'node'))
        self.assertEqual(len(nodes), TOPICS)
        for node, topic in zip(nodes, topics['topics']):
            data = {kinds[d.get('key')]: d.text for d in node}
            self.assertEqual(int(data['node', 'number']), topic['topic'])
            self.assertEqual(data.get(('node', 'label'), ''), topic['label'])
            self.assertEqual(float(data['node', 'prevalence']),
                             topic['prevalence'])
        self.assertEqual(topics['topics'][0]['label'], NAME)
        edges = {}
        for edge in graph.iter(NAMESPACE + 'edge'):
            pair = tuple(int(edge.get(end)[1:]) - 1
                         for end in ('source', 'target'))
            edges[pair] = {kinds[d.get('key')][1]: float(d.text)
                           for d in edge}
        self.check_edges(edges)

    def check_edges(self, edges):
        share = self.a.sum(axis=0) / self.a.sum()
        lift = self.a / self.a.sum() / numpy.outer(share, share)
        self.assertEqual(set(edges), {(k, l) for k in range(TOPICS)
                                      for l in range(k + 1, TOPICS)
                                      if lift[k, l] > 1})
        for pair, data in edges.items():
            self.assertEqual(data['weight'], self.a[pair])
            self.assertAlmostEqual(data['lift'], lift[pair], 12)

    def test_formulas(self):
        """Names that a spreadsheet would run are text to it."""
        shutil.copytree(self.path('store'), self.path('sheet'))
        names = ['=HYPERLINK("http://a/","b")', '+1', '@SUM(1)']
        for number, name in enumerate(names, 1):
            self.works('label', 'sheet', str(number), name)
        self.works('export', 'sheet', '-o', 'sheets', '--also', 'csv')
        with open(self.path('sheets/topic_cooccurrence.csv'), newline='',
                  encoding='utf-8') as file:
            rows = list(csv.reader(file, strict=True))
        self.assertEqual(rows[0][1:4], ["'" + name for name in names])
        self.assertEqual([row[0] for row in rows[1:4]], rows[0][1:4])
        told = self.works('topics', 'sheet', '--format', 'tsv', '-n', '1')
        self.assertEqual(told.split('\n')[1].split('\t')[2], names[0])

    def test_table(self):
        with open(self.path('out/topic_cooccurrence.csv'), newline='',
                  encoding='utf-8') as file:
            rows = list(csv.reader(file, strict=True))
        names = [NAME] + [str(k) for k in range(2, TOPICS + 1)]
        self.assertEqual(rows[0], ['topic'] + names)
        self.assertEqual([row[0] for row in rows[1:]], names)
        self.assertEqual([[float(x) for x in row[1:]] for row in rows[1:]],
                         self.a.tolist())


class Documents(Exported):
    def test_counts(self):
        ids, expected = self.shown()
        counts = self.counts()
        self.assertEqual(counts.dtype.kind, 'i')
        self.assertEqual(counts.shape, expected.shape)
        self.assertTrue((counts.toarray() == expected).all())
        self.assertEqual(counts[-1].nnz, 0)
        self.assertEqual(self.read('out/documents.txt').decode().split('\n'),
                         ids[:-1] + ['a b\\n\\\\c\td', ''])

    def test_counts_are_read_again(self):
        self.works('ingest', 'again', 'out/counts.mtx', '--vocab',
                   'out/vocab.txt')
        info = self.works_json('info', 'again', '--format', 'json')
        self.assertEqual(info['tokens'], self.corpus.tokens)
        self.assertEqual(info['nonzeros'], self.corpus.nonzeros)

    def test_pyldavis(self):
        topics, shares = self.load('topic_term_dists'), self.load(
            'doc_topics')
        lengths, frequency = self.load('doc_lengths'), self.load(
            'term_frequency')
        self.assertEqual(topics.shape, (shares.shape[1], len(self.words())))
        self.assertEqual((lengths.shape, frequency.shape),
                         ((shares.shape[0],), (topics.shape[1],)))
        for rows in topics, shares:
            self.assertTrue((abs(rows.sum(axis=1) - 1) < 0.001).all())
        for array in topics, shares, lengths, frequency:
            self.assertTrue(numpy.isfinite(array).all())
            self.assertTrue((array >= 0).all())
        self.assertTrue((topics == self.load('topics').T).all())
        counts = self.counts()
        self.assertEqual(lengths.tolist(), counts.sum(axis=1).A1.tolist())
        self.assertEqual(frequency.tolist(), counts.sum(axis=0).A1.tolist())
        self.assertEqual((lengths[-1], frequency.min() > 0), (0, True))


class Mallet(Exported):
    def setUp(self):
        super().setUp()
        self.named = [escape(word.decode('utf-8', 'replace'))
                      for word in self.words()]
        self.ids = [escape(name) for name in self.shown()[0]]

    def lines(self, name):
        text = self.read(f'out/{name}')
        if name.endswith('.gz'):
            self.assertEqual(text[3:8], bytes(5))  # no name and no time
            text = gzip.decompress(text)
        return text.decode('utf-8', 'replace').split('\n')[:-1]

    def test_keys(self):
        b, topics = self.load('topics'), self.works_json(
            'topics', 'store', '--format', 'json')['topics']
        lines = self.lines('mallet-keys.txt')
        self.assertEqual(len(lines), TOPICS)
        for k, line in enumerate(lines):
            number, alpha, words = line.split('\t')
            self.assertEqual(int(number), k)
            self.assertEqual(float(alpha),
                             topics[k]['alpha'] or topics[k]['prevalence'])
            first = numpy.argsort(-b[:, k], kind='stable')[:20]
            self.assertEqual(words.split(' '), [self.named[i] for i in first])

    def test_topics(self):
        shares = self.load('doc_topics')
        lines = self.lines('mallet-topics.txt')
        self.assertEqual(len(lines), len(shares))
        for m, line in enumerate(lines):
            number, name, *row = line.split('\t')
            self.assertEqual((int(number), name), (m, self.ids[m]))
            self.assertEqual([float(x) for x in row], shares[m].tolist())

    def test_state(self):
        head, alpha, beta, *lines = self.lines('mallet-state.gz')
        self.assertEqual(head, '#doc source pos typeindex type topic')
        keys = [line.split('\t')[1] for line in self.lines('mallet-keys.txt')]
        self.assertEqual(alpha.split(' '), ['#alpha', ':', *keys, ''])
        self.assertEqual(beta, '#beta : 0.01')
        given, place = {}, {}
        for line in lines:
            document, source, position, row, word, topic = line.split(' ')
            m, i = int(document), int(row)
            self.assertEqual((source, word), (self.ids[m], self.named[i]))
            self.assertEqual(int(position), place.setdefault(m, 0))
            place[m] += 1
            tally = given.setdefault((m, i), [0] * TOPICS)
            tally[int(topic)] += 1
        self.check_given(given)

    def check_given(self, given):
        """Sums are the counts; parts are by largest remainder."""
        counts, b, w = self.counts(), self.load('topics'), self.load(
            'doc_topics').astype(float)
        self.assertEqual({pair: sum(tally) for pair, tally in given.items()},
                         dict(counts.todok()))
        several = 0
        for (m, i), tally in given.items():
            weight = b[i] * w[m]
            if weight.sum() == 0:
                weight = w[m]
            part = sum(tally) * (weight / weight.sum())
            whole = numpy.floor(part).astype(int)
            order = numpy.argsort(whole - part, kind='stable')
            whole[order[:sum(tally) - whole.sum()]] += 1
            self.assertEqual(tally, whole.tolist(), (m, i, part))
            several += (whole > 0).sum() > 1
        self.assertGreater(several, 10)


if __name__ == '__main__':
    main()
