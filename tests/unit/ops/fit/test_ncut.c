/* SPDX-License-Identifier: MIT */
#include "ops/fit/fit.h"

#include "base/gate.h"
#include "linalg/blas.h"
#include "ops/laboratory.h"

#define SHARE 0.5 /* of the mean degree, the least */

static const char *const kinds[] = {"joint", "log", "sqrt"};

/* A store with the whole corpus. */
static void begin(planted *p, const char *counted)
{
    planted_begin(p, PLANTED_DOCUMENTS);
    p->o.statistics = counted;
    planted_fill(p);
}

static kedge_fit_opts options(kedge_weight weight, uint64_t passes)
{
    kedge_fit_opts o;

    kedge_fit_opts_init(&o);
    o.ncut = true;
    o.weight = weight;
    o.refine = passes;
    o.keep_spectrum = true;
    o.fresh = true;
    o.name = "m";
    return o;
}

static kedge_model *fitted(planted *p, kedge_weight weight, uint64_t passes)
{
    const kedge_fit_opts o = options(weight, passes);
    kedge_fit_result r;
    kedge_model *const m = planted_fit(p, TOPICS, &o, &r);

    ck_assert(r.ncut);
    return m;
}

/* ---- by hand ------------------------------------------------------------- */

/* Documents as rows of doubles, words by their ranks, and what is made of
 * them. */
typedef struct hand {
    size_t count;
    double x[PLANTED_DOCUMENTS][N]; /* unscaled */
    double square[PLANTED_DOCUMENTS], factor[PLANTED_DOCUMENTS];
    bool damped;
    double weight[N]; /* of words */
    double c[N * N];  /* over its total */
} hand;

static void hand_read(hand *h, const docs *d, uint32_t kind)
{
    *h = (hand){.damped = statistic_damped(kind)};
    for (size_t m = 0; m < d->count; m++) {
        double *const x = h->x[h->count], n = (double)d->length[m];
        if (d->length[m] < 5)
            continue;
        for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
            const size_t rank = d->word[k] * 37 % N;
            x[rank] = h->damped
                          ? (double)corpus_value(kind, d->tally[k], 5)
                          : (double)d->tally[k];
            h->square[h->count] += x[rank] * x[rank];
        }
        if (!h->damped)
            h->square[h->count] = n * (n - 1);
        h->factor[h->count++] = 1;
    }
}

static void hand_multiply(hand *h)
{
    double total = 0;

    memset(h->c, 0, sizeof h->c);
    for (size_t m = 0; m < h->count; m++)
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) {
                double x = h->x[m][i] * h->x[m][j];
                if (i == j)
                    x -= h->damped ? x : h->x[m][i];
                h->c[i * N + j] += h->factor[m] * x / h->square[m];
            }
    for (size_t i = 0; i < N * N; i++)
        total += h->c[i];
    for (size_t i = 0; i < N * N; i++)
        h->c[i] /= total;
}

/* Row sums of C. */
static void hand_sums(const hand *h, double *sums)
{
    for (size_t i = 0; i < N; i++) {
        sums[i] = 0;
        for (size_t j = 0; j < N; j++)
            sums[i] += h->c[i * N + j];
    }
}

/* Those of roots are of statistics without the cut. */
static void hand_weigh(hand *h, const docs *d, kedge_weight weight)
{
    double df[N] = {0}, sums[N];

    hand_multiply(h);
    hand_sums(h, sums);
    for (size_t k = 0; k < docs_entries(d); k++)
        df[d->word[k] * 37 % N]++;
    for (size_t i = 0; i < N; i++)
        h->weight[i] = weight == KEDGE_WEIGHT_IDF
                           ? fmax(log((double)d->count / df[i]), 0.01)
                       : weight == KEDGE_WEIGHT_SQRT ? 1 / sqrt(sums[i])
                                                     : 1;
}

/* |D x|. */
static double hand_length(const hand *h, size_t m)
{
    double length = 0;

    for (size_t i = 0; i < N; i++) {
        const double y = h->x[m][i] * h->weight[i];
        length += h->damped ? y * y : y;
    }
    return h->damped ? sqrt(length) : length;
}

