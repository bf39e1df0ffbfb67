/* SPDX-License-Identifier: MIT */
/* Small records: the format, the totals, and a line for every source. */
#include "store/ledger.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "store/kv.h"
#include "store/lexicon.h"
#include "store/record.h"

#define FORMAT_TAG "KEDG"
#define TOTALS_TAG "KTOT"
#define SOURCE_TAG "KSRC"

/* Bodies: fields of eight bytes, then bytes for what is to come. */
enum {
    FORMAT_BODY = 16,
    TOTALS_FIELDS = 13,
    TOTALS_BODY = 128,
    NAME_SIZE = 256,
    BATCH_SIZE = 64,
    SOURCE_FIELDS = 15,
    SOURCE_REST = NAME_SIZE + BATCH_SIZE, /* where they begin */
    SOURCE_BODY = 512,
};

static_assert(sizeof((store_source *)0)->name == NAME_SIZE, "a name's room");
static_assert(sizeof((store_source *)0)->batch == BATCH_SIZE, "a batch's room");
static_assert(TOTALS_FIELDS * 8 <= TOTALS_BODY, "fields fit");
static_assert(SOURCE_REST + SOURCE_FIELDS * 8 <= SOURCE_BODY, "fields fit");

/* ---- format -------------------------------------------------------------- */

static const uint8_t format_key = META_FORMAT, totals_key = META_TOTALS;

kedge_status ledger_put_format(store_txn *txn, kedge_error *err)
{
    const kv_key key = {DB_META, &format_key, 1};
    uint8_t record[RECORD_SIZE(FORMAT_BODY)] = {0};

    put_u64(record + RECORD_HEAD, STORE_FORMAT);
    return record_put(txn, key, FORMAT_TAG, record, sizeof record, err);
}

kedge_status ledger_check_format(store_txn *txn, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kv_key key = {DB_META, &format_key, 1};
    const char *const what = "record of the format";
    record_found r;

    st = record_get(txn, key, FORMAT_BODY, FORMAT_TAG, what, &r, err);
    if (st == KEDGE_ENOTFOUND)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "the %s is gone", what));
    TRY(st);
    if (get_u64(r.body) != STORE_FORMAT)
        TRY(kedge_fail(err, KEDGE_EVERSION,
                       "the store has format %" PRIu64 ", this program reads "
                       "%d; use the kedge that made it, or a newer one",
                       get_u64(r.body), STORE_FORMAT));
    TRY(record_zeros(r.body + 8, FORMAT_BODY - 8, what, err));
out:
    return st;
}

/* ---- totals -------------------------------------------------------------- */

static store_limits limits_of(const store_totals *t)
{
    return (store_limits){.words = t->words,
                          .blocks = t->blocks,
                          .sources = t->sources,
                          .removals = t->removals,
                          .parts = t->parts};
}

kedge_status store_put_totals(store_txn *txn, const store_totals *t,
                              kedge_error *err)
{
    kedge_status st;
    bool *known;

    const kv_key key = {DB_META, &totals_key, 1};
    const uint64_t fields[TOTALS_FIELDS] = {
        t->documents, t->tokens,  t->nonzeros,  t->words,     t->blocks,
        t->sources,   t->models,  t->digest[0], t->digest[1], t->removals,
        t->removed,   t->parts,   t->word_bytes,
    };
    uint8_t record[RECORD_SIZE(TOTALS_BODY)] = {0};

    record_put_fields(record + RECORD_HEAD, fields, TOTALS_FIELDS);
    st =
        record_put_version(txn, key, TOTALS_TAG,
                           t->parts > 0 ? RECORD_VERSION_PARTS : RECORD_VERSION,
                           record, sizeof record, err);
    if (st == KEDGE_OK) {
        *kv_limits(txn, &known) = limits_of(t);
        *known = true;
    }
    return st;
}

kedge_status ledger_get_totals(store_txn *txn, store_totals *out,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kv_key key = {DB_META, &totals_key, 1};
    const char *const what = "record of the totals";
    uint64_t f[TOTALS_FIELDS];
    record_found r;

    TRY(record_get(txn, key, TOTALS_BODY, TOTALS_TAG, what, &r, err));
    TRY(record_zeros(r.body + 8 * TOTALS_FIELDS,
                     TOTALS_BODY - 8 * TOTALS_FIELDS, what, err));
    record_get_fields(r.body, f, TOTALS_FIELDS);
    *out = (store_totals){
        .documents = f[0], .tokens = f[1], .nonzeros = f[2], .words = f[3],
        .blocks = f[4], .sources = f[5], .models = f[6],
        .digest = {f[7], f[8]}, .removals = f[9], .removed = f[10],
        .parts = f[11], .word_bytes = f[12],
    };
out:
    return st;
}

/* Words, sources and parts are as many as there are records of, and words no
 * longer than words are. */
