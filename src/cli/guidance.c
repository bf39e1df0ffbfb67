/* SPDX-License-Identifier: MIT */
#include "guidance.h"

#include <string.h>

#include <kedge/kedge.h>

#include "completing.h"
#include "manual.h"
#include "measures.h"
#include "plaintext.h"
#include "values.h"

enum { WIDTH = 79, INDENT = 2, HELP_COLUMN = 28, ENTRY_COLUMN = 15 };

static void paragraph_of(const char *text, size_t size)
{
    flow f = {.out = stdout, .width = WIDTH};

    flow_part(&f, text, size);
    flow_end(&f);
}

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

const char guide_about[] =
    "kedge learns anchor-word topic models of corpora of any size from one "
    "pass over the documents, in bounded memory. A store is a directory that "
    "holds documents, their statistics and the models fitted to them.";

const char guide_first[] = "  kedge ingest news news.jsonl.zst\n"
                           "  kedge fit news -k 50\n"
                           "  kedge topics news\n";

static void guide_entry(const char *name, const char *summary)
{
    printf("  %-*s %s\n", ENTRY_COLUMN, name, summary);
}

void guide_all(const command *const *commands)
{
    puts("usage: kedge COMMAND STORE [ARGUMENT...] [OPTION...]\n");
    paragraph(guide_about, 0);
    puts("\nCommands:");
    for (; *commands != NULL; commands++)
        guide_entry((*commands)->name, (*commands)->summary);
    puts("\nTopics, for 'kedge help TOPIC':");
    for (size_t i = 0; helptopic_get(i) != NULL; i++)
        guide_entry(helptopic_get(i)->name, helptopic_get(i)->summary);
    puts("\n'kedge COMMAND --help' tells all about a command; "
         "'kedge --version' shows\nwhat is installed.\n"
         "\n"
         "From documents to topics:");
    puts(guide_first);
    puts("Standard output carries data alone; words go to standard error. "
         "When the\nreader of the output leaves early, as head does, that is "
         "no failure.\n"
         "\n"
         "Exit codes:");
    puts(helptopic_codes);
}

void guide_topic(const helptopic *topic)
{
    const char *at = topic->text;

    while (*at != '\0') {
        const char *const block = at;
        const size_t size = helptopic_block(at, &at);

        if (block != topic->text)
            putchar('\n');
        if (strncmp(block, "  ", 2) == 0)
            printf("%.*s\n", (int)size, block);
        else
            paragraph_of(block, size);
    }
    if (topic->measures)
        measures_explain();
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
    value_limits(o, limits, sizeof limits);
    flow_text(&f, o->help);
    flow_text(&f, limits);
    flow_end(&f);
}

static void guide_text(const arguments *a)
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

guide_style guide_asked(const char *argument)
{
    static const struct {
        const char *argument;
        guide_style style;
    } known[] = {
        {"--help", GUIDE_TEXT},     {"-h", GUIDE_TEXT},
        {"--help=man", GUIDE_MAN},  {"--help=bash", GUIDE_BASH},
        {"--help=zsh", GUIDE_ZSH},  {"--help=fish", GUIDE_FISH},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(argument, known[i].argument) == 0)
            return known[i].style;
    return GUIDE_NONE;
}

void guide_command(const arguments *a, guide_style style)
{
    if (style == GUIDE_TEXT)
        guide_text(a);
    else if (style == GUIDE_MAN)
        manual_command(a);
    else
        completing_command(style, a);
}

void guide_version(void)
{
    printf("kedge %s\n%s\n", kedge_version(), kedge_library_versions());
}
