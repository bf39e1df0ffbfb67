/* SPDX-License-Identifier: MIT */
#include "pipeline/views/follow.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"

/* Seconds between two savings of the sketch; or as many times what the last one
 * took, where that is more. */
#define SAVE_SECONDS 30
#define SAVE_SHARE 30


const words *follow_words(const follow *f)
{
    return lens_words(&f->lens);
}

/* ---- turns --------------------------------------------------------------- */

/* The commit does not wait for a slow source, on one thread either. What comes
 * next is read by the thread that called: it asks the program's source, tells
 * and logs. */
enum { TASK_COMMIT, TASK_NEXT, TASK_TILES };

typedef struct turn {
    follow *f;
    const follow_turns *turns;
    slot *coming, *current;
    kedge_status committed;
    kedge_error error;
} turn;

static void turn_next(turn *t)
{
    slot *s = t->coming;
    kedge_error *err = &s->error;

    s->status = t->turns->next(t->turns->data, s, err);
    s->w.rank = t->f->rank;
    s->w.statistic = &t->f->statistic;
    s->w.negative = s->negative;
    s->w.degrees = t->f->degrees;
    s->w.most = slot_limits_of(t->f->halvings).entries;
    if (s->status == KEDGE_OK && !t->f->idle)
        s->status = window_fill(&s->w, &s->batch, follow_words(t->f)->count,
                                t->f->view.min_tokens, err);
}

static void turn_task(void *data, size_t task, unsigned worker)
{
    turn *t = data;

    if (task == TASK_NEXT)
        turn_next(t);
    else if (task == TASK_COMMIT && t->turns->commit != NULL)
        t->committed = t->turns->commit(t->turns->data, t->current, &t->error);
    else if (task >= TASK_TILES)
        sketch_tile(t->f->z, &t->current->w, task - TASK_TILES, worker);
}

static void turn_tile(void *data, size_t task, unsigned worker)
{
    turn_task(data, TASK_TILES + task, worker);
}

/* Modulo 2^64, as taking away is adding what is missing to it. */
static void follow_count(follow *f, const slot *done)
{
    const uint64_t sign = done->negative ? UINT64_MAX : 1;

    f->view.documents += sign * done->w.counted;
    f->view.skipped += sign * done->w.skipped;
    f->view.tokens += sign * done->w.tokens;
}

/* The rest of a batch that is more than a window. */
static kedge_status follow_rest(follow *f, turn *t, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    slot *const s = t->current;

    while (s->w.more) {
        TRY(window_go_on(&s->w, &s->batch, follow_words(f)->count,
                         f->view.min_tokens, err));
        if (f->z != NULL && s->w.documents > 0) {
            TRY(sketch_begin(f->z, &s->w, err));
            pool_run(f->p, sketch_tiles(f->z), turn_tile, t);
        }
        follow_count(f, s);
    }
out:
    return st;
}

static kedge_status follow_turn(follow *f, turn *t, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t tiles = 0;

    if (t->turns->begin != NULL)
        TRY(t->turns->begin(t->turns->data, t->current, err));
    if (f->z != NULL && t->current->w.documents > 0) {
        TRY(sketch_begin(f->z, &t->current->w, err));
        tiles = sketch_tiles(f->z);
    }
    t->committed = KEDGE_OK;
    pool_run_own(f->p, TASK_TILES + tiles, TASK_NEXT, turn_task, t);
    if (t->committed != KEDGE_OK)
        return kedge_fail(err, t->committed, "%s", t->error.text);
    follow_count(f, t->current);
    TRY(follow_rest(f, t, err));
    TRY(t->turns->after(t->turns->data, err));
    TRY(run_check(f->control, err));
out:
    return st;
}

kedge_status follow_run(follow *f, const follow_turns *turns, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    slot a = {0}, b = {0};
    turn t = {.f = f, .turns = turns, .coming = &a, .current = &b};

    turn_next(&t);
    for (;;) {
        slot *const read = t.coming;
        if (read->status != KEDGE_OK) {
            st = kedge_fail(err, read->status, "%s", read->error.text);
            goto out;
        }
        if (read->last)
            break;
        t.coming = t.current;
        t.current = read;
        TRY(follow_turn(f, &t, err));
    }
out:
    slot_free(&a);
    slot_free(&b);
    return st;
}

/* ---- blocks of the store as a source ------------------------------------- */

