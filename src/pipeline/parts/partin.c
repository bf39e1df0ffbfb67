/* SPDX-License-Identifier: MIT */
/*
 * A part comes in: what has to agree is looked at first; then words get ids of
 * this store, and rows are added to those of the same words. Both lie in the
 * order of the words' bytes, so that one walk over both of them does. The sums
 * go under the number that the view's rows have not, over several transactions,
 * as when a sketch is saved; the last one, when the file turned out to be
 * whole, puts all that names them.
 */
#include "pipeline/parts/partin.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "base/wordmap.h"
#include "pipeline/parts/pairing.h"
#include "pipeline/parts/partfile.h"
#include "pipeline/parts/rowflow.h"
#include "pipeline/plan.h"
#include "io/stream.h"
#include "sketch/statistic.h"

#define TOGETHER 8 /* chunks of rows in a transaction */

typedef struct taking {
    store *s;
    const kedge_control *control;
    kedge_sketch_import_result *out;
    const char *name;    /* of the file, for messages */
    parcel_in from;
    partfile_facts facts;
    store_totals totals;
    text_settings tokenizing;     /* of the store, then of both */
    bool settled;        /* the store had texts */
    pairing pairs;       /* of views */
    words all;           /* the store's, then with the part's */
    size_t known;        /* of them in the store */
    words came;          /* the part's, in order */
    uint64_t *tf, *df;   /* of these */
    uint32_t *id;        /* of these: in `all` */
    uint32_t *order;     /* of `all`, by their bytes */
    uint32_t *place;     /* by id: among the part's words, or WORDMAP_NONE */
    uint64_t *all_df;    /* by id: of the store, before */
    stage told;
    uint64_t rows;       /* that were added up */
} taking;

/* ---- parts --------------------------------------------------------------- */

static bool same_documents(const store_part *a, const store_part *b)
{
    return a->documents == b->documents && a->digest[0] == b->digest[0] &&
           a->digest[1] == b->digest[1];
}

/* Whether the store has this one: as a part, or as its own documents. */
static kedge_status taking_find(const taking *k, store_txn *txn,
                                const store_part *p, bool *has,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_part own = {.documents = k->totals.documents,
                      .digest = {k->totals.digest[0], k->totals.digest[1]}};
    store_part other;

    *has = false;
    for (uint64_t i = 0; i < k->totals.parts; i++) {
        TRY(store_get_part(txn, i, &other, err));
        own.documents -= other.documents;
        own.digest[0] -= other.digest[0];
        own.digest[1] -= other.digest[1];
        if (same_documents(p, &other))
            *has = true;
        else if (strcmp(p->name, other.name) == 0)
            TRY(kedge_fail(err, KEDGE_EINVAL,
                           "the store has a part \"%.63s\" of %" PRIu64
                           " other documents; where these are none of them, "
                           "give the part another name (--name)", p->name,
                           other.documents));
    }
    if (own.documents > 0 && same_documents(p, &own))
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "part \"%.63s\" is of the %" PRIu64 " documents that "
                       "the store itself has", p->name, own.documents));
out:
    return st;
}

/* The documents that the store itself has, as one part. */
static kedge_status taking_check_own(const taking *k, store_txn *txn,
                                     kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_totals *const t = &k->totals;
    const partfile_facts *const f = &k->facts;
    store_part sum;

    TRY(store_sum_parts(txn, t, &sum, err));
    if (t->documents > sum.documents &&
        t->documents - sum.documents == f->documents &&
        t->digest[0] - sum.digest[0] == f->digest[0] &&
        t->digest[1] - sum.digest[1] == f->digest[1])
        st = kedge_fail(err, KEDGE_EINVAL,
                        "it is of the %" PRIu64 " documents that the store "
                        "itself has", f->documents);
out:
    return st;
}

