/* SPDX-License-Identifier: MIT */
#include "ops/fit/fit.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "ops/elsewhere.h"
#include "ops/index/index.h"
#include "rectify/rectify.h"
#include "cooccur/statistic.h"

#define WIDTH_MOST 8192 /* columns of a sketch */

void kedge_fit_opts_init(kedge_fit_opts *opts)
{
    if (opts == NULL)
        return;
    *opts = (kedge_fit_opts){.cooccurrence = KEDGE_COOCCURRENCE_AUTO,
                             .rectify_tol = 2e-3,
                             .anchors = KEDGE_ANCHORS_AUTO,
                             .solver = KEDGE_SOLVER_AUTO,
                             .term_weight = KEDGE_TERM_WEIGHT_IDF,
                             .phrase_score = NAN,
                             .index = KEDGE_NO_INDEX};
}

/* ---- what is taken where nothing was said -------------------------------- */

kedge_cooccurrence fitcheck_cooccurrence(const kedge_fit_opts *o)
{
    if (o->cooccurrence != KEDGE_COOCCURRENCE_AUTO)
        return o->cooccurrence;
    return rectify_methods[o->rectify].pairs ? KEDGE_COOCCURRENCE_DENSE
                                             : KEDGE_COOCCURRENCE_SKETCH;
}

bool fitcheck_exact(const kedge_fit_opts *o)
{
    return fitcheck_cooccurrence(o) != KEDGE_COOCCURRENCE_SKETCH;
}

kedge_anchors fitcheck_anchors(const kedge_fit_opts *o)
{
    return o->anchors == KEDGE_ANCHORS_AUTO ? KEDGE_ANCHORS_QR : o->anchors;
}

/* A preset's is of no use where `recover` was changed. */
kedge_solver fitcheck_solver(const kedge_fit_opts *o)
{
    return o->solver == KEDGE_SOLVER_AUTO || o->recover != KEDGE_RECOVER_L2
               ? KEDGE_SOLVER_ADMM : o->solver;
}

uint64_t fitcheck_rounds(const kedge_fit_opts *o)
{
    return o->rectify_iter > 0 ? o->rectify_iter
                               : rectify_methods[o->rectify].rounds;
}

/* ---- what makes no sense ------------------------------------------------- */

#define REFUSE(wrong, ...)                                     \
    do {                                                       \
        if (wrong)                                             \
            return kedge_fail(err, KEDGE_EINVAL, __VA_ARGS__); \
    } while (0)

#define ULL(number) ((unsigned long long)(number))

static kedge_status fitcheck_words(const kedge_fit_opts *o, kedge_error *err)
{
    REFUSE(!(o->max_df >= 0), "max_df is negative: %g", o->max_df);
    REFUSE(o->max_df > 1 && o->max_df != floor(o->max_df),
           "--max-df %g: write a share up to 1, or a whole number of "
           "documents", o->max_df);
    REFUSE(o->freeze && index_asks_for_words(o),
           "--freeze keeps the words of the earlier model, a rule such as "
           "--min-df 5 chooses others: give one of the two");
    REFUSE(o->index != KEDGE_NO_INDEX && index_asks_for_words(o),
           "index %llu has its words already: choose an index, or words, not "
           "both", ULL(o->index));
    REFUSE(o->phrases > STORE_JOIN_ROUNDS + 1,
           "phrases of %llu words: expected at most %d", ULL(o->phrases),
           STORE_JOIN_ROUNDS + 1);
    REFUSE(o->phrase_score < -1 || o->phrase_score > 1,
           "a phrase's score is from -1 to 1");
    REFUSE(o->phrases < 2 &&
               (o->phrase_df != 0 || !isnan(o->phrase_score)),
           "--phrase-df and --phrase-score need --phrases: give --phrases 2 "
           "or more");
    return KEDGE_OK;
}

