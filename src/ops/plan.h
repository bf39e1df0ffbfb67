/* SPDX-License-Identifier: MIT */
#ifndef OPS_PLAN_H
#define OPS_PLAN_H
/*
 * The memory plan: what a command will take at most, added up before it begins
 * (memory.h) and refused with its figures when the budget is smaller. Where the
 * budget leaves a choice, as of the size of batches, it is made here.
 */
#include <kedge/control.h>
#include <kedge/fit.h>

#include <stdbool.h>

#include "io/reader.h"
#include "ops/memory.h"
#include "store/store.h"

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

/* Words that a batch of it may bring. */
size_t plan_new_words(const plan_input *in);

/* Where memory is short, or there is little to read, batches are smaller. Where
 * it is short, so are the windows of zstd data that are accepted. What the
 * budget leaves goes to long lines and large documents. */
typedef struct ingest_plan {
    plan_input input;
    uint64_t width;    /* of the sketch */
    bool spilled;      /* it lives in a file-backed mapping */
    unsigned halvings; /* of a batch (batch_limits_of) */
    reader_room room;
    uint64_t documents, id_pages; /* of a batch that is not sketched */
    uint64_t total;    /* at least, with the smallest batches */
    uint64_t most;     /* with these, but for what is large (plan_large) */
} ingest_plan;

/* Storing documents without a sketch, asked for again when words and documents
 * have come: `out` has the input and what was planned before, or zeros, and
 * batches do not become larger again. EBUDGET when even the smallest do not
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
    plan_input input; /* of plan_outside */
    unsigned threads;
    uint64_t vocabulary, word_bytes;
    uint64_t blocks;  /* decoded at a time */
    /* Of a store that is only read, by small matrices: bytes of what is looked
     * at, and its largest block. Zeros: not known. */
    uint64_t read;
    store_block_size largest;
    uint64_t more;    /* bytes: whatever else the command holds */
} walk_shape;

kedge_status plan_walk(const walk_shape *shape, const kedge_control *control,
                       uint64_t *total, kedge_error *err);

/* The same with a reader of documents that are not stored; `room` is how far
 * that may go. */
kedge_status plan_outside(const walk_shape *shape,
                           const kedge_control *control, reader_room *room,
                           uint64_t *total, kedge_error *err);

/* Documents of a batch that is stored and not sketched, in a store that has
 * `stored`. Their ids come in any order: each batch writes as many pages of
 * their tree as it has ids, or all of them, so larger batches write fewer. */
uint64_t plan_documents(const ingest_plan *p, uint64_t stored);

/* Bytes beyond `most` where a line's buffer and the entries of a document grew
 * to so much: within the budget while they are within `room`. */
uint64_t plan_large(const ingest_plan *p, uint64_t line, uint64_t entries);

/* "1.4 GiB" into a buffer of 16 bytes, which is returned. */
char *plan_size(uint64_t bytes, char text[16]);

/* ---- sketches ------------------------------------------------------------ */

/* Of a sketch. `width` 0: chosen here. */
typedef struct sketch_shape {
    plan_input input;    /* of what comes; zeros for plan_sketch */
    uint64_t width, vocabulary;
    uint64_t word_bytes; /* of the vocabulary's text */
    bool damped;         /* its statistic is */
    bool joined;         /* with phrases */
    bool stored;         /* of documents of the store: plan_sketch sets it; */
    uint64_t entries;    /* so many entries have they, 0: not known */
    uint64_t all;        /* words of the store, where these are some of them;
                            their text is in word_bytes; else 0 */
} sketch_shape;

/* Columns that are usual for so many words, whatever the budget: a model is the
 * same wherever it is made. */
uint64_t plan_width(uint64_t vocabulary);

/* EBUDGET when even a file-backed sketch and the smallest batches do not fit:
 * the message has what they take. */
kedge_status plan_ingest(const sketch_shape *shape, bool no_sketch,
                         const kedge_control *control, ingest_plan *out,
                         kedge_error *err);

/* The same of an index's sketch, made of stored documents. */
kedge_status plan_sketch(const sketch_shape *shape,
                         const kedge_control *control, ingest_plan *out,
                         kedge_error *err);

/* Choosing the words of an index among those of the store, before it is known
 * how many they are. Words, where the text of each is, and `choosing`, bytes
 * that choosing takes: all that there is by then. */
kedge_status plan_choosing(uint64_t all, uint64_t word_bytes,
                           uint64_t choosing,
                           const kedge_control *control, uint64_t *total,
                           kedge_error *err);

/* Going through the documents for phrases; `bytes`: what is left of the budget
 * for counting pairs. */
kedge_status plan_phrases(uint64_t vocabulary, uint64_t word_bytes,
                          const kedge_control *control, uint64_t *bytes,
                          kedge_error *err);

/* ---- fits ---------------------------------------------------------------- */

typedef struct fit_plan {
    uint64_t entries; /* bytes for ENN's correction */
    uint64_t block;   /* columns of a refinement's basis, 0: none */
    bool spilled;      /* a sketch of the fit's own is on the disk; */
    unsigned halvings; /* and made by batches of this size */
    uint64_t total;
} fit_plan;

/* What is to be fitted by `opts`; `topics`: the most of them. And the earlier
 * model that it is compared with, or zeros. */
typedef struct fit_shape {
    const kedge_fit_opts *opts;
    kedge_cooccurrence cooccurrence; /* what of C is made, if any */
    uint64_t width, vocabulary, word_bytes, topics;
    uint64_t like_words, like_topics;
    bool damped;      /* the index's statistic */
    bool joined;      /* the index has phrases */
    bool held_out;    /* documents are held out, and models measured by them */
    uint64_t entries; /* of the documents, 0: not known */
    uint64_t pairs;   /* of a sparse C, 0 while that is not known */
    uint64_t all;     /* words of the store, as in sketch_shape */
    unsigned processes; /* that have rows of it, or 0: this one has all; */
    unsigned rank;      /* and which of them it is, or one that has none */
    uint64_t gathering;   /* bytes for bringing their words and rows together */
    uint64_t sketching; /* bytes in all that making the sketch takes, 0 where
                           that is there */
} fit_shape;

kedge_status plan_fit(const fit_shape *shape, const kedge_control *control,
                      fit_plan *out, kedge_error *err);

#endif
