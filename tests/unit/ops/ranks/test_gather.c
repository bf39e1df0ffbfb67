/* SPDX-License-Identifier: MIT */
#include "ops/ranks/gather.h"

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
    store_totals totals;
    words all = {0};
    kedge_status st;
    part p;

    ck_ok(store_load_words(l->p.t.s, &totals, &all, &l->p.t.err), l->p.t.err);
    st = gather_parts(comm, l->p.t.s, &totals, &all, &l->p.c, &p,
                      &l->p.t.err);
    words_free(&all);
    if (comm->rank == 0) {
        w->status = st;
        w->p = p;
        return;
    }
    ck_ok(st, l->p.t.err);
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

static void begin_empty(gathered *g, unsigned size)
{
    char name[16];

    *g = (gathered){.size = size};
    gathered_store(&g->sum, "sum", N);
    gathered_store(&g->all, "all", N);
    for (unsigned r = 0; r < size; r++) {
        snprintf(name, sizeof name, "rank%u", r);
        gathered_store(&g->member[r], name, N);
    }
}

static void words_of_store(lively *l, part_words *out)
{
    store_totals totals;
    words known = {0};
    uint32_t *order;
    size_t twin;

    *out = (part_words){.tf = NULL};
    ck_ok(store_load_words(l->p.t.s, &totals, &known, &l->p.t.err),
          l->p.t.err);
    order = words_order(&known, &twin);
    scene_read(&l->p.t);
    ck_ok(part_words_of(l->p.t.txn, &known, order, NULL, out, &l->p.t.err),
          l->p.t.err);
    store_abort(&l->p.t.txn);
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

static void check_sums(const part_facts *f, gathered *g)
{
    const kedge_store_info info = planted_info(&g->all.p);

    ck_assert_uint_eq(f->documents, info.documents);
    ck_assert_uint_eq(f->tokens, info.tokens);
    ck_assert_uint_eq(f->nonzeros, info.nonzeros);
    ck_assert_mem_eq(f->digest, info.digest, 16);
}

/* Of more than there are shards some have nothing. */
TEST(all_comes_to_the_first)
{
    static const unsigned sizes[] = {1, 3, 12};

    for (size_t i = 0; i < 3; i++) {
        gathering w;
        gathered g;
        gathered_begin(&g, sizes[i], N);
        ck_ok(gather_run(&w, &g), g.member[0].p.t.err);
        check_sums(&w.p.facts, &g);
        check_parts(&w.p.facts, &g);
        check_words(&w.p.words, &g.all);
        ck_assert_uint_eq(w.p.facts.views, 1);
        ck_assert(!w.p.facts.view[0].view.listed);
        ck_assert(!w.p.facts.tokenizing.settings.texts);
        part_free(&w.p);
        gathered_end(&g);
    }
}

TEST(removed_documents_are_not_told)
{
    gathering w;
    gathered g;

    gathered_begin(&g, 3, N);
    lively_remove_batch(&g.member[1], 4, true);
    lively_remove_batch(&g.all, 4, true);
    ck_ok(gather_run(&w, &g), g.member[0].p.t.err);
    check_sums(&w.p.facts, &g);
    check_parts(&w.p.facts, &g);
    check_words(&w.p.words, &g.all);
    part_free(&w.p);
    gathered_end(&g);
}

TEST(nobody_may_have_anything)
{
    gathering w;
    gathered g;

    begin_empty(&g, 3);
    ck_ok(gather_run(&w, &g), g.member[0].p.t.err);
    ck_assert(w.p.facts.documents == 0 && w.p.facts.parts == 0);
    ck_assert_uint_eq(w.p.words.w.count, 0);
    part_free(&w.p);
    gathered_end(&g);
}

/* The first ranks may be those without. */
TEST(the_first_with_documents_may_be_the_last)
{
    gathering w;
    gathered g;

    begin_empty(&g, 4);
    lively_ingest(&g.member[3], 2, false);
    lively_ingest(&g.all, 2, false);
    ck_ok(gather_run(&w, &g), g.member[0].p.t.err);
    check_sums(&w.p.facts, &g);
    check_parts(&w.p.facts, &g);
    check_words(&w.p.words, &g.all);
    ck_assert_uint_eq(w.p.facts.views, 1);
    part_free(&w.p);
    gathered_end(&g);
}

/* ---- what does not agree ------------------------------------------------- */

static void ask_two(kedge_ingest_opts *o)
{
    o->statistics = "log,sqrt";
}

/* A list is a store's own; one of all words that a store dropped is
 * nobody's. */
TEST(views_that_not_all_have_are_none)
{
    gathering w;
    gathered g;

    gathered_begin_with(&g, 3, N, ask_two);
    kedge_model_free(lively_fit_listed(&g.member[0]));
    ck_ok(gather_run(&w, &g), g.member[0].p.t.err);
    ck_assert_uint_eq(w.p.facts.views, 2);
    part_free(&w.p);
    scene_write(&g.member[2].p.t);
    ck_ok(store_drop_view(g.member[2].p.t.txn, 0, &g.member[2].p.t.err),
          g.member[2].p.t.err);
    scene_commit(&g.member[2].p.t);
    ck_ok(gather_run(&w, &g), g.member[0].p.t.err);
    ck_assert_uint_eq(w.p.facts.views, 1);
    ck_assert_uint_eq(w.p.facts.view[0].view.statistic, 2); /* sqrt */
    ck_assert_uint_ne(w.p.facts.view[0].number, 0);
    part_free(&w.p);
    gathered_end(&g);
}

/* As the last one's would have been read with another width. */
TEST(sketches_that_cannot_be_added_are_told)
{
    store_view v;
    gathering w;
    gathered g;

    gathered_begin(&g, 3, N);
    scene *const t = &g.member[2].p.t;
    scene_write(t);
    ck_ok(store_get_view_record(t->txn, 0, &v, &t->err), t->err);
    v.seed++;
    ck_ok(store_put_view(t->txn, 0, &v, &t->err), t->err);
    scene_commit(t);
    ck_fails(gather_run(&w, &g), KEDGE_EINVAL, g.member[0].p.t.err,
             "the seed 2, that of view 0 of the store has 1");
    ck_assert_ptr_nonnull(strstr(g.member[0].p.t.err.text, "rank2"));
    ck_assert(w.p.facts.parts == 0 && w.p.words.w.count == 0);
    gathered_end(&g);
}

static void ask_texts(kedge_ingest_opts *o)
{
    o->digits = true;
}

static void fill_texts(gathered *g, unsigned size)
{
    begin_empty(g, size);
    for (unsigned r = 0; r < size; r++) {
        g->member[r].texts = true;
        ask_texts(&g->member[r].p.o);
    }
}

TEST(cuttings_that_differ_are_told_with_both_names)
{
    gathering w;
    gathered g;

    fill_texts(&g, 3);
    g.member[2].p.o.shortest = 3;
    for (unsigned r = 0; r < 3; r++)
        lively_ingest(&g.member[r], r, false);
    ck_fails(gather_run(&w, &g), KEDGE_EINVAL, g.member[0].p.t.err,
             "the texts of rank0 were cut with");
    ck_assert_ptr_nonnull(strstr(g.member[0].p.t.err.text, "those of rank2"));
    gathered_end(&g);
}

/* Who read bags alone goes along with any. */
TEST(who_cut_texts_tells_how)
{
    gathering w;
    gathered g;

    fill_texts(&g, 3);
    g.member[0].texts = false;
    for (unsigned r = 0; r < 3; r++) {
        g.member[r].p.o.shortest = r == 0 ? 2 : 3;
        lively_ingest(&g.member[r], r, false);
    }
    ck_ok(gather_run(&w, &g), g.member[0].p.t.err);
    ck_assert(w.p.facts.tokenizing.settings.texts);
    ck_assert_uint_eq(w.p.facts.tokenizing.settings.shortest, 3);
    ck_assert(w.p.facts.tokenizing.settings.digits);
    part_free(&w.p);
    gathered_end(&g);
}

TEST(stores_with_parts_are_refused)
{
    kedge_sketch_export_result sent;
    kedge_sketch_import_result got;
    kedge_error err = {0};
    char path[96];
    gathering w;
    gathered g;

    gathered_begin(&g, 1, N);
    scene *const t = &g.member[0].p.t;
    ck_ok(kedge_sketch_export_file(
              t->s, planted_path(&g.member[0].p, "part", path),
              &(kedge_sketch_export_opts){.name = "part"}, &g.sum.p.c, &sent,
              &err), err);
    scene_close(t);
    scene_remove(t->path);
    scene_open(t, KEDGE_OPEN_CREATE);
    ck_ok(kedge_sketch_import(t->s, path, &g.sum.p.c, &got, &err), err);
    ck_fails(gather_run(&w, &g), KEDGE_EINVAL, t->err,
             "fitting several stores together needs the documents, and those "
             "of 1 part are elsewhere");
    gathered_end(&g);
}

/* ---- without memory ------------------------------------------------------ */

/* What one of two hands over is taken from it afterwards, again and again. */
typedef struct tape {
    uint8_t bytes[1 << 14];
    size_t size, at;
    uint64_t heard;
} tape;

static void tape_hand(void *data, const void *value, size_t bytes, unsigned to)
{
    tape *const t = data;

    ck_assert_uint_le(bytes, sizeof t->bytes - t->size);
    memcpy(t->bytes + t->size, value, bytes);
    t->size += bytes;
    (void)to;
}

static void tape_take(void *data, void *value, size_t bytes, unsigned from)
{
    tape *const t = data;

    ck_assert_uint_le(bytes, t->size - t->at);
    memcpy(value, t->bytes + t->at, bytes);
    t->at += bytes;
    (void)from;
}

static communicator tape_comm(tape *t, unsigned rank)
{
    return (communicator){.rank = rank, .size = 2, .data = t, .hand = tape_hand,
                          .take = tape_take, .heard = &t->heard};
}

/* What the second of two ranks sends, on the tape. */
static void tape_fill(tape *said, gathered *g)
{
    communicator one = tape_comm(said, 1);
    gathering w = {.g = g};

    *said = (tape){.size = 0};
    gather_one(&w, &one);
}

/* Before anything of the words is taken but how many there are. */
TEST(more_than_the_budget)
{
    tape said;
    communicator zero = tape_comm(&said, 0);
    gathered g;
    gathering w = {.g = &g};

    gathered_begin(&g, 2, N);
    tape_fill(&said, &g);
    g.member[0].p.c.memory = 1 << 20;
    gather_one(&w, &zero);
    ck_assert_int_eq(w.status, KEDGE_EBUDGET);
    ck_assert_ptr_nonnull(strstr(g.member[0].p.t.err.text,
                                 "bringing words together takes "));
    ck_assert(w.p.facts.parts == 0 && w.p.words.w.count == 0);
    gathered_end(&g);
}

TEST(what_comes_may_be_damaged)
{
    size_t refused = 0;
    tape said;
    communicator zero = tape_comm(&said, 0);
    gathered g;
    gathering w = {.g = &g};

    gathered_begin(&g, 2, N);
    tape_fill(&said, &g);
    for (size_t at = 8; at < said.size - 8; at += 97) {
        said.at = 0;
        said.bytes[at] ^= 0x20;
        gather_one(&w, &zero);
        said.bytes[at] ^= 0x20;
        refused += w.status == KEDGE_EFORMAT || w.status == KEDGE_EVERSION;
        part_free(&w.p);
    }
    ck_assert_uint_ge(refused, 8);
    gathered_end(&g);
}

TEST(gathering_without_memory)
{
    store_totals totals;
    words all = {0};
    tape said;
    communicator zero = tape_comm(&said, 0);
    gathered g;
    part p;

    gathered_begin(&g, 2, N);
    tape_fill(&said, &g);
    scene *const t = &g.member[0].p.t;
    ck_ok(store_load_words(t->s, &totals, &all, &t->err), t->err);
    scene_starve((said.at = 0,
                  gather_parts(&zero, t->s, &totals, &all, &g.member[0].p.c,
                               &p, &t->err)), t->err);
    check_words(&p.words, &g.all);
    part_free(&p);
    words_free(&all);
    gathered_end(&g);
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

/* What is there after the members' stores were put into the one of sums. */
static void put(gathered *g)
{
    gathering w;

    ck_ok(gather_run(&w, g), g->member[0].p.t.err);
    ck_ok(gather_put(g->sum.p.t.s, &w.p, &g->sum.p.t.err), g->sum.p.t.err);
    part_free(&w.p);
}

/* The sums are those of one store with all, whose they are named by parts. */
static void check(gathered *g)
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
    gathered_verify(&g->sum);
}

/* A store with the next documents, or without those that left. */
static void ingest(gathered *g, unsigned rank, size_t shard)
{
    lively_ingest(&g->member[rank], shard, false);
    lively_ingest(&g->all, shard, false);
}

static void take_away(gathered *g, unsigned rank, size_t shard)
{
    lively_remove_batch(&g->member[rank], shard, false);
    lively_remove_batch(&g->all, shard, false);
}

TEST(a_fresh_one_has_all)
{
    static const unsigned sizes[] = {1, 4, 12, 3};

    for (size_t i = 0; i < 4; i++) {
        gathered g;
        gathered_begin_with(&g, sizes[i], N,
                            i < 3 ? NULL : gathered_no_vocabulary);
        put(&g);
        check(&g);
        ck_assert_uint_eq(planted_info(&g.sum.p).views, i < 3);
        gathered_end(&g);
    }
}

static store_view view_of(lively *l, uint32_t number)
{
    store_view v;

    scene_read(&l->p.t);
    ck_ok(store_get_view_record(l->p.t.txn, number, &v, &l->p.t.err),
          l->p.t.err);
    store_abort(&l->p.t.txn);
    return v;
}

TEST(views_are_those_of_all_words_and_have_no_rows)
{
    gathered g;

    gathered_begin(&g, 3, N);
    kedge_model_free(lively_fit_listed(&g.member[0]));
    put(&g);
    const store_view theirs = view_of(&g.member[0], 0);
    const store_view v = view_of(&g.sum, 0);
    ck_assert(!v.listed && !store_view_has_rows(&v));
    ck_assert_uint_eq(v.words, PLANTED_WORDS);
    ck_assert_uint_eq(v.width, theirs.width);
    ck_assert_uint_eq(v.seed, theirs.seed);
    ck_assert_uint_eq(v.statistic, theirs.statistic);
    ck_assert_uint_eq(v.documents + v.tokens + v.blocks + v.parts, 0);
    ck_assert_uint_eq(planted_info(&g.sum.p).views, 1);
    gathered_end(&g);
}

/* What a store says of itself, put side by side. */
static char *spelt(lively *l)
{
    static char text[2][20000];
    static size_t turn;
    char *const out = text[turn++ % 2];
    size_t size = 0;
    store_totals t;
    words all = {0};
    uint64_t tf[200], df[200];

    ck_ok(store_load_words(l->p.t.s, &t, &all, &l->p.t.err), l->p.t.err);
    scene_read(&l->p.t);
    ck_ok(store_get_counts(l->p.t.txn, tf, df, all.count, &l->p.t.err),
          l->p.t.err);
    for (size_t i = 0; i < all.count; i++)
        size += (size_t)snprintf(out + size, 20000 - size, "%s %d %d\n",
                                 words_get(&all, i), (int)tf[i], (int)df[i]);
    for (uint64_t i = 0; i < t.parts; i++) {
        store_part p;
        ck_ok(store_get_part(l->p.t.txn, i, &p, &l->p.t.err), l->p.t.err);
        size += (size_t)snprintf(out + size, 20000 - size, "%s %d %d %d\n",
                                 p.name, (int)p.documents, (int)p.tokens,
                                 (int)p.when);
    }
    store_abort(&l->p.t.txn);
    words_free(&all);
    return out;
}

TEST(the_same_again_changes_nothing)
{
    gathered g;

    gathered_begin(&g, 3, N);
    put(&g);
    char *const before = spelt(&g.sum);
    for (int i = 0; i < 2; i++) {
        sleep(1); /* parts know when they came */
        put(&g);
        scene_reopen(&g.sum.p.t, KEDGE_OPEN_WRITE);
        ck_assert_str_eq(spelt(&g.sum), before);
    }
    check(&g);
    gathered_end(&g);
}

TEST(counts_are_the_new_ones)
{
    gathered g;

    begin_empty(&g, 3);
    for (unsigned r = 0; r < 3; r++)
        ingest(&g, r, r);
    put(&g);
    check(&g);
    ingest(&g, 1, 5);
    put(&g);
    check(&g);
    take_away(&g, 1, 5);
    take_away(&g, 0, 0);
    put(&g); /* and one part less */
    check(&g);
    ck_assert_uint_eq(planted_info(&g.sum.p).parts, 2);
    ingest(&g, 0, 8);
    put(&g);
    check(&g);
    gathered_end(&g);
}

static words words_of(lively *l)
{
    store_totals totals;
    words all = {0};

    ck_ok(store_load_words(l->p.t.s, &totals, &all, &l->p.t.err), l->p.t.err);
    return all;
}

/* Ids are for ever: words that nobody has any more count nothing. */
TEST(old_words_keep_their_ids)
{
    gathered g;
    words before, after;

    begin_empty(&g, 2);
    gathered_no_vocabulary(&g.all.p.o);
    gathered_no_vocabulary(&g.member[0].p.o);
    gathered_no_vocabulary(&g.member[1].p.o);
    ingest(&g, 0, 0);
    ingest(&g, 1, 1);
    put(&g);
    before = words_of(&g.sum);
    take_away(&g, 0, 0);
    ingest(&g, 1, 9);
    ingest(&g, 0, 7);
    put(&g);
    check(&g);
    take_away(&g, 1, 9);
    take_away(&g, 1, 1);
    put(&g); /* fewer words */
    check(&g);
    after = words_of(&g.sum);
    ck_assert_uint_gt(after.count, before.count);
    for (size_t i = 0; i < before.count; i++)
        ck_assert_str_eq(words_get(&before, i), words_get(&after, i));
    words_free(&before);
    words_free(&after);
    gathered_end(&g);
}

TEST(lists_stay)
{
    store_view listed = {.weight_bits = 40, .width = 16, .seed = 1,
                         .min_tokens = 2, .words = 2, .listed = true,
                         .rows = 10,
                         .rule = "by hand"};
    gathered g;

    gathered_begin(&g, 2, N);
    put(&g);
    scene *const t = &g.sum.p.t;
    scene_write(t);
    ck_ok(store_put_view(t->txn, 5, &listed, &t->err), t->err);
    ck_ok(store_put_list(t->txn, 5, (uint32_t[]){1, 2}, 2, &t->err), t->err);
    scene_commit(t);
    take_away(&g, 1, 3);
    put(&g);
    ck_assert_uint_eq(planted_info(&g.sum.p).views, 2);
    ck_assert_str_eq(view_of(&g.sum, 5).rule, "by hand");
    gathered_end(&g);
}

/* A list that has the number of what the others call a view of all words. */
TEST(a_list_keeps_its_number)
{
    store_view listed = {.weight_bits = 40, .width = 16, .seed = 1,
                         .min_tokens = 2, .words = 2, .listed = true, .rows = 2,
                         .rule = "by hand"};
    gathered g;

    gathered_begin_with(&g, 2, N, ask_two);
    ck_assert(!view_of(&g.member[0], 1).listed);
    scene *const t = &g.sum.p.t;
    scene_write(t);
    ck_ok(store_put_view(t->txn, 1, &listed, &t->err), t->err);
    ck_ok(store_put_list(t->txn, 1, (uint32_t[]){1, 2}, 2, &t->err), t->err);
    scene_commit(t);
    for (int i = 0; i < 2; i++) {
        put(&g);
        ck_assert_uint_eq(planted_info(&g.sum.p).views, 3);
        ck_assert(view_of(&g.sum, 1).listed);
        ck_assert(!view_of(&g.sum, 2).listed);
        ck_assert_uint_eq(view_of(&g.sum, 2).statistic, 2); /* sqrt */
        ck_assert_uint_eq(view_of(&g.sum, 2).rows, 4);
    }
    gathered_end(&g);
}

/* Views of all words that some of them lack now go. */
TEST(views_that_are_gone_go)
{
    gathered g;

    gathered_begin(&g, 2, N);
    put(&g);
    ck_assert_uint_eq(planted_info(&g.sum.p).views, 1);
    scene *const t = &g.member[1].p.t;
    scene_write(t);
    ck_ok(store_drop_view(t->txn, 0, &t->err), t->err);
    scene_commit(t);
    put(&g); /* the same documents */
    ck_assert_uint_eq(planted_info(&g.sum.p).views, 0);
    gathered_end(&g);
}

TEST(documents_of_its_own_are_refused)
{
    gathering w;
    gathered g;

    gathered_begin(&g, 2, N);
    lively_ingest(&g.sum, 0, false);
    const kedge_store_info before = planted_info(&g.sum.p);
    ck_ok(gather_run(&w, &g), g.member[0].p.t.err);
    ck_fails(gather_put(g.sum.p.t.s, &w.p, &g.sum.p.t.err), KEDGE_EINVAL,
             g.sum.p.t.err, "sum has documents of its own: what processes "
             "count together needs a store for itself");
    ck_assert_uint_eq(planted_info(&g.sum.p).documents, before.documents);
    lively_remove_batch(&g.sum, 0, false);
    ck_fails(gather_put(g.sum.p.t.s, &w.p, &g.sum.p.t.err), KEDGE_EINVAL,
             g.sum.p.t.err, "has documents of its own"); /* its blocks are */
    part_free(&w.p);
    gathered_end(&g);
}

/* All or nothing. */
TEST(putting_without_memory)
{
    kedge_status st = KEDGE_ENOMEM;
    gathering w;
    gathered g;
    long k = 0;

    gathered_begin(&g, 3, N);
    ck_ok(gather_run(&w, &g), g.member[0].p.t.err);
    for (; st != KEDGE_OK; k++) {
        gate_allow(k);
        st = gather_put(g.sum.p.t.s, &w.p, &g.sum.p.t.err);
        gate_open();
        ck_assert_msg(st == KEDGE_OK || st == KEDGE_ENOMEM, "%ld: %s", k,
                      g.sum.p.t.err.text);
        if (st != KEDGE_OK)
            ck_assert_uint_eq(planted_info(&g.sum.p).documents, 0);
    }
    ck_assert_int_gt(k, 10);
    check(&g);
    part_free(&w.p);
    gathered_end(&g);
}
