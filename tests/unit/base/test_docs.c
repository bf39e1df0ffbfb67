/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <stdio.h>

#include "base/chance.h"
#include "base/docs.h"
#include "base/gate.h"

TEST(an_empty_batch_is_zero)
{
    docs d = {0};

    ck_assert_uint_eq(docs_entries(&d), 0);
    docs_clear(&d);
    ck_assert_uint_eq(d.count, 0);
    ck_assert(docs_begin(&d, 17));
    ck_assert_uint_eq(d.count, 1);
    ck_assert_uint_eq(docs_entries(&d), 0);
    ck_assert_uint_eq(d.length[0], 0);
    docs_free(&d);
    ck_assert_ptr_null(d.start);
    ck_assert_uint_eq(d.count, 0);
    docs_free(&d);
}

static void push(docs *d, uint32_t word, uint32_t tally)
{
    if (!docs_push(d, word, tally))
        ck_abort_msg("no memory");
}

/* Documents of 0 to 40 entries, a function of the seed. */
static void fill(docs *d, uint64_t seed, size_t count)
{
    chance c = {.key = seed};

    docs_clear(d);
    for (size_t m = 0; m < count; m++) {
        const size_t n = chance_below(&c, 41);
        if (!docs_begin(d, 10 * m + 1))
            ck_abort_msg("no memory");
        for (size_t k = 0; k < n; k++) {
            const uint32_t word = (uint32_t)chance_bits(&c);
            push(d, word, (uint32_t)chance_bits(&c));
        }
    }
}

static void check(const docs *d, uint64_t seed, size_t count)
{
    chance c = {.key = seed};
    size_t wrong = 0, entries = 0;

    ck_assert_uint_eq(d->count, count);
    for (size_t m = 0; m < count; m++) {
        const size_t n = chance_below(&c, 41);
        uint64_t length = 0;
        wrong += d->start[m] != entries || d->position[m] != 10 * m + 1;
        wrong += d->start[m + 1] != entries + n;
        for (size_t k = entries; k < entries + n; k++) {
            wrong += d->word[k] != (uint32_t)chance_bits(&c);
            wrong += d->tally[k] != (uint32_t)chance_bits(&c);
            length += d->tally[k];
        }
        wrong += d->length[m] != length;
        entries += n;
    }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(docs_entries(d), entries);
}

TEST(documents_are_what_was_pushed)
{
    OWN(docs_free) docs d = {0};

    for (uint64_t seed = 0; seed < 20; seed++) {
        fill(&d, seed, 1 + 100 * (20 - seed));
        check(&d, seed, 1 + 100 * (20 - seed));
    }
}

TEST(clearing_keeps_the_memory)
{
    OWN(docs_free) docs d = {0};

    fill(&d, 1, 500);
    gate_allow(0);
    fill(&d, 1, 500);
    gate_open();
    check(&d, 1, 500);
}

/* A batch that met the lack of memory goes on where it stopped. */
TEST(a_push_that_fails_can_be_repeated)
{
    OWN(docs_free) docs d = {0};
    unsigned failed = 0;

    for (uint32_t m = 0; m < 200; m++) {
        for (long k = 0;; k++) {
            gate_allow(k);
            const bool done = docs_begin(&d, m + 1);
            gate_open();
            ck_assert_uint_eq(d.count, done ? m + 1 : m);
            if (done)
                break;
            failed++;
        }
        for (uint32_t i = 0; i < 3; i++)
            for (long k = 0;; k++) {
                gate_allow(k);
                const bool done = docs_push(&d, i, m + 1);
                gate_open();
                if (done)
                    break;
                failed++;
                ck_assert_uint_eq(d.length[m], i * (m + 1));
            }
    }
    ck_assert_uint_gt(failed, 10);
    for (size_t i = 0; i < docs_entries(&d); i++)
        if (d.word[i] != i % 3 || d.tally[i] != i / 3 + 1)
            ck_abort_msg("entry %zu", i);
}

/* Names of every kind; the text tells the position. */
static void name(docs *d, uint64_t position, uint64_t kind)
{
    char id[32], label[64];

    snprintf(id, sizeof id, "%.*s%d", (int)(position % 9), "xxxxxxxxx",
             (int)position);
    snprintf(label, sizeof label, "label of %s", id);
    if (!docs_set_name(d, kind & 1 ? span_text(id) : span_of(id, 0),
                       kind & 2 ? span_text(label) : span_of(label, 0)))
        ck_abort_msg("no memory");
}

