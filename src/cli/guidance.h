/* SPDX-License-Identifier: MIT */
#ifndef CLI_GUIDANCE_H
#define CLI_GUIDANCE_H
/* The help texts, on standard output unless said otherwise. */
#include <stdio.h>

#include "options.h"

/* kedge --help, from a list of commands that ends with NULL. */
void guide_all(const command *const *commands);

/* kedge alone: the three commands to begin with. */
void guide_start(FILE *out);

/* kedge COMMAND --help */
void guide_command(const arguments *a);

/* kedge --version */
void guide_version(void);

#endif
