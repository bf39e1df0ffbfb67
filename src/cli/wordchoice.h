/* SPDX-License-Identifier: MIT */
#ifndef CLI_WORDCHOICE_H
#define CLI_WORDCHOICE_H
/* Which words topics are made of: options of fit and sweep, and what came of
 * them. */
#include <kedge/kedge.h>

#include "jsonout.h"
#include "options.h"

enum { WORDCHOICE_OPTIONS = 11 };

typedef struct wordchoice {
    counts views;
} wordchoice;

/* Puts WORDCHOICE_OPTIONS options. */
size_t wordchoice_options(wordchoice *w, kedge_fit_opts *o, option *out);

/* After they were read: GO_ON, or the exit code of a complaint. */
int wordchoice_take(const wordchoice *w, const char *name,
                    kedge_fit_opts *o);

void wordchoice_tell(const kedge_fit_result *r);
void wordchoice_json(jsonout *j, const kedge_fit_result *r);

#endif
