/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_PARTS_H
#define KEDGE_PARTS_H
/*
 * Sketches and counts travel between machines without the documents. Each
 * machine reads a part of the corpus into a store of its own; what that has
 * counted and sketched becomes a file, and a store that takes in the files of
 * all parts has, to the last bit, the counts, the sketch and the models of one
 * that had read everything.
 *
 * The documents of such parts are elsewhere: totals count them, and whatever
 * follows from counts and sketches works as ever. What reads documents sees a
 * store's own alone, or is refused with EINVAL where all of them were needed.
 */
#include <kedge/control.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kedge_sketch_export_opts {
    const char *name; /* of the part, 1 to 63 bytes, by which it is known where
                         it goes; NULL (default): that of the store's folder */
    uint64_t index;   /* this index goes, by its number; KEDGE_NO_INDEX
                         (default): all that can */
    bool counts;      /* no index goes: the words with their counts alone */
    /* An index with words of its own, which is made when it is not there, and
     * alone goes. As in kedge_fit_opts: with the same options it is the same
     * index there. */
    const char *keep_words; /* file: only these words */
    bool all_words;   /* all words there are; as min_df 1, max_df 1, stopwords
                         "none" */
    const char *tf;   /* of that index; NULL: as usual */
    uint64_t sketch_size, seed, min_tokens; /* as above; 0: 1000, 1,
                                         KEDGE_MIN_TOKENS */
} kedge_sketch_export_opts;

KEDGE_API void kedge_sketch_export_opts_init(kedge_sketch_export_opts *opts);

typedef struct kedge_sketch_export_result {
    uint64_t parts;     /* that went: the store's own documents, and those that
                           it had from elsewhere */
    uint64_t documents, tokens;
    uint64_t words;     /* that a document holds */
    uint64_t indexes;
    uint64_t left;      /* indexes that stay: their words were chosen by counts,
                           or they have phrases */
    uint64_t bytes;     /* written */
    uint64_t planned_memory;
    double seconds;
} kedge_sketch_export_result;

/* Where to: false where it could not be written, with errno. */
typedef bool kedge_sketch_write(void *data, const void *bytes, size_t size);

/*
 * Writes what the store has counted and sketched to `write`, in one stream that
 * is the same bytes for the same documents in any order. The store is open for
 * writing; sketches that go are brought up to date first. Nothing is written
 * before that.
 *
 * Indexes of all words go, and such whose words were chosen by lists: those of
 * a file, without stop words. Words that were chosen by the counts of one part
 * would be others in all of them, and phrases too, so these indexes stay. Of a
 * store without documents nothing goes, whatever is asked for: what is written
 * is of no part, and importing it has no effect.
 * EINVAL (no index can go), ENOTFOUND (no such index), EBUDGET, EIO, ECORRUPT,
 * ECANCELED, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_sketch_export(kedge_store *store, kedge_sketch_write *write, void *data,
                    const kedge_sketch_export_opts *opts,
                    const kedge_control *control,
                    kedge_sketch_export_result *out, kedge_error *err);

/* The same to a file, which appears whole or not at all. */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_sketch_export_file(kedge_store *store, const char *path,
                         const kedge_sketch_export_opts *opts,
                         const kedge_control *control,
                         kedge_sketch_export_result *out, kedge_error *err);

typedef struct kedge_sketch_import_result {
    uint64_t parts;     /* that came; 0: they were known, or there are none */
    uint64_t documents, tokens; /* of them */
    uint64_t words;     /* in the vocabulary now */
    uint64_t indexes;   /* sketches that they were added to */
    uint64_t planned_memory;
    double seconds;
    bool empty;         /* it is of a store without documents */
} kedge_sketch_import_result;

/*
 * Takes in what kedge_sketch_export wrote, from a file or "-", standard input,
 * into a store that is open for writing. All of it comes, or nothing: only when
 * the file was read to its end, and was whole, one transaction makes it a part
 * of the store. A part that the store has is passed over, as is what has none.
 *
 * Sketches are added to those of the same words. They have to be of the same
 * statistic, width, seed and least tokens, and texts cut in the same way. An
 * empty store takes over the indexes; an index of the store that the file has
 * not is of no use afterwards. EINVAL (it does not agree; some of its parts are
 * there already and some not), EFORMAT (it is something else, is damaged or
 * ends early), EVERSION, EBUDGET, EIO, ECORRUPT, ECANCELED, ENUMERIC, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_sketch_import(kedge_store *store, const char *path,
                    const kedge_control *control,
                    kedge_sketch_import_result *out, kedge_error *err);

/* One part whose documents are elsewhere. */
typedef struct kedge_part_info {
    char name[64];
    uint64_t documents, tokens, nonzeros;
    uint64_t digest[2]; /* of its documents, as in kedge_store_info */
    uint64_t when;      /* it came: seconds since 1970 */
} kedge_part_info;

/* The i-th part in the order in which they came; ENOTFOUND past the last. */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_store_get_part(kedge_store *store, uint64_t i, kedge_part_info *out,
                     kedge_error *err);

#ifdef __cplusplus
}
#endif
#endif
