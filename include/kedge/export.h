/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_EXPORT_H
#define KEDGE_EXPORT_H
/*
 * Exports a model as plain files:
 *
 *   vocab.txt               the words, one per line; their order is that of the
 *                           rows of all matrices
 *   topics.npy              words x topics: p(word | topic)
 *   topic_cooccurrence.npy  topics x topics: A
 *   word_probability.npy    words: p(word)
 *   anchors.txt, model.json
 *   doc_topics.npy          documents x topics: p(topic | document)
 *   documents.txt           the documents' ids, one per line, in the order of
 *                           the store; \\, \n, \r: backslash and line ends
 *
 * The last two need saved proportions of all documents (kedge/saved.h). The
 * same documents, options and seed give the same bytes.
 */
#include <kedge/control.h>
#include <kedge/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The co-occurrence C of the model's words, without term weights and with sum
 * 1: one pass over the store, sparse two. */
typedef enum kedge_export_pairs {
    KEDGE_EXPORT_PAIRS_NONE = 0,
    KEDGE_EXPORT_PAIRS_DENSE = 1,  /* cooccurrence.npy: words x words */
    KEDGE_EXPORT_PAIRS_SPARSE = 2, /* cooccurrence.mtx: without zeros, in Matrix
                                      Market's coordinate format */
} kedge_export_pairs;

/* Files for other programs; the values can be combined with |. */
typedef enum kedge_export_also {
    /* topic_cooccurrence.graphml. A node for each topic: number, label,
     * prevalence, first words by relevance, anchor. An edge for each pair that
     * occurs together more often than by chance: its weight as in
     * topic_cooccurrence.npy, and its lift, the weight over the product of the
     * prevalences. Characters that XML cannot have are U+FFFD. */
    KEDGE_EXPORT_GRAPHML = 1,
    /* topic_cooccurrence.csv: topics x topics; the first row and column have
     * the labels, or the numbers of topics without one. An apostrophe comes
     * before labels that a spreadsheet would take for a formula (they begin
     * with =, +, -, @, a tab or a line end). */
    KEDGE_EXPORT_CSV = 2,
    /* counts.mtx, documents x words in Matrix Market's coordinate format, with
     * phrases as words, and documents.txt. Needs `store`, as the next two
     * do. */
    KEDGE_EXPORT_COUNTS = 4,
    /* topic_term_dists.npy, doc_lengths.npy and term_frequency.npy, which with
     * doc_topics.npy and vocab.txt are the arguments of pyLDAvis.prepare. The
     * length of a document without words of the model is 0. Needs saved
     * proportions of all documents (kedge/saved.h), as the next one does. */
    KEDGE_EXPORT_PYLDAVIS = 8,
    /* mallet-keys.txt, mallet-topics.txt and mallet-state.gz: MALLET's topic
     * keys, document topics and state, with numbers from 0. Alpha is
     * kedge_model_alpha, or the prevalence if there is none; beta is MALLET's
     * 0.01. In the state a document's tokens of a word are distributed over
     * topics by p(topic | word, document), by largest remainder. Blanks in ids
     * and words are \s, \t, \v and \f, as they separate columns; \\, \n and
     * \r as in documents.txt. */
    KEDGE_EXPORT_MALLET = 16,
} kedge_export_also;

#define KEDGE_EXPORT_ALL 31 /* all of these */

typedef struct kedge_export_opts {
    bool spectrum; /* also eigenvectors.npy, eigenvalues.npy, rectified.npy, of
                      a fit with save_spectrum; default false */
    kedge_export_pairs pairs; /* default NONE. The others need `store` with the
                                 documents of the fit, and 8 bytes of memory
                                 for each pair of words */
    unsigned also; /* kedge_export_also; default 0 */
    kedge_store *store; /* the store of the model, for saved proportions,
                           `pairs` and `also`; NULL (default): without them */
    const kedge_control *control; /* for reading the store; NULL (default): as
                                     kedge_control_init */
} kedge_export_opts;

/* Sets the defaults; the same as all zeros. */
KEDGE_API void kedge_export_opts_init(kedge_export_opts *opts);

/*
 * Writes the files into `directory`, which is created if absent. Each file
 * appears whole or not at all. Until the end model.json says that the export is
 * unfinished. An earlier export in the directory is replaced; any other
 * directory must be empty except for hidden files.
 * EINVAL (directory not empty, no saved spectrum, the saved proportions are not
 * of all documents), ENOTFOUND (no saved proportions), EIO, ENOMEM; with a
 * store also EBUDGET, ECORRUPT, ECANCELED.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_export(const kedge_model *model, const char *directory,
             const kedge_export_opts *opts, kedge_error *err);

/* The text of model.json; the caller frees it with kedge_free. EINVAL,
 * ENOMEM. */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_model_json(const kedge_model *model, char **out, kedge_error *err);
/* The same with the number of the model's index, which depends on the store and
 * not only on its documents. */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_model_stored_json(const kedge_model *model, char **out, kedge_error *err);
/* Frees what a function of kedge says to free with it; accepts NULL. */
KEDGE_API void kedge_free(void *memory);

#ifdef __cplusplus
}
#endif
#endif
