#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kedge beside MALLET, tomotopy, gensim and scikit-learn.

Every tool learns as many topics from the same documents, in the words of
kedge's view, with one thread and in a process of its own. MALLET and tomotopy
are no packages of Debian and were not run: both are collapsed Gibbs sampling,
for which this tree's own sampler stands, with what MALLET does by default:
1,000 sweeps, parameters that sum to 5 over topics and of 0.01 for words, and no
search for better ones. (tomotopy, left to itself, looks for better ones.) What
it finds is of the kind that they find. Its seconds and its memory are those of
a plain sampler in C, and theirs differ: MALLET has a way that gains with many
topics, tomotopy has vectors, as this one has, and both take several threads.

- **cpu**, **clock**: seconds of training, of a processor and by the clock, and
  **load**, how busy the machine was. It was shared, and all of this gave way to
  others: go by the first, which is what a single thread takes on a machine of
  its own. kedge reads its source in that time, cuts text into words, packs and
  stores it; others get a matrix that is made, and its reading is not counted.
- **peak**: resident memory of the process up to the end of training. That of
  gensim and scikit-learn has Python and the matrix in it; gensim need not have
  the matrix, it can read documents from a file anew for each pass.
- **npmi**: of the first ten words as each tool shows them, in the documents of
  training; **likeliest**: of the ten with the largest p(word | topic), for
  every tool. **distinct**: how many of all first tens are different words;
  **coverage**: share of documents that hold two of some topic's ten.
- **nats**: of a tenth of the documents, which no tool learnt from. Each of
  their tokens is seen or unseen by a coin; shares of topics come from what is
  seen, by each tool's own inference, and foretell what is not, with 1e-3 of the
  unigram mixed in for every tool; of an unseen token, less is better.
- **shares**: seconds of a processor for the topics of 1,000 documents of that
  tenth. kedge's and the sampler's are of whole processes, the others' of the
  call alone. The sampler has 100 sweeps, of which 90 count.

