/* SPDX-License-Identifier: MIT */
/*
 * Merging is ingestion from other stores: sources are told apart as they were
 * when they were read, words get ids of this store, and the sketches follow.
 * Stores whose documents are elsewhere have nothing to be read again: they come
 * after the others, and are added up as parts are (ops/parts/parts.h).
 */
#include <kedge/maintain.h>

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/again.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/run.h"
#include "ops/elsewhere.h"
#include "ops/index/index.h"
#include "ops/ingest/ingest.h"
#include "ops/parts/parts.h"
#include "ops/plan.h"
#include "ops/upkeep/stored.h"
#include "cooccur/statistic.h"

/* ---- stores that have their documents ------------------------------------ */

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
static kedge_status add_words(void *data, wordmap *lexicon, kedge_error *err)
{
    merging *const m = data;

    return m->has_view ? stored_add_words(m->from, lexicon, err) : KEDGE_OK;
}

/* Texts of all stores must have been cut alike. */
static kedge_status join_settings(merging *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_read(m->into, &txn, err));
    TRY(text_settings_load(&m->texts, txn, err));
    TRY(stored_join_settings(m->from, store_path(m->into), &m->texts, err));
out:
    store_abort(&txn);
    return st;
}

/* The view of all words is written down, so that it is followed; and those by
 * other statistics that all of the stores have. */
static kedge_status declare_views(merging *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const uint32_t kinds = m->has_view ? stored_beside(m->from) : 0;
    store_view view = m->view, other;

    view.blocks = view.documents = view.skipped = view.tokens = 0;
    view.words = view.removals = 0;
    view.rows = 0;
    view.total = 0;
    if (m->has_view && !m->texts.settings.no_first_view) {
        TRY(store_begin_write(m->into, &txn, err));
        st = store_get_view_record(txn, INDEX_ALL_WORDS, &other, err);
        if (st == KEDGE_ENOTFOUND) {
            TRY(store_put_view(txn, INDEX_ALL_WORDS, &view, err));
            TRY(store_commit(&txn, err));
        }
        TRY(st);
        store_abort(&txn);
    }
    for (uint32_t kind = 0; kind < STATISTICS; kind++)
        if ((kinds >> kind & 1) != 0)
            TRY(index_add_weightings(m->into, statistic_name(kind), err));
out:
    store_abort(&txn);
    return st;
}

static kedge_status follow_views(const merging *m, kedge_error *err)
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

static kedge_status merge_documents(store *into, const char *const *stores,
                                    size_t count,
                                    kedge_on_duplicate on_duplicate,
                                    const kedge_control *control,
                                    kedge_ingest_result *read,
                                    kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_control left = *control; /* beside the words of these stores */
    merging m = {.into = into, .control = &left};
    kedge_ingest_opts opts;
    char taken[16];
    feed from;

    kedge_ingest_opts_init(&opts);
    opts.on_duplicate = on_duplicate;
    opts.no_sketch = true;
    TRY(stored_open(stores, count, &left, &m.from, err));
    TRY(join_settings(&m, err));
    m.has_view = stored_has_view(m.from, &m.view);
    from = stored_feed(m.from);
    TRY(ingest_sources(into,
                       &(ingest_input){.count = stored_sources(m.from),
                                       .from = &from,
                                       .prepare = add_words,
                                       .data = &m,
                                       .texts = m.texts.settings.texts
                                                    ? &m.texts : NULL},
                       &opts, &left, read, err));
    TRY(declare_views(&m, err));
    TRY(follow_views(&m, err));
out:
    if (st == KEDGE_EBUDGET && left.memory < control->memory)
        kedge_fail_context(err, "beside %s for the words of the stores",
                           plan_size(control->memory - left.memory, taken));
    stored_close(m.from);
    text_settings_free(&m.texts);
    return st;
}

/* ---- stores that have them elsewhere ------------------------------------- */

/* Whether the store at `path` is one; EINVAL when only some of its documents
 * are elsewhere: then neither way does. */
