/* SPDX-License-Identifier: MIT */
#include "ops/textsettings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "io/vocabulary.h"

#define FOLD_MOST 512 /* bytes of a stop word */
#define CHARACTERS_MOST 255 /* of a word */

/* As texts are cut where nothing is said. */
static const text_settings plain = {.settings = {.shortest = 2, .longest = 64}};

void text_settings_free(text_settings *c)
{
    words_free(&c->stop);
}

kedge_status text_settings_load(text_settings *c, store_txn *txn,
                                kedge_error *err)
{
    return store_get_settings(txn, &c->settings, &c->stop, err);
}

/* ---- stop words ---------------------------------------------------------- */

/* Adds a word as the tokenizer gives it; what is no word is nothing to stop. */
static kedge_status add_stop(words *to, span word, kedge_error *err)
{
    char folded[FOLD_MOST];
    const size_t size = tokenizer_fold(word, folded, sizeof folded);

    if (size > 0 && !words_add(to, folded, size))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (stop words)");
    return KEDGE_OK;
}

/* In order, each once, so that two lists of the same words are the same. */
static kedge_status sort_stop(words *list, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *order = NULL;
    words sorted = {0};
    size_t twin;

    TRY_MEM(order = words_order(list, &twin));
    for (size_t r = 0; r < list->count; r++)
        if ((r == 0 || words_compare(list, order[r], order[r - 1]) != 0))
            TRY_MEM(words_add(&sorted, words_get(list, order[r]),
                              words_size(list, order[r])));
    words_free(list);
    *list = sorted;
    sorted = (words){0};
out:
    words_free(&sorted);
    mem_free(order);
    return st;
}

/* A language's own list, or a file. */
static kedge_status load_stop(text_settings *c, const char *name,
                              kedge_error *err)
{
    const char *list = tokenizer_stopwords(name);
    kedge_status st = KEDGE_OK;
    words file = {0};

    TRY(tokenizer_check_stopwords(name, err));
    if (list == NULL)
        TRY(vocabulary_read(name, &file, err));
    for (size_t i = 0; i < file.count; i++)
        TRY(add_stop(&c->stop, words_span(&file, i), err));
    for (size_t size; list != NULL && *list != '\0';
         list += size + (list[size] == '\n')) {
        size = strcspn(list, "\n");
        TRY(add_stop(&c->stop, span_of(list, size), err));
    }
    TRY(sort_stop(&c->stop, err));
    c->settings.stop_count = c->stop.count;
    snprintf(c->settings.stopwords, sizeof c->settings.stopwords, "%s", name);
out:
    words_free(&file);
    return st;
}

/* ---- asked and settled --------------------------------------------------- */

static bool same_stop(const text_settings *a, const text_settings *b)
{
    if (a->stop.count != b->stop.count)
        return false;
    for (size_t i = 0; i < a->stop.count; i++)
        if (!span_equal(words_span(&a->stop, i), words_span(&b->stop, i)))
            return false;
    return true;
}

/* The settings as options. */
enum { SHOWN = 5, SHOWN_STOP = 4, SHOWN_SIZE = 256 };

static void show(const text_settings *c, char text[SHOWN][SHOWN_SIZE])
{
    const store_settings *const t = &c->settings;

    snprintf(text[0], SHOWN_SIZE, "%s", t->digits ? "--digits" : "no --digits");
    snprintf(text[1], SHOWN_SIZE, "--min-chars %" PRIu64, t->shortest);
    snprintf(text[2], SHOWN_SIZE, "--max-chars %" PRIu64, t->longest);
    snprintf(text[3], SHOWN_SIZE, "--stem %s",
             t->stemmer[0] == '\0' ? "none" : t->stemmer);
    snprintf(text[SHOWN_STOP], SHOWN_SIZE, "--stopwords %s (%zu word%s)",
             t->stopwords[0] == '\0' ? "none" : t->stopwords, c->stop.count,
             c->stop.count == 1 ? "" : "s");
}

/* What differs, as options: of the one, and of the other. */
typedef struct difference {
    char one[SHOWN_SIZE], other[SHOWN_SIZE];
} difference;

static void append(char to[SHOWN_SIZE], const char *option)
{
    const size_t used = strlen(to);

    snprintf(to + used, SHOWN_SIZE - used, "%s%s", used > 0 ? ", " : "",
             option);
}

/* Whether there is any. Lists of stop words that have one name may differ: then
 * their sizes show it, or nothing does. */
static bool difference_find(difference *d, const text_settings *a,
                            const text_settings *b)
{
    char one[SHOWN][SHOWN_SIZE], other[SHOWN][SHOWN_SIZE];

    *d = (difference){.one = ""};
    show(a, one);
    show(b, other);
    for (size_t i = 0; i < SHOWN; i++) {
        if (i == SHOWN_STOP ? same_stop(a, b) : strcmp(one[i], other[i]) == 0)
            continue;
        append(d->one, one[i]);
        append(d->other, other[i]);
    }
    return d->one[0] != '\0';
}

void text_settings_log_unused(const text_settings *c,
                              const kedge_control *control)
{
    difference d;

    if (difference_find(&d, &plain, c))
        run_log(control, "no texts were read: %s is not stored", d.other);
}

