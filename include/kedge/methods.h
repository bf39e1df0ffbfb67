/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_METHODS_H
#define KEDGE_METHODS_H
/*
 * The methods that there are, a row for each: the end of its enumerator's name
 * (kedge/fit.h, kedge/infer.h), what it is called in options and results, and
 * what it does. Names, help and checks of options come from these rows, in the
 * order of the enumerators' values; what a method needs and its function are in
 * the tables that the code has under the same enumerators.
 *
 *   static const char *const names[] = {KEDGE_RECTIFIERS(KEDGE_METHOD_NAME)};
 */
#include <kedge/fit.h>
#include <kedge/infer.h>

#define KEDGE_RECTIFIERS(METHOD)                                               \
    METHOD(ENN, "enn", "projections that meet the large ones alone")           \
    METHOD(NONE, "none", "not at all")                                         \
    METHOD(PALM, "palm", "statistics made of numbers that are not negative, "  \
                         "with two passes over the stored documents a round")  \
    METHOD(IPALM, "ipalm", "the same with inertia")                            \
    METHOD(AP, "ap", "alternating projections of all pairs of words, which "   \
                     "take a dense co-occurrence and as much memory again")    \
    METHOD(DR, "dr", "the same by reflections")

#define KEDGE_COOCCURRENCES(METHOD)                                            \
    METHOD(SKETCH, "sketch", "a sketch")                                       \
    METHOD(DENSE, "dense", "all of it, 8 bytes for each pair of words, made "  \
                           "by one pass over the stored documents")            \
    METHOD(SPARSE, "sparse", "by two passes what of it is not zero, 16 bytes " \
                             "for two words that meet")

#define KEDGE_WORD_WEIGHTS(METHOD)                                             \
    METHOD(NONE, "none", "all alike")                                          \
    METHOD(IDF, "idf", "the more the fewer documents hold them, by "           \
                       "ln(documents / df)")                                   \
    METHOD(SQRT, "sqrt", "likewise, by p(word)^-1/2")

#define KEDGE_ANCHOR_CHOICES(METHOD)                                           \
    METHOD(QR, "qr", "the word farthest from the span of those before, by "    \
                     "pivoted QR")                                             \
    METHOD(FAST, "fast", "FastAnchorWords, where each is then chosen again "   \
                         "beside all others")                                  \
    METHOD(SPA, "spa", "as qr with other ties")                                \
    METHOD(SNPA, "snpa", "the farthest from the hull of those before")         \
    METHOD(XRAY, "xray", "the outermost towards what is farthest from their "  \
                         "cone")                                               \
    METHOD(FILE, "file", "a topic a line, one word, or several that are taken "\
                         "together; what these leave is found by qr")          \
    METHOD(MODEL, "model", "those of the model that --like tells; likewise")   \
    METHOD(COUNTED, "counted", "by QR of the co-occurrence itself, before it " \
                               "is rectified, with --cooccurrence dense or "   \
                               "sparse")

#define KEDGE_SOLVERS(METHOD)                                                  \
    METHOD(ADMM, "admm", "for many words at a time")                           \
    METHOD(ACTIVE_SET, "active-set", "exactly")                                \
    METHOD(EXPGRAD, "expgrad", "by exponentiated gradients, which take long "  \
                               "to be near")

#define KEDGE_RECOVERIES(METHOD)                                               \
    METHOD(L2, "l2", "squares")                                                \
    METHOD(KL, "kl", "the divergence of words' rows, which takes long")        \
    METHOD(INVERSE, "inverse", "topics by the inverse of the anchors' rows, "  \
                               "the first way that was published, for "        \
                               "comparison")                                   \
    METHOD(ANCHOR_FREE, "anchor-free",                                         \
           "without anchors, the topics that are not negative and whose "      \
           "correlations have the least determinant, which goes well with "    \
           "--rectify palm")

#define KEDGE_INFER_METHODS(METHOD)                                            \
    METHOD(LINEAR, "lb", "the expected shares, given the words and what the "  \
                         "model knows of topics before (linear Bayes)")        \
    METHOD(SQUARES, "ls", "the shares whose words are nearest to the "         \
                          "document's (least squares)")                        \
    METHOD(PADD, "padd", "near both to the document and, of all documents "    \
                         "together, to the model's correlations")              \
    METHOD(PAMI, "pami", "likewise")                                           \
    METHOD(FOLD, "fold", "the mean of what each word tells by itself, to "     \
                         "compare and cluster documents by")                   \
    METHOD(TLI, "tli", "a mean over words that has no bias, without topics in "\
                       "doubt (thresholded linear inverse)")

/* Options of kedge infer, by their members, that are of some methods alone. */
#define KEDGE_INFER_OPTIONS(RULE)                                              \
    RULE(iterations, "lb, ls, padd, pami")                                     \
    RULE(tolerance, "lb, padd, pami")                                          \
    RULE(weighted, "ls")                                                       \
    RULE(tau, "padd")                                                          \
    RULE(rho, "pami")                                                          \
    RULE(faithful, "padd, pami, tli")

/* A row as an entry of a list of names; and strings of all rows: "enn|none",
 * and " enn: ... . none: ... ." */
#define KEDGE_METHOD_NAME(id, name, does) name,
#define KEDGE_METHOD_CHOICE(id, name, does) "|" name
#define KEDGE_METHOD_HELP(id, name, does) " " name ": " does "."
#define KEDGE_METHODS_OF(rows) (&("" rows(KEDGE_METHOD_CHOICE))[1])
#define KEDGE_METHODS_HELP(rows) rows(KEDGE_METHOD_HELP)

#endif
