/* SPDX-License-Identifier: MIT */
#include "pipeline/fit/anchoring.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "base/wordmap.h"
#include "pipeline/fit/fitcheck.h"
#include "pipeline/models/model.h"
#include "io/vocabulary.h"

#define NO_ROW UINT32_MAX
#define SHOWN 60 /* bytes of a word in a message */

/* Words' rows by what they are called. */
typedef struct lookup {
    wordmap ids;
    uint32_t *row; /* id → row, or NO_ROW */
} lookup;

static void lookup_close(lookup *l)
{
    wordmap_close(&l->ids);
    mem_free(l->row);
    *l = (lookup){0};
}

/* Rows of all words, and their bytes where they are asked for by name. */
static kedge_status lookup_open(const anchoring_input *in, bool named,
                                lookup *l, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *l = (lookup){0};
    if (named && !wordmap_open(&l->ids, (words *)in->all))
        TRY_MEM(NULL);
    TRY_MEM(l->row = mem_new(in->all->count, sizeof *l->row));
    for (size_t i = 0; i < in->all->count; i++)
        l->row[i] = NO_ROW;
    for (size_t r = 0; r < in->rows; r++)
        l->row[in->ids[r]] = (uint32_t)r;
out:
    return st;
}

static uint32_t lookup_row(const lookup *l, span word)
{
    const uint32_t id = wordmap_find(&l->ids, word);

    return id == WORDMAP_NONE ? NO_ROW : l->row[id];
}

static span line_of(const words *lines, size_t i)
{
    return span_of(words_get(lines, i), words_size(lines, i));
}

/* ---- banned words -------------------------------------------------------- */

static kedge_status read_banned(const anchoring_input *in, const lookup *l,
                                const char *path, anchoring *out,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    words list = {0};

    TRY(vocabulary_read(path, &list, err));
    TRY_MEM(out->banned = mem_new(in->rows, sizeof *out->banned));
    for (size_t i = 0; i < list.count; i++) {
        const uint32_t row = lookup_row(l, line_of(&list, i));
        if (row != NO_ROW)
            out->banned[row] = true;
    }
out:
    words_free(&list);
    return st;
}

/* ---- given ones ---------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The next word of a line from *at on. */
static bool next_word(span line, size_t *at, span *word)
{
    size_t end;

    while (*at < line.size && is_blank(line.bytes[*at]))
        ++*at;
    for (end = *at; end < line.size && !is_blank(line.bytes[end]);)
        end++;
    *word = span_of(line.bytes + *at, end - *at);
    *at = end;
    return word->size > 0;
}

/* As many words as a line can have. */
static size_t most_words(const words *lines)
{
    size_t count = 0, at;
    span word;

    for (size_t i = 0; i < lines->count; i++)
        for (at = 0; next_word(line_of(lines, i), &at, &word);)
            count++;
    return count;
}

/* A file being turned into rows. */
typedef struct reading {
    const lookup *l;
    const char *path;
    anchoring *out;
    size_t count; /* of rows so far */
} reading;

static kedge_status add_anchor(reading *r, size_t line, span word,
                               kedge_error *err)
{
    given *const g = &r->out->given;
    const uint32_t row = lookup_row(r->l, word);
    const int size = (int)(word.size < SHOWN ? word.size : SHOWN);

    if (row == NO_ROW)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s:%zu: \"%.*s\" is not among the words that "
                          "topics are made of", r->path, line + 1, size,
                          word.bytes);
    if (r->out->banned != NULL && r->out->banned[row])
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s:%zu: \"%.*s\" is given as an anchor and banned "
                          "from being one", r->path, line + 1, size,
                          word.bytes);
    for (size_t i = 0; i < r->count; i++)
        if (g->row[i] == row)
            return kedge_fail(err, KEDGE_EINVAL,
                              "%s:%zu: \"%.*s\" is an anchor already",
                              r->path, line + 1, size, word.bytes);
    g->row[r->count++] = row;
    return KEDGE_OK;
}

/* A line is one word, blanks and all, if there is such a word. */
static kedge_status add_line(reading *r, size_t line, span text,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t at = 0;
    span word;

    if (lookup_row(r->l, text) != NO_ROW)
        return add_anchor(r, line, text, err);
    while (next_word(text, &at, &word))
        TRY(add_anchor(r, line, word, err));
    if (r->out->given.begin[line] == r->count)
        TRY(kedge_fail(err, KEDGE_EFORMAT,
                       "%s:%zu: blanks: a topic's anchors were expected",
                       r->path, line + 1));
out:
    return st;
}

