/* SPDX-License-Identifier: MIT */
#include "ops/plan.h"

#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "linalg/tall.h"
#include "ops/batch.h"
#include "io/lines.h"

/* What the store has mapped of the ids that it looked up. */
#define IDS_MAPPED (UINT64_C(32) << 20)

char *plan_size(uint64_t bytes, char text[16])
{
    const double mib = (double)bytes / (1 << 20);

    if (mib >= 1024)
        snprintf(text, 16, "%.2f GiB", mib / 1024);
    else
        snprintf(text, 16, "%.0f MiB", ceil(mib));
    return text;
}

/* ---- what follows the budget --------------------------------------------- */

/* By halvings: what zstd's ultra levels, its levels above 19, and its usual
 * ones make. */
static const unsigned window_logs[BATCH_HALVINGS + 1] = {27, 25, 24, 23};
#define WINDOW_LOG_LEAST 20

#define BATCH_TEXT 24 /* bytes of text for two entries, about */

static unsigned plan_halvings(const plan_input *in)
{
    unsigned halvings = in->text == 0 ? 0 : BATCH_HALVINGS;

    while (halvings > 0 &&
           batch_limits_of(halvings).entries < in->text / BATCH_TEXT)
        halvings--;
    return halvings;
}

/* An entry of a large document, in each place that holds it: the reader's bag,
 * three batches, blocks of two of them before and after compression, two
 * windows. */
#define ENTRY_BYTES 192

static reader_room plan_least_room(const ingest_plan *p)
{
    const plan_input *const in = &p->input;
    const unsigned halvings = p->halvings;
    unsigned log = in->text == 0 ? window_logs[halvings] : WINDOW_LOG_LEAST;

    while (log < window_logs[halvings] && UINT64_C(1) << log < in->window)
        log++;
    return (reader_room){.window_log = log,
                         .line = PLAN_LINE,
                         .entries = batch_limits_of(halvings).entries,
                         .piece = WINDOW_SPLIT_TOKENS};
}

/* A document in each place that holds it, but for its entries: the names in
 * three batches, in blocks of two, and among those that are compared. */
#define DOCUMENT_BYTES 1200
#define DOCUMENTS_MOST (8 * (uint64_t)WINDOW_DOCUMENTS)

static void plan_room(ingest_plan *out, uint64_t memory)
{
    const uint64_t left = (memory - out->total) / 4;
    const uint64_t documents = batch_limits_of(out->halvings).documents;
    const uint64_t entries = out->room.entries + left / ENTRY_BYTES;
    const uint64_t line = out->room.line + 2 * left / READER_LINE_BYTES;

    out->room.entries = lesser(entries, READER_ENTRIES_MAX);
    out->room.line = lesser(line, LINES_LIMIT);
    out->documents = out->id_pages = documents;
    /* where ids are many, larger batches write fewer pages for each */
    if (out->input.text == 0 ||
        out->input.stored / (MEMORY_ID_PAGE / MEMORY_ID_BYTES) >= documents) {
        out->documents =
            lesser(documents + left / 2 / DOCUMENT_BYTES, DOCUMENTS_MOST);
        out->id_pages = lesser(documents + left / 2 / MEMORY_ID_PAGE,
                               MEMORY_DIRTY_PAGES);
    }
    out->most = out->total + (out->documents - documents) * DOCUMENT_BYTES +
                (out->id_pages - documents) * MEMORY_ID_PAGE;
}

uint64_t plan_documents(const ingest_plan *p, uint64_t stored)
{
    const uint64_t ids = p->id_pages * (MEMORY_ID_PAGE / MEMORY_ID_BYTES);
    const uint64_t fits = ids > stored ? ids - stored : 0;

    return lesser(fits > p->id_pages ? fits : p->id_pages, p->documents);
}

uint64_t plan_large(const ingest_plan *p, uint64_t line, uint64_t entries)
{
    const reader_room least = plan_least_room(p);

    return (line > least.line ? line - least.line : 0) * READER_LINE_BYTES +
           (entries > least.entries ? entries - least.entries : 0) *
               ENTRY_BYTES;
}

