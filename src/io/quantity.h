/* SPDX-License-Identifier: MIT */
#ifndef IO_QUANTITY_H
#define IO_QUANTITY_H
/*
 * Numbers as the formats of bags write them, with the reasons when they are
 * none. All messages are about the line given last.
 */
#include "base/span.h"
#include "io/lines.h"

#define QUANTITY_COUNT_MAX UINT64_C(0x7fffffff)

/* What a number stands for, "word", and its range. */
typedef struct quantity_range {
    const char *what;
    uint64_t least, most;
} quantity_range;

/* Decimal digits and nothing else. EFORMAT. */
kedge_status quantity_number(const lines *in, span text,
                             const quantity_range *range, uint64_t *value,
                             kedge_error *err);

/* A count of at least 1, which may be written as a real number: 3, 3.0, 3e0
 * and 0.3e1 are all three. EFORMAT for other values: weights are no counts. */
kedge_status quantity_count(const lines *in, span text, uint32_t *tally,
                            kedge_error *err);

/* "number:count". EFORMAT. */
kedge_status quantity_pair(const lines *in, span text,
                           const quantity_range *range, uint64_t *value,
                           uint32_t *tally, kedge_error *err);

/* What a format whose words are numbers needs: a vocabulary. EINVAL. */
kedge_status quantity_check_words(const lines *in, uint64_t words,
                                  kedge_error *err);

#endif
