/* SPDX-License-Identifier: MIT */
#include "topics/anchors.h"

#include <stdio.h>

#include "base/gate.h"
#include "topics/squarematrix.h"

#define MOST 16 /* anchors */

typedef struct finding {
    squarematrix m;
    anchors_matrix counted;
    anchors_input in;
    uint64_t *candidate;
    double *scratch;
    uint64_t chosen[MOST];
    double residual[MOST];
} finding;

/* Of all rows but each `but`-th, or of all (0). */
static void begin(finding *f, squarematrix m, size_t k, size_t but)
{
    *f = (finding){.m = m, .candidate = calloc(m.rows, sizeof(uint64_t)),
                   .scratch = dense_new(m.rows, k)};
    f->in = (anchors_input){.kind = KEDGE_ANCHORS_COUNTED, .k = k,
                            .candidate = f->candidate,
                            .scratch = f->scratch};
    for (size_t i = 0; i < m.rows; i++)
        if (but == 0 || i % but != 0)
            f->candidate[f->in.candidates++] = i;
}

static kedge_status find(finding *f, kedge_error *err)
{
    f->counted = squarematrix_counted(&f->m);
    f->in.counted = &f->counted;
    f->m.products = f->m.looks = 0;
    return counted_find(NULL, &f->in, f->chosen, f->residual, err);
}

static void end(finding *f)
{
    squarematrix_free(&f->m);
    free(f->candidate);
    free(f->scratch);
}

/* ---- the same by modified Gram-Schmidt on whole rows --------------------- */

static void strip(double *row, const double *q, size_t n)
{
    double along = 0;

    for (size_t j = 0; j < n; j++)
        along += row[j] * q[j];
    for (size_t j = 0; j < n; j++)
        row[j] -= along * q[j];
}

/* The first of those that are as long as the longest. */
static size_t longest(const double *rest, size_t count, size_t n)
{
    double most = 0;
    size_t place = 0;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, dense_norm(rest + i * n, n));
    while (dense_norm(rest + place * n, n) < (1 - 1e-9) * most)
        place++;
    return place;
}

/* How many there are, of rows that are copied and destroyed. */
static size_t naive(const finding *f, uint64_t *chosen, double *residual)
{
    const size_t n = f->m.rows, count = f->in.candidates;
    OWNED double *rest = dense_new(count, n), *q = dense_new(n, 1);
    size_t a = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t row = f->candidate[i];
        for (size_t j = 0; j < n && f->m.sums[row] > 0; j++)
            rest[i * n + j] = f->m.c[row * n + j] / f->m.sums[row];
    }
    for (; a < f->in.k; a++) {
        const size_t place = longest(rest, count, n);
        residual[a] = dense_norm(rest + place * n, n);
        if (residual[a] <= 1e-12 * residual[0])
            break;
        chosen[a] = f->candidate[place];
        for (size_t j = 0; j < n; j++)
            q[j] = rest[place * n + j] / residual[a];
        for (size_t i = 0; i < count; i++) {
            strip(rest + i * n, q, n);
            strip(rest + i * n, q, n);
        }
    }
    return a;
}

/* They are those; `near` relatively. */
static void check(finding *f, double near)
{
    kedge_error err = {0};
    uint64_t chosen[MOST];
    double residual[MOST];

    ck_ok(find(f, &err), err);
    ck_assert_uint_eq(naive(f, chosen, residual), f->in.k);
    for (size_t a = 0; a < f->in.k; a++) {
        ck_assert_uint_eq(f->chosen[a], chosen[a]);
        ck_assert_double_eq_tol(f->residual[a], residual[a],
                                near * residual[a]);
    }
    ck_assert_uint_eq(f->m.products, f->in.k);
}

/* ---- matrices ------------------------------------------------------------ */

/* Symmetric, with one entry in `each` and some rows of nothing. */
static squarematrix sparse(size_t n, size_t each, uint64_t seed)
{
    double *const c = dense_new(n, n);
    chance r = {.key = seed};

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            if (i % 11 != 5 && j % 11 != 5 &&
                (i == j || chance_below(&r, each) == 0))
                c[i * n + j] = c[j * n + i] = pow(chance_unit(&r), 3);
    return squarematrix_of(c, n);
}

/* B B' with k not negative columns, each `fall` times as large as the one
 * before. */
static squarematrix low_rank(size_t n, size_t k, double fall, uint64_t seed)
{
    OWNED double *b = dense_new(n, k);
    chance r = {.key = seed};

    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < k; l++)
            b[i * k + l] = chance_unit(&r) * pow(fall, (double)l);
    double *const c =
        dense_times(dense_as(b, k), dense_turned(b, k), n, k, n);
    return squarematrix_of(c, n);
}

