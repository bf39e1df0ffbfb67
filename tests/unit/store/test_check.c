/* SPDX-License-Identifier: MIT */
#include "store/spoil.h"
#include "store/whole.h"

TEST(a_whole_store_has_no_damage)
{
    store_totals totals;
    store_scanned n;
    OWN(scene_drop) scene *const t = whole_new();

    for (int i = 0; i < 2; i++) { /* seen by the writer, and by others */
        const whole_finds f = whole_scan(t, 0);
        n = f.n;
        ck_assert_msg(f.count == 0, "%s", f.all);
        OK(store_get_totals(t->txn, &totals, &t->err));
        ck_assert_uint_eq(n.documents, totals.documents);
        ck_assert_uint_eq(n.tokens, totals.tokens);
        ck_assert_uint_eq(n.nonzeros, totals.nonzeros);
        ck_assert(n.blocks == BLOCKS && n.words == WORDS && n.sources == 2 &&
                  n.indexes == 1 && n.rows == 4 && n.models == 1 &&
                  n.arrays == 4 && n.gone == 1 && n.removals == 2 &&
                  n.lists == 1 && n.orders == 2 && n.joins == 1 &&
                  n.kept == 4 && n.spectra == 2 && n.parts == 3 &&
                  n.ids == BLOCKS * DOCS * 2 / 3 - 2);
        ck_assert_uint_eq(n.records, 3 + 2 + BLOCKS + 1 + 2 + n.ids + 2 + 2 +
                                         1 + 1 + 4 + 1 + 4 + 2 + 1 + 4 + 2 + 3);
        if (i == 0) {
            scene_commit(t);
            scene_read(t);
        }
    }
    scene_reopen(t, KEDGE_OPEN_READ);
    FAILS(
        store_scan(t->txn, &(store_watcher){.found = whole_find}, &n, &t->err),
        KEDGE_EMISUSE, "no transaction");
}

typedef struct patience {
    uint64_t left, calls, done, total;
} patience;

static bool patience_asks(void *data, uint64_t done, uint64_t total)
{
    patience *const p = data;

    ck_assert_uint_ge(done, p->done);
    ck_assert_uint_le(done, total);
    p->done = done;
    p->total = total;
    p->calls++;
    return p->left-- > 0;
}

static bool patience_finds(void *data, const char *what, const kedge_error *why)
{
    (void)data;
    ck_abort_msg("%s: %s", what, why->text);
}

TEST(a_scan_can_be_watched_and_stopped)
{
    uint64_t calls = 1;
    OWN(scene_drop) scene *const t = whole_new();

    for (uint64_t k = 0; k < calls; k++) {
        patience p = {.left = k == 0 ? UINT64_MAX : k - 1};
        const store_watcher w = {patience_finds, patience_asks, &p};
        store_scanned n;
        OK(store_scan(t->txn, &w, &n, &t->err));
        if (k == 0) {
            ck_assert_uint_eq(n.records, p.total);
            ck_assert_uint_gt(p.calls, 1);
            calls = p.calls;
        } else {
            ck_assert_uint_eq(p.calls, k);
            ck_assert_uint_lt(n.records, p.total);
        }
    }
}

/* ---- damage -------------------------------------------------------------- */

/* The i-th record of a database, or false. */
typedef struct picked {
    size_t left;
    uint8_t key[512], *bytes;
    size_t key_size, size;
} picked;

static kedge_status pick(void *data, const kv_value *v, kedge_error *err)
{
    picked *const p = data;

    (void)err;
    if (p->left-- > 0)
        return KEDGE_OK;
    p->key_size = v->key.size;
    memcpy(p->key, v->key.bytes, v->key.size);
    p->size = v->size;
    p->bytes = mem_new(v->size, 1);
    memcpy(p->bytes, v->bytes, v->size);
    return KEDGE_ECANCELED;
}

static bool get_record(scene *t, kv_db db, size_t i, picked *out)
{
    *out = (picked){.left = i};
    if (kv_walk(t->txn, (kv_key){.db = db}, pick, out, &t->err) == KEDGE_OK)
        ck_assert_ptr_null(out->bytes);
    return out->bytes != NULL;
}

