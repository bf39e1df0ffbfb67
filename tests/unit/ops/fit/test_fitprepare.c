/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "ops/fitted.h"

static const uint64_t topics[] = {4, 2};

TEST(anchors_of_no_model_are_told)
{
    STEPS(b, topics, 1);
    b.o.anchors = KEDGE_ANCHORS_MODEL;
    ck_fails(steps_try(&b), KEDGE_ENOTFOUND, b.p.t.err,
             "--anchors model keeps the anchors of model k4, and there is "
             "none: name another with --align");
}

/* ---- step by step ------------------------------------------------------- */

static void hear(void *data, const char *text)
{
    char *const said = data;

    if (strstr(text, "sketch") != NULL)
        snprintf(said, 200, "%s", text);
}

/* To the same spectrum as if it had been there. */
TEST(a_sketch_that_is_behind_follows)
{
    char said[200] = "", path[96];
    steps b, twin;

    steps_begin(&b, topics, 1);
    steps_begin(&twin, topics, 1);
    planted_anew(&b.p);
    b.f.s = b.p.t.s;
    b.p.o.tf = "raw";
    planted_write(planted_path(&b.p, "head", path), &b.p.d, 0, 100, false);
    ck_ok(planted_ingest(&b.p, path), b.p.t.err);
    planted_write(planted_path(&b.p, "tail", path), &b.p.d, 100,
                  PLANTED_DOCUMENTS, false);
    b.p.o.no_sketch = true;
    ck_ok(planted_ingest(&b.p, path), b.p.t.err);
    b.p.c.log = hear;
    b.p.c.data = said;
    steps_go(&b);
    steps_go(&twin);
    ck_assert_ptr_nonnull(strstr(said, "the stored documents"));
    ck_assert(b.f.sketched && !twin.f.sketched);
    ck_assert_uint_eq(b.f.index.documents, twin.f.index.documents);
    ck_assert_mem_eq(b.f.z.sums, twin.f.z.sums,
                     PLANTED_WORDS * sizeof(double));
    ck_assert_mem_eq(b.f.spectrum.values, twin.f.spectrum.values,
                     4 * sizeof(double));
    said[0] = '\0';
    steps_again(&b);
    steps_go(&b);
    ck_assert_str_eq(said, "");
    ck_assert(!b.f.sketched);
    steps_end(&b);
    steps_end(&twin);
}

/* ---- who looks on ------------------------------------------------------- */

static kedge_status refuse(void *data, const kedge_model *largest,
                           kedge_error *err)
{
    *(kedge_model *)data = *largest;
    snprintf(err->text, sizeof err->text, "not this one");
    return KEDGE_EINVAL;
}

TEST(the_largest_model_is_foreseen)
{
    kedge_model seen = {0};
    STEPS(b, topics, 2);
    b.wish.foresee = refuse;
    b.wish.data = &seen;
    b.o.term_weight = KEDGE_TERM_WEIGHT_SQRT;
    b.o.save_spectrum = true;
    ck_fails(steps_try(&b), KEDGE_EINVAL, b.p.t.err, "not this one");
    ck_assert_ptr_null(b.f.p); /* nothing was computed */
    ck_assert_uint_eq(seen.topics, 4);
    ck_assert_uint_eq(seen.words, PLANTED_WORDS);
    ck_assert_uint_eq(seen.index.width, 80);
    ck_assert_uint_eq(seen.figures.term_weight, KEDGE_TERM_WEIGHT_SQRT);
    ck_assert(seen.keep_spectrum);
}

TEST(a_narrow_sketch_is_told)
{
    static const uint64_t many[] = {9};
    char said[200] = "";
    STEPS(b, many, 1);
    ck_ok(fit_choose(&b.f, &b.p.t.err), b.p.t.err);
    b.p.c.log = hear;
    b.p.c.data = said;
    ck_ok(fit_plan_models(&b.f, many, 1, &b.p.t.err), b.p.t.err);
    ck_assert_str_eq(said, "9 topics from a sketch of 80 columns: ten columns "
                     "per topic are better, or --power-iter 1");
    ck_assert_uint_eq(b.f.shape.width, 80);
    ck_assert_uint_eq(b.f.shape.vocabulary, PLANTED_WORDS);
    ck_assert_uint_eq(b.f.shape.processes, 0);
}

/* ---- as fit has it ------------------------------------------------------ */

TEST(the_longest_names_are_kept)
{
    static const uint64_t two[] = {3, 4};
    char name[64];
    PLANTED_STORE(p);
    kedge_fit_opts o = planted_opts();
    kedge_fit_result r[2];

    memset(name, 'n', sizeof name);
    name[63] = '\0';
    o.name = name;
    kedge_model_free(planted_fit(&p, 3, &o, r));
    ck_assert_str_eq(r[0].model, name);
    name[57] = '\0';
    ck_ok(kedge_fit(p.t.s, two, 2, &o, &p.c, r, &p.t.err), p.t.err);
    ck_assert_uint_eq(strlen(r[1].model), 60);
    ck_assert_str_eq(r[1].model + 57, "-k4");
}

TEST(an_index_is_asked_for_by_its_number)
{
    kedge_fit_opts o = planted_opts();
    kedge_fit_result r;
    PLANTED_STORE(p);
    char path[96];

    fitted_list(&p, 20, path);
    o.keep_words = path;
    kedge_model_free(planted_fit(&p, 3, &o, NULL));
    o.index = 1;
    ck_fails(fitted_try(&p, topics, 1, &o), KEDGE_EINVAL, p.t.err,
             "index 1 has its words already: choose an index, or words, not "
             "both");
    o.keep_words = NULL;
    kedge_model_free(planted_fit(&p, 3, &o, &r));
    ck_assert_uint_eq(r.words, 20);
    o.index = 0;
    kedge_model_free(planted_fit(&p, 3, &o, &r));
    ck_assert_uint_eq(r.words, PLANTED_WORDS);
    o.index = 2;
    ck_fails(fitted_try(&p, topics, 1, &o), KEDGE_ENOTFOUND, p.t.err,
             "the store has no index 2");
}

TEST(few_words_serve_as_many_topics)
{
    PLANTED_STORE(p);
    kedge_fit_opts o = planted_opts();
    kedge_fit_result r;
    char path[96];

    o.keep_words = path;
    for (size_t count = 8; count <= 20; count += 6) {
        fitted_list(&p, count, path);
        kedge_model_free(planted_fit(&p, 6, &o, &r));
        ck_assert_uint_eq(r.words, count);
        ck_assert_uint_eq(r.sketch_size, 4 * count);
    }
}
