/* SPDX-License-Identifier: MIT */
/* kedge remove: documents out of a store, exactly. */
#include <inttypes.h>
#include <stdio.h>

#include <kedge/kedge.h>

#include "command.h"

typedef struct removing {
    job job;
    kedge_remove_opts opts;
    bool missing_ok;
    kedge_remove_result result;
} removing;

#define AT(member) offsetof(removing, member)

static const option options[] = {
    OPTION(TEXT, "batch", AT(opts.batch), "NAME",
           "all documents of a batch", .main = true),
    OPTION(TEXT, "ids", AT(opts.ids_file), "FILE",
           "the ids in FILE, one per line", .main = true),
    OPTION(FLAG, "missing-ok", AT(missing_ok), NULL,
           "no error when STORE has none of the IDs", .main = true),
    OPTION(FLAG, "no-sketch", AT(opts.no_sketch), NULL,
           "leave the sketches to the next fit", .main = true),
    OPTION_SUMMARY,
    {.name = NULL},
};

static void begin(void *data)
{
    kedge_remove_opts_init(&((removing *)data)->opts);
}

static int check(void *data)
{
    removing *const r = data;

    r->opts.ids = r->job.rest;
    r->opts.id_count = r->job.rest_count;
    if (r->opts.batch == NULL && r->opts.ids_file == NULL &&
        r->opts.id_count == 0)
        return complain_usage("remove", "remove needs documents: --batch NAME, "
                                        "--ids FILE, or ids");
    return GO_ON;
}

static void tell_missing(const removing *o)
{
    const kedge_remove_result *const r = &o->result;

    if (o->opts.batch != NULL && r->documents == 0)
        complain("no document of batch \"%.63s\" is left: nothing to remove",
                 o->opts.batch);
    for (uint64_t i = 0; i < r->missing && i < KEDGE_MISSING_NAMED; i++)
        complain("no document has the id %.255s", r->missing_ids[i]);
    if (r->missing > KEDGE_MISSING_NAMED)
        complain("nor any of %" PRIu64 " other %s",
                 r->missing - KEDGE_MISSING_NAMED,
                 figure_noun(r->missing - KEDGE_MISSING_NAMED, "id", "ids"));
}

static void print_json(const kedge_remove_result *r)
{
    jsonout j = json_document(stdout, 1);

    json_fields(&j, "kedge_remove_result", r, PART(0));
    json_key_begin(&j, "missing_ids", '[');
    for (uint64_t i = 0; i < r->missing && i < KEDGE_MISSING_NAMED; i++)
        json_text(&j, r->missing_ids[i]);
    json_close(&j, ']');
    json_fields(&j, "kedge_remove_result", r, PART(1));
    json_finish(&j);
}

static void tell(void *data)
{
    const removing *const r = data;

    if (r->job.format == SUMMARY_JSON) {
        print_json(&r->result);
    } else if (!r->job.common.quiet) {
        tell_result(&r->job, "kedge_remove_result", &r->result, ALL_PARTS);
        tell_missing(r);
    }
}

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    removing *const r = data;
    const kedge_status st =
        kedge_remove(store, &r->opts, control, &r->result, err);

    return st == KEDGE_ENOTFOUND && r->missing_ok && r->result.missing > 0
               ? KEDGE_OK
               : st;
}

const command command_remove = {
    .name = "remove",
    .group = GROUP_CHANGE,
    .summary = "remove documents, exactly",
    .operands = "STORE [ID...]",
    .least = 1,
    .most = SIZE_MAX,
    .purpose =
        "Removes documents by batch, by id, or both. Counts and sketches are "
        "then as if the documents had never been there, to the last bit. "
        "Models stay as they are until the next fit. Removing a batch twice is "
        "no error; a batch that never existed is.",
    .examples = "  kedge remove news --batch 2026-11-18\n"
                "  kedge remove news --ids withdrawn.txt\n",
    .see = "updates",
    .writes = true,
    .options = options,
    .size = sizeof(removing),
    .begin = begin,
    .check = check,
    .mode = KEDGE_OPEN_WRITE,
    .work = work,
    .tell = tell,
    .done_at = AT(result.documents),
};
