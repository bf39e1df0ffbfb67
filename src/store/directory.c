/* SPDX-License-Identifier: MIT */
#include "store/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/again.h"
#include "base/mem.h"
#include "store/pages.h"

#define LOCK_NAME   "writer.lock"
#define READER_NAME "lock.mdb"

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

    return kedge_fail(err, code == ENOENT ? KEDGE_ENOTFOUND : KEDGE_EIO,
                      "%s: %s: %s%s", path, doing, strerror(code),
                      code == EACCES || code == EROFS
                          ? "; use a store, or a copy, that is yours to open"
                          : "");
}

/* A directory with anything but our own files in it is somebody else's. */
static kedge_status check_strangers(const char *path, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    DIR *dir = opendir(path);

    if (dir == NULL)
        return system_fail(path, "cannot list the directory", err);
    for (const struct dirent *e; st == KEDGE_OK && (e = readdir(dir)) != NULL;)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
            strcmp(e->d_name, DIRECTORY_DATA) != 0 &&
            strcmp(e->d_name, LOCK_NAME) != 0 &&
            strcmp(e->d_name, READER_NAME) != 0)
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
    kedge_status st = KEDGE_OK;
    char *data = NULL;
    struct stat info;
    int fd = -1;

    TRY_MEM(data = join(d->path, DIRECTORY_DATA));
    fd = again_open(data, O_RDONLY);
    if (fd < 0 && errno == ENOENT) {
        d->fresh = true;
    } else if (fd < 0 || fstat(fd, &info) != 0) {
        st = system_fail(data, "cannot open", err);
    } else if (!S_ISREG(info.st_mode)) {
        st = kedge_fail(err, KEDGE_ECORRUPT, "%s: is not a file", data);
    } else if (info.st_size == 0) {
        d->fresh = true; /* killed while it was being made */
    } else if ((st = pages_check_head(fd, err)) != KEDGE_OK) {
        kedge_fail_context(err, "%s", data);
        if (st == KEDGE_ECORRUPT && pages_unborn(fd)) {
            d->fresh = d->unborn = true;
            st = KEDGE_OK;
        }
    }
out:
    if (fd >= 0)
        close(fd);
    mem_free(data);
    return st;
}

static kedge_status take_lock(directory *d, int how, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    char *path = NULL;
    const int flags = how & LOCK_EX ? O_RDWR | O_CREAT : O_RDONLY;

    TRY_MEM(path = join(d->path, LOCK_NAME));
    d->lock = again_open(path, flags);
    if (d->lock < 0)
        TRY(system_fail(path, "cannot open", err));
    while (flock(d->lock, how | LOCK_NB) != 0) {
        if (errno == EINTR)
            continue;
        if (errno != EWOULDBLOCK)
            TRY(system_fail(path, "cannot lock", err));
        TRY(kedge_fail(err, KEDGE_EBUSY,
                       "another process is writing to %s; wait for it to end",
                       d->path));
    }
out:
    mem_free(path);
    return st;
}

int directory_hold(const directory *d, bool alone)
{
    const int fd = again_open(d->path, O_RDONLY | O_DIRECTORY);
    int code = -1;

    if (fd < 0)
        return -1;
    do
        code = flock(fd, alone ? LOCK_EX : LOCK_SH);
    while (code != 0 && errno == EINTR);
    if (code == 0)
        return fd;
    close(fd);
    return -1;
}

void directory_let_go(int held)
{
    if (held >= 0)
        close(held);
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
        fd >= 0 && fstatat(fd, DIRECTORY_DATA, &info, 0) == 0;

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
    kedge_status st = KEDGE_OK;
    char *data = NULL;
    int fd = -1;

    TRY_MEM(data = join(d->path, DIRECTORY_DATA));
    fd = again_open(data, O_RDWR);
    if (fd < 0)
        TRY(system_fail(data, "cannot open", err));
    if (pages_check_head(fd, err) == KEDGE_ECORRUPT && pages_unborn(fd) &&
        ftruncate(fd, 0) != 0)
        st = system_fail(data, "cannot cut off", err);
out:
    if (fd >= 0)
        close(fd);
    mem_free(data);
    return st;
}

kedge_status directory_keep_writers_out(directory *d, kedge_error *err)
{
    const kedge_status st = take_lock(d, LOCK_SH, err);

    /* Copied without its lock file, a store that cannot be written to has no
     * writer to keep out. */
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
}

kedge_status directory_open(directory *d, const char *path,
                            kedge_open_mode mode, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *d = (directory){.lock = -1};
    TRY_MEM(d->path = mem_strdup(path));
    TRY(ensure_directory(path, mode, &d->made, err));
    TRY(look_at_data(d, err));
    if (d->fresh && mode != KEDGE_OPEN_CREATE)
        TRY(kedge_fail(err, KEDGE_ENOTFOUND,
                       "%s: there is no store in this directory; "
                       "'kedge ingest' makes one", path));
    if (d->fresh)
        TRY(check_strangers(path, err));
    if (mode != KEDGE_OPEN_READ) {
        TRY(take_lock(d, LOCK_EX, err));
        TRY(remove_leftover(d, err));
    }
    if (d->unborn)
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
    static const char *const names[] = {DIRECTORY_DATA, READER_NAME,
                                        LOCK_NAME};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *const path = join(d->path, names[i]);
        if (path != NULL)
            unlink(path);
        mem_free(path);
    }
    if (d->made)
        rmdir(d->path);
}

void directory_close(directory *d)
{
    if (d->lock >= 0)
        close(d->lock);
    mem_free(d->path);
    *d = (directory){.lock = -1};
}
