/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kedge/export.h>
#include <kedge/kept.h>

#include "base/again.h"
#include "base/fail.h"
#include "pipeline/models/model.h"
#include "pipeline/elsewhere.h"
#include "pipeline/shares/showing.h"
#include "report/countrows.h"
#include "report/documentrows.h"
#include "report/malletrows.h"
#include "report/newfile.h"
#include "report/npy.h"
#include "report/pairrows.h"
#include "report/relations.h"
#include "report/summary.h"
#include "report/visrows.h"

void kedge_export_opts_init(kedge_export_opts *opts)
{
    if (opts == NULL)
        return;
    *opts = (kedge_export_opts){0};
}

kedge_status kedge_model_json(const kedge_model *m, char **out,
                              kedge_error *err)
{
    if (out != NULL)
        *out = NULL;
    API_ENTER(err, {"model", m}, {"out", out});

    textbuf text;
    kedge_status st;

    st = summary_write(m, &(kedge_export_opts){0}, NULL, &text, err);
    *out = text.bytes;
    return api_leave(st, err);
}

kedge_status kedge_model_stored_json(const kedge_model *m, char **out,
                                     kedge_error *err)
{
    if (out != NULL)
        *out = NULL;
    API_ENTER(err, {"model", m}, {"out", out});

    textbuf text;
    kedge_status st;

    st = summary_write_stored(m, &text, err);
    *out = text.bytes;
    return api_leave(st, err);
}

static kedge_status make_directory(const char *directory, kedge_error *err)
{
    struct stat found;

    if (mkdir(directory, 0777) == 0)
        return KEDGE_OK;
    if (errno == EEXIST && stat(directory, &found) == 0) {
        if (S_ISDIR(found.st_mode))
            return KEDGE_OK;
        errno = ENOTDIR;
    }
    return kedge_fail(err, KEDGE_EIO, "%s: cannot make the folder: %s",
                      directory, strerror(errno));
}

/* A crash of the machine must not undo the renames. Some file systems cannot
 * be asked to wait for a directory: then nobody can. */
static kedge_status keep_names(const char *directory, kedge_error *err)
{
    const int fd = again_open(directory, O_RDONLY | O_DIRECTORY);
    kedge_status st = KEDGE_OK;

    if (fd < 0)
        return errno == EACCES ? KEDGE_OK
                               : kedge_fail(err, KEDGE_EIO, "%s: %s",
                                            directory, strerror(errno));
    if (again_sync(fd) != 0 && errno != EINVAL && errno != ENOTSUP)
        st = kedge_fail(err, KEDGE_EIO, "%s: %s", directory, strerror(errno));
    close(fd);
    return st;
}

static kedge_status export_array(const char *directory, const char *name,
                                 const double *values, size_t rows,
                                 size_t cols, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    newfile f;

    TRY(newfile_open(&f, directory, name, err));
    errno = 0;
    if (!npy_write_f64(f.out, values, rows, cols))
        TRY(newfile_failed(&f, err));
    TRY(newfile_commit(&f, err));
out:
    newfile_discard(&f);
    return st;
}

/* Words, a line each: all of them, or those of `rows`. */
static kedge_status export_words(const char *directory, const char *name,
                                 const struct words *text,
                                 const uint64_t *rows, size_t count,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    newfile f;

    TRY(newfile_open(&f, directory, name, err));
    for (size_t i = 0; i < count; i++) {
        const size_t row = rows == NULL ? i : rows[i];
        TRY(newfile_write(&f, words_get(text, row), words_size(text, row),
                          err));
        TRY(newfile_write(&f, "\n", 1, err));
    }
    TRY(newfile_commit(&f, err));
out:
    newfile_discard(&f);
    return st;
}

