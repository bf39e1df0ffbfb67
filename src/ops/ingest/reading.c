/* SPDX-License-Identifier: MIT */
#include "ops/ingest/reading.h"

#include <assert.h>
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"
#include "io/stream.h"
#include "io/vocabulary.h"

static_assert(READER_ID_MAX == STORE_ID_MAX, "what is read can be stored");

/* A source is known by so many of its first documents. */
#define HEAD_DOCUMENTS 16

/* What a slow source has given is committed about as often. */
#define COMMIT_SECONDS 1

#define MEASURED_FILES 20000 /* of a directory; one of more is not measured */

kedge_status paths_take(source_paths *p, const reader *r, kedge_error *err)
{
    return words_add_all(&p->found, reader_records(r), 0)
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_ENOMEM, "out of memory (paths)");
}

/* Its kind (S_IFMT), "-" being standard input; 0: it is not there. */
static mode_t path_kind(const char *path)
{
    struct stat about;
    const int found = strcmp(path, "-") == 0 ? fstat(0, &about)
                                             : stat(path, &about);

    return found == 0 ? about.st_mode & S_IFMT : 0;
}

bool path_is_file(const char *path)
{
    const mode_t kind = path_kind(path);

    return kind == S_IFREG || kind == S_IFDIR;
}

void reading_add_counts(reader_counts *sum, const reader_counts *more)
{
    sum->bytes_read += more->bytes_read;
    sum->bytes_text += more->bytes_text;
    sum->bytes_total += more->bytes_total;
    sum->widest = sum->widest > more->widest ? sum->widest : more->widest;
    sum->texts += more->texts;
    sum->unbroken += more->unbroken;
    sum->files += more->files;
    sum->not_text += more->not_text;
    sum->hidden += more->hidden;
    sum->others += more->others;
    sum->empty += more->empty;
    sum->taken_back += more->taken_back;
    notes_join(&sum->bad, &more->bad);
    notes_join(&sum->unread, &more->unread);
    notes_join(&sum->partial, &more->partial);
    sum->unnamed += more->unnamed;
    sum->not_utf8 += more->not_utf8;
    if (sum->first_not_utf8[0] == '\0')
        memcpy(sum->first_not_utf8, more->first_not_utf8,
               sizeof sum->first_not_utf8);
}

/* It cannot be started over. */
static bool passes_by(const reading *in)
{
    return in->from == NULL &&
           (in->opts->source != NULL || strcmp(in->name, "-") == 0);
}

static bool has_no_name(const reading *in)
{
    return passes_by(in) &&
           (in->opts->source == NULL || in->opts->source->name == NULL);
}

static reader_opts options(const reading *in)
{
    const kedge_ingest_opts *const o = in->opts;
    reader_opts opts = {.format = o->format,
                        .source = o->source,
                        .words = in->file_words,
                        .vocabulary = vocabulary_comes(o->vocabulary,
                                                       o->source),
                        .skip_bad = o->skip_bad,
                        .room = in->room,
                        .control = in->control,
                        .tokens = &in->tokens,
                        .text_field = o->text_field,
                        .id_field = o->id_field,
                        .label_field = o->label_field,
                        .encoding = o->encoding};

    text_settings_fields(&in->tokenizing, &opts);
    return opts;
}

/* ---- vocabulary ---------------------------------------------------------- */

/* Whether documents come as texts, as the first one shows, or for a pipe its
 * format alone. What is amiss with it is said when it is read. */
static kedge_status expects_texts(const reading *in, bool *yes,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_format format = in->opts->format;
    reader_opts opts = options(in);
    words none = {0};
    wordmap lexicon = {0};
    reader_counts c = {0};
    docs batch = {0};
    reader *r = NULL;
    const char *path;
    bool more;

    *yes = false;
    if (in->from != NULL || in->opts->source != NULL || in->path.count == 0)
        return KEDGE_OK;
    path = paths_get(&in->path, 0);
    if (strcmp(path, "-") == 0 || !path_is_file(path)) {
        *yes = format == KEDGE_FORMAT_LINES || format == KEDGE_FORMAT_MALLET ||
               format == KEDGE_FORMAT_CSV || format == KEDGE_FORMAT_TSV;
        return KEDGE_OK;
    }
    opts.empty = true;
    opts.lexicon = &lexicon;
    TRY_MEM(wordmap_open(&lexicon, &none));
    st = reader_open(path, &opts, &r, err);
    if (st == KEDGE_OK && !reader_needs_vocabulary(r)) {
        st = reader_next(r, &(reader_limits){1, 1, 0, 0}, &batch, &more, err);
        reader_get_counts(r, &c);
    }
    *yes = c.texts > 0 || (st == KEDGE_OK && reader_is_folder(r) &&
                           reader_records(r)->count > 0);
    if (st == KEDGE_EFORMAT || st == KEDGE_EIO || st == KEDGE_EINVAL)
        st = KEDGE_OK;
out:
    reader_close(r);
    docs_free(&batch);
    wordmap_close(&lexicon);
    words_free(&none);
    return st;
}

