/* SPDX-License-Identifier: MIT */
/* All methods to choose anchors. */
#include "linalg/blas.h"
#include "topics/convex.h"
#include "topics/simplices.h"

/* ---- the plain ways ------------------------------------------------------ */

/* How long the part of x is that is orthogonal to `count` anchors, except for
 * the one at `but`. */
static double outside(const simplices *s, const uint64_t *anchor, size_t count,
                      size_t but, const double *x)
{
    const size_t k = s->k;
    OWNED double *basis = dense_new(count + 1, k);
    size_t n = 0;

    for (size_t a = 0; a <= count; a++) {
        double *const q = basis + n * k;
        if (a == but)
            continue;
        memcpy(q, a < count ? s->x + anchor[a] * k : x, k * sizeof *q);
        for (size_t b = 0; b < 2 * n; b++) {
            double along = 0;
            for (size_t c = 0; c < k; c++)
                along += q[c] * basis[b % n * k + c];
            for (size_t c = 0; c < k; c++)
                q[c] -= along * basis[b % n * k + c];
        }
        const double norm = dense_norm(q, k);
        if (a == count)
            return norm;
        for (size_t c = 0; c < k; c++)
            q[c] /= norm;
        n++;
    }
    return 0;
}

/* The row whose part outside of the others' span is longest. */
static void plain_qr(const simplices *s, anchors_found *out)
{
    for (size_t a = 0; a < s->k; a++)
        for (size_t i = 0; i < s->rows; i++) {
            const double far =
                outside(s, out->row, a, SIZE_MAX, s->x + i * s->k);
            if (i > 0 && far <= out->residual[a])
                continue;
            out->row[a] = i;
            out->residual[a] = far;
        }
}

/* Then the printed loop, all distances anew each time. */
static void plain_fast(const simplices *s, anchors_found *out)
{
    plain_qr(s, out);
    for (size_t a = 0; a < s->k; a++) {
        double most = (1 + 1e-9) * outside(s, out->row, s->k, a,
                                           s->x + out->row[a] * s->k);
        size_t best = out->row[a];
        for (size_t i = 0; i < s->rows; i++) {
            const double far = outside(s, out->row, s->k, a, s->x + i * s->k);
            if (far > most) {
                most = far;
                best = i;
            }
        }
        out->row[a] = best;
    }
    for (size_t a = 0; a < s->k; a++)
        out->residual[a] =
            outside(s, out->row, s->k, a, s->x + out->row[a] * s->k);
}

static double along(const simplices *s, const double *rest, size_t row)
{
    double sum = 0;

    for (size_t c = 0; c < s->k; c++)
        sum += rest[c] * s->x[row * s->k + c];
    return sum;
}

/* The rest of each row, by trying all supports. SNPA takes the row of the
 * longest rest; XRAY that which is farthest along that rest. */
static void plain_hull(const simplices *s, active_sum sum, anchors_found *out)
{
    const bool xray = sum == ACTIVE_ANY;
    convex c = {.d = s->k, .rows = s->rows, .v = s->x,
                .u = dense_new(s->k, s->k)};
    double best[8], rest[8];

    for (size_t a = 0; a < s->k; a++) {
        size_t away = 0;
        out->residual[a] = -1;
        c.k = a;
        convex_products(&c);
        for (size_t i = 0; i < s->rows; i++) {
            const double left = sqrt(convex_least(&c, i, sum, best));
            if (left > out->residual[a]) {
                out->residual[a] = left;
                away = i;
            }
        }
        convex_least(&c, away, sum, best);
        memcpy(rest, s->x + away * s->k, s->k * sizeof *rest);
        for (size_t i = 0; i < a * s->k; i++)
            rest[i % s->k] -= best[i / s->k] * c.u[i];
        out->row[a] = xray ? 0 : away;
        for (size_t i = 1; xray && i < s->rows; i++)
            if (along(s, rest, i) > along(s, rest, out->row[a]))
                out->row[a] = i;
        memcpy(c.u + a * s->k, s->x + out->row[a] * s->k,
               s->k * sizeof *c.u);
        free(c.gram);
        free(c.products);
    }
    free(c.u);
}

static void plain_snpa(const simplices *s, anchors_found *out)
{
    plain_hull(s, ACTIVE_MOST_ONE, out);
}

