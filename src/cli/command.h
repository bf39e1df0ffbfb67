/* SPDX-License-Identifier: MIT */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H
/*
 * A command of the program, and how it runs: the options are parsed into the
 * command's struct, the store is opened, `work` runs with progress and is
 * interruptible, the store is closed, and a summary is printed, as a table on
 * standard error or as JSON on standard output.
 */
#include <stdbool.h>
#include <stddef.h>

#include <kedge/control.h>
#include <kedge/saved.h>
#include <kedge/store.h>

#include "complain.h"
#include "options.h"
#include "print.h"

typedef struct command command;

/* A run of a command. The struct of each command begins with one. */
struct job {
    const command *self;
    common common;
    unsigned format; /* index of the choice in --format */
    const char *store; /* the first operand */
    const char *const *rest; /* the others, with patterns of files expanded */
    size_t rest_count;
    char **operands;
    size_t operand_count;
    int argc; /* the whole command line */
    char **argv;
    kedge_error err;
};

/* `job` is the command's struct, which begins with a job. */
typedef kedge_status task_work(void *job, kedge_store *store,
                               const kedge_control *control,
                               kedge_error *err);

struct command {
    const char *name;
    const char *group;    /* heading in the list of commands */
    const char *summary;  /* its line in that list */
    const char *operands; /* "STORE FILE..." */
    size_t least, most;   /* number of operands */
    bool last_may_be_empty; /* the last operand may be "" */
    bool files;             /* operands after the first are patterns of files */
    bool writes;            /* may write to a store: has --wait */
    const char *purpose;  /* a paragraph for --help */
    const char *examples; /* lines for --help */
    const char *see;      /* pages of 'kedge help', or NULL */

    const option *options; /* the command's own, or NULL */
    size_t size;           /* of its struct */
    void (*begin)(void *job); /* sets defaults in the zeroed struct, or NULL */
    bool (*again)(void *job); /* after the options were read: if one of them
                                 changes defaults, sets these and returns true;
                                 then the options are read again. Or NULL */
    int (*check)(void *job);  /* checks options: GO_ON, or an exit code; or
                                 NULL */

    /* Runs the command, returns the exit code; NULL: job_work. */
    int (*run)(void *job);
    /* For job_work: the work on the store, and its result. */
    kedge_open_mode mode;
    task_work *work;
    const char *result; /* the result to print, by its name in kedge/fields.h;
                           NULL: none */
    size_t result_at;   /* offset of the result in the struct */
    void (*tell)(void *job); /* prints the result in another way, or NULL */
    size_t done_at; /* offset of a count of what was done: if it is not 0, the
                       result is printed after a failure too. 0: none */

    void (*end)(void *job); /* frees members of the struct, or NULL */
};

extern const command command_ingest;
extern const command command_fit;
extern const command command_topics;
extern const command command_infer;
extern const command command_eval;
extern const command command_sweep;
extern const command command_label;
extern const command command_diff;
extern const command command_export;
extern const command command_report;
extern const command command_info;
extern const command command_remove;
extern const command command_drop;
extern const command command_merge;
extern const command command_sketch;
extern const command command_cat;
extern const command command_vocab;
extern const command command_word;
extern const command command_verify;
extern const command command_compact;
extern const command command_repair;

#define GROUP_START  "Start"
#define GROUP_LOOK   "Look"
#define GROUP_CHANGE "Change"
#define GROUP_SHARE  "Share"
#define GROUP_REPAIR "Repair"

/* All commands, in the order of the help, and NULL. */
extern const command *const commands[];

/* Runs a command with the arguments after its name; returns the exit code. */
int command_call(const command *c, int argc, char **argv);

/* A job with all defaults, for listing options; the caller frees it. */
job *job_begin(const command *c);

/* ---- for commands -------------------------------------------------------- */

/* The choices of --from, by kedge_format. */
#define FORMATS                                                               \
    "auto|uci|jsonl|lines|mallet|tsv|csv|svmlight|ldac|mtx|vw|files"

enum { FORMAT_TABLE, FORMAT_TSV, FORMAT_JSON }; /* of table|tsv|json */
enum { SUMMARY_TABLE, SUMMARY_JSON };

#define OPTION_FORMAT(choices_)                                               \
    OPTION(CHOICE, "format", offsetof(job, format), "FORMAT", "what to print",\
           .choices = choices_, .main = true)
#define OPTION_SUMMARY                                                        \
    OPTION(CHOICE, "format", offsetof(job, format), "FORMAT", "the summary",  \
           .choices = "table|json", .main = true)

/* Runs the command's `work`, prints the result, returns the exit code. */
int job_work(job *j);

/* Opens a store, waiting for another writer as --wait says, runs `work`, closes
 * it. A store that this created is deleted if the work fails without a
 * document. */
kedge_status task_run(const char *path, kedge_open_mode mode, const common *c,
                      task_work *work, void *data, kedge_error *err);

/* Begins a JSON document, an object with the version, on `out`; ends it.
 * Members of the first `lines` levels have a line each. */
jsonout json_document(FILE *out, int lines);
void json_finish(jsonout *j);

/* Prints `parts` of a result in the format of the job. */
void tell_result(const job *j, const char *result, const void *data,
                 unsigned parts);

/* Warns on standard error if the saved set is not current. */
void keptset_warn(const kedge_saved_info *k);

/* Prints a paragraph about the set, which begins with the model's name. */
void keptset_print(const kedge_saved_info *k);

/* Warns if many of `of` documents, `n`, have fewer than `least` words. */
void warn_short(uint64_t n, uint64_t of, uint64_t least, bool in_model);

#endif
