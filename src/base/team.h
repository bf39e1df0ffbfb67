/* SPDX-License-Identifier: MIT */
#ifndef BASE_TEAM_H
#define BASE_TEAM_H
/*
 * Processes that work on the same rows, each on those that it has. They make
 * the same calls in the same order. What a sum over all rows is must not depend
 * on how many processes there are: it goes from the first to the last, each
 * adding its own where the one before left it, and then to all.
 */
#include <stdbool.h>
#include <stddef.h>

/* How their words travel. A process that cannot speak or hear any more ends:
 * there is nothing that the others could do without it. */
typedef struct team {
    unsigned rank, size;
    void *data;
    /* To the next rank; from the one before. */
    void (*hand)(void *data, const void *value, size_t bytes);
    void (*take)(void *data, void *value, size_t bytes);
    /* From one to all. */
    void (*spread)(void *data, void *value, size_t bytes, unsigned from);
} team;

/* What `step` makes of the value, one process after another; the last's is
 * everybody's. t NULL: this process alone. */
void team_fold(const team *t, void *value, size_t bytes,
               void (*step)(void *data, void *value), void *data);

#endif
