/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/hash.h"
#include "base/mem.h"
#include "io/entries.h"

#define MOST 3000

/* The slow and plain way: the first entry of each word, in order. */
static size_t naive(const uint32_t *word, const uint32_t *tally, size_t n,
                    uint32_t *words, uint32_t *tallies, entries_twins *twins)
{
    size_t kept = 0;

    *twins = (entries_twins){.first = SIZE_MAX};
    for (size_t i = 0; i < n; i++) {
        size_t at = 0;
        while (at < kept && words[at] < word[i])
            at++;
        if (at < kept && words[at] == word[i]) {
            if (twins->count++ == 0) {
                twins->first = i;
                twins->word = word[i];
            }
            twins->tokens += tally[i];
            continue;
        }
        for (size_t j = kept; j > at; j--) {
            words[j] = words[j - 1];
            tallies[j] = tallies[j - 1];
        }
        words[at] = word[i];
        tallies[at] = tally[i];
        kept++;
    }
    return kept;
}

static void check_sort(entries *e, uint64_t seed, size_t n, uint64_t range)
{
    static uint32_t word[MOST], tally[MOST], words[MOST], tallies[MOST];
    entries_twins twins, expected;
    size_t left;

    for (size_t i = 0; i < n; i++) {
        word[i] = (uint32_t)(hash_stream(seed, 2 * i) % range);
        tally[i] = (uint32_t)hash_stream(seed, 2 * i + 1);
    }
    const size_t kept = naive(word, tally, n, words, tallies, &expected);
    ck_assert(entries_sort(e, word, tally, n, &left, &twins));
    ck_assert_uint_eq(left, kept);
    ck_assert_mem_eq(word, words, kept * sizeof *word);
    ck_assert_mem_eq(tally, tallies, kept * sizeof *tally);
    ck_assert_uint_eq(twins.count, expected.count);
    ck_assert_uint_eq(twins.first, expected.first);
    ck_assert_uint_eq(twins.word, expected.word);
    ck_assert_uint_eq(twins.tokens, expected.tokens);
}

START_TEST(entries_sort_as_the_plain_way_does)
{
    static const uint64_t ranges[] = {1, 7, 300, 70000, 1 << 24,
                                      UINT64_C(1) << 32};
    static const size_t sizes[] = {1, 2, 3, 23, 24, 25, 26, 100, 1000, MOST};
    entries e = {0};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof ranges / sizeof *ranges; j++)
            for (uint64_t seed = 0; seed < 5; seed++)
                check_sort(&e, seed, sizes[i], ranges[j]);
    entries_free(&e);
}
END_TEST

static int allowed;

static bool gate(size_t bytes)
{
    (void)bytes;
    return allowed-- > 0;
}

START_TEST(entries_stay_where_there_is_no_memory)
{
    uint32_t word[] = {3, 1}, tally[] = {1, 2};
    entries e = {0};
    entries_twins twins;
    size_t left;

    mem_set_gate(gate);
    for (int most = 0; most < 2; most++) {
        allowed = most;
        ck_assert(!entries_sort(&e, word, tally, 2, &left, &twins));
        ck_assert_uint_eq(word[0], 3);
        ck_assert_uint_eq(tally[1], 2);
    }
    mem_set_gate(NULL);
    ck_assert(entries_sort(&e, word, tally, 2, &left, &twins));
    ck_assert_uint_eq(word[0], 1);
    entries_free(&e);
}
END_TEST

UNIT_SUITE("entries",
    entries_sort_as_the_plain_way_does,
    entries_stay_where_there_is_no_memory)
