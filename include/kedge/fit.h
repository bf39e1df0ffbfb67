/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_FIT_H
#define KEDGE_FIT_H
/*
 * Fits a topic model to a sketch: eigenpairs, rectification, anchor words,
 * topics, topic co-occurrence.
 *
 *   kedge_fit_opts_init(&opts);
 *   opts.name = "news";
 *   kedge_fit(store, &topics, 1, &opts, &control, &result, &err);
 *
 * Symbols: C is the words x words co-occurrence, Y its rectified factor with C
 * ~ YY', B the topics p(word | topic), A the topic co-occurrence, D the term
 * weights on a diagonal, K the number of topics. With term weights, D C D
 * takes the place of C, and the weights are divided out of B and A at the end.
 */
#include <kedge/control.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rectification: how negative entries of the rank K co-occurrence are
 * removed. */
typedef enum kedge_rectify {
    KEDGE_RECTIFY_ENN = 0,   /* epsilon non-negative: corrects only the large
                                negative entries */
    KEDGE_RECTIFY_NONE = 1,  /* leaves negative entries */
    KEDGE_RECTIFY_PALM = 2,  /* proximal alternating linearized minimization of
                                C - YY' with Y >= 0. An iteration takes two
                                passes over the store, or two products with a
                                dense or sparse co-occurrence */
    KEDGE_RECTIFY_IPALM = 3, /* PALM with inertia */
    KEDGE_RECTIFY_AP = 4,    /* alternating projection of all pairs of words;
                                needs a dense co-occurrence */
    KEDGE_RECTIFY_DR = 5,    /* cyclic Douglas-Rachford; the same need */
} kedge_rectify;

/* The form of the co-occurrence C. DENSE and SPARSE give exact eigenpairs. */
typedef enum kedge_cooccurrence {
    KEDGE_COOCCURRENCE_SKETCH = 0, /* the sketch of the index */
    KEDGE_COOCCURRENCE_DENSE = 1, /* C, by one pass over the store: 8 bytes per
                                     pair of words, for small vocabularies */
    KEDGE_COOCCURRENCE_SPARSE = 2, /* C without zeros, by two passes: a bit per
                                     pair of words, 16 bytes per pair that
                                     co-occurs */
    KEDGE_COOCCURRENCE_AUTO = 3,   /* DENSE for AP and DR, otherwise SKETCH.
                                     Not in results */
} kedge_cooccurrence;

typedef enum kedge_topic_cooccurrence {
    KEDGE_TOPIC_COOCCURRENCE_LS = 0,       /* least squares: (B+ Y)(B+ Y)' */
    KEDGE_TOPIC_COOCCURRENCE_DIAGONAL = 1, /* from the rows of the anchors */
} kedge_topic_cooccurrence;

/* How anchor words are chosen. All but COUNTED look at the rows of the
 * rectified co-occurrence. */
typedef enum kedge_anchors {
    KEDGE_ANCHORS_QR = 0,   /* pivoted QR: the row farthest from the span of the
                               anchors before */
    KEDGE_ANCHORS_FAST = 1, /* FastAnchorWords: as QR, then each anchor is
                               chosen again given all others */
    KEDGE_ANCHORS_SPA = 2,  /* successive projection: as QR with less memory,
                               ties to the longest row */
    KEDGE_ANCHORS_SNPA = 3, /* successive non-negative projection: the row
                               farthest from the convex hull of the anchors
                               before and zero */
    KEDGE_ANCHORS_XRAY = 4, /* extreme rays of the cone of rows */
    KEDGE_ANCHORS_FILE = 5, /* from `anchor_file`; QR finds the rest */
    KEDGE_ANCHORS_MODEL = 6, /* those of the model `align`; QR finds the
                               rest */
    KEDGE_ANCHORS_COUNTED = 7, /* QR of the co-occurrence before rectification;
                               needs it dense or sparse */
    KEDGE_ANCHORS_AUTO = 8, /* QR; no anchors for ANCHOR_FREE. Not in
                               results */
} kedge_anchors;

