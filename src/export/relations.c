/* SPDX-License-Identifier: MIT */
/* Both files are written a node, an edge or a row at a time: of the pairs of
 * some thousand topics there are millions. */
#include "export/export.h"

#include <string.h>

#include "base/fail.h"
#include "export/jsontext.h"

#define FIRST 10 /* words of a node */

/* ---- text ---------------------------------------------------------------- */

/* Whether XML 1.0 can hold it. */
static bool is_xml(uint32_t c)
{
    return c >= 0x20 ? c != JSONTEXT_INVALID && (c | 1) != 0xFFFF
                     : c == '\t' || c == '\n' || c == '\r';
}

/* The character as it is written in content; NULL: as it is. */
static const char *xml_name(uint32_t c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '\r': return "&#13;"; /* by itself it would be read as \n */
    default: return is_xml(c) ? NULL : "\xEF\xBF\xBD";
    }
}

static void add_xml(textbuf *t, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint32_t c;
        const size_t length = jsontext_character(bytes + at, size - at, &c);
        const char *const name = xml_name(c);

        if (name != NULL)
            textbuf_text(t, name);
        else
            textbuf_add(t, bytes + at, length);
        at += length;
    }
}

/* ---- the graph ----------------------------------------------------------- */

static const char graph_head[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
    "<key id=\"number\" for=\"node\" attr.name=\"number\" "
    "attr.type=\"int\"/>\n"
    "<key id=\"name\" for=\"node\" attr.name=\"name\" "
    "attr.type=\"string\"/>\n"
    "<key id=\"share\" for=\"node\" attr.name=\"share\" "
    "attr.type=\"double\"/>\n"
    "<key id=\"words\" for=\"node\" attr.name=\"words\" "
    "attr.type=\"string\"/>\n"
    "<key id=\"anchor\" for=\"node\" attr.name=\"anchor\" "
    "attr.type=\"string\"/>\n"
    "<key id=\"weight\" for=\"edge\" attr.name=\"weight\" "
    "attr.type=\"double\"/>\n"
    "<key id=\"lift\" for=\"edge\" attr.name=\"lift\" "
    "attr.type=\"double\"/>\n"
    "<graph edgedefault=\"undirected\">\n";

static void open_data(textbuf *t, const char *key)
{
    textbuf_text(t, "<data key=\"");
    textbuf_text(t, key);
    textbuf_text(t, "\">");
}

static void close_data(textbuf *t)
{
    textbuf_text(t, "</data>");
}

static void add_word(textbuf *t, const kedge_model *m, size_t row)
{
    add_xml(t, words_get(&m->text, row), words_size(&m->text, row));
}

static kedge_status add_node(textbuf *t, const kedge_model *m, size_t topic,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_ranked_word first[FIRST];
    const char *const name = kedge_model_label(m, topic);
    uint64_t got;

    TRY(kedge_model_top_words(m, topic, KEDGE_RANK_RELEVANCE, first, FIRST,
                              &got, err));
    textbuf_text(t, "<node id=\"t");
    textbuf_count(t, topic + 1);
    textbuf_text(t, "\">");
    open_data(t, "number");
    textbuf_count(t, topic + 1);
    close_data(t);
    if (name[0] != '\0') {
        open_data(t, "name");
        add_xml(t, name, strlen(name));
        close_data(t);
    }
    open_data(t, "share");
    jsontext_add_real(t, m->shares[topic]);
    close_data(t);
    open_data(t, "words");
    for (uint64_t i = 0; i < got; i++) {
        textbuf_text(t, i > 0 ? ", " : "");
        add_word(t, m, first[i].row);
    }
    close_data(t);
    open_data(t, "anchor");
    add_word(t, m, m->anchors[topic]);
    close_data(t);
    textbuf_text(t, "</node>\n");
out:
    return st;
}

/* Where both are together more than by chance. */
static void add_edge(textbuf *t, const kedge_model *m, double sum, size_t k,
                     size_t l)
{
    const double joint = m->correlations[k * m->topics + l];
    const double chance = m->shares[k] * m->shares[l];

    if (!(chance > 0 && joint / sum > chance))
        return;
    textbuf_text(t, "<edge source=\"t");
    textbuf_count(t, k + 1);
    textbuf_text(t, "\" target=\"t");
    textbuf_count(t, l + 1);
    textbuf_text(t, "\">");
    open_data(t, "weight");
    jsontext_add_real(t, joint);
    close_data(t);
    open_data(t, "lift");
    jsontext_add_real(t, joint / sum / chance);
    close_data(t);
    textbuf_text(t, "</edge>\n");
}

static kedge_status write_graph(export *e, kedge_error *err)
{
    const kedge_model *const m = e->m;
    textbuf *const t = &e->file.text;
    const size_t topics = m->topics;
    kedge_status st = KEDGE_OK;
    double sum = 0;

    for (size_t i = 0; i < topics * topics; i++)
        sum += m->correlations[i];
    TRY(newfile_open(&e->file, e->directory, "topic_cooccurrence.graphml", err));
    textbuf_text(t, graph_head);
    for (size_t k = 0; k < topics; k++) {
        TRY(add_node(t, m, k, err));
        TRY(newfile_flush(&e->file, err));
    }
    for (size_t k = 0; k < topics; k++)
        for (size_t l = k + 1; l < topics; l++) {
            add_edge(t, m, sum, k, l);
            TRY(newfile_flush(&e->file, err));
        }
    textbuf_text(t, "</graph>\n</graphml>\n");
    TRY(newfile_commit(&e->file, err));
out:
    return st;
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
        textbuf_count(t, topic + 1);
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
    kedge_status st = KEDGE_OK;
    const kedge_model *const m = e->m;
    textbuf *const t = &e->file.text;

    TRY(newfile_open(&e->file, e->directory, "topic_cooccurrence.csv", err));
    textbuf_text(t, "topic");
    for (size_t l = 0; l < m->topics; l++) {
        textbuf_text(t, ",");
        add_topic(t, m, l);
    }
    textbuf_text(t, "\n");
    for (size_t k = 0; k < m->topics; k++) {
        add_topic(t, m, k);
        for (size_t l = 0; l < m->topics; l++) {
            textbuf_text(t, ",");
            jsontext_add_real(t, m->correlations[k * m->topics + l]);
        }
        textbuf_text(t, "\n");
        TRY(newfile_flush(&e->file, err));
    }
    TRY(newfile_commit(&e->file, err));
out:
    return st;
}

kedge_status export_relations(export *e, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (e->opts->also & KEDGE_EXPORT_GRAPHML)
        TRY(write_graph(e, err));
    if (e->opts->also & KEDGE_EXPORT_CSV)
        TRY(write_table(e, err));
out:
    return st;
}
