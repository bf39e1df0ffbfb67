/* SPDX-License-Identifier: MIT */
#include "cooccur/corpus.h"

#include "base/gate.h"
#include "cooccur/window.h"

/* Takes from C (n x n) and from the sums of its rows what a window adds: each
 * posting of a word as often as its document has the other words. How much is
 * not as it should be. */
static size_t take(const window *w, int64_t *c, size_t n)
{
    const int sign = w->negative ? -1 : 1;
    size_t wrong = 0;

    for (size_t i = 0; i < w->words; i++) {
        int64_t *const row = c + w->id[i] * n, sum = -w->own[i];
        for (size_t at = 2 * w->first[i]; at < 2 * w->first[i + 1]; at++) {
            const window_pair *const p = &w->pair[at / 2];
            const size_t m = p->document[at % 2];
            const int64_t a = window_weight(p, at % 2, w->limb_bits);
            for (size_t k = w->start[m]; k < w->start[m + 1]; k++)
                row[w->id[w->local[k]]] -= sign * a * w->value[k];
            for (unsigned l = 0; l + 1 < WINDOW_LIMBS; l++)
                wrong += (p->limb[l] >> 16 * (at % 2) & 0xffff) >=
                         1U << w->limb_bits;
            sum += a * w->length[m];
        }
        row[w->id[i]] += sign * w->own[i];
        wrong += w->sum[i] != sum || (i > 0 && w->id[i] <= w->id[i - 1]);
    }
    for (size_t i = 0; i < WINDOW_PADDING; i++)
        wrong += w->pair[w->first[w->words] + i].document[0] != 0;
    return wrong;
}

static size_t left(const int64_t *c, size_t n)
{
    size_t wrong = 0;

    for (size_t i = 0; i < n * n; i++)
        wrong += c[i] != 0;
    return wrong;
}

static uint32_t kind_of(const window *w)
{
    return w->statistic != NULL ? w->statistic->kind : STATISTIC_JOINT;
}

/* Parts are full but for the last one, and none is too large. */
static void check_parts(const window *w)
{
    size_t wrong = 0;

    for (size_t m = 0; m < w->documents; m++) {
        int64_t length = 0;
        for (size_t k = w->start[m]; k < w->start[m + 1]; k++) {
            wrong += w->value[k] < 1;
            length += w->value[k];
        }
        wrong += length != w->length[m] || length > 32767;
        wrong += w->parts[m] == 0 && w->length[m - 1] != 32767;
    }
    ck_assert_uint_eq(wrong, 0);
}

/* What it adds is what the formula says. */
static void check(window *w, const docs *d, size_t vocabulary,
                  uint64_t min_tokens)
{
    OWN(words_free) words all = {0};
    uint64_t skipped = 0, counted = 0, tokens = 0;

    corpus_words(&all, vocabulary);
    OWNED int64_t *c = corpus_square(d, &all, kind_of(w), min_tokens);
    corpus_window(w, d, vocabulary, min_tokens);
    ck_assert_uint_eq(take(w, c, vocabulary), 0);
    ck_assert_uint_eq(left(c, vocabulary), 0);
    check_parts(w);
    for (size_t m = 0; m < d->count; m++) {
        const bool counts = d->length[m] >= min_tokens;
        skipped += !counts;
        tokens += counts ? d->length[m] : 0;
        if (counts)
            counted += statistic_damped(kind_of(w))
                           ? 1 : (d->length[m] + 9999) / 10000;
    }
    ck_assert(w->skipped == skipped && w->counted == counted &&
              w->tokens == tokens);
    for (size_t i = 0; i < w->id_capacity; i++)
        if (w->count_of[i] != 0)
            ck_abort_msg("count %zu is not cleared", i);
}

