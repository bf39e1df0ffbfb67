/* SPDX-License-Identifier: MIT */
#include "command.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kedge/kedge.h>

#include "progress.h"
#include "ranks.h"

const command *const commands[] = {
    &command_ingest, &command_fit,    &command_topics,  &command_infer,
    &command_word,   &command_vocab,  &command_cat,     &command_info,
    &command_eval,   &command_sweep,  &command_diff,    &command_label,
    &command_remove, &command_drop,   &command_merge,   &command_sketch,
    &command_export, &command_report, &command_compact, &command_verify,
    &command_repair, NULL,
};

/* ---- names of files ------------------------------------------------------ */

/* A pattern that fits this name alone. */
static char *quoted(const char *name)
{
    char *const text = claim(2 * strlen(name) + 1, 1);
    char *to = text;

    for (; *name != '\0'; *to++ = *name++)
        if (strchr("*?[\\", *name) != NULL)
            *to++ = '\\';
    *to = '\0';
    return text;
}

/*
 * Names with *, ? and [...] in them, which the shell left as they are because
 * they were quoted, or too many for one command line: each name as it is where
 * there is such a file, else the files that it fits, sorted, else as it is.
 */
static void expand(char *const *names, size_t count, glob_t *out)
{
    for (size_t i = 0; i < count; i++) {
        char *const pattern = access(names[i], F_OK) != 0 ? NULL
                                                          : quoted(names[i]);

        if (glob(pattern != NULL ? pattern : names[i],
                 GLOB_NOCHECK | (i > 0 ? GLOB_APPEND : 0), NULL, out) != 0)
            no_memory();
        free(pattern);
    }
}

/* ---- a run of a command -------------------------------------------------- */

job *job_begin(const command *c)
{
    const unsigned long here = ranks_here();
    job *const j = claim(1, c->size);
    kedge_control control;

    kedge_control_init(&control);
    j->self = c;
    j->common = (common){
        .memory = control.memory,
        .threads = control.threads > here ? control.threads / here : 1,
    };
    if (c->begin != NULL)
        c->begin(j);
    return j;
}

int job_work(job *j)
{
    const command *const c = j->self;
    const char *const here = (const char *)j;
    const kedge_status st =
        task_run(j->store, c->mode, &j->common, c->work, j, &j->err);
    uint64_t done = st == KEDGE_OK;

    if (st != KEDGE_OK) {
        j->format = SUMMARY_TABLE; /* no JSON of what is not whole */
        if (c->done_at > 0)
            memcpy(&done, here + c->done_at, sizeof done);
    }
    if (done > 0 && c->tell != NULL)
        c->tell(j);
    else if (done > 0 && c->result != NULL)
        tell_result(j, c->result, here + c->result_at, ALL_PARTS);
    return complain_status(st, &j->err);
}

int command_call(const command *c, int argc, char **argv)
{
    job *const j = job_begin(c);
    glob_t files = {0};
    int code;

    j->argc = argc;
    j->argv = argv;
    code = options_read(j, argc, argv);
    if (code == GO_ON && j->operand_count > 0) {
        j->store = j->operands[0];
        j->rest = (const char *const *)(j->operands + 1);
        j->rest_count = j->operand_count - 1;
    }
    if (code == GO_ON && c->files) {
        expand(j->operands + 1, j->rest_count, &files);
        j->rest = (const char *const *)files.gl_pathv;
        j->rest_count = files.gl_pathc;
    }
    if (code == GO_ON && c->check != NULL)
        code = c->check(j);
    if (code == GO_ON)
        code = c->run != NULL ? c->run(j) : job_work(j);
    if (c->end != NULL)
        c->end(j);
    globfree(&files);
    free(j);
    return code;
}

/* ---- work on a store ----------------------------------------------------- */

static void tell_wait(void *data, const char *line)
{
    const common *const c = data;

    if (!c->quiet)
        complain("%s", line);
}

kedge_status task_run(const char *path, kedge_open_mode mode, const common *c,
                      task_work *work, void *data, kedge_error *err)
{
    const kedge_wait wait = {
        .seconds = isfinite(c->wait) ? c->wait : -1,
        .data = (void *)(uintptr_t)c,
        .log = tell_wait,
    };
    kedge_store *store;
    kedge_status st;
    watch w;

    st = kedge_store_open_wait(path, mode, c->wait != 0 ? &wait : NULL, &store,
                               err);
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

/* ---- what came of it ----------------------------------------------------- */

jsonout json_document(FILE *out, int lines)
{
    jsonout j = {.out = out, .lines = lines};

    json_begin(&j, '{');
    json_key_text(&j, "kedge", kedge_version());
    return j;
}

void json_finish(jsonout *j)
{
    json_close(j, '}');
    json_end(j);
}

void tell_result(const job *j, const char *result, const void *data,
                 unsigned parts)
{
    if (j->format == SUMMARY_JSON) {
        jsonout out = json_document(stdout, 1);

        json_fields(&out, result, data, parts);
        json_finish(&out);
    } else if (!j->common.quiet) {
        summary_fields(stderr, result, data, parts);
    }
}

/* One in twenty is many. */
void warn_short(uint64_t n, uint64_t of, uint64_t least, bool in_model)
{
    figure f, g;

    if (20 * n <= of)
        return;
    complain("warning: %.3g %% of the documents (%s of %s) have fewer than "
             "%llu words%s: no topics are learnt from them%s",
             100 * (double)n / (double)of, figure_count(&f, n),
             figure_count(&g, of), (unsigned long long)least,
             in_model ? " in the model" : "",
             least > KEDGE_MIN_TOKENS ? "; a smaller --min-tokens takes them"
             : in_model ? "; --min-df 1 keeps rare words, --max-df 1 frequent "
                          "ones, --stopwords none the stop words"
                        : ", as one word occurs with no other");
}
