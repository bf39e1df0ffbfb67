/* SPDX-License-Identifier: MIT */
/*
 * Reading by several ranks, each into a store of its own: a source goes to the
 * rank that has begun it, and else to the first that has nothing to do.
 */
#include "ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <kedge/kedge.h>

typedef struct rankingest {
    const team *t;
    const char *const *sources;
    size_t count;
    const kedge_ingest_opts *opts;
    kedge_ingest_result result; /* of this rank */
} rankingest;

/* What a rank has of a source. ALIKE is one under another name that begins with
 * the same documents: reading tells whether it is the same, so that this rank
 * reads it. */
enum { NOTHING, ALIKE, BEGUN, COMPLETE };

/* Ranks may see other files by the same name. */
static int check_file(const rankingest *r, const char *path)
{
    char digest[32] = "";
    uint64_t sum = 14695981039346656037u;
    FILE *const file = path != NULL ? fopen(path, "rb") : NULL;

    for (int c; file != NULL && (c = getc(file)) != EOF;)
        sum = (sum ^ (uint64_t)c) * 1099511628211u;
    if (file != NULL) {
        fclose(file);
        snprintf(digest, sizeof digest, "%016" PRIx64, sum);
    }
    return ranks_agree(r->t, "has a file with digest", digest);
}

/* Before any store is touched: GO_ON, or the exit code of all. */
static int check_line(const rankingest *r)
{
    bool piped = false;
    int code = check_file(r, r->opts->vocabulary);

    if (code == GO_ON)
        code = check_file(r, r->opts->stopwords);
    if (code != GO_ON)
        return code;
    for (size_t i = 0; i < r->count; i++)
        piped = piped || strcmp(r->sources[i], "-") == 0;
    if (piped && r->t->rank == 0)
        complain("standard input cannot be dealt out to ranks: name files");
    return ranks_ready(r->t, !piped);
}

/* Which file a path leads to. */
typedef struct place {
    bool found;
    dev_t device;
    ino_t file;
} place;

static place find_place(const char *path)
{
    struct stat s;

    if (stat(path, &s) != 0)
        return (place){.found = false};
    return (place){true, s.st_dev, s.st_ino};
}

static bool same_place(const place *a, const place *b)
{
    return a->found && b->found && a->device == b->device &&
           a->file == b->file;
}

/* Every source that is the one before it, by its name or by what that leads
 * to: two ranks would read it. As rank 0 sees it, so that all agree. */
static bool *find_again(const rankingest *r)
{
    place *const at = claim(r->count, sizeof *at);
    bool *const again = claim(r->count, sizeof *again);
    bool *const all = claim(r->count, r->t->size * sizeof *all);

    for (size_t s = 0; s < r->count; s++) {
        at[s] = find_place(r->sources[s]);
        for (size_t b = 0; b < s && !again[s]; b++)
            again[s] = strcmp(r->sources[b], r->sources[s]) == 0 ||
                       same_place(&at[b], &at[s]);
    }
    r->t->gather(again, r->count * sizeof *again, all);
    memcpy(again, all, r->count * sizeof *again);
    free(all);
    free(at);
    return again;
}

/* The ledger's name may be cut. */
static bool is_named(const kedge_source_info *info, const char *source)
{
    const place there = find_place(info->name), here = find_place(source);

    return strncmp(source, info->name, sizeof info->name - 1) == 0 ||
           same_place(&there, &here);
}

/* A file that nobody wrote to since it was read to its end need not be read to
 * know that it is the same; of a directory that cannot be seen. */
static bool is_done(const rankingest *r, const kedge_source_info *info,
                    const char *source)
{
    struct stat s;

    return !r->opts->reread && info->complete && stat(source, &s) == 0 &&
           S_ISREG(s.st_mode) &&
           s.st_mtime >= 0 && (uint64_t)s.st_mtime < info->when;
}

/* Of a source that begins like `number` of the ledger: among all entries that
 * begin so, the one of this file. */
static kedge_status find_mark(const rankingest *r, kedge_store *store,
                              uint64_t number, const char *source,
                              unsigned char *mark, kedge_error *err)
{
    kedge_source_info like, other;
    kedge_status st = kedge_store_get_source(store, number, &like, err);

    *mark = ALIKE;
    for (uint64_t i = 0; st == KEDGE_OK; i++) {
        st = i == number ? KEDGE_OK
                         : kedge_store_get_source(store, i, &other, err);
        if (i == number)
            other = like;
        if (st == KEDGE_OK && !other.removed && other.head == like.head &&
            is_named(&other, source)) {
            *mark = is_done(r, &other, source) ? COMPLETE : BEGUN;
            return KEDGE_OK;
        }
    }
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
}

/* Of every source, what this rank's store has: of a file that was changed,
 * nothing. */
