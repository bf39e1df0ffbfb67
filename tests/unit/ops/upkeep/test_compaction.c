/* SPDX-License-Identifier: MIT */
#include <sys/resource.h>

#include "base/bytes.h"
#include "ops/lively.h"

/* Whole, and no tombstone is left. */
static void check_compact(lively *l)
{
    const store_scanned found = lively_check(l);

    ck_assert_uint_eq(found.gone, 0);
    ck_assert_uint_eq(found.removals, 0);
}

static kedge_compact_result compact(lively *l)
{
    kedge_compact_result r;

    ck_ok(lively_compact(l, &r), l->p.t.err);
    ck_assert_uint_eq(r.bytes_after, store_disk_bytes(l->p.t.s));
    check_compact(l);
    return r;
}

static uint64_t compacted; /* documents, in all runs of a case */

static kedge_status compact_once(lively *l)
{
    kedge_compact_result r;
    const kedge_status st = lively_compact(l, &r);

    compacted += r.documents;
    return st;
}

static void check_whole(lively *l)
{
    lively_check(l);
}

TEST(the_same_store_in_less_room)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        kedge_model *before = NULL, *after;
        kedge_compact_result r;
        size_t gone;
        OWN(lively_end) lively l;

        lively_fill(&l, PLANTED_DOCUMENTS);
        gone = lively_remove(&l, seed, 2 * seed, seed == 2);
        gone += lively_remove_batch(&l, seed, seed == 3);
        if (seed != 3)
            before = lively_fit_all(&l);
        r = compact(&l);
        ck_assert_uint_eq(r.documents, gone);
        ck_assert_uint_lt(r.bytes_after, r.bytes_before);
        after = lively_fit_all(&l);
        if (seed != 3)
            lively_same(before, after);
        else
            kedge_model_free(after);
        lively_check_models(&l);
        ck_assert_uint_eq(compact(&l).documents, 0);
    }
}

/* The order of their words goes with the documents that are left. */
TEST(texts_stay_as_they_were)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        OWN(lively_end) lively l;

        lively_begin_texts(&l, PLANTED_DOCUMENTS);
        lively_read(&l, 0, LIVELY_SHARDS, false);
        ck_assert_uint_eq(lively_check(&l).orders, LIVELY_SHARDS);
        lively_remove(&l, seed, 1 + seed, false);
        lively_remove_batch(&l, seed, false);
        lively_check_texts(&l);
        compact(&l);
        lively_check_texts(&l);
        ck_assert_uint_eq(lively_check(&l).orders, LIVELY_SHARDS - 1);
        lively_remove(&l, seed + 9, 3, true);
        compact(&l);
        lively_check_texts(&l);
    }
}

TEST(life_goes_on)
{
    OWN(lively_end) lively l;

    lively_fill(&l, PLANTED_DOCUMENTS);
    lively_remove(&l, 5, 3, false);
    lively_remove_batch(&l, 0, true);
    compact(&l);
    lively_remove(&l, 6, 4, true);
    lively_remove_batch(&l, 7, true);
    lively_check(&l);
    lively_mark(&l, 0, 1, false);
    lively_ingest(&l, 0, true);
    lively_check(&l);
    compact(&l);
    lively_remove(&l, 7, 5, false);
    lively_check(&l);
    lively_check_models(&l);
    compact(&l);
}

TEST(all_may_leave)
{
    OWN(lively_end) lively l;

    lively_fill(&l, 60);
    lively_remove(&l, 1, 1, true);
    ck_assert_uint_eq(compact(&l).documents, 60);
    ck_assert_uint_eq(planted_info(&l.p).documents, 0);
}

/* Sketches that are not made yet have nothing to subtract. */
TEST(sketches_made_later_do_without_the_log)
{
    OWN(lively_end) lively l;

    lively_begin(&l, PLANTED_DOCUMENTS);
    lively_mark(&l, 8, LIVELY_SHARDS, true); /* not there yet */
    lively_read(&l, 0, 8, true);
    lively_remove(&l, 3, 4, true);
    lively_remove_batch(&l, 1, true);
    compact(&l);
    lively_mark(&l, 8, LIVELY_SHARDS, false);
    lively_read(&l, 8, LIVELY_SHARDS, false);
    lively_check(&l);
    lively_check_models(&l);
}

/* ---- interrupted --------------------------------------------------------- */

static void check_log(lively *l)
{
    ck_assert_uint_gt(lively_check(l).removals, 0);
}

TEST(an_index_that_cannot_be_synced_is_an_error)
{
    OWN(lively_end) lively l;

    lively_fill(&l, PLANTED_DOCUMENTS);
    lively_remove(&l, 3, 3, true);
    l.p.c.threads = 64; /* for which sketching needs more */
    lively_economize(&l, compact_once, "compacting takes", check_log);
    check_compact(&l);
    lively_check_models(&l);
}

