/* SPDX-License-Identifier: MIT */
/*
 * One pass, after Halko, Martinsson and Tropp (2011), section 5.5, with the
 * truncated core that makes it work on slowly decaying spectra. With the
 * symmetric N x N matrix C, known by Z = C Ω alone:
 *
 *   Z'Z = P S² P'            Gram matrix of the sketch, L x L
 *   Q = Z P_r S_r^-1         the r = L/3 leading left singular vectors
 *   B M = R                  in least squares, for a symmetric r x r core B,
 *   M = Q'Ω = S_r^-1 P_r' (Z'Ω),  R = Q'Z = S_r P_r'
 *
 * whose normal equations B (M M') + (M M') B = R M' + M R' are diagonal in the
 * eigenbasis of M M'. With B = E Λ E', the eigenvectors of C are V = Q E =
 * Z (P_r S_r^-1 E): Q is never formed. r < L makes the core overdetermined, by
 * a factor of three, which keeps the noise of the tail out of it.
 *
 * Both L x L matrices are symmetric (Z'Ω = Ω'CΩ), so only panels on and above
 * the diagonal are multiplied, and groups of rows (linalg/tall.h) are summed
 * apart and then added up in their order. Cost: 2 N L² operations and one more
 * N L K for the vectors; two sweeps over Z, no pass over documents.
 *
 * Held-out columns ω are independent of V, and E[ωω'] = I. So with the residual
 * x = C ω - V Λ V'ω, E|V'x|² = |C V - V Λ|² and E|x|² = |C - V Λ V'|², both
 * computed from the two L x L matrices.
 *
 * With weights. D Z = (D C D) (D^-1 Ω): the rows of Z times their weights are a
 * sketch of D C D, whose test matrix has rows of unequal variance. Q comes from
 * (D Z)'(D Z), and (D Z)'(D^-1 Ω) is Z'Ω as before, so that the formulas above
 * hold as they are, with Q'D^-1 Ω for M. What changes is their error. R = B M +
 * Q'DCD (I - QQ') D^-1 Ω, and the last term, noise, has the same covariance in
 * every column: least squares need no weights. But it is no longer uncorrelated
 * with M. E[noise M'] is L times Q'DCD (I - QQ') D^-2 Q, which is 0 for D = I
 * alone and as small as what Q leaves of D C D, otherwise. Solving with Q'DΩ as
 * instruments in M's place, (B M - R)(Q'DΩ)' = 0, removes this bias, for noise
 * that is much the worse: on a corpus of 3,400 documents V Λ V' was two to
 * twenty times as far off, while the plain core is nearly as good as that of a
 * sketch of D C D itself (tests/bench/weights.py).
 *
 * What helps there is a small ridge: of the eigenspace that the range has, and
 * a core without noise would find, it saves a tenth to a half of what is lost,
 * and eigenvalues come out 5 % too large where they were 10 %. Without weights
 * there is less noise, and a ridge does harm. Where Z has fewer than r
 * directions, there is no noise and no ridge.
 *
 * A held-out column D^-1 ω has E[D^-1 ωω'D^-1] = D^-2, so that the squares
 * above are those of D^-1 (D C D V - V Λ) and D^-1 (D C D - V Λ V'), of rows
 * divided by their weights. To be compared with eigenvalues, the first is
 * divided by the length that D^-1 V itself has, which is known from V'D^-1 ω.
 */
#include "cooccur/spectrum.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clones.h"
#include "base/fail.h"
#include "base/mem.h"
#include "cooccur/sign.h"
#include "linalg/blas.h"
#include "linalg/tall.h"

#define TILE (8 * SPECTRUM_PIECE) /* rows between two barriers */
#define PIECES 9                  /* that these are in, at most */
#define PANEL 192                 /* columns of a task's product */
#define RANK_FLOOR 1e-13 /* of Z'Z: below it singular values are noise */
#define METHOD 2 /* one more whenever the same rows give other bits */

