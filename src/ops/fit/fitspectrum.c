/* SPDX-License-Identifier: MIT */
/*
 * What a spectrum is made of is known by the watermarks of the index, and once
 * more by digests of what it is computed from: the keys and exact sums of the
 * rows that are used, and the weights. Sums change as soon as a document comes
 * or leaves; and as reading them reads all rows, a damaged sketch is found as
 * it is by a sweep.
 *
 * Where there are few rows, making it takes no time worth mentioning, and it
 * would take more room than the sketch itself.
 */
#include "ops/fit/fit.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"

#define WORTH 2 /* rows for each column, at least */

/* ---- which one it is ----------------------------------------------------- */

static uint64_t digest_rows(const sketchrows *z)
{
    uint64_t d = 0;
    uint8_t row[16];

    for (size_t i = 0; i < z->rows.rows; i++) {
        put_u64(row, z->rows.key[i]);
        put_f64(row + 8, z->sums[i]);
        d = hash_bytes(d, row, sizeof row);
    }
    return d;
}

/* All but the digest of the rows, which takes their sums, and the number of
 * eigenpairs, which takes the spectrum. */
static store_spectrum describe(const fit *f)
{
    const store_index *const v = &f->index;
    const sketchrows *const z = &f->z;
    store_spectrum of = {
        .blocks = v->blocks, .removals = v->removals,
        .documents = v->documents, .statistic = v->statistic,
        .weight_bits = v->weight_bits, .value_bits = v->value_bits,
        .width = v->width, .seed = v->seed, .min_tokens = v->min_tokens,
        .rows = z->rows.rows, .used = spectrum_used(v->width),
    };
    uint8_t weight[8];

    for (size_t i = 0; z->rows.weight != NULL && i < z->rows.rows; i++) {
        put_f64(weight, z->rows.weight[i]);
        of.weights = hash_bytes(of.weights, weight, sizeof weight);
    }
    spectrum_arithmetic(of.arithmetic);
    return of;
}

/* ---- one that is there --------------------------------------------------- */

static kedge_status take(fit *f, const store_spectrum *of, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    spectrum *const out = &f->spectrum;
    store_spectrum_arrays to;

    TRY(spectrum_create(&f->z.rows, out, err));
    TRY_MEM(out->turn = mem_new2(of->used, of->count, sizeof *out->turn));
    TRY_MEM(out->values = mem_new(of->count, sizeof *out->values));
    to = (store_spectrum_arrays){out->zz, out->zo, out->turn, out->values};
    TRY(store_get_spectrum_arrays(f->z.txn, f->number, f->opts->term_weight, of,
                                  &to, err));
    out->count = of->count;
    spectrum_complete(out);
out:
    if (st != KEDGE_OK)
        spectrum_free(out);
    return st;
}

/* Takes it where it is there; else *taken stays false. What is damaged is as
 * good as not there. */
static kedge_status find(fit *f, store_spectrum *wanted, bool *taken,
                         kedge_error *err)
{
    kedge_error why = {0};
    store_spectrum kept;
    kedge_status st = store_get_spectrum(f->z.txn, f->number,
                                         f->opts->term_weight, &kept, &why);

    if (st == KEDGE_ENOTFOUND)
        return KEDGE_OK;
    if (st == KEDGE_OK) {
        wanted->digest = kept.digest;
        wanted->count = kept.count;
        if (memcmp(&kept, wanted, sizeof kept) != 0)
            return KEDGE_OK;
        TRY(sketchrows_sums(&f->z, f->p, err));
        if (digest_rows(&f->z) != wanted->digest)
            return KEDGE_OK;
        st = take(f, wanted, &why);
        *taken = st == KEDGE_OK;
    }
    if (st == KEDGE_ECORRUPT || st == KEDGE_EVERSION) {
        run_log(f->control, "%s; it is computed again", why.text);
        st = KEDGE_OK;
    } else if (st != KEDGE_OK) {
        kedge_fail(err, st, "%s", why.text);
    }
out:
    return st;
}

/* ---- a new one ----------------------------------------------------------- */

