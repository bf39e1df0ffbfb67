/* SPDX-License-Identifier: MIT */
#include "ops/index/index.h"

#include "base/gate.h"
#include "ops/planted.h"
#include "ops/ingest/removal.h"
#include "cooccur/corpus.h"

static store_index index_of(planted *p, uint32_t number)
{
    store_index v;

    scene_read(&p->t);
    ck_ok(store_get_index_record(p->t.txn, number, &v, &p->t.err), p->t.err);
    store_abort(&p->t.txn);
    return v;
}

/* The saved sketch's rows, all of them. */
static int64_t *saved_rows(planted *p, uint32_t number, store_index *v)
{
    store_rows scratch = {0};
    const uint8_t *bytes;
    size_t size;
    int64_t *values;

    *v = index_of(p, number);
    scene_read(&p->t);
    values = calloc(v->words * (1 + v->width), sizeof *values);
    ck_assert_uint_le(v->words, STORE_CHUNK_ROWS);
    ck_ok(store_get_rows(p->t.txn, v->rows, 0, &bytes, &size, &p->t.err),
          p->t.err);
    ck_ok(store_rows_decode(&scratch, bytes, size, v->words, v->width, values,
                            &p->t.err), p->t.err);
    store_abort(&p->t.txn);
    store_rows_free(&scratch);
    return values;
}

/* Nothing is left of an older saving. */
static void check_rows(planted *p, const store_index *v)
{
    const uint8_t *bytes;
    size_t size;

    scene_read(&p->t);
    ck_assert_int_eq(store_get_rows(p->t.txn, index_other_rows(v->rows), 0,
                                    &bytes, &size, &p->t.err),
                     KEDGE_ENOTFOUND);
    store_abort(&p->t.txn);
}

typedef struct session {
    open_index f;
    words w;
    pool *threads;
} session;

static kedge_status session_open(session *s, planted *p, uint32_t number,
                                      bool spill)
{
    kedge_status st;
    const store_index index = {.weight_bits = STATISTIC_JOINT_BITS, .width = 80,
                               .seed = 1, .min_tokens = 5};

    *s = (session){.f = {.s = p->t.s, .control = &p->c, .index = index,
                         .vocabulary = &s->w, .number = number}};
    scene_read(&p->t);
    ck_ok(store_get_words(p->t.txn, &s->w, &p->t.err), p->t.err);
    store_abort(&p->t.txn);
    st = pool_create(p->c.threads, &s->threads, &p->t.err);
    s->f.p = s->threads;
    return st == KEDGE_OK ? index_open(&s->f, spill, &p->t.err) : st;
}

static void session_close(session *s)
{
    index_close(&s->f);
    words_free(&s->w);
    pool_free(s->threads);
}

static kedge_status follow_index(planted *p, uint32_t number, bool spill)
{
    session s;
    kedge_status st = session_open(&s, p, number, spill);

    if (st == KEDGE_OK)
        st = index_catch_up(&s.f, &p->t.err);
    if (st == KEDGE_OK)
        st = index_save(&s.f, &p->t.err);
    session_close(&s);
    return st;
}

/* More chunks than one group of a saving holds. */
TEST(many_chunks_are_saved)
{
    enum { WORDS = 256 * 18 + 3 };
    kedge_model *m[2];

    PLANTED(p, 8);
    p.o.sketch_size = 16;
    FILE *f = planted_file(p.vocabulary);
    for (unsigned i = 0; i < WORDS; i++)
        fprintf(f, "%u.%u\n", i * 7919 % 10007, i);
    ck_assert_int_eq(fclose(f), 0);
    f = planted_file(p.source);
    fprintf(f, "%d\n%d\n%d\n", 2 * WORDS, WORDS, 4 * WORDS);
    for (unsigned i = 0; i < 2 * WORDS; i++)
        fprintf(f, "%u %u 3\n%u %u 4\n", i + 1, i % 5 + 1, i + 1,
                6 + i % (WORDS - 5));
    ck_assert_int_eq(fclose(f), 0);
    planted_fill(&p);
    kedge_fit_opts o;
    kedge_fit_opts_init(&o);
    o.anchor_min_df = 1;
    m[0] = planted_fit(&p, 2, &o, NULL);
    const uint32_t before = index_of(&p, INDEX_ALL_WORDS).rows;
    ck_ok(follow_index(&p, INDEX_ALL_WORDS, false), p.t.err);
    ck_assert_uint_ne(before, index_of(&p, INDEX_ALL_WORDS).rows);
    m[1] = planted_fit(&p, 2, &o, NULL);
    ck_assert(planted_same(m[0], m[1]));
    kedge_model_free(m[0]);
    kedge_model_free(m[1]);
}

