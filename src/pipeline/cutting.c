/* SPDX-License-Identifier: MIT */
#include "pipeline/cutting.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "io/vocabulary.h"

#define FOLD_MOST 512 /* bytes of a stop word */
#define CHARACTERS_MOST 255 /* of a word */

/* As texts are cut where nothing is said. */
static const cutting plain = {.settings = {.shortest = 2, .longest = 64}};

void cutting_free(cutting *c)
{
    words_free(&c->stop);
}

kedge_status cutting_load(cutting *c, store_txn *txn, kedge_error *err)
{
    return store_get_settings(txn, &c->settings, &c->stop, err);
}

/* ---- stop words ---------------------------------------------------------- */

/* A word of the list as the tokenizer gives it; what is no word is nothing to
 * stop. */
static kedge_status cutting_stop(words *to, span word, kedge_error *err)
{
    char folded[FOLD_MOST];
    const size_t size = tokenizer_fold(word, folded, sizeof folded);

    if (size > 0 && !words_add(to, folded, size))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (stop words)");
    return KEDGE_OK;
}

static kedge_status cutting_stop_lines(words *to, const char *list,
                                       kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (size_t size; *list != '\0'; list += size + (list[size] == '\n')) {
        size = strcspn(list, "\n");
        TRY(cutting_stop(to, span_of(list, size), err));
    }
out:
    return st;
}

static kedge_status cutting_stop_file(words *to, const char *path,
                                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    words file = {0};

    TRY(vocabulary_read(path, &file, err));
    for (size_t i = 0; i < file.count; i++)
        TRY(cutting_stop(to, span_of(words_get(&file, i),
                                     words_size(&file, i)), err));
out:
    words_free(&file);
    return st;
}

static bool same_word(const words *a, size_t i, const words *b, size_t j)
{
    return words_size(a, i) == words_size(b, j) &&
           memcmp(words_get(a, i), words_get(b, j), words_size(a, i)) == 0;
}

/* In order, each once, so that two lists of the same words are the same. */
static kedge_status cutting_sort(words *list, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *order = NULL;
    words sorted = {0};
    size_t twin;

    TRY_MEM(order = words_order(list, &twin));
    for (size_t r = 0; r < list->count; r++) {
        if (r > 0 && same_word(list, order[r], list, order[r - 1]))
            continue;
        if (!words_add(&sorted, words_get(list, order[r]),
                       words_size(list, order[r])))
            TRY_MEM(NULL);
    }
    words_free(list);
    *list = sorted;
    sorted = (words){0};
out:
    words_free(&sorted);
    mem_free(order);
    return st;
}

/* A language's own list, or a file. */
static kedge_status cutting_stopwords(cutting *c, const char *name,
                                      kedge_error *err)
{
    const char *const list = tokenizer_stopwords(name);
    kedge_status st = KEDGE_OK;

    TRY(tokenizer_check_stopwords(name, err));
    TRY(list != NULL ? cutting_stop_lines(&c->stop, list, err)
                     : cutting_stop_file(&c->stop, name, err));
    TRY(cutting_sort(&c->stop, err));
    c->settings.stop_count = c->stop.count;
    snprintf(c->settings.stopwords, sizeof c->settings.stopwords, "%s", name);
out:
    return st;
}

/* ---- asked and settled --------------------------------------------------- */

static bool is_none(const char *name)
{
    return name == NULL || strcmp(name, "none") == 0;
}

static kedge_status cutting_ask(cutting *c, const kedge_ingest_opts *o,
                                kedge_error *err)
{
    store_settings *const t = &c->settings;

    *t = plain.settings;
    t->digits = o->digits == KEDGE_DIGITS_YES;
    if (o->shortest != 0)
        t->shortest = o->shortest;
    if (o->longest != 0)
        t->longest = o->longest;
    if (!is_none(o->stemmer))
        snprintf(t->stemmer, sizeof t->stemmer, "%s", o->stemmer);
    return is_none(o->stopwords) ? KEDGE_OK
                                 : cutting_stopwords(c, o->stopwords, err);
}

