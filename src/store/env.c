/* SPDX-License-Identifier: MIT */
/*
 * A store is a directory with LMDB's data.mdb and our writer.lock. LMDB would
 * let a second writer wait; ours is turned away, so the one writer holds
 * writer.lock (flock: the kernel lets go of it however the process ends) from
 * open to close. LMDB's map is grown between transactions only.
 *
 * Readers use no lock file of LMDB's: locks on the data file tell which states
 * are read (holds.h). The writer alone has a lock.mdb, with one place in its
 * table of readers, and puts the oldest of these states there before each
 * transaction, so that LMDB leaves their pages alone.
 */
#include "store/inside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/directory.h"
#include "store/holds.h"
#include "store/ledger.h"
#include "store/pages.h"
#include "store/stamp.h"

#define MAP_STEP  (UINT64_C(1) << 20) /* maps are whole megabytes */
#define SNAPSHOT_TRIES 16
#define COMMIT_TRIES 2000 /* of half a millisecond: a disk can be slow */
#define MAP_SLACK (UINT64_C(16) << 20) /* pages of the trees themselves */

static const char *const db_names[DB_COUNT] = {
    [DB_META] = "meta",     [DB_BLOCKS] = "blocks",   [DB_WORDS] = "words",
    [DB_COUNTS] = "counts", [DB_SOURCES] = "sources", [DB_VIEWS] = "views",
    [DB_ROWS] = "rows",     [DB_MODELS] = "models",   [DB_ARRAYS] = "arrays",
    [DB_IDS] = "ids",       [DB_GONE] = "gone",
    [DB_REMOVALS] = "removals",                       [DB_LISTS] = "lists",
    [DB_ORDERS] = "orders", [DB_JOINS] = "joins",     [DB_KEPT] = "kept",
    [DB_SPECTRA] = "spectra",
    [DB_PARTS] = "parts",
};

const char *store_path(const store *s)
{
    return s->dir.path;
}

uint64_t store_disk_bytes(const store *s)
{
    struct stat file;
    mdb_filehandle_t fd;

    if (s->env == NULL || mdb_env_get_fd(s->env, &fd) != 0 ||
        fstat(fd, &file) != 0)
        return 0;
    return (uint64_t)file.st_size;
}

/* LMDB's tables for dirty and free pages, and our own scratch: a chunk of
 * doubles before and after compression, and the codec's contexts. */
uint64_t store_memusage(void)
{
    return UINT64_C(6) << 20;
}

static kedge_status lmdb_status(int code)
{
    switch (code) {
    case MDB_NOTFOUND:
        return KEDGE_ENOTFOUND;
    case MDB_MAP_FULL:
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
    case ENOMEM:
        return KEDGE_ENOMEM;
    default:
        return KEDGE_EIO;
    }
}

kedge_status env_fail(const store *s, int code, const char *doing,
                      kedge_error *err)
{
    const char *hint = "";

    if (code == MDB_MAP_FULL || code == MDB_TXN_FULL)
        hint = "; more was put than was reserved";
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
                          "(LMDB: %s)", s->dir.path, doing, s->assertion);
    return kedge_fail(err, lmdb_status(code), "%s: cannot %s: %s%s",
                      s->dir.path, doing, mdb_strerror(code), hint);
}

/* ---- LMDB's assertions --------------------------------------------------- */

_Thread_local jmp_buf *env_landing;

/* Without a landing, LMDB says what failed and ends the process. */
static void on_assertion(MDB_env *env, const char *text)
{
    store *const s = mdb_env_get_userctx(env);

    if (s == NULL || env_landing == NULL)
        return;
    snprintf(s->assertion, sizeof s->assertion, "%s", text);
    longjmp(*env_landing, 1);
}

/* Nobody can tell what LMDB was about, so all that it has stays as it is, but
 * for the locks that others go by. */
int env_land(store *s)
{
    mdb_filehandle_t fd;

    if (mdb_env_get_fd(s->env, &fd) == 0)
        holds_drop(fd);
    s->env = NULL;
    s->txn = s->hold = NULL;
    s->map = (mapped){0};
    return MDB_CORRUPTED;
}

