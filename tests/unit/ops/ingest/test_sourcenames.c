/* SPDX-License-Identifier: MIT */
#include "ops/ingest/sourcenames.h"

#include "store/scene.h"

static void add(sourcenames *n, const char *name)
{
    kedge_error err = {0};

    ck_ok(sourcenames_add(n, name, &err), err);
}

static void begin(sourcenames *n)
{
    kedge_error err = {0};

    *n = (sourcenames){0};
    ck_ok(sourcenames_open(n, NULL, 0, &err), err);
}

TEST(names_become_different)
{
    static const char *const wanted[] = {"a", "b", "a#2", "a#2#2", "a#3"};
    static const char *const names[] = {"a", "b", "a", "a#2", "a"};
    sourcenames n;
    char id[STORE_ID_MAX + 1];

    begin(&n);
    for (size_t i = 0; i < 5; i++)
        add(&n, names[i]);
    for (uint32_t i = 0; i < 5; i++) {
        ck_assert_str_eq(words_get(&n.list, i), wanted[i]);
        ck_assert_uint_eq(sourcenames_find(&n, span_text(wanted[i])), i);
        ck_assert_uint_eq(sourcenames_id(&n, i, 17, id),
                          strlen(wanted[i]) + 3);
        ck_assert(strncmp(id, wanted[i], strlen(wanted[i])) == 0);
        ck_assert_str_eq(id + strlen(wanted[i]), ":17");
    }
    ck_assert_uint_eq(sourcenames_find(&n, span_text("c")), WORDMAP_NONE);
    sourcenames_close(&n);
}

/* Any name has room beside the largest position; a character is whole. */
TEST(long_names_keep_their_ends)
{
    sourcenames n;
    char id[STORE_ID_MAX + 1], name[1000];
    size_t size = 0;

    begin(&n);
    for (size_t i = 0; i < 300; i++)
        size += (size_t)snprintf(name + size, sizeof name - size, "\u00e9");
    snprintf(name + size, sizeof name - size, "!end");
    for (uint32_t i = 0; i < 3; i++) {
        add(&n, name);
        size = sourcenames_id(&n, i, UINT64_MAX, id);
        ck_assert_uint_le(size, STORE_ID_MAX);
        ck_assert_uint_eq(strlen(id), size);
        ck_assert(strncmp(id, "\u00e9", 2) == 0);
        ck_assert_ptr_nonnull(strstr(id, i == 0 ? "!end:1" : "!end#"));
        ck_assert_str_eq(id + size - 20, "18446744073709551615");
    }
    sourcenames_close(&n);
}

TEST(those_of_the_ledger_come_in_its_order)
{
    static const char *const names[] = {"x", "y", "x"};
    sourcenames n = {0};
    scene t;

    scene_make(&t);
    scene_write(&t);
    for (uint64_t i = 0; i < 3; i++) {
        store_source r = {.head = i};
        snprintf(r.name, sizeof r.name, "%s", names[i]);
        ck_ok(store_put_source(t.txn, i, &r, &t.err), t.err);
    }
    scene_commit(&t);
    scene_read(&t);
    ck_ok(sourcenames_open(&n, t.txn, 3, &t.err), t.err);
    ck_assert_uint_eq(sourcenames_find(&n, span_text("x#2")), 2);
    sourcenames_close(&n);
    store_abort(&t.txn);
    scene_end(&t);
}
