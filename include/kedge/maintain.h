/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_MAINTAIN_H
#define KEDGE_MAINTAIN_H
/*
 * The life of a store: documents leave it, stores are put together, models and
 * indexes are dropped, indexes are made again, room is given back. All of it
 * is exact: a store that documents were added to and removed from has the
 * sketch, the counts and the models of one that never had them, to the last
 * bit.
 */
#include <kedge/control.h>
#include <kedge/ingest.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- removing ------------------------------------------------------------ */

/* The documents that leave are those of the batch and those of the ids, all of
 * them. A document without an id of its own is known as in kedge/documents.h,
 * unless another has that id. */
typedef struct kedge_remove_opts {
    const char *batch;      /* all documents of this batch; NULL: none */
    const char *ids_file;   /* path: an id a line, those documents; NULL */
    const char *const *ids; /* and these */
    size_t id_count;
    bool no_sketch;         /* the sketches follow later, with the next fit */
} kedge_remove_opts;

KEDGE_API void kedge_remove_opts_init(kedge_remove_opts *opts);

#define KEDGE_MISSING_NAMED 3

typedef struct kedge_remove_result {
    uint64_t documents, tokens; /* that left */
    uint64_t missing;           /* ids that the store does not have */
    char missing_ids[KEDGE_MISSING_NAMED][256]; /* the first of them */
    uint64_t left;              /* documents that the store still has */
    double seconds;
} kedge_remove_result;

/*
 * Takes documents out of a store opened for writing. Interrupted, the same call
 * goes on. Their words stay in the vocabulary, with lower counts; their room on
 * the disk is given back by kedge_compact. A batch that left can be read again.
 * To remove again what has left is no error: a batch that left is known, and
 * ids of a file may all be unknown.
 * EINVAL, ENOTFOUND (there never was such a batch; or no document of any of
 * `ids`, and no batch or file was given), EBUDGET, EIO, EFORMAT, ECORRUPT,
 * ECANCELED, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_remove(kedge_store *store, const kedge_remove_opts *opts,
             const kedge_control *control, kedge_remove_result *out,
             kedge_error *err);

/* ---- merging ------------------------------------------------------------- */

typedef struct kedge_merge_result {
    uint64_t stores;     /* read */
    uint64_t documents;  /* added to `into` */
    uint64_t elsewhere;  /* the same, of parts (kedge/parts.h) */
    uint64_t known;      /* that it had, from the same sources: passed over */
    uint64_t duplicates, replaced; /* by id, as in kedge_ingest_result */
    uint64_t words;      /* in its vocabulary now */
    double seconds;
} kedge_merge_result;

/*
 * Adds the documents of other stores, by their paths, to a store opened for
 * writing, with their ids, labels, sources and batches. A source that both have
 * is the same one and is not added twice. Interrupted, the same call goes on.
 * Stores whose documents are all elsewhere are added up as parts, after the
 * others; of one that has some here and some elsewhere neither can be done:
 * EINVAL. As kedge_ingest and kedge_sketch_import.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_merge(kedge_store *into, const char *const *stores, size_t count,
            kedge_on_duplicate on_duplicate, const kedge_control *control,
            kedge_merge_result *out, kedge_error *err);

/* ---- dropting ---------------------------------------------------------- */

/* Takes a model out of a store opened for writing. Indexes stay.
 * EINVAL, ENOTFOUND (there is none of this name), EIO, ECORRUPT, ENOMEM. */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_drop_model(kedge_store *store, const char *name, kedge_error *err);

/*
 * Takes an index with its sketch out of a store opened for writing. Models that
 * were made of it stay as they are: they need nothing of it. Index 0, of all
 * words, does not come again with later ingests; kedge_fit makes a new index of
 * all words where it is told min_df 1, max_df 1 and stopwords "none".
 * ENOTFOUND (there is none of this number), EIO, ECORRUPT, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_drop_index(kedge_store *store, uint64_t number, kedge_error *err);

/* ---- mending ------------------------------------------------------------- */

typedef struct kedge_repair_result {
    uint64_t indexes;   /* sketches made again */
    uint64_t documents; /* read */
    bool counts_changed; /* tf, df or totals were not what documents say */
    uint64_t damaged;   /* records that still are, as those of models: they do
                           not follow from the documents. Each is logged */
    double seconds;
} kedge_repair_result;

/*
 * Makes everything that follows from the documents again: counts, totals, ids,
 * and the sketch of every index. Damaged documents stay damaged: ECORRUPT.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_repair(kedge_store *store, const kedge_control *control,
             kedge_repair_result *out, kedge_error *err);

typedef struct kedge_compact_result {
    uint64_t bytes_before, bytes_after; /* of the data file */
    uint64_t documents;                 /* whose room was given back */
    double seconds;
} kedge_compact_result;

/*
 * Gives back the room of what was removed or replaced: blocks are written again
 * without removed documents, then the data file without its holes. It takes as
 * much free disk as the store is large in the end. Readers go on.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_compact(kedge_store *store, const kedge_control *control,
              kedge_compact_result *out, kedge_error *err);

#ifdef __cplusplus
}
#endif
#endif
