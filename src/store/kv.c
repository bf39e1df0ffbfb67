/* SPDX-License-Identifier: MIT */
/*
 * A store is a directory with LMDB's data.mdb and our writer.lock. LMDB would
 * let a second writer wait; ours is turned away, so the one writer holds
 * writer.lock (flock: the kernel lets go of it however the process ends) from
 * open to close.
 *
 * LMDB's map cannot grow inside a transaction, and nobody knows beforehand what
 * one puts. Addresses cost nothing, so a writer maps far more than the file
 * has, and more yet before a transaction that comes near the map's end; only
 * where addresses are limited (ulimit -v) can the map be full. A reader maps
 * what the file has.
 *
 * Readers use no lock file of LMDB's: locks on the data file say which states
 * are read (files.h). The writer alone has a lock.mdb, with one place in its
 * table of readers, and puts the oldest of these states there before each
 * transaction, so that LMDB leaves their pages alone.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <lmdb.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "store/files.h"
#include "store/records.h"

#define MAP_USUAL (UINT64_C(256) << 30)
#define MAP_STEP  (UINT64_C(1) << 20) /* maps are whole megabytes */
#define MAP_ROOM  (UINT64_C(64) << 20) /* beyond the file, at least */
#define PROBE     UINT64_C(0x6b65646765) /* the number of no transaction */
#define SNAPSHOT_TRIES 16
#define COMMIT_TRIES 2000 /* of half a millisecond: a disk can be slow */

struct store_txn {
    store *s;
    MDB_txn *lmdb; /* NULL: ended */
    bool writes;
    store_limits limits;
    bool limited;  /* these are known */
};

/* The store as LMDB has it. */
struct kedge_store {
    directory dir;
    pid_t process; /* that opened it: a child by fork has no use of it */
    MDB_env *env;  /* NULL: given up after a failure */
    MDB_txn *hold; /* the writer's: keeps pages of states that are read, */
    volatile uint64_t *oldest; /* which is written here, in LMDB's lock file: */
    uint8_t *table;            /* mapped, */
    size_t table_size;
    int table_fd;
    char assertion[128]; /* of LMDB's that failed */
    store_txn txn;  /* the one that is open, if one is */
    bool made;      /* the store, by this handle */
    bool closed;    /* by the caller, */
    unsigned users; /* while so many have it */
    kedge_open_mode mode;
    MDB_dbi db[DB_COUNT]; /* 0: not open yet */
    store_frame scratch;
    mapped map; /* of the data file */
};

/* Databases; what their keys are made of, as kv_split reads it; and what
 * messages call a record, with parts of its key. */
static const struct {
    const char *name, *key, *record;
} dbs[DB_COUNT + 1] = {
    [DB_META] = {"meta", "B", "record of the %1"},
    [DB_BLOCKS] = {"blocks", "Q", "block %1"},
    [DB_WORDS] = {"words", "L", "words chunk %1"},
    [DB_COUNTS] = {"counts", "L", "counts chunk %1"},
    [DB_SOURCES] = {"sources", "Q", "source %1"},
    [DB_INDEXES] = {"views", "L", "index %1"},
    [DB_ROWS] = {"rows", "HL", "sketch chunk %2 of index %1"},
    [DB_MODELS] = {"models", "*", "model \"%1\""},
    [DB_ARRAYS] = {"arrays", "NNL", "array \"%2\" of model \"%1\""},
    [DB_IDS] = {"ids", "*", "document with this id"},
    [DB_GONE] = {"gone", "Q", "list of documents removed from block %1"},
    [DB_REMOVALS] = {"removals", "Q", "removal %1"},
    [DB_LISTS] = {"lists", "LL", "chunk %2 of the list of index %1"},
    [DB_ORDERS] = {"orders", "Q", "order of words of block %1"},
    [DB_JOINS] = {"joins", "L", "phrases of index %1"},
    [DB_KEPT] = {"kept", "NLQ",
                 "set of topic proportions of model \"%1\", portion %3"},
    [DB_SPECTRA] = {"spectra", "LL", "spectrum of index %1, weights %2"},
    [DB_SPECTRUM] = {"spectrum_values", "LLL",
                     "spectrum of index %1, weights %2"},
    [DB_PARTS] = {"parts", "Q", "part %1"},
    [DB_PART_COUNTS] = {"part_counts", "L", "chunk %1 of the counts of parts"},
    /* the record of a set, in the database of its portions */
    [DB_COUNT] = {NULL, "*", "set of topic proportions of model \"%1\""},
};

/* The row of a key in this table. */
static size_t row_of(kv_key key)
{
    return key.db == DB_KEPT && memchr(key.bytes, 0, key.size) == NULL
               ? DB_COUNT
               : key.db;
}

/* B, L and Q are numbers of 1, 4 and 8 bytes; H is one of 4 of which the half
 * counts; N a name and a zero; * the rest. */
size_t kv_split(kv_key key, kv_part part[KV_PARTS])
{
    const uint8_t *at = key.bytes, *const end = at + key.size;
    const char *const form = dbs[row_of(key)].key;
    size_t count = 0;

    for (; form[count] != 0; count++) {
        const char *const text = (const char *)at;
        const size_t left = (size_t)(end - at);
        const char kind = form[count];
        const size_t size = kind == 'B'   ? 1
                            : kind == 'Q' ? 8
                            : kind == 'N' ? strnlen(text, left) + 1
                            : kind == '*' ? left
                                          : 4;
        if (size > left || size == 0)
            return 0;
        if (kind == 'N' || kind == '*')
            part[count] = (kv_part){0, text, size - (kind == 'N')};
        else
            part[count] = (kv_part){.number = size == 8   ? get_be64(at)
                                              : size == 4 ? get_be32(at)
                                                          : *at};
        if (kind == 'H')
            part[count].number /= 2;
        at += size;
    }
    return at == end ? count : 0;
}

