/* SPDX-License-Identifier: MIT */
#ifndef BASE_RUN_H
#define BASE_RUN_H
/*
 * The caller's control as the modules see it: words, progress and a stop that
 * can all be absent; the clock; and the process's memory.
 */
#include <stdbool.h>

#include <kedge/control.h>

/* What the caller gave; the usual one for NULL, which lasts. */
const kedge_control *run_control(const kedge_control *control);

double clock_seconds(void); /* monotonic */

/* Resident bytes of this process: the largest so far. */
uint64_t memory_peak(void);

KEDGE_PRINTF(2, 3)
void run_log(const kedge_control *control, const char *format, ...);
void run_progress(const kedge_control *control, const kedge_progress *now);

/* ECANCELED when the caller wants to stop, else OK. */
kedge_status run_check(const kedge_control *control, kedge_error *err);

/* Work that is told of while it goes on, and that can be stopped. */
typedef struct stage {
    const kedge_control *control; /* NULL: nobody hears, nobody stops it */
    const char *name, *unit;
    uint64_t total; /* 0: it cannot be known */
    uint64_t documents; /* read so far, where that has a meaning */
    double start;
} stage;

/* Begins it, with nothing done. */
stage stage_begin(const kedge_control *control, const char *name,
                  uint64_t total, const char *unit);

/* So much is done; ECANCELED when the caller wants to stop. */
kedge_status stage_reach(const stage *s, uint64_t done, kedge_error *err);

#endif
