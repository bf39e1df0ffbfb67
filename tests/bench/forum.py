#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a dump of a forum as people find it: short posts in messy CSV files.

    forum.py FOLDER [--files 300] [--posts 200000] [--seed 1]

writes posts-000.csv, ... and truth.tsv (post id, topic) into FOLDER. Posts have
a title and often a text below it, of one of the twelve topics of
fixtures/words.txt with chatter around it ("got told went said"), misspellings,
names and links. The mess is that of real dumps: removed and deleted posts,
titles alone, line ends and quotes inside fields, HTML entities, Markdown, a
byte order mark in some files, carriage returns in others, crossposts under
other ids, duplicate ids, an empty file, a truncated last row, and a file in
Latin-1.
"""
import argparse
import csv
import io
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', 'fixtures'))

from generate import read_words  # noqa: E402

FIELDS = ('id', 'author', 'created_utc', 'subreddit', 'title', 'selftext',
          'score')
GLUE = ('the a an and or but if of to in on at for with from by is was are be '
        'been it this that these i you he she we they my your his her our '
        'not no so as do did does have has had can will would').split()
CHATTER = ('got told went said friend guy thing really people going know want '
           'think back felt talk asked started never even still anyone help '
           'happened feel need make look find getting trying stuff lol edit '
           'thanks guys question advice bit pretty actually literally').split()


def zipf(count):
    return [1 / (rank + 3) for rank in range(count)]


def name(chance):
    return ''.join(chance.choice('bdfgklmnprstvz') + chance.choice('aeiou')
                   for _ in range(chance.randint(2, 5)))


class Writer:
    """Posts of planted topics."""

    def __init__(self, chance):
        self.chance = chance
        lists = read_words(os.path.join(HERE, '..', '..', 'fixtures',
                                        'words.txt'))
        self.common = lists.pop('common')[1]
        self.topics = {topic: list(anchors) + words
                       for topic, (anchors, words) in lists.items()}
        self.names = [name(chance) for _ in range(30000)]
        self.story = 0  # the share of chatter in the post at hand

    def misspelt(self, word):
        at = self.chance.randrange(len(word))
        return word[:at] + self.chance.choice('aeioutnrs') + word[at + 1:]

    def word(self, topic):
        c = self.chance
        kind = c.random()
        if kind < .38:
            return c.choice(GLUE)
        if kind < .44 + self.story:
            return c.choices(CHATTER, zipf(len(CHATTER)))[0]
        if kind < .50 + self.story:
            return c.choices(self.common, zipf(len(self.common)))[0]
        if kind < .52 + self.story:
            return c.choice(self.names)
        word = c.choices(self.topics[topic], zipf(len(self.topics[topic])))[0]
        return self.misspelt(word) if c.random() < .02 else word

    def words(self, topic, least, most):
        count = min(most, least + int(self.chance.expovariate(1 / least)))
        return [self.word(topic) for _ in range(count)]

    def title(self, topic):
        return ' '.join(self.words(topic, 5, 20)).capitalize() + \
            self.chance.choice(('', '?', '!', '...', ' \U0001f602'))

    def text(self, topic):
        c = self.chance
        kind = c.random()
        if kind < .3:
            return ''
        if kind < .36:
            return c.choice(('[removed]', '[deleted]'))
        parts = [' '.join(self.words(topic, 12, 200))
                 for _ in range(c.choice((1, 1, 1, 2, 3)))]
        text = c.choice(('\n\n', '\n', ' ')).join(parts)
        if c.random() < .1:
            text += ' &amp; "' + c.choice(CHATTER) + '", &gt; he said'
        if c.random() < .1:
            text += f' [here](https://www.example.org/{c.choice(self.names)})'
        return text

    def post(self, number):
        c = self.chance
        topic = c.choice(list(self.topics))
        self.story = c.choice((0, 0, .1, .4))
        return topic, {
            'id': f't{number:06x}', 'author': c.choice(self.names),
            'created_utc': 1600000000 + 60 * number,
            'subreddit': topic if c.random() < .9 else 'AskAnything',
            'title': self.title(topic), 'selftext': self.text(topic),
            'score': int(c.expovariate(.1))}


def as_csv(posts, end):
    out = io.StringIO()
    table = csv.DictWriter(out, FIELDS, lineterminator=end)
    table.writeheader()
    table.writerows(posts)
    return out.getvalue()


def encode(number, posts):
    """A file's bytes, each with its own mess."""
    text = as_csv(posts, '\r\n' if number % 7 == 3 else '\n')
    if number % 50 == 9:
        text = text[:-20]  # the dump was cut off
    if number % 50 == 17:
        return text.replace('said', 'sagte f\xfcr').encode('latin-1',
                                                            'replace')
    return text.encode('utf-8-sig' if number % 11 == 5 else 'utf-8')


def spoil(chance, posts, seen):
    """Crossposts under other ids, and ids that come twice."""
    for post in list(posts):
        if chance.random() < .01:
            posts.append(dict(post, id=post['id'] + 'x'))
        if seen and chance.random() < .002:
            posts.append(chance.choice(seen))
    seen.extend(posts[:3])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('folder')
    parser.add_argument('--files', type=int, default=300)
    parser.add_argument('--posts', type=int, default=200000)
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    writer = Writer(chance)
    os.makedirs(options.folder, exist_ok=True)
    seen, number = [], 0
    with open(os.path.join(options.folder, 'truth.tsv'), 'w',
              encoding='utf-8') as truth:
        for file in range(options.files):
            posts = []
            last = options.posts * (file + 1) // options.files
            while number < last:
                topic, post = writer.post(number)
                truth.write(f'{post["id"]}\t{topic}\n')
                posts.append(post)
                number += 1
            spoil(chance, posts, seen)
            path = os.path.join(options.folder, f'posts-{file:03}.csv')
            with open(path, 'wb') as out:
                out.write(b'' if file == 23 else encode(file, posts))
    print(f'{number} posts in {options.files} files')


if __name__ == '__main__':
    main()
