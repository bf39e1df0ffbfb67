/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_SOURCE_H
#define KEDGE_SOURCE_H
/*
 * Documents from the memory of the program instead of a file. kedge calls
 * `next` for one document after the other and copies it. Set
 * kedge_ingest_opts.source or kedge_infer_opts.source.
 *
 *   static int next(void *data, kedge_given *out)
 *   {
 *       struct mine *m = data;
 *
 *       if (m->at == m->count)
 *           return 0;
 *       out->text = m->text[m->at];
 *       out->text_size = strlen(m->text[m->at++]);
 *       return 1;
 *   }
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kedge/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A document: a text, or a list of words, or a list of word numbers. */
typedef struct kedge_given {
    const char *id;    /* at most 255 bytes; NULL: none */
    const char *label; /* NULL: none */
    const char *text;  /* kedge splits it into words; NULL: see `words` */
    size_t text_size;  /* bytes of the text */
    const char *const *words; /* used as they are; any order, repetitions
                                 allowed; NULL: see `numbers` */
    const uint32_t *numbers;  /* positions in kedge_source.vocabulary, from 0 */
    const uint32_t *counts;   /* occurrences of each word or number, at least
                                 1; NULL: 1 each */
    uint64_t size;            /* length of words or numbers, and of counts */
} kedge_given;

typedef struct kedge_source {
    const char *name; /* its name in the store; NULL (default): made from the
                         first documents */
    const char *const *vocabulary; /* the only words to use, as
                                      kedge_ingest_opts.vocabulary; NULL: all
                                      words of the documents */
    uint64_t words;   /* length of the vocabulary */
    void *data;       /* first argument of `next` */
    /* Fills *out, which is zeroed, with the next document. Returns 1; 0 after
     * the last document; -1 to give up, which ends the call with ECANCELED.
     * What *out points to must stay valid until the next call. Called on the
     * thread that called kedge. */
    int (*next)(void *data, kedge_given *out);
    bool one_by_one;  /* kedge_infer_next calls `next` once and returns that
                         document's proportions. False (default): it reads many
                         documents ahead */
} kedge_source;

#ifdef __cplusplus
}
#endif
#endif