static bool same_stop(const cutting *a, const cutting *b)
{
    if (a->stop.count != b->stop.count)
        return false;
    for (size_t i = 0; i < a->stop.count; i++)
        if (!same_word(&a->stop, i, &b->stop, i))
            return false;
    return true;
}

/* What differs, as options: of the one, and of the other. */
typedef struct difference {
    char one[256], other[256];
} difference;

/* Adds ", --name value". */
KEDGE_PRINTF(2, 3)
static void difference_say(char text[256], const char *format, ...)
{
    const size_t used = strlen(text);
    const char *const comma = used > 0 ? ", " : "";
    va_list args;

    snprintf(text + used, 256 - used, "%s", comma);
    va_start(args, format);
    vsnprintf(text + strlen(text), 256 - strlen(text), format, args);
    va_end(args);
}

static void difference_digits(difference *d, const store_settings *a,
                              const store_settings *b)
{
    if (a->digits == b->digits)
        return;
    difference_say(d->one, "%s", a->digits ? "--digits" : "no --digits");
    difference_say(d->other, "%s", b->digits ? "--digits" : "no --digits");
}

static void difference_number(difference *d, const char *option, uint64_t a,
                              uint64_t b)
{
    if (a == b)
        return;
    difference_say(d->one, "--%s %" PRIu64, option, a);
    difference_say(d->other, "--%s %" PRIu64, option, b);
}

static const char *shown(const char *name)
{
    return name[0] == '\0' ? "none" : name;
}

/* Lists of one name may differ: then their sizes tell, or nothing does. */
static void difference_stop(difference *d, const cutting *a, const cutting *b)
{
    if (same_stop(a, b))
        return;
    difference_say(d->one, "--stopwords %s (%zu word%s)",
                   shown(a->settings.stopwords), a->stop.count,
                   a->stop.count == 1 ? "" : "s");
    difference_say(d->other, "--stopwords %s (%zu word%s)",
                   shown(b->settings.stopwords), b->stop.count,
                   b->stop.count == 1 ? "" : "s");
}

/* Whether there is any. */
static bool difference_find(difference *d, const cutting *a, const cutting *b)
{
    const store_settings *const s = &a->settings, *const t = &b->settings;

    *d = (difference){.one = ""};
    difference_digits(d, s, t);
    difference_number(d, "shortest", s->shortest, t->shortest);
    difference_number(d, "longest", s->longest, t->longest);
    if (strcmp(s->stemmer, t->stemmer) != 0) {
        difference_say(d->one, "--stem %s", shown(s->stemmer));
        difference_say(d->other, "--stem %s", shown(t->stemmer));
    }
    difference_stop(d, a, b);
    return d->one[0] != '\0';
}

void cutting_tell_unused(const cutting *c, const kedge_control *control)
{
    difference d;

    if (difference_find(&d, &plain, c))
        run_log(control, "no text came that could be cut with %s: the store "
                "does not keep this", d.other);
}

/* What is not asked for is as the store has it. */
static void cutting_fill_in(cutting *asked, const cutting *settled,
                            const kedge_ingest_opts *o)
{
    const store_settings *const from = &settled->settings;
    store_settings *const t = &asked->settings;

    if (o->digits == KEDGE_DIGITS_SETTLED)
        t->digits = from->digits;
    if (o->shortest == 0)
        t->shortest = from->shortest;
    if (o->longest == 0)
        t->longest = from->longest;
    if (o->stemmer == NULL)
        memcpy(t->stemmer, from->stemmer, sizeof t->stemmer);
}

static kedge_status cutting_check(const store_settings *t, kedge_error *err)
{
    return t->shortest <= t->longest && t->longest <= CHARACTERS_MOST
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_EINVAL,
                            "words of %" PRIu64 " to %" PRIu64 " characters: "
                            "1 to %d are possible", t->shortest, t->longest,
                            CHARACTERS_MOST);
}

