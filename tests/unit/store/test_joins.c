/* SPDX-License-Identifier: MIT */
#include "store/store.h"

#include "base/bytes.h"
#include "store/codec.h"
#include "store/spoil.h"

/* `count` joins in order; ids of every magnitude. */
static store_joins make(uint64_t seed, size_t count)
{
    store_joins j = {
        .blocks = scene_any(seed, 0, 63), .removals = scene_any(seed, 1, 63),
        .words = scene_any(seed, 2, 63), .documents = scene_any(seed, 3, 63),
        .score = (double)scene_any(seed, 4, 53) / 3 - 1,
    };
    uint32_t left = 0, right = 0;
    uint64_t at = 5;

    ck_assert(mem_grow((void **)&j.join, &j.capacity, count + 1,
                       sizeof *j.join));
    for (; j.count < count; j.count++) {
        const uint32_t step = (uint32_t)scene_any(seed, at++, 12);
        right = step > 0 || right > UINT32_MAX - 300
                    ? (uint32_t)scene_any(seed, at++, 32)
                    : right + 1 + (uint32_t)scene_any(seed, at++, 8);
        left += step;
        j.join[j.count] = (store_join){
            left, right, (uint32_t)scene_any(seed, at, 32),
            1 + (uint32_t)scene_random(seed, at + 1, STORE_JOIN_ROUNDS)};
        at += 2;
        if (j.count > 0 && step == 0 && right <= j.join[j.count - 1].right)
            j.join[j.count].left = ++left;
    }
    return j;
}

static bool same(const store_joins *a, const store_joins *b)
{
    return a->blocks == b->blocks && a->removals == b->removals &&
           a->words == b->words && a->documents == b->documents &&
           a->score == b->score && a->count == b->count &&
           (a->count == 0 ||
            memcmp(a->join, b->join, a->count * sizeof *a->join) == 0);
}

START_TEST(joins_come_back)
{
    store_joins out = {0};
    scene t;

    scene_make_unlimited(&t);
    for (uint32_t seed = 0; seed < 200; seed++) {
        store_joins j = make(seed, scene_any(seed, 99, 10));
        scene_write(&t);
        ck_ok(store_put_joins(t.txn, seed / 2, &j, &t.err), t.err);
        scene_commit(&t); /* every other one over another */
        scene_read(&t);
        ck_ok(store_get_joins(t.txn, seed / 2, &out, &t.err), t.err);
        ck_assert(same(&j, &out));
        store_abort(&t.txn);
        store_joins_free(&j);
    }
    store_joins_free(&out);
    ck_assert_ptr_null(out.join);
    scene_end(&t);
}
END_TEST

START_TEST(numbers_at_their_limits)
{
    store_join join[] = {{0, 0, UINT32_MAX, STORE_JOIN_ROUNDS},
                         {0, UINT32_MAX, 0, 1},
                         {UINT32_MAX, 0, UINT32_MAX, 1},
                         {UINT32_MAX, UINT32_MAX, 1, 1}};
    const store_joins j = {.blocks = UINT64_MAX, .removals = UINT64_MAX,
                           .words = UINT64_MAX, .documents = UINT64_MAX,
                           .score = -1, .join = join, .count = 4};
    store_joins out = {0};
    scene t;

    scene_make_unlimited(&t);
    scene_write(&t);
    ck_ok(store_put_joins(t.txn, UINT32_MAX, &j, &t.err), t.err);
    ck_ok(store_get_joins(t.txn, UINT32_MAX, &out, &t.err), t.err);
    ck_assert(same(&j, &out));
    store_joins_free(&out);
    scene_end(&t);
}
END_TEST

