/* SPDX-License-Identifier: MIT */
#include "ops/parts/parts.h"

#include "base/chance.h"
#include "ops/travelling.h"

enum { N = 200 };

static kedge_status facts_of(lively *l, const char *name, part_facts *f)
{
    store_totals totals;
    kedge_status st;

    *f = (part_facts){0};
    scene_read(&l->p.t);
    ck_ok(store_get_totals(l->p.t.txn, &totals, &l->p.t.err), l->p.t.err);
    st = part_facts_of(l->p.t.txn, &totals, name, f, &l->p.t.err);
    store_abort(&l->p.t.txn);
    return st;
}

static void fill(lively *l, size_t from, size_t to)
{
    lively_begin(l, N);
    for (size_t i = from; i < to; i++)
        lively_ingest(l, i, false);
}

/* Alone, these are all of the facts. */
static void check_own(const store_part *p, const lively *l)
{
    const store_totals t = lively_totals(l);

    ck_assert_uint_eq(p->documents, t.documents);
    ck_assert_uint_eq(p->tokens, t.tokens);
    ck_assert_uint_eq(p->nonzeros, t.nonzeros);
    ck_assert_mem_eq(p->digest, t.digest, sizeof t.digest);
    ck_assert_uint_eq(p->when, 0);
}

TEST(own_documents_are_a_part)
{
    part_facts f;
    lively l;

    fill(&l, 0, LIVELY_SHARDS);
    ck_ok(facts_of(&l, "mine", &f), l.p.t.err);
    ck_assert_uint_eq(f.parts, 1);
    ck_assert_str_eq(f.part[0].name, "mine");
    check_own(&f.part[0], &l);
    ck_assert_uint_eq(f.documents, f.part[0].documents);
    ck_assert_uint_eq(f.tokens, f.part[0].tokens);
    ck_assert_uint_eq(f.nonzeros, f.part[0].nonzeros);
    ck_assert_mem_eq(f.digest, f.part[0].digest, sizeof f.digest);
    ck_assert(f.views == 0 && f.words == 0); /* the caller's */
    part_facts_free(&f);
    lively_remove_batch(&l, 3, true);
    ck_ok(facts_of(&l, "mine", &f), l.p.t.err);
    check_own(&f.part[0], &l);
    part_facts_free(&f);
    lively_end(&l);
}

TEST(a_store_without_documents_has_no_part)
{
    part_facts f;
    lively l;

    lively_begin(&l, N);
    ck_ok(facts_of(&l, NULL, &f), l.p.t.err);
    ck_assert(f.parts == 0 && f.documents == 0 && f.tokens == 0);
    part_facts_free(&f);
    lively_ingest(&l, 0, false);
    lively_remove_batch(&l, 0, false);
    ck_ok(facts_of(&l, NULL, &f), l.p.t.err);
    ck_assert(f.parts == 0 && f.documents == 0 && f.digest[0] == 0);
    part_facts_free(&f);
    lively_end(&l);
}

/* Those from elsewhere come first, and not when they came. */
TEST(parts_from_elsewhere_go_on)
{
    kedge_sketch_import_result r;
    part_facts f;
    travelling t;

    travelling_begin(&t, N);
    ck_ok(travelling_take(&t.all, t.file[2], &r), t.all.p.t.err);
    ck_ok(travelling_take(&t.all, t.file[1], &r), t.all.p.t.err);
    ck_ok(facts_of(&t.all, "all", &f), t.all.p.t.err);
    ck_assert_uint_eq(f.parts, 2); /* none of its own */
    part_facts_free(&f);
    for (size_t i = 0; i < travelling_cuts[1]; i++)
        lively_ingest(&t.all, i, true);
    ck_ok(facts_of(&t.all, "all", &f), t.all.p.t.err);
    ck_assert_uint_eq(f.parts, 3);
    ck_assert_str_eq(f.part[0].name, "part2");
    ck_assert_str_eq(f.part[1].name, "part1");
    ck_assert_str_eq(f.part[2].name, "all");
    for (size_t i = 0; i < 3; i++) {
        const kedge_store_info info =
            planted_info(&t.part[i == 2 ? 0 : 2 - i].p);
        ck_assert_uint_eq(f.part[i].documents, info.documents);
        ck_assert_uint_eq(f.part[i].tokens, info.tokens);
        ck_assert_uint_eq(f.part[i].nonzeros, info.nonzeros);
        ck_assert_mem_eq(f.part[i].digest, info.digest, sizeof info.digest);
        ck_assert_uint_eq(f.part[i].when, 0);
    }
    ck_assert_uint_eq(f.documents, N);
    part_facts_free(&f);
    travelling_end(&t);
}

