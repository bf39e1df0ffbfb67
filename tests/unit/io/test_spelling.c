/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/chance.h"
#include "io/text/spelling.h"

static spelling spell(const char *text)
{
    spelling s;

    ck_assert(spelling_of(span_text(text), &s));
    return s;
}

static size_t between(const char *a, const char *b, size_t most)
{
    const spelling x = spell(a), y = spell(b);
    const size_t d = spelling_distance(&x, &y, most);

    ck_assert_uint_eq(spelling_distance(&y, &x, most), d);
    return d;
}

TEST(spelling_counts_characters)
{
    ck_assert_uint_eq(between("", "", 3), 0);
    ck_assert_uint_eq(between("", "abc", 3), 3);
    ck_assert_uint_eq(between("harbour", "harbor", 3), 1);
    ck_assert_uint_eq(between("harbour", "harbuor", 3), 1);
    ck_assert_uint_eq(between("harbour", "ahrbuor", 3), 2);
    ck_assert_uint_eq(between("caf\xc3\xa9", "cafe", 3), 1);
    ck_assert_uint_eq(between("\xe6\x97\xa5\xe6\x9c\xac", "\xe6\x97\xa5", 3),
                      1);
    ck_assert_uint_eq(between("a\xff", "a\xfe", 3), 1);
    ck_assert_uint_eq(between("a\xff", "a\xc3\xbf", 3), 1);
}

TEST(spelling_gives_up_beyond_the_most)
{
    ck_assert_uint_eq(between("abcdef", "ghijkl", 2), 3);
    ck_assert_uint_eq(between("abcdef", "ghijkl", 6), 6);
    ck_assert_uint_eq(between("a", "abcdef", 2), 3);
    ck_assert_uint_eq(between("abcdef", "abcdxy", 2), 2);
}

/* By the definition, with nothing remembered; of short words. */
static size_t naive(const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
    size_t best, one;

    if (n == 0 || m == 0)
        return n + m;
    best = naive(a + 1, n - 1, b + 1, m - 1) + (a[0] != b[0]);
    one = naive(a + 1, n - 1, b, m) + 1;
    best = one < best ? one : best;
    one = naive(a, n, b + 1, m - 1) + 1;
    best = one < best ? one : best;
    if (n > 1 && m > 1 && a[0] == b[1] && a[1] == b[0]) {
        one = naive(a + 2, n - 2, b + 2, m - 2) + 1;
        best = one < best ? one : best;
    }
    return best;
}

TEST(spelling_is_as_by_the_definition)
{
    chance c = {.key = 3};

    for (int i = 0; i < 400; i++) {
        spelling word[2];
        size_t wanted, most = chance_below(&c, 6);
        for (int k = 0; k < 2; k++) {
            word[k].size = chance_below(&c, 6);
            for (size_t l = 0; l < word[k].size; l++)
                word[k].letter[l] = 'a' + (uint32_t)chance_below(&c, 3);
        }
        wanted = naive(word[0].letter, word[0].size, word[1].letter,
                       word[1].size);
        ck_assert_uint_eq(spelling_distance(&word[0], &word[1], most),
                          wanted <= most ? wanted : most + 1);
    }
}

TEST(spelling_of_what_is_long)
{
    char text[SPELLING_LONGEST + 2];
    spelling s;

    memset(text, 'x', sizeof text);
    ck_assert(spelling_of(span_of(text, SPELLING_LONGEST), &s));
    ck_assert_uint_eq(spelling_distance(&s, &s, 1), 0);
    ck_assert(!spelling_of(span_of(text, SPELLING_LONGEST + 1), &s));
}
