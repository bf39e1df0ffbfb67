/* SPDX-License-Identifier: MIT */
#include "ops/plan.h"
#include "ops/batch.h"
#include "ops/planted.h"

#include "base/gate.h"
#include "ops/papers.h"
#include "ops/program.h"

#define SHARDS 4

static uint64_t corpus_short(const docs *d, uint64_t least)
{
    uint64_t count = 0;

    for (size_t m = 0; m < d->count; m++)
        count += d->length[m] < least;
    return count;
}

static void check_counts(planted *p)
{
    uint64_t tf[PLANTED_WORDS], df[PLANTED_WORDS];

    scene_read(&p->t);
    ck_ok(store_get_counts(p->t.txn, tf, df, PLANTED_WORDS, &p->t.err),
          p->t.err);
    store_abort(&p->t.txn);
    for (size_t k = 0; k < docs_entries(&p->d); k++) {
        tf[p->d.word[k]] -= p->d.tally[k];
        df[p->d.word[k]]--;
    }
    for (size_t i = 0; i < PLANTED_WORDS; i++)
        ck_assert_uint_eq(tf[i] | df[i], 0);
}

TEST(totals_are_what_was_written)
{
    kedge_store_info info;

    PLANTED(p, PLANTED_DOCUMENTS);
    uint64_t tokens = 0;
    for (size_t m = 0; m < p.d.count; m++)
        tokens += p.d.length[m];
    const uint64_t shorter = corpus_short(&p.d, 5);
    ck_assert_uint_gt(shorter, 0);
    p.o.min_tokens = 5;
    planted_fill(&p);
    ck_assert_uint_eq(p.r.sources, 1);
    ck_assert_uint_eq(p.r.sources_known, 0);
    ck_assert_uint_eq(p.r.documents, PLANTED_DOCUMENTS);
    ck_assert_uint_eq(p.r.resumed, 0);
    ck_assert_uint_eq(p.r.too_short, shorter);
    ck_assert_uint_eq(p.r.counted, PLANTED_DOCUMENTS - shorter);
    ck_assert_uint_eq(p.r.tokens, tokens);
    ck_assert_uint_eq(p.r.nonzeros, docs_entries(&p.d));
    ck_assert_uint_eq(p.r.words, PLANTED_WORDS);
    ck_assert_uint_eq(p.r.sketch_size, 80);
    ck_assert_uint_eq(p.r.bytes_read, p.r.bytes_text);
    check_counts(&p);
    planted_fill(&p); /* a source is read once */
    ck_assert_uint_eq(p.r.sources, 0);
    ck_assert_uint_eq(p.r.sources_known, 1);
    ck_assert_uint_eq(p.r.documents, 0);
    ck_assert_uint_eq(p.r.resumed, PLANTED_DOCUMENTS);
    info = planted_info(&p);
    ck_assert_uint_eq(info.sources, 1);
    ck_assert_uint_eq(info.documents, PLANTED_DOCUMENTS);
    ck_assert_uint_eq(info.tokens, tokens);
    ck_assert_uint_eq(info.nonzeros, docs_entries(&p.d));
    ck_assert_uint_eq(info.words, PLANTED_WORDS);
    for (size_t m = 0; m < PLANTED_DOCUMENTS; m++) {
        info.digest[0] -= planted_digest(&p.d, m);
        info.digest[1] -= hash_mix(planted_digest(&p.d, m));
    }
    ck_assert_uint_eq(info.digest[0] | info.digest[1], 0);
}

static void write_shards(const planted *p, char path[SHARDS][96])
{
    for (size_t i = 0; i < SHARDS; i++) {
        char name[16];
        snprintf(name, sizeof name, "shard%zu", i);
        planted_write(planted_path(p, name, path[i]), &p->d,
                      p->d.count * i / SHARDS, p->d.count * (i + 1) / SHARDS,
                      false);
    }
}

static kedge_status ingest_shards(planted *p, char path[SHARDS][96],
                                  size_t first)
{
    const char *source[SHARDS];

    for (size_t i = 0; i < SHARDS; i++)
        source[i] = path[(first + i) % SHARDS];
    return kedge_ingest(p->t.s, source, SHARDS, &p->o, &p->c, &p->r,
                        &p->t.err);
}