/* What is asked for; the rest stays. */
static kedge_status apply(text_settings *c, const kedge_ingest_opts *o,
                          kedge_error *err)
{
    store_settings *const t = &c->settings;

    if (o->digits != KEDGE_DIGITS_SETTLED)
        t->digits = o->digits == KEDGE_DIGITS_YES;
    if (o->min_chars != 0)
        t->shortest = o->min_chars;
    if (o->max_chars != 0)
        t->longest = o->max_chars;
    if (o->stemmer != NULL)
        snprintf(t->stemmer, sizeof t->stemmer, "%s",
                 strcmp(o->stemmer, "none") == 0 ? "" : o->stemmer);
    if (o->stopwords == NULL)
        return KEDGE_OK;
    words_free(&c->stop);
    t->stop_count = 0;
    memset(t->stopwords, 0, sizeof t->stopwords);
    return strcmp(o->stopwords, "none") == 0 ? KEDGE_OK
                                             : load_stop(c, o->stopwords, err);
}

static kedge_status text_settings_copy(text_settings *c,
                                       const text_settings *from,
                                       kedge_error *err)
{
    c->settings = from->settings;
    return words_add_all(&c->stop, &from->stop, 0)
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_ENOMEM, "out of memory (stop words)");
}

/* What is asked for is from now on the store's. Returns whether it is new. */
static bool take_name(char *to, size_t room, const char *asked)
{
    if (asked == NULL || strcmp(asked, to) == 0 || strlen(asked) >= room)
        return false;
    snprintf(to, room, "%s", asked);
    return true;
}

static void take_names(text_settings *c, const kedge_ingest_opts *o)
{
    store_settings *const t = &c->settings;

    c->renamed |= take_name(t->text_field, sizeof t->text_field,
                            o->text_field);
    c->renamed |= take_name(t->id_field, sizeof t->id_field, o->id_field);
    c->renamed |= take_name(t->label_field, sizeof t->label_field,
                            o->label_field);
    c->renamed |= take_name(t->encoding, sizeof t->encoding, o->encoding);
}

void text_settings_fields(const text_settings *c, reader_opts *asked)
{
    const store_settings *const t = &c->settings;
    const struct {
        const char **asked, *settled;
    } fields[] = {{&asked->text_field, t->text_field},
                  {&asked->id_field, t->id_field},
                  {&asked->label_field, t->label_field},
                  {&asked->encoding, t->encoding}};

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (*fields[i].asked == NULL && fields[i].settled[0] != '\0')
            *fields[i].asked = fields[i].settled;
}

kedge_status text_settings_choose(text_settings *c, store *s,
                                  const kedge_ingest_opts *opts,
                                  const kedge_control *control,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    text_settings settled = {0}, asked = plain;
    const store_settings *const t = &asked.settings;
    difference d;
    bool texts;

    TRY(store_begin_read(s, &txn, err));
    st = text_settings_load(&settled, txn, err);
    store_abort(&txn);
    TRY(st);
    texts = settled.settings.texts;
    if (texts)
        TRY(text_settings_copy(&asked, &settled, err));
    TRY(apply(&asked, opts, err));
    if (texts && difference_find(&d, &settled, &asked))
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "the texts of this store were split with %s, which "
                       "cannot change to %s; leave these options out, or start "
                       "a new store", d.one, d.other));
    if (texts && difference_find(&d, &settled, &plain))
        run_log(control, "texts are split as before: %s", d.one);
    if (!texts && (t->shortest > t->longest || t->longest > CHARACTERS_MOST))
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "words of %" PRIu64 " to %" PRIu64 " characters: "
                       "expected 1 to %d", t->shortest, t->longest,
                       CHARACTERS_MOST));
    asked.settings.no_first_index = settled.settings.no_first_index;
    *c = texts ? settled : asked;
    *(texts ? &settled : &asked) = (text_settings){0};
    take_names(c, opts);
out:
    text_settings_free(&settled);
    text_settings_free(&asked);
    return st;
}

/* ---- of several stores --------------------------------------------------- */

kedge_status text_settings_join(text_settings *c, const char *name,
                                const text_settings *other,
                                const char *other_name, kedge_error *err)
{
    const bool no_first_index = c->settings.no_first_index;
    difference d;

    if (!other->settings.texts)
        return KEDGE_OK;
    if (c->settings.texts && difference_find(&d, c, other))
        return kedge_fail(err, KEDGE_EINVAL,
                          "the texts of %s were split with %s, those of %s "
                          "with %s: these stores cannot be "
                          "merged", name, d.one,
                          other_name, d.other);
    if (c->settings.texts)
        return KEDGE_OK;
    text_settings_free(c);
    PASS(text_settings_copy(c, other, err));
    c->settings.no_first_index = no_first_index;
    return KEDGE_OK;
}

/* ---- in use -------------------------------------------------------------- */

void text_settings_tokens(const text_settings *c, tokenizer_opts *out)
{
    const store_settings *const t = &c->settings;

    tokenizer_opts_init(out);
    out->shortest = (unsigned)t->shortest;
    out->longest = (unsigned)t->longest;
    out->digits = t->digits;
    out->stemmer = t->stemmer[0] != '\0' ? t->stemmer : NULL;
    out->stopwords = c->stop.count > 0 ? &c->stop : NULL;
}

kedge_status text_settings_put(const text_settings *c, store_txn *txn,
                               kedge_error *err)
{
    store_settings settings = c->settings;

    settings.texts = true;
    return store_put_settings(txn, &settings, &c->stop, err);
}
