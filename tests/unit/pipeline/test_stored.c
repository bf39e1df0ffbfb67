/* SPDX-License-Identifier: MIT */
#include "pipeline/lively.h"

#include "pipeline/stored.h"

#define N 120

/* Two stores, the second with other ids of words, and some who left. */
typedef struct pair {
    lively a, b;
    stored *s;
    words text;
    wordmap lexicon;
} pair;

static void pair_begin(pair *p)
{
    const char *paths[2];
    kedge_error err = {0};

    *p = (pair){0};
    lively_begin(&p->a, N);
    lively_begin(&p->b, N);
    for (size_t i = 0; i < 3; i++)
        lively_ingest(&p->a, i, false);
    planted_write_words(p->b.p.vocabulary, PLANTED_WORDS, true);
    for (size_t i = LIVELY_SHARDS; i-- > 3;)
        lively_ingest(&p->b, i, false);
    for (size_t m = 0; m < lively_shard(&p->b, 3); m++)
        p->b.gone[m] = true;
    lively_remove(&p->b, 3, 5, false);
    paths[0] = p->a.p.t.path;
    paths[1] = p->b.p.t.path;
    scene_close(&p->a.p.t);
    scene_close(&p->b.p.t);
    ck_ok(stored_open(paths, 2, &p->s, &err), err);
    ck_assert(wordmap_open(&p->lexicon, &p->text));
}

static void pair_end(pair *p)
{
    stored_close(p->s);
    wordmap_close(&p->lexicon);
    words_free(&p->text);
    scene_open(&p->a.p.t, KEDGE_OPEN_READ);
    scene_open(&p->b.p.t, KEDGE_OPEN_READ);
    lively_end(&p->a);
    lively_end(&p->b);
}

/* Number m of the corpus is document d of the batch. */
static void check_document(const pair *p, const docs *batch, size_t d, size_t m)
{
    const docs *all = &p->a.p.d;
    const size_t from = all->start[m], count = all->start[m + 1] - from;
    char id[16], word[16];

    ck_assert(span_equal(docs_id(batch, d), span_text(lively_id(m, id))));
    ck_assert_uint_eq(batch->length[d], all->length[m]);
    ck_assert_uint_eq(batch->start[d + 1] - batch->start[d], count);
    for (size_t k = 0; k < count; k++) {
        uint32_t tally = 0;
        snprintf(word, sizeof word, "w%03u",
                 all->word[from + k] * 37 % PLANTED_WORDS);
        const uint32_t number = wordmap_find(&p->lexicon, span_text(word));
        for (size_t i = batch->start[d]; i < batch->start[d + 1]; i++) {
            tally += batch->word[i] == number ? batch->tally[i] : 0;
            ck_assert(i == batch->start[d] ||
                      batch->word[i] > batch->word[i - 1]);
        }
        ck_assert_uint_eq(tally, all->tally[from + k]);
    }
}

START_TEST(sources_come_back_as_they_were_read)
{
    static const reader_limits limits = {7, SIZE_MAX, 0, 0};
    pair p;
    feed f;
    kedge_error err = {0};
    docs batch = {0};
    size_t seen = 0;

    pair_begin(&p);
    f = stored_feed(p.s);
    ck_assert_uint_eq(stored_sources(p.s), LIVELY_SHARDS);
    for (size_t i = 0; i < LIVELY_SHARDS; i++) {
        const size_t shard = i < 3 ? i : LIVELY_SHARDS + 2 - i;
        size_t m = lively_shard(&p.a, shard);
        store_source record;
        bool more = true;
        ck_ok(f.open(f.data, i, &p.lexicon, &record, &err), err);
        ck_assert_int_eq(record.batch[1], '0' + (int)shard);
        while (more) {
            docs_clear(&batch);
            ck_ok(f.next(f.data, &limits, &batch, &more, &err), err);
            for (size_t d = 0; d < batch.count; d++, m++, seen++) {
                check_document(&p, &batch, d, m);
                ck_assert(f.left(f.data, batch.position[d]) ==
                          (i >= 3 && p.b.gone[m]));
            }
        }
        ck_assert_uint_eq(m, lively_shard(&p.a, shard + 1));
        f.close(f.data);
    }
    ck_assert_uint_eq(seen, N);
    docs_free(&batch);
    pair_end(&p);
}
END_TEST

START_TEST(words_and_view_of_all)
{
    kedge_error err = {0};
    store_view view;
    pair p;

    pair_begin(&p);
    ck_assert(stored_has_view(p.s, &view));
    ck_ok(stored_add_words(p.s, &p.lexicon, &err), err);
    ck_assert_uint_eq(p.text.count, PLANTED_WORDS);
    pair_end(&p);
}
END_TEST

START_TEST(opening_without_memory)
{
    kedge_error err = {0};
    const char *path;
    stored *s = NULL;
    lively l;
    long k = 0;

    lively_begin(&l, 20);
    lively_ingest(&l, 0, false);
    path = l.p.t.path;
    scene_close(&l.p.t);
    for (;; k++) {
        gate_allow(k);
        const kedge_status st = stored_open(&path, 1, &s, &err);
        gate_open();
        if (st == KEDGE_OK)
            break;
        ck_assert_int_eq(st, KEDGE_ENOMEM);
        ck_assert_ptr_null(s);
    }
    ck_assert_int_ge(k, 4);
    stored_close(s);
    stored_close(NULL);
    scene_open(&l.p.t, KEDGE_OPEN_READ);
    lively_end(&l);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        sources_come_back_as_they_were_read,
        words_and_view_of_all,
        opening_without_memory,
        NULL,
    };

    return unit_run("stored", tests);
}
