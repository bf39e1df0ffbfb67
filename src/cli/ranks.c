/* SPDX-License-Identifier: MIT */
#include "ranks.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kedge/kedge.h>

#define MODULE "kedge-mpi.so"

enum { LINE = 4096 };

/* What mpirun and srun tell each process of how many there are. */
static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL};
static const char *const sizes_here[] = {"OMPI_COMM_WORLD_LOCAL_SIZE",
                                          "MPI_LOCALNRANKS", NULL};

static unsigned long told(const char *const *names)
{
    for (size_t i = 0; names[i] != NULL; i++)
        if (getenv(names[i]) != NULL)
            return strtoul(getenv(names[i]), NULL, 10);
    return 1;
}

/* srun starts single programs, which are none of a team, with a size too;
 * mpirun alone tells of this machine. */
static bool by_mpirun(void)
{
    for (size_t i = 0; sizes_here[i] != NULL; i++)
        if (getenv(sizes_here[i]) != NULL)
            return true;
    return false;
}

unsigned long ranks_started(void)
{
    const unsigned long size = told(sizes);

    return size > 1 || by_mpirun() ? size : 0;
}

unsigned long ranks_here(void)
{
    const unsigned long here = told(sizes_here);

    return here > 0 ? here : 1;
}

/* Beside the program, where it was built; or where it was installed. */
static void *find_module(void)
{
    char program[LINE], path[LINE + sizeof MODULE];
    const ssize_t length =
        readlink("/proc/self/exe", program, sizeof program - 1);
    void *found = NULL;

    if (length > 0) {
        program[length] = '\0';
        *strrchr(program, '/') = '\0';
        snprintf(path, sizeof path, "%s/%s", program, MODULE);
        found = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
    return found != NULL ? found
                         : dlopen(KEDGE_MODULES "/" MODULE,
                                  RTLD_NOW | RTLD_GLOBAL);
}

static const team *join(void)
{
    void *const module = find_module();
    team_join *begin;

    if (module == NULL)
        return NULL;
    *(void **)&begin = dlsym(module, TEAM_JOIN);
    return begin != NULL ? begin() : NULL;
}

/* Everything typed, and who reads it. The caller frees it. */
static char *describe(const job *j)
{
    const command *const self = j->self;
    char **const argv = j->argv;
    const int argc = j->argc;
    size_t room = strlen(kedge_version()) + strlen(self->name) + 16;
    char *line;
    int at;

    for (int i = 0; i < argc; i++)
        room += 1 + strlen(argv[i]);
    line = claim(room, 1);
    at = snprintf(line, room, "kedge %s: %s", kedge_version(), self->name);
    for (int i = 0; i < argc; i++)
        at += snprintf(line + at, room - (size_t)at, " %s", argv[i]);
    return line;
}

int ranks_join(const job *j, const team **out)
{
    const unsigned long started = ranks_started();
    static char who[32];
    const team *t;
    char *line;
    int code;

    *out = NULL;
    if (started == 0)
        return GO_ON;
    t = join();
    if (t == NULL) {
        complain("mpirun started %lu processes, but this kedge was built "
                 "without MPI; install libopenmpi-dev or libmpich-dev and "
                 "build it again", started);
        return EXIT_FAILED;
    }
    if (t->size != started) {
        complain("mpirun started %lu processes, but they find only %u: it "
                 "belongs to another MPI than kedge was built "
                 "with", started, t->size);
        return EXIT_FAILED;
    }
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ); /* lines of several, not mixed */
    snprintf(who, sizeof who, "rank %u", t->rank);
    complain_as(who);
    *out = t;
    line = describe(j);
    code = ranks_agree(t, "was started as", line);
    free(line);
    return code;
}

int ranks_ready(const team *t, bool ready)
{
    const unsigned char mine = ready;
    unsigned char *const all = claim(t->size, 1);
    bool every = true;

    t->gather(&mine, 1, all);
    for (unsigned r = 0; r < t->size; r++)
        every = every && all[r];
    free(all);
    if (every)
        return GO_ON;
    t->leave();
    return EXIT_USAGE;
}

