/* SPDX-License-Identifier: MIT */
/* kedge sweep: how many topics. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "curve.h"
#include "figures.h"
#include "measures.h"
#include "options.h"
#include "plaintext.h"
#include "table.h"
#include "task.h"
#include "ways.h"
#include "wordchoice.h"

enum { FORMAT_TABLE, FORMAT_TSV, FORMAT_JSON };
enum { OWN_OPTIONS = 4, TOPICS_MOST = 2000 };

typedef struct sweep {
    const char *store; /* its path */
    kedge_sweep_opts opts;
    measuring measuring;
    const char *range;
    uint64_t topics[KEDGE_EVAL_MODELS_MOST];
    size_t count;
    unsigned format;
    ways ways;
    wordchoice words;
    common common;
    kedge_sweep_result result;
} sweep;

static size_t own_options(sweep *s, option *out)
{
    const option list[OWN_OPTIONS] = {
        {.name = "topics", .letter = 'k', .kind = OPTION_TEXT,
         .value = &s->range, .argument = "A:B[:S]|K,K...",
         .help = "Numbers of topics: from A to B in steps of S, or of one; or "
                 "a list that rises. From 2 to 2000, and 64 of them at most."},
        {.name = "model", .kind = OPTION_TEXT, .value = &s->opts.fit.name,
         .argument = "NAME",
         .help = "What models are called, with -k<K> appended; those of these "
                 "names are replaced."},
        {.name = "discard", .kind = OPTION_FLAG, .value = &s->opts.discard,
         .help = "No model stays in the store. There must be none of such a "
                 "name before."},
        {.name = "format", .kind = OPTION_CHOICE, .value = &s->format,
         .argument = "table|tsv|json", .help = "What to print."},
    };

    memcpy(out, list, sizeof list);
    return OWN_OPTIONS;
}

static int read_line(sweep *s, arguments *a, int argc, char **argv)
{
    option options[OWN_OPTIONS + WORDCHOICE_OPTIONS + WAYS_OPTIONS +
                   MEASURING_OPTIONS];
    size_t count = own_options(s, options);

    count += wordchoice_options(&s->words, &s->opts.fit, options + count);
    count += ways_options(&s->ways, &s->opts.fit, options + count);
    measuring_options(&s->measuring, options + count);
    a->options = options;
    a->count = count + MEASURING_OPTIONS;
    return options_read(a, argc, argv);
}

/* ---- numbers of topics --------------------------------------------------- */

/* Reads a number of topics and moves on; 0: there is none. */
static uint64_t read_number(const char **text)
{
    uint64_t n = 0;

    while (**text >= '0' && **text <= '9' && n <= TOPICS_MOST)
        n = 10 * n + (uint64_t)(*(*text)++ - '0');
    return n >= 2 && n <= TOPICS_MOST ? n : 0;
}

static bool add_number(sweep *s, uint64_t n)
{
    if (n == 0 || s->count == KEDGE_EVAL_MODELS_MOST ||
        (s->count > 0 && n <= s->topics[s->count - 1]))
        return false;
    s->topics[s->count++] = n;
    return true;
}

/* "5:100:5" after its first number. */
static bool read_steps(sweep *s, const char *text)
{
    const uint64_t from = s->topics[0];
    uint64_t to, step = 1;

    text++;
    to = read_number(&text);
    if (*text == ':') {
        char *end;
        step = strtoull(text + 1, &end, 10);
        if (text[1] < '0' || text[1] > '9' || step == 0 || step > TOPICS_MOST)
            return false;
        text = end;
    }
    if (*text != '\0' || to < from)
        return false;
    for (uint64_t n = from + step; n <= to; n += step)
        if (!add_number(s, n))
            return false;
    return true;
}

static bool read_range(sweep *s)
{
    const char *text = s->range;

    if (!add_number(s, read_number(&text)))
        return false;
    if (*text == ':')
        return read_steps(s, text);
    while (*text == ',') {
        text++;
        if (!add_number(s, read_number(&text)))
            return false;
    }
    return *text == '\0';
}

/* ---- the table ----------------------------------------------------------- */

static const kedge_measure shown[] = {
    KEDGE_MEASURE_RELATIVE_APPROXIMATION, KEDGE_MEASURE_NPMI,
    KEDGE_MEASURE_COVERAGE, KEDGE_MEASURE_UNIQUE_WORDS,
    KEDGE_MEASURE_HELD_OUT_LIKELIHOOD};

enum { SHOWN = sizeof shown / sizeof *shown };