kedge_status store_get_totals(store_txn *txn, store_totals *out,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t chunks, sources, parts;

    TRY(ledger_get_totals(txn, out, err));
    TRY(kv_count(txn, DB_WORDS, &chunks, err));
    TRY(kv_count(txn, DB_SOURCES, &sources, err));
    TRY(kv_count(txn, DB_PARTS, &parts, err));
    if (out->words > chunks * LEXICON_CHUNK || out->words > UINT32_MAX ||
        out->word_bytes > out->words * (STORE_WORD_MAX + 1) ||
        out->sources > sources || out->parts > parts)
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "record of the totals is damaged (%" PRIu64
                       " words of %" PRIu64 " bytes, %" PRIu64
                       " sources, %" PRIu64 " parts, which are not there)",
                       out->words, out->word_bytes, out->sources, out->parts));
out:
    return st;
}

kedge_status store_get_limits(store_txn *txn, store_limits *out,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_totals t;
    bool *known;
    store_limits *const l = kv_limits(txn, &known);

    if (!*known) {
        TRY(store_get_totals(txn, &t, err));
        *l = limits_of(&t);
        *known = true;
    }
    *out = *l;
out:
    return st;
}

void ledger_set_limits(store_txn *txn, const store_limits *limits)
{
    bool *known;
    store_limits *const l = kv_limits(txn, &known);

    *known = limits != NULL;
    if (*known)
        *l = *limits;
}

static void lift(uint64_t *limit, uint64_t to)
{
    if (*limit < to)
        *limit = to;
}

kedge_status ledger_raise(store_txn *txn, const store_limits *to,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_limits l;
    bool *known;

    TRY(store_get_limits(txn, &l, err));
    lift(&l.words, to->words);
    lift(&l.blocks, to->blocks);
    lift(&l.sources, to->sources);
    lift(&l.removals, to->removals);
    lift(&l.parts, to->parts);
    *kv_limits(txn, &known) = l;
out:
    return st;
}

/* ---- sources ------------------------------------------------------------- */

kedge_status store_put_source(store_txn *txn, uint64_t number,
                              const store_source *r, kedge_error *err)
{
    const uint64_t fields[SOURCE_FIELDS] = {
        r->words, r->position, r->documents, r->tokens,   r->nonzeros,
        r->bad,   r->empty,    r->digest,    r->complete, r->when,
        r->head,  r->removed,  r->removed_documents,
        r->removed_tokens, r->removed_nonzeros,
    };
    kedge_status st = KEDGE_OK;
    uint8_t record[RECORD_SIZE(SOURCE_BODY)] = {0};
    uint8_t bytes[8];
    const kv_key key = {DB_SOURCES, bytes, sizeof bytes};

    put_be64(bytes, number);
    memcpy(record + RECORD_HEAD, r->name, strnlen(r->name, NAME_SIZE - 1));
    memcpy(record + RECORD_HEAD + NAME_SIZE, r->batch,
           strnlen(r->batch, BATCH_SIZE - 1));
    record_put_fields(record + RECORD_HEAD + SOURCE_REST, fields,
                      SOURCE_FIELDS);
    TRY(ledger_raise(txn, &(store_limits){.sources = number + 1}, err));
    TRY(record_put(txn, key, SOURCE_TAG, record, sizeof record, err));
out:
    return st;
}

static kedge_status read_source(const uint8_t *body, store_source *out,
                                const char *what, kedge_error *err)
{
    const uint8_t *const rest = body + SOURCE_REST;
    const char *const text = (const char *)body;
    const size_t name = strnlen(text, NAME_SIZE);
    const size_t batch = strnlen(text + NAME_SIZE, BATCH_SIZE);
    uint64_t f[SOURCE_FIELDS];

    record_get_fields(rest, f, SOURCE_FIELDS);
    if (name == NAME_SIZE || batch == BATCH_SIZE || f[8] > 1 || f[11] > 1)
        return kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (its fields)",
                          what);
    *out = (store_source){
        .words = f[0], .position = f[1], .documents = f[2], .tokens = f[3],
        .nonzeros = f[4], .bad = f[5], .empty = f[6], .digest = f[7],
        .complete = f[8] == 1, .when = f[9], .head = f[10],
        .removed = f[11] == 1, .removed_documents = f[12],
        .removed_tokens = f[13], .removed_nonzeros = f[14],
    };
    memcpy(out->name, text, name);
    memcpy(out->batch, text + NAME_SIZE, batch);
    return record_zeros(rest + 8 * SOURCE_FIELDS,
                        SOURCE_BODY - SOURCE_REST - 8 * SOURCE_FIELDS, what,
                        err);
}

kedge_status store_get_source_record(store_txn *txn, uint64_t number,
                                     store_source *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t bytes[8];
    const kv_key key = {DB_SOURCES, bytes, sizeof bytes};
    record_found r;
    char what[48];

    put_be64(bytes, number);
    snprintf(what, sizeof what, "source %" PRIu64, number);
    TRY(record_get(txn, key, SOURCE_BODY, SOURCE_TAG, what, &r, err));
    TRY(read_source(r.body, out, what, err));
out:
    return st;
}
