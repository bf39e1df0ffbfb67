/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/chance.h"
#include "base/compare.h"

/* Rising. */
static const uint64_t numbers[] = {
    0,
    1,
    2,
    INT32_MAX,
    UINT64_C(1) << 31,
    UINT32_MAX,
    UINT64_C(1) << 32,
    (UINT64_C(1) << 32) + 1,
    INT64_MAX,
    UINT64_C(1) << 63,
    UINT64_MAX,
};

static const size_t count = sizeof numbers / sizeof *numbers;

static int sign(int c)
{
    return (c > 0) - (c < 0);
}

TEST(numbers_have_their_order_to_the_last_bit)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            const int told = i == k ? 0 : i < k ? -1 : 1;
            const uint32_t a = (uint32_t)numbers[i], b = (uint32_t)numbers[k];
            ck_assert_int_eq(sign(compare_numbers(numbers[i], numbers[k])),
                             told);
            ck_assert_int_eq(sign(compare_u64(&numbers[i], &numbers[k])), told);
            if (numbers[i] <= UINT32_MAX && numbers[k] <= UINT32_MAX)
                ck_assert_int_eq(sign(compare_u32(&a, &b)), told);
        }
}

/* Rising; what is behind the end is not looked at. */
TEST(bytes_are_compared_as_far_as_they_go)
{
    static const struct {
        const char *bytes;
        size_t size;
    } all[] = {
        {"zz", 0}, {"\0", 1},  {"\0a", 2}, {"azz", 1},      {"a\0", 2},
        {"ab", 2}, {"abc", 3}, {"b", 1},   {"\xc3\xa9", 2}, {"\xff", 1},
    };
    const size_t n = sizeof all / sizeof *all;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            ck_assert_int_eq(sign(compare_bytes(all[i].bytes, all[i].size,
                                                all[k].bytes, all[k].size)),
                             i == k  ? 0
                             : i < k ? -1
                                     : 1);
    ck_assert_int_eq(compare_bytes(NULL, 0, NULL, 0), 0);
    ck_assert_int_lt(compare_bytes(NULL, 0, "a", 1), 0);
}

TEST(what_is_sorted_rises_and_is_found)
{
    enum { SIZE = 200 };
    uint64_t wide[SIZE];
    uint32_t narrow[SIZE];

    for (uint64_t seed = 1; seed <= 30; seed++) {
        chance c = {.key = seed};
        for (size_t i = 0; i < SIZE; i++) {
            wide[i] = chance_bits(&c);
            narrow[i] = (uint32_t)chance_bits(&c);
        }
        const uint64_t one = wide[seed];
        const uint32_t other = narrow[seed];
        qsort(wide, SIZE, sizeof *wide, compare_u64);
        qsort(narrow, SIZE, sizeof *narrow, compare_u32);
        for (size_t i = 1; i < SIZE; i++) {
            ck_assert_uint_le(wide[i - 1], wide[i]);
            ck_assert_uint_le(narrow[i - 1], narrow[i]);
        }
        ck_assert_ptr_nonnull(
            bsearch(&one, wide, SIZE, sizeof *wide, compare_u64));
        ck_assert_ptr_nonnull(
            bsearch(&other, narrow, SIZE, sizeof *narrow, compare_u32));
    }
}
