/* SPDX-License-Identifier: MIT */
/*
 * The data file written anew, without its free pages.
 *
 * LMDB numbers the transactions of such a copy from one again. The table of
 * readers in lock.mdb, which old and new file share while somebody has the
 * store open, goes by these numbers: it would send a reader of the new file to
 * the wrong meta page. So the copy that replaces the data is given the number
 * of the transaction that it was made of.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/again.h"
#include "base/mem.h"
#include "store/env.h"
#include "store/pages.h"

/* As LMDB numbers the one transaction of a compact copy. */
#define COPY_SNAPSHOT 1

static kedge_status system_fail(const char *file, const char *doing,
                                kedge_error *err)
{
    return kedge_fail(err, KEDGE_EIO, "%s: %s: %s", file, doing,
                      strerror(errno));
}

static kedge_status make_file(const char *file, int *fd, kedge_error *err)
{
    *fd = again_open(file, O_RDWR | O_CREAT | O_EXCL);
    if (*fd < 0 && errno == EEXIST)
        return kedge_fail(err, KEDGE_EINVAL, "%s: is there already", file);
    return *fd >= 0 ? KEDGE_OK : system_fail(file, "cannot make", err);
}

/* Every page of the copy is looked at again before anybody relies on it. */
static kedge_status fill_file(store *s, const char *file, int fd,
                              uint64_t snapshot, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool moved = false;

    TRY(env_copy(s, fd, err));
    if (snapshot != COPY_SNAPSHOT)
        TRY(pages_set_snapshot(fd, snapshot, err));
    TRY(pages_check_trees(fd, snapshot, true, &moved, err));
    if (moved)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "the copy has another snapshot"));
    if (again_sync(fd) != 0)
        TRY(kedge_fail(err, KEDGE_EIO, "cannot sync: %s", strerror(errno)));
out:
    if (st != KEDGE_OK)
        kedge_fail_context(err, "%s", file);
    return st;
}

static kedge_status write_copy(store *s, const char *file, uint64_t snapshot,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    int fd;

    TRY(make_file(file, &fd, err));
    st = fill_file(s, file, fd, snapshot, err);
    if (close(fd) != 0 && st == KEDGE_OK)
        st = system_fail(file, "cannot close", err);
    if (st != KEDGE_OK)
        unlink(file);
out:
    return st;
}

kedge_status store_copy_compact(store *s, const char *file, kedge_error *err)
{
    const kedge_status st = env_idle(s, false, err);

    return st != KEDGE_OK ? st : write_copy(s, file, COPY_SNAPSHOT, err);
}

/* From here on the new file is the store's. Commits into a file whose name is
 * not durable could be lost with it, so that ends the handle. */
static kedge_status adopt(store *s, kedge_error *err)
{
    const kedge_status st = directory_sync_names(env_directory(s), err);

    if (st == KEDGE_OK)
        return env_reopen(s, err);
    env_give_up(s);
    return st;
}

/* Who may read the old file may read the new one. */
static kedge_status replace(const char *data, const char *copy,
                            kedge_error *err)
{
    struct stat old;

    if (stat(data, &old) != 0 || chmod(copy, old.st_mode & 07777) != 0)
        return system_fail(data, "cannot look at", err);
    if (rename(copy, data) != 0)
        return system_fail(data, "cannot replace", err);
    return KEDGE_OK;
}

kedge_status store_compact(store *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    char *data = NULL, *copy = NULL;

    TRY(env_idle(s, true, err));
    TRY_MEM(data = directory_join(env_directory(s), DIRECTORY_DATA));
    TRY_MEM(copy = directory_join(env_directory(s), DIRECTORY_COPY));
    TRY(write_copy(s, copy, env_snapshot(s), err));
    st = replace(data, copy, err);
    if (st != KEDGE_OK)
        unlink(copy);
    TRY(st);
    TRY(adopt(s, err));
out:
    mem_free(data);
    mem_free(copy);
    return st;
}
