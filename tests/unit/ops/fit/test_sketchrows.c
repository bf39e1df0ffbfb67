/* SPDX-License-Identifier: MIT */
#include "ops/fit/fit.h"

#include "ops/planted.h"
#include "cooccur/corpus.h"

#define WORDS 600 /* three chunks, the last one short */
#define WIDTH 70
#define SEED 5
#define CHUNK STORE_CHUNK_ROWS

typedef struct look {
    planted p;
    words w;
    uint32_t *order;
    store_index index;
    sketchrows r;
    double got[WORDS * WIDTH];
} look;

static const kedge_control two_threads = {.threads = 2};

/* The planted documents with their words pulled apart: word i is line 4 i. */
static void write_apart(planted *p)
{
    FILE *f = planted_file(p->vocabulary);

    for (size_t k = 0; k < docs_entries(&p->d); k++)
        p->d.word[k] *= 4;
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
}

static void open_rows(look *l)
{
    kedge_error *const err = &l->p.t.err;

    ck_ok(sketchrows_create(&l->r, &l->index, &l->w, l->order, &two_threads,
                            err), *err);
    l->r.txn = l->p.t.txn;
}

/* With an open read transaction; `lost`: the rows are not there. */
static look *look_at(bool lost)
{
    look *const l = calloc(1, sizeof *l);
    planted *const p = &l->p;
    size_t twin;

    planted_begin(p, PLANTED_DOCUMENTS);
    p->o.sketch_size = WIDTH;
    p->o.seed = SEED;
    write_apart(p);
    planted_fill(p);
    scene_write(&p->t);
    ck_ok(store_get_index_record(p->t.txn, 0, &l->index, &p->t.err), p->t.err);
    if (lost)
        ck_ok(store_drop_rows(p->t.txn, l->index.rows, &p->t.err), p->t.err);
    scene_commit(&p->t);
    scene_read(&p->t);
    ck_ok(store_get_words(p->t.txn, &l->w, &p->t.err), p->t.err);
    l->order = words_order(&l->w, &twin);
    ck_assert_ptr_nonnull(l->order);
    open_rows(l);
    return l;
}

static void look_end(look **l)
{
    store_abort(&(*l)->p.t.txn);
    sketchrows_free(&(*l)->r);
    mem_free((*l)->order);
    words_free(&(*l)->w);
    planted_end(&(*l)->p);
    free(*l);
}

/* All rows, by both workers, into l->got. */
static void read_rows(look *l)
{
    const spectrum_rows *const r = &l->r.rows;
    kedge_error *const err = &l->p.t.err;

    for (size_t from = 0; from < r->rows; from += CHUNK) {
        const size_t left = r->rows - from;
        ck_ok(r->read(r->data, from, left < CHUNK ? left : CHUNK, from > 0,
                      l->got + from * WIDTH, err), *err);
    }
}

TEST(rows_are_the_integers_scaled_in_the_order_of_words)
{
    OWN(look_end) look *l = look_at(false);
    const double one = ldexp(1 / (double)l->index.documents, -40);
    corpus_sketch z;

    corpus_begin(&z, &l->w, SEED, WIDTH);
    corpus_add(&z, &l->p.d, 5);
    ck_assert_uint_eq(l->r.rows.rows, WORDS);
    ck_assert_uint_eq(l->r.rows.width, WIDTH);
    read_rows(l);
    for (size_t rank = 0; rank < WORDS; rank++) {
        const uint32_t id = l->order[rank];
        const int64_t *const row = z.z + id * (1 + WIDTH);
        const char *const word = words_get(&l->w, id);
        ck_assert_double_eq(l->r.sums[rank], one * (double)row[0]);
        for (size_t c = 0; c < WIDTH; c++)
            if (l->got[rank * WIDTH + c] != one * (double)row[1 + c])
                ck_abort_msg("row %zu, column %zu", rank, c);
        ck_assert_uint_eq(l->r.rows.key[rank],
                          sign_key(SEED, word, strlen(word)));
    }
    corpus_end(&z);
}

