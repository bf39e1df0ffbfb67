/* SPDX-License-Identifier: MIT */
#include "export/newfile.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/again.h"
#include "base/fail.h"
#include "base/mem.h"

#define ATTEMPTS 100
#define ENDING 48 /* bytes of a temporary name's ending, at most */

/* It makes 14 % of what MALLET's state of 300,000 abstracts is, where the usual
 * level makes 12 %, and takes a third of the time. */
#define LEVEL Z_BEST_SPEED
#define GZIP 16 /* beside the window's bits: gzip's header and checksum */
#define MEMORY 8

struct newfile_gzip {
    z_stream z;
    bool open; /* the stream is */
    Bytef bytes[1 << 15];
};

/* Whether the lock is ours, which it is where there are no locks; and somebody
 * who sweeps may have come before it: then the file is gone. */
static bool is_kept(int fd)
{
    struct stat found;

    return (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
           fstat(fd, &found) == 0 && found.st_nlink > 0;
}

/* Nobody else's name: that of this process, and of the first number that is
 * free, since process numbers come back after a crash. -1 and errno. */
static int create(newfile *f, size_t size)
{
    int fd = -1;

    for (int i = 0; i < ATTEMPTS; i++) {
        snprintf(f->temporary, size, "%s.tmp-%ld-%d", f->path,
                 (long)getpid(), i);
        fd = again_open(f->temporary, O_WRONLY | O_CREAT | O_EXCL);
        if (fd >= 0 && !is_kept(fd)) {
            close(fd);
            errno = EEXIST;
            fd = -1;
        }
        if (fd >= 0 || errno != EEXIST)
            break;
    }
    return fd;
}

/* NAME.tmp-NUMBER-NUMBER */
static bool is_temporary(const char *file, const char *name)
{
    const size_t size = strlen(name);
    int end = 0;

    if (strncmp(file, name, size) != 0)
        return false;
    (void)sscanf(file + size, ".tmp-%*[0-9]-%*[0-9]%n", &end);
    return end > 0 && file[size + (size_t)end] == '\0';
}

/* Removes files that nobody writes any more. That it cannot be done does no
 * harm. */
static void sweep(const char *directory, const char *name)
{
    DIR *const all = opendir(directory);

    if (all == NULL)
        return;
    for (const struct dirent *e; (e = readdir(all)) != NULL;) {
        struct stat found;
        int fd;
        if (!is_temporary(e->d_name, name))
            continue;
        fd = openat(dirfd(all), e->d_name,
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0)
            continue;
        if (fstat(fd, &found) == 0 && S_ISREG(found.st_mode) &&
            flock(fd, LOCK_EX | LOCK_NB) == 0)
            unlinkat(dirfd(all), e->d_name, 0);
        close(fd);
    }
    closedir(all);
}

/* With the path and what errno says. */
static kedge_status newfile_failed(const newfile *f, kedge_error *err)
{
    const int reason = errno;

    return kedge_fail(err, KEDGE_EIO, "%s: cannot write: %s%s", f->path,
                      reason == 0 ? "it was written only in part"
                                  : strerror(reason),
                      reason == ENOENT ? "; make its directory first"
                      : reason == ENOSPC
                          ? "; free some space, or name another place"
                          : "");
}

/* What a store's directory has: the first two always, and nothing else has
 * these. */
static bool is_of_a_store(const char *directory, const char *name)
{
    static const char *const files[] = {"data.mdb", "writer.lock", "lock.mdb",
                                        "checked"};
    char path[4096];
    struct stat found;
    bool named = false;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        named = named || strcmp(name, files[i]) == 0;
        snprintf(path, sizeof path, "%s/%s", directory, files[i]);
        if (i < 2 && lstat(path, &found) != 0)
            return false;
    }
    return named;
}

static kedge_status newfile_check(const newfile *f, kedge_error *err)
{
    struct stat there;

    if (lstat(f->path, &there) != 0 || S_ISREG(there.st_mode))
        return KEDGE_OK;
    if (S_ISDIR(there.st_mode))
        return kedge_fail(err, KEDGE_EINVAL, "%s is a directory: name a file "
                          "in it", f->path);
    return kedge_fail(err, KEDGE_EINVAL, "%s exists and is not a regular file; "
                                         "name another", f->path);
}

kedge_status newfile_open(newfile *f, const char *directory, const char *name,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t size = strlen(directory) + strlen(name) + 2;
    int fd = -1;

    *f = (newfile){0};
    TRY_MEM(f->path = mem_new(size, 1));
    snprintf(f->path, size, "%s/%s", directory, name);
    TRY(newfile_check(f, err));
    if (is_of_a_store(directory, name))
        TRY(kedge_fail(err, KEDGE_EINVAL, "%s is a file of the store %s: name "
                                          "another file", f->path, directory));
    TRY_MEM(f->temporary = mem_new(size + ENDING, 1));
    sweep(directory, name);
    fd = create(f, size + ENDING);
    if (fd < 0)
        TRY(newfile_failed(f, err));
    f->out = fdopen(fd, "w");
    if (f->out == NULL) {
        st = newfile_failed(f, err);
        close(fd);
        unlink(f->temporary);
    }
out:
    if (st != KEDGE_OK)
        newfile_discard(f);
    return st;
}

