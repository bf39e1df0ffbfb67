/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_LIVELY_H
#define TESTS_UNIT_OPS_LIVELY_H
/*
 * A store that documents with ids come into and leave, shard by shard, each a
 * batch; what it should be is known by the list of those that left. It has two
 * sketches: of all words, and of those on a list.
 */
#include <signal.h>
#include <sys/wait.h>

#include <kedge/verify.h>

#include "base/gate.h"
#include "ops/planted.h"
#include "store/kv.h"

#define LIVELY_SHARDS 10

typedef struct lively {
    planted p;
    bool *gone;      /* by document */
    char listed[96]; /* file of the words on the list */
    bool texts;      /* documents are these, not bags */
} lively;

static inline const char *lively_id(size_t m, char id[16])
{
    snprintf(id, 16, "d%04zu", m * 7919 % 10000);
    return id;
}

/* Document m as a text, in an order that is its own; as it is shown, `apart`
 * are the signs between words that do not stand side by side. */
static inline const char *lively_text(const docs *d, size_t m,
                                      const char *apart)
{
    static char text[1000];
    chance c = {.key = m};
    uint32_t word[100];
    size_t n = 0, size = 0;

    for (size_t k = d->start[m]; k < d->start[m + 1]; k++)
        for (uint32_t i = 0; i < d->tally[k]; i++, n++) {
            const size_t at = chance_below(&c, n + 1);
            word[n] = word[at];
            word[at] = d->word[k];
        }
    for (size_t i = 0; i < n; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%sw%03u",
                                 i == 0                        ? ""
                                 : chance_below(&c, 4) == 0 ? apart
                                                               : " ",
                                 word[i] * 37 % PLANTED_WORDS);
    return text;
}

/* A bag. */
static inline void lively_line(FILE *f, const docs *d, size_t m)
{
    char id[16];

    fprintf(f, "{\"id\":\"%s\",\"label\":\"l%zu\",\"text\":{",
            lively_id(m, id), m % 3);
    for (size_t k = d->start[m]; k < d->start[m + 1]; k++)
        fprintf(f, "%s\"w%03u\":%u", k > d->start[m] ? "," : "",
                d->word[k] * 37 % PLANTED_WORDS, d->tally[k]);
    fprintf(f, "}}\n");
}

static inline size_t lively_shard(const lively *l, size_t i)
{
    return l->p.d.count * i / LIVELY_SHARDS;
}

/* Documents of shards from .. to-1 are not in the store, or are. */
static inline void lively_mark(lively *l, size_t from, size_t to, bool gone)
{
    for (size_t m = lively_shard(l, from); m < lively_shard(l, to); m++)
        l->gone[m] = gone;
}

/* Those of a shard that did not leave; false when there is none. */
static inline bool lively_write(lively *l, size_t shard, const char *path)
{
    FILE *f = planted_file(path);
    bool any = false;

    for (size_t m = lively_shard(l, shard); m < lively_shard(l, shard + 1);
         m++)
        if (!l->gone[m]) {
            char id[16];
            if (l->texts)
                fprintf(f, "{\"id\":\"%s\",\"text\":\"%s\"}\n",
                        lively_id(m, id), lively_text(&l->p.d, m, ", "));
            else
                lively_line(f, &l->p.d, m);
            any = true;
        }
    ck_assert_int_eq(fclose(f), 0);
    return any;
}

static inline void lively_ingest(lively *l, size_t shard, bool no_sketch)
{
    char name[16], path[96];

    snprintf(name, sizeof name, "b%zu", shard);
    l->p.o.batch = name;
    l->p.o.no_sketch = no_sketch;
    if (lively_write(l, shard, planted_path(&l->p, name, path)))
        ck_ok(planted_ingest(&l->p, path), l->p.t.err);
    l->p.o.batch = NULL;
}

