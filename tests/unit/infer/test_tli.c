/* SPDX-License-Identifier: MIT */
#include "infer/tli.h"

#include <math.h>
#include <stdatomic.h>

#include "linalg/blas.h"
#include "linalg/dense.h"

UNIT_END(inverse, inverse, inverse_free)
UNIT_END(tli, tli, tli_free)

/* Topics of which every fifth word is none's; with `twice` the last is the
 * first once more. */
static double *make_topics(size_t rows, size_t k, bool twice, uint64_t seed)
{
    double *const b = dense_new(rows, k);
    chance c = {.key = seed};

    blas_begin(4, NULL);
    for (size_t t = 0; t < k; t++) {
        double sum = 0;
        for (size_t i = 0; i < rows; i++) {
            double *const at = &b[i * k + t];
            *at = i % 5 == 4 ? 0 : pow(chance_unit(&c), 10);
            if (twice && t + 1 == k)
                *at = b[i * k];
            sum += *at;
        }
        for (size_t i = 0; i < rows; i++)
            b[i * k + t] /= sum;
    }
    return b;
}

static const kedge_control quiet = {.threads = 1};

typedef struct page {
    uint32_t row[400], tally[400];
    bag g;
} page;

/* `tokens` draws of topics that are `truth`. */
static void make_page(page *o, const double *b, size_t rows, size_t k,
                      const double *truth, uint64_t tokens, chance *c)
{
    uint32_t count[400] = {0};

    o->g = (bag){o->row, o->tally, 0, tokens};
    for (uint64_t n = 0; n < tokens; n++) {
        double left = chance_unit(c);
        size_t i = 0;
        for (; i + 1 < rows; i++) {
            double p = 0;
            for (size_t t = 0; t < k; t++)
                p += b[i * k + t] * truth[t];
            left -= p;
            if (left < 0 && p > 0)
                break;
        }
        count[left < 0 ? i : 0]++;
    }
    for (size_t i = 0; i < rows; i++)
        if (count[i] > 0 || i == 4) { /* a word of no topic does nothing */
            o->row[o->g.count] = (uint32_t)i;
            o->tally[o->g.count++] = i == 4 ? 3 : count[i];
        }
}

static tli *make_tli(const double *b, size_t rows, size_t k, unsigned threads,
                     bool faithful)
{
    kedge_error err = {0};
    OWN(pool_end) pool *p = dense_pool(threads);
    const tli_input in = {.b = b, .rows = rows, .k = k, .faithful = faithful,
                          .p = p, .control = &quiet};
    tli *t;

    ck_ok(tli_create(&in, &t, &err), err);
    return t;
}

/* Rows of P, one after the other. */
static double *rows_of(const double *b, size_t rows, size_t k,
                       inverse_found *found)
{
    double *const all = dense_new(k, rows);
    kedge_error err = {0};
    OWN(inverse_end) inverse *s = NULL;

    ck_ok(inverse_create(b, rows, k, NULL, &s, &err), err);
    for (size_t t = 0; t < k; t++) {
        if (!inverse_solve(s, t, 0, 10, &found[t]))
            ck_assert(inverse_solve(s, t, 0.1, INFINITY, &found[t]));
        memcpy(all + t * rows, found[t].row, rows * sizeof *all);
    }
    return all;
}

/* A share and its standard error, the plain way, a token at a time. */
static double mean_of(const double *p, const bag *g, double *error)
{
    const double n = (double)g->tokens;
    double mean = 0, sum = 0;

    for (size_t e = 0; e < g->count; e++)
        for (uint32_t c = 0; c < g->tally[e] && g->row[e] % 5 != 4; c++)
            mean += p[g->row[e]] / n;
    for (size_t e = 0; e < g->count; e++)
        for (uint32_t c = 0; c < g->tally[e] && g->row[e] % 5 != 4; c++)
            sum += pow(p[g->row[e]] - mean, 2) / (n - 1);
    *error = sqrt(sum / n);
    return mean;
}

enum { ROWS = 400, TOPICS = 12 };

/* The shares, against those of P as it is. */
static void check_shares(const double *all, const inverse_found *found,
                         bool faithful, const bag *g, const double *w)
{
    double largest = 0, bias = 0, left = 0;

    for (size_t t = 0; t < TOPICS; t++) {
        largest = fmax(largest, found[t].largest);
        bias = fmax(bias, found[t].bias);
        left += w[t];
    }
    ck_assert_double_gt(left, 0);
    for (size_t t = 0; t < TOPICS; t++) {
        double error;
        const double x = mean_of(all + t * ROWS, g, &error);
        const double limit = faithful
                                 ? bias + 2 * largest *
                                              sqrt(log(TOPICS) /
                                                   (double)g->tokens)
                                 : error;
        ck_assert(w[t] >= 0);
        if (x > limit + 1e-5)
            ck_assert_double_eq_tol(w[t], x, 1e-5);
        else if (x < limit - 1e-5)
            ck_assert(w[t] == 0 || (w[t] == 1 && left == 1));
    }
}

