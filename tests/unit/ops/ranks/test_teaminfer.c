/* SPDX-License-Identifier: MIT */
/* Compositions by several processes against those of one store with all. */
#include "ops/teamwork.h"

enum { N = 200 };

/* Compositions of a store's documents, by the number of each. */
typedef struct composed {
    bool seen[N];
    kedge_doc_topics c[N];
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
    const kedge_doc_topics *c;
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
        memcpy(out->shares[m], c->proportions, sizeof out->shares[m]);
    }
}

/* As the rank that the team says. */
static kedge_status open_one(inferring *w, communicator *t, kedge_infer **out)
{
    lively *const l = &w->g->member[t->rank];
    const kedge_member self = {t, l->p.t.s,
                               t->rank == 0 ? w->g->sum.p.t.s : NULL, NULL};

    return kedge_comm_infer_open(&self, &w->o, &l->p.c, out, &l->p.t.err);
}

static void infer(void *data, communicator *t)
{
    inferring *const w = data;
    const kedge_error *const err = &w->g->member[t->rank].p.t.err;
    kedge_infer *f;

    if (w->refused != NULL) {
        ck_fails(open_one(w, t, &f), KEDGE_EINVAL, *err, w->refused);
        ck_assert_ptr_null(f);
        return;
    }
    ck_ok(open_one(w, t, &f), *err);
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
    ck_assert_uint_eq(a->c[m].oov, b->c[m].oov);
    ck_assert_uint_eq(a->c[m].iterations, b->c[m].iterations);
    ck_assert_int_eq(a->c[m].flag, b->c[m].flag);
    ck_assert_mem_eq(&a->c[m].misfit, &b->c[m].misfit, sizeof(double));
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
        OWN(gathered_end) gathered g;
        inferring w;
        begin(&w, &g, sizes[i], min_df[i % 2],
              i < 2 ? NULL : gathered_no_vocabulary);
        check_all(&w);
    }
}

TEST(every_way_that_looks_at_one_document)
{
    static const kedge_infer_method methods[] = {
        KEDGE_INFER_LINEAR_BAYES, KEDGE_INFER_LEAST_SQUARES, KEDGE_INFER_MEAN,
        KEDGE_INFER_TLI};
    OWN(gathered_end) gathered g;
    inferring w;

    begin(&w, &g, 3, 2, gathered_no_vocabulary);
    for (size_t i = 0; i < 4; i++) {
        w.o.method = methods[i];
        check_all(&w);
    }
    w.o.method = KEDGE_INFER_LEAST_SQUARES;
    w.o.weighted = true;
    check_all(&w);
}

/* More processes than shards: some have no documents. */
TEST(removed_documents_are_nobodys)
{
    OWN(gathered_end) gathered g;
    inferring w;

    begin(&w, &g, 12, 2, gathered_no_vocabulary);
    check_all(&w);
    gathered_remove(&g, 4, 4, true);
    check_all(&w);
}

/* Every one of them ends, whatever the others do. */
TEST(what_needs_one_store_is_refused_by_everybody)
{
    const kedge_source source = {0};
    const struct {
        kedge_infer_opts o;
        const char *says;
    } cases[] = {
        {{.save = true}, "topic proportions are saved with their model, which "
                         "is in"},
        {{.source = &source}, "documents of their stores: name no files"},
        {{.method = KEDGE_INFER_PADD}, "padd and pami need all documents"},
        {{.method = KEDGE_INFER_PAMI}, "padd and pami need all documents"},
    };
    OWN(gathered_end) gathered g;

    gathered_begin(&g, 3, N); /* no model: options are checked before */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        inferring w = {.g = &g, .refused = cases[i].says};
        kedge_infer_opts_init(&w.o);
        w.o.save = cases[i].o.save;
        w.o.source = cases[i].o.source;
        if (cases[i].o.method != 0)
            w.o.method = cases[i].o.method;
        threadranks_run(3, infer, &w);
    }
}

TEST(a_missing_model_is_an_error)
{
    uint64_t heard = 0;
    communicator alone = {.size = 1, .heard = &heard};
    kedge_infer *f;
    OWN(gathered_end) gathered g;
    inferring w;
    scene *const t = &g.sum.p.t;

    begin(&w, &g, 1, 0, NULL);
    w.o.model = "none";
    ck_fails(open_one(&w, &alone, &f), KEDGE_ENOTFOUND,
             g.member[0].p.t.err, "none");
    ck_assert_ptr_null(f);
    scene_write(t); /* no transaction is open */
    store_abort(&t->txn);
}

TEST(without_memory)
{
    uint64_t heard = 0;
    communicator alone = {.size = 1, .heard = &heard};
    kedge_infer *f;
    OWN(gathered_end) gathered g;
    inferring w;

    begin(&w, &g, 1, 0, NULL);
    g.member[0].p.c.threads = 1;
    scene_starve(open_one(&w, &alone, &f), g.member[0].p.t.err);
    kedge_infer_close(f);
}

static kedge_status infer_from(tape *record, inferring *w, unsigned rank)
{
    communicator t = tape_team(record, rank);
    kedge_infer *f;
    const kedge_status st = open_one(w, &t, &f);

    kedge_infer_close(f);
    return st;
}

/* The header of a model, its size and that of words are checked before
 * anything is made of them; arrays of numbers are what they are. */
TEST(damage_on_the_way_is_found)
{
    OWN(tape_free) tape record = {.count = 0};
    OWN(gathered_end) gathered g;
    inferring w;

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
}