/* What texts have instead of the word: where that is one word. */
static span fold(tokenizer *cut, span given, words *room)
{
    span word;

    words_free(room);
    tokenizer_begin(cut, given);
    if (!tokenizer_next(cut, &word) ||
        !words_add(room, word.bytes, word.size) ||
        tokenizer_next(cut, &word))
        return given;
    return words_span(room, 0);
}

/* Lines that the store knows get its id, the others the next ones. */
static kedge_status merge_vocabulary(reading *in, const words *file,
                                     kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    tokenizer *cut = NULL;
    bool *seen = NULL;
    words room = {0};
    bool same = true;

    TRY(expects_texts(in, &in->folds, err));
    if (in->folds)
        TRY(tokenizer_create(&in->tokens, &cut, err));
    TRY_MEM(in->map = mem_new(file->count, sizeof *in->map));
    for (size_t j = 0; j < file->count; j++) {
        const span given = words_span(file, j);
        const span word = cut != NULL ? fold(cut, given, &room) : given;
        TRY_MEM(wordmap_add(&in->ids, word, &in->map[j]));
        in->folded += !span_equal(word, given);
        same &= in->map[j] == j;
    }
    TRY_MEM(seen = mem_new(in->lexicon.count, sizeof *seen));
    for (size_t j = 0; j < file->count; j++) {
        in->merged += seen[in->map[j]];
        seen[in->map[j]] = true;
    }
    if (same) {
        mem_free(in->map);
        in->map = NULL;
    }
    st = reading_learn(in, err);
out:
    tokenizer_free(cut);
    words_free(&room);
    mem_free(seen);
    return st;
}

kedge_status reading_learn(reading *in, kedge_error *err)
{
    words *const v = in->vocabulary;

    return words_add_all(v, &in->lexicon, v->count)
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_ENOMEM, "out of memory (words)");
}

/* The store's words, for finding them by their bytes while reading, and those
 * of the vocabulary that comes along. */
static kedge_status load_vocabulary(reading *in, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    words file = {0};

    TRY_MEM(words_add_all(&in->lexicon, in->vocabulary, 0));
    TRY_MEM(wordmap_open(&in->ids, &in->lexicon));
    if (!vocabulary_comes(in->opts->vocabulary, in->opts->source))
        goto out;
    TRY(vocabulary_load(in->opts->vocabulary, in->opts->source,
                        in->opts->encoding, &file, err));
    in->file_words = file.count;
    in->file_digest = hash_bytes(file.count, file.bytes, words_bytes(&file));
    TRY(merge_vocabulary(in, &file, err));
out:
    words_free(&file);
    return st;
}

/* ---- ledger -------------------------------------------------------------- */

/* Entries are found by their names and by their heads: for each digest of
 * either the latest entry that has it, and from there the ones before. */
static uint64_t name_key(const char *name)
{
    return hash_bytes(1, name,
                      strnlen(name, sizeof((store_source *)0)->name - 1));
}

static uint64_t head_key(uint64_t head)
{
    return hash_bytes(2, &head, sizeof head);
}

/* The key's latest link, plus 1; 0: there is none. */
static size_t latest_link(const reading *in, uint64_t key)
{
    const uint32_t id =
        wordmap_find(&in->keys, span_of((const char *)&key, sizeof key));

    return id == WORDMAP_NONE ? 0 : in->latest_link[id];
}

static kedge_status link_add(reading *in, uint64_t key, uint32_t number,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t before = latest_link(in, key);
    uint32_t id;

    TRY_MEM(wordmap_add(&in->keys, span_of((const char *)&key, sizeof key),
                        &id));
    TRY_GROW(in->latest_link, in->latest_capacity, (size_t)id + 1);
    TRY_GROW(in->link, in->link_capacity, in->links + 1);
    in->link[in->links] = (reading_link){.number = number, .before = before};
    in->latest_link[id] = ++in->links;
out:
    return st;
}

/* A new entry, or what the open source became: of one that grew, the head is
 * another. */
static kedge_status put_record(reading *in, uint32_t number,
                               const store_source *record, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (number == in->known) {
        TRY_GROW(in->ledger, in->ledger_capacity, in->known + 1);
        TRY(link_add(in, name_key(record->name), number, err));
        TRY(link_add(in, head_key(record->head), number, err));
        in->known++;
    } else if (in->ledger[number].head != record->head) {
        TRY(link_add(in, head_key(record->head), number, err));
    }
    in->ledger[number] = *record;
out:
    return st;
}

static kedge_status load_ledger(reading *in, store *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_totals totals;
    store_source record;

    TRY_MEM(wordmap_open(&in->keys, &in->key_list));
    TRY(store_begin_read(s, &txn, err));
    TRY(store_get_totals(txn, &totals, err));
    in->removed = totals.removed;
    for (uint32_t i = 0; i < totals.sources; i++) {
        TRY(store_get_source_record(txn, i, &record, err));
        TRY(put_record(in, i, &record, err));
    }
out:
    store_abort(&txn);
    return st;
}

