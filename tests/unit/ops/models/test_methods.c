/* SPDX-License-Identifier: MIT */
#include "ops/models/model.h"

#include "base/chance.h"
#include "unit.h"

TEST(ways_come_back)
{
    chance r = {.key = 1};

    for (int i = 0; i < 500; i++) {
        const law_ways w = {
            .anchors = (kedge_anchors)chance_below(&r, 8),
            .solver = (kedge_solver)chance_below(&r, 3),
            .recover = (kedge_recover)chance_below(&r, 3),
            .legal = chance_below(&r, 2) != 0,
            .several = chance_below(&r, 2) != 0,
            .banned = chance_below(&r, 2) != 0,
            .project = chance_below(&r, KEDGE_PROJECT_MOST + 1)};
        uint8_t bytes[METHODS_BYTES];
        law_ways back;
        methods_pack(&w, bytes);
        ck_assert(methods_unpack(bytes, &back));
        ck_assert_uint_eq(back.anchors, w.anchors);
        ck_assert_uint_eq(back.solver, w.solver);
        ck_assert_uint_eq(back.recover, w.recover);
        ck_assert_uint_eq(back.project, w.project);
        ck_assert(back.legal == w.legal && back.several == w.several &&
                  back.banned == w.banned);
    }
}

TEST(zeros_are_what_is_usual)
{
    uint8_t bytes[METHODS_BYTES] = {0};
    law_ways w;

    ck_assert(methods_unpack(bytes, &w));
    w.seed = 7; /* which is not among them */
    ck_assert(methods_plain(&w));
    for (size_t i = 0; i < METHODS_BYTES; i++) {
        bytes[i] = 1;
        ck_assert(methods_unpack(bytes, &w));
        ck_assert(!methods_plain(&w));
        bytes[i] = i < 5 ? 200 : 0;
        ck_assert(methods_unpack(bytes, &w) == (i >= 5));
        bytes[i] = 0;
    }
}

TEST(what_is_not_usual_is_told)
{
    kedge_model m = {.figures.weight = KEDGE_WEIGHT_IDF, .ways.seed = 3};
    char text[METHODS_TEXT];

    methods_describe(&m, text);
    ck_assert_str_eq(text, "");
    m.correlations_kind = KEDGE_CORRELATIONS_DIAGONAL;
    methods_describe(&m, text);
    ck_assert_str_eq(text, "correlations diagonal");
    m.ways = (law_ways){.anchors = KEDGE_ANCHORS_MODEL, .banned = true,
                        .solver = KEDGE_SOLVER_ACTIVE_SET, .project = 9,
                        .recover = KEDGE_RECOVER_ANCHOR_FREE, .legal = true};
    m.figures.refined = m.figures.polished = 18;
    m.figures.ncut = true;
    m.figures.weight = KEDGE_WEIGHT_NONE;
    m.figures.rectify = KEDGE_RECTIFY_IPALM;
    m.figures.cooccurrence = KEDGE_COOCCURRENCE_DENSE;
    methods_describe(&m, text);
    ck_assert_str_eq(text, "refine 18, polish 18, weight none, ncut, "
                           "cooccurrence dense, rectify ipalm, anchors model, "
                           "projected, some words banned, solver active-set, "
                           "recover anchor-free, correlations diagonal, "
                           "legal");
    m = (kedge_model){.figures.cooccurrence = KEDGE_COOCCURRENCE_SPARSE,
                      .figures.weight = KEDGE_WEIGHT_IDF};
    methods_describe(&m, text);
    ck_assert_str_eq(text, "cooccurrence sparse");
    m.ways.anchors = KEDGE_ANCHORS_COUNTED;
    methods_describe(&m, text);
    ck_assert_str_eq(text, "cooccurrence sparse, anchors counted");
}
