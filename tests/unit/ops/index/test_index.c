/* SPDX-License-Identifier: MIT */
#include "ops/index/index.h"

#include <kedge/kedge.h>

#include "base/gate.h"
#include "ops/choosing.h"
#include "ops/library.h"

TEST(a_new_index_is_written_down)
{
    store_index v;

    SESSION(s);
    ask_for_all(&s);
    s.o.min_df = middle_df(&s, ARCHIVE_WORDS / 2);
    const uint32_t number = choose(&s);
    ck_assert_uint_eq(number, INDEX_ALL_WORDS + 1);
    ck_assert(s.fresh);
    check_list(&s, number, s.o.min_df);
    ck_assert(index_of(&s.a.t, number, &v));
    ck_assert(v.listed && v.blocks == 0 && v.removals == 0);
    ck_assert(v.words > 0 && v.words < ARCHIVE_WORDS);
    ck_assert(v.seed == 1 && v.min_tokens == KEDGE_MIN_TOKENS);
    ck_assert_uint_eq(v.weight_bits, STATISTIC_DAMPED_BITS);
    ck_assert_uint_eq(v.rows, index_first_rows(number));
    ck_assert_uint_ge(v.width, 16);
    ck_assert_ptr_nonnull(strstr(v.rule, "documents or more"));
}

/* One after the other: what was asked for before is found, and anything else is
 * a new index with the next number. */
TEST(what_was_asked_before_is_found_again)
{
    static const struct {
        uint64_t min_df, seed, min_tokens, width;
        const char *statistic;
        double max_df;
        uint32_t number;
    } steps[] = {
        {.min_df = 1, .max_df = 1, .number = 1},
        {.max_df = 1, .number = 2}, /* fewer words */
        {.max_df = 1, .number = 2},
        {.min_df = 1, .max_df = 1e6, .number = 1}, /* another rule, the same
                                                      words */
        {.min_df = 1, .max_df = 1, .seed = 1, .min_tokens = KEDGE_MIN_TOKENS,
         .width = 4 * ARCHIVE_WORDS, .number = 1}, /* which says the same */
        {.min_df = 1, .max_df = 1, .seed = 2, .number = 3},
        {.min_df = 1, .max_df = 1, .seed = 2, .min_tokens = 7, .number = 4},
        {.min_df = 1, .max_df = 1, .seed = 2, .min_tokens = 7, .width = 16,
         .number = 5},
        {.min_df = 1, .max_df = 1, .number = 1},
        {.min_df = 1, .max_df = 1, .statistic = "raw", .number = 6},
        {.min_df = 1, .max_df = 1, .statistic = "sqrt", .number = 7},
        {.min_df = 1, .max_df = 1, .statistic = "log", .number = 1},
        {.min_df = 1, .max_df = 1, .statistic = "raw", .number = 6},
        {.min_df = 1, .max_df = 1, .number = 1}, /* log is usual */
    };
    SESSION(s);
    const uint64_t few = middle_df(&s, 20);
    uint32_t most = 0;
    store_index v;

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        s.o = (kedge_fit_opts){.min_df = steps[i].min_df > 0 ? 1 : few,
                               .max_df = steps[i].max_df,
                               .seed = steps[i].seed,
                               .min_tokens = steps[i].min_tokens,
                               .sketch_size = steps[i].width,
                               .tf = steps[i].statistic,
                               .stopwords = "none", .index = KEDGE_NO_INDEX};
        ck_assert_msg(choose(&s) == steps[i].number, "step %zu: %u", i,
                      s.chosen.number);
        ck_assert_int_eq(s.fresh, steps[i].number > most);
        most = s.fresh ? steps[i].number : most;
        ck_assert_uint_eq(count_indexes(&s.a.t), most);
        if (i % 3 == 0)
            scene_reopen(&s.a.t, KEDGE_OPEN_WRITE);
    }
    ck_assert(index_of(&s.a.t, 5, &v));
    ck_assert(v.width == 16 && v.seed == 2 && v.min_tokens == 7);
    ck_assert(index_of(&s.a.t, 6, &v));
    ck_assert(v.statistic == STATISTIC_JOINT && v.weight_bits == 40 &&
              v.value_bits == 0);
    ck_assert(index_of(&s.a.t, 1, &v));
    ck_assert(v.statistic == STATISTIC_LOG && v.weight_bits == 32 &&
              v.value_bits == 5);
    /* a model of one drops none of another statistic */
    ck_ok(index_keep(s.a.t.s, &s.chosen, &s.a.t.err), s.a.t.err);
    ck_assert_uint_eq(count_indexes(&s.a.t), most);
}

