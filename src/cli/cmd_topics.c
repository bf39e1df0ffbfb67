/* SPDX-License-Identifier: MIT */
/* kedge topics: a model's topics, for people and for programs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <kedge/kedge.h>

#include "command.h"
#include "plaintext.h"

enum { RANKS = 4, RANK_ALL = RANKS }; /* of --rank */
enum { LIST_COLUMN = 16, ID_COLUMNS = 32 };

#define DEFAULT_WORDS 10

typedef struct topics {
    job job;
    const char *name;
    uint64_t words;
    unsigned rank;
    bool anchors;
    double lambda;
    uint64_t documents;
    kedge_model *model;
    kedge_ranked_word *ranked; /* room for `words` */
    kedge_typical *typical;    /* or NULL */
} topics;

#define AT(member) offsetof(topics, member)

static const option options[] = {
    OPTION_OF_MODEL(AT(name)),
    OPTION(COUNT, "words", AT(words), "N",
           "words of each topic; 0: all (anchor: 40)", .letter = 'n',
           .most = UINT64_MAX, .main = true),
    OPTION(CHOICE, "rank", AT(rank), "RANK", "ranking, one of the above",
           .choices = "relevance|probability|weighted|anchor|all",
           .main = true),
    OPTION(REAL, "lambda", AT(lambda), "X",
           "of relevance, 0 (exclusive) to 1 (frequent)", .to = 1,
           .unset = "0.6", .zero = true, .main = true),
    OPTION(FLAG, "anchors", AT(anchors), NULL, "show the anchor of each topic",
           .main = true),
    OPTION(COUNT, "documents", AT(documents), "N",
           "typical documents (after infer --save)", .least = 1,
           .most = KEDGE_TYPICAL_MOST, .unset = "none", .main = true),
    OPTION_FORMAT("table|tsv|json"),
    {.name = NULL},
};

static const struct ranking {
    kedge_rank rank;
    const char *name, *key;
} rankings[RANKS] = {
    {KEDGE_RANK_RELEVANCE, "relevance", "relevance_words"},
    {KEDGE_RANK_PROBABILITY, "probability", "probability_words"},
    {KEDGE_RANK_WEIGHTED, "weighted", "weighted_words"},
    {KEDGE_RANK_ANCHOR, "anchor", "anchor_words"},
};

static void begin(void *data)
{
    topics *const t = data;

    t->words = DEFAULT_WORDS;
    t->lambda = NAN;
}

static int check(void *data)
{
    topics *const t = data;

    if (!isnan(t->lambda) && t->rank != RANK_ALL &&
        rankings[t->rank].rank != KEDGE_RANK_RELEVANCE)
        return complain_usage("topics", "--lambda belongs to --rank relevance, "
                                        "not to %s", rankings[t->rank].name);
    if (isnan(t->lambda))
        t->lambda = KEDGE_LAMBDA;
    if (t->documents > 0 && t->job.format == FORMAT_TSV)
        return complain_usage("topics", "--documents is for --format table "
                                        "and json");
    return GO_ON;
}

static const char *anchor(const topics *t, uint64_t topic)
{
    return kedge_model_word(t->model, kedge_model_anchors(t->model)[topic]);
}

/* Of all rankings, the weighted one only where words have weights. */
static bool is_asked(const topics *t, size_t rank)
{
    return t->rank == rank ||
           (t->rank == RANK_ALL &&
            (rankings[rank].rank != KEDGE_RANK_WEIGHTED ||
             kedge_model_weighted(t->model) != NULL));
}

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

static kedge_status table_words(const topics *t, uint64_t topic, size_t rank,
                                flow *f, kedge_error *err)
{
    uint64_t got;
    kedge_status st = list_words(t, topic, rankings[rank].rank, &got, err);

    for (uint64_t i = 0; i < got && st == KEDGE_OK; i++)
        flow_word(f, kedge_model_word(t->model, t->ranked[i].row));
    flow_end(f);
    return st;
}

