/* SPDX-License-Identifier: MIT */
#include "ops/infer/saved.h"

#include "ops/keeper.h"
#include "store/kv.h"

TEST(what_was_found_comes_back)
{
    OWN(keeper_free) keeper *k = keeper_new(200, 6);

    ck_assert(!keeper_is_kept(k));
    for (int method = KEDGE_INFER_LINEAR_BAYES; method <= KEDGE_INFER_MEAN;
         method++) {
        kedge_saved_info info;
        k->o.method = (kedge_infer_method)method;
        keeper_keep(k);
        keeper_check(k);
        info = keeper_info(k);
        ck_assert_str_eq(info.model, KEEPER_MODEL);
        ck_assert_str_eq(info.method, kedge_infer_method_name(k->o.method));
        ck_assert_ptr_nonnull(strstr(info.options,
                                     method == KEDGE_INFER_PADD   ? "tau 0.1"
                                     : method == KEDGE_INFER_PAMI ? "rho 1"
                                     : method == KEDGE_INFER_LINEAR_BAYES
                                         ? "200 iterations"
                                     : method == KEDGE_INFER_MEAN
                                         ? "no iterations"
                                         : "no limit"));
        ck_assert_uint_eq(info.documents, 120);
        ck_assert_uint_eq(info.topics, KEEPER_TOPICS);
        ck_assert_uint_eq(info.bytes, k->r.saved_bytes);
        ck_assert(info.error == k->r.saved_error && info.error < 0.01);
        ck_assert(info.current && info.removed == 0 && info.later == 0);
        keeper_verify(k);
    }
}

TEST(the_same_bytes_for_any_number_of_threads)
{
    OWN(keeper_free) keeper *k = keeper_new(200, 6);
    kedge_saved_info one, two;

    k->l.p.c.threads = 1;
    keeper_keep(k);
    one = keeper_info(k);
    k->l.p.c.threads = 3;
    ck_ok(keeper_run(k, 0), k->l.p.t.err);
    two = keeper_info(k);
    ck_assert_int_eq(memcmp(&one, &two, sizeof one), 0);
    keeper_check(k);
}

static void check_state(keeper *k, uint64_t gone, uint64_t later)
{
    const kedge_saved_info info = keeper_info(k);

    ck_assert_uint_eq(info.removed, gone);
    ck_assert_uint_eq(info.later, later);
    ck_assert(info.current == (gone == 0 && later == 0));
    keeper_check(k);
    keeper_verify(k);
}

TEST(what_left_is_not_shown_and_what_came_is_counted)
{
    OWN(keeper_free) keeper *k = keeper_kept(200, 5);
    uint64_t gone;
    kedge_compact_result r;

    check_state(k, 0, 0);
    keeper_add(k);
    check_state(k, 0, 20);
    gone = lively_remove_batch(&k->l, 1, false);
    check_state(k, gone, 20);
    gone += lively_remove_batch(&k->l, 3, false);
    check_state(k, gone, 20);
    ck_ok(lively_compact(&k->l, &r), k->l.p.t.err);
    check_state(k, 0, 20); /* they are off the disk */
    ck_assert_uint_eq(keeper_info(k).documents, 100 - gone);
    lively_remove_batch(&k->l, 5, false);
    check_state(k, 0, 0);
}

/* Some of each block, and at last all. */
TEST(sets_shrink_when_stores_are_compacted)
{
    OWN(keeper_free) keeper *k = keeper_kept(300, LIVELY_SHARDS);
    kedge_compact_result r;
    uint64_t bytes;

    bytes = keeper_info(k).bytes;
    for (uint64_t i = 0; i < 3; i++) {
        const uint64_t before = keeper_info(k).documents;
        const size_t gone = lively_remove(&k->l, 40 + i, i < 2 ? 3 : 1, false);
        check_state(k, i < 2 ? gone : before, 0);
        ck_ok(lively_compact(&k->l, &r), k->l.p.t.err);
        check_state(k, 0, 0);
        ck_assert_uint_lt(keeper_info(k).bytes, bytes);
        bytes = keeper_info(k).bytes;
    }
    ck_assert_uint_eq(keeper_info(k).documents, 0);
}

