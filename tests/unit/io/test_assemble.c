/* SPDX-License-Identifier: MIT */
#include "io/assemble.h"

#include <stdio.h>

#include "base/chance.h"
#include "base/gate.h"
#include "unit.h"

#define KINDS 9000   /* of words: more than one word of the upper bits */
#define ENTRIES 400  /* of a document at most */

/* Word `kind`, of letters alone: text is cut in the same way by any rule. */
static span spell(size_t kind, char text[16])
{
    size_t n = 0;

    text[n++] = 'w';
    do
        text[n++] = (char)('a' + kind % 26);
    while ((kind /= 26) > 0);
    return span_of(text, n);
}

/* The twin: ids in the order in which words come, counts in an array. */
typedef struct twin {
    uint32_t id[KINDS]; /* of a kind; WORDMAP_NONE: not met yet */
    uint64_t tally[KINDS]; /* by id */
    size_t ids;
    bool closed;
} twin;

static void twin_count(twin *t, size_t kind, uint32_t tally)
{
    if (t->id[kind] == WORDMAP_NONE && t->closed)
        return;
    if (t->id[kind] == WORDMAP_NONE)
        t->id[kind] = (uint32_t)t->ids++;
    t->tally[t->id[kind]] += tally;
}

/* Whether document `m` is what was counted; counts no more. */
static bool twin_agrees(twin *t, const docs *d, size_t m)
{
    size_t at = m < d->count ? d->start[m] : 0;
    uint64_t length = 0;
    bool same = true;

    for (size_t id = 0; id < t->ids; id++) {
        const uint64_t tally =
            t->tally[id] < UINT32_MAX ? t->tally[id] : UINT32_MAX;
        t->tally[id] = 0;
        if (tally == 0)
            continue;
        same = same && m < d->count && at < d->start[m + 1] &&
               d->word[at] == id && d->tally[at] == tally;
        length += tally;
        at++;
    }
    if (length == 0)
        return same && m == d->count;
    return same && m < d->count && at == d->start[m + 1] &&
           d->length[m] == length;
}

typedef struct session {
    words list;
    wordmap ids;
    tokenizer_opts tokens;
    assembler *a;
    docs batch;
    kedge_error err;
    uint32_t map[KINDS];
    twin t;
    /* a record's */
    char text[16 * ENTRIES], spelt[ENTRIES][16];
    span word[ENTRIES];
    uint32_t number[ENTRIES], tally[ENTRIES];
} session;

/* The lexicon has the first `known` kinds, in falling order. */
static session *session_begin(size_t known, bool closed, bool mapped)
{
    session *s = calloc(1, sizeof *s);
    char text[16];

    tokenizer_opts_init(&s->tokens);
    memset(s->t.id, 0xff, sizeof s->t.id);
    ck_assert(wordmap_open(&s->ids, &s->list));
    for (size_t i = 0; i < known; i++) {
        const span word = spell(known - 1 - i, text);
        if (!wordmap_add(&s->ids, word, &s->t.id[known - 1 - i]))
            ck_abort_msg("no memory");
    }
    for (size_t i = 0; i < known; i++)
        s->map[i] = s->t.id[i];
    s->t.ids = known;
    s->t.closed = closed;
    ck_ok(assemble_open(&(reader_opts){.lexicon = &s->ids,
                                       .closed = closed,
                                       .map = mapped ? s->map : NULL,
                                       .tokens = &s->tokens},
                        &s->a, &s->err), s->err);
    return s;
}

static void session_end(session **at)
{
    session *const s = *at;

    assemble_close(s->a);
    docs_free(&s->batch);
    wordmap_close(&s->ids);
    words_free(&s->list);
    free(s);
}

/* A record of `n` words by chance, counted by the twin, too. Numbers are lines
 * of a vocabulary of `known` words. */