static bool same_order(const docs *a, size_t i, const docs *b, size_t j)
{
    const size_t symbols = docs_order_size(a, i);

    return symbols == docs_order_size(b, j) &&
           (symbols == 0 || memcmp(a->order + a->order_at[i],
                                   b->order + b->order_at[j],
                                   symbols * sizeof *a->order) == 0);
}

static bool same_document(const docs *a, size_t i, const docs *b, size_t j)
{
    const size_t entries = a->start[i + 1] - a->start[i];

    return a->position[i] == b->position[j] && a->length[i] == b->length[j] &&
           entries == b->start[j + 1] - b->start[j] &&
           span_equal(docs_id(a, i), docs_id(b, j)) &&
           span_equal(docs_label(a, i), docs_label(b, j)) &&
           same_order(a, i, b, j) &&
           (entries == 0 || (memcmp(a->word + a->start[i],
                                    b->word + b->start[j], entries * 4) == 0 &&
                             memcmp(a->tally + a->start[i],
                                    b->tally + b->start[j], entries * 4) == 0));
}

/* An order of the document begun last, of any symbols that it may have, in
 * up to three pieces. */
static void put_order(docs *d, chance *c)
{
    const size_t entries = d->start[d->count] - d->start[d->count - 1];
    uint32_t symbol[20];

    for (size_t pieces = chance_below(c, 4); pieces > 0; pieces--) {
        const size_t n = chance_below(c, 21);
        for (size_t i = 0; i < n; i++)
            symbol[i] = (uint32_t)chance_below(c, entries + 1);
        ck_assert(docs_push_order(d, symbol, n));
    }
}

/* Against one array of all symbols. */
TEST(orders_are_what_was_pushed)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        chance c = {.key = seed}, again = {.key = seed};
        docs d = {0};
        size_t at = 0;
        ck_assert_uint_eq(docs_symbols(&d), 0);
        for (size_t m = 0; m < 50; m++) {
            ck_assert(docs_begin(&d, m + 1));
            push(&d, 0, 1);
            for (size_t n = chance_below(&c, 3); n > 0; n--) {
                const uint32_t symbol[2] = {(uint32_t)chance_bits(&c), 7};
                ck_assert(docs_push_order(&d, symbol, chance_below(&c, 3)));
            }
        }
        for (size_t m = 0; m < 50; m++) {
            const size_t from = at;
            for (size_t n = chance_below(&again, 3); n > 0; n--) {
                const uint32_t symbol = (uint32_t)chance_bits(&again);
                const size_t size = chance_below(&again, 3);
                ck_assert(size < 1 || d.order[at] == symbol);
                ck_assert(size < 2 || d.order[at + 1] == 7);
                at += size;
            }
            ck_assert_uint_eq(d.order_at[m], from);
            ck_assert_uint_eq(docs_order_size(&d, m), at - from);
        }
        ck_assert_uint_eq(docs_symbols(&d), at);
        docs_clear(&d);
        ck_assert_uint_eq(docs_symbols(&d), 0);
        ck_assert(docs_begin(&d, 1));
        ck_assert_uint_eq(docs_order_size(&d, 0), 0);
        docs_free(&d);
        ck_assert_ptr_null(d.order);
    }
}

TEST(orders_without_memory)
{
    const uint32_t symbol[] = {1, DOCS_APART, 1};
    unsigned failed = 0;
    OWN(docs_free) docs d = {0};

    for (uint32_t m = 0; m < 200; m++) {
        ck_assert(docs_begin(&d, m + 1));
        for (long k = 0;; k++) {
            gate_allow(k);
            const bool done = docs_push_order(&d, symbol, m % 4);
            gate_open();
            if (done)
                break;
            failed++;
            ck_assert_uint_eq(docs_order_size(&d, m), 0);
        }
        ck_assert_uint_eq(docs_order_size(&d, m), m % 4);
    }
    ck_assert_uint_gt(failed, 3);
    for (size_t m = 0; m < d.count; m++)
        for (size_t i = 0; i < m % 4; i++)
            ck_assert_uint_eq(d.order[d.order_at[m] + i], symbol[i]);
}

