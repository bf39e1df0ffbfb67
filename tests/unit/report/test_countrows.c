/* SPDX-License-Identifier: MIT */
#include "report/countrows.h"

#include "shown.h"

#define HEAD 192

static kedge_status write_counts(keeper *k, const kedge_model *m, bool kept)
{
    return countrows_write(k->l.p.t.s, m, &k->l.p.c, k->l.p.t.root, kept,
                           &k->l.p.t.err);
}

/* Every entry, against the documents of the table. */
static void check_counts(const keeper *k, const kedge_model *m)
{
    size_t size, rows, cols, told, entries = 0;
    char *const bytes = shown_file(k, "counts.mtx", &size), *at;

    ck_assert_int_eq(strncmp(bytes, "%%MatrixMarket matrix coordinate integer "
                                    "general\n% rows", 55), 0);
    at = strchr(strchr(bytes, '\n') + 1, '\n') + 1;
    ck_assert_int_eq(sscanf(at, "%zu %zu %zu\n", &rows, &cols, &told), 3);
    ck_assert_ptr_eq(strchr(at, '\n') + 1, bytes + HEAD);
    ck_assert_uint_eq(rows, k->count);
    ck_assert_uint_eq(cols, m->words);
    at = bytes + HEAD;
    for (size_t i = 0; i < k->count; i++)
        for (size_t row = 0; row < m->words; row++) {
            const uint32_t tally = shown_tally(k, m, i, row);
            char line[64];
            if (tally == 0)
                continue;
            snprintf(line, sizeof line, "%zu %zu %u\n", i + 1, row + 1, tally);
            ck_assert_int_eq(strncmp(at, line, strlen(line)), 0);
            at += strlen(line);
            entries++;
        }
    ck_assert_ptr_eq(at, bytes + size);
    ck_assert_uint_eq(told, entries);
    free(bytes);
}

START_TEST(entries_are_the_documents)
{
    static keeper k;
    kedge_model *m;
    char *ids, *at;
    size_t size;

    keeper_begin(&k, 100, LIVELY_SHARDS, false);
    lively_remove(&k.l, 1, 10, false);
    keeper_keep(&k);
    m = shown_model(&k);
    ck_ok(write_counts(&k, m, true), k.l.p.t.err);
    check_counts(&k, m);
    ck_assert(!shown_is_there(&k, "documents.txt"));
    ck_ok(write_counts(&k, m, false), k.l.p.t.err);
    check_counts(&k, m);
    at = ids = shown_file(&k, "documents.txt", &size);
    for (size_t i = 0; i < k.count; i++) {
        const size_t n = strlen(k.d[i].id);
        ck_assert_mem_eq(at, k.d[i].id, n);
        ck_assert_int_eq(at[n], '\n');
        at += n + 1;
    }
    ck_assert_int_eq(*at, '\0');
    free(ids);
    kedge_model_free(m);
    keeper_end(&k);
}
END_TEST

START_TEST(what_fails_leaves_no_file)
{
    static keeper k;
    kedge_model *m;

    keeper_begin(&k, 100, 5, false);
    keeper_keep(&k);
    m = shown_model(&k);
    k.l.p.c.memory = 1;
    ck_assert_int_eq(write_counts(&k, m, false), KEDGE_EBUDGET);
    kedge_control_init(&k.l.p.c);
    ck_fails(countrows_write(k.l.p.t.s, m, NULL, "/no/where", false,
                             &k.l.p.t.err), KEDGE_EIO, k.l.p.t.err,
             "/no/where/counts.mtx");
    ck_assert(!shown_is_there(&k, "counts.mtx"));
    scene_starve(write_counts(&k, m, false), k.l.p.t.err);
    check_counts(&k, m);
    keeper_add(&k); /* documents.txt would be of fewer */
    ck_assert_int_eq(write_counts(&k, m, true), KEDGE_EINVAL);
    kedge_model_free(m);
    keeper_end(&k);
}
END_TEST

UNIT_SUITE("countrows",
    entries_are_the_documents,
    what_fails_leaves_no_file)
