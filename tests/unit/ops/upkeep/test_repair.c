/* SPDX-License-Identifier: MIT */
#include "base/bytes.h"
#include "ops/lively.h"

/* A store that documents left, of which one batch is off the disk. */
static void begin(lively *l)
{
    kedge_compact_result r;

    lively_fill(l, PLANTED_DOCUMENTS);
    lively_remove_batch(l, 3, true);
    ck_ok(lively_compact(l, &r), l->p.t.err);
    lively_remove(l, 1, 4, true);
}

static kedge_status repair_once(lively *l)
{
    kedge_repair_result r;

    return lively_repair(l, &r);
}

static kedge_repair_result repair(lively *l)
{
    const uint64_t documents = lively_totals(l).documents;
    kedge_repair_result r;

    ck_ok(lively_repair(l, &r), l->p.t.err);
    lively_check(l);
    ck_assert_uint_eq(r.documents, documents);
    ck_assert_uint_eq(r.indexes, 2);
    for (uint32_t v = 0; v < 2; v++) {
        ck_assert_uint_eq(lively_index(l, v).blocks, LIVELY_SHARDS);
        ck_assert_uint_le(lively_index(l, v).documents, documents);
    }
    return r;
}

TEST(a_store_that_is_right_stays)
{
    for (int behind = 0; behind < 2; behind++) {
        OWN(lively_end) lively l;

        if (behind == 1)
            begin(&l);
        else
            lively_fill(&l, PLANTED_DOCUMENTS);
        ck_assert(!repair(&l).counts_changed);
        lively_check_models(&l);
        ck_assert(!repair(&l).counts_changed);
        lively_remove(&l, 8, 5, false);
        lively_check_models(&l);
    }
}

TEST(an_empty_store)
{
    kedge_repair_result r;
    OWN(lively_end) lively l;

    lively_begin(&l, 20);
    ck_ok(lively_repair(&l, &r), l.p.t.err);
    ck_assert_uint_eq(r.documents + r.indexes, 0);
    ck_assert(!r.counts_changed);
    lively_ingest(&l, 0, false);
    lively_mark(&l, 1, LIVELY_SHARDS, true);
    lively_check(&l);
    lively_remove(&l, 1, 1, true);
    ck_ok(lively_repair(&l, &r), l.p.t.err);
    ck_assert_uint_eq(r.documents, 0);
    lively_check(&l);
}

/* ---- damage that is mended ----------------------------------------------- */

/* Each case breaks something in the transaction that is open, but for those
 * that flip bytes of a record, which follow. */

static void rows_lost(lively *l, scene *t)
{
    store_index v;

    (void)l;
    ck_ok(store_get_index_record(t->txn, 1, &v, &t->err), t->err);
    ck_ok(store_drop_rows(t->txn, v.rows, &t->err), t->err);
}

static void counts_lost(lively *l, scene *t)
{
    (void)l;
    ck_ok(kv_clear(t->txn, DB_COUNTS, &t->err), t->err);
}

static void counts_wrong(lively *l, scene *t)
{
    uint64_t tf[PLANTED_WORDS], df[PLANTED_WORDS];

    (void)l;
    ck_ok(store_get_counts(t->txn, tf, df, PLANTED_WORDS, &t->err), t->err);
    df[77]++;
    ck_ok(store_put_counts(t->txn, tf, df, PLANTED_WORDS, &t->err), t->err);
}

static void ids_lost(lively *l, scene *t)
{
    (void)l;
    ck_ok(store_drop_ids(t->txn, &t->err), t->err);
}

/* That of the first document. */
static const char *first_id(const lively *l)
{
    static char id[16];
    size_t m = 0;

    while (l->gone[m])
        m++;
    return lively_id(m, id);
}

static void one_id_lost(lively *l, scene *t)
{
    ck_ok(store_drop_id(t->txn, span_text(first_id(l)), &t->err), t->err);
}

static void ids_wrong(lively *l, scene *t)
{
    char id[16];

    for (size_t m = 0; m < l->p.d.count; m += 9)
        ck_ok(store_put_id(t->txn, span_text(lively_id(m, id)),
                           (store_place){m, 2}, &t->err), t->err);
}

/* Every id is where it belongs; but there is one more. */
static void ids_too_many(lively *l, scene *t)
{
    (void)l;
    ck_ok(store_put_id(t->txn, span_text("nobody"), (store_place){1, 1},
                       &t->err), t->err);
}

static void totals_wrong(lively *l, scene *t)
{
    store_totals totals;

    (void)l;
    ck_ok(store_get_totals(t->txn, &totals, &t->err), t->err);
    totals.documents += 5;
    totals.tokens = 1;
    totals.nonzeros ^= 77;
    totals.digest[0]++;
    totals.digest[1] = 0;
    ck_ok(store_put_totals(t->txn, &totals, &t->err), t->err);
}

