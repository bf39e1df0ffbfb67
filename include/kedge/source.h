/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_SOURCE_H
#define KEDGE_SOURCE_H
/*
 * Documents that a program has itself, in the place of a file: they are handed
 * over one by one and copied, so that none has to outlive the call. kedge asks
 * for them as it needs them (kedge_ingest_opts, kedge_infer_opts).
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

/* A document: its text, or its words, or their numbers. */
typedef struct kedge_given {
    const char *id;    /* at most 255 bytes; NULL: it has none */
    const char *label; /* NULL: it has none */
    const char *text;  /* is cut into words; NULL: these are */
    size_t text_size;  /* its bytes */
    const char *const *words; /* taken as they are, in any order, a word as
                                 often as you like; NULL: these are */
    const uint32_t *numbers;  /* places in the source's vocabulary, from 0 */
    const uint32_t *counts;   /* how often each of them is there, 1 at least;
                                 NULL: once */
    uint64_t size;            /* of words or numbers, and of counts */
} kedge_given;

typedef struct kedge_source {
    const char *name; /* what the store knows it by; NULL (default): a name is
                         made of its first documents */
    const char *const *vocabulary; /* no other words are taken, as with
                                      kedge_ingest_opts.vocabulary; NULL: those
                                      that are found */
    uint64_t words;   /* of the vocabulary */
    void *data;       /* handed to: */
    /* Puts the next document into *out, which is zeroed, and answers 1; or 0
     * after the last, or -1 to give up, which ends the call with ECANCELED.
     * What *out points to stays as it is until the next call. It is called on
     * the thread that called into kedge. */
    int (*next)(void *data, kedge_given *out);
    bool one_by_one;  /* kedge_infer_next asks for one document and answers it,
                         rather than asking for many first */
} kedge_source;

#ifdef __cplusplus
}
#endif
#endif
