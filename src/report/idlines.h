/* SPDX-License-Identifier: MIT */
#ifndef REPORT_IDLINES_H
#define REPORT_IDLINES_H
/*
 * documents.txt: the ids of documents, a line each. And names of any bytes in
 * files where lines, or blanks, divide: what would divide is escaped.
 */
#include "report/newfile.h"

typedef struct idlines {
    newfile f;
    textbuf line;
} idlines;

/* As newfile_open. */
kedge_status idlines_open(idlines *l, const char *directory, kedge_error *err);
kedge_status idlines_add(idlines *l, const char *id, size_t size,
                         kedge_error *err);
kedge_status idlines_commit(idlines *l, kedge_error *err);

/* No effect after a commit, which still needs it for the memory. */
void idlines_discard(idlines *l);

/* Adds a name with \\, \n and \r for backslashes and ends of lines; for what
 * is divided by blanks also \s for the blank, \t, \v and \f. */
void idlines_escape(textbuf *t, const char *name, size_t size, bool blanks);

#endif
