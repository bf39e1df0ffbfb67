/* SPDX-License-Identifier: MIT */
#include <kedge/saved.h>

#include "ops/keeper.h"

static double bound(const keeper_document *d, size_t topic)
{
    const double p = d->shares[topic], n = (double)d->tokens;

    return (p + 2 / n - 2 * sqrt(p * (1 - p) / n + 1 / (n * n))) / (1 + 4 / n);
}

/* Whether document a of the table comes before b. */
static bool is_before(const keeper *k, size_t topic, size_t a, size_t b)
{
    const double x = bound(&k->d[a], topic), y = bound(&k->d[b], topic);

    if (x != y)
        return x > y;
    return k->d[a].tokens != k->d[b].tokens
               ? k->d[a].tokens > k->d[b].tokens
               : a < b;
}

/* The places in the table of those that are there, the best first. */
static size_t rank(const keeper *k, size_t topic, size_t *place)
{
    size_t count = 0;

    for (size_t i = 0; i < k->count; i++) {
        size_t at = count;
        if (k->d[i].shares[topic] < 0.005 || k->d[i].tokens == 0 ||
            keeper_is_gone(k, k->d[i].id))
            continue;
        for (; at > 0 && is_before(k, topic, i, place[at - 1]); at--)
            place[at] = place[at - 1];
        place[at] = i;
        count++;
    }
    return count;
}

/* Which of the corpus has this id. */
static size_t document_of(const keeper *k, const char *id)
{
    char own[16];

    for (size_t m = 0; m < k->l.p.d.count; m++)
        if (strcmp(lively_id(m, own), id) == 0)
            return m;
    ck_abort_msg("%s", id);
    return 0;
}

/* Of the first `most` + 20, those of fewer than five words come last. */
static void put_few_last(const keeper *k, size_t *place, size_t count,
                         uint64_t most)
{
    static size_t last[KEEPER_MOST];
    size_t few = 0, kept = 0;

    count = count < most + 20 ? count : most + 20;
    for (size_t i = 0; i < count; i++) {
        const size_t m = document_of(k, k->d[place[i]].id);
        const docs *const d = &k->l.p.d;
        if (d->start[m + 1] - d->start[m] < 5)
            last[few++] = place[i];
        else
            place[kept++] = place[i];
    }
    memcpy(place + kept, last, few * sizeof *last);
}

static void check(keeper *k, uint64_t most)
{
    static size_t place[KEEPER_MOST];
    kedge_typical *t;

    ck_ok(kedge_typical_find(k->l.p.t.s, KEEPER_MODEL, most, &k->l.p.c, &t,
                             &k->l.p.t.err), k->l.p.t.err);
    for (size_t topic = 0; topic < KEEPER_TOPICS; topic++) {
        const size_t there = rank(k, topic, place);
        const size_t count = there < most ? there : most;
        put_few_last(k, place, there, most);
        ck_assert_uint_eq(kedge_typical_count(t, topic), count);
        for (size_t i = 0; i < count; i++) {
            const keeper_document *const d = &k->d[place[i]];
            const kedge_typical_document *const got =
                kedge_typical_get(t, topic, i);
            ck_assert_str_eq(got->id, d->id);
            ck_assert_uint_eq(got->id_size, strlen(d->id));
            ck_assert_uint_eq(got->tokens, d->tokens);
            ck_assert_double_eq(got->proportion, d->shares[topic]);
            ck_assert_double_eq_tol(got->at_least, bound(d, topic), 1e-12);
        }
        ck_assert_ptr_null(kedge_typical_get(t, topic, count));
    }
    ck_assert_uint_eq(kedge_typical_count(t, KEEPER_TOPICS), 0);
    ck_assert_str_eq(kedge_typical_about(t)->model, KEEPER_MODEL);
    kedge_typical_free(t);
}

