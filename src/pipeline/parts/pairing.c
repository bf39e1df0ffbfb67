/* SPDX-License-Identifier: MIT */
#include "pipeline/parts/pairing.h"

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "sketch/statistic.h"

typedef struct matching {
    pairing *out;
    const store_totals *totals;
    const partfile_facts *facts;
    const kedge_control *control;
    size_t left;  /* views of the store that would lack the part */
} matching;

void pairing_free(pairing *p)
{
    for (size_t i = 0; i < p->count; i++)
        store_list_free(&p->pair[i].list);
    mem_free(p->pair);
    *p = (pairing){0};
}

pair *pairing_find(const pairing *p, size_t theirs)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->pair[i].theirs == theirs)
            return &p->pair[i];
    return NULL;
}

bool pairing_same_kind(const store_view *a, const store_view *b)
{
    return a->listed == b->listed && a->joined == b->joined &&
           a->statistic == b->statistic && strcmp(a->rule, b->rule) == 0;
}

static kedge_status agree(uint32_t number, const char *what, uint64_t ours,
                          uint64_t theirs, kedge_error *err)
{
    return ours == theirs
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_EINVAL,
                            "its sketch has %s %" PRIu64 ", that of view %"
                            PRIu32 " of the store has %" PRIu64 ": they cannot "
                            "be added up", what, theirs, number, ours);
}

kedge_status pairing_agree(uint32_t number, const store_view *ours,
                           const store_view *theirs, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(agree(number, "the width (--sketch)", ours->width, theirs->width,
              err));
    TRY(agree(number, "the seed", ours->seed, theirs->seed, err));
    TRY(agree(number, "--min-tokens", ours->min_tokens, theirs->min_tokens,
              err));
    TRY(agree(number, "weight bits", ours->weight_bits, theirs->weight_bits,
              err));
    TRY(agree(number, "value bits", ours->value_bits, theirs->value_bits,
              err));
out:
    return st;
}

/* A view of the store, which the part has or has not. */
static kedge_status match(void *data, uint32_t number, store_view *ours,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    matching *const m = data;
    const partfile_facts *const f = m->facts;
    size_t i = 0;

    if (ours->parts != m->totals->parts)
        return KEDGE_OK;
    while (i < f->views && !pairing_same_kind(ours, &f->view[i].view))
        i++;
    if (i == f->views || pairing_find(m->out, i) != NULL) {
        m->left++;
        return KEDGE_OK;
    }
    TRY(pairing_agree(number, ours, &f->view[i].view, err));
    m->out->pair[m->out->count++] =
        (pair){.theirs = i, .number = number, .exists = true, .view = *ours,
               .fresh_rows = ours->rows ^ 1};
out:
    return st;
}

/* As views begin, with nothing in them. */
static void take_over(matching *m, size_t i)
{
    const partfile_view *const theirs = &m->facts->view[i];
    store_view view = theirs->view;

    view.documents = view.skipped = view.tokens = view.words = 0;
    view.rows = 2 * theirs->number;
    m->out->pair[m->out->count++] =
        (pair){.theirs = i, .number = theirs->number, .view = view,
               .fresh_rows = view.rows};
}

static kedge_status refuse_all(const matching *m, kedge_error *err)
{
    if (m->facts->views == 0)
        return kedge_fail(err, KEDGE_EINVAL,
                          "it has counts alone: the sketches that the store "
                          "has would lack its documents");
    return kedge_fail(err, KEDGE_EINVAL,
                      "the store has no sketch of the same words, by the same "
                      "statistic, as view %" PRIu32 " of the part (%s, words "
                      "%s): to be added up, it has to be there before "
                      "('kedge info STORE' lists them)",
                      m->facts->view[0].number,
                      statistic_name(m->facts->view[0].view.statistic),
                      m->facts->view[0].view.listed
                          ? m->facts->view[0].view.rule
                          : "all");
}

static void tell_left(const matching *m)
{
    const size_t theirs = m->facts->views - m->out->count;

    if (m->left > 0)
        run_log(m->control, "%zu of the store's sketches cannot be fitted "
                "any more: the part has none of these words", m->left);
    if (theirs > 0)
        run_log(m->control, "%zu of the part's sketches stay out: the store "
                "has none of these words", theirs);
}

kedge_status pairing_make(pairing *out, store_txn *txn,
                          const store_totals *totals,
                          const partfile_facts *facts,
                          const kedge_control *control, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    matching m = {.out = out, .totals = totals, .facts = facts,
                  .control = control};
    const bool empty = totals->blocks == 0 && totals->parts == 0;

    *out = (pairing){0};
    TRY_MEM(out->pair = mem_new(facts->views, sizeof *out->pair));
    TRY(store_each_view(txn, match, &m, err));
    for (size_t i = 0; empty && m.left == 0 && i < facts->views; i++)
        if (pairing_find(out, i) == NULL)
            take_over(&m, i);
    if (out->count == 0 && (facts->views > 0 || m.left > 0))
        TRY(refuse_all(&m, err));
    tell_left(&m);
out:
    if (st != KEDGE_OK)
        pairing_free(out);
    return st;
}