#define WORD_TEXT 4 /* bytes of text for a word, new ones too, at least */
#define ENTRY_TEXT 6 /* bytes of text for an entry, with what ends it */
#define FEW_NEW_WORDS ((size_t)1 << 15)

size_t plan_new_words(const plan_input *in)
{
    return greater(PLAN_NEW_WORDS >> plan_halvings(in), FEW_NEW_WORDS);
}

/* No more than there is to read. */
static uint64_t plan_bounded(uint64_t limit, const plan_input *in,
                             uint64_t bytes)
{
    return in->text == 0 ? limit : lesser(limit, in->text / bytes);
}

/* While texts bring more and more words: the store's list and the one of the
 * thread that reads, with an array's copy while it grows; counts, hashes and
 * what the pages of counts take that a transaction rewrites; the map of words,
 * and the assembler's counts. */
static uint64_t plan_texts(uint64_t vocabulary, uint64_t word_bytes,
                           const plan_input *in)
{
    const uint64_t new = plan_bounded(plan_new_words(in), in, WORD_TEXT);
    const uint64_t n = vocabulary + new;
    const uint64_t bytes = word_bytes + new * 16;
    const uint64_t copy = bytes > 8 * n ? bytes : 8 * n;

    return 2 * bytes + n * (2 * 8 + 2 * 8 + 2 * 8 + 4) + copy +
           memory_wordmap(n) + memory_assembler(n);
}

/* Entries of two batches: one is read while the other is committed. */
typedef struct plan_pair {
    uint64_t first, second;
} plan_pair;

static plan_pair plan_pair_of(const plan_input *in, unsigned halvings)
{
    const uint64_t limit = batch_limits_of(halvings).entries;
    const uint64_t both = plan_bounded(2 * limit, in, ENTRY_TEXT);
    const uint64_t first = lesser(both, limit);

    return (plan_pair){first, both - first};
}

/* These, encoded. */
static uint64_t plan_batches(const plan_input *in, unsigned halvings)
{
    const plan_pair entries = plan_pair_of(in, halvings);
    const batch_limits limit = batch_limits_of(halvings);
    const uint64_t symbols =
        in->numbered ? 0
                     : plan_bounded(2 * (limit.tokens + DOCS_ORDER_MOST), in,
                                    WORD_TEXT);

    return memory_encoded(limit.documents, entries.first, symbols) +
           memory_encoded(limit.documents, entries.second, 0);
}

static uint64_t plan_storing_total(uint64_t vocabulary, uint64_t word_bytes,
                                   const ingest_plan *p, unsigned threads)
{
    const plan_input *const in = &p->input;
    /* ids may be anywhere in their tree: a page of it for each document that a
     * transaction puts, or all of them */
    const uint64_t stored = in->text == 0 ? UINT64_MAX : in->stored;
    const uint64_t ids =
        memory_ids(batch_limits_of(p->halvings).documents, stored) +
        lesser(memory_ids(stored, stored), IDS_MAPPED);

    return memory_base(in->text == 0 ? MEMORY_MAP : in->text) +
           threads * MEMORY_THREAD +
           memory_reader(p->room.window_log, p->room.line) +
           plan_batches(in, p->halvings) + ids +
           plan_texts(vocabulary, word_bytes, in);
}

/* EBUDGET: "`what` takes ..., the budget is ...; `advice`". `needed`: as little
 * as it can take. */
static kedge_status plan_refuse(const char *what, uint64_t needed,
                                const kedge_control *control,
                                const char *advice, kedge_error *err)
{
    char need[16], have[16];

    return kedge_fail(err, KEDGE_EBUDGET,
                      "%s takes %s, the budget (--memory) is %s; %s", what,
                      plan_size(needed, need),
                      plan_size(control->memory, have), advice);
}

