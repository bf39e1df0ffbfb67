/* SPDX-License-Identifier: MIT */
#include "export/page.h"

#include "base/gate.h"
#include "chancemodel.h"

/* ---- order --------------------------------------------------------------- */

#define THINGS 60

typedef struct row {
    double distance[THINGS * THINGS];
    size_t order[THINGS], group[THINGS];
} row;

static void order_line(row *r, const double *x, size_t n, size_t groups)
{
    kedge_error err = {0};

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            r->distance[i * n + j] = fabs(x[i] - x[j]);
    ck_ok(seriation_find(r->distance, n, groups, r->order, r->group, &err),
          err);
}

/* Everything once; groups are stretches, numbered as they come. */
static void check_row(const row *r, size_t n, size_t groups)
{
    bool seen[THINGS] = {false};
    size_t last = 0;

    for (size_t i = 0; i < n; i++) {
        const size_t g = r->group[r->order[i]];
        ck_assert_uint_lt(r->order[i], n);
        ck_assert(!seen[r->order[i]]);
        seen[r->order[i]] = true;
        ck_assert(i == 0 ? g == 0 : g == last || g == last + 1);
        last = g;
    }
    ck_assert_uint_eq(last + 1, n < groups ? n : groups);
}

TEST(points_of_a_line_come_out_in_its_order)
{
    static row r;
    chance c = {.key = 3};
    double x[THINGS];

    for (size_t n = 1; n <= THINGS; n += n < 10 ? 1 : 10) {
        for (size_t i = 0; i < n; i++)
            x[i] = chance_unit(&c);
        for (size_t groups = 1; groups < 10; groups += 4) {
            order_line(&r, x, n, groups);
            check_row(&r, n, groups);
            for (size_t i = 2; i < n; i++)
                ck_assert((x[r.order[1]] > x[r.order[0]]) ==
                          (x[r.order[i]] > x[r.order[i - 1]]));
        }
    }
}

TEST(planted_groups_are_found)
{
    static row r;
    chance c = {.key = 5};
    double x[THINGS];

    for (size_t i = 0; i < THINGS; i++)
        x[i] = 100 * (double)(i * 7 % 5) + chance_unit(&c);
    order_line(&r, x, THINGS, 5);
    check_row(&r, THINGS, 5);
    for (size_t i = 0; i < THINGS; i++)
        for (size_t j = 0; j < THINGS; j++)
            ck_assert((r.group[i] == r.group[j]) == (i * 7 % 5 == j * 7 % 5));
}

TEST(equal_distances_are_no_trouble)
{
    static row r;
    const double x[THINGS] = {0};

    order_line(&r, x, THINGS, 8);
    check_row(&r, THINGS, 8);
    order_line(&r, x, 1, 8);
    ck_assert_uint_eq(r.order[0], 0);
}

/* ---- places -------------------------------------------------------------- */

#define CIRCLES 120

typedef struct plane {
    size_t n;
    double distance[CIRCLES * CIRCLES], share[CIRCLES], height;
    size_t order[CIRCLES];
    placed at[CIRCLES];
} plane;

/* Two crowds far from each other, of shares by chance. */
static void crowd(plane *p, size_t n)
{
    chance c = {.key = n};
    double sum = 0;

    p->n = n;
    for (size_t i = 0; i < n; i++) {
        p->order[i] = i;
        sum += p->share[i] = chance_unit(&c);
        for (size_t j = 0; j < i; j++)
            p->distance[i * n + j] = p->distance[j * n + i] =
                (i % 2 == j % 2 ? 0.5 : 0.9) + 0.1 * chance_unit(&c);
        p->distance[i * n + i] = 0;
    }
    for (size_t i = 0; i < n; i++)
        p->share[i] /= sum;
}

static kedge_status arrange(plane *p, kedge_error *err)
{
    return placement_find(p->distance, p->order, p->share, p->n, p->at,
                          &p->height, err);
}

static double apart(const plane *p, size_t i, size_t j)
{
    return hypot(p->at[i].x - p->at[j].x, p->at[i].y - p->at[j].y);
}

static void check_circles(const plane *p)
{
    double left = 1, right = 0;

    for (size_t i = 0; i < p->n; i++) {
        const placed *const a = &p->at[i];
        left = fmin(left, a->x - a->r);
        right = fmax(right, a->x + a->r);
        ck_assert_double_ge(a->y - a->r, -1e-9);
        ck_assert_double_le(a->y + a->r, p->height + 1e-9);
        ck_assert_double_eq_tol(a->r * a->r * p->share[0],
                                p->at[0].r * p->at[0].r * p->share[i], 1e-9);
        for (size_t j = 0; j < i; j++)
            ck_assert_double_ge(apart(p, i, j), a->r + p->at[j].r - 1e-9);
    }
    ck_assert_double_eq_tol(left, 0, 1e-9);
    ck_assert_double_eq_tol(right, 1, 1e-9);
}

/* Mean distance of pairs of the same crowd, or of the two. */
static double mean_apart(const plane *p, bool same)
{
    double sum = 0, count = 0;

    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < i; j++)
            if ((i % 2 == j % 2) == same) {
                sum += apart(p, i, j);
                count++;
            }
    return sum / count;
}

TEST(circles_do_not_overlap_and_fill_the_plane)
{
    static plane p;
    kedge_error err = {0};

    for (size_t n = 1; n <= CIRCLES; n = n * 3 + 1) {
        crowd(&p, n);
        ck_ok(arrange(&p, &err), err);
        check_circles(&p);
    }
}

TEST(what_is_near_is_placed_near)
{
    static plane p;
    kedge_error err = {0};

    crowd(&p, 40);
    ck_ok(arrange(&p, &err), err);
    ck_assert_double_lt(1.3 * mean_apart(&p, true), mean_apart(&p, false));
}

