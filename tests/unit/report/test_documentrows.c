/* SPDX-License-Identifier: MIT */
#include "report/documentrows.h"

#include "pipeline/keeper.h"

#define HEAD 128

static char *bytes_of(keeper *k, const char *name, size_t *size)
{
    static char bytes[100000];
    char path[96];
    FILE *const f = fopen(planted_path(&k->l.p, name, path), "r");

    if (f == NULL)
        return NULL;
    *size = fread(bytes, 1, sizeof bytes - 1, f);
    bytes[*size] = '\0';
    fclose(f);
    return bytes;
}

static bool write_rows(keeper *k, const kedge_model *m, kedge_kept_info *info)
{
    bool written = true;

    ck_ok(documentrows_write(k->l.p.t.s, m, &k->l.p.c, k->l.p.t.root, info,
                             &written, &k->l.p.t.err), k->l.p.t.err);
    return written;
}

static kedge_model *load(keeper *k)
{
    kedge_model *m;

    ck_ok(kedge_model_load(k->l.p.t.s, KEEPER_MODEL, NULL, &m, &k->l.p.t.err),
          k->l.p.t.err);
    return m;
}

START_TEST(a_row_and_a_line_for_each_document)
{
    static keeper k;
    kedge_model *m;
    kedge_kept_info info;
    char shape[64], *bytes;
    size_t size = 0;

    keeper_begin(&k, 200, LIVELY_SHARDS, false);
    keeper_keep(&k);
    m = load(&k);
    ck_assert(write_rows(&k, m, &info));
    ck_assert_uint_eq(info.documents, k.count);
    bytes = bytes_of(&k, "compositions.npy", &size);
    ck_assert_uint_eq(size, HEAD + 4 * k.count * KEEPER_TOPICS);
    snprintf(shape, sizeof shape, "'shape': (%zu, %d)", k.count,
             KEEPER_TOPICS);
    ck_assert_ptr_nonnull(strstr(bytes + 10, shape));
    for (size_t i = 0; i < k.count * KEEPER_TOPICS; i++) {
        float x;
        memcpy(&x, bytes + HEAD + 4 * i, 4);
        ck_assert((double)x ==
                  k.d[i / KEEPER_TOPICS].shares[i % KEEPER_TOPICS]);
    }
    bytes = bytes_of(&k, "documents.txt", &size);
    for (size_t i = 0; i < k.count; i++) {
        const size_t n = strlen(k.d[i].id);
        ck_assert_mem_eq(bytes, k.d[i].id, n);
        ck_assert_int_eq(bytes[n], '\n');
        bytes += n + 1;
    }
    ck_assert_int_eq(*bytes, '\0');
    kedge_model_free(m);
    keeper_end(&k);
}
END_TEST

START_TEST(nothing_is_written_of_what_is_not_right)
{
    static keeper k;
    kedge_model *m;
    kedge_kept_info info;
    size_t size;

    keeper_begin(&k, 200, LIVELY_SHARDS, false);
    m = load(&k);
    ck_assert(!write_rows(&k, m, &info)); /* none is kept */
    keeper_keep(&k);
    lively_remove(&k.l, 1, 10, false);
    ck_assert(!write_rows(&k, m, &info)); /* some are gone */
    keeper_fit(&k);
    keeper_keep(&k);
    ck_assert(!write_rows(&k, m, &info)); /* of a model that came after it */
    ck_assert_ptr_null(bytes_of(&k, "compositions.npy", &size));
    ck_assert_ptr_null(bytes_of(&k, "documents.txt", &size));
    kedge_model_free(m);
    m = load(&k);
    ck_assert(write_rows(&k, m, &info));
    kedge_model_free(m);
    keeper_end(&k);
}
END_TEST

/* Ids of any bytes are lines nevertheless. */
START_TEST(ids_are_told_in_a_line)
{
    static keeper k;
    kedge_model *m;
    kedge_kept_info info;
    char path[96], *bytes;
    size_t size = 0;
    FILE *f;

    keeper_begin(&k, 200, 1, false);
    f = planted_file(planted_path(&k.l.p, "odd", path));
    fputs("{\"id\":\"a\\nb\\\\c\\r\\n\",\"text\":{\"w005\":3}}\n"
          "{\"id\":\"\\\\\",\"text\":{\"w005\":2}}\n", f);
    ck_assert_int_eq(fclose(f), 0);
    ck_ok(planted_ingest(&k.l.p, path), k.l.p.t.err);
    ck_ok(keeper_run(&k, 0), k.l.p.t.err);
    m = load(&k);
    ck_assert(write_rows(&k, m, &info));
    bytes = bytes_of(&k, "documents.txt", &size);
    ck_assert_ptr_nonnull(strstr(bytes,
                                 "\na\\nb\\\\c\\r\\n\n\\\\\n"));
    kedge_model_free(m);
    keeper_end(&k);
}
END_TEST

START_TEST(folders_that_are_none_are_told)
{
    static keeper k;
    kedge_model *m;
    kedge_kept_info info;
    bool written;

    keeper_begin(&k, 200, 1, false);
    keeper_keep(&k);
    m = load(&k);
    ck_fails(documentrows_write(k.l.p.t.s, m, NULL, "/no/where", &info,
                                &written, &k.l.p.t.err), KEDGE_EIO,
             k.l.p.t.err, "/no/where/compositions.npy");
    ck_assert(!written);
    kedge_model_free(m);
    keeper_end(&k);
}
END_TEST

UNIT_SUITE("documentrows",
    a_row_and_a_line_for_each_document,
    nothing_is_written_of_what_is_not_right,
    ids_are_told_in_a_line,
    folders_that_are_none_are_told)
