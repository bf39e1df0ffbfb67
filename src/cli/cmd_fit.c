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

/* A's sum outside of these says that the model does not fit the statistics. */
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
    kedge_team_traffic *traffic; /* by rank */
} fit;

#define AT(member) offsetof(fit, member)

static const option options[] = {
    OPTION(COUNTS, "topics", AT(topics), "K[,K...]",
           "How many topics. Several numbers fit several models from the one "
           "sketch.", .letter = 'k', .least = 2, .most = 2000),
    OPTION(TEXT, "model", AT(fitting.opts.name), "NAME",
           "Name of the model; a model of that name is replaced. With several "
           "K, -k<K> is appended.", .unset = "k<K>"),
    OPTION(TEXT, "like", AT(like), "MODEL|none",
           "Topics that are found again in this model keep the numbers and "
           "names that they have there; none: numbers are by falling share.",
           .unset = "the model that is replaced"),
    OPTIONS_OF(word_options, AT(fitting)),
    OPTION(TEXT, "statistic", AT(fitting.opts.statistic), "joint|log|sqrt",
           "How often h times in a document count, in the view that is taken "
           "or made: h times, 1 + ln h, or the root of h.",
           .unset = "as in STORE, else log"),
    OPTION(COUNT, "sketch", AT(fitting.opts.width), "L",
           "Columns of the sketch, where a new one is made.", .least = 16,
           .most = 8192,
           .unset = "by the number of words: 1000 to 2000, fewer of few"),
    OPTION(COUNT, "seed", AT(fitting.opts.seed), "S",
           "Of the sketch's test matrix, likewise.", .least = 1,
           .most = UINT64_MAX, .unset = "1"),
    OPTION(COUNT, "min-tokens", AT(fitting.opts.min_tokens), "N",
           "Documents with fewer words are left out, likewise.", .least = 2,
           .most = 1000, .unset = MIN_TOKENS_USUAL),
    OPTIONS_OF(way_options, AT(fitting)),
    OPTION(FLAG, "keep-spectrum", AT(fitting.opts.keep_spectrum), NULL,
           "Store the eigenvectors and the rectified rows too, for kedge "
           "export --spectrum."),
    OPTION_SUMMARY,
    {.name = NULL},
};

static void begin(void *data)
{
    fitting_begin(&((fit *)data)->fitting);
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
    o->like = o->fresh ? NULL : f->like;
    return GO_ON;
}

/* ---- what came of it ----------------------------------------------------- */

/* Where nothing was found there is no figure of it. */
static kedge_fit_result known_of(const kedge_fit_result *given)
{
    kedge_fit_result r = *given;

    if (!(r.dirichlet > 0))
        r.dirichlet = r.dirichlet_misfit = NAN;
    if (r.matched == 0)
        r.mean_distance = NAN;
    return r;
}

static void tell_polish(const kedge_fit_result *r)
{
    char note[96];
    figure f, g;

    snprintf(note, sizeof note,
             "ln p of a token; %s before %" PRIu64 " %s",
             figure_real(&g, r->likelihood[0]), r->polished,
             figure_noun(r->polished, "pass", "passes"));
    summary_line(stderr, "likelihood",
                 figure_real(&f, r->likelihood[r->polished]), note);
}

/* Where so many topics are background, fewer help first. */
static bool is_crowded(const kedge_fit_result *r)
{
    return r->background > 1 && r->topics > 2 &&
           8 * r->background >= r->topics;
}

static void tell_model(const kedge_fit_result *r)
{
    const bool polished = r->polished > 0;
    figure f;

    fprintf(stderr, "\nmodel %s\n", r->model);
    summary_fields(stderr, RESULT, r,
                   r->like[0] != '\0' ? ALL_PARTS : ALL_PARTS & ~PART(1));
    if (polished)
        tell_polish(r);
    if (is_crowded(r))
        complain("many topics are background: fewer topics may do; 'kedge "
                 "sweep' compares numbers of them");
    warn_short(r->too_short, r->documents + r->too_short, r->min_tokens,
               true);
    /* of polished topics A is not the statistics' */
    if (!polished && !(r->sum_correlations >= SUM_LEAST &&
                       r->sum_correlations <= SUM_MOST))
        complain("warning: the sum of A is %s, far from 1: the topics do not "
                 "fit the statistics; fewer topics, --refine 1 or a larger "
                 "--anchor-min-df may help",
                 figure_real(&f, r->sum_correlations));
}