/* A key of another form has no more than its kind. */
const char *kv_name(kv_key key, char to[KV_NAME_MOST])
{
    static const char *const meta[] = {"format", "totals", "settings", "store"};
    kv_part part[KV_PARTS], *p;
    const bool whole = kv_split(key, part) > 0;
    size_t n = 0;

    for (const char *c = dbs[row_of(key)].record; *c != 0; c++) {
        if (*c != '%') {
            to[n++] = *c;
            continue;
        }
        p = &part[*++c - '1'];
        if (key.db == DB_META) {
            n += (size_t)snprintf(to + n, KV_NAME_MOST - n, "%s",
                                  meta[whole && p->number < 3 ? p->number : 3]);
        } else if (!whole) {
            while (to[n - 1] == ' ' || to[n - 1] == '"')
                n--;
            break;
        } else if (p->text != NULL) {
            const size_t size = strnlen(p->text, p->size);
            n += (size_t)snprintf(to + n, KV_NAME_MOST - n, "%.*s",
                                  size > 63 ? 63 : (int)size, p->text);
        } else {
            n += (size_t)snprintf(to + n, KV_NAME_MOST - n, "%" PRIu64,
                                  p->number);
        }
    }
    to[n] = 0;
    return to;
}

kedge_status kv_damaged(kv_key key, kedge_error *err, const char *how, ...)
{
    char what[KV_NAME_MOST], text[KV_NAME_MOST];
    va_list list;

    va_start(list, how);
    vsnprintf(text, sizeof text, how, list);
    va_end(list);
    return kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (%s)",
                      kv_name(key, what), text);
}

/* -1: it failed. */
static int kv_fd(const store *s)
{
    mdb_filehandle_t fd;

    return s->env != NULL && mdb_env_get_fd(s->env, &fd) == 0 ? fd : -1;
}

const char *store_path(const store *s)
{
    return s->dir.path;
}

uint64_t store_disk_bytes(const store *s)
{
    struct stat file;

    return fstat(kv_fd(s), &file) == 0 ? (uint64_t)file.st_size : 0;
}

static kedge_status lmdb_status(int code)
{
    switch (code) {
    case MDB_NOTFOUND:
        return KEDGE_ENOTFOUND;
    case MDB_TXN_FULL:
    case MDB_BAD_TXN:
        return KEDGE_EMISUSE;
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INVALID:
    case MDB_INCOMPATIBLE:
    case MDB_CURSOR_FULL:
    case MDB_MAP_RESIZED: /* still, after its size was adopted */
        return KEDGE_ECORRUPT;
    case MDB_VERSION_MISMATCH:
        return KEDGE_EVERSION;
    case MDB_MAP_FULL:
    case ENOMEM:
        return KEDGE_ENOMEM;
    default:
        return KEDGE_EIO;
    }
}

/* The one place where LMDB's codes become ours. */
static kedge_status kv_fail(const store *s, int code, const char *doing,
                            kedge_error *err)
{
    const char *hint = "";

    if (code == MDB_MAP_FULL || code == ENOMEM)
        hint = "; allow more address space (ulimit -v)";
    if (code == MDB_PANIC)
        hint = "; close and open the store again";
    if (code == ENOSPC)
        hint = "; the store is as it was at the last commit";
    if (code == EIO) /* what LMDB makes of a write that came out short */
        hint = "; is the disk full, or a limit on file sizes reached?";
    if (code == MDB_CORRUPTED && s->assertion[0] != 0)
        return kedge_fail(err, KEDGE_ECORRUPT,
                          "%s: cannot %s: the data changed while it was open, "
                          "or is damaged; close the store and run kedge verify "
                          "(LMDB: %s)",
                          s->dir.path, doing, s->assertion);
    return kedge_fail(err, lmdb_status(code), "%s: cannot %s: %s%s",
                      s->dir.path, doing, mdb_strerror(code), hint);
}

/* ---- LMDB's assertions --------------------------------------------------- */

/*
 * LMDB ends the process when a page is not as it must be. The check of pages
 * keeps it from that; where another program changes the file under it, the call
 * comes back here instead, with MDB_CORRUPTED, and the environment is given up
 * as it is.
 */
static _Thread_local jmp_buf *landing;

#define LMDB(s, rc, call)          \
    do {                           \
        jmp_buf landing_;          \
        landing = &landing_;       \
        if (setjmp(landing_) == 0) \
            (rc) = (call);         \
        else                       \
            (rc) = land(s);        \
        landing = NULL;            \
    } while (0)

/* Without a landing, LMDB says what failed and ends the process. */
static void on_assertion(MDB_env *env, const char *text)
{
    store *const s = mdb_env_get_userctx(env);

    if (s == NULL || landing == NULL)
        return;
    snprintf(s->assertion, sizeof s->assertion, "%s", text);
    longjmp(*landing, 1);
}

/* Nobody knows what LMDB was about, so all that it has stays as it is, but
 * for the locks that others go by. */
static int land(store *s)
{
    holds_drop(kv_fd(s));
    s->env = NULL;
    s->txn.lmdb = s->hold = NULL;
    s->map = (mapped){0};
    return MDB_CORRUPTED;
}

/* ---- opening ------------------------------------------------------------- */

static bool is_writer(const store *s)
{
    return s->mode != KEDGE_OPEN_READ;
}

/* A child by fork has the handle's memory, but neither LMDB's locks nor the
 * right to write or to close what its parent goes on with. */
static bool is_own(const store *s)
{
    return s->process == getpid();
}

static int open_env(store *s)
{
    int rc = mdb_env_create(&s->env);

    if (rc == 0)
        rc = mdb_env_set_maxdbs(s->env, DB_COUNT + 7);
    if (rc == 0)
        rc = mdb_env_set_userctx(s->env, s);
    if (rc == 0)
        rc = mdb_env_set_assert(s->env, on_assertion);
    if (rc == 0)
        rc = mdb_env_set_mapsize(s->env, 1); /* as the file */
    if (rc == 0)
        LMDB(s, rc,
             mdb_env_open(s->env, s->dir.path,
                          MDB_NOTLS |
                              (is_writer(s) ? 0 : MDB_RDONLY | MDB_NOLOCK),
                          0666));
    if (rc != 0 && s->env != NULL) {
        mdb_env_close(s->env);
        s->env = NULL;
    }
    return rc;
}

