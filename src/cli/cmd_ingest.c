/* SPDX-License-Identifier: MIT */
/* kedge ingest: documents into a store, with a summary at the end. */
#include <stdint.h>

#include <kedge/kedge.h>

#include "command.h"
#include "print.h"
#include "ranks.h"

typedef struct ingest {
    job job;
    kedge_ingest_opts opts;
    bool digits, no_digits;
    kedge_ingest_result result;
} ingest;

#define AT(member) offsetof(ingest, member)

static const option options[] = {
    OPTION(CHOICE, "from", AT(opts.format),
           "auto|uci|jsonl|lines|mallet|tsv|csv|svmlight|ldac|mtx|vw|files",
           "What the files hold; auto looks into them, a pipe must be told. "
           "Texts: jsonl (an object a line, or an array of objects), lines (a "
           "document a line), mallet (\"id label text\"), tsv and csv "
           "(columns named by the first line, between commas, semicolons, "
           "tabs or bars), files (a directory, a document a file; files that "
           "are not text, with zero bytes or little UTF-8, are skipped and "
           "counted; or a file, as one document, as a page of HTML is). Of a "
           "directory auto reads tables and JSON record by record, and other "
           "texts as a document each. Bags of words: vw "
           "(Vowpal Wabbit), jsonl whose text is {\"word\": count}; with "
           "--vocab: uci, svmlight, ldac, mtx."),
    OPTION(TEXT, "vocab", AT(opts.vocabulary), "FILE",
           "The words, one a line, that uci, svmlight, ldac and mtx have by "
           "number, as they are. With texts: no other words are taken, the "
           "file's are folded and stemmed as the texts are (Haus is haus), "
           "and the sketch is made while reading."),
    OPTION(TEXT, "encoding", AT(opts.encoding), "NAME",
           "How lines of the files and of --vocab are encoded that are not "
           "valid UTF-8, which all others are: latin1, cp1252, or what else "
           "'iconv -l' lists; with utf-16le and its like, how files are that "
           "are not. A mark of UTF-16 or UTF-32 at a file's beginning is "
           "known by itself.",
           .unset = "utf-8, or as in STORE"),
    OPTION(TEXT, "text-field", AT(opts.text_field), "NAMES",
           "Where jsonl, tsv and csv have the text: a name, one with dots for "
           "what lies within (meta.title), or several between commas, of which "
           "a file need not have all; columns also by number. This, the next "
           "two and --encoding are remembered, for later ingests and infer.",
           .unset = "text, body, content or abstract, or as in STORE"),
    OPTION(TEXT, "id-field", AT(opts.id_field), "NAME|none",
           "Likewise the id; none: documents get no ids.",
           .unset = "id, or as in STORE"),
    OPTION(TEXT, "label-field", AT(opts.label_field), "NAME|none",
           "Likewise the label.", .unset = "label, or as in STORE"),
    OPTION(TEXT, "batch", AT(opts.batch), "NAME",
           "A name for what is added, by which 'kedge remove' takes it out "
           "again. What a file goes on with stays in the batch that it began "
           "in.", .unset = "none"),
    OPTION(CHOICE, "on-duplicate", AT(opts.on_duplicate), "error|skip|replace",
           "What to do with a document whose id the store has: stop, keep the "
           "earlier one, or keep the later one. replace: the earlier one goes "
           "even where the later one has no words."),
    OPTION(FLAG, "dedupe", AT(opts.dedupe), NULL,
           "Leave out a document with the same words as often as one that the "
           "store has at that moment; it is not stored again when the other "
           "one is replaced or removed later."),
    OPTION(TEXT, "stopwords", AT(opts.stopwords), "english|LANGUAGE|none|FILE",
           "Words that are not even stored: those of a language that --stem "
           "knows, as german or de, or a file with a word a line. Without, "
           "fit leaves stop words out.", .unset = "none"),
    OPTION(FLAG, "bags-only", AT(opts.bags_only), NULL,
           "Of texts, store how often words come, but not their order: two "
           "thirds of the space, but no phrases. What a file goes on with, "
           "after an interruption or when it grew, is stored as its beginning "
           "was."),
    OPTION(FLAG, "digits", AT(digits), NULL,
           "Words may hold digits; otherwise those that do are left out."),
    OPTION(FLAG, "no-digits", AT(no_digits), NULL,
           "They may not, which is usual: an error where the texts of STORE "
           "were cut with --digits."),
    OPTION(COUNT, "shortest", AT(opts.shortest), "N",
           "Characters that a word has at least.", .least = 1, .most = 255,
           .unset = "2, or as in STORE"),
    OPTION(COUNT, "longest", AT(opts.longest), "N",
           "Characters that a word has at most; longer ones are left out.",
           .least = 1, .most = 255, .unset = "64, or as in STORE"),
    OPTION(TEXT, "stem", AT(opts.stemmer), "LANGUAGE|none",
           "Cut endings off, by the rules of english, german, french, ...",
           .unset = "none"),
    OPTION(TEXT, "statistic", AT(opts.statistics), "joint|log|sqrt[,...]",
           "How a word that comes h times in a document counts in the sketch: "
           "h times, as 1 + ln h, or as the root of h. Several make a sketch "
           "each, the later ones in a pass over STORE at the end. Needs "
           "--vocab; without, fit has the same option.",
           .unset = "log, or as in STORE"),
    OPTION(COUNT, "sketch", AT(opts.width), "L",
           "Columns of the sketch: more make topics more exact, and up to "
           "L/10 topics can be fitted. A store keeps the first choice.",
           .least = 16, .most = 8192,
           .unset = "by the number of words: 1000 to 2000, fewer of few"),
    OPTION(COUNT, "seed", AT(opts.seed), "S",
           "Of the sketch's test matrix. A store keeps the first choice.",
           .least = 1, .most = UINT64_MAX, .unset = "1, or as in STORE"),
    OPTION(COUNT, "min-tokens", AT(opts.min_tokens), "N",
           "Documents with fewer words are stored, but no topics are learnt "
           "from them. A store keeps the first choice.", .least = 2,
           .most = 1000, .unset = MIN_TOKENS_USUAL ", or as in STORE"),
    OPTION(FLAG, "skip-bad", AT(opts.skip_bad), NULL,
           "Count malformed records, and files that cannot be read, or not to "
           "their end (a PDF, a table without the text, a cut archive), name "
           "the first and go on instead of stopping there."),
    OPTION(FLAG, "no-sketch", AT(opts.no_sketch), NULL,
           "Store only; fit makes the sketch from the store later."),
    OPTION_SUMMARY,
    {.name = NULL},
};

