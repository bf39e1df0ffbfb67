/* SPDX-License-Identifier: MIT */
#ifndef OPS_RANKS_ROWSUM_H
#define OPS_RANKS_ROWSUM_H
/*
 * The rows of all ranks' sketches added up, each by the rank whose row it is
 * (linalg/tall.h): integers, so that it does not matter who had what.
 */
#include "base/comm.h"
#include "cooccur/sketch.h"
#include "cooccur/statistic.h"
#include "store/store.h"

#define ROWSUM_NONE UINT32_MAX

typedef struct rowsum_input {
    communicator *comm;
    unsigned holders;       /* ranks that have rows, the first of them */
    store *own;
    const store_view *view; /* of that; */
    const uint32_t *place;  /* by row of all: which of its rows it is, rising,
                               or ROWSUM_NONE */
    size_t rows;            /* of all */
    const words *list;      /* their words are list[order[row]] */
    const uint32_t *order;
    const char *spill;      /* a folder for the sums; NULL: in memory */
    const kedge_control *control;
} rowsum_input;

/* The own rows, numbered from the first of them on; *total is of all rows. In
 * no transaction. ENUMERIC where a sum outgrows 64 bits. */
kedge_status rowsum_make(const rowsum_input *in, sketch **out,
                         statistic_sum *total, kedge_error *err);

#endif