int ranks_agree(const team *t, const char *what, const char *text)
{
    uint64_t size = strlen(text) + 1, most = 0;
    uint64_t *const theirs = claim(t->size, sizeof *theirs);
    const char *first = NULL;
    char *mine, *all;
    bool alike;

    t->gather(&size, sizeof size, theirs);
    for (unsigned r = 0; r < t->size; r++)
        most = theirs[r] > most ? theirs[r] : most;
    free(theirs);
    mine = claim(most, 1);
    all = claim(most, t->size);
    memset(mine, 0, most);
    memcpy(mine, text, size);
    t->gather(mine, most, all);
    for (unsigned r = 0; r < t->size && first == NULL; r++)
        if (all[r * most] != '\0')
            first = all + r * most;
    alike = mine[0] == '\0' || strcmp(mine, first) == 0;
    if (!alike)
        complain("this rank %s '%s', another '%s': they must be equal",
                 what, mine, first);
    free(all);
    free(mine);
    return ranks_ready(t, alike);
}

/* Without slashes at its end. */
static size_t store_length(const char *store)
{
    size_t length = strlen(store);

    while (length > 1 && store[length - 1] == '/')
        length--;
    return length;
}

/* Whether a number can go behind the store's name: "." and ".." are none, and
 * neither is "/". */
static bool can_name(const char *store)
{
    const size_t length = store_length(store);
    size_t from = length;

    while (from > 0 && store[from - 1] != '/')
        from--;
    return length - from > 2 || strspn(store + from, ".") < length - from;
}

/* "STORE.2": the one of this rank; to be freed. */
static char *own_store(const team *t, const char *store)
{
    const size_t room = strlen(store) + 16;
    char *const own = claim(room, 1);

    snprintf(own, room, "%.*s.%u", (int)store_length(store), store, t->rank);
    return own;
}

/* All, before any store is touched. */
static int check_names(const team *t, const char *store)
{
    const team beyond = {.rank = t->rank + t->size};
    char *const other = own_store(&beyond, store);
    struct stat found;
    const bool named = can_name(store);
    const bool more = named && stat(other, &found) == 0;

    if (more)
        complain("there is a store %s from an earlier run with more ranks: use "
                 "as many again", other);
    if (!named && t->rank == 0)
        complain("%s: cannot append a number: the ranks' stores are STORE.0, "
                 "STORE.1 and so on", store);
    free(other);
    return ranks_ready(t, named && !more);
}

int ranks_task(const team *t, job *j, kedge_open_mode mode, task_work *work,
               void *data)
{
    kedge_status st;
    char *own;
    const int code = check_names(t, j->store);

    if (code != GO_ON)
        return code;
    if (t->rank > 0) {
        j->common.progress = PROGRESS_NONE;
        j->common.quiet = true;
    }
    own = own_store(t, j->store);
    st = task_run(own, mode, &j->common, work, data, &j->err);
    free(own);
    return st == KEDGE_OK ? GO_ON
                          : ranks_leave(t, complain_status(st, &j->err));
}

int ranks_leave(const team *t, int code)
{
    if (code != EXIT_OK)
        t->abandon(code);
    t->leave();
    return code;
}

static void add_number(const kedge_field *f, const char *from, char *to)
{
    uint64_t a, b;

    memcpy(&a, from, sizeof a);
    memcpy(&b, to, sizeof b);
    if (f->kind != KEDGE_FIELD_MEMORY)
        b += a;
    else if (a > b)
        b = a;
    memcpy(to, &b, sizeof b);
}

void add_fields(const char *result, const void *from, void *to,
                unsigned parts)
{
    const kedge_fields *const all = kedge_fields_find(result);

    for (const kedge_field *f = all->fields; f < all->fields + all->count;
         f++) {
        const char *const a = (const char *)from + f->offset;
        char *const b = (char *)to + f->offset;
        double x, y;

        if ((PART(f->part) & parts) == 0)
            continue;
        if (f->kind == KEDGE_FIELD_COUNT || f->kind == KEDGE_FIELD_BYTES ||
            f->kind == KEDGE_FIELD_MEMORY)
            add_number(f, a, b);
        else if (f->kind == KEDGE_FIELD_FLAG)
            *b = *b || *a;
        else if (f->kind == KEDGE_FIELD_TEXT && *b == '\0')
            memcpy(b, a, f->size);
        if (f->kind != KEDGE_FIELD_SECONDS)
            continue;
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        memcpy(b, x > y ? &x : &y, sizeof x);
    }
}
