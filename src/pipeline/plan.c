/* SPDX-License-Identifier: MIT */
#include "pipeline/plan.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "linalg/tall.h"
#include "pipeline/fit/exact.h"
#include "pipeline/fit/ncut.h"
#include "pipeline/fit/polishing.h"
#include "pipeline/fit/rectifying.h"
#include "pipeline/fit/refine.h"
#include "pipeline/fit/renumber.h"
#include "pipeline/fit/sketchrows.h"
#include "pipeline/fit/spectrumkeeping.h"
#include "pipeline/team/dealing.h"
#include "pipeline/team/tallies.h"
#include "pipeline/views/follow.h"
#include "pipeline/views/joining.h"
#include "pipeline/views/pairs.h"
#include "pipeline/views/phrases.h"
#include "reader/assemble.h"
#include "reader/reader.h"
#include "rectify/enn.h"
#include "sketch/spectrum.h"
#include "topics/anchorfree.h"

/* What is mapped around what is looked at. */
#define READING (UINT64_C(2) << 20)
/* What the store has mapped of the ids that it looked up. */
#define IDS_MAPPED (UINT64_C(32) << 20)
#define ID_PAGE 4096
#define ID_BYTES 160              /* of an id in a tree of half-full pages */
#define DIRTY_PAGES (UINT64_C(1) << 17) /* that LMDB keeps */
#define WIDTH_DEFAULT 1000
#define WIDTH_MOST 2000
#define WIDTH_ENTRIES 50000000 /* what is wider than the default has so many */
#define WIDTH_LEAST 16
#define WIDTH_A_WORD 4   /* columns, where words are few */
#define BLAS_SQUARE (UINT64_C(8) << 20) /* a thread's buffers for all of C */
#define ENTRIES_SHARE 4  /* 1/4 of what is left may go to ENN's correction */
#define ENTRIES_LEAST (UINT64_C(4) << 20)

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

char *plan_size(uint64_t bytes, char text[16])
{
    const double mib = (double)bytes / (1 << 20);

    if (mib >= 1024)
        snprintf(text, 16, "%.2f GiB", mib / 1024);
    else
        snprintf(text, 16, "%.0f MiB", ceil(mib));
    return text;
}

/* Words with their order, counts, hashes, and a merge of two lists. */
static uint64_t plan_words(uint64_t vocabulary, uint64_t word_bytes)
{
    return 3 * word_bytes + vocabulary * (3 * 16 + 8 * 4 + 4 * 4);
}

/* Words of the store that are none of the model's: where each one's text is,
 * and that it has no number, as the fit and as the sketch that follows have
 * it. */
static uint64_t plan_others(uint64_t all, uint64_t vocabulary)
{
    return all > vocabulary ? (all - vocabulary) * (8 + 2 * 4) : 0;
}

/* The program with what of the store's map it looks at, without a BLAS. */
static uint64_t plan_program(uint64_t looked_at, unsigned threads)
{
    const uint64_t map =
        looked_at < PLAN_MAP - READING ? looked_at + READING : PLAN_MAP;

    return PLAN_PROGRAM + map + threads * PLAN_THREAD_ALONE;
}

static uint64_t plan_around(uint64_t vocabulary, uint64_t word_bytes,
                            unsigned threads)
{
    return PLAN_BASE + threads * PLAN_THREAD_ALONE +
           plan_words(vocabulary, word_bytes) + store_memusage() +
           vocabulary * 32;
}

/* ---- what follows the budget --------------------------------------------- */

/* By halvings: what zstd's ultra levels, its levels above 19, and its usual
 * ones make. */
static const unsigned window_logs[SLOT_HALVINGS + 1] = {27, 25, 24, 23};
#define WINDOW_LOG_LEAST 20

#define TURN_TEXT 24 /* bytes of text for two entries, about */

/* As many as leave room for all that there is to read. */
static unsigned plan_halvings(const plan_input *in)
{
    unsigned halvings = in->text == 0 ? 0 : SLOT_HALVINGS;

    while (halvings > 0 &&
           slot_limits_of(halvings).entries < in->text / TURN_TEXT)
        halvings--;
    return halvings;
}