/* All of them are known, or none: the sketch is of all together. */
static kedge_status taking_know(const taking *k, store_txn *txn, bool *known,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_part *some = NULL, *other = NULL;
    bool has;

    for (size_t i = 0; i < k->facts.parts; i++) {
        TRY(taking_find(k, txn, &k->facts.part[i], &has, err));
        if (has)
            some = &k->facts.part[i];
        else
            other = &k->facts.part[i];
    }
    if (some != NULL && other != NULL)
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "the store has part \"%.63s\" of it, and not \"%.63s\": "
                       "they come together and cannot be told apart",
                       some->name, other->name));
    *known = other == NULL;
    TRY(taking_check_own(k, txn, err));
out:
    return st;
}

/* ---- what has to agree --------------------------------------------------- */

static kedge_status taking_agree(taking *k, store_txn *txn, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(text_settings_load(&k->tokenizing, txn, err));
    k->settled = k->tokenizing.settings.texts;
    TRY(text_settings_join(&k->tokenizing, store_path(k->s),
                           &k->facts.tokenizing, k->name, err));
    TRY(pairing_make(&k->pairs, txn, &k->totals, &k->facts, k->control, err));
out:
    return st;
}

static kedge_status taking_plan(taking *k, kedge_error *err)
{
    const uint64_t n = k->all.count + k->facts.words;
    const uint64_t bytes = words_bytes(&k->all) + 2 * k->facts.word_bytes;
    uint64_t width = 0;

    for (size_t i = 0; i < k->facts.views; i++)
        if (k->facts.view[i].view.width > width)
            width = k->facts.view[i].view.width;
    return plan_walk(&(walk_shape){.what = "importing a sketch",
                                   .threads = 1,
                                   .vocabulary = n,
                                   .word_bytes = bytes,
                                   .more = memory_rowflow(width) +
                                           memory_parcel(width) +
                                           memory_wordmap(n) +
                                           TOGETHER * STORE_CHUNK_ROWS * 8 *
                                               (1 + width) +
                                           memory_counts(n)},
                     k->control, &k->out->planned_memory, err);
}

/* ---- words --------------------------------------------------------------- */

/* Those of the part get ids; *place leads back. */
static kedge_status taking_number(taking *k, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    wordmap ids = {0};
    size_t twin;

    TRY_MEM(wordmap_open(&ids, &k->all) ? k : NULL);
    for (size_t i = 0; i < k->came.count; i++)
        if (!wordmap_add(&ids, span_of(words_get(&k->came, i),
                                       words_size(&k->came, i)), &k->id[i]))
            TRY_MEM(NULL);
    TRY_MEM(k->order = words_order(&k->all, &twin));
    TRY_MEM(k->place = mem_new(k->all.count, sizeof *k->place));
    for (size_t id = 0; id < k->all.count; id++)
        k->place[id] = WORDMAP_NONE;
    for (size_t i = 0; i < k->came.count; i++)
        k->place[k->id[i]] = (uint32_t)i;
out:
    wordmap_close(&ids);
    return st;
}

static kedge_status taking_words(taking *k, store_txn *txn, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = k->facts.words;
    uint64_t *tf = NULL;

    TRY_MEM(k->tf = mem_new(n, sizeof *k->tf));
    TRY_MEM(k->df = mem_new(n, sizeof *k->df));
    TRY_MEM(k->id = mem_new(n, sizeof *k->id));
    TRY(partfile_get_words(&k->from, &k->facts, &k->came, k->tf, k->df, err));
    k->known = k->all.count;
    TRY(taking_number(k, err));
    TRY_MEM(tf = mem_new(k->all.count, sizeof *tf));
    TRY_MEM(k->all_df = mem_new(k->all.count, sizeof *k->all_df));
    TRY(store_get_counts(txn, tf, k->all_df, k->known, err));
out:
    mem_free(tf);
    return st;
}

/* ---- lists --------------------------------------------------------------- */

