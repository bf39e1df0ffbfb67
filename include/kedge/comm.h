/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_COMM_H
#define KEDGE_COMM_H
/*
 * Several processes that fit one model together, each with its own store for
 * its share of the documents.
 *
 * The caller provides the communication (MPI, sockets, threads in a test). All
 * processes call the same functions of this header, in the same order and with
 * the same options.
 */
#include <kedge/control.h>
#include <kedge/fit.h>
#include <kedge/infer.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One process, number `rank` of `size`, from 0, and its communication. The
 * functions block until the buffer may be used again. They cannot fail: when
 * communication breaks, end the process. When a function of the library fails
 * in one process, the others may wait for it forever: the caller has to end
 * them.
 */
typedef struct kedge_comm {
    unsigned rank, size;
    void *data; /* first argument of the functions */
    /* Send to rank `to`; receive from rank `from`, which sends the same number
     * of bytes. */
    void (*hand)(void *data, const void *value, size_t bytes, unsigned to);
    void (*take)(void *data, void *value, size_t bytes, unsigned from);
    /* Send and receive at once; both partners trade too. Either size may be
     * 0. */
    void (*trade)(void *data, const void *out, size_t out_bytes, unsigned to,
                  void *in, size_t in_bytes, unsigned from);
    uint64_t *heard; /* counts the bytes that this process received: the
                        functions add to it */
} kedge_comm;

/* Bytes that a process received during a fit. */
typedef struct kedge_comm_traffic {
    uint64_t words;    /* words, their counts, and the chosen index */
    uint64_t rows;     /* rows of sketches, to the process that adds them */
    uint64_t spectrum; /* sums over rows, for the eigenpairs */
    uint64_t rectify;  /* rectification (ENN) of all models */
    uint64_t topics;   /* anchors, topics, topic co-occurrence of all models */
    uint64_t model;    /* rows of all models, to rank 0, which stores them */
} kedge_comm_traffic;

/* A process with its stores. */
typedef struct kedge_member {
    kedge_comm *team;
    kedge_store *own; /* its documents; open for writing, for inference open
                         for reading is enough */
    kedge_store *sum; /* rank 0: the common store, which gets the models; other
                         ranks: NULL */
    kedge_comm_traffic *traffic; /* kedge_comm_fit fills it; may be NULL */
} kedge_member;

/*
 * Gives empty stores the settings that the first documents fixed in others: the
 * tokenizer, and for the index of all words tf, sketch size, seed and
 * min_tokens. Call it before the processes read documents. EINVAL if two stores
 * disagree; also as kedge_ingest.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_comm_settle(const kedge_member *self, kedge_error *err);

/*
 * kedge_fit for the documents of all processes together. `sum` gets all words
 * with their counts, a part for each process, and the models. It must not have
 * documents of its own.
 *
 * On one type of CPU the models have the same bytes as models of a single store
 * with all documents, for any number of processes and any distribution of the
 * documents. The vocabulary is chosen by the counts of all processes.
 *
 * Options that need passes over documents are EINVAL: power_iter, em_iter,
 * ncut, phrases, and a cooccurrence other than SKETCH. So are a rectify other
 * than ENN and NONE, anchors other than QR, anchor_ban, a recover other than L2
 * and a solver other than ADMM. EINVAL also if the stores disagree or `sum` has
 * documents of its own. Otherwise as kedge_fit; `out` is the same in all
 * processes.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_comm_fit(const kedge_member *self, const uint64_t *topics, size_t count,
               const kedge_fit_opts *opts, const kedge_control *control,
               kedge_fit_result *out, kedge_error *err);

/*
 * kedge_infer_open for the documents of `own`, with a model of `sum`, which is
 * sent to all processes. After this call each process works on its own. EINVAL
 * for opts.save, opts.source, PADD and PAMI. Otherwise as kedge_infer_open.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_comm_infer_open(const kedge_member *self, const kedge_infer_opts *opts,
                      const kedge_control *control, kedge_infer **out,
                      kedge_error *err);

#ifdef __cplusplus
}
#endif
#endif
