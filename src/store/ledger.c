/* SPDX-License-Identifier: MIT */
/* Small records: the format, the totals, the settings, a line for every source
 * and for every part. */
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "store/records.h"

#define META_KEY(number) ((kv_key){DB_META, (const uint8_t[]){number}, 1})

/* ---- format -------------------------------------------------------------- */

static const uint64_t format = STORE_FORMAT;

kedge_status ledger_put_format(store_txn *txn, kedge_error *err)
{
    return record_put(txn, META_KEY(META_FORMAT), &schemas[KEDG], &format,
                      NO_TAIL, err);
}

/* Another format may have this record in another size: its number comes
 * first in all of them. */
kedge_status ledger_check_format(store_txn *txn, kedge_error *err)
{
    kedge_status st;
    uint64_t found;
    span body;

    st = record_body(txn, META_KEY(META_FORMAT), "KEDG", &body, err);
    if (st == KEDGE_ENOTFOUND)
        return kedge_fail(err, KEDGE_ECORRUPT,
                          "the record of the format is gone");
    PASS(st);
    found = body.size < 8 ? format : get_u64((const uint8_t *)body.bytes);
    if (found != format)
        PASS(kedge_fail(err, KEDGE_EVERSION,
                        "the store has format %" PRIu64 ", this program reads "
                        "%d; use the kedge that made it, or make it again from "
                        "its documents with 'kedge ingest'", found,
                        STORE_FORMAT));
    return record_get(txn, META_KEY(META_FORMAT), &schemas[KEDG], &found, NULL,
                      err);
}

/* ---- totals -------------------------------------------------------------- */

static store_limits limits_of(const store_totals *t)
{
    return (store_limits){t->words, t->blocks, t->sources, t->removals,
                          t->parts};
}

void ledger_set_limits(store_txn *txn, const store_limits *limits)
{
    bool *known;
    store_limits *const l = kv_limits(txn, &known);

    *known = limits != NULL;
    if (*known)
        *l = *limits;
}

kedge_status store_put_totals(store_txn *txn, const store_totals *t,
                              kedge_error *err)
{
    const store_limits limits = limits_of(t);

    PASS(record_put(txn, META_KEY(META_TOTALS), &schemas[KTOT], t, NO_TAIL,
                    err));
    ledger_set_limits(txn, &limits);
    return KEDGE_OK;
}

kedge_status ledger_get_totals(store_txn *txn, store_totals *out,
                               kedge_error *err)
{
    return record_get(txn, META_KEY(META_TOTALS), &schemas[KTOT], out, NULL,
                      err);
}

/* Words, sources and parts are as many as there are records of, and words no
 * longer than words are. */
kedge_status store_get_totals(store_txn *txn, store_totals *out,
                              kedge_error *err)
{
    uint64_t chunks, sources, parts;

    PASS(ledger_get_totals(txn, out, err));
    PASS(kv_count(txn, DB_WORDS, &chunks, err));
    PASS(kv_count(txn, DB_SOURCES, &sources, err));
    PASS(kv_count(txn, DB_PARTS, &parts, err));
    if (out->words > chunks * STORE_WORDS_CHUNK || out->words > UINT32_MAX ||
        out->word_bytes > out->words * (WORD_MAX + 1) ||
        out->sources > sources || out->parts > parts)
        return kv_damaged(META_KEY(META_TOTALS), err,
                          "%" PRIu64 " words of %" PRIu64 " bytes, %" PRIu64
                          " sources, %" PRIu64 " parts, which are not there",
                          out->words, out->word_bytes, out->sources,
                          out->parts);
    return KEDGE_OK;
}

kedge_status store_get_limits(store_txn *txn, store_limits *out,
                              kedge_error *err)
{
    store_totals t;
    bool *known;
    store_limits *const l = kv_limits(txn, &known);

    if (!*known) {
        PASS(store_get_totals(txn, &t, err));
        *l = limits_of(&t);
        *known = true;
    }
    *out = *l;
    return KEDGE_OK;
}

