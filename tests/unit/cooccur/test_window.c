/* SPDX-License-Identifier: MIT */
#include "cooccur/corpus.h"

#include "base/gate.h"
#include "cooccur/window.h"

/* Piece number `at` of the window is this piece of document m. */
static size_t check_piece(const window *w, const docs *d, size_t m,
                          size_t at, const uint64_t *tally)
{
    size_t entry = w->start[at], wrong = 0;

    for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
        const uint64_t h = tally[k - d->start[m]];
        if (h == 0)
            continue;
        wrong += w->id[w->local[entry]] != d->word[k];
        wrong += w->value[entry++] != (int64_t)h;
    }
    return wrong + (entry != w->start[at + 1]);
}

static size_t check_documents(const window *w, const docs *d,
                              uint64_t min_tokens)
{
    size_t at = 0, wrong = 0;

    for (size_t m = 0; m < d->count; m++) {
        const uint64_t pieces = (d->length[m] + 9999) / 10000;
        OWNED uint64_t *tally = calloc(d->start[m + 1] - d->start[m] + 1, 8);
        for (uint64_t p = 0; d->length[m] >= min_tokens && p < pieces; p++) {
            const uint64_t n = corpus_piece(d, m, pieces, p, tally);
            wrong += w->length[at] != n;
            wrong += check_piece(w, d, m, at++, tally);
        }
    }
    return wrong + (at != w->documents);
}

/* The postings are the entries, turned round, with their weights. */
static size_t check_postings(const window *w)
{
    OWNED size_t *next = calloc(w->words + 1, sizeof *next);
    size_t wrong = 0;
    OWNED int64_t *own = calloc(w->words + 1, sizeof *own);
    OWNED int64_t *sum = calloc(w->words + 1, sizeof *sum);

    for (size_t i = 0; i < w->words; i++) {
        next[i] = 2 * w->first[i];
        wrong += i > 0 && w->id[i] <= w->id[i - 1];
        wrong += w->first[i + 1] <= w->first[i];
    }
    for (size_t m = 0; m < w->documents; m++)
        for (size_t k = w->start[m]; k < w->start[m + 1]; k++) {
            const size_t at = next[w->local[k]]++;
            const int64_t weight =
                corpus_weight((uint64_t)w->value[k], w->length[m]);
            const int64_t a = w->negative ? -weight : weight;
            wrong += w->pair[at / 2].document[at % 2] != m;
            wrong += window_weight(&w->pair[at / 2], at % 2, 14) != a;
            own[w->local[k]] += a;
            sum[w->local[k]] += a * ((int64_t)w->length[m] - 1);
        }
    for (size_t i = 0; i < w->words; i++) {
        wrong += (next[i] + 1) / 2 != w->first[i + 1];
        wrong +=
            next[i] % 2 == 1 && window_weight(&w->pair[next[i] / 2], 1, 14);
        wrong += w->own[i] != own[i] || w->sum[i] != sum[i];
    }
    for (size_t i = 0; i < WINDOW_PADDING; i++)
        wrong += w->pair[w->first[w->words] + i].document[0] != 0;
    return wrong;
}

static size_t check_counts(const window *w, const docs *d,
                           uint64_t min_tokens)
{
    uint64_t skipped = 0, counted = 0, tokens = 0;

    for (size_t m = 0; m < d->count; m++) {
        const bool counts = d->length[m] >= min_tokens;
        skipped += !counts;
        counted += counts ? (d->length[m] + 9999) / 10000 : 0;
        tokens += counts ? d->length[m] : 0;
    }
    return w->skipped != skipped || w->counted != counted ||
           w->tokens != tokens;
}

static void check(window *w, const docs *d, size_t vocabulary,
                  uint64_t min_tokens)
{
    kedge_error err = {0};

    ck_ok(window_fill(w, d, vocabulary, min_tokens, &err), err);
    ck_assert_uint_eq(check_counts(w, d, min_tokens), 0);
    ck_assert_uint_eq(check_documents(w, d, min_tokens), 0);
    ck_assert_uint_eq(check_postings(w), 0);
    for (size_t i = 0; i < w->id_capacity; i++)
        if (w->count_of[i] != 0)
            ck_abort_msg("count %zu is not cleared", i);
}

