/* SPDX-License-Identifier: MIT */
/* kedge compact: the room of what left a store is given back. */
#include <stdio.h>

#include <kedge/kedge.h>

#include "figures.h"
#include "table.h"
#include "task.h"

static void tell(const void *data)
{
    const kedge_compact_result *const r = data;
    char note[64];
    figure f;

    snprintf(note, sizeof note, "in %.1f s", r->seconds);
    summary_line(stderr, "before", figure_bytes(&f, r->bytes_before), NULL);
    summary_line(stderr, "after", figure_bytes(&f, r->bytes_after), note);
    summary_line(stderr, "documents", figure_count(&f, r->documents),
                 "removed before, off the disk now");
}

static void print_json(const void *data)
{
    const kedge_compact_result *const r = data;
    jsonout j;

    summary_open(&j, 1);
    json_key_count(&j, "bytes_before", r->bytes_before);
    json_key_count(&j, "bytes_after", r->bytes_after);
    json_key_count(&j, "documents", r->documents);
    json_key_real(&j, "seconds", r->seconds);
    json_close(&j, '}');
    json_end(&j);
}

static kedge_status compact(void *data, kedge_store *store,
                            const kedge_control *control, kedge_error *err)
{
    return kedge_compact(store, control, data, err);
}

static int compact_run(const command *self, int argc, char **argv)
{
    kedge_compact_result result = {0};

    return chore_run(&(chore){compact, tell, print_json, &result}, self, argc,
                     argv);
}

const command command_compact = {
    .writes = true,
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
        "bit; what a fit left for the next one goes, and is made again by "
        "that. It takes as much free disk as the store is large in the end; "
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
