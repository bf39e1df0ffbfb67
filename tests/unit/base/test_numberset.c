/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/chance.h"
#include "base/gate.h"
#include "base/numberset.h"

#define NUMBERS 5000

/* Against an array of how many there are. */
TEST(numbers_come_and_go)
{
    for (uint64_t seed = 0; seed < 5; seed++) {
        static uint32_t times[NUMBERS];
        const uint64_t range = NUMBERS / (1 + seed);
        numberset s = {0};
        chance c = {.key = seed};
        memset(times, 0, sizeof times);
        ck_assert(!numberset_has(&s, 0));
        for (size_t i = 0; i < 4 * NUMBERS; i++) {
            const uint64_t n = 2 + chance_below(&c, range - 2);
            ck_assert(numberset_has(&s, n) == (times[n] > 0));
            if (times[n] > 0 && chance_below(&c, 2) == 0) {
                numberset_remove(&s, n);
                times[n]--;
            } else {
                ck_assert(numberset_add(&s, n));
                times[n]++;
            }
        }
        for (uint64_t n = 0; n < range; n++)
            ck_assert(numberset_has(&s, n) == (times[n] > 0));
        ck_assert(numberset_add(&s, 0) && numberset_has(&s, 0));
        numberset_remove(&s, 0);
        ck_assert(!numberset_has(&s, 0));
        numberset_free(&s);
        ck_assert_ptr_null(s.number);
    }
}

TEST(without_memory_nothing_changes)
{
    OWN(numberset_free) numberset s = {0};
    uint64_t n = 1;

    gate_allow(0);
    ck_assert(!numberset_add(&s, 7));
    gate_allow(1);
    ck_assert(!numberset_add(&s, 7) && !numberset_has(&s, 7));
    gate_open();
    for (; s.slots < 4096; n++)
        ck_assert(numberset_add(&s, n << 20 | n));
    gate_allow(0);
    while (numberset_add(&s, n << 20 | n))
        n++;
    gate_open();
    ck_assert_uint_eq(s.count, n - 1);
    ck_assert(!numberset_has(&s, n << 20 | n));
    ck_assert(numberset_add(&s, n << 20 | n));
    ck_assert(numberset_has(&s, 1 << 20 | 1));
}
