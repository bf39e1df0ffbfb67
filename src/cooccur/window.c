/* SPDX-License-Identifier: MIT */
/*
 * Two counting passes over the batch: one numbers the words that occur and
 * counts their postings, one writes entries and postings. Postings of a word
 * come in the order of documents; the sums do not depend on it.
 */
#include "cooccur/window.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "cooccur/degree.h"

static uint64_t window_pieces(uint64_t length)
{
    return (length + WINDOW_SPLIT_TOKENS - 1) / WINDOW_SPLIT_TOKENS;
}

static bool window_is_damped(const window *w)
{
    return w->statistic != NULL && statistic_damped(w->statistic->kind);
}

/* How a damped document is held: with which bits, in how many parts. */
typedef struct window_cut {
    int bits;
    size_t parts;
} window_cut;

/* No g(h) is above h, so that most documents need no looking at. */
static window_cut window_cut_of(const window *w, const docs *d, size_t m)
{
    window_cut c = {.bits = STATISTIC_VALUE_BITS, .parts = 1};

    if (d->length[m] <= WINDOW_PART_VALUES >> STATISTIC_VALUE_BITS)
        return c;
    for (;; c.bits--) {
        uint64_t sum = 0;
        for (size_t k = d->start[m]; k < d->start[m + 1]; k++)
            sum += statistic_value(w->statistic, d->tally[k], c.bits);
        c.parts = (sum + WINDOW_PART_VALUES - 1) / WINDOW_PART_VALUES;
        if (c.parts <= WINDOW_PARTS || sum == d->start[m + 1] - d->start[m])
            return c;
    }
}

static kedge_status window_reserve(window *w, size_t rows, size_t entries,
                                   size_t vocabulary, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t ids = w->id_capacity;

    TRY_GROW(w->count_of, w->id_capacity, vocabulary);
    if (w->id_capacity > ids)
        memset(w->count_of, 0, w->id_capacity * sizeof *w->count_of);
    TRY_GROW(w->start, w->start_capacity, rows + 1);
    TRY_GROW(w->length, w->length_capacity, rows + 1);
    TRY_GROW(w->parts, w->parts_capacity, rows + 1);
    TRY_GROW(w->local, w->entry_capacity, entries);
    TRY_GROW(w->value, w->value_capacity, entries);
out:
    return st;
}

/* What of a batch goes into a window: documents from w->next up to `end`, and
 * of that one the pieces below `pieces`. */
typedef struct window_share {
    size_t end;
    uint64_t pieces;
    size_t documents, entries; /* of the window; entries at most */
} window_share;

/* How many of `left` pieces of a document of so many words there is room for;
 * *each: entries of a piece at most. An empty window takes one. */
static uint64_t window_room(const window_share *s, size_t words, size_t most,
                            uint64_t left, size_t *each)
{
    uint64_t room = WINDOW_DOCUMENTS - s->documents;

    *each = words < WINDOW_SPLIT_TOKENS ? words : WINDOW_SPLIT_TOKENS;
    if (room * *each > most - s->entries)
        room = (most - s->entries) / *each;
    if (room == 0 && s->documents == 0)
        room = 1;
    return room < left ? room : left;
}

/* Takes the document at s->end, or what there is room for; whether all of it
 * from its piece `begun` on. */
static bool window_take(window *w, const docs *d, window_share *s, size_t most,
                        uint64_t begun)
{
    const bool damped = window_is_damped(w);
    const size_t words = d->start[s->end + 1] - d->start[s->end];
    /* its parts, of which two may share a word; or its pieces */
    const uint64_t all = damped ? window_cut_of(w, d, s->end).parts
                                : window_pieces(d->length[s->end]);
    size_t entries = damped ? words + (size_t)all - 1
                            : docs_cut_entries(d, s->end, WINDOW_SPLIT_TOKENS);
    const bool fits = s->documents + all <= WINDOW_DOCUMENTS;
    uint64_t taken = all;
    size_t each;

    if (damped || all == 1) {
        if (!fits && s->documents > 0)
            return false;
    } else if (begun > 0 || !fits || entries > most) {
        taken = window_room(s, words, most, all - begun, &each);
        entries = (size_t)taken * each;
    }
    s->documents += (size_t)taken;
    s->entries += entries;
    w->counted += damped ? 1 : taken;
    w->tokens += begun == 0 && taken > 0 ? d->length[s->end] : 0;
    s->pieces = begun + taken < all ? begun + taken : 0;
    return begun + taken == all;
}

