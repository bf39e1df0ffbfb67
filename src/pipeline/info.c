/* SPDX-License-Identifier: MIT */
/* What is in a store, for kedge/store.h. */
#include <kedge/store.h>

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "pipeline/follow.h"
#include "pipeline/model.h"
#include "store/store.h"

static kedge_status info_models(store *s, uint64_t *count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    char name[64];

    *count = 0;
    while ((st = store_get_model_name(s, *count, name, err)) == KEDGE_OK)
        ++*count;
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
}

kedge_status kedge_store_get_info(kedge_store *s, kedge_store_info *out,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_totals t;
    store_view v;

    *out = (kedge_store_info){0};
    TRY(store_begin_read(s, err));
    TRY(store_get_totals(s, &t, err));
    TRY(info_models(s, &out->models, err));
    st = store_get_view_record(s, FOLLOW_VIEW, &v, err);
    out->views = st == KEDGE_OK;
    if (st != KEDGE_ENOTFOUND)
        TRY(st);
    st = KEDGE_OK;
    out->format = STORE_FORMAT;
    out->documents = t.documents;
    out->tokens = t.tokens;
    out->nonzeros = t.nonzeros;
    out->words = t.words;
    out->blocks = t.blocks;
    out->sources = t.sources;
    out->bytes = store_disk_bytes(s);
    memcpy(out->digest, t.digest, sizeof out->digest);
out:
    store_abort(s);
    return st;
}

kedge_status kedge_store_get_source(kedge_store *s, uint64_t i,
                                    kedge_source_info *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_source r;

    *out = (kedge_source_info){0};
    TRY(store_begin_read(s, err));
    TRY(store_get_source_record(s, i, &r, err));
    memcpy(out->name, r.name, sizeof out->name);
    out->documents = r.documents;
    out->tokens = r.tokens;
    out->nonzeros = r.nonzeros;
    out->bad = r.bad;
    out->empty = r.empty;
    out->digest = r.digest;
    out->complete = r.complete;
out:
    store_abort(s);
    return st;
}

kedge_status kedge_store_get_view(kedge_store *s, uint64_t i,
                                  kedge_view_info *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_view v;
    store_totals t;

    *out = (kedge_view_info){0};
    if (i > 0)
        return kedge_fail(err, KEDGE_ENOTFOUND, "there is one view");
    TRY(store_begin_read(s, err));
    TRY(store_get_view_record(s, FOLLOW_VIEW, &v, err));
    TRY(store_get_totals(s, &t, err));
    snprintf(out->statistic, sizeof out->statistic, "joint");
    out->words = v.words;
    out->width = v.width;
    out->seed = v.seed;
    out->documents = v.documents;
    out->skipped = v.skipped;
    out->tokens = v.tokens;
    out->min_tokens = v.min_tokens;
    out->current = v.blocks == t.blocks;
out:
    store_abort(s);
    return st;
}

kedge_status kedge_store_get_model(kedge_store *s, uint64_t i,
                                   kedge_model_info *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_model m;
    store_totals t;
    char name[64];

    *out = (kedge_model_info){0};
    TRY(store_begin_read(s, err));
    TRY(store_get_model_name(s, i, name, err));
    TRY(model_get_header(s, name, &m, err));
    TRY(store_get_totals(s, &t, err));
    memcpy(out->name, name, sizeof out->name);
    out->topics = m.topics;
    out->words = m.words;
    out->documents = m.view.documents;
    out->seed = m.view.seed;
    out->eigenspace_error = m.figures.eigenspace_error;
    out->sum_correlations = m.figures.sum_correlations;
    out->current = m.blocks == t.blocks;
out:
    store_abort(s);
    return st;
}
