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
#define LMDB_LOCK "lock.mdb"

/* All files of a store, and those that may be there for a while. */
/* In the order in which they go: without the data a stamp means damage. */
static const char *const files[] = {
    DIRECTORY_STAMP, DIRECTORY_NEW_STAMP, DIRECTORY_DATA, LMDB_LOCK,
    LOCK_NAME,
};
enum { FILES = sizeof files / sizeof *files };

/* path/name in new memory, or NULL. */
static char *join(const char *path, const char *name)
{
    const size_t a = strlen(path), b = strlen(name);
    char *joined = mem_new(a + b + 2, 1);

    if (joined != NULL) {
        memcpy(joined, path, a);
        joined[a] = '/';
        memcpy(joined + a + 1, name, b + 1);
    }
    return joined;
}

static kedge_status system_fail(const char *path, const char *doing,
                                kedge_error *err)
{
    const int code = errno;
    const char *hint = "";

    if (code == EACCES || code == EROFS)
        hint = "; use a store, or a copy, that is yours to open";
    if (code == ELOOP)
        hint = "; a store has its files itself, not links to others";
    return kedge_fail(err, code == ENOENT ? KEDGE_ENOTFOUND
                           : code == ELOOP ? KEDGE_ECORRUPT
                                           : KEDGE_EIO,
                      "%s: %s: %s%s", path, doing, strerror(code), hint);
}

/* Links would lead to other people's files, or to the user's own; a pipe would
 * be waited for. */
