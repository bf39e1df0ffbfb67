/* SPDX-License-Identifier: MIT */
#include "store/ledger.h"

#include <lmdb.h>

#include "store/record.h"
#include "store/spoil.h"

static const uint8_t format_key = META_FORMAT, totals_key = META_TOTALS;

START_TEST(totals_come_back)
{
    const store_totals in = {1, 2, 3, 4, 5, 6, 7, {UINT64_MAX, 9}, 10, 11,
                             12, 13};
    store_totals out;
    scene t;

    scene_make(&t);
    scene_write(&t);
    ck_ok(ledger_get_totals(t.txn, &out, &t.err), t.err);
    ck_assert_mem_eq(&out, &(store_totals){0}, sizeof out);
    ck_ok(store_put_totals(t.txn, &in, &t.err), t.err);
    scene_commit(&t);
    scene_reopen(&t, KEDGE_OPEN_READ);
    scene_read(&t);
    ck_ok(ledger_get_totals(t.txn, &out, &t.err), t.err);
    ck_assert_mem_eq(&in, &out, sizeof in);
    scene_end(&t);
}
END_TEST

/* An older kedge would take documents that are elsewhere for its own. */
START_TEST(totals_with_parts_are_of_another_version)
{
    const kv_key key = {DB_META, &totals_key, 1};
    const uint8_t *bytes;
    store_totals out;
    size_t size;
    scene t;

    scene_make(&t);
    scene_write(&t);
    for (uint64_t parts = 0; parts < 3; parts++) {
        ck_ok(store_put_totals(t.txn, &(store_totals){.parts = parts}, &t.err),
              t.err);
        ck_ok(kv_get(t.txn, key, "it", &bytes, &size, &t.err), t.err);
        ck_assert_uint_eq(bytes[4], parts > 0 ? 2 : 1);
        ck_ok(ledger_get_totals(t.txn, &out, &t.err), t.err);
        ck_assert_uint_eq(out.parts, parts);
    }
    scene_end(&t);
}
END_TEST

static store_source sample(uint64_t i)
{
    store_source r = {
        .words = i, .position = i + 1, .documents = i + 2, .tokens = i + 3,
        .nonzeros = i + 4, .bad = i + 5, .empty = i + 6, .digest = ~i,
        .complete = i % 2 == 0, .when = i + 8, .head = i << 40,
        .removed = i % 3 == 0, .removed_documents = i + 9,
        .removed_tokens = i + 10, .removed_nonzeros = i + 11,
    };

    memset(r.name, 'a' + (int)i % 26, (size_t)(i * 51 % 256));
    memset(r.batch, 'z' - (int)i % 26, (size_t)(i * 31 % 64));
    return r;
}

START_TEST(sources_come_back)
{
    store_source in, out;
    scene t;

    scene_make(&t);
    scene_write(&t);
    for (uint64_t i = 0; i < 30; i++) {
        in = sample(i);
        ck_ok(store_put_source(t.txn, i, &in, &t.err), t.err);
    }
    for (uint64_t i = 0; i < 30; i++) {
        in = sample(i);
        ck_ok(store_get_source_record(t.txn, i, &out, &t.err), t.err);
        ck_assert_str_eq(in.name, out.name);
        ck_assert_str_eq(in.batch, out.batch);
        ck_assert(in.words == out.words && in.position == out.position &&
                  in.documents == out.documents && in.tokens == out.tokens &&
                  in.nonzeros == out.nonzeros && in.bad == out.bad &&
                  in.empty == out.empty && in.digest == out.digest &&
                  in.complete == out.complete && in.when == out.when &&
                  in.head == out.head && in.removed == out.removed &&
                  in.removed_documents == out.removed_documents &&
                  in.removed_tokens == out.removed_tokens &&
                  in.removed_nonzeros == out.removed_nonzeros);
    }
    ck_fails(store_get_source_record(t.txn, 30, &out, &t.err), KEDGE_ENOTFOUND,
             t.err, "source 30");
    scene_end(&t);
}
END_TEST

START_TEST(a_name_without_end_is_cut)
{
    store_source in = {0}, out;
    scene t;

    memset(in.name, 'x', sizeof in.name);
    memset(in.batch, 'y', sizeof in.batch);
    scene_make(&t);
    scene_write(&t);
    ck_ok(store_put_source(t.txn, 0, &in, &t.err), t.err);
    ck_ok(store_get_source_record(t.txn, 0, &out, &t.err), t.err);
    ck_assert_uint_eq(strlen(out.name), sizeof in.name - 1);
    ck_assert_uint_eq(strlen(out.batch), sizeof in.batch - 1);
    scene_end(&t);
}
END_TEST

static kedge_status get_totals(scene *t)
{
    store_totals out;

    return ledger_get_totals(t->txn, &out, &t->err);
}

static kedge_status get_source(scene *t)
{
    store_source out;

    return store_get_source_record(t->txn, 0, &out, &t->err);
}

static kedge_status get_format(scene *t)
{
    return ledger_check_format(t->txn, &t->err);
}

