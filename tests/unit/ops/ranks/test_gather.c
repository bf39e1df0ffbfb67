/* SPDX-License-Identifier: MIT */
#include "ops/ranks/ranks.h"

#include "base/chance.h"
#include "ops/gathered.h"

enum { N = 150 };

/* What the stores of a crew have together, at rank 0. */
typedef struct gathering {
    gathered *g;
    part p;              /* rank 0's */
    kedge_status status; /* likewise */
} gathering;

static void gather_one(void *data, communicator *comm)
{
    gathering *const w = data;
    lively *const l = &w->g->member[comm->rank];
    scene *const t = &l->p.t;
    store_totals totals;
    words all = {0};
    kedge_status st;
    part p;

    ck_ok(store_load_words(t->s, &totals, &all, &t->err), t->err);
    st = gather_parts(comm, t->s, &totals, &all, &l->p.c, &p, &t->err);
    words_free(&all);
    if (comm->rank == 0) {
        w->status = st;
        w->p = p;
        return;
    }
    ck_ok(st, t->err);
    ck_assert(p.words.w.count == 0 && p.facts.parts == 0 &&
              p.facts.part == NULL);
}

/* Rank 0's status; what it has is the caller's to free. */
static kedge_status gather_run(gathering *w, gathered *g)
{
    *w = (gathering){.g = g};
    threadranks_run(g->size, gather_one, w);
    return w->status;
}

static part gather(gathered *g)
{
    gathering w;

    ck_ok(gather_run(&w, g), g->member[0].p.t.err);
    return w.p;
}

static void words_of_store(lively *l, part_words *out)
{
    scene *const t = &l->p.t;
    store_totals totals;
    words known = {0};
    uint32_t *order;
    size_t twin;

    *out = (part_words){.tf = NULL};
    ck_ok(store_load_words(t->s, &totals, &known, &t->err), t->err);
    order = words_order(&known, &twin);
    scene_read(t);
    ck_ok(part_words_of(t->txn, &known, order, NULL, out, &t->err), t->err);
    store_abort(&t->txn);
    mem_free(order);
    words_free(&known);
}

/* Words in the order of their bytes, with the counts of one store with all. */
static void check_words(const part_words *got, lively *all)
{
    part_words expected;

    words_of_store(all, &expected);
    ck_assert_uint_eq(got->w.count, expected.w.count);
    ck_assert_uint_eq(words_bytes(&got->w), words_bytes(&expected.w));
    if (words_bytes(&got->w) > 0)
        ck_assert_int_eq(memcmp(got->w.bytes, expected.w.bytes,
                                words_bytes(&got->w)), 0);
    ck_assert_mem_eq(got->tf, expected.tf, got->w.count * 8);
    ck_assert_mem_eq(got->df, expected.df, got->w.count * 8);
    part_words_free(&expected);
}

/* One for each store with documents, in the order of ranks. */
static void check_parts(const part_facts *f, gathered *g)
{
    size_t i = 0;

    for (unsigned r = 0; r < g->size; r++) {
        const kedge_store_info info = planted_info(&g->member[r].p);
        char name[16];
        if (info.documents == 0)
            continue;
        ck_assert_uint_lt(i, f->parts);
        snprintf(name, sizeof name, "rank%u", r);
        ck_assert_str_eq(f->part[i].name, name);
        ck_assert_uint_eq(f->part[i].documents, info.documents);
        ck_assert_uint_eq(f->part[i].tokens, info.tokens);
        ck_assert_mem_eq(f->part[i++].digest, info.digest, 16);
    }
    ck_assert_uint_eq(f->parts, i);
}

/* The facts, parts and words of one store with all; so many indexes, of all
 * words. */
static void check_gathered(gathered *g, size_t indexes)
{
    const kedge_store_info info = planted_info(&g->all.p);
    part p = gather(g);
    const part_facts *const f = &p.facts;

    ck_assert_uint_eq(f->documents, info.documents);
    ck_assert_uint_eq(f->tokens, info.tokens);
    ck_assert_uint_eq(f->nonzeros, info.nonzeros);
    ck_assert_mem_eq(f->digest, info.digest, 16);
    check_parts(f, g);
    check_words(&p.words, &g->all);
    ck_assert(!f->tokenizing.settings.texts);
    ck_assert_uint_eq(f->indexes, indexes);
    for (size_t i = 0; i < indexes; i++)
        ck_assert(!f->index[i].index.listed);
    part_free(&p);
}

