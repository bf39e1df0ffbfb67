/* SPDX-License-Identifier: MIT */
#include "store/files.h"

#include <sys/mman.h>

#include "store/scene.h"

enum { MAP_BYTES = 128 << 20, STEP = 1 << 20 };

/* What the kernel may map in one piece, so many times as it is not asked. */
enum { UNSEEN = 8 * (2 << 20) };

/* A file of the scene's root, mapped; byte i of megabyte n is n. It is written
 * in large pieces, so that the kernel keeps it in such. */
static char *map_file(scene *t)
{
    static char step[STEP];
    char *map;
    FILE *f;

    scene_paths(t);
    f = fopen(t->path, "w+b");
    ck_assert_ptr_nonnull(f);
    for (int i = 0; i < MAP_BYTES / STEP; i++) {
        memset(step, i, STEP);
        ck_assert_uint_eq(fwrite(step, STEP, 1, f), 1);
    }
    ck_assert_int_eq(fflush(f), 0);
    map = mmap(NULL, MAP_BYTES, PROT_READ, MAP_SHARED, fileno(f), 0);
    ck_assert_ptr_ne(map, MAP_FAILED);
    fclose(f);
    return map;
}

/* Reads a byte of every page. */
static void look(const char *at, size_t size)
{
    for (size_t i = 0; i < size; i += 4096)
        ck_assert_int_eq(((const volatile char *)at)[i], at[0]);
}

/* Resident bytes of files that the process maps, on disk or in /dev/shm, by
 * another of the kernel's answers than the one that is asked for. */
static uint64_t resident(void)
{
    unsigned long long kib, sum = 0;
    char line[256];
    FILE *f = fopen("/proc/self/status", "r");

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f) != NULL)
        if (sscanf(line, "RssFile: %llu", &kib) == 1 ||
            sscanf(line, "RssShmem: %llu", &kib) == 1)
            sum += kib;
    fclose(f);
    ck_assert_uint_gt(sum, 0);
    return sum << 10;
}

TEST(values_do_not_stay_in_memory)
{
    OWN(scene_drop) scene *const t = scene_blank();
    char *const map = map_file(t);
    mapped m = {.start = map, .size = MAP_BYTES};
    const uint64_t before = resident();
    uint64_t most = 0;

    for (int round = 0; round < 3; round++)
        for (char *at = map; at < map + MAP_BYTES; at += STEP) {
            mapped_touch(&m, at, STEP);
            look(at, STEP);
            ck_assert_int_eq(at[STEP - 1], (at - map) / STEP);
            if (resident() - before > most)
                most = resident() - before;
        }
    ck_assert_uint_ge(most, MAPPED_MOST / 2);
    ck_assert_uint_le(most, MAPPED_MOST + UNSEEN);
}

/* A byte here and there, with which its neighbours come. */
TEST(neither_do_their_neighbours)
{
    OWN(scene_drop) scene *const t = scene_blank();
    char *const map = map_file(t);
    const uint64_t before = resident();

    for (size_t step = 1 << 16; step <= 4 * STEP; step *= 4) {
        mapped m = {.start = map, .size = MAP_BYTES};
        for (size_t i = 0; i < MAP_BYTES; i += step) {
            char *const at = map + (i * 7 + step / 3) % MAP_BYTES;
            mapped_touch(&m, at, 1);
            look(at, 1);
            ck_assert_uint_le(resident() - before, MAPPED_MOST + UNSEEN);
        }
        mapped_let_go(&m);
    }
}

TEST(small_values_of_one_page_count_once)
{
    mapped m = {0};
    static const char page[8192];
    const char *const at = page + (4096 - (uintptr_t)page % 4096) % 4096;

    mapped_touch(&m, at, 10);
    const size_t first = m.touched;
    for (int i = 1; i < 100; i++)
        mapped_touch(&m, at + 10 * i, 10);
    ck_assert_uint_eq(m.touched, first + 990);
    mapped_touch(&m, NULL, 0);
    mapped_touch(&m, NULL, 0);
    ck_assert_uint_eq(m.touched, first + 990 + 2 * (first - 10));
}

TEST(all_of_it_goes_at_once)
{
    OWN(scene_drop) scene *const t = scene_blank();
    char *const map = map_file(t);
    mapped m = {.start = map, .size = MAP_BYTES}, unknown = {0};
    const uint64_t before = resident();

    for (char *at = map; at < map + MAP_BYTES; at += STEP)
        look(at, STEP);
    mapped_let_go(&unknown);
    ck_assert_uint_ge(resident() - before, MAP_BYTES);
    mapped_let_go(&m);
    ck_assert_uint_le(resident(), before + STEP);
    look(map, STEP);
}
