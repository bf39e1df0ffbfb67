#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_phrases.py PROGRAM: phrases are found as a naive twin finds them, live
on with their index, and documents come back in the order of their words."""
import itertools
import json
import math
import random
import shutil
import time

from shell import Case, main

WORDS = [f'word{chr(97 + i // 26)}{chr(97 + i % 26)}' for i in range(120)]
PLANTED = [(3, 50), (7, 8), (40, 41, 42), (90, 3)]
ALL = ('--min-df', '1', '--max-df', '1', '--stopwords', 'none')


def text(chance):
    """Sentences in which some words go together more often than not."""
    sentences = []
    for _ in range(chance.randrange(3, 9)):
        words = []
        for _ in range(chance.randrange(3, 12)):
            if chance.random() < 0.15:
                words += chance.choice(PLANTED)
            else:
                words.append(int(chance.random() ** 2 * len(WORDS)))
        sentences.append(' '.join(WORDS[w] for w in words))
    return chance.choice(['. ', ', ', '; ']).join(sentences) + '.'


def make(count, seed, name):
    chance = random.Random(seed)
    return [{'id': f'{name}-{i}', 'text': text(chance)} for i in range(count)]


def jsonl(documents):
    return ''.join(json.dumps(d) + '\n' for d in documents)


def sentences(document):
    """Words that stand side by side."""
    flat = document['text'].replace(',', '.').replace(';', '.')
    return [part.split() for part in flat.split('.') if part.split()]


def score(both, left, right, total):
    return (math.log(both * total / (left * right)) / -math.log(both / total))


def join(units, pairs):
    joined, i = [], 0
    while i < len(units):
        if i + 1 < len(units) and (units[i], units[i + 1]) in pairs:
            joined.append(units[i] + '_' + units[i + 1])
            i += 2
        else:
            joined.append(units[i])
            i += 1
    return joined


def candidates(split, most):
    """Of pairs, how often and in how many documents; of units, how often."""
    tf, df, count = {}, {}, {}
    for document in split:
        seen = set()
        for units in document:
            for one in units:
                count[one] = count.get(one, 0) + 1
            for pair in itertools.pairwise(units):
                if sum(u.count('_') + 1 for u in pair) <= most:
                    tf[pair] = tf.get(pair, 0) + 1
                    seen.add(pair)
        for pair in seen:
            df[pair] = df.get(pair, 0) + 1
    return tf, df, count


def join_all(documents, rounds):
    split = [sentences(d) for d in documents]
    for pairs in rounds:
        split = [[join(units, pairs) for units in d] for d in split]
    return split


def find_rounds(documents, most, least, bound):
    """What kedge is to find: phrases in as many rounds, less those that come
    too rarely in the end and are in no other. With the counts before they
    are less."""
    rounds = []
    for _ in range(most - 1):
        tf, df, count = candidates(join_all(documents, rounds), most)
        total = sum(count.values())
        rounds.append({(a, b) for (a, b), n in tf.items() if df[a, b] >= least
                       and score(n, count[a], count[b], total) >= bound})
    first = counts(join_all(documents, rounds))
    for i in reversed(range(len(rounds))):
        rest = [part for later in rounds[i + 1:] for pair in later
                for part in pair]
        rounds[i] = {pair for pair in rounds[i]
                     if first.get('_'.join(pair), (0, 0))[1] >= least
                     or '_'.join(pair) in rest}
    return rounds, first


def find(documents, most, least, bound):
    """Gives tf and df of what is on the index's list."""
    rounds, first = find_rounds(documents, most, least, bound)
    last = counts(join_all(documents, rounds))
    return {word: found for word, found in last.items()
            if '_' not in word or first.get(word, (0, 0))[1] >= least}


def counts(split):
    """tf and df of words and phrases."""
    found = {}
    for document in split:
        units = list(itertools.chain(*document))
        for one in set(units):
            tf, df = found.get(one, (0, 0))
            found[one] = (tf + units.count(one), df + 1)
    return found


