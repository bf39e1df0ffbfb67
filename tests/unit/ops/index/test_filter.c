/* SPDX-License-Identifier: MIT */
#include "ops/index/filter.h"

#include "base/gate.h"
#include "ops/archive.h"
#include "ops/library.h"
#include "store/kv.h"

#define INDEX 3

/* A filter over an archive, and what it should let through. */
typedef struct session {
    archive a;
    store_index record;
    bool listed[ARCHIVE_WORDS]; /* by id */
    uint32_t place[ARCHIVE_WORDS];
    size_t count; /* of the list */
    uint64_t removals, block[ARCHIVE_BLOCKS]; /* of each the block */
    filter l;
} session;

static void choose_list(session *s, chance *c)
{
    const size_t share = 1 + chance_below(c, 9);
    uint32_t ids[ARCHIVE_WORDS];

    for (uint32_t i = 0; i < ARCHIVE_WORDS; i++) {
        s->listed[i] = !s->record.listed || chance_below(c, 10) < share;
        s->place[i] = (uint32_t)s->count;
        if (s->listed[i])
            ids[s->count++] = i;
    }
    scene_write(&s->a.t);
    if (s->record.listed)
        ck_ok(store_put_list(s->a.t.txn, INDEX, ids, s->count, &s->a.t.err),
              s->a.t.err);
    scene_commit(&s->a.t);
}

/* Marks documents of a block as gone, whole blocks now and then. */
static void choose_gone(session *s, chance *c)
{
    archive *a = &s->a;

    scene_write(&a->t);
    for (size_t b = 0; b < ARCHIVE_BLOCKS; b++) {
        const size_t share = chance_below(c, 3) == 0 ? 4 : chance_below(c, 3);
        uint32_t index[ARCHIVE_MOST];
        size_t n = 0;
        for (size_t m = a->first[b]; m < a->first[b + 1]; m++) {
            a->gone[m] = chance_below(c, 4) < share;
            if (a->gone[m])
                index[n++] = (uint32_t)(m - a->first[b]);
        }
        ck_ok(store_put_gone(a->t.txn, b, index, n, &a->t.err), a->t.err);
        if (n == 0)
            continue;
        ck_ok(store_put_removal(a->t.txn, s->removals, b, index, n, &a->t.err),
              a->t.err);
        s->block[s->removals++] = b;
    }
    scene_commit(&a->t);
}

static void session_begin(session *s, uint64_t seed, bool listed)
{
    chance c = {.key = ~seed};

    *s = (session){.record.listed = listed};
    archive_begin(&s->a, seed, seed % 2 == 0);
    choose_list(s, &c);
    choose_gone(s, &c);
    scene_read(&s->a.t);
}

static void session_end(session *s)
{
    store_abort(&s->a.t.txn);
    filter_close(&s->l);
    archive_end(&s->a);
}

/* One until the end of the scope. */
#define SESSION(s, ...)         \
    session s OWN(session_end); \
    session_begin(&s, __VA_ARGS__)

/* Document m as the filter should show it. */
static void expect(const session *s, size_t m, docs *out)
{
    const docs *d = &s->a.d;

    ck_assert(docs_begin(out, d->position[m]));
    ck_assert(docs_set_name(out, docs_id(d, m), docs_label(d, m)));
    for (size_t k = d->start[m]; k < d->start[m + 1]; k++)
        if (s->listed[d->word[k]])
            ck_assert(docs_push(out, s->place[d->word[k]], d->tally[k]));
}

static void check_words(session *s)
{
    const words *seen = filter_words(&s->l);

    ck_assert_uint_eq(seen->count, s->count);
    for (size_t i = 0; i < ARCHIVE_WORDS; i++) {
        const uint32_t at = s->place[i];
        if (!s->listed[i])
            continue;
        ck_assert_str_eq(words_get(seen, at), words_get(&s->a.w, i));
        ck_assert_uint_eq(filter_id(&s->l, at), i);
    }
}

/* Block after block into one batch, the last of which is not there; and what
 * removals took out. */
