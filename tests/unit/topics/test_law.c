/* SPDX-License-Identifier: MIT */
#include "topics/law.h"

#include "base/threadranks.h"
#include "base/gate.h"
#include "linalg/tall.h"
#include "topics/separable.h"

TEST(a_separable_model_is_recovered)
{
    for (uint64_t seed = 0; seed < 8; seed++)
        for (int diagonal = 0; diagonal < 2; diagonal++) {
            model m = model_make(300 + 50 * seed, 2 + 2 * seed, seed);
            const law_input in = input_of(&m, diagonal);
            law_output o = fit(&in, 1 + (unsigned)seed % 3);
            check_shape(&o, m.rows, m.k);
            check_recovery(&m, &o);
            ck_assert_uint_eq(o.candidates, m.rows);
            law_free(&o);
            ck_assert_ptr_null(o.b);
            model_free(&m);
        }
}

/* The same model as its weighted statistics D B A B' D show it: Y and sums are
 * those of D C D, scaled to add up to one. */
static double *model_weigh(model *m, uint64_t seed)
{
    const size_t k = m->k;
    chance r = {.key = seed + 77};
    double *const d = dense_new(m->rows, 1), *along = dense_new(k, 1);
    double total = 0;

    for (size_t i = 0; i < m->rows; i++) {
        d[i] = 0.2 + 2 * chance_unit(&r);
        for (size_t c = 0; c < k; c++)
            along[c] += d[i] * m->y[i * k + c];
    }
    for (size_t c = 0; c < k; c++)
        total += along[c] * along[c];
    for (size_t i = 0; i < m->rows; i++) {
        d[i] /= sqrt(total);
        m->sums[i] = 0;
        for (size_t c = 0; c < k; c++) {
            m->y[i * k + c] *= d[i];
            m->sums[i] += m->y[i * k + c] * along[c] / sqrt(total);
        }
    }
    free(along);
    return d;
}

TEST(weights_are_divided_out_again)
{
    for (uint64_t seed = 0; seed < 8; seed++)
        for (int diagonal = 0; diagonal < 2; diagonal++) {
            model m = model_make(300 + 50 * seed, 2 + 2 * seed, seed);
            double *const d = model_weigh(&m, seed);
            law_input in = input_of(&m, diagonal);
            in.weight = d;
            law_output o = fit(&in, 1 + (unsigned)seed % 3);
            check_shape(&o, m.rows, m.k);
            check_recovery(&m, &o);
            law_free(&o);
            free(d);
            model_free(&m);
        }
}

/* A's total stays what it was: it tells how well D C D is met. */
TEST(the_total_is_that_of_the_weighted_model)
{
    model m = model_make(300, 6, 5);
    double *const d = model_weigh(&m, 5), with = 0, without = 0;
    law_input in = input_of(&m, false);

    for (size_t i = 0; i < m.rows * m.k; i++)
        m.y[i] *= 1.25;
    law_output o = fit(&in, 1);
    for (size_t i = 0; i < m.k * m.k; i++)
        without += o.a[i];
    law_free(&o);
    in.weight = d;
    o = fit(&in, 1);
    for (size_t i = 0; i < m.k * m.k; i++)
        with += o.a[i];
    ck_assert_double_eq_tol(without, 1.25 * 1.25, 1e-4);
    ck_assert_double_eq_tol(with, without, 1e-12);
    law_free(&o);
    free(d);
    model_free(&m);
}

/* From the topics that were found, put out of order, to the correlations that
 * were found. */
static void check_correlate(uint64_t seed, bool weighted, bool diagonal)
{
    const size_t k = 2 + seed;
    model m = model_make(200 + 30 * seed, k, seed);
    double *const d = weighted ? model_weigh(&m, seed) : NULL;
    law_input in = input_of(&m, diagonal);
    pool *const p = dense_pool(2);
    kedge_error err = {0};
    size_t order[16];

    in.weight = d;
    law_output o = fit(&in, 1), was = fit(&in, 1);
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
    pool_free(p);
    law_free(&o);
    law_free(&was);
    free(d);
    model_free(&m);
}

TEST(correlations_are_found_again)
{
    for (uint64_t seed = 0; seed < 8; seed++)
        for (int kind = 0; kind < 4; kind++)
            check_correlate(seed, kind / 2 == 1, kind % 2 == 1);
}

