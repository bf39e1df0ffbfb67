/* SPDX-License-Identifier: MIT */
/* kedge sketch: counts and sketches travel without the documents. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "figures.h"
#include "jsonout.h"
#include "options.h"
#include "plaintext.h"
#include "table.h"
#include "task.h"

typedef struct sketching {
    const char *path; /* of what is exported */
    kedge_sketch_export_opts opts;
    counts views;
    unsigned format;
    common common;
    bool left; /* who read what is exported */
    kedge_sketch_export_result sent;
    kedge_sketch_import_result came; /* of all files */
    uint64_t files, known, empty;
    char **file;
    size_t file_count;
} sketching;

static int read_line(sketching *k, arguments *a, int argc, char **argv)
{
    kedge_sketch_export_opts *const o = &k->opts;
    const option options[] = {
        {.name = "output", .letter = 'o', .kind = OPTION_TEXT,
         .value = &k->path, .argument = "FILE",
         .help = "What export writes; - is standard output."},
        {.name = "name", .kind = OPTION_TEXT, .value = &o->name,
         .argument = "NAME", .unset = "that of the store's folder",
         .help = "What the part is called where it goes; up to 63 bytes."},
        {.name = "view", .kind = OPTION_COUNTS, .value = &k->views,
         .argument = "N", .most = UINT32_MAX,
         .help = "Of the store's sketches this one alone goes; kedge info has "
                 "the numbers. Otherwise all that can."},
        {.name = "counts", .kind = OPTION_FLAG, .value = &o->counts,
         .help = "No sketch goes: the words with their counts alone, to "
                 "choose words by."},
        {.name = "keep", .kind = OPTION_TEXT, .value = &o->keep,
         .argument = "FILE",
         .help = "A sketch of the words of this file goes, one a line: it is "
                 "made when it is not there. The same file for all parts."},
        {.name = "all-words", .kind = OPTION_FLAG, .value = &o->all_words,
         .help = "A sketch of all words there are goes, made likewise."},
        {.name = "sketch", .kind = OPTION_COUNT, .value = &o->width,
         .argument = "L", .least = 16, .most = 8192, .unset = "1000",
         .help = "Columns of the sketch that is made."},
        {.name = "statistic", .kind = OPTION_TEXT, .value = &o->statistic,
         .argument = "joint|log|sqrt", .unset = "as the store has it, or log",
         .help = "How occurrences count in it: see kedge ingest."},
        {.name = "seed", .kind = OPTION_COUNT, .value = &o->seed,
         .argument = "S", .least = 1, .most = UINT64_MAX, .unset = "1",
         .help = "Seed of its test matrix."},
        {.name = "min-tokens", .kind = OPTION_COUNT, .value = &o->min_tokens,
         .argument = "N", .least = 2, .most = 1000, .unset = MIN_TOKENS_USUAL,
         .help = "Documents with fewer of its words are left out."},
        summary_format(&k->format),
    };

    a->options = options;
    a->count = sizeof options / sizeof *options;
    return options_read(a, argc, argv);
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

static void tell_sent(const kedge_sketch_export_result *r)
{
    char note[64];
    figure f;

    snprintf(note, sizeof note, "in %.1f s", r->seconds);
    summary_line(stderr, "documents", figure_count(&f, r->documents),
                 r->documents > 0 ? "counted; they stay here"
                                  : "an import passes the file over");
    summary_count("parts", r->parts > 1 ? r->parts : 0,
                  "with those that came from elsewhere");
    summary_line(stderr, "words", figure_count(&f, r->words), NULL);
    summary_line(stderr, "sketches", figure_count(&f, r->views),
                 r->views == 0 ? "counts alone" : NULL);
    summary_count("left out", r->left,
                  figure_noun(r->left, "sketch of words that counts chose",
                              "sketches of words that counts chose"));
    summary_line(stderr, "written", figure_bytes(&f, r->bytes), note);
}

static void json_sent(const kedge_sketch_export_result *r)
{
    jsonout j;

    summary_open(&j, 1);
    json_key_count(&j, "parts", r->parts);
    json_key_count(&j, "documents", r->documents);
    json_key_count(&j, "tokens", r->tokens);
    json_key_count(&j, "words", r->words);
    json_key_count(&j, "views", r->views);
    json_key_count(&j, "left", r->left);
    json_key_count(&j, "bytes", r->bytes);
    json_key_count(&j, "planned_memory", r->planned_memory);
    json_key_real(&j, "seconds", r->seconds);
    json_close(&j, '}');
    json_end(&j);
}

static int run_export(const command *self, sketching *k, const char *path,
                      kedge_error *err)
{
    kedge_status st;

    if (k->file_count > 0)
        return complain_usage(self->name, "export takes one store, and -o "
                              "FILE for what it writes");
    if (k->path == NULL)
        return complain_usage(self->name, "export needs a file, as in -o "
                              "part.sketch, or -o - for standard output");
    if (strcmp(k->path, "-") == 0 && k->format == SUMMARY_JSON)
        return complain_usage(self->name, "standard output cannot have both "
                              "the sketch and the summary as JSON");
    if (k->views.count > 1)
        return complain_usage(self->name, "--view: one view at a time, not "
                              "%zu", k->views.count);
    if (k->views.count == 1)
        k->opts.view = k->views.values[0];
    st = task_run(path, KEDGE_OPEN_WRITE, &k->common, export_from, k, err);
    if (st == KEDGE_OK && k->format == SUMMARY_JSON)
        json_sent(&k->sent);
    else if (st == KEDGE_OK && !k->left && !k->common.quiet)
        tell_sent(&k->sent);
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
        if (st == KEDGE_OK && r.parts == 0 && !k->common.quiet)
            complain("%s: %s, passed over", k->file[i],
                     r.empty ? "without documents" : "known already");
        k->files += st == KEDGE_OK;
    }
    return st;
}