/* The store has had texts. */
static kedge_status cutting_agree(cutting *asked, cutting *settled,
                                  const kedge_ingest_opts *o,
                                  const kedge_control *control,
                                  kedge_error *err)
{
    cutting compared;
    difference d;

    cutting_fill_in(asked, settled, o);
    compared = *asked;
    if (o->stopwords == NULL) {
        compared.stop = settled->stop;
        memcpy(compared.settings.stopwords, settled->settings.stopwords,
               sizeof compared.settings.stopwords);
    }
    if (difference_find(&d, settled, &compared))
        return kedge_fail(err, KEDGE_EINVAL,
                          "the texts of this store were cut with %s, which "
                          "cannot become %s; leave these options out, or begin "
                          "a new store", d.one, d.other);
    if (difference_find(&d, settled, &plain))
        run_log(control, "texts are cut as those before: %s", d.one);
    return KEDGE_OK;
}

/* What is asked for is from now on the store's. Returns whether it is new. */
static bool take_name(char *to, size_t room, const char *asked)
{
    if (asked == NULL || strcmp(asked, to) == 0 || strlen(asked) >= room)
        return false;
    snprintf(to, room, "%s", asked);
    return true;
}

static void cutting_take_names(cutting *c, const kedge_ingest_opts *o)
{
    store_settings *const t = &c->settings;

    c->renamed |= take_name(t->text_field, sizeof t->text_field,
                            o->text_field);
    c->renamed |= take_name(t->id_field, sizeof t->id_field, o->id_field);
    c->renamed |= take_name(t->label_field, sizeof t->label_field,
                            o->label_field);
    c->renamed |= take_name(t->encoding, sizeof t->encoding, o->encoding);
}

const char *cutting_name(const char *asked, const char *settled)
{
    return asked != NULL || settled[0] == '\0' ? asked : settled;
}

kedge_status cutting_choose(cutting *c, store *s,
                            const kedge_ingest_opts *opts,
                            const kedge_control *control, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    cutting asked = {0};

    TRY(cutting_ask(&asked, opts, err));
    TRY(store_begin_read(s, &txn, err));
    st = cutting_load(c, txn, err);
    store_abort(&txn);
    TRY(st);
    if (c->settings.texts) {
        TRY(cutting_agree(&asked, c, opts, control, err));
    } else {
        TRY(cutting_check(&asked.settings, err));
        asked.settings.no_first_view = c->settings.no_first_view;
        cutting_free(c);
        *c = asked;
        asked = (cutting){0};
    }
    cutting_take_names(c, opts);
out:
    cutting_free(&asked);
    return st;
}

/* ---- of several stores --------------------------------------------------- */

kedge_status cutting_join(cutting *c, const char *name, const cutting *other,
                          const char *other_name, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const bool no_first_view = c->settings.no_first_view;
    difference d;

    if (!other->settings.texts)
        return KEDGE_OK;
    if (c->settings.texts && difference_find(&d, c, other))
        return kedge_fail(err, KEDGE_EINVAL,
                          "the texts of %s were cut with %s, those of %s with "
                          "%s: they cannot be one store", name, d.one,
                          other_name, d.other);
    if (c->settings.texts)
        return KEDGE_OK;
    cutting_free(c);
    c->settings = other->settings;
    c->settings.no_first_view = no_first_view;
    for (size_t i = 0; i < other->stop.count; i++)
        if (!words_add(&c->stop, words_get(&other->stop, i),
                       words_size(&other->stop, i)))
            TRY_MEM(NULL);
out:
    return st;
}

/* ---- in use -------------------------------------------------------------- */

void cutting_tokens(const cutting *c, tokenizer_opts *out)
{
    const store_settings *const t = &c->settings;

    tokenizer_opts_init(out);
    out->shortest = (unsigned)t->shortest;
    out->longest = (unsigned)t->longest;
    out->digits = t->digits;
    out->stemmer = t->stemmer[0] != '\0' ? t->stemmer : NULL;
    out->stopwords = c->stop.count > 0 ? &c->stop : NULL;
}

kedge_status cutting_put(const cutting *c, store_txn *txn, kedge_error *err)
{
    store_settings settings = c->settings;

    settings.texts = true;
    return store_put_settings(txn, &settings, &c->stop, err);
}
