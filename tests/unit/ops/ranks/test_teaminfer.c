/* SPDX-License-Identifier: MIT */
/* Compositions by several processes against those of one store with all. */
#include "ops/teamwork.h"

enum { N = 200 };

/* Compositions of a store's documents, by the number of each. */
typedef struct composed {
    bool seen[N];
    kedge_composition c[N];
    double shares[N][PLANTED_TOPICS];
} composed;

typedef struct inferring {
    gathered *g;
    kedge_infer_opts o;
    composed *got;       /* by rank */
    const char *refused; /* by everybody, with this text; or NULL */
} inferring;

static size_t number_of(const char *id)
{
    char other[16];
    size_t m = 0;

    while (strcmp(lively_id(m, other), id) != 0)
        ck_assert_uint_lt(++m, N);
    return m;
}

/* All that come. */
static void take(kedge_infer *f, composed *out)
{
    const kedge_composition *c;
    kedge_error err = {0};

    memset(out, 0, sizeof *out);
    ck_assert_uint_eq(kedge_infer_topics(f), PLANTED_TOPICS);
    for (;;) {
        ck_ok(kedge_infer_next(f, &c, &err), err);
        if (c == NULL)
            break;
        const size_t m = number_of(c->id);
        ck_assert(!out->seen[m]);
        out->seen[m] = true;
        out->c[m] = *c;
        memcpy(out->shares[m], c->shares, sizeof out->shares[m]);
    }
}

static void infer(void *data, communicator *t)
{
    inferring *const w = data;
    lively *const l = &w->g->member[t->rank];
    const kedge_member self = {t, l->p.t.s,
                               t->rank == 0 ? w->g->sum.p.t.s : NULL, NULL};
    kedge_infer *f;

    if (w->refused != NULL) {
        ck_fails(kedge_team_infer_open(&self, &w->o, &l->p.c, &f,
                                       &l->p.t.err), KEDGE_EINVAL,
                 l->p.t.err, w->refused);
        ck_assert_ptr_null(f);
        return;
    }
    ck_ok(kedge_team_infer_open(&self, &w->o, &l->p.c, &f, &l->p.t.err),
          l->p.t.err);
    take(f, &w->got[t->rank]);
    kedge_infer_close(f);
}

static void infer_alone(inferring *w, composed *out)
{
    lively *const l = &w->g->all;
    kedge_infer *f;

    ck_ok(kedge_infer_open(l->p.t.s, NULL, 0, &w->o, &l->p.c, &f,
                           &l->p.t.err), l->p.t.err);
    take(f, out);
    kedge_infer_close(f);
}

static void check_one(const composed *a, const composed *b, size_t m)
{
    ck_assert_uint_eq(a->c[m].tokens, b->c[m].tokens);
    ck_assert_uint_eq(a->c[m].outside, b->c[m].outside);
    ck_assert_uint_eq(a->c[m].iterations, b->c[m].iterations);
    ck_assert_int_eq(a->c[m].flag, b->c[m].flag);
    ck_assert_mem_eq(&a->c[m].residual, &b->c[m].residual, sizeof(double));
    ck_assert_mem_eq(a->shares[m], b->shares[m], sizeof a->shares[m]);
}

/* Each document is somebody's, and of one alone. */
static void check_all(inferring *w)
{
    composed *const alone = calloc(1, sizeof *alone);

    w->got = calloc(w->g->size, sizeof *w->got);
    threadranks_run(w->g->size, infer, w);
    infer_alone(w, alone);
    for (size_t m = 0; m < N; m++) {
        unsigned whose = 0;
        for (unsigned r = 0; r < w->g->size; r++)
            if (w->got[r].seen[m]) {
                check_one(&w->got[r], alone, m);
                whose++;
            }
        ck_assert_uint_eq(whose, alone->seen[m]);
    }
    free(w->got);
    free(alone);
}

/* A model of words by a rule, or of all, in both stores. */
static void begin(inferring *w, gathered *g, unsigned size, uint64_t min_df,
                  gathered_ask *ask)
{
    kedge_fit_result alone;
    teamwork fitted;

    gathered_begin_with(g, size, N, ask);
    teamwork_begin(&fitted, g);
    fitted.o.min_df = min_df;
    teamwork_fit(&fitted);
    teamwork_fit_alone(&fitted, &alone);
    *w = (inferring){.g = g};
    kedge_infer_opts_init(&w->o);
}

TEST(compositions_are_those_of_one_store)
{
    static const unsigned sizes[] = {1, 2, 3, 5};
    static const uint64_t min_df[] = {0, 2};

    for (size_t i = 0; i < 4; i++) {
        inferring w;
        gathered g;
        begin(&w, &g, sizes[i], min_df[i % 2],
              i < 2 ? NULL : gathered_no_vocabulary);
        check_all(&w);
        gathered_end(&g);
    }
}

TEST(every_way_that_looks_at_one_document)
{
    static const kedge_infer_method methods[] = {
        KEDGE_INFER_LINEAR, KEDGE_INFER_SQUARES, KEDGE_INFER_FOLD,
        KEDGE_INFER_TLI};
    inferring w;
    gathered g;

    begin(&w, &g, 3, 2, gathered_no_vocabulary);
    for (size_t i = 0; i < 4; i++) {
        w.o.method = methods[i];
        check_all(&w);
    }
    w.o.method = KEDGE_INFER_SQUARES;
    w.o.weighted = true;
    check_all(&w);
    gathered_end(&g);
}

/* More processes than shards: some have no documents. */
TEST(who_has_no_documents_gives_none)
{
    inferring w;
    gathered g;

    begin(&w, &g, 12, 2, gathered_no_vocabulary);
    check_all(&w);
    gathered_end(&g);
}

