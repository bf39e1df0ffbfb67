/* SPDX-License-Identifier: MIT */
#include "pipeline/views/joining.h"

#include "base/chance.h"
#include "base/gate.h"
#include "store/scene.h"

enum { IDS = 60, LONGEST = 120 };

/* ---- joins and documents by chance --------------------------------------- */

typedef struct setting {
    chance c;
    store_join join[200];
    store_joins joins;
    docs d;
    kedge_error err;
} setting;

/* Each pair once, in the order of left, then right; parts of a later round may
 * be wholes of an earlier one, or anything. */
static void make_joins(setting *s)
{
    const size_t share = chance_below(&s->c, 4);
    const uint32_t rounds = 1 + (uint32_t)chance_below(&s->c, 4);

    for (uint32_t left = 0; left < IDS; left++)
        for (uint32_t right = 0; right < IDS; right++) {
            if (s->joins.count == 200 || chance_below(&s->c, 200) >= 5 * share)
                continue;
            s->join[s->joins.count++] = (store_join){
                left, right, (uint32_t)chance_below(&s->c, IDS),
                1 + (uint32_t)chance_below(&s->c, rounds)};
        }
    s->joins.join = s->join;
}

/* A document with an order of few words, some of which are apart. */
static void make_document(setting *s, bool ordered)
{
    uint32_t text[LONGEST], tally[IDS] = {0}, symbol[IDS], place = 0;
    const size_t size = chance_below(&s->c, LONGEST);
    const size_t near = 1 + chance_below(&s->c, IDS);
    const size_t first = chance_below(&s->c, IDS - near + 1);

    for (size_t i = 0; i < size; i++) {
        text[i] = (uint32_t)(first + chance_below(&s->c, near));
        tally[text[i]]++;
    }
    ck_assert(docs_begin(&s->d, s->d.count + 3));
    ck_assert(docs_set_name(&s->d, span_text("id"), span_text("label")));
    for (uint32_t id = 0; id < IDS; id++)
        if (tally[id] > 0) {
            ck_assert(docs_push(&s->d, id, tally[id]));
            symbol[id] = ++place;
        }
    for (size_t i = 0; ordered && i < size; i++) {
        const uint32_t apart = DOCS_APART;
        ck_assert(docs_push_order(&s->d, &symbol[text[i]], 1));
        if (i + 1 < size && chance_below(&s->c, 4) == 0)
            ck_assert(docs_push_order(&s->d, &apart, 1));
    }
}

static void setting_begin(setting *s, uint64_t seed)
{
    *s = (setting){.c.key = seed};
    make_joins(s);
    for (size_t m = 0; m < 12; m++)
        make_document(s, m % 4 != 3);
}

static void setting_end(setting *s)
{
    docs_free(&s->d);
}

/* ---- the twin ------------------------------------------------------------ */

typedef struct twin {
    uint32_t id[2 * LONGEST]; /* JOINING_APART between those that are apart */
    bool phrase[2 * LONGEST];
    size_t count;
} twin;

static const store_join *find_join(const store_joins *j, uint32_t left,
                                   uint32_t right, uint32_t round)
{
    for (size_t i = 0; i < j->count; i++)
        if (j->join[i].left == left && j->join[i].right == right &&
            j->join[i].round == round)
            return &j->join[i];
    return NULL;
}

/* Takes two away and puts one there, again and again, behind what was put
 * last. */
static void twin_round(twin *t, const store_joins *j, uint32_t round)
{
    for (size_t i = 0; i + 1 < t->count; i++) {
        const store_join *const one =
            find_join(j, t->id[i], t->id[i + 1], round);
        if (one == NULL)
            continue;
        t->id[i] = one->whole;
        t->phrase[i] = true;
        t->count--;
        for (size_t k = i + 1; k < t->count; k++) {
            t->id[k] = t->id[k + 1];
            t->phrase[k] = t->phrase[k + 1];
        }
    }
}

static void twin_join(twin *t, const store_joins *j, const docs *d, size_t m)
{
    t->count = docs_order_size(d, m);
    for (size_t i = 0; i < t->count; i++) {
        const uint32_t s = d->order[d->order_at[m] + i];
        t->id[i] = s == DOCS_APART ? JOINING_APART
                                   : d->word[d->start[m] + s - 1];
        t->phrase[i] = false;
    }
    for (uint32_t round = 1; round <= STORE_JOIN_ROUNDS; round++)
        twin_round(t, j, round);
}

/* ---- tests --------------------------------------------------------------- */

START_TEST(rounds_go_from_left_to_right)
{
    size_t phrases = 0;

    for (uint64_t seed = 0; seed < 300; seed++) {
        setting s;
        joining j;
        twin t;
        setting_begin(&s, seed);
        ck_ok(joining_open(&j, &s.joins, &s.err), s.err);
        for (size_t m = 0; m < s.d.count; m++) {
            const uint32_t *const word = s.d.word + s.d.start[m];
            twin_join(&t, &s.joins, &s.d, m);
            ck_ok(joining_units(&j, &s.d, m, &s.err), s.err);
            ck_assert_uint_eq(j.units, t.count);
            for (size_t i = 0; i < t.count; i++) {
                const joining_unit one = j.unit[i];
                ck_assert_uint_eq(one.id, t.id[i]);
                if (t.phrase[i] || one.id == JOINING_APART)
                    ck_assert_uint_eq(one.symbol, 0);
                else
                    ck_assert_uint_eq(word[one.symbol - 1], one.id);
                phrases += t.phrase[i];
            }
        }
        joining_close(&j);
        setting_end(&s);
    }
    ck_assert_uint_gt(phrases, 3000);
}
END_TEST

