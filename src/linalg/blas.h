/* SPDX-License-Identifier: MIT */
#ifndef LINALG_BLAS_H
#define LINALG_BLAS_H
/*
 * BLAS and LAPACK, for this folder alone to know. Matrices are row-major with
 * a leading dimension in elements; sizes are checked against the 32-bit
 * integers of the libraries. Every call runs on the calling thread: results
 * then depend on shapes alone, not on how many threads there are.
 */
#include <stdbool.h>
#include <stddef.h>

#include <kedge/status.h>

/*
 * Comes before any other call here, and blas_end after the last one, even where
 * this one failed. In between the BLAS is single-threaded, in the whole
 * process, and at most `threads` threads of the caller's call it at the same
 * time.
 *
 * ENOMEM where there is no address space for the buffers of so many threads:
 * OpenBLAS itself would ask the system for one again and again, for ever. So it
 * makes them all here, and keeps them.
 */
kedge_status blas_begin(unsigned threads, kedge_error *err);
void blas_end(void);

/* "openblas 0.3.21 (Haswell)", for people. */
void blas_version(char text[64]);

/* c (m x n) = alpha op(a) op(b) + beta c; op(a) is m x k. */
void blas_gemm(bool transpose_a, bool transpose_b, size_t m, size_t n,
               size_t k, double alpha, const double *a, size_t lda,
               const double *b, size_t ldb, double beta, double *c,
               size_t ldc);

/* The same in single precision. */
void blas_gemm_single(bool transpose_a, bool transpose_b, size_t m, size_t n,
                      size_t k, float alpha, const float *a, size_t lda,
                      const float *b, size_t ldb, float beta, float *c,
                      size_t ldc);

/* y += op(a) x; a is m x n. */
void blas_gemv(bool transpose_a, size_t m, size_t n, const double *a,
               size_t lda, const double *x, double *y);

/* The upper half of c (n x n) = a'a + beta c; a is k x n. */
void blas_square(size_t n, size_t k, const double *a, size_t lda, double beta,
                 double *c, size_t ldc);

/* Symmetric a (n x n): eigenvalues rising, row j of `a` becomes the j-th
 * eigenvector. ENUMERIC when LAPACK fails or `a` is not finite. */
kedge_status blas_eigen(double *a, size_t n, double *values, kedge_error *err);

/* The same for the `count` largest; row j of `vectors` (count x n) is the
 * eigenvector of values[j], falling. `a` is overwritten. */
kedge_status blas_eigen_top(double *a, size_t n, size_t count, double *values,
                            double *vectors, kedge_error *err);

/* Cholesky a = R'R of a symmetric positive definite a (n x n): upper R in
 * place, zeros below. ENUMERIC when it is not definite. */
kedge_status blas_cholesky(double *a, size_t n, kedge_error *err);

/* x (m x n) = x R^-1 with upper triangular R (n x n). */
void blas_solve_right_upper(size_t m, size_t n, const double *r, size_t ldr,
                            double *x, size_t ldx);

/* Inverse of any a (n x n), in place. ENUMERIC where it has none. */
kedge_status blas_invert(double *a, size_t n, kedge_error *err);

/* Inverse of a symmetric positive definite a (n x n), in place, full. */
kedge_status blas_invert_definite(double *a, size_t n, kedge_error *err);

#endif
