/* SPDX-License-Identifier: MIT */
/*
 * Facts travel as they do in files (pipeline/parts/partfile.h), each store's to
 * rank 0 at once: they are small. A store without documents has nothing to say.
 */
#include "pipeline/team/muster.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "pipeline/elsewhere.h"
#include "pipeline/parts/pairing.h"
#include "pipeline/parts/partfacts.h"

void muster_free(muster *m)
{
    partfile_free(&m->facts);
    tallies_free(&m->words);
}

/* ---- a letter ------------------------------------------------------------ */

typedef struct letter {
    uint8_t *bytes;
    size_t size, capacity, at; /* at: what was read */
} letter;

static kedge_status letter_write(void *data, const void *bytes, size_t size,
                                 kedge_error *err)
{
    letter *const l = data;

    if (!mem_grow((void **)&l->bytes, &l->capacity, l->size + size, 1))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (a letter)");
    memcpy(l->bytes + l->size, bytes, size);
    l->size += size;
    return KEDGE_OK;
}

static kedge_status letter_read(void *data, void *to, size_t room, size_t *got,
                                kedge_error *err)
{
    letter *const l = data;

    (void)err;
    *got = l->size - l->at < room ? l->size - l->at : room;
    memcpy(to, l->bytes + l->at, *got);
    l->at += *got;
    return KEDGE_OK;
}

static kedge_status letter_seal(letter *l, const partfile_facts *f,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    parcel_out to = {0};

    if (f->documents == 0)
        return KEDGE_OK;
    TRY(parcel_begin(&to, &(parcel_sink){letter_write, l}, err));
    TRY(partfile_put_facts(&to, f, err));
    TRY(parcel_end(&to, err));
out:
    parcel_out_free(&to);
    return st;
}

static kedge_status letter_break(letter *l, partfile_facts *f,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    parcel_in from = {0};

    if (l->size == 0)
        return KEDGE_OK;
    TRY(parcel_open(&from, &(parcel_source){letter_read, l}, err));
    TRY(partfile_get_facts(&from, f, err));
    TRY(parcel_close(&from, err));
out:
    parcel_in_free(&from);
    return st;
}

/* ---- facts --------------------------------------------------------------- */

/* Views of all words, which any words can be added to. */
static kedge_status own_view(void *data, uint32_t number, store_view *view,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    partfile_facts *const f = data;

    if (view->listed || f->views == PARTFILE_VIEWS_MOST)
        return KEDGE_OK;
    if (f->view == NULL)
        TRY_MEM(f->view = mem_new(PARTFILE_VIEWS_MOST, sizeof *f->view));
    f->view[f->views] = (partfile_view){number, *view};
    f->view[f->views++].view.words = 0; /* these come by themselves */
out:
    return st;
}

static kedge_status own_facts(store_txn *txn, const store_totals *totals,
                              partfile_facts *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(partfacts_of(txn, totals, NULL, out, err));
    TRY(store_each_view(txn, own_view, out, err));
out:
    return st;
}

/* Views that not all have are none of theirs. */
static kedge_status join_views(partfile_facts *all, const partfile_facts *f,
                               const char *name, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t kept = 0;

    for (size_t i = 0; i < all->views; i++) {
        const store_view *const ours = &all->view[i].view;
        size_t j = 0;
        while (j < f->views && !pairing_same_kind(ours, &f->view[j].view))
            j++;
        if (j == f->views)
            continue;
        st = pairing_agree(all->view[i].number, ours, &f->view[j].view, err);
        if (st != KEDGE_OK)
            kedge_fail_context(err, "%s", name);
        TRY(st);
        all->view[kept++] = all->view[i];
    }
    all->views = kept;
out:
    return st;
}

