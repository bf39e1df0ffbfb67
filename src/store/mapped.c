/* SPDX-License-Identifier: MIT */
#include "store/files.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* With a page, the kernel maps its neighbours that it has at hand: 64 KiB in
 * all, or as much as it keeps in one piece, which may be 2 MiB. The first is
 * counted, for the page of the tree that has a value, and where it is long for
 * its own head and end (the pages higher up the tree are few); of the second
 * the kernel is asked. */
#define AROUND ((size_t)64 << 10)
#define PAGE 4096 /* at least */
#define LOOKS 8   /* without asking */

enum { ADDRESSES, IN_MEMORY, OF_FILES };

/* In bytes; 0: not known. */
static size_t ask_kernel(int what)
{
    char text[128], *end = text;
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t size = -1;

    if (fd >= 0) {
        size = read(fd, text, sizeof text - 1);
        close(fd);
    }
    if (size <= 0)
        return 0;
    text[size] = 0;
    for (int i = ADDRESSES; i < what; i++)
        strtoul(end, &end, 10);
    return strtoul(end, &end, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

size_t mapped_resident(void)
{
    return ask_kernel(OF_FILES);
}

uint64_t mapped_addresses_left(void)
{
    struct rlimit limit;
    const uint64_t used = ask_kernel(ADDRESSES);

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

/* Whether the kernel says that it is much. */
static bool is_much(mapped *m)
{
    size_t now;

    if (m->start == NULL || ++m->looks < LOOKS)
        return false;
    m->looks = 0;
    now = mapped_resident();
    if (m->before == 0 || m->before > now)
        m->before = now; /* the first time, or others let go of theirs */
    return now - m->before > MAPPED_MOST;
}

void mapped_touch(mapped *m, const void *at, size_t size)
{
    const uintptr_t page = (uintptr_t)at / PAGE;

    if (at == NULL || page != m->page)
        size += size < PAGE ? AROUND : 2 * AROUND;
    m->page = page;
    if (m->touched + size > MAPPED_MOST || is_much(m)) {
        mapped_let_go(m);
        m->touched = 0;
        m->before = mapped_resident();
    }
    m->touched += size;
}

void mapped_let_go(const mapped *m)
{
    if (m->start != NULL)
        madvise(m->start, m->size, MADV_DONTNEED);
}
