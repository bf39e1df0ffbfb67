/* SPDX-License-Identifier: MIT */
/* Models of several processes against those of one store with all documents. */
#include <math.h>

#include "linalg/tall.h"
#include "ops/teamwork.h"

enum { N = 200 };

static const unsigned sizes[] = {2, 3, 5};

/* ---- what is exported ---------------------------------------------------- */

static void check_file(const char *left, const char *right, const char *name)
{
    char path[2][400], bytes[2][4096];
    size_t size[2];
    FILE *f[2];

    snprintf(path[0], sizeof path[0], "%.100s/%.255s", left, name);
    snprintf(path[1], sizeof path[1], "%.100s/%.255s", right, name);
    for (size_t i = 0; i < 2; i++)
        ck_assert_msg((f[i] = fopen(path[i], "r")) != NULL, "%s", path[i]);
    do {
        for (size_t i = 0; i < 2; i++)
            size[i] = fread(bytes[i], 1, sizeof bytes[i], f[i]);
        ck_assert_msg(size[0] == size[1] &&
                          memcmp(bytes[0], bytes[1], size[0]) == 0,
                      "%s differs", name);
    } while (size[0] > 0);
    fclose(f[0]);
    fclose(f[1]);
}

static size_t check_files(const char *left, const char *right)
{
    DIR *const dir = opendir(left);
    size_t n = 0;

    ck_assert_ptr_nonnull(dir);
    for (const struct dirent *e; (e = readdir(dir)) != NULL;)
        if (e->d_name[0] != '.') {
            check_file(left, right, e->d_name);
            n++;
        }
    closedir(dir);
    return n;
}

static void export_to(const kedge_model *m, const char *path, bool spectrum)
{
    kedge_export_opts o;
    kedge_error err = {0};

    kedge_export_opts_init(&o);
    o.spectrum = spectrum;
    ck_ok(kedge_export(m, path, &o, &err), err);
}

/* Both folders, byte for byte. */
static void check_exported(gathered *g, const kedge_model *together,
                           const kedge_model *alone, bool spectrum)
{
    char left[96], right[96];

    export_to(together, planted_path(&g->sum.p, "out", left), spectrum);
    export_to(alone, planted_path(&g->all.p, "out", right), spectrum);
    ck_assert_uint_gt(check_files(left, right), 3);
    ck_assert_uint_eq(check_files(right, left), check_files(left, right));
    scene_remove(left);
    scene_remove(right);
}

static void check_model(teamwork *w, const char *name)
{
    kedge_model *const together = teamwork_load(&w->g->sum, name);
    kedge_model *const alone = teamwork_load(&w->g->all, name);

    ck_assert(planted_same(together, alone));
    ck_assert_int_eq(kedge_model_eigenvectors(together) != NULL,
                     w->o.keep_spectrum);
    check_exported(w->g, together, alone, w->o.keep_spectrum);
    kedge_model_free(together);
    kedge_model_free(alone);
}

/* ---- what is told -------------------------------------------------------- */

static void check_result(const kedge_fit_result *got,
                         const kedge_fit_result *alone)
{
    kedge_fit_result a = *got, b = *alone;

    a.seconds = a.seconds_spectrum = a.seconds_rectify = a.seconds_topics =
        a.seconds_store = 0;
    b.seconds = b.seconds_spectrum = b.seconds_rectify = b.seconds_topics =
        b.seconds_store = 0;
    a.peak_memory = b.peak_memory = 0;
    ck_assert_str_eq(a.model, b.model);
    memset(a.model, 0, sizeof a.model);
    memset(b.model, 0, sizeof b.model);
    ck_assert_mem_eq(&a, &b, sizeof a);
}

/* Rows of the others' sketches, what is counted, and the total: to the next
 * one, and from the last. */
static void check_rows(const teamwork *w, uint64_t rows, uint64_t width)
{
    const unsigned size = w->g->size;
    const unsigned holders = size < TALL_GROUPS ? size : TALL_GROUPS;
    const uint64_t sums = 5 * sizeof(uint64_t);

    for (unsigned r = 0; r < size; r++) {
        const uint64_t own =
            r < holders ? tall_of(rows, r, holders).count : 0;
        ck_assert_uint_eq(w->traffic[r].rows,
                          own * (size - 1) * (1 + width) * 8 +
                              sums * (r > 0) + sums * (r + 1 < size));
    }
}

