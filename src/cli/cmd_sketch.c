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
           "what export writes; - is standard output", .letter = 'o',
           .main = true),
    OPTION(TEXT, "name", AT(opts.name), "NAME", "name of the part",
           .unset = "the store's folder", .main = true),
    OPTION(FLAG, "counts", AT(opts.counts), NULL,
           "word counts only, to choose words by", .main = true),
    OPTION(TEXT, "keep-words", AT(opts.keep_words), "FILE",
           "the sketch of the words in FILE, made if needed", .main = true),
    OPTION(FLAG, "all-words", AT(opts.all_words), NULL,
           "the sketch of all words, made if needed", .main = true),
    OPTION_SUMMARY,
    OPTION(INDEX, "index", AT(opts.index), "N", "only the sketch of this index",
           .most = UINT32_MAX),
    SECTION("Options of a new sketch"),
    OPTION(TEXT, "tf", AT(opts.tf), "TF", "how counts enter",
           .choices = "raw|log|sqrt", .unset = "as STORE, else log"),
    OPTION(COUNT, "sketch-size", AT(opts.sketch_size), "L", "columns",
           .least = 16, .most = 8192, .unset = "1000"),
    OPTION(COUNT, "seed", AT(opts.seed), "S", "of its random matrix",
           .least = 1, .most = UINT64_MAX, .unset = "1"),
    OPTION(COUNT, "min-tokens", AT(opts.min_tokens), "N",
           "leave out documents with fewer words", .least = 2, .most = 1000,
           .unset = MIN_TOKENS_USUAL),
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
    all->indexes = r->parts > 0 ? r->indexes : all->indexes;
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
            complain("%s: %s, skipped", k->file[i],
                     r.empty ? "without documents" : "added before");
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
                         "added before, skipped");
        if (k->empty > 0)
            summary_line(stderr, "empty", figure_count(&f, k->empty),
                         "without documents, skipped");
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
    return complain_usage("sketch", "write sketch export STORE or sketch "
                          "import STORE, not \"%.40s\"", what);
}

const command command_sketch = {
    .name = "sketch",
    .group = GROUP_SHARE,
    .summary = "send counts and sketches without documents",
    .operands = "export|import STORE [FILE...]",
    .least = 2,
    .most = SIZE_MAX,
    .purpose =
        "Adds up what several machines read, without moving documents. "
        "'sketch export' writes a store's counts and sketch to a file; "
        "'sketch import' adds such files to STORE, which is made if it does "
        "not exist. STORE then has the counts, sketches and models of one "
        "store that read everything, to the last bit. A file is imported "
        "once.",
    .examples = "  kedge sketch export north --all-words -o north.sketch\n"
                "  kedge sketch import all north.sketch south.sketch\n",
    .see = "machines",
    .writes = true,
    .options = options,
    .size = sizeof(sketching),
    .begin = begin,
    .run = run,
};
