/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_PLAN_H
#define PIPELINE_PLAN_H
/*
 * The memory plan: what a command will take at most, added up before it begins
 * and refused with its figures when the budget is smaller. That of a sketch is
 * in views/viewplan.h, that of a fit in fit/fitplan.h.
 */
#include <kedge/control.h>

#include <stdbool.h>

#include "io/reader.h"
#include "store/store.h"

/* The program itself: code, libraries, stacks, and small things. */
#define PLAN_PROGRAM (UINT64_C(11) << 20)
/* And what of the store's map is in memory (MAPPED_MOST). */
#define PLAN_MAP (UINT64_C(16) << 20)
#define PLAN_BASE (PLAN_PROGRAM + PLAN_MAP)
/* A thread: its stack, its share of the allocator; and the BLAS's buffers. */
#define PLAN_THREAD_ALONE (UINT64_C(1) << 20)
#define PLAN_THREAD (UINT64_C(4) << 20)

/* Words that a batch may bring: reading ends it there, so that what they take
 * is planned for before they are read. */
#define PLAN_NEW_WORDS ((size_t)1 << 17)

/* Bytes that a line may have however small the budget is. */
#define PLAN_LINE ((size_t)1 << 20)

/* What is known of the documents to come, before the first is read. */
typedef struct plan_input {
    uint64_t text;   /* bytes, about; 0: nothing of it is known */
    uint64_t window; /* bytes that zstd needs for it */
    uint64_t stored; /* documents that the store will have, about */
    bool numbered;   /* words come by number: without order, nor ids */
} plan_input;

/* Where memory is short, or there is little to read, turns are smaller. Where
 * it is short, so are the windows of zstd data
 * that are taken. What the budget leaves goes to long lines and large
 * documents. */
typedef struct ingest_plan {
    plan_input input;
    uint64_t width;    /* of the sketch */
    bool spilled;      /* it lives in a file-backed mapping */
    unsigned halvings; /* of a turn (slot_limits_of) */
    reader_room room;
    uint64_t documents, id_pages; /* of a turn that stores and sketches not */
    uint64_t total;    /* at least, with the smallest turns that there are */
    uint64_t most;     /* with these, but for what is large (plan_large) */
} ingest_plan;

/* Storing documents without a sketch, asked for again when words and documents
 * have come: `out` has the input and what was planned before, or zeros, and
 * turns do not become larger again. EBUDGET when even the smallest turns do not
 * fit. */
kedge_status plan_storing(uint64_t vocabulary, uint64_t word_bytes,
                          const kedge_control *control, ingest_plan *out,
                          kedge_error *err);

/* The words of the store, in a transaction for reading, or the second in one of
 * its own. EBUDGET where the budget has no room for the list itself, before any
 * of it is read. */
kedge_status plan_get_words(store_txn *txn, const kedge_control *control,
                            words *out, kedge_error *err);
kedge_status plan_load_words(store *s, const kedge_control *control,
                             store_totals *totals, words *out,
                             kedge_error *err);

/* Going through the documents as they are stored, without a sketch. */
typedef struct walk_shape {
    const char *what; /* "removing": begins the message of EBUDGET */
    plan_input input; /* of plan_arrivals */
    unsigned threads;
    uint64_t vocabulary, word_bytes;
    uint64_t blocks;  /* decoded at a time */
    /* Of a store that is only read, by small matrices: bytes of what is looked
     * at, and its largest block. Zeros: not known. */
    uint64_t read;
    store_block_size largest;
    uint64_t more;    /* bytes: whatever else the command holds */
} walk_shape;

/* Bytes of a word's tf and df, of those that they are compared with, of its
 * hash and of its counts being put, where a command holds them. */
#define PLAN_COUNTS (4 * 8 + 8 + 32)

kedge_status plan_walk(const walk_shape *shape, const kedge_control *control,
                       uint64_t *total, kedge_error *err);

/* The same with a reader beside it, for documents that are not stored: `room`
 * is how far that may go. */
kedge_status plan_arrivals(const walk_shape *shape,
                           const kedge_control *control, reader_room *room,
                           uint64_t *total, kedge_error *err);

/* Documents of a turn that stores and sketches not, into a store that has
 * `stored`. Their ids come in any order: each turn writes as many pages of
 * their tree as it has ids, or all of them, so larger turns write fewer. */
uint64_t plan_documents(const ingest_plan *p, uint64_t stored);

/* Bytes beyond `most` where a line's buffer and the entries of a document grew
 * to so much: within the budget while they are within `room`. */
uint64_t plan_large(const ingest_plan *p, uint64_t line, uint64_t entries);

/* Bytes of a transaction that puts or drops `touched` ids, of `documents` that
 * the store has: pages of their tree, as many as it has at most, or as LMDB
 * keeps before it writes them out. */
uint64_t plan_ids(uint64_t touched, uint64_t documents);

/* What plans of others are made of. */

/* Bytes of words with their order, counts, hashes, and a merge of two lists. */
uint64_t plan_words(uint64_t vocabulary, uint64_t word_bytes);

/* Words of the store that are none of the model's: where each one's text is,
 * and that it has no number, as the fit and as the sketch that follows have
 * it. */
uint64_t plan_others(uint64_t all, uint64_t vocabulary);

/* Of a turn: as many as leave room for all that there is to read. */
unsigned plan_halvings(const plan_input *in);

/* What a reader may take at least, by `input` and `halvings`. */
reader_room plan_least_room(const ingest_plan *p);

/* What `total` leaves: half for a line, a quarter for a document's entries, and
 * one for more documents and the pages that their ids are on. */
void plan_room(ingest_plan *out, uint64_t memory);

/* EBUDGET: "`what` takes ..., the budget is ...; `advice`". `needed`: as little
 * as it can take. */
kedge_status plan_refuse(const char *what, uint64_t needed,
                         const kedge_control *control, const char *advice,
                         kedge_error *err);

/* "1.4 GiB" into a buffer of 16 bytes, which is returned. */
char *plan_size(uint64_t bytes, char text[16]);

#endif
