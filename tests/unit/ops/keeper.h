/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_KEEPER_H
#define TESTS_UNIT_OPS_KEEPER_H
/*
 * A lively store with a model, and beside it a plain table of what is kept: the
 * compositions as kedge_infer gives them, rounded.
 */
#include "infer/rounding.h"
#include "ops/lively.h"
#include "ops/infer/saved.h"

#define KEEPER_TOPICS 4
#define KEEPER_MOST 400
#define KEEPER_MODEL "k4"

typedef struct keeper_document {
    char id[STORE_ID_MAX + 1];
    uint64_t tokens;
    kedge_doc_flag flag;
    double shares[KEEPER_TOPICS];
} keeper_document;

typedef struct keeper {
    lively l;
    size_t shards; /* that are in */
    keeper_document d[KEEPER_MOST]; /* of the set, in the order of the store */
    size_t count;
    kedge_infer_opts o;
    kedge_infer_result r;
} keeper;

static inline void keeper_add(keeper *k)
{
    lively_ingest(&k->l, k->shards++, false);
}

static inline void keeper_fit(keeper *k)
{
    kedge_fit_opts o;

    kedge_fit_opts_init(&o);
    o.name = KEEPER_MODEL;
    o.fresh = true;
    kedge_model_free(planted_fit(&k->l.p, KEEPER_TOPICS, &o, NULL));
}

/* The first shards of so many documents, and a model of them. */
static inline void keeper_begin(keeper *k, size_t documents, size_t shards,
                                bool texts)
{
    *k = (keeper){0};
    if (texts)
        lively_begin_texts(&k->l, documents);
    else
        lively_begin(&k->l, documents);
    while (k->shards < shards)
        keeper_add(k);
    keeper_fit(k);
    kedge_infer_opts_init(&k->o);
}

static inline void keeper_end(keeper *k)
{
    lively_end(&k->l);
}

/* The same for one case; with a set of all documents. */
static inline keeper *keeper_new(size_t documents, size_t shards)
{
    keeper *const k = malloc(sizeof *k);

    keeper_begin(k, documents, shards, false);
    return k;
}

static inline void keeper_free(keeper **k)
{
    keeper_end(*k);
    free(*k);
}

static inline void keeper_note(keeper *k, rounding *r,
                               const kedge_doc_topics *c)
{
    keeper_document *const d = &k->d[k->count++];
    uint32_t topic[KEEPER_TOPICS], units[KEEPER_TOPICS];
    double moved;
    size_t n;

    ck_assert_uint_le(k->count, KEEPER_MOST);
    *d = (keeper_document){.tokens = c->tokens, .flag = c->flag};
    memcpy(d->id, c->id, c->id_size);
    n = rounding_take(r, c->proportions, topic, units, &moved);
    for (size_t i = 0; i < n; i++)
        d->shares[topic[i]] = units[i] / 65536.0;
}

/* The table, of the documents that are there now. */
static inline void keeper_expect(keeper *k)
{
    scene *const t = &k->l.p.t;
    const kedge_doc_topics *c;
    kedge_infer *f;
    rounding *r;

    k->count = 0;
    k->o.save = false;
    ck_ok(rounding_create(KEEPER_TOPICS, &r, &t->err), t->err);
    ck_ok(kedge_infer_open(t->s, NULL, 0, &k->o, &k->l.p.c, &f, &t->err),
          t->err);
    for (;;) {
        ck_ok(kedge_infer_next(f, &c, &t->err), t->err);
        if (c == NULL)
            break;
        keeper_note(k, r, c);
    }
    kedge_infer_close(f);
    rounding_free(r);
}

