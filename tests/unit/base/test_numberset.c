/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/chance.h"
#include "base/gate.h"
#include "base/numberset.h"

#define NUMBERS 5000

/* Against a search through all that came before. */
START_TEST(numbers_are_fresh_once)
{
    for (uint64_t seed = 0; seed < 5; seed++) {
        static uint64_t came[NUMBERS];
        numberset s = {0};
        chance c = {.key = seed};
        for (size_t i = 0; i < NUMBERS; i++) {
            bool fresh, known = false;
            came[i] = chance_below(&c, 1 + NUMBERS / (1 + seed));
            for (size_t j = 0; j < i && !known; j++)
                known = came[j] == came[i];
            ck_assert(numberset_add(&s, came[i], &fresh));
            ck_assert(fresh == !known);
        }
        ck_assert_uint_le(8 * s.slots, numberset_memusage(s.count + 1));
        numberset_free(&s);
        ck_assert_ptr_null(s.slot);
    }
}
END_TEST

START_TEST(without_memory_nothing_changes)
{
    numberset s = {0};
    bool fresh;
    uint64_t n = 1;

    gate_allow(0);
    ck_assert(!numberset_add(&s, 7, &fresh));
    gate_open();
    for (; s.slots < 4096; n++)
        ck_assert(numberset_add(&s, n << 20 | n, &fresh) && fresh);
    gate_allow(0);
    while (numberset_add(&s, n << 20 | n, &fresh))
        n++;
    gate_open();
    ck_assert_uint_eq(s.count, n - 1);
    ck_assert(numberset_add(&s, n << 20 | n, &fresh) && fresh);
    ck_assert(numberset_add(&s, 1 << 20 | 1, &fresh) && !fresh);
    numberset_free(&s);
}
END_TEST

UNIT_SUITE("numberset",
    numbers_are_fresh_once,
    without_memory_nothing_changes)