TEST(asking_for_nothing_takes_what_is_usual)
{
    store_index v;

    SESSION(s);
    const uint32_t usual = choose(&s); /* of a store of texts */
    ck_assert(index_of(&s.a.t, usual, &v));
    ck_assert_str_eq(v.rule, "in 2 documents or more, in 50% of documents at "
                             "most, no stop words (english)");
    ck_assert_uint_eq(choose(&s), usual);
    ask_for_all(&s);
    const uint32_t last = choose(&s);
    kedge_fit_opts_init(&s.o);
    ck_assert_uint_eq(choose(&s), usual); /* and not what was made last */
    ck_assert_int_eq(s.chosen.how, KEDGE_VOCABULARY_RULE);
    scene_write(&s.a.t); /* a vocabulary came along */
    v = (store_index){.width = 16, .seed = 1, .min_tokens = 5,
                      .statistic = STATISTIC_LOG,
                      .weight_bits = STATISTIC_DAMPED_BITS,
                      .value_bits = STATISTIC_VALUE_BITS};
    ck_ok(store_put_index(s.a.t.txn, INDEX_ALL_WORDS, &v, &s.a.t.err),
          s.a.t.err);
    scene_commit(&s.a.t);
    ck_assert_uint_eq(choose(&s), INDEX_ALL_WORDS);
    ck_assert_int_eq(s.chosen.how, KEDGE_VOCABULARY_ALL);
    s.o.stopwords = "none"; /* then nothing is usual */
    ck_assert_uint_eq(choose(&s), last);
}

TEST(an_index_is_chosen_by_its_number)
{
    uint32_t number;

    SESSION(s);
    const uint32_t usual = choose(&s);
    ask_for_all(&s);
    const uint32_t all = choose(&s);
    kedge_fit_opts_init(&s.o);
    s.o.index = usual;
    ck_assert_uint_eq(choose(&s), usual);
    ck_assert(!s.fresh);
    s.o.index = all;
    ck_assert_uint_eq(choose(&s), all);
    s.o.sketch_size = 17;
    ck_fails(choose_any(&s, &number), KEDGE_EINVAL, s.a.t.err,
             "the existing sketch was made with --sketch-size");
    s.o.sketch_size = 0;
    s.o.tf = "sqrt";
    ck_fails(choose_any(&s, &number), KEDGE_EINVAL, s.a.t.err,
             "index 2 has --tf log, not sqrt");
    s.o.tf = NULL;
    s.o.index = INDEX_ALL_WORDS; /* of a store of texts */
    ck_fails(choose_any(&s, &number), KEDGE_ENOTFOUND, s.a.t.err,
             "the store has no index 0; 'kedge info STORE' lists them");
    s.o.index = UINT64_C(1) << 32 | all;
    ck_fails(choose_any(&s, &number), KEDGE_ENOTFOUND, s.a.t.err,
             "the store has no index ");
    ck_assert_uint_eq(count_indexes(&s.a.t), 2);
}

/* Rows as a saving leaves them, one chunk. */
static void put_rows(session *s, uint32_t rows)
{
    store_rows r = {0};
    int64_t values[34] = {0};

    ck_ok(store_rows_encode(&r, values, 2, 16, &s->a.t.err), s->a.t.err);
    scene_write(&s->a.t);
    ck_ok(store_put_rows(s->a.t.txn, rows, 0, &r, &s->a.t.err), s->a.t.err);
    scene_commit(&s->a.t);
    store_rows_free(&r);
}

