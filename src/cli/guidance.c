/* SPDX-License-Identifier: MIT */
#include "guidance.h"

#include <inttypes.h>
#include <math.h>

#include <kedge/kedge.h>

#include "plaintext.h"
#include "values.h"

enum { WIDTH = 79, INDENT = 2, HELP_COLUMN = 28 };

static void paragraph(const char *text, int indent)
{
    flow f = {.out = stdout, .indent = indent, .width = WIDTH,
              .column = indent};

    text_pad(stdout, indent);
    flow_text(&f, text);
    flow_end(&f);
}

void guide_start(FILE *out)
{
    fputs("kedge learns topics of corpora of any size from one pass.\n"
          "\n"
          "  kedge ingest STORE FILE...   read documents, once, into a store\n"
          "  kedge fit STORE -k 50        find 50 topics in it\n"
          "  kedge topics STORE           show them\n"
          "\n"
          "'kedge --help' tells about all commands, 'kedge ingest --help' "
          "about one.\n",
          out);
}

void guide_all(const command *const *commands)
{
    puts("usage: kedge COMMAND STORE [ARGUMENT...] [OPTION...]\n");
    paragraph("kedge learns anchor-word topic models of corpora of any size "
              "from one pass over the documents, in bounded memory. A store "
              "is a directory that holds documents, their statistics and the "
              "models fitted to them.", 0);
    puts("\nCommands:");
    for (; *commands != NULL; commands++)
        printf("  %-9s %s\n", (*commands)->name, (*commands)->summary);
    puts("\n'kedge COMMAND --help' tells all about a command; "
         "'kedge --version' shows\nwhat is installed.\n"
         "\n"
         "From documents to topics:\n"
         "  kedge ingest news news.jsonl.zst\n"
         "  kedge fit news -k 50\n"
         "  kedge topics news\n"
         "\n"
         "Standard output carries data alone; words go to standard error. "
         "When the\nreader of the output leaves early, as head does, that is "
         "no failure.\n"
         "\n"
         "Exit codes:\n"
         "    0  done\n"
         "    1  failure: a file, its format, the disk, a store in use\n"
         "    2  the command line is wrong\n"
         "    3  the store is damaged, or made by another version\n"
         "    4  the memory budget is too small\n"
         "    5  a numerical method failed\n"
         "  130  interrupted (SIGINT, SIGTERM or SIGHUP); what was committed "
         "stays");
}

/* "-k, --topics K[,K...]" */
static int option_head(const option *o)
{
    int column = printf("  ");

    if (o->letter != 0)
        column += printf("-%c, ", o->letter);
    column += printf("--%s", o->name);
    if (o->kind != OPTION_FLAG)
        column += printf(" %s", o->argument);
    return column;
}

/* "(16 to 8192; default: 1000)" */
static void option_limits(const option *o, char *out, size_t size)
{
    char value[160];
    char range[64] = "";

    value_write(o, value, sizeof value);
    if (o->most != 0 && o->most < UINT64_MAX)
        snprintf(range, sizeof range, "%" PRIu64 " to %" PRIu64, o->least,
                 o->most);
    if (o->from != o->to && isfinite(o->to))
        snprintf(range, sizeof range, "%g to %g", o->from, o->to);
    if (range[0] == '\0' && value[0] == '\0')
        *out = '\0';
    else if (value[0] == '\0')
        snprintf(out, size, " (%s)", range);
    else
        snprintf(out, size, " (%s%sdefault: %s)", range,
                 range[0] != '\0' ? "; " : "", value);
}

static void guide_option(void *data, const option *o, size_t index)
{
    flow f = {.out = stdout, .indent = HELP_COLUMN, .width = WIDTH,
              .column = HELP_COLUMN};
    const arguments *a = data;
    char limits[256];
    int column;

    if (index == a->count)
        puts("\nOptions of every command:");
    column = option_head(o);
    if (column > HELP_COLUMN - INDENT) {
        putchar('\n');
        column = 0;
    }
    text_pad(stdout, HELP_COLUMN - column);
    option_limits(o, limits, sizeof limits);
    flow_text(&f, o->help);
    flow_text(&f, limits);
    flow_end(&f);
}

void guide_command(const arguments *a)
{
    const command *self = a->self;

    printf("usage: kedge %s %s [OPTION...]\n\n", self->name, self->operands);
    paragraph(self->purpose, 0);
    if (self->details != NULL) {
        putchar('\n');
        paragraph(self->details, 0);
    }
    puts("\nOptions:");
    options_walk(a, guide_option, (void *)(uintptr_t)a);
    puts("\nOutput:");
    paragraph(self->output, INDENT);
    printf("\nExamples:\n%s", self->examples);
    puts("\nExit codes: 0 done, 1 failure, 2 wrong command line, 3 damaged "
         "store, 4 memory\nbudget too small, 5 numerical failure, "
         "130 interrupted.");
}

void guide_version(void)
{
    printf("kedge %s\n%s\n", kedge_version(), kedge_library_versions());
}