static void plain_xray(const simplices *s, anchors_found *out)
{
    plain_hull(s, ACTIVE_ANY, out);
}

static const struct method {
    kedge_anchors kind;
    void (*plain)(const simplices *s, anchors_found *out);
    double near;       /* residuals: relatively, */
    double near_first; /* and of the first one's */
    bool moves;        /* chooses other rows than pivoted QR */
} methods[] = {
    {KEDGE_ANCHORS_QR, plain_qr, 1e-9, 0, false},
    {KEDGE_ANCHORS_SPA, plain_qr, 1e-9, 0, false},
    {KEDGE_ANCHORS_FAST, plain_fast, 1e-9, 0, true},
    {KEDGE_ANCHORS_SNPA, plain_snpa, 0, 1e-7, true},
    {KEDGE_ANCHORS_XRAY, plain_xray, 0, 1e-7, true},
};

#define METHODS (sizeof methods / sizeof *methods)

TEST(anchors_are_those_of_the_plain_way)
{
    for (const struct method *m = methods; m < methods + METHODS; m++) {
        size_t moved = 0;
        for (uint64_t seed = 0; seed < 30; seed++) {
            const size_t k = 2 + seed % 5;
            OWN(simplices_free) simplices s =
                seed % 3 == 0
                    ? simplices_make(k, k, 70 + seed, seed)
                    : simplices_cloud(k, 60 + seed, seed % 3 == 1 ? 0.7 : 0.3,
                                      seed);
            anchors_found found, plain = {0}, qr = {0};
            kedge_error err = {0};
            ck_ok(simplices_find(&s, m->kind, 1 + (unsigned)seed % 3, &found,
                                 &err), err);
            m->plain(&s, &plain);
            plain_qr(&s, &qr);
            for (size_t a = 0; a < k; a++) {
                ck_assert_uint_eq(found.row[a], plain.row[a]);
                ck_assert_double_eq_tol(found.residual[a], plain.residual[a],
                                        m->near * plain.residual[a] +
                                            m->near_first *
                                                plain.residual[0]);
                moved += found.row[a] != qr.row[a];
            }
        }
        ck_assert((moved > 10) == m->moves);
    }
}

/* ---- what holds for all -------------------------------------------------- */

static void check_vertices(const simplices *s, const anchors_found *found)
{
    for (size_t v = 0; v < s->k; v++) {
        size_t times = 0;
        for (size_t a = 0; a < s->k; a++)
            times += found->row[a] == simplices_place(s, v);
        ck_assert_msg(times == 1, "vertex %zu is found %zu times", v, times);
    }
    for (size_t a = 0; a < s->k; a++)
        ck_assert(found->residual[a] > 0);
}

TEST(vertices_are_found)
{
    for (size_t m = 0; m < METHODS; m++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            const size_t k = 2 + seed % 11;
            OWN(simplices_free) simplices s =
                simplices_make(k, k, 400 + 60 * seed, seed);
            anchors_found found;
            kedge_error err = {0};
            ck_ok(simplices_find(&s, methods[m].kind, 1 + (unsigned)seed % 3,
                                 &found, &err), err);
            check_vertices(&s, &found);
        }
}

/* Three dimensions have more than three vertices. */
TEST(vertices_that_depend_on_each_other_are_found)
{
    for (size_t k = 4; k < 8; k++) {
        OWN(simplices_free) simplices s = simplices_plane(k, 300);
        anchors_found found;
        kedge_error err = {0};
        ck_ok(simplices_find(&s, KEDGE_ANCHORS_SNPA, 2, &found, &err), err);
        check_vertices(&s, &found);
        ck_ok(simplices_find(&s, KEDGE_ANCHORS_XRAY, 2, &found, &err), err);
        check_vertices(&s, &found);
        ck_fails(simplices_find(&s, KEDGE_ANCHORS_QR, 2, &found, &err),
                 KEDGE_ENUMERIC, err, "only 3 of");
    }
}

