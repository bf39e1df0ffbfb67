/* SPDX-License-Identifier: MIT */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H
/*
 * Long work being watched: the kedge_control whose callbacks draw the progress
 * line, print the library's words and answer whether a signal asked to stop.
 * Where nothing is heard for a second, a thread of its own goes on drawing.
 *
 * The watch must stay where it is between begin and end.
 */
#include <pthread.h>
#include <stdbool.h>

#include <kedge/control.h>

#include "options.h"

typedef struct watch {
    kedge_control control;
    bool draws, writes; /* the progress line; lines of JSON */
    bool quiet;
    void (*beside)(void);
    double shown_at; /* seconds on the monotonic clock */
    int drawn;       /* columns of the line that is on the screen */
    kedge_progress now; /* heard last, */
    double heard_at;    /* and when */
    bool unshown;
    pthread_mutex_t lock; /* of all above, but for `control` */
    pthread_cond_t ended;
    pthread_t ticker; /* shows that time goes on where nothing is heard */
    bool ticks, ends;
} watch;

/* SIGINT, SIGTERM and SIGHUP from here on ask to stop; the second of a kind
 * ends the process. */
void watch_begin(watch *w, const common *c);

/*
 * Takes the line off the screen, and gives what the work's status means: a
 * failure after a signal is the stop that was asked for. (Ctrl-C ends the whole
 * pipeline, and input that breaks off is then no fault of the input.)
 */
kedge_status watch_end(watch *w, kedge_status status, kedge_error *err);

#endif
