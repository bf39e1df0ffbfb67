/* SPDX-License-Identifier: MIT */
#ifndef OPS_MODELS_METHODS_H
#define OPS_MODELS_METHODS_H
/* The ways to topics as bytes of a model's header, as FORMAT.md has them, and
 * all that was not as usual in words. */
#include "ops/models/model.h"

#define METHODS_BYTES 7

/* What is usual becomes zeros. The seed is not among them. */
void methods_pack(const law_ways *w, uint8_t bytes[METHODS_BYTES]);

/* false for a way that there is not, or bits that mean nothing. */
bool methods_unpack(const uint8_t bytes[METHODS_BYTES], law_ways *w);

/* Whether all is as usual. */
bool methods_plain(const law_ways *w);

/* As they are typed. */
typedef enum method {
    METHOD_RECTIFY,
    METHOD_COOCCURRENCE,
    METHOD_WEIGHT,
    METHOD_ANCHORS,
    METHOD_SOLVER,
    METHOD_RECOVER,
} method;

const char *methods_name(method what, uint64_t value);

#define METHODS_TEXT 256 /* all that there is to tell finds room */

/* What is not as usual, for people: "anchors fast, recover kl", or "". */
void methods_tell(const kedge_model *m, char text[METHODS_TEXT]);

#endif
