/* SPDX-License-Identifier: MIT */
#include "store/record.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"

static_assert(RECORD_HEAD == 4 + 1 + 3 + 8, "tag, version, reserved, place");

void record_seal_version(uint8_t *record, size_t size, const char *tag,
                         uint8_t version, uint64_t place)
{
    assert(size >= RECORD_SIZE(0) && strlen(tag) == 4);
    memcpy(record, tag, 4);
    record[4] = version;
    memset(record + 5, 0, 3);
    put_u64(record + 8, place);
    put_u64(record + size - RECORD_SUM,
            hash_bytes(RECORD_SEED, record, size - RECORD_SUM));
}

void record_seal(uint8_t *record, size_t size, const char *tag, uint64_t place)
{
    record_seal_version(record, size, tag, RECORD_VERSION, place);
}

/* The newest that this program reads. */
static uint8_t record_newest(const char *tag)
{
    return strcmp(tag, "KTOT") == 0 ? RECORD_VERSION_PARTS : RECORD_VERSION;
}

kedge_status record_check(const uint8_t *record, size_t size, size_t body,
                          const char *tag, uint64_t place, const char *what,
                          kedge_error *err)
{
    if (size < RECORD_SIZE(0) ||
        hash_bytes(RECORD_SEED, record, size - RECORD_SUM) !=
            get_u64(record + size - RECORD_SUM))
        return kedge_fail(err, KEDGE_ECORRUPT,
                          "%s is damaged (checksum, %zu bytes)", what, size);
    if (memcmp(record, tag, 4) != 0 || get_u64(record + 8) != place)
        return kedge_fail(err, KEDGE_ECORRUPT,
                          "%s is damaged (another record in its place)", what);
    if (record[4] < RECORD_VERSION || record[4] > record_newest(tag))
        return kedge_fail(err, KEDGE_EVERSION,
                          "%s has version %u, this program reads %u; a newer "
                          "kedge wrote it",
                          what, record[4], record_newest(tag));
    if (body != SIZE_MAX && size != RECORD_SIZE(body))
        return kedge_fail(err, KEDGE_ECORRUPT,
                          "%s is damaged (%zu bytes, not %zu)", what, size,
                          RECORD_SIZE(body));
    return record_zeros(record + 5, 3, what, err);
}

kedge_status record_zeros(const uint8_t *bytes, size_t size, const char *what,
                          kedge_error *err)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return kedge_fail(err, KEDGE_ECORRUPT,
                              "%s is damaged (reserved bytes in use)", what);
    return KEDGE_OK;
}

kedge_status record_put(store_txn *txn, kv_key key, const char *tag,
                        uint8_t *record, size_t size, kedge_error *err)
{
    return record_put_version(txn, key, tag, RECORD_VERSION, record, size, err);
}

kedge_status record_put_version(store_txn *txn, kv_key key, const char *tag,
                                uint8_t version, uint8_t *record, size_t size,
                                kedge_error *err)
{
    record_seal_version(record, size, tag, version, kv_place(key));
    return kv_put(txn, key, record, size, err);
}

kedge_status record_get(store_txn *txn, kv_key key, size_t body,
                        const char *tag, const char *what, record_found *out,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *record = NULL;
    size_t size = 0;

    TRY(kv_get(txn, key, what, &record, &size, err));
    TRY(record_check(record, size, body, tag, kv_place(key), what, err));
    *out = (record_found){record + RECORD_HEAD, size - RECORD_SIZE(0)};
out:
    return st;
}
