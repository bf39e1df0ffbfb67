/* SPDX-License-Identifier: MIT */
#include "store/record.h"
#include "store/spoil.h"

static const uint8_t settings_key = META_SETTINGS;

/* Fields and words by chance; odd seeds have no words. */
static store_settings sample(uint64_t seed, words *stop)
{
    store_settings t = {
        .texts = seed % 2 == 0, .digits = seed % 3 == 0,
        .shortest = scene_random(seed, 0, 256),
        .longest = scene_any(seed, 1, 64), .no_first_view = seed % 5 == 0,
        .stop_count = seed % 2 == 1 ? 0 : scene_random(seed, 2, 40),
    };
    char word[40];

    memset(t.stemmer, 'a' + (int)seed % 26, seed * 7 % sizeof t.stemmer);
    memset(t.stopwords, 'z' - (int)seed % 26, seed * 11 % sizeof t.stopwords);
    for (uint64_t i = 0; i < t.stop_count; i++) {
        memset(word, 'a' + (int)i % 26, sizeof word);
        ck_assert(words_add(stop, word,
                            1 + scene_random(seed, 3 + i, sizeof word)));
    }
    return t;
}

static void check_same(const store_settings *a, const words *u,
                       const store_settings *b, const words *v)
{
    ck_assert(a->texts == b->texts && a->digits == b->digits &&
              a->shortest == b->shortest && a->longest == b->longest &&
              a->stop_count == b->stop_count &&
              a->no_first_view == b->no_first_view);
    ck_assert_str_eq(a->stemmer, b->stemmer);
    ck_assert_str_eq(a->stopwords, b->stopwords);
    ck_assert_uint_eq(u->count, v->count);
    for (size_t i = 0; i < u->count; i++)
        ck_assert_str_eq(words_get(u, i), words_get(v, i));
}

START_TEST(settings_come_back)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        words stop = {0}, found = {0};
        store_settings out;
        const store_settings in = sample(seed, &stop);
        scene t;
        scene_make(&t);
        scene_write(&t);
        ck_ok(store_put_settings(t.txn, &in, &stop, &t.err), t.err);
        scene_commit(&t);
        scene_reopen(&t, KEDGE_OPEN_READ);
        scene_read(&t);
        ck_ok(store_get_settings(t.txn, &out, NULL, &t.err), t.err);
        ck_ok(store_get_settings(t.txn, &out, &found, &t.err), t.err);
        check_same(&in, &stop, &out, &found);
        words_free(&stop);
        words_free(&found);
        scene_end(&t);
    }
}
END_TEST

START_TEST(a_store_without_them_has_zeros)
{
    store_settings out = {.shortest = 9};
    words stop = {0};
    scene t;

    scene_make(&t);
    scene_read(&t);
    ck_ok(store_get_settings(t.txn, &out, &stop, &t.err), t.err);
    ck_assert(!out.texts && !out.no_first_view && out.shortest == 0);
    ck_assert_uint_eq(stop.count, 0);
    store_abort(&t.txn);
    ck_fails(store_get_settings(t.txn, &out, &stop, &t.err), KEDGE_EMISUSE,
             t.err, "no transaction");
    scene_end(&t);
}
END_TEST

static kedge_status get(scene *t)
{
    store_settings out;

    return store_get_settings(t->txn, &out, NULL, &t->err);
}

START_TEST(every_flipped_bit_and_cut_is_found)
{
    const kv_key at = {DB_META, &settings_key, 1};
    words stop = {0};
    scene t;

    scene_make(&t);
    scene_write(&t);
    const store_settings in = sample(4, &stop);
    ck_ok(store_put_settings(t.txn, &in, &stop, &t.err), t.err);
    spoil_bits(&t, at, get, "damaged", false);
    spoil_cuts(&t, at, get, "damaged");
    words_free(&stop);
    scene_end(&t);
}
END_TEST

/* Bodies with a right checksum that no writer makes. */
START_TEST(what_nobody_writes_is_refused)
{
    static const struct {
        size_t at;
        uint8_t value;
        const char *of;
    } table[] = {
        {0, 2, "fields"}, {8, 2, "fields"}, {16, 2, "fields"},
        {40, 3, "words"}, {40, 1, "words"}, {48, 5, "fields"},
        {56, 1, "reserved"}, {127, 1, "reserved"}, {832, 0, "words"},
        {834, 'x', "words"}, {835, 'x', "words"},
    };
    const kv_key at = {DB_META, &settings_key, 1};
    uint8_t record[RECORD_SIZE(832 + 4)];
    const uint8_t *bytes;
    words stop = {0};
    size_t size;
    scene t;

    scene_make(&t);
    scene_write(&t);
    ck_assert(words_add(&stop, "a", 1) && words_add(&stop, "b", 1));
    ck_ok(store_put_settings(t.txn, &(store_settings){.texts = true}, &stop,
                             &t.err),
          t.err);
    ck_ok(kv_get(t.txn, at, "it", &bytes, &size, &t.err), t.err);
    ck_assert_uint_eq(size, sizeof record);
    memcpy(record, bytes, size);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint8_t bad[sizeof record];
        memcpy(bad, record, size);
        bad[RECORD_HEAD + table[i].at] = table[i].value;
        if (table[i].at == 834) /* one word of three bytes, not two */
            bad[RECORD_HEAD + 833] = 'x';
        record_seal(bad, size, "KSET", kv_place(at));
        ck_ok(kv_put(t.txn, at, bad, size, &t.err), t.err);
        ck_fails(get(&t), KEDGE_ECORRUPT, t.err, table[i].of);
    }
    words_free(&stop);
    scene_end(&t);
}
END_TEST

START_TEST(settings_without_memory)
{
    words stop = {0}, found = {0};
    store_settings out;
    scene t;

    scene_make(&t);
    scene_write(&t);
    const store_settings in = sample(2, &stop);
    scene_starve(store_put_settings(t.txn, &in, &stop, &t.err), t.err);
    scene_starve(
        (words_free(&found), store_get_settings(t.txn, &out, &found, &t.err)),
        t.err);
    check_same(&in, &stop, &out, &found);
    words_free(&stop);
    words_free(&found);
    scene_end(&t);
}
END_TEST

UNIT_SUITE("settings",
    settings_come_back,
    a_store_without_them_has_zeros,
    every_flipped_bit_and_cut_is_found,
    what_nobody_writes_is_refused,
    settings_without_memory)
