/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/gate.h"
#include "base/mem.h"
#include "ops/formats.h"
#include "ops/batch.h"
#include "store/scene.h"

/* `entries` in each of `count` documents. */
static void fill(docs *d, size_t count, uint32_t entries)
{
    docs_clear(d);
    for (size_t m = 0; m < count; m++) {
        if (!docs_begin(d, 3 * m + 1))
            ck_abort_msg("no memory");
        for (uint32_t k = 0; k < entries; k++)
            if (!docs_push(d, k * 2 + (uint32_t)m, 1 + k % 3))
                ck_abort_msg("no memory");
    }
}

/* One of a single source. */
static doc_batch one_source(uint32_t source)
{
    doc_batch s = {.parts = 1, .part_capacity = 1};

    ck_assert_ptr_nonnull(s.part = mem_new(1, sizeof *s.part));
    s.part->source = source;
    return s;
}

static void check_blocks(const doc_batch *s)
{
    store_block scratch = {0};
    docs back = {0};
    kedge_error err = {0};

    for (size_t i = 0; i < s->blocks; i++) {
        const size_t before = docs_entries(&back);
        uint32_t source = 0;
        ck_assert_uint_eq(s->block[i].first, back.count); /* its first */
        ck_ok(store_block_decode(&scratch, i, s->bytes + s->block[i].at,
                                 s->block[i].size, STORE_NO_LIMITS, &source,
                                 &back, &err),
              err);
        ck_assert_uint_eq(source, 5);
        if (i + 1 < s->blocks)
            ck_assert_uint_ge(docs_entries(&back) - before,
                              STORE_BLOCK_ENTRIES);
    }
    ck_assert(scene_same_docs(&s->docs, &back));
    store_block_free(&scratch);
    docs_free(&back);
}

TEST(blocks_are_the_batch)
{
    static const struct {
        size_t count;
        uint32_t entries;
        size_t blocks;
    } cases[] = {{0, 0, 0},   {1, 1, 1},        {500, 7, 1},
                 {1, 300000, 1}, {3, 300000, 3}, {70, 4900, 2}};
    doc_batch s = one_source(5);
    kedge_error err = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fill(&s.docs, cases[i].count, cases[i].entries);
        ck_ok(batch_encode(&s, &err), err);
        ck_assert_uint_eq(s.blocks, cases[i].blocks);
        check_blocks(&s);
    }
    fill(&s.docs, 3 * WINDOW_DOCUMENTS, 1); /* short ones */
    ck_ok(batch_encode(&s, &err), err);
    ck_assert_uint_eq(s.blocks, 3);
    fill(&s.docs, 2, 2); /* used again: fewer blocks than before */
    ck_ok(batch_encode(&s, &err), err);
    ck_assert_uint_eq(s.blocks, 1);
    check_blocks(&s);
    batch_free(&s);
    ck_assert_ptr_null(s.block);
}

/* Some documents with an order, some blocks without any. */
static void fill_ordered(docs *d, uint64_t seed)
{
    docs_clear(d);
    for (uint32_t m = 0; m < 40; m++) {
        const uint32_t entries = m % 10 == 9 ? STORE_BLOCK_ENTRIES : 5;
        const bool ordered = scene_random(seed, m, 12) == 0;
        ck_assert(docs_begin(d, m + 1));
        for (uint32_t k = 0; k < entries; k++)
            ck_assert(docs_push(d, k, 1));
        for (uint32_t i = 0; ordered && i < 2000; i++) {
            const uint32_t symbol =
                (uint32_t)scene_random(seed + m, i, entries + 1);
            ck_assert(docs_push_order(d, &symbol, 1));
        }
    }
}

static size_t check_orders(const doc_batch *s)
{
    store_block scratch = {0};
    store_order order = {0};
    docs back = {0};
    kedge_error err = {0};
    uint32_t source;
    size_t with = 0;

    for (size_t i = 0; i < s->blocks; i++) {
        const size_t first = back.count;
        const bool there = s->block[i].order_size > 0;
        ck_ok(store_block_decode(&scratch, i, s->bytes + s->block[i].at,
                                 s->block[i].size, STORE_NO_LIMITS, &source,
                                 &back, &err),
              err);
        const span record = {there ? (char *)s->bytes + s->block[i].order_at
                                   : NULL,
                             s->block[i].order_size};
        ck_ok(store_order_decode(&order, &scratch, i, record, &back, first,
                                 &err), err);
        with += there;
    }
    ck_assert(scene_same_orders(&s->docs, &back));
    store_block_free(&scratch);
    store_order_free(&order);
    docs_free(&back);
    return with;
}

