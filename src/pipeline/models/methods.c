/* SPDX-License-Identifier: MIT */
#include "pipeline/models/methods.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

const char *methods_anchors(const law_ways *w)
{
    static const char *const name[] = {"qr",   "fast", "spa",   "snpa",
                                       "xray", "file", "model", "counted"};

    return name[w->anchors];
}

const char *methods_solver(const law_ways *w)
{
    static const char *const name[] = {"admm", "active-set", "expgrad"};

    return name[w->solver];
}

const char *methods_recover(const law_ways *w)
{
    static const char *const name[] = {"l2", "kl", "inverse",
                                       "anchor-free"};

    return name[w->recover];
}

const char *methods_cooccurrence(const kedge_model *m)
{
    static const char *const name[] = {"sketch", "dense", "sparse"};

    return name[m->cooccurrence];
}

const char *methods_rectify(const kedge_model *m)
{
    static const char *const name[] = {"enn",   "none", "palm",
                                       "ipalm", "ap",   "dr"};

    return name[m->rectify];
}

const char *methods_weight(const kedge_model *m)
{
    static const char *const name[] = {"none", "idf", "sqrt"};

    return name[m->weight];
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

void methods_tell(const kedge_model *m, char text[METHODS_TEXT])
{
    const law_ways *const w = &m->ways;

    text[0] = '\0';
    methods_add_passes(text, "refine", m->refined);
    methods_add_passes(text, "polish", m->polished);
    methods_add(text, m->weight == KEDGE_WEIGHT_IDF, "weight",
                methods_weight(m));
    methods_add(text, m->ncut == 0, "ncut", "");
    methods_add(text, m->cooccurrence == KEDGE_COOCCURRENCE_SKETCH,
                "cooccurrence", methods_cooccurrence(m));
    methods_add(text, m->rectify == KEDGE_RECTIFY_ENN, "rectify",
                methods_rectify(m));
    methods_add(text, w->anchors == KEDGE_ANCHORS_QR, "anchors",
                methods_anchors(w));
    methods_add(text, w->project == 0, "projected", "");
    methods_add(text, !w->banned, "some words banned", "");
    methods_add(text, w->solver == KEDGE_SOLVER_ADMM, "solver",
                methods_solver(w));
    methods_add(text, w->recover == KEDGE_RECOVER_L2, "recover",
                methods_recover(w));
    methods_add(text, m->correlations_kind != KEDGE_CORRELATIONS_DIAGONAL,
                "correlations", "diagonal");
    methods_add(text, !w->legal, "legal", "");
}
