# SPDX-License-Identifier: MIT
"""What figures of the papers share: a model of the papers' co-occurrence by any
of the ways that kedge has, its measures and what it took, and these as tables
and panels. Models are made once; what they were like is kept in --work under a
digest of the program's commit and of all that it was told, so that a page that
was broken off is soon as far again."""
import bench

import hashlib
from functools import cached_property

import numpy as np

import plots
from common import JOINT, answer, fit, kedge, kept, place, remove
from corpora import Source
from pages import commit

DENSE = ('--cooccurrence', 'dense')
TOOK = ('words', 'seconds_spectrum', 'seconds_rectify', 'seconds_topics',
        'seconds')


def numbers(text):
    return [int(x) for x in text.split(',')]


def arguments(p, corpora, topics):
    p.add_argument('--corpora', default=corpora)
    p.add_argument('-k', dest='topics', type=numbers, default=topics)
    return p


class Case:
    """A corpus, and models of its words of the greatest tf-idf."""

    def __init__(self, options, name):
        self.options, self.name = options, name

    @cached_property
    def store(self):
        source = Source(self.options, self.name)
        return source.ingest('papers', np.arange(source.documents),
                             '--no-sketch')

    def close(self):
        if 'store' in self.__dict__:
            remove(self.store)

    def measured(self, k, words, *how):
        """Measures of a model, and what its parts took."""
        how = [str(x) for x in ('--vocab-size', words, *how,
                                *self.options.kedge)]
        asked = ' '.join([commit(self.options), self.name, str(k), *how])
        key = hashlib.sha256(asked.encode()).hexdigest()[:20]
        return kept(place(self.options, f'sheet-{key}.json'),
                    lambda: self.measure(k, how))

    def measure(self, k, how):
        told = fit(self.options, self.store, k, '-q', '--model', 'paper',
                   '--align', 'none', '--term-weight', 'none',
                   '--topic-cooccurrence', 'diagonal', *JOINT, *how)
        found = kedge(self.options, 'eval', self.store, '--model', 'paper',
                      '--rank', 'probability', '--format', 'json', '-q')
        return {**answer(found)['models'][0]['measures'],
                **{x: answer(told)['models'][0][x] for x in TOOK}}


def tell(page, title, found, measures, first):
    page.add(f'## {title}')
    page.table(['way', first, *measures],
               [[way, x, *(row[m] for m in measures)]
                for way, rows in found.items() for x, row in rows.items()])


def chart(page, name, found, measures):
    """A panel for each measure, a line for each way."""
    order = list(found)
    plots.save(page, name, [
        plots.Panel(m, {way: [(x, row[m]) for x, row in rows.items()]
                        for way, rows in found.items()},
                    order, m.startswith('seconds')) for m in measures], order)


def height(found, ways, measure):
    """How much of the measure a panel with these lines shows; 1 where that is
    a single value."""
    values = [row[measure] for way in ways for row in found[way].values()]
    return max(values) - min(values) or 1


def apart(found, way, other, measure):
    """How far two lines are from each other, on average, as a share of what
    there is of the other."""
    return float(np.mean([abs(row[measure] / found[other][x][measure] - 1)
                          for x, row in found[way].items()]))
