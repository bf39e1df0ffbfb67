/* SPDX-License-Identifier: MIT */
/* law_fit by each of the ways that there are. */
#include "topics/separable.h"
#include "topics/squarematrix.h"

/* Every way to the anchors of a model that has them finds the model. */
TEST(all_ways_recover_it)
{
    static const law_ways ways[] = {
        {.anchors = KEDGE_ANCHORS_FAST},
        {.anchors = KEDGE_ANCHORS_FAST, .project = 1000, .seed = 3},
        {.anchors = KEDGE_ANCHORS_FAST, .project = 30, .seed = 4},
        {.anchors = KEDGE_ANCHORS_SPA},
        {.anchors = KEDGE_ANCHORS_SNPA},
        {.anchors = KEDGE_ANCHORS_XRAY},
        {.solver = KEDGE_SOLVER_ACTIVE_SET},
        {.recover = KEDGE_RECOVER_KL},
        {.recover = KEDGE_RECOVER_INVERSE},
        {.anchors = KEDGE_ANCHORS_XRAY, .recover = KEDGE_RECOVER_KL,
         .legal = true},
        {.solver = KEDGE_SOLVER_EXPGRAD},
    };

    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (uint64_t seed = 0; seed < 6; seed++) {
            OWN(model_free) model m =
                model_make(300 + 50 * seed, 2 + 2 * seed, seed);
            law_input in = input_of(&m, seed % 2 != 0);
            in.ways = ways[w];
            OWN(law_free) law_output o = fit(&in, 1 + (unsigned)seed % 3);
            check_recovery(&m, &o);
        }
}

/* C itself, and all of it: BAB' is C. And of another C than that which Y is of,
 * other anchors, by which topics are made all the same. */
TEST(counted_anchors_are_those_of_the_matrix)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        OWN(model_free) model m =
            model_make(200 + 50 * seed, 2 + 2 * seed, seed);
        OWN(squarematrix_free) squarematrix c = squarematrix_of(
            dense_times(dense_as(m.y, m.k), dense_turned(m.y, m.k), m.rows,
                        m.k, m.rows), m.rows);
        const anchors_matrix counted = squarematrix_counted(&c);
        const size_t first = m.anchor[0] + 1;
        law_input in = input_of(&m, seed % 2 != 0);
        in.ways.anchors = KEDGE_ANCHORS_COUNTED;
        in.counted = &counted;
        OWN(law_free) law_output o = fit(&in, 1 + (unsigned)seed % 3);
        check_recovery(&m, &o);
        memset(c.c + first * m.rows, 0, m.rows * sizeof *c.c);
        c.c[first * m.rows + first] = c.sums[first];
        OWN(law_free) law_output other = fit(&in, 1);
        check_shape(&other, m.rows, m.k);
        size_t found = 0;
        for (size_t t = 0; t < m.k; t++)
            found += other.anchor[t] == first;
        ck_assert_uint_eq(found, 1);
    }
}

TEST(a_projection_has_room_for_the_anchors)
{
    OWN(model_free) model m = model_make(200, 6, 1);
    law_input in = input_of(&m, false);

    in.ways = (law_ways){.anchors = KEDGE_ANCHORS_FAST, .project = 5};
    check_fails(&in, KEDGE_EINVAL, "5 dimensions has no room for 6");
}

/* A sums to one, is not negative, and it is told what it was. */
TEST(correlations_can_be_made_legal)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        OWN(model_free) model m = model_make(300, 5, seed);
        law_input in = input_of(&m, seed % 2 != 0);
        double sum = 0;
        for (size_t i = 0; i < m.rows * m.k; i++)
            m.y[i] *= 1.1;
        OWN(law_free) law_output plain = fit(&in, 1);
        in.ways.legal = true;
        OWN(law_free) law_output o = fit(&in, 1);
        for (size_t i = 0; i < m.k * m.k; i++) {
            ck_assert(o.a[i] >= 0);
            sum += o.a[i];
        }
        ck_assert_double_eq_tol(sum, 1, 1e-12);
        ck_assert_double_eq_tol(o.sum, plain.sum, 1e-12);
        ck_assert_double_eq_tol(plain.sum, 1.21, 1e-3);
        ck_assert_double_eq_tol(o.negative, plain.negative, 1e-12);
        check_shape(&o, m.rows, m.k);
    }
}