static bool has_rows(session *s, uint32_t rows)
{
    const uint8_t *bytes;
    size_t size;
    kedge_status st;

    scene_read(&s->a.t);
    st = store_get_rows(s->a.t.txn, rows, 0, &bytes, &size, &s->a.t.err);
    store_abort(&s->a.t.txn);
    return st == KEDGE_OK;
}

/* ---- phrases ------------------------------------------------------------- */

typedef struct shelf {
    library l;
    kedge_control c;
    kedge_fit_opts o;
    size_t passes; /* blocks that were gone through for phrases */
    index_choice chosen;
} shelf;

static void count_passes(void *data, const kedge_progress *now)
{
    shelf *const s = data;

    s->passes += strcmp(now->stage, "finding phrases") == 0;
}

static void shelf_begin(shelf *s)
{
    memset(s, 0, sizeof *s);
    library_begin(&s->l, 6);
    ck_assert_uint_gt(s->l.count, 80);
    kedge_control_init(&s->c);
    s->c.threads = 1;
    s->c.data = s;
    s->c.progress = count_passes;
    kedge_fit_opts_init(&s->o);
    s->o.min_df = 1; /* all words */
    s->o.max_df = 1;
    s->o.stopwords = "none";
    s->o.phrases = 3;
    s->o.phrase_df = 4;
    s->o.phrase_score = 0.4;
}

static kedge_status shelf_try(shelf *s, uint32_t *number)
{
    s->passes = 0;
    const kedge_status st = index_choose(s->l.t.s, &s->l.w, &s->o, NULL,
                                         false, &s->c, &s->chosen,
                                         &s->l.t.err);

    *number = s->chosen.number;
    return st;
}

static uint32_t shelf_choose(shelf *s)
{
    uint32_t number;

    ck_ok(shelf_try(s, &number), s->l.t.err);
    ck_ok(index_keep(s->l.t.s, &s->chosen, &s->l.t.err), s->l.t.err);
    return number;
}

/* Phrases are found, are words of the store that no document has, and are on
 * the list. */
static void check_phrases(shelf *s, uint32_t number)
{
    const size_t known = s->l.w.count;
    uint64_t tf[200], df[200], plain_tf[LIBRARY_WORDS], plain_df[LIBRARY_WORDS];
    kedge_error *const err = &s->l.t.err;
    store_list list = {0};
    store_joins joins = {0};
    store_totals totals;
    words stored = {0};
    store_index v;

    scene_read(&s->l.t);
    store_txn *const txn = s->l.t.txn;
    ck_ok(store_get_index_record(txn, number, &v, err), *err);
    ck_ok(store_get_list(txn, number, &list, err), *err);
    ck_ok(store_get_joins(txn, number, &joins, err), *err);
    ck_assert(v.listed && v.joined && v.blocks == 0);
    ck_assert_uint_eq(v.words, list.count);
    ck_assert_uint_ge(list.ids[list.count - 1], LIBRARY_WORDS);
    ck_assert_uint_gt(joins.count, 0);
    ck_assert(joins.blocks >= LIBRARY_BLOCKS && joins.removals == 0 &&
              joins.words == s->o.phrases &&
              joins.documents == s->o.phrase_df &&
              joins.score == s->o.phrase_score);
    ck_ok(store_get_totals(txn, &totals, err), *err);
    ck_assert_uint_eq(totals.words, known);
    ck_ok(store_get_words(txn, &stored, err), *err);
    ck_assert_str_eq(words_get(&stored, known - 1),
                     words_get(&s->l.w, known - 1));
    ck_ok(store_get_counts(txn, tf, df, known, err), *err);
    library_count(&s->l, plain_tf, plain_df);
    for (size_t i = 0; i < known; i++) {
        ck_assert_uint_eq(tf[i], i < LIBRARY_WORDS ? plain_tf[i] : 0);
        ck_assert_uint_eq(df[i], i < LIBRARY_WORDS ? plain_df[i] : 0);
    }
    store_abort(&s->l.t.txn);
    words_free(&stored);
    store_list_free(&list);
    store_joins_free(&joins);
}

