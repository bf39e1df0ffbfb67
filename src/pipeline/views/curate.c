/* SPDX-License-Identifier: MIT */
#include "pipeline/views/curate.h"

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
#include "io/text/tokenizer.h"
#include "io/vocabulary.h"

#define USUAL_FEW UINT64_C(1000) /* documents below which words are rarer */

bool curate_is_asked(const kedge_fit_opts *o)
{
    return o->min_df != 0 || o->max_df != 0 || o->vocabulary_size != 0 ||
           o->stopwords != NULL || o->keep != NULL || o->drop != NULL ||
           o->phrases != 0;
}

void curate_usual(const store_totals *totals, kedge_fit_opts *opts)
{
    if (opts->keep != NULL)
        return;
    if (opts->min_df == 0)
        opts->min_df = totals->documents < USUAL_FEW ? 2 : 5;
    if (opts->max_df == 0)
        opts->max_df = 0.5;
    if (opts->stopwords == NULL)
        opts->stopwords = "english";
}

typedef struct curate {
    const curate_input *in;
    bool *out;      /* by id: it is left out */
    wordmap ids;    /* of all words; opened when first needed */
    tokenizer *cut; /* as the store's texts were; NULL: it has none */
    char *rule;
    size_t written; /* of the rule */
    uint64_t lists; /* digest of those that it names */
} curate;

/* Adds to the rule; what has no room is cut. */
KEDGE_PRINTF(2, 3)
static void curate_say(curate *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (c->written < 159)
        c->written += (size_t)vsnprintf(c->rule + c->written,
                                        160 - c->written, format, args);
    va_end(args);
}

/* A list of one kind, by its content or its name. */
static void curate_note(curate *c, char kind, uint64_t digest)
{
    c->lists = hash_mix(hash_mix(c->lists ^ (uint64_t)kind) ^ digest);
}

static const char *curate_comma(const curate *c)
{
    return c->written > 0 ? ", " : "";
}

static void curate_by_frequency(curate *c, const kedge_fit_opts *o)
{
    const curate_input *in = c->in;
    const uint64_t least = o->min_df > 1 ? o->min_df : 1;
    const double most = o->max_df == 0   ? INFINITY
                        : o->max_df <= 1 ? o->max_df * (double)in->documents
                                         : o->max_df;

    for (size_t i = 0; i < in->all->count; i++)
        c->out[i] = in->df[i] < least || (double)in->df[i] > most;
    if (o->min_df > 1)
        curate_say(c, "%sin %" PRIu64 " documents or more", curate_comma(c),
                   o->min_df);
    if (o->max_df != 0 && o->max_df != 1) /* all of them say nothing */
        curate_say(c, "%sin %g%s documents at most", curate_comma(c),
                   o->max_df <= 1 ? 100 * o->max_df : o->max_df,
                   o->max_df <= 1 ? "% of" : "");
}

/* ---- lists --------------------------------------------------------------- */

static kedge_status curate_mark(curate *c, span word, bool *mark,
                                kedge_error *err)
{
    uint32_t id;

    if (c->ids.list == NULL && !wordmap_open(&c->ids, (words *)c->in->all))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (words)");
    id = wordmap_find(&c->ids, word);
    if (id != WORDMAP_NONE)
        mark[id] = true;
    return KEDGE_OK;
}

/* A list's word, and, where the store has texts, what has become of it in
 * them; of one that is several there only where its `parts` are meant. */
static kedge_status curate_mark_word(curate *c, span word, bool parts,
                                     bool *mark, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t count = 0;
    span folded;

    TRY(curate_mark(c, word, mark, err));
    if (c->cut == NULL)
        return KEDGE_OK;
    tokenizer_begin(c->cut, word);
    while (tokenizer_next(c->cut, &folded))
        count++;
    tokenizer_begin(c->cut, word);
    while ((parts || count == 1) && tokenizer_next(c->cut, &folded))
        TRY(curate_mark(c, folded, mark, err));
out:
    return st;
}

static bool curate_stems(const curate *c)
{
    return c->cut != NULL && c->in->settings->stemmer[0] != '\0';
}

static kedge_status curate_stop_text(curate *c, const char *list,
                                     kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (size_t size; *list != '\0'; list += size + (list[size] == '\n')) {
        size = strcspn(list, "\n");
        TRY(curate_stems(c)
                ? curate_mark_word(c, span_of(list, size), true, c->out, err)
                : curate_mark(c, span_of(list, size), c->out, err));
    }
out:
    return st;
}

static kedge_status curate_open_cut(curate *c, kedge_error *err)
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

/* A file's words; *digest tells its content. */
static kedge_status curate_read(const char *path, words *out, uint64_t *digest,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *digest = 0;
    TRY(vocabulary_read(path, out, err));
    for (size_t i = 0; i < out->count; i++)
        *digest = hash_bytes(*digest, words_get(out, i), words_size(out, i));
out:
    return st;
}

static span curate_word(const words *list, size_t i)
{
    return span_of(words_get(list, i), words_size(list, i));
}

/* Marks the words of a file; *digest tells its content. */
static kedge_status curate_mark_file(curate *c, const char *path, bool parts,
                                     bool *mark, uint64_t *digest,
                                     kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    words file = {0};

    TRY(curate_read(path, &file, digest, err));
    for (size_t i = 0; i < file.count; i++)
        TRY(curate_mark_word(c, curate_word(&file, i), parts, mark, err));
out:
    words_free(&file);
    return st;
}