/* That the store has of it: a sketch that was only written down has none. */
static uint64_t pair_rows(const pair *p)
{
    return p->exists && store_view_has_rows(&p->view) ? p->view.words : 0;
}

/* Who has which words: a bit each. */
enum { IN_STORE = 1, IN_PART = 2 };

static kedge_status taking_disagree(const taking *k, const pair *p, size_t id,
                                    bool listed, kedge_error *err)
{
    const size_t size = words_size(&k->all, id);

    return kedge_fail(err, KEDGE_EINVAL,
                      "the word \"%.*s\" is in both, and in view %" PRIu32
                      " only of %s: the view's words are not the same",
                      size < 80 ? (int)size : 80, words_get(&k->all, id),
                      p->number, listed ? "the part" : "the store");
}

/* Both views leave out the same of the words that both have. */
static kedge_status taking_compare(const taking *k, const pair *p,
                                   const uint8_t *member, kedge_error *err)
{
    for (size_t id = 0; p->exists && id < k->all.count; id++) {
        const bool both = k->place[id] != WORDMAP_NONE && k->all_df[id] > 0;
        if (both && member[id] != 0 && member[id] != (IN_STORE | IN_PART))
            return taking_disagree(k, p, id, member[id] == IN_PART, err);
    }
    return KEDGE_OK;
}

static kedge_status taking_part_list(taking *k, const pair *p,
                                     uint8_t *member, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_view *const theirs = &k->facts.view[p->theirs].view;
    uint32_t *place = NULL;

    TRY_MEM(place = mem_new(theirs->words, sizeof *place));
    TRY(partfile_get_list(&k->from, k->facts.words, place, theirs->words,
                          err));
    for (size_t i = 0; i < theirs->words; i++)
        member[k->id[place[i]]] |= IN_PART;
out:
    mem_free(place);
    return st;
}

static kedge_status taking_store_list(const taking *k, store_txn *txn,
                                      const pair *p, uint8_t *member,
                                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_list list = {0};

    TRY(store_get_list(txn, p->number, &list, err));
    for (size_t i = 0; i < list.count; i++) {
        if (list.ids[i] >= k->known)
            TRY(kedge_fail(err, KEDGE_ECORRUPT,
                           "the list of view %" PRIu32 " is damaged",
                           p->number));
        member[list.ids[i]] |= IN_STORE;
    }
out:
    store_list_free(&list);
    return st;
}

/* By id: whose rows there are. All words of a view without a list have one. */
static kedge_status taking_members(taking *k, store_txn *txn, pair *p,
                                   uint8_t *member, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const bool listed = k->facts.view[p->theirs].view.listed;

    if (listed) {
        TRY(taking_part_list(k, p, member, err));
        if (p->exists)
            TRY(taking_store_list(k, txn, p, member, err));
        TRY(taking_compare(k, p, member, err));
    } else {
        for (size_t id = 0; id < pair_rows(p); id++)
            member[id] |= IN_STORE;
        for (size_t i = 0; i < k->came.count; i++)
            member[k->id[i]] |= IN_PART;
    }
out:
    return st;
}

/* ---- rows ---------------------------------------------------------------- */

/* Rows on their way into the store: a few chunks are a transaction. */
typedef struct putting {
    taking *k;
    uint32_t number;
    rowstore from; /* read in the transaction that is put into */
} putting;

static kedge_status putting_put(void *data, size_t chunk, store_rows *rows,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    putting *const p = data;
    store_txn **const txn = &p->from.txn;

    TRY(store_put_rows(*txn, p->number, chunk, rows, err));
    if ((chunk + 1) % TOGETHER == 0) {
        TRY(store_commit(txn, err));
        TRY(store_begin_write(p->k->s, txn, err));
    }
out:
    return st;
}

typedef struct incoming {
    parcel_in *from;
    size_t width;
} incoming;

static kedge_status incoming_fetch(void *data, size_t chunk, size_t rows,
                                   int64_t *values, kedge_error *err)
{
    const incoming *const in = data;

    (void)chunk;
    return parcel_next_rows(in->from, rows, in->width, values, err);
}

