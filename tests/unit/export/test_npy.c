/* SPDX-License-Identifier: MIT */
#include "sample.h"

#include "export/newfile.h"

/* The file that npy_write_f64 makes, or where `integers` npy_write_u64. */
static uint8_t *written(const void *values, bool integers, size_t rows,
                        size_t cols)
{
    OWN(place_remove) place p = place_make();
    kedge_error err = {0};
    newfile f;

    ck_ok(newfile_open(&f, p.root, "a.npy", &err), err);
    ck_ok(integers ? npy_write_u64(&f, values, rows, cols, &err)
                   : npy_write_f64(&f, values, rows, cols, &err), err);
    ck_ok(newfile_commit(&f, &err), err);
    return file_array(p.root, "a.npy", integers ? "<u8" : "<f8", rows, cols);
}

TEST(npy_has_header_and_little_endian_numbers)
{
    const double values[] = {1, -2, 0.5, 1e300, 0, -0.0};
    const uint64_t integers[] = {1, UINT64_MAX, 0x0102030405060708};
    OWNED uint8_t *doubles = written(values, false, 2, 3);
    OWNED uint8_t *counts = written(integers, true, 3, 0);
    OWNED uint8_t *none = written(NULL, false, 0, 0);

    ck_assert_mem_eq(doubles + NPY_HEAD, "\0\0\0\0\0\0\xf0\x3f", 8);
    ck_assert_mem_eq(doubles + NPY_HEAD + 40, "\0\0\0\0\0\0\0\x80", 8);
    for (size_t i = 0; i < 6; i++)
        ck_assert_double_eq(array_wide(doubles, i), values[i]);
    ck_assert_mem_eq(counts + NPY_HEAD + 16,
                     "\x08\x07\x06\x05\x04\x03\x02\x01", 8);
}

TEST(npy_is_whole_at_every_size)
{
    static const size_t sizes[] = {1, 1023, 1024, 1025, 2048, 5000};
    OWNED double *values = sample_array(5000, 0, 1. / 7);

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        OWNED uint8_t *array = written(values, false, sizes[s], 1);
        for (size_t i = 0; i < sizes[s]; i++)
            ck_assert_double_eq(array_wide(array, i), values[i]);
    }
}

/* Rows as they come, of which the header tells in the end. */
TEST(npy_takes_rows_one_by_one)
{
    OWN(place_remove) place p = place_make();
    kedge_error err = {0};

    for (int wide = 0; wide < 2; wide++) {
        newfile f;

        ck_ok(newfile_open(&f, p.root, "a.npy", &err), err);
        ck_ok(npy_begin(&f, &err), err);
        for (size_t i = 0; i < 1000; i++)
            ck_ok(npy_row(&f, (double[]){(double)i, 0.1}, 2, wide, &err), err);
        ck_ok(npy_end(&f, 1000, 2, wide, &err), err);
        ck_ok(newfile_commit(&f, &err), err);
        OWNED uint8_t *array = file_array(p.root, "a.npy",
                                          wide ? "<f8" : "<f4", 1000, 2);
        for (size_t i = 0; i < 2000; i++) {
            const double x = i % 2 == 0 ? (double)(i / 2) : 0.1;
            ck_assert(wide ? array_wide(array, i) == x
                           : array_single(array, i) == (float)x);
        }
    }
}
