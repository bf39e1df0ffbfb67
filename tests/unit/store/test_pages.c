/* SPDX-License-Identifier: MIT */
#include "store/pages.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/chance.h"
#include "store/scene.h"

enum { BLOCKS = 100, PAGE = 4096 };

static void put_block(scene *t, uint64_t number, size_t count)
{
    docs d = {0};
    store_block b = {0};

    scene_docs(&d, number, count);
    ck_ok(store_block_encode(&b, 0, &d, 0, count, &t->err), t->err);
    ck_ok(store_put_block(t->s, number, &b, &t->err), t->err);
    store_block_free(&b);
    docs_free(&d);
}

static void put_sources(scene *t, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const store_source r = {.name = "file", .tokens = i};
        ck_ok(store_put_source(t->s, i, &r, &t->err), t->err);
    }
}

/* Trees of two levels, values on pages of their own, and free pages. */
static void make(scene *t)
{
    scene_make(t);
    for (int round = 0; round < 3; round++) {
        scene_write(t);
        for (uint64_t i = 0; i < BLOCKS; i++)
            put_block(t, i, i % 40 == 0 ? 200 : 2);
        put_sources(t, 30);
        scene_commit(t);
    }
    scene_close(t);
}

static uint8_t *load(const scene *t, size_t *size)
{
    struct stat info;
    const int fd = open(t->data, O_RDONLY);
    uint8_t *bytes;

    ck_assert_int_eq(fstat(fd, &info), 0);
    *size = (size_t)info.st_size;
    bytes = mem_new(*size, 1);
    ck_assert_int_eq(read(fd, bytes, *size), (ssize_t)*size);
    close(fd);
    return bytes;
}

