/* SPDX-License-Identifier: MIT */
#ifndef CLI_HELP_H
#define CLI_HELP_H
/* The help texts, on standard output unless said otherwise. */
#include <stdio.h>

#include "command.h"

/* Whether an argument asks for help. */
bool help_asked(const char *argument);

/* kedge alone: the three commands to begin with; and kedge --help. */
void help_start(FILE *out);
void help_all(void);

/* kedge COMMAND --help */
void help_command(job *j);

/* kedge help TOPIC; false where there is none of this name. Topics are offered
 * as what was meant. */
bool help_topic(const char *name, nearest *guess);

/* All of the above as JSON, of which the build makes manual pages and
 * completion (pages.py). */
void help_json(void);

#endif
