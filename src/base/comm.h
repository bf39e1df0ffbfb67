/* SPDX-License-Identifier: MIT */
#ifndef BASE_COMM_H
#define BASE_COMM_H
/*
 * A communicator, as in MPI: processes (ranks) that make the same calls in the
 * same order. The caller's functions carry the bytes (kedge/comm.h); the bytes
 * that come to this rank are counted here. NULL is a communicator of this
 * process alone.
 */
#include <stddef.h>

#include <kedge/comm.h>

typedef kedge_comm communicator;

static inline unsigned comm_rank(const communicator *c)
{
    return c != NULL ? c->rank : 0;
}

static inline unsigned comm_size(const communicator *c)
{
    return c != NULL ? c->size : 1;
}

/* These three are not for NULL. */
void comm_send(communicator *c, const void *value, size_t bytes, unsigned to);
void comm_recv(communicator *c, void *value, size_t bytes, unsigned from);
void comm_sendrecv(communicator *c, const void *out, size_t out_bytes,
                   unsigned to, void *in, size_t in_bytes, unsigned from);

/* From rank `root` to all, in about log2(size) steps. */
void comm_bcast(communicator *c, void *value, size_t bytes, unsigned root);

/*
 * An ordered reduction: `step` adds this rank's part to the value, rank after
 * rank, and all get what the last rank has. The order of the sum is the order
 * of the rows, so the result does not depend on the number of ranks.
 */
void comm_reduce(communicator *c, void *value, size_t bytes,
                 void (*step)(void *data, void *value), void *data);

#endif
