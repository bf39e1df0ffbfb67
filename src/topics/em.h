/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_EM_H
#define TOPICS_EM_H
/*
 * Expectation and maximisation: topics B that make the documents themselves
 * more likely, from topics that are good already. A pass takes documents in any
 * order and any portions: what it gathers is the same to the last bit.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/docs.h"
#include "base/pool.h"

typedef struct em em;

typedef struct em_input {
    size_t rows, k;
    double *b;            /* rows x k, columns sum to 1; em_learn moves
                             them */
    const double *share;  /* k: of each topic, where documents' topics begin */
    uint64_t tokens;      /* of all documents of a pass, at most */
    uint64_t min_tokens;  /* shorter documents are passed over */
    pool *p;
} em_input;

kedge_status em_create(const em_input *in, em **out,
                           kedge_error *err);
void em_free(em *o); /* accepts NULL */

/* A pass: begin, documents, and what was gathered of them. Words of documents
 * are rows, rising; where B is not to be learned they are measured alone, which
 * is cheaper. */
void em_begin(em *o);
void em_add(em *o, const docs *d, bool learning);

/* ln p of a token, on average, given the B that the pass began with. Words that
 * no topic has are left out. */
double em_likelihood(const em *o);

/* B becomes what the documents of the pass expect. Zeros stay zeros. */
void em_learn(em *o);

#endif
