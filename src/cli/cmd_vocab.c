/* SPDX-License-Identifier: MIT */
/* kedge vocab: the words of a store. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "figures.h"
#include "jsonout.h"
#include "options.h"
#include "plaintext.h"
#include "table.h"
#include "task.h"

enum { FORMAT_TABLE, FORMAT_TSV, FORMAT_JSON };
enum { WORDS_SHOWN = 50, VIEWS_SHOWN = 64 };

typedef struct vocab {
    kedge_wordlist_opts opts;
    unsigned order, format;
    uint64_t count; /* of words at most; 0: all */
    counts views;
    common common;
    char *const *asked; /* words */
    size_t asked_count;
    kedge_wordlist *list;
    uint64_t *place; /* in the list, of what is printed */
    uint64_t places;
    const char *unknown; /* the first word that is not there */
    uint64_t unknowns;
} vocab;

static int read_line(vocab *v, arguments *a, int argc, char **argv)
{
    const option options[] = {
        {.name = "sort", .kind = OPTION_CHOICE, .value = &v->order,
         .argument = "tf-idf|tf|df|word",
         .help = "What comes first: the largest, or the words in the order of "
                 "their bytes."},
        {.name = "words", .letter = 'n', .kind = OPTION_COUNT,
         .value = &v->count, .argument = "N", .most = UINT64_MAX,
         .help = "Words at most; 0: all."},
        {.name = "min-df", .kind = OPTION_COUNT, .value = &v->opts.min_df,
         .argument = "D", .least = 1, .most = UINT64_MAX,
         .help = "Words in this many documents or more."},
        {.name = "view", .kind = OPTION_COUNTS, .value = &v->views,
         .argument = "V", .most = UINT32_MAX,
         .help = "Words of this view alone; kedge info has the numbers."},
        {.name = "format", .kind = OPTION_CHOICE, .value = &v->format,
         .argument = "table|tsv|json", .help = "What to print."},
    };

    a->options = options;
    a->count = sizeof options / sizeof *options;
    return options_read(a, argc, argv);
}

/* ---- which words --------------------------------------------------------- */

static void choose_asked(vocab *v)
{
    v->place = claim(v->asked_count, sizeof *v->place);
    for (size_t i = 0; i < v->asked_count; i++) {
        const uint64_t at = kedge_wordlist_find(v->list, v->asked[i]);

        if (at != KEDGE_NO_WORD)
            v->place[v->places++] = at;
        else if (v->unknowns++ == 0)
            v->unknown = v->asked[i];
    }
}

static void choose_first(vocab *v)
{
    v->places = kedge_wordlist_count(v->list);
    if (v->count > 0 && v->count < v->places)
        v->places = v->count;
    v->place = claim(v->places, sizeof *v->place);
    for (uint64_t i = 0; i < v->places; i++)
        v->place[i] = i;
}

/* ---- printing ------------------------------------------------------------ */

/* Numbers of views, with something between them; those beyond VIEWS_SHOWN are
 * left out. */
static void numbers_text(const uint64_t *number, uint64_t count,
                         const char *between, char out[VIEWS_SHOWN * 12 + 1])
{
    int at = 0;

    for (uint64_t i = 0; i < count && i < VIEWS_SHOWN; i++)
        at += snprintf(out + at, 13, "%s%" PRIu64, i > 0 ? between : "",
                       number[i]);
}

/* The views of a word: "0 2". */
static const char *views_text(const vocab *v, uint64_t place,
                              char out[VIEWS_SHOWN * 12 + 1],
                              const char *none)
{
    uint64_t number[VIEWS_SHOWN];
    const uint64_t count =
        kedge_wordlist_views(v->list, place, number, VIEWS_SHOWN);

    if (count == 0)
        return none;
    numbers_text(number, count, " ", out);
    return out;
}

static void print_table(const vocab *v)
{
    static const char *const head[] = {"word", "tf", "df", "tf-idf", "views"};
    table t = {.columns = 5};
    char views[VIEWS_SHOWN * 12 + 1];

    table_add(&t, head);
    for (uint64_t i = 0; i < v->places; i++) {
        const kedge_word_info w = kedge_wordlist_get(v->list, v->place[i]);
        char real[40];
        figure f[2];

        snprintf(real, sizeof real, "%.1f", w.tf_idf);
        table_add(&t, (const char *const[]){
                          w.word, figure_count(&f[0], w.tf),
                          figure_count(&f[1], w.df), real,
                          views_text(v, v->place[i], views, "-")});
    }
    table_print(&t, stdout);
    table_free(&t);
}

static void print_tsv(const vocab *v)
{
    char views[VIEWS_SHOWN * 12 + 1];

    puts("word\ttf\tdf\ttf_idf\tviews");
    for (uint64_t i = 0; i < v->places && !ferror(stdout); i++) {
        const kedge_word_info w = kedge_wordlist_get(v->list, v->place[i]);
        jsonout j = {.out = stdout};

        text_put(stdout, w.word, TEXT_WHOLE);
        printf("\t%" PRIu64 "\t%" PRIu64 "\t", w.tf, w.df);
        json_real(&j, w.tf_idf);
        printf("\t%s\n", views_text(v, v->place[i], views, ""));
    }
}

