/* SPDX-License-Identifier: MIT */
/*
 * Two passes: over the portions of the set, which keeps the best of each topic
 * in order, and over the blocks that these are in, for ids, labels and words.
 * Documents come in the order of the store, so that of equal ones the first
 * stays before the others. How many different words a document has is seen in
 * its block only: so a few more than are asked for are looked at.
 */
#include "ops/infer/saved.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "ops/plan.h"
#include "ops/infer/walk.h"

#define SHARE_LEAST 0.005 /* what is shown as 0.00 is not typical */
#define WORDS_LEAST 5     /* different ones, of one that says something */
#define SPARE 20          /* more documents of a topic that are looked at */

#define TEXT_WORDS 12 /* of a document's first words, */
#define TEXT_BYTES 80 /* and about so many bytes */

typedef struct entry {
    double share, at_least;
    uint64_t tokens;
    store_place place;
    size_t text;  /* in the list of texts: id, label, first words */
    size_t words; /* different ones */
} entry;

struct kedge_typical {
    kedge_saved_info info;
    uint64_t asked;    /* of a topic, */
    uint64_t most;     /* and those that are looked at */
    uint64_t *count;   /* topics */
    entry *best;       /* topics x most */
    words texts;
    kedge_typical_document *document; /* topics x asked */
};

typedef struct finding {
    store_txn *txn;
    const kedge_control *control;
    saved_set set;
    saved_walk walk;
    words all;
    sourcenames names;
    store_block scratch;
    store_order order;
    docs batch;
    entry **sorted; /* all entries, by their places */
    kedge_typical *out;
} finding;

/* ---- the best ------------------------------------------------------------ */

/* Wilson's lower bound of a share of n tokens, at two standard deviations. */
static double typical_bound(double p, double n)
{
    return (p + 2 / n - 2 * sqrt(p * (1 - p) / n + 1 / (n * n))) / (1 + 4 / n);
}

static bool typical_is_before(const entry *a, const entry *b)
{
    return a->at_least != b->at_least ? a->at_least > b->at_least
                                      : a->tokens > b->tokens;
}

/* Puts the portion's documents where they are among the best of their topics:
 * where there is room, or they are better than the last. */
static void typical_offer(kedge_typical *t, const store_portion *p, size_t m,
                          size_t e)
{
    const uint32_t topic = p->topic[e];
    const double share = (double)p->units[e] / STORE_UNITS;
    entry *const best = t->best + topic * t->most;
    const entry it = {.share = share,
                      .at_least = typical_bound(share, (double)p->tokens[m]),
                      .tokens = p->tokens[m],
                      .place = {p->block, p->position[m]}};
    uint64_t at = t->count[topic];

    if (share < SHARE_LEAST ||
        (at == t->most && !typical_is_before(&it, &best[at - 1])))
        return;
    at -= at == t->most;
    for (; at > 0 && typical_is_before(&it, &best[at - 1]); at--)
        best[at] = best[at - 1];
    best[at] = it;
    t->count[topic] += t->count[topic] < t->most;
}

static kedge_status typical_choose(finding *f, kedge_error *err)
{
    stage progress = stage_begin(f->control, "ranking", f->set.record.portions,
                             "portions");
    const store_portion *const p = &f->walk.portion;
    bool more = true;

    f->walk = (saved_walk){.txn = f->txn, .set = &f->set};
    while (more) {
        PASS(saved_walk_next(&f->walk, &more, err));
        for (size_t m = 0; m < p->count; m++)
            for (size_t e = p->start[m];
                 e < p->start[m + 1] && p->tokens[m] > 0; e++)
                typical_offer(f->out, p, m, e);
        progress.documents = f->walk.given;
        PASS(stage_reach(&progress, f->walk.next, err));
    }
    return KEDGE_OK;
}

/* ---- what they are ------------------------------------------------------- */

static int compare_places(const void *left, const void *right)
{
    const entry *const *const a = left, *const *const b = right;

    return store_place_compare(&(*a)->place, &(*b)->place);
}

