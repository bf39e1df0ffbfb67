/* SPDX-License-Identifier: MIT */
/*
 * Directories found wait in a list and are read one after the other, so that
 * neither memory nor open files grow with the depth. Then the paths are sorted.
 */
#include "reader/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "reader/letters.h"

#define FILES_MAX   ((size_t)0xfffffffe) /* places are 32 bits */
#define PIECE_BYTES ((size_t)256 << 10)  /* of one reading */

struct tree {
    const kedge_control *control;
    char *root;
    words folders; /* within the root, "" first */
    words files;
    uint32_t *order;
    size_t next; /* place in the order */
    char *path;  /* the root, a slash, and what is within */
    size_t path_capacity;
    char *text;
    size_t text_capacity;
    size_t most;         /* bytes of a file */
    unsigned window_log;
    tree_counts counts;
};

/* ---- finding files ------------------------------------------------------- */

/* Whether to go on. */
static kedge_status check(const tree *t, kedge_error *err)
{
    return t->control == NULL ? KEDGE_OK : run_check(t->control, err);
}

/* t->path for a path within the root. */
static kedge_status set_path(tree *t, const char *folder, const char *name,
                             kedge_error *err)
{
    const size_t root = strlen(t->root), n = strlen(name);
    size_t f = strlen(folder);
    kedge_status st = KEDGE_OK;

    TRY_MEM(mem_grow((void **)&t->path, &t->path_capacity, root + f + n + 3, 1)
                ? t
                : NULL);
    memcpy(t->path, t->root, root);
    t->path[root] = '/';
    memcpy(t->path + root + 1, folder, f);
    if (f > 0 && n > 0)
        t->path[root + 1 + f++] = '/';
    memcpy(t->path + root + 1 + f, name, n + 1);
out:
    return st;
}

static kedge_status cannot(const tree *t, const char *what, kedge_error *err)
{
    const int code = errno;

    return kedge_fail(err, KEDGE_EIO, "%s: cannot %s: %s%s", t->path, what,
                      strerror(code),
                      code == EACCES ? "; make it readable (chmod -R a+rX), or "
                                       "name what is beside it instead of "
                                       "the folder"
                                     : "");
}

/* Adds t->path, as it is within the root, to a list of paths. */
static kedge_status add_path(tree *t, words *to, kedge_error *err)
{
    const char *const within = t->path + strlen(t->root) + 1;
    kedge_status st = KEDGE_OK;

    TRY_MEM(words_add(to, within, strlen(within)) ? t : NULL);
out:
    return st;
}

/* What t->path is; a link that leads to a directory is none. */
static kedge_status look(tree *t, bool *file, bool *folder, kedge_error *err)
{
    struct stat about;
    bool link;

    *file = *folder = false;
    if (lstat(t->path, &about) != 0)
        return errno == ENOENT ? KEDGE_OK : cannot(t, "look at it", err);
    link = S_ISLNK(about.st_mode);
    if (link && stat(t->path, &about) != 0) {
        const bool nowhere =
            errno == ENOENT || errno == ELOOP || errno == ENOTDIR;
        return nowhere ? KEDGE_OK : cannot(t, "look at it", err);
    }
    *file = S_ISREG(about.st_mode);
    *folder = S_ISDIR(about.st_mode) && !link;
    return KEDGE_OK;
}

static kedge_status take_name(tree *t, const char *folder, const char *name,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool file, is_folder;

    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return KEDGE_OK;
    if (name[0] == '.') {
        t->counts.hidden++;
        return KEDGE_OK;
    }
    TRY(set_path(t, folder, name, err));
    TRY(look(t, &file, &is_folder, err));
    if (file && t->files.count >= FILES_MAX)
        return kedge_fail(err, KEDGE_EFORMAT,
                          "%s: there are too many files: at most %zu were "
                          "expected",
                          t->root, FILES_MAX);
    if (file)
        TRY(add_path(t, &t->files, err));
    else if (is_folder)
        TRY(add_path(t, &t->folders, err));
    else
        t->counts.others++;
out:
    return st;
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
    kedge_status st = KEDGE_OK;
    size_t twin;

    TRY_MEM(words_add(&t->folders, "", 0) ? t : NULL);
    for (size_t i = 0; i < t->folders.count; i++)
        TRY(read_folder(t, i, err));
    words_free(&t->folders);
    t->counts.files = t->files.count;
    TRY_MEM(t->order = words_order(&t->files, &twin));
out:
    return st;
}