How much each other tool repeats is what better.py gives it: LDA has five
passes over 10,000 to 30,000 documents and three over more, in small batches,
NMF at most 400 rounds. Where it says one pass, gensim's and scikit-learn's LDA
go through all documents once, in chunks of 2,000 and of 4,096, nothing is held
out, and Gibbs sampling is tried for a few sweeps only.
"""
import bench

bench.need('gensim')

import hashlib
import json
import os
import sys
import tempfile
from collections import namedtuple
from functools import cache, cached_property, partial

import numpy as np
from scipy import sparse

import common
import composed
import measures
import pages
from alone import OVER, measured
from better import Held
from common import begin, digest, parser, place, remove
from corpora import Bags, Corpus
from ours import Model, write_bags
from peers import mark
from rival import KINDS

ALPHA, BETA = 5.0, 0.01   # of all topics together, and of each word
INFERRING = (10, 90)      # sweeps to burn and to keep, for shares
NEW = 1000                # documents whose shares are timed
TRIED = 5                 # sweeps that an estimate is made of
POLISH = ('--em-iter', 2)
OTHER = 5                 # topics more, in the model that is fitted next
OURS, GIBBS = 'kedge', 'Gibbs sampling'
POLISHED = ' '.join([OURS, *map(str, POLISH)])
HELD = ('scikit-learn NMF', 'scikit-learn LDA', 'gensim LDA')
LARGE = ('gensim LDA, one pass', 'scikit-learn LDA, one pass')
LESS, MORE = -1, 1        # which is better
FIGURES = {'cpu': LESS, 'clock': LESS, 'peak': LESS, 'npmi': MORE,
           'likeliest': MORE, 'distinct': MORE, 'coverage': MORE,
           'nats': LESS, 'shares': LESS}

# What a tool has learnt: words of each topic as it shows them and the likeliest
# ones, and rows and p(word | topic) that foretell, or None.
Learnt = namedtuple('Learnt', 'shown likeliest mixture')


# ---- documents ---------------------------------------------------------------

class Field:
    """What all tools are given: `files` for kedge, the matrix `h`, and, where
    some documents are held out, those that are `new`, and their parts `seen`
    and `unseen`. A folder is there for what goes to programs and back, and for
    the store, where it has no other place."""

    def __init__(self, options, k, files, store=None):
        self.options, self.k, self.files = options, k, files
        self.folder = tempfile.mkdtemp(prefix='compared-', dir=options.work)
        self.store = store or self.path('store')
        self.new = self.seen = self.held = self.ours = None

    def begin(self, h):
        """Once the words are known."""
        self.h = h.tocsr()
        self.h.sort_indices()
        self.occurrence = measures.Occurrence(self.h)
        for name, part in (('train', self.h), ('new', self.new),
                           ('seen', self.seen)):
            if part is not None:
                sparse.save_npz(self.path(name + '.npz'), part.tocsr())

    def size(self):
        """What is told of it, and what it is known by."""
        return {'documents': self.h.shape[0], 'words': self.h.shape[1],
                'tokens': int(self.h.sum()),
                'bytes': sum(part.nbytes for part in (
                    self.h.data, self.h.indices, self.h.indptr)),
                'new': 0 if self.new is None else self.new.shape[0],
                'mark': mark(self.h, self.options.seed)}

    def path(self, name):
        return os.path.join(self.folder, name)

    def answer(self):
        with np.load(self.path('answer.npz')) as found:
            return dict(found)

    def polished(self):
        """The same model, after passes over the store."""
        model = Model(self.options, self.store, self.k, '--model', 'polished',
                      *POLISH, *self.options.kedge)
        model.narrow([model.row[word] for word in self.ours.words])
        return model

    def figures(self, learnt):
        """How good it is."""
        found = {'npmi': self.occurrence.npmi(learnt.shown),
                 'likeliest': self.occurrence.npmi(learnt.likeliest),
                 'distinct': measures.distinct(learnt.shown),
                 'coverage': self.occurrence.coverage(learnt.shown)}
        if self.held is not None and learnt.mixture is not None:
            found['nats'] = float(np.log(measures.perplexity(
                self.held.unseen, *learnt.mixture, self.held.unigram)))
        return found

    def close(self):
        remove(self.store)
        remove(self.folder)
        if self.held is not None:
            remove(self.files[0])


def held_out(options, corpus, k):
    """A tenth is held out of what is learnt."""
    held = Held(options, corpus, k)
    files = corpus.source.write(
        place(options, f'compared-{os.getpid()}-{corpus.name}'), held.rest)
    field = Field(options, k, files, held.store)
    field.held, field.seen, field.ours = held, held.seen, held.ours
    field.new = (held.seen + held.unseen)[:NEW]
    field.begin(held.h)
    return field


def whole(options, name, k):
    """All documents of a corpus of bags of words, which kedge reads as they
    are."""
    c = common.corpus(options, name)
    files = [c.docword, '--from', 'uci', '--vocab', c.vocab]
    field = Field(options, k, files)
    common.kedge(options, 'ingest', field.store, *files, '-q', *options.ingest)
    field.ours = Model(options, field.store, k, *options.kedge)
    source = Bags(options, name)
    column = {word: i for i, word in enumerate(source.vocabulary())}
    field.begin(source.bags[:, [column[x] for x in field.ours.words]])
    return field


# ---- tools -------------------------------------------------------------------

def timed(*runs):
    """Of programs one after the other."""
    return {'cpu': sum(r.cpu for r in runs),
            'clock': sum(r.seconds for r in runs),
            'peak': max(r.rss for r in runs)}


def kedge(field, model, more):
    """Read, fitted and asked for shares as its user would; figures are of the
    same model in the field's store."""
    options = field.options
    store, name = field.path('ours.store'), ('--model', 'ours')
    own = ('--threads', 1, '-q')
    program = options.program

    def fit(k, *name):
        return measured(program, 'fit', store, '-k', k, *name, *own, *more,
                        *options.kedge)
    remove(store)
    stages = [measured(program, 'ingest', store, *field.files, *own,
                       *options.ingest), fit(field.k, *name)]
    found = {**timed(*stages), 'ingest': stages[0].cpu,
             'another': fit(field.k + OTHER, '--model', 'other').cpu}
    if field.new is not None:
        path = field.path('new.jsonl')
        write_bags(path, field.new.tocsr(), field.ours.words)
        found['shares'] = measured(
            program, 'infer', store, path, '--from', 'jsonl', '--text-field',
            'words', *name, *own, '--format', 'npy', '-o',
            field.path('new.npy')).cpu
    seen = field.seen
    learnt = Learnt(model.tops(10)[0],
                    model.tops(10, '--rank', 'probability')[0],
                    None if seen is None else model.mixture(seen))
    return {**found, **field.figures(learnt)}