typedef struct replay {
    follow *f;
    uint64_t next, end, from;
    uint64_t done; /* before this one, once the turn at hand has ended */
    bool removals; /* these are counted, and not blocks */
    stage told;
} replay;

/* Documents that left before their block was ever added are not subtracted. */
static kedge_status replay_removal(replay *r, store_txn *txn, docs *out,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t before = out->count;
    uint64_t block;

    TRY(lens_read_removed(&r->f->lens, txn, r->next, &block, out, err));
    if (block >= r->f->view.blocks)
        out->count = before;
out:
    return st;
}

/* Whether a turn has room for one block more. */
static bool replay_goes_on(const replay *r, const docs *batch, size_t entries)
{
    const slot_limits l = slot_limits_of(r->f->halvings);

    return r->next < r->end && batch->count < l.documents &&
           entries + SLOT_BLOCK_ENTRIES <= l.entries;
}

static kedge_status replay_next(void *data, slot *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    replay *r = data;
    size_t entries = 0, seen = 0;

    docs_clear(&out->batch);
    out->last = r->next == r->end;
    out->negative = r->removals;
    TRY(store_begin_read(r->f->s, &txn, err));
    while (replay_goes_on(r, &out->batch, entries)) {
        if (!r->removals)
            TRY(store_next_block(txn, r->next, r->end, &r->next, err));
        if (r->next == r->end)
            break;
        if (r->removals)
            TRY(replay_removal(r, txn, &out->batch, err));
        else
            TRY(lens_read(&r->f->lens, txn, r->next, &out->batch, err));
        r->next++;
        for (; seen < out->batch.count; seen++)
            entries += slot_entries(&out->batch, seen);
    }
out:
    store_abort(&txn);
    return st;
}

/* Nothing but the slot that is now added has been read. */
static kedge_status replay_begin(void *data, slot *coming, kedge_error *err)
{
    replay *r = data;

    (void)coming;
    (void)err;
    r->done = r->next;
    return KEDGE_OK;
}

static kedge_status replay_after(void *data, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    replay *r = data;

    r->told.documents = r->f->view.documents;
    TRY(stage_reach(&r->told, r->done - r->from, err));
    if (r->removals)
        r->f->view.removals = r->done;
    else
        r->f->view.blocks = r->done;
    TRY(follow_save_at_times(r->f, err));
out:
    return st;
}

static kedge_status follow_replay(follow *f, bool removals, uint64_t from,
                                  uint64_t end, kedge_error *err)
{
    replay r = {.f = f, .next = from, .from = from, .end = end,
                .removals = removals};
    const follow_turns turns = {.data = &r, .begin = replay_begin,
                                .next = replay_next,
                                .after = replay_after};

    if (from >= end)
        return KEDGE_OK;
    r.told = stage_begin(f->control, "sketch", end - from,
                         removals ? "removals" : "blocks");
    return follow_run(f, &turns, err);
}

kedge_status follow_catch_up(follow *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_totals totals;

    TRY(store_begin_read(f->s, &txn, err));
    st = store_get_totals(txn, &totals, err);
    store_abort(&txn);
    TRY(st);
    if (f->view.blocks > 0) /* else there is nothing to subtract from */
        TRY(follow_replay(f, true, f->view.removals, totals.removals, err));
    f->view.removals = totals.removals;
    TRY(follow_replay(f, false, f->view.blocks, totals.blocks, err));
    f->view.blocks = totals.blocks;
out:
    return st;
}

/* ---- the saved sketch ---------------------------------------------------- */

static kedge_status follow_load_chunk(follow *f, store_txn *txn,
                                      const uint32_t *order, size_t chunk,
                                      size_t rows, store_rows *scratch,
                                      int64_t *values, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t width = f->view.width;
    const uint8_t *bytes;
    size_t size;

    TRY(store_get_rows(txn, f->view.rows, chunk, &bytes, &size, err));
    TRY(store_rows_decode(scratch, bytes, size, rows, width, values, err));
    for (size_t i = 0; i < rows; i++)
        sketch_set_row(f->z, order[chunk * STORE_CHUNK_ROWS + i],
                       values + i * (1 + width));
    sketch_release(f->z);
out:
    return st;
}

static size_t chunk_rows(size_t rows, size_t chunk)
{
    const size_t left = rows - chunk * STORE_CHUNK_ROWS;

    return left < STORE_CHUNK_ROWS ? left : STORE_CHUNK_ROWS;
}