/* Of more than there are shards some have nothing. */
TEST(rank_0_gets_all)
{
    static const unsigned sizes[] = {1, 3, 12};

    for (size_t i = 0; i < 3; i++) {
        OWN(gathered_end) gathered g;

        gathered_begin(&g, sizes[i], N);
        check_gathered(&g, 1);
        gathered_remove(&g, 1 % sizes[i], sizes[i] == 1 ? 4 : 1, true);
        check_gathered(&g, 1);
    }
}

TEST(the_last_may_be_the_only_one_with_documents)
{
    OWN(gathered_end) gathered g;

    gathered_empty(&g, 4, N, NULL);
    check_gathered(&g, 0);
    gathered_read(&g, 3, 2);
    check_gathered(&g, 1);
}

/* ---- disagreement -------------------------------------------------------- */

/* As the last one's would have been read with another seed. */
TEST(sketches_that_cannot_be_added_are_refused)
{
    gathering w;
    OWN(gathered_end) gathered g;

    gathered_begin(&g, 3, N);
    store_index v = lively_index(&g.member[2], 0);
    v.seed++;
    lively_put_index(&g.member[2], 0, v);
    ck_fails(gather_run(&w, &g), KEDGE_EINVAL, g.member[0].p.t.err,
             "the seed 2, that of index 0 of the store has 1");
    ck_assert_ptr_nonnull(strstr(g.member[0].p.t.err.text, "rank2"));
    ck_assert(w.p.facts.parts == 0 && w.p.words.w.count == 0);
}

static void ask_digits(kedge_ingest_opts *o)
{
    o->digits = true;
}

/* A store that read bags alone goes along with any. */
TEST(texts_must_have_been_cut_alike)
{
    gathering w;
    OWN(gathered_end) gathered g;

    gathered_empty(&g, 2, N, ask_digits);
    g.member[1].texts = true;
    g.member[1].p.o.min_chars = 3;
    lively_ingest(&g.member[0], 0, false);
    lively_ingest(&g.member[1], 1, false);
    part p = gather(&g);
    const store_settings *const s = &p.facts.tokenizing.settings;
    ck_assert(s->texts && s->digits && s->shortest == 3);
    part_free(&p);
    g.member[0].texts = true;
    lively_ingest(&g.member[0], 3, false);
    ck_fails(gather_run(&w, &g), KEDGE_EINVAL, g.member[0].p.t.err,
             "the texts of rank0 were split with --min-chars 2, those of");
    ck_assert_ptr_nonnull(strstr(g.member[0].p.t.err.text, "those of rank1"));
}

/* ---- without memory ------------------------------------------------------ */

/* What the second of two ranks sends, on the tape. */
static void tape_fill(tape *said, gathered *g)
{
    communicator one = tape_team(said, 1);

    gather_one(&(gathering){.g = g}, &one);
}

/* Before anything of the words is received but how many there are. */
TEST(more_than_the_budget)
{
    OWN(tape_free) tape said = {.count = 0};
    OWN(gathered_end) gathered g;
    gathering w = {.g = &g};

    gathered_begin(&g, 2, N);
    tape_fill(&said, &g);
    communicator zero = tape_team(&said, 0);
    g.member[0].p.c.memory = 1 << 20;
    gather_one(&w, &zero);
    ck_fails(w.status, KEDGE_EBUDGET, g.member[0].p.t.err,
             "bringing words together takes ");
    ck_assert(w.p.facts.parts == 0 && w.p.words.w.count == 0);
}

TEST(damage_on_the_way_is_found)
{
    size_t refused = 0;
    OWN(tape_free) tape said = {.count = 0};
    OWN(gathered_end) gathered g;
    gathering w = {.g = &g};

    gathered_begin(&g, 2, N);
    tape_fill(&said, &g);
    for (size_t m = 0; m < said.count; m++)
        for (size_t i = 3; i < said.message[m].size; i += 97) {
            communicator zero = tape_team(&said, 0);
            said.message[m].bytes[i] ^= 0x20;
            gather_one(&w, &zero);
            said.message[m].bytes[i] ^= 0x20;
            refused += w.status == KEDGE_EFORMAT || w.status == KEDGE_EVERSION;
            part_free(&w.p);
        }
    ck_assert_uint_ge(refused, 8);
}

