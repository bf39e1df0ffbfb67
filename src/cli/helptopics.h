/* SPDX-License-Identifier: MIT */
#ifndef CLI_HELPTOPICS_H
#define CLI_HELPTOPICS_H
/* What 'kedge help TOPIC' tells beside commands, and its manual pages. */
#include <stdbool.h>
#include <stddef.h>

typedef struct helptopic {
    const char *name;
    const char *summary;
    const char *text; /* paragraphs with an empty line between them; lines that
                         begin with two blanks stay as they are */
    bool measures;    /* the list of measures follows it */
} helptopic;

/* NULL past the end. */
const helptopic *helptopic_get(size_t i);

/* NULL: there is none of this name. */
const helptopic *helptopic_find(const char *name);

/* Exit codes, as lines that stay as they are. */
extern const char helptopic_codes[];

/* The next block of a text, which begins with two blanks where its lines stay
 * as they are: its size, 0 at the end. *next is where to go on. */
size_t helptopic_block(const char *text, const char **next);

#endif