/* Every similarity of two documents, one by one. */
static void hand_cut(hand *h)
{
    double degree[PLANTED_DOCUMENTS] = {0}, mean = 0;
    double length[PLANTED_DOCUMENTS];

    for (size_t m = 0; m < h->count; m++)
        length[m] = hand_length(h, m);
    for (size_t m = 0; m < h->count; m++) {
        for (size_t j = 0; j < h->count; j++)
            for (size_t i = 0; i < N; i++)
                degree[m] += h->x[m][i] * h->x[j][i] * h->weight[i] *
                             h->weight[i] / length[m] / length[j];
        mean += degree[m] / (double)h->count;
    }
    for (size_t m = 0; m < h->count; m++)
        h->factor[m] = 1 / fmax(degree[m], SHARE * mean);
    hand_multiply(h);
}

/* The largest eigenvalues of D C D over its total, falling. */
static void hand_values(const hand *h, double values[TOPICS])
{
    double *const c = calloc(N * N, sizeof *c), all[N], total = 0;
    kedge_error err = {0};

    for (size_t i = 0; i < N * N; i++)
        total += c[i] = h->c[i] * h->weight[i / N] * h->weight[i % N];
    ck_ok(blas_eigen(c, N, all, &err), err);
    for (size_t j = 0; j < TOPICS; j++)
        values[j] = all[N - 1 - j] / total;
    free(c);
}

static void check_model(const hand *h, const kedge_model *m, double near)
{
    double values[TOPICS], sums[N];

    hand_sums(h, sums);
    hand_values(h, values);
    for (size_t i = 0; i < N; i++)
        ck_assert_double_eq_tol(kedge_model_word_probability(m)[i], sums[i],
                                1e-7);
    for (size_t j = 0; j < TOPICS; j++)
        ck_assert_double_eq_tol(kedge_model_eigenvalues(m)[j], values[j],
                                near * values[0]);
}

/* Refined in a space of all words, which makes it exact: so the passes see the
 * same documents as the sketch. One pass alone is near. */
TEST(eigenvalues_are_those_of_the_dense_cut)
{
    hand *const h = calloc(1, sizeof *h);

    blas_begin(4, NULL);
    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        planted p;
        begin(&p, kinds[kind]);
        for (int w = KEDGE_WEIGHT_NONE; w <= KEDGE_WEIGHT_SQRT; w++) {
            const kedge_weight weight = (kedge_weight)w;
            hand_read(h, &p.d, kind);
            hand_weigh(h, &p.d, weight);
            hand_cut(h);
            kedge_model *const full = fitted(&p, weight, 3);
            check_model(h, full, 1e-6);
            kedge_model_free(full);
            kedge_model *const one = fitted(&p, weight, 0);
            check_model(h, one, 0.1);
            kedge_model_free(one);
        }
        planted_end(&p);
    }
    free(h);
}

/* ---- what leaves no trace ------------------------------------------------ */

/* In two files, the later documents first, words numbered the other way. */
static void begin_turned(planted *p, const char *counted)
{
    char later[96];
    const char *files[2] = {later, p->source};

    planted_begin(p, PLANTED_DOCUMENTS);
    p->o.statistics = counted;
    planted_path(p, "later.txt", later);
    planted_write(later, &p->d, 100, p->d.count, true);
    planted_write(p->source, &p->d, 0, 100, true);
    planted_write_words(p->vocabulary, N, true);
    ck_ok(planted_ingest_all(p, files, 2),
          p->t.err);
}

TEST(threads_and_orders_leave_no_trace)
{
    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        const kedge_weight weight = (kedge_weight)kind;
        planted p;
        begin(&p, kinds[kind]);
        kedge_model *const m = fitted(&p, weight, kind);
        planted_end(&p);
        for (unsigned threads = 1; threads <= 3; threads++) {
            begin_turned(&p, kinds[kind]);
            p.c.threads = threads;
            kedge_model *const again = fitted(&p, weight, kind);
            ck_assert(planted_same(m, again));
            kedge_model_free(again);
            planted_end(&p);
        }
        kedge_model_free(m);
    }
}

