/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <kedge/export.h>

#include "base/gate.h"
#include "base/mem.h"

/* Clears what it reads, and dirties it for the next that gets it. */
static bool is_zero(uint8_t *bytes, size_t count)
{
    bool zero = true;

    for (size_t i = 0; i < count; i++)
        zero = zero && bytes[i] == 0;
    memset(bytes, 0xa5, count);
    return zero;
}

TEST(memory_is_zero_and_aligned)
{
    for (int round = 0; round < 3; round++)
        for (size_t n = 0; n < 300; n += 7) {
            uint8_t *one = mem_new(n, 3), *two = mem_new2(n, 5, 2);
            ck_assert_ptr_nonnull(one);
            ck_assert_ptr_nonnull(two);
            ck_assert_uint_eq((uintptr_t)one % 64, 0);
            ck_assert_uint_eq((uintptr_t)two % 64, 0);
            ck_assert(is_zero(one, 3 * n));
            ck_assert(is_zero(two, 10 * n));
            mem_free(one);
            kedge_free(two);
        }
    mem_free(NULL);
}

TEST(products_that_overflow_are_refused)
{
    const size_t half = SIZE_MAX / 2 + 1;

    ck_assert_ptr_null(mem_new(SIZE_MAX, 1));
    ck_assert_ptr_null(mem_new(1, SIZE_MAX));
    ck_assert_ptr_null(mem_new(SIZE_MAX - 63, 1));
    ck_assert_ptr_null(mem_new(half, 2));      /* 0 in size_t */
    ck_assert_ptr_null(mem_new(half + 8, 2));  /* 16 */
    ck_assert_ptr_null(mem_new2(half, 2, 1));
    ck_assert_ptr_null(mem_new2(half, 2, 0));
    ck_assert_ptr_null(mem_new2(2, half / 2, 4));
    ck_assert_ptr_null(mem_new2((size_t)1 << 32, (size_t)1 << 31, 8));
}

TEST(growing_keeps_what_there_is)
{
    OWNED uint32_t *list = NULL;
    size_t capacity = 0, grown = 0;

    ck_assert(mem_grow((void **)&list, &capacity, 0, sizeof *list));
    ck_assert_ptr_null(list);
    for (uint32_t i = 0; i < 100000; i++) {
        const size_t before = capacity;
        if (!mem_grow((void **)&list, &capacity, i + 1, sizeof *list))
            ck_abort_msg("no memory");
        if (capacity != before) {
            ck_assert_uint_ge(capacity, before + before / 3);
            grown++;
        }
        list[i] = ~i; /* no byte of it is zero */
    }
    for (uint32_t i = 0; i < 100000; i++)
        if (list[i] != ~i)
            ck_abort_msg("element %u is lost", i);
    ck_assert_uint_le(grown, 27);
    ck_assert(mem_grow((void **)&list, &capacity, 5000000, sizeof *list));
    ck_assert_uint_ge(capacity, 5000000);
    ck_assert_uint_eq(list[99999], ~UINT32_C(99999));
}

TEST(growing_that_fails_changes_nothing)
{
    char *list = NULL, *before;
    size_t capacity = 0;

    ck_assert(mem_grow((void **)&list, &capacity, 40, 8));
    before = list;
    list[0] = 'x';
    ck_assert(!mem_grow((void **)&list, &capacity, SIZE_MAX, 8));
    ck_assert(!mem_grow((void **)&list, &capacity, SIZE_MAX / 2 + 2, 1));
    ck_assert(!mem_grow((void **)&list, &capacity, SIZE_MAX / 8, 8));
    gate_allow(0);
    ck_assert(!mem_grow((void **)&list, &capacity, capacity + 1, 8));
    ck_assert(mem_grow((void **)&list, &capacity, capacity, 8));
    gate_open();
    ck_assert_ptr_eq(list, before);
    ck_assert_uint_eq(capacity, 48);
    ck_assert_int_eq(list[0], 'x');
    mem_free(list);
}

static size_t asked;

static bool gate_asked(size_t bytes)
{
    asked = bytes;
    return true;
}

TEST(the_gate_decides)
{
    void *some;

    gate_allow(1);
    some = mem_new(1, 1);
    ck_assert_ptr_nonnull(some);
    ck_assert_ptr_null(mem_new(1, 1));
    ck_assert_ptr_null(mem_new2(1, 1, 1));
    ck_assert_ptr_null(mem_strdup("a"));
    mem_set_gate(gate_asked);
    mem_free(some);
    some = mem_new2(10, 10, 8);
    ck_assert_uint_ge(asked, 800);
    ck_assert_uint_le(asked, 800 + 64);
    gate_open();
    mem_free(some);
}

TEST(text_is_copied)
{
    const char text[] = "a text with an end";
    char *copy = mem_strdup(text), *none = mem_strdup("");

    ck_assert_str_eq(copy, text);
    ck_assert_ptr_ne(copy, text);
    ck_assert_str_eq(none, "");
    mem_free(copy);
    mem_free(none);
}
