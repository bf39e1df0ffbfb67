/* SPDX-License-Identifier: MIT */
#include "ops/models/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <kedge/methods.h>

enum { ANCHORS, SOLVER, RECOVER, LEGAL, GIVEN, PROJECT, PROJECT_HIGH };
enum { SEVERAL = 1, BANNED = 2 }; /* bits of GIVEN */

void methods_pack(const law_ways *w, uint8_t bytes[METHODS_BYTES])
{
    bytes[ANCHORS] = (uint8_t)w->anchors;
    bytes[SOLVER] = (uint8_t)w->solver;
    bytes[RECOVER] = (uint8_t)w->recover;
    bytes[LEGAL] = w->legal;
    bytes[GIVEN] = (uint8_t)((w->several ? SEVERAL : 0) |
                             (w->banned ? BANNED : 0));
    bytes[PROJECT] = (uint8_t)w->project;
    bytes[PROJECT_HIGH] = (uint8_t)(w->project >> 8);
}

bool methods_unpack(const uint8_t bytes[METHODS_BYTES], law_ways *w)
{
    *w = (law_ways){.anchors = (kedge_anchors)bytes[ANCHORS],
                    .solver = (kedge_solver)bytes[SOLVER],
                    .recover = (kedge_recover)bytes[RECOVER],
                    .legal = bytes[LEGAL] != 0,
                    .several = (bytes[GIVEN] & SEVERAL) != 0,
                    .banned = (bytes[GIVEN] & BANNED) != 0,
                    .project = bytes[PROJECT] + 256u * bytes[PROJECT_HIGH]};
    return bytes[ANCHORS] <= KEDGE_ANCHORS_COUNTED &&
           bytes[SOLVER] <= KEDGE_SOLVER_EXPGRAD &&
           bytes[RECOVER] <= KEDGE_RECOVER_ANCHOR_FREE && bytes[LEGAL] <= 1 &&
           bytes[GIVEN] <= (SEVERAL | BANNED);
}

bool methods_plain(const law_ways *w)
{
    static const uint8_t usual[METHODS_BYTES];
    uint8_t bytes[METHODS_BYTES];

    methods_pack(w, bytes);
    return memcmp(bytes, usual, sizeof bytes) == 0;
}

const char *methods_name(method_option what, uint64_t value)
{
    static const char *const name[][8] = {
        [METHOD_PRESET] = {KEDGE_PRESETS(KEDGE_METHOD_NAME)},
        [METHOD_RECTIFY] = {KEDGE_RECTIFIERS(KEDGE_METHOD_NAME)},
        [METHOD_COOCCURRENCE] = {KEDGE_COOCCURRENCES(KEDGE_METHOD_NAME)},
        [METHOD_WEIGHT] = {KEDGE_TERM_WEIGHTS(KEDGE_METHOD_NAME)},
        [METHOD_ANCHORS] = {KEDGE_ANCHOR_CHOICES(KEDGE_METHOD_NAME)},
        [METHOD_SOLVER] = {KEDGE_SOLVERS(KEDGE_METHOD_NAME)},
        [METHOD_RECOVER] = {KEDGE_RECOVERIES(KEDGE_METHOD_NAME)},
        [METHOD_TOPIC_COOCCURRENCE] = {
            KEDGE_TOPIC_COOCCURRENCES(KEDGE_METHOD_NAME)},
    };

    return name[what][value];
}

/* Adds "what name" where it is not usual. */
static void methods_add(char text[METHODS_TEXT], bool usual, const char *what,
                        const char *name)
{
    const size_t size = strlen(text);

    if (!usual)
        snprintf(text + size, METHODS_TEXT - size, "%s%s%s%s",
                 size > 0 ? ", " : "", what, name[0] != '\0' ? " " : "", name);
}

static void methods_add_passes(char text[METHODS_TEXT], const char *what,
                               uint64_t passes)
{
    char number[24];

    snprintf(number, sizeof number, "%" PRIu64, passes);
    methods_add(text, passes == 0, what, number);
}

void methods_describe(const kedge_model *m, char text[METHODS_TEXT])
{
    const law_ways *const w = &m->ways;
    const struct {
        uint64_t value, usual;
        method_option what;
        const char *option;
    } chosen[] = {
        {m->figures.preset, KEDGE_PRESET_NONE, METHOD_PRESET, "preset"},
        {m->figures.term_weight, KEDGE_TERM_WEIGHT_IDF, METHOD_WEIGHT,
         "term-weight"},
        {m->figures.cooccurrence, KEDGE_COOCCURRENCE_SKETCH,
         METHOD_COOCCURRENCE, "cooccurrence"},
        {m->figures.rectify, KEDGE_RECTIFY_ENN, METHOD_RECTIFY, "rectify"},
        {w->anchors, KEDGE_ANCHORS_QR, METHOD_ANCHORS, "anchors"},
        {w->solver, KEDGE_SOLVER_ADMM, METHOD_SOLVER, "solver"},
        {w->recover, KEDGE_RECOVER_L2, METHOD_RECOVER, "recover"},
        {m->correlations_kind, KEDGE_TOPIC_COOCCURRENCE_LS,
         METHOD_TOPIC_COOCCURRENCE, "topic-cooccurrence"}};

    text[0] = '\0';
    methods_add_passes(text, "power-iter", m->figures.power_iter);
    methods_add_passes(text, "em-iter", m->figures.em_iter);
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
        methods_add(text, chosen[i].value == chosen[i].usual,
                    chosen[i].option,
                    methods_name(chosen[i].what, chosen[i].value));
        if (chosen[i].what == METHOD_WEIGHT)
            methods_add(text, !m->figures.ncut, "ncut", "");
        if (chosen[i].what == METHOD_ANCHORS) {
            methods_add(text, w->project == 0, "projected", "");
            methods_add(text, !w->banned, "some words banned", "");
        }
    }
    methods_add(text, !w->legal, "legal", "");
}
