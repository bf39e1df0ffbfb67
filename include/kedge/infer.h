/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_INFER_H
#define KEDGE_INFER_H
/*
 * Topic proportions of documents, of a store's or of others. They come one
 * after the other; a part of the documents is in memory at a time. The
 * proportions of a document depend on that document alone, except with padd and
 * pami: these read all documents when they are opened, keep what they know of
 * them in a file without a name in the store's folder, and read them again.
 *
 *   kedge_infer_opts_init(&opts);
 *   kedge_infer_open(store, NULL, 0, &opts, &control, &infer, &err);
 *   while (kedge_infer_next(infer, &c, &err) == KEDGE_OK && c != NULL)
 *       printf("%s %g\n", c->id, c->proportions[0]);
 *   kedge_infer_close(infer);
 */
#include <kedge/control.h>
#include <kedge/ingest.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kedge_infer_method {
    KEDGE_INFER_LINEAR_BAYES = 0,  /* expected proportions, given what the
                                      model's topic co-occurrence says */
    KEDGE_INFER_LEAST_SQUARES = 1, /* the proportions whose words are nearest to
                                      the document's, by least squares */
    KEDGE_INFER_PADD = 2,          /* the same, with a price on pairs of topics,
                                      equal for all documents, by which pairs
                                      become as frequent as the model's topic
                                      co-occurrence says */
    KEDGE_INFER_PAMI = 3,          /* proportions that are near both to the
                                      documents and to others that have this
                                      topic co-occurrence */
    KEDGE_INFER_MEAN = 4,          /* the average of p(topic | word) over the
                                      document's words: smooth, to compare
                                      documents by and to cluster them */
    KEDGE_INFER_TLI = 5,           /* the thresholded linear inverse: a mean
                                      over the document's tokens, without the
                                      topics that it leaves in doubt */
} kedge_infer_method;

typedef struct kedge_infer_opts {
    const char *model; /* its name; NULL (default): the one fitted last */
    kedge_infer_method method; /* default LINEAR_BAYES */
    uint64_t iterations; /* of a document at most, up to 1,000,000; 0 (default):
                            200 of LINEAR_BAYES, and as many as it takes of
                            LEAST_SQUARES, which ends by itself. Of PADD and
                            PAMI those of all documents, 50. MEAN and TLI have
                            none: EINVAL */
    double tolerance;    /* LINEAR_BAYES, PADD and PAMI stop when proportions
                            move by less, all added up; of PADD and PAMI on
                            average of a document; up to 1. 0 (default): 1e-2 of
                            LINEAR_BAYES, which brings proportions as near to
                            the truth as less would, and 1e-3 of PADD and PAMI.
                            LEAST_SQUARES, MEAN and TLI have none: EINVAL */
    bool weighted;       /* LEAST_SQUARES: a word's error counts by
                            1 / p(word) */
    double tau;          /* PADD: step of the price; above 0. 0 (default):
                            0.1, and 0.05 with as_published */
    double rho;          /* PAMI: what being near the others counts, as a
                            multiple of the median singular value of what the
                            documents say; above 0. 0 (default): 1 */
    bool as_published;   /* PADD as it was printed: all words count the same,
                            prices are divided by the number of documents and
                            not negative. PAMI: all words count the same. Else
                            they count by 1 / p(word). TLI: topics are left out
                            by a bound for any document, and not by what the
                            document itself leaves in doubt. The others have
                            no such way: EINVAL */
    /* Documents that are not the store's, as in kedge_ingest_opts. Where there
     * is a `source`, no paths are given. PADD and PAMI, which read documents
     * twice, have none: EINVAL. */
    const kedge_source *source;
    kedge_format format;
    const char *vocabulary; /* of formats whose words are numbers */
    /* NULL: as the store's texts were read last */
    const char *text_field, *id_field, *label_field;
    bool skip_bad;
    const char *encoding;   /* of files and of the vocabulary's, as iconv calls
                               it: "latin1"; NULL (default): UTF-8. A mark of
                               UTF-16 or UTF-32 at a file's beginning counts
                               for more */
    bool save;           /* compositions of the store's documents are kept in
                            it, see kedge/saved.h: they are the model's set once
                            all were given out, in the place of an earlier one.
                            Needs a store opened for writing */
} kedge_infer_opts;

/* "linear-bayes", "padd", ... Never freed; NULL: there is no such method. */
KEDGE_API const char *kedge_infer_method_name(kedge_infer_method method);

KEDGE_API void kedge_infer_opts_init(kedge_infer_opts *opts);

/* How far a composition is to be trusted. */
typedef enum kedge_doc_flag {
    KEDGE_DOC_OK = 0,
    KEDGE_DOC_EMPTY = 1,     /* no word: shares are the mean of all */
    KEDGE_DOC_UNKNOWN = 2,   /* no word that the model has: as above */
    KEDGE_DOC_SINGLE = 3,    /* one token: hardly more is known */
    KEDGE_DOC_UNSETTLED = 4, /* the iterations were not enough */
} kedge_doc_flag;