/* The first words, with a space between; none where there is no order. */
static size_t typical_text(const finding *f, size_t m, char *out, size_t room)
{
    const docs *const d = &f->batch;
    const uint32_t *const symbol = d->order + d->order_at[m];
    const size_t symbols = docs_order_size(d, m);
    size_t used = 0, count = 0;

    for (size_t i = 0; i < symbols && count < TEXT_WORDS && used < TEXT_BYTES;
         i++) {
        const uint32_t id = symbol[i] == DOCS_APART
                                ? UINT32_MAX
                                : d->word[d->start[m] + symbol[i] - 1];
        const size_t size = id < f->all.count ? words_size(&f->all, id) : 0;

        if (size == 0 || used + size + 1 > room)
            continue;
        if (count++ > 0)
            out[used++] = ' ';
        memcpy(out + used, words_get(&f->all, id), size);
        used += size;
    }
    return used;
}

/* Documents of one block, sorted[0 .. count). */
static kedge_status typical_describe_block(finding *f, entry **sorted,
                                           size_t count, kedge_error *err)
{
    const uint64_t block = sorted[0]->place.block;
    const docs *const d = &f->batch;
    words *const texts = &f->out->texts;
    char id[STORE_ID_MAX + 1], text[2 * TEXT_BYTES];
    uint32_t source;
    size_t m = 0, size;

    PASS(run_check(f->control, err));
    docs_clear(&f->batch);
    PASS(store_read_block(f->txn, block, &f->scratch, &f->order, &source,
                          &f->batch, err));
    for (size_t i = 0; i < count; i++) {
        while (m < d->count && d->position[m] < sorted[i]->place.position)
            m++;
        if (m == d->count || source >= f->names.list.count)
            return kedge_fail(err, KEDGE_ECORRUPT,
                              "topic proportions saved with model \"%s\" are "
                              "damaged (block %" PRIu64 ")",
                              f->out->info.model, block);
        sorted[i]->text = texts->count;
        sorted[i]->words = d->start[m + 1] - d->start[m];
        PASS(walk_id(&f->names, d, m, source, id, &size, err));
        const span label = docs_label(d, m);
        PASS_MEM(words_add(texts, id, size) &&
                         words_add(texts, label.bytes, label.size) &&
                         words_add(texts, text,
                                   typical_text(f, m, text, sizeof text))
                     ? texts
                     : NULL);
    }
    return KEDGE_OK;
}

/* Of a topic those that were asked for; those of few words come last. */
static void typical_give_topic(kedge_typical *t, uint64_t topic)
{
    const words *const w = &t->texts;
    const uint64_t there = t->count[topic];
    uint64_t taken = 0;

    for (int few = 0; few < 2; few++)
        for (uint64_t i = 0; i < there && taken < t->asked; i++) {
            const entry *const e = t->best + topic * t->most + i;
            if ((e->words < WORDS_LEAST) != (few == 1))
                continue;
            t->document[topic * t->asked + taken++] = (kedge_typical_document){
                .id = words_get(w, e->text),
                .id_size = words_size(w, e->text),
                .label = words_get(w, e->text + 1),
                .label_size = words_size(w, e->text + 1),
                .text = words_get(w, e->text + 2),
                .text_size = words_size(w, e->text + 2),
                .proportion = e->share, .at_least = e->at_least,
                .tokens = e->tokens,
            };
        }
    t->count[topic] = taken;
}

