/* SPDX-License-Identifier: MIT */
#include "cooccur/corpus.h"

#include <unistd.h>

#include "base/gate.h"
#include "cooccur/sketch.h"

UNIT_END(sketch, sketch, sketch_free)

typedef struct tiles_job {
    sketch *s;
    const window *w;
} tiles_job;

static void tile_task(void *data, size_t task, unsigned worker)
{
    const tiles_job *j = data;
    const size_t tiles = sketch_tiles(j->s);

    sketch_tile(j->s, j->w, tiles - 1 - task, worker);
}

/* How documents are added or taken out. */
typedef struct way {
    unsigned threads;
    size_t batch; /* of so many documents; 0: all in one */
    const char *spill;
    uint32_t kind;
    bool negative;
} way;

static void change(sketch *s, pool *p, const words *all, const docs *d,
                   const way *how)
{
    const size_t batch = how->batch;
    kedge_error err = {0};
    statistic kind;
    OWN(window_free) window w = {.negative = how->negative, .statistic = &kind};
    OWN(docs_free) docs part = {0};
    tiles_job j = {s, &w};

    statistic_open(&kind, how->kind);
    for (size_t m = 0; m < d->count;) {
        docs_clear(&part);
        do
            corpus_copy(&part, d, m++);
        while (m < d->count && (batch == 0 || part.count < batch));
        corpus_window(&w, &part, all->count, 3);
        ck_ok(sketch_begin(s, &w, &err), err);
        pool_run(p, sketch_tiles(s), tile_task, &j);
    }
}

/* All rows, vocabulary x (1 + width). */
static int64_t *rows_of(const sketch *s, size_t count, size_t width)
{
    int64_t *all = calloc(count, (1 + width) * sizeof *all);

    for (size_t i = 0; i < count; i++)
        sketch_get_row(s, i, all + i * (1 + width));
    return all;
}

static int64_t *sketch_of(const docs *d, const words *w, uint64_t seed,
                          size_t width, way how)
{
    const sketch_opts o = {.width = width, .seed = seed,
                           .threads = how.threads, .spill = how.spill};
    kedge_error err = {0};
    OWN(sketch_end) sketch *s = NULL;
    int64_t *rows;

    OWN(pool_end) pool *p = dense_pool(how.threads);
    ck_ok(sketch_create(&o, &s, &err), err);
    ck_ok(sketch_add_words(s, w, &err), err);
    ck_assert_uint_eq(sketch_tiles(s), (width + 63) / 64);
    change(s, p, w, d, &how);
    rows = rows_of(s, w->count, width);
    return rows;
}

static const char *directory(void)
{
    const char *const tmp = getenv("TMPDIR");

    return tmp != NULL ? tmp : "/tmp";
}

static size_t differences(const int64_t *a, const int64_t *b, size_t count)
{
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++)
        wrong += a[i] != b[i];
    return wrong;
}

TEST(rows_are_the_formula)
{
    static const size_t widths[] = {1, 2, 63, 64, 65, 100, 128, 150};
    OWN(docs_free) docs d = {0};
    OWN(words_free) words w = {0};

    corpus_words(&w, 150);
    for (uint64_t seed = 0; seed < 40; seed++) {
        const size_t width = widths[seed % 8];
        const corpus_opts o = {seed, 60, 150, 30,
                               seed % 10 == 9 ? 3000 : 1 + seed % 4};
        OWN(corpus_end) corpus_sketch naive;
        corpus_make(&d, &o);
        const uint32_t kind = (uint32_t)(seed / 2 % STATISTICS);
        corpus_begin(&naive, &w, seed, width);
        naive.kind = kind;
        corpus_add(&naive, &d, 3);
        OWNED int64_t *z = sketch_of(&d, &w, seed, width,
                                     (way){.threads = 1, .kind = kind});
        ck_assert_uint_eq(differences(z, naive.z, 150 * (1 + width)), 0);
    }
}

/* A word in each of 7,000 documents: the kernel adds up in chunks, of which the
 * last one is shorter; and documents of thousands of words, in parts. */
