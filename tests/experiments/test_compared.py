#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What compared.py rests on: programs that are measured alone, the same
documents for every tool, and what is said of figures.

    test_compared.py KEDGE
"""
import bench

bench.need('gensim')

import copy
import os
import re
import sys
import tempfile
import unittest
from types import SimpleNamespace

import numpy as np
from scipy import sparse

import compared
import composed
import measures
import pages
from alone import OVER, measured
from corpora import Corpus
from peers import bags_of

MIB = 1 << 20
K = 12   # of the corpus of fixtures/


class Alone(unittest.TestCase):
    def test_memory(self):
        """What this process holds is not the child's."""
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
            kedge=[], ingest=[], seed=0, sweeps=100, limit=600,
            kept=False))
        cls.corpus = Corpus(cls.options, 'harbour')
        cls.field = compared.held_out(cls.options, cls.corpus, K)

    @classmethod
    def tearDownClass(cls):
        cls.field.close()
        cls.work.cleanup()

    def contest(self, **more):
        """Of this field, with other options."""
        options = SimpleNamespace(**{**vars(self.options), **more})
        self.field.options = options
        return compared.Contest(options, 'harbour', K, lambda: self.field)

    def others(self, **more):
        found = self.contest(**more)
        found.rival('scikit-learn NMF')
        found.gibbs(compared.gibbs)
        return found

    def test_held_out(self):
        """Every tool foretells better than the unigram does, shows what
        belongs together, and is not run again."""
        field, found = self.field, self.others()
        found.kedge()
        self.assertEqual(field.h.shape[0] + field.held.unseen.shape[0],
                         self.corpus.documents)
        alike = np.tile(field.held.unigram[:, None], K)
        nats = np.log(measures.perplexity(
            field.held.unseen, np.full((field.seen.shape[0], K), 1 / K), alike,
            field.held.unigram))
        self.assertEqual(len(found.rows), 4)
        for name, row in found.rows.items():
            self.assertEqual(compared.FIGURES.keys() - row.keys(), set(), name)
            self.assertLess(row['nats'], nats - 0.1, name)
            self.assertGreater(row['npmi'], 0.15, name)
            self.assertGreater(row['peak'], 2 * MIB, name)
            self.assertGreater(row['cpu'], 0, name)
        own = found.rows[compared.OURS]
        self.assertLess(own['ingest'], own['cpu'])
        again = self.others(kept=True)
        self.assertEqual(again.absent, [])
        for name, row in again.rows.items():
            self.assertEqual(row, found.rows[name])

    def test_kept(self):
        """What is not there is left out."""
        found = self.others(kept=True, seed=1)
        self.assertEqual(found.absent, ['scikit-learn NMF', compared.GIBBS])
        self.assertEqual(found.rows, {})

    def test_likeliest(self):
        """Of words by p(word | topic) this is what the model tells."""
        model = self.field.ours
        shown = model.tops(10, '--rank', 'probability')[0]
        for words, topic in zip(shown, model.topics.T):
            np.testing.assert_allclose(topic[words],
                                       np.sort(topic)[::-1][:10])
        polished = self.field.polished()
        self.assertEqual(polished.words, model.words)
        self.assertGreater(np.abs(polished.topics - model.topics).max(), 1e-4)

    def test_one_pass(self):
        field = compared.whole(self.options, 'harbour', K)
        self.assertEqual(field.size()['documents'], self.corpus.documents)
        self.assertEqual((self.corpus.view(field.ours.words) != field.h).nnz,
                         0)
        found = compared.Contest(self.options, 'whole', K, lambda: field)
        found.run(compared.LARGE, compared.gibbs_estimated)
        self.assertFalse(os.path.exists(field.folder))
        rows = found.rows
        self.assertEqual(len(rows), 5)
        for name in compared.LARGE:
            self.assertGreater(rows[name]['npmi'], 0, name)
        sampler = rows[compared.GIBBS]
        self.assertGreater(sampler['sweep'], 0)
        self.assertAlmostEqual(sampler['cpu'], 100 * sampler['sweep'])

    def test_too_long(self):
        """It is left out, not waited for."""
        found = self.contest(limit=1, sweeps=10 ** 6)
        found.gibbs(compared.gibbs)
        self.assertEqual(list(found.rows[compared.GIBBS]), ['load'])


class Page(unittest.TestCase):
    ROWS = {'kedge': {'cpu': 4.0, 'clock': 9.0, 'peak': 64 * MIB, 'npmi': 0.4,
                      'ingest': 1.0, 'another': 2.5, 'load': 0.5},
            'kedge --em-iter 2': {'cpu': 1.0, 'clock': 9.0, 'peak': MIB,
                                 'npmi': 0.9, 'load': 0.5},
            'one': {'cpu': 12.0, 'clock': 1.0, 'peak': 32 * MIB, 'npmi': 0.5,
                    'nats': 8.0, 'load': 0.5},
            'two': {'cpu': 300.0, 'clock': 1.0, 'peak': 16 * MIB, 'npmi': 0.3,
                    'load': 0.5}}

    def test_findings(self):
        self.assertEqual(list(compared.findings(self.ROWS)), [
            'cpu: kedge, 4.00 s, is first, before one, 12.0 s.',
            'peak: kedge, 64 MiB, is behind two 16 MiB, one 32 MiB.',
            'npmi: kedge, 0.400, is behind one 0.500.'])

    def test_level(self):
        rows = {'kedge': {'npmi': 0.5}, 'one': {'npmi': 0.5}}
        self.assertEqual(list(compared.findings(rows)),
                         ['npmi: kedge, 0.500, is level with one, 0.500.'])
        rows['one']['npmi'] = 0.50004
        self.assertEqual(list(compared.findings(rows)),
                         ['npmi: kedge, 0.500, is level with one, 0.500.'])

    def test_late(self):
        rows = {**self.ROWS, compared.GIBBS: {'load': 1.0}}
        self.assertEqual(compared.cells(compared.GIBBS, {}, 900)[:2],
                         [compared.GIBBS, 'over 900'])
        text = '\n'.join(compared.notes(SimpleNamespace(
            rows=rows, k=20, options=SimpleNamespace(limit=900, sweeps=10))))
        self.assertIn('over 900 s: Gibbs sampling.', text)
        self.assertIn('1.00 are of reading and storing. 25 topics, then, take '
                      '2.50 s more.', text)
        self.assertIn('kedge --em-iter 2: cpu 1.00 s for 4.00 s, npmi 0.900 '
                      'for 0.400.', text)

    def test_chosen(self):
        self.assertEqual(list(compared.chosen('a:20+50,b:5')),
                         [('a', [20, 50]), ('b', [5])])
        self.assertEqual(list(compared.chosen('none')), [])


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
            self.assertEqual(len(how), len(compared.TOOLS))

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
