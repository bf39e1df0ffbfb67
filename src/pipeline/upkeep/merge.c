/* SPDX-License-Identifier: MIT */
/*
 * Merging is ingestion from other stores: sources are told apart as they were
 * when they were read, words get ids of this store, and the sketches follow.
 * Stores whose documents are elsewhere come after those that have theirs, and
 * are added up (partsum.h).
 */
#include <kedge/life.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/run.h"
#include "pipeline/index/index.h"
#include "pipeline/ingest/ingest.h"
#include "pipeline/parts/partsum.h"
#include "pipeline/plan.h"
#include "pipeline/upkeep/stored.h"
#include "sketch/statistic.h"

typedef struct merging {
    kedge_store *into;
    stored *from;
    const kedge_control *control;
    store_view view; /* of all words, which the stores share */
    bool has_view;
    text_settings texts;
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
    store_txn *txn = NULL;

    TRY(store_begin_read(m->into, &txn, err));
    TRY(text_settings_load(&m->texts, txn, err));
    TRY(stored_join_cutting(m->from, store_path(m->into), &m->texts, err));
out:
    store_abort(&txn);
    return st;
}

/* The view of all words is written down, so that it is followed. */
static kedge_status merging_declare(merging *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_view view = m->view;

    if (!m->has_view || m->texts.settings.no_first_view)
        return KEDGE_OK;
    view.blocks = view.documents = view.skipped = view.tokens = 0;
    view.words = view.removals = 0;
    view.rows = 0;
    view.total = 0;
    TRY(store_begin_write(m->into, &txn, err));
    st = store_get_view_record(txn, INDEX_ALL_WORDS, &m->view, err);
    if (st == KEDGE_ENOTFOUND) {
        TRY(store_put_view(txn, INDEX_ALL_WORDS, &view, err));
        TRY(store_commit(&txn, err));
    }
out:
    store_abort(&txn);
    return st;
}

/* And those by other statistics, where all of the stores have them. */
static kedge_status merging_declare_beside(merging *m, kedge_error *err)
{
    const uint32_t kinds = m->has_view ? stored_beside(m->from) : 0;
    kedge_status st = KEDGE_OK;

    for (uint32_t kind = 0; kind < STATISTICS; kind++)
        if ((kinds >> kind & 1) != 0)
            TRY(index_add_weightings(m->into, statistic_name(kind), err));
out:
    return st;
}

static kedge_status merging_follow(merging *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_totals totals;
    words all = {0};
    pool *p = NULL;

    TRY(plan_load_words(m->into, m->control, &totals, &all, err));
    TRY(pool_open(m->control, &p, err));
    TRY(index_sync_all(m->into, &all, INDEX_NONE, m->control, p, err));
out:
    pool_free(p);
    words_free(&all);
    return st;
}

/* Stores that have their documents. */
static kedge_status merging_documents(merging *m, const char *const *stores,
                                      size_t count,
                                      kedge_on_duplicate on_duplicate,
                                      kedge_ingest_result *read,
                                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_control *const whole = m->control;
    kedge_control left = *whole; /* beside the words of these stores */
    kedge_ingest_opts opts;
    char taken[16];
    feed from;

    m->control = &left;
    kedge_ingest_opts_init(&opts);
    opts.on_duplicate = on_duplicate;
    opts.no_sketch = true;
    TRY(stored_open(stores, count, &left, &m->from, err));
    TRY(merging_join(m, err));
    m->has_view = stored_has_view(m->from, &m->view);
    from = stored_feed(m->from);
    TRY(ingest_sources(m->into,
                       &(ingest_input){.count = stored_sources(m->from),
                                       .from = &from,
                                       .prepare = merging_words,
                                       .data = m,
                                       .texts = m->texts.settings.texts
                                                    ? &m->texts : NULL},
                       &opts, m->control, read, err));
    TRY(merging_declare(m, err));
    TRY(merging_declare_beside(m, err));
    TRY(merging_follow(m, err));
out:
    if (st == KEDGE_EBUDGET && left.memory < whole->memory)
        kedge_fail_context(err, "beside %s for the words of the stores",
                           plan_size(whole->memory - left.memory, taken));
    m->control = whole;
    stored_close(m->from);
    text_settings_free(&m->texts);
    return st;
}

/* And those that have them elsewhere. */
static kedge_status merging_sums(const merging *m, const char *const *stores,
                                 size_t count, kedge_merge_result *out,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_sketch_import_result r;

    for (size_t i = 0; i < count; i++) {
        TRY(partsum_add(m->into, stores[i], m->control, &r, err));
        out->elsewhere += r.documents;
        out->words = r.words;
    }
out:
    return st;
}

/* Into `sorted`, those with documents before the `sums`. */
static kedge_status merging_sort(const char *const *stores, size_t count,
                                 const char **sorted, size_t *sums,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t first = 0;
    bool is;

    *sums = 0;
    for (size_t i = 0; i < count; i++) {
        TRY(partsum_is(stores[i], &is, err));
        *sums += is;
        sorted[is ? count - *sums : first++] = stores[i];
    }
out:
    return st;
}

kedge_status kedge_merge(kedge_store *into, const char *const *stores,
                         size_t count, kedge_on_duplicate on_duplicate,
                         const kedge_control *control,
                         kedge_merge_result *out, kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_merge_result){0};
    API_ENTER(err, {"into", into}, {"out", out});
    API_TEXTS(err, "stores", stores, count);
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    const double start = clock_seconds();
    merging m = {.into = into, .control = control};
    kedge_ingest_result read = {0};
    const char **sorted = NULL;
    size_t sums;

    *out = (kedge_merge_result){.stores = count};
    if (count == 0)
        return kedge_fail(err, KEDGE_EINVAL, "no store to merge");
    TRY_MEM(sorted = mem_new(count, sizeof *sorted));
    TRY(merging_sort(stores, count, sorted, &sums, err));
    if (sums < count)
        TRY(merging_documents(&m, sorted, count - sums, on_duplicate, &read,
                              err));
    out->words = read.words;
    TRY(merging_sums(&m, sorted + count - sums, sums, out, err));
out:
    out->documents = read.documents;
    out->known = read.resumed;
    out->duplicates = read.duplicates;
    out->replaced = read.replaced;
    out->seconds = clock_seconds() - start;
    mem_free(sorted);
    return api_leave(st, err);
}
