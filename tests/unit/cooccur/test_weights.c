/* SPDX-License-Identifier: MIT */
#include "cooccur/weights.h"

#include "base/chance.h"
#include "base/threadranks.h"
#include "linalg/dense.h"
#include "linalg/tall.h"

TEST(idf_is_the_logarithm_above_its_floor)
{
    static const uint64_t df[] = {1, 10, 500, 989, 991, 1000, 0, 2000};
    double w[8];

    weights_idf(df, 8, 1000, w);
    ck_assert_double_eq(w[0], log(1000));
    ck_assert_double_eq(w[1], log(100));
    ck_assert_double_eq(w[2], log(2));
    ck_assert_double_eq_tol(w[3], 0.0110609, 1e-6);
    for (size_t i = 4; i < 6; i++) /* in more than 99 % of documents */
        ck_assert_double_eq(w[i], 0.01);
    ck_assert_double_eq(w[6], log(1000));
    ck_assert_double_eq(w[7], 0.01);
}

TEST(roots_are_of_the_sums)
{
    static const double sums[] = {0.25, 0, 0.0625, 0.5, -1}, none[] = {0, 0};
    double w[5];

    weights_root(sums, 5, w);
    ck_assert_double_eq(w[0], 2);
    ck_assert_double_eq(w[1], 4); /* as the least of the others */
    ck_assert_double_eq(w[2], 4);
    ck_assert_double_eq(w[3], 1 / sqrt(0.5));
    ck_assert_double_eq(w[4], 4);
    weights_root(none, 2, w);
    ck_assert_double_eq(w[0], 1);
    ck_assert_double_eq(w[1], 1);
}

/* A non-negative C of few topics that adds up to one, weights, and the
 * eigenpairs of D C D, all of them. */
typedef struct statistics {
    size_t n;
    double *c, *sums, *weight; /* sums: of C */
    double *dcd, *exact;       /* exact: the sums of D C D */
    double *vectors, *values;  /* n x n, falling */
} statistics;

static void statistics_eigen(statistics *s)
{
    OWNED double *rows = dense_new(s->n, s->n);

    s->vectors = dense_new(s->n, s->n);
    s->values = dense_new(s->n, 1);
    dense_eigen(s->dcd, s->n, s->values, rows);
    for (size_t i = 0; i < s->n * s->n; i++)
        s->vectors[i] = rows[i % s->n * s->n + i / s->n];
}

static statistics statistics_make(size_t n, uint64_t seed, bool level)
{
    enum { topics = 4 };
    chance r = {.key = seed};
    statistics s = {.n = n, .c = dense_new(n, n), .dcd = dense_new(n, n),
                    .sums = dense_new(n, 1), .weight = dense_new(n, 1),
                    .exact = dense_new(n, 1)};
    OWNED double *b = dense_new(n, topics);
    double total = 0;

    for (size_t i = 0; i < n * topics; i++)
        b[i] = i / topics == 2 ? 0 : pow(chance_unit(&r), 4);
    for (size_t i = 0; i < n; i++)
        s.weight[i] = level ? 3 : 0.05 + 4 * chance_unit(&r);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            for (size_t t = 0; t < topics; t++)
                s.c[i * n + j] += b[i * topics + t] * b[j * topics + t];
            total += s.c[i * n + j];
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            s.c[i * n + j] /= total;
            s.dcd[i * n + j] = s.weight[i] * s.c[i * n + j] * s.weight[j];
            s.sums[i] += s.c[i * n + j];
            s.exact[i] += s.dcd[i * n + j];
        }
    statistics_eigen(&s);
    return s;
}