/* Ids may be anywhere in their tree: a page of it for each document that a
 * transaction puts, or all of them. */
static uint64_t plan_turn_ids(const ingest_plan *p)
{
    const uint64_t stored =
        p->input.text == 0 ? UINT64_MAX : p->input.stored;

    return plan_ids(slot_limits_of(p->halvings).documents, stored) +
           lesser(plan_ids(stored, stored), IDS_MAPPED);
}

/* Ids are many, so that larger turns write fewer pages for each. */
static bool plan_has_many_ids(const ingest_plan *p)
{
    return p->input.text == 0 ||
           p->input.stored / (ID_PAGE / ID_BYTES) >=
               slot_limits_of(p->halvings).documents;
}

/* An entry of a large document, in each place that holds it: the reader's bag,
 * three batches, blocks of two slots before and after compression, two
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
                         .entries = slot_limits_of(halvings).entries,
                         .piece = WINDOW_SPLIT_TOKENS};
}

/* A document in each place that holds it, beside its entries: the names in
 * three batches, in blocks of two slots, and among those that are compared. */
#define DOCUMENT_BYTES 1200
#define DOCUMENTS_MOST (8 * (uint64_t)WINDOW_DOCUMENTS)

/* What is left: half for a line, a quarter for a document's entries, and one
 * for more documents and the pages that their ids are on. */
static void plan_room(ingest_plan *out, uint64_t memory)
{
    const uint64_t left = (memory - out->total) / 4;
    const uint64_t documents = slot_limits_of(out->halvings).documents;
    const uint64_t entries = out->room.entries + left / ENTRY_BYTES;
    const uint64_t line = out->room.line + 2 * left / READER_LINE_BYTES;

    out->room.entries = lesser(entries, READER_ENTRIES_MAX);
    out->room.line = lesser(line, LINES_LIMIT);
    out->documents = out->id_pages = documents;
    if (plan_has_many_ids(out)) {
        out->documents =
            lesser(documents + left / 2 / DOCUMENT_BYTES, DOCUMENTS_MOST);
        out->id_pages = lesser(documents + left / 2 / ID_PAGE, DIRTY_PAGES);
    }
    out->most = out->total + (out->documents - documents) * DOCUMENT_BYTES +
                (out->id_pages - documents) * ID_PAGE;
}

uint64_t plan_documents(const ingest_plan *p, uint64_t stored)
{
    const uint64_t ids = p->id_pages * (ID_PAGE / ID_BYTES);
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

/* While texts bring more and more words: the store's list and the one of the
 * thread that reads, with an array's copy while it grows; counts, hashes and
 * what the pages of counts take that a transaction rewrites; the map of words,
 * and the assembler's tallies. */
static uint64_t plan_texts(uint64_t vocabulary, uint64_t word_bytes)
{
    const uint64_t n = vocabulary + PLAN_NEW_WORDS;
    const uint64_t bytes = word_bytes + PLAN_NEW_WORDS * 16;
    const uint64_t copy = bytes > 8 * n ? bytes : 8 * n;

    return 2 * bytes + n * (2 * 8 + 2 * 8 + 2 * 8 + 4) + copy +
           wordmap_memusage(n) + assemble_memusage(n);
}

static uint64_t plan_storing_total(uint64_t vocabulary, uint64_t word_bytes,
                                   const ingest_plan *p, unsigned threads)
{
    return plan_program(p->input.text == 0 ? PLAN_MAP : p->input.text,
                        threads) + reader_memusage(&p->room) +
           store_memusage() +
           2 * slot_stored_memusage(p->halvings, !p->input.numbered) +
           plan_turn_ids(p) + plan_texts(vocabulary, word_bytes);
}

/* With the largest turns that fit. */
static bool plan_try(const plan_shape *shape, bool spilled, uint64_t around,
                     const kedge_control *control, ingest_plan *out)
{
    follow_shape f = {.width = shape->width, .vocabulary = shape->vocabulary,
                      .threads = control->threads, .spilled = spilled,
                      .damped = shape->damped, .stored = shape->stored,
                      .texts = !shape->input.numbered,
                      .halvings = plan_halvings(&shape->input),
                      .entries = shape->entries};

    *out = (ingest_plan){.input = shape->input, .width = shape->width,
                         .spilled = spilled};
    for (; f.halvings <= SLOT_HALVINGS; f.halvings++) {
        out->halvings = f.halvings;
        out->room = plan_least_room(out);
        out->sketch = follow_memusage(&f);
        out->total = around + out->sketch +
                     (shape->stored ? 0 : reader_memusage(&out->room));
        if (out->total > control->memory)
            continue;
        plan_room(out, control->memory);
        return true;
    }
    return false;
}

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

/* `needed`: as little as it can take. */
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
    for (; out->halvings <= SLOT_HALVINGS; out->halvings++) {
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
                       "give more and run it again: what was read before is "
                       "committed; or take fewer words (--longest, --stem, "
                       "--vocab)", err);
}

