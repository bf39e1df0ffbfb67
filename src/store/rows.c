/* SPDX-License-Identifier: MIT */
/*
 * Chunks of sketch rows. A row's integers are random but for their size, so
 * each row is kept in as few bytes a value as its largest one takes:
 *
 *   i64 x rows  the sums
 *   u8 x rows   bytes per value, 1 to 8
 *   values      row by row, little-endian two's complement of that many bytes
 *
 * Hardly anything is left for zstd, which mostly serves for its checksum.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "store/records.h"

static_assert(STORE_CHUNK_ROWS * (9 + 8 * (size_t)STORE_WIDTH_MOST) <=
                  FRAME_PLAIN_MAX,
              "a chunk of the widest sketch fits a record");

void store_rows_free(store_rows *r)
{
    frame_free(r);
}

/* Bytes that hold every value of a row. */
static unsigned row_bytes(const int64_t *value, size_t width)
{
    uint64_t magnitude = 0; /* v or ~v: all below the sign bit */
    unsigned bytes = 1;

    for (size_t i = 0; i < width; i++)
        magnitude |= (uint64_t)value[i] ^ (uint64_t)(value[i] >> 63);
    while (bytes < 8 && magnitude >> (8 * bytes - 1) != 0)
        bytes++;
    return bytes;
}

kedge_status store_rows_encode(store_rows *r, const int64_t *values,
                               size_t rows, size_t width, kedge_error *err)
{
    const size_t most = rows * (9 + 8 * width);
    uint8_t *sums, *bytes, *to;
    frame_head head = {.x = (uint32_t)rows, .y = (uint32_t)width};

    if (rows > STORE_CHUNK_ROWS || width > STORE_WIDTH_MOST)
        return kedge_fail(err, KEDGE_EINVAL,
                          "a chunk of %zu rows by %zu is too big", rows, width);
    PASS(frame_room(r, most + 8, err));
    sums = r->plain;
    bytes = sums + 8 * rows;
    to = bytes + rows;
    for (size_t i = 0; i < rows; i++) {
        const int64_t *row = values + i * (1 + width);
        put_u64(sums + 8 * i, (uint64_t)row[0]);
        const unsigned each = row_bytes(row + 1, width);
        bytes[i] = (uint8_t)each;
        /* whole words overlap: there is room for one more after the last */
        for (size_t k = 1; k <= width; k++, to += each)
            put_u64(to, (uint64_t)row[k]);
    }
    head.plain = (uint32_t)(to - r->plain);
    return frame_close(r, STORE_ROWS_TAG, &head, FRAME_LEVEL_FAST, err);
}

static bool rows_fit(const uint8_t *plain, const frame_head *head)
{
    const uint8_t *const bytes = plain + 8 * (size_t)head->x;
    uint64_t size = 9 * (uint64_t)head->x;

    if (head->plain < size)
        return false;
    for (uint32_t i = 0; i < head->x; i++) {
        if (bytes[i] < 1 || bytes[i] > 8)
            return false;
        size += (uint64_t)bytes[i] * head->y;
    }
    return size == head->plain;
}

/* A row's sum is of terms that are not negative, and each of its values is of
 * these with signs. So nothing overflows that is added to them. */
static bool row_is_possible(const int64_t *row, size_t width)
{
    const uint64_t sum = (uint64_t)row[0];
    bool possible = sum < STORE_ROW_MOST;

    for (size_t i = 1; i <= width; i++)
        possible &= (uint64_t)row[i] + sum <= 2 * sum;
    return possible;
}

kedge_status store_rows_decode(store_rows *scratch, const uint8_t *record,
                               size_t size, size_t rows, size_t width,
                               int64_t *values, kedge_error *err)
{
    const uint8_t *from, *bytes;
    char what[KV_NAME_MOST] = "a sketch chunk";
    frame_head head;
    kv_key key;

    PASS(frame_peek(record, size, STORE_ROWS_TAG, what, &head, err));
    key = KV_KEY8(DB_ROWS, head.extra);
    kv_name(key, what);
    if (head.x != rows || head.y != width || rows > STORE_CHUNK_ROWS ||
        width > STORE_WIDTH_MOST)
        return kv_damaged(key, err, "%u rows by %u, not %zu by %zu", head.x,
                          head.y, rows, width);
    PASS(frame_open(scratch, record, size, STORE_ROWS_TAG, what, &head, err));
    if (!rows_fit(scratch->plain, &head))
        return kv_damaged(key, err, "its rows");
    bytes = scratch->plain + 8 * rows;
    from = bytes + rows;
    for (size_t i = 0; i < rows; i++) {
        int64_t *row = values + i * (1 + width);
        const unsigned each = bytes[i], shift = 64 - 8 * each;
        row[0] = (int64_t)get_u64(scratch->plain + 8 * i);
        /* the same overlap: frame_open leaves room after the values */
        for (size_t k = 1; k <= width; k++, from += each)
            row[k] = (int64_t)(get_u64(from) << shift) >> shift;
        if (!row_is_possible(row, width))
            return kv_damaged(key, err, "row %zu counts no documents", i);
    }
    return KEDGE_OK;
}

kedge_status store_put_rows(store_txn *txn, uint32_t number, uint64_t chunk,
                            const store_rows *r, kedge_error *err)
{
    const uint64_t extra = (uint64_t)number << 32 | chunk;

    if (chunk > UINT32_MAX)
        return kedge_fail(err, KEDGE_EINVAL, "no chunk has the number %" PRIu64,
                          chunk);
    return kv_put_frame(txn, KV_KEY44(DB_ROWS, number, (uint32_t)chunk), r,
                        &extra, err);
}

kedge_status store_get_rows(store_txn *txn, uint32_t number, uint64_t chunk,
                            const uint8_t **bytes, size_t *size,
                            kedge_error *err)
{
    kv_frame f;

    if (chunk > UINT32_MAX)
        return kedge_fail(err, KEDGE_ENOTFOUND, "there is no chunk %" PRIu64,
                          chunk);
    PASS(kv_get_frame(txn, KV_KEY44(DB_ROWS, number, (uint32_t)chunk),
                      STORE_ROWS_TAG, &f, err));
    *bytes = f.bytes;
    *size = f.size;
    return KEDGE_OK;
}

kedge_status store_drop_rows(store_txn *txn, uint32_t number, kedge_error *err)
{
    return kv_drop_from(txn, KV_KEY4(DB_ROWS, number), 4, err);
}
