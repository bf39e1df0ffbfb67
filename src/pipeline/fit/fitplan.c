/* SPDX-License-Identifier: MIT */
#include "pipeline/fit/fitplan.h"

#include <assert.h>

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
#include "pipeline/plan.h"
#include "pipeline/batch.h"
#include "pipeline/index/viewplan.h"
#include "rectify/enn.h"
#include "sketch/sketch.h"
#include "sketch/spectrum.h"
#include "topics/anchorfree.h"
#include "topics/law.h"

#define BLAS_SQUARE (UINT64_C(8) << 20) /* a thread's buffers for all of C */
#define ENTRIES_SHARE 4  /* 1/4 of what is left may go to ENN's correction */
#define ENTRIES_LEAST (UINT64_C(4) << 20)

/* The weights, as they are and normalised, with the sums of D C D. */
static uint64_t fitplan_weights(uint64_t vocabulary)
{
    return 3 * 8 * vocabulary + refine_sums_memusage(vocabulary);
}

/* While topics are polished: B, and a refinement's blocks if there are any,
 * beside the two that there are all along. */
static uint64_t fitplan_polishing(const fit_shape *s, unsigned threads)
{
    if (s->polish == 0)
        return 0;
    return 8 * s->vocabulary * s->topics +
           polishing_memusage(s->vocabulary, s->topics, threads, s->joined);
}

/* What a fit holds from its beginning to its end, and as little as it takes
 * while it makes that; zeros without a sketch of its own. */
typedef struct fitplan_held {
    uint64_t stays, making;
    const char *advice; /* where that is too much */
} fitplan_held;

static bool fitplan_is_exact(const fit_shape *s)
{
    return s->cooccurrence != KEDGE_COOCCURRENCE_SKETCH;
}

/* Rows of what is tall that this process has. */
static tall_part fitplan_own(const fit_shape *s)
{
    return s->rank < s->processes
               ? tall_of(s->vocabulary, s->rank, s->processes)
               : (tall_part){.rows = s->vocabulary};
}

static uint64_t fitplan_own_rows(const fit_shape *s)
{
    return s->processes > 0 ? fitplan_own(s).count : s->vocabulary;
}

static uint64_t fitplan_around(const fit_shape *s, unsigned threads)
{
    return PLAN_BASE + threads * PLAN_THREAD +
           plan_words(s->vocabulary, s->word_bytes) +
           plan_others(s->all, s->vocabulary) + store_memusage() +
           (fitplan_is_exact(s) ? threads * BLAS_SQUARE : 0) +
           s->vocabulary * 48 +
           (s->weighted ? fitplan_weights(s->vocabulary) : 0);
}

