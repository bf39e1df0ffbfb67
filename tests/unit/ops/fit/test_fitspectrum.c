/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <sys/resource.h>

#include "base/bytes.h"
#include "ops/laboratory.h"
#include "store/kv.h"

#define WIDTH 40 /* of 150 words */

/* A bench, and what was said while its spectrum was made. */
typedef struct heard {
    bench b;
    kedge_control control;
    char said[1000];
} heard;

static void hear(void *data, const char *line)
{
    heard *const h = data;
    const size_t used = strlen(h->said);

    snprintf(h->said + used, sizeof h->said - used, "[%s]", line);
}

static void heard_begin(heard *h, size_t width, const char *counted,
                        kedge_term_weight weight)
{
    bench_begin_with(&h->b, 2, width, counted,
                     weight != KEDGE_TERM_WEIGHT_NONE);
    h->control = (kedge_control){.threads = 2, .log = hear, .data = h};
    h->b.f.control = &h->control;
    h->b.o.term_weight = weight;
}

static void heard_end(heard *h)
{
    bench_end(&h->b);
}

static bool same(const spectrum *a, const spectrum *b)
{
    const size_t square = a->width * a->width * sizeof *a->zz;

    return a->width == b->width && a->used == b->used &&
           a->count == b->count && a->weighted == b->weighted &&
           memcmp(a->zz, b->zz, square) == 0 &&
           memcmp(a->zo, b->zo, square) == 0 &&
           memcmp(a->turn, b->turn, a->used * a->count * 8) == 0 &&
           memcmp(a->values, b->values, a->count * 8) == 0;
}

/* Made by the means of this module alone. */
static spectrum plain(bench *b)
{
    const spectrum_rows *const rows = &b->f.z.rows;
    kedge_error err = {0};
    spectrum out;

    ck_ok(spectrum_gram(rows, b->f.p, &out, &err), err);
    ck_ok(spectrum_solve(&out, rows->weight != NULL ? SPECTRUM_RIDGE : 0,
                         &err), err);
    return out;
}

/* Beside the one that the bench has. */
static kedge_status make(bench *b, spectrum *out, kedge_error *err)
{
    const spectrum own = b->f.spectrum;
    const kedge_status st = fit_make_spectrum(&b->f, err);

    *out = b->f.spectrum;
    b->f.spectrum = own;
    return st;
}

/* That it is what a fit without a store would have; `says`: what is said, ""
 * where it is silent. */
static void check(heard *h, const char *says)
{
    bench *const b = &h->b;
    kedge_error err = {0};
    spectrum wanted = plain(b), got;
    sketchrows *const z = &b->f.z;
    double sums[N];

    memcpy(sums, z->sums, sizeof sums);
    memset(z->sums, 0, sizeof sums);
    h->said[0] = '\0';
    bench_rest(b);
    ck_ok(make(b, &got, &err), err);
    bench_read(b);
    ck_assert(same(&wanted, &got));
    ck_assert_mem_eq(sums, z->sums, z->rows.rows * sizeof *sums);
    if (says[0] == '\0')
        ck_assert_str_eq(h->said, "");
    else
        ck_assert_msg(strstr(h->said, says) != NULL, "%s", h->said);
    spectrum_free(&wanted);
    spectrum_free(&got);
}

/* Puts the bench's own spectrum there, as that of `of`. */
static void put(bench *b, const store_spectrum *of)
{
    kedge_error err = {0};
    const spectrum *const s = &b->f.spectrum;
    const store_spectrum_arrays from = {s->zz, s->zo, s->turn, s->values};

    bench_rest(b);
    scene_write(&b->p.t);
    ck_ok(store_put_spectrum(b->p.t.txn, 0, b->o.term_weight, of, &from, &err),
          err);
    scene_commit(&b->p.t);
}

TEST(what_was_made_is_taken)
{
    for (int weight = 0; weight < 3; weight++) {
        OWN(heard_end) heard h;

        heard_begin(&h, WIDTH, weight == 1 ? "log" : "raw",
                    (kedge_term_weight)weight);
        check(&h, "");
        for (int again = 0; again < 2; again++)
            check(&h, "spectrum of an earlier fit");
    }
}