TEST(frequent_words_and_long_documents_are_the_formula)
{
    OWN(words_free) words w = {0};
    chance c = {.key = 6};

    corpus_words(&w, 8000);
    for (uint32_t i = 0; i < 2 * STATISTICS; i++) {
        const uint32_t kind = i % STATISTICS;
        const size_t n = i < STATISTICS ? 12 : 8000;
        OWN(docs_free) docs d = {0};
        OWN(corpus_end) corpus_sketch naive;
        for (size_t m = 0; m < 7000 && n == 12; m++) {
            corpus_need(docs_begin(&d, m + 1) && docs_push(&d, 0, 2));
            corpus_need(docs_push(&d, 1 + (uint32_t)(m % 11), 1));
        }
        for (size_t most = 500; most <= n; most *= 2) {
            corpus_long(&d, &c, most, 3);
            corpus_long(&d, &c, most / 5, 2000);
        }
        corpus_begin(&naive, &w, 4, 64);
        naive.kind = kind;
        corpus_add(&naive, &d, 3);
        OWNED int64_t *z = sketch_of(&d, &w, 4, 64, (way){1, 0, NULL, kind,
                                                         false});
        ck_assert_uint_eq(differences(z, naive.z, w.count * 65), 0);
    }
}

/* 9,000 words: three slabs, the last not full. */
TEST(how_it_is_done_leaves_no_trace)
{
    const way ways[] = {{.threads = 1},
                        {.threads = 1, .batch = 1},
                        {.threads = 2, .batch = 7},
                        {.threads = 3},
                        {.threads = 3, .batch = 50},
                        {.threads = 1, .spill = directory()},
                        {.threads = 2, .batch = 11, .spill = directory()}};
    const size_t count = sizeof ways / sizeof *ways;
    const size_t width = 150, vocabulary = 9000;
    OWN(docs_free) docs d = {0};
    OWN(words_free) words w = {0};
    chance c = {.key = 3};

    corpus_words(&w, vocabulary);
    corpus_make(&d, &(corpus_opts){77, 120, vocabulary, 60, 5});
    corpus_long(&d, &c, 3000, 4);
    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        OWN(corpus_end) corpus_sketch naive;
        corpus_begin(&naive, &w, 5, width);
        naive.kind = kind;
        corpus_add(&naive, &d, 3);
        for (size_t i = 0; i < count; i++) {
            way how = ways[i];
            how.kind = kind;
            OWNED int64_t *z = sketch_of(&d, &w, 5, width, how);
            ck_assert_msg(differences(z, naive.z,
                                      vocabulary * (1 + width)) == 0,
                          "way %zu", i);
        }
    }
}

/* Those of other batches, in another order; some are left. */
TEST(what_is_taken_out_leaves_no_trace)
{
    enum { VOCABULARY = 130, WIDTH = 100 };
    OWN(words_free) words w = {0};
    kedge_error err = {0};
    OWN(pool_end) pool *p = dense_pool(2);

    corpus_words(&w, VOCABULARY);
    for (uint64_t seed = 0; seed < 20; seed++) {
        const corpus_opts o = {seed, 90, VOCABULARY, 40,
                               seed % 4 == 3 ? 3000 : 5};
        const sketch_opts how = {.width = WIDTH, .seed = 1, .threads = 2};
        chance c = {.key = seed};
        OWN(docs_free) docs all = {0}, left = {0}, gone = {0};
        OWN(sketch_end) sketch *s = NULL;
        corpus_make(&all, &o);
        for (size_t m = 0; m < all.count; m++)
            if (seed % 5 == 0 || chance_below(&c, 3) == 0)
                corpus_copy(&gone, &all, m);
            else
                corpus_copy(&left, &all, m);
        ck_ok(sketch_create(&how, &s, &err), err);
        ck_ok(sketch_add_words(s, &w, &err), err);
        way way_of = {.batch = 1 + seed * 3,
                      .kind = (uint32_t)(seed % STATISTICS)};
        change(s, p, &w, &all, &way_of);
        way_of.batch = 1 + seed % 7;
        way_of.negative = true;
        change(s, p, &w, &gone, &way_of);
        OWNED int64_t *rows = rows_of(s, w.count, WIDTH);
        OWNED int64_t *wanted = sketch_of(&left, &w, 1, WIDTH,
                                                (way){.threads = 1,
                                                      .kind = way_of.kind});
        ck_assert_uint_eq(differences(rows, wanted, VOCABULARY * (1 + WIDTH)),
                          0);
    }
}

