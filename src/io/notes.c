/* SPDX-License-Identifier: MIT */
#include "io/notes.h"

#include <stdio.h>
#include <string.h>

static void add_line(notes *n, const char *line)
{
    size_t i = 0, size = strlen(line);

    while (i < NOTES_LINES && n->line[i][0] != '\0')
        i++;
    if (i == NOTES_LINES)
        return;
    if (size >= NOTE_BYTES) {
        size = NOTE_BYTES - sizeof " ...";
        while (size > NOTE_BYTES / 2 && line[size] != ' ')
            size--;
        snprintf(n->line[i], NOTE_BYTES, "%.*s ...", (int)size, line);
    } else {
        memcpy(n->line[i], line, size + 1);
    }
}

void notes_add(notes *n, uint64_t count, const char *line)
{
    n->count += count;
    add_line(n, line);
}

void notes_join(notes *n, const notes *other)
{
    n->count += other->count;
    for (size_t i = 0; i < NOTES_LINES && other->line[i][0] != '\0'; i++)
        add_line(n, other->line[i]);
}
