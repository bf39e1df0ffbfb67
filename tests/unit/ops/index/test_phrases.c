/* SPDX-License-Identifier: MIT */
#include "ops/index/phrases.h"

#include <math.h>

#include "base/gate.h"
#include "base/wordmap.h"
#include "ops/library.h"

/* ---- the score ----------------------------------------------------------- */

TEST(scores_by_hand)
{
    static const struct {
        uint64_t both, left, right, total;
        double score;
    } cases[] = {
        {10, 10, 10, 1000, 1},          /* never apart */
        {1, 1, 1, UINT64_C(1) << 40, 1},
        {7, 7, 7, 7, 1},                /* nothing else */
        {1, 10, 10, 100, 0},            /* as chance has it */
        {100, 1000, 2000, 20000, 0},
        {10, 100, 10, 1000, 0.5},       /* log 10 / log 100 */
        {10, 100, 1000, 10000, 0},
        {4, 8, 8, 256, 4.0 / 6},        /* 2^4 against 2^-6 */
        {1, 64, 64, 256, -0.5},         /* less often: 2^-4 against 2^-8 */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double score =
            phrases_score(cases[i].both, cases[i].left, cases[i].right,
                          cases[i].total);
        ck_assert_msg(fabs(score - cases[i].score) < 1e-12, "%zu: %g", i,
                      score);
    }
}

/* ---- a naive twin -------------------------------------------------------- */

enum { IDS = 400, WHOLES = 300 };

typedef struct twin {
    library_text text[LIBRARY_MOST];
    size_t count;
    uint32_t length[IDS]; /* 0: not on the list */
    bool on[IDS];         /* the list that comes of it */
    store_join join[WHOLES];
    store_joins joins;
    words names;
} twin;

/* Its number by its name, a new one for a new name. */
static uint32_t twin_name(twin *t, uint32_t left, uint32_t right)
{
    char text[200];
    const int size = snprintf(text, sizeof text, "%s_%s",
                              words_get(&t->names, left),
                              words_get(&t->names, right));

    for (size_t i = 0; i < t->names.count; i++)
        if (strcmp(words_get(&t->names, i), text) == 0)
            return (uint32_t)i;
    ck_assert(words_add(&t->names, text, (size_t)size));
    return (uint32_t)t->names.count - 1;
}

/* Of words, and of every pair that there might be. */
static struct {
    uint64_t total, word[IDS], both[IDS][IDS], documents[IDS][IDS];
    size_t last[IDS][IDS]; /* the document in which it was, from 1 */
} n;

static void twin_count(const twin *t)
{
    memset(&n, 0, sizeof n);
    for (size_t m = 0; m < t->count; m++) {
        const library_text *const x = &t->text[m];
        for (size_t i = 0; i < x->size; i++) {
            const uint32_t left = x->word[i];
            if (left == LIBRARY_GAP || t->length[left] == 0)
                continue;
            n.total++;
            n.word[left]++;
            if (i + 1 == x->size || x->word[i + 1] == LIBRARY_GAP)
                continue;
            n.both[left][x->word[i + 1]]++;
            n.documents[left][x->word[i + 1]] +=
                n.last[left][x->word[i + 1]] != m + 1;
            n.last[left][x->word[i + 1]] = m + 1;
        }
    }
}

static bool twin_has(const twin *t, uint32_t left, uint32_t right)
{
    for (size_t i = 0; i < t->joins.count; i++)
        if (t->join[i].left == left && t->join[i].right == right)
            return true;
    return false;
}

/* All pairs of words against each other; true when some were found. */
static bool twin_round(twin *t, uint32_t round)
{
    const size_t known = t->names.count, before = t->joins.count;

    twin_count(t);
    for (uint32_t left = 0; left < known; left++)
        for (uint32_t right = 0; right < known; right++) {
            if (t->length[left] == 0 || t->length[right] == 0 ||
                t->length[left] + t->length[right] > t->joins.words ||
                twin_has(t, left, right))
                continue;
            if (n.both[left][right] == 0 ||
                n.documents[left][right] < t->joins.documents ||
                phrases_score(n.both[left][right], n.word[left],
                              n.word[right], n.total) < t->joins.score)
                continue;
            ck_assert_uint_lt(t->joins.count, WHOLES);
            t->join[t->joins.count++] = (store_join){
                left, right, twin_name(t, left, right), round};
        }
    for (size_t i = before; i < t->joins.count; i++)
        t->length[t->join[i].whole] =
            t->length[t->join[i].left] + t->length[t->join[i].right];
    return t->joins.count > before;
}