/* Rows lie in the order of the bytes of the view's first `words` words. */
static kedge_status follow_load(follow *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    words known = *follow_words(f);
    uint32_t *order = NULL;
    int64_t *values = NULL;
    store_rows scratch = {0};
    stage told;
    size_t twin;

    known.count = f->view.words;
    TRY(store_begin_read(f->s, &txn, err));
    TRY_MEM(order = words_order(&known, &twin));
    TRY_MEM(values = mem_new2(STORE_CHUNK_ROWS, 1 + f->view.width,
                              sizeof *values));
    told = stage_begin(f->control, "loading the sketch", known.count, "rows");
    for (size_t c = 0; c * STORE_CHUNK_ROWS < known.count; c++) {
        const size_t rows = chunk_rows(known.count, c);
        TRY(follow_load_chunk(f, txn, order, c, rows, &scratch, values, err));
        TRY(stage_reach(&told, c * STORE_CHUNK_ROWS + rows, err));
    }
out:
    store_abort(&txn);
    store_rows_free(&scratch);
    mem_free(values);
    mem_free(order);
    return st;
}

static kedge_status follow_rank(follow *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *order = NULL;
    size_t twin;

    TRY_MEM(order = words_order(follow_words(f), &twin));
    TRY_MEM(f->rank = mem_new(follow_words(f)->count, sizeof *f->rank));
    for (size_t r = 0; r < follow_words(f)->count; r++)
        f->rank[order[r]] = (uint32_t)r;
out:
    mem_free(order);
    return st;
}

/* The view's record, when there is one, and the words that it sees. */
static kedge_status follow_look(follow *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_read(f->s, &txn, err));
    st = store_get_view_record(txn, f->number, &f->view, err);
    f->exists = st == KEDGE_OK;
    if (st == KEDGE_ENOTFOUND)
        st = KEDGE_OK;
    TRY(st);
    TRY(statistic_check(f->view.statistic, f->view.weight_bits,
                        f->view.value_bits, err));
    statistic_open(&f->statistic, f->view.statistic);
    TRY(lens_open(&f->lens, txn, f->number, &f->view, f->vocabulary, err));
out:
    store_abort(&txn);
    return st;
}

/* The view, without anything that its sketch holds. */
static void follow_begin_anew(follow *f)
{
    store_view *const v = &f->view;

    v->blocks = v->removals = v->documents = v->skipped = v->tokens = 0;
    f->save_every = INFINITY;
}

kedge_status follow_open(follow *f, bool spill, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    sketch_opts opts = {.threads = pool_threads(f->p),
                        .spill = spill ? store_path(f->s) : NULL};

    TRY(follow_look(f, err));
    if (f->degrees != NULL)
        follow_begin_anew(f);
    f->saved_blocks = f->view.blocks;
    f->saved_removals = f->view.removals;
    if (f->save_every == 0)
        f->save_every = SAVE_SECONDS;
    f->save_at = clock_seconds() + f->save_every;
    if (f->idle)
        goto out;
    TRY(follow_rank(f, err));
    opts.width = f->view.width;
    opts.seed = f->view.seed;
    TRY(sketch_create(&opts, &f->z, err));
    TRY(sketch_add_words(f->z, follow_words(f), err));
    sketch_populate(f->z, f->p);
    if (f->exists && store_view_has_rows(&f->view))
        TRY(follow_load(f, err));
out:
    return st;
}

void follow_close(follow *f)
{
    sketch_free(f->z);
    lens_close(&f->lens);
    mem_free(f->rank);
    f->z = NULL;
    f->rank = NULL;
}

/* ---- saving -------------------------------------------------------------- */

typedef struct save {
    follow *f;
    const uint32_t *order;
    size_t chunks, from;        /* from: of the group that is being encoded */
    size_t together;            /* chunks of a group */
    uint32_t number;            /* that the rows go under */
    store_rows made[2][SLOT_CHUNKS_SAVED];
    int64_t *values;            /* a chunk's rows, by worker */
    size_t side;                /* of made[] that is being encoded */
    kedge_status status[SLOT_CHUNKS_SAVED + 1];
    kedge_error error[SLOT_CHUNKS_SAVED + 1];
} save;

static size_t save_group(const save *s, size_t from)
{
    return s->chunks - from < s->together ? s->chunks - from : s->together;
}

static size_t save_chunks(uint64_t vocabulary)
{
    return (vocabulary + STORE_CHUNK_ROWS - 1) / STORE_CHUNK_ROWS;
}

