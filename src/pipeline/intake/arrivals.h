/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_INTAKE_ARRIVALS_H
#define PIPELINE_INTAKE_ARRIVALS_H
/*
 * Documents that are looked at and not stored: read from sources, cut into
 * words as the store's were, their words under the store's ids. Words that the
 * store does not have are all the one after its last. Documents without a word
 * come as well, but for those of UCI's, which do not say that they are there.
 */
#include <kedge/infer.h>

#include "pipeline/cutting.h"
#include "pipeline/intake/paths.h"
#include "io/reader.h"
#include "store/store.h"

typedef struct arrivals {
    source_paths path;
    size_t next; /* to be opened */
    const kedge_infer_opts *opts;
    const kedge_control *control;
    words all;          /* the store's */
    wordmap ids;
    cutting cutting;
    tokenizer_opts tokens;
    reader_room room;   /* to be set before the first is read */
    uint32_t *map;      /* the vocabulary's lines → ids */
    size_t lines;
    reader *r;          /* of the source that is open */
    bool waits;         /* it is a pipe */
    uint64_t bad, unread; /* of closed and open ones */
    uint64_t bytes_read, bytes_total;
    uint64_t closed_bad, closed_unread, closed_read, closed_total;
    char first_unread[512];
    uint64_t not_utf8, closed_not_utf8;
    char first_not_utf8[512];
} arrivals;

/* The transaction is not needed any more then. */
kedge_status arrivals_open(arrivals *a, store_txn *txn, const char *const *path,
                           size_t count, const kedge_infer_opts *opts,
                           const kedge_control *control, kedge_error *err);
void arrivals_close(arrivals *a);

/* The next documents, all of one source, into a batch that is cleared; none
 * when all sources have ended. What a pipe has given is not held back. */
kedge_status arrivals_next(arrivals *a, docs *batch, kedge_error *err);

/* Whether a source can be read again: it is no pipe. */
bool arrivals_lasts(const char *path);

/* After the last document: begins with the first source again. */
void arrivals_rewind(arrivals *a);

/* The source they are of: its place among the paths, and the path, which may
 * be one that was found in a directory. */
static inline uint32_t arrivals_source(const arrivals *a)
{
    return (uint32_t)(a->next - 1);
}

static inline const char *arrivals_path(const arrivals *a, uint32_t source)
{
    return paths_get(&a->path, source);
}

#endif
