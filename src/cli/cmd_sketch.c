/* SPDX-License-Identifier: MIT */
/* kedge sketch: counts and sketches travel without the documents. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <kedge/kedge.h>

#include "command.h"

typedef struct sketching {
    job job;
    const char *path; /* of what is exported */
    kedge_sketch_export_opts opts;
    bool left; /* who read what is exported */
    kedge_sketch_export_result sent;
    kedge_sketch_import_result came; /* of all files */
    uint64_t files, known, empty;
    const char *store;
    const char *const *file;
    size_t file_count;
} sketching;

#define AT(member) offsetof(sketching, member)

static const option options[] = {
    OPTION(TEXT, "output", AT(path), "FILE",
           "What export writes; - is standard output.", .letter = 'o'),
    OPTION(TEXT, "name", AT(opts.name), "NAME",
           "What the part is called where it goes; up to 63 bytes.",
           .unset = "that of the store's folder"),
    OPTION(VIEW, "view", AT(opts.view), "N",
           "Of the store's sketches this one alone goes; kedge info has the "
           "numbers. Otherwise all that can.", .most = UINT32_MAX),
    OPTION(FLAG, "counts", AT(opts.counts), NULL,
           "No sketch goes: the words with their counts alone, to choose "
           "words by."),
    OPTION(TEXT, "keep", AT(opts.keep), "FILE",
           "A sketch of the words of this file goes, one a line: it is made "
           "when it is not there. The same file for all parts."),
    OPTION(FLAG, "all-words", AT(opts.all_words), NULL,
           "A sketch of all words there are goes, made likewise."),
    OPTION(COUNT, "sketch", AT(opts.width), "L",
           "Columns of the sketch that is made.", .least = 16, .most = 8192,
           .unset = "1000"),
    OPTION(TEXT, "statistic", AT(opts.statistic), "joint|log|sqrt",
           "How occurrences count in it: see kedge ingest.",
           .unset = "as the store has it, or log"),
    OPTION(COUNT, "seed", AT(opts.seed), "S",
           "Seed of its test matrix.", .least = 1, .most = UINT64_MAX,
           .unset = "1"),
    OPTION(COUNT, "min-tokens", AT(opts.min_tokens), "N",
           "Documents with fewer of its words are left out.", .least = 2,
           .most = 1000, .unset = MIN_TOKENS_USUAL),
    OPTION_SUMMARY,
    {.name = NULL},
};

static void begin(void *data)
{
    kedge_sketch_export_opts_init(&((sketching *)data)->opts);
}

/* ---- export -------------------------------------------------------------- */

static bool write_out(void *data, const void *bytes, size_t size)
{
    sketching *const k = data;
    const bool done = fwrite(bytes, 1, size, stdout) == size;

    k->left = !done && errno == EPIPE;
    return done;
}

/* A reader that left early is no failure, as everywhere. */
static kedge_status export_from(void *data, kedge_store *store,
                                const kedge_control *control,
                                kedge_error *err)
{
    sketching *const k = data;
    kedge_status st;

    if (strcmp(k->path, "-") != 0)
        return kedge_sketch_export_file(store, k->path, &k->opts, control,
                                        &k->sent, err);
    st = kedge_sketch_export(store, write_out, k, &k->opts, control, &k->sent,
                             err);
    return st == KEDGE_EIO && k->left ? KEDGE_OK : st;
}

static int run_export(sketching *k)
{
    kedge_error *const err = &k->job.err;
    kedge_status st;

    if (k->file_count > 0)
        return complain_usage("sketch", "export takes one store, and -o "
                              "FILE for what it writes");
    if (k->path == NULL)
        return complain_usage("sketch", "export needs a file, as in -o "
                              "part.sketch, or -o - for standard output");
    if (strcmp(k->path, "-") == 0 && k->job.format == SUMMARY_JSON)
        return complain_usage("sketch", "standard output cannot have both "
                              "the sketch and the summary as JSON");
    st = task_run(k->store, KEDGE_OPEN_WRITE, &k->job.common, export_from, k,
                  err);
    if (st == KEDGE_OK && !k->left)
        tell_result(&k->job, "kedge_sketch_export_result", &k->sent,
                    ALL_PARTS);
    return complain_status(st, err);
}

/* ---- import -------------------------------------------------------------- */

static void add_up(sketching *k, const kedge_sketch_import_result *r)
{
    kedge_sketch_import_result *const all = &k->came;

    k->known += r->parts == 0 && !r->empty;
    k->empty += r->empty;
    all->parts += r->parts;
    all->documents += r->documents;
    all->tokens += r->tokens;
    all->words = r->words;
    all->views = r->parts > 0 ? r->views : all->views;
    all->seconds += r->seconds;
    if (r->planned_memory > all->planned_memory)
        all->planned_memory = r->planned_memory;
}

