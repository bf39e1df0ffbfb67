/* SPDX-License-Identifier: MIT */
#include "patterns.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"

/* A pattern that fits this name alone. */
static char *quoted(const char *name)
{
    char *const text = claim(2 * strlen(name) + 1, 1);
    char *to = text;

    for (; *name != '\0'; *to++ = *name++)
        if (strchr("*?[\\", *name) != NULL)
            *to++ = '\\';
    *to = '\0';
    return text;
}

static bool add(const char *pattern, bool more, glob_t *out)
{
    return glob(pattern, GLOB_NOCHECK | (more ? GLOB_APPEND : 0), NULL, out) ==
           0;
}

bool patterns_expand(char *const *names, size_t count, glob_t *out)
{
    bool fits = true;

    memset(out, 0, sizeof *out);
    for (size_t i = 0; fits && i < count; i++) {
        if (access(names[i], F_OK) != 0) {
            fits = add(names[i], i > 0, out);
        } else {
            char *const pattern = quoted(names[i]);
            fits = add(pattern, i > 0, out);
            free(pattern);
        }
    }
    return fits;
}
