/* SPDX-License-Identifier: MIT */
/*
 * Parts travel as they do in files, in pairs: of 2^k neighbours the first has
 * what all of them have, so each word is received a few times at most, however
 * many ranks there are.
 */
#include <kedge/comm.h>

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "ops/elsewhere.h"
#include "ops/plan.h"
#include "ops/ranks/ranks.h"

/* ---- bytes between ranks ------------------------------------------------- */

#define PIECE (UINT64_C(1) << 14)

/* A stream of bytes: pieces, each after its size; an empty one ends it. */
typedef struct channel {
    communicator *comm;
    bool all;       /* from rank 0 to everybody; or between this rank and */
    unsigned other; /* another one */
    bool ended;
    uint64_t size, at; /* of the piece; what was read of it */
    uint8_t piece[PIECE];
} channel;

static void channel_send(channel *c, const void *value, size_t size)
{
    if (c->all)
        comm_bcast(c->comm, (void *)value, size, 0);
    else
        comm_send(c->comm, value, size, c->other);
}

static void channel_recv(channel *c, void *value, size_t size)
{
    if (c->all)
        comm_bcast(c->comm, value, size, 0);
    else
        comm_recv(c->comm, value, size, c->other);
}

static void channel_flush(channel *c)
{
    channel_send(c, &c->size, sizeof c->size);
    if (c->size > 0)
        channel_send(c, c->piece, c->size);
    c->size = 0;
}

static kedge_status channel_write(void *data, const void *bytes, size_t size,
                                  kedge_error *err)
{
    channel *const c = data;
    const uint8_t *at = bytes;

    (void)err;
    while (size > 0) {
        const size_t room = PIECE - c->size;
        const size_t n = size < room ? size : room;
        memcpy(c->piece + c->size, at, n);
        c->size += n;
        at += n;
        size -= n;
        if (c->size == PIECE)
            channel_flush(c);
    }
    return KEDGE_OK;
}

static kedge_status channel_read(void *data, void *to, size_t room, size_t *got,
                                 kedge_error *err)
{
    channel *const c = data;

    *got = 0;
    if (c->at == c->size && !c->ended) {
        channel_recv(c, &c->size, sizeof c->size);
        if (c->size > PIECE)
            return kedge_fail(err, KEDGE_EFORMAT, "it is damaged (a piece)");
        c->at = 0;
        c->ended = c->size == 0;
        if (!c->ended)
            channel_recv(c, c->piece, c->size);
    }
    *got = c->size - c->at < room ? c->size - c->at : room;
    memcpy(to, c->piece + c->at, *got);
    c->at += *got;
    return KEDGE_OK;
}

/* ---- parts between ranks ------------------------------------------------- */

/* Facts, or words, or both. */
static kedge_status send_part(channel *c, part_facts *f, const part_words *w,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    parcel_out to = {0};

    TRY(parcel_begin(&to, &(parcel_sink){channel_write, c}, err));
    if (f != NULL) {
        for (size_t i = 0; i < f->indexes; i++)
            f->index[i].index.words = f->words; /* they are of all words */
        TRY(part_put_facts(&to, f, err));
    }
    if (w != NULL)
        TRY(part_put_words(&to, w, err));
    TRY(parcel_end(&to, err));
    if (c->size > 0)
        channel_flush(c);
    channel_flush(c);
out:
    parcel_out_free(&to);
    return st;
}

/* Words that are received, and what they become with those that are here, among
 * which are those of the own store. */
static kedge_status plan_words(const part_words *here, const part_facts *coming,
                               const kedge_control *control, kedge_error *err)
{
    const uint64_t n = here->w.count + coming->words;
    const uint64_t bytes = words_bytes(&here->w) + coming->word_bytes;
    uint64_t total;

    return plan_walk(&(walk_shape){.what = "bringing words together",
                                   .threads = 1, .vocabulary = here->w.count,
                                   .word_bytes = words_bytes(&here->w),
                                   .more = memory_part_words(n, bytes) +
                                           memory_parcel(0)},
                     control, &total, err);
}