/* Over this process's rows. */
typedef struct sweep {
    const spectrum_rows *z;
    pool *p;
    tall_part own;
    stage progress;
    size_t from, count;     /* the tile, from the first own row on */
    double *tile, *sign;    /* TILE x width; the test matrix only for sums */
    spectrum *out;
    double *vectors;        /* own rows x columns, */
    size_t columns;
    double *held[2];        /* columns x held-out ones: V'Z and V'Ω */
    kedge_status status[PIECES];
    kedge_error error[PIECES];
} sweep;

void spectrum_free(spectrum *s)
{
    mem_free_all(s->zz, s->zo, s->turn, s->values);
    *s = (spectrum){0};
}

static kedge_status sweep_open(sweep *s, const char *name, bool signs,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY_MEM(s->tile = mem_new2(TILE, s->z->width, sizeof *s->tile));
    if (signs)
        TRY_MEM(s->sign = mem_new2(TILE, s->z->width, sizeof *s->sign));
    s->progress = stage_begin(s->z->control, name, s->own.count, "rows");
out:
    return st;
}

/* A row of the test matrix: of Ω, or of D^-1 Ω. */
static void sweep_test_row(const spectrum_rows *z, size_t row, double *out)
{
    for (size_t l = 0; l < z->width; l += SIGN_TILE) {
        const uint64_t bits = sign_bits(z->key[row], l / SIGN_TILE);
        const size_t n = z->width - l < SIGN_TILE ? z->width - l : SIGN_TILE;
        for (unsigned c = 0; c < n; c++)
            out[l + c] = 2.0 * (double)((bits >> c) & 1) - 1.0;
    }
    for (size_t l = 0; z->weight != NULL && l < z->width; l++)
        out[l] /= z->weight[row];
}

/* Pieces end where chunks of SPECTRUM_PIECE rows do, of all. */
static size_t sweep_piece(const sweep *s, size_t piece, size_t *at)
{
    const size_t first = s->own.from + s->from;
    const size_t begin = (first / SPECTRUM_PIECE + piece) * SPECTRUM_PIECE;
    const size_t from = begin > first ? begin : first;
    const size_t left = begin + SPECTRUM_PIECE - from;

    *at = from - first;
    if (*at >= s->count)
        return 0;
    return s->count - *at < left ? s->count - *at : left;
}

static void sweep_read(void *data, size_t piece, unsigned worker)
{
    sweep *s = data;
    const size_t width = s->z->width, first = s->own.from + s->from;
    size_t at;
    const size_t n = sweep_piece(s, piece, &at);

    s->status[piece] = KEDGE_OK;
    if (n == 0)
        return;
    s->status[piece] = s->z->read(s->z->data, first + at, n, worker,
                                  s->tile + at * width, &s->error[piece]);
    for (size_t i = at; s->sign != NULL && i < at + n; i++)
        sweep_test_row(s->z, first + i, s->sign + i * width);
}

/* Panel p of Z'Z (even tasks) or Z'Ω (odd), from the diagonal to the right;
 * the longest first. */
static void sweep_multiply(void *data, size_t task, unsigned worker)
{
    sweep *s = data;
    const size_t width = s->z->width;
    const size_t at = task / 2 * PANEL;
    const size_t n = width - at < PANEL ? width - at : PANEL;
    double *out = (task % 2 == 0 ? s->out->zz : s->out->zo) + at * width + at;
    const double *right = task % 2 == 0 ? s->tile : s->sign;

    (void)worker;
    blas_gemm(true, false, n, width - at, s->count, 1, s->tile + at, width,
              right + at, width, 1, out, width);
}

static void sweep_project(void *data, size_t piece, unsigned worker)
{
    sweep *s = data;
    const size_t k = s->columns;
    size_t at;
    const size_t n = sweep_piece(s, piece, &at);

    (void)worker;
    if (n > 0)
        blas_gemm(false, false, n, k, s->out->used, 1,
                  s->tile + at * s->z->width, s->z->width, s->out->turn,
                  s->out->count, 0, s->vectors + (s->from + at) * k, k);
}