/* Sees a line of LMDB's list of readers: process, thread, transaction. */
static int find_probe(const char *line, void *found)
{
    unsigned long long process, thread, transaction;

    if (sscanf(line, " %llu %llx %llu", &process, &thread, &transaction) == 3 &&
        transaction == PROBE)
        *(bool *)found = true;
    return 0;
}

/* Finds the place of `hold` in LMDB's table: the transaction, then the process,
 * at the beginning of a cache line. LMDB must see there what is put there.
 * Without a place, no transaction can begin while an older state is read. */
static kedge_status hold_place(store *s, kedge_error *err)
{
    int rc = mdb_txn_begin(s->env, NULL, MDB_RDONLY, &s->hold);
    const uint32_t process = (uint32_t)getpid();
    struct stat info;
    uint64_t now;

    if (rc != 0)
        return kv_fail(s, rc, "open the store", err);
    now = mdb_txn_id(s->hold);
    /* Closing another descriptor would drop LMDB's own locks. */
    if (directory_open_file(&s->dir, DIRECTORY_LMDB_LOCK, O_RDWR, &s->table_fd,
                            NULL) == KEDGE_OK &&
        fstat(s->table_fd, &info) == 0) {
        void *const table =
            mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
                 s->table_fd, 0);
        if (table != MAP_FAILED) {
            s->table = table;
            s->table_size = (size_t)info.st_size;
        }
    }
    for (size_t at = 0; s->oldest == NULL && at + 64 <= s->table_size;
         at += 64) {
        volatile uint64_t *const place = (volatile uint64_t *)(s->table + at);
        bool found = false;
        if (memcmp(s->table + at, &now, 8) != 0 ||
            memcmp(s->table + at + 8, &process, 4) != 0)
            continue;
        *place = PROBE;
        mdb_reader_list(s->env, find_probe, &found);
        *place = now;
        if (found)
            s->oldest = place;
    }
    if (s->oldest == NULL) {
        mdb_txn_abort(s->hold);
        s->hold = NULL;
    }
    return KEDGE_OK;
}

/* LMDB opened what has the name, and no link. */
static bool is_same_file(const store *s)
{
    struct stat opened;

    return fstat(kv_fd(s), &opened) == 0 &&
           !directory_has_other_data(&s->dir, &opened);
}

static kedge_status open_lmdb(store *s, kedge_error *err)
{
    int rc;

    if (is_writer(s))
        PASS(directory_clear_lmdb_lock(&s->dir, err));
    rc = open_env(s);
    if (rc != 0)
        return kv_fail(s, rc, "open the store", err);
    if (is_writer(s) && !is_same_file(s))
        return kedge_fail(err, KEDGE_EIO,
                          "%s: another program has replaced " DIRECTORY_DATA,
                          s->dir.path);
    if (is_writer(s))
        PASS(hold_place(s, err));
    return KEDGE_OK;
}

static void close_env(store *s)
{
    s->map = (mapped){0};
    if (s->env != NULL && is_own(s)) {
        if (s->hold != NULL)
            mdb_txn_abort(s->hold);
        mdb_env_close(s->env);
    }
    s->env = NULL;
    s->hold = NULL;
    s->oldest = NULL;
    if (s->table != NULL)
        munmap(s->table, s->table_size);
    s->table = NULL;
    s->table_size = 0;
    if (s->table_fd >= 0)
        close(s->table_fd);
    s->table_fd = -1;
}

/* `size` 1: what the file has. */
static kedge_status set_map(store *s, uint64_t size, kedge_error *err)
{
    int rc;

    s->map = (mapped){0}; /* it may lie elsewhere afterwards */
    rc = mdb_env_set_mapsize(s->env, size);
    if (rc == 0)
        return KEDGE_OK;
    /* LMDB has let go of the old map, and follows its pointers yet. */
    close_env(s);
    return kv_fail(s, rc, "map the data", err);
}

/* From a page's number, at its head; none is LMDB's own copy at a begin. */
static int find_map(store *s)
{
    uint8_t format = META_FORMAT;
    MDB_val key = {1, &format}, v;
    MDB_envinfo info;
    uint64_t number;
    MDB_stat stat;
    int rc;

    s->map.start = NULL;
    if (s->db[DB_META] == 0)
        return 0;
    LMDB(s, rc, mdb_get(s->txn.lmdb, s->db[DB_META], &key, &v));
    if (rc != 0)
        return rc == MDB_NOTFOUND ? 0 : rc;
    mdb_env_info(s->env, &info);
    mdb_env_stat(s->env, &stat);
    char *page = (char *)v.mv_data - (uintptr_t)v.mv_data % stat.ms_psize;
    memcpy(&number, page, sizeof number);
    if (number >= 2 && number <= info.me_last_pgno) {
        s->map.start = page - number * stat.ms_psize;
        s->map.size = info.me_mapsize;
    }
    return 0;
}

static kedge_status begin(store *s, unsigned flags, kedge_error *err)
{
    int rc;

    for (volatile int i = 0;; i++) { /* it outlives a longjmp */
        LMDB(s, rc, mdb_txn_begin(s->env, NULL, flags, &s->txn.lmdb));
        if (rc != MDB_MAP_RESIZED || i == SNAPSHOT_TRIES)
            break;
        PASS(set_map(s, 1, err));
    }
    if (rc != 0) {
        s->txn.lmdb = NULL;
        return kv_fail(s, rc, "begin a transaction", err);
    }
    s->txn.writes = (flags & MDB_RDONLY) == 0;
    s->txn.limited = false;
    rc = find_map(s);
    if (rc == MDB_BAD_TXN) /* what LMDB makes of a page that it cannot use */
        rc = MDB_CORRUPTED;
    if (rc != 0 && s->txn.lmdb != NULL) {
        mdb_txn_abort(s->txn.lmdb);
        s->txn.lmdb = NULL;
    }
    return rc == 0 ? KEDGE_OK : kv_fail(s, rc, "begin a transaction", err);
}

