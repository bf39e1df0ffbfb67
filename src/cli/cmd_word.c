/* SPDX-License-Identifier: MIT */
/* kedge word: what words mean to a model. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <kedge/kedge.h>

#include "command.h"
#include "plaintext.h"

enum { COLUMN = 14, FIGURES = 33, NAME_LEAST = 12 };
enum { JSON_VERSION = 1 };

#define ANSWER      "kedge_word_answer"
#define SHARE_LEAST 0.01 /* of a topic that the table shows */

typedef struct asked {
    job job;
    kedge_word_opts opts;
    kedge_words_answer *answer;
} asked;

#define AT(member) offsetof(asked, member)

static const option options[] = {
    OPTION_OF_MODEL(AT(opts.model)),
    OPTION(COUNT, "words", AT(opts.near), "N", "similar words",
           .letter = 'n', .most = 1000, .main = true),
    OPTION_FORMAT("table|json"),
    {.name = NULL},
};

static void begin(void *data)
{
    kedge_word_opts_init(&((asked *)data)->opts);
}

static bool is_known(const kedge_word_answer *w)
{
    return w->df > 0 || w->row != KEDGE_NO_WORD;
}

static const kedge_model *model(const asked *q)
{
    return kedge_words_model(q->answer);
}

static const char *anchor_of(const asked *q, uint64_t topic)
{
    return kedge_model_word(model(q), kedge_model_anchors(model(q))[topic]);
}

/* ---- the table ----------------------------------------------------------- */

static void table_counts(const asked *q, const kedge_word_answer *w)
{
    const char *const name = kedge_model_name(model(q));
    figure f[2];

    if (w->df > 0)
        flow_line(stdout, "occurs:", COLUMN, "%s %s in %s %s",
                  figure_count(&f[0], w->tf),
                  figure_noun(w->tf, "time", "times"),
                  figure_count(&f[1], w->df),
                  figure_noun(w->df, "document", "documents"));
    if (w->row == KEDGE_NO_WORD)
        flow_line(stdout, "", COLUMN, "not a word of model %.64s", name);
    else if (w->model_tf != w->tf || w->model_df != w->df)
        flow_line(stdout, w->df > 0 ? "" : "occurs:", COLUMN,
                  "%s %s in %s when model %.64s was fitted",
                  figure_count(&f[0], w->model_tf),
                  figure_noun(w->model_tf, "time", "times"),
                  figure_count(&f[1], w->model_df), name);
}

/* "   3  71.2 %  0.012300  harbour", or the topic's name instead. */
static void table_topics(const asked *q, const kedge_word_answer *w)
{
    const uint64_t count = kedge_model_topics(model(q));
    const int line = text_line(stdout);
    const bool narrow = line > 0 && line < COLUMN + FIGURES + NAME_LEAST;
    const int indent = narrow ? 2 : COLUMN;
    const int room = line > 0 ? line - indent - FIGURES : TEXT_WHOLE;

    printf("  %-*s", COLUMN - 2, "topics:");
    if (narrow)
        printf("\n%*s", indent, "");
    printf("%5s  %11s  %11s%s\n", "topic", "p(t|word)", "p(word|t)",
           line <= 0 || room >= 15 ? "  label or anchor" : "");
    for (uint64_t i = 0; i < count; i++) {
        const kedge_word_topic *const t = &w->topics[i];
        const char *const name = kedge_model_label(model(q), t->topic);

        if (i > 0 && !(t->topic_probability >= SHARE_LEAST))
            break;
        printf("%*s%5" PRIu64 "  %9.1f %%  %11.6f  ", indent, "",
               t->topic + 1, 100 * t->topic_probability, t->probability);
        text_put(stdout, name[0] != '\0' ? name : anchor_of(q, t->topic),
                 room);
        putchar('\n');
    }
}

/* Those that are like it; the cosine once where it is that of all, to three
 * digits, as it may be with few topics. */