/* The rows of a view's words, which both or one have. */
typedef struct summing {
    rowflow ours, theirs;
    rowsink out;
    statistic_sum total;
} summing;

static kedge_status summing_row(summing *m, uint8_t member, size_t width,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    int64_t *to, *row;

    TRY(rowsink_row(&m->out, &to, err));
    memset(to, 0, (1 + width) * sizeof *to);
    if ((member & IN_STORE) != 0 && m->ours.rows > 0) {
        TRY(rowflow_next(&m->ours, &row, err));
        TRY(rowflow_add(to, row, width, err));
    }
    if ((member & IN_PART) != 0) {
        TRY(rowflow_next(&m->theirs, &row, err));
        TRY(rowflow_add(to, row, width, err));
    }
    statistic_add(&m->total, to[0]);
out:
    return st;
}

/* A view without a list has a row for each word, held or not. */
static kedge_status taking_walk(taking *k, pair *p, const uint8_t *member,
                                summing *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const bool listed = p->view.listed;

    for (size_t r = 0; r < k->all.count; r++) {
        const uint32_t id = k->order[r];
        if (listed && member[id] == 0)
            continue;
        TRY(summing_row(m, member[id], p->view.width, err));
        p->rows++;
        TRY(stage_reach(&k->told, ++k->rows, err));
    }
    TRY(rowsink_end(&m->out, err));
    if (statistic_damped(p->view.statistic))
        p->total = statistic_total(&m->total);
out:
    return st;
}

static kedge_status taking_rows(taking *k, pair *p, const uint8_t *member,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t width = p->view.width;
    const store_view *const theirs = &k->facts.view[p->theirs].view;
    incoming from = {&k->from, width};
    putting to = {.k = k, .number = p->fresh_rows,
                  .from = {.number = p->view.rows, .width = width}};
    store_txn **const txn = &to.from.txn;
    summing m = {.ours = {.rows = pair_rows(p),
                          .width = width, .fetch = rowstore_fetch,
                          .data = &to.from},
                 .theirs = {.rows = theirs->words, .width = width,
                            .fetch = incoming_fetch, .data = &from},
                 .out = {.width = width, .put = putting_put, .data = &to}};

    TRY(store_begin_write(k->s, txn, err));
    TRY(store_drop_rows(*txn, p->fresh_rows, err)); /* of an interruption */
    TRY(store_commit(txn, err));
    TRY(store_begin_write(k->s, txn, err));
    TRY(taking_walk(k, p, member, &m, err));
    TRY(store_commit(txn, err));
out:
    store_abort(txn);
    store_rows_free(&to.from.scratch);
    rowflow_free(&m.ours);
    rowflow_free(&m.theirs);
    rowsink_free(&m.out);
    return st;
}

static kedge_status taking_keep_list(const taking *k, pair *p,
                                     const uint8_t *member, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_list *const l = &p->list;

    if (!p->view.listed)
        return KEDGE_OK;
    TRY_MEM(mem_grow((void **)&l->ids, &l->capacity, k->all.count,
                     sizeof *l->ids) ? p : NULL);
    for (size_t id = 0; id < k->all.count; id++)
        if (member[id] != 0)
            l->ids[l->count++] = (uint32_t)id;
out:
    return st;
}

static kedge_status taking_pair(taking *k, pair *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    uint8_t *member = NULL;

    TRY_MEM(member = mem_new(k->all.count, sizeof *member));
    TRY(store_begin_read(k->s, &txn, err));
    TRY(taking_members(k, txn, p, member, err));
    store_abort(&txn);
    TRY(taking_keep_list(k, p, member, err));
    TRY(taking_rows(k, p, member, err));
out:
    store_abort(&txn);
    mem_free(member);
    return st;
}

