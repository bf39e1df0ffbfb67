/* SPDX-License-Identifier: MIT */
/* Words of several processes against sums of plain arrays. */
#include "pipeline/team/tallies.h"

#include "base/chance.h"
#include "base/crew.h"
#include "base/gate.h"
#include "store/scene.h"

/* All words of 1 to 3 of these bytes, in their order. */
static const char letters[] = {'\0', 'a', '\xff'};

enum { WORDS = 3 + 9 + 27 };

typedef struct twin {
    uint64_t tf[WORDS], df[WORDS];
} twin;

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
    ck_assert_uint_eq(w.count, WORDS);
    return w;
}

/* Each word with a chance of `share` in 8. */
static twin twin_of(uint64_t seed, size_t share)
{
    chance c = {.key = seed};
    twin t = {{0}, {0}};

    for (size_t i = 0; i < WORDS; i++)
        if (chance_below(&c, 8) < share) {
            t.df[i] = 1 + chance_below(&c, 1000);
            t.tf[i] = t.df[i] + chance_below(&c, 1000);
        }
    return t;
}

static void twin_add(twin *to, const twin *t)
{
    for (size_t i = 0; i < WORDS; i++) {
        to->tf[i] += t->tf[i];
        to->df[i] += t->df[i];
    }
}

static tallies tallies_like(const twin *t)
{
    tallies out = {.tf = mem_new(WORDS, 8), .df = mem_new(WORDS, 8)};
    words all = all_words();

    for (size_t i = 0; i < WORDS; i++)
        if (t->df[i] > 0) {
            out.tf[out.w.count] = t->tf[i];
            out.df[out.w.count] = t->df[i];
            ck_assert(words_add(&out.w, words_get(&all, i),
                                words_size(&all, i)));
        }
    words_free(&all);
    return out;
}

static void check(const tallies *got, const twin *t)
{
    words all = all_words();
    size_t n = 0;

    for (size_t i = 0; i < WORDS; i++) {
        if (t->df[i] == 0)
            continue;
        ck_assert_uint_lt(n, got->w.count);
        ck_assert(span_equal(span_of(words_get(&got->w, n),
                                     words_size(&got->w, n)),
                             span_of(words_get(&all, i),
                                     words_size(&all, i))));
        ck_assert_uint_eq(got->tf[n], t->tf[i]);
        ck_assert_uint_eq(got->df[n++], t->df[i]);
    }
    ck_assert_uint_eq(got->w.count, n);
    words_free(&all);
}

START_TEST(merging_adds_up)
{
    kedge_error err = {0};

    for (uint64_t seed = 0; seed < 200; seed++) {
        twin left = twin_of(seed, seed % 9);
        const twin right = twin_of(~seed, seed / 9 % 9);
        tallies a = tallies_like(&left), b = tallies_like(&right), both = {0};
        ck_ok(tallies_merge(&a, &b, &both, &err), err);
        check(&a, &left);
        check(&b, &right);
        twin_add(&left, &right);
        check(&both, &left);
        tallies_free(&a);
        tallies_free(&b);
        tallies_free(&both);
    }
}
END_TEST

/* Words in an order of their own, some of which no document holds. */
static void put_words(scene *s, const twin *t)
{
    uint64_t tf[WORDS], df[WORDS];
    words all = all_words(), mixed = {0};

    for (size_t i = 0; i < WORDS; i++) {
        const size_t from = i * 17 % WORDS;
        ck_assert(words_add(&mixed, words_get(&all, from),
                            words_size(&all, from)));
        tf[i] = t->tf[from];
        df[i] = t->df[from];
    }
    scene_write(s);
    scene_put_words(s, &mixed, 0);
    ck_ok(store_put_counts(s->txn, tf, df, WORDS, &s->err), s->err);
    scene_commit(s);
    words_free(&all);
    words_free(&mixed);
}

START_TEST(of_a_store_they_are_what_documents_hold)
{
    for (size_t share = 0; share <= 8; share += 4) {
        const twin t = twin_of(share, share);
        kedge_status st = KEDGE_ENOMEM;
        store_totals totals;
        words all = {0};
        scene s;
        scene_make(&s);
        put_words(&s, &t);
        ck_ok(store_load_words(s.s, &totals, &all, &s.err), s.err);
        scene_read(&s);
        for (long k = 0; st != KEDGE_OK; k++) {
            tallies got = {0};
            gate_allow(k);
            st = tallies_of(s.txn, &all, &got, &s.err);
            gate_open();
            if (st == KEDGE_OK)
                check(&got, &t);
            else
                ck_assert_int_eq(st, KEDGE_ENOMEM);
            tallies_free(&got);
        }
        store_abort(&s.txn);
        words_free(&all);
        scene_end(&s);
    }
}
END_TEST

/* ---- several processes -------------------------------------------------- */

static const kedge_control ample = {.threads = 1, .memory = 1 << 30};

typedef struct gathering {
    twin each[CREW_MOST], all;
    uint64_t heard[CREW_MOST]; /* of what was spread */
} gathering;

static void gather(void *data, team *t)
{
    gathering *const g = data;
    tallies own = tallies_like(&g->each[t->rank]);
    kedge_error err = {0};
    uint64_t before;

    ck_ok(tallies_join(t, &own, &ample, &err), err);
    if (t->rank == 0)
        check(&own, &g->all);
    else
        ck_assert(own.w.count == 0 && own.tf == NULL);
    before = *t->heard;
    ck_ok(tallies_spread(t, &own, &err), err);
    g->heard[t->rank] = *t->heard - before;
    check(&own, &g->all);
    tallies_free(&own);
}

