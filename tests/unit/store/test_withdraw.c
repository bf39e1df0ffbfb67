/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <sys/resource.h>

#include "store/files.h"
#include "store/kv.h"
#include "store/scene.h"

static bool is_there(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0;
}

static void withdraw(scene *t)
{
    kedge_store_withdraw(t->s);
    t->s = NULL;
}

TEST(an_empty_store_goes_with_its_directory)
{
    OWN(scene_drop) scene *const t = scene_new();

    kedge_store_withdraw(NULL);
    ck_assert(is_there(t->data));
    withdraw(t);
    ck_assert(!is_there(t->path));
    scene_open(t, KEDGE_OPEN_CREATE); /* and can be made again */
    scene_write(t);                   /* what is not committed does not count */
    OK(store_put_totals(t->txn, &(store_totals){.documents = 1}, &t->err));
    withdraw(t);
    ck_assert(!is_there(t->path));
}

/* As after address space ran out. */
TEST(a_store_that_failed_goes_as_well)
{
    OWN(scene_drop) scene *const t = scene_new();

    kv_give_up(t->s);
    withdraw(t);
    ck_assert(!is_there(t->path));
    scene_make(t);
    scene_write(t);
    OK(store_put_totals(t->txn, &(store_totals){.documents = 1}, &t->err));
    scene_commit(t);
    kv_give_up(t->s);
    withdraw(t);
    ck_assert(is_there(t->data)); /* there is something in it */
}

TEST(a_directory_that_was_there_stays)
{
    OWN(scene_drop) scene *const t = scene_blank();

    scene_paths(t);
    ck_assert_int_eq(mkdir(t->path, 0777), 0);
    scene_open(t, KEDGE_OPEN_CREATE);
    withdraw(t);
    ck_assert(is_there(t->path));
    ck_assert(!is_there(t->data));
    ck_assert_int_eq(rmdir(t->path), 0); /* it is empty */
}

TEST(files_of_others_stay)
{
    char other[128];
    OWN(scene_drop) scene *const t = scene_new();
    FILE *f;

    snprintf(other, sizeof other, "%s/notes", t->path);
    f = fopen(other, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fclose(f), 0);
    withdraw(t);
    ck_assert(is_there(other));
    ck_assert(!is_there(t->data));
}

TEST(what_had_documents_stays)
{
    static const store_totals had[] = {
        {.documents = 1}, {.blocks = 1}, {.removed = 1}};

    for (size_t i = 0; i < sizeof had / sizeof *had; i++) {
        OWN(scene_drop) scene *const t = scene_writing();
        OK(store_put_totals(t->txn, &had[i], &t->err));
        scene_commit(t);
        withdraw(t);
        ck_assert(is_there(t->data));
        scene_open(t, KEDGE_OPEN_READ);
    }
}

TEST(who_only_opened_it_takes_nothing)
{
    static const kedge_open_mode modes[] = {KEDGE_OPEN_READ, KEDGE_OPEN_WRITE,
                                            KEDGE_OPEN_CREATE};

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        OWN(scene_drop) scene *const t = scene_new();
        scene_reopen(t, modes[i]);
        withdraw(t);
        ck_assert(is_there(t->data));
        scene_open(t, KEDGE_OPEN_READ);
    }
}

TEST(withdrawing_without_memory)
{
    for (long k = 0; k < 20; k++) {
        OWN(scene_drop) scene *const t = scene_new();
        scene_allowed = k;
        mem_set_gate(scene_gate);
        withdraw(t);
        mem_set_gate(NULL); /* whatever is left can be made a store again */
        scene_open(t, KEDGE_OPEN_CREATE);
    }
}
