/* SPDX-License-Identifier: MIT */
#include "report/textbuf.h"

#include "base/mem.h"
#include "unit.h"

static int allowed;

static bool gate(size_t bytes)
{
    (void)bytes;
    return allowed-- > 0;
}

START_TEST(textbuf_grows)
{
    textbuf t = {0};
    char expected[4001];

    for (size_t i = 0; i < 4000; i++) {
        expected[i] = (char)('a' + i % 26);
        textbuf_add(&t, &expected[i], 1);
    }
    expected[4000] = '\0';
    ck_assert(!t.failed);
    ck_assert_uint_eq(t.size, 4000);
    ck_assert_str_eq(t.bytes, expected);
    textbuf_free(&t);
    ck_assert_ptr_null(t.bytes);
}
END_TEST

START_TEST(textbuf_counts)
{
    textbuf t = {0};

    textbuf_count(&t, 0);
    textbuf_text(&t, " ");
    textbuf_count(&t, UINT64_MAX);
    ck_assert_str_eq(t.bytes, "0 18446744073709551615");
    textbuf_free(&t);
}
END_TEST

START_TEST(textbuf_takes_zeros_and_nothing)
{
    textbuf t = {0};

    textbuf_text(&t, "");
    ck_assert_str_eq(t.bytes, "");
    textbuf_add(&t, NULL, 0);
    textbuf_add(&t, "a\0b", 3);
    ck_assert_uint_eq(t.size, 3);
    ck_assert_mem_eq(t.bytes, "a\0b", 4);
    textbuf_free(&t);
}
END_TEST

START_TEST(textbuf_remembers_that_memory_ran_out)
{
    textbuf t = {0};

    allowed = 1;
    mem_set_gate(gate);
    textbuf_text(&t, "short");
    ck_assert(!t.failed);
    for (int i = 0; i < 10; i++)
        textbuf_text(&t, "and longer");
    mem_set_gate(NULL);
    ck_assert(t.failed);
    textbuf_text(&t, "!");
    ck_assert(t.failed);
    ck_assert_ptr_null(strchr(t.bytes, '!'));
    textbuf_free(&t);
}
END_TEST

UNIT_SUITE("textbuf",
    textbuf_grows,
    textbuf_counts,
    textbuf_takes_zeros_and_nothing,
    textbuf_remembers_that_memory_ran_out)
