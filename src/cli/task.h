/* SPDX-License-Identifier: MIT */
#ifndef CLI_TASK_H
#define CLI_TASK_H
/*
 * What commands have in common that work on a store: it is opened, worked on
 * under watch and closed, and then a summary tells of it, as a table on
 * standard error or as JSON on standard output.
 */
#include <kedge/control.h>
#include <kedge/store.h>

#include "jsonout.h"
#include "options.h"

enum { SUMMARY_TABLE, SUMMARY_JSON };

/* --format of a summary. */
option summary_format(unsigned *value);

/* Begins the summary's object, which `lines` levels of nesting have a line per
 * member, with the version. */
void summary_open(jsonout *j, int lines);

/* A line of the table; none where there is nothing to count. */
void summary_count(const char *label, uint64_t n, const char *note);

/* Of documents with fewer than `least` words; a warning where there are many.
 */
void summary_short(uint64_t n, uint64_t of, uint64_t least);
void warn_short(uint64_t n, uint64_t of, uint64_t least);

/* Of documents with bytes that are not UTF-8, or not of the encoding that was
 * named (NULL: none); the first is told. */
void summary_encoding(uint64_t n, const char *first, const char *encoding);

typedef kedge_status task_work(void *data, kedge_store *store,
                               const kedge_control *control,
                               kedge_error *err);

/* Opens a store, and waits as --wait has it while somebody else writes. */
kedge_status task_open(const char *path, kedge_open_mode mode, const common *c,
                       kedge_store **out, kedge_error *err);

/* A store that was made for work which came to nothing is not left behind. */
kedge_status task_run(const char *path, kedge_open_mode mode, const common *c,
                      task_work *work, void *data, kedge_error *err);

/* A command without options of its own: STORE is worked on, and then told of.
 * `data` is what the functions are given. */
typedef struct chore {
    task_work *work;
    void (*tell)(const void *data);
    void (*print_json)(const void *data);
    void *data;
} chore;

int chore_run(const chore *c, const command *self, int argc, char **argv);

#endif
