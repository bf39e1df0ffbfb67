/* SPDX-License-Identifier: MIT */
/* kedge fit: models from a store's sketch, and how good they are. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kedge/kedge.h>

#include "command.h"
#include "fitting.h"
#include "ranks.h"

#define NEW_SHOWN 10 /* numbers of new topics */

/* Outside of these the sum of the topic co-occurrence says that the model does
 * not fit the co-occurrence of words. */
#define SUM_LEAST 0.9
#define SUM_MOST  1.1

#define RESULT "kedge_fit_result"

typedef struct fit {
    job job;
    fitting fitting;
    const char *like;
    counts topics;
    kedge_fit_result results[COUNTS_MOST];
    const team *among;           /* or NULL */
    kedge_comm_traffic *traffic; /* by rank */
} fit;

#define AT(member) offsetof(fit, member)

static const option options[] = {
    SECTION("Model"),
    OPTION(COUNTS, "topics", AT(topics), "K[,K...]",
           "number of topics; several: one model each", .letter = 'k',
           .least = 2, .most = 2000, .main = true),
    OPTION(TEXT, "model", AT(fitting.opts.name), "NAME",
           "name of the model; replaces one of this name", .unset = "k<K>",
           .main = true),
    OPTION(TEXT, "align", AT(like), "MODEL|none",
           "topic numbers and labels as in MODEL",
           .unset = "replaced", .main = true),
    OPTION_SUMMARY,
    OPTION(FLAG, "save-spectrum", AT(fitting.opts.save_spectrum), NULL,
           "store eigenvectors for export --spectrum"),
    OPTIONS_OF(word_options, AT(fitting)),
    OPTIONS_OF(way_options, AT(fitting)),
    SECTION("Sketch"),
    OPTION(TEXT, "tf", AT(fitting.opts.tf), "TF", "how counts enter",
           .choices = "raw|log|sqrt", .unset = "as STORE, else log"),
    OPTION(COUNT, "sketch-size", AT(fitting.opts.sketch_size), "L",
           "columns of a new sketch", .least = 16, .most = 8192,
           .unset = "by words, 1000 to 2000"),
    OPTION(COUNT, "seed", AT(fitting.opts.seed), "S",
           "of a new sketch's random matrix", .least = 1, .most = UINT64_MAX,
           .unset = "1"),
    OPTION(COUNT, "min-tokens", AT(fitting.opts.min_tokens), "N",
           "leave out documents with fewer words", .least = 2, .most = 1000,
           .unset = MIN_TOKENS_USUAL),
    {.name = NULL},
};

static void begin(void *data)
{
    fitting_begin(&((fit *)data)->fitting);
}

static bool again(void *data)
{
    fit *const f = data;
    const kedge_preset preset = f->fitting.opts.preset;

    if (preset == KEDGE_PRESET_NONE)
        return false;
    *f = (fit){.job = f->job};
    begin(f);
    fitting_preset(&f->fitting, preset);
    return true;
}

static int check(void *data)
{
    fit *const f = data;
    kedge_fit_opts *const o = &f->fitting.opts;

    if (f->topics.count == 0)
        return complain_usage("fit", "fit needs the number of topics, as in "
                                     "-k 50");
    fitting_take(&f->fitting);
    o->fresh = f->like != NULL && strcmp(f->like, "none") == 0;
    o->align = o->fresh ? NULL : f->like;
    return GO_ON;
}

/* ---- what came of it ----------------------------------------------------- */

/* Where nothing was found there is no figure of it. */
static kedge_fit_result known_of(const kedge_fit_result *given)
{
    kedge_fit_result r = *given;

    if (!(r.dirichlet > 0))
        r.dirichlet = r.dirichlet_error = NAN;
    if (r.matched == 0)
        r.mean_distance = NAN;
    return r;
}

/* Where so many topics are background, fewer help first. */
static bool is_crowded(const kedge_fit_result *r)
{
    return r->background > 1 && r->topics > 2 &&
           8 * r->background >= r->topics;
}

/* The residual of the eigenvectors. Too many topics are the cause where many
 * are background. */
static void tell_error(const kedge_fit_result *r)
{
    char note[96], last[24] = "more";
    figure f;

    if (r->cooccurrence != KEDGE_COOCCURRENCE_SKETCH)
        return;
    snprintf(f.text, sizeof f.text, "%.1f %%", 100 * r->sketch_error);
    if (isfinite(r->sketch_error_last))
        snprintf(last, sizeof last, "%.0f %%", 100 * r->sketch_error_last);
    snprintf(note, sizeof note, "of the eigenvalues, %s of the last: %s", last,
             !r->power_iter_helps ? "small enough"
             : is_crowded(r)      ? "large"
                                  : "large, try --power-iter 1");
    summary_line(stderr, "sketch error", f.text, note);
}