static inline void lively_begin(lively *l, size_t documents)
{
    FILE *f;

    *l = (lively){0};
    planted_begin(&l->p, documents);
    l->p.o.format = KEDGE_FORMAT_JSONL;
    l->gone = calloc(documents, sizeof *l->gone);
    f = planted_file(planted_path(&l->p, "listed.txt", l->listed));
    for (size_t i = 0; i < PLANTED_WORDS; i++)
        if (i % 5 != 4)
            fprintf(f, "w%03zu\n", i * 37 % PLANTED_WORDS);
    ck_assert_int_eq(fclose(f), 0);
}

static inline void lively_end(lively *l)
{
    free(l->gone);
    planted_end(&l->p);
}

/* A model of the listed words; its sketch is made with the first. */
static inline kedge_model *lively_fit_listed(lively *l)
{
    kedge_fit_opts o;

    kedge_fit_opts_init(&o);
    o.name = "listed";
    o.keep_words = l->listed;
    o.sketch_size = 48;
    o.fresh = true;
    return planted_fit(&l->p, 3, &o, NULL);
}

/* One of all words. */
static inline kedge_model *lively_fit_all(lively *l)
{
    kedge_fit_opts o; /* none set: of the first index */

    kedge_fit_opts_init(&o);
    o.fresh = true;
    return planted_fit(&l->p, 4, &o, NULL);
}

/* One of texts. */
static inline void lively_begin_texts(lively *l, size_t documents)
{
    lively_begin(l, documents);
    l->texts = true;
    l->p.o.digits = true;
}

/* Shards from .. to-1. */
static inline void lively_read(lively *l, size_t from, size_t to,
                               bool no_sketch)
{
    for (size_t i = from; i < to; i++)
        lively_ingest(l, i, no_sketch);
}

/* All shards, with both sketches. */
static inline void lively_fill(lively *l, size_t documents)
{
    lively_begin(l, documents);
    for (size_t i = 0; i < LIVELY_SHARDS; i++) {
        lively_ingest(l, i, false);
        if (i == LIVELY_SHARDS / 2)
            kedge_model_free(lively_fit_listed(l));
    }
}

/* The store as it would be had nobody been there who left. */
static inline void lively_twin(const lively *l, lively *twin)
{
    lively_begin(twin, l->p.d.count);
    memcpy(twin->gone, l->gone, l->p.d.count);
    lively_read(twin, 0, LIVELY_SHARDS, false);
}

static inline kedge_remove_result lively_take(lively *l,
                                              const kedge_remove_opts *o)
{
    kedge_remove_result r;

    ck_ok(kedge_remove(l->p.t.s, o, &l->p.c, &r, &l->p.t.err), l->p.t.err);
    return r;
}

/* Each document with probability 1 / `one_in`, by its id; how many. */
static inline size_t lively_remove(lively *l, uint64_t seed, size_t one_in,
                                   bool no_sketch)
{
    const size_t n = l->p.d.count;
    chance c = {.key = seed};
    const char **ids = calloc(n, sizeof *ids);
    char (*text)[16] = calloc(n, sizeof *text);
    kedge_remove_opts o;
    size_t count = 0;

    kedge_remove_opts_init(&o);
    for (size_t m = 0; m < n; m++)
        if (!l->gone[m] && chance_below(&c, one_in) == 0) {
            ids[count] = lively_id(m, text[count]);
            count++;
            l->gone[m] = true;
        }
    o.ids = ids;
    o.id_count = count;
    o.no_sketch = no_sketch;
    if (count > 0)
        ck_assert_uint_eq(lively_take(l, &o).documents, count);
    free(ids);
    free(text);
    return count;
}

static inline size_t lively_remove_batch(lively *l, size_t shard,
                                         bool no_sketch)
{
    char name[16];
    kedge_remove_opts o;
    size_t count = 0;

    kedge_remove_opts_init(&o);
    snprintf(name, sizeof name, "b%zu", shard);
    o.batch = name;
    o.no_sketch = no_sketch;
    for (size_t m = lively_shard(l, shard); m < lively_shard(l, shard + 1);
         m++)
        count += !l->gone[m];
    lively_mark(l, shard, shard + 1, true);
    ck_assert_uint_eq(lively_take(l, &o).documents, count);
    return count;
}

