/* SPDX-License-Identifier: MIT */
#include "guidance.h"

#include <string.h>

#include <kedge/kedge.h>

#include "completing.h"
#include "manual.h"
#include "measures.h"
#include "plaintext.h"
#include "values.h"

enum { WIDTH = 79, INDENT = 2, HELP_COLUMN = 28, ENTRY_COLUMN = 15,
       NARROW = 56, NARROW_COLUMN = 6 };

/* A terminal that is narrower has shorter lines; what is set in lines of its
 * own, as examples are, stays as it is. */
static int line_width(void)
{
    const int line = text_flow(stdout);

    return line < WIDTH ? line : WIDTH;
}

static void paragraph_of(const char *text, size_t size)
{
    flow f = {.out = stdout, .width = line_width()};

    flow_part(&f, text, size);
    flow_end(&f);
}

static void paragraph(const char *text, int indent)
{
    flow f = {.out = stdout, .indent = indent, .width = line_width(),
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

/* From `column` on, of a line that has `at` of them, or below it where less
 * than a gap is between, or lines are short. */
static flow text_beside(int at, int gap, int column)
{
    const bool narrow = line_width() < NARROW;

    column = narrow ? NARROW_COLUMN : column;
    if (narrow || at > column - gap) {
        putchar('\n');
        at = 0;
    }
    text_pad(stdout, column - at);
    return (flow){.out = stdout, .indent = column, .width = line_width(),
                  .column = column};
}

static void guide_entry(const char *name, const char *summary)
{
    const int at = printf("  %s", name);
    flow f = text_beside(at, 1, INDENT + ENTRY_COLUMN + 1);

    flow_text(&f, summary);
    flow_end(&f);
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
    putchar('\n');
    paragraph("'kedge COMMAND --help' tells all about a command; "
              "'kedge --version' shows what is installed.", 0);
    puts("\nFrom documents to topics:");
    puts(guide_first);
    paragraph("Standard output carries data alone; words go to standard error. "
              "When the reader of the output leaves early, as head does, that "
              "is no failure.", 0);
    puts("\nExit codes:");
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
    if (o->kind == OPTION_WAIT)
        column += printf("%s", o->argument);
    else if (o->kind != OPTION_FLAG)
        column += printf(" %s", o->argument);
    return column;
}

static void guide_option(void *data, const option *o, size_t index)
{
    const arguments *a = data;
    char limits[256];
    flow f;

    if (index == a->count)
        puts("\nOptions of every command:");
    f = text_beside(option_head(o), INDENT, HELP_COLUMN);
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
    putchar('\n');
    paragraph("Exit codes: 0 done, 1 failure, 2 wrong command line, 3 damaged "
              "store, 4 memory budget too small, 5 numerical failure, "
              "130 interrupted.", 0);
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