static kedge_status export_summary(const kedge_model *m, const char *directory,
                                   const kedge_export_opts *opts,
                                   const kedge_kept_info *kept,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    textbuf text = {0};
    newfile f = {0};

    TRY(summary_write(m, opts, kept, &text, err));
    TRY(newfile_open(&f, directory, "model.json", err));
    TRY(newfile_write(&f, text.bytes, text.size, err));
    TRY(newfile_commit(&f, err));
out:
    newfile_discard(&f);
    textbuf_free(&text);
    return st;
}

static kedge_status export_weights(const kedge_model *m,
                                   const char *directory, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(export_array(directory, "weights.npy", m->weights, m->words, 0, err));
    TRY(export_array(directory, "weighted_topics.npy", m->weighted, m->words,
                     m->topics, err));
out:
    return st;
}

static kedge_status export_spectrum(const kedge_model *m,
                                    const char *directory, kedge_error *err)
{
    const size_t n = m->words, k = m->topics;
    kedge_status st = KEDGE_OK;

    TRY(export_array(directory, "eigenvectors.npy", m->eigenvectors, n, k,
                     err));
    TRY(export_array(directory, "eigenvalues.npy", m->eigenvalues, k, 0, err));
    TRY(export_array(directory, "rectified.npy", m->rectified, n, k, err));
out:
    return st;
}

static kedge_status check(const kedge_model *m, const char *directory,
                          const kedge_export_opts *o, kedge_error *err)
{
    if (directory[0] == '\0')
        return kedge_fail(err, KEDGE_EINVAL, "an export needs a directory");
    if ((unsigned)o->pairs > KEDGE_EXPORT_PAIRS_SPARSE ||
        (o->pairs != KEDGE_EXPORT_PAIRS_NONE && o->store == NULL))
        return kedge_fail(err, KEDGE_EINVAL,
                          "a co-occurrence is exported from the store, dense "
                          "or sparse");
    if (o->also > KEDGE_EXPORT_ALL ||
        (o->also >= KEDGE_EXPORT_COUNTS && o->store == NULL))
        return kedge_fail(err, KEDGE_EINVAL,
                          "counts and what is of documents are exported from "
                          "the store");
    if (o->spectrum && (m->eigenvectors == NULL || m->eigenvalues == NULL ||
                        m->rectified == NULL))
        return kedge_fail(err, KEDGE_EINVAL,
                          "model %s has no spectrum to export; fit it again "
                          "with --keep-spectrum",
                          m->name);
    return KEDGE_OK;
}

/* What is of the documents: of all of them. */
static kedge_status check_documents(const kedge_model *m,
                                    const kedge_export_opts *o,
                                    kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (o->pairs != KEDGE_EXPORT_PAIRS_NONE || o->also >= KEDGE_EXPORT_COUNTS)
        TRY(elsewhere_check(o->store, "what is exported of the documents",
                            err));
    if (o->also >= KEDGE_EXPORT_PYLDAVIS)
        TRY(showing_check(o->store, m, err));
out:
    return st;
}

/* ---- what an earlier export left ----------------------------------------- */

/* Whether there is a model.json that begins as ours do. */
static bool is_export(const char *directory)
{
    static const char begins[] = "{\n  \"kedge\": \"";
    char path[PATH_MAX], head[sizeof begins - 1];
    bool is;
    int fd;

    if (snprintf(path, sizeof path, "%s/model.json", directory) >=
        (int)sizeof path)
        return false;
    fd = again_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    is = again_read_at(fd, head, sizeof head, 0) &&
         memcmp(head, begins, sizeof head) == 0;
    close(fd);
    return is;
}

enum part { ALWAYS, WEIGHTS, SPECTRUM, KEPT, NAMED, DENSE, SPARSE, GRAPHML,
            CSV, COUNTS, PYLDAVIS, MALLET, PARTS };