/* "ok", "empty", "unknown", "single", "unsettled". Never freed. */
KEDGE_API const char *kedge_doc_flag_name(kedge_doc_flag flag);

typedef struct kedge_doc_topics {
    const char *id; /* its own, or where it has none "SOURCE:POSITION", as in
                       kedge_document; any bytes, and a zero at the end */
    size_t id_size;
    uint64_t tokens;  /* that topics were found by; a phrase is one */
    uint64_t oov;     /* tokens beside these, which the model does not have */
    double misfit;    /* by how much the shares of words in the document
                         differ from those of its composition, in total
                         variation: half the sum of the differences, 0 to 1.
                         1 where there are no tokens */
    uint64_t iterations;
    kedge_doc_flag flag;
    const double *proportions; /* of the topics: not negative, of the sum one */
    uint64_t topics;
    uint64_t ready; /* compositions that are there already and come next:
                       after the one with 0 documents are read */
} kedge_doc_topics;

/* What has been done so far. */
typedef struct kedge_infer_result {
    uint64_t documents;  /* given out; of these: */
    uint64_t empty, unknown, single, unsettled; /* by their flags */
    uint64_t iterations; /* of all of them */
    uint64_t rounds;     /* PADD and PAMI: iterations; and how these ended: */
    bool settled;        /* shares moved by less than the tolerance */
    double moved;        /* by so much, on average of a document */
    double loss;         /* squares of words' errors, as above */
    double strayed;      /* distance of the documents' mean second moments of
                            topics from the correlations (Frobenius) */
    double largest;      /* TLI: entry of the inverse P of the topics B, */
    double bias;         /* and of PB - I; */
    double gap;          /* the share by which a topic's largest entry may be
                            above the least there can be, at most */
    uint64_t biased;     /* topics too near to mixtures of others for PB = I */
    uint64_t tokens, oov;
    uint64_t bad;        /* malformed records skipped */
    uint64_t unread;     /* with skip_bad: files of which nothing was read, or
                            not all */
    char first_unread[512]; /* the first, and why */
    uint64_t not_utf8;   /* documents with bytes that are not UTF-8, or not of
                            the encoding */
    char first_not_utf8[512]; /* where the first is */
    uint64_t bytes_read; /* from sources */
    double seconds;      /* since it was opened */
    uint64_t planned_memory, peak_memory; /* bytes */
    uint64_t saved;      /* documents of the set, once it is there, */
    uint64_t saved_bytes; /* as it is stored, */
    double saved_error;  /* and by how much keeping changed the shares of a
                            document at most, all added up */
} kedge_infer_result;

typedef struct kedge_infer kedge_infer;

/*
 * Begins with the documents of `sources[0 .. count)`, paths or "-" for standard
 * input, or of opts.source, cut into words as the store's were; or where there
 * is neither with those that the store has at this moment, in its order, as
 * kedge_documents gives them. Texts of `sources` and `opts` stay with the
 * caller and are needed until the end.
 *
 * PADD and PAMI are opened as long as all their iterations take, and need files
 * that can be read twice: EINVAL of a pipe.
 *
 * Until kedge_infer_close nothing else may be done with the handle. The store
 * is only read, unless compositions are kept: who closes before the last was
 * given out leaves the set that was there. EMISUSE (it is to be kept, and the
 * store is open for reading), EINVAL, EBUDGET, ENOTFOUND, ECORRUPT, EIO,
 * ENOMEM; *out is NULL then.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_infer_open(kedge_store *store, const char *const *sources, size_t count,
                 const kedge_infer_opts *opts, const kedge_control *control,
                 kedge_infer **out, kedge_error *err);

/* The number of topics that all compositions are of. */
KEDGE_API uint64_t kedge_infer_topics(const kedge_infer *infer);

/*
 * The next composition, which lasts until the next call; NULL after the last.
 * Of what comes through a pipe each is given as soon as its document is there.
 * EFORMAT, ECORRUPT, ECANCELED, EBUDGET, EINVAL, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_infer_next(kedge_infer *infer, const kedge_doc_topics **out,
                 kedge_error *err);

/*
 * All that are to come as a matrix for NumPy, a document a row, a topic a
 * column, in float32, or in float64 where `wide`. The file appears whole or not
 * at all. As kedge_infer_next.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_infer_write(kedge_infer *infer, const char *path, bool wide,
                  kedge_error *err);

KEDGE_API void kedge_infer_get_result(const kedge_infer *infer,
                                      kedge_infer_result *out);

/* Accepts NULL. */
KEDGE_API void kedge_infer_close(kedge_infer *infer);

#ifdef __cplusplus
}
#endif
#endif
