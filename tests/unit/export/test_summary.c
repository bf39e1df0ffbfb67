/* SPDX-License-Identifier: MIT */
#include "export/export.h"

#include <math.h>

#include "base/gate.h"
#include "sample.h"

static textbuf summary(const kedge_model *m, kedge_export_opts opts,
                       bool stored, const kedge_saved_info *kept)
{
    kedge_error err = {0};
    textbuf text;

    ck_ok(summary_write(m, &opts, stored, kept, &text, &err), err);
    ck_assert_uint_eq(strlen(text.bytes), text.size);
    return text;
}

static textbuf plain(const kedge_model *m)
{
    return summary(m, (kedge_export_opts){0}, false, NULL);
}

/* Parts that are there, and after a NULL those that are not. */
static void check_parts(textbuf text, const char *const *parts, size_t count)
{
    bool there = true;

    for (size_t i = 0; i < count; i++)
        if (parts[i] == NULL)
            there = false;
        else
            ck_assert_msg((strstr(text.bytes, parts[i]) != NULL) == there,
                          "%s", parts[i]);
    textbuf_free(&text);
}

#define check(text, ...)                                       \
    check_parts(text, (const char *const[]){__VA_ARGS__},      \
                sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))

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
    "    \"tf\": \"raw\",\n"
    "    \"sketch_size\": 5,\n"
    "    \"seed\": 18446744073709551615,\n"
    "    \"min_tokens\": 2,\n"
    "    \"weight_bits\": 40\n"
    "  },\n"
    "  \"options\": {\n"
    "    \"rectify\": \"enn\",\n"
    "    \"rectify_iter\": 15,\n"
    "    \"rectify_tol\": 1e-07,\n"
    "    \"power_iter\": 0,\n"
    "    \"em_iter\": 3,\n"
    "    \"anchor_min_df\": 0,\n"
    "    \"topic_cooccurrence\": \"least-squares\"\n"
    "  },\n"
    "  \"figures\": {\n"
    "    \"sketch_error\": 0.3333333333333333,\n"
    "    \"sketch_error_last\": 0,\n"
    "    \"unexplained\": 0,\n"
    "    \"rectify_iter\": 0,\n"
    "    \"rectify_change\": 0,\n"
    "    \"negative_share\": 0,\n"
    "    \"candidates\": 0,\n"
    "    \"solver_iter\": 0,\n"
    "    \"topic_cooccurrence_sum\": 0,\n"
    "    \"topic_cooccurrence_negative\": 0,\n"
    "    \"dirichlet\": null,\n"
    "    \"dirichlet_error\": null\n"
    "  },\n"
    "  \"topic\": [\n"
    "    {\"topic\": 1, \"label\": \"\", "
    "\"prevalence\": 0.75, \"alpha\": null, \"anchor\": \"a \\\"b\\\" \\\\\", "
    "\"anchor_df\": 11, \"residual\": 0.5},\n"
    "    {\"topic\": 2, \"label\": \"a \\\"b\\\"\", "
    "\"prevalence\": 0.25, \"alpha\": null, \"anchor\": \"\xc3\xa4pfel\", "
    "\"anchor_df\": 14, \"residual\": 0.25}\n"
    "  ],\n"
    "  \"arrays\": {\n"
    "    \"topics.npy\": ";

TEST(summary_says_what_the_model_is)
{
    OWN(model_end) kedge_model *m = sample_new(false);
    char head[128];

    m->names = mem_new(SAMPLE_TOPICS, sizeof *m->names);
    strcpy(m->names[1].text, "a \"b\"");
    OWN(textbuf_free) textbuf text = plain(m);
    snprintf(head, sizeof head, "{\n  \"kedge\": \"%s\",\n", kedge_version());
    ck_assert_mem_eq(text.bytes, head, strlen(head));
    ck_assert_msg(strncmp(text.bytes + strlen(head), sample_head,
                          strlen(sample_head)) == 0, "%s", text.bytes);
    ck_assert_str_eq(text.bytes + text.size - 8, "\"\n  }\n}\n");
    check(plain(m), "\"word_probability.npy\"", NULL, "eigenvectors.npy\":");
}

TEST(summary_names_the_other_options)
{
    OWN(model_end) kedge_model *m = sample_new(false);

    m->figures.ncut = true;
    m->figures.rectify = KEDGE_RECTIFY_IPALM;
    m->figures.cooccurrence = KEDGE_COOCCURRENCE_DENSE;
    m->correlations_kind = KEDGE_TOPIC_COOCCURRENCE_DIAGONAL;
    m->ways = (law_ways){.anchors = KEDGE_ANCHORS_FAST, .project = 77,
                         .solver = KEDGE_SOLVER_ACTIVE_SET, .legal = true,
                         .recover = KEDGE_RECOVER_KL, .several = true,
                         .banned = true};
    m->alpha = sample_array(2, 0.125, 3);
    m->figures.dirichlet = 3.25;
    m->figures.rectify_change = NAN;
    m->figures.unexplained = INFINITY;
    m->anchors[0] = 0;
    m->anchors[1] = 3;
    check(plain(m), "\"ncut\": true,\n", "\"cooccurrence\": \"dense\"",
          "\"rectify\": \"ipalm\"", "\"topic_cooccurrence\": \"diagonal\"",
          "\"anchors\": \"fast\"", "\"projection\": 77",
          "\"solver\": \"active-set\"", "\"recover\": \"kl\"",
          "\"legal\": true", "\"alpha\": 3.125", "\"dirichlet\": 3.25",
          "\"several_anchors\": true", "\"banned_anchors\": true",
          "\"rectify_change\": null", "\"unexplained\": null",
          "\"anchor\": \"\\u0001\\u001f\"",
          "\"z\xef\xbf\xbd\xef\xbf\xbd(\"");
}

