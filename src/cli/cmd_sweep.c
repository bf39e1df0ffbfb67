/* SPDX-License-Identifier: MIT */
/* kedge sweep: how many topics. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <kedge/kedge.h>

#include "command.h"
#include "fitting.h"
#include "measures.h"
#include "plaintext.h"

enum { TOPICS_MOST = 2000 };

#define STEP "kedge_sweep_step"

typedef struct sweep {
    job job;
    kedge_sweep_opts opts;
    fitting fitting;
    measuring measuring;
    const char *range;
    const char *wrong; /* with that, or NULL */
    uint64_t topics[KEDGE_EVAL_MODELS_MOST];
    size_t count;
    kedge_sweep_result result;
} sweep;

#define AT(member) offsetof(sweep, member)

static const option options[] = {
    SECTION("Sweep"),
    OPTION(TEXT, "topics", AT(range), "A:B[:S]",
           "from A to B in steps of S, or a list K,K,...", .letter = 'k',
           .main = true),
    OPTION(TEXT, "model", AT(fitting.opts.name), "NAME",
           "models are called NAME-k<K>", .main = true),
    OPTION(REAL, "held-out", AT(opts.held_out), "SHARE",
           "share of documents to hold out",
           .to = KEDGE_SWEEP_HELD_OUT_MOST, .main = true),
    OPTION(FLAG, "discard", AT(opts.discard), NULL,
           "do not store the models", .main = true),
    OPTION_FORMAT("table|tsv|json"),
    SECTION("As in kedge eval"),
    OPTIONS_ALSO(measuring_options, AT(measuring)),
    SECTION("As in kedge fit"),
    OPTIONS_ALSO(word_options, AT(fitting)),
    OPTIONS_ALSO(way_options, AT(fitting)),
    {.name = NULL},
};

static void begin(void *data)
{
    sweep *const s = data;

    kedge_sweep_opts_init(&s->opts);
    s->fitting.opts = s->opts.fit;
    s->fitting.opts.name = "sweep";
    measuring_begin(&s->measuring);
}

static bool again(void *data)
{
    sweep *const s = data;
    const kedge_preset preset = s->fitting.opts.preset;

    if (preset == KEDGE_PRESET_NONE)
        return false;
    *s = (sweep){.job = s->job};
    begin(s);
    fitting_preset(&s->fitting, preset);
    return true;
}

/* ---- numbers of topics --------------------------------------------------- */

/* Reads a number of topics and moves on; 0: there is none. */
static uint64_t read_number(sweep *s, const char **text)
{
    uint64_t n = 0;
    const char *const from = *text;

    while (**text >= '0' && **text <= '9' && n <= TOPICS_MOST)
        n = 10 * n + (uint64_t)(*(*text)++ - '0');
    if (*text > from && (n < 2 || n > TOPICS_MOST))
        s->wrong = "a model has 2 to 2000 topics";
    return n >= 2 && n <= TOPICS_MOST ? n : 0;
}

static bool add_number(sweep *s, uint64_t n)
{
    if (n == 0)
        return false;
    if (s->count == KEDGE_EVAL_MODELS_MOST)
        s->wrong = "a sweep fits 64 models at most";
    else if (s->count > 0 && n <= s->topics[s->count - 1])
        s->wrong = "numbers must increase";
    else
        s->topics[s->count++] = n;
    return s->wrong == NULL;
}

/* "5:100:5" after its first number. */
static bool read_steps(sweep *s, const char *text)
{
    const uint64_t from = s->topics[0];
    uint64_t to, step = 1;

    text++;
    to = read_number(s, &text);
    if (*text == ':') {
        char *end;
        step = strtoull(text + 1, &end, 10);
        if (text[1] < '0' || text[1] > '9' || step > TOPICS_MOST)
            return false;
        if (step == 0) {
            s->wrong = "the step must be at least 1";
            return false;
        }
        text = end;
    }
    if (*text == '\0' && to > 0 && to < from)
        s->wrong = "B is less than A";
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

    if (!add_number(s, read_number(s, &text)))
        return false;
    if (*text == ':')
        return read_steps(s, text);
    while (*text == ',') {
        text++;
        if (!add_number(s, read_number(s, &text)))
            return false;
    }
    return *text == '\0';
}

