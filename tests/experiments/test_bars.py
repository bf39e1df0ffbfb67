#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""When a bar is met, on figures made up for it."""
import bench

import unittest

import bars

GRID = [{'lambda': 0.2, 'npmi': 0.5, 'coverage': 0.6},
        {'lambda': 0.4, 'npmi': 0.4, 'coverage': 0.8},
        {'lambda': 0.6, 'npmi': 0.3, 'coverage': 0.9}]
MINE = {'npmi': 0.35, 'distinct': 0.9, 'coverage': 0.85, 'coherence': -500.0,
        'accuracy': 0.6, 'rows': 0.4, 'angle': 0.5, 'perplexity': 900.0}


def peer(**more):
    return {**MINE, 'npmi': 0.3, 'accuracy': 0.5, 'rows': 0.3, 'angle': 0.4,
            **more}


def met(found):
    return {bar.name: bar.met for bar in found}


class Lda(unittest.TestCase):
    def judged(self, **more):
        rows = {('a LDA', 'own'): peer(**more),
                ('a LDA', 'relevance'): peer(npmi=0.9),
                ('a LSI', 'own'): peer(npmi=0.9)}
        return met(bars.judge(MINE, rows, GRID))

    def test_ahead_of_its_own_ranking(self):
        found = self.judged()
        self.assertEqual(len(found), len(bars.MEASURES))
        self.assertTrue(all(found.values()))

    def test_each_measure(self):
        for figure, value in (('npmi', 0.36), ('distinct', 0.91),
                              ('coverage', 0.86), ('coherence', -499.0),
                              ('accuracy', 0.61), ('perplexity', 899.0)):
            found = self.judged(**{figure: value})
            self.assertEqual([name for name in found if not found[name]],
                             [f'LDA: {figure}'])

    def test_without_labels(self):
        self.assertNotIn('LDA: accuracy', self.judged(accuracy=None))


class Nmf(unittest.TestCase):
    def judged(self, own, relevance, name='a NMF', judge=bars.judge):
        rows = {(name, 'own'): own, (name, 'relevance'): relevance}
        return met(judge(MINE, rows, GRID))

    def test_level(self):
        """The least coverage that is no less."""
        for coverage, found in ((0.8, 0.4), (0.81, 0.3), (0.1, 0.5)):
            row = {'coverage': coverage}
            self.assertEqual(bars.level(row, GRID)['npmi'], found)
        self.assertIsNone(bars.level({'coverage': 0.91}, GRID))

    def test_met(self):
        found = self.judged(peer(), peer(npmi=0.45, coverage=0.5))
        self.assertFalse(found['a NMF: own ranking at its coverage'])
        found = self.judged(peer(npmi=0.29), peer(npmi=0.45, coverage=0.5))
        self.assertEqual(len(found), 4)
        self.assertTrue(all(found.values()))

    def test_as_they_stand(self):
        """More NPMI by less coverage is not enough."""
        found = self.judged(peer(coverage=0.86), peer())
        self.assertFalse(found['a NMF: defaults as they stand'])

    def test_out_of_reach(self):
        found = self.judged(peer(npmi=0.0), peer(npmi=0.0, coverage=0.95))
        self.assertTrue(found['a NMF: own ranking at its coverage'])
        self.assertFalse(found['a NMF: relevance ranking at its coverage'])

    def test_accuracy(self):
        found = self.judged(peer(accuracy=0.6), peer())
        self.assertFalse(found['a NMF: accuracy'])

    def test_harder(self):
        rows = peer(), peer(), f'a NMF ({bars.HARDER})'
        self.assertEqual(self.judged(*rows), {})
        self.assertEqual(len(self.judged(*rows, bars.judge_harder)), 4)


class Otherwise(unittest.TestCase):
    def test_another_winner(self):
        rows = {('a NMF', 'own'): peer(rows=0.41)}
        found = list(bars.otherwise(MINE, rows))
        self.assertEqual(len(found), 1)
        self.assertIn('by rows', found[0])
        self.assertEqual(list(bars.otherwise(
            MINE, {('a NMF', 'own'): peer()})), [])


if __name__ == '__main__':
    unittest.main()
