/* SPDX-License-Identifier: MIT */
#include "store/store.h"

#include "store/record.h"
#include "store/spoil.h"

/* Rising indices with steps of every magnitude; gives their number. */
static size_t rising(uint32_t *to, size_t room, uint64_t seed)
{
    const size_t most = 1 + scene_random(seed, 0, room);
    uint64_t next = 0;
    size_t count = 0;

    for (; count < most; count++) {
        next += scene_any(seed, count + 1, 28);
        if (next > UINT32_MAX)
            break;
        to[count] = (uint32_t)next++;
    }
    return count;
}

static void ck_same(const store_gone *g, const uint32_t *index, size_t count)
{
    ck_assert_uint_eq(g->count, count);
    ck_assert_mem_eq(g->index, index, count * sizeof *index);
}

START_TEST(lists_come_back)
{
    uint32_t index[300];
    store_gone g = {0};
    uint64_t block;
    scene t;

    scene_make(&t);
    scene_write(&t);
    for (uint64_t i = 0; i < 200; i++) {
        const size_t count = rising(index, 300, i);
        ck_ok(store_put_gone(t.txn, i / 2, index, count, &t.err), t.err);
        ck_ok(store_put_removal(t.txn, i, ~i, index, count, &t.err), t.err);
    }
    scene_commit(&t);
    scene_reopen(&t, KEDGE_OPEN_READ);
    scene_read(&t);
    for (uint64_t i = 200; i-- > 0;) {
        const size_t count = rising(index, 300, i);
        ck_ok(store_get_removal(t.txn, i, &block, &g, &t.err), t.err);
        ck_assert_uint_eq(block, ~i);
        ck_same(&g, index, count);
        ck_ok(store_get_gone(t.txn, i / 2, &g, &t.err), t.err);
        if (i % 2 == 1) /* the later list took the place of the other */
            ck_same(&g, index, count);
    }
    ck_ok(store_get_gone(t.txn, 100, &g, &t.err), t.err);
    ck_assert_uint_eq(g.count, 0);
    ck_fails(store_get_removal(t.txn, 200, &block, &g, &t.err), KEDGE_ENOTFOUND,
             t.err, "there is no removal 200");
    store_gone_free(&g);
    ck_assert_ptr_null(g.index);
    scene_end(&t);
}
END_TEST

START_TEST(lists_are_dropped)
{
    const uint32_t index[] = {0, 1, UINT32_MAX};
    store_gone g = {0};
    uint64_t block;
    scene t;

    scene_make(&t);
    scene_write(&t);
    for (uint64_t i = 0; i < 1000; i++)
        ck_ok(store_put_removal(t.txn, i, 5, index, 3, &t.err), t.err);
    ck_ok(store_put_gone(t.txn, 5, index, 3, &t.err), t.err);
    scene_commit(&t);
    scene_write(&t);
    ck_ok(store_drop_removals(t.txn, &t.err), t.err);
    ck_ok(store_put_removal(t.txn, 1000, 6, index, 1, &t.err), t.err);
    ck_ok(store_put_gone(t.txn, 5, NULL, 0, &t.err), t.err);
    ck_ok(store_put_gone(t.txn, 5, NULL, 0, &t.err), t.err);
    for (uint64_t i = 0; i < 1000; i++)
        ck_assert_int_eq(store_get_removal(t.txn, i, &block, &g, &t.err),
                         KEDGE_ENOTFOUND);
    ck_ok(store_get_removal(t.txn, 1000, &block, &g, &t.err), t.err);
    ck_assert_uint_eq(block, 6);
    ck_ok(store_get_gone(t.txn, 5, &g, &t.err), t.err);
    ck_assert_uint_eq(g.count, 0);
    scene_commit(&t);
    scene_read(&t);
    ck_fails(store_drop_removals(t.txn, &t.err), KEDGE_EMISUSE, t.err,
             "writing");
    store_gone_free(&g);
    scene_end(&t);
}
END_TEST

START_TEST(what_does_not_rise_is_refused)
{
    const uint32_t same[] = {3, 4, 4}, falls[] = {1, 0};
    scene t;

    scene_make(&t);
    scene_write(&t);
    ck_fails(store_put_gone(t.txn, 0, same, 3, &t.err), KEDGE_EINVAL, t.err,
             "must rise (4, 4)");
    ck_fails(store_put_removal(t.txn, 0, 0, falls, 2, &t.err), KEDGE_EINVAL,
             t.err, "must rise (1, 0)");
    ck_fails(store_put_removal(t.txn, 0, 0, NULL, 0, &t.err), KEDGE_EINVAL,
             t.err, "no documents");
    scene_end(&t);
}
END_TEST

