/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_TEAM_ADOPT_H
#define PIPELINE_TEAM_ADOPT_H
/*
 * A view that was chosen elsewhere, by the counts of more documents than the
 * store has: of its words those that the store knows, by the same statistic.
 */
#include "base/pool.h"
#include "pipeline/index/index.h"

typedef struct adopt_input {
    store *s;
    const words *all;       /* the store's */
    const store_view *like; /* as it was chosen; */
    const uint32_t *ids;    /* and, where it has a list, the store's ids of */
    size_t count;           /* these words, rising */
    uint64_t width;         /* that was asked for; 0: as usual, which goes by
                               the number of words */
    const kedge_control *control;
    pool *p;
} adopt_input;

/* The store's own, made when it is not there, with its sketch up to date.
 * Those that came of the same rule when the words were others go. EINVAL where
 * the store has all words, but not as they were chosen. */
kedge_status adopt_view(const adopt_input *in, uint32_t *number,
                        store_view *out, kedge_error *err);

#endif