kedge_status plan_storing(uint64_t vocabulary, uint64_t word_bytes,
                          const kedge_control *control, ingest_plan *out,
                          kedge_error *err)
{
    char what[48] = "ingesting";

    if (out->halvings < plan_halvings(&out->input))
        out->halvings = plan_halvings(&out->input);
    for (; out->halvings <= BATCH_HALVINGS; out->halvings++) {
        out->room = plan_least_room(out);
        out->total = plan_storing_total(vocabulary, word_bytes, out,
                                        control->threads);
        if (out->total > control->memory)
            continue;
        plan_room(out, control->memory);
        return KEDGE_OK;
    }
    if (vocabulary == 0)
        return plan_refuse(what, out->total, control, "give more", err);
    snprintf(what, sizeof what, "ingesting %llu words",
             (unsigned long long)vocabulary);
    return plan_refuse(what, out->total, control,
                       "give more and run it again: what was read is "
                       "committed; or use fewer words (--max-chars, --stem, "
                       "--vocab)", err);
}

#define FEW_WORDS (UINT64_C(4) << 20) /* bytes, that all plans have room for */

kedge_status plan_get_words(store_txn *txn, const kedge_control *control,
                            words *out, kedge_error *err)
{
    const uint64_t base = MEMORY_PROGRAM + MEMORY_MAP;
    store_totals t;
    uint64_t list;
    char what[64];

    PASS(store_get_totals(txn, &t, err));
    /* with a number for each */
    if (__builtin_mul_overflow(t.words, sizeof(size_t) + 4, &list) ||
        __builtin_add_overflow(list, t.word_bytes, &list) ||
        list > UINT64_MAX - base)
        list = UINT64_MAX - base;
    if (list > FEW_WORDS && base + list > control->memory) {
        snprintf(what, sizeof what, "reading %llu words",
                 (unsigned long long)t.words);
        PASS(plan_refuse(what, base + list, control, "give more", err));
    }
    return store_get_words(txn, out, err);
}

kedge_status plan_load_words(store *s, const kedge_control *control,
                             store_totals *totals, words *out,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_read(s, &txn, err));
    TRY(store_get_totals(txn, totals, err));
    TRY(plan_get_words(txn, control, out, err));
out:
    store_abort(&txn);
    return st;
}

kedge_status plan_walk(const walk_shape *shape, const kedge_control *control,
                       uint64_t *total, kedge_error *err)
{
    const uint64_t block = shape->largest.documents > 0
                               ? memory_largest_block(&shape->largest)
                               : memory_block(shape->vocabulary);
    const uint64_t around =
        shape->read > 0
            ? memory_base(shape->read) + shape->threads * MEMORY_THREAD
            : memory_base(MEMORY_MAP) + shape->threads * MEMORY_BLAS_THREAD;

    *total = around + memory_words(shape->vocabulary, shape->word_bytes) +
             shape->blocks * block + shape->more;
    return *total <= control->memory
               ? KEDGE_OK
               : plan_refuse(shape->what, *total, control, "give more", err);
}

kedge_status plan_outside(const walk_shape *shape,
                           const kedge_control *control, reader_room *room,
                           uint64_t *total, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    walk_shape s = *shape;
    ingest_plan p = {.input = shape->input};
    uint64_t left;

    for (; p.halvings <= BATCH_HALVINGS; p.halvings++) {
        *room = plan_least_room(&p);
        room->entries = STORE_BLOCK_ENTRIES;
        room->piece = 0; /* they stay whole */
        s.more = shape->more + memory_reader(room->window_log, room->line);
        st = plan_walk(&s, control, total, err);
        if (st != KEDGE_EBUDGET)
            break;
    }
    TRY(st);
    left = (control->memory - *total) / 4;
    room->entries = lesser(room->entries + left / ENTRY_BYTES,
                           READER_ENTRIES_MAX);
    room->line = lesser(room->line + 2 * left / READER_LINE_BYTES,
                        LINES_LIMIT);
out:
    return st;
}

/* ---- sketches ------------------------------------------------------------ */

#define WIDTH_DEFAULT 1000
#define WIDTH_MOST 2000
#define WIDTH_ENTRIES 50000000 /* what is wider than the default has so many */
#define WIDTH_LEAST 16
#define WIDTH_A_WORD 4 /* columns, where words are few */

/* Of few words, so many columns that the core has room for all of them (see
 * spectrum_limit): any number of topics that they have can be fitted. Of more,
 * a column for two words, as long as that takes little time: half of what one
 * pass lacks of weighted statistics at 1,000 columns is there at 2,000. */
