/* SPDX-License-Identifier: MIT */
/* kedge diff: what moved between two models. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "figures.h"
#include "jsonout.h"
#include "options.h"
#include "plaintext.h"
#include "task.h"

enum { FORMAT_TABLE, FORMAT_TSV, FORMAT_JSON };
enum { COLUMN = 14, FIGURES_COLUMN = 20 };

typedef struct diff {
    kedge_diff_opts opts;
    unsigned format;
    common common;
    char *const *models; /* their names */
    kedge_model *before, *after;
    kedge_diff_result result;
} diff;

static int read_line(diff *d, arguments *a, int argc, char **argv)
{
    const option options[] = {
        {.name = "words", .letter = 'n', .kind = OPTION_COUNT,
         .value = &d->opts.words, .argument = "N", .least = 1, .most = 1000,
         .help = "Words of each list at most."},
        {.name = "format", .kind = OPTION_CHOICE, .value = &d->format,
         .argument = "table|tsv|json", .help = "What to print."},
    };

    a->options = options;
    a->count = sizeof options / sizeof *options;
    return options_read(a, argc, argv);
}

static bool is_pair(const kedge_diff_topic *t)
{
    return t->before != KEDGE_NO_TOPIC && t->after != KEDGE_NO_TOPIC;
}

/* The text of whichever model has the topic, the later one first. */
static const char *either(const char *before, const char *after)
{
    return after != NULL && after[0] != '\0' ? after
           : before != NULL                  ? before
                                             : "";
}

/* ---- the table ----------------------------------------------------------- */

static void table_line(const char *label, const char *text)
{
    printf("  %-*s", COLUMN - 2, label);
    text_put(stdout, text, text_flow(stdout) - COLUMN);
    putchar('\n');
}

static void table_words(const char *label, const kedge_diff_word *words,
                        uint64_t count)
{
    flow f = {.out = stdout, .indent = COLUMN, .width = text_flow(stdout),
              .column = COLUMN};

    if (count == 0)
        return;
    printf("  %-*s", COLUMN - 2, label);
    for (uint64_t i = 0; i < count; i++)
        flow_word(&f, words[i].word);
    flow_end(&f);
}

static void table_name(const kedge_diff_topic *t)
{
    const char *const name = either(t->name_before, t->name_after);

    if (name[0] != '\0')
        table_line("name:", name);
}

/* "crane", or "crane -> quay". */
static void table_anchors(const kedge_diff_topic *t)
{
    const kedge_diff_word both[] = {{.word = t->anchor_before},
                                    {.word = "->"},
                                    {.word = t->anchor_after}};

    if (strcmp(t->anchor_before, t->anchor_after) == 0)
        table_line("anchor:", t->anchor_before);
    else
        table_words("anchor:", both, 3);
}

/* The end of a topic's first line, of which `used` columns are put. */
static void table_figures(int used, const char *text)
{
    flow f = {.out = stdout, .indent = COLUMN, .width = text_flow(stdout),
              .column = used};

    while (f.column < FIGURES_COLUMN || f.column == used)
        f.column += printf(" ");
    flow_text(&f, text);
    flow_end(&f);
}

static void table_pair(const kedge_diff_topic *t)
{
    int used = printf("topic %" PRIu64, t->before + 1);
    char text[96];

    if (t->after != t->before)
        used += printf(" -> %" PRIu64, t->after + 1);
    snprintf(text, sizeof text, "distance %.3f, share %.1f %% -> %.1f %%",
             t->distance, 100 * t->share_before, 100 * t->share_after);
    table_figures(used, text);
    table_name(t);
    table_anchors(t);
    table_words("gained:", t->gained, t->gained_count);
    table_words("lost:", t->lost, t->lost_count);
}

static void table_single(const kedge_diff_topic *t)
{
    const bool came = t->before == KEDGE_NO_TOPIC;
    const int used = printf("topic %" PRIu64 " %s",
                            (came ? t->after : t->before) + 1,
                            came ? "came" : "went");
    char text[96];

    snprintf(text, sizeof text, "nearest %.3f, share %.1f %%", t->distance,
             100 * (came ? t->share_after : t->share_before));
    table_figures(used, text);
    table_name(t);
    table_line("anchor:", came ? t->anchor_after : t->anchor_before);
    if (came)
        table_words("probable:", t->gained, t->gained_count);
    else
        table_words("probable:", t->lost, t->lost_count);
}

