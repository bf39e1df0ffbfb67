/* SPDX-License-Identifier: MIT */
#ifndef BASE_NUMBERSET_H
#define BASE_NUMBERSET_H
/* A set of 64-bit numbers that are well mixed already, such as digests. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct numberset {
    uint64_t *slot; /* 0: empty */
    size_t slots, count;
    bool zero;      /* 0 is in it */
} numberset;

/* *fresh: it was not there yet. false when there is no memory. */
bool numberset_add(numberset *s, uint64_t number, bool *fresh);
void numberset_free(numberset *s);

/* Bytes at most for so many numbers. */
uint64_t numberset_memusage(uint64_t count);

#endif
