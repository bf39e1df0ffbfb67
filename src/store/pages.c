/* SPDX-License-Identifier: MIT */
/*
 * The layout is that of LMDB's data version 1 with 64-bit sizes, in the
 * machine's own byte order.
 *
 *   page     u64 number, u16, u16 flags, u16 lower, u16 upper, u16 offset of
 *            each node; in place of lower and upper, the first of a run of
 *            overflow pages has u32 their count
 *   node     u32 size, u16 flags, u16 size of key, key, value; in a branch size
 *            and flags are the 48 bits of the child's number instead
 *   tree     u32, u16 flags, u16 depth, 3 x u64 pages, u64 entries, u64 root
 *   meta     u32 magic, u32 version, u64 address, u64 map size, the tree of
 *            free pages, the tree of trees, u64 last page, u64 transaction
 */
#include "store/pages.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/again.h"
#include "base/compare.h"
#include "base/mem.h"

#define PAGE_HEAD   16
#define TREE_SIZE   48
#define META_SIZE   (24 + 2 * TREE_SIZE + 16)
#define NODE_HEAD   8
#define DATA_MAGIC  UINT32_C(0xbeefc0de)
#define DATA_FORMAT 1
#define PAGE_MIN    512
#define PAGE_MAX    65536
#define DEPTH_MAX   32 /* of LMDB's cursors */
#define NO_ROOT     UINT64_MAX
#define RUNS_MAX    65536 /* entries of a tree whose overflow runs are read */
#define UNBORN_MAX  10 /* pages; after the first transaction there are 8 */

/* The whole of the flags: others are for pages in memory, and LMDB, which takes
 * them off before it writes, believes them when it reads. */
enum { PAGE_BRANCH = 1, PAGE_LEAF = 2, PAGE_OVERFLOW = 4, PAGE_META = 8 };
enum { NODE_BIG = 1, NODE_TREE = 2 };
enum { TREE_NUMBER_KEYS = 8 }; /* flags of the tree of free pages */

/* Offsets in a page, a meta page, a tree. */
enum { AT_NUMBER = 0, AT_FLAGS = 10, AT_LOWER = 12, AT_UPPER = 14,
       AT_RUN = 12, AT_NODES = 16 };
enum { AT_MAGIC = 16, AT_FORMAT = 20, AT_ADDRESS = 24, AT_FREE = 40,
       AT_MAIN = 88, AT_LAST = 136, AT_SNAPSHOT = 144 };
enum { AT_TREE_FLAGS = 4, AT_DEPTH = 6, AT_ENTRIES = 32, AT_ROOT = 40 };

static_assert(AT_SNAPSHOT + 8 == PAGE_HEAD + META_SIZE, "layout of a meta");

static uint16_t native16(const uint8_t *from)
{
    uint16_t v;
    memcpy(&v, from, sizeof v);
    return v;
}

static uint32_t native32(const uint8_t *from)
{
    uint32_t v;
    memcpy(&v, from, sizeof v);
    return v;
}

