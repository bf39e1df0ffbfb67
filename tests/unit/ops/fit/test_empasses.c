/* SPDX-License-Identifier: MIT */
#include "ops/planted.h"
#include "topics/em.h"

/* A store with the whole corpus; documents come in the order of `seed`, and
 * `reversed` numbers its words the other way round. */
static void begin(planted *p, bool reversed)
{
    planted_begin(p, PLANTED_DOCUMENTS);
    planted_write(p->source, &p->d, 0, p->d.count, reversed);
    planted_write_words(p->vocabulary, PLANTED_WORDS, reversed);
    planted_fill(p);
}

static kedge_fit_opts options(uint64_t passes, kedge_term_weight weight,
                              const char *name)
{
    kedge_fit_opts o = planted_opts();

    o.em_iter = passes;
    o.term_weight = weight;
    o.name = name;
    o.save_spectrum = true;
    return o;
}

static kedge_model *polished(planted *p, uint64_t passes,
                             kedge_term_weight weight, const char *name,
                             kedge_fit_result *r)
{
    const kedge_fit_opts o = options(passes, weight, name);

    return planted_fit(p, PLANTED_TOPICS, &o, r);
}

static void check_likelihood(const kedge_fit_result *r, uint64_t passes)
{
    ck_assert_uint_eq(r->em_iter, passes);
    for (uint64_t n = 1; n <= passes; n++)
        ck_assert_double_gt(r->likelihood[n], r->likelihood[n - 1]);
    for (uint64_t n = passes + 1; n <= KEDGE_EM_ITER_MOST; n++)
        ck_assert_double_eq(r->likelihood[n], 0);
    ck_assert_double_lt(r->likelihood[passes], -1);
    ck_assert_double_gt(r->likelihood[0], -log(PLANTED_WORDS));
}

TEST(documents_become_likelier)
{
    OWN(planted_end) planted p;
    kedge_fit_result r, more;

    begin(&p, false);
    kedge_model_free(polished(&p, 4, KEDGE_TERM_WEIGHT_NONE, "m", &r));
    check_likelihood(&r, 4);
    kedge_model_free(polished(&p, 2, KEDGE_TERM_WEIGHT_NONE, "m", &more));
    check_likelihood(&more, 2);
    ck_assert_mem_eq(r.likelihood, more.likelihood, 3 * sizeof(double));
    kedge_model_free(polished(&p, 0, KEDGE_TERM_WEIGHT_NONE, "m", &r));
    ck_assert_uint_eq(r.em_iter, 0);
    for (uint64_t n = 0; n <= KEDGE_EM_ITER_MOST; n++)
        ck_assert_double_eq(r.likelihood[n], 0);
}

/* What each document expects, without the pipeline: as topics/em.c, of the
 * corpus itself. `b` moves. */
static void em_by_hand(const planted *p, const kedge_model *m, double *b)
{
    const size_t n = PLANTED_WORDS, k = PLANTED_TOPICS;
    kedge_error err = {0};
    pool *threads;
    em *work;
    docs d = {0};
    uint32_t row[PLANTED_WORDS];
    em_input in = {.rows = n, .k = k, .b = b,
                       .share = kedge_model_prevalence(m), .min_tokens = 5};

    for (uint32_t w = 0; w < n; w++)
        row[w] = w * 37 % PLANTED_WORDS; /* by the words' bytes */
    for (size_t i = 0; i < p->d.count; i++) {
        ck_assert(docs_append(&d, &p->d, i));
        in.tokens += p->d.length[i] < 5 ? 0 : p->d.length[i];
    }
    ck_assert(docs_renumber(&d, 0, row));
    ck_ok(pool_create(1, &threads, &err), err);
    in.p = threads;
    ck_ok(em_create(&in, &work, &err), err);
    em_begin(work);
    em_add(work, &d, true);
    em_learn(work);
    em_free(work);
    pool_free(threads);
    docs_free(&d);
}

/* Topics may have changed places: each is found by its anchor. */
static size_t same_topic(const kedge_model *a, size_t t, const kedge_model *b)
{
    size_t other = 0;

    while (other < PLANTED_TOPICS &&
           kedge_model_anchors(b)[other] != kedge_model_anchors(a)[t])
        other++;
    ck_assert_uint_lt(other, PLANTED_TOPICS);
    return other;
}