static void digest_wrong(lively *l, scene *t)
{
    store_totals totals;

    (void)l;
    ck_ok(store_get_totals(t->txn, &totals, &t->err), t->err);
    totals.digest[1]++;
    ck_ok(store_put_totals(t->txn, &totals, &t->err), t->err);
}

static void index_wrong(lively *l, scene *t)
{
    store_index v;

    (void)l;
    ck_ok(store_get_index_record(t->txn, 0, &v, &t->err), t->err);
    v.documents = v.skipped = v.tokens = 9;
    v.blocks = 2;
    v.removals = 0;
    ck_ok(store_put_index(t->txn, 0, &v, &t->err), t->err);
}

static void source_wrong(lively *l, scene *t)
{
    store_source r;

    (void)l;
    ck_ok(store_get_source_record(t->txn, 1, &r, &t->err), t->err);
    r.removed_documents = 0;
    r.documents = r.tokens = 1;
    ck_ok(store_put_source(t->txn, 1, &r, &t->err), t->err);
}

static void rows_flipped(lively *l)
{
    uint8_t key[8];

    put_be32(key, lively_index(l, 0).rows);
    put_be32(key + 4, 0);
    lively_damage_record(l, DB_ROWS, key, sizeof key);
}

static void counts_flipped(lively *l)
{
    lively_damage_record(l, DB_COUNTS, (const uint8_t[4]){0}, 4);
}

static void id_flipped(lively *l)
{
    lively_damage_record(l, DB_IDS, first_id(l), 5);
}

static void settings_flipped(lively *l)
{
    const store_settings settings = {.shortest = 3};
    const uint8_t key = META_SETTINGS;
    scene *const t = &l->p.t;

    scene_write(t);
    ck_ok(store_put_settings(t->txn, &settings, NULL, &t->err), t->err);
    scene_commit(t);
    lively_damage_record(l, DB_META, &key, 1);
}

static const struct harm {
    void (*put)(lively *l, scene *t);
    void (*flip)(lively *l);
    bool of_counts;
} harms[] = {
    {.flip = rows_flipped},   {.put = rows_lost},
    {.flip = counts_flipped, .of_counts = true},
    {.put = counts_lost, .of_counts = true},
    {.put = counts_wrong, .of_counts = true},
    {.put = ids_lost},        {.put = one_id_lost},
    {.put = ids_wrong},       {.put = ids_too_many},
    {.flip = id_flipped},     {.put = totals_wrong, .of_counts = true},
    {.put = digest_wrong, .of_counts = true},
    {.put = index_wrong},      {.flip = settings_flipped},
    {.put = source_wrong, .of_counts = true},
};

enum { HARMS = sizeof harms / sizeof *harms };

static void break_it(lively *l, void (*put)(lively *l, scene *t))
{
    scene_write(&l->p.t);
    put(l, &l->p.t);
    scene_commit(&l->p.t);
}

static void do_harm(lively *l, const struct harm *h)
{
    if (h->put != NULL)
        break_it(l, h->put);
    else
        h->flip(l);
}

TEST(each_damage_is_mended)
{
    OWN(lively_end) lively l;

    begin(&l);
    for (size_t i = 0; i < HARMS; i++) {
        do_harm(&l, &harms[i]);
        ck_assert_msg(repair(&l).counts_changed == harms[i].of_counts,
                      "harm %zu", i);
        ck_assert(!repair(&l).counts_changed);
    }
    lively_check_models(&l);
}

/* Several at a time, each time against a store of its own. */
TEST(damages_are_mended_together)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        chance c = {.key = seed};
        OWN(lively_end) lively l;

        begin(&l);
        for (size_t i = 0; i < HARMS; i++)
            if (harms[i].put != counts_wrong && chance_below(&c, 2) == 0)
                do_harm(&l, &harms[i]);
        repair(&l);
        lively_check_models(&l);
        lively_remove(&l, seed, 5, false);
        lively_check(&l);
        lively_check_models(&l);
    }
}

/* ---- damage that is not -------------------------------------------------- */

static void check_refused(lively *l, const char *text)
{
    const store_index before[] = {lively_index(l, 0), lively_index(l, 1)};

    break_it(l, totals_wrong);
    const kedge_store_info info = planted_info(&l->p);
    ck_fails(repair_once(l), KEDGE_ECORRUPT, l->p.t.err, text);
    for (uint32_t v = 0; v < 2; v++) {
        ck_assert_uint_eq(lively_index(l, v).blocks, before[v].blocks);
        ck_assert_uint_eq(lively_index(l, v).documents, before[v].documents);
        ck_assert_uint_eq(lively_index(l, v).rows, before[v].rows);
    }
    const kedge_store_info now = planted_info(&l->p);
    ck_assert_uint_eq(info.documents, now.documents);
    ck_assert_uint_eq(info.digest[0], now.digest[0]);
    kedge_model_free(lively_fit_listed(l)); /* the sketch is there */
}

