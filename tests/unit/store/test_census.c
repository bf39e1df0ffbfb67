/* SPDX-License-Identifier: MIT */
#include "store/census.h"

#include "base/bytes.h"
#include "store/whole.h"

static size_t count_text(const char *text, const char *part)
{
    size_t count = 0;

    for (; (text = strstr(text, part)) != NULL; text++)
        count++;
    return count;
}

/* Ids in places where no document is, where another one is, or where one was:
 * as many finds as such ids. */
START_TEST(every_stray_id_is_told)
{
    store_scanned n;
    scene t;

    whole_make(&t);
    scene_commit(&t);
    for (uint64_t seed = 0; seed < 30; seed++) {
        const uint64_t strays = scene_random(seed, 0, 20);
        whole_finds f = {0};
        scene_write(&t);
        for (uint64_t i = 0; i < strays; i++) {
            const store_place p = {scene_random(seed, 2 * i, BLOCKS + 2),
                                   scene_random(seed, 2 * i + 1, 2 * DOCS)};
            char id[16];
            snprintf(id, sizeof id, "stray %d", (int)i);
            ck_ok(store_put_id(t.txn, span_text(id), p, &t.err), t.err);
        }
        whole_scan(&t, &f, &n);
        ck_assert_uint_eq(count_text(f.all, "it leads to no document"), strays);
        ck_assert_uint_eq(f.count, strays);
        store_abort(&t.txn);
    }
    scene_end(&t);
}
END_TEST

/* A document whose id leads elsewhere, or that is not known by it. */
START_TEST(every_lost_document_is_told)
{
    store_scanned n;
    whole_finds f = {0};
    scene t;

    whole_make(&t);
    ck_ok(store_drop_id(t.txn, span_text("document-2-4"), &t.err), t.err);
    ck_ok(store_drop_id(t.txn, span_text("document-2-5"), &t.err), t.err);
    ck_ok(store_put_id(t.txn, span_text("document-3-1"), (store_place){3, 5},
                       &t.err),
          t.err);
    whole_scan(&t, &f, &n);
    ck_assert_uint_eq(f.count, 3);
    ck_assert_ptr_nonnull(strstr(f.all, "[block 2: 2 documents are not found "
                                        "under their ids, the first at "
                                        "position 9]"));
    ck_assert_ptr_nonnull(strstr(f.all, "[block 3: 1 documents"));
    ck_assert_ptr_nonnull(strstr(f.all, "[id of position 5 in block 3: "));
    scene_end(&t);
}
END_TEST

/* Neither its ids nor the totals, which cannot be told without it. */
START_TEST(a_damaged_block_is_blamed_alone)
{
    uint8_t copy[8192], key[8] = {0};
    const uint8_t *bytes;
    store_scanned n;
    whole_finds f = {0};
    size_t size;
    scene t;

    whole_make(&t);
    ck_ok(store_get_block(t.txn, 0, &bytes, &size, &t.err), t.err);
    ck_assert_uint_lt(size, sizeof copy);
    memcpy(copy, bytes, size);
    copy[size / 2] ^= 4;
    ck_ok(kv_put(t.txn, (kv_key){DB_BLOCKS, key, 8}, copy, size, &t.err),
          t.err);
    whole_scan(&t, &f, &n);
    ck_assert_msg(f.count == 1 && strstr(f.all, "[block 0: ") == f.all, "%s",
                  f.all);
    ck_assert_uint_eq(n.blocks, BLOCKS - 1);
    scene_end(&t);
}
END_TEST

