/* SPDX-License-Identifier: MIT */
/* kedge bench: corpora that are made up, and how costs grow with their size. */
#include <stdio.h>
#include <string.h>

#include <kedge/kedge.h>

#include "benching.h"
#include "complain.h"
#include "task.h"

enum { SHAPE_OPTIONS = 6, OWN_OPTIONS = 15 };

static void shape_options(benching *b, option *out)
{
    const option list[SHAPE_OPTIONS] = {
        {.name = "shape", .kind = OPTION_CHOICE, .value = &b->shape,
         .argument = "nytimes|pubmed",
         .help = "What documents and words are like: articles of some 332 "
                 "tokens, 232 of them different words, or abstracts of 90 "
                 "and 59."},
        {.name = "documents", .letter = 'd', .kind = OPTION_COUNT,
         .value = &b->documents, .argument = "M",
         .unset = "300000 or 8200000; 20000 of scale", .least = 1,
         .most = UINT64_C(1) << 40, .help = "How many documents."},
        {.name = "vocabulary", .kind = OPTION_COUNT, .value = &b->vocabulary,
         .argument = "N", .unset = "102660 or 141043; 10000 of scale",
         .least = 64, .most = 1 << 24,
         .help = "How many different words: 32 for each topic or more."},
        {.name = "tokens", .kind = OPTION_REAL, .value = &b->tokens,
         .argument = "X", .unset = "332 or 90", .from = 1, .to = 1e5,
         .help = "Tokens of a document on average."},
        {.name = "topics", .letter = 'k', .kind = OPTION_COUNT,
         .value = &b->topics, .argument = "K",
         .unset = "100; 20 of scale", .least = 2, .most = 2000,
         .help = "Topics that are planted, and that scale fits."},
        {.name = "seed", .kind = OPTION_COUNT, .value = &b->seed,
         .argument = "S", .help = "Of all that is random."},
    };

    memcpy(out, list, sizeof list);
}

static int read_line(benching *b, arguments *a, int argc, char **argv)
{
    option options[OWN_OPTIONS] = {
        [SHAPE_OPTIONS] =
        {.name = "first", .kind = OPTION_COUNT, .value = &b->first,
         .argument = "A", .unset = "1", .least = 1,
         .most = UINT64_C(1) << 40,
         .help = "corpus: the number of the first document, so that parts can "
                 "be made apart; they are the same as of a whole."},
        {.name = "words", .kind = OPTION_FLAG, .value = &b->words,
         .help = "corpus: the words, one a line, instead of documents."},
        {.name = "output", .letter = 'o', .kind = OPTION_TEXT,
         .value = &b->output, .argument = "FILE|-",
         .unset = "-, standard output", .help = "corpus: where it goes."},
        {.name = "axis", .kind = OPTION_TEXT, .value = &b->axis,
         .argument = "documents|vocabulary|topics|width|threads",
         .unset = "documents",
         .help = "scale: what grows while all else stays; width is that of "
                 "the sketch. A large vocabulary needs documents enough for "
                 "its rare words to occur."},
        {.name = "values", .kind = OPTION_COUNTS, .value = &b->values,
         .argument = "V,V...", .least = 1, .most = UINT64_C(1) << 40,
         .help = "scale: the sizes, rising, instead of a series in which each "
                 "is twice the last."},
        {.name = "most", .kind = OPTION_COUNT, .value = &b->most,
         .argument = "V", .unset = "16 times the first, or all cores",
         .least = 1, .most = UINT64_C(1) << 40,
         .help = "scale: where that series ends."},
        {.name = "sketch", .kind = OPTION_COUNT, .value = &b->width,
         .argument = "L", .unset = "500, or 10 for each topic",
         .least = 16, .most = 8192,
         .help = "scale: columns of the sketch."},
        {.name = "folder", .kind = OPTION_TEXT, .value = &b->folder,
         .argument = "DIR", .unset = "TMPDIR, or else /tmp",
         .help = "scale: where stores lie while they are measured. They are "
                 "removed, also after an interruption."},
        {.name = "format", .kind = OPTION_CHOICE, .value = &b->format,
         .argument = "table|json", .help = "scale: what to print."},
    };

    shape_options(b, options);
    a->options = options;
    a->count = OWN_OPTIONS;
    return options_read(a, argc, argv);
}

/* What was said that is of the other kind only. */
static const char *misplaced(const benching *b, bool corpus)
{
    if (corpus)
        return b->axis != NULL         ? "axis"
               : b->values.count > 0   ? "values"
               : b->most > 0           ? "most"
               : b->width > 0          ? "sketch"
               : b->folder != NULL     ? "folder"
               : b->format != SUMMARY_TABLE ? "format"
                                       : NULL;
    return b->first > 0          ? "first"
           : b->words            ? "words"
           : b->output != NULL   ? "output"
                                 : NULL;
}

static int bench_run(const command *self, int argc, char **argv)
{
    benching b = {.self = self, .seed = 1};
    arguments a = {.self = self, .common = &b.common};
    const char *kind, *wrong;
    bool corpus;
    int code;

    common_init(&b.common);
    code = read_line(&b, &a, argc, argv);
    if (code != GO_ON)
        return code;
    kind = a.operands[0];
    corpus = strcmp(kind, "corpus") == 0;
    if (!corpus && strcmp(kind, "scale") != 0)
        return complain_usage(self->name, "bench takes corpus or scale: what "
                                          "is '%s'?", kind);
    wrong = misplaced(&b, corpus);
    if (wrong != NULL)
        return complain_usage(self->name, "--%s is for 'kedge bench %s'",
                              wrong, corpus ? "scale" : "corpus");
    return corpus ? bench_corpus(&b) : bench_scale(&b);
}

const command command_bench = {
    .name = "bench",
    .summary = "make corpora up, and measure how costs grow",
    .operands = "corpus|scale",
    .least = 1,
    .most = 1,
    .purpose =
        "corpus makes documents up, as many as are asked for and never all at "
        "once, that are like those of a well known collection: words are as "
        "frequent as in texts, by the law of Zipf and Mandelbrot, documents "
        "as long and as repetitive. In them topics are planted, some of which "
        "go together. Words tell of it: w17 is a general word, the 17th most "
        "frequent, t3w204 one of topic 3, t3t40w98 of topics 3 and 40. A "
        "document depends on the options and on its number, and not on how "
        "many there are.",
    .details =
        "scale runs ingest, fit and infer on such a corpus, at several sizes "
        "of one thing, each as a program of its own: seconds, those of all "
        "processors, memory at its peak and bytes of the store. Of each it "
        "gives the exponent by which it grows (least squares of logarithms; "
        "and, as small sizes are ruled by what does not grow, between the two "
        "largest alone), beside the one that the methods foretell; fit and "
        "infer grow with the words that occur, and not with others that a "
        "vocabulary has. The corpus "
        "comes through a pipe and is made meanwhile on the same processors; "
        "what that takes is told apart.",
    .output =
        "corpus: a line for each document, \"entries word:count ...\", which "
        "ingest takes as --from ldac. scale: tables, or JSON with a number of "
        "its version, which is stable; progress is on standard error.",
    .examples =
        "  kedge bench corpus --shape pubmed --words > words.txt\n"
        "  kedge bench corpus --shape pubmed -d 100000 |\n"
        "      kedge ingest made - --from ldac --vocab words.txt\n"
        "  kedge fit made -k 100\n"
        "  kedge topics made\n"
        "  kedge bench scale\n"
        "  kedge bench scale --axis topics --values 10,20,40,80\n",
    .run = bench_run,
};