def piped(field, program, problem, *arguments):
    """One of this tree's programs, and its answer."""
    with open(field.path('problem'), 'wb') as file:
        file.write(problem)
    ran = measured('sh', '-c', 'exec "$@" < problem > answer', 'sh',
                   os.path.join(field.options.programs, program), *arguments,
                   limit=field.options.limit, cwd=field.folder)
    return ran, np.fromfile(field.path('answer')).reshape(-1, field.k)


def sampled(field, topics, h):
    """Shares of topics by Gibbs sampling, and the run."""
    alpha = np.full(field.k, ALPHA / field.k)
    problem = composed.Problem(field.options, topics, h).bytes(alpha)
    ran, rows = piped(field, 'sampling', problem, 'dirichlet', *INFERRING,
                      field.options.seed)
    return ran, rows / rows.sum(1, keepdims=True)


def untaught(field):
    """The problem of a sampler of topics."""
    return composed.Problem(
        field.options, np.zeros((field.h.shape[1], field.k)),
        field.h).bytes([ALPHA / field.k, BETA])


def gibbs(field):
    ran, topics = piped(field, 'gibbs', untaught(field),
                        field.options.sweeps - 1, 1, 1, field.options.seed)
    if ran.code == OVER:
        return {}
    shares = sampled(field, topics, field.new)[0].cpu
    rows = sampled(field, topics, field.seen)[1]
    tops = measures.first(topics, 10)
    return {**timed(ran), 'shares': shares,
            **field.figures(Learnt(tops, tops, (rows, topics)))}


def gibbs_estimated(field):
    """Seconds of a sweep, of some of them, times their number."""
    few, many = (piped(field, 'gibbs', untaught(field), burn, 1, 1,
                       field.options.seed)[0] for burn in (0, TRIED))
    if many.code == OVER:
        return {}
    sweep = (many.cpu - few.cpu) / TRIED
    return {'sweep': sweep, 'cpu': sweep * field.options.sweeps,
            'peak': many.rss}


def rival(field, name):
    """Another tool; nothing where it takes too long."""
    ran = measured(sys.executable, os.path.join(os.path.dirname(
        os.path.abspath(__file__)), 'rival.py'), name, field.folder, field.k,
        field.options.seed, limit=field.options.limit)
    if ran.code == OVER:
        return {}
    found = field.answer()
    emission = found.get('emission', found['topics'])
    learnt = Learnt(measures.first(found['topics'], 10),
                    measures.first(emission, 10),
                    (found['rows'], emission) if 'rows' in found else None)
    return {**json.loads(ran.out), **field.figures(learnt)}


def digested(*more):
    return hashlib.sha256(repr(more).encode()).hexdigest()[:20]


class Contest:
    """Rows of figures by tool, each kept in the work folder once it is there,
    and what there is to tell of the field, which is made where one is not.
    `absent` are those that were to be left out."""

    def __init__(self, options, title, k, make):
        self.options, self.title, self.k, self.make = options, title, k, make
        self.rows, self.absent = {}, []
        self.own = digest(options.program), options.kedge, options.ingest
        key = digested('field', title, options.seed, self.own)
        self.size = common.kept(place(options, f'compared-{key}.json'),
                                lambda: self.field.size())

    @cached_property
    def field(self):
        return self.make()

    def add(self, name, settings, make):
        options = self.options
        key = digested(name, settings, self.title, options.seed,
                       options.limit, self.size['mark'])
        path = place(options, f'compared-{key}.json')
        if options.kept and not os.path.exists(path):
            self.absent.append(name)
            return
        self.rows[name] = common.kept(
            path, lambda: {**make(), 'load': os.getloadavg()[0]})
        print(f'# {self.title}: {name}', self.rows[name], flush=True)

    def kedge(self):
        own = *self.own, OTHER
        self.add(OURS, own, lambda: kedge(self.field, self.field.ours, ()))
        self.add(POLISHED, own,
                 lambda: kedge(self.field, self.field.polished(), POLISH))

    def rival(self, name):
        settings = sorted(KINDS[name].settings.items(), key=str)
        self.add(name, settings, lambda: rival(self.field, name))

    def gibbs(self, make):
        settings = (ALPHA, BETA, INFERRING, self.options.sweeps)
        self.add(GIBBS, settings, lambda: make(self.field))

    def run(self, names, sampler):
        """All of them, the sampler last."""
        self.kedge()
        for name in names:
            self.rival(name)
        self.gibbs(sampler)
        self.close()

    def close(self):
        if 'field' in vars(self):
            self.field.close()