static kedge_status read_given(const lookup *l, const char *path,
                               anchoring *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    reading r = {.l = l, .path = path, .out = out};
    given *const g = &out->given;
    words lines = {0};

    TRY(vocabulary_read(path, &lines, err));
    TRY_MEM(g->begin = mem_new(lines.count + 1, sizeof *g->begin));
    TRY_MEM(g->row = mem_new(most_words(&lines) + 1, sizeof *g->row));
    for (size_t i = 0; i < lines.count; i++) {
        TRY(add_line(&r, i, line_of(&lines, i), err));
        g->begin[i + 1] = r.count;
    }
    g->topics = lines.count;
out:
    words_free(&lines);
    return st;
}

/* ---- all of it ----------------------------------------------------------- */

void anchoring_free(anchoring *a)
{
    given_free(&a->given);
    mem_free(a->banned);
    *a = (anchoring){0};
}

kedge_status anchoring_read(const anchoring_input *in,
                            const kedge_fit_opts *opts, anchoring *out,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    lookup l = {0};

    *out = (anchoring){0};
    if (opts->anchors != KEDGE_ANCHORS_FILE && opts->anchor_ban == NULL)
        return KEDGE_OK;
    TRY(lookup_open(in, true, &l, err));
    if (opts->anchor_ban != NULL)
        TRY(read_banned(in, &l, opts->anchor_ban, out, err));
    if (opts->anchors == KEDGE_ANCHORS_FILE)
        TRY(read_given(&l, opts->anchor_file, out, err));
out:
    lookup_close(&l);
    if (st != KEDGE_OK)
        anchoring_free(out);
    return st;
}

law_ways anchoring_ways(const anchoring *a, const kedge_fit_opts *opts,
                        uint64_t seed)
{
    return (law_ways){.anchors = fitcheck_anchors(opts),
                      .project = opts->project,
                      .seed = seed, .solver = fitcheck_solver(opts),
                      .recover = opts->recover, .legal = opts->legal,
                      .several = given_several(&a->given),
                      .banned = a->banned != NULL};
}

kedge_status anchoring_check(const anchoring *a, const kedge_fit_opts *opts,
                             uint64_t k, kedge_error *err)
{
    if (a->given.topics > k)
        return kedge_fail(err, KEDGE_EINVAL,
                          "anchors are given for %zu topics, more than the "
                          "%" PRIu64 " to be fitted", a->given.topics, k);
    if (given_several(&a->given) && opts->recover == KEDGE_RECOVER_INVERSE)
        return kedge_fail(err, KEDGE_EINVAL,
                          "topics with several anchors have no one word whose "
                          "row could be inverted: --recover l2 or kl was "
                          "expected");
    if (given_several(&a->given) &&
        opts->correlations == KEDGE_CORRELATIONS_DIAGONAL)
        return kedge_fail(err, KEDGE_EINVAL,
                          "topics with several anchors have no one word whose "
                          "row tells their correlations: --correlations ls "
                          "was expected");
    return KEDGE_OK;
}

/* Rows of the earlier model's anchors, as far as they are there. */
static kedge_status take_rows(const anchoring_input *in, const kedge_model *m,
                              const uint32_t *order, anchoring *a,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    given *const g = &a->given;
    lookup l = {0};

    TRY(lookup_open(in, false, &l, err));
    TRY_MEM(g->begin = mem_new(m->topics + 1, sizeof *g->begin));
    TRY_MEM(g->row = mem_new(m->topics, sizeof *g->row));
    for (size_t t = 0; t < m->topics; t++) {
        const uint32_t row = l.row[order[m->anchors[t]]];
        if (row == NO_ROW || (a->banned != NULL && a->banned[row]))
            continue;
        g->row[g->topics++] = row;
        g->begin[g->topics] = g->topics;
    }
out:
    lookup_close(&l);
    return st;
}

static kedge_status take_open(const anchoring_input *in, const char *like,
                              kedge_model **old, uint32_t **order,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_read(in->s, &txn, err));
    TRY(model_open_topics(txn, like, old, err));
    TRY(model_order(*old, in->all->count, order, err));
out:
    store_abort(&txn);
    return st;
}

kedge_status anchoring_take(const anchoring_input *in, const char *like,
                            uint64_t k, anchoring *a, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_model *old = NULL;
    uint32_t *order = NULL;

    given_free(&a->given);
    TRY(take_open(in, like, &old, &order, err));
    if (old->ways.several)
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "topics of model %s have several anchors each, of "
                       "which it keeps the first: give their file again",
                       like));
    if (old->topics > k)
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "model %s has %" PRIu64 " anchors to be kept, more "
                       "than the %" PRIu64 " topics to be fitted",
                       like, old->topics, k));
    TRY(take_rows(in, old, order, a, err));
    if (a->given.topics < old->topics)
        run_log(in->control,
                "%zu of the %" PRIu64 " anchors of model %s are kept; the "
                "others are not among the words that can be anchors",
                a->given.topics, old->topics, like);
out:
    mem_free(order);
    kedge_model_free(old);
    return st;
}