static void check_report(const tli_report *r, const inverse_found *found,
                         bool twice)
{
    double largest = 0, bias = 0, gap = 0;

    for (size_t k = 0; k < TOPICS; k++) {
        largest = fmax(largest, found[k].largest);
        bias = fmax(bias, found[k].bias);
        gap = fmax(gap, found[k].gap);
    }
    ck_assert(r->largest == largest && r->bias == bias && r->gap == gap);
    ck_assert_uint_eq(r->biased, twice ? 2 : 0);
    if (twice)
        ck_assert_double_eq_tol(bias, 0.5, 1e-6);
    ck_assert_double_lt(gap, 1e-6);
}

TEST(shares_are_means_above_their_errors)
{
    for (uint64_t seed = 0; seed < 24; seed++) {
        const bool twice = seed % 3 == 1, faithful = seed % 2 == 1;
        OWNED double *b = make_topics(ROWS, TOPICS, twice, seed);
        OWN(tli_end) tli *t = make_tli(b, ROWS, TOPICS, 2, faithful);
        inverse_found found[TOPICS];
        OWNED double *all = rows_of(b, ROWS, TOPICS, found);
        double work[32], w[TOPICS], truth[TOPICS] = {0};
        chance c = {.key = seed};
        page o;
        check_report(&t->report, found, twice);
        for (uint64_t tokens = 2; tokens < 20000; tokens *= 3) {
            truth[seed % TOPICS] = 0.7;
            truth[(seed + 5) % TOPICS] = 0.3;
            make_page(&o, b, ROWS, TOPICS, truth, tokens, &c);
            tli_solve(t, &o.g, work, w);
            check_shares(all, found, faithful, &o.g, w);
        }
    }
}

/* Of long documents both thresholds leave the topics that are there. */
TEST(long_documents_are_told)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        OWNED double *b = make_topics(ROWS, TOPICS, false, seed);
        double work[32], w[TOPICS], truth[TOPICS] = {0};
        chance c = {.key = ~seed};
        page o;
        truth[seed] = 0.7;
        truth[(seed + 5) % TOPICS] = 0.3;
        make_page(&o, b, ROWS, TOPICS, truth, 40000, &c);
        for (int faithful = 0; faithful < 2; faithful++) {
            OWN(tli_end) tli *t = make_tli(b, ROWS, TOPICS, 1, faithful == 1);
            tli_solve(t, &o.g, work, w);
            for (size_t k = 0; k < TOPICS; k++) {
                ck_assert_double_eq_tol(w[k], truth[k], 0.05);
                if (faithful == 1)
                    ck_assert((w[k] > 0) == (truth[k] > 0));
            }
        }
    }
}

static int stop_at_third(void *data)
{
    return atomic_fetch_add((atomic_int *)data, 1) == 2;
}

/* It asks before every step of a topic, and heeds what was said but once. */
TEST(it_can_be_stopped)
{
    OWNED double *b = make_topics(ROWS, 40, false, 8);
    pool *const p = dense_pool(2);
    atomic_int asked = 0;
    const kedge_control control = {.stop = stop_at_third, .data = &asked};
    const tli_input in = {.b = b, .rows = ROWS, .k = 40, .p = p,
                          .control = &control};
    kedge_error err = {0};
    tli *t;

    ck_assert_int_eq(tli_create(&in, &t, &err), KEDGE_ECANCELED);
    ck_assert(t == NULL);
    ck_assert_int_ge(asked, 3);
    ck_assert_int_le(asked, 4); /* by another thread meanwhile */
    pool_free(p);
}

/* No equations are solved with what is no number. */
TEST(what_is_no_number_is_an_error)
{
    OWNED double *b = make_topics(ROWS, 5, false, 8);
    OWN(pool_end) pool *p = dense_pool(1);
    const tli_input in = {.b = b, .rows = ROWS, .k = 5, .p = p,
                          .control = &quiet};
    kedge_error err = {0};
    tli *t;

    b[7] = NAN;
    ck_fails(tli_create(&in, &t, &err), KEDGE_ENUMERIC, err,
             "topic 1 has no linear inverse");
    ck_assert(t == NULL);
}