TEST(pieces_have_what_their_words_allow)
{
    OWN(docs_free) docs d = {0};

    ck_assert(docs_begin(&d, 1));
    ck_assert(docs_push(&d, 3, 1) && docs_push(&d, 5, 4) &&
              docs_push(&d, 9, 100)); /* 105 tokens */
    ck_assert_uint_eq(docs_cut_entries(&d, 0, 0), 3);
    ck_assert_uint_eq(docs_cut_entries(&d, 0, UINT64_MAX), 3);
    ck_assert_uint_eq(docs_cut_entries(&d, 0, 105), 3);
    ck_assert_uint_eq(docs_cut_entries(&d, 0, 104), 1 + 2 + 2);
    ck_assert_uint_eq(docs_cut_entries(&d, 0, 20), 1 + 4 + 6);
    ck_assert_uint_eq(docs_cut_entries(&d, 0, 1), 105);
}

/* A batch with documents dropped is the others appended one by one. */
TEST(documents_are_dropped)
{
    uint32_t index[64];

    for (uint64_t seed = 0; seed < 300; seed++) {
        chance c = {.key = seed};
        const size_t count = chance_below(&c, 60), share = chance_below(&c, 5);
        const size_t from = chance_below(&c, count + 1);
        OWN(docs_free) docs all = {0}, left = {0}, wanted = {0};
        size_t gone = 0;
        for (size_t m = 0; m < count; m++) {
            ck_assert(docs_begin(&all, m + 1));
            if (seed % 3 != 0)
                name(&all, m, chance_below(&c, 4));
            for (uint64_t k = chance_below(&c, 6); k > 0; k--)
                push(&all, (uint32_t)chance_bits(&c), (uint32_t)k);
            if (seed % 2 != 0)
                put_order(&all, &c);
            ck_assert(docs_append(&left, &all, m));
            if (m >= from && chance_below(&c, 4) < share)
                index[gone++] = (uint32_t)(m - from);
            else
                ck_assert(docs_append(&wanted, &all, m));
        }
        docs_drop(&left, from, index, gone);
        ck_assert_uint_eq(left.count, count - gone);
        ck_assert_uint_eq(docs_entries(&left), docs_entries(&wanted));
        for (size_t m = 0; m < left.count; m++)
            ck_assert(same_document(&left, m, &wanted, m));
        ck_assert(docs_begin(&left, 99)); /* and it goes on */
        push(&left, 5, 6);
        name(&left, 99, 3);
        ck_assert_uint_eq(docs_symbols(&left), docs_symbols(&wanted));
        ck_assert_uint_eq(docs_order_size(&left, left.count - 1), 0);
        ck_assert(docs_push_order(&left, index, 3));
        ck_assert_uint_eq(docs_symbols(&left), docs_symbols(&wanted) + 3);
        ck_assert_uint_eq(left.length[left.count - 1], 6);
        ck_assert(span_equal(docs_id(&left, left.count - 1), span_text("99")));
    }
}

/* ---- other ids ------------------------------------------------------------
 */

enum { IDS = 200 };

/* Rising words, of which a random map has no two the same, with orders. */
static void fill_ids(docs *d, chance *c, uint32_t map[IDS])
{
    for (uint32_t i = 0; i < IDS; i++) { /* steps of every size, mixed up */
        const size_t j = chance_below(c, i + 1);
        map[i] = map[j];
        map[j] = i == 0 ? 0 : i * (UINT32_MAX / IDS);
    }
    for (size_t m = 0, n = chance_below(c, 30); m < n; m++) {
        const size_t share = chance_below(c, 4);
        ck_assert(docs_begin(d, m + 1));
        if (m % 3 == 0)
            name(d, m, 3);
        for (uint32_t i = 0; i < IDS; i++)
            if (chance_below(c, 8) < share)
                push(d, i, 1 + (uint32_t)chance_below(c, 1000));
        if (m % 4 != 0)
            put_order(d, c);
    }
}

static uint32_t tally_of(const docs *d, size_t m, uint32_t word)
{
    for (size_t k = d->start[m]; k < d->start[m + 1]; k++)
        if (d->word[k] == word)
            return d->tally[k];
    return 0;
}

/* Word by word: tallies went along, ids rise, and the order tells the same
 * words. */
static void check_renumbered(const docs *d, const docs *before, size_t m,
                             const uint32_t map[IDS])
{
    const size_t size = docs_order_size(before, m);

    ck_assert_uint_eq(d->start[m], before->start[m]);
    ck_assert_uint_eq(d->length[m], before->length[m]);
    for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
        ck_assert(k == d->start[m] || d->word[k] > d->word[k - 1]);
        ck_assert_uint_eq(tally_of(d, m, map[before->word[k]]),
                          before->tally[k]);
    }
    ck_assert_uint_eq(docs_order_size(d, m), size);
    for (size_t i = 0; i < size; i++) {
        const uint32_t now = d->order[d->order_at[m] + i];
        const uint32_t then = before->order[before->order_at[m] + i];
        ck_assert_int_eq(now == DOCS_APART, then == DOCS_APART);
        if (now != DOCS_APART)
            ck_assert_uint_eq(d->word[d->start[m] + now - 1],
                              map[before->word[before->start[m] + then - 1]]);
    }
}

