/* SPDX-License-Identifier: MIT */
#include <lmdb.h>

#include "store/spoil.h"

static const uint8_t format_key = META_FORMAT;
static const kv_key format_at = {DB_META, &format_key, 1};

TEST(totals_and_sources_come_back)
{
    const store_totals in = {1, 2, 3, 4, 5, 6, 7, {UINT64_MAX, 9}, 10, 11,
                             12, 13};
    const store_source source = {.name = "a file", .batch = "b", .tokens = 9,
                                 .complete = true, .removed_nonzeros = 8};
    store_source found;
    store_totals out;
    OWN(scene_drop) scene *const t = scene_writing();

    OK(ledger_get_totals(t->txn, &out, &t->err));
    ck_assert_mem_eq(&out, &(store_totals){0}, sizeof out);
    OK(store_put_totals(t->txn, &in, &t->err));
    OK(store_put_source(t->txn, 5, &source, &t->err));
    scene_commit(t);
    scene_reopen(t, KEDGE_OPEN_READ);
    scene_read(t);
    OK(ledger_get_totals(t->txn, &out, &t->err));
    ck_assert_mem_eq(&in, &out, sizeof in);
    FAILS(store_get_totals(t->txn, &out, &t->err), KEDGE_ECORRUPT,
          "(4 words of 13 bytes, 6 sources, 12 parts, which are not "
          "there)");
    OK(store_get_source_record(t->txn, 5, &found, &t->err));
    ck_assert(found.tokens == 9 && found.complete && !found.removed &&
              found.removed_nonzeros == 8);
    ck_assert_str_eq(found.name, "a file");
    ck_assert_str_eq(found.batch, "b");
    FAILS(store_get_source_record(t->txn, 30, &found, &t->err), KEDGE_ENOTFOUND,
          "source 30");
}

TEST(parts_come_back_and_add_up)
{
    const store_totals totals = {.parts = 5};
    store_part out;
    OWN(scene_drop) scene *const t = scene_writing();

    for (uint64_t i = 0; i < 5; i++) {
        const store_part in = {.name = "part", .digest = {UINT64_MAX - i, i},
                               .documents = i + 1, .tokens = i + 2,
                               .nonzeros = i + 3, .when = i + 4};
        OK(store_put_part(t->txn, i, &in, &t->err));
        OK(store_get_part(t->txn, i, &out, &t->err));
        ck_assert_mem_eq(&in, &out, sizeof in);
    }
    FAILS(store_get_part(t->txn, 5, &out, &t->err), KEDGE_ENOTFOUND,
          "there is no part 5");
    OK(store_sum_parts(t->txn, &totals, &out, &t->err));
    ck_assert(out.documents == 15 && out.tokens == 20 && out.nonzeros == 25);
    ck_assert_uint_eq(out.digest[0], (uint64_t)-15); /* modulo 2^64 */
    ck_assert_uint_eq(out.digest[1], 10);
    OK(store_sum_parts(t->txn, &(store_totals){0}, &out, &t->err));
    ck_assert_uint_eq(out.documents, 0);
    OK(store_put_totals(t->txn, &totals, &t->err));
    OK(store_drop_parts(t->txn, &t->err));
    ck_assert_int_eq(store_get_part(t->txn, 0, &out, &t->err), KEDGE_ENOTFOUND);
}

/* ---- settings ------------------------------------------------------------ */

TEST(settings_come_back_with_their_words)
{
    const store_settings in = {.texts = true, .digits = true, .shortest = 2,
                               .longest = 40, .no_first_index = true,
                               .stemmer = "porter", .stopwords = "english",
                               .text_field = "body", .encoding = "latin1"};
    OWN(scene_drop) scene *const t = scene_new();

    for (size_t count = 0; count < 60; count = 3 * count + 1) {
        words stop = {0}, found = {0};
        store_settings out;
        for (size_t i = 0; i < count; i++)
            ck_assert(words_add(&stop, "the words of a list", 1 + i % 19));
        scene_write(t);
        scene_starve(
            store_put_settings(t->txn, &in, count > 0 ? &stop : NULL, &t->err),
            t->err);
        scene_commit(t);
        scene_read(t);
        OK(store_get_settings(t->txn, &out, NULL, &t->err));
        scene_starve((words_free(&found),
                      store_get_settings(t->txn, &out, &found, &t->err)),
                     t->err);
        store_abort(&t->txn);
        ck_assert(out.texts && out.digits && out.shortest == 2 &&
                  out.longest == 40 && out.no_first_index &&
                  out.stop_count == count);
        ck_assert_str_eq(out.stemmer, "porter");
        ck_assert_str_eq(out.encoding, "latin1");
        ck_assert_uint_eq(found.count, count);
        for (size_t i = 0; i < count; i++)
            ck_assert_str_eq(words_get(&stop, i), words_get(&found, i));
        words_free(&stop);
        words_free(&found);
    }
}