TEST(windows_are_batches_turned_round)
{
    OWN(window_free) window w = {0};
    OWN(docs_free) docs d = {0};

    for (uint64_t seed = 0; seed < 90; seed++) {
        const corpus_opts o = {seed, 1 + seed * seed / 2,
                               20 + 31 * (seed % 9), 40,
                               seed % 5 == 0 ? 3000 : seed % 3 == 0 ? 1 : 20};
        statistic s;
        statistic_open(&s, (uint32_t)seed % STATISTICS);
        w.statistic = &s;
        w.negative = seed / 2 % 2 == 1;
        corpus_make(&d, &o);
        check(&w, &d, o.vocabulary, 2 + seed % 5);
    }
}

/* Words 0, 1, 2 under other ids: the pieces hold the same words, whatever the
 * ids, once the window knows the words' order. */
TEST(pieces_do_not_depend_on_ids)
{
    static const uint32_t tally[] = {7001, 9002, 8003};
    static const uint32_t rank[] = {2, 0, 1}; /* id → word */
    OWN(window_free) window a = {0}, b = {.rank = rank};
    OWN(docs_free) docs plain = {0}, other = {0};

    corpus_need(docs_begin(&plain, 1) && docs_begin(&other, 1));
    for (uint32_t i = 0; i < 3; i++) {
        corpus_need(docs_push(&plain, i, tally[i]));
        corpus_need(docs_push(&other, i, tally[rank[i]]));
    }
    corpus_window(&a, &plain, 3, 2);
    corpus_window(&b, &other, 3, 2);
    ck_assert_uint_eq(a.documents, 3);
    ck_assert_uint_eq(b.documents, 3);
    for (size_t m = 0; m < 3; m++) {
        ck_assert_uint_eq(a.start[m + 1], b.start[m + 1]);
        for (size_t k = a.start[m]; k < a.start[m + 1]; k++) {
            ck_assert_uint_eq(a.id[a.local[k]], rank[b.id[b.local[k]]]);
            ck_assert_int_eq(a.value[k], b.value[k]);
        }
    }
}

TEST(long_documents_come_in_pieces)
{
    static const uint32_t lengths[] = {9999,  10000, 10001, 19999, 20000,
                                       20001, 99999, 123456};
    OWN(window_free) window w = {0};
    OWN(docs_free) docs d = {0};

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        uint32_t rest = lengths[i];
        chance c = {.key = i};
        corpus_need(docs_begin(&d, i + 1));
        for (uint32_t word = 0; word < 60 && rest > 0; word++) {
            const uint32_t tally = 1 + (uint32_t)chance_below(&c, rest / 2 + 1);
            corpus_need(docs_push(&d, word, tally));
            rest -= tally;
        }
        if (rest > 0)
            corpus_need(docs_push(&d, 60, rest));
        ck_assert_uint_eq(d.length[i], lengths[i]);
    }
    check(&w, &d, 61, 2);
    ck_assert_uint_eq(w.counted, w.documents);
    ck_assert_uint_eq(w.documents, 1 + 1 + 2 + 2 + 2 + 3 + 10 + 13);
    for (size_t m = 0; m < w.documents; m++)
        ck_assert_uint_le(w.length[m], WINDOW_SPLIT_TOKENS);
}

/* One word a hundred million times: no more room than its tokens need. */
TEST(long_documents_take_no_more_than_their_tokens)
{
    OWN(window_free) window w = {0};
    OWN(docs_free) docs d = {0};

    corpus_need(docs_begin(&d, 1) && docs_push(&d, 0, 100000000));
    for (uint32_t i = 1; i < 1000; i++)
        corpus_need(docs_push(&d, i, 1));
    corpus_window(&w, &d, 1000, 2);
    ck_assert_uint_eq(w.documents, 10001);
    ck_assert_uint_eq(w.start[w.documents], 10001 + 999);
    ck_assert_uint_le(w.entry_capacity, 1 << 15);
}

