/* SPDX-License-Identifier: MIT */
/*
 * Merging is ingestion from other stores: their sources come as they were when
 * they were read, words get ids of this store, and the sketches are synced.
 * Stores whose documents are elsewhere have nothing to be read again: they come
 * after the others, and are added up as parts are (ops/parts/parts.h).
 */
#include <kedge/maintain.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/again.h"
#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/run.h"
#include "cooccur/statistic.h"
#include "ops/elsewhere.h"
#include "ops/index/index.h"
#include "ops/ingest/ingest.h"
#include "ops/parts/parts.h"
#include "ops/plan.h"
#include "ops/upkeep/documents.h"

/* ---- stores that have their documents ------------------------------------ */

/* One of the stores. */
typedef struct origin {
    store *s;
    store_txn *txn; /* for as long as it is open */
    words text;
    uint32_t *map;  /* by its ids: the lexicon's, or WORDMAP_NONE yet */
    block_extent *block; /* that are there */
    size_t blocks;
} origin;

/* A source of one of them, by its number there. */
typedef struct origin_source {
    origin *of;
    uint64_t number;
} origin_source;

typedef struct merging {
    store *into;
    kedge_control control; /* less the memory for the stores' words */
    origin *origin;
    size_t origins;
    origin_source *source; /* of all stores, without those that were removed */
    size_t sources, source_capacity;
    uint64_t documents;
    /* what the stores have together */
    store_index index;       /* of all words, */
    bool has_index;         /* if all have it */
    uint32_t kinds;        /* statistics of their other indexes of all words, a
                              bit each */
    text_settings texts;   /* how theirs and the own texts were cut; */
    const char *settled;   /* the store that says so */
    /* the source that is open */
    const origin_source *open;
    wordmap *lexicon;
    uint64_t block;        /* the next one, among those of its store */
    uint64_t *gone;        /* positions of removed documents, so far */
    size_t gones, gone_capacity;
    filter filter;         /* scratch */
    docs batch;
} merging;

static void merging_free(merging *m)
{
    for (size_t i = 0; i < m->origins; i++) {
        origin *const o = &m->origin[i];
        store_abort(&o->txn);
        kedge_store_close(o->s);
        words_free(&o->text);
        mem_free(o->map);
        mem_free(o->block);
    }
    mem_free(m->origin);
    mem_free(m->source);
    text_settings_free(&m->texts);
    mem_free(m->gone);
    filter_close(&m->filter);
    docs_free(&m->batch);
}

/* The indexes of all words that this store and those before it have. */
static kedge_status join_indexes(merging *m, const origin *o, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const bool first = o == m->origin;
    index_list known = {0};
    const store_index *index;
    uint32_t kinds = 0;

    TRY(index_list_load(&known, o->txn, err));
    index = index_list_find(&known, INDEX_ALL_WORDS);
    if (first && index != NULL)
        m->index = *index;
    m->has_index = index != NULL &&
                  (first ||
                   (m->has_index && part_same_kind(&m->index, index) &&
                    part_indexes_agree(0, &m->index, index, NULL) == KEDGE_OK));
    for (size_t i = 0; i < known.count; i++)
        if (known.at[i].number != INDEX_ALL_WORDS && !known.at[i].record.listed)
            kinds |= 1U << known.at[i].record.statistic;
    m->kinds = first ? kinds : m->kinds & kinds;
out:
    mem_free(known.at);
    return st;
}

/* Texts of all stores must have been cut alike. */
static kedge_status join_settings(merging *m, const origin *o,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const bool had = m->texts.settings.texts;
    text_settings theirs = {0};

    TRY(text_settings_load(&theirs, o->txn, err));
    TRY(text_settings_join(&m->texts, m->settled, &theirs, store_path(o->s),
                           err));
    if (!had)
        m->settled = store_path(o->s);
out:
    text_settings_free(&theirs);
    return st;
}

