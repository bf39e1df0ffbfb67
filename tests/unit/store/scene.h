/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_STORE_SCENE_H
#define TESTS_UNIT_STORE_SCENE_H
/*
 * What the tests of the store share: a directory of its own for each case,
 * random documents, and a gate that lets the k-th allocation fail.
 */
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/docs.h"
#include "base/hash.h"
#include "base/mem.h"
#include "store/records.h"
#include "store/store.h"
#include "unit.h"

typedef struct scene {
    char root[64];
    char path[80]; /* of the store */
    char data[96]; /* its data file */
    store *s;
    store_txn *txn; /* the one that is open */
    bool unlimited; /* records are by themselves, without totals */
    kedge_error err;
} scene;

static inline void scene_paths(scene *t)
{
    const char *const tmp = getenv("TMPDIR");

    *t = (scene){0};
    snprintf(t->root, sizeof t->root, "%.40s/kedge-XXXXXX",
             tmp != NULL && strlen(tmp) <= 40 ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(t->root));
    snprintf(t->path, sizeof t->path, "%s/store", t->root);
    snprintf(t->data, sizeof t->data, "%s/data.mdb", t->path);
}

static inline void scene_open(scene *t, kedge_open_mode mode)
{
    ck_ok(kedge_store_open(t->path, mode, &t->s, &t->err), t->err);
}

/* An empty store, open for writing. */
static inline void scene_make(scene *t)
{
    scene_paths(t);
    scene_open(t, KEDGE_OPEN_CREATE);
}

/* The same for records that nothing else is there to. */
static inline void scene_make_unlimited(scene *t)
{
    scene_make(t);
    t->unlimited = true;
}

static inline void scene_close(scene *t)
{
    kedge_store_close(t->s);
    t->s = NULL;
    t->txn = NULL;
}

static inline void scene_reopen(scene *t, kedge_open_mode mode)
{
    scene_close(t);
    scene_open(t, mode);
}

static inline void scene_write(scene *t)
{
    ck_ok(store_begin_write(t->s, &t->txn, &t->err), t->err);
    if (t->unlimited)
        ledger_set_limits(t->txn, STORE_NO_LIMITS);
}

static inline void scene_read(scene *t)
{
    ck_ok(store_begin_read(t->s, &t->txn, &t->err), t->err);
    if (t->unlimited)
        ledger_set_limits(t->txn, STORE_NO_LIMITS);
}

static inline void scene_commit(scene *t)
{
    ck_ok(store_commit(&t->txn, &t->err), t->err);
}

/* Words from number `from` on, and that the totals have them. */
static inline void scene_put_words(scene *t, const words *w, size_t from)
{
    store_totals totals;

    ck_ok(store_get_totals(t->txn, &totals, &t->err), t->err);
    totals.words = w->count;
    totals.word_bytes = words_bytes(w);
    ck_ok(store_put_words(t->txn, w, from, &t->err), t->err);
    ck_ok(store_put_totals(t->txn, &totals, &t->err), t->err);
}

static inline void scene_remove(const char *path)
{
    DIR *dir = opendir(path);
    char name[768];

    if (dir != NULL) {
        for (const struct dirent *e; (e = readdir(dir)) != NULL;)
            if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
                snprintf(name, sizeof name, "%.500s/%.255s", path,
                         e->d_name);
                if (unlink(name) != 0)
                    scene_remove(name);
            }
        closedir(dir);
    }
    rmdir(path);
}

static inline void scene_end(scene *t)
{
    scene_close(t);
    scene_remove(t->root);
}

/* Scenes that end by themselves: OWN(scene_drop) scene *const t = scene_new().
 * Without a store; with one that is empty, open for writing; with a transaction
 * that writes; with one whose records are by themselves. */
static inline scene *scene_blank(void)
{
    scene *const t = calloc(1, sizeof *t);

    ck_assert_ptr_nonnull(t);
    return t;
}

static inline scene *scene_new(void)
{
    scene *const t = scene_blank();

    scene_make(t);
    return t;
}

static inline scene *scene_writing(void)
{
    scene *const t = scene_new();

    scene_write(t);
    return t;
}

static inline scene *scene_unlimited(void)
{
    scene *const t = scene_new();

    t->unlimited = true;
    scene_write(t);
    return t;
}

static inline void scene_drop(scene *const *t)
{
    scene_end(*t);
    free(*t);
}

/* ck_ok and ck_fails where the scene is `t`. */
#define OK(...)              ck_ok((__VA_ARGS__), t->err)
#define FAILS(expr, st, says) ck_fails(expr, st, t->err, says)

/* Scenes from here on are in memory, where there is such a place: commits are
 * quick there. */
static inline void scene_in_memory(void)
{
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
}

