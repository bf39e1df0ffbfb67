/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "complain.h"
#include "command.h"
#include "plaintext.h"

#define REDRAW_SECONDS  0.1
#define SILENCE_SECONDS 0.75 /* shown again after it, and a tick at most */
#define TICK_SECONDS    0.2

/* ---- how far it is, as a line -------------------------------------------- */

enum { JSON_VERSION = 1, PROGRESS_LINE = 256 };

typedef struct progress_text {
    char *text;
    int used, columns;
    bool full;
} progress_text;

KEDGE_PRINTF(2, 3)
static void add(progress_text *l, const char *format, ...)
{
    char piece[96];
    const int gap = l->used > 0 ? 2 : 0;
    va_list args;
    int size;

    va_start(args, format);
    size = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    if (l->full || size >= (int)sizeof piece ||
        l->used + gap + size > l->columns) {
        l->full = true;
        return;
    }
    memcpy(l->text + l->used, "  ", (size_t)gap);
    memcpy(l->text + l->used + gap, piece, (size_t)size + 1);
    l->used += gap + size;
}

static uint64_t per_second(uint64_t n, double seconds)
{
    return seconds > 0 ? (uint64_t)((double)n / seconds) : 0;
}

/* Units come in the plural, which for all of them is an s at the end. */
static int unit_size(uint64_t n, const char *unit)
{
    const size_t size = strlen(unit);

    return (int)(n == 1 && size > 0 && unit[size - 1] == 's' ? size - 1
                                                             : size);
}

/* What was done, by its unit: bytes as their speed, others as they are. */
static void add_amount(progress_text *l, const kedge_progress *now, bool timed)
{
    figure a, b;

    if (now->unit[0] == '\0')
        return;
    if (strcmp(now->unit, "bytes") == 0) {
        if (timed)
            add(l, "%s/s",
                figure_bytes(&a, per_second(now->done, now->seconds)));
    } else if (now->total > 0) {
        add(l, "%s of %s %.*s", figure_count(&a, now->done),
            figure_count(&b, now->total), unit_size(now->total, now->unit),
            now->unit);
    } else {
        add(l, "%s %.*s", figure_count(&a, now->done),
            unit_size(now->done, now->unit), now->unit);
    }
}

/* The seconds that remain; NAN where that cannot be told. */
static double progress_left(const kedge_progress *now)
{
    const double done = (double)now->done, total = (double)now->total;

    if (now->done == 0 || now->done > now->total)
        return NAN;
    return now->seconds * (total - done) / done;
}

/* Writes the line, of `columns` at most: what does not fit is left out from the
 * end. Gives its columns. */
static int progress_line(const kedge_progress *now, int columns,
                  char out[PROGRESS_LINE])
{
    const bool timed = now->seconds >= 0.5; /* else rates mean nothing */
    const double done = (double)now->done, left = progress_left(now);
    progress_text l = {.text = out, .columns = columns < PROGRESS_LINE
                                          ? columns
                                          : PROGRESS_LINE - 1};
    figure f;

    *out = '\0';
    add(&l, "%s", now->stage);
    if (now->total > 0 && now->done <= now->total)
        add(&l, "%3.0f %%", 100 * done / (double)now->total);
    if (now->documents > 0)
        add(&l, "%s %s", figure_count(&f, now->documents),
            figure_noun(now->documents, "document", "documents"));
    if (now->documents > 0 && timed)
        add(&l, "%s/s",
            figure_count(&f, per_second(now->documents, now->seconds)));
    add_amount(&l, now, timed);
    if (timed && left > 0)
        add(&l, "%s left", figure_time(&f, left));
    else if (now->seconds >= 1)
        add(&l, "%s", figure_time(&f, now->seconds));
    return l.used;
}

/* What lies below is noise. NAN stays what it is. */
static double microseconds(double seconds)
{
    if (!(seconds >= 0 && seconds < 1e12))
        return seconds;
    return (double)(uint64_t)(seconds * 1e6 + 0.5) / 1e6;
}

/* A line of JSON, as 'kedge help progress' has it. */
static void progress_json(const kedge_progress *now, FILE *out)
{
    jsonout j = {.out = out};

    json_begin(&j, '{');
    json_key_count(&j, "kedge_progress", JSON_VERSION);
    json_fields(&j, "kedge_progress", now, ALL_PARTS);
    json_key_real(&j, "seconds", microseconds(now->seconds));
    json_key_real(&j, "left", microseconds(progress_left(now)));
    json_finish(&j);
}

/* ---- watching ------------------------------------------------------------ */

/* The one thing that a handler may touch. */
static volatile sig_atomic_t stop_asked;

static void ask_to_stop(int number)
{
    (void)number;
    stop_asked = 1;
}

/* No SA_RESTART: a read from a slow pipe returns. SA_RESETHAND: the second
 * signal finds the default action. What nohup or a shell ignores stays so. */
