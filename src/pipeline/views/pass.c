/* SPDX-License-Identifier: MIT */
#include "pipeline/views/pass.h"

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"

typedef struct walker {
    const pass_input *in;
    pass_take *take;
    void *data;
    docs batch;
    window w;
} walker;

static kedge_status walker_block(walker *p, uint64_t block, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const pass_input *const in = p->in;

    docs_clear(&p->batch);
    TRY(lens_read(in->lens, in->txn, block, &p->batch, err));
    TRY(window_fill(&p->w, &p->batch, lens_words(in->lens)->count,
                    in->view->min_tokens, err));
    TRY(p->take(p->data, &p->w, err));
    while (p->w.more) {
        TRY(window_go_on(&p->w, &p->batch, lens_words(in->lens)->count,
                         in->view->min_tokens, err));
        TRY(p->take(p->data, &p->w, err));
    }
out:
    return st;
}

/* So many blocks of this pass are done. */
static kedge_status pass_tell(const pass_input *in, uint64_t blocks,
                              kedge_error *err)
{
    const uint64_t all = in->view->blocks;
    const stage told = {.control = in->control, .name = in->stage,
                        .unit = "blocks", .total = in->passes * all,
                        .start = in->start};

    return stage_reach(&told, in->number * all + blocks, err);
}

kedge_status pass_run(const pass_input *in, pass_take *take, void *data,
                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = lens_words(in->lens)->count;
    walker p = {.in = in, .take = take, .data = data};
    uint32_t *rank = NULL;
    statistic kind;

    TRY_MEM(rank = mem_new(n, sizeof *rank));
    for (size_t i = 0; i < in->view->words; i++)
        rank[in->order[i]] = (uint32_t)i;
    statistic_open(&kind, in->view->statistic);
    p.w.rank = rank;
    p.w.statistic = &kind;
    p.w.degrees = in->degrees;
    p.w.most = STORE_BLOCK_ENTRIES;
    for (uint64_t b = 0;; b++) {
        TRY(store_next_block(in->txn, b, in->view->blocks, &b, err));
        if (b == in->view->blocks)
            break;
        TRY(pass_tell(in, b, err));
        TRY(walker_block(&p, b, err));
    }
    TRY(pass_tell(in, in->view->blocks, err));
out:
    docs_free(&p.batch);
    window_free(&p.w);
    mem_free(rank);
    return st;
}

kedge_status pass_finish(const pass_input *in, kedge_error *err)
{
    pass_input all = *in;

    all.passes = in->number;
    return pass_tell(&all, 0, err);
}
