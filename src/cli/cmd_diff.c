/* SPDX-License-Identifier: MIT */
/* kedge diff: what moved between two models. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <kedge/kedge.h>

#include "command.h"
#include "plaintext.h"

enum { COLUMN = 15, FIGURES_COLUMN = 20 };

#define TOPIC "kedge_diff_topic"
#define WORD  "kedge_diff_word"

typedef struct diff {
    job job;
    kedge_diff_opts opts;
    kedge_model *before, *after;
    kedge_diff_result result;
} diff;

#define AT(member) offsetof(diff, member)

static const option options[] = {
    OPTION(COUNT, "words", AT(opts.words), "N", "words of each list",
           .letter = 'n', .least = 1, .most = 1000, .main = true),
    OPTION_FORMAT("table|tsv|json"),
    {.name = NULL},
};

static void begin(void *data)
{
    kedge_diff_opts_init(&((diff *)data)->opts);
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

static void table_words(const char *label, const kedge_diff_word *words,
                        uint64_t count)
{
    flow f;

    if (count == 0)
        return;
    f = flow_beside(stdout, label, COLUMN);
    for (uint64_t i = 0; i < count; i++)
        flow_word(&f, words[i].word);
    flow_end(&f);
}

static void table_label(const kedge_diff_topic *t)
{
    const char *const label = either(t->label_before, t->label_after);

    if (label[0] != '\0')
        flow_line(stdout, "label:", COLUMN, "%s", label);
}

/* "crane", or "crane -> quay". */
static void table_anchors(const kedge_diff_topic *t)
{
    const kedge_diff_word both[] = {{.word = t->anchor_before},
                                    {.word = "->"},
                                    {.word = t->anchor_after}};
    const bool same = strcmp(t->anchor_before, t->anchor_after) == 0;

    table_words("anchor:", both, same ? 1 : 3);
}

/* The end of a topic's first line, of which `used` columns are put. */
static flow table_figures(int used)
{
    flow f = {.out = stdout, .indent = COLUMN, .width = text_flow(stdout),
              .column = used};

    while (f.column < FIGURES_COLUMN || f.column == used)
        f.column += printf(" ");
    return f;
}

static void table_pair(const kedge_diff_topic *t)
{
    int used = printf("topic %" PRIu64, t->before + 1);
    flow f;

    if (t->after != t->before)
        used += printf(" -> %" PRIu64, t->after + 1);
    f = table_figures(used);
    flow_print(&f, "distance %.3f, prevalence %.1f %% -> %.1f %%", t->distance,
               100 * t->prevalence_before, 100 * t->prevalence_after);
    flow_end(&f);
    table_label(t);
    table_anchors(t);
    table_words("gained:", t->gained, t->gained_count);
    table_words("lost:", t->lost, t->lost_count);
}

static void table_single(const kedge_diff_topic *t)
{
    const bool came = t->before == KEDGE_NO_TOPIC;
    flow f = table_figures(printf("topic %" PRIu64 " %s",
                                  (came ? t->after : t->before) + 1,
                                  came ? "new" : "lost"));

    flow_print(&f, "nearest %.3f, prevalence %.1f %%", t->distance,
               100 * (came ? t->prevalence_after : t->prevalence_before));
    flow_end(&f);
    table_label(t);
    flow_line(stdout, "anchor:", COLUMN, "%s",
              came ? t->anchor_after : t->anchor_before);
    table_words("probability:", came ? t->gained : t->lost,
                came ? t->gained_count : t->lost_count);
}

static void table_model(const char *label, const kedge_model *m)
{
    flow f = {.out = stdout, .indent = 8, .width = text_flow(stdout)};

    f.column = printf("%s", label);
    f.column += text_put(stdout, kedge_model_name(m), 40);
    flow_print(&f, ": %" PRIu64 " topics over %" PRIu64 " words",
               kedge_model_topics(m), kedge_model_words(m));
    flow_end(&f);
}

static void print_table(const diff *d)
{
    const kedge_diff_result *const r = &d->result;
    flow f = {.out = stdout, .width = text_flow(stdout)};
    char mean[48];

    table_model("before  ", d->before);
    table_model("after   ", d->after);
    snprintf(mean, sizeof mean, ", mean distance %.3f", r->mean_distance);
    flow_print(&f,
               "%" PRIu64 " %s found again%s; %" PRIu64 " new, %" PRIu64
               " lost", r->matched, figure_noun(r->matched, "topic", "topics"),
               r->matched > 0 ? mean : "", r->added, r->lost);
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

/* ---- for programs -------------------------------------------------------- */

static void tsv_words(const kedge_diff_word *words, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        putchar(i > 0 ? ' ' : '\t');
        text_put(stdout, words[i].word, TEXT_WHOLE);
    }
    if (count == 0)
        putchar('\t');
}