static void begin(void *data)
{
    kedge_ingest_opts_init(&((ingest *)data)->opts);
}

static int check(void *data)
{
    ingest *const g = data;

    if (g->digits && g->no_digits)
        return complain_usage("ingest", "words may hold digits, or may not: "
                              "--digits or --no-digits, not both");
    if (g->digits || g->no_digits)
        g->opts.digits = g->digits ? KEDGE_DIGITS_YES : KEDGE_DIGITS_NO;
    return GO_ON;
}

/* Whoever names files means documents: that all were left out is an error. */
static kedge_status check_any(const kedge_ingest_result *r, kedge_error *err)
{
    const uint64_t left = r->empty + r->bad + r->unread + r->not_text +
                          r->hidden + r->special;
    figure f[4];

    if (left == 0 || r->documents + r->resumed + r->duplicates + r->same +
                             r->emptied + r->sources_known > 0)
        return KEDGE_OK;
    snprintf(err->text, sizeof err->text,
             "no documents came: %s without a word, %s malformed, %s files "
             "not read, %s skipped", figure_count(&f[0], r->empty),
             figure_count(&f[1], r->bad), figure_count(&f[2], r->unread),
             figure_count(&f[3], r->not_text + r->hidden + r->special));
    return err->status = KEDGE_EFORMAT;
}

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    ingest *const g = data;
    const kedge_status st =
        kedge_ingest(store, g->job.rest, g->job.rest_count, &g->opts, control,
                     &g->result, err);

    return st != KEDGE_OK ? st : check_any(&g->result, err);
}