/* As far as `most` documents; all of them where it is 0. */
static inline kedge_status keeper_run(keeper *k, size_t most)
{
    scene *const t = &k->l.p.t;
    const kedge_doc_topics *c = NULL;
    kedge_infer *f;
    kedge_status st;
    size_t n = 0;

    k->o.save = true;
    st = kedge_infer_open(t->s, NULL, 0, &k->o, &k->l.p.c, &f, &t->err);
    do {
        if (st == KEDGE_OK)
            st = kedge_infer_next(f, &c, &t->err);
    } while (st == KEDGE_OK && c != NULL && ++n != most);
    if (st == KEDGE_OK)
        kedge_infer_get_result(f, &k->r);
    kedge_infer_close(f);
    return st;
}

/* The table, and the set in the store. */
static inline void keeper_keep(keeper *k)
{
    keeper_expect(k);
    ck_ok(keeper_run(k, 0), k->l.p.t.err);
    ck_assert_uint_eq(k->r.saved, k->count);
    ck_assert_uint_gt(k->r.saved_bytes, k->count);
}

static inline keeper *keeper_kept(size_t documents, size_t shards)
{
    keeper *const k = keeper_new(documents, shards);

    keeper_keep(k);
    return k;
}

static inline kedge_saved_info keeper_info(keeper *k)
{
    kedge_saved_info info;

    ck_ok(kedge_saved_get_info(k->l.p.t.s, KEEPER_MODEL, &info, &k->l.p.t.err),
          k->l.p.t.err);
    return info;
}

static inline bool keeper_is_kept(keeper *k)
{
    kedge_saved_info info;
    const kedge_status st = kedge_saved_get_info(k->l.p.t.s, KEEPER_MODEL,
                                                 &info, &k->l.p.t.err);

    ck_assert(st == KEDGE_OK || st == KEDGE_ENOTFOUND);
    return st == KEDGE_OK;
}

/* Whether the document of this id left. */
static inline bool keeper_is_gone(const keeper *k, const char *id)
{
    char own[16];

    for (size_t m = 0; m < k->l.p.d.count; m++)
        if (strcmp(lively_id(m, own), id) == 0)
            return k->l.gone[m];
    return false;
}

/* The set is the table, less what left. */
static inline void keeper_check(keeper *k)
{
    scene *const t = &k->l.p.t;
    const kedge_saved_document *d;
    kedge_saved *kept;

    ck_ok(kedge_saved_open(t->s, KEEPER_MODEL, &k->l.p.c, &kept, &t->err),
          t->err);
    for (size_t i = 0; i < k->count; i++) {
        if (keeper_is_gone(k, k->d[i].id))
            continue;
        ck_ok(kedge_saved_next(kept, &d, &t->err), t->err);
        ck_assert_ptr_nonnull(d);
        ck_assert_str_eq(d->id, k->d[i].id);
        ck_assert_uint_eq(d->id_size, strlen(d->id));
        ck_assert_uint_eq(d->tokens, k->d[i].tokens);
        ck_assert_int_eq(d->flag, k->d[i].flag);
        ck_assert_uint_eq(d->topics, KEEPER_TOPICS);
        ck_assert_mem_eq(d->proportions, k->d[i].shares, sizeof k->d[i].shares);
    }
    for (int i = 0; i < 2; i++) {
        ck_ok(kedge_saved_next(kept, &d, &t->err), t->err);
        ck_assert_ptr_null(d);
    }
    kedge_saved_close(kept);
}

/* Records of all sets. */
static inline uint64_t keeper_records(keeper *k)
{
    scene *const t = &k->l.p.t;
    uint64_t n;

    scene_read(t);
    ck_ok(kv_count(t->txn, DB_KEPT, &n, &t->err), t->err);
    store_abort(&t->txn);
    return n;
}

static inline void keeper_verify(keeper *k)
{
    scene *const t = &k->l.p.t;
    kedge_verify_result r;

    ck_ok(kedge_verify(t->s, NULL, NULL, &k->l.p.c, &r, &t->err), t->err);
    ck_assert_uint_eq(r.damaged, 0);
    ck_assert(r.counted);
    kedge_verify_free(&r);
}

#endif
