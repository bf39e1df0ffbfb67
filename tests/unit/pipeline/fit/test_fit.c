/* SPDX-License-Identifier: MIT */
#include "pipeline/planted.h"

#include <math.h>

#include "base/gate.h"

/* A store with the whole corpus, ready to be fitted. */
static void begin(planted *p)
{
    planted_begin(p, PLANTED_DOCUMENTS);
    planted_fill(p);
}

static void check_model(const kedge_model *m, double sum)
{
    const uint64_t n = kedge_model_words(m), k = kedge_model_topics(m);
    const double *const b = kedge_model_probabilities(m);
    const double *const a = kedge_model_correlations(m);
    const double *const share = kedge_model_shares(m);
    double all = 0;

    for (uint64_t t = 0; t < k; t++) {
        double column = 0;
        for (uint64_t i = 0; i < n; i++) {
            ck_assert_double_ge(b[i * k + t], 0);
            column += b[i * k + t];
        }
        ck_assert_double_eq_tol(column, 1, 1e-9);
        for (uint64_t l = 0; l < k; l++) {
            ck_assert_double_eq(a[t * k + l], a[l * k + t]);
            all += a[t * k + l];
        }
        if (t > 0)
            ck_assert_double_ge(share[t - 1], share[t]);
        for (uint64_t l = 0; l < t; l++)
            ck_assert_uint_ne(kedge_model_anchors(m)[t],
                              kedge_model_anchors(m)[l]);
    }
    ck_assert_double_eq_tol(all, sum, 1e-12);
}

START_TEST(planted_topics_are_found)
{
    planted p;
    kedge_fit_result r;
    bool seen[PLANTED_TOPICS] = {false};

    begin(&p);
    kedge_model *const m = planted_fit(&p, PLANTED_TOPICS, NULL, &r);
    check_model(m, r.sum_correlations);
    ck_assert_double_eq_tol(r.sum_correlations, 1, 0.1);
    for (uint64_t t = 0; t < PLANTED_TOPICS; t++) {
        kedge_ranked_word top;
        uint64_t got;
        ck_ok(kedge_model_top_words(m, t, KEDGE_RANK_PROBABILITY, &top, 1,
                                    &got, &p.t.err), p.t.err);
        for (unsigned w = 0; w < PLANTED_TOPICS; w++) {
            char word[8];
            snprintf(word, sizeof word, "w%03u", w * 37 % PLANTED_WORDS);
            seen[w] |= strcmp(kedge_model_word(m, top.row), word) == 0;
        }
    }
    for (unsigned w = 0; w < PLANTED_TOPICS; w++)
        ck_assert_msg(seen[w], "topic %u was not found", w);
    kedge_model_free(m);
    planted_end(&p);
}
END_TEST

/* From one store, by each statistic; A sums to one as the statistics do. */
START_TEST(damped_topics_are_found)
{
    static const char *const kinds[] = {"log", "sqrt", "joint"};
    planted p;

    planted_begin(&p, PLANTED_DOCUMENTS);
    p.o.statistics = "log,sqrt,joint";
    planted_fill(&p);
    for (size_t i = 0; i < 6; i++) {
        kedge_fit_opts o;
        kedge_fit_result r;
        kedge_fit_opts_init(&o);
        o.statistic = kinds[i % 3];
        o.refine = i / 3;
        o.fresh = true;
        kedge_model *const m = planted_fit(&p, PLANTED_TOPICS, &o, &r);
        check_model(m, r.sum_correlations);
        ck_assert_double_eq_tol(r.sum_correlations, 1, 0.1);
        ck_assert_double_lt(r.unexplained, 0.9);
        kedge_model_free(m);
    }
    ck_assert_uint_eq(planted_info(&p).views, 3);
    planted_end(&p);
}
END_TEST