static void tell(void *data)
{
    const ingest *const g = data;
    const kedge_ingest_result *const r = &g->result;

    tell_result(&g->job, "kedge_ingest_result", r,
                r->not_utf8 > 0 ? ALL_PARTS : ALL_PARTS & ~PART(1));
    if (g->job.format == SUMMARY_TABLE && !g->job.common.quiet)
        warn_short(r->too_short, r->documents, r->min_tokens, false);
}

/* Of one rank among several; all have to come here. */
static int run_among(ingest *g, const team *t)
{
    const int code = rankingest_run(t, &g->job, &g->opts, &g->result);
    kedge_error err = {0};
    kedge_status st = KEDGE_OK;

    if (code != GO_ON)
        return code;
    if (g->result.sources_known == 0) /* of which nothing need be read */
        st = check_any(&g->result, &err);
    if (st != KEDGE_OK)
        return ranks_leave(t, t->rank == 0 ? complain_status(st, &err) : 1);
    if (t->rank == 0)
        tell(g);
    return ranks_leave(t, EXIT_OK);
}

static int run(void *data)
{
    ingest *const g = data;
    const team *t = NULL;
    const int code = ranks_join(&g->job, &t);

    if (code != GO_ON)
        return code;
    return t != NULL ? run_among(g, t) : job_work(&g->job);
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
        "files together: after an interruption the same command goes on where "
        "it stopped, and a file that was read to its end is not stored again. "
        "A first ingest that fails before that leaves no STORE behind.",
    .details =
        "A word of a text is a run of letters, in lower case: 2 to 64 of "
        "them. An apostrophe stays within one (don't), but a final 's goes "
        "(dog's: dog), as do the articles before it in l'amour and dell'arte; "
        "hyphens and all other signs part words (well-known: two). Dots stay "
        "between single letters (u.s.a). What holds a digit is left out "
        "whole, as are addresses; tags of HTML are, with all that scripts and "
        "styles hold. Mail is decoded as its headers say (quoted-printable, "
        "base64), and its parts that are no text are left out. Chinese and "
        "Japanese are cut into pairs of neighbours; Thai, Lao, Khmer and "
        "Burmese have no blanks between words and are not cut, which is told. "
        "A text, or its last lines, that is just [removed] or [deleted] is "
        "none. "
        "--shortest, --longest, --digits, --stem and --stopwords change this "
        "for all texts of STORE: the first ingest of texts settles them, "
        "later ones need not repeat them and are refused with others; kedge "
        "info shows them. A directory is gone through with all directories in "
        "it. Of its files tables and JSON are sources as if each was named, "
        "other texts are a document each, whose id is its path, and the "
        "summary counts both; --from files reads each as one document. It may "
        "be ingested again when files came or changed: a text that the store "
        "has is passed over, one that changed is what --on-duplicate is for, "
        "and one that was removed by its id comes back. A symbolic link to a "
        "file is followed, "
        "even out of the directory, one to a directory is not, so there are "
        "no circles. What has a name that begins with a dot is skipped, as "
        "are pipes, sockets, devices and links to nothing; the summary counts "
        "them. mpirun -n R kedge ingest STORE FILE... deals the files out to "
        "R ranks, each with a store STORE.0, STORE.1, ... of its own and its "
        "own --memory; the same command, with as many ranks or more, goes on "
        "after an interruption. A file is one whatever path leads to it, and "
        "is known by its documents under another; a copy beside it is a file "
        "of its own, and so are documents of one id in two ranks' files. "
        "mpirun -n R kedge fit fits models to them as they are; kedge merge "
        "puts them together.",
    .output =
        "Nothing on standard output, except with --format json; a summary on "
        "standard error.",
    .examples =
        "  kedge ingest news docword.news.txt.zst --vocab vocab.news.txt\n"
        "  kedge ingest news part1.txt.gz part2.txt.gz --vocab words.txt "
        "--memory 4G\n"
        "  zstdcat docword.txt.zst | kedge ingest news - --from uci "
        "--vocab words.txt\n",
    .files = true,
    .options = options,
    .size = sizeof(ingest),
    .begin = begin,
    .check = check,
    .run = run,
    .mode = KEDGE_OPEN_CREATE,
    .work = work,
    .tell = tell,
    .done_at = AT(result.documents),
};
