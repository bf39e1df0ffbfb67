/* SPDX-License-Identifier: MIT */
#include "sketch/pattern.h"

#include <stdlib.h>

#include "base/chance.h"
#include "base/gate.h"
#include "unit.h"

/* Sizes around those of whole pieces, from no pair to every one. */
START_TEST(pairs_have_places_in_their_order)
{
    static const size_t sizes[] = {1, 2, 63, 64, 65, 130, 200};

    for (size_t run = 0; run < 5 * sizeof sizes / sizeof *sizes; run++) {
        const size_t n = sizes[run / 5], share = run % 5;
        chance c = {.key = run};
        kedge_error err = {0};
        pattern p;
        bool *const has = calloc(n * n, sizeof *has);
        uint32_t *const before = calloc(n, sizeof *before);
        uint32_t *const column = calloc(n, sizeof *column);
        size_t place = 0;
        ck_ok(pattern_create(n, &p, &err), err);
        ck_assert_uint_eq(pattern_count(&p), 0);
        for (size_t i = 0; i < n * n; i++)
            if ((has[i] = chance_below(&c, 4) < share))
                pattern_set(pattern_bits(&p, i / n), i % n);
        const size_t pairs = pattern_count(&p);
        for (size_t i = 0; i < n; i++) {
            const size_t count = pattern_columns(&p, i, column);
            size_t at = 0;
            ck_assert_uint_eq(p.start[i], place);
            pattern_before(&p, i, before);
            for (size_t j = 0; j < n; j++) {
                if (!has[i * n + j])
                    continue;
                ck_assert_uint_eq(column[at], j);
                ck_assert_uint_eq(
                    pattern_place(pattern_bits(&p, i), before, j), at);
                at++;
                place++;
            }
            ck_assert_uint_eq(at, count);
        }
        ck_assert_uint_eq(pairs, place);
        pattern_free(&p);
        free(has);
        free(before);
        free(column);
    }
}
END_TEST

START_TEST(no_memory_is_survived)
{
    kedge_error err = {0};
    pattern p;

    for (long k = 0; k < 2; k++) {
        gate_allow(k);
        ck_assert_int_eq(pattern_create(100, &p, &err), KEDGE_ENOMEM);
        gate_open();
        ck_assert_ptr_null(p.bit);
        ck_assert_ptr_null(p.start);
    }
    ck_ok(pattern_create(100, &p, &err), err);
    pattern_free(&p);
    pattern_free(&p);
}
END_TEST

UNIT_SUITE("pattern",
    pairs_have_places_in_their_order,
    no_memory_is_survived)
