# SPDX-License-Identifier: MIT
"""Figures 3 and 4 of On-the-Fly Rectification."""
import bench

import plots
from common import JOINT, answer, fit, kedge, remove
from corpora import Corpus

import numpy as np

ALL = 'kos,ap,poliblog,newsgroups,acl'
WORDS = 5000
LARGER = 10        # times as fast as AP, from so many words on
SPREAD = 0.1       # of a measure, on average over the numbers of topics
DENSE = ('--cooccurrence', 'dense')
WAYS = {'AP': (*DENSE, '--rectify', 'ap'),
        'ENN': (*DENSE, '--rectify', 'enn', '--rounds', 15),
        'PALM': (*DENSE, '--rectify', 'palm'),
        'LR-JSMF': ('--rectify', 'enn', '--rounds', 15),
        'none': ('--rectify', 'none')}
MEASURES = ('relative_recovery', 'relative_approximation',
            'relative_dominancy', 'specificity', 'dissimilarity')
TIMES = ('seconds_spectrum', 'seconds_rectify')
OF_WORDS = ('relative_recovery', 'relative_approximation',
            'log_relative_volume', 'mst_incoherence', *TIMES)


def measured(options, store, k, words, *how):
    """Measures of a model, and what its parts took."""
    told = answer(fit(options, store, k, '-q', '--model', 'paper', '--like',
                      'none', '--weight', 'none', '--correlations', 'diagonal',
                      '--vocab-size', words, *JOINT, *how, *options.kedge))
    found = answer(kedge(options, 'eval', store, '--model', 'paper',
                         '--format', 'json', '-q'))
    return {**found['models'][0]['measures'], 'seconds_spectrum': None,
            **{x: told['models'][0][x] for x in TIMES}}


def corpus_of(options, name):
    corpus = Corpus(options, name)
    return corpus.ingest('papers', np.arange(corpus.documents), '--no-sketch')


def series(found, x):
    """{way: [(K, value)]}"""
    return {way: [(k, row[x]) for k, row in rows.items()]
            for way, rows in found.items()}


def chart(page, name, found, measures):
    order = list(found)
    plots.save(page, name, [plots.Panel(x, series(found, x), order,
                                        x.startswith('seconds'))
                            for x in measures], order)


def tell(page, title, found, measures, first):
    page.add(f'## {title}')
    page.table(['way', first, *measures],
               [[way, k, *(row[x] for x in measures)]
                for way, rows in found.items() for k, row in rows.items()])


def apart(found, way, x):
    """How far a measure is from AP's, on average, relatively."""
    return float(np.mean([abs(row[x] / found['AP'][k][x] - 1)
                          for k, row in found[way].items()]))


def judge(name, found):
    for way in ('ENN', 'LR-JSMF'):
        for x in MEASURES:
            far = apart(found, way, x)
            yield far <= SPREAD, (f'{name}: {x} by {way} within {far:.3f} of '
                                  f'AP\'s, at most {SPREAD}')
    ratio = float(np.mean([found['AP'][k]['seconds_rectify'] /
                           row['seconds_rectify']
                           for k, row in found['ENN'].items()]))
    yield ratio >= LARGER, (f'{name}: ENN {ratio:.0f} times as fast as AP, at '
                            f'least {LARGER}')


def rectification(options, page):
    """Figure 3 of On-the-Fly Rectification.

    The papers' co-occurrence of the 5,000 words with the greatest tf-idf, made
    whole, rectified by alternating projection (AP), by ENN and by PALM, and
    beside these ENN of the eigenpairs of one pass (LR-JSMF) and what was not
    rectified at all. Anchors, topics and correlations are found in one way from
    all of them: pivoted QR, least squares, and the anchors' own diagonal.
    Measures are those of `kedge eval`, against the co-occurrence that was not
    rectified. Seconds are those of the rectification; where it takes the whole
    co-occurrence, that and its eigenpairs are told apart.
    """
    for name in options.corpora.split(','):
        store = corpus_of(options, name)
        found = {way: {k: measured(options, store, k, WORDS, *how)
                       for k in options.topics}
                 for way, how in WAYS.items()}
        remove(store)
        measures = (*MEASURES, *TIMES)
        tell(page, f'Rectification, {name}', found, measures, 'K')
        chart(page, f'papers-rectification-{name}', found, measures)
        page.verdicts(judge(name, found))


def vocabulary(options, page):
    """Figure 4 of On-the-Fly Rectification: LR-JSMF of more and more of the
    words, one pass each."""
    store = corpus_of(options, options.large)
    found = {f'K = {k}': {n: measured(options, store, k, n, *WAYS['LR-JSMF'])
                          for n in options.words} for k in options.topics}
    remove(store)
    tell(page, f'Vocabulary, {options.large}', found, OF_WORDS, 'words')
    chart(page, f'papers-vocabulary-{options.large}', found, OF_WORDS)
    few, many = options.words[0], options.words[-1]
    page.verdicts(
        (rows[many][x] * way > rows[few][x] * way,
         f'{options.large}, {k}: {x} {rows[few][x]:.3f} of {few} words, '
         f'{rows[many][x]:.3f} of {many}')
        for k, rows in found.items()
        for x, way in (('log_relative_volume', 1), ('relative_recovery', -1),
                       ('mst_incoherence', -1)))


FIGURES = {'rectification': rectification, 'vocabulary': vocabulary}


def numbers(text):
    return [int(x) for x in text.split(',')]


def arguments(p):
    p.add_argument('--corpora', default=ALL)
    p.add_argument('-k', dest='topics', type=numbers, default='5,10,25,50,100')
    p.add_argument('--large', default='acl',
                   help='the corpus of the vocabularies')
    p.add_argument('--words', type=numbers,
                   default='5000,10000,20000,40000,60000')