/* Waits for a child and gives its exit code; -1 for a signal. */
static inline int scene_reap(pid_t child)
{
    int status;

    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The number `i` of stream `seed`, below `n`. */
static inline uint64_t scene_random(uint64_t seed, uint64_t i, uint64_t n)
{
    return hash_stream(seed, i) % n;
}

/* The same, of every magnitude up to `bits` bits. */
static inline uint64_t scene_any(uint64_t seed, uint64_t i, unsigned bits)
{
    const uint64_t drop = 64 - bits + scene_random(~seed, i, bits + 1);

    return drop < 64 ? hash_stream(seed, i) >> drop : 0;
}

/* An id, a label, both or none; of any bytes. */
static inline void scene_name(docs *d, uint64_t seed, size_t i)
{
    const uint64_t kind = scene_random(seed, 3 * i, 4);
    char bytes[400];

    for (size_t b = 0; b < sizeof bytes; b++)
        bytes[b] = (char)scene_random(seed + 3 * i + 1, b, 256);
    ck_assert(docs_set_name(
        d, span_of(bytes, kind & 1 ? scene_random(seed, 3 * i + 1, 256) : 0),
        span_of(bytes + 100,
                kind & 2 ? scene_random(seed, 3 * i + 2, 300) : 0)));
}

/* `count` documents; sizes, steps and tallies of every magnitude. Those of odd
 * seeds have ids and labels. */
static inline void scene_docs(docs *d, uint64_t seed, size_t count)
{
    uint64_t at = 0, position = scene_random(seed, at++, 1000);

    docs_clear(d);
    for (size_t i = 0; i < count; i++) {
        const uint64_t entries = scene_random(seed, at++, 40);
        uint64_t word = 0;
        position += 1 + scene_any(seed, at++, 40);
        ck_assert(docs_begin(d, position));
        if (seed % 2 == 1)
            scene_name(d, ~seed, i);
        for (uint64_t e = 0; e < entries && word <= UINT32_MAX; e++) {
            const uint64_t more =
                scene_any(seed, at++, i + 1 == count ? 24 : 14);
            word += scene_any(seed, at++, 30);
            if (word <= UINT32_MAX)
                ck_assert(docs_push(d, (uint32_t)word, (uint32_t)more + 1));
            word++;
        }
    }
}

/* The same documents, some of them with orders, of any symbols that they may
 * have. */
static inline void scene_orders(docs *d, uint64_t seed, size_t count)
{
    docs bare = {0};
    uint64_t at = 0;

    scene_docs(&bare, seed, count);
    docs_clear(d);
    for (size_t m = 0; m < count; m++) {
        const size_t entries = bare.start[m + 1] - bare.start[m];
        uint64_t n = scene_any(~seed, at++, 8);
        ck_assert(docs_append(d, &bare, m));
        for (; n > 0; n--) {
            const uint32_t symbol =
                (uint32_t)scene_random(~seed, at++, entries + 1);
            ck_assert(docs_push_order(d, &symbol, 1));
        }
    }
    docs_free(&bare);
}

static inline bool scene_same_names(const docs *a, const docs *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (!span_equal(docs_id(a, i), docs_id(b, i)) ||
            !span_equal(docs_label(a, i), docs_label(b, i)))
            return false;
    return true;
}

static inline bool scene_same_docs(const docs *a, const docs *b)
{
    const size_t entries = docs_entries(a);

    if (a->count != b->count || entries != docs_entries(b))
        return false;
    return a->count == 0 ||
           (memcmp(a->position, b->position, a->count * 8) == 0 &&
            memcmp(a->length, b->length, a->count * 8) == 0 &&
            memcmp(a->start, b->start, (a->count + 1) * sizeof *a->start) ==
                0 &&
            (entries == 0 ||
             (memcmp(a->word, b->word, entries * 4) == 0 &&
              memcmp(a->tally, b->tally, entries * 4) == 0)) &&
            scene_same_names(a, b));
}

static inline bool scene_same_orders(const docs *a, const docs *b)
{
    const size_t symbols = docs_symbols(a);

    return a->count == b->count && symbols == docs_symbols(b) &&
           (a->count == 0 ||
            memcmp(a->order_at, b->order_at,
                   (a->count + 1) * sizeof *a->order_at) == 0) &&
           (symbols == 0 || memcmp(a->order, b->order, symbols * 4) == 0);
}

/* For flipped bits: found, or one of the few that zstd's format has no use for
 * and that change nothing. */
#define ck_found_or_same(expr, err, same)                                 \
    do {                                                                  \
        const kedge_status ck_status_ = (expr);                           \
        if (ck_status_ == KEDGE_OK)                                       \
            ck_assert_msg(same, "%s: changed, not found", #expr);         \
        else                                                              \
            ck_assert_msg(ck_status_ == KEDGE_ECORRUPT &&                 \
                              strstr((err).text, "damaged") != NULL,      \
                          "%s: %d %s", #expr, (int)ck_status_,            \
                          (err).text);                                    \
    } while (0)

/* Allocations until one fails; and how many were asked for. */
static long scene_allowed;

static inline bool scene_gate(size_t bytes)
{
    (void)bytes;
    return scene_allowed-- > 0;
}

/* Runs `expr` with the k-th allocation failing for k = 0, 1, ... until it
 * succeeds: every failure before must be ENOMEM. */
#define scene_starve(expr, err)                                           \
    do {                                                                  \
        for (long k_ = 0;; k_++) {                                        \
            kedge_status got_;                                            \
            scene_allowed = k_;                                           \
            mem_set_gate(scene_gate);                                     \
            got_ = (expr);                                                \
            mem_set_gate(NULL);                                           \
            if (got_ == KEDGE_OK)                                         \
                break;                                                    \
            ck_assert_msg(got_ == KEDGE_ENOMEM, "%s: %d %s", #expr,       \
                          (int)got_, (err).text);                         \
            ck_assert_int_lt(k_, 1000);                                   \
        }                                                                 \
    } while (0)

#endif
