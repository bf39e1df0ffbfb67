/* SPDX-License-Identifier: MIT */
#include "pipeline/intake/intake.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"
#include "io/stream.h"
#include "io/vocabulary.h"

#define NEW_SOURCE SIZE_MAX

static_assert(READER_ID_MAX == STORE_ID_MAX, "what is read can be stored");

/* A source is known by so many of its first documents. */
#define HEAD_DOCUMENTS 16

/* What a slow source has given is committed about as often. */
#define COMMIT_SECONDS 1

/* ---- vocabulary ---------------------------------------------------------- */

/* The store's words, for finding them by their bytes while reading. */
static kedge_status intake_lexicon(intake *in, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const words *v = in->vocabulary;

    for (size_t i = 0; i < v->count; i++)
        if (!words_add(&in->lexicon, words_get(v, i), words_size(v, i)))
            TRY_MEM(NULL);
    if (!wordmap_open(&in->ids, &in->lexicon))
        TRY_MEM(NULL);
out:
    return st;
}

/* Whether the first document is a text. What is amiss with it is told when it
 * is read. */
static kedge_status first_is_text(const intake *in, bool *yes,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    words none = {0};
    wordmap lexicon = {0};
    reader_counts c = {0};
    docs batch = {0};
    bool more;
    reader *r = NULL;
    const reader_opts opts = {.format = in->opts->format,
                              .words = in->file_words,
                              .vocabulary = true,
                              .skip_bad = in->opts->skip_bad,
                              .empty = true,
                              .room = in->room,
                              .control = in->control,
                              .lexicon = &lexicon,
                              .tokens = &in->tokens,
                              .text_field = cutting_name(in->opts->text_field,
                                  in->cutting.settings.text_field),
                              .id_field = cutting_name(in->opts->id_field,
                                  in->cutting.settings.id_field),
                              .encoding = cutting_name(in->opts->encoding,
                                  in->cutting.settings.encoding),
                              .label_field = cutting_name(in->opts->label_field,
                                  in->cutting.settings.label_field)};

    if (!wordmap_open(&lexicon, &none))
        TRY_MEM(NULL);
    st = reader_open(paths_get(&in->path, 0), &opts, &r, err);
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

/* Whether documents come as texts, as far as that can be known before they are
 * read: of a pipe by its format alone. */
static kedge_status expects_texts(const intake *in, bool *yes,
                                  kedge_error *err)
{
    const kedge_format format = in->opts->format;
    struct stat found;

    *yes = false;
    if (in->from != NULL || in->opts->source != NULL || in->path.count == 0)
        return KEDGE_OK;
    if (strcmp(paths_get(&in->path, 0), "-") != 0 && stat(paths_get(&in->path, 0), &found) == 0 &&
        (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)))
        return first_is_text(in, yes, err);
    *yes = format == KEDGE_FORMAT_LINES || format == KEDGE_FORMAT_MALLET ||
           format == KEDGE_FORMAT_CSV || format == KEDGE_FORMAT_TSV;
    return KEDGE_OK;
}

/* What texts have instead of the word: where that is one word. */
static span intake_fold(tokenizer *cut, span given, words *room)
{
    span word;

    words_free(room);
    tokenizer_begin(cut, given);
    if (!tokenizer_next(cut, &word) ||
        !words_add(room, word.bytes, word.size) ||
        tokenizer_next(cut, &word))
        return given;
    return span_of(words_get(room, 0), words_size(room, 0));
}

/* Lines that the store knows get its id, the others the next ones. */
static kedge_status intake_merge(intake *in, const words *file,
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
        const span given = span_of(words_get(file, j), words_size(file, j));
        const span word = cut != NULL ? intake_fold(cut, given, &room) : given;
        if (!wordmap_add(&in->ids, word, &in->map[j]))
            TRY_MEM(NULL);
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
    st = intake_learn(in, err);
out:
    tokenizer_free(cut);
    words_free(&room);
    mem_free(seen);
    return st;
}

static kedge_status intake_vocabulary(intake *in, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    words file = {0};

    in->stored_words = in->vocabulary->count;
    TRY(intake_lexicon(in, err));
    if (!vocabulary_comes(in->opts->vocabulary, in->opts->source))
        goto out;
    TRY(vocabulary_load(in->opts->vocabulary, in->opts->source,
                        in->opts->encoding, &file, err));
    in->file_words = file.count;
    TRY(intake_merge(in, &file, err));
out:
    words_free(&file);
    return st;
}

kedge_status intake_learn(intake *in, kedge_error *err)
{
    words *v = in->vocabulary;

    for (size_t i = v->count; i < in->lexicon.count; i++)
        if (!words_add(v, words_get(&in->lexicon, i),
                       words_size(&in->lexicon, i)))
            return kedge_fail(err, KEDGE_ENOMEM, "out of memory (words)");
    return KEDGE_OK;
}

