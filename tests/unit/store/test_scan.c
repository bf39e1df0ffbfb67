/* SPDX-License-Identifier: MIT */
#include "store/store.h"

#include "base/bytes.h"
#include "store/env.h"
#include "store/record.h"
#include "store/scene.h"

/* A store with a bit of everything that agrees with itself. */
enum { BLOCKS = 5, DOCS = 30, WORDS = 5000, ROWS = 300, WIDTH = 4 };

typedef struct finds {
    size_t count, limit;
    char all[4000]; /* their texts */
} finds;

static bool find(void *data, const char *what, const kedge_error *why)
{
    finds *const f = data;
    const size_t used = strlen(f->all);

    f->count++;
    snprintf(f->all + used, sizeof f->all - used, "[%s: %s]", what, why->text);
    return f->limit == 0 || f->count < f->limit;
}

static void scan(scene *t, finds *f, store_scanned *n)
{
    ck_ok(store_scan(t->s, find, f, n, &t->err), t->err);
    ck_assert_uint_eq(n->damaged, f->count);
}

static void make_docs(docs *d, uint64_t block)
{
    char id[32];

    docs_clear(d);
    for (uint64_t i = 0; i < DOCS; i++) {
        ck_assert(docs_begin(d, 2 * i + 1));
        for (uint32_t w = (uint32_t)(i % 7); w < WORDS; w += 997)
            ck_assert(docs_push(d, w, (uint32_t)block + 1));
        snprintf(id, sizeof id, "document-%d-%d", (int)block, (int)i);
        if (i % 3 != 0)
            ck_assert(docs_set_name(d, span_text(id), span_text("x")));
    }
}

/* Documents 2 and 7 of block 1 are gone; each of them a removal. */
static void put_documents(scene *t, store_totals *totals)
{
    static const uint32_t gone[] = {2, 7};
    store_block b = {0};
    docs d = {0};

    for (uint64_t n = 0; n < BLOCKS; n++) {
        make_docs(&d, n);
        ck_ok(store_block_encode(&b, (uint32_t)(n % 2), &d, 0, DOCS, &t->err),
              t->err);
        ck_ok(store_put_block(t->s, n, &b, &t->err), t->err);
        if (n == 1) {
            ck_ok(store_put_gone(t->s, n, gone, 2, &t->err), t->err);
            for (uint64_t i = 0; i < 2; i++)
                ck_ok(store_put_removal(t->s, i, n, gone + i, 1, &t->err),
                      t->err);
            docs_drop(&d, 0, gone, 2);
        }
        for (size_t i = 0; i < d.count; i++) {
            totals->tokens += d.length[i];
            if (docs_id(&d, i).size > 0)
                ck_ok(store_put_id(t->s, docs_id(&d, i),
                                   (store_place){n, d.position[i]}, &t->err),
                      t->err);
        }
        totals->documents += d.count;
        totals->nonzeros += docs_entries(&d);
    }
    totals->blocks = BLOCKS;
    totals->removals = totals->removed = 2;
    store_block_free(&b);
    docs_free(&d);
}

static void put_vocabulary(scene *t, store_totals *totals)
{
    uint64_t counts[WORDS] = {1};
    words w = {0};
    char word[32];

    for (int i = 0; i < WORDS; i++) {
        snprintf(word, sizeof word, "word%d", i);
        ck_assert(words_add(&w, word, strlen(word)));
    }
    ck_ok(store_put_words(t->s, &w, 0, &t->err), t->err);
    ck_ok(store_put_counts(t->s, counts, counts, WORDS, &t->err), t->err);
    totals->words = WORDS;
    words_free(&w);
}

static void put_view(scene *t)
{
    const store_view v = {.width = WIDTH, .words = ROWS, .blocks = BLOCKS,
                          .rows = 7, .removals = 1, .listed = true};
    int64_t values[STORE_CHUNK_ROWS * (1 + WIDTH)] = {5, -6};
    uint32_t ids[ROWS];
    store_rows r = {0};

    for (uint32_t i = 0; i < ROWS; i++)
        ids[i] = 3 * i;
    ck_ok(store_put_view(t->s, 3, &v, &t->err), t->err);
    ck_ok(store_put_list(t->s, 3, ids, ROWS, &t->err), t->err);
    for (uint64_t chunk = 0; chunk < 2; chunk++) {
        const size_t rows = chunk == 0 ? STORE_CHUNK_ROWS : ROWS % 256;
        ck_ok(store_rows_encode(&r, values, rows, WIDTH, &t->err), t->err);
        ck_ok(store_put_rows(t->s, 7, chunk, &r, &t->err), t->err);
        ck_ok(store_put_rows(t->s, 8, chunk, &r, &t->err), t->err); /* left */
    }
    store_rows_free(&r);
}

static void put_model(scene *t)
{
    static double values[140000];
    const uint8_t header[40] = {1};

    ck_ok(store_put_model(t->s, "m", header, sizeof header, &t->err), t->err);
    ck_ok(store_put_array(t->s, "m", "big", values, 140000, &t->err), t->err);
    ck_ok(store_put_array(t->s, "m", "none", values, 0, &t->err), t->err);
}