static void tell_likelihood(const kedge_fit_result *r)
{
    char note[96];
    figure f, g;

    if (r->em_iter == 0)
        return;
    snprintf(note, sizeof note, "of a token, in sample; %s before the EM %s",
             figure_real(&g, r->likelihood[0]),
             figure_noun(r->em_iter, "iteration", "iterations"));
    summary_line(stderr, "log-likelihood",
                 figure_real(&f, r->likelihood[r->em_iter]), note);
}

/* " (17, 31)": the numbers of the first ten new topics. */
static const char *new_topics(const kedge_fit_result *r, char text[96])
{
    size_t at = 0;

    text[0] = '\0';
    for (uint64_t i = 0; i < r->new_topics && i <= NEW_SHOWN; i++)
        at += (size_t)snprintf(text + at, 96 - at,
                               i < NEW_SHOWN ? "%s%d" : "%s...",
                               i == 0 ? " (" : ", ", r->new_topic[i] + 1);
    if (r->new_topics > 0)
        snprintf(text + at, 96 - at, ")");
    return text;
}

/* Numbers and labels that come from another model. */
static void tell_numbers(const fit *f, const kedge_fit_result *r)
{
    char numbers[96], moved[40] = "";

    if (r->aligned_to[0] == '\0')
        return;
    if (r->renumbered > 0)
        snprintf(moved, sizeof moved, " (%" PRIu64 " renumbered)",
                 r->renumbered);
    complain("topics keep the %slabels of %smodel %s: %" PRIu64
             " matched%s, %" PRIu64 " new%s, %" PRIu64 " lost%s",
             r->renumbered == 0 ? "numbers and " : "",
             f->like == NULL ? "the replaced " : "", r->aligned_to, r->matched,
             moved,
             r->new_topics, new_topics(r, numbers), r->lost_topics,
             f->like == NULL ? "; --align none numbers them by prevalence"
                             : "");
}

static void tell_model(const fit *f, const kedge_fit_result *r)
{
    figure g;

    fprintf(stderr, "\nmodel %s\n", r->model);
    summary_fields(stderr, RESULT, r, PART(0));
    tell_error(r);
    tell_likelihood(r);
    summary_fields(stderr, RESULT, r, PART(1));
    tell_numbers(f, r);
    if (is_crowded(r))
        complain("many topics are background: fewer topics may be enough; "
                 "'kedge sweep' compares numbers of topics");
    /* EM changes the topic co-occurrence */
    if (r->em_iter == 0 && !(r->topic_cooccurrence_sum >= SUM_LEAST &&
                             r->topic_cooccurrence_sum <= SUM_MOST))
        complain("warning: the topic co-occurrence sums to %s instead of 1: "
                 "the topics do not fit the co-occurrence of words; fewer "
                 "topics, --power-iter 1 or a larger --anchor-min-df may help",
                 figure_real(&g, r->topic_cooccurrence_sum));
}

