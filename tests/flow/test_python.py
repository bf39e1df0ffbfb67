#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_python.py ROOT BUILD [DATA]: examples/python gives what the program
gives, byte for byte, and keeps scikit-learn's manners. Its structures are
those of the headers, by a C program that is asked. Exit code 77 without numpy
or scipy."""
import importlib.util
import os
import re
import pickle
import shutil
import subprocess
import sys
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'tools'))
import program

TOPICS = 12
# Kedge of counts alone, of two topics at least, in a folder of its own.
NOT_FOR_US = {'check_estimators_pickle', 'check_fit2d_1sample',
              'check_fit2d_1feature'}


def load(root, build):
    """The module, with the library of this build, and the kernels of BLAS that
    the program chooses, before anybody loads it."""
    told = program.kedge(build, '--version')
    kernels = told.rpartition('openblas')[2].partition('(')[2].partition(')')
    os.environ['OPENBLAS_CORETYPE'] = kernels[0]
    library = os.path.join(os.path.abspath(build), 'src', 'libkedge.so')
    os.environ['KEDGE_LIBRARY'] = library
    sys.path.insert(0, os.path.join(root, 'examples', 'python'))
    import kedge
    return kedge


# ---- structures -------------------------------------------------------------

STRUCTS = {'Error': 'error', 'Control': 'control', 'Given': 'given',
           'Source': 'source', 'IngestOpts': 'ingest_opts',
           'FitOpts': 'fit_opts', 'InferOpts': 'infer_opts',
           'RemoveOpts': 'remove_opts', 'DocTopics': 'doc_topics',
           'RankedWord': 'ranked_word', 'IngestResult': 'ingest_result'}
RESULTS = ('ingest_result', 'fit_result', 'remove_result')  # unread


def asked_of_c(root, lines, folder):
    source = os.path.join(folder, 'layout.c')
    with open(source, 'w', encoding='utf-8') as file:
        file.write('#include <stddef.h>\n#include <stdio.h>\n'
                   '#include <kedge/kedge.h>\nint main(void)\n{\n' +
                   ''.join(f'    printf("%zu\\n", {x});\n' for x in lines) +
                   '    return 0;\n}\n')
    binary = os.path.join(folder, 'layout')
    subprocess.run(['cc', '-I', os.path.join(root, 'include'), source, '-o',
                    binary], check=True)
    out = subprocess.run([binary], check=True, stdout=subprocess.PIPE)
    return [int(line) for line in out.stdout.split()]


def check_structures(kedge, root, folder):
    import ctypes
    asked, own = [], []
    for name, c in STRUCTS.items():
        kind = getattr(kedge, name)
        for field, *_ in kind._fields_:
            if field != 'room':
                asked.append(f'offsetof(kedge_{c}, {field})')
                own.append(getattr(kind, field).offset)
                asked.append(f'sizeof(((kedge_{c} *)0)->{field})')
                own.append(getattr(kind, field).size)
    for question, is_, here in zip(asked, asked_of_c(root, asked, folder),
                                   own):
        assert is_ == here, (question, is_, here)
    sizes = [f'sizeof(kedge_{c})' for c in (*STRUCTS.values(), *RESULTS)]
    kinds = [getattr(kedge, name) for name in STRUCTS]
    for kind, size in zip([*kinds, *[kedge.Result] * len(RESULTS)],
                          asked_of_c(root, sizes, folder)):
        exact = 'room' not in dict(kind._fields_)
        assert ctypes.sizeof(kind) == size if exact else \
            ctypes.sizeof(kind) >= size, kind


# ---- the program's twin -----------------------------------------------------

def harbour(root):
    import numpy as np
    from scipy.sparse import csr_matrix
    path = os.path.join(root, 'fixtures', 'docword.harbour.txt.zst')
    text = subprocess.run(['zstd', '-dc', path], check=True,
                          stdout=subprocess.PIPE).stdout
    numbers = np.array(text.split(), dtype=np.int64)
    document, word, count = numbers[3:].reshape(-1, 3).T
    with open(os.path.join(root, 'fixtures', 'vocab.harbour.txt'),
              encoding='utf-8') as file:
        words = file.read().split()
    return csr_matrix((count, (document - 1, word - 1)),
                      (numbers[0], numbers[1])), words


def of_program(root, build, folder, *fit):
    """Topics, correlations, shares and words by the program."""
    import numpy as np
    store, out = (os.path.join(folder, x) for x in ('store', 'out'))
    program.kedge(build, 'ingest', store, '-q', '--vocab',
                  os.path.join(root, 'fixtures', 'vocab.harbour.txt'),
                  os.path.join(root, 'fixtures', 'docword.harbour.txt.zst'))
    program.kedge(build, 'fit', store, '-q', '-k', str(TOPICS), *fit)
    program.kedge(build, 'export', store, '-o', out)
    shares = os.path.join(folder, 'shares.npy')
    program.kedge(build, 'infer', store, '-q', '--format', 'npy', '--wide',
                  '-o', shares)
    with open(os.path.join(out, 'vocab.txt'), encoding='utf-8') as file:
        words = file.read().split('\n')[:-1]
    return (np.load(os.path.join(out, 'topics.npy')),
            np.load(os.path.join(out, 'topic_cooccurrence.npy')),
            np.load(shares), words)


def check_twin(kedge, root, build, folder):
    import numpy as np
    X, names = harbour(root)
    topics, correlations, shares, words = of_program(root, build, folder)
    model = kedge.Kedge(TOPICS)
    assert model.fit(X, feature_names=names) is model
    column = [names.index(word) for word in words]
    assert np.array_equal(model.components_[:, column],
                          topics.reshape(-1, TOPICS).T)
    assert np.array_equal(model.topic_cooccurrence_, correlations)
    assert np.array_equal(model.transform(X), shares)
    assert 'boat' in sum(model.top_words(8), [])
    dense = kedge.Kedge(TOPICS).fit(X.toarray(), feature_names=names)
    assert np.array_equal(dense.components_, model.components_)
    return X, names


def check_preset(kedge, root, build, folder, X, names):
    import numpy as np
    own = os.path.join(folder, 'preset')
    os.mkdir(own)
    topics, pairs, _, words = of_program(root, build, own, '--preset',
                                         'lr-jsmf', '--term-weight', 'sqrt')
    model = kedge.Kedge(TOPICS, preset='lr-jsmf', term_weight='sqrt')
    model.fit(X, feature_names=names)
    column = [names.index(word) for word in words]
    assert np.array_equal(model.components_[:, column],
                          topics.reshape(-1, TOPICS).T)
    assert np.array_equal(model.topic_cooccurrence_, pairs)
    raises(kedge.KedgeError, 'choose lr-jsmf, raw or aw',
           lambda: kedge.Kedge(TOPICS, preset='law').fit(X))


def check_batches(kedge, X, names, folder):
    import numpy as np
    half = X.shape[0] // 2
    store = os.path.join(folder, 'batches')
    model = kedge.Kedge(TOPICS, store=store)
    model.partial_fit(X[:half], feature_names=names, batch='first')
    first = model.components_
    model.partial_fit(X[half:], batch='second')
    assert not np.array_equal(model.components_, first)
    model.remove('second')
    assert np.array_equal(model.components_, first)
    model.set_topics(5)
    assert model.components_.shape == (5, X.shape[1])
    shares = model.transform(X[:20])
    text = pickle.dumps(model)
    model.close()
    again = pickle.loads(text)
    assert np.array_equal(again.transform(X[:20]), shares)
    again.close()


# ---- texts ------------------------------------------------------------------

def raises(kind, text, do):
    try:
        do()
    except kind as error:
        assert text in str(error), error
        return
    raise AssertionError(f'no {kind.__name__} with {text}')


def check_texts(kedge):
    import numpy as np
    ship = 'The pilot brings the ship to the quay of the harbour.'
    song = 'An orchestra plays and the choir sings a song.'
    texts = [ship, song] * 50
    model = kedge.Kedge(2, min_tokens=2).fit(iter(texts))
    W = model.transform([ship, song, '', 'qqq'])
    assert W.shape == (4, 2) and np.allclose(W.sum(axis=1), 1)
    assert W[0].argmax() != W[1].argmax()
    assert np.array_equal(W[2], W[3])
    lists = kedge.Kedge(2, min_tokens=2).fit([x.lower().strip('.').split()
                                              for x in texts])
    assert 'ship' in lists.feature_names_
    assert lists.transform([]).shape == (0, 2)
    new = kedge.Kedge(2, min_tokens=2)
    raises(ValueError, 'fit first', lambda: new.transform(texts))
    raises(ValueError, 'one text', lambda: new.fit(ship))
    raises(kedge.KedgeError, 'memory:1: word 2 of the bag has a line end',
           lambda: new.fit([['a', 'b\n']]))
    raises(ValueError, 'counts', lambda: new.fit(np.array([[0.5, 1], [1, 2]])))
    raises(AttributeError, 'no colour',
           lambda: setattr(kedge.FitOpts(), 'colour', 1))

    def breaks(kind):
        yield ship
        raise kind('of the caller')
    for kind in (KeyError, KeyboardInterrupt):
        raises(kind, 'of the caller', lambda: new.fit(breaks(kind)))
        raises(kind, 'of the caller', lambda: model.transform(breaks(kind)))
    raises(ValueError, 'of texts', lambda: model.transform(np.ones((1, 4))))
    raises(ValueError, 'do not mix',
           lambda: model.partial_fit(np.ones((9, 4))))
    assert np.array_equal(model.transform([ship, song, '', 'qqq']), W)


def check_wrong_use(kedge, X, names, folder):
    """It is told, and the model that was there stays."""
    import numpy as np
    model = kedge.Kedge(TOPICS).fit(X, feature_names=names)
    shares = model.transform(X[:50])
    large = np.zeros((1, X.shape[1]), np.int64)
    large[0, 3] = 2 ** 32 + 1
    raises(ValueError, 'above', lambda: model.transform(large))
    raises(ValueError, 'names differ', lambda: model.partial_fit(
        X[:9], feature_names=names[::-1]))
    raises(ValueError, 'do not mix', lambda: model.partial_fit(['a ship']))
    raises(ValueError, 'Negative', lambda: model.fit(-X[:9]))
    raises(kedge.KedgeError, 'topics', lambda: model.set_topics(900))
    raises(ValueError, 'fewer ids', lambda: model.partial_fit(X, ids=['a']))
    for name, value in (('n_topics', -1), ('memory', -5), ('seed', -1),
                        ('method', 'foo'), ('term_weight', 'foo')):
        raises(ValueError, name, lambda: kedge.Kedge(**{name: value}).fit(X))
    assert np.array_equal(model.transform(X[:50]), shares)
    with ThreadPoolExecutor(6) as pool:
        for found in pool.map(lambda _: model.transform(X[:50]), range(24)):
            assert np.array_equal(found, shares)
    model.close()
    for use in (lambda: model.transform(X), lambda: model.set_topics(3),
                lambda: model.remove('a')):
        raises(ValueError, 'was closed', use)
    low = kedge.Kedge(TOPICS, memory=8 << 20)
    raises(kedge.KedgeError, '(memory=)',
           lambda: low.fit(X, feature_names=names))
    assert kedge.in_python('take --max-df or --max-chars 3, not a--b') == (
        "take max_df= or the program's --max-chars 3, not a--b")
    store = os.path.join(folder, 'twice')
    one = kedge.Kedge(TOPICS, store=store).fit(X, feature_names=names)
    two = kedge.Kedge(TOPICS, store=os.path.join(folder, '.', 'twice'))
    raises(kedge.KedgeError, 'another Kedge of this process',
           lambda: two.partial_fit(X, feature_names=names))
    one.close()
    two.partial_fit(X[200:300], feature_names=names, batch='more')
    two.close()
    store = os.path.join(folder, 'gone')
    kept = kedge.Kedge(TOPICS, store=store).fit(X, feature_names=names)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter('always')
        kept.partial_fit(X, batch='again')
    assert 'already' in str(told[0].message), told
    text = pickle.dumps(kept)
    kept.close()
    shutil.rmtree(store)
    raises(kedge.KedgeError, 'gone', lambda: pickle.loads(text).transform(X))
    assert not os.path.exists(store)


def check_manners(kedge):
    """scikit-learn's own checks, whose numbers become counts of two topics."""
    try:
        from sklearn.utils.estimator_checks import check_estimator
    except ImportError:
        print('# no scikit-learn: its checks are left out')
        return
    import numpy as np

    class Counting(kedge.Kedge):
        def _documents(self, X, names, ids):
            matrix = kedge.matrix_of(X)
            if matrix is not None and hasattr(matrix, 'tocsr'):
                X = type(matrix)(self.counted(matrix.toarray()))
            elif matrix is not None and matrix.ndim == 2 and matrix.size and \
                    matrix.dtype.kind in 'fiuO' and \
                    np.all(np.isfinite(matrix.astype(float))):
                X = self.counted(matrix.astype(float))
            return super()._documents(X, names, ids)

        @staticmethod
        def counted(X):
            X = np.floor(np.abs(X) * 100)
            odd = X.sum(axis=1) % 2 == 1
            X[odd, ::2] = 0
            X[~odd, 1::2] = 0
            return X

    done = 0
    for estimator, check in check_estimator(
            Counting(2, min_tokens=2, term_weight=None, tf='raw'),
            generate_only=True):
        if check.func.__name__ not in NOT_FOR_US:
            check(estimator)
            done += 1
    print(f'# {done} checks of scikit-learn')
    assert done >= 25, done


