/* SPDX-License-Identifier: MIT */
#include "sketch/corpus.h"

#include "base/gate.h"
#include "sketch/kernel.h"

TEST(the_widest_kernel_is_chosen)
{
    kernel list[KERNELS];

    ck_assert_uint_ge(kernel_list(list), 1);
    ck_assert_str_eq(accumulate_kernel(), list[0].name);
}

/* One tile of a window against the formula. */
static void check_tile(const docs *d, const words *w, uint32_t kind,
                       uint64_t seed, size_t tile)
{
    accumulate_scratch a = {0};
    statistic s;
    window win = {0};
    corpus_sketch naive;
    kedge_error err = {0};
    size_t wrong = 0;
    uint64_t *key = calloc(w->count, sizeof *key);

    for (size_t i = 0; i < w->count; i++)
        key[i] = sign_key(seed, words_get(w, i), words_size(w, i));
    statistic_open(&s, kind);
    win.statistic = &s;
    corpus_begin(&naive, w, seed, (tile + 1) * SIGN_TILE);
    naive.kind = kind;
    corpus_add(&naive, d, 2);
    ck_ok(window_fill(&win, d, w->count, 2, &err), err);
    ck_ok(accumulate_reserve(&a, &win, &err), err);
    accumulate_dots(&a, &win, key, tile);
    for (size_t i = 0; i < win.words; i++) {
        const size_t id = win.id[i];
        int64_t row[SIGN_TILE] = {0};
        accumulate_row(&a, &win, i, sign_bits(key[id], tile), row);
        wrong += memcmp(row,
                        naive.z + id * (1 + naive.width) + 1 +
                            tile * SIGN_TILE,
                        sizeof row) != 0;
    }
    ck_assert_uint_eq(wrong, 0);
    free(key);
    corpus_end(&naive);
    window_free(&win);
    accumulate_free(&a);
    ck_assert_ptr_null(a.signs);
}

TEST(tiles_are_the_formula)
{
    OWN(docs_free) docs d = {0};
    OWN(words_free) words w = {0};

    corpus_words(&w, 200);
    for (uint64_t seed = 0; seed < 36; seed++) {
        corpus_make(&d, &(corpus_opts){seed, 100, 200, 50, 6});
        check_tile(&d, &w, (uint32_t)seed % STATISTICS, seed, seed / 3 % 3);
    }
}

/* A word in each of 7,000 documents: chunks, and the last one shorter. */
TEST(frequent_words_come_in_chunks)
{
    OWN(docs_free) docs d = {0};
    OWN(words_free) words w = {0};

    corpus_words(&w, 12);
    for (size_t m = 0; m < 7000; m++) {
        corpus_need(docs_begin(&d, m + 1) && docs_push(&d, 0, 2));
        if (m % 3 == 0)
            corpus_need(docs_push(&d, 1 + (uint32_t)(m % 11), 1));
    }
    for (uint32_t kind = 0; kind < STATISTICS; kind++)
        check_tile(&d, &w, kind, 4, 0);
}

/* In parts, and with fewer bits: the formula knows of no parts. */
TEST(long_documents_are_as_one)
{
    OWN(docs_free) docs d = {0};
    OWN(words_free) words w = {0};
    chance c = {.key = 6};

    corpus_words(&w, 30000);
    for (size_t n = 500; n <= 30000; n *= 2) {
        corpus_long(&d, &c, n, 3);
        corpus_long(&d, &c, n / 5, 2000);
    }
    for (uint32_t kind = STATISTIC_LOG; kind < STATISTICS; kind++)
        check_tile(&d, &w, kind, kind, 0);
}

/* Once it is there, nothing more is asked for. */
TEST(memory_is_asked_for_before)
{
    OWN(accumulate_free) accumulate_scratch a = {0};
    OWN(window_free) window w = {0};
    OWN(docs_free) docs d = {0};
    kedge_error err = {0};

    corpus_make(&d, &(corpus_opts){1, 50, 80, 20, 2});
    ck_ok(window_fill(&w, &d, 80, 2, &err), err);
    gate_starve(accumulate_reserve(&a, &w, &err));
    gate_allow(0);
    ck_ok(accumulate_reserve(&a, &w, &err), err);
    gate_open();
}
