# SPDX-License-Identifier: MIT
"""AnchorFree and an anchor method as their papers have them, in numpy and
scipy alone: tf-idf, documents of length one, weighted by the normalised cut,
exact eigenpairs, HiGHS for the linear programs. `x` is documents by words.
"""
import bench

import numpy as np
from scipy import sparse
from scipy.linalg import cholesky, qr, solve_triangular
from scipy.optimize import linprog, nnls
from scipy.sparse.linalg import LinearOperator, eigsh

TURNS, RESTS = 50, 1e-7
STARTS = 2
FIRST, MORE = 300, 50   # rows that a linear program has, and gets
EXACT = 1e-8            # what is below zero by less is not
STEPS = 400         # of projected gradients, for the mixtures of anchors
BLOCK = 2000        # words whose co-occurrence is there at a time


def weighed(h):
    """tf-idf of bags, documents of length one, over the root of what each has
    in common with all; those without words stay empty."""
    df = np.bincount(h.indices, minlength=h.shape[1])
    x = h @ sparse.diags(np.log(h.shape[0] / np.maximum(df, 1)))
    for length in (lambda x: np.sqrt(x.multiply(x).sum(1)),
                   lambda x: np.sqrt(x @ np.asarray(x.sum(0)).T)):
        size = np.asarray(length(x)).ravel()
        x = sparse.diags(1 / np.where(size > 0, size, np.inf)) @ x
    return sparse.csr_matrix(x)


def root(x, k):
    """B (words x k) with BB' nearest to the co-occurrence X'X."""
    n = x.shape[1]
    values, vectors = eigsh(
        LinearOperator((n, n), lambda v: x.T @ (x @ v)), k,
        v0=np.ones(n))
    return vectors * np.sqrt(np.maximum(values, 0))


# ---- AnchorFree -------------------------------------------------------------

def farthest(a, b, total, held):
    """The v with Bv >= 0, total'v = 1 and the largest a'v, by HiGHS; None
    where there is none. Of B's rows those in `held` are asked for first, and
    whatever that breaks joins them."""
    while True:
        found = linprog(-a, A_ub=-b[sorted(held)], b_ub=np.zeros(len(held)),
                        A_eq=total[None], b_eq=[1], bounds=(None, None),
                        method='highs')
        if found.status != 0 and len(held) == len(b):
            return None
        if found.status != 0:
            held.update(range(len(b)))
            continue
        below = b @ found.x
        worst = np.argsort(below)[:MORE]
        if below[worst[0]] > -EXACT:
            return found.x
        held.update(worst[below[worst] <= -EXACT].tolist())


def across(m, column):
    """Of length one, at a right angle to all other columns."""
    rest = np.delete(m, column, 1)
    return qr(rest / np.linalg.norm(rest, axis=0))[0][:, -1]


