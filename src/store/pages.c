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
#include "store/files.h"

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
#define PAGE_MIN    4096
#define PAGE_MAX    32768
#define DEPTH_MAX   16 /* of a tree; LMDB's cursors have room for 32 */
#define KEY_MAX     511
#define NO_ROOT     UINT64_MAX
#define BEHIND_MAX  (UINT64_C(8) << 20) /* eighths of pages behind the end */
#define MAP_MAX     (UINT64_C(1) << 46) /* bytes */
#define COMMITS_MAX (UINT64_C(1) << 48)
#define UNBORN_MAX  10 /* pages; after the first transaction there are 8 */

/* The whole of the flags: others are for pages in memory, and LMDB, which takes
 * them off before it writes, believes them when it reads. */
enum { PAGE_BRANCH = 1, PAGE_LEAF = 2, PAGE_OVERFLOW = 4, PAGE_META = 8 };
enum { NODE_BIG = 1, NODE_TREE = 2 };
enum { TREE_NUMBER_KEYS = 8 }; /* flags of the tree of free pages */

/* Offsets in a page, a meta page, a tree. */
enum { AT_NUMBER = 0, AT_FLAGS = 10, AT_LOWER = 12, AT_UPPER = 14,
       AT_RUN = 12, AT_NODES = 16 };
enum { AT_MAGIC = 16, AT_FORMAT = 20, AT_ADDRESS = 24, AT_MAP = 32,
       AT_FREE = 40, AT_MAIN = 88, AT_LAST = 136, AT_SNAPSHOT = 144 };
enum { AT_TREE_FLAGS = 4, AT_DEPTH = 6, AT_BRANCHES = 8, AT_LEAVES = 16,
       AT_OVERFLOW = 24, AT_ENTRIES = 32, AT_ROOT = 40 };

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

static kedge_status damaged(uint64_t number, const char *what, kedge_error *err)
{
    return kedge_fail(err, KEDGE_ECORRUPT, "is damaged (page %llu: %s)",
                      (unsigned long long)number, what);
}

static kedge_status cut_off(uint64_t number, kedge_error *err)
{
    return kedge_fail(err, KEDGE_ECORRUPT,
                      "is cut off (page %llu is not all there)",
                      (unsigned long long)number);
}

/* After again_read_at. What cannot be read need not be damaged. */
static kedge_status unread(uint64_t number, kedge_error *err)
{
    return errno == 0 ? cut_off(number, err)
                      : kedge_fail(err, KEDGE_EIO, "cannot read page %llu: %s",
                                   (unsigned long long)number, strerror(errno));
}

/* ---- head ---------------------------------------------------------------- */

/* Its tree of free pages has the page size where other trees have nothing. */
static bool meta_plausible(const uint8_t *page)
{
    const uint32_t size = native32(page + AT_FREE);

    return (native16(page + AT_FLAGS) & PAGE_META) != 0 &&
           native32(page + AT_MAGIC) == DATA_MAGIC &&
           native64(page + AT_ADDRESS) == 0 &&
           native64(page + AT_MAP) <= MAP_MAX &&
           native64(page + AT_LAST) < MAP_MAX / PAGE_MIN &&
           native64(page + AT_SNAPSHOT) < COMMITS_MAX && size >= PAGE_MIN &&
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
            return unread((uint64_t)i, err);
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

/* ---- the whole check ----------------------------------------------------- */

typedef struct walk {
    int fd;
    uint32_t page_size;
    uint64_t bytes;            /* of the file */
    uint64_t last;             /* page */
    uint8_t *taken;            /* a bit for each page: in a tree, or free */
    uint16_t *sizes;           /* of nodes, by where they begin */
    uint8_t *page[2 * DEPTH_MAX]; /* one for each level, made when needed */
    kedge_error *err;
} walk;

/* A tree being walked, and what was counted in it. */
typedef struct tree {
    unsigned depth, level; /* of its root, among walk.page */
    bool is_free;          /* the tree of free pages */
    bool is_main;          /* the tree of trees */
    uint64_t branches, leaves, overflow, entries;
} tree;

/* No page has two uses. */
static kedge_status take(walk *w, uint64_t first, uint64_t count)
{
    if (first < 2 || first > w->last || count > w->last - first + 1)
        return damaged(first, "no such page", w->err);
    for (uint64_t n = first; n < first + count; n++) {
        const uint8_t bit = (uint8_t)(1u << n % 8);
        if ((w->taken[n / 8] & bit) != 0)
            return damaged(n, "it is used twice", w->err);
        w->taken[n / 8] |= bit;
    }
    return KEDGE_OK;
}

static uint32_t low32(const uint8_t *node)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return native16(node) | (uint32_t)native16(node + 2) << 16;
#else
    return native16(node + 2) | (uint32_t)native16(node) << 16;
#endif
}