/* A sketch that the store has no place for is passed over. */
static kedge_status taking_pass(taking *k, const store_view *v,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    incoming from = {&k->from, v->width};
    rowflow in = {.rows = v->words, .width = v->width,
                  .fetch = incoming_fetch, .data = &from};
    uint32_t *place = NULL;
    int64_t *row;

    TRY_MEM(place = mem_new(v->words, sizeof *place));
    if (v->listed)
        TRY(partfile_get_list(&k->from, k->facts.words, place, v->words,
                              err));
    while (in.at < in.rows)
        TRY(rowflow_next(&in, &row, err));
out:
    rowflow_free(&in);
    mem_free(place);
    return st;
}

static kedge_status taking_views(taking *k, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    k->told = stage_begin(k->control, "importing",
                          k->pairs.count * k->all.count, "rows");
    for (size_t i = 0; i < k->facts.views; i++) {
        pair *const p = pairing_find(&k->pairs, i);
        TRY(p != NULL ? taking_pair(k, p, err)
                      : taking_pass(k, &k->facts.view[i].view, err));
    }
out:
    return st;
}

/* ---- the last transaction ------------------------------------------------ */

/* What the store counted, or what its parts have of that, and the part. */
static void taking_add_counts(const taking *k, uint64_t *tf, uint64_t *df)
{
    for (size_t i = 0; i < k->came.count; i++) {
        tf[k->id[i]] += k->tf[i];
        df[k->id[i]] += k->df[i];
    }
}

static kedge_status taking_put_counts(taking *k, store_txn *txn,
                                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = k->all.count;
    uint64_t *tf = NULL, *df = NULL;

    TRY_MEM(tf = mem_new(n, sizeof *tf));
    TRY_MEM(df = mem_new(n, sizeof *df));
    TRY(store_get_counts(txn, tf, df, k->known, err));
    taking_add_counts(k, tf, df);
    TRY(store_put_words(txn, &k->all, k->known, err));
    TRY(store_put_counts(txn, tf, df, n, err));
    TRY(store_get_part_counts(txn, tf, df, n, err));
    taking_add_counts(k, tf, df);
    TRY(store_put_part_counts(txn, tf, df, n, err));
out:
    mem_free(tf);
    mem_free(df);
    return st;
}

static kedge_status taking_put_parts(taking *k, store_txn *txn,
                                     kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_totals *const t = &k->totals;
    const uint64_t now = (uint64_t)time(NULL);

    for (size_t i = 0; i < k->facts.parts; i++) {
        store_part p = k->facts.part[i];
        p.when = now;
        TRY(store_put_part(txn, t->parts++, &p, err));
    }
    t->documents += k->facts.documents;
    t->tokens += k->facts.tokens;
    t->nonzeros += k->facts.nonzeros;
    t->digest[0] += k->facts.digest[0];
    t->digest[1] += k->facts.digest[1];
    t->words = k->all.count;
    t->word_bytes = words_bytes(&k->all);
    TRY(store_put_totals(txn, t, err));
out:
    return st;
}

static kedge_status taking_put_view(taking *k, store_txn *txn, const pair *p,
                                    kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_view *const theirs = &k->facts.view[p->theirs].view;
    store_view v = p->view;

    v.documents += theirs->documents;
    v.skipped += theirs->skipped;
    v.tokens += theirs->tokens;
    v.words = p->rows;
    v.total = p->total;
    v.rows = p->fresh_rows;
    v.parts = k->totals.parts;
    TRY(store_put_view(txn, p->number, &v, err));
    if (v.listed)
        TRY(store_put_list(txn, p->number, p->list.ids, p->list.count, err));
    if (p->exists) {
        TRY(store_drop_rows(txn, p->view.rows, err));
        TRY(store_drop_spectra(txn, p->number, err));
    }
out:
    return st;
}

