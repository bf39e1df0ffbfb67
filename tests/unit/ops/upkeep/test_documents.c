/* SPDX-License-Identifier: MIT */
#include "ops/life.h"

#include "base/gate.h"
#include "store/kv.h"

static life it; /* too big for a stack */

static kedge_documents *open_ids(const char *const *ids, size_t count)
{
    kedge_documents *d;

    ck_ok(kedge_documents_open(it.t.s, ids, count, &it.c, &d, &it.t.err),
          it.t.err);
    return d;
}

static const kedge_document *next_document(kedge_documents *d)
{
    const kedge_document *out = NULL;

    ck_ok(kedge_documents_next(d, &out, &it.t.err), it.t.err);
    return out;
}

static void check_end(kedge_documents *d)
{
    ck_assert_ptr_null(next_document(d));
}

static void check_words(const kedge_document *got, const life_document *d)
{
    uint64_t tokens = 0, held = 0;

    for (size_t w = 0; w < LIFE_WORDS; w++) {
        uint64_t count = 0;
        for (uint64_t k = 0; k < got->count; k++)
            if (strcmp(got->words[k].word, life_word(w)) == 0) {
                ck_assert_uint_eq(got->words[k].size, 3);
                count += got->words[k].count;
            }
        ck_assert_uint_eq(count, d->tally[w]);
        tokens += count;
        held += count > 0;
    }
    ck_assert_uint_eq(got->tokens, tokens);
    ck_assert_uint_eq(got->order_size, 0); /* they were bags */
    ck_assert_uint_eq(got->count, held);
}

static void check_document(const kedge_document *got, const life_document *d)
{
    char id[128];

    ck_assert_ptr_nonnull(got);
    ck_assert_str_eq(got->id, life_id(d, id));
    ck_assert_uint_eq(got->id_size, strlen(id));
    ck_assert_str_eq(got->label, d->label);
    ck_assert_uint_eq(got->label_size, strlen(d->label));
    ck_assert_str_eq(got->source, d->source);
    ck_assert_str_eq(got->batch, d->batch);
    ck_assert_uint_eq(got->position, d->position);
    check_words(got, d);
}

TEST(all_come_as_they_were)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        life_fill(&it, seed);
        ck_assert_uint_lt(life_there(&it), it.count);
        kedge_documents *const d = open_ids(NULL, 0);
        for (size_t m = 0; m < it.count; m++)
            if (it.d[m].there)
                check_document(next_document(d), &it.d[m]);
        check_end(d);
        check_end(d);
        kedge_documents_close(d);
        life_end(&it);
    }
}

TEST(each_is_found_by_its_id)
{
    static char id[LIFE_MOST][128];
    const char *ids[LIFE_MOST];
    size_t order[LIFE_MOST], n;

    for (uint64_t seed = 0; seed < 5; seed++) {
        life_fill(&it, seed);
        n = 0;
        for (size_t i = 0; i < it.count; i++) { /* each once, far apart */
            const size_t m = (i * 77 + seed) % it.count;
            if (it.d[m].there) {
                order[n] = m;
                ids[n] = life_id(&it.d[m], id[n]);
                n++;
            }
        }
        ck_assert_uint_eq(n, life_there(&it));
        kedge_documents *const d = open_ids(ids, n);
        for (size_t i = 0; i < n; i++)
            check_document(next_document(d), &it.d[order[i]]);
        check_end(d);
        kedge_documents_close(d);
        life_end(&it);
    }
}

/* ---- the order of words -------------------------------------------------- */

static void ingest_texts(const char *name, const char *text, bool bags_only)
{
    kedge_ingest_opts o;
    char path[96];
    const char *const paths[] = {path};
    FILE *f;

    snprintf(path, sizeof path, "%s/%.24s", it.t.root, name);
    f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
    kedge_ingest_opts_init(&o);
    o.format = KEDGE_FORMAT_JSONL;
    o.bags_only = bags_only;
    ck_ok(kedge_ingest(it.t.s, paths, 1, &o, &it.c, &it.r, &it.t.err),
          it.t.err);
}

/* Its words in their order, with | where they are apart. */
static const char *shown(const kedge_document *d)
{
    static char text[200];

    ck_assert_ptr_nonnull(d);
    text[0] = '\0';
    for (uint64_t i = 0; i < d->order_size; i++) {
        ck_assert_uint_le(d->order[i], d->count);
        strcat(text, d->order[i] == KEDGE_APART
                         ? "|"
                         : d->words[d->order[i] - 1].word);
        strcat(text, " ");
    }
    return text;
}

