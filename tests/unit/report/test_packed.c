/* SPDX-License-Identifier: MIT */
#include "report/packed.h"

#include "sample.h"

#define LINES 20000

static void add_line(textbuf *t, unsigned i)
{
    char line[64];

    snprintf(line, sizeof line, "%u %u line\n", i, i * 2654435761u);
    textbuf_text(t, line);
}

/* By pieces of so many lines. */
static kedge_status write_lines(const char *directory, unsigned piece,
                                kedge_error *err)
{
    kedge_status st;
    textbuf t = {0};
    packed p;

    st = packed_open(&p, directory, "a.gz", err);
    for (unsigned i = 0; i < LINES && st == KEDGE_OK; i++) {
        add_line(&t, i);
        if ((i + 1) % piece == 0 || i + 1 == LINES)
            st = packed_flush(&p, &t, err);
    }
    if (st == KEDGE_OK)
        st = packed_commit(&p, err);
    else
        packed_discard(&p);
    textbuf_free(&t);
    return st;
}

static void check_lines(const char *directory)
{
    textbuf expected = {0};
    char path[128], *read;
    gzFile f;

    snprintf(path, sizeof path, "%s/a.gz", directory);
    for (unsigned i = 0; i < LINES; i++)
        add_line(&expected, i);
    read = mem_new(expected.size + 2, 1);
    f = gzopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(gzread(f, read, (unsigned)expected.size + 1),
                     (int)expected.size);
    ck_assert_int_eq(gzclose(f), Z_OK);
    ck_assert_mem_eq(read, expected.bytes, expected.size);
    mem_free(read);
    textbuf_free(&expected);
}

START_TEST(what_was_written_is_read)
{
    static const unsigned pieces[] = {1, 777, LINES};
    place p = place_make();
    kedge_error err = {0};

    for (size_t i = 0; i < 3; i++) {
        size_t size;
        char *bytes;
        ck_ok(write_lines(p.root, pieces[i], &err), err);
        check_lines(p.root);
        bytes = file_bytes(p.root, "a.gz", &size);
        ck_assert_mem_eq(bytes, "\x1f\x8b\x08\0\0\0\0\0", 8); /* no time */
        ck_assert_uint_lt(size, 18 * LINES);
        mem_free(bytes);
    }
    ck_assert_uint_eq(place_entries(p.root), 1);
    place_remove(&p);
}
END_TEST

static int allowed;

static bool gate(size_t bytes)
{
    (void)bytes;
    return allowed-- > 0;
}

START_TEST(what_fails_leaves_no_file)
{
    place p = place_make();
    kedge_status st = KEDGE_ENOMEM;
    kedge_error err = {0};

    ck_fails(write_lines("/no/where", 1, &err), KEDGE_EIO, err,
             "/no/where/a.gz");
    for (int k = 0; st == KEDGE_ENOMEM; k++) {
        ck_assert_uint_eq(place_entries(p.root), 0);
        ck_assert_int_lt(k, 60);
        allowed = k;
        mem_set_gate(gate);
        st = write_lines(p.root, 50, &err);
        mem_set_gate(NULL);
    }
    ck_ok(st, err);
    check_lines(p.root);
    place_remove(&p);
}
END_TEST

UNIT_SUITE("packed",
    what_was_written_is_read,
    what_fails_leaves_no_file)