TEST(the_most_typical_are_found)
{
    OWN(keeper_free) keeper *k = keeper_new(200, LIVELY_SHARDS);
    const uint64_t most[] = {1, 5, 37, KEDGE_TYPICAL_MOST};

    for (int method = 0; method < 2; method++) {
        k->o.method = (kedge_infer_method)method;
        keeper_keep(k);
        for (size_t i = 0; i < 4; i++)
            check(k, most[i]);
    }
}

TEST(those_that_left_are_not_shown)
{
    OWN(keeper_free) keeper *k = keeper_kept(200, LIVELY_SHARDS);
    kedge_compact_result r;

    for (uint64_t i = 0; i < 3; i++) {
        lively_remove(&k->l, 90 + i, 3, false);
        check(k, 8);
        check(k, 300);
    }
    ck_ok(lively_compact(&k->l, &r), k->l.p.t.err);
    check(k, 8);
    lively_remove(&k->l, 1, 1, false);
    check(k, 8);
}

/* The first words of a text, as the document says them. */
static void check_text(const keeper *k, const kedge_typical_document *d)
{
    const char *const text =
        lively_text(&k->l.p.d, document_of(k, d->id), " ");
    size_t count = 1;

    ck_assert_uint_eq(d->text_size, strlen(d->text));
    ck_assert_uint_gt(d->text_size, 0);
    ck_assert_int_eq(strncmp(d->text, text, d->text_size), 0);
    ck_assert(text[d->text_size] == ' ' || text[d->text_size] == '\0');
    for (size_t i = 0; i < d->text_size; i++)
        count += d->text[i] == ' ';
    ck_assert(count == 12 || text[d->text_size] == '\0');
}

TEST(labels_and_first_words_are_told)
{
    static keeper k;
    kedge_typical *t;
    char label[8];

    for (int texts = 0; texts < 2; texts++) {
        keeper_begin(&k, 200, LIVELY_SHARDS, texts);
        keeper_keep(&k);
        ck_ok(kedge_typical_find(k.l.p.t.s, NULL, 5, &k.l.p.c, &t,
                                 &k.l.p.t.err), k.l.p.t.err);
        for (uint64_t i = 0; i < 5; i++) {
            const kedge_typical_document *const d = kedge_typical_get(t, 1, i);
            ck_assert_ptr_nonnull(d);
            snprintf(label, sizeof label, "l%zu", document_of(&k, d->id) % 3);
            ck_assert_str_eq(d->label, texts ? "" : label);
            if (texts)
                check_text(&k, d);
            else
                ck_assert_str_eq(d->text, "");
        }
        kedge_typical_free(t);
        keeper_end(&k);
    }
}

TEST(failures_are_told)
{
    OWN(keeper_free) keeper *k = keeper_new(100, 3);
    kedge_typical *t;
    scene *const s = &k->l.p.t;

    ck_fails(kedge_typical_find(s->s, NULL, 5, &k->l.p.c, &t, &s->err),
             KEDGE_ENOTFOUND, s->err, "infer STORE --save");
    ck_assert_ptr_null(t);
    keeper_keep(k);
    ck_fails(kedge_typical_find(s->s, NULL, 0, &k->l.p.c, &t, &s->err),
             KEDGE_EINVAL, s->err, "1 to 1000");
    ck_fails(kedge_typical_find(s->s, NULL, 1001, &k->l.p.c, &t, &s->err),
             KEDGE_EINVAL, s->err, "1 to 1000");
    k->l.p.c.stop = planted_stop;
    ck_fails(kedge_typical_find(s->s, NULL, 5, &k->l.p.c, &t, &s->err),
             KEDGE_ECANCELED, s->err, "");
    k->l.p.c.stop = NULL;
    k->l.p.c.memory = 1 << 20;
    ck_fails(kedge_typical_find(s->s, NULL, 5, &k->l.p.c, &t, &s->err),
             KEDGE_EBUDGET, s->err, "finding typical documents takes");
    kedge_control_init(&k->l.p.c);
    gate_starve(kedge_typical_find(s->s, NULL, 5, &k->l.p.c, &t, &s->err));
    kedge_typical_free(t);
}
