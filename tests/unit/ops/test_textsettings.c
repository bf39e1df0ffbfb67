/* SPDX-License-Identifier: MIT */
#include "ops/textsettings.h"

#include "base/chance.h"
#include "base/gate.h"
#include "ops/planted.h"
#include "store/scene.h"

typedef struct session {
    scene t;
    kedge_control c;
    kedge_ingest_opts o;
    char list[96], other[96]; /* files of stop words */
    char said[512];           /* by the log */
} session;

static void note(void *data, const char *line)
{
    session *const s = data;

    snprintf(s->said, sizeof s->said, "%s", line);
}

static void session_begin(session *s)
{
    *s = (session){0};
    scene_make(&s->t);
    kedge_control_init(&s->c);
    s->c.log = note;
    s->c.data = s;
    kedge_ingest_opts_init(&s->o);
    snprintf(s->list, sizeof s->list, "%s/list", s->t.root);
    snprintf(s->other, sizeof s->other, "%s/other", s->t.root);
    planted_text(s->list, "The\nof\nAnd\nthe's\n--\n");
    planted_text(s->other, "and\nof\nthe\n");
}

static void session_end(session *s)
{
    scene_end(&s->t);
}

/* One until the end of the scope. */
#define SESSION(s)              \
    session s OWN(session_end); \
    session_begin(&s)

static kedge_status choose(session *s, text_settings *c)
{
    *c = (text_settings){0};
    return text_settings_choose(c, s->t.s, &s->o, &s->c, &s->t.err);
}

/* Texts that were cut by the options come into the store. */
static void settle(session *s)
{
    text_settings c;

    ck_ok(choose(s, &c), s->t.err);
    scene_write(&s->t);
    ck_ok(text_settings_put(&c, s->t.txn, &s->t.err), s->t.err);
    scene_commit(&s->t);
    text_settings_free(&c);
    kedge_ingest_opts_init(&s->o);
}

TEST(stop_words_are_folded_sorted_and_once)
{
    text_settings c;

    SESSION(s);
    s.o.stopwords = s.list;
    ck_ok(choose(&s, &c), s.t.err);
    ck_assert_uint_eq(c.stop.count, 3);
    ck_assert_uint_eq(c.settings.stop_count, 3);
    ck_assert_str_eq(words_get(&c.stop, 0), "and");
    ck_assert_str_eq(words_get(&c.stop, 1), "of");
    ck_assert_str_eq(words_get(&c.stop, 2), "the");
    text_settings_free(&c);
    s.o.stopwords = "english";
    ck_ok(choose(&s, &c), s.t.err);
    ck_assert_uint_gt(c.stop.count, 50);
    for (size_t i = 1; i < c.stop.count; i++)
        ck_assert_int_lt(strcmp(words_get(&c.stop, i - 1),
                                words_get(&c.stop, i)), 0);
    text_settings_free(&c);
    s.o.stopwords = "/nowhere/list";
    ck_fails(choose(&s, &c), KEDGE_EINVAL, s.t.err, "/nowhere/list");
    text_settings_free(&c);
}

/* Everything that can be asked for, by the bits of a number. */
static void ask(session *s, unsigned bits)
{
    kedge_ingest_opts_init(&s->o);
    s->o.digits = bits & 1 ? KEDGE_DIGITS_YES : KEDGE_DIGITS_SETTLED;
    s->o.min_chars = bits & 2 ? 3 : 0;
    s->o.max_chars = bits & 4 ? 20 : 0;
    s->o.stemmer = bits & 8 ? "english" : NULL;
    s->o.stopwords = bits & 16 ? s->list : NULL;
}