static void statistics_free(statistics *s)
{
    double *const all[] = {s->c, s->sums, s->weight, s->dcd,
                           s->exact, s->vectors, s->values};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* From the first k pairs. */
static double *sums_of(const statistics *s, size_t k)
{
    OWNED double *v = dense_new(s->n, k);
    double *const out = dense_new(s->n, 1);
    const weights_pairs known = {s->n, k, v, s->values};
    kedge_error err = {0};

    for (size_t i = 0; i < s->n; i++)
        memcpy(v + i * k, s->vectors + i * s->n, k * sizeof *v);
    ck_ok(weights_sums(NULL, s->weight, s->sums, &known, out, &err), err);
    return out;
}

typedef struct sharing {
    const statistics *s;
    const double *one; /* what one process finds */
} sharing;

static void sums_among(void *data, communicator *t)
{
    const sharing *const h = data;
    OWN(pool_end) pool *p = dense_pool(1);
    OWNED double *out = dense_new(h->s->n, 1);
    weights_pairs known = {h->s->n, h->s->n, h->s->vectors, h->s->values};
    kedge_error err = {0};

    pool_set_comm(p, t);
    known.vectors += tall_own(p, h->s->n).from * h->s->n;
    ck_ok(weights_sums(p, h->s->weight, h->s->sums, &known, out, &err), err);
    ck_assert_mem_eq(out, h->one, h->s->n * sizeof *out);
}

TEST(processes_find_the_same)
{
    OWN(statistics_free) statistics s = statistics_make(150, 3, false);
    sharing h = {&s, sums_of(&s, s.n)};

    for (unsigned size = 1; size <= THREADRANKS_MOST; size += 1 + size / 3)
        threadranks_run(size, sums_among, &h);
    free((void *)h.one);
}

/* All that C has: four pairs. With fewer, or none, they are near, and nearer
 * than the pairs alone are. */
TEST(sums_are_those_of_the_dense_matrix)
{
    double near = 0, far = 0;

    for (uint64_t seed = 0; seed < 20; seed++) {
        OWN(statistics_free) statistics s = statistics_make(30 + seed, seed,
                                                            false);
        const double whole = dense_norm(s.exact, s.n);
        double *got = sums_of(&s, 4);
        ck_assert_double_lt(dense_distance(got, s.exact, s.n), 1e-9 * whole);
        free(got);
        got = sums_of(&s, 2);
        near += dense_distance(got, s.exact, s.n) / whole;
        for (size_t i = 0; i < s.n; i++) {
            got[i] = 0;
            for (size_t j = 0; j < s.n; j++)
                for (size_t c = 0; c < 2; c++)
                    got[i] += s.vectors[i * s.n + c] * s.values[c] *
                              s.vectors[j * s.n + c];
        }
        far += dense_distance(got, s.exact, s.n) / whole;
        free(got);
    }
    ck_assert_double_lt(near, 0.75 * far);
    ck_assert_double_lt(near / 20, 0.05);
}

TEST(level_weights_leave_the_sums_exact)
{
    for (uint64_t seed = 0; seed < 5; seed++) {
        OWN(statistics_free) statistics s = statistics_make(25, seed, true);
        OWNED double *got = sums_of(&s, 1);
        for (size_t i = 0; i < s.n; i++)
            ck_assert_double_eq_tol(got[i], 9 * s.sums[i], 1e-14);
    }
}

/* Wrong pairs cannot make a sum that no weights could have. */
TEST(sums_stay_between_the_weights)
{
    OWN(statistics_free) statistics s = statistics_make(40, 1, false);
    double least = INFINITY, most = 0;

    for (size_t i = 0; i < s.n; i++) {
        least = fmin(least, s.weight[i]);
        most = fmax(most, s.weight[i]);
    }
    for (size_t i = 0; i < s.n; i++)
        s.values[i] *= 50;
    OWNED double *got = sums_of(&s, 4);
    for (size_t i = 0; i < s.n; i++) {
        const double own = s.weight[i] * s.sums[i];
        ck_assert_double_ge(got[i], own * least);
        ck_assert_double_le(got[i], own * most);
        ck_assert_int_eq(got[i] > 0, i != 2); /* word 2 is not in C */
    }
}

TEST(normalised_they_add_up_to_one)
{
    for (uint64_t seed = 0; seed < 5; seed++) {
        OWN(statistics_free) statistics s = statistics_make(20, seed, false);
        OWNED double *d = dense_new(s.n, 1);
        double total = 0, sum = 0, before = 0;
        for (size_t i = 0; i < s.n; i++)
            before += s.exact[i];
        ck_assert_double_eq(
            weights_normalise(s.weight, s.exact, s.n, d), before);
        for (size_t i = 0; i < s.n; i++) {
            sum += s.exact[i];
            for (size_t j = 0; j < s.n; j++)
                total += d[i] * s.c[i * s.n + j] * d[j];
        }
        ck_assert_double_eq_tol(sum, 1, 1e-12);
        ck_assert_double_eq_tol(total, 1, 1e-12);
    }
}
