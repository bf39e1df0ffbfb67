/* SPDX-License-Identifier: MIT */
#include "store/schema.h"

#include <math.h>

#include "store/format.h"
#include "store/spoil.h"

enum { ROOM = 1024 };

TEST(the_format_has_the_same_tables)
{
    for (size_t i = 0; i < SCHEMAS; i++)
        if (schemas[i].count > 0)
            format_check(&schemas[i]);
}

/* Any value that a field may have; nowhere is anything but fields. */
static void draw(const schema *s, uint64_t seed, uint8_t *record)
{
    memset(record, 0, ROOM);
    for (size_t i = 0; i < s->count; i++) {
        const field *const f = &s->fields[i];
        uint8_t *const at = record + f->member;
        const uint64_t most = f->type == FIELD_U64   ? f->most
                              : f->type == FIELD_U32 ? f->most & UINT32_MAX
                                                     : 1;
        uint64_t v = scene_any(seed, i, 64);
        if (v < f->least || v > most)
            v = seed % 2 == 0 ? f->least : most;
        const double real = f->type == FIELD_F64 ? -1 / 3.0 : (double)v;
        if (f->type == FIELD_U64)
            memcpy(at, &v, 8);
        else if (f->type == FIELD_U32)
            memcpy(at, &(uint32_t){(uint32_t)v}, 4);
        else if (f->type == FIELD_BOOL)
            *at = (uint8_t)v;
        else if (f->type == FIELD_F64 || f->type == FIELD_AMOUNT)
            memcpy(at, &real, 8);
        else if (f->type == FIELD_TEXT)
            memset(at, 'a', scene_random(seed, i, f->size));
    }
}

TEST(records_of_all_kinds_come_back)
{
    _Alignas(16) uint8_t in[ROOM], out[ROOM], bytes[ROOM];
    kedge_error err = {0};

    for (size_t k = 0; k < SCHEMAS; k++)
        for (uint64_t seed = 0; seed < 100; seed++) {
            ck_assert_uint_le(schema_size(&schemas[k]), ROOM);
            draw(&schemas[k], seed, in);
            memset(out, 0, sizeof out);
            schema_write(&schemas[k], in, bytes);
            ck_ok(schema_read(&schemas[k], bytes, out, "it", &err), err);
            ck_assert_mem_eq(in, out, sizeof in);
        }
}

static bool reads(const schema *s, const uint8_t *bytes)
{
    _Alignas(16) uint8_t out[ROOM];
    kedge_error err = {0};
    const kedge_status st = schema_read(s, bytes, out, "it", &err);

    ck_assert(st == KEDGE_OK || (st == KEDGE_ECORRUPT &&
                                 strstr(err.text, "it is damaged (") != NULL));
    return st == KEDGE_OK;
}

static bool reads_number(const schema *s, uint8_t *bytes, size_t at, uint64_t v)
{
    uint8_t old[8];
    bool read;

    memcpy(old, bytes + at, 8);
    put_u64(bytes + at, v);
    read = reads(s, bytes);
    memcpy(bytes + at, old, 8);
    return read;
}

/* Every field, just within its range and just beyond. */
static void check_range(const schema *s, uint8_t *bytes, const field *f,
                        size_t at)
{
    const uint64_t most = f->type == FIELD_BOOL  ? 1
                          : f->type == FIELD_U64 ? f->most
                          : f->most < UINT32_MAX ? f->most
                                                 : UINT32_MAX;

    if (f->type <= FIELD_BOOL) {
        ck_assert(reads_number(s, bytes, at, f->least));
        ck_assert(reads_number(s, bytes, at, most));
        ck_assert(f->least == 0 || !reads_number(s, bytes, at, f->least - 1));
        ck_assert(most == UINT64_MAX ||
                  (!reads_number(s, bytes, at, most + 1) &&
                   !reads_number(s, bytes, at, UINT64_MAX)));
    } else if (f->type == FIELD_F64 || f->type == FIELD_AMOUNT) {
        const double reals[] = {0, 1e300, -1e-300, INFINITY, NAN};
        for (int i = 0; i < 5; i++) {
            uint64_t bits;
            memcpy(&bits, &reals[i], 8);
            ck_assert(reads_number(s, bytes, at, bits) ==
                      (i < 2 || f->type == FIELD_F64));
        }
    } else if (f->type == FIELD_TEXT) {
        memset(bytes + at, 'x', f->size); /* without end */
        ck_assert(!reads(s, bytes));
        bytes[at + f->size - 1] = 0;
        ck_assert(reads(s, bytes));
        bytes[at + f->size / 2] = 0; /* something behind the end */
        ck_assert(!reads(s, bytes));
        memset(bytes + at, 0, f->size);
    } else if (f->type == FIELD_SPARE) {
        for (size_t i = 0; i < f->size; i++) {
            bytes[at + i] = 1;
            ck_assert(!reads(s, bytes));
            bytes[at + i] = 0;
        }
    }
}

