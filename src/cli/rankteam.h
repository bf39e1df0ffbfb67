/* SPDX-License-Identifier: MIT */
#ifndef CLI_RANKTEAM_H
#define CLI_RANKTEAM_H
/*
 * Processes that were started together and work on the same, as what carries
 * their words has it: a table of functions, which team_mpi.c fills in for MPI.
 * Where all have to call a function, they do so in the same order.
 */
#include <stddef.h>
#include <stdint.h>

#include <kedge/team.h>

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
    kedge_team *together;

    /* All, when all is done; or one of them, for the end of all. */
    void (*leave)(void);
    void (*abandon)(int code);
} team;

/* What the module has by this name. NULL where it cannot begin. */
typedef const team *team_join(void);
#define TEAM_JOIN "kedge_team_join"

#endif