static window_share window_measure(window *w, const docs *d,
                                   uint64_t min_tokens)
{
    const size_t most = w->most > 0 ? w->most : WINDOW_ENTRIES;
    window_share s = {.end = w->next};

    w->skipped = w->counted = w->tokens = 0;
    for (; s.end < d->count; s.end++) {
        if (d->length[s.end] < min_tokens) {
            w->skipped++;
            continue;
        }
        if (s.entries >= most ||
            !window_take(w, d, &s, most, s.end == w->next ? w->piece : 0))
            break;
    }
    return s;
}

/* An entry, `local` still holding the word's id; counts its posting. */
static void window_add_entry(window *w, size_t at, uint32_t id, uint32_t tally)
{
    w->local[at] = id;
    w->value[at] = (int16_t)tally;
    w->count_of[id]++;
}

static void window_close_document(window *w, size_t at, uint64_t length)
{
    w->parts[w->documents] = 1;
    w->length[w->documents++] = (uint32_t)length;
    w->start[w->documents] = at;
}

/* A document of one piece, or one part. */
static void window_add_whole(window *w, const docs *d, size_t m)
{
    const bool damped = window_is_damped(w);
    size_t at = w->start[w->documents];
    uint64_t length = 0;

    for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
        const uint32_t x = damped ? statistic_value(w->statistic, d->tally[k],
                                                    STATISTIC_VALUE_BITS)
                                  : d->tally[k];
        window_add_entry(w, at++, d->word[k], x);
        length += x;
    }
    window_close_document(w, at, length);
}

/* Each part is filled to the last of its values, so that a word that does not
 * fit goes on in the next. Each of the words has a posting for every part. */
static void window_add_parts(window *w, const docs *d, size_t m,
                             const window_cut *c)
{
    const size_t first = w->documents;
    size_t at = w->start[first];
    uint32_t length = 0;

    for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
        uint32_t x = statistic_value(w->statistic, d->tally[k], c->bits);
        w->count_of[d->word[k]] += (uint32_t)c->parts;
        while (x > 0) {
            const uint32_t room = WINDOW_PART_VALUES - length;
            const uint32_t taken = x < room ? x : room;
            w->local[at] = d->word[k];
            w->value[at++] = (int16_t)taken;
            length += taken;
            x -= taken;
            if (length < WINDOW_PART_VALUES)
                continue;
            window_close_document(w, at, length);
            length = 0;
        }
    }
    if (length > 0)
        window_close_document(w, at, length);
    assert(w->documents - first == c->parts);
    memset(w->parts + first, 0, c->parts * sizeof *w->parts);
    w->parts[first] = (uint32_t)c->parts;
}

/* A document's entries in the order of their words' bytes: rank in the upper
 * half, place in the document in the lower. */
static uint64_t *window_in_order(const window *w, const docs *d, size_t m)
{
    const size_t from = d->start[m], n = d->start[m + 1] - from;
    uint64_t *order = mem_new(n, sizeof *order);

    if (order == NULL)
        return NULL;
    for (size_t k = 0; k < n; k++) {
        const uint32_t id = d->word[from + k];
        order[k] = (uint64_t)(w->rank == NULL ? id : w->rank[id]) << 32 | k;
    }
    qsort(order, n, sizeof *order, compare_u64);
    return order;
}

/* The first place from k on whose end is above t, which one of them is. */
static size_t window_seek(const uint64_t *end, size_t k, uint64_t t, size_t n)
{
    size_t step = 1;

    while (k + step < n && end[k + step - 1] <= t) {
        k += step;
        step *= 2;
    }
    for (; step > 0; step /= 2)
        if (k + step <= n && end[k + step - 1] <= t)
            k += step;
    return k;
}

/* Pieces from `piece` up to `last`. Occurrence t of a document of P pieces goes
 * to piece t mod P, where t counts through the document in the order of its
 * words' bytes. */
static kedge_status window_add_pieces(window *w, const docs *d, size_t m,
                                      uint64_t piece, uint64_t last,
                                      kedge_error *err)
{
    const uint64_t pieces = window_pieces(d->length[m]);
    const size_t n = d->start[m + 1] - d->start[m];
    uint64_t *const order = window_in_order(w, d, m);
    uint64_t *const end = mem_new(n, sizeof *end); /* of a word's occurrences */
    kedge_status st = KEDGE_OK;
    uint64_t sum = 0;

    TRY_MEM(order != NULL);
    for (size_t k = 0; k < n; k++)
        end[k] = sum += d->tally[d->start[m] + (uint32_t)order[k]];
    for (; piece < last; piece++) {
        size_t at = w->start[w->documents], k = 0;
        uint64_t length = 0;
        for (uint64_t t = piece; t < sum;) {
            k = window_seek(end, k, t, n);
            const uint64_t tally = (end[k] - 1 - t) / pieces + 1;
            window_add_entry(w, at++, d->word[d->start[m] + (uint32_t)order[k]],
                             (uint32_t)tally);
            length += tally;
            t += tally * pieces;
        }
        window_close_document(w, at, length);
    }
out:
    mem_free(order);
    mem_free(end);
    return st;
}