/* The solver of KEDGE_RECOVER_L2, least squares on the simplex. All have the
 * same solution and differ in speed and accuracy. */
typedef enum kedge_solver {
    KEDGE_SOLVER_ADMM = 0,       /* many words at a time */
    KEDGE_SOLVER_ACTIVE_SET = 1, /* exact, word by word */
    KEDGE_SOLVER_EXPGRAD = 2,    /* exponentiated gradient, slow */
    KEDGE_SOLVER_AUTO = 3,       /* ADMM. Not in results */
} kedge_solver;

/* How topics are recovered: each word's row as a mixture of the anchors' rows,
 * by L2 or KL, or another way. */
typedef enum kedge_recover {
    KEDGE_RECOVER_L2 = 0,  /* least squares */
    KEDGE_RECOVER_KL = 1,  /* least Kullback-Leibler divergence of rows, over
                              the 2,000 most frequent words and all others
                              together. Slow */
    KEDGE_RECOVER_INVERSE = 2, /* by the inverse of the anchors' rows, as first
                              published; for comparison */
    KEDGE_RECOVER_ANCHOR_FREE = 3, /* without anchors: the non-negative topics
                              whose co-occurrence has the least determinant. A
                              topic's anchor is then its most exclusive
                              word */
} kedge_recover;

/* Weights of words, applied to the existing sketch: D C D takes the place of C.
 * See kedge_model_weighted. */
typedef enum kedge_term_weight {
    KEDGE_TERM_WEIGHT_NONE = 0, /* 1 */
    KEDGE_TERM_WEIGHT_IDF = 1,  /* ln(documents / df), at least 0.01 */
    KEDGE_TERM_WEIGHT_SQRT = 2, /* p(word)^-1/2 */
} kedge_term_weight;

/* How the words of a model were chosen. */
typedef enum kedge_vocabulary {
    KEDGE_VOCABULARY_ALL = 0,     /* all words of the documents */
    KEDGE_VOCABULARY_RULE = 1,    /* by vocabulary options and current counts */
    KEDGE_VOCABULARY_CHANGED = 2, /* the same, and the same options gave other
                                     words before */
    KEDGE_VOCABULARY_FROZEN = 3,  /* words of an existing index or model, by
                                     `index` or `freeze` */
} kedge_vocabulary;

/* Settings of a paper: see kedge_fit_opts_preset. */
typedef enum kedge_preset {
    KEDGE_PRESET_NONE = 0,
    KEDGE_PRESET_LR_JSMF = 1,
    KEDGE_PRESET_RAW = 2,
    KEDGE_PRESET_AW = 3,
} kedge_preset;

#define KEDGE_TOPICS_MOST     2000
#define KEDGE_EM_ITER_MOST    50
#define KEDGE_PROJECTION_MOST 65535