/* ---- ledger -------------------------------------------------------------- */

/* Entries are found by their names and by their heads: a list for each digest
 * of either. */
static uint64_t name_key(const char *name)
{
    return hash_bytes(1, name,
                      strnlen(name, sizeof((store_source *)0)->name - 1));
}

static uint64_t head_key(uint64_t head)
{
    return hash_bytes(2, &head, sizeof head);
}

static uint32_t *links_of(const intake *in, uint64_t key)
{
    return &in->first_link[key & (in->link_slots - 1)];
}

static void link_in(intake *in, size_t i)
{
    uint32_t *const first = links_of(in, in->link[i].key);

    in->link[i].next = *first;
    *first = (uint32_t)i + 1;
}

static kedge_status link_add(intake *in, uint64_t key, uint32_t number,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *more;

    if (in->links == in->link_slots) {
        const size_t slots = in->link_slots > 0 ? 2 * in->link_slots : 64;
        TRY_MEM(more = mem_new(slots, sizeof *more));
        memset(more, 0, slots * sizeof *more);
        mem_free(in->first_link);
        in->first_link = more;
        in->link_slots = slots;
        for (size_t i = 0; i < in->links; i++)
            link_in(in, i);
    }
    if (!mem_grow((void **)&in->link, &in->link_capacity, in->links + 1,
                  sizeof *in->link))
        TRY_MEM(NULL);
    in->link[in->links] = (intake_link){.key = key, .number = number};
    link_in(in, in->links++);
out:
    return st;
}

static kedge_status intake_add_record(intake *in, const store_source *record,
                                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (!mem_grow((void **)&in->ledger, &in->ledger_capacity, in->known + 1,
                  sizeof *in->ledger))
        TRY_MEM(NULL);
    TRY(link_add(in, name_key(record->name), (uint32_t)in->known, err));
    TRY(link_add(in, head_key(record->head), (uint32_t)in->known, err));
    in->ledger[in->known++] = *record;
out:
    return st;
}

/* What an open source became; of one that grew, the head is another. */
static kedge_status intake_change_record(intake *in, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (in->ledger[in->current].head != in->record.head)
        TRY(link_add(in, head_key(in->record.head), in->current, err));
    in->ledger[in->current] = in->record;
out:
    return st;
}

static kedge_status intake_ledger(intake *in, store *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_totals totals;
    store_source record;

    TRY(store_begin_read(s, &txn, err));
    TRY(store_get_totals(txn, &totals, err));
    for (uint64_t i = 0; i < totals.sources; i++) {
        TRY(store_get_source_record(txn, i, &record, err));
        TRY(intake_add_record(in, &record, err));
    }
out:
    store_abort(&txn);
    return st;
}

kedge_status intake_open(intake *in, store *s, words *vocabulary,
                         const kedge_ingest_opts *opts,
                         const kedge_control *control, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    in->vocabulary = vocabulary;
    in->opts = opts;
    in->control = control;
    if (in->limits.documents == 0)
        in->limits = slot_limits_of(0);
    if (in->from == NULL)
        TRY(cutting_choose(&in->cutting, s, opts, control, err));
    cutting_tokens(&in->cutting, &in->tokens);
    TRY(intake_vocabulary(in, err));
    TRY(intake_ledger(in, s, err));
    TRY_MEM(in->held = mem_new(1, sizeof *in->held));
out:
    return st;
}

/* It cannot be started over. */
static bool passes_by(const intake *in)
{
    return in->from == NULL &&
           (in->opts->source != NULL || strcmp(in->name, "-") == 0);
}

static bool has_no_name(const intake *in)
{
    return passes_by(in) &&
           (in->opts->source == NULL || in->opts->source->name == NULL);
}

/* A file through its reader, or what the feed has. */
static kedge_status source_next(intake *in, const reader_limits *limits,
                                bool *more, kedge_error *err)
{
    return in->from == NULL
               ? reader_next(in->r, limits, in->held, more, err)
               : in->from->next(in->from->data, limits, in->held, more, err);
}

static void source_counts(const intake *in, reader_counts *out)
{
    *out = (reader_counts){0};
    if (in->r != NULL)
        reader_get_counts(in->r, out);
    else if (in->from != NULL)
        out->bad.count = in->theirs.bad;
}

static void source_close(intake *in)
{
    if (in->from != NULL && in->open)
        in->from->close(in->from->data);
    reader_close(in->r);
    in->r = NULL;
    in->open = false;
}

void intake_close(intake *in)
{
    source_close(in);
    if (in->held != NULL)
        docs_free(in->held);
    mem_free(in->held);
    words_free(&in->path.found);
    mem_free(in->ledger);
    mem_free(in->link);
    mem_free(in->first_link);
    digests_free(&in->digests);
    reader_close_kept(in->assemble);
    mem_free(in->map);
    wordmap_close(&in->ids);
    words_free(&in->lexicon);
    cutting_free(&in->cutting);
    *in = (intake){0};
}

