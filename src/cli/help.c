/* SPDX-License-Identifier: MIT */
#include "help.h"

#include <stdlib.h>
#include <string.h>

#include <kedge/kedge.h>
#include <kedge/methods.h>

#include "measures.h"
#include "plaintext.h"

enum { WIDTH = 79, INDENT = 2, HELP_COLUMN = 28, ENTRY_COLUMN = 15,
       NARROW = 56, NARROW_COLUMN = 6 };

/* ---- for people ---------------------------------------------------------- */

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

void help_start(FILE *out)
{
    fputs("kedge learns topics from corpora too big for memory.\n"
          "\n"
          "  kedge ingest STORE FILE...   read documents into a store\n"
          "  kedge fit STORE -k 50        find 50 topics in it\n"
          "  kedge topics STORE           show them\n"
          "\n"
          "'kedge --help' lists all commands, 'kedge ingest --help' explains "
          "one.\n",
          out);
}

static const char about[] =
    "kedge learns topic models from corpora too big for memory, in one reading "
    "of the documents. A store is a directory with the documents, a sketch of "
    "which words occur together, and the models.";

static const char first_steps[] = "  kedge ingest news news.jsonl.zst\n"
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

static void help_entry(const char *name, const char *summary)
{
    const int at = printf("  %s", name);
    flow f = text_beside(at, 1, INDENT + ENTRY_COLUMN + 1);

    flow_text(&f, summary);
    flow_end(&f);
}

void help_all(void)
{
    const char *group = "";

    puts("usage: kedge COMMAND STORE [ARGUMENT...] [OPTION...]\n");
    paragraph(about, 0);
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (strcmp(group, commands[i]->group) != 0)
            printf("\n%s:\n", commands[i]->group);
        group = commands[i]->group;
        help_entry(commands[i]->name, commands[i]->summary);
    }
    puts("\n'kedge help TOPIC':");
    for (const help_page *p = help_pages; p->name != NULL; p++)
        help_entry(p->name, p->summary);
    putchar('\n');
    paragraph("'kedge COMMAND --help' explains a command, 'kedge --version' "
              "shows what is installed.", 0);
}

/* The next block of a text: its size, and where to go on. */
static size_t block_size(const char *text, const char **next)
{
    const char *const end = strstr(text, "\n\n");
    const size_t size = end != NULL ? (size_t)(end - text) : strlen(text);

    *next = text + size + (end != NULL ? 2 : 0);
    return size;
}

/* ---- methods ------------------------------------------------------------- */

typedef struct method {
    const char *name, *does;
} method;

#define METHOD_ROW(id, name, does) {name, does},
#define METHODS(rows) {rows(METHOD_ROW) {NULL, NULL}}

static const method presets[] = METHODS(KEDGE_PRESETS),
                    cooccurrences[] = METHODS(KEDGE_COOCCURRENCES),
                    weights[] = METHODS(KEDGE_TERM_WEIGHTS),
                    rectifiers[] = METHODS(KEDGE_RECTIFIERS),
                    anchors[] = METHODS(KEDGE_ANCHOR_CHOICES),
                    solvers[] = METHODS(KEDGE_SOLVERS),
                    recoveries[] = METHODS(KEDGE_RECOVERIES),
                    topic_cooccurrences[] =
                        METHODS(KEDGE_TOPIC_COOCCURRENCES),
                    inferences[] = METHODS(KEDGE_INFER_METHODS);

static const struct {
    const char *option, *title;
    const method *rows;
} method_lists[] = {
    {"fit --preset", "all options of a fit as in a paper", presets},
    {"fit --term-weight", "how much each word counts", weights},
    {"fit --cooccurrence", "what stands for the co-occurrence of words",
     cooccurrences},
    {"fit --rectify", "how negative co-occurrences are removed", rectifiers},
    {"fit --anchors", "how anchor words are chosen", anchors},
    {"fit --recover", "how topics follow from the anchors", recoveries},
    {"fit --solver", "how least squares are solved", solvers},
    {"fit --topic-cooccurrence", "how topics occur together",
     topic_cooccurrences},
    {"infer --method", "how topic proportions are found", inferences},
};

enum { METHOD_LISTS = sizeof method_lists / sizeof *method_lists };

static void print_methods(void)
{
    for (size_t i = 0; i < METHOD_LISTS; i++) {
        printf("\n%s: %s\n\n", method_lists[i].option,
               method_lists[i].title);
        for (const method *m = method_lists[i].rows; m->name != NULL; m++)
            help_entry(m->name, m->does);
    }
}

static void print_page(const help_page *p)
{
    for (const char *at = p->text; *at != '\0';) {
        const char *const block = at;
        const size_t size = block_size(at, &at);

        if (block != p->text)
            putchar('\n');
        if (strncmp(block, "  ", 2) == 0)
            printf("%.*s\n", (int)size, block);
        else
            paragraph_of(block, size);
    }
    if (p->methods)
        print_methods();
    if (p->measures)
        measures_explain();
}

bool help_topic(const char *name, nearest *guess)
{
    for (const help_page *p = help_pages; p->name != NULL; p++) {
        if (strcmp(p->name, name) == 0) {
            print_page(p);
            return true;
        }
        nearest_offer(guess, p->name);
    }
    return false;
}

/* ---- a command ----------------------------------------------------------- */

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