TEST(the_order_of_shards_does_not_matter)
{
    char path[SHARDS][96];
    kedge_model *whole, *parts;

    PLANTED(p, PLANTED_DOCUMENTS);
    write_shards(&p, path);
    planted_fill(&p);
    whole = planted_fit(&p, 4, NULL, NULL);
    for (size_t first = 0; first < SHARDS; first++) {
        planted_anew(&p);
        p.c.threads = 1 + (unsigned)first;
        ck_ok(ingest_shards(&p, path, first), p.t.err);
        ck_assert_uint_eq(p.r.sources, SHARDS);
        ck_assert_uint_eq(p.r.documents, PLANTED_DOCUMENTS);
        parts = planted_fit(&p, 4, NULL, NULL);
        ck_assert(planted_same(whole, parts));
        kedge_model_free(parts);
    }
    kedge_model_free(whole);
}

TEST(the_order_of_lines_does_not_matter)
{
    char path[96], vocabulary[96];
    kedge_store_info before;
    kedge_model *whole, *mapped;

    PLANTED(p, PLANTED_DOCUMENTS);
    planted_fill(&p);
    before = planted_info(&p);
    whole = planted_fit(&p, 4, NULL, NULL);
    /* first half by the usual lines, second half by reversed ones */
    planted_anew(&p);
    planted_write(p.source, &p.d, 0, 120, false);
    planted_fill(&p);
    planted_write(planted_path(&p, "other", path), &p.d, 120,
                  PLANTED_DOCUMENTS, true);
    planted_write_words(planted_path(&p, "lines", vocabulary), PLANTED_WORDS,
                        true);
    p.o.vocabulary = vocabulary;
    ck_ok(planted_ingest(&p, path), p.t.err);
    ck_assert_uint_eq(p.r.words, PLANTED_WORDS);
    ck_assert_mem_eq(planted_info(&p).digest, before.digest,
                     sizeof before.digest);
    mapped = planted_fit(&p, 4, NULL, NULL);
    ck_assert(planted_same(whole, mapped));
    kedge_model_free(mapped);
    kedge_model_free(whole);
}

TEST(a_vocabulary_grows)
{
    PLANTED(p, PLANTED_DOCUMENTS);
    planted_fill(&p);
    planted_text(p.vocabulary, "brand\nw000\nnew\n");
    planted_text(p.source, "1\n3\n3\n1 1 4\n1 2 1\n1 3 2\n");
    planted_fill(&p);
    ck_assert_uint_eq(p.r.documents, 1);
    ck_assert_uint_eq(p.r.words, PLANTED_WORDS + 2);
    scene_read(&p.t);
    uint64_t tf[PLANTED_WORDS + 2], df[PLANTED_WORDS + 2];
    ck_ok(store_get_counts(p.t.txn, tf, df, PLANTED_WORDS + 2, &p.t.err),
          p.t.err);
    store_abort(&p.t.txn);
    ck_assert_uint_eq(tf[PLANTED_WORDS], 4);
    ck_assert_uint_eq(tf[PLANTED_WORDS + 1], 2);
    kedge_model *m = planted_fit(&p, 4, NULL, NULL);
    ck_assert_str_eq(kedge_model_word(m, 0), "brand");
    ck_assert_uint_eq(kedge_model_tf(m, 0), 4);
    kedge_model_free(m);
}

/* Stops at the n-th time it is asked. */
static int stop_countdown(void *data)
{
    long *left = data;

    return __atomic_fetch_sub(left, 1, __ATOMIC_RELAXED) <= 0;
}

static void check_same_store(planted *p, const kedge_store_info *expected,
                             const kedge_model *model)
{
    const kedge_store_info info = planted_info(p);
    kedge_model *m = planted_fit(p, 4, NULL, NULL);

    ck_assert_uint_eq(info.documents, expected->documents);
    ck_assert_uint_eq(info.tokens, expected->tokens);
    ck_assert_uint_eq(info.nonzeros, expected->nonzeros);
    ck_assert_mem_eq(info.digest, expected->digest, sizeof info.digest);
    ck_assert(planted_same(m, model));
    kedge_model_free(m);
}