/* Takes what the store's words need off the budget. */
static kedge_status open_origin(merging *m, origin *o, const char *path,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const stage silent = {.control = NULL};
    store_totals totals;
    store_source record;

    TRY(kedge_store_open(path, KEDGE_OPEN_READ, &o->s, err));
    TRY(store_begin_read(o->s, &o->txn, err));
    TRY(store_get_totals(o->txn, &totals, err));
    TRY(plan_get_words(o->txn, &m->control, &o->text, err));
    m->control.memory -= totals.word_bytes + (8 + 4) * totals.words;
    TRY(join_settings(m, o, err));
    TRY(join_indexes(m, o, err));
    TRY_MEM(o->map = mem_new(o->text.count, sizeof *o->map));
    for (size_t i = 0; i < o->text.count; i++)
        o->map[i] = WORDMAP_NONE;
    TRY(block_list(&m->filter, &m->batch, o->txn, totals.blocks, &silent,
                   &o->block, &o->blocks, err));
    TRY_GROW(m->source, m->source_capacity, m->sources + totals.sources + 1);
    for (uint64_t i = 0; i < totals.sources; i++) {
        TRY(store_get_source_record(o->txn, i, &record, err));
        if (!record.removed)
            m->source[m->sources++] = (origin_source){o, i};
    }
    m->documents += totals.documents;
out:
    return st;
}

/* ---- their sources, as ingestion reads them ------------------------------ */

/* Where the stores were read with vocabularies, their words are known whether
 * they occur or not. */
static kedge_status add_words(void *data, wordmap *lexicon, kedge_error *err)
{
    merging *const m = data;

    for (size_t i = 0; m->has_index && i < m->origins; i++)
        PASS(part_add_words(lexicon, &m->origin[i].text, m->origin[i].map,
                            err));
    return KEDGE_OK;
}

static kedge_status source_open(void *data, size_t number, wordmap *lexicon,
                                store_source *record, kedge_error *err)
{
    merging *const m = data;

    m->open = &m->source[number];
    m->lexicon = lexicon;
    m->block = 0;
    m->gones = 0;
    return store_get_source_record(m->open->of->txn, m->open->number, record,
                                   err);
}

/* The next block, with ids of the lexicon. Documents that were removed come as
 * well, for a source is known by all that it held. */
static kedge_status read_block(merging *m, docs *d, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const origin *const o = m->open->of;
    filter *const f = &m->filter;
    const uint64_t number = o->block[m->block].block;
    const size_t first = d->count, from = docs_entries(d);

    TRY(store_read_block(o->txn, number, &f->scratch, &f->order, &f->source, d,
                         err));
    TRY(store_get_gone(o->txn, number, &f->gone, err));
    TRY_GROW(m->gone, m->gone_capacity, m->gones + f->gone.count + 1);
    for (size_t i = 0; i < f->gone.count; i++)
        m->gone[m->gones++] = d->position[first + f->gone.index[i]];
    for (size_t k = from; k < docs_entries(d); k++) {
        const size_t id = d->word[k];
        if (o->map[id] == WORDMAP_NONE)
            TRY_MEM(wordmap_add(m->lexicon,
                                span_of(words_get(&o->text, id),
                                        words_size(&o->text, id)),
                                &o->map[id]) ? m : NULL);
    }
    TRY_MEM(docs_renumber(d, first, o->map) ? m : NULL);
out:
    return st;
}

static void seek_block(merging *m)
{
    const origin *const o = m->open->of;

    while (m->block < o->blocks && o->block[m->block].source != m->open->number)
        m->block++;
}

/* Whole blocks, so a batch may go beyond its limits by one. */
static kedge_status source_next(void *data, const reader_limits *limits,
                                docs *batch, bool *more, kedge_error *err)
{
    merging *const m = data;
    const uint64_t blocks = m->open->of->blocks;

    seek_block(m);
    while (m->block < blocks && batch->count < limits->documents &&
           docs_entries(batch) < limits->entries &&
           (limits->tokens == 0 || docs_symbols(batch) < limits->tokens)) {
        PASS(read_block(m, batch, err));
        m->block++;
        seek_block(m);
    }
    *more = m->block < blocks;
    return KEDGE_OK;
}

static bool source_left(const void *data, uint64_t position)
{
    const merging *const m = data;

    return m->gones > 0 && bsearch(&position, m->gone, m->gones,
                                   sizeof *m->gone, compare_u64) != NULL;
}

static void source_close(void *data)
{
    merging *const m = data;

    m->open = NULL;
}

/* ---- indexes and sketches ------------------------------------------------ */

/* The index of all words is written down, so that it is synced; and those by
 * other statistics that all of the stores have. */
static kedge_status declare_indexes(merging *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_index index;

    if (!m->has_index)
        return KEDGE_OK;
    if (!m->texts.settings.no_first_index) {
        TRY(store_begin_write(m->into, &txn, err));
        st = store_get_index_record(txn, INDEX_ALL_WORDS, &index, err);
        if (st == KEDGE_ENOTFOUND) {
            index = part_empty_index(&m->index, INDEX_ALL_WORDS);
            TRY(store_put_index(txn, INDEX_ALL_WORDS, &index, err));
            TRY(store_commit(&txn, err));
        }
        TRY(st);
        store_abort(&txn);
    }
    for (uint32_t kind = 0; kind < STATISTICS; kind++)
        if ((m->kinds >> kind & 1) != 0)
            TRY(index_add_weightings(m->into, statistic_name(kind), err));
out:
    store_abort(&txn);
    return st;
}

