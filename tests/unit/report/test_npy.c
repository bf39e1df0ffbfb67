/* SPDX-License-Identifier: MIT */
#include "report/npy.h"

#include <errno.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "unit.h"

typedef struct blob {
    char *bytes;
    size_t size;
} blob;

/* The text of a header whose dictionary is this, for comparison by eye. */
static void check_header(const blob *b, const char *dictionary)
{
    const size_t length = strlen(dictionary);
    const uint8_t *const bytes = (const uint8_t *)b->bytes;

    ck_assert_uint_eq(b->size >= 64, true);
    ck_assert_mem_eq(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    ck_assert_mem_eq(bytes + 10, dictionary, length);
    for (size_t i = 10 + length; i < 127; i++)
        ck_assert_uint_eq(bytes[i], ' ');
    ck_assert_uint_eq(bytes[127], '\n');
}

START_TEST(npy_matrix_of_doubles)
{
    const double values[] = {1, -2, 0.5, 1e300, 0, -0.0};
    blob b;
    FILE *const out = open_memstream(&b.bytes, &b.size);

    ck_assert(npy_write_f64(out, values, 2, 3));
    fclose(out);
    check_header(&b, "{'descr': '<f8', 'fortran_order': False, "
                     "'shape': (2, 3), }");
    ck_assert_uint_eq(b.size, 128 + 6 * 8);
    ck_assert_mem_eq(b.bytes + 128, "\0\0\0\0\0\0\xf0\x3f", 8);
    ck_assert_mem_eq(b.bytes + 168, "\0\0\0\0\0\0\0\x80", 8);
    for (size_t i = 0; i < 6; i++)
        ck_assert_double_eq(get_f64((uint8_t *)b.bytes + 128 + 8 * i),
                            values[i]);
    free(b.bytes);
}
END_TEST

START_TEST(npy_vectors_and_integers)
{
    const uint64_t values[] = {1, UINT64_MAX, 0x0102030405060708};
    blob b;
    FILE *out = open_memstream(&b.bytes, &b.size);

    ck_assert(npy_write_u64(out, values, 3, 0));
    fclose(out);
    check_header(&b, "{'descr': '<u8', 'fortran_order': False, "
                     "'shape': (3,), }");
    ck_assert_uint_eq(b.size, 128 + 24);
    ck_assert_mem_eq(b.bytes + 144, "\x08\x07\x06\x05\x04\x03\x02\x01", 8);
    free(b.bytes);

    out = open_memstream(&b.bytes, &b.size);
    ck_assert(npy_write_f64(out, NULL, 0, 0));
    fclose(out);
    check_header(&b, "{'descr': '<f8', 'fortran_order': False, "
                     "'shape': (0,), }");
    ck_assert_uint_eq(b.size, 128);
    free(b.bytes);
}
END_TEST

START_TEST(npy_is_whole_at_every_size)
{
    static const size_t sizes[] = {1, 1023, 1024, 1025, 2048, 5000};
    double *const values = mem_new(5000, sizeof *values);

    for (size_t i = 0; i < 5000; i++)
        values[i] = (double)i / 7;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        blob b;
        FILE *const out = open_memstream(&b.bytes, &b.size);
        ck_assert(npy_write_f64(out, values, sizes[s], 1));
        fclose(out);
        ck_assert_uint_eq(b.size, 128 + 8 * sizes[s]);
        for (size_t i = 0; i < sizes[s]; i++)
            ck_assert_double_eq(get_f64((uint8_t *)b.bytes + 128 + 8 * i),
                                values[i]);
        free(b.bytes);
    }
    mem_free(values);
}
END_TEST

START_TEST(npy_tells_of_a_full_disk)
{
    FILE *out = fopen("/dev/full", "wb");
    double *const values = mem_new(100000, sizeof *values);

    if (out == NULL) {
        mem_free(values);
        return; /* not on every system */
    }
    errno = 0;
    ck_assert(!npy_write_f64(out, values, 100000, 1));
    ck_assert_int_eq(errno, ENOSPC);
    fclose(out);
    out = fopen("/dev/full", "wb");
    setvbuf(out, NULL, _IONBF, 0);
    ck_assert(!npy_write_u64(out, (const uint64_t[]){1}, 1, 0));
    fclose(out);
    mem_free(values);
}
END_TEST

UNIT_SUITE("npy",
    npy_matrix_of_doubles,
    npy_vectors_and_integers,
    npy_is_whole_at_every_size,
    npy_tells_of_a_full_disk)