static void save(const scene *t, const uint8_t *bytes, size_t size)
{
    const int fd = open(t->data, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
    close(fd);
}

/* Blocks that come back; each is as it was, or told to be damaged. */
static int readable(scene *t)
{
    store_block b = {0};
    docs d = {0}, out = {0};
    int count = 0;

    scene_read(t);
    for (uint64_t i = 0; i < BLOCKS; i++) {
        const uint8_t *bytes;
        size_t size;
        uint32_t source;
        kedge_status st = store_get_block(t->s, i, &bytes, &size, &t->err);
        docs_clear(&out);
        if (st == KEDGE_OK)
            st = store_block_decode(&b, i, bytes, size, &source, &out, &t->err);
        ck_assert(st == KEDGE_OK || st == KEDGE_ECORRUPT ||
                  st == KEDGE_ENOTFOUND);
        if (st != KEDGE_OK)
            continue;
        count++;
        scene_docs(&d, i, i % 40 == 0 ? 200 : 2);
        ck_assert(scene_same_docs(&d, &out));
    }
    store_abort(t->s);
    store_block_free(&b);
    docs_free(&d);
    docs_free(&out);
    return count;
}

/* A damaged store opens or is told to be damaged; then all is right or told.
 * Returns how many blocks came back, -1 when it did not open. */
static int look(scene *t, kedge_open_mode mode)
{
    const kedge_status st = kedge_store_open(t->path, mode, &t->s, &t->err);
    int count = -1;

    ck_assert_msg(st == KEDGE_OK || st == KEDGE_ECORRUPT ||
                      st == KEDGE_EVERSION || st == KEDGE_ENOTFOUND ||
                      st == KEDGE_ENOMEM || st == KEDGE_EINVAL,
                  "%d %s", (int)st, t->err.text);
    if (st == KEDGE_OK)
        count = readable(t);
    if (count >= 0 && mode != KEDGE_OPEN_READ &&
        store_begin_write(t->s, 1 << 20, &t->err) == KEDGE_OK) {
        put_sources(t, 5);
        ck_ok(store_commit(t->s, &t->err), t->err);
        ck_assert_int_eq(readable(t), count);
    }
    scene_close(t);
    return count;
}

START_TEST(a_whole_store_is_passed)
{
    scene t;

    make(&t);
    ck_assert_int_eq(look(&t, KEDGE_OPEN_READ), BLOCKS);
    ck_assert_int_eq(look(&t, KEDGE_OPEN_WRITE), BLOCKS);
    scene_end(&t);
}
END_TEST

START_TEST(every_cut_is_found)
{
    scene t;
    size_t size, found = 0, cuts = 0;

    make(&t);
    uint8_t *bytes = load(&t, &size);
    for (size_t cut = 1; cut < size; cut += cut < 3 * PAGE ? 97 : 1999) {
        const int count = (save(&t, bytes, cut), look(&t, KEDGE_OPEN_READ));
        ck_assert(count == -1 || count == BLOCKS);
        found += count == -1;
        cuts++;
    }
    ck_assert_uint_ge(found, cuts * 9 / 10);
    mem_free(bytes);
    scene_end(&t);
}
END_TEST

/* Each try is a bit flipped somewhere, more often in a page's head. */
START_TEST(flipped_bits_never_crash)
{
    scene t;
    size_t size, found = 0;

    make(&t);
    uint8_t *bytes = load(&t, &size);
    for (uint64_t i = 0; i < 400; i++) {
        const size_t page = scene_random(1, i, size / PAGE) * PAGE;
        const size_t at =
            i % 4 == 0 ? scene_random(2, i, 2) * PAGE + scene_random(3, i, 160)
                       : page + scene_random(4, i, i % 4 == 1 ? PAGE : 64);
        const uint8_t bit = (uint8_t)(1u << scene_random(5, i, 8));
        bytes[at] ^= bit;
        save(&t, bytes, size);
        found += look(&t, i % 2 ? KEDGE_OPEN_READ : KEDGE_OPEN_WRITE) != BLOCKS;
        bytes[at] ^= bit;
    }
    ck_assert_uint_ge(found, 30);
    mem_free(bytes);
    scene_end(&t);
}
END_TEST

/* LMDB believes a page that says so that it is its own copy in memory. */
START_TEST(pages_that_say_they_are_in_memory_are_damaged)
{
    static const unsigned flags[] = {0x10, 0x40, 0x4000, 0x8000};
    scene t;
    size_t size, found = 0, tried = 0;

    make(&t);
    uint8_t *bytes = load(&t, &size);
    for (size_t page = 2 * PAGE; page < size; page += PAGE) {
        const unsigned flag = flags[tried++ % 4];
        const size_t at = page + 10 + (flag > 0xff ? 1 : 0);
        const uint8_t bit = (uint8_t)(flag > 0xff ? flag >> 8 : flag);
        bytes[at] ^= bit;
        save(&t, bytes, size);
        found += look(&t, KEDGE_OPEN_WRITE) == -1;
        bytes[at] ^= bit;
    }
    ck_assert_uint_ge(found, 4);
    mem_free(bytes);
    scene_end(&t);
}
END_TEST

START_TEST(overwritten_pages_never_crash)
{
    scene t;
    size_t size;

    make(&t);
    uint8_t *bytes = load(&t, &size);
    for (uint64_t i = 0; i < 80; i++) {
        const size_t page = scene_random(1, i, size / PAGE) * PAGE;
        const size_t other = scene_random(2, i, size / PAGE) * PAGE;
        uint8_t old[PAGE];
        memcpy(old, bytes + page, PAGE);
        memcpy(bytes + page, bytes + other, PAGE);
        if (i % 3 == 0)
            memset(bytes + page, (int)scene_random(3, i, 256), PAGE);
        save(&t, bytes, size);
        look(&t, i % 2 ? KEDGE_OPEN_READ : KEDGE_OPEN_WRITE);
        memcpy(bytes + page, old, PAGE);
    }
    mem_free(bytes);
    scene_end(&t);
}
END_TEST

/* Pages at the end that were taken and given back are never written. */
START_TEST(a_file_shorter_than_its_last_page_is_whole)
{
    uint8_t header[200000] = {1};
    const uint8_t *back;
    size_t size;
    scene t;

    scene_make(&t);
    scene_write(&t);
    ck_ok(store_put_model(t.s, "m", header, sizeof header, &t.err), t.err);
    ck_ok(store_drop_model(t.s, "m", &t.err), t.err);
    ck_ok(store_put_model(t.s, "n", header, 10, &t.err), t.err);
    scene_commit(&t);
    scene_reopen(&t, KEDGE_OPEN_WRITE);
    scene_read(&t);
    ck_ok(store_get_model_header(t.s, "n", &back, &size, &t.err), t.err);
    scene_end(&t);
}
END_TEST

/* ---- numbers of transactions --------------------------------------------- */

/* One transaction of any kind; some change nothing. */
static void any_transaction(scene *t, chance *c)
{
    const uint64_t n = chance_below(c, 40);
    char id[16];

    scene_write(t);
    switch (chance_below(c, 8)) {
    case 0:
        put_block(t, n, 1 + chance_below(c, 50));
        break;
    case 1:
        ck_ok(store_drop_block(t->s, n, &t->err), t->err);
        break;
    case 2: /* the same again, often */
        put_sources(t, 1 + n % 3);
        break;
    case 3:
        for (uint64_t i = 0; i < 20 * n; i++) {
            snprintf(id, sizeof id, "%llx",
                     (unsigned long long)hash_stream(n, i) >> 16);
            ck_ok(store_put_id(t->s, span_text(id), (store_place){n, i},
                               &t->err), t->err);
        }
        break;
    case 4:
        ck_ok(store_drop_ids(t->s, &t->err), t->err);
        break;
    case 5:
        ck_ok(store_drop_removals(t->s, &t->err), t->err);
        break;
    case 6: /* nothing */
        break;
    default:
        put_block(t, n, 1);
        store_abort(t->s);
        return;
    }
    scene_commit(t);
}

/* Another process that holds a snapshot, whose pages are not free. */
static pid_t hold_snapshot(const scene *t)
{
    int ready[2];
    char byte;
    pid_t child;

    ck_assert_int_eq(pipe(ready), 0);
    child = unit_fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        scene other = *t;
        scene_open(&other, KEDGE_OPEN_READ);
        scene_read(&other);
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(0);
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

/* What an open checks rests on each of them listing what it frees. */
START_TEST(every_transaction_is_told_by_its_number)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        chance c = {.key = seed};
        pid_t reader = 0;
        scene t;
        scene_make(&t);
        for (int i = 0; i < 60; i++) {
            if (seed % 3 == 2 && i == 20) {
                scene_close(&t);
                reader = hold_snapshot(&t);
                scene_open(&t, KEDGE_OPEN_WRITE);
            }
            any_transaction(&t, &c);
            if (i % 9 == 8 && reader == 0)
                ck_ok(store_compact(t.s, NULL, &t.err), t.err);
            scene_reopen(&t, i % 2 == 0 ? KEDGE_OPEN_WRITE : KEDGE_OPEN_READ);
            scene_reopen(&t, KEDGE_OPEN_WRITE);
        }
        if (reader != 0) {
            kill(reader, SIGKILL);
            waitpid(reader, NULL, 0);
        }
        scene_end(&t);
    }
}
END_TEST

