/* SPDX-License-Identifier: MIT */
#include "pipeline/lively.h"

#include "pipeline/upkeep/stored.h"

#define N 120

/* Two stores, the second with other ids of words, and some who left. */
typedef struct pair {
    lively a, b;
    stored *s;
    words text;
    wordmap lexicon;
} pair;

static void pair_begin_of(pair *p, bool texts)
{
    const char *paths[2];
    kedge_error err = {0};

    *p = (pair){0};
    (texts ? lively_begin_texts : lively_begin)(&p->a, N);
    (texts ? lively_begin_texts : lively_begin)(&p->b, N);
    for (size_t i = 0; i < 3; i++)
        lively_ingest(&p->a, i, false);
    planted_write_words(p->b.p.vocabulary, PLANTED_WORDS, true);
    for (size_t i = LIVELY_SHARDS; i-- > 3;)
        lively_ingest(&p->b, i, false);
    for (size_t m = 0; m < lively_shard(&p->b, 3); m++)
        p->b.gone[m] = true;
    lively_remove(&p->b, 3, 5, false);
    paths[0] = p->a.p.t.path;
    paths[1] = p->b.p.t.path;
    scene_close(&p->a.p.t);
    scene_close(&p->b.p.t);
    ck_ok(stored_open(paths, 2, &(kedge_control){.memory = 1 << 30}, &p->s,
                      &err), err);
    ck_assert(wordmap_open(&p->lexicon, &p->text));
}

static void pair_begin(pair *p)
{
    pair_begin_of(p, false);
}

static void pair_end(pair *p)
{
    stored_close(p->s);
    wordmap_close(&p->lexicon);
    words_free(&p->text);
    scene_open(&p->a.p.t, KEDGE_OPEN_READ);
    scene_open(&p->b.p.t, KEDGE_OPEN_READ);
    lively_end(&p->a);
    lively_end(&p->b);
}

/* Number m of the corpus is document d of the batch. */
static void check_document(const pair *p, const docs *batch, size_t d, size_t m)
{
    const docs *all = &p->a.p.d;
    const size_t from = all->start[m], count = all->start[m + 1] - from;
    char id[16], word[16];

    ck_assert(span_equal(docs_id(batch, d), span_text(lively_id(m, id))));
    ck_assert_uint_eq(batch->length[d], all->length[m]);
    ck_assert_uint_eq(batch->start[d + 1] - batch->start[d], count);
    for (size_t k = 0; k < count; k++) {
        uint32_t tally = 0;
        snprintf(word, sizeof word, "w%03u",
                 all->word[from + k] * 37 % PLANTED_WORDS);
        const uint32_t number = wordmap_find(&p->lexicon, span_text(word));
        for (size_t i = batch->start[d]; i < batch->start[d + 1]; i++) {
            tally += batch->word[i] == number ? batch->tally[i] : 0;
            ck_assert(i == batch->start[d] ||
                      batch->word[i] > batch->word[i - 1]);
        }
        ck_assert_uint_eq(tally, all->tally[from + k]);
    }
}

START_TEST(sources_come_back_as_they_were_read)
{
    static const reader_limits limits = {7, SIZE_MAX, 0, 0};
    pair p;
    feed f;
    kedge_error err = {0};
    docs batch = {0};
    size_t seen = 0;

    pair_begin(&p);
    f = stored_feed(p.s);
    ck_assert_uint_eq(stored_sources(p.s), LIVELY_SHARDS);
    for (size_t i = 0; i < LIVELY_SHARDS; i++) {
        const size_t shard = i < 3 ? i : LIVELY_SHARDS + 2 - i;
        size_t m = lively_shard(&p.a, shard);
        store_source record;
        bool more = true;
        ck_ok(f.open(f.data, i, &p.lexicon, &record, &err), err);
        ck_assert_int_eq(record.batch[1], '0' + (int)shard);
        while (more) {
            docs_clear(&batch);
            ck_ok(f.next(f.data, &limits, &batch, &more, &err), err);
            for (size_t d = 0; d < batch.count; d++, m++, seen++) {
                check_document(&p, &batch, d, m);
                ck_assert(f.left(f.data, batch.position[d]) ==
                          (i >= 3 && p.b.gone[m]));
            }
        }
        ck_assert_uint_eq(m, lively_shard(&p.a, shard + 1));
        f.close(f.data);
    }
    ck_assert_uint_eq(seen, N);
    docs_free(&batch);
    pair_end(&p);
}
END_TEST

/* The order of words follows them to their new ids. */
static void check_order(const pair *p, const docs *batch, size_t d)
{
    char text[1000] = "", id[16];
    size_t size = 0, m = 0;

    while (!span_equal(span_text(lively_id(m, id)), docs_id(batch, d)))
        m++;
    for (size_t i = batch->order_at[d]; i < batch->order_at[d + 1]; i++) {
        const uint32_t s = batch->order[i];
        const char *const word =
            s == DOCS_APART
                ? "|"
                : words_get(&p->text, batch->word[batch->start[d] + s - 1]);
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%s",
                                 size == 0 || text[size - 1] == '|' ||
                                         s == DOCS_APART
                                     ? ""
                                     : " ",
                                 word);
    }
    ck_assert_str_eq(text, lively_text(&p->a.p.d, m, "|"));
}

