/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_FIT_H
#define KEDGE_FIT_H
/*
 * From a sketch to topics: spectrum, rectification, anchors, topics and their
 * correlations. Documents are read again only for `ncut`, `power_iter`
 * and `em_iter`, and then from the store.
 */
#include <kedge/control.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How negative co-occurrences are removed; C then is positive semidefinite and
 * of a rank as many as topics. */
typedef enum kedge_rectify {
    KEDGE_RECTIFY_ENN = 0,   /* epsilon non-negative: projections that meet the
                                large negative entries alone */
    KEDGE_RECTIFY_NONE = 1,
    KEDGE_RECTIFY_PALM = 2,  /* C near to YY' with Y >= 0, step by step. Each
                                round takes two passes over the store, or two
                                products with a dense or sparse co-occurrence
                                */
    KEDGE_RECTIFY_IPALM = 3, /* the same with inertia: in fewer rounds */
    KEDGE_RECTIFY_AP = 4,    /* alternating projection of all pairs of words;
                                takes a dense co-occurrence */
    KEDGE_RECTIFY_DR = 5,    /* cyclic Douglas-Rachford; as above */
} kedge_rectify;

/* What is known of the co-occurrence C of the index's words. */
typedef enum kedge_cooccurrence {
    KEDGE_COOCCURRENCE_SKETCH = 0,
    KEDGE_COOCCURRENCE_DENSE = 1, /* C itself, 8 bytes for each pair of words,
                                     made by one pass over the store: for small
                                     vocabularies */
    KEDGE_COOCCURRENCE_SPARSE = 2, /* the same without the pairs that no
                                     document has together: a bit for each
                                     pair, and 16 bytes for two words that
                                     meet. Takes two passes */
    KEDGE_COOCCURRENCE_AUTO = 3,   /* what the rectification takes: DENSE for AP
                                     and DR, else SKETCH. Of no result */
} kedge_cooccurrence;

typedef enum kedge_topic_cooccurrence {
    KEDGE_TOPIC_COOCCURRENCE_LS = 0,       /* (B+ Y)(B+ Y)' */
    KEDGE_TOPIC_COOCCURRENCE_DIAGONAL = 1, /* from the anchors' rows alone */
} kedge_topic_cooccurrence;

/* How the words are found that stand for one topic each. All of them look for
 * rows of the rectified statistics that stick out, but COUNTED. */
typedef enum kedge_anchors {
    KEDGE_ANCHORS_QR = 0,   /* the longest part outside the span of those
                               chosen before */
    KEDGE_ANCHORS_FAST = 1, /* FastAnchorWords: the same, and then each one is
                               chosen again beside all others */
    KEDGE_ANCHORS_SPA = 2,  /* successive projection: as QR, in less memory,
                               ties to the longest row */
    KEDGE_ANCHORS_SNPA = 3, /* the one farthest from the hull of those chosen
                               before, and zero */
    KEDGE_ANCHORS_XRAY = 4, /* the extreme ray in the direction of what is
                               farthest from their cone */
    KEDGE_ANCHORS_FILE = 5, /* those of `anchor_file`; what these leave, QR */
    KEDGE_ANCHORS_MODEL = 6, /* those of the model that `align` names; what
                               these leave, QR */
    KEDGE_ANCHORS_COUNTED = 7, /* as QR, of the statistics as they were counted,
                               not rectified; takes a dense or sparse
                               co-occurrence */
    KEDGE_ANCHORS_AUTO = 8, /* QR, and none where `recover` is ANCHOR_FREE. Of
                               no result */
} kedge_anchors;

/* How the shares that a word's row has of the anchors' rows are found: by least
 * squares on the simplex. All find the same, but for how near they come. */
typedef enum kedge_solver {
    KEDGE_SOLVER_ADMM = 0,       /* many rows at a time */
    KEDGE_SOLVER_ACTIVE_SET = 1, /* exact */
    KEDGE_SOLVER_EXPGRAD = 2,    /* exponentiated gradients */
    KEDGE_SOLVER_AUTO = 3,       /* ADMM, where `recover` is L2. Of no result */
} kedge_solver;

