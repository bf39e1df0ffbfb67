/* SPDX-License-Identifier: MIT */
/* kedge export: a model as plain files. */
#include <stdio.h>
#include <string.h>

#include <kedge/kedge.h>

#include "command.h"

typedef struct exporting {
    job job;
    const char *name, *directory, *also;
    kedge_export_opts opts;
    bool loaded; /* the model */
} exporting;

#define AT(member) offsetof(exporting, member)

static const option options[] = {
    OPTION(TEXT, "output", AT(directory), "DIR",
           "where the files go; made if it does not exist", .letter = 'o',
           .main = true),
    OPTION_OF_MODEL(AT(name)),
    OPTION(TEXT, "also", AT(also), "WHAT[,WHAT...]", "more files",
           .choices = "graphml|csv|counts|pyldavis|mallet[,...]",
           .main = true),
    OPTION(CHOICE, "cooccurrence", AT(opts.pairs), "KIND",
           "co-occurrence of words", .choices = "none|dense|sparse",
           .main = true),
    OPTION(FLAG, "spectrum", AT(opts.spectrum), NULL,
           "eigenvectors (after fit --save-spectrum)", .main = true),
    {.name = NULL},
};

static void begin(void *data)
{
    kedge_export_opts_init(&((exporting *)data)->opts);
}

static unsigned also_find(const char *name, size_t size)
{
    static const struct {
        const char *name;
        kedge_export_also also;
    } known[] = {
        {"graphml", KEDGE_EXPORT_GRAPHML}, {"csv", KEDGE_EXPORT_CSV},
        {"counts", KEDGE_EXPORT_COUNTS}, {"pyldavis", KEDGE_EXPORT_PYLDAVIS},
        {"mallet", KEDGE_EXPORT_MALLET},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == size &&
            memcmp(known[i].name, name, size) == 0)
            return known[i].also;
    return 0;
}

static int check(void *data)
{
    exporting *const e = data;

    if (e->directory == NULL)
        return complain_usage("export",
                              "export needs a directory, as in -o DIR");
    /* names that were checked when they were read */
    for (const char *name = e->also; name != NULL;) {
        const size_t size = strcspn(name, ",");

        e->opts.also |= also_find(name, size);
        name = name[size] == ',' ? name + size + 1 : NULL;
    }
    return GO_ON;
}

static void tell(const exporting *e, kedge_store *store,
                 const kedge_model *model)
{
    const char *const name = kedge_model_name(model);
    kedge_saved_info kept;

    if (e->job.common.quiet)
        return;
    if (kedge_saved_get_info(store, name, &kept, NULL) == KEDGE_OK &&
        !kept.current) {
        keptset_warn(&kept);
        complain("so they are not exported");
    }
    complain("model %s written to %s", name, e->directory);
}

/* Files are written one after another, so a folder may have some of them. */
static void tell_part(kedge_status st, kedge_error *err)
{
    const size_t used = strlen(err->text);

    if (st == KEDGE_ECANCELED)
        snprintf(err->text, sizeof err->text,
                 "stopped; the directory lacks files: run it again");
    else if (st == KEDGE_EIO)
        snprintf(err->text + used, sizeof err->text - used,
                 "; the directory lacks files: run it again");
}

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    exporting *const e = data;
    kedge_model *model;
    kedge_status st;

    e->opts.store = store;
    e->opts.control = control;
    st = kedge_model_load(store, e->name, control, &model, err);
    e->loaded = st == KEDGE_OK;
    if (st == KEDGE_OK)
        st = kedge_export(model, e->directory, &e->opts, err);
    if (st == KEDGE_OK)
        tell(e, store, model);
    kedge_model_free(model);
    return st;
}

static int run(void *data)
{
    exporting *const e = data;
    kedge_error *const err = &e->job.err;
    const kedge_status st = task_run(e->job.store, KEDGE_OPEN_READ,
                                     &e->job.common, work, e, err);

    if (e->loaded)
        tell_part(st, err);
    return complain_status(st, err);
}

const command command_export = {
    .name = "export",
    .group = GROUP_SHARE,
    .summary = "write a model as files",
    .operands = "STORE -o DIR",
    .least = 1,
    .most = 1,
    .purpose =
        "Writes a model as files that numpy, spreadsheets and other programs "
        "read: vocabulary, topics, topic co-occurrence, anchors, options and, "
        "after 'kedge infer --save', the topic proportions of the documents. "
        "Files of an earlier export in DIR are replaced; a directory with "
        "other files is refused.",
    .examples = "  kedge export news -o news-k50\n"
                "  kedge export news -o out --also graphml,counts\n",
    .see = "files",
    .options = options,
    .size = sizeof(exporting),
    .begin = begin,
    .check = check,
    .run = run,
};