/* Of every database a few records, with a few bytes flipped. */
TEST(every_kind_of_record_is_found_damaged)
{
    size_t harmless = 0, tries = 0;
    OWN(scene_drop) scene *const t = whole_new();

    for (kv_db db = DB_META; db < DB_COUNT; db++) {
        picked p;
        for (size_t i = 0; i < 2 && get_record(t, db, 3 * i, &p); i++) {
            const kv_key key = {db, p.key, p.key_size};
            for (uint64_t k = 0; k < 12; k++) {
                const size_t at =
                    k < 6 ? scene_random(db, k, p.size < 48 ? p.size : 48)
                          : scene_random(db, k, p.size);
                p.bytes[at] ^= (uint8_t)(1u << k % 8);
                OK(kv_put(t->txn, key, p.bytes, p.size, &t->err));
                const whole_finds f = whole_scan(t, 0);
                harmless += f.count == 0;
                ck_assert_msg(f.count > 0 || at >= 48, "%d %zu", (int)db, at);
                p.bytes[at] ^= (uint8_t)(1u << k % 8);
                tries++;
            }
            OK(kv_put(t->txn, key, p.bytes, p.size, &t->err));
            mem_free(p.bytes);
        }
    }
    ck_assert_uint_ge(tries, 15 * 12);
    ck_assert_uint_le(harmless, tries / 20);
}

/* Records that are gone, or under a key that is none. */
TEST(lost_and_stray_records_are_found)
{
    static const struct {
        kv_db db;
        size_t index;
        const char *part;
    } cases[] = {
        {DB_META, 0, "records of the store itself: 1 of 2"},
        {DB_META, 1, "records of the store itself: 1 of 2"},
        {DB_BLOCKS, 0, "id of position 3 in block 0: it leads to no document"},
        {DB_BLOCKS, 1, "there is no block 1"},
        {DB_BLOCKS, 2, "the totals: 158 documents"},
        {DB_WORDS, 1, "chunks of words: 1 of 2"},
        {DB_COUNTS, 0, "chunks of counts: 1 of 2"},
        {DB_SOURCES, 1, "sources: 1 of 2"},
        {DB_INDEXES, 0, "chunk 0 of the list of index 3: no index has it"},
        {DB_ROWS, 1, "index 3: chunk 1 of its sketch is gone"},
        {DB_MODELS, 0, "array \"big\" of model \"m\": there is no such model"},
        {DB_ARRAYS, 0, "\"big\" of model \"m\" is damaged (chunk 0 is gone)"},
        {DB_ARRAYS, 1, "\"big\" of model \"m\" is damaged (chunk 1 is gone)"},
        {DB_IDS, 5, "documents are not found under their ids"},
        {DB_GONE, 0, "removal 0: block 1 still has its documents"},
        {DB_LISTS, 0, "index 3 is damaged (its list of words is gone)"},
        {DB_BLOCKS, 3, "order of words of block 3: there is no block 3"},
        {DB_ORDERS, 0, "orders of words: 1 of 2 are there"},
        {DB_ORDERS, 1, "orders of words: 1 of 2 are there"},
        {DB_INDEXES, 0, "phrases of index 3: no index has them"},
        {DB_JOINS, 0, "index 3: its phrases are gone"},
        {DB_KEPT, 2, "model \"m\", portion 1 is damaged (gone)"},
        {DB_PARTS, 0, "there is no part 0"},
        {DB_SPECTRA, 0, "spectrum of index 3, weights 1: its record is gone"},
        {DB_SPECTRUM, 0, "spectrum of index 3, weights 1: chunk 0 is gone"},
    };
    OWN(scene_drop) scene *const t = whole_new();

    scene_commit(t);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        picked p;
        scene_write(t);
        ck_assert(get_record(t, cases[i].db, cases[i].index, &p));
        OK(kv_drop(t->txn, (kv_key){cases[i].db, p.key, p.key_size}, &t->err));
        const whole_finds f = whole_scan(t, 0);
        ck_assert_msg(strstr(f.all, cases[i].part) != NULL, "%zu: %s", i,
                      f.all);
        mem_free(p.bytes);
        store_abort(&t->txn);
    }
    for (kv_db db = DB_META; db < DB_COUNT; db++) {
        uint8_t key[] = "no key of this form";
        scene_write(t);
        OK(kv_put(t->txn, (kv_key){db, key, sizeof key}, key, 9, &t->err));
        const whole_finds f = whole_scan(t, 0);
        ck_assert_msg(f.count > 0, "%d", (int)db);
        store_abort(&t->txn);
    }
}

