/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_PLANTED_H
#define TESTS_UNIT_OPS_PLANTED_H
/*
 * A small corpus with topics planted in it, as UCI files beside a store: word
 * t < PLANTED_TOPICS is the anchor of topic t, the others belong to two topics
 * each. Words' ranks are not their lines.
 */
#include <kedge/kedge.h>

#include "base/chance.h"
#include "store/scene.h"

#define PLANTED_WORDS 150
#define PLANTED_TOPICS 4
#define PLANTED_DOCUMENTS 240

typedef struct planted {
    scene t;
    docs d;
    char source[96], vocabulary[96]; /* files */
    kedge_ingest_opts o;
    kedge_control c;
    kedge_ingest_result r;
} planted;

static inline size_t planted_word(chance *c, size_t topic)
{
    const size_t plain = PLANTED_WORDS - PLANTED_TOPICS;
    const size_t each = plain / PLANTED_TOPICS;

    if (chance_below(c, 6) == 0)
        return topic;
    return PLANTED_TOPICS + (topic * each + chance_below(c, 2 * each)) % plain;
}

static inline void planted_document(docs *d, chance *c, size_t topic)
{
    uint32_t tally[PLANTED_WORDS] = {0};
    const size_t tokens = 3 + chance_below(c, 50);
    const size_t other = chance_below(c, PLANTED_TOPICS);

    for (size_t i = 0; i < tokens; i++)
        tally[planted_word(c, chance_below(c, 5) == 0 ? other : topic)]++;
    ck_assert(docs_begin(d, d->count + 1));
    for (uint32_t w = 0; w < PLANTED_WORDS; w++)
        if (tally[w] > 0)
            ck_assert(docs_push(d, w, tally[w]));
}

static inline void planted_make(docs *d, uint64_t seed, size_t documents)
{
    chance c = {.key = seed};

    docs_clear(d);
    for (size_t m = 0; m < documents; m++)
        planted_document(d, &c, m % PLANTED_TOPICS);
}

/* As the format has it; the digest of document m. */
static inline uint64_t planted_digest(const docs *d, size_t m)
{
    uint64_t sum = d->length[m];

    for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
        char word[16];
        const int n = snprintf(word, sizeof word, "w%03u",
                               d->word[k] * 37 % PLANTED_WORDS);
        sum += hash_mix(hash_bytes(0, word, (size_t)n) +
                        d->tally[k] * HASH_GOLDEN);
    }
    return hash_mix(sum);
}

static inline FILE *planted_file(const char *path)
{
    FILE *f = fopen(path, "w");

    ck_assert_ptr_nonnull(f);
    return f;
}

/* A file of this text. */
static inline void planted_text(const char *path, const char *text)
{
    FILE *const f = planted_file(path);

    ck_assert_int_ge(fputs(text, f), 0);
    ck_assert_int_eq(fclose(f), 0);
}

/* The path of a file beside the store. */
static inline char *planted_path(const planted *p, const char *name,
                                 char path[96])
{
    snprintf(path, 96, "%s/%.30s", p->t.root, name);
    return path;
}

/* `reversed`: line 0 is the last word. */
static inline void planted_write_words(const char *path, size_t count,
                                       bool reversed)
{
    FILE *f = planted_file(path);

    for (size_t i = 0; i < count; i++)
        fprintf(f, "w%03zu\n",
                (reversed ? count - 1 - i : i) * 37 % PLANTED_WORDS);
    ck_assert_int_eq(fclose(f), 0);
}

/* Documents from .. to-1, for a vocabulary of PLANTED_WORDS lines. */
static inline void planted_write(const char *path, const docs *d, size_t from,
                                 size_t to, bool reversed)
{
    FILE *f = planted_file(path);

    fprintf(f, "%zu\n%d\n%zu\n", to - from, PLANTED_WORDS,
            d->start[to] - d->start[from]);
    for (size_t m = from; m < to; m++)
        for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
            const size_t at =
                reversed ? d->start[m + 1] - 1 - (k - d->start[m]) : k;
            fprintf(f, "%zu %u %u\n", m - from + 1,
                    reversed ? PLANTED_WORDS - d->word[at] : d->word[at] + 1,
                    d->tally[at]);
        }
    ck_assert_int_eq(fclose(f), 0);
}

/* Files and an empty store. */
static inline void planted_begin(planted *p, size_t documents)
{
    *p = (planted){0};
    scene_make(&p->t);
    planted_make(&p->d, 7, documents);
    planted_path(p, "docs.txt", p->source);
    planted_path(p, "vocab.txt", p->vocabulary);
    planted_write(p->source, &p->d, 0, documents, false);
    planted_write_words(p->vocabulary, PLANTED_WORDS, false);
    kedge_ingest_opts_init(&p->o);
    p->o.vocabulary = p->vocabulary;
    p->o.sketch_size = 80;
    p->o.min_tokens = 5; /* some are shorter */
    kedge_control_init(&p->c);
    p->c.threads = 2;
}