/* All files that an export can have, and which part of it has them. */
static const struct {
    const char *name;
    enum part part;
} files[] = {
    {"model.json", ALWAYS},        {"vocab.txt", ALWAYS},
    {"topics.npy", ALWAYS},        {"correlations.npy", ALWAYS},
    {"anchors.txt", ALWAYS},       {"word_probability.npy", ALWAYS},
    {"weights.npy", WEIGHTS},      {"weighted_topics.npy", WEIGHTS},
    {"eigenvectors.npy", SPECTRUM}, {"eigenvalues.npy", SPECTRUM},
    {"rectified.npy", SPECTRUM},   {"compositions.npy", KEPT},
    {"documents.txt", NAMED},      {"cooccurrence.npy", DENSE},
    {"cooccurrence.mtx", SPARSE},  {"correlations.graphml", GRAPHML},
    {"correlations.csv", CSV},     {"counts.mtx", COUNTS},
    {"topic_term_dists.npy", PYLDAVIS}, {"doc_lengths.npy", PYLDAVIS},
    {"term_frequency.npy", PYLDAVIS}, {"mallet-keys.txt", MALLET},
    {"mallet-topics.txt", MALLET}, {"mallet-state.gz", MALLET},
    {"data.mdb", ALWAYS}, /* a store's */
};

/* What the folder holds that is of no export is somebody's; what is hidden
 * does not count. */
static kedge_status check_empty(const char *directory, kedge_error *err)
{
    DIR *const dir = opendir(directory);
    kedge_status st = KEDGE_OK;
    const struct dirent *e;

    while (dir != NULL && st == KEDGE_OK && (e = readdir(dir)) != NULL)
        if (e->d_name[0] != '.')
            st = kedge_fail(err, KEDGE_EINVAL,
                            "%s holds %s, and is not of an export; name "
                            "another folder, or an empty one", directory,
                            e->d_name);
    if (dir != NULL)
        closedir(dir);
    return st;
}

/* Before anything is written: what has these names is of an earlier export, or
 * is not there. */
static kedge_status check_places(const char *directory, bool earlier,
                                 kedge_error *err)
{
    char path[PATH_MAX];
    struct stat found;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (snprintf(path, sizeof path, "%s/%s", directory, files[i].name) >=
                (int)sizeof path ||
            lstat(path, &found) != 0)
            continue;
        if (!S_ISREG(found.st_mode))
            return kedge_fail(err, KEDGE_EINVAL, "%s is there and is not a "
                              "regular file; name another folder", path);
        if (!earlier)
            return kedge_fail(err, KEDGE_EINVAL, "%s is there and is not of "
                              "an export; name another folder", path);
    }
    return earlier ? KEDGE_OK : check_empty(directory, err);
}

/* What is found when an export did not come to its end: the folder is ours, but
 * of no model. */
static kedge_status mark_unfinished(const char *directory, kedge_error *err)
{
    static const char text[] = "{\n  \"kedge\": \"" KEDGE_VERSION "\",\n"
                               "  \"unfinished\": true\n}\n";
    kedge_status st = KEDGE_OK;
    newfile f = {0};

    TRY(newfile_open(&f, directory, "model.json", err));
    TRY(newfile_write(&f, text, sizeof text - 1, err));
    TRY(newfile_commit(&f, err));
out:
    newfile_discard(&f);
    return st;
}

/* Regular files alone; that one cannot be removed is told. */
static kedge_status remove_stale(const char *directory, const char *name,
                                 kedge_error *err)
{
    char path[PATH_MAX];
    struct stat found;

    if (snprintf(path, sizeof path, "%s/%s", directory, name) >=
            (int)sizeof path ||
        lstat(path, &found) != 0 || !S_ISREG(found.st_mode) ||
        unlink(path) == 0)
        return KEDGE_OK;
    return kedge_fail(err, KEDGE_EIO, "%s: of an earlier export: %s", path,
                      strerror(errno));
}