TEST(orders_are_beside_their_blocks)
{
    doc_batch s = one_source(5);
    kedge_error err = {0};
    size_t blocks = 0, with = 0;

    for (uint64_t seed = 0; seed < 4; seed++) {
        fill_ordered(&s.docs, seed);
        ck_ok(batch_encode(&s, &err), err);
        ck_assert_uint_eq(s.blocks, 4);
        blocks += s.blocks;
        with += check_orders(&s);
    }
    ck_assert_uint_gt(with, blocks / 3);
    ck_assert_uint_lt(with, blocks);
    batch_free(&s);
    ck_assert_ptr_null(s.bytes);
}

/* Documents of several sources: a block is of one, and what is dropped moves
 * the others. */
TEST(parts_have_blocks_of_their_own)
{
    static const uint32_t out[] = {0, 4, 5, 6, 9};
    static const size_t first[] = {0, 3, 3, 4, 5};
    static const uint32_t from[] = {10, 12, 13, 14};
    doc_batch s = {0};
    kedge_error err = {0};
    docs d = {0};
    store_block scratch = {0};
    uint32_t source;

    ck_assert_ptr_nonnull(s.part = mem_new(5, sizeof *s.part));
    for (uint32_t p = 0; p < 5; p++) {
        s.part[s.parts++] =
            (batch_part){.source = 10 + p, .first = s.docs.count};
        fill(&d, p == 1 ? 0 : p == 3 ? 2 : 4, 3);
        for (size_t m = 0; m < d.count; m++)
            ck_assert(docs_append(&s.docs, &d, m));
    }
    batch_drop(&s, out, 5);
    for (size_t p = 0; p < 5; p++)
        ck_assert_uint_eq(s.part[p].first, first[p]);
    ck_ok(batch_encode(&s, &err), err);
    ck_assert_uint_eq(s.blocks, 4);
    docs_clear(&d);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(s.block[i].first, d.count);
        ck_ok(store_block_decode(&scratch, i, s.bytes + s.block[i].at,
                                 s.block[i].size, STORE_NO_LIMITS, &source, &d,
                                 &err),
              err);
        ck_assert_uint_eq(source, from[i]);
    }
    ck_assert(scene_same_docs(&s.docs, &d));
    store_block_free(&scratch);
    docs_free(&d);
    batch_free(&s);
}

/* Of three large documents, or of many with orders. */
TEST(encoding_without_memory)
{
    for (int ordered = 0; ordered < 2; ordered++) {
        docs d OWN(docs_free) = {0};
        kedge_error err = {0};
        if (ordered)
            fill_ordered(&d, 3);
        else
            fill(&d, 3, 300000);
        GATE_LOOP {
            doc_batch s = one_source(5);
            s.docs = d;
            GATE_TRY(batch_encode(&s, &err));
            if (gate_status == KEDGE_OK && ordered)
                ck_assert_uint_gt(check_orders(&s), 0);
            else if (gate_status == KEDGE_OK)
                check_blocks(&s);
            s.docs = (docs){0};
            batch_free(&s);
        }
    }
}

/* Half each time, but never too small for a block. */
TEST(limits_are_halved)
{
    for (unsigned h = 0; h <= BATCH_HALVINGS; h++) {
        const batch_limits l = batch_limits_of(h);
        ck_assert_uint_eq(l.documents, (size_t)WINDOW_DOCUMENTS >> h);
        ck_assert_uint_ge(l.entries, STORE_BLOCK_ENTRIES);
        ck_assert_uint_ge(l.entries, (size_t)WINDOW_ENTRIES >> h);
        ck_assert(h == 0 || l.entries < batch_limits_of(h - 1).entries);
        ck_assert_uint_eq(l.tokens, 2 * l.entries);
    }
    ck_assert_uint_eq(batch_limits_of(0).entries, WINDOW_ENTRIES);
    ck_assert_uint_eq(batch_limits_of(0).tokens, WINDOW_TOKENS);
}

