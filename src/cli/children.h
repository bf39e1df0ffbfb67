/* SPDX-License-Identifier: MIT */
#ifndef CLI_CHILDREN_H
#define CLI_CHILDREN_H
/*
 * This very program as processes of its own, and what each of them took. A
 * child hears nothing of the terminal's signals: it is ended when its parent
 * is asked to stop, and does not outlive it.
 */
#include <stdbool.h>
#include <sys/types.h>

#include <kedge/control.h>

typedef struct cost {
    double seconds;   /* from its start to its end */
    double processor; /* seconds of all processors */
    uint64_t memory;  /* resident bytes at the peak; at the least what the
                         parent had when it started */
} cost;

typedef struct child {
    pid_t pid;    /* 0: not running */
    int alive;    /* has an end when the child has */
    double began;
} child;

/* argv is "kedge", arguments and NULL. Standard input and output are these
 * descriptors, which stay the caller's; -1: nowhere. EIO. */
KEDGE_CHECKED kedge_status child_start(child *c, const char *const *argv,
                                       int in, int out, kedge_error *err);

/* Waits for its end, and ends it when the control says to stop: ECANCELED. A
 * child that failed has said why on standard error: EIO, and its exit code in
 * *code, which else is 0. */
KEDGE_CHECKED kedge_status child_wait(child *c, const kedge_control *control,
                                      cost *took, int *code,
                                      kedge_error *err);

/* Ends it if it runs. */
void child_end(child *c);

#endif
