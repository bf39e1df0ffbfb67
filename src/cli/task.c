/* SPDX-License-Identifier: MIT */
#include "task.h"

#include <math.h>
#include <stdio.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "figures.h"
#include "table.h"
#include "watch.h"

option summary_format(unsigned *value)
{
    return (option){.name = "format", .kind = OPTION_CHOICE, .value = value,
                    .argument = "table|json",
                    .help = "The summary: a table on standard error, or JSON "
                            "on standard output."};
}

void summary_open(jsonout *j, int lines)
{
    *j = (jsonout){.out = stdout, .lines = lines};
    json_begin(j, '{');
    json_key_text(j, "kedge", kedge_version());
}

void summary_count(const char *label, uint64_t n, const char *note)
{
    figure f;

    if (n > 0)
        summary_line(stderr, label, figure_count(&f, n), note);
}

static void tell_wait(void *data, const char *line)
{
    const common *const c = data;

    if (!c->quiet)
        complain("%s", line);
}

kedge_status task_open(const char *path, kedge_open_mode mode, const common *c,
                       kedge_store **out, kedge_error *err)
{
    const kedge_wait wait = {
        .seconds = isfinite(c->wait) ? c->wait : -1,
        .data = (void *)(uintptr_t)c,
        .log = tell_wait,
    };

    return kedge_store_open_wait(path, mode, c->wait != 0 ? &wait : NULL, out,
                                 err);
}

void summary_short(uint64_t n, uint64_t of, uint64_t least)
{
    char note[128];
    figure f;

    snprintf(note, sizeof note,
             "%.3g %% of all, have fewer than %s words: no topics are learnt "
             "from them",
             100 * (double)n / (double)(of + (of == 0)),
             least == 2 ? "two" : figure_count(&f, least));
    summary_count("too short", n, note);
}

/* One in twenty is many. */
void warn_short(uint64_t n, uint64_t of, uint64_t least)
{
    if (20 * n <= of)
        return;
    complain("warning: %.3g %% of the documents have fewer than %llu words, "
             "and no topics are learnt from them%s",
             100 * (double)n / (double)of, (unsigned long long)least,
             least > KEDGE_MIN_TOKENS ? "; a smaller --min-tokens takes them"
                                      : "");
}

void summary_encoding(uint64_t n, const char *first, const char *encoding)
{
    char note[600];

    snprintf(note, sizeof note,
             "%s bytes that are not %s, which part words; the first: %s; "
             "%s",
             n == 1 ? "document holds" : "documents hold",
             encoding != NULL ? encoding : "UTF-8", first,
             encoding != NULL ? "is it the right --encoding?"
                              : "--encoding latin1, or another, reads them");
    summary_count("undecoded", n, note);
}

kedge_status task_run(const char *path, kedge_open_mode mode, const common *c,
                      task_work *work, void *data, kedge_error *err)
{
    kedge_store *store;
    kedge_status st;
    watch w;

    st = task_open(path, mode, c, &store, err);
    if (st != KEDGE_OK)
        return st;
    watch_begin(&w, c);
    st = work(data, store, &w.control, err);
    st = watch_end(&w, st, err);
    if (st == KEDGE_ECANCELED && mode == KEDGE_OPEN_READ)
        snprintf(err->text, sizeof err->text, "stopped");
    if (st == KEDGE_OK)
        kedge_store_close(store);
    else
        kedge_store_withdraw(store);
    return st;
}

int chore_run(const chore *c, const command *self, int argc, char **argv)
{
    unsigned format = SUMMARY_TABLE;
    common shared;
    const option options[] = {summary_format(&format)};
    arguments a = {.self = self, .common = &shared, .options = options,
                   .count = 1};
    kedge_error err = {0};
    kedge_status st;
    int code;

    common_init(&shared);
    code = options_read(&a, argc, argv);
    if (code != GO_ON)
        return code;
    st = task_run(a.operands[0], KEDGE_OPEN_WRITE, &shared, c->work, c->data,
                  &err);
    if (st == KEDGE_OK && format == SUMMARY_JSON)
        c->print_json(c->data);
    else if (st == KEDGE_OK && !shared.quiet)
        c->tell(c->data);
    return complain_status(st, &err);
}
