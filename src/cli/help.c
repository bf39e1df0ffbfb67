/* SPDX-License-Identifier: MIT */
#include "help.h"

#include <stdlib.h>
#include <string.h>

#include <kedge/kedge.h>

#include "measures.h"
#include "plaintext.h"

enum { WIDTH = 79, INDENT = 2, HELP_COLUMN = 28, ENTRY_COLUMN = 15,
       NARROW = 56, NARROW_COLUMN = 6 };

#define CODES                                                                \
    "    0  done\n"                                                          \
    "    1  failure: a file, its format, the disk, a store in use\n"         \
    "    2  the command line is wrong\n"                                     \
    "    3  the store is damaged, or made by another version\n"              \
    "    4  the memory budget is too small\n"                                \
    "    5  a numerical method failed\n"                                     \
    "  130  interrupted (SIGINT, SIGTERM or SIGHUP); what was committed "    \
    "stays"

/* What 'kedge help TOPIC' tells beside commands. */
typedef struct topic {
    const char *name;
    const char *summary;
    const char *text; /* paragraphs with an empty line between them; lines that
                         begin with two blanks stay as they are */
    bool measures;    /* the list of measures follows it */
} topic;

static const topic topics[] = {
    {.name = "formats",
     .summary = "what documents can come as",
     .text =
        "'kedge ingest' and 'kedge infer' read these, plain, .gz or .zst, "
        "which is known by their content. What a file holds is seen from it; "
        "a pipe, -, must be told with --from.\n\n"
        "Texts, which are cut into words:\n\n"
        "  jsonl     a JSON object a line: {\"id\": \"1\", \"text\": \"...\"}\n"
        "            or an array of such objects, over any lines\n"
        "  lines     a document a line\n"
        "  mallet    id, label and text, separated by blanks\n"
        "  tsv, csv  columns, named by the first line; csv has quotes, and\n"
        "            commas, semicolons, tabs or bars between columns\n"
        "  files     a directory, a document a file; without --from, tables\n"
        "            and JSON in a directory are read a document a record\n\n"
        "--text-field, --id-field and --label-field say where jsonl, tsv and "
        "csv have what, if it is not called text, id and label; --id-field "
        "none takes no ids.\n\n"
        "Bags of words that have their words with them:\n\n"
        "  jsonl     with {\"word\": count} for a text\n"
        "  vw        Vowpal Wabbit: label 'id | word:count ...\n\n"
        "Bags of words by number, the words being lines of --vocab FILE:\n\n"
        "  uci       three lines with the numbers of documents, words and\n"
        "            entries, then a line \"document word count\" for each\n"
        "  svmlight  label word:count ... # id\n"
        "  ldac      how many, then word:count ..., words from 0\n"
        "  mtx       Matrix Market, documents by words\n\n"
        "An empty file has no documents, but for uci and mtx, whose first "
        "lines are missed. A line that is wrong ends the reading with file, "
        "line and reason, "
        "or is skipped and counted with --skip-bad, as are files that are not "
        "in their format, such as a PDF. Output comes as a table "
        "for people, or as tsv, json, jsonl or npy, which are stable: "
        "--format of each command."},
    {.name = "memory",
     .summary = "what needs how much, and how it is bounded",
     .text =
        "--memory is the most resident memory that a command may take. The "
        "need is computed before the first document is read, and refused "
        "with figures when the budget is too small (exit code 4).\n\n"
        "It grows with the words and the topics, never with the documents. "
        "With V different words in the documents, N of them in models, K "
        "topics and L columns of the sketch (--sketch), some\n\n"
        "  ingest                    0.17 GB + 120 V; less for small files\n"
        "  the sketch, in memory     0.25 GB + 8.4 N L\n"
        "  the sketch, on the disk   0.3 GB + 200 N\n"
        "  fit                       0.15 GB + 40 V + 1,000 N + 48 N K,\n"
        "                            or as ingest where that is more\n"
        "  infer                     0.1 GB + 140 V + 12 N K\n\n"
        "so that there is room, with two threads, for\n\n"
        "  --memory                       1G          4G          16G\n"
        "  V, in documents         8,000,000  33,000,000  130,000,000\n"
        "  N, sketch of L = 1,000    110,000     480,000    2,000,000\n"
        "  N, fit -k 50              280,000   1,200,000    5,000,000\n"
        "  N, fit -k 100             160,000     720,000    2,900,000\n"
        "  N, fit -k 300              50,000     260,000    1,000,000\n\n"
        "A sketch that has no room lies in a file that is mapped, and is "
        "made more slowly.\n\n"
        "Where a command is refused: give more memory, take fewer words "
        "(--min-df, --vocab-size of fit), a narrower sketch, or fewer "
        "threads, each of which has some memory of its own."},
    {.name = "reproducibility",
     .summary = "what gives the same bytes",
     .text =
        "The same documents and options give the same model, byte for byte: "
        "for any number of threads, any order of the shards, from a file or "
        "from a pipe, in one run or in several that were interrupted, and "
        "whether documents were added, removed again or merged from other "
        "stores; and by one process or by several that mpirun started. Every "
        "fit applies its rule for words ('kedge fit --help') to the documents "
        "that are there; only --freeze and --view keep words that were chosen "
        "before. "
        "All that is random comes of --seed. This holds on one type of "
        "processor: others differ in the last digits.\n\n"
        "Only the numbers and names of topics follow the model that was there "
        "before ('kedge fit --like none' numbers them by falling "
        "share).\n\n"
        "'kedge verify' sums a store up in digests, by which two can be "
        "compared; a model keeps its options, its seed and the digest of the "
        "documents that it was made of ('kedge info', model.json of 'kedge "
        "export')."},
    {.name = "exit-codes",
     .summary = "what a command ends with",
     .text = CODES "\n\n"
        "Standard output carries data alone; words go to standard error. When "
        "the reader of the output leaves early, as head does, that is no "
        "failure. After 130 the same command goes on where it stopped.\n\n"
        "'kedge word' and 'kedge vocab' end with 1 when a word is not there, "
        "'kedge verify' with 3 when it finds damage."},
    {.name = "progress",
     .summary = "how far work has come, for people and for programs",
     .text =
        "On a terminal, a line on standard error shows the stage, the share "
        "that is done, documents and bytes per second, and the time left; "
        "without a terminal there is none. --progress bar shows it always, "
        "none never; auto is the default.\n\n"
        "--progress json writes lines of JSON on standard error instead: when "
        "a stage begins, when it is last heard of, and in between ten times a "
        "second at most and once a second at least:\n\n"
        "  {\"kedge_progress\": 1, \"stage\": \"reading\",\n"
        "  \"done\": 31457280, \"total\": 62914560, \"unit\": \"bytes\",\n"
        "  \"documents\": 150000, \"seconds\": 4.2, \"left\": 4.2}\n\n"
        "each on one line. kedge_progress is the version of the format, which "
        "is 1. total is 0 where it is not known, and may fall where less was "
        "needed than could be; unit is empty where only the share tells "
        "something; documents are those read so "
        "far, 0 where that has no meaning; seconds are since the stage began; "
        "left is the seconds that remain, null where that cannot be told. The "
        "stage is \"working\" where a command has told of none for a second. "
        "Members may be added in the same version. Other lines on standard "
        "error, which do not begin with a brace, are words; --quiet leaves "
        "those out that are no errors."},
    {.name = "measures",
     .summary = "what 'kedge eval' measures",
     .text = "C is the co-occurrence of words in documents, B p(word|topic), "
             "A topics' correlations, N words, K topics, |.| the Frobenius "
             "norm.",
     .measures = true},
    {.name = NULL},
};

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