/* Whole records that do not agree with others. */
static void spoil(scene *t, int kind)
{
    const uint32_t far[] = {2, 99}, list[] = {1, WORDS};
    const store_place nowhere = {BLOCKS - 1, 2}, other = {0, 3};
    const store_source source = {.name = "s"};
    store_index v;
    store_totals totals;

    OK(store_get_totals(t->txn, &totals, &t->err));
    OK(store_get_index_record(t->txn, 3, &v, &t->err));
    if (kind == 0)
        OK(store_put_gone(t->txn, 1, far, 2, &t->err));
    if (kind == 1)
        OK(store_put_removal(t->txn, 2, 1, far, 1, &t->err));
    if (kind == 2)
        OK(store_put_id(t->txn, span_text("new"), nowhere, &t->err));
    if (kind == 3) /* another's place */
        OK(store_put_id(t->txn, span_text("new"), other, &t->err));
    if (kind == 4)
        OK(store_put_list(t->txn, 3, list, 2, &t->err));
    if (kind == 5)
        OK(store_put_source(t->txn, 2, &source, &t->err));
    for (int i = 11; i < 14; i++) { /* a part, a part, the whole */
        store_join join = {1, 2, 3, 1};
        const store_joins joins = {.join = &join, .count = 1};
        if (kind != i)
            continue;
        *(i == 11 ? &join.left : i == 12 ? &join.right : &join.whole) = WORDS;
        OK(store_put_joins(t->txn, 3, &joins, &t->err));
    }
    v.joined = kind != 14;
    totals.tokens += kind == 6;
    totals.blocks -= kind == 7;
    totals.words -= kind == 8;
    v.removals += kind == 9 ? 5 : 0;
    v.width += kind == 10;
    OK(store_put_index(t->txn, 3, &v, &t->err));
    OK(store_put_totals(t->txn, &totals, &t->err));
}

TEST(what_does_not_agree_is_found)
{
    static const char *const parts[] = {
        "removed from block 1 is damaged (document 99 of 30)",
        "removal 2: its number is 2, the store has 2",
        "id of position 2 in block 4: it leads to no document",
        "id of position 3 in block 0: it leads to no document",
        "chunk 0 of the list of index 3 is damaged (chunk 0 has impossible",
        "source 2: its number is 2, the store has 2",
        "the totals: 158 documents",
        "block 4 is damaged (there are 4 blocks)",
        "words chunk 1: it has 904 words",
        "index 3 is damaged (it counts more than the store has)",
        "its index has others",
        "phrases of index 3 are damaged (words)",
        "phrases of index 3 are damaged (words)",
        "phrases of index 3 are damaged (words)",
        "phrases of index 3: no index has them",
    };
    OWN(scene_drop) scene *const t = whole_new();

    scene_commit(t);
    for (int kind = 0; kind < 15; kind++) {
        scene_write(t);
        spoil(t, kind);
        const whole_finds f = whole_scan(t, 0);
        ck_assert_msg(strstr(f.all, parts[kind]) != NULL, "%d: %s", kind,
                      f.all);
        ck_assert_uint_eq(whole_scan(t, 1).count, 1);
        store_abort(&t->txn);
    }
}

/* ---- documents ----------------------------------------------------------- */

static size_t count_text(const char *text, const char *part)
{
    size_t count = 0;

    for (; (text = strstr(text, part)) != NULL; text++)
        count++;
    return count;
}

/* Ids in places where no document is, where another one is, or where one was:
 * as many finds as such ids. */
TEST(every_stray_id_is_told)
{
    OWN(scene_drop) scene *const t = whole_new();

    scene_commit(t);
    for (uint64_t seed = 0; seed < 30; seed++) {
        const uint64_t strays = scene_random(seed, 0, 20);
        scene_write(t);
        for (uint64_t i = 0; i < strays; i++) {
            const store_place p = {scene_random(seed, 2 * i, BLOCKS + 2),
                                   scene_random(seed, 2 * i + 1, 2 * DOCS)};
            char id[16];
            snprintf(id, sizeof id, "stray %d", (int)i);
            OK(store_put_id(t->txn, span_text(id), p, &t->err));
        }
        const whole_finds f = whole_scan(t, 0);
        ck_assert_uint_eq(count_text(f.all, "it leads to no document"), strays);
        ck_assert_uint_eq(f.count, strays);
        store_abort(&t->txn);
    }
}

/* A document whose id leads elsewhere, or that is not known by it. */
TEST(every_lost_document_is_told)
{
    OWN(scene_drop) scene *const t = whole_new();

    OK(store_drop_id(t->txn, span_text("document-2-4"), &t->err));
    OK(store_drop_id(t->txn, span_text("document-2-5"), &t->err));
    OK(store_put_id(t->txn, span_text("document-3-1"), (store_place){3, 5},
                    &t->err));
    const whole_finds f = whole_scan(t, 0);
    ck_assert_uint_eq(f.count, 3);
    ck_assert_ptr_nonnull(strstr(f.all, "[block 2: 2 documents are not found "
                                        "under their ids, the first at "
                                        "position 9]"));
    ck_assert_ptr_nonnull(strstr(f.all, "[block 3: 1 documents"));
    ck_assert_ptr_nonnull(strstr(f.all, "[id of position 5 in block 3: "));
}