TEST(damaged_documents_change_nothing)
{
    static const struct {
        kv_db db;
        uint64_t block;
        const char *says;
    } cases[] = {{DB_BLOCKS, 7, "block 7 is damaged"},
                 {DB_GONE, 5, "removed from block 5 is damaged"}};

    for (size_t i = 0; i < 2; i++) {
        uint8_t key[8];
        OWN(lively_end) lively l;

        lively_fill(&l, PLANTED_DOCUMENTS);
        if (cases[i].db == DB_GONE)
            lively_remove(&l, 1, 4, false); /* all sketches are synced */
        put_be64(key, cases[i].block);
        lively_damage_record(&l, cases[i].db, key, sizeof key);
        check_refused(&l, cases[i].says);
    }
}

TEST(records_that_contradict_each_other_are_damage)
{
    store_block b = {0};
    docs d = {0};
    OWN(lively_end) lively l;
    scene *const t = &l.p.t;

    lively_fill(&l, PLANTED_DOCUMENTS);
    scene_write(t);
    ck_ok(store_put_gone(t->txn, 2, (const uint32_t[]){24}, 1, &t->err),
          t->err);
    scene_commit(t);
    ck_fails(repair_once(&l), KEDGE_ECORRUPT, t->err,
             "removed from block 2 is damaged (document 24 of 24)");
    scene_write(t);
    ck_ok(store_put_gone(t->txn, 2, NULL, 0, &t->err), t->err);
    ck_assert(docs_begin(&d, 1) && docs_push(&d, PLANTED_WORDS, 1));
    ck_ok(store_block_encode(&b, 0, &d, 0, 1, &t->err), t->err);
    ck_ok(store_put_block(t->txn, 4, &b, &t->err), t->err);
    scene_commit(t);
    ck_fails(repair_once(&l), KEDGE_ECORRUPT, t->err,
             "block 4 is damaged (its documents)");
    scene_write(t);
    ck_ok(store_drop_list(t->txn, 1, &t->err), t->err);
    scene_commit(t);
    ck_fails(repair_once(&l), KEDGE_ECORRUPT, t->err,
             "index 1 is damaged (its list of words is gone)");
    store_block_free(&b);
    docs_free(&d);
}

/* ---- interrupted --------------------------------------------------------- */

/* Whole but for what was broken before, which may be mended already. */
static void check_between(lively *l)
{
    scene *const t = &l->p.t;
    store_scanned found;

    scene_read(t);
    ck_ok(store_scan(t->txn, &(store_watcher){.found = lively_damage}, &found,
                     &t->err), t->err);
    store_abort(&t->txn);
}

TEST(a_stopped_one_starts_over)
{
    OWN(lively_end) lively l;

    begin(&l);
    break_it(&l, digest_wrong);
    ck_assert_int_gt(lively_stop_often(&l, repair_once, 1, check_between),
                     LIVELY_SHARDS);
    lively_check(&l);
    lively_check_models(&l);
}

/* A fit makes what an interrupted one took away. */
TEST(a_fit_goes_on_with_it)
{
    long left;
    OWN(lively_end) lively l;

    begin(&l);
    l.p.c.data = &left;
    for (long k = 0; lively_index(&l, 1).blocks > 0; k++) {
        left = k;
        l.p.c.stop = lively_stop;
        ck_fails(repair_once(&l), KEDGE_ECANCELED, l.p.t.err, "");
        l.p.c.stop = NULL;
    }
    lively_remove(&l, 2, 6, false);
    lively_check(&l);
    lively_check_models(&l);
}

static void repair_or_exit(lively *l)
{
    if (repair_once(l) != KEDGE_OK)
        _exit(1);
}

TEST(a_killed_one_leaves_a_whole_store)
{
    unsigned done = 0;
    OWN(lively_end) lively l;

    begin(&l);
    for (uint64_t i = 0; i < 12; i++) {
        done += lively_kill(&l, repair_or_exit, 500U << i % 8);
        lively_check(&l);
    }
    ck_assert_uint_lt(done, 12);
    repair(&l);
    lively_check_models(&l);
}

static void check_sketched(lively *l)
{
    ck_assert_uint_eq(lively_index(l, 0).blocks, LIVELY_SHARDS);
}

TEST(the_budget_is_kept_to)
{
    OWN(lively_end) lively l;

    begin(&l);
    break_it(&l, ids_lost);
    lively_economize(&l, repair_once, "rebuilding takes", check_sketched);
    lively_check(&l);
}

TEST(no_memory_is_an_error)
{
    OWN(lively_end) lively l;

    begin(&l);
    break_it(&l, ids_lost);
    lively_starve(&l, repair_once, NULL);
    lively_check(&l);
    lively_check_models(&l);
}
