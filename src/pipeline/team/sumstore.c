/* SPDX-License-Identifier: MIT */
#include "pipeline/team/sumstore.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/wordmap.h"
#include "pipeline/elsewhere.h"
#include "pipeline/parts/pairing.h"

typedef struct putting {
    store *s;
    store_txn *txn; /* while something is looked at or put */
    const muster *m;
    store_totals totals;
    words all;
    size_t known;      /* of these in the store */
    uint64_t *tf, *df; /* by id */
} putting;

static kedge_status check_empty(const putting *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t own;

    TRY(elsewhere_own(p->txn, &p->totals, &own, err));
    if (own > 0 || p->totals.blocks > 0)
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "%s has documents of its own: what processes count "
                       "together needs a store for itself; take them out "
                       "('kedge remove'), or give it another name",
                       store_path(p->s)));
out:
    return st;
}

static bool same_part(const store_part *a, const store_part *b)
{
    return strcmp(a->name, b->name) == 0 && a->documents == b->documents &&
           a->digest[0] == b->digest[0] && a->digest[1] == b->digest[1];
}

/* Whether the parts are those that are there. */
static kedge_status same_parts(const putting *p, bool *same, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const partfile_facts *const f = &p->m->facts;
    store_part part;

    *same = p->totals.parts == f->parts;
    for (size_t i = 0; *same && i < f->parts; i++) {
        TRY(store_get_part(p->txn, i, &part, err));
        *same = same_part(&part, &f->part[i]);
    }
out:
    return st;
}

/* ---- words --------------------------------------------------------------- */

/* New ones get ids behind those that there are. */
static kedge_status number_words(putting *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const tallies *const t = &p->m->words;
    uint32_t *ids = NULL;
    wordmap map = {0};

    TRY_MEM(ids = mem_new(t->w.count, sizeof *ids));
    TRY_MEM(wordmap_open(&map, &p->all) ? p : NULL);
    for (size_t i = 0; i < t->w.count; i++)
        if (!wordmap_add(&map, span_of(words_get(&t->w, i),
                                       words_size(&t->w, i)), &ids[i]))
            TRY_MEM(NULL);
    TRY_MEM(p->tf = mem_new(p->all.count, sizeof *p->tf));
    TRY_MEM(p->df = mem_new(p->all.count, sizeof *p->df));
    for (size_t i = 0; i < t->w.count; i++) {
        p->tf[ids[i]] = t->tf[i];
        p->df[ids[i]] = t->df[i];
    }
out:
    wordmap_close(&map);
    mem_free(ids);
    return st;
}

static kedge_status put_words(putting *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = p->all.count;

    TRY(store_put_words(p->txn, &p->all, p->known, err));
    TRY(store_put_counts(p->txn, p->tf, p->df, n, err));
    TRY(store_drop_parts(p->txn, err));
    TRY(store_put_part_counts(p->txn, p->tf, p->df, n, err));
out:
    return st;
}

/* ---- parts and views ----------------------------------------------------- */

static kedge_status put_parts(putting *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const partfile_facts *const f = &p->m->facts;
    store_totals *const t = &p->totals;
    const uint64_t now = (uint64_t)time(NULL);

    for (size_t i = 0; i < f->parts; i++) {
        store_part part = f->part[i];
        part.when = now;
        TRY(store_put_part(p->txn, i, &part, err));
    }
    t->parts = f->parts;
    t->documents = f->documents;
    t->tokens = f->tokens;
    t->nonzeros = f->nonzeros;
    memcpy(t->digest, f->digest, sizeof t->digest);
    t->words = p->all.count;
    t->word_bytes = words_bytes(&p->all);
    TRY(store_put_totals(p->txn, t, err));
    if (f->tokenizing.settings.texts)
        TRY(text_settings_put(&f->tokenizing, p->txn, err));
out:
    return st;
}

static kedge_status drop_unlisted(void *data, uint32_t number,
                                  store_view *view, kedge_error *err)
{
    const putting *const p = data;

    return view->listed ? KEDGE_OK : store_drop_view(p->txn, number, err);
}

/* From `number` on: lists came before, and keep theirs. */
static kedge_status find_free(const putting *p, uint32_t *number,
                              kedge_error *err)
{
    store_view other;
    kedge_status st;

    while ((st = store_get_view_record(p->txn, *number, &other, err)) ==
           KEDGE_OK)
        ++*number;
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
}

/* Views of all words are those that the processes have. */
static kedge_status put_views(putting *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const partfile_facts *const f = &p->m->facts;

    TRY(store_each_view(p->txn, drop_unlisted, p, err));
    for (size_t i = 0; i < f->views; i++) {
        store_view v = f->view[i].view;
        uint32_t number = f->view[i].number;
        TRY(find_free(p, &number, err));
        v.words = p->all.count;
        v.rows = 2 * number;
        v.documents = v.skipped = v.tokens = v.blocks = v.removals = v.parts =
            0;
        TRY(store_put_view(p->txn, number, &v, err));
    }
out:
    return st;
}

static kedge_status put_all(putting *p, bool words_too, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(store_begin_write(p->s, &p->txn, err));
    if (words_too) {
        TRY(put_words(p, err));
        TRY(put_parts(p, err));
    }
    TRY(put_views(p, err));
    TRY(store_commit(&p->txn, err));
out:
    store_abort(&p->txn);
    return st;
}

kedge_status sumstore_put(store *sum, const muster *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    putting p = {.s = sum, .m = m};
    bool same;

    TRY(store_load_words(sum, &p.totals, &p.all, err));
    p.known = p.all.count;
    TRY(store_begin_read(sum, &p.txn, err));
    TRY(check_empty(&p, err));
    TRY(same_parts(&p, &same, err));
    store_abort(&p.txn);
    if (!same)
        TRY(number_words(&p, err));
    TRY(put_all(&p, !same, err));
out:
    store_abort(&p.txn);
    words_free(&p.all);
    mem_free(p.tf);
    mem_free(p.df);
    return st;
}