TEST(a_set_goes_with_its_model)
{
    OWN(keeper_free) keeper *k = keeper_kept(200, 5);
    kedge_model *m;

    ck_ok(kedge_label_topic(k->l.p.t.s, KEEPER_MODEL, 0, "Tides",
                            &k->l.p.t.err), k->l.p.t.err);
    m = lively_fit_listed(&k->l); /* another */
    kedge_model_free(m);
    keeper_check(k);
    keeper_fit(k);
    ck_assert(!keeper_is_kept(k));
    ck_assert_uint_eq(keeper_records(k), 0);
}

TEST(who_has_no_set_is_told_how_to_make_one)
{
    OWN(keeper_free) keeper *k = keeper_new(200, 5);
    kedge_saved_info info;
    kedge_saved *kept;

    ck_fails(kedge_saved_get_info(k->l.p.t.s, NULL, &info, &k->l.p.t.err),
             KEDGE_ENOTFOUND, k->l.p.t.err,
             "'kedge infer STORE --save --model k4' saves them");
    ck_fails(kedge_saved_open(k->l.p.t.s, "k4", &k->l.p.c, &kept,
                              &k->l.p.t.err), KEDGE_ENOTFOUND, k->l.p.t.err,
             "no topic proportions are saved with model \"k4\"");
    ck_assert_ptr_null(kept);
    ck_fails(kedge_saved_get_info(k->l.p.t.s, "k9", &info, &k->l.p.t.err),
             KEDGE_ENOTFOUND, k->l.p.t.err, "no model \"k9\"");
    keeper_keep(k);
    ck_ok(kedge_drop_model(k->l.p.t.s, "k4", &k->l.p.t.err), k->l.p.t.err);
    ck_assert_uint_eq(keeper_records(k), 0);
}

/* As an older kedge leaves it, which fits anew and does not know of sets. */
TEST(a_set_of_an_earlier_model_is_none)
{
    OWN(keeper_free) keeper *k = keeper_kept(200, 5);
    store_kept set;
    kedge_compact_result r;

    scene_write(&k->l.p.t);
    ck_ok(store_get_kept(k->l.p.t.txn, KEEPER_MODEL, &set, &k->l.p.t.err),
          k->l.p.t.err);
    set.serial++;
    ck_ok(store_put_kept(k->l.p.t.txn, KEEPER_MODEL, &set, &k->l.p.t.err),
          k->l.p.t.err);
    scene_commit(&k->l.p.t);
    ck_assert(!keeper_is_kept(k));
    ck_assert_uint_gt(keeper_records(k), 1);
    keeper_verify(k);
    ck_ok(lively_compact(&k->l, &r), k->l.p.t.err);
    ck_assert_uint_eq(keeper_records(k), 0);
    keeper_keep(k);
    keeper_check(k);
}

TEST(other_stores_do_not_bring_theirs)
{
    OWN(keeper_free) keeper *k = keeper_kept(200, 5);
    scene into;
    kedge_merge_result r;
    const char *path;
    kedge_store_info info;
    uint64_t n;

    path = k->l.p.t.path;
    scene_close(&k->l.p.t);
    scene_make(&into);
    ck_ok(kedge_merge(into.s, &path, 1, KEDGE_DUPLICATE_ERROR, &k->l.p.c, &r,
                      &into.err), into.err);
    ck_ok(kedge_store_get_info(into.s, &info, &into.err), into.err);
    ck_assert_uint_eq(info.documents, 100);
    ck_assert_uint_eq(info.models, 0); /* nor models */
    scene_read(&into);
    ck_ok(kv_count(into.txn, DB_KEPT, &n, &into.err), into.err);
    ck_assert_uint_eq(n, 0);
    scene_end(&into);
    scene_open(&k->l.p.t, KEDGE_OPEN_READ);
    keeper_check(k);
}

