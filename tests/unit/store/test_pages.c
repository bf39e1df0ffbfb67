/* SPDX-License-Identifier: MIT */
#include "store/files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/chance.h"
#include "store/kv.h"
#include "store/scene.h"

enum { BLOCKS = 100, PAGE = 4096 };

static void put_block(scene *t, uint64_t number, size_t count)
{
    OWN(docs_free) docs d = {0};
    OWN(store_block_free) store_block b = {0};

    scene_docs(&d, number, count);
    OK(store_block_encode(&b, 0, &d, 0, count, &t->err));
    OK(store_put_block(t->txn, number, &b, &t->err));
}

static void put_sources(scene *t, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const store_source r = {.name = "file", .tokens = i};
        OK(store_put_source(t->txn, i, &r, &t->err));
    }
}

static void put_ids(scene *t, uint64_t from, uint64_t to)
{
    char id[24];

    for (uint64_t i = from; i < to; i++) {
        snprintf(id, sizeof id, "id-%llx",
                 (unsigned long long)hash_stream(3, i) >> 24);
        OK(store_put_id(t->txn, span_text(id), (store_place){i, i}, &t->err));
    }
}

/* Trees of one to three levels, values on pages of their own, and free
 * pages. In memory, where there is such a place: commits are quick there. */
static void make(scene *t)
{
    scene_in_memory();
    scene_make(t);
    for (int round = 0; round < 3; round++) {
        scene_write(t);
        for (uint64_t i = 0; i < BLOCKS; i++)
            put_block(t, i, i % 40 == 0 ? 200 : 2);
        put_sources(t, 30);
        put_ids(t, 0, 150);
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
    OWN(store_block_free) store_block b = {0};
    OWN(docs_free) docs d = {0}, out = {0};
    int count = 0;

    scene_read(t);
    for (uint64_t i = 0; i < BLOCKS; i++) {
        const uint8_t *bytes;
        size_t size;
        uint32_t source;
        kedge_status st = store_get_block(t->txn, i, &bytes, &size, &t->err);
        docs_clear(&out);
        if (st == KEDGE_OK)
            st = store_block_decode(&b, i, bytes, size, STORE_NO_LIMITS,
                                    &source, &out, &t->err);
        ck_assert(st == KEDGE_OK || st == KEDGE_ECORRUPT ||
                  st == KEDGE_ENOTFOUND);
        if (st != KEDGE_OK)
            continue;
        count++;
        scene_docs(&d, i, i % 40 == 0 ? 200 : 2);
        ck_assert(scene_same_docs(&d, &out));
    }
    store_abort(&t->txn);
    return count;
}

/* Changes pages of every tree, as far as records are found; what comes of it is
 * told or right, and the pages are sound in any case. */
static void rewrite(scene *t)
{
    kedge_status st = store_begin_write(t->s, &t->txn, &t->err);
    bool moved;

    for (uint64_t i = 0; st == KEDGE_OK && i < BLOCKS; i += 3)
        st = store_drop_block(t->txn, i, &t->err);
    if (st == KEDGE_OK) {
        put_ids(t, 100, 300);
        put_block(t, 1, 200);
        st = store_drop_ids(t->txn, &t->err);
    }
    if (st == KEDGE_OK)
        st = store_commit(&t->txn, &t->err);
    ck_assert_msg(st == KEDGE_OK || st == KEDGE_ECORRUPT, "%d %s", (int)st,
                  t->err.text);
    store_abort(&t->txn);
    if (st == KEDGE_OK) {
        const int fd = open(t->data, O_RDONLY);
        scene_read(t);
        OK(pages_check(fd, kv_snapshot(t->s), &moved, &t->err));
        store_abort(&t->txn);
        close(fd);
    }
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
        store_begin_write(t->s, &t->txn, &t->err) == KEDGE_OK) {
        put_sources(t, 5);
        OK(store_commit(&t->txn, &t->err));
        ck_assert_int_eq(readable(t), count);
        rewrite(t);
    }
    scene_close(t);
    return count;
}

TEST(a_whole_store_is_passed)
{
    OWN(scene_drop) scene *const t = scene_blank();

    make(t);
    ck_assert_int_eq(look(t, KEDGE_OPEN_READ), BLOCKS);
    ck_assert_int_eq(look(t, KEDGE_OPEN_WRITE), BLOCKS);
}

TEST(every_cut_is_found)
{
    OWN(scene_drop) scene *const t = scene_blank();
    size_t size, found = 0, cuts = 0;

    make(t);
    OWNED uint8_t *bytes = load(t, &size);
    for (size_t cut = 1; cut < size; cut += cut < 3 * PAGE ? 197 : 5999) {
        const int count = (save(t, bytes, cut), look(t, KEDGE_OPEN_READ));
        ck_assert(count == -1 || count == BLOCKS);
        found += count == -1;
        cuts++;
    }
    ck_assert_uint_ge(found, cuts * 9 / 10);
}

