/* SPDX-License-Identifier: MIT */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H
/*
 * A command that mpirun started several times over: its ranks find each other,
 * agree on what they are to do, and have a store each.
 */
#include <stdbool.h>
#include <stddef.h>

#include "command.h"
#include "options.h"
#include "rankteam.h"
#include "task.h"

/* How many there are, as mpirun says that started them; 0: this program was
 * started by itself. */
unsigned long ranks_started(void);

/* How many of them share this machine's cores, as far as is known. */
unsigned long ranks_here(void);

/*
 * Joins the others. *out is NULL where the program was started alone, or as one
 * that needs no others. GO_ON, or the exit code where ranks are not alike or
 * cannot find each other. From here on what this process complains of begins
 * with its rank.
 */
int ranks_join(const command *self, int argc, char **argv, const team **out);

/* Everybody has the same text, or none: otherwise some rank complains of what
 * it has beside the first that has one, all leave, and it is an exit code. */
int ranks_agree(const team *t, const char *what, const char *text);

/* All: GO_ON where everybody is ready; else those who are not have complained,
 * all leave, and it is an exit code. */
int ranks_ready(const team *t, bool ready);

/* All, before any store is touched: GO_ON, or the exit code where no number can
 * go behind its name, or where there are stores of more ranks than there are,
 * whose documents would be left out. */
int ranks_check(const team *t, const char *store);

/* Rank 0 alone shows how far it is and tells of it. */
void ranks_hush(const team *t, common *c);


/* "STORE.2": the one of this rank; to be freed. */
char *ranks_store(const team *t, const char *store);

/* The work of this rank on its own store, as task_run does it; only rank 0
 * shows how far it is. GO_ON where it is done, or the exit code of all. */
int ranks_task(const team *t, const char *store, kedge_open_mode mode,
               common *c, task_work *work, void *data);

/* The last act: `code` becomes that of all. A rank that failed ends the others,
 * which keep what they committed. */
int ranks_leave(const team *t, int code);

#endif