START_TEST(results_tell_what_was_done)
{
    planted p;
    kedge_fit_result r;

    begin(&p);
    kedge_model_free(planted_fit(&p, 4, NULL, &r));
    ck_assert_str_eq(r.model, "k4");
    ck_assert_uint_eq(r.topics, 4);
    ck_assert_uint_eq(r.words, PLANTED_WORDS);
    ck_assert_uint_eq(r.width, 80);
    ck_assert_uint_eq(r.refined, 0);
    ck_assert_double_gt(r.eigenspace_error, 0);
    ck_assert_double_ge(r.eigen_gap_error, r.eigenspace_error);
    ck_assert_double_lt(r.unexplained, 1);
    ck_assert_int_eq(r.refine_helps, r.eigen_gap_error > 0.5);
    ck_assert_uint_ge(r.rounds, 1);
    ck_assert_uint_le(r.rounds, 15);
    ck_assert_uint_gt(r.candidates, 4);
    ck_assert_uint_ge(r.anchor_min_df, 2);
    ck_assert_double_le(r.negative_correlations, 0);
    ck_assert_double_gt(r.seconds, 0);
    ck_assert_uint_gt(r.peak_memory, 1 << 20);
    planted_end(&p);
}
END_TEST

/* By itself, under this name. */
static kedge_model *alone(planted *p, uint64_t k, uint64_t refine_passes,
                          kedge_weight weight, const char *name)
{
    kedge_fit_opts o;

    kedge_fit_opts_init(&o);
    o.refine = refine_passes;
    o.weight = weight;
    o.keep_spectrum = true;
    o.name = name;
    return planted_fit(p, k, &o, NULL);
}

static void check_together(planted *p, uint64_t passes, kedge_weight weight)
{
    static const uint64_t topics[] = {4, 2, 6};
    kedge_fit_opts o;
    kedge_fit_result r[3];

    kedge_fit_opts_init(&o);
    o.refine = passes;
    o.weight = weight;
    o.keep_spectrum = true;
    o.name = "all";
    ck_ok(kedge_fit(p->t.s, topics, 3, &o, &p->c, r, &p->t.err), p->t.err);
    for (size_t i = 0; i < 3; i++) {
        char name[16];
        kedge_model *together;
        snprintf(name, sizeof name, "all-k%u", (unsigned)topics[i]);
        ck_assert_str_eq(r[i].model, name);
        ck_ok(kedge_model_load(p->t.s, name, &together, &p->t.err),
              p->t.err);
        /* of the same name, as it is part of what is exported */
        kedge_model *const single = alone(p, topics[i], passes, weight,
                                          name);
        ck_assert_msg(planted_same(single, together), "%u topics, %u passes",
                      (unsigned)topics[i], (unsigned)passes);
        kedge_model_free(single);
        kedge_model_free(together);
    }
}

START_TEST(several_at_once_are_the_same_as_alone)
{
    planted p;

    begin(&p);
    for (int weight = 0; weight < 3; weight++)
        check_together(&p, 0, (kedge_weight)weight);
    planted_end(&p);
}
END_TEST

START_TEST(several_refined_at_once_agree)
{
    planted p;

    begin(&p);
    check_together(&p, 2, KEDGE_WEIGHT_NONE);
    check_together(&p, 2, KEDGE_WEIGHT_IDF);
    planted_end(&p);
}
END_TEST

START_TEST(threads_do_not_matter)
{
    kedge_model *first[6] = {NULL};

    for (unsigned threads = 1; threads <= 4; threads++) {
        planted p;
        planted_begin(&p, PLANTED_DOCUMENTS);
        p.c.threads = threads;
        planted_fill(&p);
        for (size_t i = 0; i < 6; i++) {
            kedge_model *const m =
                alone(&p, 4, i % 2, (kedge_weight)(i / 2), NULL);
            if (first[i] == NULL) {
                first[i] = m;
                continue;
            }
            ck_assert(planted_same(first[i], m));
            kedge_model_free(m);
        }
        planted_end(&p);
    }
    for (size_t i = 0; i < 6; i++)
        kedge_model_free(first[i]);
}
END_TEST

START_TEST(the_spectrum_is_kept_on_request)
{
    planted p;

    begin(&p);
    kedge_model *const m = alone(&p, 4, 2, KEDGE_WEIGHT_NONE, NULL);
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
    kedge_model *const plain = planted_fit(&p, 4, NULL, NULL);
    ck_assert_ptr_null(kedge_model_eigenvectors(plain));
    ck_assert_ptr_null(kedge_model_rectified(plain));
    ck_assert_ptr_null(kedge_model_eigenvalues(plain));
    kedge_model_free(plain);
    planted_end(&p);
}
END_TEST