/* A block of long documents is closed by what they are once they are split. */
TEST(blocks_of_long_documents_hold_fewer)
{
    enum { ENTRIES = 1000, TALLY = 1000, DOCUMENTS = 40 };
    doc_batch s = one_source(5);
    kedge_error err = {0};

    for (size_t m = 0; m < DOCUMENTS; m++) {
        ck_assert(docs_begin(&s.docs, m + 1));
        for (uint32_t k = 0; k < ENTRIES; k++)
            ck_assert(docs_push(&s.docs, k, TALLY));
    }
    ck_assert_uint_eq(batch_entries(&s.docs, 0), 100 * ENTRIES);
    ck_ok(batch_encode(&s, &err), err);
    ck_assert_uint_eq(s.blocks, (DOCUMENTS + 2) / 3);
    batch_free(&s);
}

/* ---- formats ------------------------------------------------------------- */

typedef struct way {
    kedge_format format;
    void (*write)(const char *path, const docs *d, bool named);
} way;

/* All blocks of the store one after the other, and what the ledger has of the
 * only source but its name. */
static char *stored_blocks(planted *p, size_t *size)
{
    store_totals totals;
    store_source r;
    char *all = NULL;
    FILE *const f = open_memstream(&all, size);

    scene_read(&p->t);
    ck_ok(store_get_totals(p->t.txn, &totals, &p->t.err), p->t.err);
    for (uint64_t i = 0; i < totals.blocks; i++) {
        const uint8_t *bytes;
        size_t n;
        ck_ok(store_get_block(p->t.txn, i, &bytes, &n, &p->t.err), p->t.err);
        ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
    }
    ck_ok(store_get_source_record(p->t.txn, 0, &r, &p->t.err), p->t.err);
    fprintf(f, "%llx %llx %llu", (unsigned long long)r.digest,
            (unsigned long long)r.head, (unsigned long long)r.position);
    ck_assert_int_eq(fclose(f), 0);
    store_abort(&p->t.txn);
    ck_assert_uint_gt(totals.blocks, 0);
    return all;
}

static void check_ways(planted *p, const way *ways, size_t count, bool named)
{
    char *first = NULL;
    size_t first_size = 0, size;

    for (size_t i = 0; i < count; i++) {
        char path[96], name[32];
        snprintf(name, sizeof name, "way-%d-%zu", named, i);
        ways[i].write(planted_path(p, name, path), &p->d, named);
        planted_anew(p);
        p->o.format = ways[i].format;
        ck_ok(planted_ingest(p, path), p->t.err);
        ck_assert_uint_eq(p->r.documents, p->d.count);
        char *const all = stored_blocks(p, &size);
        ck_assert_msg(first == NULL || (size == first_size &&
                                        memcmp(all, first, size) == 0),
                      "format %d", (int)ways[i].format);
        free(first);
        first = all;
        first_size = size;
    }
    free(first);
}

/* But for a header: a document is where its line is. */
TEST(blocks_do_not_tell_the_format_of_texts)
{
    static const way named[] = {{KEDGE_FORMAT_JSONL, formats_jsonl},
                                {KEDGE_FORMAT_MALLET, formats_mallet},
                                {KEDGE_FORMAT_FILES, formats_files}};
    static const way plain[] = {{KEDGE_FORMAT_JSONL, formats_jsonl},
                                {KEDGE_FORMAT_LINES, formats_lines}};
    static const way tables[] = {{KEDGE_FORMAT_TSV, formats_tsv},
                                 {KEDGE_FORMAT_CSV, formats_csv}};

    PLANTED(p, PLANTED_DOCUMENTS);
    p.o.vocabulary = NULL;
    check_ways(&p, named, sizeof named / sizeof *named, true);
    check_ways(&p, plain, sizeof plain / sizeof *plain, false);
    check_ways(&p, tables, sizeof tables / sizeof *tables, true);
    check_ways(&p, tables, sizeof tables / sizeof *tables, false);
}

TEST(blocks_do_not_tell_the_format_of_bags)
{
    static const way named[] = {{KEDGE_FORMAT_JSONL, formats_json_bags},
                                {KEDGE_FORMAT_SVMLIGHT, formats_svmlight},
                                {KEDGE_FORMAT_VW, formats_vw}};
    static const way plain[] = {{KEDGE_FORMAT_UCI, formats_uci},
                                {KEDGE_FORMAT_JSONL, formats_json_bags},
                                {KEDGE_FORMAT_LDAC, formats_ldac},
                                {KEDGE_FORMAT_MTX, formats_mtx},
                                {KEDGE_FORMAT_MTX, formats_mtx_turned},
                                {KEDGE_FORMAT_VW, formats_vw}};

    PLANTED(p, PLANTED_DOCUMENTS);
    check_ways(&p, named, sizeof named / sizeof *named, true);
    check_ways(&p, plain, sizeof plain / sizeof *plain, false);
}
