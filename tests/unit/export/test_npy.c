/* SPDX-License-Identifier: MIT */
#include "export/npy.h"

#include "base/bytes.h"
#include "sample.h"

/* The file's numbers, behind a header of this dictionary. */
static const uint8_t *check_file(const char *bytes, size_t size,
                                 const char *dictionary, size_t values)
{
    ck_assert_uint_eq(size, 128 + values);
    ck_assert_mem_eq(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    ck_assert_mem_eq(bytes + 10, dictionary, strlen(dictionary));
    for (size_t i = 10 + strlen(dictionary); i < 127; i++)
        ck_assert_int_eq(bytes[i], ' ');
    ck_assert_int_eq(bytes[127], '\n');
    return (const uint8_t *)bytes + 128;
}

/* What npy_write_f64 makes, or where `integers` npy_write_u64. */
static char *written(const void *values, bool integers, size_t rows,
                     size_t cols, size_t *size)
{
    place p = place_make();
    kedge_error err = {0};
    newfile f;
    char *bytes;

    ck_ok(newfile_open(&f, p.root, "a.npy", &err), err);
    ck_ok(integers ? npy_write_u64(&f, values, rows, cols, &err)
                   : npy_write_f64(&f, values, rows, cols, &err), err);
    ck_ok(newfile_commit(&f, &err), err);
    bytes = file_bytes(p.root, "a.npy", size);
    place_remove(&p);
    return bytes;
}

TEST(npy_has_header_and_little_endian_numbers)
{
    const double values[] = {1, -2, 0.5, 1e300, 0, -0.0};
    const uint64_t integers[] = {1, UINT64_MAX, 0x0102030405060708};
    size_t size;
    char *bytes = written(values, false, 2, 3, &size);
    const uint8_t *at = check_file(bytes, size,
                                   "{'descr': '<f8', 'fortran_order': False, "
                                   "'shape': (2, 3), }", 48);

    ck_assert_mem_eq(at, "\0\0\0\0\0\0\xf0\x3f", 8);
    ck_assert_mem_eq(at + 40, "\0\0\0\0\0\0\0\x80", 8);
    for (size_t i = 0; i < 6; i++)
        ck_assert_double_eq(get_f64(at + 8 * i), values[i]);
    mem_free(bytes);
    bytes = written(integers, true, 3, 0, &size);
    at = check_file(bytes, size, "{'descr': '<u8', 'fortran_order': False, "
                                 "'shape': (3,), }", 24);
    ck_assert_mem_eq(at + 16, "\x08\x07\x06\x05\x04\x03\x02\x01", 8);
    mem_free(bytes);
    bytes = written(NULL, false, 0, 0, &size);
    check_file(bytes, size, "{'descr': '<f8', 'fortran_order': False, "
                            "'shape': (0,), }", 0);
    mem_free(bytes);
}

TEST(npy_is_whole_at_every_size)
{
    static const size_t sizes[] = {1, 1023, 1024, 1025, 2048, 5000};
    OWNED double *values = mem_new(5000, sizeof *values);

    for (size_t i = 0; i < 5000; i++)
        values[i] = (double)i / 7;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t size;
        OWNED char *bytes = written(values, false, sizes[s], 1, &size);
        ck_assert_uint_eq(size, 128 + 8 * sizes[s]);
        for (size_t i = 0; i < sizes[s]; i++)
            ck_assert_double_eq(get_f64((uint8_t *)bytes + 128 + 8 * i),
                                values[i]);
    }
}

/* Rows as they come, of which the header tells in the end. */
TEST(npy_takes_rows_one_by_one)
{
    OWN(place_remove) place p = place_make();
    kedge_error err = {0};

    for (int wide = 0; wide < 2; wide++) {
        newfile f;
        size_t size;
        OWNED char *bytes = NULL;
        const uint8_t *at;

        ck_ok(newfile_open(&f, p.root, "a.npy", &err), err);
        ck_ok(npy_begin(&f, &err), err);
        for (size_t i = 0; i < 1000; i++)
            ck_ok(npy_row(&f, (double[]){(double)i, 0.1}, 2, wide, &err), err);
        ck_ok(npy_end(&f, 1000, 2, wide, &err), err);
        ck_ok(newfile_commit(&f, &err), err);
        bytes = file_bytes(p.root, "a.npy", &size);
        at = check_file(bytes, size,
                        wide ? "{'descr': '<f8', 'fortran_order': False, "
                               "'shape': (1000, 2), }"
                             : "{'descr': '<f4', 'fortran_order': False, "
                               "'shape': (1000, 2), }",
                        wide ? 16000 : 8000);
        for (size_t i = 0; i < 1000; i++) {
            float x[2];
            memcpy(x, at + 8 * i, sizeof x);
            ck_assert(wide ? get_f64(at + 16 * i) == (double)i &&
                                 get_f64(at + 16 * i + 8) == 0.1
                           : x[0] == (float)i && x[1] == 0.1F);
        }
    }
}
