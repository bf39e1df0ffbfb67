/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/crew.h"
#include "pipeline/bench.h"
#include "sketch/weights.h"

static const uint64_t topics[] = {4, 2};

/* ---- names -------------------------------------------------------------- */

START_TEST(names_follow_the_options)
{
    kedge_fit_opts o;
    fit f = {.opts = &o};
    char name[64], asked[64];

    kedge_fit_opts_init(&o);
    fit_name(&f, 20, 1, name);
    ck_assert_str_eq(name, "k20");
    fit_name(&f, 20, 3, name);
    ck_assert_str_eq(name, "k20");
    o.name = "mine";
    fit_name(&f, 20, 1, name);
    ck_assert_str_eq(name, "mine");
    fit_name(&f, 20, 2, name);
    ck_assert_str_eq(name, "mine-k20");
    memset(asked, 'n', sizeof asked);
    asked[63] = '\0';
    o.name = asked;
    fit_name(&f, 2000, 2, name);
    ck_assert_uint_eq(strlen(name), 57 + 6);
    ck_assert_str_eq(name + 57, "-k2000");
}
END_TEST

START_TEST(an_earlier_model_is_found_by_its_name)
{
    kedge_model like;
    bench b;

    bench_begin(&b, topics, 1);
    fit *const f = &b.f;
    ck_ok(fit_like(f, 4, 1, &like, &b.p.t.err), b.p.t.err);
    ck_assert_uint_eq(like.topics, 0);
    kedge_model_free(planted_fit(&b.p, 4, NULL, NULL));
    ck_ok(fit_like(f, 4, 1, &like, &b.p.t.err), b.p.t.err);
    ck_assert_uint_eq(like.topics, 4);
    ck_assert_str_eq(like.name, "k4");
    ck_ok(fit_like(f, 5, 1, &like, &b.p.t.err), b.p.t.err);
    ck_assert_uint_eq(like.topics, 0);
    b.o.like = "k4"; /* whatever the new one's number of topics */
    ck_ok(fit_like(f, 5, 1, &like, &b.p.t.err), b.p.t.err);
    ck_assert_uint_eq(like.topics, 4);
    b.o.fresh = true;
    ck_ok(fit_like(f, 4, 1, &like, &b.p.t.err), b.p.t.err);
    ck_assert_uint_eq(like.topics, 0);
    b.o.fresh = false;
    f->s = NULL; /* a process that stores no models */
    ck_ok(fit_like(f, 4, 1, &like, &b.p.t.err), b.p.t.err);
    ck_assert_uint_eq(like.topics, 0);
    f->s = b.p.t.s;
    b.o.like = "none";
    ck_fails(fit_like(f, 4, 1, &like, &b.p.t.err), KEDGE_ENOTFOUND,
             b.p.t.err, "none");
    scene_write(&b.p.t); /* nothing was left open */
    store_abort(&b.p.t.txn);
    bench_end(&b);
}
END_TEST

START_TEST(anchors_of_no_model_are_told)
{
    bench b;

    bench_begin(&b, topics, 1);
    b.o.anchors = KEDGE_ANCHORS_MODEL;
    ck_fails(bench_try(&b), KEDGE_ENOTFOUND, b.p.t.err,
             "there is no earlier model of 4 topics whose anchors could be "
             "kept: name one with --like");
    bench_end(&b);
}
END_TEST

/* ---- step by step ------------------------------------------------------- */

