/* SPDX-License-Identifier: MIT */
#ifndef RECTIFY_RECTIFY_H
#define RECTIFY_RECTIFY_H
/* What all rectifications are asked for and give back. */
#include <stddef.h>
#include <stdint.h>

typedef struct rectify_opts {
    size_t rounds;    /* at most */
    double tolerance; /* stop when a round changes YY' relatively by less */
    uint64_t budget;  /* ENN: bytes for the correction's entries */
} rectify_opts;

typedef struct rectify_result {
    size_t rounds;
    double change;         /* of YY' in the last round, relative */
    size_t products;       /* of ENN: of rows x K blocks, in all rounds */
    double negative_share; /* of what is looked at, before the first round */
} rectify_result;

#endif
