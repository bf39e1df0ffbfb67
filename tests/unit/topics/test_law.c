/* SPDX-License-Identifier: MIT */
#include "base/threadranks.h"
#include "linalg/tall.h"
#include "topics/separable.h"

/* From what is there, or from how its weighted statistics show it. */
TEST(a_separable_model_is_recovered)
{
    for (uint64_t seed = 0; seed < 8; seed++)
        for (int kind = 0; kind < 4; kind++) {
            OWN(model_free) model m =
                model_make(300 + 50 * seed, 2 + 2 * seed, seed);
            if (kind / 2 == 1)
                model_weigh(&m, seed);
            const law_input in = input_of(&m, kind % 2 == 1);
            OWN(law_free) law_output o = fit(&in, 1 + (unsigned)seed % 3);
            check_recovery(&m, &o);
            ck_assert_uint_eq(o.candidates, m.rows);
        }
}

static double total(const law_output *o, size_t k)
{
    double sum = 0;

    for (size_t i = 0; i < k * k; i++)
        sum += o->a[i];
    return sum;
}

/* A's total stays what it was: it tells how well D C D is met. */
TEST(the_total_is_that_of_the_weighted_model)
{
    OWN(model_free) model m = model_make(300, 6, 5);

    model_weigh(&m, 5);
    for (size_t i = 0; i < m.rows * m.k; i++)
        m.y[i] *= 1.25;
    law_input in = input_of(&m, false);
    OWN(law_free) law_output with = fit(&in, 1);
    in.weight = NULL;
    OWN(law_free) law_output without = fit(&in, 1);
    ck_assert_double_eq_tol(total(&without, m.k), 1.25 * 1.25, 1e-4);
    ck_assert_double_eq_tol(total(&with, m.k), total(&without, m.k), 1e-12);
}

/* From the topics that were found, put out of order, to the correlations that
 * were found. */
TEST(correlations_are_found_again)
{
    for (uint64_t seed = 0; seed < 8; seed++)
        for (int kind = 0; kind < 4; kind++) {
            const size_t k = 2 + seed;
            OWN(model_free) model m = model_make(200 + 30 * seed, k, seed);
            if (kind / 2 == 1)
                model_weigh(&m, seed);
            const law_input in = input_of(&m, kind % 2 == 1);
            OWN(pool_end) pool *p = dense_pool(2);
            OWN(law_free) law_output o = fit(&in, 1), was = fit(&in, 1);
            kedge_error err = {0};
            size_t order[16];
            for (size_t t = 0; t < k; t++)
                order[t] = (t + 1) % k;
            ck_ok(law_permute(m.rows, k, order, &o, &err), err);
            memset(o.a, 0, k * k * sizeof *o.a);
            ck_ok(law_correlate(p, &in, &o, &err), err);
            check_shape(&o, m.rows, k);
            for (size_t t = 0; t < k; t++)
                ck_assert_uint_eq(o.anchor[t], was.anchor[t]);
            for (size_t i = 0; i < k * k; i++)
                ck_assert_double_eq_tol(o.a[i], was.a[i], 1e-10);
            for (size_t i = 0; i < m.rows * k; i++)
                ck_assert_double_eq_tol(o.b[i], was.b[i], 1e-12);
        }
}

/* With other topics: (Y - B G)'B = 0 for A = G G' says that G is the best. */
TEST(correlations_are_those_of_the_topics_given)
{
    const size_t k = 4, n = 200;
    OWN(model_free) model m = model_make(n, k, 6);
    const law_input in = input_of(&m, false);
    OWN(law_free) law_output o = fit(&in, 1);
    OWN(pool_end) pool *p = dense_pool(1);
    kedge_error err = {0};
    chance r = {.key = 5};

    for (size_t i = 0; i < n * k; i++)
        o.b[i] += o.b[i] * chance_unit(&r) * 0.5;
    dense_columns_to_one(o.b, n, k);
    ck_ok(law_correlate(p, &in, &o, &err), err);
    const dense_index turned = dense_turned(o.b, k);
    OWNED double *bb = dense_times(turned, dense_as(o.b, k), k, n, k);
    OWNED double *by = dense_times(turned, dense_as(m.y, k), k, n, k);
    OWNED double *ba = dense_times(dense_as(bb, k), dense_as(o.a, k), k, k, k);
    OWNED double *left = dense_times(dense_as(ba, k), dense_as(bb, k), k, k,
                                     k);
    OWNED double *right = dense_times(dense_as(by, k), dense_turned(by, k), k,
                                      k, k);
    ck_assert_double_lt(dense_distance(left, right, k * k),
                        1e-10 * dense_norm(right, k * k));
}

TEST(one_topic_is_a_model_too)
{
    OWN(model_free) model m = model_make(50, 1, 3);
    const law_input in = input_of(&m, false);
    OWN(law_free) law_output o = fit(&in, 1);

    check_shape(&o, 50, 1);
    ck_assert_double_eq_tol(o.a[0], 1, 1e-9);
    for (size_t i = 0; i < 50; i++)
        ck_assert_double_eq_tol(o.b[i], m.b[i], 1e-9);
}