TEST(windows_are_batches_turned_round)
{
    window w = {0};
    OWN(docs_free) docs d = {0};

    for (uint64_t seed = 0; seed < 60; seed++) {
        const corpus_opts o = {seed, 1 + seed * seed, 20 + 31 * (seed % 9),
                               40, seed % 3 == 0 ? 1 : 20};
        corpus_make(&d, &o);
        w.negative = seed / 2 % 2 == 1;
        check(&w, &d, o.vocabulary, 2 + seed % 5);
    }
    window_free(&w);
    ck_assert_ptr_null(w.start);
}

/* But for the signs of the weights, it is the same window. */
TEST(the_negative_is_the_window_with_other_signs)
{
    window w[2] = {{0}, {.negative = true}};
    OWN(docs_free) docs d = {0};
    kedge_error err = {0};

    for (uint64_t seed = 0; seed < 30; seed++) {
        const corpus_opts o = {seed, 1 + 5 * seed, 20 + 31 * (seed % 9), 40,
                               seed % 5 == 0 ? 3000 : 5};
        statistic s;
        size_t wrong = 0;
        statistic_open(&s, (uint32_t)seed % STATISTICS);
        corpus_make(&d, &o);
        w[0].statistic = w[1].statistic = &s;
        for (int side = 0; side < 2; side++)
            ck_ok(window_fill(&w[side], &d, o.vocabulary, 3, &err), err);
        ck_assert(w[1].negative);
        ck_assert_uint_eq(w[0].documents, w[1].documents);
        ck_assert_uint_eq(w[0].words, w[1].words);
        for (size_t i = 0; i < w[0].words; i++) {
            wrong += w[0].own[i] + w[1].own[i] != 0 || w[0].own[i] <= 0;
            wrong += w[0].sum[i] + w[1].sum[i] != 0;
            wrong += w[0].id[i] != w[1].id[i];
        }
        for (size_t at = 0; at < 2 * w[0].first[w[0].words]; at++) {
            const window_pair *a = &w[0].pair[at / 2], *b = &w[1].pair[at / 2];
            wrong += window_weight(a, at % 2, w[0].limb_bits) +
                         window_weight(b, at % 2, w[1].limb_bits) != 0;
            wrong += a->document[at % 2] != b->document[at % 2];
            for (unsigned l = 0; l + 1 < WINDOW_LIMBS; l++)
                wrong += (b->limb[l] >> 16 * (at % 2) & 0xffff) >=
                         1U << w[1].limb_bits;
        }
        ck_assert_uint_eq(wrong, 0);
    }
    for (int side = 0; side < 2; side++)
        window_free(&w[side]);
}

/* Words 0, 1, 2 under other ids: the pieces hold the same words, whatever the
 * ids, once the window knows the words' order. */
TEST(pieces_do_not_depend_on_ids)
{
    static const uint32_t tally[] = {7001, 9002, 8003};
    static const uint32_t rank[] = {2, 0, 1}; /* id → word */
    OWN(window_free) window a = {0}, b = {.rank = rank};
    OWN(docs_free) docs plain = {0}, other = {0};
    kedge_error err = {0};

    corpus_need(docs_begin(&plain, 1) && docs_begin(&other, 1));
    for (uint32_t i = 0; i < 3; i++) {
        corpus_need(docs_push(&plain, i, tally[i]));
        corpus_need(docs_push(&other, i, tally[rank[i]]));
    }
    ck_ok(window_fill(&a, &plain, 3, 2, &err), err);
    ck_ok(window_fill(&b, &other, 3, 2, &err), err);
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
    kedge_error err = {0};

    corpus_need(docs_begin(&d, 1) && docs_push(&d, 0, 100000000));
    for (uint32_t i = 1; i < 1000; i++)
        corpus_need(docs_push(&d, i, 1));
    ck_ok(window_fill(&w, &d, 1000, 2, &err), err);
    ck_assert_uint_eq(w.documents, 10001);
    ck_assert_uint_eq(w.start[w.documents], 10001 + 999);
    ck_assert_uint_le(w.entry_capacity, 1 << 15);
}

