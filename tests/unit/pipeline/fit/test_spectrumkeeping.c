/* SPDX-License-Identifier: MIT */
#include "pipeline/fit/spectrumkeeping.h"

#include <signal.h>
#include <sys/resource.h>

#include "base/bytes.h"
#include "base/gate.h"
#include "pipeline/laboratory.h"
#include "store/kv.h"

#define WIDTH 40 /* of 150 words */

/* What was said while it was made. */
typedef struct hearing {
    kedge_control control;
    char said[1000];
} hearing;

static void hear(void *data, const char *line)
{
    hearing *const h = data;
    const size_t used = strlen(h->said);

    snprintf(h->said + used, sizeof h->said - used, "[%s]", line);
}

static spectrumkeeping_input input(bench *b, hearing *h, kedge_weight weight)
{
    *h = (hearing){.control = {.threads = 2, .log = hear, .data = h}};
    return (spectrumkeeping_input){b->p.t.s, 0, &b->view, &b->z, weight,
                                   &h->control, b->threads};
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
static spectrum plain(bench *b, const spectrumkeeping_input *in)
{
    kedge_error err = {0};
    spectrum out;

    ck_ok(spectrum_gram(&in->z->rows, b->threads, &out, &err), err);
    ck_ok(spectrum_solve(&out, in->z->rows.weight != NULL ? SPECTRUM_RIDGE : 0,
                         &err), err);
    return out;
}

/* That `in` gives what a fit without a store would; `says`: what is said, ""
 * where it is silent. */
static void check(bench *b, const spectrumkeeping_input *in, hearing *h,
                  const char *says)
{
    kedge_error err = {0};
    spectrum wanted = plain(b, in), got;
    double sums[N];

    memcpy(sums, in->z->sums, sizeof sums);
    memset(in->z->sums, 0, sizeof sums);
    h->said[0] = '\0';
    bench_rest(b);
    ck_ok(spectrumkeeping_make(in, &got, &err), err);
    bench_read(b);
    ck_assert(same(&wanted, &got));
    ck_assert_mem_eq(sums, in->z->sums, in->z->rows.rows * sizeof *sums);
    if (says[0] == '\0')
        ck_assert_str_eq(h->said, "");
    else
        ck_assert_msg(strstr(h->said, says) != NULL, "%s", h->said);
    spectrum_free(&wanted);
    spectrum_free(&got);
}

START_TEST(what_was_made_is_taken)
{
    for (int weight = 0; weight < 3; weight++) {
        bench b;
        hearing h;

        bench_begin_with(&b, 2, WIDTH, weight == 1 ? "log" : "joint",
                         weight > 0);
        const spectrumkeeping_input in = input(&b, &h, (kedge_weight)weight);
        check(&b, &in, &h, "");
        for (int again = 0; again < 2; again++)
            check(&b, &in, &h, "that of an earlier fit");
        bench_end(&b);
    }
}
END_TEST

/* Beyond doubt: another's values are given as they are. */
START_TEST(it_is_not_made_again)
{
    kedge_error err = {0};
    store_spectrum of;
    hearing h;
    spectrum got;
    bench b;

    bench_begin(&b, 2, WIDTH);
    const spectrumkeeping_input in = input(&b, &h, KEDGE_WEIGHT_NONE);
    check(&b, &in, &h, "");
    ck_ok(store_get_spectrum(b.p.t.txn, 0, 0, &of, &err), err);
    b.spectrum.values[0] = 42;
    bench_rest(&b);
    ck_ok(store_begin_write(b.p.t.s, &b.p.t.txn, &err), err);
    ck_ok(store_put_spectrum(
              b.p.t.txn, 0, 0, &of,
              &(store_spectrum_arrays){b.spectrum.zz, b.spectrum.zo,
                                       b.spectrum.turn, b.spectrum.values},
              &err),
          err);
    ck_ok(store_commit(&b.p.t.txn, &err), err);
    ck_ok(spectrumkeeping_make(&in, &got, &err), err);
    ck_assert_double_eq(got.values[0], 42);
    ck_assert(same(&got, &b.spectrum));
    spectrum_free(&got);
    bench_end(&b);
}
END_TEST

/* The last row. */
static void leave_out(bench *b)
{
    static uint32_t place[N];
    kedge_error err = {0};

    for (uint32_t i = 0; i < N; i++)
        place[i] = i;
    ck_ok(sketchrows_pick(&b->z, place, N, &err), err);
    b->z.rows.rows = --b->view.words;
}

/* Whatever is not as it was, one after the other. */
static void change(bench *b, spectrumkeeping_input *in, int which)
{
    store_view *const v = &b->view;
    uint64_t *const watermark[] = {&v->blocks, &v->removals, &v->documents,
                                   &v->seed, &v->min_tokens};
    uint32_t *const bits[] = {&v->statistic, &v->weight_bits, &v->value_bits};

    if (which < 5)
        ++*watermark[which];
    else if (which < 8)
        ++*bits[which - 5];
    else if (which == 8)
        b->z.key[N - 1] ^= 1; /* another word */
    else if (which == 9)
        b->weight[N / 2] += 1e-15;
    else if (which == 10)
        leave_out(b); /* a word that no document has any more */
    else if (which == 11)
        in->number++;
    else
        in->weight = KEDGE_WEIGHT_SQRT;
}

START_TEST(it_is_of_exactly_these_rows)
{
    for (int which = 0; which < 13; which++) {
        hearing h;
        bench b;

        bench_begin_with(&b, 2, WIDTH, "joint", true);
        spectrumkeeping_input in = input(&b, &h, KEDGE_WEIGHT_IDF);
        check(&b, &in, &h, "");
        check(&b, &in, &h, "earlier");
        change(&b, &in, which);
        check(&b, &in, &h, "");
        check(&b, &in, &h, "earlier");
        bench_end(&b);
    }
}
END_TEST

/* Sums tell of documents that watermarks would not tell of. */
START_TEST(other_rows_have_other_sums)
{
    hearing h;
    bench b;

    bench_begin(&b, 2, WIDTH);
    const spectrumkeeping_input in = input(&b, &h, KEDGE_WEIGHT_NONE);
    check(&b, &in, &h, "");
    b.z.scale *= 2;
    check(&b, &in, &h, "");
    check(&b, &in, &h, "earlier");
    bench_end(&b);
}
END_TEST

/* Of the record and of a chunk. */
START_TEST(another_processors_is_made_again)
{
    kedge_error err = {0};
    store_spectrum of;
    hearing h;
    bench b;

    bench_begin(&b, 2, WIDTH);
    const spectrumkeeping_input in = input(&b, &h, KEDGE_WEIGHT_NONE);
    check(&b, &in, &h, "");
    ck_ok(store_get_spectrum(b.p.t.txn, 0, 0, &of, &err), err);
    ck_assert_ptr_nonnull(strstr(of.arithmetic, "openblas"));
    of.arithmetic[0] = 'O';
    bench_rest(&b);
    ck_ok(store_begin_write(b.p.t.s, &b.p.t.txn, &err), err);
    ck_ok(store_put_spectrum(
              b.p.t.txn, 0, 0, &of,
              &(store_spectrum_arrays){b.spectrum.zz, b.spectrum.zo,
                                       b.spectrum.turn, b.spectrum.values},
              &err),
          err);
    ck_ok(store_commit(&b.p.t.txn, &err), err);
    bench_read(&b);
    check(&b, &in, &h, "");
    check(&b, &in, &h, "earlier");
    bench_end(&b);
}
END_TEST

/* One byte of the record, or of its only chunk. */
static void spoil(bench *b, size_t key_size)
{
    static const uint8_t key[12] = {0};
    const kv_key at = {key_size == 8 ? DB_SPECTRA : DB_SPECTRUM, key, key_size};
    kedge_error err = {0};
    const uint8_t *bytes;
    uint8_t *copy;
    size_t size;

    bench_rest(b);
    ck_ok(store_begin_write(b->p.t.s, &b->p.t.txn, &err), err);
    ck_ok(kv_get(b->p.t.txn, at, &bytes, &size, &err), err);
    copy = malloc(size);
    memcpy(copy, bytes, size);
    copy[size - 20] ^= 4;
    ck_ok(kv_put(b->p.t.txn, at, copy, size, &err), err);
    ck_ok(store_commit(&b->p.t.txn, &err), err);
    bench_read(b);
    free(copy);
}

START_TEST(damage_is_mended)
{
    for (size_t key_size = 8; key_size <= 12; key_size += 4) {
        hearing h;
        bench b;

        bench_begin(&b, 2, WIDTH);
        const spectrumkeeping_input in = input(&b, &h, KEDGE_WEIGHT_NONE);
        check(&b, &in, &h, "");
        spoil(&b, key_size);
        check(&b, &in, &h, "spectrum of view 0, weights 0 is damaged");
        check(&b, &in, &h, "[the spectrum is that of an earlier fit]");
        bench_end(&b);
    }
}
END_TEST

/* Their spectrum takes no time, and would take more room than they do. */
START_TEST(few_rows_keep_nothing)
{
    for (int wide = 0; wide < 2; wide++) {
        kedge_error err = {0};
        store_spectrum of;
        hearing h;
        bench b;

        bench_begin(&b, 2, N / 2 + (unsigned)wide);
        const spectrumkeeping_input in = input(&b, &h, KEDGE_WEIGHT_NONE);
        check(&b, &in, &h, "");
        ck_assert_int_eq(store_get_spectrum(b.p.t.txn, 0, 0, &of, &err),
                         wide ? KEDGE_ENOTFOUND : KEDGE_OK);
        bench_end(&b);
    }
}
END_TEST

/* Also where the sketch itself is damaged: the same error as without. */
START_TEST(lost_rows_are_told)
{
    kedge_error err = {0};
    spectrum got;
    hearing h;
    bench b;

    bench_begin(&b, 2, WIDTH);
    const spectrumkeeping_input in = input(&b, &h, KEDGE_WEIGHT_NONE);
    check(&b, &in, &h, "");
    bench_rest(&b);
    scene_write(&b.p.t);
    ck_ok(store_drop_rows(b.p.t.txn, b.view.rows, &err), err);
    ck_ok(store_commit(&b.p.t.txn, &err), err);
    ck_fails(spectrumkeeping_make(&in, &got, &err), KEDGE_ENOTFOUND, err,
             "sketch chunk 0");
    bench_end(&b);
}
END_TEST

START_TEST(a_full_disk_costs_the_next_fit_its_time)
{
    struct rlimit before, full;
    store_spectrum of;
    kedge_error err = {0};
    hearing h;
    bench b;

    bench_begin(&b, 2, WIDTH);
    const spectrumkeeping_input in = input(&b, &h, KEDGE_WEIGHT_NONE);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    full = before;
    full.rlim_cur = 8192;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &full), 0);
    h.said[0] = '\0';
    spectrum got;
    bench_rest(&b);
    const kedge_status st = spectrumkeeping_make(&in, &got, &err);
    bench_read(&b);
    setrlimit(RLIMIT_FSIZE, &before);
    ck_ok(st, err);
    ck_assert_msg(strstr(h.said, "cannot be kept for later fits") != NULL,
                  "%s", h.said);
    ck_assert(same(&got, &b.spectrum));
    ck_assert_int_eq(store_get_spectrum(b.p.t.txn, 0, 0, &of, &err),
                     KEDGE_ENOTFOUND);
    spectrum_free(&got);
    check(&b, &in, &h, "");
    check(&b, &in, &h, "earlier");
    bench_end(&b);
}
END_TEST

