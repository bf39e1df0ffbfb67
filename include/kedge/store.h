/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_STORE_H
#define KEDGE_STORE_H
/*
 * A store: a directory with the documents, their vocabulary, the ledger of
 * what was read, sketches and models. One process writes, any number read.
 */
#include <stdbool.h>
#include <stdint.h>

#include <kedge/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kedge_store kedge_store;

typedef enum kedge_open_mode {
    KEDGE_OPEN_READ = 0,   /* must exist; sees the last committed state */
    KEDGE_OPEN_WRITE = 1,  /* must exist; KEDGE_EBUSY when somebody writes */
    KEDGE_OPEN_CREATE = 2, /* like WRITE; made when absent */
} kedge_open_mode;

/*
 * Opens the store in directory `path`. On failure *out is NULL. The handle
 * belongs to the caller (kedge_store_close) and to one thread at a time.
 * EINVAL, ENOTFOUND, EBUSY, EVERSION, ECORRUPT, EIO, ENOMEM.
 *
 * A process may have several handles on one store, in as many threads, one of
 * them for writing; so may any number of processes, in other containers too.
 * Each read sees the last commit before it began.
 *
 * A store that kedge did not leave as it is on this machine (one that was
 * copied, unpacked, or whose last writer was killed while it committed) is
 * checked first, page by page, which takes a second for some gigabytes. Damage
 * is ECORRUPT, never a crash. Nobody can promise that of files which change
 * while they are open by another program's hand.
 *
 * A handle belongs to the process that opened it. After fork(), the child opens
 * the store again: with a handle of its parent, what would begin something is
 * EMISUSE, and kedge_store_close gives memory back and changes nothing.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_store_open(const char *path, kedge_open_mode mode, kedge_store **out,
                 kedge_error *err);

/* How long to wait while somebody else writes. The callbacks are as in
 * kedge_control, and may be NULL; `log` is told whom it waits for. */
typedef struct kedge_wait {
    double seconds; /* below 0: until the store is free */
    void *data;     /* handed to the callbacks */
    void (*log)(void *data, const char *line);
    int (*stop)(void *data);
} kedge_wait;

/* The same, and for writing it waits. EBUSY when it waited in vain, ECANCELED
 * when `stop` says so. `wait` NULL: as kedge_store_open. */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_store_open_wait(const char *path, kedge_open_mode mode,
                      const kedge_wait *wait, kedge_store **out,
                      kedge_error *err);

/* Accepts NULL. Whatever was not committed is gone. What was opened on the
 * store and is open yet (kedge_infer, kedge_documents, kedge_saved) is closed
 * as ever afterwards; what it would still read from the store is EMISUSE. */
KEDGE_API void kedge_store_close(kedge_store *store);

/* The same; and a store that this handle made, and that no document came into,
 * is taken off the disk, with its directory where that was made with it. For
 * work that failed. */
KEDGE_API void kedge_store_withdraw(kedge_store *store);

/* One source that was read: a file, or a pipe. */
typedef struct kedge_source_info {
    char name[256];        /* as given; "-" for a pipe; cut when longer */
    uint64_t documents;    /* of it that the store has: of all sources they
                              add up to what there is */
    uint64_t tokens;
    uint64_t nonzeros;
    uint64_t bad;          /* records left out by skip_bad */
    uint64_t empty;        /* documents without a word */
    uint64_t digest;       /* of its content, once complete */
    bool complete;         /* false: interrupted, resumable */
    char batch[64];        /* that it was read as a part of; "": none */
    uint64_t when;         /* last written: seconds since 1970 */
    uint64_t head;         /* digest of its first documents */
    bool removed;          /* its documents were taken out with its batch */
    uint64_t removed_documents; /* with it, by their ids, or replaced */
} kedge_source_info;

#define KEDGE_NO_INDEX UINT64_MAX /* no number of an index */

/* One sketch and what it is a sketch of. */
typedef struct kedge_index_info {
    uint64_t number;       /* by which it is known; there may be gaps */
    bool listed;           /* its words are a chosen list, not all there are */
    bool frozen;           /* fits were told to keep them as they are */
    char rule[160];        /* how they were chosen, for people */
    char tf[16];           /* "raw", "log", "sqrt": see kedge_ingest_opts */
    uint64_t words;        /* rows */
    uint64_t sketch_size;  /* columns L */
    uint64_t seed;
    uint64_t documents;    /* counted in it */
    uint64_t skipped;      /* too short to count */
    uint64_t tokens;       /* of the counted documents */
    uint64_t min_tokens;   /* shorter documents are skipped */
    bool current;          /* holds every document of the store, and none that
                              was removed */
    uint64_t spectra;      /* that fits made of it and keep for later ones, at
                              most one for each kind of word weights. They go
                              when the sketch follows documents that came or
                              left, and by kedge_compact; the next fit makes
                              what it needs again */
    uint64_t spectra_bytes; /* of them, on disk */
} kedge_index_info;

typedef struct kedge_model_info {
    char name[64];
    uint64_t index;   /* that it was made of, by its number; KEDGE_NO_INDEX:
                         an earlier kedge did not write that down */
    bool index_stays; /* the store still has this index */
    bool listed;      /* as in kedge_index_info, when it was fitted */
    char rule[160];   /* the same */
    uint64_t topics;
    uint64_t words;
    uint64_t documents; /* counted when it was fitted */
    uint64_t seed;
    double sketch_error; /* see kedge_fit_result */
    double topic_cooccurrence_sum;
    bool ncut;    /* documents weigh by the normalised cut */
    char ways[256]; /* what was not as usual, as options of kedge fit:
                       "rectify ap, anchors fast, recover kl"; else "" */
    bool current; /* fitted to the documents that the store now holds */
} kedge_model_info;

/* How texts were cut into words, the same for all texts of a store: see
 * kedge_ingest_opts. All zero where none came. */
typedef struct kedge_tokenizer_info {
    bool texts;          /* some came */
    bool digits;
    uint64_t min_chars, max_chars;
    char stemmer[32];    /* "": none */
    char stopwords[96];  /* what the list was called; "": none */
    uint64_t stop_count; /* words on it */
} kedge_tokenizer_info;

/* Totals of the whole store. */
typedef struct kedge_store_info {
    uint64_t format;    /* version of the format */
    uint64_t documents; /* with those of parts, as tokens, nonzeros, digest */
    uint64_t tokens;
    uint64_t nonzeros;
    uint64_t words;
    uint64_t blocks;    /* of documents */
    uint64_t bytes;     /* on disk */
    uint64_t digest[2]; /* of the documents, independent of their order */
    uint64_t sources, indexes, models; /* how many */
    uint64_t removed;   /* documents taken out since the store was made */
    uint64_t parts;     /* whose documents are elsewhere (kedge/parts.h), */
    uint64_t elsewhere; /* so many of the documents */
    kedge_tokenizer_info tokenizer;
} kedge_store_info;

/* Totals, and the i-th entry of each list (i from 0). ENOTFOUND past the end.
 * Models come sorted by name, indexes by number. */
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
