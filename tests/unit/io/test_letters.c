/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <stdio.h>
#include <utf8proc.h>

#include "base/chance.h"
#include "base/gate.h"
#include "io/text/letters.h"

static letters *make(void)
{
    kedge_error err = {0};
    letters *l = NULL;

    ck_ok(letters_create(&l, &err), err);
    return l;
}

static bool is_surrogate(uint32_t c)
{
    return c >= 0xd800 && c <= 0xdfff;
}

static bool in_words(uint32_t c)
{
    const letter a = letters_get(NULL, c);

    return a.kind != LETTER_NONE && a.kind != LETTER_SILENT;
}

/* ---- UTF-8 --------------------------------------------------------------- */

TEST(points_come_back)
{
    for (uint32_t c = 0; c < 0x110000; c++) {
        char bytes[4];
        uint32_t point = 1;
        if (is_surrogate(c))
            continue;
        const unsigned size = utf8_put(bytes, c);
        ck_assert_uint_eq(utf8_take(bytes, bytes + size, &point), size);
        ck_assert_uint_eq(point, c);
        for (unsigned less = 1; less < size; less++)
            ck_assert_uint_eq(utf8_take(bytes, bytes + less, &point), 0);
    }
}

/* Any four bytes, most of them nearly right, against utf8proc. */
TEST(bytes_are_points_or_none)
{
    chance c = {.key = 3};

    for (int i = 0; i < 2000000; i++) {
        utf8proc_uint8_t bytes[4];
        utf8proc_int32_t expected;
        uint32_t point = 0;
        bytes[0] = (utf8proc_uint8_t)chance_below(&c, 256);
        for (int k = 1; k < 4; k++)
            bytes[k] = (utf8proc_uint8_t)(chance_below(&c, 8) == 0
                                              ? chance_below(&c, 256)
                                              : 0x80 + chance_below(&c, 64));
        const utf8proc_ssize_t n = utf8proc_iterate(bytes, 4, &expected);
        const unsigned size =
            utf8_take((char *)bytes, (char *)bytes + 4, &point);
        ck_assert_int_eq((utf8proc_ssize_t)size, n < 0 ? 0 : n);
        if (n > 0)
            ck_assert_int_eq((utf8proc_int32_t)point, expected);
    }
}

/* ---- kinds --------------------------------------------------------------- */

TEST(characters_have_kinds)
{
    static const struct {
        uint32_t point;
        letter_kind kind;
    } cases[] = {
        {0, LETTER_NONE},          {' ', LETTER_NONE},
        {'a', LETTER_BASE},        {'Z', LETTER_BASE},
        {'7', LETTER_DIGIT},       {'\'', LETTER_JOINER},
        {'.', LETTER_DOT},         {'-', LETTER_NONE},
        {'_', LETTER_NONE},        {0xad, LETTER_SILENT},
        {0xb2, LETTER_NONE},       {0xb7, LETTER_JOINER},
        {0x2bb, LETTER_BASE},      {0x301, LETTER_MARK},
        {0x345, LETTER_MARK},      {0x387, LETTER_JOINER},
        {0x5f3, LETTER_JOINER},    {0x5b8, LETTER_MARK},
        {0x640, LETTER_SILENT},    {0x663, LETTER_DIGIT},
        {0x93f, LETTER_MARK},      {0xe33, LETTER_MARK},
        {0x1161, LETTER_BASE},     {0x200b, LETTER_NONE},
        {0x200c, LETTER_SILENT},   {0x200d, LETTER_SILENT},
        {0x2019, LETTER_JOINER},   {0x20dd, LETTER_NONE},
        {0x2122, LETTER_NONE},     {0x2163, LETTER_BASE},
        {0x2160, LETTER_BASE},     {0x2fb8, LETTER_IDEOGRAPH},
        {0x3005, LETTER_IDEOGRAPH},{0x3007, LETTER_IDEOGRAPH},
        {0x304b, LETTER_IDEOGRAPH},{0x3099, LETTER_MARK},
        {0x30ab, LETTER_BASE},     {0x30fc, LETTER_BASE},
        {0x4e00, LETTER_IDEOGRAPH},{0xac00, LETTER_BASE},
        {0xe000, LETTER_NONE},     {0xf900, LETTER_IDEOGRAPH},
        {0xfe0f, LETTER_SILENT},   {0xfeff, LETTER_SILENT},
        {0xff07, LETTER_JOINER},   {0xff11, LETTER_DIGIT},
        {0xff9e, LETTER_MARK},     {0xfffd, LETTER_NONE},
        {0x1f600, LETTER_NONE},    {0x20000, LETTER_IDEOGRAPH},
        {0xe0001, LETTER_SILENT},  {0x10ffff, LETTER_NONE},
    };
    OWNED letters *l = make();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(letters_get(l, cases[i].point).kind == cases[i].kind,
                      "U+%04X: %d", cases[i].point,
                      letters_get(l, cases[i].point).kind);
}

