# SPDX-License-Identifier: MIT
"""Tables 1 and 2 of AnchorFree, and topics that no anchor can find."""
import bench

import hashlib
import json
import os
import re

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

import composed
import measures
import plots
import twin
from common import answer, digest, export, fit, ingest, kedge, kept, place
from common import JOINT, lines_of, remove
from corpora import Source, stored
from pages import show
from sheets import NAMES, legend, titles

FREE = ('--recover', 'anchor-free')
PLAIN = ('--rectify', 'none')
ANY = ('--anchor-min-df', 1)
BASE = 'AnchorFree'
PEERS = {'FastAnchor': 'fast', 'SPA': 'spa', 'SNPA': 'snpa', 'XRAY': 'xray'}
WAYS = {BASE: (*PLAIN, *ANY, *FREE),
        **{name: (*PLAIN, *ANY, '--anchors', way)
           for name, way in PEERS.items()},
        'FastAnchor, min-df': (*PLAIN, '--anchors', 'fast'),
        'ENN, QR': (),
        'AnchorFree, min-df': (*PLAIN, *FREE),
        'ENN, AnchorFree': FREE}
SHOWN = 7           # of these in charts
FIGURES_OF = ('umass', 'similarity_count', 'clustering_accuracy')
COUNTED = ('--ncut', '--power-iter', 1, '--sketch-size', 256)
LOST = 5            # exit code: no cone
SPA, SPA_OF_PAIRS = 'SPA', 'SPA of eigenpairs'      # in numpy
FLOOR = 30          # documents that hold an anchor, at least

# Topics without anchors: each word is of two topics, of neither more than MOST.
WORDS, MOST = 60, 0.7       # words a topic
TOKENS = 200                # of a document
NEAR, FAR = 0.05, 0.2       # |b - b found|_1 with AnchorFree and with anchors


def once(options, what, make):
    """What takes long is kept, for this very program and these options."""
    key = hashlib.sha256(repr((
        digest(options.program), options.kedge, what)).encode()).hexdigest()
    return kept(place(options, f'anchorless-{key[:20]}.json'), make)


# ---- classes of newsgroups --------------------------------------------------

def bare(line):
    """The earlier postings have tabs for ends of lines; without their headers
    too, which name the group."""
    document = json.loads(line)
    if '\n' not in document['text']:
        document['text'] = re.sub(r'\A.*?\t\s*\t', '', document['text'])
    return json.dumps(document)


def newsgroups(options):
    found = Source(options, 'newsgroups')
    found.source.lines = [bare(line) for line in found.source.lines]
    return found


class Drawn:
    """Documents of some classes, as a store."""

    def __init__(self, options, source, count, number):
        self.options, self.source, self.count = options, source, count
        classes = np.unique(source.labels)
        rng = np.random.default_rng([options.seed, count, number])
        self.classes = rng.choice(classes, count, replace=False)
        self.chosen = np.flatnonzero(np.isin(source.labels, self.classes))
        self.at = None

    def store(self):
        """Made when it is needed first."""
        if self.at is None:
            self.at = self.source.ingest('anchorless', self.chosen,
                                         '--no-sketch')
        return self.at

    def close(self):
        if self.at is not None:
            remove(self.at)

    def measured(self, how):
        """None where this method finds no topics."""
        return once(self.options, (sorted(self.classes), how),
                    lambda: self.measure(how))

    def measure(self, how):
        store = self.store()
        result = fit(self.options, store, self.count, '-q', '--model', 'way',
                     '--align', 'none', *COUNTED, *how, *self.options.kedge,
                     check=False)
        if result.code == LOST:
            return None
        if result.code != 0:
            raise SystemExit(result.err)
        told = answer(result)['models'][0]
        found = answer(kedge(
            self.options, 'eval', store, '--model', 'way', '--rank',
            'weighted', '--completion', 0, '--probes', 64, '--format', 'json',
            '-q'))['models'][0]['measures']
        print(f'# F = {self.count}: {" ".join(map(str, how))}', flush=True)
        return {**{x: found[x] for x in FIGURES_OF},
                'seconds_topics': told['seconds_topics']}


def draws(options, count):
    """All classes can be drawn in one way alone."""
    return 1 if count == options.classes else options.draws


def averaged(rows):
    rows = [row for row in rows if row is not None]
    return {x: float(np.mean([row[x] for row in rows])) if rows else None
            for x in (*FIGURES_OF, 'seconds_topics')}


