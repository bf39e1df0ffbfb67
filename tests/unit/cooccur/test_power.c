/* SPDX-License-Identifier: MIT */
#include "cooccur/corpus.h"

#include "base/gate.h"
#include "cooccur/power.h"

UNIT_END(power, power, power_free)

typedef struct scenario {
    words w;
    docs d;
    size_t columns;
    int64_t *c; /* words x words: straight from the formula */
    double *q;  /* words x columns */
    statistic statistic;
    double largest, scale;
} scenario;

/* Joint: over the documents. Damped: over the total of the sums. */
static void scenario_scale(scenario *s)
{
    const size_t n = s->w.count;
    double total = 0, counted = 0;

    for (size_t m = 0; m < s->d.count; m++)
        counted += s->d.length[m] >= 5;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += (double)s->c[i * n + j];
        s->largest = fmax(s->largest, sum);
        total += sum;
    }
    if (statistic_damped(s->statistic.kind)) {
        s->largest += ldexp(counted, 33);
        s->scale = 1 / total;
    } else {
        s->largest *= 2;
        s->scale = ldexp(1 / counted, -40);
    }
}

/* `full`: and documents of all words. */
static void scenario_begin(scenario *s, const corpus_opts *o, size_t columns,
                           uint32_t kind, bool full)
{
    chance c = {.key = o->seed + 99};

    *s = (scenario){.columns = columns};
    statistic_open(&s->statistic, kind);
    corpus_words(&s->w, o->vocabulary);
    corpus_make(&s->d, o);
    for (uint32_t i = 0; full && i < 4; i++)
        corpus_long(&s->d, &c, o->vocabulary - i, 1 + i * o->tally);
    s->q = calloc(o->vocabulary * columns, sizeof *s->q);
    for (size_t i = 0; i < o->vocabulary * columns; i++)
        s->q[i] = i % 11 == 0 ? 1 : i % 13 == 0 ? -1
                                                : 2 * chance_unit(&c) - 1;
    s->c = corpus_square(&s->d, &s->w, kind, 5);
    scenario_scale(s);
}

static void scenario_end(scenario *s)
{
    words_free(&s->w);
    docs_free(&s->d);
    free(s->c);
    free(s->q);
}

typedef struct job {
    power *p;
    const window *w;
} job;

static void job_task(void *data, size_t tile, unsigned worker)
{
    const job *j = data;

    power_tile(j->p, j->w, tile, worker);
}

/* Documents one after the other, or from the last to the first, `cut` to a
 * window. */
static void add_documents(power *p, pool *threads, const scenario *s,
                          size_t cut, bool backwards)
{
    OWN(docs_free) docs batch = {0};
    OWN(window_free) window w = {.statistic = &s->statistic};
    kedge_error err = {0};
    job j = {p, &w};

    for (size_t m = 0; m < s->d.count; m++) {
        corpus_copy(&batch, &s->d, backwards ? s->d.count - 1 - m : m);
        if (batch.count < cut && m + 1 < s->d.count)
            continue;
        corpus_window(&w, &batch, s->w.count, 5);
        ck_ok(power_begin(p, &w, &err), err);
        pool_run(threads, power_tiles(p), job_task, &j);
        docs_clear(&batch);
    }
}

/* C Q; s->q becomes what it is rounded to. */
static double *multiply(scenario *s, unsigned threads, size_t cut,
                        bool backwards)
{
    double *out = calloc(s->w.count * s->columns, sizeof *out);
    kedge_error err = {0};
    OWN(power_end) power *p = NULL;

    OWN(pool_end) pool *pool_of = dense_pool(threads);
    ck_ok(power_create(s->w.count, s->columns, s->largest, threads, &p, &err),
          err);
    for (size_t i = 0; i < s->w.count; i++)
        power_set(p, i, s->q + i * s->columns);
    add_documents(p, pool_of, s, cut, backwards);
    for (size_t i = 0; i < s->w.count; i++)
        power_get(p, i, s->scale, out + i * s->columns);
    return out;
}

static void check_product(const scenario *s, const double *got)
{
    const size_t n = s->w.count;

    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < s->columns; l++) {
            long double x = 0, size = 0;
            for (size_t j = 0; j < n; j++) {
                const long double c = (long double)s->scale * s->c[i * n + j];
                x += c * (long double)s->q[j * s->columns + l];
                size += c;
            }
            x -= (long double)got[i * s->columns + l];
            if (!(fabsl(x) <= 1e-7L * size + 1e-15L))
                ck_abort_msg("entry %zu, %zu: off by %Lg of %Lg", i, l, x,
                             size);
        }
}