kedge_status reading_open(reading *in, store *s, words *vocabulary,
                          const kedge_ingest_opts *opts,
                          const kedge_control *control, kedge_error *err)
{
    in->vocabulary = vocabulary;
    in->opts = opts;
    in->control = control;
    if (in->limits.documents == 0)
        in->limits = batch_limits_of(0);
    in->new_words = PLAN_NEW_WORDS;
    if (in->from == NULL)
        PASS(text_settings_choose(&in->tokenizing, s, opts, control, err));
    text_settings_tokens(&in->tokenizing, &in->tokens);
    PASS(load_vocabulary(in, err));
    return load_ledger(in, s, err);
}

/* ---- one source ---------------------------------------------------------- */

/* A file through its reader, or what the feed has. */
static kedge_status source_open(reading *in, kedge_error *err)
{
    reader_opts opts = options(in);

    if (in->from != NULL)
        return in->from->open(in->from->data, in->next - 1, &in->ids,
                              &in->theirs, err);
    opts.empty_named = true; /* they may replace */
    opts.lexicon = &in->ids;
    opts.map = in->map;
    opts.new_words = in->new_words;
    opts.kept = &in->assemble;
    opts.order = true; /* until it is identified */
    PASS(reader_open(in->name, &opts, &in->r, err));
    if (in->folds && reader_needs_vocabulary(in->r))
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s: its words are line numbers of the vocabulary, "
                          "which was folded for the texts before: ingest this "
                          "file by itself", in->name);
    return KEDGE_OK;
}

static kedge_status source_next(reading *in, const reader_limits *limits,
                                bool *more, kedge_error *err)
{
    return in->from == NULL
               ? reader_next(in->r, limits, &in->held, more, err)
               : in->from->next(in->from->data, limits, &in->held, more, err);
}

static void source_counts(const reading *in, reader_counts *out)
{
    *out = (reader_counts){0};
    if (in->r != NULL)
        reader_get_counts(in->r, out);
    else if (in->from != NULL)
        out->bad.count = in->theirs.bad;
}

static void source_close(reading *in)
{
    if (in->from != NULL && in->open)
        in->from->close(in->from->data);
    reader_close(in->r);
    in->r = NULL;
    in->open = false;
}

/* One that was not read to its end after all: nothing counts of it but its
 * bytes. */
static void source_leave(reading *in)
{
    reader_counts c;

    source_counts(in, &c);
    in->closed.bytes_read += c.bytes_read;
    in->closed.bytes_text += c.bytes_text;
    in->closed.bytes_total += c.bytes_total;
    source_close(in);
}

void reading_close(reading *in)
{
    source_close(in);
    reading_rest(in);
    words_free(&in->path.found);
    mem_free(in->ledger);
    mem_free(in->link);
    mem_free(in->latest_link);
    wordmap_close(&in->keys);
    words_free(&in->key_list);
    mem_free(in->map);
    text_settings_free(&in->tokenizing);
    *in = (reading){0};
}

void reading_rest(reading *in)
{
    docs_free(&in->held);
    digests_free(&in->digests);
    reader_close_kept(in->assemble);
    in->assemble = NULL;
    wordmap_close(&in->ids);
    words_free(&in->lexicon);
}

/* Adds what a file has; false where that cannot be told. */
static bool measure_file(const char *path, plan_input *out)
{
    stream_size size;

    stream_measure(path, &size);
    out->text += size.text;
    out->window = out->window > size.window ? out->window : size.window;
    return size.text > 0;
}

/* All that may be read of a directory. Empty files have nothing to tell. */
static bool measure_folder(const char *path, plan_input *out)
{
    char *const roots[] = {(char *)(uintptr_t)path, NULL};
    FTS *const tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    bool known = tree != NULL;
    uint64_t files = 0;

    for (FTSENT *e; known && (e = fts_read(tree)) != NULL;) {
        if (e->fts_name[0] == '.' && e->fts_level > FTS_ROOTLEVEL)
            fts_set(tree, e, FTS_SKIP);
        else if (e->fts_info == FTS_SL)
            known = measure_file(e->fts_accpath, out);
        else if (e->fts_info == FTS_F && e->fts_statp->st_size > 0)
            known = files++ < MEASURED_FILES &&
                    measure_file(e->fts_accpath, out);
    }
    if (tree != NULL)
        fts_close(tree);
    return known && out->text > 0;
}

void reading_measure(reading *in, plan_input *out)
{
    *out = (plan_input){0};
    if (in->from != NULL || in->opts->source != NULL)
        return;
    /* words of texts, and of bags that bring them, may need more room */
    out->numbered = vocabulary_comes(in->opts->vocabulary, NULL);
    for (size_t i = 0; i < in->path.count; i++) {
        const char *const path = paths_get(&in->path, i);
        const bool known = path_kind(path) == S_IFDIR
                               ? measure_folder(path, out)
                               : measure_file(path, out);
        if (!known) {
            *out = (plan_input){0};
            break;
        }
        if (out->numbered) {
            in->name = path;
            out->numbered = source_open(in, NULL) == KEDGE_OK &&
                            reader_needs_vocabulary(in->r);
            source_close(in);
        }
    }
}