/* A sketch of so many columns, or as many as usual, beside what is `around`; in
 * a file where it has no room. */
static kedge_status plan_sketch(const char *what, const plan_shape *shape,
                                uint64_t around, const kedge_control *control,
                                ingest_plan *out, kedge_error *err)
{
    plan_shape s = *shape;

    if (s.width == 0)
        s.width = plan_width(s.vocabulary);
    return plan_try(&s, false, around, control, out) ||
                   plan_try(&s, true, around, control, out)
               ? KEDGE_OK
               : plan_refuse(what, out->total, control,
                             "give more, or ask for a narrower sketch "
                             "(--sketch) or fewer threads", err);
}

kedge_status plan_ingest(const plan_shape *shape, bool no_sketch,
                         const kedge_control *control, ingest_plan *out,
                         kedge_error *err)
{
    const uint64_t n = shape->vocabulary;

    if (!no_sketch)
        return plan_sketch("ingesting", shape,
                           plan_around(n, shape->word_bytes,
                                       control->threads),
                           control, out, err);
    *out = (ingest_plan){.input = shape->input,
                         .width = shape->width != 0 ? shape->width
                                                    : plan_width(n)};
    return plan_storing(n, shape->word_bytes, control, out, err);
}

kedge_status plan_view(const plan_shape *shape, const kedge_control *control,
                       ingest_plan *out, kedge_error *err)
{
    const uint64_t n = shape->vocabulary;
    uint64_t around = plan_around(n, shape->word_bytes, control->threads) +
                      plan_others(shape->all, n);
    plan_shape s = *shape;

    s.stored = true;
    if (shape->joined) { /* a block's documents before they are, and phrases */
        around += slot_block_memusage(0) + joining_memusage(n);
        s.entries = 0; /* of phrases a document may have more than of words */
    }
    return plan_sketch("sketching", &s, around, control, out, err);
}

/* The weights, as they are and normalised, with the sums of D C D. */
static uint64_t plan_weights(uint64_t vocabulary)
{
    return 3 * 8 * vocabulary + refine_sums_memusage(vocabulary);
}

/* While topics are polished: B, and a refinement's blocks if there are any,
 * beside the two that there are all along. */
static uint64_t plan_polishing(const fit_shape *s, unsigned threads)
{
    if (s->polish == 0)
        return 0;
    return 8 * s->vocabulary * s->topics +
           polishing_memusage(s->vocabulary, s->topics, threads, s->joined);
}

/* What a fit holds from its beginning to its end, and as little as it takes
 * while it makes that; zeros without a sketch of its own. */
typedef struct plan_held {
    uint64_t stays, making;
    const char *advice; /* where that is too much */
} plan_held;

static bool plan_is_exact(const fit_shape *s)
{
    return s->cooccurrence != KEDGE_COOCCURRENCE_SKETCH;
}

/* Rows of what is tall that this process has. */
static tall_part plan_own(const fit_shape *s)
{
    return s->rank < s->processes
               ? tall_of(s->vocabulary, s->rank, s->processes)
               : (tall_part){.rows = s->vocabulary};
}

