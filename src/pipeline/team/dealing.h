/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_TEAM_DEALING_H
#define PIPELINE_TEAM_DEALING_H
/*
 * The rows of all processes' sketches added up, each by the process whose row
 * it is (linalg/tall.h): integers, so that it does not matter who had what.
 */
#include "base/team.h"
#include "sketch/sketch.h"
#include "sketch/statistic.h"
#include "store/store.h"

#define DEALING_NONE UINT32_MAX

typedef struct dealing_input {
    team *t;
    unsigned holders;       /* processes that have rows, the first of them */
    store *own;
    const store_view *view; /* of that; */
    const uint32_t *place;  /* by row of all: which of its rows it is, rising,
                               or DEALING_NONE */
    size_t rows;            /* of all */
    const words *list;      /* their words are list[order[row]] */
    const uint32_t *order;
    const char *spill;      /* a folder for the sums; NULL: in memory */
    const kedge_control *control;
} dealing_input;

/* The own rows, numbered from the first of them on; *total is of all rows. In
 * no transaction. ENUMERIC where a sum outgrows 64 bits. */
kedge_status dealing_run(const dealing_input *in, sketch **out,
                         statistic_sum *total, kedge_error *err);

#endif
