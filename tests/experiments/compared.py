#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares kedge with scikit-learn, gensim and Gibbs sampling.

Every tool fits the same documents (a random 90 % of the corpus), the same
words and the same number of topics, with one thread and in a process of its
own. The other 10 % measures how well each tool predicts documents that it was
not fitted to. Every tool's topics are ranked in both ways, by p(word | topic) and by
relevance, by the same function.

Results of the tools are kept in --work, so that a second run is quick.
"""
import bench

bench.need('gensim')

import hashlib
import json
import os
import sys
import tempfile
import time
from statistics import median

import numpy as np
from scipy import sparse

import common
import composed
import measures
import pages
import peers
from alone import OVER, measured
from common import begin, digest, parser, place, remove
from corpora import Corpus
from ours import Held, Model

ALPHA, BETA = 5.0, 0.01   # MALLET's: the sum over topics, and of each word
INFERRING = (10, 90)      # iterations of Gibbs sampling: discarded, kept
OURS, GIBBS = 'kedge', 'Gibbs sampling'
EM = ('--em-iter', 2)
OURS_EM = ' '.join(map(str, [OURS, *EM]))
LARGE = 100000            # documents; from here on, LDA gets one pass
TOOLS = (OURS, OURS_EM, 'scikit-learn NMF', 'scikit-learn NMF (1 + ln tf)',
         'scikit-learn LDA', 'gensim LDA', GIBBS)
ONCE = (OURS, OURS_EM, 'scikit-learn LDA, one pass', 'gensim LDA, one pass')
QUICK = (OURS, 'scikit-learn NMF', GIBBS)
SEVERAL = ('scikit-learn LDA', 'gensim LDA')   # tools with several seeds
PRINTED = ', tf-idf kept'   # NMF's columns with their weights
RANKINGS = {'probability': lambda topics, shares: topics,
            'relevance': measures.relevance}


# ---- measuring ---------------------------------------------------------------

class Field:
    """The documents that every tool gets, as files for kedge and as matrices,
    in a folder where programs leave their answers too."""

    def __init__(self, options, corpus, k):
        self.options, self.k = options, k
        self.held = Held(options, corpus, k)
        self.h = self.held.h.tocsr()
        self.h.sort_indices()
        self.occurrence = measures.Occurrence(self.h)
        self.folder = tempfile.mkdtemp(prefix='compared-', dir=options.work)
        self.files = corpus.source.write(self.path('rest'), self.held.rest)
        self.labels = None
        if corpus.labels is not None:
            self.labels = corpus.labels[self.held.rest]
            np.savetxt(self.path('labels'), self.labels, fmt='%s')
        sparse.save_npz(self.path('train.npz'), self.h)
        sparse.save_npz(self.path('seen.npz'), self.held.seen.tocsr())

    def path(self, name):
        return os.path.join(self.folder, name)

    def size(self):
        return {'documents': self.h.shape[0], 'words': self.h.shape[1],
                'tokens': int(self.h.sum()),
                'held out': self.held.seen.shape[0]}

    def fit(self, tool, seed):
        """What a tool learnt and what it took; {} if it took too long."""
        if tool.startswith(OURS):
            return self.kedge(tool, EM if tool == OURS_EM else ())
        return self.gibbs(seed) if tool == GIBBS else self.rival(tool, seed)

    def kedge(self, name, more):
        """Time and memory are of ingest and fit as a user would run them; the
        topics are those of the same model in the store that is there."""
        options, held = self.options, self.held
        store, own = self.path('store'), ('--threads', 1, '-q')
        ran = [measured(options.program, 'ingest', store, *self.files, *own,
                        *options.ingest),
               measured(options.program, 'fit', store, '-k', self.k, *own,
                        *more, *options.kedge)]
        remove(store)
        model = held.ours
        if more:
            model = Model(options, held.store, self.k, '--model', 'em', *more,
                          *options.kedge)
            model.narrow([model.row[word] for word in held.ours.words])
        shares = model.correlations.sum(1)
        found = {'cpu': sum(r.cpu for r in ran),
                 'peak': max(r.rss for r in ran), 'topics': model.topics,
                 'shares': shares / shares.sum(),
                 'rows': model.mixture(held.seen)[0]}
        if self.labels is not None:
            found['proportions'] = model.mixture(self.h)[0]
        return found

    def rival(self, tool, seed):
        ran = measured(sys.executable, os.path.join(os.path.dirname(
            os.path.abspath(__file__)), 'rival.py'), tool, self.folder, self.k,
            seed, limit=self.options.limit)
        if ran.code == OVER:
            return {}
        with np.load(self.path('answer.npz')) as answer:
            return {**json.loads(ran.out), **answer}

    def gibbs(self, seed):
        ran, topics = self.piped('gibbs', self.problem(
            np.zeros((self.h.shape[1], self.k)), self.h,
            [ALPHA / self.k, BETA]), self.options.sweeps - 1, 1, 1, seed)
        if ran.code == OVER:
            return {}
        rows, proportions = (self.sampled(topics, h, seed)
                             for h in (self.held.seen, self.h))
        shares = np.asarray(self.h.sum(1)).ravel() @ proportions
        return {'cpu': ran.cpu, 'peak': ran.rss, 'topics': topics,
                'shares': shares / shares.sum(), 'rows': rows,
                'proportions': proportions}

    def problem(self, topics, h, known):
        return composed.Problem(self.options, topics, h).bytes(known)

    def piped(self, program, problem, *arguments):
        """One of this folder's programs, and its answer."""
        with open(self.path('problem'), 'wb') as file:
            file.write(problem)
        ran = measured('sh', '-c', 'exec "$@" < problem > answer', 'sh',
                       os.path.join(self.options.programs, program),
                       *arguments, limit=self.options.limit, cwd=self.folder)
        return ran, np.fromfile(self.path('answer')).reshape(-1, self.k)

    def sampled(self, topics, h, seed):
        """Topic proportions by Gibbs sampling."""
        rows = self.piped('sampling', self.problem(
            topics, h, np.full(self.k, ALPHA / self.k)), 'dirichlet',
            *INFERRING, seed)[1]
        return rows / rows.sum(1, keepdims=True)

    def figures(self, found):
        """How good it is; the same for every tool."""
        told = {'cpu': float(found['cpu']), 'peak': float(found['peak']),
                **self.words(found['topics'], found['shares']),
                'nats': float(np.log(measures.perplexity(
                    self.held.unseen, found['rows'], found['topics'],
                    self.held.unigram)))}
        if self.labels is not None:
            means = measures.averaged(self.h, found['topics'],
                                      found['shares'])
            told |= {'clusters': self.clusters(found['proportions']),
                     'clusters of means': self.clusters(means)}
        if 'printed' in found:
            told['printed'] = self.words(found['printed'], found['shares'])
        return told

    def words(self, topics, shares):
        """Of ten words by both rankings."""
        told = {}
        for name, ranking in RANKINGS.items():
            tops = measures.first(ranking(topics, shares), 10)
            told |= {f'npmi, {name}': self.occurrence.npmi(tops),
                     f'coverage, {name}': self.occurrence.coverage(tops),
                     f'diversity, {name}': measures.distinct(tops)}
        return told

    def clusters(self, rows):
        """Square roots: their distance is Hellinger's."""
        return measures.accuracy(np.sqrt(rows), self.labels)

    def close(self):
        remove(self.folder)
        remove(self.held.store)


