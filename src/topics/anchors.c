/* SPDX-License-Identifier: MIT */
/*
 * Modified Gram-Schmidt on a copy of the candidates: each step takes the chosen
 * row's direction out of all of them and measures what is left, instead of
 * downdating norms, which loses digits just where anchors get hard to tell
 * apart. k * candidates * k multiply-adds.
 */
#include "topics/anchors.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/octet.h"

#define PIECE 1024
#define RANK_FLOOR 1e-12 /* of the first residual */
#define GIVEN_FLOOR 1e-9 /* the same for anchors that were given */
#define TIE 1e-6         /* of SPA: u that are alike, relatively */

/* ---- what all methods share ---------------------------------------------- */

typedef struct along_job {
    const anchors_input *in;
    const double *direction;
    double *along;
} along_job;

static void along_piece(void *data, size_t piece, unsigned worker)
{
    const along_job *j = data;
    const anchors_input *in = j->in;
    const size_t from = piece * PIECE;
    const size_t end =
        in->candidates - from < PIECE ? in->candidates : from + PIECE;

    (void)worker;
    for (size_t i = from; i < end; i++) {
        const double *const x = in->x + in->candidate[i] * in->k;
        double sum = 0;
        for (size_t c = 0; c < in->k; c++)
            sum += x[c] * j->direction[c];
        j->along[i] = sum;
    }
}

void anchors_along(pool *p, const anchors_input *in, const double *direction,
                   double *along)
{
    along_job j = {in, direction, along};

    pool_run(p, (in->candidates + PIECE - 1) / PIECE, along_piece, &j);
}

size_t anchors_largest(const double *value, size_t count)
{
    size_t best = 0;

    for (size_t i = 1; i < count; i++)
        if (value[i] > value[best])
            best = i;
    return best;
}

/* Clones have to be static: the resolver of others would be exported. */
KERNEL_CLONES
static double dot(const double *restrict a, const double *restrict b, size_t k)
{
    double sum = 0;

    for (size_t c = 0; c < k; c++)
        sum += a[c] * b[c];
    return sum;
}

double anchors_dot(const double *a, const double *b, size_t k)
{
    return dot(a, b, k);
}

kedge_status anchors_reach(const anchors_input *in, size_t found,
                           kedge_error *err)
{
    return in->stage != NULL ? stage_reach(in->stage, found, err) : KEDGE_OK;
}

kedge_status anchors_check(const anchors_input *in, const double *residual,
                           size_t a, double floor, kedge_error *err)
{
    if (residual[a] > floor * residual[0])
        return KEDGE_OK;
    return kedge_fail(err, KEDGE_ENUMERIC,
                      "only %zu of %zu anchors can be told apart among %zu "
                      "candidates; fit fewer topics, or allow rarer anchors "
                      "(--anchor-min-df)",
                      a, in->k, in->candidates);
}

/* ---- pivoted QR ---------------------------------------------------------- */

/* Takes the direction out of a row; what is left of its squared length. */
KERNEL_CLONES
static double strip_row(double *restrict row, const double *restrict direction,
                        size_t k)
{
    const double along = octet_dot(row, direction, k);

    for (size_t c = 0; c < k; c++)
        row[c] -= along * direction[c];
    return octet_dot(row, row, k);
}

typedef struct strip_job {
    size_t rows, k;
    double *x;
    const double *direction;
    double *norm;
} strip_job;

static void strip_piece(void *data, size_t piece, unsigned worker)
{
    const strip_job *j = data;
    const size_t from = piece * PIECE;
    const size_t end = j->rows - from < PIECE ? j->rows : from + PIECE;

    (void)worker;
    for (size_t i = from; i < end; i++)
        j->norm[i] = strip_row(j->x + i * j->k, j->direction, j->k);
}

/* Takes a direction, of unit length or zero, out of each row of x (rows x k);
 * norm[]: what is left of its squared length. */
static void strip(pool *p, size_t rows, size_t k, double *x,
                  const double *direction, double *norm)
{
    strip_job j = {rows, k, x, direction, norm};

    pool_run(p, (rows + PIECE - 1) / PIECE, strip_piece, &j);
}

double anchors_outside(double *basis, size_t count, const double *point,
                       size_t k)
{
    double *const q = basis + count * k;
    double norm = 0;

    memcpy(q, point, k * sizeof *q);
    for (size_t b = 0; b < 2 * count; b++) /* twice is enough */
        strip_row(q, basis + b % count * k, k);
    for (size_t c = 0; c < k; c++)
        norm += q[c] * q[c];
    norm = sqrt(norm);
    for (size_t c = 0; c < k && norm > 0; c++)
        q[c] /= norm;
    return norm;
}

