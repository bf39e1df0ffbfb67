/* SPDX-License-Identifier: MIT */
/*
 * Sixteen bytes that say what it is; then u32 sizes and records. A record's
 * place is its number, so that none is lost or comes twice unnoticed. A size of
 * 0 ends them, with a checksum that is chained over all before.
 */
#include "store/parcel.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/mem.h"
#include "store/codec.h"

#define PARCEL_VERSION 1

enum { MAGIC_SIZE = 8, FRONT = 16, END = 12 };

static const uint8_t magic[MAGIC_SIZE + 1] = "KSKETCH\n";

/* Incompressible bytes become a little more. */
#define RECORD_MOST ((size_t)FRAME_PLAIN_MAX + (1 << 20))

/* ---- out ----------------------------------------------------------------- */

static kedge_status out_write(parcel_out *p, const void *bytes, size_t size,
                              kedge_error *err)
{
    p->bytes += size;
    return p->to.write(p->to.data, bytes, size, err);
}

kedge_status parcel_begin(parcel_out *p, const parcel_sink *to,
                          kedge_error *err)
{
    uint8_t front[FRONT] = {0};

    *p = (parcel_out){.to = *to};
    memcpy(front, magic, MAGIC_SIZE);
    put_u32(front + MAGIC_SIZE, PARCEL_VERSION);
    return out_write(p, front, sizeof front, err);
}

kedge_status parcel_room(parcel_out *p, size_t size, uint8_t **plain,
                         kedge_error *err)
{
    const kedge_status st = frame_room(&p->f, size, err);

    *plain = st == KEDGE_OK ? p->f.plain : NULL;
    return st;
}

static kedge_status out_send(parcel_out *p, store_frame *f, kedge_error *err)
{
    uint8_t size[4];

    frame_stamp(f->bytes, p->records++, NULL);
    p->sum = hash_bytes(p->sum, f->bytes, f->size);
    put_u32(size, (uint32_t)f->size);
    PASS(out_write(p, size, sizeof size, err));
    return out_write(p, f->bytes, f->size, err);
}

kedge_status parcel_put(parcel_out *p, const char *tag, uint32_t things,
                        size_t size, kedge_error *err)
{
    const frame_head head = {.x = things, .plain = (uint32_t)size};

    if (size > FRAME_PLAIN_MAX)
        return kedge_fail(err, KEDGE_EINVAL,
                          "a record of %zu bytes is too large", size);
    PASS(frame_close(&p->f, tag, &head, FRAME_LEVEL, err));
    return out_send(p, &p->f, err);
}

kedge_status parcel_put_rows(parcel_out *p, store_rows *r, kedge_error *err)
{
    return out_send(p, r, err);
}

kedge_status parcel_end(parcel_out *p, kedge_error *err)
{
    uint8_t end[END] = {0};

    put_u64(end + 4, p->sum);
    return out_write(p, end, sizeof end, err);
}

void parcel_out_free(parcel_out *p)
{
    frame_free(&p->f);
}

/* ---- in ------------------------------------------------------------------ */

/* What is damaged is not the store. */
static kedge_status in_fail(kedge_status st, kedge_error *err)
{
    if (st != KEDGE_ECORRUPT)
        return st;
    if (err != NULL)
        err->status = KEDGE_EFORMAT;
    return KEDGE_EFORMAT;
}

/* As many bytes as there are, up to `size`. */
static kedge_status in_read(parcel_in *p, uint8_t *to, size_t size,
                            size_t *got, kedge_error *err)
{
    size_t more = 1;

    for (*got = 0; *got < size && more > 0; *got += more)
        PASS(p->from.read(p->from.data, to + *got, size - *got, &more, err));
    return KEDGE_OK;
}

static kedge_status in_take(parcel_in *p, uint8_t *to, size_t size,
                            kedge_error *err)
{
    size_t got;

    PASS(in_read(p, to, size, &got, err));
    if (got < size)
        return kedge_fail(err, KEDGE_EFORMAT,
                          "it ends early, in record %" PRIu64, p->records);
    return KEDGE_OK;
}

