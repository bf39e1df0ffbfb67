/* SPDX-License-Identifier: MIT */
/* kedge bench corpus: a synthetic corpus as lines, or its words. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kedge/kedge.h>

#include "benching.h"
#include "complain.h"
#include "watch.h"

enum { PIPE_BYTES = 1 << 20 };

typedef struct writing {
    kedge_corpus *corpus;
    FILE *out;
    const char *name;
    watch watch;
} writing;

static void take_options(const benching *b, kedge_corpus_opts *o)
{
    kedge_corpus_opts_init(o, (kedge_shape)b->shape);
    o->seed = b->seed;
    o->memory = b->common.memory;
    if (b->documents > 0)
        o->documents = b->documents;
    if (b->vocabulary > 0)
        o->vocabulary = b->vocabulary;
    if (b->topics > 0)
        o->topics = b->topics;
    if (b->tokens > 0)
        o->tokens = b->tokens;
}

/* What failed to be written. Of standard output finish_output says so, unless
 * its reader left. */
static kedge_status failed(const writing *w, kedge_error *err)
{
    if (w->out == stdout)
        return KEDGE_OK;
    return system_failed(w->name, err);
}

static kedge_status put_words(const writing *w, kedge_error *err)
{
    char word[KEDGE_CORPUS_WORD];

    for (uint64_t i = 0; *kedge_corpus_word(w->corpus, i, word) != '\0'; i++)
        if (fprintf(w->out, "%s\n", word) < 0)
            return failed(w, err);
    return KEDGE_OK;
}

static kedge_status put_documents(const writing *w, uint64_t first,
                                  uint64_t documents, kedge_error *err)
{
    const kedge_control *const control = &w->watch.control;
    const uint64_t line = kedge_corpus_line(w->corpus);
    const uint64_t room = line < PIPE_BYTES / 2 ? PIPE_BYTES : 2 * line;
    char *const bytes = claim(room, 1);
    kedge_progress now = {.stage = "documents", .unit = "documents",
                          .total = documents};
    const uint64_t end = first + documents;
    kedge_status st = KEDGE_OK;
    uint64_t next = first;
    bool written = true;

    while (st == KEDGE_OK && written && next < end) {
        const uint64_t size =
            kedge_corpus_lines(w->corpus, &next, end, bytes, room);
        written = fwrite(bytes, 1, size, w->out) == size;
        if (control->stop(control->data)) {
            clearerr(w->out); /* it was the signal that broke it off */
            st = KEDGE_ECANCELED;
        } else if (!written) {
            st = failed(w, err);
        }
        now.documents = now.done = next - first;
        control->progress(control->data, &now);
    }
    free(bytes);
    return st;
}

static kedge_status write_all(const benching *b, writing *w,
                              uint64_t documents, kedge_error *err)
{
    const uint64_t first = b->first > 0 ? b->first : 1;
    common quiet = b->common;
    kedge_status st;

    /* A line of its own would spoil that of the command which reads. */
    if (quiet.progress == PROGRESS_AUTO && w->out == stdout)
        quiet.progress = PROGRESS_NONE;
    watch_begin(&w->watch, &quiet);
    st = b->words ? put_words(w, err) : put_documents(w, first, documents, err);
    st = watch_end(&w->watch, st, err);
    if (st == KEDGE_ECANCELED)
        snprintf(err->text, sizeof err->text, "stopped");
    return st;
}

int bench_corpus(const benching *b)
{
    const bool to_stdout = b->output == NULL || strcmp(b->output, "-") == 0;
    writing w = {.out = stdout, .name = b->output};
    kedge_corpus_opts opts;
    kedge_error err = {0};
    kedge_status st;

    take_options(b, &opts);
    st = kedge_corpus_create(&opts, &w.corpus, &err);
    if (st != KEDGE_OK)
        return complain_status(st, &err);
    if (to_stdout) /* larger, so that both ends seldom wait; where it can be */
        fcntl(STDOUT_FILENO, F_SETPIPE_SZ, PIPE_BYTES);
    else if ((w.out = fopen(b->output, "we")) == NULL)
        st = failed(&w, &err);
    if (st == KEDGE_OK)
        st = write_all(b, &w, opts.documents, &err);
    if (!to_stdout && w.out != NULL && fclose(w.out) != 0 && st == KEDGE_OK)
        st = failed(&w, &err);
    kedge_corpus_free(w.corpus);
    return complain_status(st, &err);
}
