/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_CUTTING_H
#define PIPELINE_CUTTING_H
/*
 * How texts are read, and cut into words. A store has one way for all that comes in: the
 * first text settles it, later ones follow, and what asks for another way is
 * refused, for the same word would be counted as two.
 */
#include <kedge/ingest.h>

#include "io/text/tokenizer.h"
#include "store/store.h"

typedef struct cutting {
    store_settings settings;
    bool renamed; /* its fields are others than the store has */
    words stop; /* folded, in the order of their bytes, each once */
} cutting;

void cutting_free(cutting *c);

/* The store's way, as it is. `c` is empty. */
kedge_status cutting_load(cutting *c, store_txn *txn, kedge_error *err);

/* What the options ask for, as far as the store leaves it open: defaults ask
 * for nothing. EINVAL says what differs. `c` is empty. */
kedge_status cutting_choose(cutting *c, store *s,
                            const kedge_ingest_opts *opts,
                            const kedge_control *control, kedge_error *err);

/* What was asked for and found no text to cut is told. */
void cutting_tell_unused(const cutting *c, const kedge_control *control);

/* `c` becomes what both are: one that has had no texts goes along with any.
 * EINVAL says what differs; the names are those of the stores. */
kedge_status cutting_join(cutting *c, const char *name, const cutting *other,
                          const char *other_name, kedge_error *err);

/* Where texts are, and how they are encoded: what is asked for, or else as the
 * store's were read last. NULL: the usual. */
const char *cutting_name(const char *asked, const char *settled);

/* For the tokenizer; points into `c`. */
void cutting_tokens(const cutting *c, tokenizer_opts *out);

/* From here on this is the store's way. */
kedge_status cutting_put(const cutting *c, store_txn *txn, kedge_error *err);

#endif