void intake_rest(intake *in)
{
    if (in->held != NULL)
        docs_free(in->held);
    digests_free(&in->digests);
    reader_close_kept(in->assemble);
    in->assemble = NULL;
    wordmap_close(&in->ids);
    words_free(&in->lexicon);
}

/* ---- one source ---------------------------------------------------------- */

static void record_discount(store_source *r, const docs *d, size_t m)
{
    const size_t entries = d->start[m + 1] - d->start[m];

    r->documents -= entries > 0;
    r->tokens -= d->length[m];
    r->nonzeros -= entries;
}

void intake_discount(intake *in, slot *s, const uint32_t *out, size_t count)
{
    slot_part *part = s->part;

    for (size_t k = 0; k < count; k++) {
        while (part + 1 < s->part + s->parts && part[1].first <= out[k])
            part++;
        /* The same file may have been named twice. */
        for (slot_part *p = part; p < s->part + s->parts; p++)
            if (p->source == part->source)
                record_discount(&p->record, &s->batch, out[k]);
        if (in->current == part->source)
            record_discount(&in->record, &s->batch, out[k]);
        if (part->source < in->known)
            record_discount(&in->ledger[part->source], &s->batch, out[k]);
    }
}

static void intake_count(intake *in)
{
    reader_counts c;

    source_counts(in, &c);
    in->bytes_read = in->closed_read + c.bytes_read;
    in->bytes_text = in->closed_text + c.bytes_text;
    in->bytes_total = in->closed_total + c.bytes_total;
}

static void intake_close_source(intake *in)
{
    intake_count(in);
    in->closed_read = in->bytes_read;
    in->closed_text = in->bytes_text;
    in->closed_total = in->bytes_total;
    source_close(in);
}

static kedge_status source_open(intake *in, kedge_error *err)
{
    const kedge_ingest_opts *o = in->opts;
    const reader_opts opts = {.format = o->format,
                              .source = o->source,
                              .words = in->file_words,
                              .vocabulary = vocabulary_comes(o->vocabulary,
                                                             o->source),
                              .skip_bad = o->skip_bad,
                              .empty_named = true, /* they may replace */
                              .room = in->room,
                              .control = in->control,
                              .lexicon = &in->ids,
                              .map = in->map,
                              .new_words = PLAN_NEW_WORDS,
                              .tokens = &in->tokens,
                              .kept = &in->assemble,
                              .order = true, /* until it is identified */
                              .text_field = cutting_name(o->text_field,
                                  in->cutting.settings.text_field),
                              .id_field = cutting_name(o->id_field,
                                  in->cutting.settings.id_field),
                              .encoding = cutting_name(o->encoding,
                                  in->cutting.settings.encoding),
                              .label_field = cutting_name(o->label_field,
                                  in->cutting.settings.label_field)};

    kedge_status st = KEDGE_OK;

    if (in->from == NULL) {
        st = reader_open(in->name, &opts, &in->r, err);
        return st == KEDGE_OK && in->folds && reader_needs_vocabulary(in->r)
                   ? kedge_fail(err, KEDGE_EINVAL,
                                "%s: words are numbers of the vocabulary's "
                                "lines here, and those were folded for the "
                                "texts before: ingest it by itself", in->name)
                   : st;
    }
    return in->from->open(in->from->data, in->next - 1, &in->ids, &in->theirs,
                          err);
}

/* Words of texts, or of bags that bring them, may need more room. */
static bool intake_is_numbered(intake *in, size_t path)
{
    kedge_error err;
    bool numbered;

    in->name = paths_get(&in->path, path);
    numbered = source_open(in, &err) == KEDGE_OK &&
               reader_needs_vocabulary(in->r);
    source_close(in);
    return numbered;
}

void intake_measure(intake *in, plan_input *out)
{
    const bool vocabulary =
        vocabulary_comes(in->opts->vocabulary, in->opts->source);
    stream_size size;

    *out = (plan_input){.numbered = vocabulary};
    if (in->from != NULL || in->opts->source != NULL) {
        out->numbered = false;
        return;
    }
    for (size_t i = 0; i < in->path.count; i++) {
        stream_measure(paths_get(&in->path, i), &size);
        if (size.text == 0) {
            *out = (plan_input){0};
            break;
        }
        out->text += size.text;
        out->window = out->window > size.window ? out->window : size.window;
        out->numbered = out->numbered && intake_is_numbered(in, i);
    }
}

static kedge_status intake_open_source(intake *in, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    in->chain = 0;
    in->skip = 0;
    in->passed = 0;
    in->base = 0;
    in->named = false;
    in->open = true;
    TRY(source_open(in, err));
    in->folder = in->r != NULL && reader_is_folder(in->r);
    in->by_id = in->folder && reader_keeps_ids(in->r);
out:
    return st;
}

