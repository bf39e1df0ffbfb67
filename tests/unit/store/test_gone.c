/* SPDX-License-Identifier: MIT */
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

TEST(lists_come_back)
{
    uint32_t index[300];
    store_gone g = {0};
    uint64_t block;
    OWN(scene_drop) scene *const t = scene_writing();

    for (uint64_t i = 0; i < 200; i++) {
        const size_t count = rising(index, 300, i);
        OK(store_put_gone(t->txn, i / 2, index, count, &t->err));
        OK(store_put_removal(t->txn, i, ~i, index, count, &t->err));
    }
    scene_commit(t);
    scene_reopen(t, KEDGE_OPEN_READ);
    scene_read(t);
    for (uint64_t i = 200; i-- > 0;) {
        const size_t count = rising(index, 300, i);
        OK(store_get_removal(t->txn, i, &block, &g, &t->err));
        ck_assert_uint_eq(block, ~i);
        ck_same(&g, index, count);
        OK(store_get_gone(t->txn, i / 2, &g, &t->err));
        if (i % 2 == 1) /* the later list took the place of the other */
            ck_same(&g, index, count);
    }
    OK(store_get_gone(t->txn, 100, &g, &t->err));
    ck_assert_uint_eq(g.count, 0);
    FAILS(store_get_removal(t->txn, 200, &block, &g, &t->err), KEDGE_ENOTFOUND,
          "there is no removal 200");
    store_gone_free(&g);
    ck_assert_ptr_null(g.index);
}

TEST(lists_are_dropped)
{
    const uint32_t index[] = {0, 1, UINT32_MAX};
    OWN(store_gone_free) store_gone g = {0};
    uint64_t block;
    OWN(scene_drop) scene *const t = scene_writing();

    for (uint64_t i = 0; i < 1000; i++)
        OK(store_put_removal(t->txn, i, 5, index, 3, &t->err));
    OK(store_put_gone(t->txn, 5, index, 3, &t->err));
    scene_commit(t);
    scene_write(t);
    OK(store_drop_removals(t->txn, &t->err));
    OK(store_put_removal(t->txn, 1000, 6, index, 1, &t->err));
    OK(store_put_gone(t->txn, 5, NULL, 0, &t->err));
    OK(store_put_gone(t->txn, 5, NULL, 0, &t->err));
    for (uint64_t i = 0; i < 1000; i++)
        ck_assert_int_eq(store_get_removal(t->txn, i, &block, &g, &t->err),
                         KEDGE_ENOTFOUND);
    OK(store_get_removal(t->txn, 1000, &block, &g, &t->err));
    ck_assert_uint_eq(block, 6);
    OK(store_get_gone(t->txn, 5, &g, &t->err));
    ck_assert_uint_eq(g.count, 0);
    scene_commit(t);
    scene_read(t);
    FAILS(store_drop_removals(t->txn, &t->err), KEDGE_EMISUSE, "writing");
}

TEST(what_does_not_rise_is_refused)
{
    const uint32_t same[] = {3, 4, 4}, falls[] = {1, 0};
    OWN(scene_drop) scene *const t = scene_writing();

    FAILS(store_put_gone(t->txn, 0, same, 3, &t->err), KEDGE_EINVAL,
          "must rise (4, 4)");
    FAILS(store_put_removal(t->txn, 0, 0, falls, 2, &t->err), KEDGE_EINVAL,
          "must rise (1, 0)");
    FAILS(store_put_removal(t->txn, 0, 0, NULL, 0, &t->err), KEDGE_EINVAL,
          "no documents");
}

/* A record that is whole, of so many indices that are not. */
static kedge_status hostile(scene *t, uint64_t count, const char *tail,
                            size_t size)
{
    OWN(store_gone_free) store_gone g = {0};
    kedge_status st;

    OK(record_put(t->txn, KV_KEY8(DB_GONE, 0), &schemas[KGON],
                  &(gone_head){.count = count}, span_of(tail, size), &t->err));
    st = store_get_gone(t->txn, 0, &g, &t->err);
    return st;
}

TEST(hostile_indices_are_refused)
{
    OWN(scene_drop) scene *const t = scene_writing();

    OK(hostile(t, 2, "\1\0", 2));
    FAILS(hostile(t, 0, "", 0), KEDGE_ECORRUPT, "its count");
    FAILS(hostile(t, 3, "\1\0", 2), KEDGE_ECORRUPT, "its count");
    FAILS(hostile(t, UINT64_MAX, "\1\0", 2), KEDGE_ECORRUPT, "its count");
    FAILS(hostile(t, UINT32_MAX, "\1\0", 2), KEDGE_ECORRUPT, "its count");
    FAILS(hostile(t, 1, "\1\0", 2), KEDGE_ECORRUPT, "its indices");
    FAILS(hostile(t, 2, "\xff\xff\xff\xff\x0f\0", 6), KEDGE_ECORRUPT,
          "its indices");
    FAILS(hostile(t, 2, "\1\x80", 2), KEDGE_ECORRUPT, "its indices");
}
