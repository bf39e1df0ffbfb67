/* SPDX-License-Identifier: MIT */
#ifndef REPORT_PACKED_H
#define REPORT_PACKED_H
/*
 * A file that is compressed by gzip while it is written. Its header holds no
 * time and no name: what is written alone decides its bytes. Otherwise as
 * newfile.
 */
#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>

#include "report/newfile.h"

typedef struct packed {
    newfile f;
    z_stream z;
    bool open; /* the stream is */
    uint8_t bytes[1 << 15];
} packed;

/* EINVAL, EIO, ENOMEM; on failure there is nothing to discard. */
kedge_status packed_open(packed *p, const char *directory, const char *name,
                         kedge_error *err);

/* Writes a text that grew, which is empty then. EIO, ENOMEM. */
kedge_status packed_flush(packed *p, textbuf *t, kedge_error *err);
kedge_status packed_commit(packed *p, kedge_error *err);
void packed_discard(packed *p);

#endif