def gathered(options, source):
    """{way: {F: means over draws}}, and how often a way found nothing."""
    found, lost = {way: {} for way in WAYS}, {way: 0 for way in WAYS}
    for count in options.topics:
        rows = {way: [] for way in WAYS}
        for number in range(draws(options, count)):
            drawn = Drawn(options, source, count, number)
            for way, how in WAYS.items():
                rows[way].append(drawn.measured(how))
            drawn.close()
        for way in WAYS:
            found[way][count] = averaged(rows[way])
            lost[way] += rows[way].count(None)
    return found, lost


def tell(page, found, lost):
    legend(page, (*FIGURES_OF, 'seconds_topics'))
    page.add('## Classes of 20 Newsgroups')
    for x in (*FIGURES_OF, 'seconds_topics'):
        page.table([f'{NAMES[x][0]}, F', *found],
                   [[count, *(rows[count][x] for rows in found.values())]
                    for count in found[BASE]])
    order = list(found)[:SHOWN]
    plots.save(page, 'papers-anchorless',
               [plots.Panel(NAMES[x][0], {way: [(count, row[x]) for count, row
                                      in found[way].items()]
                                for way in order}, order)
                for x in FIGURES_OF], order)
    for way, times in lost.items():
        if times:
            page.add(f'{way} found no topics in {times} draws.')


def mean(rows, x):
    values = [row[x] for row in rows.values() if row[x] is not None]
    return float(np.mean(values)) if values else float('nan')


def judge(found):
    """The paper's findings: AnchorFree is ahead of each method with anchors."""
    for x, sign, name in (('umass', 1, 'UMass is higher'),
                          ('similarity_count', -1, 'SimCount is lower'),
                          ('clustering_accuracy', 1, 'accuracy is higher')):
        mine = mean(found[BASE], x)
        for way in (*PEERS, 'FastAnchor, min-df', 'ENN, QR'):
            its = mean(found[way], x)
            yield sign * (mine - its) > 0, (
                f'{name} than with {way}: {show(mine)}, {show(its)}')
    mine = mean(found[BASE], 'clustering_accuracy')
    best = max(mean(found[way], 'clustering_accuracy') for way in PEERS)
    yield mine >= 1.3 * best, (
        f'accuracy is 30 % higher than with any of the four methods with '
        f'anchors: {100 * (mine / best - 1):+.0f} %')


# ---- numpy ------------------------------------------------------------------

def figures(x, h, c, labels):
    occurrence = measures.Occurrence(h)
    tops = measures.first(c, 20)
    w = twin.shares(x, c)
    same = sum(len(np.intersect1d(a, b)) for i, a in enumerate(tops)
               for b in tops[:i])
    return [occurrence.coherence(tops), same,
            measures.accuracy(w, labels),
            measures.accuracy(measures.directions(w), labels)]


def words_of(h, column):
    """As kedge chooses them by default, but with scikit-learn's stop words."""
    df = np.bincount(h.indices, minlength=h.shape[1])
    kept = (df >= 5) & (df <= h.shape[0] / 2)
    kept[[i for word, i in column.items() if word in ENGLISH_STOP_WORDS]] = 0
    return h[:, kept]


def printed_rows(drawn):
    """Figures of AnchorFree and SPA, of P itself and of its eigenpairs."""
    h, column, places = stored(drawn.options, drawn.store(),
                               len(drawn.chosen), [])
    labels = drawn.source.labels[drawn.chosen[places]]
    h = words_of(h[places], column)
    x, k = twin.weighed(h), drawn.count
    df = np.bincount(h.indices, minlength=h.shape[1])
    y = twin.root(x, k)
    for floor in (1, FLOOR):
        some = np.flatnonzero(df >= floor)
        inside = some[y[some] @ y.sum(0) > 0]
        yield [k, BASE, floor, *figures(
            x, h, twin.anchor_free(y, inside)[0], labels)]
        for name, root in ((SPA, x), (SPA_OF_PAIRS, csr_matrix(y.T))):
            c = twin.recover(root, twin.spa(root, some, k))
            yield [k, name, floor, *figures(x, h, c, labels)]