def contests(options):
    """In the order of the page, each when it is asked for."""
    for name, ks in chosen(options.corpora):
        corpus = cache(partial(Corpus, options, name))
        for k in ks:
            found = Contest(options, f'{name}, K = {k}', k,
                            lambda: held_out(options, corpus(), k))
            found.run(HELD, gibbs)
            yield found
    for name, ks in chosen(options.large):
        for k in ks:
            found = Contest(options, f'{name}, K = {k}, one pass', k,
                            lambda: whole(options, name, k))
            found.run(LARGE, gibbs_estimated)
            yield found


# ---- the page ----------------------------------------------------------------

def cells(name, row, limit):
    """A line of the table; one that took too long has no figures."""
    if 'cpu' not in row:
        return [name, f'over {limit:,}', *[''] * len(FIGURES)]
    found = {figure: row.get(figure) for figure in FIGURES}
    found['peak'] = f'{row["peak"] / (1 << 20):,.0f} MiB'
    for figure in 'cpu', 'clock', 'shares':
        if found[figure] is not None:
            found[figure] = spell(found[figure])
    if 'sweep' in row:
        found['cpu'] = f'about {found["cpu"]}'
    return [name, *found.values(), f'{row["load"]:.1f}']


def spell(seconds):
    if seconds < 10:
        return f'{seconds:.2f}'
    return f'{seconds:,.0f}' if seconds >= 100 else f'{seconds:.1f}'


def told(figure, value):
    if figure == 'peak':
        return f'{value / (1 << 20):,.0f} MiB'
    if figure in ('cpu', 'clock', 'shares'):
        return spell(value) + ' s'
    return f'{value:.3f}'


def findings(rows):
    """kedge's place on every figure, ahead or behind."""
    own = rows[OURS]
    for figure, sense in FIGURES.items():
        others = {name: row[figure] for name, row in rows.items()
                  if OURS not in name and row.get(figure) is not None}
        if not others or figure not in own or figure == 'clock':
            continue
        mine = told(figure, own[figure])
        ahead = [name for name in sorted(
            others, key=lambda name: -sense * others[name])
            if sense * others[name] > sense * own[figure]
            and told(figure, others[name]) != mine]
        if ahead:
            names = ', '.join(f'{name} {told(figure, others[name])}'
                              for name in ahead)
            yield f'{figure}: kedge, {mine}, is behind {names}.'
        else:
            best = max(others, key=lambda name: sense * others[name])
            theirs = told(figure, others[best])
            how = 'level with' if theirs == mine else 'first, before'
            yield f'{figure}: kedge, {mine}, is {how} {best}, {theirs}.'


def tell(page, found):
    page.add(f'## {found.title}')
    size = found.size
    text = (f'{size["documents"]:,} documents, {size["words"]:,} words, '
            f'{size["tokens"]:,} tokens; the matrix alone takes '
            f'{size["bytes"] / (1 << 20):,.0f} MiB.')
    if size['new']:
        text += f' Shares are of {size["new"]:,} new documents.'
    page.add(text)
    page.table(['tool', *FIGURES, 'load'],
               [cells(name, row, found.options.limit)
                for name, row in found.rows.items()])
    if found.absent:
        page.add('Not run in the time there was: '
                 f'{"; ".join(found.absent)}.')
    if OURS in found.rows:
        page.add('\n'.join('- ' + text for text in notes(found)))