/* ---- the whole check, without LMDB behind it ----------------------------- */

/* A data file in memory, its bytes changed in place. */
typedef struct image {
    scene t;
    uint8_t *bytes;
    size_t size;
    uint64_t snapshot;
    int fd;
} image;

static uint16_t at16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static void image_make(image *m)
{
    uint64_t numbers[2];
    uint8_t *bytes;

    make(&m->t);
    bytes = load(&m->t, &m->size);
    m->fd = memfd_create("data", MFD_CLOEXEC);
    ck_assert_int_eq(ftruncate(m->fd, (off_t)m->size), 0);
    m->bytes =
        mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
    ck_assert_ptr_ne(m->bytes, MAP_FAILED);
    memcpy(m->bytes, bytes, m->size);
    for (size_t i = 0; i < 2; i++)
        memcpy(&numbers[i], bytes + i * PAGE + 144, 8);
    m->snapshot = numbers[0] > numbers[1] ? numbers[0] : numbers[1];
    mem_free(bytes);
}

static void image_end(image *m)
{
    munmap(m->bytes, m->size);
    close(m->fd);
    scene_end(&m->t);
}

static bool image_is_sound(image *m)
{
    bool moved;
    const kedge_status st = pages_check(m->fd, m->snapshot, &moved, &m->t.err);

    ck_assert_msg(st == KEDGE_OK || st == KEDGE_ECORRUPT ||
                      st == KEDGE_EVERSION, "%d %s", (int)st, m->t.err.text);
    return st == KEDGE_OK && !moved;
}

/* A page that no tree has is as good as another. */
static bool image_uses(image *m, size_t page)
{
    bool sound;

    m->bytes[page] ^= 1;
    sound = image_is_sound(m);
    m->bytes[page] ^= 1;
    return !sound;
}

/* As many of these as CI has time for go through LMDB too, reading and
 * writing; with KEDGE_EVERY=1 in the environment all of them do. */
static void try_with_lmdb(image *m, size_t n)
{
    const char *const every = getenv("KEDGE_EVERY");
    const size_t step = every != NULL ? strtoul(every, NULL, 10) : 97;

    if (step == 0 || n % step != 0)
        return;
    for (int write = 0; write < 2; write++) {
        save(&m->t, m->bytes, m->size);
        look(&m->t, write ? KEDGE_OPEN_WRITE : KEDGE_OPEN_READ);
    }
}

typedef struct flips {
    size_t tried, passed;
} flips;

static void flip_bytes(image *m, size_t from, size_t count, flips *f)
{
    for (size_t i = 0; i < count * 8; i++) {
        uint8_t *const byte = m->bytes + from + i / 8;
        *byte ^= (uint8_t)(1u << i % 8);
        f->passed += image_is_sound(m);
        try_with_lmdb(m, f->tried++);
        *byte ^= (uint8_t)(1u << i % 8);
    }
}

/* What is passed nobody reads: the pad in a page's head, half a meta page, and
 * the low bit of a value's size, where a byte of padding follows; that is found
 * by the record's checksum. */
TEST(every_bit_of_a_head_is_found_or_harmless)
{
    flips metas = {0}, heads = {0}, nodes = {0};
    image m;

    image_make(&m);
    ck_assert(image_is_sound(&m));
    flip_bytes(&m, 0, 152, &metas);
    flip_bytes(&m, PAGE, 152, &metas);
    for (size_t page = 2 * PAGE; page < m.size; page += PAGE) {
        const uint8_t *const head = m.bytes + page;
        uint64_t number;
        memcpy(&number, head, 8);
        if (number != page / PAGE || !image_uses(&m, page))
            continue; /* free, or the inside of a long value */
        flip_bytes(&m, page, 16, &heads);
        if (at16(head + 10) < 4)
            for (size_t i = 16; i < at16(head + 12); i += 2) {
                flip_bytes(&m, page + i, 2, &nodes);
                flip_bytes(&m, page + at16(head + i), 8, &nodes);
            }
    }
    ck_assert(image_is_sound(&m));
    ck_assert_uint_le(heads.passed * 8, heads.tried); /* 2 bytes of 16 */
    ck_assert_uint_le(nodes.passed * 40, nodes.tried);
    printf("# %zu of %zu flips in meta pages, %zu of %zu in heads of pages, "
           "%zu of %zu in nodes are passed\n", metas.passed, metas.tried,
           heads.passed, heads.tried, nodes.passed, nodes.tried);
    ck_assert_uint_gt(heads.tried, 2000);
    ck_assert_uint_gt(nodes.tried, 10000);
    image_end(&m);
}

