/* SPDX-License-Identifier: MIT */
/* kedge vocab: the words of a store. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <kedge/kedge.h>

#include "command.h"
#include "plaintext.h"

enum { WORDS_SHOWN = 50, INDEXES_SHOWN = 64 };

typedef struct vocab {
    job job;
    kedge_wordlist_opts opts;
    uint64_t count; /* of words at most; 0: all */
    kedge_wordlist *list;
    uint64_t *place; /* in the list, of what is printed */
    uint64_t places;
    const char *unknown; /* the first word that is not there */
    uint64_t unknowns;
} vocab;

#define AT(member) offsetof(vocab, member)

static const option options[] = {
    OPTION(CHOICE, "sort", AT(opts.order), "ORDER", "order",
           .choices = "tf-idf|tf|df|word", .main = true),
    OPTION(COUNT, "words", AT(count), "N", "number of words; 0: all",
           .letter = 'n', .most = UINT64_MAX, .main = true),
    OPTION(COUNT, "min-df", AT(opts.min_df), "D",
           "words in at least D documents", .least = 1, .most = UINT64_MAX,
           .main = true),
    OPTION(INDEX, "index", AT(opts.index), "N",
           "words of this index; kedge info lists them", .most = UINT32_MAX,
           .main = true),
    OPTION_FORMAT("table|tsv|json"),
    {.name = NULL},
};

static void begin(void *data)
{
    vocab *const v = data;

    kedge_wordlist_opts_init(&v->opts);
    v->count = WORDS_SHOWN;
}

/* ---- which words --------------------------------------------------------- */

