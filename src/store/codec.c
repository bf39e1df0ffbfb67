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
typedef struct codec {
    ZSTD_CCtx *compress;
    ZSTD_DCtx *decompress;
} codec;

static codec *codec_of(store_frame *f)
{
    if (f->codec == NULL)
        f->codec = mem_new(1, sizeof(codec));
    return f->codec;
}

void frame_free(store_frame *f)
{
    codec *c = f->codec;

    if (c != NULL) {
        ZSTD_freeCCtx(c->compress);
        ZSTD_freeDCtx(c->decompress);
        mem_free(c);
    }
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

    TRY_MEM(mem_grow((void **)&f->plain, &f->plain_capacity, size, 1) ? f
                                                                      : NULL);
out:
    return st;
}

static void head_seal(uint8_t *bytes)
{
    put_u64(bytes + AT_SUM, hash_bytes(RECORD_SEED, bytes, AT_SUM));
}

static void head_write(uint8_t *to, const char *tag, const frame_head *head)
{
    assert(strlen(tag) == 4);
    memset(to, 0, FRAME_HEAD);
    memcpy(to + AT_TAG, tag, 4);
    to[AT_VERSION] = FRAME_VERSION;
    to[AT_CODEC] = FRAME_CODEC;
    put_u64(to + AT_PLACE, head->place);
    put_u64(to + AT_EXTRA, head->extra);
    put_u32(to + AT_X, head->x);
    put_u32(to + AT_Y, head->y);
    put_u32(to + AT_Z, head->z);
    put_u32(to + AT_PLAIN, head->plain);
    head_seal(to);
}

void frame_stamp(uint8_t *bytes, uint64_t place, const uint64_t *extra)
{
    put_u64(bytes + AT_PLACE, place);
    if (extra != NULL)
        put_u64(bytes + AT_EXTRA, *extra);
    head_seal(bytes);
}

static size_t compress(ZSTD_CCtx *ctx, int level, uint8_t *to, size_t room,
                       const uint8_t *from, size_t size)
{
    size_t code = ZSTD_CCtx_setParameter(ctx, ZSTD_c_compressionLevel, level);

    if (ZSTD_isError(code))
        return code;
    code = ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
    if (ZSTD_isError(code))
        return code;
    return ZSTD_compress2(ctx, to, room, from, size);
}

kedge_status frame_close(store_frame *f, const char *tag,
                         const frame_head *head, int level, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t room = FRAME_HEAD + ZSTD_compressBound(head->plain);
    codec *c = codec_of(f);
    size_t size;

    assert(head->plain <= FRAME_PLAIN_MAX);
    TRY_MEM(c);
    if (c->compress == NULL)
        TRY_MEM(c->compress = ZSTD_createCCtx());
    TRY_GROW(f->bytes, f->capacity, room);
    size = compress(c->compress, level, f->bytes + FRAME_HEAD,
                    f->capacity - FRAME_HEAD, f->plain, head->plain);
    if (ZSTD_isError(size))
        TRY(zstd_fail(size, "a record on its way in", err));
    head_write(f->bytes, tag, head);
    f->size = FRAME_HEAD + size;
out:
    return st;
}

static kedge_status head_check(const uint8_t *bytes, size_t size,
                               const char *tag, const char *what,
                               kedge_error *err)
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
    return record_zeros(bytes + AT_ZERO, AT_PLACE - AT_ZERO, what, err);
}

kedge_status frame_peek(const uint8_t *bytes, size_t size, const char *tag,
                        const char *what, frame_head *out, kedge_error *err)
{
    const kedge_status st = head_check(bytes, size, tag, what, err);

    if (st != KEDGE_OK)
        return st;
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

/* One frame, of the size that the head tells, and nothing after it: zstd
 * itself would go on to further frames. */
static bool frame_is_one(const uint8_t *frame, size_t size, uint32_t plain)
{
    return ZSTD_findFrameCompressedSize(frame, size) == size &&
           ZSTD_getFrameContentSize(frame, size) == plain;
}

kedge_status frame_open(store_frame *scratch, const uint8_t *bytes, size_t size,
                        const char *tag, const char *what, frame_head *out,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    codec *c;
    size_t got;

    TRY(frame_peek(bytes, size, tag, what, out, err));
    bytes += FRAME_HEAD;
    size -= FRAME_HEAD;
    if (!frame_is_one(bytes, size, out->plain))
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (its frame)", what));
    TRY(frame_room(scratch, (size_t)out->plain + FRAME_SLACK, err));
    TRY_MEM(c = codec_of(scratch));
    if (c->decompress == NULL)
        TRY_MEM(c->decompress = ZSTD_createDCtx());
    got = ZSTD_decompressDCtx(c->decompress, scratch->plain,
                              out->plain, bytes, size);
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
