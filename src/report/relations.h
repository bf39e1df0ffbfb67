/* SPDX-License-Identifier: MIT */
#ifndef REPORT_RELATIONS_H
#define REPORT_RELATIONS_H
/* Which topics go together, as a graph and as a table. */
#include <kedge/model.h>

/*
 * correlations.graphml: a node for each topic, with its number, its name where
 * it has one, its share, its first words by relevance and its anchor; an edge
 * for each pair whose joint probability is above what their shares alone would
 * make, with the `weight` A_kl, as in correlations.npy, and the `lift`
 * p(k, l) / (p(k) p(l)), where p is A scaled to the sum one. U+FFFD stands for
 * what XML 1.0 cannot hold.
 */
kedge_status relations_write_graph(const kedge_model *m, const char *directory,
                                   kedge_error *err);

/* correlations.csv: A, with a first row and a first column of the topics: the
 * name where a topic has one, else the number. It is for spreadsheets: a name
 * that begins with =, +, -, @ or a control character has an apostrophe before
 * it. */
kedge_status relations_write_table(const kedge_model *m, const char *directory,
                                   kedge_error *err);

#endif