static void table_model(const char *label, const kedge_model *m)
{
    flow f = {.out = stdout, .indent = 8, .width = text_flow(stdout)};
    char text[80];

    f.column = printf("%s", label);
    f.column += text_put(stdout, kedge_model_name(m), 40);
    snprintf(text, sizeof text, ": %" PRIu64 " topics over %" PRIu64 " words",
             kedge_model_topics(m), kedge_model_words(m));
    flow_text(&f, text);
    flow_end(&f);
}

static void print_table(const diff *d)
{
    const kedge_diff_result *const r = &d->result;
    flow f = {.out = stdout, .width = text_flow(stdout)};
    char mean[48], text[160];

    table_model("before  ", d->before);
    table_model("after   ", d->after);
    snprintf(mean, sizeof mean, ", mean distance %.3f", r->mean_distance);
    snprintf(text, sizeof text,
             "%" PRIu64 " %s found again%s; %" PRIu64 " came, %" PRIu64
             " went", r->matched, figure_noun(r->matched, "topic", "topics"),
             r->matched > 0 ? mean : "", r->came, r->gone);
    flow_text(&f, text);
    flow_end(&f);
    for (uint64_t i = 0; i < r->count; i++) {
        const kedge_diff_topic *const t = &r->topics[i];

        putchar('\n');
        if (is_pair(t))
            table_pair(t);
        else
            table_single(t);
    }
}

/* ---- tab-separated values ------------------------------------------------ */

static void tsv_number(uint64_t topic)
{
    if (topic != KEDGE_NO_TOPIC)
        printf("%" PRIu64, topic + 1);
    putchar('\t');
}

static void tsv_text(const char *text)
{
    text_put(stdout, text != NULL ? text : "", TEXT_WHOLE);
    putchar('\t');
}

static void tsv_real(double x, bool there)
{
    jsonout j = {.out = stdout};

    if (there)
        json_real(&j, x);
    putchar('\t');
}

static void tsv_words(const kedge_diff_word *words, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0)
            putchar(' ');
        text_put(stdout, words[i].word, TEXT_WHOLE);
    }
}

static void print_tsv(const diff *d)
{
    puts("before\tafter\tdistance\tshare_before\tshare_after\tanchor_before\t"
         "anchor_after\tname_before\tname_after\tgained\tlost");
    for (uint64_t i = 0; i < d->result.count; i++) {
        const kedge_diff_topic *const t = &d->result.topics[i];

        tsv_number(t->before);
        tsv_number(t->after);
        tsv_real(t->distance, true);
        tsv_real(t->share_before, t->before != KEDGE_NO_TOPIC);
        tsv_real(t->share_after, t->after != KEDGE_NO_TOPIC);
        tsv_text(t->anchor_before);
        tsv_text(t->anchor_after);
        tsv_text(t->name_before);
        tsv_text(t->name_after);
        tsv_words(t->gained, t->gained_count);
        putchar('\t');
        tsv_words(t->lost, t->lost_count);
        putchar('\n');
    }
}

/* ---- JSON ---------------------------------------------------------------- */