static uint64_t plan_own_rows(const fit_shape *s)
{
    return s->processes > 0 ? plan_own(s).count : s->vocabulary;
}

static uint64_t plan_fit_around(const fit_shape *s, unsigned threads)
{
    return PLAN_BASE + threads * PLAN_THREAD +
           plan_words(s->vocabulary, s->word_bytes) +
           plan_others(s->all, s->vocabulary) + store_memusage() +
           (plan_is_exact(s) ? threads * BLAS_SQUARE : 0) +
           s->vocabulary * 48 + (s->weighted ? plan_weights(s->vocabulary) : 0);
}

static kedge_status plan_fit_beside(const fit_shape *shape,
                                    const plan_held *held,
                                    const kedge_control *control,
                                    fit_plan *out, kedge_error *err)
{
    const uint64_t n = plan_own_rows(shape), k = shape->topics;
    const uint64_t width = shape->width, passes = shape->passes;
    const uint64_t around =
        plan_fit_around(shape, control->threads) + held->stays;
    const uint64_t sweeps = spectrum_memusage(width, n, k) +
                            sketchrows_memusage(width, control->threads);
    const uint64_t keeping = spectrumkeeping_memusage(width);
    const uint64_t vectors = 2 * 8 * n * k; /* V and Y */
    const rectifying_shape rectify = {.kind = shape->rectify, .rows = n,
                                      .k = k, .threads = control->threads,
                                      .exact = plan_is_exact(shape),
                                      .damped = shape->damped};
    const uint64_t enn = vectors + rectifying_memusage(&rectify);
    const uint64_t entries = shape->rectify == KEDGE_RECTIFY_ENN
                                 ? enn_entries(n, k) : 0;
    const uint64_t few = lesser(entries, ENTRIES_LEAST);
    const uint64_t apart = anchorfree_memusage(n, k);
    const uint64_t usual = law_memusage(n, k) + shape->ways;
    const uint64_t law = vectors + (usual > apart ? usual : apart);
    const uint64_t numbers =
        vectors + 8 * shape->vocabulary * k +
        renumber_memusage(shape->vocabulary, k, shape->like_words,
                          shape->like_topics);
    const refine_shape refined = {.rows = n, .k = k, .passes = passes,
                                  .threads = control->threads,
                                  .damped = shape->damped};
    const uint64_t polishing = plan_polishing(shape, control->threads);
    uint64_t most = sweeps;

    *out = (fit_plan){0};
    most = most > keeping ? most : keeping;
    most = most > held->making ? most : held->making;
    most = most > enn + few ? most : enn + few;
    most = most > law ? most : law;
    most = most > numbers ? most : numbers;
    if (passes > 0) {
        const uint64_t other = around + polishing;
        const uint64_t left =
            control->memory > other ? control->memory - other : 0;
        out->block = refine_block(&refined, width, left);
        const uint64_t least =
            other + refine_memusage(&refined, refine_least(&refined, width));
        if (out->block == 0)
            return plan_refuse(
                "refining", least > around + most ? least : around + most,
                control, "give more, or refine with fewer passes", err);
    }
    if (polishing > 0 && vectors + polishing > most) {
        most = vectors + polishing;
        if (around + most > control->memory)
            return plan_refuse("polishing", around + most, control,
                               "give more, fit fewer topics, or fit without "
                               "--polish", err);
    }
    out->total = around + most;
    if (out->total > control->memory)
        return plan_refuse("fitting", out->total, control, held->advice, err);
    out->entries = (control->memory - around - enn) / ENTRIES_SHARE;
    if (out->entries < few)
        out->entries = few;
    out->entries = lesser(out->entries, entries);
    if (out->block > 0) {
        most = refine_memusage(&refined, out->block) + polishing;
        most = most > numbers ? most : numbers;
    }
    most = most > held->making ? most : held->making;
    out->total = around + (most > enn + out->entries ? most
                                                     : enn + out->entries);
    return KEDGE_OK;
}

