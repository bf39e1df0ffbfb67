/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_STORE_FORMAT_H
#define TESTS_UNIT_STORE_FORMAT_H
/* Tables of FORMAT.md, held against those of the code. */
#include <inttypes.h>
#include <stdio.h>

#include "store/schema.h"
#include "unit.h"

/* The row that a field has, but for its meaning. */
static inline void format_row(const field *f, size_t at, char to[160])
{
    static const char *const types[] = {
        [FIELD_U64] = "u64",     [FIELD_U32] = "u32",
        [FIELD_BOOL] = "0 or 1", [FIELD_F64] = "f64",
        [FIELD_AMOUNT] = "f64, at least 0 and finite",
        [FIELD_TEXT] = "text",   [FIELD_BYTES] = "bytes",
        [FIELD_SPARE] = "reserved",
    };
    char type[80], name[64] = "";
    const bool narrow = f->type <= FIELD_U32 &&
                        (f->least > 0 || f->most < UINT64_MAX);

    snprintf(type, sizeof type, "%s", types[f->type]);
    if (narrow)
        snprintf(type, sizeof type, "%s, %" PRIu64 " to %" PRIu64,
                 types[f->type], f->least, f->most);
    if (f->name != NULL)
        snprintf(name, sizeof name, "`%s`", f->name);
    snprintf(to, 160, "| %zu | %zu | %s | %s |", at, f->size, name, type);
}

/* The table that follows the first line with "tag `XXXX`", which is the same
 * rows and no others. */
static inline void format_check(const schema *s)
{
    FILE *const page = fopen(SOURCE_ROOT "/src/store/FORMAT.md", "r");
    char line[1024], tag[16], row[160];
    size_t i = 0, at = 0;
    bool found = false;

    ck_assert_ptr_nonnull(page);
    snprintf(tag, sizeof tag, "tag `%s`", s->tag);
    while (fgets(line, sizeof line, page) != NULL) {
        found |= strstr(line, tag) != NULL;
        if (!found || strncmp(line, "| ", 2) != 0 || line[2] < '0' ||
            line[2] > '9') {
            if (i > 0)
                break;
            continue;
        }
        ck_assert_msg(i < s->count, "%s: one row more: %s", s->tag, line);
        format_row(&s->fields[i], at, row);
        ck_assert_msg(strncmp(line, row, strlen(row)) == 0,
                      "%s: the page has %.80s..., not %s", s->tag, line, row);
        at += s->fields[i++].size;
    }
    fclose(page);
    ck_assert_msg(found && i == s->count, "%s: %zu rows of %zu", s->tag, i,
                  s->count);
}

#endif
