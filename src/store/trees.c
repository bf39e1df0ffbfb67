/* SPDX-License-Identifier: MIT */
/*
 * Values under keys, in the transaction that is open. A database that is not in
 * every store is made when something is put into it first; where it is not
 * there, it is empty.
 */
#include "store/inside.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

static bool is_there(const store *s, env_db db)
{
    return s->db[db] != 0;
}

uint64_t env_place(env_key key)
{
    return hash_bytes(key.db, key.bytes, key.size);
}

store_frame *env_scratch(store *s)
{
    return &s->scratch;
}

static MDB_val key_value(env_key key)
{
    assert(key.size > 0 && key.size <= ENV_KEY_MAX);
    return (MDB_val){key.size, (void *)(uintptr_t)key.bytes};
}

kedge_status env_get(store *s, env_key key, const char *what,
                     const uint8_t **bytes, size_t *size, kedge_error *err)
{
    const kedge_status st = env_need(s, false, err);
    MDB_val k = key_value(key), v;
    int rc;

    if (st != KEDGE_OK)
        return st;
    rc = MDB_NOTFOUND;
    if (is_there(s, key.db))
        LMDB(s, rc, mdb_get(s->txn, s->db[key.db], &k, &v));
    if (rc != 0) /* pages of the tree were looked at all the same */
        mapped_touch(&s->map, NULL, 0);
    if (rc == MDB_NOTFOUND)
        return kedge_fail(err, KEDGE_ENOTFOUND, "%s: there is no %s",
                          s->dir.path, what);
    if (rc != 0)
        return env_fail(s, rc, "read", err);
    mapped_touch(&s->map, v.mv_data, v.mv_size);
    *bytes = v.mv_data;
    *size = v.mv_size;
    return KEDGE_OK;
}

/* Room for a value. Records mostly come in the order of their keys, and then
 * appending fills pages instead of splitting them; but ids do not. */
static kedge_status reserve(store *s, env_key key, size_t size, uint8_t **room,
                            kedge_error *err)
{
    kedge_status st = env_need(s, true, err);
    MDB_val k = key_value(key), v = {size, NULL};
    int rc;

    if (st == KEDGE_OK && !is_there(s, key.db))
        st = env_make_db(s, key.db, err);
    if (st != KEDGE_OK)
        return st;
    mapped_touch(&s->map, NULL, 0);
    if (key.db == DB_IDS)
        rc = MDB_KEYEXIST;
    else
        LMDB(s, rc, mdb_put(s->txn, s->db[key.db], &k, &v,
                            MDB_RESERVE | MDB_APPEND));
    if (rc == MDB_KEYEXIST) {
        v = (MDB_val){size, NULL};
        LMDB(s, rc, mdb_put(s->txn, s->db[key.db], &k, &v, MDB_RESERVE));
    }
    if (rc != 0)
        return env_fail(s, rc, "write", err);
    *room = v.mv_data;
    return KEDGE_OK;
}

kedge_status env_put(store *s, env_key key, const uint8_t *bytes, size_t size,
                     kedge_error *err)
{
    MDB_val k = key_value(key), v;
    uint8_t *room = NULL;
    kedge_status st = env_need(s, true, err);
    int rc = MDB_NOTFOUND;

    if (st != KEDGE_OK)
        return st;
    if (is_there(s, key.db))
        LMDB(s, rc, mdb_get(s->txn, s->db[key.db], &k, &v));
    if (rc != 0 && rc != MDB_NOTFOUND)
        return env_fail(s, rc, "read", err);
    if (rc == 0 && v.mv_size == size) {
        mapped_touch(&s->map, v.mv_data, size);
        if (memcmp(v.mv_data, bytes, size) == 0)
            return KEDGE_OK;
    }
    st = reserve(s, key, size, &room, err);
    if (st == KEDGE_OK)
        memcpy(room, bytes, size);
    return st;
}

kedge_status env_put_frame(store *s, env_key key, const store_frame *f,
                           const uint64_t *extra, kedge_error *err)
{
    uint8_t *room = NULL;
    const kedge_status st = reserve(s, key, f->size, &room, err);

    if (st == KEDGE_OK) {
        memcpy(room, f->bytes, f->size);
        frame_stamp(room, env_place(key), extra);
    }
    return st;
}

