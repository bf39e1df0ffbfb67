/* SPDX-License-Identifier: MIT */
#include "ops/fit/fit.h"

#include "ops/planted.h"
#include "cooccur/corpus.h"

#define WORDS 600 /* three chunks, the last one short */
#define WIDTH 70
#define SEED 5

/* The planted documents with their words pulled apart: word i is line 4 i. */
static void begin(planted *p)
{
    planted_begin(p, PLANTED_DOCUMENTS);
    p->o.width = WIDTH;
    p->o.seed = SEED;
    for (size_t k = 0; k < docs_entries(&p->d); k++)
        p->d.word[k] *= 4;
    FILE *f = planted_file(p->vocabulary);
    for (unsigned i = 0; i < WORDS; i++)
        fprintf(f, "%u-%u\n", i * 7919 % 1000, i);
    ck_assert_int_eq(fclose(f), 0);
    f = planted_file(p->source);
    fprintf(f, "%zu\n%d\n%zu\n", p->d.count, WORDS, docs_entries(&p->d));
    for (size_t m = 0; m < p->d.count; m++)
        for (size_t k = p->d.start[m]; k < p->d.start[m + 1]; k++)
            fprintf(f, "%zu %u %u\n", m + 1, p->d.word[k] + 1,
                    p->d.tally[k]);
    ck_assert_int_eq(fclose(f), 0);
    planted_fill(p);
}

typedef struct look {
    words w;
    uint32_t *order;
    store_view view;
    sketchrows r;
} look;

static const kedge_control two_threads = {.threads = 2};

/* Leaves the read transaction open. */
static void look_begin(look *l, planted *p)
{
    size_t twin;

    *l = (look){0};
    scene_read(&p->t);
    ck_ok(store_get_words(p->t.txn, &l->w, &p->t.err), p->t.err);
    ck_ok(store_get_view_record(p->t.txn, 0, &l->view, &p->t.err), p->t.err);
    l->order = words_order(&l->w, &twin);
    ck_assert_ptr_nonnull(l->order);
    ck_ok(sketchrows_create(&l->r, &l->view, &l->w, l->order, &two_threads,
                            &p->t.err),
          p->t.err);
    l->r.txn = p->t.txn;
}

static void look_end(look *l, planted *p)
{
    store_abort(&p->t.txn);
    sketchrows_free(&l->r);
    mem_free(l->order);
    words_free(&l->w);
}

static void check_row(const look *l, const corpus_sketch *z, size_t rank,
                      const double *got)
{
    const uint32_t id = l->order[rank];
    const int64_t *const row = z->z + id * (1 + WIDTH);
    const double one = ldexp(1 / (double)l->view.documents, -40);

    if (l->r.sums[rank] != one * (double)row[0])
        ck_abort_msg("the sum of row %zu", rank);
    for (size_t c = 0; c < WIDTH; c++)
        if (got[c] != one * (double)row[1 + c])
            ck_abort_msg("row %zu, column %zu", rank, c);
}

TEST(rows_are_the_integers_scaled_in_the_order_of_words)
{
    OWN(planted_end) planted p;
    look l;
    corpus_sketch z;
    double *const got = calloc(STORE_CHUNK_ROWS * WIDTH, sizeof *got);

    begin(&p);
    look_begin(&l, &p);
    corpus_begin(&z, &l.w, SEED, WIDTH);
    corpus_add(&z, &p.d, 5);
    ck_assert_uint_eq(l.r.rows.rows, WORDS);
    ck_assert_uint_eq(l.r.rows.width, WIDTH);
    for (size_t from = 0; from < WORDS; from += STORE_CHUNK_ROWS) {
        const size_t left = WORDS - from, count = left < 256 ? left : 256;
        ck_ok(l.r.rows.read(l.r.rows.data, from, count, from > 0, got,
                            &p.t.err), p.t.err);
        for (size_t i = 0; i < count; i++)
            check_row(&l, &z, from + i, got + i * WIDTH);
    }
    corpus_end(&z);
    look_end(&l, &p);
    free(got);
}

