/* SPDX-License-Identifier: MIT */
#include <sys/resource.h>

#include "base/bytes.h"
#include "ops/lively.h"

/* Whole, and nothing is left of who left. */
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

TEST(the_same_store_in_less_room)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        kedge_model *before = NULL, *after;
        kedge_compact_result r;
        size_t gone;
        lively l;

        lively_fill(&l, PLANTED_DOCUMENTS);
        gone = lively_remove(&l, seed, 2 * seed, seed == 2);
        gone += lively_remove_batch(&l, seed, seed == 3);
        if (seed != 3)
            before = lively_fit_all(&l);
        r = compact(&l);
        ck_assert_uint_eq(r.documents, gone);
        ck_assert_uint_lt(r.bytes_after, r.bytes_before);
        after = lively_fit_all(&l);
        if (seed != 3) {
            ck_assert(planted_same(before, after));
            kedge_model_free(before);
        }
        kedge_model_free(after);
        lively_check_models(&l);
        ck_assert_uint_eq(compact(&l).documents, 0);
        lively_end(&l);
    }
}

/* The order of their words goes with the documents that are left. */
TEST(texts_stay_as_they_were)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        lively l;
        lively_begin_texts(&l, PLANTED_DOCUMENTS);
        for (size_t i = 0; i < LIVELY_SHARDS; i++)
            lively_ingest(&l, i, false);
        lively_check_texts(&l);
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
        lively_end(&l);
    }
}

TEST(life_goes_on)
{
    lively l;

    lively_fill(&l, PLANTED_DOCUMENTS);
    lively_remove(&l, 5, 3, false);
    lively_remove_batch(&l, 0, true);
    compact(&l);
    lively_remove(&l, 6, 4, true);
    lively_remove_batch(&l, 7, true);
    lively_check(&l);
    for (size_t m = lively_shard(&l, 0); m < lively_shard(&l, 1); m++)
        l.gone[m] = false;
    lively_ingest(&l, 0, true);
    lively_check(&l);
    compact(&l);
    lively_remove(&l, 7, 5, false);
    lively_check(&l);
    lively_check_models(&l);
    compact(&l);
    lively_end(&l);
}

TEST(all_may_leave)
{
    lively l;

    lively_fill(&l, 60);
    lively_remove(&l, 1, 1, true);
    ck_assert_uint_eq(compact(&l).documents, 60);
    ck_assert_uint_eq(planted_info(&l.p).documents, 0);
    check_compact(&l);
    lively_end(&l);
}

/* Those that are not made yet never had what the log tells. */
TEST(sketches_made_later_do_without_the_log)
{
    lively l;

    lively_begin(&l, PLANTED_DOCUMENTS);
    for (size_t m = lively_shard(&l, 8); m < l.p.d.count; m++)
        l.gone[m] = true; /* not there yet */
    for (size_t i = 0; i < 8; i++)
        lively_ingest(&l, i, true);
    lively_remove(&l, 3, 4, true);
    lively_remove_batch(&l, 1, true);
    compact(&l);
    for (size_t m = lively_shard(&l, 8); m < l.p.d.count; m++)
        l.gone[m] = false;
    lively_ingest(&l, 8, false);
    lively_ingest(&l, 9, false);
    lively_check(&l);
    lively_check_models(&l);
    lively_end(&l);
}

TEST(a_view_that_cannot_follow_is_told)
{
    kedge_compact_result r;
    kedge_status st = KEDGE_EBUDGET;
    uint64_t walks = 0, views = 0;
    lively l;

    lively_fill(&l, PLANTED_DOCUMENTS);
    lively_remove(&l, 3, 3, true);
    l.p.c.threads = 64; /* of which sketching takes more */
    for (l.p.c.memory = UINT64_C(16) << 20; st != KEDGE_OK;
         l.p.c.memory += UINT64_C(4) << 20) {
        st = lively_compact(&l, &r);
        if (st == KEDGE_OK)
            break;
        ck_assert_int_eq(st, KEDGE_EBUDGET);
        walks += strncmp(l.p.t.err.text, "compacting takes", 16) == 0;
        views += strncmp(l.p.t.err.text, "the sketch of view 0: ", 22) == 0;
        ck_assert_uint_eq(r.documents, 0);
        if (views == 1)
            ck_assert_uint_gt(lively_check(&l).removals, 0);
    }
    ck_assert_uint_gt(walks, 0);
    ck_assert_uint_gt(views, 0);
    check_compact(&l);
    lively_check_models(&l);
    lively_end(&l);
}

TEST(a_stop_leaves_a_whole_store)
{
    kedge_compact_result r;
    kedge_status st = KEDGE_ECANCELED;
    uint64_t documents = 0, gone;
    long left, stops = 0;
    lively l;

    lively_fill(&l, PLANTED_DOCUMENTS);
    gone = lively_remove(&l, 9, 3, true);
    gone += lively_remove_batch(&l, 5, true);
    l.p.c.stop = lively_stop;
    l.p.c.data = &left;
    for (long k = 0; st != KEDGE_OK; k++) {
        left = k / 2; /* it goes on from where it was stopped */
        st = lively_compact(&l, &r);
        documents += r.documents;
        if (st == KEDGE_OK)
            break;
        ck_assert_int_eq(st, KEDGE_ECANCELED);
        stops++;
        lively_check(&l);
    }
    l.p.c.stop = NULL;
    ck_assert_int_gt(stops, 4);
    ck_assert_uint_eq(documents, gone);
    check_compact(&l);
    lively_check_models(&l);
    lively_end(&l);
}

