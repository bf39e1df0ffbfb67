/* SPDX-License-Identifier: MIT */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H
/*
 * Options, declared in tables that serve for parsing, for the help, and for
 * what the build makes of them. Each entry says where in its command's struct
 * the value is; what stands there before parsing is the default, and the help
 * prints it from there.
 *
 * Options may stand anywhere after the command: --name value, --name=value,
 * -k5, -k 5. "--" ends them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* KEDGE_MIN_TOKENS as help has it. */
#define OPTIONS_TEXT_(x) #x
#define OPTIONS_TEXT(x)  OPTIONS_TEXT_(x)
#define MIN_TOKENS_USUAL OPTIONS_TEXT(KEDGE_MIN_TOKENS)

typedef enum option_kind {
    OPTION_FLAG,   /* bool: present or not */
    OPTION_WAIT,   /* double: seconds, only as --name=value; endless without */
    OPTION_COUNT,  /* uint64_t */
    OPTION_SIZE,   /* uint64_t: bytes, with K, M, G, T */
    OPTION_REAL,   /* double */
    OPTION_TEXT,   /* const char * */
    OPTION_CHOICE, /* unsigned or an enum: the place of the value in
                      `choices` */
    OPTION_COUNTS, /* counts: 5,10,20 */
    OPTION_INDEX,   /* uint64_t: an index's number, given once; KEDGE_NO_INDEX
                      before */
    OPTION_GROUP,  /* options of a table of its own, in a struct that is at
                      `at` */
    OPTION_SECTION, /* no option: the heading of those that follow */
} option_kind;

typedef struct option option;

struct option {
    const char *name; /* without dashes; NULL ends a table */
    char letter;      /* for the short form, or 0 */
    option_kind kind;
    size_t at;            /* bytes from the beginning of the struct */
    const char *argument; /* as the help shows it */
    const char *help;     /* one line */
    const char *choices;  /* a|b|c, or a|b|c[,...] for several of a text; NULL:
                             any value */
    const char *aliases;  /* short names of the first choices, or NULL */
    bool main;            /* in --help; the others are in --help-all */
    bool writes;          /* only of commands that write to a store */
    uint64_t least, most; /* of a number; most 0: any */
    uint64_t multiple;    /* that a number is to be of, or 0 */
    double from, to;      /* of OPTION_REAL; both 0: any; `to` may be
                             infinite */
    const char *unset;    /* what 0 or NULL stand for, or of a choice the number
                             after the last: the default in words */
    bool zero;            /* of OPTION_REAL: NAN stands for it, and 0 for 0 */
    const option *group;
    void *value;         /* set by options_walk: where the value is */
    const char *section; /* set by options_walk: the heading above it */
};

/* An entry: its kind, name, place, argument, help, and what else there is. */
#define OPTION(kind_, name_, at_, argument_, ...)                             \
    {.name = name_, .kind = OPTION_##kind_, .at = at_, .argument = argument_, \
     .help = __VA_ARGS__}
#define SECTION(heading) {.name = heading, .kind = OPTION_SECTION}
#define OPTION_OF_MODEL(at_)                                                  \
    OPTION(TEXT, "model", at_, "NAME", "the model, as kedge info lists them", \
           .unset = "last fitted", .main = true)
#define OPTIONS_OF(table, at_)                                                \
    {.name = "", .kind = OPTION_GROUP, .at = at_, .group = table, .main = true}
/* None of them is in --help. */
#define OPTIONS_ALSO(table, at_)                                              \
    {.name = "", .kind = OPTION_GROUP, .at = at_, .group = table}

enum { COUNTS_MOST = 64 };

typedef struct counts {
    uint64_t values[COUNTS_MOST];
    size_t count;
} counts;

/* A choice. */
enum { PROGRESS_AUTO, PROGRESS_NONE, PROGRESS_BAR, PROGRESS_JSON };

/* Options that every command takes. */
typedef struct common {
    uint64_t memory;
    uint64_t threads;
    unsigned progress;
    bool quiet;
    double wait; /* seconds, while another process writes */
    void (*beside)(void); /* called whenever progress is told, or NULL: not an
                             option, but a rank's */
} common;

/* A command line being read. */
typedef struct job job;

/*
 * Reads argv[0 .. argc), which begins after the command's name, into the job's
 * struct. Gives GO_ON, or the exit code when help was asked for or a complaint
 * was made.
 */
int options_read(job *j, int argc, char **argv);

/* Calls `visit` for the command's options, then for those of every command,
 * whose section is OPTIONS_COMMON. */
#define OPTIONS_COMMON "Every command"
typedef void option_visit(void *data, const option *o);
void options_walk(job *j, option_visit *visit, void *data);

/* Reads `text` into o->value. Gives false with the reason in `why`. */
bool value_read(const option *o, const char *text, char *why, size_t size);

/* The default as it could be typed, or in words; empty: there is none. */
void value_default(const option *o, char *out, size_t size);
/* "16 to 8192", or empty. */
void value_range(const option *o, char *out, size_t size);

/* The name that a mistyped one was perhaps meant to be. */
typedef struct nearest {
    const char *typed;
    size_t size; /* of typed, in bytes */
    const char *name; /* best so far, NULL: none is near */
    size_t distance;
} nearest;

void nearest_begin(nearest *n, const char *typed, size_t size);
void nearest_offer(nearest *n, const char *name);

#endif
