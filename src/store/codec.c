/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <lmdb.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/mem.h"
#include "store/schema.h"

/* Offsets in a head. */
enum { AT_TAG = 0, AT_VERSION = 4, AT_CODEC = 5, AT_ZERO = 6, AT_PLACE = 8,
       AT_EXTRA = 16, AT_X = 24, AT_Y = 28, AT_Z = 32, AT_PLAIN = 36,
       AT_SUM = 40 };

static_assert(AT_SUM + RECORD_SUM == FRAME_HEAD, "the checksum ends the head");

/* Contexts are costly to make and are kept with the buffers they serve. */
void frame_free(store_frame *f)
{
    ZSTD_freeCCtx(f->compress);
    ZSTD_freeDCtx(f->decompress);
    mem_free(f->bytes);
    mem_free(f->plain);
    *f = (store_frame){0};
}

/* The one place where zstd's codes become ours. */
static kedge_status zstd_fail(size_t code, const char *what, kedge_error *err)
{
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (%s)", what);
    return kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (%s)", what,
                      ZSTD_getErrorName(code));
}

kedge_status frame_room(store_frame *f, size_t size, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY_GROW(f->plain, f->plain_capacity, size + 1); /* of nothing, too */
out:
    return st;
}

void frame_stamp(uint8_t *bytes, uint64_t place, const uint64_t *extra)
{
    put_u64(bytes + AT_PLACE, place);
    if (extra != NULL)
        put_u64(bytes + AT_EXTRA, *extra);
    put_u64(bytes + AT_SUM, hash_bytes(RECORD_SEED, bytes, AT_SUM));
}

static void head_write(uint8_t *to, const char *tag, const frame_head *head)
{
    assert(strlen(tag) == 4);
    memset(to, 0, FRAME_HEAD);
    memcpy(to + AT_TAG, tag, 4);
    to[AT_VERSION] = FRAME_VERSION;
    to[AT_CODEC] = FRAME_CODEC;
    put_u32(to + AT_X, head->x);
    put_u32(to + AT_Y, head->y);
    put_u32(to + AT_Z, head->z);
    put_u32(to + AT_PLAIN, head->plain);
    frame_stamp(to, head->place, &head->extra);
}

kedge_status frame_close(store_frame *f, const char *tag,
                         const frame_head *head, int level, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t room = FRAME_HEAD + ZSTD_compressBound(head->plain);
    size_t size;

    assert(head->plain <= FRAME_PLAIN_MAX);
    if (f->compress == NULL)
        TRY_MEM(f->compress = ZSTD_createCCtx());
    TRY_GROW(f->bytes, f->capacity, room);
    size = ZSTD_CCtx_setParameter(f->compress, ZSTD_c_compressionLevel, level);
    if (!ZSTD_isError(size))
        size = ZSTD_CCtx_setParameter(f->compress, ZSTD_c_checksumFlag, 1);
    if (!ZSTD_isError(size))
        size = ZSTD_compress2(f->compress, f->bytes + FRAME_HEAD,
                              f->capacity - FRAME_HEAD, f->plain, head->plain);
    if (ZSTD_isError(size))
        TRY(zstd_fail(size, "a record on its way in", err));
    head_write(f->bytes, tag, head);
    f->size = FRAME_HEAD + size;
out:
    return st;
}

kedge_status frame_peek(const uint8_t *bytes, size_t size, const char *tag,
                        const char *what, frame_head *out, kedge_error *err)
{
    if (size < FRAME_HEAD ||
        hash_bytes(RECORD_SEED, bytes, AT_SUM) != get_u64(bytes + AT_SUM))
        return kedge_fail(err, KEDGE_ECORRUPT,
                          "%s is damaged (checksum of its head, %zu bytes)",
                          what, size);
    if (memcmp(bytes + AT_TAG, tag, 4) != 0)
        return kedge_fail(err, KEDGE_ECORRUPT,
                          "%s is damaged (another record in its place)", what);
    if (bytes[AT_VERSION] != FRAME_VERSION || bytes[AT_CODEC] != FRAME_CODEC)
        return kedge_fail(err, KEDGE_EVERSION,
                          "%s has version %u.%u, this program reads %d.%d; a "
                          "newer kedge wrote it",
                          what, bytes[AT_VERSION], bytes[AT_CODEC],
                          FRAME_VERSION, FRAME_CODEC);
    PASS(record_zeros(bytes + AT_ZERO, AT_PLACE - AT_ZERO, what, err));
    *out = (frame_head){
        .place = get_u64(bytes + AT_PLACE),
        .extra = get_u64(bytes + AT_EXTRA),
        .x = get_u32(bytes + AT_X),
        .y = get_u32(bytes + AT_Y),
        .z = get_u32(bytes + AT_Z),
        .plain = get_u32(bytes + AT_PLAIN),
    };
    if (out->plain > FRAME_PLAIN_MAX)
        return kedge_fail(err, KEDGE_ECORRUPT,
                          "%s is damaged (%u bytes, more than %u)", what,
                          out->plain, FRAME_PLAIN_MAX);
    return KEDGE_OK;
}

kedge_status frame_open(store_frame *scratch, const uint8_t *bytes, size_t size,
                        const char *tag, const char *what, frame_head *out,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t got;

    TRY(frame_peek(bytes, size, tag, what, out, err));
    bytes += FRAME_HEAD;
    size -= FRAME_HEAD;
    /* One frame, of the size in the head, and nothing after it: zstd
     * itself would go on to further frames. */
    if (ZSTD_findFrameCompressedSize(bytes, size) != size ||
        ZSTD_getFrameContentSize(bytes, size) != out->plain)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (its frame)", what));
    TRY(frame_room(scratch, (size_t)out->plain + FRAME_SLACK, err));
    if (scratch->decompress == NULL)
        TRY_MEM(scratch->decompress = ZSTD_createDCtx());
    got = ZSTD_decompressDCtx(scratch->decompress, scratch->plain, out->plain,
                              bytes, size);
    if (ZSTD_isError(got))
        TRY(zstd_fail(got, what, err));
    if (got != out->plain)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (its size)", what));
out:
    return st;
}

const char *store_library_versions(void)
{
#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
    return "lmdb " TEXT(MDB_VERSION_MAJOR) "." TEXT(MDB_VERSION_MINOR) "." TEXT(
        MDB_VERSION_PATCH) ", zstd " ZSTD_VERSION_STRING;
#undef TEXT
#undef TEXT_
}
