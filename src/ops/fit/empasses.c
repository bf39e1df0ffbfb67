/* SPDX-License-Identifier: MIT */
/*
 * Correlations are not those of the documents' θ, which take their topics from
 * few words each and spread less than they should: they are what explains the
 * rectified statistics by the new topics, as for the old ones.
 */
#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "ops/fit/fit.h"
#include "topics/em.h"

/* Pass `number` over all blocks, with rows for words: the same for any numbers
 * that words have. */
static kedge_status em_pass(fit *f, em *work, const uint32_t *rank,
                                docs *batch, const stage *progress,
                                size_t number, kedge_error *err)
{
    const uint64_t blocks = f->index.blocks;

    em_begin(work);
    for (uint64_t b = 0;; b++) {
        PASS(store_next_block(f->z.txn, b, blocks, &b, err));
        if (b == blocks)
            break;
        PASS(stage_reach(progress, number * blocks + b, err));
        docs_clear(batch);
        PASS(filter_read(&f->filter, f->z.txn, b, batch, err));
        if (!docs_renumber(batch, 0, rank))
            PASS_MEM(NULL);
        em_add(work, batch, number < f->opts->em_iter);
    }
    return stage_reach(progress, (number + 1) * blocks, err);
}

kedge_status fit_polish(fit *f, const law_input *law, law_output *out,
                        double *likelihood, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t rows = law->rows, k = law->k, passes = f->opts->em_iter;
    em_input in = {.rows = rows, .k = k, .b = out->b,
                       .tokens = f->index.tokens,
                       .min_tokens = f->index.min_tokens, .p = f->p};
    stage progress;
    em *work = NULL;
    uint32_t *rank = NULL; /* by number: place among the rows */
    double *share = NULL;  /* of each topic, the row sum of A */
    docs batch = {0};

    if (passes == 0)
        return KEDGE_OK;
    progress = stage_begin(f->control, "EM",
                           (passes + 1) * f->index.blocks, "blocks");
    TRY_MEM(share = mem_new(k, sizeof *share));
    for (size_t i = 0; i < k * k; i++)
        share[i / k] += out->a[i];
    TRY_MEM(rank = mem_new(filter_words(&f->filter)->count, sizeof *rank));
    for (size_t i = 0; i < rows; i++)
        rank[f->w.order[i]] = (uint32_t)i;
    in.share = share;
    TRY(em_create(&in, &work, err));
    TRY(fit_begin(f, err));
    for (size_t n = 0; n <= passes; n++) {
        TRY(em_pass(f, work, rank, &batch, &progress, n, err));
        likelihood[n] = em_likelihood(work);
        if (n < passes)
            em_learn(work);
    }
    TRY(law_correlate(f->p, law, out, err));
out:
    fit_end(f);
    em_free(work);
    docs_free(&batch);
    mem_free_all(rank, share);
    return st;
}
