/* SPDX-License-Identifier: MIT */
#ifndef CLI_SCRATCH_H
#define CLI_SCRATCH_H
/* A folder for files that nobody needs afterwards. */
#include <stdint.h>

#include <kedge/status.h>

typedef struct scratch {
    char path[512]; /* "": none */
} scratch;

/* A new one within `folder`, or NULL: where such things go. EIO. */
KEDGE_CHECKED kedge_status scratch_make(scratch *s, const char *folder,
                                        kedge_error *err);

/* Bytes that a file, or a folder with all in it, takes of the disk. */
uint64_t scratch_bytes(const char *path);

/* Removes it, with all in it; likewise the scratch itself. */
void scratch_clear(const char *path);
void scratch_remove(scratch *s);

#endif
