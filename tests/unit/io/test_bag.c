/* SPDX-License-Identifier: MIT */
#include "io/bag.h"
#include "base/gate.h"
#include "sources.h"

static lines *open_lines(const source *s, stream **in)
{
    kedge_error err = {0};
    lines *l = NULL;

    ck_ok(stream_open(s->path, NULL, in, &err), err);
    ck_ok(lines_open(*in, 100, &l, &err), err);
    return l;
}

START_TEST(bag_lends_what_was_added)
{
    kedge_error err = {0};
    record r = {0};
    bag b = {0};

    for (int round = 0; round < 2; round++) {
        bag_clear(&b);
        for (uint32_t i = 0; i < 1000; i++)
            ck_ok(bag_add_number(&b, NULL, 7 * i, i + 1, &err), err);
        bag_give(&b, RECORD_NUMBERS, &r);
        ck_assert(r.kind == RECORD_NUMBERS && r.count == 1000);
        ck_assert(r.word == NULL && b.tokens == 500500);
        for (uint32_t i = 0; i < 1000; i++)
            ck_assert(r.number[i] == 7 * i && r.tally[i] == i + 1);
    }
    bag_clear(&b);
    ck_ok(bag_add_word(&b, NULL, span_text("word"), 3, &err), err);
    bag_give(&b, RECORD_WORDS, &r);
    ck_assert(r.kind == RECORD_WORDS && r.count == 1 && r.tally[0] == 3);
    ck_assert(span_equal(r.word[0], span_text("word")) && r.number == NULL);
    bag_free(&b);
}
END_TEST

START_TEST(bag_has_limits)
{
    source s = source_text("");
    stream *in = NULL;
    lines *l = open_lines(&s, &in);
    kedge_error err = {0};
    bag b = {0};

    for (int i = 0; i < 512; i++)
        ck_ok(bag_add_number(&b, l, 1, 0x7fffffff, &err), err);
    ck_ok(bag_add_number(&b, l, 1, 512, &err), err);
    ck_assert_uint_eq(b.tokens, BAG_TOKENS_MAX);
    ck_fails(bag_add_number(&b, l, 1, 1, &err), KEDGE_EFORMAT, err,
             ":0: the document is too large: counts of at most "
             "1099511627776 in all were expected");
    bag_clear(&b);
    for (size_t i = 0; i < BAG_ENTRIES_MAX; i++)
        if (bag_add_number(&b, l, 1, 1, &err) != KEDGE_OK)
            ck_abort();
    ck_fails(bag_add_number(&b, l, 1, 1, &err), KEDGE_EFORMAT, err,
             ":0: the document is too large: at most 16777216 entries were "
             "expected");
    ck_assert_uint_eq(b.count, BAG_ENTRIES_MAX);
    ck_assert_uint_le(b.number_capacity, BAG_ENTRIES_MAX);
    bag_free(&b);
    b.most = 2; /* a lower one */
    ck_ok(bag_add_number(&b, l, 1, 1, &err), err);
    ck_ok(bag_add_number(&b, l, 1, 1, &err), err);
    ck_fails(bag_add_number(&b, l, 1, 1, &err), KEDGE_EFORMAT, err,
             ":0: the document is too large: at most 2 entries were expected");
    bag_free(&b);
    ck_assert_uint_eq(b.most, 2);
    lines_close(l);
    stream_close(in);
    source_free(&s);
}
END_TEST

START_TEST(bag_tells_of_failing_allocations)
{
    for (long k = 0; k < 2; k++) {
        kedge_error err = {0};
        bag b = {0};
        gate_allow(k);
        const kedge_status st =
            bag_add_word(&b, NULL, span_text("word"), 1, &err);
        gate_open();
        ck_assert_int_eq(st, KEDGE_ENOMEM);
        ck_assert_uint_eq(b.count, 0);
        gate_allow(k);
        ck_assert_int_eq(bag_add_number(&b, NULL, 1, 1, &err),
                         k == 0 ? KEDGE_ENOMEM : KEDGE_OK);
        gate_open();
        bag_free(&b);
    }
}
END_TEST

UNIT_SUITE("bag",
    bag_lends_what_was_added,
    bag_has_limits,
    bag_tells_of_failing_allocations)
