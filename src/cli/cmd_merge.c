/* SPDX-License-Identifier: MIT */
/* kedge merge: stores that were built apart become one. */
#include <stdio.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "figures.h"
#include "jsonout.h"
#include "options.h"
#include "table.h"
#include "task.h"

typedef struct merging {
    unsigned duplicate, format;
    common common;
    kedge_merge_result result;
} merging;

static int read_line(merging *m, arguments *a, int argc, char **argv)
{
    const option options[] = {
        {.name = "on-duplicate", .kind = OPTION_CHOICE,
         .value = &m->duplicate, .argument = "error|skip|replace",
         .help = "What to do with a document whose id OUT has: stop, keep the "
                 "earlier one, or keep the later one."},
        summary_format(&m->format),
    };

    a->options = options;
    a->count = sizeof options / sizeof *options;
    return options_read(a, argc, argv);
}

static void tell(const kedge_merge_result *r)
{
    char note[64];
    figure f;

    snprintf(note, sizeof note, "in %.1f s", r->seconds);
    summary_line(stderr, "documents added", figure_count(&f, r->documents),
                 note);
    summary_count("elsewhere", r->elsewhere,
                  "more were counted in parts, and stay there");
    summary_count("known", r->known, "from the same sources, passed over");
    summary_count("duplicates", r->duplicates,
                  figure_noun(r->duplicates, "id that OUT had: left out",
                              "ids that OUT had: left out"));
    summary_count("replaced", r->replaced,
                  figure_noun(r->replaced, "earlier document of the same id",
                              "earlier documents of the same ids"));
    summary_line(stderr, "words", figure_count(&f, r->words),
                 "in the vocabulary");
}

static void print_json(const kedge_merge_result *r)
{
    jsonout j;

    summary_open(&j, 1);
    json_key_count(&j, "stores", r->stores);
    json_key_count(&j, "documents", r->documents);
    json_key_count(&j, "elsewhere", r->elsewhere);
    json_key_count(&j, "known", r->known);
    json_key_count(&j, "duplicates", r->duplicates);
    json_key_count(&j, "replaced", r->replaced);
    json_key_count(&j, "words", r->words);
    json_key_real(&j, "seconds", r->seconds);
    json_close(&j, '}');
    json_end(&j);
}

typedef struct stores {
    merging *m;
    const arguments *a;
} stores;

static kedge_status merge_into(void *data, kedge_store *store,
                               const kedge_control *control, kedge_error *err)
{
    const stores *s = data;
    const arguments *a = s->a;

    return kedge_merge(store, (const char *const *)(a->operands + 1),
                       a->operand_count - 1,
                       (kedge_on_duplicate)s->m->duplicate, control,
                       &s->m->result, err);
}

static int merge_run(const command *self, int argc, char **argv)
{
    merging m = {0};
    arguments a = {.self = self, .common = &m.common};
    kedge_error err = {0};
    kedge_status st;
    int code;

    common_init(&m.common);
    code = read_line(&m, &a, argc, argv);
    if (code != GO_ON)
        return code;
    st = task_run(a.operands[0], KEDGE_OPEN_CREATE, &m.common, merge_into,
                  &(stores){&m, &a}, &err);
    if (st == KEDGE_OK && m.format == SUMMARY_JSON)
        print_json(&m.result);
    else if (!m.common.quiet && (st == KEDGE_OK || m.result.documents > 0))
        tell(&m.result);
    return complain_status(st, &err);
}

const command command_merge = {
    .writes = true,
    .name = "merge",
    .summary = "put stores together, exactly",
    .operands = "OUT STORE...",
    .least = 2,
    .most = SIZE_MAX,
    .purpose =
        "Adds the documents of stores that were built apart to OUT, which is "
        "made when absent, with their ids, labels, sources and batches. The "
        "result is that of one store that had read them all: the same counts, "
        "the same sketch, the same models, to the last bit. A source that OUT "
        "has already is not added twice. Stores whose texts were cut into "
        "words in different ways (kedge ingest --stem and the like) are "
        "refused. Sketches of all words by other statistics are made where all "
        "stores have them. Stores whose documents are all elsewhere (kedge "
        "sketch import) are added up as well. Models do not come along, nor do "
        "the views that fits made with vocabularies of their own: fit OUT "
        "again. The stores are only read.",
    .output =
        "Nothing on standard output, except with --format json; a summary on "
        "standard error.",
    .examples =
        "  kedge merge all north south\n"
        "  kedge merge all update --on-duplicate replace\n",
    .run = merge_run,
};
