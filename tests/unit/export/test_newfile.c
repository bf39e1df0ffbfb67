/* SPDX-License-Identifier: MIT */
#include "export/newfile.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <zlib.h>

#include "base/gate.h"
#include "sample.h"

static void write_text(const place *p, const char *name, const char *text)
{
    kedge_error err = {0};

    ck_ok(newfile_put(p->root, name, text, strlen(text), &err), err);
}

static void check_text(const place *p, const char *name, const char *text)
{
    size_t size;
    OWNED char *bytes = file_bytes(p->root, name, &size);

    ck_assert_uint_eq(size, strlen(text));
    ck_assert_str_eq(bytes, text);
}

TEST(newfile_appears_when_committed)
{
    OWN(place_remove) place p = place_make();
    kedge_error err = {0};
    newfile f;

    write_text(&p, "a", "old");
    ck_ok(newfile_open(&f, p.root, "a", &err), err);
    ck_ok(newfile_write(&f, "new", 3, &err), err);
    ck_assert_int_eq(fflush(f.out), 0);
    check_text(&p, "a", "old");
    ck_ok(newfile_commit(&f, &err), err);
    check_text(&p, "a", "new");
    ck_assert_uint_eq(place_entries(p.root), 1);
    write_text(&p, "empty", "");
    check_text(&p, "empty", "");
}

TEST(newfile_writes_texts_that_grew)
{
    OWN(place_remove) place p = place_make();
    kedge_error err = {0};
    newfile f;

    ck_ok(newfile_open(&f, p.root, "a", &err), err);
    ck_ok(newfile_flush(&f, &err), err);
    textbuf_text(&f.text, "one\n");
    ck_ok(newfile_flush(&f, &err), err);
    ck_assert_uint_eq(f.text.size, 0);
    textbuf_text(&f.text, "two");
    ck_ok(newfile_commit(&f, &err), err);
    check_text(&p, "a", "one\ntwo");
    ck_ok(newfile_open(&f, p.root, "a", &err), err);
    f.text.failed = true;
    ck_fails(newfile_commit(&f, &err), KEDGE_ENOMEM, err, "/a: out of");
    newfile_discard(&f);
    check_text(&p, "a", "one\ntwo");
}

TEST(newfile_leaves_nothing_when_discarded)
{
    OWN(place_remove) place p = place_make();
    kedge_error err = {0};
    newfile f;

    ck_ok(newfile_open(&f, p.root, "a", &err), err);
    ck_ok(newfile_write(&f, "new", 3, &err), err);
    newfile_discard(&f);
    newfile_discard(&f);
    ck_assert_uint_eq(place_entries(p.root), 0);
    gate_starve(newfile_put(p.root, "a", "new", 3, &err));
    ck_assert_uint_eq(place_entries(p.root), 1);
}

/* A file beside, as it is called while it is written. */
static FILE *leave(const place *p, const char *name)
{
    char path[128];
    FILE *out;

    snprintf(path, sizeof path, "%s/%s", p->root, name);
    out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    fputs("left", out);
    fflush(out);
    return out;
}

TEST(newfile_goes_round_what_is_being_written)
{
    OWN(place_remove) place p = place_make();
    kedge_error err = {0};
    newfile f, g;

    ck_ok(newfile_open(&f, p.root, "a", &err), err);
    ck_ok(newfile_open(&g, p.root, "a", &err), err);
    ck_assert_str_ne(f.temporary, g.temporary);
    ck_ok(newfile_write(&f, "f", 1, &err), err);
    ck_ok(newfile_commit(&g, &err), err);
    check_text(&p, "a", "");
    ck_ok(newfile_commit(&f, &err), err);
    check_text(&p, "a", "f");
    ck_assert_uint_eq(place_entries(p.root), 1);
}