static record some_record(session *s, chance *c, record_kind kind, size_t n,
                          size_t known)
{
    const size_t kinds = kind == RECORD_NUMBERS ? known : KINDS;
    const size_t near = 1 + chance_below(c, kinds);
    record r = {.kind = kind, .count = kind == RECORD_TEXT ? 0 : n,
                .word = s->word, .number = s->number, .tally = s->tally};
    size_t size = 0;

    for (size_t k = 0; k < n; k++) {
        const size_t which = chance_below(c, near);
        s->word[k] = spell(which, s->spelt[k]);
        s->number[k] = (uint32_t)which;
        s->tally[k] = 1 + (uint32_t)chance_below(c, 3);
        if (chance_below(c, 50) == 0)
            s->tally[k] = UINT32_MAX - (uint32_t)chance_below(c, 3);
        memcpy(s->text + size, s->word[k].bytes, s->word[k].size);
        size += s->word[k].size;
        s->text[size++] = ' ';
        twin_count(&s->t, which, kind == RECORD_TEXT ? 1 : s->tally[k]);
    }
    r.text = span_of(s->text, size);
    return r;
}

static void check_documents(session *s, uint64_t seed, size_t known,
                            record_kind kind)
{
    chance c = {.key = seed};

    for (size_t i = 0; i < 20; i++) {
        const size_t n = chance_below(&c, 8) == 0
                             ? 0
                             : chance_below(&c, ENTRIES + 1);
        const size_t m = s->batch.count;
        record r = some_record(s, &c, kind, n, known);
        r.id = span_text("an id");
        if (i % 2 == 0)
            r.label = span_text("label");
        ck_ok(assemble_add(s->a, &r, 3 * i + 1, &s->batch, &s->err), s->err);
        if (!twin_agrees(&s->t, &s->batch, m))
            ck_abort_msg("seed %d, document %zu", (int)seed, i);
        ck_assert_uint_eq(s->list.count, s->t.ids);
        if (s->batch.count == m)
            continue;
        ck_assert_uint_eq(s->batch.position[m], 3 * i + 1);
        ck_assert(span_equal(docs_id(&s->batch, m), r.id));
        ck_assert(span_equal(docs_label(&s->batch, m), r.label));
    }
}

TEST(documents_are_counted_as_in_an_array)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        const record_kind kind = (record_kind)(seed % 2); /* text, words */
        const size_t known = seed % 3 == 0 ? 0 : (seed * 997) % KINDS;
        OWN(session_end) session *s =
            session_begin(known, seed / 2 % 2 == 1, false);
        check_documents(s, seed, known, kind);
    }
}

TEST(numbers_are_ids_or_mapped_to_them)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        const size_t known = 1 + (seed * 613) % KINDS;
        session *s = session_begin(known, true, true);
        check_documents(s, seed, known, RECORD_NUMBERS);
        session_end(&s);
        s = session_begin(known, true, false);
        for (size_t i = 0; i < known; i++)
            s->t.id[i] = (uint32_t)i; /* the numbers themselves */
        check_documents(s, seed, known, RECORD_NUMBERS);
        session_end(&s);
    }
}

TEST(a_tally_stops_at_what_it_can_hold)
{
    OWN(session_end) session *s = session_begin(3, false, false);
    const uint32_t number[] = {2, 0, 2, 1, 0};
    const uint32_t tally[] = {UINT32_MAX - 1, UINT32_MAX, 1, 7, UINT32_MAX};
    const record r = {.kind = RECORD_NUMBERS, .count = 5, .number = number,
                      .tally = tally};

    ck_ok(assemble_add(s->a, &r, 1, &s->batch, &s->err), s->err);
    ck_assert_uint_eq(s->batch.count, 1);
    ck_assert_uint_eq(s->batch.tally[0], UINT32_MAX);
    ck_assert_uint_eq(s->batch.tally[1], 7);
    ck_assert_uint_eq(s->batch.tally[2], UINT32_MAX);
    ck_assert_uint_eq(s->batch.length[0], UINT64_C(2) * UINT32_MAX + 7);
}

/* What a closed lexicon has not counts under one id, and what has no word is a
 * document all the same. */