kedge_status tree_open(const char *path, const kedge_control *control,
                       tree **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    tree *t = NULL;
    size_t size;

    *out = NULL;
    if (path[0] == '\0')
        return kedge_fail(err, KEDGE_EINVAL,
                          "the path is empty: a directory was expected");
    TRY_MEM(t = mem_new(1, sizeof *t));
    t->control = control;
    tree_set_room(t, TREE_FILE_MAX, STREAM_WINDOW_LOG);
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

void tree_set_room(tree *t, size_t most, unsigned window_log)
{
    t->most = most;
    t->window_log = window_log;
}

void tree_close(tree *t)
{
    if (t == NULL)
        return;
    words_free(&t->folders);
    words_free(&t->files);
    mem_free(t->order);
    mem_free(t->root);
    mem_free(t->path);
    mem_free(t->text);
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

/* *is is false as soon as the file turns out to be none. */
static kedge_status read_text(tree *t, stream *in, span *text, bool *is,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t size = 0, got;
    bool looked = false;

    for (*is = true;;) {
        /* A byte more than there may be shows that there is. */
        const size_t room = t->most + 1 - size;
        const size_t piece = room < PIECE_BYTES ? room : PIECE_BYTES;
        TRY_MEM(mem_grow((void **)&t->text, &t->text_capacity, size + piece, 1)
                    ? t
                    : NULL);
        TRY(stream_read(in, t->text + size, piece, &got, err));
        size += got;
        if (!looked && (got == 0 || size >= TREE_LOOK)) {
            *is = is_text(t->text, size < TREE_LOOK ? size : TREE_LOOK);
            looked = true;
        }
        if (got == 0 || !*is)
            break;
        if (size > t->most)
            return kedge_fail(err, KEDGE_EFORMAT,
                              "%s: the file is larger than %zu bytes: one "
                              "document was expected",
                              stream_name(in), t->most);
    }
    *text = span_of(t->text, size);
    if (size >= 3 && memcmp(t->text, "\xef\xbb\xbf", 3) == 0)
        *text = span_of(t->text + 3, size - 3);
out:
    return st;
}

static kedge_status read_file(tree *t, span *text, bool *is, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    stream_counts bytes;
    stream *in = NULL;

    TRY(stream_open(t->path, t->control, &in, err));
    stream_set_window(in, t->window_log);
    st = read_text(t, in, text, is, err);
    t->counts.widest = t->text_capacity;
    stream_get_counts(in, &bytes);
    t->counts.bytes_read += bytes.read;
    t->counts.bytes_text += bytes.text;
    t->counts.bytes_total += bytes.total;
out:
    stream_close(in);
    return st;
}

static kedge_status next_file(tree *t, record *out, bool *is,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint32_t file = t->order[t->next++];
    const char *const name = words_get(&t->files, file);
    const char *const slash = strchr(name, '/');

    *out = (record){.kind = RECORD_TEXT};
    out->id = span_of(name, words_size(&t->files, file));
    if (slash != NULL)
        out->label = span_of(name, (size_t)(slash - name));
    TRY(set_path(t, "", name, err));
    TRY(read_file(t, &out->text, is, err));
out:
    return st;
}

kedge_status tree_next(tree *t, record *out, bool *more, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool is = false;

    *out = (record){.kind = RECORD_TEXT};
    while ((*more = t->next < t->files.count)) {
        TRY(check(t, err));
        TRY(next_file(t, out, &is, err));
        if (is)
            goto out;
        t->counts.not_text++;
    }
    *out = (record){.kind = RECORD_TEXT};
out:
    return st;
}

const words *tree_paths(const tree *t)
{
    return &t->files;
}

void tree_get_counts(const tree *t, tree_counts *out)
{
    *out = t->counts;
}

uint64_t tree_paths_memory(const tree *t)
{
    return t->files.capacity * sizeof *t->files.offset +
           t->files.byte_capacity + t->files.count * sizeof *t->order;
}

uint64_t tree_memusage(size_t most)
{
    /* While the text grows by a half at most, the old one lies beside it. */
    return sizeof(tree) + stream_memusage(STREAM_WINDOW_LOG) +
           3 * (uint64_t)most;
}
