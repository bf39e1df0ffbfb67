# SPDX-License-Identifier: MIT
"""What the figures of the papers share: a model of the papers' co-occurrence
with any options of kedge, its measures and times, and these as tables and
panels.
Models are made once: their measures are kept in --work under a digest of the
program's commit and of all options, so that a page that was interrupted
continues where it stopped.
"""
import bench

import hashlib
import textwrap
from functools import cached_property

import numpy as np

import plots
from common import JOINT, answer, fit, kedge, kept, place, remove
from corpora import Source
from pages import commit

DENSE = ('--cooccurrence', 'dense')
TOOK = ('words', 'seconds_spectrum', 'seconds_rectify', 'seconds_topics',
        'seconds')


# What a page calls each measure of `kedge eval`, and each time of `kedge fit`.
NAMES = {
    'recovery': ('recovery', 'how far the co-occurrence of a word is from the '
                 'mixture of anchors that stands for it; lower is better'),
    'relative_recovery': ('relative recovery', 'recovery over the norm of the '
                          'co-occurrence; lower is better'),
    'relative_error': ('relative error', '|C - B A B\'| / |C|; lower '
                               'is better'),
    'dominancy': ('dominancy', 'mean diagonal entry of the topic '
                  'co-occurrence; lower is better'),
    'relative_dominancy': ('relative dominancy', 'dominancy over the norm of '
                           'the topic co-occurrence; lower is better'),
    'specificity': ('specificity', 'how far topics are from the words of the '
                    'whole corpus (KL); higher is better'),
    'dissimilarity': ('dissimilarity', 'how many of a topic\'s first 20 words '
                      'no other topic has among its own; higher is better'),
    'umass': ('UMass', 'coherence of a topic\'s first 20 words; higher is '
                  'better'),
    'sparsity': ('sparsity', 'Hoyer\'s sparsity of the topics; higher is '
                 'better'),
    'log_relative_volume': ('log volume', 'log of the volume of the anchors\' '
                            'hull over that of random words; higher is better'),
    'mst_incoherence': ('incoherence', 'length of the tree that joins a '
                        'topic\'s first words; lower is better'),
    'similarity_count': ('SimCount', 'first words that two topics share, over '
                         'all pairs of topics; lower is better'),
    'clustering_accuracy': ('accuracy', 'k-means on topic proportions against '
                            'the classes; higher is better'),
    'seconds_spectrum': ('spectrum s', 'seconds until the eigenpairs are '
                         'there, with the pass over the documents'),
    'seconds_rectify': ('rectify s', 'seconds of the rectification'),
    'seconds_topics': ('topics s', 'seconds of anchors, topics and topic '
                       'co-occurrence'),
    'seconds': ('fit s', 'seconds of the whole fit'),
}


def titles(measures):
    return [NAMES[x][0] for x in measures]


def legend(page, measures):
    page.columns('\n'.join(textwrap.fill(
        '- {}: {}.'.format(*NAMES[x]), 79, subsequent_indent='  ')
        for x in measures))


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


def tell(page, title, found, measures, first, what='method'):
    """Every figure, in the appendix."""
    page.add(f'### {title}', long=True)
    page.table([what, first, *titles(measures)],
               [[way, x, *(row[m] for m in measures)]
                for way, rows in found.items() for x, row in rows.items()],
               long=True)


def chart(page, name, found, measures):
    """A panel for each measure, a line for each way."""
    order = list(found)
    plots.save(page, name, [
        plots.Panel(NAMES[m][0], {way: [(x, row[m]) for x, row in rows.items()]
                        for way, rows in found.items()},
                    order, m.startswith('seconds')) for m in measures], order)


def height(found, ways, measure):
    """The height of a panel with these lines, in units of the measure; 1 where
    all values are the same."""
    values = [row[measure] for way in ways for row in found[way].values()]
    return max(values) - min(values) or 1


def apart(found, way, other, measure):
    """Mean distance of two lines, as a share of the other's value."""
    return float(np.mean([abs(row[measure] / found[other][x][measure] - 1)
                          for x, row in found[way].items()]))