TEST(a_pass_sees_the_stored_documents)
{
    static const kedge_term_weight weights[] = {KEDGE_TERM_WEIGHT_NONE,
                                                KEDGE_TERM_WEIGHT_IDF};
    const size_t n = PLANTED_WORDS, k = PLANTED_TOPICS;

    for (size_t w = 0; w < 2; w++) {
        OWN(planted_end) planted p;
        double b[PLANTED_WORDS * PLANTED_TOPICS];
        begin(&p, w == 1);
        kedge_model *const plain = polished(&p, 0, weights[w], "plain", NULL);
        kedge_model *const moved = polished(&p, 1, weights[w], "moved", NULL);
        const double *const was = kedge_model_probabilities(plain);
        const double *const now = kedge_model_probabilities(moved);
        memcpy(b, was, sizeof b);
        em_by_hand(&p, plain, b);
        for (size_t i = 0; i < n; i++)
            for (size_t t = 0; t < k; t++)
                ck_assert_double_eq_tol(
                    now[i * k + same_topic(plain, t, moved)], b[i * k + t],
                    1e-11);
        ck_assert(!planted_same_numbers(was, now, n * k));
        kedge_model_free(plain);
        kedge_model_free(moved);
    }
}

/* |YY' - B A B'| of the weighted model, with A turned by a little: A was the
 * best there is. */
static double misfit(const kedge_model *m, double step, size_t at)
{
    const size_t n = PLANTED_WORDS, k = PLANTED_TOPICS;
    const double *const y = kedge_model_rectified(m);
    const double *const b = kedge_model_term_weight(m) != KEDGE_TERM_WEIGHT_NONE
                                ? kedge_model_weighted(m)
                                : kedge_model_probabilities(m);
    const double *const d = kedge_model_term_weights(m);
    const double *const plain = kedge_model_probabilities(m);
    double a[PLANTED_TOPICS * PLANTED_TOPICS], sum = 0, whole = 0, left = 0;

    for (size_t i = 0; i < k * k; i++) {
        double s[2] = {1, 1};
        const size_t topic[2] = {i / k, i % k};
        for (size_t x = 0; x < 2 && d != NULL; x++) {
            s[x] = 0; /* plain B to weighted B: columns of D B */
            for (size_t r = 0; r < n; r++)
                s[x] += d[r] * plain[r * k + topic[x]];
        }
        a[i] = kedge_model_topic_cooccurrence(m)[i] * s[0] * s[1];
        whole += kedge_model_topic_cooccurrence(m)[i];
        sum += a[i];
    }
    for (size_t i = 0; i < k * k; i++)
        a[i] *= whole / sum;
    a[at] += step * whole;
    if (at / k != at % k)
        a[at % k * k + at / k] += step * whole;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double x = 0;
            for (size_t t = 0; t < k; t++) {
                x += y[i * k + t] * y[j * k + t];
                for (size_t l = 0; l < k; l++)
                    x -= b[i * k + t] * a[t * k + l] * b[j * k + l];
            }
            left += x * x;
        }
    return left;
}

TEST(correlations_follow_the_topics)
{
    static const kedge_term_weight weights[] = {KEDGE_TERM_WEIGHT_NONE,
                                                KEDGE_TERM_WEIGHT_SQRT};
    const size_t k = PLANTED_TOPICS;

    for (size_t w = 0; w < 2; w++) {
        OWN(planted_end) planted p;
        kedge_fit_result r;
        begin(&p, false);
        OWN(model_end) kedge_model *m = polished(&p, 3, weights[w], "m", &r);
        const double best = misfit(m, 0, 0);
        double all = 0;
        for (size_t at = 0; at < k * k; at++) {
            ck_assert_double_gt(misfit(m, 1e-3, at), best);
            ck_assert_double_gt(misfit(m, -1e-3, at), best);
            all += kedge_model_topic_cooccurrence(m)[at];
        }
        ck_assert_double_eq_tol(all, r.topic_cooccurrence_sum, 1e-12);
        ck_assert_double_eq_tol(all, 1, 0.1);
        for (size_t t = 1; t < k; t++)
            ck_assert_double_ge(kedge_model_prevalence(m)[t - 1],
                                kedge_model_prevalence(m)[t]);
    }
}