/* V'Z of the held-out columns, or V'Ω. */
static void sweep_hold(void *data, size_t task, unsigned worker)
{
    sweep *s = data;
    const size_t k = s->columns, used = s->out->used, l = s->z->width;

    (void)worker;
    blas_gemm(true, false, k, l - used, s->count, 1, s->vectors + s->from * k,
              k, (task == 0 ? s->tile : s->sign) + used, l, 1, s->held[task],
              l - used);
}

/* The rows before `end`, a tile after the other: each is read, and then worked
 * on by some tasks. */
static kedge_status sweep_run(sweep *s, size_t end, size_t tasks,
                              pool_task *work, kedge_error *err)
{
    while (s->from < end) {
        s->count = end - s->from < TILE ? end - s->from : TILE;
        pool_run(s->p, PIECES, sweep_read, s);
        for (size_t i = 0; i < PIECES; i++)
            if (s->status[i] != KEDGE_OK)
                return kedge_fail(err, s->status[i], "%s", s->error[i].text);
        pool_run(s->p, tasks, work, s);
        s->from += s->count;
        PASS(stage_reach(&s->progress, s->from, err));
    }
    return KEDGE_OK;
}

static void spectrum_mirror(double *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            a[i * n + j] = a[j * n + i];
}

size_t spectrum_used(size_t width)
{
    const size_t held_out = width >= 10 * SPECTRUM_HELD_OUT ? SPECTRUM_HELD_OUT
                            : width >= 20                   ? width / 10
                                                            : 2;

    return width - held_out;
}

kedge_status spectrum_create(const spectrum_rows *z, spectrum *out,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t width = z->width;

    *out = (spectrum){.width = width,
                      .used = spectrum_used(width),
                      .weighted = z->weight != NULL};
    TRY_MEM(out->zz = mem_new2(width, width, sizeof *out->zz));
    TRY_MEM(out->zo = mem_new2(width, width, sizeof *out->zo));
out:
    if (st != KEDGE_OK)
        spectrum_free(out);
    return st;
}

void spectrum_complete(spectrum *s)
{
    spectrum_mirror(s->zz, s->width);
    spectrum_mirror(s->zo, s->width);
}

void spectrum_arithmetic(char text[96])
{
    char version[64];

    blas_version(version);
    snprintf(text, 96, "%s, %s, %d by %d, %d", version, clones_level(), TILE,
             PANEL, METHOD);
}

/* ---- the first sweep ---------------------------------------------------- */

/* Both triangles, of Z'Z and then of Z'Ω, without what mirrors them. */
static size_t triangles(size_t width)
{
    return width * (width + 1);
}

static void triangle_pack(const double *square, size_t n, double *packed,
                          bool first)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++, packed++)
            *packed = first ? square[i * n + j] : *packed + square[i * n + j];
}

static void triangle_unpack(const double *packed, size_t n, double *square)
{
    for (size_t i = 0; i < n; i++, packed += n - i + 1)
        memcpy(square + i * n + i, packed, (n - i) * sizeof *square);
}

/* What groups of rows add to both matrices: of rank 0 to the sum itself, of
 * others to nothing yet, for what comes before is not there. */
typedef struct summing {
    sweep s;
    double *sum;   /* of all groups so far */
    double **kept; /* by own group, or NULL */
} summing;

/* The group's sums, in the room of the result. */
static kedge_status summing_group(summing *g, size_t group, kedge_error *err)
{
    sweep *const s = &g->s;
    const size_t width = s->z->width, tasks = 2 * ((width + PANEL - 1) / PANEL);
    double *const to =
        g->kept != NULL ? g->kept[group - s->own.first] : g->sum;
    const bool first = g->kept != NULL || group == 0;

    memset(s->out->zz, 0, width * width * sizeof *s->out->zz);
    memset(s->out->zo, 0, width * width * sizeof *s->out->zo);
    PASS(sweep_run(s, tall_at(&s->own, group + 1), tasks, sweep_multiply, err));
    triangle_pack(s->out->zz, width, to, first);
    triangle_pack(s->out->zo, width, to + triangles(width) / 2, first);
    return KEDGE_OK;
}