/* But what has another name, or whose lock is held, stays. */
TEST(newfile_sweeps_what_killed_ones_left)
{
    static const char *const stale[] = {"a.tmp-1-0", "a.tmp-4194305-99"};
    static const char *const kept[] = {
        "b.tmp-1-0", "a.tmp-1-", "a.tmp--0", "a.tmp-1-0x", "a.tmp-x-0",
        "ba.tmp-1-0", "a.tmp-1", "a", "a.tmp-7-7"};
    const size_t stales = sizeof stale / sizeof *stale;
    const size_t others = sizeof kept / sizeof *kept;
    OWN(place_remove) place p = place_make();
    char own[64];
    kedge_error err = {0};
    FILE *held = NULL;
    newfile f;

    snprintf(own, sizeof own, "a.tmp-%ld-0", (long)getpid());
    fclose(leave(&p, own));
    for (size_t i = 0; i < stales; i++)
        fclose(leave(&p, stale[i]));
    for (size_t i = 0; i < others; i++) {
        held = leave(&p, kept[i]);
        if (i + 1 < others)
            fclose(held);
    }
    ck_assert_int_eq(flock(fileno(held), LOCK_EX), 0);
    ck_assert_uint_eq(place_entries(p.root), 1 + stales + others);
    ck_ok(newfile_open(&f, p.root, "a", &err), err);
    ck_assert_uint_eq(place_entries(p.root), 1 + others);
    ck_ok(newfile_commit(&f, &err), err);
    check_text(&p, "a", "");
    ck_assert_uint_eq(place_entries(p.root), others);
    check_text(&p, "a.tmp-7-7", "left");
    fclose(held);
    ck_ok(newfile_open(&f, p.root, "a", &err), err);
    newfile_discard(&f);
    ck_assert_uint_eq(place_entries(p.root), others - 1);
}

TEST(newfile_has_the_usual_permissions)
{
    OWN(place_remove) place p = place_make();
    OWNED char *path = place_path(&p, "a");
    const mode_t mask = umask(027);
    struct stat found;

    write_text(&p, "a", "x");
    umask(mask);
    ck_assert_int_eq(stat(path, &found), 0);
    ck_assert_uint_eq(found.st_mode & 0777, 0640);
}

TEST(newfile_replaces_files_alone)
{
    OWN(place_remove) place p = place_make();
    kedge_error err = {0};
    char path[PATH_MAX];
    newfile f;

    snprintf(path, sizeof path, "%s/link", p.root);
    ck_assert_int_eq(symlink("a", path), 0);
    snprintf(path, sizeof path, "%s/pipe", p.root);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_fails(newfile_open(&f, p.root, "link", &err), KEDGE_EINVAL, err,
             "link exists and is not a regular file; name another");
    ck_fails(newfile_open(&f, p.root, "pipe", &err), KEDGE_EINVAL, err,
             "pipe exists and is not a regular file");
    ck_fails(newfile_open(&f, p.root, ".", &err), KEDGE_EINVAL, err,
             "/. is a directory: name a file in it");
    ck_assert_uint_eq(place_entries(p.root), 2);
}

TEST(newfile_leaves_stores_alone)
{
    static const char *const files[] = {"lock.mdb", "checked", "writer.lock",
                                        "data.mdb"};
    OWN(place_remove) place p = place_make();
    kedge_error err = {0};
    newfile f;

    for (size_t i = 0; i < 4; i++)
        write_text(&p, files[i], "part of it");
    for (size_t i = 0; i < 4; i++) {
        ck_fails(newfile_open(&f, p.root, files[i], &err), KEDGE_EINVAL, err,
                 "is a file of the store");
        check_text(&p, files[i], "part of it");
    }
    write_text(&p, "data", "beside it");
    check_text(&p, "data", "beside it");
}

