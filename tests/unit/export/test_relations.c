/* SPDX-License-Identifier: MIT */
#include <kedge/export.h>

#include "sample.h"

static kedge_model *related(double a, double b, double c)
{
    kedge_model *const m = sample_new(false);

    m->correlations[0] = a;
    m->correlations[1] = m->correlations[2] = b;
    m->correlations[3] = c;
    m->shares[0] = (a + b) / (a + 2 * b + c);
    m->shares[1] = (b + c) / (a + 2 * b + c);
    return m;
}

static void give_name(kedge_model *m, size_t topic, const char *name)
{
    if (m->names == NULL)
        m->names = mem_new(m->topics, sizeof *m->names);
    snprintf(m->names[topic].text, sizeof m->names[topic].text, "%s", name);
}

/* The file that an export of this kind has. */
static char *exported(const kedge_model *m, unsigned also)
{
    place p = place_make();
    kedge_error err = {0};
    size_t size;
    char *bytes;

    ck_ok(kedge_export(m, p.root, &(kedge_export_opts){.also = also}, &err),
          err);
    bytes = file_bytes(p.root,
                       also == KEDGE_EXPORT_CSV ? "topic_cooccurrence.csv"
                                                : "topic_cooccurrence.graphml",
                       &size);
    place_remove(&p);
    return bytes;
}

static char *graph_of(const kedge_model *m)
{
    return exported(m, KEDGE_EXPORT_GRAPHML);
}

TEST(topics_are_nodes)
{
    OWN(model_end) kedge_model *m = related(0.25, 0.25, 0.25);
    OWNED char *text = NULL;

    m->shares[0] = 0.75;
    m->shares[1] = 0.25;
    give_name(m, 1, "<&> \"x\"");
    text = graph_of(m);
    ck_assert_ptr_nonnull(strstr(
        text, "<node id=\"t1\"><data key=\"number\">1</data>"
              "<data key=\"prevalence\">0.75</data><data key=\"words\">"));
    ck_assert_ptr_nonnull(strstr(
        text, "<data key=\"anchor\">a \"b\" \\</data></node>\n"
              "<node id=\"t2\"><data key=\"number\">2</data>"
              "<data key=\"label\">&lt;&amp;&gt; \"x\"</data>"
              "<data key=\"prevalence\">0.25</data>"));
    ck_assert_ptr_nonnull(strstr(text, "\xc3\xa4pfel</data></node>\n"));
}

/* Controls, bytes that are no text, surrogates. */
TEST(what_xml_cannot_hold_is_replaced)
{
    OWN(model_end) kedge_model *m = related(0.25, 0.25, 0.25);
    char *text = graph_of(m);

    ck_assert_ptr_nonnull(strstr(text, "\xef\xbf\xbd\xef\xbf\xbd, "));
    ck_assert_ptr_nonnull(strstr(text, "z\xef\xbf\xbd\xef\xbf\xbd("));
    for (const char *c = text; *c != '\0'; c++)
        ck_assert((unsigned char)*c >= 0x20 || *c == '\n');
    ck_assert_ptr_null(strchr(text, '\xff'));
    ck_assert_ptr_null(strstr(text, "\xed\xa0"));
    mem_free(text);
    give_name(m, 0, "a\r\xef\xbf\xbe\xef\xbf\xbf\x7f\xef\xbf\xbd");
    text = graph_of(m);
    ck_assert_ptr_nonnull(strstr(text, ">a&#13;\xef\xbf\xbd\xef\xbf\xbd\x7f"
                                       "\xef\xbf\xbd<"));
    mem_free(text);
}

/* p(1, 2) is 1/4, and by chance 1/4: no edge; a quarter more makes one. */
TEST(edges_are_of_pairs_beyond_chance)
{
    kedge_model *m = related(0.25, 0.25, 0.25);
    char *text = graph_of(m);

    ck_assert_ptr_null(strstr(text, "<edge"));
    mem_free(text);
    kedge_model_free(m);
    m = related(0.375, 0.625, 0.375); /* of the sum 2 */
    text = graph_of(m);
    ck_assert_ptr_nonnull(strstr(text,
                                 "<edge source=\"t1\" target=\"t2\">"
                                 "<data key=\"weight\">0.625</data>"
                                 "<data key=\"lift\">1.25</data></edge>\n"
                                 "</graph>\n</graphml>\n"));
    mem_free(text);
    kedge_model_free(m);
    m = related(0.5, -0.125, 0.5);
    m->shares[1] = 0;
    text = graph_of(m);
    ck_assert_ptr_null(strstr(text, "<edge"));
    mem_free(text);
    kedge_model_free(m);
}

static void check_table(const kedge_model *m, const char *expected)
{
    OWNED char *bytes = exported(m, KEDGE_EXPORT_CSV);

    ck_assert_str_eq(bytes, expected);
}

TEST(tables_are_quoted)
{
    OWN(model_end) kedge_model *m = related(0.1, -0.125, 1.0 / 3);

    check_table(m, "topic,1,2\n1,0.1,-0.125\n2,-0.125,0.3333333333333333\n");
    give_name(m, 0, "salt, \"pepper\"");
    give_name(m, 1, "a b");
    check_table(m, "topic,\"salt, \"\"pepper\"\"\",a b\n"
                   "\"salt, \"\"pepper\"\"\",0.1,-0.125\n"
                   "a b,-0.125,0.3333333333333333\n");
    give_name(m, 0, "=HYPERLINK(\"http://a/\",\"b\")");
    give_name(m, 1, "-2+3");
    check_table(m, "topic,\"'=HYPERLINK(\"\"http://a/\"\",\"\"b\"\")\",'-2+3\n"
                   "\"'=HYPERLINK(\"\"http://a/\"\",\"\"b\"\")\",0.1,-0.125\n"
                   "'-2+3,-0.125,0.3333333333333333\n");
    give_name(m, 0, "@a");
    give_name(m, 1, "\tb=c");
    check_table(m, "topic,'@a,'\tb=c\n'@a,0.1,-0.125\n"
                   "'\tb=c,-0.125,0.3333333333333333\n");
}