/* Of a fit that keeps the sketch as it is: nothing, or C. */
static plan_held plan_square(const fit_shape *s, unsigned threads)
{
    const exact_shape c = {.rows = s->vocabulary, .pairs = s->pairs,
                           .sparse = s->cooccurrence ==
                                     KEDGE_COOCCURRENCE_SPARSE,
                           .threads = threads};

    if (!plan_is_exact(s))
        return (plan_held){.advice = "give more, or fit fewer topics"};
    return (plan_held){
        .stays = exact_memusage(&c),
        .making = exact_making_memusage(s->vocabulary, s->topics, s->damped),
        .advice = "give more, take fewer words (--vocab-size), or leave the "
                  "co-occurrence to the sketch (--cooccurrence sketch)"};
}

/* With a sketch of its own, on the disk where that takes less, and by the
 * largest turns that fit. */
static kedge_status plan_ncut(const fit_shape *shape, bool spilled,
                              const kedge_control *control, fit_plan *out,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    ncut_shape own = {.width = shape->width,
                      .vocabulary = shape->vocabulary,
                      .word_bytes = shape->word_bytes,
                      .threads = control->threads,
                      .damped = shape->damped, .joined = shape->joined};
    const uint64_t here = ncut_memusage(&own);
    own.spilled = spilled;
    if (ncut_memusage(&own) > here)
        own.spilled = false;
    const plan_held square = plan_square(shape, control->threads);
    const uint64_t turns = ncut_turns_memusage(&own, SLOT_HALVINGS);
    const plan_held held = {
        .stays = ncut_memusage(&own) + square.stays,
        .making = turns > square.making ? turns : square.making,
        .advice = plan_is_exact(shape)
                      ? square.advice
                      : "give more, fit fewer topics, or fit without --ncut"};
    const uint64_t around = plan_fit_around(shape, control->threads);
    uint64_t total;

    TRY(plan_fit_beside(shape, &held, control, out, err));
    out->spilled = own.spilled;
    for (;; out->halvings++) {
        total = around + held.stays + ncut_turns_memusage(&own, out->halvings);
        if (total <= control->memory)
            break;
        assert(out->halvings < SLOT_HALVINGS);
    }
    out->total = total > out->total ? total : out->total;
out:
    return st;
}

/* With rows that are dealt out, on the disk where they do not fit; and sums of
 * groups of rows, which wait for those before. */
static kedge_status plan_team(const fit_shape *shape, bool spilled,
                              const kedge_control *control, fit_plan *out,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const tall_part own = plan_own(shape);
    const uint64_t groups = shape->rank > 0 ? own.end - own.first : 0;
    const uint64_t square = 8 * shape->width * (shape->width + 1);
    const plan_held held = {
        .stays = sketch_memusage(shape->width, own.count, 1, spilled) +
                 4 * shape->vocabulary * 4 + 24 * shape->vocabulary +
                 shape->word_bytes + groups * square,
        .making = dealing_memusage(shape->width, shape->processes) +
                  tallies_memusage(shape->all, shape->word_bytes),
        .advice = "give more, fit fewer topics, or with more processes"};

    TRY(plan_fit_beside(shape, &held, control, out, err));
    out->spilled = spilled;
out:
    return st;
}

/* Words, where the text of each is, and what it takes to choose among them: all
 * that there is by then. */
static uint64_t plan_choosing_total(uint64_t all, uint64_t word_bytes,
                                    uint64_t choosing)
{
    return PLAN_BASE + store_memusage() + word_bytes + 8 * all + choosing;
}

kedge_status plan_choosing(uint64_t all, uint64_t word_bytes,
                           uint64_t choosing, const kedge_control *control,
                           kedge_error *err)
{
    const uint64_t total = plan_choosing_total(all, word_bytes, choosing);

    return total <= control->memory
               ? KEDGE_OK
               : plan_refuse("choosing words", total, control, "give more",
                             err);
}

#define FEW_WORDS (UINT64_C(4) << 20) /* bytes, that all plans have room for */