uint64_t plan_width(uint64_t vocabulary)
{
    uint64_t widest = vocabulary / 2;

    if (vocabulary < WIDTH_LEAST / WIDTH_A_WORD)
        return WIDTH_LEAST;
    if (vocabulary < WIDTH_DEFAULT / WIDTH_A_WORD)
        return WIDTH_A_WORD * vocabulary;
    widest = widest < WIDTH_MOST ? widest : WIDTH_MOST;
    if (widest * vocabulary > WIDTH_ENTRIES)
        widest = WIDTH_ENTRIES / vocabulary;
    return widest > WIDTH_DEFAULT ? widest : WIDTH_DEFAULT;
}

/* Entries of a batch of stored documents, which have so many together. */
static uint64_t plan_stored_entries(uint64_t entries, unsigned halvings)
{
    const uint64_t limit = batch_limits_of(halvings).entries;

    return entries == 0 ? limit : lesser(limit, entries);
}

/* A sketch and two batches; rows are saved when the batches are done. */
static uint64_t plan_sketching(const ingest_plan *p, const sketch_shape *s,
                               uint64_t around, unsigned threads)
{
    const uint64_t n = s->vocabulary;
    const uint64_t stored = plan_stored_entries(s->entries, p->halvings);
    const plan_pair entries = s->stored
                                  ? (plan_pair){stored, stored}
                                  : plan_pair_of(&p->input, p->halvings);
    const uint64_t batches = memory_window(n, entries.first, s->damped) +
                           memory_window(n, entries.second, s->damped) +
                           (s->stored ? 2 * memory_replayed(stored)
                                      : plan_batches(&p->input, p->halvings));
    const uint64_t saving = memory_saving(
        p->width, batch_chunks_saved(p->halvings, n), threads);
    const reader_room *const room = &p->room;

    return around + greater(batches, saving) +
           memory_sketch(p->width, n, threads, p->spilled) +
           (s->stored ? 0 : memory_reader(room->window_log, room->line));
}

/* With the largest batches that fit. */
static bool plan_sketch_batches(const sketch_shape *shape, bool spilled,
                              uint64_t around, const kedge_control *control,
                              ingest_plan *out)
{
    *out = (ingest_plan){.input = shape->input,
                         .width = shape->width != 0
                                      ? shape->width
                                      : plan_width(shape->vocabulary),
                         .spilled = spilled,
                         .halvings = plan_halvings(&shape->input)};
    for (; out->halvings <= BATCH_HALVINGS; out->halvings++) {
        out->room = plan_least_room(out);
        out->total = plan_sketching(out, shape, around, control->threads);
        if (out->total > control->memory)
            continue;
        plan_room(out, control->memory);
        return true;
    }
    return false;
}

/* In a file where it has no room in memory. */
static kedge_status plan_sketch_anywhere(const char *what,
                                         const sketch_shape *shape,
                                         uint64_t more,
                                         const kedge_control *control,
                                         ingest_plan *out, kedge_error *err)
{
    const uint64_t around =
        memory_base(shape->input.text == 0 ? MEMORY_MAP
                                           : shape->input.text) +
        control->threads * MEMORY_THREAD +
        memory_words(shape->vocabulary, shape->word_bytes) +
        32 * shape->vocabulary + more;

    return plan_sketch_batches(shape, false, around, control, out) ||
                   plan_sketch_batches(shape, true, around, control, out)
               ? KEDGE_OK
               : plan_refuse(what, out->total, control,
                             "give more, or use a smaller --sketch-size or "
                             "fewer threads", err);
}

kedge_status plan_ingest(const sketch_shape *shape, bool no_sketch,
                         const kedge_control *control, ingest_plan *out,
                         kedge_error *err)
{
    const uint64_t n = shape->vocabulary;

    if (!no_sketch)
        return plan_sketch_anywhere("ingesting", shape, 0, control, out, err);
    *out = (ingest_plan){.input = shape->input,
                         .width = shape->width != 0 ? shape->width
                                                    : plan_width(n)};
    return plan_storing(n, shape->word_bytes, control, out, err);
}