static void print_rows(const sweep *s)
{
    table t = {.columns = 3 + SHOWN};
    const char *cell[3 + SHOWN] = {"topics", "gap", "anchors", "approx.",
                                   "npmi", "coverage", "unique", "held out"};
    figure f[3 + SHOWN];

    table_add(&t, cell);
    for (size_t i = 0; i < s->count; i++) {
        const kedge_sweep_step *const step = &s->result.steps[i];
        cell[0] = figure_count(&f[0], s->topics[i]);
        cell[1] = measure_figure(&f[1], step->gap);
        cell[2] = measure_figure(&f[2], step->residual_drop);
        for (size_t c = 0; c < SHOWN; c++)
            cell[3 + c] = measure_figure(&f[3 + c],
                                         step->eval.value[shown[c]]);
        table_add(&t, cell);
    }
    table_print(&t, stdout);
    table_free(&t);
}

static void print_curve(const sweep *s, kedge_measure m)
{
    const kedge_measure_info *const info = kedge_measure_get(m);
    double y[KEDGE_EVAL_MODELS_MOST];
    char title[96];

    for (size_t i = 0; i < s->count; i++)
        y[i] = s->result.steps[i].eval.value[m];
    snprintf(title, sizeof title, "%s (%s is better)", info->key,
             info->better > 0 ? "larger" : "smaller");
    curve_print(stdout, title, s->topics, y, s->count);
}

static void print_candidates(const sweep *s)
{
    const kedge_sweep_result *const r = &s->result;

    puts("\ncandidates");
    for (uint64_t i = 0; i < r->candidates; i++) {
        const kedge_sweep_candidate *const c = &r->candidate[i];
        flow f = {.out = stdout, .indent = 8, .width = text_flow(stdout)};
        figure g;
        char text[192];
        f.column = printf("  %4" PRIu64 "  ", s->topics[c->step]);
        snprintf(text, sizeof text, "%s: %s (%s)", c->by, c->reason,
                 measure_figure(&g, c->figure));
        flow_text(&f, text);
        flow_end(&f);
    }
    if (r->candidates == 0)
        puts("  none stands out");
}

/* The model that most candidates name, of those the one whose first words
 * belong together best; without candidates of all. */
static size_t sweep_best(const sweep *s)
{
    const kedge_sweep_result *const r = &s->result;
    size_t votes[KEDGE_EVAL_MODELS_MOST] = {0}, best = 0;

    for (uint64_t i = 0; i < r->candidates; i++)
        votes[r->candidate[i].step]++;
    for (size_t i = 1; i < s->count; i++) {
        const double *const a = r->steps[i].eval.value,
                     *const b = r->steps[best].eval.value;
        if (votes[i] > votes[best] ||
            (votes[i] == votes[best] &&
             a[KEDGE_MEASURE_NPMI] > b[KEDGE_MEASURE_NPMI]))
            best = i;
    }
    return best;
}

static void print_next(const sweep *s)
{
    const size_t best = sweep_best(s);

    if (s->opts.discard)
        printf("\nnext: kedge fit %s -k %" PRIu64 "\n", s->store,
               s->topics[best]);
    else
        printf("\nnext: kedge topics %s --model %s\n", s->store,
               s->result.steps[best].fit.model);
}

static void print_table(const sweep *s)
{
    flow f = {.out = stdout, .width = text_flow(stdout)};

    print_rows(s);
    putchar('\n');
    flow_text(&f, "gap: the K-th eigenvalue of the statistics over the next. "
                  "anchors: how far the last anchor stands out beyond the "
                  "others, over the same of the next model. 'kedge eval "
                  "--explain' has the others.");
    flow_end(&f);
    print_curve(s, KEDGE_MEASURE_RELATIVE_APPROXIMATION);
    print_curve(s, KEDGE_MEASURE_NPMI);
    print_curve(s, KEDGE_MEASURE_HELD_OUT_LIKELIHOOD);
    print_candidates(s);
    print_next(s);
}

/* ---- for programs -------------------------------------------------------- */

static void tsv_real(double x)
{
    jsonout j = {.out = stdout};

    putchar('\t');
    if (isfinite(x))
        json_real(&j, x);
}

static void print_tsv(const sweep *s)
{
    printf("topics\tmodel\teigenvalue\tgap\tresidual\tresidual_drop");
    for (int m = 0; m < KEDGE_MEASURES; m++)
        printf("\t%s", kedge_measure_get((kedge_measure)m)->key);
    putchar('\n');
    for (size_t i = 0; i < s->count; i++) {
        const kedge_sweep_step *const step = &s->result.steps[i];
        printf("%" PRIu64 "\t", s->topics[i]);
        text_put(stdout, step->fit.model, TEXT_WHOLE);
        tsv_real(step->eigenvalue);
        tsv_real(step->gap);
        tsv_real(step->residual);
        tsv_real(step->residual_drop);
        for (int m = 0; m < KEDGE_MEASURES; m++)
            tsv_real(step->eval.value[m]);
        putchar('\n');
    }
}

static void json_reals(jsonout *j, const char *key, const double *x,
                       uint64_t count)
{
    json_key(j, key);
    json_begin(j, '[');
    for (uint64_t i = 0; i < count; i++)
        json_real(j, x[i]);
    json_close(j, ']');
}