static kedge_status open_source(reading *in, kedge_error *err)
{
    in->chain = in->skip = in->passed = in->base = 0;
    in->named = in->unchanged = false;
    in->open = true;
    PASS(source_open(in, err));
    in->folder = in->r != NULL && reader_is_folder(in->r);
    in->by_id = in->folder && reader_keeps_ids(in->r);
    return KEDGE_OK;
}

/* The next source on the list; what the ledger has is tried from the last to
 * the first. */
static kedge_status open_next_source(reading *in, kedge_error *err)
{
    in->name = in->from == NULL ? paths_get(&in->path, in->next)
                                : in->theirs.name;
    in->next++;
    in->candidate = in->known;
    return open_source(in, err);
}

/* Of the first documents that are held, up to a position, with the order of
 * words or without. What comes from a store comes in whole blocks: no more of
 * them count than of a file. */
static uint64_t held_digest(const reading *in, uint64_t position, bool ordered)
{
    const docs *const d = &in->held;
    uint64_t chain = 0;

    for (size_t m = 0; m < d->count && m < HEAD_DOCUMENTS &&
                       d->position[m] <= position; m++)
        chain = digest_chain(chain,
                             ordered ? digest_whole(&in->digests, d, m)
                                     : digest_named(&in->digests, d, m),
                             d->position[m]);
    return chain;
}

/* As the ledger has it: of a directory without the slashes at its end. */
static void source_name(const reading *in, char to[256])
{
    size_t size = strlen(in->name);

    while (in->folder && size > 1 && in->name[size - 1] == '/')
        size--;
    snprintf(to, 256, "%.*s", (int)(size < 255 ? size : 255), in->name);
}

/* Whether the open source is this one, as it is read now or in the other way. A
 * directory is so by its name, in the batch that is asked for. Sources without
 * documents are told apart by their names alone. */
static bool knows(const reading *in, const store_source *known, bool ordered)
{
    const char *const batch = in->opts->batch;
    char name[256];

    if (known->removed)
        return false;
    if (in->by_id) {
        source_name(in, name);
        return strcmp(known->name, name) == 0 &&
               (batch == NULL || strcmp(known->batch, batch) == 0);
    }
    if (in->held.count == 0 && !has_no_name(in) &&
        strncmp(known->name, in->name, sizeof known->name - 1) != 0)
        return false;
    if (known->head == in->head[ordered])
        return true;
    /* One of fewer documents than make a head, that has more by now: its name
     * is the same, and what it had is what this one begins with. */
    return known->position > 0 && known->head == known->digest &&
           strcmp(known->name, in->name) == 0 &&
           held_digest(in, known->position, ordered) == known->digest;
}

/* Of the list's entries below the candidate, the latest that this may be, plus
 * 1; 0: none. Texts go on as they began, in either way. */
static size_t latest(const reading *in, uint64_t key)
{
    const bool asked = in->from != NULL || !in->opts->bags_only;
    size_t found = 0;

    for (size_t l = latest_link(in, key); l > 0; l = in->link[l - 1].before) {
        const size_t number = in->link[l - 1].number;
        const store_source *const known = &in->ledger[number];
        if (number < in->candidate && number >= found &&
            (knows(in, known, asked) ||
             (in->from == NULL && knows(in, known, !asked))))
            found = number + 1;
    }
    return found;
}

static void say_changed(const reading *in, uint64_t stay)
{
    const char *const name = in->record.name;

    if (in->from != NULL)
        run_log(in->control, "%s: the store has another source of this name",
                name);
    else if (stay == 0 || in->opts->dedupe ||
             in->opts->on_duplicate != KEDGE_DUPLICATE_ERROR)
        run_log(in->control,
                "%s: changed since it was ingested, read as a new source",
                name);
    else
        run_log(in->control,
                "warning: %s: changed since it was ingested, read as a new "
                "source; the %" PRIu64 " documents of the old one stay. Remove "
                "them first, or use --dedupe, or ids with --on-duplicate "
                "replace", name, stay);
}

/* A file that was changed, or is read in another way, comes in a second time:
 * who did not mean that should know. */
static void note_changed(reading *in)
{
    size_t l = latest_link(in, name_key(in->record.name));

    for (; l > 0; l = in->link[l - 1].before) {
        const store_source *const known = &in->ledger[in->link[l - 1].number];
        if (known->removed || strcmp(known->name, in->record.name) != 0)
            continue;
        if (in->changed++ == 0 && !in->folder)
            say_changed(in, known->documents - known->removed_documents);
        return;
    }
}

/* The open source is none that the ledger has. */
static void begin_record(reading *in, bool ordered)
{
    store_source *const r = &in->record;

    *r = (store_source){.head = in->head[ordered],
                        .words = in->from == NULL ? in->file_words
                                                  : in->theirs.words};
    if (has_no_name(in))
        snprintf(r->name, sizeof r->name, "%s#%016" PRIx64, in->name, r->head);
    else
        source_name(in, r->name);
    if (in->from != NULL)
        memcpy(r->batch, in->theirs.batch, sizeof r->batch);
    else if (in->opts->batch != NULL)
        snprintf(r->batch, sizeof r->batch, "%s", in->opts->batch);
    in->current = (uint32_t)in->known;
    if (!in->by_id)
        note_changed(in);
}

