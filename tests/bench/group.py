#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does the order of adding, replacing and removing documents leave a trace?

Two halves A and B of a corpus of texts, and documents X that are removed again:
A then B, B then A, A then X then B with the batch X removed, interleavings of
all documents in three files where earlier versions of some are replaced, and
`kedge merge` of two stores. Every exported file of a model of each, and the
digests of the store, are the same; with words and phrases chosen from the
documents, whose sketch is made from the store, and with a given vocabulary,
whose sketch is made during ingest and subtracted from again.
"""
import json
import os
import random
import subprocess

from common import (add_counting, answer, begin, counting, digests, end, export,
                    fit, kedge, parser, place, remove, say_counting, skip,
                    table, verdict, weighing, ROOT)

INTERLEAVINGS = 5
STALE = 0.1  # of the documents come in another version first
OUTSIDERS = 0.15  # of the documents make X


# ---- corpora ----------------------------------------------------------------

def read_zstd(path):
    if not os.path.exists(path):
        skip(f'there is no {path}')
    return subprocess.run(['zstd', '-dcq', path], check=True,
                          stdout=subprocess.PIPE).stdout.decode().split('\n')


def texts(options, name, count):
    """The first documents of a corpus of texts; ids are its own, made unique
    by a number where they are not."""
    found, seen = [], set()
    lines = read_zstd(os.path.join(options.data, f'{name}.jsonl.zst'))[:-1]
    step = max(1, len(lines) // count) if count else 1
    for i, line in enumerate(lines[::step][:count or None]):
        one = json.loads(line)
        if one['id'] in seen:
            one['id'] += f'.{i}'
        seen.add(one['id'])
        found.append(one)
    return found


def harbour(count):
    """The fixture's bags as texts: this needs nothing but the project."""
    folder = os.path.join(ROOT, 'fixtures')
    with open(os.path.join(folder, 'vocab.harbour.txt')) as file:
        words = file.read().split()
    bags = {}
    for line in read_zstd(os.path.join(folder, 'docword.harbour.txt.zst'))[3:]:
        if line:
            d, w, n = map(int, line.split())
            bags.setdefault(d, []).extend([words[w - 1]] * n)
    return [{'id': f'harbour-{d}', 'text': ' '.join(bag)}
            for d, bag in sorted(bags.items())[:count]]


# ---- stores -----------------------------------------------------------------

def sketched(options):
    return ['--sketch-size', options.sketch_size] if options.sketch_size else []