def settings(options, tool):
    """All that the result of a tool depends on, except for the documents."""
    if tool.startswith(OURS):
        return [digest(options.program), options.kedge, options.ingest]
    if tool == GIBBS:
        return [ALPHA, BETA, INFERRING, options.sweeps, options.limit]
    return [options.limit, *sorted(peers.PEERS[tool].settings.items(),
                                   key=str)]


def key(*parts):
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:20]


def learnt(field, tool, seed):
    """What a tool found, from the work folder if it is there."""
    mark = peers.mark(field.h, tool, field.k, seed,
                      settings(field.options, tool))
    path = place(field.options, f'learnt-{mark}.npz')
    if not os.path.exists(path):
        found = field.fit(tool, seed)
        np.savez(path + '.new.npz', **found)
        os.replace(path + '.new.npz', path)
    with np.load(path) as found:
        return dict(found)


def case(options, name, k):
    """{'size': ..., 'rows': {tool: figures for each seed}} of a corpus."""
    def make():
        corpus = Corpus(options, name)
        field = Field(options, corpus, k)
        tools = ONCE if corpus.documents >= LARGE else TOOLS
        if options.quick:
            tools = QUICK
        rows = {}
        for tool in tools:
            found = [learnt(field, tool, options.seed + i) for i in
                     range(options.seeds if tool in SEVERAL else 1)]
            rows[tool] = [field.figures(x) for x in found if x]
            print(f'# {name}, K = {k}: {tool}', rows[tool], flush=True)
        size = field.size()
        field.close()
        return {'size': size, 'rows': rows}
    own = [settings(options, tool) for tool in TOOLS + ONCE]
    mark = key(name, k, options.seed, options.seeds, own)
    return common.kept(place(options, f'case-{mark}.json'), make)