TEST(anchors_are_those_of_the_plain_way)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        finding f;
        begin(&f, sparse(20 + 3 * seed, 2 + seed % 9, seed),
              1 + seed % (MOST - 1), seed % 3 == 0 ? 0 : 1 + seed % 3);
        check(&f, 1e-9);
        ck_assert_uint_eq(f.m.looks, f.in.k); /* none was in doubt */
        end(&f);
    }
}

/* What is left of rows is 1e-4 of what it was, and then again: by the recursion
 * alone lengths are then rounding errors. */
TEST(what_was_lost_is_computed_anew)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        finding f;
        begin(&f, low_rank(30 + 2 * seed, 3, 1e-2, seed), 3, 0);
        check(&f, 1e-6);
        ck_assert_uint_gt(f.m.looks, 3);
        end(&f);
    }
}

TEST(too_few_dimensions_are_told)
{
    for (uint64_t seed = 0; seed < 24; seed++) {
        kedge_error err = {0};
        finding f;
        const size_t rank = 1 + seed % 6;
        uint64_t chosen[MOST];
        double residual[MOST];
        char says[40];
        begin(&f, low_rank(40, rank, 0.9, seed), 7, 0);
        ck_assert_uint_eq(naive(&f, chosen, residual), rank);
        snprintf(says, sizeof says, "only %zu of 7", rank);
        ck_fails(find(&f, &err), KEDGE_ENUMERIC, err, says);
        f.in.k = rank;
        check(&f, 1e-9);
        end(&f);
    }
}

TEST(rows_of_nothing_are_no_anchors)
{
    kedge_error err = {0};
    finding f;

    begin(&f, squarematrix_of(dense_new(9, 9), 9), 2, 0);
    ck_fails(find(&f, &err), KEDGE_ENUMERIC, err, "only 0 of 2");
    f.in.candidates = 0;
    ck_fails(find(&f, &err), KEDGE_ENUMERIC, err, "among 0");
    f.in.candidates = 9;
    f.m.c[3 * 9 + 4] = f.m.c[4 * 9 + 3] = 1;
    f.m.sums[3] = f.m.sums[4] = 1;
    check(&f, 1e-15);
    ck_assert_uint_eq(f.chosen[0], 3);
    ck_assert_uint_eq(f.chosen[1], 4);
    f.m.sums[3] = 0; /* whatever its numbers */
    f.in.k = 1;
    check(&f, 1e-15);
    ck_assert_uint_eq(f.chosen[0], 4);
    end(&f);
}

/* Threes of words that are in the same documents: their rows have the same
 * numbers in another order, and lengths that differ by rounding. */
TEST(ties_go_to_the_first)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        const size_t n = 3 * MOST;
        double *const c = dense_new(n, n);
        chance r = {.key = seed};
        finding f;
        for (size_t b = 0; b < MOST; b++) {
            double of[3];
            for (size_t i = 0; i < 3; i++)
                of[i] = (1 + chance_unit(&r)) / 3;
            for (size_t i = 0; i < 9; i++)
                c[(b + i / 3 * MOST) * n + b + i % 3 * MOST] =
                    of[(i / 3 + i % 3) % 3];
        }
        begin(&f, squarematrix_of(c, n), MOST, 0);
        check(&f, 1e-9);
        for (size_t a = 0; a < MOST; a++)
            ck_assert_uint_lt(f.chosen[a], MOST);
        end(&f);
    }
}

typedef struct hearing {
    uint64_t done;
    unsigned calls, stop_at;
} hearing;

static void hear(void *data, const kedge_progress *now)
{
    hearing *const h = data;

    ck_assert_uint_ge(now->done, h->done);
    h->done = now->done;
    h->calls++;
}

static int stop(void *data)
{
    hearing *const h = data;

    return h->calls >= h->stop_at;
}

TEST(it_is_told_of_and_can_be_stopped)
{
    for (unsigned at = 1; at < 6; at++) {
        hearing h = {.stop_at = at};
        const kedge_control control = {.progress = hear, .stop = stop,
                                       .data = &h};
        const stage told = stage_begin(&control, "anchors", 5, "topics");
        kedge_error err = {0};
        finding f;
        begin(&f, sparse(50, 3, at), 5, 0);
        f.in.stage = &told;
        h.calls = 0;
        ck_assert_int_eq(find(&f, &err), KEDGE_ECANCELED);
        ck_assert_uint_eq(f.m.products, at);
        h = (hearing){.stop_at = 99};
        ck_ok(find(&f, &err), err);
        ck_assert_uint_eq(h.done, 5);
        end(&f);
    }
}

TEST(no_memory_is_survived)
{
    kedge_error err = {0};
    finding f;

    begin(&f, sparse(30, 3, 1), 4, 0);
    GATE_LOOP {
        GATE_TRY(find(&f, &err));
    }
    end(&f);
}
