/* SPDX-License-Identifier: MIT */
/*
 * Vocabulary selection: which of the store's words an index sees. The rule is
 * applied to the counts as they are; the index keeps the list that came out.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/wordmap.h"
#include "ops/index/index.h"
#include "io/text/tokenizer.h"
#include "io/vocabulary.h"

#define USUAL_FEW UINT64_C(1000) /* documents below which words are rarer */

bool index_asks_for_words(const kedge_fit_opts *o)
{
    return o->min_df != 0 || o->max_df != 0 || o->vocab_size != 0 ||
           o->stopwords != NULL || o->keep_words != NULL ||
           o->drop_words != NULL || o->phrases != 0;
}

void selection_usual(const store_totals *totals, kedge_fit_opts *opts)
{
    if (opts->keep_words != NULL)
        return;
    if (opts->min_df == 0)
        opts->min_df = totals->documents < USUAL_FEW ? 2 : 5;
    if (opts->max_df == 0)
        opts->max_df = 0.5;
    if (opts->stopwords == NULL)
        opts->stopwords = "english";
}

bool index_rule_is_fixed(const char *rule)
{
    static const char *const fixed[] = {"all", "no stop words (",
                                        "of a list (", "not of a list ("};

    for (const char *at = rule; at != NULL; at = strstr(at, ", ")) {
        bool is = false;
        at += at > rule ? 2 : 0;
        for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
            is |= strncmp(at, fixed[i], strlen(fixed[i])) == 0;
        if (!is)
            return false;
    }
    return true;
}

typedef struct selection {
    const selection_input *in;
    bool *out;      /* by id: it is left out */
    wordmap ids;    /* of all words; opened when first needed */
    tokenizer *cut; /* as the store's texts were; NULL: it has none */
    char *rule;
    size_t written; /* of the rule */
    uint64_t lists; /* digest of those that it names */
} selection;

/* Adds to the rule, after a comma; what has no room is cut. */
KEDGE_PRINTF(2, 3)
static void selection_say(selection *c, const char *format, ...)
{
    va_list args;

    if (c->written > 0 && c->written < 159)
        c->written += (size_t)snprintf(c->rule + c->written, 160 - c->written,
                                       ", ");
    va_start(args, format);
    if (c->written < 159)
        c->written += (size_t)vsnprintf(c->rule + c->written,
                                        160 - c->written, format, args);
    va_end(args);
}

/* A list of one kind, by its content or its name. */
static void selection_note(selection *c, char kind, uint64_t digest)
{
    c->lists = hash_mix(hash_mix(c->lists ^ (uint64_t)kind) ^ digest);
}

static void select_by_frequency(selection *c, const kedge_fit_opts *o)
{
    const selection_input *const in = c->in;
    const uint64_t least = o->min_df > 1 ? o->min_df : 1;
    const double most = o->max_df == 0   ? INFINITY
                        : o->max_df <= 1 ? o->max_df * (double)in->documents
                                         : o->max_df;

    for (size_t i = 0; i < in->all->count; i++)
        c->out[i] = in->df[i] < least || (double)in->df[i] > most;
    if (o->min_df > 1)
        selection_say(c, "in %" PRIu64 " documents or more", o->min_df);
    if (o->max_df != 0 && o->max_df != 1) /* all of them say nothing */
        selection_say(c, "in %g%s documents at most",
                      o->max_df <= 1 ? 100 * o->max_df : o->max_df,
                      o->max_df <= 1 ? "% of" : "");
}

/* ---- lists --------------------------------------------------------------- */

static kedge_status selection_open_cut(selection *c, kedge_error *err)
{
    const store_settings *const how = c->in->settings;
    tokenizer_opts opts;

    if (how == NULL || !how->texts)
        return KEDGE_OK;
    tokenizer_opts_init(&opts);
    opts.shortest = 1;
    opts.digits = how->digits;
    opts.stemmer = how->stemmer[0] != '\0' ? how->stemmer : NULL;
    return tokenizer_create(&opts, &c->cut, err);
}

static kedge_status mark(selection *c, span word, bool *marks, kedge_error *err)
{
    uint32_t id;

    if (c->ids.list == NULL && !wordmap_open(&c->ids, (words *)c->in->all))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (words)");
    id = wordmap_find(&c->ids, word);
    if (id != WORDMAP_NONE)
        marks[id] = true;
    return KEDGE_OK;
}

/* A list's word, and, where the store has texts, what has become of it in
 * them; of one that is several there only where its `parts` are meant. */
static kedge_status mark_word(selection *c, span word, bool parts, bool *marks,
                              kedge_error *err)
{
    size_t count = 0;
    span folded;

    PASS(mark(c, word, marks, err));
    if (c->cut == NULL)
        return KEDGE_OK;
    tokenizer_begin(c->cut, word);
    while (tokenizer_next(c->cut, &folded))
        count++;
    tokenizer_begin(c->cut, word);
    while ((parts || count == 1) && tokenizer_next(c->cut, &folded))
        PASS(mark(c, folded, marks, err));
    return KEDGE_OK;
}

/* Marks the words of a file; the rule names it by its content. */
static kedge_status mark_file(selection *c, const char *path, bool parts,
                              bool *marks, char kind, const char *what,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t digest = 0;
    words file = {0};

    TRY(vocabulary_read(path, &file, err));
    for (size_t i = 0; i < file.count; i++) {
        const span word = words_span(&file, i);
        digest = hash_bytes(digest, word.bytes, word.size);
        TRY(mark_word(c, word, parts, marks, err));
    }
    selection_say(c, "%s (%08" PRIx32 ")", what, (uint32_t)digest);
    selection_note(c, kind, digest);
out:
    words_free(&file);
    return st;
}

