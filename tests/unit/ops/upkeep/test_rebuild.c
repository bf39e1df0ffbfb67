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

static store_view view_of(lively *l, uint32_t number)
{
    store_view view;

    scene_read(&l->p.t);
    ck_ok(store_get_view_record(l->p.t.txn, number, &view, &l->p.t.err),
          l->p.t.err);
    store_abort(&l->p.t.txn);
    return view;
}

static kedge_repair_result rebuild(lively *l)
{
    const uint64_t documents = lively_totals(l).documents;
    kedge_repair_result r;

    ck_ok(lively_rebuild(l, &r), l->p.t.err);
    lively_check(l);
    ck_assert_uint_eq(r.documents, documents);
    ck_assert_uint_eq(r.indexes, 2);
    for (uint32_t v = 0; v < 2; v++) {
        ck_assert_uint_eq(view_of(l, v).blocks, LIVELY_SHARDS);
        ck_assert_uint_le(view_of(l, v).documents, documents);
    }
    return r;
}

TEST(what_is_right_stays)
{
    for (int behind = 0; behind < 2; behind++) {
        lively l;
        if (behind == 1)
            begin(&l);
        else
            lively_fill(&l, PLANTED_DOCUMENTS);
        ck_assert(!rebuild(&l).counts_changed);
        lively_check_models(&l);
        ck_assert(!rebuild(&l).counts_changed);
        lively_remove(&l, 8, 5, false);
        lively_check_models(&l);
        lively_end(&l);
    }
}

TEST(an_empty_store)
{
    kedge_repair_result r;
    lively l;

    lively_begin(&l, 20);
    ck_ok(lively_rebuild(&l, &r), l.p.t.err);
    ck_assert_uint_eq(r.documents + r.indexes, 0);
    ck_assert(!r.counts_changed);
    lively_ingest(&l, 0, false);
    for (size_t m = lively_shard(&l, 1); m < l.p.d.count; m++)
        l.gone[m] = true;
    lively_check(&l);
    lively_remove(&l, 1, 1, true);
    ck_ok(lively_rebuild(&l, &r), l.p.t.err);
    ck_assert_uint_eq(r.documents, 0);
    lively_check(&l);
    lively_end(&l);
}

/* ---- damage that is mended ----------------------------------------------- */

static void rows_flipped(lively *l)
{
    uint8_t key[8];

    put_be32(key, view_of(l, 0).rows);
    put_be32(key + 4, 0);
    lively_damage_record(l, DB_ROWS, key, sizeof key);
}

static void rows_lost(lively *l)
{
    const uint32_t rows = view_of(l, 1).rows;

    scene_write(&l->p.t);
    ck_ok(store_drop_rows(l->p.t.txn, rows, &l->p.t.err), l->p.t.err);
    scene_commit(&l->p.t);
}

static void counts_flipped(lively *l)
{
    lively_damage_record(l, DB_COUNTS, (const uint8_t[4]){0}, 4);
}

static void counts_lost(lively *l)
{
    scene_write(&l->p.t);
    ck_ok(kv_clear(l->p.t.txn, DB_COUNTS, &l->p.t.err), l->p.t.err);
    scene_commit(&l->p.t);
}

static void counts_wrong(lively *l)
{
    uint64_t tf[PLANTED_WORDS], df[PLANTED_WORDS];

    scene_write(&l->p.t);
    ck_ok(store_get_counts(l->p.t.txn, tf, df, PLANTED_WORDS, &l->p.t.err),
          l->p.t.err);
    df[77]++;
    ck_ok(store_put_counts(l->p.t.txn, tf, df, PLANTED_WORDS, &l->p.t.err),
          l->p.t.err);
    scene_commit(&l->p.t);
}

static void ids_lost(lively *l)
{
    scene_write(&l->p.t);
    ck_ok(store_drop_ids(l->p.t.txn, &l->p.t.err), l->p.t.err);
    scene_commit(&l->p.t);
}

