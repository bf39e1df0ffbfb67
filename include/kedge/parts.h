/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_PARTS_H
#define KEDGE_PARTS_H
/*
 * Counts and sketches that travel between machines without the documents.
 *
 * Each machine reads its share of the corpus, a part, into its own store and
 * exports a file. A store that imports the files of all parts has the counts,
 * the sketch and the models of a store that read everything, to the last bit.
 *
 *   kedge_sketch_export_file(mine, "3.sketch", NULL, NULL, &sent, &err);
 *   kedge_sketch_import(all, "3.sketch", NULL, &got, &err);
 *   kedge_fit(all, &topics, 1, NULL, NULL, &fitted, &err);
 *
 * The documents of an imported part are elsewhere: totals include them, but
 * functions that read documents see only the store's own. Functions that need
 * all documents return EINVAL.
 */
#include <kedge/control.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kedge_sketch_export_opts {
    const char *name; /* name of the part, 1 to 63 bytes; NULL (default): the
                         name of the store's folder */
    /* What to export: one of the next four, otherwise all indexes that can be
     * exported. */
    uint64_t index;   /* number of an index; default KEDGE_NO_INDEX */
    bool counts;      /* the words with their counts, and no index */
    const char *keep_words; /* a file with a word a line: the index with only
                               these words */
    bool all_words;   /* the index of all words, as with min_df 1, max_df 1 and
                         stopwords "none" in kedge_fit_opts */
    /* Only with keep_words or all_words, whose index is created if the store
     * has none with these settings. As in kedge_fit_opts. */
    const char *tf;   /* NULL: as in kedge_fit_opts */
    uint64_t sketch_size, seed, min_tokens; /* 0: 1000, 1, KEDGE_MIN_TOKENS */
} kedge_sketch_export_opts;

KEDGE_API void kedge_sketch_export_opts_init(kedge_sketch_export_opts *opts);

typedef struct kedge_sketch_export_result {
    uint64_t parts;     /* exported: the store's own documents are one part, and
                           imported parts are exported again */
    uint64_t documents, tokens;
    uint64_t words;     /* that occur in these documents */
    uint64_t indexes;   /* exported */
    uint64_t left;      /* indexes left out, because their words were chosen by
                           counts or they have phrases */
    uint64_t bytes;     /* written */
    uint64_t planned_memory;
    double seconds;
} kedge_sketch_export_result;

/* Writes `size` bytes; returns false and sets errno on failure. */
typedef bool kedge_sketch_write(void *data, const void *bytes, size_t size);

/*
 * Exports the counts and sketches of a store through `write`. The stream has
 * the same bytes for any order of the documents. The store must be open for
 * writing, as the exported sketches are first synced; `write` is called only
 * after that.
 *
 * An index can be exported if all parts choose the same words for it: all
 * words, or the words of lists (keep_words, drop_words, stopwords). Words
 * chosen by counts, and phrases, would differ between parts. The export of a
 * store without documents has no part, and importing it has no effect.
 * EINVAL (no index can be exported, options that exclude each other), ENOTFOUND
 * (no such index), EBUDGET, EIO, ECORRUPT, ECANCELED, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_sketch_export(kedge_store *store, kedge_sketch_write *write, void *data,
                    const kedge_sketch_export_opts *opts,
                    const kedge_control *control,
                    kedge_sketch_export_result *out, kedge_error *err);

/* The same into a file, which appears whole or not at all. */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_sketch_export_file(kedge_store *store, const char *path,
                         const kedge_sketch_export_opts *opts,
                         const kedge_control *control,
                         kedge_sketch_export_result *out, kedge_error *err);

typedef struct kedge_sketch_import_result {
    uint64_t parts;     /* added; 0: the store had them, or the file has none */
    uint64_t documents, tokens; /* of these parts */
    uint64_t words;     /* in the store's vocabulary now */
    uint64_t indexes;   /* whose sketches the parts were added to */
    uint64_t planned_memory;
    double seconds;
    bool empty;         /* the file is from a store without documents */
} kedge_sketch_import_result;

/*
 * Imports what kedge_sketch_export wrote, from the file `path` or "-", standard
 * input. The store must be open for writing. One transaction adds everything
 * after the whole file was read and checked. Parts that the store has already
 * are skipped.
 *
 * Each sketch is added to the store's index of the same words, which must have
 * the same tf, sketch size, seed, min_tokens and tokenizer settings. An empty
 * store takes over the indexes of the file. An index that the store has and the
 * file has not cannot be used afterwards.
 * EINVAL (settings differ; the store has some of the parts but not all),
 * EFORMAT (not such a file, damaged or cut short), EVERSION, EBUDGET, EIO,
 * ECORRUPT, ECANCELED, ENUMERIC, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_sketch_import(kedge_store *store, const char *path,
                    const kedge_control *control,
                    kedge_sketch_import_result *out, kedge_error *err);

/* An imported part, whose documents are elsewhere. */
typedef struct kedge_part_info {
    char name[64];
    uint64_t documents, tokens, nonzeros;
    uint64_t digest[2]; /* of its documents, as in kedge_store_info */
    uint64_t when;      /* time of the import: seconds since 1970 */
} kedge_part_info;

/* The i-th part, from 0, in the order of the imports; ENOTFOUND past the last.
 * ECORRUPT, EIO, ENOMEM. */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_store_get_part(kedge_store *store, uint64_t i, kedge_part_info *out,
                     kedge_error *err);

#ifdef __cplusplus
}
#endif
#endif
