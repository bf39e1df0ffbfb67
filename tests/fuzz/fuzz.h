/* SPDX-License-Identifier: MIT */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H
/* What the targets share. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv); /* those that have it */

#define PROMISE(condition)                                                     \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "broken promise: %s\n", #condition);               \
            abort();                                                           \
        }                                                                      \
    } while (0)

enum { FUZZ_PATH = 64 };

/* These bytes as a file without a name, which can be opened by its path. The
 * caller closes. */
static inline int fuzz_file(const void *data, size_t size, char path[FUZZ_PATH])
{
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);

    PROMISE(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, FUZZ_PATH, "/proc/self/fd/%d", fd);
    return fd;
}

/* The same text with two blanks for each; `to` has room for twice as much.
 * Returns how long it is. */
static inline size_t fuzz_double_blanks(char *to, const uint8_t *data,
                                        size_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < size; i++) {
        to[n++] = (char)data[i];
        if (data[i] == ' ' || data[i] == '\t')
            to[n++] = ' ';
    }
    return n;
}

#endif