/* "    0.93 of  120  ID  LABEL  first words", as far as the line goes. */
static void table_document(const kedge_typical_document *d, int width)
{
    int used = printf("    %.2f of %4" PRIu64 "  ", d->proportion, d->tokens);
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

/* " 12   3.4 %  LABEL  (background)  anchor": gives the columns it took. */
static int table_head_of(const topics *t, uint64_t topic)
{
    const char *const label = kedge_model_label(t->model, topic);
    const int width = text_flow(stdout);
    int used = printf("%4" PRIu64 " %5.1f %%", topic + 1,
                      100 * kedge_model_prevalence(t->model)[topic]);

    if (label[0] != '\0') {
        used += printf("  [");
        used += text_put(stdout, label, width - used - 4);
        used += printf("]");
    }
    if (kedge_model_is_background(t->model, topic))
        used += printf("  (background)");
    if (t->anchors || t->rank == RANK_ALL) {
        used += printf("  anchor: ");
        used += text_put(stdout, anchor(t, topic), width - used - 2);
    }
    return used;
}

static kedge_status table_topic(const topics *t, uint64_t topic,
                                kedge_error *err)
{
    const uint64_t documents =
        t->typical != NULL ? kedge_typical_count(t->typical, topic) : 0;
    const int width = text_flow(stdout), used = table_head_of(t, topic);
    kedge_status st = KEDGE_OK;

    if (t->rank != RANK_ALL) {
        flow f = {.out = stdout, .indent = LIST_COLUMN, .width = width,
                  .column = used + printf("  ")};
        st = table_words(t, topic, t->rank, &f, err);
    } else {
        putchar('\n');
    }
    for (size_t i = 0; i < RANKS && t->rank == RANK_ALL && st == KEDGE_OK; i++)
        if (is_asked(t, i)) {
            flow f = flow_beside(stdout, rankings[i].name, LIST_COLUMN);
            st = table_words(t, topic, i, &f, err);
        }
    for (uint64_t i = 0; i < documents && st == KEDGE_OK; i++)
        table_document(kedge_typical_get(t->typical, topic, i), width);
    return st;
}

static kedge_status print_table(const topics *t, kedge_error *err)
{
    const uint64_t count = kedge_model_topics(t->model);
    flow f = {.out = stdout, .width = text_flow(stdout)};
    kedge_status st = KEDGE_OK;

    f.column = printf("model ");
    f.column += text_put(stdout, kedge_model_name(t->model), 40);
    flow_print(&f, ": %" PRIu64 " topics over %" PRIu64 " words%s%s", count,
               kedge_model_words(t->model),
               t->rank == RANK_ALL ? "" : ", ranked by ",
               t->rank == RANK_ALL ? "" : rankings[t->rank].name);
    flow_end(&f);
    for (uint64_t i = 0; i < count && st == KEDGE_OK; i++)
        st = table_topic(t, i, err);
    return st;
}

/* ---- tab-separated values ------------------------------------------------ */

static kedge_status tsv_list(const topics *t, uint64_t topic, size_t rank,
                             kedge_error *err)
{
    uint64_t got;
    kedge_status st = list_words(t, topic, rankings[rank].rank, &got, err);

    for (uint64_t i = 0; i < got && st == KEDGE_OK; i++) {
        const kedge_ranked_word *w = &t->ranked[i];

        printf("%" PRIu64 "\t", topic + 1);
        tsv_real(kedge_model_prevalence(t->model)[topic]);
        putchar('\t');
        text_put(stdout, kedge_model_label(t->model, topic), TEXT_WHOLE);
        putchar('\t');
        text_put(stdout, anchor(t, topic), TEXT_WHOLE);
        printf("\t%s\t%" PRIu64 "\t", rankings[rank].name, i + 1);
        text_put(stdout, kedge_model_word(t->model, w->row), TEXT_WHOLE);
        putchar('\t');
        tsv_fields("kedge_ranked_word", w, ALL_PARTS);
        putchar('\n');
    }
    return st;
}

static kedge_status print_tsv(const topics *t, kedge_error *err)
{
    const uint64_t count = kedge_model_topics(t->model);
    kedge_status st = KEDGE_OK;

    fputs("topic\tprevalence\tlabel\tanchor\trank\tplace\tword\t", stdout);
    tsv_head("kedge_ranked_word", ALL_PARTS);
    putchar('\n');
    for (uint64_t i = 0; i < count && st == KEDGE_OK; i++)
        for (size_t rank = 0; rank < RANKS && st == KEDGE_OK; rank++)
            if (is_asked(t, rank))
                st = tsv_list(t, i, rank, err);
    return st;
}

/* ---- JSON ---------------------------------------------------------------- */

/* The words by a ranking: "words", or "relevance_words" among all of them. */
static kedge_status json_words(jsonout *j, const topics *t, uint64_t topic,
                               size_t rank, kedge_error *err)
{
    uint64_t got;
    kedge_status st = list_words(t, topic, rankings[rank].rank, &got, err);

    if (st != KEDGE_OK)
        return st;
    json_key_begin(j, t->rank == RANK_ALL ? rankings[rank].key : "words", '[');
    for (uint64_t i = 0; i < got; i++) {
        json_begin(j, '{');
        json_key_text(j, "word",
                      kedge_model_word(t->model, t->ranked[i].row));
        json_fields(j, "kedge_ranked_word", &t->ranked[i], ALL_PARTS);
        json_close(j, '}');
    }
    json_close(j, ']');
    return KEDGE_OK;
}

static void json_documents(jsonout *j, const topics *t, uint64_t topic)
{
    const kedge_typical_document *d;

    if (t->typical == NULL)
        return;
    json_key_begin(j, "documents", '[');
    for (uint64_t i = 0;
         (d = kedge_typical_get(t->typical, topic, i)) != NULL; i++) {
        json_begin(j, '{');
        json_key_bytes(j, "id", d->id, d->id_size);
        json_fields(j, "kedge_typical_document", d, ALL_PARTS);
        json_key_bytes(j, "label", d->label, d->label_size);
        json_key_bytes(j, "text", d->text, d->text_size);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static kedge_status json_topic(jsonout *j, const topics *t, uint64_t topic,
                               kedge_error *err)
{
    const double *const alpha = kedge_model_alpha(t->model);
    kedge_status st = KEDGE_OK;

    json_begin(j, '{');
    json_key_count(j, "topic", topic + 1);
    json_key_text(j, "label", kedge_model_label(t->model, topic));
    json_key_real(j, "prevalence", kedge_model_prevalence(t->model)[topic]);
    json_key_real(j, "exclusivity", kedge_model_exclusivity(t->model, topic));
    json_key_bool(j, "background",
                  kedge_model_is_background(t->model, topic));
    json_key_real(j, "alpha", alpha != NULL ? alpha[topic] : NAN);
    json_key_text(j, "anchor", anchor(t, topic));
    for (size_t rank = 0; rank < RANKS && st == KEDGE_OK; rank++)
        if (is_asked(t, rank))
            st = json_words(j, t, topic, rank, err);
    if (st == KEDGE_OK)
        json_documents(j, t, topic);
    json_close(j, '}');
    return st;
}

static kedge_status print_json(const topics *t, kedge_error *err)
{
    const uint64_t count = kedge_model_topics(t->model);
    jsonout j = json_document(stdout, 4);
    kedge_status st = KEDGE_OK;

    json_key_text(&j, "model", kedge_model_name(t->model));
    json_key_text(&j, "rank",
                  t->rank == RANK_ALL ? "all" : rankings[t->rank].name);
    if (t->typical != NULL)
        json_object(&j, "saved", "kedge_saved_info",
                    kedge_typical_about(t->typical));
    json_key_begin(&j, "topics", '[');
    for (uint64_t i = 0; i < count && st == KEDGE_OK; i++)
        st = json_topic(&j, t, i, err);
    json_close(&j, ']');
    json_finish(&j);
    return st;
}

/* ---- the command --------------------------------------------------------- */

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    topics *const t = data;
    kedge_status st = kedge_model_load(store, t->name, control, &t->model, err);

    if (st != KEDGE_OK || t->documents == 0)
        return st;
    st = kedge_typical_find(store, kedge_model_name(t->model), t->documents,
                            control, &t->typical, err);
    if (st == KEDGE_OK && !t->job.common.quiet)
        keptset_warn(kedge_typical_about(t->typical));
    return st;
}

static int run(void *data)
{
    static kedge_status (*const print[])(const topics *, kedge_error *) = {
        print_table, print_tsv, print_json};
    topics *const t = data;
    const int code = job_work(&t->job);
    uint64_t rows;

    if (code != EXIT_OK)
        return code;
    rows = kedge_model_words(t->model);
    t->words = t->words > 0 && t->words < rows ? t->words : rows;
    t->ranked = claim(t->words, sizeof *t->ranked);
    return complain_status(print[t->job.format](t, &t->job.err), &t->job.err);
}

static void end(void *data)
{
    topics *const t = data;

    kedge_typical_free(t->typical);
    kedge_model_free(t->model);
    free(t->ranked);
}

const command command_topics = {
    .name = "topics",
    .group = GROUP_START,
    .summary = "show topics",
    .operands = "STORE",
    .least = 1,
    .most = 1,
    .purpose =
        "Shows each topic of a model: prevalence, label and words, ranked by "
        "relevance, probability, weighted (probability times the term weight), "
        "anchor (words that occur with the anchor), or all four. The words of "
        "background topics belong more to other topics, or occur evenly in all "
        "documents. Typical documents are ordered by a lower bound of their "
        "proportion (Wilson's), so that short ones do not come first.",
    .examples = "  kedge topics news -n 20\n"
                "  kedge topics news --format json > topics.json\n",
    .see = "methods, files",
    .options = options,
    .size = sizeof(topics),
    .begin = begin,
    .check = check,
    .run = run,
    .mode = KEDGE_OPEN_READ,
    .work = work,
    .end = end,
};