TEST(the_first_texts_settle_it)
{
    for (unsigned first = 0; first < 32; first++) {
        SESSION(s);
        ask(&s, first);
        settle(&s);
        scene_reopen(&s.t, KEDGE_OPEN_WRITE);
        for (unsigned then = 0; then < 32; then++) {
            text_settings c;
            s.said[0] = '\0';
            ask(&s, then); /* what is not asked for, any store has */
            const kedge_status st = choose(&s, &c);
            ck_assert_int_eq(st == KEDGE_OK, (then & ~first) == 0);
            if (st == KEDGE_OK) {
                tokenizer_opts got;
                text_settings_tokens(&c, &got);
                ck_assert(got.digits == ((first & 1) != 0));
                ck_assert_uint_eq(got.shortest, first & 2 ? 3 : 2);
                ck_assert_uint_eq(got.longest, first & 4 ? 20 : 64);
                ck_assert(got.stemmer == NULL ? !(first & 8)
                          : strcmp(got.stemmer, "english") == 0);
                ck_assert_uint_eq(c.stop.count, first & 16 ? 3 : 0);
                ck_assert((s.said[0] != '\0') == (first != 0));
            } else {
                ck_assert_int_eq(st, KEDGE_EINVAL);
            }
            text_settings_free(&c);
        }
    }
}

/* What is asked for of a store that has texts, and what is said of it. */
TEST(what_differs_is_told)
{
    SESSION(s);
    const struct {
        kedge_ingest_opts o;
        const char *said; /* NULL: it is the same */
    } cases[] = {
        {{.digits = KEDGE_DIGITS_NO}, "change to no --digits;"},
        {{.min_chars = 2}, "change to --min-chars 2;"},
        {{.max_chars = 64}, "change to --max-chars 64;"},
        {{.stemmer = "none"}, "change to --stem none;"},
        {{.stemmer = "german", .min_chars = 4},
         "were split with --min-chars 3, --stem english, which cannot "
         "change to --min-chars 4, --stem german; leave"},
        {{.stopwords = "none"},
         "list (3 words), which cannot change to --stopwords none (0 words)"},
        {{.stopwords = s.other}, NULL}, /* the same words */
        {{.stemmer = "english"}, NULL},
    };
    text_settings c;

    s.o = (kedge_ingest_opts){.digits = KEDGE_DIGITS_YES, .min_chars = 3,
                              .max_chars = 20, .stemmer = "english",
                              .stopwords = s.list};
    settle(&s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        s.o = cases[i].o;
        if (cases[i].said != NULL)
            ck_fails(choose(&s, &c), KEDGE_EINVAL, s.t.err, cases[i].said);
        else
            ck_ok(choose(&s, &c), s.t.err);
        text_settings_free(&c);
    }
    ck_assert_ptr_nonnull(strstr(s.said, "texts are split as before: "
                                         "--digits, --min-chars 3"));
}

TEST(lengths_of_words_have_bounds)
{
    static const uint64_t longest[] = {1, 256};
    SESSION(s);
    text_settings c;

    for (size_t i = 0; i < 2; i++) {
        s.o.max_chars = longest[i];
        ck_fails(choose(&s, &c), KEDGE_EINVAL, s.t.err,
                 i == 0 ? "words of 2 to 1 characters: expected 1 to 255"
                        : "2 to 256");
        text_settings_free(&c);
    }
}

/* As it is without any text: what was asked for once is forgotten. */
TEST(what_no_text_was_cut_by_settles_nothing)
{
    text_settings c;

    SESSION(s);
    scene_write(&s.t);
    ck_ok(store_put_settings(
              s.t.txn, &(store_settings){.no_first_index = true, .shortest = 9},
              NULL, &s.t.err),
          s.t.err);
    scene_commit(&s.t);
    s.o.stemmer = "german";
    ck_ok(choose(&s, &c), s.t.err);
    ck_assert_uint_eq(c.settings.shortest, 2);
    ck_assert_str_eq(c.settings.stemmer, "german");
    ck_assert(c.settings.no_first_index); /* which is another matter */
    text_settings_free(&c);
}

