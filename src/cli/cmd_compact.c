/* SPDX-License-Identifier: MIT */
/* kedge compact: the room of what left a store is given back. */
#include <stdio.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "figures.h"
#include "jsonout.h"
#include "options.h"
#include "table.h"
#include "watch.h"

static void tell(const kedge_compact_result *r)
{
    char note[64];
    figure f;

    snprintf(note, sizeof note, "in %.1f s", r->seconds);
    summary_line(stderr, "before", figure_bytes(&f, r->bytes_before), NULL);
    summary_line(stderr, "after", figure_bytes(&f, r->bytes_after), note);
    summary_line(stderr, "documents", figure_count(&f, r->documents),
                 "removed before, off the disk now");
}

static void print_json(const kedge_compact_result *r)
{
    jsonout j = {.out = stdout, .lines = 1};

    json_open(&j, '{');
    json_key_text(&j, "kedge", kedge_version());
    json_key_count(&j, "bytes_before", r->bytes_before);
    json_key_count(&j, "bytes_after", r->bytes_after);
    json_key_count(&j, "documents", r->documents);
    json_key_real(&j, "seconds", r->seconds);
    json_close(&j, '}');
    json_end(&j);
}

static kedge_status compact(const char *path, const common *shared,
                            kedge_compact_result *result, kedge_error *err)
{
    kedge_store *store;
    kedge_status st;
    watch w;

    st = kedge_store_open(path, KEDGE_OPEN_WRITE, &store, err);
    if (st != KEDGE_OK)
        return st;
    watch_begin(&w, shared);
    st = kedge_compact(store, &w.control, result, err);
    st = watch_end(&w, st, err);
    kedge_store_close(store);
    return st;
}

static int compact_run(const command *self, int argc, char **argv)
{
    kedge_compact_result result = {0};
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
    st = compact(a.operands[0], &shared, &result, &err);
    if (st == KEDGE_OK && format == 1)
        print_json(&result);
    else if (st == KEDGE_OK && !shared.quiet)
        tell(&result);
    return complain_status(st, &err);
}

const command command_compact = {
    .name = "compact",
    .summary = "give back the disk space of what left a store",
    .operands = "STORE",
    .least = 1,
    .most = 1,
    .purpose =
        "Documents that were removed, or replaced by newer ones, still take "
        "their room in STORE. This takes them out of its blocks, brings the "
        "sketches up to date first, and writes the data file anew without its "
        "holes. Topics, counts and exported files stay the same to the last "
        "bit. It takes as much free disk as the store is large in the end; "
        "where that runs out, the store stays as it was. Killed, it leaves a "
        "whole store, and the same command goes on. Readers are not "
        "disturbed: they keep the old file, and its room, until they look "
        "again.",
    .output =
        "Nothing on standard output, except with --format json: bytes before "
        "and after, documents whose room was given back, seconds. Otherwise a "
        "summary on standard error.",
    .examples =
        "  kedge remove news --batch 2026-11-18\n"
        "  kedge compact news\n",
    .run = compact_run,
};
