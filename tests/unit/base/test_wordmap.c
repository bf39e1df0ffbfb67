/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "unit.h"

#include "base/chance.h"
#include "base/gate.h"
#include "base/wordmap.h"

/* One of `kinds` words, some of them with zeros in them, one of them empty. */
static span some_word(size_t which, char bytes[32])
{
    const int n = snprintf(bytes, 32, "%.*s%zu", (int)(which % 7), "wwwwwww",
                           which / 2);

    if (which % 2 == 1)
        bytes[which % 3] = '\0';
    return span_of(bytes, which == 0 ? 0 : (size_t)n);
}

/* The twin: by looking at all of them. */
static uint32_t look_for(const words *w, span word)
{
    for (size_t i = 0; i < w->count; i++)
        if (span_equal(words_span(w, i), word))
            return (uint32_t)i;
    return WORDMAP_NONE;
}

TEST(words_are_found_as_by_looking_at_all)
{
    char bytes[32];

    for (uint64_t seed = 0; seed < 40; seed++) {
        chance c = {.key = seed};
        const size_t kinds = 1 + chance_below(&c, 60) * chance_below(&c, 30);
        OWN(words_free) words w = {0};
        wordmap m;
        ck_assert(wordmap_open(&m, &w));
        for (size_t i = 0; i < 2 * kinds; i++) {
            const span word = some_word(chance_below(&c, kinds), bytes);
            const uint32_t wanted = look_for(&w, word);
            const size_t before = w.count;
            uint32_t id = 7;
            if (wordmap_find(&m, word) != wanted ||
                !wordmap_add(&m, word, &id) ||
                id != (wanted == WORDMAP_NONE ? before : wanted) ||
                w.count != before + (wanted == WORDMAP_NONE) ||
                look_for(&w, word) != id)
                ck_abort_msg("seed %d, word %zu", (int)seed, i);
        }
        wordmap_close(&m);
        ck_assert_ptr_null(m.slot);
    }
}

static void add_numbers(words *w, size_t count)
{
    char bytes[32];

    while (w->count < count)
        if (!words_add(w, bytes, (size_t)snprintf(bytes, sizeof bytes, "n%zu",
                                                  w->count)))
            ck_abort_msg("no memory");
}

/* Of lists of sizes about those at which the table grows. */
TEST(a_list_that_is_there_is_found)
{
    static const size_t sizes[] = {0, 1, 510, 511, 512, 513, 1023, 1024, 5000};
    char bytes[32];

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        OWN(words_free) words w = {0};
        OWN(wordmap_close) wordmap m;
        uint32_t id;
        add_numbers(&w, sizes[s]);
        ck_assert(wordmap_open(&m, &w));
        for (size_t more = 0; more < 3; more++) {
            for (size_t i = 0; i < w.count; i++)
                if (wordmap_find(&m, words_span(&w, i)) != i)
                    ck_abort_msg("%zu of %zu", i, w.count);
            ck_assert_uint_eq(wordmap_find(&m, span_text("x")), WORDMAP_NONE);
            ck_assert_uint_ge(m.slots, 2 * w.count);
            snprintf(bytes, sizeof bytes, "more %zu", more);
            ck_assert(wordmap_add(&m, span_text(bytes), &id));
            ck_assert_uint_eq(id, sizes[s] + more);
        }
    }
}

TEST(of_twins_the_first_is_found)
{
    OWN(words_free) words w = {0};
    OWN(wordmap_close) wordmap m;
    uint32_t id;

    for (int i = 0; i < 3; i++)
        ck_assert(words_add(&w, "twin", 4) && words_add(&w, "other", 5));
    ck_assert(wordmap_open(&m, &w));
    ck_assert_uint_eq(wordmap_find(&m, span_text("twin")), 0);
    ck_assert_uint_eq(wordmap_find(&m, span_text("other")), 1);
    ck_assert(wordmap_add(&m, span_text("twin"), &id));
    ck_assert_uint_eq(id, 0);
    ck_assert_uint_eq(w.count, 6);
}

/* An addition that fails changes nothing, and can be repeated. */
TEST(adding_without_memory)
{
    char bytes[32];
    OWN(words_free) words w = {0};
    OWN(wordmap_close) wordmap m;
    unsigned failed = 0;

    gate_allow(0);
    ck_assert(!wordmap_open(&m, &w));
    gate_open();
    ck_assert_ptr_null(m.slot);
    ck_assert(wordmap_open(&m, &w));
    for (size_t i = 0; i < 3000; i++) {
        const span word = some_word(2 * i + 2, bytes);
        for (long k = 0;; k++) {
            uint32_t id;
            gate_allow(k);
            const bool done = wordmap_add(&m, word, &id);
            gate_open();
            if (done && id == i && w.count == i + 1)
                break;
            if (done || w.count != i || wordmap_find(&m, word) != WORDMAP_NONE)
                ck_abort_msg("word %zu, gate %ld", i, k);
            failed++;
        }
    }
    ck_assert_uint_gt(failed, 10);
    for (size_t i = 0; i < 3000; i++)
        if (wordmap_find(&m, some_word(2 * i + 2, bytes)) != i)
            ck_abort_msg("word %zu", i);
}
