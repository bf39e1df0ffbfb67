/* SPDX-License-Identifier: MIT */
#include "ops/infer/walk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"

/* ---- opening ------------------------------------------------------------- */

/* The phrases of the model's index, if it has any; *gone where the index is not
 * there any more. */
static kedge_status walk_joins(store_txn *txn, const kedge_model *m,
                               store_joins *joins, bool *joined, bool *gone,
                               kedge_error *err)
{
    const uint32_t number = (uint32_t)(m->index_place - 1);
    kedge_status st;
    store_index index;

    *joined = *gone = false;
    if (!m->index.listed)
        return KEDGE_OK;
    *gone = true;
    if (m->index_place == 0)
        return KEDGE_OK;
    st = store_get_index_record(txn, number, &index, err);
    if (st != KEDGE_OK)
        return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
    *gone = strcmp(index.rule, m->index.rule) != 0 || index.words != m->words;
    if (*gone || !index.joined)
        return KEDGE_OK;
    *joined = true;
    return store_get_joins(txn, number, joins, err);
}

/* Rows go in the order of their words' ids, as far as these are known. */
kedge_status walk_open(walk *w, store_txn *txn, const kedge_model *m,
                       const store_totals *totals, uint64_t blocks,
                       const kedge_control *control, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_joins joins = {0};
    uint64_t *pair = NULL;
    uint32_t *ids = NULL;
    size_t known = 0;
    bool joined, gone;

    *w = (walk){.blocks = blocks};
    TRY(walk_joins(txn, m, &joins, &joined, &gone, err));
    if (gone && strstr(m->index.rule, "phrases") != NULL)
        run_log(control, "the index of model %s was dropped, and its phrases "
                         "with it: words are counted one by one", m->name);
    TRY_MEM(pair = mem_new(m->words, sizeof *pair));
    TRY_MEM(w->row = mem_new(m->words, sizeof *w->row));
    TRY_MEM(ids = mem_new(m->words, sizeof *ids));
    for (size_t r = 0; r < m->words; r++) {
        if (m->ids[r] == WALK_UNKNOWN)
            continue;
        if (!(m->ids[r] >= 0 && m->ids[r] < (double)totals->words))
            TRY(model_bad_row(m, r, totals->words, err));
        pair[known++] = (uint64_t)m->ids[r] << 32 | r;
    }
    qsort(pair, known, sizeof *pair, compare_u64);
    for (size_t i = 0; i < known; i++) {
        ids[i] = (uint32_t)(pair[i] >> 32);
        w->row[i] = (uint32_t)pair[i];
    }
    mem_free(pair);
    pair = NULL;
    TRY(filter_open_words(&w->filter, ids, known, totals->words,
                          joined ? &joins : NULL, err));
    TRY(sourcenames_open(&w->names, txn, blocks > 0 ? totals->sources : 0,
                         err));
out:
    store_joins_free(&joins);
    mem_free_all(pair, ids);
    return st;
}

void walk_close(walk *w)
{
    filter_close(&w->filter);
    sourcenames_close(&w->names);
    mem_free(w->row);
}

/* ---- documents ----------------------------------------------------------- */

void walk_part_free(walk_part *p)
{
    docs_free(&p->seen);
    mem_free(p->outside);
    *p = (walk_part){0};
}

/* Numbers of the filter become rows. */
static kedge_status walk_finish(const walk *w, walk_part *p, kedge_error *err)
{
    PASS_MEM(docs_renumber(&p->seen, 0, w->row) &&
                     mem_grow((void **)&p->outside, &p->capacity,
                              p->seen.count, sizeof *p->outside) ? w : NULL);
    for (size_t m = 0; m < p->seen.count; m++)
        p->outside[m] = w->filter.lengths[m] - p->seen.length[m];
    return KEDGE_OK;
}

kedge_status walk_next(walk *w, store_txn *txn, walk_part *out,
                       kedge_error *err)
{
    const size_t sources = w->names.list.count;

    docs_clear(&out->seen);
    while (out->seen.count == 0) {
        PASS(store_next_block(txn, w->next, w->blocks, &w->next, err));
        if (w->next == w->blocks)
            return KEDGE_OK;
        out->block = w->next++;
        PASS(filter_read(&w->filter, txn, out->block, &out->seen, err));
    }
    out->source = w->filter.source;
    if (out->source >= sources)
        PASS(kedge_fail(err, KEDGE_ECORRUPT,
                        "block %" PRIu64 " has source %" PRIu32 " of %zu",
                        out->block, out->source, sources));
    return walk_finish(w, out, err);
}

kedge_status walk_show(walk *w, const docs *batch, uint32_t source,
                       walk_part *out, kedge_error *err)
{
    docs_clear(&out->seen);
    PASS(filter_apply(&w->filter, batch, &out->seen, err));
    out->source = source;
    return walk_finish(w, out, err);
}

kedge_status walk_id(const sourcenames *names, const docs *d, size_t m,
                     uint32_t source, char out[STORE_ID_MAX + 1], size_t *size,
                     kedge_error *err)
{
    const span own = docs_id(d, m);

    if (own.size > 0) {
        *size = own.size < STORE_ID_MAX ? own.size : STORE_ID_MAX;
        memcpy(out, own.bytes, *size);
        out[*size] = '\0';
        return KEDGE_OK;
    }
    if (source >= names->list.count)
        return kedge_fail(err, KEDGE_ECORRUPT, "documents have source "
                                               "%" PRIu32 " of "
                                               "%zu",
                          source, names->list.count);
    *size = sourcenames_id(names, source, d->position[m], out);
    return KEDGE_OK;
}