/* In how many documents each is in the end. */
static void twin_seen(const twin *t, const library *l, uint64_t df[IDS])
{
    size_t last[IDS] = {0}, at = 0;

    memset(df, 0, IDS * sizeof *df);
    for (size_t m = 0; m < l->count; m++) {
        const library_text *const x =
            l->text[m].bag ? &l->text[m] : &t->text[at];
        if (l->text[m].gone)
            continue;
        at += !l->text[m].bag;
        for (size_t i = 0; i < x->size; i++) {
            if (x->word[i] == LIBRARY_GAP)
                continue;
            df[x->word[i]] += last[x->word[i]] != m + 1;
            last[x->word[i]] = m + 1;
        }
    }
}

static size_t twin_uses(const twin *t, uint32_t id)
{
    size_t uses = 0;

    for (size_t i = 0; i < t->joins.count; i++)
        uses += t->join[i].left == id || t->join[i].right == id;
    return uses;
}

/* From the last on, phrases that come too rarely and are in no other go. */
static void twin_settle(twin *t, const library *l)
{
    bool back[IDS] = {false};
    uint64_t df[IDS];

    twin_seen(t, l, df);
    for (size_t i = 0; i < IDS; i++)
        t->on[i] = t->length[i] == 1 && df[i] > 0;
    for (size_t i = t->joins.count; i-- > 0;) {
        const store_join j = t->join[i];
        if (df[j.whole] >= t->joins.documents || twin_uses(t, j.whole) > 0)
            continue;
        back[j.left] = back[j.right] = true;
        t->joins.count--;
        memmove(&t->join[i], &t->join[i + 1],
                (t->joins.count - i) * sizeof j);
    }
    for (size_t i = 0; i < IDS; i++)
        t->on[i] |= t->length[i] == 1 && back[i];
    for (size_t i = 0; i < t->joins.count; i++)
        t->on[t->join[i].whole] =
            df[t->join[i].whole] >= t->joins.documents;
}

/* Documents that are there and have an order; the round's phrases joined after
 * each round. */
static void twin_find(twin *t, const library *l, const store_list *list,
                      const store_joins *asked)
{
    t->joins = *asked;
    t->joins.join = t->join;
    t->joins.count = 0;
    for (size_t i = 0; i < list->count; i++)
        t->length[list->ids[i]] = 1;
    for (size_t i = 0; i < LIBRARY_WORDS; i++)
        ck_assert(words_add(&t->names, words_get(&l->w, i),
                            words_size(&l->w, i)));
    for (size_t m = 0; m < l->count; m++)
        if (!l->text[m].gone && !l->text[m].bag)
            t->text[t->count++] = l->text[m];
    for (uint32_t round = 1; round < t->joins.words; round++) {
        if (!twin_round(t, round))
            break;
        t->count = 0;
        for (size_t m = 0; m < l->count; m++)
            if (!l->text[m].gone && !l->text[m].bag) {
                t->text[t->count] = l->text[m];
                library_join(&t->text[t->count++], &t->joins);
            }
    }
    twin_settle(t, l);
}

/* ---- sessions ------------------------------------------------------------ */

typedef struct session {
    library l;
    store_list list;
    store_joins joins;
    kedge_control c;
    const char *drop;
    twin t;
} session;