/* Joins what another rank sends. */
static kedge_status recv_part(communicator *comm, unsigned from,
                              const kedge_control *control, part *own,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    channel c = {.comm = comm, .other = from};
    parcel_in in = {0};
    part p = {0};

    TRY(parcel_open(&in, &(parcel_source){channel_read, &c}, err));
    TRY(part_get_facts(&in, &p.facts, err));
    if (p.facts.words > 0) {
        TRY(plan_words(&own->words, &p.facts, control, err));
        TRY(part_get_words(&in, p.facts.words, p.facts.word_bytes, &p.words,
                           err));
        TRY(part_check_words(&p.facts, &p.words, err));
    }
    TRY(parcel_close(&in, err));
    TRY(part_join(own, &p, err));
out:
    if (st == KEDGE_EFORMAT || st == KEDGE_EVERSION)
        kedge_fail_context(err, "data from rank %u", from);
    parcel_in_free(&in);
    part_free(&p);
    return st;
}

/* Indexes of all words, which any words can be added to. */
static kedge_status add_index(void *data, uint32_t number, store_index *index,
                              kedge_error *err)
{
    part_facts *const f = data;

    return index->listed || f->indexes == PART_INDEXES_MOST
               ? KEDGE_OK
               : part_add_index(f, number, index, err);
}

/* What the own store has. */
static kedge_status load_part(store *own, const store_totals *totals,
                              const words *all, part *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    part_facts *const f = &out->facts;
    store_txn *txn = NULL;
    uint32_t *order = NULL;
    size_t twin;

    TRY(store_begin_read(own, &txn, err));
    TRY(part_facts_of(txn, totals, NULL, f, err));
    if (f->documents > 0) /* else there is nothing to agree on */
        TRY(store_each_index(txn, add_index, f, err));
    if (all == NULL)
        goto out;
    TRY_MEM(order = words_order(all, &twin));
    TRY(part_words_of(txn, all, order, NULL, &out->words, err));
    f->words = out->words.w.count;
    f->word_bytes = words_bytes(&out->words.w);
out:
    store_abort(&txn);
    mem_free(order);
    return st;
}

kedge_status gather_parts(communicator *comm, store *own,
                          const store_totals *totals, const words *all,
                          const kedge_control *control, part *out,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *out = (part){0};
    TRY(load_part(own, totals, all, out, err));
    for (unsigned step = 1; step < comm->size; step *= 2) {
        if (comm->rank % (2 * step) == step) {
            channel c = {.comm = comm, .other = comm->rank - step};
            TRY(send_part(&c, &out->facts, &out->words, err));
            part_free(out);
            break;
        }
        if (comm->rank + step < comm->size)
            TRY(recv_part(comm, comm->rank + step, control, out, err));
    }
out:
    if (st != KEDGE_OK)
        part_free(out);
    return st;
}

/* Rank 0's facts, or so many of its words, become everybody's. */
static kedge_status bcast_part(communicator *comm, part_facts *f, size_t count,
                               part_words *w, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    channel c = {.comm = comm, .all = true};
    parcel_in in = {0};

    if (comm->rank == 0)
        return send_part(&c, f, w, err);
    TRY(parcel_open(&in, &(parcel_source){channel_read, &c}, err));
    if (f != NULL)
        TRY(part_get_facts(&in, f, err));
    if (w != NULL)
        TRY(part_get_words(&in, count, UINT64_MAX, w, err));
    TRY(parcel_close(&in, err));
out:
    if (st == KEDGE_EFORMAT || st == KEDGE_EVERSION)
        kedge_fail_context(err, "data from rank 0");
    parcel_in_free(&in);
    return st;
}

kedge_status gather_bcast_words(communicator *comm, size_t count, part_words *p,
                                kedge_error *err)
{
    return bcast_part(comm, NULL, count, p, err);
}

/* ---- the store of sums --------------------------------------------------- */

/* Whether the store has these parts. */
static kedge_status same_parts(store_txn *txn, const store_totals *totals,
                               const part_facts *f, bool *same,
                               kedge_error *err)
{
    store_part a;

    *same = totals->parts == f->parts;
    for (size_t i = 0; *same && i < f->parts; i++) {
        const store_part *const b = &f->part[i];
        PASS(store_get_part(txn, i, &a, err));
        *same = strcmp(a.name, b->name) == 0 && a.documents == b->documents &&
                a.digest[0] == b->digest[0] && a.digest[1] == b->digest[1];
    }
    return KEDGE_OK;
}

static kedge_status drop_unlisted(void *data, uint32_t number,
                                  store_index *index, kedge_error *err)
{
    return index->listed ? KEDGE_OK : store_drop_index(data, number, err);
}