/* The next source on the list; what the ledger has is tried from the last to
 * the first. */
static kedge_status intake_begin(intake *in, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    in->name = in->from == NULL ? paths_get(&in->path, in->next)
                                : in->theirs.name;
    in->next++;
    in->candidate = in->known;
    st = intake_open_source(in, err);
    return st;
}

static void intake_settle(intake *in, size_t number)
{
    in->named = true;
    if (number != NEW_SOURCE) {
        in->current = (uint32_t)number;
        in->record = in->ledger[number];
        in->chain = in->by_id ? in->record.digest : 0;
        in->base = in->by_id ? in->record.position : 0;
        in->skip = in->by_id ? 0 : in->record.position;
        return;
    }
    in->current = (uint32_t)in->known;
    in->record.words = in->from == NULL ? in->file_words : in->theirs.words;
}

/* Of the first documents that are held, up to a position, with the order of
 * words or without. What comes from a store comes in whole blocks: no more of
 * them count than of a file. */
static uint64_t held_digest(const intake *in, uint64_t position, bool ordered)
{
    const docs *d = in->held;
    const size_t held = d->count < HEAD_DOCUMENTS ? d->count : HEAD_DOCUMENTS;
    uint64_t chain = 0;

    for (size_t m = 0; m < held && d->position[m] <= position; m++)
        chain = digest_chain(chain,
                             ordered ? digest_whole(&in->digests, d, m)
                                     : digest_named(&in->digests, d, m),
                             d->position[m]);
    return chain;
}

/* A source of fewer documents than make a head, that has more by now: its name
 * is the same, and what it had is what this one begins with. */
static bool intake_grew(const intake *in, const store_source *known,
                        bool ordered)
{
    if (known->position == 0 || known->head != known->digest ||
        strcmp(known->name, in->name) != 0)
        return false;
    return held_digest(in, known->position, ordered) == known->digest;
}

/* As the ledger has it: of a directory without the slashes at its end. */
static void source_name(const intake *in, char to[256])
{
    size_t size = strlen(in->name);

    while (in->folder && size > 1 && in->name[size - 1] == '/')
        size--;
    snprintf(to, 256, "%.*s", (int)(size < 255 ? size : 255), in->name);
}

/* The directory, in the batch that is asked for. */
static bool intake_is_folder(const intake *in, const store_source *known)
{
    const char *const batch = in->opts->batch;
    char name[256];

    source_name(in, name);
    return !known->removed && strcmp(known->name, name) == 0 &&
           (batch == NULL || strcmp(known->batch, batch) == 0);
}

/* Sources without documents are told apart by their names alone. */
static bool intake_knows(const intake *in, const store_source *known,
                         bool ordered)
{
    if (in->by_id)
        return intake_is_folder(in, known);
    if (in->held->count == 0 && !has_no_name(in) &&
        strncmp(known->name, in->name, sizeof known->name - 1) != 0)
        return false;
    return !known->removed && (known->head == in->head[ordered] ||
                               intake_grew(in, known, ordered));
}

/* As it is read now, or, of texts, in the other way: those go on as they
 * began. */
static bool intake_may_be(const intake *in, const store_source *known)
{
    const bool ordered = in->from != NULL || !in->opts->bags_only;

    return intake_knows(in, known, ordered) ||
           (in->from == NULL && intake_knows(in, known, !ordered));
}

/* Of the list's entries below the candidate, the latest that this may be, plus
 * 1; 0: none. */
static size_t intake_latest(const intake *in, uint64_t key)
{
    size_t found = 0;

    if (in->link_slots == 0)
        return 0;
    for (uint32_t l = *links_of(in, key); l > 0; l = in->link[l - 1].next) {
        const intake_link *const link = &in->link[l - 1];
        if (link->key == key && link->number < in->candidate &&
            link->number >= found &&
            intake_may_be(in, &in->ledger[link->number]))
            found = (size_t)link->number + 1;
    }
    return found;
}

/* A file that was changed, or is read in another way, comes in a second time:
 * who did not mean that should know. */
static void intake_tell_name(intake *in)
{
    const uint64_t key = name_key(in->record.name);

    if (in->link_slots == 0)
        return;
    for (uint32_t l = *links_of(in, key); l > 0; l = in->link[l - 1].next) {
        const store_source *const known = &in->ledger[in->link[l - 1].number];
        if (known->removed || strcmp(known->name, in->record.name) != 0)
            continue;
        if (in->changed++ == 0 && !in->folder)
            run_log(in->control,
                    "%s: not what the store has under this name: read as a "
                    "new source",
                    in->record.name);
        return;
    }
}

