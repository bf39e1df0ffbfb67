/* SPDX-License-Identifier: MIT */
/*
 * The data file written anew, without its free pages.
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
#include "store/kv.h"

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
    int end[2]; /* of the pipe: read from, written to; -1: closed */
    int fd;     /* of the file */
    uint8_t *bytes;
    uint64_t done, total, synced; /* bytes */
    kedge_status copied;
    kedge_error error; /* of that */
} carrying;

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static ssize_t read_some(int fd, uint8_t *bytes)
{
    ssize_t got;

    do
        got = read(fd, bytes, PIECE_BYTES);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Of so many bytes. */
static kedge_status carry_tell(const carrying *c, uint64_t total,
                               kedge_error *err)
{
    const store_watcher *const w = c->watcher;

    if (w != NULL && !w->goes_on(w->data, c->done, total))
        return kedge_fail(err, KEDGE_ECANCELED, "stopped");
    return KEDGE_OK;
}

/* What was written is on the disk soon, so that the end is not a long wait. */
static kedge_status carry_sync(carrying *c, kedge_error *err)
{
    kv_let_go(c->s);
    if (c->done - c->synced >= SYNC_BYTES) {
        if (again_sync(c->fd) != 0)
            return kedge_fail(err, KEDGE_EIO, "cannot sync: %s",
                              strerror(errno));
        c->synced = c->done;
    }
    return carry_tell(c, c->done < c->total ? c->total : c->done, err);
}

static kedge_status carry(carrying *c, kedge_error *err)
{
    uint64_t let_go = 0;
    ssize_t got;

    PASS(carry_tell(c, c->total, err));
    while ((got = read_some(c->end[0], c->bytes)) > 0) {
        if (!again_write_at(c->fd, c->bytes, (size_t)got, c->done))
            return kedge_fail(err, KEDGE_EIO, "cannot write: %s",
                              strerror(errno));
        c->done += (uint64_t)got;
        if (c->done - let_go < LET_GO_BYTES)
            continue;
        PASS(carry_sync(c, err));
        let_go = c->done;
    }
    if (got < 0)
        return kedge_fail(err, KEDGE_EIO, "cannot copy the data: %s",
                          strerror(errno));
    return carry_tell(c, c->done, err);
}

/* Each side closes its end of the pipe, so the other one never waits in vain.
 * LMDB takes the signal that a write into a pipe without a reader brings. */
static void *copy_side(void *data)
{
    carrying *c = data;

    c->copied = kv_copy(c->s, c->end[1], &c->error);
    close_end(&c->end[1]);
    return NULL;
}

/* Where the file fails, the copy does too, and has less to say. */
static kedge_status carry_both(carrying *c, kedge_error *err)
{
    kedge_status st;
    pthread_t copier;

    if (pthread_create(&copier, NULL, copy_side, c) != 0)
        return kedge_fail(err, KEDGE_ENOMEM,
                          "the system refused a thread for the copy; allow "
                          "more processes (ulimit -u) or more address space "
                          "(ulimit -v)");
    st = carry(c, err);
    close_end(&c->end[0]);
    pthread_join(copier, NULL);
    if (st == KEDGE_OK && c->copied != KEDGE_OK)
        st = kedge_fail(err, c->copied, "%s", c->error.text);
    return st;
}

static kedge_status copy_data(store *s, int fd, const store_watcher *watcher,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    carrying c = {.s = s, .end = {-1, -1}, .fd = fd, .watcher = watcher};
    store_txn *txn = NULL;

    TRY(store_begin_read(s, &txn, err)); /* where the map is, to let go of */
    c.total = kv_used(txn);
    store_abort(&txn);
    TRY_MEM(c.bytes = mem_new(PIECE_BYTES, 1));
    if (pipe2(c.end, O_CLOEXEC) != 0)
        TRY(kedge_fail(err, KEDGE_EIO, "cannot make a pipe: %s",
                       strerror(errno)));
    fcntl(c.end[1], F_SETPIPE_SZ, PIPE_BYTES); /* or else it is slower */
    st = carry_both(&c, err);
    kv_let_go(s);
out:
    close_end(&c.end[0]);
    close_end(&c.end[1]);
    mem_free(c.bytes);
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
    if (again_sync(fd) != 0 ||
        fstatat(d->fd, DIRECTORY_DATA, &old, AT_SYMLINK_NOFOLLOW) != 0 ||
        fchmod(fd, old.st_mode & 07777) != 0)
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
