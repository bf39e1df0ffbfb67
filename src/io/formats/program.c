/* SPDX-License-Identifier: MIT */
/*
 * A program's own documents (kedge/source.h). Messages count them from 1, as
 * lines of a file are counted.
 */
#include <inttypes.h>

#include "base/fail.h"
#include "io/format.h"

static kedge_status take_bag(records *r, const kedge_given *d, record *out,
                             kedge_error *err)
{
    const uint64_t known = r->opts.source->words;
    const size_t most = record_entries_most(&r->opts);

    if (d->size > most)
        return malformed(r, err, "the document is too large: expected at most "
                                 "%zu entries", most);
    if (d->size > 0 && d->words == NULL && d->numbers == NULL)
        return malformed(r, err, "the document has counts only: expected words "
                         "or numbers as well");
    if (d->words == NULL && d->numbers != NULL &&
        r->opts.source->vocabulary == NULL)
        return kedge_fail(err, KEDGE_EINVAL, "%s: words are given as numbers: "
                                             "the source needs a "
                                             "vocabulary", r->name);
    out->kind = d->words != NULL ? RECORD_WORDS : RECORD_NUMBERS;
    records_clear_bag(r);
    for (size_t e = 0; e < d->size; e++) {
        const uint32_t tally = d->counts != NULL ? d->counts[e] : 1;
        if (tally == 0)
            return malformed(r, err, "the count of word %zu is 0: expected at "
                                     "least 1", e + 1);
        if (d->words != NULL) {
            if (d->words[e] == NULL || d->words[e][0] == '\0')
                return malformed(r, err, "word %zu is empty: expected "
                                         "text", e + 1);
            PASS(records_add_word(r, span_text(d->words[e]), tally, err));
            continue;
        }
        if (d->numbers[e] >= known)
            return malformed(r, err, "word %" PRIu32 " is not in the "
                                     "vocabulary: expected 0 to %" PRIu64,
                             d->numbers[e], known - 1);
        PASS(records_add_number(r, d->numbers[e], tally, err));
    }
    return KEDGE_OK;
}

static kedge_status program_next(records *r, record *out, bool *more,
                                kedge_error *err)
{
    const kedge_source *const source = r->opts.source;
    kedge_given d = {0};
    const int answer = source->next(source->data, &d);

    *more = answer > 0;
    if (answer < 0)
        return kedge_fail(err, KEDGE_ECANCELED, "%s: the source gave up after "
                          "%" PRIu64 " documents", r->name, r->line);
    if (!*more)
        return KEDGE_OK;
    r->line++;
    if (d.id != NULL)
        out->id = span_text(d.id);
    if (d.label != NULL)
        out->label = span_text(d.label);
    out->text = span_of(d.text != NULL ? d.text : "", d.text_size);
    return d.text != NULL ? KEDGE_OK : take_bag(r, &d, out, err);
}

const record_format format_program = {
    .name = "program",
    .next = program_next,
};
