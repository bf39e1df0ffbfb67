/* SPDX-License-Identifier: MIT */
#include "ops/fit/fit.h"

#include <math.h>
#include <string.h>

#include "ops/planted.h"

TEST(numbers_of_topics_are_few_and_different)
{
    static const uint64_t good[] = {4, 2, 2000}, one[] = {1}, many[] = {2001},
                          twice[] = {3, 5, 3};
    kedge_error err = {0};

    ck_ok(fitcheck_topics(good, 3, &err), err);
    ck_fails(fitcheck_topics(good, 0, &err), KEDGE_EINVAL, err, "no number");
    ck_fails(fitcheck_topics(one, 1, &err), KEDGE_EINVAL, err, "2 to 2000");
    ck_fails(fitcheck_topics(many, 1, &err), KEDGE_EINVAL, err, "2001");
    ck_ok(fitcheck_topics(twice, 2, &err), err);
    ck_fails(fitcheck_topics(twice, 3, &err), KEDGE_EINVAL, err,
             "3 is given twice");
}

TEST(names_have_room_for_the_number)
{
    kedge_error err = {0};
    char name[80];
    kedge_fit_opts o = planted_opts();

    memset(name, 'n', sizeof name);
    o.name = "";
    ck_fails(fitcheck_opts(&o, 1, &err), KEDGE_EINVAL, err, "1 to 63");
    name[64] = '\0';
    o.name = name;
    ck_fails(fitcheck_opts(&o, 1, &err), KEDGE_EINVAL, err, "1 to 63");
    name[58] = '\0';
    ck_ok(fitcheck_opts(&o, 1, &err), err);
    ck_fails(fitcheck_opts(&o, 2, &err), KEDGE_EINVAL, err, "1 to 57");
    name[57] = '\0';
    ck_ok(fitcheck_opts(&o, 2, &err), err);
    o.align = "";
    ck_fails(fitcheck_opts(&o, 2, &err), KEDGE_EINVAL, err, "cannot be empty");
    o.align = "x";
    o.fresh = true;
    ck_fails(fitcheck_opts(&o, 2, &err), KEDGE_EINVAL, err,
             "numbered by prevalence or as");
}

/* One wrong value at a time, in options that are good without it. */
#define REFUSED(text, ...)                                                  \
    do {                                                                    \
        kedge_fit_opts o = planted_opts();                                  \
        kedge_error err_ = {0};                                             \
        __VA_ARGS__;                                                        \
        ck_fails(fitcheck_opts(&o, 1, &err_), KEDGE_EINVAL, err_, text);    \
    } while (0)

TEST(what_makes_no_sense_is_refused)
{
    kedge_error err = {0};
    kedge_fit_opts usual = planted_opts();

    ck_ok(fitcheck_opts(&usual, 1, &err), err);
    REFUSED("a model's name has 1 to 63", o.name = "");
    REFUSED("commas separate names", o.name = "a,b");
    REFUSED("at most 20, not 21", o.power_iter = 21);
    REFUSED("at most 200, not 201", o.rectify_iter = 201);
    REFUSED("EM iterations are at most 50, not 51", o.em_iter = 51);
    REFUSED("tolerance", o.rectify_tol = -1);
    REFUSED("tolerance", o.rectify_tol = NAN);
    REFUSED("unknown term weight: 3", o.term_weight = (kedge_term_weight)3);
    REFUSED("max_df is negative: -0.5", o.max_df = -0.5);
    REFUSED("--max-df 1.5", o.max_df = 1.5);
    REFUSED("choose raw, log", o.tf = "cube");
    REFUSED("unknown rectification: 6", o.rectify = (kedge_rectify)6);
    REFUSED("leave out --power-iter",
            o.rectify = KEDGE_RECTIFY_AP, o.power_iter = 1);
    REFUSED("--recover anchor-free needs --topic-cooccurrence",
            o.recover = KEDGE_RECOVER_ANCHOR_FREE,
            o.topic_cooccurrence = KEDGE_TOPIC_COOCCURRENCE_DIAGONAL);
    REFUSED("unknown co-occurrence: 4", o.cooccurrence = (kedge_cooccurrence)4);
    REFUSED("--rectify ap and dr need --cooccurrence dense",
            o.cooccurrence = KEDGE_COOCCURRENCE_SPARSE,
            o.rectify = KEDGE_RECTIFY_DR);
    REFUSED("--rectify ap and dr need --cooccurrence dense",
            o.cooccurrence = KEDGE_COOCCURRENCE_SKETCH,
            o.rectify = KEDGE_RECTIFY_AP);
    REFUSED("an index, or words", o.index = 1, o.min_df = 3);
    REFUSED("expected at most 8", o.phrases = 9);
    REFUSED("from -1 to 1", o.phrases = 2, o.phrase_score = 1.25);
    REFUSED("give --phrases 2 or more", o.phrase_df = 3);
    REFUSED("give --phrases 2 or more", o.phrase_score = 0.5);
    REFUSED("min_tokens: 1 is not in 2 to 1000: a document of one word has no "
            "pair", o.min_tokens = 1);
    REFUSED("1001 is not in 2 to 1000", o.min_tokens = 1001);
    REFUSED("15 is not in 16 to 8192", o.sketch_size = 15);
    REFUSED("8193 is not in 16 to 8192", o.sketch_size = 8193);
}

