/* SPDX-License-Identifier: MIT */
#include "topics/match.h"

#include "base/gate.h"
#include "linalg/dense.h"

/* ---- two models made by hand --------------------------------------------- */

/* Rows of either model, whole; words of the left model are 0, 2, 3, 4, ... and
 * of the right one 1, 2, 3, ...: all but one row are common. */
typedef struct side {
    match_side m;
    double *b;
    uint32_t *row;
    uint64_t *anchor;
    size_t rows;
} side;

static side side_make(size_t rows, size_t k, uint64_t seed)
{
    side s = {.rows = rows, .b = dense_new(rows, k),
              .row = calloc(rows, sizeof *s.row),
              .anchor = calloc(k, sizeof *s.anchor)};
    chance c = {.key = seed};

    for (size_t t = 0; t < k; t++) {
        double sum = 0;
        for (size_t i = 0; i < rows; i++)
            s.b[i * k + t] = chance_below(&c, 3) == 0
                                 ? 0
                                 : pow(chance_unit(&c), 6) + 1e-6;
        s.b[(t % rows) * k + t] += 0.5;
        s.anchor[t] = t % rows;
        for (size_t i = 0; i < rows; i++)
            sum += s.b[i * k + t];
        for (size_t i = 0; i < rows; i++)
            s.b[i * k + t] /= sum;
    }
    for (size_t i = 0; i + 1 < rows; i++)
        s.row[i] = (uint32_t)i + 1;
    s.m = (match_side){s.b, k, s.row, s.anchor};
    return s;
}

static void side_free(side *s)
{
    free(s->b);
    free(s->row);
    free(s->anchor);
}

/* By the definition: row 0 of each is a word that the other lacks. */
static double plain_distance(const side *l, size_t i, const side *r, size_t j)
{
    double sum = l->b[i] + r->b[j];

    for (size_t w = 1; w < l->rows; w++)
        sum += fabs(l->b[w * l->m.k + i] - r->b[w * r->m.k + j]);
    return sum / 2;
}

TEST(distances_are_total_variation)
{
    static const size_t topics[][2] = {{1, 1}, {5, 3}, {16, 17}, {40, 33}};

    for (size_t n = 0; n < sizeof topics / sizeof *topics; n++) {
        OWN(side_free) side l = side_make(90, topics[n][0], n);
        OWN(side_free) side r = side_make(90, topics[n][1], n + 100);
        OWNED double *d = dense_new(l.m.k, r.m.k);
        OWN(pool_end) pool *p = dense_pool(1 + (unsigned)n % 3);
        match_distances(p, &l.m, &r.m, 89, d);
        for (size_t i = 0; i < l.m.k; i++)
            for (size_t j = 0; j < r.m.k; j++)
                ck_assert_double_eq_tol(d[i * r.m.k + j],
                                        plain_distance(&l, i, &r, j), 1e-12);
    }
}

TEST(distances_do_not_depend_on_threads)
{
    OWN(side_free) side l = side_make(3000, 50, 1);
    OWN(side_free) side r = side_make(3000, 45, 2);
    OWNED double *one = dense_new(50, 45), *many = dense_new(50, 45);

    for (unsigned threads = 1; threads <= 4; threads++) {
        OWN(pool_end) pool *p = dense_pool(threads);
        match_distances(p, &l.m, &r.m, 2999, threads == 1 ? one : many);
        if (threads > 1)
            ck_assert_mem_eq(one, many, 50 * 45 * sizeof *one);
    }
}

/* Without a word in common, and with rows that are summed in any order. */
TEST(distances_stay_within_0_and_1)
{
    OWN(side_free) side s = side_make(500, 8, 3);
    double d[64];
    OWN(pool_end) pool *p = dense_pool(1);

    match_distances(p, &s.m, &s.m, 0, d);
    for (size_t i = 0; i < 64; i++)
        ck_assert_double_eq(d[i], 1);
    for (size_t i = 0; i < 500; i++)
        s.row[i] = (uint32_t)i;
    match_distances(p, &s.m, &s.m, 500, d);
    for (size_t i = 0; i < 8; i++) {
        ck_assert_double_ge(d[i * 9], 0);
        ck_assert_double_le(d[i * 9], 1e-14);
    }
}

/* ---- assignment ---------------------------------------------------------- */

/* Every pair that could be formed counts: with its cost, or with the limit. */
static double total(const double *cost, size_t rows, size_t cols, double limit,
                    const size_t *partner)
{
    double sum = 0;
    size_t left = rows < cols ? rows : cols;

    for (size_t i = 0; i < rows; i++)
        if (partner[i] != MATCH_NONE) {
            sum += cost[i * cols + partner[i]];
            left--;
        }
    return sum + limit * (double)left;
}

/* The least total over every way to give row `row` and those after it a column
 * or none. */