kedge_status env_put_frame_changed(store *s, env_key key, store_frame *f,
                                   kedge_error *err)
{
    frame_stamp(f->bytes, env_place(key), NULL);
    return env_put(s, key, f->bytes, f->size, err);
}

kedge_status env_get_frame(store *s, env_key key, const char *tag,
                           const char *what, env_frame *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(env_get(s, key, what, &out->bytes, &out->size, err));
    TRY(frame_peek(out->bytes, out->size, tag, what, &out->head, err));
    if (out->head.place != env_place(key))
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "%s is damaged (another record in its place)", what));
out:
    return st;
}

kedge_status env_drop(store *s, env_key key, kedge_error *err)
{
    const kedge_status st = env_need(s, true, err);
    MDB_val k = key_value(key);
    int rc;

    if (st != KEDGE_OK || !is_there(s, key.db))
        return st;
    mapped_touch(&s->map, NULL, 0);
    LMDB(s, rc, mdb_del(s->txn, s->db[key.db], &k, NULL));
    return rc == 0 || rc == MDB_NOTFOUND ? KEDGE_OK
                                         : env_fail(s, rc, "remove", err);
}

kedge_status env_seek(store *s, env_key from, uint8_t *found, size_t *size,
                      kedge_error *err)
{
    const kedge_status st = env_need(s, false, err);
    MDB_val k = key_value(from), v;
    MDB_cursor *cursor;
    int rc;

    *size = 0;
    if (st != KEDGE_OK)
        return st;
    if (!is_there(s, from.db))
        return env_fail(s, MDB_NOTFOUND, "read", err);
    mapped_touch(&s->map, NULL, 0);
    rc = mdb_cursor_open(s->txn, s->db[from.db], &cursor);
    if (rc != 0)
        return env_fail(s, rc, "read", err);
    LMDB(s, rc, mdb_cursor_get(cursor, &k, &v, MDB_SET_RANGE));
    if (rc == 0 && k.mv_size > ENV_KEY_MAX)
        rc = MDB_CORRUPTED;
    if (rc == 0)
        memcpy(found, k.mv_data, *size = k.mv_size);
    if (s->txn != NULL)
        mdb_cursor_close(cursor);
    return rc == 0 ? KEDGE_OK : env_fail(s, rc, "read", err);
}

kedge_status env_walk(store *s, env_db db,
                      bool (*visit)(void *data, const env_value *v),
                      void *data, kedge_error *err)
{
    const kedge_status st = env_need(s, false, err);
    bool more = true;
    MDB_val k, v;
    MDB_cursor *cursor;
    int rc;

    if (st != KEDGE_OK || !is_there(s, db))
        return st;
    rc = mdb_cursor_open(s->txn, s->db[db], &cursor);
    if (rc != 0)
        return env_fail(s, rc, "read", err);
    while (more) {
        LMDB(s, rc, mdb_cursor_get(cursor, &k, &v, MDB_NEXT));
        if (rc != 0)
            break;
        mapped_touch(&s->map, v.mv_data, v.mv_size);
        more = visit(data, &(env_value){k.mv_data, k.mv_size, v.mv_data,
                                        v.mv_size});
    }
    if (s->txn != NULL)
        mdb_cursor_close(cursor);
    return rc == 0 || rc == MDB_NOTFOUND ? KEDGE_OK
                                         : env_fail(s, rc, "read", err);
}

kedge_status env_count(store *s, env_db db, uint64_t *out, kedge_error *err)
{
    const kedge_status st = env_need(s, false, err);
    MDB_stat stat;
    int rc;

    *out = 0;
    if (st != KEDGE_OK || !is_there(s, db))
        return st;
    rc = mdb_stat(s->txn, s->db[db], &stat);
    if (rc != 0)
        return env_fail(s, rc, "read", err);
    *out = stat.ms_entries;
    return KEDGE_OK;
}

kedge_status env_clear(store *s, env_db db, kedge_error *err)
{
    const kedge_status st = env_need(s, true, err);
    int rc;

    if (st != KEDGE_OK || !is_there(s, db))
        return st;
    LMDB(s, rc, mdb_drop(s->txn, s->db[db], 0));
    return rc == 0 ? KEDGE_OK : env_fail(s, rc, "remove", err);
}