static kedge_status find_marks(const rankingest *r, kedge_store *store,
                               const kedge_control *control,
                               unsigned char *mark, kedge_error *err)
{
    uint64_t *const found = claim(r->count, sizeof *found);
    kedge_store_info info;
    kedge_status st = kedge_store_get_info(store, &info, err);

    if (st == KEDGE_OK && info.sources > 0)
        st = kedge_ingest_find(store, r->sources, r->count, r->opts, control,
                               found, err);
    for (size_t s = 0; st == KEDGE_OK && info.sources > 0 && s < r->count; s++)
        if (found[s] != KEDGE_NO_SOURCE)
            st = find_mark(r, store, found[s], r->sources[s], &mark[s], err);
    free(found);
    return st;
}

/* The first rank that has begun a source goes on with it, or else the first
 * that has one like it. */
static bool is_begun_here(const rankingest *r, const unsigned char *all,
                          size_t source, bool *open)
{
    for (int least = BEGUN; least >= ALIKE; least--)
        for (unsigned n = 0; n < r->t->size; n++) {
            const unsigned char mark = all[n * r->count + source];
            if (mark < least)
                continue;
            *open = false;
            return mark != COMPLETE && n == r->t->rank;
        }
    *open = true;
    return false;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void add_up(const kedge_ingest_result *from, kedge_ingest_result *to)
{
    const kedge_ingest_result before = *to;

    add_fields("kedge_ingest_result", from, to, ALL_PARTS);
    to->words = larger(from->words, before.words);
    to->min_tokens = larger(from->min_tokens, before.min_tokens);
    to->sketch_size = larger(from->sketch_size, before.sketch_size);
    if (to->documents > 0)
        to->too_short_share = (double)to->too_short / (double)to->documents;
}

static kedge_status read_one(rankingest *r, size_t source, kedge_store *store,
                             const kedge_control *control, kedge_error *err)
{
    kedge_ingest_result one;
    kedge_status st = kedge_ingest(store, &r->sources[source], 1, r->opts,
                                   control, &one, err);
    const double seconds = r->result.seconds + one.seconds;

    add_up(&one, &r->result);
    r->result.seconds = seconds;
    return st;
}

/* What this rank has begun, and then what it is dealt of what nobody has. */
static kedge_status read_dealt(rankingest *r, kedge_store *store,
                               const unsigned char *all, const bool *again,
                               const kedge_control *control, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t *const open = claim(r->count, sizeof *open), opened = 0;
    uint64_t ticket;
    bool is_open;

    for (size_t s = 0; s < r->count; s++) {
        is_begun_here(r, all, s, &is_open);
        if (is_open && !again[s])
            open[opened++] = s;
    }
    r->t->deal(opened);
    for (size_t s = 0; st == KEDGE_OK && s < r->count; s++)
        if (is_begun_here(r, all, s, &is_open) && !again[s])
            st = read_one(r, s, store, control, err);
    while (st == KEDGE_OK && (ticket = r->t->ticket()) < opened)
        st = read_one(r, open[ticket], store, control, err);
    if (st == KEDGE_OK && r->t->rank == 0)
        r->t->settle();
    free(open);
    return st;
}

/* The work of this rank. */
static kedge_status read_sources(void *data, kedge_store *store,
                                 const kedge_control *control,
                                 kedge_error *err)
{
    rankingest *const r = data;
    unsigned char *const mark = claim(r->count, 1);
    unsigned char *const all = claim(r->count, r->t->size);
    bool *const again = find_again(r);
    const kedge_member self = {r->t->together, store, NULL, NULL};
    kedge_status st = kedge_comm_settle(&self, err);

    if (st == KEDGE_OK)
        st = find_marks(r, store, control, mark, err);

    for (size_t s = 0; s < r->count; s++)
        r->result.sources_known += mark[s] == COMPLETE && !again[s];
    if (st == KEDGE_OK) {
        r->t->gather(mark, r->count, all);
        st = read_dealt(r, store, all, again, control, err);
    }
    free(again);
    free(all);
    free(mark);
    return st;
}

int rankingest_run(const team *t, job *j, const kedge_ingest_opts *opts,
                   kedge_ingest_result *out)
{
    rankingest r = {.t = t, .sources = j->rest, .count = j->rest_count,
                    .opts = opts};
    kedge_ingest_result *all;
    int code = check_line(&r);

    /* tickets are given out while rank 0 reads */
    j->common.beside = t->rank == 0 ? t->serve : NULL;
    if (code == GO_ON)
        code = ranks_task(t, j, KEDGE_OPEN_CREATE, read_sources, &r);
    if (code != GO_ON)
        return code;
    all = claim(t->size, sizeof *all);
    t->gather(&r.result, sizeof r.result, all);
    for (unsigned n = 0; n < t->size; n++)
        add_up(&all[n], out);
    free(all);
    return GO_ON;
}
