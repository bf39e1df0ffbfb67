#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do two builds of kedge give the same arrays?

    digests.py                      prints a table of digests
    digests.py --against PROGRAM    compares with another kedge
    digests.py --table FILE         compares with an earlier table

A digest of the exported arrays for every corpus, --tf and way that documents
can come into a store. A change that is not meant to change results leaves the
table as it was. Bytes depend on the processor: build the earlier version and
compare --against it, not a table of another machine. Within a row all ways
agree, for every program.
"""
import collections
import hashlib
import json
import os
import re
import shutil
import subprocess

from common import (STATISTICS, begin, corpus, end, kedge, parser, place, remove,
                    verdict)

WAYS = ('plain', 'removal', 'merge', 'sketch', '2 ranks', '3 ranks')
TOPICS = 12
LEAST = 3  # documents that hold a word


def split(options, source, name, parts):
    """A corpus as texts in so many files, a document to each in turn."""
    paths = [place(options, f'{name}-{parts}-{i}.jsonl')
             for i in range(parts)]
    files = [open(path, 'w', encoding='utf-8') for path in paths]
    for i, one in enumerate(source):
        files[i % parts].write(json.dumps(one) + '\n')
    for file in files:
        file.close()
    return paths


def unpacked(path):
    return subprocess.run(['zstd', '-dcq', path], check=True,
                          stdout=subprocess.PIPE).stdout.decode().split('\n')


def documents(options, name):
    """As texts: a bag's words in the order of their numbers."""
    if name == 'newsgroups':
        path = os.path.join(options.data, 'newsgroups.jsonl.zst')
        return [{'id': f'n{i}', 'text': json.loads(line)['text']}
                for i, line in enumerate(unpacked(path)[:-1][::4])]
    c = corpus(options, name)
    with open(c.vocab, encoding='utf-8') as file:
        words = file.read().split('\n')
    bags = {}
    for line in unpacked(c.docword)[3:-1]:
        d, w, n = map(int, line.split())
        bags.setdefault(d, []).extend([words[w - 1]] * n)
    return [{'id': f'd{d}', 'text': ' '.join(bag)}
            for d, bag in sorted(bags.items())]


def word_list(options, name, source):
    """A file of the words that models are made of: plain lower-case ones, as
    parts can only be added up where they have the same list."""
    df = collections.Counter()
    for one in source:
        df.update(set(re.findall('[a-z]{3,}', one['text'])))
    path = place(options, f'{name}.words')
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines(f'{word}\n' for word, n in sorted(df.items())
                        if LEAST <= n <= len(source) / 2)
    return path


def arrays(options, program, store):
    """The digest of all that is exported but what names a program or time."""
    folder = place(options, 'digests.out')
    remove(folder)
    kedge(program, 'export', store, '-o', folder, '--spectrum', '-q')
    value = hashlib.sha256()
    for name in sorted(os.listdir(folder)):
        if re.fullmatch(r'.*\.npy|vocab\.txt|anchors\.txt', name):
            with open(os.path.join(folder, name), 'rb') as file:
                value.update(name.encode() + file.read())
    remove(folder)
    return value.hexdigest()[:16]


class Maker:
    def __init__(self, options, program, files, words):
        self.options, self.program, self.files = options, program, files
        self.words = words
        self.store = place(options, 'digests.store')

    def put(self, store, paths, *more):
        kedge(self.program, 'ingest', store, *paths, '-q', *more)

    def plain(self, _):
        self.put(self.store, self.files[1])

    def removal(self, _):
        self.put(self.store, self.files[1])
        guests = place(self.options, 'digests.jsonl')
        with open(self.files[1][0], encoding='utf-8') as file, \
                open(guests, 'w', encoding='utf-8') as out:
            for i, line in enumerate(file):
                if i % 7 == 0:
                    one = json.loads(line)
                    one = {'id': 'x' + one['id'], 'text': one['text'] + ' zz'}
                    out.write(json.dumps(one) + '\n')
        self.put(self.store, [guests], '--batch', 'guests')
        kedge(self.program, 'remove', self.store, '--batch', 'guests', '-q')

    def parts(self):
        for i, path in enumerate(self.files[2]):
            store = f'{self.store}.{i}'
            self.put(store, [path])
            yield store

    def merge(self, _):
        kedge(self.program, 'merge', self.store, *self.parts(), '-q')

    def sketch(self, how):
        sketches = []
        for store in self.parts():
            sketches.append(store + '.sketch')
            remove(sketches[-1])
            kedge(self.program, 'sketch', 'export', store, '-o', sketches[-1],
                  '-q', *how)
        kedge(self.program, 'sketch', 'import', self.store, *sketches, '-q')

    def fit(self, ranks, *how):
        how = ('-k', TOPICS, '--align', 'none', '--save-spectrum', '-q', *how)
        words = [self.program.program, 'fit', self.store, *map(str, how)]
        if ranks:
            words = ['mpirun', '--allow-run-as-root', '--oversubscribe', '-n',
                     str(ranks)] + words
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def clean(self):
        for i in ('', *(f'.{r}' for r in range(3))):
            remove(self.store + i)

    def digest(self, way, tf):
        how = ('--tf', tf, '--keep-words', self.words,
               '--sketch-size', 1000)
        ranks = int(way[0]) if way.endswith('ranks') else 0
        self.clean()
        if ranks:
            subprocess.run(['mpirun', '--allow-run-as-root',
                            '--oversubscribe', '-n', str(ranks),
                            self.program.program, 'ingest', self.store,
                            *self.files[3], '-q'], check=True,
                           stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        else:
            getattr(self, way)(how)
        self.fit(ranks, *how)
        found = arrays(self.options, self.program, self.store)
        self.clean()
        return found


def measure(options, program, files):
    """{'corpus tf way': digest}"""
    found = {}
    for name in options.corpora.split(','):
        maker = Maker(options, program, *files[name])
        for tf in STATISTICS:
            for way in options.ways.split(','):
                key = f'{name} {tf} {way}'
                found[key] = maker.digest(way, tf)
                print(f'{key}: {found[key]}', flush=True)
            row = {found[f'{name} {tf} {way}']
                   for way in options.ways.split(',')}
            verdict(len(row) == 1, f'{name} {tf}: all ways agree')
    return found


def main():
    p = parser(__doc__)
    p.add_argument('--corpora', default='harbour,kos,newsgroups')
    p.add_argument('--ways', default=','.join(
        way for way in WAYS if 'ranks' not in way or shutil.which('mpirun')))
    p.add_argument('--against', help='another kedge')
    p.add_argument('--table', help='what an earlier run printed')
    options = begin(p)
    files = {}
    for name in options.corpora.split(','):
        source = documents(options, name)
        files[name] = ({n: split(options, source, name, n) for n in (1, 2, 3)},
                       word_list(options, name, source))
    found = measure(options, options, files)
    before = {}
    if options.against:
        other = type(options)(**{**vars(options),
                                 'program': os.path.abspath(options.against)})
        before = measure(other, other, files)
    if options.table:
        with open(options.table, encoding='utf-8') as file:
            before = dict(line.rstrip('\n').split(': ') for line in file
                          if re.fullmatch(r'.* .* .*: [0-9a-f]{16}\n', line))
    for key, value in before.items():
        if key in found:
            verdict(found[key] == value, f'{key}: as before')
    end()


if __name__ == '__main__':
    main()
