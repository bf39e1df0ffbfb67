/* SPDX-License-Identifier: MIT */
#include "ops/upkeep/stored.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "ops/parts/parts.h"
#include "ops/plan.h"
#include "ops/upkeep/blocks.h"

/* One of the stores. */
typedef struct origin {
    store *s;
    store_txn *txn; /* for as long as it is open */
    words text;
    uint32_t *map;      /* by its ids: the lexicon's, or WORDMAP_NONE yet */
    block_extent *block; /* that are there */
    size_t blocks;
    uint64_t documents;
    store_view view;    /* of all words */
    bool has_view;
    uint32_t beside; /* statistics of other views of all words, a bit each */
    text_settings tokenizing; /* of its texts */
} origin;

typedef struct origin_source {
    origin *of;
    uint64_t number; /* of the source in its store */
} origin_source;

struct stored {
    origin *origin;
    size_t origins;
    origin_source *source;
    size_t sources, source_capacity;
    /* the source that is open */
    const origin_source *open;
    wordmap *lexicon;
    uint64_t block;     /* that comes next, among those of its store */
    uint64_t *gone;     /* positions of the documents that left, so far */
    size_t gones, gone_capacity;
    block_reader blocks;
};

/* ---- opening ------------------------------------------------------------- */

void stored_close(stored *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->origins; i++) {
        origin *const o = &s->origin[i];
        store_abort(&o->txn);
        kedge_store_close(o->s);
        words_free(&o->text);
        text_settings_free(&o->tokenizing);
        mem_free(o->map);
        mem_free(o->block);
    }
    mem_free(s->origin);
    mem_free(s->source);
    mem_free(s->gone);
    block_reader_free(&s->blocks);
    mem_free(s);
}

static kedge_status list_sources(stored *s, origin *o, uint64_t all,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_source record;

    TRY_MEM(mem_grow((void **)&s->source, &s->source_capacity,
                     s->sources + all, sizeof *s->source) ? s : NULL);
    for (uint64_t i = 0; i < all; i++) {
        TRY(store_get_source_record(o->txn, i, &record, err));
        if (!record.removed)
            s->source[s->sources++] = (origin_source){o, i};
    }
out:
    return st;
}

static kedge_status note_view(void *data, uint32_t number, store_view *v,
                              kedge_error *err)
{
    origin *const o = data;

    (void)err;
    if (number == 0) {
        o->view = *v;
        o->has_view = true;
    } else if (!v->listed) {
        o->beside |= 1U << v->statistic;
    }
    return KEDGE_OK;
}

static kedge_status open_one(stored *s, origin *o, const char *path,
                             kedge_control *control, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const stage silent = {.control = NULL};
    store_totals totals;

    TRY(kedge_store_open(path, KEDGE_OPEN_READ, &o->s, err));
    TRY(store_begin_read(o->s, &o->txn, err));
    TRY(store_get_totals(o->txn, &totals, err));
    TRY(plan_get_words(o->txn, control, &o->text, err));
    control->memory -= totals.word_bytes + (8 + 4) * totals.words;
    TRY(text_settings_load(&o->tokenizing, o->txn, err));
    TRY(store_each_view(o->txn, note_view, o, err));
    TRY_MEM(o->map = mem_new(o->text.count, sizeof *o->map));
    for (size_t i = 0; i < o->text.count; i++)
        o->map[i] = WORDMAP_NONE;
    o->documents = totals.documents;
    TRY(block_list(&s->blocks, o->txn, totals.blocks, &silent, &o->block,
                   &o->blocks, err));
    TRY(list_sources(s, o, totals.sources, err));
out:
    return st;
}

kedge_status stored_open(const char *const *paths, size_t count,
                         kedge_control *control, stored **out,
                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    stored *s = NULL;

    *out = NULL;
    TRY_MEM(s = mem_new(1, sizeof *s));
    TRY_MEM(s->origin = mem_new(count, sizeof *s->origin));
    for (size_t i = 0; i < count; i++)
        TRY(open_one(s, &s->origin[s->origins++], paths[i], control, err));
    *out = s;
    s = NULL;
out:
    stored_close(s);
    return st;
}

/* ---- what they have together --------------------------------------------- */

size_t stored_sources(const stored *s)
{
    return s->sources;
}

