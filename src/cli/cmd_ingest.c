/* SPDX-License-Identifier: MIT */
/* kedge ingest: documents into a store, with a summary at the end. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "figures.h"
#include "jsonout.h"
#include "options.h"
#include "patterns.h"
#include "rankingest.h"
#include "table.h"
#include "task.h"

static_assert(KEDGE_FORMAT_AUTO == 0 && KEDGE_FORMAT_FILES == 11,
              "the choices of --from are in the order of kedge_format");
static_assert(KEDGE_DUPLICATE_SKIP == 1 && KEDGE_DUPLICATE_REPLACE == 2,
              "the choices of --on-duplicate are in the order of the enum");

typedef struct ingest {
    kedge_ingest_opts opts;
    unsigned from, format, duplicate;
    bool digits, no_digits;
    common common;
    const char *const *sources;
    size_t source_count;
    kedge_ingest_result result;
} ingest;

static int read_line(ingest *g, arguments *a, int argc, char **argv)
{
    kedge_ingest_opts *o = &g->opts;
    const option options[] = {
        {.name = "from", .kind = OPTION_CHOICE, .value = &g->from,
         .argument = "auto|uci|jsonl|lines|mallet|tsv|csv|svmlight|ldac|mtx|"
                     "vw|files",
         .help = "What the files hold; auto looks into them, a pipe must be "
                 "told. Texts: jsonl (an object a line, or an array of "
                 "objects), lines (a document a line), mallet (\"id label "
                 "text\"), tsv and csv (columns named by the first line, "
                 "between commas, semicolons, tabs or bars), files (a "
                 "directory, a document a file; files that are not text, with "
                 "zero bytes or little UTF-8, are skipped and counted; or a "
                 "file, as one document, as a page of HTML is). Of a directory "
                 "auto reads tables and JSON record by record, and other texts "
                 "as a document each. Bags of words: vw (Vowpal "
                 "Wabbit), jsonl whose text is {\"word\": count}; with "
                 "--vocab: uci, svmlight, ldac, mtx."},
        {.name = "vocab", .kind = OPTION_TEXT, .value = &o->vocabulary,
         .argument = "FILE",
         .help = "The words, one a line, that uci, svmlight, ldac and mtx "
                 "have by number, as they are. With texts: no other words are "
                 "taken, the file's are folded and stemmed as the texts are "
                 "(Haus is haus), and the sketch is made while reading."},
        {.name = "encoding", .kind = OPTION_TEXT, .value = &o->encoding,
         .argument = "NAME", .unset = "utf-8, or as in STORE",
         .help = "How lines of the files and of --vocab are encoded that are "
                 "not valid UTF-8, which all others are: latin1, cp1252, or "
                 "what else 'iconv -l' lists; with utf-16le and its like, how "
                 "files are that are not. A mark of UTF-16 or UTF-32 at a "
                 "file's beginning is known by itself."},
        {.name = "text-field", .kind = OPTION_TEXT, .value = &o->text_field,
         .argument = "NAMES",
         .unset = "text, body, content or abstract, or as in STORE",
         .help = "Where jsonl, tsv and csv have the text: a name, one with "
                 "dots for what lies within (meta.title), or several between "
                 "commas, of which a file need not have all; columns also by "
                 "number. This, the next two and --encoding are remembered, "
                 "for later ingests and infer."},
        {.name = "id-field", .kind = OPTION_TEXT, .value = &o->id_field,
         .argument = "NAME|none", .unset = "id, or as in STORE",
         .help = "Likewise the id; none: documents get no ids."},
        {.name = "label-field", .kind = OPTION_TEXT,
         .value = &o->label_field, .argument = "NAME|none",
         .unset = "label, or as in STORE",
         .help = "Likewise the label."},
        {.name = "batch", .kind = OPTION_TEXT, .value = &o->batch,
         .argument = "NAME", .unset = "none",
         .help = "A name for what is added, by which 'kedge remove' takes it "
                 "out again. What a file goes on with stays in the batch that "
                 "it began in."},
        {.name = "on-duplicate", .kind = OPTION_CHOICE,
         .value = &g->duplicate, .argument = "error|skip|replace",
         .help = "What to do with a document whose id the store has: stop, "
                 "keep the earlier one, or keep the later one. replace: the "
                 "earlier one goes even where the later one has no words."},
        {.name = "dedupe", .kind = OPTION_FLAG, .value = &o->dedupe,
         .help = "Leave out a document with the same words as often as one "
                 "that the store has at that moment; it is not stored again "
                 "when the other one is replaced or removed later."},
        {.name = "stopwords", .kind = OPTION_TEXT, .value = &o->stopwords,
         .argument = "english|LANGUAGE|none|FILE", .unset = "none",
         .help = "Words that are not even stored: those of a language that "
                 "--stem knows, as german or de, or a file with a word a "
                 "line. Without, fit leaves stop words out."},
        {.name = "bags-only", .kind = OPTION_FLAG, .value = &o->bags_only,
         .help = "Of texts, store how often words come, but not their order: "
                 "two thirds of the space, but no phrases. What a file goes on "
                 "with, after an interruption or when it grew, is stored as "
                 "its beginning was."},
        {.name = "digits", .kind = OPTION_FLAG, .value = &g->digits,
         .help = "Words may hold digits; otherwise those that do are left "
                 "out."},
        {.name = "no-digits", .kind = OPTION_FLAG, .value = &g->no_digits,
         .help = "They may not, which is usual: an error where the texts of "
                 "STORE were cut with --digits."},
        {.name = "shortest", .kind = OPTION_COUNT, .value = &o->shortest,
         .argument = "N", .least = 1, .most = 255,
         .unset = "2, or as in STORE",
         .help = "Characters that a word has at least."},
        {.name = "longest", .kind = OPTION_COUNT, .value = &o->longest,
         .argument = "N", .least = 1, .most = 255,
         .unset = "64, or as in STORE",
         .help = "Characters that a word has at most; longer ones are left "
                 "out."},
        {.name = "stem", .kind = OPTION_TEXT, .value = &o->stemmer,
         .argument = "LANGUAGE|none", .unset = "none",
         .help = "Cut endings off, by the rules of english, german, french, "
                 "..."},
        {.name = "statistic", .kind = OPTION_TEXT, .value = &o->statistics,
         .argument = "joint|log|sqrt[,...]", .unset = "log, or as in STORE",
         .help = "How a word that comes h times in a document counts in the "
                 "sketch: h times, as 1 + ln h, or as the root of h. Several "
                 "make a sketch each, the later ones in a pass over STORE at "
                 "the end. Needs --vocab; without, fit has the same option."},
        {.name = "sketch", .kind = OPTION_COUNT, .value = &o->width,
         .argument = "L", .least = 16, .most = 8192,
         .unset = "by the number of words: 1000 to 2000, fewer of few",
         .help = "Columns of the sketch: more make topics more exact, and up "
                 "to L/10 topics can be fitted. A store keeps the first "
                 "choice."},
        {.name = "seed", .kind = OPTION_COUNT, .value = &o->seed,
         .argument = "S", .least = 1, .most = UINT64_MAX,
         .unset = "1, or as in STORE",
         .help = "Of the sketch's test matrix. A store keeps the first "
                 "choice."},
        {.name = "min-tokens", .kind = OPTION_COUNT, .value = &o->min_tokens,
         .argument = "N", .least = 2, .most = 1000,
         .unset = MIN_TOKENS_USUAL ", or as in STORE",
         .help = "Documents with fewer words are stored, but no topics are "
                 "learnt from them. A store keeps the first choice."},
        {.name = "skip-bad", .kind = OPTION_FLAG, .value = &o->skip_bad,
         .help = "Count malformed records, and files that cannot be read, or "
                 "not to their end (a PDF, a table without the text, a cut "
                 "archive), name the first and go on instead of stopping "
                 "there."},
        {.name = "no-sketch", .kind = OPTION_FLAG, .value = &o->no_sketch,
         .help = "Store only; fit makes the sketch from the store later."},
        summary_format(&g->format),
    };

    a->options = options;
    a->count = sizeof options / sizeof *options;
    return options_read(a, argc, argv);
}

static void tell_documents(const ingest *g)
{
    const kedge_ingest_result *const r = &g->result;
    char note[128];
    figure f, rate;

    snprintf(note, sizeof note, "in %.1f s, %s a second", r->seconds,
             figure_count(&rate, r->seconds > 0
                                  ? (uint64_t)((double)r->documents /
                                               r->seconds)
                                  : r->documents));
    summary_line(stderr, "documents added", figure_count(&f, r->documents),
                 note);
    summary_short(r->too_short, r->documents, r->min_tokens);
    summary_count("resumed", r->resumed, "committed before, passed over");
    summary_count("duplicates", r->duplicates,
                  figure_noun(r->duplicates, "id that the store had: left out",
                              "ids that the store had: left out"));
    summary_count("same content", r->same, "left out");
    summary_count("replaced", r->replaced,
                  figure_noun(r->replaced, "earlier document of the same id",
                              "earlier documents of the same ids"));
    summary_count("  by nothing", r->emptied,
                  "came without a word: their ids are gone");
    summary_count("empty", r->empty, "without a word: not stored");
    summary_count("  taken back", r->taken_back,
                  "just \"[removed]\" or \"[deleted]\"");
    summary_count("bad", r->bad,
                  figure_noun(r->bad, "malformed record, skipped",
                              "malformed records, skipped"));
    summary_count("not read", r->unread,
                  figure_noun(r->unread, "file, or it was cut short: see above",
                              "files, or they were cut short: see above"));
    summary_count("no blanks", r->unbroken,
                  "texts in Thai, Lao, Khmer or Burmese: cut at blanks alone");
    if (r->tables > 0) {
        summary_count("tables", r->tables, "and JSON files in directories, "
                      "each a source, read as a document a record");
        summary_count("texts", r->files, "other files there, a document each");
    }
    summary_encoding(r->not_utf8, r->first_not_utf8, g->opts.encoding);
    summary_count("not text", r->not_text,
                  figure_noun(r->not_text, "file skipped", "files skipped"));
    summary_count("hidden", r->hidden,
                  "begin with a dot: skipped, with all that is in them");
    summary_count("special", r->special,
                  "links to directories or to nothing, pipes, ...: skipped");
    summary_count("sources complete", r->sources_known,
               "known from before, not read again");
}

static void tell_summary(const ingest *g)
{
    const kedge_ingest_result *r = &g->result;
    char note[128];
    figure f, h, i;

    fprintf(stderr, "\n");
    tell_documents(g);
    summary_line(stderr, "words", figure_count(&f, r->words),
                 "in the vocabulary");
    summary_line(stderr, "tokens", figure_count(&f, r->tokens), NULL);
    summary_line(stderr, "non-zeros", figure_count(&f, r->nonzeros),
                 figure_noun(r->nonzeros, "pair of a document and a word",
                             "pairs of a document and a word"));
    snprintf(note, sizeof note, "%s when decompressed",
             figure_bytes(&h, r->bytes_text));
    summary_line(stderr, "read", figure_bytes(&f, r->bytes_read),
                 r->bytes_text > r->bytes_read ? note : NULL);
    if (r->width > 0)
        summary_line(stderr, "sketch width", figure_count(&f, r->width),
                     r->mapped ? "in a file, for it outgrew the memory budget"
                               : NULL);
    snprintf(note, sizeof note, "peak; planned %s of %s",
             figure_memory(&h, r->planned_memory),
             figure_memory(&i, g->common.memory));
    summary_line(stderr, "memory", figure_memory(&f, r->peak_memory), note);
    warn_short(r->too_short, r->documents, r->min_tokens);
}

static void print_json(const kedge_ingest_result *r)
{
    jsonout j;

    summary_open(&j, 1);
    json_key_count(&j, "sources", r->sources);
    json_key_count(&j, "sources_known", r->sources_known);
    json_key_count(&j, "documents", r->documents);
    json_key_count(&j, "resumed", r->resumed);
    json_key_count(&j, "counted", r->counted);
    json_key_count(&j, "too_short", r->too_short);
    json_key_count(&j, "min_tokens", r->min_tokens);
    json_key_count(&j, "duplicates", r->duplicates);
    json_key_count(&j, "replaced", r->replaced);
    json_key_count(&j, "emptied", r->emptied);
    json_key_count(&j, "same", r->same);
    json_key_count(&j, "empty", r->empty);
    json_key_count(&j, "taken_back", r->taken_back);
    json_key_count(&j, "bad", r->bad);
    json_key_count(&j, "unread", r->unread);
    if (r->unread > 0)
        json_key_text(&j, "first_unread", r->first_unread);
    json_key_count(&j, "unbroken", r->unbroken);
    json_key_count(&j, "files", r->files);
    json_key_count(&j, "tables", r->tables);
    json_key_count(&j, "not_utf8", r->not_utf8);
    if (r->not_utf8 > 0)
        json_key_text(&j, "first_not_utf8", r->first_not_utf8);
    json_key_count(&j, "not_text", r->not_text);
    json_key_count(&j, "hidden", r->hidden);
    json_key_count(&j, "special", r->special);
    json_key_count(&j, "words", r->words);
    json_key_count(&j, "tokens", r->tokens);
    json_key_count(&j, "nonzeros", r->nonzeros);
    json_key_count(&j, "bytes_read", r->bytes_read);
    json_key_count(&j, "bytes_text", r->bytes_text);
    json_key_count(&j, "width", r->width);
    json_key_bool(&j, "mapped", r->mapped);
    json_key_count(&j, "planned_memory", r->planned_memory);
    json_key_real(&j, "seconds", r->seconds);
    json_key_count(&j, "peak_memory", r->peak_memory);
    json_close(&j, '}');
    json_end(&j);
}

/* Whoever names files means documents. */
static kedge_status check_any(const kedge_ingest_result *r, kedge_error *err)
{
    figure f[4];

    if (r->documents + r->resumed + r->duplicates + r->same + r->emptied > 0)
        return KEDGE_OK;
    snprintf(err->text, sizeof err->text,
             "no documents came: %s without a word, %s malformed, %s files "
             "not read, %s skipped", figure_count(&f[0], r->empty),
             figure_count(&f[1], r->bad), figure_count(&f[2], r->unread),
             figure_count(&f[3], r->not_text + r->hidden + r->special));
    return err->status = KEDGE_EFORMAT;
}