static void json_model(jsonout *j, const kedge_fit_result *r)
{
    json_begin(j, '{');
    json_fields(j, RESULT, r, PART(0));
    json_key_begin(j, "likelihood", '['); /* before and after each pass */
    for (uint64_t n = 0; r->polished > 0 && n <= r->polished; n++)
        json_real(j, r->likelihood[n]);
    json_close(j, ']');
    json_fields(j, RESULT, r, ALL_PARTS & ~PART(0));
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
        json_array(&j, "ranks", "kedge_team_traffic", f->traffic,
                   f->among->size);
    json_finish(&j);
}

static void tell(void *data)
{
    const fit *const f = data;

    if (f->job.format == SUMMARY_JSON) {
        print_json(f);
        return;
    }
    if (f->job.common.quiet)
        return;
    for (size_t i = 0; i < f->topics.count; i++) {
        kedge_fit_result r = known_of(&f->results[i]);
        r.refine_helps = r.refine_helps && !is_crowded(&r);
        tell_model(&r);
    }
    if (f->among != NULL) {
        kedge_team_traffic sum = {0};
        for (unsigned n = 0; n < f->among->size; n++)
            add_fields("kedge_team_traffic", &f->traffic[n], &sum, ALL_PARTS);
        fprintf(stderr, "\nfrom rank to rank\n");
        summary_fields(stderr, "kedge_team_traffic", &sum, ALL_PARTS);
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
    kedge_team_traffic mine;
    const kedge_member self = {f->among->together, own, sum, &mine};
    const kedge_status st =
        kedge_team_fit(&self, f->topics.values, f->topics.count,
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
    .writes = true,
    .name = "fit",
    .summary = "find topics in what a store has seen",
    .operands = "STORE",
    .least = 1,
    .most = 1,
    .purpose =
        "Fits topic models to the sketch that ingest made, without reading "
        "the documents again (except for --refine, --polish and --ncut, and "
        "then from the store), and keeps them in the store. Results are a "
        "function of documents, options and seed alone, but for the numbers "
        "of topics, which follow the model that is replaced or the one given "
        "with --like. The spectrum of the sketch, which most of the time goes "
        "into, stays in the store: other numbers of topics are had in a "
        "fraction of it, until documents come or leave.",
    .details =
        "Which words topics are made of is a rule: --min-df, --max-df, "
        "--vocab-size, --stopwords, --keep, --drop and --phrases say it, and "
        "what they do not say is as usual: words in 5 documents or more (2 in "
        "a store of fewer than 1,000) and in half of them at most, without "
        "the English stop words. Each option changes one of these bounds and "
        "leaves the others: --min-df 1 --max-df 1 --stopwords none takes all "
        "words. Beside --keep nothing is usual, nor where documents came with "
        "a vocabulary: then it is all words. Every fit applies its rule to "
        "the counts as they are now, so that the model is that of a store "
        "that got the same documents at once. The words are kept as a view of "
        "the store, with a sketch that later ingests follow. As long as the "
        "rule gives the same words, the sketch is used again. When it gives "
        "others, as it will when documents came, a new view gets a sketch by "
        "one pass over the stored documents, and the old one goes, unless a "
        "model needs its phrases. --freeze saves that pass and keeps the "
        "words that a model has, and --view N those of a view; both stay as "
        "long as a model is made of them. The summary says which words were "
        "taken and what they leave out. mpirun -n R kedge fit STORE fits the "
        "documents of the stores STORE.0, STORE.1, ... that R ranks read with "
        "kedge ingest; STORE, made on rank 0's machine, gets the words of all "
        "and the models, with the bytes of those of one store. --memory is "
        "each rank's. What passes over all documents and ways to topics "
        "beside the usual one are refused.",
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
    .options = options,
    .size = sizeof(fit),
    .begin = begin,
    .check = check,
    .run = run,
    .mode = KEDGE_OPEN_WRITE,
    .work = work,
    .tell = tell,
    .end = end,
};
