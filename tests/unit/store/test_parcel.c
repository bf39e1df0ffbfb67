/* SPDX-License-Identifier: MIT */
#include "store/parcel.h"

#include "base/fail.h"
#include "store/scene.h"

enum { ROOM = 1 << 16, ROWS = 3, WIDTH = 2 };

/* A stream in memory; `piece` bytes are given at a time at most. */
typedef struct memory {
    uint8_t bytes[ROOM];
    size_t size, at, piece;
    bool full;
} memory;

static const int64_t rows[ROWS * (1 + WIDTH)] = {
    5, 1, -2, INT64_C(1) << 60, 0, -(INT64_C(1) << 60), 300, 300, -300};

static kedge_status memory_write(void *data, const void *bytes, size_t size,
                                 kedge_error *err)
{
    memory *const m = data;

    if (m->full)
        return kedge_fail(err, KEDGE_EIO, "no room");
    ck_assert_uint_le(m->size + size, ROOM);
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
    return KEDGE_OK;
}

static kedge_status memory_read(void *data, void *to, size_t room, size_t *got,
                                kedge_error *err)
{
    memory *const m = data;
    const size_t left = m->size - m->at;

    (void)err;
    *got = room < left ? room : left;
    *got = *got < m->piece ? *got : m->piece;
    memcpy(to, m->bytes + m->at, *got);
    m->at += *got;
    return KEDGE_OK;
}

/* Two texts, rows, and nothing. */
static kedge_status make(memory *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    OWN(parcel_out_free) parcel_out out = {0};
    OWN(store_rows_free) store_rows r = {0};
    uint8_t *plain;

    TRY(parcel_begin(&out, &(parcel_sink){memory_write, m}, err));
    TRY(parcel_room(&out, 5, &plain, err));
    memcpy(plain, "first", 5);
    TRY(parcel_put(&out, "KONE", 7, 5, err));
    TRY(store_rows_encode(&r, rows, ROWS, WIDTH, err));
    TRY(parcel_put_rows(&out, &r, err));
    TRY(parcel_room(&out, 0, &plain, err));
    TRY(parcel_put(&out, "KTWO", 0, 0, err));
    TRY(parcel_end(&out, err));
    ck_assert_uint_eq(out.bytes, m->size);
out:
    return st;
}

/* OK only when all is as it was made. */
static kedge_status take(memory *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    int64_t values[ROWS * (1 + WIDTH)];
    OWN(parcel_in_free) parcel_in in = {0};
    const uint8_t *plain;
    uint32_t things;
    size_t size;

    m->at = 0;
    TRY(parcel_open(&in, &(parcel_source){memory_read, m}, err));
    TRY(parcel_next(&in, "KONE", &things, &plain, &size, err));
    ck_assert(things == 7 && size == 5 && memcmp(plain, "first", 5) == 0);
    TRY(parcel_next_rows(&in, ROWS, WIDTH, values, err));
    ck_assert_mem_eq(values, rows, sizeof rows);
    TRY(parcel_next(&in, "KTWO", &things, &plain, &size, err));
    ck_assert(things == 0 && size == 0);
    TRY(parcel_close(&in, err));
out:
    return st;
}

TEST(what_is_put_comes_back)
{
    static memory m, again;
    kedge_error err = {0};

    ck_ok(make(&m, &err), err);
    ck_ok(make(&again, &err), err);
    ck_assert_uint_eq(m.size, again.size);
    ck_assert_mem_eq(m.bytes, again.bytes, m.size);
    ck_assert_mem_eq(m.bytes, "KSKETCH\n\1\0\0\0\0\0\0\0", 16);
    for (size_t piece = 1; piece <= m.size; piece += 1 + piece / 3) {
        m.piece = piece;
        ck_ok(take(&m, &err), err);
    }
}

/* Nothing is taken for whole that is not what was made. */
TEST(every_flipped_bit_and_cut_is_found)
{
    static memory m;
    kedge_error err = {0};
    size_t unnoticed = 0;

    m.piece = ROOM;
    ck_ok(make(&m, &err), err);
    for (size_t i = 0; i < 8 * m.size; i++) {
        m.bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        unnoticed += take(&m, &err) == KEDGE_OK;
        m.bytes[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    ck_assert_uint_eq(unnoticed, 0);
    ck_ok(take(&m, &err), err);
    for (const size_t all = m.size; m.size > 0;) {
        m.size--;
        const kedge_status st = take(&m, &err);
        ck_assert(st == KEDGE_EFORMAT || (m.size < 9 && st == KEDGE_EVERSION));
        ck_assert(m.size < 16 || strstr(err.text, "ends early") != NULL);
        ck_assert_uint_lt(m.size, all);
    }
}

TEST(what_is_something_else_is_told)
{
    static memory m;
    kedge_error err = {0};

    m.piece = ROOM;
    ck_fails(take(&m, &err), KEDGE_EFORMAT, err, "kedge sketch export");
    ck_ok(make(&m, &err), err);
    m.bytes[8] = 2;
    ck_fails(take(&m, &err), KEDGE_EVERSION, err, "version 2");
    m.bytes[8] = 1;
    m.bytes[m.size++] = 0;
    ck_fails(take(&m, &err), KEDGE_EFORMAT, err, "after its end");
    m.bytes[0] = 'k';
    ck_fails(take(&m, &err), KEDGE_EFORMAT, err, "kedge sketch export");
}

TEST(who_takes_no_more_is_told)
{
    static memory m;
    kedge_error err = {0};

    m.full = true;
    ck_fails(make(&m, &err), KEDGE_EIO, err, "no room");
}