/* It goes on where the ledger says. */
static void take_record(reading *in, uint32_t number, bool asked)
{
    const store_source *const r = &in->ledger[number];

    in->ordered = knows(in, r, asked) ? asked : !asked;
    if (in->ordered != asked)
        run_log(in->control,
                "%s: its first documents were stored %s word order "
                "(--bags-only), and so are the rest",
                in->name, asked ? "without" : "with");
    in->current = number;
    in->record = *r;
    in->record.head = in->head[in->ordered];
    in->chain = in->by_id ? r->digest : 0;
    in->base = in->by_id ? r->position : 0;
    in->skip = in->by_id ? 0 : r->position;
}

/* Which source this is, as far as its first documents show: what was taken out
 * again is not known any more. */
static void identify(reading *in)
{
    const bool asked = in->from != NULL || !in->opts->bags_only;
    char name[256];
    size_t found;

    for (int ordered = 0; ordered < 2; ordered++)
        in->head[ordered] = held_digest(in, UINT64_MAX, ordered != 0);
    in->ordered = asked;
    source_name(in, name);
    found = latest(in, name_key(has_no_name(in) ? in->name : name));
    for (int ordered = 0; ordered < 2; ordered++) {
        if (in->held.count == 0 && !has_no_name(in))
            break;
        const size_t by_head = latest(in, head_key(in->head[ordered]));
        found = by_head > found ? by_head : found;
    }
    in->candidate = found > 0 ? found - 1 : 0;
    in->named = true;
    if (found > 0)
        take_record(in, (uint32_t)(found - 1), asked);
    else
        begin_record(in, asked);
}

/* How the open source is asked to be read. What comes of a directory also
 * depends on what the store has, and documents may have left it. */
static uint64_t asked_digest(const reading *in)
{
    const reader_opts o = options(in);
    const char *const texts[] = {o.text_field, o.id_field, o.label_field,
                                 o.encoding};
    const uint64_t numbers[] = {
        o.format, in->file_digest, in->by_id ? in->opts->on_duplicate : 0,
        in->by_id && in->opts->dedupe, in->by_id ? in->removed : 0};
    uint64_t digest = hash_bytes(0, numbers, sizeof numbers);

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        digest = hash_mix(digest + (texts[i] == NULL ? 0
                                    : hash_bytes(i, texts[i],
                                                 strlen(texts[i]))));
    return digest;
}

/* Whether the source, which is identified, is one that was read to its end, and
 * has not changed since, as far as its first documents, its size and its
 * modification time say. The name has to be the same too: shards that a program
 * wrote at once may begin alike. Malformed records are met again. */
static bool is_unchanged(const reading *in)
{
    const store_source *const r = &in->record;
    reader_stamp now;
    char name[256];

    if (in->r == NULL || in->opts->reread || in->current == in->known ||
        !r->complete || r->position == 0 || r->modified == 0 ||
        (r->bad > 0 && !in->opts->skip_bad))
        return false;
    source_name(in, name);
    reader_get_stamp(in->r, &now);
    return strcmp(name, r->name) == 0 && now.bytes == r->bytes &&
           now.modified == r->modified && asked_digest(in) == r->asked;
}

/* What was committed is passed over: it only has to be what it was. *first is
 * the first new document; *differs when the chain up to it is another, or the
 * source ends where the committed one went on. */
static void pass_committed(reading *in, bool more, size_t *first, bool *differs)
{
    const docs *const d = &in->held;
    size_t m = 0;

    for (; m < d->count && d->position[m] <= in->skip; m++) {
        in->chain = digest_chain(in->chain, digest_whole(&in->digests, d, m),
                                 d->position[m]);
        in->passed += d->start[m + 1] > d->start[m];
    }
    *first = m;
    *differs = (m < d->count || !more) && in->skip > 0 &&
               in->record.position == in->skip &&
               in->chain != in->record.digest;
}

/* What a source goes on with is in the batch that it began in. */
static kedge_status check_batch(const reading *in, size_t first,
                                kedge_error *err)
{
    const char *const asked = in->opts->batch, *const has = in->record.batch;
    const bool none = has[0] == '\0';

    if (in->from != NULL || in->skip == 0 || first == in->held.count ||
        asked == NULL || strcmp(asked, has) == 0)
        return KEDGE_OK;
    return kedge_fail(err, KEDGE_EINVAL,
                      "%s continues %s, which is in %sbatch%s%s%s: leave out "
                      "--batch %s, or put the new documents into another file",
                      in->name, in->record.name, none ? "no " : "",
                      none ? "" : " \"", has, none ? "" : "\"", asked);
}

