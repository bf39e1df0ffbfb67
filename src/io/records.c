/* SPDX-License-Identifier: MIT */
#include "io/records.h"

#include <stdio.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "io/text/mail.h"
#include "io/text/letters.h"

struct records {
    record_source from;
    assembler *assemble, *own; /* own: NULL where it is the caller's */
    const wordmap *lexicon;
    size_t new_words, words_before; /* of a batch, and before it */
    reader_room room;
    mail mail;
    bool skip_bad, failed, empty; /* empty: all are given out */
    uint64_t position; /* of the record that was looked at last */
    reader_counts counts;
    uint64_t batch_tokens;
    double deadline;
};

kedge_status records_open(const record_source *from, const reader_opts *opts,
                          records **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    records *r = NULL;
    assembler **kept;

    *out = NULL;
    TRY_MEM(r = mem_new(1, sizeof *r));
    r->from = *from;
    r->skip_bad = opts->skip_bad;
    r->empty = opts->empty;
    r->room = opts->room;
    r->lexicon = opts->lexicon;
    r->new_words = opts->new_words;
    kept = opts->kept != NULL ? opts->kept : &r->own;
    if (*kept == NULL)
        TRY(assemble_open(&(assemble_opts){.lexicon = opts->lexicon,
                                           .closed = opts->vocabulary ||
                                                     opts->closed,
                                           .unknown = opts->unknown,
                                           .empty = opts->empty,
                                           .empty_named = opts->empty_named,
                                           .map = opts->map,
                                           .tokens = opts->tokens,
                                           .order = opts->order},
                          kept, err));
    r->assemble = *kept;
    assemble_set_order(r->assemble, opts->order);
    *out = r;
    r = NULL;
out:
    records_close(r);
    return st;
}

void records_set_order(records *r, bool order)
{
    assemble_set_order(r->assemble, order);
}

void records_close(records *r)
{
    if (r == NULL)
        return;
    assemble_close(r->own);
    mail_free(&r->mail);
    mem_free(r);
}

/* With skip_bad a malformed record is a count, and so is a source that broke
 * off, which ends there. */
static kedge_status records_forgive(records *r, kedge_status st, bool *more,
                                    kedge_error *why)
{
    const bool files = r->from.names_files;
    const bool broken = r->from.skippable != NULL &&
                        !r->from.skippable(r->from.waits);
    const size_t size = strlen(why->text);

    if (st != KEDGE_EFORMAT && !(files && st == KEDGE_EIO))
        return st;
    if (!r->skip_bad) {
        if (r->from.skippable != NULL)
            snprintf(why->text + size, sizeof why->text - size, "%s",
                     files    ? RECORDS_SKIP_FILE
                     : broken ? ""
                              : RECORDS_SKIP);
        return st;
    }
    *more = !broken;
    notes_add(files || broken ? &r->counts.unread : &r->counts.bad, 1,
              why->text);
    return KEDGE_OK;
}

/* Where a record is, for messages. */
static const char *records_place(const records *r, const record *found,
                                 char to[512])
{
    const unsigned long long line = found->line, number = r->position;
    const int most = 300;

    if (r->from.names_files)
        snprintf(to, 512, "%.*s/%.*s", most, r->from.name,
                 (int)(found->id.size < 200 ? found->id.size : 200),
                 found->id.bytes);
    else if (line > 0)
        snprintf(to, 512, "%.*s:%llu", most, r->from.name, line);
    else
        snprintf(to, 512, "%.*s: record %llu", most, r->from.name, number);
    return to;
}

static bool span_is_utf8(span s)
{
    return s.size == 0 || utf8_is(s.bytes, s.size);
}

/* Such bytes part words and stay in names: whoever meant another encoding has
 * to know. */
static void records_look_at_bytes(records *r, const record *found)
{
    bool fine = span_is_utf8(found->id) && span_is_utf8(found->label) &&
                (found->kind != RECORD_TEXT || span_is_utf8(found->text));

    for (size_t i = 0; found->kind == RECORD_WORDS && i < found->count; i++)
        fine = fine && span_is_utf8(found->word[i]);
    if (fine || r->counts.not_utf8++ > 0)
        return;
    records_place(r, found, r->counts.first_not_utf8);
}

/* Whether the store can keep it. */
static kedge_status records_check(const records *r, const record *found,
                                  kedge_error *err)
{
    char place[512];

    if (found->id.size <= RECORD_ID_MAX)
        return KEDGE_OK;
    return kedge_fail(err, KEDGE_EFORMAT,
                      "%s: the id has %zu bytes: %d at most were expected",
                      records_place(r, found, place), found->id.size,
                      RECORD_ID_MAX);
}