TEST(repairing_leaves_it)
{
    OWN(keeper_free) keeper *k = keeper_kept(200, LIVELY_SHARDS);
    kedge_repair_result r;

    lively_remove(&k->l, 3, 4, false);
    ck_ok(lively_repair(&k->l, &r), k->l.p.t.err);
    keeper_check(k);
}

/* Each portion that is there, one after the other. */
TEST(damage_is_found)
{
    OWN(keeper_free) keeper *k = keeper_kept(200, 5);
    kedge_saved *kept;
    const kedge_saved_document *d;
    kedge_verify_result r;
    kedge_status st;
    uint8_t at[15] = KEEPER_MODEL;

    at[14] = 2; /* turn 0, portion 2 */
    lively_damage_record(&k->l, DB_KEPT, at, 15);
    ck_ok(kedge_saved_open(k->l.p.t.s, KEEPER_MODEL, &k->l.p.c, &kept,
                           &k->l.p.t.err), k->l.p.t.err);
    do
        st = kedge_saved_next(kept, &d, &k->l.p.t.err);
    while (st == KEDGE_OK && d != NULL);
    ck_fails(st, KEDGE_ECORRUPT, k->l.p.t.err, "portion 2 is damaged");
    kedge_saved_close(kept);
    ck_ok(kedge_verify(k->l.p.t.s, NULL, NULL, &k->l.p.c, &r, &k->l.p.t.err),
          k->l.p.t.err);
    ck_assert_uint_eq(r.damaged, 2); /* the portion, and the set */
    kedge_verify_free(&r);
    ck_ok(keeper_run(k, 0), k->l.p.t.err); /* which mends it */
    keeper_check(k);
    keeper_verify(k);
}

/* A composition of another document is none of this store's. */
TEST(a_set_of_other_documents_is_found)
{
    OWN(keeper_free) keeper *k = keeper_kept(200, 5);
    store_kept set;
    OWN(store_portion_free) store_portion p = {0};
    uint64_t bytes;
    kedge_verify_result r;
    scene *const t = &k->l.p.t;

    scene_write(t);
    ck_ok(store_get_kept(t->txn, KEEPER_MODEL, &set, &t->err), t->err);
    ck_ok(store_get_portion(t->txn, KEEPER_MODEL, &set, 1, &p, &t->err),
          t->err);
    p.position[p.count - 1] += 1000;
    ck_ok(store_put_portion(t->txn, KEEPER_MODEL, set.turn, 1, &p, &bytes,
                            &t->err),
          t->err);
    scene_commit(t);
    ck_ok(kedge_verify(t->s, NULL, NULL, &k->l.p.c, &r, &t->err), t->err);
    ck_assert_uint_eq(r.damaged, 1);
    kedge_verify_free(&r);
}

/* A list of what is gone, of a block that nobody wrote. */
TEST(a_list_without_its_block_is_found)
{
    OWN(keeper_free) keeper *k = keeper_kept(60, 2);
    scene *const t = &k->l.p.t;
    const kedge_saved_document *d;
    const uint32_t gone[] = {0, 2};
    kedge_saved *kept;

    scene_write(t);
    for (uint64_t b = 0; b < 2; b++) {
        ck_ok(store_drop_block(t->txn, b, &t->err), t->err);
        ck_ok(store_put_gone(t->txn, b, gone, 2, &t->err), t->err);
    }
    scene_commit(t);
    ck_ok(kedge_saved_open(t->s, KEEPER_MODEL, &k->l.p.c, &kept, &t->err),
          t->err);
    ck_fails(kedge_saved_next(kept, &d, &t->err), KEDGE_ECORRUPT, t->err,
             "has 0 documents");
    kedge_saved_close(kept);
}

