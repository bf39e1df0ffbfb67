/* SPDX-License-Identifier: MIT */
#include "rankfit.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "figures.h"
#include "table.h"

static kedge_status fit_together(rankfit *r, kedge_store *own,
                                 kedge_store *sum,
                                 const kedge_control *control,
                                 kedge_error *err)
{
    kedge_team_traffic mine;
    const kedge_member self = {r->t->together, own, sum, &mine};
    const kedge_status st = kedge_team_fit(&self, r->topics, r->count, r->opts,
                                           control, r->results, err);

    if (st == KEDGE_OK)
        r->t->gather(&mine, sizeof mine, r->traffic);
    return st;
}

/* Rank 0 has the store of sums beside its own. */
static kedge_status fit_work(void *data, kedge_store *own,
                             const kedge_control *control, kedge_error *err)
{
    rankfit *const r = data;
    kedge_store *sum = NULL;
    kedge_status st;

    if (r->t->rank > 0)
        return fit_together(r, own, NULL, control, err);
    st = kedge_store_open(r->store, KEDGE_OPEN_CREATE, &sum, err);
    if (st != KEDGE_OK)
        return st;
    st = fit_together(r, own, sum, control, err);
    if (st == KEDGE_OK)
        kedge_store_close(sum);
    else
        kedge_store_withdraw(sum);
    return st;
}

int rankfit_run(rankfit *r, common *c)
{
    int code;

    r->traffic = claim(r->t->size, sizeof *r->traffic);
    code = ranks_task(r->t, r->store, KEDGE_OPEN_WRITE, c, fit_work, r);
    if (code != GO_ON)
        return code;
    return r->t->rank == 0 ? GO_ON : ranks_leave(r->t, EXIT_OK);
}

/* ---- what it took ------------------------------------------------------- */

static const struct {
    const char *name, *label;
    size_t at;
} stages[] = {
    {"words", "words", offsetof(kedge_team_traffic, words)},
    {"rows", "rows", offsetof(kedge_team_traffic, rows)},
    {"spectrum", "spectrum", offsetof(kedge_team_traffic, spectrum)},
    {"rectify", "rectify", offsetof(kedge_team_traffic, rectify)},
    {"topics", "topics", offsetof(kedge_team_traffic, topics)},
    {"model", "model", offsetof(kedge_team_traffic, model)},
};

#define STAGES (sizeof stages / sizeof *stages)

static uint64_t heard(const rankfit *r, unsigned rank, size_t stage)
{
    return *(const uint64_t *)((const char *)&r->traffic[rank] +
                               stages[stage].at);
}

void rankfit_tell(const rankfit *r)
{
    char note[160];
    uint64_t all = 0;
    int at = 0;
    figure f;

    for (size_t s = 0; s < STAGES; s++) {
        uint64_t sum = 0;
        for (unsigned n = 0; n < r->t->size; n++)
            sum += heard(r, n, s);
        at += snprintf(note + at, sizeof note - (size_t)at, "%s%s %s",
                       s == 0 ? "" : ", ", stages[s].label,
                       figure_bytes(&f, sum));
        all += sum;
    }
    fprintf(stderr, "\n");
    summary_line(stderr, "from rank to rank", figure_bytes(&f, all), note);
}

void rankfit_json(jsonout *j, const rankfit *r)
{
    json_key(j, "ranks");
    json_begin(j, '[');
    for (unsigned n = 0; n < r->t->size; n++) {
        json_begin(j, '{');
        for (size_t s = 0; s < STAGES; s++)
            json_key_count(j, stages[s].name, heard(r, n, s));
        json_close(j, '}');
    }
    json_close(j, ']');
}

void rankfit_free(rankfit *r)
{
    free(r->traffic);
    r->traffic = NULL;
}