static void end_read(store *s)
{
    mdb_txn_commit(s->txn.lmdb); /* as an abort, and opened databases stay so */
    s->txn.lmdb = NULL;
    if (!is_writer(s) && s->env != NULL)
        holds_leave(kv_fd(s));
}

static void end(store *s)
{
    int rc = 0;

    if (s->txn.lmdb != NULL && is_own(s)) {
        if (s->txn.writes)
            LMDB(s, rc, (mdb_txn_abort(s->txn.lmdb), 0));
        else
            end_read(s);
    }
    (void)rc;
    s->txn.lmdb = NULL;
}

/* The newest state, and nobody takes its pages until it ends. While a
 * transaction is being committed its meta page may be half there. */
static kedge_status begin_read(store *s, kedge_error *err)
{
    const struct timespec nap = {.tv_nsec = 500000};

    if (is_writer(s)) /* there is no other, and LMDB's table has its place */
        return begin(s, MDB_RDONLY, err);
    for (int i = 0;; i++) {
        const int fd = kv_fd(s);
        kedge_status st = KEDGE_OK;
        uint64_t id;
        if (!holds_enter(fd))
            return kedge_fail(err, KEDGE_EIO,
                              "%s/" DIRECTORY_DATA ": cannot "
                              "lock: %s; use a copy on another file system",
                              s->dir.path, strerror(errno));
        st = begin(s, MDB_RDONLY, err);
        if (st != KEDGE_OK) {
            if (s->env != NULL)
                holds_leave(fd);
            return st;
        }
        id = mdb_txn_id(s->txn.lmdb);
        if (i >= COMMIT_TRIES ||
            (id == kv_snapshot(s) && !holds_is_committing(fd, id))) {
            if (holds_state(fd, id))
                return KEDGE_OK;
            st = kedge_fail(err, KEDGE_EIO,
                            "%s/" DIRECTORY_DATA ": cannot lock: %s",
                            s->dir.path, strerror(errno));
        }
        end_read(s);
        if (st != KEDGE_OK)
            return st;
        nanosleep(&nap, NULL);
    }
}

/* In the file that is the store's. Another process may have put another one in
 * its place, unless we hold writer.lock: `reopen` opens that one. */
static kedge_status
begin_newest(store *s, kedge_status (*reopen)(store *s, kedge_error *err),
             kedge_error *err)
{
    for (int i = 0;; i++) {
        PASS(begin_read(s, err));
        if (s->dir.lock >= 0 || is_same_file(s) || i == SNAPSHOT_TRIES)
            return KEDGE_OK;
        PASS(reopen(s, err));
    }
}

/* Without the databases, which are not open yet. */
static kedge_status reopen_lmdb(store *s, kedge_error *err)
{
    kv_give_up(s);
    return open_lmdb(s, err);
}

/* Of what keeps a store from being opened, no command tells or mends more. */
static kedge_status beyond_repair(kedge_status st, kedge_error *err)
{
    const size_t size = err == NULL ? 0 : strlen(err->text);

    if (st == KEDGE_ECORRUPT && err != NULL && strchr(err->text, ';') == NULL)
        snprintf(err->text + size, sizeof err->text - size,
                 "; 'kedge repair' cannot mend this: use a backup of the store, "
                 "or ingest its documents into a new one");
    return st;
}

/* In the snapshot of the open transaction, or of a newer one: a busy writer
 * can overwrite the root before it was looked at. */
static kedge_status check_pages(store *s, kedge_error *err)
{
    bool moved;

    for (int i = 0; i < SNAPSHOT_TRIES; i++) {
        const kedge_status st =
            pages_check(kv_fd(s), mdb_txn_id(s->txn.lmdb), &moved, err);
        if (st != KEDGE_OK)
            kedge_fail_context(err, "%s/data.mdb", s->dir.path);
        if (st != KEDGE_OK || !moved)
            return st;
        end(s);
        PASS(begin_newest(s, reopen_lmdb, err));
    }
    return kedge_fail(err, KEDGE_ECORRUPT,
                      "%s/data.mdb: is damaged (no page has the newest state)",
                      s->dir.path);
}

/* The state that was committed last. Where the file changed since `before`, it
 * is not known which that is. */
static void write_stamp(const store *s, const struct stat *before)
{
    struct stat now;

    if (fstat(kv_fd(s), &now) == 0 &&
        (before == NULL || (before->st_mtim.tv_sec == now.st_mtim.tv_sec &&
                            before->st_mtim.tv_nsec == now.st_mtim.tv_nsec &&
                            before->st_size == now.st_size)))
        stamp_write(&s->dir, &now, kv_snapshot(s));
}

/* The pages are as kedge left them, or are checked. A writer that has it open
 * found them sound. */
static kedge_status ensure_sound(store *s, kedge_error *err)
{
    struct stat data;
    stamp_fit fit;

    if (fstat(kv_fd(s), &data) != 0)
        return kv_fail(s, errno, "look at the data", err);
    fit = stamp_look(&s->dir, &data, mdb_txn_id(s->txn.lmdb));
    if (fit != STAMP_STATE &&
        (fit != STAMP_FILE || is_writer(s) || !holds_is_sound(kv_fd(s)))) {
        PASS(check_pages(s, err));
        if (is_writer(s) || fit != STAMP_FOREIGN)
            write_stamp(s, &data);
    }
    if (is_writer(s))
        holds_sound(kv_fd(s));
    return KEDGE_OK;
}

