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
    const int64_t *cost;
    int64_t *u, *v, *least; /* least: slack on the way to each column */
    size_t *owner;          /* of each column: a row, or MATCH_NONE */
    size_t *before;         /* each column's predecessor on the way */
    bool *reached;
} assignment;

static void assignment_free(assignment *a)
{
    mem_free(a->u);
    mem_free(a->v);
    mem_free(a->least);
    mem_free(a->owner);
    mem_free(a->before);
    mem_free(a->reached);
}

static kedge_status assignment_create(assignment *a, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = a->cols + 1;

    TRY_MEM(a->u = mem_new(a->rows, sizeof *a->u));
    TRY_MEM(a->v = mem_new(n, sizeof *a->v));
    TRY_MEM(a->least = mem_new(n, sizeof *a->least));
    TRY_MEM(a->owner = mem_new(n, sizeof *a->owner));
    TRY_MEM(a->before = mem_new(n, sizeof *a->before));
    TRY_MEM(a->reached = mem_new(n, sizeof *a->reached));
    for (size_t j = 0; j < n; j++)
        a->owner[j] = MATCH_NONE;
out:
    return st;
}

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

static void assignment_shift(assignment *a, int64_t by)
{
    for (size_t j = 0; j <= a->cols; j++)
        if (a->reached[j]) {
            a->u[a->owner[j]] += by;
            a->v[j] -= by;
        } else {
            a->least[j] -= by;
        }
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
        size_t next;
        a->reached[at] = true;
        next = assignment_look(a, at);
        assignment_shift(a, a->least[next]);
        at = next;
    }
    while (at != a->cols) { /* each on the way gives its column on */
        a->owner[at] = a->owner[a->before[at]];
        at = a->before[at];
    }
    a->owner[at] = MATCH_NONE;
}

/* In units, no more than the limit; turned where there are more rows. */
static int64_t *match_costs(const double *cost, size_t rows, size_t cols,
                            double limit)
{
    int64_t *const whole = mem_new2(rows, cols, sizeof *whole);

    for (size_t i = 0; whole != NULL && i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            whole[rows > cols ? j * rows + i : i * cols + j] =
                (int64_t)(fmin(cost[i * cols + j], limit) * UNIT);
    return whole;
}

kedge_status match_assign(const double *cost, size_t rows, size_t cols,
                          double limit, size_t *partner, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const bool turned = rows > cols;
    assignment a = {.rows = turned ? cols : rows, .cols = turned ? rows : cols};
    int64_t *whole = NULL;

    for (size_t i = 0; i < rows; i++)
        partner[i] = MATCH_NONE;
    TRY_MEM(whole = match_costs(cost, rows, cols, limit));
    a.cost = whole;
    TRY(assignment_create(&a, err));
    for (size_t i = 0; i < a.rows; i++)
        assignment_add(&a, i);
    for (size_t j = 0; j < a.cols; j++) {
        const size_t i = a.owner[j];
        const size_t row = turned ? j : i, col = turned ? i : j;
        if (i != MATCH_NONE && cost[row * cols + col] <= limit)
            partner[row] = col;
    }
out:
    assignment_free(&a);
    mem_free(whole);
    return st;
}

/* ---- topics -------------------------------------------------------------- */

/* Where the word of a row stands among the common ones, whose rows rise. */
static size_t match_place(const match_side *side, size_t common, uint64_t row)
{
    size_t low = 0, high = common;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (side->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < common && side->row[low] == row ? low : MATCH_NONE;
}

/* Pairs with the same anchor. A model's anchors are all different words. */
static void match_anchors(const match_side *left, const match_side *right,
                          size_t common, const double *distance,
                          size_t *partner)
{
    for (size_t i = 0; i < left->k; i++) {
        const size_t place = match_place(left, common, left->anchor[i]);
        partner[i] = MATCH_NONE;
        for (size_t j = 0; place != MATCH_NONE && j < right->k; j++)
            if (right->anchor[j] == right->row[place] &&
                distance[i * right->k + j] <= MATCH_ANCHOR_LIMIT)
                partner[i] = j;
    }
}

/* The topics of the left and right side that have no partner yet. */
typedef struct leftover {
    size_t *left, *right, lefts, rights;
    double *cost;    /* lefts x rights */
    size_t *partner; /* lefts */
} leftover;

static void leftover_free(leftover *o)
{
    mem_free(o->left);
    mem_free(o->right);
    mem_free(o->cost);
    mem_free(o->partner);
}

static kedge_status leftover_list(const size_t *partner, size_t k,
                                  size_t others, leftover *o, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool *taken = NULL;

    TRY_MEM(taken = mem_new(others, sizeof *taken));
    TRY_MEM(o->left = mem_new(k, sizeof *o->left));
    TRY_MEM(o->right = mem_new(others, sizeof *o->right));
    for (size_t i = 0; i < k; i++)
        if (partner[i] == MATCH_NONE)
            o->left[o->lefts++] = i;
        else
            taken[partner[i]] = true;
    for (size_t j = 0; j < others; j++)
        if (!taken[j])
            o->right[o->rights++] = j;
out:
    mem_free(taken);
    return st;
}

kedge_status match_topics(const match_side *left, const match_side *right,
                          size_t common, const double *distance,
                          size_t *partner, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    leftover o = {0};

    match_anchors(left, right, common, distance, partner);
    TRY(leftover_list(partner, left->k, right->k, &o, err));
    TRY_MEM(o.cost = mem_new2(o.lefts, o.rights, sizeof *o.cost));
    TRY_MEM(o.partner = mem_new(o.lefts, sizeof *o.partner));
    for (size_t i = 0; i < o.lefts; i++)
        for (size_t j = 0; j < o.rights; j++)
            o.cost[i * o.rights + j] =
                distance[o.left[i] * right->k + o.right[j]];
    TRY(match_assign(o.cost, o.lefts, o.rights, MATCH_LIMIT, o.partner, err));
    for (size_t i = 0; i < o.lefts; i++)
        if (o.partner[i] != MATCH_NONE)
            partner[o.left[i]] = o.right[o.partner[i]];
out:
    leftover_free(&o);
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