/* ---- names -------------------------------------------------------------- */

/* The store by this way to its folder. */
static void reopen_as(lively *l, const char *path)
{
    scene_close(&l->p.t);
    ck_ok(kedge_store_open(path, KEDGE_OPEN_READ, &l->p.t.s, &l->p.t.err),
          l->p.t.err);
}

TEST(the_name_is_the_folders)
{
    static const char *const ends[] = {"", "/", "//"};
    char path[128];
    part_facts f;
    lively l;

    fill(&l, 0, 1);
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", l.p.t.path, ends[i]);
        reopen_as(&l, path);
        ck_ok(facts_of(&l, NULL, &f), l.p.t.err);
        ck_assert_str_eq(f.part[0].name, "store");
        part_facts_free(&f);
    }
    ck_assert_int_eq(chdir(l.p.t.root), 0);
    reopen_as(&l, "store");
    ck_ok(facts_of(&l, NULL, &f), l.p.t.err);
    ck_assert_str_eq(f.part[0].name, "store");
    part_facts_free(&f);
    ck_assert_int_eq(chdir("/"), 0);
    lively_end(&l);
}

static void check_refused(lively *l)
{
    part_facts f;

    ck_fails(facts_of(l, NULL, &f), KEDGE_EINVAL, l->p.t.err,
             "a part needs a name of 1 to 63 bytes (--name)");
    part_facts_free(&f);
    ck_ok(facts_of(l, "named", &f), l->p.t.err);
    ck_assert_str_eq(f.part[0].name, "named");
    part_facts_free(&f);
}

TEST(folders_without_a_name_are_refused)
{
    char path[160], longer[160];
    part_facts f;
    lively l;

    fill(&l, 0, 1);
    ck_assert_int_eq(chdir(l.p.t.path), 0);
    reopen_as(&l, ".");
    check_refused(&l);
    reopen_as(&l, "./");
    check_refused(&l);
    ck_assert_int_eq(chdir("/"), 0);
    scene_close(&l.p.t);
    snprintf(path, sizeof path, "%s/%063d", l.p.t.root, 7);
    snprintf(longer, sizeof longer, "%s/%064d", l.p.t.root, 7);
    ck_assert_int_eq(rename(l.p.t.path, path), 0);
    reopen_as(&l, path);
    ck_ok(facts_of(&l, NULL, &f), l.p.t.err);
    ck_assert_uint_eq(strlen(f.part[0].name), 63);
    part_facts_free(&f);
    ck_assert_int_eq(rename(path, longer), 0);
    reopen_as(&l, longer);
    check_refused(&l);
    lively_end(&l);
}

TEST(how_texts_were_cut_is_told)
{
    part_facts f;
    lively l;

    fill(&l, 0, 1);
    ck_ok(facts_of(&l, "bags", &f), l.p.t.err);
    ck_assert(!f.tokenizing.settings.texts);
    part_facts_free(&f);
    lively_end(&l);
    lively_begin_texts(&l, N);
    l.p.o.shortest = 3;
    lively_ingest(&l, 0, false);
    ck_ok(facts_of(&l, "texts", &f), l.p.t.err);
    ck_assert(f.tokenizing.settings.texts && f.tokenizing.settings.digits);
    ck_assert_uint_eq(f.tokenizing.settings.shortest, 3);
    part_facts_free(&f);
    lively_end(&l);
}

TEST(without_memory)
{
    part_facts f = {0};
    lively l;

    fill(&l, 0, 2);
    scene_starve((part_facts_free(&f), facts_of(&l, NULL, &f)), l.p.t.err);
    ck_assert_uint_eq(f.parts, 1);
    part_facts_free(&f);
    lively_end(&l);
}

/* ---- words --------------------------------------------------------------- */

/* All words of 1 to 3 of these bytes, in their order. */
static const char letters[] = {'\0', 'a', '\xff'};

enum { ALL = 3 + 9 + 27 };

typedef struct tally {
    uint64_t tf[ALL], df[ALL];
} tally;

static void name_words(words *w, char *prefix, size_t size)
{
    for (size_t i = 0; size < 3 && i < sizeof letters; i++) {
        prefix[size] = letters[i];
        ck_assert(words_add(w, prefix, size + 1));
        name_words(w, prefix, size + 1);
    }
}

static words all_words(void)
{
    words w = {0};
    char prefix[3];

    name_words(&w, prefix, 0);
    ck_assert_uint_eq(w.count, ALL);
    return w;
}

