/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_INTAKE_PATHS_H
#define PIPELINE_INTAKE_PATHS_H
/* The sources that are asked for, and behind them the tables and JSON that were
 * found in directories among them, each a source like any other. */
#include "base/fail.h"
#include "base/words.h"
#include "io/reader.h"

typedef struct source_paths {
    const char *const *given;
    size_t count; /* of those given */
    words found;
} source_paths;

static inline size_t paths_count(const source_paths *p)
{
    return p->count + p->found.count;
}

/* Valid until more are found. */
static inline const char *paths_get(const source_paths *p, size_t i)
{
    return i < p->count ? p->given[i] : words_get(&p->found, i - p->count);
}

/* What the reader has met of them. */
static inline kedge_status paths_take(source_paths *p, const reader *r,
                                      kedge_error *err)
{
    const words *const records = reader_records(r);

    for (size_t i = 0; i < records->count; i++)
        if (!words_add(&p->found, words_get(records, i),
                       words_size(records, i)))
            return kedge_fail(err, KEDGE_ENOMEM, "out of memory (paths)");
    return KEDGE_OK;
}

#endif