static uint64_t native64(const uint8_t *from)
{
    uint64_t v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* After again_read_at. What cannot be read need not be damaged. */
static kedge_status unread(uint64_t number, const char *what, kedge_error *err)
{
    if (errno != 0)
        return kedge_fail(err, KEDGE_EIO, "cannot read page %llu: %s",
                          (unsigned long long)number, strerror(errno));
    return kedge_fail(err, KEDGE_ECORRUPT, "is damaged (page %llu: %s)",
                      (unsigned long long)number, what);
}

/* ---- head ---------------------------------------------------------------- */

/* Its tree of free pages has the page size where other trees have nothing. */
static bool meta_plausible(const uint8_t *page)
{
    const uint32_t size = native32(page + AT_FREE);

    return (native16(page + AT_FLAGS) & PAGE_META) != 0 &&
           native32(page + AT_MAGIC) == DATA_MAGIC &&
           native64(page + AT_ADDRESS) == 0 && size >= PAGE_MIN &&
           size <= PAGE_MAX && (size & (size - 1)) == 0 &&
           native16(page + AT_FREE + AT_TREE_FLAGS) == TREE_NUMBER_KEYS &&
           native16(page + AT_MAIN + AT_TREE_FLAGS) == 0;
}

kedge_status pages_check_head(int fd, kedge_error *err)
{
    uint8_t page[PAGE_HEAD + META_SIZE];
    uint32_t size = 0;

    for (int i = 0; i < 2; i++) {
        const bool whole = again_read_at(fd, page, sizeof page, size);
        if (!whole && errno != 0)
            return unread((uint64_t)i, "", err);
        if (!whole || !meta_plausible(page) ||
            (i == 1 && native32(page + AT_FREE) != size))
            return kedge_fail(err, KEDGE_ECORRUPT,
                              "is not a store's data, or damaged (page %d)", i);
        if (native32(page + AT_FORMAT) != DATA_FORMAT)
            return kedge_fail(err, KEDGE_EVERSION,
                              "was written by another version of LMDB");
        size = native32(page + AT_FREE);
    }
    return KEDGE_OK;
}

static bool all_zero(const uint8_t *from, const uint8_t *to)
{
    while (from < to && *from == 0)
        from++;
    return from == to;
}

/* As it is before the first transaction, or the beginning of that and zeros
 * from there on. */
static bool meta_unborn(const uint8_t *page, uint64_t number)
{
    const uint32_t magic = DATA_MAGIC;
    const uint64_t named = native64(page);
    const uint16_t flags = native16(page + AT_FLAGS);
    size_t same = 0;

    while (same < sizeof magic &&
           page[AT_MAGIC + same] == ((const uint8_t *)&magic)[same])
        same++;
    if (same < sizeof magic &&
        !all_zero(page + AT_MAGIC + same, page + PAGE_HEAD + META_SIZE))
        return false;
    return (named == 0 || named == number) && all_zero(page + 8, page + 10) &&
           (flags == 0 || flags == PAGE_META) &&
           all_zero(page + AT_LOWER, page + AT_MAGIC) &&
           native64(page + AT_ADDRESS) == 0 &&
           native64(page + AT_SNAPSHOT) == 0;
}

bool pages_unborn(int fd)
{
    const uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
    struct stat file;

    if (fstat(fd, &file) != 0 ||
        (uint64_t)file.st_size > UNBORN_MAX * page_size)
        return false;
    for (uint64_t i = 0; i < 2; i++) {
        uint8_t page[PAGE_HEAD + META_SIZE] = {0};
        if (!again_read_at(fd, page, sizeof page, i * page_size) && errno != 0)
            return false;
        if (!meta_unborn(page, i))
            return false;
    }
    return true;
}

/* ---- trees --------------------------------------------------------------- */

typedef struct walk {
    int fd;
    uint32_t page_size;
    uint64_t bytes;            /* of the file */
    uint64_t last;             /* page */
    uint64_t left;             /* pages that may still come: ends a cycle */
    uint8_t *page[DEPTH_MAX];  /* one for each level, made when needed */
    kedge_error *err;
} walk;

/* A tree being walked. */
typedef struct tree {
    uint64_t root;
    unsigned depth;
    bool is_free; /* the tree of free pages */
    bool is_main; /* the tree of trees */
    bool runs;    /* the heads of overflow runs are read */
} tree;

static kedge_status damaged(walk *w, uint64_t number, const char *what)
{
    return kedge_fail(w->err, KEDGE_ECORRUPT, "is damaged (page %llu: %s)",
                      (unsigned long long)number, what);
}

/* Reads a page of a tree and checks the head. */
static kedge_status load(walk *w, uint64_t number, unsigned level, bool leaf)
{
    kedge_status st = KEDGE_OK;
    kedge_error *const err = w->err;
    const uint8_t *page;
    uint16_t lower, upper;

    if (number < 2 || number > w->last || w->left-- == 0)
        TRY(damaged(w, number, "no such page"));
    if (w->page[level] == NULL)
        TRY_MEM(w->page[level] = mem_new(w->page_size, 1));
    page = w->page[level];
    if (!again_read_at(w->fd, w->page[level], w->page_size,
                       number * w->page_size))
        TRY(unread(number, "cut off", err));
    lower = native16(page + AT_LOWER);
    upper = native16(page + AT_UPPER);
    if (native64(page + AT_NUMBER) != number ||
        native16(page + AT_FLAGS) != (leaf ? PAGE_LEAF : PAGE_BRANCH) ||
        lower < AT_NODES || lower > upper || upper > w->page_size ||
        lower % 2 != 0)
        TRY(damaged(w, number, "its head"));
out:
    return st;
}

static uint32_t low32(const uint8_t *node)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return native16(node) | (uint32_t)native16(node + 2) << 16;
#else
    return native16(node + 2) | (uint32_t)native16(node) << 16;
#endif
}