/* How topics are found. */
static kedge_status fitcheck_ways(const kedge_fit_opts *o, kedge_error *err)
{
    const bool free = o->recover == KEDGE_RECOVER_ANCHOR_FREE;

    REFUSE((unsigned)o->anchors > KEDGE_ANCHORS_AUTO,
           "unknown choice of anchors: %d", (int)o->anchors);
    REFUSE((unsigned)o->solver > KEDGE_SOLVER_AUTO, "unknown solver: %d",
           (int)o->solver);
    REFUSE((unsigned)o->recover > KEDGE_RECOVER_ANCHOR_FREE,
           "unknown recovery of topics: %d", (int)o->recover);
    REFUSE(o->solver != KEDGE_SOLVER_AUTO && o->recover != KEDGE_RECOVER_L2 &&
               o->preset == KEDGE_PRESET_NONE,
           "--solver needs --recover l2: only least squares have a solver");
    REFUSE((o->anchors == KEDGE_ANCHORS_FILE) != (o->anchor_file != NULL),
           "a file of anchors needs anchors = file, and anchors = file needs a "
           "file");
    REFUSE(o->anchors == KEDGE_ANCHORS_MODEL && o->fresh,
           "--anchors model takes the anchors of a model, --align none names "
           "no model: give one of the two");
    REFUSE(o->anchors == KEDGE_ANCHORS_COUNTED && !fitcheck_exact(o),
           "--anchors counted needs --cooccurrence dense or sparse: a sketch "
           "does not have the rows of the co-occurrence");
    REFUSE(o->projection > KEDGE_PROJECTION_MOST,
           "a projection has %d dimensions at most, not %llu",
           KEDGE_PROJECTION_MOST, ULL(o->projection));
    REFUSE(o->projection > 0 && o->anchors != KEDGE_ANCHORS_FAST,
           "--projection needs --anchors fast: it is a part of "
           "FastAnchorWords");
    REFUSE(free && (o->anchors != KEDGE_ANCHORS_AUTO || o->anchor_ban != NULL),
           "--recover anchor-free takes no anchors: leave out --anchors and "
           "--anchor-ban");
    REFUSE(free && o->topic_cooccurrence != KEDGE_TOPIC_COOCCURRENCE_LS,
           "--recover anchor-free needs --topic-cooccurrence least-squares: "
           "there are no anchors to take it from");
    REFUSE(fitcheck_exact(o) && o->power_iter > 0,
           "--cooccurrence dense and sparse have exact eigenpairs: leave out "
           "--power-iter");
    REFUSE(rectify_methods[o->rectify].pairs &&
               fitcheck_cooccurrence(o) != KEDGE_COOCCURRENCE_DENSE,
           "--rectify ap and dr need --cooccurrence dense: they change all "
           "pairs of words");
    return KEDGE_OK;
}