static const char about[] =
    "kedge learns anchor-word topic models of corpora of any size from one "
    "pass over the documents, in bounded memory. A store is a directory that "
    "holds documents, their statistics and the models fitted to them.";

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
    puts("usage: kedge COMMAND STORE [ARGUMENT...] [OPTION...]\n");
    paragraph(about, 0);
    puts("\nCommands:");
    for (size_t i = 0; commands[i] != NULL; i++)
        help_entry(commands[i]->name, commands[i]->summary);
    puts("\nTopics, for 'kedge help TOPIC':");
    for (const topic *t = topics; t->name != NULL; t++)
        help_entry(t->name, t->summary);
    putchar('\n');
    paragraph("'kedge COMMAND --help' tells all about a command; "
              "'kedge --version' shows what is installed.", 0);
    puts("\nFrom documents to topics:");
    puts(first_steps);
    paragraph("Standard output carries data alone; words go to standard error. "
              "When the reader of the output leaves early, as head does, that "
              "is no failure.", 0);
    puts("\nExit codes:");
    puts(CODES);
}

/* The next block of a text: its size, and where to go on. */
static size_t block_size(const char *text, const char **next)
{
    const char *const end = strstr(text, "\n\n");
    const size_t size = end != NULL ? (size_t)(end - text) : strlen(text);

    *next = text + size + (end != NULL ? 2 : 0);
    return size;
}