static int check(void *data)
{
    sweep *const s = data;

    if (s->range == NULL)
        return complain_usage("sweep", "sweep needs numbers of topics, as in "
                                       "-k 5:100:5 or -k 10,20,50");
    if (!read_range(s))
        return complain_usage("sweep",
                              "-k '%.80s': %s; write A:B:STEP or a list, as in "
                              "-k 5:100:5 or -k 10,20,50", s->range,
                              s->wrong != NULL ? s->wrong
                                               : "this is no range or list");
    fitting_take(&s->fitting);
    measuring_take(&s->measuring);
    s->opts.fit = s->fitting.opts;
    s->opts.eval = s->measuring.opts;
    s->opts.topics = s->topics;
    s->opts.count = s->count;
    return GO_ON;
}

/* ---- the table ----------------------------------------------------------- */

static const kedge_measure shown[] = {
    KEDGE_MEASURE_RELATIVE_ERROR, KEDGE_MEASURE_NPMI,
    KEDGE_MEASURE_DOCUMENT_COVERAGE, KEDGE_MEASURE_TOPIC_DIVERSITY};

enum { SHOWN = sizeof shown / sizeof *shown };

static bool has_held_out(const sweep *s)
{
    return s->result.held_out_documents > 0;
}

static void print_rows(const sweep *s)
{
    table t = {.columns = 3 + SHOWN + has_held_out(s)};
    const char *cell[4 + SHOWN] = {"topics", "eigengap", "anchor gap",
                                   "error", "npmi", "coverage", "diversity",
                                   "held-out"};
    figure f[4 + SHOWN];

    table_add(&t, cell);
    for (size_t i = 0; i < s->count; i++) {
        const kedge_sweep_step *const step = &s->result.steps[i];
        cell[0] = figure_count(&f[0], s->topics[i]);
        cell[1] = measure_figure(&f[1], step->eigengap);
        cell[2] = measure_figure(&f[2], step->anchor_gap);
        for (size_t c = 0; c < SHOWN; c++)
            cell[3 + c] = measure_figure(&f[3 + c],
                                         step->eval.value[shown[c]]);
        cell[3 + SHOWN] = measure_figure(&f[3 + SHOWN],
                                         step->held_out_log_likelihood);
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

static void print_held_out(const sweep *s)
{
    double y[KEDGE_EVAL_MODELS_MOST];

    for (size_t i = 0; i < s->count; i++)
        y[i] = s->result.steps[i].held_out_log_likelihood;
    curve_print(stdout, "held_out_log_likelihood (larger is better)",
                s->topics, y, s->count);
}

static void print_candidates(const sweep *s)
{
    const kedge_sweep_result *const r = &s->result;

    puts("\ncandidates");
    for (uint64_t i = 0; i < r->candidates; i++) {
        const kedge_sweep_candidate *const c = &r->candidate[i];
        flow f = {.out = stdout, .indent = 8, .width = text_flow(stdout)};
        figure g;

        f.column = printf("  %4" PRIu64 "  ", s->topics[c->step]);
        flow_print(&f, "%s: %s (%s)", c->by, c->reason,
                   measure_figure(&g, c->figure));
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
    shell_word store, model;

    if (s->opts.discard)
        printf("\nnext: kedge fit %s -k %" PRIu64 "\n",
               text_shell(&store, s->job.store), s->topics[best]);
    else
        printf("\nnext: kedge topics %s --model %s\n",
               text_shell(&store, s->job.store),
               text_shell(&model, s->result.steps[best].fit.model));
}

static void print_table(const sweep *s)
{
    flow f = {.out = stdout, .width = text_flow(stdout)};

    print_rows(s);
    putchar('\n');
    flow_text(&f, "eigengap: the K-th eigenvalue of the co-occurrence divided "
                  "by the next. anchor gap: the distance of the last anchor "
                  "from the others, divided by that of the next model. error: "
                  "relative_error. coverage: document_coverage. diversity: "
                  "topic_diversity.");
    if (has_held_out(s))
        flow_print(&f, " held-out: held_out_log_likelihood of %" PRIu64 " "
                       "documents, by models fitted without them.",
                   s->result.held_out_documents);
    flow_text(&f, " 'kedge help measures' explains the measures.");
    flow_end(&f);
    print_curve(s, KEDGE_MEASURE_RELATIVE_ERROR);
    print_curve(s, KEDGE_MEASURE_NPMI);
    print_held_out(s);
    print_candidates(s);
    print_next(s);
}

/* ---- for programs -------------------------------------------------------- */

static void print_tsv(const sweep *s)
{
    printf("topics\tmodel\t");
    tsv_head(STEP, ALL_PARTS);
    for (int m = 0; m < KEDGE_MEASURES; m++)
        printf("\t%s", kedge_measure_get((kedge_measure)m)->key);
    putchar('\n');
    for (size_t i = 0; i < s->count; i++) {
        const kedge_sweep_step *const step = &s->result.steps[i];
        printf("%" PRIu64 "\t", s->topics[i]);
        text_put(stdout, step->fit.model, TEXT_WHOLE);
        putchar('\t');
        tsv_fields(STEP, step, ALL_PARTS);
        for (int m = 0; m < KEDGE_MEASURES; m++) {
            putchar('\t');
            tsv_real(step->eval.value[m]);
        }
        putchar('\n');
    }
}

static void print_json(const sweep *s)
{
    const kedge_sweep_result *const r = &s->result;
    jsonout j = json_document(stdout, 4);

    json_key_begin(&j, "models", '[');
    for (size_t i = 0; i < s->count; i++) {
        json_begin(&j, '{');
        json_fields(&j, STEP, &r->steps[i], ALL_PARTS);
        measures_json(&j, &r->steps[i].eval);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_key_count(&j, "held_out_documents", r->held_out_documents);
    json_key_count(&j, "held_out_tokens", r->held_out_tokens);
    json_key_begin(&j, "eigenvalues", '[');
    for (uint64_t i = 0; i < r->spectrum; i++)
        json_real(&j, r->eigenvalues[i]);
    json_close(&j, ']');
    json_key_begin(&j, "candidates", '[');
    for (uint64_t i = 0; i < r->candidates; i++) {
        json_begin(&j, '{');
        json_key_count(&j, "topics", s->topics[r->candidate[i].step]);
        json_fields(&j, "kedge_sweep_candidate", &r->candidate[i], ALL_PARTS);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_finish(&j);
}

/* ---- the command --------------------------------------------------------- */

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    sweep *const s = data;

    return kedge_sweep(store, &s->opts, control, &s->result, err);
}

static void tell(void *data)
{
    static void (*const print[])(const sweep *) = {print_table, print_tsv,
                                                   print_json};
    sweep *const s = data;

    s->count = (size_t)s->result.count;
    print[s->job.format](s);
    if (s->count > 0 && !s->job.common.quiet) {
        const kedge_fit_result *const fit = &s->result.steps[0].fit;
        warn_short(fit->too_short, fit->documents + fit->too_short,
                   fit->min_tokens, true);
    }
    for (size_t i = 0; i < s->count; i++)
        warn_labels(&s->result.steps[i].fit);
}

static void end(void *data)
{
    kedge_sweep_free(&((sweep *)data)->result);
}

const command command_sweep = {
    .name = "sweep",
    .group = GROUP_LOOK,
    .summary = "compare numbers of topics",
    .operands = "STORE -k A:B[:S]",
    .least = 1,
    .most = 1,
    .purpose =
        "Fits a model for each number of topics, measures all of them in one "
        "pass over the store, and names the numbers that stand out, each with "
        "its reason. The reasons need not agree, and there is no right number. "
        "Each number is also fitted without the documents of --held-out, which "
        "doubles the time. It takes the options of 'kedge fit' and 'kedge "
        "eval'.",
    .examples = "  kedge sweep news -k 5:100:5\n"
                "  kedge topics news --model sweep-k20\n",
    .see = "measures, methods",
    .writes = true,
    .options = options,
    .size = sizeof(sweep),
    .begin = begin,
    .again = again,
    .check = check,
    .mode = KEDGE_OPEN_WRITE,
    .work = work,
    .tell = tell,
    .end = end,
};