/* The own groups, after those before. */
static void summing_add(void *data, void *value)
{
    const summing *const g = data;
    const size_t size = triangles(g->s.z->width);
    double *const sum = value;

    for (size_t i = 0; g->kept != NULL && i < g->s.own.end - g->s.own.first;
         i++)
        for (size_t c = 0; c < size; c++)
            sum[c] += g->kept[i][c];
}

kedge_status spectrum_gram(const spectrum_rows *z, pool *p, spectrum *out,
                           kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t width = z->width, size = triangles(width);
    const tall_part own = tall_own(p, z->rows);
    const size_t groups = own.end - own.first;
    summing g = {.s = {.z = z, .p = p, .own = own, .out = out}};

    TRY(spectrum_create(z, out, err));
    TRY(sweep_open(&g.s, "spectrum", true, err));
    TRY_MEM(g.sum = mem_new(size, sizeof *g.sum));
    if (comm_rank(pool_comm(p)) > 0)
        TRY_MEM(g.kept = mem_new(groups, sizeof *g.kept));
    for (size_t i = 0; g.kept != NULL && i < groups; i++)
        TRY_MEM(g.kept[i] = mem_new(size, sizeof **g.kept));
    for (size_t i = 0; i < groups; i++)
        TRY(summing_group(&g, own.first + i, err));
    comm_reduce(pool_comm(p), g.sum, size * sizeof *g.sum, summing_add, &g);
    triangle_unpack(g.sum, width, out->zz);
    triangle_unpack(g.sum + size / 2, width, out->zo);
    spectrum_complete(out);
out:
    for (size_t i = 0; g.kept != NULL && i < groups; i++)
        mem_free(g.kept[i]);
    mem_free_all(g.kept, g.sum, g.s.tile, g.s.sign);
    if (st != KEDGE_OK)
        spectrum_free(out);
    return st;
}

size_t spectrum_limit(size_t width)
{
    return spectrum_used(width) / 3;
}

/* Of the leading used x used part of Z'Z. w (r x used): rows are P_j / s_j;
 * root: the s_j. *rank falls to what is not noise. */
static kedge_status spectrum_range(const spectrum *s, size_t *rank, double *w,
                                   double *root, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t used = s->used;
    double *gram = NULL;
    size_t r = 0;

    TRY_MEM(gram = mem_new2(used, used, sizeof *gram));
    for (size_t i = 0; i < used; i++)
        memcpy(gram + i * used, s->zz + i * s->width, used * sizeof *gram);
    TRY(blas_eigen_top(gram, used, *rank, root, w, err));
    for (; r < *rank && root[r] > RANK_FLOOR * root[0]; r++) {
        root[r] = sqrt(root[r]);
        for (size_t l = 0; l < used; l++)
            w[r * used + l] /= root[r];
    }
    *rank = r;
out:
    mem_free(gram);
    return st;
}

/* Solves B X + X B + 2 ridge B = S + S' for symmetric B, with X = M M' (both
 * r x r and overwritten) and the ridge a share of X's mean eigenvalue: in X's
 * eigenbasis each entry is a division. B lands in s. */
