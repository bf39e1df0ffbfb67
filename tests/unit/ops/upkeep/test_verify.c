/* SPDX-License-Identifier: MIT */
#include "ops/life.h"

#include "base/gate.h"
#include "ops/index/recount.h"

static life it; /* too big for a stack */

typedef struct findings {
    size_t count;
    char all[4000];
} findings;

static void note(void *data, const char *what, const char *why)
{
    findings *f = data;
    const size_t used = strlen(f->all);

    f->count++;
    snprintf(f->all + used, sizeof f->all - used, "[%s: %s]", what, why);
}

static kedge_verify_result look(findings *f)
{
    kedge_verify_result r;

    *f = (findings){0};
    ck_ok(kedge_verify(it.t.s, note, f, &it.c, &r, &it.t.err), it.t.err);
    ck_assert_uint_eq(r.damaged, f->count);
    return r;
}

/* A store that is whole has this; the caller frees it. */
static kedge_verify_result look_whole(void)
{
    findings f;
    kedge_verify_result r = look(&f);

    ck_assert_msg(f.count == 0, "%s", f.all);
    ck_assert(r.counted);
    return r;
}

static void check_finding(const char *part)
{
    findings f;
    kedge_verify_result r = look(&f);

    ck_assert_msg(strstr(f.all, part) != NULL, "\"%s\" does not say \"%s\"",
                  f.all, part);
    kedge_verify_free(&r);
}

static void prepare(uint64_t seed)
{
    life_fill(&it, seed);
    life_fit(&it, 30);
    life_fit(&it, 40);
}

/* ---- stores that are whole ----------------------------------------------- */

TEST(a_whole_store_is_summed_up)
{
    uint64_t tf[LIFE_WORDS], df[LIFE_WORDS];

    for (uint64_t seed = 0; seed < 5; seed++) {
        kedge_verify_result r;
        kedge_store_info info;
        uint64_t held = 0;
        prepare(seed);
        life_count(&it, tf, df);
        for (size_t w = 0; w < LIFE_WORDS; w++)
            held += df[w] > 0;
        ck_ok(kedge_store_get_info(it.t.s, &info, &it.t.err), it.t.err);
        r = look_whole();
        ck_assert_uint_gt(r.records, 10);
        ck_assert_uint_eq(r.documents, life_there(&it));
        ck_assert_uint_eq(r.tokens, info.tokens);
        ck_assert_uint_eq(r.nonzeros, info.nonzeros);
        ck_assert_uint_eq(r.words, held);
        ck_assert_mem_eq(r.documents_digest, info.digest, sizeof info.digest);
        ck_assert_uint_ne(r.vocabulary_digest, 0);
        ck_assert_uint_eq(r.index_count, 2);
        ck_assert_uint_eq(r.indexes[1].number, 2);
        ck_assert(r.indexes[0].current && r.indexes[1].current);
        ck_assert_uint_ne(r.indexes[0].digest, r.indexes[1].digest);
        ck_assert_uint_eq(r.model_count, 1);
        ck_assert_str_eq(r.models[0].name, "k2");
        ck_assert_uint_gt(r.planned_memory, 0);
        kedge_verify_free(&r);
        ck_assert_ptr_null(r.indexes);
        life_end(&it);
    }
}

TEST(an_empty_store_is_whole)
{
    kedge_verify_result r;

    life_begin(&it);
    r = look_whole();
    ck_assert_uint_eq(r.documents + r.words + r.index_count + r.model_count, 0);
    kedge_verify_free(&r);
    life_end(&it);
}

static void compare(const kedge_verify_result *a, const kedge_verify_result *b)
{
    ck_assert_mem_eq(a->documents_digest, b->documents_digest, 16);
    ck_assert_uint_eq(a->vocabulary_digest, b->vocabulary_digest);
    ck_assert_uint_eq(a->index_count, 1);
    ck_assert_uint_eq(b->index_count, 1);
    ck_assert_uint_eq(a->indexes[0].digest, b->indexes[0].digest);
    ck_assert_uint_eq(a->model_count, 1);
    ck_assert_uint_eq(b->model_count, 1);
    ck_assert_uint_eq(a->models[0].digest, b->models[0].digest);
}

/* The same documents: those that were replaced never came, and the others in
 * one source, backwards. */
