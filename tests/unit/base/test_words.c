/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <stdio.h>

#include "base/gate.h"
#include "base/words.h"

static void add(words *w, const char *text, size_t size)
{
    if (!words_add(w, text, size))
        ck_abort_msg("no memory");
}

TEST(words_come_back_with_a_zero_behind)
{
    words w = {0};
    char text[32];

    for (unsigned i = 0; i < 3000; i++)
        add(&w, text, (size_t)snprintf(text, sizeof text, "%x", i * i));
    add(&w, "", 0);
    add(&w, "a\0b", 3);
    ck_assert_uint_eq(w.count, 3002);
    for (unsigned i = 0; i < 3000; i++) {
        const int n = snprintf(text, sizeof text, "%x", i * i);
        if (words_size(&w, i) != (size_t)n ||
            strcmp(words_get(&w, i), text) != 0)
            ck_abort_msg("word %u", i);
    }
    ck_assert_uint_eq(words_size(&w, 3000), 0);
    ck_assert_str_eq(words_get(&w, 3000), "");
    ck_assert_uint_eq(words_size(&w, 3001), 3);
    ck_assert_mem_eq(words_get(&w, 3001), "a\0b", 4);
    words_free(&w);
    ck_assert_uint_eq(w.count, 0);
    words_free(&w);
}

TEST(order_is_that_of_unsigned_bytes)
{
    static const struct {
        const char *text;
        size_t size;
    } rising[] = {{"", 0},     {"\0", 1},      {"\0\0", 2},   {"A", 1},
                  {"a", 1},    {"a\0", 2},     {"a\0b", 3},   {"aa", 2},
                  {"ab", 2},   {"b", 1},       {"\x7f", 1},   {"\x80", 1},
                  {"\xc3\xa4", 2}, {"\xff", 1}, {"\xff\xff", 2}};
    const size_t n = sizeof rising / sizeof *rising;
    OWN(words_free) words w = {0};
    OWNED uint32_t *order = NULL;
    size_t twin;

    for (size_t i = 0; i < n; i++) {
        const size_t from = i * 7 % n; /* 7 and 15 have no common factor */
        add(&w, rising[from].text, rising[from].size);
    }
    order = words_order(&w, &twin);
    ck_assert_uint_eq(twin, SIZE_MAX);
    for (size_t r = 0; r < n; r++) {
        ck_assert_uint_eq(words_size(&w, order[r]), rising[r].size);
        ck_assert_uint_eq(order[r] * 7 % n, r);
    }
}

TEST(twins_are_found)
{
    OWN(words_free) words w = {0};
    uint32_t *order;
    size_t twin;

    add(&w, "c", 1);
    add(&w, "b", 1);
    add(&w, "b\0", 2);
    add(&w, "a", 1);
    order = words_order(&w, &twin);
    ck_assert_uint_eq(twin, SIZE_MAX);
    mem_free(order);
    add(&w, "b", 1);
    add(&w, "c", 1);
    order = words_order(&w, &twin);
    ck_assert_uint_eq(twin, 1);
    ck_assert_str_eq(words_get(&w, order[1]), "b");
    ck_assert_str_eq(words_get(&w, order[2]), "b");
    ck_assert_uint_eq(words_size(&w, order[2]), 1);
    mem_free(order);
}

TEST(an_empty_list_has_an_order)
{
    words w = {0};
    size_t twin = 0;
    OWNED uint32_t *order = words_order(&w, &twin);

    ck_assert_ptr_nonnull(order);
    ck_assert_uint_eq(twin, SIZE_MAX);
}

TEST(adding_that_fails_changes_nothing)
{
    OWN(words_free) words w = {0};
    unsigned failed = 0;
    size_t twin;

    for (unsigned i = 0; i < 200; i++) {
        char text[16];
        const size_t n = (size_t)snprintf(text, sizeof text, "w%03u", i);
        for (long k = 0;; k++) {
            gate_allow(k);
            const bool done = words_add(&w, text, n);
            gate_open();
            ck_assert_uint_eq(w.count, done ? i + 1 : i);
            if (done)
                break;
            failed++;
        }
    }
    ck_assert_uint_gt(failed, 5);
    gate_allow(0);
    ck_assert_ptr_null(words_order(&w, &twin));
    gate_open();
    for (unsigned i = 0; i < 200; i++) {
        char text[16];
        snprintf(text, sizeof text, "w%03u", i);
        ck_assert_str_eq(words_get(&w, i), text);
    }
}
