/* SPDX-License-Identifier: MIT */
#include "ops/life.h"

#include <math.h>

#include "base/gate.h"
#include "ops/library.h"

static life it; /* too big for a stack */
static uint64_t tf[LIFE_WORDS], df[LIFE_WORDS]; /* as they must be */

static kedge_wordlist *load(const kedge_wordlist_opts *o)
{
    kedge_wordlist *w;

    ck_ok(kedge_wordlist_load(it.t.s, o, &it.c, &w, &it.t.err), it.t.err);
    return w;
}

static double tf_idf_of(size_t w)
{
    return (double)tf[w] * log((double)life_there(&it) / (double)df[w]);
}

static double value_of(kedge_word_order order, const kedge_word_info *w)
{
    return order == KEDGE_ORDER_TFIDF ? w->tf_idf
           : order == KEDGE_ORDER_TF  ? (double)w->tf
           : order == KEDGE_ORDER_DF  ? (double)w->df
                                      : 0;
}

static void check_figures(const kedge_wordlist *list, uint64_t min_df)
{
    uint64_t count = 0;

    for (size_t w = 0; w < LIFE_WORDS; w++) {
        const uint64_t at = kedge_wordlist_find(list, life_word(w));
        kedge_word_info info;
        if (df[w] < min_df || df[w] == 0) {
            ck_assert_uint_eq(at, KEDGE_NO_WORD);
            continue;
        }
        count++;
        ck_assert_uint_ne(at, KEDGE_NO_WORD);
        info = kedge_wordlist_get(list, at);
        ck_assert_str_eq(info.word, life_word(w));
        ck_assert_uint_eq(info.tf, tf[w]);
        ck_assert_uint_eq(info.df, df[w]);
        ck_assert_double_eq(info.tf_idf, tf_idf_of(w));
    }
    ck_assert_uint_eq(kedge_wordlist_count(list), count);
    ck_assert_uint_eq(kedge_wordlist_find(list, "no word"), KEDGE_NO_WORD);
}

static void check_order(const kedge_wordlist *list, kedge_word_order order)
{
    for (uint64_t i = 1; i < kedge_wordlist_count(list); i++) {
        const kedge_word_info a = kedge_wordlist_get(list, i - 1);
        const kedge_word_info b = kedge_wordlist_get(list, i);
        const double x = value_of(order, &a), y = value_of(order, &b);
        ck_assert(x > y || (x == y && strcmp(a.word, b.word) < 0));
    }
}

TEST(words_are_counted_and_sorted)
{
    kedge_wordlist_opts o;

    kedge_wordlist_opts_init(&o);
    for (uint64_t seed = 0; seed < 10; seed++) {
        life_fill(&it, seed);
        life_count(&it, tf, df);
        for (unsigned k = 0; k <= KEDGE_ORDER_WORD; k++)
            for (uint64_t min_df = 0; min_df < 60; min_df += 29) {
                kedge_wordlist *w;
                o.order = (kedge_word_order)k;
                o.min_df = min_df;
                w = load(&o);
                check_figures(w, min_df);
                check_order(w, o.order);
                kedge_wordlist_free(w);
            }
        life_end(&it);
    }
}

/* Two lists by their counts: as fit made them, whatever comes later. */
TEST(indexes_hold_words)
{
    static const uint64_t least[] = {30, 55};
    uint64_t then[LIFE_WORDS], number[2], unused[LIFE_WORDS];
    kedge_wordlist_opts o;
    kedge_wordlist *all, *one;

    life_fill(&it, 6);
    life_count(&it, unused, then);
    life_fit(&it, least[0]);
    life_fit(&it, least[1]);
    life_add(&it, 77, 40, "more", NULL);
    life_count(&it, tf, df);
    all = load(NULL);
    for (size_t w = 0; w < LIFE_WORDS; w++) {
        const uint64_t at = kedge_wordlist_find(all, life_word(w));
        const uint64_t count =
            (uint64_t)(then[w] >= least[0]) + (then[w] >= least[1]);
        if (df[w] == 0)
            continue;
        number[0] = number[1] = 99;
        ck_assert_uint_eq(kedge_wordlist_indexes(all, at, number, 2), count);
        ck_assert_uint_eq(number[0], count > 0 ? 1 : 99);
        ck_assert_uint_eq(number[1], count > 1 ? 2 : 99);
        number[1] = 99;
        ck_assert_uint_eq(kedge_wordlist_indexes(all, at, number, 1), count);
        ck_assert_uint_eq(number[1], 99);
    }
    kedge_wordlist_free(all);
    kedge_wordlist_opts_init(&o);
    for (o.index = 1; o.index <= 2; o.index++) {
        one = load(&o);
        for (size_t w = 0; w < LIFE_WORDS; w++)
            ck_assert_int_eq(kedge_wordlist_find(one, life_word(w)) !=
                                 KEDGE_NO_WORD,
                             df[w] > 0 && then[w] >= least[o.index - 1]);
        ck_assert_uint_gt(kedge_wordlist_count(one), 0);
        kedge_wordlist_free(one);
    }
    ck_fails(kedge_wordlist_load(it.t.s, &o, &it.c, &one, &it.t.err),
             KEDGE_ENOTFOUND, it.t.err, "no index 3");
    ck_assert_ptr_null(one);
    life_end(&it);
}