/* What does not fit comes in windows after it, piece for piece as in one. */
TEST(a_batch_can_take_several_windows)
{
    static const size_t most[] = {1, 40, 1000, 5000};
    OWN(docs_free) docs d = {0};
    kedge_error err = {0};
    OWN(window_free) window all = {0};

    for (uint32_t m = 0; m < 40; m++) {
        corpus_need(docs_begin(&d, m + 1));
        for (uint32_t i = m % 3; i < 60; i += 1 + m % 5)
            corpus_need(docs_push(&d, i, 1 + i * m * m % 9000));
    }
    ck_ok(window_fill(&all, &d, 60, 100, &err), err);
    ck_assert(!all.more && all.documents > 300 && all.skipped > 0);
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        OWN(window_free) window w = {.most = most[i]};
        size_t at = 0, wrong = 0;
        uint64_t skipped = 0, counted = 0, tokens = 0;
        ck_ok(window_fill(&w, &d, 60, 100, &err), err);
        for (;;) {
            ck_assert_uint_eq(check_postings(&w), 0);
            ck_assert_uint_gt(w.documents, 0);
            ck_assert_uint_le(w.start[w.documents], 2 * most[i] + 60);
            for (size_t m = 0; m < w.documents; m++, at++) {
                const size_t k = w.start[m], to = all.start[at];
                wrong += w.length[m] != all.length[at];
                wrong += w.start[m + 1] - k != all.start[at + 1] - to;
                for (size_t e = 0; e < w.start[m + 1] - k; e++) {
                    wrong += w.id[w.local[k + e]] != all.id[all.local[to + e]];
                    wrong += w.value[k + e] != all.value[to + e];
                }
            }
            skipped += w.skipped;
            counted += w.counted;
            tokens += w.tokens;
            if (!w.more)
                break;
            ck_ok(window_go_on(&w, &d, 60, 100, &err), err);
        }
        ck_assert_uint_eq(wrong, 0);
        ck_assert_uint_eq(at, all.documents);
        ck_assert_uint_eq(skipped, all.skipped);
        ck_assert_uint_eq(counted, all.counted);
        ck_assert_uint_eq(tokens, all.tokens);
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
    ck_ok(window_fill(&w, &d, 2, 2, &err), err);
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
    kedge_error err = {0};

    corpus_need(docs_begin(&d, 1) && docs_push(&d, 3, 2));
    corpus_need(docs_begin(&d, 2) && docs_push(&d, 1, 1) &&
                docs_push(&d, 3, 1));
    corpus_need(docs_begin(&d, 3) && docs_push(&d, 0, 1));
    ck_ok(window_fill(&w, &d, 4, 2, &err), err);
    ck_assert_uint_eq(w.skipped, 1);
    ck_assert_uint_eq(w.words, 2);
    ck_assert_uint_eq(w.id[0], 1);
    ck_assert_uint_eq(w.id[1], 3);
    ck_assert_int_eq(window_weight(&w.pair[0], 0, 14), INT64_C(1) << 39);
    ck_assert_int_eq(window_weight(&w.pair[1], 0, 14), INT64_C(1) << 40);
    ck_assert_int_eq(window_weight(&w.pair[1], 1, 14), INT64_C(1) << 39);
}

/* ---- damped statistics --------------------------------------------------- */

/* A document's parts begin at number `at`: values that add up, part by part,
 * none too large; every part but the last one is full. */
static size_t check_parts(const window *w, const docs *d, size_t m, size_t at,
                          int bits)
{
    const size_t parts = w->parts[at];
    const uint32_t kind = w->statistic->kind;
    size_t entry = w->start[at], k = d->start[m], wrong = 0;
    int64_t left = corpus_value(kind, d->tally[k], bits);

    for (size_t p = at; p < at + parts; p++) {
        int64_t length = 0;
        wrong += p > at && (w->parts[p] != 0 || w->length[p - 1] != 32767);
        for (; entry < w->start[p + 1]; entry++) {
            wrong += w->id[w->local[entry]] != d->word[k];
            wrong += w->value[entry] < 1;
            length += w->value[entry];
            left -= w->value[entry];
            if (left > 0)
                continue;
            wrong += left < 0;
            if (++k < d->start[m + 1])
                left = corpus_value(kind, d->tally[k], bits);
        }
        wrong += length != w->length[p] || length > 32767;
    }
    return wrong + (k != d->start[m + 1]);
}

