/* SPDX-License-Identifier: MIT */
/* kedge topics: a model's topics, for people and for programs. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "jsonout.h"
#include "keptset.h"
#include "options.h"
#include "plaintext.h"
#include "watch.h"

enum { FORMAT_TABLE, FORMAT_TSV, FORMAT_JSON };
enum { RANK_RELEVANCE, RANK_PROBABILITY, RANK_WEIGHTED }; /* of --rank */
enum { TABLE_COLUMN = 18, NARROW_COLUMN = 4, ID_COLUMNS = 32 };

#define DEFAULT_WORDS 10

typedef struct topics {
    const char *name;
    uint64_t words;
    unsigned rank, format;
    double lambda;
    common common;
    uint64_t documents;
    kedge_model *model;
    kedge_ranked_word *ranked; /* room for `words` */
    kedge_typical *typical;    /* or NULL */
} topics;

static int read_line(topics *t, arguments *a, int argc, char **argv)
{
    const option options[] = {
        {.name = "model", .kind = OPTION_TEXT, .value = &t->name,
         .argument = "NAME", .unset = "the one fitted last",
         .help = "Which model; kedge info lists them."},
        {.name = "words", .letter = 'n', .kind = OPTION_COUNT,
         .value = &t->words, .argument = "N", .most = UINT64_MAX,
         .help = "Words of each list at most; 0: all."},
        {.name = "rank", .kind = OPTION_CHOICE, .value = &t->rank,
         .argument = "relevance|probability|weighted",
         .help = "What orders the words in tsv and json: how telling they are, "
                 "by p(word|topic) and p(topic|word), or how frequent, "
                 "p(word|topic), or that times the words' weights, in a model "
                 "that was fitted with --weight. The table shows them all."},
        {.name = "lambda", .kind = OPTION_REAL, .value = &t->lambda,
         .argument = "X", .to = 1,
         .help = "Of relevance: towards 0 words are more the "
                 "topic's own, towards 1 more frequent in it: "
                 "p(word|topic)^2X p(topic|word)^(2-2X)."},
        {.name = "documents", .kind = OPTION_COUNT, .value = &t->documents,
         .argument = "N", .least = 1, .most = KEDGE_TYPICAL_MOST,
         .unset = "none",
         .help = "Also the N most typical documents of each topic, of those "
                 "whose compositions 'kedge infer STORE --keep' has kept. In "
                 "table and json."},
        {.name = "format", .kind = OPTION_CHOICE, .value = &t->format,
         .argument = "table|tsv|json", .help = "What to print."},
    };

    a->options = options;
    a->count = sizeof options / sizeof *options;
    return options_read(a, argc, argv);
}

static const char *anchor(const topics *t, uint64_t topic)
{
    return kedge_model_word(t->model, kedge_model_anchors(t->model)[topic]);
}

static const struct chosen {
    kedge_rank rank;
    const char *name, *label;
} chosen[] = {
    [RANK_RELEVANCE] = {KEDGE_RANK_RELEVANCE, "relevance", "telling"},
    [RANK_PROBABILITY] = {KEDGE_RANK_PROBABILITY, "probability", "probable"},
    [RANK_WEIGHTED] = {KEDGE_RANK_WEIGHTED, "weighted", "weighted"},
};

static kedge_status list_words(const topics *t, uint64_t topic,
                               kedge_rank rank, uint64_t *got,
                               kedge_error *err)
{
    if (rank == KEDGE_RANK_RELEVANCE)
        return kedge_model_relevant_words(t->model, topic, t->lambda,
                                          t->ranked, t->words, got, err);
    return kedge_model_top_words(t->model, topic, rank, t->ranked, t->words,
                                 got, err);
}

/* ---- the table ----------------------------------------------------------- */

/* The column that what follows stands in: below the label in narrow lines. */
static int table_label(const char *label, int width)
{
    if (width >= 3 * TABLE_COLUMN) {
        printf("  %-*s", TABLE_COLUMN - 2, label);
        return TABLE_COLUMN;
    }
    printf("  %s\n%*s", label, NARROW_COLUMN, "");
    return NARROW_COLUMN;
}

static kedge_status table_list(const topics *t, uint64_t topic,
                               kedge_rank rank, const char *label, int width,
                               kedge_error *err)
{
    flow f = {.out = stdout, .width = width};
    kedge_status st;
    uint64_t got;

    st = list_words(t, topic, rank, &got, err);
    if (st != KEDGE_OK || got == 0)
        return st;
    f.indent = f.column = table_label(label, width);
    for (uint64_t i = 0; i < got; i++)
        flow_word(&f, kedge_model_word(t->model, t->ranked[i].row));
    flow_end(&f);
    return KEDGE_OK;
}

