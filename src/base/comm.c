/* SPDX-License-Identifier: MIT */
#include "base/comm.h"

void comm_send(communicator *c, const void *value, size_t bytes, unsigned to)
{
    c->hand(c->data, value, bytes, to);
}

void comm_recv(communicator *c, void *value, size_t bytes, unsigned from)
{
    c->take(c->data, value, bytes, from);
    *c->heard += bytes;
}

void comm_sendrecv(communicator *c, const void *out, size_t out_bytes,
                   unsigned to, void *in, size_t in_bytes, unsigned from)
{
    c->trade(c->data, out, out_bytes, to, in, in_bytes, from);
    *c->heard += in_bytes;
}

/* A binomial tree. Ranks are numbered from the root; in each step those that
 * have the value send it `step` ranks ahead, and steps double. */
void comm_bcast(communicator *c, void *value, size_t bytes, unsigned root)
{
    unsigned place;

    if (c == NULL || bytes == 0)
        return;
    place = (c->rank + c->size - root) % c->size;
    for (unsigned step = 1; step < c->size; step *= 2) {
        if (place < step && place + step < c->size)
            comm_send(c, value, bytes, (c->rank + step) % c->size);
        else if (place >= step && place < 2 * step)
            comm_recv(c, value, bytes,
                      (c->rank + c->size - step) % c->size);
    }
}

void comm_reduce(communicator *c, void *value, size_t bytes,
                 void (*step)(void *data, void *value), void *data)
{
    if (c == NULL) {
        step(data, value);
        return;
    }
    if (c->rank > 0)
        comm_recv(c, value, bytes, c->rank - 1);
    step(data, value);
    if (c->rank + 1 < c->size)
        comm_send(c, value, bytes, c->rank + 1);
    comm_bcast(c, value, bytes, c->size - 1);
}
