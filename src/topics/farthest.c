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
#include "topics/farthest.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "linalg/blas.h"
#include "linalg/small.h"

#define PIECE 1024
#define GAIN 1e-9         /* farther by less is as far */
#define TILE_ROWS 512
#define TILE_COLUMNS 64   /* one sign a bit */

/* ---- the clean-up -------------------------------------------------------- */

typedef struct farthest_job {
    const anchors_input *in;
    const double *normal; /* k */
    double *far;          /* by piece: the farthest there, */
    size_t *place;        /* and its place among the candidates */
} farthest_job;

static double farthest_along(const double *x, const double *normal, size_t k)
{
    double along = 0;

    for (size_t c = 0; c < k; c++)
        along += x[c] * normal[c];
    return fabs(along);
}

static void farthest_piece(void *data, size_t piece, unsigned worker)
{
    const farthest_job *j = data;
    const anchors_input *in = j->in;
    const size_t from = piece * PIECE;
    const size_t end =
        in->candidates - from < PIECE ? in->candidates : from + PIECE;

    (void)worker;
    j->far[piece] = -1;
    for (size_t i = from; i < end; i++) {
        const double far = farthest_along(in->x + in->candidate[i] * in->k,
                                          j->normal, in->k);
        if (far > j->far[piece]) {
            j->far[piece] = far;
            j->place[piece] = i;
        }
    }
}

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

/* The candidate that is farthest along the normal of anchor i: its place. */
static size_t farthest_find(pool *p, const farthest_job *j, double *far)
{
    const size_t pieces = (j->in->candidates + PIECE - 1) / PIECE;
    size_t best = 0;

    pool_run(p, pieces, farthest_piece, (void *)j);
    for (size_t b = 1; b < pieces; b++)
        if (j->far[b] > j->far[best])
            best = b;
    *far = j->far[best];
    return j->place[best];
}

static double farthest_length(const double *w, size_t k, size_t i)
{
    double sum = 0;

    for (size_t c = 0; c < k; c++)
        sum += w[c * k + i] * w[c * k + i];
    return sqrt(sum);
}

kedge_status farthest_clean(pool *p, const anchors_input *in, uint64_t *anchor,
                            double *residual, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k, pieces = (in->candidates + PIECE - 1) / PIECE;
    double *a = NULL, *w = NULL, *normal = NULL, far;
    farthest_job j = {.in = in};

    TRY_MEM(a = mem_new2(k, k, sizeof *a));
    TRY_MEM(w = mem_new2(k, k, sizeof *w));
    TRY_MEM(normal = mem_new(k, sizeof *normal));
    TRY_MEM(j.far = mem_new(pieces, sizeof *j.far));
    TRY_MEM(j.place = mem_new(pieces, sizeof *j.place));
    j.normal = normal;
    for (size_t i = 0; i < k; i++)
        memcpy(a + i * k, in->x + anchor[i] * k, k * sizeof *a);
    if (!small_invert(a, w, k))
        TRY(kedge_fail(err, KEDGE_ENUMERIC,
                       "the rows of %zu anchors depend on each other; fit "
                       "fewer topics", k));
    for (size_t i = 0; i < k; i++) {
        for (size_t c = 0; c < k; c++)
            normal[c] = w[c * k + i];
        const size_t place = farthest_find(p, &j, &far);
        if (far > 1 + GAIN) {
            anchor[i] = in->candidate[place];
            farthest_replace(w, k, i, in->x + anchor[i] * k, normal);
        }
    }
    for (size_t i = 0; i < k; i++)
        residual[i] = 1 / farthest_length(w, k, i);
out:
    mem_free(a);
    mem_free(w);
    mem_free(normal);
    mem_free(j.far);
    mem_free(j.place);
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

/* Signs of a tile of rows and up to TILE_COLUMNS columns, row-major. */
static void project_signs(const project_job *j, size_t from, size_t count,
                          size_t tile, size_t width, double *signs)
{
    const size_t tiles = (j->columns + TILE_COLUMNS - 1) / TILE_COLUMNS;

    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = hash_stream(j->key, (from + i) * tiles + tile);
        for (size_t c = 0; c < width; c++)
            signs[i * width + c] = (bits >> c & 1) != 0 ? 1 : -1;
    }
}

static void project_tile(void *data, size_t tile, unsigned worker)
{
    const project_job *j = data;
    const size_t first = tile * TILE_COLUMNS;
    const size_t width = j->columns - first < TILE_COLUMNS
                             ? j->columns - first
                             : TILE_COLUMNS;
    double *signs = j->scratch + worker * TILE_ROWS * TILE_COLUMNS;

    for (size_t from = 0; from < j->rows; from += TILE_ROWS) {
        const size_t count =
            j->rows - from < TILE_ROWS ? j->rows - from : TILE_ROWS;
        project_signs(j, from, count, tile, width, signs);
        blas_gemm(true, false, j->k, width, count, 1, j->y + from * j->k,
                  j->k, signs, width, from > 0, j->yp + first, j->columns);
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
    mem_free(j.yp);
    mem_free(j.scratch);
    return st;
}