TEST(what_is_there_and_what_was_removed_are_seen)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        docs there = {0}, seen = {0}, gone = {0}, back = {0};
        SESSION(s, seed, seed % 4 > 0);
        kedge_error *const err = &s.a.t.err;
        ck_ok(filter_open(&s.l, s.a.t.txn, INDEX, &s.record, &s.a.w, err),
              *err);
        check_words(&s);
        for (uint64_t b = 0; b <= ARCHIVE_BLOCKS; b++)
            ck_ok(filter_read(&s.l, s.a.t.txn, b, &seen, err), *err);
        for (uint64_t n = 0; n < s.removals; n++) {
            uint64_t block = 99;
            ck_ok(filter_read_removed(&s.l, s.a.t.txn, n, &block, &back, err),
                  *err);
            ck_assert_uint_eq(block, s.block[n]);
        }
        for (size_t m = 0; m < s.a.d.count; m++)
            expect(&s, m, s.a.gone[m] ? &gone : &there);
        ck_assert(scene_same_docs(&there, &seen));
        ck_assert(scene_same_docs(&gone, &back));
        docs_free(&there);
        docs_free(&seen);
        docs_free(&gone);
        docs_free(&back);
    }
}

/* Words that came after the filter was opened are not on its list. */
TEST(later_words_are_not_seen)
{
    docs later = {0}, seen = {0};
    store_block block = {0};
    store_totals totals;

    SESSION(s, 5, true);
    ck_ok(filter_open(&s.l, s.a.t.txn, INDEX, &s.record, &s.a.w, &s.a.t.err),
          s.a.t.err);
    store_abort(&s.a.t.txn);
    ck_assert(docs_begin(&later, 1));
    for (uint32_t i = 0; i < 5; i++)
        ck_assert(docs_push(&later, ARCHIVE_WORDS + 1000 * i, 1));
    ck_ok(store_block_encode(&block, 0, &later, 0, 1, &s.a.t.err), s.a.t.err);
    scene_write(&s.a.t);
    ck_ok(store_get_totals(s.a.t.txn, &totals, &s.a.t.err), s.a.t.err);
    ck_ok(store_put_block(s.a.t.txn, ARCHIVE_BLOCKS, &block, &s.a.t.err),
          s.a.t.err);
    totals.blocks = ARCHIVE_BLOCKS + 1;
    ck_ok(store_put_totals(s.a.t.txn, &totals, &s.a.t.err), s.a.t.err);
    scene_commit(&s.a.t);
    scene_read(&s.a.t);
    ledger_set_limits(s.a.t.txn, STORE_NO_LIMITS);
    ck_ok(filter_read(&s.l, s.a.t.txn, ARCHIVE_BLOCKS, &seen, &s.a.t.err),
          s.a.t.err);
    ck_assert_uint_eq(seen.count, 1);
    ck_assert_uint_eq(seen.length[0], 0);
    ck_assert_uint_eq(docs_entries(&seen), 0);
    store_block_free(&block);
    docs_free(&later);
    docs_free(&seen);
}

TEST(what_cannot_be_is_damage)
{
    docs seen = {0};
    uint64_t block;
    const uint32_t id = ARCHIVE_WORDS, index = ARCHIVE_MOST;

    SESSION(s, 8, true);
    ck_ok(filter_open(&s.l, s.a.t.txn, INDEX, &s.record, &s.a.w, &s.a.t.err),
          s.a.t.err);
    store_abort(&s.a.t.txn);
    scene_write(&s.a.t);
    ck_ok(store_put_list(s.a.t.txn, INDEX, &id, 1, &s.a.t.err), s.a.t.err);
    ck_ok(store_put_removal(s.a.t.txn, 0, 1, &index, 1, &s.a.t.err), s.a.t.err);
    ck_ok(store_put_removal(s.a.t.txn, 1, 99, &index, 1, &s.a.t.err),
          s.a.t.err);
    scene_commit(&s.a.t);
    scene_read(&s.a.t);
    ck_fails(filter_read_removed(&s.l, s.a.t.txn, 0, &block, &seen, &s.a.t.err),
             KEDGE_ECORRUPT, s.a.t.err, "removal 0 is damaged (document");
    ck_assert_int_ne(
        filter_read_removed(&s.l, s.a.t.txn, 1, &block, &seen, &s.a.t.err),
        KEDGE_OK);
    filter_close(&s.l);
    ck_fails(filter_open(&s.l, s.a.t.txn, INDEX, &s.record, &s.a.w, &s.a.t.err),
             KEDGE_ECORRUPT, s.a.t.err, "is damaged (chunk 0 has impossible");
    ck_assert_ptr_null(s.l.number);
    docs_free(&seen);
}

/* ---- indexes with phrases ------------------------------------------------ */

