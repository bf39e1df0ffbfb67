/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_MAINTAIN_H
#define KEDGE_MAINTAIN_H
/*
 * Maintenance of a store: remove documents, merge stores, drop models and
 * indexes, repair, compact.
 *
 *   kedge_remove_opts_init(&opts);
 *   opts.batch = "monday";
 *   kedge_remove(store, &opts, &control, &result, &err);
 *
 * Removing is exact: afterwards the counts, the sketch and the models that are
 * fitted are those of a store that never had the documents, to the last bit.
 */
#include <kedge/control.h>
#include <kedge/ingest.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- removing ------------------------------------------------------------ */

/* Which documents to remove: those of `batch`, of `ids_file` and of `ids`
 * together. A document without an id has that of kedge_document, unless another
 * document has it. */
typedef struct kedge_remove_opts {
    const char *batch;      /* name of a batch; NULL (default): none */
    const char *ids_file;   /* path of a file with an id per line; NULL
                               (default): none */
    const char *const *ids; /* NULL (default): none */
    size_t id_count;        /* length of `ids` */
    bool no_sketch;         /* leave syncing the sketches to the next fit;
                               default false */
} kedge_remove_opts;

KEDGE_API void kedge_remove_opts_init(kedge_remove_opts *opts);

#define KEDGE_MISSING_NAMED 3

typedef struct kedge_remove_result {
    uint64_t documents, tokens; /* removed */
    uint64_t missing;           /* ids that no document has */
    char missing_ids[KEDGE_MISSING_NAMED][256]; /* the first of them */
    uint64_t left;              /* documents still in the store */
    double seconds;
} kedge_remove_result;

/*
 * Removes documents from a store that is open for writing. After an
 * interruption the same call continues. The words stay in the vocabulary with
 * lower counts; kedge_compact frees the disk space. A removed batch can be read
 * again. Removing a batch twice is no error, and the ids of a file may all be
 * unknown.
 * EINVAL, ENOTFOUND (there never was such a batch; or `ids` alone was given and
 * no document has any of them), EBUDGET, EIO, EFORMAT, ECORRUPT, ECANCELED,
 * ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_remove(kedge_store *store, const kedge_remove_opts *opts,
             const kedge_control *control, kedge_remove_result *out,
             kedge_error *err);

/* ---- merging ------------------------------------------------------------- */

typedef struct kedge_merge_result {
    uint64_t stores;     /* read */
    uint64_t documents;  /* added */
    uint64_t elsewhere;  /* added as parts (kedge/parts.h) */
    uint64_t known;      /* skipped, as `into` has their source */
    uint64_t duplicates, replaced; /* see kedge_ingest_result */
    uint64_t words;      /* in the vocabulary of `into` now */
    double seconds;
} kedge_merge_result;

/*
 * Adds the documents of `count` other stores, by their paths, to the store
 * `into`, which is open for writing, with their ids, labels, sources and
 * batches. A source that both have is skipped. After an interruption the same
 * call continues.
 *
 * Stores with imported parts only are added as parts, after the others. A store
 * with parts and documents of its own is EINVAL. Other statuses as kedge_ingest
 * and kedge_sketch_import.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_merge(kedge_store *into, const char *const *stores, size_t count,
            kedge_on_duplicate on_duplicate, const kedge_control *control,
            kedge_merge_result *out, kedge_error *err);

/* ---- dropping ------------------------------------------------------------ */

/* Deletes a model from a store that is open for writing; its index stays.
 * EINVAL, ENOTFOUND (no such model), EIO, ECORRUPT, ENOMEM. */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_drop_model(kedge_store *store, const char *name, kedge_error *err);

/*
 * Deletes an index and its sketch from a store that is open for writing. Models
 * that were fitted to it stay usable. Later ingests do not make index 0, of all
 * words, again; kedge_fit with min_df 1, max_df 1 and stopwords "none" makes a
 * new index of all words.
 * ENOTFOUND (no such index), EIO, ECORRUPT, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_drop_index(kedge_store *store, uint64_t number, kedge_error *err);

/* ---- repairing and compacting -------------------------------------------- */

typedef struct kedge_repair_result {
    uint64_t indexes;   /* sketches made again */
    uint64_t documents; /* read */
    bool counts_changed; /* tf, df or totals were wrong */
    uint64_t damaged;   /* records that are still damaged, like those of models,
                           which do not follow from documents; each is logged */
    double seconds;
} kedge_repair_result;

/*
 * Makes everything that can be derived from the documents again: counts,
 * totals, the lookup of ids, the sketch of every index. The store must be open
 * for writing.
 * ECORRUPT (documents are damaged), EINVAL, EBUDGET, ECANCELED, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_repair(kedge_store *store, const kedge_control *control,
             kedge_repair_result *out, kedge_error *err);

typedef struct kedge_compact_result {
    uint64_t bytes_before, bytes_after; /* size of the data file */
    uint64_t documents;                 /* removed documents whose space was
                                           freed */
    double seconds;
} kedge_compact_result;

/*
 * Frees the disk space of removed and replaced documents: rewrites blocks
 * without them, then the data file without holes. Needs as much free disk space
 * as the store has in the end. The store must be open for writing; readers are
 * not disturbed.
 * EINVAL, EBUDGET, ECORRUPT, ECANCELED, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_compact(kedge_store *store, const kedge_control *control,
              kedge_compact_result *out, kedge_error *err);

#ifdef __cplusplus
}
#endif
#endif