static uint64_t child_of(const uint8_t *node)
{
    return low32(node) | (uint64_t)native16(node + 4) << 32;
}

static size_t count_nodes(const uint8_t *page)
{
    return (native16(page + AT_LOWER) - (size_t)AT_NODES) / 2;
}

static const uint8_t *node_at(const uint8_t *page, size_t i)
{
    return page + native16(page + AT_NODES + 2 * i);
}

/* Bytes of a node; 0 when it cannot be one. LMDB puts what would be longer than
 * half a page on pages of its own. */
static size_t node_size(const walk *w, const tree *t, const uint8_t *node,
                        bool leaf)
{
    const size_t most = ((w->page_size - PAGE_HEAD) / 2 & ~(size_t)1) - 2;
    const size_t key = native16(node + 6);
    const uint16_t flags = native16(node + 4);
    size_t size = NODE_HEAD + key;

    if (key > KEY_MAX || (leaf && key == 0))
        return 0;
    if (leaf && flags == NODE_BIG)
        size += sizeof(uint64_t);
    else if (leaf && (flags == 0 || (flags == NODE_TREE && t->is_main &&
                                     low32(node) == TREE_SIZE)))
        size += low32(node);
    else if (leaf)
        return 0;
    return size <= most ? (size + 1) & ~(size_t)1 : 0;
}

/* Nodes fill the page from `upper` on, without a gap. */
static bool nodes_fill(walk *w, const tree *t, const uint8_t *page, bool leaf)
{
    const size_t upper = native16(page + AT_UPPER), count = count_nodes(page);
    size_t at = upper, n = 0;

    memset(w->sizes, 0, w->page_size / 2 * sizeof *w->sizes);
    for (size_t i = 0; i < count; i++) {
        const size_t from = native16(page + AT_NODES + 2 * i);
        size_t size;
        if (from < upper || from % 2 != 0 || from + NODE_HEAD > w->page_size ||
            w->sizes[from / 2] != 0)
            return false;
        size = node_size(w, t, page + from, leaf);
        if (size == 0 || size > w->page_size - from)
            return false;
        w->sizes[from / 2] = (uint16_t)size;
    }
    for (; at < w->page_size && w->sizes[at / 2] != 0; n++)
        at += w->sizes[at / 2];
    return at == w->page_size && n == count;
}

/* Whether the key of one node is before that of another. */
static bool is_before(const tree *t, const uint8_t *a, const uint8_t *b)
{
    if (t->is_free)
        return native64(a + NODE_HEAD) < native64(b + NODE_HEAD);
    return compare_bytes(a + NODE_HEAD, native16(a + 6), b + NODE_HEAD,
                         native16(b + 6)) < 0;
}

/* Keys rise, from `low` on, and are before `high`, where these are not NULL. A
 * branch's first key stands for all that is before the second. */
static bool keys_rise(const tree *t, const uint8_t *page, bool leaf,
                      const uint8_t *low, const uint8_t *high)
{
    const size_t count = count_nodes(page), first = leaf ? 0 : 1;

    for (size_t i = first; i < count; i++) {
        const uint8_t *const node = node_at(page, i);
        if (t->is_free && native16(node + 6) != sizeof(uint64_t))
            return false;
        if ((i == first && low != NULL && is_before(t, node, low)) ||
            (i > first && !is_before(t, node_at(page, i - 1), node)) ||
            (high != NULL && !is_before(t, node, high)))
            return false;
    }
    return true;
}

