/* SPDX-License-Identifier: MIT */
#include "ops/eval/eval.h"

#include "ops/measured.h"

/* Rows of a topic's first words, by any order. */
static uint64_t first_words(const measured *s, uint64_t topic, kedge_rank rank,
                            uint64_t count, uint64_t *row)
{
    kedge_ranked_word w[KEDGE_EVAL_TOP_MOST];
    kedge_error err = {0};
    uint64_t got;

    ck_ok(kedge_model_top_words(s->m, topic, rank, w, count, &got, &err), err);
    for (uint64_t i = 0; i < got; i++)
        row[i] = w[i].row;
    return got;
}

static double npmi(double both, double a, double b)
{
    return both > 0 ? log(both / (a * b)) / -log(both) : -1;
}

/* UMass and NPMI of words straight from the documents. */
static void of_words(const measured *s, const uint64_t *row, uint64_t count,
                     double *umass, double *mean)
{
    const double m = (double)s->d.count;

    *umass = *mean = 0;
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t j = 0; j < count; j++) {
            const double both = measured_documents(s, row[i], row[j]);
            const double a = measured_documents(s, row[i], row[i]);
            const double b = measured_documents(s, row[j], row[j]);
            if (i == j)
                continue;
            *umass += log((both + 0.01) / fmax(b, 1));
            *mean += npmi(both / m, a / m, b / m) /
                     (double)(count * (count - 1));
        }
}

static void check_words(measured *s, kedge_rank rank, uint64_t top)
{
    double coherence = 0, mean = 0, umass, value;
    kedge_eval_result r;

    s->o.rank = rank;
    s->o.top = top;
    r = measured_eval(s);
    for (uint64_t t = 0; t < PLANTED_TOPICS; t++) {
        uint64_t row[KEDGE_EVAL_TOP_MOST];
        const uint64_t got = first_words(s, t, rank, top, row);
        of_words(s, row, got, &umass, &value);
        coherence += umass / PLANTED_TOPICS;
        of_words(s, row, got < 10 ? got : 10, &umass, &value);
        mean += value / PLANTED_TOPICS;
    }
    ck_assert_double_eq_tol(r.value[KEDGE_MEASURE_UMASS], coherence, 1e-8);
    ck_assert_double_eq_tol(r.value[KEDGE_MEASURE_NPMI], mean, 1e-10);
}

TEST(first_words_are_those_that_are_asked_for)
{
    MEASURED(s, "log", KEDGE_TERM_WEIGHT_IDF);
    check_words(&s, KEDGE_RANK_PROBABILITY, 20);
    check_words(&s, KEDGE_RANK_RELEVANCE, 7);
    check_words(&s, KEDGE_RANK_WEIGHTED, 50);
}

/* The words of a topic's tree: 7 of each kind, none of them twice. */
static uint64_t tree_words(const measured *s, uint64_t topic, uint64_t *row)
{
    uint64_t other[7], count = first_words(s, topic, KEDGE_RANK_PROBABILITY, 7,
                                           row);
    const uint64_t more =
        first_words(s, topic, KEDGE_RANK_ANCHOR, 7, other);

    for (uint64_t i = 0; i < more; i++) {
        bool there = false;
        for (uint64_t j = 0; j < count; j++)
            there |= row[j] == other[i];
        if (!there)
            row[count++] = other[i];
    }
    return count;
}

/* The nearest word outside joins the tree, over and over. */
static double tree(const double *c, const uint64_t *row, uint64_t count)
{
    bool in[14] = {true};
    double length = 0, sum[14] = {0};

    for (uint64_t i = 0; i < count; i++)
        for (size_t j = 0; j < PLANTED_WORDS; j++)
            sum[i] += c[row[i] * PLANTED_WORDS + j];
    for (uint64_t joined = 1; joined < count; joined++) {
        double least = INFINITY;
        uint64_t next = 0;
        for (uint64_t i = 0; i < count; i++)
            for (uint64_t j = 0; j < count; j++) {
                const double far =
                    (1 - npmi(c[row[i] * PLANTED_WORDS + row[j]], sum[i],
                              sum[j])) / 2;
                if (in[i] && !in[j] && far < least) {
                    least = far;
                    next = j;
                }
            }
        in[next] = true;
        length += least;
    }
    return length;
}

TEST(trees_are_of_both_kinds_of_words)
{
    double want = 0, *c;
    MEASURED(s, "raw", KEDGE_TERM_WEIGHT_NONE);
    c = fitted_dense(&s.p.d, STATISTIC_JOINT);
    for (uint64_t top = 2; top < 40; top += 12) {
        s.o.top = top;
        want = 0;
        for (uint64_t t = 0; t < PLANTED_TOPICS; t++) {
            uint64_t row[14];
            const uint64_t count = tree_words(&s, t, row);
            want += tree(c, row, count) / PLANTED_TOPICS;
        }
        const kedge_eval_result r = measured_eval(&s);
        ck_assert_double_eq_tol(r.value[KEDGE_MEASURE_MST_INCOHERENCE], want,
                                1e-6);
    }
    free(c);
}
