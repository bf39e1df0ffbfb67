/* SPDX-License-Identifier: MIT */
#include "linalg/blas.h"

#include <assert.h>
#include <cblas.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/fail.h"
#include "base/mem.h"

#define BUFFER_BYTES ((size_t)130 << 20) /* OpenBLAS's, a thread, rounded up */
#define THREADS_MOST 256 /* of a pool */

/* What OpenBLAS takes its buffers with: not in its headers, but in every build
 * of it so far. Weak, so that one without them would do. */
void *blas_memory_alloc(int position) __attribute__((weak));
void blas_memory_free(void *buffer) __attribute__((weak));

/* Callers keep to tiles and small square matrices, so a size beyond 31 bits is
 * a mistake of the program. */
static int blas_int(size_t n)
{
    assert(n <= INT_MAX);
    return (int)n;
}

/* Of the whole process, as the BLAS's number of threads and its buffers are. */
static struct {
    pthread_mutex_t lock;
    unsigned holders;
    int before;
    unsigned buffers; /* that it has */
} single = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool blas_has_room(unsigned buffers)
{
    const size_t bytes = buffers * BUFFER_BYTES;
    void *const room = mmap(NULL, bytes, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                            0);

    if (room == MAP_FAILED)
        return false;
    munmap(room, bytes);
    return true;
}

/* All at the same time, or it would give the same one again. */
static bool blas_make_buffers(unsigned count)
{
    void *buffer[THREADS_MOST];
    unsigned made = 0;

    if (!blas_has_room(count - single.buffers))
        return false;
    if (blas_memory_alloc == NULL || blas_memory_free == NULL)
        return true;
    for (; made < count; made++)
        if ((made >= single.buffers && !blas_has_room(1)) ||
            (buffer[made] = blas_memory_alloc(0)) == NULL)
            break;
    for (unsigned i = 0; i < made; i++)
        blas_memory_free(buffer[i]);
    single.buffers = made > single.buffers ? made : single.buffers;
    return made == count;
}

kedge_status blas_begin(unsigned threads, kedge_error *err)
{
    bool fits = true;

    pthread_mutex_lock(&single.lock);
    if (single.holders++ == 0) {
        single.before = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
    threads = threads < THREADS_MOST ? threads : THREADS_MOST;
    if (threads > single.buffers)
        fits = blas_make_buffers(threads);
    pthread_mutex_unlock(&single.lock);
    return fits ? KEDGE_OK
                : kedge_fail(err, KEDGE_ENOMEM,
                             "out of address space: OpenBLAS needs %zu MB of "
                             "it for %u %s; raise the limit (ulimit -v)%s",
                             threads * BUFFER_BYTES >> 20, threads,
                             threads == 1 ? "thread" : "threads",
                             threads == 1 ? "" : " or use fewer threads "
                                                 "(--threads)");
}

void blas_end(void)
{
    pthread_mutex_lock(&single.lock);
    assert(single.holders > 0);
    if (--single.holders == 0)
        openblas_set_num_threads(single.before);
    pthread_mutex_unlock(&single.lock);
}

void blas_version(char text[64])
{
    char version[32] = "";

    /* "OpenBLAS 0.3.21 NO_LAPACKE ..." */
    (void)sscanf(openblas_get_config(), "OpenBLAS %31s", version);
    snprintf(text, 64, "openblas %s (%.20s)", version,
             openblas_get_corename());
}

void blas_gemm(bool transpose_a, bool transpose_b, size_t m, size_t n,
               size_t k, double alpha, const double *a, size_t lda,
               const double *b, size_t ldb, double beta, double *c, size_t ldc)
{
    if (m == 0 || n == 0)
        return;
    cblas_dgemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans,
                transpose_b ? CblasTrans : CblasNoTrans, blas_int(m),
                blas_int(n), blas_int(k), alpha, a, blas_int(lda), b,
                blas_int(ldb), beta, c, blas_int(ldc));
}

void blas_gemm_single(bool transpose_a, bool transpose_b, size_t m, size_t n,
                      size_t k, float alpha, const float *a, size_t lda,
                      const float *b, size_t ldb, float beta, float *c,
                      size_t ldc)
{
    if (m == 0 || n == 0)
        return;
    cblas_sgemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans,
                transpose_b ? CblasTrans : CblasNoTrans, blas_int(m),
                blas_int(n), blas_int(k), alpha, a, blas_int(lda), b,
                blas_int(ldb), beta, c, blas_int(ldc));
}