/* ---- anchors that are given ---------------------------------------------- */

/* Planted anchors, some or all. */
TEST(given_anchors_are_kept_to)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        OWN(model_free) model m = model_make(300 + 50 * seed, 6, seed);
        size_t begin[] = {0, 1, 2, 3, 4, 5, 6};
        uint64_t row[] = {m.anchor[4], m.anchor[0], m.anchor[1], m.anchor[5],
                          m.anchor[3], m.anchor[2]};
        const given g = {seed % 7, begin, row};
        law_input in = input_of(&m, seed % 2 != 0);
        in.given = &g;
        OWN(law_free) law_output o = fit(&in, 1 + (unsigned)seed % 3);
        check_recovery(&m, &o);
    }
}

/* A second anchor of topic t: a row that is half of the first. */
static void model_twin(model *m, size_t t, size_t row)
{
    const size_t k = m->k, anchor = m->anchor[t];

    for (size_t c = 0; c < k; c++) {
        m->y[row * k + c] = 0.5 * m->y[anchor * k + c];
        m->b[row * k + c] = 0.5 * m->b[anchor * k + c];
    }
    m->sums[row] = 0.5 * m->sums[anchor];
}

/* Two words of one topic alone have its row together, too. */
TEST(anchors_in_tandem_find_their_topic)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        OWN(model_free) model m = model_make(400, 5, seed);
        size_t begin[] = {0, 2, 3, 5};
        uint64_t row[] = {m.anchor[1], 1, m.anchor[3], 2, m.anchor[0]};
        const given g = {3, begin, row};
        law_input in = input_of(&m, false);
        model_twin(&m, 1, 1);
        model_twin(&m, 0, 2);
        OWN(law_free) law_output without = fit(&in, 1);
        in.given = &g;
        in.ways.recover = seed % 2 == 0 ? KEDGE_RECOVER_L2 : KEDGE_RECOVER_KL;
        OWN(law_free) law_output with = fit(&in, 1 + (unsigned)seed % 3);
        for (size_t t = 0; t < m.k; t++) { /* the same topics */
            size_t same = 0;
            for (size_t l = 0; l < m.k; l++) {
                double far = 0;
                for (size_t i = 0; i < m.rows; i++)
                    far += fabs(with.b[i * m.k + t] -
                                without.b[i * m.k + l]);
                same += far < 1e-4;
            }
            ck_assert_uint_eq(same, 1);
        }
    }
}

TEST(given_anchors_that_cannot_be_are_told)
{
    OWN(model_free) model m = model_make(200, 4, 1);
    size_t begin[] = {0, 1, 2};
    uint64_t row[] = {m.anchor[1], 5};
    const given g = {2, begin, row};
    bool banned[200] = {false};
    law_input in = input_of(&m, false);

    in.given = &g;
    model_twin(&m, 1, 5);
    check_fails(&in, KEDGE_ENUMERIC, "given for topic 2 add nothing");
    m.sums[5] = 0;
    check_fails(&in, KEDGE_ENUMERIC,
                "anchor 1 of topic 2 occurs with no other");
    in.given = NULL;
    in.banned = banned;
    m.sums[5] = 1;
    for (size_t t = 0; t < 4; t++)
        banned[m.anchor[t]] = true;
    OWN(law_free) law_output o = fit(&in, 1);
    for (size_t t = 0; t < 4; t++)
        ck_assert(!banned[o.anchor[t]]);
}