TEST(damage_is_found_when_loading)
{
    session s;

    PLANTED(p, PLANTED_DOCUMENTS);
    planted_fill(&p);
    const uint32_t rows = index_of(&p, INDEX_ALL_WORDS).rows;
    scene_write(&p.t);
    ck_ok(store_drop_rows(p.t.txn, rows, &p.t.err), p.t.err);
    scene_commit(&p.t);
    ck_assert_int_ne(session_open(&s, &p, INDEX_ALL_WORDS, false), KEDGE_OK);
    session_close(&s);
}

TEST(no_memory_harms_no_saved_sketch)
{
    PLANTED(p, PLANTED_DOCUMENTS);
    store_index index;
    int64_t *rows OWNED = NULL;

    p.c.threads = 1;
    planted_fill(&p);
    rows = saved_rows(&p, INDEX_ALL_WORDS, &index);
    GATE_LOOP {
        session s = {0};
        ck_ok(session_open(&s, &p, INDEX_ALL_WORDS, false), p.t.err);
        GATE_TRY(index_save(&s.f, &p.t.err));
        session_close(&s);
        int64_t *kept OWNED = saved_rows(&p, INDEX_ALL_WORDS, &index);
        ck_assert_mem_eq(rows, kept,
                         index.words * (1 + index.width) * sizeof *rows);
    }
    check_rows(&p, &index);
}

/* ---- indexes with a list, and documents that leave ----------------------- */

#define LISTED 1 /* the number of the index with a list */
#define PARTS 6

/* A corpus that is put into the store in parts, each a source, while documents
 * leave and the indexes follow, or are interrupted. */
typedef struct story {
    planted p;
    chance c;
    size_t part;              /* that comes next */
    size_t first[PARTS + 1];  /* documents of the parts */
    bool gone[PLANTED_DOCUMENTS], leaves[PLANTED_DOCUMENTS];
    bool listed[PLANTED_WORDS];
    int patience;             /* calls until a stop; below 0: none */
} story;

static void story_put_list(story *s)
{
    uint32_t ids[PLANTED_WORDS];
    size_t n = 0;
    const uint32_t kind = (uint32_t)(s->c.key % STATISTICS);
    const store_index v = {.statistic = kind,
                           .weight_bits = statistic_weight_bits(kind),
                           .value_bits = statistic_value_bits(kind),
                           .width = 50, .seed = 3, .min_tokens = 7,
                           .listed = true, .rows = 2 * LISTED};

    for (uint32_t i = 0; i < PLANTED_WORDS; i++) {
        s->listed[i] = chance_below(&s->c, 3) > 0;
        if (s->listed[i])
            ids[n++] = i;
    }
    scene_write(&s->p.t);
    ck_ok(store_put_list(s->p.t.txn, LISTED, ids, n, &s->p.t.err), s->p.t.err);
    ck_ok(store_put_index(s->p.t.txn, LISTED, &v, &s->p.t.err), s->p.t.err);
    scene_commit(&s->p.t);
}

static void story_ingest(story *s)
{
    char name[16], path[96];
    const size_t i = s->part++;

    snprintf(name, sizeof name, "part%zu", i);
    planted_write(planted_path(&s->p, name, path), &s->p.d, s->first[i],
                  s->first[i + 1], false);
    s->p.o.no_sketch = chance_below(&s->c, 2) == 0;
    ck_ok(planted_ingest(&s->p, path), s->p.t.err);
}

static void story_begin(story *s, uint64_t seed)
{
    static const char *const first[] = {NULL, "log", "sqrt", "raw"};

    *s = (story){.c = {.key = seed}, .patience = -1};
    planted_begin(&s->p, PLANTED_DOCUMENTS);
    s->p.o.tf = first[seed / STATISTICS % 4];
    for (size_t i = 0; i <= PARTS; i++)
        s->first[i] = PLANTED_DOCUMENTS * i / PARTS;
    story_ingest(s);
    story_put_list(s);
}

static bool story_leaves(void *data, const docs *d, size_t m, uint32_t source)
{
    const story *s = data;

    return s->leaves[s->first[source] + d->position[m] - 1];
}

