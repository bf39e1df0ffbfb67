/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_METHODS_H
#define KEDGE_METHODS_H
/*
 * The names and descriptions of all methods, as X macros:
 *
 *   static const char *const names[] = {KEDGE_RECTIFIERS(KEDGE_METHOD_NAME)};
 *
 * A row has an identifier, the name in options and results, and what the method
 * does. Rows are in the order of the enumerators in kedge/fit.h and
 * kedge/infer.h. The names, help and checks of options come from these rows.
 */
#include <kedge/fit.h>
#include <kedge/infer.h>

#define KEDGE_PRESETS(METHOD)                                                 \
    METHOD(NONE, "none",                                                      \
           "kedge's own defaults")                                            \
    METHOD(LR_JSMF, "lr-jsmf",                                                \
           "On-the-Fly Rectification (ICML 2021), Algorithm 6: one pass, "    \
           "enn for up to 150 iterations, LAW")                                \
    METHOD(RAW, "raw",                                                        \
           "Practical Correlated Topic Modeling (EMNLP 2019): the dense "     \
           "co-occurrence, 150 iterations of ap, admm")                       \
    METHOD(AW, "aw",                                                          \
           "the anchor words of Arora et al. (ICML 2013), as the two papers " \
           "above use them: the dense co-occurrence, not rectified")

#define KEDGE_RECTIFIERS(METHOD)                                              \
    METHOD(ENN, "enn",                                                        \
           "epsilon-non-negative: keeps rank K and corrects only large "      \
           "negative entries")                                                \
    METHOD(NONE, "none",                                                      \
           "leaves negative entries as they are")                             \
    METHOD(PALM, "palm",                                                      \
           "non-negative factors by proximal alternating minimisation, "      \
           "two passes over the store per iteration")                         \
    METHOD(IPALM, "ipalm",                                                    \
           "palm with inertia")                                               \
    METHOD(AP, "ap",                                                          \
           "alternating projections of the dense co-occurrence, with twice "  \
           "its memory")                                                      \
    METHOD(DR, "dr",                                                          \
           "Douglas-Rachford on the dense co-occurrence, with the memory "    \
           "of ap")

#define KEDGE_COOCCURRENCES(METHOD)                                           \
    METHOD(SKETCH, "sketch",                                                  \
           "the sketch of the index")                                         \
    METHOD(DENSE, "dense",                                                    \
           "the whole co-occurrence, by one pass over the store: 8 bytes "    \
           "for each pair of words")                                          \
    METHOD(SPARSE, "sparse",                                                  \
           "as dense, without zeros, by two passes: 16 bytes for each pair "  \
           "of words that co-occurs")

#define KEDGE_TERM_WEIGHTS(METHOD)                                            \
    METHOD(NONE, "none",                                                      \
           "all words count the same")                                        \
    METHOD(IDF, "idf",                                                        \
           "ln(documents / df): rare words count more")                       \
    METHOD(SQRT, "sqrt",                                                      \
           "p(word)^-1/2: rare words count more")

#define KEDGE_ANCHOR_CHOICES(METHOD)                                          \
    METHOD(QR, "qr",                                                          \
           "pivoted QR: the word farthest from the span of the anchors "      \
           "before")                                                          \
    METHOD(FAST, "fast",                                                      \
           "FastAnchorWords: as qr, then each anchor is chosen again, "       \
           "given the others")                                                \
    METHOD(SPA, "spa",                                                        \
           "successive projection: as qr, ties broken otherwise")             \
    METHOD(SNPA, "snpa",                                                      \
           "the word farthest from the convex hull of the anchors before")    \
    METHOD(XRAY, "xray",                                                      \
           "extreme rays of the cone of words")                               \
    METHOD(FILE, "file",                                                      \
           "FILE has a line for each topic, with one word or several "        \
           "that count as one; qr finds the rest")                            \
    METHOD(MODEL, "model",                                                    \
           "the anchors of the model of --align; qr finds the rest")          \
    METHOD(COUNTED, "counted",                                                \
           "pivoted QR of the co-occurrence before it is rectified, with "    \
           "--cooccurrence dense or sparse")

#define KEDGE_TOPIC_COOCCURRENCES(METHOD)                                     \
    METHOD(LS, "least-squares",                                               \
           "by the pseudo-inverse of the topics, from all words")             \
    METHOD(DIAGONAL, "diagonal",                                              \
           "from the rows of the anchors only")

#define KEDGE_SOLVERS(METHOD)                                                 \
    METHOD(ADMM, "admm",                                                      \
           "many words at once")                                              \
    METHOD(ACTIVE_SET, "active-set",                                          \
           "exact, word by word")                                             \
    METHOD(EXPGRAD, "expgrad",                                                \
           "exponentiated gradient, slow")

#define KEDGE_RECOVERIES(METHOD)                                              \
    METHOD(L2, "l2",                                                          \
           "each word a mixture of anchors by least squares")                 \
    METHOD(KL, "kl",                                                          \
           "as l2, by the Kullback-Leibler divergence, slow")                 \
    METHOD(INVERSE, "inverse",                                                \
           "by the inverse of the rows of the anchors, as first "             \
           "published")                                                       \
    METHOD(ANCHOR_FREE, "anchor-free",                                        \
           "without anchors: non-negative topics whose co-occurrence has "    \
           "the least determinant; good with --rectify palm")

#define KEDGE_INFER_METHODS(METHOD)                                           \
    METHOD(LINEAR, "linear-bayes",                                            \
           "the expected proportions, with the topic co-occurrence as the "   \
           "prior, which counts less in longer documents")                    \
    METHOD(SQUARES, "least-squares",                                          \
           "the proportions whose words are nearest to the document's; "      \
           "few topics for short documents")                                  \
    METHOD(PADD, "padd",                                                      \
           "prior-aware dual decomposition: least squares, so that all "      \
           "documents together have the model's topic co-occurrence")         \
    METHOD(PAMI, "pami",                                                      \
           "prior-aware manifold iteration: as padd, by another "             \
           "algorithm")                                                       \
    METHOD(FOLD, "mean",                                                      \
           "the mean of p(topic|word) over the words; good for "              \
           "clustering")                                                      \
    METHOD(TLI, "tli",                                                        \
           "thresholded linear inverse: unbiased, drops topics below "        \
           "their standard error; for documents of hundreds of words")

/* Members of kedge_infer_opts that only some methods use: the member, the
 * option, the methods. */
#define KEDGE_INFER_OPTIONS(RULE)                                              \
    RULE(iterations, "iterations", "linear-bayes, least-squares, padd, pami")  \
    RULE(tolerance, "tolerance", "linear-bayes, padd, pami")                   \
    RULE(weighted, "weighted", "least-squares")                                \
    RULE(tau, "tau", "padd")                                                   \
    RULE(rho, "rho", "pami")                                                   \
    RULE(as_published, "as-published", "padd, pami, tli")

/* For a list of names; for all names in one string: "enn|none|palm". */
#define KEDGE_METHOD_NAME(id, name, does) name,
#define KEDGE_METHOD_CHOICE(id, name, does) "|" name
#define KEDGE_METHODS_OF(rows) (&("" rows(KEDGE_METHOD_CHOICE))[1])

#endif
