/* SPDX-License-Identifier: MIT */
#include "ops/fit/fit.h"

#include "ops/planted.h"

#define SEED 3
#define SHARE 0.2

/* What is drawn, written down once more. */
static bool held(const docs *d, size_t m)
{
    const uint64_t key = hash_mix(SEED ^ UINT64_C(0x3b94d1f2c86e507a));

    return (double)(hash_mix(planted_digest(d, m) + key) >> 11) <
           SHARE * 0x1p53;
}

static const char *const kinds[] = {"raw", "log", "sqrt"};

/* A store with all documents, and one that never had those held out. */
typedef struct session {
    planted p, rest;
    size_t held;
    kedge_fit_opts o;
    kedge_model *wanted; /* of the other store, */
    kedge_fit_result fitted; /* and what was told of it */
    size_t taken;
    bool anywhere; /* positions are not those of p.d */
} session;

static void session_begin(session *s, const char *kind)
{
    *s = (session){.o = planted_opts()};
    planted_begin(&s->p, PLANTED_DOCUMENTS);
    planted_begin(&s->rest, PLANTED_DOCUMENTS);
    docs_clear(&s->rest.d);
    for (size_t m = 0; m < s->p.d.count; m++)
        if (held(&s->p.d, m))
            s->held++;
        else
            ck_assert(docs_append(&s->rest.d, &s->p.d, m));
    ck_assert_uint_gt(s->held, 30);
    ck_assert_uint_lt(s->held, 70);
    planted_write(s->rest.source, &s->rest.d, 0, s->rest.d.count, false);
    s->p.o.tf = s->rest.o.tf = kind;
    s->p.c.threads = 3;
    planted_fill(&s->p);
    planted_fill(&s->rest);
    s->o.fresh = true;
    s->o.name = "m";
}

static void session_end(session *s)
{
    planted_end(&s->p);
    planted_end(&s->rest);
}

static bool same(const double *a, const double *b, size_t count)
{
    return (a == NULL) == (b == NULL) &&
           (a == NULL || memcmp(a, b, count * sizeof *a) == 0);
}

/* And the documents that are shown on the other side are those held out. */
static kedge_status take(void *data, fit *f, const kedge_model *m,
                         kedge_error *err)
{
    session *const s = data;
    const kedge_model *const w = s->wanted;
    const size_t n = w->words, k = w->topics;
    kedge_status st = KEDGE_OK;
    docs batch = {0};
    uint64_t next = 0, documents = 0;

    ck_assert_uint_eq(m->words, n);
    ck_assert_uint_eq(m->topics, k);
    ck_assert(same(m->probabilities, w->probabilities, n * k));
    ck_assert(same(m->correlations, w->correlations, k * k));
    ck_assert(same(m->word_probability, w->word_probability, n));
    ck_assert(same(m->weights, w->weights, n));
    ck_assert(same(m->tf, w->tf, n));
    ck_assert(same(m->df, w->df, n));
    ck_assert_mem_eq(m->figures.likelihood, s->fitted.likelihood,
                     sizeof s->fitted.likelihood);
    ck_assert_uint_eq(m->index.documents, w->index.documents);
    ck_assert_uint_eq(m->index.skipped, w->index.skipped);
    ck_assert_uint_eq(m->index.tokens, w->index.tokens);
    ck_ok(fit_begin(f, err), *err);
    f->filter.held = true;
    while (filter_next(&f->filter, f->z.txn, &next, f->index.blocks, &batch,
                       &st, err))
        for (size_t i = 0; i < batch.count; i++, documents++)
            ck_assert(s->anywhere || held(&s->p.d, batch.position[i] - 1));
    f->filter.held = false;
    fit_end(f);
    docs_free(&batch);
    ck_assert_uint_eq(documents, s->held);
    s->taken++;
    return st;
}

static kedge_status run(session *s, uint32_t number)
{
    static const uint64_t topics[] = {PLANTED_TOPICS};
    const fit_wish wish = {.topics = topics, .count = 1, .opts = &s->o,
                           .held_out = SHARE, .seed = SEED, .take = take,
                           .data = s};

    return fit_held_out(s->p.t.s, &wish, number, &s->p.c, &s->p.t.err);
}

/* Every way that looks at the documents: how they, words and C are weighed. */
#define WAYS 11

static void way(kedge_fit_opts *o, size_t i)
{
    o->term_weight = (kedge_term_weight)(i % 3);
    o->power_iter = i == 3 ? 2 : i == 4;
    o->em_iter = i == 5 ? 2 : 0;
    o->ncut = i >= 6 && i <= 8;
    if (i == 8)
        o->power_iter = 1;
    if (i >= 9)
        o->cooccurrence = i == 9 ? KEDGE_COOCCURRENCE_DENSE
                                 : KEDGE_COOCCURRENCE_SPARSE;
    if (i == 10)
        o->rectify = KEDGE_RECTIFY_PALM;
}