/* Indexes of all words are replaced by those of the ranks; where one of a list
 * has the number, they get the next. */
static kedge_status put_indexes(store_txn *txn, const part_facts *f,
                                size_t rows, kedge_error *err)
{
    kedge_status st;
    store_index v;

    PASS(store_each_index(txn, drop_unlisted, txn, err));
    for (size_t i = 0; i < f->indexes; i++) {
        uint32_t number = f->index[i].number;
        while ((st = store_get_index_record(txn, number, &v, err)) == KEDGE_OK)
            number++;
        if (st != KEDGE_ENOTFOUND)
            return st;
        v = part_empty_index(&f->index[i].index, number);
        v.words = rows;
        PASS(store_put_index(txn, number, &v, err));
    }
    return KEDGE_OK;
}

kedge_status gather_put(store *sum, const part *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const part_facts *const f = &p->facts;
    store_txn *txn = NULL;
    store_totals totals;
    words all = {0};
    uint32_t *id = NULL;
    uint64_t own;
    size_t known;
    bool same;

    TRY(store_load_words(sum, &totals, &all, err));
    known = all.count;
    TRY(store_begin_read(sum, &txn, err));
    TRY(elsewhere_own(txn, &totals, &own, err));
    if (own > 0 || totals.blocks > 0)
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "%s has documents, but the common counts of several "
                       "processes need a store without: remove the documents "
                       "('kedge remove') or name another store",
                       store_path(sum)));
    TRY(same_parts(txn, &totals, f, &same, err));
    store_abort(&txn);
    if (!same) {
        TRY_MEM(id = mem_new(p->words.w.count, sizeof *id));
        TRY(part_number_words(&all, &p->words.w, true, id, err));
    }
    TRY(store_begin_write(sum, &txn, err));
    if (!same) {
        TRY(part_put(txn, p, id, &all, known, true, &totals, err));
        if (f->tokenizing.settings.texts)
            TRY(text_settings_put(&f->tokenizing, txn, err));
    }
    TRY(put_indexes(txn, f, all.count, err));
    TRY(store_commit(&txn, err));
out:
    store_abort(&txn);
    words_free(&all);
    mem_free(id);
    return st;
}

/* ---- settings that hold for all ------------------------------------------ */

/* A store without documents, as there were fewer files than processes, begins
 * with what the others have, as if it had read what they did: how texts are
 * cut, and indexes of all words, with nothing in them yet. */
static kedge_status adopt_facts(store *s, const store_totals *totals,
                                const part_facts *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const bool empty = totals->documents == 0 && totals->blocks == 0;
    text_settings own = {0};
    store_index v;
    bool cuts;

    TRY(store_begin_read(s, &txn, err));
    TRY(text_settings_load(&own, txn, err));
    store_abort(&txn);
    cuts = f->tokenizing.settings.texts && !own.settings.texts;
    if (!cuts && !empty)
        goto out;
    TRY(store_begin_write(s, &txn, err));
    if (cuts)
        TRY(text_settings_put(&f->tokenizing, txn, err));
    for (size_t i = 0; empty && i < f->indexes; i++) {
        const uint32_t number = f->index[i].number;
        st = store_get_index_record(txn, number, &v, err);
        if (st == KEDGE_OK)
            continue;
        if (st != KEDGE_ENOTFOUND)
            goto out;
        v = part_empty_index(&f->index[i].index, number);
        TRY(store_put_index(txn, number, &v, err));
    }
    TRY(store_commit(&txn, err));
out:
    store_abort(&txn);
    text_settings_free(&own);
    return st;
}

kedge_status kedge_comm_settle(const kedge_member *self, kedge_error *err)
{
    API_ENTER(err, {"self", self});
    API_ENTER(err, {"team", self->team}, {"own", self->own});

    kedge_status st = KEDGE_OK;
    part all = {0};
    words known = {0};
    store_totals totals;

    TRY(store_load_words(self->own, &totals, &known, err));
    TRY(gather_parts(self->team, self->own, &totals, NULL, NULL, &all, err));
    TRY(bcast_part(self->team, &all.facts, 0, NULL, err));
    if (all.facts.documents > 0)
        TRY(adopt_facts(self->own, &totals, &all.facts, err));
out:
    words_free(&known);
    part_free(&all);
    return api_leave(st, err);
}