TEST(fields_out_of_range_are_refused)
{
    _Alignas(16) uint8_t record[ROOM], bytes[ROOM];

    for (size_t k = 0; k < SCHEMAS; k++) {
        const schema *const s = &schemas[k];
        size_t at = 0;
        draw(s, 4, record);
        schema_write(s, record, bytes);
        for (size_t i = 0; i < s->count; at += s->fields[i++].size)
            check_range(s, bytes, &s->fields[i], at);
    }
}

TEST(a_text_without_end_is_cut)
{
    store_source in = {0}, out;
    uint8_t bytes[ROOM];
    kedge_error err = {0};

    memset(in.name, 'x', sizeof in.name);
    schema_write(&schemas[KSRC], &in, bytes);
    ck_ok(schema_read(&schemas[KSRC], bytes, &out, "it", &err), err);
    ck_assert_uint_eq(strlen(out.name), sizeof in.name - 1);
}

/* ---- records ------------------------------------------------------------- */

static const kv_key here = {DB_GONE, (const uint8_t *)"here", 4};

static kedge_status get(scene *t)
{
    gone_head head;
    span tail;

    return record_get(t->txn, here, &schemas[KREM], &head, &tail, &t->err);
}

TEST(records_are_whole_and_in_their_place)
{
    const kv_key there = {DB_GONE, (const uint8_t *)"there", 5};
    const gone_head in = {7, 9};
    gone_head out;
    uint8_t *record;
    size_t size;
    span tail;
    OWN(scene_drop) scene *const t = scene_writing();

    FAILS(get(t), KEDGE_ENOTFOUND,
          "there is no list of documents removed from block");
    scene_starve(record_put(t->txn, here, &schemas[KREM], &in,
                            span_text("tail"), &t->err),
                 t->err);
    OK(record_get(t->txn, here, &schemas[KREM], &out, &tail, &t->err));
    ck_assert(out.block == 7 && out.count == 9 &&
              span_equal(tail, span_text("tail")));
    FAILS(record_get(t->txn, here, &schemas[KREM], &out, NULL, &t->err),
          KEDGE_ECORRUPT, "block is damaged (20 bytes, not 16)");
    FAILS(record_get(t->txn, here, &schemas[KPRT], &out, &tail, &t->err),
          KEDGE_ECORRUPT, "another record");
    record = spoil_copy(t, here, &size);
    OK(kv_put(t->txn, there, record, size, &t->err));
    FAILS(record_get(t->txn, there, &schemas[KREM], &out, &tail, &t->err),
          KEDGE_ECORRUPT, "another record");
    for (size_t at = 4; at < 8; at++) { /* the version, reserved bytes */
        record[at]++;
        put_u64(record + size - 8, hash_bytes(RECORD_SEED, record, size - 8));
        OK(kv_put(t->txn, here, record, size, &t->err));
        FAILS(get(t), at == 4 ? KEDGE_EVERSION : KEDGE_ECORRUPT,
              at == 4 ? "block has version 2" : "reserved");
        record[at]--;
    }
    record_seal(record, RECORD_SIZE(8), "KREM", kv_place(here));
    OK(kv_put(t->txn, here, record, RECORD_SIZE(8), &t->err));
    FAILS(get(t), KEDGE_ECORRUPT, "block is damaged (8 bytes, not 16)");
    mem_free(record);
}

/* The values in the format's description. */
TEST(hashes_are_those_of_the_format)
{
    ck_assert_uint_eq(hash_mix(1), 0x5692161d100b05e5);
    ck_assert_uint_eq(hash_bytes(0, "", 0), 0x568a9b0b1a2c05ec);
    ck_assert_uint_eq(hash_bytes(RECORD_SEED, "kedge", 5), 0xcf0e2c9b953691b1);
}
