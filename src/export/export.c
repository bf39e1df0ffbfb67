/* SPDX-License-Identifier: MIT */
#include "export/export.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/again.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "ops/elsewhere.h"
#include "ops/fit/fit.h"

void kedge_export_opts_init(kedge_export_opts *opts)
{
    if (opts == NULL)
        return;
    *opts = (kedge_export_opts){0};
}

static kedge_status json_of(const kedge_model *m, bool stored, char **out,
                            kedge_error *err)
{
    if (out != NULL)
        *out = NULL;
    API_ENTER(err, {"model", m}, {"out", out});

    textbuf text;
    const kedge_status st = summary_write(m, &(kedge_export_opts){0}, stored,
                                          NULL, &text, err);

    *out = text.bytes;
    return api_leave(st, err);
}

kedge_status kedge_model_json(const kedge_model *m, char **out,
                              kedge_error *err)
{
    return json_of(m, false, out, err);
}

kedge_status kedge_model_stored_json(const kedge_model *m, char **out,
                                     kedge_error *err)
{
    return json_of(m, true, out, err);
}

static kedge_status make_directory(const char *directory, kedge_error *err)
{
    struct stat found;

    if (mkdir(directory, 0777) == 0)
        return KEDGE_OK;
    if (errno == EEXIST && stat(directory, &found) == 0) {
        if (S_ISDIR(found.st_mode))
            return KEDGE_OK;
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s is a file; an export is a directory: name "
                          "another",
                          directory);
    }
    return kedge_fail(err, KEDGE_EIO, "%s: cannot make the directory: %s",
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

static kedge_status check(const kedge_model *m, const char *directory,
                          const kedge_export_opts *o, kedge_error *err)
{
    if (directory[0] == '\0')
        return kedge_fail(err, KEDGE_EINVAL, "an export needs a directory");
    if ((unsigned)o->pairs > KEDGE_EXPORT_PAIRS_SPARSE ||
        (o->pairs != KEDGE_EXPORT_PAIRS_NONE && o->store == NULL))
        return kedge_fail(err, KEDGE_EINVAL,
                          "the export of a co-occurrence, dense or sparse, "
                          "needs the store");
    if (o->also > KEDGE_EXPORT_ALL ||
        (o->also >= KEDGE_EXPORT_COUNTS && o->store == NULL))
        return kedge_fail(err, KEDGE_EINVAL,
                          "the export of counts and other figures of documents "
                          "needs the store");
    if (o->spectrum && (m->eigenvectors == NULL || m->eigenvalues == NULL ||
                        m->rectified == NULL))
        return kedge_fail(err, KEDGE_EINVAL,
                          "model %s has no spectrum to export; fit it again "
                          "with --save-spectrum",
                          m->name);
    return KEDGE_OK;
}

/* ---- what an earlier export left ----------------------------------------- */

/* DIRECTORY/NAME; false where that is too long to be there. */
static bool path_of(char path[PATH_MAX], const char *directory,
                    const char *name)
{
    return snprintf(path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX;
}

/* Whether there is a model.json that begins as ours do. */
static bool is_export(const char *directory)
{
    static const char begins[] = "{\n  \"kedge\": \"";
    char path[PATH_MAX], head[sizeof begins - 1];
    bool is;
    int fd;

    if (!path_of(path, directory, "model.json"))
        return false;
    fd = again_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    is = again_read_at(fd, head, sizeof head, 0) &&
         memcmp(head, begins, sizeof head) == 0;
    close(fd);
    return is;
}

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
                            "\"%s\" contains \"%s\", which no export wrote; name "
                            "another directory, or an empty one", directory,
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

    for (size_t i = 0; i < export_file_count; i++) {
        if (!path_of(path, directory, export_files[i].name) ||
            lstat(path, &found) != 0)
            continue;
        if (!S_ISREG(found.st_mode))
            return kedge_fail(err, KEDGE_EINVAL, "%s exists and is not a "
                                                 "regular file; name another "
                                                 "directory", path);
        if (!earlier)
            return kedge_fail(err, KEDGE_EINVAL, "%s exists, and no export "
                                                 "wrote it; name another "
                                                 "directory", path);
    }
    return earlier ? KEDGE_OK : check_empty(directory, err);
}

/* Regular files alone; that one cannot be removed is told. */
static kedge_status remove_stale(const char *directory, const char *name,
                                 kedge_error *err)
{
    char path[PATH_MAX];
    struct stat found;

    if (!path_of(path, directory, name) || lstat(path, &found) != 0 ||
        !S_ISREG(found.st_mode) || unlink(path) == 0)
        return KEDGE_OK;
    return kedge_fail(err, KEDGE_EIO, "%s: cannot delete this file of an "
                                      "earlier export: %s", path,
                      strerror(errno));
}

/* ---- the model ----------------------------------------------------------- */

/* Words, a line each: all of them, or those of `rows`. */
static kedge_status export_words(export *e, const char *name,
                                 const uint64_t *rows, size_t count,
                                 kedge_error *err)
{
    const struct words *const text = &e->m->text;

    PASS(newfile_open(&e->file, e->directory, name, err));
    for (size_t i = 0; i < count; i++) {
        const size_t row = rows == NULL ? i : rows[i];
        textbuf_add(&e->file.text, words_get(text, row),
                    words_size(text, row));
        textbuf_add(&e->file.text, "\n", 1);
        PASS(newfile_flush(&e->file, err));
    }
    return newfile_commit(&e->file, err);
}

static kedge_status export_model(export *e, kedge_error *err)
{
    const kedge_model *const m = e->m;
    const size_t n = m->words, k = m->topics;
    const bool vectors = e->opts->spectrum, weighted = m->weighted != NULL;
    const struct {
        const char *name;
        const double *values;
        size_t rows, cols;
        bool wanted;
    } arrays[] = {
        {"topics.npy", m->probabilities, n, k, true},
        {"topic_cooccurrence.npy", m->correlations, k, k, true},
        {"word_probability.npy", m->word_probability, n, 0, true},
        {"weights.npy", m->weights, n, 0, weighted},
        {"weighted_topics.npy", m->weighted, n, k, weighted},
        {"eigenvectors.npy", m->eigenvectors, n, k, vectors},
        {"eigenvalues.npy", m->eigenvalues, k, 0, vectors},
        {"rectified.npy", m->rectified, n, k, vectors},
    };

    PASS(export_words(e, "vocab.txt", NULL, n, err));
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (!arrays[i].wanted)
            continue;
        PASS(newfile_open(&e->file, e->directory, arrays[i].name, err));
        PASS(npy_write_f64(&e->file, arrays[i].values, arrays[i].rows,
                           arrays[i].cols, err));
        PASS(newfile_commit(&e->file, err));
    }
    return export_words(e, "anchors.txt", m->anchors, k, err);
}

