/* SPDX-License-Identifier: MIT */
#include <kedge/eval.h>

#include "base/gate.h"
#include "ops/measured.h"

/* C - B A B', and C, with the diagonal or without. */
static void norms(const measured *s, const double *c, bool diagonal,
                  double *error, double *norm)
{
    const size_t n = PLANTED_WORDS, k = PLANTED_TOPICS;
    const double *const b = kedge_model_probabilities(s->m);
    const double *const a = kedge_model_topic_cooccurrence(s->m);

    *error = *norm = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double e = c[i * n + j];
            if (!diagonal && i == j)
                continue;
            *norm += e * e;
            for (size_t t = 0; t < k * k; t++)
                e -= b[i * k + t / k] * a[t] * b[j * k + t % k];
            *error += e * e;
        }
    *error = sqrt(*error);
    *norm = sqrt(*norm);
}

TEST(it_is_near_the_documents_as_dense_matrices_say)
{
    double error, norm, tolerance, *c;
    kedge_eval_result r;
    MEASURED(s, "raw", KEDGE_TERM_WEIGHT_NONE);
    s.o.probes = 1024;
    r = measured_eval(&s);
    c = fitted_dense(&s.p.d, STATISTIC_JOINT);
    norms(&s, c, true, &error, &norm);
    tolerance = 5 * r.value[KEDGE_MEASURE_RELATIVE_ERROR_SPREAD];
    ck_assert_double_gt(tolerance, 0);
    ck_assert_double_lt(tolerance, 0.1);
    ck_assert_double_eq_tol(r.value[KEDGE_MEASURE_RELATIVE_ERROR],
                            error / norm, tolerance);
    ck_assert_double_eq_tol(r.value[KEDGE_MEASURE_APPROXIMATION_ERROR], error,
                            tolerance * norm);
    norms(&s, c, false, &error, &norm);
    ck_assert_double_eq_tol(r.value[KEDGE_MEASURE_RELATIVE_OFF_DIAGONAL],
                            error / norm, tolerance);
    ck_assert_str_eq(r.tf, "raw");
    ck_assert(r.of_model);
    ck_assert_uint_eq(r.documents, MEASURED_DOCUMENTS);
    ck_assert_uint_gt(r.planned_memory, 0);
    ck_assert_uint_eq(r.probes, 1024);
    free(c);
}

TEST(another_statistic_can_be_asked_for)
{
    double error, norm, *c;
    kedge_eval_result r;
    MEASURED(s, "log", KEDGE_TERM_WEIGHT_IDF);
    r = measured_eval(&s);
    ck_assert_str_eq(r.tf, "log");
    ck_assert(r.of_model);
    s.o.tf = "raw";
    s.o.probes = 1024;
    r = measured_eval(&s);
    ck_assert_str_eq(r.tf, "raw");
    ck_assert(!r.of_model);
    c = fitted_dense(&s.p.d, STATISTIC_JOINT);
    norms(&s, c, true, &error, &norm);
    ck_assert_double_eq_tol(
        r.value[KEDGE_MEASURE_RELATIVE_ERROR], error / norm,
        5 * r.value[KEDGE_MEASURE_RELATIVE_ERROR_SPREAD]);
    free(c);
}

static void check_same(const kedge_eval_result *a, const kedge_eval_result *b)
{
    ck_assert_str_eq(a->model, b->model);
    ck_assert_mem_eq(a->value, b->value, sizeof a->value);
    ck_assert_uint_eq(a->completion_tokens, b->completion_tokens);
}

TEST(models_side_by_side_are_as_each_alone)
{
    static const char *const names[] = {"k4", "k3", NULL};
    kedge_eval_result both[3], alone[3];
    MEASURED(s, "log", KEDGE_TERM_WEIGHT_IDF);
    kedge_model_free(planted_fit(&s.p, 3, NULL, NULL));
    ck_ok(kedge_eval(s.p.t.s, names, 3, &s.o, &s.p.c, both, &s.p.t.err),
          s.p.t.err);
    s.p.c.threads = 1;
    for (size_t i = 0; i < 3; i++) {
        ck_ok(kedge_eval(s.p.t.s, names + i, 1, &s.o, &s.p.c, &alone[i],
                         &s.p.t.err), s.p.t.err);
        check_same(&both[i], &alone[i]);
    }
    ck_assert_str_eq(both[2].model, "k3");
    ck_assert_uint_eq(both[0].topics, 4);
    ck_assert_double_ne(both[0].value[KEDGE_MEASURE_NPMI],
                        both[1].value[KEDGE_MEASURE_NPMI]);
}

static void hear_of_none(void *data, const char *line)
{
    *(int *)data += strstr(line, "completion drew none") != NULL;
}

