/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_SHARES_SHOWING_H
#define PIPELINE_SHARES_SHOWING_H
/*
 * The documents of a store one after the other, as a model sees them, and where
 * that is asked for with the compositions that are kept of them. They come in
 * the order of the store, as kedge_documents gives them, in one transaction.
 */
#include "pipeline/ingest/sourcenames.h"
#include "pipeline/models/model.h"
#include "pipeline/shares/kept.h"
#include "pipeline/shares/portion.h"

typedef struct showing_input {
    store *s;
    const kedge_model *m; /* loaded from it */
    const kedge_control *control; /* NULL: the usual */
    const char *stage; /* of progress */
    bool composed;     /* with compositions, which are of all documents then */
    uint64_t more;     /* bytes that the caller takes meanwhile */
} showing_input;

typedef struct showing_document {
    const char *id;
    size_t id_size;
    const uint32_t *row, *tally; /* count: words of the model, rows rising */
    size_t count;
    uint64_t tokens;      /* the sum of the tallies */
    const double *shares; /* topics: of the sum one; NULL: not asked for */
} showing_document;

typedef struct showing {
    showing_input in;
    store_txn *txn; /* from the first document to the last */
    kedge_control usual;
    store_totals totals;
    sourcenames names;
    sight sight;
    portion now;
    size_t at;     /* of now, to be shown next */
    uint64_t next; /* block */
    kept_look look;
    kept_walk walk;
    size_t kept_at; /* of the walk's portion */
    double *shares;
    uint64_t shown;
    double start;
    showing_document out;
    char id[STORE_ID_MAX + 1];
} showing;

/* Nothing else is done with the store until showing_close, which is needed
 * after a failure too. EBUDGET; where compositions are asked for as
 * showing_check. `in` is copied. */
kedge_status showing_open(showing *w, const showing_input *in,
                          kedge_error *err);
void showing_close(showing *w);

/* The next document, which lasts until the next call; NULL after the last.
 * ECANCELED, ECORRUPT, EIO, ENOMEM. */
kedge_status showing_next(showing *w, const showing_document **out,
                          kedge_error *err);

/* ENOTFOUND where no compositions are kept with the model, EINVAL where they
 * are not of all documents that there are now, or of another model of its name:
 * the text says what makes them. Outside of any transaction. */
kedge_status showing_check(store *s, const kedge_model *m, kedge_error *err);

#endif