static void json_words(jsonout *j, const char *key,
                       const kedge_diff_word *words, uint64_t count)
{
    json_key(j, key);
    json_begin(j, '[');
    for (uint64_t i = 0; i < count; i++) {
        json_begin(j, '{');
        json_key_text(j, "word", words[i].word);
        json_key_real(j, "before", words[i].before);
        json_key_real(j, "after", words[i].after);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_side(jsonout *j, bool later, const kedge_diff_topic *t)
{
    json_begin(j, '{');
    json_key_count(j, "topic", (later ? t->after : t->before) + 1);
    json_key_text(j, "name", later ? t->name_after : t->name_before);
    json_key_real(j, "share", later ? t->share_after : t->share_before);
    json_key_text(j, "anchor", later ? t->anchor_after : t->anchor_before);
    json_close(j, '}');
}

static void json_topic(jsonout *j, const kedge_diff_topic *t)
{
    json_begin(j, '{');
    if (t->before != KEDGE_NO_TOPIC) {
        json_key(j, "before");
        json_side(j, false, t);
    }
    if (t->after != KEDGE_NO_TOPIC) {
        json_key(j, "after");
        json_side(j, true, t);
    }
    json_key_real(j, is_pair(t) ? "distance" : "nearest", t->distance);
    if (t->after != KEDGE_NO_TOPIC)
        json_words(j, "gained", t->gained, t->gained_count);
    if (t->before != KEDGE_NO_TOPIC)
        json_words(j, "lost", t->lost, t->lost_count);
    json_close(j, '}');
}

static void json_model(jsonout *j, const char *key, const kedge_model *m)
{
    json_key(j, key);
    json_begin(j, '{');
    json_key_text(j, "model", kedge_model_name(m));
    json_key_count(j, "topics", kedge_model_topics(m));
    json_key_count(j, "words", kedge_model_words(m));
    json_close(j, '}');
}

/* `from` is the first of `count` topics of one kind. */
static void json_topics(jsonout *j, const char *key,
                        const kedge_diff_topic *from, uint64_t count)
{
    json_key(j, key);
    json_begin(j, '[');
    for (uint64_t i = 0; i < count; i++)
        json_topic(j, &from[i]);
    json_close(j, ']');
}

static void print_json(const diff *d)
{
    const kedge_diff_result *const r = &d->result;
    jsonout j = {.out = stdout, .lines = 2};

    json_begin(&j, '{');
    json_key_text(&j, "kedge", kedge_version());
    json_model(&j, "before", d->before);
    json_model(&j, "after", d->after);
    json_key_count(&j, "matched", r->matched);
    json_key_real(&j, "mean_distance",
                  r->matched > 0 ? r->mean_distance : NAN);
    json_topics(&j, "topics", r->topics, r->matched);
    json_topics(&j, "gone", r->topics + r->matched, r->gone);
    json_topics(&j, "came", r->topics + r->matched + r->gone, r->came);
    json_close(&j, '}');
    json_end(&j);
}

/* ---- the command --------------------------------------------------------- */

static void print(const diff *d)
{
    switch (d->format) {
    case FORMAT_TSV:
        print_tsv(d);
        break;
    case FORMAT_JSON:
        print_json(d);
        break;
    default:
        print_table(d);
        break;
    }
}

static kedge_status compare(void *data, kedge_store *store,
                            const kedge_control *control, kedge_error *err)
{
    diff *const d = data;
    kedge_control left = *control; /* beside the first of them */
    kedge_status st;
    uint64_t taken;

    st = kedge_model_load(store, d->models[0], control, &d->before, err);
    taken = kedge_model_memory(d->before);
    left.memory -= taken < left.memory ? taken : left.memory - 1;
    if (st == KEDGE_OK)
        st = kedge_model_load(store, d->models[1], &left, &d->after, err);
    if (st == KEDGE_OK)
        st = kedge_diff(d->before, d->after, &d->opts, control, &d->result,
                        err);
    return st;
}

static int diff_run(const command *self, int argc, char **argv)
{
    diff d = {0};
    arguments a = {.self = self, .common = &d.common};
    kedge_error err = {0};
    kedge_status st;
    int code;

    common_init(&d.common);
    kedge_diff_opts_init(&d.opts);
    code = read_line(&d, &a, argc, argv);
    if (code != GO_ON)
        return code;
    d.models = a.operands + 1;
    st = task_run(a.operands[0], KEDGE_OPEN_READ, &d.common, compare, &d,
                  &err);
    if (st == KEDGE_OK)
        print(&d);
    kedge_diff_free(&d.result);
    kedge_model_free(d.before);
    kedge_model_free(d.after);
    return complain_status(st, &err);
}

const command command_diff = {
    .name = "diff",
    .summary = "show what moved between two models",
    .operands = "STORE MODEL1 MODEL2",
    .least = 3,
    .most = 3,
    .purpose =
        "Finds the topics of one model in another, whatever their numbers: "
        "first by the same anchor, then so that the distances add up to the "
        "least. The distance is half the sum of the differences of "
        "p(word|topic), 0 for the same topic and 1 for two without a word in "
        "common; topics farther apart than 0.7 are not the same, and one went "
        "and another came.",
    .output =
        "On standard output, for each topic found again: how far it is from "
        "what it was, its share and anchor before and after, and the words "
        "that gained and lost most; then the topics that went and those that "
        "came, with their most probable words and the distance of the nearest "
        "topic in the other model. tsv has a line per topic and a header; in "
        "json, topics has the pairs, gone and came the others; before and "
        "after hold topic, name, share and anchor; mean_distance is null "
        "where no topic was found again. tsv and json are stable, "
        "the table is not. Words and names are exact in tsv: a spreadsheet "
        "must read them as text, or it runs one that begins with = as a "
        "formula.",
    .examples =
        "  kedge fit news -k 50 --model june --like may\n"
        "  kedge diff news may june\n"
        "  kedge diff news k50 k100 --format json\n",
    .run = diff_run,
};
