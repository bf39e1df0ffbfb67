/* SPDX-License-Identifier: MIT */
/*
 * Directories found wait in a list and are read one after the other, so that
 * neither memory nor open files grow with the depth. Then the paths are sorted.
 */
#include "io/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"
#include "io/text/letters.h"

#define FILES_MAX ((size_t)0xfffffffe) /* places are 32 bits */

struct tree {
    reader_opts opts;
    record_opts how;
    char *root;
    words folders; /* within the root, "" first */
    words files;
    uint32_t *order;
    size_t next; /* place in the order */
    char *path;  /* the root, a slash, and what is within */
    size_t path_capacity;
    stream *in;          /* the open file, or NULL, */
    lines *l;
    words records; /* paths, with the root, of the files that are no text */
    reader_counts counts;
    reader_stamp stamp;
};

/* ---- finding files ------------------------------------------------------- */

/* Whether to go on. */
static kedge_status check(const tree *t, kedge_error *err)
{
    return t->opts.control == NULL ? KEDGE_OK
                                   : run_check(t->opts.control, err);
}

/* t->path for a path within the root. */
static kedge_status set_path(tree *t, const char *folder, const char *name,
                             kedge_error *err)
{
    const size_t root = strlen(t->root), n = strlen(name);
    size_t f = strlen(folder);

    PASS_GROW(t->path, t->path_capacity, root + f + n + 3);
    memcpy(t->path, t->root, root);
    t->path[root] = '/';
    memcpy(t->path + root + 1, folder, f);
    if (f > 0 && n > 0)
        t->path[root + 1 + f++] = '/';
    memcpy(t->path + root + 1 + f, name, n + 1);
    return KEDGE_OK;
}

static kedge_status cannot(const tree *t, const char *what, kedge_error *err)
{
    const int code = errno;

    return kedge_fail(err, KEDGE_EIO, "%s: cannot %s: %s%s", t->path, what,
                      strerror(code),
                      code == EACCES ? "; make it readable (chmod -R a+rX), or "
                                       "name the other files instead of the "
                                       "directory"
                                     : "");
}

/* Adds t->path, as it is within the root, to a list of paths. */
static kedge_status add_path(tree *t, words *to, kedge_error *err)
{
    const char *const within = t->path + strlen(t->root) + 1;

    PASS_MEM(words_add(to, within, strlen(within)));
    return KEDGE_OK;
}

/* What t->path is; a link that leads to a directory is none. */
static kedge_status look(tree *t, struct stat *about, bool *file, bool *folder,
                         kedge_error *err)
{
    bool link;

    *file = *folder = false;
    if (lstat(t->path, about) != 0)
        return errno == ENOENT ? KEDGE_OK : cannot(t, "look at it", err);
    link = S_ISLNK(about->st_mode);
    if (link && stat(t->path, about) != 0) {
        const bool nowhere =
            errno == ENOENT || errno == ELOOP || errno == ENOTDIR;
        return nowhere ? KEDGE_OK : cannot(t, "look at it", err);
    }
    *file = S_ISREG(about->st_mode);
    *folder = S_ISDIR(about->st_mode) && !link;
    return KEDGE_OK;
}

/* A file, t->path, in whatever order the directories name them. */
static kedge_status take_file(tree *t, const struct stat *about,
                              kedge_error *err)
{
    const char *const within = t->path + strlen(t->root) + 1;
    const uint64_t size = (uint64_t)about->st_size;

    if (t->files.count >= FILES_MAX)
        return kedge_fail(err, KEDGE_EFORMAT,
                          "%s: there are too many files: expected at most %zu",
                          t->root, FILES_MAX);
    t->stamp.bytes += size;
    t->stamp.modified +=
        hash_mix(hash_bytes(size, within, strlen(within)) +
                 hash_mix(stream_time(about)));
    return add_path(t, &t->files, err);
}

static kedge_status take_name(tree *t, const char *folder, const char *name,
                              kedge_error *err)
{
    struct stat about;
    bool file, is_folder;

    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return KEDGE_OK;
    if (name[0] == '.') {
        t->counts.hidden++;
        return KEDGE_OK;
    }
    PASS(set_path(t, folder, name, err));
    PASS(look(t, &about, &file, &is_folder, err));
    if (file)
        PASS(take_file(t, &about, err));
    else if (is_folder)
        PASS(add_path(t, &t->folders, err));
    else
        t->counts.others++;
    return KEDGE_OK;
}

/* All names of the directory that t->path names. */
static kedge_status read_names(tree *t, DIR *dir, const char *folder,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const struct dirent *e;

    for (;;) {
        TRY(check(t, err));
        errno = 0;
        e = readdir(dir);
        if (e == NULL)
            break;
        TRY(take_name(t, folder, e->d_name, err));
    }
    if (errno != 0) {
        const int code = errno;
        TRY(set_path(t, folder, "", err));
        errno = code;
        st = cannot(t, "read the directory", err);
    }
out:
    return st;
}

static kedge_status read_folder(tree *t, size_t number, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    char *folder = NULL;
    DIR *dir = NULL;

    /* The list grows while its names are read. */
    TRY_MEM(folder = mem_strdup(words_get(&t->folders, number)));
    TRY(set_path(t, folder, "", err));
    dir = opendir(t->path);
    if (dir == NULL)
        st = cannot(t, "open the directory", err);
    else
        st = read_names(t, dir, folder, err);
out:
    if (dir != NULL)
        closedir(dir);
    mem_free(folder);
    return st;
}