TEST(an_index_with_phrases_is_found_without_a_pass)
{
    static shelf s;

    shelf_begin(&s);
    const uint32_t first = shelf_choose(&s);
    ck_assert_uint_gt(s.passes, 0);
    ck_assert_uint_gt(s.l.w.count, LIBRARY_WORDS);
    check_phrases(&s, first);
    ck_assert_uint_eq(shelf_choose(&s), first);
    ck_assert_uint_eq(s.passes, 0);
    scene_reopen(&s.l.t, KEDGE_OPEN_WRITE);
    ck_assert_uint_eq(shelf_choose(&s), first);
    ck_assert_uint_eq(s.passes, 0);
    s.o.seed = 9; /* another sketch, the same phrases */
    const uint32_t sown = shelf_choose(&s);
    ck_assert_uint_ne(sown, first);
    ck_assert_uint_eq(s.passes, 0);
    check_phrases(&s, sown);
    ck_assert_uint_eq(count_indexes(&s.l.t), 2);
    s.o.tf = "raw"; /* likewise */
    const uint32_t joint = shelf_choose(&s);
    ck_assert(joint != first && joint != sown);
    ck_assert_uint_eq(s.passes, 0);
    check_phrases(&s, joint);
    ck_assert_uint_eq(shelf_choose(&s), joint);
    s.o.tf = "log";
    ck_assert_uint_eq(shelf_choose(&s), sown);
    ck_assert_uint_eq(count_indexes(&s.l.t), 3);
    library_end(&s.l);
}

/* Shorter ones, those of more documents, those that are not so close, none. */
static uint32_t shelf_choose_other(shelf *s, size_t i)
{
    s->o.phrases = i == 1 ? 2 : i == 4 ? 0 : 3;
    s->o.phrase_df = i == 2 ? s->l.count * 3 / 5 : 4;
    s->o.phrase_score = i == 3 ? 0.05 : 0.4;
    return shelf_choose(s);
}

/* And none of them drops another. */
TEST(other_phrases_are_another_index)
{
    static shelf s;
    uint32_t number[5];

    shelf_begin(&s);
    for (size_t i = 0; i < 5; i++) {
        number[i] = shelf_choose_other(&s, i);
        for (size_t k = 0; k < i; k++)
            ck_assert_msg(number[i] != number[k], "%zu %zu", i, k);
        ck_assert_int_eq(s.passes > 0, i < 4);
        if (i < 4)
            check_phrases(&s, number[i]);
    }
    ck_assert_uint_eq(count_indexes(&s.l.t), 5);
    for (size_t i = 5; i-- > 0;) {
        ck_assert_uint_eq(shelf_choose_other(&s, i), number[i]);
        ck_assert_uint_eq(s.passes, 0);
    }
    library_end(&s.l);
}

/* Documents that came or went since: looked for anew, and where nothing came
 * of it the index stays. */
TEST(phrases_are_looked_for_again)
{
    static shelf s;
    store_totals totals;

    shelf_begin(&s);
    const uint32_t first = shelf_choose(&s);
    scene_write(&s.l.t);
    ck_ok(store_get_totals(s.l.t.txn, &totals, &s.l.t.err), s.l.t.err);
    totals.blocks++; /* a block of nothing */
    ck_ok(store_put_totals(s.l.t.txn, &totals, &s.l.t.err), s.l.t.err);
    scene_commit(&s.l.t);
    ck_assert_uint_eq(shelf_choose(&s), first);
    ck_assert_uint_gt(s.passes, 0);
    library_remove(&s.l, 6, 2);
    s.o.phrase_df = s.l.count * 2 / 5;
    const uint32_t second = shelf_choose(&s);
    ck_assert_uint_gt(s.passes, 0);
    ck_assert_uint_ne(second, first);
    library_end(&s.l);
}

