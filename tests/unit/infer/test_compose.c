/* SPDX-License-Identifier: MIT */
#include "infer/compose.h"

#include "base/gate.h"
#include "infer/priors.h"
#include "infer/squares.h"

UNIT_END(compose, compose, compose_free)

typedef struct corpus {
    size_t rows, k;
    double *a, *b, *weight;
    docs d;
} corpus;

/* Some words are of no topic; documents may be empty, of such words alone, or
 * of one token. */
static corpus corpus_make(size_t rows, size_t k, size_t documents,
                          uint64_t seed)
{
    corpus o = {.rows = rows, .k = k, .a = priors_correlated(k, seed),
                .b = dense_new(rows, k), .weight = dense_new(rows, 1)};
    chance c = {.key = seed};

    for (size_t t = 0; t < k; t++) {
        double sum = 0;
        for (size_t i = 0; i < rows; i++)
            sum += o.b[i * k + t] = i % 10 == 9 ? 0
                                                : pow(chance_unit(&c), 8);
        for (size_t i = 0; i < rows; i++)
            o.b[i * k + t] /= sum;
    }
    for (size_t i = 0; i < rows; i++)
        o.weight[i] = chance_unit(&c);
    for (size_t m = 0; m < documents; m++) {
        const size_t every = 1 + chance_below(&c, 9);
        ck_assert(docs_begin(&o.d, m + 1));
        for (uint32_t i = 0; i < rows && m % 7 > 1; i++)
            if (m % 7 == 2 ? i % 10 == 9 : chance_below(&c, every * 3) == 0)
                ck_assert(docs_push(&o.d, i, 1 + (uint32_t)chance_below(&c,
                                                                      3)));
        if (m % 7 == 1)
            ck_assert(docs_push(&o.d, (uint32_t)chance_below(&c, 9), 1));
    }
    return o;
}

static void corpus_free(corpus *o)
{
    docs_free(&o->d);
    free(o->a);
    free(o->b);
    free(o->weight);
}

static const kedge_control quiet = {.threads = 1};

static compose_input input_of(const corpus *o, kedge_infer_method method,
                              bool weighted, pool *p)
{
    return (compose_input){.rows = o->rows, .k = o->k, .b = o->b, .a = o->a,
                           .weight = weighted ? o->weight : NULL,
                           .documents = 1000, .method = method,
                           .steps = compose_ways[method].of_all ? 20 : 500,
                           .tolerance = 1e-5,
                           .step = method == KEDGE_INFER_PAMI ? 1 : 0.1,
                           .folder = ".", .control = &quiet, .p = p};
}

static void learn(const corpus *o, compose *work, size_t portion)
{
    const kedge_control control = {.threads = 1};
    kedge_error err = {0};
    joint_report report;
    OWN(docs_free) docs some = {0};

    for (size_t m = 0; m < o->d.count; m++) {
        ck_assert(docs_append(&some, &o->d, m));
        if (some.count < portion && m + 1 < o->d.count)
            continue;
        ck_ok(compose_learn(work, &some, &err), err);
        docs_clear(&some);
    }
    ck_ok(compose_settle(work, &control, &report, &err), err);
}

/* All documents, in portions: shares and, beside them, residuals. */
static double *solve(const corpus *o, kedge_infer_method method, bool weighted,
                     unsigned threads, size_t portion, composed *found)
{
    kedge_error err = {0};
    OWN(pool_end) pool *p = dense_pool(threads);
    const compose_input in = input_of(o, method, weighted, p);
    double *const shares = dense_new(o->d.count, o->k);
    OWN(docs_free) docs some = {0};
    OWN(compose_end) compose *work = NULL;
    size_t done = 0;

    ck_ok(compose_create(&in, &work, &err), err);
    if (compose_ways[method].of_all)
        learn(o, work, portion);
    for (size_t m = 0; m < o->d.count; m++) {
        ck_assert(docs_append(&some, &o->d, m));
        if (some.count < portion && m + 1 < o->d.count)
            continue;
        for (size_t first = 0, n; first < some.count; first += n) {
            ck_ok(compose_add(work, &some, first, NULL, &n, &err), err);
            ck_assert_uint_gt(n, 0);
            for (size_t i = 0; i < n; i++, done++) {
                memcpy(shares + done * o->k, compose_shares(work, i),
                       o->k * sizeof *shares);
                found[done] = *compose_found(work, i);
            }
        }
        docs_clear(&some);
    }
    ck_assert_uint_eq(done, o->d.count);
    return shares;
}

