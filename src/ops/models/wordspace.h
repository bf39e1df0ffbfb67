/* SPDX-License-Identifier: MIT */
#ifndef OPS_MODELS_WORDSPACE_H
#define OPS_MODELS_WORDSPACE_H
/*
 * A model's words as points (embed_rows in topics/law.h): of the rectified Y where the
 * model keeps it, else of B A B', which is what the model makes of the same;
 * both of the weighted words where they are weighted.
 */
#include "base/pool.h"
#include "ops/models/model.h"

typedef struct wordspace {
    double *x;       /* words x topics */
    bool *candidate; /* words: could be anchors, as far as the model tells */
    bool rectified;  /* x is of Y */
} wordspace;

kedge_status wordspace_make(pool *p, const kedge_model *m, wordspace *out,
                            kedge_error *err);
void wordspace_free(wordspace *w);

/* The cosine of two words; 0 where one of them is nowhere. */
double wordspace_cosine(const wordspace *w, size_t k, size_t a, size_t b);

#endif
