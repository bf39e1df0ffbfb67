/* SPDX-License-Identifier: MIT */
#include "io/text/stopset.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "io/text/tokenizer.h"

#define SLOTS_LEAST 8

static uint64_t head_of(span word)
{
    uint8_t head[8] = {0};

    memcpy(head, word.bytes, word.size < 8 ? word.size : 8);
    return get_u64(head);
}

static size_t slot_of(const stopset *s, uint64_t head, size_t size)
{
    return (size_t)((head + size) * HASH_GOLDEN >> 32) & s->mask;
}

bool stopset_has(const stopset *s, uint64_t head, span word)
{
    size_t i = slot_of(s, head, word.size);

    for (; s->slot[i].size != 0; i = (i + 1) & s->mask)
        if (s->slot[i].head == head && s->slot[i].size == word.size &&
            (word.size <= 8 ||
             memcmp(s->bytes + s->slot[i].at, word.bytes, word.size) == 0))
            return true;
    return false;
}

static void add(stopset *s, size_t at, size_t size)
{
    const span word = span_of(s->bytes + at, size);
    const uint64_t head = head_of(word);
    size_t i = slot_of(s, head, size);

    if (size == 0 || stopset_has(s, head, word))
        return;
    while (s->slot[i].size != 0)
        i = (i + 1) & s->mask;
    s->slot[i] = (stopword){head, size, at};
}

kedge_status stopset_create(stopset *s, const words *list, kedge_error *err)
{
    const size_t count = list == NULL ? 0 : list->count;
    size_t slots = SLOTS_LEAST;

    while (slots / 4 < count)
        slots *= 2;
    s->mask = slots - 1;
    PASS_MEM(s->slot = mem_new(slots, sizeof *s->slot));
    if (count == 0)
        return KEDGE_OK;
    PASS_MEM(s->bytes = mem_new(list->offset[count], 1));
    memcpy(s->bytes, list->bytes, list->offset[count]);
    for (size_t i = 0; i < count; i++)
        add(s, list->offset[i], words_size(list, i));
    return KEDGE_OK;
}

void stopset_free(stopset *s)
{
    mem_free(s->slot);
    mem_free(s->bytes);
    *s = (stopset){0};
}

stopset stopset_empty(void)
{
    static stopword none;

    return (stopset){.slot = &none};
}

/* ---- the lists ----------------------------------------------------------- */

/* Whether a code is one of several. */
static bool is_code(const char *codes, const char *code)
{
    const size_t size = strlen(code);

    for (; codes[1] != '\0'; codes += strcspn(codes + 1, " ") + 1)
        if (strcspn(codes + 1, " ") == size &&
            memcmp(codes + 1, code, size) == 0)
            return size > 0;
    return false;
}

const char *tokenizer_stopwords(const char *language)
{
    for (const stopword_list *l = stopword_lists; l->name != NULL; l++)
        if (strcmp(language, l->name) == 0 || is_code(l->codes, language))
            return l->words;
    return NULL;
}

kedge_status tokenizer_check_stopwords(const char *name, kedge_error *err)
{
    char known[512] = "";
    size_t size = 0;

    if (tokenizer_stopwords(name) != NULL || access(name, F_OK) == 0)
        return KEDGE_OK;
    for (const stopword_list *l = stopword_lists; l->name != NULL; l++)
        size += (size_t)snprintf(known + size, sizeof known - size, "%s%s",
                                 size > 0 ? ", " : "", l->name);
    return kedge_fail(err, KEDGE_EINVAL,
                      "\"%.80s\" is neither a known list of stop words nor a "
                      "file: expected a file with a word per line, or one of "
                      "%s", name, known);
}
