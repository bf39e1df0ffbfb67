/* SPDX-License-Identifier: MIT */
/*
 * Replaces the data file by a copy without free pages.
 *
 * LMDB goes through all of its map in one call, and would have the whole store
 * in memory in the end. So it writes into a pipe, and who carries the bytes on
 * from there into the file lets go of the map every so often.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/again.h"
#include "base/mem.h"
#include "store/files.h"
#include "store/records.h"

/* As LMDB numbers the one transaction of a compact copy. Who reads goes by the
 * file's own numbers (files.h), so that they begin again does no harm. */
#define COPY_SNAPSHOT 1

#define PIPE_BYTES (1 << 20) /* as many as the system gives to anybody */
#define PIECE_BYTES ((size_t)256 << 10)
/* Bytes of the copy between letting go of the map. Where pages of trees lie
 * apart, 16 times as many are mapped: see mapped.c. */
#define LET_GO_BYTES ((size_t)1 << 20)
#define SYNC_BYTES ((size_t)32 << 20)

/* ---- through a pipe ------------------------------------------------------ */

typedef struct carrying {
    store *s;
    const store_watcher *watcher; /* or NULL */
    int from, to;   /* ends of the pipe; -1: closed */
    int fd;         /* of the file */
    uint64_t total; /* bytes, about */
    kedge_status copied;
    kedge_error error; /* of that */
} carrying;

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static kedge_status tell(const carrying *c, uint64_t done, uint64_t total,
                         kedge_error *err)
{
    const store_watcher *const w = c->watcher;

    if (w != NULL && !w->goes_on(w->data, done, total))
        return kedge_fail(err, KEDGE_ECANCELED, "stopped");
    return KEDGE_OK;
}

/* What was written is on the disk soon, so that the end is not a long wait. */
static kedge_status carry(const carrying *c, uint8_t *bytes, kedge_error *err)
{
    uint64_t done = 0, let_go = 0, synced = 0;
    ssize_t got;

    PASS(tell(c, 0, c->total, err));
    while ((got = read(c->from, bytes, PIECE_BYTES)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return kedge_fail(err, KEDGE_EIO, "cannot copy the data: %s",
                              strerror(errno));
        if (!again_write_at(c->fd, bytes, (size_t)got, done))
            return kedge_fail(err, KEDGE_EIO, "cannot write: %s",
                              strerror(errno));
        done += (uint64_t)got;
        if (done - let_go < LET_GO_BYTES)
            continue;
        kv_let_go(c->s);
        let_go = done;
        if (done - synced >= SYNC_BYTES) {
            if (again_sync(c->fd) != 0)
                return kedge_fail(err, KEDGE_EIO, "cannot sync: %s",
                                  strerror(errno));
            synced = done;
        }
        PASS(tell(c, done, greater(done, c->total), err));
    }
    return tell(c, done, done, err);
}

/* Each side closes its end of the pipe, so the other one never waits in vain.
 * LMDB takes the signal that a write into a pipe without a reader brings. */
static void *copy_side(void *data)
{
    carrying *c = data;

    c->copied = kv_copy(c->s, c->to, &c->error);
    close_end(&c->to);
    return NULL;
}

static kedge_status copy_data(store *s, int fd, const store_watcher *watcher,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    carrying c = {.s = s, .watcher = watcher, .from = -1, .to = -1, .fd = fd};
    store_txn *txn = NULL;
    uint8_t *bytes = NULL;
    pthread_t copier;
    int ends[2];

    TRY(store_begin_read(s, &txn, err)); /* where the map is, to let go of */
    c.total = kv_used(txn);
    store_abort(&txn);
    TRY_MEM(bytes = mem_new(PIECE_BYTES, 1));
    if (pipe2(ends, O_CLOEXEC) != 0)
        TRY(kedge_fail(err, KEDGE_EIO, "cannot make a pipe: %s",
                       strerror(errno)));
    c.from = ends[0];
    c.to = ends[1];
    fcntl(c.to, F_SETPIPE_SZ, PIPE_BYTES); /* or else it is slower */
    if (pthread_create(&copier, NULL, copy_side, &c) != 0)
        TRY(kedge_fail(err, KEDGE_ENOMEM,
                       "no thread for the copy; allow more processes (ulimit "
                       "-u) or more address space (ulimit -v)"));
    st = carry(&c, bytes, err);
    close_end(&c.from);
    pthread_join(copier, NULL);
    kv_let_go(s);
    TRY(st);
    if (c.copied != KEDGE_OK) /* where the file fails, this has less to say */
        TRY(kedge_fail(err, c.copied, "%s", c.error.text));
out:
    close_end(&c.from);
    close_end(&c.to);
    mem_free(bytes);
    return st;
}

/* ---- the copy ------------------------------------------------------------ */

/* Every page of the copy is looked at again before anybody relies on it. Who
 * may read the old file may read the new one. */
static kedge_status fill_file(store *s, int fd, const store_watcher *watcher,
                              kedge_error *err)
{
    const directory *const d = kv_directory(s);
    struct stat old;
    bool moved;

    PASS(copy_data(s, fd, watcher, err));
    PASS(pages_check(fd, COPY_SNAPSHOT, &moved, err));
    if (moved)
        return kedge_fail(err, KEDGE_ECORRUPT, "the copy has another snapshot");
    if (fstatat(d->fd, DIRECTORY_DATA, &old, AT_SYMLINK_NOFOLLOW) != 0 ||
        fchmod(fd, old.st_mode & 07777) != 0)
        return kedge_fail(err, KEDGE_EIO, "cannot set its mode: %s",
                          strerror(errno));
    if (again_sync(fd) != 0)
        return kedge_fail(err, KEDGE_EIO, "cannot sync: %s", strerror(errno));
    return KEDGE_OK;
}

kedge_status store_compact(store *s, const store_watcher *watcher,
                           kedge_error *err)
{
    const directory *const d = kv_directory(s);
    struct stat now;
    kedge_status st;
    int fd;

    PASS(kv_idle(s, true, err));
    PASS(directory_open_file(d, DIRECTORY_COPY, O_RDWR | O_CREAT | O_EXCL, &fd,
                             err));
    st = fill_file(s, fd, watcher, err);
    if (st != KEDGE_OK)
        kedge_fail_context(err, "%s/" DIRECTORY_COPY, d->path);
    if (close(fd) != 0 && st == KEDGE_OK)
        st = directory_fail(d, DIRECTORY_COPY, "cannot close", err);
    if (st == KEDGE_OK &&
        renameat(d->fd, DIRECTORY_COPY, d->fd, DIRECTORY_DATA) != 0)
        st = directory_fail(d, DIRECTORY_DATA, "cannot replace", err);
    if (st != KEDGE_OK) {
        unlinkat(d->fd, DIRECTORY_COPY, 0);
        return st;
    }
    if (fstatat(d->fd, DIRECTORY_DATA, &now, AT_SYMLINK_NOFOLLOW) == 0)
        stamp_write(d, &now, COPY_SNAPSHOT);
    /* From here on the new file is the store's. Commits into a file whose name
     * is not durable could be lost with it, so that ends the handle. */
    st = directory_sync_names(d, err);
    if (st == KEDGE_OK)
        return kv_reopen(s, err);
    kv_give_up(s);
    return st;
}
