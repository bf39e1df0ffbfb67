/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_COMM_H
#define KEDGE_COMM_H
/*
 * Several processes that work on one corpus, each with a store of its own for
 * its share of the documents. The library knows nothing of how words travel
 * between them: the caller gives functions, of MPI, of sockets, or of threads
 * in a test. All processes call the same functions of the library, in the same
 * order and with the same options.
 */
#include <kedge/control.h>
#include <kedge/fit.h>
#include <kedge/infer.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One process of a team, `rank` of `size`. The functions return when the value
 * may be used again. A process that cannot speak or hear any more ends: there
 * is nothing that the others could do without it. And where a function of the
 * library fails at one, the others may wait for it for ever; it is the caller
 * who ends them.
 */
typedef struct kedge_comm {
    unsigned rank, size;
    void *data;
    /* To that rank; from that rank, which hands over as many bytes. */
    void (*hand)(void *data, const void *value, size_t bytes, unsigned to);
    void (*take)(void *data, void *value, size_t bytes, unsigned from);
    /* Both at once: what goes to one rank, and what comes from another, which
     * trades as well. Either may be of no bytes. */
    void (*trade)(void *data, const void *out, size_t out_bytes, unsigned to,
                  void *in, size_t in_bytes, unsigned from);
    uint64_t *heard; /* bytes that come to this process are added to it */
} kedge_comm;

/* What came to a process while a fit was made, in bytes. */
typedef struct kedge_comm_traffic {
    uint64_t words;    /* words, their counts, and the index that is chosen */
    uint64_t rows;     /* of all sketches, to who adds them up */
    uint64_t spectrum; /* all sums of rows that eigenpairs come from */
    uint64_t rectify;  /* per model: ENN */
    uint64_t topics;   /* per model: anchors, topics, correlations */
    uint64_t model;    /* per model: its rows, to who stores it */
} kedge_comm_traffic;

/* This process, among them. */
typedef struct kedge_member {
    kedge_comm *team;
    kedge_store *own; /* what it works on, open for writing, to infer for
                         reading; */
    kedge_store *sum; /* and, of rank 0 alone and else NULL, the store of what
                         all have together */
    kedge_comm_traffic *traffic; /* is told; or NULL */
} kedge_member;

/*
 * Before anything is read: what the first documents settled (how texts are cut,
 * and of indexes of all words the statistic, width, seed and least tokens) is
 * handed on to stores that have none yet. EINVAL where two do not agree.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_comm_settle(const kedge_member *self, kedge_error *err);

/*
 * kedge_fit of the documents of all stores together. The store of sums gets the
 * words of all with their counts, a part for each process, and the models. It
 * has no documents of its own.
 *
 * The model has the bytes of one that was fitted to a single store with all
 * documents, whatever the number of processes and whoever has which documents,
 * on one type of processor. Indexes of words by a rule are made in every store,
 * by the counts of all. What passes over the documents is refused: refine,
 * em, ncut, phrases, cooccurrence other than of the sketch; and every way
 * to topics but pivoted QR and least squares.
 *
 * As kedge_fit; `out` is the same for all processes. EINVAL also where the
 * stores do not agree, and where the store of sums has documents of its own.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_comm_fit(const kedge_member *self, const uint64_t *topics, size_t count,
               const kedge_fit_opts *opts, const kedge_control *control,
               kedge_fit_result *out, kedge_error *err);

/*
 * kedge_infer_open of the documents that this process has, by a model of the
 * store of sums, which goes to all. From here on each works by itself.
 * Compositions are not kept, and no other documents are given: EINVAL.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_comm_infer_open(const kedge_member *self, const kedge_infer_opts *opts,
                      const kedge_control *control, kedge_infer **out,
                      kedge_error *err);

#ifdef __cplusplus
}
#endif
#endif
