/* SPDX-License-Identifier: MIT */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H
/*
 * What a command is, and the frame that runs one: the line is read into the
 * command's struct, a store is opened, worked on under watch and closed, and
 * then a summary tells of it, as a table on standard error or as JSON on
 * standard output.
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
    unsigned format; /* the place of what was chosen in --format */
    const char *store; /* the first operand */
    const char *const *rest; /* the others; names of files where they are */
    size_t rest_count;
    char **operands;
    size_t operand_count;
    int argc; /* all that was typed */
    char **argv;
    kedge_error err;
};

/* Given a job, which is the beginning of the command's struct. */
typedef kedge_status task_work(void *job, kedge_store *store,
                               const kedge_control *control,
                               kedge_error *err);

struct command {
    const char *name;
    const char *group;    /* the heading above it in the list of commands */
    const char *summary;  /* one line, for that list */
    const char *operands; /* "STORE FILE..." */
    size_t least, most;   /* operands */
    bool last_may_be_empty; /* the last operand */
    bool files;             /* operands after the first are patterns of names */
    bool writes;            /* to a store, maybe: takes --wait */
    const char *purpose;  /* a paragraph */
    const char *examples; /* lines, ready to print */
    const char *see;      /* pages of 'kedge help', or NULL */

    const option *options; /* the command's own, or NULL */
    size_t size;           /* of its struct */
    void (*begin)(void *job); /* sets defaults; all else is 0. NULL: none */
    bool (*again)(void *job); /* once the line was read: whether an option set
                                 other defaults, with which all begins anew and
                                 the line is read again. NULL: none does */
    int (*check)(void *job);  /* what was typed: GO_ON, or an exit code. NULL:
                                 nothing to check */

    /* All of it, which gives the exit code; NULL: job_work. */
    int (*run)(void *job);
    /* Work on the store, and what came of it, for job_work. */
    kedge_open_mode mode;
    task_work *work;
    const char *result; /* that is all there is to tell, and where in the */
    size_t result_at;   /* struct it stands; NULL: none is */
    void (*tell)(void *job); /* instead of that, or NULL */
    size_t done_at; /* a count of what was done: where that is not 0 it is told
                       of even after a failure. 0: there is no such count */

    void (*end)(void *job); /* frees what is in the struct. NULL: nothing */
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

/* All, in the order of the help; NULL ends them. */
extern const command *const commands[];

/* Runs a command with what stands behind its name; the exit code. */
int command_call(const command *c, int argc, char **argv);

/* A job with all defaults, for its options; to be freed. */
job *job_begin(const command *c);

/* ---- for commands -------------------------------------------------------- */

/* What documents are read from, by kedge_format. */
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

/* The command's `work`, and `tell` after it; the exit code. */
int job_work(job *j);

/* Work on a store, for which it waits as --wait has it while somebody else
 * writes. One that was made for work which came to nothing is not left behind.
 */
kedge_status task_run(const char *path, kedge_open_mode mode, const common *c,
                      task_work *work, void *data, kedge_error *err);

/* Begins the object of a document on `out`, which `lines` levels of nesting
 * have a line per member, with the version; and ends it. */
jsonout json_document(FILE *out, int lines);
void json_finish(jsonout *j);

/* What came of the work, all of which is in a result. */
void tell_result(const job *j, const char *result, const void *data,
                 unsigned parts);

/* "3 of the documents are gone and 12 came since ..." on standard error, unless
 * the set is current. */
void keptset_warn(const kedge_saved_info *k);

/* A paragraph of a table, which begins with the model's name. */
void keptset_print(const kedge_saved_info *k);

/* A warning where many documents of `of` have fewer than `least` words. */
void warn_short(uint64_t n, uint64_t of, uint64_t least, bool in_model);

#endif
