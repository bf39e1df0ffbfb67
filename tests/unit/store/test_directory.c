/* SPDX-License-Identifier: MIT */
#include "store/files.h"

#include <fcntl.h>

#include "store/scene.h"

static const char *const names[] = {"data.mdb", "lock.mdb", "writer.lock"};

static void fails(scene *t, const char *path, kedge_open_mode mode,
                  kedge_status expected, const char *part)
{
    store *s = (store *)t;

    FAILS(kedge_store_open(path, mode, &s, &t->err), expected, part);
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

TEST(bad_arguments_are_refused)
{
    OWN(scene_drop) scene *const t = scene_blank();

    scene_paths(t);
    fails(t, NULL, KEDGE_OPEN_READ, KEDGE_EINVAL, "path is NULL");
    fails(t, "", KEDGE_OPEN_CREATE, KEDGE_EINVAL, "a store needs a path");
    fails(t, t->path, (kedge_open_mode)3, KEDGE_EINVAL, "unknown mode to open "
                                                        "a store");
    FAILS(kedge_store_open(t->path, KEDGE_OPEN_READ, NULL, &t->err),
          KEDGE_EINVAL, "out is NULL");
    kedge_store_close(NULL);
}

TEST(what_is_not_there_is_not_found)
{
    char deep[128];
    OWN(scene_drop) scene *const t = scene_blank();

    scene_paths(t);
    snprintf(deep, sizeof deep, "%s/no/store", t->root);
    fails(t, t->path, KEDGE_OPEN_READ, KEDGE_ENOTFOUND, "there is no store");
    fails(t, t->path, KEDGE_OPEN_WRITE, KEDGE_ENOTFOUND, "there is no store");
    fails(t, deep, KEDGE_OPEN_CREATE, KEDGE_ENOTFOUND, "No such file");
    ck_assert_int_eq(count_files(t->root), 0);
}

TEST(an_empty_directory_is_no_store_but_becomes_one)
{
    OWN(scene_drop) scene *const t = scene_blank();

    scene_paths(t);
    ck_assert_int_eq(mkdir(t->path, 0777), 0);
    fails(t, t->path, KEDGE_OPEN_READ, KEDGE_ENOTFOUND, "no store in this");
    fails(t, t->path, KEDGE_OPEN_WRITE, KEDGE_ENOTFOUND, "no store in this");
    ck_assert_int_eq(count_files(t->path), 0);
    scene_open(t, KEDGE_OPEN_CREATE);
}

TEST(other_things_are_left_alone)
{
    char file[128];
    OWN(scene_drop) scene *const t = scene_blank();

    scene_paths(t);
    make_file(t->root, "letters.txt", "dear");
    fails(t, t->root, KEDGE_OPEN_CREATE, KEDGE_EINVAL, "letters.txt");
    fails(t, t->root, KEDGE_OPEN_READ, KEDGE_ENOTFOUND, "no store in this");
    ck_assert_int_eq(count_files(t->root), 1);
    snprintf(file, sizeof file, "%s/letters.txt", t->root);
    fails(t, file, KEDGE_OPEN_CREATE, KEDGE_EINVAL, "not a directory");
    fails(t, file, KEDGE_OPEN_READ, KEDGE_EINVAL, "not a directory");
}

TEST(an_interrupted_making_is_taken_up)
{
    OWN(scene_drop) scene *const t = scene_blank();

    scene_paths(t);
    ck_assert_int_eq(mkdir(t->path, 0777), 0);
    for (int i = 0; i < 3; i++)
        make_file(t->path, names[i], "");
    fails(t, t->path, KEDGE_OPEN_WRITE, KEDGE_ENOTFOUND, "no store in this");
    scene_open(t, KEDGE_OPEN_CREATE);
    scene_reopen(t, KEDGE_OPEN_CREATE);
    scene_reopen(t, KEDGE_OPEN_READ);
}

/* The first bytes of a file that LMDB has just made, before anything is
 * committed: the first page of a new store still is as it was. */
static void make_unborn(const scene *t, uint8_t *pages, size_t page)
{
    const uint64_t number = 1;
    FILE *f = fopen(t->data, "r");

    ck_assert_uint_eq(fread(pages, 1, page, f), page);
    fclose(f);
    memcpy(pages + page, pages, page);
    memcpy(pages + page, &number, sizeof number);
}

static void put_data(const scene *t, const uint8_t *bytes, size_t size)
{
    FILE *f = fopen(t->data, "w");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, size, f), size);
    ck_assert_int_eq(fclose(f), 0);
}