/* What they are together, who are `size` by `seed`; some have nothing. */
static void gathering_make(gathering *g, unsigned size, uint64_t seed)
{
    g->all = (twin){{0}, {0}};
    for (unsigned r = 0; r < size; r++) {
        g->each[r] = twin_of(100 * seed + r, (seed + r) % 5);
        twin_add(&g->all, &g->each[r]);
    }
}

START_TEST(everybody_ends_with_all)
{
    gathering g;

    for (unsigned size = 1; size <= CREW_MOST; size++)
        for (uint64_t seed = 0; seed < 6; seed++) {
            gathering_make(&g, size, seed);
            crew_run(size, gather, &g);
            for (unsigned r = 1; r < size; r++)
                ck_assert_uint_eq(g.heard[r], g.heard[1]);
            ck_assert_uint_eq(g.heard[0], 0);
        }
}
END_TEST

START_TEST(where_nobody_has_words_there_are_none)
{
    gathering g;

    memset(&g, 0, sizeof g);
    for (unsigned size = 1; size <= CREW_MOST; size++)
        crew_run(size, gather, &g);
}
END_TEST

START_TEST(words_come_once_to_each)
{
    gathering g;
    tallies t;

    gathering_make(&g, 5, 3);
    crew_run(5, gather, &g);
    t = tallies_like(&g.all);
    ck_assert_uint_eq(g.heard[4], 3 * 8 + 8 * (t.w.count + 1) +
                                      words_bytes(&t.w) + 16 * t.w.count);
    tallies_free(&t);
}
END_TEST

/* ---- without memory ----------------------------------------------------- */

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

static team tape_team(tape *t, unsigned rank)
{
    return (team){.rank = rank, .size = 2, .data = t, .hand = tape_hand,
                  .take = tape_take, .heard = &t->heard};
}

/* Before anything of it is taken but how much it is. */
START_TEST(joining_more_than_the_budget)
{
    const kedge_control little = {.threads = 1, .memory = 1 << 20};
    twin mine = twin_of(1, 4);
    kedge_error err = {0};
    tape said = {.size = 0};
    team zero = tape_team(&said, 0), one = tape_team(&said, 1);
    tallies own = tallies_like(&mine);

    ck_ok(tallies_join(&one, &own, &ample, &err), err);
    own = tallies_like(&mine);
    said.at = 0;
    ck_fails(tallies_join(&zero, &own, &little, &err), KEDGE_EBUDGET, err,
             "bringing words together takes ");
    check(&own, &mine);
    tallies_free(&own);
}
END_TEST

START_TEST(joining_without_memory)
{
    twin mine = twin_of(1, 4);
    const twin theirs = twin_of(2, 4);
    kedge_status st = KEDGE_ENOMEM;
    kedge_error err = {0};
    tape said = {.size = 0};
    team zero = tape_team(&said, 0), one = tape_team(&said, 1);
    tallies own = tallies_like(&theirs);
    long k = 0;

    ck_ok(tallies_join(&one, &own, &ample, &err), err);
    own = tallies_like(&mine);
    for (; st != KEDGE_OK; k++) {
        said.at = 0;
        gate_allow(k);
        st = tallies_join(&zero, &own, &ample, &err);
        gate_open();
        if (st == KEDGE_OK)
            twin_add(&mine, &theirs);
        else
            ck_assert_int_eq(st, KEDGE_ENOMEM);
        check(&own, &mine); /* as it was, or with theirs */
    }
    ck_assert_int_gt(k, 8);
    ck_assert_uint_eq(said.at, said.size);
    tallies_free(&own);
}
END_TEST

START_TEST(spreading_without_memory)
{
    const twin mine = twin_of(1, 4);
    kedge_status st = KEDGE_ENOMEM;
    kedge_error err = {0};
    tape said = {.size = 0};
    team zero = tape_team(&said, 0), one = tape_team(&said, 1);
    tallies own = tallies_like(&mine);

    ck_ok(tallies_spread(&zero, &own, &err), err);
    for (long k = 0; st != KEDGE_OK; k++) {
        tallies got = {0};
        said.at = 0;
        gate_allow(k);
        st = tallies_spread(&one, &got, &err);
        gate_open();
        if (st == KEDGE_OK)
            check(&got, &mine);
        else
            ck_assert_int_eq(st, KEDGE_ENOMEM);
        tallies_free(&got);
    }
    tallies_free(&own);
}
END_TEST

START_TEST(merging_without_memory)
{
    const twin left = twin_of(1, 4), right = twin_of(2, 4);
    kedge_status st = KEDGE_ENOMEM;
    kedge_error err = {0};
    tallies a = tallies_like(&left), b = tallies_like(&right);

    for (long k = 0; st != KEDGE_OK; k++) {
        tallies both = {0};
        gate_allow(k);
        st = tallies_merge(&a, &b, &both, &err);
        gate_open();
        ck_assert(st == KEDGE_OK || st == KEDGE_ENOMEM);
        tallies_free(&both);
    }
    tallies_free(&a);
    tallies_free(&b);
}
END_TEST

UNIT_SUITE("tallies",
    merging_adds_up,
    of_a_store_they_are_what_documents_hold,
    everybody_ends_with_all,
    where_nobody_has_words_there_are_none,
    words_come_once_to_each,
    joining_more_than_the_budget,
    joining_without_memory,
    spreading_without_memory,
    merging_without_memory)