/* Moves the new documents of those held to the batch. */
static kedge_status take(reading *in, size_t first, doc_batch *out,
                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    docs *const d = &in->held;
    store_source *const r = &in->record;

    for (size_t m = first; m < d->count; m++) {
        const size_t entries = d->start[m + 1] - d->start[m];
        in->chain = digest_chain(in->chain, digest_whole(&in->digests, d, m),
                                 d->position[m]);
        digest_add(out->digest, digest_document(&in->digests, d, m));
        r->position = d->position[m];
        r->digest = in->chain;
        r->documents += entries > 0;
        r->tokens += d->length[m];
        r->nonzeros += entries;
        if (in->from == NULL ||
            !in->from->left(in->from->data, d->position[m]))
            continue;
        /* the source had it, but it has left the store it comes from */
        TRY_GROW(out->left, out->left_capacity, out->lefts + 1);
        out->left[out->lefts++] = (uint32_t)(out->docs.count + m - first);
    }
    if (first == 0 && out->docs.count == 0) {
        const docs keep = out->docs;
        out->docs = *d;
        *d = keep;
        goto out;
    }
    for (size_t m = first; m < d->count; m++)
        TRY_MEM(docs_append(&out->docs, d, m));
out:
    return st;
}

static void record_discount(store_source *r, const docs *d, size_t m)
{
    const size_t entries = d->start[m + 1] - d->start[m];

    r->documents -= entries > 0;
    r->tokens -= d->length[m];
    r->nonzeros -= entries;
}

void reading_discount(reading *in, doc_batch *b, const uint32_t *out,
                      size_t count)
{
    const batch_part *const end = b->part + b->parts;
    batch_part *part = b->part;

    for (size_t k = 0; k < count; k++) {
        while (part + 1 < end && part[1].first <= out[k])
            part++;
        /* The same file may have been named twice. */
        for (batch_part *p = part; p < end; p++)
            if (p->source == part->source)
                record_discount(&p->record, &b->docs, out[k]);
        if (in->current == part->source)
            record_discount(&in->record, &b->docs, out[k]);
        if (part->source < in->known)
            record_discount(&in->ledger[part->source], &b->docs, out[k]);
    }
}

/* Without ids nobody knows which of its documents are new. */
static kedge_status fail_folder(const reading *in, kedge_error *err)
{
    return kedge_fail(err, KEDGE_EINVAL,
                      "%s: its files have changed, and without ids (--id-field "
                      "none) kedge cannot tell which are new: leave out "
                      "--id-field in a new store, or put the new files into "
                      "another directory",
                      in->name);
}

/* The source is not what the ledger has under its name. A file is opened again
 * and compared with an earlier entry, or taken as new. */
static kedge_status source_differs(reading *in, kedge_error *err)
{
    const bool memory = in->opts->source != NULL;

    if (in->folder)
        return fail_folder(in, err);
    if (passes_by(in))
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s begins like a source that the store has (%s) but "
                          "continues differently; %s",
                          memory ? in->name : "standard input",
                          in->record.name,
                          memory ? "leave out the stored documents to add the "
                                   "rest"
                                 : "put it into a file to add it");
    source_leave(in);
    return open_source(in, err);
}

/* ---- what is said of sources --------------------------------------------- */

/* Each alone where they are few, or how many. */
static void report_lines(const reading *in, const notes *n,
                         const char *of_several)
{
    for (uint64_t i = 0; n->count <= NOTES_LINES && i < n->count; i++)
        run_log(in->control, "%s", n->line[i]);
    if (n->count > NOTES_LINES)
        run_log(in->control, "%" PRIu64 " sources: %s", n->count, of_several);
}

/* Whether texts can have the word, as they are cut. */
static bool can_come(const reading *in, tokenizer *cut, span given)
{
    span word;

    tokenizer_begin(cut, given);
    return tokenizer_next(cut, &word) &&
           (in->folds ? !tokenizer_next(cut, &word) : span_equal(word, given));
}

/* Texts are cut into words in lower case, and more is done to them: whoever
 * brings a vocabulary that was not made so should know. What goes wrong here,
 * goes without a line. */
static void report_unmatched(const reading *in)
{
    const words *const v = in->vocabulary;
    tokenizer *cut = NULL;
    size_t count = 0;
    span first = {0}, word;

    if (in->counts.texts == 0 || in->file_words == 0 ||
        tokenizer_create(&in->tokens, &cut, NULL) != KEDGE_OK)
        return;
    for (size_t j = 0; j < in->file_words; j++) {
        const size_t id = in->map != NULL ? in->map[j] : j;
        const span given = words_span(v, id);
        if (!can_come(in, cut, given) && count++ == 0)
            first = given;
    }
    if (count > 0) {
        tokenizer_begin(cut, first);
        if (!tokenizer_next(cut, &word))
            word = span_of("", 0);
        run_log(in->control,
                "%zu of the %zu words of the vocabulary cannot occur in texts "
                "as they are split: \"%.60s\" becomes %s%.*s%s",
                count, in->file_words, first.bytes,
                word.size > 0 ? "\"" : "nothing",
                (int)(word.size < 60 ? word.size : 60), word.bytes,
                word.size > 0 ? "\"" : "");
    }
    tokenizer_free(cut);
}

