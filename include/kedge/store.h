/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_STORE_H
#define KEDGE_STORE_H
/*
 * A store: a directory with documents, their vocabulary, the ledger of sources,
 * indexes (a vocabulary and its sketch each) and models. One process may write
 * while any number of processes read.
 *
 *   kedge_store_open("news.kedge", KEDGE_OPEN_READ, &store, &err);
 *   kedge_store_get_info(store, &info, &err);
 *   kedge_store_close(store);
 */
#include <stdbool.h>
#include <stdint.h>

#include <kedge/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kedge_store kedge_store;

typedef enum kedge_open_mode {
    KEDGE_OPEN_READ = 0,   /* must exist */
    KEDGE_OPEN_WRITE = 1,  /* must exist; EBUSY if another handle writes */
    KEDGE_OPEN_CREATE = 2, /* like WRITE; creates the store if it is absent */
} kedge_open_mode;

/*
 * Opens the store in the directory `path`. The handle belongs to the caller
 * (kedge_store_close) and to one thread at a time.
 * EINVAL, ENOTFOUND, EBUSY, EVERSION, ECORRUPT, EIO, ENOMEM.
 *
 * Any number of threads and processes, in other containers too, may have
 * handles on one store, one of them for writing. A read sees the last commit
 * before it began.
 *
 * A store that was copied or unpacked, or whose last writer was killed during a
 * commit, is first checked page by page: about a second for some gigabytes.
 * Damage is ECORRUPT, never a crash, unless another program changes the files
 * while they are open.
 *
 * After fork() the child has to open the store again. With a handle of the
 * parent it gets EMISUSE; kedge_store_close then only frees memory.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_store_open(const char *path, kedge_open_mode mode, kedge_store **out,
                 kedge_error *err);

/* How long to wait for another writer. The callbacks are as in kedge_control
 * and may be NULL; `log` receives which process it waits for. */
typedef struct kedge_wait {
    double seconds; /* negative: without limit */
    void *data;     /* first argument of the callbacks */
    void (*log)(void *data, const char *line);
    int (*stop)(void *data);
} kedge_wait;

/* As kedge_store_open, but waits for another writer; `wait` NULL: does not
 * wait. EBUSY after wait->seconds, ECANCELED when `stop` returns non-zero. */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_store_open_wait(const char *path, kedge_open_mode mode,
                      const kedge_wait *wait, kedge_store **out,
                      kedge_error *err);

/* Closes and frees; accepts NULL. Uncommitted work is lost. Handles that were
 * opened on the store (kedge_infer, kedge_documents, kedge_saved) may be closed
 * later; reading on with them is EMISUSE. */
KEDGE_API void kedge_store_close(kedge_store *store);

/* The same after work that failed: also deletes the store if this handle
 * created it and it has no document, with its directory if that was created
 * too. */
KEDGE_API void kedge_store_withdraw(kedge_store *store);

/* A source: a file, a pipe, or a kedge_source. */
typedef struct kedge_source_info {
    char name[256];        /* as given; "-" for a pipe; truncated if longer */
    uint64_t documents;    /* now in the store */
    uint64_t tokens;
    uint64_t nonzeros;
    uint64_t bad;          /* malformed records skipped (skip_bad) */
    uint64_t empty;        /* documents without a word, not stored */
    uint64_t digest;       /* of its content, if complete */
    bool complete;         /* read to its end; false: the next ingest of it
                              continues */
    char batch[64];        /* its batch; "": none */
    uint64_t when;         /* last commit: seconds since 1970 */
    uint64_t head;         /* digest of its first documents */
    bool removed;          /* its batch was removed */
    uint64_t removed_documents; /* removed with the batch or by id, or
                                   replaced */
} kedge_source_info;

#define KEDGE_NO_INDEX UINT64_MAX /* not the number of an index */