TEST(digests_do_not_know_how_it_came)
{
    static life_document kept[LIFE_MOST];
    kedge_verify_result a, b;
    size_t n = 0;

    for (uint64_t seed = 0; seed < 4; seed++) {
        life_fill(&it, seed);
        life_fit(&it, 30); /* before the last come */
        life_add(&it, seed + 99, 80, "last", NULL);
        life_fit(&it, 0);
        a = look_whole();
        n = 0;
        for (size_t m = it.count; m-- > 0;)
            if (it.d[m].there)
                kept[n++] = it.d[m];
        life_end(&it);
        life_begin(&it);
        for (it.count = 0; it.count < n; it.count++)
            it.d[it.count] = kept[it.count];
        life_ingest(&it, 0, "backwards", "other");
        b = look_whole();
        ck_assert_mem_eq(a.documents_digest, b.documents_digest, 16);
        ck_assert_uint_eq(a.vocabulary_digest, b.vocabulary_digest);
        kedge_verify_free(&b);
        life_end(&it);
        kedge_verify_free(&a);
    }
}

TEST(sketches_and_models_do_not_either)
{
    kedge_verify_result a, b;

    life_begin(&it);
    life_add(&it, 5, 150, "one", NULL);
    life_fit(&it, 20);
    a = look_whole();
    life_end(&it);
    life_begin(&it);
    life_add(&it, 5, 150, "another", "named");
    it.count = 0;
    life_fit(&it, 20);
    life_fit(&it, 20); /* a later serial */
    ck_ok(kedge_label_topic(it.t.s, NULL, 0, "a name", &it.t.err), it.t.err);
    b = look_whole();
    compare(&a, &b);
    kedge_verify_free(&b);
    life_end(&it);
    life_begin(&it);
    life_add(&it, 6, 150, "one", NULL);
    life_fit(&it, 20);
    b = look_whole();
    ck_assert_uint_ne(a.vocabulary_digest, b.vocabulary_digest);
    ck_assert_uint_ne(a.indexes[0].digest, b.indexes[0].digest);
    ck_assert_uint_ne(a.models[0].digest, b.models[0].digest);
    kedge_verify_free(&b);
    kedge_verify_free(&a);
    life_end(&it);
}

/* ---- damage -------------------------------------------------------------- */

/* Sums that are wrong together, so that no record by itself tells. */
TEST(wrong_counts_are_found)
{
    uint64_t tf[LIFE_WORDS], df[LIFE_WORDS];
    store_totals t;

    prepare(1);
    scene_write(&it.t);
    ck_ok(store_get_totals(it.t.txn, &t, &it.t.err), it.t.err);
    ck_ok(store_get_counts(it.t.txn, tf, df, t.words, &it.t.err), it.t.err);
    tf[3]++;
    tf[4]--;
    df[7]++;
    df[8]--;
    ck_ok(store_put_counts(it.t.txn, tf, df, t.words, &it.t.err), it.t.err);
    scene_commit(&it.t);
    check_finding("word 3, \"w");
    check_finding("word 8, \"w");
    for (size_t w = 0; w < t.words; w++)
        tf[w] += 2;
    scene_write(&it.t);
    ck_ok(store_put_counts(it.t.txn, tf, df, t.words, &it.t.err), it.t.err);
    scene_commit(&it.t);
    check_finding(" more with other counts]");
    life_end(&it);
}

/* A number of a record that becomes another, and what is found then. */
typedef struct change {
    size_t member;
    uint64_t by;
    const char *finding;
} change;

typedef kedge_status put_record(const void *record);

static kedge_status put_totals(const void *record)
{
    return store_put_totals(it.t.txn, record, &it.t.err);
}

static kedge_status put_source(const void *record)
{
    return store_put_source(it.t.txn, 1, record, &it.t.err);
}

static kedge_status put_index(const void *record)
{
    return store_put_index(it.t.txn, 1, record, &it.t.err);
}

/* One after the other; the record is put as it was in the end. */
static void check_changes(void *record, put_record *put, const change *c,
                          size_t count)
{
    for (size_t i = 0; i <= count; i++) {
        uint64_t *const number =
            (uint64_t *)(void *)((char *)record + c[i % count].member);
        *number += i < count ? c[i].by : 0;
        scene_write(&it.t);
        ck_ok(put(record), it.t.err);
        scene_commit(&it.t);
        if (i < count)
            check_finding(c[i].finding);
        *number -= i < count ? c[i].by : 0;
    }
    kedge_verify_result r = look_whole();
    kedge_verify_free(&r);
}

