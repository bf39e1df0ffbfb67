/* SPDX-License-Identifier: MIT */
#ifndef OPS_MODELS_MODELMATCH_H
#define OPS_MODELS_MODELMATCH_H
/*
 * Two models: their words as one list, and which topics are the same (see
 * topics/match.h).
 */
#include "base/words.h"
#include "topics/match.h"

#define MODELMATCH_ABSENT UINT32_MAX

/* A model as far as it matters here. Row r is the word with id order[r], or r
 * itself where `order` is NULL; rows are in the order of the words' bytes. */
typedef struct modelmatch_side {
    const words *text;
    const uint32_t *order;
    size_t rows, k;
    const double *b;        /* rows x k: p(word | topic) */
    const uint64_t *anchor; /* k rows */
} modelmatch_side;

typedef struct modelmatch {
    /* the words of both, in the order of their bytes: the row of each in the
     * left and in the right model, or MODELMATCH_ABSENT */
    uint32_t *row[2];
    size_t words;
    double *distance; /* left x right: total variation of the topics */
    size_t *partner;  /* of each left topic: a right one, or MATCH_NONE */
    size_t matched;   /* pairs */
    double mean;      /* of their distances; 0 where there are none */
} modelmatch;

kedge_status modelmatch_find(pool *p, const modelmatch_side *left,
                             const modelmatch_side *right, modelmatch *out,
                             kedge_error *err);
void modelmatch_free(modelmatch *k);

#endif