static kedge_status find_files(tree *t, kedge_error *err)
{
    size_t twin;

    PASS_MEM(words_add(&t->folders, "", 0));
    for (size_t i = 0; i < t->folders.count; i++)
        PASS(read_folder(t, i, err));
    words_free(&t->folders);
    PASS_MEM(t->order = words_order(&t->files, &twin));
    return KEDGE_OK;
}

kedge_status tree_open(const char *path, const reader_opts *opts,
                       const record_opts *how, tree **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    tree *t = NULL;
    size_t size;

    *out = NULL;
    if (path[0] == '\0')
        return kedge_fail(err, KEDGE_EINVAL,
                          "the path is empty: expected a directory");
    TRY_MEM(t = mem_new(1, sizeof *t));
    t->opts = *opts;
    t->how = *how;
    TRY_MEM(t->root = mem_strdup(path));
    /* A slash is put between it and what is within; "/" becomes "". */
    for (size = strlen(path); size > 0 && path[size - 1] == '/'; size--)
        t->root[size - 1] = '\0';
    TRY(find_files(t, err));
    *out = t;
    t = NULL;
out:
    tree_close(t);
    return st;
}

/* What is left to be read as records is counted by who does. */
static void close_file(tree *t, bool read)
{
    if (t->l != NULL && t->counts.widest < lines_widest(t->l))
        t->counts.widest = lines_widest(t->l);
    lines_close(t->l);
    t->l = NULL;
    if (t->in != NULL && read) {
        stream_counts bytes;
        stream_get_counts(t->in, &bytes);
        t->counts.bytes_read += bytes.read;
        t->counts.bytes_text += bytes.text;
        t->counts.bytes_total += bytes.total;
    }
    stream_close(t->in);
    t->in = NULL;
}

void tree_close(tree *t)
{
    if (t == NULL)
        return;
    close_file(t, false);
    words_free(&t->folders);
    words_free(&t->files);
    words_free(&t->records);
    mem_free(t->order);
    mem_free(t->root);
    mem_free(t->path);
    mem_free(t);
}

/* ---- reading them -------------------------------------------------------- */

/* Of the first bytes of a file. What is cut off at their end is not counted. */
static bool is_text(const char *bytes, size_t size)
{
    const char *at = bytes, *const end = bytes + size;
    size_t strange = 0;
    uint32_t point;

    if (memchr(bytes, '\0', size) != NULL)
        return false;
    while (at < end) {
        const unsigned n = utf8_take(at, end, &point);
        strange += n == 0;
        at += n == 0 ? 1 : n;
    }
    return 10 * strange <= size + 30;
}

/* Opens the next file. *text: it is to be read, as a document. */
static kedge_status open_file(tree *t, bool *text, kedge_error *err)
{
    const char *const name = words_get(&t->files, t->order[t->next++]);
    bool listed = t->opts.format != KEDGE_FORMAT_FILES;
    span begin;

    PASS(set_path(t, "", name, err));
    PASS(stream_open(t->path, t->opts.control, &t->in, err));
    stream_set_window(t->in, t->opts.room.window_log);
    PASS(stream_set_encoding(t->in, t->opts.encoding, err));
    PASS(lines_open(t->in, t->opts.room.line, &t->l, err));
    PASS(lines_look(t->l, TREE_LOOK, &begin, err));
    *text = begin.size == 0 || is_text(begin.bytes, begin.size < TREE_LOOK
                                                        ? begin.size
                                                        : TREE_LOOK);
    t->counts.not_text += !*text;
    if (*text && t->opts.format == KEDGE_FORMAT_AUTO)
        PASS(formats_are_records(t->l, &t->how, &listed, err));
    if (*text && listed)
        PASS_MEM(words_add(&t->records, t->path, strlen(t->path)));
    *text = *text && !listed;
    return KEDGE_OK;
}

/* All of the open file. */
static kedge_status read_file(tree *t, record *out, kedge_error *err)
{
    const uint32_t file = t->order[t->next - 1];
    const char *const name = words_get(&t->files, file);
    const char *const slash = strchr(name, '/');
    bool more; /* not of an empty one, which is a document all the same */

    PASS(lines_next_item(t->l, NULL, NULL, "file", &out->text, &more, err));
    t->counts.files++;
    out->id = span_of(name, words_size(&t->files, file));
    if (slash != NULL)
        out->label = span_of(name, (size_t)(slash - name));
    return KEDGE_OK;
}

kedge_status tree_next(tree *t, record *out, bool *more, kedge_error *err)
{
    bool text = false;

    *out = (record){.kind = RECORD_TEXT};
    close_file(t, true); /* which was given */
    while (!text && t->next < t->files.count) {
        PASS(check(t, err));
        PASS(open_file(t, &text, err));
        if (text)
            PASS(read_file(t, out, err));
        else
            close_file(t, false);
    }
    *more = text;
    return KEDGE_OK;
}

const words *tree_records(const tree *t)
{
    return &t->records;
}

void tree_get_stamp(const tree *t, reader_stamp *out)
{
    *out = t->stamp;
}

void tree_get_counts(const tree *t, reader_counts *out)
{
    stream_counts bytes = {0};

    if (t->in != NULL)
        stream_get_counts(t->in, &bytes);
    out->files = t->counts.files;
    out->hidden = t->counts.hidden;
    out->not_text = t->counts.not_text;
    out->others = t->counts.others;
    out->widest = t->counts.widest;
    out->bytes_read = t->counts.bytes_read + bytes.read;
    out->bytes_text = t->counts.bytes_text + bytes.text;
    out->bytes_total = t->counts.bytes_total + bytes.total;
}
