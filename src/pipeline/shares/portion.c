/* SPDX-License-Identifier: MIT */
#include "pipeline/shares/portion.h"

#include "base/fail.h"
#include "base/mem.h"
#include "pipeline/batch.h"

void portion_free(portion *p)
{
    docs_free(&p->seen);
    mem_free(p->outside);
    *p = (portion){0};
}

static kedge_status portion_count(portion *p, const sight *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (p->seen.count > p->capacity) {
        mem_free(p->outside);
        p->capacity = 0;
        TRY_MEM(p->outside = mem_new(p->seen.count, sizeof *p->outside));
        p->capacity = p->seen.count;
    }
    for (size_t m = 0; m < p->seen.count; m++)
        p->outside[m] = sight_outside(g, &p->seen, m);
out:
    return st;
}

kedge_status portion_read(portion *p, sight *g, store_txn *txn, uint64_t blocks,
                          uint64_t *next, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    docs_clear(&p->seen);
    while (p->seen.count == 0) {
        TRY(store_next_block(txn, *next, blocks, next, err));
        if (*next == blocks)
            break;
        p->block = (*next)++;
        TRY(sight_read(g, txn, p->block, &p->seen, err));
    }
    p->source = g->filter.source;
    TRY(portion_count(p, g, err));
out:
    return st;
}

kedge_status portion_show(portion *p, sight *g, const docs *batch,
                          uint32_t source, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(sight_show(g, batch, &p->seen, err));
    p->source = source;
    TRY(portion_count(p, g, err));
out:
    return st;
}