/* ---- what there should be ------------------------------------------------ */

static inline bool lively_damage(void *data, const char *what,
                                 const kedge_error *why)
{
    (void)data;
    ck_abort_msg("%s: %s", what, why->text);
    return false;
}

/* Documents that are there: their number, tokens, entries and digests. */
static inline store_totals lively_totals(const lively *l)
{
    const docs *d = &l->p.d;
    store_totals t = {0};

    for (size_t m = 0; m < d->count; m++) {
        if (l->gone[m])
            continue;
        const uint64_t digest = planted_digest(d, m);
        t.documents++;
        t.tokens += d->length[m];
        t.nonzeros += d->start[m + 1] - d->start[m];
        t.digest[0] += digest;
        t.digest[1] += hash_mix(digest);
    }
    return t;
}

static inline void lively_check_counts(lively *l)
{
    const docs *d = &l->p.d;
    uint64_t tf[PLANTED_WORDS] = {0}, df[PLANTED_WORDS] = {0};
    uint64_t stored_tf[PLANTED_WORDS], stored_df[PLANTED_WORDS];

    for (size_t m = 0; m < d->count; m++)
        for (size_t k = d->start[m]; !l->gone[m] && k < d->start[m + 1]; k++) {
            tf[d->word[k]] += d->tally[k];
            df[d->word[k]]++;
        }
    ck_ok(store_get_counts(l->p.t.txn, stored_tf, stored_df, PLANTED_WORDS,
                           &l->p.t.err),
          l->p.t.err);
    ck_assert_int_eq(memcmp(tf, stored_tf, sizeof tf), 0);
    ck_assert_int_eq(memcmp(df, stored_df, sizeof df), 0);
}

static inline void lively_check_ids(lively *l)
{
    store_place place;
    char id[16];

    for (size_t m = 0; m < l->p.d.count; m++)
        ck_assert_int_eq(store_get_id(l->p.t.txn, span_text(lively_id(m, id)),
                                      &place, &l->p.t.err),
                         l->gone[m] ? KEDGE_ENOTFOUND : KEDGE_OK);
}

/* Document by document: the text as it was, wherever it lies by now. */
static inline void lively_check_texts(lively *l)
{
    const kedge_document *got;
    kedge_documents *d;
    size_t seen = 0, left = 0;

    for (size_t m = 0; m < l->p.d.count; m++)
        left += !l->gone[m];
    ck_ok(kedge_documents_open(l->p.t.s, NULL, 0, &l->p.c, &d, &l->p.t.err),
          l->p.t.err);
    for (;; seen++) {
        char text[1000] = "", id[16];
        size_t m = 0, size = 0;
        ck_ok(kedge_documents_next(d, &got, &l->p.t.err), l->p.t.err);
        if (got == NULL)
            break;
        while (strcmp(lively_id(m, id), got->id) != 0)
            m++;
        ck_assert(!l->gone[m]);
        for (uint64_t i = 0; i < got->order_size; i++)
            size += (size_t)snprintf(
                text + size, sizeof text - size, "%s%s",
                i == 0 || text[size - 1] == '|' || got->order[i] == KEDGE_APART
                    ? ""
                    : " ",
                got->order[i] == KEDGE_APART
                    ? "|"
                    : got->words[got->order[i] - 1].word);
        ck_assert_str_eq(text, lively_text(&l->p.d, m, "|"));
    }
    ck_assert_uint_eq(seen, left);
    kedge_documents_close(d);
}