/* The first hundred documents are a batch that leaves. */
TEST(documents_that_left_do_not_count)
{
    planted p, never;
    kedge_remove_opts gone;
    kedge_remove_result left;
    char first[96];

    planted_begin(&p, PLANTED_DOCUMENTS);
    planted_path(&p, "first.txt", first);
    planted_write(first, &p.d, 0, 100, false);
    planted_write(p.source, &p.d, 100, p.d.count, false);
    p.o.statistics = "log";
    p.o.batch = "first";
    ck_ok(planted_ingest(&p, first), p.t.err);
    kedge_model *const before = fitted(&p, KEDGE_WEIGHT_IDF, 1);
    p.o.batch = NULL;
    planted_fill(&p);
    kedge_remove_opts_init(&gone);
    gone.batch = "first";
    ck_ok(kedge_remove(p.t.s, &gone, &p.c, &left, &p.t.err), p.t.err);
    ck_assert_uint_eq(left.documents, 100);
    kedge_model *const after = fitted(&p, KEDGE_WEIGHT_IDF, 1);
    planted_end(&p);

    planted_begin(&never, PLANTED_DOCUMENTS);
    planted_write(never.source, &never.d, 100, never.d.count, false);
    never.o.statistics = "log";
    planted_fill(&never);
    kedge_model *const same = fitted(&never, KEDGE_WEIGHT_IDF, 1);
    ck_assert(planted_same(after, same));
    ck_assert(!planted_same(after, before));
    kedge_model_free(before);
    kedge_model_free(after);
    kedge_model_free(same);
    planted_end(&never);
}

/* ---- the sketch by itself ------------------------------------------------ */

/* All rows, in the order of the words' bytes. */
static int64_t *ncut_rows(fit *f)
{
    const size_t stride = 1 + f->view.width;
    int64_t *const rows = calloc(N * stride, sizeof *rows);
    kedge_error err = {0};
    ncut *n;

    ck_ok(ncut_create(f, &n, &err), err);
    ck_assert_uint_eq(n->degrees.words, N);
    for (size_t r = 0; r < N; r++)
        sketch_get_row(n->index.z, f->w.order[r], rows + r * stride);
    ncut_free(n);
    return rows;
}

/* In memory and on the disk, by large turns and small ones; and the store's own
 * sketch is as it was. */
TEST(the_sketch_is_the_same_wherever_it_is)
{
    bench b;
    int64_t *first = NULL;

    for (unsigned i = 0; i < 4; i++) {
        store_view after;
        bench_begin_with(&b, 1 + i % 3, 80, "log", false);
        bench_rest(&b);
        b.f.plan.spilled = i % 2 == 1;
        b.f.plan.halvings = i;
        int64_t *const rows = ncut_rows(&b.f);
        if (first != NULL)
            ck_assert_mem_eq(first, rows,
                             N * (1 + b.f.view.width) * sizeof *rows);
        free(first);
        first = rows;
        scene_read(&b.p.t);
        ck_ok(store_get_view_record(b.p.t.txn, 0, &after, &b.p.t.err),
              b.p.t.err);
        store_abort(&b.p.t.txn);
        ck_assert_mem_eq(&after, &b.f.view, sizeof after);
        bench_end(&b);
    }
    free(first);
}

typedef struct watched {
    unsigned degrees, sketch, left;
    uint64_t done, total; /* of the stage that was heard of last */
} watched;

static void watch(void *data, const kedge_progress *now)
{
    watched *const w = data;
    const bool first = strcmp(now->stage, "degrees") == 0;
    const bool second = strcmp(now->stage, "sketch") == 0;

    if (!first && !second)
        return;
    if ((first ? w->degrees : w->sketch) == 0)
        ck_assert_uint_eq(now->done, 0);
    else
        ck_assert_uint_ge(now->done, w->done);
    w->degrees += first;
    w->sketch += second;
    w->done = now->done;
    w->total = now->total;
}

static int stop_later(void *data)
{
    const watched *const w = data;

    return w->degrees + w->sketch > w->left;
}

TEST(both_passes_can_be_watched_and_stopped)
{
    static const uint64_t topics[] = {3};
    const kedge_fit_opts o = options(KEDGE_WEIGHT_NONE, 0);
    planted p;
    kedge_fit_result r;
    kedge_status st = KEDGE_ECANCELED;
    unsigned first = 0, second = 0; /* stops in each */
    watched w = {0};

    begin(&p, "log");
    p.c.progress = watch;
    p.c.stop = stop_later;
    p.c.data = &w;
    for (unsigned n = 0; st == KEDGE_ECANCELED; n++) {
        w = (watched){.left = n};
        st = kedge_fit(p.t.s, topics, 1, &o, &p.c, &r, &p.t.err);
        first += st != KEDGE_OK && w.sketch == 0;
        second += st != KEDGE_OK && w.sketch > 0;
        ck_assert_uint_eq(planted_info(&p).models, st == KEDGE_OK);
    }
    ck_ok(st, p.t.err);
    ck_assert_uint_gt(first, 0);
    ck_assert_uint_gt(second, 0);
    ck_assert_uint_eq(w.done, w.total);
    planted_end(&p);
}