TEST(a_stopped_run_goes_on_where_it_was)
{
    char path[SHARDS][96];
    kedge_store_info expected;
    kedge_model *model;
    kedge_status st = KEDGE_ECANCELED;
    uint64_t committed = 0;

    PLANTED(p, PLANTED_DOCUMENTS);
    write_shards(&p, path);
    ck_ok(ingest_shards(&p, path, 0), p.t.err);
    expected = planted_info(&p);
    model = planted_fit(&p, 4, NULL, NULL);
    for (long n = 0; st != KEDGE_OK; n++) {
        long left = n;
        planted_anew(&p);
        p.c.stop = stop_countdown;
        p.c.data = &left;
        st = ingest_shards(&p, path, 0);
        p.c.stop = NULL;
        if (st != KEDGE_OK)
            ck_assert_int_eq(st, KEDGE_ECANCELED);
        ck_assert_uint_eq(planted_info(&p).documents, p.r.documents);
        if (p.r.documents > 0 && p.r.documents < PLANTED_DOCUMENTS)
            committed++;
        scene_reopen(&p.t, KEDGE_OPEN_WRITE);
        const uint64_t before = p.r.documents;
        ck_ok(ingest_shards(&p, path, 0), p.t.err);
        ck_assert_uint_eq(before + p.r.documents, PLANTED_DOCUMENTS);
        check_same_store(&p, &expected, model);
        ck_assert_int_lt(n, 200);
    }
    ck_assert_uint_ge(committed, 2);
    kedge_model_free(model);
}

TEST(a_long_source_is_resumed_within)
{
    enum { MANY = 70000 };
    kedge_store_info expected;
    long left;

    PLANTED(p, 8);
    FILE *f = planted_file(p.source);
    fprintf(f, "%d\n%d\n%d\n", MANY, PLANTED_WORDS, 2 * MANY);
    for (int m = 0; m < MANY; m++)
        fprintf(f, "%d %d %d\n%d %d 4\n", m + 1, 1 + m % 100, 1 + m % 7,
                m + 1, 101 + m % 50);
    ck_assert_int_eq(fclose(f), 0);
    planted_fill(&p);
    ck_assert_uint_eq(p.r.documents, MANY);
    expected = planted_info(&p);
    for (left = 1; ; left++) {
        long n = left;
        planted_anew(&p);
        p.c.stop = stop_countdown;
        p.c.data = &n;
        ck_assert_int_eq(planted_ingest(&p, p.source), KEDGE_ECANCELED);
        if (p.r.documents > 0 && p.r.documents < MANY)
            break;
    }
    p.c.stop = NULL;
    ck_assert(!planted_source(&p, 0).complete);
    const uint64_t before = p.r.documents;
    planted_fill(&p);
    ck_assert_uint_eq(p.r.resumed, before);
    ck_assert_uint_eq(p.r.documents, MANY - before);
    ck_assert_uint_eq(planted_info(&p).sources, 1);
    ck_assert(planted_source(&p, 0).complete);
    ck_assert_mem_eq(planted_info(&p).digest, expected.digest,
                     sizeof expected.digest);
}

TEST(no_memory_leaves_a_store_that_goes_on)
{
    PLANTED(p, PLANTED_DOCUMENTS);
    char path[SHARDS][96];
    kedge_store_info expected;
    kedge_model *model OWN(model_end) = NULL;

    p.c.threads = 1;
    write_shards(&p, path);
    ck_ok(ingest_shards(&p, path, 0), p.t.err);
    expected = planted_info(&p);
    model = planted_fit(&p, 4, NULL, NULL);
    GATE_LOOP {
        planted_anew(&p);
        GATE_TRY(ingest_shards(&p, path, 0));
        gate_k += 6;
        scene_reopen(&p.t, KEDGE_OPEN_WRITE);
        ck_ok(ingest_shards(&p, path, 0), p.t.err);
        check_same_store(&p, &expected, model);
    }
}

static kedge_status hand_over(planted *p, program *g, size_t count)
{
    program_begin(g, p, count);
    p->o.source = &g->source;
    return kedge_ingest(p->t.s, NULL, 0, &p->o, &p->c, &p->r, &p->t.err);
}

