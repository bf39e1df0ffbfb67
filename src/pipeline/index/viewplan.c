/* SPDX-License-Identifier: MIT */
#include "pipeline/index/viewplan.h"

#include "base/fail.h"
#include "pipeline/index/index.h"
#include "pipeline/index/phrases.h"

#define WIDTH_DEFAULT 1000
#define WIDTH_MOST 2000
#define WIDTH_ENTRIES 50000000 /* what is wider than the default has so many */
#define WIDTH_LEAST 16
#define WIDTH_A_WORD 4 /* columns, where words are few */

static uint64_t viewplan_around(uint64_t vocabulary, uint64_t word_bytes,
                                unsigned threads)
{
    return PLAN_BASE + threads * PLAN_THREAD_ALONE +
           plan_words(vocabulary, word_bytes) + store_memusage() +
           vocabulary * 32;
}

/* With the largest turns that fit. */
static bool viewplan_try(const viewplan_shape *shape, bool spilled,
                         uint64_t around, const kedge_control *control,
                         ingest_plan *out)
{
    follow_shape f = {.width = shape->width, .vocabulary = shape->vocabulary,
                      .threads = control->threads, .spilled = spilled,
                      .damped = shape->damped, .stored = shape->stored,
                      .texts = !shape->input.numbered,
                      .halvings = plan_halvings(&shape->input),
                      .entries = shape->entries};

    *out = (ingest_plan){.input = shape->input, .width = shape->width,
                         .spilled = spilled};
    for (; f.halvings <= BATCH_HALVINGS; f.halvings++) {
        out->halvings = f.halvings;
        out->room = plan_least_room(out);
        out->total = around + follow_memusage(&f) +
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
uint64_t viewplan_width(uint64_t vocabulary)
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

/* A sketch of so many columns, or as many as usual, beside what is `around`; in
 * a file where it has no room. */
static kedge_status viewplan_sketch(const char *what,
                                    const viewplan_shape *shape,
                                    uint64_t around,
                                    const kedge_control *control,
                                    ingest_plan *out, kedge_error *err)
{
    viewplan_shape s = *shape;

    if (s.width == 0)
        s.width = viewplan_width(s.vocabulary);
    return viewplan_try(&s, false, around, control, out) ||
                   viewplan_try(&s, true, around, control, out)
               ? KEDGE_OK
               : plan_refuse(what, out->total, control,
                             "give more, or ask for a narrower sketch "
                             "(--sketch) or fewer threads", err);
}

kedge_status viewplan_ingest(const viewplan_shape *shape, bool no_sketch,
                             const kedge_control *control, ingest_plan *out,
                             kedge_error *err)
{
    const uint64_t n = shape->vocabulary;

    if (!no_sketch)
        return viewplan_sketch("ingesting", shape,
                               viewplan_around(n, shape->word_bytes,
                                               control->threads),
                               control, out, err);
    *out = (ingest_plan){.input = shape->input,
                         .width = shape->width != 0 ? shape->width
                                                    : viewplan_width(n)};
    return plan_storing(n, shape->word_bytes, control, out, err);
}

kedge_status viewplan_make(const viewplan_shape *shape,
                           const kedge_control *control, ingest_plan *out,
                           kedge_error *err)
{
    const uint64_t n = shape->vocabulary;
    uint64_t around = viewplan_around(n, shape->word_bytes, control->threads) +
                      plan_others(shape->all, n);
    viewplan_shape s = *shape;

    s.stored = true;
    if (shape->joined) { /* a block's documents before they are, and phrases */
        around += slot_block_memusage(0) + joining_memusage(n);
        s.entries = 0; /* of phrases a document may have more than of words */
    }
    return viewplan_sketch("sketching", &s, around, control, out, err);
}

kedge_status viewplan_choosing(uint64_t all, uint64_t word_bytes,
                               uint64_t choosing,
                               const kedge_control *control, uint64_t *total,
                               kedge_error *err)
{
    *total = PLAN_BASE + store_memusage() + word_bytes + 8 * all + choosing;
    return *total <= control->memory
               ? KEDGE_OK
               : plan_refuse("choosing words", *total, control, "give more",
                             err);
}

#define PAIRS_MOST (UINT64_C(256) << 20) /* beyond, runs are as fast */

kedge_status viewplan_phrases(uint64_t vocabulary, uint64_t word_bytes,
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