static bool is_phrase(const library_index *v, uint32_t id)
{
    bool is = false;

    for (size_t i = 0; i < v->joins.count; i++)
        is |= v->join[i].whole == id;
    return is && v->listed[id];
}

/* There is one index, number 2. */
static void check_phrase_indexes(const kedge_wordlist *w, const char *phrase,
                                 bool is)
{
    uint64_t number = 99;

    ck_assert_uint_eq(kedge_wordlist_phrase_indexes(w, phrase, &number, 0), is);
    ck_assert_uint_eq(number, 99);
    ck_assert_uint_eq(kedge_wordlist_phrase_indexes(w, phrase, &number, 1), is);
    ck_assert_uint_eq(number, is ? 2 : 99);
    ck_assert_uint_eq(kedge_wordlist_phrase_indexes(w, "no word", &number, 1),
                      0);
}

/* Of an index with phrases as it sees the documents; of the store as they are.
 */
TEST(phrases_are_counted_in_their_index)
{
    static library a;
    kedge_wordlist_opts o;

    kedge_wordlist_opts_init(&o);
    kedge_control_init(&it.c);
    for (uint64_t seed = 0; seed < 12; seed++) {
        uint64_t seen_tf[LIBRARY_ALL] = {0}, seen_df[LIBRARY_ALL] = {0};
        kedge_wordlist *all, *one;
        library_index v;
        library_begin(&a, seed);
        library_put_index(&a, seed, 2, &v);
        o.index = 2;
        ck_ok(kedge_wordlist_load(a.t.s, &o, &it.c, &one, &a.t.err), a.t.err);
        ck_ok(kedge_wordlist_load(a.t.s, NULL, &it.c, &all, &a.t.err),
              a.t.err);
        for (size_t m = 0; m < a.count; m++) {
            uint32_t tally[LIBRARY_ALL];
            library_tally(&a, m, &v, tally);
            for (size_t id = 0; id < LIBRARY_ALL; id++) {
                seen_tf[id] += tally[id];
                seen_df[id] += tally[id] > 0;
            }
        }
        library_count(&a, tf, df);
        for (uint64_t id = 0; id < LIBRARY_ALL; id++) {
            const char *const word = words_get(&a.w, id);
            const uint64_t in_one = kedge_wordlist_find(one, word);
            const uint64_t in_all = kedge_wordlist_find(all, word);
            ck_assert_int_eq(in_one != KEDGE_NO_WORD, seen_df[id] > 0);
            ck_assert_int_eq(in_all != KEDGE_NO_WORD,
                             id < LIBRARY_WORDS && df[id] > 0);
            if (in_one != KEDGE_NO_WORD) {
                const kedge_word_info w = kedge_wordlist_get(one, in_one);
                ck_assert_uint_eq(w.tf, seen_tf[id]);
                ck_assert_uint_eq(w.df, seen_df[id]);
            }
            if (in_all != KEDGE_NO_WORD)
                ck_assert_uint_eq(kedge_wordlist_get(all, in_all).tf, tf[id]);
            check_phrase_indexes(all, word, is_phrase(&v, (uint32_t)id));
        }
        kedge_wordlist_free(one);
        kedge_wordlist_free(all);
        library_end(&a);
    }
}

TEST(bad_options_are_refused)
{
    kedge_wordlist_opts o;
    kedge_wordlist *w;

    life_begin(&it);
    w = load(NULL);
    ck_assert_uint_eq(kedge_wordlist_count(w), 0);
    ck_assert_uint_eq(kedge_wordlist_find(w, ""), KEDGE_NO_WORD);
    kedge_wordlist_free(w);
    kedge_wordlist_opts_init(&o);
    o.order = (kedge_word_order)4;
    ck_fails(kedge_wordlist_load(it.t.s, &o, &it.c, &w, &it.t.err),
             KEDGE_EINVAL, it.t.err, "unknown order of words: 4");
    it.c.memory = UINT64_C(30) << 20;
    ck_fails(kedge_wordlist_load(it.t.s, NULL, &it.c, &w, &it.t.err),
             KEDGE_EBUDGET, it.t.err, "30 MiB");
    ck_assert_ptr_null(w);
    kedge_wordlist_free(NULL);
    life_end(&it);
}

TEST(no_memory_is_an_error)
{
    kedge_wordlist *w;

    life_fill(&it, 5);
    life_fit(&it, 20);
    life_count(&it, tf, df);
    gate_starve(kedge_wordlist_load(it.t.s, NULL, &it.c, &w, &it.t.err));
    check_figures(w, 1);
    kedge_wordlist_free(w);
    life_end(&it);
}

TEST(phrases_that_are_no_words_are_damage)
{
    static library a;
    library_index v;
    kedge_wordlist *w;

    kedge_control_init(&it.c);
    library_begin(&a, 4);
    library_put_index(&a, 4, 2, &v);
    v.join[0].whole = LIBRARY_ALL;
    scene_write(&a.t);
    ck_ok(store_put_joins(a.t.txn, 2, &v.joins, &a.t.err), a.t.err);
    scene_commit(&a.t);
    ck_assert_int_eq(kedge_wordlist_load(a.t.s, NULL, &it.c, &w, &a.t.err),
                     KEDGE_ECORRUPT);
    ck_assert_ptr_null(w);
    library_end(&a);
}
