/* SPDX-License-Identifier: MIT */
/*
 * Distances. As columns sum to one, half the sum of |p - q| is one minus the
 * sum of min(p, q), and a word that one model lacks, or to which one topic
 * gives no probability, adds nothing to that sum: rows of zeros are passed over
 * and nothing is lost. A task owns some topics of the left model and walks over
 * all words, so that sums are taken in one order whoever takes them.
 *
 * Assignment. The Hungarian algorithm with shortest augmenting paths (Jonker
 * and Volgenant): rows come one after another; each grows a tree of tight edges
 * by Dijkstra's algorithm until it meets a free column. u and v are the duals,
 * cost - u - v >= 0 with equality on the assigned pairs. Costs are whole
 * multiples of 2^-40, so that every comparison is exact. Costs above the limit
 * are set to the limit: a pair that will not be formed must not keep others
 * from forming.
 */
#include "topics/match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "base/fail.h"
#include "base/mem.h"

#define TILE 16 /* left topics of a task */
#define UNIT 0x1p40

/* ---- distances ----------------------------------------------------------- */

typedef struct match_job {
    const match_side *left, *right;
    size_t common;
    double *out;
} match_job;

/* sum[j] += min(p, q[j]) */
KERNEL_CLONES
static void add_minima(double p, const double *restrict q, size_t count,
                       double *restrict sum)
{
    for (size_t j = 0; j < count; j++)
        sum[j] += p < q[j] ? p : q[j];
}

static void match_tile(void *data, size_t tile, unsigned worker)
{
    const match_job *const job = data;
    const match_side *const l = job->left, *const r = job->right;
    const size_t from = tile * TILE;
    const size_t to = from + TILE < l->k ? from + TILE : l->k;
    double *const sum = job->out;

    (void)worker;
    memset(sum + from * r->k, 0, (to - from) * r->k * sizeof *sum);
    for (size_t w = 0; w < job->common; w++) {
        const double *const p = l->b + l->row[w] * l->k;
        const double *const q = r->b + r->row[w] * r->k;
        for (size_t i = from; i < to; i++)
            if (p[i] > 0)
                add_minima(p[i], q, r->k, sum + i * r->k);
    }
    for (size_t i = from * r->k; i < to * r->k; i++)
        sum[i] = fmin(fmax(1 - sum[i], 0), 1);
}

void match_distances(pool *p, const match_side *left, const match_side *right,
                     size_t common, double *distance)
{
    match_job job = {left, right, common, distance};

    pool_run(p, (left->k + TILE - 1) / TILE, match_tile, &job);
}

/* ---- assignment ---------------------------------------------------------- */

/* Rows are no more than columns. Column `cols` is the root of the tree: the
 * place where the row that looks for a column stands. */
typedef struct assignment {
    size_t rows, cols;
    int64_t *cost;          /* in units */
    int64_t *u, *v, *least; /* least: slack on the way to each column */
    size_t *owner;          /* of each column: a row, or MATCH_NONE */
    size_t *before;         /* each column's predecessor on the way */
    bool *reached;
} assignment;

/* Looks along the row that owns `at`; gives the unreached column of the least
 * slack, the first of several. */
static size_t assignment_look(assignment *a, size_t at)
{
    const size_t i = a->owner[at];
    const int64_t *const cost = a->cost + i * a->cols;
    size_t next = a->cols;

    for (size_t j = 0; j < a->cols; j++) {
        const int64_t slack = cost[j] - a->u[i] - a->v[j];
        if (a->reached[j])
            continue;
        if (slack < a->least[j]) {
            a->least[j] = slack;
            a->before[j] = at;
        }
        if (next == a->cols || a->least[j] < a->least[next])
            next = j;
    }
    return next;
}

static void assignment_add(assignment *a, size_t row)
{
    size_t at = a->cols;

    a->owner[at] = row;
    for (size_t j = 0; j <= a->cols; j++) {
        a->least[j] = INT64_MAX;
        a->reached[j] = false;
    }
    while (a->owner[at] != MATCH_NONE) {
        a->reached[at] = true;
        at = assignment_look(a, at);
        const int64_t by = a->least[at];
        for (size_t j = 0; j <= a->cols; j++)
            if (a->reached[j]) {
                a->u[a->owner[j]] += by;
                a->v[j] -= by;
            } else {
                a->least[j] -= by;
            }
    }
    while (at != a->cols) { /* each on the way gives its column on */
        a->owner[at] = a->owner[a->before[at]];
        at = a->before[at];
    }
    a->owner[at] = MATCH_NONE;
}