static kedge_status window_reserve_words(window *w, size_t vocabulary,
                                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t words = 2, pairs = WINDOW_PADDING;

    for (size_t i = 0; i < vocabulary; i++) {
        words += w->count_of[i] > 0;
        pairs += (w->count_of[i] + 1) / 2;
    }
    TRY_GROW(w->id, w->word_capacity, words);
    TRY_GROW(w->first, w->first_capacity, words);
    TRY_GROW(w->own, w->own_capacity, words);
    TRY_GROW(w->sum, w->sum_capacity, words);
    TRY_GROW(w->pair, w->pair_capacity, pairs);
out:
    return st;
}

/* Each word starts with a pair of its own. While postings are added, first[]
 * counts them and not pairs, one place on: first[local + 1] begins as the
 * word's start and moves to its end. */
static void window_number_words(window *w, size_t vocabulary)
{
    size_t next = 0;

    w->words = 0;
    w->first[0] = 0;
    for (size_t i = 0; i < vocabulary; i++) {
        if (w->count_of[i] == 0)
            continue;
        w->id[w->words] = (uint32_t)i;
        w->own[w->words] = w->sum[w->words] = 0;
        w->first[++w->words] = next;
        next += (w->count_of[i] + 1) / 2 * 2;
        w->count_of[i] = (uint32_t)w->words - 1;
    }
}

static void window_add_posting(window *w, size_t local, size_t m, int64_t a)
{
    const size_t at = w->first[local + 1]++;
    window_pair *p = &w->pair[at / 2];
    const unsigned shift = 16 * (at % 2);
    const int64_t most = (INT64_C(1) << w->limb_bits) - 1;

    if (shift == 0)
        *p = (window_pair){.document = {(uint32_t)m, (uint32_t)m}};
    p->document[at % 2] = (uint32_t)m;
    for (unsigned i = 0; i < WINDOW_LIMBS; i++) {
        const bool last = i + 1 == WINDOW_LIMBS;
        const int64_t limb = last ? a : a & most;
        p->limb[i] |= (uint32_t)(uint16_t)limb << shift;
        a >>= w->limb_bits; /* downwards, where it is negative */
    }
}

/* `factor`: what is left of the document's weight. Its entries still have ids,
 * which become the words' numbers. */
static void window_add_joint(window *w, size_t m, double factor)
{
    const double n = w->length[m];
    const double pairs = n * (n - 1), unit = ldexp(1, STATISTIC_JOINT_BITS);

    for (size_t k = w->start[m]; k < w->start[m + 1]; k++) {
        const uint32_t local = w->count_of[w->local[k]];
        const double h = w->value[k];
        const int64_t weight = (int64_t)rint(h * unit / pairs * factor);
        const int64_t a = w->negative ? -weight : weight;
        w->local[k] = local;
        w->own[local] += a;
        w->sum[local] += a * ((int64_t)w->length[m] - 1);
        window_add_posting(w, local, m, a);
    }
}

/* The same of a damped document whose parts begin with m. */
static void window_add_damped(window *w, size_t m, double factor)
{
    const double unit = ldexp(1, STATISTIC_DAMPED_BITS);
    const size_t end = w->start[m + w->parts[m]];
    uint64_t squares = 0;
    int64_t all = 0;
    uint32_t id;

    for (size_t k = w->start[m]; k < end;) {
        const int64_t x = window_word(w, &k, end, &id);
        all += x;
        squares += (uint64_t)(x * x);
    }
    for (size_t k = w->start[m]; k < end;) {
        size_t at = k;
        const int64_t x = window_word(w, &k, end, &id);
        const uint32_t local = w->count_of[id];
        const double whole = (double)x * unit / (double)squares;
        const int64_t weight = (int64_t)rint(whole * factor);
        const int64_t a = w->negative ? -weight : weight;
        while (at < k)
            w->local[at++] = local;
        w->own[local] += a * x;
        w->sum[local] += a * (all - x);
        for (size_t p = 0; p < w->parts[m]; p++)
            window_add_posting(w, local, m + p, a);
    }
}

