#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Charts that are whole SVG, with every point inside its panel."""
import bench

import unittest
import xml.etree.ElementTree as ElementTree

import plots

NAME = '{http://www.w3.org/2000/svg}'


def panel(lines, log=False):
    return plots.Panel('a < b & c', lines, list(lines), log)


def points(drawn):
    for line in ElementTree.fromstring(drawn).iter(NAME + 'polyline'):
        for pair in line.get('points').split():
            yield tuple(map(float, pair.split(',')))


class Panels(unittest.TestCase):
    def check(self, lines, log, count):
        drawn = plots.draw([panel(lines, log)], list(lines))
        found = list(points(drawn))
        self.assertEqual(len(found), count)
        for x, y in found:
            self.assertTrue(plots.LEFT <= x <= plots.WIDTH - plots.RIGHT)
            self.assertTrue(plots.TOP <= y <= plots.HEIGHT - plots.BOTTOM)
        return drawn

    def test_lines(self):
        self.check({'one': [(5, 1.0), (10, 3.0)], 'two': [(5, -2.0)]}, False,
                   3)

    def test_scales_of_ten(self):
        drawn = self.check({'one': [(1, 0.001), (2, 1.0), (3, 1000.0)]}, True,
                           3)
        heights = [y for _, y in points(drawn)]
        self.assertAlmostEqual(heights[0] - heights[1],
                               heights[1] - heights[2], delta=0.2)

    def test_what_is_not_there_is_left_out(self):
        self.check({'one': [(1, None), (2, 1.0)]}, False, 1)
        self.check({'one': [(1, 0.0), (2, 1.0)]}, True, 1)
        self.check({'one': []}, False, 0)

    def test_one_value_has_room(self):
        self.check({'one': [(5, 2.0)]}, False, 1)

    def test_higher_is_higher(self):
        low, high = points(self.check({'one': [(1, 1.0), (2, 2.0)]}, False,
                                      2))
        self.assertLess(high[1], low[1])

    def test_names_are_text(self):
        drawn = plots.draw([panel({'<b>': [(1, 1.0)]})], ['<b>'])
        said = [e.text for e in
                ElementTree.fromstring(drawn).iter(NAME + 'text')]
        self.assertIn('a < b & c', said)
        self.assertIn('<b>', said)


if __name__ == '__main__':
    unittest.main()