/* "a a a" is "aa a"; "a b c d" is "a bc d" and then "a bcd". */
TEST(phrases_are_joined_in_rounds)
{
    enum { A, B, C, D, AA, BC, BCD };
    store_join join[] = {{A, A, AA, 1}, {B, C, BC, 1}, {BC, D, BCD, 2}};
    const store_joins joins = {.join = join, .count = 3};
    static const struct {
        uint32_t symbol[6], unit[6];
        size_t symbols, units;
    } cases[] = {
        {{1, 1, 1}, {AA, A}, 3, 2},
        {{1, 1, 1, 1}, {AA, AA}, 4, 2},
        {{1, 0, 1}, {A, JOINING_APART, A}, 3, 3},
        {{1, 2, 3, 4}, {A, BCD}, 4, 2},
        {{2, 3, 0, 4}, {BC, JOINING_APART, D}, 4, 3},
        {{2, 0, 3, 4}, {B, JOINING_APART, C, D}, 4, 4},
        {{3, 2}, {C, B}, 2, 2},
        {{0}, {0}, 0, 0},
    };
    kedge_error err = {0};
    joining j;

    ck_ok(joining_open(&j, &joins, &err), err);
    ck_assert_uint_eq(j.rounds, 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        docs d = {0};
        ck_assert(docs_begin(&d, 1));
        for (uint32_t w = A; w <= D; w++)
            ck_assert(docs_push(&d, w, 1));
        ck_assert(docs_push_order(&d, cases[i].symbol, cases[i].symbols));
        ck_ok(joining_units(&j, &d, 0, &err), err);
        ck_assert_uint_eq(j.units, cases[i].units);
        for (size_t k = 0; k < j.units; k++)
            ck_assert_uint_eq(j.unit[k].id, cases[i].unit[k]);
        docs_free(&d);
    }
    joining_close(&j);
}

/* Document m of the library as an index with phrases shows it. */
static void expect_joined(const library *l, size_t m, const library_index *v,
                          docs *out)
{
    uint32_t tally[LIBRARY_ALL];

    library_tally(l, m, v, tally);
    ck_assert(docs_begin(out, m + 1));
    for (uint32_t id = 0; id < LIBRARY_ALL; id++)
        if (tally[id] > 0)
            ck_assert(docs_push(out, v->place[id], tally[id]));
}

static void open_joined(filter *l, library *a, const library_index *v)
{
    *l = (filter){0};
    scene_read(&a->t);
    ck_ok(filter_open(l, a->t.txn, INDEX, &v->record, &a->w, &a->t.err),
          a->t.err);
    ck_assert_uint_eq(filter_words(l)->count, v->count);
}

static void same_joined(const docs *wanted, const docs *seen)
{
    ck_assert_uint_eq(seen->count, wanted->count);
    for (size_t m = 0; m < seen->count; m++)
        ck_assert_uint_eq(seen->length[m], wanted->length[m]);
    ck_assert_uint_eq(docs_entries(seen), docs_entries(wanted));
    ck_assert_uint_eq(docs_symbols(seen), 0);
    if (docs_entries(wanted) == 0)
        return;
    ck_assert_mem_eq(seen->start, wanted->start,
                     (seen->count + 1) * sizeof *seen->start);
    ck_assert_mem_eq(seen->word, wanted->word, docs_entries(seen) * 4);
    ck_assert_mem_eq(seen->tally, wanted->tally, docs_entries(seen) * 4);
}

/* What is there, block by block; and what was removed. */
TEST(phrases_are_seen)
{
    static library a;

    for (uint64_t seed = 0; seed < 40; seed++) {
        docs wanted = {0}, seen = {0}, left = {0}, gone = {0};
        library_index v;
        uint64_t block;
        filter l;
        library_begin(&a, seed);
        library_put_index(&a, seed, INDEX, &v);
        library_remove(&a, seed, 2 + seed % 4);
        open_joined(&l, &a, &v);
        for (uint64_t b = 0; b <= LIBRARY_BLOCKS; b++)
            ck_ok(filter_read(&l, a.t.txn, b, &seen, &a.t.err), a.t.err);
        for (uint64_t n = 0; n < a.removals; n++)
            ck_ok(filter_read_removed(&l, a.t.txn, n, &block, &gone, &a.t.err),
                  a.t.err);
        for (size_t m = 0; m < a.count; m++)
            expect_joined(&a, m, &v, a.text[m].gone ? &left : &wanted);
        same_joined(&wanted, &seen);
        same_joined(&left, &gone);
        filter_close(&l);
        ck_assert(l.batch.start == NULL && l.order.bytes == NULL);
        store_abort(&a.t.txn);
        docs_free(&wanted);
        docs_free(&seen);
        docs_free(&left);
        docs_free(&gone);
        library_end(&a);
    }
}