class Case:
    """A corpus in parts, and how it is ingested."""

    def __init__(self, options, name, documents):
        self.options, self.name = options, name
        outside = int(len(documents) * OUTSIDERS)
        self.x, self.all = documents[:outside], documents[outside:]
        half = len(self.all) // 2
        self.a, self.b = self.all[:half], self.all[half:]
        self.vocab = None
        self.store = place(options, 'group.store')

    def put(self, documents, threads, *more, store=None, batch=None):
        path = place(self.options, f'group-{random.getrandbits(64):x}.jsonl')
        with open(path, 'w', encoding='utf-8') as file:
            for one in documents:
                file.write(json.dumps(one) + '\n')
        how = ['--vocab', self.vocab, *sketched(self.options),
               *counting(self.options)] if self.vocab else []
        how += ['--batch', batch] if batch else []
        kedge(self.options, 'ingest', store or self.store, path, '-q',
              '--threads', threads, *how, *more)
        os.unlink(path)

    def in_order(self, threads):
        self.put(self.a, threads)
        self.put(self.b, threads)

    def reversed(self, threads):
        self.put(self.b, threads)
        self.put(self.a, threads)

    def removed(self, threads):
        self.put(self.a, threads, batch='kept')
        self.put(self.x, threads, batch='guest')
        self.put(self.b, threads)
        kedge(self.options, 'remove', self.store, '--batch', 'guest', '-q',
              '--threads', threads)

    def interleaved(self, seed):
        """All documents in any order in three files, with earlier versions of
        some, some of them within the same file."""
        chance = random.Random(seed)
        order = list(self.all)
        chance.shuffle(order)
        stale = chance.sample(order, int(len(order) * STALE))
        texts_ = [one['text'] for one in stale]
        chance.shuffle(texts_)
        others = [{**one, 'text': text} for one, text in zip(stale, texts_)]
        cut = sorted(chance.sample(range(1, len(order)), 2))
        cut_others = chance.randrange(len(others))
        # what is stale comes before any of the right ones
        parts = [others[:cut_others],
                 others[cut_others:] + order[:cut[0]],
                 order[cut[0]:cut[1]], order[cut[1]:]]

        def make(threads):
            for part in parts:
                if part:
                    self.put(part, threads, '--on-duplicate', 'replace')
        return make

    def merged(self, threads):
        parts = [place(self.options, f'group-{x}.store') for x in 'ab']
        for store, documents in zip(parts, (self.a, self.b)):
            remove(store)
            self.put(documents, threads, store=store)
        kedge(self.options, 'merge', self.store, *parts, '-q')
        for store in parts:
            remove(store)

    def variants(self):
        found = [('A, B', self.in_order), ('B, A', self.reversed),
                 ('A, X, B without X', self.removed)]
        found += [(f'interleaved {seed}', self.interleaved(seed))
                  for seed in range(INTERLEAVINGS)]
        helped = kedge(self.options, '--help').out
        if '\n  merge ' in helped:
            found.append(('A and B merged', self.merged))
        else:
            print('# there is no kedge merge')
        return found

    def fingerprint(self, make, threads):
        """Digests of what is exported, and of the store."""
        options, folder = self.options, place(self.options, 'group.out')
        remove(self.store)
        make(threads)
        how = [] if self.vocab else ['--min-df', 2, '--max-df', 1,
                                     '--stopwords', 'none',
                                     '--phrases', 3, '--phrase-df', 3,
                                     '--phrase-score', 0.3,
                                     *counting(options)]
        if not self.vocab:
            how += sketched(options)
        fitted = fit(options, self.store, options.k, '--threads', threads,
                     '--save-spectrum', '--align', 'none',
                     *weighing(options), *how)
        export(options, self.store, folder, '--spectrum')
        found = digests(folder)
        told = answer(kedge(options, 'info', self.store, '--format', 'json'))
        found['info'] = told['digest']
        found['documents'] = str(told['documents'])
        say_counting(options, self.store, fitted)
        if not self.vocab:
            self.words = place(options, 'group.vocab')
            with open(os.path.join(folder, 'vocab.txt')) as file:
                single = [word for word in file if '_' not in word]
            with open(self.words, 'w') as file:
                file.writelines(single)
        remove(self.store)
        remove(folder)
        return found


def check(case, threads_of):
    how = 'by a vocabulary' if case.vocab else 'by words found'
    found = []
    for i, (name, make) in enumerate(case.variants()):
        for threads in threads_of(i):
            found.append((f'{name}, {threads} thread'
                          f'{"s" if threads > 1 else ""}',
                          case.fingerprint(make, threads)))
    names = sorted({file for _, each in found for file in each})
    table([f'{case.name}, {how}', *names],
          [[name, *(each.get(file, '-')[:8] for file in names)]
           for name, each in found])
    first = found[0][1]
    verdict(len(first) >= 10, f'{case.name}, {how}: {len(first)} things '
            'compared')
    for name, each in found[1:]:
        other = [file for file in names if each.get(file) != first.get(file)]
        verdict(not other, f'{case.name}, {how}, {name}: ' + (
            'differs in ' + ', '.join(other) if other else 'the same'))


def main():
    p = parser(__doc__)
    p.add_argument('--quick', action='store_true',
                   help='a few hundred documents of the fixture, and a '
                   'sketch of 256 columns')
    p.add_argument('--full', action='store_true', help='whole corpora')
    add_counting(p)
    p.add_argument('-k', type=int, default=15)
    p.add_argument('--sketch-size', type=int, help='its columns')
    options = begin(p)
    if options.quick:
        options.k, options.sketch_size = 5, options.sketch_size or 256
        corpora = [('harbour', harbour(400))]
    else:
        count = None if options.full else 6000
        corpora = [(name, texts(options, name, count))
                   for name in ('newsgroups', 'acl')]
    for name, documents in corpora:
        random.Random(1).shuffle(documents)
        case = Case(options, name, documents)
        each = (lambda i: (1, 2)) if options.quick else (
            lambda i: (1, 2) if i == 0 else (1 + i % 2,))
        check(case, each)
        case.vocab = case.words
        check(case, each)
        os.unlink(case.words)
    end()


if __name__ == '__main__':
    main()