static void table_name(const topics *t, uint64_t topic, int width)
{
    const char *const name = kedge_model_topic_name(t->model, topic);

    if (name[0] == '\0')
        return;
    text_put(stdout, name, width - table_label("name:", width));
    putchar('\n');
}

/* "    0.93 of  120  ID  LABEL  first words", as far as the line goes. */
static void table_document(const kedge_typical_document *d, int width)
{
    int used = printf("    %.2f of %4" PRIu64 "  ", d->share, d->tokens);
    const bool alone = d->label[0] == '\0' && d->text[0] == '\0';

    used += text_put_tail(stdout, d->id, alone || width - used < ID_COLUMNS
                                             ? width - used
                                             : ID_COLUMNS);
    if (d->label[0] != '\0' && used + 8 < width) {
        used += printf("  ");
        used += text_put(stdout, d->label, width - used);
    }
    if (d->text[0] != '\0' && used + 16 < width) {
        used += printf("  ");
        text_put(stdout, d->text, width - used);
    }
    putchar('\n');
}

static void table_documents(const topics *t, uint64_t topic, int width)
{
    const uint64_t count = t->typical != NULL
                               ? kedge_typical_count(t->typical, topic)
                               : 0;

    if (count > 0)
        puts("  documents:");
    for (uint64_t i = 0; i < count; i++)
        table_document(kedge_typical_get(t->typical, topic, i), width);
}

static kedge_status table_topic(const topics *t, uint64_t topic,
                                kedge_error *err)
{
    const int width = text_flow(stdout);
    kedge_status st;
    int used;

    used = printf("\ntopic %" PRIu64, topic + 1) - 1;
    text_pad(stdout, 12 - used);
    printf("%5.1f %%  anchor ", 100 * kedge_model_shares(t->model)[topic]);
    text_put(stdout, anchor(t, topic), width - 44);
    if (kedge_model_is_background(t->model, topic))
        fputs("  background", stdout);
    putchar('\n');
    table_name(t, topic, width);
    st = table_list(t, topic, KEDGE_RANK_PROBABILITY, "probable:", width, err);
    if (st == KEDGE_OK && kedge_model_weighted(t->model) != NULL)
        st = table_list(t, topic, KEDGE_RANK_WEIGHTED, "weighted:", width,
                        err);
    if (st == KEDGE_OK)
        st = table_list(t, topic, KEDGE_RANK_RELEVANCE, "telling:", width,
                        err);
    if (st == KEDGE_OK)
        st = table_list(t, topic, KEDGE_RANK_CHARACTERISTIC,
                        "characteristic:", width, err);
    if (st == KEDGE_OK)
        table_documents(t, topic, width);
    return st;
}

static kedge_status print_table(const topics *t, kedge_error *err)
{
    const uint64_t count = kedge_model_topics(t->model);
    flow f = {.out = stdout, .width = text_flow(stdout)};
    kedge_status st = KEDGE_OK;
    char text[80];

    f.column = printf("model ");
    f.column += text_put(stdout, kedge_model_name(t->model), 40);
    snprintf(text, sizeof text, ": %" PRIu64 " topics over %" PRIu64 " words",
             count, kedge_model_words(t->model));
    flow_text(&f, text);
    flow_end(&f);
    for (uint64_t i = 0; i < count && st == KEDGE_OK; i++)
        st = table_topic(t, i, err);
    return st;
}

/* ---- tab-separated values ------------------------------------------------ */

static void put_real(double x)
{
    jsonout j = {.out = stdout};

    json_real(&j, x);
}

static kedge_status tsv_list(const topics *t, uint64_t topic, kedge_rank rank,
                             const char *label, kedge_error *err)
{
    kedge_status st;
    uint64_t got;

    st = list_words(t, topic, rank, &got, err);
    for (uint64_t i = 0; i < got && st == KEDGE_OK; i++) {
        const kedge_ranked_word *w = &t->ranked[i];

        printf("%" PRIu64 "\t", topic + 1);
        put_real(kedge_model_shares(t->model)[topic]);
        putchar('\t');
        text_put(stdout, anchor(t, topic), TEXT_WHOLE);
        printf("\t%" PRIu64 "\t", i + 1);
        text_put(stdout, kedge_model_word(t->model, w->row), TEXT_WHOLE);
        putchar('\t');
        put_real(w->probability);
        putchar('\t');
        put_real(w->relevance);
        printf("\t%s\t", label);
        text_put(stdout, kedge_model_topic_name(t->model, topic), TEXT_WHOLE);
        putchar('\t');
        put_real(w->weighted);
        putchar('\n');
    }
    return st;
}