/* What left since is nobody's. */
TEST(removed_documents_are_not_composed)
{
    inferring w;
    gathered g;

    begin(&w, &g, 3, 0, NULL);
    lively_remove_batch(&g.member[1], 4, true);
    lively_remove_batch(&g.all, 4, true);
    check_all(&w);
    gathered_end(&g);
}

/* Every one of them ends, whatever the others do. */
TEST(what_is_of_one_store_is_refused_by_everybody)
{
    const kedge_source source = {0};
    inferring w;
    gathered g;

    gathered_begin(&g, 3, N); /* no model: that comes later */
    w = (inferring){.g = &g, .refused = "--keep is of one process"};
    kedge_infer_opts_init(&w.o);
    w.o.keep = true;
    threadranks_run(3, infer, &w);
    w.o.keep = false;
    w.o.source = &source;
    w.refused = "no other documents were expected";
    threadranks_run(3, infer, &w);
    w.o.source = NULL;
    w.refused = "padd and pami learn of all documents at once";
    w.o.method = KEDGE_INFER_PADD;
    threadranks_run(3, infer, &w);
    w.o.method = KEDGE_INFER_PAMI;
    threadranks_run(3, infer, &w);
    gathered_end(&g);
}

TEST(a_model_that_is_not_there_is_told)
{
    uint64_t heard = 0;
    communicator alone = {.size = 1, .heard = &heard};
    kedge_infer *f;
    inferring w;
    gathered g;

    begin(&w, &g, 1, 0, NULL);
    w.o.model = "none";
    scene *const t = &g.member[0].p.t;
    ck_fails(kedge_team_infer_open(
                 &(kedge_member){&alone, t->s, g.sum.p.t.s, NULL}, &w.o,
                 &g.sum.p.c, &f, &t->err), KEDGE_ENOTFOUND, t->err, "none");
    ck_assert_ptr_null(f);
    ck_ok(store_begin_write(g.sum.p.t.s, &g.sum.p.t.txn, &t->err), t->err);
    store_abort(&g.sum.p.t.txn);
    gathered_end(&g);
}

TEST(without_memory)
{
    uint64_t heard = 0;
    communicator alone = {.size = 1, .heard = &heard};
    kedge_infer *f;
    inferring w;
    gathered g;

    begin(&w, &g, 1, 0, NULL);
    scene *const t = &g.member[0].p.t;
    g.member[0].p.c.threads = 1;
    scene_starve(kedge_team_infer_open(
                     &(kedge_member){&alone, t->s, g.sum.p.t.s, NULL}, &w.o,
                     &g.member[0].p.c, &f, &t->err), t->err);
    kedge_infer_close(f);
    gathered_end(&g);
}

/* What rank 0 of two hands on, one message after another, and what the other
 * takes of it: that of one byte which came as another. */
typedef struct tape {
    struct {
        uint8_t *bytes;
        size_t size;
    } message[16];
    size_t count, at;
    bool amiss; /* other sizes were asked for than there are */
} tape;

static void tape_hand(void *data, const void *value, size_t bytes, unsigned to)
{
    tape *const t = data;

    ck_assert_uint_eq(to, 1);
    ck_assert_uint_lt(t->count, 16);
    t->message[t->count].bytes = malloc(bytes);
    memcpy(t->message[t->count].bytes, value, bytes);
    t->message[t->count++].size = bytes;
}

static void tape_take(void *data, void *value, size_t bytes, unsigned from)
{
    tape *const t = data;

    ck_assert_uint_eq(from, 0);
    memset(value, 0, bytes);
    t->amiss |= t->at == t->count || bytes != t->message[t->at].size;
    if (t->at == t->count)
        return;
    memcpy(value, t->message[t->at].bytes,
           bytes < t->message[t->at].size ? bytes : t->message[t->at].size);
    t->at++;
}

static kedge_status infer_from(tape *record, inferring *w, unsigned rank)
{
    lively *const l = &w->g->member[rank];
    uint64_t heard = 0;
    communicator t = {.rank = rank, .size = 2, .data = record,
                      .hand = tape_hand, .take = tape_take, .heard = &heard};
    const kedge_member self = {&t, l->p.t.s,
                               rank == 0 ? w->g->sum.p.t.s : NULL, NULL};
    kedge_infer *f;
    kedge_status st;

    record->at = 0;
    record->amiss = false;
    st = kedge_team_infer_open(&self, &w->o, &l->p.c, &f, &l->p.t.err);
    kedge_infer_close(f);
    return st;
}

/* The header of a model, its size and that of words are looked at before
 * anything is made of them; arrays of numbers are what they are. */
TEST(what_comes_is_looked_at)
{
    tape record = {0};
    inferring w;
    gathered g;

    begin(&w, &g, 2, 0, NULL);
    ck_assert_int_eq(infer_from(&record, &w, 0), KEDGE_OK);
    ck_assert_int_eq(infer_from(&record, &w, 1), KEDGE_OK);
    ck_assert(!record.amiss);
    for (size_t m = 0; m < record.count; m++) {
        const size_t size = record.message[m].size;
        for (size_t i = 0; i < (size < 300 ? size : 300); i++) {
            uint8_t *const byte = &record.message[m].bytes[i];
            *byte ^= 0x81;
            const kedge_status st = infer_from(&record, &w, 1);
            *byte ^= 0x81;
            ck_assert_msg(st == KEDGE_OK || st == KEDGE_ECORRUPT ||
                              st == KEDGE_EFORMAT || st == KEDGE_EVERSION,
                          "message %zu, byte %zu: %d", m, i, (int)st);
            ck_assert(st != KEDGE_OK || !record.amiss);
        }
    }
    for (size_t m = 0; m < record.count; m++)
        free(record.message[m].bytes);
    gathered_end(&g);
}
