/* SPDX-License-Identifier: MIT */
#include "export/summary.h"

#include <math.h>

#include "base/gate.h"
#include "sample.h"

static char *write_summary(const kedge_model *m, bool spectrum)
{
    kedge_error err = {0};
    textbuf text;

    ck_ok(summary_write(m, &(kedge_export_opts){.spectrum = spectrum}, false,
                        NULL,
                        &text, &err), err);
    ck_assert_uint_eq(strlen(text.bytes), text.size);
    return text.bytes;
}

static const char *const sample_head =
    "  \"format\": 1,\n"
    "  \"model\": \"k2\",\n"
    "  \"topics\": 2,\n"
    "  \"words\": 6,\n"
    "  \"documents\": {\n"
    "    \"counted\": 11,\n"
    "    \"skipped\": 3,\n"
    "    \"tokens\": 99,\n"
    "    \"digest\": \"0000000000000abcfedcba9876543210\"\n"
    "  },\n"
    "  \"vocabulary\": {\n"
    "    \"words\": 6,\n"
    "    \"rule\": \"all words\",\n"
    "    \"digest\": \"0000000000000007\"\n"
    "  },\n"
    "  \"sketch\": {\n"
    "    \"statistic\": \"joint\",\n"
    "    \"width\": 5,\n"
    "    \"seed\": 18446744073709551615,\n"
    "    \"min_tokens\": 2,\n"
    "    \"weight_bits\": 40\n"
    "  },\n"
    "  \"options\": {\n"
    "    \"rectify\": \"enn\",\n"
    "    \"rounds\": 15,\n"
    "    \"tolerance\": 1e-07,\n"
    "    \"refine\": 0,\n"
    "    \"polish\": 3,\n"
    "    \"anchor_min_df\": 0,\n"
    "    \"correlations\": \"ls\"\n"
    "  },\n"
    "  \"figures\": {\n"
    "    \"eigenspace_error\": 0.3333333333333333,\n"
    "    \"eigen_gap_error\": 0,\n"
    "    \"unexplained\": 0,\n"
    "    \"rounds\": 0,\n"
    "    \"last_change\": 0,\n"
    "    \"negative_share\": 0,\n"
    "    \"candidates\": 0,\n"
    "    \"admm_steps\": 0,\n"
    "    \"sum_correlations\": 0,\n"
    "    \"negative_correlations\": 0,\n"
    "    \"dirichlet\": null,\n"
    "    \"dirichlet_misfit\": null\n"
    "  },\n"
    "  \"topic\": [\n"
    "    {\"topic\": 1, \"name\": \"\", "
    "\"share\": 0.75, \"alpha\": null, \"anchor\": \"a \\\"b\\\" \\\\\", "
    "\"anchor_df\": 11, \"residual\": 0.5},\n"
    "    {\"topic\": 2, \"name\": \"a \\\"b\\\"\", "
    "\"share\": 0.25, \"alpha\": null, \"anchor\": \"\xc3\xa4pfel\", "
    "\"anchor_df\": 14, \"residual\": 0.25}\n"
    "  ],\n"
    "  \"arrays\": {\n"
    "    \"topics.npy\": ";

TEST(summary_says_what_the_model_is)
{
    OWN(model_end) kedge_model *m = sample_new(false);
    char head[128], *text;

    m->names = mem_new(SAMPLE_TOPICS, sizeof *m->names);
    strcpy(m->names[1].text, "a \"b\"");
    text = write_summary(m, false);

    snprintf(head, sizeof head, "{\n  \"kedge\": \"%s\",\n", kedge_version());
    ck_assert_mem_eq(text, head, strlen(head));
    ck_assert_msg(strncmp(text + strlen(head), sample_head,
                          strlen(sample_head)) == 0, "%s", text);
    ck_assert_ptr_nonnull(strstr(text, "\"word_probability.npy\""));
    ck_assert_ptr_null(strstr(text, "eigenvectors.npy\":"));
    ck_assert_str_eq(text + strlen(text) - 8, "\"\n  }\n}\n");
    mem_free(text);
}

