/* SPDX-License-Identifier: MIT */
#include "fitting.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include <kedge/methods.h>

/* Choices are written into enums as they are, in their order, which the library
 * has pinned. */
static_assert(sizeof(kedge_weight) == sizeof(unsigned),
              "an enum is an unsigned");

#define AT(member) offsetof(fitting, member)

const option word_options[] = {
    OPTION(FLAG, "freeze", AT(opts.freeze), NULL,
           "Topics are made of the words of an earlier model, as they are, "
           "whatever documents came since: of the one that --like names, else "
           "of the one that is replaced, else of the one fitted last. Words "
           "that came since are left out; the summary says how much that is. "
           "A fit without this applies its rule again."),
    OPTION(VIEW, "view", AT(opts.view), "N",
           "Topics are made of this view's words, as they are, and of its "
           "sketch; kedge info has the numbers.", .most = UINT32_MAX),
    OPTION(COUNT, "min-df", AT(opts.min_df), "D",
           "Topics are made of words in D documents or more. 1: any.",
           .least = 1, .most = UINT64_MAX, .unset = "see above"),
    OPTION(REAL, "max-df", AT(opts.max_df), "X",
           "Of words in X documents at most; up to 1, X is a share of all "
           "documents. 1: any.", .unset = "see above"),
    OPTION(COUNT, "vocab-size", AT(opts.vocabulary_size), "N",
           "Of the N first words by tf-idf.", .least = 1, .most = UINT64_MAX,
           .unset = "all"),
    OPTION(TEXT, "stopwords", AT(opts.stopwords), "english|LANGUAGE|none|FILE",
           "Words to leave out: those of a language, as german or de, or a "
           "file with a word a line. Words of files, here and below, stand for "
           "themselves and for what texts have of them, folded and stemmed as "
           "the store's texts are.", .unset = "see above"),
    OPTION(TEXT, "keep", AT(opts.keep), "FILE",
           "Only words of this file, one a line: all of them that occur, "
           "unless other options leave some out.", .unset = "all"),
    OPTION(TEXT, "drop", AT(opts.drop), "FILE",
           "No words of this file.", .unset = "none"),
    OPTION(COUNT, "phrases", AT(opts.phrases), "N",
           "Words that often stand side by side, up to N of them, become one: "
           "2 finds neural_network. For texts; takes N passes over the stored "
           "documents. 1: none.", .least = 1, .most = 8, .unset = "1"),
    OPTION(COUNT, "phrase-df", AT(opts.phrase_documents), "D",
           "Phrases are in D documents or more.", .least = 1,
           .most = UINT64_MAX, .unset = "10"),
    OPTION(REAL, "phrase-score", AT(opts.phrase_score), "X",
           "How closely a phrase's words are tied at least: 0 as chance has "
           "it, 1 never apart (normalized pointwise mutual information).",
           .from = -1, .to = 1, .unset = "0.5", .zero = true),
    {.name = NULL},
};

const option way_options[] = {
    OPTION(COUNT, "refine", AT(opts.refine), "P",
           "Passes over the stored documents that sharpen the eigenvectors; "
           "the summary says whether one would help.", .least = 0, .most = 20),
    OPTION(COUNT, "polish", AT(opts.polish), "P",
           "Passes over the stored documents that move the topics to where "
           "the documents are likelier (expectation and maximisation), and "
           "one more to tell how likely.", .least = 0,
           .most = KEDGE_POLISH_MOST),
    OPTION(CHOICE, "weight", AT(opts.weight),
           KEDGE_METHODS_OF(KEDGE_WORD_WEIGHTS),
           "How much words count, which takes no pass over documents."
           KEDGE_METHODS_HELP(KEDGE_WORD_WEIGHTS)),
    OPTION(FLAG, "ncut", AT(opts.ncut), NULL,
           "Documents count the more the less they have in common with all "
           "others, by the normalised cut, for corpora of very uneven groups. "
           "Takes two passes over the stored documents, and a sketch of its "
           "own that is not kept."),
    OPTION(CHOICE, "cooccurrence", AT(opts.cooccurrence),
           KEDGE_METHODS_OF(KEDGE_COOCCURRENCES),
           "What is known of the co-occurrence of words."
           KEDGE_METHODS_HELP(KEDGE_COOCCURRENCES) " The latter two are for "
           "small vocabularies: eigenvectors are then exact.",
           .unset = "dense for --rectify ap and dr, or sketch"),
    OPTION(CHOICE, "rectify", AT(opts.rectify),
           KEDGE_METHODS_OF(KEDGE_RECTIFIERS),
           "How negative co-occurrences are removed."
           KEDGE_METHODS_HELP(KEDGE_RECTIFIERS)),
    OPTION(COUNT, "rounds", AT(opts.rounds), "T",
           "Rounds of rectification at most.", .least = 1, .most = 200,
           .unset = "enn 5; ap, dr 15; palm, ipalm 100"),
    OPTION(REAL, "tolerance", AT(opts.tolerance), "X",
           "It stops when a round changes less, relatively.", .to = INFINITY),
    OPTION(TEXT, "anchors", AT(anchors),
           "qr|fast|spa|snpa|xray|counted|model|FILE",
           "How the word is found that each topic is built on."
           KEDGE_METHODS_HELP(KEDGE_ANCHOR_CHOICES) " Rectified, the "
           "co-occurrence has as many dimensions as topics, after ap and dr "
           "too, and qr finds what QR of all of it would.", .unset = "qr"),
    OPTION(COUNT, "anchor-min-df", AT(opts.anchor_min_df), "D",
           "Only words in D documents or more become anchors of topics.",
           .unset = "follows the corpus"),
    OPTION(TEXT, "anchor-ban", AT(opts.anchor_ban), "FILE",
           "No words of this file, one a line, become anchors.",
           .unset = "none"),
    OPTION(COUNT, "project", AT(opts.project), "D",
           "With --anchors fast: words are compared through a random "
           "projection to D dimensions, as it was published with 1000. "
           "Without, exactly, which takes no longer.", .least = 2,
           .most = KEDGE_PROJECT_MOST, .unset = "none"),
    OPTION(CHOICE, "solver", AT(opts.solver), KEDGE_METHODS_OF(KEDGE_SOLVERS),
           "How the shares that each word has of the anchors are found, which "
           "are the same." KEDGE_METHODS_HELP(KEDGE_SOLVERS),
           .unset = "admm"),
    OPTION(CHOICE, "recover", AT(opts.recover),
           KEDGE_METHODS_OF(KEDGE_RECOVERIES),
           "What these shares are to make small, or what else topics are."
           KEDGE_METHODS_HELP(KEDGE_RECOVERIES)),
    OPTION(CHOICE, "correlations", AT(opts.correlations), "ls|diagonal",
           "How topics' correlations are found: by least squares over all "
           "words, or from the anchors alone."),
    OPTION(FLAG, "legal", AT(opts.legal), NULL,
           "Correlations become the nearest that are not negative and sum to "
           "one."),
    {.name = NULL},
};

void fitting_begin(fitting *f)
{
    kedge_fit_opts_init(&f->opts);
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