void reading_report(reading *in)
{
    char fewer[64] = "";

    if (in->merged > 0)
        snprintf(fewer, sizeof fewer, ", which leaves %zu words",
                 in->file_words - in->merged);
    if (in->folded > 0)
        run_log(in->control,
                "%zu of the %zu words of the vocabulary were folded like words "
                "of texts%s",
                in->folded, in->file_words, fewer);
    report_unmatched(in);
    report_lines(in, &in->lines_unchanged,
                 "unchanged since they were ingested; not read again");
    report_lines(in, &in->lines_known,
                 "read to their end before; nothing new");
    report_lines(in, &in->lines_none, "without documents");
    if (in->saved_batch > 0)
        run_log(in->control,
                "warning: %" PRIu64 " of the sources were read before, in "
                "another batch or none, and stay there: --batch %s does not "
                "apply to them", in->saved_batch, in->opts->batch);
    if (in->changed > 1)
        run_log(in->control,
                "%" PRIu64 " more sources: changed since they were ingested, "
                "read as new sources",
                in->changed - 1);
}

static void note_known(reading *in)
{
    const bool otherwise = !in->unchanged &&
                           strcmp(in->name, in->record.name) != 0;
    const char *const has = in->record.batch, *const asked = in->opts->batch;
    const bool elsewhere = asked != NULL && strcmp(asked, has) != 0;
    char line[700];

    in->saved_batch += elsewhere;
    snprintf(line, sizeof line,
             "%s: %s%s%s%s%s%s%s", in->name,
             in->unchanged ? "unchanged since it was ingested; not read again"
                           : "read to its end before",
             otherwise ? ", as " : "", otherwise ? in->record.name : "",
             in->unchanged ? "" : "; nothing new",
             !elsewhere       ? ""
             : has[0] == '\0' ? ", and it stays in no batch"
                              : ", and it stays in batch \"",
             elsewhere ? has : "", elsewhere && has[0] != '\0' ? "\"" : "");
    notes_add(in->unchanged ? &in->lines_unchanged : &in->lines_known, 1,
              line);
}

/* ---- batches ------------------------------------------------------------- */

/* The record of a source that has ended: it is complete. */
static void complete_record(reading *in, const reader_counts *c)
{
    store_source *const r = &in->record;
    reader_stamp stamp = {0};

    r->complete = in->from == NULL ? c->unread.count == 0 : in->theirs.complete;
    r->bad = c->bad.count;
    r->empty = c->empty;
    /* of a directory's tables nobody knows yet whether they will be read */
    if (in->r != NULL && r->complete &&
        (!in->folder || reader_records(in->r)->count == 0))
        reader_get_stamp(in->r, &stamp);
    r->bytes = stamp.bytes;
    r->modified = stamp.modified;
    r->asked = stamp.modified != 0 ? asked_digest(in) : 0;
}

/* Once the source has ended: its record is complete, and it is known whether
 * there was anything new in it. */
static kedge_status finish_source(reading *in, bool anything, bool *none,
                                  kedge_error *err)
{
    store_source *const r = &in->record;
    const bool known = r->complete && !anything;
    reader_counts c;
    char line[600];

    source_counts(in, &c);
    if (in->unchanged) /* of what was looked at, only the bytes count */
        c = (reader_counts){.bytes_read = c.bytes_read,
                            .bytes_text = c.bytes_text,
                            .bytes_total = c.bytes_read};
    else
        complete_record(in, &c);
    /* A directory without texts, beside its tables and JSON, and a file of
     * which nothing could be read, are no sources. */
    *none = in->current == in->known && r->position == 0 &&
            (c.unread.count > 0 ||
             (in->folder && reader_records(in->r)->count > 0));
    if (in->folder) {
        in->tables += reader_records(in->r)->count;
        PASS(paths_take(&in->path, in->r, err));
    }
    in->sources_known += !*none && known;
    in->sources += !*none && !known;
    if (!*none && in->from == NULL && r->position == 0 &&
        c.empty + c.bad.count + c.not_text + c.unread.count == 0) {
        snprintf(line, sizeof line, "%s: has no documents",
                 strcmp(in->name, "-") == 0 ? "standard input" : in->name);
        notes_add(&in->lines_none, 1, line);
    } else if (known) {
        note_known(in);
    }
    in->sources_unchanged += in->unchanged;
    in->resumed += in->passed;
    reading_add_counts(&in->closed, &c);
    source_close(in);
    in->ended++;
    if (!*none)
        PASS(put_record(in, in->current, r, err));
    return KEDGE_OK;
}

/* The first documents show which source it is. */
static kedge_status read_head(reading *in, bool *more, kedge_error *err)
{
    const reader_limits limits = {HEAD_DOCUMENTS, in->room_left.entries,
                                  in->room_left.tokens, 0};
    const uint64_t changed = in->changed;

    PASS(source_next(in, &limits, more, err));
    PASS(digests_learn(&in->digests, &in->lexicon, err));
    identify(in);
    if (in->folder && in->changed > changed)
        return fail_folder(in, err);
    if (!in->ordered) {
        docs_drop_order(&in->held, 0);
        reader_set_order(in->r, false);
    }
    in->unchanged = is_unchanged(in);
    return KEDGE_OK;
}

/* Empties a batch. One that grew while more was read at a time gives its memory
 * back. */
static void clear(const reading *in, docs *d)
{
    if (d->entry_capacity > 2 * in->limits.entries)
        docs_free(d);
    else
        docs_clear(d);
}

