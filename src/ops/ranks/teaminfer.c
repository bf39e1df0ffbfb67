/* SPDX-License-Identifier: MIT */
/*
 * A model goes from rank 0 to all, as far as it finds topics in documents; what
 * each makes of it is of its own documents alone.
 */
#include <kedge/comm.h>

#include <string.h>

#include "base/bytes.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "ops/infer/infer.h"
#include "ops/infer/walk.h"
#include "ops/ranks/ranks.h"

/* A model's header with the longest names of the most topics is less. */
#define HEADER_MOST ((size_t)1 << 30)

static kedge_status check_opts(const kedge_infer_opts *o, kedge_error *err)
{
    if (o->save)
        return kedge_fail(err, KEDGE_EINVAL,
                          "topic proportions are saved with their model, which "
                          "is in another store: run infer --save in one "
                          "process");
    if (o->source != NULL)
        return kedge_fail(err, KEDGE_EINVAL, "several processes infer the "
                                             "documents of their stores: name "
                                             "no files");
    if (o->method == KEDGE_INFER_PADD || o->method == KEDGE_INFER_PAMI)
        return kedge_fail(err, KEDGE_EINVAL, "padd and pami need all documents "
                                             "in one process: use --method "
                                             "linear-bayes, least-squares, "
                                             "mean or tli");
    return KEDGE_OK;
}

static kedge_status load(store *sum, const char *name, kedge_model **m,
                         part_words *seen, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_read(sum, &txn, err));
    TRY(model_open(txn, name, MODEL_COMPOSING, m, err));
    TRY(model_load_words(txn, *m, err));
    seen->w = (*m)->text;
    (*m)->text = (words){0};
    TRY(part_words_room(seen, seen->w.count, err)); /* counts of zero: unused */
out:
    store_abort(&txn);
    return st;
}

/* Rank 0 has the array; the others make room for it. */
static kedge_status bcast_array(communicator *comm, double **array, size_t rows,
                                size_t columns, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (*array == NULL)
        TRY_MEM(*array = mem_new2(rows, columns, sizeof **array));
    comm_bcast(comm, *array, rows * columns * sizeof **array, 0);
out:
    return st;
}

/* Its name, and the header as stores have it, which is closed by a hash. */
static kedge_status bcast_header(communicator *comm, kedge_model **m,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t *header = NULL, bytes[8] = {0};
    size_t size = 0;
    char name[sizeof (*m)->name] = "";

    if (comm->rank == 0) {
        memcpy(name, (*m)->name, sizeof name);
        TRY(model_write_header(*m, &header, &size, err));
        put_u64(bytes, size);
    }
    comm_bcast(comm, name, sizeof name, 0);
    comm_bcast(comm, bytes, sizeof bytes, 0);
    if (comm->rank > 0) {
        size = get_u64(bytes);
        if (size > HEADER_MOST || memchr(name, '\0', sizeof name) == NULL)
            return kedge_fail(err, KEDGE_ECORRUPT,
                              "the model that came from rank 0 is damaged");
        TRY_MEM(header = mem_new(size, 1));
    }
    comm_bcast(comm, header, size, 0);
    if (comm->rank > 0) {
        TRY_MEM(*m = mem_new(1, sizeof **m));
        TRY(model_read_header(header, size, name, UINT32_MAX, *m, err));
    }
    (*m)->index_place = 0; /* indexes of one store */
out:
    mem_free(header);
    return st;
}

/* By the own store's words. */
static kedge_status find_ids(store *own, const words *seen, kedge_model *m,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_totals totals;
    words all = {0};
    uint32_t *id = NULL;

    TRY(store_load_words(own, &totals, &all, err));
    mem_free(m->ids);
    TRY_MEM(m->ids = mem_new(m->words, sizeof *m->ids));
    TRY_MEM(id = mem_new(m->words, sizeof *id));
    TRY(part_number_words(&all, seen, false, id, err));
    for (size_t r = 0; r < m->words; r++)
        m->ids[r] = id[r] != WORDMAP_NONE ? (double)id[r] : WALK_UNKNOWN;
out:
    mem_free(id);
    words_free(&all);
    return st;
}

static const kedge_infer_opts defaults;

kedge_status kedge_comm_infer_open(const kedge_member *self,
                                   const kedge_infer_opts *opts,
                                   const kedge_control *control,
                                   kedge_infer **out, kedge_error *err)
{
    if (out != NULL)
        *out = NULL;
    API_ENTER(err, {"self", self}, {"out", out});
    API_ENTER(err, {"team", self->team}, {"own", self->own},
              {"heard", self->team != NULL ? self->team->heard : NULL},
              {"sum", self->team == NULL || self->team->rank > 0
                          ? "" : (const void *)self->sum});
    control = run_control(control);
    opts = opts != NULL ? opts : &defaults;

    kedge_status st = KEDGE_OK;
    communicator *const comm = self->team;
    kedge_model *m = NULL, *brought;
    part_words seen = {0};

    TRY(check_opts(opts, err));
    if (comm->rank == 0)
        TRY(load(self->sum, opts->model, &m, &seen, err));
    TRY(bcast_header(comm, &m, err));
    TRY(bcast_array(comm, &m->probabilities, m->words, m->topics, err));
    TRY(bcast_array(comm, &m->correlations, m->topics, m->topics, err));
    TRY(bcast_array(comm, &m->word_probability, m->words, 1, err));
    TRY(gather_bcast_words(comm, m->words, &seen, err));
    TRY(find_ids(self->own, &seen.w, m, err));
    part_words_free(&seen);
    brought = m;
    m = NULL;
    TRY(infer_open_brought(self->own, brought, opts, control, out, err));
out:
    part_words_free(&seen);
    kedge_model_free(m);
    return api_leave(st, err);
}