static kedge_status open_first(keeper *k)
{
    const kedge_saved_document *d;
    kedge_saved *kept;
    kedge_status st = kedge_saved_open(k->l.p.t.s, KEEPER_MODEL, &k->l.p.c,
                                       &kept, &k->l.p.t.err);

    if (st == KEDGE_OK)
        st = kedge_saved_next(kept, &d, &k->l.p.t.err);
    kedge_saved_close(kept);
    return st;
}

TEST(limits_are_kept)
{
    OWN(keeper_free) keeper *k = keeper_kept(200, 5);
    kedge_saved *kept;

    k->l.p.c.memory = 1 << 20;
    ck_fails(kedge_saved_open(k->l.p.t.s, KEEPER_MODEL, &k->l.p.c, &kept,
                              &k->l.p.t.err), KEDGE_EBUDGET, k->l.p.t.err,
             "showing topic proportions takes");
    kedge_control_init(&k->l.p.c);
    gate_starve(open_first(k));
    keeper_check(k);
}

/* ---- compositions that are to be kept ------------------------------------ */

TEST(until_the_last_the_set_before_stays)
{
    OWN(keeper_free) keeper *k = keeper_new(200, 6);
    kedge_saved_info before, after;

    ck_ok(keeper_run(k, 119), k->l.p.t.err);
    ck_assert(!keeper_is_kept(k));
    keeper_keep(k);
    before = keeper_info(k);
    k->o.method = KEDGE_INFER_LEAST_SQUARES;
    for (size_t most = 1; most <= 120; most += 17) {
        ck_ok(keeper_run(k, most), k->l.p.t.err);
        ck_assert_uint_eq(k->r.saved, 0);
        after = keeper_info(k);
        ck_assert_int_eq(memcmp(&before, &after, sizeof before), 0);
        keeper_check(k);
        keeper_verify(k);
    }
    keeper_keep(k);
    keeper_check(k);
    ck_assert_str_eq(keeper_info(k).method, "least-squares");
}

/* Nothing of a set stays when another takes its place. */
TEST(sets_take_turns)
{
    OWN(keeper_free) keeper *k = keeper_kept(200, 6);
    uint64_t records;

    records = keeper_records(k);
    ck_assert_uint_eq(records, 1 + 6);
    for (int i = 0; i < 4; i++) {
        store_kept set;
        keeper_keep(k);
        ck_assert_uint_eq(keeper_records(k), records);
        scene_read(&k->l.p.t);
        ck_ok(store_get_kept(k->l.p.t.txn, KEEPER_MODEL, &set, &k->l.p.t.err),
              k->l.p.t.err);
        store_abort(&k->l.p.t.txn);
        ck_assert_int_eq((int)set.turn, (i + 1) % 2);
        ck_assert_uint_eq(set.portions, 6);
        keeper_check(k);
    }
}

/* Portions that no record names, with a set and without one. */
TEST(what_was_left_is_swept)
{
    OWN(keeper_free) keeper *k = keeper_kept(200, 6);
    const uint8_t other[] = "nobody\0of no turn";
    uint64_t records;
    OWN(store_portion_free) store_portion p = {0};
    uint64_t bytes;
    scene *const t = &k->l.p.t;

    records = keeper_records(k);
    scene_write(t);
    ck_assert(store_portion_grow(&p, 0, 0));
    for (uint64_t i = 0; i < 2500; i++) {
        ck_ok(
            store_put_portion(t->txn, KEEPER_MODEL, 1, i, &p, &bytes, &t->err),
            t->err);
        ck_ok(
            store_put_portion(t->txn, "nobody", i % 2, i, &p, &bytes, &t->err),
            t->err);
    }
    scene_commit(t);
    keeper_check(k);
    keeper_verify(k);
    ck_assert_uint_eq(keeper_records(k), records + 5000);
    ck_ok(saved_sweep(t->s, &t->err), t->err);
    ck_assert_uint_eq(keeper_records(k), records);
    ck_ok(saved_sweep(t->s, &t->err), t->err);
    keeper_check(k);
    saved_drop(t->s, KEEPER_MODEL);
    ck_assert_uint_eq(keeper_records(k), 1);
    scene_write(t);
    ck_ok(kv_put(t->txn, (kv_key){DB_KEPT, other, sizeof other}, other, 1,
                 &t->err), t->err);
    scene_commit(t);
    ck_fails(saved_sweep(t->s, &t->err), KEDGE_ECORRUPT, t->err,
             "\"nobody\" are damaged");
}

