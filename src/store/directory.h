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

typedef struct directory {
    char *path;
    int lock;   /* writer.lock, or -1 */
    bool fresh; /* there is no data yet */
    bool made;  /* the directory was not there before */
    bool unborn; /* fresh, but for what an interrupted making left */
} directory;

/* For CREATE and WRITE the writer's lock is held when this is OK, and a copy
 * that somebody began and did not end is gone. EINVAL,
 * ENOTFOUND, EBUSY, ECORRUPT, EVERSION, EIO, ENOMEM. */
kedge_status directory_open(directory *d, const char *path,
                            kedge_open_mode mode, kedge_error *err);

/* For a reader that may not write LMDB's lock file: keeps writers out while it
 * reads, since they could not see it. EBUSY. */
kedge_status directory_keep_writers_out(directory *d, kedge_error *err);

/* The data file that has this name now is not `mine`. False where there is
 * none: somebody removes the store. */
bool directory_has_other_data(const directory *d, const struct stat *mine);

/*
 * The data file may change its name to another file only while nobody is just
 * opening it: who opens it alone tells LMDB's table, by the file that it has
 * got hold of, which transaction is the newest, and an older file's would send
 * everybody to the wrong page. Held for a moment: shared to open it, alone to
 * replace it. Gives what directory_let_go takes, -1 where it cannot be held.
 */
int directory_hold(const directory *d, bool alone);
void directory_let_go(int held);

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

/* Closing an empty one, {.lock = -1}, has no effect. */
void directory_close(directory *d);

#endif