static void compact_once(lively *l)
{
    kedge_compact_result r;

    if (lively_compact(l, &r) != KEDGE_OK)
        _exit(1);
}

TEST(a_killed_one_leaves_a_whole_store)
{
    lively l;
    unsigned done = 0;

    lively_fill(&l, PLANTED_DOCUMENTS);
    for (uint64_t i = 0; i < 12; i++) {
        lively_remove(&l, 20 + i, 9, i % 3 != 0);
        done += lively_kill(&l, compact_once, 500U << i % 8);
        lively_check(&l);
    }
    ck_assert_uint_lt(done, 12);
    compact(&l);
    lively_check_models(&l);
    lively_end(&l);
}

/* Files may be as large as that, and no larger. */
static kedge_status compact_within(lively *l, uint64_t limit,
                                   kedge_compact_result *r)
{
    struct rlimit before, now;
    kedge_status st;

    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    now = (struct rlimit){limit, before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &now), 0);
    st = lively_compact(l, r);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    return st;
}

TEST(a_full_disk_is_told)
{
    kedge_compact_result r;
    unsigned full = 0;
    lively l;

    lively_fill(&l, PLANTED_DOCUMENTS);
    lively_remove(&l, 9, 3, true);
    lively_remove_batch(&l, 5, true);
    for (uint64_t limit = 16384;; limit += 65536) {
        const kedge_status st = compact_within(&l, limit, &r);
        if (st == KEDGE_OK)
            break;
        ck_assert_msg(st == KEDGE_EIO, "%d %s", (int)st, l.p.t.err.text);
        full++;
        scene_reopen(&l.p.t, KEDGE_OPEN_WRITE);
        lively_check(&l);
        ck_assert_uint_lt(limit, UINT64_C(1) << 26);
    }
    ck_assert_uint_gt(full, 2);
    check_compact(&l);
    lively_check_models(&l);
    lively_end(&l);
}

TEST(damage_is_told)
{
    kedge_compact_result r;
    uint8_t key[8];
    lively l;

    lively_fill(&l, PLANTED_DOCUMENTS);
    lively_remove(&l, 9, 3, false);
    put_be64(key, 6);
    lively_damage_record(&l, DB_BLOCKS, key, sizeof key);
    ck_fails(lively_compact(&l, &r), KEDGE_ECORRUPT, l.p.t.err, "block 6");
    lively_end(&l);
    lively_fill(&l, PLANTED_DOCUMENTS);
    lively_remove(&l, 9, 3, false);
    lively_damage_record(&l, DB_GONE, key, sizeof key);
    ck_fails(lively_compact(&l, &r), KEDGE_ECORRUPT, l.p.t.err, "block 6");
    scene_write(&l.p.t);
    ck_ok(store_put_gone(l.p.t.txn, 6, NULL, 0, &l.p.t.err), l.p.t.err);
    ck_ok(
        store_put_gone(l.p.t.txn, 0, (const uint32_t[]){3, 100}, 2, &l.p.t.err),
        l.p.t.err);
    scene_commit(&l.p.t);
    ck_fails(lively_compact(&l, &r), KEDGE_ECORRUPT, l.p.t.err,
             "block 0 is damaged (document 100 of ");
    lively_end(&l);
    lively_begin_texts(&l, PLANTED_DOCUMENTS);
    for (size_t i = 0; i < LIVELY_SHARDS; i++)
        lively_ingest(&l, i, false);
    lively_remove(&l, 9, 3, false);
    lively_damage_record(&l, DB_ORDERS, key, sizeof key);
    ck_fails(lively_compact(&l, &r), KEDGE_ECORRUPT, l.p.t.err,
             "order of words of block 6");
    lively_end(&l);
}

TEST(what_a_saving_left_goes)
{
    store_rows rows = {0};
    const int64_t values[] = {1, 2, 3};
    const uint8_t *bytes;
    size_t size;
    store_view view;
    lively l;

    lively_fill(&l, 60);
    scene_write(&l.p.t);
    ck_ok(store_get_view_record(l.p.t.txn, 0, &view, &l.p.t.err), l.p.t.err);
    ck_ok(store_rows_encode(&rows, values, 1, 2, &l.p.t.err), l.p.t.err);
    ck_ok(store_put_rows(l.p.t.txn, view.rows ^ 1, 0, &rows, &l.p.t.err),
          l.p.t.err);
    scene_commit(&l.p.t);
    store_rows_free(&rows);
    compact(&l);
    scene_read(&l.p.t);
    ck_assert_int_eq(
        store_get_rows(l.p.t.txn, view.rows ^ 1, 0, &bytes, &size, &l.p.t.err),
        KEDGE_ENOTFOUND);
    store_abort(&l.p.t.txn);
    lively_check_models(&l);
    lively_end(&l);
}

TEST(no_memory_is_told)
{
    kedge_compact_result r;
    lively l;

    lively_fill(&l, PLANTED_DOCUMENTS);
    lively_remove(&l, 4, 3, true);
    for (long k = 0;; k += 1 + k / 40) {
        kedge_status st;
        gate_allow(k);
        st = lively_compact(&l, &r);
        gate_open();
        if (st == KEDGE_OK)
            break;
        ck_assert_msg(st == KEDGE_ENOMEM, "%ld: %s", k, l.p.t.err.text);
        ck_assert_int_lt(k, 6000);
        scene_reopen(&l.p.t, KEDGE_OPEN_WRITE);
        if (k % 7 == 0)
            lively_check(&l);
    }
    check_compact(&l);
    lively_check_models(&l);
    lively_end(&l);
}