static kedge_status is_part(const char *path, bool *is, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store *s = NULL;
    store_totals t;
    uint64_t own;

    TRY(kedge_store_open(path, KEDGE_OPEN_READ, &s, err));
    TRY(store_begin_read(s, &txn, err));
    TRY(store_get_totals(txn, &t, err));
    TRY(elsewhere_own(txn, &t, &own, err));
    *is = t.parts > 0;
    if (*is && own > 0)
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "%s: the documents of %" PRIu64 " part%s are elsewhere "
                       "and %" PRIu64 " are here: it cannot be merged; 'kedge "
                       "sketch export' and 'import' add up what was counted "
                       "and sketched", path, t.parts,
                       t.parts == 1 ? "" : "s", own));
out:
    store_abort(&txn);
    kedge_store_close(s);
    return st;
}

/* A file without a name, that is written, then read from its beginning. */
typedef struct passage {
    int fd;
    uint64_t at, size;
} passage;

static bool passage_write(void *data, const void *bytes, size_t size)
{
    passage *const p = data;
    const bool done = again_write_at(p->fd, bytes, size, p->size);

    p->size += size;
    return done;
}

static kedge_status passage_read(void *data, void *to, size_t room, size_t *got,
                                 kedge_error *err)
{
    passage *const p = data;
    const uint64_t left = p->size - p->at;

    *got = left < room ? (size_t)left : room;
    if (!again_read_at(p->fd, to, *got, p->at))
        return kedge_fail(err, KEDGE_EIO, "cannot read what was sent: %s",
                          errno == 0 ? "some of it is gone" : strerror(errno));
    p->at += *got;
    return KEDGE_OK;
}

/* Adds all that it has: all sketches, or where there are none the counts. */
static kedge_status merge_part(store *into, const char *path,
                               const kedge_control *control,
                               kedge_sketch_import_result *got,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    passage p = {.fd = again_open_nameless(store_path(into))};
    kedge_sketch_export_result sent;
    kedge_sketch_export_opts opts;
    store_txn *txn = NULL;
    store *s = NULL;
    store_view any;
    uint32_t number;

    if (p.fd < 0)
        return kedge_fail(err, KEDGE_EIO, "%s: cannot make a file: %s",
                          store_path(into), strerror(errno));
    kedge_sketch_export_opts_init(&opts);
    TRY(kedge_store_open(path, KEDGE_OPEN_READ, &s, err));
    TRY(store_begin_read(s, &txn, err));
    st = store_next_view(txn, 0, &number, &any, err);
    store_abort(&txn);
    opts.counts = st == KEDGE_ENOTFOUND;
    if (!opts.counts)
        TRY(st);
    TRY(kedge_sketch_export(s, passage_write, &p, &opts, control, &sent, err));
    TRY(part_import(into, &(parcel_source){passage_read, &p}, path, control,
                    got, err));
out:
    store_abort(&txn);
    kedge_store_close(s);
    close(p.fd);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

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
    kedge_ingest_result read = {0};
    kedge_sketch_import_result got;
    const char **sorted = NULL; /* those with documents before the parts */
    size_t first = 0, parts = 0;
    bool is;

    *out = (kedge_merge_result){.stores = count};
    if (count == 0)
        return kedge_fail(err, KEDGE_EINVAL, "no store to merge");
    TRY_MEM(sorted = mem_new(count, sizeof *sorted));
    for (size_t i = 0; i < count; i++) {
        TRY(is_part(stores[i], &is, err));
        parts += is;
        sorted[is ? count - parts : first++] = stores[i];
    }
    if (first > 0)
        TRY(merge_documents(into, sorted, first, on_duplicate, control, &read,
                            err));
    out->words = read.words;
    for (size_t i = first; i < count; i++) {
        TRY(merge_part(into, sorted[i], control, &got, err));
        out->elsewhere += got.documents;
        out->words = got.words;
    }
out:
    out->documents = read.documents;
    out->known = read.resumed;
    out->duplicates = read.duplicates;
    out->replaced = read.replaced;
    out->seconds = clock_seconds() - start;
    mem_free(sorted);
    return api_leave(st, err);
}
