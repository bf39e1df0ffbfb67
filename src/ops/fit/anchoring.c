/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "base/wordmap.h"
#include "io/vocabulary.h"
#include "ops/fit/fit.h"

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
static kedge_status lookup_open(const fit *f, bool named, lookup *l,
                                kedge_error *err)
{
    *l = (lookup){0};
    if (named && !wordmap_open(&l->ids, (words *)&f->all))
        PASS_MEM(NULL);
    PASS_MEM(l->row = mem_new(f->all.count, sizeof *l->row));
    for (size_t i = 0; i < f->all.count; i++)
        l->row[i] = NO_ROW;
    for (size_t r = 0; r < f->index.words; r++)
        l->row[f->w.ids[r]] = (uint32_t)r;
    return KEDGE_OK;
}

static uint32_t lookup_row(const lookup *l, span word)
{
    const uint32_t id = wordmap_find(&l->ids, word);

    return id == WORDMAP_NONE ? NO_ROW : l->row[id];
}

static span line_of(const words *lines, size_t i)
{
    return words_span(lines, i);
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

static kedge_status add_anchor(fit *f, const lookup *l, size_t line, span word,
                               size_t *count, kedge_error *err)
{
    given *const g = &f->given;
    const uint32_t row = lookup_row(l, word);
    const int size = (int)(word.size < SHOWN ? word.size : SHOWN);
    const char *wrong = NULL;

    if (row == NO_ROW)
        wrong = "is not in the vocabulary of the model";
    else if (f->banned != NULL && f->banned[row])
        wrong = "is an anchor here, but --anchor-ban excludes it";
    for (size_t i = 0; i < *count; i++)
        if (g->row[i] == row)
            wrong = "is an anchor already";
    if (wrong != NULL)
        return kedge_fail(err, KEDGE_EINVAL, "%s:%zu: \"%.*s\" %s",
                          f->opts->anchor_file, line + 1, size, word.bytes,
                          wrong);
    g->row[(*count)++] = row;
    return KEDGE_OK;
}

/* A line is one word, blanks and all, if there is such a word. */
static kedge_status add_line(fit *f, const lookup *l, size_t line, span text,
                             size_t *count, kedge_error *err)
{
    size_t at = 0;
    span word;

    if (lookup_row(l, text) != NO_ROW)
        return add_anchor(f, l, line, text, count, err);
    while (next_word(text, &at, &word))
        PASS(add_anchor(f, l, line, word, count, err));
    if (f->given.begin[line] == *count)
        return kedge_fail(err, KEDGE_EFORMAT,
                          "%s:%zu: the line has no word: expected the anchors "
                          "of a topic",
                          f->opts->anchor_file, line + 1);
    return KEDGE_OK;
}

static kedge_status read_given(fit *f, const lookup *l, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    given *const g = &f->given;
    words lines = {0};
    size_t count = 0, most = 1;
    span word;

    TRY(vocabulary_read(f->opts->anchor_file, &lines, err));
    TRY_MEM(g->begin = mem_new(lines.count + 1, sizeof *g->begin));
    for (size_t i = 0, at; i < lines.count; i++)
        for (at = 0; next_word(line_of(&lines, i), &at, &word);)
            most++;
    TRY_MEM(g->row = mem_new(most, sizeof *g->row));
    for (size_t i = 0; i < lines.count; i++) {
        TRY(add_line(f, l, i, line_of(&lines, i), &count, err));
        g->begin[i + 1] = count;
    }
    g->topics = lines.count;
out:
    words_free(&lines);
    return st;
}

/* Banned words first: none of them is given as an anchor. */
kedge_status fit_read_anchors(fit *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_fit_opts *const o = f->opts;
    lookup l = {0};
    words banned = {0};

    if (o->anchors != KEDGE_ANCHORS_FILE && o->anchor_ban == NULL)
        return KEDGE_OK;
    TRY(lookup_open(f, true, &l, err));
    if (o->anchor_ban != NULL) {
        TRY(vocabulary_read(o->anchor_ban, &banned, err));
        TRY_MEM(f->banned = mem_new(f->index.words, sizeof *f->banned));
    }
    for (size_t i = 0; i < banned.count; i++) {
        const uint32_t row = lookup_row(&l, line_of(&banned, i));
        if (row != NO_ROW)
            f->banned[row] = true;
    }
    if (o->anchors == KEDGE_ANCHORS_FILE)
        TRY(read_given(f, &l, err));
out:
    words_free(&banned);
    lookup_close(&l);
    return st;
}

law_ways fit_ways(const fit *f)
{
    const kedge_fit_opts *const o = f->opts;

    return (law_ways){.anchors = fitcheck_anchors(o), .project = o->projection,
                      .seed = f->index.seed, .solver = fitcheck_solver(o),
                      .recover = o->recover, .legal = o->legal,
                      .several = given_several(&f->given),
                      .banned = f->banned != NULL};
}

/* ---- those of a model ---------------------------------------------------- */

/* The earlier model's anchors, as far as they are there. */
static kedge_status take_anchors(fit *f, const char *like, uint64_t k,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    given *const g = &f->given;
    kedge_model *old = NULL;
    uint32_t *order = NULL;
    lookup l = {0};

    TRY(fit_open_like(f, like, &old, &order, err));
    if (old->ways.several)
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "topics of model %s have several anchors each, and the "
                       "model has only the first: give the file of anchors "
                       "again",
                       like));
    if (old->topics > k)
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "model %s has %" PRIu64 " anchors to keep, more than "
                       "the %" PRIu64 " topics to fit",
                       like, old->topics, k));
    given_free(g);
    TRY(lookup_open(f, false, &l, err));
    TRY_MEM(g->begin = mem_new(old->topics + 1, sizeof *g->begin));
    TRY_MEM(g->row = mem_new(old->topics, sizeof *g->row));
    for (size_t t = 0; t < old->topics; t++) {
        const uint32_t row = l.row[order[old->anchors[t]]];
        if (row == NO_ROW || (f->banned != NULL && f->banned[row]))
            continue;
        g->row[g->topics++] = row;
        g->begin[g->topics] = g->topics;
    }
    if (g->topics < old->topics)
        run_log(f->control,
                "%zu of the %" PRIu64 " anchors of model %s are kept; the "
                "others can no longer be anchors",
                g->topics, old->topics, like);
out:
    lookup_close(&l);
    mem_free(order);
    kedge_model_free(old);
    return st;
}

kedge_status fit_keep_anchors(fit *f, uint64_t k, size_t count,
                              kedge_error *err)
{
    const kedge_fit_opts *const o = f->opts;
    kedge_model like;
    bool several;

    if (o->anchors == KEDGE_ANCHORS_MODEL) {
        PASS(fit_like(f, k, count, &like, err));
        PASS(take_anchors(f, like.name, k, err));
    }
    if (f->given.topics > k)
        return kedge_fail(err, KEDGE_EINVAL,
                          "anchors are given for %zu topics, more than the "
                          "%" PRIu64 " to fit", f->given.topics, k);
    several = given_several(&f->given);
    if (several && o->recover == KEDGE_RECOVER_INVERSE)
        return kedge_fail(err, KEDGE_EINVAL,
                          "--recover inverse needs one anchor per topic: use "
                          "--recover l2 or kl");
    if (several && o->topic_cooccurrence == KEDGE_TOPIC_COOCCURRENCE_DIAGONAL)
        return kedge_fail(err, KEDGE_EINVAL,
                          "--topic-cooccurrence diagonal needs one anchor per "
                          "topic: use least-squares");
    return KEDGE_OK;
}
