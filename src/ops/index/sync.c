/* SPDX-License-Identifier: MIT */
/*
 * Syncing. The sketch of an open index is loaded as it was last saved; batches
 * are added to it, of documents that come in or of stored ones, and what was
 * removed is subtracted; then it is saved again.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "ops/index/index.h"

/* Seconds between two savings of the sketch; or as many times what the last one
 * took, where that is more. */
#define SAVE_SECONDS 30
#define SAVE_SHARE 30

const words *index_words(const open_index *x)
{
    return filter_words(&x->filter);
}

/* ---- batches ------------------------------------------------------------- */

kedge_status index_window(open_index *x, doc_batch *b, kedge_error *err)
{
    b->w.rank = x->rank;
    b->w.statistic = &x->statistic;
    b->w.negative = b->negative;
    b->w.degrees = x->degrees;
    b->w.most = batch_limits_of(x->halvings).entries;
    return x->idle ? KEDGE_OK
                   : window_fill(&b->w, &b->docs, index_words(x)->count,
                                 x->index.min_tokens, err);
}

kedge_status index_begin(open_index *x, const doc_batch *b, size_t *tiles,
                         kedge_error *err)
{
    const bool adds = x->z != NULL && b->w.documents > 0;

    *tiles = adds ? sketch_tiles(x->z) : 0;
    return adds ? sketch_begin(x->z, &b->w, err) : KEDGE_OK;
}

void index_tile(open_index *x, const doc_batch *b, size_t tile, unsigned worker)
{
    sketch_tile(x->z, &b->w, tile, worker);
}

/* Modulo 2^64, as taking away is adding what is missing to it. */
static void index_count(open_index *x, const doc_batch *b)
{
    const uint64_t sign = b->negative ? UINT64_MAX : 1;

    x->index.documents += sign * b->w.counted;
    x->index.skipped += sign * b->w.skipped;
    x->index.tokens += sign * b->w.tokens;
}

typedef struct adding {
    open_index *x;
    const doc_batch *b;
} adding;

static void add_tile(void *data, size_t tile, unsigned worker)
{
    const adding *const a = data;

    index_tile(a->x, a->b, tile, worker);
}

kedge_status index_finish(open_index *x, doc_batch *b, kedge_error *err)
{
    size_t tiles;

    index_count(x, b);
    while (b->w.more) { /* documents that are more than a window */
        PASS(window_go_on(&b->w, &b->docs, index_words(x)->count,
                          x->index.min_tokens, err));
        PASS(index_begin(x, b, &tiles, err));
        pool_run(x->p, tiles, add_tile, &(adding){x, b});
        index_count(x, b);
    }
    return KEDGE_OK;
}

/* ---- stored documents ---------------------------------------------------- */

typedef struct replay {
    open_index *x;
    doc_batch *coming, *current; /* that is read, and added */
    uint64_t next, end;
    bool removals; /* these are counted, and not blocks */
    bool negative; /* documents are subtracted */
    uint64_t *mark; /* how far it has come */
    const char *stage;
} replay;

/* Fills the batch that comes with blocks, or with what removals took out. */
static kedge_status replay_blocks(replay *r, store_txn *txn, kedge_error *err)
{
    open_index *const x = r->x;
    docs *const d = &r->coming->docs;
    const batch_limits most = batch_limits_of(x->halvings);
    size_t entries = 0, seen = 0;

    while (r->next < r->end && d->count < most.documents &&
           entries + STORE_BLOCK_ENTRIES <= most.entries) {
        if (r->removals) {
            const size_t before = d->count;
            uint64_t block;
            PASS(filter_read_removed(&x->filter, txn, r->next, &block, d, err));
            if (block >= x->index.blocks) /* which was never added */
                d->count = before;
        } else {
            PASS(store_next_block(txn, r->next, r->end, &r->next, err));
            if (r->next == r->end)
                break;
            PASS(filter_read(&x->filter, txn, r->next, d, err));
        }
        r->next++;
        for (; seen < d->count; seen++)
            entries += batch_entries(d, seen);
    }
    return KEDGE_OK;
}

static void replay_read(void *data)
{
    replay *const r = data;
    doc_batch *const b = r->coming;
    kedge_error *const err = &b->error;
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    docs_clear(&b->docs);
    b->last = r->next == r->end;
    b->negative = r->negative;
    TRY(store_begin_read(r->x->s, &txn, err));
    TRY(replay_blocks(r, txn, err));
    TRY(index_window(r->x, b, err));
out:
    store_abort(&txn);
    b->status = st;
}

