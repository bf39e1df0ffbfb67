/* SPDX-License-Identifier: MIT */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H
/*
 * A command's options, declared in a table that serves for parsing and for the
 * help. Each entry points to the variable it sets; what that variable holds
 * before parsing is the default, and the help prints it from there.
 *
 * Options may stand anywhere after the command: --name value, --name=value,
 * -k5, -k 5. "--" ends them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command.h"

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
    OPTION_CHOICE, /* unsigned: the place of the value in `argument`, a|b|c */
    OPTION_COUNTS, /* counts: 5,10,20 */
} option_kind;

typedef struct option {
    const char *name; /* without dashes */
    char letter;      /* for the short form, or 0 */
    option_kind kind;
    void *value;
    const char *argument; /* as the help shows it */
    const char *help;
    uint64_t least, most; /* of a number; most 0: any */
    uint64_t multiple;    /* that a number is to be of, or 0 */
    double from, to;      /* of OPTION_REAL; both 0: any; `to` may be
                             infinite */
    const char *unset;    /* what 0 or NULL stand for, or of a choice the number
                             after the last: the default in words */
    bool zero;            /* of OPTION_REAL: NAN stands for it, and 0 for 0 */
} option;

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
} common;

/* The library's defaults. */
void common_init(common *c);

/* Whom help is for: people, man(1), and shells that complete what is typed. */
typedef enum guide_style {
    GUIDE_NONE,
    GUIDE_TEXT,
    GUIDE_MAN,
    GUIDE_BASH,
    GUIDE_ZSH,
    GUIDE_FISH,
} guide_style;

/* A command line being read. */
typedef struct arguments {
    const command *self;
    const option *options; /* of the command */
    size_t count;
    common *common;
    char **operands; /* what is left: inside argv */
    size_t operand_count;
} arguments;

/*
 * Reads argv[0 .. argc), which begins after the command's name. Gives GO_ON, or
 * the exit code when help was asked for or a complaint was made.
 */
int options_read(arguments *a, int argc, char **argv);

/* Calls `visit` for the command's options, then for those of all that write,
 * then for the common ones, which begin at index a->count. */
typedef void option_visit(void *data, const option *o, size_t index);
void options_walk(const arguments *a, option_visit *visit, void *data);

#endif
