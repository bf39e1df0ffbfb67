/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "ops/fitted.h"

/* Those of D C D, where words have weights: as the model keeps them. */
TEST(eigenvalues_are_told_as_models_have_them)
{
    static const uint64_t topics[] = {3, 5};

    for (int weight = 0; weight < 3; weight++) {
        double values[8] = {0};
        kedge_fit_result r[2];
        kedge_model *m;
        STEPS(b, topics, 2);
        b.o.term_weight = (kedge_term_weight)weight;
        b.o.save_spectrum = true;
        b.o.eigenvalues = values;
        steps_go(&b);
        for (size_t i = 0; i < 2; i++)
            ck_ok(fit_model(&b.f, topics[i], 2, &r[i], &b.p.t.err),
                  b.p.t.err);
        ck_ok(kedge_model_load(b.p.t.s, "k5", NULL, &m, &b.p.t.err), b.p.t.err);
        for (size_t c = 0; c < 5; c++)
            ck_assert_double_eq_tol(values[c] / kedge_model_eigenvalues(m)[c],
                                    1, 1e-12);
        ck_assert_double_lt(values[5], values[4]); /* one more than topics */
        ck_assert_double_eq(values[6], 0);
        kedge_model_free(m);
    }
}

/* Nothing of a model is in the store before all of it is. */
TEST(a_model_without_memory_is_none)
{
    static const uint64_t topics[] = {4};
    kedge_fit_result r;
    STEPS(b, topics, 1);
    b.o.term_weight = KEDGE_TERM_WEIGHT_IDF;
    steps_go(&b);
    GATE_LOOP {
        GATE_TRY(fit_model(&b.f, 4, 1, &r, &b.p.t.err));
        ck_assert_uint_eq(planted_info(&b.p).models, gate_status == KEDGE_OK);
        ck_assert_uint_eq(b.f.fitted, gate_status == KEDGE_OK);
    }
}

TEST(results_tell_what_was_done)
{
    PLANTED_STORE(p);
    kedge_fit_result r;

    kedge_model_free(planted_fit(&p, 4, NULL, &r));
    ck_assert_str_eq(r.model, "k4");
    ck_assert_uint_eq(r.topics, 4);
    ck_assert_uint_eq(r.words, PLANTED_WORDS);
    ck_assert_uint_eq(r.sketch_size, 80);
    ck_assert_uint_eq(r.power_iter, 0);
    ck_assert_double_gt(r.sketch_error, 0);
    ck_assert_double_ge(r.sketch_error_last, r.sketch_error);
    ck_assert_double_lt(r.unexplained, 1);
    ck_assert_int_eq(r.power_iter_helps, r.sketch_error_last > 0.5);
    ck_assert_uint_ge(r.rectify_iter, 1);
    ck_assert_uint_le(r.rectify_iter, 15);
    ck_assert_uint_gt(r.candidates, 4);
    ck_assert_uint_ge(r.anchor_min_df, 2);
    ck_assert_double_le(r.topic_cooccurrence_negative, 0);
    ck_assert_double_gt(r.seconds, 0);
    ck_assert_uint_gt(r.peak_memory, 1 << 20);
}

TEST(the_spectrum_is_kept_on_request)
{
    PLANTED_STORE(p);
    kedge_model *const m = fitted_alone(&p, 4, 2, KEDGE_TERM_WEIGHT_NONE, NULL);
    const double *const v = kedge_model_eigenvectors(m);
    const double *const values = kedge_model_eigenvalues(m);
    ck_assert_ptr_nonnull(v);
    ck_assert_ptr_nonnull(values);
    ck_assert_ptr_nonnull(kedge_model_rectified(m));
    for (size_t a = 0; a < 4; a++)
        for (size_t b = 0; b <= a; b++) {
            double dot = 0;
            for (size_t i = 0; i < PLANTED_WORDS; i++)
                dot += v[i * 4 + a] * v[i * 4 + b];
            ck_assert_double_eq_tol(dot, a == b, 1e-9);
        }
    for (size_t a = 1; a < 4; a++)
        ck_assert_double_ge(values[a - 1], values[a]);
    kedge_model_free(m);
    OWN(model_end) kedge_model *plain = planted_fit(&p, 4, NULL, NULL);
    ck_assert_ptr_null(kedge_model_eigenvectors(plain));
    ck_assert_ptr_null(kedge_model_rectified(plain));
    ck_assert_ptr_null(kedge_model_eigenvalues(plain));
}

TEST(without_rectification_y_is_the_scaled_vectors)
{
    PLANTED_STORE(p);
    kedge_fit_opts o = planted_opts();
    kedge_fit_result r;

    o.rectify = KEDGE_RECTIFY_NONE;
    o.save_spectrum = true;
    OWN(model_end) kedge_model *m = planted_fit(&p, 4, &o, &r);
    ck_assert_uint_eq(r.rectify_iter, 0);
    fitted_check(m, r.topic_cooccurrence_sum);
    for (size_t i = 0; i < 4 * PLANTED_WORDS; i++)
        ck_assert_double_eq(kedge_model_rectified(m)[i],
                            kedge_model_eigenvectors(m)[i] *
                                sqrt(kedge_model_eigenvalues(m)[i % 4]));
}

/* The weight that a word has by its definition. */
static double plain_weight(const kedge_model *m, size_t i)
{
    if (kedge_model_term_weight(m) == KEDGE_TERM_WEIGHT_SQRT)
        return 1 / sqrt(kedge_model_word_probability(m)[i]);
    return fmax(log(PLANTED_DOCUMENTS / (double)kedge_model_df(m, i)), 0.01);
}

