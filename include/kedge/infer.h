/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_INFER_H
#define KEDGE_INFER_H
/*
 * Topic proportions p(topic | document), for the documents of a store or for
 * other documents.
 *
 *   kedge_infer_opts_init(&opts);
 *   kedge_infer_open(store, NULL, 0, &opts, &control, &infer, &err);
 *   while (kedge_infer_next(infer, &d, &err) == KEDGE_OK && d != NULL)
 *       printf("%s %g\n", d->id, d->proportions[0]);
 *   kedge_infer_close(infer);
 *
 * Documents come one after the other, and only some are in memory at a time.
 * The proportions of a document do not depend on other documents, except with
 * the joint methods PADD and PAMI. These read all documents in
 * kedge_infer_open, work in an unnamed file in the store's directory, and then
 * read the documents again.
 */
#include <kedge/control.h>
#include <kedge/ingest.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kedge_infer_method {
    KEDGE_INFER_LINEAR_BAYES = 0,  /* the expected proportions, with the model's
                                      topic co-occurrence as the prior */
    KEDGE_INFER_LEAST_SQUARES = 1, /* the proportions whose words are nearest to
                                      the document's words */
    KEDGE_INFER_PADD = 2,          /* prior-aware dual decomposition: least
                                      squares, under the constraint that all
                                      documents together have the model's topic
                                      co-occurrence */
    KEDGE_INFER_PAMI = 3,          /* prior-aware manifold iteration: the same
                                      aim by another algorithm */
    KEDGE_INFER_MEAN = 4,          /* the average of p(topic | word) over the
                                      words of the document: smooth, good for
                                      clustering */
    KEDGE_INFER_TLI = 5,           /* thresholded linear inverse: unbiased,
                                      drops topics below their standard
                                      error */
} kedge_infer_method;

typedef struct kedge_infer_opts {
    const char *model; /* its name; NULL (default): the model fitted last */
    kedge_infer_method method; /* default LINEAR_BAYES */
    /* Options of single methods; with another method they are EINVAL. */
    uint64_t iterations; /* most iterations, up to 1,000,000. LINEAR_BAYES: per
                            document, 0 (default): 200. LEAST_SQUARES: per
                            document, 0: until it converges. PADD, PAMI: over
                            all documents, 0: 50 */
    double tolerance;    /* stop when the sum of the changes of a document's
                            proportions is less, up to 1. LINEAR_BAYES: 0
                            (default): 1e-2. PADD, PAMI: mean over documents,
                            0: 1e-3 */
    bool weighted;       /* LEAST_SQUARES: weight the error of a word by
                            1 / p(word); default false */
    double tau;          /* PADD: step size, up to 1e9; 0 (default): 0.1, or
                            0.05 with as_published */
    double rho;          /* PAMI: weight of the topic co-occurrence, as a
                            multiple of the median singular value of the
                            documents' topic statistics, up to 1e9; 0 (default):
                            1 */
    bool as_published;   /* exactly as the paper prints the method; default
                            false. PADD: errors of words are not weighted (else
                            by 1 / p(word)), dual variables are divided by the
                            number of documents and not negative. PAMI: errors
                            of words are not weighted. TLI: the threshold is
                            the bound for any document, not the document's own
                            standard error */
    /* Documents from elsewhere, see kedge_ingest_opts. A `source` takes the
     * place of paths. PADD and PAMI read documents twice: `source` is
     * EINVAL. */
    const kedge_source *source;
    kedge_format format;    /* default AUTO */
    const char *vocabulary; /* for formats that have numbers for words */
    /* NULL (default): as for the store's last texts */
    const char *text_field, *id_field, *label_field;
    bool skip_bad;          /* default false */
    const char *encoding;   /* NULL (default): UTF-8 */
    bool save;           /* save the proportions of the store's documents in the
                            store (kedge/saved.h). They replace the model's
                            earlier set after the last document was returned.
                            The store must be open for writing. Default false */
} kedge_infer_opts;

/* "linear-bayes", "padd", ...; static. NULL: no such method. */
KEDGE_API const char *kedge_infer_method_name(kedge_infer_method method);

/* Sets the defaults; the same as all zeros. */
KEDGE_API void kedge_infer_opts_init(kedge_infer_opts *opts);

/* Whether to trust the proportions of a document. */
typedef enum kedge_doc_flag {
    KEDGE_DOC_OK = 0,
    KEDGE_DOC_EMPTY = 1,     /* no words: the proportions are the prevalence */
    KEDGE_DOC_UNKNOWN = 2,   /* no word of the model: the same */
    KEDGE_DOC_SINGLE = 3,    /* a single token of the model's words */
    KEDGE_DOC_UNSETTLED = 4, /* not converged within `iterations` */
} kedge_doc_flag;