static kedge_status print_tsv(const topics *t, kedge_error *err)
{
    const uint64_t count = kedge_model_topics(t->model);
    kedge_status st = KEDGE_OK;

    puts("topic\tshare\tanchor\trank\tword\tprobability\trelevance\tlist\t"
         "name\tweighted");
    for (uint64_t i = 0; i < count && st == KEDGE_OK; i++) {
        st = tsv_list(t, i, chosen[t->rank].rank, chosen[t->rank].label, err);
        if (st == KEDGE_OK)
            st = tsv_list(t, i, KEDGE_RANK_CHARACTERISTIC, "characteristic",
                          err);
    }
    return st;
}

/* ---- JSON ---------------------------------------------------------------- */

static kedge_status json_words(jsonout *j, const topics *t, uint64_t topic,
                               kedge_error *err)
{
    kedge_status st;
    uint64_t got;

    st = list_words(t, topic, chosen[t->rank].rank, &got, err);
    if (st != KEDGE_OK)
        return st;
    json_key(j, "words");
    json_begin(j, '[');
    for (uint64_t i = 0; i < got; i++) {
        const kedge_ranked_word *w = &t->ranked[i];

        json_begin(j, '{');
        json_key_text(j, "word", kedge_model_word(t->model, w->row));
        json_key_real(j, "probability", w->probability);
        json_key_real(j, "relevance", w->relevance);
        json_key_real(j, "weighted", w->weighted);
        json_close(j, '}');
    }
    json_close(j, ']');
    return KEDGE_OK;
}

static kedge_status json_characteristic(jsonout *j, const topics *t,
                                        uint64_t topic, kedge_error *err)
{
    kedge_status st;
    uint64_t got;

    st = kedge_model_top_words(t->model, topic, KEDGE_RANK_CHARACTERISTIC,
                               t->ranked, t->words, &got, err);
    if (st != KEDGE_OK)
        return st;
    json_key(j, "characteristic");
    json_begin(j, '[');
    for (uint64_t i = 0; i < got; i++)
        json_text(j, kedge_model_word(t->model, t->ranked[i].row));
    json_close(j, ']');
    return KEDGE_OK;
}