/* Two of three, out of all chunks, with the last. */
TEST(some_rows_are_those_of_their_places)
{
    OWN(look_end) look *l = look_at(false);
    OWNED double *whole = malloc(sizeof l->got);
    double sums[WORDS];
    uint32_t place[WORDS];
    size_t count = 0;

    read_rows(l);
    memcpy(whole, l->got, sizeof l->got);
    memcpy(sums, l->r.sums, sizeof sums);
    for (uint32_t i = 0; i < WORDS; i++)
        if (i % 3 != 1)
            place[count++] = i;
    sketchrows_free(&l->r);
    l->index.words = count;
    open_rows(l);
    ck_ok(sketchrows_pick(&l->r, place, WORDS, &l->p.t.err), l->p.t.err);
    read_rows(l);
    for (size_t i = 0; i < count; i++) {
        ck_assert_mem_eq(l->got + i * WIDTH, whole + place[i] * WIDTH,
                         WIDTH * sizeof *whole);
        ck_assert(l->r.sums[i] == sums[place[i]]);
    }
}

/* Over its own total, whatever the store's sketch holds. */
TEST(rows_can_be_those_of_another_sketch)
{
    OWN(look_end) look *l = look_at(false);
    const sketch_opts o = {.width = WIDTH, .seed = SEED, .threads = 1};
    kedge_error *const err = &l->p.t.err;
    int64_t row[1 + WIDTH];
    sketch *z;

    ck_ok(sketch_create(&o, &z, err), *err);
    ck_ok(sketch_add_words(z, &l->w, err), *err);
    for (size_t i = 0; i < WORDS; i++) {
        for (size_t c = 0; c <= WIDTH; c++)
            row[c] = (int64_t)(1 + i * c) << 20;
        sketch_set_row(z, i, row);
    }
    sketchrows_take(&l->r, z, l->order, 1 / sketch_total(z));
    read_rows(l);
    for (size_t i = 0; i < WORDS; i++) {
        const size_t id = l->order[i];
        ck_assert_double_eq_tol(l->r.sums[i], 1.0 / WORDS, 1e-15);
        for (size_t c = 0; c < WIDTH; c++)
            ck_assert_double_eq_tol(l->got[i * WIDTH + c],
                                    (double)(1 + id * (c + 1)) / WORDS, 1e-9);
    }
    sketch_free(z);
}

/* Before any row is read, and by any number of threads. */
TEST(sums_come_first_where_asked_for)
{
    OWN(look_end) look *l = look_at(false);
    double sums[WORDS];

    for (unsigned threads = 1; threads <= 2; threads++) {
        OWN(pool_end) pool *p = NULL;
        ck_ok(pool_create(threads, &p, &l->p.t.err), l->p.t.err);
        memset(l->r.sums, 0, sizeof sums);
        ck_ok(sketchrows_sums(&l->r, p, &l->p.t.err), l->p.t.err);
        memcpy(sums, l->r.sums, sizeof sums);
        read_rows(l);
        ck_assert_mem_eq(sums, l->r.sums, sizeof sums);
    }
}

/* But sums are not. */
TEST(weighted_rows_are_times_their_weights)
{
    OWN(look_end) look *l = look_at(false);
    OWNED double *plain = malloc(sizeof l->got);
    double weight[WORDS], sums[WORDS];

    ck_assert_ptr_null(l->r.rows.weight);
    for (size_t i = 0; i < WORDS; i++)
        weight[i] = ldexp(1, (int)(i % 5) - 2);
    read_rows(l);
    memcpy(plain, l->got, sizeof l->got);
    memcpy(sums, l->r.sums, sizeof sums);
    l->r.rows.weight = weight;
    read_rows(l);
    for (size_t i = 0; i < WORDS * WIDTH; i++)
        if (l->got[i] != plain[i] * weight[i / WIDTH])
            ck_abort_msg("entry %zu", i);
    ck_assert_mem_eq(sums, l->r.sums, sizeof sums);
}

TEST(missing_rows_are_told)
{
    OWN(look_end) look *l = look_at(true);
    OWN(pool_end) pool *p = NULL;
    kedge_error *const err = &l->p.t.err;

    ck_assert_int_ne(l->r.rows.read(l->r.rows.data, CHUNK, CHUNK, 1, l->got,
                                    err), KEDGE_OK);
    ck_assert_str_ne(err->text, "");
    err->text[0] = '\0';
    ck_ok(pool_create(2, &p, err), *err);
    ck_assert_int_ne(sketchrows_sums(&l->r, p, err), KEDGE_OK);
    ck_assert_str_ne(err->text, "");
}