static void ids_one_lost(lively *l)
{
    char id[16];
    size_t m = 0;

    while (l->gone[m])
        m++;
    scene_write(&l->p.t);
    ck_ok(store_drop_id(l->p.t.txn, span_text(lively_id(m, id)), &l->p.t.err),
          l->p.t.err);
    scene_commit(&l->p.t);
}

static void ids_astray(lively *l)
{
    char id[16];

    scene_write(&l->p.t);
    for (size_t m = 0; m < l->p.d.count; m += 9)
        ck_ok(store_put_id(l->p.t.txn, span_text(lively_id(m, id)),
                           (store_place){m, 2}, &l->p.t.err),
              l->p.t.err);
    scene_commit(&l->p.t);
}

/* Every id is where it belongs; but there is one more. */
static void ids_too_many(lively *l)
{
    scene_write(&l->p.t);
    ck_ok(store_put_id(l->p.t.txn, span_text("nobody"), (store_place){1, 1},
                       &l->p.t.err),
          l->p.t.err);
    scene_commit(&l->p.t);
}

static void ids_flipped(lively *l)
{
    char id[16];
    size_t m = 0;

    while (l->gone[m])
        m++;
    lively_damage_record(l, DB_IDS, lively_id(m, id), 5);
}

static void totals_wrong(lively *l)
{
    store_totals t;

    scene_write(&l->p.t);
    ck_ok(store_get_totals(l->p.t.txn, &t, &l->p.t.err), l->p.t.err);
    t.documents += 5;
    t.tokens = 1;
    t.nonzeros ^= 77;
    t.digest[0]++;
    t.digest[1] = 0;
    ck_ok(store_put_totals(l->p.t.txn, &t, &l->p.t.err), l->p.t.err);
    scene_commit(&l->p.t);
}

static void digest_wrong(lively *l)
{
    store_totals t;

    scene_write(&l->p.t);
    ck_ok(store_get_totals(l->p.t.txn, &t, &l->p.t.err), l->p.t.err);
    t.digest[1]++;
    ck_ok(store_put_totals(l->p.t.txn, &t, &l->p.t.err), l->p.t.err);
    scene_commit(&l->p.t);
}

static void view_wrong(lively *l)
{
    store_view v = view_of(l, 0);

    v.documents = v.skipped = v.tokens = 9;
    v.blocks = 2;
    v.removals = 0;
    scene_write(&l->p.t);
    ck_ok(store_put_view(l->p.t.txn, 0, &v, &l->p.t.err), l->p.t.err);
    scene_commit(&l->p.t);
}

static void settings_flipped(lively *l)
{
    const uint8_t key = META_SETTINGS;

    scene_write(&l->p.t);
    ck_ok(store_put_settings(l->p.t.txn, &(store_settings){.shortest = 3}, NULL,
                             &l->p.t.err),
          l->p.t.err);
    scene_commit(&l->p.t);
    lively_damage_record(l, DB_META, &key, 1);
}

static void ledger_wrong(lively *l)
{
    store_source r;

    scene_write(&l->p.t);
    ck_ok(store_get_source_record(l->p.t.txn, 1, &r, &l->p.t.err), l->p.t.err);
    r.removed_documents = 0;
    r.documents = r.tokens = 1;
    ck_ok(store_put_source(l->p.t.txn, 1, &r, &l->p.t.err), l->p.t.err);
    scene_commit(&l->p.t);
}

static const struct harm {
    void (*do_it)(lively *l);
    bool of_counts;
} harms[] = {
    {rows_flipped, false}, {rows_lost, false},   {counts_flipped, true},
    {counts_lost, true},   {counts_wrong, true}, {ids_lost, false},
    {ids_one_lost, false}, {ids_astray, false},  {ids_too_many, false},
    {ids_flipped, false},  {totals_wrong, true}, {digest_wrong, true},
    {view_wrong, false},   {settings_flipped, false},
    {ledger_wrong, true},
};

enum { HARMS = sizeof harms / sizeof *harms };

TEST(each_damage_is_mended)
{
    lively l;

    begin(&l);
    for (size_t i = 0; i < HARMS; i++) {
        harms[i].do_it(&l);
        ck_assert_msg(rebuild(&l).counts_changed == harms[i].of_counts,
                      "harm %zu", i);
        ck_assert(!rebuild(&l).counts_changed);
    }
    lively_check_models(&l);
    lively_end(&l);
}

