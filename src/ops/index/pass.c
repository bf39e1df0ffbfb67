/* SPDX-License-Identifier: MIT */
#include "ops/index/pass.h"

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"

/* So many blocks of this pass are done. */
static kedge_status pass_reach(const pass_input *in, uint64_t blocks,
                               kedge_error *err)
{
    const uint64_t all = in->view->blocks;
    const stage progress = {.control = in->control, .name = in->stage,
                        .unit = "blocks", .total = in->passes * all,
                        .start = in->start};

    return stage_reach(&progress, in->number * all + blocks, err);
}

kedge_status pass_run(const pass_input *in, pass_take *take, void *data,
                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = filter_words(in->filter)->count;
    const uint64_t least = in->view->min_tokens;
    docs batch = {0};
    uint32_t *rank = NULL;
    uint64_t block = 0;
    statistic kind;
    window w = {.statistic = &kind, .degrees = in->degrees,
                .most = STORE_BLOCK_ENTRIES};

    TRY_MEM(rank = mem_new(n, sizeof *rank));
    for (size_t i = 0; i < in->view->words; i++)
        rank[in->order[i]] = (uint32_t)i;
    w.rank = rank;
    statistic_open(&kind, in->view->statistic);
    while (filter_next(in->filter, in->txn, &block, in->view->blocks, &batch,
                       &st, err)) {
        TRY(pass_reach(in, block - 1, err));
        TRY(window_fill(&w, &batch, n, least, err));
        TRY(take(data, &w, err));
        while (w.more) {
            TRY(window_go_on(&w, &batch, n, least, err));
            TRY(take(data, &w, err));
        }
    }
    TRY(st);
    TRY(pass_reach(in, in->view->blocks, err));
out:
    docs_free(&batch);
    window_free(&w);
    mem_free(rank);
    return st;
}

kedge_status pass_finish(const pass_input *in, kedge_error *err)
{
    pass_input all = *in;

    all.passes = in->number;
    return pass_reach(&all, 0, err);
}
