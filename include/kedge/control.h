/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_CONTROL_H
#define KEDGE_CONTROL_H
/*
 * Threads, memory budget and callbacks of a long operation.
 *
 *   kedge_control_init(&control);
 *   control.memory = UINT64_C(4) << 30;
 *   control.stop = was_interrupted;
 *
 * The library never prints, exits or installs signal handlers. `log` receives
 * messages, `progress` receives progress, and `stop` can end the operation.
 * Each may be NULL. kedge calls them on the thread that called kedge, during
 * that call. They must not use the handles of that call.
 */
#include <stdint.h>

#include <kedge/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The progress of one stage. */
typedef struct kedge_progress {
    const char *stage; /* "reading", "sketch", "rectify", ... */
    uint64_t done;     /* in units */
    uint64_t total;    /* in units; 0: unknown */
    const char *unit;      /* "bytes", "rows", "rounds", ... */
    uint64_t documents;    /* read so far; 0 in stages that read none */
    double seconds;        /* since the stage began */
} kedge_progress;

typedef struct kedge_control {
    unsigned threads; /* 1 to 256; default: the cores of the machine, at most
                         256. Results do not depend on it */
    uint64_t memory;  /* limit of resident memory in bytes; default 2 GiB */
    void *data;       /* first argument of the callbacks */
    void (*progress)(void *data, const kedge_progress *now);
    void (*log)(void *data, const char *line); /* without a newline */
    int (*stop)(void *data); /* non-zero: stop at the next safe point, with
                                ECANCELED. Called often: read a flag, no
                                more */
} kedge_control;

/* Sets all defaults; no callbacks. */
KEDGE_API void kedge_control_init(kedge_control *control);

#ifdef __cplusplus
}
#endif
#endif
