/* SPDX-License-Identifier: MIT */
/* What sources of other stores hold is looked at by merging them. */
#include "ops/lively.h"

#include "ops/upkeep/stored.h"

/* A source of three blocks of 1000 symbols each. */
TEST(a_batch_has_only_so_many_symbols)
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

TEST(opening_without_memory)
{
    kedge_error err = {0};
    const char *path;
    stored *s = NULL;
    lively l;

    lively_begin(&l, 20);
    lively_ingest(&l, 0, false);
    path = l.p.t.path;
    scene_close(&l.p.t);
    scene_starve(stored_open(&path, 1, &(kedge_control){.memory = 1 << 30},
                             &s, &err), err);
    stored_close(s);
    stored_close(NULL);
    scene_open(&l.p.t, KEDGE_OPEN_READ);
    lively_end(&l);
}
