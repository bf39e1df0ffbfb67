/* SPDX-License-Identifier: MIT */
#include "pipeline/fit/fitcheck.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "pipeline/elsewhere.h"
#include "pipeline/index/index.h"
#include "sketch/spectrum.h"
#include "sketch/statistic.h"

#define WIDTH_MOST 8192 /* columns of a sketch */

void kedge_fit_opts_init(kedge_fit_opts *opts)
{
    if (opts == NULL)
        return;
    *opts = (kedge_fit_opts){.cooccurrence = KEDGE_COOCCURRENCE_AUTO,
                             .tolerance = 2e-3,
                             .anchors = KEDGE_ANCHORS_AUTO,
                             .solver = KEDGE_SOLVER_AUTO,
                             .weight = KEDGE_WEIGHT_IDF,
                             .phrase_score = NAN,
                             .view = KEDGE_NO_VIEW};
}

static kedge_status fitcheck_phrases(const kedge_fit_opts *o,
                                     kedge_error *err)
{
    if (o->phrases > STORE_JOIN_ROUNDS + 1)
        return kedge_fail(err, KEDGE_EINVAL,
                          "phrases of %llu words: up to %d can be joined",
                          (unsigned long long)o->phrases,
                          STORE_JOIN_ROUNDS + 1);
    if (o->phrase_score < -1 || o->phrase_score > 1)
        return kedge_fail(err, KEDGE_EINVAL,
                          "a phrase's score is from -1 to 1");
    if (o->phrases < 2 && (o->phrase_documents != 0 || !isnan(o->phrase_score)))
        return kedge_fail(err, KEDGE_EINVAL,
                          "which phrases are found is said, but not of how "
                          "many words: --phrases 2 was expected beside it");
    return KEDGE_OK;
}

/* How topics are found. */
static kedge_status fitcheck_ways(const kedge_fit_opts *o, kedge_error *err)
{
    if ((unsigned)o->anchors > KEDGE_ANCHORS_AUTO)
        return kedge_fail(err, KEDGE_EINVAL, "there is no way %d to anchors",
                          (int)o->anchors);
    if ((unsigned)o->solver > KEDGE_SOLVER_AUTO)
        return kedge_fail(err, KEDGE_EINVAL, "there is no solver %d",
                          (int)o->solver);
    if ((unsigned)o->recover > KEDGE_RECOVER_ANCHOR_FREE)
        return kedge_fail(err, KEDGE_EINVAL, "there is no way %d to topics",
                          (int)o->recover);
    if (o->solver != KEDGE_SOLVER_AUTO && o->recover != KEDGE_RECOVER_L2)
        return kedge_fail(err, KEDGE_EINVAL,
                          "solvers are of least squares: --recover l2 was "
                          "expected beside --solver");
    if ((o->anchors == KEDGE_ANCHORS_FILE) != (o->anchor_file != NULL))
        return kedge_fail(err, KEDGE_EINVAL,
                          "a file of anchors and the wish for one go together");
    if (o->anchors == KEDGE_ANCHORS_MODEL && o->fresh)
        return kedge_fail(err, KEDGE_EINVAL,
                          "topics that are like those of no model cannot keep "
                          "a model's anchors");
    if (o->anchors == KEDGE_ANCHORS_COUNTED && !fitcheck_exact(o))
        return kedge_fail(err, KEDGE_EINVAL,
                          "a sketch has no rows of the co-occurrence as it was "
                          "counted: --cooccurrence dense or sparse was "
                          "expected beside --anchors counted");
    if (o->project > KEDGE_PROJECT_MOST)
        return kedge_fail(err, KEDGE_EINVAL,
                          "a projection has %d dimensions at most, not %llu",
                          KEDGE_PROJECT_MOST,
                          (unsigned long long)o->project);
    if (o->project > 0 && o->anchors != KEDGE_ANCHORS_FAST)
        return kedge_fail(err, KEDGE_EINVAL,
                          "the projection is a part of FastAnchorWords: "
                          "--anchors fast was expected beside --project");
    if (o->recover == KEDGE_RECOVER_ANCHOR_FREE &&
        (o->anchors != KEDGE_ANCHORS_AUTO || o->anchor_ban != NULL))
        return kedge_fail(err, KEDGE_EINVAL,
                          "without anchors there are none to choose: neither "
                          "--anchors nor --anchor-ban was expected");
    return KEDGE_OK;
}

static bool fitcheck_takes_all_pairs(const kedge_fit_opts *o)
{
    return o->rectify == KEDGE_RECTIFY_AP || o->rectify == KEDGE_RECTIFY_DR;
}

