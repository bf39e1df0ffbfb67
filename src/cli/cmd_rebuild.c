/* SPDX-License-Identifier: MIT */
/* kedge rebuild: what follows from the documents is made again. */
#include <stdio.h>

#include <kedge/kedge.h>

#include "figures.h"
#include "table.h"
#include "task.h"

static void tell(const void *data)
{
    const kedge_rebuild_result *const r = data;
    char note[64];
    figure f;

    snprintf(note, sizeof note, "read in %.1f s", r->seconds);
    summary_line(stderr, "documents", figure_count(&f, r->documents), note);
    summary_line(stderr, "counts", r->counts_changed ? "wrong" : "right",
                 r->counts_changed ? "they are what the documents say now"
                                   : "as they were");
    summary_line(stderr, "sketches", figure_count(&f, r->views), "made anew");
}

static void print_json(const void *data)
{
    const kedge_rebuild_result *const r = data;
    jsonout j;

    summary_open(&j, 1);
    json_key_count(&j, "documents", r->documents);
    json_key_count(&j, "views", r->views);
    json_key_bool(&j, "counts_changed", r->counts_changed);
    json_key_real(&j, "seconds", r->seconds);
    json_close(&j, '}');
    json_end(&j);
}

static kedge_status rebuild(void *data, kedge_store *store,
                            const kedge_control *control, kedge_error *err)
{
    return kedge_rebuild(store, control, data, err);
}

static int rebuild_run(const command *self, int argc, char **argv)
{
    kedge_rebuild_result result = {0};

    return chore_run(&(chore){rebuild, tell, print_json, &result}, self, argc,
                     argv);
}

const command command_rebuild = {
    .writes = true,
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
        "if they are damaged. A damaged record of how texts are cut into words "
        "is given up: the next texts settle it anew. Damage to the documents "
        "themselves cannot be mended; it is told by its block, and nothing is "
        "changed. "
        "A store with documents that are elsewhere cannot be made again: "
        "import its parts into a new one. Stopped or killed, it can be run "
        "again.",
    .output =
        "Nothing on standard output, except with --format json: documents "
        "that were read, sketches (views) made, whether counts had been "
        "wrong, seconds. Otherwise a summary on standard error.",
    .examples =
        "  kedge rebuild news\n"
        "  kedge rebuild news --format json\n",
    .run = rebuild_run,
};
