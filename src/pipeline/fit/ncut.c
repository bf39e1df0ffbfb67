/* SPDX-License-Identifier: MIT */
/*
 * The first pass adds up all documents, for their degrees depend on the sum;
 * the second follows the log of documents as a view does that has no sketch
 * yet. Documents that were removed are in neither.
 */
#include "pipeline/fit/ncut.h"

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "pipeline/views/follow.h"

struct ncut {
    degrees degrees;
    follow follow;
};

void ncut_free(ncut *n)
{
    if (n == NULL)
        return;
    follow_close(&n->follow);
    degrees_close(&n->degrees);
    mem_free(n);
}

const degrees *ncut_degrees(const ncut *n)
{
    return n != NULL ? &n->degrees : NULL;
}

const sketch *ncut_sketch(const ncut *n)
{
    return n->follow.z;
}

/* ---- degrees ------------------------------------------------------------- */

typedef struct summing {
    const ncut_input *in;
    degrees *to;
    docs batch;
    window w;
} summing;

static kedge_status summing_block(summing *s, uint64_t block, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const ncut_input *const in = s->in;

    docs_clear(&s->batch);
    TRY(lens_read(in->lens, in->s, block, &s->batch, err));
    TRY(window_fill(&s->w, &s->batch, lens_words(in->lens)->count,
                    in->view->min_tokens, err));
    TRY(degrees_add(s->to, &s->w, err));
out:
    return st;
}

static kedge_status summing_blocks(summing *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const ncut_input *const in = s->in;
    stage told = stage_begin(in->control, "degrees", in->view->blocks,
                             "blocks");

    TRY(store_begin_read(in->s, err));
    for (uint64_t b = 0; b < in->view->blocks; b++) {
        TRY(summing_block(s, b, err));
        told.documents += s->batch.count;
        TRY(stage_reach(&told, b + 1, err));
    }
out:
    store_abort(in->s);
    return st;
}

static kedge_status ncut_sum(const ncut_input *in, degrees *g,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = lens_words(in->lens)->count;
    summing s = {.in = in, .to = g};
    uint32_t *rank = NULL;
    statistic kind;

    TRY_MEM(rank = mem_new(n, sizeof *rank));
    for (size_t i = 0; i < in->view->words; i++)
        rank[in->order[i]] = (uint32_t)i;
    statistic_open(&kind, in->view->statistic);
    s.w.statistic = &kind;
    s.w.rank = rank;
    TRY(degrees_open(g, &(degrees_input){.words = n, .rows = in->view->words,
                                         .order = in->order,
                                         .weight = in->weight,
                                         .kind = in->view->statistic}, err));
    TRY(summing_blocks(&s, err));
    degrees_finish(g, in->order);
out:
    docs_free(&s.batch);
    window_free(&s.w);
    mem_free(rank);
    return st;
}

/* ---- the sketch ---------------------------------------------------------- */

kedge_status ncut_create(const ncut_input *in, ncut **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    ncut *n = NULL;

    *out = NULL;
    TRY_MEM(n = mem_new(1, sizeof *n));
    TRY(ncut_sum(in, &n->degrees, err));
    TRY(run_check(in->control, err));
    n->follow = (follow){.s = in->s, .control = in->control, .p = in->p,
                         .vocabulary = in->all, .number = in->number,
                         .view = *in->view, .halvings = in->halvings,
                         .degrees = &n->degrees};
    TRY(follow_open(&n->follow, in->spilled, err));
    TRY(follow_catch_up(&n->follow, err));
    *out = n;
    n = NULL;
out:
    ncut_free(n);
    return st;
}

/* ---- memory -------------------------------------------------------------- */

/* The sketch, the degrees, and what the view sees, with its ranks. */
uint64_t ncut_memusage(const ncut_shape *s)
{
    const uint64_t n = s->vocabulary;
    const uint64_t seen = s->word_bytes + n * (16 + 4 + 4 + 4) +
                          (s->joined ? joining_memusage(n) : 0);

    return sketch_memusage(s->width, n, s->threads, s->spilled) +
           degrees_memusage(n) + seen;
}

uint64_t ncut_turns_memusage(const ncut_shape *s, unsigned halvings)
{
    return 2 * slot_memusage(s->vocabulary, halvings, s->damped) +
           (s->joined ? slot_block_memusage(0) : 0);
}