static void story_remove(story *s)
{
    uint64_t tf[PLANTED_WORDS], df[PLANTED_WORDS];
    kedge_error *const err = &s->p.t.err;
    store_totals totals;
    digests g = {0};
    words w = {0};
    removal r = {.digests = &g, .tf = tf, .df = df, .totals = &totals};
    const size_t share = chance_below(&s->c, 10);

    for (size_t m = 0; m < PLANTED_DOCUMENTS; m++) {
        s->leaves[m] = chance_below(&s->c, 10) < share;
        s->gone[m] |= s->leaves[m] && m < s->first[s->part];
    }
    scene_write(&s->p.t);
    store_txn *const txn = r.txn = s->p.t.txn;
    ck_ok(store_get_words(txn, &w, err), *err);
    ck_ok(digests_learn(&g, &w, err), *err);
    ck_ok(store_get_counts(txn, tf, df, PLANTED_WORDS, err), *err);
    ck_ok(store_get_totals(txn, &totals, err), *err);
    for (uint64_t b = 0; b < totals.blocks; b++)
        ck_ok(removal_take(&r, b, story_leaves, s, err), *err);
    ck_ok(store_put_totals(txn, &totals, err), *err);
    ck_ok(store_put_counts(txn, tf, df, PLANTED_WORDS, err), *err);
    scene_commit(&s->p.t);
    removal_free(&r);
    digests_free(&g);
    words_free(&w);
}

static unsigned steps_saved, steps_saved_removals;

static int story_stop(void *data)
{
    story *s = data;

    return s->patience >= 0 && s->patience-- == 0;
}

/* One that saves after each batch, of a block each. */
static kedge_status story_follow_in_steps(story *s, uint32_t number)
{
    kedge_status st;
    session f;

    st = session_open(&f, &s->p, number, false);
    f.f.halvings = BATCH_HALVINGS;
    f.f.save_at = f.f.save_every = 0;
    if (st == KEDGE_OK)
        st = index_catch_up(&f.f, &s->p.t.err);
    if (st == KEDGE_OK)
        st = index_save(&f.f, &s->p.t.err);
    session_close(&f);
    return st;
}

/* A following that is stopped at some moment: nothing of it is saved, unless
 * that is asked for; then it is further by what is saved. */
static void story_interrupt(story *s, uint32_t number)
{
    const bool steps = chance_below(&s->c, 2) == 0;
    const store_index before = index_of(&s->p, number);
    store_index after;
    kedge_status st;

    s->patience = (int)chance_below(&s->c, 12);
    s->p.c.stop = story_stop;
    s->p.c.data = s;
    st = steps ? story_follow_in_steps(s, number)
               : follow_index(&s->p, number, false);
    s->p.c.stop = NULL;
    s->patience = -1;
    ck_assert(st == KEDGE_OK || st == KEDGE_ECANCELED);
    if (st == KEDGE_OK)
        return;
    after = index_of(&s->p, number);
    if (!steps)
        ck_assert(before.blocks == after.blocks &&
                  before.removals == after.removals &&
                  before.rows == after.rows &&
                  before.documents == after.documents);
    ck_assert_uint_ge(after.blocks, before.blocks);
    ck_assert_uint_ge(after.removals, before.removals);
    steps_saved += after.blocks > before.blocks;
    steps_saved_removals +=
        after.blocks == before.blocks && after.removals > before.removals;
}

/* The documents that are there, as the index sees them. */
static void story_look(const story *s, bool listed, docs *seen, words *w)
{
    uint32_t number[PLANTED_WORDS];
    char word[16];

    for (size_t i = 0; i < PLANTED_WORDS; i++) {
        snprintf(word, sizeof word, "w%03zu", i * 37 % PLANTED_WORDS);
        number[i] = (uint32_t)w->count;
        if (!listed || s->listed[i])
            ck_assert(words_add(w, word, 4));
    }
    for (size_t m = 0; m < PLANTED_DOCUMENTS; m++) {
        const docs *d = &s->p.d;
        if (s->gone[m])
            continue;
        ck_assert(docs_begin(seen, m + 1));
        for (size_t k = d->start[m]; k < d->start[m + 1]; k++)
            if (!listed || s->listed[d->word[k]])
                ck_assert(docs_push(seen, number[d->word[k]], d->tally[k]));
    }
}