/* "none", a language, or a file. */
static kedge_status curate_stop(curate *c, const char *name, kedge_error *err)
{
    const char *list = tokenizer_stopwords(name);
    kedge_status st = KEDGE_OK;
    uint64_t digest;

    if (strcmp(name, "none") == 0)
        return KEDGE_OK;
    TRY(tokenizer_check_stopwords(name, err));
    if (list != NULL) {
        TRY(curate_stop_text(c, list, err));
        curate_say(c, "%sno stop words (%s)", curate_comma(c), name);
        curate_note(c, 'l', hash_bytes(0, name, strlen(name)));
    } else {
        TRY(curate_mark_file(c, name, curate_stems(c), c->out, &digest, err));
        curate_say(c, "%sno stop words (%08" PRIx32 ")", curate_comma(c),
                   (uint32_t)digest);
        curate_note(c, 's', digest);
    }
out:
    return st;
}

static kedge_status curate_keep(curate *c, const char *path, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = c->in->all->count;
    bool *kept = NULL;
    uint64_t digest;

    TRY_MEM(kept = mem_new(n, sizeof *kept));
    TRY(curate_mark_file(c, path, false, kept, &digest, err));
    for (size_t i = 0; i < n; i++)
        c->out[i] |= !kept[i];
    curate_say(c, "%sof a list (%08" PRIx32 ")", curate_comma(c),
               (uint32_t)digest);
    curate_note(c, 'k', digest);
out:
    mem_free(kept);
    return st;
}

static kedge_status curate_drop(curate *c, const char *path, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t digest;

    TRY(curate_mark_file(c, path, false, c->out, &digest, err));
    curate_say(c, "%snot of a list (%08" PRIx32 ")", curate_comma(c),
               (uint32_t)digest);
    curate_note(c, 'd', digest);
out:
    return st;
}

/* ---- the most telling ---------------------------------------------------- */

typedef struct telling {
    double value;
    span word;
    uint32_t id;
} telling;

/* The most telling first; those that tell as much in the order of bytes. */
static int compare_telling(const void *left, const void *right)
{
    const telling *a = left, *b = right;

    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return compare_bytes(a->word.bytes, a->word.size, b->word.bytes,
                         b->word.size);
}

static kedge_status curate_top(curate *c, uint64_t size, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const curate_input *in = c->in;
    telling *all = NULL;
    size_t n = 0;

    TRY_MEM(all = mem_new(in->all->count, sizeof *all));
    for (size_t i = 0; i < in->all->count; i++)
        if (!c->out[i])
            all[n++] = (telling){
                .value = (double)in->tf[i] *
                         log((double)in->documents / (double)in->df[i]),
                .word = {words_get(in->all, i), words_size(in->all, i)},
                .id = (uint32_t)i};
    qsort(all, n, sizeof *all, compare_telling);
    for (size_t r = size; r < n; r++)
        c->out[all[r].id] = true;
    curate_say(c, "%sthe %" PRIu64 " first by tf-idf", curate_comma(c), size);
out:
    mem_free(all);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

bool curate_is_fixed(const char *rule)
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

static kedge_status curate_collect(const curate *c, store_list *out,
                                   kedge_error *err)
{
    const size_t n = c->in->all->count;

    out->count = 0;
    if (!mem_grow((void **)&out->ids, &out->capacity, n + 1,
                  sizeof *out->ids))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (words)");
    for (size_t i = 0; i < n; i++)
        if (!c->out[i])
            out->ids[out->count++] = (uint32_t)i;
    if (out->count == 0)
        return kedge_fail(err, KEDGE_EINVAL,
                          "no word is left: words %s were asked for; "
                          "--min-df 1 --max-df 1 takes all", c->rule);
    return KEDGE_OK;
}

kedge_status curate_list(const curate_input *in, const kedge_fit_opts *opts,
                         store_list *out, char rule[160], uint64_t *lists,
                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    curate c = {.in = in, .rule = rule};

    memset(rule, 0, 160);
    TRY_MEM(c.out = mem_new(in->all->count, sizeof *c.out));
    curate_by_frequency(&c, opts);
    if (opts->stopwords != NULL || opts->keep != NULL || opts->drop != NULL)
        TRY(curate_open_cut(&c, err));
    if (opts->stopwords != NULL)
        TRY(curate_stop(&c, opts->stopwords, err));
    if (opts->keep != NULL)
        TRY(curate_keep(&c, opts->keep, err));
    if (opts->drop != NULL)
        TRY(curate_drop(&c, opts->drop, err));
    if (opts->vocabulary_size != 0)
        TRY(curate_top(&c, opts->vocabulary_size, err));
    if (opts->phrases > 1)
        curate_say(&c,
                   "%sphrases of %" PRIu64 " words (in %" PRIu64
                   " document%s, score %g)",
                   curate_comma(&c), opts->phrases, opts->phrase_documents,
                   opts->phrase_documents == 1 ? "" : "s", opts->phrase_score);
    if (c.written == 0)
        curate_say(&c, "all");
    *lists = c.lists;
    TRY(curate_collect(&c, out, err));
out:
    wordmap_close(&c.ids);
    tokenizer_free(c.cut);
    mem_free(c.out);
    return st;
}