/* With other topics: (Y - B G)'B = 0 for A = G G' says that G is the best. */
TEST(correlations_are_those_of_the_topics_given)
{
    model m = model_make(200, 4, 6);
    const law_input in = input_of(&m, false);
    law_output o = fit(&in, 1);
    pool *const p = dense_pool(1);
    kedge_error err = {0};
    chance r = {.key = 5};

    for (size_t i = 0; i < 800; i++)
        o.b[i] += o.b[i] * chance_unit(&r) * 0.5;
    for (size_t t = 0; t < 4; t++) {
        double sum = 0;
        for (size_t i = 0; i < 200; i++)
            sum += o.b[i * 4 + t];
        for (size_t i = 0; i < 200; i++)
            o.b[i * 4 + t] /= sum;
    }
    ck_ok(law_correlate(p, &in, &o, &err), err);
    double *const bb = dense_times(dense_turned(o.b, 4), dense_as(o.b, 4), 4,
                                   200, 4);
    double *const by = dense_times(dense_turned(o.b, 4), dense_as(m.y, 4), 4,
                                   200, 4);
    double *const half = dense_times(dense_as(bb, 4), dense_as(o.a, 4), 4, 4,
                                     4);
    double *const left = dense_times(dense_as(half, 4), dense_as(bb, 4), 4, 4,
                                     4);
    double *const right = dense_times(dense_as(by, 4), dense_turned(by, 4), 4,
                                      4, 4);
    ck_assert_double_lt(dense_distance(left, right, 16),
                        1e-10 * dense_norm(right, 16));
    free(bb);
    free(by);
    free(half);
    free(left);
    free(right);
    pool_free(p);
    law_free(&o);
    model_free(&m);
}

TEST(one_topic_is_a_model_too)
{
    model m = model_make(50, 1, 3);
    const law_input in = input_of(&m, false);
    law_output o = fit(&in, 1);

    check_shape(&o, 50, 1);
    ck_assert_double_eq_tol(o.a[0], 1, 1e-9);
    for (size_t i = 0; i < 50; i++)
        ck_assert_double_eq_tol(o.b[i], m.b[i], 1e-9);
    law_free(&o);
    model_free(&m);
}

TEST(threads_leave_no_trace)
{
    model m = model_make(1500, 6, 5);
    const law_input in = input_of(&m, false);
    law_output one = fit(&in, 1);

    for (unsigned threads = 2; threads <= 3; threads++) {
        law_output o = fit(&in, threads);
        ck_assert_mem_eq(o.b, one.b, m.rows * 6 * sizeof *o.b);
        ck_assert_mem_eq(o.a, one.a, 36 * sizeof *o.a);
        ck_assert_mem_eq(o.anchor, one.anchor, 6 * sizeof *o.anchor);
        law_free(&o);
    }
    law_free(&one);
    model_free(&m);
}

/* Rare words stick out further than the anchors and must not be taken. */
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
    pool *p = dense_pool(1 + t->rank % 2);
    tall_part own;
    law_output o;

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
    law_free(&o);
    pool_free(p);
}

/* Several processes with some rows each come to what one has of all. */
TEST(ranks_leave_no_trace)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        model m = model_make(seed < 2 ? 1500 : 70, 6, seed);
        double *weight = seed % 2 == 0 ? model_weigh(&m, seed) : NULL;
        law_input in = input_of(&m, seed == 3);
        in.weight = weight;
        law_output alone = fit(&in, 2);
        joint j = {&in, &alone};
        for (unsigned size = 1; size <= THREADRANKS_MOST; size += 1 + size / 4)
            threadranks_run(size, fit_part, &j);
        law_free(&alone);
        free(weight);
        model_free(&m);
    }
}

static void fit_refused(void *data, communicator *t)
{
    law_input in = *(const law_input *)data;
    kedge_error err = {0};
    pool *p = dense_pool(1);
    law_output o;

    pool_set_comm(p, t);
    ck_fails(law_fit(p, &in, &o, &err), KEDGE_EINVAL, err,
             "several processes together");
    pool_free(p);
}