/* "none", a language, or a file. */
static kedge_status select_no_stopwords(selection *c, const char *name,
                                        kedge_error *err)
{
    const char *list = tokenizer_stopwords(name);
    const bool stems = c->cut != NULL && c->in->settings->stemmer[0] != '\0';

    if (strcmp(name, "none") == 0)
        return KEDGE_OK;
    PASS(tokenizer_check_stopwords(name, err));
    if (list == NULL)
        return mark_file(c, name, stems, c->out, 's', "no stop words", err);
    for (size_t size; *list != '\0'; list += size + (list[size] == '\n')) {
        size = strcspn(list, "\n");
        const span word = span_of(list, size);
        PASS(stems ? mark_word(c, word, true, c->out, err)
                   : mark(c, word, c->out, err));
    }
    selection_say(c, "no stop words (%s)", name);
    selection_note(c, 'l', hash_bytes(0, name, strlen(name)));
    return KEDGE_OK;
}

static kedge_status select_kept(selection *c, const char *path,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = c->in->all->count;
    bool *kept = NULL;

    TRY_MEM(kept = mem_new(n, sizeof *kept));
    TRY(mark_file(c, path, false, kept, 'k', "of a list", err));
    for (size_t i = 0; i < n; i++)
        c->out[i] |= !kept[i];
out:
    mem_free(kept);
    return st;
}

/* ---- the first by tf-idf ------------------------------------------------- */

typedef struct scored_word {
    double value;
    span word;
    uint32_t id;
} scored_word;

/* The largest first; those that are equal in the order of bytes. */
static int compare_scored(const void *left, const void *right)
{
    const scored_word *a = left, *b = right;

    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return compare_bytes(a->word.bytes, a->word.size, b->word.bytes,
                         b->word.size);
}

static kedge_status select_first(selection *c, uint64_t size, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const selection_input *const in = c->in;
    scored_word *all = NULL;
    size_t n = 0;

    TRY_MEM(all = mem_new(in->all->count, sizeof *all));
    for (size_t i = 0; i < in->all->count; i++)
        if (!c->out[i])
            all[n++] = (scored_word){
                .value = (double)in->tf[i] *
                         log((double)in->documents / (double)in->df[i]),
                .word = words_span(in->all, i),
                .id = (uint32_t)i};
    qsort(all, n, sizeof *all, compare_scored);
    for (size_t r = size; r < n; r++)
        c->out[all[r].id] = true;
    selection_say(c, "the %" PRIu64 " first by tf-idf", size);
out:
    mem_free(all);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

static kedge_status selection_nothing(const selection *c,
                                      const kedge_fit_opts *o,
                                      kedge_error *err)
{
    const bool stops =
        o->stopwords != NULL && strcmp(o->stopwords, "none") != 0;
    const bool all = o->keep_words == NULL && o->drop_words == NULL;
    const char *const df = o->min_df > 1 ? " --min-df 1" : "",
               *const share = o->max_df != 0 && o->max_df != 1 ? " --max-df 1"
                                                               : "",
               *const stop = stops ? " --stopwords none" : "";

    if (all && (*df != '\0' || *share != '\0' || stops))
        return kedge_fail(err, KEDGE_ENOTFOUND,
                          "the rule leaves no word of the documents: words %s;"
                          "%s%s%s takes all", c->rule, df, share, stop);
    return kedge_fail(err, KEDGE_ENOTFOUND,
                      "the rule leaves no word of the documents: words %s",
                      c->rule);
}

static kedge_status selection_collect(const selection *c,
                                      const kedge_fit_opts *o,
                                      store_list *out, kedge_error *err)
{
    const size_t n = c->in->all->count;

    out->count = 0;
    if (!mem_grow((void **)&out->ids, &out->capacity, n + 1,
                  sizeof *out->ids))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (words)");
    for (size_t i = 0; i < n; i++)
        if (!c->out[i])
            out->ids[out->count++] = (uint32_t)i;
    return out->count > 0 ? KEDGE_OK : selection_nothing(c, o, err);
}

kedge_status selection_list(const selection_input *in,
                            const kedge_fit_opts *opts, store_list *out,
                            char rule[160], uint64_t *lists, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    selection c = {.in = in, .rule = rule};

    memset(rule, 0, 160);
    TRY_MEM(c.out = mem_new(in->all->count, sizeof *c.out));
    select_by_frequency(&c, opts);
    if (opts->stopwords != NULL || opts->keep_words != NULL ||
        opts->drop_words != NULL)
        TRY(selection_open_cut(&c, err));
    if (opts->stopwords != NULL)
        TRY(select_no_stopwords(&c, opts->stopwords, err));
    if (opts->keep_words != NULL)
        TRY(select_kept(&c, opts->keep_words, err));
    if (opts->drop_words != NULL)
        TRY(mark_file(&c, opts->drop_words, false, c.out, 'd', "not of a list",
                      err));
    if (opts->vocab_size != 0)
        TRY(select_first(&c, opts->vocab_size, err));
    if (opts->phrases > 1)
        selection_say(&c,
                      "phrases of %" PRIu64 " words (in %" PRIu64
                      " document%s, score %g)", opts->phrases,
                      opts->phrase_df,
                      opts->phrase_df == 1 ? "" : "s",
                      opts->phrase_score);
    if (c.written == 0)
        selection_say(&c, "all");
    *lists = c.lists;
    TRY(selection_collect(&c, opts, out, err));
out:
    wordmap_close(&c.ids);
    tokenizer_free(c.cut);
    mem_free(c.out);
    return st;
}