/* `size` bytes, those from `kept` on lost. */
static void put_torn(const scene *t, const uint8_t *pages, size_t kept,
                     size_t size)
{
    OWNED uint8_t *bytes = mem_new(size, 1);

    memcpy(bytes, pages, kept);
    put_data(t, bytes, size);
}

TEST(a_making_that_tore_the_first_pages_is_taken_up)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    OWNED uint8_t *pages = mem_new(2 * page, 1);
    OWN(scene_drop) scene *const t = scene_new();

    scene_close(t);
    make_unborn(t, pages, page);
    for (size_t i = 1; i < 200; i++) {
        const size_t kept = i < 100 ? 2 * i : page + 2 * (i - 100);
        const size_t size = i % 3 == 0 ? kept : i % 3 * 4 * page;
        put_torn(t, pages, kept, size);
        if (kept < page + 152) /* else there is an environment, empty */
            fails(t, t->path, KEDGE_OPEN_READ, KEDGE_ENOTFOUND, "no store");
        scene_open(t, KEDGE_OPEN_CREATE);
        scene_reopen(t, KEDGE_OPEN_READ);
        scene_close(t);
    }
}

TEST(data_that_are_gone_are_damage)
{
    OWN(scene_drop) scene *const t = scene_writing();

    scene_commit(t);
    scene_close(t);
    for (int empty = 1; empty >= 0; empty--) {
        ck_assert_int_eq(empty ? truncate(t->data, 0) : unlink(t->data), 0);
        for (int mode = KEDGE_OPEN_READ; mode <= KEDGE_OPEN_CREATE; mode++)
            fails(t, t->path, (kedge_open_mode)mode, KEDGE_ECORRUPT,
                  "is empty or gone");
    }
}

TEST(what_may_have_been_a_store_is_damage)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    OWNED uint8_t *pages = mem_new(2 * page, 1);
    const uint64_t snapshot = 4;
    OWN(scene_drop) scene *const t = scene_new();

    scene_close(t);
    make_unborn(t, pages, page);
    put_torn(t, pages, page, 11 * page); /* more than a making writes */
    fails(t, t->path, KEDGE_OPEN_CREATE, KEDGE_ECORRUPT, "page 1");
    memcpy(pages + 144, &snapshot, sizeof snapshot);
    put_torn(t, pages, page, page); /* it had transactions */
    fails(t, t->path, KEDGE_OPEN_CREATE, KEDGE_ECORRUPT, "page 1");
    memset(pages, 0, page);
    for (size_t i = 0; i < 152; i++) { /* no zeros after all */
        pages[i] = 0x55;
        put_torn(t, pages, page, page);
        fails(t, t->path, KEDGE_OPEN_CREATE, KEDGE_ECORRUPT, "page 0");
        pages[i] = 0;
    }
}

TEST(garbage_is_damage)
{
    OWN(scene_drop) scene *const t = scene_new();

    scene_close(t);
    make_file(t->path, "data.mdb", "garbage");
    for (unsigned mode = KEDGE_OPEN_READ; mode <= KEDGE_OPEN_CREATE; mode++)
        fails(t, t->path, mode, KEDGE_ECORRUPT, "store/data.mdb: is not a");
    ck_assert_int_eq(unlink(t->data), 0);
    ck_assert_int_eq(mkdir(t->data, 0777), 0);
    fails(t, t->path, KEDGE_OPEN_READ, KEDGE_ECORRUPT, "is not a file");
    ck_assert_int_eq(rmdir(t->data), 0);
}

/* ---- links and pipes ----------------------------------------------------- */

/* Somebody else's file, reached through a store's name. */
static void link_to_letter(scene *t, const char *name, char letter[256])
{
    char link[256];

    snprintf(letter, 256, "%s/letter", t->root);
    make_file(t->root, "letter", "dear");
    snprintf(link, sizeof link, "%s/%s", t->path, name);
    unlink(link);
    ck_assert_int_eq(symlink(letter, link), 0);
}

static void is_untouched(const char *letter)
{
    char text[8] = "";
    FILE *f = fopen(letter, "r");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fread(text, 1, sizeof text, f), 4);
    fclose(f);
    ck_assert_str_eq(text, "dear");
}