/* What the sources have adds up. */
static inline void lively_check_ledger(lively *l, const store_totals *t)
{
    uint64_t documents = 0, tokens = 0, nonzeros = 0;
    store_source r;

    for (uint64_t i = 0; i < t->sources; i++) {
        ck_ok(store_get_source_record(l->p.t.txn, i, &r, &l->p.t.err),
              l->p.t.err);
        ck_assert(!r.removed || r.documents == r.removed_documents);
        documents += r.documents - r.removed_documents;
        tokens += r.tokens - r.removed_tokens;
        nonzeros += r.nonzeros - r.removed_nonzeros;
    }
    ck_assert_uint_eq(documents, t->documents);
    ck_assert_uint_eq(tokens, t->tokens);
    ck_assert_uint_eq(nonzeros, t->nonzeros);
}

/* Against a naive count; and no record says anything else. */
static inline store_scanned lively_check(lively *l)
{
    const store_totals naive = lively_totals(l);
    store_totals t;
    store_scanned found;
    uint64_t ids;

    scene_read(&l->p.t);
    ck_ok(store_get_totals(l->p.t.txn, &t, &l->p.t.err), l->p.t.err);
    ck_assert_uint_eq(t.documents, naive.documents);
    ck_assert_uint_eq(t.tokens, naive.tokens);
    ck_assert_uint_eq(t.nonzeros, naive.nonzeros);
    ck_assert_uint_eq(t.digest[0], naive.digest[0]);
    ck_assert_uint_eq(t.digest[1], naive.digest[1]);
    lively_check_counts(l);
    lively_check_ids(l);
    lively_check_ledger(l, &t);
    ck_ok(store_count_ids(l->p.t.txn, &ids, &l->p.t.err), l->p.t.err);
    ck_assert_uint_eq(ids, naive.documents);
    ck_ok(store_scan(l->p.t.txn, &(store_watcher){.found = lively_damage},
                     &found, &l->p.t.err),
          l->p.t.err);
    store_abort(&l->p.t.txn);
    return found;
}

/* Two models are the same to the last bit; they are freed. */
static inline void lively_same(kedge_model *a, kedge_model *b)
{
    ck_assert(planted_same(a, b));
    kedge_model_free(a);
    kedge_model_free(b);
}

/* The same models as those of a store of their own. */
static inline void lively_check_models(lively *l)
{
    lively twin;

    lively_twin(l, &twin);
    lively_same(lively_fit_all(l), lively_fit_all(&twin));
    lively_same(lively_fit_listed(l), lively_fit_listed(&twin));
    lively_end(&twin);
}

static inline store_index lively_index(lively *l, uint32_t number)
{
    scene *const t = &l->p.t;
    store_index v;

    scene_read(t);
    ck_ok(store_get_index_record(t->txn, number, &v, &t->err), t->err);
    store_abort(&t->txn);
    return v;
}

/* With a list of the first words, where it has one. */
static inline void lively_put_index(lively *l, uint32_t number, store_index v)
{
    scene *const t = &l->p.t;

    scene_write(t);
    ck_ok(store_put_index(t->txn, number, &v, &t->err), t->err);
    if (v.listed)
        ck_ok(store_put_list(t->txn, number, (uint32_t[]){0, 1, 2, 3},
                             v.words, &t->err), t->err);
    scene_commit(t);
}

static inline void lively_drop_index(lively *l, uint32_t number)
{
    scene *const t = &l->p.t;

    scene_write(t);
    ck_ok(store_drop_index(t->txn, number, &t->err), t->err);
    scene_commit(t);
}

/* Nothing of the store is wrong. */
static inline void lively_verify(lively *l)
{
    kedge_verify_result v;

    ck_ok(kedge_verify(l->p.t.s, NULL, NULL, &l->p.c, &v, &l->p.t.err),
          l->p.t.err);
    ck_assert(v.damaged == 0 && v.counted);
    kedge_verify_free(&v);
}

/* ---- what is done to it -------------------------------------------------- */

static inline kedge_status lively_compact(lively *l, kedge_compact_result *r)
{
    return kedge_compact(l->p.t.s, &l->p.c, r, &l->p.t.err);
}

