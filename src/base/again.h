/* SPDX-License-Identifier: MIT */
#ifndef BASE_AGAIN_H
#define BASE_AGAIN_H
/*
 * System calls that a signal can interrupt, or that do a part of what they are
 * asked for, made again until all is done. On a local disk that is rare; on a
 * file system of the network it is not.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

/* open(2); what it creates has the mode 0666, less the process's mask. */
static inline int again_open(const char *path, int flags)
{
    int fd;

    do
        fd = open(path, flags | O_CLOEXEC, 0666);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* A file without a name, to write and read: gone with the process, however it
 * ends. */
static inline int again_open_nameless(const char *folder)
{
    int fd;

    do
        fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* All `size` bytes at `at`; or false, and errno is 0 when the file ends. */
static inline bool again_read_at(int fd, void *bytes, size_t size, uint64_t at)
{
    uint8_t *to = bytes;

    while (size > 0) {
        errno = 0;
        const ssize_t got = pread(fd, to, size, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        at += (uint64_t)got;
        size -= (size_t)got;
    }
    return true;
}

/* The same for writing. */
static inline bool again_write_at(int fd, const void *bytes, size_t size,
                                  uint64_t at)
{
    const uint8_t *from = bytes;

    while (size > 0) {
        errno = 0;
        const ssize_t put = pwrite(fd, from, size, (off_t)at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        from += put;
        at += (uint64_t)put;
        size -= (size_t)put;
    }
    return true;
}

/* fsync(2) */
static inline int again_sync(int fd)
{
    int code;

    do
        code = fsync(fd);
    while (code != 0 && errno == EINTR);
    return code;
}

#endif