START_TEST(all_models_share_it)
{
    bench b;

    bench_begin(&b, topics, 2);
    bench_lay(&b);
    const fit *const f = &b.f;
    const tall_part own = fit_own(f);
    ck_assert(f->number == 0 && !f->choice.fresh && !f->sketched);
    ck_assert_uint_eq(f->most, 4);
    ck_assert_uint_eq(f->w.rows, PLANTED_WORDS);
    ck_assert_uint_eq(f->view.words, PLANTED_WORDS);
    ck_assert(own.from == 0 && own.count == PLANTED_WORDS);
    ck_assert_ptr_null(f->values);
    ck_assert_uint_gt(f->plan.total, 0);
    ck_assert_double_gt(f->spectrum_seconds, 0);
    ck_assert_uint_ge(f->spectrum.count, 4);
    for (size_t c = 1; c < 4; c++)
        ck_assert_double_ge(f->spectrum.values[c - 1], f->spectrum.values[c]);
    for (size_t r = 1; r < f->w.rows; r++) /* rows in the words' order */
        ck_assert_int_lt(strcmp(words_get(f->list, f->w.order[r - 1]),
                                words_get(f->list, f->w.order[r])), 0);
    bench_end(&b);
}
END_TEST

/* As they are defined, before D C D adds up to one. */
START_TEST(weights_are_those_of_counts_and_sums)
{
    double expected[PLANTED_WORDS];

    for (int weight = 0; weight < 3; weight++) {
        bench b;
        double all = 0;
        bench_begin(&b, topics, 1);
        b.o.weight = (kedge_weight)weight;
        bench_lay(&b);
        const fit *const f = &b.f;
        for (size_t r = 0; r < f->w.rows; r++) {
            all += f->z.sums[r];
            expected[r] =
                weight == KEDGE_WEIGHT_IDF
                    ? fmax(log(PLANTED_DOCUMENTS / (double)f->w.df[r]),
                           WEIGHTS_IDF_LEAST)
                    : 1 / sqrt(f->z.sums[r]);
        }
        ck_assert_double_eq_tol(all, 1, 1e-9);
        ck_assert((f->weight == NULL) == (weight == KEDGE_WEIGHT_NONE));
        for (size_t r = 0; f->weight != NULL && r < f->w.rows; r++)
            ck_assert_double_eq_tol(f->weight[r] / expected[r], 1, 1e-9);
        ck_assert_int_eq(f->spectrum.weighted, f->weight != NULL);
        bench_end(&b);
    }
}
END_TEST

static void hear(void *data, const char *text)
{
    char *const said = data;

    if (strstr(text, "sketch") != NULL)
        snprintf(said, 200, "%s", text);
}

/* To the same spectrum as if it had been there. */
START_TEST(a_sketch_that_is_behind_follows)
{
    char said[200] = "", path[96];
    bench b, twin;

    bench_begin(&b, topics, 1);
    bench_begin(&twin, topics, 1);
    planted_anew(&b.p);
    b.f.s = b.p.t.s;
    b.p.o.statistics = "joint";
    planted_write(planted_path(&b.p, "head", path), &b.p.d, 0, 100, false);
    ck_ok(planted_ingest(&b.p, path), b.p.t.err);
    planted_write(planted_path(&b.p, "tail", path), &b.p.d, 100,
                  PLANTED_DOCUMENTS, false);
    b.p.o.no_sketch = true;
    ck_ok(planted_ingest(&b.p, path), b.p.t.err);
    b.p.c.log = hear;
    b.p.c.data = said;
    bench_lay(&b);
    bench_lay(&twin);
    ck_assert_ptr_nonnull(strstr(said, "the stored documents"));
    ck_assert(b.f.sketched && !twin.f.sketched);
    ck_assert_uint_eq(b.f.view.documents, twin.f.view.documents);
    ck_assert_mem_eq(b.f.z.sums, twin.f.z.sums,
                     PLANTED_WORDS * sizeof(double));
    ck_assert_mem_eq(b.f.spectrum.values, twin.f.spectrum.values,
                     4 * sizeof(double));
    said[0] = '\0';
    bench_again(&b);
    bench_lay(&b);
    ck_assert_str_eq(said, "");
    ck_assert(!b.f.sketched);
    bench_end(&b);
    bench_end(&twin);
}
END_TEST