TEST(summary_tells_what_weighted_arrays_mean)
{
    const kedge_export_opts spectrum = {.spectrum = true};
    OWN(model_end) kedge_model *m = sample_new(true);

    check(summary(m, spectrum, false, NULL), "\"eigenvectors.npy\": ",
          "\"eigenvalues.npy\": ", "\"rectified.npy\": ", NULL, "weighted",
          "\"term_weight\"");
    sample_weigh(m);
    check(summary(m, spectrum, false, NULL), "\"term_weight\": \"idf\"",
          "\"weights.npy\": \"N, d: ", "\"weighted_topics.npy\": \"N x K: ",
          "without the term weights", "the rectified weighted co-occ");
    m->figures.term_weight = KEDGE_TERM_WEIGHT_SQRT;
    check(plain(m), "\"term_weight\": \"sqrt\"", NULL, "rectified.npy\":");
}

/* What depends on the machine, the clock or the order of the input. */
TEST(summary_leaves_out_how_it_came_about)
{
    OWN(model_end) kedge_model *m = sample_new(true);
    OWN(textbuf_free) textbuf before = plain(m);

    m->serial = 17;
    m->blocks = 31;
    m->index.blocks = 32;
    m->index.rows = 3;
    m->index_place = 7;
    m->figures.seconds = m->figures.seconds_spectrum = 12.5;
    m->figures.seconds_store = m->figures.seconds_topics = 1.5;
    m->figures.peak_memory = 1 << 30;
    OWN(textbuf_free) textbuf after = plain(m);
    ck_assert_str_eq(before.bytes, after.bytes);
}

TEST(summary_tells_how_words_were_chosen)
{
    OWN(model_end) kedge_model *m = sample_new(false);

    m->index.listed = true;
    strcpy(m->index.rule, "in 5 documents or more");
    check(plain(m), "\n    \"rule\": \"words in 5 documents or more\",\n",
          NULL, "\"index\"");
    OWN(textbuf_free) textbuf without = plain(m);
    OWN(textbuf_free) textbuf with = summary(m, (kedge_export_opts){0}, true,
                                             NULL);
    ck_assert_ptr_nonnull(strstr(with.bytes, "\n    \"index\": 3,\n"));
    ck_assert_uint_eq(with.size, without.size + strlen("    \"index\": 3,\n"));
    m->index_place = 0; /* not known */
    check(plain(m), NULL, "\"rule\"");
}

TEST(summary_survives_that_memory_runs_out)
{
    OWN(model_end) kedge_model *m = sample_new(false);
    OWN(textbuf_free) textbuf text = {0};
    kedge_error err = {0};

    gate_starve(summary_write(m, &(kedge_export_opts){0}, false, NULL, &text,
                              &err));
}

TEST(saved_compositions_are_told)
{
    const kedge_saved_info kept = {.documents = 11, .method = "least-squares",
                                   .options = "no limit", .error = 0.125};
    OWN(model_end) kedge_model *m = sample_new(false);

    check(summary(m, (kedge_export_opts){.pairs = KEDGE_EXPORT_PAIRS_SPARSE},
                  false, &kept),
          "\"cooccurrence.mtx\": \"N x N", "\"doc_topics.npy\": \"M x K",
          "  \"doc_topics\": {\n"
          "    \"documents\": 11,\n"
          "    \"method\": \"least-squares\",\n"
          "    \"options\": \"no limit\",\n"
          "    \"moved\": 0.125\n"
          "  },\n",
          NULL, "\"cooccurrence.npy");
    check(plain(m), NULL, "doc_topics");
}

/* What is told as there, of each that can be asked for. */
TEST(what_other_programs_take_is_told)
{
    static const struct {
        unsigned also;
        const char *part;
    } told[] = {
        {KEDGE_EXPORT_GRAPHML, "\"topic_cooccurrence.graphml\": "},
        {KEDGE_EXPORT_CSV, "\"topic_cooccurrence.csv\": \"K x K"},
        {KEDGE_EXPORT_COUNTS, "\"counts.mtx\": \"M x N"},
        {KEDGE_EXPORT_PYLDAVIS, "\"topic_term_dists.npy\": \"K x N"},
        {KEDGE_EXPORT_PYLDAVIS, "\"doc_lengths.npy\": \"M:"},
        {KEDGE_EXPORT_PYLDAVIS, "\"term_frequency.npy\": \"N:"},
        {KEDGE_EXPORT_MALLET, "\"mallet-keys.txt\": "},
        {KEDGE_EXPORT_MALLET, "\"mallet-topics.txt\": "},
        {KEDGE_EXPORT_MALLET, "\"mallet-state.gz\": "},
    };
    OWN(model_end) kedge_model *m = sample_new(false);

    for (unsigned also = 0; also <= KEDGE_EXPORT_ALL; also++) {
        OWN(textbuf_free) textbuf text =
            summary(m, (kedge_export_opts){.also = also}, false, NULL);
        for (size_t i = 0; i < sizeof told / sizeof *told; i++)
            ck_assert((strstr(text.bytes, told[i].part) != NULL) ==
                      ((also & told[i].also) != 0));
        ck_assert((strstr(text.bytes, "\n  \"files\": {") != NULL) ==
                  ((also & (KEDGE_EXPORT_GRAPHML | KEDGE_EXPORT_MALLET)) != 0));
    }
}