/* Both meta pages tell other numbers than the transactions had. */
START_TEST(other_numbers_are_found)
{
    enum { AT = 144 }; /* of a meta page: the transaction */
    scene t;
    size_t size;

    make(&t);
    uint8_t *const bytes = load(&t, &size);
    for (int delta = -4; delta <= 4; delta += 2) {
        for (size_t page = 0; page < 2; page++) {
            uint64_t number;
            memcpy(&number, bytes + page * PAGE + AT, 8);
            number += (uint64_t)delta;
            memcpy(bytes + page * PAGE + AT, &number, 8);
        }
        save(&t, bytes, size);
        if (delta == 0) {
            scene_open(&t, KEDGE_OPEN_WRITE);
            scene_close(&t);
        } else {
            ck_fails(kedge_store_open(t.path, KEDGE_OPEN_WRITE, &t.s, &t.err),
                     KEDGE_ECORRUPT, t.err, "its transaction");
        }
        for (size_t page = 0; page < 2; page++) {
            uint64_t number;
            memcpy(&number, bytes + page * PAGE + AT, 8);
            number -= (uint64_t)delta;
            memcpy(bytes + page * PAGE + AT, &number, 8);
        }
    }
    mem_free(bytes);
    scene_end(&t);
}
END_TEST

START_TEST(no_memory_is_told)
{
    bool moved;
    scene t;

    make(&t);
    const int fd = open(t.data, O_RDONLY);
    scene_starve(pages_check_trees(fd, 4, true, &moved, &t.err), t.err);
    ck_assert(!moved);
    ck_ok(pages_check_trees(fd, 2, true, &moved, &t.err), t.err);
    ck_assert(moved);
    close(fd);
    scene_end(&t);
}
END_TEST

UNIT_SUITE("pages",
    a_whole_store_is_passed,
    every_cut_is_found,
    flipped_bits_never_crash,
    pages_that_say_they_are_in_memory_are_damaged,
    overwritten_pages_never_crash,
    a_file_shorter_than_its_last_page_is_whole,
    every_transaction_is_told_by_its_number,
    other_numbers_are_found,
    no_memory_is_told)
