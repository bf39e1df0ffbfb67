/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_PARTS_ROWFLOW_H
#define PIPELINE_PARTS_ROWFLOW_H
/*
 * Rows of sketches, one after the other, out of chunks and into chunks,
 * wherever these come from and go.
 */
#include "store/store.h"

/* Rows that come. The caller fills all but the last two. */
typedef struct rowflow {
    size_t rows, width;
    /* `rows` rows of a chunk to `values`. */
    kedge_status (*fetch)(void *data, size_t chunk, size_t rows,
                          int64_t *values, kedge_error *err);
    void *data;
    size_t at;       /* rows that were given */
    int64_t *values; /* of the chunk at hand */
} rowflow;

/* The next row: its sum, then its values; they stay until the next. Not past
 * the last. */
kedge_status rowflow_next(rowflow *f, int64_t **row, kedge_error *err);
void rowflow_free(rowflow *f);

/* The saved rows of a view. */
typedef struct rowstore {
    store_txn *txn;
    uint32_t number; /* that they are under */
    size_t width;
    store_rows scratch;
} rowstore;

/* rowflow.fetch of a rowstore. */
kedge_status rowstore_fetch(void *data, size_t chunk, size_t rows,
                            int64_t *values, kedge_error *err);

/* Rows that go. The caller fills the first three. */
typedef struct rowsink {
    size_t width;
    /* A chunk as it is encoded. */
    kedge_status (*put)(void *data, size_t chunk, store_rows *rows,
                        kedge_error *err);
    void *data;
    size_t chunks, held; /* that went; rows of the next */
    int64_t *values;
    store_rows frame;
} rowsink;

/* Room for the next row, until it is asked for again. */
kedge_status rowsink_row(rowsink *k, int64_t **row, kedge_error *err);
/* The last chunk goes. */
kedge_status rowsink_end(rowsink *k, kedge_error *err);
void rowsink_free(rowsink *k);

/* Adds a row to another: sums, then so many values. ENUMERIC where a sum
 * outgrows its 64 bits. */
kedge_status rowflow_add(int64_t *to, const int64_t *row, size_t width,
                         kedge_error *err);

#endif