kedge_status match_assign(const double *cost, size_t rows, size_t cols,
                          double limit, size_t *partner, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const bool turned = rows > cols;
    assignment a = {.rows = turned ? cols : rows, .cols = turned ? rows : cols};
    const size_t n = a.cols + 1;

    for (size_t i = 0; i < rows; i++)
        partner[i] = MATCH_NONE;
    TRY_MEM(a.cost = mem_new2(rows, cols, sizeof *a.cost));
    TRY_MEM(a.u = mem_new(a.rows, sizeof *a.u));
    TRY_MEM(a.v = mem_new(n, sizeof *a.v));
    TRY_MEM(a.least = mem_new(n, sizeof *a.least));
    TRY_MEM(a.owner = mem_new(n, sizeof *a.owner));
    TRY_MEM(a.before = mem_new(n, sizeof *a.before));
    TRY_MEM(a.reached = mem_new(n, sizeof *a.reached));
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            a.cost[turned ? j * rows + i : i * cols + j] =
                (int64_t)(fmin(cost[i * cols + j], limit) * UNIT);
    for (size_t j = 0; j < n; j++)
        a.owner[j] = MATCH_NONE;
    for (size_t i = 0; i < a.rows; i++)
        assignment_add(&a, i);
    for (size_t j = 0; j < a.cols; j++) {
        const size_t i = a.owner[j];
        const size_t row = turned ? j : i, col = turned ? i : j;
        if (i != MATCH_NONE && cost[row * cols + col] <= limit)
            partner[row] = col;
    }
out:
    mem_free_all(a.cost, a.u, a.v, a.least, a.owner, a.before, a.reached);
    return st;
}

/* ---- topics -------------------------------------------------------------- */

static int compare_rows(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint32_t b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

/* The right topic of the same anchor, if it is near enough. A model's anchors
 * are all different words, and rows of common words rise. */
static size_t match_anchor(const match_side *left, const match_side *right,
                           size_t common, const double *distance, size_t i)
{
    const uint32_t *const row = bsearch(&left->anchor[i], left->row, common,
                                        sizeof *row, compare_rows);

    for (size_t j = 0; row != NULL && j < right->k; j++)
        if (right->anchor[j] == right->row[row - left->row] &&
            distance[i * right->k + j] <= MATCH_ANCHOR_LIMIT)
            return j;
    return MATCH_NONE;
}

kedge_status match_topics(const match_side *left, const match_side *right,
                          size_t common, const double *distance,
                          size_t *partner, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t *l = NULL, *r = NULL, lefts = 0, rights = 0; /* without partner */
    size_t *found = NULL;
    double *cost = NULL; /* lefts x rights */
    bool *taken = NULL;

    TRY_MEM(taken = mem_new(right->k, sizeof *taken));
    TRY_MEM(l = mem_new(left->k, sizeof *l));
    TRY_MEM(r = mem_new(right->k, sizeof *r));
    for (size_t i = 0; i < left->k; i++) {
        partner[i] = match_anchor(left, right, common, distance, i);
        if (partner[i] == MATCH_NONE)
            l[lefts++] = i;
        else
            taken[partner[i]] = true;
    }
    for (size_t j = 0; j < right->k; j++)
        if (!taken[j])
            r[rights++] = j;
    TRY_MEM(cost = mem_new2(lefts, rights, sizeof *cost));
    TRY_MEM(found = mem_new(lefts, sizeof *found));
    for (size_t i = 0; i < lefts; i++)
        for (size_t j = 0; j < rights; j++)
            cost[i * rights + j] = distance[l[i] * right->k + r[j]];
    TRY(match_assign(cost, lefts, rights, MATCH_LIMIT, found, err));
    for (size_t i = 0; i < lefts; i++)
        if (found[i] != MATCH_NONE)
            partner[l[i]] = r[found[i]];
out:
    mem_free_all(l, r, found, cost, taken);
    return st;
}

kedge_status match_order(const size_t *partner, size_t old, size_t k,
                         size_t *order, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool *placed = NULL;
    size_t next = 0;

    TRY_MEM(placed = mem_new(k, sizeof *placed));
    for (size_t n = 0; n < k; n++) {
        order[n] = n < old ? partner[n] : MATCH_NONE;
        if (order[n] != MATCH_NONE)
            placed[order[n]] = true;
    }
    for (size_t n = 0; n < k; n++) {
        if (order[n] != MATCH_NONE)
            continue;
        while (placed[next])
            next++;
        order[n] = next++;
    }
out:
    mem_free(placed);
    return st;
}