TEST(unknown_words_and_empty_documents_can_be_kept)
{
    static const char *const texts[] = {"red sea, blue sea", "", "? 12",
                                        "nothing known", "sea"};
    static const struct {
        uint32_t sea, unknown;
        size_t order;
    } wanted[] = {{2, 2, 5}, {0, 0, 0}, {0, 0, 0}, {0, 2, 2}, {1, 0, 1}};
    OWN(session_end) session *s = session_begin(3, true, false);
    uint32_t sea;

    assemble_close(s->a);
    ck_assert(wordmap_add(&s->ids, span_text("sea"), &sea));
    ck_ok(assemble_open(&(reader_opts){.lexicon = &s->ids, .closed = true,
                                       .unknown = sea + 1, .empty = true,
                                       .tokens = &s->tokens},
                        &s->a, &s->err), s->err);
    assemble_set_order(s->a, true);
    for (size_t m = 0; m < 5; m++) {
        const record r = {.kind = RECORD_TEXT, .text = span_text(texts[m])};
        uint32_t tally[2] = {0};
        ck_ok(assemble_add(s->a, &r, m + 1, &s->batch, &s->err), s->err);
        ck_assert_uint_eq(s->batch.count, m + 1);
        for (size_t k = s->batch.start[m]; k < s->batch.start[m + 1]; k++)
            tally[s->batch.word[k] - sea] = s->batch.tally[k];
        ck_assert_uint_eq(tally[0], wanted[m].sea);
        ck_assert_uint_eq(tally[1], wanted[m].unknown);
        ck_assert_uint_eq(docs_order_size(&s->batch, m), wanted[m].order);
    }
    ck_assert_uint_eq(s->list.count, 4);
}

/* ---- the order of a text ------------------------------------------------- */

/* The same, and the order of texts is kept. */
static session *session_begin_ordered(size_t known, bool closed)
{
    session *s = session_begin(known, closed, false);

    assemble_set_order(s->a, true);
    return s;
}

/* The twin: kinds in the order of the text, KINDS between those apart. */
typedef struct reading {
    size_t kind[2 * ENTRIES];
    size_t count;
} reading;

/* Words that the lexicon does not take are as if they were something else. */
static void some_text(session *s, chance *c, size_t n, reading *r)
{
    const size_t near = 1 + chance_below(c, KINDS);
    size_t size = 0;
    bool apart = false;

    r->count = 0;
    for (size_t k = 0; k < n; k++) {
        const size_t which = chance_below(c, near);
        const span word = spell(which, s->spelt[k]);
        const size_t gap = chance_below(c, 5);
        memcpy(s->text + size, word.bytes, word.size);
        size += word.size;
        twin_count(&s->t, which, 1);
        if (s->t.id[which] == WORDMAP_NONE) {
            apart = true;
        } else {
            if (apart && r->count > 0)
                r->kind[r->count++] = KINDS;
            r->kind[r->count++] = which;
            apart = false;
        }
        apart |= gap < 2;
        s->text[size++] = ",;-\n "[gap];
        if (gap < 1)
            s->text[size++] = ' ';
    }
    s->text[size] = '\0';
}

/* The place of an id among the words of document m, from 1. */
static uint32_t symbol_of(const docs *d, size_t m, uint32_t id)
{
    uint32_t symbol = 1;

    for (size_t k = d->start[m]; d->word[k] != id; k++)
        symbol++;
    return symbol;
}

static void check_order(const session *s, const reading *r, size_t m)
{
    const docs *d = &s->batch;

    ck_assert_uint_eq(docs_order_size(d, m), r->count);
    for (size_t i = 0; i < r->count; i++)
        ck_assert_uint_eq(d->order[d->order_at[m] + i],
                          r->kind[i] == KINDS
                              ? DOCS_APART
                              : symbol_of(d, m, s->t.id[r->kind[i]]));
}

TEST(the_order_of_a_text_is_kept)
{
    static reading r;
    size_t orders = 0;

    for (uint64_t seed = 0; seed < 60; seed++) {
        const size_t known = seed % 3 == 0 ? 0 : (seed * 997) % KINDS;
        OWN(session_end) session *s =
            session_begin_ordered(known, seed % 2 == 1);
        chance c = {.key = seed};
        for (size_t i = 0; i < 20; i++) {
            const size_t m = s->batch.count;
            record text = {.kind = RECORD_TEXT};
            some_text(s, &c, chance_below(&c, ENTRIES / 2), &r);
            text.text = span_text(s->text);
            ck_ok(assemble_add(s->a, &text, i + 1, &s->batch, &s->err),
                  s->err);
            ck_assert(twin_agrees(&s->t, &s->batch, m));
            if (s->batch.count == m)
                continue;
            check_order(s, &r, m);
            orders++;
        }
    }
    ck_assert_uint_gt(orders, 500);
}

