/* SPDX-License-Identifier: MIT */
#include "store/lists.h"

#include "base/bytes.h"
#include "store/spoil.h"

enum { CHUNK = 65536 };

/* `count` rising ids; the caller frees. */
static uint32_t *rising(uint64_t seed, size_t count)
{
    uint32_t *const ids = mem_new(count, sizeof *ids);
    uint64_t next = scene_any(seed, 0, 20);

    ck_assert_ptr_nonnull(ids);
    for (size_t i = 0; i < count; i++) {
        ids[i] = (uint32_t)next;
        next += 1 + scene_any(seed, i + 1, 8);
    }
    return ids;
}

START_TEST(lists_of_any_length_come_back)
{
    const size_t counts[] = {0, 1, 100, CHUNK - 1, CHUNK, CHUNK + 1,
                             3 * CHUNK, 200000, 7};
    store_list list = {0};
    scene t;

    scene_make_unlimited(&t);
    for (uint32_t i = 0; i < 9; i++) { /* the last ones over longer ones */
        uint32_t *const ids = rising(i, counts[i]);
        ck_ok(store_begin_write(t.s, &t.txn, &t.err), t.err);
        ledger_set_limits(t.txn, STORE_NO_LIMITS);
        ck_ok(store_put_list(t.txn, i / 2, ids, counts[i], &t.err), t.err);
        scene_commit(&t);
        scene_read(&t);
        ck_ok(store_get_list(t.txn, i / 2, &list, &t.err), t.err);
        ck_assert_uint_eq(list.count, counts[i]);
        if (counts[i] > 0)
            ck_assert_mem_eq(list.ids, ids, counts[i] * sizeof *ids);
        store_abort(&t.txn);
        mem_free(ids);
    }
    store_list_free(&list);
    ck_assert_ptr_null(list.ids);
    scene_end(&t);
}
END_TEST

START_TEST(lists_are_dropped_and_refused)
{
    const uint32_t ids[] = {0, UINT32_MAX}, same[] = {1, 1};
    store_list list = {0};
    scene t;

    scene_make_unlimited(&t);
    scene_write(&t);
    ck_ok(store_put_list(t.txn, 1, ids, 2, &t.err), t.err);
    ck_ok(store_put_list(t.txn, 2, ids, 2, &t.err), t.err);
    ck_fails(store_put_list(t.txn, 2, same, 2, &t.err), KEDGE_EINVAL, t.err,
             "must rise (1, 1)");
    ck_ok(store_drop_list(t.txn, 1, &t.err), t.err);
    ck_ok(store_drop_list(t.txn, 1, &t.err), t.err);
    ck_fails(store_get_list(t.txn, 1, &list, &t.err), KEDGE_ENOTFOUND, t.err,
             "list of view 1");
    ck_ok(store_get_list(t.txn, 2, &list, &t.err), t.err);
    ck_assert(list.count == 2 && list.ids[1] == UINT32_MAX);
    store_list_free(&list);
    scene_end(&t);
}
END_TEST

START_TEST(a_missing_chunk_is_found)
{
    uint32_t *const ids = rising(1, 2 * CHUNK + 5);
    uint8_t key[8];
    store_list list = {0};
    scene t;

    scene_make_unlimited(&t);
    ck_ok(store_begin_write(t.s, &t.txn, &t.err), t.err);
    ledger_set_limits(t.txn, STORE_NO_LIMITS);
    for (uint32_t chunk = 1; chunk < 3; chunk++) {
        ck_ok(store_put_list(t.txn, 0, ids, 2 * CHUNK + 5, &t.err), t.err);
        put_be32(key, 0);
        put_be32(key + 4, chunk);
        ck_ok(kv_drop(t.txn, (kv_key){DB_LISTS, key, 8}, &t.err), t.err);
        ck_fails(store_get_list(t.txn, 0, &list, &t.err), KEDGE_ECORRUPT, t.err,
                 chunk == 1 ? "damaged (chunk 1)" : "damaged (chunk 2)");
        ck_assert_uint_eq(list.count, 0);
    }
    mem_free(ids);
    store_list_free(&list);
    scene_end(&t);
}
END_TEST

