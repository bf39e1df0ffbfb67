/* SPDX-License-Identifier: MIT */
#include "rankingest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kedge/kedge.h>

#include "complain.h"

/* What a rank has of a source. */
enum { NOTHING, BEGUN, COMPLETE };

/* Tickets are given out while rank 0 reads, whenever it tells how far it is. */
typedef struct dealer {
    const team *t;
    const kedge_control *control;
} dealer;

static void dealer_progress(void *data, const kedge_progress *now)
{
    const dealer *const d = data;

    d->t->serve();
    if (d->control->progress != NULL)
        d->control->progress(d->control->data, now);
}

static void dealer_log(void *data, const char *line)
{
    const dealer *const d = data;

    if (d->control->log != NULL)
        d->control->log(d->control->data, line);
}

static int dealer_stop(void *data)
{
    const dealer *const d = data;

    return d->control->stop != NULL && d->control->stop(d->control->data);
}

int rankingest_check(const rankingest *r, const char *store)
{
    bool piped = false;
    const int code = ranks_check(r->t, store);

    if (code != GO_ON)
        return code;
    for (size_t i = 0; i < r->count; i++)
        piped = piped || strcmp(r->sources[i], "-") == 0;
    if (piped && r->t->rank == 0)
        complain("standard input cannot be dealt out to ranks: name files");
    return ranks_ready(r->t, !piped);
}

/* Of every source, what this rank's store has. */
static kedge_status find_marks(const rankingest *r, kedge_store *store,
                               unsigned char *mark, kedge_error *err)
{
    kedge_source_info info;
    kedge_status st;

    for (uint64_t i = 0;; i++) {
        st = kedge_store_get_source(store, i, &info, err);
        if (st != KEDGE_OK)
            return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
        for (size_t s = 0; s < r->count; s++)
            if (strncmp(r->sources[s], info.name, sizeof info.name - 1) == 0 &&
                !info.removed)
                mark[s] = info.complete ? COMPLETE : BEGUN;
    }
}

/* Named once more: two ranks would read it. */
static bool is_again(const rankingest *r, size_t source)
{
    for (size_t s = 0; s < source; s++)
        if (strcmp(r->sources[s], r->sources[source]) == 0)
            return true;
    return false;
}

/* The first rank that has begun a source goes on with it. */
static bool is_begun_here(const rankingest *r, const unsigned char *all,
                          size_t source, bool *open)
{
    for (unsigned n = 0; n < r->t->size; n++) {
        const unsigned char mark = all[n * r->count + source];
        if (mark == NOTHING)
            continue;
        *open = false;
        return mark == BEGUN && n == r->t->rank;
    }
    *open = true;
    return false;
}

static void add(const kedge_ingest_result *from, kedge_ingest_result *to)
{
    to->sources += from->sources;
    to->sources_known += from->sources_known;
    to->documents += from->documents;
    to->resumed += from->resumed;
    to->counted += from->counted;
    to->too_short += from->too_short;
    to->duplicates += from->duplicates;
    to->replaced += from->replaced;
    to->same += from->same;
    to->empty += from->empty;
    to->bad += from->bad;
    to->not_text += from->not_text;
    to->hidden += from->hidden;
    to->special += from->special;
    to->tokens += from->tokens;
    to->nonzeros += from->nonzeros;
    to->bytes_read += from->bytes_read;
    to->bytes_text += from->bytes_text;
    to->mapped = to->mapped || from->mapped;
}

static void keep_largest(uint64_t from, uint64_t *to)
{
    *to = from > *to ? from : *to;
}

static void add_whole(const kedge_ingest_result *from, kedge_ingest_result *to)
{
    add(from, to);
    keep_largest(from->words, &to->words);
    keep_largest(from->width, &to->width);
    keep_largest(from->planned_memory, &to->planned_memory);
    keep_largest(from->peak_memory, &to->peak_memory);
}

static kedge_status read_one(rankingest *r, size_t source, kedge_store *store,
                             const kedge_control *control, kedge_error *err)
{
    kedge_ingest_result one;
    kedge_status st = kedge_ingest(store, &r->sources[source], 1, r->opts,
                                   control, &one, err);

    add_whole(&one, &r->result);
    r->result.seconds += one.seconds;
    return st;
}

/* What this rank has begun, and then what it is dealt of what nobody has. */
static kedge_status read_dealt(rankingest *r, kedge_store *store,
                               const unsigned char *all, size_t *open,
                               const kedge_control *control, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t ticket;
    size_t opened = 0;
    bool is_open;

    for (size_t s = 0; s < r->count; s++) {
        is_begun_here(r, all, s, &is_open);
        if (is_open && !is_again(r, s))
            open[opened++] = s;
    }
    r->t->deal(opened);
    for (size_t s = 0; st == KEDGE_OK && s < r->count; s++)
        if (is_begun_here(r, all, s, &is_open) && !is_again(r, s))
            st = read_one(r, s, store, control, err);
    while (st == KEDGE_OK && (ticket = r->t->ticket()) < opened)
        st = read_one(r, open[ticket], store, control, err);
    if (st == KEDGE_OK && r->t->rank == 0)
        r->t->settle();
    return st;
}

kedge_status rankingest_read(void *data, kedge_store *store,
                             const kedge_control *control, kedge_error *err)
{
    rankingest *const r = data;
    const dealer d = {r->t, control};
    unsigned char *const mark = claim(r->count, 1);
    unsigned char *const all = claim(r->count, r->t->size);
    size_t *const open = claim(r->count, sizeof *open);
    kedge_control dealing = *control;
    kedge_status st = find_marks(r, store, mark, err);

    for (size_t s = 0; s < r->count; s++)
        r->result.sources_known += mark[s] == COMPLETE;
    if (r->t->rank == 0) {
        dealing.data = (void *)&d;
        dealing.progress = dealer_progress;
        dealing.log = dealer_log;
        dealing.stop = dealer_stop;
    }
    if (st == KEDGE_OK) {
        r->t->gather(mark, r->count, all);
        st = read_dealt(r, store, all, open, &dealing, err);
    }
    free(open);
    free(all);
    free(mark);
    return st;
}

void rankingest_sum(rankingest *r)
{
    kedge_ingest_result *const all = claim(r->t->size, sizeof *all);
    kedge_ingest_result sum = {0};

    r->t->gather(&r->result, sizeof r->result, all);
    for (unsigned n = 0; n < r->t->size; n++) {
        add_whole(&all[n], &sum);
        sum.seconds = all[n].seconds > sum.seconds ? all[n].seconds
                                                   : sum.seconds;
    }
    r->result = sum;
    free(all);
}