/* Which source this is, as far as its first documents tell: what was taken out
 * again is not known any more. */
static void intake_identify(intake *in)
{
    const bool asked = in->from != NULL || !in->opts->bags_only;
    const bool by_name = in->held->count == 0 && !has_no_name(in);
    store_source fresh = {0};
    uint64_t head;
    size_t found;

    for (int ordered = 0; ordered < 2; ordered++)
        in->head[ordered] = held_digest(in, UINT64_MAX, ordered != 0);
    head = fresh.head = in->head[asked];
    in->ordered = asked;
    if (has_no_name(in))
        snprintf(fresh.name, sizeof fresh.name, "%s#%016" PRIx64, in->name,
                 head);
    else
        source_name(in, fresh.name);
    if (in->from != NULL)
        memcpy(fresh.batch, in->theirs.batch, sizeof fresh.batch);
    else if (in->opts->batch != NULL)
        snprintf(fresh.batch, sizeof fresh.batch, "%s", in->opts->batch);
    found = intake_latest(in, name_key(has_no_name(in) ? in->name
                                                       : fresh.name));
    for (int ordered = 0; !by_name && ordered < 2; ordered++) {
        const size_t by_head = intake_latest(in, head_key(in->head[ordered]));
        found = by_head > found ? by_head : found;
    }
    in->candidate = found > 0 ? found - 1 : 0;
    if (found > 0) {
        in->ordered = intake_knows(in, &in->ledger[found - 1], asked)
                          ? asked
                          : !asked;
        if (in->ordered != asked)
            run_log(in->control,
                    "%s: stored %s the order of its words before "
                    "(--bags-only): it goes on so",
                    in->name, asked ? "without" : "with");
        intake_settle(in, found - 1);
        in->record.head = in->head[in->ordered];
        return;
    }
    in->record = fresh;
    if (!in->by_id)
        intake_tell_name(in);
    intake_settle(in, NEW_SOURCE);
}

/* Ids of the file become ids of the store, from document `first` on. */
static kedge_status intake_translate(intake *in, docs *d, size_t first,
                                     kedge_error *err)
{
    if (in->map != NULL && in->r != NULL && reader_gives_lines(in->r) &&
        !docs_renumber(d, first, in->map))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (words)");
    return digests_learn(&in->digests, &in->lexicon, err);
}

/* What was committed is passed over: it only has to be what it was. *first is
 * the first new document; *differs when the chain up to it is another. */
static void intake_pass(intake *in, size_t *first, bool *differs)
{
    const docs *d = in->held;
    size_t m = 0;

    for (; m < d->count && d->position[m] <= in->skip; m++)
        in->chain = digest_chain(in->chain, digest_whole(&in->digests, d, m),
                                 d->position[m]);
    for (size_t k = 0; k < m; k++)
        in->passed += d->start[k + 1] > d->start[k];
    *first = m;
    *differs = m < d->count && in->skip > 0 &&
               in->record.position == in->skip &&
               in->chain != in->record.digest;
}

/* What a source goes on with is in the batch that it began in. */
static kedge_status intake_check_batch(const intake *in, size_t first,
                                       kedge_error *err)
{
    const char *const asked = in->opts->batch, *const has = in->record.batch;
    const bool none = has[0] == '\0';

    if (in->from != NULL || in->skip == 0 || first == in->held->count ||
        asked == NULL || strcmp(asked, has) == 0)
        return KEDGE_OK;
    return kedge_fail(err, KEDGE_EINVAL,
                      "%s goes on where %s of %sbatch%s%s%s ended: leave out "
                      "--batch %s, or put what is new into a file of its own",
                      in->name, in->record.name, none ? "no " : "",
                      none ? "" : " \"", has, none ? "" : "\"", asked);
}

/* Documents that a source had, but that have left the store it comes from. */
static kedge_status intake_note_left(const intake *in, size_t first, slot *out,
                                     kedge_error *err)
{
    const docs *d = in->held;

    if (in->from == NULL)
        return KEDGE_OK;
    for (size_t m = first; m < d->count; m++) {
        if (!in->from->left(in->from->data, d->position[m]))
            continue;
        if (!mem_grow((void **)&out->left, &out->left_capacity,
                      out->lefts + 1, sizeof *out->left))
            return kedge_fail(err, KEDGE_ENOMEM, "out of memory (batch)");
        out->left[out->lefts++] = (uint32_t)(out->batch.count + m - first);
    }
    return KEDGE_OK;
}