/* d is what it should be, D C D adds up to one, and V Λ V' is its leading part
 * as far as `tolerance`. */
static void check_weighted(const kedge_model *m, const double *c,
                           double tolerance)
{
    enum { n = PLANTED_WORDS };
    const uint64_t k = kedge_model_topics(m);
    const double *const d = kedge_model_term_weights(m);
    const double *const v = kedge_model_eigenvectors(m);
    const double *const values = kedge_model_eigenvalues(m);
    double total = 0, rest = 0, whole = 0;

    for (size_t i = 0; i < n; i++) {
        ck_assert_double_eq_tol(d[i] / d[0] * plain_weight(m, 0) /
                                    plain_weight(m, i), 1, 1e-9);
        for (size_t t = 0; t < k; t++) {
            double sum = 0;
            for (size_t j = 0; j < n; j++)
                sum += d[i] * c[i * n + j] * d[j] * v[j * k + t];
            rest += pow(sum - v[i * k + t] * values[t], 2);
            whole += pow(sum, 2);
        }
        for (size_t j = 0; j < n; j++)
            total += d[i] * c[i * n + j] * d[j];
    }
    ck_assert_double_eq_tol(total, 1, tolerance);
    ck_assert_double_lt(sqrt(rest / whole), tolerance);
}

/* D B, columns scaled to one. */
static void check_columns(const kedge_model *m)
{
    const uint64_t n = kedge_model_words(m), k = kedge_model_topics(m);
    const double *const b = kedge_model_probabilities(m);
    const double *const w = kedge_model_weighted(m);
    const double *const d = kedge_model_term_weights(m);

    for (uint64_t t = 0; t < k; t++) {
        double sum = 0, scale = 0;
        for (uint64_t i = 0; i < n; i++) {
            sum += w[i * k + t];
            scale += d[i] * b[i * k + t];
        }
        ck_assert_double_eq_tol(sum, 1, 1e-12);
        for (uint64_t i = 0; i < n; i++)
            ck_assert_double_eq_tol(w[i * k + t] * scale,
                                    d[i] * b[i * k + t], 1e-15);
    }
}

TEST(weights_are_of_the_statistics_and_come_off_again)
{
    PLANTED_STORE(p);
    kedge_fit_opts o = planted_opts();
    kedge_fit_result r;

    double *const c = fitted_dense(&p.d, STATISTIC_JOINT);
    ck_assert_int_eq(o.term_weight, KEDGE_TERM_WEIGHT_IDF);
    o.save_spectrum = o.fresh = true;
    for (int weight = 1; weight < 3; weight++)
        for (o.power_iter = 0; o.power_iter < 5; o.power_iter += 4) {
            o.term_weight = (kedge_term_weight)weight;
            kedge_model *const m = planted_fit(&p, PLANTED_TOPICS, &o, &r);
            ck_assert_int_eq(r.term_weight, weight);
            ck_assert_int_eq(kedge_model_term_weight(m), weight);
            fitted_check(m, r.topic_cooccurrence_sum);
            ck_assert_double_eq_tol(r.topic_cooccurrence_sum, 1, 0.1);
            check_weighted(m, c, o.power_iter == 0 ? 0.2 : 1e-6);
            check_columns(m);
            kedge_model_free(m);
        }
    free(c);
}

TEST(correlations_come_in_two_kinds)
{
    PLANTED_STORE(p);
    kedge_fit_opts o = planted_opts();
    kedge_fit_result r;

    o.fresh = true;
    OWN(model_end) kedge_model *squares = planted_fit(&p, 4, &o, NULL);
    o.topic_cooccurrence = KEDGE_TOPIC_COOCCURRENCE_DIAGONAL;
    OWN(model_end) kedge_model *diagonal = planted_fit(&p, 4, &o, &r);
    fitted_check(diagonal, r.topic_cooccurrence_sum);
    ck_assert(!planted_same(squares, diagonal));
    ck_assert_mem_ne(kedge_model_topic_cooccurrence(squares),
                     kedge_model_topic_cooccurrence(diagonal),
                     16 * sizeof(double));
}

TEST(anchors_keep_to_the_least_df)
{
    PLANTED_STORE(p);
    kedge_fit_opts o = planted_opts();
    kedge_fit_result r;

    o.anchor_min_df = 45;
    OWN(model_end) kedge_model *m = planted_fit(&p, 3, &o, &r);
    ck_assert_uint_eq(r.anchor_min_df, 45);
    for (size_t t = 0; t < 3; t++)
        ck_assert_uint_ge(kedge_model_df(m, kedge_model_anchors(m)[t]), 45);
}

TEST(the_model_fitted_last_is_the_latest)
{
    static const char *const name[] = {"b", "a", "c", "b"};
    PLANTED_STORE(p);
    kedge_fit_opts o = planted_opts();

    for (size_t i = 0; i < 4; i++) {
        OWN(model_end) kedge_model *latest = NULL;
        o.name = name[i];
        kedge_model_free(planted_fit(&p, 2 + i, &o, NULL));
        scene_reopen(&p.t, KEDGE_OPEN_WRITE);
        latest = planted_load(&p, NULL);
        ck_assert_str_eq(kedge_model_name(latest), name[i]);
        ck_assert_uint_eq(kedge_model_topics(latest), 2 + i);
    }
    ck_assert_uint_eq(planted_info(&p).models, 3);
}
