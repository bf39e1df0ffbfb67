# SPDX-License-Identifier: MIT
"""Figures of A Practical Algorithm for Topic Modeling with Provable
Guarantees."""
import bench

import hashlib
import os
import resource
from collections import namedtuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

import composed
import measures
import plots
from common import JOINT, kedge, place, remove
from corpora import Corpus
from ours import load
from planted import write

ALPHA, BETA = 0.03, 0.01    # of documents, as the paper has it, and of topics
GROUPS = 10                 # of topics that go together
RECOVER = ('l2', 'kl', 'inverse')
NUMBER = {'l2': 0, 'kl': 1, 'inverse': 2, 'qr': 0, 'fast': 1}  # in the library
LINES = {'kedge': ('--rectify', 'enn', '--rectify-iter', 15),
         'plain': ('--rectify', 'none', '--anchors', 'fast')}
GIBBS, UNIFORM = 'Gibbs', 'uniform'
ZERO = 0.01     # an error that is none: a solver's
LIKE = 0.05     # of an error, that it may be apart from another to be alike
TOP = 20        # words of a topic
HELD = 0.2      # of the documents
LIKELIHOOD = 'log-likelihood'   # in tables

Source = namedtuple('Source', 'name topics prior')


def ways():
    """{name: (line, recover)}"""
    return {f'{line}, {recover}': (line, recover)
            for line in LINES for recover in RECOVER}


def arguments(p):
    p.add_argument('--sources', default='kos,ap',
                   help='corpora that topics are learnt from')
    p.add_argument('-k', dest='topics', type=int, default=100)
    p.add_argument('--words', type=int, default=5000,
                   help='of most documents')
    p.add_argument('--documents', type=numbers, default='5000,20000,50000,'
                   '100000')
    p.add_argument('--tokens', type=int, default=300, help='of a document')
    p.add_argument('--rho', type=decimals, default='0.05,0.1')
    p.add_argument('--iterations', type=numbers, default='1000,10,100',
                   help='of Gibbs sampling: iterations to burn, samples, and '
                   'iterations between samples')


def numbers(text):
    return [int(x) for x in text.split(',')]


def decimals(text):
    return [float(x) for x in text.split(',')]


# ---- learning ----------------------------------------------------------------