TEST(threads_leave_no_trace)
{
    OWN(model_free) model m = model_make(1500, 6, 5);
    const law_input in = input_of(&m, false);

    check_threads(&in);
}

/* ---- several processes --------------------------------------------------- */

typedef struct joint {
    const law_input *in; /* of all */
    const law_output *alone;
} joint;

/* A rank's own rows come to what they are alone, and the rest is the same. */
static void fit_part(void *data, communicator *t)
{
    const joint *const j = data;
    law_input in = *j->in;
    const size_t k = in.k;
    kedge_error err = {0};
    OWN(pool_end) pool *p = dense_pool(1 + t->rank % 2);
    tall_part own;
    OWN(law_free) law_output o;

    pool_set_comm(p, t);
    own = tall_own(p, in.rows);
    in.y += own.from * k;
    in.sums += own.from;
    in.df += own.from;
    in.weight += in.weight != NULL ? own.from : 0;
    ck_ok(law_fit(p, &in, &o, &err), err);
    ck_assert_mem_eq(o.b, j->alone->b + own.from * k,
                     own.count * k * sizeof *o.b);
    ck_assert_mem_eq(o.a, j->alone->a, k * k * sizeof *o.a);
    ck_assert_mem_eq(o.anchor, j->alone->anchor, k * sizeof *o.anchor);
    ck_assert_mem_eq(o.residual, j->alone->residual, k * sizeof *o.residual);
    ck_assert_mem_eq(o.characteristic, j->alone->characteristic,
                     k * LAW_CHARACTERISTIC * sizeof *o.characteristic);
    ck_assert_uint_eq(o.candidates, j->alone->candidates);
    ck_assert_uint_eq(o.steps, j->alone->steps);
    ck_assert_double_eq(o.sum, j->alone->sum);
}

/* Several processes with some rows each come to what one has of all. */
TEST(ranks_leave_no_trace)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        OWN(model_free) model m = model_make(seed < 2 ? 1500 : 70, 6, seed);
        if (seed % 2 == 0)
            model_weigh(&m, seed);
        const law_input in = input_of(&m, seed == 3);
        OWN(law_free) law_output alone = fit(&in, 2);
        joint j = {&in, &alone};
        for (unsigned size = 1; size <= THREADRANKS_MOST; size += 1 + size / 4)
            threadranks_run(size, fit_part, &j);
    }
}

static void fit_refused(void *data, communicator *t)
{
    kedge_error err = {0};
    OWN(pool_end) pool *p = dense_pool(1);
    law_output o;

    pool_set_comm(p, t);
    ck_fails(law_fit(p, data, &o, &err), KEDGE_EINVAL, err,
             "several processes fit only with --anchors qr and --recover l2:");
}

TEST(other_ways_are_one_process_s)
{
    OWN(model_free) model m = model_make(90, 4, 1);
    law_input in = input_of(&m, false);

    in.ways.anchors = KEDGE_ANCHORS_SPA;
    threadranks_run(2, fit_refused, &in);
    in.ways = (law_ways){.recover = KEDGE_RECOVER_KL};
    threadranks_run(2, fit_refused, &in);
}

/* ---- odd words ----------------------------------------------------------- */

/* Rare words stick out further than the anchors and must not be taken. */
TEST(rare_words_are_no_anchors)
{
    OWN(model_free) model m = model_make(300, 5, 6);
    const law_input in = input_of(&m, false);
    size_t topic[5];

    for (size_t t = 0; t < 5; t++) {
        /* outside the simplex of the anchors, with a positive sum */
        const size_t rare = m.anchor[t] + 1;
        for (size_t c = 0; c < 5; c++)
            m.y[rare * 5 + c] = 1e-3 * m.y[m.anchor[t] * 5 + c] * 2 -
                                1e-3 * m.y[m.anchor[(t + 1) % 5] * 5 + c];
        m.df[rare] = 9;
    }
    OWN(law_free) law_output o = fit(&in, 1);
    match(&m, &o, topic);
    ck_assert_uint_eq(o.candidates, 295);
}

TEST(rows_without_a_positive_sum_are_borne)
{
    for (int diagonal = 0; diagonal < 2; diagonal++) {
        OWN(model_free) model m = model_make(400, 6, 9);
        const law_input in = input_of(&m, diagonal);
        size_t topic[6];
        for (size_t c = 0; c < 6; c++) {
            m.y[10 * 6 + c] *= -1;   /* sum negative, exact one positive */
            m.y[11 * 6 + c] = 0;     /* a word that never occurred */
            m.y[12 * 6 + c] = 0;     /* one that did */
            m.y[13 * 6 + c] *= -30;  /* far out */
        }
        m.sums[11] = 0;
        m.sums[20] = 0; /* positive here, though there should be none */
        OWN(law_free) law_output o = fit(&in, 2);
        match(&m, &o, topic);
        for (size_t c = 0; c < 6; c++) {
            ck_assert_double_eq(o.b[11 * 6 + c], 0);
            ck_assert_double_eq(o.b[20 * 6 + c], 0);
        }
        for (size_t i = 0; i < 36; i++)
            ck_assert(isfinite(o.a[i]));
        ck_assert_uint_eq(o.candidates, 400 - 5);
    }
}

