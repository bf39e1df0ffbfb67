/* SPDX-License-Identifier: MIT */
#ifndef CLI_BENCHING_H
#define CLI_BENCHING_H
/* What 'kedge bench' was asked for, of either kind. */
#include <kedge/bench.h>

#include "options.h"

typedef struct benching {
    const command *self;
    common common;
    unsigned shape;
    uint64_t documents, vocabulary, topics, seed; /* but for seed, 0: as is
                                                     usual for the kind */
    double tokens;
    /* of a corpus */
    const char *output;
    bool words;
    uint64_t first; /* 0: not said */
    /* of a scale */
    const char *axis, *folder;
    counts values;
    uint64_t most, width;
    unsigned format; /* SUMMARY_TABLE, SUMMARY_JSON */
} benching;

int bench_corpus(const benching *b);
int bench_scale(const benching *b);

#endif