TEST(the_table_has_what_is_found_out)
{
    OWNED letters *l = make();

    for (uint32_t c = 0; c < 0x110000; c++) {
        const letter a = letters_get(l, c), b = letters_get(NULL, c);
        ck_assert_mem_eq(&a, &b, sizeof a);
    }
}

/* ---- folding ------------------------------------------------------------- */

/* A character expanded and composed. */
static size_t fold(uint32_t c, char *out)
{
    int32_t points[LETTER_POINTS];
    const size_t n = letters_compose(points, letter_expand(c, points));
    size_t size = 0;

    for (size_t i = 0; i < n; i++)
        size += utf8_put(out + size, (uint32_t)points[i]);
    out[size] = '\0';
    return size;
}

TEST(the_table_has_folded_bytes)
{
    size_t known = 0;

    for (uint32_t c = 0; c < 0x110000; c++) {
        char bytes[80], same[5] = "";
        const letter a = letters_get(NULL, c);
        if (is_surrogate(c) || !in_words(c) || a.size == 0)
            continue;
        const size_t size = fold(c, bytes);
        same[utf8_put(same, c)] = '\0';
        known++;
        if (a.size == LETTER_SAME) {
            ck_assert_str_eq(bytes, same);
            ck_assert_uint_eq(a.count, 1);
        } else {
            ck_assert_uint_eq(a.size, size);
            ck_assert_mem_eq(a.bytes, bytes, size);
        }
    }
    ck_assert_uint_gt(known, 130000);
}

/* All but a few are folded as utf8proc's NFKC_Casefold has it. */
TEST(folding_is_the_usual_one)
{
    const unsigned options = UTF8PROC_STABLE | UTF8PROC_COMPOSE |
                             UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
                             UTF8PROC_IGNORE;
    size_t others = 0;

    for (uint32_t c = 1; c < 0x110000; c++) {
        char text[5] = "", bytes[80];
        OWNED utf8proc_uint8_t *usual = NULL;
        if (is_surrogate(c) || !in_words(c))
            continue;
        text[utf8_put(text, c)] = '\0';
        ck_assert_int_ge(utf8proc_map((utf8proc_uint8_t *)text,
                                      (utf8proc_ssize_t)strlen(text), &usual,
                                      (utf8proc_option_t)options), 0);
        fold(c, bytes);
        others += strcmp((char *)usual, bytes) != 0;
    }
    /* Apostrophes, and what would bring blanks, signs or the like. */
    ck_assert_uint_gt(others, 10);
    ck_assert_uint_lt(others, 80);
}

TEST(memory_may_fail)
{
    letters *l = (letters *)&l;
    kedge_error err = {0};

    gate_allow(0);
    ck_fails(letters_create(&l, &err), KEDGE_ENOMEM, err, "out of memory");
    gate_open();
    ck_assert_ptr_null(l);
    letters_free(NULL);
}