/* "ok", "empty", "unknown", "single", "unsettled"; static. */
KEDGE_API const char *kedge_doc_flag_name(kedge_doc_flag flag);

typedef struct kedge_doc_topics {
    const char *id; /* as in kedge_document: any bytes, zero-terminated */
    size_t id_size;
    uint64_t tokens;  /* occurrences of the model's words; a phrase is one */
    uint64_t oov;     /* occurrences of other words */
    double misfit;    /* total variation distance, 0 to 1, between the
                         document's words and the words that its proportions
                         imply; 1 without tokens */
    uint64_t iterations; /* for this document */
    kedge_doc_flag flag;
    const double *proportions; /* p(topic | document): >= 0, sum 1 */
    uint64_t topics;  /* length of proportions */
    uint64_t ready; /* results in memory that follow this one; 0: the next call
                       reads documents first */
} kedge_doc_topics;

/* What kedge_infer_next returned so far, and the costs. */
typedef struct kedge_infer_result {
    uint64_t documents;
    uint64_t empty, unknown, single, unsettled; /* of these, by their flags */
    uint64_t iterations; /* sum over documents */
    uint64_t rounds;     /* PADD, PAMI: iterations over all documents */
    bool settled;        /* PADD, PAMI: converged within the tolerance */
    double moved;        /* PADD, PAMI: change of a document's proportions in
                            the last iteration, mean over documents */
    double loss;         /* PADD, PAMI: squared errors of words, mean over
                            documents */
    double strayed;      /* PADD, PAMI: Frobenius distance of the documents'
                            topic co-occurrence from the model's */
    double largest;      /* TLI: largest entry of P, the inverse of B */
    double bias;         /* TLI: largest entry of PB - I */
    double gap;          /* TLI: a topic's largest entry of P is above the least
                            possible by at most this share */
    uint64_t biased;     /* TLI: topics too near to mixtures of others for
                            PB = I */
    uint64_t tokens, oov; /* sums over documents */
    uint64_t bad;        /* malformed records skipped */
    uint64_t unread;     /* with skip_bad: files not read, or not to their
                            ends */
    char first_unread[512]; /* the first of them, and why */
    uint64_t not_utf8;   /* documents with bytes that are not UTF-8 or
                            `encoding` */
    char first_not_utf8[512]; /* where the first of them is */
    uint64_t bytes_read; /* from files, compressed or not */
    double seconds;      /* since kedge_infer_open */
    uint64_t planned_memory, peak_memory; /* bytes */
    uint64_t saved;      /* with `save`, at the end: documents in the set */
    uint64_t saved_bytes; /* size of the set in the store */
    double saved_error;  /* see kedge_saved_info.error */
} kedge_infer_result;

typedef struct kedge_infer kedge_infer;

/*
 * Opens `count` sources, paths or "-" for standard input, or opts.source, whose
 * texts go through the tokenizer of the store. Without either it opens the
 * documents that the store has at this moment, in the order of kedge_documents.
 *
 * The result belongs to the caller (kedge_infer_close). Until then the store
 * handle must not be used for anything else, and `sources`, `opts` and
 * `control` must stay valid.
 *
 * PADD and PAMI make all their iterations in this call, and need files that can
 * be read twice: a pipe is EINVAL. The store changes only with opts.save; if
 * the caller closes before the last document, the earlier set stays.
 * EMISUSE (opts.save, and the store is open for reading), EINVAL, EBUDGET,
 * ENOTFOUND (no such model), ECANCELED, ECORRUPT, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_infer_open(kedge_store *store, const char *const *sources, size_t count,
                 const kedge_infer_opts *opts, const kedge_control *control,
                 kedge_infer **out, kedge_error *err);

/* The number of topics of the model. */
KEDGE_API uint64_t kedge_infer_topics(const kedge_infer *infer);

/*
 * The next document's proportions, valid until the next call; NULL after the
 * last. Does not wait for more documents of a pipe than are there.
 * EFORMAT, ECORRUPT, ECANCELED, EBUDGET, EINVAL, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_infer_next(kedge_infer *infer, const kedge_doc_topics **out,
                 kedge_error *err);

/*
 * Writes the proportions of all documents that follow to the file `path` as a
 * NumPy matrix, documents x topics, of float32, or float64 if `wide`. The file
 * appears whole or not at all. Statuses as kedge_infer_next.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_infer_write(kedge_infer *infer, const char *path, bool wide,
                  kedge_error *err);

/* Fills *out; may be called at any time before kedge_infer_close. */
KEDGE_API void kedge_infer_get_result(const kedge_infer *infer,
                                      kedge_infer_result *out);

/* Frees; accepts NULL. */
KEDGE_API void kedge_infer_close(kedge_infer *infer);

#ifdef __cplusplus
}
#endif
#endif