/* Several at a time, each time against a store of its own. */
TEST(damages_are_mended_together)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        chance c = {.key = seed};
        lively l;
        begin(&l);
        for (size_t i = 0; i < HARMS; i++)
            if (harms[i].do_it != counts_wrong && chance_below(&c, 2) == 0)
                harms[i].do_it(&l);
        rebuild(&l);
        lively_check_models(&l);
        lively_remove(&l, seed, 5, false);
        lively_check(&l);
        lively_check_models(&l);
        lively_end(&l);
    }
}

/* ---- damage that is not -------------------------------------------------- */

static void check_refused(lively *l, const char *text)
{
    const store_view before[] = {view_of(l, 0), view_of(l, 1)};
    kedge_repair_result r;

    totals_wrong(l);
    const kedge_store_info info = planted_info(&l->p);
    ck_fails(lively_rebuild(l, &r), KEDGE_ECORRUPT, l->p.t.err, text);
    for (uint32_t v = 0; v < 2; v++) {
        ck_assert_uint_eq(view_of(l, v).blocks, before[v].blocks);
        ck_assert_uint_eq(view_of(l, v).documents, before[v].documents);
        ck_assert_uint_eq(view_of(l, v).rows, before[v].rows);
    }
    const kedge_store_info now = planted_info(&l->p);
    ck_assert_uint_eq(info.documents, now.documents);
    ck_assert_uint_eq(info.digest[0], now.digest[0]);
    kedge_model_free(lively_fit_listed(l)); /* the sketch is there */
}

TEST(damaged_documents_change_nothing)
{
    uint8_t key[8];
    lively l;

    lively_fill(&l, PLANTED_DOCUMENTS);
    put_be64(key, 7);
    lively_damage_record(&l, DB_BLOCKS, key, sizeof key);
    check_refused(&l, "block 7 is damaged");
    lively_end(&l);
    lively_fill(&l, PLANTED_DOCUMENTS);
    lively_remove(&l, 1, 4, false); /* which the sketches have followed */
    put_be64(key, 5);
    lively_damage_record(&l, DB_GONE, key, sizeof key);
    check_refused(&l, "gone from block 5 is damaged");
    lively_end(&l);
}

TEST(what_cannot_be_is_damage)
{
    kedge_repair_result r;
    store_block b = {0};
    docs d = {0};
    lively l;

    lively_fill(&l, PLANTED_DOCUMENTS);
    scene_write(&l.p.t);
    ck_ok(store_put_gone(l.p.t.txn, 2, (const uint32_t[]){24}, 1, &l.p.t.err),
          l.p.t.err);
    scene_commit(&l.p.t);
    ck_fails(lively_rebuild(&l, &r), KEDGE_ECORRUPT, l.p.t.err,
             "gone from block 2 is damaged (document 24 of 24)");
    scene_write(&l.p.t);
    ck_ok(store_put_gone(l.p.t.txn, 2, NULL, 0, &l.p.t.err), l.p.t.err);
    ck_assert(docs_begin(&d, 1) && docs_push(&d, PLANTED_WORDS, 1));
    ck_ok(store_block_encode(&b, 0, &d, 0, 1, &l.p.t.err), l.p.t.err);
    ck_ok(store_put_block(l.p.t.txn, 4, &b, &l.p.t.err), l.p.t.err);
    scene_commit(&l.p.t);
    ck_fails(lively_rebuild(&l, &r), KEDGE_ECORRUPT, l.p.t.err,
             "block 4 is damaged (its documents)");
    scene_write(&l.p.t);
    ck_ok(store_drop_list(l.p.t.txn, 1, &l.p.t.err), l.p.t.err);
    scene_commit(&l.p.t);
    ck_fails(lively_rebuild(&l, &r), KEDGE_ECORRUPT, l.p.t.err,
             "view 1 is damaged (its list of words is gone)");
    store_block_free(&b);
    docs_free(&d);
    lively_end(&l);
}

