/* SPDX-License-Identifier: MIT */
/*
 * The header: 6 bytes of magic, 2 of version, the length of what follows as a
 * 16-bit number, a Python dictionary, spaces, and a newline as the last byte.
 */
#include "report/npy.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"

#define ALIGNMENT 64
#define PREAMBLE 10
#define HEADER 192 /* the longest dictionary there can be has 99 bytes */
#define STREAMED 128 /* any number of rows has room in it */
#define CHUNK 1024 /* numbers at a time */

static bool write_header(FILE *out, const char *type, size_t rows,
                         size_t cols, size_t least)
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
    return fwrite(header, 1, padded, out) == padded;
}

static size_t numbers(size_t rows, size_t cols)
{
    return cols > 0 ? rows * cols : rows;
}

/* Numbers of 8 bytes, whose bits are the same in the file. */
static bool write_numbers(FILE *out, const void *values, size_t count)
{
    const char *from = values;
    uint8_t bytes[8 * CHUNK];

    for (size_t i = 0; i < count; i += CHUNK) {
        const size_t n = count - i < CHUNK ? count - i : CHUNK;
        for (size_t j = 0; j < n; j++, from += 8) {
            uint64_t bits;
            memcpy(&bits, from, sizeof bits);
            put_u64(bytes + 8 * j, bits);
        }
        if (fwrite(bytes, 8, n, out) != n)
            return false;
    }
    return true;
}

bool npy_write_f64(FILE *out, const double *values, size_t rows, size_t cols)
{
    return write_header(out, "<f8", rows, cols, 0) &&
           write_numbers(out, values, numbers(rows, cols));
}

bool npy_write_u64(FILE *out, const uint64_t *values, size_t rows, size_t cols)
{
    return write_header(out, "<u8", rows, cols, 0) &&
           write_numbers(out, values, numbers(rows, cols));
}

bool npy_begin(FILE *out)
{
    return write_header(out, "<f4", 0, 1, STREAMED);
}

static bool write_single(FILE *out, const double *values, size_t count)
{
    uint8_t bytes[4 * CHUNK];

    for (size_t i = 0; i < count; i += CHUNK) {
        const size_t n = count - i < CHUNK ? count - i : CHUNK;
        for (size_t j = 0; j < n; j++) {
            const float value = (float)values[i + j];
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            put_u32(bytes + 4 * j, bits);
        }
        if (fwrite(bytes, 4, n, out) != n)
            return false;
    }
    return true;
}

bool npy_row(FILE *out, const double *values, size_t cols, bool wide)
{
    return wide ? write_numbers(out, values, cols)
                : write_single(out, values, cols);
}

bool npy_end(FILE *out, size_t rows, size_t cols, bool wide)
{
    return fseek(out, 0, SEEK_SET) == 0 &&
           write_header(out, wide ? "<f8" : "<f4", rows, cols, STREAMED);
}