static void guide_topic(const topic *t)
{
    for (const char *at = t->text; *at != '\0';) {
        const char *const block = at;
        const size_t size = block_size(at, &at);

        if (block != t->text)
            putchar('\n');
        if (strncmp(block, "  ", 2) == 0)
            printf("%.*s\n", (int)size, block);
        else
            paragraph_of(block, size);
    }
    if (t->measures)
        measures_explain();
}

bool help_topic(const char *name, nearest *guess)
{
    for (const topic *t = topics; t->name != NULL; t++) {
        if (strcmp(t->name, name) == 0) {
            guide_topic(t);
            return true;
        }
        nearest_offer(guess, t->name);
    }
    return false;
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

static void help_option(void *data, const option *o, option_whose whose)
{
    option_whose *const before = data;
    char limits[256];
    flow f;

    if (whose == OPTION_ALL && *before != whose)
        puts("\nOptions of every command:");
    *before = whose;
    f = text_beside(option_head(o), INDENT, HELP_COLUMN);
    value_limits(o, limits, sizeof limits);
    flow_text(&f, o->help);
    flow_text(&f, limits);
    flow_end(&f);
}

void help_command(job *j)
{
    const command *const self = j->self;
    option_whose before = OPTION_OWN;

    printf("usage: kedge %s %s [OPTION...]\n\n", self->name, self->operands);
    paragraph(self->purpose, 0);
    if (self->details != NULL) {
        putchar('\n');
        paragraph(self->details, 0);
    }
    puts("\nOptions:");
    options_walk(j, help_option, &before);
    puts("\nOutput:");
    paragraph(self->output, INDENT);
    printf("\nExamples:\n%s", self->examples);
    putchar('\n');
    paragraph("Exit codes: 0 done, 1 failure, 2 wrong command line, 3 damaged "
              "store, 4 memory budget too small, 5 numerical failure, "
              "130 interrupted.", 0);
}

bool help_asked(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

/* ---- for the build ------------------------------------------------------- */

static void json_option(void *data, const option *o, option_whose whose)
{
    jsonout *const j = data;
    const char letter[] = {o->letter, '\0'};
    char limits[256];

    value_limits(o, limits, sizeof limits);
    json_begin(j, '{');
    json_key_text(j, "name", o->name);
    json_key_text(j, "letter", letter);
    json_key_text(j, "argument", o->argument != NULL ? o->argument : "");
    json_key_bool(j, "value", o->kind != OPTION_FLAG && o->kind != OPTION_WAIT);
    json_key_bool(j, "words", o->kind == OPTION_TEXT ||
                                  o->kind == OPTION_CHOICE);
    json_key_text(j, "help", o->help);
    json_key_text(j, "limits", limits);
    json_key_bool(j, "common", whose == OPTION_ALL);
    json_close(j, '}');
}

static void json_command(jsonout *j, const command *c)
{
    job *const one = job_begin(c);

    one->common.threads = 0; /* that of the machine which makes the pages */
    json_begin(j, '{');
    json_key_text(j, "name", c->name);
    json_key_text(j, "summary", c->summary);
    json_key_text(j, "operands", c->operands);
    json_key_text(j, "purpose", c->purpose);
    json_key_text(j, "details", c->details != NULL ? c->details : "");
    json_key_text(j, "output", c->output);
    json_key_text(j, "examples", c->examples);
    json_key_begin(j, "options", '[');
    options_walk(one, json_option, j);
    json_close(j, ']');
    json_close(j, '}');
    if (c->end != NULL)
        c->end(one);
    free(one);
}

void help_json(void)
{
    jsonout j = json_document(stdout, 1);

    json_key_text(&j, "about", about);
    json_key_text(&j, "first_steps", first_steps);
    json_key_text(&j, "codes", CODES);
    json_key_begin(&j, "commands", '[');
    for (size_t i = 0; commands[i] != NULL; i++)
        json_command(&j, commands[i]);
    json_close(&j, ']');
    json_key_begin(&j, "topics", '[');
    for (const topic *t = topics; t->name != NULL; t++) {
        json_begin(&j, '{');
        json_key_text(&j, "name", t->name);
        json_key_text(&j, "summary", t->summary);
        json_key_text(&j, "text", t->text);
        json_key_bool(&j, "measures", t->measures);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    measures_explain_json(&j);
    json_finish(&j);
}