/* What the shares are to make small. */
typedef enum kedge_recover {
    KEDGE_RECOVER_L2 = 0,  /* squares */
    KEDGE_RECOVER_KL = 1,  /* the divergence of rows, which needs whole rows:
                              the 2,000 most frequent words and all others
                              together. Takes its time */
    KEDGE_RECOVER_INVERSE = 2, /* no shares: topics by an inverse of the
                              anchors' rows, as it was first published. For
                              comparison */
    KEDGE_RECOVER_ANCHOR_FREE = 3, /* without anchors: of all topics that are
                              not negative those whose correlations have the
                              least determinant. A topic's anchor is then the
                              word that is most its own */
} kedge_recover;

/* How much words count: statistics are D C D instead of the co-occurrence C,
 * with the words' weights d on the diagonal of D, applied to the sketch that is
 * there. Topics and correlations come back without them; see kedge/model.h. */
typedef enum kedge_term_weight {
    KEDGE_TERM_WEIGHT_NONE = 0,
    KEDGE_TERM_WEIGHT_IDF = 1,  /* ln(documents / df), at least 0.01 */
    KEDGE_TERM_WEIGHT_SQRT = 2, /* p(word)^-1/2 */
} kedge_term_weight;

/* How a model came to its words. */
typedef enum kedge_vocabulary {
    KEDGE_VOCABULARY_ALL = 0,     /* all words that documents have */
    KEDGE_VOCABULARY_RULE = 1,    /* a rule chose them by the counts as they
                                     are now */
    KEDGE_VOCABULARY_CHANGED = 2, /* as above, and other ones than before */
    KEDGE_VOCABULARY_FROZEN = 3,  /* as they were: of an index that was named,
                                     or by `freeze` */
} kedge_vocabulary;

#define KEDGE_TOPICS_MOST     2000
#define KEDGE_EM_ITER_MOST    50
#define KEDGE_PROJECTION_MOST 65535

