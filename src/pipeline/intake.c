/* SPDX-License-Identifier: MIT */
#include "pipeline/intake.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"
#include "reader/vocabulary.h"

#define NEW_SOURCE SIZE_MAX

/* A pipe is known by so many of its first documents. */
#define HEAD_DOCUMENTS 16

/* What a slow source has given is committed about as often. */
#define COMMIT_SECONDS 1

/* ---- vocabulary ---------------------------------------------------------- */

static int compare_words(const words *a, size_t i, const words *b, size_t j)
{
    const size_t na = words_size(a, i), nb = words_size(b, j);
    const int c = memcmp(words_get(a, i), words_get(b, j), na < nb ? na : nb);

    return c != 0 ? c : na < nb ? -1 : na > nb;
}

static bool same_prefix(const words *stored, const words *file)
{
    if (file->count > stored->count)
        return false;
    for (size_t i = 0; i < file->count; i++)
        if (compare_words(stored, i, file, i) != 0)
            return false;
    return true;
}

/* A merge of both lists in the order of their bytes: lines that the store knows
 * get its id, the others the next ones, in the file's order. */
static kedge_status intake_merge(intake *in, const words *file,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t stored = in->vocabulary->count;
    uint32_t *theirs = NULL, *ours = NULL;
    size_t twin, i = 0;

    TRY_MEM(theirs = words_order(file, &twin));
    TRY_MEM(ours = words_order(in->vocabulary, &twin));
    TRY_MEM(in->map = mem_new(file->count, sizeof *in->map));
    for (size_t j = 0; j < file->count; j++) {
        int c = -1;
        while (i < stored && (c = compare_words(in->vocabulary, ours[i], file,
                                                theirs[j])) < 0)
            i++;
        in->map[theirs[j]] = i < stored && c == 0 ? ours[i] : UINT32_MAX;
    }
    for (size_t j = 0; j < file->count; j++) {
        if (in->map[j] != UINT32_MAX)
            continue;
        in->map[j] = (uint32_t)in->vocabulary->count;
        if (!words_add(in->vocabulary, words_get(file, j),
                       words_size(file, j)))
            TRY_MEM(NULL);
    }
out:
    mem_free(theirs);
    mem_free(ours);
    return st;
}

static kedge_status intake_vocabulary(intake *in, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    words file = {0};

    if (in->opts->vocabulary == NULL)
        return kedge_fail(err, KEDGE_EINVAL,
                          "UCI bags of words come with a vocabulary: give its "
                          "file with --vocab");
    TRY(vocabulary_read(in->opts->vocabulary, &file, err));
    in->stored_words = in->vocabulary->count;
    in->file_words = file.count;
    if (in->stored_words == 0) {
        *in->vocabulary = file;
        file = (words){0};
    } else if (!same_prefix(in->vocabulary, &file)) {
        TRY(intake_merge(in, &file, err));
    }
    TRY_MEM(in->hash = mem_new(in->vocabulary->count, sizeof *in->hash));
    for (size_t i = 0; i < in->vocabulary->count; i++)
        in->hash[i] = hash_bytes(0, words_get(in->vocabulary, i),
                                 words_size(in->vocabulary, i));
out:
    words_free(&file);
    return st;
}

/* ---- ledger -------------------------------------------------------------- */

static kedge_status intake_add_record(intake *in, const store_source *record,
                                      kedge_error *err)
{
    if (!mem_grow((void **)&in->ledger, &in->ledger_capacity, in->known + 1,
                  sizeof *in->ledger))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (ledger)");
    in->ledger[in->known++] = *record;
    return KEDGE_OK;
}

static kedge_status intake_ledger(intake *in, store *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_totals totals;
    store_source record;

    TRY(store_begin_read(s, err));
    TRY(store_get_totals(s, &totals, err));
    for (uint64_t i = 0; i < totals.sources; i++) {
        TRY(store_get_source_record(s, i, &record, err));
        TRY(intake_add_record(in, &record, err));
    }
out:
    store_abort(s);
    return st;
}

kedge_status intake_open(intake *in, store *s, words *vocabulary,
                         const kedge_ingest_opts *opts,
                         const kedge_control *control, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    in->vocabulary = vocabulary;
    in->opts = opts;
    in->control = control;
    TRY(intake_vocabulary(in, err));
    TRY(intake_ledger(in, s, err));
    TRY_MEM(in->held = mem_new(1, sizeof *in->held));
out:
    return st;
}

void intake_close(intake *in)
{
    reader_close(in->r);
    if (in->held != NULL)
        docs_free(in->held);
    mem_free(in->held);
    mem_free(in->ledger);
    mem_free(in->hash);
    mem_free(in->map);
    *in = (intake){0};
}

/* ---- one source ---------------------------------------------------------- */