TEST(texts_come_in_their_order)
{
    life_begin(&it);
    ingest_texts("texts",
                 "{\"text\": \"Red fish, red-fish 12 blue\"}\n"
                 "{\"text\": {\"red\": 2, \"fish\": 1}}\n"
                 "{\"text\": \"blue\"}\n"
                 "{\"text\": \"Blue fish. The fish and the red\"}\n",
                 false);
    ingest_texts("bags", "{\"text\": \"Red red fish\"}\n", true);
    for (int i = 0; i < 2; i++) {
        kedge_documents *const d = open_ids(NULL, 0);
        static const char *const orders[] = {
            "red fish | red fish | blue ", "", "blue ",
            "blue fish | the fish and the red "};
        for (size_t m = 0; m < 4; m++)
            ck_assert_str_eq(shown(next_document(d)), orders[m]);
        const kedge_document *const bag = next_document(d);
        ck_assert_uint_eq(bag->order_size, 0);
        ck_assert_uint_eq(bag->tokens, 3);
        ck_assert_uint_eq(bag->count, 2);
        check_end(d);
        kedge_documents_close(d);
        scene_reopen(&it.t, KEDGE_OPEN_READ);
    }
    life_end(&it);
}

TEST(a_lost_order_is_damage)
{
    const uint8_t key[8] = {0};
    const kedge_document *got;

    life_begin(&it);
    ingest_texts("texts", "{\"text\": \"red fish\"}\n", false);
    scene_write(&it.t);
    ck_ok(kv_drop(it.t.txn, (kv_key){DB_ORDERS, key, 8}, &it.t.err), it.t.err);
    scene_commit(&it.t);
    kedge_documents *const d = open_ids(NULL, 0);
    ck_fails(kedge_documents_next(d, &got, &it.t.err), KEDGE_ECORRUPT,
             it.t.err, "order of words of block 0 is lost");
    kedge_documents_close(d);
    life_end(&it);
}

/* Removed ones, those with ids of their own by their places, and nonsense. */
static size_t make_unknown(char id[][128])
{
    static const char *const after[] = {"",    ":",  ":0",  ":01", ":1x",
                                        ":-1", ":5000", "#2:1",
                                        ":18446744073709551617",
                                        ":99999999999999999999999"};
    size_t n = 0;

    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        snprintf(id[n++], 128, "%s%s", it.d[0].source, after[i]);
    snprintf(id[n++], 128, ":1");
    snprintf(id[n++], 128, "nowhere:1");
    snprintf(id[n++], 128, "%0120d", 7);
    for (size_t m = 0; m < it.count && n < 60; m++)
        if (it.d[m].id[0] != '\0')
            snprintf(id[n++], 128, "%s:%llu", it.d[m].source,
                     (unsigned long long)it.d[m].position);
    return n;
}

TEST(unknown_ids_are_passed_over)
{
    static char id[64][128];
    const char *ids[130];
    const kedge_document *got;
    size_t n, known = 0;

    life_fill(&it, 3);
    n = make_unknown(id);
    while (it.d[known].id[0] == '\0' || !it.d[known].there)
        known++;
    for (size_t i = 0; i < n; i++) {
        ids[2 * i] = id[i];
        ids[2 * i + 1] = it.d[known].id;
    }
    kedge_documents *const d = open_ids(ids, 2 * n);
    for (size_t i = 0; i < n; i++) {
        ck_fails(kedge_documents_next(d, &got, &it.t.err), KEDGE_ENOTFOUND,
                 it.t.err, "no document \"");
        ck_assert_ptr_null(got);
        check_document(next_document(d), &it.d[known]);
    }
    check_end(d);
    kedge_documents_close(d);
    life_end(&it);
}

TEST(sources_of_one_name_are_told_apart)
{
    char id[128], twin[8];
    const char *const ids[] = {id};
    const kedge_document *got;
    size_t of[3];

    life_begin(&it);
    for (uint64_t i = 0; i < 3; i++) {
        of[i] = it.count;
        life_add(&it, 50 + i, 20, "same", NULL);
    }
    for (uint64_t i = 0; i < 3; i++) {
        while (it.d[of[i]].id[0] != '\0')
            of[i]++;
        twin[0] = '\0';
        if (i > 0)
            snprintf(twin, sizeof twin, "#%d", (int)i + 1);
        snprintf(id, sizeof id, "%s%s:%d", it.d[0].source, twin,
                 (int)it.d[of[i]].position);
        kedge_documents *const d = open_ids(ids, 1);
        got = next_document(d);
        ck_assert_ptr_nonnull(got);
        ck_assert_str_eq(got->id, id);
        ck_assert_str_eq(got->source, it.d[0].source);
        check_words(got, &it.d[of[i]]);
        kedge_documents_close(d);
    }
    life_end(&it);
}

