/* SPDX-License-Identifier: MIT */
#include "rankinfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kedge/kedge.h>

#include "complain.h"

/* A file takes its name when it is whole. */
typedef struct outfile {
    char *path, *coming;
} outfile;

static void outfile_name(outfile *o, const rankinfer *r)
{
    const size_t room = strlen(r->file) + 24;

    o->path = claim(room, 1);
    o->coming = claim(room, 1);
    snprintf(o->path, room, "%s.%u", r->file, r->t->rank);
    snprintf(o->coming, room, "%s.part", o->path);
}

static void outfile_free(outfile *o)
{
    free(o->path);
    free(o->coming);
}

static kedge_status outfile_close(const outfile *o, kedge_status st,
                                  kedge_error *err)
{
    if (st == KEDGE_OK && (fflush(stdout) != 0 || ferror(stdout) ||
                           rename(o->coming, o->path) != 0))
        st = system_failed(o->path, err);
    if (st != KEDGE_OK)
        remove(o->coming);
    return st;
}

static kedge_status give(rankinfer *r, kedge_infer *f, kedge_error *err)
{
    kedge_status st;
    outfile o;

    outfile_name(&o, r);
    if (r->whole)
        st = r->give(r->data, f, o.path, err);
    else if (freopen(o.coming, "w", stdout) == NULL)
        st = system_failed(o.coming, err);
    else
        st = outfile_close(&o, r->give(r->data, f, NULL, err), err);
    outfile_free(&o);
    return st;
}

static kedge_status infer_together(rankinfer *r, kedge_store *own,
                                   kedge_store *sum,
                                   const kedge_control *control,
                                   kedge_error *err)
{
    const kedge_member self = {r->t->together, own, sum, NULL};
    kedge_infer *f;
    kedge_status st =
        kedge_team_infer_open(&self, r->opts, control, &f, err);

    if (st == KEDGE_OK) {
        st = give(r, f, err);
        kedge_infer_get_result(f, &r->result);
    }
    kedge_infer_close(f);
    return st;
}

static kedge_status infer_work(void *data, kedge_store *own,
                               const kedge_control *control, kedge_error *err)
{
    rankinfer *const r = data;
    kedge_store *sum = NULL;
    kedge_status st = KEDGE_OK;

    if (r->t->rank == 0)
        st = kedge_store_open(r->store, KEDGE_OPEN_READ, &sum, err);
    if (st == KEDGE_OK)
        st = infer_together(r, own, sum, control, err);
    kedge_store_close(sum);
    return st;
}

static void add(const kedge_infer_result *from, kedge_infer_result *to)
{
    to->documents += from->documents;
    to->empty += from->empty;
    to->unknown += from->unknown;
    to->single += from->single;
    to->unsettled += from->unsettled;
    to->iterations += from->iterations;
    to->tokens += from->tokens;
    to->outside += from->outside;
    to->seconds = from->seconds > to->seconds ? from->seconds : to->seconds;
    if (from->planned_memory > to->planned_memory)
        to->planned_memory = from->planned_memory;
    if (from->peak_memory > to->peak_memory)
        to->peak_memory = from->peak_memory;
}

/* All: the results of all, added up; what TLI's matrix is like all know. */
static void infer_sum(rankinfer *r)
{
    kedge_infer_result *const all = claim(r->t->size, sizeof *all);

    r->t->gather(&r->result, sizeof r->result, all);
    r->result = all[0];
    for (unsigned n = 1; n < r->t->size; n++)
        add(&all[n], &r->result);
    free(all);
}

int rankinfer_run(rankinfer *r, common *c)
{
    const int code =
        ranks_task(r->t, r->store, KEDGE_OPEN_READ, c, infer_work, r);

    if (code != GO_ON)
        return code;
    infer_sum(r);
    return r->t->rank == 0 ? GO_ON : ranks_leave(r->t, EXIT_OK);
}