static bool is_pipe(const intake *in)
{
    return strcmp(in->name, "-") == 0;
}

static void intake_count(intake *in)
{
    reader_counts c;

    reader_get_counts(in->r, &c);
    in->bytes_read = in->closed_read + c.bytes_read;
    in->bytes_text = in->closed_text + c.bytes_text;
    in->bytes_total = in->closed_total + c.bytes_total;
}

static void intake_close_source(intake *in)
{
    intake_count(in);
    in->closed_read = in->bytes_read;
    in->closed_text = in->bytes_text;
    in->closed_total = in->bytes_total;
    reader_close(in->r);
    in->r = NULL;
}

static kedge_status intake_open_source(intake *in, kedge_error *err)
{
    const reader_opts opts = {.format = in->opts->format,
                              .words = in->file_words,
                              .skip_bad = in->opts->skip_bad,
                              .control = in->control};

    in->chain = 0;
    in->skip = 0;
    in->passed = 0;
    in->named = false;
    return reader_open(in->name, &opts, &in->r, err);
}

/* The next source on the list; the ledger's entries of its name are tried from
 * the last to the first. */
static kedge_status intake_begin(intake *in, kedge_error *err)
{
    in->name = in->path[in->next++];
    in->candidate = in->known;
    return intake_open_source(in, err);
}

static void intake_settle(intake *in, size_t number)
{
    in->named = true;
    if (number != NEW_SOURCE) {
        in->current = (uint32_t)number;
        in->record = in->ledger[number];
        in->skip = in->record.position;
        return;
    }
    in->current = (uint32_t)in->known;
    in->record.words = in->file_words;
}

/* Which source this is, as far as its name tells; `head` is the digest of its
 * first documents. */
static void intake_identify(intake *in, uint64_t head)
{
    store_source fresh = {0};

    if (is_pipe(in))
        snprintf(fresh.name, sizeof fresh.name, "-#%016" PRIx64, head);
    else
        snprintf(fresh.name, sizeof fresh.name, "%s", in->name);
    while (in->candidate > 0)
        if (strcmp(in->ledger[--in->candidate].name, fresh.name) == 0) {
            intake_settle(in, in->candidate);
            return;
        }
    in->record = fresh;
    intake_settle(in, NEW_SOURCE);
}

