/* SPDX-License-Identifier: MIT */
#include "io/quantity.h"
#include "base/chance.h"
#include "sources.h"

/* Lines to complain about. */
typedef struct scene {
    source s;
    stream *in;
    lines *lines;
    kedge_error err;
} scene;

static void scene_open(scene *c)
{
    *c = (scene){.s = source_text("a\n")};
    ck_ok(stream_open(c->s.path, NULL, &c->in, &c->err), c->err);
    ck_ok(lines_open(c->in, 100, &c->lines, &c->err), c->err);
}

static void scene_close(scene *c)
{
    lines_close(c->lines);
    stream_close(c->in);
    source_free(&c->s);
}

static void ck_reason(const scene *c, const char *reason)
{
    ck_assert_str_eq(c->err.text + strlen(c->s.path) + 4, reason);
}

#define COUNT "a count from 1 to 2147483647 was expected"

START_TEST(quantity_takes_whole_numbers_alone)
{
    static const struct {
        const char *text;
        uint32_t tally;
        const char *reason;
    } cases[] = {
        {"3", 3, NULL},
        {"3.0", 3, NULL},
        {"3e0", 3, NULL},
        {"0.3e1", 3, NULL},
        {"30E-1", 3, NULL},
        {"+3.", 3, NULL},
        {"0003.000000000000000000000000000", 3, NULL},
        {"3000000000000000000000000000e-27", 3, NULL},
        {".00003e+5", 3, NULL},
        {"2147483647", 2147483647, NULL},
        {"2.147483647e9", 2147483647, NULL},
        {"1e9", 1000000000, NULL},
        {"100", 100, NULL},
        {"0", 0, "the count 0 is too small: " COUNT},
        {"-0.0", 0, "the count -0.0 is too small: " COUNT},
        {"0e999999999999999999", 0, "the count 0e999999999999999999 is too "
                                    "small: " COUNT},
        {"2147483648", 0, "the count 2147483648 is too large: " COUNT},
        {"1e10", 0, "the count 1e10 is too large: " COUNT},
        {"1e99999999999999999999", 0, "the count 1e99999999999999999999 is "
                                      "too large: " COUNT},
        {"99999999999999999999", 0, "the count 99999999999999999999 is too "
                                    "large: " COUNT},
        {"0.53", 0, "\"0.53\" is not a whole number: a count, not a weight, "
                    "was expected"},
        {"3.5", 0, "\"3.5\" is not a whole number: a count, not a weight, "
                   "was expected"},
        {"3e-1", 0, "\"3e-1\" is not a whole number: a count, not a weight, "
                    "was expected"},
        {"1e-99999999999999999999", 0, "\"1e-99999999999999999999\" is not a "
                                       "whole number: a count, not a weight, "
                                       "was expected"},
        {"-3", 0, "\"-3\" is negative: " COUNT},
        {"", 0, "\"\" is not a number: " COUNT},
        {".", 0, "\".\" is not a number: " COUNT},
        {"+", 0, "\"+\" is not a number: " COUNT},
        {"3e", 0, "\"3e\" is not a number: " COUNT},
        {"3.0.0", 0, "\"3.0.0\" is not a number: " COUNT},
        {"3x", 0, "\"3x\" is not a number: " COUNT},
        {"nan", 0, "\"nan\" is not a number: " COUNT},
        {"inf", 0, "\"inf\" is not a number: " COUNT},
        {"0x3", 0, "\"0x3\" is not a number: " COUNT},
    };
    scene c;

    scene_open(&c);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t tally = 0;
        const kedge_status st = quantity_count(
            c.lines, span_text(cases[i].text), &tally, &c.err);
        ck_assert_msg((st == KEDGE_OK) == (cases[i].reason == NULL), "%s",
                      cases[i].text);
        if (st != KEDGE_OK)
            ck_reason(&c, cases[i].reason);
        else
            ck_assert_uint_eq(tally, cases[i].tally);
    }
    scene_close(&c);
}
END_TEST

/* Against strtod, which is exact for numbers as short as these. */
START_TEST(quantity_agrees_with_the_C_library)
{
    static const char some[] = "0001239.e-+5";
    scene c;

    scene_open(&c);
    for (uint64_t seed = 0; seed < 200000; seed++) {
        chance r = {.key = seed};
        const size_t size = 1 + chance_below(&r, 8);
        char text[16] = "", *end;
        uint32_t tally = 0;
        for (size_t i = 0; i < size; i++)
            text[i] = some[chance_below(&r, sizeof some - 1)];
        const kedge_status st =
            quantity_count(c.lines, span_text(text), &tally, NULL);
        const double value = strtod(text, &end);
        const bool whole = *end == '\0' && value >= 1 &&
                           value <= 2147483647.0 &&
                           value == (double)(uint32_t)value;
        if ((st == KEDGE_OK) != whole || (whole && tally != (uint32_t)value))
            ck_abort_msg("\"%s\": %u", text, tally);
    }
    scene_close(&c);
}
END_TEST

START_TEST(quantity_numbers_have_a_range)
{
    static const quantity_range range = {"word", 1, 7};
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"0:1", "the word 0 is too small: a word from 1 to 7 was expected"},
        {"8:1", "the word 8 is too large: a word from 1 to 7 was expected"},
        {"99999999999999999999:1", "the word 99999999999999999999 is too "
                                   "large: a word from 1 to 7 was expected"},
        {"-1:1", "\"-1\" is not a number: a word from 1 to 7 was expected"},
        {":1", "\"\" is not a number: a word from 1 to 7 was expected"},
        {"3:", "\"\" is not a number: " COUNT},
        {"3:0", "the count 0 is too small: " COUNT},
        {"3:2147483648", "the count 2147483648 is too large: " COUNT},
        {"3:1:1", "\"1:1\" is not a number: " COUNT},
        {"3", "\"3\" has no \":\": \"word:count\" was expected"},
    };
    uint64_t value;
    uint32_t tally;
    scene c;

    scene_open(&c);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(quantity_pair(c.lines, span_text(cases[i].text),
                                       &range, &value, &tally, &c.err),
                         KEDGE_EFORMAT);
        ck_reason(&c, cases[i].reason);
    }
    ck_ok(quantity_pair(c.lines, span_text("07:12"), &range, &value, &tally,
                        &c.err),
          c.err);
    ck_assert(value == 7 && tally == 12);
    ck_ok(quantity_check_words(c.lines, 1, &c.err), c.err);
    ck_fails(quantity_check_words(c.lines, 0, &c.err), KEDGE_EINVAL, c.err,
             ": its words are numbers: a vocabulary that says which words "
             "they are was expected");
    scene_close(&c);
}
END_TEST

UNIT_SUITE("quantity",
    quantity_takes_whole_numbers_alone,
    quantity_agrees_with_the_C_library,
    quantity_numbers_have_a_range)