typedef struct turned {
    size_t *next;  /* by word of the window: its next posting */
    int64_t *own, *sum;
} turned;

/* All words of the document have a posting for each of its parts. */
static size_t check_turned(const window *w, const docs *d, size_t m, size_t at,
                           int bits, turned *t)
{
    size_t local = 0, wrong = 0;
    uint64_t squares = 0;
    int64_t all = 0;

    for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
        const int64_t x = corpus_value(w->statistic->kind, d->tally[k], bits);
        all += x;
        squares += (uint64_t)(x * x);
    }
    for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
        const int64_t x = corpus_value(w->statistic->kind, d->tally[k], bits);
        const int64_t weight = corpus_damped_weight(x, squares);
        const int64_t a = w->negative ? -weight : weight;
        while (w->id[local] < d->word[k])
            local++;
        wrong += w->id[local] != d->word[k] || weight > 1 << 27;
        for (size_t p = 0; p < w->parts[at]; p++) {
            const size_t to = t->next[local]++;
            wrong += w->pair[to / 2].document[to % 2] != at + p;
            wrong += window_weight(&w->pair[to / 2], to % 2, 9) != a;
        }
        t->own[local] += a * x;
        t->sum[local] += a * (all - x);
    }
    return wrong;
}

/* Returns how many parts there are at most. */
static size_t check_damped(window *w, const docs *d, size_t vocabulary,
                           uint64_t min_tokens)
{
    kedge_error err = {0};
    turned t = {0};
    size_t at = 0, most = 0, wrong = 0, counted = 0;

    ck_ok(window_fill(w, d, vocabulary, min_tokens, &err), err);
    ck_assert_uint_eq(w->limb_bits, 9);
    t.next = calloc(w->words + 1, sizeof *t.next);
    t.own = calloc(w->words + 1, sizeof *t.own);
    t.sum = calloc(w->words + 1, sizeof *t.sum);
    for (size_t i = 0; i < w->words; i++)
        t.next[i] = 2 * w->first[i];
    for (size_t m = 0; m < d->count; m++) {
        const int bits = corpus_bits(w->statistic->kind, d, m);
        if (d->length[m] < min_tokens)
            continue;
        wrong += check_parts(w, d, m, at, bits);
        wrong += check_turned(w, d, m, at, bits, &t);
        most = w->parts[at] > most ? w->parts[at] : most;
        at += w->parts[at];
        counted++;
    }
    for (size_t i = 0; i < w->words; i++) {
        wrong += (t.next[i] + 1) / 2 != w->first[i + 1];
        wrong += t.own[i] != w->own[i] || t.sum[i] != w->sum[i];
    }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(at, w->documents);
    ck_assert_uint_eq(w->counted, counted);
    for (size_t i = 0; i < w->id_capacity; i++)
        if (w->count_of[i] != 0)
            ck_abort_msg("count %zu is not cleared", i);
    free(t.next);
    free(t.own);
    free(t.sum);
    return most;
}

TEST(damped_windows_are_batches_turned_round)
{
    OWN(window_free) window w = {0};
    OWN(docs_free) docs d = {0};

    for (uint64_t seed = 0; seed < 60; seed++) {
        const corpus_opts o = {seed, 1 + seed * seed, 20 + 31 * (seed % 9),
                               40, seed % 3 == 0 ? 1 : 20};
        statistic s;
        statistic_open(&s, 1 + (uint32_t)seed % 2);
        w.statistic = &s;
        w.negative = seed / 2 % 2 == 1;
        corpus_make(&d, &o);
        ck_assert_uint_le(check_damped(&w, &d, o.vocabulary, 2 + seed % 5), 1);
    }
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
                const size_t parts = check_damped(&w, &d, 200000, 2);
                seen[parts < 11 ? parts : 11]++;
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
        if (seed % STATISTICS == 0)
            check(&w, &d, 300, 2);
        else
            check_damped(&w, &d, 300, 2);
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
            kedge_error err = {0};
            statistic g;
            OWN(window_free) window w = {.statistic = &g};
            statistic_open(&g, kind);
            ck_ok(window_fill(&w, &d, 10, least, &err), err);
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
