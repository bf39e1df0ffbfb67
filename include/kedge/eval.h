/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_EVAL_H
#define KEDGE_EVAL_H
/*
 * Measures the quality of models: all measures of the papers, in one pass over
 * the stored documents for all models, without a words x words matrix.
 * kedge_measure_get has the formula and the paper of each measure.
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
    /* of B A B' as an approximation of the documents' co-occurrence C */
    KEDGE_MEASURE_RECOVERY,
    KEDGE_MEASURE_RELATIVE_RECOVERY,
    KEDGE_MEASURE_APPROXIMATION_ERROR,
    KEDGE_MEASURE_RELATIVE_ERROR,
    KEDGE_MEASURE_RELATIVE_ERROR_SPREAD,
    KEDGE_MEASURE_OFF_DIAGONAL,
    KEDGE_MEASURE_RELATIVE_OFF_DIAGONAL,
    /* of the topic co-occurrence A */
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
    /* of the first words of topics */
    KEDGE_MEASURE_DISSIMILARITY,
    KEDGE_MEASURE_SIMILARITY_COUNT,
    KEDGE_MEASURE_TOPIC_DIVERSITY,
    KEDGE_MEASURE_UMASS,
    KEDGE_MEASURE_NPMI,
    KEDGE_MEASURE_C_V,
    KEDGE_MEASURE_DOCUMENT_COVERAGE,
    KEDGE_MEASURE_MST_INCOHERENCE,
    /* of documents that the model was fitted to (in sample) */
    KEDGE_MEASURE_COMPLETION_LOG_LIKELIHOOD,
    KEDGE_MEASURE_COMPLETION_PERPLEXITY,
    KEDGE_MEASURE_CLUSTERING_ACCURACY,
    KEDGE_MEASURE_NMI,
    KEDGE_MEASURES /* the number of measures */
} kedge_measure;

typedef struct kedge_measure_info {
    const char *key;     /* name in results: "relative_error" */
    const char *group;   /* "co-occurrence", "topic co-occurrence", "topics",
                            "first words" or "documents" */
    int better;          /* 1: larger is better, -1: smaller is, 0: neither */
    const char *formula; /* with the meaning of its letters */
    const char *paper;   /* source of the measure */
} kedge_measure_info;

/* Describes a measure; static. NULL: no such measure. */
KEDGE_API const kedge_measure_info *kedge_measure_get(kedge_measure measure);

#define KEDGE_EVAL_TOP_MOST 50
#define KEDGE_EVAL_PROBES_MOST 1024
#define KEDGE_EVAL_MODELS_MOST 64

/* The measures that a single topic has. Those of kedge_eval_result are their
 * means over topics. NAN: not defined. */
typedef struct kedge_eval_topic {
    const char *model; /* name, valid during the call */
    uint64_t topic;    /* from 0 */
    double umass, npmi, c_v, mst_incoherence;
} kedge_eval_topic;

typedef struct kedge_eval_opts {
    uint64_t top;    /* first words of a topic, 2 to KEDGE_EVAL_TOP_MOST;
                        default 20. NPMI, C_V and document coverage use at most
                        10 of them */
    kedge_rank rank; /* which words come first: RELEVANCE (default, as kedge
                        topics shows them), PROBABILITY (as in the papers) or
                        WEIGHTED */
    double completion; /* share of the documents for document completion, 0
                        (none) to 1; default 0.1 */
    const char *labels; /* path of a file with the classes of documents: a class
                        per line in the order of the store, or lines of id, tab,
                        class. NULL (default): the documents' labels */
    const char *tf;  /* of C: "raw" (the co-occurrence of the papers), "log" or
                        "sqrt"; NULL (default): that of the models */
    uint64_t probes; /* columns that estimate |C - B A B'| and recovery, a
                        multiple of 64 up to KEDGE_EVAL_PROBES_MOST; 0
                        (default): so many that words x columns is about
                        16 million, at least 128 */
    uint64_t seed;   /* of all random choices; default 1 */
    void (*topic)(void *data, const kedge_eval_topic *t); /* receives each topic
                        of each model; NULL (default): none */
    void *topic_data;   /* first argument of `topic` */
} kedge_eval_opts;

/* Sets the defaults. */
KEDGE_API void kedge_eval_opts_init(kedge_eval_opts *opts);

typedef struct kedge_eval_result {
    char model[64];
    uint64_t topics, words;
    char rank[16];      /* that chose the first words: "relevance", ... */
    char tf[8];         /* of C, which has no term weights */
    bool of_model;      /* C is the co-occurrence that the model was fitted to;
                           never with kedge_fit_opts.ncut */
    double value[KEDGE_MEASURES]; /* NAN: not defined, or not asked for */
    uint64_t documents; /* in the store */
    uint64_t counted;   /* in C: those with enough words */
    uint64_t completion_documents, completion_tokens; /* predicted */
    uint64_t probes;    /* columns used */
    uint64_t labelled, classes; /* documents that were clustered, and their
                           number of classes */
    uint64_t planned_memory, peak_memory; /* bytes */
    double seconds;     /* for all models together */
} kedge_eval_result;

/*
 * Measures `count` models, 1 to KEDGE_EVAL_MODELS_MOST, by their names; NULL is
 * the model fitted last. All must have the same words, chosen by the same rule.
 * `out` has room for `count` results. Reads the store and does not change it.
 * The results do not depend on the number of threads.
 *
 * If no document has two words of the models, there is no C, and its measures
 * are NAN.
 * EINVAL, EBUDGET, ENOTFOUND (no such model), EFORMAT (labels), ECORRUPT,
 * ECANCELED, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_eval(kedge_store *store, const char *const *models, size_t count,
           const kedge_eval_opts *opts, const kedge_control *control,
           kedge_eval_result *out, kedge_error *err);

#ifdef __cplusplus
}
#endif
#endif
