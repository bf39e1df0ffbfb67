/* SPDX-License-Identifier: MIT */
#ifndef OPS_MODELS_KIN_H
#define OPS_MODELS_KIN_H
/*
 * Two models beside each other: their words as one list, and which topics are
 * the same (see topics/match.h).
 */
#include "base/words.h"
#include "topics/match.h"

#define KIN_ABSENT UINT32_MAX

/* A model as far as it matters here. Row r is the word with id order[r], or r
 * itself where `order` is NULL; rows are in the order of the words' bytes. */
typedef struct kin_side {
    const words *text;
    const uint32_t *order;
    size_t rows, k;
    const double *b;        /* rows x k: p(word | topic) */
    const uint64_t *anchor; /* k rows */
} kin_side;

typedef struct kin {
    /* the words of both, in the order of their bytes: the row of each in the
     * left and in the right model, or KIN_ABSENT */
    uint32_t *row[2];
    size_t words;
    double *distance; /* left x right: total variation of the topics */
    size_t *partner;  /* of each left topic: a right one, or MATCH_NONE */
    size_t matched;   /* pairs */
    double mean;      /* of their distances; 0 where there are none */
} kin;

kedge_status kin_find(pool *p, const kin_side *left, const kin_side *right,
                      kin *out, kedge_error *err);
void kin_free(kin *k);

#endif
