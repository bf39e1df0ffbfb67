/* SPDX-License-Identifier: MIT */
#include "pipeline/shares/keeping.h"

#include "pipeline/keeper.h"
#include "store/kv.h"

START_TEST(until_the_last_the_set_before_stays)
{
    static keeper k;
    kedge_kept_info before, after;

    keeper_begin(&k, 200, 6, false);
    ck_ok(keeper_run(&k, 119), k.l.p.t.err);
    ck_assert(!keeper_is_kept(&k));
    keeper_keep(&k);
    before = keeper_info(&k);
    k.o.method = KEDGE_INFER_SQUARES;
    for (size_t most = 1; most <= 120; most += 17) {
        ck_ok(keeper_run(&k, most), k.l.p.t.err);
        ck_assert_uint_eq(k.r.kept, 0);
        after = keeper_info(&k);
        ck_assert_int_eq(memcmp(&before, &after, sizeof before), 0);
        keeper_check(&k);
        keeper_verify(&k);
    }
    keeper_keep(&k);
    keeper_check(&k);
    ck_assert_str_eq(keeper_info(&k).method, "ls");
    keeper_end(&k);
}
END_TEST

/* Nothing of a set stays when another takes its place. */
START_TEST(sets_take_turns)
{
    static keeper k;
    uint64_t records;

    keeper_begin(&k, 200, 6, false);
    keeper_keep(&k);
    records = keeper_records(&k);
    ck_assert_uint_eq(records, 1 + 6);
    for (int i = 0; i < 4; i++) {
        store_kept set;
        keeper_keep(&k);
        ck_assert_uint_eq(keeper_records(&k), records);
        scene_read(&k.l.p.t);
        ck_ok(store_get_kept(k.l.p.t.txn, KEEPER_MODEL, &set, &k.l.p.t.err),
              k.l.p.t.err);
        store_abort(&k.l.p.t.txn);
        ck_assert_int_eq((int)set.turn, (i + 1) % 2);
        ck_assert_uint_eq(set.portions, 6);
        keeper_check(&k);
    }
    keeper_end(&k);
}
END_TEST

/* Portions that no record names, with a set and without one. */
START_TEST(what_was_left_is_swept)
{
    static keeper k;
    const uint8_t other[] = "nobody\0of no turn";
    uint64_t records;
    store_portion p = {0};
    uint64_t bytes;
    scene *const t = &k.l.p.t;

    keeper_begin(&k, 200, 6, false);
    keeper_keep(&k);
    records = keeper_records(&k);
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
    keeper_check(&k);
    keeper_verify(&k);
    ck_assert_uint_eq(keeper_records(&k), records + 5000);
    ck_ok(keeping_sweep(t->s, &t->err), t->err);
    ck_assert_uint_eq(keeper_records(&k), records);
    ck_ok(keeping_sweep(t->s, &t->err), t->err);
    keeper_check(&k);
    keeping_forget(t->s, KEEPER_MODEL);
    ck_assert_uint_eq(keeper_records(&k), 1);
    scene_write(t);
    ck_ok(kv_put(t->txn, (kv_key){DB_KEPT, other, sizeof other}, other, 1,
                 &t->err), t->err);
    scene_commit(t);
    ck_fails(keeping_sweep(t->s, &t->err), KEDGE_ECORRUPT, t->err,
             "\"nobody\" are damaged");
    store_portion_free(&p);
    keeper_end(&k);
}
END_TEST

static keeper killed; /* the child has it as it was */

static void keep_forever(lively *l)
{
    (void)l;
    killed.l.p.c.threads = 1;
    for (int i = 0; i < 1000; i++) {
        killed.o.method = i % 2 == 0 ? KEDGE_INFER_SQUARES
                                     : KEDGE_INFER_LINEAR;
        ck_ok(keeper_run(&killed, 0), killed.l.p.t.err);
    }
}

/* Whatever it was doing: one of the two sets is there, whole. */
START_TEST(killed_at_any_time_a_set_is_whole)
{
    static keeper both[2];
    int found[2] = {0, 0};

    keeper_begin(&killed, 400, 10, false);
    keeper_keep(&killed);
    both[0] = killed;
    killed.o.method = KEDGE_INFER_SQUARES;
    keeper_keep(&killed);
    both[1] = killed;
    for (useconds_t i = 0; i < 25; i++) {
        int which;
        (void)lively_kill(&killed.l, keep_forever, 3000 + 7919 * i);
        which = strcmp(keeper_info(&killed).method, "ls") == 0;
        found[which]++;
        both[which].l = killed.l;
        keeper_check(&both[which]);
        keeper_verify(&killed);
    }
    ck_assert_int_eq(found[0] + found[1], 25);
    killed.o.method = KEDGE_INFER_LINEAR;
    keeper_keep(&killed);
    ck_assert_uint_eq(keeper_records(&killed), 1 + 10);
    keeper_end(&killed);
}
END_TEST

START_TEST(what_cannot_be_kept_is_refused)
{
    static keeper k;
    const char *path;
    scene *const t = &k.l.p.t;
    kedge_infer *f;

    keeper_begin(&k, 200, 6, false);
    path = k.l.listed;
    k.o.keep = true;
    k.o.format = KEDGE_FORMAT_LINES;
    ck_fails(kedge_infer_open(t->s, &path, 1, &k.o, &k.l.p.c, &f, &t->err),
             KEDGE_EINVAL, t->err, "the store's own documents");
    scene_reopen(t, KEDGE_OPEN_READ);
    ck_fails(keeper_run(&k, 0), KEDGE_EMISUSE, t->err, "for reading only");
    ck_assert(!keeper_is_kept(&k));
    k.l.p.c.memory = 1 << 20;
    scene_reopen(t, KEDGE_OPEN_WRITE);
    ck_fails(keeper_run(&k, 0), KEDGE_EBUDGET, t->err, "inferring takes");
    keeper_end(&k);
}
END_TEST

START_TEST(no_memory_is_survived)
{
    static keeper k;
    kedge_status st = KEDGE_ENOMEM;
    kedge_kept_info before, after;

    keeper_begin(&k, 100, 2, false);
    keeper_keep(&k);
    before = keeper_info(&k);
    k.o.method = KEDGE_INFER_SQUARES;
    for (long n = 0; st != KEDGE_OK; n++) {
        gate_allow(n);
        st = keeper_run(&k, 0);
        gate_open();
        ck_assert(st == KEDGE_OK || st == KEDGE_ENOMEM);
        after = keeper_info(&k);
        ck_assert(st == KEDGE_OK ||
                  memcmp(&before, &after, sizeof before) == 0);
    }
    ck_assert_str_eq(after.method, "ls");
    keeper_expect(&k);
    keeper_check(&k);
    keeper_end(&k);
}
END_TEST

UNIT_SUITE("keeping",
    until_the_last_the_set_before_stays,
    sets_take_turns,
    what_was_left_is_swept,
    killed_at_any_time_a_set_is_whole,
    what_cannot_be_kept_is_refused,
    no_memory_is_survived)