static void json_steps(jsonout *j, const sweep *s)
{
    json_key(j, "models");
    json_begin(j, '[');
    for (size_t i = 0; i < s->count; i++) {
        const kedge_sweep_step *const step = &s->result.steps[i];
        json_begin(j, '{');
        json_key_real(j, "eigenvalue", step->eigenvalue);
        json_key_real(j, "gap", step->gap);
        json_key_real(j, "residual", step->residual);
        json_key_real(j, "residual_drop", step->residual_drop);
        measures_json(j, &step->eval);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void print_json(const sweep *s)
{
    const kedge_sweep_result *const r = &s->result;
    jsonout j;

    summary_open(&j, 4);
    json_steps(&j, s);
    json_reals(&j, "eigenvalues", r->eigenvalues, r->spectrum);
    json_key(&j, "candidates");
    json_begin(&j, '[');
    for (uint64_t i = 0; i < r->candidates; i++) {
        const kedge_sweep_candidate *const c = &r->candidate[i];
        json_begin(&j, '{');
        json_key_count(&j, "topics", s->topics[c->step]);
        json_key_text(&j, "by", c->by);
        json_key_text(&j, "reason", c->reason);
        json_key_real(&j, "figure", c->figure);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    json_end(&j);
}

/* ---- the command --------------------------------------------------------- */

static kedge_status sweep_store(void *data, kedge_store *store,
                                const kedge_control *control, kedge_error *err)
{
    sweep *const s = data;

    return kedge_sweep(store, &s->opts, control, &s->result, err);
}

static void print(const sweep *s)
{
    switch (s->format) {
    case FORMAT_TSV:
        print_tsv(s);
        break;
    case FORMAT_JSON:
        print_json(s);
        break;
    default:
        print_table(s);
        break;
    }
}

static int sweep_run(const command *self, int argc, char **argv)
{
    sweep s = {0};
    arguments a = {.self = self, .common = &s.common};
    kedge_error err = {0};
    kedge_status st;
    int code;

    common_init(&s.common);
    kedge_sweep_opts_init(&s.opts);
    s.opts.fit.name = "sweep";
    ways_init(&s.ways, &s.opts.fit);
    measuring_init(&s.measuring);
    code = read_line(&s, &a, argc, argv);
    if (code != GO_ON)
        return code;
    if (s.range == NULL)
        return complain_usage(self->name, "sweep needs numbers of topics, as "
                                          "in -k 5:100:5 or -k 10,20,50");
    if (!read_range(&s))
        return complain_usage(self->name,
                              "-k: '%.80s' is not 1 to %d rising numbers of "
                              "topics from 2 to %d, as in -k 5:100:5 or -k "
                              "10,20,50", s.range, KEDGE_EVAL_MODELS_MOST,
                              TOPICS_MOST);
    code = wordchoice_take(&s.words, self->name, &s.opts.fit);
    if (code != GO_ON)
        return code;
    ways_take(&s.ways, &s.opts.fit);
    measuring_finish(&s.measuring);
    s.opts.eval = s.measuring.opts;
    s.opts.topics = s.topics;
    s.opts.count = s.count;
    s.store = a.operands[0];
    st = task_run(a.operands[0], KEDGE_OPEN_WRITE, &s.common, sweep_store, &s,
                  &err);
    s.count = (size_t)s.result.count;
    if (st == KEDGE_OK)
        print(&s);
    kedge_sweep_free(&s.result);
    return complain_status(st, &err);
}

const command command_sweep = {
    .writes = true,
    .name = "sweep",
    .summary = "try several numbers of topics",
    .operands = "STORE",
    .least = 1,
    .most = 1,
    .purpose =
        "Fits a model for each of many numbers of topics from the one sketch, "
        "measures all of them in one pass over the stored documents, and names "
        "the numbers that stand out, each with its reason: by the gaps of the "
        "spectrum, by how far anchors stand out, by where the approximation "
        "bends, by how well unseen words are foretold, and by first words "
        "that belong together. They need not agree, and none of them is the "
        "right number; the last line is the command that shows the model that "
        "most of them name.",
    .details =
        "The models stay in the store, for 'kedge topics' and all others, "
        "until 'kedge forget' takes them out, unless --discard does. Which "
        "words topics are made of is a rule, as in 'kedge fit'. The steps to "
        "topics are taken in the ways of 'kedge fit', and measures are those "
        "of 'kedge eval': the options of both are here as well.",
    .output =
        "On standard output, a line for each number of topics, curves, and "
        "the candidates; tsv has all measures, a model a line, and json all "
        "there is: models, eigenvalues, candidates. "
        "tsv and json are stable, the table is not.",
    .examples =
        "  kedge sweep news -k 5:100:5\n"
        "  kedge sweep news -k 10,20,50,100 --format json\n"
        "  kedge topics news --model sweep-k20\n",
    .run = sweep_run,
};