kedge_status ledger_raise(store_txn *txn, const store_limits *to,
                          kedge_error *err)
{
    store_limits l;

    PASS(store_get_limits(txn, &l, err));
    l.words = greater(l.words, to->words);
    l.blocks = greater(l.blocks, to->blocks);
    l.sources = greater(l.sources, to->sources);
    l.removals = greater(l.removals, to->removals);
    l.parts = greater(l.parts, to->parts);
    ledger_set_limits(txn, &l);
    return KEDGE_OK;
}

/* ---- settings ------------------------------------------------------------ */

/* The stop words are the record's tail, a zero behind each. */
kedge_status store_put_settings(store_txn *txn, const store_settings *t,
                                const words *stop, kedge_error *err)
{
    store_settings all = *t;

    all.stop_count = stop == NULL ? 0 : stop->count;
    return record_put(txn, META_KEY(META_SETTINGS), &schemas[KSET], &all,
                      all.stop_count == 0
                          ? NO_TAIL
                          : span_of(stop->bytes, stop->offset[stop->count]),
                      err);
}

kedge_status store_get_settings(store_txn *txn, store_settings *out,
                                words *stop, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kv_key key = META_KEY(META_SETTINGS);
    uint64_t count = 0;
    span tail;

    *out = (store_settings){0};
    st = record_get(txn, key, &schemas[KSET], out, &tail, err);
    if (st == KEDGE_ENOTFOUND)
        return KEDGE_OK;
    TRY(st);
    for (const char *at = tail.bytes, *const end = at + tail.size; at < end;
         count++) {
        const char *const zero = memchr(at, '\0', (size_t)(end - at));
        if (zero == NULL || zero == at)
            TRY(kv_damaged(key, err, "its words"));
        if (stop != NULL)
            TRY_MEM(words_add(stop, at, (size_t)(zero - at)));
        at = zero + 1;
    }
    if (count != out->stop_count)
        TRY(kv_damaged(key, err, "%" PRIu64 " words of %" PRIu64, count,
                       out->stop_count));
out:
    return st;
}

/* ---- sources ------------------------------------------------------------- */

kedge_status store_put_source(store_txn *txn, uint64_t number,
                              const store_source *r, kedge_error *err)
{
    PASS(ledger_raise(txn, &(store_limits){.sources = number + 1}, err));
    return record_put(txn, KV_KEY8(DB_SOURCES, number), &schemas[KSRC], r,
                      NO_TAIL, err);
}

kedge_status store_get_source_record(store_txn *txn, uint64_t number,
                                     store_source *out, kedge_error *err)
{
    return record_get(txn, KV_KEY8(DB_SOURCES, number), &schemas[KSRC], out,
                      NULL, err);
}

/* ---- parts --------------------------------------------------------------- */

kedge_status store_put_part(store_txn *txn, uint64_t number,
                            const store_part *p, kedge_error *err)
{
    PASS(ledger_raise(txn, &(store_limits){.parts = number + 1}, err));
    return record_put(txn, KV_KEY8(DB_PARTS, number), &schemas[KPRT], p,
                      NO_TAIL, err);
}

kedge_status store_get_part(store_txn *txn, uint64_t number, store_part *out,
                            kedge_error *err)
{
    return record_get(txn, KV_KEY8(DB_PARTS, number), &schemas[KPRT], out, NULL,
                      err);
}

kedge_status store_sum_parts(store_txn *txn, const store_totals *t,
                             store_part *out, kedge_error *err)
{
    store_part p;

    *out = (store_part){0};
    for (uint64_t i = 0; i < t->parts; i++) {
        PASS(store_get_part(txn, i, &p, err));
        out->digest[0] += p.digest[0];
        out->digest[1] += p.digest[1];
        out->documents += p.documents;
        out->tokens += p.tokens;
        out->nonzeros += p.nonzeros;
    }
    return KEDGE_OK;
}

kedge_status store_drop_parts(store_txn *txn, kedge_error *err)
{
    store_totals totals;

    PASS(store_get_totals(txn, &totals, err));
    totals.parts = 0; /* as many as there are records of */
    PASS(store_put_totals(txn, &totals, err));
    return kv_clear(txn, DB_PARTS, err);
}