static kedge_status export_sweep(const kedge_model *m, const char *directory,
                                 const kedge_export_opts *opts, bool kept,
                                 kedge_error *err)
{
    const unsigned also = opts->also;
    const bool counts = also & KEDGE_EXPORT_COUNTS;
    const bool stays[PARTS] = {[ALWAYS] = true,
                               [WEIGHTS] = m->weighted != NULL,
                               [SPECTRUM] = opts->spectrum,
                               [KEPT] = kept,
                               [NAMED] = kept || counts,
                               [DENSE] = opts->pairs ==
                                         KEDGE_EXPORT_PAIRS_DENSE,
                               [SPARSE] = opts->pairs ==
                                          KEDGE_EXPORT_PAIRS_SPARSE,
                               [GRAPHML] = also & KEDGE_EXPORT_GRAPHML,
                               [CSV] = also & KEDGE_EXPORT_CSV,
                               [COUNTS] = counts,
                               [PYLDAVIS] = also & KEDGE_EXPORT_PYLDAVIS,
                               [MALLET] = also & KEDGE_EXPORT_MALLET};
    kedge_status st = KEDGE_OK;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!stays[files[i].part])
            TRY(remove_stale(directory, files[i].name, err));
out:
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

static kedge_status export_model(const kedge_model *m, const char *directory,
                                 bool spectrum, kedge_error *err)
{
    const size_t n = m->words, k = m->topics;
    kedge_status st = KEDGE_OK;

    TRY(export_words(directory, "vocab.txt", &m->text, NULL, n, err));
    TRY(export_array(directory, "topics.npy", m->probabilities, n, k, err));
    TRY(export_array(directory, "correlations.npy", m->correlations, k, k,
                     err));
    TRY(export_array(directory, "word_probability.npy", m->word_probability,
                     n, 0, err));
    TRY(export_words(directory, "anchors.txt", &m->text, m->anchors, k, err));
    if (m->weighted != NULL)
        TRY(export_weights(m, directory, err));
    if (spectrum)
        TRY(export_spectrum(m, directory, err));
out:
    return st;
}

static kedge_status export_also(const kedge_model *m, const char *directory,
                                const kedge_export_opts *o, bool kept,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (o->also & KEDGE_EXPORT_GRAPHML)
        TRY(relations_write_graph(m, directory, err));
    if (o->also & KEDGE_EXPORT_CSV)
        TRY(relations_write_table(m, directory, err));
    if (o->also & KEDGE_EXPORT_COUNTS)
        TRY(countrows_write(o->store, m, o->control, directory, kept, err));
    if (o->also & KEDGE_EXPORT_PYLDAVIS)
        TRY(visrows_write(o->store, m, o->control, directory, err));
    if (o->also & KEDGE_EXPORT_MALLET) {
        TRY(malletrows_write_keys(m, directory, err));
        TRY(malletrows_write(o->store, m, o->control, directory, err));
    }
out:
    return st;
}

/* The folder is what the summary says from then on, which is why it is written
 * last, and what it does not name goes after it. */
kedge_status kedge_export(const kedge_model *m, const char *directory,
                          const kedge_export_opts *opts, kedge_error *err)
{
    API_ENTER(err, {"model", m}, {"directory", directory});

    const kedge_export_opts plain = {0}, *const o = opts ? opts : &plain;
    kedge_kept_info kept = {0};
    kedge_status st = KEDGE_OK;
    bool is_kept = false, earlier;

    TRY(check(m, directory, o, err));
    TRY(check_documents(m, o, err));
    TRY(make_directory(directory, err));
    earlier = is_export(directory);
    TRY(check_places(directory, earlier, err));
    TRY(mark_unfinished(directory, err));
    TRY(export_model(m, directory, o->spectrum, err));
    if (o->pairs != KEDGE_EXPORT_PAIRS_NONE)
        TRY(pairrows_write(o->store, m, o->pairs, o->control, directory, err));
    if (o->store != NULL)
        TRY(documentrows_write(o->store, m, o->control, directory, &kept,
                               &is_kept, err));
    TRY(export_also(m, directory, o, is_kept, err));
    TRY(export_summary(m, directory, o, is_kept ? &kept : NULL, err));
    if (earlier)
        TRY(export_sweep(m, directory, o, is_kept, err));
    TRY(keep_names(directory, err));
out:
    return api_leave(st, err);
}
