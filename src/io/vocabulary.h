/* SPDX-License-Identifier: MIT */
#ifndef IO_VOCABULARY_H
#define IO_VOCABULARY_H
/* A vocabulary file: a word a line, plain, .gz or .zst; or the same of ids. */
#include <stdbool.h>

#include <kedge/source.h>

#include "base/words.h"

/* Reads it whole. EFORMAT with file and line: an empty line before the end, a
 * word that came before, a zero byte, a word longer than 4,096 bytes. A CR
 * before the LF is not part of the word. */
kedge_status vocabulary_read(const char *path, words *out, kedge_error *err);

/* Whether one comes along, in a file or with a program's own documents, if
 * these are the source (not NULL); and the same of it, a file in an encoding as
 * stream_set_encoding has it. */
bool vocabulary_comes(const char *path, const kedge_source *source);
kedge_status vocabulary_load(const char *path, const kedge_source *source,
                             const char *encoding, words *out,
                             kedge_error *err);

/* The same of documents' ids, of which there may be none, and of lines of their
 * classes; both may come again. */
kedge_status vocabulary_read_ids(const char *path, words *out,
                                 kedge_error *err);
kedge_status vocabulary_read_classes(const char *path, words *out,
                                     kedge_error *err);

#endif
