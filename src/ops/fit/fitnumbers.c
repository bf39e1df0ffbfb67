/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "ops/fit/fit.h"

static bool unreadable(kedge_status st)
{
    return st == KEDGE_ECORRUPT || st == KEDGE_EVERSION;
}

kedge_status fit_like(fit *f, uint64_t k, size_t count, kedge_model *like,
                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const char *const asked = f->opts->align;
    char own[64];

    *like = (kedge_model){0};
    if (f->opts->fresh || f->s == NULL)
        return KEDGE_OK;
    fit_name(f, k, count, own);
    TRY(store_begin_read(f->s, &txn, err));
    st = model_get_header(txn, asked != NULL ? asked : own, like, err);
    if (st == KEDGE_ENOTFOUND && asked != NULL)
        st = model_missing(txn, asked, err);
    if ((st == KEDGE_ENOTFOUND || unreadable(st)) && asked == NULL) {
        *like = (kedge_model){0};
        st = KEDGE_OK;
    }
out:
    store_abort(&txn);
    return st;
}

kedge_status fit_open_like(fit *f, const char *like, kedge_model **old,
                           uint32_t **order, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_read(f->s, &txn, err));
    TRY(model_open(txn, like, MODEL_TOPICS, old, err));
    TRY(model_order(*old, f->all.count, order, err));
out:
    store_abort(&txn);
    return st;
}

kedge_status fit_number(fit *f, size_t count, kedge_fit_result *r,
                        kedge_model *m, law_output *t, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = r->topics;
    modelmatch_side before, after = {&f->all, f->w.ids, r->words, k, t->b,
                                     t->anchor};
    uint32_t *old_order = NULL;
    kedge_model like, *old = NULL;
    size_t *order = NULL;
    modelmatch found = {0};

    TRY(fit_like(f, k, count, &like, err));
    if (like.topics == 0)
        return KEDGE_OK;
    st = fit_open_like(f, like.name, &old, &old_order, err);
    if (unreadable(st) && f->opts->align == NULL) {
        run_log(f->control,
                "model %s is damaged and replaced; the numbers and labels of "
                "its topics are lost", like.name);
        st = KEDGE_OK;
        goto out;
    }
    TRY(st);
    before = (modelmatch_side){&f->all, old_order, old->words, old->topics,
                               old->probabilities, old->anchors};
    TRY(modelmatch_find(f->p, &before, &after, &found, err));
    TRY_MEM(order = mem_new(k, sizeof *order));
    TRY(match_order(found.partner, old->topics, k, order, err));
    if (old->names != NULL) {
        TRY_MEM(m->names = mem_new(k, sizeof *m->names));
        for (size_t i = 0; i < old->topics; i++)
            for (size_t n = 0; n < k; n++)
                if (found.partner[i] == order[n])
                    m->names[n] = old->names[i];
    }
    TRY(law_permute(r->words, k, order, t, err));
    memcpy(r->aligned_to, old->name, sizeof r->aligned_to);
    r->matched = found.matched;
    for (size_t n = 0; n < k; n++) {
        bool old_one = false;
        for (size_t i = 0; i < old->topics; i++) {
            old_one |= found.partner[i] == order[n];
            r->renumbered += found.partner[i] == order[n] && i != n;
        }
        if (!old_one)
            r->new_topic[r->new_topics++] = (uint16_t)n;
    }
    r->lost_topics = old->topics - found.matched;
    r->mean_distance = found.mean;
out:
    mem_free_all(order, old_order);
    kedge_model_free(old);
    modelmatch_free(&found);
    return st;
}

static bool has_label(const kedge_model *m, const char *label)
{
    for (size_t t = 0; m->names != NULL && t < m->topics; t++)
        if (strcmp(m->names[t].text, label) == 0)
            return true;
    return false;
}

kedge_status fit_lost_labels(fit *f, const kedge_model *m, kedge_fit_result *r,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    kedge_model *old = NULL;

    TRY(store_begin_read(f->s, &txn, err));
    st = model_open(txn, m->name, MODEL_HEADER, &old, err);
    if (st == KEDGE_ENOTFOUND || unreadable(st)) {
        st = KEDGE_OK;
        goto out;
    }
    TRY(st);
    for (size_t t = 0; old->names != NULL && t < old->topics; t++) {
        const char *const label = old->names[t].text;
        if (label[0] == '\0' || has_label(m, label))
            continue;
        if (r->lost_labels < KEDGE_LOST_LABELS_MOST) {
            kedge_lost_label *const lost = &r->lost_label[r->lost_labels];
            lost->topic = (uint16_t)t;
            memcpy(lost->label, label, sizeof lost->label);
        }
        r->lost_labels++;
    }
out:
    store_abort(&txn);
    kedge_model_free(old);
    return st;
}
