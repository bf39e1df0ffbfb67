/* SPDX-License-Identifier: MIT */
#ifndef COOCCUR_PROBE_H
#define COOCCUR_PROBE_H
/*
 * The co-occurrence C as measures of a model see it: a sketch C Ω of documents,
 * with a test matrix that no model was fitted by, and with it what can be had
 * exactly: row sums and the diagonal. Since the entries of Ω are signs,
 * the mean of the squares of a row of E Ω is, on average, that row's squared
 * norm, for any E that does not depend on Ω.
 */
#include "base/pool.h"
#include "base/words.h"
#include "cooccur/sketch.h"
#include "cooccur/window.h"

#define PROBE_WIDTH_MOST 1024

typedef struct probe {
    size_t rows, width;
    double mass;      /* Σ of the documents' masses (window.h): what sums over
                         documents are divided by. 0: none had two words */
    double *sums;     /* rows: C·1, adding up to one */
    double *diagonal; /* rows: C_ii */
    /* its own */
    pool *p;
    sketch *z;
    uint64_t *key;    /* rows: of their signs */
    basket basket;
    const window *w;  /* that is added */
    double scale;     /* of the sketch's integers, once all are in */
} probe;

/* `text` is of the rows, and only looked at here; `width` columns, a multiple
 * of 64, PROBE_WIDTH_MOST at most. */
kedge_status probe_create(const words *text, size_t width, uint64_t seed,
                          pool *p, probe **out, kedge_error *err);
void probe_free(probe *z); /* accepts NULL */

/* Adds a window of documents whose words are rows. */
kedge_status probe_add(probe *z, const window *w, kedge_error *err);

/* After the last window. */
void probe_finish(probe *z);

/* Rows from .. from + count - 1 of C Ω, or of Ω itself: count x width. */
void probe_read(const probe *z, size_t from, size_t count, double *out);
void probe_signs(const probe *z, size_t from, size_t count, double *out);

#endif
