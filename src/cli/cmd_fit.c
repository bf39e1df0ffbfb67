/* SPDX-License-Identifier: MIT */
/* kedge fit: models from a store's sketch, and how good they are. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "figures.h"
#include "jsonout.h"
#include "options.h"
#include "rankfit.h"
#include "table.h"
#include "task.h"
#include "ways.h"
#include "wordchoice.h"

/* A's sum outside of these says that the model does not fit the statistics. */
#define SUM_LEAST 0.9
#define SUM_MOST  1.1

#define OPTIONS_MOST 60

typedef struct fit {
    kedge_fit_opts opts;
    const char *like;
    unsigned format;
    counts topics;
    wordchoice words;
    ways ways;
    common common;
    kedge_fit_result results[COUNTS_MOST];
} fit;

/* What is made, and of what. */
static size_t model_options(fit *f, option *out)
{
    kedge_fit_opts *o = &f->opts;
    const option list[] = {
        {.name = "topics", .letter = 'k', .kind = OPTION_COUNTS,
         .value = &f->topics, .argument = "K[,K...]", .least = 2, .most = 2000,
         .help = "How many topics. Several numbers fit several models from the "
                 "one sketch."},
        {.name = "model", .kind = OPTION_TEXT, .value = &o->name,
         .argument = "NAME", .unset = "k<K>",
         .help = "Name of the model; a model of that name is replaced. With "
                 "several K, -k<K> is appended."},
        {.name = "like", .kind = OPTION_TEXT, .value = &f->like,
         .argument = "MODEL|none", .unset = "the model that is replaced",
         .help = "Topics that are found again in this model keep the numbers "
                 "and names that they have there; none: numbers are by falling "
                 "share."},
    };

    memcpy(out, list, sizeof list);
    return sizeof list / sizeof *list;
}

/* The sketch, where one is made. */
static size_t sketch_options(fit *f, option *out)
{
    kedge_fit_opts *o = &f->opts;
    const option list[] = {
        {.name = "statistic", .kind = OPTION_TEXT, .value = &o->statistic,
         .argument = "joint|log|sqrt", .unset = "as in STORE, else log",
         .help = "How often h times in a document count, in the view that is "
                 "taken or made: h times, 1 + ln h, or the root of h."},
        {.name = "sketch", .kind = OPTION_COUNT, .value = &o->width,
         .argument = "L", .least = 16, .most = 8192,
         .unset = "by the number of words: 1000 to 2000, fewer of few",
         .help = "Columns of the sketch, where a new one is made."},
        {.name = "seed", .kind = OPTION_COUNT, .value = &o->seed,
         .argument = "S", .least = 1, .most = UINT64_MAX, .unset = "1",
         .help = "Of the sketch's test matrix, likewise."},
        {.name = "min-tokens", .kind = OPTION_COUNT,
         .value = &o->min_tokens, .argument = "N", .least = 2, .most = 1000,
         .unset = MIN_TOKENS_USUAL,
         .help = "Documents with fewer words are left out, likewise."},
    };

    memcpy(out, list, sizeof list);
    return sizeof list / sizeof *list;
}

static size_t output_options(fit *f, option *out)
{
    const option list[] = {
        {.name = "keep-spectrum", .kind = OPTION_FLAG,
         .value = &f->opts.keep_spectrum,
         .help = "Store the eigenvectors and the rectified rows too, for "
                 "kedge export --spectrum."},
        summary_format(&f->format),
    };

    memcpy(out, list, sizeof list);
    return sizeof list / sizeof *list;
}

static int read_line(fit *f, arguments *a, int argc, char **argv)
{
    option options[OPTIONS_MOST];
    size_t count = 0;

    count += model_options(f, options + count);
    count += wordchoice_options(&f->words, &f->opts, options + count);
    count += sketch_options(f, options + count);
    count += ways_options(&f->ways, &f->opts, options + count);
    count += output_options(f, options + count);
    assert(count <= OPTIONS_MOST);
    a->options = options;
    a->count = count;
    return options_read(a, argc, argv);
}

