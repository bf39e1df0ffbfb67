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

#include "base/pool.h"

/* Makes the BLAS single-threaded, until as many calls of the other give it back
 * the threads that it had before the first. By any thread, whatever others do:
 * the BLAS has one number for all of them. */
void blas_single_thread(void);
void blas_restore_threads(void);

/* Lets OpenBLAS take its buffer for each of the pool's threads. Later, without
 * address space for one, it would try again for ever; now it is ENOMEM. */
kedge_status blas_claim_buffers(pool *p, kedge_error *err);

/* ENOMEM where there is no address space for those of so many threads, for who
 * takes them just now. */
kedge_status blas_check_room(unsigned threads, kedge_error *err);

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
