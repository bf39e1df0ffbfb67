/* SPDX-License-Identifier: MIT */
/* kedge word: what words mean to a model. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "figures.h"
#include "jsonout.h"
#include "options.h"
#include "plaintext.h"
#include "task.h"

enum { FORMAT_TABLE, FORMAT_JSON };
enum { COLUMN = 14, FIGURES = 33, NAME_LEAST = 12 };
enum { JSON_VERSION = 1 };

#define SHARE_LEAST 0.01 /* of a topic that the table shows */

typedef struct asked {
    kedge_word_opts opts;
    unsigned format;
    common common;
    char *const *texts;
    size_t count;
    kedge_words_answer *answer;
} asked;

static int read_line(asked *q, arguments *a, int argc, char **argv)
{
    const option options[] = {
        {.name = "model", .kind = OPTION_TEXT, .value = &q->opts.model,
         .argument = "NAME", .unset = "the one fitted last",
         .help = "Which model; kedge info lists them."},
        {.name = "words", .letter = 'n', .kind = OPTION_COUNT,
         .value = &q->opts.near, .argument = "N", .most = 1000,
         .help = "Words that are like each, at most."},
        {.name = "format", .kind = OPTION_CHOICE, .value = &q->format,
         .argument = "table|json", .help = "What to print."},
    };

    a->options = options;
    a->count = sizeof options / sizeof *options;
    return options_read(a, argc, argv);
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

static flow begin_line(const char *label)
{
    printf("  %-*s", COLUMN - 2, label);
    return (flow){.out = stdout, .indent = COLUMN, .width = text_flow(stdout),
                  .column = COLUMN};
}

static void put_line(const char *label, const char *text)
{
    flow f = begin_line(label);

    flow_text(&f, text);
    flow_end(&f);
}

static void table_counts(const asked *q, const kedge_word_answer *w)
{
    char line[200];
    figure f[2];

    snprintf(line, sizeof line, "%s %s in %s %s",
             figure_count(&f[0], w->tf), figure_noun(w->tf, "time", "times"),
             figure_count(&f[1], w->df),
             figure_noun(w->df, "document", "documents"));
    if (w->df > 0)
        put_line("occurs:", line);
    if (w->row == KEDGE_NO_WORD) {
        snprintf(line, sizeof line, "not a word of model %.64s",
                 kedge_model_name(model(q)));
        put_line("", line);
    } else if (w->model_tf != w->tf || w->model_df != w->df) {
        snprintf(line, sizeof line, "%s %s in %s when model %.64s was fitted",
                 figure_count(&f[0], w->model_tf),
                 figure_noun(w->model_tf, "time", "times"),
                 figure_count(&f[1], w->model_df),
                 kedge_model_name(model(q)));
        put_line(w->df > 0 ? "" : "occurs:", line);
    }
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
    printf("%5s  %11s  %11s\n", "topic", "p(t|word)", "p(word|t)");
    for (uint64_t i = 0; i < count; i++) {
        const kedge_word_topic *const t = &w->topics[i];
        const char *const name = kedge_model_topic_name(model(q), t->topic);

        if (i > 0 && !(t->share >= SHARE_LEAST))
            break;
        printf("%*s%5" PRIu64 "  %9.1f %%  %11.6f  ", indent, "",
               t->topic + 1, 100 * t->share, t->probability);
        text_put(stdout, name[0] != '\0' ? name : anchor_of(q, t->topic),
                 room);
        putchar('\n');
    }
}

/* Whether all are as like, to three digits: with few topics they may be. */
static bool is_even(const kedge_word_answer *w)
{
    const double most = w->near[0].likeness;
    const double least = w->near[w->near_count - 1].likeness;

    return (int)(1000 * most + 0.5) == (int)(1000 * least + 0.5);
}

static void table_near(const kedge_word_answer *w)
{
    char cosine[24];
    bool even;
    flow f;

    if (w->near_count == 0)
        return;
    even = is_even(w);
    f = begin_line("like it:");
    for (uint64_t i = 0; i < w->near_count; i++) {
        snprintf(cosine, sizeof cosine, "%.3f%s", w->near[i].likeness,
                 i + 1 < w->near_count ? "," : "");
        flow_word(&f, w->near[i].word);
        if (!even)
            flow_word(&f, cosine);
    }
    snprintf(cosine, sizeof cosine, "(%.3f each)", w->near[0].likeness);
    if (even)
        flow_text(&f, cosine);
    flow_end(&f);
}

/* How near it came, of a word that is no anchor. */
static void table_standing(const asked *q, const kedge_word_answer *w)
{
    char line[400];
    figure f[2];

    if (w->rank == 0 || w->anchor == KEDGE_WORD_ANCHOR)
        return;
    snprintf(line, sizeof line,
             "nearest when %.100s was chosen (topic %" PRIu64 "): number %s of "
             "%s, standing out %.0f %% as far",
             anchor_of(q, w->anchor_topic), w->anchor_topic + 1,
             figure_count(&f[0], w->rank),
             figure_count(&f[1], kedge_words_candidates(q->answer)),
             100 * w->stands_out);
    put_line("", line);
}

static void table_anchor(const asked *q, const kedge_word_answer *w)
{
    char line[200];
    figure f[2];

    switch (w->anchor) {
    case KEDGE_WORD_ANCHOR:
        snprintf(line, sizeof line, "it is the anchor of topic %" PRIu64,
                 w->anchor_topic + 1);
        break;
    case KEDGE_WORD_CANDIDATE:
        snprintf(line, sizeof line, "it could be one%s",
                 kedge_words_banned(q->answer)
                     ? ", unless --anchor-ban had it"
                     : "");
        break;
    case KEDGE_WORD_RARE:
        snprintf(line, sizeof line,
                 "it cannot be: in %s %s, below the floor of %s "
                 "(--anchor-min-df)",
                 figure_count(&f[0], w->model_df),
                 figure_noun(w->model_df, "document", "documents"),
                 figure_count(&f[1], kedge_words_anchor_floor(q->answer)));
        break;
    default:
        snprintf(line, sizeof line, "it cannot be: it goes with no other "
                 "words");
        break;
    }
    put_line("anchor:", line);
    table_standing(q, w);
}

static void table_unknown(const kedge_word_answer *w)
{
    flow f;

    if (w->word[0] == '\0') {
        put_line("", "nothing is left of it where texts are cut into words: a "
                     "stop word, too short, or no letters ('kedge info' tells "
                     "how the store cuts)");
        return;
    }
    put_line("", "no document of the store has it");
    if (w->spelling_count == 0)
        return;
    f = begin_line("spelt like:");
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
    json_key(j, "topics");
    json_begin(j, '[');
    for (uint64_t i = 0; i < kedge_model_topics(model(q)); i++) {
        const kedge_word_topic *const t = &w->topics[i];

        json_begin(j, '{');
        json_key_count(j, "topic", t->topic + 1);
        json_key_text(j, "name", kedge_model_topic_name(model(q), t->topic));
        json_key_text(j, "anchor", anchor_of(q, t->topic));
        json_key_real(j, "share", t->share);
        json_key_real(j, "probability", t->probability);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_near(jsonout *j, const kedge_word_answer *w)
{
    json_key(j, "near");
    json_begin(j, '[');
    for (uint64_t i = 0; i < w->near_count; i++) {
        json_begin(j, '{');
        json_key_text(j, "word", w->near[i].word);
        json_key_real(j, "likeness", w->near[i].likeness);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_anchor(jsonout *j, const kedge_word_answer *w)
{
    static const char *const state[] = {
        [KEDGE_WORD_ANCHOR] = "anchor",
        [KEDGE_WORD_CANDIDATE] = "candidate",
        [KEDGE_WORD_RARE] = "rare",
        [KEDGE_WORD_ALONE] = "alone",
    };

    json_key(j, "anchor");
    json_begin(j, '{');
    json_key_text(j, "state", state[w->anchor]);
    if (w->anchor_topic != KEDGE_NO_TOPIC)
        json_key_count(j, "topic", w->anchor_topic + 1);
    if (w->rank > 0) {
        json_key_real(j, "stands_out", w->stands_out);
        json_key_count(j, "rank", w->rank);
    }
    json_close(j, '}');
}

static void json_model(jsonout *j, const asked *q, const kedge_word_answer *w)
{
    json_key(j, "model");
    json_begin(j, '{');
    json_key_count(j, "tf", w->model_tf);
    json_key_count(j, "df", w->model_df);
    json_key_real(j, "probability", w->probability);
    json_topics(j, q, w);
    json_near(j, w);
    json_anchor(j, w);
    json_close(j, '}');
}

static void json_word(jsonout *j, const asked *q, const kedge_word_answer *w)
{
    json_begin(j, '{');
    json_key_text(j, "asked", w->asked);
    json_key_text(j, "word", w->word);
    json_key_bool(j, "known", is_known(w));
    json_key_count(j, "tf", w->tf);
    json_key_count(j, "df", w->df);
    json_key(j, "spellings");
    json_begin(j, '[');
    for (uint64_t i = 0; i < w->spelling_count; i++)
        json_text(j, w->spellings[i]);
    json_close(j, ']');
    if (w->row != KEDGE_NO_WORD)
        json_model(j, q, w);
    json_close(j, '}');
}

static void print_json(const asked *q)
{
    jsonout j = {.out = stdout, .lines = 3};
    const kedge_word_answer *w;

    json_begin(&j, '{');
    json_key_text(&j, "kedge", kedge_version());
    json_key_count(&j, "version", JSON_VERSION);
    json_key_text(&j, "model", kedge_model_name(model(q)));
    json_key_text(&j, "space",
                  kedge_words_rectified(q->answer) ? "rectified" : "model");
    json_key_count(&j, "anchor_min_df", kedge_words_anchor_floor(q->answer));
    json_key_count(&j, "candidates", kedge_words_candidates(q->answer));
    json_key_bool(&j, "banned", kedge_words_banned(q->answer) != 0);
    json_key(&j, "words");
    json_begin(&j, '[');
    for (uint64_t i = 0; (w = kedge_words_get(q->answer, i)) != NULL; i++)
        json_word(&j, q, w);
    json_close(&j, ']');
    json_close(&j, '}');
    json_end(&j);
}

/* ---- the command --------------------------------------------------------- */

static kedge_status ask(void *data, kedge_store *store,
                        const kedge_control *control, kedge_error *err)
{
    asked *const q = data;

    return kedge_words_ask(store, (const char *const *)q->texts, q->count,
                           &q->opts, control, &q->answer, err);
}

static int tell(const asked *q)
{
    const kedge_word_answer *w;
    uint64_t unknown = 0;

    if (q->format == FORMAT_JSON)
        print_json(q);
    else
        print_table(q);
    for (uint64_t i = 0; (w = kedge_words_get(q->answer, i)) != NULL; i++)
        unknown += !is_known(w);
    return unknown > 0 ? EXIT_FAILED : EXIT_OK;
}

static int word_run(const command *self, int argc, char **argv)
{
    asked q = {0};
    arguments a = {.self = self, .common = &q.common};
    kedge_error err = {0};
    kedge_status st;
    int code;

    common_init(&q.common);
    kedge_word_opts_init(&q.opts);
    code = read_line(&q, &a, argc, argv);
    if (code != GO_ON)
        return code;
    q.texts = a.operands + 1;
    q.count = a.operand_count - 1;
    st = task_run(a.operands[0], KEDGE_OPEN_READ, &q.common, ask, &q, &err);
    code = st == KEDGE_OK ? tell(&q) : complain_status(st, &err);
    kedge_words_free(q.answer);
    return code;
}

const command command_word = {
    .name = "word",
    .summary = "tell what words mean to a model",
    .operands = "STORE WORD...",
    .least = 2,
    .most = SIZE_MAX,
    .purpose =
        "Tells of each word how often it occurs, its topics, p(topic|word) and "
        "p(word|topic), the words that are most like it, and whether it is the "
        "anchor of a topic or could be.",
    .details =
        "A word that the store does not have as it is typed is cut as the "
        "store's texts were, so that case and endings do not matter, and may "
        "come to several words. Two words are alike (1 at most) when they go "
        "together with others in the same way: the cosine of their rows of the "
        "rectified co-occurrence where the model was fitted with "
        "--keep-spectrum, else of what the model makes of it. Anchors are "
        "chosen one after another, each the word that stands out farthest from "
        "those before, among words in enough documents; of another word the "
        "best place that it had is told, and how far it stood out then, where "
        "anchors were chosen in the usual way (--anchors qr).",
    .output =
        "On standard output. The table shows topics of 1 % and more; json has "
        "all of them, by falling share, and a version, which is 1: space is "
        "rectified or model, likeness the cosine, and a word that is not in "
        "the model has no member model. json is stable, the table is not. A "
        "word that no document has is answered with those that are spelt like "
        "it, and exit code 1.",
    .examples = "  kedge word news minister\n"
                "  kedge word news --model k50 film films cinema -n 20\n"
                "  kedge word news minister --format json\n",
    .run = word_run,
};
