/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_NEWFILE_H
#define EXPORT_NEWFILE_H
/*
 * A file that appears whole under its name or not at all: it is written beside
 * its place under a name of its own and moved there once it is on the disk. A
 * file that had the name before stays until then. What killed writers of the
 * same name left beside it goes when the next one begins: who writes holds a
 * lock (flock) on what it writes. A device, a pipe or a link is no file that
 * could be replaced, and what a store is made of is not replaced either.
 *
 * It can be compressed by gzip while it is written. The header of that holds no
 * time and no name: what is written alone decides its bytes.
 */
#include <stdio.h>

#include <kedge/status.h>

#include "export/text.h"

typedef struct newfile {
    FILE *out;
    char *path, *temporary;
    textbuf text; /* that newfile_flush writes */
    struct newfile_gzip *gzip; /* or NULL */
} newfile;

/* EINVAL where something else has the name, EIO, ENOMEM; on failure there is
 * nothing to discard. */
kedge_status newfile_open(newfile *f, const char *directory, const char *name,
                          kedge_error *err);
kedge_status newfile_open_gzip(newfile *f, const char *directory,
                               const char *name, kedge_error *err);

/* The same, of a path: the file and its directory by themselves. */
kedge_status newfile_open_path(newfile *f, const char *path,
                               kedge_error *err);

/* EIO with the path and what errno says. */
kedge_status newfile_write(newfile *f, const void *bytes, size_t size,
                           kedge_error *err);

/* Writes the text, which is empty then. EIO, ENOMEM. */
kedge_status newfile_flush(newfile *f, kedge_error *err);

/* Back to the first byte; not of what is compressed. */
kedge_status newfile_rewind(newfile *f, kedge_error *err);

/* Writes the text, waits for the disk, and gives the file its name. */
kedge_status newfile_commit(newfile *f, kedge_error *err);

/* Removes what was written; no effect after a commit or a failed open. */
void newfile_discard(newfile *f);

/* All of it at once: a file of these bytes. */
kedge_status newfile_put(const char *directory, const char *name,
                         const void *bytes, size_t size, kedge_error *err);

/* ---- arrays ------------------------------------------------------------- */

/*
 * Matrices as NumPy's .npy, version 1.0: little-endian, C order, the numbers
 * beginning at a multiple of 64 bytes. On any machine the same bytes. Values
 * are rows x cols, row-major; cols 0 stands for a vector of `rows`.
 */
kedge_status npy_write_f64(newfile *f, const double *values, size_t rows,
                           size_t cols, kedge_error *err);
kedge_status npy_write_u64(newfile *f, const uint64_t *values, size_t rows,
                           size_t cols, kedge_error *err);

/* A matrix whose number of rows is not known before its end, in float64 where
 * `wide`, else in float32: npy_begin, rows, npy_end, which goes back and writes
 * the header. */
kedge_status npy_begin(newfile *f, kedge_error *err);
kedge_status npy_row(newfile *f, const double *values, size_t cols, bool wide,
                     kedge_error *err);
kedge_status npy_end(newfile *f, size_t rows, size_t cols, bool wide,
                     kedge_error *err);

#endif
