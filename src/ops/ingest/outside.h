/* SPDX-License-Identifier: MIT */
#ifndef OPS_INGEST_OUTSIDE_H
#define OPS_INGEST_OUTSIDE_H
/*
 * Outside documents, which are looked at and not stored: read from sources, cut
 * into words as the store's were, their words under the store's ids. Words that
 * the store does not have are all the one after its last. Documents without a
 * word come as well, but for those of UCI's, which do not say that they are
 * there.
 */
#include <kedge/infer.h>

#include "ops/ingest/reading.h"

typedef struct outside_docs {
    source_paths path;
    size_t next; /* to be opened */
    const kedge_infer_opts *opts;
    const kedge_control *control;
    words all;          /* the store's */
    wordmap ids;
    text_settings tokenizing;
    tokenizer_opts tokens;
    reader_room room;   /* to be set before the first is read */
    uint32_t *map;      /* the vocabulary's lines → ids */
    size_t lines;
    reader *r;          /* of the source that is open */
    bool waits;         /* it is a pipe */
    reader_counts closed, counts; /* of closed sources; of open ones as well */
} outside_docs;

/* The transaction is not needed any more then. */
kedge_status outside_open(outside_docs *a, store_txn *txn,
                          const char *const *path, size_t count,
                          const kedge_infer_opts *opts,
                          const kedge_control *control, kedge_error *err);
void outside_close(outside_docs *a);

/* The next documents, all of one source, into a batch that is cleared; none
 * when all sources have ended. What a pipe has given is not held back. */
kedge_status outside_next(outside_docs *a, docs *batch, kedge_error *err);

/* Whether a source can be read again: it is no pipe. */
bool outside_lasts(const char *path);

/* After the last document: begins with the first source again. */
void outside_rewind(outside_docs *a);

/* The source they are of: its place among the paths, and the path, which may
 * be one that was found in a directory. */
static inline uint32_t outside_source(const outside_docs *a)
{
    return (uint32_t)(a->next - 1);
}

static inline const char *outside_path(const outside_docs *a, uint32_t source)
{
    return paths_get(&a->path, source);
}

#endif
