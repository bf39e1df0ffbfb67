/* SPDX-License-Identifier: MIT */
#ifndef IO_TREE_H
#define IO_TREE_H
/*
 * A directory of files: texts, a document a file. Files of records, as tables
 * and JSON are, are sources of their own, and only listed:
 *
 *   tree_open → tree_next until *more is false → tree_close
 *
 * Files come in the order of the bytes of their paths within the directory.
 * The path of a text is the document's id, the first directory, if there is
 * one, its label. A file may be compressed, and may have a byte order mark.
 *
 * What has a name that begins with a dot is passed over, as is what is no
 * file and no directory, and what is no text: a file that begins with a byte of
 * zero among its first TREE_LOOK, or with more than one byte in ten there that
 * is no UTF-8. A symbolic link is followed to a file, but not to a
 * directory: so there are no loops.
 */
#include "base/words.h"
#include "io/format.h"

#define TREE_FILE_MAX LINES_LIMIT /* bytes of a file, decompressed, at most */
#define TREE_LOOK     ((size_t)8192) /* bytes that decide what is text */

typedef struct tree tree;

typedef struct tree_counts {
    uint64_t files;      /* that the directory has */
    uint64_t texts;      /* read so far, as a document each */
    uint64_t hidden;     /* passed over for their names, files or directories */
    uint64_t not_text;   /* passed over so far for what is in them */
    uint64_t others;     /* links to directories or to nothing, pipes, ... */
    uint64_t bytes_read; /* as they came */
    uint64_t bytes_text; /* decompressed */
    uint64_t bytes_total; /* of the files begun, as they lie on disk */
    uint64_t widest; /* bytes of the buffer for a file */
} tree_counts;

/* Finds the files. The names stay in memory. EIO where a directory cannot be
 * read. `control` (may be NULL, must outlive the tree) is asked whether to
 * stop: ECANCELED. */
kedge_status tree_open(const char *path, const kedge_control *control,
                       tree **out, kedge_error *err);

/* What files are in: FILES (default): each is a document; AUTO: each is what it
 * looks like (formats.h); or a format of records, all of them: none is a
 * document. The options' strings outlive the tree. */
void tree_set_format(tree *t, kedge_format format, const record_opts *opts);

/* Lower limits, for a file's bytes and for zstd's window. */
void tree_set_room(tree *t, size_t most, unsigned window_log);

/* As stream_set_encoding; the name must outlive the tree. */
void tree_set_encoding(tree *t, const char *name);

/* As a record_format's `next`: EFORMAT for a file that is too large, or whose
 * compression is damaged or not understood, "file: what is wrong: ...", EIO
 * for one that cannot be read, and the next call goes on behind it. */
kedge_status tree_next(tree *t, record *out, bool *more, kedge_error *err);

/* The paths that lead to the files of records met so far. */
const words *tree_records(const tree *t);

void tree_get_counts(const tree *t, tree_counts *out);

void tree_close(tree *t); /* accepts NULL */

#endif