# ---- the page ----------------------------------------------------------------

QUESTION = """\
Every tool fits the same documents, the same words and the same number of
topics. Whose first words belong together most, who predicts unseen words best,
and what does it cost?"""
LEAD = """\
kedge with default options, on how many corpora:"""
CAVEATS = """\
- {seeds}
- The words are those that kedge chose for its index. How the other tools would
  do with other words was not measured.
- NPMI is counted in the documents of the fit. It rewards rare words that always
  occur together: read it with document coverage.
- kedge's seconds include reading the files, splitting text into words and
  storing; the other tools get a finished matrix and their reading is not
  counted. The memory of scikit-learn and gensim includes Python and the matrix.
- Everything ran on one thread of a shared machine. Seconds are processor
  seconds; other jobs on the machine lengthen them for every tool.
- MALLET and tomotopy are no packages of Debian and were not run. Both use
  collapsed Gibbs sampling, so a plain sampler in C with MALLET's defaults
  stands for them. Their own speed and memory differ.
- Where LDA has one pass, more passes would help it and would cost as much again
  each."""
ONE_RUN = """\
One run of each tool. kedge, LDA and Gibbs sampling give other topics with
  another seed."""
LEGEND = f"""\
- probability: the ten words with the largest p(word | topic).
- relevance: the ten with the largest
  λ ln p(word | topic) + (1 - λ) ln(p(word | topic) / p(word)), λ = {measures.LAMBDA}.
  `kedge topics` prints relevance by default; the LDA of scikit-learn and gensim
  print probability. Both rankings come from each tool's own p(word | topic) and
  p(topic), by one function.
- scikit-learn NMF: the weights of tf-idf are divided out of p(word | topic).
  scikit-learn NMF{PRINTED}: they are not; most people print these columns.
- npmi: normalized pointwise mutual information of the pairs of a topic's ten
  words, over whole documents; -1 for words that never occur together, 1 for
  words that always do.
- document coverage: share of documents with two of some topic's ten words.
- topic diversity: share of distinct words among all topics' ten.
- held-out nats per word: of the 10 % that no tool was fitted to. Each token is
  seen or unseen by a coin; the topic proportions come from the seen ones, by
  each tool's own inference, and predict the unseen ones. For every tool 0.001
  of the words' overall frequencies is mixed in. Lower is better.
- clusters: accuracy of k-means on the square roots of the documents' topic
  proportions, as many clusters as labels, matched one to one with the labels.
  Proportions are by each tool's own inference. clusters of means: the same with
  the mean of p(topic | word) over a document's words, for every tool
  (`kedge infer --method mean`).
- seconds, memory: processor seconds and peak resident memory of the fit."""
SETTINGS = f"""\
- {OURS}: ingest and fit with default options. {OURS_EM}: and two EM iterations.
- scikit-learn NMF: rows of tf-idf of length one; `init='nndsvda'`, at most 400
  iterations. (1 + ln tf): `sublinear_tf=True`.
- scikit-learn LDA: batch variational Bayes, 20 iterations (default: 10), priors
  1 / K.
- gensim LDA: as many passes (default: 1) as read 60,000 documents, 10 at least,
  in chunks of 2,000 documents; `alpha` and `eta` 'auto', both learnt.
- LDA, one pass: scikit-learn in chunks of 4,096, gensim in chunks of 2,000 with
  its defaults.
- {GIBBS}: collapsed, {{sweeps:,}} sweeps, parameters that sum to {ALPHA:g} over
  topics, {BETA} for each word; the topics are those of the last sweep. Topic
  proportions: {sum(INFERRING)} iterations with the topics fixed, of which the
  last {INFERRING[1]} count."""
LESS, MORE = -1, 1   # which is better
FIGURES = {**{f'{name}, {ranking}': MORE
              for name in ('npmi', 'coverage', 'diversity')
              for ranking in RANKINGS},
           'nats': LESS, 'clusters': MORE, 'clusters of means': MORE,
           'cpu': LESS, 'peak': LESS}
NAMES = {'coverage': 'document coverage', 'diversity': 'topic diversity',
         'nats': 'held-out nats per word', 'cpu': 'seconds', 'peak': 'memory'}
ASKED = 'npmi, relevance', 'npmi, probability', 'nats', 'cpu', 'peak'
WORDS, OTHERS = list(FIGURES)[:6], list(FIGURES)[6:]


def named(figure):
    name, *ranking = figure.split(', ')
    return ', '.join([NAMES.get(name, name), *ranking])