typedef struct option_list {
    bool all;
    const char *section;
    size_t left_out;
} option_list;

/* The help, the choices where they fit in the line, and the default. */
static void option_text(const option *o, char *out, size_t size)
{
    char value[160], choices[160] = "";

    value_default(o, value, sizeof value);
    if (o->choices != NULL)
        snprintf(choices, sizeof choices, ": %.*s",
                 (int)strcspn(o->choices, "["), o->choices);
    if (strlen(o->help) + strlen(choices) + strlen(value) + 3 >
        WIDTH - HELP_COLUMN)
        *choices = '\0';
    snprintf(out, size, "%s%s%s%s%s", o->help, choices,
             *value != '\0' ? " [" : "", value, *value != '\0' ? "]" : "");
}

static void help_option(void *data, const option *o)
{
    option_list *const list = data;
    char text[512];
    flow f;

    if (!list->all && !o->main) {
        list->left_out++;
        return;
    }
    if (strcmp(list->section, o->section) != 0)
        printf("\n%s:\n", o->section);
    list->section = o->section;
    f = text_beside(option_head(o), INDENT, HELP_COLUMN);
    option_text(o, text, sizeof text);
    flow_text(&f, text);
    flow_end(&f);
}

void help_command(job *j, bool all)
{
    const command *const self = j->self;
    option_list list = {.all = all, .section = ""};

    printf("usage: kedge %s %s [OPTION...]\n\n", self->name, self->operands);
    paragraph(self->purpose, 0);
    options_walk(j, help_option, &list);
    printf("\nExamples:\n%s\n", self->examples);
    if (!all) {
        char more[160];

        snprintf(more, sizeof more,
                 "'kedge %s --help-all' has %zu more options.%s%s", self->name,
                 list.left_out, self->see != NULL ? " See also: kedge help "
                                                  : "",
                 self->see != NULL ? self->see : "");
        paragraph(more, 0);
    } else if (self->see != NULL) {
        char more[160];

        snprintf(more, sizeof more, "See also: kedge help %s", self->see);
        paragraph(more, 0);
    }
}

bool help_asked(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0 ||
           strcmp(argument, "--help-all") == 0;
}

/* ---- for the build ------------------------------------------------------- */

static void json_option(void *data, const option *o)
{
    jsonout *const j = data;
    const char letter[] = {o->letter, '\0'};
    char value[160], range[64];

    value_default(o, value, sizeof value);
    value_range(o, range, sizeof range);
    json_begin(j, '{');
    json_key_text(j, "name", o->name);
    json_key_text(j, "letter", letter);
    json_key_text(j, "section", o->section);
    json_key_text(j, "argument", o->argument != NULL ? o->argument : "");
    json_key_text(j, "choices", o->choices != NULL ? o->choices : "");
    json_key_bool(j, "value", o->kind != OPTION_FLAG && o->kind != OPTION_WAIT);
    json_key_text(j, "help", o->help);
    json_key_text(j, "range", range);
    json_key_text(j, "default", value);
    json_key_bool(j, "main", o->main);
    json_close(j, '}');
}

static void json_command(jsonout *j, const command *c)
{
    job *const one = job_begin(c);

    one->common.threads = 0; /* that of the machine which makes the pages */
    json_begin(j, '{');
    json_key_text(j, "name", c->name);
    json_key_text(j, "group", c->group);
    json_key_text(j, "summary", c->summary);
    json_key_text(j, "operands", c->operands);
    json_key_text(j, "purpose", c->purpose);
    json_key_text(j, "see", c->see != NULL ? c->see : "");
    json_key_text(j, "examples", c->examples);
    json_key_begin(j, "options", '[');
    options_walk(one, json_option, j);
    json_close(j, ']');
    json_close(j, '}');
    if (c->end != NULL)
        c->end(one);
    free(one);
}

static void json_methods(jsonout *j)
{
    json_key_begin(j, "methods", '[');
    for (size_t i = 0; i < METHOD_LISTS; i++) {
        json_begin(j, '{');
        json_key_text(j, "option", method_lists[i].option);
        json_key_text(j, "title", method_lists[i].title);
        json_key_begin(j, "rows", '[');
        for (const method *m = method_lists[i].rows; m->name != NULL; m++) {
            json_begin(j, '{');
            json_key_text(j, "name", m->name);
            json_key_text(j, "does", m->does);
            json_close(j, '}');
        }
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
}

void help_json(void)
{
    jsonout j = json_document(stdout, 1);

    json_key_text(&j, "about", about);
    json_key_text(&j, "first_steps", first_steps);
    json_key_text(&j, "codes", EXIT_CODES);
    json_key_begin(&j, "commands", '[');
    for (size_t i = 0; commands[i] != NULL; i++)
        json_command(&j, commands[i]);
    json_close(&j, ']');
    json_key_begin(&j, "topics", '[');
    for (const help_page *p = help_pages; p->name != NULL; p++) {
        json_begin(&j, '{');
        json_key_text(&j, "name", p->name);
        json_key_text(&j, "summary", p->summary);
        json_key_text(&j, "text", p->text);
        json_key_bool(&j, "measures", p->measures);
        json_key_bool(&j, "methods", p->methods);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_methods(&j);
    measures_explain_json(&j);
    json_finish(&j);
}