START_TEST(without_rectification_y_is_the_scaled_vectors)
{
    planted p;
    kedge_fit_opts o;
    kedge_fit_result r;

    begin(&p);
    kedge_fit_opts_init(&o);
    o.rectify = KEDGE_RECTIFY_NONE;
    o.keep_spectrum = true;
    kedge_model *const m = planted_fit(&p, 4, &o, &r);
    ck_assert_uint_eq(r.rounds, 0);
    check_model(m, r.sum_correlations);
    for (size_t i = 0; i < 4 * PLANTED_WORDS; i++)
        ck_assert_double_eq(kedge_model_rectified(m)[i],
                            kedge_model_eigenvectors(m)[i] *
                                sqrt(kedge_model_eigenvalues(m)[i % 4]));
    kedge_model_free(m);
    planted_end(&p);
}
END_TEST

/* C by rows, of the planted documents. */
static double *dense(const planted *p)
{
    const docs *const d = &p->d;
    double *const c = calloc(PLANTED_WORDS * PLANTED_WORDS, sizeof *c);
    double total = 0;

    for (size_t m = 0; m < d->count; m++) {
        const double n = (double)d->length[m];
        const size_t from = d->start[m], to = d->start[m + 1];
        for (size_t i = from; n >= 5 && i < to; i++)
            for (size_t j = from; j < to; j++) {
                const double x = d->tally[i] *
                                 (d->tally[j] - (double)(i == j)) /
                                 (n * (n - 1));
                c[d->word[i] * 37 % PLANTED_WORDS * PLANTED_WORDS +
                  d->word[j] * 37 % PLANTED_WORDS] += x;
                total += x;
            }
    }
    for (size_t i = 0; i < PLANTED_WORDS * PLANTED_WORDS; i++)
        c[i] /= total;
    return c;
}

