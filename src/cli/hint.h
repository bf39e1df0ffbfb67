/* SPDX-License-Identifier: MIT */
#ifndef CLI_HINT_H
#define CLI_HINT_H
/* What a shell can offer for an option's value or for an operand, as their
 * declarations have it. */
#include "options.h"

typedef struct hint {
    bool value;       /* one follows: of these, */
    char words[256];  /* some of them, separated by blanks */
    bool files, directories, models; /* names of such */
    bool list; /* several, between commas */
} hint;

hint hint_option(const option *o);

/* Of the operand that begins at `text` in a command's operands: "[FILE...]".
 * *next: where the one after it begins, NULL where there is none. */
hint hint_operand(const char *text, const char **next, bool *repeats);

/* The first sentence of an option's help. */
void hint_brief(const char *help, char out[160]);

#endif
