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

#define REDRAW_SECONDS  0.1
#define SILENCE_SECONDS 0.75 /* shown again after it, and a tick at most */
#define TICK_SECONDS    0.2

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
             "stopped; what was committed stays, the same command goes on "
             "from there");
    return KEDGE_ECANCELED;
}