static void table_near(const kedge_word_answer *w)
{
    const kedge_word_near *const last = w->near + w->near_count - 1;
    bool even;
    flow f;

    if (w->near_count == 0)
        return;
    even = (int)(1000 * w->near->likeness + 0.5) ==
           (int)(1000 * last->likeness + 0.5);
    f = flow_beside(stdout, "like it:", COLUMN);
    for (const kedge_word_near *n = w->near; n <= last; n++) {
        flow_word(&f, n->word);
        if (!even)
            flow_print(&f, "%.3f%s", n->likeness, n < last ? "," : "");
    }
    if (even)
        flow_print(&f, "(%.3f each)", last->likeness);
    flow_end(&f);
}

/* How near it came, of a word that is no anchor. */
static void table_standing(const asked *q, const kedge_word_answer *w)
{
    figure f[2];

    if (w->rank == 0 || w->anchor == KEDGE_WORD_ANCHOR)
        return;
    flow_line(stdout, "", COLUMN,
              "closest when %.100s was chosen (topic %" PRIu64 "): number %s "
              "of %s, at %.0f %% of its distance",
              anchor_of(q, w->anchor_topic), w->anchor_topic + 1,
              figure_count(&f[0], w->rank),
              figure_count(&f[1], kedge_words_candidates(q->answer)),
              100 * w->stands_out);
}

static void table_anchor(const asked *q, const kedge_word_answer *w)
{
    flow f = flow_beside(stdout, "anchor:", COLUMN);
    figure g[2];

    if (w->anchor == KEDGE_WORD_ANCHOR)
        flow_print(&f, "it is the anchor of topic %" PRIu64,
                   w->anchor_topic + 1);
    else if (w->anchor == KEDGE_WORD_CANDIDATE)
        flow_print(&f, "it could be an anchor%s",
                   kedge_words_banned(q->answer)
                       ? ", unless --anchor-ban excluded it"
                       : "");
    else if (w->anchor == KEDGE_WORD_RARE)
        flow_print(&f, "it cannot be an anchor: in %s %s, below the floor of "
                       "%s "
                       "(--anchor-min-df)", figure_count(&g[0], w->model_df),
                   figure_noun(w->model_df, "document", "documents"),
                   figure_count(&g[1], kedge_words_anchor_floor(q->answer)));
    else
        flow_print(&f, "it cannot be an anchor: it occurs with no other word");
    flow_end(&f);
    table_standing(q, w);
}

static void table_unknown(const kedge_word_answer *w)
{
    flow f;

    if (w->word[0] == '\0') {
        flow_line(stdout, "", COLUMN,
                  "this store keeps no such word: it is a stop word, too "
                  "short, or has no letters ('kedge info' shows the "
                  "settings)");
        return;
    }
    flow_line(stdout, "", COLUMN, "no document of the store has it");
    if (w->spelling_count == 0)
        return;
    f = flow_beside(stdout, "spelt like:", COLUMN);
    for (uint64_t i = 0; i < w->spelling_count; i++)
        flow_word(&f, w->spellings[i]);
    flow_end(&f);
}

static void table_word(const asked *q, const kedge_word_answer *w)
{
    const bool other = strcmp(w->asked, w->word) != 0;

    text_put(stdout, w->asked, text_flow(stdout) / 2);
    if (other && w->word[0] != '\0') {
        fputs(" -> ", stdout);
        text_put(stdout, w->word, text_flow(stdout) / 2 - 4);
    }
    putchar('\n');
    if (!is_known(w)) {
        table_unknown(w);
        return;
    }
    table_counts(q, w);
    if (w->row == KEDGE_NO_WORD)
        return;
    table_topics(q, w);
    table_near(w);
    table_anchor(q, w);
}

static void print_table(const asked *q)
{
    const kedge_word_answer *w;

    for (uint64_t i = 0; (w = kedge_words_get(q->answer, i)) != NULL; i++) {
        if (i > 0)
            putchar('\n');
        table_word(q, w);
    }
}

/* ---- JSON ---------------------------------------------------------------- */