/* ---- interrupted --------------------------------------------------------- */

/* Whole but for what was broken before, which may be mended already. */
static void check_between(lively *l)
{
    store_scanned found;

    scene_read(&l->p.t);
    ck_ok(store_scan(l->p.t.txn, &(store_watcher){.found = lively_damage},
                     &found, &l->p.t.err),
          l->p.t.err);
    store_abort(&l->p.t.txn);
}

TEST(a_stopped_one_starts_over)
{
    kedge_status st = KEDGE_ECANCELED;
    kedge_repair_result r;
    long left, stops = 0;
    lively l;

    begin(&l);
    digest_wrong(&l);
    l.p.c.data = &left;
    for (long k = 0; st != KEDGE_OK; k++) {
        left = k;
        l.p.c.stop = lively_stop;
        st = lively_rebuild(&l, &r);
        l.p.c.stop = NULL;
        if (st == KEDGE_OK)
            break;
        ck_assert_int_eq(st, KEDGE_ECANCELED);
        stops++;
        check_between(&l);
    }
    ck_assert_int_gt(stops, LIVELY_SHARDS);
    lively_check(&l);
    lively_check_models(&l);
    lively_end(&l);
}

/* A fit makes what an interrupted one took away. */
TEST(a_fit_goes_on_with_it)
{
    kedge_repair_result r;
    long left;
    lively l;

    begin(&l);
    l.p.c.data = &left;
    for (long k = 0; view_of(&l, 1).blocks > 0; k++) {
        left = k;
        l.p.c.stop = lively_stop;
        ck_fails(lively_rebuild(&l, &r), KEDGE_ECANCELED, l.p.t.err, "");
        l.p.c.stop = NULL;
    }
    lively_remove(&l, 2, 6, false);
    lively_check(&l);
    lively_check_models(&l);
    lively_end(&l);
}

static void rebuild_once(lively *l)
{
    kedge_repair_result r;

    if (lively_rebuild(l, &r) != KEDGE_OK)
        _exit(1);
}

TEST(a_killed_one_leaves_a_whole_store)
{
    unsigned done = 0;
    lively l;

    begin(&l);
    for (uint64_t i = 0; i < 12; i++) {
        done += lively_kill(&l, rebuild_once, 500U << i % 8);
        lively_check(&l);
    }
    ck_assert_uint_lt(done, 12);
    rebuild(&l);
    lively_check_models(&l);
    lively_end(&l);
}

TEST(the_budget_is_kept_to)
{
    kedge_status st = KEDGE_EBUDGET;
    uint64_t walks = 0, views = 0;
    kedge_repair_result r;
    lively l;

    begin(&l);
    ids_lost(&l);
    for (l.p.c.memory = UINT64_C(16) << 20; st != KEDGE_OK;
         l.p.c.memory += UINT64_C(4) << 20) {
        st = lively_rebuild(&l, &r);
        if (st == KEDGE_OK)
            break;
        ck_assert_int_eq(st, KEDGE_EBUDGET);
        walks += strncmp(l.p.t.err.text, "rebuilding takes", 16) == 0;
        views += strncmp(l.p.t.err.text, "the sketch of view 0: ", 22) == 0;
        ck_assert_uint_eq(view_of(&l, 0).blocks, LIVELY_SHARDS);
    }
    ck_assert_uint_gt(walks, 0);
    ck_assert_uint_gt(views, 0);
    lively_check(&l);
    lively_end(&l);
}

TEST(no_memory_is_told)
{
    kedge_repair_result r;
    lively l;

    begin(&l);
    ids_lost(&l);
    for (long k = 0;; k += 1 + k / 40) {
        kedge_status st;
        gate_allow(k);
        st = lively_rebuild(&l, &r);
        gate_open();
        if (st == KEDGE_OK)
            break;
        ck_assert_msg(st == KEDGE_ENOMEM, "%ld: %s", k, l.p.t.err.text);
        ck_assert_int_lt(k, 6000);
        scene_reopen(&l.p.t, KEDGE_OPEN_WRITE);
    }
    lively_check(&l);
    lively_check_models(&l);
    lively_end(&l);
}