/* Beyond doubt: another's values are given as they are. */
TEST(it_is_not_made_again)
{
    kedge_error err = {0};
    store_spectrum of;
    OWN(heard_end) heard h;
    bench *const b = &h.b;
    spectrum got;

    heard_begin(&h, WIDTH, "raw", KEDGE_TERM_WEIGHT_NONE);
    check(&h, "");
    ck_ok(store_get_spectrum(b->p.t.txn, 0, 0, &of, &err), err);
    b->f.spectrum.values[0] = 42;
    put(b, &of);
    ck_ok(make(b, &got, &err), err);
    ck_assert_double_eq(got.values[0], 42);
    ck_assert(same(&got, &b->f.spectrum));
    spectrum_free(&got);
}

/* The last row. */
static void leave_out(bench *b)
{
    static uint32_t place[N];
    kedge_error err = {0};

    for (uint32_t i = 0; i < N; i++)
        place[i] = i;
    ck_ok(sketchrows_pick(&b->f.z, place, N, &err), err);
    b->f.z.rows.rows = --b->f.index.words;
}

/* One made by another processor. */
static void put_another(bench *b)
{
    kedge_error err = {0};
    store_spectrum of;

    ck_ok(store_get_spectrum(b->p.t.txn, 0, 1, &of, &err), err);
    ck_assert_ptr_nonnull(strstr(of.arithmetic, "openblas"));
    of.arithmetic[0] = 'O';
    put(b, &of);
    bench_read(b);
}

/* One byte of the record, or of its only chunk. */
static void spoil(bench *b, size_t key_size)
{
    static const uint8_t key[12] = {[7] = 1}; /* weights */
    const kv_key at = {key_size == 8 ? DB_SPECTRA : DB_SPECTRUM, key, key_size};
    kedge_error err = {0};
    const uint8_t *bytes;
    OWNED uint8_t *copy = NULL;
    size_t size;

    bench_rest(b);
    scene_write(&b->p.t);
    ck_ok(kv_get(b->p.t.txn, at, &bytes, &size, &err), err);
    copy = malloc(size);
    memcpy(copy, bytes, size);
    copy[size - 20] ^= 4;
    ck_ok(kv_put(b->p.t.txn, at, copy, size, &err), err);
    scene_commit(&b->p.t);
    bench_read(b);
}

/* Whatever is not as it was, one after the other. */
static void change(bench *b, int which)
{
    store_index *const v = &b->f.index;
    uint64_t *const watermark[] = {&v->blocks, &v->removals, &v->documents,
                                   &v->seed, &v->min_tokens};
    uint32_t *const bits[] = {&v->statistic, &v->weight_bits, &v->value_bits};

    switch (which) {
    case 8: b->f.z.key[N - 1] ^= 1; break; /* another word */
    case 9: b->weight[N / 2] += 1e-15; break;
    case 10: leave_out(b); break; /* a word that no document has any more */
    case 11: b->f.number++; break;
    case 12: b->o.term_weight = KEDGE_TERM_WEIGHT_SQRT; break;
    case 13: b->f.z.scale *= 2; break; /* other sums, the same watermarks */
    case 14: put_another(b); break;
    case 15: spoil(b, 8); break;
    case 16: spoil(b, 12); break;
    default:
        if (which < 5)
            ++*watermark[which];
        else
            ++*bits[which - 5];
    }
}

TEST(it_is_of_exactly_these_rows)
{
    for (int which = 0; which < 17; which++) {
        OWN(heard_end) heard h;

        heard_begin(&h, WIDTH, "raw", KEDGE_TERM_WEIGHT_IDF);
        check(&h, "");
        check(&h, "[using the sketch's spectrum of an earlier fit]");
        change(&h.b, which);
        check(&h, which < 15 ? ""
                             : "spectrum of index 0, weights 1 is damaged");
        check(&h, "earlier");
    }
}

/* Their spectrum takes no time, and would take more room than they do. */
TEST(few_rows_keep_nothing)
{
    for (unsigned wide = 0; wide < 2; wide++) {
        kedge_error err = {0};
        store_spectrum of;
        OWN(heard_end) heard h;

        heard_begin(&h, N / 2 + wide, "raw", KEDGE_TERM_WEIGHT_NONE);
        check(&h, "");
        ck_assert_int_eq(store_get_spectrum(h.b.p.t.txn, 0, 0, &of, &err),
                         wide ? KEDGE_ENOTFOUND : KEDGE_OK);
    }
}

