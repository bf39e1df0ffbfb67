/* SPDX-License-Identifier: MIT */
/* kedge rebuild: what follows from the documents is made again. */
#include <stdio.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "figures.h"
#include "jsonout.h"
#include "options.h"
#include "table.h"
#include "watch.h"

static void tell(const kedge_rebuild_result *r)
{
    char note[64];
    figure f;

    snprintf(note, sizeof note, "read in %.1f s", r->seconds);
    summary_line(stderr, "documents", figure_count(&f, r->documents), note);
    summary_line(stderr, "counts", r->counts_changed ? "wrong" : "right",
                 r->counts_changed ? "they are what the documents say now"
                                   : "as they were");
    summary_line(stderr, "sketches", figure_count(&f, r->views), "made anew");
}

static void print_json(const kedge_rebuild_result *r)
{
    jsonout j = {.out = stdout, .lines = 1};

    json_open(&j, '{');
    json_key_text(&j, "kedge", kedge_version());
    json_key_count(&j, "documents", r->documents);
    json_key_count(&j, "views", r->views);
    json_key_bool(&j, "counts_changed", r->counts_changed);
    json_key_real(&j, "seconds", r->seconds);
    json_close(&j, '}');
    json_end(&j);
}

static kedge_status rebuild(const char *path, const common *shared,
                            kedge_rebuild_result *result, kedge_error *err)
{
    kedge_store *store;
    kedge_status st;
    watch w;

    st = kedge_store_open(path, KEDGE_OPEN_WRITE, &store, err);
    if (st != KEDGE_OK)
        return st;
    watch_begin(&w, shared);
    st = kedge_rebuild(store, &w.control, result, err);
    st = watch_end(&w, st, err);
    kedge_store_close(store);
    return st;
}

static int rebuild_run(const command *self, int argc, char **argv)
{
    kedge_rebuild_result result = {0};
    unsigned format = 0;
    common shared;
    const option options[] = {
        {.name = "format", .kind = OPTION_CHOICE, .value = &format,
         .argument = "table|json",
         .help = "The summary: a table on standard error, or JSON on standard "
                 "output."},
    };
    arguments a = {.self = self, .common = &shared, .options = options,
                   .count = sizeof options / sizeof *options};
    kedge_error err = {0};
    kedge_status st;
    int code;

    common_init(&shared);
    code = options_read(&a, argc, argv);
    if (code != GO_ON)
        return code;
    st = rebuild(a.operands[0], &shared, &result, &err);
    if (st == KEDGE_OK && format == 1)
        print_json(&result);
    else if (st == KEDGE_OK && !shared.quiet)
        tell(&result);
    return complain_status(st, &err);
}

const command command_rebuild = {
    .name = "rebuild",
    .summary = "make counts and sketches again from the documents",
    .operands = "STORE",
    .least = 1,
    .most = 1,
    .purpose =
        "Everything in STORE that follows from its documents is made again "
        "from them: the counts of words, the totals, where each id is, and "
        "every sketch. This mends damage to any of these; an undamaged store "
        "is the same afterwards, to the last bit. Models stay: fit them again "
        "if they are damaged. Damage to the documents themselves cannot be "
        "mended; it is told by its block, and nothing is changed. Stopped or "
        "killed, it can be run again.",
    .output =
        "Nothing on standard output, except with --format json: documents "
        "that were read, sketches (views) made, whether counts had been "
        "wrong, seconds. Otherwise a summary on standard error.",
    .examples =
        "  kedge rebuild news\n"
        "  kedge rebuild news --format json\n",
    .run = rebuild_run,
};