START_TEST(orders_come_along)
{
    static const reader_limits limits[] = {{SIZE_MAX, SIZE_MAX, 0, 0},
                                           {SIZE_MAX, SIZE_MAX, 1, 0}};
    kedge_error err = {0};
    docs batch = {0};

    for (size_t k = 0; k < 2; k++) {
        pair p;
        feed f;
        size_t seen = 0;
        pair_begin_of(&p, true);
        f = stored_feed(p.s);
        for (size_t i = 0; i < LIVELY_SHARDS; i++) {
            store_source record;
            bool more = true;
            ck_ok(f.open(f.data, i, &p.lexicon, &record, &err), err);
            while (more) {
                docs_clear(&batch);
                ck_ok(f.next(f.data, &limits[k], &batch, &more, &err), err);
                for (size_t d = 0; d < batch.count; d++, seen++)
                    check_order(&p, &batch, d);
            }
            f.close(f.data);
        }
        ck_assert_uint_eq(seen, N);
        pair_end(&p);
    }
    docs_free(&batch);
}
END_TEST

/* A source of three blocks of 1000 symbols each. */
START_TEST(a_batch_has_only_so_many_symbols)
{
    static const struct {
        uint64_t tokens;
        size_t batches;
    } cases[] = {{0, 1}, {1, 3}, {1000, 3}, {2000, 2}, {2001, 1}};
    const uint32_t symbol[1000] = {0};
    const char *path;
    store_block block = {0};
    store_order order = {0};
    store_totals totals = {.documents = 3, .tokens = 3, .nonzeros = 3,
                           .words = 1, .word_bytes = 5, .blocks = 3,
                           .sources = 1};
    words w = {0};
    scene t;

    scene_make(&t);
    scene_write(&t);
    ck_assert(words_add(&w, "word", 4));
    ck_ok(store_put_words(t.txn, &w, 0, &t.err), t.err);
    for (uint64_t b = 0; b < 3; b++) {
        docs d = {0};
        ck_assert(docs_begin(&d, b + 1) && docs_push(&d, 0, 1) &&
                  docs_push_order(&d, symbol, 1000));
        ck_ok(store_block_encode(&block, 0, &d, 0, 1, &t.err), t.err);
        ck_ok(store_order_encode(&order, &d, 0, 1, &t.err), t.err);
        ck_ok(store_put_block(t.txn, b, &block, &t.err), t.err);
        ck_ok(store_put_order(t.txn, b, &order, &t.err), t.err);
        docs_free(&d);
    }
    ck_ok(store_put_source(t.txn, 0, &(store_source){.name = "s"}, &t.err),
          t.err);
    ck_ok(store_put_totals(t.txn, &totals, &t.err), t.err);
    scene_commit(&t);
    scene_close(&t);
    path = t.path;
    for (size_t i = 0; i < 5; i++) {
        const reader_limits limits = {SIZE_MAX, SIZE_MAX, cases[i].tokens, 0};
        store_source record;
        words text = {0};
        wordmap lexicon;
        docs batch = {0};
        bool more = true;
        size_t batches = 0;
        stored *s;
        feed f;
        ck_ok(stored_open(&path, 1, &(kedge_control){.memory = 1 << 30},
                          &s, &t.err), t.err);
        ck_assert(wordmap_open(&lexicon, &text));
        f = stored_feed(s);
        ck_ok(f.open(f.data, 0, &lexicon, &record, &t.err), t.err);
        for (; more; batches++) {
            docs_clear(&batch);
            ck_ok(f.next(f.data, &limits, &batch, &more, &t.err), t.err);
        }
        ck_assert_uint_eq(batches, cases[i].batches);
        f.close(f.data);
        stored_close(s);
        wordmap_close(&lexicon);
        words_free(&text);
        docs_free(&batch);
    }
    words_free(&w);
    store_block_free(&block);
    store_order_free(&order);
    scene_open(&t, KEDGE_OPEN_READ);
    scene_end(&t);
}
END_TEST

START_TEST(words_and_view_of_all)
{
    kedge_error err = {0};
    store_view view;
    pair p;

    pair_begin(&p);
    ck_assert(stored_has_view(p.s, &view));
    ck_ok(stored_add_words(p.s, &p.lexicon, &err), err);
    ck_assert_uint_eq(p.text.count, PLANTED_WORDS);
    pair_end(&p);
}
END_TEST

START_TEST(opening_without_memory)
{
    kedge_error err = {0};
    const char *path;
    stored *s = NULL;
    lively l;
    long k = 0;

    lively_begin(&l, 20);
    lively_ingest(&l, 0, false);
    path = l.p.t.path;
    scene_close(&l.p.t);
    for (;; k++) {
        gate_allow(k);
        const kedge_status st = stored_open(
            &path, 1, &(kedge_control){.memory = 1 << 30}, &s, &err);
        gate_open();
        if (st == KEDGE_OK)
            break;
        ck_assert_int_eq(st, KEDGE_ENOMEM);
        ck_assert_ptr_null(s);
    }
    ck_assert_int_ge(k, 4);
    stored_close(s);
    stored_close(NULL);
    scene_open(&l.p.t, KEDGE_OPEN_READ);
    lively_end(&l);
}
END_TEST

UNIT_SUITE("stored",
    sources_come_back_as_they_were_read,
    orders_come_along,
    a_batch_has_only_so_many_symbols,
    words_and_view_of_all,
    opening_without_memory)
