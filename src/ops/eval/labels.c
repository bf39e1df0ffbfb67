/* SPDX-License-Identifier: MIT */
#include "ops/eval/eval.h"

#include "ops/memory.h"

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/vocabulary.h"

void labels_close(labels *l)
{
    wordmap_close(&l->found);
    wordmap_close(&l->named);
    words_free(&l->classes);
    words_free(&l->ids);
    mem_free_all(l->class, l->met);
    *l = (labels){0};
}

/* ---- the file ------------------------------------------------------------ */

/* Of a line, the class, and before it where there is a tab the id. */
static kedge_status labels_take(labels *l, const char *path, size_t number,
                                span line, kedge_error *err)
{
    const char *const tab = memchr(line.bytes, '\t', line.size);
    const size_t id = tab != NULL ? (size_t)(tab - line.bytes) : 0;
    const size_t skip = tab != NULL ? id + 1 : 0;

    if ((tab != NULL) != l->by_id || line.size == skip ||
        (l->by_id && id == 0))
        return kedge_fail(err, KEDGE_EFORMAT, "%s:%zu: expected %s, as in "
                          "the first line", path, number + 1,
                          l->by_id ? "an id, a tab and a class"
                                   : "a class without a tab");
    if (l->by_id && !words_add(&l->ids, line.bytes, id))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (labels)");
    if (!wordmap_add(&l->found, span_of(line.bytes + skip, line.size - skip),
                     &l->class[number]))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (labels)");
    return KEDGE_OK;
}

static kedge_status labels_read(labels *l, const char *path, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    words lines = {0};

    TRY(vocabulary_read_classes(path, &lines, err));
    l->filed = true;
    l->count = lines.count;
    l->by_id = memchr(words_get(&lines, 0), '\t', words_size(&lines, 0)) !=
               NULL;
    TRY_MEM(l->class = mem_new(lines.count, sizeof *l->class));
    for (size_t i = 0; i < lines.count; i++)
        TRY(labels_take(l, path, i,
                        words_span(&lines, i),
                        err));
    if (!l->by_id)
        goto out;
    TRY_MEM(wordmap_open(&l->named, &l->ids));
    for (size_t i = 0; i < l->count; i++) {
        const span id = span_of(words_get(&l->ids, i), words_size(&l->ids, i));
        const uint32_t known = wordmap_find(&l->named, id);
        if (known != i)
            TRY(kedge_fail(err, KEDGE_EFORMAT, "%s: lines %zu and %zu have the "
                                               "same id: expected each id "
                                               "once", path,
                           i < known ? i + 1 : known + 1,
                           i < known ? known + 1 : i + 1));
    }
    TRY_MEM(l->met = mem_new(l->count, sizeof *l->met));
    l->unmet = l->count;
out:
    words_free(&lines);
    return st;
}

kedge_status labels_open(labels *l, const char *path, uint64_t documents,
                         kedge_error *err)
{
    *l = (labels){0};
    if (!wordmap_open(&l->found, &l->classes))
        PASS_MEM(NULL);
    if (path == NULL)
        return KEDGE_OK;
    PASS(labels_read(l, path, err));
    if (!l->by_id && l->count != documents)
        PASS(kedge_fail(err, KEDGE_EFORMAT, "\"%s\" has %zu lines, and the store "
                                            "%" PRIu64 " documents: expected a "
                                            "class for each, or an id, a tab "
                                            "and a class", path, l->count,
                        documents));
    return KEDGE_OK;
}

/* ---- documents ----------------------------------------------------------- */

kedge_status labels_next(labels *l, span id, span label, uint32_t *class,
                         kedge_error *err)
{
    const size_t at = l->next++;
    uint32_t line;

    *class = LABELS_NONE;
    if (l->filed && !l->by_id && at < l->count)
        *class = l->class[at];
    if (l->filed && l->by_id) {
        line = wordmap_find(&l->named, id);
        *class = line != WORDMAP_NONE ? l->class[line] : LABELS_NONE;
        if (line != WORDMAP_NONE && !l->met[line]) {
            l->met[line] = true;
            l->unmet--;
        }
    }
    if (!l->filed && label.size > 0 &&
        !wordmap_add(&l->found, label, class))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (labels)");
    return KEDGE_OK;
}

uint64_t labels_bytes(const labels *l)
{
    return words_bytes(&l->ids) + 8 * (uint64_t)l->ids.count +
           memory_wordmap(l->ids.count) + 5 * (uint64_t)l->count +
           words_bytes(&l->classes) + 8 * (uint64_t)l->classes.count +
           memory_wordmap(l->classes.count);
}
