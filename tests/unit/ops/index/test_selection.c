/* SPDX-License-Identifier: MIT */
#include "ops/index/index.h"

#include <math.h>

#include "base/chance.h"
#include "base/gate.h"
#include "store/scene.h"

#define WORDS 60
#define DOCUMENTS 50

/* Words with counts by chance; word 0 to 2 are English stop words. */
typedef struct session {
    scene t; /* a directory for files, no store */
    words w;
    uint64_t tf[WORDS], df[WORDS];
    selection_input in;
    kedge_fit_opts o;
    store_list list;
    char rule[160];
    uint64_t lists;
    char keep[96], drop[96], stop[96];
    bool kept[WORDS], dropped[WORDS], stopped[WORDS]; /* by these files */
} session;

/* Some words by chance, and one that is not there; marks them. */
static void write_list(const char *path, session *s, chance *c, bool *marks)
{
    FILE *f = fopen(path, "w");

    ck_assert_ptr_nonnull(f);
    fputs("unheardof\n", f);
    for (size_t i = WORDS; i-- > 0;) {
        marks[i] = chance_below(c, 3) == 0;
        if (marks[i])
            fprintf(f, "%s\n", words_get(&s->w, i));
    }
    ck_assert_int_eq(fclose(f), 0);
}

static void session_begin(session *s, uint64_t seed)
{
    static const char *const stop[] = {"the", "of", "and"};
    chance c = {.key = seed};
    char word[16];

    *s = (session){0};
    scene_paths(&s->t);
    for (size_t i = 0; i < WORDS; i++) {
        snprintf(word, sizeof word, "w%zu", i * 7 % 100);
        ck_assert(words_add(&s->w, i < 3 ? stop[i] : word,
                            strlen(i < 3 ? stop[i] : word)));
        s->df[i] = chance_below(&c, DOCUMENTS + 1) / (1 + i % 3);
        s->tf[i] = s->df[i] * (1 + chance_below(&c, 3));
    }
    s->in = (selection_input){&s->w, s->tf, s->df, DOCUMENTS, NULL};
    snprintf(s->keep, sizeof s->keep, "%s/keep", s->t.root);
    snprintf(s->drop, sizeof s->drop, "%s/drop", s->t.root);
    snprintf(s->stop, sizeof s->stop, "%s/stop", s->t.root);
    write_list(s->keep, s, &c, s->kept);
    write_list(s->drop, s, &c, s->dropped);
    write_list(s->stop, s, &c, s->stopped);
    kedge_fit_opts_init(&s->o);
}

static void session_end(session *s)
{
    store_list_free(&s->list);
    words_free(&s->w);
    scene_remove(s->t.root);
}

/* One until the end of the scope. */
#define SESSION(s, ...)         \
    session s OWN(session_end); \
    session_begin(&s, __VA_ARGS__)

static kedge_status session_list(session *s)
{
    return selection_list(&s->in, &s->o, &s->list, s->rule, &s->lists,
                       &s->t.err);
}

/* ---- the twin: a word at a time ------------------------------------------ */

static bool passes(const session *s, size_t i)
{
    const kedge_fit_opts *o = &s->o;
    const bool english =
        o->stopwords != NULL && strcmp(o->stopwords, "english") == 0;

    if (s->df[i] == 0 || s->df[i] < o->min_df)
        return false;
    if (o->max_df > 0 && o->max_df <= 1 &&
        (double)s->df[i] > o->max_df * DOCUMENTS)
        return false;
    if (o->max_df > 1 && (double)s->df[i] > o->max_df)
        return false;
    if ((english && i < 3) || (o->stopwords == s->stop && s->stopped[i]))
        return false;
    return (o->keep_words == NULL || s->kept[i]) &&
           (o->drop_words == NULL || !s->dropped[i]);
}

static double tells(const session *s, size_t i)
{
    return (double)s->tf[i] * log((double)DOCUMENTS / (double)s->df[i]);
}

/* How many that pass tell more than word i, or as much and come before it. */
static size_t place(const session *s, size_t i)
{
    size_t n = 0;

    for (size_t j = 0; j < WORDS; j++)
        n += j != i && passes(s, j) &&
             (tells(s, j) > tells(s, i) ||
              (tells(s, j) == tells(s, i) &&
               strcmp(words_get(&s->w, j), words_get(&s->w, i)) < 0));
    return n;
}