TEST(unseen_words_are_foretold)
{
    int heard = 0;
    kedge_eval_result all, some, none;
    MEASURED(s, "raw", KEDGE_TERM_WEIGHT_NONE);
    s.o.completion = 1;
    all = measured_eval(&s);
    s.o.completion = 0.3;
    some = measured_eval(&s);
    s.p.c.log = hear_of_none;
    s.p.c.data = &heard;
    s.o.completion = 0;
    none = measured_eval(&s);
    ck_assert_int_eq(heard, 0);
    s.o.completion = 1e-9;
    ck_assert_uint_eq(measured_eval(&s).completion_documents, 0);
    ck_assert_int_eq(heard, 1);
    ck_assert(isnan(none.value[KEDGE_MEASURE_COMPLETION_LOG_LIKELIHOOD]));
    ck_assert(isnan(none.value[KEDGE_MEASURE_COMPLETION_PERPLEXITY]));
    ck_assert_uint_gt(all.completion_documents, MEASURED_DOCUMENTS * 9 / 10);
    ck_assert_uint_lt(some.completion_documents, MEASURED_DOCUMENTS / 2);
    ck_assert_uint_gt(some.completion_documents, MEASURED_DOCUMENTS / 6);
    /* better than by the vocabulary, and by the words' shares */
    ck_assert_double_gt(all.value[KEDGE_MEASURE_COMPLETION_LOG_LIKELIHOOD],
                        -log(PLANTED_WORDS));
    ck_assert_double_eq_tol(
        all.value[KEDGE_MEASURE_COMPLETION_PERPLEXITY],
        exp(-all.value[KEDGE_MEASURE_COMPLETION_LOG_LIKELIHOOD]), 1e-9);
}

/* A planted document's topic is its place modulo PLANTED_TOPICS. */
TEST(planted_classes_are_found_again)
{
    kedge_eval_result r;
    char path[96];
    MEASURED(s, "log", KEDGE_TERM_WEIGHT_IDF);
    FILE *f;

    r = measured_eval(&s);
    ck_assert(isnan(r.value[KEDGE_MEASURE_NMI]));
    ck_assert_uint_eq(r.labelled, 0);
    f = planted_file(planted_path(&s.p, "labels", path));
    for (size_t m = 0; m < MEASURED_DOCUMENTS; m++)
        fprintf(f, "topic %zu\n", m % PLANTED_TOPICS);
    ck_assert_int_eq(fclose(f), 0);
    s.o.labels = path;
    r = measured_eval(&s);
    ck_assert_uint_eq(r.labelled, MEASURED_DOCUMENTS);
    ck_assert_uint_eq(r.classes, PLANTED_TOPICS);
    ck_assert_double_gt(r.value[KEDGE_MEASURE_CLUSTERING_ACCURACY], 0.8);
    ck_assert_double_gt(r.value[KEDGE_MEASURE_NMI], 0.5);
    ck_assert_double_le(r.value[KEDGE_MEASURE_CLUSTERING_ACCURACY], 1);
    f = planted_file(path);
    for (size_t m = 0; m < 50; m++)
        fprintf(f, "%s:%zu\tits %zu\n", s.p.source, m + 1, m % 2);
    ck_assert_int_eq(fclose(f), 0);
    r = measured_eval(&s);
    ck_assert_uint_eq(r.labelled, 50);
    ck_assert_uint_eq(r.classes, 2);
}

/* What documents tell of is not defined without them; the rest still is. */
typedef struct told {
    double coherence, npmi, c_v, tree;
    uint64_t topics;
} told;

static void tell(void *data, const kedge_eval_topic *t)
{
    told *const sum = data;

    ck_assert_uint_eq(t->topic, sum->topics++);
    ck_assert_str_eq(t->model, "k4");
    sum->coherence += t->umass;
    sum->npmi += t->npmi;
    sum->c_v += t->c_v;
    sum->tree += t->mst_incoherence;
}

TEST(topics_are_told_one_by_one)
{
    kedge_eval_result r;
    told sum = {0};
    MEASURED(s, "raw", KEDGE_TERM_WEIGHT_NONE);
    s.o.topic = tell;
    s.o.topic_data = &sum;
    r = measured_eval(&s);
    ck_assert_uint_eq(sum.topics, PLANTED_TOPICS);
    ck_assert_double_eq(sum.coherence / PLANTED_TOPICS,
                        r.value[KEDGE_MEASURE_UMASS]);
    ck_assert_double_eq(sum.npmi / PLANTED_TOPICS,
                        r.value[KEDGE_MEASURE_NPMI]);
    ck_assert_double_eq(sum.c_v / PLANTED_TOPICS,
                        r.value[KEDGE_MEASURE_C_V]);
    ck_assert_double_eq(sum.tree / PLANTED_TOPICS,
                        r.value[KEDGE_MEASURE_MST_INCOHERENCE]);
}