TEST(models_are_those_of_a_store_that_never_had_the_documents)
{
    for (size_t kind = 0; kind < 3; kind++)
        for (size_t i = 0; i < WAYS; i++) {
            OWN(session_end) session s;
            session_begin(&s, kinds[kind]);
            way(&s.o, i);
            s.wanted = planted_fit(&s.rest, PLANTED_TOPICS, &s.o, &s.fitted);
            ck_ok(run(&s, 0), s.p.t.err);
            kedge_model_free(s.wanted);
            ck_assert_uint_eq(s.taken, 1);
            ck_assert_uint_eq(planted_info(&s.p).models, 0);
        }
}

/* The documents that are held out leave a store by their ids. */
static void remove_held(planted *p, size_t held_out)
{
    char (*const name)[128] = calloc(held_out, sizeof *name);
    const char **const ids = calloc(held_out, sizeof *ids);
    kedge_remove_opts gone;
    kedge_remove_result r;
    size_t count = 0;

    for (size_t m = 0; m < p->d.count; m++) {
        if (!held(&p->d, m))
            continue;
        snprintf(name[count], sizeof *name, "%s:%zu", p->source, m + 1);
        ids[count] = name[count];
        count++;
    }
    kedge_remove_opts_init(&gone);
    gone.ids = ids;
    gone.id_count = count;
    ck_ok(kedge_remove(p->t.s, &gone, &p->c, &r, &p->t.err), p->t.err);
    ck_assert_uint_eq(r.documents, held_out);
    free(name);
    free(ids);
}

/* A document a line, its words in the order of their numbers. */
static void write_texts(planted *p)
{
    FILE *const f = planted_file(p->source);
    const docs *const d = &p->d;

    for (size_t m = 0; m < d->count; m++) {
        for (size_t k = d->start[m]; k < d->start[m + 1]; k++)
            for (uint32_t i = 0; i < d->tally[k]; i++)
                fprintf(f, "w%03u ", d->word[k] * 37 % PLANTED_WORDS);
        putc('\n', f);
    }
    ck_assert_int_eq(fclose(f), 0);
    p->o.format = KEDGE_FORMAT_LINES;
    p->o.digits = KEDGE_DIGITS_YES;
    p->o.vocabulary = NULL;
}

static void begin_whole(planted *p, const char *kind)
{
    planted_begin(p, PLANTED_DOCUMENTS);
    p->o.tf = kind;
    if (kind == NULL)
        write_texts(p);
    planted_fill(p);
}

/* Words of a list, which were chosen from all documents: those of an index that
 * stays while documents leave. With `kind` NULL there are phrases. */
static void check_left(const char *kind)
{
    kedge_fit_opts chosen = planted_opts();
    kedge_fit_result r, twin;
    OWN(session_end) session s;

    session_begin(&s, "raw");
    planted_end(&s.p);
    planted_end(&s.rest);
    begin_whole(&s.p, kind);
    begin_whole(&s.rest, kind);
    if (kind == NULL) {
        chosen.phrases = 2;
        chosen.phrase_score = 0.05;
        chosen.min_df = 2;
        chosen.max_df = 1;
    } else {
        chosen.vocab_size = 100;
    }
    chosen.fresh = true;
    kedge_model_free(planted_fit(&s.p, PLANTED_TOPICS, &chosen, &r));
    kedge_model_free(planted_fit(&s.rest, PLANTED_TOPICS, &chosen, &twin));
    ck_assert_uint_eq(r.phrases > 0, kind == NULL);
    ck_assert_uint_eq(r.index, twin.index);
    remove_held(&s.rest, s.held);
    s.o.index = twin.index;
    s.wanted = planted_fit(&s.rest, PLANTED_TOPICS, &s.o, &s.fitted);
    ck_assert_uint_eq(s.fitted.words, r.words);
    ck_ok(run(&s, (uint32_t)r.index), s.p.t.err);
    kedge_model_free(s.wanted);
    ck_assert_uint_eq(s.taken, 1);
}

TEST(models_are_those_of_a_store_that_the_documents_left)
{
    for (size_t kind = 0; kind < 3; kind++)
        check_left(kinds[kind]);
}

TEST(phrases_are_joined_in_what_stays)
{
    check_left(NULL);
}

/* A store of the same documents the other way round, in other batches, holds
 * out the same. */
TEST(the_order_of_documents_does_not_matter)
{
    OWN(session_end) session s;
    char first[96];
    const char *paths[2] = {first, NULL};

    session_begin(&s, "log");
    s.wanted = planted_fit(&s.rest, PLANTED_TOPICS, &s.o, &s.fitted);
    planted_end(&s.p);
    planted_begin(&s.p, PLANTED_DOCUMENTS);
    planted_path(&s.p, "first.txt", first);
    planted_write(first, &s.p.d, 100, PLANTED_DOCUMENTS, true);
    planted_write(s.p.source, &s.p.d, 0, 100, true);
    planted_write_words(s.p.vocabulary, PLANTED_WORDS, true);
    paths[1] = s.p.source;
    s.p.o.tf = "log";
    s.p.c.threads = 1;
    ck_ok(planted_ingest_all(&s.p, paths, 2), s.p.t.err);
    s.anywhere = true;
    ck_ok(run(&s, 0), s.p.t.err);
    kedge_model_free(s.wanted);
    ck_assert_uint_eq(s.taken, 1);
}