static void check_list(session *s)
{
    size_t n = 0;
    bool any = false;

    for (size_t i = 0; i < WORDS; i++)
        any |= passes(s, i);
    if (!any) {
        ck_fails(session_list(s), KEDGE_ENOTFOUND, s->t.err,
                 "leaves no word of the documents");
        ck_assert_uint_eq(s->list.count, 0);
        return;
    }
    ck_ok(session_list(s), s->t.err);
    for (uint32_t i = 0; i < WORDS; i++) {
        if (!passes(s, i) || (s->o.vocab_size > 0 &&
                              place(s, i) >= s->o.vocab_size))
            continue;
        ck_assert_uint_lt(n, s->list.count);
        ck_assert_uint_eq(s->list.ids[n++], i);
    }
    ck_assert_uint_eq(n, s->list.count);
}

/* ---- cases --------------------------------------------------------------- */

TEST(rules_together)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        chance c = {.key = ~seed};
        SESSION(s, seed);
        s.o.min_df = chance_below(&c, 20);
        s.o.max_df = seed % 3 == 0   ? 0
                     : seed % 3 == 1 ? chance_unit(&c)
                                     : 2 + (double)chance_below(&c, 40);
        s.o.vocab_size = chance_below(&c, 2) * chance_below(&c, WORDS);
        s.o.stopwords = seed % 2 == 0 ? "english" : seed % 5 == 0 ? s.stop
                                                                  : NULL;
        s.o.keep_words = chance_below(&c, 3) == 0 ? s.keep : NULL;
        s.o.drop_words = chance_below(&c, 3) == 0 ? s.drop : NULL;
        check_list(&s);
    }
}

static uint32_t file_digest(const session *s, const bool *marks)
{
    uint64_t digest = hash_bytes(0, "unheardof", 9);

    for (size_t i = WORDS; i-- > 0;)
        if (marks[i])
            digest = hash_bytes(digest, words_get(&s->w, i),
                                words_size(&s->w, i));
    return (uint32_t)digest;
}

TEST(the_rule_is_told_in_words)
{
    session s;
    char text[300];

    session_begin(&s, 4);
    memset(s.df, 0, sizeof s.df);
    s.df[5] = 9;
    s.tf[5] = 12;
    s.o.min_df = 4;
    s.o.max_df = 0.25;
    ck_ok(session_list(&s), s.t.err);
    ck_assert_str_eq(s.rule, "in 4 documents or more, in 25% of documents at "
                             "most");
    s.o.min_df = 1; /* which says nothing */
    s.o.max_df = 30;
    s.o.vocab_size = 7;
    ck_ok(session_list(&s), s.t.err);
    ck_assert_str_eq(s.rule, "in 30 documents at most, the 7 first by tf-idf");
    session_end(&s);
    session_begin(&s, 4);
    s.o = (kedge_fit_opts){.stopwords = s.stop, .keep_words = s.keep,
                           .drop_words = s.drop};
    snprintf(text, sizeof text,
             "no stop words (%08x), of a list (%08x), not of a list (%08x)",
             file_digest(&s, s.stopped), file_digest(&s, s.kept),
             file_digest(&s, s.dropped));
    ck_ok(session_list(&s), s.t.err);
    ck_assert_str_eq(s.rule, text);
    s.o.min_df = s.o.vocab_size = 1;
    s.o.max_df = 0.123456789;
    s.o.stopwords = "english"; /* more than there is room for is cut */
    s.df[9] = 5;
    memset(s.rule, 'x', sizeof s.rule);
    (void)session_list(&s);
    ck_assert_uint_lt(strlen(s.rule), sizeof s.rule);
    session_end(&s);
}

TEST(equal_words_go_by_their_bytes)
{
    SESSION(s, 1);
    for (size_t i = 0; i < WORDS; i++)
        s.tf[i] = s.df[i] = 10;
    for (s.o.vocab_size = 1; s.o.vocab_size <= WORDS + 1;
         s.o.vocab_size += 3)
        check_list(&s);
}