/* The i-th node, its key wholly in the page and after the one before; NULL
 * when it is not. */
static const uint8_t *node_at(const walk *w, const uint8_t *page, size_t i,
                              bool numbers)
{
    const uint16_t at = native16(page + AT_NODES + 2 * i);
    const uint8_t *const node = page + at, *before;
    size_t size;

    if (at < native16(page + AT_UPPER) || at % 2 != 0 ||
        at + (size_t)NODE_HEAD > w->page_size)
        return NULL;
    size = native16(node + 6);
    if (at + NODE_HEAD + size > w->page_size || (numbers && i > 0 && size != 8))
        return NULL;
    /* A branch's first key stands for all that is before the second. */
    if (i == 0 || numbers ||
        (i == 1 && (native16(page + AT_FLAGS) & PAGE_BRANCH) != 0))
        return node;
    before = page + native16(page + AT_NODES + 2 * (i - 1));
    return compare_bytes(before + NODE_HEAD, native16(before + 6),
                         node + NODE_HEAD, size) < 0
               ? node
               : NULL;
}

/* Free pages in one value: their count, then their numbers, falling. */
static kedge_status check_free(walk *w, uint64_t at, uint32_t size,
                               uint64_t number)
{
    uint64_t count, before = w->last + 1, ids[64];

    if (size >= 8 && !again_read_at(w->fd, &count, sizeof count, at))
        return unread(number, "a list of free pages, cut off", w->err);
    if (size < 8 || count > size / 8 - 1)
        return damaged(w, number, "a list of free pages");
    for (uint64_t i = 0, n; i < count; i += n) {
        n = count - i < 64 ? count - i : 64;
        if (!again_read_at(w->fd, ids, n * 8, at + 8 + 8 * i))
            return unread(number, "a list of free pages, cut off", w->err);
        for (uint64_t j = 0; j < n; before = ids[j++])
            if (ids[j] < 2 || ids[j] >= before)
                return damaged(w, number, "a list of free pages");
    }
    return KEDGE_OK;
}

/* A value on overflow pages of its own. */
static kedge_status check_run(walk *w, const tree *t, uint64_t first,
                              uint32_t size, uint64_t number)
{
    const uint64_t pages =
        ((uint64_t)size + PAGE_HEAD - 1) / w->page_size + 1;
    const uint64_t at = first * w->page_size;
    uint8_t head[PAGE_HEAD];

    if (first < 2 || first > w->last || pages > w->last - first + 1 ||
        at + PAGE_HEAD + size > w->bytes)
        return damaged(w, number, "a value is cut off");
    if (t->runs && !again_read_at(w->fd, head, sizeof head, at))
        return unread(first, "its head", w->err);
    if (t->runs && (native64(head + AT_NUMBER) != first ||
                    native16(head + AT_FLAGS) != PAGE_OVERFLOW ||
                    native32(head + AT_RUN) != pages))
        return damaged(w, first, "its head");
    return t->is_free ? check_free(w, at + PAGE_HEAD, size, number) : KEDGE_OK;
}

