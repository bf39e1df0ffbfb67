/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a file with an item a line; the first byte chooses of what:
 * words, ids, classes, or the labels of documents. Beside not crashing, what is
 * read are the lines, words are there once, and the labels of documents are
 * those of their lines or of their ids.
 */
#include "fuzz.h"

#include "ops/eval/eval.h"
#include "io/text/tokenizer.h"
#include "io/vocabulary.h"

static void check_words(const words *w)
{
    char folded[512];

    for (size_t i = 0; i < w->count; i++) {
        const span word = span_of(words_get(w, i), words_size(w, i));
        PROMISE(word.size > 0 && word.size <= 4096);
        PROMISE(memchr(word.bytes, '\0', word.size) == NULL);
        PROMISE(memchr(word.bytes, '\n', word.size) == NULL);
        const size_t size = tokenizer_fold(word, folded, sizeof folded);
        PROMISE(size <= sizeof folded);
    }
}

static void read_words(const char *path, unsigned kind)
{
    kedge_error err = {0};
    words w = {0}, other = {0};
    const kedge_status st = kind == 0   ? vocabulary_read(path, &w, &err)
                            : kind == 1 ? vocabulary_read_ids(path, &w, &err)
                                        : vocabulary_read_classes(path, &w,
                                                                  &err);

    PROMISE(st == KEDGE_OK || (st == KEDGE_EFORMAT && strlen(err.text) > 0));
    if (st == KEDGE_OK)
        check_words(&w);
    PROMISE((w.count > 0) == (st == KEDGE_OK) || (kind == 1 && w.count == 0));
    if (kind == 0 && st == KEDGE_OK) { /* what is a vocabulary is a list */
        PROMISE(vocabulary_read_ids(path, &other, &err) == KEDGE_OK);
        PROMISE(other.count == w.count);
    }
    words_free(&w);
    words_free(&other);
}

static void read_labels(const char *path, uint64_t documents)
{
    kedge_error err = {0};
    labels l;
    kedge_status st = labels_open(&l, path, documents, &err);
    uint32_t class;

    PROMISE(st == KEDGE_OK || (st == KEDGE_EFORMAT && strlen(err.text) > 0));
    for (uint64_t d = 0; st == KEDGE_OK && d < documents; d++) {
        const span id = l.by_id && d < l.ids.count
                            ? span_of(words_get(&l.ids, d),
                                      words_size(&l.ids, d))
                            : span_of("x", 1);
        PROMISE(labels_next(&l, id, span_of("y", 1), &class, &err) ==
                KEDGE_OK);
        PROMISE(class == LABELS_NONE || class < l.classes.count);
        PROMISE(!l.by_id || d >= l.ids.count || class == l.class[d]);
        PROMISE(l.unmet <= l.count);
    }
    labels_close(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH];

    if (size == 0)
        return 0;
    const int fd = fuzz_file(data + 1, size - 1, path);
    if (data[0] % 4 < 3)
        read_words(path, data[0] % 4);
    else
        read_labels(path, data[0] / 4);
    close(fd);
    return 0;
}
