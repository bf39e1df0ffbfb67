/* SPDX-License-Identifier: MIT */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H
/* The help as manual pages: roff with the macros of man(7). */
#include "helptopics.h"
#include "options.h"

/* kedge(1), kedge-COMMAND(1) and kedge-TOPIC(7). */
void manual_all(const command *const *commands);
void manual_command(const arguments *a);
void manual_topic(const helptopic *topic);

#endif
