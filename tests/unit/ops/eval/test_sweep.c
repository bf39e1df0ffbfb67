/* SPDX-License-Identifier: MIT */
#include <kedge/sweep.h>

#include "base/gate.h"
#include "ops/planted.h"

#define STEPS 5

static const uint64_t topics[STEPS] = {2, 3, 4, 6, 8};

typedef struct session {
    planted p;
    kedge_sweep_opts o;
    kedge_sweep_result r;
} session;

static void session_begin(session *s)
{
    *s = (session){0};
    planted_begin(&s->p, 400);
    planted_fill(&s->p);
    kedge_sweep_opts_init(&s->o);
    s->o.topics = topics;
    s->o.count = STEPS;
    s->o.fit.name = "try";
    s->o.fit.save_spectrum = true;
}

static void session_end(session *s)
{
    kedge_sweep_free(&s->r);
    planted_end(&s->p);
}

#define SESSION(s)              \
    OWN(session_end) session s; \
    session_begin(&s)

static void run(session *s)
{
    kedge_sweep_free(&s->r);
    ck_ok(kedge_sweep(s->p.t.s, &s->o, &s->p.c, &s->r, &s->p.t.err),
          s->p.t.err);
    ck_assert_uint_eq(s->r.count, STEPS);
    ck_assert_uint_eq(s->r.spectrum, topics[STEPS - 1] + 1);
}

/* Models and measures are those that are fitted and measured one by one. */
TEST(steps_are_models_and_their_measures)
{
    SESSION(s);
    s.o.fit.rectify = KEDGE_RECTIFY_NONE;
    run(&s);
    for (size_t i = 0; i < STEPS; i++) {
        const char *const name = s.r.steps[i].fit.model;
        kedge_eval_result alone;
        OWN(model_end) kedge_model *m = NULL;
        char want[16];
        snprintf(want, sizeof want, "try-k%d", (int)topics[i]);
        ck_assert_str_eq(name, want);
        ck_assert_str_eq(s.r.steps[i].eval.model, want);
        ck_ok(kedge_eval(s.p.t.s, &name, 1, &s.o.eval, &s.p.c, &alone,
                         &s.p.t.err), s.p.t.err);
        ck_assert_mem_eq(alone.value, s.r.steps[i].eval.value,
                         sizeof alone.value);
        ck_ok(kedge_model_load(s.p.t.s, name, NULL, &m, &s.p.t.err), s.p.t.err);
        for (uint64_t t = 0; t < topics[i]; t++)
            ck_assert_double_eq_tol(kedge_model_eigenvalues(m)[t] /
                                        kedge_model_eigenvalues(m)[0],
                                    s.r.eigenvalues[t] / s.r.eigenvalues[0],
                                    1e-6);
    }
}

TEST(gaps_are_of_what_falls)
{
    SESSION(s);
    run(&s);
    for (uint64_t t = 1; t < s.r.spectrum; t++)
        ck_assert_double_le(s.r.eigenvalues[t], s.r.eigenvalues[t - 1]);
    for (size_t i = 0; i < STEPS; i++) {
        const kedge_sweep_step *const step = &s.r.steps[i];
        const uint64_t k = topics[i];
        ck_assert_double_eq(step->eigenvalue, s.r.eigenvalues[k - 1]);
        ck_assert_double_eq(step->eigengap,
                            s.r.eigenvalues[k - 1] / s.r.eigenvalues[k]);
        ck_assert_double_gt(step->residual, 0);
        if (i + 1 == STEPS)
            ck_assert(isnan(step->anchor_gap));
        else
            ck_assert_double_eq(step->anchor_gap,
                                step->residual / step[1].residual);
    }
}

/* A model's own figures do not hang on which others are tried. */
TEST(fewer_numbers_have_the_same_figures)
{
    kedge_sweep_result all;
    SESSION(s);
    run(&s);
    all = s.r;
    s.r = (kedge_sweep_result){0};
    s.o.count = 3;
    ck_ok(kedge_sweep(s.p.t.s, &s.o, &s.p.c, &s.r, &s.p.t.err), s.p.t.err);
    ck_assert_uint_eq(s.r.count, 3);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_double_eq(s.r.steps[i].residual, all.steps[i].residual);
        ck_assert_double_eq_tol(s.r.steps[i].eigengap,
                                all.steps[i].eigengap, 1e-9);
    }
    kedge_sweep_free(&all);
}

/* Refined and exact eigenvalues have one more as well. */
TEST(the_last_has_a_gap_in_any_way)
{
    SESSION(s);
    s.o.fit.power_iter = 1;
    run(&s);
    ck_assert(isfinite(s.r.steps[STEPS - 1].eigengap));
    s.o.fit.power_iter = 0;
    s.o.fit.cooccurrence = KEDGE_COOCCURRENCE_DENSE;
    run(&s);
    ck_assert(isfinite(s.r.steps[STEPS - 1].eigengap));
}

