/* SPDX-License-Identifier: MIT */
#ifndef STORE_CODEC_H
#define STORE_CODEC_H
/*
 * The envelope of a big record: a head of 48 bytes with its own checksum, then
 * one zstd frame with zstd's checksum. The only user of the block codec.
 */
#include <stdint.h>

#include "base/fail.h"
#include "store/store.h"

#define FRAME_HEAD      48
#define FRAME_VERSION   1
#define FRAME_CODEC     1 /* zstd */
#define FRAME_SLACK     8 /* readable bytes after what was decompressed */
#define FRAME_PLAIN_MAX (UINT32_C(64) << 20) /* a bomb goes no further */

#define FRAME_LEVEL      1  /* documents, words, doubles */
#define FRAME_LEVEL_FAST -5 /* what hardly compresses: sketch rows */

/* The fields of a head. `place` is kv_place of the key it is stored under, 0
 * while it is not stored; `extra`, x, y and z are the record's own. */
typedef struct frame_head {
    uint64_t place, extra;
    uint32_t x, y, z;
    uint32_t plain; /* bytes before compression */
} frame_head;

/* Room for `size` bytes before compression; what was there is lost. */
kedge_status frame_room(store_frame *f, size_t size, kedge_error *err);

/* Compresses f->plain[0 .. head->plain - 1] into a whole record, f->bytes. */
kedge_status frame_close(store_frame *f, const char *tag,
                         const frame_head *head, int level, kedge_error *err);

/* Tells a record, wherever it lies, its place; and its extra, unless NULL. */
void frame_stamp(uint8_t *bytes, uint64_t place, const uint64_t *extra);

/* Checks the head alone. ECORRUPT, EVERSION. `what` names the record. */
kedge_status frame_peek(const uint8_t *bytes, size_t size, const char *tag,
                        const char *what, frame_head *out, kedge_error *err);

/* Checks the head and decompresses into scratch->plain. ECORRUPT, EVERSION,
 * ENOMEM. */
kedge_status frame_open(store_frame *scratch, const uint8_t *bytes, size_t size,
                        const char *tag, const char *what, frame_head *out,
                        kedge_error *err);

void frame_free(store_frame *f);

#endif