/* The weight that a word has by its definition. */
static double plain_weight(const kedge_model *m, size_t i)
{
    if (kedge_model_weight(m) == KEDGE_WEIGHT_SQRT)
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
    const double *const d = kedge_model_weights(m);
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
    const double *const d = kedge_model_weights(m);

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

START_TEST(weights_are_of_the_statistics_and_come_off_again)
{
    planted p;
    kedge_fit_opts o;
    kedge_fit_result r;

    begin(&p);
    double *const c = dense(&p);
    kedge_fit_opts_init(&o);
    ck_assert_int_eq(o.weight, KEDGE_WEIGHT_IDF);
    o.keep_spectrum = o.fresh = true;
    for (int weight = 1; weight < 3; weight++)
        for (o.refine = 0; o.refine < 5; o.refine += 4) {
            o.weight = (kedge_weight)weight;
            kedge_model *const m = planted_fit(&p, PLANTED_TOPICS, &o, &r);
            ck_assert_int_eq(r.weight, weight);
            ck_assert_int_eq(kedge_model_weight(m), weight);
            check_model(m, r.sum_correlations);
            ck_assert_double_eq_tol(r.sum_correlations, 1, 0.1);
            check_weighted(m, c, o.refine == 0 ? 0.2 : 1e-6);
            check_columns(m);
            kedge_model_free(m);
        }
    free(c);
    planted_end(&p);
}
END_TEST

START_TEST(correlations_come_in_two_kinds)
{
    planted p;
    kedge_fit_opts o;
    kedge_fit_result r;

    begin(&p);
    kedge_fit_opts_init(&o);
    o.fresh = true;
    kedge_model *const squares = planted_fit(&p, 4, &o, NULL);
    o.correlations = KEDGE_CORRELATIONS_DIAGONAL;
    kedge_model *const diagonal = planted_fit(&p, 4, &o, &r);
    check_model(diagonal, r.sum_correlations);
    ck_assert(!planted_same(squares, diagonal));
    ck_assert_mem_ne(kedge_model_correlations(squares),
                     kedge_model_correlations(diagonal), 16 * sizeof(double));
    kedge_model_free(squares);
    kedge_model_free(diagonal);
    planted_end(&p);
}
END_TEST

START_TEST(anchors_keep_to_the_least_df)
{
    planted p;
    kedge_fit_opts o;
    kedge_fit_result r;

    begin(&p);
    kedge_fit_opts_init(&o);
    o.anchor_min_df = 45;
    kedge_model *const m = planted_fit(&p, 3, &o, &r);
    ck_assert_uint_eq(r.anchor_min_df, 45);
    for (size_t t = 0; t < 3; t++)
        ck_assert_uint_ge(kedge_model_df(m, kedge_model_anchors(m)[t]), 45);
    kedge_model_free(m);
    planted_end(&p);
}
END_TEST

static kedge_status fit(planted *p, const uint64_t *topics, size_t count,
                        const kedge_fit_opts *o)
{
    kedge_fit_result r[4];

    return kedge_fit(p->t.s, topics, count, o, &p->c, r, &p->t.err);
}

START_TEST(bad_options_are_refused)
{
    static const uint64_t good[] = {4}, one[] = {1}, wide[] = {60};
    planted p;
    kedge_fit_opts o;

    begin(&p);
    kedge_fit_opts_init(&o);
    ck_fails(fit(&p, one, 1, &o), KEDGE_EINVAL, p.t.err, "2 to 2000");
    ck_fails(fit(&p, wide, 1, &o), KEDGE_EINVAL, p.t.err, "wider sketch");
    o.refine = 21;
    ck_fails(fit(&p, good, 1, &o), KEDGE_EINVAL, p.t.err, "at most 20");
    ck_assert_uint_eq(planted_info(&p).models, 0);
    planted_end(&p);
}
END_TEST

START_TEST(statistics_that_hold_nothing_are_refused)
{
    static const uint64_t two[] = {2};
    planted p;
    kedge_fit_opts o;

    planted_begin(&p, PLANTED_DOCUMENTS);
    docs_clear(&p.d);
    for (uint32_t m = 0; m < 30; m++)
        ck_assert(docs_begin(&p.d, m + 1) && docs_push(&p.d, m % 7, 9));
    planted_write(p.source, &p.d, 0, 30, false);
    p.o.statistics = "log";
    planted_fill(&p);
    kedge_fit_opts_init(&o);
    ck_fails(fit(&p, two, 1, &o), KEDGE_ENOTFOUND, p.t.err, "has two of "
             "the view's words");
    o.statistic = "tfidf";
    ck_fails(fit(&p, two, 1, &o), KEDGE_EINVAL, p.t.err, "tic \"tfidf\"");
    planted_end(&p);
}
END_TEST

START_TEST(the_longest_names_are_kept)
{
    static const uint64_t topics[] = {3, 4};
    char name[64];
    planted p;
    kedge_fit_opts o;
    kedge_fit_result r[2];

    begin(&p);
    kedge_fit_opts_init(&o);
    memset(name, 'n', sizeof name);
    name[63] = '\0';
    o.name = name;
    kedge_model_free(planted_fit(&p, 3, &o, r));
    ck_assert_str_eq(r[0].model, name);
    name[57] = '\0';
    ck_ok(kedge_fit(p.t.s, topics, 2, &o, &p.c, r, &p.t.err), p.t.err);
    ck_assert_uint_eq(strlen(r[1].model), 60);
    ck_assert_str_eq(r[1].model + 57, "-k4");
    planted_end(&p);
}
END_TEST

START_TEST(the_model_fitted_last_is_the_latest)
{
    static const char *const name[] = {"b", "a", "c", "b"};
    planted p;
    kedge_fit_opts o;

    begin(&p);
    kedge_fit_opts_init(&o);
    for (size_t i = 0; i < 4; i++) {
        kedge_model *latest;
        o.name = name[i];
        kedge_model_free(planted_fit(&p, 2 + i, &o, NULL));
        scene_reopen(&p.t, KEDGE_OPEN_WRITE);
        ck_ok(kedge_model_load(p.t.s, NULL, &latest, &p.t.err), p.t.err);
        ck_assert_str_eq(kedge_model_name(latest), name[i]);
        ck_assert_uint_eq(kedge_model_topics(latest), 2 + i);
        kedge_model_free(latest);
    }
    ck_assert_uint_eq(planted_info(&p).models, 3);
    planted_end(&p);
}
END_TEST

START_TEST(nothing_to_fit_is_told)
{
    static const uint64_t topics[] = {2};
    planted p;
    kedge_fit_opts o;

    planted_begin(&p, PLANTED_DOCUMENTS);
    kedge_fit_opts_init(&o);
    ck_fails(fit(&p, topics, 1, &o), KEDGE_ENOTFOUND, p.t.err,
             "no documents yet");
    p.o.min_tokens = 1000;
    planted_fill(&p);
    ck_assert_uint_eq(p.r.counted, 0);
    ck_fails(fit(&p, topics, 1, &o), KEDGE_ENOTFOUND, p.t.err,
             "or more of the view's words");
    planted_end(&p);
}
END_TEST

START_TEST(more_topics_than_words_are_told)
{
    static const uint64_t topics[] = {20};
    planted p;
    kedge_fit_opts o;

    planted_begin(&p, 8);
    kedge_fit_opts_init(&o);
    FILE *f = planted_file(p.vocabulary);
    fprintf(f, "a\nb\nc\nd\ne\n");
    ck_assert_int_eq(fclose(f), 0);
    f = planted_file(p.source);
    fprintf(f, "6\n5\n12\n");
    for (int m = 0; m < 6; m++)
        fprintf(f, "%d %d 3\n%d %d 3\n", m + 1, m % 4 + 1, m + 1, 5);
    ck_assert_int_eq(fclose(f), 0);
    planted_fill(&p);
    for (uint64_t passes = 0; passes < 2; passes++) {
        o.refine = passes;
        const kedge_status st = fit(&p, topics, 1, &o);
        ck_assert_int_ne(st, KEDGE_OK);
        ck_assert_str_ne(p.t.err.text, "");
    }
    ck_assert_uint_eq(planted_info(&p).models, 0);
    planted_end(&p);
}
END_TEST

static int stop_countdown(void *data)
{
    long *left = data;

    return __atomic_fetch_sub(left, 1, __ATOMIC_RELAXED) <= 0;
}

/* A list of so many words, as a file. */
static void write_list(planted *p, size_t count, char path[96])
{
    FILE *f = planted_file(planted_path(p, "list", path));

    for (size_t i = 0; i < count; i++)
        fprintf(f, "w%03zu\n", i * 37 % PLANTED_WORDS);
    ck_assert_int_eq(fclose(f), 0);
}

START_TEST(few_words_serve_as_many_topics)
{
    planted p;
    kedge_fit_opts o;
    kedge_fit_result r;
    char path[96];

    begin(&p);
    kedge_fit_opts_init(&o);
    o.keep = path;
    for (size_t count = 8; count <= 20; count += 6) {
        write_list(&p, count, path);
        kedge_model_free(planted_fit(&p, 6, &o, &r));
        ck_assert_uint_eq(r.words, count);
        ck_assert_uint_eq(r.width, 4 * count);
    }
    planted_end(&p);
}
END_TEST

START_TEST(a_view_that_comes_to_nothing_goes)
{
    static const uint64_t many[] = {3, 9}, good[] = {3};
    kedge_view_info v;
    kedge_fit_opts o;
    planted p;
    char path[96];

    begin(&p);
    write_list(&p, 8, path);
    kedge_fit_opts_init(&o);
    o.keep = path;
    ck_fails(fit(&p, many, 2, &o), KEDGE_EINVAL, p.t.err,
             "9 topics are too many for 8 words: that many have 8 topics at "
             "most");
    ck_assert_uint_eq(planted_info(&p).views, 1);
    o.min_tokens = 900; /* known only once all are counted */
    ck_fails(fit(&p, good, 1, &o), KEDGE_ENOTFOUND, p.t.err,
             "or more of the view's words");
    ck_assert_uint_eq(planted_info(&p).views, 1);
    o.min_tokens = 0;
    p.c.stop = stop_countdown;
    long left = 0;
    p.c.data = &left;
    ck_fails(fit(&p, good, 1, &o), KEDGE_ECANCELED, p.t.err, "");
    p.c.stop = NULL;
    ck_assert_uint_eq(planted_info(&p).views, 1);
    kedge_model_free(planted_fit(&p, 3, &o, NULL));
    ck_assert_uint_eq(planted_info(&p).views, 2);
    ck_assert_int_eq(fit(&p, many, 2, &o), KEDGE_EINVAL); /* is another's */
    ck_assert_uint_eq(planted_info(&p).views, 2);
    ck_ok(kedge_store_get_view(p.t.s, 1, &v, &p.t.err), p.t.err);
    ck_assert(v.current);
    planted_end(&p);
}
END_TEST

START_TEST(a_view_is_asked_for_by_its_number)
{
    static const uint64_t topics[] = {3};
    kedge_fit_opts o;
    kedge_fit_result r;
    planted p;
    char path[96];

    begin(&p);
    write_list(&p, 20, path);
    kedge_fit_opts_init(&o);
    o.keep = path;
    kedge_model_free(planted_fit(&p, 3, &o, NULL));
    o.view = 1;
    ck_fails(fit(&p, topics, 1, &o), KEDGE_EINVAL, p.t.err,
             "view 1 has its words already: choose a view, or words, not "
             "both");
    o.keep = NULL;
    kedge_model_free(planted_fit(&p, 3, &o, &r));
    ck_assert_uint_eq(r.words, 20);
    o.view = 0;
    kedge_model_free(planted_fit(&p, 3, &o, &r));
    ck_assert_uint_eq(r.words, PLANTED_WORDS);
    o.view = 2;
    ck_fails(fit(&p, topics, 1, &o), KEDGE_ENOTFOUND, p.t.err,
             "the store has no view 2");
    planted_end(&p);
}
END_TEST

START_TEST(a_small_budget_is_refused)
{
    static const uint64_t topics[] = {4};
    planted p;
    kedge_fit_opts o;

    begin(&p);
    kedge_fit_opts_init(&o);
    p.c.memory = UINT64_C(40) << 20;
    ck_fails(fit(&p, topics, 1, &o), KEDGE_EBUDGET, p.t.err, "40 MiB");
    planted_end(&p);
}
END_TEST

START_TEST(readers_cannot_fit)
{
    static const uint64_t topics[] = {4};
    planted p;
    kedge_fit_opts o;

    begin(&p);
    kedge_fit_opts_init(&o);
    scene_reopen(&p.t, KEDGE_OPEN_READ);
    ck_assert_int_ne(fit(&p, topics, 1, &o), KEDGE_OK);
    ck_assert_str_ne(p.t.err.text, "");
    planted_end(&p);
}
END_TEST

START_TEST(a_fit_can_be_stopped)
{
    static const uint64_t topics[] = {3, 4};
    planted p;
    kedge_fit_opts o;
    kedge_status st = KEDGE_ECANCELED;
    long n = 0;

    begin(&p);
    kedge_fit_opts_init(&o);
    o.refine = o.polish = 1;
    p.c.stop = stop_countdown;
    for (; st != KEDGE_OK; n++) {
        long left = n;
        p.c.data = &left;
        st = fit(&p, topics, 2, &o);
        ck_assert(st == KEDGE_OK || st == KEDGE_ECANCELED);
        ck_assert_int_lt(n, 500);
    }
    ck_assert_int_gt(n, 4);
    planted_end(&p);
}
END_TEST

START_TEST(fitting_without_memory)
{
    static const uint64_t topics[] = {3, 4};
    planted p;
    kedge_fit_opts o;
    kedge_status st = KEDGE_ENOMEM;

    begin(&p);
    p.c.threads = 1;
    kedge_fit_opts_init(&o);
    o.refine = o.polish = 2;
    o.weight = KEDGE_WEIGHT_SQRT;
    o.keep_spectrum = true;
    for (long k = 0; st != KEDGE_OK; k += 7) {
        gate_allow(k);
        st = fit(&p, topics, 2, &o);
        gate_open();
        ck_assert_msg(st == KEDGE_OK || st == KEDGE_ENOMEM, "%ld: %d %s", k,
                      (int)st, p.t.err.text);
        ck_assert_int_lt(k, 20000);
    }
    ck_assert_uint_eq(planted_info(&p).models, 2);
    planted_end(&p);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        planted_topics_are_found,
        damped_topics_are_found,
        results_tell_what_was_done,
        several_at_once_are_the_same_as_alone,
        several_refined_at_once_agree,
        threads_do_not_matter,
        the_spectrum_is_kept_on_request,
        without_rectification_y_is_the_scaled_vectors,
        weights_are_of_the_statistics_and_come_off_again,
        correlations_come_in_two_kinds,
        anchors_keep_to_the_least_df,
        bad_options_are_refused,
        statistics_that_hold_nothing_are_refused,
        the_longest_names_are_kept,
        the_model_fitted_last_is_the_latest,
        nothing_to_fit_is_told,
        more_topics_than_words_are_told,
        a_small_budget_is_refused,
        readers_cannot_fit,
        a_fit_can_be_stopped,
        fitting_without_memory,
        few_words_serve_as_many_topics,
        a_view_that_comes_to_nothing_goes,
        a_view_is_asked_for_by_its_number,
        NULL,
    };

    return unit_run("fit", tests);
}