static double least(const double *cost, size_t rows, size_t cols, double limit,
                    size_t *partner, size_t row)
{
    double best;

    if (row == rows)
        return total(cost, rows, cols, limit, partner);
    partner[row] = MATCH_NONE;
    best = least(cost, rows, cols, limit, partner, row + 1);
    for (size_t j = 0; j < cols; j++) {
        bool taken = false;
        for (size_t i = 0; i < row; i++)
            taken |= partner[i] == j;
        if (taken || cost[row * cols + j] > limit)
            continue;
        partner[row] = j;
        best = fmin(best, least(cost, rows, cols, limit, partner, row + 1));
    }
    return best;
}

static void check_pairs(const double *cost, size_t rows, size_t cols,
                        double limit, const size_t *partner)
{
    OWNED bool *taken = calloc(cols + 1, sizeof *taken);

    for (size_t i = 0; i < rows; i++) {
        if (partner[i] == MATCH_NONE)
            continue;
        ck_assert_uint_lt(partner[i], cols);
        ck_assert(!taken[partner[i]]);
        taken[partner[i]] = true;
        ck_assert_double_le(cost[i * cols + partner[i]], limit);
    }
}

/* Costs of few values tie often. */
TEST(assignment_is_the_best_there_is)
{
    kedge_error err = {0};

    for (uint64_t seed = 0; seed < 600; seed++) {
        chance c = {.key = seed};
        const size_t rows = chance_below(&c, 6), cols = chance_below(&c, 6);
        const bool coarse = chance_below(&c, 2) == 0;
        const double limit = 0.2 + 0.8 * chance_unit(&c);
        double cost[36];
        size_t partner[6], tried[6];

        for (size_t i = 0; i < rows * cols; i++)
            cost[i] = coarse ? (double)chance_below(&c, 5) / 4
                             : chance_unit(&c);
        ck_ok(match_assign(cost, rows, cols, limit, partner, &err), err);
        check_pairs(cost, rows, cols, limit, partner);
        ck_assert_double_eq_tol(total(cost, rows, cols, limit, partner),
                                least(cost, rows, cols, limit, tried, 0),
                                1e-10);
    }
}

/* A permutation is hidden among costs that are all larger. */
TEST(assignment_undoes_a_permutation)
{
    static const size_t sizes[] = {1, 2, 37, 300};
    kedge_error err = {0};

    for (size_t n = 0; n < 4; n++)
        for (size_t more = 0; more < 20; more += 19) {
            const size_t k = sizes[n], cols = k + more;
            OWNED double *cost = dense_new(k, cols);
            OWNED size_t *order = calloc(cols, sizeof *order);
            OWNED size_t *partner = calloc(k, sizeof *partner);
            chance c = {.key = n};
            for (size_t j = 0; j < cols; j++) {
                const size_t other = chance_below(&c, j + 1);
                order[j] = order[other];
                order[other] = j;
            }
            for (size_t i = 0; i < k * cols; i++)
                cost[i] = i % cols == order[i / cols]
                              ? 0.3 * chance_unit(&c)
                              : 0.3 + 0.7 * chance_unit(&c);
            ck_ok(match_assign(cost, k, cols, 0.3, partner, &err), err);
            ck_assert_mem_eq(partner, order, k * sizeof *partner);
        }
}

/* Turned round it costs the same; and no exchange of two partners helps. */
TEST(assignment_of_many_cannot_be_bettered_by_two)
{
    const size_t rows = 250, cols = 310;
    OWNED double *cost = dense_new(rows, cols);
    OWNED double *turned = dense_new(cols, rows);
    size_t partner[250], owner[310];
    kedge_error err = {0};
    chance c = {.key = 5};

    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            cost[i * cols + j] = turned[j * rows + i] = chance_unit(&c);
    ck_ok(match_assign(cost, rows, cols, 1, partner, &err), err);
    ck_ok(match_assign(turned, cols, rows, 1, owner, &err), err);
    check_pairs(cost, rows, cols, 1, partner);
    check_pairs(turned, cols, rows, 1, owner);
    ck_assert_double_eq_tol(total(cost, rows, cols, 1, partner),
                            total(turned, cols, rows, 1, owner), 1e-8);
    for (size_t i = 0; i < rows; i++)
        for (size_t l = 0; l < i; l++)
            ck_assert_double_le(cost[i * cols + partner[i]] +
                                    cost[l * cols + partner[l]],
                                cost[i * cols + partner[l]] +
                                    cost[l * cols + partner[i]] + 1e-11);
}

TEST(pairs_above_the_limit_keep_nobody_from_forming)
{
    /* the least plain sum would be that of two beyond the limit */
    const double cost[] = {0.1, 0.52, 0.52, 1.0};
    kedge_error err = {0};
    size_t partner[2];

    ck_ok(match_assign(cost, 2, 2, 0.5, partner, &err), err);
    ck_assert_uint_eq(partner[0], 0);
    ck_assert_uint_eq(partner[1], MATCH_NONE);
    ck_ok(match_assign(cost, 2, 2, 0.05, partner, &err), err);
    ck_assert_uint_eq(partner[0], MATCH_NONE);
}

