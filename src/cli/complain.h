/* SPDX-License-Identifier: MIT */
#ifndef CLI_COMPLAIN_H
#define CLI_COMPLAIN_H
/* What goes wrong: said on standard error, and turned into an exit code. */
#include <stddef.h>

#include <kedge/status.h>

enum {
    GO_ON = -1, /* no exit code: the command continues */
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_DAMAGED = 3,
    EXIT_BUDGET = 4,
    EXIT_NUMERIC = 5,
    EXIT_INTERRUPTED = 130,
};

/* "kedge: TEXT" and a newline; bytes that a terminal obeys come out as '?'. On
 * a terminal the text is broken at blanks to fit its lines; in a file or a pipe
 * it is one line. */
KEDGE_PRINTF(1, 2)
void complain(const char *format, ...);

/* From here on: "kedge: WHO: TEXT". The text is kept as it is. */
void complain_as(const char *who);

/* A wrong command line: complains, points to the help of `command` (NULL: of
 * kedge itself) and gives EXIT_USAGE. */
KEDGE_PRINTF(2, 3)
int complain_usage(const char *command, const char *format, ...);

/* The exit code for a status; complains unless it is KEDGE_OK. */
int complain_status(kedge_status status, const kedge_error *err);

/* A call of the system that failed: "WHAT: why", by errno; KEDGE_EIO. */
kedge_status system_failed(const char *what, kedge_error *err);

/* The end of the program with a complaint; and memory, or that end. */
_Noreturn void no_memory(void);
void *claim(size_t count, size_t size);
char *claim_text(const char *text);

/* The last act: standard output is flushed and closed, and a failure to write
 * it turns success into EXIT_FAILED. A reader that left early is no failure. */
int finish_output(int code);

#endif
