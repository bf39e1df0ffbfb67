/* SPDX-License-Identifier: MIT */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H
/*
 * Long work being watched: the kedge_control whose callbacks draw the progress
 * line, print the library's words and answer whether a signal asked to stop.
 *
 * The watch must stay where it is between begin and end.
 */
#include <stdbool.h>

#include <kedge/control.h>

#include "options.h"

typedef struct watch {
    kedge_control control;
    bool draws; /* the progress line */
    bool quiet;
    double drawn_at; /* seconds on the monotonic clock */
    int drawn;       /* columns of the line that is on the screen */
} watch;

/* SIGINT, SIGTERM and SIGHUP from here on ask to stop; the second of a kind
 * ends the process. */
void watch_begin(watch *w, const common *c);

/* Takes the line off the screen. */
void watch_end(watch *w);

#endif