kedge_status store_check_pages(store *s, kedge_error *err)
{
    store_txn *txn = NULL;
    kedge_status st = store_begin_read(s, &txn, err);

    if (st == KEDGE_OK)
        st = beyond_repair(check_pages(s, err), err);
    store_abort(&txn);
    return st;
}

kedge_status kv_idle(const store *s, bool write, kedge_error *err)
{
    const char *const why =
        !is_own(s) ? "was opened by the process that this one was forked from; "
                     "open it again here"
        : s->closed           ? "was closed"
        : s->txn.lmdb != NULL ? "a transaction is open already"
        : s->env == NULL      ? "failed before; close and open it again"
        : write && !is_writer(s) ? "is open for reading only"
                                 : NULL;

    return why == NULL ? KEDGE_OK
                       : kedge_fail(err, KEDGE_EMISUSE, "%s: %s", s->dir.path,
                                    why);
}

/* Between the two marks a reader takes no state; and none of those that are
 * sound is without a stamp for long. */
static kedge_status commit(store *s, kedge_error *err)
{
    const uint64_t id = mdb_txn_id(s->txn.lmdb), before = kv_snapshot(s);
    int rc;

    holds_commit(kv_fd(s), id, true);
    LMDB(s, rc, mdb_txn_commit(s->txn.lmdb));
    s->txn.lmdb = NULL;
    if (s->env != NULL) {
        holds_commit(kv_fd(s), id, false);
        if (rc == 0 && kv_snapshot(s) != before)
            write_stamp(s, NULL);
        mapped_let_go(&s->map); /* of what LMDB looked at by itself */
    }
    return rc == 0 ? KEDGE_OK : kv_fail(s, rc, "commit", err);
}

static int open_dbi(store *s, kv_db db, unsigned flags, MDB_dbi *out)
{
    int rc;

    LMDB(s, rc, mdb_dbi_open(s->txn.lmdb, dbs[db].name, flags, out));
    return rc;
}

/* Without the first database: nothing yet, not ours, or damaged. */
static kedge_status no_meta(store *s, kedge_error *err)
{
    MDB_stat stat;
    MDB_dbi dbi;

    if (mdb_dbi_open(s->txn.lmdb, NULL, 0, &dbi) == 0 &&
        mdb_stat(s->txn.lmdb, dbi, &stat) == 0 && stat.ms_entries == 0)
        return kedge_fail(err, KEDGE_ENOTFOUND,
                          "%s: there is no store yet: the command that made it "
                          "was interrupted; run it again",
                          s->dir.path);
    if (open_dbi(s, DB_BLOCKS, 0, &dbi) != 0)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s: holds an LMDB database that is not a store",
                          s->dir.path);
    return kedge_fail(err, KEDGE_ECORRUPT,
                      "%s: is damaged (no database \"%s\")", s->dir.path,
                      dbs[DB_META].name);
}

/* Without the first one, the others cannot be expected. */
static kedge_status open_dbs(store *s, kv_db from, kv_db to, unsigned flags,
                             kedge_error *err)
{
    for (kv_db db = from; db < to; db++) {
        const int rc = open_dbi(s, db, flags, &s->db[db]);
        if (rc == MDB_NOTFOUND && db == DB_META)
            return no_meta(s, err);
        if (rc != 0 && lmdb_status(rc) != KEDGE_ENOMEM)
            return kedge_fail(err, KEDGE_ECORRUPT,
                              "%s: is damaged (no database \"%s\": %s)",
                              s->dir.path, dbs[db].name, mdb_strerror(rc));
        if (rc != 0)
            return kv_fail(s, rc, "open a database", err);
    }
    return KEDGE_OK;
}

/* Databases and first records, in one transaction. */
static kedge_status make_store(store *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_write(s, &txn, err));
    TRY(open_dbs(s, DB_META, DB_COUNT, MDB_CREATE, err));
    TRY(ledger_put_format(txn, err));
    TRY(store_put_totals(txn, &(store_totals){0}, err));
    TRY(store_commit(&txn, err));
    s->made = true;
    TRY(directory_sync(&s->dir, err));
out:
    store_abort(&txn);
    return st;
}

static kedge_status open_store(store *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(open_lmdb(s, err));
    TRY(begin_newest(s, reopen_lmdb, err));
    TRY(ensure_sound(s, err));
    st = open_dbs(s, DB_META, DB_META + 1, 0, err);
    if (st == KEDGE_ENOTFOUND && s->mode == KEDGE_OPEN_CREATE) {
        end(s);
        return make_store(s, err);
    }
    TRY(st);
    TRY(ledger_check_format(&s->txn, err));
    TRY(open_dbs(s, DB_META + 1, DB_COUNT, 0, err));
    end_read(s);
    if (is_writer(s)) /* a replaced file may be new in it */
        TRY(directory_sync_names(&s->dir, err));
out:
    end(s);
    return st;
}

kedge_status kedge_store_open(const char *path, kedge_open_mode mode,
                              kedge_store **out, kedge_error *err)
{
    return kedge_store_open_wait(path, mode, NULL, out, err);
}

kedge_status kedge_store_open_wait(const char *path, kedge_open_mode mode,
                                   const kedge_wait *wait, kedge_store **out,
                                   kedge_error *err)
{
    if (out != NULL)
        *out = NULL;
    API_ENTER(err, {"path", path}, {"out", out});

    kedge_status st = KEDGE_OK;
    store *s = NULL;

    if (path[0] == '\0')
        return kedge_fail(err, KEDGE_EINVAL, "a store needs a path");
    if (mode != KEDGE_OPEN_READ && mode != KEDGE_OPEN_WRITE &&
        mode != KEDGE_OPEN_CREATE)
        return kedge_fail(err, KEDGE_EINVAL, "%s: unknown mode to open a "
                                             "store",
                          path);
    TRY_MEM(s = mem_new(1, sizeof *s));
    s->mode = mode;
    s->process = getpid();
    s->txn.s = s;
    s->dir.fd = s->dir.lock = s->table_fd = -1;
    TRY(directory_open(&s->dir, path, mode, wait, err));
    st = open_store(s, err);
    if (st != KEDGE_OK && s->dir.fresh) { /* what was begun, by this handle */
        kv_give_up(s);
        directory_remove(&s->dir);
    }
    TRY(st);
    *out = s;
    s = NULL;
out:
    kedge_store_close(s);
    return api_leave(beyond_repair(st, err), err);
}

