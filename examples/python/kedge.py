# SPDX-License-Identifier: MIT
"""kedge for Python: topic models of corpora too big for memory, in one pass.

    from kedge import Kedge

    model = Kedge(n_topics=20).fit(texts)
    model.top_words(8)                              # a list for each topic
    theta = model.transform(texts)                  # documents x topics

    model = Kedge(n_topics=20, store='news.kedge')  # a folder on the disk
    model.partial_fit(monday, batch='monday')
    model.partial_fit(tuesday, batch='tuesday')
    model.remove('monday')                          # as if never added

Documents are texts, lists of words, or a matrix of counts (documents x words,
sparse or dense).

This file needs libkedge and numpy, and scipy for matrices; there is nothing to
build. The system's loader finds the library, or KEDGE_LIBRARY has its path.

The same documents and options give the same bytes. They are the program's
bytes if OPENBLAS_CORETYPE is the core that `kedge --version` prints after
openblas.
"""
import ctypes
import ctypes.util
import os
import re
import shutil
import tempfile
import threading
import warnings
import weakref

import numpy as np

try:
    from sklearn.base import BaseEstimator, TransformerMixin
except ImportError:  # scikit-learn is optional
    class BaseEstimator:
        pass

    class TransformerMixin:
        def fit_transform(self, X, y=None, **more):
            return self.fit(X, y, **more).transform(X)

METHODS = ('linear-bayes', 'least-squares', 'padd', 'pami', 'mean', 'tli')
ALIASES = {'lb': 'linear-bayes', 'ls': 'least-squares'}
METHODS_OF_ALL = ('padd', 'pami')  # they read documents twice
WEIGHTS = {None: 0, 'none': 0, 'idf': 1, 'sqrt': 2}
RANKS = {'probability': 0, 'relevance': 1, 'anchor': 2, 'weighted': 3}
WRITE, CREATE = 1, 2
BUSY = 12  # KEDGE_EBUSY
MOST = 2 ** 32 - 1  # the largest count of a word in a document
DEFAULTS = {'tf': 'log', 'term_weight': 'idf', 'power_iter': 0, 'em_iter': 0,
            'min_tokens': 0}  # which a preset replaces

# ---- the library, as include/kedge has it -----------------------------------

U64, FLAG, TEXT = ctypes.c_uint64, ctypes.c_bool, ctypes.c_char_p
INT, REAL, ANY = ctypes.c_int, ctypes.c_double, ctypes.c_void_p
ROOM = ('room', ctypes.c_char * 16384)  # members that are not used here


class Struct(ctypes.Structure):
    """Refuses unknown fields; ctypes would accept any attribute."""

    def __setattr__(self, name, value):
        if name not in {field[0] for field in self._fields_}:
            raise AttributeError(f'{type(self).__name__} has no {name}')
        super().__setattr__(name, value)


class Error(Struct):
    _fields_ = [('status', INT), ('text', ctypes.c_char * 1024)]


class Control(Struct):
    _fields_ = [('threads', ctypes.c_uint), ('memory', U64), ('data', ANY),
                ('progress', ANY), ('log', ANY), ('stop', ANY)]


class Given(Struct):
    _fields_ = [('id', TEXT), ('label', TEXT), ('text', TEXT),
                ('text_size', ctypes.c_size_t), ('words', ANY),
                ('numbers', ANY), ('counts', ANY), ('size', U64)]


NEXT = ctypes.CFUNCTYPE(INT, ANY, ctypes.POINTER(Given))


class Source(Struct):
    _fields_ = [('name', TEXT), ('vocabulary', ctypes.POINTER(TEXT)),
                ('words', U64), ('data', ANY), ('next', NEXT),
                ('one_by_one', FLAG)]