/* Where so many topics are background, fewer help first. */
static bool is_crowded(const kedge_fit_result *r)
{
    return r->background > 1 && 8 * r->background >= r->topics;
}

static void tell_spectrum(const kedge_fit_result *r)
{
    char note[96];
    figure f;

    if (r->weight != KEDGE_WEIGHT_NONE)
        summary_line(stderr, "word weights", ways_weight(r->weight),
                     "divided out of probabilities and correlations");
    if (r->ncut)
        summary_line(stderr, "document weights", "ncut",
                     "one over what all have in common with it");
    snprintf(note, sizeof note, "%" PRIu64 " refining %s", r->refined,
             figure_noun(r->refined, "pass", "passes"));
    if (r->cooccurrence != KEDGE_COOCCURRENCE_SKETCH)
        summary_line(stderr, "co-occurrence",
                     ways_cooccurrence(r->cooccurrence),
                     "the eigenvectors are its own");
    summary_line(stderr, "sketch width", figure_count(&f, r->width), note);
    summary_line(stderr, "eigenspace residual",
                 figure_real(&f, r->eigenspace_error),
                 "of the eigenvalues' norm (held-out columns)");
    if (is_crowded(r))
        snprintf(note, sizeof note, "of the K-th eigenvalue");
    else if (r->refine_helps)
        snprintf(note, sizeof note,
                 "of the K-th eigenvalue; --refine %" PRIu64 " would help",
                 r->refined + 1);
    else
        snprintf(note, sizeof note,
                 "of the K-th eigenvalue; no need to refine");
    summary_line(stderr, "", figure_real(&f, r->eigen_gap_error), note);
    summary_line(stderr, "unexplained", figure_real(&f, r->unexplained),
                 "of the statistics' norm is left out");
}

static void tell_rectify(const kedge_fit_result *r)
{
    char note[96], label[32];
    figure f, g;

    if (r->rounds == 0) {
        summary_line(stderr, "rectified", "no", NULL);
        return;
    }
    snprintf(note, sizeof note, "the last changed statistics by %s",
             figure_real(&g, r->last_change));
    snprintf(label, sizeof label, "%s rounds", ways_rectify(r->rectify));
    summary_line(stderr, label, figure_count(&f, r->rounds), note);
    summary_line(stderr, "negative share", figure_real(&f, r->negative_share),
                 r->rectify == KEDGE_RECTIFY_PALM ||
                         r->rectify == KEDGE_RECTIFY_IPALM
                     ? "of the eigenvectors' entries before the first"
                     : "of the co-occurrences before the first");
}

static void tell_topics(const kedge_fit_result *r)
{
    char note[96];
    figure f, g;

    ways_tell(r);
    snprintf(note, sizeof note, "words in %s %s or more",
             figure_count(&g, r->anchor_min_df),
             figure_noun(r->anchor_min_df, "document", "documents"));
    summary_line(stderr, "anchor candidates", figure_count(&f, r->candidates),
                 note);
    ways_tell_steps(r);
    snprintf(note, sizeof note, "should be 1; negative entries %s",
             figure_real(&g, r->negative_correlations));
    summary_line(stderr, "sum of A", figure_real(&f, r->sum_correlations),
                 note);
    ways_tell_dirichlet(r);
}

static void tell_polish(const kedge_fit_result *r)
{
    char note[96];
    figure f, g;

    if (r->polished == 0)
        return;
    snprintf(note, sizeof note,
             "ln p of a token; %s before %" PRIu64 " %s",
             figure_real(&g, r->likelihood[0]), r->polished,
             figure_noun(r->polished, "pass", "passes"));
    summary_line(stderr, "likelihood",
                 figure_real(&f, r->likelihood[r->polished]), note);
}