static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction before;
        struct sigaction action = {.sa_handler = ask_to_stop,
                                   .sa_flags = (int)SA_RESETHAND};

        sigemptyset(&action.sa_mask);
        if (sigaction(numbers[i], NULL, &before) == 0 &&
            before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

/* Seconds on the monotonic clock. */
static double clock_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int answer_stop(void *data)
{
    (void)data;
    return stop_asked != 0;
}

/* Spaces instead of an escape sequence: these work on every terminal. */
static void erase(watch *w)
{
    if (w->drawn == 0)
        return;
    fprintf(stderr, "\r%*s\r", w->drawn, "");
    w->drawn = 0;
}

static void draw(watch *w, const kedge_progress *now)
{
    char line[PROGRESS_LINE];
    const int width =
        progress_line(now, text_columns(STDERR_FILENO) - 1, line);

    fprintf(stderr, "\r%s%*s", line, width < w->drawn ? w->drawn - width : 0,
            "");
    fflush(stderr);
    w->drawn = width;
}

/* What was heard last, as it is now. */
static void show(watch *w, double at)
{
    kedge_progress now = w->now;

    now.seconds += at - w->heard_at;
    if (w->draws)
        draw(w, &now);
    else
        progress_json(&now, stderr);
    w->shown_at = at;
    w->unshown = false;
}

/* Of a stage that is over, the last that was heard is for programs alone. */
static void hear(void *data, const kedge_progress *now)
{
    watch *w = data;
    const double at = clock_now();
    bool fresh;

    if (w->beside != NULL)
        w->beside();
    if (!w->draws && !w->writes)
        return;
    pthread_mutex_lock(&w->lock);
    fresh = strcmp(now->stage, w->now.stage) != 0 || now->done < w->now.done;
    if (fresh && w->unshown && w->writes)
        progress_json(&w->now, stderr);
    w->now = *now;
    w->heard_at = at;
    w->unshown = true;
    if ((fresh && w->writes) || at - w->shown_at >= REDRAW_SECONDS)
        show(w, at);
    pthread_mutex_unlock(&w->lock);
}

static void print_words(void *data, const char *line)
{
    watch *w = data;

    if (w->quiet)
        return;
    pthread_mutex_lock(&w->lock);
    erase(w);
    complain("%s", line);
    pthread_mutex_unlock(&w->lock);
}

/* ---- silence ------------------------------------------------------------- */

static struct timespec time_of(double seconds)
{
    const time_t whole = (time_t)seconds;

    return (struct timespec){
        .tv_sec = whole, .tv_nsec = (long)(1e9 * (seconds - (double)whole))};
}

static void *tick(void *data)
{
    watch *w = data;

    pthread_mutex_lock(&w->lock);
    while (!w->ends) {
        const struct timespec next = time_of(clock_now() + TICK_SECONDS);

        pthread_cond_timedwait(&w->ended, &w->lock, &next);
        if (!w->ends && clock_now() - w->shown_at >= SILENCE_SECONDS)
            show(w, clock_now());
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* Signals are for the thread that works: they end its reading from a pipe.
 * Where there is no room for a thread, work goes on without it. */
static void start_ticker(watch *w)
{
    pthread_condattr_t clock;
    sigset_t all, before;

    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&w->ended, &clock);
    pthread_condattr_destroy(&clock);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    w->ticks = pthread_create(&w->ticker, NULL, tick, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void end_ticker(watch *w)
{
    if (!w->ticks)
        return;
    pthread_mutex_lock(&w->lock);
    w->ends = true;
    pthread_cond_signal(&w->ended);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->ticker, NULL);
    pthread_cond_destroy(&w->ended);
}

/* ---- the whole ----------------------------------------------------------- */

void watch_begin(watch *w, const common *c)
{
    const double at = clock_now();

    *w = (watch){
        .quiet = c->quiet,
        .beside = c->beside,
        .draws = c->progress == PROGRESS_BAR ||
                 (c->progress == PROGRESS_AUTO && !c->quiet &&
                  isatty(STDERR_FILENO)),
        .writes = c->progress == PROGRESS_JSON,
        .now = {.stage = "working", .unit = ""},
        .shown_at = at - REDRAW_SECONDS,
        .heard_at = at,
    };
    pthread_mutex_init(&w->lock, NULL);
    kedge_control_init(&w->control);
    w->control.memory = c->memory;
    w->control.threads = (unsigned)c->threads;
    w->control.data = w;
    w->control.progress = hear;
    w->control.log = print_words;
    w->control.stop = answer_stop;
    catch_signals();
    if (w->draws || w->writes)
        start_ticker(w);
}

kedge_status watch_end(watch *w, kedge_status status, kedge_error *err)
{
    end_ticker(w);
    if (w->unshown && w->writes)
        progress_json(&w->now, stderr);
    erase(w);
    fflush(stderr);
    pthread_mutex_destroy(&w->lock);
    if (!stop_asked || (status != KEDGE_EFORMAT && status != KEDGE_EIO))
        return status;
    err->status = KEDGE_ECANCELED;
    snprintf(err->text, sizeof err->text,
             "stopped; committed work stays, the same command continues from "
             "there");
    return KEDGE_ECANCELED;
}