static int compare_entries(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

/* Ids of the file become ids of the store, rising again within a document, from
 * document `first` on. */
static kedge_status intake_translate(const intake *in, docs *d, size_t first,
                                     kedge_error *err)
{
    uint64_t *entry;
    size_t longest = 0;

    if (in->map == NULL)
        return KEDGE_OK;
    for (size_t m = first; m < d->count; m++)
        if (d->start[m + 1] - d->start[m] > longest)
            longest = d->start[m + 1] - d->start[m];
    entry = mem_new(longest, sizeof *entry);
    if (entry == NULL)
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (words)");
    for (size_t m = first; m < d->count; m++) {
        const size_t from = d->start[m], n = d->start[m + 1] - from;
        for (size_t k = 0; k < n; k++)
            entry[k] = (uint64_t)in->map[d->word[from + k]] << 32 |
                       d->tally[from + k];
        qsort(entry, n, sizeof *entry, compare_entries);
        for (size_t k = 0; k < n; k++) {
            d->word[from + k] = (uint32_t)(entry[k] >> 32);
            d->tally[from + k] = (uint32_t)entry[k];
        }
    }
    mem_free(entry);
    return KEDGE_OK;
}

/* A document's digest: a sum over its entries, so free of ids and their order;
 * words count by their bytes. */
static uint64_t document_digest(const intake *in, const docs *d, size_t m)
{
    uint64_t sum = 0;

    for (size_t k = d->start[m]; k < d->start[m + 1]; k++)
        sum += hash_mix(in->hash[d->word[k]] + d->tally[k] * HASH_GOLDEN);
    return hash_mix(sum + d->length[m]);
}

static uint64_t chain_digest(uint64_t chain, uint64_t document,
                             uint64_t position)
{
    return hash_mix(chain + hash_mix(document + position * HASH_GOLDEN));
}

/* What was committed is passed over: it only has to be what it was. *first is
 * the first new document; *differs when the chain up to it is another. */
static void intake_pass(intake *in, size_t *first, bool *differs)
{
    const docs *d = in->held;
    size_t m = 0;

    for (; m < d->count && d->position[m] <= in->skip; m++)
        in->chain = chain_digest(in->chain, document_digest(in, d, m),
                                 d->position[m]);
    in->passed += m;
    *first = m;
    *differs = m < d->count && in->skip > 0 &&
               in->record.position == in->skip &&
               in->chain != in->record.digest;
}

/* Moves the new documents of the held batch to the slot. */
static kedge_status intake_take(intake *in, size_t first, slot *out,
                                kedge_error *err)
{
    docs *d = in->held;

    for (size_t m = first; m < d->count; m++) {
        const uint64_t digest = document_digest(in, d, m);
        in->chain = chain_digest(in->chain, digest, d->position[m]);
        out->digest[0] += digest;
        out->digest[1] += hash_mix(digest);
        in->record.position = d->position[m];
        in->record.digest = in->chain;
        in->record.documents++;
        in->record.tokens += d->length[m];
        in->record.nonzeros += d->start[m + 1] - d->start[m];
    }
    if (first == 0) {
        const docs keep = out->batch;
        out->batch = *d;
        *d = keep;
        return KEDGE_OK;
    }
    for (size_t m = first; m < d->count; m++)
        if (!docs_append(&out->batch, d, m))
            return kedge_fail(err, KEDGE_ENOMEM, "out of memory (batch)");
    return KEDGE_OK;
}

/* A batch's digest, for a pipe's name. */
static uint64_t head_digest(const intake *in, const docs *d)
{
    uint64_t chain = 0;

    for (size_t m = 0; m < d->count; m++)
        chain = chain_digest(chain, document_digest(in, d, m),
                             d->position[m]);
    return chain;
}

/* The source is not what the ledger has under its name. A file is opened again
 * and compared with an earlier entry, or taken as new. */
static kedge_status intake_differs(intake *in, slot *out, kedge_error *err)
{
    if (is_pipe(in))
        return kedge_fail(err, KEDGE_EINVAL,
                          "standard input begins like a source that the store "
                          "has (%s) but goes on differently; put it into a "
                          "file to add it",
                          in->record.name);
    docs_clear(&out->batch);
    intake_close_source(in);
    return intake_open_source(in, err);
}

/* Once the source has ended: its record is complete, and it is told apart
 * whether there was anything new in it. */
static kedge_status intake_finish(intake *in, slot *out, kedge_error *err)
{
    reader_counts c;

    reader_get_counts(in->r, &c);
    if (in->record.complete && out->batch.count == 0) {
        in->sources_known++;
        run_log(in->control, "%s: read to its end before; nothing new",
                in->name);
    } else {
        in->sources++;
    }
    in->resumed += in->passed;
    in->empty += c.empty;
    in->bad += c.bad;
    if (in->first_bad[0] == '\0')
        memcpy(in->first_bad, c.first_bad, sizeof in->first_bad);
    in->record.complete = true;
    in->record.bad = c.bad;
    in->record.empty = c.empty;
    intake_close_source(in);
    out->record = in->record;
    if (in->current == in->known)
        return intake_add_record(in, &in->record, err);
    in->ledger[in->current] = in->record;
    return KEDGE_OK;
}

/* The first documents tell which source it is. */
static kedge_status intake_read_head(intake *in, bool *more, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const reader_limits limits = {HEAD_DOCUMENTS, WINDOW_ENTRIES,
                                  WINDOW_TOKENS, 0};

    TRY(reader_next(in->r, &limits, in->held, more, err));
    TRY(intake_translate(in, in->held, 0, err));
    intake_identify(in, head_digest(in, in->held));
out:
    return st;
}

static kedge_status intake_read(intake *in, slot *out, bool *more,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const reader_limits limits = {WINDOW_DOCUMENTS, WINDOW_ENTRIES,
                                  WINDOW_TOKENS, COMMIT_SECONDS};
    bool differs;
    size_t first;

    docs_clear(in->held);
    *more = true;
    if (!in->named)
        TRY(intake_read_head(in, more, err));
    first = in->held->count;
    if (*more)
        TRY(reader_next(in->r, &limits, in->held, more, err));
    TRY(intake_translate(in, in->held, first, err));
    intake_pass(in, &first, &differs);
    if (!*more && first == in->held->count && in->skip > 0 &&
        in->record.position == in->skip && in->chain != in->record.digest)
        differs = true; /* it ends where the committed one went on */
    if (differs) {
        *more = true;
        TRY(intake_differs(in, out, err));
    } else {
        TRY(intake_take(in, first, out, err));
    }
out:
    return st;
}

kedge_status intake_next(intake *in, slot *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool more = true;

    docs_clear(&out->batch);
    out->digest[0] = out->digest[1] = 0;
    out->last = false;
    if (in->r == NULL && in->next == in->paths) {
        out->last = true;
        return KEDGE_OK;
    }
    if (in->r == NULL)
        TRY(intake_begin(in, err));
    while (more && out->batch.count == 0) {
        TRY(run_check(in->control, err));
        TRY(intake_read(in, out, &more, err));
    }
    out->source = in->current;
    out->record = in->record;
    intake_count(in);
    if (!more)
        TRY(intake_finish(in, out, err));
out:
    return st;
}