TEST(other_ways_are_one_process_s)
{
    model m = model_make(90, 4, 1);
    law_input in = input_of(&m, false), other = in;

    other.ways.anchors = KEDGE_ANCHORS_SPA;
    threadranks_run(2, fit_refused, &other);
    other = in;
    other.ways.recover = KEDGE_RECOVER_KL;
    threadranks_run(2, fit_refused, &other);
    model_free(&m);
}

TEST(rare_words_are_no_anchors)
{
    model m = model_make(300, 5, 6);
    const law_input in = input_of(&m, false);

    for (size_t t = 0; t < 5; t++) {
        /* outside the simplex of the anchors, with a positive sum */
        const size_t rare = m.anchor[t] + 1;
        for (size_t c = 0; c < 5; c++)
            m.y[rare * 5 + c] = 1e-3 * m.y[m.anchor[t] * 5 + c] * 2 -
                                1e-3 * m.y[m.anchor[(t + 1) % 5] * 5 + c];
        m.df[rare] = 9;
    }
    law_output o = fit(&in, 1);
    size_t topic[5];
    check_shape(&o, m.rows, 5);
    match(&m, &o, topic);
    ck_assert_uint_eq(o.candidates, 295);
    law_free(&o);
    model_free(&m);
}

TEST(rows_without_a_positive_sum_are_borne)
{
    for (int diagonal = 0; diagonal < 2; diagonal++) {
        model m = model_make(400, 6, 9);
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
        law_output o = fit(&in, 2);
        check_shape(&o, m.rows, 6);
        match(&m, &o, topic);
        for (size_t c = 0; c < 6; c++) {
            ck_assert_double_eq(o.b[11 * 6 + c], 0);
            ck_assert_double_eq(o.b[20 * 6 + c], 0);
        }
        for (size_t i = 0; i < 36; i++)
            ck_assert(isfinite(o.a[i]));
        ck_assert_uint_eq(o.candidates, 400 - 5);
        law_free(&o);
        model_free(&m);
    }
}

TEST(too_few_candidates_are_told)
{
    model m = model_make(200, 6, 1);
    law_input in = input_of(&m, false);
    kedge_error err = {0};
    law_output o;
    pool *p = dense_pool(1);

    blas_begin(4, NULL);
    in.min_df = 51;
    ck_fails(law_fit(p, &in, &o, &err), KEDGE_ENUMERIC, err,
             "0 words are in 51 documents or more");
    ck_assert_ptr_null(o.b);
    for (size_t i = 0; i < 5; i++)
        m.df[i] = 60;
    ck_fails(law_fit(p, &in, &o, &err), KEDGE_ENUMERIC, err,
             "--anchor-min-df");
    in.min_df = 10; /* an Y of lower rank: no six anchors either */
    for (size_t i = 0; i < m.rows; i++)
        m.y[i * 6 + 2] = 2 * m.y[i * 6 + 1];
    ck_fails(law_fit(p, &in, &o, &err), KEDGE_ENUMERIC, err, "only 5 of");
    ck_assert_ptr_null(o.b);
    pool_free(p);
    model_free(&m);
}

/* The largest Y_s·Y_i, falling. */
TEST(characteristic_words_co_occur_most)
{
    for (size_t rows = 30; rows <= 300; rows += 90) {
        model m = model_make(rows, 4, rows);
        const law_input in = input_of(&m, false);
        law_output o = fit(&in, 1);
        double *c = dense_times(dense_as(m.y, 4), dense_turned(m.y, 4), rows,
                                4, rows);
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
        free(c);
        law_free(&o);
        model_free(&m);
    }
}

/* Row i, column j of the result is where it says; nothing else moves. */
TEST(topics_can_be_numbered_anew)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        const size_t k = 2 + seed, rows = 100;
        model m = model_make(rows, k, seed);
        const law_input in = input_of(&m, false);
        law_output o = fit(&in, 1), was = fit(&in, 1);
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
        law_free(&o);
        law_free(&was);
        model_free(&m);
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
    model m = model_make(100, 4, 2);
    const law_input in = input_of(&m, false);
    kedge_error err = {0};
    pool *p = dense_pool(2);

    blas_begin(4, NULL);
    GATE_LOOP {
        law_output o;
        GATE_TRY(law_fit(p, &in, &o, &err));
        ck_assert((o.b == NULL) == (gate_status != KEDGE_OK));
        law_free(&o);
    }
    pool_free(p);
    model_free(&m);
}
