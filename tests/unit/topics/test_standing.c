/* SPDX-License-Identifier: MIT */
#include "topics/anchors.h"

#include "base/gate.h"
#include "linalg/dense.h"

#define ROWS 200
#define K    6

typedef struct scene_of {
    double *x, *residual;
    uint64_t all[ROWS], chosen[K];
    bool candidate[ROWS];
    pool *p;
} scene_of;

/* Points with the anchors that pivoted QR chooses of them. */
static scene_of begin(uint64_t seed)
{
    scene_of s = {.x = dense_random(ROWS, K, seed), .p = dense_pool(2),
                  .residual = dense_new(K, 1)};
    kedge_error err = {0};

    for (size_t i = 0; i < ROWS; i++) {
        s.all[i] = i;
        s.candidate[i] = true;
    }
    ck_ok(anchors_pivot(s.p, s.x, K, s.all, ROWS, K, s.chosen, s.residual,
                        &err), err);
    return s;
}

static void end(scene_of *s)
{
    free(s->x);
    free(s->residual);
    pool_free(s->p);
}

static void find(scene_of *s, standing *asked, size_t count)
{
    const standing_input in = {ROWS, K, s->x, s->candidate, s->chosen};
    kedge_error err = {0};

    ck_ok(standing_find(s->p, &in, asked, count, &err), err);
}

TEST(anchors_stand_first_at_their_own_step)
{
    scene_of s = begin(4);
    standing asked[K];

    for (size_t a = 0; a < K; a++)
        asked[a].row = s.chosen[a];
    find(&s, asked, K);
    for (size_t a = 0; a < K; a++) {
        ck_assert_uint_eq(asked[a].row, s.chosen[a]);
        ck_assert_uint_eq(asked[a].step, a);
        ck_assert_uint_eq(asked[a].rank, 1);
        ck_assert_double_eq_tol(asked[a].share, 1, 1e-12);
    }
    end(&s);
}

/* At step 0 by their lengths; later they can but come nearer. */
TEST(others_stand_behind)
{
    scene_of s = begin(5);
    standing asked[ROWS];
    double length[ROWS];
    size_t second = ROWS;

    for (size_t i = 0; i < ROWS; i++) {
        asked[i].row = i;
        length[i] = dense_norm(s.x + i * K, K);
        if (i != s.chosen[0] &&
            (second == ROWS || length[i] > length[second]))
            second = i;
    }
    find(&s, asked, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        size_t longer = 0;
        for (size_t j = 0; j < ROWS; j++)
            longer += length[j] > length[i];
        ck_assert_double_le(asked[i].share, 1 + 1e-12);
        ck_assert_uint_ge(asked[i].rank, 1);
        ck_assert_uint_le(asked[i].rank, longer + 1);
        if (asked[i].step == 0)
            ck_assert_double_eq_tol(asked[i].share,
                                    length[i] / s.residual[0], 1e-12);
    }
    ck_assert_uint_le(asked[second].rank, 2);
    ck_assert(asked[second].rank == 1 || asked[second].step == 0);
    end(&s);
}

TEST(ranks_are_among_candidates)
{
    scene_of s = begin(6);
    standing one = {.row = 0};

    while (one.row == s.chosen[0])
        one.row++;
    for (size_t i = 0; i < ROWS; i++)
        s.candidate[i] = i == one.row;
    find(&s, &one, 1);
    ck_assert_uint_eq(one.rank, 1);
    end(&s);
}

TEST(standing_without_memory)
{

    GATE_LOOP {
        scene_of s = begin(7);
        const standing_input in = {ROWS, K, s.x, s.candidate, s.chosen};
        standing one = {.row = 3};
        kedge_error err = {0};
        GATE_TRY(standing_find(s.p, &in, &one, 1, &err));
        end(&s);
    }
}