static kedge_status sync_indexes(store *into, const kedge_control *control,
                                 uint64_t *planned, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_totals totals;
    words all = {0};
    pool *p = NULL;

    TRY(plan_load_words(into, control, &totals, &all, err));
    TRY(pool_open(control, &p, err));
    TRY(index_sync_all(into, &all, INDEX_NONE, control, p, planned, err));
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
    merging m = {.into = into, .control = *control,
                 .settled = store_path(into)};
    feed from = {.data = &m, .open = source_open, .next = source_next,
                 .left = source_left, .close = source_close};
    ingest_input input = {.from = &from, .prepare = add_words, .data = &m};
    kedge_ingest_opts opts;
    store_txn *txn = NULL;
    char taken[16];

    kedge_ingest_opts_init(&opts);
    opts.on_duplicate = on_duplicate;
    opts.no_sketch = true;
    TRY(store_begin_read(into, &txn, err));
    TRY(text_settings_load(&m.texts, txn, err));
    store_abort(&txn);
    TRY_MEM(m.origin = mem_new(count, sizeof *m.origin));
    for (size_t i = 0; i < count; i++)
        TRY(open_origin(&m, &m.origin[m.origins++], stores[i], err));
    from.documents = m.documents;
    input.count = m.sources;
    input.texts = m.texts.settings.texts ? &m.texts : NULL;
    TRY(ingest_sources(into, &input, &opts, &m.control, read, err));
    TRY(declare_indexes(&m, err));
    merging_free(&m); /* before sketches take room */
    m = (merging){.control = *control};
    TRY(sync_indexes(into, control, &read->planned_memory, err));
out:
    store_abort(&txn);
    if (st == KEDGE_EBUDGET && m.control.memory < control->memory)
        kedge_fail_context(err, "in addition to %s for the words of the "
                                "stores",
                           plan_size(control->memory - m.control.memory,
                                     taken));
    merging_free(&m);
    return st;
}

/* ---- stores that have them elsewhere ------------------------------------- */

/* Whether the store at `path` is one; EINVAL when only some of its documents
 * are elsewhere: it can be merged in neither way. */
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
                       "and %" PRIu64 " are here, so it cannot be merged; "
                       "'kedge sketch export' and 'import' add counts and "
                       "sketches", path, t.parts,
                       t.parts == 1 ? "" : "s", own));
out:
    store_abort(&txn);
    kedge_store_close(s);
    return st;
}

/* A file without a name, which is written, then read from its beginning. */
typedef struct temporary {
    int fd;
    uint64_t at, size;
} temporary;

static bool temporary_write(void *data, const void *bytes, size_t size)
{
    temporary *const p = data;
    const bool done = again_write_at(p->fd, bytes, size, p->size);

    p->size += size;
    return done;
}

static kedge_status temporary_read(void *data, void *to, size_t room,
                                   size_t *got, kedge_error *err)
{
    temporary *const p = data;
    const uint64_t left = p->size - p->at;

    *got = left < room ? (size_t)left : room;
    if (!again_read_at(p->fd, to, *got, p->at))
        return kedge_fail(err, KEDGE_EIO, "cannot read the other store: %s",
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
    temporary p = {.fd = again_open_nameless(store_path(into))};
    kedge_sketch_export_result sent;
    kedge_sketch_export_opts opts;
    store_txn *txn = NULL;
    store *s = NULL;
    store_index any;
    uint32_t number;

    if (p.fd < 0)
        return kedge_fail(err, KEDGE_EIO, "%s: cannot make a file: %s",
                          store_path(into), strerror(errno));
    kedge_sketch_export_opts_init(&opts);
    TRY(kedge_store_open(path, KEDGE_OPEN_READ, &s, err));
    TRY(store_begin_read(s, &txn, err));
    st = store_next_index(txn, 0, &number, &any, err);
    store_abort(&txn);
    opts.counts = st == KEDGE_ENOTFOUND;
    if (!opts.counts)
        TRY(st);
    TRY(kedge_sketch_export(s, temporary_write, &p, &opts, control, &sent,
                            err));
    TRY(part_import(into, &(parcel_source){temporary_read, &p}, path, control,
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
