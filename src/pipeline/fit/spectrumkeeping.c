/* SPDX-License-Identifier: MIT */
/*
 * What a spectrum is made of is told by the watermarks of the view, and once
 * more by digests of what it is computed from: the keys and exact sums of the
 * rows that are used, and the weights. Sums change as soon as a document comes
 * or leaves; and as reading them reads all rows, a damaged sketch is found as
 * it is by a sweep.
 *
 * Where there are few rows, making it takes no time worth mentioning, and it
 * would take more room than the sketch itself.
 */
#include "pipeline/fit/spectrumkeeping.h"

#include <string.h>

#include "base/bytes.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"

#define WORTH 2 /* rows for each column, at least */

/* Rows of a fit's own sketch go with it. */
static bool is_worth_keeping(const spectrumkeeping_input *in)
{
    return in->z->made == NULL &&
           in->z->rows.rows >= WORTH * in->z->rows.width;
}

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

static uint64_t digest_weights(const sketchrows *z)
{
    uint64_t d = 0;
    uint8_t weight[8];

    for (size_t i = 0; z->rows.weight != NULL && i < z->rows.rows; i++) {
        put_f64(weight, z->rows.weight[i]);
        d = hash_bytes(d, weight, sizeof weight);
    }
    return d;
}

/* All but the digest of the rows, which takes their sums, and the number of
 * eigenpairs, which takes the spectrum. */
static store_spectrum describe(const spectrumkeeping_input *in)
{
    const store_view *const v = in->view;
    store_spectrum of = {
        .blocks = v->blocks, .removals = v->removals,
        .documents = v->documents, .statistic = v->statistic,
        .weight_bits = v->weight_bits, .value_bits = v->value_bits,
        .width = v->width, .seed = v->seed, .min_tokens = v->min_tokens,
        .rows = in->z->rows.rows, .weights = digest_weights(in->z),
        .used = spectrum_used(v->width),
    };

    spectrum_arithmetic(of.arithmetic);
    return of;
}

static store_spectrum_arrays arrays_of(const spectrum *s)
{
    return (store_spectrum_arrays){s->zz, s->zo, s->turn, s->values};
}

/* ---- one that is there --------------------------------------------------- */

/* Whether there is one that seems to be the one that is wanted; its digest of
 * rows and its eigenpairs are then in `wanted`. */
static kedge_status look(const spectrumkeeping_input *in,
                         store_spectrum *wanted, bool *like, kedge_error *err)
{
    store_spectrum kept;
    const kedge_status st =
        store_get_spectrum(in->z->txn, in->number, in->weight, &kept, err);

    *like = false;
    if (st != KEDGE_OK)
        return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
    wanted->digest = kept.digest;
    wanted->count = kept.count;
    *like = memcmp(&kept, wanted, sizeof kept) == 0;
    return KEDGE_OK;
}

static kedge_status take(const spectrumkeeping_input *in,
                         const store_spectrum *of, spectrum *out,
                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_spectrum_arrays to;

    TRY(spectrum_create(&in->z->rows, out, err));
    TRY_MEM(out->turn = mem_new2(of->used, of->count, sizeof *out->turn));
    TRY_MEM(out->values = mem_new(of->count, sizeof *out->values));
    to = arrays_of(out);
    TRY(store_get_spectrum_arrays(in->z->txn, in->number, in->weight, of, &to,
                                  err));
    out->count = of->count;
    spectrum_complete(out);
out:
    if (st != KEDGE_OK)
        spectrum_free(out);
    return st;
}

/* What is damaged is as good as not there. */
static kedge_status pass_over(const spectrumkeeping_input *in, kedge_status st,
                              const kedge_error *why, kedge_error *err)
{
    if (st == KEDGE_ECORRUPT || st == KEDGE_EVERSION)
        run_log(in->control, "%s; it is made again", why->text);
    else if (st != KEDGE_OK)
        return kedge_fail(err, st, "%s", why->text);
    return KEDGE_OK;
}

/* Takes it where it is there; else *taken stays false. */
static kedge_status find(const spectrumkeeping_input *in,
                         store_spectrum *wanted, spectrum *out, bool *taken,
                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_error why = {0};
    bool like;

    TRY(pass_over(in, look(in, wanted, &like, &why), &why, err));
    if (!like)
        return KEDGE_OK;
    TRY(sketchrows_sums(in->z, in->p, err));
    if (digest_rows(in->z) != wanted->digest)
        return KEDGE_OK;
    st = take(in, wanted, out, &why);
    *taken = st == KEDGE_OK;
    st = pass_over(in, st, &why, err);
out:
    return st;
}

/* ---- a new one ----------------------------------------------------------- */

static kedge_status make(const spectrumkeeping_input *in, spectrum *out,
                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const double ridge = in->z->rows.weight != NULL ? SPECTRUM_RIDGE : 0;

    TRY(spectrum_gram(&in->z->rows, in->p, out, err));
    sketchrows_collect(in->z, in->p);
    TRY(spectrum_solve(out, ridge, err));
out:
    return st;
}

static kedge_status put(const spectrumkeeping_input *in,
                        const store_spectrum *of, const spectrum *made,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const store_spectrum_arrays from = arrays_of(made);

    TRY(store_begin_write(in->s, &txn, err));
    TRY(store_put_spectrum(txn, in->number, in->weight, of, &from, err));
    TRY(store_commit(&txn, err));
out:
    store_abort(&txn);
    return st;
}

/* Without it, all but the next fit's time is as it would be. */
static kedge_status keep(const spectrumkeeping_input *in,
                         const store_spectrum *of, const spectrum *made,
                         kedge_error *err)
{
    kedge_error why = {0};
    const kedge_status st = put(in, of, made, &why);

    if (st == KEDGE_EIO)
        run_log(in->control, "the spectrum cannot be kept for later fits: %s",
                why.text);
    else if (st != KEDGE_OK)
        return kedge_fail(err, st, "%s", why.text);
    return KEDGE_OK;
}

/* *made: it is to be kept as that of `wanted`. */
static kedge_status find_or_make(const spectrumkeeping_input *in,
                                 store_spectrum *wanted, spectrum *out,
                                 bool *made, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool taken = false;

    if (in->s != NULL)
        TRY(store_begin_read(in->s, &in->z->txn, err));
    if (is_worth_keeping(in)) {
        *wanted = describe(in);
        TRY(find(in, wanted, out, &taken, err));
        if (taken)
            run_log(in->control, "the spectrum is that of an earlier fit");
    }
    if (!taken)
        TRY(make(in, out, err));
    *made = is_worth_keeping(in) && !taken;
out:
    store_abort(&in->z->txn);
    return st;
}

kedge_status spectrumkeeping_make(const spectrumkeeping_input *in,
                                  spectrum *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_spectrum wanted;
    bool made;

    *out = (spectrum){0};
    TRY(find_or_make(in, &wanted, out, &made, err));
    if (made) {
        wanted.digest = digest_rows(in->z);
        wanted.count = out->count;
        TRY(keep(in, &wanted, out, err));
    }
out:
    if (st != KEDGE_OK)
        spectrum_free(out);
    return st;
}
