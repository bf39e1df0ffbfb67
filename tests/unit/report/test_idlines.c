/* SPDX-License-Identifier: MIT */
#include "report/idlines.h"

#include "sample.h"

static void check_escape(const char *name, bool blanks, const char *expected)
{
    textbuf t = {0};

    idlines_escape(&t, name, strlen(name), blanks);
    ck_assert_str_eq(t.bytes == NULL ? "" : t.bytes, expected);
    textbuf_free(&t);
}

START_TEST(what_divides_is_escaped)
{
    check_escape("", true, "");
    check_escape("plain", true, "plain");
    check_escape("a b\tc", false, "a b\tc");
    check_escape("\\n\n\r", false, "\\\\n\\n\\r");
    check_escape(" a  b\t\v\f\n\r\\ ", true,
                 "\\sa\\s\\sb\\t\\v\\f\\n\\r\\\\\\s");
    check_escape("\x01\xff\xe2\x80\xa8", true, "\x01\xff\xe2\x80\xa8");
}
END_TEST

START_TEST(zeros_stay)
{
    textbuf t = {0};

    idlines_escape(&t, "a\0b", 3, true);
    ck_assert_uint_eq(t.size, 3);
    ck_assert_mem_eq(t.bytes, "a\0b", 3);
    textbuf_free(&t);
}
END_TEST

static kedge_status write_two(const char *directory, kedge_error *err)
{
    kedge_status st;
    idlines l;

    st = idlines_open(&l, directory, err);
    if (st == KEDGE_OK)
        st = idlines_add(&l, "a\nb", 3, err);
    if (st == KEDGE_OK)
        st = idlines_add(&l, "c d", 3, err);
    if (st == KEDGE_OK)
        st = idlines_commit(&l, err);
    idlines_discard(&l);
    return st;
}

static int allowed;

static bool gate(size_t bytes)
{
    (void)bytes;
    return allowed-- > 0;
}

START_TEST(an_id_is_a_line)
{
    place p = place_make();
    kedge_status st = KEDGE_ENOMEM;
    kedge_error err = {0};
    size_t size;
    char *bytes;

    ck_fails(write_two("/no/where", &err), KEDGE_EIO, err,
             "/no/where/documents.txt");
    for (int k = 0; st == KEDGE_ENOMEM; k++) {
        ck_assert_uint_eq(place_entries(p.root), 0);
        ck_assert_int_lt(k, 20);
        allowed = k;
        mem_set_gate(gate);
        st = write_two(p.root, &err);
        mem_set_gate(NULL);
    }
    ck_ok(st, err);
    bytes = file_bytes(p.root, "documents.txt", &size);
    ck_assert_str_eq(bytes, "a\\nb\nc d\n");
    mem_free(bytes);
    place_remove(&p);
}
END_TEST

UNIT_SUITE("idlines",
    what_divides_is_escaped,
    zeros_stay,
    an_id_is_a_line)