/* One more than topics, for the largest model. */
START_TEST(eigenvalues_are_made_where_they_are_wanted)
{
    double values[8];
    bench b;

    bench_begin(&b, topics, 2);
    b.o.eigenvalues = values;
    bench_lay(&b);
    ck_assert_ptr_nonnull(b.f.values);
    for (size_t c = 0; c < 5; c++)
        ck_assert_double_eq(b.f.values[c], b.f.spectrum.values[c]);
    ck_assert_uint_eq(b.f.shape.topics, 5);
    bench_end(&b);
}
END_TEST

/* ---- who looks on ------------------------------------------------------- */

static kedge_status refuse(void *data, const kedge_model *largest,
                           kedge_error *err)
{
    *(kedge_model *)data = *largest;
    snprintf(err->text, sizeof err->text, "not this one");
    return KEDGE_EINVAL;
}

START_TEST(the_largest_model_is_foreseen)
{
    kedge_model seen = {0};
    bench b;

    bench_begin(&b, topics, 2);
    b.wish.foresee = refuse;
    b.wish.data = &seen;
    b.o.weight = KEDGE_WEIGHT_SQRT;
    b.o.keep_spectrum = true;
    ck_fails(bench_try(&b), KEDGE_EINVAL, b.p.t.err, "not this one");
    ck_assert_ptr_null(b.f.p); /* nothing was computed */
    ck_assert_uint_eq(seen.topics, 4);
    ck_assert_uint_eq(seen.words, PLANTED_WORDS);
    ck_assert_uint_eq(seen.view.width, 80);
    ck_assert_uint_eq(seen.weight, KEDGE_WEIGHT_SQRT);
    ck_assert(seen.keep_spectrum);
    bench_end(&b);
}
END_TEST

START_TEST(a_narrow_sketch_is_told)
{
    static const uint64_t many[] = {9};
    char said[200] = "";
    bench b;

    bench_begin(&b, many, 1);
    ck_ok(fit_choose(&b.f, &b.p.t.err), b.p.t.err);
    b.p.c.log = hear;
    b.p.c.data = said;
    ck_ok(fit_plan_models(&b.f, many, 1, &b.p.t.err), b.p.t.err);
    ck_assert_str_eq(said, "9 topics from a sketch of 80 columns: ten columns "
                     "a topic are better; --refine 1 makes up for it");
    ck_assert_uint_eq(b.f.shape.width, 80);
    ck_assert_uint_eq(b.f.shape.vocabulary, PLANTED_WORDS);
    ck_assert_uint_eq(b.f.shape.processes, 0);
    bench_end(&b);
}
END_TEST

/* ---- several processes -------------------------------------------------- */

static void count_work(void *data, team *t)
{
    uint64_t (*const heard)[2] = data;
    kedge_team_traffic traffic = {0};
    fit f = {.team = t, .heard = *t->heard, .traffic = &traffic};
    char value[100] = "";

    team_spread(t, value, 10, 0);
    fit_count(&f, &traffic.words);
    team_spread(t, value, 100, 0);
    fit_count(&f, &traffic.rows);
    fit_count(&f, &traffic.rows); /* nothing since */
    heard[t->rank][0] = traffic.words;
    heard[t->rank][1] = traffic.rows;
}

START_TEST(what_came_is_counted_once)
{
    uint64_t heard[3][2];
    uint64_t alone = 0;
    fit f = {0};

    crew_run(3, count_work, heard);
    for (size_t r = 0; r < 3; r++) {
        ck_assert_uint_eq(heard[r][0], r > 0 ? 10U : 0);
        ck_assert_uint_eq(heard[r][1], r > 0 ? 100U : 0);
    }
    fit_count(&f, &alone); /* of no team */
    ck_assert_uint_eq(alone, 0);
}
END_TEST

/* ---- without memory ----------------------------------------------------- */