static void choose_asked(vocab *v)
{
    v->place = claim(v->job.rest_count, sizeof *v->place);
    for (size_t i = 0; i < v->job.rest_count; i++) {
        const uint64_t at = kedge_wordlist_find(v->list, v->job.rest[i]);

        if (at != KEDGE_NO_WORD)
            v->place[v->places++] = at;
        else if (v->unknowns++ == 0)
            v->unknown = v->job.rest[i];
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

/* Numbers of indexes, with something between them; those beyond INDEXES_SHOWN
 * are left out. */
static void numbers_text(const uint64_t *number, uint64_t count,
                         const char *between, char out[INDEXES_SHOWN * 12 + 1])
{
    int at = 0;

    for (uint64_t i = 0; i < count && i < INDEXES_SHOWN; i++)
        at += snprintf(out + at, 13, "%s%" PRIu64, i > 0 ? between : "",
                       number[i]);
}

/* The indexes of a word: "0 2". */
static const char *indexes_text(const vocab *v, uint64_t place,
                                char out[INDEXES_SHOWN * 12 + 1],
                                const char *none)
{
    uint64_t number[INDEXES_SHOWN];
    const uint64_t count =
        kedge_wordlist_indexes(v->list, place, number, INDEXES_SHOWN);

    if (count == 0)
        return none;
    numbers_text(number, count, " ", out);
    return out;
}

static void print_table(const vocab *v)
{
    char indexes[INDEXES_SHOWN * 12 + 1];
    table t = {0};

    table_head(&t, "kedge_word_info", "indexes");
    for (uint64_t i = 0; i < v->places; i++) {
        const kedge_word_info w = kedge_wordlist_get(v->list, v->place[i]);

        table_row(&t, "kedge_word_info", &w,
                  indexes_text(v, v->place[i], indexes, "-"));
    }
    table_print(&t, stdout);
    table_free(&t);
}

static void print_tsv(const vocab *v)
{
    char indexes[INDEXES_SHOWN * 12 + 1];

    tsv_head("kedge_word_info", ALL_PARTS);
    puts("\tindexes");
    for (uint64_t i = 0; i < v->places && !ferror(stdout); i++) {
        const kedge_word_info w = kedge_wordlist_get(v->list, v->place[i]);

        tsv_fields("kedge_word_info", &w, ALL_PARTS);
        printf("\t%s\n", indexes_text(v, v->place[i], indexes, ""));
    }
}

static void json_word(jsonout *j, const vocab *v, uint64_t place)
{
    const kedge_word_info w = kedge_wordlist_get(v->list, place);
    uint64_t number[INDEXES_SHOWN];
    const uint64_t count =
        kedge_wordlist_indexes(v->list, place, number, INDEXES_SHOWN);

    json_begin(j, '{');
    json_fields(j, "kedge_word_info", &w, ALL_PARTS);
    json_key_begin(j, "indexes", '[');
    for (uint64_t i = 0; i < count && i < INDEXES_SHOWN; i++)
        json_count(j, number[i]);
    json_close(j, ']');
    json_close(j, '}');
}

static void print_json(const vocab *v)
{
    jsonout j = json_document(stdout, 2);

    json_key_count(&j, "total", kedge_wordlist_count(v->list));
    json_key_begin(&j, "words", '[');
    for (uint64_t i = 0; i < v->places && !ferror(stdout); i++)
        json_word(&j, v, v->place[i]);
    json_close(&j, ']');
    json_finish(&j);
}

/* ---- the command --------------------------------------------------------- */

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    vocab *const v = data;

    return kedge_wordlist_load(store, &v->opts, control, &v->list, err);
}

/* Phrases are words in the indexes that join them, not in the store. */
static void hint_phrase(const vocab *v)
{
    uint64_t number[INDEXES_SHOWN];
    const uint64_t count = kedge_wordlist_phrase_indexes(
        v->list, v->unknown, number, INDEXES_SHOWN);
    char indexes[INDEXES_SHOWN * 12 + 1];

    for (uint64_t i = 0; i < count && i < INDEXES_SHOWN; i++)
        if (number[i] == v->opts.index)
            return; /* it is there, but seldom */
    if (count == 0)
        return;
    numbers_text(number, count, ", ", indexes);
    complain("%s %s %s it as a phrase: try --index %" PRIu64,
             figure_noun(count, "index", "indexes"), indexes,
             figure_noun(count, "has", "have"), number[0]);
}

static int run(void *data)
{
    static void (*const print[])(const vocab *) = {print_table, print_tsv,
                                                   print_json};
    vocab *const v = data;
    const int code = job_work(&v->job);

    if (code != EXIT_OK)
        return code;
    if (v->job.rest_count > 0)
        choose_asked(v);
    else
        choose_first(v);
    print[v->job.format](v);
    if (v->unknowns == 0)
        return EXIT_OK;
    complain("there is no word \"%.100s\"%s", v->unknown,
             v->opts.min_df > 1 || v->opts.index != KEDGE_NO_INDEX
                 ? " with this --min-df or --index"
                 : " in the store");
    hint_phrase(v);
    if (v->unknowns > 1)
        complain("nor %" PRIu64 " %s", v->unknowns - 1,
                 figure_noun(v->unknowns - 1, "other", "others"));
    return EXIT_FAILED;
}

static void end(void *data)
{
    vocab *const v = data;

    free(v->place);
    kedge_wordlist_free(v->list);
}

const command command_vocab = {
    .name = "vocab",
    .group = GROUP_LOOK,
    .summary = "list words with their counts",
    .operands = "STORE [WORD...]",
    .least = 1,
    .most = SIZE_MAX,
    .purpose =
        "Lists the words of the documents, or the given ones: occurrences "
        "(tf), documents (df), tf-idf = tf ln(documents / df), and the "
        "indexes that have the word. Phrases are listed with the index that "
        "joins them. A word that is not there gives exit code 1.",
    .examples = "  kedge vocab news film minister\n"
                "  kedge vocab news --sort df -n 0 --format tsv\n",
    .options = options,
    .size = sizeof(vocab),
    .begin = begin,
    .run = run,
    .mode = KEDGE_OPEN_READ,
    .work = work,
    .end = end,
};