static text_settings of(bool texts, uint64_t shortest, const char *stop)
{
    text_settings c = {.settings = {.texts = texts, .shortest = shortest}};

    if (stop != NULL)
        ck_assert(words_add(&c.stop, stop, strlen(stop)));
    return c;
}

TEST(stores_join_where_they_are_alike)
{
    kedge_error err;
    text_settings none = of(false, 7, NULL), a = of(true, 3, "the"),
            same = of(true, 3, "the"), b = of(true, 4, "of"),
            into = of(false, 0, NULL);

    into.settings.no_first_index = true;
    ck_ok(text_settings_join(&into, "into", &none, "none", &err), err);
    ck_assert(!into.settings.texts);
    ck_ok(text_settings_join(&into, "into", &a, "a", &err), err);
    ck_assert(into.settings.texts && into.settings.no_first_index);
    ck_assert_uint_eq(into.settings.shortest, 3);
    ck_assert_uint_eq(into.stop.count, 1);
    ck_ok(text_settings_join(&into, "a", &none, "none", &err), err);
    ck_ok(text_settings_join(&into, "a", &same, "same", &err), err);
    ck_fails(text_settings_join(&into, "a", &b, "b", &err), KEDGE_EINVAL, err,
             "the texts of a were split with --min-chars 3, --stopwords none "
             "(1 word), those of b with --min-chars 4, ");
    ck_assert_str_eq(words_get(&into.stop, 0), "the");
    text_settings_free(&a);
    text_settings_free(&same);
    text_settings_free(&b);
    text_settings_free(&into);
}

TEST(cutting_without_memory)
{
    text_settings c = {0};

    SESSION(s);
    s.o.stopwords = s.list;
    settle(&s);
    s.o.stopwords = s.other;
    scene_starve((text_settings_free(&c), choose(&s, &c)), s.t.err);
    ck_assert_uint_eq(c.stop.count, 3);
    text_settings into = {0};
    scene_starve((text_settings_free(&into), into = (text_settings){0},
                  text_settings_join(&into, "a", &c, "b", &s.t.err)), s.t.err);
    ck_assert_uint_eq(into.stop.count, 3);
    text_settings_free(&into);
    text_settings_free(&c);
}

/* The first texts settle it, bags of words do not. */
TEST(texts_are_cut_one_way)
{
    kedge_store_info info;

    PLANTED(p, 8);
    planted_text(p.source, "{\"text\": {\"ships\": 3, \"a\": 1}}\n");
    p.o.vocabulary = NULL;
    p.o.format = KEDGE_FORMAT_JSONL;
    p.o.stemmer = "german";
    planted_fill(&p);
    info = planted_info(&p);
    ck_assert_uint_eq(info.documents, 1);
    ck_assert(!info.tokenizer.texts);
    ck_assert_uint_eq(info.tokenizer.min_chars, 0);
    p.o.stemmer = "english";
    p.o.min_chars = 3;
    planted_text(p.source, "{\"text\": \"Two ships of it\"}\n");
    planted_fill(&p);
    info = planted_info(&p);
    ck_assert_uint_eq(info.words, 4); /* ships, a, two, ship */
    ck_assert(info.tokenizer.texts && !info.tokenizer.digits);
    ck_assert_str_eq(info.tokenizer.stemmer, "english");
    ck_assert_uint_eq(info.tokenizer.min_chars, 3);
    p.o.stemmer = NULL;
    p.o.min_chars = 0;
    planted_text(p.source, "{\"text\": \"Shipped, shipping by two\"}\n");
    planted_fill(&p); /* as those before, so there is no other word */
    ck_assert_uint_eq(planted_info(&p).documents, 3);
    ck_assert_uint_eq(planted_info(&p).words, 4);
    p.o.stemmer = "german";
    ck_fails(planted_ingest(&p, p.source), KEDGE_EINVAL, p.t.err,
             "were split with --stem english, which cannot change to --stem "
             "german");
}