TEST(choosing_phrases_without_memory)
{
    static shelf s;
    uint32_t number;

    GATE_LOOP {
        shelf_begin(&s);
        s.c.progress = NULL;
        GATE_TRY(shelf_try(&s, &number));
        ck_assert_uint_eq(count_indexes(&s.l.t), gate_status == KEDGE_OK);
        if (gate_status == KEDGE_OK)
            check_phrases(&s, number);
        library_end(&s.l);
        gate_k += gate_k / 40;
    }
    shelf_begin(&s);
    s.c.memory = UINT64_C(20) << 20;
    ck_fails(shelf_try(&s, &number), KEDGE_EBUDGET, s.l.t.err,
             "choosing words");
    s.c.memory = UINT64_C(40) << 20;
    ck_fails(shelf_try(&s, &number), KEDGE_EBUDGET, s.l.t.err,
             "finding phrases");
    library_end(&s.l);
}

static void put_counts(session *s, uint64_t each)
{
    uint64_t df[ARCHIVE_WORDS];

    for (uint64_t i = 0; i < ARCHIVE_WORDS; i++)
        df[i] = i % each;
    scene_write(&s->a.t);
    ck_ok(store_put_counts(s->a.t.txn, df, df, ARCHIVE_WORDS, &s->a.t.err),
          s->a.t.err);
    scene_commit(&s->a.t);
}

/* Of an index, as if its sketch had been saved twice. */
static void put_both_rows(session *s, uint32_t number)
{
    put_rows(s, index_first_rows(number));
    put_rows(s, index_other_rows(index_first_rows(number)));
}

/* Its record, list and rows are all there, or none of them is. */
static void check_whole(session *s, uint32_t number, bool there)
{
    const uint32_t rows = index_first_rows(number);
    scene *const t = &s->a.t;
    store_list l = {0};
    store_index v;

    ck_assert_int_eq(index_of(t, number, &v), there);
    ck_assert_int_eq(has_rows(s, rows), there);
    ck_assert_int_eq(has_rows(s, index_other_rows(rows)), there);
    scene_read(t);
    ck_assert_int_eq(store_get_list(t->txn, number, &l, &t->err),
                     there ? KEDGE_OK : KEDGE_ENOTFOUND);
    store_abort(&t->txn);
    store_list_free(&l);
}

TEST(older_ones_of_the_same_rule_go)
{
    store_index v;

    SESSION(s);
    put_counts(&s, 9);
    ask_for_all(&s);
    s.o.min_df = 3;
    const uint32_t old = choose(&s);
    s.o.seed = 5;
    const uint32_t sown = choose(&s); /* the same rule, another sketch */
    s.o.seed = 0;
    s.o.min_df = 4;
    const uint32_t other = choose(&s);
    put_both_rows(&s, old);
    put_both_rows(&s, other);
    put_counts(&s, 7);
    s.o.min_df = 3;
    const uint32_t fresh = choose(&s);
    ck_assert_uint_gt(fresh, other);
    ck_assert(index_of(&s.a.t, old, &v)); /* until the new one has its sketch */
    ck_assert_int_eq(s.chosen.how, KEDGE_VOCABULARY_CHANGED);
    ck_assert_uint_eq(s.chosen.before, v.words);
    ck_ok(index_keep(s.a.t.s, &s.chosen, &s.a.t.err), s.a.t.err);
    check_list(&s, fresh, 3);
    check_whole(&s, old, false);
    ck_assert(index_of(&s.a.t, sown, &v));
    check_whole(&s, other, true);
}

/* "In 2 documents" is "in 5" of a thousand: one rule, though it says another
 * number, and the older index of it goes. */