kedge_status parcel_open(parcel_in *p, const parcel_source *from,
                         kedge_error *err)
{
    uint8_t front[FRONT] = {0};
    size_t got;

    *p = (parcel_in){.from = *from};
    PASS(in_read(p, front, sizeof front, &got, err));
    if (memcmp(front, magic, MAGIC_SIZE) != 0)
        return kedge_fail(err, KEDGE_EFORMAT,
                          "this is not a file of 'kedge sketch export'");
    if (get_u32(front + MAGIC_SIZE) != PARCEL_VERSION ||
        get_u32(front + MAGIC_SIZE + 4) != 0)
        return kedge_fail(err, KEDGE_EVERSION,
                          "it has version %" PRIu32 ", this program reads %d; "
                          "a newer kedge wrote it",
                          get_u32(front + MAGIC_SIZE), PARCEL_VERSION);
    if (got < FRONT)
        return kedge_fail(err, KEDGE_EFORMAT, "it ends early");
    return KEDGE_OK;
}

/* The next record's bytes, checked but for what is in it. */
static kedge_status in_fetch(parcel_in *p, const char *tag, char what[32],
                             size_t *size, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    frame_head head;
    uint8_t prefix[4];

    snprintf(what, 32, "record %" PRIu64, p->records);
    TRY(in_take(p, prefix, sizeof prefix, err));
    *size = get_u32(prefix);
    if (*size < FRAME_HEAD || *size > RECORD_MOST)
        TRY(kedge_fail(err, KEDGE_EFORMAT, "%s is damaged (%zu bytes)", what,
                       *size));
    TRY_GROW(p->bytes, p->capacity, *size);
    TRY(in_take(p, p->bytes, *size, err));
    TRY(in_fail(frame_peek(p->bytes, *size, tag, what, &head, err), err));
    if (head.place != p->records)
        TRY(kedge_fail(err, KEDGE_EFORMAT,
                       "%s is damaged (another record in its place)", what));
    p->records++;
    p->sum = hash_bytes(p->sum, p->bytes, *size);
out:
    return st;
}

kedge_status parcel_next(parcel_in *p, const char *tag, uint32_t *things,
                         const uint8_t **plain, size_t *size, kedge_error *err)
{
    frame_head head;
    char what[32];

    PASS(in_fetch(p, tag, what, size, err));
    PASS(in_fail(frame_open(&p->f, p->bytes, *size, tag, what, &head, err),
                 err));
    *things = head.x;
    *plain = p->f.plain;
    *size = head.plain;
    return KEDGE_OK;
}

kedge_status parcel_next_rows(parcel_in *p, size_t rows, size_t width,
                              int64_t *values, kedge_error *err)
{
    kedge_status st;
    char what[32];
    size_t size;

    PASS(in_fetch(p, STORE_ROWS_TAG, what, &size, err));
    st = store_rows_decode(&p->f, p->bytes, size, rows, width, values, err);
    if (st != KEDGE_OK)
        kedge_fail_context(err, "%s", what);
    return in_fail(st, err);
}

kedge_status parcel_close(parcel_in *p, kedge_error *err)
{
    uint8_t end[END], more;
    size_t got;

    PASS(in_take(p, end, sizeof end, err));
    if (get_u32(end) != 0 || get_u64(end + 4) != p->sum)
        return kedge_fail(err, KEDGE_EFORMAT,
                          "it is damaged (checksum of all records)");
    PASS(in_read(p, &more, 1, &got, err));
    if (got > 0)
        return kedge_fail(err, KEDGE_EFORMAT,
                          "something comes after its end");
    return KEDGE_OK;
}

void parcel_in_free(parcel_in *p)
{
    frame_free(&p->f);
    mem_free(p->bytes);
    p->bytes = NULL;
}
