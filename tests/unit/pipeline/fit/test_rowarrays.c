/* SPDX-License-Identifier: MIT */
#include "pipeline/fit/rowarrays.h"

#include "base/gate.h"
#include "base/hash.h"
#include "unit.h"

static const double sums[] = {1, 3, 4};
static const uint32_t ids[] = {7, 0, 2};
static const uint64_t tf[] = {10, 20, 30}, df[] = {1, 2, 3};
static const rowarrays_input in = {sums, ids, tf, df};

START_TEST(rows_are_what_they_were)
{
    kedge_error err = {0};
    kedge_model *m = mem_new(1, sizeof *m);

    m->words = 3;
    ck_ok(rowarrays_make(&in, m, &err), err);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_double_eq(m->word_probability[i], sums[i] / 8);
        ck_assert_double_eq(m->ids[i], ids[i]);
        ck_assert_double_eq(m->tf[i], (double)tf[i]);
        ck_assert_double_eq(m->df[i], (double)df[i]);
    }
    kedge_model_free(m);
}
END_TEST

START_TEST(small_has_each_list_after_the_other)
{
    static const double expected[] = {5, 2, 0.5, 0.25, 0, 1, 2, 40, 41, 42};
    uint64_t anchor[] = {5, 2}, list[2 * LAW_CHARACTERISTIC];
    double residual[] = {0.5, 0.25};
    const law_output t = {.anchor = anchor, .residual = residual,
                          .characteristic = list, .characteristic_count = 3};
    kedge_error err = {0};
    kedge_model *m = mem_new(1, sizeof *m);

    for (size_t i = 0; i < 2 * LAW_CHARACTERISTIC; i++)
        list[i] = i;
    m->topics = 2;
    ck_ok(rowarrays_small(&t, m, &err), err);
    ck_assert_uint_eq(m->characteristic_count, 3);
    ck_assert_mem_eq(m->small, expected, sizeof expected);
    kedge_model_free(m);
}
END_TEST

START_TEST(digests_are_of_words_in_their_order)
{
    static const uint32_t order[] = {1, 0};
    words list = {0};

    ck_assert(words_add(&list, "b", 1) && words_add(&list, "a", 1));
    ck_assert_uint_eq(rowarrays_digest(&list, order, 2),
                      hash_bytes(hash_bytes(0, "a", 1), "b", 1));
    words_free(&list);
}
END_TEST

START_TEST(no_memory_is_survived)
{
    kedge_error err = {0};

    for (long k = 0; k <= 4; k++) {
        kedge_model *m = mem_new(1, sizeof *m);
        m->words = 3;
        gate_allow(k);
        const kedge_status st = rowarrays_make(&in, m, &err);
        gate_open();
        ck_assert_int_eq(st, k < 4 ? KEDGE_ENOMEM : KEDGE_OK);
        kedge_model_free(m);
    }
}
END_TEST

UNIT_SUITE("rowarrays",
    rows_are_what_they_were,
    small_has_each_list_after_the_other,
    digests_are_of_words_in_their_order,
    no_memory_is_survived)
