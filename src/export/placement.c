/* SPDX-License-Identifier: MIT */
/*
 * Topics are nearly all equally far from each other, which no plane can show.
 * So what is kept is the order of the distances: pairs are ranked, and the
 * target of a pair is its rank. Places minimise the stress
 *
 *   sum over pairs of (|x_i - x_j| - t_ij)^2 / t_ij^2,
 *
 * near pairs counting most, by majorization, a thing at a time (Gansner, Koren,
 * North 2004), from a circle in the order given. Then the plane is turned so
 * that it is wide rather than high, those far out are drawn nearer, circles
 * that overlap push each other away, and all is scaled. Nothing is by chance.
 */
#include "export/page.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"

#define SWEEPS 120
#define PUSHES 400
#define LEAST 0.12 /* target of the nearest pair; that of the farthest is 1 */
#define FILLED 0.20 /* of the plane's square, by circles of many, */
#define FEW 8       /* and so much more for each that is missing here: few */
#define MORE 0.05   /* small ones would be lost in it */
#define INWARD 0.65
#define GAP 0.012   /* between circles, at least */

#define TURN 6.283185307179586

typedef struct pair {
    double distance;
    size_t i, j;
} pair;

static int compare_pairs(const void *left, const void *right)
{
    const pair *const a = left, *const b = right;

    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    if (a->i != b->i)
        return a->i < b->i ? -1 : 1;
    return (a->j > b->j) - (a->j < b->j);
}

/* target (n x n) from ranks. */
static kedge_status rank_pairs(const double *distance, size_t n,
                               double *target, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t all = n * (n - 1) / 2;
    pair *pairs = NULL;
    size_t count = 0;

    TRY_MEM(pairs = mem_new(all, sizeof *pairs));
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            pairs[count++] = (pair){distance[i * n + j], i, j};
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t p = 0; p < count; p++) {
        const double rank = (double)(p + 1) / (double)count;
        target[pairs[p].i * n + pairs[p].j] =
            target[pairs[p].j * n + pairs[p].i] = LEAST + (1 - LEAST) * rank;
    }
out:
    mem_free(pairs);
    return st;
}

/* Where the others would like to have thing i, by their weights. */
static void draw_one(const double *target, size_t n, size_t i, placed *out)
{
    double x = 0, y = 0, sum = 0;

    for (size_t j = 0; j < n; j++) {
        const double t = target[i * n + j];
        const double dx = out[i].x - out[j].x, dy = out[i].y - out[j].y;
        const double length = sqrt(dx * dx + dy * dy);
        const double weight = 1 / (t * t);
        const double pull = length > 1e-9 ? t / length : 0;
        if (j == i)
            continue;
        x += weight * (out[j].x + pull * dx);
        y += weight * (out[j].y + pull * dy);
        sum += weight;
    }
    if (sum > 0) {
        out[i].x = x / sum;
        out[i].y = y / sum;
    }
}

/* By the larger axis of the scatter around the middle. */
static void turn_wide(size_t n, placed *out)
{
    double x = 0, y = 0, xx = 0, xy = 0, yy = 0, angle;

    for (size_t i = 0; i < n; i++) {
        x += out[i].x / (double)n;
        y += out[i].y / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        out[i].x -= x;
        out[i].y -= y;
        xx += out[i].x * out[i].x;
        xy += out[i].x * out[i].y;
        yy += out[i].y * out[i].y;
    }
    angle = 0.5 * atan2(2 * xy, xx - yy);
    for (size_t i = 0; i < n; i++) {
        const placed p = out[i];
        out[i].x = cos(angle) * p.x + sin(angle) * p.y;
        out[i].y = cos(angle) * p.y - sin(angle) * p.x;
    }
}

/* A single one far out would leave the others little room: what is r from the
 * middle comes to r^INWARD, in units of the farthest. */
static void draw_inward(size_t n, placed *out)
{
    double far = 0;

    for (size_t i = 0; i < n; i++)
        far = fmax(far, hypot(out[i].x, out[i].y));
    for (size_t i = 0; i < n; i++) {
        const double r = far > 0 ? hypot(out[i].x, out[i].y) / far : 0;
        const double factor = r > 0 ? pow(r, INWARD - 1) : 1;
        out[i].x *= factor;
        out[i].y *= factor;
    }
}

static void size_circles(const double *share, size_t n, placed *out)
{
    const double filled = FILLED + (n < FEW ? MORE * (double)(FEW - n) : 0);
    double reach = 0, sum = 0;

    for (size_t i = 0; i < n; i++) {
        reach = fmax(reach, fmax(fabs(out[i].x), fabs(out[i].y)));
        sum += share[i];
    }
    if (!(reach > 0))
        reach = 1;
    for (size_t i = 0; i < n; i++)
        out[i].r = 2 * reach *
                   sqrt(filled / (TURN / 2) * share[i] /
                        (sum > 0 ? sum : 1));
}

/* Two circles that overlap go half the way each, those in the same place
 * sideways. Should they still overlap in the end, all becomes wider until none
 * does. */
static void push_apart(size_t n, placed *out)
{
    double wide = 1;
    bool moved = true;

    for (int round = 0; round < PUSHES && moved; round++) {
        moved = false;
        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++) {
                placed *const a = &out[i], *const b = &out[j];
                const double need = a->r + b->r + GAP;
                double dx = b->x - a->x, dy = b->y - a->y;
                double length = sqrt(dx * dx + dy * dy), half;
                if (length >= need)
                    continue;
                if (length < 1e-9) {
                    dx = length = 1e-9;
                    dy = 0;
                }
                half = (need - length) / 2 / length;
                a->x -= half * dx;
                a->y -= half * dy;
                b->x += half * dx;
                b->y += half * dy;
                moved = true;
            }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            const double dx = out[i].x - out[j].x, dy = out[i].y - out[j].y;
            const double length = sqrt(dx * dx + dy * dy);
            if (length > 0)
                wide = fmax(wide, (out[i].r + out[j].r) / length);
        }
    for (size_t i = 0; i < n; i++) {
        out[i].x *= wide;
        out[i].y *= wide;
    }
}

/* Into 0 to 1 across. */
static void fit(size_t n, placed *out, double *height)
{
    double left = INFINITY, right = -INFINITY, top = INFINITY, bottom = 0;
    double scale;

    for (size_t i = 0; i < n; i++) {
        left = fmin(left, out[i].x - out[i].r);
        right = fmax(right, out[i].x + out[i].r);
        top = fmin(top, out[i].y - out[i].r);
    }
    scale = right > left ? 1 / (right - left) : 1;
    for (size_t i = 0; i < n; i++) {
        out[i].x = (out[i].x - left) * scale;
        out[i].y = (out[i].y - top) * scale;
        out[i].r *= scale;
        bottom = fmax(bottom, out[i].y + out[i].r);
    }
    *height = bottom;
}

kedge_status placement_find(const double *distance, const size_t *order,
                            const double *share, size_t n, placed *out,
                            double *height, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double *target = NULL;

    TRY_MEM(target = mem_new2(n, n, sizeof *target));
    TRY(rank_pairs(distance, n, target, err));
    for (size_t i = 0; i < n; i++) {
        const double turn = TURN * (double)i / (double)n;
        out[order[i]] = (placed){.x = 0.5 * cos(turn), .y = 0.5 * sin(turn)};
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t i = 0; i < n; i++)
            draw_one(target, n, i, out);
    turn_wide(n, out);
    draw_inward(n, out);
    size_circles(share, n, out);
    push_apart(n, out);
    fit(n, out, height);
out:
    mem_free(target);
    return st;
}
