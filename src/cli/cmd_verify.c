/* SPDX-License-Identifier: MIT */
/* kedge verify: whether a store is whole. */
#include <inttypes.h>
#include <stdio.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "figures.h"
#include "jsonout.h"
#include "options.h"
#include "plaintext.h"
#include "table.h"
#include "task.h"

enum { FORMAT_TABLE, FORMAT_JSON };

typedef struct verifying {
    unsigned format;
    common common;
    const char *path;
    jsonout j;
    kedge_verify_result result;
} verifying;

static int read_line(verifying *v, arguments *a, int argc, char **argv)
{
    const option options[] = {
        {.name = "format", .kind = OPTION_CHOICE, .value = &v->format,
         .argument = "table|json", .help = "What to print."},
    };

    a->options = options;
    a->count = sizeof options / sizeof *options;
    return options_read(a, argc, argv);
}

/* Nothing is printed before something is found, or the end. */
static void begin_json(verifying *v)
{
    if (v->j.out != NULL)
        return;
    v->j = (jsonout){.out = stdout, .lines = 2};
    json_begin(&v->j, '{');
    json_key_text(&v->j, "kedge", kedge_version());
    json_key_text(&v->j, "store", v->path);
    json_key(&v->j, "damaged");
    json_begin(&v->j, '[');
}