TEST(gathering_without_memory)
{
    store_totals totals;
    words all = {0};
    OWN(tape_free) tape said = {.count = 0};
    OWN(gathered_end) gathered g;
    part p;

    gathered_begin(&g, 2, N);
    tape_fill(&said, &g);
    scene *const t = &g.member[0].p.t;
    ck_ok(store_load_words(t->s, &totals, &all, &t->err), t->err);
    GATE_LOOP {
        communicator zero = tape_team(&said, 0);
        GATE_TRY(gather_parts(&zero, t->s, &totals, &all, &g.member[0].p.c, &p,
                              &t->err));
    }
    check_words(&p.words, &g.all);
    part_free(&p);
    words_free(&all);
}

/* ---- words for everybody ------------------------------------------------- */

typedef struct words_of_all {
    part_words p;
    uint64_t heard[THREADRANKS_MOST]; /* when they were sent */
} words_of_all;

static void bcast_one(void *data, communicator *comm)
{
    words_of_all *const w = data;
    kedge_error err = {0};
    part_words own = {0};

    if (comm->rank == 0)
        own = w->p;
    ck_ok(gather_bcast_words(comm, w->p.w.count, &own, &err), err);
    w->heard[comm->rank] = *comm->heard;
    ck_assert_uint_eq(own.w.count, w->p.w.count);
    ck_assert_mem_eq(own.w.bytes, w->p.w.bytes, words_bytes(&w->p.w));
    ck_assert_mem_eq(own.tf, w->p.tf, own.w.count * sizeof *own.tf);
    ck_assert_mem_eq(own.df, w->p.df, own.w.count * sizeof *own.df);
    if (comm->rank > 0)
        part_words_free(&own);
}

/* Several pieces of them, which come once to each. */
TEST(everybody_gets_the_words)
{
    enum { MANY = 9000 };
    words_of_all w = {.p = {.tf = NULL}};
    kedge_error err = {0};
    chance c = {.key = 7};
    char word[32];

    ck_ok(part_words_room(&w.p, MANY, &err), err);
    for (size_t i = 0; i < MANY; i++) {
        const int n = snprintf(word, sizeof word, "%05zu%llx", i,
                               (unsigned long long)chance_bits(&c));
        ck_assert(words_add(&w.p.w, word, (size_t)n));
        w.p.tf[i] = chance_bits(&c);
        w.p.df[i] = i % 3;
    }
    for (unsigned size = 1; size <= 9; size += 4) {
        threadranks_run(size, bcast_one, &w);
        ck_assert_uint_eq(w.heard[0], 0);
        for (unsigned r = 1; r < size; r++) {
            ck_assert_uint_eq(w.heard[r], w.heard[1]);
            ck_assert_uint_lt(w.heard[r],
                              words_bytes(&w.p.w) + 16 * MANY);
        }
    }
    part_words_free(&w.p);
}

/* ---- the store of sums --------------------------------------------------- */

static kedge_status put_part(gathered *g, const part *p)
{
    return gather_put(g->sum.p.t.s, p, &g->sum.p.t.err);
}

/* The sums are those of one store with all, whose they are named by parts. */
static void check_sum(gathered *g)
{
    const kedge_store_info sum = planted_info(&g->sum.p);
    const kedge_store_info all = planted_info(&g->all.p);
    uint64_t with = 0;
    part_words p;

    ck_assert_uint_eq(sum.documents, all.documents);
    ck_assert_uint_eq(sum.tokens, all.tokens);
    ck_assert_uint_eq(sum.nonzeros, all.nonzeros);
    ck_assert_mem_eq(sum.digest, all.digest, sizeof all.digest);
    ck_assert_uint_eq(sum.elsewhere, all.documents);
    for (unsigned r = 0; r < g->size; r++)
        with += planted_info(&g->member[r].p).documents > 0;
    ck_assert_uint_eq(sum.parts, with);
    words_of_store(&g->sum, &p);
    check_words(&p, &g->all);
    part_words_free(&p);
    lively_verify(&g->sum);
}

/* The members' stores are put into the one of sums, which gets so many
 * indexes. */
static void put_all(gathered *g, uint64_t indexes)
{
    part p = gather(g);

    ck_ok(put_part(g, &p), g->sum.p.t.err);
    part_free(&p);
    ck_assert_uint_eq(planted_info(&g->sum.p).indexes, indexes);
}

static void put(gathered *g, uint64_t indexes)
{
    put_all(g, indexes);
    check_sum(g);
}

TEST(a_fresh_one_has_all)
{
    static const unsigned sizes[] = {1, 4, 12, 3};

    for (size_t i = 0; i < 4; i++) {
        OWN(gathered_end) gathered g;

        gathered_begin_with(&g, sizes[i], N,
                            i < 3 ? NULL : gathered_no_vocabulary);
        put(&g, i < 3);
    }
}