void blas_gemv(bool transpose_a, size_t m, size_t n, const double *a,
               size_t lda, const double *x, double *y)
{
    if (m == 0 || n == 0)
        return;
    cblas_dgemv(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans,
                blas_int(m), blas_int(n), 1, a, blas_int(lda), x, 1, 1, y, 1);
}

void blas_square(size_t n, size_t k, const double *a, size_t lda, double beta,
                 double *c, size_t ldc)
{
    if (n == 0)
        return;
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, blas_int(n),
                blas_int(k), 1, a, blas_int(lda), beta, c, blas_int(ldc));
}

/* The one place that turns LAPACK's codes into ours. */
static kedge_status blas_status(const char *routine, lapack_int info,
                                kedge_error *err)
{
    if (info == 0)
        return KEDGE_OK;
    if (info == LAPACK_WORK_MEMORY_ERROR ||
        info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (%s)", routine);
    return kedge_fail(err, KEDGE_ENUMERIC, "%s failed with info %d", routine,
                      (int)info);
}

static bool blas_finite(const double *a, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += 0 * a[i];
    return sum == 0;
}

/* Row-major lower is column-major upper: LAPACK reads the symmetric matrix
 * without a transposition, and its columns of vectors are our rows. */
kedge_status blas_eigen(double *a, size_t n, double *values, kedge_error *err)
{
    if (!blas_finite(a, n * n))
        return kedge_fail(err, KEDGE_ENUMERIC,
                          "a matrix to decompose is not finite");
    return blas_status("dsyevd",
                       LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', blas_int(n),
                                      a, blas_int(n), values),
                       err);
}

static void blas_reverse_rows(double *rows, size_t count, size_t n,
                              double *values)
{
    for (size_t i = 0; i < count / 2; i++) {
        double *low = rows + i * n, *high = rows + (count - 1 - i) * n;
        const double value = values[i];
        for (size_t j = 0; j < n; j++) {
            const double keep = low[j];
            low[j] = high[j];
            high[j] = keep;
        }
        values[i] = values[count - 1 - i];
        values[count - 1 - i] = value;
    }
}

kedge_status blas_eigen_top(double *a, size_t n, size_t count, double *values,
                            double *vectors, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    lapack_int found = 0, *support = NULL;
    double *all = NULL;

    if (!blas_finite(a, n * n))
        return kedge_fail(err, KEDGE_ENUMERIC,
                          "a matrix to decompose is not finite");
    TRY_MEM(support = mem_new(2 * count + 2, sizeof *support));
    TRY_MEM(all = mem_new(n, sizeof *all));
    TRY(blas_status("dsyevr",
                    LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'U',
                                   blas_int(n), a, blas_int(n), 0, 0,
                                   blas_int(n - count + 1), blas_int(n), 0,
                                   &found, all, vectors, blas_int(n), support),
                    err));
    memcpy(values, all, count * sizeof *values);
    blas_reverse_rows(vectors, count, n, values);
out:
    mem_free_all(support, all);
    return st;
}

kedge_status blas_cholesky(double *a, size_t n, kedge_error *err)
{
    const lapack_int info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', blas_int(n),
                                           a, blas_int(n));

    if (info > 0)
        return kedge_fail(err, KEDGE_ENUMERIC,
                          "a Gram matrix of order %zu is not definite at %d",
                          n, (int)info);
    for (size_t i = 0; i < n; i++)
        memset(a + i * n, 0, i * sizeof *a);
    return blas_status("dpotrf", info, err);
}

void blas_solve_right_upper(size_t m, size_t n, const double *r, size_t ldr,
                            double *x, size_t ldx)
{
    if (m == 0 || n == 0)
        return;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans,
                CblasNonUnit, blas_int(m), blas_int(n), 1, r, blas_int(ldr), x,
                blas_int(ldx));
}

kedge_status blas_invert(double *a, size_t n, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    lapack_int *turn = NULL;

    TRY_MEM(turn = mem_new(n, sizeof *turn));
    TRY(blas_status("dgetrf",
                    LAPACKE_dgetrf(LAPACK_COL_MAJOR, blas_int(n), blas_int(n),
                                   a, blas_int(n), turn),
                    err));
    TRY(blas_status("dgetri",
                    LAPACKE_dgetri(LAPACK_COL_MAJOR, blas_int(n), a,
                                   blas_int(n), turn),
                    err));
out:
    mem_free(turn);
    return st;
}

kedge_status blas_invert_definite(double *a, size_t n, kedge_error *err)
{
    PASS(blas_cholesky(a, n, err));
    PASS(blas_status("dpotri",
                    LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', blas_int(n), a,
                                   blas_int(n)),
                    err));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            a[i * n + j] = a[j * n + i];
    return KEDGE_OK;
}
