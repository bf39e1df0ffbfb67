/* SPDX-License-Identifier: MIT */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H
/* Values of options, read with every check. */
#include "options.h"

/* Reads `text` into o->value. Gives false with the reason in `why`. */
bool value_read(const option *o, const char *text, char *why, size_t size);

/* The value as it could be typed, or what it stands for. Empty: nothing to
 * tell. */
void value_write(const option *o, char *out, size_t size);

/* The range and that value, as help has it: " (16 to 8192; default: 1000)";
 * empty where there is nothing to tell. */
void value_limits(const option *o, char *out, size_t size);

#endif