TEST(a_link_in_the_place_of_a_file_is_not_followed)
{
    static const char *const links[] = {"lock.mdb",    "writer.lock",
                                        "data.mdb",    "checked",
                                        "checked.new", "compact.mdb"};
    char letter[256];

    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        for (unsigned mode = KEDGE_OPEN_READ; mode <= KEDGE_OPEN_CREATE;
             mode++) {
            OWN(scene_drop) scene *const t = scene_new();
            scene_close(t);
            link_to_letter(t, links[i], letter);
            if (kedge_store_open(t->path, (kedge_open_mode)mode, &t->s,
                                 &t->err) != KEDGE_OK)
                ck_assert_msg(strstr(t->err.text, links[i]) != NULL, "%s",
                              t->err.text);
            else if (mode != KEDGE_OPEN_READ) {
                scene_write(t);
                OK(store_put_totals(t->txn, &(store_totals){.documents = 1},
                                    &t->err));
                scene_commit(t);
                OK(store_compact(t->s, NULL, &t->err));
            }
            scene_close(t);
            is_untouched(letter);
            ck_assert_int_eq(unlink(letter), 0); /* nor is it made */
            if (kedge_store_open(t->path, (kedge_open_mode)mode, &t->s,
                                 &t->err) == KEDGE_OK)
                scene_close(t);
            ck_assert_int_ne(access(letter, F_OK), 0);
        }
}

TEST(a_pipe_in_the_place_of_a_file_is_not_waited_for)
{
    static const char *const files[] = {"lock.mdb", "writer.lock", "data.mdb",
                                        "checked"};
    char path[256];

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (unsigned mode = KEDGE_OPEN_READ; mode <= KEDGE_OPEN_CREATE;
             mode++) {
            OWN(scene_drop) scene *const t = scene_new();
            scene_close(t);
            snprintf(path, sizeof path, "%s/%s", t->path, files[i]);
            unlink(path);
            ck_assert_int_eq(mkfifo(path, 0666), 0);
            if (kedge_store_open(t->path, (kedge_open_mode)mode, &t->s,
                                 &t->err) != KEDGE_OK)
                ck_assert_msg(strstr(t->err.text, "is not a file") != NULL,
                              "%s", t->err.text);
        }
}

/* ---- waiting ------------------------------------------------------------- */

typedef struct patience {
    int lines, asked;
    char line[256];
    kedge_store *other; /* is closed when it was asked twice */
} patience;

static void hear(void *data, const char *line)
{
    patience *p = data;

    p->lines++;
    snprintf(p->line, sizeof p->line, "%s", line);
}

static int let_go(void *data)
{
    patience *p = data;

    if (++p->asked == 2) {
        kedge_store_close(p->other);
        p->other = NULL;
    }
    return 0;
}

static int stop_at_once(void *data)
{
    (void)data;
    return 1;
}

TEST(a_writer_can_wait_for_another)
{
    patience p = {0};
    kedge_wait wait = {.seconds = 0.1, .data = &p, .log = hear};
    char who[64];
    OWN(scene_drop) scene *const t = scene_new();

    p.other = t->s;
    t->s = NULL;
    FAILS(
        kedge_store_open_wait(t->path, KEDGE_OPEN_WRITE, &wait, &t->s, &t->err),
        KEDGE_EBUSY, "another process is writing to");
    snprintf(who, sizeof who, "waiting for process %ld,", (long)getpid());
    ck_assert_int_eq(p.lines, 1);
    ck_assert_ptr_nonnull(strstr(p.line, who));
    wait.stop = stop_at_once;
    FAILS(
        kedge_store_open_wait(t->path, KEDGE_OPEN_WRITE, &wait, &t->s, &t->err),
        KEDGE_ECANCELED, "stopped");
    wait.stop = let_go;
    wait.seconds = -1;
    OK(kedge_store_open_wait(t->path, KEDGE_OPEN_WRITE, &wait, &t->s, &t->err));
    ck_assert_int_eq(p.asked, 2);
}

static int withdraw(void *data)
{
    patience *p = data;

    if (++p->asked == 1) {
        kedge_store_withdraw(p->other);
        p->other = NULL;
    }
    return 0;
}

/* Who has the lock of a store that is gone has none. */
TEST(a_store_that_goes_while_it_is_waited_for_is_made_again)
{
    patience p = {0};
    const kedge_wait wait = {.seconds = -1, .data = &p, .stop = withdraw};
    kedge_store *second = NULL;
    OWN(scene_drop) scene *const t = scene_new();

    p.other = t->s;
    OK(kedge_store_open_wait(t->path, KEDGE_OPEN_CREATE, &wait, &t->s,
                             &t->err));
    FAILS(kedge_store_open(t->path, KEDGE_OPEN_WRITE, &second, &t->err),
          KEDGE_EBUSY, "another process");
}

static kedge_status open_close(scene *t)
{
    const kedge_status st =
        kedge_store_open(t->path, KEDGE_OPEN_CREATE, &t->s, &t->err);

    scene_close(t);
    return st;
}

TEST(no_memory_is_told)
{
    OWN(scene_drop) scene *const t = scene_blank();

    scene_paths(t);
    scene_starve(open_close(t), t->err);
    scene_starve(open_close(t), t->err);
}