TEST(rectification_chooses_where_nothing_is_asked_for)
{
    kedge_fit_opts o = planted_opts();
    kedge_error err = {0};

    ck_assert_int_eq(fitcheck_cooccurrence(&o), KEDGE_COOCCURRENCE_SKETCH);
    o.rectify = KEDGE_RECTIFY_DR;
    ck_ok(fitcheck_opts(&o, 1, &err), err);
    ck_assert_int_eq(fitcheck_cooccurrence(&o), KEDGE_COOCCURRENCE_DENSE);
    o.rectify = KEDGE_RECTIFY_PALM;
    o.cooccurrence = KEDGE_COOCCURRENCE_SKETCH;
    ck_ok(fitcheck_opts(&o, 1, &err), err);
    ck_assert_int_eq(fitcheck_cooccurrence(&o), KEDGE_COOCCURRENCE_SKETCH);
}

TEST(ways_go_together)
{
    REFUSED("unknown choice of anchors: 99", o.anchors = (kedge_anchors)99);
    REFUSED("a file of anchors needs", o.anchors = KEDGE_ANCHORS_FILE);
    REFUSED("a file of anchors needs", o.anchor_file = "x");
    REFUSED("--align none names no model", o.anchors = KEDGE_ANCHORS_MODEL,
            o.fresh = true);
    REFUSED("--anchors counted needs --cooccurrence dense",
            o.anchors = KEDGE_ANCHORS_COUNTED);
    REFUSED("leave out --power-iter",
            o.anchors = KEDGE_ANCHORS_COUNTED,
            o.cooccurrence = KEDGE_COOCCURRENCE_SPARSE, o.power_iter = 1);
    REFUSED("leave out --anchors and --anchor-ban",
            o.recover = KEDGE_RECOVER_ANCHOR_FREE,
            o.cooccurrence = KEDGE_COOCCURRENCE_DENSE,
            o.anchors = KEDGE_ANCHORS_COUNTED);
    REFUSED("--projection needs --anchors fast", o.projection = 100,
            o.cooccurrence = KEDGE_COOCCURRENCE_DENSE,
            o.anchors = KEDGE_ANCHORS_COUNTED);
    REFUSED("a file of anchors needs", o.anchors = KEDGE_ANCHORS_COUNTED,
            o.cooccurrence = KEDGE_COOCCURRENCE_DENSE, o.anchor_file = "x");
    REFUSED("unknown recovery of topics: 4", o.recover = (kedge_recover)4);
    REFUSED("--solver needs --recover l2", o.recover = KEDGE_RECOVER_KL,
            o.solver = KEDGE_SOLVER_ACTIVE_SET);
    REFUSED("leave out --anchors and --anchor-ban",
            o.recover = KEDGE_RECOVER_ANCHOR_FREE, o.anchor_ban = "x");
    REFUSED("unknown solver: 4", o.solver = (kedge_solver)4);
    REFUSED("65535 dimensions at most", o.anchors = KEDGE_ANCHORS_FAST,
            o.projection = 65536);
    REFUSED("--projection needs --anchors fast", o.projection = 100);
}

