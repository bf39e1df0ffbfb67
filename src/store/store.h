/* SPDX-License-Identifier: MIT */
#ifndef STORE_STORE_H
#define STORE_STORE_H
/*
 * Everything that lasts, in one LMDB environment; FORMAT.md has every byte.
 * This module knows nothing of sketches or models beyond their records: rows of
 * integers, rows of doubles, and the small structs below.
 *
 * Reads happen in the snapshot of the last store_begin_*: one at a time, ended
 * by store_commit or store_abort. A write transaction sees its own writes. A
 * process opens a store once at a time (LMDB asks for that).
 * LMDB's map cannot grow inside a transaction, so store_begin_write takes what
 * is to be written at most and grows the map before it starts.
 */
#include <kedge/store.h>

#include "base/docs.h"
#include "base/words.h"

typedef kedge_store store; /* the public handle is this module's */

#define STORE_FORMAT 1 /* version of what FORMAT.md describes */

/* "lmdb 0.9.24, zstd 1.5.4": what this was built with. Never freed. */
const char *store_library_versions(void);

/* The directory, as it was given; bytes of its data file. */
const char *store_path(const store *s);
uint64_t store_disk_bytes(const store *s);

kedge_status store_begin_read(store *s, kedge_error *err);
/* `reserve`: bytes of values to be put at most, before compression or after. A
 * put that goes beyond it and finds the map full is EMISUSE. EBUSY is found at
 * kedge_store_open already: the one writer holds a lock on the directory.
 * What was put stays in memory until the commit, `reserve` bytes at most. */
kedge_status store_begin_write(store *s, uint64_t reserve, kedge_error *err);
kedge_status store_commit(store *s, kedge_error *err); /* durable when OK */
void store_abort(store *s); /* nothing open: no effect */

/* ---- totals -------------------------------------------------------------- */

typedef struct store_totals {
    uint64_t documents, tokens, nonzeros, words;
    uint64_t blocks;    /* the next block's number */
    uint64_t sources;   /* the next source's number */
    uint64_t models;    /* fitted so far: the next model's serial */
    uint64_t digest[2]; /* sums over documents, modulo 2^64 */
} store_totals;

kedge_status store_get_totals(store *s, store_totals *out, kedge_error *err);
kedge_status store_put_totals(store *s, const store_totals *t,
                              kedge_error *err);

/* ---- documents: numbered blocks ------------------------------------------ */

/* A big record on its way in or out, with the scratch memory that it takes. An
 * empty one is {0}; it grows as needed and is reused. `codec` takes about 3 MB
 * more once something was compressed. */
typedef struct store_frame {
    uint8_t *bytes; /* the record as it is stored */
    size_t size, capacity;
    uint8_t *plain; /* scratch: before compression */
    size_t plain_capacity;
    void *codec; /* scratch: compression contexts, made when first needed */
} store_frame;

typedef store_frame store_block; /* `source` is a ledger number */

void store_block_free(store_block *b);

/* Pure work, no store needed: encodes documents from..from+count-1 of the
 * batch (delta + varint, zstd with checksum). Any thread, a block each. */
kedge_status store_block_encode(store_block *b, uint32_t source, const docs *d,
                                size_t from, size_t count, kedge_error *err);
/* Decodes a record, appending to `out`. ECORRUPT names the block number, which
 * serves for that alone. */
kedge_status store_block_decode(store_block *scratch, uint64_t number,
                                const uint8_t *bytes, size_t size,
                                uint32_t *source, docs *out, kedge_error *err);

kedge_status store_put_block(store *s, uint64_t number, const store_block *b,
                             kedge_error *err);
/* The record in the map: valid until the transaction ends. ENOTFOUND. */
kedge_status store_get_block(store *s, uint64_t number, const uint8_t **bytes,
                             size_t *size, kedge_error *err);

/* ---- vocabulary ---------------------------------------------------------- */

/* Appends words w[from .. w->count) with ids from `from` on. */
kedge_status store_put_words(store *s, const words *w, size_t from,
                             kedge_error *err);
/* All of them; out must be empty. */
kedge_status store_get_words(store *s, words *out, kedge_error *err);
/* tf and df of words 0 .. count-1. Counts of words that were never put are
 * ENOTFOUND. */
kedge_status store_put_counts(store *s, const uint64_t *tf, const uint64_t *df,
                              size_t count, kedge_error *err);
kedge_status store_get_counts(store *s, uint64_t *tf, uint64_t *df,
                              size_t count, kedge_error *err);

/* ---- ledger -------------------------------------------------------------- */

