/* SPDX-License-Identifier: MIT */
/*
 * kedge bench scale: at each size of the axis, kedge ingests what kedge makes
 * up, through a pipe, fits and infers, as processes that are waited for one
 * after the other. All they leave is in a scratch folder that goes at the end.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "figures.h"
#include "scaling.h"
#include "scratch.h"
#include "task.h"
#include "watch.h"

enum { WORDS_MOST = 40, NUMBERS_MOST = 16, PATH_MOST = 600, TIMES = 16 };

/* A series with nothing said of it: from here, to TIMES as much. */
static const uint64_t first_of[AXES] = {
    [AXIS_DOCUMENTS] = 5000, [AXIS_VOCABULARY] = 5000, [AXIS_TOPICS] = 5,
    [AXIS_WIDTH] = 200,      [AXIS_THREADS] = 1,
};

/* Programs at work on one size, and where. */
typedef struct bench {
    scale *scale;
    watch watch;
    scratch scratch;
    char store[PATH_MOST], words[PATH_MOST], said[PATH_MOST];
    int code; /* of a program that failed */
} bench;

uint64_t *scale_value(scale_run *run, axis a)
{
    switch (a) {
    case AXIS_VOCABULARY:
        return &run->vocabulary;
    case AXIS_TOPICS:
        return &run->topics;
    case AXIS_WIDTH:
        return &run->width;
    case AXIS_THREADS:
        return &run->threads;
    case AXIS_DOCUMENTS:
    case AXES:
        break;
    }
    return &run->documents;
}

/* ---- sizes --------------------------------------------------------------- */

static uint64_t or_else(uint64_t asked, uint64_t usual)
{
    return asked > 0 ? asked : usual;
}

/* The values of the axis, all else as asked for. */
static bool make_sizes(scale *s)
{
    const benching *const b = s->asked;
    const uint64_t first = first_of[s->axis];
    const uint64_t most = or_else(b->most, s->axis == AXIS_THREADS
                                               ? b->common.threads
                                               : TIMES * first);
    uint64_t last = 0;

    s->count = b->values.count;
    if (s->count == 0)
        for (uint64_t v = first; v <= most && s->count < COUNTS_MOST; v *= 2)
            s->count++;
    for (size_t i = 0; i < s->count; i++) {
        const uint64_t value =
            b->values.count > 0 ? b->values.values[i] : first << i;
        s->run[i] = (scale_run){
            .documents = or_else(b->documents, 20000),
            .vocabulary = or_else(b->vocabulary, 10000),
            .topics = or_else(b->topics, 20),
            .width = b->width,
            .threads = b->common.threads,
        };
        if (value <= last)
            return false;
        *scale_value(&s->run[i], s->axis) = last = value;
    }
    return s->count > 0;
}

/* Where nobody said, a sketch has room for the most topics. */
static void choose_width(scale *s)
{
    uint64_t width = 500;

    for (size_t i = 0; i < s->count; i++)
        if (10 * s->run[i].topics > width)
            width = 10 * s->run[i].topics;
    for (size_t i = 0; i < s->count; i++)
        s->run[i].width = or_else(s->run[i].width, width);
}

static int find_axis(const char *name)
{
    int a = 0;

    while (name != NULL && strcmp(axis_names[a], name) != 0)
        a++;
    return a;
}

/* ---- command lines ------------------------------------------------------- */

/* It points into itself, and so stays where it is. */
typedef struct line {
    const char *word[WORDS_MOST];
    size_t words;
    char number[NUMBERS_MOST][32];
    size_t numbers;
} line;

static void say(line *l, const char *word)
{
    l->word[l->words++] = word;
}

static void say_number(line *l, const char *name, uint64_t n)
{
    char *const text = l->number[l->numbers++];

    snprintf(text, sizeof l->number[0], "%" PRIu64, n);
    say(l, name);
    say(l, text);
}

static void begin_line(line *l, const char *name, const char *operand)
{
    *l = (line){0};
    say(l, "kedge");
    say(l, name);
    say(l, operand);
    say(l, "--quiet");
    say(l, "--progress");
    say(l, "none");
}