static kedge_status spectrum_core(double *x, double *s, size_t r, double share,
                                  double *scratch, double *values,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double ridge = 0;

    for (size_t i = 0; i < r; i++)
        ridge += share * x[i * r + i] / (double)r;
    TRY(blas_eigen(x, r, values, err));
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j <= i; j++)
            s[i * r + j] = s[j * r + i] = s[i * r + j] + s[j * r + i];
    blas_gemm(false, false, r, r, r, 1, x, r, s, r, 0, scratch, r);
    blas_gemm(false, true, r, r, r, 1, scratch, r, x, r, 0, s, r);
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < r; j++)
            s[i * r + j] /= fmax(values[i] + values[j] + 2 * ridge,
                                 1e-300 + 1e-14 * values[r - 1]);
    blas_gemm(true, false, r, r, r, 1, x, r, s, r, 0, scratch, r);
    blas_gemm(false, false, r, r, r, 1, scratch, r, x, r, 0, s, r);
    spectrum_mirror(s, r);
out:
    return st;
}

kedge_status spectrum_solve(spectrum *s, double ridge, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t used = s->used;
    size_t r = spectrum_limit(s->width);
    double *w = NULL, *root = NULL, *m = NULL;
    double *square = NULL, *core = NULL, *scratch = NULL;

    TRY_MEM(w = mem_new2(r, used, sizeof *w));
    TRY_MEM(m = mem_new2(r, used, sizeof *m));
    TRY_MEM(root = mem_new(used, sizeof *root));
    TRY(spectrum_range(s, &r, w, root, err));
    TRY_MEM(square = mem_new2(r, r, sizeof *square));
    TRY_MEM(core = mem_new2(r, r, sizeof *core));
    TRY_MEM(scratch = mem_new2(r, r, sizeof *scratch));
    TRY_MEM(s->values = mem_new(r, sizeof *s->values));
    TRY_MEM(s->turn = mem_new2(used, r, sizeof *s->turn));
    /* W = S^-1 P', M = W (Z'Ω), R = S P' = S² W: M M' and R M' */
    blas_gemm(false, false, r, used, used, 1, w, used, s->zo, s->width, 0, m,
              used);
    blas_gemm(false, true, r, r, used, 1, m, used, m, used, 0, square, r);
    blas_gemm(false, true, r, r, used, 1, w, used, m, used, 0, core, r);
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < r; j++)
            core[i * r + j] *= root[i] * root[i];
    if (r < spectrum_limit(s->width))
        ridge = 0;
    TRY(spectrum_core(square, core, r, ridge, scratch, root, err));
    TRY(blas_eigen_top(core, r, r, s->values, scratch, err));
    blas_gemm(true, true, used, r, r, 1, w, used, scratch, r, 0, s->turn, r);
    s->count = r;
out:
    mem_free_all(w, m, root, square, core, scratch);
    return st;
}

kedge_status spectrum_vectors(const spectrum *s, const spectrum_rows *z,
                              size_t count, pool *p, double *vectors,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    sweep w = {.z = z, .p = p, .own = tall_own(p, z->rows),
               .out = (spectrum *)s, .vectors = vectors, .columns = count};

    if (count > s->count && s->count < spectrum_limit(s->width))
        return kedge_fail(err, KEDGE_EINVAL,
                          "%zu topics are more than these documents can tell "
                          "apart: their co-occurrence has rank %zu",
                          count, s->count);
    if (count > s->count)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%zu topics need a wider sketch: this one of %zu "
                          "columns gives %zu eigenvectors at most; ingest with "
                          "--sketch-size %zu or more",
                          count, s->width, s->count,
                          10 * count > s->width ? 10 * count : 3 * s->width);
    TRY(sweep_open(&w, "eigenvectors", false, err));
    for (size_t group = w.own.first; group < w.own.end; group++)
        TRY(sweep_run(&w, tall_at(&w.own, group + 1), PIECES, sweep_project,
                      err));
out:
    mem_free(w.tile);
    return st;
}