TEST(what_is_usual_is_one_rule)
{
    store_totals totals;
    store_index v;

    SESSION(s);
    put_counts(&s, 9);
    const uint32_t few = choose(&s);
    const uint64_t asked = s.chosen.asked;
    ck_assert_uint_ne(asked, 0);
    scene_write(&s.a.t);
    ck_ok(store_get_totals(s.a.t.txn, &totals, &s.a.t.err), s.a.t.err);
    totals.documents = 1000;
    ck_ok(store_put_totals(s.a.t.txn, &totals, &s.a.t.err), s.a.t.err);
    scene_commit(&s.a.t);
    const uint32_t many = choose(&s);
    ck_assert(s.chosen.fresh && many != few);
    ck_assert_int_eq(s.chosen.how, KEDGE_VOCABULARY_CHANGED);
    ck_assert_uint_eq(s.chosen.asked, asked);
    ck_ok(index_keep(s.a.t.s, &s.chosen, &s.a.t.err), s.a.t.err);
    check_whole(&s, few, false);
    ck_assert(index_of(&s.a.t, many, &v));
    ck_assert_uint_eq(v.asked, asked);
    ck_assert(!v.frozen);
    s.o.min_df = 5; /* the same words by another rule */
    ck_assert_uint_eq(choose(&s), many);
    ck_assert_uint_ne(s.chosen.asked, asked);
    s.o.max_df = 0.5;
    const uint64_t twice = s.chosen.asked;
    ck_assert_uint_eq(choose(&s), many);
    ck_assert_uint_eq(s.chosen.asked, twice); /* which says the same */
}

/* An index that is named stays as it is, as long as it is of use to a model. */
TEST(a_named_index_is_frozen)
{
    store_index v;

    SESSION(s);
    put_counts(&s, 9);
    ask_for_all(&s);
    s.o.min_df = 3;
    const uint32_t old = choose(&s);
    put_counts(&s, 7);
    kedge_fit_opts_init(&s.o);
    s.o.index = old;
    ck_assert_uint_eq(choose(&s), old);
    ck_assert_int_eq(s.chosen.how, KEDGE_VOCABULARY_FROZEN);
    ck_ok(index_keep(s.a.t.s, &s.chosen, &s.a.t.err), s.a.t.err);
    ck_assert(index_of(&s.a.t, old, &v));
    ck_assert(v.frozen);
    ask_for_all(&s);
    s.o.min_df = 3;
    ck_assert_uint_ne(choose(&s), old);
    ck_ok(index_keep(s.a.t.s, &s.chosen, &s.a.t.err), s.a.t.err);
    check_whole(&s, old, false); /* no model was made of it */
}

TEST(a_dropped_index_leaves_nothing)
{
    SESSION(s);
    const uint32_t usual = choose(&s);
    ask_for_all(&s);
    const uint32_t all = choose(&s);
    put_both_rows(&s, usual);
    put_both_rows(&s, all);
    ck_ok(index_drop(s.a.t.s, usual, &s.a.t.err), s.a.t.err);
    ck_ok(index_drop(s.a.t.s, 77, &s.a.t.err), s.a.t.err); /* is not there */
    check_whole(&s, usual, false);
    check_whole(&s, all, true);
}

TEST(what_does_not_fit_is_not_written)
{
    uint32_t number;

    SESSION(s);
    ask_for_all(&s);
    s.c.memory = 1 << 20;
    ck_fails(choose_any(&s, &number), KEDGE_EBUDGET, s.a.t.err,
             "choosing words");
    s.c.memory = 64 << 20;
    ck_fails(choose_any(&s, &number), KEDGE_EBUDGET, s.a.t.err, "sketching");
    s.c.memory = UINT64_C(2) << 30;
    s.o.min_df = 1000000;
    ck_assert_int_eq(choose_any(&s, &number), KEDGE_ENOTFOUND);
    s.o.min_df = 0;
    s.o.keep_words = "/nowhere/list";
    ck_assert_int_eq(choose_any(&s, &number), KEDGE_EIO);
    ck_assert_uint_eq(count_indexes(&s.a.t), 0);
}

TEST(choosing_without_memory)
{
    SESSION(s);
    uint32_t number;
    store_index v;

    put_counts(&s, 9);
    ask_for_all(&s);
    s.o.min_df = 3;
    (void)choose(&s);
    put_counts(&s, 7);
    GATE_LOOP {
        GATE_TRY(choose_any(&s, &number));
        ck_assert(index_of(&s.a.t, 1, &v));
        ck_assert_uint_eq(count_indexes(&s.a.t),
                          gate_status == KEDGE_OK ? 2 : 1);
    }
    scene_starve(index_keep(s.a.t.s, &s.chosen, &s.a.t.err), s.a.t.err);
    ck_assert_uint_eq(count_indexes(&s.a.t), 1);
    check_list(&s, 2, 3);
}