static void check_traffic(const teamwork *w, const kedge_fit_result *alone)
{
    check_rows(w, alone->words, alone->width);
    for (unsigned r = 0; r < w->g->size; r++) {
        ck_assert_uint_gt(w->traffic[r].words, 0);
        if (r >= TALL_GROUPS) {
            ck_assert(w->traffic[r].rectify == 0 && w->traffic[r].topics == 0);
            continue;
        }
        ck_assert_uint_gt(w->traffic[r].spectrum, 0);
        ck_assert_uint_gt(w->traffic[r].topics, 0);
    }
}

static void check_all(teamwork *w)
{
    kedge_fit_result alone[TEAMWORK_MODELS];

    teamwork_fit(w);
    teamwork_fit_alone(w, alone);
    for (size_t i = 0; i < w->count; i++) {
        check_model(w, alone[i].model);
        for (unsigned r = 0; r < w->g->size; r++)
            check_result(&w->r[r][i], &alone[i]);
    }
    check_traffic(w, alone);
    gathered_verify(&w->g->sum);
    for (unsigned r = 0; r < w->g->size; r++)
        gathered_verify(&w->g->member[r]);
}

/* ---- the same models ---------------------------------------------------- */

/* Each fit with the words as they are and by a rule. */
static void check_weights(gathered *g, kedge_weight from)
{
    teamwork w;

    teamwork_begin(&w, g);
    for (int weight = (int)from; weight < 3; weight++) {
        w.o.weight = (kedge_weight)weight;
        w.o.min_df = 0;
        check_all(&w);
        w.o.min_df = 2;
        w.o.fresh = true;
        check_all(&w);
        w.o.fresh = false;
    }
}

TEST(all_words_and_those_by_a_rule)
{
    for (size_t i = 0; i < 3; i++) {
        gathered g;
        gathered_begin(&g, sizes[i], N);
        check_weights(&g, sizes[i] == 3 ? KEDGE_WEIGHT_NONE
                                        : KEDGE_WEIGHT_IDF);
        gathered_end(&g);
    }
}

static void ask_joint(kedge_ingest_opts *o)
{
    o->statistics = "joint";
}

TEST(statistics_of_pairs)
{
    teamwork w;
    gathered g;

    gathered_begin_with(&g, 3, N, ask_joint);
    teamwork_begin(&w, &g);
    check_all(&w);
    w.o.min_df = 3;
    w.o.name = "listed";
    check_all(&w);
    gathered_end(&g);
}

/* Words have other numbers in each store, and some are in few of them. */
TEST(words_as_they_come)
{
    for (size_t i = 0; i < 3; i++) {
        teamwork w;
        gathered g;
        gathered_begin_with(&g, sizes[i], N, gathered_no_vocabulary);
        teamwork_begin(&w, &g);
        check_all(&w);
        w.o.min_df = 1;
        w.o.width = 32;
        w.o.name = "wide";
        check_all(&w);
        gathered_end(&g);
    }
}

TEST(several_at_once_with_their_spectrum)
{
    static const uint64_t topics[] = {4, 2, 6};

    for (size_t i = 0; i < 3; i++) {
        teamwork w;
        gathered g;
        gathered_begin(&g, sizes[i], N);
        teamwork_begin(&w, &g);
        w.topics = topics;
        w.count = 3;
        w.o.keep_spectrum = true;
        w.o.name = "some";
        check_all(&w);
        gathered_end(&g);
    }
}

TEST(other_ways_that_all_can_go)
{
    teamwork w;
    gathered g;

    gathered_begin(&g, 3, N);
    teamwork_begin(&w, &g);
    w.o.rectify = KEDGE_RECTIFY_NONE;
    w.o.name = "plain";
    check_all(&w);
    w.o.rectify = KEDGE_RECTIFY_ENN;
    w.o.rounds = 9;
    w.o.tolerance = 0;
    w.o.correlations = KEDGE_CORRELATIONS_DIAGONAL;
    w.o.anchor_min_df = 20;
    w.o.legal = true;
    w.o.name = "other";
    check_all(&w);
    gathered_end(&g);
}

/* Some have no documents, some no rows. */
TEST(more_processes_than_work)
{
    teamwork w;
    gathered g;

    for (unsigned size = 12; size <= 18; size += 6) {
        gathered_begin_with(&g, size, N,
                            size == 12 ? gathered_no_vocabulary : NULL);
        teamwork_begin(&w, &g);
        check_all(&w);
        gathered_end(&g);
    }
}