/* The trees of a state, before any page of it is in the place of another. */
TEST(pages_in_each_others_place_are_found)
{
    uint8_t a[PAGE], b[PAGE];
    size_t tried = 0, passed = 0;
    image m;

    image_make(&m);
    const size_t pages = m.size / PAGE;
    for (size_t i = 2; i < pages; i++) {
        const bool used = image_uses(&m, i * PAGE);
        for (size_t j = i + 1; used && j < pages; j += 1 + tried % 7) {
            memcpy(a, m.bytes + i * PAGE, PAGE);
            memcpy(b, m.bytes + j * PAGE, PAGE);
            memcpy(m.bytes + i * PAGE, b, PAGE);
            memcpy(m.bytes + j * PAGE, a, PAGE);
            for (int numbered = 0; numbered < 2; numbered++) {
                if (numbered == 1) { /* and each says that it is the other */
                    memcpy(m.bytes + i * PAGE, a, 8);
                    memcpy(m.bytes + j * PAGE, b, 8);
                }
                passed += image_is_sound(&m);
                try_with_lmdb(&m, tried++);
            }
            memcpy(m.bytes + i * PAGE, a, PAGE);
            memcpy(m.bytes + j * PAGE, b, PAGE);
        }
    }
    printf("# %zu of %zu swaps are passed\n", passed, tried);
    image_end(&m);
}

/* Pages at the end that were taken and given back are never written. */
TEST(a_file_shorter_than_its_last_page_is_whole)
{
    uint8_t header[200000] = {1};
    const uint8_t *back;
    size_t size;
    OWN(scene_drop) scene *const t = scene_writing();

    OK(store_put_model(t->txn, "m", header, sizeof header, &t->err));
    OK(store_drop_model(t->txn, "m", &t->err));
    OK(store_put_model(t->txn, "n", header, 10, &t->err));
    scene_commit(t);
    scene_reopen(t, KEDGE_OPEN_WRITE);
    scene_read(t);
    OK(store_get_model_header(t->txn, "n", &back, &size, &t->err));
}

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
        OK(store_drop_block(t->txn, n, &t->err));
        break;
    case 2: /* the same again, often */
        put_sources(t, 1 + n % 3);
        break;
    case 3:
        for (uint64_t i = 0; i < 20 * n; i++) {
            snprintf(id, sizeof id, "%llx",
                     (unsigned long long)hash_stream(n, i) >> 16);
            OK(store_put_id(t->txn, span_text(id), (store_place){n, i},
                            &t->err));
        }
        break;
    case 4:
        OK(store_drop_ids(t->txn, &t->err));
        break;
    case 5:
        OK(store_drop_removals(t->txn, &t->err));
        break;
    case 6: /* nothing */
        break;
    default:
        put_block(t, n, 1);
        store_abort(&t->txn);
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
TEST(every_transaction_is_told_by_its_number)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        chance c = {.key = seed};
        pid_t reader = 0;
        OWN(scene_drop) scene *const t = scene_new();
        scene_in_memory();
        for (int i = 0; i < 40; i++) {
            if (seed % 3 == 2 && i == 20) {
                scene_close(t);
                reader = hold_snapshot(t);
                scene_open(t, KEDGE_OPEN_WRITE);
            }
            any_transaction(t, &c);
            if (i % 9 == 8 && reader == 0)
                OK(store_compact(t->s, NULL, &t->err));
            scene_reopen(t, i % 2 == 0 ? KEDGE_OPEN_WRITE : KEDGE_OPEN_READ);
            scene_reopen(t, KEDGE_OPEN_WRITE);
        }
        if (reader != 0) {
            kill(reader, SIGKILL);
            waitpid(reader, NULL, 0);
        }
    }
}

/* Both meta pages tell other numbers than the transactions had. */
TEST(other_numbers_are_found)
{
    enum { AT = 144 }; /* of a meta page: the transaction */
    OWN(scene_drop) scene *const t = scene_blank();
    size_t size;

    make(t);
    OWNED uint8_t *bytes = load(t, &size);
    for (int delta = -4; delta <= 4; delta += 2) {
        for (size_t page = 0; page < 2; page++) {
            uint64_t number;
            memcpy(&number, bytes + page * PAGE + AT, 8);
            number += (uint64_t)delta;
            memcpy(bytes + page * PAGE + AT, &number, 8);
        }
        save(t, bytes, size);
        if (delta == 0) {
            scene_open(t, KEDGE_OPEN_WRITE);
            scene_close(t);
        } else {
            FAILS(kedge_store_open(t->path, KEDGE_OPEN_WRITE, &t->s, &t->err),
                  KEDGE_ECORRUPT, "damaged");
        }
        for (size_t page = 0; page < 2; page++) {
            uint64_t number;
            memcpy(&number, bytes + page * PAGE + AT, 8);
            number -= (uint64_t)delta;
            memcpy(bytes + page * PAGE + AT, &number, 8);
        }
    }
}

TEST(no_memory_is_told)
{
    bool moved;
    OWN(scene_drop) scene *const t = scene_blank();

    make(t);
    const int fd = open(t->data, O_RDONLY);
    scene_starve(pages_check(fd, 4, &moved, &t->err), t->err);
    ck_assert(!moved);
    OK(pages_check(fd, 2, &moved, &t->err));
    ck_assert(moved);
    close(fd);
}