static void json_topics(jsonout *j, const asked *q, const kedge_word_answer *w)
{
    json_key_begin(j, "topics", '[');
    for (uint64_t i = 0; i < kedge_model_topics(model(q)); i++) {
        const kedge_word_topic *const t = &w->topics[i];

        json_begin(j, '{');
        json_fields(j, "kedge_word_topic", t, PART(0));
        json_key_text(j, "label", kedge_model_label(model(q), t->topic));
        json_key_text(j, "anchor", anchor_of(q, t->topic));
        json_fields(j, "kedge_word_topic", t, PART(1));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_model(jsonout *j, const asked *q, const kedge_word_answer *w)
{
    json_key_begin(j, "model", '{');
    json_fields(j, ANSWER, w, PART(2));
    json_topics(j, q, w);
    json_array(j, "near", "kedge_word_near", w->near, w->near_count);
    json_key_begin(j, "anchor", '{');
    json_fields(j, ANSWER, w,
                PART(3) | (w->anchor_topic != KEDGE_NO_TOPIC ? PART(4) : 0) |
                    (w->rank > 0 ? PART(5) : 0));
    json_close(j, '}');
    json_close(j, '}');
}

static void json_word(jsonout *j, const asked *q, const kedge_word_answer *w)
{
    json_begin(j, '{');
    json_fields(j, ANSWER, w, PART(0));
    json_key_bool(j, "known", is_known(w));
    json_fields(j, ANSWER, w, PART(1));
    json_key_begin(j, "spellings", '[');
    for (uint64_t i = 0; i < w->spelling_count; i++)
        json_text(j, w->spellings[i]);
    json_close(j, ']');
    if (w->row != KEDGE_NO_WORD)
        json_model(j, q, w);
    json_close(j, '}');
}

static void print_json(const asked *q)
{
    jsonout j = json_document(stdout, 3);
    const kedge_word_answer *w;

    json_key_count(&j, "version", JSON_VERSION);
    json_key_text(&j, "model", kedge_model_name(model(q)));
    json_key_text(&j, "space",
                  kedge_words_rectified(q->answer) ? "rectified" : "model");
    json_key_count(&j, "anchor_min_df", kedge_words_anchor_floor(q->answer));
    json_key_count(&j, "candidates", kedge_words_candidates(q->answer));
    json_key_bool(&j, "banned", kedge_words_banned(q->answer) != 0);
    json_key_begin(&j, "words", '[');
    for (uint64_t i = 0; (w = kedge_words_get(q->answer, i)) != NULL; i++)
        json_word(&j, q, w);
    json_close(&j, ']');
    json_finish(&j);
}

/* ---- the command --------------------------------------------------------- */

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    asked *const q = data;

    return kedge_words_ask(store, q->job.rest, q->job.rest_count, &q->opts,
                           control, &q->answer, err);
}

static int run(void *data)
{
    asked *const q = data;
    const kedge_word_answer *w;
    int code = job_work(&q->job);

    if (code != EXIT_OK)
        return code;
    if (q->job.format == SUMMARY_JSON)
        print_json(q);
    else
        print_table(q);
    for (uint64_t i = 0; (w = kedge_words_get(q->answer, i)) != NULL; i++)
        if (!is_known(w))
            code = EXIT_FAILED;
    return code;
}

static void end(void *data)
{
    kedge_words_free(((asked *)data)->answer);
}

const command command_word = {
    .name = "word",
    .group = GROUP_LOOK,
    .summary = "explain words",
    .operands = "STORE WORD...",
    .least = 2,
    .most = SIZE_MAX,
    .purpose =
        "Shows how often each word occurs, its topics with p(topic|word) and "
        "p(word|topic), the words most similar to it, and whether it is an "
        "anchor or came near to it. Similar words co-occur with the same "
        "others: the cosine of their rows of the rectified co-occurrence "
        "(after fit --save-spectrum), else of the model's. The table shows "
        "topics of at least 1 %. An unknown word gives words that are spelt "
        "like it, and exit code 1.",
    .examples = "  kedge word news minister\n"
                "  kedge word news film cinema -n 20\n",
    .options = options,
    .size = sizeof(asked),
    .begin = begin,
    .run = run,
    .mode = KEDGE_OPEN_READ,
    .work = work,
    .end = end,
};