TEST(one_process_is_a_team)
{
    teamwork w;
    gathered g;

    gathered_begin(&g, 1, N);
    teamwork_begin(&w, &g);
    teamwork_fit(&w);
    teamwork_fit_alone(&w, w.r[1]);
    check_model(&w, "k4");
    check_result(&w.r[0][0], &w.r[1][0]);
    ck_assert_uint_eq(w.traffic[0].rows, 0);
    gathered_end(&g);
}

TEST(eigenvalues_are_everybodys)
{
    double alone[16];
    teamwork w;
    gathered g;

    gathered_begin(&g, 3, N);
    teamwork_begin(&w, &g);
    w.eigenvalues = true;
    teamwork_fit(&w);
    w.o.eigenvalues = alone;
    teamwork_fit_alone(&w, w.r[THREADRANKS_MOST - 1]);
    for (unsigned r = 0; r < 3; r++)
        ck_assert_mem_eq(w.values[r], alone, 5 * sizeof *alone);
    gathered_end(&g);
}

/* ---- documents come and go ---------------------------------------------- */

/* Who lacks some of them in a sketch makes it up. Models stay. */
TEST(later_fits_are_of_the_documents_then)
{
    kedge_model *before, *after;
    teamwork w;
    gathered g;

    gathered_begin(&g, 3, N);
    teamwork_begin(&w, &g);
    w.o.min_df = 2;
    w.o.name = "first";
    check_all(&w);
    before = teamwork_load(&g.sum, "first");
    lively_remove_batch(&g.member[1], 4, true);
    lively_remove_batch(&g.all, 4, true);
    w.o.name = "second";
    check_all(&w);
    lively_remove_batch(&g.member[2], 2, false);
    lively_remove_batch(&g.all, 2, false);
    w.o.min_df = 0;
    w.o.view = 0;
    w.o.name = "third";
    check_all(&w);
    after = teamwork_load(&g.sum, "first");
    ck_assert(planted_same(before, after));
    kedge_model_free(before);
    kedge_model_free(after);
    ck_assert_uint_eq(planted_info(&g.sum.p).models, 3);
    gathered_end(&g);
}

/* One view by this rule in every store, whatever it was like before. */
TEST(views_by_a_rule_are_replaced)
{
    teamwork w;
    gathered g;

    gathered_begin(&g, 3, N);
    teamwork_begin(&w, &g);
    w.o.min_df = 12;
    check_all(&w);
    for (size_t shard = 3; shard < 8; shard++) {
        lively_remove_batch(&g.member[shard % 3], shard, false);
        lively_remove_batch(&g.all, shard, false);
    }
    check_all(&w);
    ck_assert_uint_eq(planted_info(&g.sum.p).views, 2);
    for (unsigned r = 0; r < 3; r++)
        ck_assert_uint_eq(planted_info(&g.member[r].p).views, 2);
    gathered_end(&g);
}

/* One store's documents have other words than those that are kept. */
TEST(a_store_may_know_none_of_the_words)
{
    char path[96];
    teamwork w;
    gathered g;
    FILE *f;

    gathered_begin_with(&g, 2, N, gathered_no_vocabulary);
    f = planted_file(planted_path(&g.all.p, "others", path));
    for (int i = 0; i < 30; i++)
        fprintf(f, "{\"id\":\"o%d\",\"text\":{\"other\":3,\"o%d\":4}}\n", i,
                i % 5);
    ck_assert_int_eq(fclose(f), 0);
    for (size_t i = 1; i < LIVELY_SHARDS; i += 2) {
        lively_remove_batch(&g.member[1], i, false);
        lively_remove_batch(&g.all, i, false);
    }
    ck_ok(planted_ingest(&g.all.p, path), g.all.p.t.err);
    ck_ok(planted_ingest(&g.member[1].p, path), g.member[1].p.t.err);
    teamwork_begin(&w, &g);
    w.o.keep = g.all.listed;
    check_all(&w);
    gathered_end(&g);
}

/* Topics keep their numbers by the model that is replaced, or by another. */
TEST(topics_keep_their_numbers)
{
    teamwork w;
    gathered g;

    gathered_begin(&g, 2, N);
    teamwork_begin(&w, &g);
    check_all(&w);
    lively_remove_batch(&g.member[1], 1, false);
    lively_remove_batch(&g.all, 1, false);
    check_all(&w);
    w.o.like = "k4";
    w.o.name = "like";
    check_all(&w);
    gathered_end(&g);
}