bool stored_has_view(const stored *s, store_view *record)
{
    const store_view *const first = &s->origin[0].view;

    for (size_t i = 0; i < s->origins; i++) {
        const origin *const o = &s->origin[i];
        if (!o->has_view || !part_same_kind(first, &o->view) ||
            part_views_agree(0, first, &o->view, NULL) != KEDGE_OK)
            return false;
    }
    *record = *first;
    return s->origins > 0;
}

uint32_t stored_beside(const stored *s)
{
    uint32_t all = UINT32_MAX;

    for (size_t i = 0; i < s->origins; i++)
        all &= s->origin[i].beside;
    return s->origins > 0 ? all : 0;
}

kedge_status stored_join_settings(const stored *s, const char *name,
                                  text_settings *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (size_t i = 0; i < s->origins; i++) {
        const origin *const o = &s->origin[i];
        const bool had = c->settings.texts;
        TRY(text_settings_join(c, name, &o->tokenizing, store_path(o->s), err));
        if (!had)
            name = store_path(o->s);
    }
out:
    return st;
}

kedge_status stored_add_words(const stored *s, wordmap *lexicon,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (size_t i = 0; i < s->origins; i++)
        TRY(part_add_words(lexicon, &s->origin[i].text, s->origin[i].map,
                           err));
out:
    return st;
}

/* ---- reading ------------------------------------------------------------- */

static kedge_status feed_open(void *data, size_t number, wordmap *lexicon,
                              store_source *record, kedge_error *err)
{
    stored *const s = data;

    s->open = &s->source[number];
    s->lexicon = lexicon;
    s->block = 0;
    s->gones = 0;
    return store_get_source_record(s->open->of->txn, s->open->number, record,
                                   err);
}

/* The next block, with ids of the lexicon. */
static kedge_status read_block(stored *s, docs *d, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const origin *const o = s->open->of;
    block_reader *const r = &s->blocks;
    const uint64_t number = o->block[s->block].block;
    const size_t first = d->count, from = docs_entries(d);

    TRY(store_read_block(o->txn, number, &r->scratch, &r->order, &r->source, d,
                         err));
    TRY(store_get_gone(o->txn, number, &r->gone, err));
    TRY_MEM(mem_grow((void **)&s->gone, &s->gone_capacity,
                     s->gones + r->gone.count, sizeof *s->gone) ? s : NULL);
    for (size_t i = 0; i < r->gone.count; i++)
        s->gone[s->gones++] = d->position[first + r->gone.index[i]];
    for (size_t k = from; k < docs_entries(d); k++) {
        const size_t id = d->word[k];
        if (o->map[id] == WORDMAP_NONE)
            TRY_MEM(wordmap_add(s->lexicon,
                                words_span(&o->text, id),
                                &o->map[id]) ? s : NULL);
    }
    TRY_MEM(docs_renumber(d, first, o->map));
out:
    return st;
}

static void seek_block(stored *s)
{
    const origin *const o = s->open->of;

    while (s->block < o->blocks && o->block[s->block].source != s->open->number)
        s->block++;
}

/* Whole blocks, so a batch may go beyond its limits by one. */
static kedge_status feed_next(void *data, const reader_limits *limits,
                              docs *batch, bool *more, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    stored *const s = data;
    const uint64_t blocks = s->open->of->blocks;

    seek_block(s);
    while (s->block < blocks && batch->count < limits->documents &&
           docs_entries(batch) < limits->entries &&
           (limits->tokens == 0 || docs_symbols(batch) < limits->tokens)) {
        TRY(read_block(s, batch, err));
        s->block++;
        seek_block(s);
    }
    *more = s->block < blocks;
out:
    return st;
}

static bool feed_left(const void *data, uint64_t position)
{
    const stored *const s = data;

    return s->gones > 0 && bsearch(&position, s->gone, s->gones,
                                   sizeof *s->gone, compare_u64) != NULL;
}

static void feed_close(void *data)
{
    stored *const s = data;

    s->open = NULL;
}

feed stored_feed(stored *s)
{
    uint64_t documents = 0;

    for (size_t i = 0; i < s->origins; i++)
        documents += s->origin[i].documents;
    return (feed){.data = s, .documents = documents,
                  .open = feed_open, .next = feed_next,
                  .left = feed_left, .close = feed_close};
}