static void tell_came(const sketching *k)
{
    const kedge_sketch_import_result *const r = &k->came;
    char note[64];
    figure f;

    snprintf(note, sizeof note, "in %.1f s", r->seconds);
    summary_line(stderr, "parts added", figure_count(&f, r->parts), note);
    summary_count("known", k->known, "added before, passed over");
    summary_count("empty", k->empty, "without documents, passed over");
    summary_line(stderr, "documents", figure_count(&f, r->documents),
                 "counted; they are elsewhere");
    summary_line(stderr, "words", figure_count(&f, r->words),
                 "in the vocabulary");
}

static void json_came(const sketching *k)
{
    const kedge_sketch_import_result *const r = &k->came;
    jsonout j;

    summary_open(&j, 1);
    json_key_count(&j, "files", k->files);
    json_key_count(&j, "parts", r->parts);
    json_key_count(&j, "known", k->known);
    json_key_count(&j, "empty", k->empty);
    json_key_count(&j, "documents", r->documents);
    json_key_count(&j, "tokens", r->tokens);
    json_key_count(&j, "words", r->words);
    json_key_count(&j, "views", r->views);
    json_key_count(&j, "planned_memory", r->planned_memory);
    json_key_real(&j, "seconds", r->seconds);
    json_close(&j, '}');
    json_end(&j);
}

static int run_import(const command *self, sketching *k, const char *path,
                      kedge_error *err)
{
    kedge_status st;

    if (k->file_count == 0)
        return complain_usage(self->name, "import needs a file that export "
                              "wrote, or - for standard input");
    st = task_run(path, KEDGE_OPEN_CREATE, &k->common, import_into, k, err);
    if (st == KEDGE_OK && k->format == SUMMARY_JSON)
        json_came(k);
    else if (!k->common.quiet && (st == KEDGE_OK || k->files > 0))
        tell_came(k);
    return complain_status(st, err);
}

static int sketch_run(const command *self, int argc, char **argv)
{
    sketching k = {0};
    arguments a = {.self = self, .common = &k.common};
    kedge_error err = {0};
    int code;

    common_init(&k.common);
    kedge_sketch_export_opts_init(&k.opts);
    code = read_line(&k, &a, argc, argv);
    if (code != GO_ON)
        return code;
    k.file = a.operands + 2;
    k.file_count = a.operand_count - 2;
    if (strcmp(a.operands[0], "export") == 0)
        return run_export(self, &k, a.operands[1], &err);
    if (strcmp(a.operands[0], "import") == 0)
        return run_import(self, &k, a.operands[1], &err);
    return complain_usage(self->name, "sketch export STORE or sketch import "
                          "STORE was expected, not \"%.40s\"", a.operands[0]);
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
        "words chosen anew, and rebuild; eval, sweep and report leave out what "
        "is measured by documents. merge adds such stores up as well, unless "
        "they have documents too. Documents that are in two parts count "
        "twice.",
    .output =
        "export: FILE, or the sketch on standard output with -o -. import: "
        "nothing on standard output, except with --format json. Summaries on "
        "standard error.",
    .examples =
        "  kedge sketch export north -o north.sketch\n"
        "  kedge sketch import all north.sketch south.sketch\n"
        "  kedge sketch export west -o - | ssh here kedge sketch import all -\n"
        "  kedge sketch export texts -o t.sketch --keep words.txt\n",
    .run = sketch_run,
};