/* h / n - Bw, by word. */
static double *errors_of(const corpus *o, size_t m, double tokens,
                         const double *w)
{
    double *const h = dense_new(o->rows, 1);

    for (size_t e = o->d.start[m]; e < o->d.start[m + 1]; e++)
        if (o->d.word[e] % 10 != 9)
            h[o->d.word[e]] = o->d.tally[e] / tokens;
    for (size_t i = 0; i < o->rows * o->k; i++)
        h[i / o->k] -= o->b[i] * w[i % o->k];
    return h;
}

static uint64_t known_tokens(const corpus *o, size_t m)
{
    uint64_t n = 0;

    for (size_t e = o->d.start[m]; e < o->d.start[m + 1]; e++)
        n += o->d.word[e] % 10 != 9 ? o->d.tally[e] : 0;
    return n;
}

static void check_shares(const double *w, size_t k)
{
    double sum = 0;

    for (size_t t = 0; t < k; t++) {
        ck_assert(w[t] >= 0);
        sum += w[t];
    }
    ck_assert_double_eq_tol(sum, 1, 1e-12);
}

static void check_document(const corpus *o, size_t m, const double *w,
                           const composed *f)
{
    OWNED double *e = errors_of(o, m, fmax((double)f->tokens, 1), w);
    double residual = 0;

    for (size_t i = 0; i < o->rows; i++)
        residual += 0.5 * fabs(e[i]);
    ck_assert_uint_eq(f->tokens, known_tokens(o, m));
    ck_assert_double_eq_tol(f->residual, f->tokens == 0 ? 1 : residual, 1e-5);
    ck_assert(f->settled);
    check_shares(w, o->k);
}

/* Without tokens it is the mean; with one not far from it. */
static void check_unknown(const corpus *o, const double *w, const composed *f)
{
    OWN(prior_end) prior *p = priors_make(o->a, o->k, 1000);

    for (size_t t = 0; t < o->k && f->tokens == 0; t++)
        ck_assert_double_eq_tol(w[t], p->mean[t], 1e-14);
    for (size_t t = 0; t < o->k; t++)
        ck_assert_double_lt(w[t], 0.9);
}

TEST(shares_and_residuals_are_right)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        OWN(corpus_free) corpus o = corpus_make(100 + 20 * seed, 3 + 2 * seed,
                                                60, seed);
        composed found[60];
        for (int method = 0; method < 7; method++) {
            OWNED double *w = solve(&o, (kedge_infer_method)(method % 6),
                                    method > 0, 2, 60, found);
            for (size_t m = 0; m < o.d.count; m++) {
                check_document(&o, m, w + m * o.k, &found[m]);
                if (found[m].tokens < 2 && method != KEDGE_INFER_MEAN)
                    check_unknown(&o, w + m * o.k, &found[m]);
            }
        }
    }
}

/* Correlations by least squares may be below zero, rows of them too. */
TEST(any_correlations_give_shares)
{
    OWN(corpus_free) corpus o = corpus_make(60, 5, 40, 3);
    composed found[40];
    double mean[5];

    for (size_t t = 0; t < 5; t++)
        o.a[2 * 5 + t] = o.a[t * 5 + 2] = -0.05;
    for (int i = 0; i < 6; i++) {
        OWNED double *shares = solve(&o, (kedge_infer_method)i, true, 1, 40,
                                     found);
        for (size_t m = 0; m < 40; m++)
            check_shares(shares + m * 5, 5);
        ck_assert_uint_eq(found[0].tokens, 0); /* it gets what is usual */
        if (i == 0)
            memcpy(mean, shares, sizeof mean);
        ck_assert_mem_eq(shares, mean, sizeof mean);
        ck_assert_double_gt(mean[2], 0);
        ck_assert_double_lt(mean[2], 1e-3);
    }
}

TEST(folding_is_the_mean_of_words)
{
    OWN(corpus_free) corpus o = corpus_make(150, 8, 60, 9);
    OWN(prior_end) prior *p = priors_make(o.a, o.k, 1000);
    composed found[60];
    OWNED double *w = solve(&o, KEDGE_INFER_MEAN, false, 2, 60, found);

    for (size_t m = 0; m < 60; m++) {
        double mean[8] = {0};
        for (size_t e = o.d.start[m]; e < o.d.start[m + 1]; e++) {
            const double *const row = o.b + o.d.word[e] * 8;
            double sum = 0;
            for (size_t t = 0; t < 8; t++)
                sum += row[t] * p->mean[t];
            for (size_t t = 0; t < 8 && sum > 0; t++)
                mean[t] += o.d.tally[e] * row[t] * p->mean[t] / sum /
                           (double)found[m].tokens;
        }
        for (size_t t = 0; t < 8 && found[m].tokens > 0; t++)
            ck_assert_double_eq_tol(w[m * 8 + t], mean[t], 1e-6);
    }
}

