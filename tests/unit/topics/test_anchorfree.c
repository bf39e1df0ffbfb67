/* SPDX-License-Identifier: MIT */
#include "topics/separable.h"

/* Every word is of two topics, of neither more than `most`, in turn, this way
 * and that; with anchors, the first k are of one alone. */
static model mixed(size_t rows, size_t k, double most, bool anchors,
                   uint64_t seed)
{
    chance r = {.key = seed};
    model m = model_new(rows, k);

    for (size_t i = 0; i < rows; i++) {
        const size_t one = i % k, other = (one + 1 + i / k % (k - 1)) % k;
        const double size = 0.2 + chance_unit(&r);
        const double part =
            anchors && i < k           ? 1
            : chance_below(&r, 3) == 0 ? most
                                       : 1 - most + (2 * most - 1) *
                                                        chance_unit(&r);
        m.b[i * k + one] = size * part;
        m.b[i * k + other] = size * (1 - part);
    }
    dense_columns_to_one(m.b, rows, k);
    model_correlate(&m, &r);
    return m;
}

static law_input free_input(const model *m)
{
    law_input in = input_of(m, false);

    in.ways.recover = KEDGE_RECOVER_ANCHOR_FREE;
    return in;
}

/* The mean over topics of |b - b found|_1, each with the one that is nearest;
 * which one that is. */
static double apart(const model *m, const law_output *o, size_t *of)
{
    const size_t k = m->k;
    double sum = 0;

    for (size_t t = 0; t < k; t++) {
        double least = INFINITY;
        for (size_t u = 0; u < k; u++) {
            double l1 = 0;
            for (size_t i = 0; i < m->rows; i++)
                l1 += fabs(m->b[i * k + t] - o->b[i * k + u]);
            if (l1 < least) {
                least = l1;
                of[t] = u;
            }
        }
        sum += least;
    }
    return sum / (double)k;
}

/* Which anchors do not find. */
TEST(topics_without_anchors_are_found)
{
    static const double most[] = {0.7, 0.7, 0.65, 0.6};

    for (uint64_t seed = 0; seed < 16; seed++) {
        const size_t k = 3 + seed % 4;
        OWN(model_free) model m = mixed(60 * k, k, most[seed % 4], false,
                                        seed);
        double total = 0;
        size_t of[8];
        if (seed % 8 >= 4)
            model_weigh(&m, seed);
        law_input in = free_input(&m);
        OWN(law_free) law_output o = fit(&in, 1 + (unsigned)seed % 2);
        ck_assert_msg(apart(&m, &o, of) < 1e-3, "seed %d: %g", (int)seed,
                      apart(&m, &o, of));
        for (size_t i = 0; i < k * k; i++)
            total += o.a[i];
        for (size_t i = 0; i < k * k; i++)
            ck_assert_double_eq_tol(o.a[of[i / k] * k + of[i % k]] / total,
                                    m.a[i], 1e-3);
        in.ways.recover = KEDGE_RECOVER_L2;
        OWN(law_free) law_output by_anchors = fit(&in, 1);
        ck_assert_double_gt(apart(&m, &by_anchors, of), 0.2);
    }
}

/* Where there are anchors it finds what they do. */
TEST(anchors_are_found_too)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        const size_t k = 3 + seed;
        OWN(model_free) model m = mixed(40 * k, k, 0.8, true, seed);
        size_t of[8];
        if (seed % 2 == 1)
            model_weigh(&m, seed);
        const law_input in = free_input(&m);
        OWN(law_free) law_output o = fit(&in, 2);
        ck_assert_double_lt(apart(&m, &o, of), 1e-3);
        for (size_t t = 0; t < k; t++)
            ck_assert_uint_eq(o.anchor[of[t]], t);
    }
}

/* Words that co-occur most with a topic are those of largest D B A. */
TEST(what_comes_out_is_a_model)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        const size_t k = 3, rows = seed < 4 ? 30 : 90;
        const size_t keep = rows < 40 ? rows : 40;
        OWN(model_free) model m = mixed(rows, k, 0.7, false, seed);
        if (seed % 2 == 1)
            model_weigh(&m, seed);
        const law_input in = free_input(&m);
        m.df[7] = 2; /* no constraint, and no stand-in for an anchor */
        OWN(law_free) law_output o = fit(&in, 1);
        check_shape(&o, rows, k);
        ck_assert_uint_eq(o.candidates, rows - 1);
        ck_assert_uint_ge(o.steps, 1);
        ck_assert_uint_eq(o.characteristic_count, keep);
        for (size_t t = 0; t < k; t++) {
            double last = INFINITY;
            ck_assert_uint_ne(o.anchor[t], 7);
            for (size_t j = 0; j < keep; j++) {
                const size_t i = o.characteristic[t * LAW_CHARACTERISTIC + j];
                double v = 0;
                for (size_t u = 0; u < k; u++)
                    v += o.b[i * k + u] * o.a[u * k + t];
                v *= m.weight != NULL ? m.weight[i] : 1;
                ck_assert_double_le(v, last * (1 + 1e-9));
                last = v;
            }
        }
    }
}

TEST(threads_leave_no_trace)
{
    OWN(model_free) model m = mixed(200, 5, 0.65, false, 9);

    model_weigh(&m, 9);
    const law_input in = free_input(&m);
    check_threads(&in);
}

static int stop_at_once(void *data)
{
    (void)data;
    return 1;
}

TEST(what_does_not_work_is_told)
{
    OWN(model_free) model m = mixed(40, 3, 0.7, false, 1);
    const kedge_control control = {.stop = stop_at_once};
    law_input in = free_input(&m);

    in.control = &control;
    check_fails(&in, KEDGE_ECANCELED, "");
    in.control = NULL;
    in.min_df = 51;
    check_fails(&in, KEDGE_ENUMERIC, "0 words are in 51 documents");
    in.min_df = 10;
    for (size_t i = 0; i < m.rows; i++) /* one dimension fewer */
        m.y[i * 3 + 2] = 0;
    check_fails(&in, KEDGE_ENUMERIC, "");
}

TEST(no_memory_is_survived)
{
    OWN(model_free) model m = mixed(20, 3, 0.7, true, 2);
    const law_input in = free_input(&m);

    check_memory(&in);
}
