/* SPDX-License-Identifier: MIT */
#ifndef BASE_AGAIN_H
#define BASE_AGAIN_H
/*
 * System calls that a signal can interrupt, made again until they are not. On
 * a local disk that is rare; on a file system of the network it is not.
 */
#include <errno.h>
#include <fcntl.h>
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
