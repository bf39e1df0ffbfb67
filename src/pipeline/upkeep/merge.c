/* SPDX-License-Identifier: MIT */
/*
 * Merging is ingestion from other stores: sources are told apart as they were
 * when they were read, words get ids of this store, and the sketches follow.
 */
#include <kedge/life.h>

#include "base/fail.h"
#include "base/pool.h"
#include "base/run.h"
#include "pipeline/intake/beside.h"
#include "pipeline/intake/ingest.h"
#include "pipeline/upkeep/stored.h"
#include "pipeline/views/follow.h"
#include "pipeline/views/views.h"
#include "sketch/statistic.h"

typedef struct merging {
    kedge_store *into;
    stored *from;
    const kedge_control *control;
    store_view view; /* of all words, which the stores share */
    bool has_view;
    cutting texts;
} merging;

/* Where the stores were read with vocabularies, their words are known whether
 * they occur or not. */
static kedge_status merging_words(void *data, wordmap *lexicon,
                                  kedge_error *err)
{
    merging *m = data;

    return m->has_view ? stored_add_words(m->from, lexicon, err) : KEDGE_OK;
}

/* Texts of all stores must have been cut alike. */
static kedge_status merging_join(merging *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(store_begin_read(m->into, err));
    TRY(cutting_load(&m->texts, m->into, err));
    TRY(stored_join_cutting(m->from, store_path(m->into), &m->texts, err));
out:
    store_abort(m->into);
    return st;
}

/* The view of all words is written down, so that it is followed. */
static kedge_status merging_declare(merging *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_view view = m->view;

    if (!m->has_view || m->texts.settings.no_first_view)
        return KEDGE_OK;
    view.blocks = view.documents = view.skipped = view.tokens = 0;
    view.words = view.removals = 0;
    view.rows = 0;
    view.total = 0;
    TRY(store_begin_write(m->into, UINT64_C(1) << 20, err));
    st = store_get_view_record(m->into, FOLLOW_VIEW, &m->view, err);
    if (st == KEDGE_ENOTFOUND) {
        TRY(store_put_view(m->into, FOLLOW_VIEW, &view, err));
        TRY(store_commit(m->into, err));
    }
out:
    store_abort(m->into);
    return st;
}

/* And those by other statistics, where all of the stores have them. */
static kedge_status merging_declare_beside(merging *m, kedge_error *err)
{
    const uint32_t kinds = m->has_view ? stored_beside(m->from) : 0;
    kedge_status st = KEDGE_OK;

    for (uint32_t kind = 0; kind < STATISTICS; kind++)
        if ((kinds >> kind & 1) != 0)
            TRY(beside_add(m->into, statistic_name(kind), err));
out:
    return st;
}

static kedge_status merging_follow(merging *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_totals totals;
    words all = {0};
    pool *p = NULL;

    TRY(store_load_words(m->into, &totals, &all, err));
    TRY(pool_create(m->control->threads, &p, err));
    TRY(views_follow(m->into, &all, VIEWS_ALL, m->control, p, err));
out:
    pool_free(p);
    words_free(&all);
    return st;
}

kedge_status kedge_merge(kedge_store *into, const char *const *stores,
                         size_t count, kedge_on_duplicate on_duplicate,
                         const kedge_control *control,
                         kedge_merge_result *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const double start = clock_seconds();
    merging m = {.into = into, .control = control};
    kedge_ingest_result read = {0};
    kedge_ingest_opts opts;
    feed from;

    *out = (kedge_merge_result){.stores = count};
    if (count == 0)
        return kedge_fail(err, KEDGE_EINVAL, "no store to merge");
    kedge_ingest_opts_init(&opts);
    opts.on_duplicate = on_duplicate;
    opts.no_sketch = true;
    TRY(stored_open(stores, count, &m.from, err));
    TRY(merging_join(&m, err));
    m.has_view = stored_has_view(m.from, &m.view);
    from = stored_feed(m.from);
    TRY(ingest_sources(into,
                       &(ingest_input){.count = stored_sources(m.from),
                                       .from = &from,
                                       .prepare = merging_words,
                                       .data = &m,
                                       .texts = m.texts.settings.texts
                                                    ? &m.texts : NULL},
                       &opts, control, &read, err));
    TRY(merging_declare(&m, err));
    TRY(merging_declare_beside(&m, err));
    TRY(merging_follow(&m, err));
out:
    out->documents = read.documents;
    out->known = read.resumed;
    out->duplicates = read.duplicates;
    out->replaced = read.replaced;
    out->words = read.words;
    out->seconds = clock_seconds() - start;
    stored_close(m.from);
    cutting_free(&m.texts);
    return st;
}