TEST(summary_lists_the_spectrum_when_exported)
{
    OWN(model_end) kedge_model *m = sample_new(true);
    OWNED char *text = write_summary(m, true);

    ck_assert_ptr_nonnull(strstr(text, "\"eigenvectors.npy\": "));
    ck_assert_ptr_nonnull(strstr(text, "\"eigenvalues.npy\": "));
    ck_assert_ptr_nonnull(strstr(text, "\"rectified.npy\": "));
}

TEST(summary_names_the_other_options)
{
    static const char *const parts[] = {
        "\"ncut\": true,\n", "\"cooccurrence\": \"dense\"",
        "\"rectify\": \"ipalm\"", "\"correlations\": \"diagonal\"",
        "\"anchors\": \"fast\"", "\"project\": 77",
        "\"solver\": \"active-set\"", "\"recover\": \"kl\"",
        "\"legal\": true", "\"alpha\": 3.125", "\"dirichlet\": 3.25",
        "\"several_anchors\": true", "\"banned_anchors\": true",
        "\"last_change\": null", "\"unexplained\": null",
        "\"anchor\": \"\\u0001\\u001f\"", "\"z\xef\xbf\xbd\xef\xbf\xbd(\""};
    OWN(model_end) kedge_model *m = sample_new(false);
    OWNED char *text = NULL;

    m->figures.ncut = true;
    m->figures.rectify = KEDGE_RECTIFY_IPALM;
    m->figures.cooccurrence = KEDGE_COOCCURRENCE_DENSE;
    m->correlations_kind = KEDGE_CORRELATIONS_DIAGONAL;
    m->ways = (law_ways){.anchors = KEDGE_ANCHORS_FAST, .project = 77,
                         .solver = KEDGE_SOLVER_ACTIVE_SET, .legal = true,
                         .recover = KEDGE_RECOVER_KL, .several = true,
                         .banned = true};
    m->alpha = sample_array(2, 0.125, 3);
    m->figures.dirichlet = 3.25;
    m->figures.last_change = NAN;
    m->figures.unexplained = INFINITY;
    m->anchors[0] = 0;
    m->anchors[1] = 3;
    text = write_summary(m, false);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        ck_assert_msg(strstr(text, parts[i]) != NULL, "%s", parts[i]);
}

TEST(summary_tells_what_weighted_arrays_mean)
{
    OWN(model_end) kedge_model *m = sample_new(true);
    char *text = write_summary(m, true);

    ck_assert_ptr_null(strstr(text, "weighted"));
    ck_assert_ptr_null(strstr(text, "\"weight\""));
    mem_free(text);
    sample_weigh(m);
    text = write_summary(m, true);
    ck_assert_ptr_nonnull(strstr(text, "\"weight\": \"idf\""));
    ck_assert_ptr_nonnull(strstr(text, "\"weights.npy\": \"N, d: "));
    ck_assert_ptr_nonnull(strstr(text, "\"weighted_topics.npy\": \"N x K: "));
    ck_assert_ptr_nonnull(strstr(text, "weights divided out"));
    ck_assert_ptr_nonnull(strstr(text, "the rectified weighted co-occ"));
    mem_free(text);
    m->figures.weight = KEDGE_WEIGHT_SQRT;
    text = write_summary(m, false);
    ck_assert_ptr_nonnull(strstr(text, "\"weight\": \"sqrt\""));
    ck_assert_ptr_null(strstr(text, "rectified.npy\":"));
    mem_free(text);
}

/* What depends on the machine, the clock or the order of the input. */
TEST(summary_leaves_out_how_it_came_about)
{
    OWN(model_end) kedge_model *m = sample_new(true);
    OWNED char *before = write_summary(m, false);
    OWNED char *after = NULL;

    m->serial = 17;
    m->blocks = 31;
    m->view.blocks = 32;
    m->view.rows = 3;
    m->view_place = 7;
    m->figures.seconds = m->figures.seconds_spectrum = 12.5;
    m->figures.seconds_store = m->figures.seconds_topics = 1.5;
    m->figures.peak_memory = 1 << 30;
    after = write_summary(m, false);
    ck_assert_str_eq(before, after);
}

