/* SPDX-License-Identifier: MIT */
/* Both files are written a node, an edge or a row at a time: of the pairs of
 * some thousand topics there are millions. */
#include "export/export.h"

#include <string.h>

#include "base/fail.h"
#include "export/text.h"

#define FIRST 10 /* words of a node */

/* ---- text ---------------------------------------------------------------- */

/* The character as it is written in content; NULL: as it is. */
static const char *xml_name(uint32_t c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '\r': return "&#13;"; /* by itself it would be read as \n */
    case '\t':
    case '\n': return NULL;
    case 0xFFFE: /* these XML 1.0 cannot hold */
    case 0xFFFF:
    case TEXTBUF_INVALID: return "\xEF\xBF\xBD";
    default: return c < 0x20 ? "\xEF\xBF\xBD" : NULL;
    }
}

static void add_xml(textbuf *t, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint32_t c;
        const size_t length = textbuf_character(bytes + at, size - at, &c);
        const char *const name = xml_name(c);
        if (name != NULL)
            textbuf_text(t, name);
        else
            textbuf_add(t, bytes + at, length);
        at += length;
    }
}

/* ---- the graph ----------------------------------------------------------- */

static const struct {
    const char *name, *of, *type;
} attributes[] = {
    {"number", "node", "int"},   {"label", "node", "string"},
    {"prevalence", "node", "double"}, {"words", "node", "string"},
    {"anchor", "node", "string"}, {"weight", "edge", "double"},
    {"lift", "edge", "double"},
};

static void add_real(textbuf *t, const char *key, double x)
{
    textbuf_print(t, "<data key=\"%s\">", key);
    textbuf_real(t, x);
    textbuf_text(t, "</data>");
}

static void add_word(textbuf *t, const kedge_model *m, size_t row)
{
    add_xml(t, words_get(&m->text, row), words_size(&m->text, row));
}

static kedge_status add_node(textbuf *t, const kedge_model *m, size_t topic,
                             kedge_error *err)
{
    kedge_ranked_word first[FIRST];
    const char *const name = kedge_model_label(m, topic);
    uint64_t got;

    PASS(kedge_model_top_words(m, topic, KEDGE_RANK_RELEVANCE, first, FIRST,
                               &got, err));
    textbuf_print(t, "<node id=\"t%zu\"><data key=\"number\">%zu</data>",
                  topic + 1, topic + 1);
    if (name[0] != '\0') {
        textbuf_text(t, "<data key=\"label\">");
        add_xml(t, name, strlen(name));
        textbuf_text(t, "</data>");
    }
    add_real(t, "prevalence", m->shares[topic]);
    textbuf_text(t, "<data key=\"words\">");
    for (uint64_t i = 0; i < got; i++) {
        textbuf_text(t, i > 0 ? ", " : "");
        add_word(t, m, first[i].row);
    }
    textbuf_text(t, "</data><data key=\"anchor\">");
    add_word(t, m, m->anchors[topic]);
    textbuf_text(t, "</data></node>\n");
    return KEDGE_OK;
}

static kedge_status write_graph(export *e, kedge_error *err)
{
    const kedge_model *const m = e->m;
    textbuf *const t = &e->file.text;
    const size_t topics = m->topics;
    double sum = 0;

    for (size_t i = 0; i < topics * topics; i++)
        sum += m->correlations[i];
    PASS(newfile_open(&e->file, e->directory, "topic_cooccurrence.graphml",
                      err));
    textbuf_text(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml "
                    "xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        textbuf_print(t, "<key id=\"%s\" for=\"%s\" attr.name=\"%s\" "
                         "attr.type=\"%s\"/>\n",
                      attributes[i].name, attributes[i].of,
                      attributes[i].name, attributes[i].type);
    textbuf_text(t, "<graph edgedefault=\"undirected\">\n");
    for (size_t k = 0; k < topics; k++) {
        PASS(add_node(t, m, k, err));
        PASS(newfile_flush(&e->file, err));
    }
    for (size_t k = 0; k < topics; k++)
        for (size_t l = k + 1; l < topics; l++) {
            const double joint = m->correlations[k * topics + l];
            const double chance = m->shares[k] * m->shares[l];
            if (!(chance > 0 && joint / sum > chance))
                continue; /* not together more than by chance */
            textbuf_print(t, "<edge source=\"t%zu\" target=\"t%zu\">", k + 1,
                          l + 1);
            add_real(t, "weight", joint);
            add_real(t, "lift", joint / sum / chance);
            textbuf_text(t, "</edge>\n");
            PASS(newfile_flush(&e->file, err));
        }
    textbuf_text(t, "</graph>\n</graphml>\n");
    return newfile_commit(&e->file, err);
}

/* ---- the table ----------------------------------------------------------- */

/* What a spreadsheet would take for a formula, and run. */
static bool is_formula(const char *name)
{
    return name[0] != '\0' && strchr("=+-@\t\r\n", name[0]) != NULL;
}

/* Quoted as RFC 4180 has it, where it has to be. A formula has an apostrophe
 * before it. */
static void add_topic(textbuf *t, const kedge_model *m, size_t topic)
{
    const char *const name = kedge_model_label(m, topic);
    const char *const mark = is_formula(name) ? "'" : "";

    if (name[0] == '\0') {
        textbuf_print(t, "%zu", topic + 1);
    } else if (strpbrk(name, "\",\r\n") == NULL) {
        textbuf_text(t, mark);
        textbuf_text(t, name);
    } else {
        textbuf_text(t, "\"");
        textbuf_text(t, mark);
        for (const char *c = name; *c != '\0'; c++)
            textbuf_add(t, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
        textbuf_text(t, "\"");
    }
}

static kedge_status write_table(export *e, kedge_error *err)
{
    const kedge_model *const m = e->m;
    textbuf *const t = &e->file.text;

    PASS(newfile_open(&e->file, e->directory, "topic_cooccurrence.csv", err));
    textbuf_text(t, "topic");
    for (size_t l = 0; l < m->topics; l++) {
        textbuf_text(t, ",");
        add_topic(t, m, l);
    }
    for (size_t k = 0; k < m->topics; k++) {
        textbuf_text(t, "\n");
        add_topic(t, m, k);
        for (size_t l = 0; l < m->topics; l++) {
            textbuf_text(t, ",");
            textbuf_real(t, m->correlations[k * m->topics + l]);
        }
        PASS(newfile_flush(&e->file, err));
    }
    textbuf_text(t, "\n");
    return newfile_commit(&e->file, err);
}

kedge_status export_relations(export *e, kedge_error *err)
{
    if (e->opts->also & KEDGE_EXPORT_GRAPHML)
        PASS(write_graph(e, err));
    if (e->opts->also & KEDGE_EXPORT_CSV)
        PASS(write_table(e, err));
    return KEDGE_OK;
}