static void json_documents(jsonout *j, const topics *t, uint64_t topic)
{
    const kedge_typical_document *d;

    if (t->typical == NULL)
        return;
    json_key(j, "documents");
    json_begin(j, '[');
    for (uint64_t i = 0;
         (d = kedge_typical_get(t->typical, topic, i)) != NULL; i++) {
        json_begin(j, '{');
        json_key(j, "id");
        json_bytes(j, d->id, d->id_size);
        json_key_real(j, "share", d->share);
        json_key_real(j, "at_least", d->at_least);
        json_key_count(j, "tokens", d->tokens);
        json_key(j, "label");
        json_bytes(j, d->label, d->label_size);
        json_key(j, "text");
        json_bytes(j, d->text, d->text_size);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static kedge_status json_topic(jsonout *j, const topics *t, uint64_t topic,
                               kedge_error *err)
{
    const double *const alpha = kedge_model_alpha(t->model);
    kedge_status st;

    json_begin(j, '{');
    json_key_count(j, "topic", topic + 1);
    json_key_text(j, "name", kedge_model_topic_name(t->model, topic));
    json_key_real(j, "share", kedge_model_shares(t->model)[topic]);
    json_key_real(j, "exclusivity", kedge_model_exclusivity(t->model, topic));
    json_key_real(j, "alpha", alpha != NULL ? alpha[topic] : NAN);
    json_key_text(j, "anchor", anchor(t, topic));
    st = json_words(j, t, topic, err);
    if (st == KEDGE_OK)
        st = json_characteristic(j, t, topic, err);
    if (st == KEDGE_OK)
        json_documents(j, t, topic);
    json_close(j, '}');
    return st;
}

static kedge_status print_json(const topics *t, kedge_error *err)
{
    const uint64_t count = kedge_model_topics(t->model);
    jsonout j = {.out = stdout, .lines = 4};
    kedge_status st = KEDGE_OK;

    json_begin(&j, '{');
    json_key_text(&j, "kedge", kedge_version());
    json_key_text(&j, "model", kedge_model_name(t->model));
    json_key_text(&j, "rank", chosen[t->rank].name);
    if (t->typical != NULL) {
        json_key(&j, "kept");
        keptset_json(&j, kedge_typical_about(t->typical));
    }
    json_key(&j, "topics");
    json_begin(&j, '[');
    for (uint64_t i = 0; i < count && st == KEDGE_OK; i++)
        st = json_topic(&j, t, i, err);
    json_close(&j, ']');
    json_close(&j, '}');
    json_end(&j);
    return st;
}

/* ---- the command --------------------------------------------------------- */

static kedge_status print_topics(topics *t, kedge_error *err)
{
    const uint64_t rows = kedge_model_words(t->model);

    t->words = t->words > 0 && t->words < rows ? t->words : rows;
    t->ranked = claim(t->words, sizeof *t->ranked);
    switch (t->format) {
    case FORMAT_TSV:
        return print_tsv(t, err);
    case FORMAT_JSON:
        return print_json(t, err);
    default:
        return print_table(t, err);
    }
}

/* Of the model that was loaded, which has a name by then. */
static kedge_status find_documents(topics *t, kedge_store *store,
                                   const kedge_control *control,
                                   kedge_error *err)
{
    kedge_status st;

    if (t->documents == 0)
        return KEDGE_OK;
    st = kedge_typical_find(store, kedge_model_name(t->model), t->documents,
                            control, &t->typical, err);
    if (st == KEDGE_OK && !t->common.quiet)
        keptset_warn(kedge_typical_about(t->typical));
    return st;
}

static kedge_status show_store(topics *t, const char *path, kedge_error *err)
{
    kedge_store *store;
    kedge_status st;
    watch w;

    st = kedge_store_open(path, KEDGE_OPEN_READ, &store, err);
    if (st != KEDGE_OK)
        return st;
    watch_begin(&w, &t->common);
    st = kedge_model_load(store, t->name, &w.control, &t->model, err);
    if (st == KEDGE_OK)
        st = find_documents(t, store, &w.control, err);
    st = watch_end(&w, st, err);
    kedge_store_close(store);
    if (st == KEDGE_OK)
        st = print_topics(t, err);
    kedge_typical_free(t->typical);
    kedge_model_free(t->model);
    free(t->ranked);
    return st;
}

static int topics_run(const command *self, int argc, char **argv)
{
    topics t = {.words = DEFAULT_WORDS, .lambda = KEDGE_LAMBDA};
    arguments a = {.self = self, .common = &t.common};
    kedge_error err = {0};
    int code;

    common_init(&t.common);
    code = read_line(&t, &a, argc, argv);
    if (code != GO_ON)
        return code;
    if (t.documents > 0 && t.format == FORMAT_TSV)
        return complain_usage(self->name, "--documents is for --format table "
                                          "and json");
    return complain_status(show_store(&t, a.operands[0], &err), &err);
}

const command command_topics = {
    .name = "topics",
    .summary = "show a model's topics",
    .operands = "STORE",
    .least = 1,
    .most = 1,
    .purpose =
        "Shows each topic of a model, by number (the largest first, unless the "
        "numbers are those of an earlier model): its share of all words, its "
        "name if it was given one, its anchor (a word that stands for it "
        "alone), the words that "
        "are most probable in it, the telling ones (probable here and rare "
        "elsewhere) and the characteristic ones (those that occur with the "
        "anchor). A background topic is one whose words occur mostly in other "
        "topics: its exclusivity, the mean of p(topic|word) over its ten most "
        "telling words, is below 1/3; or one that is in all documents alike, "
        "as chatter is: p(topic, the same topic) is below 2 p(topic)^2.",
    .details =
        "--documents needs compositions that are kept: 'kedge infer STORE "
        "--keep' makes them. A document of three words is easily of one topic "
        "alone and tells little of it. So documents are in the order of what "
        "their share is at least, were their words drawn one by one (Wilson's "
        "lower bound, two standard deviations): 0.90 of 200 words, which is "
        "0.85 at least, comes before 1.00 of 10 words, which is 0.71. Shown "
        "are the share and of how many words it is, the id, the label and, "
        "where the order of words is stored, the first words as they were "
        "cut. Documents that were removed are never shown; of such that came "
        "later it is said how many there are.",
    .output =
        "The topics, on standard output. tsv has a line per word of the "
        "chosen rank's list (telling, probable or weighted) and of the "
        "characteristic "
        "list, and a header; tsv and json are stable, the table is not. Words "
        "and names are exact in tsv: a spreadsheet must read them as text, or "
        "it runs one that begins with = as a formula.",
    .examples =
        "  kedge topics news\n"
        "  kedge topics news -n 20 --model k50\n"
        "  kedge topics news --documents 5\n"
        "  kedge topics news --format json --rank probability > topics.json\n",
    .run = topics_run,
};
