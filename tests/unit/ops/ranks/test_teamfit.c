/* SPDX-License-Identifier: MIT */
/* Models of several processes against those of one store with all documents. */
#include "linalg/tall.h"
#include "ops/teamwork.h"

enum { N = 200 };

static const unsigned sizes[] = {2, 3, 5};

/* ---- against one store --------------------------------------------------- */

static void check_model(teamwork *w, const char *name)
{
    kedge_model *const together = teamwork_load(&w->g->sum, name);
    kedge_model *const alone = teamwork_load(&w->g->all, name);

    ck_assert_int_eq(kedge_model_eigenvectors(together) != NULL,
                     w->o.save_spectrum);
    lively_same(together, alone);
}

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

/* Only ranks that have rows take part in what follows these. */
static void check_traffic(const teamwork *w)
{
    for (unsigned r = 0; r < w->g->size; r++) {
        const kedge_comm_traffic *const t = &w->traffic[r];
        ck_assert(t->words > 0 && t->rows > 0);
        if (r < TALL_GROUPS)
            ck_assert(t->spectrum > 0 && t->topics > 0);
        else
            ck_assert(t->rectify == 0 && t->topics == 0);
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
    check_traffic(w);
    lively_verify(&w->g->sum);
    for (unsigned r = 0; r < w->g->size; r++)
        lively_verify(&w->g->member[r]);
}

/* ---- the same models ---------------------------------------------------- */

/* Each fit with the words as they are and by a rule. */
static void check_weights(gathered *g, kedge_term_weight from)
{
    teamwork w;

    teamwork_begin(&w, g);
    for (int weight = (int)from; weight < 3; weight++) {
        w.o.term_weight = (kedge_term_weight)weight;
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
        OWN(gathered_end) gathered g;

        gathered_begin(&g, sizes[i], N);
        check_weights(&g, sizes[i] == 3 ? KEDGE_TERM_WEIGHT_NONE
                                        : KEDGE_TERM_WEIGHT_IDF);
    }
}

static void ask_joint(kedge_ingest_opts *o)
{
    o->tf = "raw";
}

TEST(statistics_of_pairs)
{
    teamwork w;
    OWN(gathered_end) gathered g;

    gathered_begin_with(&g, 3, N, ask_joint);
    teamwork_begin(&w, &g);
    check_all(&w);
    w.o.min_df = 3;
    w.o.name = "listed";
    check_all(&w);
}

/* Words have other numbers in each store, and some are in few of them. */
TEST(words_as_they_come)
{
    for (size_t i = 0; i < 3; i++) {
        teamwork w;
        OWN(gathered_end) gathered g;
        gathered_begin_with(&g, sizes[i], N, gathered_no_vocabulary);
        teamwork_begin(&w, &g);
        check_all(&w);
        w.o.min_df = 1;
        w.o.sketch_size = 32;
        w.o.name = "wide";
        check_all(&w);
    }
}

TEST(several_at_once_with_their_spectrum)
{
    static const uint64_t topics[] = {4, 2, 6};

    for (size_t i = 0; i < 3; i++) {
        teamwork w;
        OWN(gathered_end) gathered g;
        gathered_begin(&g, sizes[i], N);
        teamwork_begin(&w, &g);
        w.topics = topics;
        w.count = 3;
        w.o.save_spectrum = true;
        w.o.name = "some";
        check_all(&w);
    }
}

TEST(other_ways_that_all_can_go)
{
    teamwork w;
    OWN(gathered_end) gathered g;

    gathered_begin(&g, 3, N);
    teamwork_begin(&w, &g);
    w.o.rectify = KEDGE_RECTIFY_NONE;
    w.o.name = "plain";
    check_all(&w);
    w.o.rectify = KEDGE_RECTIFY_ENN;
    w.o.rectify_iter = 9;
    w.o.rectify_tol = 0;
    w.o.topic_cooccurrence = KEDGE_TOPIC_COOCCURRENCE_DIAGONAL;
    w.o.anchor_min_df = 20;
    w.o.legal = true;
    w.o.name = "other";
    check_all(&w);
}

/* Some have no documents, some no rows. */
TEST(more_processes_than_work)
{
    teamwork w;

    for (unsigned size = 12; size <= 18; size += 6) {
        OWN(gathered_end) gathered g;

        gathered_begin_with(&g, size, N,
                            size == 12 ? gathered_no_vocabulary : NULL);
        teamwork_begin(&w, &g);
        check_all(&w);
    }
}

TEST(one_process_is_a_team)
{
    teamwork w;
    OWN(gathered_end) gathered g;

    gathered_begin(&g, 1, N);
    teamwork_begin(&w, &g);
    teamwork_fit(&w);
    teamwork_fit_alone(&w, w.r[1]);
    check_model(&w, "k4");
    check_result(&w.r[0][0], &w.r[1][0]);
    ck_assert_uint_eq(w.traffic[0].rows, 0);
}

TEST(eigenvalues_are_everybodys)
{
    double alone[16];
    teamwork w;
    OWN(gathered_end) gathered g;

    gathered_begin(&g, 3, N);
    teamwork_begin(&w, &g);
    w.eigenvalues = true;
    teamwork_fit(&w);
    w.o.eigenvalues = alone;
    teamwork_fit_alone(&w, w.r[THREADRANKS_MOST - 1]);
    for (unsigned r = 0; r < 3; r++)
        ck_assert_mem_eq(w.values[r], alone, 5 * sizeof *alone);
}

/* ---- documents come and go ---------------------------------------------- */

/* Who lacks some of them in a sketch makes it up. Models stay. */
TEST(later_fits_are_of_the_documents_then)
{
    kedge_model *before;
    teamwork w;
    OWN(gathered_end) gathered g;

    gathered_begin(&g, 3, N);
    teamwork_begin(&w, &g);
    w.o.min_df = 2;
    w.o.name = "first";
    check_all(&w);
    before = teamwork_load(&g.sum, "first");
    gathered_remove(&g, 1, 4, true);
    w.o.name = "second";
    check_all(&w);
    gathered_remove(&g, 2, 2, false);
    w.o.min_df = 0;
    w.o.index = 0;
    w.o.name = "third";
    check_all(&w);
    lively_same(before, teamwork_load(&g.sum, "first"));
    ck_assert_uint_eq(planted_info(&g.sum.p).models, 3);
}

/* One index by this rule in every store, whatever it was like before. */
TEST(indexes_by_a_rule_are_replaced)
{
    teamwork w;
    OWN(gathered_end) gathered g;

    gathered_begin(&g, 3, N);
    teamwork_begin(&w, &g);
    w.o.min_df = 12;
    check_all(&w);
    for (size_t shard = 3; shard < 8; shard++)
        gathered_remove(&g, (unsigned)shard % 3, shard, false);
    check_all(&w);
    ck_assert_uint_eq(planted_info(&g.sum.p).indexes, 2);
    for (unsigned r = 0; r < 3; r++)
        ck_assert_uint_eq(planted_info(&g.member[r].p).indexes, 2);
}

/* One store's documents have other words than those that are kept. */
TEST(a_store_may_know_none_of_the_words)
{
    char path[96];
    teamwork w;
    OWN(gathered_end) gathered g;
    FILE *f;

    gathered_begin_with(&g, 2, N, gathered_no_vocabulary);
    f = planted_file(planted_path(&g.all.p, "others", path));
    for (int i = 0; i < 30; i++)
        fprintf(f, "{\"id\":\"o%d\",\"text\":{\"other\":3,\"o%d\":4}}\n", i,
                i % 5);
    ck_assert_int_eq(fclose(f), 0);
    for (size_t i = 1; i < LIVELY_SHARDS; i += 2)
        gathered_remove(&g, 1, i, false);
    ck_ok(planted_ingest(&g.all.p, path), g.all.p.t.err);
    ck_ok(planted_ingest(&g.member[1].p, path), g.member[1].p.t.err);
    teamwork_begin(&w, &g);
    w.o.keep_words = g.all.listed;
    check_all(&w);
}

/* Topics keep their numbers by the model that is replaced, or by another. */
TEST(topics_keep_their_numbers)
{
    teamwork w;
    OWN(gathered_end) gathered g;

    gathered_begin(&g, 2, N);
    teamwork_begin(&w, &g);
    check_all(&w);
    gathered_remove(&g, 1, 1, false);
    check_all(&w);
    w.o.align = "k4";
    w.o.name = "like";
    check_all(&w);
}

/* ---- what is refused ---------------------------------------------------- */

/* By all ranks, with this text. */
static void check_refused(teamwork *w, kedge_status st, const char *says)
{
    teamwork_try(w);
    for (unsigned r = 0; r < w->g->size; r++)
        ck_fails(w->status[r], st, w->g->member[r].p.t.err, says);
}

TEST(options_that_need_all_documents_are_refused)
{
    static const char *const names[] = {
        "--power-iter",     "--em-iter",      "--ncut",    "--phrases",
        "--rectify",    "--solver",      "--recover", "--anchors",
        "--anchor-ban", "--cooccurrence"};
    char text[128];
    teamwork w;
    OWN(gathered_end) gathered g;

    gathered_begin(&g, 3, N);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        teamwork_begin(&w, &g);
        kedge_fit_opts *const o = &w.o;
        o->power_iter = i == 0;
        o->em_iter = i == 1;
        o->ncut = i == 2;
        o->phrases = i == 3 ? 2 : o->phrases;
        o->rectify = i == 4 ? KEDGE_RECTIFY_AP : o->rectify;
        o->solver = i == 5 ? KEDGE_SOLVER_ACTIVE_SET : o->solver;
        o->recover = i == 6 ? KEDGE_RECOVER_KL : o->recover;
        o->anchors = i == 7 ? KEDGE_ANCHORS_SPA : o->anchors;
        o->anchor_ban = i == 8 ? "/dev/null" : NULL;
        o->cooccurrence = i == 9 ? KEDGE_COOCCURRENCE_DENSE : o->cooccurrence;
        snprintf(text, sizeof text, "%s needs all documents in one process: "
                                    "'kedge merge' joins the "
                                    "stores", names[i]);
        check_refused(&w, KEDGE_EINVAL, text);
    }
    ck_assert_uint_eq(planted_info(&g.sum.p).documents, 0);
}