TEST(too_few_candidates_are_told)
{
    OWN(model_free) model m = model_make(200, 6, 1);
    law_input in = input_of(&m, false);

    in.min_df = 51;
    check_fails(&in, KEDGE_ENUMERIC, "0 words are in 51 documents or more");
    for (size_t i = 0; i < 5; i++)
        m.df[i] = 60;
    check_fails(&in, KEDGE_ENUMERIC, "--anchor-min-df");
    in.min_df = 10; /* an Y of lower rank: no six anchors either */
    for (size_t i = 0; i < m.rows; i++)
        m.y[i * 6 + 2] = 2 * m.y[i * 6 + 1];
    check_fails(&in, KEDGE_ENUMERIC, "only 5 of");
}

/* ---- the rest of the output ---------------------------------------------- */

/* The largest Y_s·Y_i, falling. */
TEST(characteristic_words_co_occur_most)
{
    for (size_t rows = 30; rows <= 300; rows += 90) {
        OWN(model_free) model m = model_make(rows, 4, rows);
        const law_input in = input_of(&m, false);
        OWN(law_free) law_output o = fit(&in, 1);
        OWNED double *c = dense_times(dense_as(m.y, 4), dense_turned(m.y, 4),
                                      rows, 4, rows);
        const size_t keep = rows < 40 ? rows : 40;
        ck_assert_uint_eq(o.characteristic_count, keep);
        for (size_t t = 0; t < 4; t++) {
            const uint64_t *list = o.characteristic + t * LAW_CHARACTERISTIC;
            const double *row = c + o.anchor[t] * rows;
            size_t larger = 0;
            for (size_t j = 1; j < keep; j++)
                ck_assert(row[list[j - 1]] >= row[list[j]] - 1e-15);
            for (size_t i = 0; i < rows; i++)
                larger += row[i] > row[list[keep - 1]] + 1e-15;
            ck_assert_uint_lt(larger, keep);
        }
    }
}

/* Row i, column j of the result is where it says; nothing else moves. */
TEST(topics_can_be_numbered_anew)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        const size_t k = 2 + seed, rows = 100;
        OWN(model_free) model m = model_make(rows, k, seed);
        const law_input in = input_of(&m, false);
        OWN(law_free) law_output o = fit(&in, 1), was = fit(&in, 1);
        chance c = {.key = seed};
        kedge_error err = {0};
        size_t order[8];
        for (size_t t = 0; t < k; t++) {
            const size_t other = chance_below(&c, t + 1);
            order[t] = order[other];
            order[other] = t;
        }
        ck_ok(law_permute(rows, k, order, &o, &err), err);
        for (size_t t = 0; t < k; t++) {
            const size_t from = order[t];
            for (size_t i = 0; i < rows; i++)
                ck_assert(o.b[i * k + t] == was.b[i * k + from]);
            for (size_t l = 0; l < k; l++)
                ck_assert(o.a[t * k + l] == was.a[from * k + order[l]]);
            ck_assert_uint_eq(o.anchor[t], was.anchor[from]);
            ck_assert(o.residual[t] == was.residual[from]);
            ck_assert_mem_eq(o.characteristic + t * LAW_CHARACTERISTIC,
                             was.characteristic + from * LAW_CHARACTERISTIC,
                             LAW_CHARACTERISTIC * sizeof *o.characteristic);
        }
    }
}

TEST(the_floor_follows_the_corpus)
{
    uint64_t df[1000];

    for (size_t i = 0; i < 1000; i++)
        df[i] = 1000;
    ck_assert_uint_eq(law_default_min_df(df, 1000, 1000, 10), 30);
    ck_assert_uint_eq(law_default_min_df(df, 1000, 150000, 10), 50);
    ck_assert_uint_eq(law_default_min_df(df, 1000, 9000000, 10), 100);
    for (size_t i = 0; i < 1000; i++)
        df[i] = i < 190 ? 1000 : 17 + i / 200;
    ck_assert_uint_eq(law_default_min_df(df, 1000, 1000, 10), 21);
    for (size_t i = 0; i < 1000; i++)
        df[i] = 1;
    ck_assert_uint_eq(law_default_min_df(df, 1000, 1000, 10), 2);
}

TEST(no_memory_is_survived)
{
    OWN(model_free) model m = model_make(100, 4, 2);
    const law_input in = input_of(&m, false);

    check_memory(&in);
}