/* All but the next fit's time is as it would be where it cannot be kept. */
static kedge_status put(fit *f, store_spectrum *of, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_error why = {0};
    store_txn *txn = NULL;
    const spectrum *const s = &f->spectrum;
    const store_spectrum_arrays from = {s->zz, s->zo, s->turn, s->values};

    of->digest = digest_rows(&f->z);
    of->count = s->count;
    TRY(store_begin_write(f->s, &txn, &why));
    TRY(store_put_spectrum(txn, f->number, f->opts->term_weight, of, &from,
                           &why));
    TRY(store_commit(&txn, &why));
out:
    store_abort(&txn);
    if (st == KEDGE_EIO)
        run_log(f->control, "the spectrum cannot be kept for later fits: %s",
                why.text);
    else if (st != KEDGE_OK)
        return kedge_fail(err, st, "%s", why.text);
    return KEDGE_OK;
}

kedge_status fit_make_spectrum(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    sketchrows *const z = &f->z;
    spectrum *const out = &f->spectrum;
    /* rows of a fit's own sketch go with it */
    const bool worth = z->made == NULL && z->rows.rows >= WORTH * z->rows.width;
    store_spectrum wanted;
    bool taken = false;

    *out = (spectrum){0};
    TRY(fit_begin(f, err));
    if (worth) {
        wanted = describe(f);
        TRY(find(f, &wanted, &taken, err));
    }
    if (taken && f->exact == NULL) { /* else a search begins there */
        run_log(f->control, "using the sketch's spectrum of an earlier fit");
    } else if (!taken) {
        TRY(spectrum_gram(&z->rows, f->p, out, err));
        sketchrows_collect(z, f->p);
        TRY(spectrum_solve(out, z->rows.weight != NULL ? SPECTRUM_RIDGE : 0,
                           err));
    }
    fit_end(f);
    if (worth && !taken)
        TRY(put(f, &wanted, err));
out:
    fit_end(f);
    if (st != KEDGE_OK)
        spectrum_free(out);
    return st;
}

/* ---- eigenpairs ---------------------------------------------------------- */

/* From the documents, where these were gone through again: C itself, or
 * refined. */
static kedge_status better_pairs(fit *f, size_t k, double *vectors,
                                 double *values, kedge_error *err)
{
    return f->exact != NULL ? exact_vectors(f->exact, k, vectors, values, err)
                            : refine_vectors(f->refined, k, vectors, values,
                                             err);
}

kedge_status fit_eigenpairs(fit *f, size_t k, double *vectors, double *values,
                            spectrum_error *out, kedge_error *err)
{
    const spectrum *const s = &f->spectrum;

    if (f->exact != NULL || f->refined != NULL) {
        PASS(better_pairs(f, k, vectors, values, err));
        return spectrum_measure(s, &f->z.rows, k, vectors, values, f->p, out,
                                err);
    }
    PASS(spectrum_vectors(s, &f->z.rows, k, f->p, vectors, err));
    memcpy(values, s->values, k * sizeof *values);
    return spectrum_estimate(s, k, out, err);
}

kedge_status fit_eigenvalues(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = f->most + 1, rows = f->index.words;
    size_t count = f->exact != NULL     ? rows
                   : f->refined != NULL ? refine_dimensions(f->refined)
                                        : f->spectrum.count;
    double *vectors = NULL;

    if (f->opts->eigenvalues == NULL)
        return KEDGE_OK;
    count = k < count ? k : count;
    TRY_MEM(f->values = mem_new(k, sizeof *f->values));
    TRY(fit_begin(f, err));
    if (f->exact == NULL && f->refined == NULL) {
        memcpy(f->values, f->spectrum.values, count * sizeof *f->values);
    } else {
        TRY_MEM(vectors = mem_new2(rows, count, sizeof *vectors));
        TRY(better_pairs(f, count, vectors, f->values, err));
    }
    for (size_t c = count; c < k; c++)
        f->values[c] = NAN;
out:
    fit_end(f);
    mem_free(vectors);
    return st;
}