TEST(wrong_totals_are_found)
{
    static const change changes[] = {
        {offsetof(store_totals, digest[1]), 1, "[totals: digest "},
        {offsetof(store_totals, documents), 1, "documents"},
        {offsetof(store_totals, tokens), UINT64_MAX, "tokens"}};
    store_totals t;

    prepare(1);
    scene_read(&it.t);
    ck_ok(store_get_totals(it.t.txn, &t, &it.t.err), it.t.err);
    store_abort(&it.t.txn);
    check_changes(&t, put_totals, changes, 3);
    life_end(&it);
}

TEST(wrong_sources_are_found)
{
    static const change changes[] = {
        {offsetof(store_source, documents), 1, "[source 1: "},
        {offsetof(store_source, removed_tokens), 1, "[source 1: "},
        {offsetof(store_source, nonzeros), UINT64_MAX, "[source 1: "}};
    store_source r;

    prepare(1);
    scene_read(&it.t);
    ck_ok(store_get_source_record(it.t.txn, 1, &r, &it.t.err), it.t.err);
    store_abort(&it.t.txn);
    check_changes(&r, put_source, changes, 3);
    life_end(&it);
}

TEST(wrong_watermarks_are_found)
{
    static const change changes[] = {
        {offsetof(store_index, blocks), 7, "index 1: "},
        {offsetof(store_index, removals), 7, "index 1: "},
        {offsetof(store_index, documents), UINT64_MAX - 2,
         "that are too short, the store has"},
        {offsetof(store_index, skipped), 5000, "documents that are too short"},
        {offsetof(store_index, tokens), 50000, "tokens"}};
    kedge_verify_result r;
    store_index v;

    prepare(1);
    scene_read(&it.t);
    ck_ok(store_get_index_record(it.t.txn, 1, &v, &it.t.err), it.t.err);
    store_abort(&it.t.txn);
    check_changes(&v, put_index, changes, 5);
    it.no_sketch = true;
    life_add(&it, 3, 20, "more", NULL);
    r = look_whole();
    ck_assert(!r.indexes[0].current);
    kedge_verify_free(&r);
    life_end(&it);
}

TEST(damaged_records_are_named)
{
    const uint8_t *bytes;
    store_block b = {0};
    kedge_verify_result r;
    findings f;

    prepare(2);
    scene_write(&it.t);
    ck_ok(store_get_block(it.t.txn, 1, &bytes, &b.size, &it.t.err), it.t.err);
    b.bytes = mem_new(b.size, 1);
    memcpy(b.bytes, bytes, b.size);
    b.bytes[b.size / 2] ^= 4;
    ck_ok(store_put_block(it.t.txn, 1, &b, &it.t.err), it.t.err);
    scene_commit(&it.t);
    store_block_free(&b);
    r = look(&f);
    ck_assert_uint_ge(f.count, 1);
    ck_assert_ptr_nonnull(strstr(f.all, "block 1"));
    ck_assert(!r.counted && r.index_count == 0 && r.documents == 0);
    kedge_verify_free(&r);
    ck_ok(kedge_verify(it.t.s, NULL, NULL, &it.c, &r, &it.t.err), it.t.err);
    ck_assert_uint_eq(r.damaged, f.count);
    kedge_verify_free(&r);
    life_end(&it);
}

/* ---- limits -------------------------------------------------------------- */

static int say_stop(void *data)
{
    int *left = data;

    return (*left)-- <= 0;
}

TEST(it_stops_and_keeps_to_the_budget)
{
    kedge_verify_result r;
    kedge_status st = KEDGE_ECANCELED;

    prepare(3);
    it.c.stop = say_stop;
    for (int k = 0; st != KEDGE_OK; k++) {
        int left = k;
        it.c.data = &left;
        ck_assert_int_eq(st, KEDGE_ECANCELED);
        st = kedge_verify(it.t.s, NULL, NULL, &it.c, &r, &it.t.err);
        if (st != KEDGE_OK)
            ck_assert_ptr_null(r.indexes);
    }
    kedge_verify_free(&r);
    it.c.stop = NULL;
    it.c.memory = UINT64_C(30) << 20;
    ck_fails(kedge_verify(it.t.s, NULL, NULL, &it.c, &r, &it.t.err),
             KEDGE_EBUDGET, it.t.err, "verifying takes");
    life_end(&it);
}

TEST(no_memory_is_an_error)
{
    kedge_verify_result r;

    prepare(4);
    GATE_LOOP {
        GATE_TRY(kedge_verify(it.t.s, NULL, NULL, &it.c, &r, &it.t.err));
        ck_assert((r.models == NULL) == (gate_status != KEDGE_OK));
    }
    ck_assert_uint_eq(r.damaged, 0);
    ck_assert(r.counted);
    kedge_verify_free(&r);
    life_end(&it);
}