typedef struct store_source {
    char name[256];
    uint64_t words;     /* lines of the vocabulary it came with */
    uint64_t position;  /* of the last document committed, 0: none */
    uint64_t documents, tokens, nonzeros; /* kept */
    uint64_t bad, empty; /* bad: so far; empty: once complete */
    uint64_t digest;    /* chained over documents up to `position` */
    bool complete;
    uint64_t when; /* seconds since 1970, when last written */
} store_source;

kedge_status store_put_source(store *s, uint64_t number, const store_source *r,
                              kedge_error *err);
kedge_status store_get_source_record(store *s, uint64_t number,
                                     store_source *out, kedge_error *err);

/* ---- views and their sketches -------------------------------------------- */

/* What a sketch is of, and how far it has come. */
typedef struct store_view {
    uint32_t statistic;  /* 0: joint, g(h) = h, w = 1/(n(n-1)) */
    uint32_t weight_bits; /* S: document weights are scaled by 2^S */
    uint32_t value_bits; /* b: damped counts are scaled by 2^b, 0 for joint */
    uint64_t width, seed, min_tokens;
    uint64_t words;      /* rows: the vocabulary's first `words` ids */
    uint64_t blocks;     /* watermark: blocks 0 .. blocks-1 are in it */
    uint64_t documents, skipped, tokens; /* counted, too short, of counted */
    uint32_t rows; /* the number that its rows are stored under */
} store_view;

kedge_status store_put_view(store *s, uint32_t number, const store_view *v,
                            kedge_error *err);
/* ENOTFOUND when there is no such view. */
kedge_status store_get_view_record(store *s, uint32_t number, store_view *out,
                                   kedge_error *err);

/* Rows of a sketch are stored in chunks of STORE_CHUNK_ROWS words in the order
 * of the words' bytes, each row its sum (C·1) and then `width` integers.
 *
 * `view` is the number in store_view.rows: 0 will do for view 0 if all rows are
 * put in the transaction that puts the view. A sketch too big for one (see
 * store_begin_write) goes under a number that is not in use, over several
 * transactions; the last one puts the view with that number and drops the rows
 * under the old one. Rows that no view names are what an interruption left. */
#define STORE_CHUNK_ROWS 256

typedef store_frame store_rows;

void store_rows_free(store_rows *r);
/* Pure work: `rows` x (1 + width) integers, row-major. Any thread. */
kedge_status store_rows_encode(store_rows *r, const int64_t *values,
                               size_t rows, size_t width, kedge_error *err);
/* ECORRUPT names view and chunk, which a stored record knows. `values` has room
 * for rows x (1 + width). */
kedge_status store_rows_decode(store_rows *scratch, const uint8_t *bytes,
                               size_t size, size_t rows, size_t width,
                               int64_t *values, kedge_error *err);
kedge_status store_put_rows(store *s, uint32_t view, uint64_t chunk,
                            const store_rows *r, kedge_error *err);
kedge_status store_get_rows(store *s, uint32_t view, uint64_t chunk,
                            const uint8_t **bytes, size_t *size,
                            kedge_error *err);
/* Forgets all rows of a view (before a view of another shape is written). */
kedge_status store_drop_rows(store *s, uint32_t view, kedge_error *err);

/* ---- models: a header of bytes and named arrays of doubles --------------- */

/* The header is the model's own encoding (see model records in FORMAT.md). */
kedge_status store_put_model(store *s, const char *name, const uint8_t *header,
                             size_t size, kedge_error *err);
kedge_status store_get_model_header(store *s, const char *name,
                                    const uint8_t **header, size_t *size,
                                    kedge_error *err);
/* The i-th name in the order of bytes; ENOTFOUND past the end. */
kedge_status store_get_model_name(store *s, uint64_t i, char out[64],
                                  kedge_error *err);
/* Removes the header and every array. No effect when there is none. */
kedge_status store_drop_model(store *s, const char *name, kedge_error *err);

/* `array` is a short lower-case name. Stored in compressed chunks of about a
 * megabyte; get fails with ECORRUPT when the size is not `count`. */
kedge_status store_put_array(store *s, const char *model, const char *array,
                             const double *values, size_t count,
                             kedge_error *err);
kedge_status store_get_array(store *s, const char *model, const char *array,
                             double *values, size_t count, kedge_error *err);

/* Bytes that the store itself takes at most, beside the callers' store_frames,
 * what an open transaction has put, and the sixteen values read last, which
 * stay mapped. */
uint64_t store_memusage(void);

#endif
