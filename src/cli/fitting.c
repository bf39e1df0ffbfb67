/* SPDX-License-Identifier: MIT */
#include "fitting.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <kedge/methods.h>

#include "command.h"

/* Choices are written into enums as they are, in their order, which the library
 * has pinned. */
static_assert(sizeof(kedge_term_weight) == sizeof(unsigned),
              "an enum is an unsigned");

#define AT(member) offsetof(fitting, member)

const option word_options[] = {
    SECTION("Vocabulary (kedge help words)"),
    OPTION(COUNT, "min-df", AT(opts.min_df), "D",
           "words in at least D documents", .least = 1, .most = UINT64_MAX,
           .unset = "5, or 2 if few", .main = true),
    OPTION(REAL, "max-df", AT(opts.max_df), "X",
           "words in at most X documents, or share X", .unset = "0.5",
           .main = true),
    OPTION(COUNT, "vocab-size", AT(opts.vocab_size), "N",
           "the N words of highest tf-idf", .least = 1, .most = UINT64_MAX,
           .unset = "all", .main = true),
    OPTION(TEXT, "stopwords", AT(opts.stopwords), "LIST|FILE",
           "words to leave out: language, none, FILE", .unset = "english",
           .main = true),
    OPTION(COUNT, "phrases", AT(opts.phrases), "N",
           "join up to N words that stand together", .least = 1, .most = 8,
           .unset = "1", .main = true),
    OPTION(COUNT, "phrase-df", AT(opts.phrase_df), "D",
           "phrases in at least D documents", .least = 1, .most = UINT64_MAX,
           .unset = "10"),
    OPTION(REAL, "phrase-score", AT(opts.phrase_score), "X",
           "least NPMI of a phrase's words", .from = -1, .to = 1,
           .unset = "0.5", .zero = true),
    OPTION(TEXT, "keep-words", AT(opts.keep_words), "FILE",
           "only the words of FILE, one per line"),
    OPTION(TEXT, "drop-words", AT(opts.drop_words), "FILE",
           "leave out the words of FILE, one per line"),
    OPTION(FLAG, "freeze", AT(opts.freeze), NULL,
           "keep the words of the earlier model"),
    OPTION(INDEX, "index", AT(opts.index), "N",
           "use this index; kedge info lists them", .most = UINT32_MAX),
    {.name = NULL},
};

const option way_options[] = {
    SECTION("Methods (kedge help methods)"),
    OPTION(CHOICE, "preset", AT(opts.preset), "NAME",
           "settings of a paper; other options override",
           .choices = KEDGE_METHODS_OF(KEDGE_PRESETS)),
    OPTION(CHOICE, "term-weight", AT(opts.term_weight), "WEIGHT",
           "weight of each word",
           .choices = KEDGE_METHODS_OF(KEDGE_TERM_WEIGHTS), .main = true),
    OPTION(COUNT, "power-iter", AT(opts.power_iter), "P",
           "passes that sharpen the eigenvectors", .least = 0, .most = 20,
           .main = true),
    OPTION(COUNT, "em-iter", AT(opts.em_iter), "P",
           "EM passes that raise the likelihood", .least = 0,
           .most = KEDGE_EM_ITER_MOST, .main = true),
    OPTION(FLAG, "ncut", AT(opts.ncut), NULL,
           "weight documents by the normalised cut"),
    OPTION(CHOICE, "cooccurrence", AT(opts.cooccurrence), "KIND",
           "co-occurrence", .choices = KEDGE_METHODS_OF(KEDGE_COOCCURRENCES),
           .unset = "sketch"),
    OPTION(CHOICE, "rectify", AT(opts.rectify), "METHOD", "rectification",
           .choices = KEDGE_METHODS_OF(KEDGE_RECTIFIERS)),
    OPTION(COUNT, "rectify-iter", AT(opts.rectify_iter), "T",
           "max. iterations", .least = 1, .most = 200,
           .unset = "enn 5; ap, dr 15; palm, ipalm 100"),
    OPTION(REAL, "rectify-tol", AT(opts.rectify_tol), "X",
           "stop when an iteration changes less", .to = INFINITY),
    OPTION(TEXT, "anchors", AT(anchors), "METHOD|FILE",
           "how anchors are chosen, or a file of them", .unset = "qr"),
    OPTION(COUNT, "anchor-min-df", AT(opts.anchor_min_df), "D",
           "anchors in at least D documents", .least = 1, .most = UINT64_MAX,
           .unset = "by the corpus"),
    OPTION(TEXT, "anchor-ban", AT(opts.anchor_ban), "FILE",
           "words that must not be anchors"),
    OPTION(COUNT, "projection", AT(opts.projection), "D",
           "--anchors fast in D random dimensions", .least = 2,
           .most = KEDGE_PROJECTION_MOST, .unset = "none"),
    OPTION(CHOICE, "solver", AT(opts.solver), "METHOD", "least squares",
           .choices = KEDGE_METHODS_OF(KEDGE_SOLVERS), .unset = "admm"),
    OPTION(CHOICE, "recover", AT(opts.recover), "METHOD", "topics",
           .choices = KEDGE_METHODS_OF(KEDGE_RECOVERIES)),
    OPTION(CHOICE, "topic-cooccurrence", AT(opts.topic_cooccurrence), "HOW",
           "method", .choices = KEDGE_METHODS_OF(KEDGE_TOPIC_COOCCURRENCES)),
    OPTION(FLAG, "legal", AT(opts.legal), NULL,
           "make topic co-occurrence >= 0, sum 1"),
    {.name = NULL},
};

void fitting_begin(fitting *f)
{
    kedge_fit_opts_init(&f->opts);
}

void fitting_preset(fitting *f, kedge_preset preset)
{
    static const char *const names[] = {KEDGE_PRESETS(KEDGE_METHOD_NAME)};
    kedge_error none;

    if (kedge_fit_opts_preset(&f->opts, names[preset], &none) != KEDGE_OK)
        assert(!"a choice is the name of a preset");
}

/* A file has any other name. */
void fitting_take(fitting *f)
{
    static const char *const names[] = {
        KEDGE_ANCHOR_CHOICES(KEDGE_METHOD_NAME)};

    if (f->anchors == NULL)
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (i != KEDGE_ANCHORS_FILE && strcmp(f->anchors, names[i]) == 0) {
            f->opts.anchors = (kedge_anchors)i;
            return;
        }
    f->opts.anchors = KEDGE_ANCHORS_FILE;
    f->opts.anchor_file = f->anchors;
}

void warn_labels(const kedge_fit_result *r)
{
    char text[KEDGE_LOST_LABELS_MOST * 80] = "";
    size_t at = 0, i;
    const bool one = r->lost_labels == 1;

    for (i = 0; i < r->lost_labels && i < KEDGE_LOST_LABELS_MOST; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s %u \"%s\"",
                               i > 0 ? "," : "", r->lost_label[i].topic + 1u,
                               r->lost_label[i].label);
    if (i < r->lost_labels)
        snprintf(text + at, sizeof text - at, ", ...");
    if (i > 0)
        complain("warning: %llu label%s of the replaced model %s %s lost: "
                 "topic%s%s", (unsigned long long)r->lost_labels,
                 one ? "" : "s", r->model, one ? "is" : "are", one ? "" : "s",
                 text);
}
