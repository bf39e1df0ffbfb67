/* SPDX-License-Identifier: MIT */
#include "store/mapped.h"

#include <sys/mman.h>

/* With a page, the kernel maps its neighbours that it has at hand, 64 KiB in
 * all. That is so for the page of the tree that has a value, and where it is
 * long for its own head and end; the pages higher up the tree are few. */
#define AROUND ((size_t)64 << 10)
#define PAGE 4096 /* at least */

void mapped_touch(mapped *m, const void *at, size_t size)
{
    const uintptr_t page = (uintptr_t)at / PAGE;

    if (at == NULL || page != m->page)
        size += size < PAGE ? AROUND : 2 * AROUND;
    m->page = page;
    if (m->touched + size > MAPPED_MOST) {
        mapped_let_go(m);
        m->touched = 0;
    }
    m->touched += size;
}

void mapped_let_go(const mapped *m)
{
    if (m->start != NULL)
        madvise(m->start, m->size, MADV_DONTNEED);
}
