#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_corpus.py PROGRAM CORPUS: parts of what corpus.c generates make up the
whole, have the requested shape, and kedge finds the topics planted in it.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM, MAKER = map(os.path.abspath, sys.argv[1:3])
SMALL = ('--vocabulary', '3000', '-k', '12')


def corpus(*arguments):
    return subprocess.run([MAKER, *arguments], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def homes(word):
    """The planted topics of a word."""
    return re.findall(r't(\d+)', word)


class Corpus(unittest.TestCase):
    def test_parts_are_a_whole(self):
        whole = corpus(*SMALL, '-d', '2000')
        self.assertEqual(whole.count('\n'), 2000)
        parts = [corpus(*SMALL, '-d', str(count), '--first', str(first))
                 for first, count in ((1, 700), (701, 1), (702, 1299))]
        self.assertEqual(''.join(parts), whole)

    def test_shapes(self):
        """Tokens and different words of a document are the collection's."""
        for shape, tokens, words in (('nytimes', 332, 232), ('pubmed', 90, 59)):
            lines = corpus('--shape', shape, '-d', '4000').splitlines()
            count = sum(int(n) for line in lines
                        for n in re.findall(r':(\d+)', line))
            self.assertAlmostEqual(count / 4000 / tokens, 1, delta=0.03)
            entries = sum(int(line.split()[0]) for line in lines)
            self.assertAlmostEqual(entries / 4000 / words, 1, delta=0.03)

    def test_planted_topics_are_found(self):
        """Each topic's first words are of one that was planted, and no two of
        the same."""
        with tempfile.TemporaryDirectory() as folder:
            words, store = (os.path.join(folder, x) for x in ('words', 'store'))
            with open(words, 'w', encoding='utf-8') as file:
                file.write(corpus(*SMALL, '--words'))
            subprocess.run([PROGRAM, 'ingest', store, '-', '--from', 'ldac',
                            '--vocab', words, '-q'], check=True, text=True,
                           input=corpus(*SMALL, '-d', '4000'),
                           stdout=subprocess.DEVNULL)
            subprocess.run([PROGRAM, 'fit', store, '-k', '12', '-q'],
                           check=True, stdout=subprocess.DEVNULL)
            told = json.loads(subprocess.run(
                [PROGRAM, 'topics', store, '-n', '10', '--format', 'json'],
                check=True, stdout=subprocess.PIPE).stdout)
        found = set()
        for topic in told['topics']:
            count = collections.Counter(t for w in topic['words']
                                        for t in homes(w['word']))
            name, times = count.most_common(1)[0]
            self.assertGreaterEqual(times, 9, topic)
            found.add(name)
        self.assertEqual(len(found), 12)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
