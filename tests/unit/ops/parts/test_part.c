/* SPDX-License-Identifier: MIT */
#include "ops/parts/parts.h"

#include "base/chance.h"
#include "ops/travelling.h"

enum { N = 200 };

static kedge_status facts_of(lively *l, const char *name, part_facts *f)
{
    scene *const t = &l->p.t;
    store_totals totals;
    kedge_status st;

    *f = (part_facts){0};
    scene_read(t);
    ck_ok(store_get_totals(t->txn, &totals, &t->err), t->err);
    st = part_facts_of(t->txn, &totals, name, f, &t->err);
    store_abort(&t->txn);
    return st;
}

static void fill(lively *l, size_t from, size_t to)
{
    lively_begin(l, N);
    lively_read(l, from, to, false);
}

/* The part is of all documents of the store. */
static void check_part(const store_part *p, const char *name, lively *l)
{
    const kedge_store_info info = planted_info(&l->p);

    ck_assert_str_eq(p->name, name);
    ck_assert_uint_eq(p->documents, info.documents);
    ck_assert_uint_eq(p->tokens, info.tokens);
    ck_assert_uint_eq(p->nonzeros, info.nonzeros);
    ck_assert_mem_eq(p->digest, info.digest, sizeof info.digest);
    ck_assert_uint_eq(p->when, 0);
}

TEST(own_documents_are_a_part)
{
    OWN(lively_end) lively l;

    fill(&l, 0, LIVELY_SHARDS);
    for (size_t i = 0; i < 2; i++) {
        OWN(part_facts_free) part_facts f;

        ck_ok(facts_of(&l, "mine", &f), l.p.t.err);
        ck_assert_uint_eq(f.parts, 1);
        check_part(&f.part[0], "mine", &l);
        ck_assert_uint_eq(f.documents, f.part[0].documents);
        ck_assert_uint_eq(f.tokens, f.part[0].tokens);
        ck_assert_uint_eq(f.nonzeros, f.part[0].nonzeros);
        ck_assert_mem_eq(f.digest, f.part[0].digest, sizeof f.digest);
        ck_assert(f.indexes == 0 && f.words == 0); /* the caller's */
        lively_remove_batch(&l, 3 + i, true);
    }
}

TEST(a_store_without_documents_has_no_part)
{
    OWN(lively_end) lively l;

    lively_begin(&l, N);
    for (size_t i = 0; i < 2; i++) {
        OWN(part_facts_free) part_facts f;

        ck_ok(facts_of(&l, NULL, &f), l.p.t.err);
        ck_assert(f.parts == 0 && f.documents == 0 && f.tokens == 0 &&
                  f.digest[0] == 0);
        lively_ingest(&l, i, false);
        lively_remove_batch(&l, i, false);
    }
}

/* They come first, without the time when they came. */
TEST(parts_from_elsewhere_are_passed_on)
{
    kedge_sketch_import_result r;
    OWN(part_facts_free) part_facts f = {0};
    OWN(travelling_end) travelling t;

    travelling_begin(&t, N);
    ck_ok(travelling_take(&t.all, t.file[2], &r), t.all.p.t.err);
    ck_ok(travelling_take(&t.all, t.file[1], &r), t.all.p.t.err);
    ck_ok(facts_of(&t.all, "all", &f), t.all.p.t.err);
    ck_assert_uint_eq(f.parts, 2); /* none of its own */
    part_facts_free(&f);
    lively_read(&t.all, 0, travelling_cuts[1], true);
    ck_ok(facts_of(&t.all, "all", &f), t.all.p.t.err);
    ck_assert_uint_eq(f.parts, 3);
    check_part(&f.part[0], "part2", &t.part[2]);
    check_part(&f.part[1], "part1", &t.part[1]);
    check_part(&f.part[2], "all", &t.part[0]);
    ck_assert_uint_eq(f.documents, N);
}

/* ---- names -------------------------------------------------------------- */

/* The store by this way to its folder. */
static void reopen_as(lively *l, const char *path)
{
    scene_close(&l->p.t);
    ck_ok(kedge_store_open(path, KEDGE_OPEN_READ, &l->p.t.s, &l->p.t.err),
          l->p.t.err);
}

/* The part is called this; "": it has to be given a name. */
static void check_name(lively *l, const char *name)
{
    OWN(part_facts_free) part_facts f;

    if (name[0] != '\0') {
        ck_ok(facts_of(l, NULL, &f), l->p.t.err);
    } else {
        ck_fails(facts_of(l, NULL, &f), KEDGE_EINVAL, l->p.t.err,
                 "a part needs a name of 1 to 63 bytes (--name)");
        part_facts_free(&f);
        ck_ok(facts_of(l, name = "named", &f), l->p.t.err);
    }
    ck_assert_str_eq(f.part[0].name, name);
}