/* The saved sketch against the formula, over what is left. */
static void story_check(story *s, uint32_t number)
{
    store_index v, want = {0};
    int64_t *const rows = saved_rows(&s->p, number, &v);
    corpus_sketch naive;
    docs seen = {0};
    words w = {0};
    size_t twin, wrong = 0;

    check_rows(&s->p, &v);
    story_look(s, number == LISTED, &seen, &w);
    corpus_begin(&naive, &w, v.seed, v.width);
    naive.kind = v.statistic;
    corpus_add(&naive, &seen, v.min_tokens);
    uint32_t *const order = words_order(&w, &twin);
    for (size_t r = 0; statistic_damped(v.statistic) && r < w.count; r++)
        want.total += (double)naive.z[r * (1 + v.width)];
    for (size_t r = 0; r < w.count; r++)
        wrong += memcmp(rows + r * (1 + v.width),
                        naive.z + order[r] * (1 + v.width),
                        (1 + v.width) * sizeof *rows) != 0;
    for (size_t m = 0; m < seen.count; m++) {
        const bool counts = seen.length[m] >= v.min_tokens;
        want.documents += counts;
        want.skipped += !counts;
        want.tokens += counts ? seen.length[m] : 0;
    }
    ck_assert_uint_eq(v.words, w.count);
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(v.documents, want.documents);
    ck_assert_uint_eq(v.skipped, want.skipped);
    ck_assert_uint_eq(v.tokens, want.tokens);
    ck_assert_double_le(fabs(v.total - want.total), 1e-12 * want.total);
    mem_free(order);
    free(rows);
    corpus_end(&naive);
    docs_free(&seen);
    words_free(&w);
}

static void story_step(story *s)
{
    const uint32_t number =
        chance_below(&s->c, 2) == 0 ? LISTED : INDEX_ALL_WORDS;

    switch (chance_below(&s->c, 5)) {
    case 0:
        if (s->part < PARTS)
            story_ingest(s);
        break;
    case 1:
        story_remove(s);
        break;
    case 2:
        story_interrupt(s, number);
        break;
    default:
        ck_ok(follow_index(&s->p, number, chance_below(&s->c, 2) == 0),
              s->p.t.err);
        break;
    }
}

TEST(what_left_was_never_there)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        static story s;
        story_begin(&s, seed);
        for (int step = 0; step < 14; step++)
            story_step(&s);
        while (s.part < PARTS)
            story_ingest(&s);
        for (uint32_t number = 0; number < 2; number++) {
            ck_ok(follow_index(&s.p, number, false), s.p.t.err);
            story_check(&s, number);
        }
        planted_end(&s.p);
    }
    ck_assert_uint_gt(steps_saved, 0);
    ck_assert_uint_gt(steps_saved_removals, 0);
}

TEST(an_index_that_is_up_to_date_is_not_ahead)
{
    static story s;
    session f;

    story_begin(&s, 77);
    while (s.part < PARTS)
        story_ingest(&s);
    ck_ok(session_open(&f, &s.p, LISTED, false), s.p.t.err);
    ck_assert(!index_is_ahead(&f.f));
    ck_ok(index_catch_up(&f.f, &s.p.t.err), s.p.t.err);
    ck_assert(index_is_ahead(&f.f));
    ck_ok(index_save(&f.f, &s.p.t.err), s.p.t.err);
    ck_assert(!index_is_ahead(&f.f));
    story_check(&s, LISTED);
    memset(s.leaves, 0, sizeof s.leaves);
    while (!s.gone[0] && !s.gone[1])
        story_remove(&s);
    ck_ok(index_catch_up(&f.f, &s.p.t.err), s.p.t.err);
    ck_assert(index_is_ahead(&f.f)); /* of removals alone */
    ck_ok(index_save(&f.f, &s.p.t.err), s.p.t.err);
    session_close(&f);
    story_check(&s, LISTED);
    planted_end(&s.p);
}

TEST(a_statistic_that_is_not_known_is_refused)
{
    session s;
    store_index v;

    PLANTED(p, PLANTED_DOCUMENTS);
    planted_fill(&p);
    scene_write(&p.t);
    ck_ok(store_get_index_record(p.t.txn, INDEX_ALL_WORDS, &v, &p.t.err),
          p.t.err);
    v.statistic = STATISTICS;
    ck_ok(store_put_index(p.t.txn, INDEX_ALL_WORDS, &v, &p.t.err), p.t.err);
    scene_commit(&p.t);
    ck_fails(session_open(&s, &p, INDEX_ALL_WORDS, false), KEDGE_EVERSION,
             p.t.err, "another version of kedge");
    session_close(&s);
}
