#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_report.py PROGRAM: the page of kedge report as a file; tests/browser
opens it."""
import json
import os
import re

from shell import EVIL, Case, Corpus, FittedCase, main

DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>',
                  re.S)


class Reported(Case):
    def data(self, name='page.html'):
        """What the page is told."""
        found, = DATA.findall(self.read(name).decode())
        return json.loads(found)

    def report(self, *arguments, name='page.html'):
        self.assertEqual('', self.works('report', 'store', '-o', name,
                                        *arguments))
        return self.data(name)


class Page(FittedCase, Reported):
    def test_it_shows_the_model_as_topics_does(self):
        data = self.report()
        told = self.works_json('topics', 'store', '--format', 'json', '-n',
                               '30', '--rank', 'probability')
        self.assertEqual('k3', data['about']['model'])
        for shown, topic in zip(data['topics'], told['topics']):
            words = [data['words']['text'][w] for w in shown['words']]
            self.assertEqual([w['word'] for w in topic['words']], words[:30])
            self.assertEqual(topic['anchor'],
                             data['words']['text'][shown['anchor']])

    def test_every_word_is_found(self):
        data = self.report()
        self.assertEqual(data['about']['words'], len(data['words']['text']))
        self.assertEqual(sorted(set(data['words']['text'])),
                         sorted(data['words']['text']))

    def test_words_are_no_markup(self):
        found, = DATA.findall((self.report(), self.read('page.html'))[1]
                              .decode())
        self.assertFalse(set('<>&\u2028') & set(found))
        words = self.data()['words']['text']
        for word in EVIL:
            if b'\xff' not in word and b'\t' not in word:
                self.assertIn(word.decode(), words)

    def test_measures_are_those_of_eval(self):
        data = self.report()
        told = self.works_json('eval', 'store', '--model', 'k2,k3',
                               '--format', 'json')
        keys = [g['key'] for g in data['glossary']]
        self.assertEqual(['k2', 'k3'], [m['name'] for m in data['models']])
        for model, measured in zip(data['models'], told['models']):
            for key in ('npmi', 'umass', 'relative_error'):
                self.assertAlmostEqual(
                    1, model['measures'][keys.index(key)]
                    / measured['measures'][key], delta=1e-3)
        mean = sum(t['npmi'] for t in data['topics']) / 3
        self.assertAlmostEqual(told['models'][1]['measures']['npmi'], mean,
                               delta=1e-3)

    def test_quick_measures_nothing(self):
        data = self.report('--quick')
        self.assertNotIn('npmi', data['topics'][0])
        self.assertEqual([], data['models'][0]['measures'])

    def test_another_model(self):
        self.assertEqual(2, len(self.report('--model', 'k2')['topics']))

    def test_the_same_bytes_each_time(self):
        self.report('--threads', '1', name='one.html')
        os.mkdir(self.path('elsewhere'))
        self.report('--threads', '3', name='elsewhere/two.html')
        self.assertEqual(self.read('one.html'),
                         self.read('elsewhere/two.html'))

    def test_what_is_wrong_is_said(self):
        for arguments, code, text in (
                ((), 2, 'report needs a file, as in -o report.html'),
                (('-o', 'none/page.html'), 1, 'none/page.html'),
                (('-o', '.'), 2, '. is a directory: name a file in it\n'),
                (('-o', 'p.html', '--documents', '51'), 2, '--documents'),
                (('-o', 'p.html', '--model', 'k9'), 1, 'k9')):
            result = self.kedge('report', 'store', *arguments)
            self.assertEqual(code, result.returncode, arguments)
            self.assertIn(text, result.stderr.decode())
            self.assertFalse(os.path.exists(self.path('p.html')))


class Kept(Reported):
    def test_compositions_are_shown(self):
        corpus = Corpus(200).put(self)
        self.works('ingest', 'store', 'docword.txt', '--vocab', 'vocab.txt',
                   '--batch', 'first')
        self.write('more.jsonl', ''.join(
            json.dumps({'id': f'm{i}', 'words': {
                corpus.words[w].decode(): 3 for w in range(20, 30)}}) + '\n'
            for i in range(50)))
        self.works('ingest', 'store', 'more.jsonl', '--text-field', 'words',
                   '--batch', 'second')
        self.works('fit', 'store', '-k', '3', '--index', '0')
        data = self.report()
        self.assertNotIn('kept', data)
        self.assertEqual([], data['topics'][0]['documents'])
        self.works('infer', 'store', '--save')
        data = self.report('--documents', '4')
        self.assertEqual(250, data['kept']['documents'])
        self.assertEqual([4] * 3, [len(t['documents'])
                                   for t in data['topics']])
        self.assertEqual([('first', 200), ('second', 50)],
                         [(b['name'], b['documents'])
                          for b in data['batches']])
        for batch in data['batches']:
            self.assertAlmostEqual(1, sum(batch['shares']), delta=5e-3)
        self.assertGreater(max(data['batches'][1]['shares']), 0.6)


if __name__ == '__main__':
    main()