static void tell_numbers(const kedge_fit_result *r)
{
    const uint64_t before = r->matched + r->gone;
    char value[48], note[224];
    figure f;

    if (r->like[0] == '\0')
        return;
    snprintf(value, sizeof value, "%" PRIu64 " of %" PRIu64, r->matched,
             before);
    if (r->matched == 0)
        snprintf(note, sizeof note, "topics of %s; %" PRIu64 " new", r->like,
                 r->came);
    else
        snprintf(note, sizeof note,
                 "topics of %s, mean distance %s; %" PRIu64 " new, %" PRIu64
                 " gone",
                 r->like, figure_real(&f, r->mean_distance), r->came, r->gone);
    summary_line(stderr, "found again", value, note);
}

static void tell_background(const kedge_fit_result *r)
{
    char note[256];
    figure f;

    if (r->background == 0)
        return;
    snprintf(note, sizeof note,
             "%.1f %% of the corpus: their words occur mostly in other "
             "topics, or in all documents alike%s",
             100 * r->background_share,
             is_crowded(r) ? "; fewer topics may do: 'kedge sweep' compares "
                             "numbers of them" : "");
    summary_line(stderr, "background topics", figure_count(&f, r->background),
                 note);
}

static void tell_cost(const kedge_fit_result *r)
{
    char value[32], note[128];
    figure f;

    snprintf(value, sizeof value, "%.1f", r->seconds);
    snprintf(note, sizeof note,
             "spectrum %.1f, rectify %.1f, topics %.1f, store %.1f",
             r->seconds_spectrum, r->seconds_rectify, r->seconds_topics,
             r->seconds_store);
    summary_line(stderr, "seconds", value, note);
    summary_line(stderr, "memory", figure_memory(&f, r->peak_memory), "peak");
}

static void tell_summary(const kedge_fit_result *r)
{
    figure f;

    fprintf(stderr, "\nmodel %s\n", r->model);
    summary_line(stderr, "topics", figure_count(&f, r->topics), NULL);
    wordchoice_tell(r);
    summary_line(stderr, "documents", figure_count(&f, r->documents), NULL);
    summary_short(r->too_short, r->documents + r->too_short, r->min_tokens);
    tell_spectrum(r);
    tell_rectify(r);
    tell_topics(r);
    tell_background(r);
    tell_polish(r);
    tell_numbers(r);
    tell_cost(r);
    warn_short(r->too_short, r->documents + r->too_short, r->min_tokens);
    if (r->polished > 0) /* topics are the documents', A the statistics' */
        return;
    if (!(r->sum_correlations >= SUM_LEAST && r->sum_correlations <= SUM_MOST))
        complain("warning: the sum of A is %s, far from 1: the topics do not "
                 "fit the statistics; fewer topics, --refine 1 or a larger "
                 "--anchor-min-df may help",
                 figure_real(&f, r->sum_correlations));
}

/* Before and after each pass. */
static void json_likelihood(jsonout *j, const kedge_fit_result *r)
{
    json_key(j, "likelihood");
    json_begin(j, '[');
    for (uint64_t n = 0; r->polished > 0 && n <= r->polished; n++)
        json_real(j, r->likelihood[n]);
    json_close(j, ']');
}