class Phrases(Case):
    FIRST, SECOND = make(300, 1, 'first'), make(200, 2, 'second')

    def ingest(self, name, documents, *more, store='store'):
        self.write(name, jsonl(documents))
        self.works('ingest', store, name, *more)

    def fit(self, *more, store='store'):
        return self.kedge('fit', store, '-k', '4', *more)

    def words(self, index, store='store'):
        told = self.works_json('vocab', store, '--index', str(index), '-n', '0',
                               '--format', 'json')
        return {w['word']: (w['tf'], w['df']) for w in told['words']}

    def sketches(self, store='store'):
        told = self.works_json('verify', store, '--format', 'json')
        self.assertEqual(told['damaged'], [])
        return [(v['number'], v['digest']) for v in told['indexes']]

    def test_found_as_by_the_twin(self):
        self.ingest('first.jsonl', self.FIRST)
        for index, (most, least, bound) in enumerate(
                [(2, 10, 0.2), (2, 5, 0.05), (3, 10, 0.2), (4, 5, 0.1)], 1):
            result = self.fit(*ALL, '--phrases', str(most), '--phrase-df',
                              str(least), '--phrase-score', str(bound))
            self.assertEqual(result.returncode, 0, result.stderr.decode())
            expected = find(self.FIRST, most, least, bound)
            phrases = [w for w in expected if '_' in w]
            self.assertGreaterEqual(len(phrases), 3)
            self.assertEqual(self.words(index), expected)

    def test_repair_tells_of_a_damaged_order(self):
        """Though no count is made of it."""
        self.ingest('first.jsonl', self.FIRST)
        path = self.path('store/data.mdb')
        whole = self.read('store/data.mdb')
        record = b'order of words of block 0'
        for at in range(len(whole) - 1, 0, -97):
            with open(path, 'wb') as file:
                file.write(whole[:at] + bytes([whole[at] ^ 16]) +
                           whole[at + 1:])
            if record + b': is damaged' in self.kedge('verify',
                                                      'store').stdout:
                break
        else:
            self.fail('no byte is of the order')
        result = self.kedge('repair', 'store')
        self.assertEqual(result.returncode, 3)
        self.assertIn(record + b' is damaged', result.stderr)

    def test_a_phrase_is_told_with_its_indexes(self):
        self.ingest('first.jsonl', self.FIRST)
        for most in ('2', '3'):
            self.fit(*ALL, '--phrases', most, '--phrase-score', '0.2')
        three = set(self.words(2)) - set(self.words(1))
        two = {w for w in set(self.words(1)) & set(self.words(2)) if '_' in w}
        for phrase, indexes in ((min(two), 'indexes 1, 2 have it as a phrase: try --index 1'),
                                (min(three), 'index 2 has it as a phrase: try --index 2')):
            self.assertEqual(
                self.kedge('vocab', 'store', phrase).stderr.decode(),
                f'kedge: there is no word "{phrase}" in the store\n'
                f'kedge: {indexes}\n')
        phrase = min(three)
        self.assertIn(phrase, self.works('vocab', 'store', phrase, '--index',
                                         '2'))
        self.assertEqual(
            self.kedge('vocab', 'store', phrase, '--index',
                       '1').stderr.decode(),
            f'kedge: there is no word "{phrase}" with this --min-df or --index\n'
            'kedge: index 2 has it as a phrase: try --index 2\n')
        self.assertEqual(
            self.kedge('vocab', 'store', phrase, '--index', '2', '--min-df',
                       '100000').stderr.decode(),
            f'kedge: there is no word "{phrase}" with this --min-df or --index\n')

    def test_phrases_of_a_dropped_index(self):
        """Nothing lists them, and they are found in their places again."""
        def count():
            return self.works_json('info', 'store', '--format',
                                   'json')['words']

        self.ingest('first.jsonl', self.FIRST)
        plain = self.works('vocab', 'store', '-n', '0')
        before = count()
        how = (*ALL, '--phrases', '2', '--phrase-score', '0.2')
        self.fit(*how)
        words, after = self.words(1), count()
        phrase = min(w for w in words if '_' in w)
        self.assertGreater(after, before)
        self.works('drop', 'store', '--index', '1')
        for _ in range(2):
            self.assertEqual(self.works('vocab', 'store', '-n', '0'), plain)
            self.fails_at_the_end('vocab', 'store', phrase)
            self.works('topics', 'store')
            self.works('compact', 'store')
        self.works('verify', 'store')
        self.fit(*how)
        self.assertEqual((self.words(1), count()), (words, after))

    def fails_at_the_end(self, *arguments):
        result = self.kedge(*arguments)
        self.assertEqual((result.returncode, result.stderr.decode()),
                         (1, f'kedge: there is no word "{arguments[-1]}" in '
                          'the store\n'))

    def lives_on(self, store, *more):
        how = (*ALL, '--phrases', '3', '--phrase-score', '0.2', *more)
        self.ingest('first.jsonl', self.FIRST, '--batch', 'one', store=store)
        self.assertEqual(self.fit(*how, store=store).returncode, 0)
        before = self.sketches(store)
        self.works('export', store, '--model', 'k4', '-o', store + '.before')
        self.ingest('second.jsonl', self.SECOND, '--batch', 'two', store=store)
        self.assertNotEqual(self.sketches(store), before)
        self.works('remove', store, '--batch', 'two')
        self.assertEqual(self.sketches(store), before)
        self.works('compact', store)
        self.works('repair', store)
        self.assertEqual(self.sketches(store), before)
        self.assertEqual(self.fit('--align', 'none', *how,
                                  store=store).returncode, 0)
        self.works('export', store, '--model', 'k4', '-o', store + '.after')
        for name in ('topics.npy', 'vocab.txt', 'word_probability.npy'):
            self.assertEqual(self.read(f'{store}.before/{name}'),
                             self.read(f'{store}.after/{name}'), name)
        return before

    def test_the_index_lives_on(self):
        found = [self.lives_on(statistic, '--tf', statistic)
                 for statistic in ('raw', 'log', 'sqrt')]
        self.assertEqual(len({digest for (_, digest), in found}), 3)

    def test_as_if_phrases_were_words(self):
        """Bags of the same words and phrases make the same topics, however
        they are counted."""
        rule = (3, 10, 0.2)
        rounds, _ = find_rounds(self.FIRST, *rule)
        self.ingest('first.jsonl', self.FIRST)
        bags = []
        for i, units in enumerate(join_all(self.FIRST, rounds)):
            flat = list(itertools.chain(*units))
            bags.append({'id': f'bag-{i}',
                         'text': {u: flat.count(u) for u in flat}})
        self.ingest('bags.jsonl', bags, store='bags')
        self.write('keep.txt', ''.join(
            word + '\n' for word in find(self.FIRST, *rule)))
        for more in (['--tf', 'log'], ['--tf', 'sqrt'],
                     ['--tf', 'log', '--power-iter', '1'],
                     ['--term-weight', 'idf'],
                     ['--term-weight', 'sqrt', '--tf', 'log']):
            told = []
            for store, words in (
                    ('store', [*ALL, '--phrases', '3', '--phrase-df', '10',
                               '--phrase-score', '0.2']),
                    ('bags', ['--keep-words', 'keep.txt'])):
                result = self.fit(*words, *more, '--align', 'none',
                                  store=store)
                self.assertEqual(result.returncode, 0, result.stderr.decode())
                self.works('export', store, '--model', 'k4', '-o', 'out')
                told.append([self.read(f'out/{name}') for name in (
                    'vocab.txt', 'word_probability.npy', 'topics.npy',
                    'topic_cooccurrence.npy', 'anchors.txt')])
            self.assertIn(b'_', told[0][0])
            self.assertEqual(told[0], told[1], more)

    def test_any_way_to_the_same_documents(self):
        self.ingest('both.jsonl', self.FIRST + self.SECOND, store='whole')
        self.ingest('second.jsonl', self.SECOND, store='b')
        self.ingest('first.jsonl', self.FIRST, store='a')
        self.works('merge', 'merged', 'b', 'a')
        self.ingest('second.jsonl', self.SECOND, store='a')
        for statistic in ('raw', 'log', 'sqrt'):
            exported = []
            for store in ('whole', 'a', 'merged'):
                result = self.fit(*ALL, '--phrases', '2', '--phrase-score',
                                  '0.2', '--tf', statistic, '--align',
                                  'none', store=store)
                self.assertEqual(result.returncode, 0, result.stderr.decode())
                self.works('export', store, '--model', 'k4', '-o', 'out')
                exported.append([self.read(f'out/{name}') for name in (
                    'topics.npy', 'vocab.txt', 'anchors.txt')])
            self.assertIn(b'_', exported[0][1])
            self.assertEqual(exported[0], exported[1], statistic)
            self.assertEqual(exported[0], exported[2], statistic)

    def test_killed(self):
        """The fit that is asked for again goes on with the index that it
        had begun, by the same tf."""
        self.ingest('first.jsonl', self.FIRST + self.SECOND)
        shutil.copytree(self.path('store'), self.path('twin'))
        how = (*ALL, '--phrases', '3', '--phrase-score', '0.2', '--tf',
               'log', '--term-weight', 'sqrt')
        begun = time.monotonic()
        self.assertEqual(self.fit(*how, store='twin').returncode, 0)
        seconds = time.monotonic() - begun
        chance, killed = random.Random(5), 0
        for _ in range(12):
            child = self.start('fit', 'store', '-k', '4', '-q', *how)
            time.sleep(chance.uniform(0, seconds))
            child.kill()
            child.communicate()
            killed += child.returncode != 0
        self.assertGreater(killed, 0)
        result = self.fit(*how, '--align', 'none')
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        self.assertEqual(self.sketches(), self.sketches('twin'))
        for store in ('store', 'twin'):
            self.works('export', store, '--model', 'k4', '-o', store + '.out')
        self.assertEqual(self.read('store.out/topics.npy'),
                         self.read('twin.out/topics.npy'))

    def test_found_once(self):
        self.ingest('first.jsonl', self.FIRST)
        how = (*ALL, '--phrases', '2', '--phrase-score', '0.2')
        first = self.fit(*how)
        self.assertIn(b'phrases found', first.stderr)
        again = self.fit(*how)
        self.assertNotIn(b', new)', again.stderr)
        self.assertNotIn(b'phrases found', again.stderr)
        other = self.fit(*how[:-1], '0.1')
        self.assertIn(b'phrases found', other.stderr)

    def test_documents_in_their_order(self):
        self.ingest('first.jsonl', self.FIRST[:20])
        shown = self.works('cat', 'store', '--format', 'text')
        expected = ''.join(
            f'{d["id"]}\t\t' + ' | '.join(map(' '.join, sentences(d))) + '\n'
            for d in self.FIRST[:20])
        self.assertEqual(shown, expected)
        self.write('back.txt', shown.replace('\t\t', '\tx\t'))
        self.works('ingest', 'again', 'back.txt', '--from', 'mallet')
        self.assertEqual(self.works('cat', 'again', '--format', 'text'),
                         shown.replace('\t\t', '\tx\t'))

    def test_without_an_order(self):
        self.ingest('first.jsonl', self.FIRST, '--bags-only')
        result = self.fit(*ALL, '--phrases', '2', '--phrase-score', '0')
        self.assertEqual(result.returncode, 2)
        self.assertIn(b'word order stored', result.stderr)

    def test_some_without_an_order(self):
        self.ingest('first.jsonl', self.FIRST)
        self.ingest('second.jsonl', self.SECOND, '--bags-only')
        how = (*ALL, '--phrases', '2', '--phrase-score', '0.2')
        self.assertIn(b'200 of 500 documents have no word order',
                      self.fit(*how).stderr)

    def test_dropped(self):
        """A phrase that is on a list of words to drop is none."""
        self.ingest('first.jsonl', self.FIRST)
        how = (*ALL, '--phrases', '2', '--phrase-score', '0.2')
        dropped = f'{WORDS[3]}_{WORDS[50]}'
        self.assertEqual(self.fit(*how).returncode, 0)
        self.assertIn(dropped, self.words(1))
        self.write('drop.txt', dropped + '\n')
        self.assertEqual(self.fit(*how, '--drop-words',
                                  'drop.txt').returncode, 0)
        words = self.words(2)
        self.assertNotIn(dropped, words)
        self.assertGreater(words[WORDS[50]][0], self.words(1)[WORDS[50]][0])

    def test_stems_of_stop_words(self):
        """Those of the list have become stems in the store."""
        said = 'because any pilot was very early; why only the ships sailed'
        self.write('text.lines', 20 * f'{said}\n')
        self.works('ingest', 'store', 'text.lines', '--from', 'lines',
                   '--stem', 'english')
        result = self.kedge('fit', 'store', '-k', '2', '--min-df', '1',
                            '--max-df', '1', '--min-tokens', '2')
        self.assertIn(b'words: 4 of 11, no stop words', result.stderr)

    def test_limits(self):
        self.ingest('first.jsonl', self.FIRST)
        for wrong in (['--phrases', '9'],
                      ['--phrase-df', '20'], ['--phrase-score', '0.4'],
                      ['--phrases', '1', '--phrase-df', '3'],
                      ['--phrases', '2', '--phrase-score', '2'],
                      ['--phrases', '2', '--phrase-df', '0']):
            self.assertIn(self.fit(*wrong).returncode, (1, 2), wrong)


if __name__ == '__main__':
    main()
