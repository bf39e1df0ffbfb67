/* SPDX-License-Identifier: MIT */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H
/* The name that a mistyped one was perhaps meant to be. */
#include <stddef.h>

typedef struct nearest {
    const char *typed;
    size_t size; /* of typed, in bytes */
    const char *name; /* best so far, NULL: none is near */
    size_t distance;
} nearest;

void nearest_begin(nearest *n, const char *typed, size_t size);
void nearest_offer(nearest *n, const char *name);

#endif
