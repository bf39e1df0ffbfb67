/* SPDX-License-Identifier: MIT */
#ifndef REPORT_NPY_H
#define REPORT_NPY_H
/*
 * Matrices as NumPy's .npy, version 1.0: little-endian, C order, the numbers
 * beginning at a multiple of 64 bytes. On any machine the same bytes.
 *
 * Values are rows x cols, row-major; cols 0 stands for a vector of `rows`.
 * false when a write failed, and errno says why; what still lies in the
 * stream's buffer is for the caller to flush and check.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A matrix whose number of rows is not known before its end, in float64 where
 * `wide`, else in float32: npy_begin, rows, npy_end, which goes back and writes
 * the header. The file can be moved in. */
bool npy_begin(FILE *out);
bool npy_row(FILE *out, const double *values, size_t cols, bool wide);
bool npy_end(FILE *out, size_t rows, size_t cols, bool wide);

bool npy_write_f64(FILE *out, const double *values, size_t rows, size_t cols);
bool npy_write_u64(FILE *out, const uint64_t *values, size_t rows,
                   size_t cols);

#endif
