/* SPDX-License-Identifier: MIT */
/*
 * Each model is measured as soon as it is fitted, in a pass of its own over the
 * held-out documents, so that one model is in memory at a time.
 */
#include "ops/eval/eval.h"

#include <inttypes.h>
#include <math.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"
#include "ops/fit/fit.h"

#define SALT UINT64_C(0x5e1fd68a07b3c924)

kedge_status heldout_able(store *s, const kedge_control *control, bool *able,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_totals totals;

    TRY(store_begin_read(s, &txn, err));
    TRY(store_get_totals(txn, &totals, err));
    *able = totals.parts == 0 &&
            totals.documents >= KEDGE_SWEEP_HELD_OUT_LEAST;
    if (totals.parts > 0)
        run_log(control, "no documents are held out: those of %" PRIu64
                " part%s are elsewhere", totals.parts,
                totals.parts == 1 ? "" : "s");
    else if (!*able)
        run_log(control, "no documents are held out: the store has %" PRIu64
                ", at least %d are needed", totals.documents,
                KEDGE_SWEEP_HELD_OUT_LEAST);
out:
    store_abort(&txn);
    return st;
}

typedef struct heldout {
    const heldout_wish *wish;
    kedge_sweep_result *out;
    size_t step;
    uint64_t drawn; /* documents, the last time */
    predictor predictor;
    docs batch;
    halves halves;
    uint32_t *row; /* by number of the index's words */
} heldout;

/* The halves of a document follow from its rows, which replace its position:
 * the figure does not depend on the order of the documents. */
static void heldout_draw(docs *d)
{
    for (size_t m = 0; m < d->count; m++) {
        uint64_t sum = d->length[m];
        for (size_t e = d->start[m]; e < d->start[m + 1]; e++)
            sum += hash_mix(hash_mix(d->word[e] + HASH_GOLDEN) +
                            d->tally[e]);
        d->position[m] = hash_mix(sum);
    }
}

static kedge_status heldout_pass(heldout *h, fit *f, const kedge_model *m,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint64_t blocks = f->index.blocks;
    const uint64_t key = hash_mix(h->wish->seed ^ SALT);
    stage progress = stage_begin(f->control, "held-out documents", blocks,
                                 "blocks");
    uint64_t next = 0;

    TRY(predictor_open(&h->predictor, m, f->p, err));
    TRY(fit_begin(f, err));
    f->filter.held = true;
    while (filter_next(&f->filter, f->z.txn, &next, blocks, &h->batch, &st,
                       err)) {
        TRY_MEM(docs_renumber(&h->batch, 0, h->row));
        heldout_draw(&h->batch);
        TRY(halves_split(&h->halves, &h->batch, key, 1, err));
        TRY(predictor_add(&h->predictor, &h->halves, err));
        progress.documents += h->batch.count;
        h->drawn = progress.documents;
        TRY(stage_reach(&progress, next, err));
    }
out:
    f->filter.held = false;
    fit_end(f);
    return st;
}

static kedge_status heldout_take(void *data, fit *f, const kedge_model *m,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    heldout *const h = data;
    kedge_sweep_step *const step = &h->out->steps[h->step++];
    const completion *c;

    mem_free(h->row);
    TRY_MEM(h->row = mem_new(filter_words(&f->filter)->count, sizeof *h->row));
    for (size_t i = 0; i < m->words; i++)
        h->row[f->w.order[i]] = (uint32_t)i;
    TRY(heldout_pass(h, f, m, err));
    c = h->predictor.completion;
    step->held_out_log_likelihood = completion_likelihood(c);
    step->held_out_perplexity = exp(-step->held_out_log_likelihood);
    h->out->held_out_documents = c->documents;
    h->out->held_out_tokens = c->tokens;
out:
    predictor_close(&h->predictor);
    return st;
}

kedge_status heldout_measure(store *s, const heldout_wish *wish,
                             const kedge_control *control,
                             kedge_sweep_result *out, kedge_error *err)
{
    kedge_fit_opts opts = *wish->opts;
    heldout h = {.wish = wish, .out = out};
    const fit_wish again = {.topics = wish->topics, .count = wish->count,
                            .opts = &opts, .held_out = wish->share,
                            .seed = wish->seed, .take = heldout_take,
                            .data = &h};
    kedge_status st;

    opts.eigenvalues = NULL;
    opts.save_spectrum = false;
    run_log(control, "fitting again without %g %% of the documents, to measure "
                     "the models on them", 100 * wish->share);
    st = fit_held_out(s, &again, wish->number, control, err);
    if (st == KEDGE_OK && h.drawn == 0)
        run_log(control, "no document was drawn: --held-out %g is too small a "
                "share of the store's documents", wish->share);
    else if (st == KEDGE_OK && out->held_out_documents == 0)
        run_log(control, "none of the held-out documents has two words of the "
                         "model: give a larger share (--held-out)");
    docs_free(&h.batch);
    halves_free(&h.halves);
    mem_free(h.row);
    return st;
}