/* ---- opening ------------------------------------------------------------- */

static bool is_writer(const store *s)
{
    return s->mode != KEDGE_OPEN_READ;
}

static int env_fd(const store *s)
{
    mdb_filehandle_t fd;

    return s->env != NULL && mdb_env_get_fd(s->env, &fd) == 0 ? fd : -1;
}

/* A child by fork has the handle's memory, but neither LMDB's locks nor the
 * right to write or to close what its parent goes on with. */
static bool is_own(const store *s)
{
    return s->process == getpid();
}

static int open_in_lmdb(store *s, unsigned flags)
{
    int rc;

    LMDB(s, rc, mdb_env_open(s->env, s->dir.path, flags, 0666));
    return rc;
}

static int open_env(store *s)
{
    const unsigned flags =
        MDB_NOTLS | (is_writer(s) ? 0 : MDB_RDONLY | MDB_NOLOCK);
    int rc = mdb_env_create(&s->env);

    if (rc == 0)
        rc = mdb_env_set_maxdbs(s->env, DB_COUNT + 7);
    if (rc == 0)
        rc = mdb_env_set_userctx(s->env, s);
    if (rc == 0)
        rc = mdb_env_set_assert(s->env, on_assertion);
    if (rc == 0)
        rc = open_in_lmdb(s, flags);
    if (rc != 0 && s->env != NULL) {
        mdb_env_close(s->env);
        s->env = NULL;
    }
    return rc;
}

/* LMDB's list of readers, a line each: process, thread, transaction. */
static int find_listed(const char *line, void *data)
{
    unsigned long long process, thread, transaction;

    if (sscanf(line, " %llu %llx %llu", &process, &thread, &transaction) == 3 &&
        transaction == *(uint64_t *)data)
        *(uint64_t *)data = 0;
    return 0;
}

static bool is_listed(MDB_env *env, uint64_t transaction)
{
    mdb_reader_list(env, find_listed, &transaction);
    return transaction == 0;
}

/* The place of `hold` in LMDB's table: the transaction, then the process, at
 * the beginning of a cache line. LMDB must find there what is put there. */
static void find_place(store *s)
{
    const uint64_t now = mdb_txn_id(s->hold), other = UINT64_C(0x6b65646765);
    const uint32_t process = (uint32_t)getpid();

    for (size_t at = 0; s->oldest == NULL && at + 64 <= s->table_size;
         at += 64) {
        volatile uint64_t *const place = (volatile uint64_t *)(s->table + at);
        if (memcmp(s->table + at, &now, 8) != 0 ||
            memcmp(s->table + at + 8, &process, 4) != 0)
            continue;
        *place = other;
        if (is_listed(s->env, other))
            s->oldest = place;
        *place = now;
    }
}

/* Without a place, a transaction could not begin while an older state is
 * read. */