static keeper killed; /* the child has it as it was */

static void keep_forever(lively *l)
{
    (void)l;
    killed.l.p.c.threads = 1;
    for (int i = 0; i < 1000; i++) {
        killed.o.method = i % 2 == 0 ? KEDGE_INFER_LEAST_SQUARES
                                     : KEDGE_INFER_LINEAR_BAYES;
        ck_ok(keeper_run(&killed, 0), killed.l.p.t.err);
    }
}

/* Whatever it was doing: one of the two sets is there, whole. */
TEST(killed_at_any_time_a_set_is_whole)
{
    static keeper both[2];
    int found[2] = {0, 0};

    keeper_begin(&killed, 400, 10, false);
    keeper_keep(&killed);
    both[0] = killed;
    killed.o.method = KEDGE_INFER_LEAST_SQUARES;
    keeper_keep(&killed);
    both[1] = killed;
    for (useconds_t i = 0; i < 25; i++) {
        int which;
        (void)lively_kill(&killed.l, keep_forever, 3000 + 7919 * i);
        which = strcmp(keeper_info(&killed).method, "least-squares") == 0;
        found[which]++;
        both[which].l = killed.l;
        keeper_check(&both[which]);
        keeper_verify(&killed);
    }
    ck_assert_int_eq(found[0] + found[1], 25);
    killed.o.method = KEDGE_INFER_LINEAR_BAYES;
    keeper_keep(&killed);
    ck_assert_uint_eq(keeper_records(&killed), 1 + 10);
    keeper_end(&killed);
}

TEST(what_cannot_be_kept_is_refused)
{
    OWN(keeper_free) keeper *k = keeper_new(200, 6);
    const char *path;
    scene *const t = &k->l.p.t;
    kedge_infer *f;

    path = k->l.listed;
    k->o.save = true;
    k->o.format = KEDGE_FORMAT_LINES;
    ck_fails(kedge_infer_open(t->s, &path, 1, &k->o, &k->l.p.c, &f, &t->err),
             KEDGE_EINVAL, t->err, "only the proportions of stored documents "
                                   "can be saved: leave");
    scene_reopen(t, KEDGE_OPEN_READ);
    ck_fails(keeper_run(k, 0), KEDGE_EMISUSE, t->err, "for reading only");
    ck_assert(!keeper_is_kept(k));
    k->l.p.c.memory = 1 << 20;
    scene_reopen(t, KEDGE_OPEN_WRITE);
    ck_fails(keeper_run(k, 0), KEDGE_EBUDGET, t->err, "inferring takes");
}

TEST(no_memory_is_survived)
{
    OWN(keeper_free) keeper *k = keeper_kept(100, 2);
    kedge_saved_info before;

    before = keeper_info(k);
    k->o.method = KEDGE_INFER_LEAST_SQUARES;
    for (long n = 0; strcmp(keeper_info(k).method, "least-squares") != 0; n++) {
        const kedge_saved_info after = keeper_info(k);
        kedge_status st;
        ck_assert_int_eq(memcmp(&before, &after, sizeof before), 0);
        gate_allow(n);
        st = keeper_run(k, 0);
        gate_open();
        ck_assert(st == KEDGE_OK || st == KEDGE_ENOMEM);
    }
    keeper_expect(k);
    keeper_check(k);
}
