/* SPDX-License-Identifier: MIT */
#include "pipeline/upkeep/stored.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "pipeline/plan.h"

/* One of the stores. */
typedef struct shelf {
    store *s;
    store_txn *txn; /* for as long as it is open */
    words text;
    uint32_t *map;      /* by its ids: the lexicon's, or WORDMAP_NONE yet */
    uint64_t *block;    /* that are there, */
    uint32_t *source;   /* and the source of each */
    uint64_t blocks, documents;
    store_view view;    /* of all words */
    bool has_view;
    uint32_t beside; /* statistics of other views of all words, a bit each */
    text_settings tokenizing;    /* of its texts */
} shelf;

typedef struct volume {
    size_t shelf;
    uint64_t number;    /* of the source in its store */
} volume;

struct stored {
    shelf *shelf;
    size_t shelves;
    volume *volume;
    size_t volumes, volume_capacity;
    /* the source that is open */
    const volume *open;
    wordmap *lexicon;
    uint64_t block;     /* that comes next, among those of the shelf */
    uint64_t *gone;     /* positions of the documents that left, so far */
    size_t gones, gone_capacity;
    store_block scratch;
    store_order order;
    store_gone index;
};

/* ---- opening ------------------------------------------------------------- */

static void shelf_close(shelf *h)
{
    store_abort(&h->txn);
    kedge_store_close(h->s);
    words_free(&h->text);
    text_settings_free(&h->tokenizing);
    mem_free(h->map);
    mem_free(h->block);
    mem_free(h->source);
}

void stored_close(stored *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->shelves; i++)
        shelf_close(&s->shelf[i]);
    mem_free(s->shelf);
    mem_free(s->volume);
    mem_free(s->gone);
    store_block_free(&s->scratch);
    store_order_free(&s->order);
    store_gone_free(&s->index);
    mem_free(s);
}

/* Which source each block is of. */
static kedge_status shelf_survey(stored *s, shelf *h, uint64_t all,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t there;
    docs batch = {0};

    TRY(store_count_blocks(h->txn, &there, err));
    TRY_MEM(h->block = mem_new(there, sizeof *h->block));
    TRY_MEM(h->source = mem_new(there, sizeof *h->source));
    for (uint64_t b = 0; h->blocks < there; b++) {
        TRY(store_next_block(h->txn, b, all, &b, err));
        if (b == all)
            break;
        docs_clear(&batch);
        TRY(store_read_block(h->txn, b, &s->scratch, NULL,
                             &h->source[h->blocks], &batch, err));
        h->block[h->blocks++] = b;
    }
out:
    docs_free(&batch);
    return st;
}

static kedge_status shelf_list(stored *s, size_t at, uint64_t sources,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_source record;

    for (uint64_t i = 0; i < sources; i++) {
        TRY(store_get_source_record(s->shelf[at].txn, i, &record, err));
        if (record.removed)
            continue;
        if (!mem_grow((void **)&s->volume, &s->volume_capacity,
                      s->volumes + 1, sizeof *s->volume))
            TRY_MEM(NULL);
        s->volume[s->volumes++] = (volume){at, i};
    }
out:
    return st;
}

static kedge_status shelf_note_view(void *data, uint32_t number,
                                    store_view *v, kedge_error *err)
{
    shelf *const h = data;

    (void)err;
    if (number != 0 && !v->listed)
        h->beside |= 1U << v->statistic;
    return KEDGE_OK;
}

static kedge_status shelf_open(stored *s, size_t at, const char *path,
                               kedge_control *control, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    shelf *h = &s->shelf[at];
    store_totals totals;

    TRY(kedge_store_open(path, KEDGE_OPEN_READ, &h->s, err));
    TRY(store_begin_read(h->s, &h->txn, err));
    TRY(store_get_totals(h->txn, &totals, err));
    TRY(plan_get_words(h->txn, control, &h->text, err));
    control->memory -= totals.word_bytes + (8 + 4) * totals.words;
    TRY(text_settings_load(&h->tokenizing, h->txn, err));
    st = store_get_view_record(h->txn, 0, &h->view, err);
    h->has_view = st == KEDGE_OK;
    if (st != KEDGE_ENOTFOUND)
        TRY(st);
    TRY(store_each_view(h->txn, shelf_note_view, h, err));
    TRY_MEM(h->map = mem_new(h->text.count, sizeof *h->map));
    for (size_t i = 0; i < h->text.count; i++)
        h->map[i] = WORDMAP_NONE;
    h->documents = totals.documents;
    TRY(shelf_survey(s, h, totals.blocks, err));
    TRY(shelf_list(s, at, totals.sources, err));
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
    TRY_MEM(s->shelf = mem_new(count, sizeof *s->shelf));
    for (; s->shelves < count; s->shelves++) {
        st = shelf_open(s, s->shelves, paths[s->shelves], control, err);
        if (st != KEDGE_OK) {
            s->shelves++;
            goto out;
        }
    }
    *out = s;
    s = NULL;
out:
    stored_close(s);
    return st;
}