static void json_result(jsonout *j, const kedge_fit_result *r)
{
    json_begin(j, '{');
    json_key_text(j, "model", r->model);
    json_key_count(j, "topics", r->topics);
    json_key_count(j, "words", r->words);
    wordchoice_json(j, r);
    json_key_count(j, "documents", r->documents);
    json_key_count(j, "too_short", r->too_short);
    json_key_count(j, "min_tokens", r->min_tokens);
    json_key_count(j, "width", r->width);
    json_key_count(j, "refined", r->refined);
    json_key_count(j, "polished", r->polished);
    json_key_text(j, "weight", ways_weight(r->weight));
    json_key_bool(j, "ncut", r->ncut);
    json_key_text(j, "cooccurrence", ways_cooccurrence(r->cooccurrence));
    json_key_real(j, "eigenspace_error", r->eigenspace_error);
    json_key_real(j, "eigen_gap_error", r->eigen_gap_error);
    json_key_real(j, "unexplained", r->unexplained);
    json_key_bool(j, "refine_helps", r->refine_helps);
    json_key_text(j, "rectify", ways_rectify(r->rectify));
    json_key_count(j, "rounds", r->rounds);
    json_key_count(j, "products", r->products);
    json_key_real(j, "last_change", r->last_change);
    json_key_real(j, "negative_share", r->negative_share);
    ways_json(j, r);
    json_key_count(j, "anchor_min_df", r->anchor_min_df);
    json_key_count(j, "candidates", r->candidates);
    json_key_count(j, "admm_steps", r->admm_steps);
    json_key_real(j, "sum_correlations", r->sum_correlations);
    json_key_real(j, "negative_correlations", r->negative_correlations);
    json_key_count(j, "background", r->background);
    json_key_real(j, "background_share", r->background_share);
    json_likelihood(j, r);
    json_key_text(j, "like", r->like);
    json_key_count(j, "matched", r->matched);
    json_key_real(j, "mean_distance",
                  r->matched > 0 ? r->mean_distance : NAN);
    json_key_count(j, "came", r->came);
    json_key_count(j, "gone", r->gone);
    json_key_real(j, "seconds", r->seconds);
    json_key_real(j, "seconds_spectrum", r->seconds_spectrum);
    json_key_real(j, "seconds_rectify", r->seconds_rectify);
    json_key_real(j, "seconds_topics", r->seconds_topics);
    json_key_real(j, "seconds_store", r->seconds_store);
    json_key_count(j, "peak_memory", r->peak_memory);
    json_close(j, '}');
}

/* `r` NULL: of one process. */
static void print_json(const fit *f, const rankfit *r)
{
    jsonout j;

    summary_open(&j, 3);
    json_key(&j, "models");
    json_begin(&j, '[');
    for (size_t i = 0; i < f->topics.count; i++)
        json_result(&j, &f->results[i]);
    json_close(&j, ']');
    if (r != NULL)
        rankfit_json(&j, r);
    json_close(&j, '}');
    json_end(&j);
}

static void tell_all(const fit *f, const rankfit *r)
{
    if (f->format == SUMMARY_JSON) {
        print_json(f, r);
        return;
    }
    for (size_t i = 0; !f->common.quiet && i < f->topics.count; i++)
        tell_summary(&f->results[i]);
    if (!f->common.quiet && r != NULL)
        rankfit_tell(r);
}

static kedge_status fit_store(void *data, kedge_store *store,
                              const kedge_control *control, kedge_error *err)
{
    fit *const f = data;

    return kedge_fit(store, f->topics.values, f->topics.count, &f->opts,
                     control, f->results, err);
}

static int fit_alone(fit *f, const char *path)
{
    kedge_error err = {0};
    const kedge_status st = task_run(path, KEDGE_OPEN_WRITE, &f->common,
                                     fit_store, f, &err);

    if (st == KEDGE_OK)
        tell_all(f, NULL);
    return complain_status(st, &err);
}

/* Of one rank among several; all have to come here. */
static int fit_among(fit *f, const team *t, const char *path)
{
    rankfit r = {.t = t, .topics = f->topics.values, .count = f->topics.count,
                 .opts = &f->opts, .results = f->results, .store = path};
    int code = rankfit_run(&r, &f->common);

    if (code == GO_ON) {
        tell_all(f, &r);
        code = ranks_leave(t, EXIT_OK);
    }
    rankfit_free(&r);
    return code;
}