TEST(threads_leave_no_trace)
{
    OWN(simplices_free) simplices s = simplices_cloud(12, 5000, 0.7, 5);

    for (size_t m = 0; m < METHODS; m++) {
        anchors_found one, other;
        kedge_error err = {0};
        ck_ok(simplices_find(&s, methods[m].kind, 1, &one, &err), err);
        for (unsigned threads = 2; threads <= 3; threads++) {
            ck_ok(simplices_find(&s, methods[m].kind, threads, &other, &err),
                  err);
            ck_assert_mem_eq(&one, &other, sizeof one);
        }
    }
}

/* Rows that mix fewer vertices than anchors are wanted, some of them twice and
 * some zero: it is said how many there are. */
TEST(too_few_vertices_are_told)
{
    const size_t k = 6;

    for (size_t of = 1; of < k; of++) {
        OWN(simplices_free) simplices s = simplices_make(k, of, 300, of);
        anchors_found found;
        kedge_error err = {0};
        char says[40];
        memcpy(s.x + 200 * k, s.x + simplices_place(&s, 0) * k,
               k * sizeof *s.x);
        memset(s.x + 210 * k, 0, 5 * k * sizeof *s.x);
        snprintf(says, sizeof says, "only %zu of 6", of);
        for (size_t m = 0; m < METHODS; m++)
            ck_fails(simplices_find(&s, methods[m].kind, 2, &found, &err),
                     KEDGE_ENUMERIC, err, says);
    }
}

TEST(no_memory_is_survived)
{
    OWN(simplices_free) simplices s = simplices_make(4, 4, 100, 1);

    for (size_t m = 0; m < METHODS; m++) {
        const anchors_input in = simplices_input(&s, methods[m].kind);
        OWN(pool_end) pool *p = dense_pool(2);
        anchors_found found;
        kedge_error err = {0};
        GATE_LOOP {
            GATE_TRY(anchors_find(p, &in, found.row, found.residual, &err));
        }
    }
}

/* ---- candidates and ties ------------------------------------------------- */

/* Of rows of two numbers. */
static void check_two(kedge_anchors kind, const double *x,
                      const uint64_t *candidate, size_t candidates,
                      const uint64_t *expected, double last)
{
    const anchors_input in = {.kind = kind, .k = 2, .x = x,
                              .candidate = candidate,
                              .candidates = candidates};
    OWN(pool_end) pool *p = dense_pool(2);
    kedge_error err = {0};
    uint64_t chosen[2];
    double residual[2];

    ck_ok(anchors_find(p, &in, chosen, residual, &err), err);
    ck_assert_mem_eq(chosen, expected, sizeof chosen);
    ck_assert_double_eq(residual[1], last);
}

TEST(candidates_alone_are_looked_at)
{
    const double x[] = {9, 9, 1, 0, 8, 0, 0, 1, 0, 2};
    const anchors_input none = {.k = 1, .x = x};
    OWN(pool_end) pool *p = dense_pool(1);
    kedge_error err = {0};
    uint64_t chosen[1];
    double residual[1];

    check_two(KEDGE_ANCHORS_QR, x, (uint64_t[]){4, 1, 3}, 3,
              (uint64_t[]){4, 1}, 1);
    ck_fails(anchors_find(p, &none, chosen, residual, &err), KEDGE_ENUMERIC,
             err, "among 0");
}

/* By pivoted QR to the first; by SPA to the one that was longer. */
TEST(ties_have_a_rule)
{
    const double qr[] = {0, 0, 1, 0, -1, 0, 0, 1, 0, 1};
    const double spa[] = {9, 0, 1, 2, 3, 2, 2, 2, 3, 2};
    const uint64_t all[] = {0, 1, 2, 3, 4};

    check_two(KEDGE_ANCHORS_QR, qr, all, 5, (uint64_t[]){1, 3}, 1);
    check_two(KEDGE_ANCHORS_SPA, spa, all, 5, (uint64_t[]){0, 2}, 2);
}

TEST(anchors_that_depend_on_each_other_are_refused)
{
    kedge_error err = {0};
    OWN(simplices_free) simplices s = simplices_cloud(3, 20, 0.7, 1);
    const anchors_input in = simplices_input(&s, KEDGE_ANCHORS_FAST);
    uint64_t anchor[] = {4, 9, 4};
    double residual[3];
    OWN(pool_end) pool *p = dense_pool(1);

    ck_fails(farthest_clean(p, &in, anchor, residual, &err), KEDGE_ENUMERIC,
             err, "depend on each other");
}

