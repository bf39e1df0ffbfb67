/* SPDX-License-Identifier: MIT */
#ifndef CLI_GROWTH_H
#define CLI_GROWTH_H
/* By which power costs grow: as measured, and as the methods foretell. */
#include <stddef.h>

typedef enum axis {
    AXIS_DOCUMENTS,
    AXIS_VOCABULARY,
    AXIS_TOPICS,
    AXIS_WIDTH,
    AXIS_THREADS,
    AXES
} axis;

/* Stages; spectrum, rectify and topics are what fit does. */
typedef enum stage {
    STAGE_CORPUS,
    STAGE_INGEST,
    STAGE_FIT,
    STAGE_SPECTRUM,
    STAGE_RECTIFY,
    STAGE_TOPICS,
    STAGE_INFER,
    STAGES
} stage;

typedef enum quantity {
    SECONDS,
    PROCESSOR,
    MEMORY,
    STORE,
    QUANTITIES
} quantity;

extern const char *const axis_names[AXES], *const stage_names[STAGES],
    *const quantity_names[QUANTITIES];

/* A range: where two terms of a cost are of one size for long, it is in between
 * and nears `most`. */
typedef struct foretold {
    double least, most;
} foretold;

/* A stage's share of the store is that of the whole: ask for STAGE_INGEST. */
foretold growth_foretold(axis a, stage s, quantity q);

/* The exponent of y ~ x^e by least squares of logarithms; NAN of less than two
 * different x, or where a y is not above 0. */
double growth_exponent(const double *x, const double *y, size_t count);

#endif