def used():
    """Seconds of a processor, by all programs that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def kept(options, key, data, make):
    """(Topics, seconds), in the work folder once they are made."""
    digest = hashlib.sha256(repr(key).encode())
    for part in data:
        digest.update(np.ascontiguousarray(part).tobytes())
    path = place(options, f'planted-{digest.hexdigest()[:20]}.npz')
    if not os.path.exists(path):
        begun = used()
        topics = make()
        np.savez(path + '.new.npz', topics=topics,
                 seconds=used() - begun)
        os.replace(path + '.new.npz', path)
    found = np.load(path)
    return found['topics'], float(found['seconds'])


def sampled(options, h, k):
    """By Gibbs sampling."""
    def make():
        problem = composed.Problem(options, np.zeros((h.shape[1], k)), h)
        return problem.solve('gibbs', problem.bytes([ALPHA, BETA]),
                             *options.iterations, options.seed)
    h.sort_indices()
    return kept(options, ('gibbs', k, options.iterations, options.seed),
                (h.indptr, h.indices, h.data), make)


class Store:
    """Documents that kedge has read, once for all that is asked of it."""

    def __init__(self, options, h):
        self.options, self.words = options, h.shape[1]
        self.path, docword, vocab = (
            place(options, f'planted-{os.getpid()}.{x}')
            for x in ('store', 'txt.zst', 'vocab'))
        remove(self.path)
        write(h.T.tocsc(), docword, vocab, digits=6)
        self.seconds = kedge(options, 'ingest', self.path, docword, '--vocab',
                             vocab, '-q', *JOINT, *options.ingest).cpu
        remove(docword)
        remove(vocab)

    def learn(self, k, line, recover):
        """Topics over all words, and seconds; zeros where it gave up."""
        done = kedge(self.options, 'fit', self.path, '-k', k, '-q', '--model',
                     'planted', '--align', 'none', '--term-weight', 'none',
                     *LINES[line], '--recover', recover, *self.options.kedge,
                     check=False)
        if done.code == 5:
            return None, done.cpu
        if done.code != 0:
            raise SystemExit(f'kedge fit: {done.err}')
        files = load(self.options, self.path, 'planted')
        topics = np.zeros((self.words, k))
        topics[[int(word[1:]) for word in files.words]] = files.topics
        return topics, done.cpu

    def close(self):
        remove(self.path)


def exact(options, source, line, recover):
    """Topics from the moments that endless documents would have."""
    second = source.prior.second()
    value, vector = np.linalg.eigh(second)
    y = source.topics @ (vector * np.sqrt(np.maximum(value, 0)))
    problem = composed.Problem(options, y, composed.sparse.csr_matrix(
        (0, len(y))))
    return problem.solve('recovering', problem.bytes(y @ y.sum(0)),
                         NUMBER['fast' if 'fast' in LINES[line] else 'qr'],
                         NUMBER[recover])


# ---- where documents come from -----------------------------------------------

def bags(options, name, count):
    """Documents over the words that most documents have."""
    h = Corpus(options, name).bags
    df = np.asarray((h > 0).sum(0)).ravel()
    h = h[:, np.sort(np.argsort(-df, kind='stable')[:count])].tocsr()
    return h[np.asarray(h.sum(1)).ravel() >= 5]


def anchored(topics):
    """A word more for each topic, as likely as its likeliest."""
    topics = np.vstack([topics, np.diag(topics.max(0))])
    return topics / topics.sum(0)


def correlated(k, rho, rng):
    """A logistic normal, of groups that go together by rho, and of as much
    variance as makes documents of as few topics as ALPHA does."""
    group = np.arange(k) * GROUPS // k
    covariance = np.where(group[:, None] == group, rho, 0.0)
    np.fill_diagonal(covariance, 1)
    aim = (ALPHA + 1) / (k * ALPHA + 1)
    low, high = 0.0, 1000.0
    z = rng.standard_normal((4000, k)) @ np.linalg.cholesky(covariance).T
    while high - low > 1e-3:
        middle = (low + high) / 2
        w = np.exp(np.sqrt(middle) * (z - z.max(1, keepdims=True)))
        w /= w.sum(1, keepdims=True)
        if (w * w).sum(1).mean() < aim:
            low = middle
        else:
            high = middle
    return composed.Normal(np.zeros(k), high * covariance)


def sources(options, topics):
    k = topics.shape[1]
    prior = composed.Dirichlet(np.full(k, ALPHA))
    yield Source('LDA', topics, prior)
    yield Source('anchors', anchored(topics), prior)
    for rho in options.rho:
        yield Source(f'rho {rho:g}', topics, correlated(
            k, rho, np.random.default_rng(options.seed)))


# ---- how near topics are -----------------------------------------------------

def errors(truth, found):
    """l1 of each topic from the one that it is matched with."""
    if found is None:
        return None
    l1 = cdist(truth.T, found.T, 'cityblock')
    return l1[linear_sum_assignment(l1)]


def unique(tops):
    """How many words of a topic's list are in no other's, on average."""
    met, count = np.unique(np.concatenate(tops), return_counts=True)
    alone = set(met[count == 1])
    return float(np.mean([len(alone.intersection(words)) for words in tops]))


def row(found):
    """Mean, and where a tenth of the topics is below and above."""
    if found is None:
        return [None] * 3
    return [float(np.mean(found)), *map(float, np.quantile(found, (0.1, 0.9)))]


def measured(options, source, size):
    """{way: (errors, seconds)} of so many documents; 0: of endless ones."""
    k = source.topics.shape[1]
    if size == 0:
        return {name: (errors(source.topics, exact(options, source, *way)),
                       None) for name, way in ways().items()}
    rng = np.random.default_rng([options.seed, size])
    h = composed.write(source.prior.draw(size, rng), source.topics,
                       options.tokens, rng)
    found = {}
    topics, seconds = sampled(options, h, k)
    found[GIBBS] = errors(source.topics, topics), seconds
    store = Store(options, h)
    for name, way in ways().items():
        topics, seconds = store.learn(k, *way)
        found[name] = errors(source.topics, topics), store.seconds + seconds
    store.close()
    return found


def chart(page, name, results):
    order = [GIBBS, *ways()]
    panels = [plots.Panel(
        title, {way: [(size, row(found[way][0])[0])
                      for size, found in sizes.items()
                      if size > 0 and way in found] for way in order}, order)
        for title, sizes in results.items()]
    plots.save(page, f'papers-planted-{name}', panels, order)


CELLS = 'mean l1', 'a tenth', 'nine tenths', 'processor s'


def tell(page, title, sizes, flat):
    """A table for each figure: documents by methods."""
    names = [GIBBS, *ways()]
    cells = {(size, way): [*row(error), seconds]
             for size, found in sizes.items()
             for way, (error, seconds) in found.items()}
    page.add(f'### {title}: topics where every word is as probable err by '
             f'{flat:.3f}')
    for i, what in enumerate(CELLS):
        if i == 1:
            page.add(f'### {title}', long=True)
        page.table([f'{what}, documents', *names],
                   [[size or 'endless', *(cells.get((size, way), [None] * 4)[i]
                                          for way in names)]
                    for size in sizes if size or what != CELLS[-1]],
                   long=i > 0)


# ---- what the paper found ----------------------------------------------------

def mean(found, way):
    error = found[way][0]
    return 2.0 if error is None else float(np.mean(error))


def judge_exact(title, found, line):
    """Of exact moments."""
    own = {recover: mean(found, f'{line}, {recover}') for recover in RECOVER}
    told = ', '.join(f'{x} {own[x]:.4f}' for x in RECOVER)
    if title == 'anchors':
        yield max(own.values()) <= ZERO, (
            f'{line}: with anchors and endless documents there is no error: '
            f'{told}')
    elif title == 'LDA':
        yield own['inverse'] > max(own['l2'], own['kl']), (
            f'{line}: without anchors the inverse errs most even with endless '
            f'documents: {told}')


def judge_sizes(title, sizes, line):
    few, many = (sizes[f(size for size in sizes if size > 0)]
                 for f in (min, max))
    l2, kl, inverse = (f'{line}, {recover}' for recover in RECOVER)
    best = min(mean(many, l2), mean(many, kl))
    yield mean(many, inverse) > 1.5 * best, (
        f'{title}, {line}: with most documents the inverse errs by '
        f'{mean(many, inverse):.3f}, more than 1.5 times {best:.3f}')
    least = min(mean(few, l2), mean(few, kl))
    yield mean(few, GIBBS) <= least, (
        f'{title}: with fewest documents Gibbs is nearest, '
        f'{mean(few, GIBBS):.3f}, {line} {least:.3f}')
    if title in ('LDA', 'anchors'):
        yield best <= mean(many, GIBBS), (
            f'{title}: with most documents {line} is nearest, {best:.3f}, '
            f'Gibbs {mean(many, GIBBS):.3f}')


def judge_correlated(results, line):
    """Errors rise with correlation, of documents; of moments they stay."""
    titles = ['LDA', *(title for title in results if 'rho' in title)]
    for recover in RECOVER[:2]:
        way = f'{line}, {recover}'
        many = [mean(results[title][max(results[title])], way)
                for title in titles]
        yield many == sorted(many), (
            f'{way}: correlation makes errors larger: '
            + ', '.join(f'{title} {x:.3f}'
                        for title, x in zip(titles, many)))
        endless = [mean(results[title][0], way) for title in titles]
        yield max(endless) <= min(endless) * (1 + LIKE), (
            f'{way}: with endless documents correlation makes no difference: '
            + ', '.join(f'{x:.3f}' for x in endless))


def judge_time(sizes, line):
    few, many = (f(size for size in sizes if size > 0) for f in (min, max))
    ratio = {way: sizes[many][way][1] / sizes[few][way][1]
             for way in (GIBBS, f'{line}, l2')}
    yield ratio[GIBBS] > 2 * ratio[f'{line}, l2'], (
        f'{many / few:.0f} times the documents take {ratio[GIBBS]:.1f} times '
        f'as long by Gibbs, {ratio[f"{line}, l2"]:.1f} times by {line}')


def judge(results):
    for line in LINES:
        for title, sizes in results.items():
            yield from judge_sizes(title, sizes, line)
            yield from judge_exact(title, sizes[0], line)
        yield from judge_correlated(results, line)
        yield from judge_time(results['LDA'], line)


def planted(options, page):
    """Does kedge find the topics that documents were drawn from?

    Figures 1 to 4 of A Practical Algorithm for Topic Modeling with Provable
    Guarantees. Topics are learned from a corpus by Gibbs sampling, and
    documents are drawn from them: with topic proportions from a Dirichlet of
    0.03 (LDA); the same with a planted anchor for each topic, as probable as
    its most probable word (anchors); or from a logistic normal with ten groups
    of topics whose correlation is rho. The paper does not give its variances;
    here they make documents of as few topics as the Dirichlet does. Each
    method learns the topics again; they are matched with the true ones so that
    the sum of their l1 distances is least. Bars: the paper's findings.

    "kedge" is its default method: one pass, ENN, pivoted QR. "plain" is
    without rectification, with FastAnchorWords. Both take the papers'
    co-occurrence without term weights. l2, kl and inverse are the options of
    --recover.

    Caveats:
    - kedge sees K eigenpairs of the co-occurrence, the paper all of it; that
      removes noise before anchors are found.
    - Gibbs sampling is this tree's own sampler.

    Columns:
    - documents: "endless" is the exact moments, which Gibbs sampling cannot
      use.
    - mean l1: mean distance of the topics from the true ones; 2 shares no
      word. a tenth, nine tenths: so many topics are nearer than this.
    - processor s: seconds of the processor, of ingest and fit, or of the
      sampler.
    """
    composed.programs(options)
    for name in options.sources.split(','):
        h = bags(options, name, options.words)
        topics, _ = sampled(options, h, options.topics)
        page.add(f'## {name}')
        page.add(f'{h.shape[0]} documents, {h.shape[1]} words; '
                 f'{options.topics} topics, documents of {options.tokens} '
                 'tokens.')
        results = {}
        for source in sources(options, topics):
            flat = float(np.abs(source.topics - 1 / len(source.topics))
                         .sum(0).mean())
            sizes = results[source.name] = {
                size: measured(options, source, size)
                for size in [0, *options.documents]}
            tell(page, f'{name}, {source.name}', sizes, flat)
        chart(page, name, results)
        page.verdicts((good, f'{name}: {text}')
                      for good, text in judge(results))


# ---- real documents ----------------------------------------------------------

def quality(options, h, topics, first):
    """Log-likelihood of unseen tokens, and measures of first words."""
    if topics is None:
        return None
    seen, unseen = measures.halves(h[first:], options.seed)
    k = topics.shape[1]
    rows = composed.Problem(options, topics, seen).sample(
        composed.Dirichlet(np.full(k, ALPHA)), *composed.DIRICHLET,
        options.seed)
    tops = measures.first(topics, TOP)
    return {LIKELIHOOD: -float(np.log(measures.perplexity(
                unseen, rows / rows.sum(1, keepdims=True), topics,
                measures.unigram(h[:first])))),
            'UMass': measures.Occurrence(h[:first]).coherence(tops),
            'dissimilarity': unique(tops)}


def judge_real(found):
    gibbs = found[GIBBS]
    for line in LINES:
        l2, inverse = (found[f'{line}, {x}'] for x in ('l2', 'inverse'))
        if inverse is not None:
            yield inverse[LIKELIHOOD] < l2[LIKELIHOOD], (
                f'{line}: the inverse predicts worst, '
                f'{inverse[LIKELIHOOD]:.3f}, l2 {l2[LIKELIHOOD]:.3f}')
        yield gibbs[LIKELIHOOD] >= l2[LIKELIHOOD], (
            f'Gibbs predicts best, {gibbs[LIKELIHOOD]:.3f}, {line}, l2 '
            f'{l2[LIKELIHOOD]:.3f}')
        yield l2['UMass'] > gibbs['UMass'], (
            f'{line}, l2: UMass is {l2["UMass"]:.0f}, above Gibbs\' '
            f'{gibbs["UMass"]:.0f}')
        yield l2['dissimilarity'] < gibbs['dissimilarity'], (
            f'Gibbs\' dissimilarity is {gibbs["dissimilarity"]:.1f}, above '
            f'{line}, l2: {l2["dissimilarity"]:.1f}')


def real(options, page):
    """Does recovery from anchors beat Gibbs sampling on real documents?

    Figure 5 of A Practical Algorithm for Topic Modeling with Provable
    Guarantees. No method sees a fifth of the documents. Half of their tokens
    give topic proportions, by sampling for every method, which predict the
    other half. Methods are as in papers-planted. Bars: the paper's findings.

    Caveats:
    - One corpus, smaller than the paper's (NIPS and the New York Times with
      100 topics).
    - One seed.

    Columns:
    - log-likelihood: held out, for each token, in nats; higher is better.
    - UMass: coherence of a topic's first 20 words in the documents it was
      learned from; higher is better.
    - dissimilarity: how many of these 20 words no other topic has among its
      own.
    """
    composed.programs(options)
    for name in options.sources.split(','):
        h = bags(options, name, options.words)
        h = h[np.random.default_rng(options.seed).permutation(h.shape[0])]
        first = int((1 - HELD) * h.shape[0])
        learnt = {GIBBS: sampled(options, h[:first], options.topics)[0]}
        store = Store(options, h[:first])
        for way, how in ways().items():
            learnt[way] = store.learn(options.topics, *how)[0]
        store.close()
        found = {way: quality(options, h, topics, first)
                 for way, topics in learnt.items()}
        page.add(f'## {name}')
        page.add(f'{first} documents, {h.shape[0] - first} held out; '
                 f'{options.topics} topics.')
        page.table(['method', LIKELIHOOD, 'UMass', 'dissimilarity'],
                   [[way, *(value.values() if value else [None] * 3)]
                    for way, value in found.items()])
        page.verdicts((good, f'{name}: {text}')
                      for good, text in judge_real(found))


FIGURES = {'planted': planted, 'real': real}