/* The next batch is read while the current one is added. */
static void replay_task(void *data, size_t task, unsigned worker)
{
    replay *const r = data;

    if (task == 0)
        replay_read(r);
    else
        index_tile(r->x, r->current, task - 1, worker);
}

/* From the mark on to `end`. */
static kedge_status index_replay(replay r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    open_index *const x = r.x;
    const uint64_t from = *r.mark;
    doc_batch two[2] = {{.used = 0}};
    stage progress = stage_begin(x->control, r.stage, r.end - from,
                                 r.removals ? "removals" : "blocks");

    if (from >= r.end)
        return KEDGE_OK;
    r.coming = &two[0];
    r.next = from;
    replay_read(&r);
    for (;;) {
        doc_batch *const b = r.current = r.coming;
        const uint64_t done = r.next;
        size_t tiles;
        if (b->status != KEDGE_OK)
            TRY(kedge_fail(err, b->status, "%s", b->error.text));
        if (b->last)
            break;
        r.coming = b == &two[0] ? &two[1] : &two[0];
        TRY(index_begin(x, b, &tiles, err));
        pool_run_own(x->p, 1 + tiles, 0, replay_task, &r);
        TRY(index_finish(x, b, err));
        progress.documents = x->index.documents;
        TRY(stage_reach(&progress, done - from, err));
        *r.mark = done;
        TRY(index_save_at_times(x, err));
        TRY(run_check(x->control, err));
    }
out:
    batch_free(&two[0]);
    batch_free(&two[1]);
    return st;
}

static kedge_status load_totals(store *s, store_totals *out, kedge_error *err)
{
    store_txn *txn = NULL;
    kedge_status st;

    PASS(store_begin_read(s, &txn, err));
    st = store_get_totals(txn, out, err);
    store_abort(&txn);
    return st;
}

kedge_status index_catch_up(open_index *x, kedge_error *err)
{
    store_totals totals;

    PASS(load_totals(x->s, &totals, err));
    if (x->index.blocks > 0) /* else there is nothing to subtract from */
        PASS(index_replay((replay){.x = x, .end = totals.removals,
                                   .removals = true, .negative = true,
                                   .mark = &x->index.removals,
                                   .stage = "sketch"}, err));
    x->index.removals = totals.removals;
    PASS(index_replay((replay){.x = x, .end = totals.blocks,
                               .mark = &x->index.blocks, .stage = "sketch"},
                      err));
    x->index.blocks = totals.blocks;
    return KEDGE_OK;
}

kedge_status index_hold_out(open_index *x, kedge_error *err)
{
    uint64_t done = 0;

    x->filter.held = true;
    PASS(index_replay((replay){.x = x, .end = x->index.blocks,
                               .negative = true, .mark = &done,
                               .stage = "holding out"}, err));
    x->filter.held = false;
    if (statistic_damped(x->index.statistic))
        x->index.total = sketch_total(x->z);
    return KEDGE_OK;
}

/* ---- one pass ------------------------------------------------------------ */

/* So many blocks of this pass are done. */
static kedge_status pass_reach(const pass_input *in, uint64_t blocks,
                               kedge_error *err)
{
    const uint64_t all = in->index->blocks;
    const stage progress = {.control = in->control, .name = in->stage,
                        .unit = "blocks", .total = in->passes * all,
                        .start = in->start};

    return stage_reach(&progress, in->number * all + blocks, err);
}

kedge_status pass_run(const pass_input *in, pass_take *take, void *data,
                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = filter_words(in->filter)->count;
    const uint64_t least = in->index->min_tokens;
    docs batch = {0};
    uint32_t *rank = NULL;
    uint64_t block = 0;
    statistic kind;
    window w = {.statistic = &kind, .degrees = in->degrees,
                .most = STORE_BLOCK_ENTRIES};

    TRY_MEM(rank = mem_new(n, sizeof *rank));
    for (size_t i = 0; i < in->index->words; i++)
        rank[in->order[i]] = (uint32_t)i;
    w.rank = rank;
    statistic_open(&kind, in->index->statistic);
    while (filter_next(in->filter, in->txn, &block, in->index->blocks, &batch,
                       &st, err)) {
        TRY(pass_reach(in, block - 1, err));
        TRY(window_fill(&w, &batch, n, least, err));
        TRY(take(data, &w, err));
        while (w.more) {
            TRY(window_go_on(&w, &batch, n, least, err));
            TRY(take(data, &w, err));
        }
    }
    TRY(st);
    TRY(pass_reach(in, in->index->blocks, err));
out:
    docs_free(&batch);
    window_free(&w);
    mem_free(rank);
    return st;
}

