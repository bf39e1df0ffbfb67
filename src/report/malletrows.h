/* SPDX-License-Identifier: MIT */
#ifndef REPORT_MALLETROWS_H
#define REPORT_MALLETROWS_H
/* A model and its documents as files of the kinds that MALLET writes. */
#include <kedge/control.h>
#include <kedge/model.h>

/* mallet-keys.txt, as by --output-topic-keys: of each topic the number, from 0,
 * what stands for its alpha, and its most probable words. */
kedge_status malletrows_write_keys(const kedge_model *m, const char *directory,
                                   kedge_error *err);

/*
 * mallet-topics.txt, as by --output-doc-topics: of each document the number,
 * from 0, the id and the shares; and mallet-state.gz, as by --output-state: a
 * line for each token with its topic. What a model makes no sample of is shared
 * out: the tokens of a word in a document go to topics in proportion to
 * p(topic | word, composition), by largest remainder, of equal ones to the
 * first; in proportion to the composition where none of its topics has the
 * word. Tokens are in the order of the words.
 *
 * By one pass over the store, of the documents that compositions are kept of:
 * fails as showing_check. `control`: NULL for the usual. EBUDGET, ECANCELED,
 * ECORRUPT, EIO, ENOMEM.
 */
kedge_status malletrows_write(kedge_store *s, const kedge_model *m,
                              const kedge_control *control,
                              const char *directory, kedge_error *err);

#endif
