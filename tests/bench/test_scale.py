#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_scale.py PROGRAM: scale.py learns the cost that runs were generated
with, and its page has the measured figures in the order of all pages.
"""
import os
import random
import subprocess
import sys
import tempfile
import unittest

import scale

PROGRAM = os.path.abspath(sys.argv.pop(1))
HERE = os.path.dirname(os.path.abspath(__file__))


def made_run(j, truth, noise):
    """A run that costs what the truth says."""
    cost = {c.name: noise() * sum(a * t for a, t in zip(truth[c.name],
                                                        c.terms(j)))
            for c in scale.COSTS}
    fit = sum(cost[part] for part in scale.PARTS)
    stages = [{'stage': name, 'seconds': cost.get(name, 1.0),
               'processor': cost.get(name, fit),
               'memory': cost.get(f'{name} memory', 1)}
              for name in ('corpus', 'ingest', 'fit', 'spectrum', 'rectify',
                           'topics', 'infer')]
    return dict(j._asdict(), words=j.vocabulary, store=cost['store'],
                stages=stages, threads=2, rounds=1)


class Learning(unittest.TestCase):
    def setUp(self):
        chance = random.Random(3)
        around = scale.Job(50e3, 12e6, 50e3, 25, 1000)
        self.jobs = [scale.Job(*(x * 2 ** chance.uniform(-2, 2)
                                 for x in around)) for _ in range(60)]
        # every term of about the same size there
        self.truth = {c.name: [chance.uniform(0.5, 2) / t
                               for t in c.terms(around)]
                      for c in scale.COSTS}

    def learned(self, noise):
        runs = [made_run(j, self.truth, noise) for j in self.jobs]
        return {c.name: scale.learn(runs, c) for c in scale.COSTS}

    def test_exact_costs_are_found(self):
        learned = self.learned(lambda: 1)
        for cost in scale.COSTS:
            found, errors = learned[cost.name]
            self.assertLess(errors.max(), 1e-6)
            for a, b in zip(found, self.truth[cost.name]):
                self.assertAlmostEqual(a / b, 1, places=4)

    def test_noise_is_outlived(self):
        chance = random.Random(5)
        learned = self.learned(lambda: chance.uniform(0.95, 1.05))
        for _, j, _ in scale.TARGETS:
            told = scale.predict(learned, j, 1)
            for cost in scale.COSTS:
                truth = sum(a * t for a, t in zip(self.truth[cost.name],
                                                  cost.terms(j)))
                self.assertAlmostEqual(told[cost.name] / truth, 1, delta=0.15)

    def test_no_cost_is_negative(self):
        runs = [made_run(j, self.truth, lambda: 1) for j in self.jobs]
        for run in runs:  # falls as it should not
            run['store'] = 1e6 / run['nonzeros']
        found, _ = scale.learn(runs, scale.COSTS[-1])
        self.assertGreaterEqual(found.min(), 0)


class Machines(unittest.TestCase):
    job = scale.WHOLE_PUBMED

    def learned(self):
        return {c.name: ([1.0] * len(c.terms(self.job)), None)
                for c in scale.COSTS}

    def test_one_has_all_and_sends_nothing(self):
        self.assertEqual(scale.network(self.job, 1), (0, 0))
        self.assertEqual(scale.dealt(self.learned(), self.job, 1),
                         scale.predict(self.learned(), self.job))

    def test_rows_are_of_some_and_documents_of_all(self):
        few, many = (scale.dealt(self.learned(), self.job, n)
                     for n in (scale.ROW_RANKS, 1024))
        for part in (*scale.PARTS, 'fit memory'):
            self.assertEqual(few[part], many[part])
        for part in ('ingest', 'infer', 'store'):
            self.assertGreater(few[part], many[part])

    def test_sketches_are_most_of_what_is_sent(self):
        for machines in (2, 16, 1024):
            sketch = 8 * self.job.vocabulary * (1 + self.job.width)
            sent, received = scale.network(self.job, machines)
            self.assertGreater(sent, (machines - 1) * sketch)
            self.assertLess(sent, 2 * (machines - 1) * sketch)
            self.assertLessEqual(received, sent)


class Figures(unittest.TestCase):
    def test_units(self):
        self.assertEqual([scale.time_of(x) for x in (0.25, 80, 600, 9000,
                                                     1e6)],
                         ['0.25 s', '80 s', '10 min', '2.5 h', '11.6 days'])
        self.assertEqual([scale.bytes_of(x) for x in (5e3, 5e6, 2.5e9, 1e12)],
                         ['5 kB', '5 MB', '2.5 GB', '1 TB'])


class Page(unittest.TestCase):
    def test_a_quick_page(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'page.md')
            subprocess.run(
                [sys.executable, os.path.join(HERE, 'scale.py'), '--quick',
                 '--program', PROGRAM, '--work', os.path.join(folder, 'work'),
                 '--page', path], check=True, stdout=subprocess.DEVNULL)
            with open(path, encoding='utf-8') as file:
                text = file.read()
            with open(os.path.join(folder, 'page.svg'),
                      encoding='utf-8') as file:
                self.assertEqual(file.read().count('<polyline'), 18)
            self.assertEqual(
                {n for n in os.listdir(os.path.join(folder, 'work'))
                 if not n.startswith('scale-quick-')}, set())
        for heading in ('documents', scale.PUBMED, 'vocabulary', 'topics',
                        'sketch size', 'threads'):
            self.assertIn(f'\n### {heading}\n', text)
        order = ['# How do time', '## Caveats', '## Columns',
                 '## What larger corpora would cost', '## Exponents',
                 '## Appendix', '### Run']
        places = [text.index(heading) for heading in order]
        self.assertEqual(places, sorted(places))
        self.assertRegex(text, r'\n\| 4,000 \| [\d,]+ \| [\d,]+ \| '
                         r'\d+\.\d\d \(')
        self.assertRegex(text, r'\n\| English Wikipedia \| 1,024 \|')


if __name__ == '__main__':
    unittest.main(verbosity=2)