/* Moves the new documents of the held batch to the slot. */
static kedge_status intake_take(intake *in, size_t first, slot *out,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    docs *d = in->held;

    for (size_t m = first; m < d->count; m++) {
        const size_t entries = d->start[m + 1] - d->start[m];
        in->chain = digest_chain(in->chain, digest_whole(&in->digests, d, m),
                                 d->position[m]);
        digest_add(out->digest, digest_document(&in->digests, d, m));
        in->record.position = d->position[m];
        in->record.digest = in->chain;
        in->record.documents += entries > 0;
        in->record.tokens += d->length[m];
        in->record.nonzeros += entries;
    }
    TRY(intake_note_left(in, first, out, err));
    if (first == 0 && out->batch.count == 0) {
        const docs keep = out->batch;
        out->batch = *d;
        *d = keep;
        goto out;
    }
    for (size_t m = first; m < d->count; m++)
        if (!docs_append(&out->batch, d, m))
            TRY_MEM(NULL);
out:
    return st;
}

/* Without ids nobody knows which of its documents are new. */
static kedge_status folder_changed(const intake *in, kedge_error *err)
{
    return kedge_fail(err, KEDGE_EINVAL,
                      "%s: its files are not those that the store has of it, "
                      "and without ids (--id-field none) nobody can tell "
                      "which are new: leave --id-field out in a new store, or "
                      "put what is new into a directory of its own",
                      in->name);
}

/* The source is not what the ledger has under its name. A file is opened again
 * and compared with an earlier entry, or taken as new. */
static kedge_status intake_differs(intake *in, kedge_error *err)
{
    if (in->folder)
        return folder_changed(in, err);
    if (passes_by(in))
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s begins like a source that the store has (%s) "
                          "but goes on differently; %s",
                          in->opts->source != NULL ? in->name
                                                   : "standard input",
                          in->record.name,
                          in->opts->source != NULL
                              ? "leave out what it has to add the rest"
                              : "put it into a file to add it");
    intake_close_source(in);
    return intake_open_source(in, err);
}

/* A line that may come of many sources: kept until intake_tell. */
KEDGE_PRINTF(2, 3)
static void intake_note_line(intake_lines *l, const char *format, ...)
{
    va_list args;

    if (l->count++ >= INTAKE_LINES)
        return;
    va_start(args, format);
    vsnprintf(l->line[l->count - 1], sizeof l->line[0], format, args);
    va_end(args);
}

static void intake_tell_lines(const intake *in, const intake_lines *l,
                              const char *of_several)
{
    for (uint64_t i = 0; l->count <= INTAKE_LINES && i < l->count; i++)
        run_log(in->control, "%s", l->line[i]);
    if (l->count > INTAKE_LINES)
        run_log(in->control, "%" PRIu64 " sources: %s", l->count, of_several);
}

static void intake_tell_folded(const intake *in)
{
    char fewer[64] = "";

    if (in->folded == 0)
        return;
    if (in->merged > 0)
        snprintf(fewer, sizeof fewer, ", and are %zu words with the others",
                 in->file_words - in->merged);
    run_log(in->control,
            "%zu of the %zu words of the vocabulary were folded as texts "
            "are%s",
            in->folded, in->file_words, fewer);
}

/* Texts are cut into words in lower case, and more is done to them: whoever
 * brings a vocabulary that was not made so should know. What goes wrong here,
 * goes without a line. */
static void intake_tell_unmatched(const intake *in)
{
    const words *v = in->vocabulary;
    tokenizer *cut = NULL;
    size_t count = 0, first = 0;
    span word;

    if (!in->texts || in->file_words == 0 ||
        tokenizer_create(&in->tokens, &cut, NULL) != KEDGE_OK)
        return;
    for (size_t j = 0; j < in->file_words; j++) {
        const size_t id = in->map != NULL ? in->map[j] : j;
        const span given = span_of(words_get(v, id), words_size(v, id));
        tokenizer_begin(cut, given);
        bool can = tokenizer_next(cut, &word) &&
                   (in->folds || span_equal(word, given));
        can = can && !(in->folds && tokenizer_next(cut, &word));
        if (!can && count++ == 0)
            first = id;
    }
    if (count > 0) {
        tokenizer_begin(cut, span_of(words_get(v, first),
                                     words_size(v, first)));
        if (!tokenizer_next(cut, &word))
            word = span_of("", 0);
        run_log(in->control,
                "%zu of the %zu words of the vocabulary can be in no text, as "
                "these are cut into words: \"%.60s\" becomes %s%.*s%s",
                count, in->file_words, words_get(v, first),
                word.size > 0 ? "\"" : "nothing",
                (int)(word.size < 60 ? word.size : 60), word.bytes,
                word.size > 0 ? "\"" : "");
    }
    tokenizer_free(cut);
}

void intake_tell(intake *in)
{
    intake_tell_folded(in);
    intake_tell_unmatched(in);
    intake_tell_lines(in, &in->lines_known,
                      "read to their end before; nothing new");
    intake_tell_lines(in, &in->lines_none, "there are no documents in them");
    if (in->kept_batch > 0)
        run_log(in->control,
                "warning: %" PRIu64 " of the sources were read before and stay "
                "as they came, in another batch or none: --batch %s is not "
                "theirs", in->kept_batch, in->opts->batch);
    if (in->changed > 1)
        run_log(in->control,
                "%" PRIu64 " more sources: not what the store has under their "
                "names: read as new sources",
                in->changed - 1);
}