static kedge_status typical_describe_all(finding *f, kedge_error *err)
{
    kedge_typical *const t = f->out;
    size_t count = 0, end;

    PASS(sourcenames_open(&f->names, f->txn, f->set.totals.sources, err));
    PASS_MEM(f->sorted = mem_new2(t->info.topics, t->most, sizeof *f->sorted));
    for (uint64_t k = 0; k < t->info.topics; k++)
        for (uint64_t i = 0; i < t->count[k]; i++)
            f->sorted[count++] = &t->best[k * t->most + i];
    qsort(f->sorted, count, sizeof *f->sorted, compare_places);
    for (size_t i = 0; i < count; i = end) {
        for (end = i + 1; end < count && f->sorted[end]->place.block ==
                                             f->sorted[i]->place.block;)
            end++;
        PASS(typical_describe_block(f, f->sorted + i, end - i, err));
    }
    /* texts lie where they lie only once all are there */
    PASS_MEM(t->document = mem_new2(t->info.topics, t->asked,
                                    sizeof *t->document));
    for (uint64_t k = 0; k < t->info.topics; k++)
        typical_give_topic(t, k);
    return KEDGE_OK;
}

/* ---- the whole ----------------------------------------------------------- */

static kedge_status typical_plan(const finding *f, uint64_t most,
                                 kedge_error *err)
{
    const uint64_t entries = f->set.info.topics * most;
    const uint64_t texts = 2 * (2 * (uint64_t)STORE_ID_MAX + 2 * TEXT_BYTES);
    uint64_t total;

    return plan_walk(&(walk_shape){
                         .what = "finding typical documents", .threads = 1,
                         .vocabulary = f->set.totals.words,
                         .word_bytes = f->set.totals.word_bytes,
                         .blocks = 2,
                         .more = memory_portion() +
                                 memory_sources(f->set.totals.sources) +
                                 entries * (sizeof(entry) + sizeof(entry *) +
                                            sizeof(kedge_typical_document) +
                                            texts)},
                     f->control, &total, err);
}

kedge_status kedge_typical_find(kedge_store *s, const char *model,
                                uint64_t count, const kedge_control *control,
                                kedge_typical **out, kedge_error *err)
{
    if (out != NULL)
        *out = NULL;
    API_ENTER(err, {"store", s}, {"out", out});
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    kedge_typical *t = NULL;
    finding f = {.control = control};

    if (count < 1 || count > KEDGE_TYPICAL_MOST)
        return kedge_fail(err, KEDGE_EINVAL, "%" PRIu64 " documents of a "
                                             "topic: expected 1 to %d", count,
                          KEDGE_TYPICAL_MOST);
    TRY_MEM(f.out = t = mem_new(1, sizeof *t));
    TRY(store_begin_read(s, &f.txn, err));
    TRY(saved_find(f.txn, model, &f.set, err));
    TRY(typical_plan(&f, count + SPARE, err));
    TRY(store_get_words(f.txn, &f.all, err));
    t->info = f.set.info;
    t->asked = count;
    t->most = count + SPARE;
    TRY_MEM(t->count = mem_new(t->info.topics, sizeof *t->count));
    TRY_MEM(t->best = mem_new2(t->info.topics, t->most, sizeof *t->best));
    TRY(typical_choose(&f, err));
    TRY(typical_describe_all(&f, err));
    *out = t;
    t = NULL;
out:
    store_abort(&f.txn);
    saved_walk_close(&f.walk);
    words_free(&f.all);
    sourcenames_close(&f.names);
    store_block_free(&f.scratch);
    store_order_free(&f.order);
    docs_free(&f.batch);
    mem_free(f.sorted);
    kedge_typical_free(t);
    return api_leave(st, err);
}

const kedge_saved_info *kedge_typical_about(const kedge_typical *t)
{
    return t != NULL ? &t->info : NULL;
}

uint64_t kedge_typical_count(const kedge_typical *t, uint64_t topic)
{
    return t != NULL && topic < t->info.topics ? t->count[topic] : 0;
}

const kedge_typical_document *kedge_typical_get(const kedge_typical *t,
                                                uint64_t topic, uint64_t i)
{
    return i < kedge_typical_count(t, topic)
               ? &t->document[topic * t->asked + i]
               : NULL;
}

void kedge_typical_free(kedge_typical *t)
{
    if (t == NULL)
        return;
    words_free(&t->texts);
    mem_free_all(t->count, t->best, t->document, t);
}
