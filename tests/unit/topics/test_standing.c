/* SPDX-License-Identifier: MIT */
#include "topics/simplices.h"

#define ROWS 200
#define K    6

/* Points with the anchors that pivoted QR chooses of them. */
typedef struct setting {
    simplices s;
    anchors_found found;
    bool candidate[ROWS];
} setting;

static setting begin(uint64_t seed)
{
    setting t = {.s = simplices_cloud(K, ROWS, 1, seed)};
    kedge_error err = {0};

    memset(t.candidate, true, sizeof t.candidate);
    ck_ok(simplices_find(&t.s, KEDGE_ANCHORS_QR, 2, &t.found, &err), err);
    return t;
}

static void end(setting *t)
{
    simplices_free(&t->s);
}

static void find(setting *t, standing *asked, size_t count)
{
    OWN(pool_end) pool *p = dense_pool(2);
    kedge_error err = {0};

    ck_ok(standing_find(p, ROWS, K, t->s.x, t->candidate, t->found.row, asked,
                        count, &err), err);
}

TEST(anchors_stand_first_at_their_own_step)
{
    OWN(end) setting t = begin(4);
    standing asked[K];

    for (size_t a = 0; a < K; a++)
        asked[a].row = t.found.row[a];
    find(&t, asked, K);
    for (size_t a = 0; a < K; a++) {
        ck_assert_uint_eq(asked[a].row, t.found.row[a]);
        ck_assert_uint_eq(asked[a].step, a);
        ck_assert_uint_eq(asked[a].rank, 1);
        ck_assert_double_eq_tol(asked[a].share, 1, 1e-12);
    }
}

/* At step 0 by their lengths; later they can but come nearer. */
TEST(others_stand_behind)
{
    OWN(end) setting t = begin(5);
    standing asked[ROWS];
    double length[ROWS];
    size_t second = ROWS;

    for (size_t i = 0; i < ROWS; i++) {
        asked[i].row = i;
        length[i] = dense_norm(t.s.x + i * K, K);
        if (i != t.found.row[0] &&
            (second == ROWS || length[i] > length[second]))
            second = i;
    }
    find(&t, asked, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        size_t longer = 0;
        for (size_t j = 0; j < ROWS; j++)
            longer += length[j] > length[i];
        ck_assert_double_le(asked[i].share, 1 + 1e-12);
        ck_assert_uint_ge(asked[i].rank, 1);
        ck_assert_uint_le(asked[i].rank, longer + 1);
        if (asked[i].step == 0)
            ck_assert_double_eq_tol(asked[i].share,
                                    length[i] / t.found.residual[0], 1e-12);
    }
    ck_assert_uint_le(asked[second].rank, 2);
    ck_assert(asked[second].rank == 1 || asked[second].step == 0);
}

TEST(ranks_are_among_candidates)
{
    OWN(end) setting t = begin(6);
    standing one = {.row = t.found.row[0] == 0};

    for (size_t i = 0; i < ROWS; i++)
        t.candidate[i] = i == one.row;
    find(&t, &one, 1);
    ck_assert_uint_eq(one.rank, 1);
}

TEST(standing_without_memory)
{
    GATE_LOOP {
        OWN(end) setting t = begin(7);
        OWN(pool_end) pool *p = dense_pool(2);
        standing one = {.row = 3};
        kedge_error err = {0};
        GATE_TRY(standing_find(p, ROWS, K, t.s.x, t.candidate, t.found.row,
                               &one, 1, &err));
    }
}
