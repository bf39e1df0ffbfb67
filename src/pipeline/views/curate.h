/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_VIEWS_CURATE_H
#define PIPELINE_VIEWS_CURATE_H
/*
 * Curated vocabularies: which of the store's words a view sees. The rule is
 * applied to the counts as they are; the view keeps the list that came out.
 */
#include <kedge/fit.h>

#include "base/words.h"
#include "store/store.h"

/* Whether the options ask for a vocabulary of their own. */
bool curate_is_asked(const kedge_fit_opts *opts);

/* What is usual for a store of texts, wherever the options say nothing; a list
 * to keep is all that is asked for. */
void curate_usual(const store_totals *totals, kedge_fit_opts *opts);

typedef struct curate_input {
    const words *all;
    const uint64_t *tf, *df; /* by id */
    uint64_t documents;
    const store_settings *settings; /* how texts were cut; NULL: no texts */
} curate_input;

/* The words that the options leave, the rule in words, and a digest of what is
 * on the lists that it names. EFORMAT, EIO for
 * files that cannot be read, EINVAL when nothing is left. */
kedge_status curate_list(const curate_input *in, const kedge_fit_opts *opts,
                         store_list *out, char rule[160], uint64_t *lists,
                         kedge_error *err);

/* Whether a rule chooses words by lists alone: then each part of a corpus gives
 * those of its words that all of it would give. A rule that asks for counts is
 * none of these, nor are phrases. */
bool curate_is_fixed(const char *rule);

#endif
