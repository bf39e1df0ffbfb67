/* SPDX-License-Identifier: MIT */
#ifndef CLI_PATTERNS_H
#define CLI_PATTERNS_H
/*
 * Names of files with *, ? and [...] in them, which the shell left as they are
 * because they were quoted, or too many for one command line.
 */
#include <glob.h>
#include <stdbool.h>
#include <stddef.h>

/* Each name as it is where there is such a file, else the files that it fits,
 * sorted, else as it is. false when there is no memory. globfree is to follow,
 * either way. */
bool patterns_expand(char *const *names, size_t count, glob_t *out);

#endif
