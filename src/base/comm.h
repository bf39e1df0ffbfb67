/* SPDX-License-Identifier: MIT */
#ifndef BASE_COMM_H
#define BASE_COMM_H
/*
 * A communicator, as in MPI: processes (ranks) that make the same calls in the
 * same order. The caller's functions (kedge/comm.h) transport the bytes; these
 * count the received ones. NULL is a communicator of size 1.
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

/* The communicator must not be NULL. */
void comm_send(communicator *c, const void *value, size_t bytes, unsigned to);
void comm_recv(communicator *c, void *value, size_t bytes, unsigned from);
void comm_sendrecv(communicator *c, const void *out, size_t out_bytes,
                   unsigned to, void *in, size_t in_bytes, unsigned from);

/* From rank `root` to all, in about log2(size) steps. */
void comm_bcast(communicator *c, void *value, size_t bytes, unsigned root);

/*
 * An ordered reduction: rank after rank, `step` adds the rank's part to
 * `value`; then all ranks get the value of the last. As ranks are in the order
 * of the rows, the result does not depend on their number.
 */
void comm_reduce(communicator *c, void *value, size_t bytes,
                 void (*step)(void *data, void *value), void *data);

#endif
