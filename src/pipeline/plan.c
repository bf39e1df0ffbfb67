/* SPDX-License-Identifier: MIT */
#include "pipeline/plan.h"

#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/wordmap.h"
#include "pipeline/slot.h"
#include "io/assemble.h"

/* What is mapped around what is looked at. */
#define READING (UINT64_C(2) << 20)
/* What the store has mapped of the ids that it looked up. */
#define IDS_MAPPED (UINT64_C(32) << 20)
#define ID_PAGE 4096
#define ID_BYTES 160              /* of an id in a tree of half-full pages */
#define DIRTY_PAGES (UINT64_C(1) << 17) /* that LMDB keeps */

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

uint64_t plan_words(uint64_t vocabulary, uint64_t word_bytes)
{
    return 3 * word_bytes + vocabulary * (3 * 16 + 8 * 4 + 4 * 4);
}

uint64_t plan_others(uint64_t all, uint64_t vocabulary)
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

/* ---- what follows the budget --------------------------------------------- */

/* By halvings: what zstd's ultra levels, its levels above 19, and its usual
 * ones make. */
static const unsigned window_logs[SLOT_HALVINGS + 1] = {27, 25, 24, 23};
#define WINDOW_LOG_LEAST 20

#define TURN_TEXT 24 /* bytes of text for two entries, about */

unsigned plan_halvings(const plan_input *in)
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

reader_room plan_least_room(const ingest_plan *p)
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

void plan_room(ingest_plan *out, uint64_t memory)
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

kedge_status plan_refuse(const char *what, uint64_t needed,
                         const kedge_control *control, const char *advice,
                         kedge_error *err)
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

uint64_t plan_ids(uint64_t touched, uint64_t documents)
{
    uint64_t pages = documents / (ID_PAGE / ID_BYTES) + 1;

    pages = pages < touched ? pages : touched;
    return (pages < DIRTY_PAGES ? pages : DIRTY_PAGES) * ID_PAGE;
}