/* Each word with a chance of `share` in 8. */
static tally tally_of(uint64_t seed, size_t share)
{
    chance c = {.key = seed};
    tally t = {{0}, {0}};

    for (size_t i = 0; i < ALL; i++)
        if (chance_below(&c, 8) < share) {
            t.df[i] = 1 + chance_below(&c, 1000);
            t.tf[i] = t.df[i] + chance_below(&c, 1000);
        }
    return t;
}

static void tally_add(tally *to, const tally *t)
{
    for (size_t i = 0; i < ALL; i++) {
        to->tf[i] += t->tf[i];
        to->df[i] += t->df[i];
    }
}

static part_words words_like(const tally *t)
{
    part_words out = {.tf = mem_new(ALL, 8), .df = mem_new(ALL, 8)};
    words all = all_words();

    for (size_t i = 0; i < ALL; i++)
        if (t->df[i] > 0) {
            out.tf[out.w.count] = t->tf[i];
            out.df[out.w.count] = t->df[i];
            ck_assert(words_add(&out.w, words_get(&all, i),
                                words_size(&all, i)));
        }
    words_free(&all);
    return out;
}

static void check_counts(const part_words *got, const tally *t)
{
    words all = all_words();
    size_t n = 0;

    for (size_t i = 0; i < ALL; i++) {
        if (t->df[i] == 0)
            continue;
        ck_assert_uint_lt(n, got->w.count);
        ck_assert(span_equal(words_span(&got->w, n),
                             words_span(&all, i)));
        ck_assert_uint_eq(got->tf[n], t->tf[i]);
        ck_assert_uint_eq(got->df[n++], t->df[i]);
    }
    ck_assert_uint_eq(got->w.count, n);
    words_free(&all);
}

TEST(merging_adds_up)
{
    kedge_error err = {0};

    for (uint64_t seed = 0; seed < 200; seed++) {
        tally left = tally_of(seed, seed % 9);
        const tally right = tally_of(~seed, seed / 9 % 9);
        part_words a = words_like(&left), b = words_like(&right), both = {0};
        ck_ok(part_words_merge(&a, &b, &both, &err), err);
        check_counts(&a, &left);
        check_counts(&b, &right);
        tally_add(&left, &right);
        check_counts(&both, &left);
        part_words_free(&a);
        part_words_free(&b);
        part_words_free(&both);
    }
}

/* Words in an order of their own, some of which no document holds. */
static void put_words(scene *s, const tally *t)
{
    uint64_t tf[ALL], df[ALL];
    words all = all_words(), mixed = {0};

    for (size_t i = 0; i < ALL; i++) {
        const size_t from = i * 17 % ALL;
        ck_assert(words_add(&mixed, words_get(&all, from),
                            words_size(&all, from)));
        tf[i] = t->tf[from];
        df[i] = t->df[from];
    }
    scene_write(s);
    scene_put_words(s, &mixed, 0);
    ck_ok(store_put_counts(s->txn, tf, df, ALL, &s->err), s->err);
    scene_commit(s);
    words_free(&all);
    words_free(&mixed);
}

TEST(of_a_store_they_are_what_documents_hold)
{
    for (size_t share = 0; share <= 8; share += 4) {
        const tally t = tally_of(share, share);
        store_totals totals;
        part_words got = {0};
        uint32_t place[ALL], *order;
        words all = {0};
        size_t twin;
        scene s;
        scene_make(&s);
        put_words(&s, &t);
        ck_ok(store_load_words(s.s, &totals, &all, &s.err), s.err);
        scene_read(&s);
        order = words_order(&all, &twin);
        scene_starve((part_words_free(&got),
                      part_words_of(s.txn, &all, order, place, &got, &s.err)),
                     s.err);
        for (size_t id = 0; id < ALL; id++)
            ck_assert(t.df[id * 17 % ALL] == 0
                          ? place[id] == WORDMAP_NONE
                          : got.df[place[id]] == t.df[id * 17 % ALL]);
        check_counts(&got, &t);
        part_words_free(&got);
        store_abort(&s.txn);
        mem_free(order);
        words_free(&all);
        scene_end(&s);
    }
}

TEST(merging_without_memory)
{
    const tally left = tally_of(1, 4), right = tally_of(2, 4);
    kedge_error err = {0};
    part_words a = words_like(&left), b = words_like(&right), both = {0};

    scene_starve((part_words_free(&both),
                  part_words_merge(&a, &b, &both, &err)), err);
    part_words_free(&both);
    part_words_free(&a);
    part_words_free(&b);
}
