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
    [KEDGE_MEASURE_APPROXIMATION_ERROR] = {
        "approximation_error", "co-occurrence", -1,
        "|C - B A B'|, Frobenius, C the original co-occurrence, adding up to "
        "one. An unbiased estimate of the square, by columns of C that no fit "
        "has seen (--probes)",
        LEE_2019},
    [KEDGE_MEASURE_RELATIVE_ERROR] = {
        "relative_error", "co-occurrence", -1,
        "|C - B A B'| / |C|, where |C|^2 = |C - B A B'|^2 + 2 <C, B A B'> - "
        "|B A B'|^2, the last two exact",
        LEE_2021},
    [KEDGE_MEASURE_RELATIVE_ERROR_SPREAD] = {
        "relative_error_spread", "co-occurrence", 0,
        "the standard error of relative_error, from how the columns differ",
        "kedge's own"},
    [KEDGE_MEASURE_OFF_DIAGONAL] = {
        "off_diagonal", "co-occurrence", -1,
        "approximation_error without the diagonals of C and B A B', "
        "which are known exactly: C leaves out of its diagonal what a word "
        "has with itself, and by --tf log and sqrt all of it",
        LEE_2019},
    [KEDGE_MEASURE_RELATIVE_OFF_DIAGONAL] = {
        "relative_off_diagonal", "co-occurrence", -1,
        "off_diagonal over |C| without its diagonal", LEE_2021},
    [KEDGE_MEASURE_DOMINANCY] = {
        "dominancy", "topic co-occurrence", -1,
        "1/K sum_k A_kk: little is left for pairs of topics where it is near "
        "1/K",
        LEE_2019},
    [KEDGE_MEASURE_RELATIVE_DOMINANCY] = {
        "relative_dominancy", "topic co-occurrence", -1, "1/K sum_k A_kk / |A|",
        LEE_2021},
    [KEDGE_MEASURE_TOPIC_COOCCURRENCE_SUM] = {
        "topic_cooccurrence_sum", "topic co-occurrence", 0, "sum of A, which should be 1",
        LEE_2019},
    [KEDGE_MEASURE_TOPIC_COOCCURRENCE_NEGATIVE] = {
        "topic_cooccurrence_negative", "topic co-occurrence", 1,
        "sum of the negative entries of A, which should be 0", LEE_2019},
    [KEDGE_MEASURE_TOPIC_COOCCURRENCE_LEAST] = {
        "topic_cooccurrence_least", "topic co-occurrence", 1,
        "the least eigenvalue of A, which should not be below 0", LEE_2019},
    [KEDGE_MEASURE_TOPIC_COOCCURRENCE_LEGAL] = {
        "topic_cooccurrence_legal", "topic co-occurrence", 1,
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
    [KEDGE_MEASURE_TOPIC_DIVERSITY] = {
        "topic_diversity", "first words", 1,
        "different words among the first ones of all topics, as a share of all "
        "places",
        ARORA_2013},
    [KEDGE_MEASURE_UMASS] = {
        "umass", "first words", 1,
        "UMass coherence: the mean over topics of the sum over ordered pairs i, j of the "
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
    [KEDGE_MEASURE_DOCUMENT_COVERAGE] = {
        "document_coverage", "first words", 1,
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
    [KEDGE_MEASURE_COMPLETION_LOG_LIKELIHOOD] = {
        "completion_log_likelihood", "documents", 1,
        "document completion, in sample: the mean ln p of a token. For a share "
        "of the documents (--completion) topic proportions are found from one "
        "half of the tokens and the other half is predicted, by 0.999 of the "
        "model and 0.001 of the words' frequencies. The model was fitted to "
        "these documents too; 'kedge sweep' has held-out figures",
        ARORA_2013},
    [KEDGE_MEASURE_COMPLETION_PERPLEXITY] = {
        "completion_perplexity", "documents", -1, "exp(-completion_log_likelihood)",
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
