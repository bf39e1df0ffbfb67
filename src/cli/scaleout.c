/* SPDX-License-Identifier: MIT */
/* Tables and JSON of what 'kedge bench scale' measured. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include <kedge/kedge.h>

#include "figures.h"
#include "plaintext.h"
#include "scaling.h"
#include "table.h"
#include "task.h"

enum { FORMAT_VERSION = 1 };

static uint64_t value_of(const scale *s, size_t i)
{
    scale_run run = s->run[i];

    return *scale_value(&run, s->axis);
}

static double quantity_of(const scale_run *run, stage t, quantity q)
{
    switch (q) {
    case PROCESSOR:
        return run->stage[t].processor;
    case MEMORY:
        return (double)run->stage[t].memory;
    case STORE:
        return (double)run->store;
    case SECONDS:
    case QUANTITIES:
        break;
    }
    return run->stage[t].seconds;
}

/* ---- growth -------------------------------------------------------------- */

/* Parts of fit are no processes, and the store is of all stages. */
static bool is_measured(stage t, quantity q)
{
    const bool part = t >= STAGE_SPECTRUM && t <= STAGE_TOPICS;

    if (q == STORE)
        return t == STAGE_INGEST;
    return q == SECONDS ? t != STAGE_CORPUS : !part;
}

typedef struct grown {
    double all, last; /* the exponent, and that of the two largest */
    foretold foretold;
} grown;

/* How large a run was for a stage. Words that do not occur have room in the
 * sketch and are no part of a model. */
static double size_of(const scale *s, size_t i, stage t, quantity q)
{
    if (s->axis == AXIS_VOCABULARY && t >= STAGE_FIT && q != STORE)
        return (double)s->run[i].words;
    return (double)value_of(s, i);
}

static grown grown_by(const scale *s, stage t, quantity q)
{
    double x[COUNTS_MOST], y[COUNTS_MOST];
    const size_t last = s->count > 2 ? s->count - 2 : 0;

    for (size_t i = 0; i < s->count; i++) {
        x[i] = size_of(s, i, t, q);
        y[i] = quantity_of(&s->run[i], t, q);
    }
    return (grown){growth_exponent(x, y, s->count),
                   growth_exponent(x + last, y + last, s->count - last),
                   growth_foretold(s->axis, t, q)};
}

/* ---- tables -------------------------------------------------------------- */

static const char *seconds_figure(figure *f, double seconds)
{
    snprintf(f->text, sizeof f->text, "%.2f", seconds);
    return f->text;
}

static const char *share_figure(figure *f, double share)
{
    snprintf(f->text, sizeof f->text, "%.1f %%", 100 * share);
    return f->text;
}

static const char *exponent_figure(figure *f, double e)
{
    if (isnan(e))
        snprintf(f->text, sizeof f->text, "-");
    else
        snprintf(f->text, sizeof f->text, "%.2f", e);
    return f->text;
}

static const char *foretold_figure(figure *f, foretold r)
{
    if (r.least == r.most)
        snprintf(f->text, sizeof f->text, "%g", r.most);
    else
        snprintf(f->text, sizeof f->text, "%g to %g", r.least, r.most);
    return f->text;
}

/* Of a quantity, a column for each stage of a list; as shares of the sum of
 * processes' where `shares`. */
typedef struct columns {
    const char *title;
    quantity quantity;
    bool shares, with_store;
    size_t count;
    stage stage[TABLE_COLUMNS];
} columns;

static double all_seconds(const scale_run *run)
{
    return run->stage[STAGE_INGEST].seconds + run->stage[STAGE_FIT].seconds +
           run->stage[STAGE_INFER].seconds;
}

static const char *cell_figure(figure *f, const scale_run *run,
                               const columns *c, stage t)
{
    const double y = quantity_of(run, t, c->quantity);

    if (c->shares)
        return share_figure(f, y / all_seconds(run));
    if (c->quantity == MEMORY)
        return figure_memory(f, (uint64_t)y);
    return seconds_figure(f, y);
}

static void print_columns(const scale *s, const columns *c)
{
    table t = {.columns = 1 + c->count + c->with_store};
    const char *cell[TABLE_COLUMNS];
    figure f[TABLE_COLUMNS];

    printf("%s\n", c->title);
    cell[0] = axis_names[s->axis];
    for (size_t k = 0; k < c->count; k++)
        cell[1 + k] = stage_names[c->stage[k]];
    if (c->with_store)
        cell[1 + c->count] = "store";
    table_add(&t, cell);
    for (size_t i = 0; i < s->count; i++) {
        cell[0] = figure_count(&f[0], value_of(s, i));
        for (size_t k = 0; k < c->count; k++)
            cell[1 + k] = cell_figure(&f[1 + k], &s->run[i], c, c->stage[k]);
        if (c->with_store)
            cell[1 + c->count] =
                figure_bytes(&f[1 + c->count], s->run[i].store);
        table_add(&t, cell);
    }
    table_print(&t, stdout);
    table_free(&t);
    putchar('\n');
}

static void print_growth(const scale *s)
{
    table t = {.columns = 5};
    const char *cell[5] = {"exponents", "quantity", "all", "two largest",
                           "foretold"};
    figure f[3];

    table_add(&t, cell);
    for (int i = 0; i < STAGES; i++)
        for (int q = 0; q < QUANTITIES; q++) {
            const grown g = grown_by(s, (stage)i, (quantity)q);
            if (!is_measured((stage)i, (quantity)q))
                continue;
            cell[0] = q == STORE ? "all" : stage_names[i];
            cell[1] = quantity_names[q];
            cell[2] = exponent_figure(&f[0], g.all);
            cell[3] = exponent_figure(&f[1], g.last);
            cell[4] = foretold_figure(&f[2], g.foretold);
            table_add(&t, cell);
        }
    table_print(&t, stdout);
    table_free(&t);
}