/* Measures that will not find room are told before a model is fitted. */
TEST(memory_for_measures_is_looked_at_first)
{
    kedge_store_info info;
    SESSION(s);
    s.o.eval.completion = 1;
    s.p.c.memory = UINT64_C(64) << 20;
    ck_fails(kedge_sweep(s.p.t.s, &s.o, &s.p.c, &s.r, &s.p.t.err),
             KEDGE_EBUDGET, s.p.t.err, "evaluating takes");
    ck_ok(kedge_store_get_info(s.p.t.s, &info, &s.p.t.err), s.p.t.err);
    ck_assert_uint_eq(info.models, 0);
}

/* The corpus has PLANTED_TOPICS, and what is left of it is noise. */
TEST(planted_topics_stand_out)
{
    bool spectrum = false;
    SESSION(s);
    run(&s);
    ck_assert_uint_ge(s.r.candidates, 2);
    ck_assert_uint_le(s.r.candidates, KEDGE_SWEEP_CANDIDATES);
    for (uint64_t i = 0; i < s.r.candidates; i++) {
        const kedge_sweep_candidate *const c = &s.r.candidate[i];
        ck_assert_uint_lt(c->step, STEPS);
        ck_assert_uint_gt(strlen(c->reason), 10);
        ck_assert(isfinite(c->figure));
        if (strcmp(c->by, "spectrum") != 0)
            continue;
        spectrum = true;
        ck_assert_uint_eq(topics[c->step], PLANTED_TOPICS);
        ck_assert_double_eq(c->figure, s.r.steps[c->step].eigengap);
    }
    ck_assert(spectrum);
}

static void check_refused(session *s, const uint64_t *numbers, size_t count,
                          const char *part)
{
    s->o.topics = numbers;
    s->o.count = count;
    ck_fails(kedge_sweep(s->p.t.s, &s->o, &s->p.c, &s->r, &s->p.t.err),
             KEDGE_EINVAL, s->p.t.err, part);
    ck_assert_ptr_null(s->r.steps);
}

TEST(wrong_numbers_are_told)
{
    static const uint64_t falling[] = {4, 3}, many[] = {4, 149};
    SESSION(s);
    check_refused(&s, falling, 2, "must increase");
    check_refused(&s, falling, 0, "0 numbers");
    check_refused(&s, many, 2, "149 topics");
}

static void count_parts(void *data, const char *line)
{
    *(int *)data += strstr(line, "--memory allows measuring") != NULL;
}

/* With the least memory that is enough, and with plenty. */
static void check_little(double held_out)
{
    kedge_status st = KEDGE_EBUDGET;
    kedge_sweep_result plenty;
    int parts = 0;
    SESSION(s);
    s.o.eval.completion = 1;
    s.o.held_out = held_out;
    run(&s);
    plenty = s.r;
    s.r = (kedge_sweep_result){0};
    s.p.c.data = &parts;
    s.p.c.log = count_parts;
    for (s.p.c.memory = UINT64_C(64) << 20; st == KEDGE_EBUDGET;
         s.p.c.memory += UINT64_C(2) << 20) {
        parts = 0;
        st = kedge_sweep(s.p.t.s, &s.o, &s.p.c, &s.r, &s.p.t.err);
    }
    ck_ok(st, s.p.t.err);
    ck_assert(held_out > 0 || parts > 0);
    for (size_t i = 0; i < STEPS; i++) {
        const kedge_sweep_step *const a = &s.r.steps[i];
        const kedge_sweep_step *const b = &plenty.steps[i];
        ck_assert_mem_eq(a->eval.value, b->eval.value, sizeof a->eval.value);
        ck_assert_mem_eq(&a->held_out_log_likelihood,
                         &b->held_out_log_likelihood, sizeof(double));
        ck_assert(isnan(a->held_out_log_likelihood) == (held_out == 0));
    }
    kedge_sweep_free(&plenty);
}

TEST(little_memory_gives_the_same)
{
    check_little(0);
    check_little(0.25);
}

/* What holding out takes is planned before a model is fitted, and the advice
 * helps. */
TEST(memory_for_holding_out_is_looked_at_first)
{
    kedge_status st = KEDGE_EBUDGET;
    bool advised = false;
    SESSION(s);
    s.o.eval.completion = 0;
    s.p.c.memory = UINT64_C(40) << 20;
    while (st == KEDGE_EBUDGET) {
        s.p.c.memory += UINT64_C(1) << 20;
        st = kedge_sweep(s.p.t.s, &s.o, &s.p.c, &s.r, &s.p.t.err);
        if (st == KEDGE_EBUDGET &&
            strstr(s.p.t.err.text, "(--held-out 0)") != NULL) {
            ck_assert_uint_eq(planted_info(&s.p).models, 0);
            s.o.held_out = 0;
            s.o.discard = advised = true;
            ck_ok(kedge_sweep(s.p.t.s, &s.o, &s.p.c, &s.r, &s.p.t.err),
                  s.p.t.err);
            kedge_sweep_free(&s.r);
            s.o.held_out = 0.1;
            s.o.discard = false;
        }
    }
    ck_ok(st, s.p.t.err);
    ck_assert(advised);
}