static inline kedge_status lively_repair(lively *l, kedge_repair_result *r)
{
    return kedge_repair(l->p.t.s, &l->p.c, r, &l->p.t.err);
}

/* A control that stops at the question `data` counts down to. */
static inline int lively_stop(void *data)
{
    return --*(long *)data < 0;
}

/* The next bytes of a stored record are others. */
static inline void lively_damage_record(lively *l, kv_db db, const void *key,
                                        size_t key_size)
{
    const kv_key k = {db, key, key_size};
    const uint8_t *bytes;
    uint8_t *copy;
    size_t size;

    scene_write(&l->p.t);
    ck_ok(kv_get(l->p.t.txn, k, &bytes, &size, &l->p.t.err),
          l->p.t.err);
    copy = malloc(size);
    memcpy(copy, bytes, size);
    copy[size - size / 3] ^= 0x10;
    ck_ok(kv_put(l->p.t.txn, k, copy, size, &l->p.t.err), l->p.t.err);
    scene_commit(&l->p.t);
    free(copy);
}

/* ---- work that is interrupted -------------------------------------------- */

typedef kedge_status lively_work(lively *l);

/* Runs `work` in a process of its own that is killed after a while; the store
 * is closed before and opened after. Whether it was done. */
static inline bool lively_kill(lively *l, void (*work)(lively *l),
                               useconds_t after)
{
    int status;
    pid_t child;

    scene_close(&l->p.t);
    child = unit_fork();
    if (child == 0) {
        scene_open(&l->p.t, KEDGE_OPEN_WRITE);
        work(l);
        scene_close(&l->p.t);
        _exit(0);
    }
    usleep(after);
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    scene_open(&l->p.t, KEDGE_OPEN_WRITE);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Stopped earlier and later, until it is done; the store is checked each time.
 * `step` runs each stop at the same question. How often it was stopped. */
static inline long lively_stop_often(lively *l, lively_work *work, long step,
                                     void (*check)(lively *l))
{
    kedge_status st = KEDGE_ECANCELED;
    long left, stops = 0;

    l->p.c.data = &left;
    for (long k = 0;; k++) {
        left = k / step;
        l->p.c.stop = lively_stop;
        st = work(l);
        l->p.c.stop = NULL;
        if (st == KEDGE_OK)
            return stops;
        ck_assert_int_eq(st, KEDGE_ECANCELED);
        stops++;
        check(l);
    }
}

/* The same without memory, at ever later allocations; `check` may be NULL. */
static inline void lively_starve(lively *l, lively_work *work,
                                 void (*check)(lively *l))
{
    for (long k = 0;; k += 1 + k / 40) {
        gate_allow(k);
        const kedge_status st = work(l);
        gate_open();
        if (st == KEDGE_OK)
            return;
        ck_assert_msg(st == KEDGE_ENOMEM, "%ld: %s", k, l->p.t.err.text);
        ck_assert_int_lt(k, 6000);
        scene_reopen(&l->p.t, KEDGE_OPEN_WRITE);
        if (check != NULL && k % 7 == 0)
            check(l);
    }
}

/* The same with ever larger budgets, of which some have no room for the work
 * itself ("compacting takes"), others for a sketch. */
static inline void lively_economize(lively *l, lively_work *work,
                                    const char *takes,
                                    void (*check)(lively *l))
{
    uint64_t works = 0, indexes = 0;

    for (l->p.c.memory = UINT64_C(16) << 20;;
         l->p.c.memory += UINT64_C(4) << 20) {
        const kedge_status st = work(l);
        const char *const text = l->p.t.err.text;
        if (st == KEDGE_OK)
            break;
        ck_assert_int_eq(st, KEDGE_EBUDGET);
        works += strncmp(text, takes, strlen(takes)) == 0;
        indexes += strncmp(text, "the sketch of index 0: ", 22) == 0;
        check(l);
    }
    ck_assert(works > 0 && indexes > 0);
}

#endif