TEST(documents_of_a_program_are_as_those_of_a_file)
{
    kedge_model *file, *own;
    kedge_store_info before;
    program g;

    PLANTED(p, PLANTED_DOCUMENTS);
    planted_fill(&p);
    before = planted_info(&p);
    file = planted_fit(&p, PLANTED_TOPICS, NULL, NULL);
    planted_anew(&p);
    p.o.vocabulary = NULL;
    ck_ok(hand_over(&p, &g, PLANTED_DOCUMENTS / 2), p.t.err);
    ck_assert_uint_eq(p.r.documents, PLANTED_DOCUMENTS / 2);
    ck_ok(hand_over(&p, &g, PLANTED_DOCUMENTS), p.t.err);
    ck_assert_uint_eq(p.r.resumed, PLANTED_DOCUMENTS / 2);
    ck_assert_uint_eq(p.r.documents, PLANTED_DOCUMENTS / 2);
    ck_ok(hand_over(&p, &g, PLANTED_DOCUMENTS), p.t.err);
    ck_assert_uint_eq(p.r.sources_known, 1);
    ck_assert_mem_eq(planted_info(&p).digest, before.digest,
                     sizeof before.digest);
    ck_assert_int_eq(strncmp(planted_source(&p, 0).name, "memory#", 7), 0);
    own = planted_fit(&p, PLANTED_TOPICS, NULL, NULL);
    ck_assert(planted_same(file, own));
    kedge_model_free(file);
    kedge_model_free(own);
}

TEST(a_source_of_a_program_stands_alone)
{
    const char *path;
    program g;

    PLANTED(p, PLANTED_DOCUMENTS);
    path = p.source;
    ck_fails(hand_over(&p, &g, 40), KEDGE_EINVAL, p.t.err, "name no files");
    p.o.vocabulary = NULL;
    ck_fails(kedge_ingest(p.t.s, &path, 1, &p.o, &p.c, &p.r, &p.t.err),
             KEDGE_EINVAL, p.t.err, "no files");
    ck_ok(hand_over(&p, &g, 40), p.t.err);
    ck_fails(hand_over(&p, &g, 30), KEDGE_EINVAL, p.t.err,
             "continues differently; leave out");
    ck_assert_uint_eq(planted_info(&p).documents, 40);
    program_begin(&g, &p, 40);
    g.source.name = "mine";
    g.vocabulary[7] = g.vocabulary[3];
    ck_fails(kedge_ingest(p.t.s, NULL, 0, &p.o, &p.c, &p.r, &p.t.err),
             KEDGE_EFORMAT, p.t.err, "mine:8: the word");
    g.vocabulary[7] = "a\nb";
    ck_fails(kedge_ingest(p.t.s, NULL, 0, &p.o, &p.c, &p.r, &p.t.err),
             KEDGE_EFORMAT, p.t.err, "the word has a line end in it: expected "
                                     "a word without one");
}

TEST(bad_options_are_refused)
{
    static const struct {
        kedge_ingest_opts o;
        const char *said;
    } cases[] = {
        {{.sketch_size = 15}, "sketch size"},
        {{.sketch_size = 8193}, "8193"},
        {{.min_tokens = 1}, "min_tokens"},
        {{.min_tokens = 1001}, "1001"},
        {{.digits = (kedge_digits)3}, "unknown choice 3"},
        {{.sketch_size = 0}, "words are given as numbers: name the file of the "
                             "words with"},
    };

    PLANTED(p, 8);
    const kedge_ingest_opts good = p.o;
    ck_fails(kedge_ingest(p.t.s, NULL, 0, &p.o, &p.c, &p.r, &p.t.err),
             KEDGE_EINVAL, p.t.err, "no source");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        p.o = cases[i].o;
        p.o.vocabulary = i < 5 ? p.vocabulary : NULL;
        ck_fails(planted_ingest(&p, p.source), KEDGE_EINVAL, p.t.err,
                 cases[i].said);
    }
    ck_assert_uint_eq(planted_info(&p).documents, 0);
    p.o = good;
    planted_fill(&p);
}