TEST(indexes_are_those_of_all_words_and_have_no_rows)
{
    OWN(gathered_end) gathered g;

    gathered_begin(&g, 3, N);
    kedge_model_free(lively_fit_listed(&g.member[0]));
    put(&g, 1);
    const store_index theirs = lively_index(&g.member[0], 0);
    const store_index v = lively_index(&g.sum, 0);
    ck_assert(!v.listed && !store_index_has_rows(&v));
    ck_assert_uint_eq(v.words, PLANTED_WORDS);
    ck_assert_uint_eq(v.width, theirs.width);
    ck_assert_uint_eq(v.seed, theirs.seed);
    ck_assert_uint_eq(v.statistic, theirs.statistic);
    ck_assert_uint_eq(v.documents + v.tokens + v.blocks + v.parts, 0);
}

/* Parts know when they came. */
TEST(the_same_again_changes_nothing)
{
    kedge_part_info before, after;
    OWN(gathered_end) gathered g;
    scene *const t = &g.sum.p.t;

    gathered_begin(&g, 3, N);
    put(&g, 1);
    ck_ok(kedge_store_get_part(t->s, 2, &before, &t->err), t->err);
    sleep(1);
    put(&g, 1);
    scene_reopen(t, KEDGE_OPEN_WRITE);
    ck_ok(kedge_store_get_part(t->s, 2, &after, &t->err), t->err);
    ck_assert_uint_eq(before.when, after.when);
    ck_assert_str_eq(before.name, after.name);
}

static words words_of(lively *l)
{
    store_totals totals;
    words all = {0};

    ck_ok(store_load_words(l->p.t.s, &totals, &all, &l->p.t.err), l->p.t.err);
    return all;
}

/* Words keep their ids, also those that nobody has any more. */
TEST(documents_come_and_go)
{
    OWN(words_free) words before = {0}, after = {0};
    OWN(gathered_end) gathered g;

    gathered_empty(&g, 3, N, gathered_no_vocabulary);
    for (unsigned r = 0; r < 3; r++)
        gathered_read(&g, r, r);
    put(&g, 0);
    before = words_of(&g.sum);
    gathered_remove(&g, 0, 0, false);
    gathered_read(&g, 1, 9);
    put(&g, 0); /* other words, and one part less */
    ck_assert_uint_eq(planted_info(&g.sum.p).parts, 2);
    gathered_read(&g, 0, 7);
    gathered_remove(&g, 1, 9, false);
    gathered_remove(&g, 1, 1, false);
    put(&g, 0); /* fewer words */
    after = words_of(&g.sum);
    ck_assert_uint_gt(after.count, before.count);
    for (size_t i = 0; i < before.count; i++)
        ck_assert_str_eq(words_get(&before, i), words_get(&after, i));
}

/* Also where a list has the number of an index of all words elsewhere. */
TEST(lists_stay_and_keep_their_numbers)
{
    const store_index listed = {.weight_bits = 40, .width = 16, .seed = 1,
                                .min_tokens = 2, .words = 2, .listed = true,
                                .rule = "by hand"};
    OWN(gathered_end) gathered g;

    gathered_begin_with(&g, 2, N, gathered_two_statistics);
    ck_assert(!lively_index(&g.member[0], 1).listed);
    put_all(&g, 2); /* there are words to list */
    lively_drop_index(&g.sum, 1);
    lively_put_index(&g.sum, 1, listed);
    lively_put_index(&g.sum, 5, listed);
    for (int i = 0; i < 2; i++) {
        put_all(&g, 4);
        ck_assert_str_eq(lively_index(&g.sum, 1).rule, "by hand");
        ck_assert_str_eq(lively_index(&g.sum, 5).rule, "by hand");
        ck_assert(!lively_index(&g.sum, 2).listed);
        ck_assert_uint_eq(lively_index(&g.sum, 2).statistic, 2); /* sqrt */
        ck_assert_uint_eq(lively_index(&g.sum, 2).rows, 4);
        gathered_remove(&g, 1, 3 + 2 * (size_t)i, false);
    }
}

/* A list is a store's own; and an index of all words that one store dropped is
 * not added up any more. */
TEST(indexes_that_not_all_have_go)
{
    OWN(gathered_end) gathered g;

    gathered_begin_with(&g, 3, N, gathered_two_statistics);
    kedge_model_free(lively_fit_listed(&g.member[0]));
    put(&g, 2);
    lively_drop_index(&g.member[2], 0);
    put(&g, 1);
    ck_assert_uint_eq(lively_index(&g.sum, 1).statistic, 2); /* sqrt */
}