/* Also where the sketch itself is damaged: the same error as without. */
TEST(lost_rows_are_told)
{
    kedge_error err = {0};
    spectrum got;
    OWN(heard_end) heard h;
    bench *const b = &h.b;

    heard_begin(&h, WIDTH, "raw", KEDGE_TERM_WEIGHT_NONE);
    check(&h, "");
    bench_rest(b);
    scene_write(&b->p.t);
    ck_ok(store_drop_rows(b->p.t.txn, b->f.index.rows, &err), err);
    scene_commit(&b->p.t);
    ck_fails(make(b, &got, &err), KEDGE_ENOTFOUND, err, "sketch chunk 0");
}

TEST(a_full_disk_costs_the_next_fit_its_time)
{
    struct rlimit before, full;
    store_spectrum of;
    kedge_error err = {0};
    OWN(heard_end) heard h;
    bench *const b = &h.b;
    spectrum got;

    heard_begin(&h, WIDTH, "raw", KEDGE_TERM_WEIGHT_NONE);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    full = before;
    full.rlim_cur = 8192;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &full), 0);
    h.said[0] = '\0';
    bench_rest(b);
    const kedge_status st = make(b, &got, &err);
    bench_read(b);
    setrlimit(RLIMIT_FSIZE, &before);
    ck_ok(st, err);
    ck_assert_msg(strstr(h.said, "cannot be kept for later fits") != NULL,
                  "%s", h.said);
    ck_assert(same(&got, &b->f.spectrum));
    ck_assert_int_eq(store_get_spectrum(b->p.t.txn, 0, 0, &of, &err),
                     KEDGE_ENOTFOUND);
    spectrum_free(&got);
    check(&h, "");
    check(&h, "earlier");
}

/* ---- eigenpairs ---------------------------------------------------------- */

/* One more than so many topics. */
static const double *all_values(bench *b, uint64_t most)
{
    static double wanted[N + 3];
    kedge_error err = {0};

    mem_free(b->f.values);
    b->f.most = most;
    b->o.eigenvalues = wanted;
    bench_rest(b);
    ck_ok(fit_eigenvalues(&b->f, &err), err);
    bench_read(b);
    return b->f.values;
}

/* Those with vectors, and one more beside them. */
static void check_values(bench *b)
{
    double values[TOPICS];
    double *const vectors = calloc(N * TOPICS, sizeof *vectors);
    kedge_error err = {0};
    spectrum_error e;

    ck_ok(fit_eigenpairs(&b->f, TOPICS, vectors, values, &e, &err), err);
    ck_assert(isfinite(e.eigenspace) && e.unexplained < 1);
    const double *const more = all_values(b, TOPICS);
    for (size_t c = 0; c < TOPICS; c++)
        ck_assert_double_eq_tol(more[c], values[c], 1e-3 * values[0]);
    ck_assert_double_le(more[TOPICS], more[TOPICS - 1]);
    ck_assert_double_gt(more[TOPICS], 0);
    free(vectors);
}

TEST(one_more_is_known_wherever_they_come_from)
{
    kedge_error err = {0};
    BENCH(b, 2, 100);
    check_values(&b);
    b.o.power_iter = 1;
    b.f.plan.block = 24;
    ck_ok(refine_create(&b.f, &b.f.refined, &err), err);
    check_values(&b);
    refine_free(b.f.refined);
    b.f.refined = NULL;
    b.f.exact = bench_exact(&b, false);
    check_values(&b);
}

TEST(where_there_are_fewer_is_said)
{
    const double *values;
    BENCH(b, 1, 64);
    values = all_values(&b, N + 2);
    ck_assert(!isnan(values[b.f.spectrum.count - 1]));
    ck_assert(isnan(values[b.f.spectrum.count]));
    b.f.exact = bench_exact(&b, false);
    values = all_values(&b, N + 2);
    ck_assert(!isnan(values[N - 1]));
    for (size_t c = N; c < N + 3; c++)
        ck_assert(isnan(values[c]));
}
