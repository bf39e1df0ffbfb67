/* SPDX-License-Identifier: MIT */
/*
 * A store is a directory with LMDB's data.mdb and lock.mdb and our writer.lock.
 * LMDB would let a second writer wait; ours is turned away, so the one writer
 * holds writer.lock (flock: the kernel lets go of it however the process ends)
 * from open to close. LMDB's map is grown between transactions only.
 */
#include "store/inside.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/directory.h"
#include "store/ledger.h"
#include "store/pages.h"

#define MAP_STEP  (UINT64_C(1) << 20) /* maps are whole megabytes */
#define SNAPSHOT_TRIES 16
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
    return UINT64_C(12) << 20;
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
    case MDB_READERS_FULL:
        return KEDGE_EBUSY;
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
    return kedge_fail(err, lmdb_status(code), "%s: cannot %s: %s%s",
                      s->dir.path, doing, mdb_strerror(code), hint);
}

/* ---- opening ------------------------------------------------------------- */

static int open_env(store *s, unsigned flags)
{
    int rc = mdb_env_create(&s->env);

    if (rc == 0)
        rc = mdb_env_set_maxdbs(s->env, DB_COUNT + 7);
    if (rc == 0)
        rc = mdb_env_open(s->env, s->dir.path, flags, 0666);
    if (rc != 0 && s->env != NULL) {
        mdb_env_close(s->env);
        s->env = NULL;
    }
    return rc;
}

static kedge_status open_lmdb(store *s, kedge_error *err)
{
    const unsigned flags =
        MDB_NOTLS | (s->mode == KEDGE_OPEN_READ ? MDB_RDONLY : 0);
    const int held = directory_hold(&s->dir, false);
    int rc = open_env(s, flags);
    int dead;

    directory_let_go(held);
    if (s->mode == KEDGE_OPEN_READ && (rc == EACCES || rc == EROFS)) {
        const kedge_status st = directory_keep_writers_out(&s->dir, err);
        if (st != KEDGE_OK)
            return st;
        rc = open_env(s, flags | MDB_NOLOCK);
    }
    if (rc == 0 && s->mode != KEDGE_OPEN_READ)
        rc = mdb_reader_check(s->env, &dead); /* slots of killed readers */
    return rc == 0 ? KEDGE_OK : env_fail(s, rc, "open the store", err);
}