static kedge_status hold_place(store *s, kedge_error *err)
{
    struct stat info;
    int rc = mdb_txn_begin(s->env, NULL, MDB_RDONLY, &s->hold);

    if (rc == MDB_MAP_RESIZED && (rc = mdb_env_set_mapsize(s->env, 0)) == 0)
        rc = mdb_txn_begin(s->env, NULL, MDB_RDONLY, &s->hold);
    if (rc != 0)
        return env_fail(s, rc, "open the store", err);
    /* Closing another descriptor would drop LMDB's own locks. */
    s->table_fd = directory_open_lmdb_lock(&s->dir);
    if (s->table_fd >= 0 && fstat(s->table_fd, &info) == 0) {
        void *const table = mmap(NULL, (size_t)info.st_size,
                                 PROT_READ | PROT_WRITE, MAP_SHARED,
                                 s->table_fd, 0);
        if (table != MAP_FAILED) {
            s->table = table;
            s->table_size = (size_t)info.st_size;
            find_place(s);
        }
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

    return fstat(env_fd(s), &opened) == 0 &&
           !directory_has_other_data(&s->dir, &opened);
}

static kedge_status open_lmdb(store *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    int rc;

    if (is_writer(s))
        TRY(directory_clear_lmdb_lock(&s->dir, err));
    rc = open_env(s);
    if (rc != 0)
        TRY(env_fail(s, rc, "open the store", err));
    if (is_writer(s) && !is_same_file(s))
        TRY(kedge_fail(err, KEDGE_EIO, "%s: another program put another "
                       DIRECTORY_DATA " there", s->dir.path));
    if (is_writer(s))
        TRY(hold_place(s, err));
out:
    return st;
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
    if (s->table_fd >= 0)
        close(s->table_fd);
    s->table_fd = -1;
}

/* Maps `size` bytes, or with 0 what the writer has made of it. */
static kedge_status set_map(store *s, uint64_t size, kedge_error *err)
{
    int rc;

    s->map = (mapped){0}; /* it may lie elsewhere afterwards */
    rc = mdb_env_set_mapsize(s->env, size);
    if (rc == 0)
        return KEDGE_OK;
    /* LMDB has let go of the old map, and follows its pointers yet. */
    close_env(s);
    return kedge_fail(err, KEDGE_ENOMEM,
                      "%s: cannot map %llu MB of address space: %s",
                      s->dir.path, (unsigned long long)(size >> 20),
                      mdb_strerror(rc));
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
    LMDB(s, rc, mdb_get(s->txn, s->db[DB_META], &key, &v));
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

static int begin_in_lmdb(store *s, unsigned flags)
{
    int rc;

    LMDB(s, rc, mdb_txn_begin(s->env, NULL, flags, &s->txn));
    return rc;
}

static kedge_status begin(store *s, unsigned flags, kedge_error *err)
{
    int rc = begin_in_lmdb(s, flags);

    for (int i = 0; rc == MDB_MAP_RESIZED && i < SNAPSHOT_TRIES; i++) {
        const kedge_status st = set_map(s, 0, err);
        if (st != KEDGE_OK)
            return st;
        rc = begin_in_lmdb(s, flags);
    }
    if (rc != 0) {
        s->txn = NULL;
        return env_fail(s, rc, "begin a transaction", err);
    }
    s->writes = (flags & MDB_RDONLY) == 0;
    s->limited = false;
    rc = find_map(s);
    if (rc == MDB_BAD_TXN) /* what LMDB makes of a page that it cannot use */
        rc = MDB_CORRUPTED;
    if (rc != 0 && s->txn != NULL) {
        mdb_txn_abort(s->txn);
        s->txn = NULL;
    }
    return rc == 0 ? KEDGE_OK : env_fail(s, rc, "begin a transaction", err);
}

static void end_read(store *s)
{
    mdb_txn_commit(s->txn); /* as an abort, and opened databases stay so */
    s->txn = NULL;
    if (!is_writer(s) && s->env != NULL)
        holds_leave(env_fd(s));
}

/* The newest state, and nobody takes its pages until it ends. While a
 * transaction is being committed its meta page may be half there. */
static kedge_status begin_read(store *s, kedge_error *err)
{
    const struct timespec nap = {.tv_nsec = 500000};

    if (is_writer(s)) /* there is no other, and LMDB's table has its place */
        return begin(s, MDB_RDONLY, err);
    for (int i = 0;; i++) {
        const int fd = env_fd(s);
        kedge_status st = KEDGE_OK;
        uint64_t id;
        if (!holds_enter(fd))
            return kedge_fail(err, KEDGE_EIO, "%s/" DIRECTORY_DATA ": cannot "
                              "lock: %s; use a copy on another file system",
                              s->dir.path, strerror(errno));
        st = begin(s, MDB_RDONLY, err);
        if (st != KEDGE_OK) {
            if (s->env != NULL)
                holds_leave(fd);
            return st;
        }
        id = mdb_txn_id(s->txn);
        if (i >= COMMIT_TRIES || (id == env_snapshot(s) &&
                                  !holds_is_committing(fd, id))) {
            if (holds_state(fd, id))
                return KEDGE_OK;
            st = kedge_fail(err, KEDGE_EIO, "%s/" DIRECTORY_DATA
                            ": cannot lock: %s", s->dir.path, strerror(errno));
        }
        end_read(s);
        if (st != KEDGE_OK)
            return st;
        nanosleep(&nap, NULL);
    }
}

/* Another process has put another data file in the place of this one. Who
 * holds writer.lock keeps it from that. */
static bool is_replaced(const store *s)
{
    mdb_filehandle_t fd;
    struct stat mine;

    return s->dir.lock < 0 && mdb_env_get_fd(s->env, &fd) == 0 &&
           fstat(fd, &mine) == 0 && directory_has_other_data(&s->dir, &mine);
}

/* In the file that is the store's. `reopen` closes the file and opens the one
 * that took its place. */
static kedge_status
begin_newest(store *s, kedge_status (*reopen)(store *s, kedge_error *err),
             kedge_error *err)
{
    int reopened = 0;
    kedge_status st;

    do {
        st = begin_read(s, err);
        if (st != KEDGE_OK || !is_replaced(s) || reopened++ == SNAPSHOT_TRIES)
            return st;
        st = reopen(s, err);
    } while (st == KEDGE_OK);
    return st;
}

/* Without the databases, which are not open yet. */
static kedge_status reopen_lmdb(store *s, kedge_error *err)
{
    env_give_up(s);
    return open_lmdb(s, err);
}

/* In the snapshot of the open transaction, or of a newer one: a busy writer
 * can overwrite the root before it was looked at. */
static kedge_status check_pages(store *s, kedge_error *err)
{
    bool moved;

    for (int i = 0; i < SNAPSHOT_TRIES; i++) {
        kedge_status st = pages_check(env_fd(s), mdb_txn_id(s->txn), &moved,
                                      err);
        if (st != KEDGE_OK)
            kedge_fail_context(err, "%s/data.mdb", s->dir.path);
        if (st != KEDGE_OK || !moved)
            return st;
        store_abort(s);
        st = begin_newest(s, reopen_lmdb, err);
        if (st != KEDGE_OK)
            return st;
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

    if (fstat(env_fd(s), &now) == 0 &&
        (before == NULL ||
         (before->st_mtim.tv_sec == now.st_mtim.tv_sec &&
          before->st_mtim.tv_nsec == now.st_mtim.tv_nsec &&
          before->st_size == now.st_size)))
        stamp_write(&s->dir, &now, env_snapshot(s));
}

/* The pages are as kedge left them, or are checked. A writer that has it open
 * found them sound. */
static kedge_status ensure_sound(store *s, kedge_error *err)
{
    struct stat data;
    stamp_fit fit;
    kedge_status st = KEDGE_OK;

    if (fstat(env_fd(s), &data) != 0)
        return env_fail(s, errno, "look at the data", err);
    fit = stamp_look(&s->dir, &data, mdb_txn_id(s->txn));
    if (fit != STAMP_STATE &&
        (fit != STAMP_FILE || is_writer(s) || !holds_is_sound(env_fd(s)))) {
        st = check_pages(s, err);
        if (st == KEDGE_OK && (is_writer(s) || fit != STAMP_FOREIGN))
            write_stamp(s, &data);
    }
    if (st == KEDGE_OK && is_writer(s))
        holds_sound(env_fd(s));
    return st;
}

kedge_status store_check_pages(store *s, kedge_error *err)
{
    kedge_status st = store_begin_read(s, err);

    if (st == KEDGE_OK)
        st = check_pages(s, err);
    store_abort(s);
    return st;
}

static int open_dbi(store *s, env_db db, unsigned flags, MDB_dbi *out)
{
    int rc;

    LMDB(s, rc, mdb_dbi_open(s->txn, db_names[db], flags, out));
    return rc;
}

static bool is_empty(store *s)
{
    MDB_stat stat;
    MDB_dbi root;

    return mdb_dbi_open(s->txn, NULL, 0, &root) == 0 &&
           mdb_stat(s->txn, root, &stat) == 0 && stat.ms_entries == 0;
}

/* Without the first database: nothing yet, not ours, or damaged. */
static kedge_status no_meta(store *s, kedge_error *err)
{
    MDB_dbi other;

    if (is_empty(s))
        return kedge_fail(err, KEDGE_ENOTFOUND,
                          "%s: there is no store yet, its making was "
                          "interrupted; run what made it again",
                          s->dir.path);
    if (open_dbi(s, DB_BLOCKS, 0, &other) != 0)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s: holds an LMDB database that is not a store",
                          s->dir.path);
    return kedge_fail(err, KEDGE_ECORRUPT,
                      "%s: is damaged (no database \"%s\")", s->dir.path,
                      db_names[DB_META]);
}

static kedge_status open_db(store *s, env_db db, unsigned flags,
                            kedge_error *err)
{
    const int rc = open_dbi(s, db, flags, &s->db[db]);

    if (rc == MDB_NOTFOUND && db == DB_META)
        return no_meta(s, err);
    if (rc != 0 && rc != ENOMEM)
        return kedge_fail(err, KEDGE_ECORRUPT,
                          "%s: is damaged (no database \"%s\": %s)",
                          s->dir.path, db_names[db], mdb_strerror(rc));
    return rc == 0 ? KEDGE_OK : env_fail(s, rc, "open a database", err);
}

/* All that every store has but the first, which tells whether the others can be
 * expected. */
static kedge_status open_others(store *s, unsigned flags, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (env_db db = DB_META + 1; db < DB_ALWAYS; db++)
        TRY(open_db(s, db, flags, err));
out:
    return st;
}

/* Those that were made when something was put into them first, maybe by another
 * process since the store was opened. */
static kedge_status open_later(store *s, kedge_error *err)
{
    for (env_db db = DB_ALWAYS; db < DB_COUNT; db++) {
        const int rc = s->db[db] != 0 ? 0 : open_dbi(s, db, 0, &s->db[db]);
        if (rc != 0 && rc != MDB_NOTFOUND)
            return env_fail(s, rc, "open a database", err);
    }
    return KEDGE_OK;
}

kedge_status env_make_db(store *s, env_db db, kedge_error *err)
{
    const int rc = open_dbi(s, db, MDB_CREATE, &s->db[db]);

    s->grew = true;
    return rc == 0 ? KEDGE_OK : env_fail(s, rc, "make a database", err);
}

/* Databases and first records, in one transaction. */
static kedge_status make_store(store *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(store_begin_write(s, 0, err));
    TRY(open_db(s, DB_META, MDB_CREATE, err));
    TRY(open_others(s, MDB_CREATE, err));
    TRY(ledger_put_format(s, err));
    TRY(store_put_totals(s, &(store_totals){0}, err));
    TRY(store_commit(s, err));
    s->made = true;
    TRY(directory_sync(&s->dir, err));
out:
    store_abort(s);
    return st;
}

static kedge_status open_store(store *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(open_lmdb(s, err));
    TRY(begin_newest(s, reopen_lmdb, err));
    TRY(ensure_sound(s, err));
    st = open_db(s, DB_META, 0, err);
    if (st == KEDGE_ENOTFOUND && s->mode == KEDGE_OPEN_CREATE) {
        store_abort(s);
        return make_store(s, err);
    }
    TRY(st);
    TRY(ledger_check_format(s, err));
    TRY(open_others(s, 0, err));
    TRY(open_later(s, err));
    TRY(store_commit(s, err)); /* an aborted one would close the databases */
    if (is_writer(s)) /* a replaced file may be new in it */
        TRY(directory_sync_names(&s->dir, err));
out:
    store_abort(s);
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
        return kedge_fail(err, KEDGE_EINVAL, "%s: no such way to open a store",
                          path);
    TRY_MEM(s = mem_new(1, sizeof *s));
    s->mode = mode;
    s->process = getpid();
    s->dir.lock = s->table_fd = -1;
    TRY(directory_open(&s->dir, path, mode, wait, err));
    st = open_store(s, err);
    if (st != KEDGE_OK && s->dir.fresh) { /* what was begun, by this handle */
        env_give_up(s);
        directory_remove(&s->dir);
    }
    TRY(st);
    *out = s;
    s = NULL;
out:
    kedge_store_close(s);
    return api_leave(st, err);
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
    store_abort(s);
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

static kedge_status check_idle(const store *s, kedge_error *err)
{
    if (!is_own(s))
        return kedge_fail(err, KEDGE_EMISUSE,
                          "%s: was opened by the process that this one was "
                          "forked from; open it again here", s->dir.path);
    if (s->closed)
        return kedge_fail(err, KEDGE_EMISUSE, "%s: was closed", s->dir.path);
    if (s->txn != NULL)
        return kedge_fail(err, KEDGE_EMISUSE,
                          "%s: a transaction is open already", s->dir.path);
    if (s->env == NULL)
        return kedge_fail(err, KEDGE_EMISUSE,
                          "%s: failed before; close and open it again",
                          s->dir.path);
    return KEDGE_OK;
}

kedge_status store_begin_read(store *s, kedge_error *err)
{
    kedge_status st = check_idle(s, err);

    /* Reopened with all that belongs to the other file. */
    if (st == KEDGE_OK)
        st = begin_newest(s, env_reopen, err);
    if (st != KEDGE_OK)
        return st;
    st = open_later(s, err);
    if (st != KEDGE_OK)
        store_abort(s);
    return st;
}

/* Room for `reserve` bytes beyond the file's last page: pages within it that
 * are free may be in pieces too small, so they are not counted on. Values take
 * whole pages, hence the quarter more. Ids are put and dropped all over their
 * tree, which can ask for another page in place of each. */
static kedge_status grow_map(store *s, uint64_t reserve, kedge_error *err)
{
    MDB_envinfo info;
    MDB_stat stat;
    uint64_t need, size;

    mdb_env_info(s->env, &info);
    mdb_env_stat(s->env, &stat);
    need = (info.me_last_pgno + 1 + s->id_pages) * stat.ms_psize + reserve +
           reserve / 4 + MAP_SLACK;
    if (need <= info.me_mapsize)
        return KEDGE_OK;
    size = info.me_mapsize + info.me_mapsize / 4;
    size = (size > need ? size : need) / MAP_STEP * MAP_STEP + MAP_STEP;
    return set_map(s, size, err);
}

/* LMDB leaves the pages of states alone that somebody reads. */
static kedge_status spare_states(store *s, kedge_error *err)
{
    const uint64_t newest = env_snapshot(s);
    const uint64_t oldest = holds_oldest(env_fd(s), newest);

    if (s->oldest != NULL)
        *s->oldest = oldest;
    else if (oldest < newest)
        return kedge_fail(err, KEDGE_EBUSY,
                          "%s: an older state is being read, and this LMDB "
                          "(%s) cannot spare it; wait for that to end",
                          s->dir.path, mdb_version(NULL, NULL, NULL));
    return KEDGE_OK;
}

kedge_status store_begin_write(store *s, uint64_t reserve, kedge_error *err)
{
    kedge_status st = env_idle(s, true, err);

    if (st != KEDGE_OK)
        return st;
    if (reserve > UINT64_C(1) << 46)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s: cannot reserve %llu bytes", s->dir.path,
                          (unsigned long long)reserve);
    st = grow_map(s, reserve, err);
    if (st == KEDGE_OK)
        st = spare_states(s, err);
    return st != KEDGE_OK ? st : begin(s, 0, err);
}

uint64_t env_used(const store *s)
{
    uint64_t bytes = 0;
    MDB_stat stat;

    for (env_db db = 0; db < DB_COUNT; db++)
        if (s->db[db] != 0 && mdb_stat(s->txn, s->db[db], &stat) == 0)
            bytes += stat.ms_psize * (stat.ms_branch_pages +
                                      stat.ms_leaf_pages +
                                      stat.ms_overflow_pages);
    return bytes;
}

static void note_id_pages(store *s)
{
    MDB_stat stat;

    if (s->db[DB_IDS] != 0 && mdb_stat(s->txn, s->db[DB_IDS], &stat) == 0)
        s->id_pages = stat.ms_branch_pages + stat.ms_leaf_pages;
}

/* What was made in a transaction that came to nothing is not there. */
static void forget_grown(store *s)
{
    for (env_db db = DB_ALWAYS; s->grew && db < DB_COUNT; db++)
        s->db[db] = 0;
    s->grew = false;
}

/* Between the two marks a reader takes no state; and none of those that are
 * sound is without a stamp for long. */
static int commit_write(store *s)
{
    const uint64_t id = mdb_txn_id(s->txn), before = env_snapshot(s);
    int rc;

    holds_commit(env_fd(s), id, true);
    LMDB(s, rc, mdb_txn_commit(s->txn));
    s->txn = NULL;
    if (s->env == NULL)
        return rc;
    holds_commit(env_fd(s), id, false);
    if (rc == 0 && env_snapshot(s) != before)
        write_stamp(s, NULL);
    mapped_let_go(&s->map); /* of what LMDB looked at by itself */
    return rc;
}

kedge_status store_commit(store *s, kedge_error *err)
{
    int rc = 0;

    if (s->txn == NULL)
        return kedge_fail(err, KEDGE_EMISUSE, "%s: no transaction is open",
                          s->dir.path);
    if (!is_own(s)) {
        s->txn = NULL;
        return check_idle(s, err);
    }
    note_id_pages(s);
    if (s->writes)
        rc = commit_write(s);
    else
        end_read(s);
    if (rc != 0)
        forget_grown(s);
    s->grew = false;
    return rc == 0 ? KEDGE_OK : env_fail(s, rc, "commit", err);
}

void store_abort(store *s)
{
    int rc = 0;

    if (s->txn != NULL && is_own(s)) {
        if (s->writes)
            LMDB(s, rc, (mdb_txn_abort(s->txn), 0));
        else
            end_read(s);
    }
    (void)rc;
    s->txn = NULL;
    forget_grown(s);
}

/* ---- the data file as a whole -------------------------------------------- */

store_limits *env_limits(store *s, bool **known)
{
    *known = &s->limited;
    return &s->limits;
}

const directory *env_directory(const store *s)
{
    return &s->dir;
}

bool env_made(const store *s)
{
    return s->made;
}

kedge_status env_idle(const store *s, bool write, kedge_error *err)
{
    const kedge_status st = check_idle(s, err);

    if (st == KEDGE_OK && write && s->mode == KEDGE_OPEN_READ)
        return kedge_fail(err, KEDGE_EMISUSE, "%s: is open for reading only",
                          s->dir.path);
    return st;
}

kedge_status store_check_writable(const store *s, kedge_error *err)
{
    return env_idle(s, true, err);
}

uint64_t env_snapshot(const store *s)
{
    MDB_envinfo info;

    return mdb_env_info(s->env, &info) == 0 ? info.me_last_txnid : 0;
}

kedge_status env_copy(store *s, int fd, kedge_error *err)
{
    const int own = env_fd(s);
    int rc;

    if (!is_writer(s) && !holds_enter(own))
        return env_fail(s, errno, "lock the data", err);
    LMDB(s, rc, mdb_env_copyfd2(s->env, fd, MDB_CP_COMPACT));
    if (!is_writer(s) && s->env != NULL)
        holds_leave(own);
    return rc == 0 ? KEDGE_OK : env_fail(s, rc, "copy the data", err);
}

void env_let_go(const store *s)
{
    mapped_let_go(&s->map);
}

void env_give_up(store *s)
{
    store_abort(s);
    close_env(s);
}

kedge_status env_reopen(store *s, kedge_error *err)
{
    kedge_status st;

    env_give_up(s);
    memset(s->db, 0, sizeof s->db);
    st = open_store(s, err);
    if (st != KEDGE_OK)
        env_give_up(s);
    return st;
}

kedge_status env_need(const store *s, bool write, kedge_error *err)
{
    if (write && !is_own(s))
        return check_idle(s, err);
    if (s->txn == NULL || (write && !s->writes))
        return kedge_fail(err, KEDGE_EMISUSE, "%s: no %stransaction is open",
                          s->dir.path, write ? "writing " : "");
    return KEDGE_OK;
}