TEST(documents_of_its_own_are_refused)
{
    OWN(gathered_end) gathered g;
    const kedge_error *const err = &g.sum.p.t.err;

    gathered_begin(&g, 2, N);
    lively_ingest(&g.sum, 0, false);
    const kedge_store_info before = planted_info(&g.sum.p);
    part p = gather(&g);
    ck_fails(put_part(&g, &p), KEDGE_EINVAL, *err,
             "sum has documents, but the common counts of several");
    ck_assert_uint_eq(planted_info(&g.sum.p).documents, before.documents);
    lively_remove_batch(&g.sum, 0, false);
    ck_fails(put_part(&g, &p), KEDGE_EINVAL, *err,
             "has documents, but"); /* its blocks are there */
    part_free(&p);
}

/* All or nothing. */
TEST(putting_without_memory)
{
    OWN(gathered_end) gathered g;

    gathered_begin(&g, 3, N);
    part p = gather(&g);
    GATE_LOOP {
        ck_assert_uint_eq(planted_info(&g.sum.p).documents, 0);
        GATE_TRY(put_part(&g, &p));
    }
    check_sum(&g);
    part_free(&p);
}

/* ---- settings that hold for all ------------------------------------------ */

/* More than there are shards: some stores have no documents. */
enum { SIZE = LIVELY_SHARDS + 3 };

typedef struct settling {
    gathered g;
    kedge_status status[THREADRANKS_MOST];
} settling;

static void settle(void *data, communicator *t)
{
    settling *const w = data;
    lively *const l = &w->g.member[t->rank];

    w->status[t->rank] = kedge_comm_settle(
        &(kedge_member){.team = t, .own = l->p.t.s}, &l->p.t.err);
}

static void narrow(kedge_ingest_opts *o)
{
    o->sketch_size = 24;
    o->seed = 9;
    o->min_tokens = 3;
}

/* And go on as if they had read what the others did. */
TEST(stores_without_documents_take_it_over)
{
    settling w = {.status = {0}};

    gathered_begin_with(&w.g, SIZE, N, narrow);
    for (int again = 0; again < 2; again++) {
        threadranks_run(SIZE, settle, &w);
        for (unsigned r = 0; r < SIZE; r++) {
            lively *const l = &w.g.member[r];
            ck_ok(w.status[r], l->p.t.err);
            const store_index v = lively_index(l, 0);
            ck_assert(v.width == 24 && v.seed == 9 && v.min_tokens == 3);
            ck_assert((v.documents == 0) == (r >= LIVELY_SHARDS));
            lively_verify(l);
        }
    }
    lively *const last = &w.g.member[SIZE - 1];
    last->p.o.sketch_size = 0;
    lively_ingest(last, 0, false);
    ck_assert_uint_eq(lively_index(last, 0).width, 24);
    ck_assert_uint_gt(lively_index(last, 0).documents, 0);
    gathered_end(&w.g);
}

/* One that read bags alone, or nothing, will cut texts as the others did. */
TEST(texts_will_be_cut_alike)
{
    settling w = {.status = {0}};

    gathered_empty(&w.g, 3, N, ask_digits);
    w.g.member[0].texts = true;
    w.g.member[0].p.o.min_chars = 3;
    lively_ingest(&w.g.member[0], 0, false);
    lively_ingest(&w.g.member[1], 1, false);
    threadranks_run(3, settle, &w);
    for (unsigned r = 0; r < 3; r++) {
        scene *const t = &w.g.member[r].p.t;
        store_settings settings;
        ck_ok(w.status[r], t->err);
        scene_read(t);
        ck_ok(store_get_settings(t->txn, &settings, NULL, &t->err), t->err);
        store_abort(&t->txn);
        ck_assert(settings.texts && settings.digits);
        ck_assert_uint_eq(settings.shortest, 3);
    }
    gathered_end(&w.g);
}

TEST(where_nothing_is_settled_nothing_changes)
{
    settling w = {.status = {0}};

    gathered_empty(&w.g, 2, N, NULL);
    threadranks_run(2, settle, &w);
    for (unsigned r = 0; r < 2; r++) {
        ck_ok(w.status[r], w.g.member[r].p.t.err);
        ck_assert_uint_eq(planted_info(&w.g.member[r].p).indexes, 0);
    }
    gathered_end(&w.g);
}