enum { FEW = 200 };

static kedge_status get_few(scene *t)
{
    uint32_t *const ids = rising(2, FEW);
    store_list list = {0};
    const kedge_status st = store_get_list(t->txn, 0, &list, &t->err);

    if (st == KEDGE_OK) {
        ck_assert_uint_eq(list.count, FEW);
        ck_assert_mem_eq(list.ids, ids, FEW * sizeof *ids);
    }
    store_list_free(&list);
    mem_free(ids);
    return st;
}

START_TEST(every_flipped_bit_and_cut_is_found)
{
    const uint8_t key[8] = {0};
    const kv_key at = {DB_LISTS, key, sizeof key};
    uint32_t *const ids = rising(2, FEW);
    scene t;

    scene_make_unlimited(&t);
    scene_write(&t);
    ck_ok(store_put_list(t.txn, 0, ids, FEW, &t.err), t.err);
    spoil_bits(&t, at, get_few, "list of view 0 is damaged", true);
    spoil_cuts(&t, at, get_few, "list of view 0 is damaged");
    mem_free(ids);
    scene_end(&t);
}
END_TEST

/* A record that is whole, of ids that are not. */
static kedge_status hostile(scene *t, const char *plain, uint32_t size,
                            uint32_t count, uint64_t whole)
{
    const uint8_t key[8] = {0};
    const frame_head head = {.extra = whole, .x = count, .plain = size};
    store_frame f = {0};
    store_list list = {0};
    kedge_status st;

    ck_ok(frame_room(&f, size, &t->err), t->err);
    if (size > 0)
        memcpy(f.plain, plain, size);
    ck_ok(frame_close(&f, "KLST", &head, FRAME_LEVEL, &t->err), t->err);
    ck_ok(kv_put_frame(t->txn, (kv_key){DB_LISTS, key, 8}, &f, NULL, &t->err),
          t->err);
    st = store_get_list(t->txn, 0, &list, &t->err);
    frame_free(&f);
    store_list_free(&list);
    return st;
}

START_TEST(hostile_chunks_are_refused)
{
    scene t;

    scene_make_unlimited(&t);
    scene_write(&t);
    ck_ok(hostile(&t, "\1\0", 2, 2, 2), t.err);
    ck_ok(hostile(&t, "", 0, 0, 0), t.err);
    ck_fails(hostile(&t, "\1\0", 2, 2, 3), KEDGE_ECORRUPT, t.err, "its size");
    ck_fails(hostile(&t, "\1\0", 2, 3, 3), KEDGE_ECORRUPT, t.err, "its size");
    ck_fails(hostile(&t, "\1\0", 2, CHUNK, 2 * CHUNK), KEDGE_ECORRUPT, t.err,
             "its size");
    ck_fails(hostile(&t, "\1\0", 2, 2, UINT64_MAX), KEDGE_ECORRUPT, t.err,
             "its size");
    ck_fails(hostile(&t, "\1\0\0", 3, 2, 2), KEDGE_ECORRUPT, t.err, "its ids");
    ck_fails(hostile(&t, "\xff\xff\xff\xff\x0f\0", 6, 2, 2), KEDGE_ECORRUPT,
             t.err, "its ids");
    scene_end(&t);
}
END_TEST

START_TEST(no_memory_is_told)
{
    enum { COUNT = CHUNK + 100 };
    uint32_t *const ids = rising(4, COUNT);
    store_list list = {0};
    scene t;

    scene_make_unlimited(&t);
    scene_write(&t);
    scene_starve(store_put_list(t.txn, 0, ids, COUNT, &t.err), t.err);
    scene_starve(store_get_list(t.txn, 0, &list, &t.err), t.err);
    ck_assert_mem_eq(list.ids, ids, COUNT * sizeof *ids);
    mem_free(ids);
    store_list_free(&list);
    scene_end(&t);
}
END_TEST

UNIT_SUITE("lists",
    lists_of_any_length_come_back,
    lists_are_dropped_and_refused,
    a_missing_chunk_is_found,
    every_flipped_bit_and_cut_is_found,
    hostile_chunks_are_refused,
    no_memory_is_told)
