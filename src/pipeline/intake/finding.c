/* SPDX-License-Identifier: MIT */
/*
 * Which sources a store has, before any is read: each is opened as intake opens
 * it, and identified by its first documents as intake does, but that is all.
 */
#include <kedge/ingest.h>

#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/run.h"
#include "pipeline/intake/ingest.h"
#include "pipeline/intake/intake.h"
#include "pipeline/plan.h"

/* Not a pipe, which would be the less for it. */
static bool can_be_looked_into(const char *path)
{
    struct stat about;

    return strcmp(path, "-") != 0 && stat(path, &about) == 0 &&
           (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode));
}

/* What is wrong with a source is told by who reads it. */
static kedge_status pass_over(kedge_status st)
{
    return st == KEDGE_EIO || st == KEDGE_EFORMAT || st == KEDGE_EINVAL ||
                   st == KEDGE_EBUDGET
               ? KEDGE_OK
               : st;
}

static kedge_status find_all(intake *in, const kedge_control *control,
                             uint64_t *found, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (size_t i = 0; i < in->path.count; i++) {
        uint32_t number = 0;
        bool known = false;
        words_free(&in->path.found);
        in->next = i;
        /* and what is found there, if it is a directory */
        for (; !known && in->next < paths_count(&in->path);) {
            TRY(run_check(control, err));
            if (can_be_looked_into(paths_get(&in->path, in->next)))
                TRY(pass_over(intake_find(in, &known, &number, err)));
            else
                in->next++;
            if (in->next == i + 1)
                in->next = in->path.count;
        }
        if (known)
            found[i] = number;
    }
out:
    return st;
}

kedge_status kedge_ingest_find(kedge_store *s, const char *const *sources,
                               size_t count, const kedge_ingest_opts *opts,
                               const kedge_control *control, uint64_t *found,
                               kedge_error *err)
{
    API_ENTER(err, {"store", s});
    API_TEXTS(err, "sources", sources, count);
    API_ARRAY(err, "found", found, count);
    API_USUAL(kedge_ingest_opts, opts);
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    intake in = {.path = {.given = sources, .count = count}};
    kedge_control silent = *control;
    ingest_plan plan = {0};
    store_totals totals;
    words all = {0};

    silent.log = NULL; /* what there is to tell is told by reading */
    for (size_t i = 0; i < count; i++)
        found[i] = KEDGE_NO_SOURCE;
    TRY(ingest_check(opts, count, err));
    if (opts->source != NULL)
        TRY(kedge_fail(err, KEDGE_EINVAL, "documents from memory cannot be "
                       "looked into before they are read"));
    TRY(plan_load_words(s, control, &totals, &all, err));
    TRY(intake_open(&in, s, &all, opts, &silent, err));
    TRY(plan_storing(all.count, words_bytes(&all), control, &plan, err));
    in.limits = slot_limits_of(plan.halvings);
    in.room = plan.room;
    TRY(find_all(&in, control, found, err));
out:
    intake_close(&in);
    words_free(&all);
    return api_leave(st, err);
}