static void json_word(jsonout *j, const vocab *v, uint64_t place)
{
    const kedge_word_info w = kedge_wordlist_get(v->list, place);
    uint64_t number[VIEWS_SHOWN];
    const uint64_t count =
        kedge_wordlist_views(v->list, place, number, VIEWS_SHOWN);

    json_begin(j, '{');
    json_key_text(j, "word", w.word);
    json_key_count(j, "tf", w.tf);
    json_key_count(j, "df", w.df);
    json_key_real(j, "tf_idf", w.tf_idf);
    json_key(j, "views");
    json_begin(j, '[');
    for (uint64_t i = 0; i < count && i < VIEWS_SHOWN; i++)
        json_count(j, number[i]);
    json_close(j, ']');
    json_close(j, '}');
}

static void print_json(const vocab *v)
{
    jsonout j = {.out = stdout, .lines = 2};

    json_begin(&j, '{');
    json_key_text(&j, "kedge", kedge_version());
    json_key_count(&j, "total", kedge_wordlist_count(v->list));
    json_key(&j, "words");
    json_begin(&j, '[');
    for (uint64_t i = 0; i < v->places && !ferror(stdout); i++)
        json_word(&j, v, v->place[i]);
    json_close(&j, ']');
    json_close(&j, '}');
    json_end(&j);
}

static void print(const vocab *v)
{
    switch (v->format) {
    case FORMAT_TSV:
        print_tsv(v);
        break;
    case FORMAT_JSON:
        print_json(v);
        break;
    default:
        print_table(v);
        break;
    }
}

/* ---- the command --------------------------------------------------------- */

static kedge_status load(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    vocab *const v = data;

    return kedge_wordlist_load(store, &v->opts, control, &v->list, err);
}

/* Phrases are words in the views that join them, not in the store. */
static void hint_phrase(const vocab *v)
{
    uint64_t number[VIEWS_SHOWN];
    const uint64_t count = kedge_wordlist_phrase_views(
        v->list, v->unknown, number, VIEWS_SHOWN);
    char views[VIEWS_SHOWN * 12 + 1];

    for (uint64_t i = 0; i < count && i < VIEWS_SHOWN; i++)
        if (number[i] == v->opts.view)
            return; /* it is there, but seldom */
    if (count == 0)
        return;
    numbers_text(number, count, ", ", views);
    complain("it is a phrase of %s %s: try --view %" PRIu64,
             figure_noun(count, "view", "views"), views, number[0]);
}

static int show(vocab *v, const char *path)
{
    kedge_error err = {0};
    const kedge_status st =
        task_run(path, KEDGE_OPEN_READ, &v->common, load, v, &err);

    if (st != KEDGE_OK)
        return complain_status(st, &err);
    if (v->asked_count > 0)
        choose_asked(v);
    else
        choose_first(v);
    print(v);
    if (v->unknowns == 0)
        return EXIT_OK;
    complain("there is no word \"%.100s\"%s", v->unknown,
             v->opts.min_df > 1 || v->views.count > 0
                 ? " among those asked for"
                 : " in the store");
    hint_phrase(v);
    if (v->unknowns > 1)
        complain("nor %" PRIu64 " %s", v->unknowns - 1,
                 figure_noun(v->unknowns - 1, "other", "others"));
    return EXIT_FAILED;
}

static int vocab_run(const command *self, int argc, char **argv)
{
    vocab v = {.count = WORDS_SHOWN};
    arguments a = {.self = self, .common = &v.common};
    int code;

    common_init(&v.common);
    kedge_wordlist_opts_init(&v.opts);
    code = read_line(&v, &a, argc, argv);
    if (code != GO_ON)
        return code;
    if (v.views.count > 1)
        return complain_usage(self->name, "--view: one view at a time, not "
                                          "%zu", v.views.count);
    if (v.views.count == 1)
        v.opts.view = v.views.values[0];
    v.opts.order = (kedge_word_order)v.order;
    v.asked = a.operands + 1;
    v.asked_count = a.operand_count - 1;
    code = show(&v, a.operands[0]);
    free(v.place);
    kedge_wordlist_free(v.list);
    return code;
}

const command command_vocab = {
    .name = "vocab",
    .summary = "list the words with their counts",
    .operands = "STORE [WORD...]",
    .least = 1,
    .most = SIZE_MAX,
    .purpose =
        "Lists the words that the documents hold, the most telling first, or "
        "tells about the words that are named: how often each occurs (tf), in "
        "how many documents (df), tf-idf = tf ln(documents/df), and the "
        "numbers of the views that hold it. Words that no document holds are "
        "not there: those whose documents were all removed, and phrases, but "
        "in a view that joins them.",
    .output =
        "A line per word on standard output. tsv has a header; in json, total "
        "is how many words there are and words has those that are shown. tsv "
        "and json are stable, the table is not. Words are exact in tsv: a "
        "spreadsheet must read them as text, or it runs one that begins with = "
        "as a formula. A word that is not there is "
        "told at the end, with exit code 1, and with the views that have it as "
        "a phrase.",
    .examples =
        "  kedge vocab news\n"
        "  kedge vocab news film minister --format json\n"
        "  kedge vocab news --view 1 --sort df -n 0 --format tsv\n",
    .run = vocab_run,
};