/* From the first few pivots on, wherever they came from. */
TEST(given_rows_are_completed)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        const size_t k = 2 + seed % 9, known = seed % (k + 1);
        OWN(simplices_free) simplices s = simplices_cloud(k, 200, 1, seed);
        const anchors_input in = simplices_input(&s, KEDGE_ANCHORS_QR);
        OWN(pool_end) pool *p = dense_pool(1 + (unsigned)seed % 3);
        OWNED double *point = dense_new(k, k);
        anchors_found all, found = {0};
        kedge_error err = {0};
        ck_ok(simplices_find(&s, KEDGE_ANCHORS_QR, 1, &all, &err), err);
        for (size_t a = 0; a < known; a++)
            memcpy(point + a * k, s.x + all.row[a] * k, k * sizeof *point);
        ck_ok(anchors_complete(p, &in, point, known, found.row, found.residual,
                               &err), err);
        for (size_t a = 0; a < k; a++) {
            ck_assert_uint_eq(found.row[a], a < known ? 0 : all.row[a]);
            ck_assert_double_eq_tol(found.residual[a], all.residual[a],
                                    1e-9 * all.residual[a]);
        }
        memcpy(point + k, point, k * sizeof *point);
        ck_fails(anchors_complete(p, &in, point, 2, found.row, found.residual,
                                  &err), KEDGE_ENUMERIC, err, "topic ");
    }
}

/* ---- random projections -------------------------------------------------- */

/* With y = 1 the result is PP' / columns; and for any Y it is Y' (that) Y. */
TEST(projections_are_those_of_signs)
{
    static const size_t columns[] = {1, 63, 64, 200};
    kedge_error err = {0};

    blas_begin(4, NULL);
    for (uint64_t seed = 0; seed < 8; seed++) {
        const size_t n = 40, k = 7, width = columns[seed % 4];
        double *one = dense_new(n, n), *pp = dense_new(n, n), *left, *right;
        OWNED double *y = dense_random(n, k, seed), *gram = dense_new(k, k);
        OWN(pool_end) pool *p = dense_pool(1 + (unsigned)seed % 3);
        for (size_t i = 0; i < n; i++)
            one[i * n + i] = 1;
        ck_ok(farthest_project(p, n, one, n, width, seed, pp, &err), err);
        for (size_t i = 0; i < n * n; i++) {
            const double times = pp[i] * (double)width;
            if (i % (n + 1) == 0)
                ck_assert_double_eq(pp[i], 1);
            ck_assert_double_eq_tol(times, round(times), 1e-9);
            ck_assert(i % (n + 1) == 0 || width == 1 || fabs(pp[i]) < 1);
        }
        ck_ok(farthest_project(p, n, y, k, width, seed, gram, &err), err);
        left = dense_times(dense_turned(y, k), dense_as(pp, n), k, n, n);
        right = dense_times(dense_as(left, n), dense_as(y, k), k, n, k);
        for (size_t i = 0; i < k * k; i++)
            ck_assert_double_eq_tol(gram[i], right[i], 1e-9);
        free(one);
        free(pp);
        free(left);
        free(right);
    }
}

/* Many columns keep distances; and threads and tiles do not matter. */
TEST(wide_projections_keep_distances)
{
    kedge_error err = {0};
    const size_t n = 3000, k = 5;
    double *y = dense_random(n, k, 3), gram[25], again[25], other[25];
    OWNED double *exact =
        dense_times(dense_turned(y, k), dense_as(y, k), k, n, k);
    pool *one = dense_pool(1), *two = dense_pool(2);

    blas_begin(4, NULL);
    ck_ok(farthest_project(one, n, y, k, 20000, 1, gram, &err), err);
    ck_ok(farthest_project(two, n, y, k, 20000, 1, again, &err), err);
    ck_ok(farthest_project(two, n, y, k, 20000, 2, other, &err), err);
    ck_assert_mem_eq(gram, again, sizeof gram);
    ck_assert_mem_ne(gram, other, sizeof gram);
    for (size_t i = 0; i < k * k; i++)
        ck_assert_double_eq_tol(gram[i], exact[i], 0.05 * (double)n);
    pool_free(one);
    pool_free(two);
    free(y);
}
