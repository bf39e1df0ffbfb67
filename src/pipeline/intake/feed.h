/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_INTAKE_FEED_H
#define PIPELINE_INTAKE_FEED_H
/*
 * Sources of documents that are no files: those of another store. One is open
 * at a time, by its number; word ids of its documents are the lexicon's.
 */
#include "base/wordmap.h"
#include "io/reader.h"
#include "store/store.h"

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

#endif