/* What compaction does: the block without what is gone, the log dropped. */
START_TEST(a_compacted_block_agrees)
{
    static const uint32_t gone[] = {2, 7};
    store_block b = {0};
    store_order o = {0};
    docs d = {0};
    store_scanned n;
    whole_finds f = {0};
    scene t;

    whole_make(&t);
    whole_docs(&d, 1);
    docs_drop(&d, 0, gone, 2);
    ck_ok(store_block_encode(&b, 1, &d, 0, d.count, &t.err), t.err);
    ck_ok(store_order_encode(&o, &d, 0, d.count, &t.err), t.err);
    ck_ok(store_replace_block(t.txn, 1, &b, &t.err), t.err);
    ck_ok(store_put_order(t.txn, 1, &o, &t.err), t.err);
    ck_ok(store_drop_removals(t.txn, &t.err), t.err);
    whole_scan(&t, &f, &n);
    ck_assert_msg(f.count == 0, "%s", f.all);
    ck_assert_uint_eq(n.documents, BLOCKS * DOCS - 2 + ELSEWHERE);
    docs_free(&d);
    store_block_free(&b);
    store_order_free(&o);
    scene_end(&t);
}
END_TEST

static void put_order(scene *t, uint64_t block, const docs *d)
{
    store_order o = {0};

    ck_ok(store_order_encode(&o, d, 0, d->count, &t->err), t->err);
    ck_ok(store_put_order(t->txn, block, &o, &t->err), t->err);
    store_order_free(&o);
}

/* Its every symbol changed in turn: the words are others, or one is lost. */
START_TEST(an_order_has_the_words_that_are_counted)
{
    store_scanned n;
    size_t tries = 0;
    docs d = {0};
    scene t;

    whole_make(&t);
    scene_commit(&t);
    whole_docs(&d, 3);
    for (size_t m = 0; m < DOCS; m++)
        for (size_t i = d.order_at[m]; i < d.order_at[m + 1]; i += 5) {
            whole_finds f = {0};
            const uint32_t before = d.order[i];
            d.order[i] = before == DOCS_APART ? 1 : before - 1;
            scene_write(&t);
            put_order(&t, 3, &d);
            whole_scan(&t, &f, &n);
            ck_assert_msg(f.count == 1 &&
                              strcmp(f.all, "[order of words of block 3: it "
                                            "does not have the words of its "
                                            "documents]") == 0, "%s", f.all);
            store_abort(&t.txn);
            d.order[i] = before;
            tries++;
        }
    ck_assert_uint_gt(tries, 50);
    docs_free(&d);
    scene_end(&t);
}
END_TEST

/* One of another block, one that no block has said there is, one that was
 * lost. */
START_TEST(orders_go_with_their_blocks)
{
    store_scanned n;
    docs d = {0};
    scene t;

    whole_make(&t);
    scene_commit(&t);
    whole_docs(&d, 1);
    for (uint64_t block = 0; block < BLOCKS + 2; block++) {
        whole_finds f = {0};
        scene_write(&t);
        put_order(&t, block, &d);
        whole_scan(&t, &f, &n);
        ck_assert_msg((f.count == 0) == (block == 1), "%d: %s", (int)block,
                      f.all);
        ck_assert(block % 2 == 1 || block >= BLOCKS ||
                  strstr(f.all, "is of another block") != NULL);
        ck_assert(block < BLOCKS || strstr(f.all, "there is no block") != NULL);
        store_abort(&t.txn);
    }
    docs_free(&d);
    scene_end(&t);
}
END_TEST

START_TEST(no_memory_is_told)
{
    store_scanned n;
    whole_finds f = {0};
    scene t;

    whole_make(&t);
    ck_ok(store_put_id(t.txn, span_text("new"), (store_place){0, 2}, &t.err),
          t.err);
    scene_starve(store_scan(t.txn,
                            &(store_watcher){.found = whole_find, .data = &f},
                            &n, &t.err),
                 t.err);
    ck_assert_uint_eq(n.damaged, 1);
    scene_end(&t);
}
END_TEST

UNIT_SUITE("census",
    every_stray_id_is_told,
    every_lost_document_is_told,
    a_damaged_block_is_blamed_alone,
    a_compacted_block_agrees,
    an_order_has_the_words_that_are_counted,
    orders_go_with_their_blocks,
    no_memory_is_told)