TEST(products_are_those_of_the_dense_matrix)
{
    static const struct {
        corpus_opts o;
        size_t columns, cut;
        bool full;
    } runs[] = {
        {{0, 40, 30, 40, 9}, 1, 17, false},
        {{1, 100, 70, 40, 1}, 63, 17, false},
        {{2, 160, 110, 40, 9}, 64, 17, false},
        {{3, 220, 150, 40, 1}, 65, 17, false},
        {{4, 280, 190, 40, 9}, 130, 17, false},
        {{5, 12, 60, 40, 4000}, 20, 5, false}, /* long ones, in pieces */
        {{7, 20, 1800, 100, 300}, 3, 4, true}, /* or in parts */
    };

    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        for (uint32_t kind = 0; kind < STATISTICS; kind++) {
            OWN(scenario_end) scenario s;
            scenario_begin(&s, &runs[i].o, runs[i].columns, kind,
                           runs[i].full);
            OWNED double *got = multiply(&s, 2, runs[i].cut, false);
            check_product(&s, got);
        }
}

TEST(products_do_not_depend_on_cuts_order_or_threads)
{
    static const size_t cut[] = {1, 7, 50, 1000};
    const corpus_opts o = {3, 300, 200, 60, 12};

    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        OWN(scenario_end) scenario s;
        scenario_begin(&s, &o, 100, kind, false);
        OWNED double *first = multiply(&s, 1, 100, false);
        for (unsigned i = 0; i < 8; i++) {
            OWNED double *again = multiply(&s, 1 + i % 3, cut[i % 4], i >= 4);
            ck_assert_int_eq(memcmp(first, again,
                                    s.w.count * s.columns * sizeof *first),
                             0);
        }
    }
}

TEST(rows_are_rounded_to_thirty_bits_and_cleared)
{
    const corpus_opts o = {4, 50, 40, 20, 3};
    OWN(scenario_end) scenario s;
    kedge_error err = {0};
    OWN(pool_end) pool *threads = dense_pool(1);
    OWN(power_end) power *p = NULL;
    double row[3] = {0.1, -1, 1.0 / 3}, got[3];

    scenario_begin(&s, &o, 3, STATISTIC_LOG, false);
    ck_ok(power_create(s.w.count, 3, s.largest, 1, &p, &err), err);
    power_set(p, 0, row);
    ck_assert_double_eq_tol(row[0], 0.1, 0x1p-31);
    ck_assert_double_eq(row[1], -1);
    ck_assert_double_eq(row[0] * 0x1p30, rint(row[0] * 0x1p30));
    for (size_t i = 0; i < s.w.count; i++)
        power_set(p, i, s.q + i * 3);
    add_documents(p, threads, &s, 20, false);
    for (size_t i = 0; i < s.w.count; i++) {
        power_set(p, i, s.q + i * 3);
        power_get(p, i, s.scale, got);
        for (size_t l = 0; l < 3; l++)
            ck_assert_double_eq(got[l], 0);
    }
}

/* All words alike in every document: each entry reaches its bound. */
TEST(the_largest_sums_do_not_overflow)
{
    enum { WORDS = 3, DOCUMENTS = 40000 };
    OWN(scenario_end) scenario s = {.columns = 1};

    corpus_words(&s.w, WORDS);
    for (size_t m = 0; m < DOCUMENTS; m++) {
        corpus_need(docs_begin(&s.d, m + 1));
        corpus_need(docs_push(&s.d, 0, 1));
        corpus_need(docs_push(&s.d, 1, 5));
    }
    s.q = calloc(WORDS, sizeof *s.q);
    s.q[0] = -1;
    s.q[1] = 1;
    /* row 1: 5 * 6 / 30 of 2^40, per document */
    s.largest = (double)(corpus_weight(5, 6) * 6 * DOCUMENTS);
    s.scale = ldexp(1.0 / DOCUMENTS, -40);
    OWNED double *got = multiply(&s, 1, 5000, false);
    ck_assert_double_eq_tol(got[1], 5.0 * 4 / 30 - 5.0 / 30, 1e-9);
    ck_assert_double_eq_tol(got[0], 5.0 / 30, 1e-9);
    ck_assert_double_eq(got[2], 0);
}

TEST(sums_that_would_overflow_are_refused)
{
    kedge_error err = {0};
    OWN(power_end) power *p = NULL;

    ck_fails(power_create(2, 1, 0x1p62, 1, &p, &err), KEDGE_ENUMERIC, err,
             "too many documents");
    ck_assert_ptr_null(p);
    ck_ok(power_create(2, 1, 0x1.8p61, 1, &p, &err), err);
}

TEST(without_memory_there_is_no_power)
{
    const window w = {.documents = 9};
    OWN(power_end) power *p = NULL;

    gate_starve(power_create(50, 70, 1000, 3, &p, NULL));
    gate_starve(power_begin(p, &w, NULL));
}