/* What does not fit comes in windows after it, piece for piece as in one. */
TEST(a_batch_can_take_several_windows)
{
    static const size_t most[] = {1, 40, 1000, 5000};
    OWN(docs_free) docs d = {0};
    OWN(words_free) words all = {0};
    kedge_error err = {0};
    OWN(window_free) window one = {0};

    corpus_words(&all, 60);
    for (uint32_t m = 0; m < 40; m++) {
        corpus_need(docs_begin(&d, m + 1));
        for (uint32_t i = m % 3; i < 60; i += 1 + m % 5)
            corpus_need(docs_push(&d, i, 1 + i * m * m % 9000));
    }
    corpus_window(&one, &d, 60, 100);
    ck_assert(!one.more && one.documents > 300 && one.skipped > 0);
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        OWN(window_free) window w = {.most = most[i]};
        OWNED int64_t *c = corpus_square(&d, &all, STATISTIC_JOINT, 100);
        uint64_t documents = 0, skipped = 0, counted = 0, tokens = 0;
        corpus_window(&w, &d, 60, 100);
        for (;;) {
            ck_assert_uint_eq(take(&w, c, 60), 0);
            ck_assert_uint_gt(w.documents, 0);
            ck_assert_uint_le(w.start[w.documents], 2 * most[i] + 60);
            documents += w.documents;
            skipped += w.skipped;
            counted += w.counted;
            tokens += w.tokens;
            if (!w.more)
                break;
            ck_ok(window_go_on(&w, &d, 60, 100, &err), err);
        }
        ck_assert_uint_eq(left(c, 60), 0);
        ck_assert_uint_eq(documents, one.documents);
        ck_assert(skipped == one.skipped && counted == one.counted &&
                  tokens == one.tokens);
    }
}

/* A few bytes can tell of millions of pieces: no window has more documents than
 * is planned for. */
TEST(no_window_has_more_documents_than_there_may_be)
{
    OWN(window_free) window w = {0};
    OWN(docs_free) docs d = {0};
    kedge_error err = {0};
    uint64_t counted = 0;

    corpus_need(docs_begin(&d, 1) && docs_push(&d, 0, UINT32_MAX) &&
                docs_push(&d, 1, 1000));
    corpus_window(&w, &d, 2, 2);
    for (;;) {
        ck_assert_uint_le(w.documents, WINDOW_DOCUMENTS);
        counted += w.counted;
        if (!w.more)
            break;
        ck_ok(window_go_on(&w, &d, 2, 2, &err), err);
    }
    ck_assert_uint_eq(counted, (UINT32_MAX + UINT64_C(1000)) / 10000 + 1);
    ck_assert_uint_le(w.entry_capacity, 4 * WINDOW_DOCUMENTS);
}

/* Few tokens: n is 2, weights are the largest there are. */
TEST(small_documents_weigh_most)
{
    OWN(window_free) window w = {0};
    OWN(docs_free) docs d = {0};

    corpus_need(docs_begin(&d, 1) && docs_push(&d, 3, 2));
    corpus_need(docs_begin(&d, 2) && docs_push(&d, 1, 1) &&
                docs_push(&d, 3, 1));
    corpus_need(docs_begin(&d, 3) && docs_push(&d, 0, 1));
    corpus_window(&w, &d, 4, 2);
    ck_assert_uint_eq(w.skipped, 1);
    ck_assert_uint_eq(w.words, 2);
    ck_assert_uint_eq(w.id[0], 1);
    ck_assert_uint_eq(w.id[1], 3);
    ck_assert_int_eq(window_weight(&w.pair[0], 0, 14), INT64_C(1) << 39);
    ck_assert_int_eq(window_weight(&w.pair[1], 0, 14), INT64_C(1) << 40);
    ck_assert_int_eq(window_weight(&w.pair[1], 1, 14), INT64_C(1) << 39);
}