class IngestOpts(Struct):
    _fields_ = [('source', ctypes.POINTER(Source)), ('format', INT),
                ('vocabulary', TEXT), ('text_field', TEXT), ('id_field', TEXT),
                ('label_field', TEXT), ('digits', INT), ('min_chars', U64),
                ('max_chars', U64), ('stemmer', TEXT), ('stopwords', TEXT),
                ('bags_only', FLAG), ('tf', TEXT), ('sketch_size', U64),
                ('seed', U64), ('min_tokens', U64), ('batch', TEXT), ROOM]


class FitOpts(Struct):
    _fields_ = [('name', TEXT), ('power_iter', U64), ('cooccurrence', INT),
                ('rectify', INT), ('rectify_iter', U64), ('rectify_tol', REAL),
                ('anchor_min_df', U64), ('anchors', INT),
                ('anchor_file', TEXT), ('anchor_ban', TEXT),
                ('projection', U64), ('solver', INT), ('recover', INT),
                ('topic_cooccurrence', INT), ('legal', FLAG),
                ('term_weight', INT), ('ncut', FLAG), ('em_iter', U64),
                ('index', U64), ('freeze', FLAG), ('min_df', U64),
                ('max_df', REAL), ('vocab_size', U64), ('stopwords', TEXT),
                ('keep_words', TEXT), ('drop_words', TEXT), ('phrases', U64),
                ('phrase_df', U64), ('phrase_score', REAL), ('tf', TEXT),
                ('sketch_size', U64), ('seed', U64), ('min_tokens', U64), ROOM]


class InferOpts(Struct):
    _fields_ = [('model', TEXT), ('method', INT), ('iterations', U64),
                ('tolerance', REAL), ('weighted', FLAG), ('tau', REAL),
                ('rho', REAL), ('as_published', FLAG),
                ('source', ctypes.POINTER(Source)), ROOM]


class RemoveOpts(Struct):
    _fields_ = [('batch', TEXT), ROOM]


class DocTopics(Struct):
    _fields_ = [('id', ANY), ('id_size', ctypes.c_size_t), ('tokens', U64),
                ('oov', U64), ('misfit', REAL), ('iterations', U64),
                ('flag', INT), ('proportions', ANY), ('topics', U64),
                ('ready', U64)]


class RankedWord(Struct):
    _fields_ = [('row', U64), ('probability', REAL), ('relevance', REAL),
                ('weighted', REAL)]


class IngestResult(Struct):
    _fields_ = [('sources', U64), ('sources_known', U64), ('documents', U64),
                ROOM]


class Result(Struct):
    """Room for any result that is not used."""
    _fields_ = [ROOM]


def find_library():
    path = os.environ.get('KEDGE_LIBRARY') or ctypes.util.find_library('kedge')
    if path is None:
        raise ImportError('libkedge is not installed: run "meson install -C '
                          '.build", or set KEDGE_LIBRARY to its path')
    lib = ctypes.CDLL(path)
    for name, kind in (('word', TEXT), ('probabilities', ANY), ('words', U64),
                       ('topic_cooccurrence', ANY), ('prevalence', ANY),
                       ('topics', U64), ('anchors', ANY)):
        getattr(lib, 'kedge_model_' + name).restype = kind
    lib.kedge_version.restype = lib.kedge_status_text.restype = TEXT
    return lib


LIB = find_library()


class KedgeError(RuntimeError):
    """An error of the library: its message, and its kedge_status as status."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


# Options of the program that are arguments here. Messages call the others "the
# program's".
ARGUMENTS = {name.replace('_', '-'): name for name in (
    'memory', 'threads', 'seed', 'sketch_size', 'min_tokens', 'min_df',
    'max_df', 'stopwords', 'tf', 'term_weight', 'method', 'em_iter',
    'power_iter', 'batch', 'preset')}
ARGUMENTS['topics'] = 'n_topics'


def in_python(text):
    """A message of the library with the names of arguments for options."""
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*)",
                  lambda found: ARGUMENTS[found[1]] + '='
                  if found[1] in ARGUMENTS
                  else f"the program's {found[0]}", text)


def call(function, *arguments):
    """Calls a function of the library; raises KedgeError if it fails."""
    error = Error()
    status = function(*arguments, ctypes.byref(error))
    if status != 0:
        text = error.text or LIB.kedge_status_text(status)
        raise KedgeError(status, in_python(text.decode('utf-8', 'replace')))


def defaults(kind, name):
    """A structure of options with the library's defaults."""
    made = kind()
    getattr(LIB, f'kedge_{name}_init')(ctypes.byref(made))
    return made


