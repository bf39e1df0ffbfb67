/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_PARTS_PARTFILE_H
#define PIPELINE_PARTS_PARTFILE_H
/*
 * What travels of a store instead of its documents, as records of a parcel:
 * first all that has to agree, then the words with their counts, in the order
 * of their bytes, then of each view its list and its rows. FORMAT.md has every
 * byte. Words that no document holds do not travel, so that the same documents
 * give the same bytes whatever else was read and removed.
 */
#include "pipeline/textsettings.h"
#include "store/parcel.h"

#define PARTFILE_PARTS_MOST 65536
#define PARTFILE_VIEWS_MOST 256

/* A view by the number that it has where it comes from; `words` are its
 * rows. */
typedef struct partfile_view {
    uint32_t number;
    store_view view;
} partfile_view;

/* What comes first. An empty one is {0}. */
typedef struct partfile_facts {
    uint64_t documents, tokens, nonzeros, digest[2]; /* of all parts */
    uint64_t words, word_bytes; /* that a document holds; of their text */
    text_settings tokenizing;
    size_t parts, views;
    store_part *part; /* of these documents; `when` is 0 */
    partfile_view *view;
} partfile_facts;

void partfile_free(partfile_facts *f);

kedge_status partfile_put_facts(parcel_out *to, const partfile_facts *f,
                                kedge_error *err);
/* `out` is empty. */
kedge_status partfile_get_facts(parcel_in *from, partfile_facts *out,
                                kedge_error *err);

/* Words in the order of their bytes, and the counts of each. */
kedge_status partfile_put_words(parcel_out *to, const words *w,
                                const uint64_t *tf, const uint64_t *df,
                                kedge_error *err);
/* As many as the facts tell; `out` is empty, tf and df have room. */
kedge_status partfile_get_words(parcel_in *from, const partfile_facts *f,
                                words *out, uint64_t *tf, uint64_t *df,
                                kedge_error *err);

/* The list of a view: rising places among those words, `known` of them. */
kedge_status partfile_put_list(parcel_out *to, const uint32_t *place,
                               size_t count, kedge_error *err);
kedge_status partfile_get_list(parcel_in *from, uint64_t known,
                               uint32_t *place, size_t count,
                               kedge_error *err);

#endif