/* Words of the store that are none of the model's: where each one's text is,
 * and that it has no number, as the fit and as the sketch that follows have
 * it. */
static uint64_t plan_others(uint64_t all, uint64_t vocabulary)
{
    return all > vocabulary ? (all - vocabulary) * (8 + 2 * 4) : 0;
}

kedge_status plan_sketch(const sketch_shape *shape,
                         const kedge_control *control, ingest_plan *out,
                         kedge_error *err)
{
    const uint64_t n = shape->vocabulary;
    uint64_t more = plan_others(shape->all, n);
    sketch_shape s = *shape;

    s.stored = true;
    if (shape->joined) { /* a block's documents before they are, and phrases */
        more += memory_block(0) + memory_joining(n);
        s.entries = 0; /* of phrases a document may have more than of words */
    }
    return plan_sketch_anywhere("sketching", &s, more, control, out, err);
}

kedge_status plan_choosing(uint64_t all, uint64_t word_bytes,
                           uint64_t choosing, const kedge_control *control,
                           uint64_t *total, kedge_error *err)
{
    *total = memory_base(MEMORY_MAP) + word_bytes + 8 * all + choosing;
    return *total <= control->memory
               ? KEDGE_OK
               : plan_refuse("choosing words", *total, control, "give more",
                             err);
}

#define PAIRS_LEAST (UINT64_C(1) << 20)
#define PAIRS_MOST (UINT64_C(256) << 20) /* beyond, runs are as fast */

kedge_status plan_phrases(uint64_t vocabulary, uint64_t word_bytes,
                          const kedge_control *control, uint64_t *bytes,
                          kedge_error *err)
{
    const walk_shape shape = {
        .what = "finding phrases",
        .threads = 1,
        .vocabulary = vocabulary,
        .word_bytes = word_bytes,
        .blocks = 1,
        .more = memory_phrases(vocabulary) + memory_pairs(PAIRS_LEAST),
    };
    uint64_t total, left;

    PASS(plan_walk(&shape, control, &total, err));
    left = (control->memory - total) / 3 * 2 + PAIRS_LEAST;
    *bytes = left < PAIRS_MOST ? left : PAIRS_MOST;
    return KEDGE_OK;
}

/* ---- fits ---------------------------------------------------------------- */

#define BLAS_SQUARE (UINT64_C(8) << 20) /* a thread's buffers for all of C */
#define ENTRIES_SHARE 4  /* 1/4 of what is left may go to ENN's correction */
#define ENTRIES_LEAST (UINT64_C(4) << 20)
#define HELD_OUT_ADVICE "give more, or measure no documents that are held " \
                        "out (--held-out 0)"
#define NEGATIVES_SHARE 4 /* of texts' products 2 to 15 in 100 are negative;
                             what has no room is found again each time */

/* What a fit takes, in bytes: from its beginning to its end, and at most while
 * it makes what it has by then. */
typedef struct fit_memory {
    uint64_t around, stays, making;
    const char *advice; /* where that is too much */
} fit_memory;

/* A fit without held-out documents is planned after the whole one, which has
 * room. */
static const char *plan_advice(const fit_shape *s, const char *usual)
{
    return s->held_out ? HELD_OUT_ADVICE : usual;
}

static bool plan_exact(const fit_shape *s)
{
    return s->cooccurrence != KEDGE_COOCCURRENCE_SKETCH;
}

/* Rows of what is tall that this process has. */
static tall_part plan_own(const fit_shape *s)
{
    return s->rank < s->processes
               ? tall_of(s->vocabulary, s->rank, s->processes)
               : (tall_part){.rows = s->vocabulary,
                             .count = s->processes > 0 ? 0 : s->vocabulary};
}