static kedge_status open_file(const directory *d, const char *name, int flags,
                              int *fd, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    char *path = NULL;
    struct stat info;

    *fd = -1;
    TRY_MEM(path = join(d->path, name));
    *fd = again_open(path, flags | O_NOFOLLOW | O_NONBLOCK);
    if (*fd < 0 && errno != ENXIO)
        TRY(system_fail(path, "cannot open", err));
    if (*fd >= 0 && fstat(*fd, &info) != 0)
        TRY(system_fail(path, "cannot look at", err));
    if (*fd < 0 || !S_ISREG(info.st_mode))
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s: is not a file", path));
out:
    if (st != KEDGE_OK && *fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    mem_free(path);
    return st;
}

int directory_open_file(const directory *d, const char *name, int flags,
                        kedge_error *err)
{
    int fd;

    return open_file(d, name, flags, &fd, err) == KEDGE_OK ? fd : -1;
}

static bool is_ours(const char *name)
{
    for (size_t i = 0; i < FILES; i++)
        if (strcmp(name, files[i]) == 0)
            return true;
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* A directory with anything but our own files in it is somebody else's. */
static kedge_status check_strangers(const char *path, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    DIR *dir = opendir(path);

    if (dir == NULL)
        return system_fail(path, "cannot list the directory", err);
    for (const struct dirent *e; st == KEDGE_OK && (e = readdir(dir)) != NULL;)
        if (!is_ours(e->d_name))
            st = kedge_fail(err, KEDGE_EINVAL,
                            "%s: is a directory but not a store (it holds %s); "
                            "name an empty or a new one",
                            path, e->d_name);
    closedir(dir);
    return st;
}

/* The directory is there, or made now. */
static kedge_status ensure_directory(const char *path, kedge_open_mode mode,
                                     bool *made, kedge_error *err)
{
    struct stat info;

    *made = mode == KEDGE_OPEN_CREATE && mkdir(path, 0777) == 0;
    if (mode == KEDGE_OPEN_CREATE && !*made && errno != EEXIST)
        return system_fail(path, "cannot make the store's directory", err);
    if (stat(path, &info) != 0) {
        if (errno != ENOENT)
            return system_fail(path, "cannot look at the store", err);
        return kedge_fail(err, KEDGE_ENOTFOUND, "%s: there is no store; "
                          "'kedge ingest' makes one", path);
    }
    if (!S_ISDIR(info.st_mode))
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s: is not a directory, so it is not a store", path);
    return KEDGE_OK;
}

/* Looks at the data file. LMDB trusts what it maps, so what it could trip over
 * is refused here. */
static kedge_status look_at_data(directory *d, kedge_error *err)
{
    kedge_status st;
    struct stat info;
    int fd;

    d->fresh = d->unborn = false;
    st = open_file(d, DIRECTORY_DATA, O_RDONLY, &fd, err);
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
            return system_fail(d->path, "cannot lock", err);
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

/* Whether the lock file is still there under its name. */
static bool is_named(const directory *d)
{
    struct stat held, named;
    const int fd = again_open(d->path, O_RDONLY | O_DIRECTORY);
    const bool same =
        fd >= 0 && fstat(d->lock, &held) == 0 &&
        fstatat(fd, LOCK_NAME, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
        held.st_dev == named.st_dev && held.st_ino == named.st_ino;

    if (fd >= 0)
        close(fd);
    return same;
}

/* *stays is false when who had the lock took the store off the disk meanwhile;
 * then the lock is not held. */
static kedge_status take_lock(directory *d, const kedge_wait *wait, bool *stays,
                              kedge_error *err)
{
    kedge_status st = open_file(d, LOCK_NAME, O_RDWR | O_CREAT, &d->lock, err);

    *stays = true;
    if (st == KEDGE_OK)
        st = await_lock(d, wait, err);
    if (st != KEDGE_OK)
        return st;
    *stays = is_named(d);
    if (*stays) {
        sign_lock(d->lock);
    } else {
        close(d->lock);
        d->lock = -1;
    }
    return KEDGE_OK;
}

/* LMDB's own lock file serves the writer alone, so it begins with a new one.
 * In a directory that is not the writer's, the old one stays. */
kedge_status directory_clear_lmdb_lock(const directory *d, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    char *path = NULL;
    int fd = -1;

    TRY_MEM(path = join(d->path, LMDB_LOCK));
    if (unlink(path) != 0 && errno != ENOENT)
        st = open_file(d, LMDB_LOCK, O_RDWR, &fd, err);
    if (fd >= 0)
        close(fd);
out:
    mem_free(path);
    return st;
}

int directory_open_lmdb_lock(const directory *d)
{
    return directory_open_file(d, LMDB_LOCK, O_RDWR, NULL);
}

char *directory_join(const directory *d, const char *name)
{
    return join(d->path, name);
}

bool directory_has_other_data(const directory *d, const struct stat *mine)
{
    struct stat info;
    const int fd = again_open(d->path, O_RDONLY | O_DIRECTORY);
    const bool found =
        fd >= 0 &&
        fstatat(fd, DIRECTORY_DATA, &info, AT_SYMLINK_NOFOLLOW) == 0;

    if (fd >= 0)
        close(fd);
    return found &&
           (info.st_dev != mine->st_dev || info.st_ino != mine->st_ino);
}

/* Of a compaction that was killed. That it cannot be removed does no harm: who
 * compacts next says so. */
static kedge_status remove_leftover(const directory *d, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    char *path = NULL;

    TRY_MEM(path = join(d->path, DIRECTORY_COPY));
    unlink(path);
out:
    mem_free(path);
    return st;
}

/* What an interrupted making left goes. Looked at again, now under the lock:
 * somebody may have made the store meanwhile. */
static kedge_status clear_unborn(const directory *d, kedge_error *err)
{
    int fd;
    kedge_status st = open_file(d, DIRECTORY_DATA, O_RDWR, &fd, err);

    if (st != KEDGE_OK)
        return st;
    if (pages_check_head(fd, err) == KEDGE_ECORRUPT && pages_unborn(fd) &&
        ftruncate(fd, 0) != 0)
        st = system_fail(d->path, "cannot cut off " DIRECTORY_DATA, err);
    close(fd);
    return st;
}

/* Whether kedge noted the state of a data file here. */
static bool was_store(const directory *d)
{
    const int fd = directory_open_file(d, DIRECTORY_STAMP, O_RDONLY, NULL);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

kedge_status directory_open(directory *d, const char *path,
                            kedge_open_mode mode, const kedge_wait *wait,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    bool stays = mode == KEDGE_OPEN_READ, made;

    *d = (directory){.lock = -1};
    TRY_MEM(d->path = mem_strdup(path));
    do {
        TRY(ensure_directory(path, mode, &made, err));
        d->made = d->made || made;
        TRY(look_at_data(d, err));
        if (d->fresh && !d->unborn && was_store(d))
            TRY(kedge_fail(err, KEDGE_ECORRUPT,
                           "%s: " DIRECTORY_DATA " is empty or gone, though "
                           "kedge left a store here; put it back, or remove "
                           "the directory and ingest again", path));
        if (d->fresh && mode != KEDGE_OPEN_CREATE)
            TRY(kedge_fail(err, KEDGE_ENOTFOUND,
                           "%s: there is no store in this directory; "
                           "'kedge ingest' makes one", path));
        if (d->fresh)
            TRY(check_strangers(path, err));
        if (mode != KEDGE_OPEN_READ)
            TRY(take_lock(d, wait, &stays, err));
    } while (!stays);
    if (mode != KEDGE_OPEN_READ) { /* what was seen may have changed before */
        TRY(look_at_data(d, err));
        TRY(remove_leftover(d, err));
    }
    if (d->unborn && mode != KEDGE_OPEN_READ)
        TRY(clear_unborn(d, err));
out:
    if (st != KEDGE_OK)
        directory_close(d);
    return st;
}

static kedge_status sync_path(const char *path, kedge_error *err)
{
    const int fd = again_open(path, O_RDONLY | O_DIRECTORY);
    int failed;

    if (fd < 0)
        return system_fail(path, "cannot open", err);
    /* Some file systems cannot sync a directory and need not. */
    failed = again_sync(fd) != 0 && errno != EINVAL && errno != EROFS;
    if (failed) {
        const kedge_status st = system_fail(path, "cannot sync", err);
        close(fd);
        return st;
    }
    close(fd);
    return KEDGE_OK;
}

kedge_status directory_sync_names(const directory *d, kedge_error *err)
{
    return sync_path(d->path, err);
}

kedge_status directory_sync(const directory *d, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    char *parent = NULL;

    TRY(sync_path(d->path, err));
    TRY_MEM(parent = join(d->path, ".."));
    TRY(sync_path(parent, err));
out:
    mem_free(parent);
    return st;
}

void directory_remove(const directory *d)
{
    for (size_t i = 0; i < FILES; i++) {
        char *const path = join(d->path, files[i]);
        if (path == NULL)
            return;
        unlink(path);
        mem_free(path);
    }
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
    mem_free(d->path);
    *d = (directory){.lock = -1};
}