static kedge_status check_tree(walk *w, const uint8_t *record, bool is_free,
                               bool is_main);

static kedge_status check_leaf_node(walk *w, const tree *t, const uint8_t *page,
                                    const uint8_t *node, uint64_t number)
{
    const uint32_t size = low32(node);
    const uint16_t flags = native16(node + 4);
    const uint8_t *const value = node + NODE_HEAD + native16(node + 6);
    const size_t at = (size_t)(value - page);

    if (t->is_free && native16(node + 6) != 8)
        return damaged(w, number, "a key");
    if (flags == NODE_BIG && at + 8 <= w->page_size)
        return check_run(w, t, native64(value), size, number);
    if (size > w->page_size - at || (flags != 0 && flags != NODE_TREE))
        return damaged(w, number, "a node");
    if (t->is_free)
        return check_free(w, number * w->page_size + at, size, number);
    if (flags == 0)
        return KEDGE_OK;
    if (!t->is_main || size != TREE_SIZE ||
        native16(value + AT_TREE_FLAGS) != 0)
        return damaged(w, number, "a tree's root");
    return check_tree(w, value, false, false);
}

static kedge_status check_page(walk *w, const tree *t, uint64_t number,
                               unsigned level, unsigned depth)
{
    const bool leaf = depth == t->depth;
    kedge_status st = load(w, number, level, leaf);
    const uint8_t *const page = w->page[level];
    size_t count;

    if (st != KEDGE_OK)
        return st;
    count = (native16(page + AT_LOWER) - (size_t)AT_NODES) / 2;
    if (count < (leaf || t->is_free ? 1 : 2))
        return damaged(w, number, "too few nodes");
    for (size_t i = 0; i < count && st == KEDGE_OK; i++) {
        const uint8_t *const node = node_at(w, page, i, t->is_free);
        if (node == NULL)
            return damaged(w, number, "its nodes");
        if (leaf)
            st = check_leaf_node(w, t, page, node, number);
        else
            st = check_page(w, t,
                            low32(node) | (uint64_t)native16(node + 4) << 32,
                            level + 1, depth + 1);
    }
    return st;
}

/* The trees that the tree of trees holds are walked below its own levels. */
static kedge_status check_tree(walk *w, const uint8_t *record, bool is_free,
                               bool is_main)
{
    const tree t = {
        .root = native64(record + AT_ROOT),
        .depth = native16(record + AT_DEPTH),
        .is_free = is_free,
        .is_main = is_main,
        .runs = native64(record + AT_ENTRIES) < RUNS_MAX,
    };

    if (t.root == NO_ROOT && t.depth == 0)
        return KEDGE_OK;
    if (t.depth == 0 || t.depth > DEPTH_MAX / 2)
        return damaged(w, t.root, "the depth of a tree");
    return check_page(w, &t, t.root, is_main || is_free ? 0 : DEPTH_MAX / 2, 1);
}

/* The snapshot's meta page, and the transaction of the other one. */
static bool load_metas(walk *w, uint64_t snapshot, uint8_t *meta,
                       uint64_t *other)
{
    const size_t size = PAGE_HEAD + META_SIZE;

    if (!again_read_at(w->fd, meta, size, 0))
        return false;
    w->page_size = native32(meta + AT_FREE);
    if (!again_read_at(w->fd, meta, size, (~snapshot & 1) * w->page_size))
        return false;
    *other = native64(meta + AT_SNAPSHOT);
    return again_read_at(w->fd, meta, size, (snapshot & 1) * w->page_size);
}

/* Transactions write the two meta pages in turns; a writer may have written the
 * next one and not have told it yet. Anything else is a number that was
 * damaged, and could bring back an older state. */
static bool follow(uint64_t snapshot, uint64_t other)
{
    return other + 1 == snapshot || other == snapshot + 1 ||
           (other == 0 && snapshot == 0);
}