static void intake_note_known(intake *in)
{
    const bool otherwise = strcmp(in->name, in->record.name) != 0;
    const char *const has = in->record.batch, *const asked = in->opts->batch;
    const bool elsewhere = asked != NULL && strcmp(asked, has) != 0;

    in->kept_batch += elsewhere;
    intake_note_line(&in->lines_known,
                     "%s: read to its end before%s%s; nothing new%s%s%s",
                     in->name, otherwise ? ", as " : "",
                     otherwise ? in->record.name : "",
                     !elsewhere       ? ""
                     : has[0] == '\0' ? ", and it stays in no batch"
                                      : ", and it stays in batch \"",
                     elsewhere ? has : "",
                     elsewhere && has[0] != '\0' ? "\"" : "");
}

static bool intake_was_empty(const intake *in, const reader_counts *c)
{
    return in->from == NULL && in->record.position == 0 &&
           c->empty + c->bad.count + c->not_text + c->unread.count == 0;
}

/* A directory without texts, beside its tables and JSON, and a file of which
 * nothing could be read, are no sources. */
static bool intake_is_none(const intake *in, const reader_counts *c)
{
    return in->current == in->known && in->record.position == 0 &&
           (c->unread.count > 0 ||
            (in->folder && reader_records(in->r)->count > 0));
}

/* Once the source has ended: its record is complete, and it is told apart
 * whether there was anything new in it. */
static kedge_status intake_finish(intake *in, bool anything, bool *none,
                                  kedge_error *err)
{
    const bool known = in->record.complete && !anything;
    kedge_status st = KEDGE_OK;
    reader_counts c;

    source_counts(in, &c);
    *none = intake_is_none(in, &c);
    if (in->folder) {
        in->tables += reader_records(in->r)->count;
        TRY(paths_take(&in->path, in->r, err));
    }
    if (*none)
        ;
    else if (known)
        in->sources_known++;
    else
        in->sources++;
    if (!*none && intake_was_empty(in, &c))
        intake_note_line(&in->lines_none, "%s: there are no documents in it",
                         strcmp(in->name, "-") == 0 ? "standard input"
                                                    : in->name);
    else if (known)
        intake_note_known(in);
    in->resumed += in->passed;
    in->empty += c.empty;
    in->taken_back += c.taken_back;
    notes_join(&in->bad, &c.bad);
    notes_join(&in->unread, &c.unread);
    in->not_text += c.not_text;
    in->not_utf8 += c.not_utf8;
    if (in->first_not_utf8[0] == '\0')
        memcpy(in->first_not_utf8, c.first_not_utf8,
               sizeof in->first_not_utf8);
    in->hidden += c.hidden;
    in->files += c.files;
    in->texts_read += c.texts;
    in->unbroken += c.unbroken;
    in->others += c.others;
    in->record.complete =
        in->from == NULL ? c.unread.count == 0 : in->theirs.complete;
    in->record.bad = c.bad.count;
    in->record.empty = c.empty;
    intake_close_source(in);
    if (in->current < in->known)
        TRY(intake_change_record(in, err));
    else if (!*none)
        TRY(intake_add_record(in, &in->record, err));
out:
    return st;
}

/* The first documents tell which source it is. */
static kedge_status intake_read_head(intake *in, bool *more, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const reader_limits limits = {HEAD_DOCUMENTS, in->room_left.entries,
                                  in->room_left.tokens, 0};
    const uint64_t changed = in->changed;

    TRY(source_next(in, &limits, more, err));
    TRY(intake_translate(in, in->held, 0, err));
    intake_identify(in);
    if (in->folder && in->changed > changed)
        return folder_changed(in, err);
    if (!in->ordered) {
        docs_forget_order(in->held, 0);
        reader_set_order(in->r, false);
    }
out:
    return st;
}

/* Empties a batch. One that grew while more was read at a time gives its memory
 * back. */
static void intake_clear(const intake *in, docs *d)
{
    if (d->entry_capacity > 2 * in->limits.entries)
        docs_free(d);
    else
        docs_clear(d);
}

