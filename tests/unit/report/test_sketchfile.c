/* SPDX-License-Identifier: MIT */
#include <kedge/parts.h>
#include <kedge/verify.h>

#include "pipeline/travelling.h"

enum { N = 60 };

/* Nothing is beside the store but what the test made. */
static size_t count_files(const lively *l)
{
    DIR *const dir = opendir(l->p.t.root);
    size_t count = 0;

    ck_assert_ptr_nonnull(dir);
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count;
}

START_TEST(a_file_is_whole_or_not_there)
{
    kedge_sketch_export_result r;
    kedge_sketch_export_opts o;
    char path[96];
    size_t before;
    struct stat made;
    lively l;

    travelling_fill(&l, N, 0, LIVELY_SHARDS);
    planted_path(&l.p, "sketch", path);
    before = count_files(&l);
    kedge_sketch_export_opts_init(&o);
    o.view = 9;
    ck_assert_int_eq(travelling_send(&l, path, &o, &r), KEDGE_ENOTFOUND);
    ck_assert_uint_eq(count_files(&l), before);
    ck_ok(travelling_send(&l, path, NULL, &r), l.p.t.err);
    ck_assert_uint_eq(count_files(&l), before + 1);
    ck_assert_int_eq(stat(path, &made), 0);
    ck_assert_uint_eq((uint64_t)made.st_size, r.bytes);
    lively_end(&l);
}
END_TEST

START_TEST(places_that_cannot_be_are_told)
{
    kedge_sketch_export_result r;
    lively l;

    travelling_fill(&l, N, 0, 2);
    ck_fails(travelling_send(&l, l.p.t.path, NULL, &r), KEDGE_EINVAL,
             l.p.t.err, "is a directory");
    ck_fails(travelling_send(&l, "/nowhere/at/all", NULL, &r), KEDGE_EIO,
             l.p.t.err, "/nowhere/at/all: cannot write");
    lively_end(&l);
}
END_TEST

UNIT_SUITE("sketchfile",
    a_file_is_whole_or_not_there,
    places_that_cannot_be_are_told)
