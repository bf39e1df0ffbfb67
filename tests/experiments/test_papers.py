#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bars of the figures of the papers, on lines made up for it."""
import bench

import argparse
import inspect
import unittest
from types import SimpleNamespace

import common
import pages
import papers
import practical
import rectified
import sheets


def line(measures, values, **more):
    """{x: row}, all measures alike."""
    return {x: {**dict.fromkeys(measures, value), **more}
            for x, value in values.items()}


def missed(found):
    return [text for good, text in found if not good]


class Rectification(unittest.TestCase):
    def lines(self, one_pass):
        ap = {10: 1.0, 20: 2.0}
        lines = {'AP': ap, 'ENN': ap, 'PALM': {10: 1.2, 20: 2.2},
                 'LR-JSMF': one_pass, 'LR-JSMF + 1': ap}
        return {way: line(rectified.BETTER, values, seconds=1, words=5000,
                          seconds_rectify=10 if way == 'AP' else 1)
                for way, values in lines.items()}

    def test_lines_that_agree(self):
        found = self.lines({10: 1.02, 20: 2.02})
        self.assertEqual(missed(rectified.judge('x', found)), [])
        self.assertEqual(missed(rectified.judge_times('x', found)), [])

    def test_farther_than_palm(self):
        texts = missed(rectified.judge('x', self.lines({10: 1.3, 20: 2.3})))
        self.assertEqual(sum('height' in t for t in texts), 5)
        self.assertEqual(sum('worse' in t for t in texts), 3)  # where less is

    def test_distance_is_of_the_panel(self):
        found = self.lines({10: 1.3, 20: 2.3})
        self.assertAlmostEqual(
            rectified.distance(found, 'LR-JSMF', 'specificity'), 0.3 / 1.3)

    def test_slower_for_one_number_of_topics(self):
        found = self.lines({10: 1.0, 20: 2.0})
        found['ENN'][20]['seconds_rectify'] = 2
        self.assertEqual(len(missed(rectified.judge_times('x', found))), 1)
        found['AP'][10]['words'] = 4999
        self.assertEqual(missed(rectified.judge_times('x', found)), [])

    def test_runs(self):
        rows = {10: [dict.fromkeys(rectified.BETTER, x) for x in (1, 1.2)]}
        self.assertEqual(len(missed(rectified.judge_runs('x', 'y', rows))), 5)
        rows = {10: [dict.fromkeys(rectified.BETTER, x) for x in (1, 1.02)]}
        self.assertEqual(missed(rectified.judge_runs('x', 'y', rows)), [])

    def test_words(self):
        rows = {n: {'relative_recovery': -n, 'log_relative_volume': n,
                    'mst_incoherence': n} for n in (1, 2)}
        texts = missed(rectified.judge_words('x', {'K = 5': rows}, (1, 2)))
        self.assertEqual(len(texts), 1)
        self.assertIn('incoherence', texts[0])


class Iterations(unittest.TestCase):
    def found(self, ap, dr, ratio=2):
        return {'AP': line(practical.MEASURES, ap, seconds_rectify=1),
                'DR': line(practical.MEASURES, dr, seconds_rectify=ratio)}

    def test_as_the_paper_says(self):
        found = self.found({1: 1, 20: 2, 150: 2.01}, {1: 0.9, 20: 2.01,
                                                      150: 2.02})
        self.assertEqual(missed(practical.judge_iterations('x', found)), [])

    def test_apart_moving_and_dear(self):
        found = self.found({1: 1, 20: 2, 150: 3}, {1: 1, 20: 2, 150: 2}, 3)
        texts = missed(practical.judge_iterations('x', found))
        count = len(practical.MEASURES)
        self.assertEqual(sum('apart' in t for t in texts), count)
        self.assertEqual(sum('from 20 iterations' in t for t in texts), count)
        self.assertEqual(sum('DR takes' in t for t in texts), 1)


class Solvers(unittest.TestCase):
    def test_other_topics_and_faster(self):
        found = {way: line(practical.MEASURES, {5: 1.0}, seconds_topics=2)
                 for way in practical.SOLVERS}
        found['expgrad'] = line(practical.MEASURES, {5: 1.1}, seconds_topics=1)
        found['active-set'][5]['seconds_topics'] = 3
        texts = missed(practical.judge_solvers('x', found))
        self.assertEqual(len(texts), len(practical.MEASURES) + 1)
        self.assertTrue(all('expgrad' in t for t in texts))


class Front(unittest.TestCase):
    def test_figures(self):
        self.assertEqual(papers.names('solvers,vocabulary'),
                         ['solvers', 'vocabulary'])
        self.assertRaises(argparse.ArgumentTypeError, papers.names, 'none')

    def test_every_figure_has_a_question_and_caveats(self):
        for name, module in papers.FIGURES.items():
            question, parts = pages.told(inspect.getdoc(module.FIGURES[name]))
            self.assertTrue(question.endswith('?'), name)
            self.assertEqual(set(parts), {'Method', 'Caveats', 'Columns'})

    def test_order_of_a_page(self):
        page = pages.Page(SimpleNamespace(
            write=None, answer='Yes.', kedge=[], ingest=['-q'], commit='abc'),
            'x', 'Is\nit?\n\nHow.\n\nColumns:\n- a: b.\n\nCaveats:\nFew.')
        page.table(['long'], [[1]], long=True)
        page.add('found')
        page.front('first')
        page.verdicts([(True, 'met')])
        self.assertNotIn('Missed', page.text())
        common.failures.clear()
        page.verdicts([(False, 'not met')])
        common.failures.clear()
        text = page.text()
        order = ['# Is it?\n', 'Yes.', 'Bars met: 1 of 2;', '## Caveats\n\nFew.',
                 '## Columns\n\n- a: b.', 'first', 'found', '## Appendix',
                 '### Method\n\nHow.', '| long |', '- not met',
                 '`kedge ingest -q`']
        places = [text.index(part) for part in order]
        self.assertEqual(places, sorted(places))

    def test_apart(self):
        found = {'a': line('m', {1: 2.0, 2: 4.0}), 'b': line('m', {1: 1.0,
                                                                   2: 4.0})}
        self.assertEqual(sheets.apart(found, 'b', 'a', 'm'), 0.25)
        self.assertEqual(sheets.height(found, 'ab', 'm'), 3)


if __name__ == '__main__':
    unittest.main()