TEST(newfile_tells_why_it_cannot)
{
    OWN(place_remove) place p = place_make();
    OWNED char *directory = place_path(&p, "a");
    kedge_error err = {0};
    newfile f;

    ck_fails(newfile_open(&f, directory, "x", &err), KEDGE_EIO, err,
             "cannot write: No such file or directory; make its directory");
    newfile_discard(&f);
    ck_ok(newfile_open(&f, p.root, "a", &err), err);
    ck_assert_int_eq(mkdir(directory, 0700), 0); /* meanwhile */
    ck_fails(newfile_commit(&f, &err), KEDGE_EIO, err,
             "/a: cannot write: Is a directory");
    newfile_discard(&f);
    ck_assert_uint_eq(place_entries(p.root), 1);
}

/* A limit of the file's size fails as a full disk does: some bytes are taken,
 * then none. */
TEST(newfile_survives_a_full_disk)
{
    static const char zeros[100000];
    const struct rlimit small = {8192, 8192};
    OWN(place_remove) place p = place_make();
    kedge_error err = {0};
    newfile f;

    if (strcmp(getenv("CK_FORK") ? getenv("CK_FORK") : "", "no") == 0)
        return; /* the limit would stay */
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    write_text(&p, "a", "old");
    ck_ok(newfile_open(&f, p.root, "a", &err), err);
    ck_fails(newfile_write(&f, zeros, sizeof zeros, &err), KEDGE_EIO, err,
             "/a: cannot write: File too large");
    ck_assert_int_eq(newfile_commit(&f, &err), KEDGE_EIO);
    newfile_discard(&f);
    /* the last bytes fail when they are flushed */
    ck_ok(newfile_open(&f, p.root, "a", &err), err);
    ck_assert_int_eq(setvbuf(f.out, NULL, _IOFBF, sizeof zeros), 0);
    ck_ok(newfile_write(&f, zeros, 9000, &err), err);
    ck_fails(newfile_commit(&f, &err), KEDGE_EIO, err,
             "/a: cannot write: File too large");
    newfile_discard(&f);
    ck_assert_uint_eq(place_entries(p.root), 1);
    check_text(&p, "a", "old");
}

/* ---- gzip ---------------------------------------------------------------- */

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
    newfile f;

    st = newfile_open_gzip(&f, directory, "a.gz", err);
    for (unsigned i = 0; i < LINES && st == KEDGE_OK; i++) {
        add_line(&f.text, i);
        if ((i + 1) % piece == 0)
            st = newfile_flush(&f, err);
    }
    if (st == KEDGE_OK)
        st = newfile_commit(&f, err);
    newfile_discard(&f);
    return st;
}

TEST(newfile_compresses)
{
    static const unsigned pieces[] = {1, 777, LINES};
    OWN(place_remove) place p = place_make();
    OWN(textbuf_free) textbuf expected = {0};
    kedge_error err = {0};
    OWNED char *path = place_path(&p, "a.gz");

    for (unsigned i = 0; i < LINES; i++)
        add_line(&expected, i);
    for (size_t i = 0; i < 3; i++) {
        OWNED char *read = mem_new(expected.size + 2, 1), *bytes = NULL;
        size_t size;
        gzFile f;

        ck_ok(write_lines(p.root, pieces[i], &err), err);
        bytes = file_bytes(p.root, "a.gz", &size);
        ck_assert_mem_eq(bytes, "\x1f\x8b\x08\0\0\0\0\0", 8); /* no time */
        ck_assert_uint_lt(size, 18 * LINES);
        f = gzopen(path, "rb");
        ck_assert_int_eq(gzread(f, read, (unsigned)expected.size + 1),
                         (int)expected.size);
        ck_assert_int_eq(gzclose(f), Z_OK);
        ck_assert_mem_eq(read, expected.bytes, expected.size);
    }
    ck_fails(write_lines("/no/where", 1, &err), KEDGE_EIO, err,
             "/no/where/a.gz");
    place_empty(p.root);
    gate_starve(write_lines(p.root, 50, &err));
    ck_assert_uint_eq(place_entries(p.root), 1);
}