TEST(without_documents_the_model_itself_is_measured)
{
    kedge_remove_opts remove;
    kedge_remove_result gone;
    kedge_eval_result r;
    MEASURED(s, "raw", KEDGE_TERM_WEIGHT_NONE);
    kedge_remove_opts_init(&remove);
    remove.batch = "all";
    ck_ok(kedge_remove(s.p.t.s, &remove, &s.p.c, &gone, &s.p.t.err),
          s.p.t.err);
    ck_assert_uint_eq(gone.left, 0);
    r = measured_eval(&s);
    ck_assert_uint_eq(r.documents, 0);
    ck_assert(isnan(r.value[KEDGE_MEASURE_RELATIVE_ERROR]));
    ck_assert(isnan(r.value[KEDGE_MEASURE_UMASS]));
    ck_assert(isnan(r.value[KEDGE_MEASURE_COMPLETION_LOG_LIKELIHOOD]));
    ck_assert(isnan(r.value[KEDGE_MEASURE_SPECIFICITY]));
    ck_assert(!isnan(r.value[KEDGE_MEASURE_DOMINANCY]));
    ck_assert(!isnan(r.value[KEDGE_MEASURE_SPARSITY]));
    ck_assert(!isnan(r.value[KEDGE_MEASURE_DISSIMILARITY]));
}

static void fails(measured *s, kedge_status st, const char *part)
{
    const char *const name = kedge_model_name(s->m);
    kedge_eval_result r;

    ck_fails(kedge_eval(s->p.t.s, &name, 1, &s->o, &s->p.c, &r, &s->p.t.err),
             st, s->p.t.err, part);
    kedge_eval_opts_init(&s->o);
}

TEST(wrong_options_are_told)
{
    static const struct {
        kedge_eval_opts o;
        kedge_status status;
        const char *part;
    } wrong[] = {
        {{.top = 1}, KEDGE_EINVAL, "first words"},
        {{.top = 51}, KEDGE_EINVAL, "first words"},
        {{.top = 9, .rank = KEDGE_RANK_ANCHOR}, KEDGE_EINVAL,
         "expected probability"},
        {{.top = 9, .completion = 1.5}, KEDGE_EINVAL, "from 0 to 1"},
        {{.top = 9, .probes = 100}, KEDGE_EINVAL, "multiple of 64"},
        {{.top = 9, .tf = "cube"}, KEDGE_EINVAL, "cube"},
        {{.top = 9, .labels = "/nowhere/labels"}, KEDGE_EIO, "nowhere"},
    };
    static const char *const other = "other";
    kedge_eval_result r;
    MEASURED(s, "raw", KEDGE_TERM_WEIGHT_NONE);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        s.o = wrong[i].o;
        fails(&s, wrong[i].status, wrong[i].part);
    }
    ck_fails(kedge_eval(s.p.t.s, &other, 1, &s.o, &s.p.c, &r, &s.p.t.err),
             KEDGE_ENOTFOUND, s.p.t.err, "other");
    ck_fails(kedge_eval(s.p.t.s, &other, 0, &s.o, &s.p.c, &r, &s.p.t.err),
             KEDGE_EINVAL, s.p.t.err, "0 models");
}

TEST(models_of_other_words_are_measured_apart)
{
    static const char *const names[] = {"k4", "few"};
    kedge_eval_result r[2];
    kedge_fit_opts o = planted_opts();
    MEASURED(s, "raw", KEDGE_TERM_WEIGHT_NONE);
    o.name = "few";
    o.vocab_size = 60;
    kedge_model_free(planted_fit(&s.p, 3, &o, NULL));
    ck_fails(kedge_eval(s.p.t.s, names, 2, &s.o, &s.p.c, r, &s.p.t.err),
             KEDGE_EINVAL, s.p.t.err, "different words");
    ck_ok(kedge_eval(s.p.t.s, names + 1, 1, &s.o, &s.p.c, r, &s.p.t.err),
          s.p.t.err);
    ck_assert_uint_eq(r[0].words, 60);
}

TEST(budgets_and_stops_are_kept)
{
    MEASURED(s, "raw", KEDGE_TERM_WEIGHT_NONE);
    s.p.c.memory = 1 << 20;
    fails(&s, KEDGE_EBUDGET, "evaluating");
    kedge_control_init(&s.p.c);
    s.p.c.stop = planted_stop;
    fails(&s, KEDGE_ECANCELED, "");
}

TEST(no_memory_leaves_nothing)
{
    static const char *const name = NULL;
    kedge_status st = KEDGE_ENOMEM;
    kedge_eval_result r;
    MEASURED(s, "raw", KEDGE_TERM_WEIGHT_NONE);
    s.p.c.threads = 1;
    for (long k = 0; st != KEDGE_OK; k += 1 + k / 40) {
        gate_allow(k);
        st = kedge_eval(s.p.t.s, &name, 1, &s.o, &s.p.c, &r, &s.p.t.err);
        gate_open();
        ck_assert_msg(st == KEDGE_OK || st == KEDGE_ENOMEM, "%d: %s", (int)st,
                      s.p.t.err.text);
    }
}
