/* SPDX-License-Identifier: MIT */
#ifndef CLI_HELP_H
#define CLI_HELP_H
/* The help texts, on standard output unless said otherwise. */
#include <stdbool.h>
#include <stdio.h>

#include "command.h"

#define EXIT_CODES                                                           \
    "    0  done\n"                                                          \
    "    1  failure: a file, its format, the disk, a store in use\n"         \
    "    2  wrong command line\n"                                            \
    "    3  the store is damaged, or of another version\n"                   \
    "    4  the memory limit is too small\n"                                 \
    "    5  too few documents for so many topics, or a method failed\n"      \
    "  130  interrupted (SIGINT, SIGTERM, SIGHUP); committed work stays"

typedef struct help_page {
    const char *name;
    const char *summary;
    const char *text;
    bool measures; /* the list of measures follows */
    bool methods;  /* the lists of methods follow */
} help_page;

extern const help_page help_pages[]; /* a page without a name ends them */

/* Whether an argument asks for help. */
bool help_asked(const char *argument);

/* kedge alone: the three commands to begin with; and kedge --help. */
void help_start(FILE *out);
void help_all(void);

/* kedge COMMAND --help on one screen, or --help-all. */
void help_command(job *j, bool all);

/* kedge help TOPIC; false where there is none of this name. Topics are offered
 * as what was meant. */
bool help_topic(const char *name, nearest *guess);

/* All of the above as JSON, of which the build makes manual pages and
 * completion (pages.py). */
void help_json(void);

#endif
