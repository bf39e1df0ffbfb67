/* SPDX-License-Identifier: MIT */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H
/*
 * What a command is: its name, what its help says, and the function that runs
 * it and gives the exit code. main.c holds the table.
 */
#include <stdbool.h>
#include <stddef.h>

typedef struct command command;

struct command {
    const char *name;
    const char *summary;  /* one line, for the list of commands */
    const char *operands; /* "STORE FILE..." */
    size_t least, most;   /* operands */
    bool last_may_be_empty; /* the last operand */
    bool writes;            /* to a store, maybe: takes --wait */
    const char *purpose;  /* a paragraph */
    const char *details;  /* another one, or NULL */
    const char *output;   /* a paragraph: what comes out, and where */
    const char *examples; /* lines, ready to print */
    int (*run)(const command *self, int argc, char **argv);
};

extern const command command_ingest;
extern const command command_fit;
extern const command command_topics;
extern const command command_infer;
extern const command command_eval;
extern const command command_sweep;
extern const command command_name;
extern const command command_diff;
extern const command command_export;
extern const command command_report;
extern const command command_info;
extern const command command_remove;
extern const command command_forget;
extern const command command_merge;
extern const command command_sketch;
extern const command command_cat;
extern const command command_vocab;
extern const command command_word;
extern const command command_verify;
extern const command command_compact;
extern const command command_rebuild;

#endif