/* Puts the group before `from` into a transaction of its own. */
static kedge_status save_commit(save *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const size_t before = s->from - s->together;

    TRY(store_begin_write(s->f->s, &txn, err));
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
    save *s = data;
    const size_t width = s->f->view.width, stride = 1 + width;
    int64_t *values = s->values + worker * STORE_CHUNK_ROWS * stride;

    if (task == 0) {
        if (s->from >= s->together)
            s->status[0] = save_commit(s, &s->error[0]);
        return;
    }
    const size_t chunk = s->from + task - 1;
    const size_t rows = chunk_rows(s->f->view.words, chunk);
    for (size_t i = 0; i < rows; i++)
        sketch_get_row(s->f->z, s->order[chunk * STORE_CHUNK_ROWS + i],
                       values + i * stride);
    s->status[task] =
        store_rows_encode(&s->made[s->side][task - 1], values, rows, width,
                          &s->error[task]);
}

/* One group is encoded while the one before is written. A sketch whose saving
 * is stopped is made again of the documents, when it is needed. */
static kedge_status save_run(save *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const stage told = stage_begin(s->f->control, "saving the sketch",
                                   s->chunks, "chunks");

    for (s->from = 0; s->from < s->chunks + s->together;
         s->from += s->together) {
        const size_t tasks =
            s->from < s->chunks ? save_group(s, s->from) : 0;
        memset(s->status, 0, sizeof s->status);
        pool_run(s->f->p, 1 + tasks, save_task, s);
        for (size_t i = 0; i <= tasks; i++)
            if (s->status[i] != KEDGE_OK)
                return kedge_fail(err, s->status[i], "%s", s->error[i].text);
        s->side = !s->side;
        TRY(stage_reach(&told, s->from < s->chunks ? s->from : s->chunks,
                        err));
    }
out:
    return st;
}

/* The view's record names the rows, so it and they change in one moment; what
 * was made of the rows before goes. */
static kedge_status save_view(follow *f, uint32_t number, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const uint32_t old = f->view.rows;

    f->view.rows = number;
    TRY(store_begin_write(f->s, &txn, err));
    TRY(store_put_view(txn, f->number, &f->view, err));
    TRY(store_drop_spectra(txn, f->number, err));
    if (old != number)
        TRY(store_drop_rows(txn, old, err));
    TRY(store_commit(&txn, err));
    f->exists = true;
    f->saved_blocks = f->view.blocks;
    f->saved_removals = f->view.removals;
out:
    if (st != KEDGE_OK)
        f->view.rows = old;
    store_abort(&txn);
    return st;
}

bool follow_is_ahead(const follow *f)
{
    return f->view.blocks != f->saved_blocks ||
           f->view.removals != f->saved_removals;
}

kedge_status follow_save(follow *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const size_t stride = 1 + f->view.width;
    uint32_t *order = NULL;
    size_t twin;
    /* each view has two numbers for its rows, in turns: what an interruption
     * leaves half done is never under the one that its record has */
    save s = {.f = f, .number = f->view.rows ^ 1,
              .together = slot_chunks_saved(f->halvings,
                                            follow_words(f)->count),
              .chunks = save_chunks(follow_words(f)->count)};

    f->view.words = follow_words(f)->count;
    if (statistic_damped(f->view.statistic))
        f->view.total = sketch_total(f->z);
    TRY_MEM(order = words_order(follow_words(f), &twin));
    s.order = order;
    TRY_MEM(s.values = mem_new2(pool_threads(f->p), STORE_CHUNK_ROWS * stride,
                                sizeof *s.values));
    TRY(store_begin_write(f->s, &txn, err));
    TRY(store_drop_rows(txn, s.number, err)); /* of an interrupted save */
    TRY(store_commit(&txn, err));
    TRY(save_run(&s, err));
    TRY(save_view(f, s.number, err));
out:
    store_abort(&txn);
    for (size_t i = 0; i < SLOT_CHUNKS_SAVED; i++) {
        store_rows_free(&s.made[0][i]);
        store_rows_free(&s.made[1][i]);
    }
    mem_free(s.values);
    mem_free(order);
    return st;
}

kedge_status follow_save_at_times(follow *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const double before = clock_seconds();

    if (before < f->save_at)
        return KEDGE_OK;
    TRY(follow_save(f, err));
    f->save_at = clock_seconds();
    f->save_at += fmax(f->save_every, SAVE_SHARE * (f->save_at - before));
out:
    return st;
}
