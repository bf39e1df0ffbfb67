/* SPDX-License-Identifier: MIT */
#include "store/record.h"

#include "base/hash.h"
#include "store/spoil.h"

enum { BODY = 16, SIZE = RECORD_SIZE(BODY) };

static void fill(uint8_t record[SIZE])
{
    for (int i = 0; i < SIZE; i++)
        record[i] = (uint8_t)i;
    record_seal(record, SIZE, "TEST", 42);
}

static kedge_status check(const uint8_t *record, size_t size, kedge_error *err)
{
    return record_check(record, size, BODY, "TEST", 42, "the thing", err);
}

START_TEST(a_sealed_record_is_whole)
{
    uint8_t record[SIZE];
    kedge_error err = {0};

    fill(record);
    ck_ok(check(record, SIZE, &err), err);
    ck_ok(record_check(record, SIZE, SIZE_MAX, "TEST", 42, "x", &err), err);
    ck_assert_uint_eq(record[RECORD_HEAD], RECORD_HEAD);
}
END_TEST

START_TEST(every_flipped_bit_and_cut_is_found)
{
    uint8_t record[SIZE];
    kedge_error err = {0};

    fill(record);
    for (size_t i = 0; i < 8 * SIZE; i++) {
        record[i / 8] ^= (uint8_t)(1u << i % 8);
        ck_fails(check(record, SIZE, &err), KEDGE_ECORRUPT, err, "the thing");
        record[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    for (size_t size = 0; size < SIZE; size++)
        ck_fails(check(record, size, &err), KEDGE_ECORRUPT, err, "checksum");
}
END_TEST

START_TEST(a_whole_record_elsewhere_is_found)
{
    uint8_t record[SIZE];
    kedge_error err = {0};

    fill(record);
    ck_fails(record_check(record, SIZE, BODY, "TEST", 43, "it", &err),
             KEDGE_ECORRUPT, err, "another record");
    ck_fails(record_check(record, SIZE, BODY, "TEXT", 42, "it", &err),
             KEDGE_ECORRUPT, err, "another record");
    ck_fails(record_check(record, SIZE, BODY + 8, "TEST", 42, "it", &err),
             KEDGE_ECORRUPT, err, "40 bytes, not 48");
}
END_TEST

static void reseal(uint8_t record[SIZE])
{
    put_u64(record + SIZE - RECORD_SUM,
            hash_bytes(RECORD_SEED, record, SIZE - RECORD_SUM));
}

START_TEST(versions_and_reserved_bytes_are_refused)
{
    uint8_t record[SIZE];
    kedge_error err = {0};

    fill(record);
    record[4] = RECORD_VERSION + 1;
    reseal(record);
    ck_fails(check(record, SIZE, &err), KEDGE_EVERSION, err, "version 2");
    for (int i = 5; i < 8; i++) {
        fill(record);
        record[i] = 1;
        reseal(record);
        ck_fails(check(record, SIZE, &err), KEDGE_ECORRUPT, err, "reserved");
    }
}
END_TEST

START_TEST(fields_come_back)
{
    const uint64_t in[3] = {1, UINT64_MAX, 0x0102030405060708};
    uint64_t out[3];
    uint8_t bytes[24];

    record_put_fields(bytes, in, 3);
    record_get_fields(bytes, out, 3);
    ck_assert_mem_eq(in, out, sizeof in);
    ck_assert_uint_eq(bytes[16], 8);
}
END_TEST

/* The values in the format's description. */
START_TEST(hashes_are_those_of_the_format)
{
    ck_assert_uint_eq(hash_mix(1), 0x5692161d100b05e5);
    ck_assert_uint_eq(hash_bytes(0, "", 0), 0x568a9b0b1a2c05ec);
    ck_assert_uint_eq(hash_bytes(RECORD_SEED, "kedge", 5), 0xcf0e2c9b953691b1);
}
END_TEST

static kedge_status get_sealed(scene *t)
{
    const kv_key at = {DB_GONE, (const uint8_t *)"here", 4};
    record_found r;

    return record_get(t->txn, at, 6, "KTST", "it", &r, &t->err);
}

START_TEST(records_are_sealed_for_their_place)
{
    const kv_key at = {DB_GONE, (const uint8_t *)"here", 4};
    const kv_key other = {DB_GONE, (const uint8_t *)"there", 5};
    uint8_t record[RECORD_SIZE(6)] = {0};
    record_found r;
    scene t;

    scene_make(&t);
    scene_write(&t);
    ck_fails(get_sealed(&t), KEDGE_ENOTFOUND, t.err, "there is no it");
    memcpy(record + RECORD_HEAD, "abcdef", 6);
    ck_ok(record_put(t.txn, at, "KTST", record, sizeof record, &t.err), t.err);
    for (int any = 0; any < 2; any++) {
        ck_ok(
            record_get(t.txn, at, any ? SIZE_MAX : 6, "KTST", "it", &r, &t.err),
            t.err);
        ck_assert_uint_eq(r.size, 6);
        ck_assert_mem_eq(r.body, "abcdef", 6);
    }
    ck_fails(record_get(t.txn, at, 7, "KTST", "it", &r, &t.err), KEDGE_ECORRUPT,
             t.err, "it is damaged");
    ck_fails(record_get(t.txn, at, 6, "KXXX", "it", &r, &t.err), KEDGE_ECORRUPT,
             t.err, "another record");
    spoil_bits(&t, at, get_sealed, "it is damaged", false);
    spoil_cuts(&t, at, get_sealed, "it is damaged");
    ck_ok(kv_put(t.txn, other, record, sizeof record, &t.err), t.err);
    ck_fails(record_get(t.txn, other, 6, "KTST", "it", &r, &t.err),
             KEDGE_ECORRUPT, t.err, "another record");
    scene_end(&t);
}
END_TEST

UNIT_SUITE("record",
    a_sealed_record_is_whole,
    every_flipped_bit_and_cut_is_found,
    a_whole_record_elsewhere_is_found,
    versions_and_reserved_bytes_are_refused,
    fields_come_back,
    hashes_are_those_of_the_format,
    records_are_sealed_for_their_place)
