/* SPDX-License-Identifier: MIT */
#ifndef OPS_MODELS_NAMING_H
#define OPS_MODELS_NAMING_H
/* Names that people give to topics, and how a model's header holds them. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kedge/model.h>

typedef struct topic_name {
    char text[KEDGE_LABEL_MOST + 1]; /* "": none */
} topic_name;

/* EINVAL unless `name` is UTF-8 without control characters and line ends and
 * not too long. The empty name will do. */
kedge_status naming_check(const char *name, kedge_error *err);

/* Bytes that the names of `topics` topics take in a header: none where no topic
 * has a name or `names` is NULL. */
size_t naming_size(const topic_name *names, size_t topics);
void naming_write(const topic_name *names, size_t topics, uint8_t *to);
/* false when the bytes are no names of so many topics. */
bool naming_read(topic_name *names, size_t topics, const uint8_t *from,
                 size_t size);

#endif
