/* SPDX-License-Identifier: MIT */
/*
 * The header: 6 bytes of magic, 2 of version, the length of what follows as a
 * 16-bit number, a Python dictionary, spaces, and a newline as the last byte.
 */
#include "export/newfile.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/fail.h"

#define ALIGNMENT 64
#define PREAMBLE 10
#define HEADER 192 /* the longest dictionary there can be has 99 bytes */
#define STREAMED 128 /* any number of rows has room in it */
#define CHUNK 1024 /* numbers at a time */

static kedge_status write_header(newfile *f, const char *type, size_t rows,
                                 size_t cols, size_t least, kedge_error *err)
{
    char header[HEADER];
    char second[32] = "";
    size_t size = PREAMBLE, padded;

    memcpy(header, "\x93NUMPY\x01\x00", 8);
    if (cols > 0)
        snprintf(second, sizeof second, " %zu", cols);
    size += (size_t)snprintf(header + PREAMBLE, sizeof header - PREAMBLE,
                             "{'descr': '%s', 'fortran_order': False, "
                             "'shape': (%zu,%s), }",
                             type, rows, second);
    padded = (size + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    padded = padded > least ? padded : least;
    assert(padded <= sizeof header);
    memset(header + size, ' ', padded - size);
    header[padded - 1] = '\n';
    header[8] = (char)((padded - PREAMBLE) & 0xff);
    header[9] = (char)((padded - PREAMBLE) >> 8);
    return newfile_write(f, header, padded, err);
}

/* The numbers from `from` on, each of `width` bytes in the file: of 8 with the
 * bits that they have, of 4 as float32 of the double. */
static kedge_status write_values(newfile *f, const void *from, size_t count,
                                 size_t width, kedge_error *err)
{
    const char *at = from;
    uint8_t bytes[8 * CHUNK];

    for (size_t i = 0; i < count; i += CHUNK) {
        const size_t n = count - i < CHUNK ? count - i : CHUNK;
        for (size_t j = 0; j < n; j++, at += 8) {
            uint64_t bits;
            uint32_t half;
            double x;
            memcpy(&bits, at, 8);
            if (width == 8) {
                put_u64(bytes + 8 * j, bits);
                continue;
            }
            memcpy(&x, at, 8);
            memcpy(&half, &(float){(float)x}, 4);
            put_u32(bytes + 4 * j, half);
        }
        PASS(newfile_write(f, bytes, width * n, err));
    }
    return KEDGE_OK;
}

kedge_status npy_write_f64(newfile *f, const double *values, size_t rows,
                           size_t cols, kedge_error *err)
{
    PASS(write_header(f, "<f8", rows, cols, 0, err));
    return write_values(f, values, cols > 0 ? rows * cols : rows, 8, err);
}

kedge_status npy_write_u64(newfile *f, const uint64_t *values, size_t rows,
                           size_t cols, kedge_error *err)
{
    PASS(write_header(f, "<u8", rows, cols, 0, err));
    return write_values(f, values, cols > 0 ? rows * cols : rows, 8, err);
}

kedge_status npy_begin(newfile *f, kedge_error *err)
{
    return write_header(f, "<f4", 0, 1, STREAMED, err);
}

kedge_status npy_row(newfile *f, const double *values, size_t cols, bool wide,
                     kedge_error *err)
{
    return write_values(f, values, cols, wide ? 8 : 4, err);
}

kedge_status npy_end(newfile *f, size_t rows, size_t cols, bool wide,
                     kedge_error *err)
{
    PASS(newfile_rewind(f, err));
    return write_header(f, wide ? "<f8" : "<f4", rows, cols, STREAMED, err);
}
