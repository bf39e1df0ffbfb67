/* SPDX-License-Identifier: MIT */
#include "ways.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "figures.h"
#include "table.h"

static const struct anchors_way {
    const char *name, *note;
} anchors_way[] = {
    [KEDGE_ANCHORS_QR] = {"qr", "pivoted QR"},
    [KEDGE_ANCHORS_FAST] = {"fast", "FastAnchorWords"},
    [KEDGE_ANCHORS_SPA] = {"spa", "successive projection"},
    [KEDGE_ANCHORS_SNPA] = {"snpa", "successive non-negative projection"},
    [KEDGE_ANCHORS_XRAY] = {"xray", "extreme rays"},
    [KEDGE_ANCHORS_FILE] = {"file", "given, the others by pivoted QR"},
    [KEDGE_ANCHORS_MODEL] = {"model", "kept, the others by pivoted QR"},
    [KEDGE_ANCHORS_COUNTED] = {"counted", "pivoted QR, not rectified"},
};

static const struct solver_way {
    const char *name, *steps;
} solver_way[] = {
    [KEDGE_SOLVER_ADMM] = {"admm", "ADMM steps"},
    [KEDGE_SOLVER_ACTIVE_SET] = {"active-set", "active-set steps"},
    [KEDGE_SOLVER_EXPGRAD] = {"expgrad", "expgrad steps"},
};

static const char *const recover_name[] = {"l2", "kl", "inverse",
                                           "anchor-free"};

static const char *const weight_name[] = {"none", "idf", "sqrt"};

static const char *const rectify_name[] = {"enn",   "none", "palm",
                                           "ipalm", "ap",   "dr"};

static const char *const cooccurrence_name[] = {"sketch", "dense",
                                                "sparse"};

static_assert(KEDGE_RECTIFY_ENN == 0 && KEDGE_RECTIFY_NONE == 1 &&
                  KEDGE_RECTIFY_PALM == 2 && KEDGE_RECTIFY_IPALM == 3 &&
                  KEDGE_RECTIFY_AP == 4 && KEDGE_RECTIFY_DR == 5 &&
                  KEDGE_CORRELATIONS_LS == 0 &&
                  KEDGE_CORRELATIONS_DIAGONAL == 1 &&
                  KEDGE_WEIGHT_NONE == 0 && KEDGE_WEIGHT_IDF == 1 &&
                  KEDGE_WEIGHT_SQRT == 2 &&
                  KEDGE_COOCCURRENCE_SKETCH == 0 &&
                  KEDGE_COOCCURRENCE_DENSE == 1 &&
                  KEDGE_COOCCURRENCE_SPARSE == 2 &&
                  KEDGE_COOCCURRENCE_AUTO == 3 &&
                  KEDGE_SOLVER_AUTO == 3,
              "choices are in the order of their enums");

static_assert(KEDGE_RECOVER_L2 == 0 && KEDGE_RECOVER_KL == 1 &&
                  KEDGE_RECOVER_INVERSE == 2 &&
                  KEDGE_RECOVER_ANCHOR_FREE == 3,
              "choices are in the order of their enum");

const char *ways_weight(kedge_weight weight)
{
    return weight_name[weight];
}

const char *ways_rectify(kedge_rectify rectify)
{
    return rectify_name[rectify];
}

const char *ways_cooccurrence(kedge_cooccurrence cooccurrence)
{
    return cooccurrence_name[cooccurrence];
}

#define ANCHORS_WAYS (sizeof anchors_way / sizeof *anchors_way)