static kedge_status read_sources(void *data, kedge_store *store,
                                 const kedge_control *control,
                                 kedge_error *err)
{
    ingest *const g = data;
    const kedge_status st = kedge_ingest(store, g->sources, g->source_count,
                                         &g->opts, control, &g->result, err);

    return st != KEDGE_OK ? st : check_any(&g->result, err);
}

/* Of one rank among several; all have to come here. */
static int ingest_among(ingest *g, const team *t, const char *path)
{
    rankingest r = {.t = t, .sources = g->sources, .count = g->source_count,
                    .opts = &g->opts};
    kedge_error err = {0};
    kedge_status st;
    char *store;
    int code = rankingest_check(&r, path);

    if (code != GO_ON)
        return code;
    ranks_hush(t, &g->common);
    store = ranks_store(t, path);
    st = task_run(store, KEDGE_OPEN_CREATE, &g->common, rankingest_read, &r,
                  &err);
    free(store);
    if (st != KEDGE_OK)
        return ranks_leave(t, complain_status(st, &err));
    rankingest_sum(&r);
    g->result = r.result;
    if (g->result.sources_known == 0) /* of which nothing need be read */
        st = check_any(&g->result, &err);
    if (st != KEDGE_OK)
        return ranks_leave(t, t->rank == 0 ? complain_status(st, &err) : 1);
    if (t->rank == 0 && g->format == SUMMARY_JSON)
        print_json(&g->result);
    else if (!g->common.quiet)
        tell_summary(g);
    return ranks_leave(t, EXIT_OK);
}

