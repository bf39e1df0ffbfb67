/* SPDX-License-Identifier: MIT */
#ifndef IO_STREAM_H
#define IO_STREAM_H
/*
 * A source as a stream of decompressed bytes: a file, or standard input,
 * plain, gzip (any number of members) or zstd (any number of frames). Which it
 * is, its first bytes say, never its name.
 *
 * What it gives is UTF-8, without a byte order mark: a mark of UTF-16 or UTF-32
 * says that the text has to be converted, or else an encoding that was named:
 * that is for lines which are no UTF-8 (of UTF-16 and the like: for sources).
 * What is none of that encoding's becomes the byte 0xff, which is no UTF-8, so
 * that whoever looks for such bytes finds the place.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kedge/control.h>

typedef struct stream stream;
struct stat;

/* A zstd window above 2^27 bytes, the default limit of the zstd tool too, is
 * refused: it is memory that a file could otherwise make us take. */
#define STREAM_WINDOW_LOG 27

typedef struct stream_counts {
    uint64_t read;  /* bytes as they came */
    uint64_t text;  /* bytes after decompression */
    uint64_t total; /* of the file as it lies on disk, 0 for a pipe */
    uint64_t modified; /* when that was changed last, before it was read:
                          nanoseconds since 1970; 0 for standard input */
} stream_counts;

/* "-" is standard input. Reads the first bytes. EIO, ENOMEM; EFORMAT for a
 * directory and for compressions that are known but not understood. A pipe may
 * have nothing to give for long: while it is waited for, `control` (may be
 * NULL, must outlive the stream) is asked whether to stop: ECANCELED. */
kedge_status stream_open(const char *path, const kedge_control *control,
                         stream **out, kedge_error *err);

/*
 * At least one byte to `to`, at most `room`; *got is 0 at the end, and only
 * where the compressed data is whole and nothing follows it. EFORMAT with the
 * reason for damage, EIO.
 */
kedge_status stream_read(stream *s, char *to, size_t room, size_t *got,
                         kedge_error *err);

/* The encoding of the text, as iconv calls it ("latin1"), before anything is
 * read; NULL: UTF-8. EINVAL when it is not known. */
kedge_status stream_set_encoding(stream *s, const char *name,
                                 kedge_error *err);

/* It is no text: bytes are given as they are. Before anything is read. */
void stream_set_binary(stream *s);

/* A smaller limit for zstd's window, before anything is read. What it then
 * refuses, "file: the zstd data needs ...", is EFORMAT too. */
void stream_set_window(stream *s, unsigned log);

/* Whether stream_read has something to work on; waits so long for it. */
bool stream_ready(const stream *s, double seconds);

/* How messages call the source: its path, cut from the left when very long, or
 * "standard input". Lives as long as the stream. */
const char *stream_name(const stream *s);

void stream_get_counts(const stream *s, stream_counts *out);

void stream_close(stream *s); /* accepts NULL */

/* When a file was changed last, nanoseconds since 1970. */
uint64_t stream_time(const struct stat *about);

/* What is known of a file before it is read. */
typedef struct stream_size {
    uint64_t text;   /* bytes after decompression, about; 0: not known */
    uint64_t window; /* bytes of the largest that zstd's frames need */
} stream_size;

/* Of zstd data headers are read and nothing else. What is no file, and what is
 * not what it begins as, is not known; reading finds out. */
void stream_measure(const char *path, stream_size *out);

/* zlib's, for reader_library_version. */
const char *stream_library_version(void);

#endif
