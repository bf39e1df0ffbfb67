/* SPDX-License-Identifier: MIT */
#include "ops/parts/parts.h"

#include <kedge/kedge.h>

#include <math.h>

#include "cooccur/statistic.h"
#include "store/scene.h"

#define WIDTH 5

/* An index of some words, by hand; a row is made of the word's bytes alone. */
typedef struct sheet {
    scene t;
    kedge_control c;
    words all;
    store_index v;
    uint32_t ids[1000];
    bool zero[1000]; /* by id: rows of zeros */
} sheet;

static void sheet_begin(sheet *s)
{
    *s = (sheet){0};
    scene_make(&s->t);
    kedge_control_init(&s->c);
    s->v = (store_index){.width = WIDTH, .rows = 2, .blocks = 1};
}

static void sheet_end(sheet *s)
{
    words_free(&s->all);
    scene_end(&s->t);
}

static void sheet_add(sheet *s, size_t number, bool zero)
{
    char word[16];
    const int n = snprintf(word, sizeof word, "%zu", number * 7919 % 1009);

    s->zero[s->all.count] = zero;
    ck_assert(words_add(&s->all, word, (size_t)n));
}

static void fill_row(const sheet *s, uint32_t id, int64_t row[1 + WIDTH])
{
    const uint64_t key = hash_bytes(3, words_get(&s->all, id),
                                    words_size(&s->all, id));

    for (size_t l = 0; l <= WIDTH; l++)
        row[l] = s->zero[id] ? 0 : (int64_t)hash_stream(key, l) >> 20;
    row[0] = s->zero[id]
                 ? 0 /* the sum */
                 : (INT64_C(1) << 44) + (int64_t)(hash_stream(key, 0) >> 30);
}

static bool is_held(const sheet *s, uint32_t id)
{
    if (!s->v.listed)
        return id < s->v.words;
    for (size_t i = 0; i < s->v.words; i++)
        if (s->ids[i] == id)
            return true;
    return false;
}

/* Rows of the words that the index holds, in the order of their bytes; and the
 * digest that they must have. */
static uint64_t put_rows(sheet *s, const uint32_t *order)
{
    row_writer to = {.width = WIDTH, .s = s->t.s, .txn = &s->t.txn,
                     .number = (uint32_t)s->v.rows};
    uint64_t digest = 0;
    int64_t *row;

    for (size_t k = 0; k < s->all.count; k++) {
        if (!is_held(s, order[k]))
            continue;
        ck_ok(row_writer_next(&to, &row, &s->t.err), s->t.err);
        fill_row(s, order[k], row);
        if (s->zero[order[k]])
            continue;
        digest = hash_bytes(digest, words_get(&s->all, order[k]),
                            words_size(&s->all, order[k]));
        digest = hash_bytes(digest, row, (1 + WIDTH) * sizeof *row);
    }
    ck_ok(row_writer_end(&to, &s->t.err), s->t.err);
    ck_assert_uint_eq(to.chunks, (s->v.words + STORE_CHUNK_ROWS - 1) /
                                     STORE_CHUNK_ROWS);
    row_writer_free(&to);
    return digest;
}

/* One by one, from there on. */
static void check_rows(sheet *s, const uint32_t *order, size_t from)
{
    row_reader r = {.rows = s->v.words, .width = WIDTH, .txn = &s->t.txn,
                    .number = (uint32_t)s->v.rows};
    int64_t expected[1 + WIDTH], *row;
    size_t at = 0;

    scene_read(&s->t);
    for (size_t k = 0; k < s->all.count; k++) {
        if (!is_held(s, order[k]) || at++ < from)
            continue;
        ck_ok(at == from + 1 ? row_reader_get(&r, from, &row, &s->t.err)
                             : row_reader_next(&r, &row, &s->t.err),
              s->t.err);
        fill_row(s, order[k], expected);
        ck_assert_mem_eq(row, expected, sizeof expected);
        ck_assert_uint_eq(r.at, at);
    }
    ck_assert_uint_eq(at, s->v.words);
    row_reader_free(&r);
    store_abort(&s->t.txn);
}

static kedge_status make(sheet *s, uint64_t *digest)
{
    kedge_status st = KEDGE_ENOMEM;
    size_t twin;
    uint32_t *const order = words_order(&s->all, &twin);

    scene_read(&s->t);
    if (order != NULL)
        st = rows_digest(s->t.txn, &s->all, order, 1, &s->v, &s->c, digest,
                         &s->t.err);
    store_abort(&s->t.txn);
    mem_free(order);
    return st;
}