def array(pointer, kind, *shape):
    """A copy of an array of the library."""
    count = int(np.prod(shape))
    numbers = (kind * count).from_address(pointer) if count else []
    return np.array(numbers).reshape(shape)


def encoded(text):
    return text.encode() if isinstance(text, str) else text


# ---- documents --------------------------------------------------------------

def matrix_of(X):
    """X as a matrix, or None if X has texts or lists of words."""
    if hasattr(X, 'tocsr'):
        return X
    if isinstance(X, (list, tuple)):
        row = X[0] if X else ''
        if isinstance(row, (str, bytes)) or not hasattr(row, '__len__') or \
                not all(isinstance(x, (int, float, np.number)) for x in row):
            return None
    elif not hasattr(X, '__array__'):
        return None
    return np.asarray(X)


def check_numbers(X):
    if X.ndim != 2:
        raise ValueError('Expected 2D array: documents by words. Reshape your '
                         'data')
    if 0 in X.shape:
        raise ValueError(f'Found array with {X.shape[0]} sample(s) and '
                         f'{X.shape[1]} feature(s) (shape={X.shape}) while a '
                         'minimum of 1 is required by Kedge.')
    if X.dtype.kind == 'c':
        raise ValueError('Complex data not supported')


def counts_of(X):
    """The three arrays of a CSR matrix of counts. X does not change; arrays
    that have 32 bits already are not copied."""
    from scipy.sparse import csr_matrix
    X = csr_matrix(X if hasattr(X, 'tocsr') or X.dtype.kind != 'O'
                   else X.astype(float))
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if not np.all(np.isfinite(X.data)):
        raise ValueError('X contains NaN or inf: expected counts')
    if X.nnz and X.data.min() < 0:
        raise ValueError('Negative values in data passed to Kedge')
    if not np.all(X.data == np.floor(X.data)):
        raise ValueError('X has fractions: expected counts, not tf-idf')
    if X.nnz and X.data.max() > MOST:
        raise ValueError(f'X has a count above {MOST}, the largest allowed')
    if X.nnz and X.data.min() == 0:
        X = X.copy()
        X.eliminate_zeros()
    return (X.indptr, X.indices.astype(np.uint32, copy=False),
            X.data.astype(np.uint32, copy=False))


class Documents:
    """A kedge_source, and the Python objects that it points to."""

    def __init__(self, X, words=None, ids=None):
        self.ids = None if ids is None else iter(ids)
        self.failed = None
        self.next = NEXT(self.answer)
        self.source = Source(next=self.next)
        if words is not None:
            self.start, self.number, self.count = counts_of(X)
            self.list = (TEXT * len(words))(*map(encoded, words))
            self.source.vocabulary, self.source.words = self.list, len(words)
            self.left = iter(range(len(self.start) - 1))
            self.give = self.give_row
        else:
            self.left = iter(X)
            self.give = self.give_text

    def answer(self, _, out):
        """kedge_source.next. Keeps an exception for call() to raise, as it
        cannot pass through the library."""
        try:
            item = next(self.left, self)
            if item is self:
                return 0
            self.give(item, out.contents)
            if self.ids is not None:
                self.id = encoded(str(next(self.ids)))
                out.contents.id = self.id
            return 1
        except StopIteration:
            self.failed = ValueError('there are fewer ids than documents')
        except BaseException as error:  # KeyboardInterrupt too
            self.failed = error
        return -1

    def give_row(self, row, out):
        start, end = int(self.start[row]), int(self.start[row + 1])
        out.numbers = self.number.ctypes.data + 4 * start
        out.counts = self.count.ctypes.data + 4 * start
        out.size = end - start

    def give_text(self, item, out):
        if isinstance(item, (str, bytes)):
            self.held = encoded(item)
            out.text, out.text_size = self.held, len(self.held)
        else:
            self.held = (TEXT * len(item))(*map(encoded, item))
            out.words = ctypes.cast(self.held, ANY)
            out.size = len(item)

    def call(self, function, *arguments):
        try:
            call(function, *arguments)
        except KedgeError:
            if self.failed is not None:
                raise self.failed
            raise


