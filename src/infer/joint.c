/* SPDX-License-Identifier: MIT */
/*
 * A row of the file is q = B'Dh/n, w, and for PAMI Λ. A round reads PIECES
 * pieces of it at a time, has each worked on by a task, and writes them back.
 * What a piece adds to sums stands by itself until all of these pieces are
 * done; then sums are taken in the order of pieces.
 *
 * PAMI's first round leaves shares as they began, which is no end.
 *
 * The loss is Σ w'Gw - 2q'w + Σ d (h/n)².
 */
#include "infer/joint.h"

#include <math.h>
#include <string.h>

#include "base/again.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "linalg/blas.h"

#define PIECES 16 /* at a time */

/* What is added up over documents. */
typedef struct sums {
    double *with;       /* k x k: Σ ww' */
    double *sum;        /* k x k: PAMI: Σ xx' */
    double moved, loss; /* the latter without the documents' own part */
} sums;

/* Scratch memory of one thread. */
typedef struct place {
    squares *squares;
    double *work, *before; /* 3 x PIECE_MOST x k, PIECE_MOST x k */
} place;

struct joint {
    joint_input in;
    size_t k, width;
    uint64_t documents;
    double norm;   /* Σ d (h/n)² */
    int file;      /* without a name, gone with the process */
    double *rows;  /* PIECES x PIECE_MOST x width */
    size_t count;  /* of these */
    size_t rounds; /* begun */
    uint64_t passed; /* documents, in all of them and the one before */
    sums part[PIECES + 1]; /* of each piece, and of all */
    place *place;
    padd *padd;
    pami *pami;
};

void joint_free(joint *w)
{
    if (w == NULL)
        return;
    for (unsigned t = 0; w->place != NULL && t < pool_threads(w->in.p); t++) {
        squares_free(w->place[t].squares);
        mem_free_all(w->place[t].work, w->place[t].before);
    }
    for (size_t i = 0; i <= PIECES; i++)
        mem_free_all(w->part[i].with, w->part[i].sum);
    mem_free_all(w->place, w->rows);
    padd_free(w->padd);
    pami_free(w->pami);
    if (w->file >= 0)
        close(w->file);
    mem_free(w);
}

kedge_status joint_create(const joint_input *in, joint **out,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->prior->k;
    joint *w = NULL;

    *out = NULL;
    TRY_MEM(w = mem_new(1, sizeof *w));
    w->in = *in;
    w->k = k;
    w->width = (in->method == KEDGE_INFER_PAMI ? 3 : 2) * k;
    w->file = -1;
    TRY_MEM(w->place = mem_new(pool_threads(in->p), sizeof *w->place));
    TRY_MEM(w->rows = mem_new2(PIECES * PIECE_MOST, w->width,
                               sizeof *w->rows));
    for (size_t i = 0; i <= PIECES; i++) {
        TRY_MEM(w->part[i].with = mem_new2(k, k, sizeof(double)));
        TRY_MEM(w->part[i].sum = mem_new2(k, k, sizeof(double)));
    }
    for (unsigned t = 0; t < pool_threads(in->p); t++) {
        place *const at = &w->place[t];
        TRY(squares_create(k, &at->squares, err));
        TRY_MEM(at->work = mem_new2(3 * PIECE_MOST, k, sizeof *at->work));
        TRY_MEM(at->before = mem_new2(PIECE_MOST, k, sizeof *at->before));
    }
    if (in->method == KEDGE_INFER_PADD)
        TRY(padd_create(in, &w->padd, err));
    else
        TRY(pami_create(in, &w->pami, err));
    w->file = again_open_nameless(in->folder);
    if (w->file < 0)
        TRY(kedge_fail(err, KEDGE_EIO, "%s: cannot make a file for "
                       "topic proportions: %s", in->folder, strerror(errno)));
    *out = w;
    w = NULL;
out:
    joint_free(w);
    return st;
}

/* Rows of the file, from one on, out of w->rows or into them. EIO: the disk is
 * full, or fails. */
static kedge_status joint_write(const joint *w, uint64_t first, size_t count,
                                kedge_error *err)
{
    const size_t bytes = w->width * sizeof *w->rows;

    return again_write_at(w->file, w->rows, count * bytes, first * bytes)
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_EIO, "cannot write the file of "
                            "topic proportions: %s", strerror(errno));
}

static kedge_status joint_load(const joint *w, uint64_t first, size_t count,
                               kedge_error *err)
{
    const size_t bytes = w->width * sizeof *w->rows;

    return again_read_at(w->file, w->rows, count * bytes, first * bytes)
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_EIO, "cannot read the file of "
                            "topic proportions: %s",
                            errno != 0 ? strerror(errno) : "it ends");
}

/* ---- documents come ------------------------------------------------------ */

kedge_status joint_add(joint *w, size_t count, const double *rows,
                       kedge_error *err)
{
    const size_t most = PIECES * PIECE_MOST, wide = joint_width(w->k);

    for (size_t done = 0, n; done < count; done += n) {
        n = count - done < most ? count - done : most;
        for (size_t m = 0; m < n; m++) {
            const double *const from = rows + (done + m) * wide;
            double *const to = w->rows + m * w->width;
            memset(to, 0, w->width * sizeof *to);
            memcpy(to, from, 2 * w->k * sizeof *to);
            w->norm += from[2 * w->k];
        }
        PASS(joint_write(w, w->documents, n, err));
        w->documents += n;
    }
    return KEDGE_OK;
}