TEST(summary_tells_how_words_were_chosen)
{
    OWN(model_end) kedge_model *m = sample_new(false);
    kedge_error err = {0};
    textbuf text;
    char *plain;

    m->view.listed = true;
    strcpy(m->view.rule, "in 5 documents or more");
    plain = write_summary(m, false);
    ck_assert_ptr_nonnull(strstr(plain,
                                 "\n    \"rule\": \"words in 5 documents "
                                 "or more\",\n"));
    ck_assert_ptr_null(strstr(plain, "\"view\""));
    ck_ok(summary_write(m, &(kedge_export_opts){0}, true, NULL, &text, &err), err);
    ck_assert_ptr_nonnull(strstr(text.bytes, "\n    \"view\": 3,\n"));
    ck_assert_uint_eq(text.size, strlen(plain) + strlen("    \"view\": 3,\n"));
    textbuf_free(&text);
    mem_free(plain);
    m->view_place = 0; /* not known */
    plain = write_summary(m, false);
    ck_assert_ptr_null(strstr(plain, "\"rule\""));
    mem_free(plain);
}

TEST(summary_survives_that_memory_runs_out)
{
    OWN(model_end) kedge_model *m = sample_new(false);
    kedge_error err = {0};
    textbuf text;

    gate_starve(summary_write(m, &(kedge_export_opts){0}, false, NULL, &text,
                              &err));
    textbuf_free(&text);
}

TEST(kept_compositions_are_told)
{
    const kedge_kept_info kept = {.documents = 11, .method = "ls",
                                  .options = "no limit", .moved = 0.125};
    OWN(model_end) kedge_model *m = sample_new(false);
    kedge_error err = {0};
    textbuf text;
    OWNED char *plain = NULL;

    ck_ok(summary_write(m, &(kedge_export_opts){
                               .pairs = KEDGE_EXPORT_PAIRS_SPARSE}, false, &kept,
                        &text, &err), err);
    ck_assert_ptr_nonnull(strstr(text.bytes, "\"cooccurrence.mtx\": \"N x N"));
    ck_assert_ptr_null(strstr(text.bytes, "cooccurrence.npy"));
    ck_assert_ptr_nonnull(strstr(text.bytes,
                                 "  \"compositions\": {\n"
                                 "    \"documents\": 11,\n"
                                 "    \"method\": \"ls\",\n"
                                 "    \"options\": \"no limit\",\n"
                                 "    \"moved\": 0.125\n"
                                 "  },\n"));
    ck_assert_ptr_nonnull(strstr(text.bytes, "\"compositions.npy\": \"M x K"));
    textbuf_free(&text);
    plain = write_summary(m, false);
    ck_assert_ptr_null(strstr(plain, "compositions"));
}

/* What is told as there, of each that can be asked for. */
TEST(what_other_programs_take_is_told)
{
    static const struct {
        unsigned also;
        const char *part;
    } told[] = {
        {KEDGE_EXPORT_GRAPHML, "\"correlations.graphml\": "},
        {KEDGE_EXPORT_CSV, "\"correlations.csv\": \"K x K"},
        {KEDGE_EXPORT_COUNTS, "\"counts.mtx\": \"M x N"},
        {KEDGE_EXPORT_PYLDAVIS, "\"topic_term_dists.npy\": \"K x N"},
        {KEDGE_EXPORT_PYLDAVIS, "\"doc_lengths.npy\": \"M:"},
        {KEDGE_EXPORT_PYLDAVIS, "\"term_frequency.npy\": \"N:"},
        {KEDGE_EXPORT_MALLET, "\"mallet-keys.txt\": "},
        {KEDGE_EXPORT_MALLET, "\"mallet-topics.txt\": "},
        {KEDGE_EXPORT_MALLET, "\"mallet-state.gz\": "},
    };
    OWN(model_end) kedge_model *m = sample_new(false);
    kedge_error err = {0};

    for (unsigned also = 0; also <= KEDGE_EXPORT_ALL; also++) {
        textbuf text;
        ck_ok(summary_write(m, &(kedge_export_opts){.also = also}, false, NULL,
                            &text, &err), err);
        for (size_t i = 0; i < sizeof told / sizeof *told; i++)
            ck_assert((strstr(text.bytes, told[i].part) != NULL) ==
                      ((also & told[i].also) != 0));
        ck_assert((strstr(text.bytes, "\n  \"files\": {") != NULL) ==
                  ((also & (KEDGE_EXPORT_GRAPHML | KEDGE_EXPORT_MALLET)) != 0));
        textbuf_free(&text);
    }
}