TEST(bad_numbers_of_topics_are_refused)
{
    static const uint64_t one[] = {1}, many[] = {70};
    teamwork w;
    OWN(gathered_end) gathered g;

    gathered_begin(&g, 3, N);
    teamwork_begin(&w, &g);
    w.topics = one;
    check_refused(&w, KEDGE_EINVAL, "2 to 2000");
    w.topics = many; /* known once the words are */
    check_refused(&w, KEDGE_EINVAL, "wider sketch");
    ck_assert_uint_eq(planted_info(&g.sum.p).models, 0);
    w.o.min_df = 2; /* an index that was made for nothing goes */
    w.o.sketch_size = 80;
    check_refused(&w, KEDGE_EINVAL, "wider sketch");
    ck_assert_uint_eq(planted_info(&g.sum.p).indexes, 1);
}

/* By the first one, for which others would wait. */
TEST(a_small_budget_is_refused)
{
    teamwork w;
    OWN(gathered_end) gathered g;

    gathered_begin(&g, 1, N);
    teamwork_begin(&w, &g);
    g.member[0].p.c.memory = UINT64_C(1) << 20;
    check_refused(&w, KEDGE_EBUDGET, " 1 MiB");
    g.member[0].p.c.memory = UINT64_C(200) << 20;
    w.o.min_df = 1;
    w.o.sketch_size = 8192;
    check_refused(&w, KEDGE_EBUDGET, "200 MiB");
    ck_assert_uint_eq(planted_info(&g.sum.p).indexes, 1);
}

TEST(stores_with_parts_are_refused)
{
    kedge_sketch_export_result sent;
    kedge_sketch_import_result got;
    kedge_error err = {0};
    char path[96];
    teamwork w;
    OWN(gathered_end) gathered g;

    gathered_begin(&g, 1, N);
    scene *const t = &g.member[0].p.t;
    ck_ok(kedge_sketch_export_file(
              t->s, planted_path(&g.member[0].p, "part", path),
              &(kedge_sketch_export_opts){.name = "part"}, &g.sum.p.c, &sent,
              &err), err);
    scene_close(t);
    scene_remove(t->path);
    scene_open(t, KEDGE_OPEN_CREATE);
    ck_ok(kedge_sketch_import(t->s, path, &g.sum.p.c, &got, &err), err);
    teamwork_begin(&w, &g);
    check_refused(&w, KEDGE_EINVAL, "fitting several stores together needs the "
                                    "documents, but those");
}
