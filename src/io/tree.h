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
#include "io/reader.h"

#define TREE_FILE_MAX LINES_LIMIT /* bytes of a file, decompressed, at most */
#define TREE_LOOK     ((size_t)8192) /* bytes that decide what is text */

typedef struct tree tree;

/* Finds the files. The names stay in memory. EIO where a directory cannot be
 * read. What files are in is opts->format: FILES: each is a document; AUTO:
 * each is what it looks like (formats_are_records); or a format of records, all
 * of them: none is a document. What the options point to outlives the tree. */
kedge_status tree_open(const char *path, const reader_opts *opts,
                       const record_opts *how, tree **out, kedge_error *err);

/* As a record_format's `next`: EFORMAT for a file that is too large, or whose
 * compression is damaged or not understood, "file: what is wrong: ...", EIO
 * for one that cannot be read, and the next call goes on behind it. */
kedge_status tree_next(tree *t, record *out, bool *more, kedge_error *err);

/* The paths that lead to the files of records met so far. */
const words *tree_records(const tree *t);

/* Of all files, as they were when the tree was opened: the sum of their sizes,
 * and a digest of paths, sizes and modification times. */
void tree_get_stamp(const tree *t, reader_stamp *out);

/* Fills in what it counts: files and bytes. */
void tree_get_counts(const tree *t, reader_counts *out);

void tree_close(tree *t); /* accepts NULL */

#endif