def medians(rows):
    """{tool: figures}, the median of its seeds; NMF as printed is a tool of its
    own, with words alone. A tool without a result has none."""
    found = {}
    for tool, runs in rows.items():
        if runs:
            found[tool] = {figure: median(run[figure] for run in runs)
                           for figure in FIGURES if figure in runs[0]}
            if 'printed' in runs[0]:
                found[tool + PRINTED] = runs[0]['printed']
    return found


def show(figure, value):
    """As the tables have it."""
    if value is None:
        return ''
    if figure == 'cpu':
        return f'{value:,.0f}' if value >= 10 else f'{value:.1f}'
    return f'{value / (1 << 20):,.0f} MiB' if figure == 'peak' else (
        f'{value:.3f}')


def compare(found):
    """{figure: {tool: how kedge did against it: [ahead, behind, level]}} over
    all corpora; what looks the same in the tables is level."""
    told = {figure: {} for figure in FIGURES}
    for rows in found:
        own = rows[OURS]
        for tool, row in rows.items():
            for figure in row if OURS not in tool else ():
                x, y = (show(figure, r[figure]) for r in (own, row))
                better = FIGURES[figure] * (own[figure] - row[figure]) > 0
                told[figure].setdefault(tool, [0, 0, 0])[
                    2 if x == y else 0 if better else 1] += 1
    return {figure: tools for figure, tools in told.items() if tools}


def sides(scores, side):
    """The tools that kedge is ahead of (side 0) or behind (1), by how often."""
    groups = {}
    for tool, score in scores.items():
        if score[side]:
            groups.setdefault((score[side], sum(score)), []).append(tool)
    return '; '.join(f'{", ".join(tools)} on {count} of {of}' for (count, of),
                     tools in sorted(groups.items(), reverse=True)) or 'none'


def answer(found):
    """Where kedge is ahead and behind: as text, and as a table."""
    won = compare(found)
    text = '\n'.join(f'- **{named(figure)}**: ahead of '
                     f'{sides(won[figure], 0)}. Behind: '
                     f'{sides(won[figure], 1)}.'
                     for figure in ASKED if figure in won)
    tools = list(dict.fromkeys(tool for row in won.values() for tool in row))
    return text, pages.lay(
        ['ahead : behind', *tools],
        [[named(figure), *('{} : {}'.format(*row[tool]) if tool in row else ''
                           for tool in tools)]
         for figure, row in won.items()])


def table(rows, figures):
    """Without columns that nobody has."""
    figures = [x for x in figures if any(x in row for row in rows.values())]
    return pages.lay(['tool', *map(named, figures)],
                     [[tool, *(show(x, row.get(x)) for x in figures)]
                      for tool, row in rows.items()
                      if any(x in row for x in figures)])


def overview(found, ranking):
    """NPMI of all corpora."""
    tools = dict.fromkeys(tool for rows in found.values() for tool in rows)
    figure = f'npmi, {ranking}'
    return pages.lay(['tool', *found], [
        [tool, *(show(figure, rows.get(tool, {}).get(figure))
                 for rows in found.values())] for tool in tools])


def spread(cases):
    """How much the runs of a tool with several seeds differ."""
    runs = [[run['npmi, probability'] for run in found]
            for case in cases for found in case['rows'].values()
            if len(found) > 1]
    if not runs:
        return ONE_RUN
    return (f'LDA has {max(map(len, runs))} runs with different seeds; the\n'
            '  tables have the median of each figure. Between the runs its npmi'
            f'\n  by probability differs by up to {max(map(np.ptp, runs)):.3f}.'
            ' The other tools have one run.')


def seeds(cases):
    """Every run of the tools that have several, if there are any."""
    figures = *WORDS[:2], 'nats', 'cpu'
    rows = [[title, tool, *(', '.join(show(x, run[x]) for run in runs)
                            for x in figures)]
            for title, case in cases.items()
            for tool, runs in case['rows'].items() if len(runs) > 1]
    if rows:
        yield '## Appendix: the runs of LDA'
        yield pages.lay(['corpus', 'tool', *map(named, figures)], rows)


