#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_eval.py PROGRAM: measures of models are what a naive twin finds in the
documents, and a sweep over numbers of topics is fits and measures in one."""
import ast
import json
import math
import os
import shlex
import struct

from shell import Case, Corpus, FittedCase, main

MEASURES = 30
MODEL = ('--model', 'plain')


def load(path):
    """A matrix of float64, as rows."""
    with open(path, 'rb') as file:
        data = file.read()
    size = struct.unpack('<H', data[8:10])[0]
    head = ast.literal_eval(data[10:10 + size].decode())
    shape = head['shape']
    flat = struct.unpack(f'<{math.prod(shape)}d', data[10 + size:])
    if len(shape) == 1:
        return list(flat)
    assert not head['fortran_order']
    return [list(flat[i * shape[1]:(i + 1) * shape[1]])
            for i in range(shape[0])]


class Twin:
    """A model as it was exported, and the corpus by its words."""

    def __init__(self, case, corpus):
        case.works('export', 'store', *MODEL, '-o', 'model')
        words = case.read('model/vocab.txt').split(b'\n')[:-1]
        row = {word: i for i, word in enumerate(words)}
        self.documents = [{} for _ in range(corpus.documents)]
        for line in corpus.lines:
            number, word, count = map(int, line.split())
            self.documents[number - 1][row[corpus.words[word - 1]]] = count
        self.b = load(case.path('model/topics.npy'))
        self.a = load(case.path('model/topic_cooccurrence.npy'))
        self.rows, self.topics = len(self.b), len(self.a)

    def first(self, topic, count):
        return sorted(range(self.rows),
                      key=lambda i: (-self.b[i][topic], i))[:count]

    def relevant(self, topic, count):
        """By p(word | topic)^1.2 p(topic | word)^.8."""
        share = [sum(row) for row in self.a]
        def relevance(i):
            joint = [b * s for b, s in zip(self.b[i], share)]
            return (self.b[i][topic] ** 1.2
                    * (joint[topic] / (sum(joint) or 1)) ** 0.8)
        return sorted(range(self.rows), key=lambda i: -relevance(i))[:count]

    def both(self, i, j):
        return sum(i in d and j in d for d in self.documents)

    def umass(self, words):
        return sum(math.log((self.both(i, j) + 0.01) / self.both(j, j))
                   for i in words for j in words if i != j)

    def npmi(self, words):
        values, m = [], len(self.documents)
        for i in words:
            for j in words:
                if i < j:
                    p = self.both(i, j) / m
                    q = self.both(i, i) * self.both(j, j) / m ** 2
                    values.append(math.log(p / q) / -math.log(p) if p else -1)
        return sum(values) / len(values)

    def mean(self, value, count):
        return sum(value(self.first(k, count))
                   for k in range(self.topics)) / self.topics

    def co_occurrence(self):
        c = [[0.0] * self.rows for _ in range(self.rows)]
        for d in self.documents:
            n = sum(d.values())
            for i, x in d.items():
                for j, y in d.items():
                    c[i][j] += x * (y - (i == j)) / (n * (n - 1))
        return [[x / len(self.documents) for x in row] for row in c]

    def errors(self):
        """|C - B A B'| and |C|, and the mean divergence from C's row sums."""
        c = self.co_occurrence()
        ba = [[sum(b[l] * self.a[l][k] for l in range(self.topics))
               for k in range(self.topics)] for b in self.b]
        squares = sum((c[i][j] - sum(x * y for x, y in
                                     zip(ba[i], self.b[j]))) ** 2
                      for i in range(self.rows) for j in range(self.rows))
        norm = sum(x * x for row in c for x in row)
        sums = list(map(sum, c))
        divergence = sum(p * math.log(p / u) for b, u in zip(self.b, sums)
                         for p in b if p > 0)
        return squares ** 0.5, norm ** 0.5, divergence / self.topics


class EvalTest(FittedCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        maker = Case()
        maker.folder = cls.shared.name
        maker.works('fit', 'store', '-k', '3', '--tf', 'raw',
                    '--term-weight', 'none', *MODEL)
        cls.twin = Twin(maker, cls.corpus)

    def measures(self, *arguments):
        found = self.works_json('eval', 'store', '--format', 'json',
                                *arguments)
        return [model['measures'] for model in found['models']]

    def test_words_and_topics_are_the_twins(self):
        twin = self.twin
        found = self.measures(*MODEL, '--top', '15', '--rank',
                              'probability')[0]
        tops = [set(twin.first(k, 15)) for k in range(3)]
        self.assertAlmostEqual(found['umass'],
                               twin.mean(twin.umass, 15), 7)
        self.assertAlmostEqual(found['npmi'], twin.mean(twin.npmi, 10), 7)
        self.assertEqual(found['topic_diversity'],
                         len(tops[0] | tops[1] | tops[2]) / 45)
        self.assertEqual(found['similarity_count'],
                         len(tops[0] & tops[1]) + len(tops[0] & tops[2])
                         + len(tops[1] & tops[2]))
        alone = sum(sum(w not in t for t in tops) == 2
                    for top in tops for w in top)
        self.assertAlmostEqual(found['dissimilarity'], alone / 3, 9)
        root = math.sqrt(twin.rows)
        columns = list(zip(*twin.b))
        self.assertAlmostEqual(found['sparsity'], sum(
            (root - sum(x) / math.sqrt(sum(v * v for v in x))) / (root - 1)
            for x in columns) / 3, 9)
        norm = math.sqrt(sum(x * x for row in twin.a for x in row))
        trace = sum(twin.a[k][k] for k in range(3)) / 3
        self.assertAlmostEqual(found['dominancy'], trace, 9)
        self.assertAlmostEqual(found['relative_dominancy'], trace / norm, 9)
        self.assertAlmostEqual(found['topic_cooccurrence_sum'],
                               sum(map(sum, twin.a)), 9)

    def test_words_are_ranked_by_relevance(self):
        found = self.measures(*MODEL)[0]
        lists = [self.twin.relevant(k, 20) for k in range(3)]
        self.assertAlmostEqual(found['umass'],
                               sum(map(self.twin.umass, lists)) / 3, 7)
        probable = self.measures(*MODEL, '--rank', 'probability')[0]
        self.assertNotEqual(found['umass'], probable['umass'])
        self.assertIn('words ranked by        relevance',
                      self.works('eval', 'store', *MODEL))

    def test_statistics_are_the_twins(self):
        error, norm, divergence = self.twin.errors()
        found = self.measures(*MODEL, '--probes', '1024')[0]
        spread = 5 * found['relative_error_spread']
        self.assertTrue(0 < spread < 0.1)
        self.assertAlmostEqual(found['relative_error'], error / norm,
                               delta=spread)
        self.assertAlmostEqual(found['approximation_error'], error,
                               delta=spread * norm)
        self.assertAlmostEqual(found['specificity'], divergence, 5)

    def test_formats_say_the_same(self):
        found = self.measures('--model', 'k2,k3')
        self.assertEqual(len(found[0]), MEASURES)
        lines = self.works('eval', 'store', '--model', 'k2,k3', '--format',
                           'tsv').split('\n')
        self.assertEqual(lines[0], 'measure\tbetter\tk2\tk3')
        self.assertEqual(len(lines), MEASURES + 2)
        for line in lines[1:-1]:
            name, better, *values = line.split('\t')
            self.assertIn(better, ('-1', '0', '1'))
            for value, measures in zip(values, found):
                self.assertEqual(float(value) if value else None,
                                 measures[name])
        text = self.works('eval', 'store', '--model', 'k2,k3')
        for name in found[0]:
            self.assertIn(f'  {name} ', text)

    def test_what_c_is_is_told(self):
        text = self.works('eval', 'store', *MODEL)
        self.assertRegex(text, r'(?m)^  tf +raw  of C, without term '
                         r'weights\n  documents +400\n    counted +400 ')
        self.assertNotIn('something else', text)
        text = self.works('eval', 'store', *MODEL, '--tf', 'log')
        self.assertRegex(text, r'(?m)^  tf +log  of C')
        self.assertIn('Fitted to something else: plain\n', text)
        found = self.works_json('eval', 'store', *MODEL, '--tf',
                                'sqrt', '--format', 'json')['models'][0]
        self.assertEqual((found['tf'], found['of_model']),
                         ('sqrt', False))

    def test_threads_leave_no_trace(self):
        said = {self.works('eval', 'store', '--format', 'json', '--threads',
                           threads) for threads in '123'}
        self.assertEqual(len(said), 1)

    def test_the_model_fitted_last_is_usual(self):
        self.assertEqual(self.measures(), self.measures(*MODEL))

    def test_explain_needs_no_store(self):
        found = self.works_json('eval', '--explain', '--format', 'json')
        names = [m['measure'] for m in found['measures']]
        self.assertEqual(names, list(self.measures(*MODEL)[0]))
        text = self.works('eval', '--explain')
        for name in names:
            self.assertIn(f'\n  {name}', text)
        self.assertIn('Frobenius', text)

    def test_labels_of_a_file(self):
        self.write('classes', 'a\nb\n' * 200)
        found = self.works_json('eval', 'store', *MODEL, '--labels',
                                'classes', '--format', 'json')['models'][0]
        self.assertEqual((found['labelled'], found['classes']), (400, 2))
        self.assertTrue(0.5 <= found['measures']['clustering_accuracy'] < 0.7)
        self.assertLess(found['measures']['nmi'], 0.1)
        self.write('short', 'a\nb\n')
        self.fails(1, 'kedge: "short" has 2 lines, and the store 400 documents: '
                      'expected a class for each, or an id, a tab and a '
                      'class\n', 'eval', 'store', '--labels', 'short', '-q')

    def test_none_completed_is_told(self):
        result = self.kedge('eval', 'store', *MODEL, '--completion', '1e-9')
        self.assertEqual(result.returncode, 0)
        self.assertIn(b'document completion drew none of the 400 documents',
                      result.stderr)

    def test_what_is_wrong_is_told(self):
        hint = "Try 'kedge eval --help'.\n"
        self.fails(2, 'kedge: eval needs STORE\n' + hint, 'eval')
        self.fails(1, 'kedge: the store has no model "none"; its models: k2, '
                   'k3, plain\n', 'eval', 'store', '--model', 'none',
                   '-q')
        self.fails(1, 'kedge: /dev/null:1: the file is empty: expected a '
                      'class per line, or an id, a tab and a class\n', 'eval',
                   'store', '--labels', '/dev/null', '-q')
        self.fails(2, 'kedge: --completion: 2 is not within 0 to 1\n' + hint,
                   'eval', 'store', '--completion', '2', '-q')
        self.fails(2, 'kedge: --probes: 100 is not a multiple of 64\n' + hint,
                   'eval', 'store', '--probes', '100', '-q')
        self.fails(2, "kedge: --model: 'k2' is named twice\n" + hint, 'eval',
                   'store', '--model', 'k2,k3,k2', '-q')
        self.fails(2, 'kedge: --model: an empty name is no name\n' + hint,
                   'eval', 'store', '--model', 'k2,', '-q')
        self.fails(2, 'kedge: "a,b" cannot name a model: commas '
                   'separate names (kedge eval --model)\n', 'fit', 'store',
                   '-k', '2', '--model', 'a,b', '-q')
        result = self.kedge('eval', 'store', '--memory', '10M')
        self.assertEqual(result.returncode, 4, result.stderr)


def texts(count):
    """So many documents of each of three kinds."""
    words = {'sea': 'ship wave tide sail harbour', 'sky': 'cloud wind storm '
             'rain bird', 'land': 'tree stone hill field road'}
    return ''.join(json.dumps({
        'id': f'{label}{i}', 'label': label, 'text': ' '.join(
            text.split()[(i + j) % 5] for j in range(4)) + ' ' +
        text.split()[i % 3]}) + '\n'
        for i in range(count) for label, text in words.items())


class SmallTest(Case):

    def test_a_store_of_one_document(self):
        self.write('t.jsonl', texts(60))
        self.works('ingest', 'store', 't.jsonl')
        self.works('fit', 'store', '-k', '3')
        self.write('others', ''.join(f'sea{i}\nsky{i}\nland{i}\n'
                                     for i in range(60))[len('sea0\n'):])
        self.works('remove', 'store', '--ids', 'others')
        found = self.works_json('eval', 'store', '--format', 'json',
                                '--completion', '1')['models'][0]
        self.assertEqual(found['documents'], 1)
        self.assertEqual(len(found['measures']), MEASURES)
        self.assertIsNone(found['measures']['clustering_accuracy'])
        self.assertLess(found['measures']['completion_log_likelihood'], 0)
        for value in found['measures'].values():
            self.assertTrue(value is None or math.isfinite(value))

    def test_a_store_without_documents_or_models(self):
        self.write('one.jsonl', '{"text": "red green"}\n')
        self.works('ingest', 'store', 'one.jsonl')
        self.fails(1, "kedge: the store has no model yet; make one with "
                   "'kedge fit STORE -k TOPICS'\n", 'eval', 'store', '-q')

    def test_stored_labels_are_found_again(self):
        self.write('t.jsonl', texts(40))
        self.works('ingest', 'store', 't.jsonl', '--label-field', 'label')
        self.works('fit', 'store', '-k', '3')
        found = self.works_json('eval', 'store', '--format',
                                'json')['models'][0]
        self.assertEqual((found['labelled'], found['classes']), (120, 3))
        self.assertEqual(found['measures']['clustering_accuracy'], 1)
        self.assertEqual(found['measures']['nmi'], 1)
        self.write('ids', ''.join(f'land{i}\tland\nsky{i}\tsky\nsea{i}\t'
                                  'sea\n' for i in range(20)))
        found = self.works_json('eval', 'store', '--format', 'json',
                                '--labels', 'ids')['models'][0]
        self.assertEqual((found['labelled'], found['classes']), (60, 3))
        self.assertEqual(found['measures']['clustering_accuracy'], 1)


class SweepTest(Case):

    def setUp(self):
        super().setUp()
        Corpus().put(self)
        self.works('ingest', 'store', 'docword.txt', '--vocab', 'vocab.txt')

    def test_steps_are_models_that_stay(self):
        found = self.works_json('sweep', 'store', '-k', '2:5', '--format',
                                'json')
        self.assertEqual([m['topics'] for m in found['models']],
                         [2, 3, 4, 5])
        self.assertEqual(len(found['eigenvalues']), 6)
        for model in found['models']:
            k = model['topics']
            self.assertEqual(model['model'], f'sweep-k{k}')
            alone = self.works_json('eval', 'store', '--model',
                                    model['model'], '--format', 'json')
            self.assertEqual(alone['models'][0]['measures'],
                             model['measures'])
            here, following = found['eigenvalues'][k - 1:k + 1]
            self.assertEqual(model['eigengap'] is not None, following > 0)
            if following > 0:
                self.assertAlmostEqual(model['eigengap'], here / following)
        self.assertIsNone(found['models'][-1]['anchor_gap'])
        for candidate in found['candidates']:
            self.assertIn(candidate['topics'], (2, 3, 4, 5))
            self.assertGreater(len(candidate['reason']), 10)

    def test_planted_topics_are_a_candidate(self):
        found = self.works_json('sweep', 'store', '-k', '2:6', '--format',
                                'json')
        by = {c['by']: c['topics'] for c in found['candidates']}
        self.assertEqual(by['spectrum'], 3)
        text = self.works('sweep', 'store', '-k', '2,3,4,5,6')
        last = text.split('\n')[-2]
        self.assertRegex(last, r'^next: kedge topics store --model sweep-k\d$')
        self.works(*last.split()[2:])
        os.rename(self.path('store'), self.path("o d'd"))
        odd = self.works('sweep', "o d'd", '-k', '2')
        self.assertEqual(shlex.split(odd.split('\n')[-2])[1:],
                         ['kedge', 'topics', "o d'd", '--model', 'sweep-k2'])
        none = self.kedge('sweep', "o d'd", '-k', '2', '--held-out', '1e-9')
        self.assertIn(b'kedge: no document was drawn: --held-out 1e-09 is too '
                      b'small', none.stderr)
        os.rename(self.path("o d'd"), self.path('store'))
        for word in ('candidates', 'spectrum', 'held_out_log_likelihood', ' |'):
            self.assertIn(word, text)
        for line in text.split('\n'):
            self.assertLessEqual(len(line), 80)
        lines = self.works('sweep', 'store', '-k', '2:6', '--format',
                           'tsv').split('\n')
        self.assertEqual(len(lines), 7)
        self.assertEqual(len(lines[0].split('\t')), 8 + MEASURES)

    def test_a_swept_model_has_to_be_named(self):
        """The last one is only that of the most topics."""
        self.works('fit', 'store', '-k', '2', '--model', 'first')
        self.works('sweep', 'store', '-k', '4,5', '--model', 's')
        self.assertEqual(self.works_json('topics', 'store', '--format',
                                         'json')['model'], 'first')
        self.works('drop', 'store', '--model', 'first')
        for command in ('topics', 'store'), ('label', 'store', '1', 'x'):
            self.fails(1, 'kedge: which model? The store has only those of a '
                       'sweep: s-k4, s-k5; choose one with --model\n',
                       *command)
        self.works('topics', 'store', '--model', 's-k4')
        self.works('fit', 'store', '-k', '4', '--model', 's-k4')
        self.assertEqual(self.works_json('topics', 'store', '--format',
                                         'json')['model'], 's-k4')

    def test_models_can_be_discarded(self):
        sweep = 'sweep', 'store', '-k', '2,3', '--format', 'tsv'
        kept = self.works(*sweep)
        for k in '23':
            self.works('drop', 'store', '--model', f'sweep-k{k}')
        self.assertEqual(kept, self.works(*sweep, '--discard'))
        self.assertEqual(self.models(), [])

    def models(self):
        return [m['name'] for m in self.works_json(
            'info', 'store', '--format', 'json')['models']]

    def test_models_that_were_there_are_not_discarded(self):
        self.works('fit', 'store', '-k', '3', '--model', 'mine-k3')
        self.fails(2, 'kedge: there is a model mine-k3, which would be '
                      'replaced and then discarded: choose another name '
                      'with --model\n', 'sweep', 'store', '-k', '2:4', '--model',
                   'mine', '--discard')
        self.assertEqual(self.models(), ['mine-k3'])

    def test_one_number_is_named_as_many_are(self):
        found = self.works_json('sweep', 'store', '-k', '3:3', '--model', 'c',
                                '--format', 'json')
        self.assertEqual([m['model'] for m in found['models']], ['c-k3'])
        self.assertEqual(found['candidates'], [])
        self.assertEqual(self.models(), ['c-k3'])

    def test_measures_are_looked_at_first(self):
        self.write('few.txt', 'a\n')
        for code, wrong in ((2, ('--probes', '100')), (2, ('--completion', '2')),
                            (1, ('--labels', 'few.txt')),
                            (1, ('--labels', 'none.txt'))):
            with self.subTest(wrong):
                self.assertEqual(self.kedge('sweep', 'store', '-k', '2:4',
                                            *wrong).returncode, code)
                self.assertEqual(self.models(), [])

    def test_a_failure_discards_as_well(self):
        self.assertEqual(self.kedge('sweep', 'store', '-k', '2,3', '--memory',
                                    '60M', '--discard').returncode, 4)
        self.assertEqual(self.models(), [])

    def test_too_many_topics_are_left_out(self):
        result = self.kedge('sweep', 'store', '-k', '2,3,30,40', '--format',
                            'json')
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b'30 topics and more are left out', result.stderr)
        found = json.loads(result.stdout)
        self.assertEqual([m['topics'] for m in found['models']], [2, 3])
        self.assertEqual(len(found['eigenvalues']), 4)
        self.assertEqual(self.kedge('sweep', 'store', '-k', '30,40')
                         .returncode, 5)
        self.assertEqual(self.kedge('sweep', 'store', '-k', '2,3',
                                    '--anchor-min-df', '400').returncode, 5)

    def test_ways_are_those_of_fit(self):
        self.works('sweep', 'store', '-k', '3', '--rectify', 'ap',
                   '--anchors', 'xray', '--solver', 'active-set', '--legal')
        model, = self.works_json('info', 'store', '--format',
                                 'json')['models']
        self.assertEqual(model['ways'],
                         'cooccurrence dense, rectify ap, anchors xray, '
                         'solver active-set, legal')
        self.fails(2, "kedge: --rectify: 'maybe' is not one of "
                   "enn|none|palm|ipalm|ap|dr\nTry 'kedge sweep --help'.\n",
                   'sweep', 'store', '-k', '3', '--rectify', 'maybe')

    def test_a_wider_sketch_is_made_by_fit(self):
        self.works('ingest', 'narrow', 'docword.txt', '--vocab', 'vocab.txt',
                   '--sketch-size', '32')
        result = self.kedge('sweep', 'narrow', '-k', '2,3,40')
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"'kedge fit --sketch-size 400'", result.stderr)

    def test_wrong_numbers_are_told(self):
        said = ("kedge: -k '%s': %s; write A:B:STEP or a list, as in -k "
                "5:100:5 or -k 10,20,50\nTry 'kedge sweep --help'.\n")
        for why, *all_wrong in (
                ('this is no range or list', '5:', '5:9:x', '5:9:1:2',
                 '5,', '5:9,3', '-5', '5:9:99999999999999999999', 'a', '3 '),
                ('a model has 2 to 2000 topics', '0', '1', '2001', '5:1',
                 '5:2001:500'),
                ('the step must be at least 1', '5:9:0'),
                ('numbers must increase', '9,5', '5,5'),
                ('a sweep fits 64 models at most', '2:100'),
                ('B is less than A', '5:3')):
            for wrong in all_wrong:
                with self.subTest(wrong):
                    self.fails(2, said % (wrong, why), 'sweep', 'store', '-k',
                               wrong)


if __name__ == '__main__':
    main()
