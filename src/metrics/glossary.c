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
        "columns of C that no fit has seen (--probes); their mean is too small "
        "by a share of less than 1/(4 probes)",
        LEE_2019},
    [KEDGE_MEASURE_RELATIVE_RECOVERY] = {
        "relative_recovery", "co-occurrence", -1,
        "recovery / |C'|, C' has the rows C_i/c_i", LEE_2021},
    [KEDGE_MEASURE_APPROXIMATION_ERROR] = {
        "approximation_error", "co-occurrence", -1,
        "|C - B A B'|, Frobenius, C the original co-occurrence, sum 1. An "
        "unbiased estimate of the square, by columns of C that no fit has seen "
        "(--probes)",
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
        "approximation_error without the diagonals of C and B A B', which are "
        "known exactly: with --tf raw the diagonal of C has no pairs of a "
        "token with itself, with log and sqrt it is 0",
        LEE_2019},
    [KEDGE_MEASURE_RELATIVE_OFF_DIAGONAL] = {
        "relative_off_diagonal", "co-occurrence", -1,
        "off_diagonal / |C without its diagonal|", LEE_2021},
    [KEDGE_MEASURE_DOMINANCY] = {
        "dominancy", "topic co-occurrence", -1,
        "1/K sum_k A_kk: near 1/K, topics hardly occur together",
        LEE_2019},
    [KEDGE_MEASURE_RELATIVE_DOMINANCY] = {
        "relative_dominancy", "topic co-occurrence", -1, "1/K sum_k A_kk / |A|",
        LEE_2021},
    [KEDGE_MEASURE_TOPIC_COOCCURRENCE_SUM] = {
        "topic_cooccurrence_sum", "topic co-occurrence", 0,
        "sum of A, which should be 1",
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
        "semidefinite, the sum of negative entries at least -0.1, its sum 0.9 "
        "to 1.1; else 0",
        LEE_2019},
    [KEDGE_MEASURE_SPECIFICITY] = {
        "specificity", "topics", 1,
        "1/K sum_k KL(B_k || c), c the row sums of C: the distance of topics "
        "from the words of all documents",
        LEE_2019},
    [KEDGE_MEASURE_SPARSITY] = {
        "sparsity", "topics", 1,
        "1/K sum_k (root N - |B_k|_1/|B_k|_2) / (root N - 1): 0 where all "
        "words are equally probable, 1 for topics of one word",
        LEE_2019 "; Hoyer (2004)"},
    [KEDGE_MEASURE_BASIS_RANK] = {
        "basis_rank", "topics", 1,
        "number of entries of R's diagonal above 1e-6 of the largest, R from "
        "the pivoted QR that found the anchors: topics whose anchor is not a "
        "combination of the others",
        "kedge's own; the QR is that of " LEE_2019},
    [KEDGE_MEASURE_BASIS_QUALITY] = {
        "basis_quality", "topics", 1,
        "the least entry of R's diagonal over the largest, by absolute value: "
        "near 0 where an anchor is almost a combination of the others",
        "kedge's own; the QR is that of " LEE_2019},
    [KEDGE_MEASURE_LOG_RELATIVE_VOLUME] = {
        "log_relative_volume", "topics", 1,
        "ln of the volume of the anchors' hull over the mean volume of hulls "
        "of K words by chance, in the space of the rows of B A B' over their "
        "sums: -ln mean |det Q|, the rows of Q p(k|i) of a word by chance",
        LEE_2021},
    [KEDGE_MEASURE_DISSIMILARITY] = {
        "dissimilarity", "first words", 1,
        "number of a topic's first words (--top) that are in no other topic's, "
        "on average; 'unique words' of Arora et al.",
        LEE_2019 "; " ARORA_2013},
    [KEDGE_MEASURE_SIMILARITY_COUNT] = {
        "similarity_count", "first words", -1,
        "SimCount: number of first words that two topics have in common, "
        "summed over all pairs of topics",
        HUANG_2016},
    [KEDGE_MEASURE_TOPIC_DIVERSITY] = {
        "topic_diversity", "first words", 1,
        "share of different words in the lists of first words of all topics",
        ARORA_2013},
    [KEDGE_MEASURE_UMASS] = {
        "umass", "first words", 1,
        "UMass coherence: the mean over topics of the sum over ordered pairs "
        "i, j of the first words of ln((D(i,j) + 0.01) / D(j)), D the number "
        "of documents with both words or one",
        ARORA_2013 "; Mimno et al. (2011)"},
    [KEDGE_MEASURE_NPMI] = {
        "npmi", "first words", 1,
        "the mean over topics and pairs of the first ten words of ln(p(i,j) / "
        "p(i)p(j)) / -ln p(i,j), p shares of the documents; -1 for a pair that "
        "no document has",
        "Roeder, Both, Hinneburg (2015)"},
    [KEDGE_MEASURE_C_V] = {
        "c_v", "first words", 1,
        "the mean over topics and their first ten words of the cosine between "
        "the word's NPMI with each of the ten and the sum of these vectors. "
        "Pairs are counted in whole documents, not in windows of 110 words",
        "Roeder, Both, Hinneburg (2015)"},
    [KEDGE_MEASURE_DOCUMENT_COVERAGE] = {
        "document_coverage", "first words", 1,
        "share of documents with two of some topic's first ten words: rare "
        "words can raise NPMI, but not this",
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
        "of the documents (--completion) one half of the tokens gives topic "
        "proportions, which predict the other half, by 0.999 of the model and "
        "0.001 of the words' frequencies. The model was fitted to these "
        "documents too; 'kedge sweep' has held-out figures",
        ARORA_2013},
    [KEDGE_MEASURE_COMPLETION_PERPLEXITY] = {
        "completion_perplexity", "documents", -1,
        "exp(-completion_log_likelihood)",
        ARORA_2013},
    [KEDGE_MEASURE_CLUSTERING_ACCURACY] = {
        "clustering_accuracy", "documents", 1,
        "share of documents whose cluster is matched with their class: k-means "
        "on the square roots of the topic proportions of infer --method mean, "
        "as many clusters as classes, in the best one-to-one matching. At most "
        "some 10,000 documents",
        HUANG_2016},
    [KEDGE_MEASURE_NMI] = {
        "nmi", "documents", 1,
        "mutual information of clusters (see clustering_accuracy) and classes, "
        "divided by the mean of their entropies",
        HUANG_2016},
};

const kedge_measure_info *kedge_measure_get(kedge_measure measure)
{
    return (size_t)measure < sizeof measures / sizeof *measures
               ? &measures[measure]
               : NULL;
}
