/* SPDX-License-Identifier: MIT */
#ifndef STORE_FILES_H
#define STORE_FILES_H
/* The files of a store, handled without LMDB. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <kedge/store.h>

#include "base/fail.h"

/* ---- the directory (directory.c) ----------------------------------------- */

#define DIRECTORY_DATA "data.mdb"
#define DIRECTORY_COPY "compact.mdb" /* becomes the data file */
#define DIRECTORY_STAMP "checked"    /* stamp_write */
#define DIRECTORY_NEW_STAMP "checked.new"
#define DIRECTORY_LMDB_LOCK "lock.mdb"

typedef struct directory {
    char *path;
    int fd;     /* what the path led to: names below are names in it */
    int lock;   /* writer.lock, or -1 */
    bool fresh; /* there is no data yet */
    bool made;  /* the directory was not there before */
    bool unborn; /* fresh, but for what an interrupted making left */
} directory;

/* Makes or finds the directory and checks its data file before LMDB maps it.
 * For CREATE and WRITE it takes the writer's lock, waiting as `wait` says
 * unless that is NULL, and removes an unfinished copy. EINVAL, ENOTFOUND,
 * EBUSY, ECANCELED, ECORRUPT, EVERSION, EIO, ENOMEM. */
kedge_status directory_open(directory *d, const char *path,
                            kedge_open_mode mode, const kedge_wait *wait,
                            kedge_error *err);

/* Opens a file in it, which must be one, and no link; *fd is -1 else. */
kedge_status directory_open_file(const directory *d, const char *name,
                                 int flags, int *fd, kedge_error *err);

/* What errno says of the file: EIO, mostly. `name` NULL: of the directory. */
kedge_status directory_fail(const directory *d, const char *name,
                            const char *doing, kedge_error *err);

/* Before LMDB opens its lock file, while the writer's lock is held. */
kedge_status directory_clear_lmdb_lock(const directory *d, kedge_error *err);

/* Whether the path has a data file that is not `mine`. False where it has none:
 * somebody removes the store. */
bool directory_has_other_data(const directory *d, const struct stat *mine);

/* Makes the names in it durable; and the directory itself. */
kedge_status directory_sync_names(const directory *d, kedge_error *err);
kedge_status directory_sync(const directory *d, kedge_error *err);

/* Removes the files of a store that nobody has open, and the directory if it
 * was made for them; while the lock is held. What cannot be removed stays. */
void directory_remove(const directory *d);

/* Releases the writer's lock. */
void directory_let_go(directory *d);

/* Closing an empty one, {.fd = -1, .lock = -1}, has no effect. */
void directory_close(directory *d);

/* ---- in which state the data file was left (stamp.c) --------------------- */

/*
 * A small file that says in which state kedge left the data file on this
 * machine. Where it fits, the pages need no check before LMDB maps them. It
 * only saves time: when in doubt, it does not fit.
 */

typedef enum stamp_fit {
    STAMP_NONE,    /* or of something else */
    STAMP_FOREIGN, /* fits, but whoever wrote it need not be believed */
    STAMP_FILE,    /* of this file, in another state */
    STAMP_STATE,   /* of this file, as it is */
} stamp_fit;

/* `data`: fstat of the data file; a stamp of a transaction before `transaction`
 * is of another state. */
stamp_fit stamp_look(const directory *d, const struct stat *data,
                     uint64_t transaction);

/* The data file is in this state and sound. A stamp that cannot be written is
 * missing: the next one to open the store checks it. */
void stamp_write(const directory *d, const struct stat *data,
                 uint64_t transaction);

/* ---- its pages (pages.c) ------------------------------------------------- */

/*
 * LMDB maps the data file and follows what it finds there without a checksum: a
 * cut or overwritten file would kill the process, where a store must answer
 * ECORRUPT.
 */

/* The first two pages, before LMDB maps the file: ECORRUPT, EVERSION, EIO. */
kedge_status pages_check_head(int fd, kedge_error *err);

/* Whether a process may have left this that ended while it made the file: it is
 * small, and its first pages have at most what LMDB puts there before the first
 * transaction. Whoever holds the writer's lock may cut such a file off and
 * begin again. */
bool pages_unborn(int fd);

/*
 * The whole check: every page of every tree as of the transaction `snapshot`,
 * which must be open meanwhile, so that no writer takes its pages. Nodes lie in
 * their page without gap or overlap, keys rise, values are within the file, no
 * page is used twice or is used and free, and what trees count is right. After
 * it, LMDB can follow and change the file without harm. Values have their own
 * checksums, so this costs a read for a hundred of them or so. *moved is set,
 * and nothing was checked, when writers have overwritten the snapshot's root
 * since: take a new one. ECORRUPT, ENOMEM, EIO.
 */
kedge_status pages_check(int fd, uint64_t snapshot, bool *moved,
                         kedge_error *err);

/* ---- which states of it are read (holds.c) ------------------------------- */

/*
 * Open file description locks on bytes far behind the end of the data file say
 * which states are being read, one byte for each transaction. LMDB's own table
 * of readers goes by process ids, which two containers share; its locks are
 * those of a whole process, so that closing one handle drops those of another;
 * it has a fixed number of places, which killed readers keep; and readers must
 * write it. These locks need only a file that is open for reading, and the
 * kernel drops them with it.
 */

/* Reading begins: enter, take LMDB's snapshot, `holds_state`. In between no
 * state's pages are used again. It ends by `holds_leave`. false: errno. */
bool holds_enter(int fd);
bool holds_state(int fd, uint64_t transaction);
void holds_leave(int fd);

/* For the writer: the oldest state that somebody reads; `newest` when none of
 * those before is read. */
uint64_t holds_oldest(int fd, uint64_t newest);

/* The writer marks the transaction that it is committing: a reader that sees
 * its meta page meanwhile may see half of it. */
void holds_commit(int fd, uint64_t transaction, bool begins);
bool holds_is_committing(int fd, uint64_t transaction);

/* The writer has found the pages sound; it says so until it closes the file. */
void holds_sound(int fd);
bool holds_is_sound(int fd);

/* Drops all of these. */
void holds_drop(int fd);

/* ---- what of it is in memory (mapped.c) ---------------------------------- */

/*
 * Pages of the map that were touched count as the process's memory for as long
 * as it maps them, so a pass over all documents would seem to hold them all.
 * Touched bytes are counted here, the kernel is asked now and then, and all of
 * them are released before they are many.
 *
 * LMDB and kedge only read the map of the file: released bytes are still in the
 * file, and any thread that looks at them maps them again. So a value stays
 * valid, and this may happen at any time. Pages that a transaction has changed
 * are LMDB's own memory and lie elsewhere.
 */

#define MAPPED_MOST ((size_t)16 << 20) /* between releases */

typedef struct mapped {
    char *start; /* of the map; NULL: not known, nothing is released */
    size_t size; /* what it has beyond the file costs nothing */
    size_t touched; /* bytes since the last release */
    uintptr_t page; /* that a value was on last */
    unsigned looks; /* touches since the kernel was asked */
    size_t before;  /* the kernel's answer after the last release */
} mapped;

/* Bytes of files that the process has mapped and in memory; 0: not known. */
size_t mapped_resident(void);

/* Bytes that the process may map yet (ulimit -v); UINT64_MAX: no limit. */
uint64_t mapped_addresses_left(void);

/* To be called before these bytes are looked at; NULL: somewhere. */
void mapped_touch(mapped *m, const void *at, size_t size);

/* Releases all of it. From any thread, while nobody maps the file again. */
void mapped_let_go(const mapped *m);

#endif