START_TEST(joins_are_dropped_and_refused)
{
    store_join join[] = {{1, 2, 3, 1}, {1, 2, 4, 2}};
    store_joins j = {.join = join, .count = 2}, out = {0};
    scene t;

    scene_make_unlimited(&t);
    scene_write(&t);
    ck_fails(store_put_joins(t.txn, 1, &j, &t.err), KEDGE_EINVAL, t.err,
             "must be in order"); /* a pair twice */
    join[1].right = 1;
    ck_fails(store_put_joins(t.txn, 1, &j, &t.err), KEDGE_EINVAL, t.err,
             "must be in order");
    join[1].left = 0;
    ck_fails(store_put_joins(t.txn, 1, &j, &t.err), KEDGE_EINVAL, t.err,
             "must be in order");
    j.count = 1;
    for (uint32_t view = 1; view < 3; view++)
        ck_ok(store_put_joins(t.txn, view, &j, &t.err), t.err);
    for (int i = 0; i < 2; i++)
        ck_ok(store_drop_joins(t.txn, 1, &t.err), t.err);
    ck_fails(store_get_joins(t.txn, 1, &out, &t.err), KEDGE_ENOTFOUND, t.err,
             "phrases of view 1");
    ck_assert_uint_eq(out.count, 0);
    ck_ok(store_get_joins(t.txn, 2, &out, &t.err), t.err);
    ck_assert(same(&j, &out));
    store_joins_free(&out);
    scene_end(&t);
}
END_TEST

static kedge_status get_made(scene *t)
{
    store_joins j = make(3, 20), out = {0};
    const kedge_status st = store_get_joins(t->txn, 0, &out, &t->err);

    if (st == KEDGE_OK)
        ck_assert(same(&j, &out));
    else
        ck_assert_uint_eq(out.count, 0);
    store_joins_free(&j);
    store_joins_free(&out);
    return st;
}

START_TEST(every_flipped_bit_and_cut_is_found)
{
    const uint8_t key[4] = {0};
    const kv_key at = {DB_JOINS, key, sizeof key};
    store_joins j = make(3, 20);
    scene t;

    scene_make_unlimited(&t);
    scene_write(&t);
    ck_ok(store_put_joins(t.txn, 0, &j, &t.err), t.err);
    spoil_bits(&t, at, get_made, "phrases of view 0", true);
    spoil_cuts(&t, at, get_made, "phrases of view 0");
    store_joins_free(&j);
    scene_end(&t);
}
END_TEST

START_TEST(one_under_another_key_is_found)
{
    const uint8_t first[4] = {0}, second[4] = {[3] = 1};
    store_joins j = make(3, 5), out = {0};
    const uint8_t *bytes;
    uint8_t copy[512];
    size_t size;
    scene t;

    scene_make_unlimited(&t);
    scene_write(&t);
    ck_ok(store_put_joins(t.txn, 0, &j, &t.err), t.err);
    ck_ok(kv_get(t.txn, (kv_key){DB_JOINS, first, 4}, "it", &bytes, &size,
                 &t.err),
          t.err);
    ck_assert_uint_le(size, sizeof copy);
    memcpy(copy, bytes, size);
    ck_ok(kv_put(t.txn, (kv_key){DB_JOINS, second, 4}, copy, size, &t.err),
          t.err);
    ck_fails(store_get_joins(t.txn, 1, &out, &t.err), KEDGE_ECORRUPT, t.err,
             "phrases of view 1");
    store_joins_free(&j);
    store_joins_free(&out);
    scene_end(&t);
}
END_TEST

/* A record that is whole, of joins that are not: `plain` comes after the
 * numbers. */
static kedge_status hostile(scene *t, const char *plain, uint32_t size,
                            frame_head head)
{
    const uint8_t key[4] = {0};
    store_frame f = {0};
    store_joins out = {0};
    kedge_status st;

    head.plain = 40 + size;
    ck_ok(frame_room(&f, head.plain, &t->err), t->err);
    memset(f.plain, 0, 40);
    if (size > 0)
        memcpy(f.plain + 40, plain, size);
    ck_ok(frame_close(&f, "KJOI", &head, FRAME_LEVEL, &t->err), t->err);
    ck_ok(kv_put_frame(t->txn, (kv_key){DB_JOINS, key, 4}, &f, NULL, &t->err),
          t->err);
    st = store_get_joins(t->txn, 0, &out, &t->err);
    ck_assert_uint_eq(out.count, st == KEDGE_OK ? head.x : 0);
    frame_free(&f);
    store_joins_free(&out);
    return st;
}

