/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_NPY_H
#define EXPORT_NPY_H
/*
 * Matrices as NumPy's .npy, version 1.0: little-endian, C order, the numbers
 * beginning at a multiple of 64 bytes. On any machine the same bytes.
 *
 * Values are rows x cols, row-major; cols 0 stands for a vector of `rows`.
 */
#include <stdbool.h>

#include "export/newfile.h"

kedge_status npy_write_f64(newfile *f, const double *values, size_t rows,
                           size_t cols, kedge_error *err);
kedge_status npy_write_u64(newfile *f, const uint64_t *values, size_t rows,
                           size_t cols, kedge_error *err);

/* A matrix whose number of rows is not known before its end, in float64 where
 * `wide`, else in float32: npy_begin, rows, npy_end, which goes back and writes
 * the header. */
kedge_status npy_begin(newfile *f, kedge_error *err);
kedge_status npy_row(newfile *f, const double *values, size_t cols, bool wide,
                     kedge_error *err);
kedge_status npy_end(newfile *f, size_t rows, size_t cols, bool wide,
                     kedge_error *err);

#endif