TEST(a_small_budget_is_refused_with_figures)
{
    PLANTED(p, PLANTED_DOCUMENTS);
    p.c.memory = UINT64_C(40) << 20;
    ck_fails(planted_ingest(&p, p.source), KEDGE_EBUDGET, p.t.err, "40 MiB");
    ck_assert_uint_eq(planted_info(&p).documents, 0);
    p.c.memory = UINT64_C(2) << 30;
    planted_fill(&p);
    ck_assert_uint_gt(p.r.planned_memory, UINT64_C(40) << 20);
    ck_assert_uint_le(p.r.planned_memory, p.c.memory);
}

TEST(the_first_ingest_fixes_the_sketch)
{
    kedge_index_info v;

    PLANTED(p, PLANTED_DOCUMENTS);
    p.o.seed = 9;
    p.o.min_tokens = 8;
    planted_write(p.source, &p.d, 0, 100, false);
    planted_fill(&p);
    planted_write(p.source, &p.d, 100, PLANTED_DOCUMENTS, false);
    for (int i = 0; i < 3; i++) { /* others, asked for, the usual ones too */
        p.o.sketch_size = i == 0 ? 100 : 0;
        p.o.seed = i == 1 ? 1 : 0;
        p.o.min_tokens = i == 2 ? 5 : 0;
        ck_fails(planted_ingest(&p, p.source), KEDGE_EINVAL, p.t.err,
                 "made with --sketch-size 80, --seed 9");
    }
    p.o.min_tokens = 0;
    planted_fill(&p);
    ck_assert_uint_eq(p.r.sketch_size, 80);
    ck_ok(kedge_store_get_index(p.t.s, 0, &v, &p.t.err), p.t.err);
    ck_assert_uint_eq(v.seed, 9);
    ck_assert_uint_eq(v.min_tokens, 8);
    ck_assert_uint_eq(v.sketch_size, 80);
    ck_assert_uint_eq(v.skipped, corpus_short(&p.d, 8));
}

TEST(bad_records_are_counted_or_refused)
{
    PLANTED(p, 8);
    FILE *f = planted_file(p.source);
    fprintf(f, "3\n%d\n3\n1 1 9\n2 0 3\n3 2 7\n", PLANTED_WORDS);
    ck_assert_int_eq(fclose(f), 0);
    ck_assert_int_eq(planted_ingest(&p, p.source), KEDGE_EFORMAT);
    planted_anew(&p);
    p.o.skip_bad = true;
    planted_fill(&p);
    ck_assert_uint_eq(p.r.bad, 1);
    ck_assert_uint_eq(p.r.documents, 2);
    ck_assert_uint_eq(planted_source(&p, 0).bad, 1);
    ck_assert_uint_eq(p.r.empty, planted_source(&p, 0).empty);
}

/* ---- documents with ids, words that are found ---------------------------- */

TEST(a_batch_is_written_down)
{
    papers w;
    store_source record;

    PLANTED(p, PLANTED_DOCUMENTS);
    papers_make(&p, &w, 1, KEDGE_DUPLICATE_SKIP);
    p.o.batch = "monday";
    ck_ok(papers_ingest(&p, &w, 2), p.t.err);
    p.o.batch = "tuesday";
    planted_fill(&p);
    scene_read(&p.t);
    for (uint64_t i = 0; i <= FILES; i++) {
        ck_ok(store_get_source_record(p.t.txn, i, &record, &p.t.err), p.t.err);
        ck_assert_str_eq(record.batch, i < FILES ? "monday" : "tuesday");
        ck_assert(record.complete && record.when > 0);
    }
    store_abort(&p.t.txn);
}

/* Stopped at each moment in turn, and gone on with the same command. */
TEST(documents_with_ids_go_on_after_a_stop)
{
    for (long left = 0;; left++) {
        papers w;
        long n = left;
        PLANTED(p, PLANTED_DOCUMENTS);
        p.o.vocabulary = left % 2 == 0 ? NULL : p.o.vocabulary;
        papers_make(&p, &w, 9, KEDGE_DUPLICATE_REPLACE);
        p.c.stop = stop_countdown;
        p.c.data = &n;
        const kedge_status st = papers_ingest(&p, &w, FILES);
        ck_assert(st == KEDGE_OK || st == KEDGE_ECANCELED);
        p.c.stop = NULL;
        ck_ok(papers_ingest(&p, &w, FILES), p.t.err);
        papers_check(&p, &w);
        if (st == KEDGE_OK)
            break;
        ck_assert_int_lt(left, 200);
    }
}