static void make(scene *t)
{
    store_totals totals = {.sources = 2};

    scene_make(t);
    ck_ok(store_begin_write(t->s, 4 << 20, &t->err), t->err);
    put_documents(t, &totals);
    put_vocabulary(t, &totals);
    put_view(t);
    put_model(t);
    for (uint64_t i = 0; i < 2; i++)
        ck_ok(store_put_source(t->s, i, &(store_source){.name = "s"}, &t->err),
              t->err);
    ck_ok(store_put_totals(t->s, &totals, &t->err), t->err);
}

START_TEST(a_whole_store_has_no_damage)
{
    store_scanned n;
    store_totals totals;
    finds f = {0};
    scene t;

    make(&t);
    for (int i = 0; i < 2; i++) { /* seen by the writer, and by others */
        scan(&t, &f, &n);
        ck_assert_msg(f.count == 0, "%s", f.all);
        ck_ok(store_get_totals(t.s, &totals, &t.err), t.err);
        ck_assert_uint_eq(n.documents, totals.documents);
        ck_assert_uint_eq(n.tokens, totals.tokens);
        ck_assert_uint_eq(n.nonzeros, totals.nonzeros);
        ck_assert(n.blocks == BLOCKS && n.words == WORDS && n.sources == 2 &&
                  n.views == 1 && n.rows == 4 && n.models == 1 &&
                  n.arrays == 3 && n.gone == 1 && n.removals == 2 &&
                  n.lists == 1 && n.ids == BLOCKS * DOCS * 2 / 3 - 2);
        ck_assert_uint_eq(n.records, 2 + 2 + BLOCKS + 1 + 2 + n.ids + 2 + 2 +
                                         1 + 1 + 4 + 1 + 3);
        if (i == 0) {
            scene_commit(&t);
            scene_read(&t);
        }
    }
    scene_reopen(&t, KEDGE_OPEN_READ);
    ck_fails(store_scan(t.s, find, &f, &n, &t.err), KEDGE_EMISUSE, t.err,
             "no transaction");
    scene_end(&t);
}
END_TEST

/* ---- damage -------------------------------------------------------------- */

/* The i-th record of a database, or false. */
typedef struct picked {
    size_t left;
    uint8_t key[512], *bytes;
    size_t key_size, size;
} picked;

static bool pick(void *data, const env_value *v)
{
    picked *const p = data;

    if (p->left-- > 0)
        return true;
    p->key_size = v->key_size;
    memcpy(p->key, v->key, v->key_size);
    p->size = v->size;
    p->bytes = mem_new(v->size, 1);
    memcpy(p->bytes, v->bytes, v->size);
    return false;
}

static bool get_record(scene *t, env_db db, size_t i, picked *out)
{
    *out = (picked){.left = i};
    ck_ok(env_walk(t->s, db, pick, out, &t->err), t->err);
    return out->bytes != NULL;
}

/* Of every database a few records, with a few bytes flipped. */
START_TEST(every_kind_of_record_is_found_damaged)
{
    store_scanned n;
    size_t harmless = 0, tries = 0;
    scene t;

    make(&t);
    for (env_db db = DB_META; db < DB_COUNT; db++) {
        picked p;
        for (size_t i = 0; i < 2 && get_record(&t, db, 3 * i, &p); i++) {
            const env_key key = {db, p.key, p.key_size};
            for (uint64_t k = 0; k < 12; k++) {
                const size_t at =
                    k < 6 ? scene_random(db, k, p.size < 48 ? p.size : 48)
                          : scene_random(db, k, p.size);
                finds f = {0};
                p.bytes[at] ^= (uint8_t)(1u << k % 8);
                ck_ok(env_put(t.s, key, p.bytes, p.size, &t.err), t.err);
                scan(&t, &f, &n);
                harmless += f.count == 0;
                ck_assert_msg(f.count > 0 || at >= 48, "%d %zu", (int)db, at);
                p.bytes[at] ^= (uint8_t)(1u << k % 8);
                tries++;
            }
            ck_ok(env_put(t.s, key, p.bytes, p.size, &t.err), t.err);
            mem_free(p.bytes);
        }
    }
    ck_assert_uint_ge(tries, 13 * 12);
    ck_assert_uint_le(harmless, tries / 20);
    scene_end(&t);
}
END_TEST

