/* SPDX-License-Identifier: MIT */
#ifndef TESTS_FUZZ_STORES_H
#define TESTS_FUZZ_STORES_H
/*
 * Small stores of every kind of record, and kedge's commands in this process.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "mutate.h"
#include "store/kv.h"

/* A record of a store as it was made. */
typedef struct stored {
    kv_db db;
    uint8_t *key, *bytes;
    size_t key_size, size;
    size_t kind; /* of those below */
} stored;

typedef struct made {
    uint8_t *file; /* its data.mdb */
    size_t size;
    stored *record;
    size_t count;
} made;

#define STORES_MOST 8

extern made stores[STORES_MOST];
extern size_t stores_count;

/* A kind of record: its tag, or what stands for one. */
typedef struct kind {
    char tag[8];
    uint64_t mutated; /* so far */
} kind;

extern kind *kinds; /* shared with processes that are forked later */
extern size_t kinds_count;

/* The place of a kind, which is new where it was not there. */
size_t kind_of(const char *tag);

/* Where all of it lies; gone when the process ends as it should. */
extern char stores_folder[256];

/* Makes them all; ends the process where that fails. */
void stores_make(void);

/* A file of that folder. */
const char *stores_path(const char *name, char path[512]);
void stores_write(const char *path, const void *from, size_t size);
uint8_t *stores_read(const char *path, size_t *size);

/* Takes a folder away; puts a made store there, as it was. */
void stores_remove(const char *path);
void stores_copy(size_t which, const char *name);

/* One of the made stores at stores_path("store"), with some records of it
 * mutated as the bytes say; how many. 0: it could not be. */
size_t stores_lay_out(chance *c);

/* A sketch file at stores_path("foreign"), likewise, and a sound store, or none,
 * that it is for. */
size_t stores_lay_out_part(chance *c);

/* Words, ids, labels or anchors at stores_path("list"), and a sound store. */
void stores_lay_out_list(chance *c);

/* Runs a command: words between blanks, of which $ is the folder. Gives its
 * exit code. */
int command_run(const char *line);
extern const char **command_now; /* the one that runs, for who watches */

/* Likewise, with a code that there is; and some that read stores_path("store"),
 * and some that write to it, after which what they made beside it is cleared
 * away (commands.c). */
int command_try(const char *line);
void commands_some(chance *c);
void commands_clear(void);

#endif