kedge_status spectrum_range_vectors(const spectrum *s, const spectrum_rows *z,
                                    size_t *count, pool *p, double *vectors,
                                    kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t used = s->used;
    double *w = NULL, *root = NULL;
    spectrum turned = {.width = s->width, .used = used};

    *count = *count < used ? *count : used;
    TRY_MEM(w = mem_new2(*count, used, sizeof *w));
    TRY_MEM(root = mem_new(used, sizeof *root));
    TRY(spectrum_range(s, count, w, root, err));
    TRY_MEM(turned.turn = mem_new2(used, *count, sizeof *turned.turn));
    turned.count = *count;
    for (size_t i = 0; i < *count; i++)
        for (size_t l = 0; l < used; l++)
            turned.turn[l * *count + i] = w[i * used + l];
    TRY(spectrum_vectors(&turned, z, *count, p, vectors, err));
out:
    spectrum_free(&turned);
    mem_free_all(w, root);
    return st;
}

/* The mean square of D^-1 V's columns, by the squares of their values: 1
 * without weights. */
static double spectrum_length(const spectrum *s, size_t count,
                              const double *values, const double *vo)
{
    const size_t held = s->width - s->used;
    double sum = 0, norm = 0;

    if (!s->weighted)
        return 1;
    for (size_t i = 0; i < count; i++) {
        norm += (double)held * values[i] * values[i];
        for (size_t h = 0; h < held; h++)
            sum += values[i] * values[i] * vo[i * held + h] * vo[i * held + h];
    }
    return sum > 0 ? sum / norm : 1;
}

/* From V'Z and V'Ω of the held-out columns (rows of length `held`). */
static void spectrum_judge(const spectrum *s, size_t count,
                           const double *values, const double *vz,
                           const double *vo, spectrum_error *out)
{
    const size_t held = s->width - s->used;
    double inside = 0, all = 0, rest = 0, norm = 0;

    for (size_t i = 0; i < count; i++)
        norm += values[i] * values[i];
    for (size_t h = 0; h < held; h++) {
        const double zz = s->zz[(s->used + h) * s->width + s->used + h];
        all += zz;
        rest += zz;
        for (size_t i = 0; i < count; i++) {
            const double z = vz[i * held + h];
            const double e = z - values[i] * vo[i * held + h];
            inside += e * e;
            rest += e * e - z * z;
        }
    }
    out->residual = sqrt(inside / (double)held /
                         spectrum_length(s, count, values, vo));
    out->eigenspace = out->residual / sqrt(fmax(norm, 1e-300));
    out->gap = values[count - 1] > 1e-12 * values[0]
                   ? out->residual / values[count - 1]
                   : INFINITY;
    out->unexplained = sqrt(fmax(rest, 0) / fmax(all, 1e-300));
}

kedge_status spectrum_estimate(const spectrum *s, size_t count,
                               spectrum_error *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t held = s->width - s->used, k = s->count, l = s->width;
    double *vz = NULL, *vo = NULL;

    TRY_MEM(vz = mem_new2(k, held, sizeof *vz));
    TRY_MEM(vo = mem_new2(k, held, sizeof *vo));
    blas_gemm(true, false, k, held, s->used, 1, s->turn, k, s->zz + s->used, l,
              0, vz, held);
    blas_gemm(true, false, k, held, s->used, 1, s->turn, k, s->zo + s->used, l,
              0, vo, held);
    spectrum_judge(s, count, s->values, vz, vo, out);
out:
    mem_free_all(vz, vo);
    return st;
}

kedge_status spectrum_measure(const spectrum *s, const spectrum_rows *z,
                              size_t count, const double *vectors,
                              const double *values, pool *p,
                              spectrum_error *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t held = s->width - s->used;
    sweep w = {.z = z, .p = p, .own = tall_own(NULL, z->rows),
               .out = (spectrum *)s, .vectors = (double *)vectors,
               .columns = count};

    TRY(sweep_open(&w, "accuracy", true, err));
    for (size_t i = 0; i < 2; i++)
        TRY_MEM(w.held[i] = mem_new2(count, held, sizeof **w.held));
    TRY(sweep_run(&w, z->rows, 2, sweep_hold, err));
    spectrum_judge(s, count, values, w.held[0], w.held[1], out);
out:
    mem_free_all(w.tile, w.sign, w.held[0], w.held[1]);
    return st;
}