/* The statistics, up to what topics are made of. */
static size_t method_options(ways *w, kedge_fit_opts *o, option *out)
{
    const option list[] = {
        {.name = "refine", .kind = OPTION_COUNT, .value = &o->refine,
         .argument = "P", .least = 0, .most = 20,
         .help = "Passes over the stored documents that sharpen the "
                 "eigenvectors; the summary says whether one would help."},
        {.name = "polish", .kind = OPTION_COUNT, .value = &o->polish,
         .argument = "P", .least = 0, .most = KEDGE_POLISH_MOST,
         .help = "Passes over the stored documents that move the topics to "
                 "where the documents are likelier (expectation and "
                 "maximisation), and one more to tell how likely."},
        {.name = "weight", .kind = OPTION_CHOICE, .value = &w->weight,
         .argument = "none|idf|sqrt",
         .help = "How much words count: all alike, or the more the fewer "
                 "documents hold them, by ln(documents / df) or by "
                 "p(word)^-1/2. No pass over documents is needed."},
        {.name = "ncut", .kind = OPTION_FLAG, .value = &o->ncut,
         .help = "Documents count the more the less they have in common with "
                 "all others, by the normalised cut, for corpora of very "
                 "uneven groups. Takes two passes over the stored documents, "
                 "and a sketch of its own that is not kept."},
        {.name = "cooccurrence", .kind = OPTION_CHOICE,
         .value = &w->cooccurrence, .argument = "sketch|dense|sparse",
         .unset = "dense for --rectify ap and dr, or sketch",
         .help = "What is known of the co-occurrence of words: a sketch, or "
                 "all of it, 8 bytes for each pair of words, made by one pass "
                 "over the stored documents; or by two passes what of it is "
                 "not zero, 16 bytes for two words that meet. For small "
                 "vocabularies: eigenvectors are then exact."},
        {.name = "rectify", .kind = OPTION_CHOICE, .value = &w->rectify,
         .argument = "enn|none|palm|ipalm|ap|dr",
         .help = "How negative co-occurrences are removed: by projections that "
                 "meet the large ones alone (enn); not at all; by statistics "
                 "made of numbers that are not negative, with two passes over "
                 "the stored documents a round, with inertia or without "
                 "(ipalm, palm); by projections of all pairs of words, "
                 "alternating ones or by reflections (ap, dr), which take a "
                 "dense co-occurrence and as much memory again."},
        {.name = "rounds", .kind = OPTION_COUNT, .value = &o->rounds,
         .argument = "T", .least = 1, .most = 200,
         .unset = "enn 5; ap, dr 15; palm, ipalm 100",
         .help = "Rounds of rectification at most."},
        {.name = "tolerance", .kind = OPTION_REAL, .value = &o->tolerance,
         .argument = "X", .to = INFINITY,
         .help = "It stops when a round changes less, relatively."},
    };

    memcpy(out, list, sizeof list);
    return sizeof list / sizeof *list;
}

/* Topics. */
static size_t topic_options(ways *w, kedge_fit_opts *o, option *out)
{
    const option list[] = {
        {.name = "anchors", .kind = OPTION_TEXT, .value = &w->anchors,
         .argument = "qr|fast|spa|snpa|xray|counted|model|FILE", .unset = "qr",
         .help = "How the word is found that each topic is built on: by "
                 "pivoted QR, the word farthest from the span of those "
                 "before; by FastAnchorWords, where each is then chosen again "
                 "beside all others; by SPA, as QR with other ties; by SNPA, "
                 "the farthest from the hull of those before; by XRAY, the "
                 "outermost towards what is farthest from their cone. counted: "
                 "by QR of the co-occurrence itself, before it is rectified, "
                 "with --cooccurrence dense or sparse. Rectified it has as "
                 "many dimensions as topics, after ap and dr too, and qr "
                 "finds what QR of all of it would. model: those of the model "
                 "that --like tells. FILE: a topic a line, one word, or "
                 "several that are taken together. What these leave is found "
                 "by QR."},
        {.name = "anchor-min-df", .kind = OPTION_COUNT,
         .value = &o->anchor_min_df, .argument = "D",
         .unset = "follows the corpus",
         .help = "Only words in D documents or more become anchors of topics."},
        {.name = "anchor-ban", .kind = OPTION_TEXT, .value = &o->anchor_ban,
         .argument = "FILE", .unset = "none",
         .help = "No words of this file, one a line, become anchors."},
        {.name = "project", .kind = OPTION_COUNT, .value = &o->project,
         .argument = "D", .least = 2, .most = KEDGE_PROJECT_MOST,
         .unset = "none",
         .help = "With --anchors fast: words are compared through a random "
                 "projection to D dimensions, as it was published with 1000. "
                 "Without, exactly, which takes no longer."},
        {.name = "solver", .kind = OPTION_CHOICE, .value = &w->solver,
         .argument = "admm|active-set|expgrad", .unset = "admm",
         .help = "How the shares that each word has of the anchors are found: "
                 "ADMM for many words at a time; exactly, by an active set; or "
                 "by exponentiated gradients, which take long to be near. The "
                 "shares are the same."},
        {.name = "recover", .kind = OPTION_CHOICE, .value = &w->recover,
         .argument = "l2|kl|inverse|anchor-free",
         .help = "What these shares are to make small: squares, or the "
                 "divergence of words' rows, which takes long; or topics by "
                 "the inverse of the anchors' rows, the first way that was "
                 "published, for comparison; or without anchors, by the topics "
                 "that are not negative and whose correlations have the least "
                 "determinant, which goes well with --rectify palm."},
        {.name = "correlations", .kind = OPTION_CHOICE,
         .value = &w->correlations, .argument = "ls|diagonal",
         .help = "How topics' correlations are found: by least squares over "
                 "all words, or from the anchors alone."},
        {.name = "legal", .kind = OPTION_FLAG, .value = &o->legal,
         .help = "Correlations become the nearest that are not negative and "
                 "sum to one."},
    };

    memcpy(out, list, sizeof list);
    return sizeof list / sizeof *list;
}

