/* SPDX-License-Identifier: MIT */
#include "store/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/again.h"
#include "base/mem.h"

#define LOCK_NAME "writer.lock"

/* All files of a store, and those that may be there for a while; in the order
 * in which they go, for without the data a stamp means damage. */
static const char *const files[] = {
    DIRECTORY_STAMP, DIRECTORY_NEW_STAMP, DIRECTORY_DATA, DIRECTORY_LMDB_LOCK,
    LOCK_NAME,
};
enum { FILES = sizeof files / sizeof *files };

kedge_status directory_fail(const directory *d, const char *name,
                            const char *doing, kedge_error *err)
{
    const int code = errno;
    const char *hint = "";

    if (code == EACCES || code == EROFS)
        hint = "; use a store, or a copy, that is yours to open";
    if (code == ELOOP)
        hint = "; the files of a store must not be links";
    return kedge_fail(err, code == ENOENT ? KEDGE_ENOTFOUND
                           : code == ELOOP ? KEDGE_ECORRUPT
                                           : KEDGE_EIO,
                      "%s%s%s: %s: %s%s", d->path, name != NULL ? "/" : "",
                      name != NULL ? name : "", doing, strerror(code), hint);
}

static int open_in(int dir, const char *name, int flags)
{
    int fd;

    do
        fd = openat(dir, name, flags | O_CLOEXEC, 0666);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* Links would lead to other people's files, or to the user's own; a pipe would
 * be waited for. */
kedge_status directory_open_file(const directory *d, const char *name,
                                 int flags, int *fd, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    struct stat info;

    *fd = open_in(d->fd, name, flags | O_NOFOLLOW | O_NONBLOCK);
    if (*fd < 0 && errno != ENXIO)
        return directory_fail(d, name, "cannot open", err);
    if (*fd >= 0 && fstat(*fd, &info) != 0)
        st = directory_fail(d, name, "cannot look at", err);
    else if (*fd < 0 || !S_ISREG(info.st_mode))
        st = kedge_fail(err, KEDGE_ECORRUPT, "%s/%s: is not a file", d->path,
                        name);
    if (st != KEDGE_OK && *fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    return st;
}

static bool is_ours(const char *name)
{
    for (size_t i = 0; i < FILES; i++)
        if (strcmp(name, files[i]) == 0)
            return true;
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* A directory with anything but our own files in it is somebody else's. */
static kedge_status check_strangers(const directory *d, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    DIR *dir = opendir(d->path);

    if (dir == NULL)
        return directory_fail(d, NULL, "cannot list the directory", err);
    for (const struct dirent *e; st == KEDGE_OK && (e = readdir(dir)) != NULL;)
        if (!is_ours(e->d_name))
            st = kedge_fail(err, KEDGE_EINVAL,
                            "%s: is a directory but not a store (it contains "
                            "%s); name a new or an empty directory",
                            d->path, e->d_name);
    closedir(dir);
    return st;
}

/* The directory is there, or made now, and open. */
static kedge_status ensure_directory(directory *d, kedge_open_mode mode,
                                     kedge_error *err)
{
    const bool creates = mode == KEDGE_OPEN_CREATE;
    const bool made = creates && mkdir(d->path, 0777) == 0;
    struct stat info;

    d->made = d->made || made;
    if (creates && !made && errno != EEXIST)
        return directory_fail(d, NULL, "cannot make the store's directory",
                              err);
    if (d->fd >= 0)
        close(d->fd);
    d->fd = open_in(AT_FDCWD, d->path, O_PATH | O_DIRECTORY);
    if (d->fd >= 0)
        return KEDGE_OK;
    if (errno == ENOTDIR && stat(d->path, &info) == 0)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s: is not a directory, so it is not a store",
                          d->path);
    if (errno != ENOENT)
        return directory_fail(d, NULL, "cannot look at the store", err);
    return kedge_fail(err, KEDGE_ENOTFOUND, "%s: there is no store; "
                      "'kedge ingest' makes one", d->path);
}

/* Looks at the data file. LMDB trusts what it maps, so what it could trip over
 * is refused here. */
static kedge_status look_at_data(directory *d, kedge_error *err)
{
    kedge_status st;
    struct stat info;
    int fd;

    d->fresh = d->unborn = false;
    st = directory_open_file(d, DIRECTORY_DATA, O_RDONLY, &fd, err);
    if (st == KEDGE_ENOTFOUND) {
        d->fresh = true;
        return KEDGE_OK;
    }
    if (st != KEDGE_OK)
        return st;
    if (fstat(fd, &info) == 0 && info.st_size == 0) {
        d->fresh = true; /* killed while it was being made */
    } else if ((st = pages_check_head(fd, err)) != KEDGE_OK) {
        kedge_fail_context(err, "%s/" DIRECTORY_DATA, d->path);
        if (st == KEDGE_ECORRUPT && pages_unborn(fd)) {
            d->fresh = d->unborn = true;
            st = KEDGE_OK;
        }
    }
    close(fd);
    return st;
}

/* ---- the writer's lock --------------------------------------------------- */

/* Whose it is, for those who find it taken: "process 1234". That is all that
 * another container could make of it, too. */
static void sign_lock(int fd)
{
    char text[32];
    const int size = snprintf(text, sizeof text, "%ld\n", (long)getpid());

    if (ftruncate(fd, 0) == 0)
        again_write_at(fd, text, (size_t)size, 0);
}

static long read_lock(int fd)
{
    char text[32] = {0};
    const ssize_t size = pread(fd, text, sizeof text - 1, 0);
    const long process = size > 0 ? strtol(text, NULL, 10) : 0;

    return process > 0 ? process : 0;
}

static kedge_status lock_taken(const directory *d, kedge_error *err)
{
    const long process = read_lock(d->lock);
    char who[32] = "";

    if (process > 0)
        snprintf(who, sizeof who, " (process %ld)", process);
    return kedge_fail(err, KEDGE_EBUSY,
                      "another process is writing to %s%s; wait for it to end, "
                      "or use --wait", d->path, who);
}

static double seconds_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* flock has no time limit of its own. */
static kedge_status await_lock(directory *d, const kedge_wait *wait,
                               kedge_error *err)
{
    const struct timespec nap = {.tv_nsec = 50 * 1000000};
    const double begun = seconds_now();
    char line[256];
    bool told = false;

    while (flock(d->lock, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR)
            continue;
        if (errno != EWOULDBLOCK)
            return directory_fail(d, NULL, "cannot lock", err);
        if (wait == NULL || (wait->seconds >= 0 &&
                             seconds_now() - begun >= wait->seconds))
            return lock_taken(d, err);
        if (!told && wait->log != NULL) {
            const long process = read_lock(d->lock);
            char who[32] = "another process";
            if (process > 0)
                snprintf(who, sizeof who, "process %ld", process);
            snprintf(line, sizeof line, "waiting for %s, which writes to "
                     "%.150s", who, d->path);
            wait->log(wait->data, line);
        }
        told = true;
        if (wait->stop != NULL && wait->stop(wait->data) != 0)
            return kedge_fail(err, KEDGE_ECANCELED,
                              "stopped; nothing was changed");
        nanosleep(&nap, NULL);
    }
    return KEDGE_OK;
}

/* Whether the path leads to another file of this name now: another process may
 * have made the directory again. */
static bool is_other_file(const directory *d, const char *name,
                          const struct stat *mine, bool *found)
{
    const int fd = open_in(AT_FDCWD, d->path, O_PATH | O_DIRECTORY);
    struct stat info;

    *found = fd >= 0 && fstatat(fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (fd >= 0)
        close(fd);
    return *found &&
           (info.st_dev != mine->st_dev || info.st_ino != mine->st_ino);
}

bool directory_has_other_data(const directory *d, const struct stat *mine)
{
    bool found;

    return is_other_file(d, DIRECTORY_DATA, mine, &found);
}

/* *stays is false when who had the lock took the store off the disk meanwhile;
 * then the lock is not held. */
static kedge_status take_lock(directory *d, const kedge_wait *wait, bool *stays,
                              kedge_error *err)
{
    struct stat held;
    bool found = false;

    PASS(directory_open_file(d, LOCK_NAME, O_RDWR | O_CREAT, &d->lock, err));
    PASS(await_lock(d, wait, err));
    *stays = fstat(d->lock, &held) == 0 &&
             !is_other_file(d, LOCK_NAME, &held, &found) && found;
    if (*stays)
        sign_lock(d->lock);
    else
        directory_let_go(d);
    return KEDGE_OK;
}

/* LMDB's own lock file serves the writer alone, so it begins with a new one.
 * In a directory that is not the writer's, the old one stays. */
kedge_status directory_clear_lmdb_lock(const directory *d, kedge_error *err)
{
    int fd;

    if (unlinkat(d->fd, DIRECTORY_LMDB_LOCK, 0) == 0 || errno == ENOENT)
        return KEDGE_OK;
    PASS(directory_open_file(d, DIRECTORY_LMDB_LOCK, O_RDWR, &fd, err));
    close(fd);
    return KEDGE_OK;
}

/* What an interrupted making left goes. Looked at again, now under the lock:
 * somebody may have made the store meanwhile. */
static kedge_status clear_unborn(const directory *d, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    int fd;

    PASS(directory_open_file(d, DIRECTORY_DATA, O_RDWR, &fd, err));
    if (pages_check_head(fd, err) == KEDGE_ECORRUPT && pages_unborn(fd) &&
        ftruncate(fd, 0) != 0)
        st = directory_fail(d, NULL, "cannot cut off " DIRECTORY_DATA, err);
    close(fd);
    return st;
}

kedge_status directory_open(directory *d, const char *path,
                            kedge_open_mode mode, const kedge_wait *wait,
                            kedge_error *err)
{
    const bool writes = mode != KEDGE_OPEN_READ;
    kedge_status st = KEDGE_OK;
    bool stays = !writes;
    struct stat stamp;

    *d = (directory){.fd = -1, .lock = -1};
    TRY_MEM(d->path = mem_strdup(path));
    do {
        TRY(ensure_directory(d, mode, err));
        TRY(look_at_data(d, err));
        if (d->fresh && !d->unborn &&
            fstatat(d->fd, DIRECTORY_STAMP, &stamp, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(stamp.st_mode))
            TRY(kedge_fail(err, KEDGE_ECORRUPT,
                           "%s: " DIRECTORY_DATA " is empty or gone, though "
                           "kedge left a store here; put it back, or remove "
                           "the directory and ingest again", path));
        if (d->fresh && mode != KEDGE_OPEN_CREATE)
            TRY(kedge_fail(err, KEDGE_ENOTFOUND,
                           "%s: there is no store in this directory; "
                           "'kedge ingest' makes one", path));
        if (d->fresh)
            TRY(check_strangers(d, err));
        if (writes)
            TRY(take_lock(d, wait, &stays, err));
    } while (!stays);
    if (writes) { /* what was seen may have changed before */
        TRY(look_at_data(d, err));
        /* Of a compaction that was killed. That it cannot be removed does no
         * harm: who compacts next says so. */
        unlinkat(d->fd, DIRECTORY_COPY, 0);
        if (d->unborn)
            TRY(clear_unborn(d, err));
    }
out:
    if (st != KEDGE_OK)
        directory_close(d);
    return st;
}

static kedge_status sync_names(const directory *d, const char *name,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const int fd =
        open_in(d->fd, name != NULL ? name : ".", O_RDONLY | O_DIRECTORY);

    if (fd < 0)
        return directory_fail(d, name, "cannot open", err);
    /* Some file systems cannot sync a directory and need not. */
    if (again_sync(fd) != 0 && errno != EINVAL && errno != EROFS)
        st = directory_fail(d, name, "cannot sync", err);
    close(fd);
    return st;
}

kedge_status directory_sync_names(const directory *d, kedge_error *err)
{
    return sync_names(d, NULL, err);
}

kedge_status directory_sync(const directory *d, kedge_error *err)
{
    PASS(sync_names(d, NULL, err));
    return sync_names(d, "..", err);
}

void directory_remove(const directory *d)
{
    for (size_t i = 0; i < FILES; i++)
        unlinkat(d->fd, files[i], 0);
    if (d->made)
        rmdir(d->path);
}

void directory_let_go(directory *d)
{
    if (d->lock >= 0)
        close(d->lock);
    d->lock = -1;
}

void directory_close(directory *d)
{
    directory_let_go(d);
    if (d->fd >= 0)
        close(d->fd);
    mem_free(d->path);
    *d = (directory){.fd = -1, .lock = -1};
}
