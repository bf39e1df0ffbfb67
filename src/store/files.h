/* SPDX-License-Identifier: MIT */
#ifndef STORE_FILES_H
#define STORE_FILES_H
/* The files of a store, looked at from outside LMDB. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <kedge/store.h>

#include "base/fail.h"

/* ---- the directory ------------------------------------------------------- */

/*
 * The directory of a store: made, looked at before LMDB maps anything in it,
 * and locked against a second writer.
 */

#define DIRECTORY_DATA "data.mdb"
#define DIRECTORY_COPY "compact.mdb" /* what is to become the data */
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

/* For CREATE and WRITE the writer's lock is held when this is OK, and a copy
 * that somebody began and did not end is gone; `wait`, unless NULL: until the
 * lock is free. EINVAL, ENOTFOUND, EBUSY, ECANCELED, ECORRUPT, EVERSION, EIO,
 * ENOMEM. */
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

/* The data file that has this name now is not `mine`. False where there is
 * none: somebody removes the store. */
bool directory_has_other_data(const directory *d, const struct stat *mine);

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

/* Closing an empty one, {.fd = -1, .lock = -1}, has no effect. */
void directory_close(directory *d);

/* ---- in which state the data file was left ------------------------------- */

/*
 * A small file beside the data file that tells in which state kedge left this
 * on this machine. Where it fits, the pages need no check before LMDB maps
 * them. It is there to save time: when in doubt, it does not fit.
 */

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

/* ---- its pages ----------------------------------------------------------- */

/*
 * Looks at LMDB's data file from outside. LMDB maps the file and follows what
 * it finds there without a checksum: a cut or overwritten file would kill the
 * process, where a store must answer ECORRUPT.
 */

/* The first two pages, before LMDB maps the file: ECORRUPT, EVERSION, EIO. */
kedge_status pages_check_head(int fd, kedge_error *err);

/* Whether this is what a process leaves that ended while it made the file: it
 * is small, and its first pages have at most what LMDB puts there before the
 * first transaction. Whoever holds the writer's lock may cut such a file off
 * and begin again. */
bool pages_unborn(int fd);

/*
 * The whole check: every page of every tree as of the transaction `snapshot`,
 * which must be open meanwhile, so that no writer takes its pages. Nodes lie in
 * their page without gap or overlap, keys rise, values are within the file, no
 * page is used twice or is used and free, and what trees count is right. After
 * it, LMDB can follow and change the file without harm. Values are left to
 * their own checksums, so this costs a read for a hundred of them or so.
 * *moved is set, and nothing was checked, when writers have overwritten the
 * snapshot's root since: take a new one. ECORRUPT, ENOMEM, EIO.
 */
kedge_status pages_check(int fd, uint64_t snapshot, bool *moved,
                         kedge_error *err);

/* ---- which states of it are read ----------------------------------------- */

/*
 * Which states of the data file are being read, told by locks on the file
 * itself: open file description locks on bytes far behind its end, one byte for
 * each transaction. LMDB's own table of readers goes by process ids, which two
 * containers share; its locks are those of a whole process, so that closing one
 * handle drops those of another; it has a fixed number of places, which killed
 * readers keep; and it must be written by readers. These locks need nothing but
 * a file that is open for reading, and the kernel drops them with it.
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

/* The writer tells that it has found the pages sound, and goes on telling until
 * the file is closed. */
void holds_sound(int fd);
bool holds_is_sound(int fd);

/* Drops all of these. */
void holds_drop(int fd);

/* ---- what of it is in memory --------------------------------------------- */

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