/* Neither its ids nor the totals, which cannot be told without it. */
TEST(a_damaged_block_is_blamed_alone)
{
    size_t size;
    OWN(scene_drop) scene *const t = whole_new();
    OWNED uint8_t *copy = spoil_copy(t, KV_KEY8(DB_BLOCKS, 0), &size);

    copy[size / 2] ^= 4;
    OK(kv_put(t->txn, KV_KEY8(DB_BLOCKS, 0), copy, size, &t->err));
    const whole_finds f = whole_scan(t, 0);
    ck_assert_msg(f.count == 1 && strstr(f.all, "[block 0: ") == f.all, "%s",
                  f.all);
    ck_assert_uint_eq(f.n.blocks, BLOCKS - 1);
}

/* What compaction does: the block without what is gone, the log dropped. */
TEST(a_compacted_block_agrees)
{
    static const uint32_t gone[] = {2, 7};
    OWN(store_block_free) store_block b = {0};
    OWN(store_order_free) store_order o = {0};
    OWN(docs_free) docs d = {0};
    OWN(scene_drop) scene *const t = whole_new();

    whole_docs(&d, 1);
    docs_drop(&d, 0, gone, 2);
    OK(store_block_encode(&b, 1, &d, 0, d.count, &t->err));
    OK(store_order_encode(&o, &d, 0, d.count, &t->err));
    OK(store_replace_block(t->txn, 1, &b, &t->err));
    OK(store_put_order(t->txn, 1, &o, &t->err));
    OK(store_drop_removals(t->txn, &t->err));
    const whole_finds f = whole_scan(t, 0);
    ck_assert_msg(f.count == 0, "%s", f.all);
    ck_assert_uint_eq(f.n.documents, BLOCKS * DOCS - 2 + ELSEWHERE);
}

static void put_order(scene *t, uint64_t block, const docs *d)
{
    OWN(store_order_free) store_order o = {0};

    OK(store_order_encode(&o, d, 0, d->count, &t->err));
    OK(store_put_order(t->txn, block, &o, &t->err));
}

/* Its every symbol changed in turn: the words are others, or one is lost. */
TEST(an_order_has_the_words_that_are_counted)
{
    size_t tries = 0;
    OWN(docs_free) docs d = {0};
    OWN(scene_drop) scene *const t = whole_new();

    scene_commit(t);
    whole_docs(&d, 3);
    for (size_t m = 0; m < DOCS; m++)
        for (size_t i = d.order_at[m]; i < d.order_at[m + 1]; i += 5) {
            const uint32_t before = d.order[i];
            d.order[i] = before == DOCS_APART ? 1 : before - 1;
            scene_write(t);
            put_order(t, 3, &d);
            const whole_finds f = whole_scan(t, 0);
            ck_assert_msg(f.count == 1 &&
                              strcmp(f.all, "[order of words of block 3: it "
                                            "does not have the words of its "
                                            "documents]") == 0, "%s", f.all);
            store_abort(&t->txn);
            d.order[i] = before;
            tries++;
        }
    ck_assert_uint_gt(tries, 50);
}

/* One of another block, one that no block has said there is, one that was
 * lost. */
TEST(orders_go_with_their_blocks)
{
    OWN(docs_free) docs d = {0};
    OWN(scene_drop) scene *const t = whole_new();

    scene_commit(t);
    whole_docs(&d, 1);
    for (uint64_t block = 0; block < BLOCKS + 2; block++) {
        scene_write(t);
        put_order(t, block, &d);
        const whole_finds f = whole_scan(t, 0);
        ck_assert_msg((f.count == 0) == (block == 1), "%d: %s", (int)block,
                      f.all);
        ck_assert(block % 2 == 1 || block >= BLOCKS ||
                  strstr(f.all, "is of another block") != NULL);
        ck_assert(block < BLOCKS || strstr(f.all, "there is no block") != NULL);
        store_abort(&t->txn);
    }
}

TEST(no_memory_is_told)
{
    store_scanned n;
    whole_finds f = {0};
    OWN(scene_drop) scene *const t = whole_new();

    OK(store_put_id(t->txn, span_text("new"), (store_place){0, 2}, &t->err));
    scene_starve(store_scan(t->txn,
                            &(store_watcher){.found = whole_find, .data = &f},
                            &n, &t->err),
                 t->err);
    ck_assert_uint_eq(n.damaged, 1);
}