/* All that makes C itself, which AP and DR do unasked. */
TEST(counted_anchors_take_the_cooccurrence)
{
    static const kedge_cooccurrence c[] = {
        KEDGE_COOCCURRENCE_DENSE, KEDGE_COOCCURRENCE_SPARSE,
        KEDGE_COOCCURRENCE_AUTO, KEDGE_COOCCURRENCE_AUTO};
    static const kedge_rectify r[] = {KEDGE_RECTIFY_ENN, KEDGE_RECTIFY_NONE,
                                      KEDGE_RECTIFY_AP, KEDGE_RECTIFY_DR};

    for (size_t i = 0; i < 4; i++) {
        kedge_fit_opts o = planted_opts();
        kedge_error err = {0};
        o.anchors = KEDGE_ANCHORS_COUNTED;
        o.cooccurrence = c[i];
        o.rectify = r[i];
        ck_ok(fitcheck_opts(&o, 1, &err), err);
    }
}

TEST(what_passes_over_documents_is_refused_where_these_are_elsewhere)
{
    static const char *const says[] = {"--power-iter", "--em-iter", "--ncut",
                                       "--cooccurrence", "--rectify",
                                       "--rectify", "--phrases"};
    const store_totals none = {0}, here = {.documents = 1};
    const store_totals elsewhere = {.documents = 1, .parts = 1};
    kedge_error err = {0};
    kedge_fit_opts o;

    kedge_fit_opts_init(&o);
    ck_ok(fitcheck_totals(&elsewhere, &o, &err), err);
    ck_fails(fitcheck_totals(&none, &o, &err), KEDGE_ENOTFOUND, err,
             "no documents yet");
    for (int kind = 0; kind < 7; kind++) {
        kedge_fit_opts_init(&o);
        o.power_iter = kind == 0;
        o.em_iter = kind == 1;
        o.ncut = kind == 2;
        o.cooccurrence = kind == 3 ? KEDGE_COOCCURRENCE_SPARSE
                                   : KEDGE_COOCCURRENCE_SKETCH;
        o.rectify = kind == 4   ? KEDGE_RECTIFY_PALM
                    : kind == 5 ? KEDGE_RECTIFY_IPALM
                                : KEDGE_RECTIFY_ENN;
        o.phrases = kind == 6 ? 2 : 0;
        ck_ok(fitcheck_totals(&here, &o, &err), err);
        ck_fails(fitcheck_totals(&elsewhere, &o, &err), KEDGE_EINVAL, err,
                 says[kind]);
    }
}

TEST(a_preset_sets_what_a_paper_prints)
{
    kedge_error err = {0};
    kedge_fit_opts o, usual;
    char settings[KEDGE_PRESET_SETTINGS];

    kedge_fit_opts_init(&usual);
    o = usual;
    ck_ok(kedge_fit_opts_preset(&o, "raw", &err), err);
    ck_assert_int_eq(o.preset, KEDGE_PRESET_RAW);
    ck_assert_str_eq(o.tf, "raw");
    ck_assert_uint_eq(o.min_tokens, 2);
    ck_assert_int_eq(o.rectify, KEDGE_RECTIFY_AP);
    ck_assert_uint_eq(o.rectify_iter, 150);
    ck_assert_uint_eq(o.index, usual.index); /* and leaves the others */
    ck_ok(fitcheck_opts(&o, 1, &err), err);
    ck_ok(kedge_fit_opts_preset(&o, "aw", &err), err); /* instead of that */
    ck_assert_int_eq(o.rectify, KEDGE_RECTIFY_NONE);
    ck_assert_int_eq(fitcheck_solver(&o), KEDGE_SOLVER_EXPGRAD);
    o.recover = KEDGE_RECOVER_KL;
    ck_ok(fitcheck_opts(&o, 1, &err), err);
    ck_assert_int_eq(fitcheck_solver(&o), KEDGE_SOLVER_ADMM);
    o.recover = KEDGE_RECOVER_L2;
    o.em_iter = 2;
    fit_settings(&o, settings);
    ck_assert_ptr_nonnull(strstr(settings, "--rectify none --anchors counted "
                                           "--anchor-min-df 1"));
    ck_assert_ptr_nonnull(strstr(settings, "diagonal --em-iter 2"));
}

TEST(a_preset_that_there_is_not_is_refused)
{
    kedge_error err = {0};
    kedge_fit_opts o;

    kedge_fit_opts_init(&o);
    ck_fails(kedge_fit_opts_preset(&o, "none", &err), KEDGE_EINVAL, err,
             "choose lr-jsmf, raw or aw");
    ck_assert_int_eq(o.preset, KEDGE_PRESET_NONE);
    o.preset = (kedge_preset)4;
    ck_fails(fitcheck_opts(&o, 1, &err), KEDGE_EINVAL, err,
             "unknown preset: 4");
}
