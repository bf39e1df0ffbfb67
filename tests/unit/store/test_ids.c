/* SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "store/spoil.h"

/* Id `i`: its number and a tail of any length. */
static span make_id(char bytes[STORE_ID_MAX], uint64_t i)
{
    memset(bytes, (char)i, STORE_ID_MAX);
    put_u64((uint8_t *)bytes, i * HASH_GOLDEN);
    return span_of(bytes, 8 + i % (STORE_ID_MAX - 7));
}

static store_place place(uint64_t i)
{
    return (store_place){.block = i >> 3, .position = ~i};
}

TEST(ids_come_back_in_any_order)
{
    enum { COUNT = 3000 };
    char bytes[STORE_ID_MAX];
    store_place p;
    OWN(scene_drop) scene *const t = scene_new();

    for (uint64_t i = 0; i < COUNT; i++) {
        if (i % 1000 == 0)
            scene_write(t);
        OK(store_put_id(t->txn, make_id(bytes, i), place(i), &t->err));
        if (i % 3 == 0) /* again, elsewhere */
            OK(store_put_id(t->txn, make_id(bytes, i), place(i + 1), &t->err));
        if (i % 1000 == 999)
            scene_commit(t);
    }
    scene_write(t);
    for (uint64_t i = 0; i < COUNT; i += 5) {
        OK(store_drop_id(t->txn, make_id(bytes, i), &t->err));
        OK(store_drop_id(t->txn, make_id(bytes, i), &t->err));
    }
    scene_commit(t);
    scene_reopen(t, KEDGE_OPEN_READ);
    scene_read(t);
    for (uint64_t i = 0; i <= COUNT; i++) {
        const kedge_status st =
            store_get_id(t->txn, make_id(bytes, i), &p, &t->err);
        const store_place expected = place(i % 3 == 0 ? i + 1 : i);
        if (i == COUNT || i % 5 == 0)
            FAILS(st, KEDGE_ENOTFOUND, "no document with this id");
        else
            ck_assert(st == KEDGE_OK && p.block == expected.block &&
                      p.position == expected.position);
    }
}

TEST(all_are_counted_and_dropped)
{
    char bytes[STORE_ID_MAX];
    uint64_t count = 7;
    store_place p;
    OWN(scene_drop) scene *const t = scene_new();

    FAILS(store_count_ids(t->txn, &count, &t->err), KEDGE_EMISUSE, "");
    ck_assert_uint_eq(count, 0);
    for (uint64_t n = 1; n < 3000; n = 3 * n + 1) {
        scene_write(t);
        for (uint64_t i = 0; i < n; i++)
            OK(store_put_id(t->txn, make_id(bytes, i), place(i), &t->err));
        OK(store_count_ids(t->txn, &count, &t->err));
        ck_assert_uint_eq(count, n);
        OK(store_drop_ids(t->txn, &t->err));
        OK(store_put_id(t->txn, make_id(bytes, 0), place(5), &t->err));
        OK(store_count_ids(t->txn, &count, &t->err));
        ck_assert_uint_eq(count, 1);
        ck_assert_int_eq(store_get_id(t->txn, make_id(bytes, 1), &p, &t->err),
                         KEDGE_ENOTFOUND);
        scene_commit(t);
    }
    scene_read(t);
    FAILS(store_drop_ids(t->txn, &t->err), KEDGE_EMISUSE, "");
}

TEST(places_are_ordered_by_block)
{
    static const store_place rising[] = {{0, 0}, {0, 1}, {0, UINT64_MAX},
                                         {1, 0}, {7, 3}, {UINT64_MAX, 0}};
    const int n = sizeof rising / sizeof *rising;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const int sign = store_place_compare(&rising[i], &rising[j]);
            ck_assert_int_eq((sign > 0) - (sign < 0), (i > j) - (i < j));
        }
}

TEST(what_is_no_id_is_refused)
{
    char bytes[STORE_ID_MAX + 1] = {1};
    const span none = span_of(bytes, 0), big = span_of(bytes, sizeof bytes);
    store_place p;
    OWN(scene_drop) scene *const t = scene_writing();

    FAILS(store_put_id(t->txn, none, place(1), &t->err), KEDGE_EINVAL,
          "an id needs 1 to 255 bytes, not 0");
    FAILS(store_put_id(t->txn, big, place(1), &t->err), KEDGE_EINVAL,
          "not 256");
    FAILS(store_get_id(t->txn, none, &p, &t->err), KEDGE_ENOTFOUND,
          "no id has 0 bytes");
    FAILS(store_get_id(t->txn, big, &p, &t->err), KEDGE_ENOTFOUND, "256");
    OK(store_drop_id(t->txn, none, &t->err));
    OK(store_drop_id(t->txn, big, &t->err));
    scene_commit(t);
    FAILS(store_drop_id(t->txn, none, &t->err), KEDGE_EMISUSE, "");
}

TEST(ids_are_shown_safely)
{
    char bytes[200], text[IDS_SHOWN];

    memset(bytes, 'y', sizeof bytes);
    ids_show(span_of("a\x1b[\xc3\xa4 ~", 7), text);
    ck_assert_str_eq(text, "a.[.. ~");
    ids_show(span_of(bytes, sizeof bytes), text);
    ck_assert_uint_eq(strlen(text), IDS_SHOWN - 1);
}

/* Resident bytes of files that the process maps. */
static uint64_t mapped_bytes(void)
{
    unsigned long size = 0, resident = 0, files = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fscanf(f, "%lu %lu %lu", &size, &resident, &files), 3);
    fclose(f);
    return files * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* A tree of some 80 MB, in random order, while it is made and looked up. */
TEST(ids_do_not_stay_in_memory)
{
    enum { COUNT = 100000, PART = 20000, MOST = 44 << 20 };
    const uint64_t before = mapped_bytes();
    char bytes[STORE_ID_MAX] = {0};
    const span id = span_of(bytes, sizeof bytes);
    store_place p;
    OWN(scene_drop) scene *const t = scene_new();

    for (uint64_t i = 0; i < COUNT; i++) {
        put_u64((uint8_t *)bytes, hash_stream(2, i));
        if (i % PART == 0)
            OK(store_begin_write(t->s, &t->txn, &t->err));
        OK(store_put_id(t->txn, id, place(i), &t->err));
        if (i % PART == PART - 1)
            scene_commit(t);
    }
    ck_assert_uint_gt(store_disk_bytes(t->s), (uint64_t)MOST * 3 / 2);
    ck_assert_uint_lt(mapped_bytes() - before, MOST);
    scene_read(t);
    for (uint64_t i = 0; i < COUNT; i++) {
        put_u64((uint8_t *)bytes, hash_stream(2, i));
        OK(store_get_id(t->txn, id, &p, &t->err));
        ck_assert(p.block == place(i).block);
    }
    ck_assert_uint_lt(mapped_bytes() - before, MOST);
    for (uint64_t i = 0; i < COUNT; i++) { /* that are not there */
        put_u64((uint8_t *)bytes, hash_stream(3, i));
        ck_assert_int_eq(store_get_id(t->txn, id, &p, &t->err),
                         KEDGE_ENOTFOUND);
    }
    ck_assert_uint_lt(mapped_bytes() - before, MOST);
}