static kedge_status taking_commit(taking *k, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_write(k->s, &txn, err));
    TRY(taking_put_counts(k, txn, err));
    TRY(taking_put_parts(k, txn, err));
    if (k->tokenizing.settings.texts && !k->settled)
        TRY(text_settings_put(&k->tokenizing, txn, err));
    for (size_t i = 0; i < k->pairs.count; i++)
        TRY(taking_put_view(k, txn, &k->pairs.pair[i], err));
    TRY(store_commit(&txn, err));
out:
    store_abort(&txn);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

/* All that is looked at before work begins. */
static kedge_status taking_look(taking *k, bool *known, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_check_writable(k->s, err));
    TRY(plan_load_words(k->s, k->control, &k->totals, &k->all, err));
    TRY(store_begin_read(k->s, &txn, err));
    TRY(taking_know(k, txn, known, err));
    if (*known)
        goto out;
    TRY(taking_agree(k, txn, err));
    TRY(taking_plan(k, err));
out:
    store_abort(&txn);
    return st;
}

static kedge_status taking_run(taking *k, const parcel_source *from,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    bool known;

    TRY(parcel_open(&k->from, from, err));
    TRY(partfile_get_facts(&k->from, &k->facts, err));
    if (k->facts.parts == 0) {
        k->out->empty = true;
        return parcel_close(&k->from, err);
    }
    TRY(taking_look(k, &known, err));
    if (known)
        return KEDGE_OK;
    TRY(store_begin_read(k->s, &txn, err));
    st = taking_words(k, txn, err);
    store_abort(&txn);
    TRY(st);
    TRY(taking_views(k, err));
    TRY(parcel_close(&k->from, err));
    TRY(taking_commit(k, err));
    k->out->parts = k->facts.parts;
    k->out->documents = k->facts.documents;
    k->out->tokens = k->facts.tokens;
    k->out->views = k->pairs.count;
out:
    return st;
}

static void taking_free(taking *k)
{
    parcel_in_free(&k->from);
    partfile_free(&k->facts);
    pairing_free(&k->pairs);
    text_settings_free(&k->tokenizing);
    words_free(&k->all);
    words_free(&k->came);
    mem_free(k->tf);
    mem_free(k->df);
    mem_free(k->id);
    mem_free(k->order);
    mem_free(k->place);
    mem_free(k->all_df);
}

kedge_status partin_take(store *s, const parcel_source *from, const char *name,
                         const kedge_control *control,
                         kedge_sketch_import_result *out, kedge_error *err)
{
    const double start = clock_seconds();
    taking k = {.s = s, .control = control, .out = out, .name = name};
    kedge_status st;

    *out = (kedge_sketch_import_result){0};
    st = taking_run(&k, from, err);
    if (st != KEDGE_OK && st != KEDGE_ECANCELED)
        kedge_fail_context(err, "%s", name);
    out->words = k.all.count;
    out->seconds = clock_seconds() - start;
    taking_free(&k);
    return st;
}

static kedge_status file_read(void *data, void *to, size_t room, size_t *got,
                              kedge_error *err)
{
    return stream_read(data, to, room, got, err);
}

/* Who writes into a pipe is not to be told that nobody reads. */
static kedge_status file_drain(stream *from, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    char bytes[4096];
    size_t got = 1;

    while (got > 0)
        TRY(stream_read(from, bytes, sizeof bytes, &got, err));
out:
    return st;
}

kedge_status kedge_sketch_import(kedge_store *s, const char *path,
                                 const kedge_control *control,
                                 kedge_sketch_import_result *out,
                                 kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_sketch_import_result){0};
    API_ENTER(err, {"store", s}, {"path", path}, {"out", out});
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    stream *from = NULL;

    TRY(stream_open(path, control, &from, err));
    stream_set_binary(from);
    TRY(partin_take(s, &(parcel_source){file_read, from}, stream_name(from),
                    control, out, err));
    if (out->parts == 0)
        TRY(file_drain(from, err));
out:
    stream_close(from);
    return api_leave(st, err);
}
