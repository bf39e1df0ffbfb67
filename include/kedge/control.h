/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_CONTROL_H
#define KEDGE_CONTROL_H
/*
 * What every long operation shares: threads, the memory budget, and three
 * callbacks, for progress, for words and for stopping.
 *
 * The library never prints, never exits and installs no signal handler: a
 * program that wants words gives `log`, one that wants a bar gives `progress`,
 * one that wants to stop (after SIGINT, say) answers 1 from `stop`. All three
 * may be NULL. They are called on the thread that called into kedge, and while
 * it is in that call; `stop` is asked often, so it should do no more than read
 * a flag. None of them may call kedge with a handle that the call at hand was
 * given.
 */
#include <stdint.h>

#include <kedge/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How far a stage has come. `total` is 0 where it cannot be known. */
typedef struct kedge_progress {
    const char *stage; /* "reading", "sketch", "rectify", ... */
    uint64_t done;     /* in `unit` */
    uint64_t total;
    const char *unit;      /* "bytes", "rows", "rounds", ... */
    uint64_t documents;    /* read so far, where that has a meaning */
    double seconds;        /* since the stage began */
} kedge_progress;

typedef struct kedge_control {
    unsigned threads; /* 1 to 256; default: the machine's cores */
    uint64_t memory;  /* bytes of resident memory at most; default 2 GiB */
    void *data;       /* handed to the callbacks */
    void (*progress)(void *data, const kedge_progress *now);
    void (*log)(void *data, const char *line); /* no newline at its end */
    int (*stop)(void *data); /* non-zero: stop at the next safe point */
} kedge_control;

/* Sets every default. */
KEDGE_API void kedge_control_init(kedge_control *control);

#ifdef __cplusplus
}
#endif
#endif