static kedge_status join_parts(partfile_facts *all, const partfile_facts *f,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_part *part;

    TRY_MEM(part = mem_new(all->parts + f->parts, sizeof *part));
    if (all->parts > 0)
        memcpy(part, all->part, all->parts * sizeof *part);
    memcpy(part + all->parts, f->part, f->parts * sizeof *part);
    mem_free(all->part);
    all->part = part;
    all->parts += f->parts;
    all->documents += f->documents;
    all->tokens += f->tokens;
    all->nonzeros += f->nonzeros;
    all->digest[0] += f->digest[0];
    all->digest[1] += f->digest[1];
out:
    return st;
}

/* The first that has documents tells which views there may be. */
static kedge_status join_facts(partfile_facts *all, partfile_facts *f,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const char *name;

    if (f->documents == 0)
        return KEDGE_OK;
    name = f->part[0].name;
    if (all->documents == 0) {
        partfile_free(all);
        *all = *f;
        *f = (partfile_facts){0};
        return KEDGE_OK;
    }
    TRY(text_settings_join(&all->tokenizing, all->part[0].name, &f->tokenizing,
                           name, err));
    TRY(join_views(all, f, name, err));
    TRY(join_parts(all, f, err));
out:
    return st;
}

static kedge_status take_facts(team *t, unsigned from, partfile_facts *all,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    partfile_facts f = {0};
    letter l = {0};
    uint64_t size;

    team_take(t, &size, sizeof size, from);
    TRY_MEM(l.bytes = mem_new(size, 1));
    l.size = l.capacity = size;
    if (size > 0)
        team_take(t, l.bytes, size, from);
    TRY(letter_break(&l, &f, err));
    TRY(join_facts(all, &f, err));
out:
    mem_free(l.bytes);
    partfile_free(&f);
    return st;
}

static kedge_status hand_facts(team *t, const partfile_facts *f,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    letter l = {0};
    uint64_t size;

    TRY(letter_seal(&l, f, err));
    size = l.size;
    team_hand(t, &size, sizeof size, 0);
    if (size > 0)
        team_hand(t, l.bytes, size, 0);
out:
    mem_free(l.bytes);
    return st;
}

/* Everybody's facts become rank 0's; the others have none then. */
static kedge_status gather_facts(team *t, partfile_facts *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (t->rank > 0) {
        TRY(hand_facts(t, f, err));
        partfile_free(f);
    }
    for (unsigned r = 1; t->rank == 0 && r < t->size; r++)
        TRY(take_facts(t, r, f, err));
out:
    return st;
}

/* Rank 0's become everybody's. */
static kedge_status spread_facts(team *t, partfile_facts *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    letter l = {0};
    uint64_t size;

    if (t->rank == 0)
        TRY(letter_seal(&l, f, err));
    size = l.size;
    team_spread(t, &size, sizeof size, 0);
    if (t->rank > 0)
        TRY_MEM(l.bytes = mem_new(size, 1));
    l.size = size;
    team_spread(t, l.bytes, size, 0);
    if (t->rank > 0)
        TRY(letter_break(&l, f, err));
out:
    mem_free(l.bytes);
    return st;
}

kedge_status muster_facts(team *t, store *own, const store_totals *totals,
                          partfile_facts *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    *out = (partfile_facts){0};
    TRY(store_begin_read(own, &txn, err));
    TRY(own_facts(txn, totals, out, err));
    store_abort(&txn);
    TRY(gather_facts(t, out, err));
    TRY(spread_facts(t, out, err));
out:
    store_abort(&txn);
    if (st != KEDGE_OK)
        partfile_free(out);
    return st;
}

kedge_status muster_call(team *t, store *own, const store_totals *totals,
                         const words *all, const kedge_control *control,
                         muster *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    *out = (muster){0};
    TRY(elsewhere_refuse(totals, "fitting several stores together", err));
    TRY(store_begin_read(own, &txn, err));
    TRY(own_facts(txn, totals, &out->facts, err));
    TRY(tallies_of(txn, all, &out->words, err));
    store_abort(&txn);
    TRY(gather_facts(t, &out->facts, err));
    TRY(tallies_join(t, &out->words, control, err));
out:
    store_abort(&txn);
    if (st != KEDGE_OK)
        muster_free(out);
    return st;
}