TEST(a_store_without_settings_has_zeros)
{
    store_settings out = {.shortest = 9};
    words stop = {0};
    OWN(scene_drop) scene *const t = scene_new();

    scene_read(t);
    OK(store_get_settings(t->txn, &out, &stop, &t->err));
    ck_assert(!out.texts && !out.no_first_index && out.shortest == 0);
    ck_assert_uint_eq(stop.count, 0);
    store_abort(&t->txn);
    FAILS(store_get_settings(t->txn, &out, &stop, &t->err), KEDGE_EMISUSE,
          "no transaction");
}

TEST(words_that_nobody_writes_are_refused)
{
    static const struct {
        uint64_t count;
        const char *tail;
        size_t size;
    } bad[] = {{2, "a\0\0", 3}, {1, "a\0b\0", 4}, {3, "a\0b\0", 4},
               {2, "a\0b", 3},  {1, "\0", 1},     {1, "", 0}};
    const uint8_t key = META_SETTINGS;
    store_settings s = {.stop_count = 2}, out;
    OWN(scene_drop) scene *const t = scene_writing();

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        s.stop_count = bad[i].count;
        OK(record_put(t->txn, (kv_key){DB_META, &key, 1}, &schemas[KSET], &s,
                      span_of(bad[i].tail, bad[i].size), &t->err));
        FAILS(store_get_settings(t->txn, &out, NULL, &t->err), KEDGE_ECORRUPT,
              "words");
    }
}

/* ---- the format ---------------------------------------------------------- */

static void refuse(scene *t, const char *part)
{
    for (unsigned mode = KEDGE_OPEN_READ; mode <= KEDGE_OPEN_CREATE; mode++) {
        FAILS(kedge_store_open(t->path, mode, &t->s, &t->err), KEDGE_EVERSION,
              part);
        ck_assert_ptr_nonnull(strstr(t->err.text, "kedge ingest"));
        ck_assert_ptr_null(t->s);
    }
}

/* Whatever the size of its record. */
TEST(another_format_is_told)
{
    static const size_t sizes[] = {8, 16, 24, 300};
    uint8_t record[RECORD_SIZE(300)] = {0};
    char part[80];

    for (uint64_t format = 1; format < 10; format++) {
        const size_t size = RECORD_SIZE(sizes[format % 4]);
        OWN(scene_drop) scene *const t = scene_new();
        if (format == STORE_FORMAT)
            continue;
        scene_write(t);
        put_u64(record + RECORD_HEAD, format);
        record_seal(record, size, "KEDG", kv_place(format_at));
        OK(kv_put(t->txn, format_at, record, size, &t->err));
        scene_commit(t);
        scene_close(t);
        snprintf(part, sizeof part, "format %d, this program reads %d",
                 (int)format, STORE_FORMAT);
        refuse(t, part);
    }
}

/* One of version 5 has smaller records of settings, indexes, removals, and not
 * all databases. */
TEST(a_store_of_format_5_is_no_damage)
{
    static const char *const newer[] = {"kept", "spectra", "spectrum_values",
                                        "parts", "part_counts"};
    static const uint8_t keys[] = {META_TOTALS, META_SETTINGS};
    uint8_t record[RECORD_SIZE(16)] = {0};
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi dbi;
    OWN(scene_drop) scene *const t = scene_writing();

    put_u64(record + RECORD_HEAD, 5);
    record_seal(record, sizeof record, "KEDG", kv_place(format_at));
    OK(kv_put(t->txn, format_at, record, sizeof record, &t->err));
    for (size_t i = 0; i < 2; i++) /* of any size and tag */
        OK(kv_put(t->txn, (kv_key){DB_META, keys + i, 1}, record, 20 * i + 1,
                  &t->err));
    scene_commit(t);
    scene_close(t);
    ck_assert_int_eq(mdb_env_create(&env), 0);
    ck_assert_int_eq(mdb_env_set_maxdbs(env, 5), 0);
    ck_assert_int_eq(mdb_env_open(env, t->path, 0, 0666), 0);
    ck_assert_int_eq(mdb_txn_begin(env, NULL, 0, &txn), 0);
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(mdb_dbi_open(txn, newer[i], 0, &dbi), 0);
        ck_assert_int_eq(mdb_drop(txn, dbi, 1), 0);
    }
    ck_assert_int_eq(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
    refuse(t, "format 5, this program reads 7");
}

TEST(a_store_without_its_format_is_damaged)
{
    OWN(scene_drop) scene *const t = scene_writing();

    OK(kv_drop(t->txn, format_at, &t->err));
    FAILS(ledger_check_format(t->txn, &t->err), KEDGE_ECORRUPT, "is gone");
}