static void window_add_postings(window *w)
{
    const bool damped = window_is_damped(w);

    w->limb_bits = damped ? WINDOW_DAMPED_LIMB_BITS : WINDOW_LIMB_BITS;
    for (size_t m = 0; m < w->documents; m += w->parts[m]) {
        const double factor =
            w->degrees == NULL ? 1 : degrees_factor(w->degrees, w, m);
        if (damped)
            window_add_damped(w, m, factor);
        else
            window_add_joint(w, m, factor);
    }
    for (size_t i = 1; i <= w->words; i++)
        w->first[i] = (w->first[i] + 1) / 2;
    memset(w->pair + w->first[w->words], 0, WINDOW_PADDING * sizeof *w->pair);
}

static kedge_status window_add_document(window *w, const docs *d, size_t m,
                                        uint64_t piece, uint64_t last,
                                        kedge_error *err)
{
    const bool damped = window_is_damped(w);

    if (!damped && d->length[m] > WINDOW_SPLIT_TOKENS)
        return window_add_pieces(w, d, m, piece, last, err);
    if (damped) {
        const window_cut c = window_cut_of(w, d, m);
        if (c.parts > 1 || c.bits < STATISTIC_VALUE_BITS) {
            window_add_parts(w, d, m, &c);
            return KEDGE_OK;
        }
    }
    window_add_whole(w, d, m);
    return KEDGE_OK;
}

static kedge_status window_add_documents(window *w, const docs *d,
                                         const window_share *s,
                                         uint64_t min_tokens,
                                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (; w->next < s->end; w->next++, w->piece = 0)
        if (d->length[w->next] >= min_tokens)
            TRY(window_add_document(w, d, w->next, w->piece,
                                    window_pieces(d->length[w->next]), err));
    if (w->piece < s->pieces)
        TRY(window_add_document(w, d, w->next, w->piece, s->pieces, err));
    w->piece = s->pieces;
    w->more = w->next < d->count;
out:
    return st;
}

kedge_status window_go_on(window *w, const docs *d, size_t vocabulary,
                          uint64_t min_tokens, kedge_error *err)
{
    window_share s;
    kedge_status st;

    if (min_tokens < STATISTIC_TOKENS_LEAST) /* no pair: n (n - 1) is 0 */
        min_tokens = STATISTIC_TOKENS_LEAST;
    s = window_measure(w, d, min_tokens);
    w->documents = w->words = 0;
    PASS(window_reserve(w, s.documents, s.entries, vocabulary, err));
    w->start[0] = 0;
    st = window_add_documents(w, d, &s, min_tokens, err);
    if (st == KEDGE_OK)
        st = window_reserve_words(w, vocabulary, err);
    if (st != KEDGE_OK) {
        memset(w->count_of, 0, w->id_capacity * sizeof *w->count_of);
        w->documents = w->words = 0;
        return st;
    }
    window_number_words(w, vocabulary);
    window_add_postings(w);
    for (size_t i = 0; i < w->words; i++)
        w->count_of[w->id[i]] = 0;
    return KEDGE_OK;
}

kedge_status window_fill(window *w, const docs *d, size_t vocabulary,
                         uint64_t min_tokens, kedge_error *err)
{
    w->next = 0;
    w->piece = 0;
    return window_go_on(w, d, vocabulary, min_tokens, err);
}

void window_free(window *w)
{
    mem_free_all(w->start, w->local, w->value, w->length, w->parts, w->id,
                 w->first, w->pair, w->own, w->sum, w->count_of);
    *w = (window){0};
}

/* ---- documents of it ----------------------------------------------------- */

kedge_status basket_create(size_t rows, basket *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *out = (basket){0};
    TRY_MEM(out->row = mem_new(rows, sizeof *out->row));
    TRY_MEM(out->x = mem_new(rows, sizeof *out->x));
out:
    if (st != KEDGE_OK)
        basket_free(out);
    return st;
}

void basket_free(basket *b)
{
    mem_free_all(b->row, b->x);
    *b = (basket){0};
}

size_t basket_read(basket *b, const window *w, size_t m)
{
    const size_t next = m + w->parts[m], end = w->start[next];
    double sum = 0, squares = 0, pairs;

    b->damped = window_is_damped(w);
    b->count = 0;
    for (size_t k = w->start[m]; k < end;) {
        uint32_t word;
        const double x = (double)window_word(w, &k, end, &word);
        b->row[b->count] = w->id[word];
        b->x[b->count++] = x;
        sum += x;
        squares += x * x;
    }
    pairs = b->damped ? squares : sum * (sum - 1);
    b->weight = pairs > 0 ? 1 / pairs : 0;
    b->mass = b->weight * (sum * sum - (b->damped ? squares : sum));
    return next;
}
