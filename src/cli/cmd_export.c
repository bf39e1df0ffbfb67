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
           "Where the files go; made when absent. Needed.", .letter = 'o'),
    OPTION_OF_MODEL(AT(name)),
    OPTION(FLAG, "spectrum", AT(opts.spectrum), NULL,
           "Also eigenvectors.npy, eigenvalues.npy and rectified.npy, of a "
           "model fitted with --keep-spectrum."),
    OPTION(CHOICE, "cooccurrence", AT(opts.pairs), "none|dense|sparse",
           "Also the co-occurrence of all pairs of words, made by one pass "
           "over the stored documents, 8 bytes of memory for each: "
           "cooccurrence.npy; or by two passes what is not zero, 16 bytes for "
           "two words that meet: cooccurrence.mtx."),
    OPTION(TEXT, "also", AT(also), "graphml|csv|counts|pyldavis|mallet[,...]",
           "Also what other programs take, names between commas: see above. "
           "pyldavis and mallet are of compositions that 'kedge infer --keep' "
           "made.", .unset = "none"),
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
    kedge_kept_info kept;

    if (e->job.common.quiet)
        return;
    if (kedge_kept_get_info(store, name, &kept, NULL) == KEDGE_OK &&
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
                 "stopped; the folder has not all files: run it again");
    else if (st == KEDGE_EIO)
        snprintf(err->text + used, sizeof err->text - used,
                 "; the folder has not all files: run it again");
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
    .summary = "write a model as plain files",
    .operands = "STORE -o DIR",
    .least = 1,
    .most = 1,
    .purpose =
        "Writes a model as files that other programs read. The bytes are a "
        "function of documents, options and seed alone. Where 'kedge infer "
        "--keep' keeps compositions with the model and no document came or "
        "went since, they are written too, in the order of the store. Of an "
        "earlier export in DIR nothing stays that is not of this one; into a "
        "folder that holds other files nothing is written.",
    .details =
        "Of a model that was fitted with --weight, topics.npy and "
        "correlations.npy are without the weights: with B and A of these two "
        "files the co-occurrence itself is close to B A B', and B is what "
        "compositions of documents and held-out probabilities need. "
        "weights.npy has the words' weights d, and weighted_topics.npy the "
        "topics with them, d_i B_ik with columns that sum to 1: what to show "
        "words by, and to compare and cluster topics by. The arrays of "
        "--spectrum are those of the weighted co-occurrence, d_i C_ij d_j. "
        "--also graphml: correlations.graphml, a graph of a node for each "
        "topic and an edge for each pair that is together more than its "
        "shares alone would make. csv: correlations.csv, topics by topics; a "
        "name that begins with =, +, - or @ has an apostrophe before it, so "
        "that a spreadsheet does not run it as a formula. counts: counts.mtx, "
        "documents by words of the model, phrases joined, for "
        "scipy.io.mmread, and documents.txt. pyldavis: topic_term_dists.npy, "
        "doc_lengths.npy and term_frequency.npy, the rest of what "
        "pyLDAvis.prepare takes; a document without words of the model has "
        "the length 0, and no weight there. mallet: mallet-keys.txt, "
        "mallet-topics.txt and mallet-state.gz, as MALLET's "
        "--output-topic-keys, --output-doc-topics and --output-state have "
        "them, with \\s, \\t, \\v, \\f, \\n, \\r and \\\\ for blanks, ends of "
        "lines and backslashes in ids and words. Its alpha is the nearest "
        "Dirichlet's, or the topics' shares where none is near, its beta "
        "MALLET's own 0.01; the tokens of a word in a document are shared out "
        "to topics by the model and the document's composition.",
    .output =
        "In DIR: vocab.txt (a word a line; the rows), topics.npy (words x "
        "topics, p(word|topic)), correlations.npy (topics x topics, A), "
        "word_probability.npy, anchors.txt (a topic's anchor a line), with "
        "word weights also weights.npy and weighted_topics.npy, of kept "
        "compositions compositions.npy (documents x topics, float32, in the "
        "order of 'kedge cat') and documents.txt (their ids, a line each, "
        "with \\n, \\r and \\\\ for ends of lines and backslashes), what "
        "--also asks for, and model.json (options, seed, versions, digests, "
        "figures, how the words were chosen, what each array means). Nothing "
        "on standard output.",
    .examples =
        "  kedge export news -o news-k50\n"
        "  kedge export news -o out --model sharp --spectrum\n"
        "  kedge export news -o out --cooccurrence sparse\n"
        "  kedge export news -o out --also graphml,counts\n"
        "  python3 -c 'import numpy; "
        "print(numpy.load(\"out/topics.npy\").shape)'\n"
        "  kedge infer news --keep\n"
        "  kedge export news -o out --also pyldavis\n"
        "In Python then:\n"
        "  import numpy, pyLDAvis\n"
        "  read = lambda name: numpy.load(f'out/{name}.npy')\n"
        "  words = open('out/vocab.txt', 'rb').read().decode(errors='replace')"
        "\n"
        "  page = pyLDAvis.prepare(read('topic_term_dists'), "
        "read('compositions'),\n"
        "                          read('doc_lengths'), "
        "words.split('\\n')[:-1],\n"
        "                          read('term_frequency'))\n",
    .options = options,
    .size = sizeof(exporting),
    .begin = begin,
    .check = check,
    .run = run,
};