def printed(options, page, source):
    """The paper's own preprocessing, in numpy."""
    page.add('## As in the paper, in numpy')
    rows = []
    for count in options.twins:
        drawn = Drawn(options, source, count, 0)
        rows += once(options, ('printed', sorted(drawn.classes)),
                     lambda: list(printed_rows(drawn)))
        drawn.close()
    page.table(['F', 'method', 'min-df', *titles(FIGURES_OF),
                'accuracy by direction'], rows)
    return rows


def judge_printed(rows):
    """Documents as they are or by direction, whichever is better."""
    found = {tuple(row[:3]): max(row[-2:]) for row in rows}
    for count, way, floor in found:
        if way != BASE:
            mine, its = found[count, BASE, floor], found[count, way, floor]
            yield mine > its, (
                f'numpy, F = {count}, min-df {floor}: accuracy is higher than '
                f'with {way}: {mine:.3f}, {its:.3f}')


def checked(options, page, source):
    """kedge's AnchorFree and the twin's of the same rows."""
    page.add('## AnchorFree of kedge and of HiGHS')
    rows = []
    for count in options.twins:
        drawn = Drawn(options, source, count, 0)
        rows.append([count, *once(
            options, ('checked', sorted(drawn.classes)),
            lambda: compared(options, drawn.store(), count))])
        drawn.close()
    page.table(['F', 'ln det, numpy', 'ln det, kedge', 'mean l1'], rows)
    page.verdicts((row[2] >= row[1] - 1e-5, f'F = {row[0]}: ln det '
                   f'{row[2]:.6f} by kedge, {row[1]:.6f} by HiGHS')
                  for row in rows)


def compared(options, store, count):
    """ln |det M| of both, and how far topics are apart."""
    fit(options, store, count, '-q', '--model', 'way', '--align', 'none',
        *COUNTED, *WAYS[f'{BASE}, min-df'], '--anchor-min-df', FLOOR,
        '--save-spectrum', *options.kedge)
    folder = store + '.out'
    export(options, store, folder, '--model', 'way', '--spectrum', '-q')
    y, b = (np.load(os.path.join(folder, name + '.npy'))
            for name in ('rectified', 'weighted_topics'))
    words = lines_of(os.path.join(folder, 'vocab.txt'))
    remove(folder)
    df = frequencies(options, store)
    rows = np.flatnonzero(np.array([df[word] >= FLOOR for word in words]) &
                          (y @ y.sum(0) > 0))
    c, size = twin.anchor_free(y, rows)
    return [size, twin.volume(y, rows, b), apart(b, c)]


def frequencies(options, store):
    lines = kedge(options, 'vocab', store, '-n', 0, '--format',
                  'tsv').out.split('\n')[1:-1]
    return {word: int(df) for word, _, df, *_ in
            (line.split('\t') for line in lines)}


# ---- topics without anchors -------------------------------------------------