/* ---- a round ------------------------------------------------------------- */

/* What moved, Σ ww' and the loss. */
static void joint_measure(const joint *w, const piece *d, const place *at,
                          sums *y)
{
    const size_t k = w->k;

    y->moved = y->loss = 0;
    blas_gemm(false, false, d->count, k, k, 1, d->w, d->stride, w->in.gram, k,
              0, d->work, k);
    for (size_t m = 0; m < d->count; m++)
        for (size_t t = 0; t < k; t++) {
            const double x = d->w[m * d->stride + t];
            const double q = d->q[m * d->stride + t];
            y->moved += fabs(x - at->before[m * k + t]);
            y->loss += x * (d->work[m * k + t] - 2 * q);
        }
    blas_gemm(true, false, k, k, d->count, 1, d->w, d->stride, d->w,
              d->stride, 0, y->with, k);
}

static void joint_task(void *data, size_t task, unsigned worker)
{
    joint *const w = data;
    place *const at = &w->place[worker];
    const size_t k = w->k, left = w->count - task * PIECE_MOST;
    double *const rows = w->rows + task * PIECE_MOST * w->width;
    const piece d = {.count = left < PIECE_MOST ? left : PIECE_MOST,
                     .stride = w->width, .q = rows, .w = rows + k,
                     .dual = rows + 2 * k, .sum = w->part[task].sum,
                     .work = at->work, .squares = at->squares};

    for (size_t m = 0; m < d.count; m++)
        memcpy(at->before + m * k, d.w + m * d.stride, k * sizeof *d.w);
    if (w->rounds == 0)
        blas_gemm(true, false, k, k, d.count, 1, d.q, d.stride, d.q, d.stride,
                  0, d.sum, k);
    else if (w->in.method == KEDGE_INFER_PADD)
        padd_run(w->padd, &d);
    else
        pami_run(w->pami, &d);
    joint_measure(w, &d, at, &w->part[task]);
}

/* All documents once. In round 0 they stay as they are. */
static kedge_status joint_pass(joint *w, const stage *progress,
                               kedge_error *err)
{
    const size_t k = w->k, most = PIECES * PIECE_MOST;
    sums *const all = &w->part[PIECES];

    memset(all->with, 0, k * k * sizeof(double));
    memset(all->sum, 0, k * k * sizeof(double));
    all->moved = all->loss = 0;
    for (uint64_t done = 0; done < w->documents; done += w->count) {
        const uint64_t left = w->documents - done;
        size_t tasks;

        PASS(stage_reach(progress, w->passed + done, err));
        w->count = left < most ? left : most;
        tasks = (w->count + PIECE_MOST - 1) / PIECE_MOST;
        PASS(joint_load(w, done, w->count, err));
        pool_run(w->in.p, tasks, joint_task, w);
        for (const sums *x = w->part; x < w->part + tasks; x++) {
            for (size_t i = 0; i < k * k; i++) {
                all->with[i] += x->with[i];
                all->sum[i] += x->sum[i];
            }
            all->moved += x->moved;
            all->loss += x->loss;
        }
        if (w->rounds > 0)
            PASS(joint_write(w, done, w->count, err));
    }
    w->passed += w->documents;
    for (size_t i = 0; i < k * k; i++) {
        all->with[i] /= (double)w->documents;
        all->sum[i] /= (double)w->documents;
    }
    return KEDGE_OK;
}

kedge_status joint_settle(joint *w, const kedge_control *control,
                          joint_report *out, kedge_error *err)
{
    const sums *const all = &w->part[PIECES];
    const double m = (double)w->documents;
    stage progress;

    *out = (joint_report){.documents = w->documents, .settled = true};
    if (w->documents == 0)
        return KEDGE_OK;
    progress = stage_begin(control, "agreeing",
                       (w->in.rounds + 1) * w->documents, "");
    PASS(joint_pass(w, &progress, err));
    do {
        PASS(w->in.method == KEDGE_INFER_PADD
                 ? padd_begin(w->padd, w->rounds == 0 ? NULL : all->with,
                              w->documents, err)
                 : pami_begin(w->pami, all->sum, err));
        w->rounds++;
        PASS(joint_pass(w, &progress, err));
        double sum = 0;
        for (size_t i = 0; i < w->k * w->k; i++) {
            const double off = all->with[i] - w->in.prior->a[i];
            sum += off * off;
        }
        out->rounds = w->rounds;
        out->moved = all->moved / m;
        out->loss = (all->loss + w->norm) / m;
        out->strayed = sqrt(sum);
        out->settled = w->rounds > 1 && out->moved < w->in.tolerance;
    } while (w->rounds < w->in.rounds && !out->settled);
    progress.total = w->passed; /* other rounds are not needed */
    return stage_reach(&progress, w->passed, err);
}

kedge_status joint_read(joint *w, uint64_t first, size_t count, double *shares,
                        kedge_error *err)
{
    const size_t most = PIECES * PIECE_MOST;

    if (first + count > w->documents)
        return kedge_fail(err, KEDGE_EINVAL, "the documents changed between "
                                             "the two passes; run it again");
    for (size_t done = 0, n; done < count; done += n) {
        n = count - done < most ? count - done : most;
        PASS(joint_load(w, first + done, n, err));
        for (size_t m = 0; m < n; m++)
            memcpy(shares + (done + m) * w->k, w->rows + m * w->width + w->k,
                   w->k * sizeof *shares);
    }
    return KEDGE_OK;
}