static void session_begin(session *s, uint64_t seed)
{
    chance c = {.key = seed};

    memset(s, 0, sizeof *s);
    library_begin(&s->l, seed);
    if (seed % 3 != 0)
        library_remove(&s->l, seed, 2 + chance_below(&c, 4));
    kedge_control_init(&s->c);
    ck_assert(mem_grow((void **)&s->list.ids, &s->list.capacity,
                       LIBRARY_WORDS, sizeof *s->list.ids));
    for (uint32_t i = 0; i < LIBRARY_WORDS; i++)
        if (chance_below(&c, 10) > 0)
            s->list.ids[s->list.count++] = i;
    s->joins = (store_joins){.blocks = LIBRARY_BLOCKS,
                             .removals = s->l.removals,
                             .words = 2 + chance_below(&c, 4),
                             .documents = 3 + chance_below(&c, 6),
                             .score = (double)chance_below(&c, 9) / 10};
}

static void session_end(session *s)
{
    words_free(&s->t.names);
    store_list_free(&s->list);
    store_joins_free(&s->joins);
    library_end(&s->l);
}

static kedge_status find(session *s)
{
    kedge_status st;

    scene_read(&s->l.t);
    st = phrases_find(s->l.t.txn, &s->l.w, PAIRS_LEAST, s->drop, &s->c,
                      &s->list, &s->joins, &s->l.t.err);
    store_abort(&s->l.t.txn);
    return st;
}

static const store_join *twin_get(const session *s, const char *left,
                                  const char *right)
{
    const twin *const t = &s->t;

    for (size_t i = 0; i < t->joins.count; i++)
        if (strcmp(words_get(&t->names, t->join[i].left), left) == 0 &&
            strcmp(words_get(&t->names, t->join[i].right), right) == 0)
            return &t->join[i];
    return NULL;
}

/* By their names: numbers may be others. */
static void check_joins(const session *s)
{
    const store_joins *const j = &s->joins;
    const words *const w = &s->l.w;

    ck_assert_uint_eq(j->count, s->t.joins.count);
    for (size_t i = 0; i < j->count; i++) {
        const store_join one = j->join[i];
        const store_join *const other =
            twin_get(s, words_get(w, one.left), words_get(w, one.right));
        ck_assert_ptr_nonnull(other);
        ck_assert_uint_eq(one.round, other->round);
        ck_assert_str_eq(words_get(w, one.whole),
                         words_get(&s->t.names, other->whole));
        ck_assert(i == 0 || one.left > j->join[i - 1].left ||
                  (one.left == j->join[i - 1].left &&
                   one.right > j->join[i - 1].right));
    }
}

static void check_list(const session *s)
{
    const twin *const t = &s->t;
    size_t count = 0;

    for (size_t i = 0; i < t->names.count; i++)
        count += t->on[i];
    ck_assert_uint_eq(s->list.count, count);
    ck_assert_uint_eq(s->l.w.count, LIBRARY_WORDS + t->joins.count);
    for (size_t i = 0; i < s->list.count; i++) {
        const char *const name = words_get(&s->l.w, s->list.ids[i]);
        size_t k = 0;
        while (strcmp(words_get(&t->names, k), name) != 0)
            k++;
        ck_assert(t->on[k]);
        ck_assert(i == 0 || s->list.ids[i] > s->list.ids[i - 1]);
    }
}

TEST(phrases_are_found_as_by_the_twin)
{
    static session s;
    size_t found[STORE_JOIN_ROUNDS + 1] = {0};

    for (uint64_t seed = 0; seed < 40; seed++) {
        session_begin(&s, seed);
        twin_find(&s.t, &s.l, &s.list, &s.joins);
        ck_ok(find(&s), s.l.t.err);
        check_joins(&s);
        check_list(&s);
        for (size_t i = 0; i < s.joins.count; i++)
            found[s.joins.join[i].round]++;
        session_end(&s);
    }
    ck_assert_uint_gt(found[1], 100);
    ck_assert_uint_gt(found[2], 50);
    ck_assert_uint_gt(found[3], 5);
}

static void add_document(docs *d, const char *text, uint64_t position)
{
    library_text x = {0};

    for (; *text != '\0'; text++)
        x.word[x.size++] = *text == '.' ? LIBRARY_GAP : (uint32_t)(*text - 'a');
    library_push(d, &x, position);
}

