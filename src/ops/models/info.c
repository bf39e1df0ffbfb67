/* SPDX-License-Identifier: MIT */
/* What is in a store, for kedge/store.h. */
#include <kedge/parts.h>
#include <kedge/store.h>

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "ops/models/model.h"
#include "cooccur/statistic.h"
#include "store/store.h"

static kedge_status info_count(store_txn *txn, kedge_store_info *out,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    char name[64];
    store_view v;
    uint32_t view = 0;

    while ((st = store_get_model_name(txn, out->models, name, err)) ==
           KEDGE_OK)
        out->models++;
    if (st != KEDGE_ENOTFOUND)
        return st;
    for (; (st = store_next_view(txn, view, &view, &v, err)) == KEDGE_OK;
         view++)
        out->views++;
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
}

static kedge_status info_cut(store_txn *txn, kedge_cut_info *out,
                             kedge_error *err)
{
    store_settings t;

    PASS(store_get_settings(txn, &t, NULL, err));
    if (!t.texts)
        return KEDGE_OK;
    *out = (kedge_cut_info){.texts = true, .digits = t.digits,
                            .shortest = t.shortest, .longest = t.longest,
                            .stop_count = t.stop_count};
    memcpy(out->stemmer, t.stemmer, sizeof out->stemmer);
    memcpy(out->stopwords, t.stopwords, sizeof out->stopwords);
    return KEDGE_OK;
}

kedge_status kedge_store_get_info(kedge_store *s, kedge_store_info *out,
                                  kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_store_info){0};
    API_ENTER(err, {"store", s}, {"out", out});

    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_totals t;
    store_part parts;

    TRY(store_begin_read(s, &txn, err));
    TRY(store_get_totals(txn, &t, err));
    TRY(info_count(txn, out, err));
    TRY(info_cut(txn, &out->cut, err));
    TRY(store_sum_parts(txn, &t, &parts, err));
    out->format = STORE_FORMAT;
    out->documents = t.documents;
    out->tokens = t.tokens;
    out->nonzeros = t.nonzeros;
    out->words = t.words;
    out->blocks = t.blocks;
    out->sources = t.sources;
    out->removed = t.removed;
    out->parts = t.parts;
    out->elsewhere = parts.documents;
    out->bytes = store_disk_bytes(s);
    memcpy(out->digest, t.digest, sizeof out->digest);
out:
    store_abort(&txn);
    return api_leave(st, err);
}

kedge_status kedge_store_get_source(kedge_store *s, uint64_t i,
                                    kedge_source_info *out, kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_source_info){0};
    API_ENTER(err, {"store", s}, {"out", out});

    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_source r;

    TRY(store_begin_read(s, &txn, err));
    TRY(store_get_source_record(txn, i, &r, err));
    memcpy(out->name, r.name, sizeof out->name);
    out->documents = r.documents - r.removed_documents;
    out->tokens = r.tokens - r.removed_tokens;
    out->nonzeros = r.nonzeros - r.removed_nonzeros;
    out->bad = r.bad;
    out->empty = r.empty;
    out->digest = r.digest;
    out->complete = r.complete;
    memcpy(out->batch, r.batch, sizeof out->batch);
    out->when = r.when;
    out->head = r.head;
    out->removed = r.removed;
    out->removed_documents = r.removed_documents;
out:
    store_abort(&txn);
    return api_leave(st, err);
}

kedge_status kedge_store_get_part(kedge_store *s, uint64_t i,
                                  kedge_part_info *out, kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_part_info){0};
    API_ENTER(err, {"store", s}, {"out", out});

    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_part p;

    TRY(store_begin_read(s, &txn, err));
    TRY(store_get_part(txn, i, &p, err));
    *out = (kedge_part_info){.documents = p.documents, .tokens = p.tokens,
                             .nonzeros = p.nonzeros, .when = p.when};
    memcpy(out->name, p.name, sizeof out->name);
    memcpy(out->digest, p.digest, sizeof out->digest);
out:
    store_abort(&txn);
    return api_leave(st, err);
}

kedge_status kedge_store_get_view(kedge_store *s, uint64_t i,
                                  kedge_view_info *out, kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_view_info){0};
    API_ENTER(err, {"store", s}, {"out", out});

    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    uint32_t number = 0;
    store_view v;
    store_totals t;

    TRY(store_begin_read(s, &txn, err));
    for (uint32_t from = 0;; from = number + 1) {
        st = store_next_view(txn, from, &number, &v, err);
        if (st == KEDGE_ENOTFOUND)
            kedge_fail(err, st, "the store has not that many views");
        TRY(st);
        if (i-- == 0)
            break;
    }
    TRY(store_get_totals(txn, &t, err));
    TRY(store_count_spectra(txn, number, &out->spectra, &out->spectra_bytes,
                            err));
    snprintf(out->statistic, sizeof out->statistic, "%s",
             statistic_name(v.statistic));
    out->words = v.words;
    out->width = v.width;
    out->seed = v.seed;
    out->documents = v.documents;
    out->skipped = v.skipped;
    out->tokens = v.tokens;
    out->min_tokens = v.min_tokens;
    out->listed = v.listed;
    out->frozen = v.frozen;
    memcpy(out->rule, v.rule, sizeof out->rule);
    out->number = number;
    out->current = store_view_is_current(&v, &t);
out:
    store_abort(&txn);
    return api_leave(st, err);
}

/* Numbers of views that were forgotten are given again: it is the same one when
 * its words were chosen in the same way and its sketch was made so. */
static kedge_status info_model_view(store_txn *txn, const kedge_model *m,
                                    kedge_model_info *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_view *const was = &m->view;
    store_view v;

    out->view = KEDGE_NO_VIEW;
    if (m->view_place == 0)
        return KEDGE_OK;
    out->view = m->view_place - 1;
    out->listed = was->listed;
    memcpy(out->rule, was->rule, sizeof out->rule);
    st = store_get_view_record(txn, (uint32_t)out->view, &v, err);
    if (st == KEDGE_ENOTFOUND)
        return KEDGE_OK;
    TRY(st);
    out->view_stays = v.listed == was->listed && v.width == was->width &&
                      v.seed == was->seed && v.min_tokens == was->min_tokens &&
                      (!v.listed || v.words == m->words) &&
                      strcmp(v.rule, was->rule) == 0;
out:
    return st;
}

kedge_status kedge_store_get_model(kedge_store *s, uint64_t i,
                                   kedge_model_info *out, kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_model_info){0};
    API_ENTER(err, {"store", s}, {"out", out});

    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    kedge_model m;
    store_totals t;
    char name[64];

    TRY(store_begin_read(s, &txn, err));
    TRY(store_get_model_name(txn, i, name, err));
    TRY(model_get_header(txn, name, &m, err));
    TRY(store_get_totals(txn, &t, err));
    memcpy(out->name, name, sizeof out->name);
    out->topics = m.topics;
    out->words = m.words;
    out->documents = m.view.documents;
    out->seed = m.view.seed;
    out->eigenspace_error = m.figures.eigenspace_error;
    out->sum_correlations = m.figures.sum_correlations;
    out->ncut = m.figures.ncut;
    methods_describe(&m, out->ways);
    out->current = memcmp(m.digest, t.digest, sizeof t.digest) == 0;
    TRY(info_model_view(txn, &m, out, err));
out:
    store_abort(&txn);
    return api_leave(st, err);
}