static void print_fixed(const scale *s)
{
    const scale_run *const run = &s->run[s->count - 1];
    flow f = {.out = stdout, .width = text_flow(stdout)};
    figure g[7];
    char text[400];

    snprintf(text, sizeof text,
             "The largest: %s documents with %s tokens and %s non-zeros, %s "
             "words of which %s occur, %s topics, a sketch of %s columns, "
             "%" PRIu64 " %s.",
             figure_count(&g[0], run->documents),
             figure_count(&g[1], run->tokens),
             figure_count(&g[2], run->nonzeros),
             figure_count(&g[3], run->vocabulary),
             figure_count(&g[4], run->words), figure_count(&g[5], run->topics),
             figure_count(&g[6], run->width), run->threads,
             figure_noun(run->threads, "thread", "threads"));
    flow_text(&f, text);
    flow_end(&f);
    putchar('\n');
}

void scale_print_table(const scale *s)
{
    static const columns all[] = {
        {.title = "seconds; spectrum, rectify and topics are parts of fit",
         .quantity = SECONDS, .count = 6,
         .stage = {STAGE_INGEST, STAGE_FIT, STAGE_SPECTRUM, STAGE_RECTIFY,
                   STAGE_TOPICS, STAGE_INFER}},
        {.title = "their shares", .quantity = SECONDS, .shares = true,
         .count = 6,
         .stage = {STAGE_INGEST, STAGE_FIT, STAGE_SPECTRUM, STAGE_RECTIFY,
                   STAGE_TOPICS, STAGE_INFER}},
        {.title = "seconds of all processors; corpus is what made the "
                  "documents while ingest read them",
         .quantity = PROCESSOR, .count = 4,
         .stage = {STAGE_CORPUS, STAGE_INGEST, STAGE_FIT, STAGE_INFER}},
        {.title = "memory at its peak, and bytes on the disk",
         .quantity = MEMORY, .with_store = true, .count = 4,
         .stage = {STAGE_CORPUS, STAGE_INGEST, STAGE_FIT, STAGE_INFER}},
    };

    print_fixed(s);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        print_columns(s, &all[i]);
    print_growth(s);
}

/* ---- JSON ---------------------------------------------------------------- */

static void json_stages(jsonout *j, const scale_run *run)
{
    json_key(j, "stages");
    json_begin(j, '[');
    for (int i = 0; i < STAGES; i++) {
        const cost *const c = &run->stage[i];
        json_begin(j, '{');
        json_key_text(j, "stage", stage_names[i]);
        json_key_real(j, "seconds", c->seconds);
        if (is_measured((stage)i, MEMORY)) {
            json_key_real(j, "processor", c->processor);
            json_key_count(j, "memory", c->memory);
        }
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_runs(jsonout *j, const scale *s)
{
    json_key(j, "runs");
    json_begin(j, '[');
    for (size_t i = 0; i < s->count; i++) {
        const scale_run *const run = &s->run[i];
        json_begin(j, '{');
        json_key_count(j, "documents", run->documents);
        json_key_count(j, "vocabulary", run->vocabulary);
        json_key_count(j, "topics", run->topics);
        json_key_count(j, "width", run->width);
        json_key_count(j, "threads", run->threads);
        json_key_count(j, "tokens", run->tokens);
        json_key_count(j, "nonzeros", run->nonzeros);
        json_key_count(j, "words", run->words);
        json_key_count(j, "rounds", run->rounds);
        json_key_count(j, "store", run->store);
        json_stages(j, run);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_growth(jsonout *j, const scale *s)
{
    json_key(j, "growth");
    json_begin(j, '[');
    for (int i = 0; i < STAGES; i++)
        for (int q = 0; q < QUANTITIES; q++) {
            const grown g = grown_by(s, (stage)i, (quantity)q);
            if (!is_measured((stage)i, (quantity)q))
                continue;
            json_begin(j, '{');
            json_key_text(j, "stage", q == STORE ? "all" : stage_names[i]);
            json_key_text(j, "quantity", quantity_names[q]);
            json_key_real(j, "exponent", g.all);
            json_key_real(j, "exponent_of_largest", g.last);
            json_key_real(j, "foretold_least", g.foretold.least);
            json_key_real(j, "foretold_most", g.foretold.most);
            json_close(j, '}');
        }
    json_close(j, ']');
}

void scale_print_json(const scale *s)
{
    const benching *const b = s->asked;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    jsonout j;

    summary_open(&j, 3);
    json_key_count(&j, "bench_scale", FORMAT_VERSION);
    json_key_text(&j, "axis", axis_names[s->axis]);
    json_key_text(&j, "shape", b->shape == KEDGE_SHAPE_PUBMED ? "pubmed"
                                                              : "nytimes");
    json_key_count(&j, "seed", b->seed);
    json_key_count(&j, "memory", b->common.memory);
    json_key_count(&j, "processors", processors > 0 ? (uint64_t)processors : 0);
    json_runs(&j, s);
    json_growth(&j, s);
    json_close(&j, '}');
    json_end(&j);
}