kedge_status newfile_open_path(newfile *f, const char *path, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const char *const slash = strrchr(path, '/');
    char *directory = NULL;

    *f = (newfile){0};
    if (slash == NULL)
        return newfile_open(f, ".", path, err);
    TRY_MEM(directory = mem_strdup(path));
    directory[slash == path ? 1 : slash - path] = '\0';
    TRY(newfile_open(f, directory, slash + 1, err));
out:
    mem_free(directory);
    return st;
}

/* ---- gzip ---------------------------------------------------------------- */

static voidpf gzip_alloc(voidpf data, uInt items, uInt size)
{
    (void)data;
    return mem_new(items, size);
}

static void gzip_release(voidpf data, voidpf memory)
{
    (void)data;
    mem_free(memory);
}

kedge_status newfile_open_gzip(newfile *f, const char *directory,
                               const char *name, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(newfile_open(f, directory, name, err));
    TRY_MEM(f->gzip = mem_new(1, sizeof *f->gzip));
    f->gzip->z = (z_stream){.zalloc = gzip_alloc, .zfree = gzip_release};
    f->gzip->open = deflateInit2(&f->gzip->z, LEVEL, Z_DEFLATED,
                                 MAX_WBITS + GZIP, MEMORY,
                                 Z_DEFAULT_STRATEGY) == Z_OK;
    TRY_MEM(f->gzip->open);
out:
    if (st != KEDGE_OK)
        newfile_discard(f);
    return st;
}

static kedge_status write_plain(newfile *f, const void *bytes, size_t size,
                                kedge_error *err)
{
    errno = 0;
    if (size > 0 && fwrite(bytes, 1, size, f->out) != size)
        return newfile_failed(f, err);
    return KEDGE_OK;
}

/* What is there to be compressed, and with Z_FINISH the end. */
static kedge_status write_gzip(newfile *f, int how, kedge_error *err)
{
    struct newfile_gzip *const g = f->gzip;
    int code;

    do {
        g->z.next_out = g->bytes;
        g->z.avail_out = sizeof g->bytes;
        code = deflate(&g->z, how);
        assert(code != Z_STREAM_ERROR);
        PASS(write_plain(f, g->bytes, sizeof g->bytes - g->z.avail_out, err));
    } while (g->z.avail_out == 0);
    assert(how != Z_FINISH || code == Z_STREAM_END);
    (void)code;
    return KEDGE_OK;
}

/* ---- writing ------------------------------------------------------------- */

kedge_status newfile_write(newfile *f, const void *bytes, size_t size,
                           kedge_error *err)
{
    if (f->gzip == NULL)
        return write_plain(f, bytes, size, err);
    for (size_t at = 0, part; at < size; at += part) {
        part = size - at < UINT_MAX ? size - at : UINT_MAX;
        f->gzip->z.next_in = (Bytef *)bytes + at;
        f->gzip->z.avail_in = (uInt)part;
        PASS(write_gzip(f, Z_NO_FLUSH, err));
    }
    return KEDGE_OK;
}

kedge_status newfile_flush(newfile *f, kedge_error *err)
{
    const size_t size = f->text.size;

    if (f->text.failed)
        return kedge_fail(err, KEDGE_ENOMEM, "%s: out of memory", f->path);
    f->text.size = 0;
    return newfile_write(f, f->text.bytes, size, err);
}

kedge_status newfile_rewind(newfile *f, kedge_error *err)
{
    errno = 0;
    return fseek(f->out, 0, SEEK_SET) == 0 ? KEDGE_OK : newfile_failed(f, err);
}

kedge_status newfile_commit(newfile *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool closed;

    TRY(newfile_flush(f, err));
    if (f->gzip != NULL) {
        f->gzip->z.avail_in = 0;
        TRY(write_gzip(f, Z_FINISH, err));
    }
    errno = 0;
    if (ferror(f->out) || fflush(f->out) != 0 ||
        again_sync(fileno(f->out)) != 0)
        return newfile_failed(f, err);
    closed = fclose(f->out) == 0;
    f->out = NULL;
    if (!closed || rename(f->temporary, f->path) != 0) {
        st = newfile_failed(f, err);
        unlink(f->temporary);
    }
    newfile_discard(f);
out:
    return st;
}

kedge_status newfile_put(const char *directory, const char *name,
                         const void *bytes, size_t size, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    newfile f = {0};

    TRY(newfile_open(&f, directory, name, err));
    TRY(newfile_write(&f, bytes, size, err));
    TRY(newfile_commit(&f, err));
out:
    newfile_discard(&f);
    return st;
}

void newfile_discard(newfile *f)
{
    if (f->out != NULL) {
        fclose(f->out); /* it is not to stay: whether it failed is the same */
        unlink(f->temporary);
    }
    if (f->gzip != NULL && f->gzip->open)
        deflateEnd(&f->gzip->z);
    mem_free(f->gzip);
    textbuf_free(&f->text);
    mem_free(f->path);
    mem_free(f->temporary);
    *f = (newfile){0};
}