kedge_status pass_finish(const pass_input *in, kedge_error *err)
{
    pass_input all = *in;

    all.passes = in->number;
    return pass_reach(&all, 0, err);
}

/* ---- the saved sketch ---------------------------------------------------- */

/* The chunk's rows, of so many in all. */
static size_t chunk_rows(size_t rows, size_t chunk)
{
    const size_t left = rows - chunk * STORE_CHUNK_ROWS;

    return left < STORE_CHUNK_ROWS ? left : STORE_CHUNK_ROWS;
}

/* Rows lie in the order of the bytes of the index's first `words` words. */
static kedge_status index_load(open_index *x, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t width = x->index.width, stride = 1 + width;
    store_txn *txn = NULL;
    words known = *index_words(x);
    uint32_t *order = NULL;
    int64_t *values = NULL;
    store_rows scratch = {0};
    const uint8_t *bytes;
    size_t size, twin;
    stage progress;

    known.count = x->index.words;
    TRY(store_begin_read(x->s, &txn, err));
    TRY_MEM(order = words_order(&known, &twin));
    TRY_MEM(values = mem_new2(STORE_CHUNK_ROWS, stride, sizeof *values));
    progress = stage_begin(x->control, "loading the sketch", known.count,
                           "rows");
    for (size_t c = 0, row = 0; row < known.count; c++) {
        const size_t rows = chunk_rows(known.count, c);
        TRY(store_get_rows(txn, x->index.rows, c, &bytes, &size, err));
        TRY(store_rows_decode(&scratch, bytes, size, rows, width, values,
                              err));
        for (size_t i = 0; i < rows; i++)
            sketch_set_row(x->z, order[row++], values + i * stride);
        TRY(stage_reach(&progress, row, err));
    }
out:
    store_abort(&txn);
    store_rows_free(&scratch);
    mem_free(values);
    mem_free(order);
    return st;
}

/* The record, when there is one, and the words that it sees. */
static kedge_status index_look(open_index *x, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_read(x->s, &txn, err));
    st = store_get_index_record(txn, x->number, &x->index, err);
    x->exists = st == KEDGE_OK;
    if (st != KEDGE_ENOTFOUND)
        TRY(st);
    TRY(statistic_check(x->index.statistic, x->index.weight_bits,
                        x->index.value_bits, err));
    statistic_open(&x->statistic, x->index.statistic);
    TRY(filter_open(&x->filter, txn, x->number, &x->index, x->vocabulary, err));
    x->filter.out = x->out;
out:
    store_abort(&txn);
    return st;
}

kedge_status index_open(open_index *x, bool spill, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    sketch_opts opts = {.threads = pool_threads(x->p),
                        .spill = spill ? store_path(x->s) : NULL};
    store_index *const v = &x->index;
    uint32_t *order = NULL;
    size_t twin;

    TRY(index_look(x, err));
    if (x->degrees != NULL)
        v->blocks = v->removals = v->documents = v->skipped = v->tokens = 0;
    if (x->degrees != NULL || x->out != NULL)
        x->save_every = INFINITY;
    x->saved_blocks = v->blocks;
    x->saved_removals = v->removals;
    if (x->save_every == 0)
        x->save_every = SAVE_SECONDS;
    x->save_at = clock_seconds() + x->save_every;
    if (x->idle)
        goto out;
    TRY_MEM(order = words_order(index_words(x), &twin));
    TRY_MEM(x->rank = mem_new(index_words(x)->count, sizeof *x->rank));
    for (size_t r = 0; r < index_words(x)->count; r++)
        x->rank[order[r]] = (uint32_t)r;
    opts.width = v->width;
    opts.seed = v->seed;
    TRY(sketch_create(&opts, &x->z, err));
    TRY(sketch_add_words(x->z, index_words(x), err));
    sketch_populate(x->z, x->p);
    if (x->exists && store_index_has_rows(v))
        TRY(index_load(x, err));
out:
    mem_free(order);
    return st;
}

void index_close(open_index *x)
{
    sketch_free(x->z);
    filter_close(&x->filter);
    mem_free(x->rank);
    x->z = NULL;
    x->rank = NULL;
}