/* A store of these documents, each of them a letter a word. */
static void write_down(session *s, const char *const *texts, size_t count)
{
    store_block block = {0};
    store_order order = {0};
    docs d = {0};

    session_begin(s, 3);
    for (size_t m = 0; m < count; m++)
        add_document(&d, texts[m], m + 1);
    ck_ok(store_block_encode(&block, 0, &d, 0, count, &s->l.t.err),
          s->l.t.err);
    ck_ok(store_order_encode(&order, &d, 0, count, &s->l.t.err), s->l.t.err);
    scene_write(&s->l.t);
    for (uint64_t b = 0; b < LIBRARY_BLOCKS; b++)
        ck_ok(store_drop_block(s->l.t.txn, b, &s->l.t.err), s->l.t.err);
    ck_ok(store_put_block(s->l.t.txn, 0, &block, &s->l.t.err), s->l.t.err);
    ck_ok(store_put_order(s->l.t.txn, 0, &order, &s->l.t.err), s->l.t.err);
    scene_commit(&s->l.t);
    s->list.count = 0;
    for (uint32_t i = 0; i < LIBRARY_WORDS; i++)
        s->list.ids[s->list.count++] = i;
    docs_free(&d);
    store_block_free(&block);
    store_order_free(&order);
}

/* A phrase that comes about in two ways, the second a round later, when its
 * join with the next word was found before: that is found once. */
TEST(a_pair_is_joined_in_one_round)
{
    static const char *const texts[] = {
        "ab.abc.bc.abcd.abcd.abcd.bc.bc.bc.xbc.abcde.abcde",
        "xab.abc.abcd.abcde.bc.zbc.bcd.bcd.cd.de.de",
        "ab.bc.cd.de.abc.bcd.cde.abcd.bcde.abcde.aab",
        "aabcabcdabcdeabab.bcbcbcd.cdcde.dedededeabab",
    };
    static session s;

    for (double score = -0.5; score < 0.9; score += 0.05)
        for (uint64_t documents = 1; documents < 4; documents++)
            for (uint64_t most = 2; most <= STORE_JOIN_ROUNDS + 1; most++) {
                write_down(&s, texts, 4);
                s.joins.words = most;
                s.joins.documents = documents;
                s.joins.score = score;
                ck_ok(find(&s), s.l.t.err);
                for (size_t i = 1; i < s.joins.count; i++)
                    ck_assert(s.joins.join[i].left !=
                                  s.joins.join[i - 1].left ||
                              s.joins.join[i].right !=
                                  s.joins.join[i - 1].right);
                session_end(&s);
            }
}

static int say_stop(void *data)
{
    size_t *const left = data;

    return (*left)-- == 0;
}

TEST(it_can_be_stopped)
{
    static session s;
    size_t left;

    for (size_t k = 0; k < 4; k++) {
        session_begin(&s, 6);
        left = k;
        s.c.stop = say_stop;
        s.c.data = &left;
        ck_assert_int_eq(find(&s), KEDGE_ECANCELED);
        session_end(&s);
    }
}

TEST(words_that_are_not_there_are_damage)
{
    static session s;
    words few = {0};

    session_begin(&s, 6);
    for (size_t i = 0; i < 5; i++)
        ck_assert(words_add(&few, words_get(&s.l.w, i), words_size(&s.l.w, i)));
    words_free(&s.l.w);
    s.l.w = few;
    s.list.count = 1;
    s.list.ids[0] = 0;
    ck_fails(find(&s), KEDGE_ECORRUPT, s.l.t.err, "has word");
    session_end(&s);
}

TEST(no_memory_is_told)
{
    static session s;

    GATE_LOOP {
        session_begin(&s, 12);
        s.joins.words = 4;
        s.joins.documents = 2;
        s.joins.score = 0.2;
        twin_find(&s.t, &s.l, &s.list, &s.joins);
        GATE_TRY(find(&s));
        gate_k += gate_k / 30;
        if (gate_status == KEDGE_OK)
            check_joins(&s);
        session_end(&s);
    }
}
