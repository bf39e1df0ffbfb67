/* SPDX-License-Identifier: MIT */
#include "pipeline/shares/sight.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "pipeline/batch.h"

void sight_close(sight *g)
{
    filter_close(&g->filter);
    mem_free(g->row);
}

/* The phrases of the model's view, if it has any; *gone where the view is not
 * there any more. */
static kedge_status sight_joins(store_txn *txn, const kedge_model *m,
                                store_joins *joins, bool *joined, bool *gone,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_view view;

    *joined = *gone = false;
    if (!m->view.listed)
        return KEDGE_OK;
    *gone = true;
    if (m->view_place == 0)
        return KEDGE_OK;
    st = store_get_view_record(txn, (uint32_t)(m->view_place - 1), &view, err);
    if (st == KEDGE_ENOTFOUND)
        return KEDGE_OK;
    TRY(st);
    *gone = strcmp(view.rule, m->view.rule) != 0 || view.words != m->words;
    if (*gone || !view.joined)
        return KEDGE_OK;
    *joined = true;
    TRY(store_get_joins(txn, (uint32_t)(m->view_place - 1), joins, err));
out:
    return st;
}

/* Rows in the order of their words' ids, as far as these are known. */
static kedge_status sight_number(sight *g, const kedge_model *m, size_t all,
                                 uint32_t **ids, size_t *count,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t *pair = NULL;
    size_t known = 0;

    TRY_MEM(pair = mem_new(m->words, sizeof *pair));
    TRY_MEM(g->row = mem_new(m->words, sizeof *g->row));
    TRY_MEM(*ids = mem_new(m->words, sizeof **ids));
    for (size_t r = 0; r < m->words; r++) {
        if (m->ids[r] == SIGHT_UNKNOWN)
            continue;
        if (!(m->ids[r] >= 0 && m->ids[r] < (double)all))
            TRY(model_bad_row(m, r, all, err));
        pair[known++] = (uint64_t)m->ids[r] << 32 | r;
    }
    qsort(pair, known, sizeof *pair, compare_u64);
    for (size_t i = 0; i < known; i++) {
        (*ids)[i] = (uint32_t)(pair[i] >> 32);
        g->row[i] = (uint32_t)pair[i];
    }
    *count = known;
out:
    mem_free(pair);
    return st;
}

kedge_status sight_open(sight *g, store_txn *txn, const kedge_model *m,
                        size_t all, const kedge_control *control,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_joins joins = {0};
    uint32_t *ids = NULL;
    size_t known = 0;
    bool joined, gone;

    *g = (sight){0};
    TRY(sight_joins(txn, m, &joins, &joined, &gone, err));
    if (gone && strstr(m->view.rule, "phrases") != NULL)
        run_log(control, "the view that model %s was fitted of is gone, and "
                "its phrases with it: words are seen one by one", m->name);
    TRY(sight_number(g, m, all, &ids, &known, err));
    TRY(filter_open_words(&g->filter, ids, known, all, joined ? &joins : NULL,
                        err));
out:
    store_joins_free(&joins);
    mem_free(ids);
    return st;
}

kedge_status sight_read(sight *g, store_txn *txn, uint64_t block, docs *out,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    docs_clear(out);
    TRY(filter_read(&g->filter, txn, block, out, err));
    if (!docs_renumber(out, 0, g->row))
        TRY_MEM(NULL);
out:
    return st;
}

kedge_status sight_show(sight *g, const docs *batch, docs *out,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    docs_clear(out);
    TRY(filter_apply(&g->filter, batch, out, err));
    if (!docs_renumber(out, 0, g->row))
        TRY_MEM(NULL);
out:
    return st;
}
