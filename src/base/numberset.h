/* SPDX-License-Identifier: MIT */
#ifndef BASE_NUMBERSET_H
#define BASE_NUMBERSET_H
/*
 * A multiset of 64-bit numbers that are well mixed already, such as digests.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct numberset {
    uint64_t *number;
    uint32_t *times; /* 0: empty, or there was such a number once */
    size_t slots, count; /* count: slots that are in use */
} numberset;

/* false when there is no memory: nothing has changed. */
bool numberset_add(numberset *s, uint64_t number);
/* Once; the number must be there. */
void numberset_remove(numberset *s, uint64_t number);
bool numberset_has(const numberset *s, uint64_t number);
void numberset_free(numberset *s);

#endif
