/* SPDX-License-Identifier: MIT */
#include "ops/fit/fit.h"

#include "ops/planted.h"

static void put(const planted *p, const char *name, const char *text)
{
    char path[96];
    FILE *f = planted_file(planted_path(p, name, path));

    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
}

/* Options that name the file, which holds the text. */
static kedge_fit_opts opts_of(const planted *p, const char *text,
                              char path[96])
{
    kedge_fit_opts o = planted_opts();

    put(p, "anchors.txt", text);
    o.anchors = KEDGE_ANCHORS_FILE;
    o.anchor_file = planted_path(p, "anchors.txt", path);
    return o;
}

/* Words a, b, .. h and "two words"; rows are the other way round, without h. */
typedef struct list {
    words all;
    uint32_t ids[8];
} list;

static list list_make(void)
{
    list l = {0};
    char name[2] = "a";

    for (uint32_t i = 0; i < 8; i++, name[0]++)
        ck_assert(words_add(&l.all, name, 1));
    ck_assert(words_add(&l.all, "two words", 9));
    l.ids[0] = 8;
    for (uint32_t i = 1; i < 8; i++)
        l.ids[i] = 7 - i;
    return l;
}

/* A fit of such words. */
static fit fit_of(list *l, const kedge_fit_opts *o)
{
    return (fit){.opts = o, .all = l->all, .index.words = 8,
                 .w = {.rows = 8, .ids = l->ids}};
}

static void end(fit *f)
{
    given_free(&f->given);
    mem_free(f->banned);
}

TEST(lines_become_rows)
{
    OWN(planted_end) planted p;
    kedge_error err = {0};
    char path[96];
    fit a;
    list l = list_make();

    planted_begin(&p, 10);
    kedge_fit_opts o = opts_of(&p, "a\n b\tc  d\ntwo words\n", path);
    a = fit_of(&l, &o);
    ck_ok(fit_read_anchors(&a, &err), err);
    ck_assert_uint_eq(a.given.topics, 3);
    ck_assert_uint_eq(a.given.row[0], 7);
    ck_assert_uint_eq(given_words(&a.given, 1), 3);
    ck_assert_uint_eq(a.given.row[2], 5);
    ck_assert_uint_eq(given_words(&a.given, 2), 1);
    ck_assert_uint_eq(a.given.row[4], 0);
    ck_ok(fit_keep_anchors(&a, 3, 1, &err), err);
    ck_fails(fit_keep_anchors(&a, 2, 1, &err), KEDGE_EINVAL, err,
             "for 3 topics, more than the 2");
    o.topic_cooccurrence = KEDGE_TOPIC_COOCCURRENCE_DIAGONAL;
    ck_fails(fit_keep_anchors(&a, 3, 1, &err), KEDGE_EINVAL, err,
             "needs one anchor per topic: use least-squares");
    o.topic_cooccurrence = KEDGE_TOPIC_COOCCURRENCE_LS;
    o.recover = KEDGE_RECOVER_INVERSE;
    ck_fails(fit_keep_anchors(&a, 3, 1, &err), KEDGE_EINVAL, err,
             "--recover inverse needs one anchor");
    end(&a);
    words_free(&l.all);
}

static void refused(const planted *p, const char *text, kedge_status status,
                    const char *says)
{
    list l = list_make();
    kedge_error err = {0};
    char path[96];
    const kedge_fit_opts o = opts_of(p, text, path);
    fit a;

    a = fit_of(&l, &o);
    ck_fails(fit_read_anchors(&a, &err), status, err, says);
    end(&a);
    words_free(&l.all);
}

TEST(what_is_no_anchor_is_refused)
{
    OWN(planted_end) planted p;

    planted_begin(&p, 10);
    refused(&p, "", KEDGE_EFORMAT, "the file is empty");
    refused(&p, "a\nb zebra\n", KEDGE_EINVAL,
            "anchors.txt:2: \"zebra\" is not in the vocabulary");
    refused(&p, "a\nh\n", KEDGE_EINVAL, "\"h\" is not in the vocabulary");
    refused(&p, "a\nb a\n", KEDGE_EINVAL, ":2: \"a\" is an anchor already");
    refused(&p, "a\n \t\n", KEDGE_EFORMAT, ":2: the line has no word");
    refused(&p, "a\n\nb\n", KEDGE_EFORMAT, ":2: ");
}

