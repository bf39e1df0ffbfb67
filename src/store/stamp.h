/* SPDX-License-Identifier: MIT */
#ifndef STORE_STAMP_H
#define STORE_STAMP_H
/*
 * A small file beside the data file that tells in which state kedge left this
 * on this machine. Where it fits, the pages need no check before LMDB maps
 * them. It is there to save time: when in doubt, it does not fit.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "store/directory.h"

typedef enum stamp_fit {
    STAMP_NONE,    /* or of something else */
    STAMP_FOREIGN, /* fits, but whoever wrote it need not be believed */
    STAMP_FILE,    /* of this file, in another state */
    STAMP_STATE,   /* of this file, as it is */
} stamp_fit;

/* `data`: what fstat tells of the data file; a stamp of a transaction before
 * `transaction` is of another state. */
stamp_fit stamp_look(const directory *d, const struct stat *data,
                     uint64_t transaction);

/* The data file is in this state and sound. What cannot be written is not
 * there: the next one to open the store checks it. */
void stamp_write(const directory *d, const struct stat *data,
                 uint64_t transaction);

#endif