typedef struct kedge_fit_opts {
    const char *name;        /* of the model, 1 to 63 bytes; NULL (default):
                                "k<K>". With several K, 1 to 57 bytes, and
                                "-k<K>" is appended */
    uint64_t power_iter;     /* power iterations, each a pass over the store, 0
                                (default) to 20; 0 if `cooccurrence` is DENSE
                                or SPARSE */
    kedge_cooccurrence cooccurrence; /* default AUTO */
    kedge_rectify rectify;   /* default ENN */
    uint64_t rectify_iter;   /* most iterations, 1 to 200; 0 (default): 5 for
                                ENN, 15 for AP and DR, 100 for PALM and
                                IPALM */
    double rectify_tol;      /* stop when an iteration changes YY' by less,
                                relative; default 2e-3, 0: all iterations */
    uint64_t anchor_min_df;  /* anchors are in at least so many documents; 0
                                (default): 1/3000 of the documents, but 30 to
                                100, and lower if that leaves fewer than 20
                                words per topic */
    kedge_anchors anchors;   /* default AUTO */
    const char *anchor_file; /* for FILE: path of a file with a line per topic,
                                the topic's anchor, or several words that act as
                                one. anchor_min_df does not apply to them. NULL
                                (default) */
    const char *anchor_ban;  /* path of a file with a word per line: not to be
                                anchors; NULL (default): none */
    uint64_t projection;     /* for FAST: project rows to so many random
                                dimensions, K to KEDGE_PROJECTION_MOST; 0
                                (default): no projection */
    kedge_solver solver;     /* for L2; default AUTO */
    kedge_recover recover;   /* default L2 */
    kedge_topic_cooccurrence topic_cooccurrence; /* default LS */
    bool legal;              /* replace A by the nearest matrix that is >= 0
                                and sums to 1; default false */
    kedge_term_weight term_weight; /* default IDF */
    bool ncut;               /* weight documents by the normalised cut: each by
                                one over its co-occurrence with all documents,
                                so that small groups of documents count like
                                large ones. Takes two passes over the store and
                                a sketch for this fit only. p(word) and
                                prevalence are of the weighted documents.
                                Default false */
    uint64_t em_iter;        /* EM iterations, each a pass over the store, that
                                raise the likelihood; 0 (default) to
                                KEDGE_EM_ITER_MOST. Anchors do not change, the
                                topic co-occurrence does */
    uint64_t index;          /* number of an index of the store to fit;
                                KEDGE_NO_INDEX (default): by the options that
                                follow */
    bool freeze;             /* keep the words of an earlier model: of `align`,
                                otherwise of the model of the same name,
                                otherwise of the model fitted last. tf,
                                sketch_size, seed and min_tokens default to
                                those of its index. Default false */
    /* The vocabulary. If none of the options from min_df to phrases is set: the
     * index of all words if the documents were read with a vocabulary,
     * otherwise the defaults below.
     *
     * The options are applied to the current counts in every fit. The words
     * become an index of the store, whose sketch takes one pass over the stored
     * documents and which later ingests keep current. A later fit reuses the
     * index if the options give the same words. If they give others, it makes a
     * new index and drops the old one, unless a model uses it.
     *
     * The defaults of min_df, max_df and stopwords do not apply with
     * keep_words, nor in a store that has the index of all words: there 0 and
     * NULL mean no limit. */
    uint64_t min_df;         /* words in at least so many documents, 1: any; 0
                                (default): 5, or 2 in a store of fewer than
                                1,000 documents */
    double max_df;           /* words in at most so many documents: a share up
                                to 1, or a number above 1; 1: any, 0 (default):
                                0.5 */
    uint64_t vocab_size;     /* the first so many words by tf-idf; 0 (default):
                                all */
    const char *stopwords;   /* words to leave out: a language, like "english"
                                or "de", a file, or "none"; NULL (default):
                                "english" */
    const char *keep_words, *drop_words; /* paths of files with a word per line:
                                only these words, none of these words; NULL
                                (default) */
    /* Phrases: words of the vocabulary that often stand side by side become
     * words of their own, "neural_network". Needs texts that were stored with
     * the order of their words; takes passes over the store. */
    uint64_t phrases;        /* most words of a phrase, 2 to 8; 0 (default) and
                                1: no phrases */
    uint64_t phrase_df;      /* phrases in at least so many documents; 0
                                (default): 10 */
    double phrase_score;     /* least NPMI of a phrase's parts, -1 to 1 (0:
                                chance, 1: always together); NAN (default):
                                0.5 */
    /* The sketch of the index, as in kedge_ingest_opts. */
    const char *tf;          /* "raw", "log" or "sqrt"; NULL (default): that of
                                the index of all words, otherwise log */
    uint64_t sketch_size, seed, min_tokens; /* 0: the defaults there, or those
                                of `index` */
    bool save_spectrum;      /* also store eigenvectors and Y, for
                                kedge_export_opts.spectrum; default false */
    const char *align; /* a model: topics that match its topics get their
                          numbers and labels, the others follow by falling
                          prevalence. NULL (default): the model of the same
                          name, if there is one */
    bool fresh;       /* number topics by falling prevalence, without align;
                         default false */
    double *eigenvalues; /* gets the eigenvalues of C, or D C D, falling, NAN if
                            there are fewer; room for one more than the largest
                            K. NULL (default): not wanted */
    kedge_preset preset; /* recorded with the model; kedge_fit_opts_preset sets
                            it together with the settings. Default NONE */
} kedge_fit_opts;

