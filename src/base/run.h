/* SPDX-License-Identifier: MIT */
#ifndef BASE_RUN_H
#define BASE_RUN_H
/*
 * The caller's control as the modules see it: words, progress and a stop that
 * can all be absent; the clock; and the process's memory.
 */
#include <stdbool.h>

#include <kedge/control.h>

double clock_seconds(void); /* monotonic */

/* Resident bytes of this process: the largest so far. */
uint64_t memory_peak(void);

KEDGE_PRINTF(2, 3)
void run_log(const kedge_control *control, const char *format, ...);
void run_progress(const kedge_control *control, const kedge_progress *now);

/* ECANCELED when the caller wants to stop, else OK. */
kedge_status run_check(const kedge_control *control, kedge_error *err);

#endif
