/* SPDX-License-Identifier: MIT */
#include "measure/overlap.h"

#include "base/chance.h"
#include "base/gate.h"
#include "unit.h"

#define STRIDE 7

static bool has(const uint32_t *list, size_t count, uint32_t word)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == word)
            return true;
    return false;
}

/* All lists against all others. */
static overlap naive(const uint32_t *word, const size_t *count, size_t lists)
{
    overlap out = {0};
    size_t places = 0, again = 0;

    for (size_t l = 0; l < lists; l++)
        for (size_t i = 0; i < count[l]; i++) {
            bool alone = true, before = false;
            for (size_t o = 0; o < lists; o++) {
                const bool both = o != l && has(word + o * STRIDE, count[o],
                                                word[l * STRIDE + i]);
                out.shared += both ? 0.5 : 0;
                alone &= !both;
                before |= both && o < l;
            }
            out.alone += alone ? 1 / (double)lists : 0;
            places++;
            again += before;
        }
    out.distinct = (double)(places - again) / (double)places;
    return out;
}

START_TEST(lists_are_held_against_each_other)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint32_t word[6 * STRIDE];
        size_t count[6];
        chance c = {.key = seed};
        kedge_error err = {0};
        overlap out;
        for (size_t l = 0; l < 6; l++) {
            const size_t n = chance_below(&c, STRIDE) + 1;
            for (count[l] = 0; count[l] < n;) {
                const uint32_t w = (uint32_t)chance_below(&c, 12 + seed);
                if (!has(word + l * STRIDE, count[l], w))
                    word[l * STRIDE + count[l]++] = w;
            }
        }
        ck_ok(overlap_find(word, STRIDE, count, 6, 12 + seed, &out, &err),
              err);
        const overlap want = naive(word, count, 6);
        ck_assert_double_eq_tol(out.alone, want.alone, 1e-12);
        ck_assert_double_eq_tol(out.shared, want.shared, 1e-12);
        ck_assert_double_eq_tol(out.distinct, want.distinct, 1e-12);
    }
}
END_TEST

START_TEST(equal_lists_share_all_and_none_of_them_none)
{
    const uint32_t word[] = {0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};
    const size_t two[] = {2, 2}, none[] = {0, 0};
    kedge_error err = {0};
    overlap out;

    ck_ok(overlap_find(word, STRIDE, two, 2, 3, &out, &err), err);
    ck_assert_double_eq(out.alone, 0);
    ck_assert_double_eq(out.shared, 2);
    ck_assert_double_eq(out.distinct, 0.5);
    ck_ok(overlap_find(word, STRIDE, none, 2, 3, &out, &err), err);
    ck_assert_double_eq(out.distinct, 0);
    gate_allow(0);
    ck_assert_int_eq(overlap_find(word, STRIDE, two, 2, 3, &out, &err),
                     KEDGE_ENOMEM);
    gate_open();
}
END_TEST

UNIT_SUITE("overlap",
    lists_are_held_against_each_other,
    equal_lists_share_all_and_none_of_them_none)