/* As a ledger may have them: the ids are nevertheless ids. */
static void put_long_sources(const char *name)
{
    store_totals t = {.documents = 2, .tokens = 2, .nonzeros = 2, .words = 1,
                      .word_bytes = sizeof "word", .blocks = 2, .sources = 2};
    store_source r = {.documents = 1, .tokens = 1, .complete = true};
    words w = {0};
    docs d = {0};
    store_block b = {0};

    snprintf(r.name, sizeof r.name, "%s", name);
    ck_assert(words_add(&w, "word", 4) && docs_begin(&d, UINT64_MAX - 1) &&
              docs_push(&d, 0, 1));
    scene_write(&it.t);
    ck_ok(store_put_words(it.t.txn, &w, 0, &it.t.err), it.t.err);
    for (uint32_t i = 0; i < 2; i++) {
        ck_ok(store_put_source(it.t.txn, i, &r, &it.t.err), it.t.err);
        ck_ok(store_block_encode(&b, i, &d, 0, 1, &it.t.err), it.t.err);
        ck_ok(store_put_block(it.t.txn, i, &b, &it.t.err), it.t.err);
    }
    ck_ok(store_put_totals(it.t.txn, &t, &it.t.err), it.t.err);
    scene_commit(&it.t);
    store_block_free(&b);
    words_free(&w);
    docs_free(&d);
}

TEST(names_that_are_too_long_lose_their_beginnings)
{
    char name[256], id[2][STORE_ID_MAX + 1];
    const char *ids[] = {id[0], id[1]};
    const kedge_document *got;

    for (size_t i = 0; i < 254; i += 2)
        memcpy(name + i, "\xC3\xA9", 2);
    strcpy(name + 254, "z");
    life_begin(&it);
    put_long_sources(name);
    kedge_documents *d = open_ids(NULL, 0);
    for (int i = 0; i < 2; i++) {
        got = next_document(d);
        ck_assert_ptr_nonnull(got);
        ck_assert_uint_le(got->id_size, STORE_ID_MAX);
        ck_assert_uint_ge(got->id_size, STORE_ID_MAX - 14);
        ck_assert_int_eq((unsigned char)got->id[0], 0xC3);
        ck_assert_str_eq(got->source, name);
        memcpy(id[i], got->id, got->id_size + 1);
    }
    kedge_documents_close(d);
    ck_assert_str_ne(id[0], id[1]);
    d = open_ids(ids, 2);
    for (int i = 0; i < 2; i++) {
        got = next_document(d);
        ck_assert_ptr_nonnull(got);
        ck_assert_str_eq(got->id, id[i]);
    }
    kedge_documents_close(d);
    life_end(&it);
}

static int say_stop(void *data)
{
    (void)data;
    return 1;
}

TEST(limits_are_kept)
{
    const kedge_document *got;
    kedge_documents *d;

    life_fill(&it, 4);
    it.c.memory = UINT64_C(20) << 20;
    ck_fails(kedge_documents_open(it.t.s, NULL, 0, &it.c, &d, &it.t.err),
             KEDGE_EBUDGET, it.t.err, "20 MiB");
    ck_assert_ptr_null(d);
    it.c.memory = UINT64_C(2) << 30;
    it.c.stop = say_stop;
    d = open_ids(NULL, 0);
    ck_assert_int_eq(kedge_documents_next(d, &got, &it.t.err),
                     KEDGE_ECANCELED);
    kedge_documents_close(d);
    it.c.stop = NULL;
    d = open_ids(NULL, 0);
    ck_assert_ptr_nonnull(next_document(d));
    kedge_documents_close(d);
    kedge_documents_close(NULL);
    life_end(&it);
}

TEST(an_empty_store_has_none)
{
    const char *const ids[] = {"x"};
    const kedge_document *got;
    kedge_documents *d;

    life_begin(&it);
    d = open_ids(NULL, 0);
    check_end(d);
    kedge_documents_close(d);
    d = open_ids(ids, 1);
    ck_assert_int_eq(kedge_documents_next(d, &got, NULL), KEDGE_ENOTFOUND);
    check_end(d);
    kedge_documents_close(d);
    life_end(&it);
}

/* All of them, and one by its place; how many there were. */
static kedge_status walk_starved(size_t *count)
{
    char id[128];
    const char *const ids[] = {id};
    const kedge_document *got = NULL;
    kedge_documents *d;
    size_t m = 0;
    kedge_status st;

    while (it.d[m].id[0] != '\0')
        m++;
    life_id(&it.d[m], id);
    *count = 0;
    for (int way = 0; way < 2; way++) {
        st = kedge_documents_open(it.t.s, way == 0 ? NULL : ids,
                                  way == 0 ? 0 : 1, &it.c, &d, &it.t.err);
        while (st == KEDGE_OK) {
            st = kedge_documents_next(d, &got, &it.t.err);
            if (st != KEDGE_OK || got == NULL)
                break;
            ++*count;
        }
        kedge_documents_close(d);
        if (st != KEDGE_OK)
            return st;
    }
    return KEDGE_OK;
}

TEST(no_memory_is_an_error)
{
    size_t count;

    life_fill(&it, 5);
    scene_starve(walk_starved(&count), it.t.err);
    ck_assert_uint_eq(count, life_there(&it) + 1);
    life_end(&it);
}