TEST(words_are_renumbered)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        chance c = {.key = seed};
        uint32_t map[IDS];
        OWN(docs_free) docs d = {0}, before = {0};
        size_t first;
        fill_ids(&before, &c, map);
        for (size_t m = 0; m < before.count; m++)
            ck_assert(docs_append(&d, &before, m));
        first = chance_below(&c, before.count + 1);
        ck_assert(docs_renumber(&d, first, map));
        ck_assert_uint_eq(d.count, before.count);
        for (size_t m = 0; m < first; m++)
            ck_assert(same_document(&d, m, &before, m));
        for (size_t m = first; m < d.count; m++)
            check_renumbered(&d, &before, m, map);
    }
}

TEST(renumbering_without_memory)
{
    chance c = {.key = 4};
    uint32_t map[IDS];
    OWN(docs_free) docs d = {0}, before = {0};

    while (before.count < 5) {
        docs_clear(&before);
        fill_ids(&before, &c, map);
    }
    for (size_t m = 0; m < before.count; m++)
        ck_assert(docs_append(&d, &before, m));
    for (long k = 0; k < 2; k++) {
        gate_allow(k);
        ck_assert(!docs_renumber(&d, 0, map));
        gate_open();
        for (size_t m = 0; m < d.count; m++)
            ck_assert(same_document(&d, m, &before, m));
    }
    gate_allow(2);
    ck_assert(docs_renumber(&d, 0, map));
    gate_open();
    check_renumbered(&d, &before, 4, map);
}

/* Every other word or so leaves, and words that came later than the numbers
 * do. */
TEST(words_are_selected)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        chance c = {.key = seed};
        uint32_t map[IDS], number[IDS], listed = 0;
        OWN(docs_free) docs d = {0}, before = {0}, wanted = {0};
        size_t first;
        const size_t ids = IDS - chance_below(&c, 20);
        fill_ids(&before, &c, map);
        for (size_t id = 0; id < ids; id++)
            number[id] = chance_below(&c, 2) == 0 ? DOCS_NO_WORD : listed++;
        first = chance_below(&c, before.count + 1);
        for (size_t m = 0; m < before.count; m++)
            ck_assert(docs_append(&d, &before, m));
        for (size_t m = 0; m < first; m++)
            ck_assert(docs_append(&wanted, &before, m));
        for (size_t m = first; m < before.count; m++) {
            ck_assert(docs_begin(&wanted, before.position[m]));
            ck_assert(docs_set_name(&wanted, docs_id(&before, m),
                                    docs_label(&before, m)));
            for (size_t k = before.start[m]; k < before.start[m + 1]; k++) {
                const uint32_t id = before.word[k];
                if (id < ids && number[id] != DOCS_NO_WORD)
                    push(&wanted, number[id], before.tally[k]);
            }
        }
        docs_select(&d, first, number, ids);
        ck_assert(docs_agree(&d, 0));
        ck_assert_uint_eq(d.count, wanted.count);
        for (size_t m = 0; m < d.count; m++)
            ck_assert(same_document(&d, m, &wanted, m));
    }
}

TEST(an_order_of_other_entries_is_seen)
{
    const uint32_t symbol[] = {2, DOCS_APART, 3};
    OWN(docs_free) docs d = {0};

    docs_drop_order(&d, 0); /* of none */
    ck_assert(docs_agree(&d, 0));
    for (uint32_t m = 0; m < 4; m++) {
        ck_assert(docs_begin(&d, m + 1));
        for (uint32_t id = 0; id < (m == 2 ? 2 : 3); id++)
            push(&d, id, 1);
        ck_assert(docs_agree(&d, 0) == (m < 3));
        ck_assert(docs_push_order(&d, symbol, 3));
    }
    ck_assert(!docs_agree(&d, 2));
    ck_assert(docs_agree(&d, 3));
    docs_drop_order(&d, 1);
    ck_assert(docs_agree(&d, 0));
    ck_assert_uint_eq(docs_symbols(&d), 3);
}