def check_newsgroups(root, data):
    path = os.path.join(data, 'newsgroups.jsonl.zst')
    if not os.path.exists(path):
        print(f'# there is no {path}: its example is left out')
        return
    script = os.path.join(root, 'examples', 'python', 'newsgroups.py')
    out = subprocess.run([sys.executable, script, path], check=True,
                         stdout=subprocess.PIPE, universal_newlines=True)
    print(out.stdout)
    assert '18,846 postings of 20 groups' in out.stdout
    assert 'hockey' in out.stdout and 'orbit' in out.stdout
    right = int(re.search(r'right for (\d+)%', out.stdout).group(1))
    assert right >= 55, right


def check_pages(root, X, names, folder):
    """The lines of the README and of the manual, on texts of the fixture."""
    words = [str(name) for name in names]
    texts = [' '.join(' '.join([words[i]] * int(n))
                      for i, n in zip(row.indices, row.data)) for row in X]
    given = {'texts': texts, 'more': texts[:9], 'monday': texts[:1500],
             'tuesday': texts[1500:]}
    here = os.getcwd()
    os.chdir(folder)
    for page, places in ('README.md', 1), ('examples/manual.md', 1):
        with open(os.path.join(root, page), encoding='utf-8') as file:
            found = re.findall(r'```python\n(from kedge .*?)```', file.read(),
                               re.S)
        assert len(found) == places, page
        for lines in found:
            told = dict(given)
            exec(lines, told)  # pylint: disable=exec-used
            assert told['theta'].shape[1] in (20, 50), page
            assert len(told['model'].top_words(8)) == 50, page
    os.chdir(here)


def main(root, build, data):
    if importlib.util.find_spec('scipy') is None:
        print('# skipped: there is no scipy')
        return 77
    warnings.simplefilter('ignore')
    kedge = load(root, build)
    with tempfile.TemporaryDirectory() as folder:
        check_structures(kedge, root, folder)
        X, names = check_twin(kedge, root, build, folder)
        check_preset(kedge, root, build, folder, X, names)
        check_batches(kedge, X, names, folder)
        check_wrong_use(kedge, X, names, folder)
        check_pages(os.path.abspath(root), X, names, folder)
    check_texts(kedge)
    check_manners(kedge)
    check_newsgroups(root, data)
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:4]))