/* An index: a vocabulary, a tf, and the sketch made with them. */
typedef struct kedge_index_info {
    uint64_t number;       /* its name in options; numbers may have gaps */
    bool listed;           /* has chosen words; false: all words */
    bool frozen;           /* a fit reused its words with freeze */
    char rule[160];        /* how the words were chosen, for people */
    char tf[16];           /* "raw", "log", "sqrt": see kedge_ingest_opts */
    uint64_t words;        /* rows of the sketch */
    uint64_t sketch_size;  /* columns of the sketch */
    uint64_t seed;         /* of the test matrix */
    uint64_t documents;    /* in the sketch */
    uint64_t skipped;      /* documents too short for the sketch */
    uint64_t tokens;       /* of the documents in the sketch */
    uint64_t min_tokens;   /* shorter documents are skipped */
    bool current;          /* the sketch has exactly the documents of the store;
                              false: the next fit syncs it */
    uint64_t spectra;      /* eigenpairs that fits cached, at most one set for
                              each term weight. Syncing with changed
                              documents and kedge_compact delete them; the next
                              fit makes them again */
    uint64_t spectra_bytes; /* size of the cached eigenpairs */
} kedge_index_info;

typedef struct kedge_model_info {
    char name[64];
    uint64_t index;   /* number of the index that it was fitted to;
                         KEDGE_NO_INDEX: not recorded */
    bool index_stays; /* the store still has this index */
    bool listed;      /* as in kedge_index_info, when it was fitted */
    char rule[160];   /* the same */
    uint64_t topics;
    uint64_t words;
    uint64_t documents; /* that it was fitted to */
    uint64_t seed;      /* of the sketch */
    double sketch_error; /* see kedge_fit_result */
    double topic_cooccurrence_sum; /* see kedge_fit_result */
    bool ncut;    /* see kedge_fit_opts */
    char ways[256]; /* options of the fit that were not the defaults:
                       "rectify ap, anchors fast, recover kl"; "": none */
    bool current; /* fitted to the documents that the store has now */
} kedge_model_info;

/* The tokenizer settings of a store, see kedge_ingest_opts. All zero if it has
 * no texts. */
typedef struct kedge_tokenizer_info {
    bool texts;          /* the store has texts */
    bool digits;         /* words may have digits */
    uint64_t min_chars, max_chars;
    char stemmer[32];    /* language; "": none */
    char stopwords[96];  /* name of the stop word list; "": none */
    uint64_t stop_count; /* its length */
} kedge_tokenizer_info;

/* Totals of the whole store. */
typedef struct kedge_store_info {
    uint64_t format;    /* version of the format */
    uint64_t documents; /* parts included, as in tokens, nonzeros, digest */
    uint64_t tokens;
    uint64_t nonzeros;  /* pairs of a document and a word */
    uint64_t words;     /* in the vocabulary */
    uint64_t blocks;    /* of documents */
    uint64_t bytes;     /* on disk */
    uint64_t digest[2]; /* of the documents, independent of their order */
    uint64_t sources, indexes, models; /* numbers of them */
    uint64_t removed;   /* documents removed since the store was created */
    uint64_t parts;     /* imported parts (kedge/parts.h) */
    uint64_t elsewhere; /* documents of these parts */
    kedge_tokenizer_info tokenizer;
} kedge_store_info;

/* Totals, and the i-th source, index and model, i from 0; sources in the order
 * of reading, indexes by number, models by name. ENOTFOUND past the end;
 * ECORRUPT, EIO, ENOMEM. */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_store_get_info(kedge_store *store, kedge_store_info *out,
                     kedge_error *err);
KEDGE_API KEDGE_CHECKED kedge_status
kedge_store_get_source(kedge_store *store, uint64_t i, kedge_source_info *out,
                       kedge_error *err);
KEDGE_API KEDGE_CHECKED kedge_status
kedge_store_get_index(kedge_store *store, uint64_t i, kedge_index_info *out,
                      kedge_error *err);
KEDGE_API KEDGE_CHECKED kedge_status
kedge_store_get_model(kedge_store *store, uint64_t i, kedge_model_info *out,
                      kedge_error *err);

#ifdef __cplusplus
}
#endif
#endif