kedge_cooccurrence fitcheck_cooccurrence(const kedge_fit_opts *o)
{
    if (o->cooccurrence != KEDGE_COOCCURRENCE_AUTO)
        return o->cooccurrence;
    return fitcheck_takes_all_pairs(o) ? KEDGE_COOCCURRENCE_DENSE
                                       : KEDGE_COOCCURRENCE_SKETCH;
}

kedge_anchors fitcheck_anchors(const kedge_fit_opts *o)
{
    return o->anchors == KEDGE_ANCHORS_AUTO ? KEDGE_ANCHORS_QR : o->anchors;
}

kedge_solver fitcheck_solver(const kedge_fit_opts *o)
{
    return o->solver == KEDGE_SOLVER_AUTO ? KEDGE_SOLVER_ADMM : o->solver;
}

bool fitcheck_exact(const kedge_fit_opts *o)
{
    return fitcheck_cooccurrence(o) != KEDGE_COOCCURRENCE_SKETCH;
}

static kedge_status fitcheck_method(const kedge_fit_opts *o, kedge_error *err)
{
    if ((unsigned)o->cooccurrence > KEDGE_COOCCURRENCE_AUTO)
        return kedge_fail(err, KEDGE_EINVAL, "there is no co-occurrence %d",
                          (int)o->cooccurrence);
    if ((unsigned)o->rectify > KEDGE_RECTIFY_DR)
        return kedge_fail(err, KEDGE_EINVAL, "there is no rectification %d",
                          (int)o->rectify);
    if (o->recover == KEDGE_RECOVER_ANCHOR_FREE &&
        o->correlations != KEDGE_CORRELATIONS_LS)
        return kedge_fail(err, KEDGE_EINVAL,
                          "without anchors there are no correlations from "
                          "them: --correlations ls was expected");
    if (fitcheck_exact(o) && o->refine > 0)
        return kedge_fail(err, KEDGE_EINVAL,
                          "the eigenpairs of the co-occurrence itself are "
                          "exact: there is nothing to refine");
    if (fitcheck_takes_all_pairs(o) &&
        fitcheck_cooccurrence(o) != KEDGE_COOCCURRENCE_DENSE)
        return kedge_fail(err, KEDGE_EINVAL,
                          "projections of all pairs of words %s: "
                          "--cooccurrence dense was expected beside "
                          "--rectify ap and dr",
                          o->cooccurrence == KEDGE_COOCCURRENCE_SPARSE
                              ? "leave none at zero"
                              : "cannot be had from a sketch");
    return KEDGE_OK;
}

kedge_status fitcheck_topics(const uint64_t *topics, size_t count,
                             kedge_error *err)
{
    if (count == 0)
        return kedge_fail(err, KEDGE_EINVAL, "no number of topics was given");
    for (size_t i = 0; i < count; i++) {
        if (topics[i] < 2 || topics[i] > 2000)
            return kedge_fail(err, KEDGE_EINVAL,
                              "%llu topics: a model has 2 to 2000",
                              (unsigned long long)topics[i]);
        for (size_t j = 0; j < i; j++)
            if (topics[i] == topics[j])
                return kedge_fail(err, KEDGE_EINVAL,
                                  "topics: %llu comes twice",
                                  (unsigned long long)topics[i]);
    }
    return KEDGE_OK;
}

kedge_status fitcheck_most(uint64_t topics, size_t rows, size_t width,
                           kedge_error *err)
{
    const uint64_t well = 10 * topics < WIDTH_MOST ? 10 * topics : WIDTH_MOST;

    if (topics > rows)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%llu topics are too many for %zu words: that many "
                          "have %zu topics at most",
                          (unsigned long long)topics, rows, rows);
    if (topics > spectrum_limit(width))
        return kedge_fail(err, KEDGE_EINVAL,
                          "%llu topics need a wider sketch: this one of %zu "
                          "columns gives %zu at most; 'kedge fit --sketch "
                          "%llu', with the words of a new view, makes one that "
                          "serves them well",
                          (unsigned long long)topics, width,
                          spectrum_limit(width), (unsigned long long)well);
    return KEDGE_OK;
}

kedge_status fitcheck_totals(const store_totals *totals,
                             const kedge_fit_opts *o, kedge_error *err)
{
    const bool passes = o->rectify == KEDGE_RECTIFY_PALM ||
                        o->rectify == KEDGE_RECTIFY_IPALM;
    const char *const what = o->refine > 0       ? "--refine"
                             : o->polish > 0     ? "--polish"
                             : o->ncut           ? "--ncut"
                             : fitcheck_exact(o) ? "--cooccurrence"
                             : passes            ? "--rectify"
                             : o->phrases > 1    ? "--phrases"
                                                 : NULL;

    if (totals->documents == 0)
        return kedge_fail(err, KEDGE_ENOTFOUND,
                          "the store has no documents yet; add some with "
                          "'kedge ingest STORE FILE...'");
    return what == NULL ? KEDGE_OK : elsewhere_refuse(totals, what, err);
}

