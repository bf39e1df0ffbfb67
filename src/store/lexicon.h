/* SPDX-License-Identifier: MIT */
#ifndef STORE_LEXICON_H
#define STORE_LEXICON_H
/* The vocabulary chunk by chunk; the rest is in store.h. */
#include "store/env.h"

#define LEXICON_CHUNK 4096 /* ids */

/* Decodes a chunk and tells how many words it has. ENOTFOUND, ECORRUPT. */
kedge_status lexicon_check_words(store *s, uint32_t chunk, uint32_t *count,
                                 kedge_error *err);
kedge_status lexicon_check_counts(store *s, uint32_t chunk, uint32_t *count,
                                  kedge_error *err);

#endif