static void free_unused(store *s)
{
    if (!s->closed || s->users > 0)
        return;
    directory_close(&s->dir);
    mem_free(s);
}

void kedge_store_close(kedge_store *s)
{
    if (s == NULL)
        return;
    end(s);
    close_env(s);
    frame_free(&s->scratch);
    directory_let_go(&s->dir); /* the lock goes last */
    s->closed = true;
    free_unused(s);
}

store *store_share(store *s)
{
    if (s != NULL)
        s->users++;
    return s;
}

void store_release(store *s)
{
    if (s == NULL)
        return;
    s->users--;
    free_unused(s);
}

/* ---- transactions -------------------------------------------------------- */

kedge_status store_begin_read(store *s, store_txn **out, kedge_error *err)
{
    PASS(kv_idle(s, false, err));
    /* Reopened with all that belongs to the other file. */
    PASS(begin_newest(s, kv_reopen, err));
    *out = &s->txn;
    return KEDGE_OK;
}

/* Without any of it being taken. */
static bool can_map(uint64_t size)
{
    void *const p = size > SIZE_MAX / 2
                        ? MAP_FAILED
                        : mmap(NULL, (size_t)size, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                               0);

    if (p != MAP_FAILED)
        munmap(p, (size_t)size);
    return p != MAP_FAILED;
}

static uint64_t whole_steps(uint64_t size)
{
    return size / MAP_STEP * MAP_STEP;
}

/* Maps more than the file has, where addresses are limited half of what is left
 * of them. What cannot be mapped may not be needed. */
static kedge_status grow_map(store *s, kedge_error *err)
{
    const uint64_t left = mapped_addresses_left();
    uint64_t file, have, least, size;
    MDB_envinfo info;
    MDB_stat stat;

    mdb_env_info(s->env, &info);
    mdb_env_stat(s->env, &stat);
    file = (uint64_t)(info.me_last_pgno + 1) * stat.ms_psize;
    have = info.me_mapsize;
    if (file + MAP_ROOM <= have)
        return KEDGE_OK;
    least = whole_steps(file + MAP_ROOM) + MAP_STEP;
    size = left == UINT64_MAX ? greater(4 * file, MAP_USUAL)
                              : (left + have) / 2;
    size = greater(whole_steps(size), least);
    while (size > have && !can_map(size - have)) {
        if (size == least)
            return KEDGE_OK;
        size = greater(whole_steps(size / 2), least);
    }
    return size > have ? set_map(s, size, err) : KEDGE_OK;
}

/* LMDB leaves the pages of states alone that somebody reads. */
static kedge_status spare_states(store *s, kedge_error *err)
{
    const uint64_t newest = kv_snapshot(s);
    const uint64_t oldest = holds_oldest(kv_fd(s), newest);

    if (s->oldest != NULL)
        *s->oldest = oldest;
    else if (oldest < newest)
        return kedge_fail(err, KEDGE_EBUSY,
                          "%s: another process reads an older state, which "
                          "this LMDB (%s) cannot keep; wait for it to end",
                          s->dir.path, mdb_version(NULL, NULL, NULL));
    return KEDGE_OK;
}

kedge_status store_begin_write(store *s, store_txn **out, kedge_error *err)
{
    PASS(kv_idle(s, true, err));
    PASS(grow_map(s, err));
    PASS(spare_states(s, err));
    PASS(begin(s, 0, err));
    *out = &s->txn;
    return KEDGE_OK;
}

uint64_t kv_used(const store_txn *txn)
{
    const store *const s = txn->s;
    uint64_t bytes = 0;
    MDB_stat stat;

    for (kv_db db = 0; db < DB_COUNT; db++)
        if (s->db[db] != 0 && mdb_stat(s->txn.lmdb, s->db[db], &stat) == 0)
            bytes +=
                stat.ms_psize * (stat.ms_branch_pages + stat.ms_leaf_pages +
                                 stat.ms_overflow_pages);
    return bytes;
}

kedge_status kv_need(const store_txn *txn, bool write, kedge_error *err)
{
    if (txn != NULL && write && !is_own(txn->s))
        return kv_idle(txn->s, false, err);
    if (txn == NULL || txn->lmdb == NULL || (write && !txn->writes))
        return kedge_fail(err, KEDGE_EMISUSE, "no %stransaction is open",
                          write ? "writing " : "");
    return KEDGE_OK;
}

const store *store_of(const store_txn *txn)
{
    return txn->s;
}

kedge_status store_commit(store_txn **txn, kedge_error *err)
{
    const kedge_status st = kv_need(*txn, false, err);
    store *const s = st == KEDGE_OK ? (*txn)->s : NULL;

    *txn = NULL;
    PASS(st);
    if (!is_own(s)) {
        s->txn.lmdb = NULL;
        return kv_idle(s, false, err);
    }
    if (s->txn.writes)
        return commit(s, err);
    end_read(s);
    return KEDGE_OK;
}

void store_abort(store_txn **txn)
{
    if (*txn != NULL)
        end((*txn)->s);
    *txn = NULL;
}

/* ---- values under keys --------------------------------------------------- */

uint64_t kv_place(kv_key key)
{
    return hash_bytes(key.db, key.bytes, key.size);
}

store_frame *kv_scratch(store_txn *txn)
{
    return &txn->s->scratch;
}

static MDB_val key_value(kv_key key)
{
    assert(key.size > 0 && key.size <= KV_KEY_MAX);
    return (MDB_val){key.size, (void *)(uintptr_t)key.bytes};
}

