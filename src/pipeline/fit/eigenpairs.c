/* SPDX-License-Identifier: MIT */
#include "pipeline/fit/eigenpairs.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

static bool of_sketch(const eigenpairs_source *s)
{
    return s->refined == NULL && s->exact == NULL;
}

/* How many there are. */
static size_t eigenpairs_count(const eigenpairs_source *s)
{
    return s->exact != NULL     ? s->rows->rows
           : s->refined != NULL ? refine_dimensions(s->refined)
                                : s->spectrum->count;
}

/* From the documents. */
static kedge_status eigenpairs_better(const eigenpairs_source *s, size_t k,
                                      double *vectors, double *values,
                                      kedge_error *err)
{
    return s->exact != NULL
               ? exact_vectors(s->exact, s->spectrum, s->rows, k, vectors,
                               values, err)
               : refine_vectors(s->refined, k, vectors, values, err);
}

kedge_status eigenpairs_find(const eigenpairs_source *s, size_t k,
                             double *vectors, double *values,
                             spectrum_error *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (of_sketch(s)) {
        TRY(spectrum_vectors(s->spectrum, s->rows, k, s->p, vectors, err));
        memcpy(values, s->spectrum->values, k * sizeof *values);
        TRY(spectrum_estimate(s->spectrum, k, out, err));
    } else {
        TRY(eigenpairs_better(s, k, vectors, values, err));
        TRY(spectrum_measure(s->spectrum, s->rows, k, vectors, values, s->p,
                             out, err));
    }
out:
    return st;
}

kedge_status eigenpairs_values(const eigenpairs_source *s, size_t k,
                               double *values, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t all = eigenpairs_count(s), count = k < all ? k : all;
    double *vectors = NULL;

    if (of_sketch(s)) {
        memcpy(values, s->spectrum->values, count * sizeof *values);
    } else {
        TRY_MEM(vectors = mem_new2(s->rows->rows, count, sizeof *vectors));
        TRY(eigenpairs_better(s, count, vectors, values, err));
    }
    for (size_t c = count; c < k; c++)
        values[c] = NAN;
out:
    mem_free(vectors);
    return st;
}
