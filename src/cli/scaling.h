/* SPDX-License-Identifier: MIT */
#ifndef CLI_SCALING_H
#define CLI_SCALING_H
/* What 'kedge bench scale' measured, and how it is shown. */
#include "benching.h"
#include "children.h"
#include "growth.h"

/* One size. Of the parts of fit there are seconds alone. */
typedef struct scale_run {
    uint64_t documents, vocabulary, topics, width, threads;
    uint64_t tokens, nonzeros;
    uint64_t words; /* that occur, and that the model has */
    uint64_t rounds; /* of rectification */
    uint64_t store; /* bytes, at the end */
    cost stage[STAGES];
} scale_run;

typedef struct scale {
    const benching *asked;
    axis axis;
    size_t count;
    scale_run run[COUNTS_MOST];
} scale;

/* The size on an axis: of a run that is to be, or was. */
uint64_t *scale_value(scale_run *run, axis a);

void scale_print_table(const scale *s);
void scale_print_json(const scale *s);

#endif