static void json_model(jsonout *j, const kedge_fit_result *r)
{
    json_begin(j, '{');
    json_fields(j, RESULT, r, PART(0));
    json_key_begin(j, "log_likelihood", '['); /* before and after each pass */
    for (uint64_t n = 0; r->em_iter > 0 && n <= r->em_iter; n++)
        json_real(j, r->likelihood[n]);
    json_close(j, ']');
    json_key_begin(j, "new_topic_numbers", '[');
    for (uint64_t i = 0; i < r->new_topics; i++)
        json_count(j, r->new_topic[i] + 1u);
    json_close(j, ']');
    json_key_begin(j, "lost_labels", '[');
    for (uint64_t i = 0; i < r->lost_labels && i < KEDGE_LOST_LABELS_MOST;
         i++) {
        json_begin(j, '{');
        json_key_count(j, "topic", r->lost_label[i].topic + 1u);
        json_key_text(j, "label", r->lost_label[i].label);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_fields(j, RESULT, r, PART(1));
    json_close(j, '}');
}

static void print_json(const fit *f)
{
    jsonout j = json_document(stdout, 3);

    json_key_begin(&j, "models", '[');
    for (size_t i = 0; i < f->topics.count; i++) {
        const kedge_fit_result r = known_of(&f->results[i]);
        json_model(&j, &r);
    }
    json_close(&j, ']');
    if (f->among != NULL)
        json_array(&j, "ranks", "kedge_comm_traffic", f->traffic,
                   f->among->size);
    json_finish(&j);
}

static void tell(void *data)
{
    const fit *const f = data;
    const kedge_fit_result *const first = f->results;

    if (!f->job.common.quiet) /* all of them are of one index */
        warn_short(first->too_short, first->documents + first->too_short,
                   first->min_tokens, true);
    for (size_t i = 0; i < f->topics.count; i++)
        warn_labels(&f->results[i]);
    if (f->job.format == SUMMARY_JSON) {
        print_json(f);
        return;
    }
    if (f->job.common.quiet)
        return;
    for (size_t i = 0; i < f->topics.count; i++)
        tell_model(f, &f->results[i]);
    if (f->among != NULL) {
        kedge_comm_traffic sum = {0};
        for (unsigned n = 0; n < f->among->size; n++)
            add_fields("kedge_comm_traffic", &f->traffic[n], &sum, ALL_PARTS);
        fprintf(stderr, "\nsent between ranks\n");
        summary_fields(stderr, "kedge_comm_traffic", &sum, ALL_PARTS);
    }
}

/* ---- the work ------------------------------------------------------------ */

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    fit *const f = data;

    return kedge_fit(store, f->topics.values, f->topics.count,
                     &f->fitting.opts, control, f->results, err);
}

static kedge_status fit_together(fit *f, kedge_store *own, kedge_store *sum,
                                 const kedge_control *control,
                                 kedge_error *err)
{
    kedge_comm_traffic mine;
    const kedge_member self = {f->among->together, own, sum, &mine};
    const kedge_status st =
        kedge_comm_fit(&self, f->topics.values, f->topics.count,
                       &f->fitting.opts, control, f->results, err);

    if (st == KEDGE_OK)
        f->among->gather(&mine, sizeof mine, f->traffic);
    return st;
}

/* Rank 0 has the store of sums beside its own. */
static kedge_status work_among(void *data, kedge_store *own,
                               const kedge_control *control, kedge_error *err)
{
    fit *const f = data;
    kedge_store *sum = NULL;
    kedge_status st;

    if (f->among->rank > 0)
        return fit_together(f, own, NULL, control, err);
    st = kedge_store_open(f->job.store, KEDGE_OPEN_CREATE, &sum, err);
    if (st != KEDGE_OK)
        return st;
    st = fit_together(f, own, sum, control, err);
    if (st == KEDGE_OK)
        kedge_store_close(sum);
    else
        kedge_store_withdraw(sum);
    return st;
}

/* Of one rank among several; all have to come here. */
static int run_among(fit *f)
{
    int code;

    f->traffic = claim(f->among->size, sizeof *f->traffic);
    code = ranks_task(f->among, &f->job, KEDGE_OPEN_WRITE, work_among, f);
    if (code != GO_ON)
        return code;
    if (f->among->rank == 0)
        tell(f);
    return ranks_leave(f->among, EXIT_OK);
}

static int run(void *data)
{
    fit *const f = data;
    const int code = ranks_join(&f->job, &f->among);

    if (code != GO_ON)
        return code;
    return f->among != NULL ? run_among(f) : job_work(&f->job);
}

static void end(void *data)
{
    free(((fit *)data)->traffic);
}

const command command_fit = {
    .name = "fit",
    .group = GROUP_START,
    .summary = "find topics",
    .operands = "STORE -k K[,K...]",
    .least = 1,
    .most = 1,
    .purpose =
        "Fits topic models to a store's sketch and stores them. Your "
        "files are not read again: fit reads the store once for new words, and "
        "again for options that take passes (kedge help methods). "
        "Fitting another K takes a fraction of the time, until documents are "
        "added or removed.",
    .examples = "  kedge fit news -k 50\n"
                "  kedge fit news -k 10,20,50 --max-df 0.2\n"
                "  kedge fit news -k 50 --preset lr-jsmf\n",
    .see = "words, methods, summary, machines",
    .writes = true,
    .options = options,
    .size = sizeof(fit),
    .begin = begin,
    .again = again,
    .check = check,
    .run = run,
    .mode = KEDGE_OPEN_WRITE,
    .work = work,
    .tell = tell,
    .end = end,
};
