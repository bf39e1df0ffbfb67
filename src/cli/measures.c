/* SPDX-License-Identifier: MIT */
#include "measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <kedge/kedge.h>

#include "plaintext.h"

enum { ABREAST = 6, INDENT = 4, NAME_COLUMNS = 13 };
enum { HEIGHT = 8, MARGIN = 12, ROOM_MOST = 128 }; /* of curves */

#define RESULT "kedge_eval_result"

/* ---- options ------------------------------------------------------------- */

#define AT(member) offsetof(measuring, member)

const option measuring_options[] = {
    OPTION(COUNT, "top", AT(opts.top), "N", "words of each topic to measure",
           .letter = 'n', .least = 2, .most = KEDGE_EVAL_TOP_MOST,
           .main = true),
    OPTION(CHOICE, "rank", AT(rank), "RANK", "ranking of the words",
           .choices = "relevance|probability|weighted", .main = true),
    OPTION(REAL, "completion", AT(opts.completion), "SHARE",
           "share of documents for document completion", .to = 1),
    OPTION(TEXT, "labels", AT(opts.labels), "FILE",
           "classes, one per line, or id, tab, class",
           .unset = "stored", .main = true),
    OPTION(CHOICE, "tf", AT(statistic), "TF", "C to compare with",
           .choices = "model|raw|log|sqrt"),
    OPTION(COUNT, "probes", AT(opts.probes), "P",
           "columns of C for estimates", .least = 64,
           .most = KEDGE_EVAL_PROBES_MOST, .multiple = 64,
           .unset = "by words, up to 1024"),
    OPTION(COUNT, "seed", AT(opts.seed), "S", "of all random choices",
           .least = 1, .most = UINT64_MAX),
    {.name = NULL},
};

void measuring_begin(measuring *m)
{
    kedge_eval_opts_init(&m->opts);
}

void measuring_take(measuring *m)
{
    static const kedge_rank rank[] = {KEDGE_RANK_RELEVANCE,
                                      KEDGE_RANK_PROBABILITY,
                                      KEDGE_RANK_WEIGHTED};
    static const char *const statistic[] = {NULL, "raw", "log", "sqrt"};

    m->opts.rank = rank[m->rank];
    m->opts.tf = statistic[m->statistic];
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
            f.column = printf("Fitted to something else: ");
        flow_word(&f, results[i].model);
    }
    if (others > 0)
        flow_end(&f);
}

void measures_table(const kedge_eval_result *results, size_t count)
{
    for (size_t at = 0; at < count; at += ABREAST) {
        table_part(results + at, count - at < ABREAST ? count - at : ABREAST);
        putchar('\n');
    }
    summary_fields(stdout, RESULT, results, ALL_PARTS);
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
            putchar('\t');
            tsv_real(results[i].value[m]);
        }
        putchar('\n');
    }
}

void measures_json(jsonout *j, const kedge_eval_result *r)
{
    json_fields(j, RESULT, r, ALL_PARTS);
    json_key_begin(j, "measures", '{');
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

void measures_explain_json(jsonout *j)
{
    json_key_begin(j, "measures", '[');
    for (int m = 0; m < KEDGE_MEASURES; m++) {
        const kedge_measure_info *const info =
            kedge_measure_get((kedge_measure)m);
        json_begin(j, '{');
        json_fields(j, "kedge_measure_info", info, PART(0));
        json_key_text(j, "better", better(info));
        json_fields(j, "kedge_measure_info", info, PART(1));
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* ---- curves -------------------------------------------------------------- */

/* The least and the largest; false where there are not two points. */
static int bounds(const double *y, size_t count, double *least, double *most)
{
    size_t points = 0;

    *least = INFINITY;
    *most = -INFINITY;
    for (size_t i = 0; i < count; i++)
        if (isfinite(y[i])) {
            *least = y[i] < *least ? y[i] : *least;
            *most = y[i] > *most ? y[i] : *most;
            points++;
        }
    return points >= 2;
}

/* Where point i stands; points are four places apart, or closer, or several in
 * one. */
static size_t column_of(size_t i, size_t count, size_t room)
{
    const size_t apart = count * 4 <= room ? 4 : room / count;

    return apart > 0 ? i * apart : i * room / count;
}

static void print_axis(FILE *out, const uint64_t *x, size_t count,
                       size_t room)
{
    size_t at = 0;

    fprintf(out, "%*s", MARGIN + 2, "");
    for (size_t i = 0; i < count; i++) {
        const size_t to = column_of(i, count, room);
        char text[24];
        const size_t size =
            (size_t)snprintf(text, sizeof text, "%" PRIu64, x[i]);
        if ((i > 0 && to < at + 1) || to + size > room)
            continue;
        fprintf(out, "%*s%s", (int)(to - at), "", text);
        at = to + size;
    }
    putc('\n', out);
}

void curve_print(FILE *out, const char *title, const uint64_t *x,
                 const double *y, size_t count)
{
    const int columns = text_flow(out) - MARGIN - 2;
    const size_t room = columns < ROOM_MOST ? (size_t)columns : ROOM_MOST;
    double least, most;

    if (!bounds(y, count, &least, &most))
        return;
    fprintf(out, "\n%s\n", title);
    for (int line = HEIGHT - 1; line >= 0; line--) {
        char text[ROOM_MOST + 1];
        size_t end = 0;
        figure f;
        memset(text, ' ', room);
        for (size_t i = 0; i < count; i++) {
            const double share =
                most > least ? (y[i] - least) / (most - least) : 0;
            const size_t at = column_of(i, count, room);
            if (!isfinite(y[i]) || at >= room ||
                (int)(share * (HEIGHT - 1) + 0.5) != line)
                continue;
            text[at] = '*';
            end = at + 1;
        }
        text[end] = '\0';
        fprintf(out, "%*s |%s\n", MARGIN,
                line == HEIGHT - 1 ? measure_figure(&f, most)
                : line == 0        ? measure_figure(&f, least)
                                   : "",
                text);
    }
    print_axis(out, x, count, room);
}