TEST(files_that_cannot_be_read_are_told)
{
    FILE *f;

    SESSION(s, 1);
    s.o.keep_words = "/nowhere/list";
    ck_fails(session_list(&s), KEDGE_EIO, s.t.err, "/nowhere/list");
    s.o.keep_words = NULL;
    s.o.drop_words = "/nowhere/list";
    ck_fails(session_list(&s), KEDGE_EIO, s.t.err, "/nowhere/list");
    s.o.drop_words = NULL;
    s.o.stopwords = "klingon"; /* no language that is known: a file */
    ck_fails(session_list(&s), KEDGE_EINVAL, s.t.err, "klingon");
    f = fopen(s.drop, "w");
    fputs("twice\ntwice\n", f);
    fclose(f);
    s.o.stopwords = NULL;
    s.o.drop_words = s.drop;
    ck_fails(session_list(&s), KEDGE_EFORMAT, s.t.err, ":2: ");
}

TEST(nothing_left_is_an_error)
{
    SESSION(s, 1);
    s.o.min_df = DOCUMENTS + 1;
    ck_fails(session_list(&s), KEDGE_ENOTFOUND, s.t.err,
             "the rule leaves no word of the documents: words in 51 "
             "documents or more; --min-df 1 takes all");
    s.o.max_df = 0.5;
    s.o.stopwords = "english";
    ck_fails(session_list(&s), KEDGE_ENOTFOUND, s.t.err,
             "; --min-df 1 --max-df 1 --stopwords none takes all");
    s.w.count = 0; /* a store without words */
    ck_fails(session_list(&s), KEDGE_ENOTFOUND, s.t.err,
             "leaves no word of the documents");
    s.w.count = WORDS;
}

/* Each of the three that is said stays, whatever the others are; a list to keep
 * is all there is. */
TEST(what_is_not_said_is_usual)
{
    for (unsigned said = 0; said < 64; said++) {
        const store_totals t = {.documents = said & 32 ? 999 : 1000};
        const uint64_t few = said & 32 ? 2 : 5;
        kedge_fit_opts o;
        kedge_fit_opts_init(&o);
        ck_assert(!index_asks_for_words(&o));
        o.min_df = said & 1 ? 1 : 0;
        o.max_df = said & 2 ? 1 : 0;
        o.stopwords = said & 4 ? "none" : NULL;
        o.keep_words = said & 8 ? "file" : NULL;
        o.drop_words = said & 16 ? "other" : NULL;
        ck_assert_int_eq(index_asks_for_words(&o), said % 32 > 0);
        o.vocab_size = 77;
        selection_usual(&t, &o);
        const bool usual = o.keep_words == NULL;
        ck_assert_uint_eq(o.min_df, said & 1 ? 1 : usual ? few : 0);
        ck_assert_double_eq(o.max_df, said & 2 ? 1 : usual ? 0.5 : 0);
        if (usual || said & 4)
            ck_assert_str_eq(o.stopwords, said & 4 ? "none" : "english");
        else
            ck_assert_ptr_null(o.stopwords);
        ck_assert_uint_eq(o.vocab_size, 77);
        ck_assert_uint_eq(o.drop_words != NULL, (said & 16) != 0);
    }
}

TEST(selecting_without_memory)
{
    SESSION(s, 2);
    s.o = (kedge_fit_opts){.min_df = 1, .stopwords = s.stop,
                           .keep_words = s.keep, .drop_words = s.drop,
                           .vocab_size = 5};
    s.df[9] = 3;
    store_list_free(&s.list);
    scene_starve(session_list(&s), s.t.err);
    ck_assert_uint_gt(s.list.count, 0);
}

TEST(rules_of_lists_alone_are_fixed)
{
    static const char *const fixed[] = {
        "all", "no stop words (english)", "of a list (0badcafe)",
        "no stop words (01234567), of a list (0badcafe), not of a list (1)"};
    static const char *const others[] = {
        "", "in 5 documents or more", "in 50% of documents at most",
        "the 500 first by tf-idf",
        "of a list (0badcafe), in 2 documents or more",
        "all, phrases of 2 words (in 10 documents, score 0.5)",
        "at will"};

    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        ck_assert_msg(index_rule_is_fixed(fixed[i]), "%s", fixed[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_msg(!index_rule_is_fixed(others[i]), "%s", others[i]);
}
