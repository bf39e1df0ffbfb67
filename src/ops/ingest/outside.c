/* SPDX-License-Identifier: MIT */
#include "ops/ingest/outside.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "ops/plan.h"
#include "io/assemble.h"
#include "io/vocabulary.h"

#define BATCH_DOCUMENTS 4096
#define PIPE_SECONDS 0.001 /* that a pipe's documents are waited for */

/* Ids of a vocabulary's lines. Unknown words may be the same id where documents
 * are made by assemble.h; UCI's have to differ within a document. */
static kedge_status number_lines(outside_docs *a, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    words file = {0};

    if (!vocabulary_comes(a->opts->vocabulary, a->opts->source))
        return KEDGE_OK;
    TRY(vocabulary_load(a->opts->vocabulary, a->opts->source,
                        a->opts->encoding, &file, err));
    a->lines = file.count;
    TRY_MEM(a->map = mem_new(file.count, sizeof *a->map));
    for (size_t j = 0; j < file.count; j++)
        a->map[j] = wordmap_find(&a->ids, words_span(&file, j));
out:
    words_free(&file);
    return st;
}

kedge_status outside_open(outside_docs *a, store_txn *txn,
                          const char *const *path, size_t count,
                          const kedge_infer_opts *opts,
                          const kedge_control *control, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *a = (outside_docs){.path = {.given = path, .count = count},
                        .opts = opts, .control = control};
    TRY(plan_get_words(txn, control, &a->all, err));
    TRY_MEM(wordmap_open(&a->ids, &a->all));
    TRY(text_settings_load(&a->tokenizing, txn, err));
    if (a->tokenizing.settings.texts)
        text_settings_tokens(&a->tokenizing, &a->tokens);
    else /* as usual */
        tokenizer_opts_init(&a->tokens);
    TRY(number_lines(a, err));
out:
    return st;
}

void outside_close(outside_docs *a)
{
    reader_close(a->r);
    wordmap_close(&a->ids);
    words_free(&a->all);
    text_settings_free(&a->tokenizing);
    words_free(&a->path.found);
    mem_free(a->map);
    *a = (outside_docs){0};
}

bool outside_lasts(const char *path)
{
    return strcmp(path, "-") != 0 && path_is_file(path);
}

static kedge_status outside_begin(outside_docs *a, kedge_error *err)
{
    const kedge_infer_opts *const o = a->opts;
    const char *const name = paths_get(&a->path, a->next);
    const uint32_t unknown = (uint32_t)a->all.count;
    reader_opts opts = {.format = o->format,
                        .source = o->source,
                        .words = a->lines,
                        .vocabulary = vocabulary_comes(o->vocabulary,
                                                       o->source),
                        .closed = true,
                        .unknown = unknown,
                        .empty = true,
                        .skip_bad = o->skip_bad,
                        .room = a->room,
                        .control = a->control,
                        .lexicon = &a->ids,
                        .map = a->map,
                        .tokens = &a->tokens,
                        .order = true,
                        .text_field = o->text_field,
                        .id_field = o->id_field,
                        .label_field = o->label_field,
                        .encoding = o->encoding};

    text_settings_fields(&a->tokenizing, &opts);
    a->waits = o->source == NULL && !path_is_file(name);
    PASS(reader_open(name, &opts, &a->r, err));
    for (size_t j = 0; j < a->lines; j++) /* what no word of the store is */
        if (a->map[j] >= unknown)
            a->map[j] = unknown;
    a->next++;
    return KEDGE_OK;
}

kedge_status outside_next(outside_docs *a, docs *batch, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_source *const source = a->opts->source;
    const size_t most =
        source != NULL && source->one_by_one ? 1 : BATCH_DOCUMENTS;
    reader_counts c;
    bool more;

    docs_clear(batch);
    while (batch->count == 0) {
        if (a->r == NULL && a->next == paths_count(&a->path))
            return KEDGE_OK;
        if (a->r == NULL)
            TRY(outside_begin(a, err));
        TRY(reader_next(a->r,
                        &(reader_limits){most, STORE_BLOCK_ENTRIES,
                                         STORE_BLOCK_SYMBOLS,
                                         a->waits ? PIPE_SECONDS : 0},
                        batch, &more, err));
        reader_get_counts(a->r, &c);
        a->counts = a->closed;
        reading_add_counts(&a->counts, &c);
        if (more)
            continue;
        if (reader_is_folder(a->r))
            TRY(paths_take(&a->path, a->r, err));
        a->closed = a->counts;
        reader_close(a->r);
        a->r = NULL;
    }
out:
    return st;
}

void outside_rewind(outside_docs *a)
{
    a->next = 0;
    words_free(&a->path.found);
    a->counts = a->closed = (reader_counts){0};
}
