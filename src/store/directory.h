/* SPDX-License-Identifier: MIT */
#ifndef STORE_DIRECTORY_H
#define STORE_DIRECTORY_H
/*
 * The directory of a store: made, looked at before LMDB maps anything in it,
 * and locked against a second writer.
 */
#include <stdbool.h>
#include <sys/stat.h>

#include <kedge/store.h>

#include "base/fail.h"

#define DIRECTORY_DATA "data.mdb"
#define DIRECTORY_COPY "compact.mdb" /* what is to become the data */
#define DIRECTORY_STAMP "checked"    /* stamp.h */
#define DIRECTORY_NEW_STAMP "checked.new"

typedef struct directory {
    char *path;
    int lock;   /* writer.lock, or -1 */
    bool fresh; /* there is no data yet */
    bool made;  /* the directory was not there before */
    bool unborn; /* fresh, but for what an interrupted making left */
} directory;

/* For CREATE and WRITE the writer's lock is held when this is OK, and a copy
 * that somebody began and did not end is gone; `wait`, unless NULL: until the
 * lock is free. EINVAL, ENOTFOUND, EBUSY, ECANCELED, ECORRUPT, EVERSION, EIO,
 * ENOMEM. */
kedge_status directory_open(directory *d, const char *path,
                            kedge_open_mode mode, const kedge_wait *wait,
                            kedge_error *err);

/* Opens a file in it, which must be one, and no link; -1. */
int directory_open_file(const directory *d, const char *name, int flags,
                        kedge_error *err);

/* Before LMDB opens its lock file, while the writer's lock is held; and that
 * file, once it did: -1 for none. */
kedge_status directory_clear_lmdb_lock(const directory *d, kedge_error *err);
int directory_open_lmdb_lock(const directory *d);

/* The data file that has this name now is not `mine`. False where there is
 * none: somebody removes the store. */
bool directory_has_other_data(const directory *d, const struct stat *mine);

/* The name of a file in it, in new memory; NULL when there is none. */
char *directory_join(const directory *d, const char *name);

/* Makes the names in it durable. */
kedge_status directory_sync_names(const directory *d, kedge_error *err);

/* Makes the directory itself, and the names in it, durable. */
kedge_status directory_sync(const directory *d, kedge_error *err);

/* Removes the files of a store that nobody has open, and the directory where
 * it was made for them; while the lock is held. What cannot be removed
 * stays. */
void directory_remove(const directory *d);

/* Lets go of the writer's lock. */
void directory_let_go(directory *d);

/* Closing an empty one, {.lock = -1}, has no effect. */
void directory_close(directory *d);

#endif