/* Every transaction but a file's first gives pages back, and lists them under
 * its number: behind it, there is none in the tree of free pages. So damage
 * that made a transaction older or newer than it is does not bring back an
 * older state. */
static kedge_status check_number(walk *w, const uint8_t *record,
                                 uint64_t snapshot)
{
    uint64_t number = native64(record + AT_ROOT), last;
    const unsigned depth = native16(record + AT_DEPTH);
    const uint8_t *node = NULL;

    if (number == NO_ROOT && depth == 0)
        return KEDGE_OK;
    for (unsigned level = 1; level <= depth; level++) {
        const kedge_status st = load(w, number, 0, level == depth);
        const uint8_t *const page = w->page[0];
        if (st != KEDGE_OK)
            return st;
        if (native16(page + AT_LOWER) > AT_NODES)
            node = node_at(w, page,
                           (native16(page + AT_LOWER) - (size_t)AT_NODES) / 2 -
                               1, true);
        if (node == NULL)
            return damaged(w, number, "its nodes");
        if (level < depth)
            number = low32(node) | (uint64_t)native16(node + 4) << 32;
    }
    if (node == NULL || native16(node + 6) != sizeof last)
        return damaged(w, number, "a key");
    memcpy(&last, node + NODE_HEAD, sizeof last);
    return last == snapshot ? KEDGE_OK
                            : damaged(w, snapshot & 1, "its transaction");
}

kedge_status pages_check_trees(int fd, uint64_t snapshot, bool free_too,
                               bool *moved, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    walk w = {.fd = fd, .err = err};
    uint8_t meta[PAGE_HEAD + META_SIZE];
    struct stat file;
    uint64_t other = 0;

    *moved = false;
    TRY(pages_check_head(fd, err));
    if (!load_metas(&w, snapshot, meta, &other) || fstat(fd, &file) != 0)
        TRY(unread(snapshot & 1, "cut off", err));
    *moved =
        native64(meta + AT_SNAPSHOT) != snapshot || !follow(snapshot, other);
    if (*moved)
        goto out;
    w.bytes = (uint64_t)file.st_size;
    w.last = w.left = native64(meta + AT_LAST);
    if (w.last > UINT64_MAX / 2 / w.page_size)
        TRY(damaged(&w, snapshot & 1, "its last page"));
    TRY(check_number(&w, meta + AT_FREE, snapshot));
    w.left = w.last;
    TRY(check_tree(&w, meta + AT_MAIN, false, true));
    if (free_too)
        TRY(check_tree(&w, meta + AT_FREE, true, false));
out:
    for (int i = 0; i < DEPTH_MAX; i++)
        mem_free(w.page[i]);
    return st;
}

/* ---- a copy -------------------------------------------------------------- */

/* The copy has its trees in the second meta page, the first one is empty. What
 * is before AT_MAGIC is the page's own. */
kedge_status pages_set_snapshot(int fd, uint64_t snapshot, kedge_error *err)
{
    uint8_t meta[PAGE_HEAD + META_SIZE];
    uint64_t page_size;

    assert(snapshot > 0);
    if (!again_read_at(fd, meta, sizeof meta, 0))
        return kedge_fail(err, KEDGE_EIO, "cannot read the copy");
    page_size = native32(meta + AT_FREE);
    if (!again_read_at(fd, meta, sizeof meta, page_size))
        return kedge_fail(err, KEDGE_EIO, "cannot read the copy");
    for (uint64_t i = 0; i < 2; i++) {
        const uint64_t number = snapshot - (i != (snapshot & 1));
        memcpy(meta + AT_SNAPSHOT, &number, sizeof number);
        if (!again_write_at(fd, meta + AT_MAGIC, sizeof meta - AT_MAGIC,
                            i * page_size + AT_MAGIC))
            return kedge_fail(err, KEDGE_EIO, "cannot write the copy: %s",
                              strerror(errno));
    }
    return KEDGE_OK;
}
