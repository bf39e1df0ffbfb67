/* SPDX-License-Identifier: MIT */
#ifndef OPS_INGEST_INGEST_H
#define OPS_INGEST_INGEST_H
/* Ingestion from files, or from what else gives documents. */
#include <kedge/ingest.h>

#include "base/wordmap.h"
#include "ops/textsettings.h"
#include "io/reader.h"
#include "store/store.h"

/* Sources of documents that are no files: those of another store. One is open
 * at a time, by its number; word ids of its documents are the lexicon's. */
typedef struct feed {
    void *data;
    uint64_t documents; /* that all sources have */
    /* What the ledger of their own store says of the source. */
    kedge_status (*open)(void *data, size_t number, wordmap *lexicon,
                         store_source *record, kedge_error *err);
    /* As reader_next. */
    kedge_status (*next)(void *data, const reader_limits *limits, docs *batch,
                         bool *more, kedge_error *err);
    /* Whether the document at this position has left its store. */
    bool (*left)(const void *data, uint64_t position);
    void (*close)(void *data);
} feed;

typedef struct ingest_input {
    const char *const *paths; /* files, or NULL with a feed */
    size_t count;             /* of sources */
    const feed *from;         /* NULL: files */
    /* Once the store's words are known, before the first document; NULL. */
    kedge_status (*prepare)(void *data, wordmap *lexicon, kedge_error *err);
    void *data;
    /* Of texts that a feed has: put with its first documents. NULL. */
    const text_settings *texts;
} ingest_input;

/* As kedge_ingest; the options have been checked. */
kedge_status ingest_sources(kedge_store *s, const ingest_input *input,
                            const kedge_ingest_opts *opts,
                            const kedge_control *control,
                            kedge_ingest_result *out, kedge_error *err);

#endif