static int fit_run(const command *self, int argc, char **argv)
{
    fit f = {0};
    arguments a = {.self = self, .common = &f.common};
    const team *t = NULL;
    int code;

    common_init(&f.common);
    kedge_fit_opts_init(&f.opts);
    ways_init(&f.ways, &f.opts);
    code = read_line(&f, &a, argc, argv);
    if (code != GO_ON)
        return code;
    if (f.topics.count == 0)
        return complain_usage(self->name,
                              "fit needs the number of topics, as in -k 50");
    code = wordchoice_take(&f.words, self->name, &f.opts);
    if (code != GO_ON)
        return code;
    ways_take(&f.ways, &f.opts);
    f.opts.fresh = f.like != NULL && strcmp(f.like, "none") == 0;
    f.opts.like = f.opts.fresh ? NULL : f.like;
    code = ranks_join(self, argc, argv, &t);
    if (code != GO_ON)
        return code;
    return t != NULL ? fit_among(&f, t, a.operands[0])
                     : fit_alone(&f, a.operands[0]);
}

const command command_fit = {
    .writes = true,
    .name = "fit",
    .summary = "find topics in what a store has seen",
    .operands = "STORE",
    .least = 1,
    .most = 1,
    .purpose =
        "Fits topic models to the sketch that ingest made, without reading the "
        "documents again (except for --refine, --polish and --ncut, and then "
        "from the store), and keeps them in the store. Results are a function "
        "of documents, options and seed alone, but for the numbers of topics, "
        "which follow the model that is replaced or the one given with "
        "--like. The spectrum of the sketch, which most of the time goes into, "
        "stays in the store: other numbers of topics are had in a fraction of "
        "it, until documents come or leave.",
    .details =
        "Which words topics are made of is a rule: --min-df, --max-df, "
        "--vocab-size, --stopwords, --keep, --drop and --phrases say it, and "
        "what they do not say is as usual: words in 5 documents or more (2 in "
        "a store of fewer than 1,000) and in half of them at most, without the "
        "English stop words. Each option changes one of these bounds and "
        "leaves the others: --min-df 1 --max-df 1 --stopwords none takes all "
        "words. Beside --keep nothing is usual, nor where documents came with "
        "a vocabulary: then it is all words. "
        "Every fit applies its rule to the counts as they are now, so that the "
        "model is that of a store that got the same documents at once. The "
        "words are kept as a view of the store, with a sketch that later "
        "ingests follow. As long as the rule gives the same words, the sketch "
        "is used again. When it gives others, as it will when documents came, "
        "a new view gets a sketch by one pass over the stored documents, and "
        "the old one goes, unless a model needs its phrases. --freeze saves "
        "that pass and keeps the words that a model has, and --view N those of "
        "a view; both stay as long as a model is made of them. The summary "
        "says which words were taken and what they leave out. "
        "mpirun -n R kedge fit STORE fits the documents of the stores STORE.0, "
        "STORE.1, ... that R ranks read with kedge ingest; STORE, made on "
        "rank 0's machine, gets the words of all and the models, with the "
        "bytes of those of one store. --memory is each rank's. What passes "
        "over all documents and ways to topics beside the usual one are "
        "refused.",
    .output =
        "Nothing on standard output, except with --format json; on standard "
        "error, for each model, how well the sketch's eigenvectors are known, "
        "how much they leave unexplained, how many topics were found again, "
        "and what the work took.",
    .examples =
        "  kedge fit news -k 50\n"
        "  kedge fit news -k 10,20,50,100\n"
        "  kedge fit news -k 50 --refine 1 --model sharp\n"
        "  kedge fit news -k 50 --polish 2\n"
        "  kedge fit news -k 50 --max-df 0.2\n"
        "  kedge fit news -k 50 --freeze\n"
        "  kedge fit news -k 50 --weight idf\n"
        "  kedge fit news -k 50 --weight idf --ncut\n"
        "  kedge fit news -k 50 --model june --like may\n",
    .run = fit_run,
};
