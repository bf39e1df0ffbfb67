/* SPDX-License-Identifier: MIT */
#include "measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <kedge/kedge.h>

#include "plaintext.h"
#include "table.h"
#include "task.h"

enum { ABREAST = TABLE_COLUMNS - 2, INDENT = 4, NAME_COLUMNS = 13 };

/* ---- options ------------------------------------------------------------- */

void measuring_init(measuring *m)
{
    kedge_eval_opts_init(&m->opts);
    m->rank = m->statistic = 0;
}

void measuring_options(measuring *m, option *out)
{
    kedge_eval_opts *const o = &m->opts;
    const option list[MEASURING_OPTIONS] = {
        {.name = "top", .letter = 'n', .kind = OPTION_COUNT, .value = &o->top,
         .argument = "N", .least = 2, .most = KEDGE_EVAL_TOP_MOST,
         .help = "First words of a topic that are looked at; the first ten of "
                 "them for npmi, c_v and coverage."},
        {.name = "rank", .kind = OPTION_CHOICE, .value = &m->rank,
         .argument = "probability|relevance|weighted",
         .help = "What makes a word one of the first: p(word|topic), as in "
                 "the papers; relevance, by which 'topics' shows them; or "
                 "p(word|topic) times the words' weights."},
        {.name = "held-out", .kind = OPTION_REAL, .value = &o->held_out,
         .argument = "SHARE", .to = 1,
         .help = "Share of the documents that words are held out of, for "
                 "held_out_likelihood. 0: none."},
        {.name = "labels", .kind = OPTION_TEXT, .value = &o->labels,
         .argument = "FILE", .unset = "those that documents came with",
         .help = "Classes of documents, for clustering_accuracy and nmi: a "
                 "class a line, for the documents in the order of 'kedge cat', "
                 "or an id as it has them, a tab and a class."},
        {.name = "statistic", .kind = OPTION_CHOICE, .value = &m->statistic,
         .argument = "model|joint|log|sqrt",
         .help = "The co-occurrence C that the model is held against: its own, "
                 "or one of these; joint is that of the papers."},
        {.name = "probes", .kind = OPTION_COUNT, .value = &o->probes,
         .argument = "P", .least = 64, .most = KEDGE_EVAL_PROBES_MOST,
         .multiple = 64,
         .unset = "1024 for up to 16,000 words, fewer for more",
         .help = "Columns of C, a multiple of 64, by which |C - B A B'| and "
                 "recovery are estimated: four times as many halve the error."},
        {.name = "seed", .kind = OPTION_COUNT, .value = &o->seed,
         .argument = "S", .least = 1, .most = UINT64_MAX,
         .help = "Of these columns, and of all else that is drawn."},
    };

    memcpy(out, list, sizeof list);
}

void measuring_finish(measuring *m)
{
    static const kedge_rank rank[] = {KEDGE_RANK_PROBABILITY,
                                      KEDGE_RANK_RELEVANCE,
                                      KEDGE_RANK_WEIGHTED};
    static const char *const statistic[] = {NULL, "joint", "log", "sqrt"};

    m->opts.rank = rank[m->rank];
    m->opts.statistic = statistic[m->statistic];
}

/* ---- the table ----------------------------------------------------------- */

const char *measure_figure(figure *out, double value)
{
    if (isnan(value))
        return "-";
    if (fabs(value) < 1e9 && value == (double)(int64_t)value) {
        snprintf(out->text, sizeof out->text, "%.0f", value);
        return out->text;
    }
    if (fabs(value) >= 1000)
        snprintf(out->text, sizeof out->text, "%.1f", value);
    else if (fabs(value) >= 1e-4)
        snprintf(out->text, sizeof out->text, "%.4g", value);
    else
        snprintf(out->text, sizeof out->text, "%.2e", value);
    return out->text;
}

static const char *better(const kedge_measure_info *info)
{
    return info->better > 0 ? "larger" : info->better < 0 ? "smaller" : "";
}

static void table_part(const kedge_eval_result *r, size_t count)
{
    table t = {.columns = 2 + count};
    const char *cell[TABLE_COLUMNS] = {"", "better"};
    figure f[ABREAST];

    for (size_t i = 0; i < count; i++) {
        cell[2 + i] = r[i].model;
        t.most[2 + i] = NAME_COLUMNS;
    }
    table_add(&t, cell);
    for (int m = 0; m < KEDGE_MEASURES; m++) {
        const kedge_measure_info *const info =
            kedge_measure_get((kedge_measure)m);
        cell[0] = info->key;
        cell[1] = better(info);
        for (size_t i = 0; i < count; i++)
            cell[2 + i] = measure_figure(&f[i], r[i].value[m]);
        table_add(&t, cell);
    }
    table_print(&t, stdout);
    table_free(&t);
}