static void spoil(scene *t, kv_key at, spoil_getter get)
{
    spoil_bits(t, at, get, "damaged", false);
    spoil_cuts(t, at, get, "damaged");
}

START_TEST(every_flipped_bit_and_cut_is_found)
{
    const uint8_t source_key[8] = {0};
    const store_source in = sample(4);
    scene t;

    scene_make(&t);
    scene_write(&t);
    ck_ok(store_put_source(t.txn, 0, &in, &t.err), t.err);
    spoil(&t, (kv_key){DB_META, &totals_key, 1}, get_totals);
    spoil(&t, (kv_key){DB_META, &format_key, 1}, get_format);
    spoil(&t, (kv_key){DB_SOURCES, source_key, 8}, get_source);
    scene_end(&t);
}
END_TEST

START_TEST(swapped_records_are_found)
{
    const store_source a = sample(0), b = sample(2);
    const uint8_t first[8] = {0}, second[8] = {[7] = 1};
    const uint8_t *bytes;
    uint8_t copy[768];
    size_t size;
    scene t;

    scene_make(&t);
    scene_write(&t);
    ck_ok(store_put_source(t.txn, 0, &a, &t.err), t.err);
    ck_ok(store_put_source(t.txn, 1, &b, &t.err), t.err);
    ck_ok(kv_get(t.txn, (kv_key){DB_SOURCES, second, 8}, "it", &bytes, &size,
                 &t.err),
          t.err);
    memcpy(copy, bytes, size);
    ck_ok(kv_put(t.txn, (kv_key){DB_SOURCES, first, 8}, copy, size, &t.err),
          t.err);
    ck_fails(get_source(&t), KEDGE_ECORRUPT, t.err, "another record");
    scene_end(&t);
}
END_TEST

START_TEST(a_newer_format_is_told)
{
    uint8_t record[RECORD_SIZE(16)] = {0};
    const kv_key at = {DB_META, &format_key, 1};
    scene t;

    scene_make(&t);
    scene_write(&t);
    put_u64(record + RECORD_HEAD, STORE_FORMAT + 1);
    record_seal(record, sizeof record, "KEDG", kv_place(at));
    ck_ok(kv_put(t.txn, at, record, sizeof record, &t.err), t.err);
    scene_commit(&t);
    scene_close(&t);
    for (unsigned mode = KEDGE_OPEN_READ; mode <= KEDGE_OPEN_CREATE; mode++) {
        ck_fails(kedge_store_open(t.path, mode, &t.s, &t.err), KEDGE_EVERSION,
                 t.err, "format 6, this program reads 5");
        ck_assert_ptr_null(t.s);
    }
    scene_end(&t);
}
END_TEST

/* One of version 1 has not even all databases. */
START_TEST(an_older_format_is_told)
{
    uint8_t record[RECORD_SIZE(16)] = {0};
    const char *const newer[] = {"ids", "gone", "removals", "lists",
                                 "orders", "joins"};
    const kv_key at = {DB_META, &format_key, 1};
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi dbi;
    scene t;

    scene_make(&t);
    scene_write(&t);
    put_u64(record + RECORD_HEAD, 1);
    record_seal(record, sizeof record, "KEDG", kv_place(at));
    ck_ok(kv_put(t.txn, at, record, sizeof record, &t.err), t.err);
    scene_commit(&t);
    scene_close(&t);
    ck_assert_int_eq(mdb_env_create(&env), 0);
    ck_assert_int_eq(mdb_env_set_maxdbs(env, 6), 0);
    ck_assert_int_eq(mdb_env_open(env, t.path, 0, 0666), 0);
    ck_assert_int_eq(mdb_txn_begin(env, NULL, 0, &txn), 0);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(mdb_dbi_open(txn, newer[i], 0, &dbi), 0);
        ck_assert_int_eq(mdb_drop(txn, dbi, 1), 0);
    }
    ck_assert_int_eq(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
    for (unsigned mode = KEDGE_OPEN_READ; mode <= KEDGE_OPEN_CREATE; mode++)
        ck_fails(kedge_store_open(t.path, mode, &t.s, &t.err), KEDGE_EVERSION,
                 t.err, "format 1, this program reads 5");
    scene_end(&t);
}
END_TEST

START_TEST(a_store_without_its_format_is_damaged)
{
    scene t;

    scene_make(&t);
    scene_write(&t);
    ck_ok(kv_drop(t.txn, (kv_key){DB_META, &format_key, 1}, &t.err), t.err);
    ck_fails(get_format(&t), KEDGE_ECORRUPT, t.err, "is gone");
    scene_end(&t);
}
END_TEST

UNIT_SUITE("ledger",
    totals_come_back,
    totals_with_parts_are_of_another_version,
    sources_come_back,
    a_name_without_end_is_cut,
    every_flipped_bit_and_cut_is_found,
    swapped_records_are_found,
    a_newer_format_is_told,
    an_older_format_is_told,
    a_store_without_its_format_is_damaged)