static kedge_status fitplan_beside(const fit_shape *shape,
                                   const fitplan_held *held,
                                   const kedge_control *control, fit_plan *out,
                                   kedge_error *err)
{
    const uint64_t n = fitplan_own_rows(shape), k = shape->topics;
    const uint64_t width = shape->width, passes = shape->passes;
    const uint64_t around =
        fitplan_around(shape, control->threads) + held->stays;
    const uint64_t sweeps = spectrum_memusage(width, n, k) +
                            sketchrows_memusage(width, control->threads);
    const uint64_t keeping = spectrumkeeping_memusage(width);
    const uint64_t vectors = 2 * 8 * n * k; /* V and Y */
    const rectifying_shape rectify = {.kind = shape->rectify, .rows = n,
                                      .k = k, .threads = control->threads,
                                      .exact = fitplan_is_exact(shape),
                                      .damped = shape->damped};
    const uint64_t enn = vectors + rectifying_memusage(&rectify);
    const uint64_t entries = shape->rectify == KEDGE_RECTIFY_ENN
                                 ? enn_entries(n, k) : 0;
    const uint64_t few = entries < ENTRIES_LEAST ? entries : ENTRIES_LEAST;
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
    const uint64_t polishing = fitplan_polishing(shape, control->threads);
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
    if (out->entries > entries)
        out->entries = entries;
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
static fitplan_held fitplan_square(const fit_shape *s, unsigned threads)
{
    const exact_shape c = {.rows = s->vocabulary, .pairs = s->pairs,
                           .sparse = s->cooccurrence ==
                                     KEDGE_COOCCURRENCE_SPARSE,
                           .threads = threads};

    if (!fitplan_is_exact(s))
        return (fitplan_held){.advice = "give more, or fit fewer topics"};
    return (fitplan_held){
        .stays = exact_memusage(&c),
        .making = exact_making_memusage(s->vocabulary, s->topics, s->damped),
        .advice = "give more, take fewer words (--vocab-size), or leave the "
                  "co-occurrence to the sketch (--cooccurrence sketch)"};
}

/* With a sketch of its own, on the disk where that takes less, and by the
 * largest turns that fit. */
static kedge_status fitplan_ncut(const fit_shape *shape, bool spilled,
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
    const fitplan_held square = fitplan_square(shape, control->threads);
    const uint64_t turns = ncut_turns_memusage(&own, BATCH_HALVINGS);
    const fitplan_held held = {
        .stays = ncut_memusage(&own) + square.stays,
        .making = turns > square.making ? turns : square.making,
        .advice = fitplan_is_exact(shape)
                      ? square.advice
                      : "give more, fit fewer topics, or fit without --ncut"};
    const uint64_t around = fitplan_around(shape, control->threads);
    uint64_t total;

    TRY(fitplan_beside(shape, &held, control, out, err));
    out->spilled = own.spilled;
    for (;; out->halvings++) {
        total = around + held.stays + ncut_turns_memusage(&own, out->halvings);
        if (total <= control->memory)
            break;
        assert(out->halvings < BATCH_HALVINGS);
    }
    out->total = total > out->total ? total : out->total;
out:
    return st;
}

/* With rows that are dealt out, on the disk where they do not fit; and sums of
 * groups of rows, which wait for those before. */
static kedge_status fitplan_team(const fit_shape *shape, bool spilled,
                                 const kedge_control *control, fit_plan *out,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const tall_part own = fitplan_own(shape);
    const uint64_t groups = shape->rank > 0 ? own.end - own.first : 0;
    const uint64_t square = 8 * shape->width * (shape->width + 1);
    const fitplan_held held = {
        .stays = sketch_memusage(shape->width, own.count, 1, spilled) +
                 4 * shape->vocabulary * 4 + 24 * shape->vocabulary +
                 shape->word_bytes + groups * square,
        .making = shape->dealing,
        .advice = "give more, fit fewer topics, or with more processes"};

    TRY(fitplan_beside(shape, &held, control, out, err));
    out->spilled = spilled;
out:
    return st;
}

static kedge_status fitplan_itself(const fit_shape *shape,
                                   const kedge_control *control, fit_plan *out,
                                   kedge_error *err)
{
    const fitplan_held square = fitplan_square(shape, control->threads);
    kedge_error large = {0};

    if (shape->processes > 0)
        return fitplan_team(shape, false, control, out, &large) == KEDGE_OK
                   ? KEDGE_OK
                   : fitplan_team(shape, true, control, out, err);
    if (!shape->ncut)
        return fitplan_beside(shape, &square, control, out, err);
    return fitplan_ncut(shape, false, control, out, &large) == KEDGE_OK
               ? KEDGE_OK
               : fitplan_ncut(shape, true, control, out, err);
}

kedge_status fitplan_make(const fit_shape *shape, const kedge_control *control,
                          fit_plan *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t before;

    TRY(fitplan_itself(shape, control, out, err));
    TRY(viewplan_choosing(shape->all, shape->word_bytes, shape->choosing,
                          control, &before, err));
    out->total = out->total > before ? out->total : before;
    if (shape->sketching > out->total)
        out->total = shape->sketching;
out:
    return st;
}
