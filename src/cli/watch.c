/* SPDX-License-Identifier: MIT */
#include "watch.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "complain.h"
#include "plaintext.h"
#include "progress.h"

#define REDRAW_SECONDS 0.1

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

static double now_seconds(void)
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

static void draw(void *data, const kedge_progress *now)
{
    watch *w = data;
    char line[PROGRESS_LINE];
    const double at = now_seconds();
    int width;

    if (!w->draws || at - w->drawn_at < REDRAW_SECONDS)
        return;
    width = progress_line(now, text_columns(STDERR_FILENO) - 1, line);
    fprintf(stderr, "\r%s%*s", line, width < w->drawn ? w->drawn - width : 0,
            "");
    fflush(stderr);
    w->drawn = width;
    w->drawn_at = at;
}

static void print_words(void *data, const char *line)
{
    watch *w = data;

    if (w->quiet)
        return;
    erase(w);
    complain("%s", line);
}

void watch_begin(watch *w, const common *c)
{
    *w = (watch){
        .quiet = c->quiet,
        .draws = c->progress == PROGRESS_ALWAYS ||
                 (c->progress == PROGRESS_AUTO && !c->quiet &&
                  isatty(STDERR_FILENO)),
        .drawn_at = -1,
    };
    kedge_control_init(&w->control);
    w->control.memory = c->memory;
    w->control.threads = (unsigned)c->threads;
    w->control.data = w;
    w->control.progress = draw;
    w->control.log = print_words;
    w->control.stop = answer_stop;
    catch_signals();
}

kedge_status watch_end(watch *w, kedge_status status, kedge_error *err)
{
    erase(w);
    fflush(stderr);
    if (!stop_asked || (status != KEDGE_EFORMAT && status != KEDGE_EIO))
        return status;
    err->status = KEDGE_ECANCELED;
    snprintf(err->text, sizeof err->text,
             "stopped; what was committed stays, the same command goes on "
             "from there");
    return KEDGE_ECANCELED;
}