/* Records that are gone, or under a key that is none. */
START_TEST(lost_and_stray_records_are_found)
{
    static const struct {
        env_db db;
        size_t index;
        const char *part;
    } cases[] = {
        {DB_META, 0, "records of the store itself: 1 of 2"},
        {DB_META, 1, "records of the store itself: 1 of 2"},
        {DB_BLOCKS, 0, "id of position 3 in block 0: it leads to no document"},
        {DB_BLOCKS, 1, "there is no block 1"},
        {DB_BLOCKS, 2, "the totals: 148 documents"},
        {DB_WORDS, 1, "chunks of words: 1 of 2"},
        {DB_COUNTS, 0, "chunks of counts: 1 of 2"},
        {DB_SOURCES, 1, "sources: 1 of 2"},
        {DB_VIEWS, 0, "chunk 0 of the list of view 3: no view has it"},
        {DB_ROWS, 1, "view 3: chunk 1 of its sketch is gone"},
        {DB_MODELS, 0, "array \"big\" of model \"m\": there is no such model"},
        {DB_ARRAYS, 0, "is damaged (chunk 0 is gone)"},
        {DB_ARRAYS, 1, "is damaged (chunk 1 is gone)"},
        {DB_IDS, 5, "documents are not found under their ids"},
        {DB_GONE, 0, "removal 0: block 1 still has what it took"},
        {DB_LISTS, 0, "view 3: its list of words is gone"},
    };
    store_scanned n;
    scene t;

    make(&t);
    scene_commit(&t);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        finds f = {0};
        picked p;
        scene_write(&t);
        ck_assert(get_record(&t, cases[i].db, cases[i].index, &p));
        ck_ok(env_drop(t.s, (env_key){cases[i].db, p.key, p.key_size}, &t.err),
              t.err);
        scan(&t, &f, &n);
        ck_assert_msg(strstr(f.all, cases[i].part) != NULL, "%zu: %s", i,
                      f.all);
        mem_free(p.bytes);
        store_abort(t.s);
    }
    for (env_db db = DB_META; db < DB_COUNT; db++) {
        uint8_t key[] = "no key of this form";
        finds f = {0};
        scene_write(&t);
        ck_ok(env_put(t.s, (env_key){db, key, sizeof key}, key, 9, &t.err),
              t.err);
        scan(&t, &f, &n);
        ck_assert_msg(f.count > 0, "%d", (int)db);
        store_abort(t.s);
    }
    scene_end(&t);
}
END_TEST

/* Whole records that do not agree with others. */
static void spoil(scene *t, int kind)
{
    const uint32_t far[] = {2, 99}, list[] = {1, WORDS};
    const store_place nowhere = {BLOCKS - 1, 2}, other = {0, 3};
    const store_source source = {.name = "s"};
    store_view v;
    store_totals totals;

    ck_ok(store_get_totals(t->s, &totals, &t->err), t->err);
    ck_ok(store_get_view_record(t->s, 3, &v, &t->err), t->err);
    if (kind == 0)
        ck_ok(store_put_gone(t->s, 1, far, 2, &t->err), t->err);
    if (kind == 1)
        ck_ok(store_put_removal(t->s, 2, 1, far, 1, &t->err), t->err);
    if (kind == 2)
        ck_ok(store_put_id(t->s, span_text("new"), nowhere, &t->err), t->err);
    if (kind == 3) /* another's place */
        ck_ok(store_put_id(t->s, span_text("new"), other, &t->err), t->err);
    if (kind == 4)
        ck_ok(store_put_list(t->s, 3, list, 2, &t->err), t->err);
    if (kind == 5)
        ck_ok(store_put_source(t->s, 2, &source, &t->err), t->err);
    totals.tokens += kind == 6;
    totals.blocks -= kind == 7;
    totals.words -= kind == 8;
    v.removals += kind == 9 ? 5 : 0;
    v.width += kind == 10;
    ck_ok(store_put_view(t->s, 3, &v, &t->err), t->err);
    ck_ok(store_put_totals(t->s, &totals, &t->err), t->err);
}

START_TEST(what_does_not_agree_is_found)
{
    static const char *const parts[] = {
        "gone from block 1: its last document is 99, there are 30",
        "removal 2: its number is 2, there are 2",
        "id of position 2 in block 4: it leads to no document",
        "id of position 3 in block 0: it leads to no document",
        "its last word is 5000, there are 5000",
        "source 2: its number is 2, there are 2",
        "the totals: 148 documents",
        "block 4: its number is 4, there are 4",
        "words chunk 1: it has 904 words",
        "view 3: it is of more than there is",
        "which its view has not",
    };
    store_scanned n;
    scene t;

    make(&t);
    scene_commit(&t);
    for (int kind = 0; kind < 11; kind++) {
        finds f = {0}, once = {.limit = 1};
        scene_write(&t);
        spoil(&t, kind);
        scan(&t, &f, &n);
        ck_assert_msg(strstr(f.all, parts[kind]) != NULL, "%d: %s", kind,
                      f.all);
        scan(&t, &once, &n); /* told to stop */
        ck_assert_uint_eq(once.count, 1);
        store_abort(t.s);
    }
    scene_end(&t);
}
END_TEST

START_TEST(no_memory_is_told)
{
    store_scanned n;
    finds f = {0};
    scene t;

    make(&t);
    ck_ok(store_put_id(t.s, span_text("new"), (store_place){0, 2}, &t.err),
          t.err);
    scene_starve(store_scan(t.s, find, &f, &n, &t.err), t.err);
    ck_assert_uint_eq(n.damaged, 1);
    scene_end(&t);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_whole_store_has_no_damage,
        every_kind_of_record_is_found_damaged,
        lost_and_stray_records_are_found,
        what_does_not_agree_is_found,
        no_memory_is_told,
        NULL,
    };

    return unit_run("store/scan", tests);
}