static kedge_status import_into(void *data, kedge_store *store,
                                const kedge_control *control,
                                kedge_error *err)
{
    sketching *const k = data;
    kedge_status st = KEDGE_OK;

    for (size_t i = 0; i < k->file_count && st == KEDGE_OK; i++) {
        kedge_sketch_import_result r;
        st = kedge_sketch_import(store, k->file[i], control, &r, err);
        if (st == KEDGE_OK)
            add_up(k, &r);
        if (st == KEDGE_OK && r.parts == 0 && !k->job.common.quiet)
            complain("%s: %s, passed over", k->file[i],
                     r.empty ? "without documents" : "known already");
        k->files += st == KEDGE_OK;
    }
    return st;
}

static void tell_came(const sketching *k)
{
    const char *const result = "kedge_sketch_import_result";
    figure f;

    if (k->job.format == SUMMARY_JSON) {
        jsonout j = json_document(stdout, 1);

        json_key_count(&j, "files", k->files);
        json_fields(&j, result, &k->came, PART(0));
        json_key_count(&j, "known", k->known);
        json_key_count(&j, "empty", k->empty);
        json_fields(&j, result, &k->came, PART(1));
        json_finish(&j);
    } else if (!k->job.common.quiet) {
        summary_fields(stderr, result, &k->came, PART(0));
        if (k->known > 0)
            summary_line(stderr, "known", figure_count(&f, k->known),
                         "added before, passed over");
        if (k->empty > 0)
            summary_line(stderr, "empty", figure_count(&f, k->empty),
                         "without documents, passed over");
        summary_fields(stderr, result, &k->came, PART(1));
    }
}

static int run_import(sketching *k)
{
    kedge_error *const err = &k->job.err;
    kedge_status st;

    if (k->file_count == 0)
        return complain_usage("sketch", "import needs a file that export "
                              "wrote, or - for standard input");
    st = task_run(k->store, KEDGE_OPEN_CREATE, &k->job.common, import_into, k,
                  err);
    if (st != KEDGE_OK)
        k->job.format = SUMMARY_TABLE;
    if (st == KEDGE_OK || k->files > 0)
        tell_came(k);
    return complain_status(st, err);
}

static int run(void *data)
{
    sketching *const k = data;
    const char *const what = k->job.store;

    k->store = k->job.rest[0];
    k->file = k->job.rest + 1;
    k->file_count = k->job.rest_count - 1;
    if (strcmp(what, "export") == 0)
        return run_export(k);
    if (strcmp(what, "import") == 0)
        return run_import(k);
    return complain_usage("sketch", "sketch export STORE or sketch import "
                          "STORE was expected, not \"%.40s\"", what);
}

const command command_sketch = {
    .writes = true,
    .name = "sketch",
    .summary = "export and import counts and sketches without documents",
    .operands = "export|import STORE [FILE...]",
    .least = 2,
    .most = SIZE_MAX,
    .purpose =
        "Puts together what several machines read, without moving documents. "
        "Each machine ingests a part of the corpus into a store of its own; "
        "'sketch export' writes what that has counted and sketched to a file "
        "or a pipe, and 'sketch import' adds such files to STORE, which is "
        "made when absent. STORE then has the counts, the sketch and the "
        "models of one that had read everything, to the last bit, in any "
        "order of the parts. A file comes as a whole or not at all, and one "
        "that STORE has is passed over, as is one of a store without "
        "documents; later ones can follow. STORE may have documents of its "
        "own beside them, and may itself be exported: sums of sums are sums.",
    .details =
        "What can be added up are sketches of all words, as ingest --vocab "
        "makes them, and of the words of a list (--keep, --all-words; kedge "
        "fit --keep), by the same statistic, width, seed and --min-tokens; "
        "texts must have been cut into words alike. Words that were chosen by "
        "counts are others in each part: sum up counts first (--counts), "
        "choose words from 'kedge vocab STORE', and let the parts send their "
        "sketches of these. fit, topics, word, report, export and diff work "
        "on a store whose documents are elsewhere; what reads documents works "
        "on its own alone (cat, infer, remove), or is refused where it needs "
        "all of them: fit with --refine, --polish, --ncut, --cooccurrence or "
        "words chosen anew, and rebuild; eval, sweep and report leave out "
        "what is measured by documents. merge adds such stores up as well, "
        "unless they have documents too. Documents that are in two parts "
        "count twice.",
    .output =
        "export: FILE, or the sketch on standard output with -o -. import: "
        "nothing on standard output, except with --format json. Summaries on "
        "standard error.",
    .examples =
        "  kedge sketch export north -o north.sketch\n"
        "  kedge sketch import all north.sketch south.sketch\n"
        "  kedge sketch export west -o - | ssh here kedge sketch import all -\n"
        "  kedge sketch export texts -o t.sketch --keep words.txt\n",
    .options = options,
    .size = sizeof(sketching),
    .begin = begin,
    .run = run,
};