static void close_env(store *s)
{
    s->map = (mapped){0};
    if (s->env != NULL)
        mdb_env_close(s->env);
    s->env = NULL;
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
static void find_map(store *s)
{
    uint8_t format = META_FORMAT;
    MDB_val key = {1, &format}, v;
    MDB_envinfo info;
    uint64_t number;
    MDB_stat stat;

    s->map.start = NULL;
    if (s->db[DB_META] == 0 || mdb_get(s->txn, s->db[DB_META], &key, &v) != 0)
        return;
    mdb_env_info(s->env, &info);
    mdb_env_stat(s->env, &stat);
    char *page = (char *)v.mv_data - (uintptr_t)v.mv_data % stat.ms_psize;
    memcpy(&number, page, sizeof number);
    if (number >= 2 && number <= info.me_last_pgno) {
        s->map.start = page - number * stat.ms_psize;
        s->map.size = info.me_mapsize;
    }
}

static kedge_status begin(store *s, unsigned flags, kedge_error *err)
{
    int rc = mdb_txn_begin(s->env, NULL, flags, &s->txn);

    for (int i = 0; rc == MDB_MAP_RESIZED && i < SNAPSHOT_TRIES; i++) {
        const kedge_status st = set_map(s, 0, err);
        if (st != KEDGE_OK)
            return st;
        rc = mdb_txn_begin(s->env, NULL, flags, &s->txn);
    }
    if (rc != 0) {
        s->txn = NULL;
        return env_fail(s, rc, "begin a transaction", err);
    }
    s->writes = (flags & MDB_RDONLY) == 0;
    find_map(s);
    return KEDGE_OK;
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

/* A reader that is held up while it begins can get what is being committed,
 * and then what was before: it goes by a number that it read earlier. */
static bool is_between(const store *s)
{
    return mdb_txn_id(s->txn) != env_snapshot(s);
}

/* A reader's table of an older file would give numbers of snapshots that are
 * not in this one, so a snapshot counts when its file is still the store's, and
 * when it is settled. `reopen` closes the file and opens the one that took its
 * place. */
static kedge_status
begin_newest(store *s, kedge_status (*reopen)(store *s, kedge_error *err),
             kedge_error *err)
{
    int reopened = 0, between = 0;
    kedge_status st;

    do {
        st = begin(s, MDB_RDONLY, err);
        if (st != KEDGE_OK)
            return st;
        if (is_replaced(s) && reopened++ < SNAPSHOT_TRIES)
            st = reopen(s, err);
        else if (is_between(s) && between++ < SNAPSHOT_TRIES)
            store_abort(s);
        else
            return KEDGE_OK;
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
    mdb_filehandle_t fd;
    bool moved;

    for (int i = 0; i < SNAPSHOT_TRIES; i++) {
        mdb_env_get_fd(s->env, &fd);
        kedge_status st = pages_check(fd, mdb_txn_id(s->txn), &moved, err);
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
    if (mdb_dbi_open(s->txn, db_names[DB_BLOCKS], 0, &other) != 0)
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
    const int rc = mdb_dbi_open(s->txn, db_names[db], flags, &s->db[db]);

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
        const int rc = s->db[db] != 0 ? 0
                                      : mdb_dbi_open(s->txn, db_names[db], 0,
                                                     &s->db[db]);
        if (rc != 0 && rc != MDB_NOTFOUND)
            return env_fail(s, rc, "open a database", err);
    }
    return KEDGE_OK;
}

kedge_status env_make_db(store *s, env_db db, kedge_error *err)
{
    const int rc = mdb_dbi_open(s->txn, db_names[db], MDB_CREATE, &s->db[db]);

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
    if (st != KEDGE_OK) { /* the lock is held, so nobody has put anything in */
        close_env(s);
        directory_remove(&s->dir);
    }
    return st;
}

static kedge_status open_store(store *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(open_lmdb(s, err));
    TRY(begin_newest(s, reopen_lmdb, err));
    TRY(check_pages(s, err));
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
    if (s->mode != KEDGE_OPEN_READ) /* a replaced file may be new in it */
        TRY(directory_sync_names(&s->dir, err));
out:
    store_abort(s);
    return st;
}

kedge_status kedge_store_open(const char *path, kedge_open_mode mode,
                              kedge_store **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store *s = NULL;

    if (out == NULL)
        return kedge_fail(err, KEDGE_EINVAL, "no place for the store's handle");
    *out = NULL;
    if (path == NULL || path[0] == '\0')
        return kedge_fail(err, KEDGE_EINVAL, "a store needs a path");
    if (mode != KEDGE_OPEN_READ && mode != KEDGE_OPEN_WRITE &&
        mode != KEDGE_OPEN_CREATE)
        return kedge_fail(err, KEDGE_EINVAL, "%s: no such way to open a store",
                          path);
    TRY_MEM(s = mem_new(1, sizeof *s));
    s->mode = mode;
    s->dir.lock = -1;
    TRY(directory_open(&s->dir, path, mode, err));
    TRY(open_store(s, err));
    *out = s;
    s = NULL;
out:
    kedge_store_close(s);
    return st;
}

void kedge_store_close(kedge_store *s)
{
    if (s == NULL)
        return;
    store_abort(s);
    close_env(s);
    frame_free(&s->scratch);
    directory_close(&s->dir); /* the lock goes last */
    mem_free(s);
}

/* ---- transactions -------------------------------------------------------- */

static kedge_status check_idle(const store *s, kedge_error *err)
{
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

kedge_status store_commit(store *s, kedge_error *err)
{
    int rc;

    if (s->txn == NULL)
        return kedge_fail(err, KEDGE_EMISUSE, "%s: no transaction is open",
                          s->dir.path);
    note_id_pages(s);
    rc = mdb_txn_commit(s->txn);
    s->txn = NULL;
    if (rc != 0)
        forget_grown(s);
    s->grew = false;
    if (s->writes)
        mapped_let_go(&s->map); /* of what LMDB looked at by itself */
    return rc == 0 ? KEDGE_OK : env_fail(s, rc, "commit", err);
}

void store_abort(store *s)
{
    if (s->txn != NULL && s->writes)
        mdb_txn_abort(s->txn);
    else if (s->txn != NULL)
        mdb_txn_commit(s->txn); /* the same, and opened databases stay so */
    s->txn = NULL;
    forget_grown(s);
}

/* ---- the data file as a whole -------------------------------------------- */

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
    const int rc = mdb_env_copyfd2(s->env, fd, MDB_CP_COMPACT);

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
    if (s->txn == NULL || (write && !s->writes))
        return kedge_fail(err, KEDGE_EMISUSE, "%s: no %stransaction is open",
                          s->dir.path, write ? "writing " : "");
    return KEDGE_OK;
}