/* ---- saving -------------------------------------------------------------- */

typedef struct save {
    open_index *x;
    uint32_t *order;
    size_t chunks, from; /* from: of the group that is being encoded */
    size_t together;     /* chunks of a group */
    uint32_t number;     /* that the rows go under */
    store_rows made[2][BATCH_CHUNKS_SAVED];
    int64_t *values;     /* a chunk's rows, by worker */
    size_t side;         /* of made[] that is being encoded */
    kedge_status status[BATCH_CHUNKS_SAVED + 1];
    kedge_error error[BATCH_CHUNKS_SAVED + 1];
} save;

/* Chunks of the group that begins with this one. */
static size_t save_group(const save *s, size_t from)
{
    if (from >= s->chunks)
        return 0;
    return s->chunks - from < s->together ? s->chunks - from : s->together;
}

/* Puts the group before `from` into a transaction of its own. */
static kedge_status save_commit(save *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const size_t before = s->from - s->together;

    TRY(store_begin_write(s->x->s, &txn, err));
    for (size_t i = 0; i < save_group(s, before); i++)
        TRY(store_put_rows(txn, s->number, before + i, &s->made[!s->side][i],
                           err));
    TRY(store_commit(&txn, err));
out:
    store_abort(&txn);
    return st;
}

static void save_task(void *data, size_t task, unsigned worker)
{
    save *const s = data;
    const size_t width = s->x->index.width, stride = 1 + width;
    int64_t *const values = s->values + worker * STORE_CHUNK_ROWS * stride;

    if (task == 0) {
        if (s->from >= s->together)
            s->status[0] = save_commit(s, &s->error[0]);
        return;
    }
    const size_t chunk = s->from + task - 1;
    const size_t rows = chunk_rows(s->x->index.words, chunk);
    for (size_t i = 0; i < rows; i++)
        sketch_get_row(s->x->z, s->order[chunk * STORE_CHUNK_ROWS + i],
                       values + i * stride);
    s->status[task] =
        store_rows_encode(&s->made[s->side][task - 1], values, rows, width,
                          &s->error[task]);
}

/* One group is encoded while the one before is written. A sketch whose saving
 * is stopped is made again of the documents, when it is needed. */
static kedge_status save_rows(save *s, kedge_error *err)
{
    const stage progress = stage_begin(s->x->control, "saving the sketch",
                                       s->chunks, "chunks");

    for (s->from = 0; s->from < s->chunks + s->together;
         s->from += s->together) {
        const size_t tasks = 1 + save_group(s, s->from);
        memset(s->status, 0, sizeof s->status);
        pool_run(s->x->p, tasks, save_task, s);
        for (size_t i = 0; i < tasks; i++)
            if (s->status[i] != KEDGE_OK)
                return kedge_fail(err, s->status[i], "%s", s->error[i].text);
        s->side = !s->side;
        PASS(stage_reach(&progress, s->from < s->chunks ? s->from : s->chunks,
                         err));
    }
    return KEDGE_OK;
}

/* The record names the rows, so it and they change in one moment; what was made
 * of the rows before goes. */
static kedge_status save_record(open_index *x, uint32_t number,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const uint32_t old = x->index.rows;

    x->index.rows = number;
    TRY(store_begin_write(x->s, &txn, err));
    TRY(store_put_index(txn, x->number, &x->index, err));
    TRY(store_drop_spectra(txn, x->number, err));
    if (old != number)
        TRY(store_drop_rows(txn, old, err));
    TRY(store_commit(&txn, err));
    x->exists = true;
    x->saved_blocks = x->index.blocks;
    x->saved_removals = x->index.removals;
out:
    if (st != KEDGE_OK)
        x->index.rows = old;
    store_abort(&txn);
    return st;
}

bool index_is_ahead(const open_index *x)
{
    return x->index.blocks != x->saved_blocks ||
           x->index.removals != x->saved_removals;
}