START_TEST(hostile_joins_are_refused)
{
    static const char *const bad[] = {
        "\1\2\3\0\1\0\4\1", /* no round */
        "\1\2\3\x08\1\0\4\1",
        "\1\2\3\1\0\2\4\1", /* the same pair again */
        "\1\2\3\1\0\1\4\1", /* falling */
        "\1\2\3\1\1\0\4\x81",
    };
    const frame_head head = {.x = 2};
    scene t;

    scene_make_unlimited(&t);
    scene_write(&t);
    ck_ok(hostile(&t, "", 0, (frame_head){0}), t.err);
    ck_ok(hostile(&t, "\1\2\3\7\1\0\4\1", 8, head), t.err);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_fails(hostile(&t, bad[i], 8, head), KEDGE_ECORRUPT, t.err,
                 "phrases of view 0 are damaged (words)");
    ck_fails(hostile(&t, "\1\2\3\1\xff\xff\xff\xff\x0f\0\4\1", 12, head),
             KEDGE_ECORRUPT, t.err, "(words)"); /* beyond the last id */
    ck_fails(hostile(&t, "\1\x80\x80\x80\x80\x10\3\1", 8, (frame_head){.x = 1}),
             KEDGE_ECORRUPT, t.err, "(words)");
    ck_fails(hostile(&t, "\1\2\3\1\1\0\4\1\0", 9, head), KEDGE_ECORRUPT, t.err,
             "(words)"); /* something behind */
    ck_fails(hostile(&t, "\1\2\3\1", 4, head), KEDGE_ECORRUPT, t.err,
             "(size)");
    ck_fails(hostile(&t, "\1\2\3\1", 4, (frame_head){.x = UINT32_MAX}),
             KEDGE_ECORRUPT, t.err, "(size)");
    for (int field = 0; field < 3; field++)
        ck_fails(hostile(&t, "", 0,
                         (frame_head){.extra = field == 0, .y = field == 1,
                                      .z = field == 2}),
                 KEDGE_ECORRUPT, t.err, "(size)");
    scene_end(&t);
}
END_TEST

START_TEST(one_without_its_numbers_is_refused)
{
    const uint8_t key[4] = {0};
    store_frame f = {0};
    store_joins out = {0};
    scene t;

    scene_make_unlimited(&t);
    scene_write(&t);
    for (uint32_t size = 0; size <= 40; size++) {
        ck_ok(frame_room(&f, 40, &t.err), t.err);
        memset(f.plain, 0, 40);
        ck_ok(frame_close(&f, "KJOI", &(frame_head){.plain = size},
                          FRAME_LEVEL, &t.err), t.err);
        ck_ok(kv_put_frame(t.txn, (kv_key){DB_JOINS, key, 4}, &f, NULL, &t.err),
              t.err);
        ck_assert_int_eq(store_get_joins(t.txn, 0, &out, &t.err),
                         size < 40 ? KEDGE_ECORRUPT : KEDGE_OK);
    }
    frame_free(&f);
    store_joins_free(&out);
    scene_end(&t);
}
END_TEST

START_TEST(no_memory_is_told)
{
    store_joins j = make(4, 3000), out = {0};
    scene t;

    scene_make_unlimited(&t);
    scene_write(&t);
    scene_starve(store_put_joins(t.txn, 0, &j, &t.err), t.err);
    scene_starve(store_get_joins(t.txn, 0, &out, &t.err), t.err);
    ck_assert(same(&j, &out));
    store_joins_free(&j);
    store_joins_free(&out);
    scene_end(&t);
}
END_TEST

UNIT_SUITE("joins",
    joins_come_back,
    numbers_at_their_limits,
    joins_are_dropped_and_refused,
    every_flipped_bit_and_cut_is_found,
    one_under_another_key_is_found,
    hostile_joins_are_refused,
    one_without_its_numbers_is_refused,
    no_memory_is_told)
