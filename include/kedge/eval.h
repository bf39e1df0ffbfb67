/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_EVAL_H
#define KEDGE_EVAL_H
/*
 * How good a model is: every measure of the papers, from one pass over the
 * store's documents for all models at once. No matrix of words by words is
 * made. What each measure is, kedge_measure_get tells.
 *
 *   kedge_eval_opts_init(&opts);
 *   kedge_eval(store, names, 2, &opts, &control, results, &err);
 *   printf("%g\n", results[0].value[KEDGE_MEASURE_UMASS]);
 */
#include <kedge/control.h>
#include <kedge/model.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kedge_measure {
    /* of the model beside the documents' co-occurrence C */
    KEDGE_MEASURE_RECOVERY,
    KEDGE_MEASURE_RELATIVE_RECOVERY,
    KEDGE_MEASURE_APPROXIMATION_ERROR,
    KEDGE_MEASURE_RELATIVE_ERROR,
    KEDGE_MEASURE_RELATIVE_ERROR_SPREAD,
    KEDGE_MEASURE_OFF_DIAGONAL,
    KEDGE_MEASURE_RELATIVE_OFF_DIAGONAL,
    /* of the topic co-occurrence */
    KEDGE_MEASURE_DOMINANCY,
    KEDGE_MEASURE_RELATIVE_DOMINANCY,
    KEDGE_MEASURE_TOPIC_COOCCURRENCE_SUM,
    KEDGE_MEASURE_TOPIC_COOCCURRENCE_NEGATIVE,
    KEDGE_MEASURE_TOPIC_COOCCURRENCE_LEAST,
    KEDGE_MEASURE_TOPIC_COOCCURRENCE_LEGAL,
    /* of topics and anchors */
    KEDGE_MEASURE_SPECIFICITY,
    KEDGE_MEASURE_SPARSITY,
    KEDGE_MEASURE_BASIS_RANK,
    KEDGE_MEASURE_BASIS_QUALITY,
    KEDGE_MEASURE_LOG_RELATIVE_VOLUME,
    /* of topics' first words */
    KEDGE_MEASURE_DISSIMILARITY,
    KEDGE_MEASURE_SIMILARITY_COUNT,
    KEDGE_MEASURE_TOPIC_DIVERSITY,
    KEDGE_MEASURE_UMASS,
    KEDGE_MEASURE_NPMI,
    KEDGE_MEASURE_C_V,
    KEDGE_MEASURE_DOCUMENT_COVERAGE,
    KEDGE_MEASURE_MST_INCOHERENCE,
    /* of documents */
    KEDGE_MEASURE_COMPLETION_LOG_LIKELIHOOD,
    KEDGE_MEASURE_COMPLETION_PERPLEXITY,
    KEDGE_MEASURE_CLUSTERING_ACCURACY,
    KEDGE_MEASURE_NMI,
    KEDGE_MEASURES /* how many there are */
} kedge_measure;

typedef struct kedge_measure_info {
    const char *key;     /* "relative_error": its name for programs */
    const char *group;   /* "co-occurrence", "topic co-occurrence",
                            "topics",
                            "first words" or "documents" */
    int better;          /* 1: larger is better, -1: smaller is, 0: neither */
    const char *formula; /* and what its letters are */
    const char *paper;   /* that it comes from */
} kedge_measure_info;

/* Never freed; NULL: there is no such measure. */
KEDGE_API const kedge_measure_info *kedge_measure_get(kedge_measure measure);

#define KEDGE_EVAL_TOP_MOST 50
#define KEDGE_EVAL_PROBES_MOST 1024
#define KEDGE_EVAL_MODELS_MOST 64

/* Measures of the first words that make sense of one topic by itself; NAN as
 * those of kedge_eval_result, which are their means over topics. */
typedef struct kedge_eval_topic {
    const char *model;
    uint64_t topic;
    double umass, npmi, c_v, mst_incoherence;
} kedge_eval_topic;

typedef struct kedge_eval_opts {
    uint64_t top;    /* first words of a topic, 2 to KEDGE_EVAL_TOP_MOST;
                        default 20. NPMI, C_V and document
                        coverage are of the first 10
                        of them */
    kedge_rank rank; /* which words are first: RELEVANCE (default, as kedge
                        topics shows them), PROBABILITY (as in the papers) or
                        WEIGHTED */
    double completion; /* share of the documents whose halves are predicted,
                        0 (none) to 1; default 0.1 */
    const char *labels; /* a file of classes: a line for each document, in the
                        store's order, or ID, tab, class. NULL (default): the
                        labels that documents came with, where they have any */
    const char *tf;  /* of C: "raw" is the co-occurrence of the papers,
                        "log", "sqrt"; NULL (default): what the models were
                        fitted of */
    uint64_t probes; /* columns by which |C - B A B'| and recovery are
                        estimated, a multiple of 64, up to
                        KEDGE_EVAL_PROBES_MOST. 0 (default): as many as make
                        16 M numbers with the model's words, and 128 at least */
    uint64_t seed;   /* of these, of coins and of starts; default 1 */
    void (*topic)(void *data, const kedge_eval_topic *t); /* is told of each
                        topic of each model; NULL (default): nobody is */
    void *topic_data;   /* handed to it */
} kedge_eval_opts;

KEDGE_API void kedge_eval_opts_init(kedge_eval_opts *opts);

typedef struct kedge_eval_result {
    char model[64];
    uint64_t topics, words;
    char rank[16];      /* that made words the first ones: "relevance" ... */
    char tf[8];         /* of C, without words' weights */
    bool of_model;      /* it is the one that the model was fitted of; where it
                           was fitted by the normalised cut it is not */
    double value[KEDGE_MEASURES]; /* NAN: not defined here, or not asked for */
    uint64_t documents; /* of the store */
    uint64_t counted;   /* of these, in C: those with enough words */
    uint64_t completion_documents, completion_tokens; /* whose
                           halves were predicted */
    uint64_t probes;    /* columns that there were */
    uint64_t labelled, classes; /* documents that were clustered, and how many
                           classes they have */
    uint64_t planned_memory, peak_memory; /* bytes */
    double seconds;     /* of all models together */
} kedge_eval_result;

/*
 * Measures the `count` models `models`, up to KEDGE_EVAL_MODELS_MOST, by names;
 * a NULL among them is the one fitted last. They are of the same words and of
 * one index's rule, for they see the same documents. `out` has room for `count`
 * results. The store is only read. Results are the same for any number of
 * threads.
 *
 * A store without documents, or without any that hold two words of the models,
 * has no C: its measures are NAN.
 * EINVAL, EBUDGET, ENOTFOUND, EFORMAT (labels), ECORRUPT, ECANCELED, EIO,
 * ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_eval(kedge_store *store, const char *const *models, size_t count,
           const kedge_eval_opts *opts, const kedge_control *control,
           kedge_eval_result *out, kedge_error *err);

#ifdef __cplusplus
}
#endif
#endif