/* Two of three, out of all chunks, with the last. */
TEST(some_rows_are_those_of_their_places)
{
    OWN(planted_end) planted p;
    look l, all;
    uint32_t place[WORDS];
    size_t count = 0;
    double *const got = calloc(STORE_CHUNK_ROWS * WIDTH, sizeof *got);
    double *const whole = calloc(WORDS * WIDTH, sizeof *whole);

    begin(&p);
    look_begin(&all, &p);
    for (size_t from = 0; from < WORDS; from += STORE_CHUNK_ROWS)
        ck_ok(all.r.rows.read(all.r.rows.data, from,
                              WORDS - from < 256 ? WORDS - from : 256, 0,
                              whole + from * WIDTH, &p.t.err), p.t.err);
    for (uint32_t i = 0; i < WORDS; i++)
        if (i % 3 != 1)
            place[count++] = i;
    l = all;
    l.view.words = count;
    ck_ok(
        sketchrows_create(&l.r, &l.view, &l.w, l.order, &two_threads, &p.t.err),
        p.t.err);
    l.r.txn = p.t.txn;
    ck_ok(sketchrows_pick(&l.r, place, WORDS, &p.t.err), p.t.err);
    for (size_t from = 0; from < count; from += STORE_CHUNK_ROWS) {
        const size_t left = count - from, n = left < 256 ? left : 256;
        ck_ok(l.r.rows.read(l.r.rows.data, from, n, from > 0, got,
                            &p.t.err), p.t.err);
        for (size_t i = 0; i < n; i++) {
            const size_t at = place[from + i];
            ck_assert_int_eq(memcmp(got + i * WIDTH, whole + at * WIDTH,
                                    WIDTH * sizeof *got), 0);
            ck_assert(l.r.sums[from + i] == all.r.sums[at]);
        }
    }
    sketchrows_free(&l.r);
    look_end(&all, &p);
    free(whole);
    free(got);
}

TEST(keys_are_those_of_the_words)
{
    OWN(planted_end) planted p;
    look l;

    begin(&p);
    look_begin(&l, &p);
    for (size_t rank = 0; rank < WORDS; rank++) {
        const char *const word = words_get(&l.w, l.order[rank]);
        ck_assert_uint_eq(l.r.rows.key[rank],
                          sign_key(SEED, word, strlen(word)));
        if (rank > 0)
            ck_assert_int_lt(strcmp(words_get(&l.w, l.order[rank - 1]),
                                    word), 0);
    }
    look_end(&l, &p);
}

/* Over its own total, whatever the store's sketch holds. */
TEST(rows_can_be_those_of_another_sketch)
{
    OWN(planted_end) planted p;
    look l;
    sketch *z;
    int64_t row[1 + WIDTH];
    double *const got = calloc(STORE_CHUNK_ROWS * WIDTH, sizeof *got);

    begin(&p);
    look_begin(&l, &p);
    const sketch_opts o = {.width = WIDTH, .seed = SEED, .threads = 1};
    ck_ok(sketch_create(&o, &z, &p.t.err), p.t.err);
    ck_ok(sketch_add_words(z, &l.w, &p.t.err), p.t.err);
    for (size_t i = 0; i < WORDS; i++) {
        for (size_t c = 0; c <= WIDTH; c++)
            row[c] = (int64_t)(1 + i * c) << 20;
        sketch_set_row(z, i, row);
    }
    sketchrows_take(&l.r, z, l.order, 1 / sketch_total(z));
    ck_ok(l.r.rows.read(l.r.rows.data, 256, 256, 1, got, &p.t.err),
          p.t.err);
    for (size_t i = 0; i < 256; i++) {
        const size_t id = l.order[256 + i];
        ck_assert_double_eq_tol(l.r.sums[256 + i], 1.0 / WORDS, 1e-15);
        for (size_t c = 0; c < WIDTH; c++)
            ck_assert_double_eq_tol(got[i * WIDTH + c],
                                    (double)(1 + id * (c + 1)) / WORDS, 1e-9);
    }
    sketch_free(z);
    look_end(&l, &p);
    free(got);
}