static void print_tsv(const diff *d)
{
    tsv_head(TOPIC, PART(0));
    puts("\tgained\tlost");
    for (uint64_t i = 0; i < d->result.count; i++) {
        kedge_diff_topic t = d->result.topics[i];

        if (t.before == KEDGE_NO_TOPIC)
            t.prevalence_before = NAN;
        if (t.after == KEDGE_NO_TOPIC)
            t.prevalence_after = NAN;
        tsv_fields(TOPIC, &t, PART(0));
        tsv_words(t.gained, t.gained_count);
        tsv_words(t.lost, t.lost_count);
        putchar('\n');
    }
}

/* One of the two topics of a pair. */
static void json_side(jsonout *j, const char *key, const kedge_diff_topic *t,
                      unsigned part)
{
    json_key_begin(j, key, '{');
    json_fields(j, TOPIC, t, part);
    json_close(j, '}');
}

static void json_topic(jsonout *j, const kedge_diff_topic *t)
{
    json_begin(j, '{');
    if (t->before != KEDGE_NO_TOPIC)
        json_side(j, "before", t, PART(1));
    if (t->after != KEDGE_NO_TOPIC)
        json_side(j, "after", t, PART(2));
    json_key_real(j, is_pair(t) ? "distance" : "nearest", t->distance);
    if (t->after != KEDGE_NO_TOPIC)
        json_array(j, "gained", WORD, t->gained, t->gained_count);
    if (t->before != KEDGE_NO_TOPIC)
        json_array(j, "lost", WORD, t->lost, t->lost_count);
    json_close(j, '}');
}

static void json_model(jsonout *j, const char *key, const kedge_model *m)
{
    json_key_begin(j, key, '{');
    json_key_text(j, "model", kedge_model_name(m));
    json_key_count(j, "topics", kedge_model_topics(m));
    json_key_count(j, "words", kedge_model_words(m));
    json_close(j, '}');
}

/* `from` is the first of `count` topics of one kind. */
static void json_topics(jsonout *j, const char *key,
                        const kedge_diff_topic *from, uint64_t count)
{
    json_key_begin(j, key, '[');
    for (uint64_t i = 0; i < count; i++)
        json_topic(j, &from[i]);
    json_close(j, ']');
}

static void print_json(const diff *d)
{
    const kedge_diff_result *const r = &d->result;
    jsonout j = json_document(stdout, 2);

    json_model(&j, "before", d->before);
    json_model(&j, "after", d->after);
    json_key_count(&j, "matched", r->matched);
    json_key_real(&j, "mean_distance",
                  r->matched > 0 ? r->mean_distance : NAN);
    json_topics(&j, "topics", r->topics, r->matched);
    json_topics(&j, "lost", r->topics + r->matched, r->lost);
    json_topics(&j, "added", r->topics + r->matched + r->lost, r->added);
    json_finish(&j);
}

/* ---- the command --------------------------------------------------------- */

static void tell(void *data)
{
    static void (*const print[])(const diff *) = {print_table, print_tsv,
                                                  print_json};
    const diff *const d = data;

    print[d->job.format](d);
}

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    diff *const d = data;
    kedge_control left = *control; /* beside the first of them */
    kedge_status st;
    uint64_t taken;

    st = kedge_model_load(store, d->job.rest[0], control, &d->before, err);
    taken = kedge_model_memory(d->before);
    left.memory -= taken < left.memory ? taken : left.memory - 1;
    if (st == KEDGE_OK)
        st = kedge_model_load(store, d->job.rest[1], &left, &d->after, err);
    if (st == KEDGE_OK)
        st = kedge_diff(d->before, d->after, &d->opts, control, &d->result,
                        err);
    return st;
}

static void end(void *data)
{
    diff *const d = data;

    kedge_diff_free(&d->result);
    kedge_model_free(d->before);
    kedge_model_free(d->after);
}

const command command_diff = {
    .name = "diff",
    .group = GROUP_LOOK,
    .summary = "compare two models",
    .operands = "STORE MODEL1 MODEL2",
    .least = 3,
    .most = 3,
    .purpose =
        "Matches the topics of one model to those of another: by the same "
        "anchor first, then by the smallest total distance. The distance is "
        "the total variation of p(word|topic), 0 for equal topics and 1 for "
        "topics without a common word; above 0.7 topics do not match. Shows "
        "for each pair the prevalence, the anchor and the words that gained "
        "and lost most, then the topics that are only in one model. Words "
        "below a fifth of the topic's largest probability, and changes by less "
        "than a quarter, are left out: another seed changes as much.",
    .examples = "  kedge diff news may june\n"
                "  kedge diff news k50 k100 --format json\n",
    .see = "files",
    .options = options,
    .size = sizeof(diff),
    .begin = begin,
    .mode = KEDGE_OPEN_READ,
    .work = work,
    .tell = tell,
    .end = end,
};