/* Everything into the store, and the digest. */
static uint64_t settle(sheet *s)
{
    uint64_t expected, digest;
    size_t twin;
    uint32_t *const order = words_order(&s->all, &twin);

    ck_assert_ptr_nonnull(order);
    scene_write(&s->t);
    ck_ok(store_put_totals(s->t.txn, &(store_totals){.words = s->all.count},
                           &s->t.err),
          s->t.err);
    ck_ok(store_put_words(s->t.txn, &s->all, 0, &s->t.err), s->t.err);
    if (s->v.listed)
        ck_ok(store_put_list(s->t.txn, 1, s->ids, s->v.words, &s->t.err),
              s->t.err);
    expected = put_rows(s, order);
    scene_commit(&s->t);
    for (size_t from = 0; from < s->v.words; from += 200)
        check_rows(s, order, from);
    mem_free(order);
    ck_ok(make(s, &digest), s->t.err);
    ck_assert_uint_eq(digest, expected);
    return digest;
}

/* An index of so many words, all of them. */
static void sheet_fill(sheet *s, size_t count)
{
    sheet_begin(s);
    for (size_t w = 0; w < count; w++)
        sheet_add(s, w, false);
    s->v.words = count;
}

TEST(rows_of_all_words)
{
    static const size_t count[] = {0, 1, 255, 256, 257, 600};

    for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
        OWN(sheet_end) sheet s;

        sheet_fill(&s, count[i]);
        settle(&s);
    }
}

/* The same words and rows under other ids, with others that are not held or
 * have come to nothing. */
TEST(other_words_leave_no_trace)
{
    OWN(sheet_end) sheet s, plain;

    sheet_fill(&plain, 400);
    sheet_begin(&s);
    s.v.listed = true;
    for (size_t w = 700; w-- > 0;) {
        if (w < 400 || w % 3 == 0)
            s.ids[s.v.words++] = (uint32_t)s.all.count;
        sheet_add(&s, w, w >= 400);
    }
    ck_assert_uint_gt(s.v.words, 400);
    ck_assert_uint_eq(settle(&plain), settle(&s));
}

/* Later words have no rows yet. */
TEST(a_vocabulary_that_grew)
{
    OWN(sheet_end) sheet s;

    sheet_fill(&s, 300);
    s.v.words = 100;
    ck_assert_uint_ne(settle(&s), 0);
}

TEST(an_index_without_a_sketch)
{
    uint64_t digest = 7;
    OWN(sheet_end) sheet s;

    sheet_fill(&s, 1);
    s.v.blocks = 0;
    ck_ok(make(&s, &digest), s.t.err);
    ck_assert_uint_eq(digest, 0);
    s.v.blocks = 1;
    ck_assert_int_eq(make(&s, &digest), KEDGE_ENOTFOUND);
    s.v.words = 2;
    ck_fails(make(&s, &digest), KEDGE_ECORRUPT, s.t.err, "2 rows for 1 words");
}

TEST(missing_rows_are_an_error)
{
    uint64_t digest;
    OWN(sheet_end) sheet s;

    sheet_fill(&s, STORE_CHUNK_ROWS);
    settle(&s);
    sheet_add(&s, STORE_CHUNK_ROWS, false);
    s.v.words++;
    ck_fails(make(&s, &digest), KEDGE_ENOTFOUND, s.t.err, "sketch chunk 1");
}

TEST(sums_stay_in_64_bits)
{
    const int64_t row[] = {INT64_C(1) << 61, -7};
    int64_t to[] = {(INT64_C(1) << 61) - 1, INT64_MAX};
    kedge_error err = {0};

    ck_ok(row_add(to, row, 1, &err), err);
    ck_assert(to[0] == (INT64_C(1) << 62) - 1 && to[1] == INT64_MAX - 7);
    ck_fails(row_add(to, row, 1, &err), KEDGE_ENUMERIC, err, "64-bit sums");
    ck_fails(row_add(to, (int64_t[]){-1, 0}, 1, &err), KEDGE_ENUMERIC, err,
             "64-bit sums");
}

/* Of a damped index; a joint one has none. */
TEST(rows_add_up_to_the_total)
{
    uint64_t digest;
    double total = 0;
    OWN(sheet_end) sheet s;

    sheet_begin(&s);
    for (size_t i = 0; i < 300; i++)
        sheet_add(&s, i, i % 7 == 0);
    s.v.words = s.all.count;
    settle(&s);
    for (uint32_t id = 0; id < s.all.count; id++) {
        int64_t row[1 + WIDTH];
        fill_row(&s, id, row);
        total += (double)row[0];
    }
    s.v.statistic = STATISTIC_LOG;
    s.v.total = total;
    ck_ok(make(&s, &digest), s.t.err);
    s.v.total = nextafter(total, INFINITY);
    ck_fails(make(&s, &digest), KEDGE_ECORRUPT, s.t.err, "sum to");
}

TEST(no_memory_is_an_error)
{
    uint64_t digest, expected;
    OWN(sheet_end) sheet s;

    sheet_fill(&s, 300);
    s.v.listed = true;
    for (uint32_t w = 0; w < 300; w++)
        s.ids[w] = w;
    expected = settle(&s);
    scene_starve(make(&s, &digest), s.t.err);
    ck_assert_uint_eq(digest, expected);
}