/* Whatever the index is: all words, under their ids, side by side. */
TEST(documents_are_read_in_their_order)
{
    static library a;

    for (uint64_t seed = 0; seed < 20; seed++) {
        docs wanted = {0}, seen = {0};
        filter l = {.all = &a.w};
        library_begin(&a, seed);
        library_remove(&a, seed, 3);
        scene_read(&a.t);
        for (uint64_t b = 0; b <= LIBRARY_BLOCKS; b++)
            ck_ok(filter_read_ordered(&l, a.t.txn, b, &seen, &a.t.err),
                  a.t.err);
        for (size_t b = 0; b < LIBRARY_BLOCKS; b++)
            for (size_t m = a.first[b]; m < a.first[b + 1]; m++)
                if (!a.text[m].gone)
                    library_push(&wanted, &a.text[m], m - a.first[b] + 1);
        ck_assert(scene_same_docs(&wanted, &seen));
        ck_assert(scene_same_orders(&wanted, &seen));
        filter_close(&l);
        store_abort(&a.t.txn);
        docs_free(&wanted);
        docs_free(&seen);
        library_end(&a);
    }
}

/* A block that was dropped has no documents; a removal needs its block. */
TEST(lost_phrases_orders_and_blocks_are_told)
{
    static library a;
    const uint8_t key[8] = {[7] = 1};
    docs seen = {0};
    library_index v;
    uint64_t block;
    filter l;

    library_begin(&a, 5);
    library_put_index(&a, 5, INDEX, &v);
    library_remove(&a, 5, 2);
    open_joined(&l, &a, &v);
    store_abort(&a.t.txn);
    scene_write(&a.t);
    ck_ok(kv_drop(a.t.txn, (kv_key){DB_ORDERS, key, 8}, &a.t.err), a.t.err);
    ck_ok(store_drop_joins(a.t.txn, INDEX, &a.t.err), a.t.err);
    ck_ok(store_drop_block(a.t.txn, 0, &a.t.err), a.t.err);
    scene_commit(&a.t);
    scene_read(&a.t);
    ck_ok(filter_read(&l, a.t.txn, 0, &seen, &a.t.err), a.t.err);
    ck_assert_uint_eq(seen.count, 0);
    ck_fails(filter_read_removed(&l, a.t.txn, 0, &block, &seen, &a.t.err),
             KEDGE_ECORRUPT, a.t.err,
             "a removal names block 0, which is not there");
    ck_fails(filter_read(&l, a.t.txn, 1, &seen, &a.t.err), KEDGE_ECORRUPT,
             a.t.err, "order of words of block 1 is lost");
    ck_fails(filter_read_ordered(&l, a.t.txn, 1, &seen, &a.t.err),
             KEDGE_ECORRUPT, a.t.err, "order of words of block 1 is lost");
    filter_close(&l);
    ck_fails(filter_open(&l, a.t.txn, INDEX, &v.record, &a.w, &a.t.err),
             KEDGE_ECORRUPT, a.t.err, "index 3 has lost its phrases");
    ck_assert_ptr_null(l.number);
    store_abort(&a.t.txn);
    docs_free(&seen);
    library_end(&a);
}

static kedge_status look_joined(library *a, const library_index *v)
{
    kedge_status st;
    docs seen = {0};
    uint64_t block;
    filter l;

    st = filter_open(&l, a->t.txn, INDEX, &v->record, &a->w, &a->t.err);
    if (st == KEDGE_OK)
        st = filter_read(&l, a->t.txn, 1, &seen, &a->t.err);
    if (st == KEDGE_OK)
        st = filter_read_removed(&l, a->t.txn, 0, &block, &seen, &a->t.err);
    if (st == KEDGE_OK)
        st = filter_read_ordered(&l, a->t.txn, 1, &seen, &a->t.err);
    docs_free(&seen);
    filter_close(&l);
    return st;
}

TEST(looking_at_phrases_without_memory)
{
    static library a;
    library_index v;

    library_begin(&a, 5);
    library_put_index(&a, 5, INDEX, &v);
    library_remove(&a, 5, 2);
    scene_read(&a.t);
    scene_starve(look_joined(&a, &v), a.t.err);
    store_abort(&a.t.txn);
    library_end(&a);
}
