/* SPDX-License-Identifier: MIT */
#include "infer/tli.h"

#include "linalg/blas.h"
#include "linalg/dense.h"

UNIT_END(inverse, inverse, inverse_free)

#define ANY 1e300
#define KINDS 5

typedef struct topics {
    size_t rows, k;
    double *b;
} topics;

static void topics_free(topics *o)
{
    free(o->b);
}

/* `kind`: all words in all topics; rare words, and few of them in more than a
 * topic; some words of no topic; values of a few kinds alone, so that words are
 * alike; or topics that are nearly the same two by two. */
static double word_share(unsigned kind, size_t word, chance *c)
{
    const double u = chance_unit(c);

    switch (kind) {
    case 1:
        return chance_below(c, 3) > 0 ? 0 : pow(u, 20);
    case 2:
        return word % 5 == 2 ? 0 : pow(u, 4);
    case 3:
        return (double)chance_below(c, 3);
    default:
        return pow(u, 6) + 1e-6;
    }
}

static topics topics_make(size_t rows, size_t k, unsigned kind, uint64_t seed)
{
    topics o = {rows, k, dense_new(rows, k)};
    chance c = {.key = seed};

    for (size_t t = 0; t < k; t++) {
        double sum = 0;
        for (size_t i = 0; i < rows; i++) {
            double *const at = &o.b[i * k + t];
            *at = i == t ? 1 : word_share(kind, i, &c);
            if (kind == 4 && t % 2 == 1)
                *at = 1e-4 * *at + at[-1];
            sum += *at;
        }
        for (size_t i = 0; i < rows; i++)
            o.b[i * k + t] /= sum;
    }
    return o;
}

static inverse *make_inverse(const topics *o, const kedge_control *control)
{
    kedge_error err = {0};
    inverse *s;

    blas_begin(4, NULL);
    ck_ok(inverse_create(o->b, o->rows, o->k, control, &s, &err), err);
    return s;
}

/* What is told of p is so. */
static void check_row(const topics *o, size_t topic, double theta,
                      const double *p, const inverse_found *f)
{
    double most = 0, bias = 0;

    for (size_t i = 0; i < o->rows; i++)
        most = fmax(most, fabs(p[i]));
    ck_assert(f->largest >= most);
    for (size_t t = 0; t < o->k; t++) {
        double sum = t == topic ? -1 : 0;
        for (size_t i = 0; i < o->rows; i++)
            sum += p[i] * o->b[i * o->k + t];
        bias = fmax(bias, fabs(sum));
    }
    ck_assert_double_eq_tol(bias, f->bias, 1e-11 * (1 + most));
    ck_assert_double_le(bias, theta * f->largest + 1e-8);
    ck_assert_double_le(f->gap, 1e-6);
    ck_assert_uint_gt(f->steps, 0);
}

/* ---- a bound from below -------------------------------------------------- */

/* Solves the n equations a x = y by elimination; false: they are dependent. */
static bool eliminate(double *a, double *y, size_t n)
{
    for (size_t p = 0; p < n; p++) {
        size_t best = p;
        for (size_t i = p; i < n; i++)
            best = fabs(a[i * n + p]) > fabs(a[best * n + p]) ? i : best;
        if (fabs(a[best * n + p]) < 1e-12)
            return false;
        for (size_t j = 0; j < n; j++) {
            const double keep = a[p * n + j];
            a[p * n + j] = a[best * n + j];
            a[best * n + j] = keep;
        }
        const double side = y[p];
        y[p] = y[best];
        y[best] = side;
        for (size_t i = 0; i < n; i++) {
            const double times = a[i * n + p] / a[p * n + p];
            for (size_t j = p; i != p && j < n; j++)
                a[i * n + j] -= times * a[p * n + j];
            y[i] -= i != p ? times * y[p] : 0;
        }
    }
    for (size_t p = 0; p < n; p++)
        y[p] /= a[p * n + p];
    return true;
}

/* Σ |Bv| and, of a bias, θ Σ|v|: no largest entry is less than one over it. */
static double total(const topics *o, double theta, const double *v)
{
    double sum = 0;

    for (size_t i = 0; i < o->rows; i++) {
        double r = 0;
        for (size_t t = 0; t < o->k; t++)
            r += o->b[i * o->k + t] * v[t];
        sum += fabs(r);
    }
    for (size_t t = 0; t < o->k; t++)
        sum += theta * fabs(v[t]);
    return sum;
}

/* ---- all vertices -------------------------------------------------------- */

/* Whether there is a next choice of `count` out of `rows`. */
static bool next_choice(size_t *choice, size_t count, size_t rows)
{
    size_t j = count;

    while (j > 0 && choice[j - 1] == rows - count + j - 1)
        j--;
    if (j == 0)
        return false;
    choice[j - 1]++;
    for (; j < count; j++)
        choice[j] = choice[j - 1] + 1;
    return true;
}

/* The least largest entry: v is where K - 1 entries of Bv, or of v itself with
 * a bias, are 0. */
static double least_of_all(const topics *o, size_t topic, double theta)
{
    const size_t m = o->k - 1, rows = o->rows + (theta > 0 ? o->k : 0);
    size_t choice[4];
    double least = INFINITY;

    for (size_t j = 0; j < m; j++)
        choice[j] = j;
    do {
        double a[16], y[4], v[5];
        for (size_t j = 0; j < m; j++)
            for (size_t t = 0; t < o->k; t++) {
                const size_t i = choice[j];
                const double x = i < o->rows ? o->b[i * o->k + t]
                                             : t == i - o->rows;
                if (t == topic)
                    y[j] = -x;
                else
                    a[j * m + t - (t > topic)] = x;
            }
        if (!eliminate(a, y, m))
            continue;
        for (size_t t = 0; t < o->k; t++)
            v[t] = t == topic ? 1 : y[t - (t > topic)];
        least = fmin(least, total(o, theta, v));
    } while (next_choice(choice, m, rows));
    return 1 / least;
}