static fit_memory plan_fit_memory(const fit_shape *s, unsigned threads)
{
    const bool exact = plan_exact(s), sparse =
        s->cooccurrence == KEDGE_COOCCURRENCE_SPARSE;
    const uint64_t n = s->vocabulary;
    fit_memory m = {
        .around = memory_base(MEMORY_MAP) + threads * MEMORY_BLAS_THREAD +
                  memory_words(n, s->word_bytes) + plan_others(s->all, n) +
                  48 * n + (exact ? threads * BLAS_SQUARE : 0),
        .advice = exact ? "give more, take fewer words (--vocab-size), or "
                          "leave the co-occurrence to the sketch "
                          "(--cooccurrence sketch)"
                        : "give more, or fit fewer topics"};

    /* With the sums of D C D. */
    if (s->opts->term_weight != KEDGE_TERM_WEIGHT_NONE)
        m.around += (4 * 8 + 12 * 64 + 12) * n;
    if (!exact)
        return m;
    m.stays = memory_square(n, s->pairs, sparse, threads);
    m.making = memory_spectrum_kept(s->width, threads) +
               memory_square_making(
                   n, s->topics,
                   plan_stored_entries(s->entries, BATCH_HALVINGS), s->damped);
    return m;
}

/* Columns of a refinement's blocks: as many as fit, twice the topics at least;
 * more than WIDE take longer than they save. 0: none fit. */
#define WIDE 1000

static uint64_t plan_power_iter(const fit_shape *s, unsigned threads,
                                uint64_t block)
{
    return memory_power_iter(s->vocabulary, s->topics, s->opts->power_iter,
                             block,
                             plan_stored_entries(s->entries, BATCH_HALVINGS),
                             threads, s->damped);
}

static uint64_t plan_refine_least(const fit_shape *s)
{
    return lesser(2 * s->topics, lesser(s->width, s->vocabulary));
}

static uint64_t plan_refine_block(const fit_shape *s, unsigned threads,
                                  uint64_t memory)
{
    const uint64_t least = plan_refine_least(s);
    uint64_t block = lesser(s->width, s->vocabulary);

    if (block > WIDE)
        block = least > WIDE ? least : WIDE;
    while (block > least && plan_power_iter(s, threads, block) > memory)
        block -= lesser(block - least, 16);
    if (plan_power_iter(s, threads, block) > memory)
        return 0;
    return block >= 2 * s->topics || block == s->vocabulary ? block : 0;
}

/* The step that takes most, and what it leaves for ENN's correction. */
static kedge_status plan_fit_steps(const fit_shape *s, const fit_memory *m,
                                   const kedge_control *control,
                                   fit_plan *out, kedge_error *err)
{
    const unsigned threads = control->threads;
    const kedge_fit_opts *const o = s->opts;
    const uint64_t n = plan_own(s).count, k = s->topics;
    const uint64_t kept = memory_spectrum_kept(s->width, threads);
    const uint64_t around = m->around + m->stays + kept;
    const uint64_t vectors = 2 * 8 * n * k; /* V and Y */
    const uint64_t rectify =
        vectors + memory_rectifying(
                      o->rectify, n, k,
                      plan_stored_entries(s->entries, BATCH_HALVINGS), threads,
                      plan_exact(s), s->damped);
    const uint64_t entries = o->rectify == KEDGE_RECTIFY_ENN
                                 ? memory_negatives(n, k) / NEGATIVES_SHARE
                                 : 0;
    const uint64_t few = lesser(entries, ENTRIES_LEAST);
    const uint64_t numbers =
        vectors + 8 * s->vocabulary * k +
        memory_matching(s->vocabulary, k, s->like_words, s->like_topics);
    const uint64_t em =
        o->em_iter == 0 ? 0
                       : vectors + 8 * s->vocabulary * k +
                             memory_em(s->vocabulary, k, threads,
                                              s->joined);
    const uint64_t measuring =
        !s->held_out ? 0
                     : vectors + 8 * s->vocabulary * (k + 10) +
                           memory_held_out(s->vocabulary, k, threads,
                                           s->joined);
    uint64_t most = memory_spectrum(s->width, n, k, threads);

    *out = (fit_plan){0};
    most = greater(most, m->making) - kept;
    most = greater(most, rectify + few);
    most = greater(most, vectors + memory_topics(o, n, k, threads));
    most = greater(most, numbers);
    most = greater(most, measuring);
    if (o->power_iter > 0) {
        const uint64_t other = around + em;
        out->block = plan_refine_block(
            s, threads,
            control->memory > other ? control->memory - other : 0);
        if (out->block == 0)
            return plan_refuse(
                "power iteration",
                greater(other + plan_power_iter(s, threads,
                                              plan_refine_least(s)),
                        around + most),
                control,
                plan_advice(s, "give more, or use fewer --power-iter"), err);
        most = greater(most, plan_power_iter(s, threads, out->block) +
                                 em);
    }
    most = greater(most, em);
    if (around + most > control->memory && most == em)
        return plan_refuse("EM", around + most, control,
                           plan_advice(s, "give more, fit fewer topics, or "
                                          "fit without --em-iter"), err);
    out->total = around + most;
    if (out->total > control->memory)
        return plan_refuse("fitting", out->total, control,
                           plan_advice(s, m->advice), err);
    out->entries = (control->memory - around - rectify) / ENTRIES_SHARE;
    out->entries = lesser(greater(out->entries, few), entries);
    out->total = greater(out->total, around + rectify + out->entries);
    return KEDGE_OK;
}