static kedge_status get_gone(scene *t)
{
    store_gone g = {0};
    const kedge_status st = store_get_gone(t->txn, 0, &g, &t->err);

    ck_assert_int_eq(g.count > 0, st == KEDGE_OK);
    store_gone_free(&g);
    return st;
}

static kedge_status get_removal(scene *t)
{
    store_gone g = {0};
    uint64_t block;
    const kedge_status st = store_get_removal(t->txn, 0, &block, &g, &t->err);

    ck_assert_int_eq(g.count > 0, st == KEDGE_OK);
    store_gone_free(&g);
    return st;
}

static void spoil(scene *t, kv_db db, spoil_getter get)
{
    const uint8_t key[8] = {0};
    const kv_key at = {db, key, sizeof key};

    spoil_bits(t, at, get, "damaged", false);
    spoil_cuts(t, at, get, "damaged");
}

START_TEST(every_flipped_bit_and_cut_is_found)
{
    uint32_t index[20];
    const size_t count = rising(index, 20, 7);
    scene t;

    scene_make(&t);
    scene_write(&t);
    ck_ok(store_put_gone(t.txn, 0, index, count, &t.err), t.err);
    ck_ok(store_put_removal(t.txn, 0, 1, index, count, &t.err), t.err);
    spoil(&t, DB_GONE, get_gone);
    spoil(&t, DB_REMOVALS, get_removal);
    scene_end(&t);
}
END_TEST

/* A record that is whole, with a body that is not. */
static kedge_status hostile(scene *t, const char *body, size_t size)
{
    const uint8_t key[8] = {0};
    const kv_key at = {DB_GONE, key, sizeof key};
    uint8_t record[64];
    store_gone g = {0};
    kedge_status st;

    memcpy(record + RECORD_HEAD, body, size);
    record_seal(record, RECORD_SIZE(size), "KGON", kv_place(at));
    ck_ok(kv_put(t->txn, at, record, RECORD_SIZE(size), &t->err), t->err);
    st = store_get_gone(t->txn, 0, &g, &t->err);
    store_gone_free(&g);
    return st;
}

START_TEST(hostile_bodies_are_refused)
{
    scene t;

    scene_make(&t);
    scene_write(&t);
    ck_ok(hostile(&t, "\2\0\0\0\1\0", 6), t.err);
    ck_fails(hostile(&t, "\2\0\0", 3), KEDGE_ECORRUPT, t.err, "its count");
    ck_fails(hostile(&t, "\0\0\0\0", 4), KEDGE_ECORRUPT, t.err, "its count");
    ck_fails(hostile(&t, "\3\0\0\0\1\0", 6), KEDGE_ECORRUPT, t.err,
             "its count");
    ck_fails(hostile(&t, "\xff\xff\xff\xff\1\0", 6), KEDGE_ECORRUPT, t.err,
             "its count");
    ck_fails(hostile(&t, "\1\0\0\0\1\0", 6), KEDGE_ECORRUPT, t.err, "its end");
    ck_fails(hostile(&t, "\2\0\0\0\xff\xff\xff\xff\x0f\0", 10), KEDGE_ECORRUPT,
             t.err, "its indices");
    ck_fails(hostile(&t, "\2\0\0\0\1\x80", 6), KEDGE_ECORRUPT, t.err,
             "its indices");
    scene_end(&t);
}
END_TEST

START_TEST(no_memory_is_told)
{
    uint32_t index[100];
    const size_t count = rising(index, 100, 3);
    store_gone g = {0};
    uint64_t block;
    scene t;

    scene_make(&t);
    scene_write(&t);
    scene_starve(store_put_gone(t.txn, 0, index, count, &t.err), t.err);
    scene_starve(store_put_removal(t.txn, 0, 0, index, count, &t.err), t.err);
    scene_starve(store_get_gone(t.txn, 0, &g, &t.err), t.err);
    ck_same(&g, index, count);
    store_gone_free(&g);
    scene_starve(store_get_removal(t.txn, 0, &block, &g, &t.err), t.err);
    ck_same(&g, index, count);
    store_gone_free(&g);
    scene_end(&t);
}
END_TEST

UNIT_SUITE("gone",
    lists_come_back,
    lists_are_dropped,
    what_does_not_rise_is_refused,
    every_flipped_bit_and_cut_is_found,
    hostile_bodies_are_refused,
    no_memory_is_told)
