/* SPDX-License-Identifier: MIT */
/* What the measures are, for people and for programs. */
#include <kedge/eval.h>

#include <stddef.h>

#define LEE_2021 "Lee et al. (2021), On-the-Fly Rectification"
#define LEE_2019 "Lee et al. (2019), Practical Correlated Topic Modeling"
#define HUANG_2016 "Huang et al. (2016), Anchor-Free Topic Modeling"
#define ARORA_2013 "Arora et al. (2013), A Practical Algorithm"

static const kedge_measure_info measures[] = {
    [KEDGE_MEASURE_RECOVERY] = {
        "recovery", "co-occurrence", -1,
        "1/N sum over words i of |C_i/c_i - sum_k p(k|i) C_s/c_s|, s = s_k the "
        "anchor of topic k, C_i a row of the original C, c_i its sum, p(k|i) = "
        "B_ik w_k / sum_l B_il w_l with w = A 1. Norms are estimated by "
        "columns of C that no fit has seen (--probes); their mean is too "
        "small by less than 1/(4 probes) of itself",
        LEE_2019},
    [KEDGE_MEASURE_RELATIVE_RECOVERY] = {
        "relative_recovery", "co-occurrence", -1,
        "recovery over |C'|, with C' the rows C_i/c_i", LEE_2021},
    [KEDGE_MEASURE_APPROXIMATION] = {
        "approximation", "co-occurrence", -1,
        "|C - B A B'|, Frobenius, C the original co-occurrence, adding up to "
        "one. An unbiased estimate of the square, by columns of C that no fit "
        "has seen (--probes)",
        LEE_2019},
    [KEDGE_MEASURE_RELATIVE_APPROXIMATION] = {
        "relative_approximation", "co-occurrence", -1,
        "|C - B A B'| / |C|, where |C|^2 = |C - B A B'|^2 + 2 <C, B A B'> - "
        "|B A B'|^2, the last two exact",
        LEE_2021},
    [KEDGE_MEASURE_APPROXIMATION_SPREAD] = {
        "approximation_spread", "co-occurrence", 0,
        "the standard error of approximation over |C|: how far "
        "relative_approximation may be off, from how the columns differ",
        "kedge's own"},
    [KEDGE_MEASURE_OFF_DIAGONAL] = {
        "off_diagonal", "co-occurrence", -1,
        "the same as approximation without the diagonals of C and B A B', "
        "which are known exactly: C leaves out of its diagonal what a word "
        "has with itself, and by --tf log and sqrt all of it",
        LEE_2019},
    [KEDGE_MEASURE_RELATIVE_OFF_DIAGONAL] = {
        "relative_off_diagonal", "co-occurrence", -1,
        "off_diagonal over |C| without its diagonal", LEE_2021},
    [KEDGE_MEASURE_DOMINANCY] = {
        "dominancy", "correlations", -1,
        "1/K sum_k A_kk: little is left for pairs of topics where it is near "
        "1/K",
        LEE_2019},
    [KEDGE_MEASURE_RELATIVE_DOMINANCY] = {
        "relative_dominancy", "correlations", -1, "1/K sum_k A_kk / |A|",
        LEE_2021},
    [KEDGE_MEASURE_CORRELATIONS_SUM] = {
        "correlations_sum", "correlations", 0, "sum of A, which should be 1",
        LEE_2019},
    [KEDGE_MEASURE_CORRELATIONS_NEGATIVE] = {
        "correlations_negative", "correlations", 1,
        "sum of the negative entries of A, which should be 0", LEE_2019},
    [KEDGE_MEASURE_CORRELATIONS_LEAST] = {
        "correlations_least", "correlations", 1,
        "the least eigenvalue of A, which should not be below 0", LEE_2019},
    [KEDGE_MEASURE_CORRELATIONS_LEGAL] = {
        "correlations_legal", "correlations", 1,
        "1 where A can be the second moment of topic proportions: symmetric, "
        "semidefinite, its negative entries not below -0.1 altogether and its "
        "sum within 0.1 of 1; else 0",
        LEE_2019},
    [KEDGE_MEASURE_SPECIFICITY] = {
        "specificity", "topics", 1,
        "1/K sum_k KL(B_k || c), c the row sums of C: how far topics are from "
        "the words of all documents",
        LEE_2019},
    [KEDGE_MEASURE_SPARSITY] = {
        "sparsity", "topics", 1,
        "1/K sum_k (root N - |B_k|_1/|B_k|_2) / (root N - 1): 0 for even "
        "topics, 1 for topics of one word",
        LEE_2019 "; Hoyer (2004)"},
    [KEDGE_MEASURE_BASIS_RANK] = {
        "basis_rank", "topics", 1,
        "how many of the entries of R's diagonal are above 1e-6 of the "
        "largest, R that of the pivoted QR by which anchors were found: "
        "topics whose anchor is not made up of the others'",
        "kedge's own; the QR is that of " LEE_2019},
    [KEDGE_MEASURE_BASIS_QUALITY] = {
        "basis_quality", "topics", 1,
        "the least entry of R's diagonal over the largest, by absolute value: "
        "near 0 where an anchor is all but made up of the others",
        "kedge's own; the QR is that of " LEE_2019},
    [KEDGE_MEASURE_LOG_RELATIVE_VOLUME] = {
        "log_relative_volume", "topics", 1,
        "ln of the volume of the anchors' hull over the mean volume of hulls "
        "of K words by chance, in the space of the rows of B A B' over their "
        "sums: -ln mean |det Q|, the rows of Q p(k|i) of a word by chance",
        LEE_2021},
    [KEDGE_MEASURE_DISSIMILARITY] = {
        "dissimilarity", "first words", 1,
        "how many of a topic's first words (--top) no other topic has among "
        "its own, on average; 'unique words' of Arora et al.",
        LEE_2019 "; " ARORA_2013},
    [KEDGE_MEASURE_SIMILARITY_COUNT] = {
        "similarity_count", "first words", -1,
        "SimCount: words that the first ones of two topics have in common, "
        "added up over all pairs of topics",
        HUANG_2016},
    [KEDGE_MEASURE_UNIQUE_WORDS] = {
        "unique_words", "first words", 1,
        "different words among the first ones of all topics, as a share of all "
        "places",
        ARORA_2013},
    [KEDGE_MEASURE_COHERENCE] = {
        "coherence", "first words", 1,
        "UMass: the mean over topics of the sum over ordered pairs i, j of the "
        "first words of ln((D(i,j) + 0.01) / D(j)), D documents that hold them",
        ARORA_2013 "; Mimno et al. (2011)"},
    [KEDGE_MEASURE_NPMI] = {
        "npmi", "first words", 1,
        "the mean over topics and pairs of the first ten words of ln(p(i,j) / "
        "p(i)p(j)) / -ln p(i,j), p shares of the documents; -1 for a pair that "
        "never meets",
        "Roeder, Both, Hinneburg (2015)"},
    [KEDGE_MEASURE_C_V] = {
        "c_v", "first words", 1,
        "the mean over topics and their first ten words of the cosine between "
        "the word's NPMI with each of the ten and the sum of these vectors. "
        "Words are together where a document holds both, not within a window "
        "of 110 words",
        "Roeder, Both, Hinneburg (2015)"},
    [KEDGE_MEASURE_COVERAGE] = {
        "coverage", "first words", 1,
        "share of documents that hold two of some topic's first ten words: "
        "NPMI can be had by rare words, this cannot",
        "kedge's own"},
    [KEDGE_MEASURE_MST_INCOHERENCE] = {
        "mst_incoherence", "first words", -1,
        "the mean over topics of the length of the shortest tree that joins "
        "its 7 most probable words and the 7 that co-occur most with its "
        "anchor, where words are (1 - NPMI)/2 apart, NPMI = ln(C_ij / c_i c_j) "
        "/ -ln C_ij of the original C",
        LEE_2021},
    [KEDGE_MEASURE_HELD_OUT_LIKELIHOOD] = {
        "held_out_likelihood", "documents", 1,
        "ln p of a token, on average, by document completion: of each document "
        "that is taken (--held-out) topics are found from one half of its "
        "tokens and the other half is measured, by 0.999 of the model and "
        "0.001 of the words by themselves. The model may have been fitted of "
        "these documents too",
        ARORA_2013},
    [KEDGE_MEASURE_PERPLEXITY] = {
        "perplexity", "documents", -1, "exp(-held_out_likelihood)",
        ARORA_2013},
    [KEDGE_MEASURE_CLUSTERING_ACCURACY] = {
        "clustering_accuracy", "documents", 1,
        "share of documents in the class that their cluster is matched with: "
        "k-means on the roots of the documents' topic proportions (those of "
        "infer --method mean), as many clusters as classes, matched one to one "
        "for the best. Of 10,000 documents or so at most",
        HUANG_2016},
    [KEDGE_MEASURE_NMI] = {
        "nmi", "documents", 1,
        "mutual information of these clusters and the classes, over the mean "
        "of their entropies",
        HUANG_2016},
};

const kedge_measure_info *kedge_measure_get(kedge_measure measure)
{
    return (size_t)measure < sizeof measures / sizeof *measures
               ? &measures[measure]
               : NULL;
}