TEST(the_name_is_the_folders)
{
    static const struct {
        const char *from, *way, *name;
    } cases[] = {{"/", "%s", "store"},    {"/", "%s/", "store"},
                 {"/", "%s//", "store"},  {"..", "store", "store"},
                 {".", ".", ""},          {".", "./", ""}};
    char path[128];
    OWN(lively_end) lively l;

    fill(&l, 0, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool whole = cases[i].way[0] == '%';
        snprintf(path, sizeof path, "%s%s", whole ? l.p.t.path : "",
                 cases[i].way + (whole ? 2 : 0));
        ck_assert_int_eq(chdir(l.p.t.path), 0);
        ck_assert_int_eq(chdir(cases[i].from), 0);
        reopen_as(&l, path);
        check_name(&l, cases[i].name);
    }
    ck_assert_int_eq(chdir("/"), 0);
}

TEST(a_name_has_63_bytes_at_most)
{
    char path[160], longer[160];
    OWN(lively_end) lively l;

    fill(&l, 0, 1);
    scene_close(&l.p.t);
    snprintf(path, sizeof path, "%s/%063d", l.p.t.root, 7);
    snprintf(longer, sizeof longer, "%s/%064d", l.p.t.root, 7);
    ck_assert_int_eq(rename(l.p.t.path, path), 0);
    reopen_as(&l, path);
    check_name(&l, path + strlen(l.p.t.root) + 1);
    ck_assert_int_eq(rename(path, longer), 0);
    reopen_as(&l, longer);
    check_name(&l, "");
}

TEST(it_says_how_texts_were_cut)
{
    for (int texts = 0; texts < 2; texts++) {
        OWN(part_facts_free) part_facts f;
        OWN(lively_end) lively l;

        lively_begin_texts(&l, N);
        l.texts = texts;
        l.p.o.min_chars = 3;
        lively_ingest(&l, 0, false);
        ck_ok(facts_of(&l, "x", &f), l.p.t.err);
        const store_settings *const s = &f.tokenizing.settings;
        ck_assert(s->texts == texts);
        ck_assert(!texts || (s->digits && s->shortest == 3));
    }
}

TEST(without_memory)
{
    OWN(part_facts_free) part_facts f = {0};
    OWN(lively_end) lively l;

    fill(&l, 0, 2);
    scene_starve((part_facts_free(&f), facts_of(&l, NULL, &f)), l.p.t.err);
    ck_assert_uint_eq(f.parts, 1);
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
    OWN(part_words_free) part_words expected = words_like(t);
    const size_t n = expected.w.count;

    ck_assert_uint_eq(got->w.count, n);
    ck_assert_uint_eq(words_bytes(&got->w), words_bytes(&expected.w));
    ck_assert(n == 0 || memcmp(got->w.bytes, expected.w.bytes,
                               words_bytes(&expected.w)) == 0);
    ck_assert_mem_eq(got->tf, expected.tf, n * 8);
    ck_assert_mem_eq(got->df, expected.df, n * 8);
}

static part part_like(const tally *t)
{
    part p = {.words = words_like(t), .facts = {.documents = 1, .parts = 1}};

    p.facts.part = mem_new(1, sizeof *p.facts.part);
    return p;
}

TEST(joining_adds_up)
{
    kedge_error err = {0};

    for (uint64_t seed = 0; seed < 200; seed++) {
        tally left = tally_of(seed, seed % 9);
        const tally right = tally_of(~seed, seed / 9 % 9);
        OWN(part_free) part a = part_like(&left), b = part_like(&right);

        ck_ok(part_join(&a, &b, &err), err);
        check_counts(&b.words, &right);
        tally_add(&left, &right);
        check_counts(&a.words, &left);
        ck_assert_uint_eq(a.facts.words, a.words.w.count);
        ck_assert_uint_eq(a.facts.documents, 2);
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
        OWN(scene_end) scene s;
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
    }
}

TEST(joining_without_memory)
{
    const tally left = tally_of(1, 4), right = tally_of(2, 4);
    kedge_error err = {0};

    GATE_LOOP {
        OWN(part_free) part a = part_like(&left), b = part_like(&right);

        GATE_TRY(part_join(&a, &b, &err));
    }
}