kedge_status fitcheck_opts(const kedge_fit_opts *o, size_t count,
                           kedge_error *err)
{
    const int most = count > 1 ? 57 : 63; /* bytes of a name */

    REFUSE(o->name != NULL &&
               (o->name[0] == '\0' || strlen(o->name) > (size_t)most),
           "a model's name has 1 to %d bytes, not %zu", most,
           strlen(o->name));
    REFUSE(o->name != NULL && strchr(o->name, ',') != NULL,
           "\"%s\" cannot name a model: commas separate names (kedge eval "
           "--model)", o->name);
    if (o->name != NULL)
        PASS(naming_check("a model's name", o->name, err));
    REFUSE(o->align != NULL && o->fresh,
           "topics are numbered by prevalence or as in another model: give "
           "one of the two");
    REFUSE(o->align != NULL && o->align[0] == '\0',
           "a model's name cannot be empty");
    REFUSE(o->tf != NULL &&
               statistic_find(o->tf, strlen(o->tf)) == STATISTIC_NONE,
           "--tf \"%.40s\": choose raw, log or sqrt", o->tf);
    REFUSE(o->power_iter > 20 || o->rectify_iter > 200,
           "power iterations are at most 20, not %llu, and those of the "
           "rectification at most 200, not %llu", ULL(o->power_iter),
           ULL(o->rectify_iter));
    REFUSE(o->em_iter > KEDGE_EM_ITER_MOST,
           "EM iterations are at most %d, not %llu", KEDGE_EM_ITER_MOST,
           ULL(o->em_iter));
    REFUSE(o->sketch_size != 0 &&
               (o->sketch_size < 16 || o->sketch_size > WIDTH_MOST),
           "sketch size: %llu is not in 16 to %d", ULL(o->sketch_size),
           WIDTH_MOST);
    PASS(statistic_check_tokens(o->min_tokens, err));
    REFUSE((unsigned)o->term_weight > KEDGE_TERM_WEIGHT_SQRT,
           "unknown term weight: %d", (int)o->term_weight);
    REFUSE(!(o->rectify_tol >= 0), "a tolerance is 0 or more, not %g",
           o->rectify_tol);
    REFUSE((unsigned)o->cooccurrence > KEDGE_COOCCURRENCE_AUTO,
           "unknown co-occurrence: %d", (int)o->cooccurrence);
    REFUSE((unsigned)o->preset > KEDGE_PRESET_AW, "unknown preset: %d",
           (int)o->preset);
    REFUSE((unsigned)o->rectify > KEDGE_RECTIFY_DR,
           "unknown rectification: %d", (int)o->rectify);
    PASS(fitcheck_words(o, err));
    return fitcheck_ways(o, err);
}

kedge_status fitcheck_topics(const uint64_t *topics, size_t count,
                             kedge_error *err)
{
    REFUSE(count == 0, "no number of topics was given");
    for (size_t i = 0; i < count; i++) {
        REFUSE(topics[i] < 2 || topics[i] > 2000,
               "%llu topics: a model has 2 to 2000", ULL(topics[i]));
        for (size_t j = 0; j < i; j++)
            REFUSE(topics[i] == topics[j], "topics: %llu is given twice",
                   ULL(topics[i]));
    }
    return KEDGE_OK;
}

kedge_status fitcheck_most(uint64_t topics, size_t rows, size_t width,
                           kedge_error *err)
{
    const uint64_t well = 10 * topics < WIDTH_MOST ? 10 * topics : WIDTH_MOST;

    if (topics > rows)
        return kedge_fail(err, KEDGE_ENUMERIC,
                          "%llu topics are too many for %zu words: fit %zu "
                          "topics at most", ULL(topics), rows, rows);
    REFUSE(topics > spectrum_limit(width),
           "%llu topics need a wider sketch: this one of %zu columns allows "
           "%zu at most; 'kedge fit --sketch-size %llu' with the words of a "
           "new index makes a large enough one",
           ULL(topics), width, spectrum_limit(width), ULL(well));
    return KEDGE_OK;
}

/* ---- what the store has not ---------------------------------------------- */

kedge_status fitcheck_totals(const store_totals *totals,
                             const kedge_fit_opts *o, kedge_error *err)
{
    const bool passes = rectify_methods[o->rectify].products;
    const char *const what = o->power_iter > 0       ? "--power-iter"
                             : o->em_iter > 0     ? "--em-iter"
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

kedge_status fitcheck_index(const store_index *index, kedge_error *err)
{
    if (index->documents == 0)
        return kedge_fail(err, KEDGE_ENOTFOUND,
                          "no document has %llu or more of the index's words "
                          "(--min-tokens): there is nothing to fit; take more "
                          "words, or a smaller "
                          "--min-tokens", ULL(index->min_tokens));
    if (statistic_damped(index->statistic) && index->total == 0)
        return kedge_fail(err, KEDGE_ENOTFOUND,
                          "no document has two of the index's words: there is "
                          "nothing to fit; --min-df 1 --max-df 1 "
                          "--stopwords none takes all words");
    return KEDGE_OK;
}