typedef struct kedge_fit_opts {
    const char *name;        /* of the model; NULL: "k<K>". With several K the
                                name gets "-k<K>" appended */
    uint64_t power_iter;     /* power passes over the store, 0 to 20 */
    kedge_cooccurrence cooccurrence; /* default AUTO; where it is DENSE or
                                        SPARSE eigenpairs are exact, and
                                        `power_iter` is 0 */
    kedge_rectify rectify;   /* default ENN */
    uint64_t rectify_iter;   /* at most, 1 to 200; 0 (default): 5 of ENN, 15 of
                                AP and DR, 100 of PALM */
    double rectify_tol;      /* it stops when a round changes YY' relatively
                                by less; default 2e-3, at which measures of
                                quality no longer move. 0: all rounds */
    uint64_t anchor_min_df;  /* anchors are in this many documents or more;
                                0 (default): follows the corpus size */
    kedge_anchors anchors;   /* default AUTO */
    const char *anchor_file; /* a topic a line: its anchor, or several with
                                blanks between them, which are taken together
                                as what their rows have in common. Least df and
                                ties are not asked of them */
    const char *anchor_ban;  /* a file, a word a line: these become no anchors;
                                NULL: none */
    uint64_t projection;     /* FAST looks at rows through a random projection
                                to so many dimensions, at least as many as
                                topics and up to KEDGE_PROJECTION_MOST; 0
                                (default): at the rows themselves */
    kedge_solver solver;     /* of L2; default AUTO */
    kedge_recover recover;   /* default L2 */
    kedge_topic_cooccurrence topic_cooccurrence; /* default LS */
    bool legal;              /* correlations become the nearest that are not
                                negative and sum to one; default false */
    kedge_term_weight term_weight; /* of words, default IDF */
    bool ncut;               /* documents weigh by the normalised cut, each by
                                one over what it has in common with all of
                                them, so that groups of few documents count
                                beside those of many. Two passes over the
                                store, and a sketch for this fit alone. Shares
                                and the words' probabilities are of documents
                                that weigh so; default false */
    uint64_t em_iter;        /* passes of expectation and maximisation over the
                                store, 0 (default) to KEDGE_EM_ITER_MOST: topics
                                become such that the documents are likelier.
                                Anchors stay, correlations follow */
    uint64_t index;          /* the store's index that the model is made of, by
                                its number, with its words as they are;
                                KEDGE_NO_INDEX (default): chosen as follows */
    bool freeze;             /* the words of the model that `align` names, else
                                of the one that is about to be replaced, else
                                of the one fitted last, as they are; and what
                                is not said of the sketch is as that was made.
                                Default false */
    /* Which words the topics are made of. They are a rule, which is applied to
     * the counts as they are now, in every fit: the model is that of a store
     * that got the same documents at once. The words are kept as an index of
     * the store with a sketch of its own, made by one pass over the stored
     * documents, which later ingests follow. As long as the rule gives the same
     * words that index is used again; when it gives others there is a new one,
     * and the old one goes, unless models need it. With none of these set it is
     * the index of all words, where a vocabulary came along with the documents;
     * else what is usual.
     *
     * Each of them says what it says and leaves the others as they are usual:
     * words in 5 documents or more (2 where the store has fewer than 1,000) and
     * in half of them at most, without the English stop words. Nothing of that
     * is usual with `keep_words`, and in a store that has the index of all
     * words. */
    uint64_t min_df;         /* documents that hold it, at least; 1: any, 0: as
                                usual */
    double max_df;           /* at most: a share up to 1, or a number; 1: any,
                                0: as usual */
    uint64_t vocab_size;     /* the first so many by tf-idf; 0: all */
    const char *stopwords;   /* a language, as "english" or "de", "none", or a
                                file; NULL: as usual */
    const char *keep_words, *drop_words; /* files: only these words; none of
                                            these */
    /* Words of the choice that often stand side by side become words of their
     * own, "neural_network", where the documents came as texts and their order
     * was stored. Found by passes over the stored documents. */
    uint64_t phrases;        /* of how many words at most, 2 to 8; 1: none;
                                0: none, where other words are asked for */
    uint64_t phrase_df;      /* that hold one at least; 0 (default): 10 */
    double phrase_score;     /* how closely its parts are tied at least, from 0,
                                as chance has it, to 1, always together: their
                                normalized pointwise mutual information.
                                NAN (default): 0.5 */
    const char *tf;          /* "raw", "log" or "sqrt", as in
                                kedge_ingest_opts: of an index that is made so.
                                NULL: that of the index of all words, else
                                log */
    uint64_t sketch_size, seed, min_tokens; /* of the index's sketch, as in
                                kedge_ingest_opts and within the same bounds;
                                0: the usual, or as an index that is named has
                                it */
    bool save_spectrum;      /* store eigenvectors and rectified rows too, for
                                kedge_export_opts.spectrum */
    const char *align; /* a model: its topics that are found again keep their
                         numbers and names, the others are numbered by falling
                         share. NULL: the model of the same name that is about
                         to be replaced, if there is one */
    bool fresh;       /* numbers by falling share, whatever was there before */
    double *eigenvalues; /* room for one more than the most topics asked for:
                         gets the statistics' eigenvalues, falling, NAN where
                         they have fewer. NULL (default): they are not
                         wanted */
} kedge_fit_opts;

KEDGE_API void kedge_fit_opts_init(kedge_fit_opts *opts);