/* The candidate of which most is left, among those of all processes. */
typedef struct pivot {
    double norm;    /* squared; below zero: there is none */
    uint64_t place; /* among the candidates of its process, */
    uint64_t rank;  /* which is this one */
    uint64_t row;   /* among all */
} pivot;

typedef struct pivot_job {
    const anchors_input *in;
    communicator *team;
    pivot best;
    double *rest; /* candidates x k */
    double *norm; /* candidates: squared */
} pivot_job;

static void pivot_offer(void *data, void *value)
{
    const pivot_job *const j = data;
    pivot *const best = value;
    const size_t place = anchors_largest(j->norm, j->in->candidates);

    if (j->in->candidates > 0 && j->norm[place] > best->norm)
        *best = (pivot){j->norm[place], place, comm_rank(j->team),
                        j->in->from + j->in->candidate[place]};
}

/* The best one's direction, which its process has. */
static void pivot_direction(void *data, void *value)
{
    const pivot_job *const j = data;
    const size_t k = j->in->k;
    double *const direction = value;

    if (comm_rank(j->team) != j->best.rank)
        return;
    for (size_t c = 0; c < k; c++)
        direction[c] = j->rest[j->best.place * k + c] / sqrt(j->best.norm);
}

kedge_status anchors_complete(pool *p, const anchors_input *in,
                              const double *point, size_t known,
                              uint64_t *chosen, double *residual,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k, n = in->candidates;
    pivot_job j = {.in = in, .team = pool_comm(p)};
    double *direction = NULL; /* unit length; zero in the first round */
    double *basis = NULL;

    TRY_MEM(j.rest = mem_new2(n, k, sizeof *j.rest));
    TRY_MEM(j.norm = mem_new(n, sizeof *j.norm));
    TRY_MEM(direction = mem_new(k, sizeof *direction));
    TRY_MEM(basis = mem_new2(known, k, sizeof *basis));
    for (size_t i = 0; i < n; i++)
        memcpy(j.rest + i * k, in->x + in->candidate[i] * k,
               k * sizeof *in->x);
    for (size_t a = 0; a < known; a++) {
        residual[a] = anchors_outside(basis, a, point + a * k, k);
        if (!(residual[a] > GIVEN_FLOOR * residual[0]))
            TRY(kedge_fail(err, KEDGE_ENUMERIC,
                           "the anchors given for topic %zu add nothing to "
                           "those of the topics before: leave it out",
                           a + 1));
        strip(p, n, k, j.rest, direction, j.norm);
        memcpy(direction, basis + a * k, k * sizeof *basis);
    }
    for (size_t a = known; a < k; a++) {
        strip(p, n, k, j.rest, direction, j.norm);
        j.best = (pivot){.norm = -1};
        comm_reduce(j.team, &j.best, sizeof j.best, pivot_offer, &j);
        residual[a] = sqrt(fmax(j.best.norm, 0));
        TRY(anchors_check(in, residual, a, RANK_FLOOR, err));
        chosen[a] = j.best.row;
        comm_reduce(j.team, direction, k * sizeof *direction, pivot_direction,
                  &j);
        TRY(anchors_reach(in, a + 1, err));
    }
out:
    mem_free_all(j.rest, j.norm, direction, basis);
    return st;
}

/* ---- SPA ----------------------------------------------------------------- */

/*
 * The successive projection algorithm (Araújo et al. 2001; Gillis and Vavasis
 * 2014; Algorithm 1 of the paper "Anchor-Free Correlated Topic Modeling"). It
 * chooses as pivoted QR does, by its recursion: with the orthonormal directions
 * q_1 .. q_a of those chosen so far, what is left of a row's squared length is
 *
 *   u_i <- u_i - (q_a x_i)²
 *
 * so that rows stay as they are and no copy of them is made. Of rows whose u
 * are alike, up to TIE of the largest, the one takes it that was longest in the
 * beginning. The recursion loses digits where u is below 1e-16 of what it was,
 * 1e-8 in length; a chosen row's own residual is computed again.
 */
static size_t spa_pick(const double *left, const double *whole, size_t count)
{
    double most = 0;
    size_t best = 0;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, left[i]);
    for (size_t i = 0; i < count; i++)
        if (left[i] >= (1 - TIE) * most &&
            (left[best] < (1 - TIE) * most || whole[i] > whole[best]))
            best = i;
    return best;
}

/* The part of x outside the first `count` rows of `basis`, at unit length,
 * becomes the next row; its length. */