TEST(documents_with_ids_without_memory)
{
    PLANTED(p, PLANTED_DOCUMENTS);
    papers w;

    p.c.threads = 1;
    papers_make(&p, &w, 9, KEDGE_DUPLICATE_REPLACE);
    GATE_LOOP {
        planted_anew(&p);
        p.o.vocabulary = gate_k % 2 == 0 ? NULL : p.vocabulary;
        GATE_TRY(papers_ingest(&p, &w, FILES));
        gate_k += 4;
        scene_reopen(&p.t, KEDGE_OPEN_WRITE);
        ck_ok(papers_ingest(&p, &w, FILES), p.t.err);
        papers_check(&p, &w);
    }
}

/* Texts of a hundred words that no other has. */
static void write_new_words(const char *path, unsigned documents)
{
    FILE *f = planted_file(path);

    for (unsigned i = 0; i < documents; i++) {
        fprintf(f, "{\"text\": \"");
        for (unsigned k = 100 * i; k < 100 * i + 100; k++)
            fprintf(f, "w%c%c%c%c%c ", 'a' + k % 26, 'a' + k / 26 % 26,
                    'a' + k / 676 % 26, 'a' + k / 17576 % 26,
                    'a' + k / 456976);
        fprintf(f, "\"}\n");
    }
    ck_assert_int_eq(fclose(f), 0);
}

/* What so many words take at least. */
static uint64_t storing_least(uint64_t count, const kedge_control *c)
{
    kedge_control all = *c;
    kedge_error err = {0};
    ingest_plan plan = {.halvings = BATCH_HALVINGS,
                        .input = {.text = 7 * count, .stored = 1}};

    all.memory = UINT64_MAX / 4;
    ck_ok(plan_storing(count, 7 * count, &all, &plan, &err), err);
    return plan.total;
}

/* More documents than the smallest turn takes. */
TEST(the_budget_does_not_change_what_is_made)
{
    enum { DOCUMENTS = 9000 };
    kedge_model *m[2][2];
    uint64_t planned[2][2];

    PLANTED(p, DOCUMENTS);
    for (int given = 0; given < 2; given++)
        for (int small = 0; small < 2; small++) {
            kedge_fit_opts o;
            kedge_fit_opts_init(&o);
            planted_anew(&p);
            p.c.memory = (uint64_t)(small ? 224 : 2048) << 20;
            p.o.no_sketch = !given;
            planted_fill(&p);
            planned[given][small] = p.r.planned_memory;
            p.c.memory = UINT64_C(2) << 30;
            o.sketch_size = 80;
            m[given][small] = planted_fit(&p, 4, &o, NULL);
        }
    for (int given = 0; given < 2; given++) {
        ck_assert_uint_le(planned[given][1], planned[given][0]);
        ck_assert(planted_same(m[given][0], m[given][1]));
        kedge_model_free(m[given][0]);
        kedge_model_free(m[given][1]);
    }
}

TEST(words_that_outgrow_the_budget_are_refused)
{
    enum { DOCUMENTS = 3500 };
    const uint64_t some = 2 * PLAN_NEW_WORDS + 1000;

    PLANTED(p, 8);
    p.o.vocabulary = NULL;
    p.o.sketch_size = 0;
    p.c.memory = UINT64_MAX / 4;
    p.c.memory = storing_least(some, &p.c);
    write_new_words(p.source, DOCUMENTS);
    ck_fails(planted_ingest(&p, p.source), KEDGE_EBUDGET, p.t.err,
             "words takes");
    const uint64_t kept = planted_info(&p).documents;
    ck_assert_uint_ge(kept, PLAN_NEW_WORDS / 100);
    ck_assert_uint_lt(kept, DOCUMENTS);
    p.c.memory = UINT64_C(2) << 30;
    planted_fill(&p);
    ck_assert_uint_eq(p.r.resumed, kept);
    ck_assert_uint_eq(planted_info(&p).documents, DOCUMENTS);
    ck_assert_uint_eq(planted_info(&p).words, 100 * DOCUMENTS);
}