/* What one fit found. One per K. */
typedef struct kedge_fit_result {
    char model[64];
    uint64_t topics;
    uint64_t words;          /* rows */
    kedge_vocabulary vocabulary; /* how they were chosen */
    uint64_t index;          /* number of their index */
    uint64_t stored_words;   /* that the store's documents have */
    uint64_t absent_words;   /* rows that no document has any more: FROZEN */
    uint64_t phrases;        /* rows that are phrases, of stored words */
    uint64_t words_before;   /* CHANGED: that the rule gave before */
    double tokens_left_out;  /* share of all tokens that are of other words.
                                None of these seven is kept with the model */
    uint64_t documents;      /* that topics were learnt from */
    uint64_t too_short;      /* and those that have fewer than: */
    uint64_t min_tokens;     /* of the index's words */
    uint64_t sketch_size;    /* of the sketch */
    uint64_t power_iter;     /* passes made */
    uint64_t em_iter;        /* the same of `em_iter` */
    kedge_term_weight term_weight; /* of words; with weights, the three errors
                                below are taken of rows divided by them */
    bool ncut;               /* documents weigh by the normalised cut */
    kedge_cooccurrence cooccurrence; /* that was taken */
    kedge_rectify rectify;
    double sketch_error;     /* of the eigenvectors: ||C V - V L|| / ||L||,
                                from held-out columns */
    double sketch_error_last; /* the same residual against the K-th eigenvalue:
                                small is good, above 0.5 power iterations help;
                                infinite when that is not positive */
    double unexplained;      /* ||C - C_K|| / ||C||, from held-out columns */
    bool power_iter_helps;
    uint64_t rectify_iter;   /* of rectification, made */
    uint64_t products;       /* of ENN: of statistics and K columns, in all
                                rounds. Not kept with the model */
    double rectify_change;   /* of YY' in the last round, relative */
    double negative_share;   /* before the first round: of Y_I Y', the larger
                                entries; AP, DR: of YY'; PALM: of Y */
    kedge_anchors anchors;   /* as they were asked for */
    uint64_t anchors_given;  /* topics whose anchors a file or a model told */
    uint64_t anchor_min_df;  /* in force */
    uint64_t candidates;     /* words that could be anchors */
    kedge_solver solver;     /* as it was asked for */
    kedge_recover recover;   /* as above, */
    bool legal;              /* and then the next but one and its negative part
                                are of what was before */
    uint64_t solver_iter;    /* of the solver, largest number over all words;
                                ANCHOR_FREE: turns of all topics */
    double topic_cooccurrence_sum; /* should be 1 */
    double topic_cooccurrence_negative; /* sum of A's negative entries */
    double dirichlet;        /* sum of the parameters of the Dirichlet that is
                                nearest to A: see kedge_model_alpha; 0: there
                                is none */
    double dirichlet_error; /* how far its moments are from A, relatively */
    char aligned_to[64];     /* the model whose numbers were kept, or "" */
    uint64_t matched;        /* topics found again, */
    double mean_distance;    /* and how far they are from what they were, on
                                average: see kedge/diff.h */
    uint64_t new_topics, lost_topics; /* topics that only one of the two has */
    uint16_t new_topic[KEDGE_TOPICS_MOST]; /* the new ones, from 0, rising. None
                                of these five is kept with the model */
    uint64_t background;     /* topics that tell documents apart by little
                                (kedge_model_is_background), */
    double background_prevalence; /* and their share of the corpus. Not kept
                                with the model */
    double likelihood[KEDGE_EM_ITER_MOST + 1]; /* ln p of a token on average,
                                before and after each of `em_iter`; all 0
                                without one. Words that no topic has are left
                                out. Not kept with the model */
    double seconds;          /* of this K; shared stages count for the first */
    double seconds_spectrum, seconds_rectify, seconds_topics, seconds_store;
    uint64_t peak_memory;
} kedge_fit_result;

/*
 * Fits one model for each of the `count` values in `topics` and stores it,
 * replacing a model of the same name. `out` has room for `count` results. A
 * index that was made for it stays only if it came to have its sketch.
 * Needs a store opened for writing and a current sketch (made up to date here
 * from the store where it is not). The sketch's spectrum stays in the store,
 * and is taken from there by fits of the same documents, words and weights;
 * where the disk has no room for it, the fit goes on without.
 * EINVAL, ENOTFOUND (no documents, no such index), EBUDGET, ENUMERIC, EIO,
 * ECORRUPT, ECANCELED, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_fit(kedge_store *store, const uint64_t *topics, size_t count,
          const kedge_fit_opts *opts, const kedge_control *control,
          kedge_fit_result *out, kedge_error *err);

#ifdef __cplusplus
}
#endif
#endif
