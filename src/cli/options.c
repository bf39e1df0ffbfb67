/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "guidance.h"
#include "nearest.h"
#include "ranks.h"
#include "values.h"

void common_init(common *c)
{
    const unsigned long here = ranks_here();
    kedge_control control;

    kedge_control_init(&control);
    *c = (common){
        .memory = control.memory,
        .threads = control.threads > here ? control.threads / here : 1,
        .progress = PROGRESS_AUTO,
    };
}

void options_walk(const arguments *a, option_visit *visit, void *data)
{
    common *c = a->common;
    const option shared[] = {
        {.name = "memory", .kind = OPTION_SIZE, .value = &c->memory,
         .argument = "SIZE",
         .help = "Resident memory at most, as 500M or 2G (K, M, G, T are "
                 "powers of 1024)."},
        {.name = "threads", .kind = OPTION_COUNT, .value = &c->threads,
         .argument = "N", .least = 1, .most = 256,
         .unset = "the machine's cores",
         .help = "Threads to work with; results are the same for any number."},
        {.name = "progress", .kind = OPTION_CHOICE, .value = &c->progress,
         .argument = "auto|none|bar|json",
         .help = "How far the work is, on standard error: bar is a line that "
                 "changes, json lines for programs ('kedge help progress'); "
                 "auto: bar on a terminal."},
        {.name = "quiet", .letter = 'q', .kind = OPTION_FLAG,
         .value = &c->quiet,
         .help = "Say nothing on standard error but errors."},
        {.name = "help", .letter = 'h', .kind = OPTION_FLAG,
         .help = "Show this."},
    };

    const option wait =
        {.name = "wait", .kind = OPTION_WAIT, .value = &c->wait,
         .argument = "[=SECONDS]", .to = HUGE_VAL,
         .help = "While another process writes to the store, wait for it, "
                 "instead of ending at once."};

    for (size_t i = 0; i < a->count; i++)
        visit(data, &a->options[i], i);
    if (a->self->writes)
        visit(data, &wait, SIZE_MAX);
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        visit(data, &shared[i], a->count + i);
}

/* One option on the command line, looked up. */
typedef struct lookup {
    const char *name; /* NULL: by letter */
    size_t size;
    char letter;
    option found;
    bool known;
    nearest guess;
} lookup;

static void look(void *data, const option *o, size_t index)
{
    lookup *l = data;

    (void)index;
    if (l->name == NULL) {
        if (o->letter == 0 || o->letter != l->letter)
            return;
    } else {
        nearest_offer(&l->guess, o->name);
        if (strlen(o->name) != l->size || memcmp(o->name, l->name, l->size))
            return;
    }
    l->found = *o;
    l->known = true;
}

static int read_value(const arguments *a, const option *o, const char *shown,
                      const char *text)
{
    char why[256];

    if (text == NULL)
        return complain_usage(a->self->name, "%s: a value is missing: %s %s",
                              shown, shown, o->argument);
    if (!value_read(o, text, why, sizeof why))
        return complain_usage(a->self->name, "%s: %s", shown, why);
    return GO_ON;
}

/* argv[*i] is "--name" or "--name=value". */
static int read_long(const arguments *a, int argc, char **argv, int *i)
{
    const char *name = argv[*i] + 2;
    const char *equals = strchr(name, '=');
    lookup l = {.name = name};
    char shown[64];

    l.size = equals != NULL ? (size_t)(equals - name) : strlen(name);
    nearest_begin(&l.guess, name, l.size);
    options_walk(a, look, &l);
    if (!l.known && l.guess.name != NULL)
        return complain_usage(a->self->name,
                              "%s has no option '--%.*s'; --%s perhaps?",
                              a->self->name, (int)l.size, name, l.guess.name);
    if (!l.known)
        return complain_usage(a->self->name, "%s has no option '--%.*s'",
                              a->self->name, (int)l.size, name);
    snprintf(shown, sizeof shown, "--%s", l.found.name);
    if (equals == NULL && l.found.kind == OPTION_FLAG) {
        *(bool *)l.found.value = true;
        return GO_ON;
    }
    if (equals == NULL && l.found.kind == OPTION_WAIT) {
        *(double *)l.found.value = HUGE_VAL;
        return GO_ON;
    }
    if (equals != NULL)
        return read_value(a, &l.found, shown, equals + 1);
    return read_value(a, &l.found, shown, *i + 1 < argc ? argv[++*i] : NULL);
}

/* argv[*i] is "-k", "-k5" or "-qk5". */
static int read_short(const arguments *a, int argc, char **argv, int *i)
{
    for (const char *at = argv[*i] + 1; *at != '\0'; at++) {
        const char shown[] = {'-', *at, '\0'};
        lookup l = {.letter = *at};
        const char *text = NULL;

        options_walk(a, look, &l);
        if (!l.known)
            return complain_usage(a->self->name, "%s has no option '%s'",
                                  a->self->name, argv[*i]);
        if (l.found.value == NULL) { /* help, in company: -qh */
            guide_command(a, GUIDE_TEXT);
            return EXIT_OK;
        }
        if (l.found.kind == OPTION_FLAG) {
            *(bool *)l.found.value = true;
            continue;
        }
        if (at[1] != '\0')
            text = at + 1;
        else if (*i + 1 < argc)
            text = argv[++*i];
        return read_value(a, &l.found, shown, text);
    }
    return GO_ON;
}

/* Help wins over whatever else is on the line, and shows true defaults for it
 * is looked for before anything is read. */
static guide_style find_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (guide_asked(argv[i]) != GUIDE_NONE)
            return guide_asked(argv[i]);
    return GUIDE_NONE;
}

static int check_operands(const arguments *a)
{
    const command *self = a->self;

    if (a->operand_count < self->least)
        return complain_usage(self->name, "%s needs %s", self->name,
                              self->operands);
    if (a->operand_count > self->most)
        return complain_usage(self->name, "%s takes %s: what is '%s'?",
                              self->name, self->operands,
                              a->operands[self->most]);
    for (size_t i = 0; i < a->operand_count; i++)
        if (a->operands[i][0] == '\0' &&
            !(self->last_may_be_empty && i + 1 == self->most))
            return complain_usage(self->name, "an empty name is no name");
    return GO_ON;
}

int options_read(arguments *a, int argc, char **argv)
{
    const guide_style help = find_help(argc, argv);
    bool ended = false;

    a->operands = argv;
    a->operand_count = 0;
    if (help != GUIDE_NONE) {
        guide_command(a, help);
        return EXIT_OK;
    }
    for (int i = 0; i < argc; i++) {
        int code = GO_ON;

        if (ended || argv[i][0] != '-' || argv[i][1] == '\0')
            a->operands[a->operand_count++] = argv[i];
        else if (strcmp(argv[i], "--") == 0)
            ended = true;
        else if (argv[i][1] == '-')
            code = read_long(a, argc, argv, &i);
        else
            code = read_short(a, argc, argv, &i);
        if (code != GO_ON)
            return code;
    }
    return check_operands(a);
}