def climb(b, total, m):
    """Columns take turns until |det M| rests; its logarithm and M."""
    last, held = -np.inf, set(range(0, len(b), max(len(b) // FIRST, 1)))
    for _ in range(TURNS):
        for column in range(m.shape[1]):
            a = across(m, column)
            ends = [v for v in (farthest(a, b, total, held),
                                farthest(-a, b, total, held))
                    if v is not None]
            if not ends:
                return -np.inf, m
            m[:, column] = max(ends, key=lambda v: abs(a @ v))
        size = np.linalg.slogdet(m)[1]
        if abs(size - last) <= RESTS:
            break
        last = size
    return size, m


def starts(b, count):
    """The unit matrix, as printed, the rows that stick out most as if they
    were anchors, and random ones."""
    k = b.shape[1]
    yield np.eye(k)
    chosen = qr(b.T, mode='economic', pivoting=True)[2][:k]
    yield np.linalg.inv(b[chosen])
    rng = np.random.default_rng(0)
    for _ in range(count - 2):
        yield rng.uniform(-1, 1, (k, k))


def turned(y):
    """Rows in the basis in which Y'Y is one."""
    return solve_triangular(cholesky(y.T @ y), y.T, trans='T').T


def unit(x):
    """Rows of length one, and the direction of their sum."""
    b = x / np.linalg.norm(x, axis=1, keepdims=True)
    return b, b.sum(0) / np.linalg.norm(b.sum(0))


def anchor_free(y, rows, count=STARTS):
    """C from Y, with `rows` of it that are to be no less than zero, and the
    largest ln |det M| over that of Y's own basis. Rows of length one, in the
    basis in which Y'Y is one: neither moves a cone."""
    x = turned(y)
    b, total = unit(x[rows])
    size, m = max((climb(b, total, m) for m in starts(b, count)),
                  key=lambda found: found[0])
    c = np.maximum(x @ m, 0)
    return c / c.sum(0), size


def volume(y, rows, c):
    """ln |det M| of the M that makes topics C."""
    x = turned(y)[rows]
    _, total = unit(x)
    m = np.linalg.lstsq(x, c[rows], rcond=None)[0]
    return np.linalg.slogdet(m / (total @ m))[1]


# ---- anchors ----------------------------------------------------------------

def squares(x):
    """|P_i|^2 of the rows of P = X'X."""
    if x.shape[0] < BLOCK:
        return np.asarray(((x @ x.T) @ x).multiply(x).sum(0)).ravel()
    x = x.tocsc()
    return np.concatenate([
        np.asarray((lambda p: p.multiply(p).sum(1))(x[:, i:i + BLOCK].T @ x))
        .ravel() for i in range(0, x.shape[1], BLOCK)])


def totals(x):
    """Row sums of P; those below zero, as of eigenpairs, make rows of none."""
    sums = x.T @ np.asarray(x.sum(1)).ravel()
    return np.where(sums > 0, sums, np.inf)


def spa(x, rows, k):
    """The words, among `rows`, that the successive projection algorithm
    chooses of the rows of P over their sums."""
    sums = totals(x)
    left = squares(x) / sums ** 2
    allowed = np.zeros(len(left), bool)
    allowed[rows] = True
    chosen, q = [], np.zeros((len(left), 0))
    for _ in range(k):
        s = int(np.where(allowed, left, -1).argmax())
        chosen.append(s)
        p = np.asarray((x.T @ x[:, s].toarray())).ravel() / sums[s]
        for _ in range(2):
            p -= q @ (q.T @ p)
        p /= np.linalg.norm(p)
        q = np.column_stack([q, p])
        left -= ((x.T @ (x @ p)) / sums) ** 2
    return chosen


def onto_simplex(v):
    """Rows, each to the nearest that is not negative and sums to one."""
    u = -np.sort(-v, axis=1)
    over = (np.cumsum(u, axis=1) - 1) / np.arange(1, v.shape[1] + 1)
    last = (u > over).sum(1) - 1
    return np.maximum(v - over[np.arange(len(v)), last][:, None], 0)


def recover(x, chosen):
    """RecoverL2: C from anchors, by accelerated projected gradients."""
    sums = totals(x)
    p = np.asarray((x.T @ x[:, chosen].toarray())) / sums[chosen]
    with_all = np.asarray(x.T @ (x @ p)) / sums[:, None]
    with_own = p.T @ p
    step = 1 / np.linalg.eigvalsh(with_own)[-1]
    c = last = np.full(with_all.shape, 1 / len(chosen))
    for t in range(STEPS):
        at = c + t / (t + 3) * (c - last)
        last = c
        c = onto_simplex(at - step * (at @ with_own - with_all))
    c = c * np.where(np.isfinite(sums), sums, 0)[:, None]
    return c / c.sum(0)


# ---- documents --------------------------------------------------------------

def shares(x, c):
    """W: what each document has of each topic, by least squares."""
    r = cholesky(c.T @ c + 1e-12 * np.trace(c.T @ c) * np.eye(c.shape[1]))
    seen = solve_triangular(r, np.asarray(x @ c).T, trans='T').T
    return np.array([nnls(r, row)[0] for row in seen])
