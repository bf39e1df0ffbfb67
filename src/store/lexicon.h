/* SPDX-License-Identifier: MIT */
#ifndef STORE_LEXICON_H
#define STORE_LEXICON_H
/* The vocabulary chunk by chunk; the rest is in store.h. */
#include "store/kv.h"

#define LEXICON_CHUNK STORE_WORDS_CHUNK /* ids */

/* Pure work: a chunk of counts as a record of this tag. */
kedge_status lexicon_encode_counts(store_frame *f, const char *tag,
                                   const uint64_t *tf, const uint64_t *df,
                                   size_t count, kedge_error *err);
/* The first `count` of those that a record holds, decompressed at `plain`;
 * false where the bytes are no counts, or fewer. */
bool lexicon_decode_counts(const uint8_t *plain, const frame_head *head,
                           uint64_t *tf, uint64_t *df, size_t count);

/* Decodes a chunk and tells how many words it has. ENOTFOUND, ECORRUPT. */
kedge_status lexicon_check_words(store_txn *txn, uint32_t chunk,
                                 uint32_t *count, kedge_error *err);
kedge_status lexicon_check_counts(store_txn *txn, uint32_t chunk,
                                  uint32_t *count, kedge_error *err);

#endif