/* The same documents where words have other ids, and a narrower sketch. */
TEST(ids_and_width_leave_no_trace)
{
    OWN(docs_free) docs d = {0}, renamed = {0};
    OWN(words_free) words w = {0}, backwards = {0};
    const size_t n = 90;

    corpus_words(&w, n);
    for (size_t i = n; i-- > 0;)
        corpus_need(words_add(&backwards, words_get(&w, i),
                              words_size(&w, i)));
    corpus_make(&d, &(corpus_opts){2, 100, n, 40, 3});
    for (size_t m = 0; m < d.count; m++) {
        corpus_need(docs_begin(&renamed, m + 1));
        for (size_t k = d.start[m + 1]; k-- > d.start[m];)
            corpus_need(docs_push(&renamed, (uint32_t)n - 1 - d.word[k],
                                  d.tally[k]));
    }
    OWNED int64_t *wide = sketch_of(&d, &w, 9, 130, (way){.threads = 1});
    OWNED int64_t *thin = sketch_of(&renamed, &backwards, 9, 70,
                                    (way){.threads = 2});
    for (size_t i = 0; i < n; i++)
        ck_assert_mem_eq(wide + i * 131, thin + (n - 1 - i) * 71, 71 * 8);
}

/* Of rows that differ beyond what a double holds, in any order. */
TEST(the_total_is_that_of_the_sums)
{
    const sketch_opts o = {.width = 1, .seed = 1, .threads = 1};
    kedge_error err = {0};
    OWN(words_free) words w = {0};
    chance c = {.key = 5};
    int64_t row[2] = {0};
    double first = 0;
    long double all = 0;
    uint64_t high[300];

    corpus_words(&w, 300);
    for (size_t i = 0; i < 300; i++) {
        high[i] = chance_bits(&c) >> (2 + chance_below(&c, 60));
        all += (long double)high[i];
    }
    for (size_t from = 0; from < 300; from += 37) {
        OWN(sketch_end) sketch *s = NULL;
        ck_ok(sketch_create(&o, &s, &err), err);
        ck_assert_double_eq(sketch_total(s), 0);
        ck_ok(sketch_add_words(s, &w, &err), err);
        for (size_t i = 0; i < 300; i++) {
            row[0] = (int64_t)high[(i + from) % 300];
            sketch_set_row(s, i, row);
        }
        const double total = sketch_total(s);
        ck_assert(from == 0 || total == first);
        ck_assert_double_eq_tol(total / (double)all, 1, 1e-14);
        first = total;
    }
}

TEST(words_may_come_later)
{
    kedge_error err = {0};
    OWN(docs_free) docs d = {0};
    OWN(words_free) words w = {0};
    OWN(sketch_end) sketch *s = NULL;
    OWN(pool_end) pool *p = dense_pool(1);

    corpus_words(&w, 9000);
    corpus_make(&d, &(corpus_opts){4, 30, 50, 30, 4});
    ck_ok(sketch_create(&(sketch_opts){.width = 20, .seed = 1, .threads = 1},
                        &s, &err), err);
    const size_t all = w.count;
    for (size_t i = 0; i < 3; i++) {
        w.count = 50 + i * 4400;
        ck_ok(sketch_add_words(s, &w, &err), err);
        change(s, p, &w, &d, &(way){.threads = 1});
    }
    OWNED int64_t *once = sketch_of(&d, &w, 1, 20, (way){.threads = 1});
    OWNED int64_t *z = rows_of(s, w.count, 20);
    for (size_t i = 0; i < w.count * 21; i++)
        if (z[i] != 3 * once[i])
            ck_abort_msg("entry %zu", i);
    w.count = all;
}

TEST(rows_can_be_put_back)
{
    static const size_t widths[] = {1, 64, 65, 127};
    kedge_error err = {0};
    OWN(words_free) words w = {0};

    corpus_words(&w, 5000);
    for (size_t i = 0; i < 8; i++) {
        const size_t width = widths[i % 4];
        const sketch_opts o = {.width = width, .seed = 1, .threads = 1,
                               .spill = i < 4 ? NULL : directory()};
        int64_t in[128], out[129];
        chance c = {.key = i};
        OWN(sketch_end) sketch *s = NULL;
        ck_ok(sketch_create(&o, &s, &err), err);
        ck_ok(sketch_add_words(s, &w, &err), err);
        for (size_t id = 0; id < w.count; id += 1111) {
            for (size_t l = 0; l <= width; l++)
                in[l] = (int64_t)chance_bits(&c);
            out[width + 1] = 12345;
            sketch_set_row(s, id, in);
            sketch_get_row(s, id, out);
            ck_assert_mem_eq(in, out, (width + 1) * sizeof *in);
            ck_assert_int_eq(out[width + 1], 12345);
        }
        memset(in, 0, sizeof in);
        sketch_get_row(s, 1, out); /* neighbours stay as they were */
        ck_assert_mem_eq(in, out, (width + 1) * sizeof *in);
    }
}

/* Pages that are mapped and resident. */
static long mapped_pages(void)
{
    long all, shared;
    FILE *f = fopen("/proc/self/statm", "r");

    if (f == NULL)
        return 0;
    if (fscanf(f, "%*d %ld %ld", &all, &shared) != 2)
        ck_abort_msg("/proc/self/statm");
    fclose(f);
    return shared;
}