static void corpus_line(line *l, const bench *b, const scale_run *run)
{
    const benching *const asked = b->scale->asked;

    begin_line(l, "bench", "corpus");
    say(l, "--shape");
    say(l, asked->shape == KEDGE_SHAPE_PUBMED ? "pubmed" : "nytimes");
    say_number(l, "--documents", run->documents);
    say_number(l, "--vocabulary", run->vocabulary);
    say_number(l, "--topics", run->topics);
    say_number(l, "--seed", asked->seed);
    if (asked->tokens > 0) {
        char *const text = l->number[l->numbers++];
        snprintf(text, sizeof l->number[0], "%.17g", asked->tokens);
        say(l, "--tokens");
        say(l, text);
    }
}

static void store_line(line *l, const bench *b, const char *name,
                       const scale_run *run)
{
    begin_line(l, name, b->store);
    say_number(l, "--threads", run->threads);
    say_number(l, "--memory", b->scale->asked->common.memory);
}

/* ---- what programs say --------------------------------------------------- */

static kedge_status open_said(const bench *b, int *fd, kedge_error *err)
{
    *fd = open(b->said, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return *fd >= 0 ? KEDGE_OK : system_failed(b->said, err);
}

/* A number of a summary in JSON; 0 where it has none such. */
static double said_number(int fd, const char *key)
{
    char text[8192], wanted[64];
    const ssize_t size = pread(fd, text, sizeof text - 1, 0);
    const char *found;

    text[size > 0 ? size : 0] = '\0';
    snprintf(wanted, sizeof wanted, "\"%s\": ", key);
    found = strstr(text, wanted);
    return found != NULL ? strtod(found + strlen(wanted), NULL) : 0;
}

/* ---- stages -------------------------------------------------------------- */

/* Waits for a stage, which may have failed. */
static kedge_status finish(bench *b, child *c, stage s, scale_run *run,
                           kedge_error *err)
{
    char why[sizeof err->text];
    kedge_status st = child_wait(c, &b->watch.control, &run->stage[s],
                                 &b->code, err);

    if (st == KEDGE_EIO) {
        snprintf(why, sizeof why, "%s", err->text);
        snprintf(err->text, sizeof err->text, "%s %.900s at %s %" PRIu64,
                 stage_names[s], why, axis_names[b->scale->axis],
                 *scale_value(run, b->scale->axis));
    }
    return st;
}

static kedge_status run_program(bench *b, const line *l, int out, stage s,
                                scale_run *run, kedge_error *err)
{
    child c;
    kedge_status st = child_start(&c, l->word, -1, out, err);

    return st == KEDGE_OK ? finish(b, &c, s, run, err) : st;
}

/* The vocabulary, which ingest has to have in a file. */
static kedge_status write_words(bench *b, scale_run *run, kedge_error *err)
{
    line l;

    corpus_line(&l, b, run);
    say(&l, "--words");
    say(&l, "--output");
    say(&l, b->words);
    return run_program(b, &l, -1, STAGE_CORPUS, run, err);
}

static void ingest_line(line *l, const bench *b, const scale_run *run)
{
    store_line(l, b, "ingest", run);
    say(l, "-");
    say(l, "--from");
    say(l, "ldac");
    say(l, "--vocab");
    say(l, b->words);
    say_number(l, "--sketch", run->width);
    say(l, "--format");
    say(l, "json");
}

/* Both ends of the pipe are the programs' alone then. */
static kedge_status start_both(const bench *b, const scale_run *run, int said,
                               child *maker, child *reader, kedge_error *err)
{
    line make, read;
    kedge_status st;
    int ends[2];

    corpus_line(&make, b, run);
    ingest_line(&read, b, run);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return system_failed("a pipe", err);
    st = child_start(maker, make.word, -1, ends[1], err);
    if (st == KEDGE_OK)
        st = child_start(reader, read.word, ends[0], said, err);
    close(ends[0]);
    close(ends[1]);
    return st;
}

static kedge_status ingest(bench *b, scale_run *run, kedge_error *err)
{
    child maker = {0}, reader = {0};
    kedge_status st;
    int said;

    st = open_said(b, &said, err);
    if (st != KEDGE_OK)
        return st;
    st = start_both(b, run, said, &maker, &reader, err);
    if (st == KEDGE_OK)
        st = finish(b, &reader, STAGE_INGEST, run, err);
    if (st == KEDGE_OK)
        st = finish(b, &maker, STAGE_CORPUS, run, err);
    child_end(&maker);
    run->tokens = (uint64_t)said_number(said, "tokens");
    run->nonzeros = (uint64_t)said_number(said, "nonzeros");
    close(said);
    return st;
}

static kedge_status fit(bench *b, scale_run *run, kedge_error *err)
{
    static const struct {
        stage stage;
        const char *key;
    } parts[] = {{STAGE_SPECTRUM, "seconds_spectrum"},
                 {STAGE_RECTIFY, "seconds_rectify"},
                 {STAGE_TOPICS, "seconds_topics"}};
    kedge_status st;
    int said;
    line l;

    store_line(&l, b, "fit", run);
    say_number(&l, "--topics", run->topics);
    say(&l, "--format");
    say(&l, "json");
    st = open_said(b, &said, err);
    if (st != KEDGE_OK)
        return st;
    st = run_program(b, &l, said, STAGE_FIT, run, err);
    run->words = (uint64_t)said_number(said, "words");
    run->rounds = (uint64_t)said_number(said, "rounds");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        run->stage[parts[i].stage].seconds = said_number(said, parts[i].key);
    close(said);
    return st;
}

static void hear(bench *b, const char *what, size_t done)
{
    const kedge_control *const control = &b->watch.control;
    const kedge_progress now = {.stage = what, .done = done, .unit = "sizes",
                                .total = b->scale->count};

    control->progress(control->data, &now);
}

static void tell(const bench *b, const scale_run *run)
{
    const kedge_control *const control = &b->watch.control;
    scale_run copy = *run;
    figure f, g;
    char text[200];

    snprintf(text, sizeof text,
             "%s %s: ingest %.1f s, fit %.1f s, infer %.1f s, store %s",
             axis_names[b->scale->axis],
             figure_count(&f, *scale_value(&copy, b->scale->axis)),
             run->stage[STAGE_INGEST].seconds, run->stage[STAGE_FIT].seconds,
             run->stage[STAGE_INFER].seconds, figure_bytes(&g, run->store));
    control->log(control->data, text);
}

/* One size, from words to compositions. */
static kedge_status measure(bench *b, size_t i, kedge_error *err)
{
    scale_run *const run = &b->scale->run[i];
    kedge_status st;
    line infer;

    store_line(&infer, b, "infer", run);
    hear(b, "ingest", i);
    st = write_words(b, run, err);
    if (st == KEDGE_OK)
        st = ingest(b, run, err);
    hear(b, "fit", i);
    if (st == KEDGE_OK)
        st = fit(b, run, err);
    run->store = scratch_bytes(b->store);
    hear(b, "infer", i);
    if (st == KEDGE_OK)
        st = run_program(b, &infer, -1, STAGE_INFER, run, err);
    scratch_clear(b->store);
    if (st == KEDGE_OK)
        tell(b, run);
    return st;
}

/* ---- the command --------------------------------------------------------- */

static kedge_status measure_all(bench *b, kedge_error *err)
{
    const benching *const asked = b->scale->asked;
    kedge_status st;

    watch_begin(&b->watch, &asked->common);
    st = scratch_make(&b->scratch, asked->folder, err);
    snprintf(b->store, PATH_MOST, "%s/store", b->scratch.path);
    snprintf(b->words, PATH_MOST, "%s/words", b->scratch.path);
    snprintf(b->said, PATH_MOST, "%s/said", b->scratch.path);
    for (size_t i = 0; i < b->scale->count && st == KEDGE_OK; i++)
        st = measure(b, i, err);
    scratch_remove(&b->scratch);
    return watch_end(&b->watch, st, err);
}

int bench_scale(const benching *asked)
{
    scale *const s = claim(1, sizeof *s);
    bench b = {.scale = s};
    kedge_error err = {0};
    kedge_status st;
    int code;

    s->asked = asked;
    s->axis = (axis)find_axis(asked->axis);
    if (!make_sizes(s)) {
        free(s);
        return complain_usage(asked->self->name, "sizes must rise, as in "
                                                 "--values 1000,2000,4000, and "
                                                 "--most be no less than the "
                                                 "first");
    }
    choose_width(s);
    st = measure_all(&b, &err);
    if (st == KEDGE_OK && asked->format == SUMMARY_JSON)
        scale_print_json(s);
    else if (st == KEDGE_OK)
        scale_print_table(s);
    free(s);
    code = complain_status(st, &err);
    return b.code != 0 ? b.code : code;
}
