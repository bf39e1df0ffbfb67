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

kedge_status kedge_store_get_info(kedge_store *s, kedge_store_info *out,
                                  kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_store_info){0};
    API_ENTER(err, {"store", s}, {"out", out});

    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_totals t;
    store_settings cut;
    store_part parts;
    store_index v;
    char name[64];

    TRY(store_begin_read(s, &txn, err));
    TRY(store_get_totals(txn, &t, err));
    TRY(store_sum_parts(txn, &t, &parts, err));
    *out = (kedge_store_info){
        .format = STORE_FORMAT, .documents = t.documents, .tokens = t.tokens,
        .nonzeros = t.nonzeros, .words = t.words, .blocks = t.blocks,
        .sources = t.sources, .removed = t.removed, .parts = t.parts,
        .elsewhere = parts.documents, .bytes = store_disk_bytes(s)};
    memcpy(out->digest, t.digest, sizeof out->digest);
    while ((st = store_get_model_name(txn, out->models, name, err)) ==
           KEDGE_OK)
        out->models++;
    if (st != KEDGE_ENOTFOUND)
        TRY(st);
    for (uint32_t i = 0;
         (st = store_next_index(txn, i, &i, &v, err)) == KEDGE_OK; i++)
        out->indexes++;
    if (st != KEDGE_ENOTFOUND)
        TRY(st);
    TRY(store_get_settings(txn, &cut, NULL, err));
    if (!cut.texts)
        goto out;
    out->tokenizer = (kedge_tokenizer_info){.texts = true, .digits = cut.digits,
                                            .min_chars = cut.shortest,
                                            .max_chars = cut.longest,
                                            .stop_count = cut.stop_count};
    memcpy(out->tokenizer.stemmer, cut.stemmer, sizeof cut.stemmer);
    memcpy(out->tokenizer.stopwords, cut.stopwords, sizeof cut.stopwords);
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
    *out = (kedge_source_info){
        .documents = r.documents - r.removed_documents,
        .tokens = r.tokens - r.removed_tokens,
        .nonzeros = r.nonzeros - r.removed_nonzeros, .bad = r.bad,
        .empty = r.empty, .digest = r.digest, .complete = r.complete,
        .when = r.when, .head = r.head, .removed = r.removed,
        .removed_documents = r.removed_documents};
    memcpy(out->name, r.name, sizeof out->name);
    memcpy(out->batch, r.batch, sizeof out->batch);
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

kedge_status kedge_store_get_index(kedge_store *s, uint64_t i,
                                   kedge_index_info *out, kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_index_info){0};
    API_ENTER(err, {"store", s}, {"out", out});

    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    uint32_t number = 0;
    store_index v;
    store_totals t;

    TRY(store_begin_read(s, &txn, err));
    for (uint32_t from = 0;; from = number + 1) {
        st = store_next_index(txn, from, &number, &v, err);
        if (st == KEDGE_ENOTFOUND)
            kedge_fail(err, st, "the store does not have so many indexes");
        TRY(st);
        if (i-- == 0)
            break;
    }
    TRY(store_get_totals(txn, &t, err));
    *out = (kedge_index_info){
        .number = number, .words = v.words, .sketch_size = v.width,
        .seed = v.seed, .documents = v.documents, .skipped = v.skipped,
        .tokens = v.tokens, .min_tokens = v.min_tokens, .listed = v.listed,
        .frozen = v.frozen, .current = store_index_is_current(&v, &t)};
    snprintf(out->tf, sizeof out->tf, "%s", statistic_name(v.statistic));
    memcpy(out->rule, v.rule, sizeof out->rule);
    TRY(store_count_spectra(txn, number, &out->spectra, &out->spectra_bytes,
                            err));
out:
    store_abort(&txn);
    return api_leave(st, err);
}

/* Numbers of indexes that were dropped are given again: it is the same one
 * when its words were chosen in the same way and its sketch was made so. */
static kedge_status info_model_index(store_txn *txn, const kedge_model *m,
                                     kedge_model_info *out, kedge_error *err)
{
    const store_index *const was = &m->index;
    kedge_status st;
    store_index v;

    out->index = KEDGE_NO_INDEX;
    if (m->index_place == 0)
        return KEDGE_OK;
    out->index = m->index_place - 1;
    out->listed = was->listed;
    memcpy(out->rule, was->rule, sizeof out->rule);
    st = store_get_index_record(txn, (uint32_t)out->index, &v, err);
    out->index_stays = st == KEDGE_OK && v.listed == was->listed &&
                      v.width == was->width && v.seed == was->seed &&
                      v.min_tokens == was->min_tokens &&
                      (!v.listed || v.words == m->words) &&
                      strcmp(v.rule, was->rule) == 0;
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
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
    *out = (kedge_model_info){
        .topics = m.topics, .words = m.words, .documents = m.index.documents,
        .seed = m.index.seed, .ncut = m.figures.ncut,
        .sketch_error = m.figures.sketch_error,
        .topic_cooccurrence_sum = m.figures.topic_cooccurrence_sum,
        .current = memcmp(m.digest, t.digest, sizeof t.digest) == 0};
    memcpy(out->name, name, sizeof out->name);
    methods_describe(&m, out->ways);
    TRY(info_model_index(txn, &m, out, err));
out:
    store_abort(&txn);
    return api_leave(st, err);
}
