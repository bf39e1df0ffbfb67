/* SPDX-License-Identifier: MIT */
/*
 * The layout is that of LMDB's data version 1 with 64-bit sizes, in the
 * machine's own byte order: each of the first two pages is a page header of 16
 * bytes and a meta record.
 */
#include "store/pages.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define PAGE_HEAD   16
#define META_SIZE   136 /* after the page header */
#define DATA_MAGIC  UINT32_C(0xbeefc0de)
#define DATA_FORMAT 1
#define PAGE_META   0x08
#define PAGE_MIN    512
#define PAGE_MAX    65536

/* Offsets in a meta page. */
enum { AT_FLAGS = 10, AT_MAGIC = 16, AT_FORMAT = 20, AT_ADDRESS = 24,
       AT_PAGE_SIZE = 40, AT_DB_FLAGS = 44 };

static uint64_t native(const uint8_t *from, size_t size)
{
    uint16_t v2;
    uint32_t v4;
    uint64_t v8;

    switch (size) {
    case 2:
        memcpy(&v2, from, 2);
        return v2;
    case 4:
        memcpy(&v4, from, 4);
        return v4;
    default:
        memcpy(&v8, from, 8);
        return v8;
    }
}

/* All `size` bytes at `at`, or false. */
static bool read_at(int fd, uint8_t *to, size_t size, uint64_t at)
{
    while (size > 0) {
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

static bool meta_plausible(const uint8_t *page)
{
    const uint64_t size = native(page + AT_PAGE_SIZE, 4);

    return (native(page + AT_FLAGS, 2) & PAGE_META) != 0 &&
           native(page + AT_MAGIC, 4) == DATA_MAGIC &&
           native(page + AT_ADDRESS, 8) == 0 && size >= PAGE_MIN &&
           size <= PAGE_MAX && (size & (size - 1)) == 0;
}

kedge_status pages_check_head(int fd, kedge_error *err)
{
    uint8_t page[PAGE_HEAD + META_SIZE];
    uint64_t size = 0;

    for (int i = 0; i < 2; i++) {
        if (!read_at(fd, page, sizeof page, size) || !meta_plausible(page) ||
            (i == 1 && native(page + AT_PAGE_SIZE, 4) != size))
            return kedge_fail(err, KEDGE_ECORRUPT,
                              "is not LMDB's data, or damaged (page %d)", i);
        if (native(page + AT_FORMAT, 4) != DATA_FORMAT)
            return kedge_fail(err, KEDGE_EVERSION,
                              "was written by another version of LMDB");
        size = native(page + AT_PAGE_SIZE, 4);
    }
    return KEDGE_OK;
}