/* Of many words, and of words that come very often, some by themselves. */
TEST(long_damped_documents_come_in_parts)
{
    static const size_t entries[] = {1,    700,  1023,  1024,  1025,  2000,
                                     4095, 4096, 10000, 30000, 200000};
    static const uint32_t tally[] = {1, 2, 300, 5000000, UINT32_MAX};
    size_t seen[12] = {0};
    chance c = {.key = 8};
    OWN(window_free) window w = {0};
    OWN(docs_free) docs d = {0};

    for (uint32_t kind = STATISTIC_LOG; kind < STATISTICS; kind++)
        for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
            for (size_t j = 0; j < sizeof tally / sizeof *tally; j++) {
                statistic s;
                statistic_open(&s, kind);
                w.statistic = &s;
                w.negative = j % 2 == 1;
                docs_clear(&d);
                corpus_long(&d, &c, 40, 9);
                corpus_long(&d, &c, entries[i], tally[j]);
                corpus_long(&d, &c, 30, 9);
                if (entries[i] <= 1025)
                    check(&w, &d, 1025, 2);
                corpus_window(&w, &d, 200000, 2);
                check_parts(&w);
                if (w.skipped > 0) /* a single word has no pair */
                    continue;
                ck_assert_uint_eq(w.documents, 2 + w.parts[1]);
                seen[w.parts[1] < 11 ? w.parts[1] : 11]++;
            }
    for (size_t parts = 1; parts <= 4; parts++)
        ck_assert_msg(seen[parts] > 0, "%zu parts", parts);
    ck_assert_uint_gt(seen[7], 0); /* 200,000 words: each of them 1 */
}

/* The same window for one document and then another, whatever came before. */
TEST(statistics_take_turns_in_a_window)
{
    OWN(window_free) window w = {0};
    OWN(docs_free) docs d = {0};

    for (uint64_t seed = 0; seed < 30; seed++) {
        statistic s;
        corpus_make(&d, &(corpus_opts){seed, 50, 300, 40, 2000});
        statistic_open(&s, (uint32_t)seed % STATISTICS);
        w.statistic = seed % 6 == 0 ? NULL : &s;
        check(&w, &d, 300, 2);
    }
}

TEST(nothing_makes_an_empty_window)
{
    OWN(window_free) window w = {0};
    OWN(docs_free) docs d = {0};

    check(&w, &d, 0, 2);
    check(&w, &d, 10, 2);
    corpus_need(docs_begin(&d, 1) && docs_push(&d, 3, 4));
    corpus_need(docs_begin(&d, 2));
    check(&w, &d, 10, 5);
    ck_assert_uint_eq(w.documents, 0);
    ck_assert_uint_eq(w.words, 0);
    ck_assert_uint_eq(w.skipped, 2);
    check(&w, &d, 10, 4);
    ck_assert_uint_eq(w.words, 1);
}

/* One token has no pair: its document is short, whatever is enough. */
TEST(a_document_of_one_token_is_short)
{
    OWN(docs_free) docs d = {0};

    corpus_need(docs_begin(&d, 1) && docs_push(&d, 3, 1));
    corpus_need(docs_begin(&d, 2) && docs_push(&d, 1, 1) &&
                docs_push(&d, 3, 1));
    for (uint32_t kind = 0; kind < STATISTICS; kind++)
        for (uint64_t least = 0; least < 2; least++) {
            statistic g;
            OWN(window_free) window w = {.statistic = &g};
            statistic_open(&g, kind);
            corpus_window(&w, &d, 10, least);
            ck_assert_uint_eq(w.skipped, 1);
            ck_assert_uint_eq(w.counted, 1);
            ck_assert_uint_eq(w.tokens, 2);
            ck_assert_uint_eq(w.words, 2);
        }
}

/* A window that met the lack of memory can be filled again. */
TEST(no_memory_is_survived)
{
    OWN(window_free) window w = {0};
    OWN(docs_free) docs small = {0}, large = {0};
    kedge_error err = {0};
    long k = 0;

    corpus_make(&small, &(corpus_opts){1, 20, 30, 10, 3});
    corpus_make(&large, &(corpus_opts){2, 900, 300, 90, 3});
    check(&w, &small, 30, 2);
    for (;; k++) {
        gate_allow(k);
        const kedge_status st = window_fill(&w, &large, 300, 2, &err);
        gate_open();
        if (st == KEDGE_OK)
            break;
        ck_assert_int_eq(st, KEDGE_ENOMEM);
        check(&w, &small, 30, 2);
    }
    ck_assert_int_ge(k, 4);
    check(&w, &large, 300, 2);
}
