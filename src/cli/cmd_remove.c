/* SPDX-License-Identifier: MIT */
/* kedge remove: documents out of a store, exactly. */
#include <inttypes.h>
#include <stdio.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "figures.h"
#include "jsonout.h"
#include "options.h"
#include "table.h"
#include "task.h"

typedef struct removing {
    kedge_remove_opts opts;
    unsigned format;
    bool missing_ok;
    common common;
    kedge_remove_result result;
} removing;

static int read_line(removing *r, arguments *a, int argc, char **argv)
{
    const option options[] = {
        {.name = "batch", .kind = OPTION_TEXT, .value = &r->opts.batch,
         .argument = "NAME", .unset = "none",
         .help = "All documents that were ingested with --batch NAME. Their "
                 "files may be ingested again."},
        {.name = "ids", .kind = OPTION_TEXT, .value = &r->opts.ids_file,
         .argument = "FILE", .unset = "none",
         .help = "The documents of these ids, one a line. With --batch and ID: "
                 "these as well. Ids that the store does not have are no "
                 "error."},
        {.name = "missing-ok", .kind = OPTION_FLAG, .value = &r->missing_ok,
         .help = "It is no error when the store has none of the IDs: they "
                 "were removed before."},
        {.name = "no-sketch", .kind = OPTION_FLAG,
         .value = &r->opts.no_sketch,
         .help = "Leave the sketches to the next fit."},
        summary_format(&r->format),
    };

    a->options = options;
    a->count = sizeof options / sizeof *options;
    return options_read(a, argc, argv);
}

static void tell(const removing *o)
{
    const kedge_remove_result *const r = &o->result;
    char note[64];
    figure f;

    snprintf(note, sizeof note, "in %.1f s", r->seconds);
    summary_line(stderr, "documents removed",
                 figure_count(&f, r->documents), note);
    summary_line(stderr, "tokens", figure_count(&f, r->tokens), NULL);
    summary_line(stderr, "documents left", figure_count(&f, r->left), NULL);
    if (o->opts.batch != NULL && r->documents == 0)
        complain("no document of batch \"%.63s\" is left: nothing to remove",
                 o->opts.batch);
    summary_count("unknown ids", r->missing,
                  figure_noun(r->missing, "no document has it",
                              "no document has them"));
    for (uint64_t i = 0; i < r->missing && i < KEDGE_MISSING_NAMED; i++)
        complain("no document has the id %.255s", r->missing_ids[i]);
    if (r->missing > KEDGE_MISSING_NAMED)
        complain("nor any of %" PRIu64 " other %s",
                 r->missing - KEDGE_MISSING_NAMED,
                 figure_noun(r->missing - KEDGE_MISSING_NAMED, "id", "ids"));
}

static void print_json(const kedge_remove_result *r)
{
    jsonout j;

    summary_open(&j, 1);
    json_key_count(&j, "documents", r->documents);
    json_key_count(&j, "tokens", r->tokens);
    json_key_count(&j, "left", r->left);
    json_key_count(&j, "missing", r->missing);
    json_key(&j, "missing_ids");
    json_begin(&j, '[');
    for (uint64_t i = 0; i < r->missing && i < KEDGE_MISSING_NAMED; i++)
        json_text(&j, r->missing_ids[i]);
    json_close(&j, ']');
    json_key_real(&j, "seconds", r->seconds);
    json_close(&j, '}');
    json_end(&j);
}

static kedge_status remove_from(void *data, kedge_store *store,
                                const kedge_control *control, kedge_error *err)
{
    removing *const r = data;

    return kedge_remove(store, &r->opts, control, &r->result, err);
}

static int remove_run(const command *self, int argc, char **argv)
{
    removing r = {0};
    arguments a = {.self = self, .common = &r.common};
    kedge_error err = {0};
    kedge_status st;
    int code;

    common_init(&r.common);
    kedge_remove_opts_init(&r.opts);
    code = read_line(&r, &a, argc, argv);
    if (code != GO_ON)
        return code;
    r.opts.ids = (const char *const *)(a.operands + 1);
    r.opts.id_count = a.operand_count - 1;
    if (r.opts.batch == NULL && r.opts.ids_file == NULL &&
        r.opts.id_count == 0)
        return complain_usage(self->name, "remove needs to know what: "
                              "--batch NAME, --ids FILE, or ids");
    st = task_run(a.operands[0], KEDGE_OPEN_WRITE, &r.common, remove_from, &r,
                  &err);
    if (st == KEDGE_ENOTFOUND && r.missing_ok && r.result.missing > 0)
        st = KEDGE_OK;
    if (st == KEDGE_OK && r.format == SUMMARY_JSON)
        print_json(&r.result);
    else if (!r.common.quiet && (st == KEDGE_OK || r.result.documents > 0))
        tell(&r);
    return complain_status(st, &err);
}

const command command_remove = {
    .writes = true,
    .name = "remove",
    .summary = "take documents out of a store, exactly",
    .operands = "STORE [ID...]",
    .least = 1,
    .most = SIZE_MAX,
    .purpose =
        "Takes documents out of STORE by their batch, by their ids, or both: "
        "then all of either. A document that came without an id is known as "
        "SOURCE:POSITION, as kedge cat shows it, unless another document has "
        "just that as its own id: then it is that one. Counts "
        "and sketches are then what they would be had the documents never "
        "been there, to the last bit; models stay as they are until the next "
        "fit, which chooses its words again by its rule ('kedge fit --freeze' "
        "keeps the words of a model). The room on the disk is given back by "
        "kedge compact.",
    .output =
        "Nothing on standard output, except with --format json; a summary on "
        "standard error. To remove again what has left is no error, for "
        "scripts that may run twice: a batch that was removed is known as "
        "such, and ids that the store does not have are counted, and some are "
        "named. A batch that was never there is an error. Without "
        "--missing-ok, so are IDs of which the store has none.",
    .examples =
        "  kedge remove news --batch 2026-11-18\n"
        "  kedge remove news --ids withdrawn.txt\n"
        "  kedge remove news 4711 4712\n",
    .run = remove_run,
};