def page(options, cases):
    found = {title: medians(case['rows']) for title, case in cases.items()}
    text, ahead = answer(found.values())
    parts = ['# How good are kedge\'s topics, compared with NMF, LDA and '
             'Gibbs sampling?', '## Question', QUESTION, '## Answer',
             options.answer, LEAD, text, '## Caveats',
             CAVEATS.format(seeds=spread(cases.values())), '## Legend', LEGEND,
             '## On how many corpora kedge is ahead, and behind', ahead]
    for ranking in RANKINGS:
        parts += [f'## npmi by {ranking}', overview(found, ranking)]
    for title, rows in found.items():
        size = cases[title]['size']
        parts += [f'## {title}', 'Fitted to {documents:,} documents, {words:,} '
                  'words, {tokens:,} tokens; {held out:,} documents held out.'
                  .format(**size)]
        late = [tool for tool, runs in cases[title]['rows'].items()
                if not runs]
        if late:
            parts.append(f'Over {options.limit:,} s: {", ".join(late)}.')
        parts += [table(rows, WORDS), table(rows, OTHERS)]
    given = [f'`kedge {command} {" ".join(more)}`' for command, more in
             (('ingest', options.ingest), ('fit', options.kedge)) if more]
    parts += ['## What else differs',
              pages.lay(['', *DIFFERING], [[what, *how] for what, how
                                           in FACTS.items()]), SHOWN,
              '## Appendix: settings',
              SETTINGS.format(sweeps=options.sweeps), *seeds(cases),
              '## Appendix: log',
              f'{common.machine()}; load {common.load()}; {time.strftime("%Y-%m-%d")}.'
              f'\nkedge at commit {pages.commit(options)}, options: '
              f'{" and ".join(given) or "the defaults"}.\nCommand: '
              f'`{pages.command()}`.']
    return '\n\n'.join(parts) + '\n'


DIFFERING = ('kedge', 'MALLET', 'tomotopy', 'gensim LdaModel',
             'scikit-learn LDA', 'scikit-learn NMF')
AGAIN = ('fit again',) * 5
FACTS = {
    'documents in memory':
        ('no, in a store', 'all', 'all', 'a chunk, if they stream',
         'all; with partial_fit a batch', 'all'),
    'passes, by default':
        ('one', '1,000', 'as train is told', 'one', '10', 'up to 200'),
    'another number of topics': ('from the same sketch', *AGAIN),
    'documents removed': ('exactly, by batch or id', *AGAIN),
    'the same result again':
        ('any threads, files in any order', 'a seed, one thread',
         'a seed, one thread', 'a seed', 'a seed, as many jobs', 'a seed'),
    'topic co-occurrence': ('yes',) + ('no',) * 5}
SHOWN = """\
These scripts and tests check it for kedge, in the order of the table:

- [memory.py](../../bench/memory.py): ingest takes no more memory for four times
  the documents; [test_memory.py](../../cli/test_memory.py): nor does infer.
- [test_sources.py](../../cli/test_sources.py): a pipe does as well as a file.
  Where texts come without a vocabulary, fit makes its sketch by one pass over
  the store.
- [test_fit.c](../../unit/ops/fit/test_fit.c): several numbers of topics at once
  give the same models as one at a time.
- [group.py](../../bench/group.py): removed documents leave no trace.
- [determinism.py](../../bench/determinism.py): threads, files and their order,
  on one type of processor.
- [test_planted.py](../../flow/test_planted.py): topics that were planted
  together are found together.

For gensim and scikit-learn [test_compared.py](../test_compared.py) checks it;
for MALLET and tomotopy it is what their documentation says. Both have other
models than LDA with topic correlations, such as Pachinko allocation. gensim and
scikit-learn can add documents to an LDA (`update`, `partial_fit`), but the
result is not that of a fit to all documents."""


# ---- the command -------------------------------------------------------------

def arguments(p):
    p.add_argument('--corpora', default='newsgroups:20,kos:20,ap:20,bbc:20,'
                   'arxiv300k:50', help='each with its numbers of topics, as '
                   'newsgroups:20+50')
    p.add_argument('--seeds', type=int, default=3, help='runs of LDA, with '
                   'seeds from --seed on')
    p.add_argument('--sweeps', type=int, default=1000,
                   help='of Gibbs sampling')
    p.add_argument('--limit', type=int, default=1800,
                   help='processor seconds that a tool may take to fit')
    p.add_argument('--quick', action='store_true',
                   help="this project's own small corpus, NMF, 50 sweeps")
    return p


def chosen(text):
    """(corpus, number of topics) of --corpora."""
    for part in text.split(','):
        name, _, ks = part.partition(':')
        for k in ks.split('+'):
            yield name, int(k)


def main():
    options = composed.programs(pages.finish(begin(pages.options(arguments(
        parser(__doc__))))))
    if options.quick:
        options.corpora, options.sweeps = 'harbour:12', 50
    found = {f'{name}, K = {k}': case(options, name, k)
             for name, k in chosen(options.corpora)}
    text = page(options, found)
    print(text)
    if options.write is not None:
        path = f'compared{"-" * bool(options.write)}{options.write}.md'
        with open(os.path.join(pages.RESULTS, path), 'w',
                  encoding='utf-8') as file:
            file.write(text)


if __name__ == '__main__':
    main()