size_t stored_sources(const stored *s)
{
    return s->volumes;
}

bool stored_has_view(const stored *s, store_view *record)
{
    const store_view *first = &s->shelf[0].view;

    for (size_t i = 0; i < s->shelves; i++) {
        const shelf *h = &s->shelf[i];
        if (!h->has_view || h->view.statistic != first->statistic ||
            h->view.width != first->width ||
            h->view.seed != first->seed ||
            h->view.min_tokens != first->min_tokens)
            return false;
    }
    *record = *first;
    return s->shelves > 0;
}

uint32_t stored_beside(const stored *s)
{
    uint32_t all = UINT32_MAX;

    for (size_t i = 0; i < s->shelves; i++)
        all &= s->shelf[i].beside;
    return s->shelves > 0 ? all : 0;
}

kedge_status stored_join_cutting(const stored *s, const char *name,
                                 text_settings *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (size_t i = 0; i < s->shelves; i++) {
        const shelf *h = &s->shelf[i];
        const bool had = c->settings.texts;
        TRY(text_settings_join(c, name, &h->tokenizing, store_path(h->s), err));
        if (!had)
            name = store_path(h->s);
    }
out:
    return st;
}

kedge_status stored_add_words(const stored *s, wordmap *lexicon,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (size_t i = 0; i < s->shelves; i++) {
        const words *w = &s->shelf[i].text;
        for (size_t id = 0; id < w->count; id++)
            if (!wordmap_add(lexicon, span_of(words_get(w, id),
                                              words_size(w, id)),
                             &s->shelf[i].map[id]))
                TRY_MEM(NULL);
    }
out:
    return st;
}

/* ---- reading ------------------------------------------------------------- */

static kedge_status feed_open(void *data, size_t number, wordmap *lexicon,
                              store_source *record, kedge_error *err)
{
    stored *s = data;

    s->open = &s->volume[number];
    s->lexicon = lexicon;
    s->block = 0;
    s->gones = 0;
    return store_get_source_record(s->shelf[s->open->shelf].txn,
                                   s->open->number, record, err);
}

/* Ids of the lexicon, from document `first` on. */
static kedge_status stored_translate(stored *s, shelf *h, docs *d,
                                     size_t first, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (size_t k = d->start[first]; k < docs_entries(d); k++) {
        const size_t id = d->word[k];
        if (h->map[id] == WORDMAP_NONE &&
            !wordmap_add(s->lexicon, span_of(words_get(&h->text, id),
                                             words_size(&h->text, id)),
                         &h->map[id]))
            TRY_MEM(NULL);
    }
    if (!docs_renumber(d, first, h->map))
        TRY_MEM(NULL);
out:
    return st;
}

static kedge_status stored_note_gone(stored *s, const docs *d, size_t first,
                                     kedge_error *err)
{
    if (!mem_grow((void **)&s->gone, &s->gone_capacity,
                  s->gones + s->index.count, sizeof *s->gone))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (merging)");
    for (size_t i = 0; i < s->index.count; i++)
        s->gone[s->gones++] = d->position[first + s->index.index[i]];
    return KEDGE_OK;
}

static kedge_status stored_read_block(stored *s, shelf *h, docs *batch,
                                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t first = batch->count;
    uint32_t source;

    TRY(store_read_block(h->txn, h->block[s->block], &s->scratch, &s->order,
                         &source, batch, err));
    TRY(store_get_gone(h->txn, h->block[s->block], &s->index, err));
    TRY(stored_note_gone(s, batch, first, err));
    TRY(stored_translate(s, h, batch, first, err));
out:
    return st;
}

static void stored_seek(stored *s, const shelf *h)
{
    while (s->block < h->blocks && h->source[s->block] != s->open->number)
        s->block++;
}

/* Whole blocks, so a batch may go beyond its limits by one. */
static kedge_status feed_next(void *data, const reader_limits *limits,
                              docs *batch, bool *more, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    stored *s = data;
    shelf *h = &s->shelf[s->open->shelf];

    stored_seek(s, h);
    while (s->block < h->blocks && batch->count < limits->documents &&
           docs_entries(batch) < limits->entries &&
           (limits->tokens == 0 || docs_symbols(batch) < limits->tokens)) {
        TRY(stored_read_block(s, h, batch, err));
        s->block++;
        stored_seek(s, h);
    }
    *more = s->block < h->blocks;
out:
    return st;
}

static bool feed_left(const void *data, uint64_t position)
{
    const stored *s = data;

    return s->gones > 0 && bsearch(&position, s->gone, s->gones,
                                   sizeof *s->gone, compare_u64) != NULL;
}

static void feed_close(void *data)
{
    stored *s = data;

    s->open = NULL;
}

feed stored_feed(stored *s)
{
    uint64_t documents = 0;

    for (size_t i = 0; i < s->shelves; i++)
        documents += s->shelf[i].documents;
    return (feed){.data = s, .documents = documents,
                  .open = feed_open, .next = feed_next,
                  .left = feed_left, .close = feed_close};
}
