/* SPDX-License-Identifier: MIT */
#ifndef OPS_TEXTSETTINGS_H
#define OPS_TEXTSETTINGS_H
/*
 * How texts are read, and how the tokenizer cuts them into words. A store has
 * one way for all that comes in: the first text settles it, later ones follow,
 * and what asks for another way is refused, for the same word would be counted
 * as two.
 */
#include <kedge/ingest.h>

#include "io/reader.h"
#include "store/store.h"

typedef struct text_settings {
    store_settings settings;
    bool renamed; /* its fields are others than the store has */
    words stop; /* folded, in the order of their bytes, each once */
} text_settings;

void text_settings_free(text_settings *c);

/* The store's way, as it is. `c` is empty. */
kedge_status text_settings_load(text_settings *c, store_txn *txn,
                                kedge_error *err);

/* What the options ask for, as far as the store leaves it open: defaults ask
 * for nothing. EINVAL says what differs. `c` is empty. */
kedge_status text_settings_choose(text_settings *c, store *s,
                                  const kedge_ingest_opts *opts,
                                  const kedge_control *control,
                                  kedge_error *err);

/* What was asked for and found no text to cut is told. */
void text_settings_log_unused(const text_settings *c,
                              const kedge_control *control);

/* `c` becomes what both are: one that has had no texts goes along with any.
 * EINVAL says what differs; the names are those of the stores. */
kedge_status text_settings_join(text_settings *c, const char *name,
                                const text_settings *other,
                                const char *other_name, kedge_error *err);

/* Where texts are, and how they are encoded: what is asked for, or else as the
 * store's were read last. */
void text_settings_fields(const text_settings *c, reader_opts *asked);

/* For the tokenizer; points into `c`. */
void text_settings_tokens(const text_settings *c, tokenizer_opts *out);

/* From here on this is the store's way. */
kedge_status text_settings_put(const text_settings *c, store_txn *txn,
                               kedge_error *err);

#endif
