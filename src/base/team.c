/* SPDX-License-Identifier: MIT */
#include "base/team.h"

#include <string.h>

void team_hand(team *t, const void *value, size_t bytes, unsigned to)
{
    t->hand(t->data, value, bytes, to);
}

void team_take(team *t, void *value, size_t bytes, unsigned from)
{
    t->take(t->data, value, bytes, from);
    *t->heard += bytes;
}

void team_trade(team *t, const void *out, size_t out_bytes, unsigned to,
                void *in, size_t in_bytes, unsigned from)
{
    t->trade(t->data, out, out_bytes, to, in, in_bytes, from);
    *t->heard += in_bytes;
}

/* By a tree. With processes numbered from the one that has it: who knows it
 * tells the one that is a step ahead, and steps are doubled. */
void team_spread(team *t, void *value, size_t bytes, unsigned from)
{
    unsigned place;

    if (t == NULL || bytes == 0)
        return;
    place = (t->rank + t->size - from) % t->size;
    for (unsigned step = 1; step < t->size; step *= 2) {
        if (place < step && place + step < t->size)
            team_hand(t, value, bytes, (t->rank + step) % t->size);
        else if (place >= step && place < 2 * step)
            team_take(t, value, bytes,
                      (t->rank + t->size - step) % t->size);
    }
}

void team_fold(team *t, void *value, size_t bytes,
               void (*step)(void *data, void *value), void *data)
{
    if (t == NULL) {
        step(data, value);
        return;
    }
    if (t->rank > 0)
        team_take(t, value, bytes, t->rank - 1);
    step(data, value);
    if (t->rank + 1 < t->size)
        team_hand(t, value, bytes, t->rank + 1);
    team_spread(t, value, bytes, t->size - 1);
}

void team_gather(team *t, const void *value, size_t bytes, void *all)
{
    memcpy((char *)all + team_rank(t) * bytes, value, bytes);
    for (unsigned r = 0; r < team_size(t); r++)
        team_spread(t, (char *)all + r * bytes, bytes, r);
}
