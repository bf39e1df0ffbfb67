/* SPDX-License-Identifier: MIT */
#include "helptopics.h"

#include <string.h>

#define CODES                                                                \
    "    0  done\n"                                                          \
    "    1  failure: a file, its format, the disk, a store in use\n"         \
    "    2  the command line is wrong\n"                                     \
    "    3  the store is damaged, or made by another version\n"              \
    "    4  the memory budget is too small\n"                                \
    "    5  a numerical method failed\n"                                     \
    "  130  interrupted (SIGINT, SIGTERM or SIGHUP); what was committed "    \
    "stays"

const char helptopic_codes[] = CODES;

static const helptopic topics[] = {
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
        "  ingest                    0.05 GB + 130 V\n"
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
};

const helptopic *helptopic_get(size_t i)
{
    return i < sizeof topics / sizeof *topics ? &topics[i] : NULL;
}

const helptopic *helptopic_find(const char *name)
{
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (strcmp(topics[i].name, name) == 0)
            return &topics[i];
    return NULL;
}

size_t helptopic_block(const char *text, const char **next)
{
    const char *const end = strstr(text, "\n\n");
    const size_t size = end != NULL ? (size_t)(end - text) : strlen(text);

    *next = text + size + (end != NULL ? 2 : 0);
    return size;
}