START_TEST(laying_it_without_memory)
{
    double values[8];
    kedge_status st = KEDGE_ENOMEM;
    bench b;
    long k = 0;

    bench_begin(&b, topics, 2);
    b.p.c.threads = 1;
    b.o.weight = KEDGE_WEIGHT_SQRT;
    b.o.eigenvalues = values;
    for (; st != KEDGE_OK; k += 3) {
        bench_again(&b);
        gate_allow(k);
        st = bench_try(&b);
        gate_open();
        ck_assert_msg(st == KEDGE_OK || st == KEDGE_ENOMEM, "%ld: %s", k,
                      b.p.t.err.text);
        ck_assert_int_lt(k, 5000);
    }
    ck_assert_int_gt(k, 10);
    bench_end(&b);
}
END_TEST

/* ---- as fit has it ------------------------------------------------------ */

START_TEST(the_longest_names_are_kept)
{
    static const uint64_t two[] = {3, 4};
    char name[64];
    planted p;
    kedge_fit_opts o;
    kedge_fit_result r[2];

    fitted_begin(&p);
    kedge_fit_opts_init(&o);
    memset(name, 'n', sizeof name);
    name[63] = '\0';
    o.name = name;
    kedge_model_free(planted_fit(&p, 3, &o, r));
    ck_assert_str_eq(r[0].model, name);
    name[57] = '\0';
    ck_ok(kedge_fit(p.t.s, two, 2, &o, &p.c, r, &p.t.err), p.t.err);
    ck_assert_uint_eq(strlen(r[1].model), 60);
    ck_assert_str_eq(r[1].model + 57, "-k4");
    planted_end(&p);
}
END_TEST

START_TEST(a_view_is_asked_for_by_its_number)
{
    kedge_fit_opts o;
    kedge_fit_result r;
    planted p;
    char path[96];

    fitted_begin(&p);
    fitted_list(&p, 20, path);
    kedge_fit_opts_init(&o);
    o.keep = path;
    kedge_model_free(planted_fit(&p, 3, &o, NULL));
    o.view = 1;
    ck_fails(fitted_try(&p, topics, 1, &o), KEDGE_EINVAL, p.t.err,
             "view 1 has its words already: choose a view, or words, not "
             "both");
    o.keep = NULL;
    kedge_model_free(planted_fit(&p, 3, &o, &r));
    ck_assert_uint_eq(r.words, 20);
    o.view = 0;
    kedge_model_free(planted_fit(&p, 3, &o, &r));
    ck_assert_uint_eq(r.words, PLANTED_WORDS);
    o.view = 2;
    ck_fails(fitted_try(&p, topics, 1, &o), KEDGE_ENOTFOUND, p.t.err,
             "the store has no view 2");
    planted_end(&p);
}
END_TEST

START_TEST(few_words_serve_as_many_topics)
{
    planted p;
    kedge_fit_opts o;
    kedge_fit_result r;
    char path[96];

    fitted_begin(&p);
    kedge_fit_opts_init(&o);
    o.keep = path;
    for (size_t count = 8; count <= 20; count += 6) {
        fitted_list(&p, count, path);
        kedge_model_free(planted_fit(&p, 6, &o, &r));
        ck_assert_uint_eq(r.words, count);
        ck_assert_uint_eq(r.width, 4 * count);
    }
    planted_end(&p);
}
END_TEST

UNIT_SUITE("fitprepare",
    names_follow_the_options,
    an_earlier_model_is_found_by_its_name,
    anchors_of_no_model_are_told,
    all_models_share_it,
    weights_are_those_of_counts_and_sums,
    a_sketch_that_is_behind_follows,
    eigenvalues_are_made_where_they_are_wanted,
    the_largest_model_is_foreseen,
    a_narrow_sketch_is_told,
    what_came_is_counted_once,
    laying_it_without_memory,
    the_longest_names_are_kept,
    a_view_is_asked_for_by_its_number,
    few_words_serve_as_many_topics)
