/* SPDX-License-Identifier: MIT */
/* kedge verify: whether a store is whole. */
#include <inttypes.h>
#include <stdio.h>

#include <kedge/kedge.h>

#include "command.h"
#include "plaintext.h"

#define RESULT "kedge_verify_result"

typedef struct verifying {
    job job;
    jsonout j;
    kedge_verify_result result;
} verifying;

static const option options[] = {OPTION_FORMAT("table|json"), {.name = NULL}};

/* Nothing is printed before something is found, or the end. */
static void begin_json(verifying *v)
{
    if (v->j.out != NULL)
        return;
    v->j = json_document(stdout, 2);
    json_key_text(&v->j, "store", v->job.store);
    json_key_begin(&v->j, "damaged", '[');
}

/* As it is found. */
static void print_found(void *data, const char *what, const char *why)
{
    verifying *v = data;

    if (v->job.format == SUMMARY_JSON) {
        begin_json(v);
        json_begin(&v->j, '{');
        json_key_text(&v->j, "record", what);
        json_key_text(&v->j, "reason", why);
        json_close(&v->j, '}');
        return;
    }
    text_put(stdout, what, TEXT_WHOLE);
    fputs(": ", stdout);
    text_put(stdout, why, TEXT_WHOLE);
    putchar('\n');
}

static void print_table(const verifying *v)
{
    const kedge_verify_result *const r = &v->result;
    figure f;

    table_path(stdout, "store ", v->job.store);
    if (r->damaged > 0)
        summary_line(stdout, "damaged", figure_count(&f, r->damaged),
                     "named above");
    else
        summary_line(stdout, "whole", "yes", NULL);
    summary_fields(stdout, RESULT, r, r->counted ? ALL_PARTS : PART(0));
    if (!r->counted)
        return;
    table_all("kedge_verified_index", r->indexes, r->index_count);
    table_all("kedge_verified_model", r->models, r->model_count);
}

static void end_json(verifying *v)
{
    const kedge_verify_result *const r = &v->result;
    jsonout *const j = &v->j;

    begin_json(v);
    json_close(j, ']');
    json_key_bool(j, "whole", r->damaged == 0);
    json_fields(j, RESULT, r, r->counted ? PART(0) | PART(1) : PART(0));
    if (r->counted) {
        json_array(j, "indexes", "kedge_verified_index", r->indexes,
                   r->index_count);
        json_array(j, "models", "kedge_verified_model", r->models,
                   r->model_count);
    }
    json_finish(j);
}

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    verifying *const v = data;

    return kedge_verify(store, print_found, v, control, &v->result, err);
}

static void tell(void *data)
{
    verifying *const v = data;

    if (v->job.format == SUMMARY_JSON)
        end_json(v);
    else
        print_table(v);
}

/* What mends it, and what cannot. */
static void tell_damage(const kedge_verify_result *r)
{
    complain("the store is damaged: %" PRIu64 " %s; %s", r->damaged,
             figure_noun(r->damaged, "finding", "findings"),
             r->has_parts
                 ? "some of its documents are elsewhere, and 'kedge repair' "
                   "cannot mend it: import its parts into a new store ('kedge "
                   "sketch import') and ingest its own documents"
                 : "'kedge repair STORE' recomputes counts, ids and sketches; "
                   "fit damaged models again");
}

static int run(void *data)
{
    verifying *const v = data;
    const int code = job_work(&v->job);

    if (v->result.damaged == 0)
        return code;
    tell_damage(&v->result);
    return EXIT_DAMAGED;
}

static void end(void *data)
{
    kedge_verify_free(&((verifying *)data)->result);
}

const command command_verify = {
    .name = "verify",
    .group = GROUP_REPAIR,
    .summary = "check a store",
    .operands = "STORE",
    .least = 1,
    .most = 1,
    .purpose =
        "Reads everything in a store, checks every record and its checksum, "
        "and counts the documents again. Prints each damaged record, then the "
        "figures and digests by which two stores can be compared. The exit "
        "code is 3 when anything is damaged.",
    .examples = "  kedge verify news\n"
                "  kedge verify news --format json\n",
    .options = options,
    .size = sizeof(verifying),
    .run = run,
    .mode = KEDGE_OPEN_READ,
    .work = work,
    .tell = tell,
    .end = end,
};