/* ---- the co-occurrence --------------------------------------------------- */

/* Both sides are the same: the lower one, with the diagonal. */
static kedge_status write_sparse(newfile *f, const fit *c, double *room,
                                 kedge_error *err)
{
    const size_t n = c->index.words;
    uint64_t entries = 0;

    for (size_t i = 0; i < n; i++) {
        const double *const row = exact_row(c->exact, i, room);
        for (size_t j = 0; j <= i; j++)
            entries += row[j] != 0;
    }
    textbuf_print(&f->text,
                  "%%%%MatrixMarket matrix coordinate real symmetric\n"
                  "%zu %zu %" PRIu64 "\n", n, n, entries);
    for (size_t i = 0; i < n; i++) {
        const double *const row = exact_row(c->exact, i, room);
        for (size_t j = 0; j <= i; j++)
            if (row[j] != 0)
                textbuf_print(&f->text, "%zu %zu %.17g\n", i + 1, j + 1,
                              row[j]);
        PASS(newfile_flush(f, err));
    }
    return KEDGE_OK;
}

static kedge_status export_pairs(export *e, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const bool dense = e->opts->pairs == KEDGE_EXPORT_PAIRS_DENSE;
    fit c = {0};
    double *room = NULL;

    TRY(fit_open_cooccurrence(&c, e->opts->store, e->m, !dense, e->control,
                              err));
    TRY_MEM(room = mem_new(c.index.words, sizeof *room));
    TRY(newfile_open(&e->file, e->directory,
                     dense ? "cooccurrence.npy" : "cooccurrence.mtx", err));
    TRY(dense ? npy_write_f64(&e->file, exact_matrix(c.exact),
                              c.index.words, c.index.words, err)
              : write_sparse(&e->file, &c, room, err));
    TRY(newfile_commit(&e->file, err));
out:
    fit_free(&c);
    mem_free(room);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

/* The folder is what the summary says from then on, which is why it is written
 * last, and what it does not name goes after it. Until then it says that the
 * export did not come to its end: the folder is ours, but of no model. */
kedge_status kedge_export(const kedge_model *m, const char *directory,
                          const kedge_export_opts *opts, kedge_error *err)
{
    API_ENTER(err, {"model", m}, {"directory", directory});
    API_USUAL(kedge_export_opts, opts);

    static const char unfinished[] = "{\n  \"kedge\": \"" KEDGE_VERSION "\",\n"
                                     "  \"unfinished\": true\n}\n";
    export e = {.m = m, .directory = directory, .opts = opts,
                .control = run_control(opts->control)};
    const bool pairs = opts->pairs != KEDGE_EXPORT_PAIRS_NONE;
    kedge_status st = KEDGE_OK;
    bool has[EXPORT_PARTS], earlier;
    textbuf text = {0};

    TRY(check(m, directory, opts, err));
    if (pairs || opts->also >= KEDGE_EXPORT_COUNTS) /* of all documents */
        TRY(elsewhere_check(opts->store, "this export",
                            err));
    if (opts->store != NULL)
        TRY(export_find_compositions(&e, err));
    TRY(make_directory(directory, err));
    earlier = is_export(directory);
    TRY(check_places(directory, earlier, err));
    TRY(newfile_put(directory, "model.json", unfinished, sizeof unfinished - 1,
                    err));
    TRY(export_model(&e, err));
    if (pairs)
        TRY(export_pairs(&e, err));
    TRY(export_relations(&e, err));
    TRY(export_documents(&e, err));
    TRY(summary_write(m, opts, false, e.composed ? &e.kept : NULL, &text,
                      err));
    TRY(newfile_put(directory, "model.json", text.bytes, text.size, err));
    export_find_parts(m, opts, e.composed, has);
    for (size_t i = 0; earlier && i < export_file_count; i++)
        if (!has[export_files[i].part])
            TRY(remove_stale(directory, export_files[i].name, err));
    TRY(keep_names(directory, err));
out:
    newfile_discard(&e.file);
    textbuf_free(&text);
    return api_leave(st, err);
}