/* Reads a page of a tree and checks all that is in it but its children. */
static kedge_status load(walk *w, const tree *t, uint64_t number,
                         unsigned level, bool leaf, const uint8_t *low,
                         const uint8_t *high)
{
    kedge_status st = KEDGE_OK;
    kedge_error *const err = w->err;
    const uint8_t *page;
    uint16_t lower, upper;

    if (w->page[level] == NULL)
        TRY_MEM(w->page[level] = mem_new(w->page_size, 1));
    page = w->page[level];
    if (!again_read_at(w->fd, w->page[level], w->page_size,
                       number * w->page_size))
        TRY(unread(number, err));
    lower = native16(page + AT_LOWER);
    upper = native16(page + AT_UPPER);
    if (native64(page + AT_NUMBER) != number ||
        native16(page + AT_FLAGS) != (leaf ? PAGE_LEAF : PAGE_BRANCH) ||
        lower < AT_NODES || lower > upper || upper > w->page_size ||
        lower % 2 != 0 || upper % 2 != 0)
        TRY(damaged(number, "its head", w->err));
    if (count_nodes(page) < (leaf || t->is_free ? 1 : 2))
        TRY(damaged(number, "too few nodes", w->err));
    if (!nodes_fill(w, t, page, leaf))
        TRY(damaged(number, "its nodes", w->err));
    if (!keys_rise(t, page, leaf, low, high))
        TRY(damaged(number, "its keys", w->err));
out:
    return st;
}

/* Free pages in one value: their count, then their numbers, falling. */
static kedge_status check_free(walk *w, uint64_t at, uint32_t size,
                               uint64_t number)
{
    uint64_t count, before = w->last + 1, ids[512];

    if (size >= 8 && !again_read_at(w->fd, &count, sizeof count, at))
        return unread(number, w->err);
    if (size < 8 || count > size / 8 - 1)
        return damaged(number, "a list of free pages", w->err);
    for (uint64_t i = 0, n; i < count; i += n) {
        n = count - i < 512 ? count - i : 512;
        if (!again_read_at(w->fd, ids, n * 8, at + 8 + 8 * i))
            return unread(number, w->err);
        for (uint64_t j = 0; j < n; before = ids[j++]) {
            if (ids[j] >= before)
                return damaged(number, "a list of free pages", w->err);
            PASS(take(w, ids[j], 1));
        }
    }
    return KEDGE_OK;
}

/* A value on overflow pages of its own; maybe more than it needs, where a
 * longer one was there in the same transaction. */
static kedge_status check_run(walk *w, tree *t, uint64_t first, uint32_t size,
                              uint64_t number)
{
    const uint64_t need = ((uint64_t)size + PAGE_HEAD - 1) / w->page_size + 1;
    const uint64_t at = first * w->page_size;
    uint8_t head[PAGE_HEAD];
    uint32_t pages;

    if (first < 2 || first > w->last)
        return damaged(number, "a value is not where it should be", w->err);
    if (at + PAGE_HEAD + size > w->bytes)
        return cut_off(first, w->err);
    if (!again_read_at(w->fd, head, sizeof head, at))
        return unread(first, w->err);
    pages = native32(head + AT_RUN);
    if (native64(head + AT_NUMBER) != first ||
        native16(head + AT_FLAGS) != PAGE_OVERFLOW || pages < need)
        return damaged(first, "its head", w->err);
    t->overflow += pages;
    PASS(take(w, first, pages));
    return t->is_free ? check_free(w, at + PAGE_HEAD, size, number) : KEDGE_OK;
}

static kedge_status check_tree(walk *w, const uint8_t *record, bool is_free,
                               bool is_main);

static kedge_status check_leaf_node(walk *w, tree *t, const uint8_t *page,
                                    const uint8_t *node, uint64_t number)
{
    const uint16_t flags = native16(node + 4);
    const uint8_t *const value = node + NODE_HEAD + native16(node + 6);

    if (flags == NODE_BIG)
        return check_run(w, t, native64(value), low32(node), number);
    if (t->is_free)
        return check_free(w, number * w->page_size + (size_t)(value - page),
                          low32(node), number);
    if (flags == 0)
        return KEDGE_OK;
    if (native16(value + AT_TREE_FLAGS) != 0)
        return damaged(number, "a tree's root", w->err);
    return check_tree(w, value, false, false);
}

