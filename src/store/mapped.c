/* SPDX-License-Identifier: MIT */
#include "store/mapped.h"

#include <sys/mman.h>

/* With a page, the kernel maps its neighbours that it has at hand, 64 KiB in
 * all. That is so for a value's head, its end, and for the page of the tree
 * that led there; the pages higher up are few. */
#define AROUND ((size_t)128 << 10)
#define PAGE 4096 /* at least */

void mapped_touch(mapped *m, const void *at, size_t size)
{
    const uintptr_t page = (uintptr_t)at / PAGE;

    if (at == NULL || page != m->page)
        size += AROUND;
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
