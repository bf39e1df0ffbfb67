/* SPDX-License-Identifier: MIT */
#include "pipeline/intake/arrivals.h"

#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/mem.h"
#include "pipeline/slot.h"
#include "pipeline/plan.h"
#include "io/assemble.h"
#include "io/vocabulary.h"

#define BATCH_DOCUMENTS 4096
#define PIPE_SECONDS 0.001 /* that a pipe's documents are waited for */

/* ---- words --------------------------------------------------------------- */

/* Unknown words of formats whose documents are made by assemble.h may be the
 * same id; UCI's have to differ within a document. */
static kedge_status arrivals_number(arrivals *a, const words *file,
                                    kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    a->lines = file->count;
    TRY_MEM(a->map = mem_new(file->count, sizeof *a->map));
    for (size_t j = 0; j < file->count; j++)
        a->map[j] = wordmap_find(&a->ids, span_of(words_get(file, j),
                                                  words_size(file, j)));
out:
    return st;
}

static kedge_status arrivals_vocabulary(arrivals *a, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    words file = {0};

    if (!vocabulary_comes(a->opts->vocabulary, a->opts->source))
        return KEDGE_OK;
    TRY(vocabulary_load(a->opts->vocabulary, a->opts->source,
                        a->opts->encoding, &file, err));
    TRY(arrivals_number(a, &file, err));
out:
    words_free(&file);
    return st;
}

kedge_status arrivals_open(arrivals *a, store_txn *txn, const char *const *path,
                           size_t count, const kedge_infer_opts *opts,
                           const kedge_control *control, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *a = (arrivals){.path = {.given = path, .count = count}, .opts = opts,
                    .control = control};
    TRY(plan_get_words(txn, control, &a->all, err));
    if (!wordmap_open(&a->ids, &a->all))
        TRY_MEM(NULL);
    TRY(cutting_load(&a->cutting, txn, err));
    if (a->cutting.settings.texts)
        cutting_tokens(&a->cutting, &a->tokens);
    else /* as usual */
        tokenizer_opts_init(&a->tokens);
    TRY(arrivals_vocabulary(a, err));
out:
    return st;
}

void arrivals_close(arrivals *a)
{
    reader_close(a->r);
    wordmap_close(&a->ids);
    words_free(&a->all);
    cutting_free(&a->cutting);
    words_free(&a->path.found);
    mem_free(a->map);
    *a = (arrivals){0};
}

/* ---- sources ------------------------------------------------------------- */

static bool is_file(const char *path)
{
    struct stat about;

    return (strcmp(path, "-") == 0 ? fstat(0, &about)
                                   : stat(path, &about)) == 0 &&
           (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode));
}

bool arrivals_lasts(const char *path)
{
    return strcmp(path, "-") != 0 && is_file(path);
}

/* What no word of the store is becomes the id after the last. */
static void arrivals_settle(arrivals *a)
{
    const uint32_t unknown = (uint32_t)a->all.count;
    const bool apart = reader_gives_lines(a->r);

    for (size_t j = 0; j < a->lines; j++)
        if (a->map[j] >= unknown)
            a->map[j] = unknown + (apart ? (uint32_t)j : 0);
}

static kedge_status arrivals_begin(arrivals *a, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_infer_opts *const o = a->opts;
    const char *const name = paths_get(&a->path, a->next);
    const store_settings *const t = &a->cutting.settings;
    const reader_opts opts = {.format = o->format,
                              .source = o->source,
                              .words = a->lines,
                              .vocabulary = vocabulary_comes(o->vocabulary,
                                                             o->source),
                              .closed = true,
                              .unknown = (uint32_t)a->all.count,
                              .empty = true,
                              .skip_bad = o->skip_bad,
                              .room = a->room,
                              .control = a->control,
                              .lexicon = &a->ids,
                              .map = a->map,
                              .tokens = &a->tokens,
                              .order = true,
                              .text_field = cutting_name(o->text_field,
                                  t->text_field),
                              .id_field = cutting_name(o->id_field,
                                  t->id_field),
                              .encoding = cutting_name(o->encoding,
                                  t->encoding),
                              .label_field = cutting_name(o->label_field,
                                  t->label_field)};

    a->waits = o->source == NULL && !is_file(name);
    TRY(reader_open(name, &opts, &a->r, err));
    arrivals_settle(a);
    a->next++;
out:
    return st;
}

static void arrivals_count(arrivals *a)
{
    reader_counts c;

    reader_get_counts(a->r, &c);
    a->bad = a->closed_bad + c.bad.count;
    a->unread = a->closed_unread + c.unread.count;
    if (a->first_unread[0] == '\0')
        memcpy(a->first_unread, c.unread.line[0], sizeof a->first_unread);
    a->not_utf8 = a->closed_not_utf8 + c.not_utf8;
    if (a->first_not_utf8[0] == '\0')
        memcpy(a->first_not_utf8, c.first_not_utf8, sizeof a->first_not_utf8);
    a->bytes_read = a->closed_read + c.bytes_read;
    a->bytes_total = a->closed_total + c.bytes_total;
}

static kedge_status arrivals_end(arrivals *a, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (reader_is_folder(a->r))
        TRY(paths_take(&a->path, a->r, err));
    a->closed_bad = a->bad;
    a->closed_unread = a->unread;
    a->closed_not_utf8 = a->not_utf8;
    a->closed_read = a->bytes_read;
    a->closed_total = a->bytes_total;
    reader_close(a->r);
    a->r = NULL;
out:
    return st;
}

static size_t arrivals_at_once(const arrivals *a)
{
    const kedge_source *const source = a->opts->source;

    return source != NULL && source->one_by_one ? 1 : BATCH_DOCUMENTS;
}

kedge_status arrivals_next(arrivals *a, docs *batch, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool more;

    docs_clear(batch);
    while (batch->count == 0) {
        if (a->r == NULL && a->next == paths_count(&a->path))
            return KEDGE_OK;
        if (a->r == NULL)
            TRY(arrivals_begin(a, err));
        TRY(reader_next(a->r,
                        &(reader_limits){arrivals_at_once(a),
                                         SLOT_BLOCK_ENTRIES,
                                         SLOT_BLOCK_SYMBOLS,
                                         a->waits ? PIPE_SECONDS : 0},
                        batch, &more, err));
        if (reader_gives_lines(a->r) && !docs_renumber(batch, 0, a->map))
            TRY_MEM(NULL);
        arrivals_count(a);
        if (!more)
            TRY(arrivals_end(a, err));
    }
out:
    return st;
}

void arrivals_rewind(arrivals *a)
{
    a->next = 0;
    words_free(&a->path.found);
    a->unread = a->closed_unread = 0;
    a->bad = a->bytes_read = a->bytes_total = 0;
    a->closed_bad = a->closed_read = a->closed_total = 0;
    a->not_utf8 = a->closed_not_utf8 = 0;
}