/* Models whose own statistics are others than what they are held against. */
static void table_others(const kedge_eval_result *results, size_t count)
{
    flow f = {.out = stdout, .indent = 2, .width = text_flow(stdout)};
    size_t others = 0;

    for (size_t i = 0; i < count; i++) {
        if (results[i].of_model)
            continue;
        if (others++ == 0)
            f.column = printf("Fitted of something else: ");
        flow_word(&f, results[i].model);
    }
    if (others > 0)
        flow_end(&f);
}

static void say(const char *text)
{
    flow f = {.out = stdout, .width = text_flow(stdout)};

    flow_text(&f, text);
    flow_end(&f);
}

static void table_about(const kedge_eval_result *r)
{
    char text[200];
    figure f, g;

    snprintf(text, sizeof text,
             "C is the %s statistic, without words' weights, of %s of %s "
             "documents.", r->statistic, figure_count(&f, r->counted),
             figure_count(&g, r->documents));
    say(text);
    snprintf(text, sizeof text, "%s tokens of %s documents were held out.",
             figure_count(&f, r->held_out_tokens),
             figure_count(&g, r->held_out_documents));
    if (r->held_out_documents > 0)
        say(text);
    snprintf(text, sizeof text, "%s documents of %s classes were clustered.",
             figure_count(&f, r->labelled), figure_count(&g, r->classes));
    if (r->labelled > 0)
        say(text);
}

void measures_table(const kedge_eval_result *results, size_t count)
{
    for (size_t at = 0; at < count; at += ABREAST) {
        table_part(results + at, count - at < ABREAST ? count - at : ABREAST);
        putchar('\n');
    }
    table_about(results);
    table_others(results, count);
}

/* ---- for programs -------------------------------------------------------- */

void measures_tsv(const kedge_eval_result *results, size_t count)
{
    printf("measure\tbetter");
    for (size_t i = 0; i < count; i++) {
        putchar('\t');
        text_put(stdout, results[i].model, TEXT_WHOLE);
    }
    putchar('\n');
    for (int m = 0; m < KEDGE_MEASURES; m++) {
        const kedge_measure_info *const info =
            kedge_measure_get((kedge_measure)m);
        printf("%s\t%d", info->key, info->better);
        for (size_t i = 0; i < count; i++) {
            jsonout j = {.out = stdout};
            putchar('\t');
            if (!isnan(results[i].value[m]))
                json_real(&j, results[i].value[m]);
        }
        putchar('\n');
    }
}

void measures_json(jsonout *j, const kedge_eval_result *r)
{
    json_key_text(j, "model", r->model);
    json_key_count(j, "topics", r->topics);
    json_key_count(j, "words", r->words);
    json_key_text(j, "statistic", r->statistic);
    json_key_bool(j, "of_model", r->of_model);
    json_key_count(j, "documents", r->documents);
    json_key_count(j, "counted", r->counted);
    json_key_count(j, "held_out_documents", r->held_out_documents);
    json_key_count(j, "held_out_tokens", r->held_out_tokens);
    json_key_count(j, "probes", r->probes);
    json_key_count(j, "labelled", r->labelled);
    json_key_count(j, "classes", r->classes);
    json_key(j, "measures");
    json_begin(j, '{');
    for (int m = 0; m < KEDGE_MEASURES; m++)
        json_key_real(j, kedge_measure_get((kedge_measure)m)->key,
                      r->value[m]);
    json_close(j, '}');
}

/* ---- what they are ------------------------------------------------------- */

static void explain_text(const char *text)
{
    flow f = {.out = stdout, .indent = INDENT, .width = text_flow(stdout),
              .column = INDENT};

    text_pad(stdout, INDENT);
    flow_text(&f, text);
    flow_end(&f);
}

void measures_explain(void)
{
    const char *group = "";

    for (int m = 0; m < KEDGE_MEASURES; m++) {
        const kedge_measure_info *const info =
            kedge_measure_get((kedge_measure)m);
        if (strcmp(group, info->group) != 0)
            printf("\n%s\n", info->group);
        group = info->group;
        printf("\n  %s%s%s%s\n", info->key,
               info->better == 0 ? "" : " (", better(info),
               info->better == 0 ? "" : " is better)");
        explain_text(info->formula);
        explain_text(info->paper);
    }
}

void measures_explain_json(void)
{
    jsonout j;

    summary_open(&j, 2);
    json_key(&j, "measures");
    json_begin(&j, '[');
    for (int m = 0; m < KEDGE_MEASURES; m++) {
        const kedge_measure_info *const info =
            kedge_measure_get((kedge_measure)m);
        json_begin(&j, '{');
        json_key_text(&j, "measure", info->key);
        json_key_text(&j, "group", info->group);
        json_key_text(&j, "better", better(info));
        json_key_text(&j, "formula", info->formula);
        json_key_text(&j, "paper", info->paper);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    json_end(&j);
}
