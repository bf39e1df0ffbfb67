/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_INTAKE_INGEST_H
#define PIPELINE_INTAKE_INGEST_H
/* Ingestion from files, or from what else gives documents. */
#include <kedge/ingest.h>

#include "pipeline/cutting.h"
#include "pipeline/intake/feed.h"

typedef struct ingest_input {
    const char *const *paths; /* files, or NULL with a feed */
    size_t count;             /* of sources */
    const feed *from;         /* NULL: files */
    /* Once the store's words are known, before the first document; NULL. */
    kedge_status (*prepare)(void *data, wordmap *lexicon, kedge_error *err);
    void *data;
    /* Of texts that a feed has: put with its first documents. NULL. */
    const cutting *texts;
} ingest_input;

/* Options with so many sources: EINVAL. */
kedge_status ingest_check(const kedge_ingest_opts *o, size_t count,
                          kedge_error *err);

/* As kedge_ingest; the options have been checked. */
kedge_status ingest_sources(kedge_store *s, const ingest_input *input,
                            const kedge_ingest_opts *opts,
                            const kedge_control *control,
                            kedge_ingest_result *out, kedge_error *err);

#endif