kedge_status fitcheck_view(const store_view *view, kedge_error *err)
{
    if (view->documents == 0)
        return kedge_fail(err, KEDGE_ENOTFOUND,
                          "no document has %llu or more of the view's words "
                          "(--min-tokens): there is nothing to fit; take more "
                          "words, or fewer as enough",
                          (unsigned long long)view->min_tokens);
    if (statistic_damped(view->statistic) && view->total == 0)
        return kedge_fail(err, KEDGE_ENOTFOUND,
                          "no document has two of the view's words: there is "
                          "nothing to fit; --min-df 1 --max-df 1 takes all "
                          "words");
    return KEDGE_OK;
}

kedge_status fitcheck_opts(const kedge_fit_opts *o, size_t count,
                           kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (o->name != NULL &&
        (o->name[0] == '\0' || strlen(o->name) > 63 - (count > 1 ? 6 : 0)))
        return kedge_fail(err, KEDGE_EINVAL,
                          "a model's name has 1 to %d bytes, not %zu",
                          count > 1 ? 57 : 63, strlen(o->name));
    if (o->name != NULL && strchr(o->name, ',') != NULL)
        return kedge_fail(err, KEDGE_EINVAL,
                          "\"%s\" is no name for a model: commas are between "
                          "names (kedge eval --model)", o->name);
    if (o->like != NULL && (o->like[0] == '\0' || o->fresh))
        return kedge_fail(err, KEDGE_EINVAL,
                          o->fresh ? "topics cannot be both fresh and like "
                                     "those of another model"
                                   : "an empty name is no model's");
    if (o->statistic != NULL &&
        statistic_find(o->statistic, strlen(o->statistic)) == STATISTIC_NONE)
        return kedge_fail(err, KEDGE_EINVAL,
                          "statistic \"%.40s\": there are joint, log and sqrt",
                          o->statistic);
    if (o->refine > 20 || o->rounds > 200)
        return kedge_fail(err, KEDGE_EINVAL,
                          "refine is at most 20, not %llu, and rounds are at "
                          "most 200, not %llu", (unsigned long long)o->refine,
                          (unsigned long long)o->rounds);
    if (o->polish > KEDGE_POLISH_MOST)
        return kedge_fail(err, KEDGE_EINVAL, "polish is at most %d, not "
                          "%llu", KEDGE_POLISH_MOST,
                          (unsigned long long)o->polish);
    if (o->width != 0 && (o->width < 16 || o->width > WIDTH_MOST))
        return kedge_fail(err, KEDGE_EINVAL,
                          "width of the sketch: %llu is not in 16 to %d",
                          (unsigned long long)o->width, WIDTH_MOST);
    TRY(statistic_check_tokens(o->min_tokens, err));
    if (!(o->max_df >= 0))
        return kedge_fail(err, KEDGE_EINVAL, "max_df is negative: %g",
                          o->max_df);
    if ((unsigned)o->weight > KEDGE_WEIGHT_SQRT)
        return kedge_fail(err, KEDGE_EINVAL, "there is no word weight %d",
                          (int)o->weight);
    if (o->max_df > 1 && o->max_df != floor(o->max_df))
        return kedge_fail(err, KEDGE_EINVAL,
                          "--max-df %g: a share up to 1, or a whole number of "
                          "documents, was expected",
                          o->max_df);
    if (!(o->tolerance >= 0))
        return kedge_fail(err, KEDGE_EINVAL, "a tolerance is 0 or more, "
                          "not %g", o->tolerance);
    if (o->freeze && index_asks_for_words(o))
        return kedge_fail(err, KEDGE_EINVAL,
                          "--freeze keeps the words as they are, and a rule, "
                          "as --min-df 5, chooses them anew: one of the two "
                          "was expected");
    if (o->view != KEDGE_NO_VIEW && index_asks_for_words(o))
        return kedge_fail(err, KEDGE_EINVAL,
                          "view %llu has its words already: choose a view, or "
                          "words, not both",
                          (unsigned long long)o->view);
    TRY(fitcheck_ways(o, err));
    TRY(fitcheck_method(o, err));
    TRY(fitcheck_phrases(o, err));
out:
    return st;
}