START_TEST(without_memory)
{
    kedge_error err = {0};
    hearing h;
    bench b;

    bench_begin(&b, 1, WIDTH);
    const spectrumkeeping_input in = input(&b, &h, KEDGE_WEIGHT_NONE);
    bench_rest(&b);
    for (int kept = 0; kept < 2; kept++)
        for (long k = 0;; k++) {
            spectrum got = {0};
            gate_allow(k);
            const kedge_status st = spectrumkeeping_make(&in, &got, &err);
            gate_open();
            if (st == KEDGE_OK) {
                ck_assert(same(&got, &b.spectrum));
                spectrum_free(&got);
                break;
            }
            ck_assert_int_eq(st, KEDGE_ENOMEM);
            ck_assert_ptr_null(got.zz);
            ck_assert_int_lt(k, 100);
        }
    ck_assert_ptr_nonnull(strstr(h.said, "earlier"));
    bench_end(&b);
}
END_TEST

UNIT_SUITE("spectrumkeeping",
    what_was_made_is_taken,
    it_is_not_made_again,
    it_is_of_exactly_these_rows,
    other_rows_have_other_sums,
    another_processors_is_made_again,
    damage_is_mended,
    few_rows_keep_nothing,
    lost_rows_are_told,
    a_full_disk_costs_the_next_fit_its_time,
    without_memory)
