/* SPDX-License-Identifier: MIT */
#include <kedge/model.h>

#include "export/sample.h"

static void check_rows(const kedge_model *m, uint64_t topic, kedge_rank rank,
                       const char *expected)
{
    kedge_ranked_word out[SAMPLE_WORDS + 2];
    kedge_error err = {0};
    char rows[64] = "";
    uint64_t got;

    ck_ok(kedge_model_top_words(m, topic, rank, out, SAMPLE_WORDS + 2, &got,
                                &err), err);
    for (size_t i = 0; i < got; i++)
        rows[i] = (char)('0' + out[i].row);
    ck_assert_str_eq(rows, expected);
}

TEST(ranked_words_come_in_three_orders)
{
    OWN(model_end) kedge_model *m = sample_new(false);

    check_rows(m, 0, KEDGE_RANK_PROBABILITY, "1025");
    check_rows(m, 0, KEDGE_RANK_RELEVANCE, "1052");
    check_rows(m, 0, KEDGE_RANK_ANCHOR, "5432");
    check_rows(m, 1, KEDGE_RANK_PROBABILITY, "42035");
    check_rows(m, 1, KEDGE_RANK_RELEVANCE, "42305");
    check_rows(m, 1, KEDGE_RANK_ANCHOR, "1054");
}

TEST(ranked_words_are_no_more_than_asked_for)
{
    OWN(model_end) kedge_model *m = sample_new(false);
    kedge_ranked_word out[2] = {{.row = 77}, {.row = 77}};
    kedge_error err = {0};
    uint64_t got = 9;

    for (int rank = 0; rank < 3; rank++) {
        out[1].row = 77;
        ck_ok(kedge_model_top_words(m, 0, (kedge_rank)rank, out, 1, &got,
                                    &err), err);
        ck_assert_uint_eq(got, 1);
        ck_assert_uint_eq(out[1].row, 77);
        ck_ok(kedge_model_top_words(m, 0, (kedge_rank)rank, NULL, 0, &got,
                                    &err), err);
        ck_assert_uint_eq(got, 0);
    }
}

TEST(ranked_words_refuse_what_is_not_there)
{
    OWN(model_end) kedge_model *m = sample_new(false);
    kedge_ranked_word out[2];
    kedge_error err = {0};
    uint64_t got = 9;

    ck_fails(kedge_model_top_words(m, 2, KEDGE_RANK_PROBABILITY, out, 2, &got,
                                   &err),
             KEDGE_EINVAL, err, "there is no topic 2: model k2 has 2");
    ck_assert_uint_eq(got, 0);
    ck_fails(kedge_model_top_words(m, 0, (kedge_rank)4, out, 2, &got, &err),
             KEDGE_EINVAL, err, "unknown ranking of words: 4");
    ck_fails(kedge_model_top_words(NULL, 0, KEDGE_RANK_RELEVANCE, out, 2,
                                   &got, &err),
             KEDGE_EINVAL, err, "model is NULL");
    ck_fails(kedge_model_top_words(m, 0, KEDGE_RANK_RELEVANCE, NULL, 2, &got,
                                   &err),
             KEDGE_EINVAL, err, "out is NULL");
    ck_fails(kedge_model_top_words(m, 0, KEDGE_RANK_RELEVANCE, out, 2, NULL,
                                   &err),
             KEDGE_EINVAL, err, "got is NULL");
    ck_assert_int_eq(kedge_model_top_words(m, 2, KEDGE_RANK_RELEVANCE, out, 2,
                                           &got, NULL),
                     KEDGE_EINVAL);
}

/* Weights are 1, 2, 4, 1, 2, 4. */
TEST(ranked_words_by_their_weights)
{
    OWN(model_end) kedge_model *m = sample_new(false);
    kedge_ranked_word out[4];
    kedge_error err = {0};
    uint64_t got;

    check_rows(m, 0, KEDGE_RANK_WEIGHTED, "1025");
    check_rows(m, 0, KEDGE_RANK_RELEVANCE, "1052");
    sample_weigh(m);
    check_rows(m, 0, KEDGE_RANK_PROBABILITY, "1025");
    check_rows(m, 0, KEDGE_RANK_WEIGHTED, "1250");
    check_rows(m, 0, KEDGE_RANK_RELEVANCE, "1052"); /* as before */
    ck_ok(kedge_model_top_words(m, 0, KEDGE_RANK_WEIGHTED, out, 4, &got, &err),
          err);
    for (size_t i = 0; i < got; i++) {
        const size_t at = 2 * out[i].row;
        const double *const b = m->probabilities + at;
        const double own = b[0] * 0.75 / (b[0] * 0.75 + b[1] * 0.25);
        ck_assert_double_eq(out[i].probability, b[0]);
        ck_assert_double_eq(out[i].weighted, m->weighted[at]);
        ck_assert_double_eq_tol(out[i].relevance,
                                pow(b[0], 2 * KEDGE_LAMBDA) *
                                    pow(own, 2 - 2 * KEDGE_LAMBDA), 1e-15);
    }
}

TEST(relevance_has_a_lambda)
{
    static const double bad[] = {-0.1, 1.1, NAN};
    OWN(model_end) kedge_model *m = sample_new(false);
    kedge_ranked_word one[6], other[6];
    kedge_error err = {0};
    uint64_t got, same;

    ck_ok(kedge_model_relevant_words(m, 1, KEDGE_LAMBDA, one, 6, &got, &err),
          err);
    ck_ok(kedge_model_top_words(m, 1, KEDGE_RANK_RELEVANCE, other, 6, &same,
                                &err), err);
    ck_assert_uint_eq(got, same);
    ck_assert_mem_eq(one, other, got * sizeof *one);
    ck_ok(kedge_model_relevant_words(m, 1, 1, one, 6, &got, &err), err);
    ck_ok(kedge_model_top_words(m, 1, KEDGE_RANK_PROBABILITY, other, 6, &same,
                                &err), err);
    for (size_t i = 0; i < got; i++)
        ck_assert_uint_eq(one[i].row, other[i].row);
    ck_ok(kedge_model_relevant_words(m, 1, 0, one, 6, &got, &err), err);
    ck_assert_uint_eq(one[0].row, 3); /* in no other topic, like 4 */
    ck_assert_uint_eq(one[1].row, 4);
    for (size_t i = 0; i < 3; i++)
        ck_fails(kedge_model_relevant_words(m, 1, bad[i], one, 6, &got, &err),
                 KEDGE_EINVAL, err, "from 0 to 1");
    ck_fails(kedge_model_relevant_words(m, 2, 0.5, one, 6, &got, &err),
             KEDGE_EINVAL, err, "no topic 2");
    ck_fails(kedge_model_relevant_words(NULL, 0, 0.5, one, 6, &got, &err),
             KEDGE_EINVAL, err, "model is NULL");
}