/* Before any row is read, and by any number of threads. */
TEST(sums_come_first_where_asked_for)
{
    OWN(planted_end) planted p;
    look l;
    double *const got = calloc(STORE_CHUNK_ROWS * WIDTH, sizeof *got);
    double sums[WORDS];

    begin(&p);
    look_begin(&l, &p);
    for (unsigned threads = 1; threads <= 2; threads++) {
        pool *threads_of;
        ck_ok(pool_create(threads, &threads_of, &p.t.err), p.t.err);
        memset(l.r.sums, 0, sizeof sums);
        ck_ok(sketchrows_sums(&l.r, threads_of, &p.t.err), p.t.err);
        memcpy(sums, l.r.sums, sizeof sums);
        pool_free(threads_of);
        for (size_t from = 0; from < WORDS; from += STORE_CHUNK_ROWS)
            ck_ok(l.r.rows.read(l.r.rows.data, from,
                                WORDS - from < 256 ? WORDS - from : 256, 0,
                                got, &p.t.err), p.t.err);
        ck_assert_mem_eq(sums, l.r.sums, sizeof sums);
    }
    look_end(&l, &p);
    free(got);
}

TEST(weighted_rows_are_times_their_weights)
{
    OWN(planted_end) planted p;
    look l;
    double *const plain = calloc(STORE_CHUNK_ROWS * WIDTH, sizeof *plain);
    double *const got = calloc(STORE_CHUNK_ROWS * WIDTH, sizeof *got);
    double weight[WORDS], sum;

    begin(&p);
    look_begin(&l, &p);
    for (size_t i = 0; i < WORDS; i++)
        weight[i] = ldexp(1, (int)(i % 5) - 2);
    ck_assert_ptr_null(l.r.rows.weight);
    ck_ok(l.r.rows.read(l.r.rows.data, 256, 256, 0, plain, &p.t.err), p.t.err);
    sum = l.r.sums[300];
    l.r.rows.weight = weight;
    ck_ok(l.r.rows.read(l.r.rows.data, 256, 256, 1, got, &p.t.err), p.t.err);
    for (size_t i = 0; i < 256 * WIDTH; i++)
        if (got[i] != plain[i] * weight[256 + i / WIDTH])
            ck_abort_msg("entry %zu", i);
    ck_assert_double_eq(l.r.sums[300], sum);
    look_end(&l, &p);
    free(plain);
    free(got);
}

TEST(missing_rows_are_told)
{
    OWN(planted_end) planted p;
    look l;
    double *const got = calloc(STORE_CHUNK_ROWS * WIDTH, sizeof *got);

    begin(&p);
    scene_write(&p.t);
    ck_ok(store_get_view_record(p.t.txn, 0, &l.view, &p.t.err), p.t.err);
    ck_ok(store_drop_rows(p.t.txn, l.view.rows, &p.t.err), p.t.err);
    scene_commit(&p.t);
    look_begin(&l, &p);
    ck_assert_int_ne(l.r.rows.read(l.r.rows.data, 256, 256, 1, got,
                                   &p.t.err), KEDGE_OK);
    ck_assert_str_ne(p.t.err.text, "");
    p.t.err.text[0] = '\0';
    pool *threads;
    ck_ok(pool_create(2, &threads, &p.t.err), p.t.err);
    ck_assert_int_ne(sketchrows_sums(&l.r, threads, &p.t.err), KEDGE_OK);
    ck_assert_str_ne(p.t.err.text, "");
    pool_free(threads);
    look_end(&l, &p);
    free(got);
}