TEST(it_is_the_best_of_all_vertices)
{
    for (uint64_t seed = 0; seed < 400; seed++) {
        const size_t k = 2 + seed % 3, topic = seed % k;
        const double theta = seed % 4 == 3 ? 0.05 : seed % 4 == 2 ? 0.5 : 0;
        const unsigned kind = (unsigned)(seed / 12 % KINDS);
        OWN(topics_free) topics o = topics_make(k + 8, k, kind, seed);
        OWN(inverse_end) inverse *s = make_inverse(&o, NULL);
        const double least = least_of_all(&o, topic, theta);
        inverse_found f;
        if (!inverse_solve(s, topic, theta, ANY, &f))
            ck_abort_msg("seed %u: none, but %g", (unsigned)seed, least);
        check_row(&o, topic, theta, f.row, &f);
        if (!(fabs(f.largest - least) <= 2e-6 * least))
            ck_abort_msg("seed %u: %.9g, not %.9g", (unsigned)seed, f.largest,
                         least);
        ck_assert(inverse_solve(s, topic, theta, least * 1.001, &f));
        ck_assert(!inverse_solve(s, topic, theta, least * 0.999, &f));
    }
}

/* Whatever topics are like; and what one program leaves is no matter to the
 * next. */
TEST(gaps_close)
{
    for (uint64_t seed = 0; seed < 120; seed++) {
        const size_t k = 2 + seed * 11 % 49, topic = seed % k;
        OWN(topics_free) topics o =
            topics_make(3 * k + 40, k, (unsigned)seed % KINDS, seed);
        OWN(inverse_end) inverse *s = make_inverse(&o, NULL);
        OWN(inverse_end) inverse *new = make_inverse(&o, NULL);
        inverse_found f, g;
        for (int bias = 0; bias < 2; bias++) {
            const double theta = bias == 1 ? 0.1 : 0;
            if (!inverse_solve(s, topic, theta, ANY, &f))
                ck_abort_msg("seed %u, k %zu: gap %g after %zu steps",
                             (unsigned)seed, k, f.gap, f.steps);
            check_row(&o, topic, theta, f.row, &f);
        }
        ck_assert(inverse_solve(s, topic, 0, ANY, &f));
        ck_assert(inverse_solve(new, topic, 0, ANY, &g));
        ck_assert_uint_eq(f.steps, g.steps);
        ck_assert_mem_eq(f.row, g.row,
                         o.rows * sizeof(double));
    }
}

/* ---- what is known ------------------------------------------------------- */

/* Two words of two topics have one inverse; one topic alone has all words. */
TEST(small_ones_are_known)
{
    double two[] = {0.7, 0.3, 0.3, 0.7}, one[] = {0.5, 0.25, 0.25};
    const topics small = {2, 2, two}, alone = {3, 1, one};
    inverse *s = make_inverse(&small, NULL);
    inverse_found f;

    ck_assert(inverse_solve(s, 0, 0, ANY, &f));
    ck_assert_double_eq_tol(f.row[0], 0.7 / 0.4, 1e-8);
    ck_assert_double_eq_tol(f.row[1], -0.3 / 0.4, 1e-8);
    inverse_free(s);
    s = make_inverse(&alone, NULL);
    ck_assert(inverse_solve(s, 0, 0, ANY, &f));
    ck_assert_double_eq_tol(f.largest, 1, 1e-8);
    inverse_free(s);
}

/* Of topics that are the same none has an inverse, but the others have; with a
 * bias they are one half each, which is θ times the largest entry. */
TEST(the_same_twice_has_no_inverse)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        OWN(topics_free) topics o =
            topics_make(200, 10, (unsigned)seed % 3, seed);
        OWN(inverse_end) inverse *s = NULL;
        inverse_found f;
        for (size_t i = 0; i < o.rows; i++)
            o.b[i * 10 + 7] = o.b[i * 10 + 2];
        s = make_inverse(&o, NULL);
        for (size_t topic = 0; topic < 10; topic++) {
            const bool twice = topic == 2 || topic == 7;
            ck_assert(inverse_solve(s, topic, 0, 1e6, &f) == !twice);
            if (!twice)
                check_row(&o, topic, 0, f.row, &f);
            ck_assert(inverse_solve(s, topic, 0.1, ANY, &f));
            check_row(&o, topic, 0.1, f.row, &f);
            if (twice)
                ck_assert_double_eq_tol(f.largest, 5, 1e-5);
        }
    }
}

static int stop_after(void *data)
{
    int *const left = data;

    return (*left)-- <= 0;
}

/* And what it finds is the same, asked or not. */
TEST(it_stops_between_steps)
{
    OWN(topics_free) topics o = topics_make(80, 6, 0, 1);
    int left = 0;
    const kedge_control control = {.stop = stop_after, .data = &left};
    OWN(inverse_end) inverse *unasked = make_inverse(&o, NULL);
    OWN(inverse_end) inverse *s = make_inverse(&o, &control);
    inverse_found whole, f;

    ck_assert(inverse_solve(unasked, 2, 0, ANY, &whole));
    ck_assert_uint_gt(whole.steps, 3);
    for (int steps = 0; steps < 3; steps++) {
        left = 1 + steps;
        ck_assert(!inverse_solve(s, 2, 0, ANY, &f));
        ck_assert_uint_eq(f.steps, (size_t)steps);
    }
    left = 1000;
    ck_assert(inverse_solve(s, 2, 0, ANY, &f));
    ck_assert_double_eq(f.largest, whole.largest);
}
