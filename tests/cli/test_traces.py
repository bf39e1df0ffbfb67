#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_traces.py PROGRAM: what came and left, and words that were promised and
never came, leave no trace in models."""
import json
import random

from shell import Case, main

BAGS = ('--from', 'jsonl', '--text-field', 'words')
FILES = ('vocab.txt', 'topics.npy', 'topic_cooccurrence.npy',
         'word_probability.npy', 'model.json')
WAYS = ((), ('--term-weight', 'none'),
        ('--term-weight', 'sqrt', '--power-iter', '1'),
        ('--ncut',), ('--ncut', '--term-weight', 'none', '--em-iter', '1'),
        ('--cooccurrence', 'dense'),
        ('--rectify', 'palm', '--rectify-iter', '3'))
WORDS = 600     # more than are read at a time
C = 'cooccurrence.npy'


def words():
    """In an order that is not that of their bytes."""
    made = [f'w{i:03}' for i in range(WORDS)]
    random.Random(3).shuffle(made)
    return made


def documents(count, known, seed):
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        topic = chance.randrange(4)
        bag = {}
        for _ in range(chance.randrange(8, 60)):
            word = known[topic + 4 * int(len(known) / 4 *
                                         chance.random() ** 2)]
            bag[word] = bag.get(word, 0) + 1
        made.append({'words': bag})
    return ''.join(json.dumps(d) + '\n' for d in made)


class Traces(Case):
    def setUp(self):
        super().setUp()
        self.known = words()
        self.write('all.txt', ''.join(w + '\n' for w in self.known))
        self.write('some.jsonl', documents(300, self.known[:400], 1))

    def put(self, store, source, *arguments):
        self.works('ingest', store, source, *BAGS, '--sketch-size', '200',
                   *arguments)

    def model(self, store, *arguments):
        self.works('fit', store, '-k', '4', '--model', 'm', '--align', 'none',
                   *arguments)
        self.works('export', store, '--model', 'm', '-o', store + '.out')
        return [self.read(f'{store}.out/{name}') for name in FILES]

    def check(self, store, other):
        for way in WAYS:
            with self.subTest(way=way):
                self.assertEqual(self.model(store, *way),
                                 self.model(other, *way))

    def only(self, store):
        """A store of these documents alone, and of their words alone."""
        self.write('own.txt', ''.join(sorted(
            w + '\n' for w in self.known[:400] if f'"{w}"'.encode()
            in self.read('some.jsonl'))))
        self.put(store, 'some.jsonl', '--vocab', 'own.txt')

    def test_words_that_no_document_has(self):
        self.put('store', 'some.jsonl', '--vocab', 'all.txt')
        self.only('other')
        self.check('store', 'other')
        vocabulary = self.read('store.out/vocab.txt').decode().split()
        self.assertEqual(vocabulary, sorted(self.known_now()))

    def known_now(self):
        return {w for line in self.read('some.jsonl').splitlines()
                for w in json.loads(line)['words']}

    def test_words_that_came_and_left(self):
        self.only('store')
        self.only('other')
        self.write('more.jsonl', documents(40, self.known[300:], 2))
        self.put('store', 'more.jsonl', '--batch', 'monday')
        before = self.model('store')
        self.works('remove', 'store', '--batch', 'monday')
        self.assertNotEqual(before, self.model('store'))
        self.check('store', 'other')
        self.works('compact', 'store')
        self.assertEqual(self.model('store'), self.model('other'))

    def test_words_are_chosen_again_unless_they_are_frozen(self):
        self.write('more.jsonl', documents(200, self.known[380:], 2))
        for name in ('store', 'other'):
            self.works('ingest', name, 'some.jsonl', *BAGS)
        self.works('ingest', 'store', 'more.jsonl', *BAGS, '--batch', 'b')
        self.works('fit', 'store', '-k', '4')
        self.works('remove', 'store', '--batch', 'b')
        said = self.kedge('fit', 'store', '-k', '4', '--freeze')
        self.assertRegex(said.stderr.decode(),
                         r'(?m)^kedge: words: 600, in 2 documents or more.*'
                         r'\(--freeze: model k4, index 1\)$')
        self.assertEqual(self.model('store'), self.model('other'))
        said = self.kedge('fit', 'store', '-k', '4').stderr.decode()
        self.assertNotIn('--freeze', said)

    def test_the_cooccurrence_is_of_the_models_words(self):
        self.put('store', 'some.jsonl', '--vocab', 'all.txt')
        self.only('other')
        for name in ('store', 'other'):
            self.model(name)
            self.works('export', name, '--model', 'm', '-o', name + '.out',
                       '--cooccurrence', 'dense')
        self.assertEqual(self.read('store.out/' + C),
                         self.read('other.out/' + C))

    def test_topics_for_which_too_few_words_are_left(self):
        self.write('few.jsonl', documents(60, self.known[:8], 1))
        self.put('store', 'few.jsonl', '--vocab', 'all.txt')
        self.fails(5, 'kedge: 9 topics are too many for 8 words: fit 8 topics '
                   'at most\n', 'fit', 'store', '-k', '9', '-q')


if __name__ == '__main__':
    main()
