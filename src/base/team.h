/* SPDX-License-Identifier: MIT */
#ifndef BASE_TEAM_H
#define BASE_TEAM_H
/*
 * Processes that work on the same rows, each on those that it has. They make
 * the same calls in the same order. What a sum over all rows is must not depend
 * on how many processes there are: it goes from the first to the last, each
 * adding its own where the one before left it, and then to all.
 *
 * How their words travel is the caller's business (kedge/comm.h); what comes to
 * this process is counted here. A team that is NULL is this process alone,
 * wherever it may be.
 */
#include <stdbool.h>
#include <stddef.h>

#include <kedge/comm.h>

typedef kedge_comm team;

static inline unsigned team_rank(const team *t)
{
    return t != NULL ? t->rank : 0;
}

static inline unsigned team_size(const team *t)
{
    return t != NULL ? t->size : 1;
}

/* From one rank to another; not of NULL. */
void team_hand(team *t, const void *value, size_t bytes, unsigned to);
void team_take(team *t, void *value, size_t bytes, unsigned from);
void team_trade(team *t, const void *out, size_t out_bytes, unsigned to,
                void *in, size_t in_bytes, unsigned from);

/* From one to all, who pass it on: it is on its way as often as the number of
 * processes can be halved. */
void team_spread(team *t, void *value, size_t bytes, unsigned from);

/* What `step` makes of the value, one process after another; the last's is
 * everybody's. */
void team_fold(team *t, void *value, size_t bytes,
               void (*step)(void *data, void *value), void *data);

/* Everybody's value, by rank: `all` has room for `bytes` of each. */
void team_gather(team *t, const void *value, size_t bytes, void *all);

#endif