def notes(found):
    rows, limit = found.rows, f'{found.options.limit:,} s'
    own = rows[OURS]
    yield (f'Of kedge\'s {spell(own["cpu"])} s, {spell(own["ingest"])} are of '
           f'reading and storing. {found.k + OTHER} topics, then, take '
           f'{spell(own["another"])} s more.')
    if POLISHED in rows:
        yield f'{POLISHED}: ' + ', '.join(
            f'{figure} {told(figure, rows[POLISHED][figure])} for '
            f'{told(figure, own[figure])}' for figure in
            ('cpu', 'npmi', 'likeliest', 'nats') if figure in own) + '.'
    sweep = rows.get(GIBBS, {}).get('sweep')
    if sweep is not None:
        yield (f'{GIBBS}: a sweep takes {spell(sweep)} s, of which {TRIED} '
               'were tried; its seconds are an estimate, that of '
               f'{found.options.sweeps:,}.')
    late = [name for name, row in rows.items() if 'cpu' not in row]
    if late:
        yield f'Left out, as they took over {limit}: {"; ".join(late)}.'
    yield from findings(rows)


TOOLS = ('kedge', 'MALLET', 'tomotopy', 'gensim LdaModel', 'scikit-learn LDA',
         'scikit-learn NMF')
ANEW = ('anew',) * 5
FACTS = {
    'documents in memory':
        ('no, in a store', 'all', 'all', 'a chunk, if they stream',
         'all; with partial_fit a batch', 'all'),
    'passes, by default':
        ('one', '1,000', 'as train is told', 'one', '10', 'up to 200'),
    'another number of topics': ('from the same sketch', *ANEW),
    'documents taken out': ('exactly, by batch or id', *ANEW),
    'the same result again':
        ('any threads, files in any order', 'a seed, one thread',
         'a seed, one thread', 'a seed', 'a seed, as many jobs', 'a seed'),
    'correlations of topics': ('yes',) + ('no',) * 5}
SHOWN = """\
What shows it of kedge, in the order of the table:

- [memory.py](../../bench/memory.py): four times the documents, and ingest takes
  no more; [test_memory.py](../../cli/test_memory.py): nor does infer.
- [test_sources.py](../../cli/test_sources.py): a pipe does as well as a file.
  Where texts come without a list of words, fit makes its sketch by a pass over
  the store, once.
- [test_fit.c](../../unit/ops/fit/test_fit.c): several numbers of topics at
  once are the same as each alone.
- [group.py](../../bench/group.py): what was removed leaves no trace.
- [determinism.py](../../bench/determinism.py): threads, files and their order.
  It holds on one type of processor.
- [test_planted.py](../../flow/test_planted.py): topics that were planted
  together are found together.

Of the others: "anew" is training from the beginning. MALLET's seed is the clock
by default. gensim and scikit-learn were tried here
([test_compared.py](../test_compared.py)); what is said of MALLET and tomotopy
is from what is published with them. Both have models beside LDA that know of
correlations, as Pachinko allocation, and gensim and scikit-learn add documents
to an LDA (`update`, `partial_fit`), though not as if they had been there from
the beginning."""


def arguments(p):
    p.add_argument('--corpora', default='newsgroups:20+50',
                   help='with their numbers of topics; none: leave it out')
    p.add_argument('--large', default='arxiv300k:50',
                   help='bags of words that are gone through once, likewise')
    p.add_argument('--sweeps', type=int, default=1000,
                   help='of Gibbs sampling')
    p.add_argument('--limit', type=int, default=900,
                   help='seconds of a processor that a tool may train')
    p.add_argument('--kept', action='store_true',
                   help='leave out tools that are not kept in the work folder')
    p.add_argument('--quick', action='store_true',
                   help="this project's own small corpus, few sweeps")
    return p


def chosen(text):
    """(Corpus, numbers of topics)."""
    for part in text.split(',') if text != 'none' else ():
        name, _, ks = part.partition(':')
        yield name, [int(k) for k in ks.split('+')]


def main():
    options = pages.finish(begin(pages.options(arguments(parser(__doc__)))))
    composed.programs(options)
    if options.quick:
        options.corpora = options.large = 'harbour:12'
        options.sweeps = 50
    page = pages.Page(options, 'compared', __doc__)
    for found in contests(options):
        tell(page, found)
    page.add('## What they do otherwise')
    page.table(['', *TOOLS], [[what, *how] for what, how in FACTS.items()])
    page.add(SHOWN)
    page.end()


if __name__ == '__main__':
    main()
