/* SPDX-License-Identifier: MIT */
#ifndef STORE_DIGEST_H
#define STORE_DIGEST_H
/*
 * Digests of documents, part of the store's format: free of word ids and so of
 * the order of entries, for words count by their bytes. Those of a whole store
 * are sums, so that a document can be taken out of them.
 */
#include <kedge/status.h>

#include "base/docs.h"
#include "base/words.h"

/* Hashes of words, by id. */
typedef struct digests {
    uint64_t *hash;
    size_t count, capacity;
} digests;

/* Of the words that are new since the last call. */
kedge_status digests_learn(digests *g, const words *w, kedge_error *err);
void digests_free(digests *g);

uint64_t digest_document(const digests *g, const docs *d, size_t m);

/* The same with its id and its label, where it has them. */
uint64_t digest_named(const digests *g, const docs *d, size_t m);

/* The same with the order of its words as well: sources differ by it. */
uint64_t digest_whole(const digests *g, const docs *d, size_t m);

/* Of a source, whole document by whole document; 0 before the first. */
uint64_t digest_chain(uint64_t chain, uint64_t document, uint64_t position);

/* To the two sums of a store, or from them. */
void digest_add(uint64_t sums[2], uint64_t document);
void digest_subtract(uint64_t sums[2], uint64_t document);

#endif