def planted(k, rng):
    """Each word is of two topics, of a third of the words MOST to the one."""
    b = np.zeros((WORDS * k, k))
    for i in range(len(b)):
        one, other = i % k, (i % k + 1 + i // k % (k - 1)) % k
        part = MOST if rng.random() < 1 / 3 else rng.uniform(1 - MOST, MOST)
        size = rng.uniform(0.2, 1.2)
        b[i, one], b[i, other] = size * part, size * (1 - part)
    return b / b.sum(0)


def apart(b, found):
    """The mean |b - b found|_1, each topic beside the one that is nearest."""
    return float(np.abs(b[:, :, None] - found[:, None, :]).sum(0)
                 .min(1).mean())


def write(options, h):
    """A store of these bags; words are named by their rows."""
    base = place(options, f'planted-{os.getpid()}')
    h = h.tocsr()
    with open(base + '.vocab', 'w', encoding='utf-8') as file:
        file.writelines(f'w{i:06}\n' for i in range(h.shape[1]))
    with open(base + '.txt', 'w', encoding='utf-8') as file:
        file.write(f'{h.shape[0]}\n{h.shape[1]}\n{h.nnz}\n')
        for row, (start, end) in enumerate(zip(h.indptr, h.indptr[1:]), 1):
            file.writelines(f'{row} {i + 1} {count:.0f}\n' for i, count in
                            zip(h.indices[start:end], h.data[start:end]))
    ingest(options, base + '.store', [base + '.txt', '--from', 'uci'],
           base + '.vocab', '--no-sketch', '-q', *JOINT)
    remove(base + '.txt')
    remove(base + '.vocab')
    return base + '.store'


def learnt(options, store, k, *how):
    """Topics, a row for each word in the order of their names."""
    fit(options, store, k, '-q', '--model', 'way', '--align', 'none',
        '--term-weight', 'none', '--cooccurrence', 'dense', '--rectify', 'none',
        '--anchor-min-df', 1, '--max-df', 1, *how)
    export(options, store, store + '.out', '--model', 'way', '-q')
    words = lines_of(os.path.join(store + '.out', 'vocab.txt'))
    b = np.load(os.path.join(store + '.out', 'topics.npy'))
    remove(store + '.out')
    rows = np.zeros((max(int(w[1:]) for w in words) + 1, k))
    rows[[int(w[1:]) for w in words]] = b
    return rows


def planted_row(options, size):
    k, rng = options.planted, np.random.default_rng(options.seed)
    b = planted(k, rng)
    drawn = composed.Dirichlet(np.full(k, 1 / k)).draw(size, rng)
    store = write(options, composed.write(drawn, b, TOKENS, rng))
    found = [apart(b, learnt(options, store, k, *how))
             for how in (FREE, (), ('--anchors', 'fast'))]
    remove(store)
    return [size, *found]


def unanchored(options, page):
    page.add('## Topics without anchor words')
    rows = [once(options, ('planted', options.planted, size, options.seed),
                 lambda: planted_row(options, size))
            for size in options.sizes]
    page.table(['documents', BASE, 'QR', 'FastAnchor'], rows)
    best = rows[-1]
    page.verdicts([
        (best[1] < NEAR, f'{best[0]} documents: AnchorFree errs by '
         f'{best[1]:.3f}, below {NEAR}'),
        (min(best[2:]) > FAR, f'{best[0]} documents: with anchors the '
         f'error is {min(best[2:]):.3f} or more, above {FAR}')])


def anchorless(options, page):
    """Does AnchorFree find better topics than methods with anchor words?

    Tables 1 and 2 of Anchor-Free Correlated Topic Modeling, on classes of 20
    Newsgroups: F classes drawn by chance, all of their postings without
    headers, F topics, means over draws (F = 20: all classes, once). The
    co-occurrence is that of tf-idf (1 + ln tf) of documents of length one,
    weighted by the normalised cut; all methods use its F largest eigenpairs,
    sharpened by one power iteration. FastAnchor, SPA, SNPA and XRAY recover
    topics by least squares. As in the paper, any word may be an anchor, and
    every word is a constraint of AnchorFree; "min-df" restricts both to words
    in enough documents, kedge's default. "ENN, QR" is kedge's default method
    with the same weighting. `kedge eval --rank weighted` measures them.

    The paper takes tf-idf before documents get length one, and tf as it is.
    kedge has no option for that, so that it is done in numpy, with linear
    programs by HiGHS; kedge's AnchorFree is checked against these programs
    too. Last, documents are drawn from topics without any anchor word. Bars:
    the paper's findings.

    Caveats:
    - Other classes are drawn than in the paper, and numpy uses another list of
      stop words (scikit-learn's).
    - Five draws; one for F = 20.

    Columns:
    - F: number of classes and of topics.
    - First table: mean l1 distance of the true topics from the nearest found
      ones; 2 shares no word.
    - ln det: the objective of AnchorFree, higher is better; mean l1: distance
      of the topics of both programs.
    - accuracy by direction: k-means on topic proportions brought to length
      one.
    """
    unanchored(options, page)
    source = newsgroups(options)
    options.classes = len(np.unique(source.labels))
    checked(options, page, source)
    page.verdicts(judge_printed(printed(options, page, source)))
    found, lost = gathered(options, source)
    tell(page, found, lost)
    page.verdicts(judge(found))


FIGURES = {'anchorless': anchorless}


def numbers(text):
    return [int(x) for x in text.split(',')]


def arguments(p):
    p.add_argument('--topics', type=numbers, default='3,4,5,6,7,8,9,10,15,20',
                   help='F, numbers of classes and of topics')
    p.add_argument('--draws', type=int, default=5)
    p.add_argument('--twins', type=numbers, default='5,10',
                   help='F of the tables by numpy')
    p.add_argument('--planted', type=int, default=5,
                   help='number of topics without anchor words')
    p.add_argument('--sizes', type=numbers,
                   default='1000,10000,100000',
                   help='numbers of documents drawn from these')
