/* SPDX-License-Identifier: MIT */
#include "measure/lists.h"

#include "base/gate.h"

static uint64_t covered(const lists *l)
{
    uint64_t sum = 0;

    for (size_t m = 0; m < l->s.d.count; m++) {
        bool any = false;
        for (size_t list = 0; list < LISTS; list++) {
            size_t held = 0;
            for (size_t i = 0; i < LISTS_LEAD && i < l->count[list]; i++)
                held += lists_holds(&l->s.d, m,
                                    l->word[list * TOGETHER_MOST + i]);
            any |= held >= 2;
        }
        sum += any;
    }
    return sum;
}

START_TEST(pairs_are_counted_as_by_hand)
{
    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        lists l;
        lists_begin(&l, kind, 1 + kind);
        for (size_t list = 0; list < LISTS; list++) {
            const uint32_t *const w = l.word + list * TOGETHER_MOST;
            for (size_t i = 0; i < l.count[list]; i++)
                for (size_t j = 0; j < l.count[list]; j++) {
                    ck_assert_uint_eq(together_documents(l.t, list, i, j),
                                      lists_documents(&l, w[i], w[j]));
                    if (i == j)
                        continue;
                    const double c = l.s.c[w[i] * LISTS_ROWS + w[j]];
                    ck_assert_double_eq_tol(
                        together_weight(l.t, list, i, j) / l.s.total, c, 1e-9);
                }
        }
        ck_assert_uint_eq(together_covered(l.t), covered(&l));
        ck_assert_uint_gt(together_covered(l.t), 0);
        ck_assert_uint_lt(together_covered(l.t), l.s.d.count);
        lists_end(&l);
    }
}
END_TEST

START_TEST(threads_leave_no_trace)
{
    lists one, four;

    lists_begin(&one, STATISTIC_LOG, 1);
    lists_begin(&four, STATISTIC_LOG, 4);
    for (size_t list = 1; list < LISTS; list++)
        for (size_t i = 1; i < one.count[list]; i++)
            ck_assert_double_eq(together_weight(one.t, list, i, i - 1),
                                together_weight(four.t, list, i, i - 1));
    lists_end(&one);
    lists_end(&four);
}
END_TEST

START_TEST(no_memory_leaves_nothing)
{
    kedge_error err = {0};
    kedge_status st = KEDGE_ENOMEM;
    lists l;

    lists_begin(&l, STATISTIC_JOINT, 2);
    const together_input in = lists_input(&l);
    for (long k = 0; st != KEDGE_OK; k++) {
        together *t;
        gate_allow(k);
        st = together_create(&in, &t, &err);
        gate_open();
        ck_assert((st == KEDGE_OK) == (t != NULL));
        together_free(t);
    }
    lists_end(&l);
}
END_TEST

UNIT_SUITE("together",
    pairs_are_counted_as_by_hand,
    threads_leave_no_trace,
    no_memory_leaves_nothing)
