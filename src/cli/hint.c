/* SPDX-License-Identifier: MIT */
/* Small letters in an argument are words to be typed; capitals stand for
 * something. */
#include "hint.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is(const char *text, size_t size, const char *name)
{
    return strlen(name) == size && memcmp(text, name, size) == 0;
}

/* One piece of an argument, between bars. */
static void hint_piece(hint *h, const char *piece, size_t size,
                       const char *option_name)
{
    const size_t used = strlen(h->words);

    if (is(piece, size, "FILE"))
        h->files = true;
    else if (is(piece, size, "DIR"))
        h->directories = true;
    else if (is(piece, size, "MODEL") ||
             (is(piece, size, "NAME") && strcmp(option_name, "model") == 0))
        h->models = true;
    else if (islower((unsigned char)*piece) &&
             used + size + 2 < sizeof h->words)
        snprintf(h->words + used, sizeof h->words - used, "%s%.*s",
                 used > 0 ? " " : "", (int)size, piece);
}

static void hint_pieces(hint *h, const char *from, const char *option_name)
{
    while (*from != '\0' && *from != ' ') {
        const size_t length = strcspn(from, "| ");

        hint_piece(h, from, strcspn(from, "|[ "), option_name);
        from += length + (from[length] == '|');
    }
}

hint hint_option(const option *o)
{
    hint h = {.value = o->kind != OPTION_FLAG && o->kind != OPTION_WAIT};

    if (o->kind != OPTION_TEXT && o->kind != OPTION_CHOICE)
        return h;
    h.list = strstr(o->argument, "[,") != NULL;
    hint_pieces(&h, o->argument, o->name);
    return h;
}

hint hint_operand(const char *text, const char **next, bool *repeats)
{
    const size_t size = strcspn(text, " ");
    hint h = {.value = true};

    *next = text[size] == ' ' ? text + size + 1 : NULL;
    *repeats = size > 3 && memchr(text, '.', size) != NULL;
    text += *text == '[';
    h.directories = strncmp(text, "STORE", 5) == 0 ||
                    strncmp(text, "OUT", 3) == 0;
    h.files = strncmp(text, "FILE", 4) == 0;
    h.models = strncmp(text, "MODEL", 5) == 0;
    if (islower((unsigned char)*text))
        hint_pieces(&h, text, "");
    if (*text == '-') /* -o DIR is an option */
        *next = NULL;
    h.value = *text != '-';
    return h;
}

void hint_brief(const char *help, char out[160])
{
    size_t size = 0;

    while (help[size] != '\0' && size < 159 &&
           !(strchr(".:;", help[size]) != NULL &&
             (help[size + 1] == ' ' || help[size + 1] == '\0')))
        size++;
    snprintf(out, 160, "%.*s", (int)size, help);
}