/* ---- what is refused ---------------------------------------------------- */

/* The i-th that takes all documents; NULL behind the last. */
static const char *ask_for(size_t i, kedge_fit_opts *o)
{
    static const char *const names[] = {
        "--refine",  "--polish",     "--ncut",    "--phrases",
        "--rectify", "--solver",     "--recover", "--anchors",
        "--anchor-ban", "--cooccurrence", NULL};

    o->refine = i == 0;
    o->polish = i == 1;
    o->ncut = i == 2;
    o->phrases = i == 3 ? 2 : o->phrases;
    o->rectify = i == 4 ? KEDGE_RECTIFY_AP : o->rectify;
    o->solver = i == 5 ? KEDGE_SOLVER_ACTIVE_SET : o->solver;
    o->recover = i == 6 ? KEDGE_RECOVER_KL : o->recover;
    o->anchors = i == 7 ? KEDGE_ANCHORS_SPA : o->anchors;
    o->anchor_ban = i == 8 ? "/dev/null" : NULL;
    o->cooccurrence = i == 9 ? KEDGE_COOCCURRENCE_DENSE : o->cooccurrence;
    return names[i];
}

TEST(what_takes_all_documents_is_refused_by_everybody)
{
    const char *what;
    char text[128];
    teamwork w;
    gathered g;

    gathered_begin(&g, 3, N);
    teamwork_begin(&w, &g);
    for (size_t i = 0; (what = ask_for(i, &w.o)) != NULL; i++) {
        teamwork_try(&w);
        snprintf(text, sizeof text, "%s is of one process with all documents: "
                 "'kedge merge' puts the stores together", what);
        for (unsigned r = 0; r < 3; r++)
            ck_fails(w.status[r], KEDGE_EINVAL, g.member[r].p.t.err, text);
        teamwork_begin(&w, &g);
    }
    ck_assert_uint_eq(planted_info(&g.sum.p).documents, 0);
    gathered_end(&g);
}

TEST(bad_options_are_refused_by_everybody)
{
    static const uint64_t one[] = {1}, many[] = {70};
    teamwork w;
    gathered g;

    gathered_begin(&g, 3, N);
    teamwork_begin(&w, &g);
    w.topics = one;
    teamwork_try(&w);
    for (unsigned r = 0; r < 3; r++)
        ck_fails(w.status[r], KEDGE_EINVAL, g.member[r].p.t.err, "2 to 2000");
    w.topics = many; /* known once the words are */
    teamwork_try(&w);
    for (unsigned r = 0; r < 3; r++)
        ck_fails(w.status[r], KEDGE_EINVAL, g.member[r].p.t.err,
                 "wider sketch");
    ck_assert_uint_eq(planted_info(&g.sum.p).models, 0);
    gathered_end(&g);
}

TEST(a_view_for_nothing_goes)
{
    static const uint64_t many[] = {70};
    teamwork w;
    gathered g;

    gathered_begin(&g, 2, N);
    teamwork_begin(&w, &g);
    w.topics = many;
    w.o.min_df = 2;
    w.o.width = 80;
    teamwork_try(&w);
    for (unsigned r = 0; r < 2; r++)
        ck_fails(w.status[r], KEDGE_EINVAL, g.member[r].p.t.err,
                 "wider sketch");
    ck_assert_uint_eq(planted_info(&g.sum.p).views, 1);
    gathered_end(&g);
}

/* By the first one, whom others would wait for. */
TEST(a_small_budget_is_refused)
{
    teamwork w;
    gathered g;

    gathered_begin(&g, 1, N);
    teamwork_begin(&w, &g);
    g.member[0].p.c.memory = UINT64_C(1) << 20;
    teamwork_try(&w);
    ck_fails(w.status[0], KEDGE_EBUDGET, g.member[0].p.t.err, " 1 MiB");
    g.member[0].p.c.memory = UINT64_C(200) << 20;
    w.o.min_df = 1;
    w.o.width = 8192;
    teamwork_try(&w);
    ck_fails(w.status[0], KEDGE_EBUDGET, g.member[0].p.t.err, "200 MiB");
    ck_assert_uint_eq(planted_info(&g.sum.p).views, 1);
    gathered_end(&g);
}