# ---- the estimator ----------------------------------------------------------

OPEN = set()  # real paths of the stores that are open in this process


def close(handle, folder, place=None):
    LIB.kedge_store_close(handle)
    OPEN.discard(place)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


class Kedge(TransformerMixin, BaseEstimator):
    """An anchor-word topic model with the interface of scikit-learn.

    Parameters
      n_topics     number of topics, 2 to 2000
      store        folder of the documents and the model; fit and partial_fit
                   add to it. None: a temporary folder, deleted with the object
      tf           weight of a count in the co-occurrence: 'log', 'sqrt', 'raw'
      term_weight  weight of each word: 'idf', 'sqrt', None
      method       of transform: 'linear-bayes', 'least-squares', 'mean', 'tli'
      power_iter   power iterations, each a pass over the stored documents
      em_iter      EM iterations, each a pass over the stored documents
      min_df       texts: words in at least so many documents. None: 5, or 2
                   for fewer than 1,000 documents
      max_df       texts: words in at most so many documents, or at most this
                   share of them if it is up to 1. None: 0.5
      stopwords    texts: words to leave out: a language, a file, or 'none'.
                   None: 'english'
      min_tokens   fit without documents with fewer tokens; 0: 2
      sketch_size  columns of the sketch; 0: 1000 to 2000, by the vocabulary
      seed         of the sketch's random matrix
      threads      None: the cores of the machine
      memory       limit of resident memory in bytes. None: 2 GiB
      preset       all options of a fit as in a paper: 'lr-jsmf',
                   'raw', 'aw'. tf, term_weight, power_iter, em_iter and
                   min_tokens override it if they are not at their defaults

    Attributes after fit
      components_          topics x features: p(word | topic)
      prevalence_          topics: p(topic)
      topic_cooccurrence_  topics x topics: p(topic, topic)
      anchors_             the anchor word of each topic
      feature_names_       the words of the columns of components_

    Threads may share an object; its calls run one after the other.
    """

    def __init__(self, n_topics=20, *, store=None, tf='log', term_weight='idf',
                 method='linear-bayes', power_iter=0, em_iter=0, min_df=None,
                 max_df=None, stopwords=None, min_tokens=0, sketch_size=0,
                 seed=1, threads=None, memory=None, preset=None):
        self.n_topics = n_topics
        self.store = store
        self.tf = tf
        self.term_weight = term_weight
        self.method = method
        self.power_iter = power_iter
        self.em_iter = em_iter
        self.min_df = min_df
        self.max_df = max_df
        self.stopwords = stopwords
        self.min_tokens = min_tokens
        self.sketch_size = sketch_size
        self.seed = seed
        self.threads = threads
        self.memory = memory
        self.preset = preset

    # ---- fitting

    def fit(self, X, y=None, *, feature_names=None, ids=None, batch=None):
        """Fits the model to the documents X; returns self. With a `store`,
        adds X to the store and fits all its documents.

        feature_names: the words of a matrix's columns; None: X.columns, or
        numbers. ids: an id for each document. batch: a name for remove()."""
        del y
        self._check_options()
        columns = self.__dict__.pop('_columns', None)
        try:
            documents = self._documents(X, feature_names, ids)
        except BaseException:
            if columns is not None:
                self._columns = columns
            raise
        columns = getattr(self, '_columns', None)
        self._release()
        if columns is not None:
            self._columns = self.feature_names_ = columns
            self.n_features_in_ = len(columns)
        self._open(CREATE)
        return self._add(documents, batch)

    def partial_fit(self, X, y=None, *, feature_names=None, ids=None,
                    batch=None):
        """Adds the documents X and fits the model to all; returns self. The
        arguments are those of fit."""
        del y
        self._check_options()
        if hasattr(self, 'components_') and \
                (matrix_of(X) is not None) != self._numbered():
            raise ValueError('texts and matrices do not mix: the earlier '
                             'documents were '
                             + ('a matrix' if self._numbered() else 'texts'))
        documents = self._documents(X, feature_names, ids)
        self._open(CREATE)
        return self._add(documents, batch)

    def _add(self, documents, batch):
        opts = defaults(IngestOpts, 'ingest_opts')
        opts.source = ctypes.pointer(documents.source)
        opts.batch = encoded(batch)
        if documents.source.words:
            fit = self._fit_options()
            opts.tf, opts.min_tokens = fit.tf, fit.min_tokens
            opts.sketch_size, opts.seed = self.sketch_size, self.seed
        result = IngestResult()
        with self._lock:
            documents.call(LIB.kedge_ingest, self._handle, None,
                           ctypes.c_size_t(0), ctypes.byref(opts),
                           self._control(), ctypes.byref(result))
            if result.sources_known > 0:
                warnings.warn('the store has these documents already: nothing '
                              'was added', stacklevel=3)
            return self._learn(self.n_topics)

    def remove(self, batch):
        """Removes the documents of a batch and fits the others; returns self.
        The model is that of a store that never had the batch."""
        self._check_fitted()
        opts = defaults(RemoveOpts, 'remove_opts')
        opts.batch = encoded(batch)
        self._open(WRITE)
        with self._lock:
            call(LIB.kedge_remove, self._handle, ctypes.byref(opts),
                 self._control(), ctypes.byref(Result()))
            try:
                return self._learn(self.n_topics)
            except KedgeError:
                self._unlearn()  # the model would be of removed documents
                raise

    def set_topics(self, n_topics):
        """Fits another number of topics to the same sketch; returns self."""
        self._check_fitted()
        self._open(WRITE)
        with self._lock:
            self._learn(n_topics)
        self.n_topics = n_topics
        return self

    def _fit_options(self):
        opts = defaults(FitOpts, 'fit_opts')
        told = {'tf': encoded(self.tf), 'power_iter': self.power_iter,
                'term_weight': WEIGHTS[self.term_weight],
                'em_iter': self.em_iter, 'min_tokens': self.min_tokens}
        if self.preset is not None:
            call(LIB.kedge_fit_opts_preset, ctypes.byref(opts),
                 encoded(self.preset))
            told = {name: value for name, value in told.items()
                    if getattr(self, name) != DEFAULTS[name]}
        for name, value in told.items():
            setattr(opts, name, value)
        opts.name = b'python'
        return opts

    def _learn(self, n_topics):
        opts = self._fit_options()
        if self._numbered():
            if self.preset is None:  # fit takes the sketch of ingest
                opts.tf, opts.min_tokens = None, 0
        else:
            opts.stopwords = encoded(self.stopwords)
            opts.sketch_size, opts.seed = self.sketch_size, self.seed
            opts.min_df = self.min_df or 0
            opts.max_df = self.max_df or 0
        call(LIB.kedge_fit, self._handle, ctypes.byref(U64(n_topics)),
             ctypes.c_size_t(1), ctypes.byref(opts), self._control(),
             ctypes.byref(Result()))
        self._load()
        return self

    def _load(self):
        model = ANY()
        call(LIB.kedge_model_load, self._handle, b'python', None,
             ctypes.byref(model))
        try:
            self._read(model)
        finally:
            LIB.kedge_model_free(model)

    def _read(self, model):
        k, n = LIB.kedge_model_topics(model), LIB.kedge_model_words(model)
        words = [LIB.kedge_model_word(model, U64(i)).decode('utf-8', 'replace')
                 for i in range(n)]
        found = array(LIB.kedge_model_probabilities(model), REAL, n, k)
        anchors = array(LIB.kedge_model_anchors(model), U64, k)
        self._ranked = {rank: self._rank(model, k, words, number)
                        for rank, number in RANKS.items()}
        if not self._numbered():
            self.feature_names_ = words
        column = {word: j for j, word in enumerate(self.feature_names_)}
        self.components_ = np.zeros((k, len(self.feature_names_)))
        self.components_[:, [column[word] for word in words]] = found.T
        self.prevalence_ = array(LIB.kedge_model_prevalence(model), REAL, k)
        self.topic_cooccurrence_ = array(
            LIB.kedge_model_topic_cooccurrence(model), REAL, k, k)
        self.anchors_ = [words[row] for row in anchors]

    @staticmethod
    def _rank(model, k, words, number, most=40):
        rows, got = (RankedWord * most)(), U64()
        ranked = []
        for topic in range(k):
            call(LIB.kedge_model_top_words, model, U64(topic), INT(number),
                 rows, U64(most), ctypes.byref(got))
            ranked.append([words[rows[i].row] for i in range(got.value)])
        return ranked

    # ---- using

    def transform(self, X):
        """The topic proportions of documents, as an array: documents x
        topics, rows sum to 1. The documents are not added."""
        self._check_fitted()
        self._check_options()
        if self._numbered() < (matrix_of(X) is not None):
            raise ValueError('the model is of texts: expected texts or lists '
                             'of words, not a matrix')
        method = ALIASES.get(self.method, self.method)
        if method in METHODS_OF_ALL:
            raise ValueError(f"method='{self.method}' reads documents twice, "
                             "which only the program does: kedge infer")
        opts = defaults(InferOpts, 'infer_opts')
        opts.model, opts.method = b'python', METHODS.index(method)
        documents = self._documents(X, None, None)
        opts.source = ctypes.pointer(documents.source)
        self._open(WRITE)
        with self._lock:
            infer, control = ANY(), self._control()
            documents.call(LIB.kedge_infer_open, self._handle, None,
                           ctypes.c_size_t(0), ctypes.byref(opts), control,
                           ctypes.byref(infer))
            try:
                return np.array(list(self._proportions(documents, infer)),
                                np.float64).reshape(-1, len(self.components_))
            finally:
                LIB.kedge_infer_close(infer)

    @staticmethod
    def _proportions(documents, infer):
        found = ctypes.POINTER(DocTopics)()
        while True:
            documents.call(LIB.kedge_infer_next, infer, ctypes.byref(found))
            if not found:
                return
            one = found.contents
            yield array(one.proportions, REAL, one.topics)

    def top_words(self, count=10, by='relevance'):
        """The first words of each topic, up to 40, as a list of lists. by:
        'relevance', 'probability', 'weighted' or 'anchor', as in kedge topics
        --rank."""
        self._check_fitted()
        return [words[:count] for words in self._ranked[by]]

    def get_feature_names_out(self, input_features=None):
        del input_features
        topics = range(1, len(self.components_) + 1)
        return np.array([f'topic{t}' for t in topics], dtype=object)

    # ---- internals

    def _numbered(self):
        """Whether documents are a matrix, whose columns are the words."""
        return getattr(self, '_columns', None) is not None

    def _documents(self, X, names, ids):
        matrix = matrix_of(X)
        if matrix is not None:
            check_numbers(matrix)
            if names is None and hasattr(X, 'columns'):
                names = X.columns
            self._name_columns(matrix, names)
            return Documents(matrix, self._columns, ids)
        if isinstance(X, (str, bytes)):
            raise ValueError('X is one text: expected a list of texts')
        if not hasattr(X, '__iter__'):
            raise ValueError(f'X is {type(X).__name__}: expected a matrix of '
                             'counts or a list of texts')
        return Documents(X, ids=ids)

    def _name_columns(self, X, names):
        width = X.shape[1]
        known = getattr(self, '_columns', None)
        if names is not None:
            names = [name.decode() if isinstance(name, bytes) else str(name)
                     for name in names]
        elif known is not None:
            names = known
        else:
            digits = len(str(width))
            names = [f'{j:0{digits}d}' for j in range(width)]
        if len(names) != width:
            raise ValueError(f'X has {width} features, but Kedge is expecting '
                             f'{len(names)} features as input')
        if known is not None and known != names:
            raise ValueError('feature_names differ from those of the earlier '
                             'documents')
        self._columns = self.feature_names_ = names
        self.n_features_in_ = width

    def _check_options(self):
        for name, least in (('n_topics', 2), ('threads', 1), ('memory', 1),
                            ('seed', 0), ('power_iter', 0), ('em_iter', 0),
                            ('sketch_size', 0), ('min_tokens', 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f'{name}={value}: expected at least {least}')
        for name, known in (('method', (*METHODS, *ALIASES)),
                            ('term_weight', WEIGHTS)):
            if getattr(self, name) not in known:
                known = ', '.join(map(repr, known))
                raise ValueError(f'{name}={getattr(self, name)!r}: expected '
                                 f'one of {known}')

    def _check_fitted(self):
        if not hasattr(self, 'components_'):
            try:
                from sklearn.exceptions import NotFittedError as kind
            except ImportError:
                kind = ValueError
            raise kind('This Kedge instance is not fitted yet: call fit first')

    def _control(self):
        control = defaults(Control, 'control')
        if self.threads is not None:
            control.threads = self.threads
        if self.memory is not None:
            control.memory = self.memory
        return ctypes.byref(control)

    def _open(self, mode):
        """Opens the store unless it is open; WRITE: only an existing one."""
        if getattr(self, '_handle', None) is not None:
            return
        if mode == WRITE and self.store is None:
            raise ValueError('this Kedge was closed, and its temporary store '
                             "deleted: Kedge(store='folder') keeps it")
        own = None if self.store is not None else tempfile.mkdtemp('.kedge')
        place = os.path.realpath(str(self.store or own))
        if place in OPEN:
            raise KedgeError(BUSY, f'{self.store}: another Kedge of this '
                             'process has the store open; use that object, or '
                             'call its close() first')
        handle = ANY()
        try:
            call(LIB.kedge_store_open, encoded(str(self.store or own)),
                 INT(mode), ctypes.byref(handle))
        except KedgeError:
            close(None, own)
            raise
        self._handle, self._lock = handle, threading.RLock()
        OPEN.add(place)
        self._closing = weakref.finalize(self, close, handle, own, place)

    def _release(self):
        if getattr(self, '_closing', None) is not None:
            self._closing()
        self._handle = self._closing = None
        self._unlearn()

    def _unlearn(self):
        for name in ('_columns', '_ranked', 'components_', 'anchors_',
                     'prevalence_', 'topic_cooccurrence_',
                     'feature_names_', 'n_features_in_'):
            self.__dict__.pop(name, None)

    def __getstate__(self):
        if self.store is None and getattr(self, '_handle', None) is not None:
            raise TypeError('a Kedge with a temporary store cannot be '
                            "pickled: use Kedge(store='folder')")
        return {name: value for name, value in self.__dict__.items()
                if name not in ('_handle', '_closing', '_lock')}

    def close(self):
        """Closes the store. The fitted attributes and top_words() stay."""
        if getattr(self, '_closing', None) is not None:
            self._closing()
        self._handle = self._closing = None