kedge_status index_save(open_index *x, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const size_t n = index_words(x)->count;
    size_t twin;
    save s = {.x = x, .number = index_other_rows(x->index.rows),
              .together = batch_chunks_saved(x->halvings, n),
              .chunks = (n + STORE_CHUNK_ROWS - 1) / STORE_CHUNK_ROWS};

    x->index.words = n;
    if (statistic_damped(x->index.statistic))
        x->index.total = sketch_total(x->z);
    TRY_MEM(s.order = words_order(index_words(x), &twin));
    TRY_MEM(s.values = mem_new2(pool_threads(x->p),
                                STORE_CHUNK_ROWS * (1 + x->index.width),
                                sizeof *s.values));
    TRY(store_begin_write(x->s, &txn, err));
    TRY(store_drop_rows(txn, s.number, err)); /* of an interrupted save */
    TRY(store_commit(&txn, err));
    TRY(save_rows(&s, err));
    TRY(save_record(x, s.number, err));
out:
    store_abort(&txn);
    for (size_t i = 0; i < BATCH_CHUNKS_SAVED; i++) {
        store_rows_free(&s.made[0][i]);
        store_rows_free(&s.made[1][i]);
    }
    mem_free(s.values);
    mem_free(s.order);
    return st;
}

kedge_status index_save_at_times(open_index *x, kedge_error *err)
{
    const double before = clock_seconds();

    if (before < x->save_at)
        return KEDGE_OK;
    PASS(index_save(x, err));
    x->save_at = clock_seconds();
    x->save_at += fmax(x->save_every, SAVE_SHARE * (x->save_at - before));
    return KEDGE_OK;
}

/* ---- syncing ------------------------------------------------------------- */

/* What was removed is in its block yet, or in a log, and in no total. */
uint64_t index_entries(const store_totals *totals)
{
    return totals->removals == 0 ? totals->nonzeros : 0;
}

kedge_status index_plan(const words *all, const store_totals *totals,
                        uint32_t number, const store_index *record,
                        const kedge_control *control, ingest_plan *plan,
                        kedge_error *err)
{
    /* an index of all words has had fewer when it was saved */
    const sketch_shape shape = {
        .width = record->width,
        .vocabulary = record->listed ? record->words : all->count,
        .word_bytes = words_bytes(all),
        .damped = statistic_damped(record->statistic),
        .joined = record->joined,
        .all = all->count,
        .entries = index_entries(totals)};
    const kedge_status st = plan_sketch(&shape, control, plan, err);

    if (st != KEDGE_OK)
        kedge_fail_context(err, "the sketch of index %u", number);
    return st;
}

kedge_status index_sync(store *s, const words *all, uint32_t number,
                        const store_index *record, const kedge_control *control,
                        pool *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    open_index x = {.s = s, .control = control, .p = p, .vocabulary = all,
                    .number = number};
    store_totals totals;
    ingest_plan plan;

    TRY(load_totals(s, &totals, err));
    TRY(index_plan(all, &totals, number, record, control, &plan, err));
    x.halvings = plan.halvings;
    TRY(index_open(&x, plan.spilled, err));
    TRY(index_catch_up(&x, err));
    TRY(index_save(&x, err));
out:
    index_close(&x);
    return st;
}

/* The plan grows to what syncing this index takes, and then says so. */
static kedge_status raise_plan(const words *all, const index_list *l,
                               const index_entry *d,
                               const kedge_control *control,
                               uint64_t *planned, kedge_error *err)
{
    ingest_plan plan;
    char size[16];

    PASS(index_plan(all, &l->totals, d->number, &d->record, control, &plan,
                    err));
    if (planned == NULL || plan.total <= *planned)
        return KEDGE_OK;
    *planned = plan.total;
    run_log(control, "memory: %s at most, to sync index %u",
            plan_size(plan.total, size), d->number);
    return KEDGE_OK;
}

kedge_status index_sync_all(store *s, const words *all, uint32_t except,
                            const kedge_control *control, pool *p,
                            uint64_t *planned, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    index_list l = {0};

    TRY(store_begin_read(s, &txn, err));
    st = index_list_load(&l, txn, err);
    store_abort(&txn);
    TRY(st);
    for (size_t i = 0; i < l.count; i++) {
        const index_entry *const d = &l.at[i];
        const store_index *const r = &d->record;
        /* an index that was only declared is made by the fit that needs it,
         * but for one of all words */
        if (d->number == except || (r->listed && !store_index_has_rows(r)) ||
            (r->blocks >= l.totals.blocks && r->removals >= l.totals.removals))
            continue;
        st = raise_plan(all, &l, d, control, planned, err);
        if (st == KEDGE_OK)
            st = index_sync(s, all, d->number, &d->record, control, p, err);
        if (st == KEDGE_EBUDGET)
            run_log(control, "index %u does not fit the budget: the next fit "
                             "syncs it", d->number);
        else
            TRY(st);
        st = KEDGE_OK;
    }
out:
    mem_free(l.at);
    return st;
}
