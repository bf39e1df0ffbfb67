/* SPDX-License-Identifier: MIT */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H
/*
 * A command that mpirun started several times over: its ranks find each other,
 * agree on what they are to do, and have a store each. Where all have to call a
 * function, they do so in the same order.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kedge/ingest.h>
#include <kedge/comm.h>

#include "command.h"

/* What carries their words, which team_mpi.c fills in for MPI. */
typedef struct team {
    unsigned rank, size;

    /* All: everybody's `bytes`, by rank. */
    void (*gather)(const void *mine, size_t bytes, void *all);

    /* 0 .. count-1, each to one rank alone, and then `count` to each. They
     * come from rank 0, which gives them out whenever it calls serve();
     * settle() is its last call, and ends when all have been told that there
     * are no more. */
    void (*deal)(uint64_t count);
    uint64_t (*ticket)(void);
    void (*serve)(void);
    void (*settle)(void);

    /* For the library. */
    kedge_comm *together;

    /* All, when all is done; or one of them, for the end of all. */
    void (*leave)(void);
    void (*abandon)(int code);
} team;

/* What the module has by this name. NULL where it cannot begin. */
typedef const team *team_join(void);
#define TEAM_JOIN "kedge_team_join"

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
int ranks_join(const job *j, const team **out);

/* Everybody has the same text, or none: otherwise some rank complains of what
 * it has beside the first that has one, all leave, and it is an exit code. */
int ranks_agree(const team *t, const char *what, const char *text);

/* All: GO_ON where everybody is ready; else those who are not have complained,
 * all leave, and it is an exit code. */
int ranks_ready(const team *t, bool ready);

/*
 * The work of this rank on its own store, STORE.2, as task_run does it; only
 * rank 0 shows how far it is. GO_ON where it is done, or the exit code of all:
 * also where no number can go behind the store's name, or where there are
 * stores of more ranks than there are, whose documents would be left out.
 */
int ranks_task(const team *t, job *j, kedge_open_mode mode, task_work *work,
               void *data);

/* The last act: `code` becomes that of all. A rank that failed ends the others,
 * which keep what they committed. */
int ranks_leave(const team *t, int code);

/* One rank's part of a result is added to another's: counts and bytes are
 * summed up, of memory and time the largest stays, of flags and texts what is
 * set. */
void add_fields(const char *result, const void *from, void *to,
                unsigned parts);

/* Sources dealt out to ranks. GO_ON, and what all of them read together, or the
 * exit code of all. */
int rankingest_run(const team *t, job *j, const kedge_ingest_opts *opts,
                   kedge_ingest_result *out);

#endif