kedge_status kv_get(store_txn *txn, kv_key key, const uint8_t **bytes,
                    size_t *size, kedge_error *err)
{
    MDB_val k = key_value(key), v;
    char what[KV_NAME_MOST];
    int rc;

    PASS(kv_need(txn, false, err));
    LMDB(txn->s, rc, mdb_get(txn->lmdb, txn->s->db[key.db], &k, &v));
    if (rc != 0) /* pages of the tree were looked at all the same */
        mapped_touch(&txn->s->map, NULL, 0);
    if (rc == MDB_NOTFOUND)
        return kedge_fail(err, KEDGE_ENOTFOUND, "%s: there is no %s",
                          txn->s->dir.path, kv_name(key, what));
    if (rc != 0)
        return kv_fail(txn->s, rc, "read", err);
    mapped_touch(&txn->s->map, v.mv_data, v.mv_size);
    *bytes = v.mv_data;
    *size = v.mv_size;
    return KEDGE_OK;
}

/* Room for a value. Records mostly come in the order of their keys, and then
 * appending fills pages instead of splitting them; but ids do not. */
static kedge_status reserve(store_txn *txn, kv_key key, size_t size,
                            uint8_t **room, kedge_error *err)
{
    MDB_val k = key_value(key), v = {size, NULL};
    int rc;

    PASS(kv_need(txn, true, err));
    mapped_touch(&txn->s->map, NULL, 0);
    if (key.db == DB_IDS)
        rc = MDB_KEYEXIST;
    else
        LMDB(txn->s, rc,
             mdb_put(txn->lmdb, txn->s->db[key.db], &k, &v,
                     MDB_RESERVE | MDB_APPEND));
    if (rc == MDB_KEYEXIST) {
        v = (MDB_val){size, NULL};
        LMDB(txn->s, rc,
             mdb_put(txn->lmdb, txn->s->db[key.db], &k, &v, MDB_RESERVE));
    }
    if (rc != 0)
        return kv_fail(txn->s, rc, "write", err);
    *room = v.mv_data;
    return KEDGE_OK;
}

kedge_status kv_put(store_txn *txn, kv_key key, const uint8_t *bytes,
                    size_t size, kedge_error *err)
{
    MDB_val k = key_value(key), v;
    uint8_t *room = NULL;
    int rc;

    PASS(kv_need(txn, true, err));
    LMDB(txn->s, rc, mdb_get(txn->lmdb, txn->s->db[key.db], &k, &v));
    if (rc != 0 && rc != MDB_NOTFOUND)
        return kv_fail(txn->s, rc, "read", err);
    if (rc == 0 && v.mv_size == size) {
        mapped_touch(&txn->s->map, v.mv_data, size);
        if (memcmp(v.mv_data, bytes, size) == 0)
            return KEDGE_OK;
    }
    PASS(reserve(txn, key, size, &room, err));
    memcpy(room, bytes, size);
    return KEDGE_OK;
}

kedge_status kv_put_frame(store_txn *txn, kv_key key, const store_frame *f,
                          const uint64_t *extra, kedge_error *err)
{
    uint8_t *room = NULL;

    PASS(reserve(txn, key, f->size, &room, err));
    memcpy(room, f->bytes, f->size);
    frame_stamp(room, kv_place(key), extra);
    return KEDGE_OK;
}

kedge_status kv_get_frame(store_txn *txn, kv_key key, const char *tag,
                          kv_frame *out, kedge_error *err)
{
    char what[KV_NAME_MOST];

    PASS(kv_get(txn, key, &out->bytes, &out->size, err));
    kv_name(key, what);
    PASS(frame_peek(out->bytes, out->size, tag, what, &out->head, err));
    return out->head.place == kv_place(key)
               ? KEDGE_OK
               : kv_damaged(key, err, "another record in its place");
}

kedge_status kv_open_frame(store_txn *txn, kv_key key, const char *tag,
                           frame_head *head, kedge_error *err)
{
    char what[KV_NAME_MOST];
    kv_frame f;

    PASS(kv_get_frame(txn, key, tag, &f, err));
    return frame_open(kv_scratch(txn), f.bytes, f.size, tag, kv_name(key, what),
                      head, err);
}

kedge_status kv_drop(store_txn *txn, kv_key key, kedge_error *err)
{
    MDB_val k = key_value(key);
    int rc;

    PASS(kv_need(txn, true, err));
    mapped_touch(&txn->s->map, NULL, 0);
    LMDB(txn->s, rc, mdb_del(txn->lmdb, txn->s->db[key.db], &k, NULL));
    return rc == 0 || rc == MDB_NOTFOUND ? KEDGE_OK
                                         : kv_fail(txn->s, rc, "remove", err);
}

static int move(store_txn *txn, MDB_cursor *cursor, MDB_val *k, MDB_val *v,
                MDB_cursor_op to)
{
    int rc;

    LMDB(txn->s, rc, mdb_cursor_get(cursor, k, v, to));
    return rc;
}

kedge_status kv_seek(store_txn *txn, kv_key from, uint8_t *found, size_t *size,
                     kedge_error *err)
{
    MDB_val k = key_value(from), v;
    MDB_cursor *cursor;
    int rc;

    *size = 0;
    PASS(kv_need(txn, false, err));
    mapped_touch(&txn->s->map, NULL, 0);
    rc = mdb_cursor_open(txn->lmdb, txn->s->db[from.db], &cursor);
    if (rc != 0)
        return kv_fail(txn->s, rc, "read", err);
    rc = move(txn, cursor, &k, &v, MDB_SET_RANGE);
    if (rc == 0 && k.mv_size > KV_KEY_MAX)
        rc = MDB_CORRUPTED;
    if (rc == 0)
        memcpy(found, k.mv_data, *size = k.mv_size);
    if (txn->lmdb != NULL) /* LMDB has it yet */
        mdb_cursor_close(cursor);
    return rc == 0 ? KEDGE_OK : kv_fail(txn->s, rc, "read", err);
}