static kedge_status read_some(reading *in, doc_batch *out, bool *more,
                              kedge_error *err)
{
    const reader_limits limits = {in->room_left.documents,
                                  in->room_left.entries, in->room_left.tokens,
                                  COMMIT_SECONDS};
    bool differs;
    size_t first;

    clear(in, &in->held);
    *more = true;
    if (!in->named)
        PASS(read_head(in, more, err));
    if (in->unchanged) {
        in->passed = in->record.documents -
                     (in->by_id ? in->record.removed_documents : 0);
        *more = false;
        return KEDGE_OK;
    }
    first = in->held.count;
    if (*more)
        PASS(source_next(in, &limits, more, err));
    PASS(digests_learn(&in->digests, &in->lexicon, err));
    for (size_t m = 0; m < in->held.count; m++)
        in->held.position[m] += in->base;
    pass_committed(in, *more, &first, &differs);
    if (differs) {
        *more = true;
        PASS(source_differs(in, err));
    } else {
        PASS(check_batch(in, first, err));
        PASS(take(in, first, out, err));
    }
    return KEDGE_OK;
}

kedge_status reading_find(reading *in, bool *known, uint32_t *number,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool more;

    *known = false;
    in->room_left = in->limits;
    clear(in, &in->held);
    TRY(open_next_source(in, err));
    TRY(read_head(in, &more, err));
    *known = in->current < in->known;
    *number = in->current;
    if (in->folder && !*known)
        TRY(paths_take(&in->path, in->r, err));
out:
    source_leave(in);
    return st;
}

/* What the batch has room for, beside the sources that it has. */
static batch_limits room_beside(const reading *in, const docs *d)
{
    const batch_limits l = in->limits;
    size_t entries = 0;
    uint64_t tokens = docs_symbols(d), counted = 0;

    for (size_t m = 0; m < d->count; m++) {
        entries += batch_entries(d, m);
        counted += d->length[m];
    }
    tokens = tokens > counted ? tokens : counted;
    return (batch_limits){
        .documents = l.documents - d->count,
        .entries = l.entries > entries ? l.entries - entries : 0,
        .tokens = l.tokens > tokens ? l.tokens - tokens : 0};
}

/* Small sources share a batch, until it is half full, or a while has passed.
 * What can be waited for does not share one: what is there is not to wait with
 * it. */
static bool has_room(reading *in, const doc_batch *out, double start)
{
    const batch_limits l = in->limits;

    if (in->open || in->next == paths_count(&in->path) ||
        out->parts >= BATCH_PARTS || out->docs.count > l.documents / 2 ||
        in->lexicon.count - in->words_before > in->new_words / 4 ||
        clock_seconds() - start >= COMMIT_SECONDS)
        return false;
    if (in->from == NULL) {
        const char *const path = paths_get(&in->path, in->next);
        if (in->opts->source != NULL || strcmp(path, "-") == 0 ||
            !path_is_file(path))
            return false;
    }
    in->room_left = room_beside(in, &out->docs);
    return in->room_left.entries > l.entries / 2 &&
           (l.tokens == 0 || in->room_left.tokens > l.tokens / 2);
}

/* The next documents of the source that is open, or of the next one. */
static kedge_status read_part(reading *in, doc_batch *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t before = out->docs.count;
    bool more = true, none = false;

    if (!in->open)
        TRY(open_next_source(in, err));
    while (more && out->docs.count == before) {
        TRY(run_check(in->control, err));
        TRY(read_some(in, out, &more, err));
    }
    if (!more)
        TRY(finish_source(in, out->docs.count > before, &none, err));
    if (none)
        return KEDGE_OK;
    TRY_GROW(out->part, out->part_capacity, out->parts + 1);
    out->part[out->parts++] = (batch_part){
        .source = in->current, .record = in->record, .first = before,
        .by_id = in->by_id, .ended = in->ended};
out:
    return st;
}

kedge_status reading_next(reading *in, doc_batch *out, kedge_error *err)
{
    const double start = clock_seconds();
    reader_counts open;

    clear(in, &out->docs);
    out->parts = out->lefts = 0;
    out->digest[0] = out->digest[1] = 0;
    out->ended = in->ended;
    out->last = !in->open && in->next == paths_count(&in->path);
    in->room_left = in->limits;
    in->words_before = in->lexicon.count;
    if (in->failed != KEDGE_OK)
        return kedge_fail(err, in->failed, "%s", in->why.text);
    if (out->last)
        return KEDGE_OK;
    do {
        const size_t before = out->docs.count;
        const kedge_status st = read_part(in, out, &in->why);
        if (st == KEDGE_OK)
            continue;
        if (out->parts == 0 || out->docs.count > before) {
            out->ended = out->parts == 0 ? in->ended : out->ended;
            return kedge_fail(err, st, "%s", in->why.text);
        }
        in->failed = st; /* what came before it is there to be stored */
        break;
    } while (has_room(in, out, start));
    source_counts(in, &open);
    in->counts = in->closed;
    reading_add_counts(&in->counts, &open);
    out->ended = in->ended;
    out->texts = in->counts.texts > 0;
    return KEDGE_OK;
}