/* Sets the defaults. */
KEDGE_API void kedge_fit_opts_init(kedge_fit_opts *opts);

/*
 * Sets every option of a fit as a paper prints it: tf, min_tokens, term_weight,
 * cooccurrence, power_iter, rectify, rectify_iter, rectify_tol, anchors,
 * anchor_min_df, recover, solver, topic_cooccurrence and em_iter. Call it after
 * kedge_fit_opts_init; members that you set afterwards override the preset. Its
 * solver is used with `recover` L2 only.
 *
 * "lr-jsmf": On-the-Fly Rectification (ICML 2021), Algorithm 6: one pass,
 *   ENN until it converges, and LAW.
 * "raw": Practical Correlated Topic Modeling (EMNLP 2019), sections 3 and 4:
 *   the dense co-occurrence, 150 iterations of AP, pivoted QR, ADMM.
 * "aw": the anchor words of Arora et al. (ICML 2013) as these two papers use
 *   them: Algorithm 1 of ICML 2021, the baseline of EMNLP 2019. The dense
 *   co-occurrence, not rectified.
 *
 * examples/papers.md lists the settings, and where kedge differs from the
 * paper. If no sketch of the store has this tf and min_tokens, kedge_fit makes
 * one by one pass over the stored documents; `kedge ingest --tf raw` makes it
 * while it reads.
 * EINVAL: there is no preset of this name.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_fit_opts_preset(kedge_fit_opts *opts, const char *name,
                      kedge_error *err);

#define KEDGE_PRESET_SETTINGS 320 /* bytes of the settings as text */

/* The result for one K. Members marked * are not stored with the model. */
/* A label that no topic has any more. */
typedef struct kedge_lost_label {
    uint16_t topic; /* that had it in the replaced model, from 0 */
    char label[64];
} kedge_lost_label;

#define KEDGE_LOST_LABELS_MOST 64