static int ingest_alone(ingest *g, const char *path)
{
    kedge_error err = {0};
    const kedge_status st = task_run(path, KEDGE_OPEN_CREATE, &g->common,
                                     read_sources, g, &err);

    if (g->format == SUMMARY_JSON && st == KEDGE_OK)
        print_json(&g->result);
    /* after a failure: what it committed before */
    else if (!g->common.quiet && (st == KEDGE_OK || g->result.documents > 0))
        tell_summary(g);
    return complain_status(st, &err);
}

static int ingest_run(const command *self, int argc, char **argv)
{
    ingest g = {0};
    arguments a = {.self = self, .common = &g.common};
    const team *t = NULL;
    glob_t files;
    int code;

    common_init(&g.common);
    kedge_ingest_opts_init(&g.opts);
    g.from = (unsigned)g.opts.format;
    code = read_line(&g, &a, argc, argv);
    if (code != GO_ON)
        return code;
    g.opts.format = (kedge_format)g.from;
    g.opts.on_duplicate = (kedge_on_duplicate)g.duplicate;
    if (g.digits && g.no_digits)
        return complain_usage(self->name,
                              "words may hold digits, or may not: --digits or "
                              "--no-digits, not both");
    if (g.digits || g.no_digits)
        g.opts.digits = g.digits ? KEDGE_DIGITS_YES : KEDGE_DIGITS_NO;
    if (!patterns_expand(a.operands + 1, a.operand_count - 1, &files)) {
        globfree(&files);
        complain("out of memory (names of files)");
        return 1;
    }
    g.sources = (const char *const *)files.gl_pathv;
    g.source_count = files.gl_pathc;
    code = ranks_join(self, argc, argv, &t);
    if (code == GO_ON)
        code = t != NULL ? ingest_among(&g, t, a.operands[0])
                         : ingest_alone(&g, a.operands[0]);
    globfree(&files);
    return code;
}

