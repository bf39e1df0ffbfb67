/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <math.h>
#include <unistd.h>

#include <kedge/kedge.h>

#include "print.h"

static const kedge_model_info model = {
    .name = "k3", .index = 1, .index_stays = true, .rule = "a \"rule\"",
    .topics = 3, .words = 12345, .documents = 6, .seed = 7,
    .sketch_error = 0.25, .topic_cooccurrence_sum = NAN, .current = true};

/* What is written to a stream. */
static const char *read_back(FILE *file)
{
    static char text[2048];
    size_t size;

    rewind(file);
    size = fread(text, 1, sizeof text - 1, file);
    text[size] = '\0';
    fclose(file);
    return text;
}

TEST(as_json)
{
    jsonout j = {.out = tmpfile()};

    json_begin(&j, '{');
    json_fields(&j, "kedge_model_info", &model, ALL_PARTS & ~PART(1));
    json_close(&j, '}');
    ck_assert_str_eq(read_back(j.out),
        "{\"name\": \"k3\", \"topics\": 3, \"words\": 12345, \"documents\": 6, "
        "\"seed\": 7, \"sketch_error\": 0.25, \"topic_cooccurrence_sum\": null, "
        "\"ncut\": false, \"ways\": \"\", \"current\": true}");
    j = (jsonout){.out = tmpfile()};
    json_object(&j, NULL, "kedge_verified_index",
                &(kedge_verified_index){.number = 2, .digest = 255});
    ck_assert_str_eq(read_back(j.out),
        "{\"number\": 2, \"current\": false, \"digest\": "
        "\"00000000000000ff\"}");
}

TEST(as_a_table)
{
    FILE *const out = tmpfile();
    table t = {0};

    table_head(&t, "kedge_model_info", "more");
    table_row(&t, "kedge_model_info", &model, "x");
    table_print(&t, out);
    table_free(&t);
    ck_assert_str_eq(read_back(out),
        "  models  topics   words  documents  seed  sketch error    "
        "state  more\n"
        "  k3           3  12,345          6     7        0.2500  "
        "current     x\n");
}

TEST(as_a_summary)
{
    const kedge_remove_result r = {.documents = 1, .missing = 2, .seconds = 1};
    const kedge_remove_result one = {.missing = 1};
    FILE *out = tmpfile();

    summary_fields(out, "kedge_remove_result", &r, ALL_PARTS);
    ck_assert_str_eq(read_back(out),
        "  documents removed              1\n"
        "  tokens                         0\n"
        "  documents left                 0\n"
        "  unknown ids                    2  no document has them\n"
        "  seconds                      1.0\n");
    out = tmpfile();
    summary_fields(out, "kedge_remove_result", &one, PART(1));
    ck_assert_str_eq(read_back(out), "  seconds                      0.0\n");
    out = tmpfile();
    summary_fields(out, "kedge_remove_result", &one, PART(0));
    ck_assert_ptr_nonnull(strstr(read_back(out), "1  no document has it\n"));
}

/* On standard output, for a moment. */
TEST(as_tsv)
{
    const kedge_diff_topic t = {.before = KEDGE_NO_TOPIC, .after = 2,
                                .distance = 0.5, .prevalence_before = NAN,
                                .prevalence_after = 1, .anchor_after = "quay"};
    FILE *const file = tmpfile();
    const int before = dup(STDOUT_FILENO);

    fflush(stdout);
    dup2(fileno(file), STDOUT_FILENO);
    tsv_head("kedge_diff_topic", PART(0));
    putchar('\n');
    tsv_fields("kedge_diff_topic", &t, PART(0));
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    ck_assert_str_eq(read_back(file),
        "before\tafter\tdistance\tprevalence_before\tprevalence_after\t"
        "anchor_before\tanchor_after\tlabel_before\tlabel_after\n"
        "\t3\t0.5\t\t1\t\tquay\t\t");
}