static inline void planted_end(planted *p)
{
    docs_free(&p->d);
    scene_end(&p->t);
}

/* A corpus until the end of the scope. */
#define PLANTED(p, documents)       \
    planted p OWN(planted_end);     \
    planted_begin(&p, documents)

/* Texts are not sketched while they are read: what is said of a sketch is for
 * what has a vocabulary. */
static inline kedge_status planted_ingest_all(planted *p,
                                              const char *const *paths,
                                              size_t count)
{
    kedge_ingest_opts o = p->o;

    if (o.vocabulary == NULL && o.source == NULL)
        o.sketch_size = o.seed = o.min_tokens = 0;
    return kedge_ingest(p->t.s, paths, count, &o, &p->c, &p->r, &p->t.err);
}

static inline kedge_status planted_ingest(planted *p, const char *path)
{
    return planted_ingest_all(p, &path, 1);
}

/* The whole corpus, in; by the joint statistic, where none is asked for. */
static inline void planted_fill(planted *p)
{
    if (p->o.tf == NULL && p->o.vocabulary != NULL)
        p->o.tf = "raw";
    ck_ok(planted_ingest(p, p->source), p->t.err);
}

static inline void planted_whole(planted *p)
{
    planted_begin(p, PLANTED_DOCUMENTS);
    planted_fill(p);
}

/* A variable: a store with the whole corpus, until its scope ends. */
#define PLANTED_STORE(p)            \
    OWN(planted_end) planted p;     \
    planted_whole(&p)

/* A control that stops at once. */
static inline int planted_stop(void *data)
{
    (void)data;
    return 1;
}

/* A store like new in the same place. */
static inline void planted_anew(planted *p)
{
    scene_close(&p->t);
    scene_remove(p->t.path);
    scene_open(&p->t, KEDGE_OPEN_CREATE);
}

static inline kedge_fit_opts planted_opts(void)
{
    kedge_fit_opts o;

    kedge_fit_opts_init(&o);
    return o;
}

/* One that is there, or the latest; the caller frees it. */
static inline kedge_model *planted_load(planted *p, const char *name)
{
    kedge_model *m = NULL;

    ck_ok(kedge_model_load(p->t.s, name, NULL, &m, &p->t.err), p->t.err);
    return m;
}

/* A model of `topics`, fitted and loaded; the caller frees it. */
static inline kedge_model *planted_fit(planted *p, uint64_t topics,
                                       const kedge_fit_opts *opts,
                                       kedge_fit_result *result)
{
    kedge_fit_opts plain;
    kedge_fit_result own;

    kedge_fit_opts_init(&plain);
    if (result == NULL)
        result = &own;
    ck_ok(kedge_fit(p->t.s, &topics, 1, opts != NULL ? opts : &plain, &p->c,
                    result, &p->t.err), p->t.err);
    return planted_load(p, result->model);
}

static inline bool planted_same_numbers(const double *a, const double *b,
                                        uint64_t count)
{
    return (a == NULL) == (b == NULL) &&
           (a == NULL || memcmp(a, b, count * sizeof *a) == 0);
}

/* Everything that is exported, byte for byte. */
static inline bool planted_same(const kedge_model *a, const kedge_model *b)
{
    const uint64_t n = kedge_model_words(a), k = kedge_model_topics(a);
    kedge_error err = {0};
    char *left, *right;
    bool same;

    ck_ok(kedge_model_json(a, &left, &err), err);
    ck_ok(kedge_model_json(b, &right, &err), err);
    same = strcmp(left, right) == 0;
    kedge_free(left);
    kedge_free(right);
    return same && n == kedge_model_words(b) && k == kedge_model_topics(b) &&
           planted_same_numbers(kedge_model_probabilities(a),
                                kedge_model_probabilities(b), n * k) &&
           planted_same_numbers(kedge_model_topic_cooccurrence(a),
                                kedge_model_topic_cooccurrence(b), k * k) &&
           planted_same_numbers(kedge_model_word_probability(a),
                                kedge_model_word_probability(b), n) &&
           planted_same_numbers(kedge_model_eigenvectors(a),
                                kedge_model_eigenvectors(b), n * k) &&
           planted_same_numbers(kedge_model_rectified(a),
                                kedge_model_rectified(b), n * k) &&
           planted_same_numbers(kedge_model_term_weights(a),
                                kedge_model_term_weights(b), n) &&
           planted_same_numbers(kedge_model_weighted(a),
                                kedge_model_weighted(b), n * k);
}

static inline kedge_store_info planted_info(planted *p)
{
    kedge_store_info info;

    ck_ok(kedge_store_get_info(p->t.s, &info, &p->t.err), p->t.err);
    return info;
}

static inline kedge_source_info planted_source(planted *p, uint64_t i)
{
    kedge_source_info info;

    ck_ok(kedge_store_get_source(p->t.s, i, &info, &p->t.err), p->t.err);
    return info;
}

#endif
