/* SPDX-License-Identifier: MIT */
#ifndef MEASURE_COMPLETION_H
#define MEASURE_COMPLETION_H
/*
 * How well a model foretells words of a document that it did not see, given the
 * others: document completion. Tokens of the documents that are taken go to one
 * half or to the other by a coin; what topics a document has is found from the
 * first half, and the second is measured.
 */
#include "base/docs.h"
#include "base/pool.h"

/* The halves of those documents of a batch that are taken, each with a chance
 * of `share`. `key` and a document's position decide, and nothing else.
 * Documents without a word in one of the halves are passed over. */
typedef struct halves {
    docs first, second; /* as many documents */
} halves;

kedge_status halves_split(halves *h, const docs *d, uint64_t key, double share,
                          kedge_error *err);
void halves_free(halves *h);

typedef struct completion completion;

typedef struct completion_input {
    size_t rows, k;
    const double *b;    /* rows x k, columns sum to one */
    const double *tf;   /* rows: occurrences, of the words by themselves */
    pool *p;
} completion_input;

kedge_status completion_create(const completion_input *in, completion **out,
                               kedge_error *err);
void completion_free(completion *c); /* accepts NULL */

/* Second halves of documents from .. from + count - 1, whose topics have the
 * shares in rows of k. */
void completion_add(completion *c, const docs *second, size_t from,
                    size_t count, const double *shares);

/* ln p of a token on average, of B mixed with COMPLETION_UNIGRAM of the words
 * by themselves, which none is without; NAN without tokens. */
#define COMPLETION_UNIGRAM 1e-3
double completion_likelihood(const completion *c);
uint64_t completion_tokens(const completion *c);
uint64_t completion_documents(const completion *c);

#endif
