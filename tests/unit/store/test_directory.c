/* SPDX-License-Identifier: MIT */
#include "store/directory.h"

#include <fcntl.h>

#include "store/scene.h"

static const char *const names[] = {"data.mdb", "lock.mdb", "writer.lock"};

static void fails(scene *t, const char *path, kedge_open_mode mode,
                  kedge_status expected, const char *part)
{
    store *s = (store *)t;

    ck_fails(kedge_store_open(path, mode, &s, &t->err), expected, t->err, part);
    ck_assert_ptr_null(s);
}

static void make_file(const char *path, const char *name, const char *text)
{
    char file[256];
    FILE *f;

    snprintf(file, sizeof file, "%s/%s", path, name);
    f = fopen(file, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
}

static int count_files(const char *path)
{
    DIR *dir = opendir(path);
    int count = -2;

    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count;
}

START_TEST(bad_arguments_are_refused)
{
    scene t;

    scene_paths(&t);
    fails(&t, NULL, KEDGE_OPEN_READ, KEDGE_EINVAL, "a store needs a path");
    fails(&t, "", KEDGE_OPEN_CREATE, KEDGE_EINVAL, "a store needs a path");
    fails(&t, t.path, (kedge_open_mode)3, KEDGE_EINVAL, "no such way");
    ck_fails(kedge_store_open(t.path, KEDGE_OPEN_READ, NULL, &t.err),
             KEDGE_EINVAL, t.err, "no place");
    kedge_store_close(NULL);
    scene_end(&t);
}
END_TEST

START_TEST(what_is_not_there_is_not_found)
{
    char deep[128];
    scene t;

    scene_paths(&t);
    snprintf(deep, sizeof deep, "%s/no/store", t.root);
    fails(&t, t.path, KEDGE_OPEN_READ, KEDGE_ENOTFOUND, "there is no store");
    fails(&t, t.path, KEDGE_OPEN_WRITE, KEDGE_ENOTFOUND, "there is no store");
    fails(&t, deep, KEDGE_OPEN_CREATE, KEDGE_ENOTFOUND, "No such file");
    ck_assert_int_eq(count_files(t.root), 0);
    scene_end(&t);
}
END_TEST

START_TEST(an_empty_directory_is_no_store_but_becomes_one)
{
    scene t;

    scene_paths(&t);
    ck_assert_int_eq(mkdir(t.path, 0777), 0);
    fails(&t, t.path, KEDGE_OPEN_READ, KEDGE_ENOTFOUND, "no store in this");
    fails(&t, t.path, KEDGE_OPEN_WRITE, KEDGE_ENOTFOUND, "no store in this");
    ck_assert_int_eq(count_files(t.path), 0);
    scene_open(&t, KEDGE_OPEN_CREATE);
    scene_end(&t);
}
END_TEST

START_TEST(other_things_are_left_alone)
{
    char file[128];
    scene t;

    scene_paths(&t);
    make_file(t.root, "letters.txt", "dear");
    fails(&t, t.root, KEDGE_OPEN_CREATE, KEDGE_EINVAL, "letters.txt");
    fails(&t, t.root, KEDGE_OPEN_READ, KEDGE_ENOTFOUND, "no store in this");
    ck_assert_int_eq(count_files(t.root), 1);
    snprintf(file, sizeof file, "%s/letters.txt", t.root);
    fails(&t, file, KEDGE_OPEN_CREATE, KEDGE_EINVAL, "not a directory");
    fails(&t, file, KEDGE_OPEN_READ, KEDGE_EINVAL, "not a directory");
    scene_end(&t);
}
END_TEST

START_TEST(an_interrupted_making_is_taken_up)
{
    scene t;

    scene_paths(&t);
    ck_assert_int_eq(mkdir(t.path, 0777), 0);
    for (int i = 0; i < 3; i++)
        make_file(t.path, names[i], "");
    fails(&t, t.path, KEDGE_OPEN_WRITE, KEDGE_ENOTFOUND, "no store in this");
    scene_open(&t, KEDGE_OPEN_CREATE);
    scene_reopen(&t, KEDGE_OPEN_CREATE);
    scene_reopen(&t, KEDGE_OPEN_READ);
    scene_end(&t);
}
END_TEST

START_TEST(garbage_is_damage)
{
    scene t;

    scene_make(&t);
    scene_close(&t);
    make_file(t.path, "data.mdb", "garbage");
    for (unsigned mode = KEDGE_OPEN_READ; mode <= KEDGE_OPEN_CREATE; mode++)
        fails(&t, t.path, mode, KEDGE_ECORRUPT, "store/data.mdb: is not a");
    ck_assert_int_eq(unlink(t.data), 0);
    ck_assert_int_eq(mkdir(t.data, 0777), 0);
    fails(&t, t.path, KEDGE_OPEN_READ, KEDGE_ECORRUPT, "is not a file");
    ck_assert_int_eq(rmdir(t.data), 0);
    scene_end(&t);
}
END_TEST

START_TEST(the_lock_keeps_a_second_writer_out)
{
    directory a, b;
    scene t;

    scene_paths(&t);
    ck_ok(directory_open(&a, t.path, KEDGE_OPEN_CREATE, &t.err), t.err);
    ck_fails(directory_open(&b, t.path, KEDGE_OPEN_CREATE, &t.err), KEDGE_EBUSY,
             t.err, "another process is writing to");
    ck_ok(directory_sync(&a, &t.err), t.err);
    directory_close(&a);
    directory_close(&a);
    ck_ok(directory_open(&b, t.path, KEDGE_OPEN_CREATE, &t.err), t.err);
    directory_close(&b);
    scene_end(&t);
}
END_TEST

static kedge_status open_close(scene *t)
{
    const kedge_status st =
        kedge_store_open(t->path, KEDGE_OPEN_CREATE, &t->s, &t->err);

    scene_close(t);
    return st;
}

START_TEST(no_memory_is_told)
{
    scene t;

    scene_paths(&t);
    scene_starve(open_close(&t), t.err);
    scene_starve(open_close(&t), t.err);
    scene_end(&t);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        bad_arguments_are_refused,
        what_is_not_there_is_not_found,
        an_empty_directory_is_no_store_but_becomes_one,
        other_things_are_left_alone,
        an_interrupted_making_is_taken_up,
        garbage_is_damage,
        the_lock_keeps_a_second_writer_out,
        no_memory_is_told,
        NULL,
    };

    return unit_run("store/directory", tests);
}
