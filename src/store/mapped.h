/* SPDX-License-Identifier: MIT */
#ifndef STORE_MAPPED_H
#define STORE_MAPPED_H
/*
 * What of the data file's map is in memory. Pages that were touched count as
 * the process's memory for as long as it maps them, so a pass over all
 * documents would seem to hold them all. What is touched is counted, and now
 * and then the kernel is asked what it made of it; all of it is let go of
 * before it is much.
 *
 * LMDB only reads its map of the file, and so do we: what is let go of is still
 * in the file, and whoever looks at it, in whatever thread, maps it again. So a
 * value stays valid, and this may happen at any time. Pages that a transaction
 * has changed are LMDB's own memory and lie elsewhere.
 */
#include <stddef.h>
#include <stdint.h>

#define MAPPED_MOST ((size_t)16 << 20) /* between letting go */

typedef struct mapped {
    char *start; /* of the map; NULL: not known, nothing is let go of */
    size_t size; /* what it has beyond the file costs nothing */
    size_t touched; /* bytes since it was let go of */
    uintptr_t page; /* that a value was on last */
    unsigned looks; /* touches since the kernel was asked */
    size_t before;  /* bytes that it told when all had been let go of */
} mapped;

/* Bytes of files that the process has mapped and in memory; 0: not known. */
size_t mapped_resident(void);

/* Bytes that the process may map yet (ulimit -v); UINT64_MAX: no limit. */
uint64_t mapped_addresses_left(void);

/* To be called before these bytes are looked at; NULL: somewhere. */
void mapped_touch(mapped *m, const void *at, size_t size);

/* All of it. From any thread, while nobody maps the file anew. */
void mapped_let_go(const mapped *m);

#endif
