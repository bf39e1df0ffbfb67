/* SPDX-License-Identifier: MIT */
/*
 * What the papers print, as options. Where a paper leaves a setting open, the
 * preset has that of the authors' other paper, or kedge's own: see
 * examples/papers.md.
 */
#include "ops/fit/fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <kedge/methods.h>

#include "base/fail.h"

/* Zeros are settings as well. */
static const kedge_fit_opts presets[] = {
    [KEDGE_PRESET_LR_JSMF] = {
        .tf = "raw", .min_tokens = 2,
        .term_weight = KEDGE_TERM_WEIGHT_NONE,
        .cooccurrence = KEDGE_COOCCURRENCE_SKETCH,
        .rectify = KEDGE_RECTIFY_ENN, .rectify_iter = 150, .rectify_tol = 1e-4,
        .anchors = KEDGE_ANCHORS_QR, .anchor_min_df = 1,
        .recover = KEDGE_RECOVER_L2, .solver = KEDGE_SOLVER_ADMM,
        .topic_cooccurrence = KEDGE_TOPIC_COOCCURRENCE_DIAGONAL},
    [KEDGE_PRESET_RAW] = {
        .tf = "raw", .min_tokens = 2,
        .term_weight = KEDGE_TERM_WEIGHT_NONE,
        .cooccurrence = KEDGE_COOCCURRENCE_DENSE,
        .rectify = KEDGE_RECTIFY_AP, .rectify_iter = 150, .rectify_tol = 0,
        .anchors = KEDGE_ANCHORS_QR, .anchor_min_df = 1,
        .recover = KEDGE_RECOVER_L2, .solver = KEDGE_SOLVER_ADMM,
        .topic_cooccurrence = KEDGE_TOPIC_COOCCURRENCE_DIAGONAL},
    [KEDGE_PRESET_AW] = {
        .tf = "raw", .min_tokens = 2,
        .term_weight = KEDGE_TERM_WEIGHT_NONE,
        .cooccurrence = KEDGE_COOCCURRENCE_DENSE,
        .rectify = KEDGE_RECTIFY_NONE, .rectify_tol = 2e-3, /* of no use */
        .anchors = KEDGE_ANCHORS_COUNTED, .anchor_min_df = 1,
        .recover = KEDGE_RECOVER_L2, .solver = KEDGE_SOLVER_EXPGRAD,
        .topic_cooccurrence = KEDGE_TOPIC_COOCCURRENCE_DIAGONAL},
};

kedge_status kedge_fit_opts_preset(kedge_fit_opts *opts, const char *name,
                                   kedge_error *err)
{
    static const char *const names[] = {KEDGE_PRESETS(KEDGE_METHOD_NAME)};
    size_t n = KEDGE_PRESET_LR_JSMF;

    API_ENTER(err, {"opts", opts}, {"name", name});
    while (n <= KEDGE_PRESET_AW && strcmp(name, names[n]) != 0)
        n++;
    if (n > KEDGE_PRESET_AW)
        return kedge_fail(err, KEDGE_EINVAL,
                          "there is no preset \"%.40s\": choose lr-jsmf, raw "
                          "or aw", name);
    const kedge_fit_opts *const p = &presets[n];
    opts->preset = (kedge_preset)n;
    opts->tf = p->tf;
    opts->min_tokens = p->min_tokens;
    opts->term_weight = p->term_weight;
    opts->cooccurrence = p->cooccurrence;
    opts->power_iter = p->power_iter;
    opts->rectify = p->rectify;
    opts->rectify_iter = p->rectify_iter;
    opts->rectify_tol = p->rectify_tol;
    opts->anchors = p->anchors;
    opts->anchor_min_df = p->anchor_min_df;
    opts->recover = p->recover;
    opts->solver = p->solver;
    opts->topic_cooccurrence = p->topic_cooccurrence;
    opts->em_iter = p->em_iter;
    return api_leave(KEDGE_OK, err);
}

/* ---- as text ------------------------------------------------------------- */

static void add(char text[KEDGE_PRESET_SETTINGS], const char *option,
                const char *value)
{
    const size_t size = strlen(text);

    snprintf(text + size, KEDGE_PRESET_SETTINGS - size, "%s--%s %s",
             size > 0 ? " " : "", option, value);
}

static void add_method(char text[KEDGE_PRESET_SETTINGS], const char *option,
                       method_option what, uint64_t value)
{
    add(text, option, methods_name(what, value));
}

static void add_count(char text[KEDGE_PRESET_SETTINGS], const char *option,
                      uint64_t value)
{
    char number[24];

    snprintf(number, sizeof number, "%" PRIu64, value);
    add(text, option, number);
}

void fit_settings(const kedge_fit_opts *o, char text[KEDGE_PRESET_SETTINGS])
{
    const bool rectified = o->rectify != KEDGE_RECTIFY_NONE;
    char number[32];

    text[0] = '\0';
    if (o->tf != NULL)
        add(text, "tf", o->tf);
    if (o->min_tokens > 0)
        add_count(text, "min-tokens", o->min_tokens);
    add_method(text, "term-weight", METHOD_WEIGHT, o->term_weight);
    add_method(text, "cooccurrence", METHOD_COOCCURRENCE,
               fitcheck_cooccurrence(o));
    add_count(text, "power-iter", o->power_iter);
    add_method(text, "rectify", METHOD_RECTIFY, o->rectify);
    if (rectified)
        add_count(text, "rectify-iter", fitcheck_rounds(o));
    snprintf(number, sizeof number, "%g", o->rectify_tol);
    if (rectified)
        add(text, "rectify-tol", number);
    if (o->recover != KEDGE_RECOVER_ANCHOR_FREE)
        add_method(text, "anchors", METHOD_ANCHORS, fitcheck_anchors(o));
    if (o->anchor_min_df > 0)
        add_count(text, "anchor-min-df", o->anchor_min_df);
    add_method(text, "recover", METHOD_RECOVER, o->recover);
    if (o->recover == KEDGE_RECOVER_L2)
        add_method(text, "solver", METHOD_SOLVER, fitcheck_solver(o));
    add_method(text, "topic-cooccurrence", METHOD_TOPIC_COOCCURRENCE,
               o->topic_cooccurrence);
    add_count(text, "em-iter", o->em_iter);
}