/* ---- topics -------------------------------------------------------------- */

/* Words 1 .. 9 are common, the anchors of the topics are rows 1, 2, ... */
static kedge_status match(const double *distance, size_t left,
                          const uint64_t *left_anchor, size_t right,
                          const uint64_t *right_anchor, size_t *partner)
{
    static const uint32_t row[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const match_side l = {NULL, left, row, left_anchor};
    const match_side r = {NULL, right, row, right_anchor};
    kedge_error err;

    return match_topics(&l, &r, 9, distance, partner, &err);
}

TEST(anchors_come_first)
{
    static const uint64_t anchor[] = {1, 2, 3}, other[] = {2, 1, 7};
    double distance[] = {0.1, 0.45, 0.9,  /* anchor 1: is topic 1 there */
                         0.4, 0.05, 0.9,  /* anchor 2: is topic 0 there */
                         0.9, 0.9, 0.69}; /* by distance */
    size_t partner[3];

    ck_assert_int_eq(match(distance, 3, anchor, 3, other, partner), KEDGE_OK);
    ck_assert_uint_eq(partner[0], 1);
    ck_assert_uint_eq(partner[1], 0);
    ck_assert_uint_eq(partner[2], 2);
    distance[1] = 0.61; /* too far for the anchor alone */
    distance[8] = 0.71; /* too far at all */
    ck_assert_int_eq(match(distance, 3, anchor, 3, other, partner), KEDGE_OK);
    ck_assert_uint_eq(partner[0], 1); /* by distance then */
    ck_assert_uint_eq(partner[1], 0);
    ck_assert_uint_eq(partner[2], MATCH_NONE);
    distance[3] = 0.61; /* none by anchor: the least sum */
    ck_assert_int_eq(match(distance, 3, anchor, 3, other, partner), KEDGE_OK);
    ck_assert_uint_eq(partner[0], 0);
    ck_assert_uint_eq(partner[1], 1);
}

/* Rows that are not common, 0 and 10, are different words. */
TEST(anchors_that_only_one_model_has_are_no_pair)
{
    static const uint64_t anchor[] = {0, 10};
    static const double distance[] = {0.3, 0.1, 0.1, 0.3};
    size_t partner[2];

    ck_assert_int_eq(match(distance, 2, anchor, 2, anchor, partner), KEDGE_OK);
    ck_assert_uint_eq(partner[0], 1);
    ck_assert_uint_eq(partner[1], 0);
}

TEST(models_of_other_sizes_match_as_far_as_they_go)
{
    static const uint64_t anchor[] = {1, 2, 3};
    static const double distance[] = {0.5, 0.2, 0.65};
    size_t partner[3];

    ck_assert_int_eq(match(distance, 1, anchor + 2, 3, anchor, partner),
                     KEDGE_OK); /* 0.65 is too far for the anchor */
    ck_assert_uint_eq(partner[0], 1);
    ck_assert_int_eq(match(distance, 3, anchor, 1, anchor + 2, partner),
                     KEDGE_OK);
    ck_assert_uint_eq(partner[0], MATCH_NONE);
    ck_assert_uint_eq(partner[1], 0);
    ck_assert_uint_eq(partner[2], MATCH_NONE);
}

static void check_order(const size_t *partner, size_t old, size_t k,
                        const size_t *expected)
{
    kedge_error err = {0};
    size_t order[8];

    ck_ok(match_order(partner, old, k, order, &err), err);
    ck_assert_mem_eq(order, expected, k * sizeof *order);
}

TEST(numbers_are_kept)
{
    static const size_t partner[] = {2, MATCH_NONE, 0, 3};
    static const size_t same[] = {2, 1, 0, 3}, more[] = {2, 1, 0, 3, 4, 5};
    static const size_t none[] = {MATCH_NONE, MATCH_NONE};
    static const size_t plain[] = {0, 1, 2}, far[] = {MATCH_NONE, 1, 2, 0};
    static const size_t fewer[] = {0, 1, 2};

    check_order(partner, 4, 4, same);
    check_order(partner, 4, 6, more);
    check_order(none, 2, 3, plain);
    check_order(NULL, 0, 3, plain);
    check_order(far, 4, 3, fewer); /* number 3 is not to be had */
}

TEST(matching_without_memory)
{
    static const uint64_t anchor[] = {1, 2, 3};
    static const double distance[9] = {0.1};
    kedge_error err = {0};
    size_t partner[3], order[3];

    GATE_LOOP
        GATE_TRY(match(distance, 3, anchor, 3, anchor + 0, partner));
    GATE_LOOP
        GATE_TRY(match_order(partner, 3, 3, order, &err));
}
