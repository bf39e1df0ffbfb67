/* SPDX-License-Identifier: MIT */
#include "base/team.h"

void team_fold(const team *t, void *value, size_t bytes,
               void (*step)(void *data, void *value), void *data)
{
    if (t == NULL) {
        step(data, value);
        return;
    }
    if (t->rank > 0)
        t->take(t->data, value, bytes);
    step(data, value);
    if (t->rank + 1 < t->size)
        t->hand(t->data, value, bytes);
    t->spread(t->data, value, bytes, t->size - 1);
}