/* A fit by the normalised cut, or without held-out documents, makes a sketch of
 * its own in the largest batches that fit: returns their halvings. */
static unsigned plan_own_sketch(const fit_shape *s, bool spilled,
                          const kedge_control *control, fit_memory *m)
{
    const uint64_t n = s->vocabulary;
    unsigned halvings = 0;
    uint64_t batches;

    m->stays += memory_sketch(s->width, n, control->threads, spilled) +
                memory_own_index(n, s->word_bytes, s->joined) +
                (s->held_out ? 8 * s->all : 0);
    for (;; halvings++) {
        const uint64_t entries = plan_stored_entries(s->entries, halvings);
        batches = (s->joined ? memory_block(0) : 0) +
                  2 * (memory_replayed(entries) +
                       memory_window(n, entries, s->damped));
        if (halvings == BATCH_HALVINGS ||
            m->around + m->stays + batches <= control->memory)
            break;
    }
    m->making = greater(m->making, batches);
    if (s->held_out)
        m->making = greater(m->making, memory_rows(s->width));
    if (!plan_exact(s))
        m->advice = "give more, fit fewer topics, or fit without --ncut";
    return halvings;
}

/* The rows of one rank, and sums of groups of rows, which wait for those
 * before. */
static void plan_ranks(const fit_shape *s, bool spilled, fit_memory *m)
{
    const tall_part own = plan_own(s);
    const uint64_t groups = s->rank > 0 ? own.end - own.first : 0;

    m->stays = memory_sketch(s->width, own.count, 1, spilled) +
               40 * s->vocabulary + s->word_bytes +
               groups * 8 * s->width * (s->width + 1);
    m->making = s->gathering;
    m->advice = "give more, fit fewer topics, or with more processes";
}

/* A sketch that is the fit's own is in memory or, `spilled`, on the disk. */
static kedge_status plan_fit_at(const fit_shape *s, bool spilled,
                                const kedge_control *control, fit_plan *out,
                                kedge_error *err)
{
    fit_memory m = plan_fit_memory(s, control->threads);
    unsigned halvings = 0;

    if (s->processes > 0)
        plan_ranks(s, spilled, &m);
    else if (s->opts->ncut || s->held_out)
        halvings = plan_own_sketch(s, spilled, control, &m);
    PASS(plan_fit_steps(s, &m, control, out, err));
    out->spilled = spilled;
    out->halvings = halvings;
    return KEDGE_OK;
}

kedge_status plan_fit(const fit_shape *shape, const kedge_control *control,
                      fit_plan *out, kedge_error *err)
{
    const bool own = shape->processes > 0 || shape->opts->ncut ||
                     shape->held_out;
    kedge_status st = plan_fit_at(shape, false, control, out, err);
    uint64_t before;

    if (st != KEDGE_OK && own)
        st = plan_fit_at(shape, true, control, out, err);
    PASS(st);
    PASS(plan_choosing(shape->all, shape->word_bytes,
                       memory_choosing(shape->opts, shape->all), control,
                       &before, err));
    out->total = greater(out->total, greater(before, shape->sketching));
    return KEDGE_OK;
}