/* ---- documents that are held out ----------------------------------------- */

static double figure(const session *s, size_t step)
{
    return s->r.steps[step].held_out_log_likelihood;
}

/* More topics than were planted bring next to nothing, where the model did not
 * see the documents. */
TEST(held_out_documents_name_what_was_planted)
{
    SESSION(s);
    s.o.held_out = 0.25;
    run(&s);
    ck_assert_uint_gt(s.r.held_out_documents, 60);
    ck_assert_uint_lt(s.r.held_out_documents, 140);
    ck_assert_uint_gt(s.r.held_out_tokens, s.r.held_out_documents);
    for (size_t i = 0; i < STEPS; i++)
        ck_assert_double_eq(s.r.steps[i].held_out_perplexity,
                            exp(-figure(&s, i)));
    ck_assert_double_gt(figure(&s, 2), figure(&s, 0) + 0.05);
    ck_assert_double_lt(figure(&s, 4), figure(&s, 2) + 0.01);
}

TEST(which_documents_follows_from_the_seed)
{
    double before;
    SESSION(s);
    s.o.count = 1;
    s.o.eval.completion = 0;
    ck_ok(kedge_sweep(s.p.t.s, &s.o, &s.p.c, &s.r, &s.p.t.err), s.p.t.err);
    before = figure(&s, 0);
    kedge_sweep_free(&s.r);
    s.p.c.threads = 3;
    ck_ok(kedge_sweep(s.p.t.s, &s.o, &s.p.c, &s.r, &s.p.t.err), s.p.t.err);
    ck_assert_double_eq(figure(&s, 0), before);
    kedge_sweep_free(&s.r);
    s.o.eval.seed = 9;
    ck_ok(kedge_sweep(s.p.t.s, &s.o, &s.p.c, &s.r, &s.p.t.err), s.p.t.err);
    ck_assert_double_ne(figure(&s, 0), before);
}

static void hear_reason(void *data, const char *line)
{
    const char **const reason = data;

    if (*reason != NULL && strstr(line, *reason) != NULL)
        *reason = NULL;
}

/* No figures, no candidate, and the reason is logged. */
static void check_none(session *s, const char *reason)
{
    kedge_sweep_free(&s->r);
    s->p.c.log = hear_reason;
    s->p.c.data = &reason;
    ck_ok(kedge_sweep(s->p.t.s, &s->o, &s->p.c, &s->r, &s->p.t.err),
          s->p.t.err);
    ck_assert_uint_eq(s->r.held_out_documents, 0);
    for (size_t i = 0; i < s->r.count; i++) {
        ck_assert(isnan(s->r.steps[i].held_out_log_likelihood));
        ck_assert(isnan(s->r.steps[i].held_out_perplexity));
    }
    for (uint64_t i = 0; i < s->r.candidates; i++)
        ck_assert_str_ne(s->r.candidate[i].by, "held-out");
    ck_assert_ptr_null(reason);
}

TEST(where_none_can_be_held_out_it_is_told)
{
    SESSION(s);
    s.o.held_out = 1e-9;
    check_none(&s, "no document was drawn: --held-out 1e-09");
    planted_end(&s.p);
    planted_begin(&s.p, 49);
    planted_fill(&s.p);
    s.o.held_out = 0.5;
    check_none(&s, "the store has 49, at least 50 are needed");
}

TEST(a_share_that_is_none_is_refused)
{
    static const double wrong[] = {-0.1, 0.91, NAN};
    SESSION(s);
    for (size_t i = 0; i < 3; i++) {
        s.o.held_out = wrong[i];
        ck_fails(kedge_sweep(s.p.t.s, &s.o, &s.p.c, &s.r, &s.p.t.err),
                 KEDGE_EINVAL, s.p.t.err, "from 0 to 0.9");
    }
}

TEST(no_memory_leaves_nothing)
{
    kedge_status st = KEDGE_ENOMEM;
    SESSION(s);
    s.p.c.threads = 1;
    s.o.count = 2;
    for (long k = 0; st != KEDGE_OK; k += 1 + k / 20) {
        gate_allow(k);
        st = kedge_sweep(s.p.t.s, &s.o, &s.p.c, &s.r, &s.p.t.err);
        gate_open();
        ck_assert_msg(st == KEDGE_OK || st == KEDGE_ENOMEM, "%d: %s", (int)st,
                      s.p.t.err.text);
        ck_assert((st == KEDGE_OK) == (s.r.steps != NULL));
    }
}