TEST(places_are_the_same_each_time)
{
    static plane p, q;
    kedge_error err = {0};

    crowd(&p, 40);
    ck_ok(arrange(&p, &err), err);
    q = p;
    ck_ok(arrange(&q, &err), err);
    ck_assert_mem_eq(p.at, q.at, sizeof p.at);
}

TEST(equal_things_and_those_without_a_share_are_placed)
{
    static plane p;
    kedge_error err = {0};

    crowd(&p, 13);
    for (size_t i = 0; i < 13 * 13; i++)
        p.distance[i] = 0;
    p.share[5] = 0;
    ck_ok(arrange(&p, &err), err);
    check_circles(&p);
    ck_assert_double_eq(p.at[5].r, 0);
}

/* ---- the map ------------------------------------------------------------- */

#define WORDS 700 /* more than a piece of them */
#define TOPICS 9

static void check_distances(const kedge_model *m, const topicmap *t)
{
    const size_t k = m->topics;
    const double *const b = m->weighted != NULL ? m->weighted
                                                : m->probabilities;

    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) {
            double sum = 0;
            for (size_t w = 0; w < m->words; w++)
                sum += pow(sqrt(b[w * k + i]) - sqrt(b[w * k + j]), 2);
            ck_assert_double_eq_tol(t->distance[i * k + j], sqrt(sum / 2),
                                    1e-7);
        }
}

static void check_coefficients(const kedge_model *m, const topicmap *t)
{
    const size_t k = m->topics;
    const double *const a = m->correlations, *const s = m->shares;

    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) {
            const double deviation =
                sqrt(a[i * k + i] - s[i] * s[i]) *
                sqrt(a[j * k + j] - s[j] * s[j]);
            ck_assert_double_eq_tol(t->coefficient[i * k + j] * deviation,
                                    a[i * k + j] - s[i] * s[j], 1e-12);
        }
}

/* The sums of eigenvalues and of their squares are the trace of the product and
 * the sum of its squares. */
static void check_spectrum(const kedge_model *m, const topicmap *t)
{
    const size_t k = m->topics;
    double trace = 0, squares = 0, sum = 0, sum2 = 0;

    for (size_t i = 0; i < m->words; i++)
        for (size_t j = 0; j < m->words; j++) {
            double c = 0;
            for (size_t x = 0; x < k * k; x++)
                c += m->probabilities[i * k + x / k] * m->correlations[x] *
                     m->probabilities[j * k + x % k];
            if (m->weights != NULL)
                c *= m->weights[i] * m->weights[j];
            trace += i == j ? c : 0;
            squares += c * c;
        }
    for (size_t i = 0; i < k; i++) {
        sum += t->eigenvalues[i];
        sum2 += t->eigenvalues[i] * t->eigenvalues[i];
        ck_assert(i == 0 || t->eigenvalues[i] <= t->eigenvalues[i - 1]);
    }
    ck_assert_double_eq_tol(sum / trace, 1, 1e-9);
    ck_assert_double_eq_tol(sum2 / squares, 1, 1e-9);
}

static void check_words(const kedge_model *m, const topicmap *t)
{
    for (size_t k = 0; k < m->topics; k++) {
        double entropy = 0, divergence = 0;
        for (size_t i = 0; i < m->words; i++) {
            const double p = m->probabilities[i * m->topics + k];
            entropy -= p > 0 ? p * log(p) : 0;
            divergence += p > 0 ? p * log(p / m->mix[i]) : 0;
        }
        ck_assert_double_eq_tol(log(t->effective[k]), entropy, 1e-9);
        ck_assert_double_eq_tol(t->specificity[k], divergence, 1e-9);
    }
}

TEST(all_is_as_the_long_way_has_it)
{
    kedge_error err = {0};
    topicmap t;

    for (int weighted = 0; weighted < 2; weighted++) {
        OWN(model_end) kedge_model *m = chancemodel_new(WORDS, TOPICS);
        if (weighted)
            chancemodel_weigh(m);
        ck_ok(topicmap_make(m, &t, &err), err);
        check_distances(m, &t);
        check_coefficients(m, &t);
        check_spectrum(m, &t);
        check_words(m, &t);
        ck_assert(!t.of_statistics);
        topicmap_free(&t);
    }
}

TEST(a_kept_spectrum_is_shown)
{
    OWN(model_end) kedge_model *m = sample_new(true);
    kedge_error err = {0};
    OWN(topicmap_free) topicmap t;

    ck_ok(topicmap_make(m, &t, &err), err);
    ck_assert(t.of_statistics);
    ck_assert_mem_eq(t.eigenvalues, m->eigenvalues, 2 * sizeof(double));
}

TEST(twin_topics_have_no_spectrum)
{
    OWN(model_end) kedge_model *m = chancemodel_new(40, 3);
    kedge_error err = {0};
    OWN(topicmap_free) topicmap t;

    for (size_t i = 0; i < m->words; i++)
        m->probabilities[i * 3] = m->probabilities[i * 3 + 1] =
            m->probabilities[i * 3 + 2] = i == 0;
    ck_ok(topicmap_make(m, &t, &err), err);
    ck_assert_ptr_null(t.eigenvalues);
    ck_assert_double_eq(t.distance[1], 0);
}

TEST(memory_may_end_anywhere)
{
    static row r;
    static plane p;
    OWN(model_end) kedge_model *m = chancemodel_new(30, 4);
    kedge_error err = {0};

    gate_starve(seriation_find(r.distance, 12, 3, r.order, r.group, &err));
    crowd(&p, 9);
    gate_starve(arrange(&p, &err));
    GATE_LOOP {
        topicmap t;
        GATE_TRY(topicmap_make(m, &t, &err));
        topicmap_free(&t);
    }
}