kedge_status kv_drop_some(store_txn *txn, kv_key from, size_t prefix,
                          uint64_t most, bool *more, kedge_error *err)
{
    uint8_t found[KV_KEY_MAX];
    size_t size;

    for (*more = false;; most--) {
        const kedge_status st = kv_seek(txn, from, found, &size, err);
        if (st == KEDGE_ENOTFOUND ||
            (st == KEDGE_OK &&
             (size < prefix || memcmp(found, from.bytes, prefix) != 0)))
            return KEDGE_OK;
        PASS(st);
        *more = most == 0;
        if (*more)
            return KEDGE_OK;
        PASS(kv_drop(txn, (kv_key){from.db, found, size}, err));
    }
}

kedge_status kv_drop_from(store_txn *txn, kv_key from, size_t prefix,
                          kedge_error *err)
{
    bool more;

    return kv_drop_some(txn, from, prefix, UINT64_MAX, &more, err);
}

kedge_status kv_walk(store_txn *txn, kv_key prefix,
                     kedge_status (*visit)(void *data, const kv_value *v,
                                           kedge_error *err),
                     void *data, kedge_error *err)
{
    MDB_val k = {prefix.size, (void *)(uintptr_t)prefix.bytes}, v;
    MDB_cursor_op next = prefix.size > 0 ? MDB_SET_RANGE : MDB_FIRST;
    kedge_status st = KEDGE_OK;
    MDB_cursor *cursor;
    int rc;

    PASS(kv_need(txn, false, err));
    rc = mdb_cursor_open(txn->lmdb, txn->s->db[prefix.db], &cursor);
    if (rc != 0)
        return kv_fail(txn->s, rc, "read", err);
    for (; st == KEDGE_OK; next = MDB_NEXT) {
        rc = move(txn, cursor, &k, &v, next);
        if (rc != 0 || k.mv_size < prefix.size ||
            (prefix.size > 0 &&
             memcmp(k.mv_data, prefix.bytes, prefix.size) != 0))
            break;
        mapped_touch(&txn->s->map, v.mv_data, v.mv_size);
        st = visit(data,
                   &(kv_value){{prefix.db, k.mv_data, k.mv_size}, v.mv_data,
                               v.mv_size},
                   err);
    }
    if (txn->lmdb != NULL) /* LMDB has it yet */
        mdb_cursor_close(cursor);
    return rc == 0 || rc == MDB_NOTFOUND ? st
                                         : kv_fail(txn->s, rc, "read", err);
}

kedge_status kv_count(store_txn *txn, kv_db db, uint64_t *out, kedge_error *err)
{
    MDB_stat stat;
    int rc;

    *out = 0;
    PASS(kv_need(txn, false, err));
    rc = mdb_stat(txn->lmdb, txn->s->db[db], &stat);
    if (rc != 0)
        return kv_fail(txn->s, rc, "read", err);
    *out = stat.ms_entries;
    return KEDGE_OK;
}

kedge_status kv_clear(store_txn *txn, kv_db db, kedge_error *err)
{
    int rc;

    PASS(kv_need(txn, true, err));
    LMDB(txn->s, rc, mdb_drop(txn->lmdb, txn->s->db[db], 0));
    return rc == 0 ? KEDGE_OK : kv_fail(txn->s, rc, "remove", err);
}

/* ---- the data file as a whole -------------------------------------------- */

store_limits *kv_limits(store_txn *txn, bool **known)
{
    *known = &txn->limited;
    return &txn->limits;
}

const directory *kv_directory(const store *s)
{
    return &s->dir;
}

kedge_status store_check_writable(const store *s, kedge_error *err)
{
    return kv_idle(s, true, err);
}

uint64_t kv_snapshot(const store *s)
{
    MDB_envinfo info;

    return mdb_env_info(s->env, &info) == 0 ? info.me_last_txnid : 0;
}

kedge_status kv_copy(store *s, int fd, kedge_error *err)
{
    int rc = MDB_MAP_RESIZED;

    for (volatile int i = 0; rc == MDB_MAP_RESIZED && i < SNAPSHOT_TRIES; i++) {
        if (i > 0) { /* the file grew: map all of it */
            PASS(begin_read(s, err));
            end(s);
        }
        if (!is_writer(s) && !holds_enter(kv_fd(s)))
            return kv_fail(s, errno, "lock the data", err);
        LMDB(s, rc, mdb_env_copyfd2(s->env, fd, MDB_CP_COMPACT));
        if (!is_writer(s) && s->env != NULL)
            holds_leave(kv_fd(s));
    }
    return rc == 0 ? KEDGE_OK : kv_fail(s, rc, "copy the data", err);
}

void kv_let_go(const store *s)
{
    mapped_let_go(&s->map);
}

void kv_give_up(store *s)
{
    end(s);
    close_env(s);
}

kedge_status kv_reopen(store *s, kedge_error *err)
{
    kedge_status st;

    kv_give_up(s);
    memset(s->db, 0, sizeof s->db);
    st = open_store(s, err);
    if (st != KEDGE_OK)
        kv_give_up(s);
    return st;
}

/* ---- a store that was made for nothing ----------------------------------- */

/* No document came, nor was any there that left again. It is opened again,
 * whatever is open in it, or failed. */
static bool is_unused(store *s)
{
    store_txn *txn = NULL;
    store_totals t;
    const bool empty = kv_reopen(s, NULL) == KEDGE_OK &&
                       store_begin_read(s, &txn, NULL) == KEDGE_OK &&
                       store_get_totals(txn, &t, NULL) == KEDGE_OK &&
                       t.documents == 0 && t.blocks == 0 && t.removed == 0;

    store_abort(&txn);
    return empty;
}

void kedge_store_withdraw(kedge_store *s)
{
    if (s != NULL && s->made && is_unused(s)) {
        kv_give_up(s); /* nobody reads the files any more */
        directory_remove(&s->dir);
    }
    kedge_store_close(s);
}
