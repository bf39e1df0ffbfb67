/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_EXPORT_H
#define KEDGE_EXPORT_H
/*
 * A model as plain files: vocab.txt (a word a line, in the rows' order),
 * topics.npy, topic_cooccurrence.npy, word_probability.npy, anchors.txt and
 * model.json. The bytes are a function of documents, options and seed alone.
 * Where compositions are kept with the model and are of all documents of the
 * store (kedge/saved.h), also doc_topics.npy and documents.txt: an id a line,
 * in which backslashes and ends of lines are \\, \n and \r; their order is that
 * of the store.
 */
#include <kedge/control.h>
#include <kedge/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The co-occurrence C of the model's words, without their weights, made again
 * by one pass over the store, or sparse by two; it adds up to one. */
typedef enum kedge_export_pairs {
    KEDGE_EXPORT_PAIRS_NONE = 0,
    KEDGE_EXPORT_PAIRS_DENSE = 1,  /* cooccurrence.npy: words x words */
    KEDGE_EXPORT_PAIRS_SPARSE = 2, /* cooccurrence.mtx: what is not zero, in
                                      the coordinates of Matrix Market */
} kedge_export_pairs;

/*
 * What other programs take, to be added up. In the files of MALLET, where
 * blanks divide, those in ids and words are \s, \t, \v and \f, beside \\, \n
 * and \r.
 */
typedef enum kedge_export_also {
    /*topic_cooccurrence.graphml: a node for each topic, with number, name,
     * share, first words by relevance and anchor; an edge for each pair that is
     * together more than its shares alone would make, with its weight, as in
     * topic_cooccurrence.npy, and its lift, how many times more that is. What
     * XML cannot hold is U+FFFD. */
    KEDGE_EXPORT_GRAPHML = 1,
    /* topic_cooccurrence.csv: topics by topics, with a first row and a first
     * column of their names, or numbers where they have none. A name that a
     * spreadsheet would take for a formula (it begins with =, +, -, @, a tab or
     * the end of a line) has an apostrophe before it. */
    KEDGE_EXPORT_CSV = 2,
    /* counts.mtx: how often each document has each word of the model, phrases
     * joined, in the coordinates of Matrix Market: rows in the order of the
     * store, with documents.txt beside, columns as in vocab.txt. Needs
     * `store`, as what follows does. */
    KEDGE_EXPORT_COUNTS = 4,
    /* topic_term_dists.npy, doc_lengths.npy and term_frequency.npy, which with
     * doc_topics.npy and vocab.txt are what pyLDAvis.prepare takes. A
     * document without words of the model has the length 0, and no weight
     * there. Needs compositions of all documents that there are
     * (kedge/saved.h), as what follows does. */
    KEDGE_EXPORT_PYLDAVIS = 8,
    /* mallet-keys.txt, mallet-topics.txt and mallet-state.gz, as MALLET writes
     * topic keys, document topics and its state; numbers count from 0. Alpha is
     * kedge_model_alpha, or the topics' shares where there is none, and beta
     * MALLET's own 0.01. In the state the tokens that a document has of a word
     * go to topics in proportion to p(topic | word, composition), by largest
     * remainder, in the order of the words. */
    KEDGE_EXPORT_MALLET = 16,
} kedge_export_also;

#define KEDGE_EXPORT_ALL 31 /* of these */

typedef struct kedge_export_opts {
    bool spectrum; /* also eigenvectors.npy, eigenvalues.npy, rectified.npy */
    kedge_export_pairs pairs; /* default NONE; others need `store`, as it was
                                 when the model was fitted, and 8 bytes of
                                 memory for each pair of words */
    unsigned also; /* of kedge_export_also, added up; default 0 */
    kedge_store *store; /* that the model is from, with which nothing else is
                           being done: for its compositions. NULL (default):
                           without them */
    const kedge_control *control; /* of reading it; NULL (default): as
                                     kedge_control_init has it */
} kedge_export_opts;

KEDGE_API void kedge_export_opts_init(kedge_export_opts *opts);

/*
 * Writes the files into `directory`, made when absent. Each file appears whole
 * or not at all; model.json comes last, and says until then that the export is
 * unfinished. Where the directory holds an earlier export, as its model.json
 * shows, that one's files are replaced, and those that this does not write
 * removed in the end. Another directory has to be empty, but for hidden files:
 * EINVAL, as for a spectrum that was not kept, and for compositions that are
 * needed and are not of all documents; ENOTFOUND where none are kept. EIO,
 * ENOMEM; with a store also EBUDGET, ECORRUPT, ECANCELED.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_export(const kedge_model *model, const char *directory,
             const kedge_export_opts *opts, kedge_error *err);

/* The text of model.json; the caller frees it with kedge_free. */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_model_json(const kedge_model *model, char **out, kedge_error *err);
/* The same with the number of the model's index in its store, which another
 * store of the same documents may not have. */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_model_stored_json(const kedge_model *model, char **out, kedge_error *err);
KEDGE_API void kedge_free(void *memory);

#ifdef __cplusplus
}
#endif
#endif