static kedge_status intake_read(intake *in, slot *out, bool *more,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const reader_limits limits = {in->room_left.documents,
                                  in->room_left.entries, in->room_left.tokens,
                                  COMMIT_SECONDS};
    bool differs;
    size_t first;

    intake_clear(in, in->held);
    *more = true;
    if (!in->named)
        TRY(intake_read_head(in, more, err));
    first = in->held->count;
    if (*more)
        TRY(source_next(in, &limits, more, err));
    TRY(intake_translate(in, in->held, first, err));
    for (size_t m = 0; m < in->held->count; m++)
        in->held->position[m] += in->base;
    intake_pass(in, &first, &differs);
    if (!*more && first == in->held->count && in->skip > 0 &&
        in->record.position == in->skip && in->chain != in->record.digest)
        differs = true; /* it ends where the committed one went on */
    if (differs) {
        *more = true;
        TRY(intake_differs(in, err));
    } else {
        TRY(intake_check_batch(in, first, err));
        TRY(intake_take(in, first, out, err));
    }
out:
    return st;
}

kedge_status intake_find(intake *in, bool *known, uint32_t *number,
                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool more;

    *known = false;
    in->room_left = in->limits;
    intake_clear(in, in->held);
    TRY(intake_begin(in, err));
    TRY(intake_read_head(in, &more, err));
    *known = in->current < in->known;
    *number = in->current;
    if (in->folder && !*known)
        TRY(paths_take(&in->path, in->r, err));
out:
    intake_close_source(in);
    return st;
}

static void intake_note(intake *in)
{
    reader_counts c;

    source_counts(in, &c);
    in->texts |= c.texts > 0;
    if (in->widest < c.widest)
        in->widest = c.widest;
}

/* What the slot has room for, beside the sources that it has. */
static slot_limits intake_room(const intake *in, const slot *out)
{
    const slot_limits l = in->limits;
    const docs *d = &out->batch;
    slot_limits left = {.documents = l.documents - d->count,
                        .tokens = l.tokens};
    size_t entries = 0;
    uint64_t tokens = docs_symbols(d), counted = 0;

    for (size_t m = 0; m < d->count; m++) {
        entries += slot_entries(d, m);
        counted += d->length[m];
    }
    tokens = tokens > counted ? tokens : counted;
    left.entries = l.entries > entries ? l.entries - entries : 0;
    left.tokens = l.tokens > tokens ? l.tokens - tokens : 0;
    return left;
}

/* It can be waited for, and what is there is not to wait with it. */
static bool is_slow(const intake *in, const char *path)
{
    struct stat about;

    return in->from == NULL &&
           (in->opts->source != NULL || strcmp(path, "-") == 0 ||
            stat(path, &about) != 0 ||
            !(S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)));
}

/* Small sources share a turn, until it is half full, or a while has passed. */
static bool intake_goes_on(intake *in, const slot *out, double start)
{
    const slot_limits l = in->limits;

    if (in->open || in->next == paths_count(&in->path) || out->parts >= SLOT_PARTS ||
        out->batch.count > l.documents / 2 ||
        in->lexicon.count - in->words_before > PLAN_NEW_WORDS / 4 ||
        clock_seconds() - start >= COMMIT_SECONDS ||
        is_slow(in, in->from == NULL ? paths_get(&in->path, in->next) : NULL))
        return false;
    in->room_left = intake_room(in, out);
    return in->room_left.entries > l.entries / 2 &&
           (l.tokens == 0 || in->room_left.tokens > l.tokens / 2);
}

/* The next documents of the source that is open, or of the next one. */
static kedge_status intake_part(intake *in, slot *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t before = out->batch.count;
    bool more = true, none = false;

    if (!in->open)
        TRY(intake_begin(in, err));
    while (more && out->batch.count == before) {
        TRY(run_check(in->control, err));
        TRY(intake_read(in, out, &more, err));
        intake_note(in);
    }
    intake_count(in);
    if (!more)
        TRY(intake_finish(in, out->batch.count > before, &none, err));
    if (none)
        return KEDGE_OK;
    TRY_MEM(slot_begin_part(out, in->current, &in->record) ? out : NULL);
    out->part[out->parts - 1].first = before;
    out->part[out->parts - 1].by_id = in->by_id;
out:
    return st;
}

kedge_status intake_next(intake *in, slot *out, kedge_error *err)
{
    kedge_status st = in->failed;
    const double start = clock_seconds();

    intake_clear(in, &out->batch);
    out->parts = out->lefts = 0;
    out->digest[0] = out->digest[1] = 0;
    out->last = !in->open && in->next == paths_count(&in->path);
    in->room_left = in->limits;
    in->words_before = in->lexicon.count;
    if (st != KEDGE_OK)
        return kedge_fail(err, st, "%s", in->why.text);
    if (out->last)
        return KEDGE_OK;
    do {
        const size_t before = out->batch.count;
        st = intake_part(in, out, &in->why);
        if (st == KEDGE_OK)
            continue;
        if (out->parts == 0 || out->batch.count > before)
            return kedge_fail(err, st, "%s", in->why.text);
        in->failed = st; /* what came before it is there to be stored */
        break;
    } while (intake_goes_on(in, out, start));
    out->texts = in->texts;
    return KEDGE_OK;
}