TEST(banned_words_are_marked)
{
    OWN(planted_end) planted p;
    kedge_error err = {0};
    char path[96], ban[96];
    fit a;
    list l = list_make();

    planted_begin(&p, 10);
    kedge_fit_opts o = opts_of(&p, "a\nb\n", path);
    put(&p, "ban.txt", "c\nnowhere\nh\ntwo words\n");
    o.anchor_ban = planted_path(&p, "ban.txt", ban);
    a = fit_of(&l, &o);
    ck_ok(fit_read_anchors(&a, &err), err);
    for (size_t r = 0; r < 8; r++)
        ck_assert(a.banned[r] == (r == 0 || r == 5));
    end(&a);
    put(&p, "ban.txt", "b\n");
    a = fit_of(&l, &o);
    ck_fails(fit_read_anchors(&a, &err), KEDGE_EINVAL, err,
             "\"b\" is an anchor here, but --anchor-ban");
    end(&a);
    o.anchor_ban = "nowhere/at/all";
    a = fit_of(&l, &o);
    ck_assert_int_ne(fit_read_anchors(&a, &err), KEDGE_OK);
    ck_assert_ptr_nonnull(strstr(err.text, "nowhere/at/all"));
    words_free(&l.all);
}

static kedge_status fit_it(planted *p, uint64_t k, const kedge_fit_opts *o,
                        kedge_fit_result *r)
{
    return kedge_fit(p->t.s, &k, 1, o, &p->c, r, &p->t.err);
}

static bool has_anchor(const kedge_model *m, const char *word)
{
    for (uint64_t t = 0; t < kedge_model_topics(m); t++)
        if (strcmp(kedge_model_word(m, kedge_model_anchors(m)[t]), word) == 0)
            return true;
    return false;
}

/* w000, w037, w074, w111 are the anchors that were planted. */
TEST(a_fit_keeps_to_them)
{
    PLANTED_STORE(p);
    kedge_fit_result r;
    kedge_model *m;
    char path[96], ban[96];

    kedge_fit_opts o = opts_of(&p, "w037\nw111 w000\n", path);
    m = planted_fit(&p, 4, &o, &r);
    ck_assert_uint_eq(r.anchors_given, 2);
    ck_assert(has_anchor(m, "w037") && has_anchor(m, "w111"));
    kedge_model_free(m);
    put(&p, "ban.txt", "w000\nw037\nw074\nw111\n");
    o = (kedge_fit_opts){0};
    kedge_fit_opts_init(&o);
    o.anchor_ban = planted_path(&p, "ban.txt", ban);
    m = planted_fit(&p, 4, &o, &r);
    ck_assert(!has_anchor(m, "w000") && !has_anchor(m, "w037") &&
              !has_anchor(m, "w074") && !has_anchor(m, "w111"));
    kedge_model_free(m);
}

TEST(anchors_of_a_model_are_kept)
{
    PLANTED_STORE(p);
    kedge_fit_opts o = planted_opts();
    kedge_fit_result r;
    kedge_model *m, *again;
    char ban[96];

    o.anchors = KEDGE_ANCHORS_MODEL;
    ck_assert_int_eq(fit_it(&p, 4, &o, &r), KEDGE_ENOTFOUND);
    ck_assert_ptr_nonnull(strstr(p.t.err.text, "name another with --align"));
    m = planted_fit(&p, 4, NULL, &r);
    o.rectify = KEDGE_RECTIFY_NONE;
    o.term_weight = KEDGE_TERM_WEIGHT_SQRT;
    again = planted_fit(&p, 4, &o, &r);
    ck_assert_uint_eq(r.anchors_given, 4);
    for (size_t t = 0; t < 4; t++)
        ck_assert_uint_eq(kedge_model_anchors(m)[t],
                          kedge_model_anchors(again)[t]);
    kedge_model_free(again);
    o.align = "k4";
    ck_assert_int_eq(fit_it(&p, 3, &o, &r), KEDGE_EINVAL);
    ck_assert_ptr_nonnull(strstr(p.t.err.text, "4 anchors to keep"));
    put(&p, "ban.txt", kedge_model_word(m, kedge_model_anchors(m)[2]));
    o.anchor_ban = planted_path(&p, "ban.txt", ban);
    again = planted_fit(&p, 5, &o, &r);
    ck_assert_uint_eq(r.anchors_given, 3);
    ck_assert(has_anchor(again, kedge_model_word(m,
                                                 kedge_model_anchors(m)[0])));
    ck_assert(!has_anchor(again,
                          kedge_model_word(m, kedge_model_anchors(m)[2])));
    kedge_model_free(again);
    kedge_model_free(m);
}

TEST(a_model_of_several_anchors_is_not_kept_to)
{
    PLANTED_STORE(p);
    kedge_fit_result r;
    char path[96];

    kedge_fit_opts o = opts_of(&p, "w037 w001\n", path);
    ck_assert_int_eq(fit_it(&p, 4, &o, &r), KEDGE_OK);
    kedge_fit_opts_init(&o);
    o.anchors = KEDGE_ANCHORS_MODEL;
    ck_assert_int_eq(fit_it(&p, 4, &o, &r), KEDGE_EINVAL);
    ck_assert_ptr_nonnull(strstr(p.t.err.text,
                                 "give the file of anchors again"));
}
