/* SPDX-License-Identifier: MIT */
/*
 * FastAnchorWords (paper "A Practical Algorithm for Topic Modeling with
 * Provable Guarantees", Algorithm 4). Its first phase, farthest from the span
 * of those found so far, is pivoted QR.
 *
 * The clean-up: with X_S the anchors' rows and W = X_S^-1, column i of W is
 * normal to all anchors but the i-th, so a row x is |x W_i| / |W_i| from their
 * span. When u takes the place of anchor i,
 *
 *   W_i <- W_i / (u W_i),  W_j <- W_j - W_i (u W_j)   (j other than i)
 *
 * and since u is the farthest, |u W_i| is at least 1, that of the anchor
 * itself: the volume that the anchors span never falls, and nothing is divided
 * by what is small. k sweeps over the candidates of k multiply-adds a row.
 *
 * The random projection: the rows of C̄ = diag(d)^-1 Y Y' times signs P are
 * diag(d)^-1 Y (Y'P), whose inner products need the k x k matrix Y'PP'Y alone.
 * So rows of k numbers have all distances of the projected rows, however many
 * columns P has, and P is made as it is needed, TILE_ROWS x TILE_COLUMNS at a
 * time. Rows of Y themselves have the exact distances in k dimensions: a
 * projection only adds noise to them, and is here for comparison.
 */
#include "topics/anchors.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "linalg/blas.h"
#include "linalg/small.h"

#define GAIN 1e-9         /* farther by less is as far */
#define TILE_ROWS 512
#define TILE_COLUMNS 64   /* one sign a bit */

/* ---- the clean-up -------------------------------------------------------- */

/* Row u takes the place of anchor i; `along` (k) is scratch. */
static void farthest_replace(double *w, size_t k, size_t i, const double *u,
                             double *along)
{
    memset(along, 0, k * sizeof *along);
    for (size_t c = 0; c < k; c++)
        for (size_t j = 0; j < k; j++)
            along[j] += u[c] * w[c * k + j];
    for (size_t c = 0; c < k; c++) {
        const double own = w[c * k + i] / along[i];
        for (size_t j = 0; j < k; j++)
            w[c * k + j] -= own * along[j];
        w[c * k + i] = own;
    }
}

kedge_status farthest_clean(pool *p, const anchors_input *in, uint64_t *anchor,
                            double *residual, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k, n = in->candidates;
    double *a = NULL, *w = NULL, *normal = NULL, *along = NULL;

    TRY_MEM(a = mem_new2(k, k, sizeof *a));
    TRY_MEM(w = mem_new2(k, k, sizeof *w));
    TRY_MEM(normal = mem_new(k, sizeof *normal));
    TRY_MEM(along = mem_new(n, sizeof *along));
    for (size_t i = 0; i < k; i++)
        memcpy(a + i * k, in->x + anchor[i] * k, k * sizeof *a);
    if (!small_invert(a, w, k))
        TRY(kedge_fail(err, KEDGE_ENUMERIC,
                       "the rows of %zu anchors depend on each other; fit "
                       "fewer topics", k));
    for (size_t i = 0; i < k; i++) {
        for (size_t c = 0; c < k; c++)
            normal[c] = w[c * k + i];
        anchors_along(p, in, normal, along);
        for (size_t c = 0; c < n; c++)
            along[c] = fabs(along[c]);
        const size_t place = anchors_largest(along, n);
        if (along[place] > 1 + GAIN) {
            anchor[i] = in->candidate[place];
            farthest_replace(w, k, i, in->x + anchor[i] * k, normal);
        }
    }
    for (size_t i = 0; i < k; i++) {
        double length = 0;
        for (size_t c = 0; c < k; c++)
            length += w[c * k + i] * w[c * k + i];
        residual[i] = 1 / sqrt(length);
    }
out:
    mem_free_all(a, w, normal, along);
    return st;
}

/* ---- the projection ------------------------------------------------------ */

typedef struct project_job {
    size_t rows, k, columns;
    const double *y;
    uint64_t key;
    double *scratch; /* for each worker: signs of a tile */
    double *yp;      /* k x columns */
} project_job;

static void project_tile(void *data, size_t tile, unsigned worker)
{
    const project_job *j = data;
    const size_t tiles = (j->columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
    const size_t first = tile * TILE_COLUMNS, k = j->k;
    const size_t width = j->columns - first < TILE_COLUMNS
                             ? j->columns - first
                             : TILE_COLUMNS;
    double *signs = j->scratch + worker * TILE_ROWS * TILE_COLUMNS;

    for (size_t from = 0; from < j->rows; from += TILE_ROWS) {
        const size_t count =
            j->rows - from < TILE_ROWS ? j->rows - from : TILE_ROWS;
        for (size_t i = 0; i < count; i++) {
            const uint64_t bits =
                hash_stream(j->key, (from + i) * tiles + tile);
            for (size_t c = 0; c < width; c++)
                signs[i * width + c] = (bits >> c & 1) != 0 ? 1 : -1;
        }
        blas_gemm(true, false, k, width, count, 1, j->y + from * k, k, signs,
                  width, from > 0, j->yp + first, j->columns);
    }
}

kedge_status farthest_project(pool *p, size_t rows, const double *y, size_t k,
                              size_t columns, uint64_t seed, double *gram,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    project_job j = {.rows = rows, .k = k, .columns = columns, .y = y,
                     .key = hash_mix(seed + HASH_GOLDEN)};

    TRY_MEM(j.yp = mem_new2(k, columns, sizeof *j.yp));
    TRY_MEM(j.scratch = mem_new2(pool_threads(p), TILE_ROWS * TILE_COLUMNS,
                                 sizeof *j.scratch));
    pool_run(p, (columns + TILE_COLUMNS - 1) / TILE_COLUMNS, project_tile, &j);
    blas_gemm(false, true, k, k, columns, 1 / (double)columns, j.yp, columns,
              j.yp, columns, 0, gram, k);
out:
    mem_free_all(j.yp, j.scratch);
    return st;
}
