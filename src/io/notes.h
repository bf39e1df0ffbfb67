/* SPDX-License-Identifier: MIT */
#ifndef IO_NOTES_H
#define IO_NOTES_H
/* What was passed over: how much of it, and where and why the first was. */
#include <stdint.h>

#define NOTES_LINES 3
#define NOTE_BYTES 512

typedef struct notes {
    uint64_t count;
    char line[NOTES_LINES][NOTE_BYTES]; /* "" behind the last */
} notes;

/* `count` more, by one line; one that is too long ends with a whole word. */
void notes_add(notes *n, uint64_t count, const char *line);

/* All that another has. */
void notes_join(notes *n, const notes *other);

#endif
