#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What compared.py rests on: programs that are measured alone, the same
documents and the same rankings for every tool, and the text of the page.

    test_compared.py KEDGE
"""
import bench

bench.need('gensim')

import os
import re
import sys
import tempfile
import unittest
from types import SimpleNamespace

import numpy as np
from scipy import sparse

import common
import compared
import composed
import measures
import pages
import peers
from alone import OVER, measured
from corpora import Corpus
from peers import bags_of

MIB = 1 << 20
K = 12   # of the corpus of fixtures/
FIT = ('kedge', compared.OURS_EM, 'scikit-learn NMF',
       'scikit-learn LDA, one pass', 'gensim LDA, one pass', compared.GIBBS)


class Alone(unittest.TestCase):
    def test_memory(self):
        """The memory of this process is not the child's."""
        held = np.ones(300 * MIB // 8)
        self.assertLess(measured('true').rss, 100 * MIB)
        self.assertGreater(measured(
            sys.executable, '-c', f'bytearray({200 * MIB})').rss, 200 * MIB)
        self.assertEqual(held.sum(), len(held))

    def test_limit(self):
        ran = measured('sh', '-c', 'while :; do :; done', limit=1)
        self.assertEqual(ran.code, OVER)
        self.assertGreater(ran.cpu, 0.5)

    def test_failure(self):
        with self.assertRaises(SystemExit) as told:
            measured('sh', '-c', 'echo why >&2; exit 7')
        self.assertRegex(str(told.exception), 'exit code 7\nwhy')


class Tools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.options = composed.programs(SimpleNamespace(
            program=os.path.abspath(sys.argv[1]), work=cls.work.name, data='',
            kedge=[], ingest=[], seed=0, sweeps=100, limit=600))
        cls.corpus = Corpus(cls.options, 'harbour')
        cls.field = compared.Field(cls.options, cls.corpus, K)
        cls.found = {tool: compared.learnt(cls.field, tool, 0)
                     for tool in FIT}

    @classmethod
    def tearDownClass(cls):
        cls.field.close()
        cls.work.cleanup()

    def test_figures(self):
        """Every tool predicts better than the words' frequencies do, and has
        words that belong together."""
        held = self.field.held
        self.assertEqual(self.field.h.shape[0] + held.unseen.shape[0],
                         self.corpus.documents)
        alike = np.tile(held.unigram[:, None], K)
        nats = np.log(measures.perplexity(
            held.unseen, np.full((held.seen.shape[0], K), 1 / K), alike,
            held.unigram))
        asked = [x for x in compared.FIGURES if 'clusters' not in x]
        for tool, found in self.found.items():
            row = self.field.figures(found)
            once = 'one pass' in tool
            self.assertEqual(set(asked) - row.keys(), set(), tool)
            self.assertLess(row['nats'], nats - (0.01 if once else 0.1), tool)
            for ranking in compared.RANKINGS:
                self.assertGreater(row[f'npmi, {ranking}'],
                                   0 if once else 0.15, tool)
            self.assertGreater(row['peak'], 2 * MIB, tool)
            self.assertGreater(row['cpu'], 0, tool)
            self.assertEqual('printed' in row, 'NMF' in tool)

    def test_distributions(self):
        """p(word | topic), p(topic) and proportions sum to one."""
        for tool, found in self.found.items():
            for name, axis in (('topics', 0), ('shares', 0), ('rows', 1)):
                np.testing.assert_allclose(found[name].sum(axis), 1,
                                           rtol=1e-4, err_msg=tool)

    def test_rankings(self):
        """They order kedge's words as `kedge topics` does."""
        found, model = self.found['kedge'], self.field.held.ours
        for name, ranking in compared.RANKINGS.items():
            values = ranking(found['topics'], found['shares'])
            shown, rank = model.tops(10, '--rank', name)
            self.assertEqual(rank, name)
            for topic, words in enumerate(shown):
                np.testing.assert_allclose(
                    values[words, topic],
                    np.sort(values[:, topic])[::-1][:10], rtol=1e-6)

    def test_em(self):
        one, other = (self.found[tool]['topics'] for tool in FIT[:2])
        self.assertEqual(one.shape, other.shape)
        self.assertGreater(np.abs(one - other).max(), 1e-4)

    def test_kept(self):
        """The second time nothing is fitted."""
        again = SimpleNamespace(options=self.options, h=self.field.h, k=K)
        for tool, found in self.found.items():
            self.assertEqual(compared.learnt(again, tool, 0)['cpu'],
                             found['cpu'])

    def test_too_long(self):
        """The tool is left out."""
        self.field.options = SimpleNamespace(**{
            **vars(self.options), 'limit': 1, 'sweeps': 10 ** 6})
        try:
            self.assertEqual(self.field.fit(compared.GIBBS, 0), {})
        finally:
            self.field.options = self.options

    def test_clusters(self):
        """Of labels that are the largest topics, most are found."""
        rows = self.found['kedge']['rows']
        field = SimpleNamespace(labels=rows.argmax(1))
        self.assertGreater(compared.Field.clusters(field, rows), 0.5)


class Quick(unittest.TestCase):
    def test_command(self):
        with tempfile.TemporaryDirectory() as work:
            ran = common.run([
                sys.executable, compared.__file__, '--quick', '--program',
                os.path.abspath(sys.argv[1]), '--work', work])
        for part in ('## harbour, K = 12\n', '| Gibbs sampling ',
                     'Command: `tests/experiments/compared.py --quick`.'):
            self.assertIn(part, ran.out)


class Page(unittest.TestCase):
    @staticmethod
    def run_of(npmi, nats, cpu):
        return {'npmi, probability': npmi, 'npmi, relevance': 2 * npmi,
                'nats': nats, 'cpu': cpu, 'peak': 3 * MIB}

    def cases(self):
        nmf = {**self.run_of(.3, 8.5, 2.), 'printed': {
            'npmi, probability': .5, 'npmi, relevance': .4}}
        rows = {'kedge': [self.run_of(.25, 8., 3.)], 'NMF': [nmf],
                'LDA': [self.run_of(x, 7.9, 9.) for x in (.1, .3, .2)],
                'slow': []}
        size = dict.fromkeys(('documents', 'words', 'tokens', 'held out'), 1)
        return {'some, K = 2': {'size': size, 'rows': rows}}

    def test_medians(self):
        found = compared.medians(self.cases()['some, K = 2']['rows'])
        self.assertEqual(list(found), ['kedge', 'NMF', 'NMF, tf-idf kept',
                                       'LDA'])
        self.assertEqual(found['LDA']['npmi, probability'], .2)
        self.assertNotIn('nats', found['NMF, tf-idf kept'])

    def test_answer(self):
        rows = compared.medians(self.cases()['some, K = 2']['rows'])
        text, ahead = compared.answer([rows, rows])
        self.assertIn(
            '- **npmi, probability**: ahead of LDA on 2 of 2. Behind: NMF, '
            'NMF, tf-idf kept on 2 of 2.', text)
        self.assertIn('- **held-out nats per word**: ahead of NMF on 2 of 2. '
                      'Behind: LDA on 2 of 2.', text)
        self.assertIn('- **memory**: ahead of none. Behind: none.', text)
        self.assertRegex(ahead, r'\| seconds +\| 0 : 2 +\| +\| 2 : 0')

    def test_page(self):
        options = SimpleNamespace(limit=9, sweeps=7, kedge=['--tf', 'log'],
                                  ingest=[], commit='abc', answer='So it is.')
        text = compared.page(options, self.cases())
        places = [text.index(part) for part in (
            '## Question', '## Answer', '## Caveats', '## Legend',
            '## some, K = 2', '## Appendix')]
        self.assertEqual(places, sorted(places))
        for part in ('differs by up to 0.200', 'Over 9 s: slow', '7 sweeps',
                     'commit abc', 'So it is.', '`kedge fit --tf log`'):
            self.assertIn(part, text)
        self.assertRegex(text, r'\| LDA +\| 0.100, 0.300, 0.200 \|')

    def test_show(self):
        for figure, value, text in (('cpu', 1234.5, '1,234'),
                                    ('cpu', 2.34, '2.3'), ('nats', 8, '8.000'),
                                    ('peak', 5 * MIB, '5 MiB'),
                                    ('nats', None, '')):
            self.assertEqual(compared.show(figure, value), text)

    def test_chosen(self):
        self.assertEqual(list(compared.chosen('a:20+50,b:5')),
                         [('a', 20), ('a', 50), ('b', 5)])


class Facts(unittest.TestCase):
    """What the page says of the tools that are here."""

    h = sparse.csr_matrix(np.random.default_rng(0).poisson(
        0.3, (300, 100)).astype(float))

    def test_links(self):
        paths = re.findall(r'\]\(([^)]+)\)', compared.SHOWN)
        self.assertEqual(len(paths), 8)
        for path in paths:
            self.assertTrue(os.path.exists(os.path.join(pages.RESULTS, path)),
                            path)

    def test_columns(self):
        for how in compared.FACTS.values():
            self.assertEqual(len(how), len(compared.DIFFERING))

    def test_settings(self):
        """The appendix says what peers.py does."""
        for tool, text in (('scikit-learn NMF', 'at most 400'),
                           ('scikit-learn LDA', '20 iterations'),
                           ('scikit-learn LDA, one pass', 'chunks of 4,096')):
            number = int(re.sub('[^0-9]', '', text))
            self.assertIn(number, peers.PEERS[tool].settings.values())
            self.assertIn(text, re.sub(r'\s+', ' ', compared.SETTINGS))
        self.assertEqual(peers.GensimLda.settings['passes'], (10, 60000))
        self.assertIn('read 60,000 documents, 10 at least', compared.SETTINGS)

    def same(self, one, two):
        return np.array_equal(one.components_, two.components_)

    def test_sklearn(self):
        from sklearn.decomposition import NMF, LatentDirichletAllocation
        def lda(jobs):
            return LatentDirichletAllocation(
                4, random_state=0, max_iter=3, n_jobs=jobs).fit(self.h)
        def nmf():
            return NMF(4, random_state=0, init='random',
                       max_iter=500).fit(self.h)
        self.assertTrue(self.same(lda(1), lda(1)))
        self.assertFalse(self.same(lda(1), lda(2)))
        self.assertTrue(self.same(nmf(), nmf()))
        self.assertEqual(NMF().max_iter, 200)
        self.assertEqual(LatentDirichletAllocation().max_iter, 10)

    def test_gensim(self):
        from gensim.models import LdaModel
        def lda():
            return LdaModel(bags_of(self.h), num_topics=4, random_state=0,
                            id2word={i: str(i) for i in range(100)})
        np.testing.assert_array_equal(lda().get_topics(), lda().get_topics())
        self.assertEqual(lda().passes, 1)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
