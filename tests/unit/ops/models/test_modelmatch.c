/* SPDX-License-Identifier: MIT */
#include "ops/models/model.h"

#include <stdio.h>

#include "base/mem.h"
#include "linalg/dense.h"

/* ---- models of random words ---------------------------------------------- */

/* Words are the numbers of a random set, as text; sorted by their bytes, or
 * with an order beside them. */
typedef struct half {
    modelmatch_side side;
    words text;
    uint32_t *order;
    bool *has; /* of the numbers below UNIVERSE */
    double *b;
    uint64_t anchor[6];
} half;

#define UNIVERSE 120

static void half_words(half *h, chance *c, bool shuffled)
{
    words raw = {0};
    size_t twin;
    uint32_t *sorted;
    char text[8];

    h->has = calloc(UNIVERSE, sizeof *h->has);
    for (size_t i = 0; i < UNIVERSE; i++)
        if ((h->has[i] = chance_below(c, 4) > 0 || i == 7)) {
            snprintf(text, sizeof text, "%zu", i);
            ck_assert(words_add(&raw, text, strlen(text)));
        }
    sorted = words_order(&raw, &twin);
    for (size_t r = 0; r < raw.count && !shuffled; r++)
        ck_assert(words_add(&h->text, words_get(&raw, sorted[r]),
                            words_size(&raw, sorted[r])));
    if (shuffled) {
        h->text = raw;
        h->order = sorted;
    } else {
        words_free(&raw);
        mem_free(sorted);
    }
}

static half *half_make(size_t k, uint64_t seed, bool shuffled)
{
    half *const h = calloc(1, sizeof *h);
    chance c = {.key = seed};
    size_t n;

    half_words(h, &c, shuffled);
    n = h->text.count;
    h->b = dense_new(n, k);
    for (size_t t = 0; t < k; t++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += h->b[i * k + t] = pow(chance_unit(&c), 4);
        for (size_t i = 0; i < n; i++)
            h->b[i * k + t] /= sum;
        h->anchor[t] = t;
    }
    h->side = (modelmatch_side){&h->text, h->order, n, k, h->b, h->anchor};
    return h;
}

static void half_free(half *h)
{
    words_free(&h->text);
    mem_free(h->order);
    free(h->has);
    free(h->b);
    free(h);
}

static const char *half_word(const half *h, uint32_t row)
{
    return words_get(&h->text, h->order != NULL ? h->order[row] : row);
}

static modelmatch find(const half *left, const half *right, unsigned threads)
{
    pool *const p = dense_pool(threads);
    kedge_error err = {0};
    modelmatch found;

    ck_ok(modelmatch_find(p, &left->side, &right->side, &found, &err), err);
    pool_free(p);
    return found;
}

/* ---- tests --------------------------------------------------------------- */

/* Every word once, in order, with the rows that hold it. */
static void check_words(const modelmatch *k, const half *left,
                        const half *right)
{
    const char *before = "";
    size_t expected = 0;

    for (size_t i = 0; i < UNIVERSE; i++)
        expected += left->has[i] || right->has[i];
    ck_assert_uint_eq(k->words, expected);
    for (size_t w = 0; w < k->words; w++) {
        const uint32_t l = k->row[0][w], r = k->row[1][w];
        const char *const word =
            l != MODELMATCH_ABSENT ? half_word(left, l) : half_word(right, r);
        const size_t number = (size_t)atoi(word);
        ck_assert_int_lt(strcmp(before, word), 0);
        ck_assert_int_eq(l != MODELMATCH_ABSENT, left->has[number]);
        ck_assert_int_eq(r != MODELMATCH_ABSENT, right->has[number]);
        if (r != MODELMATCH_ABSENT)
            ck_assert_str_eq(half_word(right, r), word);
        before = word;
    }
}

static double probability(const half *h, uint32_t row, size_t topic)
{
    return row == MODELMATCH_ABSENT ? 0 : h->b[row * h->side.k + topic];
}

static double plain_distance(const modelmatch *k, const half *left, size_t i,
                             const half *right, size_t j)
{
    double sum = 0;

    for (size_t w = 0; w < k->words; w++)
        sum += fabs(probability(left, k->row[0][w], i) -
                    probability(right, k->row[1][w], j));
    return sum / 2;
}

TEST(words_of_two_models_become_one_list)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        half *const left = half_make(1 + seed % 5, 2 * seed, seed % 2 == 0);
        half *const right = half_make(1 + seed % 4, 2 * seed + 1,
                                      seed % 3 == 0);
        const size_t k = right->side.k;
        modelmatch found = find(left, right, 1 + (unsigned)seed % 3);
        double mean = 0;
        size_t matched = 0;
        check_words(&found, left, right);
        for (size_t i = 0; i < left->side.k; i++) {
            for (size_t j = 0; j < k; j++)
                ck_assert_double_eq_tol(
                    found.distance[i * k + j],
                    plain_distance(&found, left, i, right, j), 1e-12);
            if (found.partner[i] == MATCH_NONE)
                continue;
            mean += found.distance[i * k + found.partner[i]];
            matched++;
        }
        ck_assert_uint_eq(found.matched, matched);
        ck_assert_double_eq_tol(found.mean,
                                matched > 0 ? mean / (double)matched : 0,
                                1e-12);
        modelmatch_free(&found);
        half_free(left);
        half_free(right);
    }
}

/* The same row is another word on either side, and "c" another row. By
 * distance alone, left topic 0 would be right topic 0. */
TEST(anchors_are_compared_by_word)
{
    static const char *const left_word[] = {"b", "c", "x"};
    static const char *const right_word[] = {"a", "b", "c", "x"};
    static const double left_b[] = {0.0, 1, 0.6, 0, 0.4, 0};
    static const double right_b[] = {0, 0.2, 0.0, 0, 0.6, 0.4, 0.4, 0.4};
    static const uint64_t left_anchor[] = {1, 0}, right_anchor[] = {1, 2};
    words text[2] = {{0}, {0}};
    half left = {0}, right = {0};

    for (size_t i = 0; i < 3; i++)
        ck_assert(words_add(&text[0], left_word[i], 1));
    for (size_t i = 0; i < 4; i++)
        ck_assert(words_add(&text[1], right_word[i], 1));
    left.side = (modelmatch_side){&text[0], NULL, 3, 2, left_b, left_anchor};
    right.side = (modelmatch_side){&text[1], NULL, 4, 2, right_b, right_anchor};
    modelmatch found = find(&left, &right, 1);
    ck_assert_double_eq_tol(found.distance[0], 0, 1e-12);
    ck_assert_double_eq_tol(found.distance[1], 0.2, 1e-12);
    ck_assert_uint_eq(found.partner[0], 1);
    ck_assert_uint_eq(found.partner[1], MATCH_NONE);
    modelmatch_free(&found);
    words_free(&text[0]);
    words_free(&text[1]);
}