/* Whether what was assembled last is a document that can be worked on. */
static kedge_status records_measure(const records *r, const record *found,
                                    const docs *batch, kedge_error *err)
{
    char place[512];
    const size_t m = batch->count - 1;
    const size_t most = r->room.entries;
    const uint64_t piece = r->room.piece;

    if (most == 0 || docs_cut_entries(batch, m, piece) <= most)
        return KEDGE_OK;
    return kedge_fail(err, KEDGE_EFORMAT,
                      "%s: the document of %llu tokens is too large: in "
                      "pieces of %llu tokens, at most %zu words of pieces "
                      "were expected (more --memory allows for more)",
                      records_place(r, found, place),
                      (unsigned long long)batch->length[m],
                      (unsigned long long)piece, most);
}

/* Where a text was taken back, or a part of it, this is what stands there, in
 * lines of its own. Returns whether there is no other text. */
static bool drop_placeholders(span *text)
{
    static const span known[] = {{"[removed]", 9}, {"[deleted]", 9}};
    bool dropped = false;

    for (size_t i = 0; i < sizeof known / sizeof *known;) {
        size_t size = text->size;
        while (size > 0 && strchr(" \t\r\n", text->bytes[size - 1]) != NULL)
            size--;
        if (size == 0)
            return dropped;
        const size_t at = size < known[i].size ? 0 : size - known[i].size;
        if (!span_equal(span_of(text->bytes + at, size - at), known[i]) ||
            (at > 0 && text->bytes[at - 1] != '\n')) {
            i++;
            continue;
        }
        *text = span_of(text->bytes, at);
        dropped = true;
        i = 0;
    }
    return false;
}

static kedge_status records_add(records *r, const record *found, docs *batch,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t before = batch->count;
    const uint64_t unbroken = assemble_unbroken(r->assemble);
    record read = *found;

    r->counts.texts += found->kind == RECORD_TEXT;
    if (found->kind == RECORD_TEXT)
        TRY(mail_text(&r->mail, found->text, &read.text, err));
    if (found->kind == RECORD_TEXT)
        r->counts.taken_back += drop_placeholders(&read.text);
    TRY(assemble_add(r->assemble, &read, r->position, batch, err));
    r->counts.unbroken += assemble_unbroken(r->assemble) - unbroken;
    if (batch->count == before ||
        (!r->empty && batch->length[before] == 0)) {
        r->counts.empty++;
    } else {
        st = records_measure(r, found, batch, err);
        if (st != KEDGE_OK) {
            batch->count = before;
            goto out;
        }
        r->counts.documents++;
        r->batch_tokens += batch->length[before];
    }
out:
    return st;
}

static bool records_full(const records *r, const reader_limits *limits,
                         const docs *batch)
{
    return batch->count > 0 &&
           (batch->count >= limits->documents ||
            docs_entries(batch) >= limits->entries ||
            (limits->tokens > 0 && (r->batch_tokens >= limits->tokens ||
                                    docs_symbols(batch) >= limits->tokens)) ||
            (r->new_words > 0 &&
             r->lexicon->list->count - r->words_before >= r->new_words) ||
            (limits->seconds > 0 && clock_seconds() >= r->deadline));
}

static bool records_stalled(const records *r, const reader_limits *limits,
                            const docs *batch)
{
    return limits->seconds > 0 && batch->count > 0 && r->from.ready != NULL &&
           !r->from.ready(r->from.waits, r->deadline - clock_seconds());
}

/* One record, be it bad. */
static kedge_status records_step(records *r, docs *batch, bool *more,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_error why = {0};
    record found = {0};

    st = r->from.next(r->from.state, &found, more, &why);
    if (st == KEDGE_OK && !*more)
        return KEDGE_OK;
    *more = true;
    /* The line, be it that records share one. */
    r->position = found.line > r->position ? found.line : r->position + 1;
    if (st == KEDGE_OK)
        st = records_check(r, &found, &why);
    if (st == KEDGE_OK)
        records_look_at_bytes(r, &found);
    if (st == KEDGE_OK)
        st = records_add(r, &found, batch, &why);
    st = records_forgive(r, st, more, &why);
    if (st != KEDGE_OK && err != NULL)
        *err = why;
    return st;
}

kedge_status records_next(records *r, const reader_limits *limits, docs *batch,
                          bool *more, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *more = true;
    if (r->failed)
        return kedge_fail(err, KEDGE_EMISUSE, "read on after a failure");
    r->failed = true;
    r->batch_tokens = 0;
    r->words_before = r->lexicon->list->count;
    r->deadline = clock_seconds() + limits->seconds;
    while (*more && !records_full(r, limits, batch) &&
           !records_stalled(r, limits, batch))
        TRY(records_step(r, batch, more, err));
    r->failed = false;
out:
    return st;
}

void records_get_counts(const records *r, reader_counts *out)
{
    out->documents = r->counts.documents;
    out->texts = r->counts.texts;
    out->unbroken = r->counts.unbroken;
    out->empty = r->counts.empty;
    out->taken_back = r->counts.taken_back;
    out->bad = r->counts.bad;
    out->unread = r->counts.unread;
    out->not_utf8 = r->counts.not_utf8;
    memcpy(out->first_not_utf8, r->counts.first_not_utf8,
           sizeof out->first_not_utf8);
}