TEST(rows_in_a_file_take_no_memory)
{
    const sketch_opts o = {.width = 640, .seed = 1, .threads = 1,
                           .spill = directory()};
    kedge_error err = {0};
    OWN(words_free) words w = {0};
    OWN(sketch_end) sketch *s = NULL;
    int64_t row[641] = {1, 2, 3};

    corpus_words(&w, 4000);
    ck_ok(sketch_create(&o, &s, &err), err);
    ck_ok(sketch_add_words(s, &w, &err), err);
    sketch_set_row(s, 0, row);
    sketch_get_row(s, 0, row);
    const long before = mapped_pages();
    for (size_t id = 0; id < w.count; id++) { /* 20 MB */
        sketch_set_row(s, id, row);
        sketch_get_row(s, id, row);
    }
    ck_assert_int_lt(mapped_pages() - before, 256);
}

TEST(sums_that_would_overflow_are_refused)
{
    const sketch_opts o = {.width = 3, .seed = 1, .threads = 1};
    kedge_error err = {0};
    int64_t row[4] = {(INT64_C(1) << 62) - (INT64_C(1) << 41), 0, 0, 0};
    OWN(words_free) words w = {0};
    OWN(docs_free) docs d = {0};
    OWN(window_free) window win = {0};
    OWN(sketch_end) sketch *s = NULL;

    corpus_words(&w, 2);
    corpus_need(docs_begin(&d, 1) && docs_push(&d, 1, 2));
    corpus_window(&win, &d, 2, 2);
    ck_ok(sketch_create(&o, &s, &err), err);
    ck_ok(sketch_add_words(s, &w, &err), err);
    sketch_set_row(s, 1, row);
    ck_ok(sketch_begin(s, &win, &err), err);
    sketch_tile(s, &win, 0, 0);
    ck_fails(sketch_begin(s, &win, &err), KEDGE_ENUMERIC, err,
             "too many documents");
}

TEST(options_are_checked)
{
    kedge_error err = {0};
    sketch *s = (sketch *)&err;
    sketch_opts o = {.width = 0, .threads = 1};

    ck_fails(sketch_create(&o, &s, &err), KEDGE_EINVAL, err, "columns");
    ck_assert_ptr_null(s);
    o = (sketch_opts){.width = 10, .threads = 1, .spill = "/nowhere/at/all"};
    ck_fails(sketch_create(&o, &s, &err), KEDGE_EIO, err, "/nowhere/at/all");
    ck_assert_ptr_null(s);
    sketch_free(NULL);
}

static kedge_status live(const char *spill, const words *w, const window *win)
{
    const sketch_opts o = {.width = 70, .seed = 1, .threads = 2,
                           .spill = spill};
    OWN(sketch_end) sketch *s = NULL;
    kedge_status st = sketch_create(&o, &s, NULL);

    if (st == KEDGE_OK)
        st = sketch_add_words(s, w, NULL);
    if (st == KEDGE_OK)
        st = sketch_begin(s, win, NULL);
    return st;
}

TEST(no_memory_is_survived)
{
    OWN(words_free) words w = {0};
    OWN(docs_free) docs d = {0};
    OWN(window_free) window win = {0};

    corpus_words(&w, 5000);
    corpus_make(&d, &(corpus_opts){4, 30, 5000, 30, 4});
    corpus_window(&win, &d, 5000, 2);
    gate_starve(live(NULL, &w, &win));
    gate_starve(live(directory(), &w, &win));
}

/* The test matrix, part of the format. */
TEST(signs_are_pinned)
{
    const uint64_t topic = sign_key(1, "topic", 5);

    ck_assert_uint_eq(sign_bits(topic, 0), UINT64_C(0x0d1b0fe7b5a1ecb7));
    ck_assert_uint_eq(sign_bits(topic, 1), UINT64_C(0xec088b1296e7c5a2));
    ck_assert_uint_eq(sign_bits(sign_key(1, "", 0), 0),
                      UINT64_C(0x641ba43f1f938606));
    ck_assert_uint_eq(sign_bits(sign_key(1, "gr\xc3\xb6\xc3\x9f""e", 7), 3),
                      UINT64_C(0xdc61d2f08234d599));
    ck_assert_int_eq(sign_at(2, 0), -1);
    ck_assert_int_eq(sign_at(2, 1), 1);
    ck_assert_int_eq(sign_at(UINT64_C(1) << 63, 63), 1);
}
