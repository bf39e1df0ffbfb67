/* SPDX-License-Identifier: MIT */
#ifndef CLI_GUIDANCE_H
#define CLI_GUIDANCE_H
/* The help texts, on standard output unless said otherwise. */
#include <stdio.h>

#include "helptopics.h"
#include "options.h"

/* kedge --help, from a list of commands that ends with NULL. */
void guide_all(const command *const *commands);

/* kedge alone: the three commands to begin with. */
void guide_start(FILE *out);

/* What an argument asks for: --help, or --help=man and the like, which is for
 * the build. */
guide_style guide_asked(const char *argument);

/* kedge COMMAND --help */
void guide_command(const arguments *a, guide_style style);

/* kedge help TOPIC */
void guide_topic(const helptopic *topic);

/* What kedge is, and the commands from documents to topics, as lines. */
extern const char guide_about[];
extern const char guide_first[];

/* kedge --version */
void guide_version(void);

#endif
