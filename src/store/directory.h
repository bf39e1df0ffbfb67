/* SPDX-License-Identifier: MIT */
#ifndef STORE_DIRECTORY_H
#define STORE_DIRECTORY_H
/*
 * The directory of a store: made, looked at before LMDB maps anything in it,
 * and locked against a second writer.
 */
#include <stdbool.h>

#include <kedge/store.h>

#include "base/fail.h"

typedef struct directory {
    char *path;
    int lock;   /* writer.lock, or -1 */
    bool fresh; /* there is no data yet */
} directory;

/* For CREATE and WRITE the writer's lock is held when this is OK. EINVAL,
 * ENOTFOUND, EBUSY, ECORRUPT, EVERSION, EIO, ENOMEM. */
kedge_status directory_open(directory *d, const char *path,
                            kedge_open_mode mode, kedge_error *err);

/* For a reader that may not write LMDB's lock file: keeps writers out while it
 * reads, since they could not see it. EBUSY. */
kedge_status directory_keep_writers_out(directory *d, kedge_error *err);

/* Makes the directory itself, and the names in it, durable. */
kedge_status directory_sync(const directory *d, kedge_error *err);

/* Closing an empty one, {.lock = -1}, has no effect. */
void directory_close(directory *d);

#endif
