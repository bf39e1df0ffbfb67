/* SPDX-License-Identifier: MIT */
#ifndef TESTS_EXPERIMENTS_PROBLEM_H
#define TESTS_EXPERIMENTS_PROBLEM_H
/*
 * What the programs of the experiments read and write: topics, something that
 * is known before documents are read, and documents, all from standard input;
 * shares to standard output. Numbers are this machine's, without any text:
 *
 *   5 uint64      rows, k, documents, entries, numbers
 *   rows x k      double: p(word | topic)
 *   numbers       double: what is known before
 *   documents + 1 uint64: where each one's entries begin
 *   entries       uint32: rows, rising within a document
 *   entries       uint32: how often each
 *
 * documents x k doubles are the answer, or, of programs that learn topics,
 * rows x k. What goes wrong ends the program, with
 * a word on standard error.
 */
#include <stddef.h>
#include <stdint.h>

typedef struct problem {
    uint64_t rows, k, documents, entries, numbers;
    double *b, *known;
    uint64_t *start;
    uint32_t *word, *tally;
    double *shares; /* documents x k, zeros */
} problem;

void problem_read(problem *p);
void problem_write(const problem *p); /* the shares */
void problem_tell(const double *answer, size_t count);
void problem_free(problem *p);

/* Memory or the end of the program. */
void *problem_room(size_t count, size_t size);
_Noreturn void problem_fail(const char *text);

/* A number of the command line. */
double problem_number(const char *text);

#endif
