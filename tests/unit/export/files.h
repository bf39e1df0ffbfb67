/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_EXPORT_FILES_H
#define TESTS_UNIT_EXPORT_FILES_H
/* Files as bytes, and arrays in them. */
#include "base/bytes.h"
#include "unit.h"

#define NPY_HEAD 128

/* The file's bytes and a zero, for free(). */
static inline char *file_bytes(const char *directory, const char *name,
                               size_t *size)
{
    char path[512], *bytes;
    FILE *in;

    snprintf(path, sizeof path, "%.200s/%.255s", directory, name);
    in = fopen(path, "rb");
    ck_assert_msg(in != NULL, "%s is not there", path);
    ck_assert_int_eq(fseek(in, 0, SEEK_END), 0);
    *size = (size_t)ftell(in);
    rewind(in);
    bytes = calloc(*size + 1, 1);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(fread(bytes, 1, *size, in), *size);
    fclose(in);
    return bytes;
}

static inline bool file_is_there(const char *directory, const char *name)
{
    char path[512];

    snprintf(path, sizeof path, "%.200s/%.255s", directory, name);
    return access(path, F_OK) == 0;
}

/* The same of an array of this type, as "<f8": behind the whole head of it
 * stand as many numbers. cols 0: a vector. */
static inline uint8_t *file_array(const char *directory, const char *name,
                                  const char *type, size_t rows, size_t cols)
{
    const size_t count = cols > 0 ? rows * cols : rows;
    char expected[128], second[32] = "";
    size_t size, end;
    char *const bytes = file_bytes(directory, name, &size);

    if (cols > 0)
        snprintf(second, sizeof second, " %zu", cols);
    end = 10 + (size_t)snprintf(expected, sizeof expected,
                                "{'descr': '%s', 'fortran_order': False, "
                                "'shape': (%zu,%s), }", type, rows, second);
    ck_assert_uint_eq(size, NPY_HEAD + (size_t)(type[2] - '0') * count);
    ck_assert_mem_eq(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    ck_assert_mem_eq(bytes + 10, expected, end - 10);
    for (; end < NPY_HEAD - 1; end++)
        ck_assert_int_eq(bytes[end], ' ');
    ck_assert_int_eq(bytes[end], '\n');
    return (uint8_t *)bytes;
}

/* Number i of an array, of 8 bytes or of 4. */
static inline double array_wide(const uint8_t *bytes, size_t i)
{
    return get_f64(bytes + NPY_HEAD + 8 * i);
}

static inline float array_single(const uint8_t *bytes, size_t i)
{
    float x;

    memcpy(&x, bytes + NPY_HEAD + 4 * i, sizeof x);
    return x;
}

#endif