TEST(a_stop_leaves_a_whole_store)
{
    uint64_t gone;
    OWN(lively_end) lively l;

    lively_fill(&l, PLANTED_DOCUMENTS);
    gone = lively_remove(&l, 9, 3, true);
    gone += lively_remove_batch(&l, 5, true);
    ck_assert_int_gt(lively_stop_often(&l, compact_once, 2, check_whole), 4);
    ck_assert_uint_eq(compacted, gone); /* it goes on where it was stopped */
    check_compact(&l);
    lively_check_models(&l);
}

static void compact_or_exit(lively *l)
{
    if (compact_once(l) != KEDGE_OK)
        _exit(1);
}

TEST(a_killed_one_leaves_a_whole_store)
{
    OWN(lively_end) lively l;
    unsigned done = 0;

    lively_fill(&l, PLANTED_DOCUMENTS);
    for (uint64_t i = 0; i < 12; i++) {
        lively_remove(&l, 20 + i, 9, i % 3 != 0);
        done += lively_kill(&l, compact_or_exit, 500U << i % 8);
        lively_check(&l);
    }
    ck_assert_uint_lt(done, 12);
    compact(&l);
    lively_check_models(&l);
}

TEST(no_memory_is_an_error)
{
    OWN(lively_end) lively l;

    lively_fill(&l, PLANTED_DOCUMENTS);
    lively_remove(&l, 4, 3, true);
    lively_starve(&l, compact_once, check_whole);
    check_compact(&l);
    lively_check_models(&l);
}

/* Files may be as large as that, and no larger. */
static kedge_status compact_within(lively *l, uint64_t limit)
{
    struct rlimit before, now;
    kedge_status st;

    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    now = (struct rlimit){limit, before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &now), 0);
    st = compact_once(l);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    return st;
}

TEST(a_full_disk_is_an_error)
{
    kedge_status st;
    unsigned full = 0;
    OWN(lively_end) lively l;

    lively_fill(&l, PLANTED_DOCUMENTS);
    lively_remove(&l, 9, 3, true);
    lively_remove_batch(&l, 5, true);
    for (uint64_t limit = 16384;
         (st = compact_within(&l, limit)) != KEDGE_OK; limit += 65536) {
        ck_assert_msg(st == KEDGE_EIO, "%d %s", (int)st, l.p.t.err.text);
        full++;
        scene_reopen(&l.p.t, KEDGE_OPEN_WRITE);
        lively_check(&l);
        ck_assert_uint_lt(limit, UINT64_C(1) << 26);
    }
    ck_assert_uint_gt(full, 2);
    check_compact(&l);
    lively_check_models(&l);
}

/* ---- damage -------------------------------------------------------------- */

TEST(damage_is_found)
{
    static const struct {
        kv_db db; /* whose record of block 6 is damaged */
        const char *says;
    } cases[] = {{DB_BLOCKS, "block 6"},
                 {DB_GONE, "block 6"},
                 {DB_ORDERS, "order of words of block 6"}};
    kedge_compact_result r;
    uint8_t key[8];

    put_be64(key, 6);
    for (size_t i = 0; i < 3; i++) {
        OWN(lively_end) lively l;

        lively_begin_texts(&l, PLANTED_DOCUMENTS);
        lively_read(&l, 0, LIVELY_SHARDS, false);
        lively_remove(&l, 9, 3, false);
        lively_damage_record(&l, cases[i].db, key, sizeof key);
        ck_fails(lively_compact(&l, &r), KEDGE_ECORRUPT, l.p.t.err,
                 cases[i].says);
    }
}

TEST(a_tombstone_without_a_document_is_damage)
{
    kedge_compact_result r;
    OWN(lively_end) lively l;
    scene *const t = &l.p.t;

    lively_fill(&l, PLANTED_DOCUMENTS);
    lively_remove(&l, 9, 3, false);
    scene_write(t);
    ck_ok(store_put_gone(t->txn, 0, (const uint32_t[]){3, 100}, 2, &t->err),
          t->err);
    scene_commit(t);
    ck_fails(lively_compact(&l, &r), KEDGE_ECORRUPT, t->err,
             "block 0 is damaged (document 100 of ");
}

TEST(rows_of_an_interrupted_saving_go)
{
    store_rows rows = {0};
    const int64_t values[] = {1, 2, 3};
    const uint8_t *bytes;
    size_t size;
    OWN(lively_end) lively l;
    scene *const t = &l.p.t;

    lively_fill(&l, 60);
    const uint32_t other = lively_index(&l, 0).rows ^ 1;
    scene_write(t);
    ck_ok(store_rows_encode(&rows, values, 1, 2, &t->err), t->err);
    ck_ok(store_put_rows(t->txn, other, 0, &rows, &t->err), t->err);
    scene_commit(t);
    store_rows_free(&rows);
    compact(&l);
    scene_read(t);
    ck_assert_int_eq(store_get_rows(t->txn, other, 0, &bytes, &size, &t->err),
                     KEDGE_ENOTFOUND);
    store_abort(&t->txn);
    lively_check_models(&l);
}