/* Nor has a text whose order nobody asked for. */
TEST(bags_have_no_order)
{
    static const span spelt[] = {{"red", 3}, {"fish", 4}};
    static const uint32_t tally[] = {1, 1};
    const record text = {.kind = RECORD_TEXT, .text = span_text("red fish")};
    const record bag = {.kind = RECORD_WORDS, .count = 2, .word = spelt,
                        .tally = tally};
    OWN(session_end) session *s = session_begin(50, false, false);

    for (uint64_t m = 0; m < 4; m++) {
        const bool order = m % 2 == 1;
        assemble_set_order(s->a, order);
        ck_ok(assemble_add(s->a, m < 2 ? &text : &bag, m + 1, &s->batch,
                           &s->err), s->err);
        ck_assert_uint_eq(s->batch.count, m + 1);
        ck_assert_uint_eq(docs_order_size(&s->batch, m), m == 1 ? 2 : 0);
    }
}

/* Of so many words, every one apart from the next or none. */
static record long_text(char *text, size_t count, bool apart)
{
    size_t size = 0;

    for (size_t i = 0; i < count; i++) {
        memcpy(text + size, i % 3 == 0 ? "aa" : "bb", 2);
        size += 2;
        if (apart)
            text[size++] = ',';
        text[size++] = ' ';
    }
    return (record){.kind = RECORD_TEXT, .text = span_of(text, size)};
}

TEST(a_text_that_is_too_long_has_no_order)
{
    OWNED char *text = malloc(4 * (DOCS_ORDER_MOST + 2));
    static const struct {
        size_t count;
        bool apart;
        size_t symbols;
    } cases[] = {
        {DOCS_ORDER_MOST - 1, false, DOCS_ORDER_MOST - 1},
        {DOCS_ORDER_MOST + 1, false, 0},
        {5, false, 5}, /* the next one is none of it */
        {DOCS_ORDER_MOST / 2, true, DOCS_ORDER_MOST - 1},
        {DOCS_ORDER_MOST / 2 + 1, true, 0},
        {2, true, 3},
    };
    OWN(session_end) session *s = session_begin_ordered(0, false);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const record r = long_text(text, cases[i].count, cases[i].apart);
        ck_ok(assemble_add(s->a, &r, i + 1, &s->batch, &s->err), s->err);
        ck_assert_uint_eq(s->batch.length[i], cases[i].count);
        ck_assert_uint_eq(docs_order_size(&s->batch, i), cases[i].symbols);
    }
    ck_assert_uint_eq(s->batch.order[s->batch.order_at[5] + 1], DOCS_APART);
}

/* A failure leaves the batch as it was and nothing behind for the next
 * document, no order either; words that were found may stay. */
TEST(assembling_without_memory)
{
    static reading read;
    unsigned failed = 0;

    for (int i = 0; i < 3; i++) /* a text, words, and a text with its order */
        for (long k = 0;; k++) {
            session *s = i == 2 ? session_begin_ordered(10, false)
                                : session_begin(10, false, false);
            chance c = {.key = 5};
            record r = some_record(s, &c, RECORD_WORDS, 3, 0);
            ck_ok(assemble_add(s->a, &r, 1, &s->batch, &s->err), s->err);
            ck_assert(twin_agrees(&s->t, &s->batch, 0));
            if (i < 2) {
                r = some_record(s, &c, i == 0 ? RECORD_TEXT : RECORD_WORDS,
                                ENTRIES, 0);
            } else {
                some_text(s, &c, ENTRIES / 2, &read);
                r = (record){.kind = RECORD_TEXT, .text = span_text(s->text)};
            }
            r.id = span_text("id");
            gate_allow(k);
            const kedge_status st =
                assemble_add(s->a, &r, 2, &s->batch, &s->err);
            gate_open();
            ck_assert_uint_eq(s->batch.count, st == KEDGE_OK ? 2 : 1);
            if (st != KEDGE_OK) {
                ck_fails(st, KEDGE_ENOMEM, s->err, "out of memory");
                ck_ok(assemble_add(s->a, &r, 3, &s->batch, &s->err), s->err);
                failed++;
            }
            ck_assert(twin_agrees(&s->t, &s->batch, 1));
            ck_assert(span_equal(docs_id(&s->batch, 1), r.id));
            if (i == 2)
                check_order(s, &read, 1);
            session_end(&s);
            if (st == KEDGE_OK)
                break;
        }
    ck_assert_uint_gt(failed, 15);
}
