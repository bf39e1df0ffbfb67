/* SPDX-License-Identifier: MIT */
#ifndef OPS_UPKEEP_STORED_H
#define OPS_UPKEEP_STORED_H
/*
 * The sources of other stores, as they were read there: documents in the order
 * of their positions, those that were removed as well, for a source is known by
 * all that it held.
 */
#include "ops/ingest/ingest.h"
#include "ops/textsettings.h"

typedef struct stored stored;

/* Opens the stores; a source is numbered through all of them. Sources that were
 * removed are not among them. What their words take is taken off the control's
 * memory: EBUDGET where that is too little. */
kedge_status stored_open(const char *const *paths, size_t count,
                         kedge_control *control, stored **out,
                         kedge_error *err);
void stored_close(stored *s); /* accepts NULL */

size_t stored_sources(const stored *s);

/* Whether all of the stores were read with a vocabulary, and have the view of
 * all words: `record` is that of the first. */
bool stored_has_view(const stored *s, store_view *record);

/* The statistics by which all of them have a view of all words beside it, a bit
 * each. */
uint32_t stored_beside(const stored *s);

/* How their texts were cut joins `c`, which is that of the store called `name`:
 * EINVAL when they were cut differently. */
kedge_status stored_join_settings(const stored *s, const char *name,
                                  text_settings *c, kedge_error *err);

/* All words of all stores. */
kedge_status stored_add_words(const stored *s, wordmap *lexicon,
                              kedge_error *err);

feed stored_feed(stored *s);

#endif
