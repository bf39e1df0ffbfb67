/* SPDX-License-Identifier: MIT */
/*
 * Correlations are not those of the documents' θ, which take their topics from
 * few words each and spread less than they should: they are what explains the
 * rectified statistics by the new topics, as for the old ones.
 */
#include "pipeline/fit/polishing.h"

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "linalg/tall.h"
#include "pipeline/batch.h"
#include "topics/polish.h"

typedef struct polishing {
    const polishing_input *in;
    polish *work;
    uint32_t *rank; /* by number: place among the rows */
    store_txn *txn;
    docs batch;
    stage told;
} polishing;

/* One block, with rows for words: the same for any numbers that words have. */
static kedge_status polishing_read(polishing *o, uint64_t block,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    docs_clear(&o->batch);
    TRY(filter_read(o->in->filter, o->txn, block, &o->batch, err));
    if (!docs_renumber(&o->batch, 0, o->rank))
        TRY_MEM(NULL);
out:
    return st;
}

static kedge_status polishing_pass(polishing *o, size_t number,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const polishing_input *const in = o->in;
    const uint64_t blocks = in->view->blocks;

    polish_begin(o->work);
    for (uint64_t b = 0;; b++) {
        TRY(store_next_block(o->txn, b, blocks, &b, err));
        if (b == blocks)
            break;
        TRY(stage_reach(&o->told, number * blocks + b, err));
        TRY(polishing_read(o, b, err));
        polish_add(o->work, &o->batch, number < in->passes);
    }
    TRY(stage_reach(&o->told, (number + 1) * blocks, err));
out:
    return st;
}

static kedge_status polishing_passes(polishing *o, double *likelihood,
                                     kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (size_t n = 0; n <= o->in->passes; n++) {
        TRY(polishing_pass(o, n, err));
        likelihood[n] = polish_likelihood(o->work);
        if (n < o->in->passes)
            polish_learn(o->work);
    }
out:
    return st;
}

/* Each topic's share, the row sum of A. */
static double *polishing_shares(const law_output *t, size_t k)
{
    double *const share = mem_new(k, sizeof *share);

    for (size_t i = 0; share != NULL && i < k * k; i++)
        share[i / k] += t->a[i];
    return share;
}

kedge_status polishing_run(const polishing_input *in, law_output *out,
                           double *likelihood, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t rows = in->law->rows, k = in->law->k;
    polishing o = {.in = in};
    polish_input work = {.rows = rows, .k = k, .b = out->b,
                         .tokens = in->view->tokens,
                         .min_tokens = in->view->min_tokens, .p = in->p};
    double *share = NULL;

    if (in->passes == 0)
        return KEDGE_OK;
    o.told = stage_begin(in->control, "polishing",
                         (in->passes + 1) * in->view->blocks, "blocks");
    TRY_MEM(share = polishing_shares(out, k));
    TRY_MEM(o.rank = mem_new(filter_words(in->filter)->count, sizeof *o.rank));
    for (size_t i = 0; i < rows; i++)
        o.rank[in->order[i]] = (uint32_t)i;
    work.share = share;
    TRY(polish_create(&work, &o.work, err));
    TRY(store_begin_read(in->s, &o.txn, err));
    TRY(polishing_passes(&o, likelihood, err));
    TRY(law_correlate(in->p, in->law, out, err));
out:
    store_abort(&o.txn);
    polish_free(o.work);
    docs_free(&o.batch);
    mem_free(o.rank);
    mem_free(share);
    return st;
}