kedge_status plan_get_words(store_txn *txn, const kedge_control *control,
                            words *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint64_t base = PLAN_BASE + store_memusage();
    store_totals t;
    uint64_t list;
    char what[64];

    TRY(store_get_totals(txn, &t, err));
    /* with a number for each */
    if (__builtin_mul_overflow(t.words, sizeof(size_t) + 4, &list) ||
        __builtin_add_overflow(list, t.word_bytes, &list) ||
        list > UINT64_MAX - base)
        list = UINT64_MAX - base;
    if (list > FEW_WORDS && base + list > control->memory) {
        snprintf(what, sizeof what, "reading %llu words",
                 (unsigned long long)t.words);
        TRY(plan_refuse(what, base + list, control, "give more", err));
    }
    TRY(store_get_words(txn, out, err));
out:
    return st;
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

static kedge_status plan_fit_itself(const fit_shape *shape,
                                    const kedge_control *control,
                                    fit_plan *out, kedge_error *err)
{
    const plan_held square = plan_square(shape, control->threads);
    kedge_error large = {0};

    if (shape->processes > 0)
        return plan_team(shape, false, control, out, &large) == KEDGE_OK
                   ? KEDGE_OK
                   : plan_team(shape, true, control, out, err);
    if (!shape->ncut)
        return plan_fit_beside(shape, &square, control, out, err);
    return plan_ncut(shape, false, control, out, &large) == KEDGE_OK
               ? KEDGE_OK
               : plan_ncut(shape, true, control, out, err);
}

kedge_status plan_fit(const fit_shape *shape, const kedge_control *control,
                      fit_plan *out, kedge_error *err)
{
    const uint64_t before = plan_choosing_total(shape->all, shape->word_bytes,
                                                shape->choosing);
    kedge_status st = KEDGE_OK;

    TRY(plan_fit_itself(shape, control, out, err));
    TRY(plan_choosing(shape->all, shape->word_bytes, shape->choosing, control,
                      err));
    out->total = out->total > before ? out->total : before;
    if (shape->sketching > out->total)
        out->total = shape->sketching;
out:
    return st;
}

kedge_status plan_walk(const walk_shape *shape, const kedge_control *control,
                       uint64_t *total, kedge_error *err)
{
    const uint64_t block = shape->largest.documents > 0
                               ? slot_largest_memusage(&shape->largest)
                               : slot_block_memusage(shape->vocabulary);
    const uint64_t around =
        shape->read > 0
            ? plan_program(shape->read, shape->threads)
            : PLAN_BASE + shape->threads * PLAN_THREAD + store_memusage();

    *total = around + plan_words(shape->vocabulary, shape->word_bytes) +
             shape->blocks * block + shape->more;
    return *total <= control->memory
               ? KEDGE_OK
               : plan_refuse(shape->what, *total, control, "give more", err);
}

kedge_status plan_arrivals(const walk_shape *shape,
                           const kedge_control *control, reader_room *room,
                           uint64_t *total, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    walk_shape s = *shape;
    ingest_plan p = {.input = shape->input};
    uint64_t left;

    for (; p.halvings <= SLOT_HALVINGS; p.halvings++) {
        *room = plan_least_room(&p);
        room->entries = SLOT_BLOCK_ENTRIES;
        room->piece = 0; /* they stay whole */
        s.more = shape->more + reader_memusage(room);
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
        .more = phrases_memusage(vocabulary) + pairs_memusage(PAIRS_LEAST),
    };
    kedge_status st = KEDGE_OK;
    uint64_t total, left;

    TRY(plan_walk(&shape, control, &total, err));
    left = (control->memory - total) / 3 * 2 + PAIRS_LEAST;
    *bytes = left < PAIRS_MOST ? left : PAIRS_MOST;
out:
    return st;
}

uint64_t plan_ids(uint64_t touched, uint64_t documents)
{
    uint64_t pages = documents / (ID_PAGE / ID_BYTES) + 1;

    pages = pages < touched ? pages : touched;
    return (pages < DIRTY_PAGES ? pages : DIRTY_PAGES) * ID_PAGE;
}
