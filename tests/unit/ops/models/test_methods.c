/* SPDX-License-Identifier: MIT */
#include "ops/models/model.h"

#include "unit.h"

TEST(what_is_not_usual_is_told)
{
    kedge_model m = {.figures.term_weight = KEDGE_TERM_WEIGHT_IDF,
                     .ways.seed = 3};
    char text[METHODS_TEXT];

    methods_describe(&m, text);
    ck_assert_str_eq(text, "");
    m.correlations_kind = KEDGE_TOPIC_COOCCURRENCE_DIAGONAL;
    methods_describe(&m, text);
    ck_assert_str_eq(text, "topic-cooccurrence diagonal");
    m.ways = (law_ways){.anchors = KEDGE_ANCHORS_MODEL, .banned = true,
                        .solver = KEDGE_SOLVER_ACTIVE_SET, .project = 9,
                        .recover = KEDGE_RECOVER_ANCHOR_FREE, .legal = true};
    m.figures.power_iter = m.figures.em_iter = 18;
    m.figures.ncut = true;
    m.figures.term_weight = KEDGE_TERM_WEIGHT_NONE;
    m.figures.rectify = KEDGE_RECTIFY_IPALM;
    m.figures.cooccurrence = KEDGE_COOCCURRENCE_DENSE;
    methods_describe(&m, text);
    ck_assert_str_eq(text, "power-iter 18, em-iter 18, term-weight none, "
                           "ncut, cooccurrence dense, rectify ipalm, anchors "
                           "model, projected, some words banned, solver "
                           "active-set, recover anchor-free, "
                           "topic-cooccurrence diagonal, legal");
    m = (kedge_model){.figures.cooccurrence = KEDGE_COOCCURRENCE_SPARSE,
                      .figures.term_weight = KEDGE_TERM_WEIGHT_IDF};
    methods_describe(&m, text);
    ck_assert_str_eq(text, "cooccurrence sparse");
    m.ways.anchors = KEDGE_ANCHORS_COUNTED;
    methods_describe(&m, text);
    ck_assert_str_eq(text, "cooccurrence sparse, anchors counted");
}