static kedge_status check_page(walk *w, tree *t, uint64_t number,
                               unsigned depth, const uint8_t *low,
                               const uint8_t *high)
{
    const bool leaf = depth == t->depth;
    const unsigned level = t->level + depth - 1;
    const uint8_t *page;
    size_t count;

    PASS(take(w, number, 1));
    PASS(load(w, t, number, level, leaf, low, high));
    page = w->page[level];
    count = count_nodes(page);
    *(leaf ? &t->leaves : &t->branches) += 1;
    if (leaf)
        t->entries += count;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *const node = node_at(page, i);
        if (leaf)
            PASS(check_leaf_node(w, t, page, node, number));
        else
            PASS(check_page(w, t, child_of(node), depth + 1,
                            i > 0 ? node : low,
                            i + 1 < count ? node_at(page, i + 1) : high));
    }
    return KEDGE_OK;
}

/* The trees that the tree of trees holds are walked below its own levels. */
static kedge_status check_tree(walk *w, const uint8_t *record, bool is_free,
                               bool is_main)
{
    const uint64_t root = native64(record + AT_ROOT);
    tree t = {
        .depth = native16(record + AT_DEPTH),
        .level = is_main || is_free ? 0 : DEPTH_MAX,
        .is_free = is_free,
        .is_main = is_main,
    };

    if ((root == NO_ROOT) != (t.depth == 0) || t.depth > DEPTH_MAX)
        return damaged(root, "the depth of a tree", w->err);
    if (root != NO_ROOT)
        PASS(check_page(w, &t, root, 1, NULL, NULL));
    if (t.branches != native64(record + AT_BRANCHES) ||
        t.leaves != native64(record + AT_LEAVES) ||
        t.overflow != native64(record + AT_OVERFLOW) ||
        t.entries != native64(record + AT_ENTRIES))
        return damaged(root, "what its tree counts", w->err);
    return KEDGE_OK;
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

/* Every transaction but a file's first gives pages back, and lists them under
 * its number: behind it, there is none in the tree of free pages. So damage
 * that made a transaction older or newer than it is does not bring back an
 * older state. The tree was checked before. */
static kedge_status check_number(walk *w, const uint8_t *record,
                                 uint64_t snapshot)
{
    const tree t = {.is_free = true};
    const unsigned depth = native16(record + AT_DEPTH);
    uint64_t number = native64(record + AT_ROOT);

    for (unsigned d = 1; d <= depth; d++) {
        PASS(load(w, &t, number, 0, d == depth, NULL, NULL));
        const uint8_t *const page = w->page[0];
        const uint8_t *const node = node_at(page, count_nodes(page) - 1);
        if (d == depth && native64(node + NODE_HEAD) != snapshot)
            return damaged(snapshot & 1, "its transaction", w->err);
        number = child_of(node);
    }
    return KEDGE_OK;
}

kedge_status pages_check(int fd, uint64_t snapshot, bool *moved,
                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    walk w = {.fd = fd, .err = err};
    uint8_t meta[PAGE_HEAD + META_SIZE];
    struct stat file;
    uint64_t other = 0;

    *moved = false;
    TRY(pages_check_head(fd, err));
    if (!load_metas(&w, snapshot, meta, &other) || fstat(fd, &file) != 0)
        TRY(unread(snapshot & 1, err));
    /* Transactions write the two meta pages in turns; a writer may have written
     * the next one and not have said so yet. Anything else is a number that was
     * damaged, and could bring back an older state. */
    *moved = native64(meta + AT_SNAPSHOT) != snapshot ||
             (other + 1 != snapshot && other != snapshot + 1 &&
              (other != 0 || snapshot != 0));
    if (*moved)
        goto out;
    w.bytes = (uint64_t)file.st_size;
    w.last = native64(meta + AT_LAST);
    if (w.last / 8 > w.bytes + BEHIND_MAX)
        TRY(damaged(snapshot & 1, "its last page", err));
    TRY_MEM(w.taken = mem_new(w.last / 8 + 1, 1));
    TRY_MEM(w.sizes = mem_new(w.page_size / 2, sizeof *w.sizes));
    TRY(check_tree(&w, meta + AT_FREE, true, false));
    TRY(check_number(&w, meta + AT_FREE, snapshot));
    TRY(check_tree(&w, meta + AT_MAIN, false, true));
out:
    for (size_t i = 0; i < sizeof w.page / sizeof *w.page; i++)
        mem_free(w.page[i]);
    mem_free(w.sizes);
    mem_free(w.taken);
    return st;
}