const command command_ingest = {
    .writes = true,
    .name = "ingest",
    .summary = "read documents, once, into a store",
    .operands = "STORE FILE...",
    .least = 2,
    .most = SIZE_MAX,
    .purpose =
        "Reads documents into STORE, a directory that is made when absent, "
        "and in the same pass into a sketch of which words occur together. "
        "Files are plain, .gz or .zst, known by their content; - is standard "
        "input, of a directory all files are read, and *, ? and [] in a name "
        "stand for all files that it fits. What was read is committed some "
        "twenty thousand documents at a time, or about every second, small "
        "files together: after an interruption the same "
        "command goes on where it stopped, and a file that was read to its "
        "end is not stored again. "
        "A first ingest that fails before that leaves no STORE behind.",
    .details =
        "A word of a text is a run of letters, in lower case: 2 to 64 of them. "
        "An apostrophe stays within one (don't), but a final 's goes (dog's: "
        "dog), as do the articles before it in l'amour and dell'arte; hyphens "
        "and all other signs part words (well-known: two). Dots stay between "
        "single letters (u.s.a). What holds a digit is left out whole, as are "
        "addresses; tags of HTML are, with all that scripts and styles hold. "
        "Mail is decoded as its headers say (quoted-printable, base64), and "
        "its parts that are no text are left out. Chinese and Japanese are "
        "cut into pairs of neighbours; Thai, Lao, Khmer and Burmese have no "
        "blanks between words and are not cut, which is told. "
        "A text, or its last lines, that is just [removed] or [deleted] is "
        "none. "
        "--shortest, --longest, --digits, --stem and "
        "--stopwords change this for all texts of STORE: the first ingest of "
        "texts settles them, later ones need not repeat them and are "
        "refused with others; kedge info shows them. "
        "A directory is gone through with all directories in it. Of its files "
        "tables and JSON are sources as if each was named, other texts are a "
        "document each, whose id is its path, and the summary counts both; "
        "--from files reads each as one document. It may be ingested again "
        "when files came or changed: a text that the store has is passed over, "
        "one that changed is what --on-duplicate is for, and one that was "
        "removed by its id comes back. A symbolic "
        "link to a file is followed, even out of the directory, one to a "
        "directory is not, so there are no circles. What has a name that "
        "begins with a dot is skipped, as are pipes, sockets, devices and "
        "links to nothing; the summary counts them. "
        "mpirun -n R kedge ingest STORE FILE... deals the files out to R "
        "ranks, each with a store STORE.0, STORE.1, ... of its own and its "
        "own --memory; the same command, with as many ranks or more, goes on "
        "after an interruption. A file is one whatever path leads to it, and "
        "is known by its documents under another; a copy beside it is a file "
        "of its own, and so are documents of one id in two ranks' files. "
        "mpirun -n R kedge fit fits models to them as they are; "
        "kedge merge puts them together.",
    .output =
        "Nothing on standard output, except with --format json; a summary on "
        "standard error.",
    .examples =
        "  kedge ingest news docword.news.txt.zst --vocab vocab.news.txt\n"
        "  kedge ingest news part1.txt.gz part2.txt.gz --vocab words.txt "
        "--memory 4G\n"
        "  zstdcat docword.txt.zst | kedge ingest news - --from uci "
        "--vocab words.txt\n",
    .run = ingest_run,
};
