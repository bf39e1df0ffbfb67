/* SPDX-License-Identifier: MIT */
#include "io/handed.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/bag.h"
#include "io/malformed.h"

struct handed {
    const kedge_source *source;
    const char *name;
    size_t entries;
    uint64_t position; /* of the document that was given last */
    span *word;
    uint32_t *once;    /* counts of 1 */
    size_t word_capacity, once_capacity;
};

kedge_status handed_open(const kedge_source *source, const char *name,
                        size_t entries, handed **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    handed *g = NULL;

    *out = NULL;
    TRY_MEM(g = mem_new(1, sizeof *g));
    *g = (handed){.source = source, .name = name,
                 .entries = bag_most(entries)};
    *out = g;
out:
    return st;
}

void handed_close(handed *g)
{
    if (g == NULL)
        return;
    mem_free(g->word);
    mem_free(g->once);
    mem_free(g);
}

KEDGE_PRINTF(3, 4)
static kedge_status handed_bad(const handed *g, kedge_error *err,
                               const char *format, ...)
{
    char what[256];
    va_list list;

    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return kedge_fail(err, KEDGE_EFORMAT, "%s:%" PRIu64 ": %s", g->name,
                      g->position, what);
}

/* ---- a bag --------------------------------------------------------------- */

static kedge_status handed_counts(handed *g, const kedge_given *d, record *out,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t count = (size_t)d->size, had = g->once_capacity;
    uint64_t tokens = 0;

    out->count = count;
    out->tally = d->counts;
    if (d->counts == NULL) {
        if (!mem_grow((void **)&g->once, &g->once_capacity, count,
                      sizeof *g->once))
            TRY_MEM(NULL);
        for (size_t e = had; e < g->once_capacity; e++)
            g->once[e] = 1;
        out->tally = g->once;
    }
    for (size_t e = 0; e < count; e++) {
        if (out->tally[e] == 0)
            return handed_bad(g, err, "word %zu is there 0 times: 1 at least "
                              "was expected", e + 1);
        tokens += out->tally[e];
    }
    if (tokens > BAG_TOKENS_MAX)
        st = handed_bad(g, err, "the document is too large: counts of at most "
                        "%" PRIu64 " in all were expected", BAG_TOKENS_MAX);
out:
    return st;
}

static kedge_status reader_given_check_word(const handed *g, const char *word,
                                      size_t place, kedge_error *err)
{
    if (word == NULL || word[0] == '\0')
        return handed_bad(g, err, "word %zu is empty: text was expected",
                          place + 1);
    if (strlen(word) > RECORD_WORD_MAX)
        return handed_bad(g, err, "word %zu has %zu bytes: at most %zu were "
                          "expected", place + 1, strlen(word),
                          RECORD_WORD_MAX);
    if (span_has_line_end(span_text(word)))
        return handed_bad(g, err, "word %zu has the end of a line in it: a "
                          "word without was expected", place + 1);
    return KEDGE_OK;
}

static kedge_status handed_words(handed *g, const kedge_given *d, record *out,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (!mem_grow((void **)&g->word, &g->word_capacity, (size_t)d->size,
                  sizeof *g->word))
        TRY_MEM(NULL);
    for (size_t e = 0; e < d->size; e++) {
        TRY(reader_given_check_word(g, d->words[e], e, err));
        g->word[e] = span_text(d->words[e]);
    }
    out->kind = RECORD_WORDS;
    out->word = g->word;
out:
    return st;
}

static kedge_status handed_numbers(const handed *g, const kedge_given *d,
                                   record *out, kedge_error *err)
{
    const uint64_t words = g->source->words;

    for (size_t e = 0; e < d->size; e++)
        if (d->numbers[e] >= words)
            return handed_bad(g, err, "word %" PRIu32 " is not in the "
                              "vocabulary: 0 to %" PRIu64 " were expected",
                              d->numbers[e], words - 1);
    out->kind = RECORD_NUMBERS;
    out->number = d->numbers;
    return KEDGE_OK;
}

static kedge_status handed_bag(handed *g, const kedge_given *d, record *out,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (d->size > g->entries)
        return handed_bad(g, err, "the document is too large: at most %zu "
                          "entries were expected", g->entries);
    if (d->size > 0 && d->words == NULL && d->numbers == NULL)
        return handed_bad(g, err, "there are counts alone: words or numbers "
                          "were expected beside");
    if (d->words == NULL && d->numbers != NULL &&
        g->source->vocabulary == NULL)
        return kedge_fail(err, KEDGE_EINVAL, "%s: words are numbers here: the "
                          "source needs a vocabulary", g->name);
    TRY(handed_counts(g, d, out, err));
    st = d->words != NULL ? handed_words(g, d, out, err)
                          : handed_numbers(g, d, out, err);
out:
    return st;
}

/* ---- a document ---------------------------------------------------------- */

kedge_status handed_next(handed *g, record *out, bool *more, kedge_error *err)
{
    kedge_given d = {0};
    const int answer = g->source->next(g->source->data, &d);

    *out = (record){.kind = RECORD_TEXT};
    *more = answer > 0;
    if (answer < 0)
        return kedge_fail(err, KEDGE_ECANCELED, "%s: the source gave up after "
                          "%" PRIu64 " documents", g->name, g->position);
    if (!*more)
        return KEDGE_OK;
    g->position++;
    if (d.id != NULL)
        out->id = span_text(d.id);
    if (d.label != NULL)
        out->label = span_text(d.label);
    out->text = span_of(d.text != NULL ? d.text : "", d.text_size);
    return d.text != NULL ? KEDGE_OK : handed_bag(g, &d, out, err);
}
