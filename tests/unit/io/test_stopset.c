/* SPDX-License-Identifier: MIT */
#include "io/text/stopset.h"

#include "base/bytes.h"
#include "base/chance.h"
#include "base/gate.h"
#include "unit.h"

enum { LONGEST = 20 };

static uint64_t head_of(span word)
{
    uint8_t head[8] = {0};

    memcpy(head, word.bytes, word.size < 8 ? word.size : 8);
    return get_u64(head);
}

static bool has(const stopset *s, span word)
{
    return stopset_has(s, head_of(word), word);
}

/* The twin. */
static bool is_listed(const words *list, span word)
{
    for (size_t i = 0; word.size > 0 && i < list->count; i++)
        if (span_equal(span_of(words_get(list, i), words_size(list, i)), word))
            return true;
    return false;
}

/* Of few letters, so that many words are the same, or begin in the same way;
 * zeros are letters, too. */
static span some_word(chance *c, char text[LONGEST])
{
    const size_t size = chance_below(c, LONGEST + 1);
    const size_t same = chance_below(c, 10);

    for (size_t i = 0; i < size; i++)
        text[i] = i < same ? 'a' : (char)chance_below(c, 3);
    return span_of(text, size);
}

START_TEST(words_are_found_as_in_the_list)
{
    kedge_error err = {0};
    char text[LONGEST];
    size_t found = 0, tries = 0;

    for (uint64_t seed = 0; seed < 200; seed++) {
        chance c = {.key = seed};
        words list = {0};
        stopset s = {0};
        for (size_t n = chance_below(&c, 300); n > 0; n--) {
            const span word = some_word(&c, text);
            ck_assert(words_add(&list, word.bytes, word.size));
        }
        ck_ok(stopset_create(&s, &list, &err), err);
        for (size_t i = 0; i < list.count; i++)
            ck_assert_int_eq(has(&s, span_of(words_get(&list, i),
                                             words_size(&list, i))),
                             words_size(&list, i) > 0);
        for (size_t i = 0; i < 300; i++, tries++) {
            const span word = some_word(&c, text);
            const bool there = has(&s, word);
            ck_assert_int_eq(there, is_listed(&list, word));
            found += there;
        }
        stopset_free(&s);
        words_free(&list);
    }
    ck_assert_uint_gt(found, tries / 50);
    ck_assert_uint_lt(found, tries / 2);
}
END_TEST

/* The list may go. */
START_TEST(the_list_is_copied)
{
    kedge_error err = {0};
    stopset s = {0};
    words list = {0};

    ck_assert(words_add(&list, "elephants", 9) && words_add(&list, "", 0) &&
              words_add(&list, "the", 3));
    ck_ok(stopset_create(&s, &list, &err), err);
    memset(list.bytes, 'x', list.offset[3]);
    words_free(&list);
    ck_assert(has(&s, span_text("elephants")) && has(&s, span_text("the")));
    ck_assert(!has(&s, span_text("elephant")) && !has(&s, span_text("thex")));
    ck_assert(!has(&s, span_text("elephantx"))); /* the head is the same */
    ck_assert(!has(&s, span_text("xxx")));
    stopset_free(&s);
    ck_assert(s.slot == NULL && s.bytes == NULL);
}
END_TEST

START_TEST(one_without_words_has_none)
{
    const words none = {0};
    kedge_error err = {0};
    stopset s = {0};

    for (int kind = 0; kind < 3; kind++) {
        if (kind == 0)
            s = stopset_empty();
        else
            ck_ok(stopset_create(&s, kind == 1 ? NULL : &none, &err), err);
        ck_assert(!has(&s, span_text("a")) && !has(&s, span_text("another")));
        ck_assert(!has(&s, span_text("")));
        if (kind > 0)
            stopset_free(&s);
    }
}
END_TEST

START_TEST(no_memory_is_told)
{
    kedge_error err = {0};
    words list = {0};

    ck_assert(words_add(&list, "the", 3));
    for (long k = 0; k <= 2; k++) {
        stopset s = {0};
        gate_allow(k);
        const kedge_status st = stopset_create(&s, &list, &err);
        gate_open();
        ck_assert_int_eq(st, k < 2 ? KEDGE_ENOMEM : KEDGE_OK);
        stopset_free(&s);
    }
    words_free(&list);
}
END_TEST

UNIT_SUITE("stopset",
    words_are_found_as_in_the_list,
    the_list_is_copied,
    one_without_words_has_none,
    no_memory_is_told)
