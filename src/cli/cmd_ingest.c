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
    bool allow_empty;
    kedge_ingest_result result;
} ingest;

#define AT(member) offsetof(ingest, member)

static const option options[] = {
    SECTION("Files (kedge help formats)"),
    OPTION(CHOICE, "from", AT(opts.format), "FORMAT", "format of FILEs",
           .choices = FORMATS, .main = true),
    OPTION(TEXT, "vocab", AT(opts.vocabulary), "FILE",
           "the words, one per line, for bags by number", .main = true),
    OPTION(TEXT, "text-field", AT(opts.text_field), "NAMES",
           "field of the text", .unset = "text, body, content ...",
           .main = true),
    OPTION(TEXT, "id-field", AT(opts.id_field), "NAME|none",
           "field of the id", .unset = "id", .main = true),
    OPTION(TEXT, "label-field", AT(opts.label_field), "NAME|none",
           "field of the label", .unset = "label"),
    OPTION(TEXT, "encoding", AT(opts.encoding), "NAME",
           "of input that is not UTF-8", .unset = "utf-8"),
    OPTION(FLAG, "skip-bad", AT(opts.skip_bad), NULL,
           "count malformed records and go on", .main = true),
    SECTION("Documents (kedge help updates)"),
    OPTION(TEXT, "batch", AT(opts.batch), "NAME",
           "name of this ingest, for kedge remove", .main = true),
    OPTION(CHOICE, "on-duplicate", AT(opts.on_duplicate), "ACTION",
           "when STORE has the id of a "
           "document", .choices = "error|skip|replace",
           .main = true),
    OPTION(FLAG, "dedupe", AT(opts.dedupe), NULL,
           "leave out documents with the same words", .main = true),
    OPTION(FLAG, "allow-empty", AT(allow_empty), NULL,
           "no error if the files have no documents"),
    OPTION(FLAG, "reread", AT(opts.reread), NULL,
           "read files that look unchanged too"),
    OPTION(COUNT, "min-tokens", AT(opts.min_tokens), "N",
           "do not learn from documents with fewer words", .least = 2,
           .most = 1000, .unset = MIN_TOKENS_USUAL),
    OPTION_SUMMARY,
    SECTION("Words (kedge help text)"),
    OPTION(TEXT, "stem", AT(opts.stemmer), "LANGUAGE",
           "cut endings off words", .unset = "none", .main = true),
    OPTION(TEXT, "stopwords", AT(opts.stopwords), "LIST|FILE",
           "words not to store: language, none, FILE", .unset = "none"),
    OPTION(FLAG, "digits", AT(digits), NULL, "keep words with digits"),
    OPTION(FLAG, "no-digits", AT(no_digits), NULL,
           "drop words with digits, the default"),
    OPTION(COUNT, "min-chars", AT(opts.min_chars), "N",
           "characters of the shortest word", .least = 1, .most = 255,
           .unset = "2"),
    OPTION(COUNT, "max-chars", AT(opts.max_chars), "N",
           "characters of the longest word", .least = 1, .most = 255,
           .unset = "64"),
    OPTION(FLAG, "bags-only", AT(opts.bags_only), NULL,
           "do not store the order of words: no phrases"),
    SECTION("Sketch, while reading with --vocab"),
    OPTION(TEXT, "tf", AT(opts.tf), "TF[,TF...]",
           "how counts enter", .choices = "raw|log|sqrt[,...]",
           .unset = "log"),
    OPTION(COUNT, "sketch-size", AT(opts.sketch_size), "L",
           "columns; up to L/10 topics", .least = 16, .most = 8192,
           .unset = "by words, 1000 to 2000"),
    OPTION(COUNT, "seed", AT(opts.seed), "S", "of its random matrix",
           .least = 1, .most = UINT64_MAX, .unset = "1"),
    OPTION(FLAG, "no-sketch", AT(opts.no_sketch), NULL,
           "leave the sketch to fit"),
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

/* Whoever names files means documents: that all were left out is an error, and
 * that there were none is one where the store has none either. Of a store that
 * has some, a day without news is none. */
static kedge_status check_any(const kedge_ingest_result *r, bool may_be_empty,
                              kedge_error *err)
{
    const uint64_t left = r->empty + r->bad + r->unread + r->not_text +
                          r->hidden + r->special;
    figure f[4];

    if ((left == 0 && may_be_empty) ||
        r->documents + r->resumed + r->duplicates + r->same + r->emptied > 0 ||
        (r->sources_known > 0 && may_be_empty))
        return KEDGE_OK;
    if (left == 0)
        snprintf(err->text, sizeof err->text,
                 "no documents were read, and the store has none: name files "
                 "with documents ('kedge help formats') or give "
                 "--allow-empty");
    else
        snprintf(err->text, sizeof err->text,
                 "no documents were read: %s without a word, %s malformed, %s "
                 "files not read, %s skipped", figure_count(&f[0], r->empty),
                 figure_count(&f[1], r->bad), figure_count(&f[2], r->unread),
                 figure_count(&f[3], r->not_text + r->hidden + r->special));
    return err->status = KEDGE_EFORMAT;
}

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    ingest *const g = data;
    kedge_status st =
        kedge_ingest(store, g->job.rest, g->job.rest_count, &g->opts, control,
                     &g->result, err);
    kedge_store_info info;

    if (st == KEDGE_OK)
        st = kedge_store_get_info(store, &info, err);
    return st != KEDGE_OK ? st : check_any(&g->result,
                                           info.documents > 0 || g->allow_empty,
                                           err);
}

static void tell(void *data)
{
    const ingest *const g = data;
    const kedge_ingest_result *const r = &g->result;

    tell_result(&g->job, "kedge_ingest_result", r,
                r->not_utf8 > 0 ? ALL_PARTS : ALL_PARTS & ~PART(1));
    if (!g->job.common.quiet)
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
        st = check_any(&g->result, true, &err);
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
    .name = "ingest",
    .group = GROUP_START,
    .summary = "read documents into a store",
    .operands = "STORE FILE...",
    .least = 2,
    .most = SIZE_MAX,
    .purpose =
        "Reads documents into STORE, a directory that is made if it does not "
        "exist. FILEs are plain, gzip or zstd files, directories, patterns, "
        "or - for standard input. Work is committed as it goes: after an "
        "interruption the same command continues where it stopped.",
    .examples =
        "  kedge ingest news news.jsonl.zst\n"
        "  kedge ingest nips docword.nips.txt.gz --vocab vocab.nips.txt\n",
    .see = "formats, text, updates, machines",
    .writes = true,
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