/* What document m comes to, word by word. */
static void check_bag(const setting *s, size_t m, const docs *out, size_t at)
{
    uint32_t tally[IDS] = {0};
    uint64_t length = 0;
    size_t k = out->start[at];
    twin t;

    twin_join(&t, &s->joins, &s->d, m);
    for (size_t i = 0; i < t.count; i++)
        if (t.id[i] != JOINING_APART)
            tally[t.id[i]]++;
    if (docs_order_size(&s->d, m) == 0) /* as it was */
        for (size_t i = s->d.start[m]; i < s->d.start[m + 1]; i++)
            tally[s->d.word[i]] = s->d.tally[i];
    for (uint32_t id = 0; id < IDS; id++) {
        if (tally[id] == 0)
            continue;
        ck_assert_uint_lt(k, out->start[at + 1]);
        ck_assert_uint_eq(out->word[k], id);
        ck_assert_uint_eq(out->tally[k++], tally[id]);
        length += tally[id];
    }
    ck_assert_uint_eq(k, out->start[at + 1]);
    ck_assert_uint_eq(out->length[at], length);
    ck_assert_uint_eq(out->position[at], s->d.position[m]);
    ck_assert(span_equal(docs_id(out, at), docs_id(&s->d, m)));
    ck_assert(span_equal(docs_label(out, at), docs_label(&s->d, m)));
    ck_assert_uint_eq(docs_order_size(out, at), 0);
}

START_TEST(documents_are_of_words_and_phrases)
{
    docs out = {0};

    for (uint64_t seed = 0; seed < 300; seed++) {
        setting s;
        joining j;
        size_t at = 0;
        setting_begin(&s, seed);
        ck_ok(joining_open(&j, &s.joins, &s.err), s.err);
        docs_clear(&out);
        for (size_t m = seed % 2; m < s.d.count; m += 1 + seed % 3, at++) {
            ck_ok(joining_append(&j, &s.d, m, &out, &s.err), s.err);
            ck_assert_uint_eq(out.count, at + 1);
            check_bag(&s, m, &out, at);
        }
        joining_close(&j);
        ck_assert(j.slot == NULL && j.unit == NULL);
        setting_end(&s);
    }
    docs_free(&out);
}
END_TEST

/* "a a a" is "aa a"; "a b c d" is "a bc d" and then "a bcd". */
START_TEST(cases_by_hand)
{
    enum { A, B, C, D, AA, BC, BCD };
    store_join join[] = {{A, A, AA, 1}, {B, C, BC, 1}, {BC, D, BCD, 2}};
    const store_joins joins = {.join = join, .count = 3};
    static const struct {
        uint32_t symbol[6], unit[6];
        size_t symbols, units;
    } cases[] = {
        {{1, 1, 1}, {AA, A}, 3, 2},
        {{1, 1, 1, 1}, {AA, AA}, 4, 2},
        {{1, 0, 1}, {A, JOINING_APART, A}, 3, 3},
        {{1, 2, 3, 4}, {A, BCD}, 4, 2},
        {{2, 3, 0, 4}, {BC, JOINING_APART, D}, 4, 3},
        {{2, 0, 3, 4}, {B, JOINING_APART, C, D}, 4, 4},
        {{3, 2}, {C, B}, 2, 2},
        {{0}, {0}, 0, 0},
    };
    kedge_error err = {0};
    joining j;

    ck_ok(joining_open(&j, &joins, &err), err);
    ck_assert_uint_eq(j.rounds, 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        docs d = {0};
        ck_assert(docs_begin(&d, 1));
        for (uint32_t w = A; w <= D; w++)
            ck_assert(docs_push(&d, w, 1));
        ck_assert(docs_push_order(&d, cases[i].symbol, cases[i].symbols));
        ck_ok(joining_units(&j, &d, 0, &err), err);
        ck_assert_uint_eq(j.units, cases[i].units);
        for (size_t k = 0; k < j.units; k++)
            ck_assert_uint_eq(j.unit[k].id, cases[i].unit[k]);
        docs_free(&d);
    }
    joining_close(&j);
}
END_TEST

START_TEST(many_joins_take_what_was_said)
{
    enum { MANY = 10000 };
    kedge_error err = {0};
    store_joins joins = {.count = MANY};
    joining j;

    joins.join = mem_new(MANY, sizeof *joins.join);
    for (uint32_t i = 0; i < MANY; i++)
        joins.join[i] = (store_join){i / 10, i, i + 1, 1 + i % 7};
    ck_ok(joining_open(&j, &joins, &err), err);
    ck_assert_uint_eq(j.rounds, 7);
    ck_assert_uint_ge(j.slots, MANY);
    joining_close(&j);
    mem_free(joins.join);
}
END_TEST

static kedge_status append_all(const setting *s, docs *out, kedge_error *err)
{
    kedge_status st;
    joining j;

    st = joining_open(&j, &s->joins, err);
    for (size_t m = 0; st == KEDGE_OK && m < s->d.count; m++)
        st = joining_append(&j, &s->d, m, out, err);
    joining_close(&j);
    return st;
}

START_TEST(no_memory_is_told)
{
    setting s;

    setting_begin(&s, 7);
    for (long k = 0;; k++) {
        docs out = {0};
        gate_allow(k);
        const kedge_status st = append_all(&s, &out, &s.err);
        gate_open();
        if (st == KEDGE_OK) {
            check_bag(&s, 5, &out, 5);
            ck_assert_int_gt(k, 5);
        }
        docs_free(&out);
        if (st == KEDGE_OK)
            break;
        ck_fails(st, KEDGE_ENOMEM, s.err, "out of memory");
    }
    setting_end(&s);
}
END_TEST

UNIT_SUITE("joining",
    rounds_go_from_left_to_right,
    documents_are_of_words_and_phrases,
    cases_by_hand,
    many_joins_take_what_was_said,
    no_memory_is_told)