/* Σ d (h/n - Bw)², which no small move makes less. */
static double loss(const corpus *o, size_t m, bool weighted, double tokens,
                   const double *w)
{
    OWNED double *e = errors_of(o, m, tokens, w);
    double sum = 0;

    for (size_t i = 0; i < o->rows; i++)
        sum += (weighted ? o->weight[i] : 1) * e[i] * e[i];
    return sum;
}

TEST(squares_are_least)
{
    OWN(corpus_free) corpus o = corpus_make(150, 8, 60, 3);
    composed found[60];
    chance c = {.key = 5};

    for (int weighted = 0; weighted < 2; weighted++) {
        OWNED double *w = solve(&o, KEDGE_INFER_LEAST_SQUARES, weighted, 1, 60,
                                found);
        for (size_t m = 0; m < 60; m++) {
            const double n = (double)found[m].tokens;
            double least;
            if (n < 2)
                continue;
            least = loss(&o, m, weighted, n, w + m * 8);
            for (int other = 0; other < 30; other++) {
                const double step = pow(10, -1 - other % 5);
                const size_t to = chance_below(&c, 8);
                double v[8];
                for (size_t t = 0; t < 8; t++)
                    v[t] = (1 - step) * w[m * 8 + t] + (t == to ? step : 0);
                ck_assert_double_ge(loss(&o, m, weighted, n, v),
                                    least * (1 - 1e-6));
            }
        }
    }
}

TEST(portions_and_threads_leave_no_trace)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        OWN(corpus_free) corpus o = corpus_make(200, 5 + 9 * seed, 150, seed);
        composed found[150], others[150];
        for (int method = 0; method < 6; method++) {
            OWNED double *one = solve(&o, (kedge_infer_method)method,
                                      method > 1, 1, 150, found);
            for (unsigned threads = 1; threads <= 3; threads++) {
                OWNED double *other = solve(&o, (kedge_infer_method)method,
                                            method > 1, threads,
                                            1 + 40 * (threads - 1), others);
                ck_assert_mem_eq(one, other, 150 * o.k * sizeof *one);
                for (size_t m = 0; m < 150; m++) {
                    ck_assert(found[m].residual == others[m].residual);
                    ck_assert_uint_eq(found[m].steps, others[m].steps);
                }
            }
        }
    }
}

/* PADD as it was printed, with a step that hardly tells, is least squares. */
TEST(faithful_means_that_words_weigh_the_same)
{
    OWN(corpus_free) corpus o = corpus_make(150, 8, 60, 3);
    composed found[60];
    OWNED double *plain = solve(&o, KEDGE_INFER_LEAST_SQUARES, false, 1, 60,
                                found);
    OWN(pool_end) pool *p = dense_pool(1);
    compose_input in = input_of(&o, KEDGE_INFER_PADD, true, p);
    kedge_error err = {0};
    OWN(compose_end) compose *c = NULL;
    size_t n;

    in.faithful = true;
    in.step = 1e-12;
    ck_ok(compose_create(&in, &c, &err), err);
    learn(&o, c, 60);
    ck_ok(compose_add(c, &o.d, 0, NULL, &n, &err), err);
    ck_assert_uint_eq(n, 60);
    for (size_t m = 0; m < 60; m++)
        for (size_t t = 0; t < 8; t++)
            ck_assert_double_eq_tol(compose_shares(c, m)[t],
                                    plain[m * 8 + t], 1e-5);
    ck_fails(compose_add(c, &o.d, 0, NULL, &n, &err), KEDGE_EINVAL, err,
             "the documents changed between the two passes; run it again");
    ck_assert_uint_eq(n, 0);
}

/* With so many topics a window ends after two thousand documents. */
TEST(windows_leave_no_trace)
{
    OWN(corpus_free) corpus o = corpus_make(60, 500, 2200, 5);
    OWNED composed *found = calloc(4400, sizeof *found);
    OWNED double *one = solve(&o, KEDGE_INFER_LINEAR_BAYES, false, 2, 2200,
                              found);
    OWNED double *other = solve(&o, KEDGE_INFER_LINEAR_BAYES, false, 2, 900,
                                found + 2200);

    ck_assert_mem_eq(one, other, 2200 * 500 * sizeof *one);
}

TEST(no_memory_is_survived)
{
    OWN(corpus_free) corpus o = corpus_make(40, 4, 1, 8);
    OWN(pool_end) pool *p = dense_pool(2);

    for (int method = 0; method < 6; method++) {
        const compose_input in = input_of(&o, (kedge_infer_method)method,
                                          method > 1, p);
        kedge_error err = {0};
        GATE_LOOP {
            OWN(compose_end) compose *work = NULL;
            GATE_TRY(compose_create(&in, &work, &err));
            ck_assert((work == NULL) == (gate_status != KEDGE_OK));
        }
    }
}