/* As it is found. */
static void print_found(void *data, const char *what, const char *why)
{
    verifying *v = data;

    if (v->format == FORMAT_JSON) {
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

/* Two numbers are one digest. */
static const char *hex(figure *out, const uint64_t *digest, int count)
{
    int at = 0;

    for (int i = 0; i < count; i++)
        at += snprintf(out->text + at, sizeof out->text - (size_t)at,
                       "%016" PRIx64, digest[i]);
    return out->text;
}

/* ---- the table ----------------------------------------------------------- */

static void table_digests(const kedge_verify_result *r)
{
    table t = {.columns = 3};
    figure f;
    char name[40];

    table_add(&t, (const char *const[]){"digests of", "state", "digest"});
    table_add(&t, (const char *const[]){
                      "documents", "", hex(&f, r->documents_digest, 2)});
    table_add(&t, (const char *const[]){"vocabulary", "",
                                        hex(&f, &r->vocabulary_digest, 1)});
    for (uint64_t i = 0; i < r->view_count; i++) {
        snprintf(name, sizeof name, "sketch of view %" PRIu64,
                 r->views[i].number);
        table_add(&t, (const char *const[]){
                          name, r->views[i].current ? "current" : "behind",
                          hex(&f, &r->views[i].digest, 1)});
    }
    for (uint64_t i = 0; i < r->model_count; i++)
        table_add(&t, (const char *const[]){r->models[i].name, "model",
                                            hex(&f, &r->models[i].digest, 1)});
    table_print(&t, stdout);
    table_free(&t);
}

static void print_table(const verifying *v)
{
    const kedge_verify_result *const r = &v->result;
    figure f;

    table_path(stdout, "store ", v->path);
    summary_line(stdout, "records", figure_count(&f, r->records),
                 r->damaged == 0 ? "all whole" : NULL);
    if (r->damaged > 0)
        summary_line(stdout, "damaged", figure_count(&f, r->damaged),
                     "named above");
    if (!r->counted)
        return;
    summary_line(stdout, "documents", figure_count(&f, r->documents),
                 r->damaged == 0 ? "counted again, as are tokens and words"
                                 : "counted again");
    if (r->elsewhere > 0)
        summary_line(stdout, "elsewhere", figure_count(&f, r->elsewhere),
                     "of them, whose counts are taken as they came");
    summary_line(stdout, "tokens", figure_count(&f, r->tokens), NULL);
    summary_line(stdout, "non-zeros", figure_count(&f, r->nonzeros), NULL);
    summary_line(stdout, "words", figure_count(&f, r->words),
                 "that a document holds");
    putchar('\n');
    table_digests(r);
}

/* ---- JSON ---------------------------------------------------------------- */

static void json_views(jsonout *j, const kedge_verify_result *r)
{
    figure f;

    json_key(j, "views");
    json_begin(j, '[');
    for (uint64_t i = 0; i < r->view_count; i++) {
        json_begin(j, '{');
        json_key_count(j, "number", r->views[i].number);
        json_key_bool(j, "current", r->views[i].current);
        json_key_text(j, "digest", hex(&f, &r->views[i].digest, 1));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_models(jsonout *j, const kedge_verify_result *r)
{
    figure f;

    json_key(j, "models");
    json_begin(j, '[');
    for (uint64_t i = 0; i < r->model_count; i++) {
        json_begin(j, '{');
        json_key_text(j, "name", r->models[i].name);
        json_key_text(j, "digest", hex(&f, &r->models[i].digest, 1));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void end_json(verifying *v)
{
    const kedge_verify_result *const r = &v->result;
    jsonout *const j = &v->j;
    figure f;

    begin_json(v);
    json_close(j, ']');
    json_key_bool(j, "whole", r->damaged == 0);
    json_key_count(j, "records", r->records);
    if (r->counted) {
        json_key_count(j, "documents", r->documents);
        json_key_count(j, "tokens", r->tokens);
        json_key_count(j, "nonzeros", r->nonzeros);
        json_key_count(j, "words", r->words);
        json_key_text(j, "documents_digest",
                      hex(&f, r->documents_digest, 2));
        json_key_text(j, "vocabulary_digest",
                      hex(&f, &r->vocabulary_digest, 1));
        json_views(j, r);
        json_models(j, r);
    }
    json_close(j, '}');
    json_end(j);
}

/* ---- the command --------------------------------------------------------- */

static kedge_status look(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    verifying *const v = data;

    return kedge_verify(store, print_found, v, control, &v->result, err);
}

/* What mends it, and what cannot. */
static void tell_damage(const kedge_verify_result *r)
{
    complain("the store is damaged: %" PRIu64 " %s; %s", r->damaged,
             figure_noun(r->damaged, "finding", "findings"),
             r->has_parts
                 ? "documents of it are elsewhere, so that 'kedge rebuild' "
                   "cannot mend it: let a new store have its parts ('kedge "
                   "sketch import') and what it read itself"
                 : "'kedge rebuild STORE' mends what follows from whole "
                   "documents");
}

static int verify_run(const command *self, int argc, char **argv)
{
    verifying v = {0};
    arguments a = {.self = self, .common = &v.common};
    kedge_error err = {0};
    kedge_status st;
    int code;

    common_init(&v.common);
    code = read_line(&v, &a, argc, argv);
    if (code != GO_ON)
        return code;
    v.path = a.operands[0];
    st = task_run(a.operands[0], KEDGE_OPEN_READ, &v.common, look, &v, &err);
    if (st == KEDGE_OK && v.format == FORMAT_JSON)
        end_json(&v);
    else if (st == KEDGE_OK)
        print_table(&v);
    code = complain_status(st, &err);
    if (v.result.damaged > 0) {
        tell_damage(&v.result);
        code = EXIT_DAMAGED;
    }
    kedge_verify_free(&v.result);
    return code;
}

const command command_verify = {
    .name = "verify",
    .summary = "check that a store is whole, and sum it up",
    .operands = "STORE",
    .least = 1,
    .most = 1,
    .purpose =
        "Reads everything that a store holds. Every record is checked, by its "
        "checksum and by what it refers to; then the documents are counted "
        "again, and the counts of every word, the totals and the views are "
        "held against them. Digests sum up what is in the store, whatever way "
        "it came there: documents and vocabulary, each view's sketch, each "
        "model.",
    .output =
        "On standard output a line for each record that is damaged, then the "
        "figures and digests; these are left out when a record is damaged. In "
        "json, damaged has record and reason of each finding, whole is true "
        "when there is none, and digests are hexadecimal digits. json is "
        "stable, the table is not. The exit code is 3 when anything is "
        "damaged.",
    .examples =
        "  kedge verify news\n"
        "  kedge verify news --format json\n",
    .run = verify_run,
};
