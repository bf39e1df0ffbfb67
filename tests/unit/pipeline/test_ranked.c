/* SPDX-License-Identifier: MIT */
#include <kedge/model.h>

#include "report/sample.h"

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

START_TEST(ranked_words_come_in_three_orders)
{
    kedge_model *const m = sample_new(false);

    check_rows(m, 0, KEDGE_RANK_PROBABILITY, "1025");
    check_rows(m, 0, KEDGE_RANK_RELEVANCE, "1052");
    check_rows(m, 0, KEDGE_RANK_CHARACTERISTIC, "5432");
    check_rows(m, 1, KEDGE_RANK_PROBABILITY, "42035");
    check_rows(m, 1, KEDGE_RANK_RELEVANCE, "42305");
    check_rows(m, 1, KEDGE_RANK_CHARACTERISTIC, "1054");
    kedge_model_free(m);
}
END_TEST

START_TEST(ranked_words_carry_both_figures_in_every_order)
{
    kedge_model *const m = sample_new(false);

    for (int rank = 0; rank < 3; rank++) {
        kedge_ranked_word out[4];
        kedge_error err = {0};
        uint64_t got;

        ck_ok(kedge_model_top_words(m, 1, (kedge_rank)rank, out, 4, &got,
                                    &err), err);
        ck_assert_uint_eq(got, 4);
        for (size_t i = 0; i < got; i++) {
            const double *const b = m->probabilities + 2 * out[i].row;
            const double own = b[1] * 0.25 / (b[0] * 0.75 + b[1] * 0.25);
            ck_assert_double_eq(out[i].probability, b[1]);
            ck_assert_double_eq(out[i].relevance, b[1] * own);
        }
    }
    kedge_model_free(m);
}
END_TEST

START_TEST(ranked_words_are_no_more_than_asked_for)
{
    kedge_model *const m = sample_new(false);
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
    kedge_model_free(m);
}
END_TEST

START_TEST(ranked_words_refuse_what_is_not_there)
{
    kedge_model *const m = sample_new(false);
    kedge_ranked_word out[2];
    kedge_error err = {0};
    uint64_t got = 9;

    ck_fails(kedge_model_top_words(m, 2, KEDGE_RANK_PROBABILITY, out, 2, &got,
                                   &err),
             KEDGE_EINVAL, err, "there is no topic 2: model k2 has 2");
    ck_assert_uint_eq(got, 0);
    ck_fails(kedge_model_top_words(m, 0, (kedge_rank)3, out, 2, &got, &err),
             KEDGE_EINVAL, err, "no ranking 3");
    ck_fails(kedge_model_top_words(NULL, 0, KEDGE_RANK_RELEVANCE, out, 2,
                                   &got, &err),
             KEDGE_EINVAL, err, "needs a model");
    ck_fails(kedge_model_top_words(m, 0, KEDGE_RANK_RELEVANCE, NULL, 2, &got,
                                   &err),
             KEDGE_EINVAL, err, "room");
    ck_fails(kedge_model_top_words(m, 0, KEDGE_RANK_RELEVANCE, out, 2, NULL,
                                   &err),
             KEDGE_EINVAL, err, "room");
    ck_assert_int_eq(kedge_model_top_words(m, 2, KEDGE_RANK_RELEVANCE, out, 2,
                                           &got, NULL),
                     KEDGE_EINVAL);
    kedge_model_free(m);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        ranked_words_come_in_three_orders,
        ranked_words_carry_both_figures_in_every_order,
        ranked_words_are_no_more_than_asked_for,
        ranked_words_refuse_what_is_not_there,
        NULL,
    };

    return unit_run("ranked", tests);
}