static double spa_extend(double *basis, size_t count, const double *x,
                         size_t k)
{
    double *const q = basis + count * k;
    double length;

    memcpy(q, x, k * sizeof *q);
    for (size_t b = 0; b < 2 * count; b++) { /* twice is enough */
        const double *const other = basis + b % count * k;
        const double along = anchors_dot(q, other, k);
        for (size_t c = 0; c < k; c++)
            q[c] -= along * other[c];
    }
    length = sqrt(anchors_dot(q, q, k));
    for (size_t c = 0; c < k && length > 0; c++)
        q[c] /= length;
    return length;
}

static kedge_status spa_find(pool *p, const anchors_input *in,
                             uint64_t *chosen, double *residual,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = in->k, n = in->candidates;
    double *basis = NULL, *along = NULL;
    double *left = NULL, *whole = NULL; /* candidates: u; squared length */

    TRY_MEM(basis = mem_new2(k, k, sizeof *basis));
    TRY_MEM(along = mem_new(n, sizeof *along));
    TRY_MEM(left = mem_new(n, sizeof *left));
    TRY_MEM(whole = mem_new(n, sizeof *whole));
    for (size_t i = 0; i < n; i++) {
        const double *const x = in->x + in->candidate[i] * k;
        whole[i] = left[i] = anchors_dot(x, x, k);
    }
    for (size_t a = 0; a < k; a++) {
        chosen[a] = in->candidate[spa_pick(left, whole, n)];
        residual[a] = spa_extend(basis, a, in->x + chosen[a] * k, k);
        TRY(anchors_check(in, residual, a, RANK_FLOOR, err));
        anchors_along(p, in, basis + a * k, along);
        for (size_t i = 0; i < n; i++)
            left[i] -= along[i] * along[i];
        TRY(anchors_reach(in, a + 1, err));
    }
out:
    mem_free_all(basis, along, left, whole);
    return st;
}

/* ---- the methods --------------------------------------------------------- */

static kedge_status qr_find(pool *p, const anchors_input *in, uint64_t *chosen,
                            double *residual, kedge_error *err)
{
    return anchors_complete(p, in, NULL, 0, chosen, residual, err);
}

static kedge_status fast_find(pool *p, const anchors_input *in,
                              uint64_t *chosen, double *residual,
                              kedge_error *err)
{
    PASS(qr_find(p, in, chosen, residual, err));
    return farthest_clean(p, in, chosen, residual, err);
}

/* What a file or a model gives is not looked for: QR finds the others. */
static anchors_method *const methods[] = {
    [KEDGE_ANCHORS_QR] = qr_find,     [KEDGE_ANCHORS_FAST] = fast_find,
    [KEDGE_ANCHORS_SPA] = spa_find,   [KEDGE_ANCHORS_SNPA] = snpa_find,
    [KEDGE_ANCHORS_XRAY] = xray_find, [KEDGE_ANCHORS_FILE] = qr_find,
    [KEDGE_ANCHORS_MODEL] = qr_find,  [KEDGE_ANCHORS_COUNTED] = counted_find,
};

kedge_status anchors_find(pool *p, const anchors_input *in, uint64_t *chosen,
                          double *residual, kedge_error *err)
{
    return methods[in->kind](p, in, chosen, residual, err);
}

/* ---- how near words came ------------------------------------------------- */

/* The steps of pivoted QR with the choice made already. */
kedge_status standing_find(pool *p, size_t rows, size_t k, double *x,
                           const bool *candidate, const uint64_t *anchor,
                           standing *asked, size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double *norm = NULL, *direction = NULL;

    TRY_MEM(norm = mem_new(rows, sizeof *norm));
    TRY_MEM(direction = mem_new(k, sizeof *direction));
    for (size_t i = 0; i < count; i++)
        asked[i] = (standing){.row = asked[i].row};
    for (size_t s = 0; s < k; s++) {
        const double *const chosen = x + anchor[s] * k;
        strip(p, rows, k, x, direction, norm);
        if (!(norm[anchor[s]] > 0))
            break;
        for (size_t i = 0; i < count; i++) {
            const double own = norm[asked[i].row];
            uint64_t rank = 1;
            for (size_t r = 0; r < rows; r++)
                rank += candidate[r] && norm[r] > own;
            if (asked[i].rank > 0 && asked[i].rank <= rank)
                continue;
            asked[i].rank = rank;
            asked[i].step = s;
            asked[i].share = sqrt(own / norm[anchor[s]]);
        }
        for (size_t c = 0; c < k; c++)
            direction[c] = chosen[c] / sqrt(norm[anchor[s]]);
    }
out:
    mem_free_all(norm, direction);
    return st;
}
