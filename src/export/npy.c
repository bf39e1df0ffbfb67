/* SPDX-License-Identifier: MIT */
/*
 * The header: 6 bytes of magic, 2 of version, the length of what follows as a
 * 16-bit number, a Python dictionary, spaces, and a newline as the last byte.
 */
#include "export/npy.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"

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

/* Numbers of 8 bytes, whose bits are the same in the file. */
static kedge_status write_wide(newfile *f, const void *values, size_t count,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const char *from = values;
    uint8_t bytes[8 * CHUNK];

    for (size_t i = 0; i < count && st == KEDGE_OK; i += CHUNK) {
        const size_t n = count - i < CHUNK ? count - i : CHUNK;
        for (size_t j = 0; j < n; j++, from += 8) {
            uint64_t bits;
            memcpy(&bits, from, sizeof bits);
            put_u64(bytes + 8 * j, bits);
        }
        st = newfile_write(f, bytes, 8 * n, err);
    }
    return st;
}

static kedge_status write_single(newfile *f, const double *values,
                                 size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t bytes[4 * CHUNK];

    for (size_t i = 0; i < count && st == KEDGE_OK; i += CHUNK) {
        const size_t n = count - i < CHUNK ? count - i : CHUNK;
        for (size_t j = 0; j < n; j++) {
            const float value = (float)values[i + j];
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            put_u32(bytes + 4 * j, bits);
        }
        st = newfile_write(f, bytes, 4 * n, err);
    }
    return st;
}

static kedge_status write_array(newfile *f, const char *type,
                                const void *values, size_t rows, size_t cols,
                                kedge_error *err)
{
    const kedge_status st = write_header(f, type, rows, cols, 0, err);

    return st == KEDGE_OK
               ? write_wide(f, values, cols > 0 ? rows * cols : rows, err)
               : st;
}

kedge_status npy_write_f64(newfile *f, const double *values, size_t rows,
                           size_t cols, kedge_error *err)
{
    return write_array(f, "<f8", values, rows, cols, err);
}

kedge_status npy_write_u64(newfile *f, const uint64_t *values, size_t rows,
                           size_t cols, kedge_error *err)
{
    return write_array(f, "<u8", values, rows, cols, err);
}

kedge_status npy_begin(newfile *f, kedge_error *err)
{
    return write_header(f, "<f4", 0, 1, STREAMED, err);
}

kedge_status npy_row(newfile *f, const double *values, size_t cols, bool wide,
                     kedge_error *err)
{
    return wide ? write_wide(f, values, cols, err)
                : write_single(f, values, cols, err);
}

kedge_status npy_end(newfile *f, size_t rows, size_t cols, bool wide,
                     kedge_error *err)
{
    const kedge_status st = newfile_rewind(f, err);

    return st == KEDGE_OK ? write_header(f, wide ? "<f8" : "<f4", rows, cols,
                                         STREAMED, err)
                          : st;
}
