#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_word.py PROGRAM: what words mean to a model, as it is told."""
import json
import random

from shell import EVIL, Case, FittedCase, main


class Words(FittedCase):
    def ask(self, *arguments):
        return self.works_json('word', 'store', *arguments, '--format',
                               'json')

    def test_json(self):
        told = self.ask('a20', 'b20', '-n', '3')
        self.assertEqual(told['version'], 1)
        self.assertEqual(told['model'], 'k3')
        self.assertEqual(told['space'], 'model')
        self.assertEqual([w['word'] for w in told['words']], ['a20', 'b20'])
        vocab = self.works_json('vocab', 'store', 'a20', 'b20', '--format',
                                'json')['words']
        for word, counts in zip(told['words'], vocab):
            self.assertTrue(word['known'])
            self.assertEqual((word['tf'], word['df']),
                             (counts['tf'], counts['df']))
            parts = [t['topic_probability']
                     for t in word['model']['topics']]
            self.assertEqual(len(parts), 3)
            self.assertAlmostEqual(sum(parts), 1)
            self.assertEqual(parts, sorted(parts, reverse=True))
            self.assertEqual(len(word['model']['near']), 3)
            self.assertIn(word['model']['anchor']['state'],
                          ('anchor', 'candidate', 'rare'))
        self.assertNotEqual(*(w['model']['topics'][0]['topic']
                              for w in told['words']))

    def test_near_words_are_of_the_topic(self):
        near = self.ask('a10', '-n', '5')['words'][0]['model']['near']
        evil = {w.decode(errors='replace') for w in EVIL[0::3]}
        for one in near:
            self.assertTrue(one['word'].startswith('a')
                            or one['word'] in evil, one)

    def test_anchors_know_that_they_are(self):
        topics = self.works_json('topics', 'store', '--format',
                                 'json')['topics']
        for topic in topics:
            word = self.ask(topic['anchor'])['words'][0]
            self.assertEqual(word['model']['anchor']['state'], 'anchor')
            self.assertEqual(word['model']['anchor']['topic'],
                             topic['topic'])
            self.assertEqual(word['model']['topics'][0]['topic'],
                             topic['topic'])
            self.assertIn(f'it is the anchor of topic {topic["topic"]}',
                          self.works('word', 'store', topic['anchor']))

    def test_table(self):
        lines = self.works('word', 'store', 'a20').splitlines()
        self.assertEqual(lines[0], 'a20')
        self.assertRegex(lines[1], r'^  occurs:     \d+ times in \d+ docum')
        self.assertRegex(lines[2], r'^  topics: +topic +p\(t\|word\) ')
        self.assertTrue(any(line.startswith('  like it:') for line in lines))
        self.assertTrue(any(line.startswith('  anchor:') for line in lines))
        self.assertTrue(all(len(line) <= 80 for line in lines))

    def test_equal_figures_are_told_once(self):
        """Between two topics there is little to tell."""
        near = self.ask('a20', '--model', 'k2')['words'][0]['model']['near']
        figures = {f"{one['likeness']:.3f}" for one in near}
        self.assertEqual(len(figures), 1)
        text = ' '.join(self.works('word', 'store', 'a20', '--model',
                                   'k2').split())
        self.assertEqual(text.count(f'({figures.pop()} each)'), 1)
        self.assertNotIn('each', self.works('word', 'store', 'a20'))

    def test_evil_words_do_not_command(self):
        for word in EVIL:
            result = self.kedge('word', 'store', word)
            self.assertEqual(result.returncode, 0, result)
            self.assertNotIn(b'\x1b', result.stdout)
            self.assertNotIn('\u202e'.encode(), result.stdout)
            self.assertNotIn(b'\t', result.stdout)

    def test_unknown(self):
        result = self.kedge('word', 'store', 'a2O', 'a20')
        self.assertEqual(result.returncode, 1)
        text = result.stdout.decode()
        self.assertIn('a2O\n              no document of the store has it\n'
                      '  spelt like: ', text)
        self.assertIn('a20', text.split('spelt like:')[1].splitlines()[0])
        self.assertIn('\na20\n  occurs:', text)
        self.assertEqual(result.stderr, b'')

    def test_several_in_one(self):
        for asked in ('a20 nowhere', ' a20  nowhere'):
            told = self.kedge('word', 'store', asked, '--format', 'json')
            words = json.loads(told.stdout)['words']
            self.assertEqual([(w['asked'], w['word']) for w in words],
                             [(asked, 'a20'), (asked, 'nowhere')])

    def test_another_model(self):
        told = self.ask('a20', '--model', 'k2')
        self.assertEqual(told['model'], 'k2')
        self.assertEqual(len(told['words'][0]['model']['topics']), 2)
        self.fails(1, 'kedge: the store has no model "k9"; its models: k2, '
                   'k3\n', 'word', 'store', 'a20', '--model',
                   'k9')


class Texts(Case):
    """A store that stems."""

    def setUp(self):
        super().setUp()
        chance = random.Random(5)
        sides = ('ships sailing harbours anchoring captains deck'.split(),
                 'judges ruling courts crimes lawyers pleading'.split())
        lines = []
        for i in range(120):
            words = chance.choices(sides[i % 2], k=12)
            words += chance.choices(sides[1 - i % 2], k=2)
            lines.append(json.dumps({'text': ' '.join(words)}))
        self.write('t.jsonl', '\n'.join(lines) + '\n')
        self.works('ingest', 'store', 't.jsonl', '--stem', 'english',
                   '--stopwords', 'english')
        self.works('fit', 'store', '-k', '2', '--save-spectrum',
                   '--max-df', '1.0')

    def test_words_are_cut_as_the_store_cuts(self):
        told = self.works_json('word', 'store', 'Sailing', 'Courts & Ships!',
                               '--format', 'json')
        self.assertEqual(told['space'], 'rectified')
        self.assertEqual([(w['asked'], w['word']) for w in told['words']],
                         [('Sailing', 'sail'), ('Courts & Ships!', 'court'),
                          ('Courts & Ships!', 'ship')])
        self.assertEqual(told['words'][0]['model']['topics'][0]['topic'],
                         told['words'][2]['model']['topics'][0]['topic'])
        self.assertIn('Sailing -> sail\n',
                      self.works('word', 'store', 'Sailing'))

    def test_what_is_cut_away(self):
        result = self.kedge('word', 'store', 'The')
        self.assertEqual(result.returncode, 1)
        self.assertIn(b'this store keeps no such word', result.stdout)

    def test_words_that_a_model_has_not(self):
        self.write('drop.txt', 'sail\n')
        self.works('fit', 'store', '-k', '2', '--drop-words', 'drop.txt',
                   '--max-df', '1.0')
        word = self.works_json('word', 'store', 'sail', '--format',
                               'json')['words'][0]
        self.assertTrue(word['known'])
        self.assertNotIn('model', word)
        self.assertIn('not a word of model k2',
                      self.works('word', 'store', 'sail'))

    def test_a_store_without_a_model(self):
        self.works('drop', 'store', '--model', 'k2')
        self.fails(1, 'kedge: the store has no model yet; make one with '
                   "'kedge fit STORE -k TOPICS'\n", 'word', 'store', 'sail')


if __name__ == '__main__':
    main()