typedef struct kedge_fit_result {
    char model[64];          /* name */
    kedge_preset preset;
    char settings[KEDGE_PRESET_SETTINGS]; /* *all options of the preset, with
                                the values used, as they are typed: "--tf raw
                                --min-tokens 2 ..."; "" without a preset */
    uint64_t topics;
    uint64_t words;          /* of the model */
    kedge_vocabulary vocabulary; /* *how the words were chosen */
    uint64_t index;          /* *number of the index */
    uint64_t stored_words;   /* *words that occur in the store's documents */
    uint64_t absent_words;   /* *words that no document has any more (FROZEN) */
    uint64_t phrases;        /* *words that are phrases */
    uint64_t words_before;   /* *number of words that the same options gave
                                before (CHANGED) */
    double tokens_left_out;  /* *share of tokens outside the vocabulary */
    uint64_t documents;      /* in the sketch */
    uint64_t too_short;      /* documents not in the sketch, with fewer tokens
                                of the vocabulary than min_tokens */
    uint64_t min_tokens;
    double too_short_share;  /* too_short of these and `documents` */
    uint64_t sketch_size;
    uint64_t power_iter;     /* iterations made */
    uint64_t em_iter;        /* iterations made */
    kedge_term_weight term_weight; /* with weights, the three errors below are
                                of rows divided by them */
    bool ncut;
    kedge_cooccurrence cooccurrence;
    kedge_rectify rectify;
    double sketch_error;     /* ||C V - V L|| / ||L||, eigenvectors V and
                                eigenvalues L, from held-out columns */
    double sketch_error_last; /* the same over the K-th eigenvalue: small is
                                good; infinite if it is not positive */
    double unexplained;      /* ||C - V L V'|| / ||C||, from held-out columns */
    bool power_iter_helps;   /* sketch_error_last is above 0.5 and a sketch was
                                used */
    uint64_t rectify_iter;   /* iterations made */
    uint64_t products;       /* *ENN: products with K columns, in all */
    double rectify_change;   /* of YY' in the last iteration, relative */
    double negative_share;   /* before the first iteration: of the larger
                                entries of YY' (ENN), of YY' (AP, DR), of Y
                                (PALM) */
    kedge_anchors anchors;
    uint64_t anchors_given;  /* topics with an anchor of a file or model */
    uint64_t anchor_min_df;  /* used */
    uint64_t candidates;     /* words that could be anchors */
    kedge_solver solver;
    kedge_recover recover;
    bool legal;              /* the sum and the negative entries below are of
                                A before it was made legal */
    uint64_t solver_iter;    /* steps of the solver for the slowest word;
                                ANCHOR_FREE: rounds over all topics */
    double topic_cooccurrence_sum; /* of A; should be 1 */
    double topic_cooccurrence_negative; /* sum of the negative entries of A */
    double dirichlet;        /* sum of alpha (kedge_model_alpha); 0: none */
    double dirichlet_error; /* relative distance of its moments from A */
    char aligned_to[64];     /* the model whose topic numbers were kept; "":
                                none */
    uint64_t matched;        /* topics of that model that were found again */
    double mean_distance;    /* of these pairs: see kedge/diff.h */
    uint64_t new_topics, lost_topics; /* topics without a partner, of this and
                                of that model */
    uint16_t new_topic[KEDGE_TOPICS_MOST]; /* *the first new_topics entries: the
                                new topics, from 0 */
    uint64_t renumbered;     /* topics with a partner and another number than
                                that has */
    uint64_t lost_labels;    /* *labels of the replaced model that no topic of
                                this one has */
    kedge_lost_label lost_label[KEDGE_LOST_LABELS_MOST]; /* *the first of
                                them */
    uint64_t background;     /* *topics that are background, see
                                kedge_model_is_background */
    double background_prevalence; /* *their share of the corpus */
    double likelihood[KEDGE_EM_ITER_MOST + 1]; /* *mean ln p of a token before
                                and after each EM iteration, words without a
                                topic left out; all 0 without EM */
    double seconds;          /* for this K; stages that several K share count
                                for the first */
    double seconds_spectrum, seconds_rectify, seconds_topics, seconds_store;
    uint64_t peak_memory;    /* largest resident size of the process */
} kedge_fit_result;

/*
 * Fits a model for each of the `count` numbers of topics, 2 to
 * KEDGE_TOPICS_MOST and all different, and stores it in place of a model of the
 * same name. `out` has room for `count` results. The store must be open for
 * writing. Reads documents of the store only to sync the sketch and for options
 * that say so.
 *
 * The eigenpairs are cached in the store (kedge_index_info.spectra): another
 * fit of the same documents, words and weights starts from there. If the disk
 * has no room for them, the fit continues without. After a failure a new index
 * is kept only if its sketch was made.
 * EINVAL, ENOTFOUND (no documents, no such index or model), EBUDGET, ENUMERIC,
 * EIO, ECORRUPT, ECANCELED, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_fit(kedge_store *store, const uint64_t *topics, size_t count,
          const kedge_fit_opts *opts, const kedge_control *control,
          kedge_fit_result *out, kedge_error *err);

#ifdef __cplusplus
}
#endif
#endif