size_t ways_options(ways *w, kedge_fit_opts *o, option *out)
{
    const size_t count = method_options(w, o, out);

    return count + topic_options(w, o, out + count);
}

void ways_init(ways *w, const kedge_fit_opts *o)
{
    *w = (ways){.weight = (unsigned)o->weight,
                .rectify = (unsigned)o->rectify,
                .cooccurrence = (unsigned)o->cooccurrence,
                .solver = (unsigned)o->solver,
                .recover = (unsigned)o->recover,
                .correlations = (unsigned)o->correlations};
}

void ways_take(const ways *w, kedge_fit_opts *o)
{
    bool found = false;

    for (size_t i = 0; i < ANCHORS_WAYS && w->anchors != NULL; i++)
        if (i != KEDGE_ANCHORS_FILE &&
            strcmp(w->anchors, anchors_way[i].name) == 0) {
            o->anchors = (kedge_anchors)i;
            found = true;
        }
    if (w->anchors != NULL && !found) {
        o->anchors = KEDGE_ANCHORS_FILE;
        o->anchor_file = w->anchors;
    }
    o->weight = (kedge_weight)w->weight;
    o->rectify = (kedge_rectify)w->rectify;
    o->cooccurrence = (kedge_cooccurrence)w->cooccurrence;
    o->solver = (kedge_solver)w->solver;
    o->recover = (kedge_recover)w->recover;
    o->correlations = (kedge_correlations)w->correlations;
}

void ways_tell(const kedge_fit_result *r)
{
    char note[96];
    figure f;

    assert(r->anchors < ANCHORS_WAYS);
    if (r->anchors == KEDGE_ANCHORS_QR)
        return;
    if (r->anchors == KEDGE_ANCHORS_FILE || r->anchors == KEDGE_ANCHORS_MODEL)
        snprintf(note, sizeof note, "%s %s",
                 figure_count(&f, r->anchors_given),
                 anchors_way[r->anchors].note);
    else
        snprintf(note, sizeof note, "%s", anchors_way[r->anchors].note);
    summary_line(stderr, "anchors by", anchors_way[r->anchors].name, note);
}

void ways_json(jsonout *j, const kedge_fit_result *r)
{
    json_key_text(j, "anchors", anchors_way[r->anchors].name);
    json_key_count(j, "anchors_given", r->anchors_given);
    json_key_text(j, "solver", solver_way[r->solver].name);
    json_key_text(j, "recover", recover_name[r->recover]);
    json_key_bool(j, "legal", r->legal);
    json_key_real(j, "dirichlet", r->dirichlet > 0 ? r->dirichlet : NAN);
    json_key_real(j, "dirichlet_misfit",
                  r->dirichlet > 0 ? r->dirichlet_misfit : NAN);
}

void ways_tell_steps(const kedge_fit_result *r)
{
    figure f;

    if (r->recover == KEDGE_RECOVER_INVERSE)
        summary_line(stderr, "topics by", "inverse", "of the anchors' rows");
    else if (r->recover == KEDGE_RECOVER_ANCHOR_FREE)
        summary_line(stderr, "anchor-free turns",
                     figure_count(&f, r->admm_steps), "of all topics");
    else
        summary_line(stderr,
                     r->recover == KEDGE_RECOVER_KL
                         ? "KL steps"
                         : solver_way[r->solver].steps,
                     figure_count(&f, r->admm_steps), "for the slowest word");
    if (r->legal)
        summary_line(stderr, "A made legal", "yes",
                     "its sum and negative entries before that:");
}

void ways_tell_dirichlet(const kedge_fit_result *r)
{
    char note[96];
    figure f, g;

    if (!(r->dirichlet > 0)) {
        summary_line(stderr, "Dirichlet", "none", "is near to A");
        return;
    }
    snprintf(note, sizeof note, "sum of alpha, nearest to A: %s away",
             figure_real(&g, r->dirichlet_misfit));
    summary_line(stderr, "Dirichlet", figure_real(&f, r->dirichlet), note);
}
