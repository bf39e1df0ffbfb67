/* SPDX-License-Identifier: MIT */
#include "store/files.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>

#include "store/kv.h"
#include "store/scene.h"

static stamp_fit fit(const scene *t)
{
    const directory d = {.path = (char *)(uintptr_t)t->path,
                         .lock = -1,
                         .fd = open(t->path, O_PATH | O_DIRECTORY)};
    struct stat data;

    ck_assert_int_eq(stat(t->data, &data), 0);
    const stamp_fit found = stamp_look(&d, &data, 1);
    close(d.fd);
    return found;
}

static void change(scene *t, uint64_t n)
{
    scene_write(t);
    OK(store_put_totals(t->txn, &(store_totals){.documents = n}, &t->err));
    scene_commit(t);
}

static void drop_stamp(const scene *t)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", t->path, DIRECTORY_STAMP);
    ck_assert_int_eq(unlink(path), 0);
}

static void write_byte(const scene *t, off_t at, uint8_t byte)
{
    const int fd = open(t->data, O_WRONLY);

    ck_assert_int_eq(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

TEST(a_store_has_one_after_every_commit)
{
    OWN(scene_drop) scene *const t = scene_new();

    ck_assert_int_eq(fit(t), STAMP_STATE);
    for (uint64_t n = 1; n < 5; n++) {
        change(t, n);
        ck_assert_int_eq(fit(t), STAMP_STATE);
    }
    change(t, 4); /* nothing new */
    ck_assert_int_eq(fit(t), STAMP_STATE);
    OK(store_compact(t->s, NULL, &t->err));
    ck_assert_int_eq(fit(t), STAMP_STATE);
    change(t, 9);
    scene_close(t);
    ck_assert_int_eq(fit(t), STAMP_STATE);
    scene_open(t, KEDGE_OPEN_READ);
    ck_assert_int_eq(fit(t), STAMP_STATE);
}

TEST(what_another_program_did_does_not_fit)
{
    char copy[128], command[512];
    struct timespec times[2];
    struct stat before;
    scene t, other;

    scene_make(&t);
    scene_close(&t);
    ck_assert_int_eq(stat(t.data, &before), 0);
    write_byte(&t, 9 * 4096, 1); /* behind all pages */
    ck_assert_int_eq(fit(&t), STAMP_FILE);
    times[0] = before.st_atim;
    times[1] = before.st_mtim;
    ck_assert_int_eq(truncate(t.data, before.st_size), 0);
    ck_assert_int_eq(utimensat(AT_FDCWD, t.data, times, 0), 0);
    ck_assert_int_eq(fit(&t), STAMP_FILE);
    scene_open(&t, KEDGE_OPEN_READ); /* checks, and writes another */
    ck_assert_int_eq(fit(&t), STAMP_STATE);
    scene_close(&t);
    snprintf(copy, sizeof copy, "%s/copy", t.root);
    snprintf(command, sizeof command, "cp -a %s %s", t.path, copy);
    ck_assert_int_eq(system(command), 0);
    other = t;
    snprintf(other.path, sizeof other.path, "%.70s", copy);
    snprintf(other.data, sizeof other.data, "%.70s/data.mdb", copy);
    ck_assert_int_eq(fit(&other), STAMP_NONE);
    ck_assert_int_eq(fit(&t), STAMP_STATE);
    scene_end(&t);
}

TEST(a_stamp_of_anybody_is_not_believed)
{
    char path[128];
    OWN(scene_drop) scene *const t = scene_new();

    scene_close(t);
    snprintf(path, sizeof path, "%s/%s", t->path, DIRECTORY_STAMP);
    ck_assert_int_eq(chmod(path, 0666), 0);
    ck_assert_int_eq(fit(t), STAMP_FOREIGN);
    ck_assert_int_eq(chmod(path, 0644), 0);
    ck_assert_int_eq(fit(t), STAMP_STATE);
    if (getuid() == 0) {
        ck_assert_int_eq(chown(path, 65534, 65534), 0);
        ck_assert_int_eq(fit(t), STAMP_FOREIGN);
    }
    drop_stamp(t);
    ck_assert_int_eq(fit(t), STAMP_NONE);
    ck_assert_int_eq(symlink("/etc/passwd", path), 0);
    ck_assert_int_eq(fit(t), STAMP_NONE);
    scene_open(t, KEDGE_OPEN_WRITE);
    ck_assert_int_eq(fit(t), STAMP_STATE);
}

/* Bytes that this process has read. */
static uint64_t bytes_read(void)
{
    unsigned long long bytes = 0;
    FILE *f = fopen("/proc/self/io", "r");

    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fscanf(f, "rchar: %llu", &bytes), 1);
    fclose(f);
    return bytes;
}

static uint64_t open_close(scene *t, kedge_open_mode mode)
{
    const uint64_t before = bytes_read();

    scene_open(t, mode);
    scene_close(t);
    return bytes_read() - before;
}

/* However big it is. */
TEST(a_store_that_was_left_so_is_opened_unread)
{
    struct stat info;
    char id[24];
    OWN(scene_drop) scene *const t = scene_new();

    scene_in_memory();
    OK(store_begin_write(t->s, &t->txn, &t->err));
    for (uint64_t i = 0; i < 60000; i++) {
        snprintf(id, sizeof id, "document %llu", (unsigned long long)i);
        OK(store_put_id(t->txn, span_text(id), (store_place){i, 1}, &t->err));
    }
    scene_commit(t);
    scene_close(t);
    ck_assert_int_eq(stat(t->data, &info), 0);
    for (unsigned mode = KEDGE_OPEN_READ; mode <= KEDGE_OPEN_WRITE; mode++) {
        ck_assert_uint_lt(open_close(t, (kedge_open_mode)mode), 20000);
        drop_stamp(t);
        ck_assert_uint_gt(open_close(t, (kedge_open_mode)mode),
                          (uint64_t)info.st_size / 2);
        ck_assert_uint_lt(open_close(t, (kedge_open_mode)mode), 20000);
    }
}

TEST(a_writer_that_is_open_vouches_for_the_file)
{
    scene t, reader;

    scene_make(&t);
    change(&t, 7);
    drop_stamp(&t);
    change(&t, 8);
    ck_assert_int_eq(fit(&t), STAMP_STATE);
    write_byte(&t, 60 * 4096, 1); /* as in the middle of a commit */
    ck_assert_int_eq(fit(&t), STAMP_FILE);
    reader = t;
    scene_open(&reader, KEDGE_OPEN_READ);
    ck_assert_int_eq(fit(&t), STAMP_FILE); /* it did not check */
    scene_close(&reader);
    scene_close(&t);
    scene_open(&reader, KEDGE_OPEN_READ);
    ck_assert_int_eq(fit(&t), STAMP_STATE);
    scene_close(&reader);
    scene_end(&t);
}

TEST(a_directory_that_nobody_may_write_to_is_read)
{
    OWN(scene_drop) scene *const t = scene_new();

    change(t, 3);
    scene_close(t);
    drop_stamp(t);
    ck_assert_int_eq(chmod(t->path, 0555) + chmod(t->root, 0755), 0);
    if (getuid() == 0)
        ck_assert_int_eq(seteuid(65534), 0);
    FAILS(kedge_store_open(t->path, KEDGE_OPEN_WRITE, &t->s, &t->err),
          KEDGE_EIO, "Permission denied");
    for (int i = 0; i < 3; i++) {
        scene_open(t, KEDGE_OPEN_READ);
        ck_assert_int_eq(fit(t), STAMP_NONE);
        scene_close(t);
    }
    if (getuid() == 0)
        ck_assert_int_eq(seteuid(0), 0);
    ck_assert_int_eq(chmod(t->path, 0755), 0);
}
