# SPDX-License-Identifier: MIT
"""The corpora of the experiments, as files for kedge and as bags of words.

A corpus is texts (JSON lines) or bags (UCI). Which words it has is kedge's
business: it is ingested once, and `kedge cat` gives each document's words with
their counts. Peers get these, without the words that a model's index lacks.
"""
import bench

import json
import os
import re
import subprocess

import numpy as np
from scipy import sparse

from common import ROOT, kedge, lines_of, place, remove, skip

TEXTS = ('newsgroups', 'bbc', 'acl')
LABELLED = ('newsgroups', 'bbc')
ALL = ('newsgroups', 'kos', 'ap', 'bbc', 'acl')


def plain(path):
    """The lines of a .zst file."""
    if not os.path.exists(path):
        skip(f'there is no {path}')
    out = subprocess.run(['zstd', '-dcq', path], check=True,
                         stdout=subprocess.PIPE).stdout
    return out.decode('utf-8').split('\n')[:-1]


def without_headers(line):
    """A posting from its first empty line on: headers name the group. Those of
    the earlier part have tabs for ends of lines, and keep theirs, for all tools
    alike. Numbers start again in each group."""
    document = json.loads(line)
    document['id'] = f'{document["label"]}/{document["id"]}'
    document['text'] = re.sub(r'\A.*?\n\s*\n', '', document['text'],
                              flags=re.S)
    return json.dumps(document)


class Texts:
    """JSON lines; a subset is some of the lines."""

    def __init__(self, options, name):
        path = os.path.join(options.data, name + '.jsonl.zst')
        self.lines = plain(path)
        if name == 'newsgroups':
            self.lines = [without_headers(line) for line in self.lines]
        self.documents = len(self.lines)
        labels = [json.loads(line).get('label') for line in self.lines]
        self.labels = np.array(labels) if name in LABELLED else None

    def vocabulary(self):
        return []

    def write(self, path, chosen):
        with open(path + '.jsonl', 'w', encoding='utf-8') as file:
            file.writelines(self.lines[i] + '\n' for i in chosen)
        return [path + '.jsonl', '--from', 'jsonl']


class Bags:
    """UCI triples; a subset has its documents renumbered."""

    labels = None

    def __init__(self, options, name):
        folder = (os.path.join(ROOT, 'fixtures') if name == 'harbour'
                  else options.data)
        self.vocab = os.path.join(folder, f'vocab.{name}.txt')
        lines = plain(os.path.join(folder, f'docword.{name}.txt.zst'))
        self.documents, self.words = int(lines[0]), int(lines[1])
        triples = np.fromstring(' '.join(lines[3:]), dtype=np.int64, sep=' ')
        document, word, count = triples.reshape(-1, 3).T
        self.bags = sparse.csr_matrix(
            (count, (document - 1, word - 1)), (self.documents, self.words))

    def vocabulary(self):
        return lines_of(self.vocab)

    def write(self, path, chosen):
        part = self.bags[chosen].tocoo()
        order = np.lexsort((part.col, part.row))
        with open(path + '.txt', 'w', encoding='utf-8') as file:
            file.write(f'{len(chosen)}\n{self.words}\n{part.nnz}\n')
            file.writelines(
                f'{part.row[i] + 1} {part.col[i] + 1} {part.data[i]}\n'
                for i in order)
        return [path + '.txt', '--from', 'uci', '--vocab', self.vocab]


class Source:
    """A corpus as a source of stores of any choice of its documents."""

    def __init__(self, options, name):
        self.options, self.name = options, name
        kind = Texts if name in TEXTS else Bags
        self.source = kind(options, name)
        self.documents = self.source.documents
        self.labels = self.source.labels

    def ingest(self, tag, chosen, *more):
        """A new store of these documents; no other run has its name."""
        path = place(self.options, f'{self.name}-{tag}-{os.getpid()}')
        store = path + '.store'
        remove(store)
        files = self.source.write(path, chosen)
        kedge(self.options, 'ingest', store, *files, '-q', *more)
        remove(files[0])
        return store


class Corpus(Source):
    """All of a corpus: `bags`, a csr matrix of documents by words, the
    `column` of each word, the `places` of the documents that a store has (not
    those without text), and labels or None."""

    def __init__(self, options, name):
        super().__init__(options, name)
        store = self.ingest('whole', np.arange(self.documents), '--no-sketch')
        self.bags, self.column, self.places = stored(
            options, store, self.documents, self.source.vocabulary())
        remove(store)

    def view(self, words, chosen=None):
        """Bags over these words alone, as a model has them."""
        missing = [word for word in words if word not in self.column]
        if missing:
            raise SystemExit(f'{len(missing)} words of the index are in no '
                             f'document: {missing[0]}')
        rows = self.bags if chosen is None else self.bags[chosen]
        return rows[:, [self.column[word] for word in words]].tocsr()


def stored(options, store, documents, vocabulary):
    """What kedge has cut the documents into, by their place in the source; a
    word of the vocabulary that no document holds is a column of zeros."""
    column = {word: i for i, word in enumerate(vocabulary)}
    rows, columns, counts, places = [], [], [], []
    for line in kedge(options, 'cat', store).out.split('\n')[:-1]:
        document = json.loads(line)
        places.append(document['position'] - 1)
        for word, count in document['words'].items():
            rows.append(places[-1])
            columns.append(column.setdefault(word, len(column)))
            counts.append(count)
    bags = sparse.csr_matrix((np.array(counts, dtype=float), (rows, columns)),
                             (documents, len(column)))
    return bags, column, np.array(places)
