/* SPDX-License-Identifier: MIT */
#ifndef CLI_COMPLETING_H
#define CLI_COMPLETING_H
/*
 * Scripts by which shells complete what is typed, from the tables of commands
 * and options. A script is a beginning, a part for each command, and an end.
 */
#include "guidance.h"

void completing_begin(guide_style shell, const command *const *commands);
void completing_command(guide_style shell, const arguments *a);
void completing_end(guide_style shell);

#endif
